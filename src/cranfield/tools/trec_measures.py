"""trec_eval's output lines for measures, nicknames and parameters."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from textwrap import indent
from typing import Any, TypeAlias

from cranfield.data.reading.lines import parse_finite
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.measures import trec_eval as trec
from cranfield.measures.base import Measure
from cranfield.measures.preferences import MEASURES

TEXTS = {
    "runid": "The name of the run, on its last line.",
    "num_q": "The number of topics evaluated.",
    "relstring": "The levels of the first 10 documents (relstring.N: N) of each list, one "
    "character each:\n0 to 9, > above 9, - unjudged, . in the pool and not judged.",
}


OTHER_PARAMETERS = {  # parameters that one measure has
    "rbp": "Persistence, gains of levels: -m rbp.p=0.8,1=3 (default: p=0.9 and the level)\n",
    "rbp_resid": "Persistence: -m rbp_resid.p=0.8 (default: 0.9)\n",
    "set_F": "Weight of recall, not squared: -m set_F.2 (default: 1)\n",
    "utility": "Value of relevant and other retrieved documents, of missed documents: -m utility.1,-1,0,0\n",
    "11pt_avg": "Recalls: -m 11pt_avg.0.2,0.5,0.8 (default: 0,0.1,…,1)\n",
}


class TrecEvalError(CranfieldError):
    """Error message and exit code of trec_eval."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


Gains: TypeAlias = tuple[tuple[int, float], ...]  # Levels and their gains.


@dataclass(frozen=True)
class Line:
    """An output line: the measure and its parameters."""

    measure: str
    name: str  # as printed
    cutoff: float | None = None  # A rank, or a fraction of R.
    numbers: tuple[float, ...] = ()
    gains: Gains = ()
    p: float | None = None

    @property
    def is_count(self) -> bool:
        """True if the value is a count, which is summed over topics."""
        return "num_" in self.measure

    @property
    def is_geometric(self) -> bool:
        return self.measure.startswith("gm_")

    @property
    def is_per_topic(self) -> bool:
        """True if the line is printed for each topic."""
        return not (self.is_geometric or self.measure in ("runid", "num_q"))

    def build_measure(self, docs: float = 0.0, **settings: Any) -> Measure:
        """Return the measure that computes the line."""
        if self.measure == "utility":
            settings |= {"docs": float(docs), **dict(zip("abcd", self.numbers, strict=False))}
        if self.measure == "11pt_avg" and self.numbers:
            settings["points"] = self.numbers
        if self.measure in trec.WITH_GAINS and any(gain < 0 for _, gain in self.gains):
            settings["gain"] = "raw"
        if self.p is not None:
            settings["p"] = self.p
        cutoff = self.numbers[0] if self.measure == "set_F" and self.numbers else self.cutoff
        return trec.find_measure(trec.BY_GROUP.get(self.measure, self.measure), cutoff, **settings)


def parse_lines(texts: Iterable[str], version: int = 10) -> list[Line]:
    """Return the output lines for measures and nicknames, in trec_eval's order.

    >>> [line.name for line in parse_lines(["P.10,5", "set_F.2", "recip_rank"])]
    ['recip_rank', 'P_5', 'P_10', 'set_F_2']
    """
    parameters_by_name: dict[str, list[str]] = {}
    for text in texts:
        names, parameters = _parse_name(text, version)
        for name in names:
            parameters_by_name.setdefault(name, []).extend(parameters)
    lines: list[Line] = []
    for name in (name for name in trec.NAMES if name in parameters_by_name):
        try:
            lines += _build_lines(name, parameters_by_name[name])
        except CranfieldError as error:
            message = f"trec_eval: {error}\ntrec_eval: Cannot initialize measure '{name}'"
            raise TrecEvalError(message, 2) from None
    return lines


