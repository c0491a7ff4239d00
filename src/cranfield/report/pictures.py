"""What every picture needs: how it looks, and how it is written to files.

Pictures are drawn by Altair and rendered by vl-convert, both of the extra ``cranfield[report]``.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cranfield.data.files import write_whole
from cranfield.errors import CranfieldError, InputError
from cranfield.report.formats.programs import rows_as
from cranfield.report.late import Late, pl
from cranfield.scores import Notice

FORMATS = ("png", "svg", "pdf", "html", "json", "csv", "tsv")
NUMBERS = ("csv", "tsv")  # formats that are the numbers of a picture alone
MOST_PIXELS = 100_000_000  # of a PNG; what renders it would end the whole process

# Okabe and Ito's colours, which colour-blind people can tell apart; yellow, weak on white, is last.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left",
          "triangle-right")  # fmt: skip
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [10, 3], [1, 3], [6, 2, 1, 2, 1, 2])

LOOK: dict[str, Any] = {
    "background": "white",
    "font": "sans-serif",
    "axis": {"labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal",
             "gridColor": "#e6e6e6", "titlePadding": 6},
    "axisY": {"minExtent": 30},  # so that panels are below each other
    # names are `shortened` before: cut at the end they could become equal
    "legend": {"labelFontSize": 12, "titleFontSize": 12, "symbolSize": 70, "labelLimit": 0,
               "titleLimit": 0, "symbolStrokeWidth": 1.5},
    "title": {"fontSize": 13, "anchor": "start", "offset": 6, "frame": "group",
              "subtitleFontSize": 12},
    "text": {"fontSize": 11},
    "line": {"strokeWidth": 1.5},
    "point": {"size": 45, "strokeWidth": 1.5, "opacity": 1},
    "concat": {"spacing": 16},
}  # fmt: skip

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>cranfield</title>
<script>{vega}</script>
</head>
<body>
<div id="picture"></div>
<script>vegaEmbed("#picture", {spec}, {options}).catch(console.error)</script>
</body>
</html>
"""


def altair() -> Any:
    """The package that draws, if it is there with the one that renders."""
    try:
        import altair
        import vl_convert  # noqa: F401
    except ImportError as missing:
        text = f"pictures need {missing.name}, found none: pip install 'cranfield[report]'"
        raise CranfieldError(text) from None
    return altair


alt: Any = Late(altair)


def rows_of(data: pl.DataFrame) -> Any:
    """A frame as the data of a chart; what is not a number is no point."""
    return alt.Data(values=data.fill_nan(None).to_dicts())


def decimals(*names: str) -> list[Any]:
    """Numbers that a point tells, with four decimals."""
    return [alt.Tooltip(f"{name}:Q", format=".4f") for name in names]


def refuse_many(lines: int) -> None:
    """More lines than there are colours cannot be told apart."""
    if lines > len(COLOURS):
        expected = f"at most {len(COLOURS)}, which the eye can tell apart"
        raise InputError(f"{lines} lines to draw", f"{expected}: name topics, or give fewer runs")


