"""Evaluation with an LLM judge of all topics and human judgments of some."""

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
from cranfield.judging.estimates import NOT_RANDOM, AnswerEstimator, Estimate, Estimator, SampleEstimator
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
from cranfield.tables import ResultTable
from cranfield.wording import format_count, format_names, format_number, format_option

Sampling: TypeAlias = Literal["random", "chosen", "labels"]
Verdict: TypeAlias = Literal[
    "confirmed", "not confirmed", "reversed", "missed", "neither", "unknown"
]  # fmt: skip
JudgeResult: TypeAlias = "tuple[Trust, list[JudgedRun], list[JudgedPair]]"
USEFUL = 1.15  # factor of topics or documents from which a judge was useful
SLIGHTLY_USEFUL = 1.05  # or hardly useful


@dataclass(frozen=True)
class JudgedRun:
    """Estimate of a run, and its ranks by the estimate and by the judge only.

    A run without an estimate has no rank.
    """

    judge: str
    measure: str
    run: str
    found: Estimate
    rank: int | None
    alone_rank: int | None


@dataclass(frozen=True)
class JudgedPair:
    """Estimated difference of two runs, and the difference by the judge only.

    `pvalue` and `alone_pvalue` are corrected for the number of pairs. A difference that is
    significant by the judge only is confirmed, not confirmed or reversed by the estimate. A
    difference that is only significant by the estimate was missed. Without an interval, the verdict
    is unknown.
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
    """Usefulness of a judge by a measure, and errors of using only the judge.

    `n` and `others` are the numbers of topics, answers or documents with human labels, and with
    judge labels only. `n_eff` and `n_eff_pairs` are the numbers of human labels that would give the
    same precision without the judge: medians over runs, and over pairs. `mean_bias` is the bias
    over units with human labels. `tau` is the correlation of the rankings of runs by the estimates
    and by the judge only. `needed` is the total number of human labels for the requested half-width
    of all runs and pairs: None if none was requested, or for the reasons in `why_not`.
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
    moved: int  # runs with another rank by the judge only
    tau: float | None
    significant: int  # significant pairs by the judge only
    unconfirmed: int
    reversed: int
    missed: int
    sentence: str
    needed: int | None = None
    why_not: str = ""


@dataclass(frozen=True)
class Favour:
    """Favour of a judge for the runs of a team.

    It is relative to all other runs and to human judgments. `own` is True if the team is the family
    of the judge.
    """

    judge: str
    measure: str
    team: str
    runs: int
    own: bool
    favour: float
    low: float | None
    high: float | None
    pvalue: float | None  # corrected for the number of teams, except for the own family


