"""Rule tables: convert an assessor's answers to several questions to one score.

A table is TOML. The first rule with all conditions met gives the score:

    otherwise = 0

    [criteria]              # optional: the valid answers, all others are errors
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
    """Parse a cell: a number if possible, else text. True and False are 1 and 0.

    >>> parse_answer("2"), parse_answer(True), parse_answer("good")
    (2.0, 1.0, 'good')
    """
    if isinstance(cell, bool):
        return float(cell)
    number = parse_finite(cell)
    return str(cell).strip() if number is None else number


@dataclass(frozen=True)
class Condition:
    """A condition on an answer: a comparison with a value, or a list of values."""

    sign: str
    values: tuple[Answer, ...]

    def is_met(self, answer: Answer) -> bool:
        """Return True if the answer meets the condition."""
        if self.sign == "in":
            return answer in self.values
        return _COMPARISONS[self.sign](answer, self.values[0])


@dataclass(frozen=True)
class Rule:
    """A score and its conditions."""

    when: Mapping[str, Condition]
    score: float


@dataclass(frozen=True)
class Rules:
    """Ordered rules, and the score if none applies (None: raise an error).

    >>> rules = read_rules("ntcir13-stc-japanese-2")
    >>> rules.score({"Fluent": 1, "Coherent": 1, "Context-dependent": 2, "Informative": 1})
    1.0
    """

    name: str
    rules: tuple[Rule, ...]
    otherwise: float | None
    criteria: Mapping[str, tuple[Answer, ...]]  # valid answers, empty: any

    @property
    def top(self) -> float:
        """The highest score."""
        return max([rule.score for rule in self.rules] + [self.otherwise or 0.0])

    def has_criterion(self, name: str) -> bool:
        """Return True if a column is one of the criteria."""
        return _normalise_name(name) in self.criteria

    def score(self, cells: Mapping[str, Any], path: str | None = None, line: int | None = None) -> float:
        """Return the score of one assessor's answers about one item."""
        answers = {_normalise_name(name): parse_answer(cell) for name, cell in cells.items()}
        for name, allowed in self.criteria.items():
            if name not in answers:
                expected = f"one for each criterion of {self.name}: {', '.join(self.criteria)}"
                raise InputError(f"columns {', '.join(cells) or '(none)'}", expected, path, line)
            if answers[name] == "" or (allowed and answers[name] not in allowed):
                text = _format_answer(answers[name])
                expected = describe_labels(text, map(_format_answer, allowed)) if allowed else "an answer"
                raise InputError(f"{name} {text!r}", expected, path, line)
        for rule in self.rules:
            if all(self._is_met(c, name, answers[name], path, line) for name, c in rule.when.items()):
                return rule.score
        if self.otherwise is None:
            text = ", ".join(f"{name} {_format_answer(answers[name])}" for name in self.criteria)
            problem = f"no rule of {self.name} applies to {text}"
            raise InputError.from_problem(problem, "Add a rule or otherwise", path, line)
        return self.otherwise

    @staticmethod
    def _is_met(condition: Condition, name: str, answer: Answer, path: str | None, line: int | None) -> bool:
        if condition.sign[0] in "<>" and isinstance(answer, str):
            raise InputError(f"{name} {answer!r}", "a number", path, line)
        return condition.is_met(answer)


def read_rules(rules: RulesLike) -> Rules:
    """Read rules: a built-in name, a TOML file, or its content."""
    if isinstance(rules, Rules):
        return rules
    if isinstance(rules, Mapping):
        return _build_rules(rules, "rules")
    if not isinstance(rules, str | os.PathLike):
        raise InputError.from_problem(f"rules must be a name, a path or a mapping, found {rules!r}")
    name = os.fspath(rules)
    if name in read_built_in():
        return _build_rules(read_built_in()[name], name)
    if not os.path.exists(name):
        fix = f"Use a TOML file, or one of {', '.join(read_built_in())}"
        raise InputError.from_problem(f"unknown rules {name!r}", fix)
    return _build_rules(read_toml(Source.from_path(name)), name)


@cache
def read_built_in() -> dict[str, Any]:
    """Return the tables of `rules.toml` by name."""
    return read_toml(Source.from_path(os.path.join(os.path.dirname(__file__), "rules.toml")))


def _build_rules(table: Mapping[str, Any], name: str) -> Rules:
    _check_keys(table, ("rule", "otherwise", "criteria"), "the table", name)
    rows = table.get("rule", [])
    if not isinstance(rows, list) or not rows:
        raise InputError.from_problem("no rules", "Add [[rule]] with when and score", name)
    rules = []
    for number, rule in enumerate(rows, 1):
        _check_keys(rule, ("when", "score"), f"rule {number}", name)
        when = rule.get("when")
        if not isinstance(when, Mapping) or not when:
            fix = "Add when = {criterion = value}"
            raise InputError.from_problem(f"rule {number} has no when", fix, name)
        conditions = {_normalise_name(c): _read_condition(value, c, name) for c, value in when.items()}
        rules.append(Rule(conditions, _read_score(rule.get("score"), f"score of rule {number}", name)))
    otherwise = table.get("otherwise")
    criteria = _read_criteria(table.get("criteria", {}), name)
    closed = bool(criteria)
    for criterion in dict.fromkeys(c for rule in rules for c in rule.when):
        if closed and criterion not in criteria:
            fix = f"Valid: {', '.join(criteria)}"
            raise InputError.from_problem(f"unknown criterion {criterion!r}", fix, name)
        criteria.setdefault(criterion, ())
    return Rules(name, tuple(rules), None if otherwise is None else _read_score(otherwise, "otherwise", name), criteria)


def _read_criteria(criteria: Any, name: str) -> dict[str, tuple[Answer, ...]]:
    """Read the criteria of a table, with their valid answers."""
    if not isinstance(criteria, Mapping):
        expected = "[criteria] with criterion = [answer, …]"
        raise InputError(f"criteria = {criteria!r}", expected, name)
    for criterion, allowed in criteria.items():
        if not isinstance(allowed, list):
            raise InputError(f"{criterion} {allowed!r}", "a list of valid answers", name)
    return {_normalise_name(c): tuple(map(parse_answer, allowed)) for c, allowed in criteria.items()}


def _check_keys(table: Any, valid_keys: tuple[str, ...], place: str, name: str) -> None:
    if not isinstance(table, Mapping):
        raise InputError(f"{table!r} as {place}", " and ".join(valid_keys), name)
    for key in table:
        if key not in valid_keys:
            hint = ". Put otherwise above the first [[rule]]" if key == "otherwise" else ""
            fix = f"Valid: {', '.join(valid_keys)}{hint}"
            raise InputError.from_problem(f"unknown key {key!r} in {place}", fix, name)


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
    """Normalise the spelling of a criterion: Context-dependent, context_dependent."""
    return re.sub(r"[\s_]+", "-", name.strip().lower())


def _format_answer(answer: Answer) -> str:
    return answer if isinstance(answer, str) else f"{answer:g}"
