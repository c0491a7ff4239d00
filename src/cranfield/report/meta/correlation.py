"""Do measures, or sets of judgments, rank runs alike?

Correlate the rankings of runs by every two measures, or those of every measure by two sets of
judgments, with intervals from resampled topics.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from cranfield.errors import InputError
from cranfield.late import pl
from cranfield.meta.correlation import TRIALS, CorrelationMatrix, correlation
from cranfield.meta.rankings import STATISTICS, P
from cranfield.report import charts, options, places
from cranfield.report import sheets as tables
from cranfield.report.charts import Plane, decimals
from cranfield.report.look import PLAIN, Look
from cranfield.report.meta import Method, Work
from cranfield.report.pictures import Picture
from cranfield.report.places import shortened
from cranfield.wording import rounded

TABLES = ("matrix", "pairs")


def title(found: CorrelationMatrix) -> str:
    """The statistic, as people call it."""
    return STATISTICS[found.statistic].title + ("" if found.p is None else f" (p = {found.p:g})")


def caption(found: CorrelationMatrix) -> str:
    """What was compared, on what, and how intervals were found."""
    what = f"the rankings by {' and '.join(found.sets) or 'two measures'}"
    if STATISTICS[found.statistic].has_gold:
        gold = found.sets[0] if found.sets else "the one above the column"
        what += f", {gold} being the gold one"
    return (
        f"{title(found)} between {what}: {_counts(found)} "
        f"({found.trials:,} trials, seed {found.seed})."
    )


def _counts(found: CorrelationMatrix) -> str:
    """How many runs and topics there are, and what the intervals are."""
    size = tables.runs_on(len(found.runs), found.topics)
    return f"{size}; {tables.percent(found.confidence)} intervals by bootstrap of topics"


def sheets(found: CorrelationMatrix) -> list[tables.Sheet]:
    """The matrix, for people; and a row for each pair. Between two sets there are rows only."""
    matrix = [] if found.between == "sets" else [matrix_sheet(found)]
    return [*matrix, pairs_sheet(found)]


def matrix_sheet(found: CorrelationMatrix) -> tables.Sheet:
    """Measures against measures; of a symmetric statistic the upper triangle."""
    pairs = [(row["x"], row["y"]) for row in found.rows()]
    texts = {pair: tables.with_interval(found[pair]) for pair in pairs}
    rows, others = found.names[: -1 if found.symmetric else None], found.names[found.symmetric :]
    key = tables.Field("measure", None, texts=rows, key=True)
    cells = tables.grid(rows, others, lambda x, y: texts.get((x, y), ""))
    return tables.Sheet("matrix", [key, *cells], caption(found))


def pairs_sheet(found: CorrelationMatrix) -> tables.Sheet:
    """A row for each pair of measures; between sets, for each measure."""
    rows = found.rows()
    of, intervals = tables.columns(rows), [found[row["x"], row["y"]] for row in rows]
    heads = {"x": "measure", "y": "other" if found.symmetric else "gold"}
    keys = [of(name, itemgetter(name), head, key=True) for name, head in heads.items()]
    if found.between == "sets":
        keys = [of("measure", itemgetter("x"), key=True)]
    return tables.table(
        "pairs",
        caption(found),
        *keys,
        *tables.constants({"statistic": found.statistic}, rows),
        of("value", itemgetter("value"), STATISTICS[found.statistic].title),
        *tables.interval_fields(intervals, found.confidence),
        *tables.constants(tables.settings_of(found, *METHOD.told[2:]), rows),
    )


# -- pictures -------------------------------------------------------------------------------------

SIDE = 260.0  # a panel of the scatter
NAMED = 60  # runs whose names are tried to be placed
MOST_PANELS, IN_A_ROW = 12, 3


def picture(found: CorrelationMatrix, look: Look = PLAIN) -> Picture:
    """A heat map of the matrix; between two sets, the runs' means by one against the other."""
    if found.between == "sets":
        return scatters(found, look)
    data = pl.DataFrame(found.rows())
    return Picture(lambda: _heat_map(found, look, data), data, found.notices)


