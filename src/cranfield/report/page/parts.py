"""Scores of rankings and scores of answers in one HTML report.

Each part has its own runs, topics and rules: means, tests and notes are computed separately. Runs
with the same name belong together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import nan
from typing import Any

import numpy as np

from cranfield.dataclass import dataclass
from cranfield.scores import Note, Scores
from cranfield.stats.measure_scores import drop_standard_errors
from cranfield.wording import format_count, format_names

UNMATCHED = "unmatched"


@dataclass(frozen=True, eq=False)
class ScoreParts:
    """One set of scores, or several sets with different measures."""

    scores_list: Sequence[Scores]
    confidence: float  # of intervals

    @cached_property
    def parts(self) -> list[Scores]:
        """Scores of each part, without standard errors."""
        return [drop_standard_errors(scores) for scores in self.scores_list]

    @cached_property
    def _places(self) -> list[tuple[int, int]]:
        """Part of each measure, and its position in the part."""
        return [(p, i) for p, part in enumerate(self.parts) for i in range(len(part.measures))]

    def get_part_index(self, m: int) -> int:
        """Return the index of the part with a measure."""
        return self._places[m][0]

    def get_part(self, m: int) -> Scores:
        """Return the scores of the part with a measure."""
        return self.parts[self.get_part_index(m)]

    @cached_property
    def joined(self) -> Scores:
        """All scores. NaN if a part lacks a run or a topic."""
        if len(self.parts) == 1:
            return self.parts[0]
        runs = [*dict.fromkeys(run for part in self.parts for run in part.runs)]
        topics = [*dict.fromkeys(topic for part in self.parts for topic in part.topics)]
        values = np.full((len(runs), len(topics), len(self._places)), nan)
        first = 0
        for part in self.parts:
            last = first + len(part.measures)
            places = _find_indices(runs, part.runs), _find_indices(topics, part.topics)
            values[np.ix_(*places, range(first, last))] = part.values
            first = last
        return Scores(
            values,
            tuple(runs),
            tuple(topics),
            tuple(name for part in self.parts for name in part.measures),
            tuple(summary for part in self.parts for summary in part.summaries),
            "skip",
            better=tuple(better for part in self.parts for better in part.better),
        )

    @cached_property
    def common(self) -> Scores:
        """Scores of the runs that all parts have."""
        runs = [run for run in self.joined.runs if all(run in part.runs for part in self.parts)]
        return self.joined.select(runs=runs) if runs else self.joined

    # -- over topics ------------------------------------------------------------------------------

    def get_mean(self, m: int, run: str) -> float:
        """Return the mean, or other summary, of a run by a measure."""
        return float(self._summaries[self.get_part_index(m)].get(run, {}).get(self._get_measure_name(m), nan))

    def get_interval(self, m: int, run: str) -> Any:
        """Return the interval of the mean of a run, if there is one."""
        if self.joined.summaries[m] == "sum":  # only means have intervals
            return None
        return self._intervals[self.get_part_index(m)].get(run, {}).get(self._get_measure_name(m))

    def _get_measure_name(self, m: int) -> str:
        return self.joined.measures[m]

    @cached_property
    def _summaries(self) -> list[Mapping[str, Mapping[str, float]]]:
        return [part.summary() for part in self.parts]

    @cached_property
    def _intervals(self) -> list[Mapping[str, Any]]:
        return [part.interval("t", confidence=self.confidence) for part in self.parts]

    # -- text -----------------------------------------------------------------------------

    @property
    def topics_text(self) -> str:
        """Number of topics, by measure if the parts differ."""
        counts = [format_count(len(part.topics), "topic") for part in self.parts]
        if len({part.topics for part in self.parts}) == 1:
            return counts[0]
        texts = [f"{n} by {', '.join(part.measures)}" for n, part in zip(counts, self.parts, strict=True)]
        return "; ".join(texts)

    def note_unmatched(self) -> Iterator[Note]:
        """Yield notes about runs and topics that rankings and answers do not share."""
        if len(self.parts) < 2:
            return
        rankings, answers = self.parts
        advice = "runs and answers are matched by name"
        common = [run for run in rankings.runs if run in answers.runs]
        if not common:
            names = f"runs {_format_first(rankings.runs)}, answers {_format_first(answers.runs)}"
            yield Note(UNMATCHED, f"no run has both rankings and answers ({names}): {advice}")
        else:
            sides = (rankings, answers, "answers"), (answers, rankings, "rankings")
            for part, other_part, lacks in sides:
                if unmatched_runs := [run for run in part.runs if run not in other_part.runs]:
                    yield Note(UNMATCHED, f"{format_names(unmatched_runs, 'run')} without {lacks}: {advice}")
        if not set(rankings.topics) & set(answers.topics):
            topics = _format_first(rankings.topics)
            names = f"topics of rankings {topics}, of answers {_format_first(answers.topics)}"
            yield Note(UNMATCHED, f"no topic has both rankings and answers ({names})")


def _find_indices(names: Sequence[str], selection: Sequence[str]) -> list[int]:
    place = {name: i for i, name in enumerate(names)}
    return [place[name] for name in selection]


def _format_first(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
