"""Command-line options shared by several commands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.families import TESTS, get_default_test
from cranfield.stats.resampling import TRIALS

Rows: TypeAlias = Mapping[str, str | Mapping[str, Any]]
"""Options by their declaration, with the help or all keyword arguments for argparse."""


def build_option(text: str, default: Any, **settings: Any) -> dict[str, Any]:
    """Build the argparse keyword arguments of an option from its help and default.

    >>> build_option("how wide bins are", 0.01)["help"]
    'how wide bins are (default: 0.01)'
    """
    help = text if "default" in text else f"{text} (default: {default})"
    return {"help": help, "default": default, **settings}


def build_test_option(default: str | None = None) -> Rows:
    """Build the option for the test."""
    default_text = default or f"{get_default_test(3)}, or {get_default_test(2)} of two runs"
    text = f"one of {', '.join(TESTS)} (default: {default_text})"
    return {"--test NAME": build_option(text, default, choices=tuple(TESTS))}


def build_correction_option(usage: str, default: str | None = None) -> Rows:
    """Build the option for the correction of p-values."""
    usage = f"of tests of two runs for the number of pairs: {usage}"
    return {"--correction NAME": build_option(usage, default, choices=tuple(CORRECTIONS))}


def build_alpha_option(
    suffix: str = "", text: str = "p-values of at most A are significant"
) -> Rows:
    """Build the option for the significance level."""
    return {"--alpha A": build_option(text + suffix, 0.05)}


def build_trial_options(
    default: int = TRIALS, text: str = "random trials of the test", suffix: str = ""
) -> Rows:
    """Build the options for random trials: number and seed."""
    return {"--trials B": build_option(f"{text} (default: {default:,}){suffix}", default), **SEED}


SEED: Rows = {"--seed S": build_option("the same seed gives the same result", 0)}


def build_testing_options(of_alpha: str = "", of_trials: str = "") -> Rows:
    """Build the options for test, correction, significance level and trials."""
    choices = "holm (default), bonferroni, bh (Benjamini and Hochberg) or none"
    return {
        **build_test_option(),
        **build_correction_option(choices),
        **build_alpha_option(of_alpha),
        **build_trial_options(suffix=of_trials),
    }


def build_confidence_option(text: str = "of intervals") -> Rows:
    """Build the option for the confidence level of intervals."""
    return {"--confidence C": build_option(text, 0.95)}


def build_statistic_option(suffix: str = "") -> Rows:
    """Build the option for the rank correlation."""
    from cranfield.meta.rankings import (
        STATISTICS,
    )  # imported here because `compare` does not need meta

    text = f"one of {', '.join(STATISTICS)} (default: kendall){suffix}"
    return {"--statistic NAME": build_option(text, "kendall", choices=tuple(STATISTICS))}


THEME_OPTIONS: Rows = {
    "--title TEXT": "heading above the figure; '' for nothing above it, neither a heading nor the "
    "lines that explain the figure",
    "width --plot-width N": "panel width in points (column of a paper: 150 to 190)",
    "height --plot-height N": "panel height in points",
    "--font-size P": "size of numbers and names in points (default: 11)",
    "--grey": "no colours: dashes and marks distinguish lines",
    "--scale N": build_option("pixels per point in a PNG", 2),
}
"""Options of figures. All but the last are fields of `Theme`."""


def build_plot_options(figure: str, owner: str = "their") -> Rows:
    """Build the options for the file and the appearance of a figure."""
    file = (
        f"draw {figure}: PNG, SVG, PDF, HTML, or {owner} numbers, by the end of the name (needs "
        "cranfield[report])"
    )
    return {
        "--plot FILE": file,
        "how the picture looks": {
            f"{row} with --plot FILE": text for row, text in THEME_OPTIONS.items()
        },
    }


def build_help(doc: str | None) -> dict[str, str]:
    """Build the argparse help and description of a command from a module docstring."""
    title, text = (" ".join(part.split()) for part in (doc or "").split("\n\n"))
    return {"help": title[0].lower() + title[1:].rstrip("."), "description": text}
