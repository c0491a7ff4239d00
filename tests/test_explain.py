"""How a score comes about: what is shown is what was computed, for every measure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.cli.main import main
from cranfield.measures.base import REGISTRY, Measure
from cranfield.measures.verticals import OfPairs

QRELS = {
    "t": {"a": 2, "b": 0, "c": 1, "e": 1, "f": 0, "s": -1},
    "u": {"a": 1, "z": 3},
}
RUN = {"t": {"b": 9.0, "x": 8.0, "a": 7.0, "f": 7.0, "y": 6.0, "c": 5.0, "s": 4.0}, "u": {"a": 1.0}}
BY_INTENT = {
    "t": {"1": QRELS["t"], "2": {"c": 2, "e": 1}, "3": {"b": 0}},
    "u": {"1": QRELS["u"], "2": {"z": 1}},
}
LENGTHS = {doc: 100.0 * (i + 1) for i, doc in enumerate("abcefsxyz")}
BUILT_IN = [
    c
    for c in REGISTRY.values()
    if c.__module__.startswith("cranfield.measures") and c.ranks_documents()
]


WANTED = {t: {i: {"Web": 2, "News": 1} for i in few} for t, few in BY_INTENT.items()}


def options(m: Measure) -> dict[str, object]:
    needed: dict[str, object] = {"lengths": LENGTHS} if m.length_unit else {}
    return needed | ({"verticals": WANTED} if isinstance(m, OfPairs) else {})


def run_for(m: Measure) -> object:
    """The run, with verticals where they count."""
    if not isinstance(m, OfPairs):
        return RUN
    rows = [(t, d, "News", s) for t, docs in RUN.items() for d, s in docs.items()]
    return pl.DataFrame(rows, schema=["topic", "doc", "type", "score"], orient="row")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text(
        "".join(f"{t} 0 {d} {x}\n" for t, docs in QRELS.items() for d, x in docs.items())
    )
    run.write_text(
        "".join(f"{t} Q0 {d} 0 {s} sys\n" for t, docs in RUN.items() for d, s in docs.items())
    )
    return [str(qrels), str(run)]


@pytest.mark.parametrize("cls", BUILT_IN, ids=lambda c: c.__name__)
@pytest.mark.parametrize("topic", ["t", "u"])
@pytest.mark.parametrize("settings", [{}, {"cutoff": 1}, {"condensed": True}], ids=str)
def test_every_measure_can_be_explained(
    cls: type[Measure], topic: str, settings: dict[str, object]
) -> None:
    gains = {"gain": "0.2:0.5:1"} if getattr(cls, "unit_gains", False) else {}
    m = cls(**settings, **gains)
    qrels = BY_INTENT if m.takes == "intents" else QRELS
    shown = cf.explain(m, qrels, run_for(m), topic, **options(m))
    scores = cf.evaluate(qrels, run_for(m), m, **options(m))
    assert shown.values == {name: scores["run", topic, name] for name in m.names()}
    text = str(shown)
    assert text.startswith(f"{m} of run, topic {topic}\n")
    for name, value in shown.values.items():
        assert any(
            line.startswith(f"{name} = ")
            and line.endswith(str(int(value)) if cls.summary == "sum" else f"{value:.4f}")
            for line in text.splitlines()
        )


def test_the_documents_stand_where_the_run_placed_them() -> None:
    shown = cf.explain("AP", QRELS, RUN, "t")
    assert [(row.rank, row.doc, row.level) for row in shown.steps.rows] == [
        (1, "b", 0), (2, "x", None), (3, "f", 0), (4, "a", 2), (5, "y", None), (6, "c", 1),
        (7, "s", -1),
    ]  # fmt: skip
    assert shown.facts == {"R": 3, "N": 3, "n": 7}


@pytest.mark.parametrize(("ties", "order"), [("best", "af"), ("worst", "fa")])
def test_ties_change_the_order_shown(ties: str, order: str) -> None:
    shown = cf.explain("AP", QRELS, RUN, "t", ties=ties)
    assert [row.doc for row in shown.steps.rows[2:4]] == list(order)


def test_the_sum_of_the_terms_is_the_total() -> None:
    shown = cf.explain("nDCG@6", QRELS, RUN, "t")
    column = shown.steps.columns.index("g/d")
    terms = [row.values[column] for row in shown.steps.rows if row.values]
    assert sum(terms) == pytest.approx(2 / np.log2(5) + 1 / np.log2(7))
    assert shown.steps.totals["Σ g/d"] == pytest.approx(sum(terms))
    assert shown.ideal is not None
    best = [row.values[column] for row in shown.ideal.rows]
    assert [row.level for row in shown.ideal.rows] == [2, 1, 1]
    assert shown.values["nDCG@6"] == pytest.approx(sum(terms) / sum(best))


def test_a_binary_measure_shows_no_ideal_list() -> None:
    assert cf.explain("P@5", QRELS, RUN, "t").ideal is None


def test_long_lists_are_shortened() -> None:
    """The top is shown, and what is relevant; what is of no use below is counted."""
    qrels = {"t": {f"d{i}": int(i % 40 == 0) for i in range(0, 100, 2)}}
    run = {"t": {f"d{i}": -float(i) for i in range(100)}}
    lines = str(cf.explain("AP", qrels, run, "t")).splitlines()
    table = [line.split() for line in lines[3 : lines.index("Σ stop·P = 1.1165")] if "d" in line]
    assert [cells[0] for cells in table] == [
        *map(str, range(1, 11)), "11–40", "41", "42–80", "81", "82–100"
    ]  # fmt: skip
    assert table[10][1:] == ["15", "nonrelevant,", "15", "unjudged", "…"]
    assert table[-1][1:5] == ["9", "nonrelevant,", "10", "unjudged"]


def test_condensed_lists_are_shown_condensed() -> None:
    shown = cf.explain("AP(condensed=true)@3", QRELS, RUN, "t")
    assert [(row.rank, row.doc) for row in shown.steps.rows] == [(1, "b"), (2, "f"), (3, "a")]
    assert shown.fraction == pytest.approx((1 / 3, 3))
    assert cf.explain("nDCG(condensed=true)@2", QRELS, RUN, "t").ideal is not None


@pytest.mark.parametrize("measure", ["BR@2", "rpref_N@3", "G@2", "nDCG@2", "Q@2"])
def test_the_ideal_list_is_shown_where_it_is_used(measure: str) -> None:
    assert cf.explain(measure, QRELS, RUN, "t").ideal is not None


def test_only_the_topic_explained_needs_lengths() -> None:
    known = {doc: n for doc, n in LENGTHS.items() if doc in RUN["t"]}
    run = {"t": RUN["t"], "u": {"nobody knows": 2.0, "a": 1.0}}
    assert cf.explain("TBG", QRELS, run, "t", lengths=known).values["TBG"] > 0
    with pytest.raises(cf.CranfieldError, match="rank 1 of topic u"):
        cf.explain("TBG", QRELS, run, "u", lengths=known)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"topic": "v"}, "found no topic 'v'"),
        ({"topic": "t", "ties": "expected"}, "found ties=expected, expected one order"),
        (
            {"measure": "TBG", "topic": "t"},
            "found no document lengths, expected them in words",
        ),
        ({"measure": "nope", "topic": "t"}, "there is no measure named 'nope'"),
    ],
)
def test_what_cannot_be_explained(arguments: dict[str, str], said: str) -> None:
    measure = arguments.pop("measure", "AP")
    with pytest.raises(cf.CranfieldError) as error:
        cf.explain(measure, QRELS, RUN, **arguments)
    assert said in str(error.value)


class TestCommand:
    def test_step_by_step(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["explain", "nDCG@3", "RR", "--on", *files, "--topic", "t"]) == 0
        out = capsys.readouterr().out
        assert (
            out
            == "\n\n".join(str(cf.explain(m, files[0], files[1], "t")) for m in ("nDCG@3", "RR"))
            + "\n"
        )
        assert "rank  document  level" in out

    def test_the_first_topic_unless_told(
        self, files: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["explain", "P@2", "--on", *files]) == 0
        assert "topic t\n" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("extra", "said"),
        [
            (["--topic", "v"], "found no topic 'v'"),
            (["--depth", "0"], "expected a whole number from 1"),
            (["--ties", "expected"], "invalid choice"),
        ],
    )
    def test_mistakes(
        self, files: list[str], extra: list[str], said: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        try:
            code: object = main(["explain", "AP", "--on", *files, *extra])
        except SystemExit as stop:  # argparse
            code = stop.code
        assert code == 2
        assert said in capsys.readouterr().err

    def test_topic_alone(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["explain", "AP", "--topic", "t"]) == 2
        assert "expected --on QRELS RUN" in capsys.readouterr().err

    def test_options_are_those_of_evaluate(
        self, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        lengths = tmp_path / "lengths.txt"
        lengths.write_text("".join(f"{doc} {n}\n" for doc, n in LENGTHS.items()))
        extra = ["--lengths", str(lengths), "--depth", "4", "--rel", "2", "--ties", "best"]
        assert main(["explain", "TBG", "--on", *files, *extra]) == 0
        shown = capsys.readouterr().out
        assert main(["evaluate", *files, "-m", "TBG", "-q", "-f", "tsv", *extra]) == 0
        rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
        value = next(float(row[3]) for row in rows if row[1] == "t")
        assert shown.endswith(f"TBG(rel=2) = {value:.4f}\n")


class TestList:
    def test_words_choose(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["measures", "uses", "lengths"]) == 0
        out = capsys.readouterr().out
        assert [line.split()[0] for line in out.splitlines() if line[:1].isalpha()] == [
            "clickU", "sU", "TBG", "U",
        ]  # fmt: skip
        assert f"4 of {len(REGISTRY)} measures" in out

    def test_no_such_word(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["measures", "xyzzy"]) == 2
        assert "found no measure" in capsys.readouterr().err

    def test_properties_are_shown(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["measures", "ERR"]) == 0
        out = capsys.readouterr().out
        assert "properties: graded, recall-independent, diminishing return" in out

    def test_the_page_has_every_measure(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["measures", "-f", "markdown"]) == 0
        out = capsys.readouterr().out
        for name in REGISTRY:
            assert f"\n### {name}\n" in out
