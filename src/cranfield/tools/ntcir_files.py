"""Commands of NTCIREVAL's ntcir_eval on files: one topic and one list.

Each returns the text to print, and notes. `gold` is the file of judgments, `found` the file of a
system.
"""

from __future__ import annotations

from collections.abc import Sequence

from cranfield.data.ntcir import topic_dirs
from cranfield.data.reading.records import ReadOptions
from cranfield.data.reading.source import Source
from cranfield.data.texts import read_mat, read_nug
from cranfield.scores import Note
from cranfield.tools import ntcir_diversity as diversity
from cranfield.tools import ntcir_eval as levels
from cranfield.tools.drop_ins import Printed
from cranfield.tools.ntcir_eval import Setting, Topic
from cranfield.tools.one_click import find_beyond_end, one_click
from cranfield.wording import format_names


def label(
    gold: str,
    found: str,
    separator: str | None = None,
    classes: bool = False,
    judged: bool = False,
    truncate: int | None = None,
) -> Printed:
    """Add labels to a ranked list.

    Print the items of a ranked list, with labels of judged items.
    """
    judgments = topic_dirs.read_rel(Source.from_path(gold), ReadOptions(separator), classes)
    docs = topic_dirs.read_list(Source.from_path(found), separator)[:truncate]
    items = levels.label(judgments, docs, condensed=judged, classes=classes)
    return levels.format_labelled(items, separator or " ", classes), []


def compute(gold: str, found: str, setting: Setting, separator: str | None = None, prefix: str = "") -> Printed:
    """Compute measures of a labelled list.

    Print the measures of a labelled list. The labels are used as they are.
    """
    rel, lab = Source.from_path(gold), Source.from_path(found)
    judgments = topic_dirs.read_rel(rel, ReadOptions(separator), setting.classes)
    items = topic_dirs.read_labelled(lab, separator)
    (text,) = levels.compute([Topic(prefix, judgments, items, rel.name, lab.name)], setting)
    return text, _collect_label_notes(items, lab, "label (label adds them)")


def gcompute(gold: str, found: str, setting: Setting, separator: str | None = None, prefix: str = "") -> Printed:
    """Compute measures of a list with gains.

    Print the measures of a list with gains. The gains are used as levels.
    """
    ideal, lab = Source.from_path(gold), Source.from_path(found)
    judgments = topic_dirs.read_ideal(ideal, separator)
    items = topic_dirs.read_gained(lab, separator)
    (text,) = diversity.gcompute([Topic(prefix, judgments, items, ideal.name, lab.name)], setting)
    return text, _collect_label_notes(items, lab, "gain (glabel and dinlabel add them)")


def _collect_label_notes(items: Sequence[topic_dirs.LabelledItem], lab: Source, noun: str) -> list[Note]:
    bare = items and all(item.level is None for item in items)
    return [Note("labels", f"{lab.name}: no item has a {noun}")] if bare else []


def glabel(
    gold: str, found: str, separator: str | None = None, judged: bool = False, truncate: int | None = None
) -> Printed:
    """Add gains to a ranked list.

    Print the items of a ranked list, each with its gain in the ideal list.
    """
    ideal = topic_dirs.read_ideal(Source.from_path(gold), separator)
    diversity.check_ideal(ideal, Source.from_path(gold).name)
    docs = topic_dirs.read_list(Source.from_path(found), separator)[:truncate]
    items = diversity.glabel(ideal, docs, condensed=judged)
    return diversity.format_gains(items, separator or " "), []


def dinlabel(
    gold: str, found: str, separator: str | None = None, judged: bool = False, truncate: int | None = None
) -> Printed:
    """Add gains, for navigational intents only once.

    Print the items of a ranked list with their gains, without the gain for a navigational intent
    that an item above it meets.
    """
    shares = topic_dirs.read_din(Source.from_path(gold), separator)
    docs = topic_dirs.read_list(Source.from_path(found), separator)[:truncate]
    items = diversity.dinlabel(shares, docs, condensed=judged)
    return diversity.format_gains(items, separator or " "), []


def irec(
    found: str,
    intents: Sequence[str],
    separator: str | None = None,
    cutoffs: Sequence[int] = Setting.cutoffs,
    prefix: str = "",
    verbose: bool = False,
) -> Printed:
    """Compute intent recall of a ranked list.

    Print the fraction of the intents that a ranked list has a relevant item for, at cutoffs and at
    n, the number of intents.
    """
    docs = topic_dirs.read_list(Source.from_path(found), separator)
    relevant = [diversity.read_intent(Source.from_path(path), separator) for path in intents]
    return diversity.irec(docs, relevant, cutoffs, prefix, verbose), []


def click(
    gold: str,
    found: str,
    L: int,
    beta: float = 1.0,
    separator: str | None = None,
    prefix: str = "",
    verbose: bool = False,
) -> Printed:
    """Compute measures of nuggets found in a text.

    Print the measures of a text by the nuggets that were found in it.
    """
    nug, mat = Source.from_path(gold), Source.from_path(found)
    nuggets = read_nug(nug, separator)
    length, matches = read_mat(mat, nuggets, separator)
    text = one_click(nuggets, matches, length, L=L, beta=beta, prefix=prefix, verbose=verbose, location=nug.name)
    if not (odd := find_beyond_end(matches, length)):
        return text, []
    message = f"{format_names(odd, 'nugget')} found beyond the end of the text, at {length}"
    return text, [Note("offsets", f"{mat.name}: {message}")]
