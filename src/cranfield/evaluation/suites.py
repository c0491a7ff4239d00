"""Suites: several collections with runs of the same systems.

A suite is a TOML file, or a directory of collections and a directory of runs:

```toml
measure = "nDCG@10"

[collections.scifact]
qrels = "scifact/qrels/test.tsv"

[collections."cqadupstack/android"]
qrels = "cqadupstack/android/qrels/test.tsv"
exclude_self = true

[systems]
bm25 = "runs/bm25/{collection}.run"
dense = ["runs/dense-1/{collection}.run", "runs/dense-2/{collection}.run"]
```

Paths are relative to the file. Options of `evaluate` can be keys of a collection, or at the top for
all collections. A list of a system contains its seeds. Collections whose names share the part
before ``/`` are parts of one collection.

A directory of collections contains ``NAME/qrels/test.tsv``, a directory of runs ``SYSTEM/NAME.EXT``
or MTEB's ``SYSTEM/TASK_predictions.json``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from typing import Any, Literal, TypeAlias

from cranfield.data.attributes import DERIVED
from cranfield.data.reading.source import Source
from cranfield.data.reading.toml import read_toml
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError, check_choice
from cranfield.evaluation.evaluate import evaluate
from cranfield.evaluation.options import OPTIONS
from cranfield.evaluation.results import read_scores
from cranfield.measures.grammar import parse_measure
from cranfield.scores import Note, Scores
from cranfield.wording import format_count, format_names, format_option, suggest_names

MissingRuns: TypeAlias = Literal["error", "common"]
DEFAULT_MEASURE = "nDCG@10"
PLACEHOLDER = "{collection}"
QRELS = "qrels/test.tsv"
_IN_MEMORY_OPTIONS = {"labelling", "progress", "block_cells", "threads", "seed", "preset"}
_COLLECTION_OPTIONS = tuple(name for name in OPTIONS if name not in _IN_MEMORY_OPTIONS)
_PREDICTIONS = re.compile(r"(_default)?_predictions\.json$", re.IGNORECASE)  # of MTEB 2 and 1
_UNIT_RANGE = re.compile(r"0 to (below )?1(,.*)?|as M")  # of measures with scores in [0, 1]
_TASKS = {  # names of MTEB's tasks that differ from BEIR's directories by more than spelling
    "fiqa2018": "fiqa",
    "touche2020": "webistouche2020",
    "dbpedia": "dbpediaentity",
}


@dataclass(frozen=True, eq=False)
class SuiteCollection:
    """Judgments and runs of a collection, with its measures and options of `evaluate`.

    `absent` maps runs without a file to the expected path.
    """

    name: str
    qrels: Any
    runs: Mapping[str, Any]
    measures: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class SuiteFiles:
    """Collections of a suite, before evaluation. `systems` maps runs to systems."""

    collections: tuple[SuiteCollection, ...]
    systems: Mapping[str, str] = field(default_factory=dict)
    measures: Any = None
    notes: tuple[Note, ...] = ()

    @property
    def files(self) -> list[str]:
        """Paths of all runs."""
        values = (run for collection in self.collections for run in collection.runs.values())
        return [os.fspath(run) for run in values if isinstance(run, str | os.PathLike)]


@dataclass(frozen=True, eq=False)
class SuiteScores:
    """Scores of the same runs on several collections, with one column per measure of the suite.

    `measures` names the columns. A column with different measures has all their names.
    """

    scores: Mapping[str, Scores]
    measures: tuple[str, ...]
    systems: Mapping[str, str]
    notes: tuple[Note, ...] = ()


# -- from files to scores -------------------------------------------------------------------------


def read_suite(
    collections: Any,
    runs: Any = None,
    measures: Any = None,
    missing: MissingRuns = "error",
    options: Mapping[str, Any] | None = None,
    lower: str | Sequence[Any] = (),
) -> SuiteScores:
    """Read a suite and evaluate its collections.

    `collections` is a TOML file, a directory (with the directory `runs`), or a mapping from
    collections to scores or to ``{"qrels": …, "runs": …}``.
    """
    check_choice("missing", missing, MissingRuns)
    if isinstance(collections, str | os.PathLike):
        if (scored := read_suite_scores(collections)) is not None:
            content, chosen = scored
            given = {name: value for name, value in (options or {}).items() if name != "progress"}
            return _read_mapping(content, measures or chosen, missing, given, lower)
        suite = find_suite(collections, runs) if os.path.isdir(collections) else read_suite_file(collections)
        if runs is not None and not os.path.isdir(collections):
            raise InputError.from_problem("runs of a suite file", "Name them in its table [systems].")
        return evaluate_suite(suite, measures, missing, options)
    if not isinstance(collections, Mapping):
        raise InputError(type(collections).__name__, "a path, or a mapping from collections to scores")
    if runs is not None:
        raise InputError.from_problem("runs without a directory of collections", 'Use {"qrels": …, "runs": …}.')
    return _read_mapping(collections, measures, missing, options, lower)


def evaluate_suite(
    suite: SuiteFiles,
    measures: Any = None,
    missing: MissingRuns = "error",
    options: Mapping[str, Any] | None = None,
) -> SuiteScores:
    """Evaluate all collections of a suite."""
    runs_by_collection = {c.name: [*c.runs] for c in suite.collections}
    paths = {run: path for c in suite.collections[::-1] for run, path in c.absent.items()}
    names, notes = _select_collections(runs_by_collection, suite.systems, missing, paths)
    scores = {}
    for collection in suite.collections:
        if collection.name not in names:
            continue
        settings = _fill_name({**collection.options, **(options or {})}, collection.name)
        default = None if "preset" in settings else DEFAULT_MEASURE
        chosen = measures or collection.measures or suite.measures or default
        with_name = _name_errors(collection.name)
        scores[collection.name] = with_name(_evaluate_collection, collection, chosen, settings)
    return _align_scores(scores, suite.systems, (*suite.notes, *notes))


def list_files(suite: str, runs: str | None) -> list[str]:
    """Return the runs of a suite on disk, to show the progress of reading. Errors are reported later."""
    with suppress(CranfieldError, OSError):
        return (find_suite(suite, runs) if os.path.isdir(suite) else read_suite_file(suite)).files
    return []


def _evaluate_collection(collection: SuiteCollection, measures: Any, options: Mapping[str, Any]) -> Scores:
    """Evaluate the runs of a collection under their names in the suite."""
    return evaluate(collection.qrels, dict(collection.runs), measures, **options)


def _fill_name(options: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the options with the name of the collection instead of ``{collection}`` in paths."""

    def fill(value: Any) -> Any:
        if isinstance(value, list):
            return [*map(fill, value)]
        return value.replace(PLACEHOLDER, name) if isinstance(value, str) else value

    return {key: fill(value) for key, value in options.items()}


