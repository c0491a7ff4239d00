"""Comparisons on slices of topics: worked numbers, oracles, enumeration, notes, gates, formats."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli.main import main
from cranfield.comparison.slices import SliceInteraction, SlicePair
from cranfield.errors import InputError
from tests.evidence import checks

Call = Callable[..., tuple[int, str, str]]
EXACT = 5e-7  # six printed decimals
FACT, NAV = (0.10, 0.20, 0.15, 0.05, 0.25), (-0.10, 0.05, 0, 0.02, -0.07, 0.04)
HOW, REST = (0.30, -0.05, 0.10, 0.20, 0), (0.30, 0.10, 0.20)
OTHER_FACT, OTHER_NAV = (0.05, 0.10, -0.02, 0.08, 0.04), (0.01, -0.03, 0.02, 0, 0.06, -0.01)
Slices = Mapping[str, Sequence[float]]


def make_slices(slices: Slices) -> dict[str, str]:
    """Return the slice of each topic."""
    names = [name for name, values in slices.items() for _ in values]
    return {str(i): name for i, name in enumerate(names)}


def make_scores(*pairs: Slices) -> dict[str, dict[str, float]]:
    """Return scores of a baseline and of runs with these differences."""
    columns = [[x for values in slices.values() for x in values] for slices in pairs]
    runs = {f"run{k}": {str(i): 0.4 + x for i, x in enumerate(column)} for k, column in enumerate(columns)}
    return {"base": {str(i): 0.4 for i in range(len(columns[0]))}, **runs}


def compare(*pairs: Slices, **options: Any) -> cf.Comparison:
    options = {"baseline": "base", "test": "t", "by": make_slices(pairs[0]), **options}
    return cf.compare(make_scores(*pairs), **options)


def by_slice(result: cf.Comparison, run: str = "run0") -> dict[str, SlicePair]:
    return {pair.slice: pair for pair in result.slice_pairs if pair.run == run}


def describe(pair: SlicePair) -> tuple[float, float, float]:
    return pair.difference, pair.low, pair.high


def describe_interaction(row: SliceInteraction) -> tuple[float, float, float]:
    return row.statistic, row.df2, row.uncorrected


# -- worked examples ------------------------------------------------------------------------------


@checks("cf.compare", against="by hand")
def test_compare_two_slices_equal_worked_example() -> None:
    result = compare({"fact": FACT, "nav": NAV})
    pairs = by_slice(result)
    assert describe(pairs["fact"]) == pytest.approx((0.15, 0.051838, 0.248162), abs=EXACT)
    assert describe(pairs["nav"]) == pytest.approx((-0.01, -0.074350, 0.054350), abs=EXACT)
    assert [pairs[name].uncorrected for name in pairs] == pytest.approx([0.013236, 0.706041], abs=EXACT)
    assert [pairs[name].pvalue for name in pairs] == pytest.approx([0.026471, 0.706041], abs=EXACT)
    assert [pairs[name].verdict for name in pairs] == ["better", ""]
    [row] = result.interactions
    assert describe_interaction(row) == pytest.approx((13.641208, 7.506658, 0.006823), abs=EXACT)
    assert (row.slices, row.topics, row.df1, row.pvalue) == (2, 11, 1, row.uncorrected)


def test_compare_slices_by_flips_equal_worked_example() -> None:
    pairs = by_slice(compare({"fact": FACT, "nav": NAV}, test="randomisation"))
    assert [pair.uncorrected for pair in pairs.values()] == [0.0625, 0.75]


def test_compare_small_slice_has_only_difference() -> None:
    slices = {"fact": FACT, "nav": NAV, "how": HOW, "rest": REST}
    result = compare(slices)
    pairs = by_slice(result)
    assert describe(pairs["how"]) == pytest.approx((0.11, -0.067779, 0.287779), abs=EXACT)
    assert pairs["how"].uncorrected == pytest.approx(0.160943, abs=EXACT)
    corrected = [pairs[name].pvalue for name in ("fact", "nav", "how")]
    assert corrected == pytest.approx([0.039707, 0.706041, 0.321886], abs=EXACT)
    rest = pairs["rest"]
    assert rest.difference == pytest.approx(0.2)
    assert (rest.pvalue, rest.uncorrected, rest.verdict) == (None, None, "")
    assert math.isnan(rest.low)
    [row] = result.interactions
    assert describe_interaction(row) == pytest.approx((6.709550, 7.435465, 0.021620), abs=EXACT)
    assert (row.slices, row.topics) == (3, 16)
    summary = next(row for row in result.slices if (row.slice, row.run) == ("rest", "run0"))
    assert summary.mean == pytest.approx(0.6)
    assert math.isnan(summary.low)


def test_compare_two_pairs_corrected_over_pairs_and_slices() -> None:
    result = compare({"fact": FACT, "nav": NAV}, {"fact": OTHER_FACT, "nav": OTHER_NAV})
    first, second = by_slice(result, "run0"), by_slice(result, "run1")
    assert [pair.uncorrected for pair in second.values()] == pytest.approx([0.071228, 0.534335], abs=EXACT)
    pvalues = [pair.pvalue for pair in (*first.values(), *second.values())]
    assert pvalues == pytest.approx([0.052942, 1, 0.213683, 1], abs=EXACT)
    rows = {row.run: row for row in result.interactions}
    assert [rows[run].uncorrected for run in ("run0", "run1")] == pytest.approx([0.006823, 0.127559], abs=EXACT)
    assert [rows[run].pvalue for run in ("run0", "run1")] == pytest.approx([0.013646, 0.127559], abs=EXACT)


# -- oracles and properties -----------------------------------------------------------------------


def make_random(seed: int = 0, runs: int = 3) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    """Return scores of runs on 60 topics in three slices of different spread."""
    random = np.random.default_rng(seed)
    sizes, spreads = (10, 20, 30), (0.05, 0.1, 0.2)
    names = np.repeat(["x", "y", "z"], sizes)
    spread = np.repeat(spreads, sizes)
    scores = {f"r{k}": random.normal(0.5 + 0.02 * k, spread) for k in range(runs)}
    topics = [f"t{i}" for i in range(60)]
    by_run = {run: dict(zip(topics, map(float, values), strict=True)) for run, values in scores.items()}
    return by_run, dict(zip(topics, names.tolist(), strict=True))


@checks("cf.compare", against="SciPy")
def test_compare_slices_equal_scipy_and_statsmodels() -> None:
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    anova_oneway = pytest.importorskip("statsmodels.stats.oneway").anova_oneway
    scores, by = make_random()
    result = cf.compare(scores, by=by, test="t")
    raw, rows = [], result.slice_pairs
    for row in rows:
        topics = [topic for topic, name in by.items() if name == row.slice]
        z = [scores[row.run][topic] - scores[row.other][topic] for topic in topics]
        expected = scipy.stats.ttest_1samp(z, 0)
        raw.append(expected.pvalue)
        interval = expected.confidence_interval()
        assert describe(row) == pytest.approx((np.mean(z), interval.low, interval.high), rel=1e-9)
    assert [row.pvalue for row in rows] == pytest.approx(multipletests(raw, method="holm")[1].tolist(), rel=1e-9)
    for interaction in result.interactions:
        by_topic = {t: scores[interaction.run][t] - scores[interaction.other][t] for t in by}
        groups = [[by_topic[t] for t, name in by.items() if name == part] for part in ("x", "y", "z")]
        welch = anova_oneway(groups, use_var="unequal", welch_correction=True)
        found = interaction.statistic, interaction.uncorrected
        assert found == pytest.approx((welch.statistic, welch.pvalue), rel=1e-9)
    corrected = multipletests([row.uncorrected for row in result.interactions], method="holm")[1]
    assert [row.pvalue for row in result.interactions] == pytest.approx(corrected.tolist())


@checks("cf.compare", against="enumeration")
def test_compare_slices_flips_equal_enumeration() -> None:
    result = compare({"fact": FACT, "nav": NAV}, test=None, correction="none")
    for name, z in (("fact", FACT), ("nav", NAV)):
        sums = [abs(sum(s * x for s, x in zip(signs, z, strict=True))) for signs in product((1, -1), repeat=len(z))]
        expected = np.mean(np.array(sums) >= abs(sum(z)) - 1e-12)
        assert by_slice(result)[name].uncorrected == pytest.approx(expected)


@given(st.lists(st.integers(-40, 40), min_size=12, max_size=30), st.integers(5, 7))
@settings(max_examples=25, deadline=None)
def test_compare_slice_equals_comparison_of_its_topics(numbers: list[int], size: int) -> None:
    """A slice gives the numbers of a comparison of its topics alone, before the correction."""
    values = [x / 100 for x in numbers]
    slices = {"a": values[:size], "b": values[size:]}
    result = compare(slices, correction="none", trials=1000)
    for name, part in slices.items():
        if len(part) < 5:
            continue
        alone = cf.compare(make_scores({name: part}), baseline="base", test="t").pairs[0]
        row = by_slice(result)[name]
        assert describe(row) == pytest.approx((alone.difference, alone.low, alone.high), rel=1e-12, nan_ok=True)
        assert row.pvalue == pytest.approx(alone.pvalue, rel=1e-12)
        assert row.verdict == alone.verdict
        assert (row.wins, row.ties, row.losses) == (alone.wins, alone.ties, alone.losses)


def test_compare_slices_leave_other_numbers_unchanged() -> None:
    scores, by = make_random()
    plain, sliced = cf.compare(scores), cf.compare(scores, by=by)
    assert (plain.runs, plain.pairs, plain.notes) == (sliced.runs, sliced.pairs, sliced.notes)
    assert (plain.slices, plain.slice_pairs, plain.slice_test) == ((), (), None)
    assert sliced.slice_test is not None
    assert (sliced.test, sliced.slice_test.test, sliced.slice_test.correction) == (
        "randomised-tukey", "randomisation", "holm",
    )  # fmt: skip


def test_compare_slices_order_of_pairs_has_no_effect() -> None:
    scores, by = make_random()
    shuffled = {run: dict(reversed(values.items())) for run, values in reversed(scores.items())}
    first, second = cf.compare(scores, by=by, test="t"), cf.compare(shuffled, by=by, test="t")
    values = {(x.slice, x.run, x.other): x.pvalue for x in first.slice_pairs}
    assert {(x.slice, x.run, x.other): x.pvalue for x in second.slice_pairs} == pytest.approx(values)


def test_compare_bonferroni_intervals_are_simultaneous_over_slices() -> None:
    scores, by = make_random()
    result = cf.compare(scores, by=by, test="t", correction="bonferroni")
    row = result.slice_pairs[0]
    z = [scores[row.run][t] - scores[row.other][t] for t, name in by.items() if name == row.slice]
    expected = scipy.stats.ttest_1samp(z, 0).confidence_interval(1 - 0.05 / 9)
    assert (row.low, row.high) == pytest.approx((expected.low, expected.high))


# -- attributes and notes -------------------------------------------------------------------------


def test_compare_topics_without_value_are_last_and_not_tested() -> None:
    slices = {"fact": FACT, "nav": NAV, "more": NAV}
    by = {topic: name for topic, name in make_slices(slices).items() if name != "fact"}
    result = compare(slices, by=by)
    assert [*by_slice(result)] == ["nav", "more", "(none)"]
    row = by_slice(result)["(none)"]
    assert (row.topics, row.pvalue) == (5, None)
    assert row.difference == pytest.approx(0.15)
    assert result.interactions[0].slices == 2
    assert "no-slice" in {note.kind for note in result.notes}


def test_compare_constant_slice_has_no_interaction_and_a_note() -> None:
    result = compare({"fact": FACT, "same": [0.1] * 6})
    assert result.interactions == ()
    texts = [note.text for note in result.notes if note.kind == "no-interaction"]
    assert texts == ["score, slice: all differences on 1 slice (same) are equal: differences between slices "
                     "are not tested"]  # fmt: skip


def test_compare_small_slices_by_flips_have_a_note() -> None:
    result = compare({"fact": FACT, "nav": NAV}, test="randomisation")
    [note] = [note for note in result.notes if note.kind == "hopeless"]
    assert note.text == (
        "score, slice: no difference can be significant on 2 slices (fact, nav) after the correction for 2 tests. "
        "Use --test t, or 7 topics or more"
    )
    assert math.isinf(by_slice(result)["fact"].high)


def test_compare_many_slices_with_few_trials_have_a_note() -> None:
    scores, by = make_random(runs=6)
    [note] = [note for note in cf.compare(scores, by=by, trials=200).notes if note.kind == "hopeless"]
    assert "after the correction for 45 tests. Use --test t, or 899 trials or more" in note.text


def test_compare_crossed_attributes_and_ranges() -> None:
    scores, by = make_random()
    table = {topic: {"part": name, "half": "ab"[i % 2], "number": 3} for i, (topic, name) in enumerate(by.items())}
    first = cf.compare(scores, by=table, test="t")
    assert [*first.scores.attributes] == ["part", "half", "number"]
    crossed = cf.compare(first.scores, by="part*half", test="t")
    assert {row.slice for row in crossed.slices} == {f"{x} · {y}" for x in "xyz" for y in "ab"}
    assert {row.slices for row in crossed.interactions} == {6}


def test_compare_more_than_20_values_raises() -> None:
    scores, by = make_random()
    with pytest.raises(InputError, match="60 values"):
        cf.compare(scores, by={topic: str(i) for i, topic in enumerate(by)})


def test_compare_interactions_of_many_runs_equal_single_pairs() -> None:
    """Permutations are drawn for blocks of pairs, which gives the numbers of single pairs."""
    scores, by = make_random(runs=13)
    many = cf.compare(scores, by=by, test="t", trials=200)
    assert len(many.interactions) == 78
    for row in many.interactions[::20]:
        pair = {run: scores[run] for run in (row.run, row.other)}
        [alone] = cf.compare(pair, by=by, test="t", trials=200).interactions
        assert abs(alone.permutation or 0) == row.permutation
        assert alone.uncorrected == pytest.approx(row.uncorrected)


# -- seeds and measures ---------------------------------------------------------------------------


def test_compare_slices_and_seeds_have_crossed_intervals_and_no_interaction() -> None:
    scores, by = make_random(runs=4)
    systems = {"r0": "a", "r1": "a", "r2": "b", "r3": "b"}
    result = cf.compare(scores, by=by, systems=systems)
    assert result.interactions == ()
    assert "no-interaction" in {note.kind for note in result.notes}
    for row in result.slice_pairs:
        topics = [topic for topic, name in by.items() if name == row.slice]
        runs = {run: {topic: scores[run][topic] for topic in topics} for run in scores}
        alone = cf.compare(runs, systems=systems).pairs[0]
        sign = 1 if alone.run == row.run else -1
        low, high = sorted((sign * alone.low, sign * alone.high))
        assert describe(row) == pytest.approx((sign * alone.difference, low, high))
        assert row.uncorrected == pytest.approx(alone.uncorrected)
    for summary in result.slices:
        runs = {run: {t: x for t, x in scores[run].items() if by[t] == summary.slice} for run in scores}
        expected = next(x for x in cf.compare(runs, systems=systems).runs if x.run == summary.run)
        assert (summary.low, summary.high) == pytest.approx((expected.low, expected.high))


def test_compare_slices_of_fixed_seeds_use_means_over_runs() -> None:
    scores, by = make_random(runs=4)
    systems = {"r0": "a", "r1": "a", "r2": "b", "r3": "b"}
    means = {
        name: {t: (scores[x][t] + scores[y][t]) / 2 for t in by}
        for name, x, y in (("a", "r0", "r1"), ("b", "r2", "r3"))
    }
    fixed = cf.compare(scores, by=by, systems=systems, seeds="fixed", test="t")
    plain = cf.compare(means, by=by, test="t")
    for first, second in zip(fixed.slice_pairs, plain.slice_pairs, strict=True):
        assert (first.low, first.pvalue) == pytest.approx((second.low, second.pvalue))
    assert fixed.interactions[0].pvalue == pytest.approx(plain.interactions[0].pvalue)


def test_compare_slices_lower_is_better_and_undefined_topics() -> None:
    scores = make_scores({"fact": FACT, "nav": NAV})
    both = {run: {topic: {"err": x, "other": x} for topic, x in values.items()} for run, values in scores.items()}
    by = make_slices({"fact": FACT, "nav": NAV})
    result = cf.compare(both, baseline="base", by=by, test="t", lower=["err"])
    rows = {(row.measure, row.slice): row for row in result.slice_pairs}
    assert (rows["err", "fact"].verdict, rows["other", "fact"].verdict) == ("worse", "better")
    assert (rows["err", "fact"].losses, rows["other", "fact"].wins) == (5, 5)
    assert len(result.by("err").slice_pairs) == 2


# -- gates ----------------------------------------------------------------------------------------

WORSE = {"good": [0.05, 0.04, 0.06, 0.05, 0.07, 0.05], "bad": [-0.05, -0.04, -0.06, -0.05, -0.07, -0.05]}


def test_gate_one_worse_slice_fails() -> None:
    result = compare(WORSE)
    assert result.pairs[0].verdict == ""
    gate = result.gate()
    assert [(x.slice, x.decision) for x in gate.verdicts] == [("", "pass"), ("good", "pass"), ("bad", "fail")]
    assert not gate.passed
    assert compare(WORSE, by=None).gate().passed
    assert "worse than base by score on slice bad" in gate.lines[2]


def test_gate_slices_corrected_for_all_slices() -> None:
    z = [-0.05, -0.04, -0.06, 0.02, -0.03, -0.01, -0.03, -0.02]
    noise = [0.05, -0.05, 0.03, -0.03, 0.01, -0.01]
    alone = cf.compare(make_scores({"bad": z}), baseline="base", test="t").pairs[0]
    result = compare({"bad": z, **{f"s{k}": noise for k in range(8)}})
    assert alone.verdict == "worse"
    row = by_slice(result)["bad"]
    assert row.verdict == ""
    assert row.pvalue == pytest.approx(9 * alone.pvalue)
    assert result.gate().passed


def test_gate_small_slice_of_flips_is_undecided() -> None:
    gate = compare(WORSE, test="randomisation").gate()
    assert [x.decision for x in gate.verdicts[1:]] == ["undecided", "undecided"]
    assert not gate.passed
    assert compare(WORSE, test="randomisation").gate(undecided="pass").passed


def test_gate_untested_slices_have_a_note() -> None:
    gate = compare({"fact": FACT, "rest": REST}).gate()
    assert [note.text for note in gate.notes] == ["slice: 1 slice (rest) without a verdict, not tested"]


def test_gate_margin_with_slices_raises() -> None:
    with pytest.raises(InputError, match="a margin is not defined with slices"):
        compare(WORSE).gate(margin=0.1)


# -- command --------------------------------------------------------------------------------------


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Write scores and a table of topics; return a function that runs a command."""
    monkeypatch.chdir(tmp_path)
    slices = {**WORSE, "rest": REST}
    scores = make_scores(slices)
    rows = [f"{run},{topic},{value}" for run, values in scores.items() for topic, value in values.items()]
    Path("scores.csv").write_text("\n".join(["run,topic,AP", *rows]) + "\n")
    by = make_slices(slices)
    lines = [f"{topic}\t{name}\tneed{int(topic) // 2}" for topic, name in by.items()]
    Path("topics.tsv").write_text("\n".join(["topic\tcategory\tneed", *lines, "99\tgood\tneed99"]) + "\n")

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(["compare", "--scores", "scores.csv", "--baseline", "base", *arguments])
        output = capsys.readouterr()
        return code, output.out, output.err

    return run


