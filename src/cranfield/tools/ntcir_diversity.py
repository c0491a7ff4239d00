"""NTCIREVAL's diversity: ``glabel``, ``dinlabel``, ``gcompute`` and ``irec``, and their scripts.

An ideal list says what each document is worth to all intents together, its global gain. Labelling
writes these gains beside the documents of a list; computing believes them, as if they were levels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

from cranfield.data.intents import Intents, in_order, read_intents
from cranfield.data.ntcir.nev import file_name, topic_file
from cranfield.data.ntcir.topic_dirs import (
    DIN,
    GRELV,
    IRELV,
    Judged,
    JudgedForIntent,
    Labelled,
    Share,
    intent_files,
    read_din,
    read_dqrels,
    read_gained,
    read_ideal,
)
from cranfield.data.reading.source import Source
from cranfield.errors import InputError
from cranfield.measures.base import Measure
from cranfield.measures.diversity import IRec, sharpened
from cranfield.scores import Notice
from cranfield.tools.ntcir import Made, Names, names, read_lists, tid_file
from cranfield.tools.ntcir_eval import Setting, Topic, believing, check_gains
from cranfield.wording import some

DECIMALS = 4  # of gains in labelled lists, and so of what computing sees

# -- labels that are gains ------------------------------------------------------------------------


def glabel(
    ideal: Sequence[Judged],
    docs: Sequence[str],
    *,
    condensed: bool = False,
    truncate: int | None = None,
) -> list[Labelled]:
    """A ranked list with the gains of its items, to four decimals; unjudged items have none.

    >>> ideal = [Judged(1, "a", 1.8, None)]
    >>> print(gained_text(glabel(ideal, ["c", "b", "a"])), end="")
    c
    b
    a 1.8000
    """
    gains = {item.doc: round(item.level, DECIMALS) for item in ideal}
    found = [Labelled(doc, gains.get(doc)) for doc in docs[:truncate]]
    return _judged(found) if condensed else found


def dinlabel(
    shares: Sequence[Share],
    docs: Sequence[str],
    *,
    condensed: bool = False,
    truncate: int | None = None,
) -> list[Labelled]:
    """The same, where an item adds nothing for a navigational intent that one above it meets.

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
    found = []
    for doc in docs[:truncate]:
        of = by_doc.get(doc)
        if of is None:
            found.append(Labelled(doc, None))
            continue
        new = math.fsum(s.gain for s in of if not (s.navigational and s.intent in met))
        met.update(s.intent for s in of)
        found.append(Labelled(doc, round(new, DECIMALS)))
    return _judged(found) if condensed else found


def _judged(labelled: Iterable[Labelled]) -> list[Labelled]:
    return [item for item in labelled if item.level is not None]


def gained_text(labelled: Iterable[Labelled], separator: str = " ") -> str:
    """A list with gains as text, an item on each line."""
    lines = (
        item.doc if item.level is None else f"{item.doc}{separator}{item.level:.{DECIMALS}f}"
        for item in labelled
    )
    return "".join(f"{line}\n" for line in lines)


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
    found = read_gained(source, separator)
    relevant = frozenset(item.doc for item in found if item.level is None or item.level > 0)
    if not relevant:
        found_instead = "no gain above 0" if found else "an empty file"
        raise InputError(found_instead, "documents relevant to the intent", source.name)
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
    n, end = len(intents), len(docs)
    met = [[float(doc in relevant) for relevant in intents] for doc in docs]
    levels = [row if any(row) else None for row in met]
    wanted: list[tuple[int, str, Measure]] = [(k, f"{k:04}", IRec(cutoff=k)) for k in cutoffs]
    wanted.append((n, "n", IRec(top="intents")))

    def results(wanted: Iterable[tuple[int, str, Measure]]) -> list[str]:
        return [_result(prefix, f"I-rec@{name}", float(m(levels))) for _, name, m in wanted]

    lines = [f"{prefix} #intent_num={n}"]
    for rank, (doc, row) in enumerate(zip(docs, met, strict=True), 1):
        if verbose:
            numbers = (str(number) for number, meets in enumerate(row, 1) if meets)
            lines.append(" ".join([f"#{doc}", *numbers]))
        lines += results(at for at in wanted if at[0] == rank)
    lines += results(at for at in wanted if at[0] > end)
    return "".join(f"{line}\n" for line in lines)