def _name_errors(name: str) -> Callable[..., Any]:
    """Return a function that calls another one, with the collection in its errors."""

    def call(function: Callable[..., Any], *values: Any, **keywords: Any) -> Any:
        try:
            return function(*values, **keywords)
        except CranfieldError as error:
            raise CranfieldError(f"collection {name}: {error}") from error

    return call


def _read_mapping(
    collections: Mapping[str, Any],
    measures: Any,
    missing: MissingRuns,
    options: Mapping[str, Any] | None,
    lower: str | Sequence[Any],
) -> SuiteScores:
    """Return the scores of a mapping from collections to scores, or to judgments and runs."""
    named = {str(name): content for name, content in collections.items()}
    if len(named) < len(collections):
        raise InputError.from_problem("two collections of one name")
    inputs = {name: content for name, content in named.items() if _is_collection(content)}
    if inputs and len(inputs) < len(named):
        raise InputError("collections with scores and with qrels", "one of them for all collections")
    if inputs:
        items = [_build_collection(name, content) for name, content in inputs.items()]
        return evaluate_suite(SuiteFiles(tuple(items)), measures, missing, options)
    if options:
        raise InputError.from_problem(f"options of evaluate ({', '.join(options)}) for scores", "Scores are evaluated.")
    scores: dict[str, Scores] = {
        name: _name_errors(name)(read_scores, content, measures=measures, lower=lower)
        for name, content in named.items()
    }
    names, notes = _select_collections({name: part.runs for name, part in scores.items()}, {}, missing)
    return _align_scores({name: scores[name] for name in names}, {}, notes)