def scatters(found: CorrelationMatrix, look: Look = PLAIN) -> Picture:
    """The runs' means by one measure against another, or by one set against the other: a point for
    each run, a panel for each pair of measures, or for each measure.
    """
    if len(found.pairs) > MOST_PANELS:
        many = f"{len(found.names)} measures, which have {len(found.pairs)} pairs"
        raise InputError(many, f"at most {MOST_PANELS} to draw")
    frames = [_means(found, i, j) for i, j in found.pairs]
    planes = [
        _plane(found, data, *pair, look) for data, pair in zip(frames, found.pairs, strict=True)
    ]
    named = [
        plane.named(data, data, NAMED, plane.on_equal if found.sets else ())
        for plane, data in zip(planes, frames, strict=True)
    ]
    data, notices = pl.concat(frames), charts.nameless(named)

    def draw() -> Any:
        panels = [
            _scatter(found, plane, of_pair, *pair)
            for plane, of_pair, pair in zip(planes, named, found.pairs, strict=True)
        ]
        wide = planes[0].width * min(len(panels), IN_A_ROW) + look.points(40)
        return charts.panels(panels, IN_A_ROW, look, _heading(found), _said(found), wide)

    return Picture(draw, data, (*found.notices, *notices))


def _means(found: CorrelationMatrix, i: int, j: int) -> pl.DataFrame:
    """The means of the runs by one measure and another, or by one set and the other."""
    first, second = (found.means[0][i], found.means[-1][j])
    other = {} if found.sets else {"other": found.names[j]}
    rows = zip(found.runs, first.tolist(), second.tolist(), strict=True)
    return pl.DataFrame(
        [
            {"measure": found.names[i], **other, "run": run, "first": x, "second": y}
            for run, x, y in rows
        ]
    )


def _plane(found: CorrelationMatrix, data: pl.DataFrame, i: int, j: int, look: Look) -> Plane:
    if found.sets:
        titles = dict(zip(("first", "second"), map("mean by {}".format, found.sets), strict=True))
        return Plane.square(data, titles, SIDE, look, grid=False)
    titles = {"first": f"mean {found.names[i]}", "second": f"mean {found.names[j]}"}
    axes = [places.around_all(data[name]) for name in titles]
    return Plane(titles, axes, *look.size(SIDE, SIDE), look, style={"grid": False})


def _scatter(found: CorrelationMatrix, plane: Plane, data: pl.DataFrame, i: int, j: int) -> Any:
    tooltip = ["run:N", *decimals("first", "second")]
    equal = [plane.equal()] if found.sets else []  # above it the second set gives more
    layers = *equal, plane.points(tooltip, data["run"]), *plane.texts(data)
    names = found.names[i], found.names[j]
    what = names[0] if found.sets else title(found)
    return plane.panel(data, *layers, title=f"{what}: {tables.with_interval(found[names])}")


def _heat_map(found: CorrelationMatrix, look: Look, data: pl.DataFrame) -> Any:
    """A cell for each pair, the darker the more alike, with the value and its interval."""
    labels = dict(zip(found.names, shortened(found.names, 24), strict=True))
    intervals = data.select("low", "high").rows()
    drawn = data.with_columns(
        pl.col("x", "y").replace(labels),
        shown=pl.Series([rounded(value) for value in data["value"]]),
        interval=pl.Series([tables.interval_text(*ends) for ends in intervals]),
    )
    given, least = list(labels.values()), min(0.5, *data["value"].fill_nan(1.0))
    columns, rows = (given[1:], given[:-1]) if found.symmetric else (given, given)
    chart = charts.cells(
        drawn,
        {"y": columns, "x": rows},
        charts.shade("value", STATISTICS[found.statistic].title, [least, 1], look),
        {
            "shown": {"fontSize": look.points(12), "dy": look.points(-7)},
            "interval": {"fontSize": look.points(9), "dy": look.points(9)},
        },
        look,
    )
    return charts.finished(chart, look, _heading(found), _said(found)).configure_view(stroke=None)


def _heading(found: CorrelationMatrix) -> str:
    return f"{title(found)} between {' and '.join(found.sets) or 'measures'}"


def _said(found: CorrelationMatrix) -> list[str]:
    """What a picture says below its heading."""
    gold = f"{found.sets[0]} is gold" if found.sets else "columns are gold"
    return [_counts(found), *([gold] if STATISTICS[found.statistic].has_gold else [])]


# -- the command ----------------------------------------------------------------------------------


METHOD = Method(
    __doc__,
    place=4,
    name="correlation",
    work=Work(correlation, doing="resampling", steps=lambda asked, *_: asked.trials),
    told=("statistic", "p", "confidence", "runs", "topics", "trials", "seed"),
    people=("matrix",),
    flat=("pairs",),
    options={
        "--qrels2 FILE": "other judgments: correlate each measure by QRELS with itself by these",
        **options.statistic("; of tau-ap the measure of the column, or QRELS, is the gold one"),
        "--p P with --statistic rbo": f"how deep it looks (default: {P})",
        **options.confidence(),
        **options.trials(TRIALS, "random draws of topics, for intervals"),
        **options.plot("the matrix, or with --qrels2 the means by both", "its"),
    },
)
