"""`cranfield gdeval`: drop-in replacement for the program of TREC's Web track."""

from __future__ import annotations

from functools import partial

from cranfield.cli import drop_ins
from cranfield.errors import InputError
from cranfield.options import argument, option, switch
from cranfield.tools.gdeval import HIGHEST, gdeval

OPTIONS = (
    argument("qrels", "QRELS", f"judgments, with levels up to {HIGHEST}"),
    argument("result_file", "RUN", "a run, ordered by score"),
    switch("-c", "means over all topics with relevant documents, in the run or not", name="complete"),
    argument("last", "K", "the same as -k K", nargs="?", value="count"),
    option("-k", "K", "last rank that counts (default: 20)", value="count"),
    option("-baseline -riskAlpha", "X", None, name="risk"),
    *drop_ins.MESSAGES,
)


def choose_cutoff(k: int | None = None, last: int | None = None, risk: str | None = None) -> int:
    """Return the last rank that counts, from either of its options."""
    if risk is not None:
        raise InputError.from_problem("-baseline and -riskAlpha are not supported")
    if k is not None and last is not None:
        raise InputError.from_problem("use either K or -k K, not both")
    return last or k or 20


run = partial(drop_ins.run, gdeval, parts={"k": choose_cutoff})
