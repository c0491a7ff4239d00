"""Pictures of user models: how they walk down lists, and what they take from them.

Each is drawn from a frame that `cranfield.plot` makes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from cranfield.late import pl
from cranfield.measures.base import FIVE
from cranfield.measures.parameters import shown
from cranfield.report import charts, places
from cranfield.report.charts import Plane, decimals
from cranfield.report.look import Look
from cranfield.report.pictures import alt
from cranfield.scores import ALL

FUNCTIONS = {"C": "C(i), going on", "W": "W(i), attention", "L": "L(i), stopping"}
SIZES = {"functions": (190.0, 130.0), "vary": (190.0, 150.0), "runs": (300.0, 260.0)}  # of panels
COLUMNS = 3  # panels in a row
APART = 12.0  # points between marks on lines, else they become a band
END = 34.0  # points beside the last point of a line, for its value
NAMED = 50  # names of runs that are tried to be placed
NAMELESS = "run"  # what a run is called that has no name
ANY = "any"  # what the list is called of users who look at none


def functions(data: pl.DataFrame, look: Look) -> Any:
    """C, W and L of each model, rank by rank: a row for each model, a line for each list."""
    data, apart = _lines(data, look)
    tooltip = ["model:N", "run:N", "topic:N", "rank:N", "gain:N", "cost:N", *decimals(*FUNCTIONS)]
    last = int(data["rank"].max())  # type: ignore[arg-type]
    size = look.size(*SIZES["functions"])
    ranks = charts.axis("x", "rank", "rank i", [1, last], {"padding": 6}, **charts.ranks(last))
    rows, ends = [], {name: _ends_of(data[name]) for name in FUNCTIONS}  # the same in all rows
    for of_model in _by_model(data):
        panels = []
        for name, meaning in FUNCTIONS.items():
            value = charts.axis("y", name, meaning, ends[name], tickCount=5)
            base = alt.Chart().encode(ranks, value)
            # Users stop at a rank, not between ranks: a peak of L is as wide as its rank.
            way = "step" if name == "L" else "linear"
            layers = charts.lines(base, apart, tooltip, "datum.marked", interpolate=way)
            panels.append(charts.panel(None, *layers, size=size))
        marked = charts.rows_of(_marked(of_model, size[0] / last))
        rows.append(alt.hconcat(*panels, data=marked, title=f"user model {of_model['model'][0]}"))
    return charts.panels(rows, 1, look)


def _ends_of(values: pl.Series) -> places.Ticks:
    """From 0 to 1, or to where the values end: some models have weights above 1."""
    ticks = places.from_zero(values, 0.0)
    probable = values.name == "C" and ticks[-1] <= 1
    return [0.0, 1.0] if probable else [ticks[0], ticks[-1]]


def _marked(data: pl.DataFrame, rank: float) -> pl.DataFrame:
    """Which points have a mark, where a rank is so many points wide.

    Lines take turns, so that those that lie on each other show their marks side by side. The last
    point of each line has a mark.
    """
    names = data["line"].unique(maintain_order=True)
    every = len(names) * math.ceil(APART / rank)
    if every >= data["rank"].n_unique():  # a line might have none
        return data.with_columns(marked=True)
    turns = {name: k * every // len(names) for k, name in enumerate(names)}
    turn = pl.col("line").replace_strict(turns, return_dtype=pl.Int64)
    before_last = pl.col("rank").max().over("line") - pl.col("rank")
    in_turn = ((pl.col("rank") - 1) % every == turn) & (before_last * rank >= APART)
    return data.with_columns(marked=in_turn | (before_last == 0))


def vary(data: pl.DataFrame, measurements: Sequence[str], unit: str, look: Look) -> Any:
    """Measurements against expected depth as a parameter varies: a column for each model."""
    data, apart = _lines(data, look)
    tooltip = ["model:N", "parameter:N", "value:N", "run:N", "topic:N", *decimals(*FIVE)]
    models, panels, size = _by_model(data), [], look.size(*SIZES["vary"])
    for measurement, of_model in product(measurements, models):
        room = {"ED": min(look.points(END) / size[0], 0.5), measurement: 0.06}
        axes = [places.from_zero(of_model[name], beyond) for name, beyond in room.items()]
        titles = {name: _axis(name, unit) for name in room}
        plane = Plane(titles, axes, *size, look)
        base = plane.base.encode(alt.Order("value:Q"))
        ends = plane.texts(_ends(of_model, plane), color="#333333")
        panel = plane.panel(of_model, *charts.lines(base, apart, tooltip, "true"), *ends)
        if measurement == measurements[0]:
            name, _, series = of_model["model"][0].rpartition(": ")
            panel = panel.properties(title=_title(name, f", {series}"))
        panels.append(panel)
    return charts.panels(panels, len(models), look)


def _ends(data: pl.DataFrame, plane: Plane) -> pl.DataFrame:
    """Of each line its first and its last point, with their values and the place of these.

    Where lines end close together, at the same value, it is said once.
    """
    ends: list[dict[str, Any]] = []
    taken: list[places.Box] = []
    for line in data.drop_nans(list(plane.titles)).partition_by("line", maintain_order=True):
        rows = line.sort("value")
        at = plane.at(rows)
        taken += [places.around(point, 5) for point in at]
        taken += [places.around(point, 2) for point in places.between(at)]
        outer = sorted({0, len(at) - 1}, key=at.__getitem__)
        for side, i in zip(("right", "left"), reversed(outer), strict=False):
            end = rows.row(i, named=True) | {"at": at[i], "side": side}
            if not any(
                (end["value"], side) == (other["value"], other["side"])
                and math.dist(end["at"], other["at"]) < 1.5 * places.LINE
                for other in ends
            ):
                ends.append(end)
    labels, sides = [shown(end["value"]) for end in ends], [end["side"] for end in ends]
    return plane.written(pl.DataFrame(ends, data.schema), labels, taken, sides=sides)


def runs(frames: Sequence[pl.DataFrame], unit: str, look: Look) -> Any:
    """Expected depth against expected utility: a panel for each model, a point for each run."""
    panels = []
    for k, of_model in enumerate(frames, 1):
        plane = _of_runs(of_model, look, unit)
        points = plane.points(["run:N", "model:N", *decimals(*FIVE)], of_model["run"])
        layers = points, *plane.texts(of_model)
        panel = plane.panel(of_model, *layers, title=_title(of_model["model"][0]))
        panels.append(panel.interactive(name=f"zoom{k}"))
    return charts.panels(panels, COLUMNS, look)


def named(data: pl.DataFrame, look: Look) -> list[pl.DataFrame]:
    """The runs of each model, with their names and the places of these.

    The best runs come first, and the last may have no place.
    """
    known = [frame.drop_nans(["ED", "EU"]) for frame in _by_model(data)]
    best_first = [frame.sort("EU", descending=True, maintain_order=True) for frame in known]
    return [_of_runs(frame, look).named(frame, frame, NAMED) for frame in best_first]


def _of_runs(data: pl.DataFrame, look: Look, unit: str = "") -> Plane:
    titles = {name: _axis(name, unit) for name in ("ED", "EU")}
    axes = [places.around_all(data[name]) for name in titles]
    return Plane(titles, axes, *look.size(*SIZES["runs"]), look)


# -- names and axes -------------------------------------------------------------------------------


def _by_model(data: pl.DataFrame) -> list[pl.DataFrame]:
    return data.partition_by("model", maintain_order=True)


def _lines(data: pl.DataFrame, look: Look) -> tuple[pl.DataFrame, dict[str, Any]]:
    """The data with names of lines, and what tells these apart: above them a legend says what their
    names are of, and what is the same for all.
    """
    columns: list[str] = [name for name in ("setting", "run", "topic") if name in data.columns]
    each = {name: data[name].unique(maintain_order=True).to_list() for name in columns}
    usual = "run" if each["topic"] == [ALL] else "topic"
    fields = [name for name, values in each.items() if len(values) > 1] or [usual]
    names = charts.short(data.select(line=pl.concat_str(fields, separator=", "))["line"])
    in_order = look.styles_in_order(names.unique(maintain_order=True))
    styles = None if "run" in fields else in_order  # a colour is that of a run
    return data.with_columns(names), charts.told_apart(names, _legend(each, fields), look, styles)


def _legend(each: Mapping[str, Sequence[str]], fields: Sequence[str]) -> list[str]:
    """What names of lines are of, and what is the same for all."""
    same = (_same(name, values[0]) for name, values in each.items() if name not in fields)
    named = ", ".join(name for name in fields if name != "setting")
    shortened = places.shortened(list(filter(None, same)), charts.LEGEND)
    return list(filter(None, [named, *shortened])) or [""]


def _same(name: str, value: str) -> str:
    """What is the same for all lines, if that says anything."""
    if value in {"run": (NAMELESS,), "topic": (ANY,)}.get(name, ("",)):
        return ""
    return "mean over topics" if value == ALL else f"{name} {value}"


def _axis(measurement: str, unit: str) -> Any:
    """The title of an axis, with its unit."""
    per_item = f"({unit} per item)" if unit else "(per item)"
    return {
        "ED": "expected depth, ED (items)",
        "EU": ["expected utility", "EU (gain per item)"],
        "ETU": ["expected total utility", "ETU (gain)"],
        "EC": ["expected cost", f"EC {per_item}"],
        "ETC": ["expected total cost", f"ETC ({unit})" if unit else "ETC"],
    }[measurement]


def _title(model: str, series: str = "") -> dict[str, str]:
    """What is above a panel: AP there is users, not the measure of this name."""
    return {"text": model, "subtitle": f"user model{series}"}
