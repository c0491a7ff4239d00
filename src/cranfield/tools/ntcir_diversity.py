"""NTCIREVAL's diversity: ``glabel``, ``dinlabel``, ``gcompute`` and ``irec``, and their scripts.

An ideal list says what each document is worth to all intents together, its global gain. Labelling
writes these gains beside the documents of a list; computing believes them, as if they were levels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from cranfield.data.intents import Intents, read_intents
from cranfield.data.ntcir import topic_dirs
from cranfield.data.ntcir.nev import file_name, topic_file
from cranfield.data.ntcir.topic_dirs import Judged, JudgedForIntent, Labelled, Share
from cranfield.data.reading.columns import in_order
from cranfield.data.reading.source import Source
from cranfield.errors import InputError
from cranfield.measures.base import Measure
from cranfield.measures.diversity import IRec, sharpened
from cranfield.tools.drop_ins import about_topics, text_of
from cranfield.tools.ntcir import Batch, Made, tid_file, with_relevant
from cranfield.tools.ntcir_eval import Setting, Topic, believing, check_gains, result

DECIMALS = 4  # of gains in labelled lists, and so of what computing sees

# -- labels that are gains ------------------------------------------------------------------------


def glabel(
    ideal: Sequence[Judged], docs: Sequence[str], *, condensed: bool = False
) -> list[Labelled]:
    """A ranked list with the gains of its items, to four decimals; unjudged items have none.

    >>> ideal = [Judged(1, "a", 1.8, None)]
    >>> print(gained_text(glabel(ideal, ["c", "b", "a"])), end="")
    c
    b
    a 1.8000
    """
    gains = {item.doc: round(item.level, DECIMALS) for item in ideal}
    labelled = [Labelled(doc, gains.get(doc)) for doc in docs]
    return _judged(labelled) if condensed else labelled


def dinlabel(
    shares: Sequence[Share], docs: Sequence[str], *, condensed: bool = False
) -> list[Labelled]:
    """A ranked list with gains, to which an item adds none for a navigational intent met above it.

    >>> shares = [Share("1", True, "a", 0.8), Share("1", True, "b", 0.8), Share("2", False, "b", 1)]
    >>> print(gained_text(dinlabel(shares, ["a", "c", "b"])), end="")
    a 0.8000
    c
    b 1.0000
    """
    by_doc: dict[str, list[Share]] = {}
    for share in shares:
        by_doc.setdefault(share.doc, []).append(share)
    met: set[str] = set()
    labelled = []
    for doc in docs:
        of = by_doc.get(doc, [])
        new = math.fsum(s.gain for s in of if not (s.navigational and s.intent in met))
        met.update(s.intent for s in of)
        labelled.append(Labelled(doc, round(new, DECIMALS) if of else None))
    return _judged(labelled) if condensed else labelled


def _judged(labelled: Iterable[Labelled]) -> list[Labelled]:
    return [item for item in labelled if item.level is not None]


def gained_text(labelled: Iterable[Labelled], separator: str = " ") -> str:
    """A list with gains as text, an item on each line."""
    return text_of(
        item.doc if item.level is None else f"{item.doc}{separator}{item.level:.{DECIMALS}f}"
        for item in labelled
    )


# -- computing ------------------------------------------------------------------------------------


def gcompute(topics: Sequence[Topic], setting: Setting) -> list[str]:
    """What ``gcompute`` prints of each topic, as ``compute`` with gains for levels.

    The highest gain there can be is that of the topic's ideal list. With -j, items without a gain
    are left out of the lists.

    >>> ideal = [Judged(1, "a", 1.8, None)]
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
        topics = [topic._replace(labelled=_judged(topic.labelled)) for topic in topics]
    return believing(topics, setting)


def check_ideal(ideal: Sequence[Judged], where: str, judged: bool = False) -> None:
    """Refuse an ideal list in which nothing is relevant, or, for bpref, everything."""
    if not any(item.level > 0 for item in ideal):
        found = "no gain above 0" if ideal else "an empty file"
        raise InputError(found, "at least one document with a gain above 0", where)
    if judged and all(item.level > 0 for item in ideal):
        raise InputError("no gain of 0", "at least one: bpref needs nonrelevant ones", where)


def _check_gains(topic: Topic) -> None:
    """Refuse a gain above that of the ideal list; a navigational intent may have made it lower."""
    ideal = {item.doc: item.level for item in topic.judged}
    for item in topic.labelled:
        most = ideal.get(item.doc, 0.0)
        gain = item.level or 0.0
        # Gains have four decimals in labelled lists, and six digits in ideal ones.
        if gain > most and not (most and math.isclose(gain, most, rel_tol=1e-5, abs_tol=1e-4)):
            expected = f"at most {most:g}, as in {topic.rel}"
            if item.doc not in ideal:
                expected = f"none: it is not in {topic.rel}"
            raise InputError(f"gain {gain:g} for {item.doc}", expected, topic.lab, item.line)


