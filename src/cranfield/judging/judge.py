"""A judge and people: what scores and differences are, if a model judged all and people some."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from cranfield.arrays import Floats
from cranfield.assess.agreement import Agreement, agreement
from cranfield.assess.assessments import Assessments, exact
from cranfield.assess.teams import about_teams
from cranfield.data.audits import AuditLike
from cranfield.data.judged_answers import Invalid
from cranfield.data.qrels import Qrels
from cranfield.data.tracks import TeamsLike, read_teams
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, one_of
from cranfield.judging.estimates import NOT_RANDOM, ByAnswer, BySample, Estimate, Estimates
from cranfield.judging.given import (
    Asked,
    Judged,
    MissingLabels,
    Of,
    from_answers,
    from_judgments,
    from_scores,
)
from cranfield.meta.rankings import kendall, standing
from cranfield.scores import Notice
from cranfield.shown import Shown
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.result import checked_alpha, checked_confidence
from cranfield.wording import counted, option, rounded, some

Drawn: TypeAlias = Literal["random", "chosen", "labels"]
Verdict: TypeAlias = Literal[
    "confirmed", "not confirmed", "reversed", "missed", "neither", "unknown"
]  # fmt: skip
Found: TypeAlias = "tuple[Trust, list[JudgedRun], list[JudgedPair]]"
WORTH = 1.15  # times as many topics or documents, from which on a judge was worth it,
LITTLE = 1.05  # and hardly


@dataclass(frozen=True)
class JudgedRun:
    """A run by a measure: what judge and people say together, and where it ranks so, and by the
    judge alone. A run without an estimate has no rank.
    """

    judge: str
    measure: str
    run: str
    found: Estimate
    rank: int | None
    alone_rank: int | None


@dataclass(frozen=True)
class JudgedPair:
    """Two runs: their difference by judge and people together, and by the judge alone.

    `pvalue` and `alone_pvalue` are corrected for the number of pairs. A difference that the judge
    alone finds significant is confirmed, not confirmed or reversed by both together; one that only
    both together find was missed. Without an interval nothing is known.
    """

    judge: str
    measure: str
    run: str
    other: str
    found: Estimate
    pvalue: float
    alone_pvalue: float
    verdict: Verdict


@dataclass(frozen=True)
class Trust:
    """A judge by a measure, in brief: was it worth it, and what if one trusted it alone?

    `n` and `others` are topics, answers or documents that people judged and that the judge alone
    did; `n_eff` and `n_eff_pairs` how many of people's alone would tell as much, in the median over
    runs, and over pairs. `mean_bias` is over what people judged. `tau` is between the rankings of
    runs by both together and by the judge alone. `needed` is how many people have to judge in all
    for the half-width that is wanted, of all runs and pairs: None if nothing was asked for, or for
    the reasons in `why_not`.
    """

    judge: str
    measure: str
    unit: str
    n: int
    others: int
    n_eff: float
    n_eff_pairs: float | None
    mean_bias: float
    largest_bias: float
    moved: int  # runs that are at another rank
    tau: float | None
    significant: int  # pairs that the judge alone finds significant
    unconfirmed: int
    reversed: int
    missed: int
    sentence: str
    needed: int | None = None
    why_not: str = ""


@dataclass(frozen=True)
class Favour:
    """How much more a judge gives the runs of a team than those of others, beyond what people do.

    `own` says that the team is the judge's own family.
    """

    judge: str
    measure: str
    team: str
    runs: int
    own: bool
    favour: float
    low: float | None
    high: float | None
    pvalue: float | None  # corrected for the number of teams, unless it is the own one


@dataclass(frozen=True, eq=False, repr=False)
class JudgeReport(Shown, tables="judge"):
    """What judges and people say of runs together, and how far judges can be trusted.

    `names` are people, then the judges. `trusts` has a row for each judge and measure, `runs` and
    `pairs` the estimates. `agreement` is over documents that at least two labelled, None where
    only scores are known; `favours` are there if teams are.
    """

    names: tuple[str, ...]
    trusts: tuple[Trust, ...]
    runs: tuple[JudgedRun, ...]
    pairs: tuple[JudgedPair, ...]
    agreement: Agreement | None = None
    favours: tuple[Favour, ...] = ()
    unit: str = "topic"
    alpha: float = 0.05
    correction: str = "holm"
    confidence: float = 0.95
    drawn: Drawn | None = None
    target: float | None = None
    notices: tuple[Notice, ...] = field(default=())
    of: Of | None = None  # what of answers was judged; documents were, if nothing is said

    def __repr__(self) -> str:
        return "\n".join(["JudgeReport:", *(one.sentence for one in self.trusts)])


def judge(
    people: Any,
    judge: Any,
    runs: Any = None,
    measures: Any = None,
    *,
    of: Of | None = None,
    others: Mapping[str, Any] | None = None,
    names: Sequence[str] = ("people", "judge"),
    audit: AuditLike = None,
    teams: TeamsLike = None,
    family: str | None = None,
    drawn: Drawn | None = None,
    target: float | None = None,
    per_topic: bool = False,
    invalid: Invalid = "error",
    missing_labels: MissingLabels = "unknown",
    alpha: float = 0.05,
    correction: str = "holm",
    confidence: float = 0.95,
    **options: Any,
) -> JudgeReport:
    """Scores of runs, from a model's judgments of all topics and people's of some.

    By topics: `people` judged n topics, drawn at random, and the judge these and others. Every
    mean, and every difference of two runs, is estimated from both by prediction-powered inference
    (`cf.stats.prediction_powered`), with an interval that holds however bad the judge is. Without
    `runs`, `people` and `judge` are scores by topic (what `cf.read_scores` reads), of anything:
    nuggets, citations, answers. With `of`, they are what was judged of answers, as
    `cf.evaluate_answers` reads it: assignments (``nuggets``) or support (``citations``); these can
    be compared label by label, too. `drawn` says how people's topics were chosen: ``random``, or
    ``chosen``, for which there are no intervals. If people judged some answers of a topic and not
    others, each run is estimated from its own answers: what people did not judge is unknown, and
    counts as judged by the judge only. A run without any of their labels has no estimate.
    `invalid` says what labels of answers outside the scale are: an ``error``, or ``missing``.

    A score is unknown, too, if it depends on documents, nuggets or citations that the judge
    labelled and people did not; with ``missing_labels="nonrelevant"`` such documents count as
    nonrelevant. With ``drawn="labels"``, people labelled documents, nuggets or citations that were
    drawn one by one at random from those of the judge, and these are the units of the estimate.

    Within topics: with an `audit` (`cf.audit`, ``cranfield pool --audit``), the judge labelled all
    documents, and people those that were drawn, or the first so many of them. Measures that are
    sums (P, DCG, RBP) are estimated for these topics by `cf.stats.difference_estimate`. For others
    (nDCG, AP) what was not drawn is imputed from what was, corrected, and the bootstrap of topics
    gives intervals for other topics, too.

    Beside each estimate stands what the judge alone says, and what would become of ranks and of
    significant differences by trusting it. `others` are more judges, by name; all are compared
    with people and with each other, on the documents that both labelled. With `teams` (``{run:
    team}``), it is tested whether a judge favours the runs of a team, its own `family` above all.
    `target` is the half-width of intervals that is wanted: how many more have people to judge?
    The other `options` are those of `evaluate`.

    >>> people = {"a": {"1": 0.2, "2": 0.4, "3": 0.6, "4": 0.8}}
    >>> by_judge = {"a": {"1": 0.3, "2": 0.5, "3": 0.5, "4": 0.9, "5": 0.1, "6": 0.2, "7": 0.3,
    ...                   "8": 0.4, "9": 0.5, "10": 0.6, "11": 0.7, "12": 0.8}}
    >>> [row] = judge(people, by_judge).runs
    >>> round(row.found.estimate, 6), round(row.found.low, 4), round(row.found.high, 4)
    (0.459559, 0.1183, 0.8009)
    """
    _checked(names, audit, runs, drawn, target, correction)
    one_of("missing_labels", missing_labels, MissingLabels)
    if of is not None:
        _checked_answers(of, runs, audit)
    checked_alpha(alpha)
    checked_confidence(confidence)
    whose, name = names
    judges = {name: judge, **(others or {})}
    if whose in judges or len(judges) != 1 + len(others or {}):
        raise InputError(
            f"judges named {', '.join(judges)}", f"names other than {whose}, each once"
        )
    how = Asked(
        confidence, target, drawn != "chosen", runs, measures, options, [], invalid, missing_labels,
        drawn == "labels", _are_declared([people, *judges.values()], options),
    )  # fmt: skip
    agreed = None
    if of is not None:
        estimates, labels = from_answers(people, judges, whose, of, how)
        agreed = _agreement(labels, per_topic)
    elif runs is None:
        if drawn == "labels":
            raise InputError("drawn=labels and scores", "labels: runs, or of=nuggets or citations")
        estimates = from_scores(people, judges, whose, how)
    else:
        said, levels = how.levels(people), {who: how.levels(x) for who, x in judges.items()}
        estimates = from_judgments(said, levels, whose, audit, how)
        agreed = _agreement({whose: said, **levels}, per_topic)
    found = _found(estimates, alpha, correction)
    one = next(iter(estimates.values()))[0]
    team_of, own = _families(teams, family, judges, one.runs, how.notices)
    notices = (*_told(how.notices), *_cautions(found, one, drawn), *_about_agreement(agreed))
    return JudgeReport(
        (whose, *judges),
        tuple(trust for trust, _, _ in found),
        tuple(run for _, each, _ in found for run in each),
        tuple(pair for _, _, each in found for pair in each),
        agreed,
        tuple(_all_favours(estimates, team_of, own, correction)),
        one.unit,
        alpha,
        correction,
        confidence,
        drawn,
        target,
        notices,
        of,
    )


def _checked(
    names: Sequence[str], audit: Any, runs: Any, drawn: Any, target: Any, correction: str
) -> None:
    """Refuse what cannot be meant."""
    if isinstance(names, str) or len(names) != 2 or len({*names}) < 2:
        raise InputError(f"names {names!r}", "two different ones, of people and of the judge")
    if drawn is not None:
        one_of("drawn", drawn, Drawn)
    one_of("correction", correction, CORRECTIONS)
    if audit is not None and runs is None:
        raise InputError("an audit without runs", "runs: it is of their documents")
    if audit is not None and drawn is not None:
        raise InputError("an audit and drawn=", "one of them: an audit says what was drawn")
    number = isinstance(target, int | float) and not isinstance(target, bool)
    if target is not None and not (number and 0 < target < math.inf):
        raise InputError(f"target={target!r}", "a number above 0")


def _checked_answers(of: Of, runs: Any, audit: Any) -> None:
    """Refuse what there is none of with answers."""
    one_of("of", of, Of)
    if runs is not None or audit is not None:
        raise InputError(f"of={of} and runs or an audit", "what was judged of answers alone")


def _told(notices: Sequence[Notice]) -> Sequence[Notice]:
    """Each sentence once."""
    return [*{notice.text: notice for notice in notices}.values()]


# -- what is said of it ---------------------------------------------------------------------------


def _found(
    estimates: Mapping[str, Sequence[Estimates]], alpha: float, correction: str
) -> list[Found]:
    """All of it, judge by judge and measure by measure."""
    return [_report(who, one, alpha, correction) for who, each in estimates.items() for one in each]


def _report(who: str, one: Estimates, alpha: float, correction: str) -> Found:
    """All runs and pairs by a judge and a measure."""
    each = np.eye(len(one.runs))
    of_runs = [one.of(contrast) for contrast in each]
    sign = -1.0 if one.lower_is_better else 1.0
    ranks = _ranks(sign * np.array([x.estimate for x in of_runs]))
    alone = _ranks(sign * np.array([x.alone for x in of_runs]))
    last = len(ranks) + 1
    by_rank = sorted(range(len(ranks)), key=lambda r: (ranks[r] or last, alone[r] or last))
    runs = [
        JudgedRun(who, one.measure, one.runs[r], of_runs[r], ranks[r], alone[r]) for r in by_rank
    ]
    pairs = _pairs(who, one, by_rank, alpha, correction)
    return _trust(who, one, runs, pairs, alpha), runs, pairs


def _ranks(values: Floats) -> list[int | None]:
    """From 1, the highest first; tied ones have the same, and unknown ones none."""
    known = ~np.isnan(values)
    ranks = iter(standing(values[known])[0] + 1) if known.any() else iter(())
    return [int(next(ranks)) if there else None for there in known.tolist()]


def _pairs(
    who: str, one: Estimates, by_rank: Sequence[int], alpha: float, correction: str
) -> list[JudgedPair]:
    """All pairs of runs, the better one first."""
    each, pairs = np.eye(len(one.runs)), [*combinations(by_rank, 2)]
    found = [one.of(each[a] - each[b]) for a, b in pairs]
    correct = CORRECTIONS[correction]
    both = _corrected(correct, [x.pvalue for x in found])
    alone = _corrected(correct, [x.alone_pvalue for x in found])
    return [
        JudgedPair(
            who, one.measure, one.runs[a], one.runs[b], x, p, q,
            _verdict(x, p <= alpha, q <= alpha),
        )
        for (a, b), x, p, q in zip(pairs, found, both, alone, strict=True)
    ]  # fmt: skip


def _corrected(correct: Any, pvalues: Sequence[float]) -> list[float]:
    """The p-values, corrected for the number of those that are known."""
    known = [p for p in pvalues if not math.isnan(p)]
    left = iter(correct(known).pvalues.tolist() if known else ())
    return [p if math.isnan(p) else next(left) for p in pvalues]


def _verdict(found: Estimate, together: bool, alone: bool) -> Verdict:
    """What both together say of what the judge alone finds."""
    if math.isnan(found.pvalue):
        return "unknown"
    if not alone:
        return "missed" if together else "neither"
    if not together:
        return "not confirmed"
    return "confirmed" if found.estimate * found.alone > 0 else "reversed"


def _trust(
    who: str,
    one: Estimates,
    runs: Sequence[JudgedRun],
    pairs: Sequence[JudgedPair],
    alpha: float,
) -> Trust:
    """A judge in brief."""
    labelled = [run for run in runs if run.found.n]
    verdicts = [pair.verdict for pair in pairs]
    found = [*(run.found for run in runs), *(pair.found for pair in pairs)]
    n, others = one.size
    worth = [n * _worth(x, one) for x in found]
    made = Trust(
        who, one.measure, one.unit, n, others,
        _median(worth[: len(runs)]), _median(worth[len(runs) :]) if pairs else None,
        _mean_bias(labelled, one), max((run.found.bias for run in labelled), key=abs),
        _moved(labelled, one.lower_is_better), _tau(labelled),
        sum(pair.alone_pvalue <= alpha for pair in pairs),
        verdicts.count("not confirmed"), verdicts.count("reversed"), verdicts.count("missed"),
        "", _in_all(one, runs, pairs), "; ".join(filter(None, {x.why_not: None for x in found})),
    )  # fmt: skip
    chosen = any(x.unpromised == NOT_RANDOM for x in found)
    return replace(made, sentence=_sentence(made, NOT_RANDOM if chosen else ""))


def _mean_bias(runs: Sequence[JudgedRun], one: Estimates) -> float:
    """The bias over all that people judged: runs with more labelled answers count more."""
    weights = [run.found.n if isinstance(one, ByAnswer) else 1 for run in runs]
    return math.fsum(run.found.bias * n for run, n in zip(runs, weights, strict=True)) / sum(
        weights
    )


def _worth(found: Estimate, one: Estimates) -> float:
    """How many labels of people without the judge tell as much as one with it."""
    units = found.n if isinstance(one, ByAnswer) else one.size[0]
    return found.n_eff / units if units else math.nan


def _moved(runs: Sequence[JudgedRun], lower_is_better: bool) -> int:
    """How many runs the judge alone puts at another rank, among those with an estimate."""
    sign = -1.0 if lower_is_better else 1.0
    both = _ranks(sign * np.array([run.found.estimate for run in runs]))
    alone = _ranks(sign * np.array([run.found.alone for run in runs]))
    return sum(a != b for a, b in zip(both, alone, strict=True))


def _tau(runs: Sequence[JudgedRun]) -> float | None:
    """How alike both together and the judge alone rank the runs."""
    if len(runs) < 2:
        return None
    return kendall([run.found.estimate for run in runs], [run.found.alone for run in runs]).value


def _in_all(one: Estimates, runs: Sequence[JudgedRun], pairs: Sequence[JudgedPair]) -> int | None:
    """How many labels are enough for all runs and pairs, if any number is."""
    needed = [run.found.needed for run in runs] + [pair.found.needed for pair in pairs]
    if not isinstance(one, ByAnswer) or None in needed:
        return _most(needed)
    judged: dict[str, int] = dict(zip(one.runs, one.judged.sum(axis=1).tolist(), strict=True))
    of = [judged[x.run] for x in runs] + [judged[x.run] + judged[x.other] for x in pairs]
    fraction = max(x / every for x, every in zip(needed, of, strict=True) if x is not None)
    return sum(math.ceil(fraction * count - 1e-9) for count in judged.values())


def _most(needed: Sequence[int | None]) -> int | None:
    """What is enough for all, if anything is."""
    known = [x for x in needed if x is not None]
    return max(known) if len(known) == len(needed) else None


def _median(values: Iterable[float]) -> float:
    """Of those that are numbers."""
    known = [x for x in values if not math.isnan(x)]
    return float(np.median(known)) if known else math.nan


def _sentence(trust: Trust, doubt: str = "") -> str:
    """Whether the judge was worth it, if nothing makes it doubtful."""
    judged, by = counted(trust.n, trust.unit), f"by {trust.measure}"
    if not trust.others:
        return (
            f"{trust.judge} adds nothing {by}: people judged all {judged} that it did, and what "
            "is estimated is what they say"
        )
    worth = [x for x in (trust.n_eff, trust.n_eff_pairs) if x is not None and not math.isnan(x)]
    if doubt or not worth:
        why = f": {doubt}" if doubt else ""
        return f"it cannot be told {by} whether {trust.judge} was worth it{why}"
    of = ["scores", "differences of runs"] if len(worth) == 2 else ["scores"]
    as_much = " and ".join(f"{round(x):,} for {what}" for x, what in zip(worth, of, strict=True))
    verdicts = ((WORTH, "was worth it"), (LITTLE, "was hardly worth it"), (0, "was not worth it"))
    was = next(verdict for times, verdict in verdicts if max(worth) >= times * trust.n)
    return (
        f"{trust.judge} {was} {by}: {judged} of people with it tell as much as {as_much} without "
        "(median)"
    )


# -- agreement, favour ----------------------------------------------------------------------------


def _are_declared(judgments: Iterable[Any], options: Mapping[str, Any]) -> bool:
    """Return True if the user declares that these are judgments, by a format or `read_qrels`."""
    declared = any(isinstance(one, Qrels) and one.declared for one in judgments)
    return declared or options.get("qrels_format") is not None


def _agreement(levels: Mapping[str, Judged], per_topic: bool) -> Agreement | None:
    """How far people and judges agree, on what at least two of them labelled."""
    votes: dict[str, dict[str, dict[str, float]]] = {}
    for who, judged in levels.items():
        for topic, docs in judged.items():
            for doc, level in docs.items():
                votes.setdefault(topic, {}).setdefault(doc, {})[who] = level
    shared = {
        topic: {doc: by for doc, by in docs.items() if len(by) > 1} for topic, docs in votes.items()
    }
    shared = {topic: docs for topic, docs in shared.items() if docs}
    if not shared:
        return None
    seen = sorted({x for docs in shared.values() for by in docs.values() for x in by.values()})
    return agreement(
        Assessments(tuple(levels), shared, {level: exact(level) for level in seen}), per_topic
    )


def _about_agreement(agreed: Agreement | None) -> list[Notice]:
    """What is to be known of it; that not all labelled the same is usual here."""
    told = () if agreed is None else agreed.notices
    return [notice for notice in told if notice.kind != "fleiss"]


def _families(
    teams: TeamsLike,
    family: str | None,
    judges: Mapping[str, Any],
    runs: Sequence[str],
    notices: list[Notice],
) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The team of each run, and the family of each judge, if that is known."""
    if teams is None:
        if family is not None:
            raise InputError("a family without teams", "teams: whose the runs are")
        return {}, {}
    known = read_teams(teams)
    own = {who: known[who] for who in judges if who in known}
    of_runs = {run: team for run, team in known.items() if run not in own}
    notices += about_teams(runs, of_runs)
    every = {of_runs.get(run, run) for run in runs}
    if family is not None:
        if family not in every:
            raise InputError(f"the family {family}", f"one of {', '.join(sorted(every))}")
        own |= dict.fromkeys(list(judges)[:1], family)
    if len(every) < 2:
        raise InputError(f"runs of one team, {every.pop()}", "at least two teams")
    return {run: of_runs.get(run, run) for run in runs}, own


