"""What drop-ins for other tools share: texts of lines, sums in their order, notices, refusals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.data.qrels import Qrels
from cranfield.data.reading.source import Source
from cranfield.data.reading.trec import line_of
from cranfield.errors import InputError
from cranfield.measures.base import Measure
from cranfield.scores import Notice
from cranfield.wording import some

Printed: TypeAlias = tuple[str, list[Notice]]  # a text, and what the user should know


def text_of(lines: Iterable[str]) -> str:
    r"""Lines as a text.

    >>> text_of(["a", "b"])
    'a\nb\n'
    """
    return "".join(f"{line}\n" for line in lines)


def check_unquoted(names: Iterable[str], where: str | None) -> None:
    """Raise an error if a name would break a CSV table of a tool that does not quote cells."""
    for name in names:
        if "," in name or '"' in name:
            problem = (
                f"{name!r} contains a comma or a quotation mark, which the output cannot quote"
            )
            fix = "Rename it, or use `cranfield evaluate -f csv`."
            raise InputError.problem(problem, fix, where)


def added_up(values: Floats) -> Floats:
    """The sums of columns, added in the order of rows as other tools add them, bit by bit."""
    sums: Floats = np.cumsum(values, axis=0)[-1]
    return sums


def mean_of(rows: Sequence[Floats] | Floats) -> Floats:
    """The mean of rows, added in their order."""
    return added_up(np.asarray(rows)) / len(rows)


def about_topics(
    kind: str, topics: Iterable[str], before: str, after: str, run: str | None = None
) -> list[Notice]:
    """A notice about topics, named between two parts of a sentence; none if there are no topics.

    >>> [notice.text for notice in about_topics("missing-topics", ["1", "2"], "bm25: ", " missing")]
    ['bm25: 2 topics (1, 2) missing']
    """
    named = tuple(topics)
    text = f"{before}{some(named, 'topic')}{after}"
    return [Notice(kind, text, run, named)] if named else []


def with_parameters(m: Measure, **given: Any) -> Measure:
    """A measure with those of the parameters that it has.

    >>> from cranfield.measures.dcg import RBP
    >>> with_parameters(RBP(), p=0.5, alpha=0.5)
    RBP(p=0.5)
    """
    known = {parameter.name for parameter in m.parameters()}
    return replace(m, **{name: value for name, value in given.items() if name in known})


def refuse_judgments(
    judged: Qrels, wrong: Bools, what: str, expected: str, source: Source | None = None
) -> None:
    """Refuse the first judgment that is wrong; its line is looked up if there is a source."""
    rows: Sequence[int] = np.flatnonzero(wrong).tolist()
    for row in rows[:1]:
        topic = judged.topics[int(np.searchsorted(judged.offsets, row, side="right")) - 1]
        doc = judged.doc_names[row]
        line = None if source is None else line_of(source, "qrels", topic, doc)
        found = f"{what.format(f'{judged.levels[row]:g}')} document {doc} of topic {topic}"
        raise InputError(found, expected, judged.where, line)