# -- intent recall --------------------------------------------------------------------------------


def read_intent(source: Source, separator: str | None = None) -> frozenset[str]:
    """The documents that are relevant to an intent; those with a gain of 0 are not."""
    items = topic_dirs.read_gained(source, separator)
    relevant = frozenset(item.doc for item in items if item.level is None or item.level > 0)
    if not relevant:
        found = "no gain above 0" if items else "an empty file"
        raise InputError(found, "documents relevant to the intent", source.name)
    return relevant


def irec(
    docs: Sequence[str],
    intents: Sequence[frozenset[str]],
    cutoffs: Sequence[int] = (1000,),
    prefix: str = "",
    verbose: bool = False,
) -> str:
    """What ``irec`` prints: intent recall at the cutoffs, and at n, the number of intents.

    Lines come in the order of ranks, those for ranks below the end of the list last.

    >>> print(irec(["c", "b", "a"], [frozenset("a"), frozenset("a")]), end="")
     #intent_num=2
     I-rec@n=             0.0000
     I-rec@1000=          1.0000
    """
    n, end = len(intents), len(docs) + 1
    met = [[float(doc in relevant) for relevant in intents] for doc in docs]
    levels = [row if any(row) else None for row in met]
    wanted: list[tuple[int, str, Measure]] = [(k, f"{k:04}", IRec(cutoff=k)) for k in cutoffs]
    wanted.append((n, "n", IRec(top="intents")))
    lines = [(0, f"{prefix} #intent_num={n}")]
    for rank, (doc, row) in enumerate(zip(docs, met, strict=True), 1):
        if verbose:
            numbers = (str(number) for number, meets in enumerate(row, 1) if meets)
            lines.append((rank, " ".join([f"#{doc}", *numbers])))
    for k, name, m in wanted:
        lines.append((min(k, end), result(prefix, f"I-rec@{name}", float(m(levels)))))
    return text_of(line for _, line in sorted(lines, key=itemgetter(0)))


# -- files of topics ------------------------------------------------------------------------------


def split_dqrels(
    probabilities: str,
    dqrels: str,
    prefix: str,
    gains: Sequence[float] | None = None,
    types: str | None = None,
    separator: str | None = None,
    directory: str = "",
) -> Made:
    """Judgments for intents to a directory for each topic.

    Write TOPIC/TOPIC.PREFIX.Irelv1, …, the ideal list of each intent, TOPIC/TOPIC.PREFIX.Grelv,
    that of all intents together, TOPIC/TOPIC.PREFIX.din, what each intent adds to gains, and
    IPROB.tid, the list of topics.

    `gains` are those of L1, L2, …; without them a level is its gain. `types` is a file that says
    which intents are navigational, if that of the probabilities does not.
    """
    tid = tid_file(probabilities)
    if gains is not None:
        check_gains(gains)
    intents = _intents(probabilities, types, separator)
    source = Source.of(dqrels)
    judged = topic_dirs.read_dqrels(source, separator)
    wanted, begin = sorted(intents.probabilities), file_name(prefix, "prefix")
    relevant = {t: [item for item in judged.get(t, []) if item.level > 0] for t in wanted}
    files = {tid: text_of(wanted)}
    for topic, items in relevant.items():
        worth = [_worth(item, gains, source) for item in items]
        shares = [_share(topic, *one, intents, source) for one in zip(items, worth, strict=True)]
        for suffix, text in _files(shares, worth, separator or " ").items():
            files[topic_file(topic, f"{begin}.{suffix}", directory)] = text
    useless = (topic for topic, items in relevant.items() if not items)
    other = (topic for topic in judged if topic not in intents.probabilities)
    return files, [
        *about_topics("no-relevant", useless, "", f" without a relevant document in {dqrels}"),
        *about_topics("other-topics", other, f"{dqrels}: ", f" not in {probabilities}, left out"),
    ]


def _intents(probabilities: str, types: str | None, separator: str | None) -> Intents:
    intents = read_intents([probabilities, *([types] if types else [])], separator)
    if not intents.probabilities:
        raise InputError("no probabilities", "topic intent probability", probabilities)
    return intents


def _worth(item: JudgedForIntent, gains: Sequence[float] | None, source: Source) -> float:
    if gains is None:
        return item.level
    if item.level > len(gains):
        expected = f"levels up to {len(gains)}: -g declares {len(gains)}"
        raise InputError(f"level {item.level:.0f}", expected, source.name, item.line)
    return gains[int(item.level) - 1]