def _is_collection(content: Any) -> bool:
    """Return True for ``{"qrels": …, "runs": …}``."""
    return isinstance(content, Mapping) and {"qrels", "runs"} <= content.keys()


def _build_collection(name: str, content: Mapping[str, Any]) -> SuiteCollection:
    options = {key: value for key, value in content.items() if key not in ("qrels", "runs", "measures")}
    runs = content["runs"]
    if not isinstance(runs, Mapping):
        raise InputError(f"runs of collection {name}: {type(runs).__name__}", "{name: run}")
    _check_options(options, f"collection {name}", _COLLECTION_OPTIONS)
    return SuiteCollection(name, content["qrels"], runs, content.get("measures"), options)


# -- selecting collections ------------------------------------------------------------------------


def get_group(name: str) -> str:
    """Return the collection of a part: the name before ``/``.

    >>> get_group("cqadupstack/android"), get_group("nq")
    ('cqadupstack', 'nq')
    """
    return name.partition("/")[0]


def _select_collections(
    runs_by_collection: Mapping[str, Sequence[str]],
    systems: Mapping[str, str],
    missing: MissingRuns,
    paths: Mapping[str, str] | None = None,
) -> tuple[list[str], list[Note]]:
    """Return the collections that all runs have, and a note about the others.

    Raise an error if a run is missing, or if fewer than two collections remain. `paths` are
    expected files of missing runs.
    """
    absent = _find_absent_runs(runs_by_collection, systems)
    groups = dict.fromkeys(map(get_group, runs_by_collection))
    excluded = dict.fromkeys(get_group(name) for names in absent.values() for name in names)
    complete = [name for name in runs_by_collection if get_group(name) not in excluded]
    if absent and (missing == "error" or len(groups) - len(excluded) < 2):
        raise _make_missing_error(absent, len(groups) - len(excluded), paths or {})
    if len(groups) < 2:
        raise InputError(format_names([*groups], "collection"), "a suite of at least 2")
    notes = []
    if excluded:
        listed = format_names([*excluded], "collection")
        notes.append(Note("missing-runs", f"{listed} excluded: {format_names([*absent], 'run')} missing there"))
    return complete, notes


def _find_absent_runs(
    runs_by_collection: Mapping[str, Sequence[str]], systems: Mapping[str, str]
) -> dict[str, list[str]]:
    """Return the runs that are missing, with their collections."""
    runs = dict.fromkeys([*systems, *(run for names in runs_by_collection.values() for run in names)])
    absent = {run: [name for name, names in runs_by_collection.items() if run not in names] for run in runs}
    return {run: names for run, names in absent.items() if names}


def _make_missing_error(absent: Mapping[str, Sequence[str]], complete: int, paths: Mapping[str, str]) -> InputError:
    """Return the error for the first missing run. `complete` collections have all runs."""
    run, names = next(iter(absent.items()))
    more = "" if len(absent) == 1 else f" (and {format_count(len(absent) - 1, 'other run')})"
    path = f": no file {paths[run]}" if run in paths else ""
    problem = f"run {run} is missing on {format_names(names, 'collection')}{more}{path}"
    option = format_option("--missing common", 'missing="common"')
    count = format_count(complete, "collection")
    return InputError.from_problem(problem, f"{option} uses collections that all systems have: {count} here.")


def _align_scores(scores: Mapping[str, Scores], systems: Mapping[str, str], notes: Iterable[Note]) -> SuiteScores:
    """Return the scores with the same runs, in the same order, and named measures."""
    first = next(iter(scores.values()))
    runs = [run for run in systems if run in first.runs] or [*first.runs]
    aligned = {name: part.select(runs=runs) for name, part in scores.items()}
    columns = _align_columns({name: _list_measures(part) for name, part in aligned.items()})
    aligned = {name: part.select(measures=columns[name]) for name, part in aligned.items()}
    by_column = [dict(zip(columns, names, strict=True)) for names in zip(*columns.values(), strict=True)]
    for names_by_collection in by_column:
        _check_better(aligned, names_by_collection)
    mixed = [note for names in by_column for note in _note_mixed(aligned, names)]
    labels = tuple(", ".join(dict.fromkeys(names.values())) for names in by_column)
    return SuiteScores(aligned, labels, systems, (*notes, *mixed))


