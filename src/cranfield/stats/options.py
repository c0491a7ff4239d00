"""Options of tests, trials and intervals, shared by commands."""

from __future__ import annotations

from collections.abc import Sequence

from cranfield.options import Rows, option
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.families import TESTS_OF_RUNS, get_default_test
from cranfield.stats.resampling import TRIALS

SEED = (option("--seed", "S", "seed of all random draws", value="integer", default=0),)


def build_test_option(default: str | None = None, tests: Sequence[str] = TESTS_OF_RUNS) -> Rows:
    """Return the option for the test of differences."""
    default_text = default or f"{get_default_test(3)}, or {get_default_test(2)} of two runs"
    text = f"one of {', '.join(tests)} (default: {default_text})"
    return (option("--test", "NAME", text, choices=tuple(tests), default=default),)


def build_correction_option(choices: str, default: str | None = None) -> Rows:
    """Return the option for the correction of p-values."""
    text = f"correction of tests of two runs for the number of pairs: {choices}"
    return (option("--correction", "NAME", text, choices=tuple(CORRECTIONS), default=default),)


def build_alpha_option(suffix: str = "", text: str = "p ≤ A is significant") -> Rows:
    """Return the option for the significance level."""
    return (option("--alpha", "A", text + suffix, value="number", default=0.05),)


def build_trial_options(default: int = TRIALS, text: str = "random trials of the test", suffix: str = "") -> Rows:
    """Return the options for the number of random trials and the seed."""
    text = f"{text} (default: {default:,}){suffix}"
    return (option("--trials", "B", text, value="count", default=default), *SEED)


def build_testing_options(of_alpha: str = "", of_trials: str = "", tests: Sequence[str] = TESTS_OF_RUNS) -> Rows:
    """Return the options of tests; the arguments are added to the help of two of them."""
    return (
        *build_test_option(tests=tests),
        *build_correction_option("holm (default), bonferroni, bh or none; bh: Benjamini and Hochberg"),
        *build_alpha_option(of_alpha),
        *build_trial_options(suffix=of_trials),
    )


def build_confidence_option(text: str = "confidence of intervals") -> Rows:
    """Return the option for the confidence of intervals."""
    return (option("--confidence", "C", text, value="number", default=0.95),)
