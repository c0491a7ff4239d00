"""Every measure is its equation, its parameters and its citation."""

from __future__ import annotations

from cranfield.measures import cascade, counts, dcg, ncu, preference, sets  # noqa: F401 (register)
