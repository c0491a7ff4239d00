"""Pictures of user models: how they walk down lists, and what they take from them.

Each is drawn from a frame that `cranfield.plot` makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from cranfield.errors import CranfieldError
from cranfield.measures.base import FIVE
from cranfield.report.pictures import LOOK, altair, dashes, rows_of, told_apart
from cranfield.scores import ALL

if TYPE_CHECKING:
    import polars as pl

FUNCTIONS = {"C": "C(i), going on", "W": "W(i), attention", "L": "L(i), stopping"}
NAMED = 12  # more runs than that have no room for their names
COLUMNS = 3  # panels in a row
LETTER, LINE = 6.3, 13.0  # size of text of 11 points


def functions(
    data: pl.DataFrame, width: float | None = None, height: float | None = None, title: str = ""
) -> Any:
    """C, W and L of each model, rank by rank: a row for each model, a line for each list."""
    alt = altair()
    data, field = _lines(data)
    names = data[field].unique(maintain_order=True).to_list()
    apart, last = told_apart(field, names), int(data["rank"].max())  # type: ignore[arg-type]
    step = next(s for s in (1, 5, 10, 20, 50, 100, 200, last) if s * 9 >= last)
    tooltip = _tooltip(("model", "run", "topic", "rank", "gain", "cost"), FUNCTIONS)
    ticks = alt.Axis(values=sorted({1, *range(step, last + 1, step)}), format="d", grid=False)
    ranks = alt.X("rank:Q", title="rank i", axis=ticks,
                  scale=alt.Scale(domain=[1, last], nice=False, padding=6))  # fmt: skip
    panels: list[Any] = []
    for model in data["model"].unique(maintain_order=True):
        of_model = data.filter(data["model"] == model)
        for name, meaning in FUNCTIONS.items():
            probable = name == "C" and of_model["C"].max() <= 1  # type: ignore[operator]
            scale = alt.Scale(domain=[0, 1]) if probable else alt.Scale(zero=True)
            value = alt.Y(f"{name}:Q", title=meaning, scale=scale, axis=alt.Axis(tickCount=5))
            base = alt.Chart(rows_of(of_model)).encode(ranks, value, apart["color"])
            line = base.mark_line().encode(dashes(field, names))
            points = base.mark_point().encode(apart["shape"], tooltip=tooltip)
            panel = alt.layer(line, points, title=model if name == "C" else "")
            panels.append(panel.properties(width=width or 190, height=height or 130))
    return _finished(alt.concat(*panels, columns=len(FUNCTIONS)), title)


def vary(
    data: pl.DataFrame,
    measurements: Sequence[str],
    unit: str = "",
    width: float | None = None,
    height: float | None = None,
    title: str = "",
) -> Any:
    """Measurements against expected depth as a parameter varies: a column for each model."""
    alt = altair()
    known = [name for name in FIVE if name != "ED"]
    if not measurements or not set(measurements) <= set(known):
        found, expected = ", ".join(measurements), ", ".join(known)
        raise CranfieldError(f"found measurements ({found}), expected some of {expected}")
    data, field = _lines(data)
    names = data[field].unique(maintain_order=True).to_list()
    apart = told_apart(field, names)
    tooltip = _tooltip(("model", "parameter", "value", "run", "topic"), FIVE)
    models = data["model"].unique(maintain_order=True)
    panels: list[Any] = []
    for measurement, model in product(measurements, models):
        of_model = data.filter(data["model"] == model)
        base = alt.Chart(rows_of(of_model)).encode(
            alt.X(
                "ED:Q",
                title=_axis("ED", unit),
                # room on both sides for the values at the ends, but no depth below 0
                scale=alt.Scale(zero=False, nice=False, padding=32),
                axis=alt.Axis(labelExpr="datum.value < 0 ? '' : datum.label"),
            ),
            alt.Y(
                f"{measurement}:Q",
                title=_axis(measurement, unit),
                scale=alt.Scale(zero=True, nice=False, padding=10),
            ),
        )
        line = base.mark_line().encode(apart["color"], dashes(field, names), alt.Order("value:Q"))
        points = base.mark_point().encode(apart["color"], apart["shape"], tooltip=tooltip)
        ends = [
            base.mark_text(color="#333333", **PLACES[place]).encode(alt.Text("value:Q"))
            .properties(data=rows_of(of_ends))
            for place, of_ends in _ends(of_model, measurement, field).items()
        ]  # fmt: skip
        panel = alt.layer(
            line, points, *ends, title=model if measurement == measurements[0] else ""
        )
        panels.append(panel.properties(width=width or 190, height=height or 150))
    return _finished(alt.concat(*panels, columns=len(models)), title)


def _ends(data: pl.DataFrame, measurement: str, field: str) -> dict[str, pl.DataFrame]:
    """Of each line its first and its last point, by the side on which their values have room.

    Where lines end close together, at the same value, it is said once.
    """
    import polars as pl

    reach = {name: 0.1 * (max(data[name]) - min(0.0, *data[name])) for name in ("ED", measurement)}
    sides: dict[str, list[dict[str, Any]]] = {"left": [], "right": []}
    for line in data.sort("value").partition_by(field, maintain_order=True):
        ends = sorted(
            (line.row(0, named=True), line.row(-1, named=True)), key=lambda row: row["ED"]
        )
        for said, end in zip(sides.values(), ends, strict=True):
            if not any(
                end["value"] == other["value"]
                and all(abs(end[name] - other[name]) < reach[name] for name in reach)
                for other in said
            ):
                said.append(end)
    return {side: pl.DataFrame(ends, data.schema) for side, ends in sides.items()}


def runs(
    data: pl.DataFrame,
    unit: str = "",
    width: float | None = None,
    height: float | None = None,
    title: str = "",
) -> Any:
    """Expected depth against expected utility: a panel for each model, a point for each run."""
    alt = altair()
    w, h = width or 300, height or 260
    tooltip = _tooltip(("run", "model"), FIVE)
    panels: list[Any] = []
    for model in data["model"].unique(maintain_order=True):
        of_model = data.filter(data["model"] == model).drop_nans(["ED", "EU"])
        if of_model.is_empty():
            raise CranfieldError(f"{model}: found no run with a score, expected one")
        x, y = (_domain(of_model[name].to_list()) for name in ("ED", "EU"))
        base = alt.Chart(rows_of(of_model)).encode(
            alt.X("ED:Q", title=_axis("ED", unit), scale=alt.Scale(domain=x, nice=False)),
            alt.Y("EU:Q", title=_axis("EU", unit), scale=alt.Scale(domain=y, nice=False)),
        )
        layers = [
            base.mark_point(filled=True, color="#0072B2", opacity=0.8).encode(tooltip=tooltip)
        ]
        if len(of_model) <= NAMED:
            at = [
                ((ed - x[0]) / (x[1] - x[0]) * w, (y[1] - eu) / (y[1] - y[0]) * h)
                for ed, eu in of_model.select("ED", "EU").iter_rows()
            ]
            places = _places(at, of_model["run"].to_list(), w, h)
            for place in dict.fromkeys(places):
                here = of_model.filter([other == place for other in places])
                text = base.mark_text(**PLACES[place]).encode(alt.Text("run:N"))
                layers.append(text.properties(data=rows_of(here)))
        panel = alt.layer(*layers, title=model).properties(width=w, height=h)
        panels.append(panel.interactive(name=f"zoom{len(panels) + 1}"))
    return _finished(alt.concat(*panels, columns=COLUMNS), title)


# -- names and axes -----------------------------------------------------------------------------


def _lines(data: pl.DataFrame) -> tuple[pl.DataFrame, str]:
    """What tells the lines of a picture apart: the topic or the run, or both."""
    import polars as pl

    topics, several_runs = data["topic"].unique(), data["run"].n_unique() > 1
    if len(topics) == 1 and (several_runs or topics[0] == ALL):
        return data, "run"
    if not several_runs:
        return data, "topic"
    both = "run, topic"
    return data.with_columns(pl.concat_str("run", "topic", separator=", ").alias(both)), both


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
    alt = altair()
    return [alt.Tooltip(name, type="nominal") for name in as_they_are] + [
        alt.Tooltip(name, type="quantitative", format=".4f") for name in four_decimals
    ]


def _finished(chart: Any, title: str) -> Any:
    if title:
        chart = chart.properties(title={"text": title, "fontSize": 15, "offset": 12})
    return chart.configure(**LOOK)


# -- names of runs beside their points ----------------------------------------------------------

PLACES: dict[str, dict[str, Any]] = {
    "right": {"align": "left", "baseline": "middle", "dx": 7},
    "left": {"align": "right", "baseline": "middle", "dx": -7},
    "above": {"align": "center", "baseline": "bottom", "dy": -6},
    "below": {"align": "center", "baseline": "top", "dy": 7},
    "above right": {"align": "left", "baseline": "bottom", "dx": 4, "dy": -4},
    "above left": {"align": "right", "baseline": "bottom", "dx": -4, "dy": -4},
    "below right": {"align": "left", "baseline": "top", "dx": 4, "dy": 5},
    "below left": {"align": "right", "baseline": "top", "dx": -4, "dy": 5},
}

Box = tuple[float, float, float, float]  # left, top, right, bottom


def _domain(values: Sequence[float]) -> tuple[float, float]:
    """The range of an axis, with room around the points for their names."""
    low, high = min(values), max(values)
    room = 0.12 * (high - low) or 0.1 * abs(high) or 1.0
    return low - room, high + room


def _places(
    at: Sequence[tuple[float, float]], names: Sequence[str], width: float, height: float
) -> list[str]:
    """Where each point has its name so that names cover few points and few other names."""
    points: list[Box] = [(x - 5, y - 5, x + 5, y + 5) for x, y in at]
    boxes = [
        {place: _box(x, y, LETTER * len(name), place) for place in PLACES}
        for (x, y), name in zip(at, names, strict=True)
    ]
    chosen: dict[int, str] = {}
    for _ in range(3):  # those that came first make room for those that came later
        for k, own in enumerate(boxes):
            others = [boxes[j][place] for j, place in chosen.items() if j != k]
            taken = [*points[:k], *points[k + 1 :], *others]
            hidden = {place: _hidden(box, taken, width, height) for place, box in own.items()}
            chosen[k] = min(own, key=hidden.__getitem__)
    return list(chosen.values())


def _box(x: float, y: float, long: float, place: str) -> Box:
    """What a name covers beside, above or below its point."""
    look = PLACES[place]
    left = x + look.get("dx", 0) - long * {"left": 0, "center": 0.5, "right": 1}[look["align"]]
    top = y + look.get("dy", 0) - LINE * {"top": 0, "middle": 0.5, "bottom": 1}[look["baseline"]]
    return left, top, left + long, top + LINE


def _hidden(box: Box, taken: Sequence[Box], width: float, height: float) -> float:
    """How much of others a name would cover, and how much of it would be outside."""
    left, top, right, bottom = box
    outside = max(0.0, -left) + max(0.0, right - width) + max(0.0, -top) + max(0.0, bottom - height)
    covered = sum(
        max(0.0, min(right, r) - max(left, l)) * max(0.0, min(bottom, b) - max(top, t))
        for l, t, r, b in taken
    )
    return covered + 2 * LINE * outside
