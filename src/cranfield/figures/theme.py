"""Theme of figures: sizes, colours, shapes and dashes.

Each name keeps its style in all figures, see `Theme.assign_styles`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from itertools import cycle, islice
from math import isfinite
from numbers import Real
from typing import Any, NamedTuple, TypeAlias, TypedDict
from zlib import crc32

from cranfield.dataclass import dataclass
from cranfield.errors import InputError

# Colours of Okabe and Ito, distinguishable by colour-blind readers. Their yellow is weak on white:
# Tol's wine replaces it.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#882255")
GREYS = ("#000000", "#8c8c8c", "#4d4d4d", "#a6a6a6", "#262626", "#999999", "#666666", "#808080")
STAR = "M0.0,-1.0L0.25,-0.34L0.95,-0.31L0.4,0.13L0.59,0.81L0.0,0.42L-0.59,0.81L-0.4,0.13L-0.95,-0.31L-0.25,-0.34Z"
SALTIRE = (
    "M0.49,-0.92L0.92,-0.49L0.42,0.0L0.92,0.49L0.49,0.92L0.0,0.42"
    "L-0.49,0.92L-0.92,0.49L-0.42,0.0L-0.92,-0.49L-0.49,-0.92L0.0,-0.42Z"
)
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", STAR, SALTIRE)
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [10, 3], [1, 3], [6, 2, 1, 2, 1, 2])
MAX_STYLES = len(COLOURS)  # number of distinguishable names

POINTS = 11.0  # default font size
MAX_POINTS = 5000  # of a panel's width or height
FONT_SIZES = (4, 40)


Size: TypeAlias = tuple[float, float]


class Style(NamedTuple):
    """Colour, shape and dash pattern of a name."""

    colour: str
    shape: str
    dash: list[int]


class ThemeOptions(TypedDict, total=False):
    """Options of all figures, for ``**options: Unpack[ThemeOptions]``."""

    title: str | None
    width: float | None
    height: float | None
    font_size: float
    grey: bool


@dataclass(frozen=True)
class Theme:
    """Appearance of a figure.

    title
        Heading that replaces the default. ``""``: no heading and no lines below it.
    width, height
        Size of a panel in points. Default: depends on the figure.
    font_size
        Size of axis numbers and names in points. Headings are larger in proportion.
    grey
        No colours: dashes, marks and shades distinguish names.
    """

    title: str | None = None
    width: float | None = None
    height: float | None = None
    font_size: float = POINTS
    grey: bool = False

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            side = getattr(self, name)
            if side is not None and not (_is_number(side) and 0 < side <= MAX_POINTS):
                expected = f"a number of points above 0, at most {MAX_POINTS}"
                raise InputError(f"{name} {side!r}", expected)
        smallest, largest = FONT_SIZES
        if not (_is_number(self.font_size) and smallest <= self.font_size <= largest):
            expected = f"a number of points from {smallest} to {largest}"
            raise InputError(f"font_size {self.font_size!r}", expected)

    @classmethod
    def split_options(cls, options: Mapping[str, Any]) -> tuple[Theme, dict[str, Any]]:
        """Split options into a theme and the other options.

        >>> Theme.split_options({"grey": True, "depth": 10})[1]
        {'depth': 10}
        """
        theme_options = {name: value for name, value in options.items() if name in OPTION_NAMES}
        return cls(**theme_options), {name: options[name] for name in options if name not in theme_options}

    def choose_size(self, width: float, height: float) -> Size:
        """Return width and height of a panel, from the theme or the defaults.

        If only the width is set, a square panel stays square. Other panels become at most about as
        high as wide.

        >>> Theme(width=210).choose_size(420, 280), Theme(width=150).choose_size(300, 300)
        ((210, 168.0), (150, 150.0))
        """
        scale = (self.width or width) / width
        scale = scale if width == height else min(max(scale, 0.6), 1.0)
        default_height = height if self.width is None else height * scale
        return self.width or width, self.height or default_height

    def scale_points(self, default: float) -> float:
        """Scale a size in points by the font size."""
        return round(default * self.font_size / POINTS, 2)

    @property
    def colour(self) -> str:
        """Colour of marks that need not be distinguished."""
        return GREYS[2] if self.grey else COLOURS[0]

    def assign_styles(self, names: Iterable[str]) -> dict[str, Style]:
        """Assign a style to each name, stable across figures except for clashes.

        The CRC-32 of a name selects one of eight places (colour, shape and dash). If several names
        have the same place, the first in alphabetical order keeps it and the others get the next
        free places. The order of names has no effect. The ninth to sixteenth names repeat the
        colours with other dashes and shapes.

        >>> look = Theme()
        >>> look.assign_styles(["bm25", "dense"])["bm25"] == look.assign_styles(["bm25"])["bm25"]
        True
        """
        names_list = list(names)
        return self.build_styles(assign_places(names_list), names_list)

    def assign_styles_in_order(self, names: Iterable[str]) -> dict[str, Style]:
        """Assign styles by position, for ordered values such as numbers."""
        names_list = list(names)
        return self.build_styles({name: place for place, name in enumerate(names_list)}, names_list)

    def build_styles(self, places: Mapping[str, int], names: Iterable[str]) -> dict[str, Style]:
        """Return the styles of names with given places."""
        colours = GREYS if self.grey else COLOURS
        shifted = {name: (place + place // MAX_STYLES) % MAX_STYLES for name, place in places.items()}
        return {
            name: Style(colours[places[name] % MAX_STYLES], SHAPES[shifted[name]], DASHES[shifted[name]])
            for name in names
        }

    def build_config(self) -> dict[str, Any]:
        """Return the Vega-Lite configuration of all figures."""
        small, normal = self.scale_points(POINTS), self.scale_points(12)
        return {
            "background": "white",
            "font": "sans-serif",
            "axis": {"labelFontSize": small, "titleFontSize": normal, "titleFontWeight": "normal",
                     "gridColor": "#e6e6e6", "titlePadding": 6, "labelFlush": False},
            "axisY": {"minExtent": self.scale_points(30)},  # aligns panels
            # names are shortened before, because truncated names can become equal
            "legend": {"labelFontSize": normal, "titleFontSize": normal, "symbolSize": 70,
                       "labelLimit": 0, "titleLimit": 0, "symbolStrokeWidth": 1.5},
            "title": {"fontSize": self.scale_points(13), "anchor": "start", "offset": 6,
                      "frame": "group", "subtitleFontSize": normal},
            "text": {"fontSize": small},
            "line": {"strokeWidth": 1.5},
            "point": {"size": 45, "strokeWidth": 1.5, "opacity": 1},
            "concat": {"spacing": 16},
        }  # fmt: skip


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)


OPTION_NAMES = tuple(f.name for f in fields(Theme))
DEFAULT_THEME = Theme()


def assign_places(names: Iterable[str]) -> dict[str, int]:
    """Assign a place to each name by its CRC-32, see `Theme.assign_styles`.

    >>> assign_places(["run1", "run2", "run3"]) == assign_places(["run3", "run2", "run1"])
    True
    """
    waiting = sorted(set(names))
    occupied: dict[int, str] = {}
    for name in waiting:
        occupied.setdefault(_hash_name(name), name)
    for name in waiting:
        if occupied.get(_hash_name(name)) == name:
            continue
        for first in range(0, len(waiting), MAX_STYLES):  # one group of eight after the other
            turn = islice(cycle(range(MAX_STYLES)), _hash_name(name), _hash_name(name) + MAX_STYLES)
            free = [first + place for place in turn if first + place not in occupied]
            if free:
                occupied[free[0]] = name
                break
    return {name: place for place, name in occupied.items()}


def _hash_name(name: str) -> int:
    """Return the preferred place of a name."""
    return crc32(name.encode("utf-8", "surrogatepass")) % MAX_STYLES
