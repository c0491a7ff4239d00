"""Records of commands: the inputs, the options and the command line that repeats the computation."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import cranfield
from cranfield.cli.paths import INPUTS, INPUTS_AFTER_AT, INPUTS_WITH_COLUMN, OUTPUTS, RUN_NAMES, split_metavar
from cranfield.data.catalogues import is_catalogue_name
from cranfield.data.files import InputLog, log_inputs
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.evaluation.options import OPTIONS
from cranfield.lazy_imports import is_installed, make_missing_error
from cranfield.options import Option, flatten_rows, option, switch
from cranfield.wording import encode_text

if TYPE_CHECKING:
    from cranfield.cli.parser import Parser
    from cranfield.records.record import Record

RECORD = (
    option("--record", "FILE", "write inputs with hashes, options, versions and the result to FILE.json"),
    switch("--record-time", "include the time in the record", requires="record"),
)
DISPLAY = frozenset(
    (*OUTPUTS, "format", "shown", "per_topic", "tables", "wide", "sort", "decimals", "label", "caption", "spreadsheet",
     "scale", "theme", "title", "width", "height", "grey", "plot_title", "plot_width", "plot_height", "threads",
     "quiet", "verbose", "errors", "help", "help_all", "record", "record_time",
     "complete", "marks", "summary", "engine", "master", "spark_confs", "bad_rows", "skip_duplicates")
)  # fmt: skip
"""Names of options that change no number."""
MEASURES = "measures"
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./@%+=:,#²")
ROLES = {
    "runs": "run",
    "first": "qrels",
    "second": "qrels",
    "second_qrels": "qrels",
    "qrels2": "qrels",
    "presets": "preset",
    "imports": "import",
    "data": "battles",
    "audits": "audit",
    "bys": "by",
    "clicks": "clicks",
}
"""Roles of inputs by the name of the option, if the reader of the file does not set the role."""
FILES = {"text": "text", "assess": "assessments"}
"""Roles of the positional argument FILE, by command."""
PACKAGE = os.path.dirname(os.path.dirname(__file__))
STDIN = "-"


@dataclass(frozen=True)
class Given:
    """A file, directory or pattern on the command line, with its role."""

    word: str
    role: str


class Recording:
    """Inputs, options and result of a running command."""

    def __init__(self, parser: Parser, words: Sequence[str], options: argparse.Namespace, log: InputLog) -> None:
        self.parser, self.options, self.log = parser, options, log
        self.rows = list_rows(parser)
        self.raw = parse_raw(parser, words)
        self.defaults: dict[str, Any] = {}
        self.document: Any = None
        self.result: Any = None

    def add_defaults(self, defaults: Mapping[str, Any]) -> None:
        """Store default values of the parameters of a function that computes the result."""
        self.defaults = dict(defaults) | self.defaults

    def set_result(self, result: Any) -> None:
        """Store the JSON output of the first result, with all topics and notes."""
        from cranfield.report.formats.machine_readable import build_document
        from cranfield.report.results import prepare_output

        self.result = result if self.result is None else self.result
        shown = {name: value for name, value in vars(self.options).items() if name not in DISPLAY}
        self.set_document(build_document(prepare_output(result, "json", {**shown, "per_topic": True})))

    def set_document(self, document: Any) -> None:
        """Store the result."""
        if self.document is None:
            self.document = document

    @property
    def record(self) -> Record:
        """The record of the command."""
        from cranfield.records.content import split_topics
        from cranfield.records.record import Record

        result, sidecar, table = split_topics(self.content["result"])
        content = {**self.content, "result": result}
        return Record.from_content(content | ({} if sidecar is None else {"sidecar": sidecar}), table)

    @property
    def embedded(self) -> Record:
        """The record of the command, for an HTML report. Many values are replaced by their hash."""
        from cranfield.records.content import LARGEST
        from cranfield.records.record import Record, encode_numbers
        from cranfield.records.verification import shorten_result

        result = encode_numbers(self.content["result"])
        return Record.from_content({**self.content, "result": shorten_result(result, LARGEST)})

    @cached_property
    def content(self) -> dict[str, Any]:
        """The content of the record, with all values."""
        from cranfield.records.content import describe_measures, describe_platform, describe_random, list_measure_names

        assert self.document is not None  # noqa: S101
        inputs, options = [*self._describe_inputs()], self._describe_options()
        measures = list_measure_names(self.document) or [str(m) for m in self._requested]
        packages = [self.parser.row.needs.partition(".")[0]] if self.parser.row and self.parser.row.needs else []
        return {
            "command": " ".join(self.parser.prog.split()[1:]),
            "cmd": self._format_command(),
            "options": options,
            "measures": describe_measures(measures, self._requested, self._hash_imports(inputs)),
            "inputs": inputs,
            "random": describe_random(self.document, options),
            "platform": describe_platform(cranfield.__version__, (entry["format"] for entry in inputs), packages),
            "result": rename(self.document, self.names),
            **self._describe_time(),
        }

    def _describe_time(self) -> dict[str, str]:
        if not getattr(self.options, "record_time", False):
            return {}
        from datetime import UTC, datetime

        return {"created": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}

    # -- inputs -----------------------------------------------------------------------------------

    @cached_property
    def given(self) -> list[Given]:
        """The inputs on the command line, in the order of the help."""
        return [Given(word, self._get_role(row, word)) for row, word in iter_inputs(self.rows, self.raw)]

    def _get_role(self, row: Option, word: str) -> str:
        """Return the role of an input, if the reader of the file does not set it."""
        if row.name != "files":
            return ROLES.get(row.name, row.name)
        if getattr(self.options, "scores", False):
            return "scores"
        command = self.parser.prog.split()[1]
        has_references = bool(getattr(self.raw, "references", None) or getattr(self.raw, "nuggets", None))
        if command == "text" and word == self.raw.files[0] and not has_references:
            return "references"
        return FILES.get(command, "run")

    @cached_property
    def names(self) -> dict[str, str]:
        """The path in the record of each input on the command line."""
        names: dict[str, str] = {}
        for word in (given.word for given in self.given):
            if word not in names:
                names[word] = _make_unique(shorten_path(word), names, word)
        return names

    def _list_catalogues(self) -> Iterator[tuple[str, str]]:
        """Yield the collections of ir_datasets on the command line, with their roles."""
        for row in self.rows:
            value = getattr(self.raw, row.name, None)
            for number, word in enumerate(value if isinstance(value, list) else [value]):
                if _is_input(row) and is_catalogue_name(word):
                    is_run = row.name in ("runs", "run") or (row.name == "files" and number > 0)
                    yield word, "run" if is_run else "qrels"

    def _describe_inputs(self) -> Iterator[dict[str, Any]]:
        from cranfield.data.provenance import describe_catalogue, describe_file, find_kind

        for word, role in self._list_catalogues():
            yield {"role": role, "path": word, **describe_catalogue(word, role)}
        for role, path, file in self.files:
            yield {"role": find_kind(file, self.log) or role, "path": path, **describe_file(file, self.log)}
        if (text := self._get_preset_text()) is not None:
            from cranfield.data.provenance import describe_text

            yield {"role": "preset", "path": None, **describe_text(text, "toml")}

    @cached_property
    def files(self) -> list[tuple[str, str, str]]:
        """Role, path in the record and path of each file that was read."""
        opened = {os.path.abspath(path): path for path in self.log.paths}
        files: dict[str, tuple[str, str, str]] = {}
        for given in self.given:
            word, name = given.word, self.names[given.word]
            if word == STDIN or os.path.isfile(word) or (os.path.exists(word) and not os.path.isdir(word)):
                files.setdefault(os.path.abspath(word), (given.role, name, word))
                continue
            directory = word if os.path.isdir(word) else os.path.dirname(word)
            base = name if directory == word else os.path.dirname(name)
            for full in sorted(opened):
                if _is_inside(full, directory):
                    inside = os.path.relpath(full, directory).replace(os.sep, "/")
                    files.setdefault(full, (given.role, _join(base, inside), opened[full]))
        for full in sorted(opened.keys() - files.keys()):
            if not _is_inside(full, PACKAGE):
                files[full] = (
                    "file",
                    self._name_other(full, {file: name for _, name, file in files.values()}),
                    opened[full],
                )
        return [*files.values()]

    def _name_other(self, full: str, names: Mapping[str, str]) -> str:
        """Return the path of a file that another input names, such as a suite file."""
        for word, name in self.names.items():
            directory = os.path.dirname(os.path.abspath(word))
            if word != STDIN and _is_inside(full, directory):
                return _join(os.path.dirname(name), os.path.relpath(full, directory).replace(os.sep, "/"))
        self.is_repeatable = False
        return _make_unique(os.path.basename(full), names, full)

    is_repeatable = True

    def _get_preset_text(self) -> str | None:
        """Return the TOML text of a built-in preset."""
        from cranfield.evaluation.presets import get_preset_text

        name = getattr(getattr(self.options, "preset", None), "name", None)
        return None if name is None else get_preset_text(name)

    def _hash_imports(self, inputs: Iterable[Mapping[str, Any]]) -> dict[str, str]:
        """Return the hash of each imported file, by the name of its module."""
        by_path = {entry["path"]: entry["sha256"] for entry in inputs}
        words = getattr(self.raw, "imports", None) or ()
        return {f"_imported_{n}": by_path[self.names[word]] for n, word in enumerate(words)}

    def estimate_values(self) -> int:
        """Return the number of topic values of `evaluate` with TREC judgments, or 0 if it is unknown."""
        from cranfield.cli.arguments import resolve_preset
        from cranfield.data.qrels import read_qrels
        from cranfield.measures.grammar import parse_measures
        from cranfield.measures.selection import DEFAULT_MEASURES

        if self.parser.prog != "cranfield evaluate":
            return 0
        with suppress(CranfieldError):
            preset = resolve_preset(self.options)
            texts = [*(preset.measures if preset else ()), *(self.raw.measures or ())]
            columns = sum(len(m.names()) for m in parse_measures(texts or DEFAULT_MEASURES))
            return len(read_qrels(self.raw.qrels).topics) * len(self.raw.runs) * columns
        return 0

    # -- options ----------------------------------------------------------------------------------

    @cached_property
    def raw_measures(self) -> Sequence[str] | None:
        """The requested measures."""
        measures = getattr(self.options, MEASURES, None)
        return measures if isinstance(measures, list | tuple) else None

    @cached_property
    def _requested(self) -> list[Any]:
        """The requested measures, with all defaults applied."""
        from cranfield.measures.grammar import parse_measures

        preset = getattr(self.options, "preset", None)
        texts = [*(getattr(preset, "measures", None) or ()), *(self.raw_measures or ())]
        defaults = {
            "rel": getattr(self.options, "rel", None),
            "gain": getattr(self.options, "gains", None),
            "condensed": getattr(self.options, "condensed", None) or None,
        }
        try:
            parsed = parse_measures(texts) if texts else []
            return [m.with_defaults({k: x for k, x in defaults.items() if x is not None}) for m in parsed]
        except (CranfieldError, TypeError, ValueError):
            return []

    def _describe_options(self) -> dict[str, Any]:
        """Return all options that can change a number, with defaults."""
        described: dict[str, Any] = {}
        for row in self.rows:
            if row.flags and row.name != MEASURES and row not in self.parser.limit_rows:
                described[row.name] = self._describe_option(row)
        preset = getattr(self.options, "preset", None)
        if preset is not None and not isinstance(preset, str):
            for name in ("depth", "labels"):
                described[name] = described.get(name) or to_json(getattr(preset, name, None) or None)
            described["preset"] = {name: to_json(value) for name, value in sorted(vars(preset).items())}
        return dict(sorted(described.items()))

    def _describe_option(self, row: Option) -> Any:
        raw = getattr(self.raw, row.name, None)
        if raw in (None, False, row.default):
            return self._get_default(row)
        if _is_input(row):
            return [*map(self._rename, raw)] if isinstance(raw, list) else self._rename(raw)
        value = getattr(self.options, row.name, raw)
        return to_json(value if isinstance(value, str | bool | int | float | list | tuple) else raw)

    def _get_default(self, row: Option) -> Any:
        if row.name == "ties":
            return "file" if any(format == "letor" for format in self._run_formats) else "trec"
        defaults = {name: x.default for name, x in OPTIONS.items() if x.default is not None}
        value = row.default if row.default is not None else {**defaults, **self.defaults}.get(row.name)
        return to_json(value)

    @property
    def _run_formats(self) -> Iterator[str]:
        for reading in self.log.readings.values():
            detected = reading[0]
            if reading[1] == "run":
                yield detected.format.name

    # -- command line -----------------------------------------------------------------------------

    def _format_command(self) -> str | None:
        """Return the command line that repeats the computation, or None for files that it cannot name."""
        if not self.is_repeatable:
            return None
        words = [*self.parser.prog.split(), *build_words(self._list_changed(), self.raw, self._rename)]
        return " ".join(map(quote, words))

    def _list_changed(self) -> list[Option]:
        """Return files, measures, and options that differ from the default, in this order."""
        rows = [row for row in self.rows if not row.flags]
        rows += [row for row in self.rows if row.flags and row.name == MEASURES]
        rows += [row for row in self.rows if row.flags and row.name != MEASURES and self._differs(row)]
        return rows

    def _differs(self, row: Option) -> bool:
        raw = getattr(self.raw, row.name, None)
        if raw in (None, row.default):
            return False
        value = getattr(self.options, row.name, raw)
        default = {**{name: x.default for name, x in OPTIONS.items()}, **self.defaults}.get(row.name)
        return default is None or type(value) is not type(default) or value != default

    def _rename(self, word: str) -> str:
        return rename_word(word, self.names)


def build_words(rows: Iterable[Option], raw: argparse.Namespace, change: Callable[[str], str]) -> Iterator[str]:
    """Yield the words of options, with long names. `change` changes words that name inputs."""
    for row in rows:
        value = getattr(raw, row.name, None)
        if value is None or (row.flags and value == row.default):
            continue
        values = [*map(str, value)] if isinstance(value, list | tuple) else [str(value)]
        if _is_input(row) or row.name in RUN_NAMES:
            values = [change(word) for word in values]
        yield from _build_row_words(row, values) if row.flags else values


def _build_row_words(row: Option, values: Sequence[str]) -> Iterator[str]:
    """Yield the words of an option."""
    flag = row.flags[-1]
    if row.is_switch:
        yield flag
    elif row.name == MEASURES:
        yield from _build_measure_words(row, values)
    elif row.nargs is not None and not row.repeat:
        yield from (flag, *values)
    else:
        for text in values:
            yield from (f"{flag}={text}",) if text.startswith("-") else (flag, text)


def _build_measure_words(row: Option, values: Sequence[str]) -> Iterator[str]:
    """Yield -m with all measures in one text, and -m @FILE."""
    texts = [text for text in values if not text.startswith("@")]
    ordered = [" ".join(texts)] if len(texts) == len(values) else values
    for text in ordered:
        yield from (row.flags[0], text)


def quote(word: str) -> str:
    """Quote a word for a shell, with double quotes if possible.

    >>> quote("nDCG@10"), quote("nDCG@10 P@1"), quote("a$b")
    ('nDCG@10', '"nDCG@10 P@1"', "'a$b'")
    """
    if word and {*word} <= PLAIN:
        return word
    if not {*word} & {*'"$`\\!\n'}:
        return f'"{word}"'
    import shlex

    return shlex.quote(word)


# -- words that name inputs -----------------------------------------------------------------------


def parse_raw(parser: Parser, words: Sequence[str]) -> argparse.Namespace:
    """Return the options as text, without conversion."""
    rows = tuple(
        row if row.is_switch else replace(row, value="text", choices=(), metavar=row.metavar or "X")
        for row in flatten_rows(parser.part.rows)
    )
    return type(parser)(replace(parser.part, rows=rows), parser.prog).parse(words)


def list_rows(parser: Parser) -> list[Option]:
    """Return the options that a command line needs to repeat a computation."""
    return [row for row in (*flatten_rows(parser.part.rows), *parser.limit_rows) if not is_display(row)]


def is_display(row: Option) -> bool:
    """Return True for an option that changes no number, such as a format or the file of an output."""
    return row.name in DISPLAY and not (row.name in OUTPUTS and row.is_switch)


def _is_input(row: Option) -> bool:
    names = {*split_metavar(row.metavar)}
    return row.name not in OUTPUTS + RUN_NAMES and bool(names & (INPUTS | INPUTS_AFTER_AT | INPUTS_WITH_COLUMN))


def _exists(path: str) -> bool:
    """Return True for a file or directory, and for a run in topic directories: ``DIR/NAME``."""
    if not path or "\0" in path:
        return False
    directory = os.path.dirname(path)
    return os.path.exists(path) or (bool(directory) and os.path.isdir(directory))


def iter_inputs(
    rows: Iterable[Option], raw: argparse.Namespace, exists: Callable[[str], bool] = _exists
) -> Iterator[tuple[Option, str]]:
    """Yield the files, directories and patterns of the command line that exist, without @ and columns."""
    for row in rows:
        if not _is_input(row):
            continue
        value = getattr(raw, row.name, None)
        for word in value if isinstance(value, list) else [value]:
            if isinstance(word, str) and (path := _find_path(word, row, exists)):
                yield row, path


def _find_path(word: str, row: Option, exists: Callable[[str], bool]) -> str:
    """Return the path that a word names, or an empty text."""
    names = {*split_metavar(row.metavar)}
    candidates = [word[1:]] if names & INPUTS_AFTER_AT and word.startswith("@") else []
    candidates += [word] if names & INPUTS else []
    candidates += [word, word.rpartition(":")[0]] if names & INPUTS_WITH_COLUMN else []
    return next((path for path in candidates if path == STDIN or exists(path)), "")


def rename_word(word: str, names: Mapping[str, str]) -> str:
    """Return a word of the command line with another path.

    >>> rename_word("@/data/topics", {"/data/topics": "topics"}), rename_word("t.csv:kind", {"t.csv": "x/t.csv"})
    ('@topics', 'x/t.csv:kind')
    """
    if word in names:
        return names[word]
    if word[:1] == "@" and word[1:] in names:
        return f"@{names[word[1:]]}"
    path, colon, column = word.rpartition(":")
    return f"{names[path]}{colon}{column}" if path in names else word


def rename(value: Any, names: Mapping[str, str]) -> Any:
    """Return a result in which paths are replaced in all texts."""
    changed = sorted(((old, new) for old, new in names.items() if old != new), key=lambda pair: -len(pair[0]))
    return _rename_all(value, changed) if changed else value


def _rename_all(value: Any, pairs: Sequence[tuple[str, str]]) -> Any:
    if isinstance(value, str):
        for old, new in pairs:
            value = value.replace(old, new)
        return value
    if isinstance(value, Mapping):
        return {_rename_all(key, pairs): _rename_all(x, pairs) for key, x in value.items()}
    if isinstance(value, list | tuple):
        return [_rename_all(x, pairs) for x in value]
    return value


def shorten_path(word: str) -> str:
    """Return the path of an input in a record: the last component if it is absolute or contains ``..``.

    >>> shorten_path("runs/bm25.run"), shorten_path("/data/bm25.run"), shorten_path("./a/../bm25.run")
    ('runs/bm25.run', 'bm25.run', 'bm25.run')
    """
    text = encode_text(word).decode().replace(os.sep, "/")
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if os.path.isabs(word) or ".." in parts:
        parts = [part for part in parts if part != ".."][-1:]
    return "/".join(parts) or "."


def _make_unique(name: str, names: Mapping[str, str], word: str) -> str:
    """Return the name, with /2, /3, … if other files have it."""
    same = [other for other, taken in names.items() if taken == name and os.path.exists(other)]
    if any(os.path.exists(word) and os.path.samefile(other, word) for other in same):
        return name
    taken, number, unique = {*names.values()}, 1, name
    while unique in taken:
        number += 1
        unique = f"{name}/{number}"
    return unique


def _is_inside(path: str, directory: str) -> bool:
    return os.path.abspath(path).startswith(os.path.join(os.path.abspath(directory or "."), ""))


def _join(directory: str, name: str) -> str:
    return name if directory in ("", ".") else f"{directory}/{name}"


def to_json(value: Any) -> Any:
    """Return a value of an option for JSON."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): to_json(x) for key, x in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(x) for x in value]
    return str(value)


