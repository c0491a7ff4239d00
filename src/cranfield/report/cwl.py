"""Charts of user models: attention by rank, varied parameters, and runs.

`cranfield.plot` makes the frames.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from cranfield.figures import charts, layout
from cranfield.figures.charts import Plane, build_number_tooltips
from cranfield.figures.figure import alt
from cranfield.figures.theme import Theme
from cranfield.lazy_imports import pl
from cranfield.measures.base import MEASUREMENTS
from cranfield.measures.parameters import format_value
from cranfield.scores import ALL

FUNCTIONS = {"C": "C(i), going on", "W": "W(i), attention", "L": "L(i), stopping"}
SIZES = {"functions": (190.0, 130.0), "vary": (190.0, 150.0), "runs": (300.0, 260.0)}  # of panels
COLUMNS = 3  # panels in a row
MARK_DISTANCE = 12.0  # points between marks on lines
VALUE_WIDTH = 34.0  # points for the value next to the end of a line
MAX_NAMES = 50  # names of runs to place
UNNAMED_RUN = "run"  # name of a run without a name
ANY_RANKING = "any"  # topic of users who do not depend on a ranking


def draw_functions(data: pl.DataFrame, theme: Theme) -> Any:
    """Draw C, W and L by rank: a row of panels per model, a line per ranking."""
    data, encodings = _name_lines(data, theme)
    tooltip = ["model:N", "run:N", "topic:N", "rank:N", "gain:N", "cost:N", *build_number_tooltips(*FUNCTIONS)]
    last = int(data["rank"].max())  # type: ignore[arg-type]
    size = theme.choose_size(*SIZES["functions"])
    ranks = charts.build_axis("x", "rank", "rank i", [1, last], {"padding": 6}, **charts.build_rank_axis_style(last))
    rows, ends = ([], {name: _choose_axis_ends(data[name]) for name in FUNCTIONS})  # equal in all rows
    for of_model in _split_by_model(data):
        panels = []
        for name, meaning in FUNCTIONS.items():
            value = charts.build_axis("y", name, meaning, ends[name], tickCount=5)
            base = alt.Chart().encode(ranks, value)
            # Users stop at a rank, not between ranks: a peak of L is as wide as its rank.
            way = "step" if name == "L" else "linear"
            layers = charts.draw_lines(base, encodings, tooltip, "datum.marked", interpolate=way)
            panels.append(charts.build_panel(None, *layers, size=size))
        marked_rows = charts.to_chart_data(_flag_marks(of_model, size[0] / last))
        rows.append(alt.hconcat(*panels, data=marked_rows, title=f"user model {of_model['model'][0]}"))
    return charts.build_panels(rows, 1, theme)


def _choose_axis_ends(values: pl.Series) -> layout.Ticks:
    """Return 0 and 1 or the ends of the data: some weights are above 1."""
    ticks = layout.from_zero(values, 0.0)
    probable = values.name == "C" and ticks[-1] <= 1
    return [0.0, 1.0] if probable else [ticks[0], ticks[-1]]


def _flag_marks(data: pl.DataFrame, rank: float) -> pl.DataFrame:
    """Flag the points with a mark, at least MARK_DISTANCE apart.

    Lines take turns, so that coinciding lines show their marks side by side. The last point of each
    line has a mark.
    """
    names = data["line"].unique(maintain_order=True)
    interval = len(names) * math.ceil(MARK_DISTANCE / rank)
    if interval >= data["rank"].n_unique():  # otherwise a line could have no mark
        return data.with_columns(marked=True)
    turns = {name: k * interval // len(names) for k, name in enumerate(names)}
    turn = pl.col("line").replace_strict(turns, return_dtype=pl.Int64)
    before_last = pl.col("rank").max().over("line") - pl.col("rank")
    in_turn = ((pl.col("rank") - 1) % interval == turn) & (before_last * rank >= MARK_DISTANCE)
    return data.with_columns(marked=in_turn | (before_last == 0))


def draw_parameters(data: pl.DataFrame, measurements: Sequence[str], unit: str, theme: Theme) -> Any:
    """Draw measurements against expected depth for varied parameters.

    Each model has a column of panels.
    """
    data, encodings = _name_lines(data, theme)
    tooltip = ["model:N", "parameter:N", "value:N", "run:N", "topic:N", *build_number_tooltips(*MEASUREMENTS)]
    models, panels, size = _split_by_model(data), [], theme.choose_size(*SIZES["vary"])
    for measurement, of_model in product(measurements, models):
        room = {"ED": min(theme.scale_points(VALUE_WIDTH) / size[0], 0.5), measurement: 0.06}
        axes = [layout.from_zero(of_model[name], beyond) for name, beyond in room.items()]
        titles = {name: _build_axis_title(name, unit) for name in room}
        plane = Plane(titles, axes, *size, theme)
        base = plane.base.encode(alt.Order("value:Q"))
        ends = plane.draw_labels(_place_end_labels(of_model, plane), color="#333333")
        panel = plane.build_panel(of_model, *charts.draw_lines(base, encodings, tooltip, "true"), *ends)
        if measurement == measurements[0]:
            name, _, series = of_model["model"][0].rpartition(": ")
            panel = panel.properties(title=_build_panel_title(name, f", {series}"))
        panels.append(panel)
    return charts.build_panels(panels, len(models), theme)


def _place_end_labels(data: pl.DataFrame, plane: Plane) -> pl.DataFrame:
    """Return the first and last point of each line, with labelled values.

    If lines end close to each other with the same value, the value is labelled once.
    """
    ends: list[dict[str, Any]] = []
    occupied: list[layout.Box] = []
    for line in data.drop_nans(list(plane.titles)).partition_by("line", maintain_order=True):
        rows = line.sort("value")
        points = plane.locate(rows)
        occupied += [layout.build_box(point, 5) for point in points]
        occupied += [layout.build_box(point, 2) for point in layout.sample_points(points)]
        outer = sorted({0, len(points) - 1}, key=points.__getitem__)
        for side, i in zip(("right", "left"), reversed(outer), strict=False):
            end = rows.row(i, named=True) | {"at": points[i], "side": side}
            if not any(
                (end["value"], side) == (previous["value"], previous["side"])
                and math.dist(end["at"], previous["at"]) < 1.5 * layout.LINE
                for previous in ends
            ):
                ends.append(end)
    labels, sides = [format_value(end["value"]) for end in ends], [end["side"] for end in ends]
    return plane.place_labels(pl.DataFrame(ends, data.schema), labels, occupied, sides=sides)


def draw_runs(frames: Sequence[pl.DataFrame], unit: str, theme: Theme) -> Any:
    """Draw expected depth against expected utility: a panel per model."""
    panels = []
    for k, of_model in enumerate(frames, 1):
        plane = _build_plane(of_model, theme, unit)
        points = plane.draw_points(["run:N", "model:N", *build_number_tooltips(*MEASUREMENTS)], of_model["run"])
        layers = points, *plane.draw_labels(of_model)
        panel = plane.build_panel(of_model, *layers, title=_build_panel_title(of_model["model"][0]))
        panels.append(panel.interactive(name=f"zoom{k}"))
    return charts.build_panels(panels, COLUMNS, theme)


def place_names(data: pl.DataFrame, theme: Theme) -> list[pl.DataFrame]:
    """Return the runs of each model, best first, with placed names.

    The last runs can be without a place.
    """
    frames = [frame.drop_nans(["ED", "EU"]) for frame in _split_by_model(data)]
    best_first = [frame.sort("EU", descending=True, maintain_order=True) for frame in frames]
    return [_build_plane(frame, theme).place_names(frame, frame, MAX_NAMES) for frame in best_first]


def _build_plane(data: pl.DataFrame, theme: Theme, unit: str = "") -> Plane:
    titles = {name: _build_axis_title(name, unit) for name in ("ED", "EU")}
    axes = [layout.fit_ticks(data[name]) for name in titles]
    return Plane(titles, axes, *theme.choose_size(*SIZES["runs"]), theme)


# -- names and axes -------------------------------------------------------------------------------


def _split_by_model(data: pl.DataFrame) -> list[pl.DataFrame]:
    return data.partition_by("model", maintain_order=True)


def _name_lines(data: pl.DataFrame, theme: Theme) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return the data with line names, and their encodings.

    The legend title has the varying fields and the values that are the same for all lines.
    """
    columns: list[str] = [name for name in ("setting", "run", "topic") if name in data.columns]
    values_by_name = {name: data[name].unique(maintain_order=True).to_list() for name in columns}
    default = "run" if values_by_name["topic"] == [ALL] else "topic"
    fields = [name for name, values in values_by_name.items() if len(values) > 1] or [default]
    names = charts.shorten_name_column(data.select(line=pl.concat_str(fields, separator=", "))["line"])
    in_order = theme.assign_styles_in_order(names.unique(maintain_order=True))
    styles = None if "run" in fields else in_order  # colours belong to runs
    return data.with_columns(names), charts.encode_names(
        names, _build_legend_title(values_by_name, fields), theme, styles
    )


