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
from cranfield.assess.assessments import Assessments, format_exact
from cranfield.assess.teams import note_teams
from cranfield.data.audits import AuditLike
from cranfield.data.judged_answers import Invalid
from cranfield.data.qrels import Qrels
from cranfield.data.tracks import TeamsLike, read_teams
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError, check_choice
from cranfield.judging.estimates import (
    NOT_RANDOM,
    AnswerEstimator,
    Estimate,
    Estimator,
    SampleEstimator,
)
from cranfield.judging.inputs import (
    AnswerKind,
    Judged,
    JudgeSettings,
    MissingLabels,
    from_answers,
    from_judgments,
    from_scores,
)
from cranfield.meta.rankings import count_above_and_tied, kendall
from cranfield.scores import Note
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.result import check_alpha, check_confidence
from cranfield.wording import format_count, format_names, format_number, format_option

Sampling: TypeAlias = Literal["random", "chosen", "labels"]
Verdict: TypeAlias = Literal[
    "confirmed", "not confirmed", "reversed", "missed", "neither", "unknown"
]  # fmt: skip
JudgeResult: TypeAlias = "tuple[Trust, list[JudgedRun], list[JudgedPair]]"
USEFUL = 1.15  # times as many topics or documents, from which on a judge was worth it,
SLIGHTLY_USEFUL = 1.05  # and hardly


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
class JudgeReport(TableResult, tables="judge"):
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
    drawn: Sampling | None = None
    target: float | None = None
    notes: tuple[Note, ...] = field(default=())
    of: AnswerKind | None = None  # what of answers was judged; documents were, if nothing is said

    def __repr__(self) -> str:
        return "\n".join(["JudgeReport:", *(trust.sentence for trust in self.trusts)])