def told_apart(
    field: str, names: Sequence[str], title: str | list[str], **settings: Any
) -> dict[str, Any]:
    """Encodings that tell lines apart: colours, shapes of points, and dashes where one line lies on
    another. More lines than there are colours have other dashes with the same.
    """
    many, made = len(COLOURS), {"color": alt.Color, "shape": alt.Shape, "dash": alt.StrokeDash}
    for name, values, turn in (("color", COLOURS, 0), ("shape", SHAPES, 0), ("dash", DASHES, 1)):
        looks = [values[(k + turn * (k // many)) % many] for k in range(len(names))]
        scale = alt.Scale(domain=list(names), range=looks)
        made[name] = made[name](field, type="nominal", title=title, scale=scale, **settings)
    return made


# -- names that have room -------------------------------------------------------------------------


def shortened(names: Sequence[str], most: int) -> list[str]:
    """Names of at most `most` characters, as different as they were.

    What all begin and end with goes first, then what is in the middle of a name; names that are
    equal then have their number in the list, ``…#3``.

    >>> shortened(["bm25", "dense"], 8)
    ['bm25', 'dense']
    >>> shortened(["our_group_bm25_v1", "our_group_dense_v1"], 12)
    ['our_g…bm25…', 'our_g…dense…']
    >>> shortened(["retrievability", "bm25"], 9)
    ['retr…lity', 'bm25']
    """
    if max(map(len, names), default=0) <= most:
        return list(names)
    begin = _shared_words(names)
    rests = [name.removeprefix(begin)[::-1] for name in names]
    end = _shared_words(rests)
    own = [rest.removeprefix(end)[::-1] + ("…" if end else "") for rest in rests]
    if begin:
        room = most - 1 - max(map(len, own))
        own = [f"{begin[: max(0, room)]}…{name}" for name in own]
    made = [_without_middle(name, most) for name in own]
    equal = {name for name, count in Counter(made).items() if count > 1}
    return [
        f"{name[: most - 5].rstrip('…')}…#{number}" if name in equal else name
        for number, name in enumerate(made, 1)
    ]


def _shared_words(names: Sequence[str]) -> str:
    """The whole words that all names begin with.

    >>> _shared_words(["bm25_v10", "bm25_v12"]), _shared_words(["bm25", "bm26"])
    ('bm25_', '')
    """
    first, last = min(names), max(names)
    same = next((k for k, c in enumerate(first) if c != last[k]), len(first))
    return first[: max((k for k in range(same + 1) if not first[k - 1 : k].isalnum()), default=0)]


def _without_middle(name: str, most: int) -> str:
    """The begin and the end of a name that is too long."""
    half = (most - 1) // 2
    return name if len(name) <= most else f"{name[:half]}…{name[-half:]}"


# -- files ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """A picture, and the numbers it shows.

    `chart` is Altair's, for those who want to change it, drawn when it is asked for; `data` a
    Polars frame; `notices` what the user should know about the numbers. Notebooks show the
    picture.
    """

    draw: Callable[[], Any]
    data: pl.DataFrame
    notices: tuple[Notice, ...] = ()

    @cached_property
    def chart(self) -> Any:
        """The picture as Altair has it."""
        return self.draw()

    def render(self, format: str, scale: float = 2.0) -> bytes:
        """The picture as a file of one of FORMATS; a PNG has `scale` pixels for each point."""
        if format not in FORMATS:
            raise InputError(f"format {format!r}", f"one of {', '.join(FORMATS)}")
        if not 0 < scale < math.inf:
            raise InputError(f"scale {scale}", "a number above 0")
        if format in NUMBERS:
            return rows_as(format, [self.data.columns, *self.data.iter_rows()]).encode()
        if format == "html":
            return self._page().encode()
        if format == "json":
            return (self._spec(indent=1) + "\n").encode()
        if format == "pdf":
            file = io.BytesIO()
            self.chart.save(file, format=format)
            return file.getvalue()
        svg = self._svg()
        return svg.encode() if format == "svg" else _pixels(svg, scale)

    def save(self, path: str | os.PathLike[str], scale: float = 2.0) -> None:
        """Write the picture, whole or not at all; how is told by the end of the name.

        ``.png``, ``.svg`` and ``.pdf``; ``.html``, a page that works without a network and tells
        the numbers behind each point; ``.json``, Vega-Lite; ``.csv`` and ``.tsv``, the numbers.
        """
        write_whole(path, self.render(format_of(path), scale))

    def _svg(self) -> str:
        file = io.StringIO()
        self.chart.save(file, format="svg")
        return file.getvalue()

    def _spec(self, **style: Any) -> str:
        return json.dumps(self.chart.to_dict(), ensure_ascii=False, allow_nan=False, **style)

    def _page(self) -> str:
        import vl_convert

        version = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
        # A name that holds </script> would end the script: in JSON, < may be written otherwise.
        spec = self._spec().replace("<", "\\u003c")
        shown = {"actions": {"export": True, "source": False, "compiled": False, "editor": False}}
        vega = vl_convert.javascript_bundle(vl_version=version)  # type: ignore[call-arg]
        return PAGE.format(vega=vega, spec=spec, options=json.dumps(shown))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """For notebooks: Vega-Lite where they know it, else SVG; neither needs a network."""
        major = alt.SCHEMA_VERSION.split(".")[0]
        return {
            f"application/vnd.vegalite.{major}+json": self.chart.to_dict(),
            "image/svg+xml": self._svg(),
            "text/plain": repr(self),
        }

    def __repr__(self) -> str:
        return f"Picture of {len(self.data)} rows: {', '.join(self.data.columns)}"


def _pixels(svg: str, scale: float) -> bytes:
    """An SVG as a PNG of `scale` pixels for each point."""
    import vl_convert

    size = re.search(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"', svg)
    width, height = (float(side) * scale for side in size.groups()) if size else (0.0, 0.0)
    if width * height > MOST_PIXELS:
        found = f"a PNG of {width:,.0f} × {height:,.0f} pixels"
        instead = "choose a smaller scale, width or height, or SVG or PDF"
        raise InputError(found, f"at most {MOST_PIXELS:,} in all: {instead}")
    return vl_convert.svg_to_png(svg, scale=scale)


def format_of(path: str | os.PathLike[str]) -> str:
    """The format that the end of a file's name asks for.

    >>> format_of("figure1.PDF")
    'pdf'
    """
    end = os.path.splitext(os.fspath(path))[1].lower().removeprefix(".")
    if end not in FORMATS:
        known = f"{', .'.join(FORMATS[:-1])} or .{FORMATS[-1]}"
        raise InputError(os.fspath(path), f"a name that ends in .{known}")
    return end