SLICE_COLUMNS = {
    "slices": "measure attribute slice run topics mean low high",
    "slice_pairs": "measure attribute slice run other topics difference low high pvalue uncorrected wins ties losses "
    "verdict",
    "interactions": "measure attribute run other slices topics statistic df1 df2 pvalue uncorrected permutation",
}


@pytest.mark.parametrize("table", SLICE_COLUMNS)
def test_compare_command_tables_have_columns_of_the_spec(table: str, call: Call) -> None:
    code, out, _ = call("--by", "topics.tsv:category", "--test", "t", "--table", table, "-f", "tsv")
    header, *rows = out.splitlines()
    assert (code, header.split("\t")) == (0, SLICE_COLUMNS[table].split())
    data = json.loads(call("--by", "topics.tsv:category", "--test", "t", "-f", "json")[1])[table]
    assert [*data[0]] == SLICE_COLUMNS[table].split()
    assert len(rows) == len(data)
    assert "nan" not in out


def test_compare_command_absent_values_are_null(call: Call) -> None:
    data = json.loads(call("--by", "topics.tsv:category", "-f", "json")[1])
    [rest] = [row for row in data["slice_pairs"] if row["slice"] == "rest"]
    assert (rest["low"], rest["pvalue"], rest["uncorrected"]) == (None, None, None)
    assert (data["settings"]["slice_test"], data["settings"]["slice_correction"]) == ("randomisation", "holm")