def _result(prefix: str, name: str, value: float) -> str:
    return f"{prefix} {f'{name}=':<21}{value:.4f}"


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
    """The ideal lists and the din file of each topic, and the list of topics.

    `gains` are those of L1, L2, …; without them a level is its gain. `types` is a file that says
    which intents are navigational, if that of the probabilities does not.
    """
    tid = tid_file(probabilities)
    if gains is not None:
        check_gains(gains)
    intents = read_intents([probabilities, *([types] if types else [])], separator)
    if not intents.probabilities:
        raise InputError("no probabilities", "topic intent probability", probabilities)
    source = Source.of(dqrels)
    judged = read_dqrels(source, separator)
    wanted = sorted(intents.probabilities)
    files = {tid: "".join(f"{topic}\n" for topic in wanted)}
    useless = []
    for topic in wanted:
        relevant = [item for item in judged.get(topic, []) if item.level > 0]
        worth = [_worth(item, gains, source) for item in relevant]
        made = _files(_weighed(topic, relevant, worth, intents, source), worth, separator or " ")
        for suffix, text in made.items():
            files[topic_file(topic, f"{file_name(prefix, 'prefix')}.{suffix}", directory)] = text
        if not relevant:
            useless.append(topic)
    notices = []
    if useless:
        said = f"{some(useless, 'topic')} without a relevant document in {dqrels}"
        notices.append(Notice("no-relevant", said, topics=tuple(useless)))
    if other := [topic for topic in judged if topic not in intents.probabilities]:
        said = f"{dqrels}: {some(other, 'topic')} not in {probabilities}, left out"
        notices.append(Notice("other-topics", said, topics=tuple(other)))
    return files, notices


def _worth(item: JudgedForIntent, gains: Sequence[float] | None, source: Source) -> float:
    if gains is None:
        return item.level
    if item.level > len(gains):
        expected = f"levels up to {len(gains)}: -g declares {len(gains)}"
        raise InputError(f"level {item.level:.0f}", expected, source.name, item.line)
    return gains[int(item.level) - 1]


def _weighed(
    topic: str,
    relevant: Sequence[JudgedForIntent],
    worth: Sequence[float],
    intents: Intents,
    source: Source,
) -> list[Share]:
    """What each judgment adds to the global gain of its document."""
    known = intents.probabilities[topic]
    navigational = intents.navigational.get(topic, {})
    shares = []
    for item, gain in zip(relevant, worth, strict=True):
        if item.intent not in known:
            expected = f"one of {', '.join(in_order(known))}, as in {intents.where}"
            found = f"intent {item.intent} of topic {topic}"
            raise InputError(found, expected, source.name, item.line)
        share = float(_six(known[item.intent] * gain))
        shares.append(Share(item.intent, navigational.get(item.intent, False), item.doc, share))
    return shares


def _files(shares: Sequence[Share], worth: Sequence[float], separator: str) -> dict[str, str]:
    """The texts of one topic's files, by suffix."""
    of_intents: dict[str, dict[str, float]] = {}
    of_all: dict[str, float] = {}
    for share, gain in zip(shares, worth, strict=True):
        of_intents.setdefault(share.intent, {})[share.doc] = gain
        of_all[share.doc] = of_all.get(share.doc, 0.0) + share.gain
    din = [(s.intent, "nav" if s.navigational else "inf", s.doc, _six(s.gain)) for s in shares]
    return {
        **{f"{IRELV}{i}": _ideal_text(of_intents[i], separator) for i in in_order(of_intents)},
        DIN: "".join(f"{separator.join(fields)}\n" for fields in din),
        GRELV: _ideal_text(of_all, separator),
    }


def _ideal_text(gains: dict[str, float], separator: str) -> str:
    """The best first; equal gains in the order that the script's sort has, names backwards."""
    ordered = sorted(gains.items(), key=lambda item: (float(_six(item[1])), item[0]), reverse=True)
    return "".join(f"{doc}{separator}{_six(gain)}\n" for doc, gain in ordered)


