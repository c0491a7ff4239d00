"""How much fits into a page that is mailed, and what is left out of it where it is too much."""

from __future__ import annotations

from math import comb, inf

from cranfield.dataclass import dataclass

UNLIMITED = 1_000_000_000
MAX_RELEVANT = 100  # documents of a topic that are shown, be there room for more
COMPLETE = "--complete (complete=True) shows all"


@dataclass(frozen=True)
class Limits:
    """The most that a page holds; one of 100 runs, 250 topics and 10 measures has nearly all."""

    scores: float = 400_000  # runs × topics × measures
    pairs: float = 60_000  # pairs × measures
    bounds: float = 600  # pairs × measures, each of which takes milliseconds
    lists: float = 4_000_000  # characters of lists in all
    answers: float = 3_000_000  # characters of answers, and what was judged of them, in all
    relevant: float = 250_000  # runs × topics × relevant documents, shown wherever runs have them
    text: float = 2_000_000  # characters of documents in all,
    snippet: int = 300  # and of each
    disagreements: int = 500  # documents about which two sets of judgments disagree
    walks: int = 12  # runs whose users' walks are drawn

    @classmethod
    def from_complete(cls, complete: bool) -> Limits:
        """The usual ones, or none."""
        if not complete:
            return cls()
        return cls(inf, inf, inf, inf, inf, inf, inf, UNLIMITED, UNLIMITED, UNLIMITED)

    def count_relevant(self, runs: int, topics: int) -> int:
        """How many relevant documents of each topic are shown: one at least."""
        if self.relevant == inf:
            return int(UNLIMITED)
        return max(1, min(MAX_RELEVANT, int(self.relevant // max(1, runs * topics))))

    def allows_all_bounds(self, runs: int, measures: int) -> bool:
        """Whether the bounds of all differences can be computed."""
        return comb(runs, 2) * measures <= self.bounds

    def count_measures(self, runs: int, topics: int, measures: int) -> int:
        """Of how many measures the scores of topics are shown: of one at least."""
        return max(1, min(measures, int(min(self.scores, UNLIMITED) // max(1, runs * topics))))

    def count_tested(self, runs: int, measures: int) -> int:
        """Of how many measures the pairs are shown."""
        return min(measures, int(min(self.pairs, UNLIMITED) // max(1, comb(runs, 2))))
