"""How far a judge can be trusted, as tables: in brief, runs, pairs, agreement, favour."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Any

from cranfield.assess.agreement import PAIRWISE, Agreement
from cranfield.judging.estimates import Estimate, too_few
from cranfield.judging.judge import JudgeReport, Trust
from cranfield.report import sheets as tables
from cranfield.report.agreement import TITLES
from cranfield.report.formats import FLAT
from cranfield.report.sheets import Field, Sheet
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.result import shown_p
from cranfield.wording import counted, rounded

TABLES = ("trust", "runs", "pairs", "agreement", "levels", "topics", "favour")
DRAWN = ("document", "nugget", "citation")  # units that were drawn one by one
PARTLY = ("answer", "ranking", "score")  # units of which people labelled some of each run
_PEOPLE_PAIRS = 15  # of runs, that are shown if nobody asks for them


def sheets(found: JudgeReport) -> list[Sheet]:
    """Every table there is."""
    made = [_trust(found), _runs(found)]
    if found.pairs:
        made.append(_pairs(found))
    if found.agreement is not None:
        what = (found.of or "documents").rstrip("s")
        made += [_agreement(found.agreement, what), _levels(found.agreement, what)]
        if found.agreement.topics:
            made.append(_topics(found.agreement, what))
    if found.favours:
        made.append(_favour(found))
    return made


def usual(found: JudgeReport, format: str) -> tuple[str, ...]:
    """What is shown if nothing is asked for: pairs only if they are few."""
    if format in FLAT:
        return ("runs",)
    few = format == "json" or len(found.pairs) <= _PEOPLE_PAIRS
    return tuple(name for name in TABLES if few or name != "pairs")


def settings(found: JudgeReport) -> dict[str, Any]:
    """What was done, for programs."""
    names = "unit", "alpha", "correction", "confidence", "drawn", "target"
    return {"names": list(found.names), **tables.settings_of(found, *names)}


def _several(found: JudgeReport) -> tuple[bool, bool]:
    """Whether there are several judges, and several measures."""
    return (
        len({one.judge for one in found.trusts}) > 1,
        len({one.measure for one in found.trusts}) > 1,
    )


def _keys(found: JudgeReport, of: Callable[..., Field]) -> list[Field]:
    """The judge and the measure: people see them where there are several."""
    judges, measures = _several(found)
    return [of("judge", people=judges, key=True), of("measure", people=measures, key=True)]


def _trust(found: JudgeReport) -> Sheet:
    of = tables.columns(found.trusts)
    paired, asked = bool(found.pairs), found.target is not None
    caption = (
        f"{found.unit.capitalize()}s judged by people and by the judge alone; how many of people's "
        "alone would tell as much (n_eff: of scores, of differences; medians). By trusting the "
        "judge alone: its bias (mean, and the largest) and the runs that are at another rank"
    )
    if paired:
        caption += (
            "; pairs of runs that differ significantly by it, and how many of these judge and "
            "people together do not confirm, or reverse, and which ones it misses "
            f"({CORRECTIONS[found.correction].title}, α = {found.alpha:g})"
        )
    several = {"people": paired}
    sheet = tables.table(
        "trust",
        f"{caption}{_wanted(found)}.",
        *_keys(found, of),
        of("n", head="people"),
        of("others", head="judge only"),
        of("n_eff", head="n_eff", text=_whole, dtype=float),
        of("n_eff_pairs", head="n_eff diff.", text=_whole, dtype=float, **several),
        of("mean_bias", head="bias", text=tables.signed),
        of("largest_bias", head="largest", text=tables.signed),
        of("moved", **several),
        of("tau", head="τ", dtype=float, **several),
        of("significant", **several),
        of("unconfirmed", **several),
        of("reversed", **several),
        of("missed", **several),
        of("needed", people=asked, dtype=int),
        of("why_not", people=False),
        of("sentence", people=False),
    )
    lines = [x.sentence for x in found.trusts]
    lines += [_in_all(x, found.target) for x in found.trusts if found.target is not None]
    return Sheet(sheet.name, sheet.fields, sheet.caption, lines=lines)


def _in_all(trust: Trust, target: float) -> str:
    """How many labels all intervals need, or the reason why there is no number."""
    of = f"for ±{target:g} by {trust.measure}"
    if trust.needed is None:
        return f"{of} there is no number of {trust.unit}s: {trust.why_not}"
    return f"{of} people have to judge {counted(trust.needed, trust.unit)} in all"


def _known(text: Callable[[float], str]) -> Callable[[float], str]:
    """A number as text, a dash if it is not known."""
    return lambda x: "–" if math.isnan(x) else text(x)


def _whole(x: float) -> str:
    """A number of topics, which need not be whole."""
    return "–" if math.isnan(x) else f"{x:,.1f}"


def _runs(found: JudgeReport) -> Sheet:
    of, rows = tables.columns(found.runs), [row.found for row in found.runs]
    several = len({row.run for row in found.runs}) > 1
    return tables.table(
        "runs",
        f"{_what(found)} of runs by judge and people together, by people alone and by the judge "
        "alone, which is too high by its bias on what people judged; n_eff: how many "
        f"{found.unit}s people alone would have to judge{_weight(found)}"
        f"{_wide(found)}{_doubt(rows)}{_wanted(found)}.",
        *_keys(found, of),
        of("run", key=True),
        *_estimate(found, rows, _known(rounded), ""),
        of("people", "found.people", text=_known(rounded)),
        of("people_error", "found.people_error", people=False),
        of("alone", "found.alone", head="judge", text=_known(rounded)),
        of("bias", "found.bias", text=_known(tables.signed)),
        *_bias(rows),
        of("n_eff", "found.n_eff", head="n_eff", text=_whole),
        of("weight", "found.weight", head="λ", people=found.unit not in DRAWN, dtype=float),
        of("rank", people=several, dtype=int),
        of("alone_rank", head="rank by judge", people=several, dtype=int),
        *_needed(found, rows),
        of("n", "found.n", head=f"{found.unit}s", people=found.unit in PARTLY),
    )


def _what(found: JudgeReport) -> str:
    topics = ", for these topics," if found.unit in DRAWN else ""
    return f"Estimates{topics}"


def _wide(found: JudgeReport) -> str:
    if found.unit not in DRAWN:
        return ""
    rows = [row.found for row in found.runs]
    only = any(row.low is None and row.wide_low is not None and not _too_few(row) for row in rows)
    return "; the second interval is for other topics, too" + (
        ", the only one by measures that are no sums" if only else ""
    )


def _too_few(row: Estimate) -> bool:
    return row.unpromised in map(too_few, DRAWN)


def _doubt(rows: Sequence[Estimate]) -> str:
    doubtful = any(_doubtful(row, row.low) or _doubtful(row, row.wide_low) for row in rows)
    return "; ? an interval that is not promised to hold" if doubtful else ""


def _weight(found: JudgeReport) -> str:
    return "" if found.unit in DRAWN else "; λ: how far the judge is used"


def _wanted(found: JudgeReport) -> str:
    if found.target is None:
        return ""
    in_all = f"; needed: {found.unit}s of people in all for ±{found.target:g}"
    return f"{in_all}, – for the reason in the notes"


def _estimate(
    found: JudgeReport, rows: Sequence[Estimate], text: Callable[[float], str], sign: str
) -> Iterator[Field]:
    """The estimate, its standard error and its interval; perhaps that for other topics, too."""
    of = tables.columns(rows)
    yield of("estimate", head="difference" if sign else "estimate", text=text)
    yield of("error", people=False)
    yield from tables.each(of, "low", "high", people=False, dtype=float)
    ends = [_interval(x, x.low, x.high, sign) for x in rows]
    yield Field("interval", None, f"{tables.percent(found.confidence)} interval", ends)
    wide = found.unit in DRAWN
    yield from tables.each(of, "wide_low", "wide_high", people=False, dtype=float)
    others = [_interval(x, x.wide_low, x.wide_high, sign) for x in rows]
    yield Field("wide_interval", None, "of other topics", others, people=wide)
    yield of("promised", lambda x: not x.unpromised, people=False)
    yield of("unpromised", people=False)


def _doubtful(row: Estimate, end: float | None) -> bool:
    """Whether an interval is there, and not promised; if documents are too few for one of these
    topics, that for others is as good as ever.
    """
    return bool(row.unpromised) and end is not None and not _too_few(row)


def _interval(row: Estimate, low: float | None, high: float | None, sign: str) -> str:
    return tables.interval_text(low, high, sign) + (" ?" if _doubtful(row, low) else "")


def _bias(rows: Sequence[Estimate]) -> list[Field]:
    """The interval of the bias, and its p-value, for programs."""
    return tables.each(
        tables.columns(rows), "bias_low", "bias_high", "bias_pvalue", people=False, dtype=float
    )


def _needed(found: JudgeReport, rows: Sequence[Estimate]) -> list[Field]:
    return [tables.columns(rows)("needed", people=found.target is not None, dtype=int)]


def _pairs(found: JudgeReport) -> Sheet:
    of, rows = tables.columns(found.pairs), [row.found for row in found.pairs]
    return tables.table(
        "pairs",
        "Differences of runs by judge and people together, each with a weight of the judge of its "
        "own, and by the judge alone; and what the first says of one that the second finds "
        "significant "
        f"({CORRECTIONS[found.correction].title}, α = {found.alpha:g}){_wide(found)}"
        f"{_doubt(rows)}{_wanted(found)}. * p ≤ α.",
        *_keys(found, of),
        of("run", key=True),
        of("other", key=True),
        *_estimate(found, rows, _known(tables.signed), "+"),
        _pvalue(found, "pvalue", "p"),
        of("people", "found.people", text=tables.signed, people=False),
        of("people_error", "found.people_error", people=False),
        of("alone", "found.alone", head="judge", text=_known(tables.signed)),
        _pvalue(found, "alone_pvalue", "p of judge"),
        of("bias", "found.bias", people=False),
        *_bias(rows),
        of("n_eff", "found.n_eff", head="n_eff", text=_whole),
        of("weight", "found.weight", people=False, dtype=float),
        of("verdict"),
        *_needed(found, rows),
        of("n", "found.n", people=False),
    )


def _pvalue(found: JudgeReport, name: str, head: str) -> Field:
    """p-values, with a star at those that are significant."""
    values = [*map(attrgetter(name), found.pairs)]
    stars = ["*" if p <= found.alpha else "" for p in values]
    texts = ["–" if math.isnan(p) else shown_p(p) for p in values]
    return Field(name, values, head, texts, marks=stars if any(stars) else ())


# -- agreement ------------------------------------------------------------------------------------


def _agreement(found: Agreement, what: str) -> Sheet:
    of = tables.columns(found.pairs)
    return tables.table(
        "agreement",
        f"Who agrees with whom, on the {what}s that both labelled, of "
        f"{counted(found.items, what)} that at least two did. Krippendorff's ordinal α of "
        f"all: {rounded(found['alpha_ordinal'])}.",
        *_two(of),
        of("items", head=f"{what}s"),
        *(of(name, lambda pair, x=name: pair.values[x], TITLES[name]) for name in PAIRWISE),
    )


def _two(of: Callable[..., Field], part: str = "assessors") -> list[Field]:
    """Who and whom."""
    return [
        of("judge", lambda pair: attrgetter(part)(pair)[0], "who", key=True),
        of("other", lambda pair: attrgetter(part)(pair)[1], "whom", key=True),
    ]


def _levels(found: Agreement, what: str) -> Sheet:
    rows = [
        (pair.assessors, label, *_counts(pair.confusion, k))
        for pair in found.pairs
        for k, label in enumerate(found.labels)
    ]
    of = tables.columns(rows)
    return tables.table(
        "levels",
        f"The same by level: how many {what}s each of the two put there, how many both, and the "
        "share of agreement, 2·both/(first + second).",
        of("judge", lambda row: row[0][0], "who", key=True),
        of("other", lambda row: row[0][1], "whom", key=True),
        of("level", lambda row: row[1], key=True),
        of("first", lambda row: row[2]),
        of("second", lambda row: row[3]),
        of("both", lambda row: row[4]),
        of("agreement", lambda row: row[5], dtype=float),
    )


def _counts(confusion: Any, k: int) -> tuple[int, int, int, float | None]:
    """By the first, by the second, by both, and the share of agreement."""
    first, second, both = confusion[k].sum(), confusion[:, k].sum(), confusion[k, k]
    share = float(2 * both / (first + second)) if first + second else None
    return int(first), int(second), int(both), share


def _topics(found: Agreement, what: str) -> Sheet:
    rows = [(topic, pair) for topic, one in found.topics.items() for pair in one.pairs]
    of_topic, of = (
        tables.columns([row[0] for row in rows]),
        tables.columns([row[1] for row in rows]),
    )
    return tables.table(
        "topics",
        "The same by topic; nan where a coefficient is undefined.",
        of_topic("topic", lambda topic: topic, key=True),
        *_two(of),
        of("items", head=f"{what}s"),
        *(of(name, lambda pair, x=name: pair.values[x], TITLES[name]) for name in PAIRWISE),
    )


def _favour(found: JudgeReport) -> Sheet:
    of = tables.columns(found.favours)
    pvalues = [row.pvalue for row in found.favours]
    stars = ["*" if p is not None and p <= found.alpha else "" for p in pvalues]
    texts = ["–" if p is None else shown_p(p) for p in pvalues]
    return tables.table(
        "favour",
        "How much more the judge gives the runs of a team than all other runs, beyond what people "
        "give them: its bias there, less its bias on the others, with a "
        f"{tables.percent(found.confidence)} interval over what people judged. p of the judge's "
        "own family is as it is, those of other teams are corrected "
        f"({CORRECTIONS[found.correction].title}). * p ≤ α.",
        *_keys(found, of),
        of("team", key=True),
        of("own", head="own family"),
        of("runs"),
        of("favour", text=_known(tables.signed)),
        *tables.interval_fields(found.favours, found.confidence, "+"),
        Field("pvalue", pvalues, "p", texts, marks=stars if any(stars) else (), dtype=float),
    )