@dataclass(frozen=True, eq=False, repr=False)
class JudgeReport(TableResult):
    """Estimates from LLM judges and human judgments, and their reliability.

    `names` are the names of the human judgments and of the judges. `trusts` has a row for each
    judge and measure, `runs` and `pairs` the estimates. `agreement` covers documents with at least
    two labels and is None if only scores are known. `favours` are set if teams are.
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
    of: AnswerKind | None = None  # judged parts of answers; None: documents

    def _build_tables(self) -> list[ResultTable]:
        from cranfield.judging.judge_tables import build_tables

        return build_tables(self)

    def _select_tables(self, format: str) -> tuple[str, ...]:
        from cranfield.judging.judge_tables import select_tables

        return select_tables(self, format)

    def _build_settings(self) -> dict[str, Any]:
        from cranfield.judging.judge_tables import build_settings

        return build_settings(self)

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
    """Estimate scores of runs from LLM judgments and some human judgments.

    By topics: n random topics have human judgments (`people`), these and others have judgments by
    the `judge`. Every mean, and every difference of two runs, is estimated from both by
    prediction-powered inference (`cf.stats.prediction_powered`). The interval holds for any judge.
    Without `runs`, `people` and `judge` are scores by topic (input of `cf.read_scores`) of any
    kind: nuggets, citations, answers. With `of`, they are judgments of answers (input of
    `cf.evaluate_answers`): assignments (``nuggets``) or support (``citations``), which can also be
    compared label by label. `drawn` is the way the topics for humans were chosen: ``random``, or
    ``chosen``, which gives no intervals. If only some answers of a topic have human judgments, each
    run is estimated from its own answers. Answers without human judgment are unknown, and only
    their judge scores are used. A run without human labels has no estimate. `invalid` is the
    treatment of labels of answers outside the scale: ``error`` or ``missing``.

    A human score is also unknown if it depends on documents, nuggets or citations that have only a
    judge label. With ``missing_labels="nonrelevant"`` such documents count as nonrelevant. With
    ``drawn="labels"``, the human labels are a random sample of individual documents, nuggets or
    citations with judge labels, and these are the units of the estimate.

    Within topics: with an `audit` (`cf.audit`, ``cranfield pool --audit``), all documents have
    judge labels, and the documents at the start of the audit have human labels. Measures that are
    sums (P, DCG, RBP) are estimated for these topics by `cf.stats.difference_estimate`. For other
    measures (nDCG, AP), labels of documents that were not drawn are imputed, the estimate is
    corrected, and the bootstrap of topics gives intervals that also hold for other topics.

    Each estimate is reported with the score by the judge only, and with the changes of ranks and
    significant differences if only the judge is used. `others` are further judges, by name. All are
    compared with the human judgments and with each other, on documents with both labels. With
    `teams` (``{run: team}``), tests show whether a judge favours the runs of a team, especially of
    its own `family`. `target` is the requested half-width of intervals, for which the number of
    required human labels is reported. Other `options` are the options of `evaluate`.

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
        raise InputError(f"judges named {', '.join(judges)}", f"names other than {human_name}, each once")
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
            raise InputError.from_problem("drawn=labels requires runs or of=nuggets or citations")
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
    team_of, judge_families = _read_families(teams, family, judges, first_estimator.runs, settings.notes)
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


def _check_arguments(names: Sequence[str], audit: Any, runs: Any, drawn: Any, target: Any, correction: str) -> None:
    """Raise an error for invalid arguments or combinations."""
    if isinstance(names, str) or len(names) != 2 or len({*names}) < 2:
        raise InputError(f"names {names!r}", "two different names, of the human judgments and of the judge")
    if drawn is not None:
        check_choice("drawn", drawn, Sampling)
    check_choice("correction", correction, CORRECTIONS)
    if audit is not None and runs is None:
        raise InputError.from_problem("audit requires runs")
    if audit is not None and drawn is not None:
        raise InputError.from_problem("use either audit or drawn, not both")
    is_number = isinstance(target, int | float) and not isinstance(target, bool)
    if target is not None and not (is_number and 0 < target < math.inf):
        raise InputError(f"target={target!r}", "a number above 0")


def _check_answer_arguments(of: AnswerKind, runs: Any, audit: Any) -> None:
    """Raise an error for arguments that are not possible with answers."""
    check_choice("of", of, AnswerKind)
    if runs is not None or audit is not None:
        raise InputError.from_problem(f"of={of} cannot be combined with runs or an audit")


def _deduplicate_notes(notes: Sequence[Note]) -> Sequence[Note]:
    """Return each note once."""
    return [*{note.text: note for note in notes}.values()]


# -- results --------------------------------------------------------------------------------------


def _build_results(estimates: Mapping[str, Sequence[Estimator]], alpha: float, correction: str) -> list[JudgeResult]:
    """Build the results of every judge and measure."""
    return [
        _build_result(judge_name, estimator, alpha, correction)
        for judge_name, estimators in estimates.items()
        for estimator in estimators
    ]


