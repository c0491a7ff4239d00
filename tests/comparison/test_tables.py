"""The tables of a comparison: what they hold, and what their captions say."""

from __future__ import annotations

import numpy as np
import pytest

import cranfield as cf
from cranfield.comparison.tables import (
    build_settings,
    build_tables,
    describe_procedure,
    select_tables,
)
from cranfield.meta.notes import collect_ranking_notes
from cranfield.meta.results import format_summary
from cranfield.tables import ResultTable

# The tables of a comparison

RANDOM = np.random.default_rng(3).random((12, 3))
RUNS = {
    run: {str(t): {"AP": float(x), "RR": float(x) ** 2} for t, x in enumerate(RANDOM[:, r])}
    for r, run in enumerate("abc")
}


def table(name: str, found: cf.Comparison) -> ResultTable:
    return next(sheet for sheet in build_tables(found) if sheet.name == name)


def test_pairs_table_equals_the_comparison() -> None:
    found = cf.compare(RUNS, test="bootstrap", trials=200)
    columns = {
        "measure": "measure", "run": "run", "other": "other", "topics": "topics",
        "difference": "difference", "low": "low", "high": "high", "statistic": "statistic",
        "pvalue": "pvalue", "uncorrected": "uncorrected", "asl": "asl", "mc_error": "error",
        "effect": "effect", "dz": "dz", "wins": "wins", "ties": "ties", "losses": "losses",
        "verdict": "verdict", "smallest_pvalue": "smallest_pvalue",
    }  # fmt: skip
    expected = [{c: getattr(p, name) for c, name in columns.items()} for p in found.pairs]
    assert table("pairs", found).rows == expected
    assert any(p.wins != p.losses for p in found.pairs)  # or the test would not tell
    assert any(p.pvalue != p.uncorrected for p in found.pairs)
    assert any(p.effect != p.dz for p in found.pairs)


def test_runs_table_has_baselines_that_differ() -> None:
    x = {str(t): t / 20 for t in range(12)}
    better, worse = ({t: v + d for t, v in x.items()} for d in (0.1, -0.1))
    found = cf.compare({"x": x, "better": better, "worse": worse}, "x")
    told = {row["run"]: (row["better_than"], row["worse_than"]) for row in table("runs", found).rows}
    assert told == {"better": ("x", ""), "x": ("", ""), "worse": ("", "x")}
    marks = dict(zip(*(f.cell_texts for f in table("runs", found).fields if f.name in
                       ("run", "significant")), strict=True))  # fmt: skip
    assert marks == {"better": "+a", "x (a)": "", "worse": "-a"}


def test_select_tables_depends_on_format() -> None:
    found = cf.compare(RUNS, test="t")
    assert select_tables(found, "csv", None) == ("pairs",)
    assert select_tables(found, "json", None) == ("runs", "pairs", "movers")
    assert select_tables(found, "latex", None) == ("results", "pairs")
    assert select_tables(found, "table", None) == ("runs", "pairs")  # 6 pairs have many movers
    assert select_tables(found, "table", 2) == ("runs", "pairs", "movers")
    assert select_tables(found, "table", 0) == ("runs", "pairs")


def test_build_settings_equals_the_comparison() -> None:
    told = build_settings(cf.compare(RUNS, test="bootstrap", alpha=0.1, trials=200, seed=4))
    assert told["confidence"] == pytest.approx(0.9)
    assert [told[name] for name in ("test", "correction", "trials", "seed", "topics", "runs")] == [
        "bootstrap", "holm", 200, 4, 12, 3,
    ]  # fmt: skip


def test_captions_have_the_number_of_corrected_comparisons() -> None:
    several = cf.compare(RUNS, test="t")
    assert "Holm's correction for 3 comparisons by each measure" in describe_procedure(several)
    two = cf.compare({run: RUNS[run] for run in "ab"}, test="t")
    assert describe_procedure(two) == "paired t-test, two-sided, α = 0.05"


