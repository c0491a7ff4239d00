"""Options of several commands: tests, confidence, figures."""

from __future__ import annotations

from cranfield.options import OptionGroup, Rows, add_requirement, option, switch
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.families import TESTS, get_default_test
from cranfield.stats.resampling import TRIALS

SEED = (option("--seed", "S", "seed of all random draws", value="integer", default=0),)
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


def build_test_option(default: str | None = None) -> Rows:
    """Return the option for the test of differences."""
    default_text = default or f"{get_default_test(3)}, or {get_default_test(2)} of two runs"
    text = f"one of {', '.join(TESTS)} (default: {default_text})"
    return (option("--test", "NAME", text, choices=tuple(TESTS), default=default),)


def build_correction_option(choices: str, default: str | None = None) -> Rows:
    """Return the option for the correction of p-values."""
    text = f"correction of tests of two runs for the number of pairs: {choices}"
    return (option("--correction", "NAME", text, choices=tuple(CORRECTIONS), default=default),)


def build_alpha_option(suffix: str = "", text: str = "p ≤ A is significant") -> Rows:
    """Return the option for the significance level."""
    return (option("--alpha", "A", text + suffix, value="number", default=0.05),)


def build_trial_options(
    default: int = TRIALS, text: str = "random trials of the test", suffix: str = ""
) -> Rows:
    """Return the options for the number of random trials and the seed."""
    text = f"{text} (default: {default:,}){suffix}"
    return (option("--trials", "B", text, value="count", default=default), *SEED)


def build_testing_options(of_alpha: str = "", of_trials: str = "") -> Rows:
    """Return the options of tests; the arguments are added to the help of two of them."""
    return (
        *build_test_option(),
        *build_correction_option("holm (default), bonferroni, bh (Benjamini and Hochberg) or none"),
        *build_alpha_option(of_alpha),
        *build_trial_options(suffix=of_trials),
    )


def build_confidence_option(text: str = "confidence of intervals") -> Rows:
    """Return the option for the confidence of intervals."""
    return (option("--confidence", "C", text, value="number", default=0.95),)


def build_statistic_option(suffix: str = "") -> Rows:
    """Return the option for the rank correlation."""
    from cranfield.meta.rankings import STATISTICS  # `compare` has no such option: do not load meta

    text = f"one of {', '.join(STATISTICS)} (default: kendall){suffix}"
    return (option("--statistic", "NAME", text, choices=tuple(STATISTICS), default="kendall"),)


def build_plot_options(figure: str, owner: str = "their") -> Rows:
    """Return the options for the file and the look of a figure."""
    text = (
        f"draw {figure}: PNG, SVG, PDF, HTML, or {owner} numbers, by the extension of FILE "
        "(requires cranfield[report])"
    )
    look = add_requirement(THEME_OPTIONS, "plot")
    return (option("--plot", "FILE", text), OptionGroup("look of the figure", look))


def build_help(doc: str | None) -> dict[str, str]:
    """Return the help and the description of a part of a command: the documentation of its module."""
    title, text = (" ".join(part.split()) for part in (doc or "").split("\n\n"))
    return {"help": title[0].lower() + title[1:].rstrip("."), "description": text}