def _all_favours(
    estimates: Mapping[str, Sequence[Estimates]],
    team_of: Mapping[str, str],
    own: Mapping[str, str],
    correction: str,
) -> Iterator[Favour]:
    """Of each judge, by each measure."""
    for who, each in estimates.items():
        for one in each:
            yield from _favours(who, one, team_of, own, correction)


def _favours(
    who: str,
    one: Estimates,
    team_of: Mapping[str, str],
    own: Mapping[str, str],
    correction: str,
) -> list[Favour]:
    """Whether a judge favours the runs of a team: its bias there, less that of all other runs."""
    made = list[Favour]()
    for team in dict.fromkeys(team_of.values()):
        members = np.array([team_of[run] == team for run in one.runs])
        contrast = members / members.sum() - ~members / (~members).sum()
        x = one.of(contrast)
        own_one = own.get(who) == team
        made.append(
            Favour(who, one.measure, team, int(members.sum()), own_one, x.bias, x.bias_low,
                   x.bias_high, x.bias_pvalue)
        )  # fmt: skip
    rest = [i for i, favour in enumerate(made) if not favour.own and favour.pvalue is not None]
    corrected = CORRECTIONS[correction]([made[i].pvalue or 0.0 for i in rest]).pvalues.tolist()
    for i, p in zip(rest, corrected, strict=True):
        made[i] = replace(made[i], pvalue=p)
    return sorted(made, key=lambda favour: not favour.own)


