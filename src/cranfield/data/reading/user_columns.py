"""Columns that the user names, for all tables that a command reads.

`--columns ROLE=NAME` names the column of a role in every table that has the role, and
``TABLE.ROLE=NAME`` in one kind of table. The readers of judgments and runs have an argument for
them, all other readers use the columns of the context.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from typing import NamedTuple

from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import format_option, suggest_names

_ANSWER = ("topic", "run")
# The roles of columns in each kind of table except judgments and runs.
TABLES: Mapping[str, Sequence[str]] = {
    "scores": ("run", "topic", "measure", "value"),
    "queries": ("topic", "query"),
    "docs": ("doc", "title", "text"),
    "by": ("topic",),
    "topics": ("topic",),
    "systems": ("system", "run", "seed"),
    "teams": ("run", "team"),
    "battles": ("topic", "preferred", "other", "run", "assessor", "first"),
    "impressions": (
        "impression",
        "session",
        "clicked",
        "team",
        "topic",
        "query",
        "doc",
        "rank",
        "time",
        "credit_a",
        "credit_b",
        "run",
        "other",
    ),
    "sessions": ("session", "query", "topic", "doc", "rank", "score", "length", "level", "tag"),
    "answers": (*_ANSWER, "answer", "references", "metadata"),
    "assignments": (*_ANSWER, "nuggets", "nugget", "importance", "assignment", "sub_narrative"),
    "support": (*_ANSWER, "sentences", "sentence", "citation", "support"),
    "rubric": (*_ANSWER, "criteria", "criterion", "axis", "weight", "met"),
    "texts": ("topic", "text", "nugget"),
    "gold": ("topic", "text", "nugget"),
    "text-nuggets": ("topic", "nugget", "weight", "length", "vital"),
    "matches": ("topic", "nugget", "offset"),
    "intents": ("topic", "intent", "probability", "type"),
    "verticals": ("topic", "intent", "vertical", "value"),
    "costs": ("topic", "doc", "type", "type-or-doc", "cost", "seconds", "minutes", "characters", "words"),
    "lengths": ("doc", "length", "characters", "words"),
    "groups": ("topic", "doc", "class"),
    "distributions": ("item", "label", "value", "assessor"),
    "hierarchy": ("topic", "first", "second", "rank1", "score1", "rank2", "score2", "tag"),
    "audit": ("topic", "doc", "probability", "draw", "to_judge"),
}
# Roles of objects in a list, by the role of the column that contains the list.
PIECES: Mapping[str, Sequence[str]] = {
    "nuggets": ("nugget", "importance", "assignment", "sub_narrative"),
    "sentences": ("sentence", "citation", "support"),
    "criteria": ("criterion", "axis", "weight", "met"),
}
_OTHER_KINDS = ("qrels", "run")


class Choice(NamedTuple):
    """A column chosen by the user, and the key: ``role``, or ``table.role`` for one table."""

    key: str
    column: str

    @property
    def is_declared(self) -> bool:
        """True if the user named the table: it must then have the column."""
        return "." in self.key


@dataclass(frozen=True, eq=False)
class UserColumns:
    """The user's columns by key, and how the tables of the context use their columns."""

    by_key: Mapping[str, str] = field(default_factory=dict)
    used_keys: set[str] = field(default_factory=set)
    tables: dict[str, dict[str, str]] = field(default_factory=dict)  # columns by location and role
    doubts: dict[str, str] = field(default_factory=dict)  # choices among several columns, by location

    def select(self, table: str) -> dict[str, Choice]:
        """Return the choices for the roles of a table. Numbers are columns of judgments and runs."""
        choices = {}
        for role in TABLES.get(table, ()) if self.by_key else ():
            for key in (f"{table}.{role}", role):
                name = self.by_key.get(key)
                if name is not None and ("." in key or not name.isdecimal()):
                    choices[role] = Choice(key, name)
                    break
        return choices

    def reject_unused(self) -> None:
        """Raise InputError if no table had the role of a column."""
        for key, name in self.by_key.items():
            if key not in self.used_keys:
                problem = f"{format_option('--columns', 'columns=')} {key}={name} has no effect"
                raise InputError.from_problem(problem, "No table with named columns has this role.")


CURRENT: ContextVar[UserColumns] = ContextVar("CURRENT")


def get_user_columns() -> UserColumns:
    """Return the user's columns of the context."""
    return CURRENT.get(None) or UserColumns()


@contextmanager
def use_columns(by_key: Mapping[str, str]) -> Iterator[UserColumns]:
    """Use the user's columns for all tables that are read within a context.

    >>> with use_columns({"queries.topic": "case"}) as columns:
    ...     columns.select("queries")
    {'topic': Choice(key='queries.topic', column='case')}
    """
    if (current := CURRENT.get(None)) is not None and current.by_key == by_key:
        yield current
        return
    columns = UserColumns(by_key)
    token = CURRENT.set(columns)
    try:
        yield columns
    finally:
        CURRENT.reset(token)


def is_table_key(key: str) -> bool:
    """Return True for a role of tables other than judgments and runs.

    >>> is_table_key("scores.value"), is_table_key("query"), is_table_key("scores.doc")
    (True, True, False)
    """
    table, _, role = key.rpartition(".")
    return role in TABLES.get(table, ()) if table else any(role in roles for roles in TABLES.values())


def suggest_key(key: str, roles: Iterable[str]) -> str:
    """Return the roles that a wrong key can have, for an error."""
    table, _, role = key.rpartition(".")
    if table in TABLES:
        return f"a role of {table}: {', '.join(TABLES[table])}"
    if table and table not in _OTHER_KINDS:
        return f"ROLE=NAME or TABLE.ROLE=NAME, with a table such as {', '.join((*_OTHER_KINDS, *TABLES)[:6])}"
    all_roles = [*dict.fromkeys((*roles, *(name for names in TABLES.values() for name in names)))]
    matches = suggest_names(role, all_roles)
    return f"ROLE=NAME; did you mean {matches[0]}=?" if matches else f"ROLE=NAME; roles: {', '.join(roles)}"
