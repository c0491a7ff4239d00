"""Bytes that reached new code once are read or refused again: what `make fuzz-guided` has kept."""

from __future__ import annotations

import pytest

from tests.fuzz.targets import TARGETS
from tests.made import each


def test_all_that_is_kept() -> None:
    """Read, or refused in a line; where there are two readers, by both."""
    asked = 0
    for target in TARGETS.values():
        for name, content in target.corpus().items():
            try:
                target.ask(content)
            except Exception as error:
                error.add_note(f"{target.name}: {name} {content!r}")
                raise
            asked += 1
    assert asked > 1000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("measures", b"RBP(p=1>\xcb\x83\xcf\n8)"),  # each was repeated in a message of two lines
        ("metric", b"teeR0\xadReB\xbc(.L1(.L10.\n)"),
        ("labels", b"}2L2=\n/=8"),
        ("columns", b"p\n\xff\xff\xff-1\xff\xff,"),
    ],
)
def test_what_was_found_is_refused_in_a_line(name: str, content: bytes) -> None:
    assert not TARGETS[name].ask(content)


@each("name", TARGETS)
def test_a_good_input_is_read(name: str) -> None:
    """That nothing is found must not be because all is refused."""
    assert any(map(TARGETS[name].ask, TARGETS[name].seeds()))
