"""NTCIREVAL's diversity: ``glabel``, ``dinlabel``, ``gcompute`` and ``irec``, and their scripts.

An ideal list has the gain of each document for all intents together, its global gain. Labelling
writes these gains next to the documents of a list. Computing uses them as levels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from cranfield.data.intents import Intents, read_intents
from cranfield.data.ntcir import topic_dirs
from cranfield.data.ntcir.nev import build_topic_path, check_file_name
from cranfield.data.ntcir.topic_dirs import IntentGain, IntentJudgment, Judgment, LabelledItem
from cranfield.data.reading.columns import sort_intents
from cranfield.data.reading.source import Source
from cranfield.errors import InputError
from cranfield.measures.base import Measure
from cranfield.measures.diversity import IRec, mix_recall
from cranfield.tools.drop_ins import join_lines, make_topic_notes
from cranfield.tools.ntcir import Batch, FileTexts, make_tid_path, with_relevant
from cranfield.tools.ntcir_eval import Setting, Topic, check_gains, compute_from_labels, format_result

DECIMALS = 4  # Decimals of gains in labelled lists.

# -- labels that are gains ------------------------------------------------------------------------


def glabel(ideal: Sequence[Judgment], docs: Sequence[str], *, condensed: bool = False) -> list[LabelledItem]:
    """Return a ranking with the gains of its items, rounded to four decimals.

    >>> ideal = [Judgment(1, "a", 1.8, None)]
    >>> print(format_gains(glabel(ideal, ["c", "b", "a"])), end="")
    c
    b
    a 1.8000
    """
    gains = {item.doc: round(item.level, DECIMALS) for item in ideal}
    labelled = [LabelledItem(doc, gains.get(doc)) for doc in docs]
    return _select_judged(labelled) if condensed else labelled


def dinlabel(shares: Sequence[IntentGain], docs: Sequence[str], *, condensed: bool = False) -> list[LabelledItem]:
    """Return a ranking with gains, without gains for navigational intents met above.

    >>> shares = [IntentGain("1", True, doc, 0.8) for doc in "ab"]
    >>> shares.append(IntentGain("2", False, "b", 1))
    >>> print(format_gains(dinlabel(shares, ["a", "c", "b"])), end="")
    a 0.8000
    c
    b 1.0000
    """
    by_doc: dict[str, list[IntentGain]] = {}
    for share in shares:
        by_doc.setdefault(share.doc, []).append(share)
    met: set[str] = set()
    labelled = []
    for doc in docs:
        doc_shares = by_doc.get(doc, [])
        new = math.fsum(s.gain for s in doc_shares if not (s.navigational and s.intent in met))
        met.update(s.intent for s in doc_shares)
        labelled.append(LabelledItem(doc, round(new, DECIMALS) if doc_shares else None))
    return _select_judged(labelled) if condensed else labelled


def _select_judged(labelled: Iterable[LabelledItem]) -> list[LabelledItem]:
    return [item for item in labelled if item.level is not None]


def format_gains(labelled: Iterable[LabelledItem], separator: str = " ") -> str:
    """Format a list with gains, one item per line."""
    return join_lines(
        item.doc if item.level is None else f"{item.doc}{separator}{item.level:.{DECIMALS}f}" for item in labelled
    )


# -- computing ------------------------------------------------------------------------------------


def gcompute(topics: Sequence[Topic], setting: Setting) -> list[str]:
    """Return the output of ``gcompute`` for each topic, which is ``compute`` with gains as levels.

    The highest possible gain is the highest of the topic's ideal list. With -j, items without a
    gain are excluded from the lists.

    >>> ideal = [Judgment(1, "a", 1.8, None)]
    >>> topic = Topic("", ideal, glabel(ideal, ["c", "b", "a"]))
    >>> print("\\n".join(gcompute([topic], Setting())[0].splitlines()[:4]))
     # syslen=3 jrel=1 jnonrel=0
     # r1=3 rp=3
     RR=                  0.3333
     O-measure=           0.5833
    """
    for topic in topics:
        check_ideal(topic.judged, topic.rel, setting.judged)
        _check_gains(topic)
    if setting.judged:
        topics = [topic._replace(labelled=_select_judged(topic.labelled)) for topic in topics]
    return compute_from_labels(topics, setting)


def check_ideal(ideal: Sequence[Judgment], location: str, judged: bool = False) -> None:
    """Raise an error if no item of an ideal list is relevant, or, for bpref, all are."""
    if not any(item.level > 0 for item in ideal):
        problem = "no document has a gain above 0" if ideal else "file is empty"
        raise InputError.from_problem(problem, "", location)
    if judged and all(item.level > 0 for item in ideal):
        raise InputError("no gain of 0", "at least one (bpref requires nonrelevant items)", location)


def _check_gains(topic: Topic) -> None:
    """Raise an error for a gain above the ideal list; a navigational intent can lower it."""
    ideal = {item.doc: item.level for item in topic.judged}
    for item in topic.labelled:
        maximum = ideal.get(item.doc, 0.0)
        gain = item.level or 0.0
        # Gains have four decimals in labelled lists, and six digits in ideal ones.
        if gain > maximum and not (maximum and math.isclose(gain, maximum, rel_tol=1e-5, abs_tol=1e-4)):
            expected = f"at most {maximum:g}, as in {topic.rel}"
            if item.doc not in ideal:
                expected = f"no gain, because it is not in {topic.rel}"
            raise InputError(f"gain {gain:g} for {item.doc}", expected, topic.lab, item.line)


# -- intent recall --------------------------------------------------------------------------------


def read_intent(source: Source, separator: str | None = None) -> frozenset[str]:
    """Return the documents with a gain above 0 for an intent."""
    items = topic_dirs.read_gained(source, separator)
    relevant = frozenset(item.doc for item in items if item.level is None or item.level > 0)
    if not relevant:
        problem = "no document has a gain above 0" if items else "file is empty"
        raise InputError.from_problem(problem, "", source.name)
    return relevant


def irec(
    docs: Sequence[str],
    intents: Sequence[frozenset[str]],
    cutoffs: Sequence[int] = (1000,),
    prefix: str = "",
    verbose: bool = False,
) -> str:
    """Return the output of ``irec``: intent recall at the cutoffs, and at the number of intents.

    Lines are in order of ranks. Lines of ranks below the end of the list are last.

    >>> print(irec(["c", "b", "a"], [frozenset("a"), frozenset("a")]), end="")
     #intent_num=2
     I-rec@n=             0.0000
     I-rec@1000=          1.0000
    """
    n, end = len(intents), len(docs) + 1
    met = [[float(doc in relevant) for relevant in intents] for doc in docs]
    levels = [row if any(row) else None for row in met]
    cutoff_measures: list[tuple[int, str, Measure]] = [(k, f"{k:04}", IRec(cutoff=k)) for k in cutoffs]
    cutoff_measures.append((n, "n", IRec(top="intents")))
    lines = [(0, f"{prefix} #intent_num={n}")]
    for rank, (doc, row) in enumerate(zip(docs, met, strict=True), 1):
        if verbose:
            numbers = (str(number) for number, meets in enumerate(row, 1) if meets)
            lines.append((rank, " ".join([f"#{doc}", *numbers])))
    for k, name, m in cutoff_measures:
        lines.append((min(k, end), format_result(prefix, f"I-rec@{name}", float(m(levels)))))
    return join_lines(line for _, line in sorted(lines, key=itemgetter(0)))


# -- files of topics ------------------------------------------------------------------------------


def split_dqrels(
    probabilities: str,
    dqrels: str,
    prefix: str,
    gains: Sequence[float] | None = None,
    types: str | None = None,
    separator: str | None = None,
    directory: str = "",
) -> FileTexts:
    """Split judgments for intents into a directory per topic.

    Write TOPIC/TOPIC.PREFIX.Irelv1, …, the ideal list of each intent, TOPIC/TOPIC.PREFIX.Grelv, the
    ideal list of all intents, TOPIC/TOPIC.PREFIX.din, the gain that each intent adds, and
    IPROB.tid, the list of topics.

    `gains` are the gains of L1, L2, …; without them a level is its gain. `types` is a file with the
    navigational intents, if the file of probabilities does not have them.
    """
    tid = make_tid_path(probabilities)
    if gains is not None:
        check_gains(gains)
    intents = _read_intents(probabilities, types, separator)
    source = Source.from_path(dqrels)
    judged = topic_dirs.read_dqrels(source, separator)
    topics, begin = sorted(intents.probabilities), check_file_name(prefix, "prefix")
    relevant = {t: [item for item in judged.get(t, []) if item.level > 0] for t in topics}
    files = {tid: join_lines(topics)}
    for topic, items in relevant.items():
        item_gains = [_get_gain(item, gains, source) for item in items]
        shares = [_build_share(topic, *pair, intents, source) for pair in zip(items, item_gains, strict=True)]
        for suffix, text in _format_files(shares, item_gains, separator or " ").items():
            files[build_topic_path(topic, f"{begin}.{suffix}", directory)] = text
    useless = (topic for topic, items in relevant.items() if not items)
    unknown = (topic for topic in judged if topic not in intents.probabilities)
    return files, [
        *make_topic_notes("no-relevant", useless, "", f" without a relevant document in {dqrels}"),
        *make_topic_notes("other-topics", unknown, f"{dqrels}: ", f" not in {probabilities}, excluded"),
    ]


def _read_intents(probabilities: str, types: str | None, separator: str | None) -> Intents:
    intents = read_intents([probabilities, *([types] if types else [])], separator)
    if not intents.probabilities:
        raise InputError("no probabilities", "topic intent probability", probabilities)
    return intents


def _get_gain(item: IntentJudgment, gains: Sequence[float] | None, source: Source) -> float:
    if gains is None:
        return item.level
    if item.level > len(gains):
        expected = f"at most {len(gains)}, the number of gains in -g"
        raise InputError(f"level {item.level:.0f}", expected, source.name, item.line)
    return gains[int(item.level) - 1]


def _build_share(topic: str, item: IntentJudgment, gain: float, intents: Intents, source: Source) -> IntentGain:
    """Return the contribution of a judgment to the global gain of its document."""
    probabilities = intents.probabilities[topic]
    if item.intent not in probabilities:
        expected = f"one of {', '.join(sort_intents(probabilities))}, as in {intents.where}"
        problem = f"intent {item.intent} of topic {topic}"
        raise InputError(problem, expected, source.name, item.line)
    navigational = intents.navigational.get(topic, {}).get(item.intent, False)
    return IntentGain(item.intent, navigational, item.doc, float(_format_gain(probabilities[item.intent] * gain)))


def _format_files(shares: Sequence[IntentGain], item_gains: Sequence[float], separator: str) -> dict[str, str]:
    """Format the files of one topic, by suffix."""
    intent_gains: dict[str, dict[str, float]] = {}
    total_gains: dict[str, float] = {}
    for share, gain in zip(shares, item_gains, strict=True):
        intent_gains.setdefault(share.intent, {})[share.doc] = gain
        total_gains[share.doc] = total_gains.get(share.doc, 0.0) + share.gain
    din = [(s.intent, "nav" if s.navigational else "inf", s.doc, _format_gain(s.gain)) for s in shares]
    irelv = topic_dirs.IRELV
    return {
        **{f"{irelv}{i}": _format_ideal(intent_gains[i], separator) for i in sort_intents(intent_gains)},
        topic_dirs.DIN: join_lines(map(separator.join, din)),
        topic_dirs.GRELV: _format_ideal(total_gains, separator),
    }


def _format_ideal(gains: dict[str, float], separator: str) -> str:
    """Format gains in descending order, ties in reverse order of names as in the script."""
    ordered = sorted(gains.items(), key=lambda item: (float(_format_gain(item[1])), item[0]), reverse=True)
    return join_lines(f"{doc}{separator}{_format_gain(gain)}" for doc, gain in ordered)


def _format_gain(gain: float) -> str:
    """Format a gain with six digits, as awk does."""
    return f"{gain:.6g}"


# -- all topics of many runs ----------------------------------------------------------------------


class Kind(NamedTuple):
    """A kind of evaluation: D-measures or DIN-measures."""

    name: str  # D#-nDCG
    labelled: str  # how labelled lists end
    results: str  # how results end
    add_gains: Callable[..., list[LabelledItem]]


D_MEASURES = Kind("D", "glab", "Dnev", glabel)
DIN_MEASURES = Kind("DIN", "dinlab", "DINnev", dinlabel)
SHARP = {"Q": "Q", "nDCG": "MSnDCG", "ERR": "ERR", "EBR": "EBR", "RBP": "RBP"}


def evaluate_diversity(
    batch: Batch,
    prefix: str,
    setting: Setting,
    kind: Kind = D_MEASURES,
    mix: float = 0.5,
    sharp: Sequence[str] = ("Q", "nDCG"),
) -> FileTexts:
    """Add gains and compute D-measures, I-rec and D# of all topics of many runs.

    Write TOPIC/TOPIC.RUN.NAME.glab, the lists with gains, and RUN.NAME.Dnev, the results of all
    topics: gcompute, irec and D#. With --din, .dinlab and .DINnev.

    `sharp` are the measures that are combined with intent recall at each cutoff; `mix` is the
    weight of recall (γ).
    """
    separator, begin = batch.separator, check_file_name(prefix, "prefix")
    gold = batch.get_sources(f"{begin}.{topic_dirs.GRELV}")
    ideals, notes = with_relevant({topic: topic_dirs.read_ideal(file, separator) for topic, file in gold.items()})
    intents = {}
    for topic in ideals:
        lists = topic_dirs.find_intent_files(topic, prefix, batch.directory)
        intents[topic] = [read_intent(file, separator) for file in lists]
    gain_sources: Mapping[str, Sequence[Judgment | IntentGain]] = ideals
    if kind is DIN_MEASURES:
        dins = batch.get_sources(f"{begin}.{topic_dirs.DIN}")
        gain_sources = {topic: topic_dirs.read_din(dins[topic], separator) for topic in ideals}
    files: dict[str, str] = {}
    for run in batch.runs:
        docs, run_notes = batch.read_lists(run)
        notes += run_notes
        labelled: list[Topic] = []
        for topic, ideal in ideals.items():
            ranked = docs[topic][: batch.truncate]
            items = kind.add_gains(gain_sources[topic], ranked, condensed=setting.judged)
            lab = batch.get_path(topic, f"{run}.{batch.name}.{kind.labelled}")
            files[lab] = format_gains(items, separator or " ")
            labelled.append(Topic(topic, ideal, items, gold[topic].name, lab))
        text = ""
        for topic, computed in zip(ideals, gcompute(labelled, setting), strict=True):
            lines = computed + irec(docs[topic], intents[topic], setting.cutoffs, topic)
            text += lines + _format_sharp(topic, lines, setting.cutoffs, kind, mix, sharp)
        files[f"{run}.{batch.name}.{kind.results}"] = text
    return files, notes


def _format_sharp(topic: str, text: str, cutoffs: Sequence[int], kind: Kind, mix: float, sharp: Sequence[str]) -> str:
    """Format the lines of D♯-measures from printed numbers, as the scripts do."""
    printed = {
        line.split()[-2].rstrip("="): float(line.split()[-1])
        for line in text.splitlines()
        if line.startswith(f"{topic} ") and "#" not in line
    }
    lines = []
    for rank in (f"{cutoff:04}" for cutoff in cutoffs):
        for measure in sharp:
            value = mix_recall(printed[f"I-rec@{rank}"], printed[f"{SHARP[measure]}@{rank}"], mix)
            lines.append(format_result(topic, f"{kind.name}#-{measure}@{rank}", value))
    return join_lines(lines)