def _six(gain: float) -> str:
    """A gain with six digits, as awk prints it."""
    return f"{gain:.6g}"


# -- all topics of many runs ----------------------------------------------------------------------


class Kind(NamedTuple):
    """What is evaluated: D-measures, or DIN-measures."""

    name: str  # D#-nDCG
    labelled: str  # how labelled lists end
    results: str  # how results end


D_MEASURES = Kind("D", "glab", "Dnev")
DIN_MEASURES = Kind("DIN", "dinlab", "DINnev")
SHARP = {"Q": "Q", "nDCG": "MSnDCG", "ERR": "ERR", "EBR": "EBR", "RBP": "RBP"}


def evaluate_diversity(
    runs: Sequence[str],
    topics: Names,
    prefix: str,
    name: str,
    setting: Setting,
    *,
    kind: Kind = D_MEASURES,
    gamma: float = 0.5,
    sharp: Sequence[str] = ("Q", "nDCG"),
    separator: str | None = None,
    truncate: int | None = None,
    directory: str = "",
) -> Made:
    """Label and compute all topics of each run, with intent recall and D♯-measures.

    `sharp` are the measures that are combined with intent recall, with γ, at each cutoff.
    """
    file_name(name, "name")
    wanted = names(topics)
    ideals = {
        topic: read_ideal(_source(topic, prefix, GRELV, directory), separator) for topic in wanted
    }
    useful = [topic for topic in wanted if any(item.level > 0 for item in ideals[topic])]
    intents = {
        topic: [read_intent(source, separator) for source in intent_files(topic, prefix, directory)]
        for topic in useful
    }
    add_gains = {
        topic: partial(dinlabel, read_din(_source(topic, prefix, DIN, directory), separator))
        if kind is DIN_MEASURES
        else partial(glabel, ideals[topic])
        for topic in useful
    }
    files: dict[str, str] = {}
    notices: list[Notice] = []
    if useless := [topic for topic in wanted if topic not in useful]:
        said = f"{some(useless, 'topic')} without a relevant document, left out of the results"
        notices.append(Notice("no-relevant", said, topics=tuple(useless)))
    for run in runs:
        docs, about = read_lists(file_name(run, "run"), wanted, separator, directory)
        notices += about
        labelled: list[Topic] = []
        for topic in useful:
            items = add_gains[topic](docs[topic], condensed=setting.judged, truncate=truncate)
            lab = topic_file(topic, f"{run}.{name}.{kind.labelled}", directory)
            files[lab] = gained_text(items, separator or " ")
            rel = _source(topic, prefix, GRELV, directory).name
            labelled.append(Topic(topic, ideals[topic], items, rel, lab))
        texts = []
        for topic, text in zip(useful, gcompute(labelled, setting), strict=True):
            recall = irec(docs[topic], intents[topic], setting.cutoffs, topic)
            texts.append(text + recall + _sharp(topic, text + recall, setting, kind, gamma, sharp))
        files[f"{run}.{name}.{kind.results}"] = "".join(texts)
    return files, notices


def _source(topic: str, prefix: str, suffix: str, directory: str) -> Source:
    return Source.of(topic_file(topic, f"{file_name(prefix, 'prefix')}.{suffix}", directory))


def _sharp(
    topic: str, text: str, setting: Setting, kind: Kind, gamma: float, sharp: Sequence[str]
) -> str:
    """The lines of D♯-measures, from the numbers as printed: so the scripts do it."""
    printed = {
        line.split()[-2].rstrip("="): float(line.split()[-1])
        for line in text.splitlines()
        if line.startswith(f"{topic} ") and "#" not in line
    }
    lines = []
    for rank in (f"{cutoff:04}" for cutoff in setting.cutoffs):
        for measure in sharp:
            value = sharpened(printed[f"I-rec@{rank}"], printed[f"{SHARP[measure]}@{rank}"], gamma)
            lines.append(_result(topic, f"{kind.name}#-{measure}@{rank}", value))
    return "".join(f"{line}\n" for line in lines)