def _share(
    topic: str, item: JudgedForIntent, gain: float, intents: Intents, source: Source
) -> Share:
    """What a judgment adds to the global gain of its document."""
    known = intents.probabilities[topic]
    if item.intent not in known:
        expected = f"one of {', '.join(in_order(known))}, as in {intents.where}"
        found = f"intent {item.intent} of topic {topic}"
        raise InputError(found, expected, source.name, item.line)
    navigational = intents.navigational.get(topic, {}).get(item.intent, False)
    return Share(item.intent, navigational, item.doc, float(_six(known[item.intent] * gain)))


def _files(shares: Sequence[Share], worth: Sequence[float], separator: str) -> dict[str, str]:
    """The texts of one topic's files, by suffix."""
    of_intents: dict[str, dict[str, float]] = {}
    of_all: dict[str, float] = {}
    for share, gain in zip(shares, worth, strict=True):
        of_intents.setdefault(share.intent, {})[share.doc] = gain
        of_all[share.doc] = of_all.get(share.doc, 0.0) + share.gain
    din = [(s.intent, "nav" if s.navigational else "inf", s.doc, _six(s.gain)) for s in shares]
    irelv = topic_dirs.IRELV
    return {
        **{f"{irelv}{i}": _ideal_text(of_intents[i], separator) for i in in_order(of_intents)},
        topic_dirs.DIN: text_of(map(separator.join, din)),
        topic_dirs.GRELV: _ideal_text(of_all, separator),
    }


def _ideal_text(gains: dict[str, float], separator: str) -> str:
    """The best first; equal gains in the order that the script's sort has, names backwards."""
    ordered = sorted(gains.items(), key=lambda item: (float(_six(item[1])), item[0]), reverse=True)
    return text_of(f"{doc}{separator}{_six(gain)}" for doc, gain in ordered)


def _six(gain: float) -> str:
    """A gain with six digits, as awk prints it."""
    return f"{gain:.6g}"


# -- all topics of many runs ----------------------------------------------------------------------


class Kind(NamedTuple):
    """What is evaluated: D-measures, or topic_dirs.DIN-measures."""

    name: str  # D#-nDCG
    labelled: str  # how labelled lists end
    results: str  # how results end
    add_gains: Callable[..., list[Labelled]]


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
) -> Made:
    """Add gains and compute D-measures, I-rec and D# of all topics of many runs.

    Write TOPIC/TOPIC.RUN.NAME.glab, the lists with gains, and RUN.NAME.Dnev, the results of all
    topics: gcompute, irec and D#. With --din, .dinlab and .DINnev.

    `sharp` are the measures that are combined with intent recall at each cutoff, in which recall
    counts as `mix` says (γ).
    """
    separator, begin = batch.separator, file_name(prefix, "prefix")
    gold = batch.sources(f"{begin}.{topic_dirs.GRELV}")
    ideals, notices = with_relevant(
        {topic: topic_dirs.read_ideal(file, separator) for topic, file in gold.items()}
    )
    intents = {}
    for topic in ideals:
        lists = topic_dirs.intent_files(topic, prefix, batch.directory)
        intents[topic] = [read_intent(file, separator) for file in lists]
    known: Mapping[str, Sequence[Judged | Share]] = ideals
    if kind is DIN_MEASURES:
        dins = batch.sources(f"{begin}.{topic_dirs.DIN}")
        known = {topic: topic_dirs.read_din(dins[topic], separator) for topic in ideals}
    files: dict[str, str] = {}
    for run in batch.runs:
        docs, about = batch.lists(run)
        notices += about
        labelled: list[Topic] = []
        for topic, ideal in ideals.items():
            ranked = docs[topic][: batch.truncate]
            items = kind.add_gains(known[topic], ranked, condensed=setting.judged)
            lab = batch.path(topic, f"{run}.{batch.name}.{kind.labelled}")
            files[lab] = gained_text(items, separator or " ")
            labelled.append(Topic(topic, ideal, items, gold[topic].name, lab))
        text = ""
        for topic, computed in zip(ideals, gcompute(labelled, setting), strict=True):
            lines = computed + irec(docs[topic], intents[topic], setting.cutoffs, topic)
            text += lines + _sharp(topic, lines, setting.cutoffs, kind, mix, sharp)
        files[f"{run}.{batch.name}.{kind.results}"] = text
    return files, notices


def _sharp(
    topic: str, text: str, cutoffs: Sequence[int], kind: Kind, mix: float, sharp: Sequence[str]
) -> str:
    """The lines of D♯-measures, from the numbers as printed: so the scripts do it."""
    printed = {
        line.split()[-2].rstrip("="): float(line.split()[-1])
        for line in text.splitlines()
        if line.startswith(f"{topic} ") and "#" not in line
    }
    lines = []
    for rank in (f"{cutoff:04}" for cutoff in cutoffs):
        for measure in sharp:
            value = sharpened(printed[f"I-rec@{rank}"], printed[f"{SHARP[measure]}@{rank}"], mix)
            lines.append(result(topic, f"{kind.name}#-{measure}@{rank}", value))
    return text_of(lines)