def _build_legend_title(values_by_name: Mapping[str, Sequence[str]], fields: Sequence[str]) -> list[str]:
    constants = (_format_constant(name, values[0]) for name, values in values_by_name.items() if name not in fields)
    varying = ", ".join(name for name in fields if name != "setting")
    shortened = layout.shorten_names(list(filter(None, constants)), charts.LEGEND)
    return list(filter(None, [varying, *shortened])) or [""]


def _format_constant(name: str, value: str) -> str:
    """Return the text of a value shared by all lines, or "" if it is a placeholder."""
    if value in {"run": (UNNAMED_RUN,), "topic": (ANY_RANKING,)}.get(name, ("",)):
        return ""
    return "mean over topics" if value == ALL else f"{name} {value}"


def _build_axis_title(measurement: str, unit: str) -> Any:
    per_item = f"({unit} per item)" if unit else "(per item)"
    return {
        "ED": "expected depth, ED (items)",
        "EU": ["expected utility", "EU (gain per item)"],
        "ETU": ["expected total utility", "ETU (gain)"],
        "EC": ["expected cost", f"EC {per_item}"],
        "ETC": ["expected total cost", f"ETC ({unit})" if unit else "ETC"],
    }[measurement]


def _build_panel_title(model: str, series: str = "") -> dict[str, str]:
    """Return the title of a panel, with a subtitle.

    The subtitle distinguishes the user model AP from the measure AP.
    """
    return {"text": model, "subtitle": f"user model{series}"}
