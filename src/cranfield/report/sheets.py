"""Results that are tables: in full for programs, rounded and with words for people."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from cranfield.report import columns as blocks
from cranfield.report import papers
from cranfield.report.formats import FORMATS
from cranfield.report.rows import as_json, separated
from cranfield.report.terminal import parts_of, wrapped
from cranfield.scores import Notice, four_decimals, json_number
from cranfield.stats.families import TESTS
from cranfield.stats.result import Sampled, shown_p
from cranfield.wording import counted

if TYPE_CHECKING:
    import polars as pl

FLAT = ("tsv", "csv", "jsonl", "parquet")
"""Formats that hold one table."""
PAPER = ("markdown", "latex")

PROGRAMS = (*FLAT, "json")

__all__ = [
    "FLAT", "FORMATS", "PAPER", "PROGRAMS", "Field", "Sheet", "columns", "constants", "how_tested",
    "interval_fields", "interval_text", "p_field", "percent", "render", "runs_on", "settings_of",
    "shown_of", "shown_p", "signed", "topics_text", "with_interval",
]  # fmt: skip


@dataclass(frozen=True)
class Field:
    """A column. Programs see `name` and `values`, people `head` and `texts`.

    Without a head people see the name; without texts the values, numbers with four decimals.
    `values` None is for people only, `people` False for programs only. `key` fields name a row,
    and are repeated where a table is too wide for the screen. What is `best` is bold in papers: the
    first word of its text, which others may follow as marks.
    """

    name: str
    values: Sequence[Any] | None
    head: str = ""
    texts: Sequence[str] | None = None
    people: bool = True
    key: bool = False
    best: Sequence[bool] = ()

    @property
    def shown(self) -> list[str]:
        """What people see of each value."""
        return list(map(_text, self.values or ())) if self.texts is None else list(self.texts)

    @property
    def is_text(self) -> bool:
        """Whether it is written to the left."""
        values = self.values if self.values is not None else (self.texts or ())
        return self.key or all(isinstance(value, str) or value is None for value in values)

    @property
    def is_name(self) -> bool:
        """Whether its texts are names, in which a hyphen is no minus."""
        return self.key or any(isinstance(value, str) for value in self.values or ())


@dataclass(frozen=True)
class Sheet:
    """A table with a name, and a caption that says what it shows.

    >>> sheet = Sheet("pairs", [Field("run", ["bm25"], key=True), Field("p", [0.0125])], "One.")
    >>> print(render([sheet], "table").decode())
    run        p
    ────────────
    bm25  0.0125
    <BLANKLINE>
    One.
    <BLANKLINE>
    """

    name: str
    fields: Sequence[Field]
    caption: str = ""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """What programs see, a dictionary for each row."""
        columns = {f.name: f.values for f in self.fields if f.values is not None}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def frame(self, *names: str) -> pl.DataFrame:
        """What programs see as a frame: all columns, or those named."""
        import polars as pl

        data = pl.DataFrame(self.rows)
        return data.select(names) if names else data

    @property
    def for_programs(self) -> bool:
        """Whether programs see anything of it, be it no rows."""
        return any(field.values is not None for field in self.fields)

    @property
    def seen(self) -> list[Field]:
        """What people see."""
        return [field for field in self.fields if field.people]


def render(
    sheets: Sequence[Sheet],
    format: str,
    notices: Iterable[Notice] = (),
    width: int | None = None,
    settings: Mapping[str, Any] | None = None,
) -> bytes:
    """Tables as the content of a file, or of a terminal of that width.

    The formats of FLAT hold one table, the first; JSON has all, with captions and notices, and the
    settings that captions tell in words.
    """
    if format == "table":
        return _table(sheets, notices, width).encode()
    if format == "json":
        return as_json(
            {
                **{x.name: [*map(_json_row, x.rows)] for x in sheets if x.for_programs},
                **({} if settings is None else {"settings": _json_row(settings)}),
                "captions": {x.name: x.caption for x in sheets if x.for_programs},
                "notices": [asdict(notice) for notice in notices],
            }
        ).encode()
    if format == "markdown":
        return "\n".join(line for sheet in sheets for line in _markdown(sheet)).encode()
    if format == "latex":
        return "\n".join(line for sheet in sheets for line in _latex(sheet)).encode()
    return _FLAT[format](sheets[0])


# -- for programs ---------------------------------------------------------------------------------


def _separated(sheet: Sheet, format: str) -> bytes:
    names = [field.name for field in sheet.fields if field.values is not None]
    return separated([names, *(row.values() for row in sheet.rows)], format).encode()


def _jsonl(sheet: Sheet) -> bytes:
    return "".join(as_json(_json_row(row), indent=None) for row in sheet.rows).encode()


def _parquet(sheet: Sheet) -> bytes:
    import polars as pl

    file = io.BytesIO()
    columns = {f.name: list(f.values) for f in sheet.fields if f.values is not None}
    pl.DataFrame(columns, strict=False).write_parquet(file)  # 1 and 0.5 are both numbers
    return file.getvalue()


_FLAT: dict[str, Callable[[Sheet], bytes]] = {
    "tsv": lambda sheet: _separated(sheet, "tsv"),
    "csv": lambda sheet: _separated(sheet, "csv"),
    "jsonl": _jsonl,
    "parquet": _parquet,
}


def _json_row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {k: json_number(v) if isinstance(v, float) else v for k, v in row.items()}


# -- for people -----------------------------------------------------------------------------------


def _table(sheets: Sequence[Sheet], notices: Iterable[Notice], width: int | None) -> str:
    parts = [text for sheet in sheets for text in _blocks(sheet, width)]
    notes = [line for text in blocks.notice_lines(notices) for line in wrapped(text, width)]
    return "\n\n".join([*parts, *(["\n".join(notes)] if notes else [])]) + "\n"


def _blocks(sheet: Sheet, width: int | None) -> list[str]:
    keys = [_column(field) for field in sheet.seen if field.key]
    others = [_column(field) for field in sheet.seen if not field.key]
    parts = [*parts_of(keys, [[column] for column in others], width)]
    room = len(blocks.GAP) + blocks.width_of(others)
    if width and len(parts) > 2 and room <= width:  # names are too long
        made = [blocks.stacked(keys, others)]
    else:
        made = [blocks.block([*keys, *part]) for part in parts]
    caption = "\n".join(
        line for text in sheet.caption.splitlines() for line in wrapped(text, width)
    )
    return [*made, *([caption] if caption else [])]


def _column(field: Field) -> blocks.Column:
    return (blocks.left if field.is_text else blocks.right)(_head(field), field.shown)


def _head(field: Field) -> str:
    return field.head or field.name.replace("_", " ")


def _of_paper(
    sheet: Sheet, name: Callable[[str], str], number: Callable[[str], str], bold: str
) -> tuple[list[str], list[bool], list[list[str]]]:
    """Heads, which columns are to the left, and rows: names and numbers escaped, the best bold."""
    seen = sheet.seen
    columns = [_cells(field, name if field.is_name else number, bold) for field in seen]
    rows = [list(row) for row in zip(*columns, strict=True)]
    return [name(_head(field)) for field in seen], [field.is_text for field in seen], rows


def _cells(field: Field, escape: Callable[[str], str], bold: str) -> list[str]:
    texts = [escape(text) for text in field.shown]
    if not field.best:
        return texts
    words = [text.split(" ", 1) for text in texts]
    return [
        " ".join([bold.format(first), *marks]) if best else text
        for text, (first, *marks), best in zip(texts, words, field.best, strict=True)
    ]


def _caption(sheet: Sheet) -> str:
    """The caption in a paper, which says what bold means."""
    bold = any(any(field.best) for field in sheet.seen)
    return f"{sheet.caption} Best in bold.".strip() if bold else sheet.caption


def _markdown(sheet: Sheet) -> list[str]:
    escape = papers.escape_markdown
    lines = papers.markdown_table(*_of_paper(sheet, escape, escape, "**{}**"))
    caption = escape(_caption(sheet))
    return [*lines, "", *((caption, "") if caption else ())]


def _latex(sheet: Sheet) -> list[str]:
    cells = _of_paper(sheet, papers.escape_latex, papers.latex_number, r"\textbf{{{}}}")
    caption = _caption(sheet).replace(" - ", " − ")  # the sign of a mark
    return [*papers.latex_table(caption, [papers.tabular(*cells)]), ""]


def _text(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return four_decimals(value).replace("-0.0000", "0.0000")
    return f"{value:,}" if isinstance(value, int) else str(value)


# -- columns --------------------------------------------------------------------------------------


def columns(rows: Iterable[Any]) -> Callable[..., Field]:
    """What makes the columns of a table that has these rows.

    A column has the attribute of its name, or what `value` says of a row; people see `text` of it.

    >>> pairs = [Sheet("a", ()), Sheet("b", ())]
    >>> of = columns(pairs)
    >>> of("name", key=True).values, of("size", lambda sheet: len(sheet.fields), text=hex).texts
    (['a', 'b'], ['0x0', '0x0'])
    """
    rows = tuple(rows)

    def column(
        name: str,
        value: Callable[[Any], Any] | None = None,
        head: str = "",
        text: Callable[[Any], str] | None = None,
        people: bool = True,
        key: bool = False,
    ) -> Field:
        values = [*map(value or attrgetter(name), rows)]
        texts = None if text is None else [*map(text, values)]
        return Field(name, values, head, texts, people, key)

    return column


def constants(settings: Mapping[str, Any], rows: Sequence[Any]) -> list[Field]:
    """Columns for programs that say the same of each row."""
    return [Field(name, [value] * len(rows), people=False) for name, value in settings.items()]


def settings_of(found: Any, *names: str) -> dict[str, Any]:
    """Attributes of a result by name; of several things, how many there are."""
    values = {name: getattr(found, name) for name in names}
    return {name: len(x) if isinstance(x, tuple) else x for name, x in values.items()}


def how_tested(
    test: str, trials: int | None, seed: int | None, enumerated: bool, also: str = ""
) -> list[str]:
    """What was done, in parts of a sentence: the test, what its p-values rest on, what else.

    >>> how_tested("t", None, None, False, "no correction")
    ['paired t-test', 'no correction']
    """
    drawn = f"{counted(trials or 0, 'trial')}, seed {seed}"
    how = "all outcomes enumerated" if enumerated else drawn
    row = TESTS[test]
    return [row.title, *([how] if row.random else []), *([also] if also else [])]


def shown_of(pvalue: float, sampled: Sampled | None) -> str:
    """The p-value of a test, perhaps corrected, that may have counted trials.

    >>> from cranfield.stats.result import Sampled
    >>> shown_of(1 / 1001, Sampled(0, 1000, seed=0)), shown_of(3 / 1001, Sampled(0, 1000, seed=0))
    ('<0.001', '0.0030')
    """
    if sampled is None:
        return shown_p(pvalue)
    least = sampled.count == 0 and pvalue == sampled.pvalue  # corrected, it is another bound
    return shown_p(pvalue, sampled.trials, least)


def p_field(
    name: str, pvalues: Sequence[float], texts: Sequence[str], alpha: float, head: str = "p"
) -> Field:
    """A column of p-values, with a star at those that are at most `alpha`.

    >>> p_field("pvalue", [0.01, 0.2], ["0.0100", "0.2000"], 0.05).shown
    ['0.0100*', '0.2000 ']
    """
    stars = ["*" if p <= alpha else " " for p in pvalues]
    if "*" not in stars:
        return Field(name, pvalues, head, texts)
    marked = [text + star for text, star in zip(texts, stars, strict=True)]
    return Field(name, pvalues, f"{head} ", marked)


def interval_fields(rows: Sequence[Any], confidence: float, sign: str = "") -> list[Field]:
    """The columns of what has an interval: for programs low and high, for people both in one."""
    texts = [interval_text(row.low, row.high, sign) for row in rows]
    shown = Field("interval", None, f"{percent(confidence)} interval", texts)
    return [*(columns(rows)(end, people=False) for end in ("low", "high")), shown]


def interval_text(low: float, high: float, sign: str = "") -> str:
    """An interval; with "+" as `sign`, of differences.

    >>> interval_text(0.25, 0.5), interval_text(-0.25, 0.5, "+")
    ('[0.2500, 0.5000]', '[-0.2500, +0.5000]')
    """
    return f"[{low:{sign}z.4f}, {high:{sign}z.4f}]"


def with_interval(value: float, low: float, high: float) -> str:
    """A value and its interval, in one cell."""
    return f"{four_decimals(value)} {interval_text(low, high)}"


def signed(value: float) -> str:
    """A difference.

    >>> signed(0.25), signed(-0.5), signed(-1e-9)
    ('+0.2500', '-0.5000', '+0.0000')
    """
    return f"{value:+z.4f}"


def percent(share: float) -> str:
    """A confidence or a rate.

    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * share:g}%"


def runs_on(runs: int, *topics: int) -> str:
    """What was evaluated: so many runs on so many topics, by each measure.

    >>> runs_on(12, 50), runs_on(12, 50, 47)
    ('12 runs on 50 topics', '12 runs on 47 to 50 topics')
    """
    return f"{counted(runs, 'run')} on {topics_text(topics)}"


def topics_text(counts: Iterable[int]) -> str:
    """How many topics there are, if measures may have different ones.

    >>> topics_text([50, 50]), topics_text([50, 47])
    ('50 topics', '47 to 50 topics')
    """
    ordered = sorted(counts)
    few, many = ordered[0], ordered[-1]
    return counted(many, "topic") if few == many else f"{few:,} to {many:,} topics"
