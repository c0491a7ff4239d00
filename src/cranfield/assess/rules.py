"""Rule tables: an assessor's answers to several questions, turned into one score.

A table is TOML. The first rule whose conditions all hold gives the score:

    otherwise = 0

    [criteria]              # optional: the answers that may occur, all others are errors
    fluent = [0, 1]
    informative = [0, 1, 2]

    [[rule]]
    when = { fluent = 1, informative = ">=1" }
    score = 1

A condition is a value, a list of allowed values, or a comparison (``">=1"``, ``"!=0"``). The
built-in tables are in `rules.toml`.
"""

from __future__ import annotations

import operator
import os
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias

from cranfield.data.reading.labels import one_of
from cranfield.data.reading.lines import finite
from cranfield.data.reading.source import Source
from cranfield.data.reading.toml import read_toml
from cranfield.dataclass import dataclass
from cranfield.errors import InputError

Answer: TypeAlias = float | str
RulesLike: TypeAlias = Any  # the name of a built-in table, a path, what TOML holds, or Rules

_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
    "==": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}


def answer(cell: Any) -> Answer:
    """A cell as a number if it is one, else as text; yes and no of a table are 1 and 0.

    >>> answer("2"), answer(True), answer("good")
    (2.0, 1.0, 'good')
    """
    if isinstance(cell, bool):
        return float(cell)
    number = finite(cell)
    return str(cell).strip() if number is None else number


@dataclass(frozen=True)
class Condition:
    """What an answer must be: compared with one value, or among several."""

    sign: str
    values: tuple[Answer, ...]

    def holds(self, given: Answer) -> bool:
        """Whether it does for this answer."""
        if self.sign == "in":
            return given in self.values
        return _COMPARISONS[self.sign](given, self.values[0])


@dataclass(frozen=True)
class Rule:
    """A score, and the conditions under which it is given."""

    when: Mapping[str, Condition]
    score: float


@dataclass(frozen=True)
class Rules:
    """Rules in their order, and the score where none applies (None: that is an error).

    >>> rules = read_rules("ntcir13-stc-japanese-2")
    >>> rules.score({"Fluent": 1, "Coherent": 1, "Context-dependent": 2, "Informative": 1})
    1.0
    """

    name: str
    rules: tuple[Rule, ...]
    otherwise: float | None
    criteria: Mapping[str, tuple[Answer, ...]]  # what may be answered; empty: anything

    @property
    def top(self) -> float:
        """The highest score there is."""
        return max([rule.score for rule in self.rules] + [self.otherwise or 0.0])

    def asks(self, name: str) -> bool:
        """Whether a column of this name is one of the criteria."""
        return _plain(name) in self.criteria

    def score(
        self, cells: Mapping[str, Any], where: str | None = None, line: int | None = None
    ) -> float:
        """The score of one assessor's answers about one item."""
        given = {_plain(name): answer(cell) for name, cell in cells.items()}
        for name, allowed in self.criteria.items():
            if name not in given:
                expected = f"one for each criterion of {self.name}: {', '.join(self.criteria)}"
                raise InputError(f"columns {', '.join(cells) or '(none)'}", expected, where, line)
            if given[name] == "" or (allowed and given[name] not in allowed):
                found = _shown(given[name])
                expected = one_of(found, map(_shown, allowed)) if allowed else "an answer"
                raise InputError(f"{name} {found!r}", expected, where, line)
        for rule in self.rules:
            if all(self._holds(c, name, given[name], where, line) for name, c in rule.when.items()):
                return rule.score
        if self.otherwise is None:
            found = ", ".join(f"{name} {_shown(given[name])}" for name in self.criteria)
            raise InputError(found, f"a rule of {self.name} for it, or otherwise", where, line)
        return self.otherwise

    @staticmethod
    def _holds(
        condition: Condition, name: str, given: Answer, where: str | None, line: int | None
    ) -> bool:
        if condition.sign[0] in "<>" and isinstance(given, str):
            raise InputError(f"{name} {given!r}", "a number to compare", where, line)
        return condition.holds(given)


