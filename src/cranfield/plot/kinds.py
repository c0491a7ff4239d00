"""Kinds of figures, one module each: row, function, numbers and chart.

A module has

- a docstring: title and description of the figure, for the help of the command,
- a function named after the kind, in ``__all__``: it becomes `cf.plot.KIND`, returns a `Figure`,
  and takes judgments and runs or scores, its own options, and the options of `Drawing`,
- ``FIGURE``, the row: the function, its input, and the flags of its options.

To add a kind, add a module: `cf.plot`, the command line and the gallery use `load_figures`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np

from cranfield.data.qrels import QrelsLike
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import Evaluator, RunsLike, evaluate
from cranfield.evaluation.options import Options, Settings, with_fields
from cranfield.evaluation.results import ScoresLike, read_scores
from cranfield.figures.figure import Figure
from cranfield.figures.theme import Theme, ThemeOptions
from cranfield.lazy_imports import pl
from cranfield.measures.base import Measure
from cranfield.measures.grammar import MeasureLike, parse_measure
from cranfield.measures.selection import MeasuresLike
from cranfield.options import Rows, build_help
from cranfield.scores import Note, Scores
from cranfield.stats.measure_scores import drop_standard_errors
from cranfield.wording import format_count, format_names

JudgmentsOrScores: TypeAlias = QrelsLike | ScoresLike
T = TypeVar("T", bound=Callable[..., Any])


class Drawing(Settings, ThemeOptions, total=False):
    """Options of figures that are drawn from judgments and runs: evaluation and appearance."""


def add_drawing_options(function: T) -> T:
    """Add the options of `Drawing` to the signature and the docstring of a figure."""
    return with_fields(function, Theme, Options)


@dataclass(frozen=True)
class FigureKind:
    """Kind of figure: a row.

    `doc` is the docstring of its module. `place` orders the kinds. The `function` takes scores, or
    judgments and runs (``takes="runs"``), of at least `least` runs, or the result of a command such
    as ``"suite"`` or ``"trend"``. `options` are the flags of its own arguments. `measures` is the default, ``""``
    if the figure needs no measure. `gallery` maps names of figures in the gallery to command-line
    options.
    """

    doc: str | None
    place: int
    function: Callable[..., Figure]
    options: Rows
    gallery: Mapping[str, str] = field(default_factory=dict)
    takes: Literal["scores", "runs", "suite", "trend"] = "scores"
    measures: str = "AP"
    least: int = 1

    @property
    def name(self) -> str:
        """Name of the command."""
        return self.function.__name__

    @property
    def help_texts(self) -> dict[str, str]:
        """Title and description for argparse."""
        return build_help(self.doc)


@cache
def load_figures() -> dict[str, FigureKind]:
    """Return all kinds by name, in order."""
    package = import_module("cranfield.plot")
    modules = [import_module(f"cranfield.plot.{m.name}") for m in iter_modules(package.__path__)]
    rows: list[FigureKind] = [module.FIGURE for module in modules if hasattr(module, "FIGURE")]
    return {row.name: row for row in sorted(rows, key=lambda row: row.place)}


# -- input of figures -----------------------------------------------------------------------------


def prepare_scores(
    qrels: JudgmentsOrScores,
    runs: RunsLike | None,
    measures: MeasuresLike,
    drawing: Mapping[str, Any],
    default_measures: str = "AP",
) -> tuple[Scores, Theme, dict[str, Any]]:
    """Return the scores and the theme of a figure, and the options of random draws."""
    theme, options = Theme.split_options(drawing)
    scores = get_scores(qrels, runs, measures, options, default_measures)
    return scores, theme, {name: options[name] for name in ("seed", "threads") if name in options}


def get_scores(
    qrels: JudgmentsOrScores,
    runs: RunsLike | None,
    measures: MeasuresLike,
    options: Mapping[str, Any],
    default_measures: str = "AP",
) -> Scores:
    """Return the scores, which are passed instead of judgments or computed."""
    if runs is None:
        excess_options = [name for name in options if name not in ("seed", "threads", "progress")]
        if excess_options:
            problem = f"option {excess_options[0]} has no effect on scores"
            raise InputError.from_problem(problem, "Pass judgments and runs.")
        measure_list: Any = [measures] if isinstance(measures, Measure | type) else measures
        return _drop_infinite(drop_standard_errors(read_scores(qrels, measures=measure_list)))
    selected = default_measures if measures is None and options.get("preset") is None else measures
    return _drop_infinite(drop_standard_errors(evaluate(qrels, runs, selected, **options)))


def _drop_infinite(scores: Scores) -> Scores:
    """Replace infinite scores by NaN: they cannot be drawn."""
    infinite = np.isinf(scores.values)
    if not infinite.any():
        return scores
    text = f"{format_count(int(infinite.sum()), 'infinite score')} not shown"
    values = np.where(infinite, np.nan, scores.values)
    return replace(scores, values=values, notes=(*scores.notes, Note("infinite", text)))


def get_scores_and_measures(
    qrels: Any, runs: Any, measures: Sequence[MeasureLike], options: Mapping[str, Any]
) -> tuple[Scores, Sequence[MeasureLike]]:
    """Return the scores, passed or computed, and the names of the measures in them."""
    if isinstance(qrels, Scores):
        if runs is not None or options:
            raise InputError.from_problem("scores cannot be combined with runs or options")
        return qrels, measures
    if runs is None:
        raise InputError.from_problem("no runs given", "Pass qrels and runs, or scores.")
    evaluator = Evaluator(qrels, measures, **options)
    defaults = evaluator.options.defaults  # which measures have then
    return evaluator(runs), [parse_measure(m).with_defaults(defaults) for m in measures]


def find_column(scores: Scores, measure: MeasureLike) -> str:
    """Return the name of a measure in the scores, found by its name or its meaning."""
    name = str(measure)
    if name not in scores.measures:
        (name,) = parse_measure(measure).names()[:1]
    if name not in scores.measures:
        valid_names = ", ".join(scores.measures)
        raise InputError.from_problem(f"no scores of {name}", f"Measures: {valid_names}.")
    return name


# -- parts of figures -----------------------------------------------------------------------------


def format_axis_title(scores: Scores, measure: str) -> str:
    """Return the axis title of a measure."""
    better = scores.better[scores.measures.index(measure)]
    return f"{measure} (lower is better)" if better == "lower" else measure


def collect_undefined_notes(data: pl.DataFrame, value: str, noun: str = "run") -> tuple[Note, ...]:
    """Return notes about runs or topics without a value. Raise an error if no value is defined."""
    undefined_notes = []
    for (measure,), rows in data.group_by("measure", maintain_order=True):
        names = rows[noun].unique(maintain_order=True).to_list()
        defined = set(rows.filter(rows[value].is_not_nan())[noun])
        if not defined:
            raise InputError.from_problem(f"no {noun} has a {value} of {measure}")
        if missing := [name for name in names if name not in defined]:
            text = f"{format_names(missing, noun)} without a {value} of {measure}: not shown"
            undefined_notes.append(Note("undefined", text))
    return tuple(undefined_notes)


def build_frame(rows: Sequence[Sequence[Any]], names: Sequence[str]) -> pl.DataFrame:
    """Return rows as a data frame. Column types are inferred from all rows."""
    return pl.DataFrame(rows, schema=list(names), orient="row", infer_schema_length=None)