def judge(
    people: Any,
    judge: Any,
    runs: Any = None,
    measures: Any = None,
    *,
    of: AnswerKind | None = None,
    others: Mapping[str, Any] | None = None,
    names: Sequence[str] = ("people", "judge"),
    audit: AuditLike = None,
    teams: TeamsLike = None,
    family: str | None = None,
    drawn: Sampling | None = None,
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
    _check_arguments(names, audit, runs, drawn, target, correction)
    check_choice("missing_labels", missing_labels, MissingLabels)
    if of is not None:
        _check_answer_arguments(of, runs, audit)
    check_alpha(alpha)
    check_confidence(confidence)
    human_name, name = names
    judges = {name: judge, **(others or {})}
    if human_name in judges or len(judges) != 1 + len(others or {}):
        raise InputError(
            f"judges named {', '.join(judges)}", f"names other than {human_name}, each once"
        )
    settings = JudgeSettings(
        confidence, target, drawn != "chosen", runs, measures, options, [], invalid, missing_labels,
        drawn == "labels", _has_declared([people, *judges.values()], options),
    )  # fmt: skip
    agreement_result = None
    if of is not None:
        estimates, labels = from_answers(people, judges, human_name, of, settings)
        agreement_result = _compute_agreement(labels, per_topic)
    elif runs is None:
        if drawn == "labels":
            raise InputError("drawn=labels and scores", "labels: runs, or of=nuggets or citations")
        estimates = from_scores(people, judges, human_name, settings)
    else:
        human_levels, levels = (
            settings.read_levels(people),
            {judge_name: settings.read_levels(x) for judge_name, x in judges.items()},
        )
        estimates = from_judgments(human_levels, levels, human_name, audit, settings)
        agreement_result = _compute_agreement({human_name: human_levels, **levels}, per_topic)
    results = _build_results(estimates, alpha, correction)
    first_estimator = next(iter(estimates.values()))[0]
    team_of, judge_families = _read_families(
        teams, family, judges, first_estimator.runs, settings.notes
    )
    notes = (
        *_deduplicate_notes(settings.notes),
        *_collect_notes(results, first_estimator, drawn),
        *_select_agreement_notes(agreement_result),
    )
    return JudgeReport(
        (human_name, *judges),
        tuple(trust for trust, _, _ in results),
        tuple(run for _, rows, _ in results for run in rows),
        tuple(pair for _, _, rows in results for pair in rows),
        agreement_result,
        tuple(_compute_all_favours(estimates, team_of, judge_families, correction)),
        first_estimator.unit,
        alpha,
        correction,
        confidence,
        drawn,
        target,
        notes,
        of,
    )


def _check_arguments(
    names: Sequence[str], audit: Any, runs: Any, drawn: Any, target: Any, correction: str
) -> None:
    """Refuse what cannot be meant."""
    if isinstance(names, str) or len(names) != 2 or len({*names}) < 2:
        raise InputError(f"names {names!r}", "two different ones, of people and of the judge")
    if drawn is not None:
        check_choice("drawn", drawn, Sampling)
    check_choice("correction", correction, CORRECTIONS)
    if audit is not None and runs is None:
        raise InputError("an audit without runs", "runs: it is of their documents")
    if audit is not None and drawn is not None:
        raise InputError("an audit and drawn=", "one of them: an audit says what was drawn")
    is_number = isinstance(target, int | float) and not isinstance(target, bool)
    if target is not None and not (is_number and 0 < target < math.inf):
        raise InputError(f"target={target!r}", "a number above 0")


def _check_answer_arguments(of: AnswerKind, runs: Any, audit: Any) -> None:
    """Refuse what there is none of with answers."""
    check_choice("of", of, AnswerKind)
    if runs is not None or audit is not None:
        raise InputError(f"of={of} and runs or an audit", "what was judged of answers alone")


def _deduplicate_notes(notes: Sequence[Note]) -> Sequence[Note]:
    """Each sentence once."""
    return [*{note.text: note for note in notes}.values()]


# -- what is said of it ---------------------------------------------------------------------------


def _build_results(
    estimates: Mapping[str, Sequence[Estimator]], alpha: float, correction: str
) -> list[JudgeResult]:
    """All of it, judge by judge and measure by measure."""
    return [
        _build_result(judge_name, estimator, alpha, correction)
        for judge_name, estimators in estimates.items()
        for estimator in estimators
    ]


def _build_result(
    judge_name: str, estimator: Estimator, alpha: float, correction: str
) -> JudgeResult:
    """All runs and pairs by a judge and a measure."""
    contrasts = np.eye(len(estimator.runs))
    of_runs = [estimator.estimate(contrast) for contrast in contrasts]
    sign = -1.0 if estimator.lower_is_better else 1.0
    ranks = _rank(sign * np.array([x.estimate for x in of_runs]))
    alone = _rank(sign * np.array([x.alone for x in of_runs]))
    last = len(ranks) + 1
    by_rank = sorted(range(len(ranks)), key=lambda r: (ranks[r] or last, alone[r] or last))
    runs = [
        JudgedRun(judge_name, estimator.measure, estimator.runs[r], of_runs[r], ranks[r], alone[r])
        for r in by_rank
    ]
    pairs = _compare_pairs(judge_name, estimator, by_rank, alpha, correction)
    return _build_trust(judge_name, estimator, runs, pairs, alpha), runs, pairs


def _rank(values: Floats) -> list[int | None]:
    """From 1, the highest first; tied ones have the same, and unknown ones none."""
    defined = ~np.isnan(values)
    ranks = iter(count_above_and_tied(values[defined])[0] + 1) if defined.any() else iter(())
    return [int(next(ranks)) if is_defined else None for is_defined in defined.tolist()]


def _compare_pairs(
    judge_name: str, estimator: Estimator, by_rank: Sequence[int], alpha: float, correction: str
) -> list[JudgedPair]:
    """All pairs of runs, the better one first."""
    contrasts, pairs = np.eye(len(estimator.runs)), [*combinations(by_rank, 2)]
    estimated = [estimator.estimate(contrasts[a] - contrasts[b]) for a, b in pairs]
    correct = CORRECTIONS[correction]
    pvalues = _correct_pvalues(correct, [x.pvalue for x in estimated])
    alone_pvalues = _correct_pvalues(correct, [x.alone_pvalue for x in estimated])
    return [
        JudgedPair(
            judge_name, estimator.measure, estimator.runs[a], estimator.runs[b], x, p, q,
            _choose_verdict(x, p <= alpha, q <= alpha),
        )
        for (a, b), x, p, q in zip(pairs, estimated, pvalues, alone_pvalues, strict=True)
    ]  # fmt: skip


def _correct_pvalues(correct: Any, pvalues: Sequence[float]) -> list[float]:
    """The p-values, corrected for the number of those that are known."""
    defined = [p for p in pvalues if not math.isnan(p)]
    corrected = iter(correct(defined).pvalues.tolist() if defined else ())
    return [p if math.isnan(p) else next(corrected) for p in pvalues]


def _choose_verdict(result: Estimate, together: bool, alone: bool) -> Verdict:
    """What both together say of what the judge alone finds."""
    if math.isnan(result.pvalue):
        return "unknown"
    if not alone:
        return "missed" if together else "neither"
    if not together:
        return "not confirmed"
    return "confirmed" if result.estimate * result.alone > 0 else "reversed"


def _build_trust(
    judge_name: str,
    estimator: Estimator,
    runs: Sequence[JudgedRun],
    pairs: Sequence[JudgedPair],
    alpha: float,
) -> Trust:
    """A judge in brief."""
    labelled = [run for run in runs if run.found.n]
    verdicts = [pair.verdict for pair in pairs]
    estimated = [*(run.found for run in runs), *(pair.found for pair in pairs)]
    n, rest = estimator.size
    label_ratios = [n * _compute_label_ratio(x, estimator) for x in estimated]
    trust = Trust(
        judge_name, estimator.measure, estimator.unit, n, rest,
        _compute_median(label_ratios[: len(runs)]), _compute_median(label_ratios[len(runs) :]) if pairs else None,
        _compute_mean_bias(labelled, estimator), max((run.found.bias for run in labelled), key=abs),
        _count_moved(labelled, estimator.lower_is_better), _compute_tau(labelled),
        sum(pair.alone_pvalue <= alpha for pair in pairs),
        verdicts.count("not confirmed"), verdicts.count("reversed"), verdicts.count("missed"),
        "", _count_required(estimator, runs, pairs), "; ".join(filter(None, {x.why_not: None for x in estimated})),
    )  # fmt: skip
    is_chosen = any(x.unpromised == NOT_RANDOM for x in estimated)
    return replace(trust, sentence=_format_sentence(trust, NOT_RANDOM if is_chosen else ""))


def _compute_mean_bias(runs: Sequence[JudgedRun], estimator: Estimator) -> float:
    """The bias over all that people judged: runs with more labelled answers count more."""
    weights = [run.found.n if isinstance(estimator, AnswerEstimator) else 1 for run in runs]
    return math.fsum(run.found.bias * n for run, n in zip(runs, weights, strict=True)) / sum(
        weights
    )


def _compute_label_ratio(result: Estimate, estimator: Estimator) -> float:
    """How many labels of people without the judge tell as much as one with it."""
    units = result.n if isinstance(estimator, AnswerEstimator) else estimator.size[0]
    return result.n_eff / units if units else math.nan


def _count_moved(runs: Sequence[JudgedRun], lower_is_better: bool) -> int:
    """How many runs the judge alone puts at another rank, among those with an estimate."""
    sign = -1.0 if lower_is_better else 1.0
    ranks = _rank(sign * np.array([run.found.estimate for run in runs]))
    alone = _rank(sign * np.array([run.found.alone for run in runs]))
    return sum(a != b for a, b in zip(ranks, alone, strict=True))


def _compute_tau(runs: Sequence[JudgedRun]) -> float | None:
    """How alike both together and the judge alone rank the runs."""
    if len(runs) < 2:
        return None
    return kendall([run.found.estimate for run in runs], [run.found.alone for run in runs]).value


def _count_required(
    estimator: Estimator, runs: Sequence[JudgedRun], pairs: Sequence[JudgedPair]
) -> int | None:
    """How many labels are enough for all runs and pairs, if any number is."""
    required = [run.found.needed for run in runs] + [pair.found.needed for pair in pairs]
    if not isinstance(estimator, AnswerEstimator) or None in required:
        return _max_required(required)
    judged: dict[str, int] = dict(
        zip(estimator.runs, estimator.judged.sum(axis=1).tolist(), strict=True)
    )
    judged_counts = [judged[x.run] for x in runs] + [judged[x.run] + judged[x.other] for x in pairs]
    fraction = max(
        x / judged_count
        for x, judged_count in zip(required, judged_counts, strict=True)
        if x is not None
    )
    return sum(math.ceil(fraction * count - 1e-9) for count in judged.values())


def _max_required(required: Sequence[int | None]) -> int | None:
    """What is enough for all, if anything is."""
    defined = [x for x in required if x is not None]
    return max(defined) if len(defined) == len(required) else None


def _compute_median(values: Iterable[float]) -> float:
    """Of those that are numbers."""
    defined = [x for x in values if not math.isnan(x)]
    return float(np.median(defined)) if defined else math.nan


def _format_sentence(trust: Trust, doubt: str = "") -> str:
    """Whether the judge was worth it, if nothing makes it doubtful."""
    judged, by_measure = format_count(trust.n, trust.unit), f"by {trust.measure}"
    if not trust.others:
        return (
            f"{trust.judge} adds nothing {by_measure}: people judged all {judged} that it did, and what "
            "is estimated is what they say"
        )
    effective_sizes = [
        x for x in (trust.n_eff, trust.n_eff_pairs) if x is not None and not math.isnan(x)
    ]
    if doubt or not effective_sizes:
        reason = f": {doubt}" if doubt else ""
        return f"it cannot be told {by_measure} whether {trust.judge} was worth it{reason}"
    nouns = ["scores", "differences of runs"] if len(effective_sizes) == 2 else ["scores"]
    equivalents = " and ".join(
        f"{round(x):,} for {noun}" for x, noun in zip(effective_sizes, nouns, strict=True)
    )
    verdicts = (
        (USEFUL, "was worth it"),
        (SLIGHTLY_USEFUL, "was hardly worth it"),
        (0, "was not worth it"),
    )
    verdict_text = next(
        verdict for times, verdict in verdicts if max(effective_sizes) >= times * trust.n
    )
    return (
        f"{trust.judge} {verdict_text} {by_measure}: {judged} of people with it tell as much as {equivalents} without "
        "(median)"
    )


# -- agreement, favour ----------------------------------------------------------------------------


def _has_declared(judgments: Iterable[Any], options: Mapping[str, Any]) -> bool:
    """Return True if the user declares that these are judgments, by a format or `read_qrels`."""
    declared = any(
        isinstance(judgment_set, Qrels) and judgment_set.declared for judgment_set in judgments
    )
    return declared or options.get("qrels_format") is not None


def _compute_agreement(levels: Mapping[str, Judged], per_topic: bool) -> Agreement | None:
    """How far people and judges agree, on what at least two of them labelled."""
    votes: dict[str, dict[str, dict[str, float]]] = {}
    for assessor, judged in levels.items():
        for topic, docs in judged.items():
            for doc, level in docs.items():
                votes.setdefault(topic, {}).setdefault(doc, {})[assessor] = level
    shared = {
        topic: {doc: by_assessor for doc, by_assessor in docs.items() if len(by_assessor) > 1}
        for topic, docs in votes.items()
    }
    shared = {topic: docs for topic, docs in shared.items() if docs}
    if not shared:
        return None
    level_values = sorted(
        {
            x
            for docs in shared.values()
            for by_assessor in docs.values()
            for x in by_assessor.values()
        }
    )
    return agreement(
        Assessments(tuple(levels), shared, {level: format_exact(level) for level in level_values}),
        per_topic,
    )


def _select_agreement_notes(agreed: Agreement | None) -> list[Note]:
    """What is to be known of it; that not all labelled the same is usual here."""
    notes = () if agreed is None else agreed.notes
    return [note for note in notes if note.kind != "fleiss"]


def _read_families(
    teams: TeamsLike,
    family: str | None,
    judges: Mapping[str, Any],
    runs: Sequence[str],
    notes: list[Note],
) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The team of each run, and the family of each judge, if that is known."""
    if teams is None:
        if family is not None:
            raise InputError("a family without teams", "teams: whose the runs are")
        return {}, {}
    team_by_name = read_teams(teams)
    judge_families = {
        judge_name: team_by_name[judge_name] for judge_name in judges if judge_name in team_by_name
    }
    of_runs = {run: team for run, team in team_by_name.items() if run not in judge_families}
    notes += note_teams(runs, of_runs)
    team_names = {of_runs.get(run, run) for run in runs}
    if family is not None:
        if family not in team_names:
            raise InputError(f"the family {family}", f"one of {', '.join(sorted(team_names))}")
        judge_families |= dict.fromkeys(list(judges)[:1], family)
    if len(team_names) < 2:
        raise InputError(f"runs of one team, {team_names.pop()}", "at least two teams")
    return {run: of_runs.get(run, run) for run in runs}, judge_families


def _compute_all_favours(
    estimates: Mapping[str, Sequence[Estimator]],
    team_of: Mapping[str, str],
    judge_families: Mapping[str, str],
    correction: str,
) -> Iterator[Favour]:
    """Of each judge, by each measure."""
    for judge_name, estimators in estimates.items():
        for estimator in estimators:
            yield from _compute_favours(judge_name, estimator, team_of, judge_families, correction)


def _compute_favours(
    judge_name: str,
    estimator: Estimator,
    team_of: Mapping[str, str],
    judge_families: Mapping[str, str],
    correction: str,
) -> list[Favour]:
    """Whether a judge favours the runs of a team: its bias there, less that of all other runs."""
    favours = list[Favour]()
    for team in dict.fromkeys(team_of.values()):
        members = np.array([team_of[run] == team for run in estimator.runs])
        contrast = members / members.sum() - ~members / (~members).sum()
        result = estimator.estimate(contrast)
        is_own = judge_families.get(judge_name) == team
        favours.append(
            Favour(judge_name, estimator.measure, team, int(members.sum()), is_own, result.bias, result.bias_low,
                   result.bias_high, result.bias_pvalue)
        )  # fmt: skip
    rest = [i for i, favour in enumerate(favours) if not favour.own and favour.pvalue is not None]
    corrected = CORRECTIONS[correction]([favours[i].pvalue or 0.0 for i in rest]).pvalues.tolist()
    for i, p in zip(rest, corrected, strict=True):
        favours[i] = replace(favours[i], pvalue=p)
    return sorted(favours, key=lambda favour: not favour.own)


def _collect_notes(
    results: Sequence[JudgeResult],
    estimator: Estimator,
    sampling: Sampling | None,
) -> Iterator[Note]:
    """What should be known before anything of it is believed."""
    if not isinstance(estimator, SampleEstimator) and sampling is None:
        text = f"intervals hold if the {estimator.unit}s that people judged were drawn at random from all"
        yield Note("drawn", f"{text}, which nobody said (drawn: random, or chosen)")
    doubts: dict[str, list[str]] = {}
    missing_counts: dict[str, list[str]] = {}
    target = format_option("--target", "target")
    for trust, runs, pairs in results:
        rows = [(estimator.run, estimator.found) for estimator in runs]
        rows += [(f"{estimator.run} – {estimator.other}", estimator.found) for estimator in pairs]
        for label, result in rows:
            if result.unpromised:
                doubts.setdefault(result.unpromised, []).append(label)
            if result.why_not:
                best = "" if result.at_best is None else f" ±{format_number(result.at_best)}"
                missing_counts.setdefault(result.why_not, []).append(f"{label}{best}")
        against = [run.run for run in runs if not run.found.agrees]
        if against:
            text = f"{trust.measure}: scores of {trust.judge} do not rise with people's for "
            yield Note(
                "no-agreement", f"{text}{format_names(against, 'run')}: it is of no use there"
            )
    for reason, names in doubts.items():
        estimates_text = format_names(names, "estimate")
        yield Note("not-promised", f"{estimates_text} without a promise: {reason}")
    for reason, names in missing_counts.items():
        estimates_text = format_names(names, "estimate")
        yield Note("target", f"{estimates_text} without a number of labels for {target}: {reason}")
