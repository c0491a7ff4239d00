"""Battles in files of arenas.

Sources of the shapes: FastChat 0.2.36 and LMArena (``winner``, read as a table), and the data of the
Kaggle competition LMSYS (a column of 0 and 1 for each winner).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cranfield.data.reading.columns import TOPICS, find_spelling
from cranfield.data.reading.contents import Content, get_value
from cranfield.data.reading.lines import format_value, parse_finite
from cranfield.data.reading.shapes import Item
from cranfield.errors import InputError

WINNERS = ("winner_model_a", "winner_model_b", "winner_tie")
ITEMS = (*TOPICS, "id")


def read_kaggle_battle(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the battle of a row with a column of 0 and 1 for each winner. Exactly one must be 1."""
    key = find_spelling(ITEMS, list(map(str, data)))
    if key is None:
        raise InputError(f"keys {', '.join(map(str, data))}", "the key 'question_id' or 'id'")
    winners = []
    for name in WINNERS:
        value = parse_finite(data[name])
        if value not in (0, 1):
            raise InputError(f"{name} {format_value(data[name])}", "0 or 1")
        winners += [name] * int(value)
    if len(winners) != 1:
        raise InputError(f"{len(winners)} winners of a battle", f"one of {', '.join(WINNERS)} to be 1")
    runs = {"run": get_value(data, "model_a"), "other": get_value(data, "model_b")}
    yield {"topic": data[key], **runs, "preferred": winners[0]}