def test_compare_command_gate_fails_for_one_slice(call: Call) -> None:
    arguments = "--by", "topics.tsv:category", "--test", "t", "--fail-if-worse"
    code, out, err = call(*arguments)
    assert code == 1
    assert "verdict: fail: run0 is significantly worse than base by AP on category bad" in err
    assert "all topics" in out or "verdicts" not in out
    assert call("--test", "t", "--fail-if-worse")[0] == 0


def test_compare_command_reports_ignored_rows(call: Call) -> None:
    assert "note: topics.tsv: 1 row of topics that are not evaluated is ignored" in call(
        "--by", "topics.tsv:category", "--test", "t")[2]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--table", "slices"), "--table slices requires --by FILE:COLUMN"),
        (("--by", "topics.tsv:kind"), "topics.tsv: found no column 'kind', expected one of 2 columns (category, need)"),
        (("--by", "absent.tsv:kind"), "absent.tsv"),
        (("--by", "length"), "the attribute length needs queries"),
        (("--by", "relevant"), "the attribute relevant needs judgments"),
        (("--by", "topics.tsv:category", "--fail-if-worse", "--margin", "0.1"), "a margin is not defined with slices"),
    ],
)
def test_compare_command_wrong_slices_exit_2(arguments: tuple[str, ...], message: str, call: Call) -> None:
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_slice_pairs_combinations_are_all_pairs() -> None:
    scores, by = make_random()
    result = cf.compare(scores, by=by, test="t")
    expected = {frozenset(pair) for pair in combinations(scores, 2)}
    for name in ("x", "y", "z"):
        assert {frozenset((row.run, row.other)) for row in result.slice_pairs if row.slice == name} == expected