def _cautions(
    made: Sequence[Found],
    one: Estimates,
    drawn: Drawn | None,
) -> Iterator[Notice]:
    """What should be known before anything of it is believed."""
    if not isinstance(one, BySample) and drawn is None:
        text = f"intervals hold if the {one.unit}s that people judged were drawn at random from all"
        yield Notice("drawn", f"{text}, which nobody said (drawn: random, or chosen)")
    told: dict[str, list[str]] = {}
    needless: dict[str, list[str]] = {}
    target = option("--target", "target")
    for trust, runs, pairs in made:
        rows = [(one.run, one.found) for one in runs]
        rows += [(f"{one.run} – {one.other}", one.found) for one in pairs]
        for called, found in rows:
            if found.unpromised:
                told.setdefault(found.unpromised, []).append(called)
            if found.why_not:
                best = "" if found.at_best is None else f" ±{rounded(found.at_best)}"
                needless.setdefault(found.why_not, []).append(f"{called}{best}")
        against = [run.run for run in runs if not run.found.agrees]
        if against:
            text = f"{trust.measure}: scores of {trust.judge} do not rise with people's for "
            yield Notice("no-agreement", f"{text}{some(against, 'run')}: it is of no use there")
    for why, names in told.items():
        few = some(names, "estimate")
        yield Notice("not-promised", f"{few} without a promise: {why}")
    for why, names in needless.items():
        few = some(names, "estimate")
        yield Notice("target", f"{few} without a number of labels for {target}: {why}")
