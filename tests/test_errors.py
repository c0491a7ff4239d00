"""Errors: their classes, what they say, and that process pools can send them."""

from __future__ import annotations

import copy
import pickle

import pytest

import cranfield as cf
from cranfield.errors import RepetitionError

ERRORS = [
    cf.CranfieldError("no"),
    cf.InputError("a", "b", "file.txt", 3, "hint"),
    cf.InputError.problem("file is empty", where="empty.txt"),
    RepetitionError("d1", "d1 twice", "once", "file.txt", 2),
    cf.FileError("read", "file.txt", "permission denied"),
    cf.MissingPackage("frames need Polars", "frames", ["polars>=1.30"]),
    cf.UserCodeError(ValueError("no"), "mine.py", 5),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_error_pickled_is_the_same(error: cf.CranfieldError) -> None:
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):  # noqa: S301
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert {k: str(v) for k, v in vars(again).items()} == {
            k: str(v) for k, v in vars(error).items()
        }


def test_parse_measure_typo_raises_a_measure_error() -> None:
    with pytest.raises(cf.MeasureError, match="did you mean nDCG@10") as caught:
        cf.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "nDGC@10")
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301
    assert type(again) is cf.MeasureError
    assert str(again) == str(caught.value)