def _build_result(judge_name: str, estimator: Estimator, alpha: float, correction: str) -> JudgeResult:
    """Build the summary, runs and pairs of a judge and a measure."""
    contrasts = np.eye(len(estimator.runs))
    of_runs = [estimator.estimate(contrast) for contrast in contrasts]
    sign = -1.0 if estimator.lower_is_better else 1.0
    ranks = _rank(sign * np.array([x.estimate for x in of_runs]))
    alone = _rank(sign * np.array([x.alone for x in of_runs]))
    last = len(ranks) + 1
    by_rank = sorted(range(len(ranks)), key=lambda r: (ranks[r] or last, alone[r] or last))
    runs = [
        JudgedRun(judge_name, estimator.measure, estimator.runs[r], of_runs[r], ranks[r], alone[r]) for r in by_rank
    ]
    pairs = _compare_pairs(judge_name, estimator, by_rank, alpha, correction)
    return _build_trust(judge_name, estimator, runs, pairs, alpha), runs, pairs


def _rank(values: Floats) -> list[int | None]:
    """Rank values from 1, highest first. Ties share a rank, unknown values have none."""
    defined = ~np.isnan(values)
    ranks = iter(count_above_and_tied(values[defined])[0] + 1) if defined.any() else iter(())
    return [int(next(ranks)) if is_defined else None for is_defined in defined.tolist()]


def _compare_pairs(
    judge_name: str, estimator: Estimator, by_rank: Sequence[int], alpha: float, correction: str
) -> list[JudgedPair]:
    """Compare all pairs of runs, the better one first."""
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
    """Return the p-values corrected for the number of known ones."""
    defined = [p for p in pvalues if not math.isnan(p)]
    corrected = iter(correct(defined).pvalues.tolist() if defined else ())
    return [p if math.isnan(p) else next(corrected) for p in pvalues]


def _choose_verdict(result: Estimate, together: bool, alone: bool) -> Verdict:
    """Return the verdict of the estimate on the result of the judge only."""
    if math.isnan(result.pvalue):
        return "unknown"
    if not alone:
        return "missed" if together else "neither"
    if not together:
        return "not confirmed"
    return "confirmed" if result.estimate * result.alone > 0 else "reversed"


def _build_trust(
    judge_name: str, estimator: Estimator, runs: Sequence[JudgedRun], pairs: Sequence[JudgedPair], alpha: float
) -> Trust:
    """Build the summary of a judge."""
    labelled = [run for run in runs if run.found.n]
    verdicts = [pair.verdict for pair in pairs]
    estimated = [*(run.found for run in runs), *(pair.found for pair in pairs)]
    n, rest = estimator.size
    label_ratios = [n * _compute_label_ratio(x, estimator) for x in estimated]
    trust = Trust(
        judge_name, estimator.measure, estimator.unit, n, rest,
        _compute_median(label_ratios[: len(runs)]),
        _compute_median(label_ratios[len(runs) :]) if pairs else None,
        _compute_mean_bias(labelled, estimator), max((run.found.bias for run in labelled), key=abs),
        _count_moved(labelled, estimator.lower_is_better), _compute_tau(labelled),
        sum(pair.alone_pvalue <= alpha for pair in pairs),
        verdicts.count("not confirmed"), verdicts.count("reversed"), verdicts.count("missed"),
        "", _count_required(estimator, runs, pairs),
        "; ".join(filter(None, {x.why_not: None for x in estimated})),
    )  # fmt: skip
    is_chosen = any(x.unpromised == NOT_RANDOM for x in estimated)
    return replace(trust, sentence=_format_sentence(trust, NOT_RANDOM if is_chosen else ""))


def _compute_mean_bias(runs: Sequence[JudgedRun], estimator: Estimator) -> float:
    """Return the mean bias over all units with human labels."""
    weights = [run.found.n if isinstance(estimator, AnswerEstimator) else 1 for run in runs]
    return math.fsum(run.found.bias * n for run, n in zip(runs, weights, strict=True)) / sum(weights)


def _compute_label_ratio(result: Estimate, estimator: Estimator) -> float:
    """Return the human labels without judge equivalent to one with judge."""
    units = result.n if isinstance(estimator, AnswerEstimator) else estimator.size[0]
    return result.n_eff / units if units else math.nan


