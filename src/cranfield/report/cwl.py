"""Pictures of user models: how they walk down lists, and what they take from them.

Each is drawn from a frame that `cranfield.plot` makes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

from cranfield.measures.base import FIVE
from cranfield.measures.parameters import shown
from cranfield.report import places
from cranfield.report.late import pl
from cranfield.report.pictures import alt, decimals, rows_of, shortened, told_apart
from cranfield.report.places import Ticks, around, around_all, points_at
from cranfield.scores import ALL

FUNCTIONS = {"C": "C(i), going on", "W": "W(i), attention", "L": "L(i), stopping"}
COLUMNS = 3  # panels in a row
APART = 12.0  # points between marks on lines, else they become a band
LEGEND = 40  # characters of a name in a legend
END = 34.0  # points beside the last point of a line, for its value
Size = tuple[float | None, float | None]  # of a panel, if it is asked for
NAMELESS = "run"  # what a run is called that has no name


def functions(data: pl.DataFrame, size: Size, title: str) -> Any:
    """C, W and L of each model, rank by rank: a row for each model, a line for each list."""
    w, h = size[0] or 190, size[1] or 130
    data, names, text = _lines(data)
    apart, last = told_apart("line", names, text), int(data["rank"].max())  # type: ignore[arg-type]
    step = next(s for s in (1, 5, 10, 20, 50, 100, 200, last) if s * 9 >= last)
    tooltip = _tooltip(("model", "run", "topic", "rank", "gain", "cost"), FUNCTIONS)
    ticks = alt.Axis(values=sorted({1, *range(step, last + 1, step)}), format="d", grid=False)
    ranks = alt.X("rank:Q", title="rank i", axis=ticks,
                  scale=alt.Scale(domain=[1, last], nice=False, padding=6))  # fmt: skip
    rows: list[Any] = []
    for of_model in _by_model(data):
        panels: list[Any] = []
        points_of_model = rows_of(_marked(of_model, names, w / last))
        for name, meaning in FUNCTIONS.items():
            probable = name == "C" and of_model["C"].max() <= 1  # type: ignore[operator]
            scale = alt.Scale(domain=[0, 1]) if probable else alt.Scale(zero=True)
            value = alt.Y(f"{name}:Q", title=meaning, scale=scale, axis=alt.Axis(tickCount=5))
            base = alt.Chart(points_of_model).encode(ranks, value, apart["color"])
            # Users stop at a rank, not between ranks: a peak of L is as wide as its rank.
            line = base.mark_line(interpolate="step" if name == "L" else "linear")
            points = base.transform_filter("datum.marked").mark_point().encode(apart["shape"])
            told = base.mark_point(opacity=0, size=90).encode(tooltip=tooltip)
            panel = alt.layer(line.encode(apart["dash"]), points, told)
            panels.append(panel.properties(width=w, height=h))
        rows.append(alt.hconcat(*panels, title=f"user model {of_model['model'][0]}"))
    return places.finished(alt.concat(*rows, columns=1), title)


def _marked(data: pl.DataFrame, names: Sequence[str], rank: float) -> pl.DataFrame:
    """Which points have a mark, where a rank is so many points wide.

    Lines take turns, so that those that lie on each other show their marks side by side.
    """
    every = len(names) * math.ceil(APART / rank)
    if every >= data["rank"].n_unique():  # a line might have none
        return data.with_columns(marked=True)
    turns = {name: k * every // len(names) for k, name in enumerate(names)}
    turn = pl.col("line").replace_strict(turns, return_dtype=pl.Int64)
    return data.with_columns(marked=(pl.col("rank") - 1) % every == turn)


def vary(data: pl.DataFrame, measurements: Sequence[str], unit: str, size: Size, title: str) -> Any:
    """Measurements against expected depth as a parameter varies: a column for each model."""
    w, h = size[0] or 190, size[1] or 150
    data, names, text = _lines(data)
    apart = told_apart("line", names, text)
    tooltip = _tooltip(("model", "parameter", "value", "run", "topic"), FIVE)
    models = _by_model(data)
    panels: list[Any] = []
    for measurement, of_model in product(measurements, models):
        beyond = ("ED", min(END / w, 0.5)), (measurement, 0.06)
        axes = [places.from_zero(of_model[name], room) for name, room in beyond]
        base = _plane(of_model, ("ED", measurement), axes, unit)
        line = base.mark_line().encode(apart["color"], apart["dash"], alt.Order("value:Q"))
        points = base.mark_point().encode(apart["color"], apart["shape"], tooltip=tooltip)
        ends = places.texts_at(base, _ends(of_model, measurement, axes, w, h), color="#333333")
        panel = alt.layer(line, points, *ends).properties(width=w, height=h)
        if measurement == measurements[0]:
            name, _, series = of_model["model"][0].rpartition(": ")
            panel = panel.properties(title=_title(name, series))
        panels.append(panel)
    return places.finished(alt.concat(*panels, columns=len(models)), title)


def _ends(
    data: pl.DataFrame, measurement: str, axes: Sequence[Ticks], width: float, height: float
) -> pl.DataFrame:
    """Of each line its first and its last point, with their values and the place of these.

    Where lines end close together, at the same value, it is said once.
    """
    lines = [
        line.drop_nans(["ED", measurement]).sort("value")
        for line in data.partition_by("line", maintain_order=True)
    ]
    walked = [points_at(line["ED"], line[measurement], axes, width, height) for line in lines]
    ends: list[dict[str, Any]] = []
    for line, at in zip(lines, walked, strict=True):
        outer = sorted({0, len(at) - 1} if at else (), key=at.__getitem__)
        for side, i in zip(("right", "left"), reversed(outer), strict=False):
            end = line.row(i, named=True) | {"at": at[i], "side": side}
            end["label"] = shown(end["value"])
            if not any(
                (end["value"], side) == (other["value"], other["side"])
                and math.dist(end["at"], other["at"]) < 1.5 * places.LINE
                for other in ends
            ):
                ends.append(end)
    taken = [around(point, 5) for at in walked for point in at]
    taken += [around(point, 2) for at in walked for point in places.between(at)]
    at, labels, sides = ([end[key] for end in ends] for key in ("at", "label", "side"))
    chosen = places.places_for(at, labels, width, height, taken, sides)
    made = pl.DataFrame(ends, {**data.schema, "label": pl.Utf8})
    return made.with_columns(pl.Series("place", chosen, pl.Utf8))


def runs(data: pl.DataFrame, unit: str, size: Size, title: str) -> Any:
    """Expected depth against expected utility: a panel for each model, a point for each run."""
    w, h = _of_runs(size)
    tooltip = _tooltip(("run", "model"), FIVE)
    panels: list[Any] = []
    for of_model in _named(data, w, h):
        axes = [around_all(of_model[name]) for name in ("ED", "EU")]
        base = _plane(of_model, ("ED", "EU"), axes, unit)
        points = base.mark_point(filled=True, color="#0072B2", opacity=0.8).encode(tooltip=tooltip)
        layers = points, *places.texts_at(base, of_model)
        panel = alt.layer(*layers, title=_title(of_model["model"][0])).properties(width=w, height=h)
        panels.append(panel.interactive(name=f"zoom{len(panels) + 1}"))
    return places.finished(alt.concat(*panels, columns=COLUMNS), title)


def unnamed(data: pl.DataFrame, size: Size) -> int:
    """How many runs have a point without a name, for want of room."""
    frames = _named(data, *_of_runs(size))
    return len({run for frame in frames for run in frame.filter(frame["place"] == "")["run"]})


def _of_runs(size: Size) -> tuple[float, float]:
    """How large a panel of runs is."""
    return size[0] or 300, size[1] or 260


NAMED = 50  # names of runs that are tried to be placed


def _named(data: pl.DataFrame, width: float, height: float) -> list[pl.DataFrame]:
    """The runs of each model, with their names and the places of these.

    The best runs come first, and the last may have no place.
    """
    frames = [
        frame.drop_nans(["ED", "EU"]).sort("EU", descending=True, maintain_order=True)
        for frame in _by_model(data)
    ]
    names, both = data["run"].unique(maintain_order=True).to_list(), ("ED", "EU")
    axes = [[around_all(frame[name]) for name in both] for frame in frames]
    pairs = zip(frames, axes, strict=True)
    at = [points_at(x["ED"], x["EU"], of_frame, width, height) for x, of_frame in pairs]
    taken = [[around(point, 5) for point in points] for points in at]
    return places.named(frames, names, at, taken, (width, height), NAMED)


# -- names and axes -------------------------------------------------------------------------------


def _by_model(data: pl.DataFrame) -> list[pl.DataFrame]:
    return data.partition_by("model", maintain_order=True)


def _lines(data: pl.DataFrame) -> tuple[pl.DataFrame, list[str], list[str]]:
    """The data with what tells lines apart, their names, and what a legend says above them: what
    the names are of, and what is the same for all.
    """
    topics, runs = (data[name].unique(maintain_order=True) for name in ("topic", "run"))
    if len(topics) == 1 and (len(runs) > 1 or topics[0] == ALL):
        field, same = ["run"], "mean over topics" if topics[0] == ALL else f"topic {topics[0]}"
    elif len(runs) == 1:
        field, same = ["topic"], "" if runs[0] == NAMELESS else f"run {runs[0]}"
    else:
        field, same = ["run", "topic"], ""
    data = data.with_columns(pl.concat_str(field, separator=", ").alias("line"))
    names = data["line"].unique(maintain_order=True).to_list()
    short = shortened(names, LEGEND)
    to_short = dict(zip(names, short, strict=True))
    data = data.with_columns(pl.col("line").replace_strict(to_short, return_dtype=pl.Utf8))
    return data, short, [", ".join(field), *(shortened([same], LEGEND) if same else [])]


def _axis(measurement: str, unit: str) -> list[str] | str:
    """The title of an axis, with its unit."""
    if measurement == "ED":
        return "expected depth, ED (items)"
    per_item = f" ({unit} per item)" if unit else " (per item)"
    return {
        "EU": ["expected utility", "EU (gain per item)"],
        "ETU": ["expected total utility", "ETU (gain)"],
        "EC": ["expected cost", "EC" + per_item],
        "ETC": ["expected total cost", "ETC" + (f" ({unit})" if unit else "")],
    }[measurement]


def _tooltip(as_they_are: Iterable[str], four_decimals: Iterable[str]) -> list[Any]:
    """What a point tells when it is pointed at."""
    return [*(f"{name}:N" for name in as_they_are), *decimals(*four_decimals)]


def _plane(data: pl.DataFrame, names: Sequence[str], axes: Sequence[Ticks], unit: str) -> Any:
    """A chart of two measurements."""
    x, y = (
        channel(f"{name}:Q", title=_axis(name, unit), axis=alt.Axis(tickCount=len(ticks) - 1),
                scale=alt.Scale(domain=[ticks[0], ticks[-1]], nice=False))
        for channel, name, ticks in zip((alt.X, alt.Y), names, axes, strict=True)
    )  # fmt: skip
    return alt.Chart(rows_of(data)).encode(x, y)


def _title(model: str, series: str = "") -> dict[str, str]:
    """What is above a panel: AP there is users, not the measure of this name."""
    return {"text": model, "subtitle": f"user model, {series}" if series else "user model"}
