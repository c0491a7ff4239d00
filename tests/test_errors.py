"""Errors: their classes, what they say, and that process pools can send them."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.errors import DuplicateError

ERRORS = [
    cf.CranfieldError("no"),
    cf.InputError("a", "b", "file.txt", 3, "hint"),
    cf.InputError.from_problem("file is empty", where="empty.txt"),
    DuplicateError("d1", "d1 twice", "once", "file.txt", 2),
    cf.FileError("read", "file.txt", "permission denied"),
    cf.MissingPackage("frames need Polars", "frames", ["polars>=1.30"]),
    cf.UserCodeError(ValueError("no"), "mine.py", 5),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_error_pickled_is_the_same(error: cf.CranfieldError) -> None:
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):  # noqa: S301
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert {k: str(v) for k, v in vars(again).items()} == {k: str(v) for k, v in vars(error).items()}


def test_parse_measure_typo_raises_a_measure_error() -> None:
    with pytest.raises(cf.MeasureError, match="Did you mean nDCG@10") as caught:
        cf.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "nDGC@10")
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301
    assert type(again) is cf.MeasureError
    assert str(again) == str(caught.value)


# -- wrong arguments of public functions ----------------------------------------------------------

MADE = cf.simulate(topics=4, runs=2, depth=10, seed=1)
RUN = next(iter(MADE.runs.values()))
SCORES = cf.evaluate(MADE.qrels, MADE.runs, ["AP", "P@5"])
WRONG: dict[str, Any] = {
    "None": None, "number": 5, "fraction": 0.5, "nan": float("nan"), "path": "nowhere.txt",
    "empty text": "", "bytes": b"x", "empty dict": {}, "empty list": [], "texts": ["a", "b"],
    "list of None": [None], "lists": [[1, 2], [3, 4]], "dict of texts": {"a": "b"},
    "qrels": MADE.qrels, "run": RUN, "runs": MADE.runs, "Scores": SCORES, "object": object(),
    "Run": cf.read_run(RUN), "Qrels": cf.read_qrels(MADE.qrels), "array": np.ones(3),
    "matrix": np.ones((3, 3)), "frame": pl.DataFrame({"a": [1]}), "function": len, "class": int,
    "complex": 1j,
}  # fmt: skip
RIGHT: dict[str, Any] = {
    "qrels": MADE.qrels, "runs": MADE.runs, "run": RUN, "scores": SCORES, "measure": "AP",
    "measures": ["AP"], "x": [0.1, 0.2, 0.3, 0.7], "y": [0.2, 0.5, 0.3, 0.1], "first": MADE.qrels,
    "second": MADE.qrels, "y_true": [1, 0, 1], "y_score": [0.1, 0.2, 0.3], "size": 2,
    "variance": 0.1, "difference": 0.1, "width": 0.1, "systems": 3, "margin": 0.1,
    "weights": [1.0, 2.0], "judge": [1.0, 2.0], "people": [1.0, 2.0],
    "probabilities": [0.5, 0.5], "evaluated": [1, 2, 3], "name": "beir", "gold": ["AP"],
}  # fmt: skip
OTHERS = ("measure", "user_model", "param", "ratio", "total", "simulate")  # of code, or numbers


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public functions, and Evaluator."""
    for room in (cf, cf.stats, cf.meta, cf.plot):
        for name in [name for name in dir(room) if name[:1] != "_"]:
            function = getattr(room, name)
            if inspect.isfunction(function) and name not in OTHERS:
                yield f"{room.__name__}.{name}", function
    yield "cranfield.Evaluator", cf.Evaluator


FUNCTIONS = dict(public())


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_function_wrong_argument_raises_a_cranfield_error(
    name: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or returns a result: some arguments that are wrong for one function are right for another."""
    monkeypatch.chdir(tmp_path)
    parameters = list(inspect.signature(FUNCTIONS[name]).parameters.values())
    placed = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)]
    for place, parameter in enumerate(placed[:3]):
        if isinstance(parameter.default, bool):
            continue
        before = [RIGHT.get(p.name) for p in placed[:place]]
        needed = [p for p in placed[place + 1 :] if p.default is p.empty]
        after = [RIGHT.get(p.name) for p in needed if p.kind is p.POSITIONAL_OR_KEYWORD]
        for kind, value in WRONG.items():
            try:
                FUNCTIONS[name](*before, value, *after)
            except cf.CranfieldError:
                pass
            except Exception as error:
                problem = f"{parameter.name}={kind}: {type(error).__name__}: {error}"
                raise AssertionError(problem) from error


def test_rbo_of_a_run_and_a_ranking_raises() -> None:
    for run in (RUN, cf.read_run(RUN)):
        with pytest.raises(cf.InputError, match=r"x is a run with a ranking for each topic\. Pass two runs"):
            cf.meta.rbo(run, ["a"])  # type: ignore[arg-type]


def iter_first(scores: Any) -> Any:
    return next(iter(scores))


def test_list_of_scores_names_the_way_to_names() -> None:
    everything: Any = SCORES
    for wrong in (list, iter_first, lambda scores: scores[0]):
        with pytest.raises(cf.InputError, match=r"Use scores\[run, topic, measure\]\. Names: scores"):
            wrong(everything)
