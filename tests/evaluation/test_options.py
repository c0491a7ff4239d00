"""Options are said once, and seen by editors, by mypy and by help()."""

from __future__ import annotations

import inspect
import pydoc
import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any, get_type_hints

import pytest

import cranfield as cf
from cranfield.evaluation.options import NAMES, Options, Settings

QRELS = {"q1": {"a": 1}}
RUN = {"q1": {"b": 2.0, "a": 1.0}}


def test_the_settings_are_the_options() -> None:
    """A type checker is told the same names and types as the evaluation works with."""
    assert get_type_hints(Settings) == get_type_hints(Options)
    assert set(NAMES) == set(get_type_hints(Options))


@pytest.mark.parametrize("function", [cf.evaluate, cf.Evaluator, cf.explain])
def test_every_option_is_in_the_signature(function: Callable[..., Any]) -> None:
    parameters = inspect.signature(function).parameters
    for field in fields(Options):
        assert parameters[field.name].kind is inspect.Parameter.KEYWORD_ONLY
        assert parameters[field.name].default is field.default
    assert not any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def test_what_a_function_has_itself_is_listed_once() -> None:
    """`label` has topics and rel of its own."""
    parameters = inspect.signature(cf.label).parameters
    assert parameters["topics"].default is None
    assert list(parameters).count("rel") == 1
    assert set(NAMES) <= set(parameters)


@pytest.mark.parametrize("function", [cf.evaluate, cf.Evaluator, cf.label, cf.explain])
def test_help_lists_and_explains_every_option(function: Callable[..., Any]) -> None:
    text = pydoc.plain(pydoc.render_doc(function))
    for name in NAMES:
        assert f"{name}: " in text, name  # in the signature
    assert "Look at so many documents of each list only." in text
    assert "The same" not in inspect.getdoc(function).partition("\n")[0]  # type: ignore[union-attr]


def test_every_option_is_documented() -> None:
    about = inspect.getdoc(Options) or ""
    told = {
        name
        for line in about.splitlines()
        if line and not line.startswith(" ")
        for name in line.split(", ")
    }
    assert set(NAMES) <= told


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("depht", "got an unexpected keyword argument 'depht'. Did you mean depth?"),
        ("residual", "got an unexpected keyword argument 'residual'. Did you mean residuals?"),
        ("n_jobs", "got an unexpected keyword argument 'n_jobs'. Did you mean threads?"),
        ("cutoff", "argument 'cutoff'. Write the cutoff after the measure: nDCG@10."),
    ],
)
@pytest.mark.parametrize(
    "call",
    [
        lambda **options: cf.evaluate(QRELS, RUN, "AP", **options),
        lambda **options: cf.Evaluator(QRELS, "AP", **options),
        lambda **options: cf.label(QRELS, RUN, **options),
        lambda **options: cf.explain("AP", QRELS, RUN, **options),
    ],
)
def test_evaluate_unknown_keyword_names_the_nearest(
    call: Callable[..., Any], wrong: str, said: str
) -> None:
    with pytest.raises(TypeError, match=re.escape(said)):
        call(**{wrong: 3})


@pytest.mark.parametrize(
    ("call", "wrong", "said"),
    [
        (cf.evaluate, "measure", "evaluate() got an unexpected keyword argument 'measure'. Did you "
         "mean measures?"),
        (cf.evaluate, "metrics", "Did you mean measures?"),
        (cf.evaluate, "group_by", "Valid: qrels, runs, measures, preset, topics, "),
        (cf.Evaluator, "metrics", "Evaluator() got an unexpected keyword argument 'metrics'. Did "
         "you mean measures?"),
        (cf.bounds, "measures", "bounds() got an unexpected keyword argument 'measures'. Did you "
         "mean measure?"),
        (cf.hard_topics, "metrics", "Did you mean measure?"),
        (cf.label, "measure", "Valid: qrels, runs, topics, "),
        (cf.plot.runs, "metric", "runs() got an unexpected keyword argument 'metric'. Did you "
         "mean measures?"),
    ],
)  # fmt: skip
def test_public_function_unknown_keyword_suggests_its_own_arguments(
    call: Callable[..., Any], wrong: str, said: str
) -> None:
    with pytest.raises(TypeError, match=re.escape(said)):
        call(QRELS, RUN, **{wrong: "AP"})


def test_a_preset_gives_what_is_not_given() -> None:
    chosen = Options.from_mapping({"preset": "ntcir7-ir4qa"})
    assert chosen.depth == 1000
    assert Options.from_mapping({"preset": "ntcir7-ir4qa", "depth": 5}).depth == 5
    assert Options.from_mapping({}).task is None
