"""Battles as tables: who is stronger, pair by pair, and what else they tell."""

from __future__ import annotations

from typing import Any

from cranfield.judging.battles import Battles
from cranfield.report import sheets as tables
from cranfield.report.formats import FLAT
from cranfield.report.sheets import Field, Sheet
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.result import shown_p
from cranfield.wording import counted, rounded

TABLES = ("runs", "pairs", "measures", "position")


def sheets(found: Battles) -> list[Sheet]:
    """Every table there is."""
    made = [_runs(found), _pairs(found)]
    if found.measures:
        made.append(_measures(found))
    if found.position is not None:
        made.append(_position(found))
    return made


def usual(found: Battles, format: str) -> tuple[str, ...]:
    """What is shown if nothing is asked for: pairs only if they are few."""
    if format in FLAT:
        return ("runs",)
    few = format == "json" or len(found.pairs) <= 10
    return tuple(name for name in TABLES if few or name != "pairs")


def settings(found: Battles) -> dict[str, Any]:
    """What was done, and what is said of all battles, for programs."""
    names = "battles", "topics", "nu", "ridge", "alpha", "correction", "confidence", "trials"
    circles, triples = found.triples
    also = {"intransitive_triples": circles, "triples": triples}
    return {**tables.settings_of(found, *names, "seed"), **also}


def _runs(found: Battles) -> Sheet:
    of = tables.columns(found.runs)
    letters = [one.letters for one in found.runs]
    rating = of("rating", text=_points)
    marked = Field(
        rating.name, rating.values, "", rating.texts, marks=letters if any(letters) else ()
    )
    return tables.table(
        "runs",
        f"{_what(found)}. {_how(found)}{_letters(found)}{_triples(found)}",
        of("run", key=True),
        marked,
        *_interval(found.runs, found.confidence, _points),
        of("strength", people=False),
        of("letters", people=False),
        *tables.each(of, "battles", "wins", "ties", "losses"),
    )


def _what(found: Battles) -> str:
    topics = counted(found.topics, "topic")
    return f"Ratings from {counted(found.battles, 'battle')} on {topics}"


def _how(found: Battles) -> str:
    drawn = (
        f"; {tables.percent(found.confidence)} intervals from {found.trials:,} bootstrap samples "
        f"of topics, seed {found.seed}"
        if found.topics > 1
        else ""
    )
    ties = f"ν = {rounded(found.nu)}" if found.nu else "no ties"
    return f"Davidson's model, {ties}, ridge {found.ridge:g}{drawn}."


def _letters(found: Battles) -> str:
    if not any(one.letters for one in found.runs):
        return ""
    return f" Runs that share a letter are not significantly different ({_test(found)})."


def _test(found: Battles) -> str:
    correction = CORRECTIONS[found.correction].title
    return f"t of bootstrap standard errors, {correction}, α = {found.alpha:g}"


def _triples(found: Battles) -> str:
    circles, triples = found.triples
    if not triples:
        return ""
    share = f" ({circles / triples:.1%})" if circles else ""
    return f" {circles:,} of {counted(triples, 'triple')} of runs intransitive{share}."


def _pairs(found: Battles) -> Sheet:
    of = tables.columns(found.pairs)
    pvalues = [pair.pvalue for pair in found.pairs]
    stars = ["*" if p is not None and p <= found.alpha else "" for p in pvalues]
    texts = ["–" if p is None else shown_p(p) for p in pvalues]
    return tables.table(
        "pairs",
        "Pairs of runs, the stronger one first: how often it won, tied and lost, how many points "
        f"it is ahead, how probably it wins by the model ({_test(found)}). * p ≤ α.",
        of("run", key=True),
        of("other", key=True),
        *tables.each(of, "wins", "ties", "losses"),
        of("difference", head="points", text=lambda x: f"{x:+z.1f}"),
        *_interval(found.pairs, found.confidence, lambda x: f"{x:+z.1f}"),
        Field("pvalue", pvalues, "p", texts, marks=stars if any(stars) else (), dtype=float),
        of("win", head="P(win)"),
    )


def _measures(found: Battles) -> Sheet:
    of = tables.columns(found.measures)
    taus = found.measures
    return tables.table(
        "measures",
        "How measures agree with the battles: Kendall's τ of their means and the ratings "
        f"({tables.percent(found.confidence)} intervals over the topics of the battles), and in "
        "how many battles that somebody won the winner scores higher; where both score the same it "
        "does not.",
        of("measure", key=True),
        of("runs"),
        of("tau", head="τ"),
        *_interval(taus, found.confidence, rounded),
        *tables.each(of, "agreements", "disagreements", "tied"),
        of("rate", head="share"),
    )


def _position(found: Battles) -> Sheet:
    rows = [found.position]
    of = tables.columns(rows)
    return tables.table(
        "position",
        "How often the one that was shown first won, of battles that somebody won (exact binomial "
        "test of a half).",
        of("first", head="first won", key=False),
        of("second", head="second won"),
        of("ties"),
        of("share", head="share of first"),
        *_interval(rows, found.confidence, rounded),
        of("pvalue", head="p", text=shown_p),
    )


def _points(rating: float) -> str:
    """Of a rating."""
    return f"{rating:.1f}"


def _interval(rows: Any, confidence: float, text: Any) -> list[Field]:
    """For programs low and high, for people both in one."""
    texts = [
        "–" if row.low is None or row.high is None else f"[{text(row.low)}, {text(row.high)}]"
        for row in rows
    ]
    of = tables.columns(rows)
    shown = Field("interval", None, f"{tables.percent(confidence)} interval", texts)
    return [*tables.each(of, "low", "high", people=False, dtype=float), shown]
