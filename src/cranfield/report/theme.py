"""How pictures look, whatever they show: one value that every chart is given.

Colours, shapes of points and dashes belong to names: see `styles`.
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

# Okabe and Ito's colours, which colour-blind people can tell apart; in the place of their yellow,
# which is weak on white, Tol's wine.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#882255")
GREYS = ("#000000", "#8c8c8c", "#4d4d4d", "#a6a6a6", "#262626", "#999999", "#666666", "#808080")
STAR = (
    "M0.0,-1.0L0.25,-0.34L0.95,-0.31L0.4,0.13L0.59,0.81L0.0,0.42L"
    "-0.59,0.81L-0.4,0.13L-0.95,-0.31L-0.25,-0.34Z"
)
SALTIRE = (
    "M0.49,-0.92L0.92,-0.49L0.42,0.0L0.92,0.49L0.49,0.92L0.0,0.42"
    "L-0.49,0.92L-0.92,0.49L-0.42,0.0L-0.92,-0.49L-0.49,-0.92L0.0,-0.42Z"
)
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", STAR, SALTIRE)
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [10, 3], [1, 3], [6, 2, 1, 2, 1, 2])
MAX_STYLES = len(COLOURS)  # as many names can be told apart

POINTS = 11.0  # of texts, if nobody asks for others
MAX_POINTS = 5000  # of a panel's width or height
FONT_SIZES = (4, 40)


Size: TypeAlias = tuple[float, float]


class Style(NamedTuple):
    """What tells a name from others."""

    colour: str
    shape: str
    dash: list[int]


class ThemeOptions(TypedDict, total=False):
    """The options of all pictures by name and type, as ``**options: Unpack[LookOptions]``."""

    title: str | None
    width: float | None
    height: float | None
    font_size: float
    grey: bool


@dataclass(frozen=True)
class Theme:
    """How a picture looks.

    title
        What stands above it, in the place of what usually does; ``""`` for nothing, neither a
        heading nor the lines below it.
    width, height
        Of a panel, in points. Else they are what suits the picture.
    font_size
        That of numbers on axes and of names, in points; headings are larger in proportion.
    grey
        Without colours: names are told apart by dashes, marks and shades.
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
        """The look that options ask for, and the other options.

        >>> Look.of({"grey": True, "depth": 10})[1]
        {'depth': 10}
        """
        theme_options = {name: value for name, value in options.items() if name in OPTION_NAMES}
        return cls(**theme_options), {
            name: options[name] for name in options if name not in theme_options
        }

    def choose_size(self, width: float, height: float) -> Size:
        """Width and height of a panel: those that are asked for, else the usual ones. If the width
        alone is asked for, a square remains one, and others are not much higher than wide.

        >>> Look().size(420, 280), Look(width=210).size(420, 280), Look(width=150).size(300, 300)
        ((420, 280), (210, 168.0), (150, 150.0))
        """
        scale = (self.width or width) / width
        scale = scale if width == height else min(max(scale, 0.6), 1.0)
        default_height = height if self.width is None else height * scale
        return self.width or width, self.height or default_height

    def scale_points(self, default: float) -> float:
        """The size of a text that is usually so large, or of what grows with texts."""
        return round(default * self.font_size / POINTS, 2)

    @property
    def colour(self) -> str:
        """That of what needs no other to be told from."""
        return GREYS[2] if self.grey else COLOURS[0]

    def assign_styles(self, names: Iterable[str]) -> dict[str, Style]:
        """What tells names apart: in all pictures the same for the same name, as far as can be.

        A name has one of eight places, told by its letters (CRC-32): a colour, a shape, a dash.
        Where several of a picture have the same, the first in the alphabet keeps it, and the
        others take the next that is nobody's. So it does not matter in which order names are
        given, and who keeps a place keeps it whoever comes or goes, but for a clash. The second
        eight have the same colours with other dashes and shapes.

        >>> look = Look()
        >>> look.styles(["bm25", "dense"])["bm25"] == look.styles(["bm25"])["bm25"]
        True
        """
        names_list = list(names)
        return self.build_styles(assign_places(names_list), names_list)

    def assign_styles_in_order(self, names: Iterable[str]) -> dict[str, Style]:
        """What tells things apart that have an order and no name of their own, such as numbers."""
        names_list = list(names)
        return self.build_styles({name: place for place, name in enumerate(names_list)}, names_list)

    def build_styles(self, places: Mapping[str, int], names: Iterable[str]) -> dict[str, Style]:
        """The styles of these names, which have these places."""
        colours = GREYS if self.grey else COLOURS
        shifted = {
            name: (place + place // MAX_STYLES) % MAX_STYLES for name, place in places.items()
        }
        return {
            name: Style(
                colours[places[name] % MAX_STYLES], SHAPES[shifted[name]], DASHES[shifted[name]]
            )
            for name in names
        }

    def build_config(self) -> dict[str, Any]:
        """What Vega-Lite is told of all pictures."""
        small, normal = self.scale_points(POINTS), self.scale_points(12)
        return {
            "background": "white",
            "font": "sans-serif",
            "axis": {"labelFontSize": small, "titleFontSize": normal, "titleFontWeight": "normal",
                     "gridColor": "#e6e6e6", "titlePadding": 6, "labelFlush": False},
            "axisY": {"minExtent": self.scale_points(30)},  # so that panels are below each other
            # names are `shortened` before: cut at the end they could become equal
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
    """A place for each name, by its letters: see `Look.styles`.

    >>> places_of(["run1", "run2", "run3"]) == places_of(["run3", "run2", "run1"])
    True
    """
    waiting = sorted(set(names))
    occupied: dict[int, str] = {}
    for name in waiting:
        occupied.setdefault(_hash_name(name), name)
    for name in waiting:
        if occupied.get(_hash_name(name)) == name:
            continue
        for first in range(0, len(waiting), MAX_STYLES):  # one eight after the other
            turn = islice(cycle(range(MAX_STYLES)), _hash_name(name), _hash_name(name) + MAX_STYLES)
            free = [first + place for place in turn if first + place not in occupied]
            if free:
                occupied[free[0]] = name
                break
    return {name: place for place, name in occupied.items()}


def _hash_name(name: str) -> int:
    """The place of a name that is alone."""
    return crc32(name.encode("utf-8", "surrogatepass")) % MAX_STYLES
