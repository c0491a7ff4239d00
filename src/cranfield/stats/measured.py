"""What tests see of a measure: its scores where all runs have one, turned and transformed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.scores import FLOOR, Notice, Scores
from cranfield.stats.samples import Matrix, refuse_few
from cranfield.wording import counted, some


@dataclass(frozen=True, eq=False)
class Measured:
    """The scores of a measure: `values` [topics, runs], `defined` where every run has one.

    `notices` say what was done to them, and which topics `matrix` is without.
    """

    measure: str
    values: Floats
    defined: Bools
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    notices: tuple[Notice, ...]

    @property
    def matrix(self) -> Matrix:
        """The topics for which the measure is defined."""
        kept = tuple(self.topics[t] for t in np.flatnonzero(self.defined))
        return Matrix(self.values[self.defined], self.runs, kept)


def measured(scores: Scores, measure: str, turned: bool = True) -> Measured:
    """The scores of a measure, as tests see them.

    Where the mean is geometric they are logarithms, and `turned` gives them the other sign if
    lower is better, so that the higher one always is.

    >>> scores = Scores([[[0.5], [np.nan]], [[0.4], [0.3]]], "ab", "12", ["RNOD"], ["mean"],
    ...                 better=["lower"])
    >>> found = measured(scores, "RNOD")
    >>> found.matrix.values.tolist(), [notice.text for notice in found.notices][1]
    ([[-0.5, -0.4]], 'RNOD: 1 topic (2) left out, where it is undefined for a run')
    """
    m = _place(scores, measure)
    values, notices = scores.values[:, :, m].T, []
    if scores.summaries[m] == "gmean":
        values = np.log(np.maximum(values, FLOOR))
        text = f"{measure}: compared by logarithms, as its mean is geometric: differences are too"
        notices.append(Notice("logarithms", text))
    if turned and scores.better[m] == "lower":
        values = -values
        text = f"{measure} is better if lower: its scores are taken with the other sign"
        notices.append(Notice("turned-round", text))
    defined = np.logical_and.reduce(np.isfinite(values), axis=1)
    if not defined.all():
        notices.append(undefined(measure, [scores.topics[t] for t in np.flatnonzero(~defined)]))
    return Measured(measure, values, defined, scores.runs, scores.topics, tuple(notices))


def without_errors(scores: Scores) -> Scores:
    """The scores without the columns that are standard errors of others."""
    kept = [m for m, s in zip(scores.measures, scores.summaries, strict=True) if s != "se"]
    if not kept:
        raise InputError(f"standard errors only ({', '.join(scores.measures)})", "a measure")
    return scores.select(measures=kept)


def ranking(
    scores: Scores, names: Sequence[str] | None = None
) -> tuple[list[str], tuple[Notice, ...]]:
    """The measures, all or those named, of which one end is better; notices are of the others.

    Standard errors, which are of other measures, are none.

    >>> scores = Scores([[[0.5, 10]]], ["bm25"], ["1"], ["AP", "NumRet"], ["mean", "sum"])
    >>> found, [notice] = ranking(scores)
    >>> found, notice.text
    (['AP'], 'NumRet is left out: neither high nor low values of it are better')
    """
    found, notices = [], []
    for measure in scores.measures if names is None else names:
        m = _place(scores, measure)
        if scores.summaries[m] == "se":
            continue
        if scores.better[m] == "neither":
            notices.append(left_out(measure, "neither high nor low values of it are better"))
        else:
            found.append(measure)
    return found, tuple(notices)


def by_measure(scores: Scores, least: int = 2) -> tuple[dict[str, Matrix], tuple[Notice, ...]]:
    """The scores of each measure that ranks runs, on at least so many topics: the higher the
    better. The notices begin with those of the scores.

    >>> scores = Scores([[[0.5], [0.1]], [[0.4], [0.3]]], "ab", "12", ["AP"], ["mean"])
    >>> by_measure(scores)[0]["AP"].values.tolist()
    [[0.5, 0.4], [0.1, 0.3]]
    """
    refuse_one_run(scores)
    refuse_few(len(scores.topics), least)
    names, others = ranking(without_errors(scores))
    notices = [*scores.notices, *others]
    made: dict[str, Matrix] = {}
    for measure in names:
        found = measured(scores, measure)
        notices += found.notices
        matrix = found.matrix
        if len(matrix.topics) < least:
            why = f"defined for {counted(len(matrix.topics), 'topic')} only"
            notices.append(left_out(measure, why))
        else:
            made[measure] = matrix
    if not made:
        why = reasons(notice for notice in notices if notice.kind == "left-out")
        text = f"{some(scores.measures, 'measure')}, none of which ranks runs{why}"
        raise InputError(text, f"one that does, on at least {counted(least, 'topic')}")
    return made, tuple(notices)


def unknown_to_any(
    sets: Sequence[Scores], measure: str, turned: bool = True
) -> tuple[set[str], list[Notice]]:
    """The topics for which a measure is undefined in one of the sets; and what else is to be said
    of it.
    """
    seen = [measured(one, measure, turned) for one in sets]
    unknown = {one.topics[t] for one in seen for t in np.flatnonzero(~one.defined)}
    return unknown, [notice for notice in seen[0].notices if notice.kind != "undefined"]


def refuse_one_run(scores: Scores) -> None:
    """Fewer runs than can be compared."""
    if len(scores.runs) < 2:
        raise InputError(counted(len(scores.runs), "run"), "at least 2")


def direction(scores: Scores, measure: str) -> float:
    """1, or −1 if lower scores are better."""
    return -1.0 if scores.better[_place(scores, measure)] == "lower" else 1.0


def undefined(measure: str, topics: Sequence[str]) -> Notice:
    """That topics are left out of a measure."""
    text = f"{measure}: {some(topics, 'topic')} left out, where it is undefined for a run"
    return Notice("undefined", text, topics=tuple(topics))


def left_out(measure: str, why: str) -> Notice:
    """That a measure is left out."""
    return Notice("left-out", f"{measure} is left out: {why}")


def reasons(notices: Iterable[Notice]) -> str:
    """Why measures were left out, in parentheses, after a sentence; nothing if none were.

    >>> reasons([left_out("NumRet", "neither end is better")])
    ' (NumRet is left out: neither end is better)'
    """
    why = "; ".join(notice.text for notice in notices)
    return f" ({why})" if why else ""


def _place(scores: Scores, measure: str) -> int:
    if measure not in scores.measures:
        raise InputError(f"scores without {measure}", f"one of {', '.join(scores.measures)}")
    return scores.measures.index(measure)