def _count_moved(runs: Sequence[JudgedRun], lower_is_better: bool) -> int:
    """Count the runs with an estimate that have another rank by the judge only."""
    sign = -1.0 if lower_is_better else 1.0
    ranks = _rank(sign * np.array([run.found.estimate for run in runs]))
    alone = _rank(sign * np.array([run.found.alone for run in runs]))
    return sum(a != b for a, b in zip(ranks, alone, strict=True))


def _compute_tau(runs: Sequence[JudgedRun]) -> float | None:
    """Return τ of the rankings of runs by the estimates and by the judge only."""
    if len(runs) < 2:
        return None
    return kendall([run.found.estimate for run in runs], [run.found.alone for run in runs]).value


def _count_required(estimator: Estimator, runs: Sequence[JudgedRun], pairs: Sequence[JudgedPair]) -> int | None:
    """Return the number of labels that is sufficient for all runs and pairs, or None."""
    required = [run.found.needed for run in runs] + [pair.found.needed for pair in pairs]
    if not isinstance(estimator, AnswerEstimator) or None in required:
        return _max_required(required)
    judged: dict[str, int] = dict(zip(estimator.runs, estimator.judged.sum(axis=1).tolist(), strict=True))
    judged_counts = [judged[x.run] for x in runs] + [judged[x.run] + judged[x.other] for x in pairs]
    fraction = max(x / judged_count for x, judged_count in zip(required, judged_counts, strict=True) if x is not None)
    return sum(math.ceil(fraction * count - 1e-9) for count in judged.values())


def _max_required(required: Sequence[int | None]) -> int | None:
    """Return the largest number, or None if one is unknown."""
    defined = [x for x in required if x is not None]
    return max(defined) if len(defined) == len(required) else None


def _compute_median(values: Iterable[float]) -> float:
    """Return the median of the values that are not NaN."""
    defined = [x for x in values if not math.isnan(x)]
    return float(np.median(defined)) if defined else math.nan


def _format_sentence(trust: Trust, doubt: str = "") -> str:
    """Format the usefulness of the judge as a sentence."""
    judged, by_measure = format_count(trust.n, trust.unit), f"by {trust.measure}"
    if not trust.others:
        return (
            f"{trust.judge} adds no information {by_measure}: all {judged} have human judgments, "
            "so the estimates are the human scores"
        )
    effective_sizes = [x for x in (trust.n_eff, trust.n_eff_pairs) if x is not None and not math.isnan(x)]
    if doubt or not effective_sizes:
        reason = f": {doubt}" if doubt else ""
        return f"it is unknown whether {trust.judge} was useful {by_measure}{reason}"
    nouns = ["scores", "differences of runs"] if len(effective_sizes) == 2 else ["scores"]
    equivalents = " and ".join(f"{round(x):,} for {noun}" for x, noun in zip(effective_sizes, nouns, strict=True))
    verdicts = ((USEFUL, "was useful"), (SLIGHTLY_USEFUL, "was hardly useful"), (0, "was not useful"))
    verdict_text = next(verdict for times, verdict in verdicts if max(effective_sizes) >= times * trust.n)
    return (
        f"{trust.judge} {verdict_text} {by_measure}: {judged} with human labels and the judge are "
        f"as precise as {equivalents} without the judge (median)"
    )


# -- agreement, favour ----------------------------------------------------------------------------


def _has_declared(judgments: Iterable[Any], options: Mapping[str, Any]) -> bool:
    """Return True if the user declared the type of the judgments."""
    declared = any(isinstance(judgment_set, Qrels) and judgment_set.declared for judgment_set in judgments)
    return declared or options.get("qrels_format") is not None


def _compute_agreement(levels: Mapping[str, Judged], per_topic: bool) -> Agreement | None:
    """Compute the agreement of humans and judges on items with at least two labels."""
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
        {x for docs in shared.values() for by_assessor in docs.values() for x in by_assessor.values()}
    )
    return agreement(
        Assessments(tuple(levels), shared, {level: format_exact(level) for level in level_values}), per_topic
    )


