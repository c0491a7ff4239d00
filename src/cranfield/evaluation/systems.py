"""Systems side by side: which of them there are, and their scores by measures."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cranfield.data.reading.tables import is_frame
from cranfield.measures.base import Measure
from cranfield.scores import Notice, Scores


def several(given: Any, is_system: Callable[[Any], bool]) -> list[tuple[str | None, Any]]:
    """One system or several of them, each with the name the user gave it, if any.

    >>> several({"a": "a.tsv", "b": "b.tsv"}, is_file)
    [('a', 'a.tsv'), ('b', 'b.tsv')]
    >>> several(["a.tsv", "b.tsv"], is_file), several({"item 1": [0.5, 0.5]}, is_file)
    ([(None, 'a.tsv'), (None, 'b.tsv')], [(None, {'item 1': [0.5, 0.5]})])
    """
    if isinstance(given, Mapping) and any(map(is_system, given.values())):
        return [(str(name), system) for name, system in given.items()]
    if isinstance(given, list | tuple) and any(map(is_system, given)):
        return [(None, system) for system in given]
    return [(None, given)]


def is_file(value: Any) -> bool:
    """Whether this is a path or a frame: a whole system, whatever is in it."""
    return isinstance(value, str | os.PathLike) or is_frame(value)


def scores_of(
    values: ArrayLike,
    systems: Iterable[str],
    rows: Iterable[str],
    measures: Sequence[Measure],
    notices: Iterable[Notice],
    undefined: str = "zero",
) -> Scores:
    """The values [systems, rows, measures] as scores; rows are topics, sessions or items."""
    return Scores(
        np.asarray(values),
        tuple(systems),
        tuple(rows),
        tuple(m.called or str(m) for m in measures),
        tuple(m.summary for m in measures),
        undefined,
        tuple(notices),
        tuple(m.better for m in measures),
    )
