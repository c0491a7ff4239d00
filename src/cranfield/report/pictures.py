"""What every picture needs: how it looks, and how it is written to files.

Pictures are drawn by Altair and rendered by vl-convert, both of the extra ``cranfield[report]``.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cranfield.data.files import write_whole
from cranfield.errors import CranfieldError
from cranfield.report.rows import separated
from cranfield.scores import Notice

if TYPE_CHECKING:
    import polars as pl

FORMATS = ("png", "svg", "pdf", "html", "json", "csv", "tsv")

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
    "legend": {"labelFontSize": 12, "titleFontSize": 12, "symbolSize": 70, "labelLimit": 300,
               "symbolStrokeWidth": 1.5},
    "title": {"fontSize": 13, "anchor": "start", "offset": 6, "frame": "group"},
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
        raise CranfieldError(
            f"pictures need {missing.name}, found none: pip install 'cranfield[report]'"
        ) from None
    return altair


def rows_of(data: pl.DataFrame) -> Any:
    """A frame as the data of a chart; what is not a number is no point."""
    return altair().Data(values=data.fill_nan(None).to_dicts())


def refuse_many(lines: int) -> None:
    """More lines than there are colours cannot be told apart."""
    if lines > len(COLOURS):
        raise CranfieldError(
            f"found {lines} lines to draw, expected at most {len(COLOURS)}, which the eye can tell "
            "apart: name topics, or give fewer runs"
        )


def told_apart(field: str, names: Sequence[str]) -> dict[str, Any]:
    """Encodings that tell a few things apart by colour, and by shape too."""
    alt = altair()
    refuse_many(len(names))

    def scale(values: Sequence[Any]) -> Any:
        return alt.Scale(domain=list(names), range=list(values[: len(names)]))

    return {
        "color": alt.Color(field, type="nominal", title=field, scale=scale(COLOURS)),
        "shape": alt.Shape(field, type="nominal", title=field, scale=scale(SHAPES)),
    }


def dashes(field: str, names: Sequence[str]) -> Any:
    """The encoding that tells lines apart where one lies on another."""
    alt = altair()
    scale = alt.Scale(domain=list(names), range=list(DASHES[: len(names)]))
    return alt.StrokeDash(field, type="nominal", title=field, scale=scale)


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """A picture, and the numbers it shows.

    `chart` is Altair's, for those who want to change it; `data` a Polars frame; `notices` what
    the user should know about the numbers. Notebooks show the picture.
    """

    chart: Any
    data: pl.DataFrame
    notices: tuple[Notice, ...] = ()

    def render(self, format: str, scale: float = 2.0) -> bytes:
        """The picture as a file of one of FORMATS; a PNG has `scale` pixels for each point."""
        if format not in FORMATS:
            raise CranfieldError(f"found format {format!r}, expected one of {', '.join(FORMATS)}")
        if format in ("csv", "tsv"):
            return separated([self.data.columns, *self.data.iter_rows()], format).encode()
        if format == "html":
            return self._page().encode()
        if format == "json":
            return (self._spec(indent=1) + "\n").encode()
        file = io.BytesIO() if format in ("png", "pdf") else io.StringIO()
        self.chart.save(file, format=format, scale_factor=scale if format == "png" else 1)
        found = file.getvalue()
        return found.encode() if isinstance(found, str) else found

    def save(self, path: str | os.PathLike[str], scale: float = 2.0) -> None:
        """Write the picture, whole or not at all; how is told by the end of the name.

        ``.png``, ``.svg`` and ``.pdf``; ``.html``, a page that works without a network and tells
        the numbers behind each point; ``.json``, Vega-Lite; ``.csv`` and ``.tsv``, the numbers.
        """
        format = format_of(path)
        write_whole(path, self.render(format, scale))

    def _spec(self, **style: Any) -> str:
        return json.dumps(self.chart.to_dict(), ensure_ascii=False, allow_nan=False, **style)

    def _page(self) -> str:
        import vl_convert

        version = ".".join(altair().SCHEMA_VERSION.removeprefix("v").split(".")[:2])
        # A name that holds </script> would end the script: in JSON, < may be written otherwise.
        spec = self._spec().replace("<", "\\u003c")
        shown = {"actions": {"export": True, "source": False, "compiled": False, "editor": False}}
        vega = vl_convert.javascript_bundle(vl_version=version)  # type: ignore[call-arg]
        return PAGE.format(vega=vega, spec=spec, options=json.dumps(shown))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """For notebooks: Vega-Lite where they know it, else SVG; neither needs a network."""
        major = altair().SCHEMA_VERSION.split(".")[0]
        return {
            f"application/vnd.vegalite.{major}+json": self.chart.to_dict(),
            "image/svg+xml": self.render("svg").decode(),
            "text/plain": repr(self),
        }

    def __repr__(self) -> str:
        return f"Picture of {len(self.data)} rows: {', '.join(self.data.columns)}"


def format_of(path: str | os.PathLike[str]) -> str:
    """The format that the end of a file's name asks for.

    >>> format_of("figure1.PDF")
    'pdf'
    """
    end = os.path.splitext(os.fspath(path))[1].lower().removeprefix(".")
    if end not in FORMATS:
        raise CranfieldError(
            f"found {os.fspath(path)}, expected a name that ends in ."
            + ", .".join(FORMATS[:-1])
            + f" or .{FORMATS[-1]}"
        )
    return end
