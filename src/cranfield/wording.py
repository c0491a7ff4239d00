"""Numbers of things, and lists of a few of them, as sentences say them."""

from __future__ import annotations

from collections.abc import Sequence


def counted(count: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "topic"), counted(50, "topic")
    ('1 topic', '50 topics')
    """
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def some(names: Sequence[str], noun: str) -> str:
    """How many there are, and the first few of them.

    >>> some(["301"], "topic"), some(list("abcdefg"), "topic")
    ('1 topic (301)', '7 topics (a, b, c, d, e, …)')
    """
    shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    return f"{counted(len(names), noun)} ({shown})"
