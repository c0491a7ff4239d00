"""What tests of assessors share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

CQA = "A=2,B=1,C=0"


def votes(*labels: Sequence[Any]) -> dict[str, dict[str, dict[str, Any]]]:
    """Items of one topic, each with a label by every assessor."""
    return {f"a{i}": {"t": {f"d{j}": item[i] for j, item in enumerate(labels)}} for i in range(len(labels[0]))}


SCORES = st.integers(0, 3)
ITEMS = st.integers(2, 5).flatmap(lambda n: st.lists(st.lists(SCORES, min_size=n, max_size=n), min_size=1, max_size=8))
