"""What drop-ins for other tools share: texts of lines, sums in their order, notices, refusals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.data.qrels import Qrels
from cranfield.data.reading.source import Source
from cranfield.data.reading.trec import find_line
from cranfield.errors import InputError
from cranfield.measures.base import Measure
from cranfield.scores import Note
from cranfield.wording import format_names

Printed: TypeAlias = tuple[str, list[Note]]  # a text, and what the user should know


def join_lines(lines: Iterable[str]) -> str:
    r"""Lines as a text.

    >>> text_of(["a", "b"])
    'a\nb\n'
    """
    return "".join(f"{line}\n" for line in lines)


def check_unquoted(names: Iterable[str], location: str | None) -> None:
    """Raise an error if a name would break a CSV table of a tool that does not quote cells."""
    for name in names:
        if "," in name or '"' in name:
            problem = (
                f"{name!r} contains a comma or a quotation mark, which the output cannot quote"
            )
            fix = "Rename it, or use `cranfield evaluate -f csv`."
            raise InputError.from_problem(problem, fix, location)


def sum_in_order(values: Floats) -> Floats:
    """The sums of columns, added in the order of rows as other tools add them, bit by bit."""
    sums: Floats = np.cumsum(values, axis=0)[-1]
    return sums


def average_rows(rows: Sequence[Floats] | Floats) -> Floats:
    """The mean of rows, added in their order."""
    return sum_in_order(np.asarray(rows)) / len(rows)


def make_topic_notes(
    kind: str, topics: Iterable[str], before: str, after: str, run: str | None = None
) -> list[Note]:
    """A notice about topics, named between two parts of a sentence; none if there are no topics.

    >>> [notice.text for notice in about_topics("missing-topics", ["1", "2"], "bm25: ", " missing")]
    ['bm25: 2 topics (1, 2) missing']
    """
    names = tuple(topics)
    text = f"{before}{format_names(names, 'topic')}{after}"
    return [Note(kind, text, run, names)] if names else []


def with_parameters(m: Measure, **values: Any) -> Measure:
    """A measure with those of the parameters that it has.

    >>> from cranfield.measures.dcg import RBP
    >>> with_parameters(RBP(), p=0.5, alpha=0.5)
    RBP(p=0.5)
    """
    parameter_names = {parameter.name for parameter in m.list_parameters()}
    return replace(m, **{name: value for name, value in values.items() if name in parameter_names})


def check_judgments(
    judged: Qrels, wrong: Bools, label: str, expected: str, source: Source | None = None
) -> None:
    """Refuse the first judgment that is wrong; its line is looked up if there is a source."""
    rows: Sequence[int] = np.flatnonzero(wrong).tolist()
    for row in rows[:1]:
        topic = judged.topics[int(np.searchsorted(judged.offsets, row, side="right")) - 1]
        doc = judged.doc_names[row]
        line = None if source is None else find_line(source, "qrels", topic, doc)
        problem = f"{label.format(f'{judged.levels[row]:g}')} document {doc} of topic {topic}"
        raise InputError(problem, expected, judged.where, line)
