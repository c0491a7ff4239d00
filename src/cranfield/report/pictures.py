"""Pictures, and how they are written to files.

What they are made of is in `cranfield.report.charts`. They are drawn by Altair and rendered by
vl-convert, both of the extra named report.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

from cranfield.data.files import write_whole
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, one_of
from cranfield.late import Late, altair, load, pl
from cranfield.report.formats.programs import rows_as
from cranfield.scores import Notice

FORMATS = ("png", "svg", "pdf", "html", "json", "csv", "tsv")
NUMBERS = ("csv", "tsv")  # formats that are the numbers of a picture alone
MOST_PIXELS = 100_000_000  # of a PNG; what renders it would end the whole process

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


alt: Any = Late(altair)
vl_convert: Any = Late(partial(load, "vl_convert"))


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
        one_of("format", format, FORMATS)
        if not 0 < scale < math.inf:
            raise InputError(f"scale {scale}", "a number above 0")
        if format in NUMBERS:
            return rows_as(format, [self.data.columns, *self.data.iter_rows()]).encode()
        if format == "html":
            return self._page().encode()
        if format == "json":
            return (self._spec(indent=1) + "\n").encode()
        svg = self._svg()
        if format == "pdf":
            return bytes(vl_convert.svg_to_pdf(svg))
        return svg.encode() if format == "svg" else _pixels(svg, scale)

    def save(self, path: str | os.PathLike[str], scale: float = 2.0) -> None:
        """Write the picture, whole or not at all; how is told by the end of the name.

        ``.png``, ``.svg`` and ``.pdf``; ``.html``, a page that works without a network and tells
        the numbers behind each point; ``.json``, Vega-Lite; ``.csv`` and ``.tsv``, the numbers.
        """
        write_whole(path, self.render(format_of(path), scale))

    def _svg(self) -> str:
        return str(vl_convert.vegalite_to_svg(self.chart.to_dict(), vl_version=_version()))

    def _spec(self, **style: Any) -> str:
        return json.dumps(self.chart.to_dict(), ensure_ascii=False, allow_nan=False, **style)

    def _page(self) -> str:
        # A name that holds </script> would end the script: in JSON, < may be written otherwise.
        spec = self._spec().replace("<", "\\u003c")
        shown = {"actions": {"export": True, "source": False, "compiled": False, "editor": False}}
        vega = vl_convert.javascript_bundle(vl_version=_version())
        return PAGE.format(vega=vega, spec=spec, options=json.dumps(shown))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """For notebooks: Vega-Lite where they know it, else SVG; neither needs a network."""
        major = alt.SCHEMA_VERSION.split(".")[0]
        return {
            f"application/vnd.vegalite.{major}+json": self.chart.to_dict(),
            "image/svg+xml": self._svg(),
            "text/plain": repr(self),
        }

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the chart as Vega-Lite: the function that draws it may be a local one."""
        return Picture, (partial(_chart, self.chart.to_dict()), self.data, self.notices)

    def __repr__(self) -> str:
        return f"Picture of {len(self.data)} rows: {', '.join(self.data.columns)}"


def _chart(spec: dict[str, Any]) -> Any:
    """Return the Altair chart of a Vega-Lite specification."""
    return alt.Chart.from_dict(spec)


def _version() -> str:
    """That of Vega-Lite, as vl-convert calls it."""
    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


def _pixels(svg: str, scale: float) -> bytes:
    """An SVG as a PNG of `scale` pixels for each point."""
    size = re.search(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"', svg)
    width, height = (float(side) * scale for side in size.groups()) if size else (0.0, 0.0)
    if width * height > MOST_PIXELS:
        found = f"a PNG of {width:,.0f} × {height:,.0f} pixels"
        instead = "choose a smaller scale, width or height, or SVG or PDF"
        raise InputError(found, f"at most {MOST_PIXELS:,} in all: {instead}")
    return bytes(vl_convert.svg_to_png(svg, scale=scale))


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
