"""Tables of simulated coverage for the page of checks, from `tests/designs_simulated.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from measures import escape_md, table

RECORD = Path(__file__).parents[2] / "tests" / "designs_simulated.json"
DESIGNS = {  # title and text
    "seeds": (
        "Systems with several seeds",
        "Coverage of 95 % intervals of a difference, by method. The Type I error at 5 % is 1 − coverage. "
        "`crossed` is the method of `cranfield compare --systems`. \\* No promise: the note `few-seeds` warns.",
    ),
    "suites": (
        "Several collections",
        "Coverage of 95 % intervals of a suite with BEIR’s numbers of topics (43 to 13,145). For 3 collections, "
        "the note `few-collections` warns. With exponential effects of collections, only the first interval is "
        "promised. `pooled` is not promised. `misread` is the first interval, read as an interval for other "
        "collections. evalstats has no function for several collections.",
    ),
    "seeds in suites": (
        "Seeds in suites",
        "Coverage of the first 95 % interval of a suite, if every seed is one model on all collections.",
    ),
    "clusters": (
        "Topics in clusters",
        "Coverage of 95 % intervals of a mean, and 1 − Type I error of tests by cluster (`flips`, `bootstrap`). The "
        "correlation is between topics of a cluster. CR1: t(G − 1) intervals without the correction of CR2. "
        "\\* No promise: the note `clusters` warns (fewer than 10 clusters or 5 degrees of freedom). `bootstrap` is "
        "not promised.",
    ),
    "slices": (
        "Slices of topics",
        "1 − Type I error at 5 % of tests of equal differences on all slices (promised for Welch: at least 0.925). "
        "`permuted`: W with permuted slices. F assumes equal variances.",
    ),
    "slices and clusters": (
        "Slices of topics in clusters",
        "1 − Type I error at 5 % of Welch's test with CR2 standard errors, clusters of 1 to 8 topics, and standard "
        "deviations .2, .1 and .05 on three slices. \\* No promise: the note `clusters` warns.",
    ),
    "clusters and seeds": (
        "Seeds and clusters",
        "Coverage of 95 % intervals for other clusters (of 1 to 8 topics) and other seeds.",
    ),
    "looks": (
        "Repeated looks",
        "Fraction of series of an unchanged system without any false alarm (promised: at least 0.95), by the "
        "reference of `cranfield trend`, and with uncorrected p-values.",
    ),
}
MARKED = ("crossed", "CR2", "flips", "Welch")  # methods with promises and notes
SHORT = {
    "evalstats nested bootstrap": "evalstats nested",
    "evalstats compare": "evalstats `compare`",
    "collections like these": "like these",
    "one further collection": "further",
    "pooled (Hartung–Knapp)": "pooled",
    "first interval, misread": "misread",
}


def build_section() -> list[str]:
    """Return the section as Markdown."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    lead = (
        f"`python -m tests.designs_simulated` computed these tables, with {record['repetitions']:,} repetitions per "
        f"cell, and evalstats {record['evalstats']} on the same data. `make coverage-simulated` checks the promises."
    )
    parts = ["## Simulated coverage", lead]
    for design, (title, text) in DESIGNS.items():
        cells = [cell for cell in record["cells"] if cell["design"] == design]
        methods = list(dict.fromkeys(name for cell in cells for name in cell["coverage"]))
        rows = [[escape_md(cell["cell"]), *_format_cells(cell, methods)] for cell in cells]
        parts += [f"### {title}", text, "\n".join(table(["cell", *(SHORT.get(m, m) for m in methods)], rows))]
    return parts


def _format_cells(cell: Mapping[str, Any], methods: list[str]) -> Iterator[str]:
    for method in methods:
        share = cell["coverage"].get(method)
        mark = r" \*" if method in MARKED and method not in cell["promised"] else ""
        yield "" if share is None else f"{share:.3f}{mark}"
