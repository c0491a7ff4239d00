"""Options of commands as data: what `cli` tells argparse. Those that several commands have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.families import TESTS, usual_test
from cranfield.stats.resampling import TRIALS


@dataclass(frozen=True)
class Option:
    """An option: its names, and the settings that argparse knows, such as help and default.

    A `type` is a function, or the name of one in `cli/options.py`: count, counts or numbers.
    `below` puts it after the options that say how results are shown.
    """

    flags: tuple[str, ...]
    settings: Mapping[str, Any]
    below: bool = False


def option(*flags: str, below: bool = False, **settings: Any) -> Option:
    """An option, given as to argparse."""
    return Option(flags, settings, below)


def which_test(named: str | None = None) -> Option:
    """How differences are tested."""
    usual = named or f"{usual_test(3)}, or {usual_test(2)} of two runs"
    text = f"one of {', '.join(TESTS)} (default: {usual})"
    return option("--test", choices=tuple(TESTS), metavar="NAME", default=named, help=text)


def correction(said: str, default: str | None = None) -> Option:
    """How p-values are corrected."""
    said = f"of tests of two runs for the number of pairs: {said}"
    names = tuple(CORRECTIONS)
    return option("--correction", choices=names, metavar="NAME", default=default, help=said)


def number(flag: str, metavar: str, default: float, said: str) -> Option:
    """A number that has a default."""
    said = f"{said} (default: {default})"
    return option(flag, type=float, default=default, metavar=metavar, help=said)


def alpha(also: str = "", what: str = "p-values of at most A are significant") -> Option:
    """What is significant."""
    return number("--alpha", "A", 0.05, what + also)


def trials(
    default: int = TRIALS, what: str = "random trials of the test", also: str = ""
) -> tuple[Option, Option]:
    """How random trials are drawn: their number, and the seed."""
    text = f"{what} (default: {default:,}){also}"
    return option("--trials", type="count", default=default, metavar="B", help=text), seed()


def seed() -> Option:
    """Which random numbers."""
    text = "the same seed gives the same result (default: 0)"
    return option("--seed", type=int, default=0, metavar="S", help=text)


def how_tested(of_alpha: str = "", of_trials: str = "") -> tuple[Option, ...]:
    """How differences are tested, and what else two of these options decide."""
    known = "holm (default), bonferroni, bh (Benjamini and Hochberg) or none"
    return which_test(), correction(known), alpha(of_alpha), *trials(also=of_trials)


def confidence(of: str = "of intervals") -> Option:
    """How sure intervals are."""
    return number("--confidence", "C", 0.95, of)


def statistic(also: str = "") -> Option:
    """How rankings are compared."""
    from cranfield.meta.rankings import STATISTICS  # `compare`, which has none, need not load meta

    text = f"one of {', '.join(STATISTICS)} (default: kendall){also}"
    names = tuple(STATISTICS)
    return option("--statistic", choices=names, default="kendall", metavar="NAME", help=text)


def sizes(said: str) -> Option:
    """How many topics are drawn."""
    return option("--sizes", type="counts", metavar="N,N,…", help=said)


def plot(what: str, whose: str = "their", below: bool = False) -> Option:
    """Where a picture goes."""
    text = (
        f"draw {what}: PNG, SVG, PDF, HTML, or {whose} numbers, by the end of the name; "
        "needs pip install 'cranfield[report]'"
    )
    return option("--plot", metavar="FILE", help=text, below=below)