def _align_columns(columns: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the measures of each collection in the same order, or one per collection."""
    expected = columns[next(iter(columns))]
    if all({*names} == {*expected} for names in columns.values()):
        return dict.fromkeys(columns, expected)
    for name, names in columns.items():
        if len(names) != len(expected) or len(names) > 1:
            problem = f"collection {name} has {format_names(names, 'measure')}, others {', '.join(expected)}"
            raise InputError.from_problem(problem, "Use the same measures for all collections.")
    return columns


def _list_measures(scores: Scores) -> list[str]:
    """Return the measures of scores, without standard errors."""
    return [m for m, s in zip(scores.measures, scores.summaries, strict=True) if s != "se"]


def _check_better(scores: Mapping[str, Scores], names: Mapping[str, str]) -> None:
    """Raise an error for measures that must not be averaged."""
    if len({*names.values()}) == 1:
        sides = {_describe_side(scores[name], measure) for name, measure in names.items()}
        if len(sides) == 1:
            return
    for name, measure in names.items():
        reason = _describe_side(scores[name], measure) or _describe_range(scores[name], measure)
        if reason:
            others = ", ".join(dict.fromkeys(m for m in names.values() if m != measure))
            problem = f"collection {name} has {measure} ({reason}), other collections {others or measure}"
            raise InputError.from_problem(problem, "Use one measure for all collections.")


def _describe_side(scores: Scores, measure: str) -> str:
    """Return why a measure is not averaged with others, or "" if high values are better."""
    m = scores.measures.index(measure)
    if scores.summaries[m] in ("sum", "gmean"):
        return "a count" if scores.summaries[m] == "sum" else "a geometric mean"
    return {"higher": "", "lower": "lower is better", "neither": "neither end is better"}[scores.better[m]]


def _describe_range(scores: Scores, measure: str) -> str:
    """Return the range of a measure if it is not 0 to 1, for custom measures the range of scores."""
    try:
        measure_range = parse_measure(measure).range
    except CranfieldError:
        values = scores.values[:, :, scores.measures.index(measure)]
        measure_range = "0 to 1" if not ((values < 0) | (values > 1)).any() else "scores outside 0 to 1"
    return "" if _UNIT_RANGE.fullmatch(measure_range) else measure_range


def _note_mixed(scores: Mapping[str, Scores], names: Mapping[str, str]) -> Iterator[Note]:
    """Note that a macro mean averages different measures."""
    by_measure: dict[str, list[str]] = {}
    for name, measure in names.items():
        by_measure.setdefault(measure, []).append(name)
    if len(by_measure) > 1:
        listed = "; ".join(f"{measure} on {format_names(group, 'collection')}" for measure, group in by_measure.items())
        yield Note("mixed-measures", f"macro means average different measures: {listed}")


# -- suite files ----------------------------------------------------------------------------------


def read_suite_file(path: str | os.PathLike[str]) -> SuiteFiles:
    """Read a suite in TOML."""
    source = Source.from_path(path)
    content = read_toml(source)
    keys = ("measure", "collections", "systems", *_COLLECTION_OPTIONS)
    _check_options(content, source.name, keys)
    directory = os.path.dirname(os.fspath(path))
    defaults = {key: value for key, value in content.items() if key in _COLLECTION_OPTIONS}
    tables, patterns = (_get_table(content, key, source.name) for key in ("collections", "systems"))
    systems, runs = _read_systems(patterns, directory, source.name)
    collections = []
    for name, table in tables.items():
        location = f"{source.name}: collection {name}"
        collections.append(_read_collection(name, table, defaults, directory, location, runs))
    return SuiteFiles(tuple(collections), systems, _read_measure(content, source.name))


def read_suite_scores(path: str | os.PathLike[str]) -> tuple[dict[str, list[str]], Any] | None:
    """Return ``{collection: files with scores}`` and measures of a suite file, or None without ``scores``."""
    if os.path.isdir(path):
        return None
    source = Source.from_path(path)
    content = read_toml(source)
    tables = _get_table(content, "collections", source.name)
    if not any(isinstance(table, dict) and "scores" in table for table in tables.values()):
        return None
    _check_options(content, source.name, ("measure", "collections"))
    directory, files = os.path.dirname(os.fspath(path)), dict[str, list[str]]()
    for name, table in tables.items():
        location = f"{source.name}: collection {name}"
        _check_name(name, location)
        if not isinstance(table, dict) or [*table] != ["scores"]:
            raise InputError("other keys than scores", 'scores = "FILE" in all collections, and nothing else', location)
        values = table["scores"] if isinstance(table["scores"], list) else [table["scores"]]
        if not values or not all(isinstance(value, str) and value for value in values):
            raise InputError(f"scores = {table['scores']!r}", "a file, or a list of files", location)
        files[name] = [os.path.join(directory, value) for value in values]
    return files, _read_measure(content, source.name)


def _get_table(content: Mapping[str, Any], key: str, location: str) -> dict[str, Any]:
    table = content.get(key)
    if not isinstance(table, dict) or not table:
        example = "[collections.NAME]" if key == "collections" else "[systems]"
        raise InputError(f"no {key}" if table is None else f"{key} = {table!r}", f"a table {example}", location)
    return table


def _read_collection(
    name: str, table: Any, defaults: Mapping[str, Any], directory: str, location: str, runs: Mapping[str, str]
) -> SuiteCollection:
    if not isinstance(table, dict):
        raise InputError(repr(table), 'a table with qrels = "FILE"', location)
    _check_name(name, location)
    _check_options(table, location, ("qrels", "measure", *_COLLECTION_OPTIONS))
    qrels = table.get("qrels")
    if not isinstance(qrels, str) or not qrels:
        raise InputError("no qrels" if qrels is None else f"qrels = {qrels!r}", 'qrels = "FILE"', location)
    qrels_path = os.path.join(directory, qrels)
    if not os.path.exists(qrels_path):
        raise InputError.from_problem(f"no judgments: {qrels_path} does not exist", where=location)
    options = {**defaults, **{key: value for key, value in table.items() if key in _COLLECTION_OPTIONS}}
    options = {key: _resolve_option(key, value, directory) for key, value in options.items()}
    paths = {run: pattern.replace(PLACEHOLDER, name) for run, pattern in runs.items()}
    present = {run: run_path for run, run_path in paths.items() if os.path.exists(run_path)}
    absent = {run: run_path for run, run_path in paths.items() if run not in present}
    return SuiteCollection(name, qrels_path, present, _read_measure(table, location), options, absent)


def _check_name(name: str, location: str) -> None:
    """Raise an error unless a name is that of a collection, or of a part of one."""
    if not re.fullmatch(r"[^/\s]+(/[^/\s]+)?", name):
        raise InputError(f"collection {name!r}", "a name without spaces, or COLLECTION/PART", location)


def _read_measure(table: Mapping[str, Any], location: str) -> Any:
    measure = table.get("measure")
    texts = [measure] if isinstance(measure, str) else measure
    if measure is not None and not (isinstance(texts, list) and texts and all(isinstance(x, str) for x in texts)):
        raise InputError(f"measure = {measure!r}", 'a measure such as "nDCG@10", or a list', location)
    return texts


def _resolve_option(name: str, value: Any, directory: str) -> Any:
    """Return the value of an option, with paths relative to the file of the suite."""
    if OPTIONS[name].metavar == "FILE":
        values = value if isinstance(value, list) else [value]
        paths = [os.path.join(directory, x) if isinstance(x, str) else x for x in values]
        return paths if isinstance(value, list) else paths[0]
    if OPTIONS[name].metavar == "FILE:COLUMN":
        texts = value if isinstance(value, list) else [value]
        paths = [_resolve_column(text, directory) for text in texts]
        return paths if isinstance(value, list) else paths[0]
    if name in ("topics", "gains") and isinstance(value, str) and value.startswith("@"):
        return f"@{os.path.join(directory, value[1:])}"
    return value


def _resolve_column(value: Any, directory: str) -> Any:
    """Return ``FILE:COLUMN`` relative to the file of the suite. ``length`` and ``relevant/3`` are no files."""
    is_file = isinstance(value, str) and value.partition("/")[0] not in DERIVED
    return os.path.join(directory, value) if is_file else value


def _read_systems(patterns: Mapping[str, Any], directory: str, location: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return ``{run: system}`` and ``{run: pattern}``. A list of patterns has the seeds of a system."""
    systems, runs = dict[str, str](), dict[str, str]()
    for system, value in patterns.items():
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list) or not texts or not all(isinstance(x, str) for x in texts):
            raise InputError(
                f"{system} = {value!r}", f'a path such as "runs/{PLACEHOLDER}.run"', f"{location}: systems"
            )
        for number, text in enumerate(texts, start=1):
            if PLACEHOLDER not in text:
                problem = f"{system}: {text!r} has no {PLACEHOLDER}"
                raise InputError.from_problem(problem, "Every collection needs its own runs.", location)
            run = system if len(texts) == 1 else f"{system}-{number}"
            if run in systems:
                raise InputError.from_problem(f"duplicate run {run} (of {systems[run]} and {system})", where=location)
            if (path := os.path.join(directory, text)) in runs.values():
                raise InputError.from_problem(f"duplicate path {text!r} of {system}", where=location)
            systems[run], runs[run] = system, path
    if len(patterns) < 2:
        raise InputError(format_names([*patterns], "system"), "at least 2", location)
    return systems, runs


