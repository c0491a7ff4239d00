"""Options of figures, shared by commands."""

from __future__ import annotations

from cranfield.options import OptionGroup, Rows, add_requirement, option, switch

THEME_OPTIONS = (
    option("--title", "TEXT", "heading above the figure; '' for no heading and no explanation"),
    option(
        "--plot-width",
        "N",
        "width of a panel in points: 150 to 190 for a column of a paper",
        name="width",
        value="count",
    ),
    option("--plot-height", "N", "height of a panel in points", name="height", value="count"),
    option("--font-size", "P", "size of numbers and names in points (default: 11)", value="number"),
    switch("--grey", "no colours: lines differ by dashes and marks"),
    option("--scale", "N", "pixels of a PNG per point", value="count", default=2),
)
"""The names are the fields of `Theme`, except the last."""


def build_plot_options(figure: str, owner: str = "their") -> Rows:
    """Return the options for the file and the look of a figure."""
    text = (
        f"draw {figure}: PNG, SVG, PDF, HTML, or {owner} numbers, by the extension of FILE (requires cranfield[report])"
    )
    look = add_requirement(THEME_OPTIONS, "plot")
    return (option("--plot", "FILE", text), OptionGroup("look of the figure", look))
