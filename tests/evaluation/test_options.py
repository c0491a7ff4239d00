"""Each option of `evaluate` is declared once, and has an effect."""

from __future__ import annotations

import ast
import inspect
import pydoc
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

import cranfield as cf
from cranfield.cli import evaluate as command
from cranfield.evaluation import options as module
from cranfield.evaluation.blocks import map_blocks
from cranfield.evaluation.options import NAMES, OPTIONS, Options, Settings
from cranfield.options import flatten_rows

QRELS = {"q1": {"a": 1}}
RUN = {"q1": {"b": 2.0, "a": 1.0}}


# -- the types for type checkers -------------------------------------------------------------------

SOURCE = Path(module.__file__)
BEGIN, END = "\n\nclass ListSettings(", "\n\n# -- end of the generated types"


def generate_settings() -> str:
    """Return the source of `ListSettings` and `Settings` from the fields of `Options`."""
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    rows = next(x for x in tree.body if isinstance(x, ast.ClassDef) and x.name == "Options").body
    types = {ast.unparse(row.target): ast.unparse(row.annotation) for row in rows if isinstance(row, ast.AnnAssign)}
    own = {name: types.pop(name) for name in ("topics", "rel")}

    def write(name: str, base: str, doc: str, types: dict[str, str]) -> str:
        lines = "".join(f"    {name}: {kind}\n" for name, kind in types.items())
        return f'class {name}({base}, total=False):\n    """{doc}"""\n\n{lines}'

    doc = "Types of all options except `rel` and `topics`, which `label` has as arguments."
    label = write("ListSettings", "TypedDict", doc, types)
    doc = "Types of all options, for ``**options: Unpack[Settings]``."
    return f"{label}\n\n{write('Settings', 'ListSettings', doc, own)}"


def update_settings() -> str:
    """Return the source of the module with generated types."""
    text = SOURCE.read_text(encoding="utf-8")
    start, stop = text.index(BEGIN), text.index(END)
    return f"{text[:start]}\n\n{generate_settings()}{text[stop:]}"


def test_settings_are_generated_from_the_rows() -> None:
    fix = "Run `python -m tests.evaluation.test_options`."
    assert update_settings() == SOURCE.read_text(encoding="utf-8"), fix
    assert get_type_hints(Settings) == get_type_hints(Options)


# -- the rows --------------------------------------------------------------------------------------


def test_rows_are_complete() -> None:
    assert tuple(OPTIONS) == NAMES == tuple(f.name for f in fields(Options))
    for name, row in OPTIONS.items():
        assert row.name == name
        assert row.doc.endswith("."), name
        assert row.group, name
        assert bool(row.flags) == bool(row.help), name
        for other in filter(None, (row.requires, row.used_with, row.unless)):
            assert other in OPTIONS
        for choice, instead in row.not_on_spark.items():
            assert {choice, instead} <= {*row.choices}


@pytest.mark.parametrize("name", [name for name, row in OPTIONS.items() if row.choices])
def test_choices_of_a_row_are_the_literal(name: str) -> None:
    hint = get_type_hints(Options)[name]
    kinds = [kind for kind in get_args(hint) if kind is not type(None)]
    literal = hint if isinstance(kinds[0], str) else kinds[0]
    assert OPTIONS[name].choices == get_args(literal)


def test_flags_of_the_command_are_those_of_the_rows() -> None:
    """Rows that the command line declares itself must not differ from the rows of `evaluate`."""
    declared = {row.name: row for row in flatten_rows(command.OPTIONS)}
    formats = ("qrels_format", "run_format")  # the command lists their choices
    for name, row in OPTIONS.items():
        if not row.flags:
            assert name not in declared
            continue
        fields = ["flags", "metavar", "value", "repeat", "requires"]
        fields += [] if name in formats else ["choices"]
        for field in fields:
            assert getattr(declared[name], field) == getattr(row, field), (name, field)


def test_only_options_without_a_text_form_have_no_flag() -> None:
    assert {n for n, row in OPTIONS.items() if not row.flags} == {
        "labelling", "block_cells", "progress",
    }  # fmt: skip


@pytest.mark.parametrize("function", [cf.evaluate, cf.Evaluator, cf.explain])
def test_every_option_is_in_the_signature(function: Callable[..., Any]) -> None:
    parameters = inspect.signature(function).parameters
    for field in fields(Options):
        assert parameters[field.name].kind is inspect.Parameter.KEYWORD_ONLY
        assert parameters[field.name].default is field.default
    assert not any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def test_label_lists_its_own_arguments_once() -> None:
    """`label` has topics and rel of its own."""
    parameters = inspect.signature(cf.label).parameters
    assert parameters["topics"].default is None
    assert list(parameters).count("rel") == 1
    assert set(NAMES) <= set(parameters)


