"""Tables of results in every format: escaped, in full or rounded, wide, empty, whole."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.cli.arguments import resolve_arguments
from cranfield.cli.output import build_output_options, show
from cranfield.cli.parser import Parser, Part
from cranfield.display import TableResult
from cranfield.errors import CranfieldError
from cranfield.report import formats
from cranfield.report.formats import FORMATS, TableOutput
from cranfield.report.formats.latex import escape_text as escape_latex
from cranfield.report.formats.latex import format_number as latex_number
from cranfield.report.formats.markdown import escape_text as escape_markdown
from cranfield.scores import Note
from cranfield.stats.result import Sampled, format_p
from cranfield.stats.tables import build_p_column
from cranfield.tables import FLAT, Field, ResultTable, format_interval

NOTICE = Note("ties", "bm25 has ties.", "bm25", ("301",))
PAIRS = ResultTable(
    "pairs",
    [
        Field("run", ["bm25", "dense"], key=True),
        Field("mean_of_ap", [1 / 3, 0.25]),
        Field("count", [1234, 5]),
        Field("p", [0.5, 0.01], "p-value", ["0.5000", "0.0100*"]),
        Field("low", [0.1, 0.2], visible=False),
        Field("interval", None, "", ["[0.1, 0.4]", "[0.2, 0.3]"]),
    ],
    "Two runs.",
)
OTHER = ResultTable("other", [Field("topic", ["301"], key=True)], "One topic.")


def render(
    sheets: Sequence[ResultTable],
    format: str,
    notes: Sequence[Note] = (),
    width: int | None = None,
    settings: dict[str, Any] | None = None,
) -> bytes:
    return formats.render(TableOutput(sheets, notes, settings, width=width), format)


def text(*sheets: ResultTable, format: str = "table", width: int | None = None) -> str:
    return render(sheets, format, (NOTICE,), width).decode()


def frame(sheet: ResultTable) -> pl.DataFrame:
    return pl.read_parquet(io.BytesIO(render([sheet], "parquet")))


# What people see, what programs see


def test_table() -> None:
    assert text(PAIRS) == (
        "run    mean of ap  count  p-value  interval\n"
        "─────────────────────────────────────────────\n"
        "bm25       0.3333  1,234   0.5000  [0.1, 0.4]\n"
        "dense      0.2500      5  0.0100*  [0.2, 0.3]\n"
        "\n"
        "Two runs.\n"
        "note: bm25 has ties.\n"
    )


def test_markdown() -> None:
    assert text(PAIRS, format="markdown").splitlines() == [
        "| run | mean of ap | count | p-value | interval |",
        "|:---|---:|---:|---:|:---|",
        "| bm25 | 0.3333 | 1,234 | 0.5000 | \\[0.1, 0.4\\] |",
        "| dense | 0.2500 | 5 | 0.0100\\* | \\[0.2, 0.3\\] |",
        "",
        "Two runs.",
    ]


def test_latex() -> None:
    assert text(PAIRS, format="latex").splitlines() == [
        r"% \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        r"\caption{Two runs.}",
        r"\begin{tabular}{lrrrl}",
        r"\toprule",
        r"run & mean of ap & count & p-value & interval \\",
        r"\midrule",
        r"bm25 & 0.3333 & 1,234 & 0.5000 & {[}0.1, 0.4{]} \\",
        r"dense & 0.2500 & 5 & 0.0100{*} & {[}0.2, 0.3{]} \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


ROWS: list[dict[str, Any]] = [
    {"run": "bm25", "mean_of_ap": 1 / 3, "count": 1234, "p": 0.5, "low": 0.1},
    {"run": "dense", "mean_of_ap": 0.25, "count": 5, "p": 0.01, "low": 0.2},
]


def test_machine_readable_formats_have_exact_values() -> None:
    assert PAIRS.rows == ROWS
    assert frame(PAIRS).to_dicts() == ROWS
    lines = text(PAIRS, format="jsonl").splitlines()
    assert [json.loads(line) for line in lines] == ROWS
    for format, separator in (("tsv", "\t"), ("csv", ",")):
        header, *rows = csv.reader(io.StringIO(text(PAIRS, format=format)), delimiter=separator)
        assert header == list(ROWS[0])
        assert rows == [[str(value) for value in row.values()] for row in ROWS]


def test_json_has_all_tables_captions_and_notes() -> None:
    assert json.loads(text(PAIRS, OTHER, format="json")) == {
        "pairs": ROWS,
        "other": [{"topic": "301"}],
        "captions": {"pairs": "Two runs.", "other": "One topic."},
        "notices": [{"kind": "ties", "text": "bm25 has ties.", "run": "bm25", "topics": ["301"]}],
    }


def test_json_has_the_settings_if_there_are_any() -> None:
    settings = {"test": "t", "alpha": 0.05, "trials": None, "baselines": ["bm25"]}
    assert json.loads(render([OTHER], "json", settings=settings))["settings"] == settings
    assert "settings" not in json.loads(render([OTHER], "json"))
    assert render([OTHER], "table", settings=settings) == render([OTHER], "table")


def test_flat_formats_contain_the_first_table() -> None:
    for format in FLAT:
        assert render([OTHER, PAIRS], format) == render([OTHER], format)


def test_paper_formats_contain_all_tables() -> None:
    assert text(PAIRS, OTHER, format="latex").count(r"\begin{table}") == 2
    assert "One topic." in text(PAIRS, OTHER, format="markdown")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back(value: float) -> None:
    sheet = ResultTable("x", [Field("value", [value])])
    assert json.loads(text(sheet, format="json"))["x"] == [{"value": value}]
    assert float(text(sheet, format="tsv").splitlines()[1]) == value


# Numbers in papers


@pytest.mark.parametrize(
    ("shown", "latex"),
    [
        ("-0.0380", "$-$0.0380"),
        ("[-0.25, -inf]", r"{[}$-$0.25, $-$$\infty${]}"),
        ("+inf", r"+$\infty$"),
        ("0.2146 +a -b", "0.2146 +a $-$b"),
        ("<1e-05*", r"\textless{}1e$-$05{*}"),
        ("1-5", "1-5"),
        ("–", "--"),
    ],
)
def test_minus_signs_are_no_hyphens_in_latex(shown: str, latex: str) -> None:
    assert latex_number(shown) == latex


def test_hyphens_of_names_stay_hyphens() -> None:
    fields = [
        Field("run", ["x -a", "y"], key=True),
        Field("label", ["-b", "inf"]),
        Field("difference", [-0.5, -math.inf]),
    ]
    lines = text(ResultTable("x", fields, "+ better and - worse."), format="latex").splitlines()
    assert r"x -a & -b & $-$0.5000 \\" in lines
    assert r"y & inf & $-$$\infty$ \\" in lines
    assert r"\caption{+ better and $-$ worse.}" in lines


BEST = ResultTable(
    "results",
    [
        Field("run", ["bm25", "dense"], key=True),
        Field("AP", [0.25, 0.5], marks=["a", "b"], best=[False, True]),
        Field("cost", [3, 3], best=[True, True]),
    ],
    "Means.",
)


def test_the_best_is_bold_in_papers_without_its_marks() -> None:
    markdown = text(BEST, format="markdown").splitlines()
    assert markdown[2:] == [
        "| bm25 | 0.2500 a | **3** |", "| dense | **0.5000** b | **3** |", "",
        "Means. Best in bold.",
    ]  # fmt: skip
    latex = text(BEST, format="latex").splitlines()
    assert r"dense & \best{0.5000} & b & \best{3} \\" in latex
    assert r"\begin{tabular}{lr@{\,}lr}" in latex
    assert r"\caption{Means. Best in bold.}" in latex


def test_terminal_separates_letters_from_numbers() -> None:
    assert text(BEST).splitlines()[:6] == [
        "run        AP     cost",
        "───────────────────────",
        "bm25   0.2500  a     3*",
        "dense  0.5000* b     3*",
        "",
        "Means. * marks the best.",
    ]


def test_machine_readable_formats_have_no_marks() -> None:
    for format in ("json", "csv"):
        assert "*" not in text(BEST, format=format)
        assert "bold" not in text(BEST, format=format)


# Names


@pytest.mark.parametrize(
    ("name", "markdown", "latex"),
    [
        ("a|b", r"a\|b", r"a\textbar{}b"),
        ("bm25_v1", "bm25_v1", r"bm25\_v1"),
        ("_x_", r"\_x\_", r"\_x\_"),
        ("50%", "50%", r"50\%"),
        ("<script>", r"\<script\>", r"\textless{}script\textgreater{}"),
        ("a&b", r"a\&b", r"a\&b"),
        ("$x^2$", "$x^2$", r"\$x\textasciicircum{}2\$"),
        ("a\\b~", r"a\\b\~", r"a\textbackslash{}b\textasciitilde{}"),
        ("[x]*", r"\[x\]\*", "{[}x{]}{*}"),
        ("τ ↓ α →", "τ ↓ α →", r"$\tau$ $\downarrow$ $\alpha$ $\rightarrow$"),
        ("“so”", "“so”", "``so''"),
        ("x\x1b[2J", r"x\\x1b\[2J", r"x\textbackslash{}x1b{[}2J"),
        ("a\nb", r"a\\nb", r"a\textbackslash{}nb"),
    ],
)
def test_names_are_escaped(name: str, markdown: str, latex: str) -> None:
    assert escape_markdown(name) == markdown
    assert escape_latex(name) == latex
    sheet = ResultTable("x", [Field("run", [name], head=name, key=True)], f"{name}.")
    assert text(sheet, format="markdown").splitlines() == [
        f"| {markdown} |", "|:---|", f"| {markdown} |", "", f"{markdown}.",
    ]  # fmt: skip
    made = text(sheet, format="latex").splitlines()
    assert made.count(rf"{latex} \\") == 2  # head and cell
    assert rf"\caption{{{latex}.}}" in made


@given(st.text(max_size=8))
def test_no_name_breaks_a_table(name: str) -> None:
    """Whatever it is, people see a row on a line, and JSON and CSV give it back."""
    sheet = ResultTable("x", [Field("run", [name], key=True), Field("v", [0.5])])
    assert len(text(sheet).splitlines()) == len(["head", "rule", "row", "blank", "note"])
    assert len(text(sheet, format="markdown").splitlines()) == len(["head", "rule", "row"])
    assert json.loads(text(sheet, format="json"))["x"] == [{"run": name, "v": 0.5}]
    for format, dialect in (("csv", csv.excel), ("tsv", csv.excel_tab)):
        if name == name.strip(" \t\n\r\v\f"):
            table = io.StringIO(text(sheet, format=format), newline="")
            assert [*csv.DictReader(table, dialect=dialect)] == [{"run": name, "v": "0.5"}]


@pytest.mark.parametrize("format", ["csv", "tsv"])
@pytest.mark.parametrize("name", [" a", "a ", "a\t", "\na", "\f"])
def test_render_name_with_outer_space_raises(name: str, format: str) -> None:
    with pytest.raises(CranfieldError, match="starts or ends with a space"):
        render([ResultTable("x", [Field("run", [name])])], format)


def test_control_characters_do_not_reach_the_terminal() -> None:
    sheet = ResultTable("x", [Field("run", ["bm25\x1b[2J"], key=True)])
    made = render([sheet], "table", [Note("x", "bad\x07")]).decode()
    assert "bm25\\x1b[2J" in made
    assert "note: bad\\x07" in made
    assert made.replace("\n", "").isprintable()


# Values that are none


ODD = ResultTable(
    "odd",
    [
        Field("run", ["a", "b", "c"], key=True),
        Field("value", [None, math.nan, math.inf]),
        Field("nothing", [None, None, None]),
        Field("mixed", [1, 0.5, None]),
        Field("sure", [True, False, None]),
    ],
)


def test_special_values_are_displayed() -> None:
    assert text(ODD).splitlines()[2:5] == [
        "a        –  –             1   yes",
        "b      nan  –        0.5000    no",
        "c      inf  –             –     –",
    ]


def test_special_values_in_machine_readable_formats() -> None:
    rows = json.loads(text(ODD, format="json"))["odd"]
    assert [row["value"] for row in rows] == [None, None, "inf"]
    assert [row["nothing"] for row in rows] == [None] * 3
    assert [row["sure"] for row in rows] == [True, False, None]
    assert [json.loads(line) for line in text(ODD, format="jsonl").splitlines()] == rows
    assert text(ODD, format="csv").splitlines()[1:] == [
        "a,,,1,True", "b,nan,,0.5,False", "c,inf,,,",
    ]  # fmt: skip


def test_special_values_in_parquet() -> None:
    """A column of None only, and one that begins with a whole number."""
    read = frame(ODD)
    assert read["nothing"].to_list() == [None, None, None]
    assert read["mixed"].to_list() == [1.0, 0.5, None]
    assert read["value"].to_list()[2] == math.inf


def test_nothing_is_shown_as_minus_zero() -> None:
    assert text(ResultTable("x", [Field("v", [-1e-9])])).splitlines()[2].strip() == "0.0000"


@pytest.mark.parametrize(
    ("pvalue", "trials", "least", "shown"),
    [
        (0.04999, None, False, "0.0500"),
        (0.00004, None, False, "<0.0001"),
        (1 / 1001, 1000, True, "<0.001"),
        (1 / 10_001, 10_000, True, "<0.0001"),
        (1 / 100_001, 100_000, True, "<1e-05"),
        (1 / 1001, 1000, False, "0.0010"),
        (0.0, None, False, "<0.0001"),
        (1.0, 100, False, "1.0000"),
    ],
)
def test_p_values_are_never_zero(pvalue: float, trials: int | None, least: bool, shown: str) -> None:
    assert format_p(pvalue, trials, least) == shown


# Tables that are wide, or empty


def test_wide_tables_are_split_and_keys_repeated() -> None:
    names = [f"column{i}" for i in range(6)]
    sheet = ResultTable(
        "wide",
        [Field("run", ["bm25"], key=True), *(Field(name, [0.5]) for name in names)],
        "A caption that is longer than the terminal is wide.",
    )
    narrow = text(sheet, width=40)
    assert max(map(len, narrow.splitlines())) <= 40
    assert narrow.count("bm25 ") == 2 + 1  # both parts, and the note
    assert all(narrow.count(name) == 1 for name in names)
    assert text(sheet).splitlines()[0].split() == ["run", *names]


def test_names_wider_than_the_terminal_are_not_cut() -> None:
    name = "a-very-long-name-of-a-run-that-nobody-wants"
    sheet = ResultTable("x", [Field("run", [name], key=True), Field("v", [0.5]), Field("w", [0.25])])
    narrow = text(sheet, width=20)
    assert narrow.count(name) == 2
    assert "0.5000" in narrow
    assert "0.2500" in narrow


EMPTY = ResultTable("empty", [Field("run", [], key=True), Field("v", [])], "Nothing changed.")


def test_empty_tables() -> None:
    assert text(EMPTY).startswith("run  v\n──────\n\nNothing changed.\n")
    assert text(EMPTY, format="tsv") == "run\tv\n"
    assert text(EMPTY, format="csv") == "run,v\n"
    assert text(EMPTY, format="jsonl") == ""
    assert json.loads(text(EMPTY, format="json"))["empty"] == []
    assert text(EMPTY, format="markdown").startswith("| run | v |\n|:---|:---|\n\nNothing")
    assert "\\midrule\n\\bottomrule" in text(EMPTY, format="latex")
    assert frame(EMPTY).columns == ["run", "v"]
    assert frame(EMPTY).height == 0


def test_display_only_tables_are_not_in_json() -> None:
    people = ResultTable("people", [Field("x", None, texts=["a"])])
    assert json.loads(text(people, format="json")).keys() == {"captions", "notices"}


def test_tables_below_each_other_in_latex() -> None:
    first = ResultTable("a", [Field("a", ["1"])])  # without a caption of its own
    lines = text(first, ResultTable("b", [Field("b", [1])], "Two."), format="latex").splitlines()
    assert lines.count(r"\caption{Two.}") == 1
    assert lines.count(r"\bigskip") == 1
    assert lines.count(r"\begin{tabular}{l}") == lines.count(r"\begin{tabular}{r}") == 1
    assert lines.count(r"\end{table}") == 1


# The options


class Two(TableResult):
    """A result with two tables."""

    notes = (NOTICE,)
    default_tables: ClassVar[list[str]] = []

    def _build_tables(self) -> list[ResultTable]:
        return [PAIRS, OTHER]

    def _select_tables(self, format: str) -> tuple[str, ...]:
        return tuple(self.default_tables)


@pytest.fixture(autouse=True)
def default_tables(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the default tables of `Two`."""
    names: list[str] = []
    monkeypatch.setattr(Two, "default_tables", names)
    return names


