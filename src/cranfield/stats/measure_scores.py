"""What tests see of a measure: its scores where all runs have one, turned and transformed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.scores import FLOOR, Note, Scores
from cranfield.stats.samples import Matrix, check_topic_count
from cranfield.wording import format_count, format_names


@dataclass(frozen=True, eq=False)
class MeasureScores:
    """The scores of a measure: `values` [topics, runs], `defined` where every run has one.

    `notes` say what was done to them, and which topics `matrix` is without.
    """

    measure: str
    values: Floats
    defined: Bools
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    notes: tuple[Note, ...]

    @property
    def matrix(self) -> Matrix:
        """The topics for which the measure is defined."""
        defined_topics = tuple(self.topics[t] for t in np.flatnonzero(self.defined))
        return Matrix(self.values[self.defined], self.runs, defined_topics)


def extract_measure(scores: Scores, measure: str, turned: bool = True) -> MeasureScores:
    """The scores of a measure, as tests see them.

    Where the mean is geometric they are logarithms, and `turned` gives them the other sign if
    lower is better, so that the higher one always is.

    >>> scores = Scores([[[0.5], [np.nan]], [[0.4], [0.3]]], "ab", "12", ["RNOD"], ["mean"],
    ...                 better=["lower"])
    >>> found = measured(scores, "RNOD")
    >>> found.matrix.values.tolist(), [notice.text for notice in found.notes][1]
    ([[-0.5, -0.4]], 'RNOD: 1 topic (2) left out, where it is undefined for a run')
    """
    m = _find_measure(scores, measure)
    values, notes = scores.values[:, :, m].T, []
    if scores.summaries[m] == "gmean":
        values = np.log(np.maximum(values, FLOOR))
        text = f"{measure}: compared by logarithms, as its mean is geometric: differences are too"
        notes.append(Note("logarithms", text))
    if turned and scores.better[m] == "lower":
        values = -values
        text = f"{measure} is better if lower: its scores are taken with the other sign"
        notes.append(Note("turned-round", text))
    defined = np.logical_and.reduce(np.isfinite(values), axis=1)
    if not defined.all():
        notes.append(note_undefined(measure, [scores.topics[t] for t in np.flatnonzero(~defined)]))
    return MeasureScores(measure, values, defined, scores.runs, scores.topics, tuple(notes))


def drop_standard_errors(scores: Scores) -> Scores:
    """The scores without the columns that are standard errors of others."""
    measures = [m for m, s in zip(scores.measures, scores.summaries, strict=True) if s != "se"]
    if not measures:
        raise InputError(f"standard errors only ({', '.join(scores.measures)})", "a measure")
    return scores.select(measures=measures)


def find_ranking_measures(
    scores: Scores, names: Sequence[str] | None = None
) -> tuple[list[str], tuple[Note, ...]]:
    """The measures, all or those named, of which one end is better; notices are of the others.

    Standard errors, which are of other measures, are none.

    >>> scores = Scores([[[0.5, 10]]], ["bm25"], ["1"], ["AP", "NumRet"], ["mean", "sum"])
    >>> found, [notice] = ranking(scores)
    >>> found, notice.text
    (['AP'], 'NumRet is left out: neither high nor low values of it are better')
    """
    measures, notes = [], []
    for measure in scores.measures if names is None else names:
        m = _find_measure(scores, measure)
        if scores.summaries[m] == "se":
            continue
        if scores.better[m] == "neither":
            notes.append(note_excluded(measure, "neither high nor low values of it are better"))
        else:
            measures.append(measure)
    return measures, tuple(notes)


def split_by_measure(scores: Scores, least: int = 2) -> tuple[dict[str, Matrix], tuple[Note, ...]]:
    """The scores of each measure that ranks runs, on at least so many topics: the higher the
    better. The notices begin with those of the scores.

    >>> scores = Scores([[[0.5], [0.1]], [[0.4], [0.3]]], "ab", "12", ["AP"], ["mean"])
    >>> by_measure(scores)[0]["AP"].values.tolist()
    [[0.5, 0.4], [0.1, 0.3]]
    """
    check_run_count(scores)
    check_topic_count(len(scores.topics), least)
    names, excluded = find_ranking_measures(drop_standard_errors(scores))
    notes = [*scores.notes, *excluded]
    matrices: dict[str, Matrix] = {}
    for measure in names:
        extracted = extract_measure(scores, measure)
        notes += extracted.notes
        matrix = extracted.matrix
        if len(matrix.topics) < least:
            reason = f"defined for {format_count(len(matrix.topics), 'topic')} only"
            notes.append(note_excluded(measure, reason))
        else:
            matrices[measure] = matrix
    if not matrices:
        reason = format_reasons(note for note in notes if note.kind == "left-out")
        text = f"{format_names(scores.measures, 'measure')}, none of which ranks runs{reason}"
        raise InputError(text, f"one that does, on at least {format_count(least, 'topic')}")
    return matrices, tuple(notes)


def find_undefined_topics(
    sets: Sequence[Scores], measure: str, turned: bool = True
) -> tuple[set[str], list[Note]]:
    """The topics for which a measure is undefined in one of the sets; and what else is to be said
    of it.
    """
    extracted = [extract_measure(part, measure, turned) for part in sets]
    undefined_topics = {part.topics[t] for part in extracted for t in np.flatnonzero(~part.defined)}
    return undefined_topics, [note for note in extracted[0].notes if note.kind != "undefined"]


def check_run_count(scores: Scores) -> None:
    """Fewer runs than can be compared."""
    if len(scores.runs) < 2:
        raise InputError(format_count(len(scores.runs), "run"), "at least 2")


def get_sign(scores: Scores, measure: str) -> float:
    """1, or −1 if lower scores are better."""
    return -1.0 if scores.better[_find_measure(scores, measure)] == "lower" else 1.0


def note_undefined(measure: str, topics: Sequence[str]) -> Note:
    """That topics are left out of a measure."""
    text = f"{measure}: {format_names(topics, 'topic')} left out, where it is undefined for a run"
    return Note("undefined", text, topics=tuple(topics))


def note_excluded(measure: str, reason: str) -> Note:
    """That a measure is left out."""
    return Note("left-out", f"{measure} is left out: {reason}")


def format_reasons(notes: Iterable[Note]) -> str:
    """Why measures were left out, in parentheses, after a sentence; nothing if none were.

    >>> reasons([left_out("NumRet", "neither end is better")])
    ' (NumRet is left out: neither end is better)'
    """
    texts = "; ".join(note.text for note in notes)
    return f" ({texts})" if texts else ""


def _find_measure(scores: Scores, measure: str) -> int:
    if measure not in scores.measures:
        raise InputError(f"scores without {measure}", f"one of {', '.join(scores.measures)}")
    return scores.measures.index(measure)
