"""NTCIREVAL's ``label`` and ``compute``. `ntcir_diversity` has the other commands.

Labelling decides which items of a list count, and their levels. Computing uses the labels.
`cranfield.labelling` and `cranfield.measures` compute. This module formats the output.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.data.ntcir.topic_dirs import Judgment, LabelledItem
from cranfield.data.qrels import read_qrels
from cranfield.data.run import ListRun
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.blocks import Block, cut_blocks, map_blocks
from cranfield.labelling.blocks import Rankings
from cranfield.labelling.gold import GoldStandard
from cranfield.labelling.mappings import label_lists
from cranfield.labelling.strategies import EquivalenceClasses, Labelling
from cranfield.measures.base import Measure
from cranfield.measures.dcg import DCG
from cranfield.measures.gains import Gain
from cranfield.measures.grammar import parse_measure
from cranfield.measures.lists import Lists, total
from cranfield.measures.ncu import Q, stop_at_preferred
from cranfield.tools.drop_ins import join_lines, with_parameters

VERSIONS = {  # Printed measures: without a cutoff, and with cutoffs.
    "2011": (
        "RR O-measure P-measure P-plus AP Q-measure NCUgu,P NCUgu,BR NCUrb,P NCUrb,BR GAP RBP ERR",
        "AP Q GAP nDCG MSnDCG P nERR Hit",
    ),
    "190111": (
        "RR O-measure P-measure P-plus AP Q-measure NCUgu,P NCUgu,BR NCUrb,P NCUrb,BR GAP RBP ERR EBR",
        "AP Q GAP nDCG MSnDCG P RBP ERR nERR EBR Hit",
    ),
    "2019": (
        "RR O-measure P-measure P-plus AP Q-measure NCUrb,P NCUrb,BR NCUrb,IE GAP RBP ERR EBR iRBU",
        "AP Q NCUrb,P NCUrb,BR NCUrb,IE GAP nDCG MSnDCG Prec RBP nRBP ERR nERR EBR nEBR iRBU niRBU Hit",
    ),
}
JUDGED = "bpref bpref_R bpref_N bpref_relative rpref_N rpref_relative rpref_relative2"


@dataclass(frozen=True)
class Setting:
    """Options of ``compute``.

    >>> Setting(gains=(1.0, 2.0), cutoffs=(10, 1000), gap=True)
    Setting(gains=(1.0, 2.0), stops=None, cutoffs=(10, 1000), beta=1.0, gamma=0.95, logb=2.0, \
rbp=0.95, rbup=0.99, gap=True, judged=False, classes=False, verbose=False, version='2011')
    """

    gains: tuple[float, ...] | None = None  # of L1, L2, …; None: labels are gains (gcompute)
    stops: tuple[float, ...] | None = None  # the gains if not given
    cutoffs: tuple[int, ...] = (1000,)
    beta: float = 1.0
    gamma: float = 0.95
    logb: float = 2.0  # 0: the natural logarithm
    rbp: float = 0.95
    rbup: float = 0.99
    gap: bool = False
    judged: bool = False  # bpref and its kin
    classes: bool = False
    verbose: bool = False
    version: str = "2011"

    def __post_init__(self) -> None:
        if self.gains is not None:
            check_gains(self.gains, self.stops)
        if self.version not in VERSIONS:
            raise InputError(f"version {self.version!r}", f"one of {', '.join(VERSIONS)}")
        self.measures  # noqa: B018  # Measures check the other numbers.

    @cached_property
    def measures(self) -> dict[str, Measure]:
        """Measures by the names they are printed under, in order."""
        list_names, top = (names.split() for names in VERSIONS[self.version])
        names = list_names + [f"{name}@{cutoff:04}" for cutoff in self.cutoffs for name in top]
        names = [name for name in names if self.gap or not name.startswith("GAP")]
        if self.gains is None:  # stop values are those of levels
            names = [name for name in names if not name.startswith("NCUgu")]
        return {name: self._build_measure(name) for name in names + self.judged * JUDGED.split()}

    @property
    def gain(self) -> Gain:
        """Gains of labels."""
        return "linear" if self.gains is None else self.gains

    def _build_measure(self, name: str) -> Measure:
        return with_parameters(
            parse_measure(f"ntcir:{name}"),
            gain=self.gain,
            stops=self.stops,
            beta=self.beta,
            gamma=self.gamma,
            b=self.logb or math.e,
            p=self.rbp if "RBP" in name else self.rbup,
        )


def check_gains(gains: Sequence[float], stops: Sequence[float] | None = None) -> None:
    """Raise an error for invalid gains or stop values of L1, L2, …"""
    if not gains or min(gains) <= 0 or any(a > b for a, b in pairwise(gains)):
        expected = "numbers > 0 that do not decrease, such as 1:2:3"
        raise InputError(f"gains {_join_numbers(gains)}", expected, "-g")
    if stops is not None and (len(stops) != len(gains) or min(stops) <= 0):
        expected = f"{len(gains)} numbers > 0, one per gain"
        raise InputError(f"stop values {_join_numbers(stops)}", expected, "-s")


def _join_numbers(numbers: Iterable[float]) -> str:
    return ":".join(f"{x:g}" for x in numbers)


class Topic(NamedTuple):
    """Judgments and labelled list of a topic, with the names of their files in messages."""

    prefix: str
    judged: Sequence[Judgment]
    labelled: Sequence[LabelledItem]
    rel: str = "judgments"
    lab: str = "labelled list"


# -- label ----------------------------------------------------------------------------------------


def label(
    judged: Sequence[Judgment], docs: Sequence[str], *, condensed: bool = False, classes: bool = False
) -> list[LabelledItem]:
    """Return a ranking with the labels of its items that count.

    Unjudged items have no label (excluded if `condensed`). With `classes`, items of a class after
    the first have no label.

    >>> judged = [Judgment(1, "a", 1.0, "1"), Judgment(2, "b", 2.0, "1")]
    >>> print(format_labelled(label(judged, ["c", "b", "a"], classes=True), classes=True), end="")
    c
    b L2 1
    a
    """
    gold = _build_gold([judged])
    rankings = label_lists(gold, ListRun("list", {"0": dict.fromkeys(docs, 0.0)}, keeps_order=True))
    selection = _choose_strategy([judged], classes).apply_to(gold).apply(rankings)
    groups = {item.doc: item.group for item in judged}
    labels: dict[str, LabelledItem] = {}
    hits = zip(rankings.items.tolist(), rankings.levels.tolist(), selection.levels.tolist(), strict=True)
    for item, level, counts in hits:
        doc = gold.item_docs[item]
        labels[doc] = LabelledItem(doc, level if counts == level else None, groups[doc])
    listed_docs = [doc for doc in docs if doc in labels or not condensed]
    return [labels.get(doc, LabelledItem(doc, None)) for doc in listed_docs]


def format_labelled(labelled: Iterable[LabelledItem], separator: str = " ", classes: bool = False) -> str:
    """Format a labelled list, one item per line."""

    def format_line(item: LabelledItem) -> str:
        if item.level is None:
            return item.doc
        fields = [item.doc, f"L{item.level:.0f}", *([item.group or ""] if classes else [])]
        return separator.join(fields)

    return join_lines(map(format_line, labelled))


def _build_gold(topics: Sequence[Sequence[Judgment]]) -> GoldStandard:
    """Build the judgments of topics, named by numbers: names can be missing or equal."""
    levels = {str(t): {item.doc: item.level for item in judged} for t, judged in enumerate(topics)}
    return GoldStandard.from_qrels(read_qrels(levels))


def _choose_strategy(topics: Sequence[Sequence[Judgment]], classes: bool) -> Labelling:
    if not classes or not any(topics):  # Without judgments there are no classes.
        return Labelling()
    return EquivalenceClasses({str(t): {item.doc: item.group for item in judged} for t, judged in enumerate(topics)})


# -- compute --------------------------------------------------------------------------------------


def compute(topics: Sequence[Topic], setting: Setting) -> list[str]:
    """Return the output of ``compute`` for each topic: sizes, ranks, and a line per measure.

    >>> judged = [Judgment(1, "a", 1.0, None), Judgment(2, "b", 0.0, None)]
    >>> topic = Topic("", judged, label(judged, ["c", "b", "a"]))
    >>> print("\\n".join(compute([topic], Setting(gains=(1, 2)))[0].splitlines()[:3]))
     # syslen=3 jrel=1 jnonrel=1
     # r1=3 rp=3
     RR=                  0.3333
    """
    for topic in topics:
        _check_judgments(topic, setting)
        _check_labels(topic, setting)
    return compute_from_labels(topics, setting)


def compute_from_labels(topics: Sequence[Topic], setting: Setting) -> list[str]:
    """Return the output of ``compute`` for each topic, without checks of the labels."""
    if not topics:
        return []
    judged = [topic.judged for topic in topics]
    gold = _build_gold(judged)
    judgments = _choose_strategy(judged, setting.classes).apply_to(gold).judgments
    rankings = _build_rankings(gold, topics, setting.classes)
    distinct = np.union1d(judgments.distinct, rankings.levels)

    def format_block(block: Block) -> list[str]:
        gold = block.gold
        gold.distinct = distinct  # GAP uses all levels.
        gold.traced = setting.verbose
        if setting.gains is None:  # The highest gain is not declared. Use the highest of the topic.
            gold.tops = gold.levels[:, 0]
        return _format_texts(topics[block.start : block.stop], block.build_lists(rankings), setting)

    blocks = map_blocks(cut_blocks(judgments, widths=gold.judgments.counts), format_block)
    return [text for block_texts in blocks for text in block_texts]


def _check_judgments(topic: Topic, setting: Setting) -> None:
    for item in topic.judged:
        _check_declared(item.level, setting, topic.rel, item.line)
        if setting.classes and item.group is None:
            raise InputError(f"no class for {item.doc}", "doc L2 class", topic.rel, item.line)
    if not any(item.level > 0 for item in topic.judged):
        raise InputError.from_problem("no relevant document (L1, L2, …)", "", topic.rel)
    if setting.judged and all(item.level > 0 for item in topic.judged):
        raise InputError("no document judged L0", "at least one (bpref requires them)", topic.rel)


def _check_labels(topic: Topic, setting: Setting) -> None:
    relevant = {item.doc: item.group for item in topic.judged if item.level > 0}
    first_docs: dict[str | None, str] = {}
    for item in topic.labelled:
        if not item.level:
            continue
        _check_declared(item.level, setting, topic.lab, item.line)
        label_text = f"label L{item.level:.0f} for {item.doc}"
        if item.doc not in relevant:
            expected = f"no label, because it is not relevant in {topic.rel}"
            raise InputError(label_text, expected, topic.lab, item.line)
        unit = relevant[item.doc] if setting.classes else item.doc
        if unit in first_docs:
            class_text = f" in the same class {unit} (label -ec)" if setting.classes else ""
            raise InputError(label_text, f"no label after {first_docs[unit]}{class_text}", topic.lab, item.line)
        first_docs[unit] = item.doc


def _check_declared(level: float, setting: Setting, location: str, line: int | None) -> None:
    top = len(setting.gains or ())
    if level > top:
        expected = f"at most {top}, the number of gains in -g"
        raise InputError(f"level {level:.0f} (L{level:.0f})", expected, location, line)


def _build_rankings(gold: GoldStandard, topics: Sequence[Topic], classes: bool) -> Rankings:
    """Build rankings from labels. Items without a label or judgment only occupy a rank.

    With classes, a judged item without a label is redundant and gets level 0.
    """
    hits = [
        (t, rank, items[item.doc], item.level or 0.0)
        for t, (topic, items) in enumerate(zip(topics, gold.by_topic, strict=True))
        for rank, item in enumerate(topic.labelled, 1)
        if item.doc in items and (classes or item.level is not None)
    ]
    columns = np.array(hits, dtype=np.float64).reshape(-1, 4)
    topic_numbers, ranks, items = columns[:, :3].astype(np.int64).T
    return Rankings(
        returned=np.array([len(topic.labelled) for topic in topics], dtype=np.int64),
        offsets=np.searchsorted(topic_numbers, np.arange(len(topics) + 1)),
        ranks=ranks,
        items=items,
        levels=columns[:, 3],
        first=ranks,
        last=ranks,
        tied=np.zeros(len(topics), dtype=np.int64),
    )


def _format_texts(topics: Sequence[Topic], lists: Lists, setting: Setting) -> list[str]:
    x = lists.view(gain=setting.gain)
    values = {name: m.compute(lists)[:, 0] for name, m in setting.measures.items()}
    r1, rp = (total(stop * x.r) for stop in (x.first, stop_at_preferred(None, x)[0]))
    steps = _format_steps(x, setting) if setting.verbose else None
    texts = []
    for t, (prefix, judged, *_) in enumerate(topics):
        jnonrel = sum(item.level <= 0 for item in judged)
        lines = [
            f"{prefix} # syslen={x.n[t]} jrel={x.R[t]:.0f} jnonrel={jnonrel}",
            f"{prefix} # r1={r1[t]:.0f} rp={rp[t]:.0f}",
            *(format_result(prefix, name, topic_values[t]) for name, topic_values in values.items()),
        ]
        if steps is not None:
            lines[1:1] = steps[t]
            lines[:0] = _format_gain_table(setting.gains, setting.stops)
        texts.append(join_lines(lines))
    return texts


def format_result(prefix: str, name: str, value: float, decimals: int = 4) -> str:
    """Format a line of results as the program does.

    >>> format_result("0001", "AP", 0.5)
    '0001 AP=                  0.5000'
    """
    return f"{prefix} {f'{name}=':<21}{value:.{decimals}f}"


def _format_gain_table(gains: Sequence[float] | None, stops: Sequence[float] | None) -> list[str]:
    if gains is None:
        return []
    pairs = zip((0.0, *gains), (0.0, *(stops or gains)), strict=True)
    return [f"# gain[ {k} ]={gain:f} stop[ {k} ]={stop:f}" for k, (gain, stop) in enumerate(pairs)]


def _format_steps(x: Lists, setting: Setting) -> list[list[str]]:
    """Format the output of -v for each topic: ideal list and retrieved relevant items by rank."""
    jk = DCG(discount="jk", b=setting.logb or math.e, gain=setting.gain)
    ms = DCG(gain=setting.gain)
    ideal = x.ideal.cg, _cumulate_gains(jk, x.ideal), _to_natural_log(_cumulate_gains(ms, x.ideal))
    sums = x.g, x.cg, _cumulate_gains(jk, x), _to_natural_log(_cumulate_gains(ms, x))
    Q(beta=setting.beta, gain=setting.gain).score(x)
    BR = x.steps["BR"]
    texts = []
    for t in range(len(x)):
        lines = [""]
        for i in range(1, max(int(x.n[t]), int(x.R[t])) + 1):
            position = min(i, x.ideal.r.shape[1]) - 1  # The ideal list ends here: no more gain.
            cg, dcg, msdcg = (array[t, position] for array in ideal)
            lines.append(f"#{i} CGi={cg:.4f} DCGi={dcg:.4f} msDCGi={msdcg:.4f}")
        lines.append("")
        for k in np.flatnonzero(x.I[t]).tolist():
            g, cg, dcg, msdcg = (array[t, k] for array in sums)
            lines.append(
                f"#{x.r[t, k]} count={x.C[t, k]:.0f} Gs={g:.4f} CGs={cg:.4f} DCGs={dcg:.4f} "
                f"msDCGs={msdcg:.4f} BR={BR[t, k]:.4f}"
            )
        texts.append([*lines, ""])
    return texts


def _cumulate_gains(m: Measure, x: Lists) -> Floats:
    """Return the cumulated discounted gains of a traced list."""
    m.score(x)
    return np.cumsum(x.steps["g/d"], axis=1)


def _to_natural_log(msDCG: Floats) -> Floats:
    """Return MSnDCG's sums with discount ln(r + 1), as -v shows them."""
    return msDCG / math.log(2.0)
