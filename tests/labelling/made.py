"""Collections with classes and groups, labelled by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hypothesis import strategies as st

import cranfield as cf
from tests.made import Classes, Qrels, Scored

BOTH = (cf.EquivalenceClasses, cf.Combinations)


def by_hand_classes(
    judged: Mapping[str, float], classes: Mapping[str, str], ranked: Sequence[str]
) -> tuple[list[float | None], list[float]]:
    """What each document of a list counts as, None if it is unjudged; and the ideal list."""
    counts: list[float | None] = []
    seen = set()
    for doc in ranked:
        level = judged.get(doc)
        if level is not None and level > 0 and doc in classes:
            if classes[doc] in seen:
                level = 0.0
            seen.add(classes[doc])
        counts.append(level)
    best: dict[str, float] = {}
    for doc, level in judged.items():
        name = classes.get(doc, f"{doc} alone") if level > 0 else f"{doc} alone"
        best[name] = max(best.get(name, level), level)
    return counts, sorted(best.values(), reverse=True)


def by_hand_groups(
    judged: Mapping[str, float], groups: Mapping[str, str], ranked: Sequence[str]
) -> tuple[list[float | None], list[float]]:
    """The same for groups that count at the last of their members."""
    members: dict[str, set[str]] = {}
    for doc, name in groups.items():
        members.setdefault(name, set()).add(doc)
    counts = []
    for rank, doc in enumerate(ranked):
        level = judged.get(doc)
        if level is not None and level > 0 and doc in groups:
            complete = members[groups[doc]] <= set(ranked[: rank + 1])
            level = level if complete else 0.0
        counts.append(level)
    alone = [level for doc, level in judged.items() if doc not in groups or level <= 0]
    together = [judged[min(docs)] for docs in members.values() if judged[min(docs)] > 0]
    return counts, sorted(alone + together, reverse=True)


BY_HAND: dict[type, Callable[..., tuple[list[float | None], list[float]]]] = {
    cf.EquivalenceClasses: by_hand_classes,
    cf.Combinations: by_hand_groups,
}


def in_trec_order(docs: Mapping[str, float]) -> list[str]:
    return sorted(docs, key=lambda doc: (docs[doc], doc), reverse=True)


Collection = tuple[type, Qrels, Classes, Scored]
LEVELS = st.sampled_from([0.0, 1.0, 2.0, 3.0, -1.0, 0.5, 1.5])


@st.composite
def collections(draw: st.DrawFn, kinds: Sequence[type] = BOTH) -> Collection:
    """A strategy, judgments of topics, classes of some of their items, and a run with ties."""
    kind = draw(st.sampled_from(kinds))
    qrels: Qrels = {}
    classes: Classes = {}
    run: Scored = {}
    for topic in draw(st.lists(st.sampled_from("1234"), min_size=1, unique=True)):
        judged = draw(st.dictionaries(st.sampled_from("abcdefgh"), LEVELS, min_size=1))
        names = st.one_of(st.none(), st.sampled_from("xyz"))
        drawn = {doc: draw(names) for doc in judged}
        found = {doc: name for doc, name in drawn.items() if name is not None}
        if kind is cf.Combinations:  # one level for all of a group
            level = {name: judged[doc] for doc, name in found.items()}
            judged |= {doc: level[name] for doc, name in found.items()}
        qrels[topic] = judged
        if found:
            classes[topic] = found
        docs = st.dictionaries(st.sampled_from("abcdefghpqr"), st.integers(0, 4), min_size=1)
        run[topic] = {doc: float(score) for doc, score in draw(docs).items()}
    if not classes:
        topic, judged = next(iter(qrels.items()))
        classes[topic] = {next(iter(judged)): "x"}
    return kind, qrels, classes, run