def _parse_name(text: str, version: int) -> tuple[Sequence[str], list[str]]:
    """Return the measures that a text names, several for a nickname, and its parameters."""
    name, dot, parameters = text.partition(".")
    if dot and not parameters:
        message = f"trec_eval: improper measure in parameter '{name}'"
        raise TrecEvalError(f"{message}\ntrec_eval: illegal measure '{name}'", 1)
    if name == "all_trec" and not dot and version == 9:
        return [member for member in trec.NICKNAMES[name] if member in trec.VERSION_9], []
    if name in trec.NICKNAMES and not dot:
        return trec.NICKNAMES[name], []
    if name not in trec.NAMES:
        raise TrecEvalError(f"trec_eval: illegal measure '{name}'{_suggest_name(text)}", 1)
    return [name], [parameters] if dot else []


def _suggest_name(text: str) -> str:
    """Return a hint for an unknown measure."""
    name = text.partition(".")[0]
    if name in trec.NICKNAMES:
        return " (nicknames have no parameters)"
    if "," in name:
        return " (one -m for each)"
    printed = re.fullmatch(r"(.+)[_@]([\d.]+)", text)
    if printed and printed[1] in trec.NAMES:
        return f" (did you mean {printed[1]}.{printed[2]}?)"
    from difflib import get_close_matches

    names_by_lower = {candidate.lower(): candidate for candidate in (*trec.NAMES, *trec.NICKNAMES)}
    matches = get_close_matches(name.lower(), names_by_lower, n=1)
    return f" (did you mean {names_by_lower[matches[0]]}?)" if matches else ""


def find_truncated_ranks(texts: Iterable[str]) -> list[str]:
    """Return notes about ranks that are read with fewer digits than written.

    >>> find_truncated_ranks(["ndcg_cut.10,23.4", "P.5", "iprec_at_recall.0.5"])
    ['ndcg_cut.23.4 is read as ndcg_cut.23']
    """
    ranks = [
        (name, part)
        for name, _, parameters in (text.partition(".") for text in texts)
        for part in parameters.split(",")
        if name in trec.AT_RANKS and part and parse_integer(part) is None
    ]
    return [f"{name}.{part} is read as {name}.{_parse_rank(part)}" for name, part in ranks]


def describe_measures(texts: Iterable[str], version: int = 10) -> list[str]:
    """Describe the requested measures with their documentation."""
    descriptions = []
    for line in {line.measure: line for line in parse_lines(texts, version)}.values():
        if line.measure in TEXTS:
            text = TEXTS[line.measure]
        elif line.measure in trec.PREFERENCES:
            text = inspect.getdoc(MEASURES[line.measure]) or ""
        else:
            measure = line.build_measure(rel=1, version=version)
            text = f"In `cranfield evaluate`: {measure}\n\n{inspect.getdoc(measure)}"
        descriptions.append(f"{line.measure}\n{indent(_describe_parameters(line.measure) + text, '    ')}\n")
    return descriptions


def _describe_parameters(name: str) -> str:
    """Describe the syntax of a measure's parameters."""
    if name in trec.AT_RANKS:
        default = ",".join(f"{rank:.0f}" for rank in trec.AT_RANKS[name])
        return f"Ranks: -m {name}.5,10 (default: {default})\n"
    if name in trec.AT_SHARES:
        default = ",".join(f"{share:.2g}" for share in trec.AT_SHARES[name])
        return f"Fractions: -m {name}.0.25,0.5 (default: {default})\n"
    if name in trec.WITH_GAINS:
        return f"Gains of levels: -m {name}.1=3,2=9 (default: the level)\n"
    return OTHER_PARAMETERS.get(name, "")


def _build_lines(name: str, texts: Sequence[str]) -> list[Line]:
    """Return the lines of a measure with all requested parameters."""
    if name in trec.AT_RANKS:
        ranks = _parse_sorted(texts, _parse_rank, trec.AT_RANKS[name])
        return [Line(name, f"{name}_{cutoff:.0f}", cutoff) for cutoff in ranks]
    if name in trec.AT_SHARES:
        share = _parse_share if name == "iprec_at_recall" else _parse_multiple
        shares = _parse_sorted(texts, share, trec.AT_SHARES[name])
        return [Line(name, f"{name}_{cutoff:.2f}", cutoff) for cutoff in shares]
    return [_build_line(name, text) for text in dict.fromkeys(texts)] or [Line(name, name)]