# -- recording ------------------------------------------------------------------------------------


def needs_recording(options: argparse.Namespace, command: str) -> bool:
    """Return True if a command has a record: with --record, if it is verified, and in every HTML report."""
    has_record = getattr(options, "record", None) is not None or getattr(options, "recorded", False)
    return has_record or command == "report" or isinstance(getattr(options, "report", None), str)


def check_parquet(recording: Recording) -> None:
    """Raise MissingPackage, before the work, if an evaluation needs a sidecar and Parquet is not installed."""
    from cranfield.records.content import LARGEST

    if not is_installed("polars") and recording.estimate_values() > LARGEST:
        raise make_missing_error("polars")


def record_command(parser: Parser, words: Sequence[str], options: argparse.Namespace, run: Callable[[], int]) -> int:
    """Run a command, write its record if it has a file, and return the exit code."""
    if getattr(options, "engine", None) == "spark":
        raise InputError.from_problem("--record is not supported with --engine spark")
    from cranfield.cli.output import check_output

    check_output(getattr(options, "record", None), is_figure=False)
    with log_inputs() as log:
        options.recording = Recording(parser, words, options, log)
        check_parquet(options.recording)
        code = run()
        if getattr(options, "record", None) is not None:
            options.recording.record.write(options.record)
    return code
