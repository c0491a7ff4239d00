"""Options of commands as rows: how they are written, what they mean. Those that several have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.families import TESTS, usual_test
from cranfield.stats.resampling import TRIALS

Rows: TypeAlias = Mapping[str, str | Mapping[str, Any]]
"""Options, written as `cli` declares them; what each means, or all that argparse is told of it."""


def told(said: str, default: Any, **settings: Any) -> dict[str, Any]:
    """What an option means, and its default, which is said if it is not already.

    >>> told("how wide bins are", 0.01)["help"]
    'how wide bins are (default: 0.01)'
    """
    help = said if "default" in said else f"{said} (default: {default})"
    return {"help": help, "default": default, **settings}


def which_test(named: str | None = None) -> Rows:
    """How differences are tested."""
    usual = named or f"{usual_test(3)}, or {usual_test(2)} of two runs"
    text = f"one of {', '.join(TESTS)} (default: {usual})"
    return {"--test NAME": told(text, named, choices=tuple(TESTS))}


def correction(said: str, default: str | None = None) -> Rows:
    """How p-values are corrected."""
    said = f"of tests of two runs for the number of pairs: {said}"
    return {"--correction NAME": told(said, default, choices=tuple(CORRECTIONS))}


def alpha(also: str = "", what: str = "p-values of at most A are significant") -> Rows:
    """What is significant."""
    return {"--alpha A": told(what + also, 0.05)}


def trials(default: int = TRIALS, what: str = "random trials of the test", also: str = "") -> Rows:
    """How random trials are drawn: their number, and the seed."""
    return {"--trials B": told(f"{what} (default: {default:,}){also}", default), **SEED}


SEED: Rows = {"--seed S": told("the same seed gives the same result", 0)}


def how_tested(of_alpha: str = "", of_trials: str = "") -> Rows:
    """How differences are tested, and what else two of these options decide."""
    known = "holm (default), bonferroni, bh (Benjamini and Hochberg) or none"
    return {**which_test(), **correction(known), **alpha(of_alpha), **trials(also=of_trials)}


def confidence(of: str = "of intervals") -> Rows:
    """How sure intervals are."""
    return {"--confidence C": told(of, 0.95)}


def statistic(also: str = "") -> Rows:
    """How rankings are compared."""
    from cranfield.meta.rankings import STATISTICS  # `compare`, which has none, need not load meta

    text = f"one of {', '.join(STATISTICS)} (default: kendall){also}"
    return {"--statistic NAME": told(text, "kendall", choices=tuple(STATISTICS))}


LOOK: Rows = {
    "--title TEXT": "heading above the figure; '' for nothing above it, neither a heading nor the "
    "lines that explain the figure",
    "width --plot-width N": "of a panel, in points: 150 to 190 for a column of a paper",
    "height --plot-height N": "of a panel, in points",
    "--font-size P": "of numbers and names, in points (default: 11)",
    "--grey": "without colours: lines are told apart by dashes and marks",
    "--scale N": told("pixels of a PNG a point", 2),
}
"""How pictures look: the names are those of `Look`, but for the last."""


def plot(what: str, whose: str = "their") -> Rows:
    """Where a picture goes, and how it looks."""
    file = (
        f"draw {what}: PNG, SVG, PDF, HTML, or {whose} numbers, by the end of the name (needs "
        "cranfield[report])"
    )
    return {
        "--plot FILE": file,
        "how the picture looks": {f"{row} with --plot FILE": said for row, said in LOOK.items()},
    }


def help_of(doc: str | None) -> dict[str, str]:
    """What argparse tells of a part of a command: what the documentation of its module begins with,
    and what follows.
    """
    title, text = (" ".join(part.split()) for part in (doc or "").split("\n\n"))
    return {"help": title[0].lower() + title[1:].rstrip("."), "description": text}
