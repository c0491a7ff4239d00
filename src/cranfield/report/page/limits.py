"""Limits of the size of an HTML report that is sent by mail."""

from __future__ import annotations

from math import comb, inf

from cranfield.dataclass import dataclass

UNLIMITED = 1_000_000_000
MAX_RELEVANT = 100  # documents per topic, even if there is space for more
COMPLETE = "To show all, use --complete (complete=True)"


@dataclass(frozen=True)
class Limits:
    """Maximum sizes of the parts of a report.

    A report of 100 runs, 250 topics and 10 measures is almost complete.
    """

    scores: float = 400_000  # runs × topics × measures
    pairs: float = 60_000  # pairs × measures
    bounds: float = 600  # pairs × measures, milliseconds each
    lists: float = 4_000_000  # characters of all rankings
    answers: float = 3_000_000  # characters of all answers and their judgments
    relevant: float = 250_000  # runs × topics × relevant documents at any rank
    text: float = 2_000_000  # characters of all documents
    snippet: int = 300  # characters per document
    disagreements: int = 500  # documents with different levels in two qrels
    walks: int = 12  # runs per user model in the figure

    @classmethod
    def from_complete(cls, complete: bool) -> Limits:
        """Return the default limits, or no limits for a complete report."""
        if not complete:
            return cls()
        return cls(inf, inf, inf, inf, inf, inf, inf, UNLIMITED, UNLIMITED, UNLIMITED)

    def count_relevant(self, runs: int, topics: int) -> int:
        """Return the number of relevant documents shown per topic, at least 1."""
        if self.relevant == inf:
            return int(UNLIMITED)
        return max(1, min(MAX_RELEVANT, int(self.relevant // max(1, runs * topics))))

    def allows_all_bounds(self, runs: int, measures: int) -> bool:
        """Return True if the bounds of all differences can be computed."""
        return comb(runs, 2) * measures <= self.bounds

    def count_measures(self, runs: int, topics: int, measures: int) -> int:
        """Return the number of measures with scores per topic, at least 1."""
        return max(1, min(measures, int(min(self.scores, UNLIMITED) // max(1, runs * topics))))

    def count_tested(self, runs: int, measures: int) -> int:
        """Return the number of measures with pairs of runs."""
        return min(measures, int(min(self.pairs, UNLIMITED) // max(1, comb(runs, 2))))
