"""Names of a measure in other programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from cranfield.compat import ir_measures
from cranfield.measures.base import READINGS
from cranfield.measures.grammar import parse_measure
from cranfield.measures.names import ALIASES, IR_MEASURES, NTCIREVAL, TREC_EVAL
from cranfield.tools import cwl_eval, gdeval, letor, ndeval


class Named(NamedTuple):
    """Name of a measure in a program, the measure in cranfield, and the page of the program."""

    program: str
    page: str
    theirs: str
    ours: str


def named(measure: str) -> list[Named]:
    """Return the names of a measure in other programs."""
    return [row for row in _every() if re.split(r"[(@.]", row.ours)[0] == measure]


@cache
def _every() -> tuple[Named, ...]:
    programs: dict[tuple[str, str], Mapping[str, str]] = {
        ("trec_eval", "trec_eval.md"): TREC_EVAL,
        ("NTCIREVAL", "ntcireval.md"): NTCIREVAL,
        ("gdeval", "gdeval.md"): {
            "ndcg@20": "nDCG(gain=exp)@20",
            "err@20": f"ERR(max_level={gdeval.HIGHEST})@20",
        },
        ("ndeval", "ndeval.md"): {
            name.partition("@")[0]: str(parse_measure(name)).partition("@")[0] for name in ndeval.COLUMNS
        },
        ("LETOR", "letor.md"): {
            theirs: f"{ours}(letor=true)" if ours == "nDCG" else ours for ours, theirs in letor.BLOCKS.items()
        },
        ("ir_measures", "migrate.md"): dict(_of_ir_measures()),
        ("cwl_eval", "cwl.md"): {
            theirs: made.model.__name__ + ".EU" * (made.model.__name__ in READINGS)
            for theirs, made in cwl_eval.CONSTRUCTORS.items()
        },
    }
    return tuple(
        Named(*program, theirs, ours)
        for program, names in programs.items()
        for theirs, both in names.items()
        for ours in _apart(both)
    )


def _apart(both: str) -> Iterator[str]:
    """`A|B` is A without a cutoff and B with one."""
    plain, _, cut = both.partition("|")
    yield plain
    if cut:
        yield f"{cut}@k"


def _of_ir_measures() -> Iterator[tuple[str, str]]:
    every = {m.name for m in vars(ir_measures).values() if isinstance(m, ir_measures.Measure)}
    for name in sorted(every, key=str.lower):
        yield name, IR_MEASURES.get(name.lower()) or ALIASES.get(name.lower(), name)
