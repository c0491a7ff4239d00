"""What trec_eval is asked for, line by line of its output: measures, nicknames, parameters."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from textwrap import indent
from typing import Any, TypeAlias

from cranfield.data.reading.lines import finite
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.measures import trec_eval as trec
from cranfield.measures.base import Measure
from cranfield.measures.preferences import MEASURES

TEXTS = {
    "runid": "The name of the run, on its last line.",
    "num_q": "The number of topics evaluated.",
    "relstring": "The levels of the first 10 documents (relstring.N: N) of each list, a character "
    "each:\n0 to 9, > above 9, - unjudged, . in the pool and not judged.",
}


OTHERS = {  # parameters that one measure has
    "rbp": "Persistence, gains of levels: -m rbp.p=0.8,1=3; if not given, p=0.9 and the level\n",
    "rbp_resid": "Persistence: -m rbp_resid.p=0.8; if not given, p=0.9\n",
    "set_F": "Weight of recall, not squared: -m set_F.2; if not given, 1\n",
    "utility": "Worth of relevant and other documents returned, of those missed: "
    "-m utility.1,-1,0,0\n",
    "11pt_avg": "Recalls: -m 11pt_avg.0.2,0.5,0.8; if none are given 0,0.1,…,1\n",
}


class Failed(CranfieldError):
    """What trec_eval says before it stops, and the code that it exits with."""

    def __init__(self, said: str, code: int) -> None:
        super().__init__(said)
        self.code = code


Gains: TypeAlias = tuple[tuple[int, float], ...]  # levels, and what they gain


@dataclass(frozen=True)
class Line:
    """A number that is printed, or a text: the measure, and the parameters it has."""

    measure: str
    name: str  # as printed
    at: float | None = None  # a rank, or a share of R
    numbers: tuple[float, ...] = ()
    gains: Gains = ()
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

    def computed(self, docs: float = 0.0, **settings: Any) -> Measure:
        """What computes it."""
        if self.measure == "utility":
            settings |= {"docs": float(docs), **dict(zip("abcd", self.numbers, strict=False))}
        if self.measure == "11pt_avg" and self.numbers:
            settings["points"] = self.numbers
        if self.measure in trec.WITH_GAINS and any(gain < 0 for _, gain in self.gains):
            settings["gain"] = "raw"
        if self.p is not None:
            settings["p"] = self.p
        at = self.numbers[0] if self.measure == "set_F" and self.numbers else self.at
        return trec.measure_of(trec.BY_GROUP.get(self.measure, self.measure), at, **settings)


def asked(texts: Iterable[str], version: int = 10) -> list[Line]:
    """The lines that measures and nicknames stand for, in trec_eval's order.

    >>> [line.name for line in asked(["P.10,5", "set_F.2", "recip_rank"])]
    ['recip_rank', 'P_5', 'P_10', 'set_F_2']
    """
    wanted: dict[str, list[str]] = {}
    for text in texts:
        names, parameters = _named(text, version)
        for name in names:
            wanted.setdefault(name, []).extend(parameters)
    lines: list[Line] = []
    for name in (name for name in trec.ALL if name in wanted):
        try:
            lines += _lines(name, wanted[name])
        except CranfieldError as error:
            said = f"trec_eval: {error}\ntrec_eval: Cannot initialize measure '{name}'"
            raise Failed(said, 2) from None
    return lines


def _named(text: str, version: int) -> tuple[Sequence[str], list[str]]:
    """The measures that a text names, several by a nickname; and its parameters, if any."""
    name, dot, parameters = text.partition(".")
    if dot and not parameters:
        said = f"trec_eval: improper measure in parameter '{name}'"
        raise Failed(f"{said}\ntrec_eval: illegal measure '{name}'", 1)
    if name == "all_trec" and not dot and version == 9:
        return [member for member in trec.NICKNAMES[name] if member in trec.VERSION_9], []
    if name in trec.NICKNAMES and not dot:
        return trec.NICKNAMES[name], []
    if name not in trec.ALL:
        raise Failed(f"trec_eval: illegal measure '{name}'{_meant(text)}", 1)
    return [name], [parameters] if dot else []


def _meant(text: str) -> str:
    """What the user may have meant by a measure that there is not."""
    name = text.partition(".")[0]
    if name in trec.NICKNAMES:
        return " (nicknames have no parameters)"
    if "," in name:
        return " (one -m for each)"
    printed = re.fullmatch(r"(.+)[_@]([\d.]+)", text)
    if printed and printed[1] in trec.ALL:
        return f" (did you mean {printed[1]}.{printed[2]}?)"
    from difflib import get_close_matches

    same = {known.lower(): known for known in (*trec.ALL, *trec.NICKNAMES)}
    near = get_close_matches(name.lower(), same, n=1)
    return f" (did you mean {same[near[0]]}?)" if near else ""


def cut_short(texts: Iterable[str]) -> list[str]:
    """Ranks that were read as less than they say.

    >>> cut_short(["ndcg_cut.10,23.4", "P.5", "iprec_at_recall.0.5"])
    ['ndcg_cut.23.4 is read as ndcg_cut.23']
    """
    ranks = [
        (name, part)
        for name, _, parameters in (text.partition(".") for text in texts)
        for part in parameters.split(",")
        if name in trec.AT_RANKS and part and whole(part) is None
    ]
    return [f"{name}.{part} is read as {name}.{_rank(part)}" for name, part in ranks]


def described(texts: Iterable[str], version: int = 10) -> list[str]:
    """What the measures asked for are: the words of the measures themselves."""
    found = []
    for line in {line.measure: line for line in asked(texts, version)}.values():
        if line.measure in TEXTS:
            text = TEXTS[line.measure]
        elif line.measure in trec.PREFERENCES:
            text = inspect.getdoc(MEASURES[line.measure]) or ""
        else:
            measure = line.computed(rel=1, version=version)
            text = f"In `cranfield evaluate`: {measure}\n\n{inspect.getdoc(measure)}"
        found.append(f"{line.measure}\n{indent(_written(line.measure) + text, '    ')}\n")
    return found


def _written(name: str) -> str:
    """How the parameters of a measure are written."""
    if name in trec.AT_RANKS:
        usual = ",".join(f"{rank:.0f}" for rank in trec.AT_RANKS[name])
        return f"Ranks: -m {name}.5,10; if none are given {usual}\n"
    if name in trec.AT_SHARES:
        usual = ",".join(f"{share:.2g}" for share in trec.AT_SHARES[name])
        return f"Shares: -m {name}.0.25,0.5; if none are given {usual}\n"
    if name in trec.WITH_GAINS:
        return f"Gains of levels: -m {name}.1=3,2=9; of others, the level\n"
    return OTHERS.get(name, "")


def _lines(name: str, given: Sequence[str]) -> list[Line]:
    """The lines of one measure, with the parameters of each time that it was asked for."""
    if name in trec.AT_RANKS:
        ranks = _in_order(given, _rank, trec.AT_RANKS[name])
        return [Line(name, f"{name}_{at:.0f}", at) for at in ranks]
    if name in trec.AT_SHARES:
        share = _share if name == "iprec_at_recall" else _multiple
        shares = _in_order(given, share, trec.AT_SHARES[name])
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
    shown = f"{name}_{text}"
    if name in (*trec.WITH_GAINS, "rbp", "rbp_resid"):
        gains, p = _gains(text, persistent=name.startswith("rbp"))
        return Line(name, shown, gains=gains, p=p)
    if name not in COEFFICIENTS:
        raise InputError(f"parameters {text!r}", f"none: {name} has no parameters")
    size, lowest, number = COEFFICIENTS[name]
    numbers = tuple(map(number, text.split(",")))
    if size is not None and len(numbers) != size:
        raise InputError(f"{len(numbers)} coefficients", size)
    if numbers[0] < lowest:
        raise InputError(text, f"a number from {lowest:g}")
    return Line(name, shown, numbers=numbers)


def _gains(text: str, persistent: bool) -> tuple[Gains, float | None]:
    """Gains of levels, 1=3,2=9, and of measures with persistence p=0.8 among them."""
    parts = text.split(",")
    pairs = dict(_pair(part, text) for part in parts)
    p = pairs.pop("p", None) if persistent else None
    if p is not None and not 0 < p < 1:
        raise InputError(f"p={p:g}", "a number between 0 and 1")
    if wrong := [key for key in pairs if (level := whole(key)) is None or level < 0]:
        raise InputError(f"level {wrong[0]!r}", "a whole number from 0")
    gains = {int(key): gain for key, gain in pairs.items()}
    if len(gains) + (p is not None) < len(parts):
        raise InputError(f"{text!r}", "each level once")
    return tuple(gains.items()), p


def _rank(text: str) -> int:
    """A rank as C reads numbers: 23.4 is 23, and what follows the digits is not looked at."""
    read = re.match(r"\s*[+-]?[0-9]+", text)
    rank = whole(read[0]) if read else None
    if rank is None:
        raise InputError(f"cutoff {text!r}", "a whole number from 1")
    if rank <= 0:
        raise CranfieldError("Negative cutoff detected")
    return rank


def whole(text: str) -> int | None:
    """The whole number that a text stands for, of at most fifteen digits."""
    return int(text) if re.fullmatch(r"\s*[+-]?0*[0-9]{1,15}\s*", text) else None


def _number(text: str, low: float = -math.inf, high: float = math.inf, which: str = "") -> float:
    number = finite(text)
    if number is None:
        raise InputError(repr(text), "a number")
    if not low <= number <= high:
        raise InputError(text, which)
    return number + 0.0  # there is no -0


_share = partial(_number, low=0, high=1, which="a recall from 0 to 1")
_multiple = partial(_number, low=math.ulp(0.0), which="a number above 0")


COEFFICIENTS: dict[str, tuple[int | None, float, Callable[[str], float]]] = {
    "11pt_avg": (None, 0.0, _share),  # as many as there are; from 0; each a recall
    "set_F": (1, 0.0, _number),
    "relstring": (1, 0.0, _number),
    "utility": (4, -math.inf, _number),
}


def _pair(part: str, text: str) -> tuple[str, float]:
    key, equals, value = part.partition("=")
    if not (key and equals and value) or finite(value) is None:
        raise CranfieldError(f"malformed pair parameters in '{text}'")
    return key.strip(), _number(value)