def shown(capsysbinary: pytest.CaptureFixture[bytes], *arguments: str) -> tuple[str, str]:
    """What ends up on standard output and standard error."""
    parser = Parser(Part("two", build_output_options(("pairs", "other", "third"))))
    options = parser.parse(arguments)
    resolve_arguments(options)
    show(Two(), options)
    out, err = capsysbinary.readouterr()
    return out.decode(), err.decode()


def test_show_selects_all_default_or_named_tables(
    capsysbinary: pytest.CaptureFixture[bytes], default_tables: list[str]
) -> None:
    out, err = shown(capsysbinary)
    assert "Two runs." in out
    assert "One topic." in out
    assert err == "note: bm25 has ties.\n"
    default_tables += ["pairs", "third"]
    assert "One topic." not in shown(capsysbinary)[0]
    asked = shown(capsysbinary, "--table", "other", "--table", "pairs")[0]
    assert asked.index("One topic.") < asked.index("Two runs.")


@pytest.mark.parametrize("format", FORMATS)
def test_notes_go_to_standard_error(format: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """Unless they are part of the file: JSON and HTML have them."""
    parser = Parser(Part("two", build_output_options(("pairs", "other"))))
    show(Two(), parser.parse(["-f", format]))
    out, err = capsysbinary.readouterr()
    held = format in ("json", "html")
    assert err == (b"" if held else b"note: bm25 has ties.\n")
    assert out == render([PAIRS, OTHER], format, [NOTICE] if held else [])


@pytest.mark.parametrize("terminal", [True, False])
def test_a_terminal_has_notes_below_the_table(
    terminal: bool, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size((80, 24)))
    out, err = shown(capsysbinary)
    assert ("note: bm25 has ties." in out) == terminal
    assert ("note: bm25 has ties." in err) == (not terminal)


def test_mistakes(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CranfieldError, match="found 2 tables, expected one table: csv can contain only one"):
        shown(capsysbinary, "-f", "csv", "--table", "pairs", "--table", "other")
    with pytest.raises(CranfieldError, match="found table third, expected a table of this result: pairs, other"):
        shown(capsysbinary, "--table", "third")
    with pytest.raises(SystemExit):
        shown(capsysbinary, "--table", "nothing")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size((80, 24)))
    with pytest.raises(CranfieldError, match=r"Parquet cannot be written to a terminal. Use -o FILE."):
        shown(capsysbinary, "-f", "parquet")


def test_files_are_written_completely_or_not_at_all(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    file = tmp_path / "x.parquet"
    assert shown(capsysbinary, "-f", "parquet", "-o", str(file))[0] == ""
    assert pl.read_parquet(file).to_dicts() == ROWS
    with pytest.raises(CranfieldError):
        shown(capsysbinary, "-o", str(tmp_path / "no" / "such" / "place"))


def test_one_table_needs_no_option() -> None:
    parser = Parser(Part("one", build_output_options(("pairs",))))
    assert "--table" not in parser.format_complete_help()


# Tables


def test_format_interval_end_near_zero_has_no_minus() -> None:
    assert format_interval(-1e-9, 0.5) == "[0.0000, 0.5000]"
    assert format_interval(-1.0, -1e-9, "+") == "[-1.0000, +0.0000]"


def test_build_p_column_p_at_alpha_has_a_star() -> None:
    assert build_p_column([Sampled(4, 99, seed=0), Sampled(5, 99, seed=0)], 0.05).marks == ["*", ""]