@pytest.mark.parametrize("function", [cf.evaluate, cf.Evaluator, cf.label, cf.explain])
def test_help_lists_and_explains_every_option(function: Callable[..., Any]) -> None:
    text = pydoc.plain(pydoc.render_doc(function))
    for name in NAMES:
        assert f"{name}: " in text, name  # in the signature
    assert "Number of documents to read from each ranking." in text
    assert "The same" not in inspect.getdoc(function).partition("\n")[0]  # type: ignore[union-attr]


def test_every_option_is_documented() -> None:
    documented = set((inspect.getdoc(Options) or "").splitlines())
    assert set(NAMES) <= documented


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("depht", "got an unexpected keyword argument 'depht'. Did you mean depth?"),
        ("residual", "got an unexpected keyword argument 'residual'. Did you mean residuals?"),
        ("n_jobs", "got an unexpected keyword argument 'n_jobs'. Did you mean threads?"),
        ("cutoff", "argument 'cutoff'. Write the cutoff after the measure: nDCG@10."),
    ],
)
@pytest.mark.parametrize(
    "call",
    [
        lambda **options: cf.evaluate(QRELS, RUN, "AP", **options),
        lambda **options: cf.Evaluator(QRELS, "AP", **options),
        lambda **options: cf.label(QRELS, RUN, **options),
        lambda **options: cf.explain("AP", QRELS, RUN, **options),
    ],
)
def test_evaluate_unknown_keyword_names_the_nearest(call: Callable[..., Any], wrong: str, said: str) -> None:
    with pytest.raises(TypeError, match=re.escape(said)):
        call(**{wrong: 3})


@pytest.mark.parametrize(
    ("call", "wrong", "said"),
    [
        (cf.evaluate, "measure", "evaluate() got an unexpected keyword argument 'measure'. Did you "
         "mean measures?"),
        (cf.evaluate, "metrics", "Did you mean measures?"),
        (cf.evaluate, "group_by", "Valid: qrels, runs, measures, preset, topics, "),
        (cf.Evaluator, "metrics", "Evaluator() got an unexpected keyword argument 'metrics'. Did "
         "you mean measures?"),
        (cf.bounds, "measures", "bounds() got an unexpected keyword argument 'measures'. Did you "
         "mean measure?"),
        (cf.hard_topics, "metrics", "Did you mean measure?"),
        (cf.label, "measure", "Valid: qrels, runs, topics, "),
        (cf.plot.runs, "metric", "runs() got an unexpected keyword argument 'metric'. Did you "
         "mean measures?"),
    ],
)  # fmt: skip
def test_public_function_unknown_keyword_suggests_its_own_arguments(
    call: Callable[..., Any], wrong: str, said: str
) -> None:
    with pytest.raises(TypeError, match=re.escape(said)):
        call(QRELS, RUN, **{wrong: "AP"})


def test_preset_has_defaults_of_depth() -> None:
    chosen = Options.from_mapping({"preset": "ntcir7-ir4qa"})
    assert chosen.depth == 1000
    assert Options.from_mapping({"preset": "ntcir7-ir4qa", "depth": 5}).depth == 5
    assert Options.from_mapping({}).task is None


# -- every option has an effect --------------------------------------------------------------------

GRADED = {"q1": {"a": 2, "b": 0, "c": 1, "q1": 1}, "q2": {"d": 1}}
LISTS = {"q1": {"x": 4.0, "a": 3.0, "b": 3.0, "q1": 2.0, "c": 1.0}, "q2": {"d": 1.5}}
BINARY = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"d": 1}}
INTENTS = {"q1": {"i": {"a": 1, "b": 0}, "j": {"c": 1}}}
CHUNKS = {"q1": {"a#1": 1.0, "x#1": 1.5, "a#2": 1.0}}
TWICE = [("q1", "a", 1.0), ("q1", "x", 1.5), ("q1", "a", 2.0)]
COSTS = {topic: dict.fromkeys(docs, 2.0) for topic, docs in LISTS.items()}
VERTICALS = {"q1": {"i": {"Image": 0.9, "Web": 0.1}, "j": {"News": 0.6, "Web": 0.4}}}
TYPED = "q1 Image a 1 2 A\nq1 News c 2 1 A\n"
LEVELS = "".join(f"q1 0 d{i} {i / 7:.3f}\n" for i in range(20))  # look like scores
LINES = "q1 Q0 a 1 2 A\nq2 Q0 d 1 2 B\n"


def compute_outcome(case: dict[str, Any]) -> str:
    """Return the scores and notes of an evaluation, or its error."""
    options = {"qrels": GRADED, "runs": LISTS, "measures": "AP nDCG@3", **case}
    try:
        return cf.evaluate(**options).to_json()
    except cf.CranfieldError as error:
        return str(error)