def read_rules(rules: RulesLike) -> Rules:
    """Rules by the name of a built-in table, from a TOML file, or from what such a file holds."""
    if isinstance(rules, Rules):
        return rules
    if isinstance(rules, Mapping):
        return _rules_of(rules, "rules")
    if not isinstance(rules, str | os.PathLike):
        raise InputError(repr(rules), "rules as a name, a path or a mapping")
    name = os.fspath(rules)
    if name in built_in():
        return _rules_of(built_in()[name], name)
    if not os.path.exists(name):
        raise InputError(f"rules {name!r}", f"a TOML file, or one of {', '.join(built_in())}")
    return _rules_of(read_toml(Source.of(name)), name)


@cache
def built_in() -> dict[str, Any]:
    """The tables of `rules.toml`, by name."""
    return read_toml(Source.of(os.path.join(os.path.dirname(__file__), "rules.toml")))


def _rules_of(table: Mapping[str, Any], name: str) -> Rules:
    _only(table, ("rule", "otherwise", "criteria"), "the table", name)
    written = table.get("rule", [])
    if not isinstance(written, list) or not written:
        raise InputError("no rules", "[[rule]] with when and score", name)
    rules = []
    for number, rule in enumerate(written, 1):
        _only(rule, ("when", "score"), f"rule {number}", name)
        when = rule.get("when")
        if not isinstance(when, Mapping) or not when:
            raise InputError(f"rule {number} without when", "when = {criterion = value}", name)
        conditions = {_plain(c): _condition(value, c, name) for c, value in when.items()}
        rules.append(Rule(conditions, _score(rule.get("score"), f"score of rule {number}", name)))
    otherwise = table.get("otherwise")
    criteria = _declared(table.get("criteria", {}), name)
    closed = bool(criteria)
    for criterion in dict.fromkeys(c for rule in rules for c in rule.when):
        if closed and criterion not in criteria:
            raise InputError(f"the criterion {criterion}", f"one of {', '.join(criteria)}", name)
        criteria.setdefault(criterion, ())
    return Rules(
        name,
        tuple(rules),
        None if otherwise is None else _score(otherwise, "otherwise", name),
        criteria,
    )


def _declared(criteria: Any, name: str) -> dict[str, tuple[Answer, ...]]:
    """The criteria that a table names, and the answers that each may have."""
    if not isinstance(criteria, Mapping):
        expected = "[criteria] with criterion = [answer, …]"
        raise InputError(f"criteria = {criteria!r}", expected, name)
    for criterion, allowed in criteria.items():
        if not isinstance(allowed, list):
            raise InputError(f"{criterion} {allowed!r}", "a list of the answers it may have", name)
    return {_plain(c): tuple(map(answer, allowed)) for c, allowed in criteria.items()}


def _only(table: Any, known: tuple[str, ...], what: str, name: str) -> None:
    if not isinstance(table, Mapping):
        raise InputError(f"{table!r} as {what}", " and ".join(known), name)
    for key in table:
        if key not in known:
            above = "; otherwise stands above the first [[rule]]" if key == "otherwise" else ""
            raise InputError(f"{key} in {what}", ", ".join(known) + above, name)


def _score(value: Any, what: str, name: str) -> float:
    number = None if isinstance(value, str) else finite(value)
    if number is None:
        raise InputError(f"{value!r} as {what}", "a number", name)
    return number


def _condition(value: Any, criterion: str, name: str) -> Condition:
    if isinstance(value, list):
        return Condition("in", tuple(map(answer, value)))
    if not isinstance(value, str | int | float):
        raise InputError(f"{criterion} = {value!r}", "a value, a list or a comparison", name)
    compared = re.fullmatch(r"\s*([<>=!]=|[<>])\s*(.*?)\s*", str(value))
    if compared is None:
        return Condition("==", (answer(value),))
    sign, limit = compared[1], answer(compared[2])
    if sign[0] in "<>" and isinstance(limit, str):
        raise InputError(f"{criterion} {value!r}", "a comparison with a number", name)
    return Condition(sign, (limit,))


def _plain(name: str) -> str:
    """Criteria are the same however a table spells them: Context-dependent, context_dependent."""
    return re.sub(r"[\s_]+", "-", name.strip().lower())


def _shown(given: Answer) -> str:
    return given if isinstance(given, str) else f"{given:g}"