def test_captions_describe_simultaneous_intervals() -> None:
    def caption(runs: str, **options: str) -> str:
        found = cf.compare({run: RUNS[run] for run in runs}, **options)  # type: ignore[arg-type]
        return table("pairs", found).caption

    assert "means, for each pair alone." in caption("abc", test="t")
    assert "means, simultaneous." in caption("abc", test="tukey")
    assert "Bonferroni's, simultaneous." in caption("abc", test="t", correction="bonferroni")
    assert "of the difference of means. Effect" in caption("ab", test="t")


def test_sentence_has_all_numbers_to_report() -> None:
    """Differences 0.2, 0.2, −0.1: t(2) = 0.1 / 0.1 = 1, d_z = 1 / √3, t(2; 0.975) = 4.3027."""
    a, b = ({str(t): x for t, x in enumerate(y)} for y in ([0.1, 0.2, 0.6], [0.3, 0.4, 0.5]))
    (row,) = table("sentences", cf.compare({"a": a, "b": b}, "a", test="t")).rows
    assert row.pop("sentence") == (
        "By score, b is not significantly different from a: means of 0.4000 and 0.3000 on 3 topics,"
        " difference +0.1000, interval [-0.3303, +0.5303] (95%, of the difference of means), "
        "p = 0.4226 (paired t-test, two-sided, α = 0.05), effect size +0.58 (Cohen's d_z), "
        "better on 2 topics and worse on 1."
    )
    assert row == {"measure": "score", "run": "b", "other": "a"}


def test_sentence_names_the_better_run_for_all_kinds_of_measures() -> None:
    """A list of 12 that has one document more everywhere; the first of both is relevant."""
    qrels = {str(t): {"a": 1, "c": 1} for t in range(12)}
    x, y = ({str(t): docs for t in range(12)} for docs in (["b", "a", "c"], ["a", "b"]))
    found = cf.compare(cf.evaluate(qrels, {"x": x, "y": y}, "RR GMAP NumRet"), "x", test="sign")
    rr, gmap, size = (row["sentence"] for row in table("sentences", found).rows)
    assert "By RR, y is significantly better than x: means of 1.0000 and 0.5000 on 12" in rr
    assert "p = 0.0005 (sign test, two-sided, α = 0.05)" in rr
    assert "difference +0.5000" in rr
    assert "better on 12 topics and worse on 0." in rr
    assert "difference of logarithms -0.1542" in gmap  # log(1/2) − log((1/2 + 2/3) / 2)
    assert "By NumRet, y is significantly different from x" in size
    assert "higher on 0 topics and lower on 12." in size


def test_mark_of_27th_baseline_is_unique() -> None:
    """After z."""
    runs = {f"r{i:02}": {str(t): float(v) for t, v in enumerate(x)}
            for i, x in enumerate(np.random.default_rng(0).random((28, 4)))}  # fmt: skip
    found = cf.compare(runs, [f"r{i:02}" for i in range(27)], test="t", correction="none")
    names = table("results", found).fields[0].cell_texts
    assert {"r25 (z)", "r26 (b26)", "r27"} <= set(names)
    assert len(names) == 28


# Results in a line, and what is told of rankings


def test_six_numbers_are_shown_in_a_line() -> None:
    six = {f"m{i}": 0.5 for i in range(6)}
    assert format_summary(Exception(), ["1 run"], six).endswith("m5 0.5000")
    assert format_summary(Exception(), ["1 run"], {**six, "m6": 0.5}).endswith("m5 0.5000, …")


def test_rounding_does_not_change_the_order() -> None:
    """0.1 + 0.2 is no better than 0.3."""
    means = np.array([0.1 + 0.2, 0.3, 0.3, 0.3])
    assert [note.kind for note in collect_ranking_notes({"AP": means})] == ["constant"]


def test_results_have_a_row_for_each_run() -> None:
    rows = table("results", cf.compare(RUNS, test="t")).rows
    assert sorted(row["run"] for row in rows) == ["a", "b", "c"]
    assert list(rows[0]) == ["run", "AP", "RR"]


