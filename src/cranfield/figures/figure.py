"""Figures, drawn by Altair and written to files by vl-convert.

Both packages are in the extra ``report``. `cranfield.figures.charts` has the parts of figures.
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
from cranfield.data.names import format_rows
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, check_choice
from cranfield.lazy_imports import LazyModule, load, load_altair, pl
from cranfield.scores import Note

FORMATS = ("png", "svg", "pdf", "html", "json", "csv", "tsv")
DATA_FORMATS = ("csv", "tsv")  # formats that contain only the data
MAX_PIXELS = 100_000_000  # of a PNG; the renderer aborts the process above its limit

HTML_TEMPLATE = """<!DOCTYPE html>
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


alt: Any = LazyModule(load_altair)
vl_convert: Any = LazyModule(partial(load, "vl_convert"))


@dataclass(frozen=True, eq=False, repr=False)
class Figure:
    """Figure and its data.

    `chart` is the Altair chart, drawn on first use. `data` is a Polars frame. `notices` are notes
    about the data. Notebooks display the figure."""

    draw: Callable[[], Any]
    data: pl.DataFrame
    notes: tuple[Note, ...] = ()

    @cached_property
    def chart(self) -> Any:
        """Altair chart."""
        return self.draw()

    def render(self, format: str, scale: float = 2.0) -> bytes:
        """Return the figure in a format of FORMATS. A PNG has `scale` pixels per point."""
        check_choice("format", format, FORMATS)
        if not 0 < scale < math.inf:
            raise InputError(f"scale {scale}", "a number above 0")
        if format in DATA_FORMATS:
            return format_rows(format, [self.data.columns, *self.data.iter_rows()]).encode()
        if format == "html":
            return self._render_html().encode()
        if format == "json":
            return (self._serialize_spec(indent=1) + "\n").encode()
        svg = self._render_svg()
        if format == "pdf":
            return bytes(vl_convert.svg_to_pdf(svg))
        return svg.encode() if format == "svg" else _render_png(svg, scale)

    def save(self, path: str | os.PathLike[str], scale: float = 2.0) -> None:
        """Write the figure to a file. The extension selects the format.

        ``.png``, ``.svg``, ``.pdf``, ``.html`` (works offline, with values on hover), ``.json``
        (Vega-Lite), ``.csv`` and ``.tsv`` (data only). Files are written completely or not at all.
        """
        write_whole(path, self.render(get_figure_format(path), scale))

    def _render_svg(self) -> str:
        return str(vl_convert.vegalite_to_svg(self.chart.to_dict(), vl_version=_get_vega_version()))

    def _serialize_spec(self, **style: Any) -> str:
        return json.dumps(self.chart.to_dict(), ensure_ascii=False, allow_nan=False, **style)

    def _render_html(self) -> str:
        # A name that contains </script> would end the script, so < is escaped.
        spec = self._serialize_spec().replace("<", "\\u003c")
        options = {"actions": {"export": True, "source": False, "compiled": False, "editor": False}}
        vega = vl_convert.javascript_bundle(vl_version=_get_vega_version())
        return HTML_TEMPLATE.format(vega=vega, spec=spec, options=json.dumps(options))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Return Vega-Lite and SVG for notebooks. Neither needs a network."""
        major = alt.SCHEMA_VERSION.split(".")[0]
        return {
            f"application/vnd.vegalite.{major}+json": self.chart.to_dict(),
            "image/svg+xml": self._render_svg(),
            "text/plain": repr(self),
        }

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the chart as Vega-Lite, because `draw` can be a local function."""
        return Figure, (partial(_load_chart, self.chart.to_dict()), self.data, self.notes)

    def __repr__(self) -> str:
        return f"Figure of {len(self.data)} rows: {', '.join(self.data.columns)}"


def _load_chart(spec: dict[str, Any]) -> Any:
    """Return the Altair chart of a Vega-Lite specification."""
    return alt.Chart.from_dict(spec)


def _get_vega_version() -> str:
    """Return the Vega-Lite version in the format of vl-convert."""
    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


def _render_png(svg: str, scale: float) -> bytes:
    """Convert SVG to PNG with `scale` pixels per point."""
    size = re.search(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"', svg)
    width, height = (float(side) * scale for side in size.groups()) if size else (0.0, 0.0)
    if width * height > MAX_PIXELS:
        size_text = f"a PNG of {width:,.0f} × {height:,.0f} pixels"
        instead = "choose a smaller scale, width or height, or SVG or PDF"
        raise InputError(size_text, f"at most {MAX_PIXELS:,} in all: {instead}")
    return bytes(vl_convert.svg_to_png(svg, scale=scale))


def get_figure_format(path: str | os.PathLike[str]) -> str:
    """Return the figure format of a file extension.

    >>> get_figure_format("figure1.PDF")
    'pdf'
    """
    end = os.path.splitext(os.fspath(path))[1].lower().removeprefix(".")
    if end not in FORMATS:
        endings = f"{', .'.join(FORMATS[:-1])} or .{FORMATS[-1]}"
        raise InputError(os.fspath(path), f"a name that ends in .{endings}")
    return end
