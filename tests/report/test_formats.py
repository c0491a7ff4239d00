"""Scores as files for programs, tables for papers, and text for the terminal."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.errors import CranfieldError
from cranfield.measures.base import MEASUREMENTS
from cranfield.report import formats
from cranfield.report.formats import FORMATS
from cranfield.report.formats.terminal import format_note_lines
from cranfield.report.results import prepare_output
from cranfield.scores import Note, Scores

NAN = math.nan


def render(scores: Scores, format: str, per_topic: bool = False) -> bytes:
    """What a file holds; notices are elsewhere, but in JSON."""
    made = prepare_output(scores, format, {"per_topic": per_topic})
    notes = made.notes if format == "json" else ()
    return formats.render(replace(made, notes=notes), format)


def table(scores: Scores, per_topic: bool = False, width: int | None = None, colour: bool = False) -> str:
    """What a terminal shows."""
    made = replace(prepare_output(scores, "table", {"per_topic": per_topic}), width=width, colour=colour)
    return formats.render(made, "table").decode().removesuffix("\n")


def make(
    values: Any,
    runs: tuple[str, ...] = ("bm25", "dense"),
    topics: tuple[str, ...] = ("301", "302"),
    measures: tuple[str, ...] = ("AP", "num_ret"),
    summaries: tuple[str, ...] = ("mean", "sum"),
    **other: Any,
) -> Scores:
    return Scores(np.array(values, dtype=float), runs, topics, measures, summaries, **other)


@pytest.fixture
def scores() -> Scores:
    return make(
        [[[1 / 3, 1000], [1.0, 500]], [[0.5, 1000], [NAN, 1000]]],
        notes=(Note("ties", "bm25 has ties.", "bm25", ("301",)),),
    )


@pytest.fixture
def skipping(scores: Scores) -> Scores:
    return make(scores.values, undefined="skip")


def named(*names: str) -> Scores:
    """One topic, one measure, and runs with these names; the first is the best."""
    values = [[[1 - i / 10]] for i in range(len(names))]
    return make(values, names, ("301",), ("AP",), ("mean",))


class TestRows:
    def test_tsv(self, scores: Scores) -> None:
        # (1/3 + 1) / 2 is 0.666…; the nearest double prints as below
        assert render(scores, "tsv").decode().split("\n") == [
            "run\ttopic\tmeasure\tvalue",
            "bm25\tall\tAP\t0.6666666666666666",
            "bm25\tall\tnum_ret\t1500",
            "dense\tall\tAP\tnan",
            "dense\tall\tnum_ret\t2000",
            "",
        ]

    def test_tsv_per_topic(self, scores: Scores) -> None:
        lines = render(scores, "tsv", per_topic=True).decode().split("\n")
        assert lines[1:7] == [
            "bm25\t301\tAP\t0.3333333333333333",
            "bm25\t301\tnum_ret\t1000",
            "bm25\t302\tAP\t1.0",
            "bm25\t302\tnum_ret\t500",
            "bm25\tall\tAP\t0.6666666666666666",
            "bm25\tall\tnum_ret\t1500",
        ]
        assert "dense\t302\tAP\tnan" in lines

    def test_tsv_skips(self, skipping: Scores) -> None:
        lines = render(skipping, "tsv", per_topic=True).decode().split("\n")
        assert [line for line in lines if line.startswith("dense") and "AP" in line] == [
            "dense\t301\tAP\t0.5",
            "dense\tall\tAP\t0.5",
        ]

    @pytest.mark.parametrize(("name", "format"), [("a\tb", "tsv"), ("a\nb", "tsv"), ("a\rb", "tsv"), ("a\rb", "csv")])
    def test_render_names_with_separators_read_back(self, name: str, format: str) -> None:
        text = io.StringIO(render(named(name), format).decode(), newline="")
        rows = csv.DictReader(text, delimiter="," if format == "csv" else "\t")
        assert [row["run"] for row in rows] == [name]

    @given(st.floats(allow_nan=False))
    def test_every_value_reads_back(self, value: float) -> None:
        scores = make([[[value]]], ("r",), ("t",), ("AP",), ("mean",))
        text = render(scores, "tsv", per_topic=True).decode().split("\n")[1].split("\t")[3]
        assert float(text) == value

    def test_values_have_the_shortest_exact_form(self) -> None:
        scores = make([[[0.1], [1e22]]], ("r",), measures=("AP",), summaries=("mean",))
        lines = render(scores, "tsv", per_topic=True).decode().split("\n")
        assert [line.split("\t")[3] for line in lines[1:3]] == ["0.1", "1e+22"]

    def test_fractional_count_is_written_exactly(self) -> None:
        scores = make([[[0.5]]], ("r",), ("t",), ("gain",), ("sum",))
        assert render(scores, "tsv").decode().split("\n")[1] == "r\tall\tgain\t0.5"

    @given(st.lists(st.text(alphabet="ab\",;'\n é", min_size=1), unique=True, min_size=1, max_size=3))
    def test_csv_quotes(self, names: list[str]) -> None:
        if any(name != name.strip() for name in names):
            with pytest.raises(CranfieldError, match="starts or ends with a space"):
                render(named(*names), "csv")
            return
        text = render(named(*names), "csv").decode()
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        assert [row["run"] for row in rows] == names
        assert {row["topic"] for row in rows} == {"all"}

    def test_csv(self) -> None:
        text = render(named('say "hi", you'), "csv").decode()
        assert text == 'run,topic,measure,value\n"say ""hi"", you",all,AP,1.0\n'

    def test_jsonl(self, scores: Scores) -> None:
        lines = render(scores, "jsonl").decode().splitlines()
        assert [json.loads(line, parse_constant=pytest.fail) for line in lines] == [
            {"run": "bm25", "topic": "all", "measure": "AP", "value": pytest.approx(2 / 3)},
            {"run": "bm25", "topic": "all", "measure": "num_ret", "value": 1500},
            {"run": "dense", "topic": "all", "measure": "AP", "value": None},
            {"run": "dense", "topic": "all", "measure": "num_ret", "value": 2000},
        ]

    @pytest.mark.parametrize("per_topic", [False, True])
    @pytest.mark.parametrize("which", ["scores", "skipping"])
    def test_parquet_has_the_rows_of_tsv(self, which: str, per_topic: bool, request: pytest.FixtureRequest) -> None:
        scores = request.getfixturevalue(which)
        frame = pl.read_parquet(io.BytesIO(render(scores, "parquet", per_topic)))
        assert frame.schema["value"] == pl.Float64
        tsv = [line.split("\t") for line in render(scores, "tsv", per_topic).decode().splitlines()]
        assert frame.columns == tsv[0]
        assert [row[:3] for row in frame.rows()] == [tuple(row[:3]) for row in tsv[1:]]
        assert np.array_equal(frame["value"].to_numpy(), [float(row[3]) for row in tsv[1:]], equal_nan=True)


class TestJson:
    def test_summary(self, scores: Scores) -> None:
        text = render(scores, "json").decode()
        assert json.loads(text, parse_constant=pytest.fail) == {
            "runs": ["bm25", "dense"],
            "measures": ["AP", "num_ret"],
            "all": {
                "bm25": {"AP": pytest.approx(2 / 3), "num_ret": 1500},
                "dense": {"AP": None, "num_ret": 2000},
            },
            "notices": [{"kind": "ties", "run": "bm25", "text": "bm25 has ties.", "topics": ["301"]}],
        }
        assert text.startswith('{\n  "runs": [')

    def test_per_topic(self, scores: Scores, skipping: Scores) -> None:
        topics = json.loads(render(scores, "json", per_topic=True))["topics"]
        assert topics["dense"] == {
            "301": {"AP": 0.5, "num_ret": 1000},
            "302": {"AP": None, "num_ret": 1000},
        }
        skipped = json.loads(render(skipping, "json", per_topic=True))
        assert skipped["topics"]["dense"]["302"] == {"num_ret": 1000}
        assert skipped["all"]["dense"]["AP"] == 0.5

    def test_names_stay_readable(self) -> None:
        assert '"検索"' in render(named("検索"), "json").decode()


class TestPapers:
    def test_markdown(self) -> None:
        scores = make([[[0.25, 10], [0.5, 20]], [[0.75, 99], [0.25, 1]]])
        assert render(scores, "markdown").decode().split("\n") == [
            "| run | AP | num_ret |",
            "|:---|---:|---:|",
            "| bm25 | 0.3750 | 30 |",
            "| dense | **0.5000** | 100 |",
            "",
            "Mean over 2 topics, counts summed; best in bold.",
            "",
        ]

    def test_markdown_per_topic(self) -> None:
        scores = make([[[0.25, 10], [0.5, 20]], [[0.75, 99], [0.25, 1]]])
        lines = render(scores, "markdown", per_topic=True).decode().split("\n")
        assert lines[0] == "| run | topic | AP | num_ret |"
        assert lines[2:8] == [
            "| bm25 | 301 | 0.2500 | 10 |",
            "| bm25 | 302 | **0.5000** | 20 |",
            "| bm25 | all | 0.3750 | 30 |",
            "| dense | 301 | **0.7500** | 99 |",
            "| dense | 302 | 0.2500 | 1 |",
            "| dense | all | **0.5000** | 100 |",
        ]

    def test_ties_share_the_bold_and_nan_has_none(self) -> None:
        scores = make([[[0.5]], [[NAN]], [[0.5]]], ("a", "b", "c"), ("1",), ("AP",), ("mean",))
        lines = render(scores, "markdown").decode().split("\n")
        assert lines[2:5] == ["| a | **0.5000** |", "| b | nan |", "| c | **0.5000** |"]

    def test_equal_rounded_values_mark_only_the_best(self) -> None:
        scores = make([[[0.50001]], [[0.50002]]], topics=("1",), measures=("AP",), summaries=("mean",))
        assert render(scores, "markdown").decode().count("**") == 2

    def test_one_run_is_not_marked(self) -> None:
        text = render(named("alone"), "markdown").decode()
        assert "**" not in text
        assert text.endswith("\nMean over 1 topic.\n")

    @pytest.mark.parametrize(
        ("name", "escaped"),
        [
            ("a|b", r"a\|b"),
            ("a\\|b", r"a\\\|b"),
            ("bm25_k1_0.9", "bm25_k1_0.9"),
            ("_a_ *b* `c` [d](e) <f>", r"\_a\_ \*b\* \`c\` \[d\](e) \<f\>"),
            ("a\nb", r"a\\nb"),
        ],
    )
    def test_markdown_escapes(self, name: str, escaped: str) -> None:
        assert f"| {escaped} | 1.0000 |" in render(named(name), "markdown").decode()

    def test_latex(self) -> None:
        scores = make([[[0.25, 10], [0.5, 20]], [[0.75, 99], [0.25, 1]]], runs=("a_b", "c&d"))
        assert render(scores, "latex").decode().split("\n") == [
            r"% \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            r"\providecommand{\best}[1]{{\fontseries{b}\selectfont #1}}",
            r"\caption{Mean over 2 topics, counts summed; best in bold.}",
            r"\begin{tabular}{lrr}",
            r"\toprule",
            r"run & AP & num\_ret \\",
            r"\midrule",
            r"a\_b & 0.3750 & 30 \\",
            r"c\&d & \best{0.5000} & 100 \\",
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]

    def test_latex_per_topic(self) -> None:
        lines = render(named("a", "b"), "latex", per_topic=True).decode().split("\n")
        assert r"\begin{tabular}{llr}" in lines
        assert r"a & 301 & \best{1.0000} \\" in lines
        assert r"b & all & 0.9000 \\" in lines

    @pytest.mark.parametrize(
        ("name", "escaped"),
        [
            ("_&%$#{}", r"\_\&\%\$\#\{\}"),
            ("a~b^c\\d", r"a\textasciitilde{}b\textasciicircum{}c\textbackslash{}d"),
            ("[a]*", "{[}a{]}{*}"),
        ],
    )
    def test_latex_escapes(self, name: str, escaped: str) -> None:
        assert f"\n{escaped} & 1.0000" in render(named(name), "latex").decode()

    def test_caption_names_excluded_values(self, skipping: Scores, scores: Scores) -> None:
        said = "Mean over 2 topics, counts summed, undefined values excluded"
        assert said in render(skipping, "markdown").decode()
        assert "left out" not in render(scores, "markdown").decode()

    def test_a_topic_without_any_value_has_no_line_when_skipped(self) -> None:
        scores = make([[[NAN], [0.5]]], ("r",), measures=("AP",), summaries=("mean",), undefined="skip")
        lines = render(scores, "markdown", per_topic=True).decode().split("\n")
        assert lines[2:4] == ["| r | 302 | 0.5000 |", "| r | all | 0.5000 |"]

    def test_sums_only(self) -> None:
        scores = make([[[3]]], ("r",), ("1",), ("num_ret",), ("sum",))
        assert "\nSum over 1 topic.\n" in render(scores, "markdown").decode()


def test_render_invalid_unicode_raises() -> None:
    with pytest.raises(CranfieldError, match="found format='excel', expected one of table, tsv"):
        render(named("a"), "excel")


@pytest.mark.parametrize("format", FORMATS)
def test_render_empty_scores_is_valid(format: str) -> None:
    empty = make(np.zeros((0, 0, 0)), (), (), (), ())
    assert render(empty, format) is not None
    assert render(empty, format, per_topic=True) is not None


class TestTerminal:
    def test_table(self) -> None:
        scores = make(
            [[[0.25, 10], [0.5, 20]], [[0.75, 99], [0.25, 1]]],
            notes=(Note("ties", "bm25 has ties."), Note("x", "dense is unjudged.")),
        )
        assert table(scores).split("\n") == [
            "run        AP   num_ret",
            "─" * (5 + 2 + 7 + 2 + 7),
            "bm25   0.3750        30",
            "dense  0.5000*      100",
            "",
            "mean over 2 topics, counts summed · * best of 2 runs",
            "note: bm25 has ties.",
            "note: dense is unjudged.",
        ]

    def test_per_topic_and_nan(self, scores: Scores) -> None:
        lines = table(scores, per_topic=True).split("\n")
        assert lines[0].split() == ["run", "topic", "AP", "num_ret"]
        assert [line.split() for line in lines[2:8]] == [
            ["bm25", "301", "0.3333", "1000"],
            ["bm25", "302", "1.0000*", "500"],
            ["bm25", "all", "0.6667*", "1500"],
            ["dense", "301", "0.5000*", "1000"],
            ["dense", "302", "nan", "1000"],
            ["dense", "all", "nan", "2000"],
        ]

    def test_one_run_has_no_space_for_a_mark(self) -> None:
        assert table(named("alone")).split("\n") == [
            "run        AP",
            "─────────────",
            "alone  1.0000",
            "",
            "mean over 1 topic",
        ]

    def test_control_characters_in_names_are_escaped(self) -> None:
        text = table(named("[red]x", "[/]", ":smile:", "a\x1b[2J"))
        for name in ("[red]x", "[/]", ":smile:", r"a\x1b[2J"):
            assert f"\n{name} " in text
        assert "\x1b" not in text

    def test_wide_characters_keep_the_columns_aligned(self) -> None:
        lines = table(named("検索", "bm25")).split("\n")
        assert lines[2] == "検索  1.0000*"
        assert lines[3] == "bm25  0.9000"

    def test_colour_is_bold(self) -> None:
        text = table(named("a", "b"), colour=True)
        assert "\x1b[1m1.0000*\x1b[0m" in text
        assert text.replace("\x1b[1m", "").replace("\x1b[0m", "") == table(named("a", "b"))

    def test_long_names_are_never_cut(self) -> None:
        name = "a-very-long-name-" * 20
        for width in (None, 0, 40):
            assert name + "  1.0000*" in table(named(name, "b"), width=width)

    @given(st.integers(1, 12), st.integers(30, 100), st.booleans())
    def test_measures_too_wide_continue_below(self, measures: int, width: int, per_topic: bool) -> None:
        names = tuple(f"nDCG@{i}" for i in range(measures))
        values = np.random.default_rng(measures).random((2, 3, measures))
        scores = make(
            values,
            topics=("1", "2", "3"),
            measures=names,
            summaries=("mean",) * measures,
            notes=(Note("x", "many words " * 20), Note("y", "short")),
        )
        text = table(scores, per_topic, width)
        assert max(map(len, text.split("\n"))) <= width
        heads = [line for line in text.split("\n") if line.startswith("run")]
        assert [m for head in heads for m in head.split() if m.startswith("nDCG")] == list(names)
        whole = table(scores, per_topic)
        assert sorted(word for word in text.split() if "." in word) == sorted(
            word for word in whole.split() if "." in word
        )

    def test_notes_are_wrapped_under_themselves(self) -> None:
        scores = make([[[0.5]]], ("r",), ("1",), ("AP",), ("mean",), notes=(Note("x", "one two three"),))
        assert format_note_lines(scores.notes) == ["note: one two three"]
        assert table(scores, width=17).endswith("\nnote: one two\n      three")

    def test_nothing_to_show(self) -> None:
        empty = make(np.zeros((0, 0, 0)), (), (), (), ())
        assert table(empty).split("\n")[0] == "run"


def test_lower_is_better_marks_the_lowest() -> None:
    scores = make(
        [[[0.2, 5.0, 0.9]], [[0.1, 3.0, 0.1]]],
        ("a", "b"),
        ("1",),
        ("E", "Judged@10", "AP"),
        ("mean", "mean", "mean"),
        better=["lower", "neither", "higher"],
    )
    first, second = render(scores, "markdown").decode().splitlines()[2:4]
    assert first == "| a | 0.2000 | 5.0000 | **0.9000** |"
    assert second == "| b | **0.1000** | 3.0000 | 0.1000 |"
    assert Scores.from_json(scores.to_json()).better == ("lower", "neither", "higher")
    assert scores.select(measures=["AP", "E"]).better == ("higher", "lower")


def measurements(*columns: str) -> Scores:
    """Two runs, one topic, and columns with the values 0, 1, 2, … in the order of runs."""
    values = np.arange(2.0 * len(columns)).reshape(2, 1, -1)
    better = tuple("higher" if column.endswith("U") else "neither" for column in columns)
    means = ("mean",) * len(columns)
    return make(values, ("a", "b"), ("1",), columns, means, better=better)


class TestUserModels:
    """Models of which all five measurements are there have a table of their own."""

    @pytest.fixture
    def scores(self) -> Scores:
        models = [f"{model}.{name}" for model in ("INST(T=2)", "RBP") for name in MEASUREMENTS]
        return measurements("nDCG", *models, "BPM.ED")

    def test_markdown(self, scores: Scores) -> None:
        assert render(scores, "markdown").decode().split("\n") == [
            "| run | nDCG | BPM.ED |",
            "|:---|---:|---:|",
            "| a | 0.0000 | 11.0000 |",
            "| b | 12.0000 | 23.0000 |",
            "",
            "| run | user model | EU | ETU | EC | ETC | ED |",
            "|:---|:---|---:|---:|---:|---:|---:|",
            "| a | INST(T=2) | 1.0000 | 2.0000 | 3.0000 | 4.0000 | 5.0000 |",
            "| a | RBP | 6.0000 | 7.0000 | 8.0000 | 9.0000 | 10.0000 |",
            "| b | INST(T=2) | **13.0000** | **14.0000** | 15.0000 | 16.0000 | 17.0000 |",
            "| b | RBP | **18.0000** | **19.0000** | 20.0000 | 21.0000 | 22.0000 |",
            "",
            "Mean over 1 topic; best in bold.",
            "",
        ]

    def test_latex(self, scores: Scores) -> None:
        text = render(scores, "latex").decode()
        assert text.count(r"\begin{table}") == text.count(r"\caption") == 1
        first, second = text.split("\n\n\\bigskip\n")
        assert first.endswith("\n\\bottomrule\n\\end{tabular}")
        assert second.split("\n") == [
            r"\begin{tabular}{llrrrrr}",
            r"\toprule",
            r"run & user model & EU & ETU & EC & ETC & ED \\",
            r"\midrule",
            r"a & INST(T=2) & 1.0000 & 2.0000 & 3.0000 & 4.0000 & 5.0000 \\",
            r"a & RBP & 6.0000 & 7.0000 & 8.0000 & 9.0000 & 10.0000 \\",
            r"b & INST(T=2) & \best{13.0000} & \best{14.0000} & 15.0000 & 16.0000 & 17.0000 \\",
            r"b & RBP & \best{18.0000} & \best{19.0000} & 20.0000 & 21.0000 & 22.0000 \\",
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]

    def test_terminal(self, scores: Scores) -> None:
        blocks = [[line.split() for line in part.split("\n")] for part in table(scores).split("\n\n")]
        assert blocks[0][0] == ["run", "nDCG", "BPM.ED"]
        assert blocks[1][0] == ["run", "user", "model", *MEASUREMENTS]
        assert blocks[1][2][:4] == ["a", "INST(T=2)", "1.0000", "2.0000"]
        assert blocks[1][5][:4] == ["b", "RBP", "18.0000*", "19.0000*"]

    def test_per_topic(self, scores: Scores) -> None:
        lines = render(scores, "markdown", per_topic=True).decode().split("\n")
        assert "| run | topic | user model | EU | ETU | EC | ETC | ED |" in lines
        assert "| a | 1 | RBP | 6.0000 | 7.0000 | 8.0000 | 9.0000 | 10.0000 |" in lines
        assert "| a | all | RBP | 6.0000 | 7.0000 | 8.0000 | 9.0000 | 10.0000 |" in lines

    def test_only_user_models(self) -> None:
        text = render(measurements(*(f"RBP.{name}" for name in MEASUREMENTS)), "markdown").decode()
        assert text.startswith("| run | user model | EU |")

    def test_one_measurement_does_not_make_a_table(self) -> None:
        text = render(measurements(*(f"RBP.{name}" for name in MEASUREMENTS[:4])), "markdown").decode()
        assert text.startswith("| run | RBP.EU | RBP.ETU | RBP.EC | RBP.ETC |\n")

    def test_bounds_and_errors_follow_their_measure(self) -> None:
        """And a dash, for a model that does not have them."""
        bounded = [f"INST.{x}{bound}" for x in MEASUREMENTS for bound in ("", ".se", ".lower", ".upper")]
        scores = measurements(*(f"NCU.{name}" for name in MEASUREMENTS), *bounded)
        lines = render(scores, "markdown").decode().split("\n")
        assert lines[0].startswith("| run | user model | EU | EU.se | EU.lower | EU.upper | ETU | ETU.se | ETU.lower |")
        assert lines[2].startswith("| a | NCU | 0.0000 | – | – | – | 1.0000 | – | – | – | 2.0000 |")
        assert lines[3].startswith("| a | INST | 5.0000 | 6.0000 | 7.0000 | 8.0000 | 9.0000 |")

    @pytest.mark.parametrize("format", ["tsv", "csv", "json", "jsonl"])
    def test_machine_readable_formats_have_complete_names(self, scores: Scores, format: str) -> None:
        text = render(scores, format).decode()
        assert "INST(T=2).ETU" in text
        assert "user model" not in text


class TestBounds:
    COLUMNS = tuple(f"{name}.EU{bound}" for name in ("RBP", "INST(T=2)") for bound in ("", ".lower", ".upper"))

    def heads(self, width: int) -> list[list[str]]:
        text = table(measurements("nDCG", *self.COLUMNS), width=width)
        return [line.split() for line in text.split("\n") if line.startswith("run")]

    def test_stay_with_their_measure(self) -> None:
        """All take 3 + 8 + 9 + 14 + 14 + 15 + 20 + 20 = 103 cells with the gaps before them, 96 with
        gaps of one cell, and the last three alone 3 + 15 + 20 + 20 = 58.
        """
        first, last = ["nDCG", *self.COLUMNS[:3]], self.COLUMNS[3:]
        assert self.heads(103) == [["run", *first, *last]]
        assert self.heads(96) == [["run", *first, *last]]
        assert self.heads(95) == [["run", *first], ["run", *last]]
        assert self.heads(58) == [["run", *first], ["run", *last]]

    def test_part_where_three_are_too_wide(self) -> None:
        first, last = ["nDCG", *self.COLUMNS[:3]], self.COLUMNS[3:]
        assert self.heads(57) == [["run", *first], ["run", *last[:2]], ["run", last[2]]]


class TestLatexLayouts:
    """The body of a table is the same in every layout, what surrounds it differs."""

    scores = Scores(np.array([[[0.25], [0.5]]]), ("r",), ("1", "2"), ("AP",), ("mean",), better=("higher",))

    def write(self, **options: Any) -> list[str]:
        text: str = self.scores.to_latex(**options)
        return text.splitlines()

    def test_wide_table_spans_both_columns(self) -> None:
        usual = self.write()
        assert r"\begin{table}" in usual
        starred = [line.replace("{table}", "{table*}") for line in usual]
        assert self.write(layout="wide") == starred

    def test_resized_table_is_never_wider_than_the_line(self) -> None:
        lines, usual = self.write(layout="resize"), self.write()
        assert lines[0] == r"% \usepackage{booktabs,graphicx}"
        begin = lines.index(r"\begin{tabular}{lr}")
        assert lines[begin - 1] == r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
        assert r"\end{tabular}}" in lines
        assert "".join(lines).count("{") == "".join(lines).count("}")
        assert [line for line in lines if " & " in line] == [line for line in usual if " & " in line]

    @pytest.mark.parametrize("caption", ["above", "below"])
    def test_long_table_repeats_the_header_and_has_one_caption(self, caption: str) -> None:
        lines, usual = self.write(layout="long", caption=caption, label="tab:long"), self.write()
        head, *rows = [line for line in usual if " & " in line]
        assert lines.count(head) == 2
        assert [line for line in lines if " & " in line and line != head] == rows
        text = "\n".join(lines)
        assert text.count(r"\caption{") == text.count(r"\label{tab:long} \\") == 1
        assert (text.index(r"\caption{") < text.index(r"\endfirsthead")) == (caption == "above")
        assert r"\begin{table}" not in text
        assert text.index(r"\endhead") < text.index(r"\endfoot") < text.index(rows[0])

    def test_unknown_layout_raises(self) -> None:
        with pytest.raises(CranfieldError, match="layout='narrow'"):
            self.write(layout="narrow")
