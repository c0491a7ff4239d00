"""Shared functions of drop-in replacements: texts, ordered sums, notes, checks of judgments."""

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

Printed: TypeAlias = tuple[str, list[Note]]  # The text and its notes.


def join_lines(lines: Iterable[str]) -> str:
    r"""Join lines to a text.

    >>> join_lines(["a", "b"])
    'a\nb\n'
    """
    return "".join(f"{line}\n" for line in lines)


def check_unquoted(names: Iterable[str], location: str | None) -> None:
    """Raise an error if a name would break a CSV table of a tool that does not quote cells."""
    for name in names:
        if "," in name or '"' in name:
            problem = f"{name!r} contains a comma or a quotation mark, which the output cannot quote"
            fix = "Rename it, or use `cranfield evaluate -f csv`."
            raise InputError.from_problem(problem, fix, location)


def sum_in_order(values: Floats) -> Floats:
    """Return the sums of columns, added in order of rows, bit by bit as other tools do."""
    sums: Floats = np.cumsum(values, axis=0)[-1]
    return sums


def average_rows(rows: Sequence[Floats] | Floats) -> Floats:
    """Return the mean of rows, added in order."""
    return sum_in_order(np.asarray(rows)) / len(rows)


def make_topic_notes(kind: str, topics: Iterable[str], before: str, after: str, run: str | None = None) -> list[Note]:
    """Return a note that names topics between two parts of a sentence, or none without topics.

    >>> notes = make_topic_notes("missing-topics", ["1", "2"], "bm25: ", " missing")
    >>> [note.text for note in notes]
    ['bm25: 2 topics (1, 2) missing']
    """
    names = tuple(topics)
    text = f"{before}{format_names(names, 'topic')}{after}"
    return [Note(kind, text, run, names)] if names else []


def with_parameters(m: Measure, **values: Any) -> Measure:
    """Return a measure with the values of the parameters that it has.

    >>> from cranfield.measures.dcg import RBP
    >>> with_parameters(RBP(), p=0.5, alpha=0.5)
    RBP(p=0.5)
    """
    parameter_names = {parameter.name for parameter in m.list_parameters()}
    return replace(m, **{name: value for name, value in values.items() if name in parameter_names})


def check_judgments(judged: Qrels, wrong: Bools, label: str, expected: str, source: Source | None = None) -> None:
    """Raise an error for the first invalid judgment, with its line if there is a source."""
    rows: Sequence[int] = np.flatnonzero(wrong).tolist()
    for row in rows[:1]:
        topic = judged.topics[int(np.searchsorted(judged.offsets, row, side="right")) - 1]
        doc = judged.doc_names[row]
        line = None if source is None else find_line(source, "qrels", topic, doc)
        problem = f"{label.format(f'{judged.levels[row]:g}')} document {doc} of topic {topic}"
        raise InputError(problem, expected, judged.where, line)
