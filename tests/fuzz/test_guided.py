"""Bytes that reached new code once are read or refused again: what `make fuzz-guided` has kept."""

from __future__ import annotations

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


@each("name", TARGETS)
def test_a_good_input_is_read(name: str) -> None:
    """That nothing is found must not be because all is refused."""
    assert any(map(TARGETS[name].ask, TARGETS[name].seeds()))