EFFECTS: dict[str, dict[str, Any]] = {
    "preset": {"value": "beir"},
    "topics": {"value": "q1"},
    "undefined": {"value": "skip", "qrels": {**GRADED, "q3": {"z": 0}}},
    "order": {"value": "given"},
    "ties": {"value": "worst"},
    "depth": {"value": 2},
    "rel": {"value": 2},
    "gains": {"value": "exp", "measures": "nDCG@3"},
    "condensed": {"value": True},
    "exclude_self": {"value": True},
    "lengths": {"value": dict.fromkeys(["x", "a", "b", "c", "q1", "d"], 10), "measures": "TBG"},
    "costs": {
        "value": COSTS,
        "measures": "INST.ETC",
        "qrels": BINARY,
    },
    "cost_unit": {"value": "s", "measures": "INST.ETC", "costs": COSTS, "qrels": BINARY},
    "measurements": {"value": True, "measures": "INST", "qrels": BINARY},
    "residuals": {"value": True, "measures": "RBP", "qrels": BINARY},
    "intents": {"value": {"q1": {"i": 0.9, "j": 0.1}}, "qrels": INTENTS, "measures": "IA(ERR)"},
    "by": {"value": {"q1": "fact"}},
    "clusters": {"value": {"q1": "a", "q2": "b", "q3": "c"}, "qrels": {f"q{i}": {"a": 1} for i in (1, 2, 3)}},
    "queries": {"value": {"q1": {"query": "a"}, "q2": {"query": "a b"}}, "by": ["length", {"q1": "a", "q2": "b"}]},
    "per_intent": {"value": True, "qrels": INTENTS, "measures": "IA(ERR)"},
    "verticals": {
        "value": VERTICALS,
        "qrels": INTENTS,
        "files": {"run": TYPED},
        "runs": "run",
        "measures": "Vscore@2",
    },
    "embed_verticals": {
        "value": True,
        "qrels": INTENTS,
        "verticals": VERTICALS,
        "measures": "IA(ERR)",
    },
    "labelling": {"value": cf.EquivalenceClasses({"q1": {"a": "1", "c": "1"}})},
    "labels": {"value": "x=2", "qrels": [("q1", "a", "x")]},
    "separator": {"value": "-", "files": {"qrels": "q1-0-a-1\n"}, "qrels": "qrels"},
    "columns": {
        "value": "run.score=other",
        "runs": [{"topic": "q1", "doc": d, "score": s, "other": o} for d, s, o in (("a", 1.0, 2.0), ("x", 2.0, 1.0))],
    },
    "tie_samples": {"value": 3, "ties": "expected", "measures": "ERR"},
    "seed": {"value": 1, "ties": "expected", "measures": "ERR", "tie_samples": 3},
    "qrels_format": {"value": "trec", "files": {"qrels": LEVELS}, "qrels": "qrels"},
    "run_format": {"value": "triples", "files": {"run": "q1 a 1\nq1 x 2\n"}, "runs": "run"},
    "run_names": {"value": "file", "files": {"run": LINES}, "runs": "run"},
    "chunks": {"value": "#", "runs": CHUNKS},
    "chunk_score": {"value": "sum", "runs": CHUNKS, "chunks": "#"},
    "duplicates": {"value": "best", "runs": TWICE},
}


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("threads", "block_cells", "progress")])
def test_option_changes_the_outcome(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new option needs a row in EFFECTS: an evaluation that it changes."""
    case = dict(EFFECTS[name])
    monkeypatch.chdir(tmp_path)
    for path, text in case.pop("files", {}).items():
        Path(path).write_text(text, encoding="utf-8")
    value = case.pop("value")
    changed = compute_outcome({**case, name: value})
    assert changed.startswith("{"), changed
    assert changed != compute_outcome(case)


def test_threads_are_passed_to_the_loop_over_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[int] = []

    def record(blocks: Any, compute: Any, threads: int = 1) -> Any:
        used.append(threads)
        return map_blocks(blocks, compute, threads)

    monkeypatch.setattr("cranfield.evaluation.scoring.map_blocks", record)
    cf.evaluate(GRADED, LISTS, "AP", threads=3)
    assert used == [3]


def test_block_cells_limit_the_size_of_blocks() -> None:
    assert len(cf.Evaluator(GRADED, "AP").scorer.blocks) == 1
    assert len(cf.Evaluator(GRADED, "AP", block_cells=1).scorer.blocks) == 2


def test_progress_is_called_with_the_name_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.txt").write_text("q1 Q0 a 1 2 tag\n", encoding="utf-8")
    names: list[str] = []
    cf.evaluate(GRADED, "run.txt", "AP", progress=names.append)
    assert names


@pytest.mark.parametrize(("name", "minimum"), [(n, o.minimum) for n, o in OPTIONS.items() if o.minimum is not None])
def test_integer_below_the_minimum_is_an_error(name: str, minimum: int) -> None:
    for wrong in (minimum - 1, minimum + 0.5, "x"):
        with pytest.raises(cf.CranfieldError, match=f"{name} must be an integer ≥ {minimum}, found"):
            Options.from_mapping({name: wrong})
    assert getattr(Options.from_mapping({name: np.int64(minimum)}), name) == minimum


if __name__ == "__main__":
    SOURCE.write_text(update_settings(), encoding="utf-8")
