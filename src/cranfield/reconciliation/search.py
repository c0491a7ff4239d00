"""`reconcile`: find the conventions behind a published score."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from decimal import Decimal, InvalidOperation
from functools import cached_property
from itertools import combinations, product
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from cranfield.arrays import Floats
from cranfield.data.qrels import QrelsLike, read_qrels
from cranfield.data.reading.columns import ColumnsLike
from cranfield.data.reading.labels import LabelsLike
from cranfield.data.run_inputs import RunLike
from cranfield.data.run_reader import read_runs
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError, check_choice
from cranfield.measures.base import TAKES, Measure
from cranfield.measures.grammar import parse_measure
from cranfield.reconciliation.documents import Documents
from cranfield.reconciliation.scoring import Scoring
from cranfield.reconciliation.switches import (
    DEFAULTS,
    FRACTIONS,
    SWITCHES,
    Data,
    format_options,
    get_kind,
    get_own_conventions,
)
from cranfield.reconciliation.tools import NAMES, TOOLS, Tool, build_conventions
from cranfield.scores import Note
from cranfield.tables import ResultTable
from cranfield.wording import format_count, format_names, suggest_keywords

Said: TypeAlias = Mapping[Any, str | float]
Choice: TypeAlias = tuple[str, str]  # a switch and its option

LIMIT = 20_000  # variants
MAX_CHANGES = 3
NEAR_MISSES = 5
SUSPICIOUS = 0.1  # probability of an accidental match
SLACK = 1e-9  # of the tolerance
DECIMALS = 10  # scores that agree so far are equal


class Target(NamedTuple):
    """A published score: its text, value and tolerance, and the scale of scores."""

    measure: Measure
    text: str
    value: float
    tolerance: float
    decimals: int
    scale: float  # 100 for percentages


@dataclass(frozen=True)
class Variant:
    """A set of conventions, with its value and the difference from the published score.

    `changes` is the number of switches, 1 for the conventions of a tool. `tools` use the same
    conventions, or others with equal scores in all topics. `options` are options of `cranfield
    evaluate`, None if it does not have the conventions. `chance` is the probability of an
    accidental match. With several measures, `value` and `difference` are tuples.
    """

    kind: str  # match, or near
    changes: int
    switches: Mapping[str, str]
    value: Any
    difference: Any
    tools: tuple[str, ...]
    options: str | None
    chance: float | None = None
    distance: float = field(default=0.0, repr=False)  # largest difference, in tolerances

    @property
    def switches_text(self) -> str:
        """The switches as ``gain=exp ties=input``."""
        return " ".join(f"{name}={option}" for name, option in self.switches.items())


@dataclass(frozen=True)
class Reconciliation(TableResult):
    """The conventions that give a published score, and the nearest others.

    `ours` is the score of `evaluate`. `variants` and `values` count the computed sets of
    conventions and their distinct values.
    """

    said: Any
    tolerance: Any
    measure: Any
    ours: Any
    tool: str | None
    variants: int
    values: int
    matches: tuple[Variant, ...]
    near: tuple[Variant, ...]
    notes: tuple[Note, ...] = ()

    def __bool__(self) -> bool:
        """Return True if a set of conventions matches."""
        return bool(self.matches)

    def _build_tables(self, *_: Any, **__: Any) -> list[ResultTable]:
        from cranfield.reconciliation.tables import build_tables

        return build_tables(self)

    def _build_document(self) -> dict[str, Any]:
        from cranfield.reconciliation.tables import build_document

        return build_document(self)


@suggest_keywords
def reconcile(
    qrels: QrelsLike,
    run: RunLike,
    said: Said,
    *,
    tolerance: float | None = None,
    tool: str | None = None,
    changes: int = 2,
    depth: int | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    separator: str | None = None,
    columns: ColumnsLike | None = None,
    labels: LabelsLike | None = None,
) -> Reconciliation:
    """Find the conventions of evaluation that give a published score.

    Parameters
    ----------
    qrels, run
        The judgments and the run.
    said
        The published scores: ``{"nDCG@10": "0.4127"}``. As text, a score has the precision of its
        decimals. Texts with ``%``, and scores above 1 of measures from 0 to 1, are percentages.
    tolerance
        Largest difference of a match. Default: half a unit of the last decimal.
    tool
        Name of a tool. The search starts from its conventions instead of cranfield's.
    changes
        Number of switches that may differ, at most 3.
    depth
        Number of documents of each ranking that count. Default: all.
    qrels_format, run_format, separator, columns, labels
        As in `evaluate`.

    Returns
    -------
    Reconciliation
        The matches, smallest sets of switches first, and the nearest other sets.

    Raises
    ------
    InputError
        If a score, a measure or the tool is not valid.

    Examples
    --------
    >>> qrels = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}
    >>> run = {"q1": {"b": 0.9, "a": 0.8}}
    >>> found = reconcile(qrels, run, {"nDCG@10": "0.3984"}, changes=1)
    >>> [(match.switches, match.tools) for match in found.matches]
    [({'gain': 'exp'}, ('ranx ndcg_burges', 'gdeval -c'))]
    """
    if isinstance(changes, bool) or not isinstance(changes, int) or not 0 <= changes <= MAX_CHANGES:
        raise InputError(f"changes {changes}", f"an integer from 0 to {MAX_CHANGES}")
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int) or depth < 1):
        raise InputError(f"depth {depth}", "an integer above 0")
    if not isinstance(said, Mapping):
        raise InputError(f"published scores {said!r}", 'a dict such as {"nDCG@10": "0.4127"}')
    targets = tuple(_parse_target(measure, value, tolerance) for measure, value in said.items())
    if not targets:
        raise InputError.from_problem("no published score", 'Pass one as {"nDCG@10": "0.4127"}.')
    if tool is not None:
        tool = str(tool).lower()
        check_choice("tool", tool, NAMES)
    judgments = read_qrels(qrels, qrels_format, separator=separator, columns=columns, labels=labels)
    runs = read_runs(run, run_format, separator=separator, columns=columns, duplicates="first")
    if len(runs) != 1:
        raise InputError(format_names([x.name for x in runs], "run"), "one run")
    counts_holes = all(get_kind(target.measure) == "Unjudged" for target in targets)
    documents = Documents.from_run(judgments, replace(runs[0], merging=None), with_unjudged_topics=counts_holes)
    documents = replace(documents, depth=depth)
    return _Search(Data(judgments, documents), targets, tool, changes).find()


def _parse_target(name: Any, text: str | float, tolerance: float | None) -> Target:
    """Parse a measure and its published score."""
    m = parse_measure(name)
    _check_measure(m)
    is_fraction = m.range.startswith(FRACTIONS) and not m.is_model
    words = str(text).strip()
    number = words.removesuffix("%").strip()
    try:
        decimal = Decimal(number)
    except InvalidOperation:
        raise InputError.from_problem(f"invalid score '{text}': expected a number such as 0.4127 or 41.27%") from None
    if not decimal.is_finite() or not _get_lowest(m) <= decimal <= (100 if is_fraction else math.inf):
        fix = "Use a number from 0 to 1, or a percentage." if is_fraction else f"The range of {m} is: {m.range}."
        raise InputError.from_problem(f"score {text} is out of range", fix)
    exponent = int(decimal.as_tuple().exponent)
    decimals = max(0, -exponent)
    if tolerance is not None and not (math.isfinite(tolerance) and tolerance > 0):
        raise InputError(f"tolerance {tolerance}", "a number above 0")
    scale = 100.0 if words.endswith("%") or (is_fraction and decimal > 1) else 1.0
    return Target(m, words, float(decimal), 0.5 * 10.0**-decimals if tolerance is None else tolerance, decimals, scale)


def _get_lowest(m: Measure) -> float:
    """Return the lowest possible score."""
    return 0.0 if m.range.startswith(("0", "1", "from 0", "EU")) else -math.inf


def _check_measure(m: Measure) -> None:
    """Raise InputError for a measure that does not score rankings, or has no mean."""
    if m.takes != "lists":
        fix = f"Compare the options of cranfield {TAKES[m.takes]} with docs/definitions.md."
        raise InputError.from_problem(f"measure '{m}' does not score rankings: not supported", fix)
    if m.summary != "mean" or len(m.names()) > 1:
        raise InputError.from_problem(
            f"measure '{m}' is not supported", "Use a measure of rankings with an arithmetic mean, such as nDCG@10."
        )


class _Outcome(NamedTuple):
    """The values of a variant by measure, and a key of its scores in all topics."""

    values: tuple[float, ...]
    key: bytes


class _Candidate(NamedTuple):
    """A set of changes, or the conventions of a tool."""

    changes: int
    choices: tuple[Choice, ...]
    outcome: _Outcome
    tool: Tool | None
    conventions: Mapping[str, str]


class _Search:
    """A search over sets of switches."""

    def __init__(self, data: Data, targets: Sequence[Target], tool: str | None, changes: int) -> None:
        self.data, self.targets, self.tool, self.changes = data, targets, tool, changes
        self.measures = [target.measure for target in targets]
        self.scorings = [Scoring(data.qrels, data.documents, m) for m in self.measures]
        self.notes: list[Note] = []
        self.own = self._merge(get_own_conventions(m) for m in self.measures)
        self.tools = [t for t in TOOLS if all(t.matches(m) for m in self.measures)]
        self.base = self._find_base()

    def _merge(self, all_conventions: Iterator[Mapping[str, str]]) -> dict[str, str]:
        """Return the conventions of several measures, each of the measures that it applies to."""
        merged = dict(DEFAULTS)
        owners: dict[str, Measure] = {}
        for m, conventions in zip(self.measures, all_conventions, strict=True):
            for switch in (switch for switch in SWITCHES if switch.applies(m)):
                if switch.name in owners and merged[switch.name] != conventions[switch.name]:
                    raise InputError.from_problem(
                        f"measures '{owners[switch.name]}' and '{m}' differ in {switch.name}",
                        "Reconcile them separately.",
                    )
                owners[switch.name] = m
                merged[switch.name] = conventions[switch.name]
        return merged

    def _find_base(self) -> dict[str, str]:
        """Return the conventions from which switches are changed."""
        if self.tool is None:
            return self.own
        rows = [tool for tool in self.tools if tool.name == self.tool]
        if not rows:
            names = ", ".join(map(str, self.measures))
            raise InputError.from_problem(f"tool {self.tool} has no conventions for {names}", "Omit --tool.")
        return self._build_profile(rows[0])

    def _build_profile(self, tool: Tool) -> dict[str, str]:
        """Return the conventions of a tool for all measures."""
        merged = dict(self.own)
        for m in self.measures:
            merged |= build_conventions(tool, m)
        return merged

    # -- variants ---------------------------------------------------------------------------------

    @cached_property
    def _choices(self) -> dict[str, list[str]]:
        """Return the options to try of each switch, without the option of the base."""
        choices: dict[str, dict[str, None]] = {}
        for m in self.measures:
            for switch in (switch for switch in SWITCHES if switch.applies(m)):
                options = [x for x in switch.options(self.data, m) if x != self.base[switch.name]]
                choices.setdefault(switch.name, {}).update(dict.fromkeys(options))
        return {name: list(options) for name, options in choices.items() if options}

    def _compute(self, conventions: Mapping[str, str]) -> _Outcome | None:
        try:
            results = [scoring.compute_value(conventions) for scoring in self.scorings]
        except InputError:
            if conventions == self.own:
                raise
            return None  # such as gains above 1, which a user model rejects
        known = [result for result in results if result is not None]
        if len(known) < len(results):
            return None
        rounded = [np.round(np.append(scores, value), DECIMALS) + 0.0 for scores, value in known]
        printed = [scoring.compute_printed(conventions) for scoring in self.scorings]
        values = tuple(value * target.scale for value, target in zip(printed, self.targets, strict=True))
        return _Outcome(values, b"".join(x.tobytes() for x in rounded))

    def _iter_sets(self, size: int) -> Iterator[tuple[Choice, ...]]:
        choices = self._choices
        for names in combinations(choices, size):
            for options in product(*(choices[name] for name in names)):
                yield tuple(zip(names, options, strict=True))

    def _collect(self) -> list[_Candidate]:
        """Compute profiles and all sets of changes, in the order of the number of changes."""
        candidates = []
        for tool in self.tools:
            conventions = self._build_profile(tool)
            outcome = self._compute(conventions)
            if outcome is not None:
                is_base = conventions == self.base
                changed = tuple(self._compare(conventions, outcome))
                candidates.append(_Candidate(0 if is_base else 1, changed, outcome, tool, conventions))
        for size in range(self.changes + 1):
            count = sum(1 for _ in self._iter_sets(size))
            if len(candidates) + count > LIMIT:
                text = f"more than {LIMIT:,} variants: sets of {format_count(size, 'change')} were not tried"
                self.notes.append(Note("limit", text))
                break
            for choices in self._iter_sets(size):
                conventions = self.base | dict(choices)
                outcome = self._compute(conventions)
                if outcome is not None:
                    candidates.append(_Candidate(size, choices, outcome, None, conventions))
        return candidates

    def _compare(self, conventions: Mapping[str, str], outcome: _Outcome) -> Iterator[Choice]:
        """Yield the switches in which a tool differs from the base, without those that have no effect."""
        for switch in SWITCHES:
            name, option = switch.name, conventions[switch.name]
            if option == self.base[name] or not any(switch.applies(m) for m in self.measures):
                continue
            if option not in self._choices.get(name, ()):
                other = self._compute({**conventions, name: self.base[name]})
                if other is not None and other.key == outcome.key:
                    continue
            yield name, option

    # -- results ----------------------------------------------------------------------------------

    def find(self) -> Reconciliation:
        """Compute all variants and compare them with the published scores."""
        candidates = self._collect()
        classes: dict[bytes, list[_Candidate]] = {}
        for candidate in candidates:
            classes.setdefault(candidate.outcome.key, []).append(candidate)
        matching, others = self._split(list(classes.values()))
        chances = self._compute_chances(candidates)
        matches = sorted((self._build_variant("match", c, chances) for c in matching), key=self._order)
        others.sort(key=lambda c: self._measure_distance(c[0].outcome.values))
        near = tuple(self._build_variant("near", c, {}) for c in others[:NEAR_MISSES])
        if any(target.scale > 1 for target in self.targets):
            self.notes.append(Note("percent", "the score is a percentage: values are multiplied by 100"))
        if matches:
            self._describe_chance(matches[0], candidates)
            self._list_equal_sets(matches[0], matching)
        ours = self._compute(self.own)
        return Reconciliation(
            self._unpack([target.text for target in self.targets]),
            self._unpack([target.tolerance for target in self.targets]),
            self._unpack([str(m) for m in self.measures]),
            None if ours is None else self._unpack(ours.values),
            self.tool,
            len(candidates),
            _count_values([c.outcome.values for c in candidates]),
            tuple(matches),
            near,
            tuple(self.notes),
        )

    def _split(self, classes: Sequence[list[_Candidate]]) -> tuple[list[list[_Candidate]], list[list[_Candidate]]]:
        """Return the classes that match, if necessary by truncated values, and all others."""
        for test in (self._matches, self._matches_truncated):
            matching = [c for c in classes if any(test(member.outcome.values) for member in c)]
            if matching:
                break
        if matching and test == self._matches_truncated:
            self.notes.append(Note("truncated", "no rounded score matches. The matches agree if cut, not rounded"))
        return matching, [c for c in classes if not any(c is match for match in matching)]

    def _unpack(self, values: Sequence[Any]) -> Any:
        """Return the value of a single measure, or a tuple."""
        return values[0] if len(self.targets) == 1 else tuple(values)

    def _matches(self, values: Sequence[float]) -> bool:
        pairs = zip(values, self.targets, strict=True)
        return all(abs(x - target.value) <= target.tolerance * (1.0 + SLACK) for x, target in pairs)

    def _matches_truncated(self, values: Sequence[float]) -> bool:
        """Return True if the values, cut after the decimals of the scores, are the scores."""
        pairs = zip(values, self.targets, strict=True)
        return all(
            abs(math.floor(x * 10.0**t.decimals + SLACK) / 10.0**t.decimals - t.value) <= SLACK for x, t in pairs
        )

    def _measure_distance(self, values: Sequence[float]) -> float:
        """Return the largest difference, in tolerances."""
        pairs = zip(values, self.targets, strict=True)
        return max(abs(x - target.value) / target.tolerance for x, target in pairs)

    def _build_variant(self, kind: str, members: Sequence[_Candidate], chances: Mapping[int, float]) -> Variant:
        """Return a class of variants under its smallest set of changes."""
        smallest = min(members, key=lambda c: (c.changes, c.tool is not None, self._measure_distance(c.outcome.values)))
        values = smallest.outcome.values
        tools = dict.fromkeys(c.tool.label for c in members if c.tool is not None)
        options = format_options(self.measures, smallest.conventions)
        depth = self.data.documents.depth
        options = options if options is None or depth is None else f"{options} --depth {depth}"
        return Variant(
            kind,
            smallest.changes,
            dict(smallest.choices),
            self._unpack(values),
            self._unpack([x - target.value for x, target in zip(values, self.targets, strict=True)]),
            tuple(tools),
            options,
            chances.get(smallest.changes),
            self._measure_distance(values),
        )

    def _order(self, variant: Variant) -> tuple[Any, ...]:
        is_of_tool = any(label.split()[0] == self.tool for label in variant.tools)
        return not is_of_tool, variant.changes, -len(variant.tools), variant.distance, variant.switches_text

    # -- chance -----------------------------------------------------------------------------------

    def _compute_chances(self, candidates: Sequence[_Candidate]) -> dict[int, float]:
        """Return the probability of an accidental match, by the number of changes."""
        chances = {}
        for size in range(self.changes + 1):
            values = [c.outcome.values for c in candidates if c.tool is not None or c.changes <= size]
            if values:
                chances[size] = compute_chance(values, [target.tolerance for target in self.targets])
        return chances

    def _describe_chance(self, first: Variant, candidates: Sequence[_Candidate]) -> None:
        """Note the probability of an accidental match, and a warning if it is high."""
        values = [c.outcome.values for c in candidates if c.tool is not None or c.changes <= first.changes]
        low, high = (", ".join(f"{end(x):.4f}" for x in zip(*values, strict=True)) for end in (min, max))
        text = (
            f"a number drawn between {low} and {high} would match one of {_count_values(values):,} values "
            f"with probability {format_chance(first.chance or 0.0)}"
        )
        self.notes.append(Note("chance", text))
        if (first.chance or 0.0) > SUSPICIOUS:
            text = f"a match by chance has probability {first.chance:.2f}. Give more digits or another measure"
            self.notes.append(Note("by-chance", text))

    def _list_equal_sets(self, first: Variant, matching: Sequence[Sequence[_Candidate]]) -> None:
        """Note the sets of switches that the data cannot distinguish from the first match."""
        for members in matching:
            same = [c for c in members if c.tool is None and c.changes == first.changes]
            if len(same) > 1 and dict(same[0].choices) == first.switches:
                names = format_names([" ".join("=".join(x) for x in c.choices) for c in same[1:]], "set")
                text = f"equal scores in all topics: {first.switches_text}, and {names}"
                self.notes.append(Note("indistinguishable", text))


def _count_values(values: Sequence[tuple[float, ...]]) -> int:
    """Count distinct values."""
    return len({tuple(np.round(x, DECIMALS)) for x in values})


def format_chance(chance: float) -> str:
    """Format a probability with three decimals.

    >>> format_chance(0.0361), format_chance(0.0001)
    ('0.036', '<0.001')
    """
    return f"{chance:.3f}" if chance >= 0.001 else "<0.001"


def compute_chance(values: Sequence[Sequence[float]], tolerances: Sequence[float]) -> float:
    """Return the fraction of the range of values that is within a tolerance of a value.

    With several measures, all must match: the fraction of the box, at most.

    >>> round(compute_chance([(0.0,), (0.5,), (1.0,)], [0.05]), 4)
    0.2727
    """
    points = np.unique(np.asarray(values, dtype=np.float64), axis=0)
    width = np.ptp(points, axis=0) + 2.0 * np.asarray(tolerances)
    shares = [_cover(column, t) / w for column, t, w in zip(points.T, tolerances, width, strict=True)]
    boxes = len(points) * math.prod(2.0 * t / w for t, w in zip(tolerances, width, strict=True))
    return min(1.0, boxes, *shares) if len(shares) > 1 else float(shares[0])


def _cover(values: Floats, tolerance: float) -> float:
    """Return the length of the union of the intervals around values."""
    steps = np.diff(np.sort(values))
    return float(np.minimum(steps, 2.0 * tolerance).sum() + 2.0 * tolerance)
