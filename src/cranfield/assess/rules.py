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

from cranfield.data.reading.labels import describe_labels
from cranfield.data.reading.lines import parse_finite
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


def parse_answer(cell: Any) -> Answer:
    """A cell as a number if it is one, else as text; yes and no of a table are 1 and 0.

    >>> answer("2"), answer(True), answer("good")
    (2.0, 1.0, 'good')
    """
    if isinstance(cell, bool):
        return float(cell)
    number = parse_finite(cell)
    return str(cell).strip() if number is None else number


@dataclass(frozen=True)
class Condition:
    """What an answer must be: compared with one value, or among several."""

    sign: str
    values: tuple[Answer, ...]

    def is_met(self, answer: Answer) -> bool:
        """Whether it does for this answer."""
        if self.sign == "in":
            return answer in self.values
        return _COMPARISONS[self.sign](answer, self.values[0])


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

    def has_criterion(self, name: str) -> bool:
        """Whether a column of this name is one of the criteria."""
        return _normalise_name(name) in self.criteria

    def score(
        self, cells: Mapping[str, Any], path: str | None = None, line: int | None = None
    ) -> float:
        """The score of one assessor's answers about one item."""
        answers = {_normalise_name(name): parse_answer(cell) for name, cell in cells.items()}
        for name, allowed in self.criteria.items():
            if name not in answers:
                expected = f"one for each criterion of {self.name}: {', '.join(self.criteria)}"
                raise InputError(f"columns {', '.join(cells) or '(none)'}", expected, path, line)
            if answers[name] == "" or (allowed and answers[name] not in allowed):
                text = _format_answer(answers[name])
                expected = (
                    describe_labels(text, map(_format_answer, allowed)) if allowed else "an answer"
                )
                raise InputError(f"{name} {text!r}", expected, path, line)
        for rule in self.rules:
            if all(
                self._is_met(c, name, answers[name], path, line) for name, c in rule.when.items()
            ):
                return rule.score
        if self.otherwise is None:
            text = ", ".join(f"{name} {_format_answer(answers[name])}" for name in self.criteria)
            raise InputError(text, f"a rule of {self.name} for it, or otherwise", path, line)
        return self.otherwise

    @staticmethod
    def _is_met(
        condition: Condition, name: str, answer: Answer, path: str | None, line: int | None
    ) -> bool:
        if condition.sign[0] in "<>" and isinstance(answer, str):
            raise InputError(f"{name} {answer!r}", "a number to compare", path, line)
        return condition.is_met(answer)


def read_rules(rules: RulesLike) -> Rules:
    """Rules by the name of a built-in table, from a TOML file, or from what such a file holds."""
    if isinstance(rules, Rules):
        return rules
    if isinstance(rules, Mapping):
        return _build_rules(rules, "rules")
    if not isinstance(rules, str | os.PathLike):
        raise InputError(repr(rules), "rules as a name, a path or a mapping")
    name = os.fspath(rules)
    if name in read_built_in():
        return _build_rules(read_built_in()[name], name)
    if not os.path.exists(name):
        raise InputError(f"rules {name!r}", f"a TOML file, or one of {', '.join(read_built_in())}")
    return _build_rules(read_toml(Source.from_path(name)), name)


@cache
def read_built_in() -> dict[str, Any]:
    """The tables of `rules.toml`, by name."""
    return read_toml(Source.from_path(os.path.join(os.path.dirname(__file__), "rules.toml")))


def _build_rules(table: Mapping[str, Any], name: str) -> Rules:
    _check_keys(table, ("rule", "otherwise", "criteria"), "the table", name)
    rows = table.get("rule", [])
    if not isinstance(rows, list) or not rows:
        raise InputError("no rules", "[[rule]] with when and score", name)
    rules = []
    for number, rule in enumerate(rows, 1):
        _check_keys(rule, ("when", "score"), f"rule {number}", name)
        when = rule.get("when")
        if not isinstance(when, Mapping) or not when:
            raise InputError(f"rule {number} without when", "when = {criterion = value}", name)
        conditions = {
            _normalise_name(c): _read_condition(value, c, name) for c, value in when.items()
        }
        rules.append(
            Rule(conditions, _read_score(rule.get("score"), f"score of rule {number}", name))
        )
    otherwise = table.get("otherwise")
    criteria = _read_criteria(table.get("criteria", {}), name)
    closed = bool(criteria)
    for criterion in dict.fromkeys(c for rule in rules for c in rule.when):
        if closed and criterion not in criteria:
            raise InputError(f"the criterion {criterion}", f"one of {', '.join(criteria)}", name)
        criteria.setdefault(criterion, ())
    return Rules(
        name,
        tuple(rules),
        None if otherwise is None else _read_score(otherwise, "otherwise", name),
        criteria,
    )


def _read_criteria(criteria: Any, name: str) -> dict[str, tuple[Answer, ...]]:
    """The criteria that a table names, and the answers that each may have."""
    if not isinstance(criteria, Mapping):
        expected = "[criteria] with criterion = [answer, …]"
        raise InputError(f"criteria = {criteria!r}", expected, name)
    for criterion, allowed in criteria.items():
        if not isinstance(allowed, list):
            raise InputError(f"{criterion} {allowed!r}", "a list of the answers it may have", name)
    return {
        _normalise_name(c): tuple(map(parse_answer, allowed)) for c, allowed in criteria.items()
    }


def _check_keys(table: Any, valid_keys: tuple[str, ...], place: str, name: str) -> None:
    if not isinstance(table, Mapping):
        raise InputError(f"{table!r} as {place}", " and ".join(valid_keys), name)
    for key in table:
        if key not in valid_keys:
            hint = "; otherwise stands above the first [[rule]]" if key == "otherwise" else ""
            raise InputError(f"{key} in {place}", ", ".join(valid_keys) + hint, name)


def _read_score(value: Any, place: str, name: str) -> float:
    number = None if isinstance(value, str) else parse_finite(value)
    if number is None:
        raise InputError(f"{value!r} as {place}", "a number", name)
    return number


def _read_condition(value: Any, criterion: str, name: str) -> Condition:
    if isinstance(value, list):
        return Condition("in", tuple(map(parse_answer, value)))
    if not isinstance(value, str | int | float):
        raise InputError(f"{criterion} = {value!r}", "a value, a list or a comparison", name)
    match = re.fullmatch(r"\s*([<>=!]=|[<>])\s*(.*?)\s*", str(value))
    if match is None:
        return Condition("==", (parse_answer(value),))
    sign, limit = match[1], parse_answer(match[2])
    if sign[0] in "<>" and isinstance(limit, str):
        raise InputError(f"{criterion} {value!r}", "a comparison with a number", name)
    return Condition(sign, (limit,))


def _normalise_name(name: str) -> str:
    """Criteria are the same however a table spells them: Context-dependent, context_dependent."""
    return re.sub(r"[\s_]+", "-", name.strip().lower())


def _format_answer(answer: Answer) -> str:
    return answer if isinstance(answer, str) else f"{answer:g}"
