"""Scores of one measure, selected and transformed for statistical tests."""

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
    """Scores of a measure: `values` [topics, runs] and `defined` [topics].

    A measure is defined for a topic if every run has a score. `notes` describe the transformations
    and the topics that `matrix` excludes.
    """

    measure: str
    values: Floats
    defined: Bools
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    notes: tuple[Note, ...]

    @property
    def matrix(self) -> Matrix:
        """Topics for which the measure is defined for every run."""
        defined_topics = tuple(self.topics[t] for t in np.flatnonzero(self.defined))
        return Matrix(self.values[self.defined], self.runs, defined_topics)


def extract_measure(scores: Scores, measure: str, turned: bool = True) -> MeasureScores:
    """Extract the scores of a measure for tests.

    Scores summarised by the geometric mean become logarithms. If lower is better, `turned` negates
    the scores, so that higher is always better.

    >>> scores = Scores([[[0.5], [np.nan]], [[0.4], [0.3]]], "ab", "12", ["RNOD"], ["mean"],
    ...                 better=["lower"])
    >>> rnod = extract_measure(scores, "RNOD")
    >>> rnod.matrix.values.tolist(), [note.text for note in rnod.notes][1]
    ([[-0.5, -0.4]], 'RNOD: 1 topic (2) excluded, undefined for a run')
    """
    m = _find_measure(scores, measure)
    values, notes = scores.values[:, :, m].T, []
    if scores.summaries[m] == "gmean":
        values = np.log(np.maximum(values, FLOOR))
        text = f"{measure}: logarithms are compared, because the mean is geometric"
        notes.append(Note("logarithms", text))
    if turned and scores.better[m] == "lower":
        values = -values
        text = f"{measure}: lower is better, so its scores are negated"
        notes.append(Note("turned-round", text))
    defined = np.logical_and.reduce(np.isfinite(values), axis=1)
    if not defined.all():
        notes.append(note_undefined(measure, [scores.topics[t] for t in np.flatnonzero(~defined)]))
    return MeasureScores(measure, values, defined, scores.runs, scores.topics, tuple(notes))


def drop_standard_errors(scores: Scores) -> Scores:
    """Return the scores without the columns with standard errors of other measures."""
    measures = [m for m, s in zip(scores.measures, scores.summaries, strict=True) if s != "se"]
    if not measures:
        raise InputError.from_problem(f"only standard errors ({', '.join(scores.measures)}), no measure")
    return scores.select(measures=measures)


def find_ranking_measures(scores: Scores, names: Sequence[str] | None = None) -> tuple[list[str], tuple[Note, ...]]:
    """Return the measures with a better end, and notes about the others.

    Standard errors are no measures. `names` restricts the measures.

    >>> scores = Scores([[[0.5, 10]]], ["bm25"], ["1"], ["AP", "NumRet"], ["mean", "sum"])
    >>> measures, [note] = find_ranking_measures(scores)
    >>> measures, note.text
    (['AP'], 'NumRet excluded: neither high nor low values are better')
    """
    measures, notes = [], []
    for measure in scores.measures if names is None else names:
        m = _find_measure(scores, measure)
        if scores.summaries[m] == "se":
            continue
        if scores.better[m] == "neither":
            notes.append(note_excluded(measure, "neither high nor low values are better"))
        else:
            measures.append(measure)
    return measures, tuple(notes)


def split_by_measure(scores: Scores, least: int = 2) -> tuple[dict[str, Matrix], tuple[Note, ...]]:
    """Return the scores of each measure that ranks runs; higher is always better.

    Measures with fewer than `least` topics are excluded. The notes start with the notes of
    `scores`.

    >>> scores = Scores([[[0.5], [0.1]], [[0.4], [0.3]]], "ab", "12", ["AP"], ["mean"])
    >>> split_by_measure(scores)[0]["AP"].values.tolist()
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
            reason = f"defined for only {format_count(len(matrix.topics), 'topic')}"
            notes.append(note_excluded(measure, reason))
        else:
            matrices[measure] = matrix
    if not matrices:
        reason = format_reasons(note for note in notes if note.kind == "left-out")
        text = f"{format_names(scores.measures, 'measure')} cannot rank runs{reason}"
        topics_text = format_count(least, "topic")
        fix = f"Use a measure with a better end and at least {topics_text}."
        raise InputError.from_problem(text, fix)
    return matrices, tuple(notes)


def find_undefined_topics(sets: Sequence[Scores], measure: str, turned: bool = True) -> tuple[set[str], list[Note]]:
    """Return topics for which a measure is undefined in a set, and other notes."""
    extracted = [extract_measure(part, measure, turned) for part in sets]
    undefined_topics = {part.topics[t] for part in extracted for t in np.flatnonzero(~part.defined)}
    return undefined_topics, [note for note in extracted[0].notes if note.kind != "undefined"]


def check_run_count(scores: Scores) -> None:
    """Raise an error if there are fewer than two runs to compare."""
    if len(scores.runs) < 2:
        raise InputError(format_count(len(scores.runs), "run"), "at least 2")


def get_sign(scores: Scores, measure: str) -> float:
    """Return 1, or −1 if lower scores are better."""
    return -1.0 if scores.better[_find_measure(scores, measure)] == "lower" else 1.0


def note_undefined(measure: str, topics: Sequence[str]) -> Note:
    """Note that topics are excluded from a measure."""
    text = f"{measure}: {format_names(topics, 'topic')} excluded, undefined for a run"
    return Note("undefined", text, topics=tuple(topics))


def note_excluded(measure: str, reason: str) -> Note:
    """Note that a measure is excluded."""
    return Note("left-out", f"{measure} excluded: {reason}")


def format_reasons(notes: Iterable[Note]) -> str:
    """Return the reasons for excluded measures in parentheses, or "" without notes.

    >>> format_reasons([note_excluded("NumRet", "neither end is better")])
    ' (NumRet excluded: neither end is better)'
    """
    texts = "; ".join(note.text for note in notes)
    return f" ({texts})" if texts else ""


def _find_measure(scores: Scores, measure: str) -> int:
    if measure not in scores.measures:
        raise InputError(f"scores without {measure}", f"one of {', '.join(scores.measures)}")
    return scores.measures.index(measure)
