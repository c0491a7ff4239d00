"""Where runs fail as tables: the hardest topics, those that divide or decide, and a tally."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from cranfield.evaluation.failures import BUCKETS, CHANGE, TOP, HardTopics, Result, Topic
from cranfield.measures.bounds import has_outer_bounds
from cranfield.measures.grammar import parse_measure
from cranfield.report import sheets as tables
from cranfield.report.formats import FLAT
from cranfield.report.sheets import Field, Sheet
from cranfield.wording import counted, rounded

TABLES = ("hardest", "divisive", "deciding", "tally", "results")
_FEW = 3  # so many runs have columns of their own

MEANINGS = {
    "not answered": "the run has no list for the topic",
    "none found": "no relevant document is in its list",
    "cut off": "relevant documents are in its list, but none above the cutoff",
    "ranked low": "none of these",
}
OF_SEVERAL = {
    "ties": "with another order of tied documents it could be as good as the best run",
    "unjudged": "if unjudged documents were relevant, or not, it could be as good as the best run",
}
OF_ONE = {
    "ties": f"other orders of tied documents change its score by more than {CHANGE:g}",
    "unjudged": f"what unjudged documents are could change its score by more than {CHANGE:g}",
}


def meanings(found: HardTopics) -> dict[str, str]:
    """What it means that a run fails for a reason, in words."""
    unknown = {} if found.bounded else {"unjudged": f"not known for {found.measure}"}
    return MEANINGS | (OF_SEVERAL if len(found.runs) > 1 else OF_ONE) | unknown


def usual(found: HardTopics, format: str) -> tuple[str, ...]:
    """The tables that are shown if none is named."""
    if format in FLAT:
        return ("results",)
    if format == "json":
        return TABLES
    # Two runs differ most where they decide.
    return ("hardest", "deciding" if len(found.runs) == 2 else "divisive", "tally")


def sheets(found: HardTopics, top: int = TOP) -> list[Sheet]:
    """All tables: of the `top` topics, and of all of them."""
    made = [_hardest(found, top)]
    made += [_divisive(found, top)] if len(found.runs) > 1 else []
    made += [_deciding(found, top)] if len(found.runs) == 2 else []
    return [*made, _tally(found), _results(found)]


def settings(found: HardTopics) -> dict[str, Any]:
    """What captions tell in words."""
    return {
        **tables.settings_of(found, "measure", "better", "runs", "topics", "bounded"),
        **({"decided_by": found.decided_by()} if len(found.runs) == 2 else {}),
    }


# -- topics ---------------------------------------------------------------------------------------


def _first(found: HardTopics, rows: Sequence[Any], kind: str) -> str:
    """Which topics are shown, and of how many."""
    count = f"{len(rows):,} " if len(rows) > 1 else ""
    return f"The {count}{kind} of {counted(len(found.topics), 'topic')}: those with the"


def _topics(rows: Sequence[Topic], *hidden: str) -> list[Field]:
    """What is said of topics; some of it to programs only."""
    of = tables.columns(rows)
    made = [of("topic", key=True), *tables.each(of, "relevant", "mean", "sd")]
    for end in ("best", "worst"):
        runs = [getattr(row, f"{end}_runs") for row in rows]
        shown = [some[0] if len(some) == 1 else counted(len(some), "run") for some in runs]
        made += [of(end), Field(f"{end}_run", [*map(" ".join, runs)], texts=shown)]
    return [replace(field, people=field.name not in hidden) for field in made]


def _hardest(found: HardTopics, top: int) -> Sheet:
    rows = found.hardest(top)
    few, several = len(found.runs) <= _FEW, len(found.runs) > 1
    hidden = ["sd", "best_run", "worst", "worst_run", *(["best"] if few else [])]
    shown = _topics(rows, *hidden, *([] if several else ["mean"]))
    shown += _by_run(found, rows) if few else [Field("why", None, texts=[*map(_whys, rows)])]
    worst = "lowest" if found.better == "higher" else "highest"
    of = f"mean {found.measure} of {counted(len(found.runs), 'run')}" if several else found.measure
    more = found.as_hard(top)
    also = f" ({counted(more, 'more topic')} as hard as the last)" if more else ""
    better = "no other run scores better" if several else "the ideal list scores no better"
    text = f"{_first(found, rows, 'hardest')} {worst} {of}{also}. Why: the reason why a run fails"
    return Sheet("hardest", shown, f"{text} (–: {better}).")


def _by_run(found: HardTopics, rows: Sequence[Topic]) -> list[Field]:
    """The score of each run, and why it fails; of one run also how much it found."""
    made = []
    for run in found.runs:
        own = [row.result_of(run) for row in rows]
        if len(found.runs) == 1:
            made.append(_numbers("found", [f"{one.found:,}" for one in own]))
        made.append(_numbers(run, [rounded(one.score) for one in own]))
        made.append(Field(f"why {run}", None, "why", [*map(_why, own)], group=run))
    return made


def _numbers(name: str, texts: list[str]) -> Field:
    """A column of numbers for people."""
    return Field(name, None, texts=texts, group=name, dtype=float)


def _why(one: Result) -> str:
    return one.bucket or "–"


def _whys(topic: Topic) -> str:
    """Why runs fail, those that do."""
    return ", ".join(f"{count} {bucket}" for bucket, count in topic.buckets.items()) or "–"


def _divisive(found: HardTopics, top: int) -> Sheet:
    rows = found.divisive(top)
    why = [_why(row.result_of(row.worst_runs[0])) for row in rows]
    runs = counted(len(found.runs), "run")
    text = (
        f"{_first(found, rows, 'most divisive')} largest standard deviation (sd) of "
        f"{found.measure} over {runs}. Why: the reason why the worst run fails."
    )
    shown = [*_topics(rows, "relevant", "mean"), Field("why", None, texts=why)]
    return Sheet("divisive", shown, text if rows else _equal(found))


def _equal(found: HardTopics) -> str:
    """What is said where no topic tells runs apart."""
    return f"All runs score the same on each of {counted(len(found.topics), 'topic')}."


def _deciding(found: HardTopics, top: int) -> Sheet:
    rows, (first, second) = found.deciding(top), found.runs
    of = tables.columns(rows)
    bounds = [tables.interval_text(row.low, row.high, "+") for row in rows]
    text = (
        f"{_first(found, rows, 'most decisive')} largest differences {first} − {second} by "
        f"{found.measure}. {_verdict(found)} Share: of all differences, whatever their sign. "
        f"{_allowed(found)}Why: the reason why the worse run fails."
    )
    return tables.table(
        "deciding",
        text if rows else _equal(found),
        of("topic", key=True),
        *tables.each(of, "run", "other", "relevant", people=False),
        of("score", head=first),
        of("other_score", head=second),
        of("difference", text=tables.signed),
        of("share", text="{:.1%}".format),
        *tables.each(of, "low", "high", people=False, dtype=float),
        Field("unjudged", None, "unjudged allow", bounds, people=found.bounded),
        of("bucket", head="why"),
    )


def _allowed(found: HardTopics) -> str:
    """What the bounds are."""
    if not found.bounded:
        return ""
    if has_outer_bounds(parse_measure(found.measure)):
        return "Unjudged allow: outer bounds of the difference, which may be out of reach. "
    return "Unjudged allow: the least and the most the difference can be, whatever they are. "


def _verdict(found: HardTopics) -> str:
    """Which of two runs is better, and how many topics that depends on."""
    few, (first, second) = found.decided_by(), found.runs
    mean = float(found.differences.mean())
    if not few:
        return "On the mean they are equal."
    better = first if (mean > 0) == (found.better == "higher") else second
    without = f"the {few} topics" if few > 1 else "the topic"
    verb = "favour" if few > 1 else "favours"
    said = f"On the mean {better} is better by {rounded(abs(mean))}"
    return f"{said}; without {without} that {verb} it most it would not be."


# -- runs -----------------------------------------------------------------------------------------


def _tally(found: HardTopics) -> Sheet:
    counts, unknown, said = found.tally(), () if found.bounded else ("unjudged",), meanings(found)
    shown = [Field("run", found.runs, key=True)]
    for bucket in (*BUCKETS, None):
        values = [counts[run][bucket] for run in found.runs]
        made = Field(bucket or "no failure", values, bucket or "–")
        nothing = replace(made, values=[None] * len(values), dtype=float)
        shown.append(nothing if bucket in unknown else made)
    topics = counted(len(found.topics), "topic")
    text = (
        f"of {topics} those at which a run fails by {found.measure}, by the first reason that holds"
    )
    legend = [*(f"{x}: {said[x]}" for x in BUCKETS), "–: it does not fail"]
    return Sheet("tally", shown, text, lines=legend)


def _results(found: HardTopics) -> Sheet:
    of = tables.columns(found.results)
    text = f"How runs did on each topic by {found.measure}, and why they fail."
    types = {name: str if name in ("other", "bucket") else float for name in _OPEN}
    every = [
        of(x.name, key=x.name in ("topic", "run"), dtype=types.get(x.name)) for x in fields(Result)
    ]
    return Sheet("results", every, text)


_OPEN = (
    *("unjudged_low", "unjudged_high", "other", "difference", "difference_low"),
    *("difference_high", "bucket"),
)  # what may not be known
