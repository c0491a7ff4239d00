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

    A `type` is a function, or the name of one in `cli/scored.py`: count, counts or numbers.
    `below` puts it after the options that say how results are shown.
    """

    flags: tuple[str, ...]
    settings: Mapping[str, Any]
    below: bool = False


# What values are that are called so.
VALUES: dict[str, Any] = {
    **dict.fromkeys("ACDPR", float), "S": int,
    **dict.fromkeys("BK", "count"), "N,N,…": "counts", "S,S,…": "numbers",
}  # fmt: skip


def option(written: str, said: str, below: bool = False, **settings: Any) -> Option:
    """An option as it is written, and what it means; what it is called tells the type of a value.

    What has neither a value nor choices is a flag. `settings` are what else argparse is told; a
    default is said, if it is not already.

    >>> option("--bin D", "how wide bins are", default=0.01).settings["help"]
    'how wide bins are (default: 0.01)'
    """
    words = written.split()
    flags = tuple(word for word in words if word.startswith("-"))
    if "default" in settings and "default" not in said:
        said += f" (default: {settings['default']})"
    told: dict[str, Any] = {"help": said}
    for value in words[len(flags) :]:
        told |= {"metavar": value, "type": VALUES.get(value)}
    if len(told) == 1 and "choices" not in settings:
        told["action"] = "store_true"
    return Option(flags, told | settings, below)


def which_test(named: str | None = None) -> Option:
    """How differences are tested."""
    usual = named or f"{usual_test(3)}, or {usual_test(2)} of two runs"
    text = f"one of {', '.join(TESTS)} (default: {usual})"
    return option("--test NAME", text, choices=tuple(TESTS), default=named)


def correction(said: str, default: str | None = None) -> Option:
    """How p-values are corrected."""
    said = f"of tests of two runs for the number of pairs: {said}"
    return option("--correction NAME", said, choices=tuple(CORRECTIONS), default=default)


def alpha(also: str = "", what: str = "p-values of at most A are significant") -> Option:
    """What is significant."""
    return option("--alpha A", what + also, default=0.05)


def trials(
    default: int = TRIALS, what: str = "random trials of the test", also: str = ""
) -> tuple[Option, Option]:
    """How random trials are drawn: their number, and the seed."""
    return option("--trials B", f"{what} (default: {default:,}){also}", default=default), seed()


def seed() -> Option:
    """Which random numbers."""
    return option("--seed S", "the same seed gives the same result", default=0)


def how_tested(of_alpha: str = "", of_trials: str = "") -> tuple[Option, ...]:
    """How differences are tested, and what else two of these options decide."""
    known = "holm (default), bonferroni, bh (Benjamini and Hochberg) or none"
    return which_test(), correction(known), alpha(of_alpha), *trials(also=of_trials)


def confidence(of: str = "of intervals") -> Option:
    """How sure intervals are."""
    return option("--confidence C", of, default=0.95)


def statistic(also: str = "") -> Option:
    """How rankings are compared."""
    from cranfield.meta.rankings import STATISTICS  # `compare`, which has none, need not load meta

    text = f"one of {', '.join(STATISTICS)} (default: kendall){also}"
    return option("--statistic NAME", text, choices=tuple(STATISTICS), default="kendall")


def plot(what: str, whose: str = "their", below: bool = False) -> Option:
    """Where a picture goes."""
    text = (
        f"draw {what}: PNG, SVG, PDF, HTML, or {whose} numbers, by the end of the name; "
        "needs pip install 'cranfield[report]'"
    )
    return option("--plot FILE", text, below)
