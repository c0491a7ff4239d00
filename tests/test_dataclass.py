"""Our dataclasses do what Python's do: each case is asked of both."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import KW_ONLY, field
from typing import Any, ClassVar, NamedTuple

import pytest

from cranfield.dataclass import dataclass
from tests.made import each


class Kinds(NamedTuple):
    """Classes made by one of the two decorators."""

    Point: Any
    Named: Any
    Counted: Any
    Checked: Any
    Below: Any
    Own: Any
    Plain: Any


def kinds(dataclass: Any) -> Kinds:
    @dataclass(frozen=True)
    class Point:
        """Two numbers."""

        x: float
        y: float = 0.5
        unit: ClassVar[str] = "cm"

    @dataclass(frozen=True, kw_only=True, eq=False)
    class Named:
        """What must be named."""

        name: str
        others: dict[str, int] = field(default_factory=dict)

    @dataclass
    class Counted:
        """What may change, and what nobody gives."""

        a: int
        _: KW_ONLY
        b: int = 2
        c: int = field(default=3, repr=False, compare=False)
        seen: list[int] = field(default_factory=list, init=False)
        last: int | None = field(default=None, init=False)

    @dataclass(frozen=True)
    class Checked(Point):
        """One more field, and a look at all of them."""

        z: float = 1.0

        def __post_init__(self) -> None:
            object.__setattr__(self, "z", self.z + self.x)

    class Below(Point):
        """Made in a way of its own."""

        def __init__(self, text: str) -> None:
            super().__init__(*map(float, text.split()))

    @dataclass(frozen=True)
    class Own:  # noqa: PLW1641
        """Methods of its own."""

        x: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own) and self.x % 10 == other.x % 10

        def __repr__(self) -> str:
            return f"<{self.x}>"

    @dataclass(eq=False, repr=False)
    class Plain:
        """Equal to itself only."""

        x: int

    return Kinds(Point, Named, Counted, Checked, Below, Own, Plain)


OURS, PYTHONS = kinds(dataclass), kinds(dataclasses.dataclass)

MADE: list[Callable[[Kinds], Any]] = [
    lambda k: k.Point(1, 2),
    lambda k: k.Point(1),
    lambda k: k.Point(y=1, x=2),
    lambda k: k.Named(name="a"),
    lambda k: k.Named(others={"b": 1}, name="a"),
    lambda k: k.Counted(1),
    lambda k: k.Counted(1, c=4, b=5),
    lambda k: k.Checked(1, z=2),
    lambda k: k.Below("1 2"),
    lambda k: k.Own(13),
    lambda k: dataclasses.replace(k.Point(1), y=7),
    lambda k: dataclasses.replace(k.Checked(1), y=7),
    lambda k: copy.copy(k.Counted(1)),
]


@each("make", MADE)
def test_the_same_is_made(make: Callable[[Kinds], Any]) -> None:
    one, other = make(OURS), make(PYTHONS)
    assert [*vars(one).items()] == [*vars(other).items()]  # in the same order
    assert repr(one) == repr(other)
    assert dataclasses.asdict(one) == dataclasses.asdict(other)
    assert (one == make(OURS)) == (other == make(PYTHONS))
    assert one.__match_args__ == other.__match_args__


WRONG: list[Callable[[Kinds], Any]] = [
    lambda k: k.Point(),
    lambda k: k.Point(1, 2, 3),
    lambda k: k.Point(1, x=2),
    lambda k: k.Point(1, z=2),
    lambda k: k.Point(1, unit="m"),
    lambda k: k.Named("a"),
    lambda k: k.Named(others={}),
    lambda k: k.Counted(1, 2),
    lambda k: k.Counted(1, seen=[]),
    lambda k: dataclasses.replace(k.Point(1), z=7),
    lambda k: hash(k.Counted(1)),
    lambda k: k.Point(1) < k.Point(2),
]


@each("make", WRONG)
def test_the_same_is_refused(make: Callable[[Kinds], Any]) -> None:
    for made_by in (OURS, PYTHONS):
        with pytest.raises(TypeError):
            make(made_by)


def test_a_mistake_is_named() -> None:
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        OURS.Point(y=1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        OURS.Point(1, z=2)


@each("kind", [*Kinds._fields])
def test_signatures_are_those_of_the_fields(kind: str) -> None:
    one, other = (inspect.signature(getattr(k, kind)) for k in (OURS, PYTHONS))
    assert [*one.parameters] == [*other.parameters]
    for mine, theirs in zip(one.parameters.values(), other.parameters.values(), strict=True):
        assert (mine.kind, mine.annotation) == (theirs.kind, theirs.annotation)
        if "factory" in repr(theirs.default):
            assert mine.default == {}
        else:
            assert mine.default == theirs.default


def test_an_instance_that_can_be_called_has_a_signature_of_its_own() -> None:
    class Adding(OURS.Plain):  # type: ignore[name-defined, misc]
        def __call__(self, y: int) -> int:
            return int(self.x + y)

    assert [*inspect.signature(Adding(1)).parameters] == ["y"]
    assert [*inspect.signature(Adding).parameters] == ["x"]


def test_what_is_frozen_stays_as_it_is() -> None:
    for made_by in (OURS, PYTHONS):
        point = made_by.Point(1)
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
            point.x = 2
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
            del point.x
        counted = made_by.Counted(1)
        counted.a = 4
        assert counted.a == 4


def test_equal_fields_are_equal_and_hash_alike() -> None:
    for made_by in (OURS, PYTHONS):
        assert made_by.Point(1) == made_by.Point(1, 0.5) != made_by.Point(2)
        assert {made_by.Point(1), made_by.Point(1.0)} == {made_by.Point(1)}
        assert made_by.Checked(1) != made_by.Point(1)
        assert made_by.Counted(1, c=4) == made_by.Counted(1)  # c is not compared
        assert made_by.Own(3) == made_by.Own(13)
        assert made_by.Plain(1) != made_by.Plain(1)
        assert hash(made_by.Own(3)) == hash(made_by.Own(3)) != hash(made_by.Own(13))


def test_what_nobody_gave_is_made_for_each() -> None:
    one, other = OURS.Named(name="a"), OURS.Named(name="a")
    one.others["x"] = 1
    assert other.others == {}


@dataclass(frozen=True)
class Sent:
    """One that another process can be sent."""

    x: int


def test_it_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Sent(3))) == Sent(3)  # noqa: S301
