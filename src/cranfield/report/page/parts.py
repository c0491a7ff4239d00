"""The scores of a page: those of lists and those of answers, side by side.

Each part keeps the runs, topics and rules of its own: means, tests and notices are as if it were
alone. Runs belong together if they have the same name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import nan
from typing import Any

import numpy as np

from cranfield.dataclass import dataclass
from cranfield.scores import Notice, Scores
from cranfield.stats.measured import without_errors
from cranfield.wording import counted, some

UNMATCHED = "unmatched"


@dataclass(frozen=True, eq=False)
class Parts:
    """One set of scores, or several by different measures."""

    given: Sequence[Scores]
    confidence: float  # that of intervals

    @cached_property
    def each(self) -> list[Scores]:
        """The scores that are shown: no standard errors, which are of others."""
        return [without_errors(one) for one in self.given]

    @cached_property
    def _places(self) -> list[tuple[int, int]]:
        """The part of each measure, and its place there."""
        return [(p, i) for p, one in enumerate(self.each) for i in range(len(one.measures))]

    def number(self, m: int) -> int:
        """The part that a measure is in."""
        return self._places[m][0]

    def of(self, m: int) -> Scores:
        """The scores of the part that a measure is in."""
        return self.each[self.number(m)]

    @cached_property
    def joined(self) -> Scores:
        """All of them, not a number where a part does not know a run or a topic."""
        if len(self.each) == 1:
            return self.each[0]
        runs = [*dict.fromkeys(run for one in self.each for run in one.runs)]
        topics = [*dict.fromkeys(topic for one in self.each for topic in one.topics)]
        values = np.full((len(runs), len(topics), len(self._places)), nan)
        first = 0
        for one in self.each:
            last = first + len(one.measures)
            places = _index(runs, one.runs), _index(topics, one.topics)
            values[np.ix_(*places, range(first, last))] = one.values
            first = last
        return Scores(
            values,
            tuple(runs),
            tuple(topics),
            tuple(name for one in self.each for name in one.measures),
            tuple(summary for one in self.each for summary in one.summaries),
            "skip",
            better=tuple(better for one in self.each for better in one.better),
        )

    @cached_property
    def in_all(self) -> Scores:
        """Those of the runs that every part has."""
        common = [run for run in self.joined.runs if all(run in one.runs for one in self.each)]
        return self.joined.select(runs=common) if common else self.joined

    # -- over topics ------------------------------------------------------------------------------

    def mean(self, m: int, run: str) -> float:
        """The mean of a run by a measure, or whatever else sums up its topics."""
        return float(self._summaries[self.number(m)].get(run, {}).get(self._name(m), nan))

    def interval(self, m: int, run: str) -> Any:
        """The interval of the mean of a run, if there is one."""
        if self.joined.summaries[m] == "sum":  # intervals are of means
            return None
        return self._intervals[self.number(m)].get(run, {}).get(self._name(m))

    def _name(self, m: int) -> str:
        return self.joined.measures[m]

    @cached_property
    def _summaries(self) -> list[Mapping[str, Mapping[str, float]]]:
        return [one.summary() for one in self.each]

    @cached_property
    def _intervals(self) -> list[Mapping[str, Any]]:
        return [one.interval("t", confidence=self.confidence) for one in self.each]

    # -- what is said -----------------------------------------------------------------------------

    @property
    def over(self) -> str:
        """How many topics there are, by all measures or by those of each part."""
        many = [counted(len(one.topics), "topic") for one in self.each]
        if len({one.topics for one in self.each}) == 1:
            return many[0]
        by = [f"{n} by {', '.join(one.measures)}" for n, one in zip(many, self.each, strict=True)]
        return "; ".join(by)

    def unmatched(self) -> Iterator[Notice]:
        """The runs, and topics, that lists and answers do not have in common."""
        if len(self.each) < 2:
            return
        lists, answers = self.each
        how = "those of the same name belong together"
        both = [run for run in lists.runs if run in answers.runs]
        if not both:
            named = f"runs {_few(lists.runs)}, answers {_few(answers.runs)}"
            yield Notice(UNMATCHED, f"no run has both lists and answers ({named}): {how}")
        else:
            for one, other, lacks in ((lists, answers, "answers"), (answers, lists, "lists")):
                if alone := [run for run in one.runs if run not in other.runs]:
                    yield Notice(UNMATCHED, f"{some(alone, 'run')} without {lacks}: {how}")
        if not set(lists.topics) & set(answers.topics):
            named = f"topics of lists {_few(lists.topics)}, of answers {_few(answers.topics)}"
            yield Notice(UNMATCHED, f"no topic has both lists and answers ({named})")


def _index(names: Sequence[str], wanted: Sequence[str]) -> list[int]:
    place = {name: i for i, name in enumerate(names)}
    return [place[name] for name in wanted]


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
