"""How a score comes about: what is shown is what was computed, for every measure."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.cli.main import main
from cranfield.measures.base import READINGS, REGISTRY, Measure
from cranfield.measures.ncu import STOPS, UTILITIES
from cranfield.measures.notation import LETTERS, NOTATION, STEPS, WALK
from cranfield.measures.verticals import PairMeasure
from cranfield.report.formats import terminal
from cranfield.report.results import prepare_output as tables_of
from tests import ROOT
from tests.made import Command, each

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
BUILT_IN = [c for c in REGISTRY.values() if c.__module__.startswith("cranfield.measures") and c.takes_rankings()]


WANTED = {t: {i: {"Web": 2, "News": 1} for i in few} for t, few in BY_INTENT.items()}


def options(m: Measure) -> dict[str, Any]:
    needed: dict[str, Any] = {"lengths": LENGTHS} if m.length_unit else {}
    return needed | ({"verticals": WANTED} if isinstance(m, PairMeasure) else {})


def run_for(m: Measure) -> object:
    """The run, with verticals where they count."""
    if not isinstance(m, PairMeasure):
        return RUN
    rows = [(t, d, "News", s) for t, docs in RUN.items() for d, s in docs.items()]
    return pl.DataFrame(rows, schema=["topic", "doc", "type", "score"], orient="row")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text("".join(f"{t} 0 {d} {x}\n" for t, docs in QRELS.items() for d, x in docs.items()))
    run.write_text("".join(f"{t} Q0 {d} 0 {s} sys\n" for t, docs in RUN.items() for d, s in docs.items()))
    return [str(qrels), str(run)]


@each("cls", BUILT_IN)
@pytest.mark.parametrize("topic", ["t", "u"])
@pytest.mark.parametrize("settings", [{}, {"cutoff": 1}, {"condensed": True}], ids=str)
def test_every_measure_can_be_explained(cls: type[Measure], topic: str, settings: dict[str, Any]) -> None:
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
            line.startswith(f"{name} = ") and line.endswith(str(int(value)) if cls.summary == "sum" else f"{value:.4f}")
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
def test_ties_change_the_order_shown(ties: Any, order: str) -> None:
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
    end = next(i for i, line in enumerate(lines) if line.startswith("Σ"))
    table = [line.split() for line in lines[4:end] if "d" in line]
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
        ({"topic": "v"}, "topic 'v' is not in the judgments"),
        (
            {"measure": "TBG", "topic": "t"},
            "no document lengths in words",
        ),
        ({"measure": "nope", "topic": "t"}, "unknown measure 'nope'"),
    ],
)
def test_what_cannot_be_explained(arguments: dict[str, Any], said: str) -> None:
    measure = arguments.pop("measure", "AP")
    with pytest.raises(cf.CranfieldError) as error:
        cf.explain(measure, QRELS, RUN, **arguments)
    assert said in str(error.value)


# -- symbols ---------------------------------------------------------------------------------------


def measures_of_lists() -> list[Measure]:
    """Every measure, every user model that a measure is read as, and every choice of NCU."""
    found = [built(cls) for cls in BUILT_IN]
    found += [cls(cutoff=2, **unit(cls)) for cls in BUILT_IN if cls.cutoff_meaning and cls is not cf.IPrec]
    found += [REGISTRY[name]().to_user_model("EU") for name in READINGS]
    found += [cf.NCU(stop=stop, utility=utility) for stop in STOPS for utility in UTILITIES]
    return found


def unit(cls: type[Measure]) -> dict[str, Any]:
    return {"gain": "0.2:0.5:1"} if getattr(cls, "unit_gains", False) else {}


def built(cls: type[Measure]) -> Measure:
    return cls(**unit(cls))


def explained(m: Measure, **more: Any) -> cf.Explanation:
    qrels = BY_INTENT if m.takes == "intents" else QRELS
    return cf.explain(m, qrels, run_for(m), "t", **options(m), **more)


def symbols(shown: cf.Explanation) -> list[str]:
    """Every name that stands for a number, as the text has it."""
    orders = [shown.sampled.best.steps, shown.sampled.worst.steps] if shown.sampled else []
    lists = [steps for steps in (shown.steps, *orders, shown.ideal) if steps is not None]
    return [*shown.facts, *(name for x in lists for name in (*x.columns, *x.totals))]


def letters(formula: str) -> list[str]:
    """Letters of a formula that nobody could guess: p of p^(r−1), x of 2^x, and Pr."""
    return re.findall(r"(?<![^\W\d])(?:[rxpβγ]|Pr)(?![^\W\d])", formula)


each_measure = each("m", measures_of_lists())


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["trec", "expected"])
@each_measure
def test_every_symbol_is_in_the_legend(m: Measure, ties: str) -> None:
    shown = explained(m, ties=ties, tie_samples=2)
    text = " ".join(str(shown).split())
    order = letters(shown.variant)
    for name in symbols(shown):
        # A sum is of what its column means; a measure by its name: nDCG@2 for intent 1
        word = name if name in shown.legend else name.split()[0].partition("@")[0].partition("(")[0]
        assert shown.legend.get(word), f"{m}: nothing is said of {name!r}"
        assert f"{word}: {shown.legend[word]}" in text
        order += [word, *letters(name)]
    assert list(shown.legend) == list(dict.fromkeys(order))


def test_no_meaning_is_for_nothing() -> None:
    """Nothing is in the table that no measure shows."""
    shown = {name for m in measures_of_lists() for name in explained(m).legend}
    assert set(STEPS) == shown & set(STEPS)
    assert set(WALK) <= shown
    assert set(LETTERS) <= shown


def test_the_catalogue_has_the_same_meanings() -> None:
    page = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8").replace("\\", "")
    for symbol, meaning in NOTATION.items():
        assert f"\n- {symbol}: {meaning}\n" in page


def test_a_measure_of_ones_own_says_what_its_steps_mean() -> None:
    class Halved(cf.Measure):
        """Half of what is relevant."""

        symbols = {"½I": "half of I"}  # noqa: RUF012

        def score(self, x: cf.Lists) -> np.ndarray:
            return cf.total(x.step("½I", x.I / 2) + x.step("untold", x.I * 0))

    shown = cf.explain(Halved(), QRELS, RUN, "t")
    assert shown.legend["½I"] == "half of I"
    assert "untold" in shown.steps.columns
    assert "untold" not in shown.legend
    ideal = cf.explain(cf.D(Halved()), BY_INTENT, RUN, "t")
    assert ideal.legend["½I"] == "half of I"


# -- lists without files ---------------------------------------------------------------------------

PLAIN = [m for m in measures_of_lists() if m.takes == "lists" and not m.length_unit]


def test_levels_need_no_files() -> None:
    """The gains 3 2 0 1 over the ideal 3 3 2 1, each divided by log2(r + 1)."""
    shown = cf.explain("nDCG@5", levels=[3, 2, 0, 1], judged=[3, 3, 2, 1])
    found = 3 + 2 / np.log2(3) + 1 / np.log2(5)
    best = 3 + 3 / np.log2(3) + 2 / np.log2(4) + 1 / np.log2(5)
    assert shown.values["nDCG@5"] == pytest.approx(found / best)
    assert [(row.rank, row.doc, row.level) for row in shown.steps.rows] == [
        (1, "1", 3), (2, "2", 2), (3, "3", 0), (4, "4", 1),
    ]  # fmt: skip
    assert shown.ideal is not None
    assert [row.doc for row in shown.ideal.rows] == ["1", "missed 1", "2", "4"]
    assert str(shown).startswith("nDCG@5 of levels 3 2 0 1\n\nrank  document  level")
    assert "\njudged: 3 3 2 1 0\n" in str(shown)


def test_without_judged_levels_those_of_the_list_are_all() -> None:
    shown = cf.explain("Recall@1", levels=[0, None, 2])
    assert shown.facts == {"R": 1, "N": 1, "n": 3, "l": 1}
    assert "\njudged: 2 0 (levels of the list)\n" in str(shown)


@each("m", PLAIN)
def test_levels_score_what_the_measure_says(m: Measure) -> None:
    levels, judged = [0, None, 2, 1, None, -1, 3], [3, 3, 2, 1, 1, 0, -1]
    value = m(levels, judged)
    assert list(cf.explain(m, levels=levels, judged=judged).values.values()) == pytest.approx(
        np.atleast_1d(value).tolist()
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"levels": [3, 3], "judged": [3]}, "levels 3 are missing in judged"),
        ({"levels": [3, 1, 2], "judged": [3]}, "levels 1 2 are missing in judged"),
        ({"levels": [None]}, "no judged level"),
        ({"levels": ["3"]}, "levels: found '3', expected a level"),
        ({"levels": [1], "judged": [1, None]}, "judged: found None, expected a level"),
        ({"judged": [1]}, "judged needs levels"),
        ({"levels": [1], "qrels": QRELS, "run": RUN}, "use either levels or judgments and a run"),
        ({}, "no ranking given"),
        ({"levels": [1], "measure": "D(nDCG)@3"}, "needs judgments for intents, not levels"),
        ({"levels": [1], "measure": "TBG"}, "no document lengths"),
    ],
)
def test_levels_that_are_none(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(cf.CranfieldError) as error:
        cf.explain(**{"measure": "AP", **arguments})
    assert said in str(error.value)


# -- where the score is decided --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "rows"),
    [("RR", 3), ("RR@2", 2), ("RR(rel=2)", 4), ("O", 3), ("Success@9", 3), ("Rprec", 2),
     ("Rprec(mult=2.0)", 4), ("Rmeasure", 2), ("AP", 6), ("Pmeasure", 6), ("P@5", 5)],
)  # fmt: skip
def test_a_list_ends_where_the_score_is_decided(measure: str, rows: int) -> None:
    shown = cf.explain(measure, levels=[0, None, 1, 2, 0, 0])
    assert [row.rank for row in shown.steps.rows] == list(range(1, rows + 1))


def test_the_rest_is_said_not_to_matter() -> None:
    def said(measure: str, *levels: int) -> list[str]:
        text = str(cf.explain(measure, levels=levels))
        return [line for line in text.splitlines() if "not change" in line]

    assert said("RR", 0, 1, 0, 2) == ["ranks 3–4 do not change the score"]
    assert said("RR", 0, 1, 0) == ["rank 3 does not change the score"]
    assert said("RR@3", 0, 1, 0, 0) == ["rank 3 does not change the score"]
    assert said("RR", 0, 1) == said("RR", 0, 0) == said("P@1", 1, 0) == []


@each("m", PLAIN)
def test_what_is_not_shown_does_not_matter(m: Measure) -> None:
    levels, judged = [0, 1, 2, 0, 1, 0], [2, 2, 1, 1, 1, 0, 0, 0, 0, 0]
    shown = cf.explain(m, levels=levels, judged=judged)
    end = len(shown.steps.rows)
    changed = levels[:end] + [2, 0, 1, 0][: len(levels) - end]
    assert m(changed, judged) == pytest.approx(m(levels, judged))


# -- the mean over all orders of tied documents ----------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("more", [{}, {"depth": 3}], ids=str)
@each_measure
def test_the_mean_is_that_of_evaluate(m: Measure, more: dict[str, Any]) -> None:
    qrels = BY_INTENT if m.takes == "intents" else QRELS
    settings = options(m) | more | {"ties": "expected", "tie_samples": 5, "seed": 3}
    shown = cf.explain(m, qrels, run_for(m), "t", **settings)
    scores = cf.evaluate(qrels, run_for(m), m, **settings)
    assert shown.values == {name: scores["run", "t", name] for name in m.names()}
    if shown.sampled is not None:
        errors = {name: scores["run", "t", f"{name}.se"] for name in m.names()}
        assert shown.sampled.errors == errors
        for order, ends in (("best", shown.sampled.best), ("worst", shown.sampled.worst)):
            settings["ties"] = order
            found = cf.evaluate(qrels, run_for(m), m, **settings)
            assert ends.values == {name: found["run", "t", name] for name in m.names()}


COSTS = {t: {doc: i + 1.0 for i, doc in enumerate("abcefsxyz")} for t in "tu"}
CLASSES = cf.EquivalenceClasses({"t": {"a": "k", "f": "k", "c": "m", "e": "m"}})


@pytest.mark.parametrize(
    ("measure", "settings"),
    [
        ("AP", {"labelling": CLASSES}),
        ("Q@3", {"labelling": CLASSES, "depth": 3}),
        ("RBP.EU", {"costs": COSTS}),
        ("AP(condensed=true)", {"depth": 3}),
    ],
)
def test_what_an_order_decides_is_drawn(measure: str, settings: dict[str, Any]) -> None:
    """Which item of a class comes first, what users pay, what the depth leaves."""
    shown = cf.explain(measure, QRELS, RUN, "t", ties="expected", **settings)
    scores = cf.evaluate(QRELS, RUN, measure, ties="expected", **settings)
    assert shown.sampled is not None
    assert shown.values == {measure: scores["run", "t", measure]}
    assert {len(row.tied) for row in shown.steps.rows} == {0, 2}


def test_tied_documents_share_their_ranks() -> None:
    """a (level 2) and f (level 0) share ranks 3 and 4: each is relevant with probability ½."""
    shown = cf.explain("RR", QRELS, RUN, "t", ties="expected")
    assert shown.values["RR"] == pytest.approx((1 / 3 + 1 / 4) / 2)
    assert [row.rank for row in shown.steps.rows] == [1, 2, 3, 4]
    stop = shown.steps.columns.index("stop")
    assert [row.values[stop] for row in shown.steps.rows if row.values] == [0, 0.5, 0.5]
    assert [sorted(row.tied) for row in shown.steps.rows] == [
        [], [], [("a", 2), ("f", 0)], [("a", 2), ("f", 0)],
    ]  # fmt: skip
    lines = str(shown).splitlines()
    assert [line.split()[:6] for line in lines if "one of" in line] == [
        ["3", "one", "of", "f,", "a", "2/0"], ["4", "one", "of", "f,", "a", "2/0"],
    ]  # fmt: skip
    assert "mean over all orders of tied documents" in lines


def test_the_terms_of_the_mean_add_up() -> None:
    """AP over all orders: a first, (1/3 + 2/6)/3; f first, (1/4 + 2/6)/3."""
    shown = cf.explain("AP", QRELS, RUN, "t", ties="expected")
    assert shown.values["AP"] == pytest.approx((1 / 3 + 2 / 6 + 1 / 4 + 2 / 6) / 6)
    at = [shown.steps.columns.index(name) for name in ("stop", "P")]
    terms = [row.values[at[0]] * row.values[at[1]] for row in shown.steps.rows if row.values]
    assert shown.steps.totals["Σ stop·P"] == pytest.approx(sum(terms))


def test_a_group_may_go_on_below_the_depth() -> None:
    """Of a, f one is at rank 3, where the list ends: P@3 is 1/3 or 0."""
    shown = cf.explain("P@3", QRELS, RUN, "t", ties="expected", depth=3)
    assert shown.values["P@3"] == pytest.approx(1 / 6)
    assert sorted(shown.steps.rows[-1].tied) == [("a", 2), ("f", 0)]


def test_what_is_drawn_is_said() -> None:
    text = str(cf.explain("ERR", QRELS, RUN, "t", ties="expected", tie_samples=7, seed=2))
    assert "\nmean over 7 random orders of tied documents (seed 2): the equation" in text
    assert re.search(r"\nERR = 0\.\d{4}, standard error 0\.\d{4}$", text)


def test_two_orders_of_what_is_drawn_have_their_steps() -> None:
    """a (level 2) and f (0) share ranks 3 and 4, c (1) is at 6; Pr is 3/8 and 1/8, as
    the highest level is 3.
    """
    shown = cf.explain("ERR", QRELS, RUN, "t", ties="expected", tie_samples=40)
    assert shown.sampled is not None
    best, worst = (3 / 8 / rank + 5 / 8 * 1 / 8 / 6 for rank in (3, 4))
    assert shown.sampled.best.values["ERR"] == pytest.approx(best)
    assert shown.sampled.worst.values["ERR"] == pytest.approx(worst)
    docs = {name: "".join(row.doc for row in steps.rows[2:4]) for name, steps in shown.lists.items()}
    assert (docs["best"], docs["worst"]) == ("af", "fa")
    for steps in (shown.lists["best"], shown.lists["worst"]):
        assert {"Pr", "stop"} <= {*steps.columns}
    assert shown.steps.columns == ()  # a mean has no steps
    assert {"Pr", "stop"} <= {*shown.legend}


def test_the_orders_drawn_lead_to_the_mean() -> None:
    """Each of the two orders has a score; so many were drawn of each, and that is the mean."""
    shown = cf.explain("ERR", QRELS, RUN, "t", ties="expected", tie_samples=40)
    assert shown.sampled is not None
    scores = [score for (score,) in shown.sampled.drawn]
    assert {f"{score:.4f}" for score in scores} == {"0.1380", "0.1068"}
    assert shown.values["ERR"] == pytest.approx(sum(scores) / 40)
    lines = str(shown).splitlines()
    table = lines[lines.index("scores of 40 random orders of tied documents") + 4 :][:2]
    counts = {text: sum(f"{score:.4f}" == text for score in scores) for text in ("0.1380", "0.1068")}
    assert [line.split() for line in table] == [[x, str(n)] for x, n in counts.items()]


def test_an_order_like_the_other_is_not_shown_again() -> None:
    shown = cf.explain("ERR", {"t": {"a": 0, "b": 0, "c": 1}}, {"t": {"a": 1, "b": 1, "c": 0.5}},
                       ties="expected")  # fmt: skip
    assert shown.sampled is not None
    assert [*shown.lists] == ["run", "best"]


def test_many_scores_are_counted_in_fewer_decimals() -> None:
    docs = [f"d{i:02}" for i in range(40)]
    qrels, run = {"t": {doc: i % 4 for i, doc in enumerate(docs)}}, {"t": dict.fromkeys(docs, 1.0)}
    text = str(cf.explain("ERR", qrels, run, ties="expected", tie_samples=200))
    rows = [line.split() for line in text.splitlines() if re.fullmatch(r" *\d\.\d+ +\d+", line)]
    assert 2 <= len(rows) <= 20
    assert sum(int(n) for _, n in rows) == 200


def test_decimals_are_those_asked_for(cranfield: Command) -> None:
    """(3 + 2/log2 3)/(3 + 3/log2 3 + 2/log2 4)"""
    asked = ("explain", "nDCG", "--levels", "3 2", "--judged", "3 3 2", "--decimals", "3")
    lines = cranfield.printed(*asked).splitlines()
    assert lines[-1] == "nDCG = 4.262 / 5.893 = 0.723"
    assert not any(re.search(r"\d\.\d{4}", line) for line in lines)


def test_without_ties_there_is_one_order() -> None:
    shown = cf.explain("ERR", QRELS, RUN, "u", ties="expected")
    assert shown.sampled is None
    assert shown.steps == cf.explain("ERR", QRELS, RUN, "u").steps


# -- narrow and wide -------------------------------------------------------------------------------


@each_measure
def test_lines_are_no_wider_than_the_terminal(m: Measure) -> None:
    long = {doc: f"clueweb09-en0000-00-{doc}{doc}" for doc in "abcefsxyz"}
    qrels = {t: {long[d]: x for d, x in docs.items()} for t, docs in QRELS.items()}
    run = {t: {long[d]: x for d, x in docs.items()} for t, docs in RUN.items()}
    settings: dict[str, Any] = {"ties": "expected", "tie_samples": 2}
    if m.takes == "lists" and not m.length_unit:
        shown = cf.explain(m, qrels, run, "t", **settings)
    else:
        shown = explained(m, **settings)
    for width in (60, 80, 160):
        lines = terminal.write_tables(replace(tables_of(shown, "table", {}), width=width)).splitlines()
        assert max(map(len, lines)) <= width
        rules = [i for i, line in enumerate(lines) if set(line.strip()) == {"─"}]  # long heads are wrapped above them
        head = [name for i in rules for line in lines[max(0, i - 4) : i] for name in line.split()]
        for name in " ".join((*shown.steps.columns, "document", "level")).split():
            assert name in head
        numbers = [f"{v:.4f}" for row in shown.steps.rows for v in row.values if v != int(v)]
        for number in numbers:  # none is cut or left out
            assert any(number in line.split() for line in lines)


class TestCommand:
    def test_step_by_step(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["explain", "nDCG@3", "RR", "--on", *files, "--topic", "t"]) == 0
        out = capsys.readouterr().out
        assert out == "\n\n".join(str(cf.explain(m, files[0], files[1], "t")) for m in ("nDCG@3", "RR")) + "\n"
        assert "rank  document  level" in out

    def test_the_first_topic_unless_told(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["explain", "P@2", "--on", *files]) == 0
        assert "topic t\n" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("extra", "said"),
        [
            (["--topic", "v"], "topic 'v' is not in the judgments"),
            (["--depth", "0"], "found '0', expected"),
            (["--ties", "expected", "--seed", "-1"], "seed must be an integer ≥ 0"),
        ],
    )
    def test_mistakes(self, files: list[str], extra: list[str], said: str, cranfield: Command) -> None:
        assert said in cranfield.refused("explain", "AP", "--on", *files, *extra)

    def test_levels(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["explain", "nDCG@5", "RR", "--levels", "3 2,- 1", "--judged", "3,3 2 1"]) == 0
        both = [str(cf.explain(m, levels=[3, 2, None, 1], judged=[3, 3, 2, 1])) for m in ("nDCG@5", "RR")]
        assert capsys.readouterr().out == "\n\n".join(both) + "\n"

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            (["--levels", "3 x"], "--levels: invalid levels '3 x'"),
            (["--levels", "1", "--judged", "?"], "judged: found None, expected a level"),
            (["--levels", "inf"], "levels: found inf, expected a level"),
            (["--levels", "1", "--on", "q", "r"], "use either --on or --levels, not both"),
            (["--levels", "1", "--bibtex"], "use either --bibtex or --levels, not both"),
            (["--levels", "1", "--topic", "1"], "--topics requires --on QRELS RUN"),
            (["--judged", "1"], "--judged requires --levels LEVELS"),
            (["--levels", ""], "no judged level"),
        ],
    )
    def test_mistaken_levels(self, given: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["explain", "AP", *given]) == 2
        err = capsys.readouterr().err
        assert said in err
        assert err.count("\n") == 1

    def test_the_mean_is_printed_as_evaluate_prints_it(
        self, files: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        settings = ["--ties", "expected", "--tie-samples", "9", "--seed", "4"]
        for m in ("AP", "ERR"):
            assert main(["evaluate", *files, "-m", m, "-q", "-f", "tsv", *settings]) == 0
            rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
            value = next(float(row[3]) for row in rows if row[1:3] == ["t", m])
            assert main(["explain", m, "--on", *files, *settings]) == 0
            assert f"= {value:.4f}" in capsys.readouterr().out.splitlines()[-1]

    def test_topic_alone(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["explain", "AP", "--topic", "t"]) == 2
        assert "requires --on QRELS RUN" in capsys.readouterr().err

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

    def test_in_markdown_they_are_a_table(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["measures", "-f", "markdown"]) == 0
        head, rule, *rows = capsys.readouterr().out.rstrip().split("\n")
        assert head.startswith("| name | does |")
        assert set(rule) <= set("|:-")
        names = [row.split(" | ")[0].removeprefix("| ") for row in rows]
        assert names == sorted((name for name in REGISTRY), key=str.lower)