def _check_options(table: Mapping[str, Any], location: str, keys: Sequence[str]) -> None:
    """Raise an error for unknown keys, with the nearest known key."""
    for key in table:
        if key not in keys:
            matches = suggest_names(key, keys)
            fix = f"Did you mean {matches[0]}?" if matches else "Valid: qrels, measure and options of evaluate."
            raise InputError.from_problem(f"unknown key {key!r}", fix, location)


# -- directories ----------------------------------------------------------------------------------


def find_suite(directory: str | os.PathLike[str], runs: Any) -> SuiteFiles:
    """Find the collections of a directory, and runs of all systems in another directory."""
    directory = os.fspath(directory)
    if runs is None:
        fix = f"Use {format_option('--runs RUNS', 'runs=')} with files SYSTEM/NAME.run."
        raise InputError.from_problem(f"{directory} is a directory of collections without runs", fix)
    if not isinstance(runs, str | os.PathLike) or not os.path.isdir(runs):
        raise InputError(f"runs {runs!r}", "a directory with files SYSTEM/NAME.run")
    run_directory = os.fspath(runs)
    qrels = dict(_find_judgments(directory, run_directory))
    if not qrels:
        swapped = dict(_find_judgments(run_directory, directory))
        fix = "Swap the two directories." if swapped else f"Expected NAME/{QRELS}."
        raise InputError.from_problem(f"no collections in {directory}", fix)
    systems = [name for name in _list_directory(run_directory) if os.path.isdir(os.path.join(run_directory, name))]
    if len(systems) < 2:
        raise InputError(f"{format_count(len(systems), 'system')} in {run_directory}", "at least 2 directories SYSTEM")
    runs_by_collection, notes = _match_systems(directory, run_directory, [*qrels], systems)
    collections = [SuiteCollection(name, path, runs_by_collection[name]) for name, path in qrels.items()]
    return SuiteFiles(tuple(collections), {name: name for name in systems}, None, tuple(notes))


