"""Data of the HTML report of a suite: an overview, and a report of scores for each collection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from cranfield.comparison.suite_tables import describe_size, write_answer
from cranfield.comparison.suites import Suite
from cranfield.comparison.systems import SystemRuns
from cranfield.dataclass import dataclass
from cranfield.report.page.contents import ReportData
from cranfield.report.page.definitions import build_definition
from cranfield.report.page.limits import Limits
from cranfield.report.page.numbers import round_number, round_numbers
from cranfield.scores import Note, Scores
from cranfield.stats.corrections import CORRECTIONS
from cranfield.tables import format_percent, format_ranks
from cranfield.wording import format_count, format_names

FOREST = ("system", "other", "collection", "topics", "difference", "low", "high", "weight")
RUNS = ("system", "macro mean", "low", "high", "mean rank", "best", "ranks")
PAIRS = ("system", "other", "difference", "low", "high", "p", "like these low", "like these high", "further low",
         "further high", "I²", "τ", "wins", "ties", "losses", "verdict")  # fmt: skip
MIXED = "Different measures on different collections."


@dataclass(frozen=True, eq=False)
class SuiteData:
    """Data of an HTML report of a suite."""

    result: Suite
    title: str
    limits: Limits
    provenance: Sequence[Mapping[str, str]] = ()
    input_files: Sequence[str] = ()

    @cached_property
    def data(self) -> dict[str, Any]:
        """Complete data of the report."""
        reports = [{"name": name, "report": self._build_collection(name)} for name in self.result.scores]
        return {"overview": self._build_overview(), "collections": reports}

    @property
    def notes(self) -> tuple[Note, ...]:
        """Omissions on the pages of collections."""
        omitted = {text: None for part in self.data["collections"] for text in part["report"]["left_out"]}
        return tuple(Note("left-out", text) for text in omitted)

    def describe_size(self) -> str:
        """Return the numbers of systems, collections and measures."""
        return f"{describe_size(self.result)} × {format_count(len(self.result.measures), 'measure')}"

    # -- collections ------------------------------------------------------------------------------

    def _build_collection(self, name: str) -> dict[str, Any]:
        result = self.result
        options = {"correction": result.correction, "test": "t", "alpha": result.alpha}
        scores = self._average_runs(result.scores[name])
        return ReportData([scores], name, self.limits, options, provenance=self.provenance).data

    def _average_runs(self, scores: Scores) -> Scores:
        """Return means over the runs of each system, with a note."""
        seeds = {name: len(runs) for name, runs in self.result.systems.items() if len(runs) > 1}
        if not seeds:
            return replace(scores, systems={})
        text = f"{format_names([*seeds], 'system')}: means over seeds. Intervals and tests hold for these seeds"
        average = SystemRuns(scores, self.result.systems, "fixed").average()
        return replace(average, notes=(*average.notes, Note("seeds", text)))

    # -- overview ---------------------------------------------------------------------------------

    def _build_overview(self) -> dict[str, Any]:
        result = self.result
        return {
            "title": self.title,
            "answer": write_answer(result).splitlines(),
            "leads": [0],
            "notices": [{"kind": kind, "texts": texts} for kind, texts in self._group_notes().items()],
            "runs": [{"name": name} for name in result.means.runs],
            "topics": [],
            "measures": [*map(self._build_definition, range(len(result.measures)))],
            "scores": [None] * len(result.measures),
            "over": f"{format_count(len(result.collections), 'collection')} (macro means)",
            "t": [],
            "board": [self._build_board(measure) for measure in result.measures],
            "pairs": [None] * len(result.measures),
            "agreement": None,
            "collection": [*self._describe_suite()],
            "buckets": None,
            "lists": None,
            "answers": None,
            "sections": [*self._build_sections()],
            "reproduce": [*self.provenance, {"label": "seed", "value": str(result.seed)}],
            "left_out": [],
        }

    def _group_notes(self) -> dict[str, list[str]]:
        groups: dict[str, list[str]] = {}
        for note in self.result.notes:
            groups.setdefault(note.kind, []).append(note.text)
        return groups

    def _build_definition(self, m: int) -> dict[str, Any]:
        means = self.result.means
        entry = build_definition(means.measures[m], means.summaries[m], means.better[m], None)
        is_mixed = len({scores.measures[m] for scores in self.result.scores.values()}) > 1
        return entry | {"answers": False, **({"title": MIXED} if is_mixed else {})}

    def _build_board(self, measure: str) -> dict[str, Any]:
        rows = {row.run: row for row in self.result.runs if row.measure == measure}
        ordered = [rows[name] for name in self.result.means.runs]
        return {
            "means": round_numbers(row.mean for row in ordered),
            "low": round_numbers(row.low for row in ordered),
            "high": round_numbers(row.high for row in ordered),
            "letters": [""] * len(ordered),
            "confidence": round_number(1 - self.result.alpha),
            "test": "",
        }

    def _describe_suite(self) -> Iterator[dict[str, str]]:
        result = self.result
        topics = {cell.collection: cell.topics for cell in result.cells}
        yield {"label": "Collections", "value": f"{len(topics):,}", "note": format_names([*topics], "collection")}
        yield {"label": "Topics", "value": f"{sum(topics.values()):,}"}
        runs = format_count(sum(map(len, result.systems.values())), "run")
        yield {"label": "Systems", "value": f"{len(result.systems):,}", "note": runs}
        if result.seeds:
            meaning = {"random": "other seeds", "fixed": "these seeds"}[result.seeds]
            yield {"label": "Seeds", "value": result.seeds, "note": f"intervals hold for {meaning}"}

    # -- sections ---------------------------------------------------------------------------------

    def _build_sections(self) -> Iterator[dict[str, Any]]:
        result, confidence = self.result, format_percent(1 - self.result.alpha)
        correction = CORRECTIONS[result.correction].title
        comparisons = format_count(len(result.pairs) // len(result.measures), "comparison")
        texts = {
            "Collections": "Means of all systems on all collections.",
            "Differences": f"Differences on each collection with {confidence} intervals. Weight: in the pooled "
            "difference, in which large collections have more weight.",
            "Pairs of systems": f"Differences of macro means with {confidence} intervals for other topics of these "
            f"collections, p with {correction} for {comparisons}, intervals for the mean of collections like these "
            "and for one further collection, and heterogeneity.",
            "Ranks": f"Mean rank over collections. Best: fraction of {result.trials:,} resamples with the best macro "
            f"mean, and {confidence} interval of the rank. These are fractions of resamples, not probabilities.",
        }
        builders = (self._list_cells, self._list_differences, self._list_pairs, self._list_ranks)
        for (title, text), list_table in zip(texts.items(), builders, strict=True):
            yield self._build_section(title.partition(" ")[0].lower(), title, text, list_table)

    def _build_section(self, id: str, title: str, text: str, list_table: Any) -> dict[str, Any]:
        """Build a section with a table for each measure."""
        several = len(self.result.measures) > 1
        tables = [{"title": m if several else "", **list_table(m)} for m in self.result.measures]
        return {"id": id, "title": title, "text": text, "tables": tables}

    def _list_cells(self, measure: str) -> dict[str, Any]:
        means, m = self.result.means, self.result.measures.index(measure)
        rows = [row for row in self.result.runs if row.measure == measure]
        cells = [
            [row.run, *round_numbers(means.values[means.runs.index(row.run), :, m].tolist()), round_number(row.mean)]
            for row in rows
        ]
        return {"columns": ["system", *means.topics, "macro mean"], "rows": cells}

    def _list_differences(self, measure: str) -> dict[str, Any]:
        rows = [
            [row.run, row.other, row.collection, row.topics,
             *round_numbers((row.difference, row.low, row.high, row.weight))]
            for row in self.result.forest if row.measure == measure
        ]  # fmt: skip
        return {"columns": [*FOREST], "rows": rows, "drawn": [4, 5, 6]}

    def _list_pairs(self, measure: str) -> dict[str, Any]:
        rows = [
            [row.run, row.other, *round_numbers((
                row.difference, row.low, row.high, row.pvalue, row.further_low, row.further_high, row.prediction_low,
                row.prediction_high, row.i2, row.tau)), row.wins, row.ties, row.losses, row.verdict or "–"]
            for row in self.result.pairs if row.measure == measure
        ]  # fmt: skip
        return {"columns": [*PAIRS], "rows": rows, "drawn": [2, 3, 4]}

    def _list_ranks(self, measure: str) -> dict[str, Any]:
        rows = [
            [row.run, *round_numbers((row.mean, row.low, row.high, row.mean_rank, row.best)),
             format_ranks(row.rank_low, row.rank_high)]
            for row in self.result.runs if row.measure == measure
        ]  # fmt: skip
        return {"columns": [*RUNS], "rows": rows, "drawn": [1, 2, 3]}
