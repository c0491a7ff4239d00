"""Labelling a run, whichever of the two sources it comes from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cranfield.data.reading.table import Noted
from cranfield.data.run import Run
from cranfield.labelling.blocks import RunLabels
from cranfield.labelling.gold import GoldStandard
from cranfield.labelling.mappings import label_lists


def label(
    gold: GoldStandard,
    run: Run,
    exclude_self: bool = False,
    threads: int = 2,
    progress: Callable[[str], None] | None = None,
    noted: Sequence[Noted] = (),
) -> RunLabels:
    """Where a run placed the judged documents, with what is to be noted of all."""
    if run.lists is not None:
        return RunLabels(label_lists(gold, run, exclude_self, noted), tuple(run.lists), ())
    from cranfield.labelling.columns import label_columns

    return label_columns(gold, run, exclude_self, threads, progress, noted)
