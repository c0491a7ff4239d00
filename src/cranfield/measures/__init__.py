"""Every measure is its equation, its parameters and its citation."""

from __future__ import annotations

from cranfield.measures import (  # noqa: F401 (register)
    counts,
    cumulated,
    curve,
    dcg,
    distributions,
    diversity,
    experimental,
    graded,
    incomplete,
    models,
    ncu,
    reading,
    sessions,
    sets,
    texts,
    verticals,
)
