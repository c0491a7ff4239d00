"""`dataclass` of the standard library, with a faster start for frozen classes.

The standard library generates and compiles source code for the methods of each class. For the 65
classes of a small evaluation, this takes 6 to 8 % of the time. Here, all frozen classes share their
methods. `field`, `fields`, `replace` and `asdict` are the functions of the standard library.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from inspect import Parameter
from inspect import Signature as Signed
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["dataclass"]

C = TypeVar("C", bound=type)
MISSING = dataclasses.MISSING


def _make_frozen(*, eq: bool = True, repr: bool = True, kw_only: bool = False) -> Callable[[C], C]:
    """Return a decorator that adds methods, except methods that the class defines."""

    def decorate(cls: C) -> C:
        dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(cls)
        methods = _build_init(cls) | (_build_comparison(cls) if eq else {}) | (REPR if repr else {})
        for name, method in (FROZEN | methods).items():
            if vars(cls).get(name) is None:  # a class that defines __eq__ has __hash__ = None
                setattr(cls, name, method)
        return cls

    return decorate


def _build_init(cls: type) -> dict[str, Any]:
    all_fields = dataclasses.fields(cls)
    fields = [f for f in all_fields if f.init]
    factories = {f.name: f.default_factory for f in all_fields if f.default_factory is not MISSING}
    required = {f.name for f in fields if f.default is MISSING} - factories.keys()
    in_order = [f.name for f in fields if not f.kw_only]
    # By the number of positional values: the keywords that are allowed, and required.
    counts = range(len(in_order) + 1)
    remaining = [{f.name: f.default for f in fields if f.name not in in_order[:k]} for k in counts]
    missing = [required.difference(in_order[:k]) for k in counts]
    limit = len(in_order)
    has_post_init = hasattr(cls, "__post_init__")

    def __init__(self: Any, *values: Any, **keywords: Any) -> None:  # noqa: N807
        k = len(values)
        if k > limit or ((keywords or missing[k]) and not missing[k] <= keywords.keys() <= remaining[k].keys()):
            build_signature(cls).bind(*values, **keywords)  # raises the TypeError
        attributes = self.__dict__
        if k:
            attributes.update(zip(in_order, values))  # noqa: B905
        if remaining[k]:
            attributes.update(remaining[k])
            attributes.update(keywords)
        for name, make in factories.items():
            if attributes.get(name, MISSING) is MISSING:
                attributes[name] = make()
        if has_post_init:
            self.__post_init__()

    return {"__init__": __init__, "__signature__": Signature()}


class Signature:
    """Descriptor of the signature that `help` and editors show."""

    def __get__(self, instance: object, cls: type) -> Signed:
        maker = next(base for base in cls.__mro__ if "__init__" in vars(base))
        if instance is not None or "__signature__" not in vars(maker):
            raise AttributeError("__signature__")  # the class has its own __init__
        return build_signature(maker)


def build_signature(cls: type) -> Signed:
    """Return the signature of a class: its fields, keyword-only fields last."""
    parameters = [
        Parameter(
            f.name,
            Parameter.KEYWORD_ONLY if f.kw_only else Parameter.POSITIONAL_OR_KEYWORD,
            default=_get_default(f),
            annotation=f.type,
        )
        for f in dataclasses.fields(cls)
        if f.init
    ]
    return Signed(sorted(parameters, key=lambda p: p.kind))


def _get_default(f: dataclasses.Field[Any]) -> Any:
    if f.default_factory is not MISSING:
        return f.default_factory()
    return Parameter.empty if f.default is MISSING else f.default


def _build_comparison(cls: type) -> dict[str, Any]:
    values = attrgetter("__class__", *(f.name for f in dataclasses.fields(cls) if f.compare))

    def __eq__(self: object, other: object) -> bool:  # noqa: N807
        return values(self) == values(other) if type(self) is type(other) else NotImplemented

    def __hash__(self: object) -> int:  # noqa: N807
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__}


def _format_repr(self: Any) -> str:
    parts = [f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr]
    return f"{type(self).__qualname__}({', '.join(parts)})"


def _assign(self: object, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


REPR = {"__repr__": _format_repr}
FROZEN = {"__setattr__": _assign, "__delattr__": _delete}

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls: type | None = None, /, *, frozen: bool = False, **options: bool) -> Any:
        """Return `dataclasses.dataclass`, or its replacement for frozen classes."""
        if frozen:
            return _make_frozen(**options)
        return dataclasses.dataclass(cls, **options)
