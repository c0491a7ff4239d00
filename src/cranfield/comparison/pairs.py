"""Signs, verdicts and notes of tested pairs of runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

import numpy as np

from cranfield.arrays import TOLERANCE, subtract_rounded
from cranfield.scores import Note
from cranfield.stats.families import PairTest, name_subjects
from cranfield.stats.notes import merge_notes, note_trials
from cranfield.stats.samples import Matrix

Verdict: TypeAlias = Literal["better", "worse", ""]
_PAIRS_PER_BLOCK = 4096  # pairs whose differences are in memory together


def count_signs(part: Matrix, pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Count the topics on which the first run of each pair scores higher, and lower."""
    for begin in range(0, len(pairs), _PAIRS_PER_BLOCK):
        first, second = np.array(pairs[begin : begin + _PAIRS_PER_BLOCK]).T
        z = subtract_rounded(part.values[:, first], part.values[:, second], TOLERANCE * part.scale)
        yield from zip((z > 0).sum(axis=0).tolist(), (z < 0).sum(axis=0).tolist(), strict=True)


def count_wins(signs: tuple[int, int], topics: int, better: str) -> tuple[int, int, int]:
    """Return wins, ties and losses from the numbers of topics with higher and lower scores.

    >>> count_wins((3, 1), 5, "higher"), count_wins((3, 1), 5, "lower")
    ((3, 1, 1), (1, 1, 3))
    """
    won, lost = signs[::-1] if better == "lower" else signs
    return won, topics - won - lost, lost


def choose_verdict(tested: PairTest, signs: tuple[int, int], alpha: float, better: str) -> Verdict:
    """Return whether the first run of a pair is significantly better or worse."""
    if tested.pvalue_at(alpha) > alpha or better == "neither":
        return ""
    # The sign of the estimate of the test. If it is 0 (a median), the sign of the wins.
    direction = tested.outcome.difference or signs[0] - signs[1]
    return "better" if (-direction if better == "lower" else direction) > 0 else "worse"


def collect_pair_notes(measure: str, part: Matrix, tested: Sequence[PairTest], alpha: float) -> tuple[Note, ...]:
    """Collect the notes of the tests, each kind once.

    Whether there are too few trials depends on the significance level.
    """
    notes: list[tuple[PairTest, list[Note]]] = []
    for pair in tested:
        sampled = pair.outcome.sampled
        useless = {"trials"} | ({"few-topics", "far"} if pair.is_hopeless(alpha) else set())
        useless |= {"far"} if pair.pvalue <= alpha else set()  # only for undecided pairs
        of_pair = [note for note in pair.outcome.notes if note.kind not in useless]
        if sampled is not None and not pair.is_hopeless(alpha):
            of_pair += note_trials(sampled, alpha, pair.pvalue)
        notes.append((pair, of_pair))
    return merge_notes(name_subjects(measure, part.systems, notes), "pair")