def _match_systems(
    directory: str, run_directory: str, collections: Sequence[str], systems: Sequence[str]
) -> tuple[dict[str, dict[str, str]], list[Note]]:
    """Return the runs of each collection by system, and notes about other files."""
    unjudged = [name for name in _list_directory(directory) if name not in {*map(get_group, collections)}]
    runs_by_collection: dict[str, dict[str, str]] = {name: {} for name in collections}
    notes = []
    for system in systems:
        matches, unused = _match_runs(os.path.join(run_directory, system), [*collections, *unjudged])
        for name, path in matches.items():
            if name in unjudged:
                problem = f"collection {name} has no judgments: {os.path.join(directory, name, QRELS)} does not exist"
                raise InputError.from_problem(problem, f"{path} is a run on it.")
            runs_by_collection[name][system] = path
        if unused:
            listed = format_names(unused, "file")
            notes.append(Note("unused-files", f"{system}: {listed} ignored, named after no collection", system))
    return runs_by_collection, notes


def _list_directory(directory: str) -> list[str]:
    """Return the names in a directory, without hidden ones."""
    return sorted(name for name in os.listdir(directory) if not name.startswith("."))


def _find_judgments(directory: str, excluded: str) -> Iterator[tuple[str, str]]:
    """Yield collections and parts of collections with their judgments."""
    for name in _list_directory(directory):
        path = os.path.join(directory, name)
        if not os.path.isdir(path) or _contains(path, excluded):
            continue
        parts = {name: path}
        if not os.path.isdir(os.path.join(path, "qrels")):
            parts = {f"{name}/{part}": os.path.join(path, part) for part in _list_directory(path)}
            parts = {part: p for part, p in parts.items() if os.path.isdir(os.path.join(p, "qrels"))}
        for part, part_path in parts.items():
            yield part, _get_judgments(part_path, part)


