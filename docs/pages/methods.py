"""Page of the functions of `cf.stats` and `cf.meta`: definitions, assumptions and sources."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from measures import escape_md

from cranfield import meta, stats
from cranfield.meta.methods import METHODS
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.effects import EFFECTS
from cranfield.stats.families import TESTS

_ROOMS = {"stats": stats, "meta": meta}


def _public(room: str, functions: Iterable[Any]) -> list[str]:
    """Return the unique names of the functions that are public in the room."""
    names = dict.fromkeys(getattr(function, "__name__", "") for function in functions)
    return [name for name in names if name in _ROOMS[room].__all__]


def _tests(many: bool) -> list[str]:
    return _public("stats", (test.function for test in TESTS.values() if test.is_joint == many))


def _of_meta() -> list[str]:
    """Return the functions of all methods except `correlation`, which belongs to rank correlation."""
    rows = METHODS.values()
    works = [work for row in rows for work in (row.computation, *(row.alternative or ())[2:])]
    names = _public("meta", (work.function for work in works))
    return [name for name in names if name != "correlation"]


GROUPS = {
    "Tests of two systems": (
        "stats", *_tests(many=False), "unpaired_bootstrap", "welch", "within_margin",
    ),
    "Tests of many systems": (
        "stats", *_tests(many=True), "one_way", "two_way", "compare_pairs",
    ),
    "Systems with several runs": ("stats", "crossed", "seed_components", "rank_systems", "plan_seeds"),
    "Clusters and slices of topics": (
        "stats", "clustered_mean", "clustered_t_test", "clustered_randomisation", "clustered_bootstrap",
        "welch_interaction",
    ),
    "Corrections for many comparisons": (
        "stats", "family_wise_error",
        *_public("stats", (row.function for row in CORRECTIONS.values())), "letters",
    ),
    "Effect sizes": ("stats", *_public("stats", (row.function for row in EFFECTS.values()))),
    "Summaries and standardisation": ("stats", "summarise", "standardise", "factors"),
    "Number of topics and power": (
        "stats", "plan", "topics_for_t", "topics_for_anova", "topics_for_interval", "power_of_t",
        "power_of_anova", "difference_for_t", "difference_for_anova", "width_of_interval",
        "variance_from", "topics_to_decide",
    ),
    "LLM judges and battles": (
        "stats", "prediction_powered", "judge_weight", "difference_estimate",
        "inclusion_probabilities", "davidson", "intransitive_triples",
    ),
    "Several collections": (
        "stats", "combine_collections", "generalise_collections", "predict_collection",
        "measure_heterogeneity", "pool_collections",
    ),
    "Repeated looks": ("stats", "repeated_t_test", "spend_level"),
    "Rank correlation": (
        "meta", "kendall", "spearman", "tau_ap", "tau_ap_symmetric", "rbo", "correlation",
    ),
    "Measures and collections": ("meta", *_of_meta()),
}  # fmt: skip

HEAD = """# Statistical functions

Reference of `cf.stats` and `cf.meta`: definitions, assumptions and papers of all functions. To
choose a test, see [compare runs](compare.md). See also [number of topics](plan.md) and [evaluate
measures and collections](meta.md).
"""


def page() -> str:
    """Return the page as Markdown."""
    lines = [HEAD]
    for title in GROUPS:
        lines += [f"- [{title}](#{re.sub('[^a-z -]', '', title.lower()).replace(' ', '-')})"]
    for title, (room, *names) in GROUPS.items():
        lines += ["", f"## {title}"]
        for name in names:
            lines += _method(room, getattr(_ROOMS[room], name))
    return "\n".join(lines) + "\n"


def _method(room: str, function: Callable[..., Any]) -> Iterator[str]:
    title, _, body = inspect.cleandoc(function.__doc__ or "").partition("\n")
    yield from ("", f"### `cf.{room}.{function.__name__}`", "", escape_md(title), "")
    yield from ("```text", f"{function.__name__}{_signature(function)}", "", body.strip(), "```")


def _signature(function: Callable[..., Any]) -> str:
    """Format the arguments with defaults. The text contains their types."""
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in inspect.signature(function).parameters.values()]
    return str(inspect.Signature(plain))