def _select_agreement_notes(agreed: Agreement | None) -> list[Note]:
    """Return the notes of the agreement, except about incomplete labels."""
    notes = () if agreed is None else agreed.notes
    return [note for note in notes if note.kind != "fleiss"]


def _read_families(
    teams: TeamsLike, family: str | None, judges: Mapping[str, Any], runs: Sequence[str], notes: list[Note]
) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the team of each run, and the known family of each judge."""
    if teams is None:
        if family is not None:
            raise InputError.from_problem("family requires teams")
        return {}, {}
    team_by_name = read_teams(teams)
    judge_families = {judge_name: team_by_name[judge_name] for judge_name in judges if judge_name in team_by_name}
    of_runs = {run: team for run, team in team_by_name.items() if run not in judge_families}
    notes += note_teams(runs, of_runs)
    team_names = {of_runs.get(run, run) for run in runs}
    if family is not None:
        if family not in team_names:
            raise InputError(f"the family {family}", f"one of {', '.join(sorted(team_names))}")
        judge_families |= dict.fromkeys(list(judges)[:1], family)
    if len(team_names) < 2:
        raise InputError(f"only team {team_names.pop()}", "at least 2 teams")
    return {run: of_runs.get(run, run) for run in runs}, judge_families


def _compute_all_favours(
    estimates: Mapping[str, Sequence[Estimator]],
    team_of: Mapping[str, str],
    judge_families: Mapping[str, str],
    correction: str,
) -> Iterator[Favour]:
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
    """Test whether a judge favours runs of a team, by the difference of biases."""
    favours = list[Favour]()
    for team in dict.fromkeys(team_of.values()):
        members = np.array([team_of[run] == team for run in estimator.runs])
        contrast = members / members.sum() - ~members / (~members).sum()
        result = estimator.estimate(contrast)
        is_own = judge_families.get(judge_name) == team
        favours.append(
            Favour(judge_name, estimator.measure, team, int(members.sum()), is_own, result.bias,
                   result.bias_low, result.bias_high, result.bias_pvalue)
        )  # fmt: skip
    rest = [i for i, favour in enumerate(favours) if not favour.own and favour.pvalue is not None]
    corrected = CORRECTIONS[correction]([favours[i].pvalue or 0.0 for i in rest]).pvalues.tolist()
    for i, p in zip(rest, corrected, strict=True):
        favours[i] = replace(favours[i], pvalue=p)
    return sorted(favours, key=lambda favour: not favour.own)


def _collect_notes(results: Sequence[JudgeResult], estimator: Estimator, sampling: Sampling | None) -> Iterator[Note]:
    if not isinstance(estimator, SampleEstimator) and sampling is None:
        text = f"intervals hold only if {estimator.unit}s with human labels were drawn at random"
        choice = format_option("--drawn", "drawn")
        yield Note("drawn", f"{text}. Use {choice} to specify it (random or chosen).")
    doubts: dict[str, list[str]] = {}
    missing_counts: dict[str, list[str]] = {}
    target = format_option("--target", "target")
    for trust, runs, pairs in results:
        rows = [(row.run, row.found) for row in runs]
        rows += [(f"{row.run} – {row.other}", row.found) for row in pairs]
        for label, result in rows:
            if result.unpromised:
                doubts.setdefault(result.unpromised, []).append(label)
            if result.why_not:
                best = "" if result.at_best is None else f" ±{format_number(result.at_best)}"
                missing_counts.setdefault(result.why_not, []).append(f"{label}{best}")
        against = [run.run for run in runs if not run.found.agrees]
        if against:
            text = f"{trust.measure}: scores of {trust.judge} do not rise with human scores for "
            yield Note("no-agreement", f"{text}{format_names(against, 'run')}: the judge is of no use there")
    for reason, names in doubts.items():
        estimates_text = format_names(names, "estimate")
        yield Note("not-promised", f"{estimates_text} may have intervals that do not hold: {reason}")
    for reason, names in missing_counts.items():
        estimates_text = format_names(names, "estimate")
        yield Note("target", f"{estimates_text} without a number of labels for {target}: {reason}")
