"""Label a run in memory or in a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cranfield.data.reading.table import DocumentValues, PartRead
from cranfield.data.run import ListRun, Run, TableRun
from cranfield.data.values import ValueRecorder
from cranfield.errors import InputError
from cranfield.labelling.blocks import RunLabels
from cranfield.labelling.gold import GoldStandard
from cranfield.labelling.mappings import label_lists


def label_run(
    gold: GoldStandard,
    run: Run,
    exclude_self: bool = False,
    threads: int = 2,
    progress: Callable[[PartRead], None] | None = None,
    sources: Sequence[DocumentValues] = (),
    watch: ValueRecorder | None = None,
) -> RunLabels:
    """Label a run: find the ranks of the judged documents and the values of all documents.

    `watch` records the scores of a run in a table.
    """
    if isinstance(run, ListRun):
        rankings, odd = (label_lists(gold, run, exclude_self, sources), run.find_disagreement().topics)
        judged = tuple(topic for topic in odd if topic in gold.topic_index)
        return RunLabels(rankings, tuple(run.lists), judged)
    from cranfield.labelling.columns import label_columns

    if not isinstance(run, TableRun):
        raise InputError(repr(run), "a run from read_run")
    return label_columns(gold, run, exclude_self, threads, progress, sources, watch)