def _contains(directory: str, path: str) -> bool:
    """Return True if a path is a directory, or is in it."""
    first, second = os.path.abspath(directory), os.path.abspath(path)
    return os.path.commonpath([first, second]) == first


def _get_judgments(path: str, name: str) -> str:
    qrels = os.path.join(path, *QRELS.split("/"))
    if os.path.exists(qrels):
        return qrels
    others = _list_directory(os.path.join(path, "qrels"))
    found = f"found {', '.join(others)}. " if others else ""
    fix = f"{found}Use a suite file with qrels = …" if others else ""
    raise InputError.from_problem(f"collection {name} has no judgments: {qrels} does not exist", fix)


def _match_runs(directory: str, collections: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Return the runs of collections, and the files of no collection."""
    files = _list_directory(directory)
    subdirectories = [name for name in files if os.path.isdir(os.path.join(directory, name))]
    nested = [f"{sub}/{name}" for sub in subdirectories for name in _list_directory(os.path.join(directory, sub))]
    paths = [name for name in files if name not in subdirectories] + nested
    keys = {_fold_name(name): name for name in collections}
    matches: dict[str, str] = {}
    unused = []
    for path in paths:
        name = _find_collection(path, collections, keys)
        if name is None:
            unused.append(path)
        elif name in matches:
            problem = f"{directory}: two runs of collection {name}, {os.path.basename(matches[name])} and {path}"
            raise InputError.from_problem(problem, "Keep one of them.")
        else:
            matches[name] = os.path.join(directory, *path.split("/"))
    return matches, unused


def _find_collection(path: str, collections: Sequence[str], keys: Mapping[str, str]) -> str | None:
    """Return the collection of a file ``NAME.EXT``, or of predictions of MTEB.

    >>> names = ["nq", "cqadupstack/android"]
    >>> keys = {"nq": "nq", "cqadupstackandroid": "cqadupstack/android"}
    >>> _find_collection("nq.run.gz", names, keys)
    'nq'
    >>> _find_collection("CQADupstackAndroidRetrieval_predictions.json", names, keys)
    'cqadupstack/android'
    """
    matches = [name for name in collections if path.startswith(f"{name}.")]
    if matches:
        return max(matches, key=len)
    task = _PREDICTIONS.sub("", path)
    return keys.get(_fold_name(task)) if task != path else None


def _fold_name(name: str) -> str:
    """Return the letters and digits of a name of a collection or task of MTEB.

    >>> _fold_name("CQADupstackAndroidRetrieval"), _fold_name("cqadupstack/android"), _fold_name("FiQA2018")
    ('cqadupstackandroid', 'cqadupstackandroid', 'fiqa')
    """
    key = re.sub(r"[^a-z0-9]", "", name.lower()).removesuffix("retrieval")
    return _TASKS.get(key, key)