def _parse_sorted(texts: Sequence[str], number: Callable[[str], float], default: Sequence[float]) -> list[float]:
    values: set[float] = set()
    for text in texts:
        numbers = [number(part) for part in text.split(",")]
        if len(set(numbers)) < len(numbers):
            raise CranfieldError("duplicate cutoffs detected")
        values.update(numbers)
    return sorted(values or default)


def _build_line(name: str, text: str) -> Line:
    """Return the line of a measure with parameters in its name."""
    label = f"{name}_{text}"
    if name in (*trec.WITH_GAINS, "rbp", "rbp_resid"):
        gains, p = _parse_gains(text, persistent=name.startswith("rbp"))
        return Line(name, label, gains=gains, p=p)
    if name not in COEFFICIENTS:
        raise InputError.from_problem(f"{name} has no parameters: {text!r}")
    size, lowest, number = COEFFICIENTS[name]
    numbers = tuple(map(number, text.split(",")))
    if size is not None and len(numbers) != size:
        raise InputError(f"{len(numbers)} coefficients", size)
    if numbers[0] < lowest:
        raise InputError(text, f"a number ≥ {lowest:g}")
    return Line(name, label, numbers=numbers)


def _parse_gains(text: str, persistent: bool) -> tuple[Gains, float | None]:
    """Parse gains of levels, 1=3,2=9, and the persistence p=0.8 if `persistent`."""
    parts = text.split(",")
    pairs = dict(_parse_pair(part, text) for part in parts)
    p = pairs.pop("p", None) if persistent else None
    if p is not None and not 0 < p < 1:
        raise InputError(f"p={p:g}", "a number between 0 and 1")
    if wrong := [key for key in pairs if (level := parse_integer(key)) is None or level < 0]:
        raise InputError(f"level {wrong[0]!r}", "an integer ≥ 0")
    gains = {int(key): gain for key, gain in pairs.items()}
    if len(gains) + (p is not None) < len(parts):
        raise InputError.from_problem(f"duplicate level or p in {text!r}")
    return tuple(gains.items()), p


def _parse_rank(text: str) -> int:
    """Parse a rank as C does: 23.4 is 23. The text after the digits is ignored."""
    read = re.match(r"\s*[+-]?[0-9]+", text)
    rank = parse_integer(read[0]) if read else None
    if rank is None:
        raise InputError(f"cutoff {text!r}", "an integer ≥ 1")
    if rank <= 0:
        raise CranfieldError("Negative cutoff detected")
    return rank


def parse_integer(text: str) -> int | None:
    """Return the integer in a text of at most fifteen digits, or None."""
    return int(text) if re.fullmatch(r"\s*[+-]?0*[0-9]{1,15}\s*", text) else None


def _parse_number(text: str, low: float = -math.inf, high: float = math.inf, which: str = "") -> float:
    number = parse_finite(text)
    if number is None:
        raise InputError(repr(text), "a number")
    if not low <= number <= high:
        raise InputError(text, which)
    return number + 0.0  # -0.0 becomes 0.0.


_parse_share = partial(_parse_number, low=0, high=1, which="a recall in [0, 1]")
_parse_multiple = partial(_parse_number, low=math.ulp(0.0), which="a number > 0")


COEFFICIENTS: dict[str, tuple[int | None, float, Callable[[str], float]]] = {
    "11pt_avg": (None, 0.0, _parse_share),  # Any number, from 0, each a recall.
    "set_F": (1, 0.0, _parse_number),
    "relstring": (1, 0.0, _parse_number),
    "utility": (4, -math.inf, _parse_number),
}


def _parse_pair(part: str, text: str) -> tuple[str, float]:
    key, equals, value = part.partition("=")
    if not (key and equals and value) or parse_finite(value) is None:
        raise CranfieldError(f"malformed pair parameters in '{text}'")
    return key.strip(), _parse_number(value)