# The best run of each team, and daggers

SHIFTED = {
    run: {str(t): {"AP": t / 20 + d, "RR": t / 20 - d / 2} for t in range(12)}
    for run, d in {"x": 0.0, "y": 0.1, "z": 0.2, "w": -0.1}.items()
}
TEAMS = {"x": "X", "y": "YZ", "z": "YZ", "w": "W"}


def test_the_best_run_of_each_team_has_a_row() -> None:
    found = cf.compare(SHIFTED, teams=TEAMS, test="t")
    assert found.scores.runs == ("x", "z", "w")
    sheet = table("teams", found)
    assert sheet.rows == [
        {"team": team, "run": run, "runs": runs, "AP": pytest.approx(0.275 + d), "AP marks": marks,
         "RR": pytest.approx(0.275 - d / 2), "RR marks": other}
        for team, run, runs, d, marks, other in (("YZ", "z", 2, 0.2, "a", "c"),
                                                 ("X", "x", 1, 0.0, "b", "b"),
                                                 ("W", "w", 1, -0.1, "c", "a"))
    ]  # fmt: skip
    assert sheet.caption.startswith(
        "The best run of each of 3 teams by AP (the first of equal runs): means on 12 topics. "
        "The means are optimistic: runs were chosen on these topics. In a column, runs that share"
    )
    assert select_tables(found, "table", 0) == ("teams", "pairs")
    assert select_tables(found, "latex") == ("teams", "pairs")
    assert select_tables(found, "json") == ("runs", "pairs", "movers", "teams")
    assert build_settings(found)["best_by"] == "AP"
    assert "best-of-team" in {note.kind for note in found.notes}


def test_best_by_another_measure() -> None:
    found = cf.compare(SHIFTED, teams=TEAMS, best_by="RR", test="t", baseline="w")
    assert [row["run"] for row in table("teams", found).rows] == ["w", "x", "y"]
    assert [row["run"] for row in table("teams", found.by("AP")).rows] == ["y", "x", "w"]


def test_teams_of_one_run_have_no_note_on_choice() -> None:
    found = cf.compare(SHIFTED, teams={run: run.upper() for run in SHIFTED}, test="t")
    assert "optimistic" not in table("teams", found).caption
    assert "best-of-team" not in {note.kind for note in found.notes}


def test_no_teams_no_table() -> None:
    assert "teams" not in {sheet.name for sheet in build_tables(cf.compare(SHIFTED, test="t"))}
    with pytest.raises(cf.CranfieldError, match="best_by requires teams"):
        cf.compare(SHIFTED, best_by="AP")


@pytest.mark.parametrize(
    ("baselines", "marks", "legend"),
    [
        ("x", {"z": "†", "y": "†", "x (†)": "", "w": "-†"},
         "† significantly better than x; with - significantly worse (paired"),
        (["w", "x"], {"z": "†‡", "y": "†‡", "x (‡)": "†", "w (†)": "-‡"},
         "† significantly better than w, ‡ than x; with - significantly worse (paired"),
        ("w", {"z": "†", "y": "†", "x": "†", "w (†)": ""},
         "† significantly better than w (paired t-test, Holm's correction for 3 comparisons"),
    ],
)  # fmt: skip
def test_daggers_mark_runs_better_than_a_baseline(
    baselines: str | list[str], marks: dict[str, str], legend: str
) -> None:
    found = cf.compare(SHIFTED, baselines, test="t", measures="AP")
    made = {sheet.name: sheet for sheet in build_tables(found, marks="daggers")}
    names, means = made["results"].fields
    assert dict(zip(names.cell_texts, means.marks, strict=True)) == marks
    assert legend in made["results"].caption
    assert legend in made["runs"].caption


