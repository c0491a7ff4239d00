"""What trec_eval is asked for, line by line of its output: measures, nicknames, parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from textwrap import indent
from typing import Any

from cranfield.data.records import finite
from cranfield.errors import CranfieldError, InputError
from cranfield.measures.base import Measure
from cranfield.measures.preferences import MEASURES
from cranfield.measures.trec_eval import (
    ALL,
    AT_RANKS,
    AT_SHARES,
    BY_GROUP,
    NICKNAMES,
    PREFERENCES,
    VERSION_9,
    WITH_GAINS,
    measure_of,
)

TEXTS = {
    "runid": "The name of the run, on its last line.",
    "num_q": "The number of topics evaluated.",
    "relstring": "The levels of the first 10 documents (relstring.N: N) of each list, a character "
    "each:\n0 to 9, > above 9, - unjudged, . in the pool and not judged.",
}


class Failed(CranfieldError):
    """What trec_eval says before it stops, and the code that it exits with."""

    def __init__(self, said: str, code: int) -> None:
        super().__init__(said)
        self.code = code


@dataclass(frozen=True)
class Line:
    """A number that is printed, or a text: the measure, and the parameters it has."""

    measure: str
    name: str  # as printed
    at: float | None = None  # a rank, or a share of R
    numbers: tuple[float, ...] = ()
    gains: tuple[tuple[int, float], ...] = ()
    p: float | None = None

    @property
    def whole(self) -> bool:
        """Whether it is a count, and the sum is what counts."""
        return "num_" in self.measure

    @property
    def geometric(self) -> bool:
        return self.measure.startswith("gm_")

    @property
    def of_topics(self) -> bool:
        """Whether it is printed for each topic."""
        return not (self.geometric or self.measure in ("runid", "num_q"))

    @property
    def of_all(self) -> bool:
        """Whether it is printed for all topics together."""
        return self.measure != "relstring"

    def computed(self, **settings: Any) -> Measure:
        """What computes it."""
        if self.measure == "utility":
            settings |= dict(zip("abcd", self.numbers, strict=False))
        else:
            settings.pop("docs")
        if self.measure == "11pt_avg" and self.numbers:
            settings["points"] = self.numbers
        if self.measure in WITH_GAINS and any(gain < 0 for _, gain in self.gains):
            settings["gain"] = "raw"
        if self.p is not None:
            settings["p"] = self.p
        at = self.numbers[0] if self.measure == "set_F" and self.numbers else self.at
        return measure_of(BY_GROUP.get(self.measure, self.measure), at, **settings)


def asked(texts: Iterable[str], version: int = 10) -> list[Line]:
    """The lines that measures and nicknames stand for, in trec_eval's order.

    >>> [line.name for line in asked(["P.10,5", "set_F.2", "recip_rank"])]
    ['recip_rank', 'P_5', 'P_10', 'set_F_2']
    """
    wanted: dict[str, list[str]] = {}
    for text in texts:
        name, dot, parameters = text.partition(".")
        if dot and not parameters:
            said = f"trec_eval: improper measure in parameter '{name}'"
            raise Failed(f"{said}\ntrec_eval: illegal measure '{name}'", 1)
        if name in NICKNAMES and not dot:
            for member in NICKNAMES[name]:
                if version == 10 or member in VERSION_9 or name != "all_trec":
                    wanted.setdefault(member, [])
        elif name in ALL:
            wanted.setdefault(name, []).extend([parameters] if dot else [])
        else:
            why = " (nicknames have no parameters)" if name in NICKNAMES else ""
            raise Failed(f"trec_eval: illegal measure '{name}'{why}", 1)
    found: list[Line] = []
    for name in ALL:
        if name in wanted:
            try:
                found += _lines(name, wanted[name])
            except CranfieldError as error:
                said = f"trec_eval: {error}\ntrec_eval: Cannot initialize measure '{name}'"
                raise Failed(said, 2) from None
    return found


def described(texts: Iterable[str], version: int = 10) -> list[str]:
    """What the measures asked for are: the words of the measures themselves."""
    found = []
    for line in {line.measure: line for line in asked(texts, version)}.values():
        if line.measure in TEXTS:
            said = TEXTS[line.measure]
        elif line.measure in PREFERENCES:
            said = inspect.getdoc(MEASURES[line.measure]) or ""
        else:
            measure = line.computed(rel=1, docs=0.0, version=version)
            said = f"{measure}\n{inspect.getdoc(measure)}"
        found.append(f"{line.measure}\n{indent(said, '    ')}\n")
    return found


def _lines(name: str, given: Sequence[str]) -> list[Line]:
    """The lines of one measure, with the parameters of each time that it was asked for."""
    if name in AT_RANKS:
        ranks = _in_order(given, _rank, AT_RANKS[name])
        return [Line(name, f"{name}_{at:.0f}", at) for at in ranks]
    if name in AT_SHARES:
        share = _share if name == "iprec_at_recall" else _multiple
        shares = _in_order(given, share, AT_SHARES[name])
        return [Line(name, f"{name}_{at:.2f}", at) for at in shares]
    return [_line(name, text) for text in dict.fromkeys(given)] or [Line(name, name)]


def _in_order(
    given: Sequence[str], number: Callable[[str], float], default: Sequence[float]
) -> list[float]:
    found: set[float] = set()
    for text in given:
        numbers = [number(part) for part in text.split(",")]
        if len(set(numbers)) < len(numbers):
            raise CranfieldError("duplicate cutoffs detected")
        found.update(numbers)
    return sorted(found or default)


def _line(name: str, text: str) -> Line:
    """The line of a measure that has its parameters in its name."""
    shown, parts = f"{name}_{text}", text.split(",")
    if name in (*WITH_GAINS, "rbp", "rbp_resid"):
        pairs = dict(_pair(part, text) for part in parts)
        p = pairs.pop("p", None) if name.startswith("rbp") else None
        if p is not None and not 0 < p < 1:
            raise InputError(f"p={p:g}", "a number between 0 and 1")
        if wrong := [key for key in pairs if not re.fullmatch(r"\+?\d+", key)]:
            raise InputError(f"level {wrong[0]!r}", "a whole number from 0")
        return Line(name, shown, gains=tuple((int(key), x) for key, x in pairs.items()), p=p)
    sizes = {"11pt_avg": len(parts), "set_F": 1, "relstring": 1, "utility": 4}
    if name not in sizes:
        raise InputError(f"parameters {text!r}", f"none: {name} has no parameters")
    numbers = tuple(_share(part) if name == "11pt_avg" else _number(part) for part in parts)
    if len(numbers) != sizes[name]:
        raise InputError(f"{len(numbers)} coefficients", f"{sizes[name]}")
    if name in ("set_F", "relstring") and numbers[0] < 0:
        raise InputError(text, "a number from 0")
    return Line(name, shown, numbers=numbers)


def _rank(text: str) -> int:
    if not re.fullmatch(r"[+-]?\d+", text):
        raise InputError(f"cutoff {text!r}", "a whole number from 1")
    if int(text) <= 0:
        raise CranfieldError("Negative cutoff detected")
    return int(text)


def _number(text: str) -> float:
    number = finite(text)
    if number is None:
        raise InputError(repr(text), "a number")
    return number


def _share(text: str) -> float:
    share = _number(text)
    if not 0 <= share <= 1:
        raise InputError(text, "a recall from 0 to 1")
    return share


def _multiple(text: str) -> float:
    multiple = _number(text)
    if multiple <= 0:
        raise InputError(text, "a number above 0")
    return multiple


def _pair(part: str, text: str) -> tuple[str, float]:
    key, equals, value = part.partition("=")
    if not (key and equals and value) or finite(value) is None:
        raise CranfieldError(f"malformed pair parameters in '{text}'")
    return key.strip(), float(value)