def test_the_sixth_dagger_is_doubled() -> None:
    runs = {f"r{i}": {str(t): float((t * i) % 7) for t in range(4)} for i in range(1, 9)}
    found = cf.compare(runs, [f"r{i}" for i in range(1, 8)], test="t", correction="none")
    names = next(s for s in build_tables(found, marks="daggers") if s.name == "results").fields[0].cell_texts
    assert {"r1 (†)", "r2 (‡)", "r3 (§)", "r4 (¶)", "r5 (‖)", "r6 (††)", "r7 (‡‡)", "r8"} == {*names}


def test_daggers_are_superscripts_in_html_and_latex() -> None:
    found = cf.compare(SHIFTED, "x", test="t", measures="AP")
    latex = found.to_latex("results", marks="daggers")
    assert r"\best{0.4750} & \textsuperscript{$\dagger$} \\" in latex
    assert r"\textsuperscript{$-$$\dagger$}" in latex
    assert "with $-$ significantly worse" in latex
    assert '<td class="mark"><sup>†</sup></td>' in found.to_html("results", marks="daggers")
    assert "| **0.4750** † |" in found.to_markdown("results", marks="daggers")  # others have -†
    least = cf.compare(SHIFTED, "w", test="t", measures="AP")
    assert "| **0.4750**† |" in least.to_markdown("results", marks="daggers")
    with pytest.raises(cf.CranfieldError, match="daggers without a baseline"):
        cf.compare(SHIFTED, test="t").to_latex(marks="daggers")
    with pytest.raises(cf.CranfieldError, match="marks"):
        found.to_latex(marks="stars")


def test_run_table_many_letters_become_ranges() -> None:
    """30 runs whose neighbours do not differ: the text has ranges, machine-readable values have letters."""
    rng = np.random.default_rng(0)
    topics = rng.normal(0, 0.1, 40)
    scores = {
        f"r{i:02d}": {str(t): float(0.008 * i + x + rng.normal(0, 0.08)) for t, x in enumerate(topics)}
        for i in range(30)
    }
    comparison = cf.compare(scores, test="tukey", trials=1000)
    letters = [row.groups for row in comparison.runs]
    assert max(map(len, letters)) > 4
    field = next(
        field
        for table in comparison._build_tables()
        if table.name == "runs"
        for field in table.fields
        if field.name == "groups"
    )
    assert field.values == letters
    for text, value in zip(field.texts or (), letters, strict=True):
        assert len(text) <= 7
        assert (text[0], text[-1]) == (value[0], value[-1])
    assert "a–d means all letters from a to d" in comparison.as_text()
    assert "a–d" not in cf.compare({run: scores[run] for run in ("r00", "r29")}).as_text()


def test_matrix_table_has_the_differences_of_pairs() -> None:
    rng = np.random.default_rng(1)
    scores = {
        run: {str(t): float(rng.uniform() + shift) for t in range(30)}
        for run, shift in zip("abc", (0, 0.05, 0.6), strict=True)
    }
    comparison = cf.compare(scores, trials=500)
    matrix = next(table for table in comparison._build_tables() if table.name == "matrix")
    order = [row.run for row in comparison.runs]
    (run, *columns) = matrix.visible_fields
    assert [*(run.texts or ())] == order[:-1]
    assert [field.name for field in columns] == order[1:]
    for i, name in enumerate(order[:-1]):
        for column in columns:
            text, mark = (column.texts or ())[i], column.marks[i]
            if order.index(column.name) <= i:
                assert (text, mark) == ("", "")
                continue
            pair = next(p for p in comparison.pairs if {p.run, p.other} == {name, column.name})
            means = {row.run: row.mean for row in comparison.runs}
            assert text == f"{means[name] - means[column.name]:+.4f}"
            assert mark == ("*" if pair.pvalue <= 0.05 else "")
    assert {"*", ""} == {mark for field in columns for mark in field.marks}
    assert not matrix.columns
    baseline = cf.compare(scores, baseline="a", trials=500)
    assert "matrix" not in {table.name for table in baseline._build_tables()}
