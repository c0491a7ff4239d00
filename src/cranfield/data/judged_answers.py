"""What people or models judged of answers: nuggets, citations, the criteria of rubrics.

Nuggets: an object for each answer with all of them, or lines ``topic run nugget importance
assignment``; where a bank says what nuggets are, ``topic run nugget assignment``. Support by
citations: lines ``topic run sentence citation support``. Criteria: an object for each answer, or
lines ``topic run criterion axis weight met``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from cranfield.arrays import LARGEST
from cranfield.data.answers import (
    NAMED,
    TO_ANSWERS,
    AnswersLike,
    ByRun,
    Entry,
    Outside,
    Pieces,
    collected,
    pieces,
    with_cells,
)
from cranfield.data.reading.cells import Layout, columns_of, where_of
from cranfield.data.reading.columns import SPELLINGS
from cranfield.data.reading.labels import LEVEL
from cranfield.data.reading.lines import NUMBER, Line, finite, identifier, short
from cranfield.data.reading.shapes import is_list
from cranfield.data.reading.table import Irregular
from cranfield.errors import InputError, one_of
from cranfield.wording import option

OF_NUGGETS = {
    **NAMED,
    "nuggets": ("nuggets",),
    "nugget": ("nugget_id", "nugget", "text"),
    "importance": ("importance",),
    "assignment": ("assignment", "label"),
    "sub_narrative": ("mapped_sub_narrative", "sub_narrative"),
}
ASSIGNMENTS = Layout(
    (
        ("topic", "run", "nugget", "importance", "assignment"),
        ("topic", "run", "nugget", "assignment"),
    ),
    ("topic",),
    OF_NUGGETS,
    verbatim=True,
    columns_are=f"a column named topic, or qid ({TO_ANSWERS})",
)
BANK = Layout((("topic", "nugget", "importance"),), ("topic",), OF_NUGGETS, verbatim=True)
SUPPORT = Layout(
    (("topic", "run", "sentence", "citation", "support"),),
    ("topic",),
    {
        **NAMED,
        "sentences": ("sentences",),
        "sentence": ("sentence", "sentence_id", "sentence_number"),
        "citation": ("citation", *SPELLINGS["doc"]),
        "support": ("support", "label", "judgment"),
    },
    verbatim=True,
)
CRITERIA = Layout(
    (("topic", "run", "criterion", "axis", "weight", "met"),),
    ("topic",),
    {
        **NAMED,
        "criteria": ("criteria", "rubric", "rubrics"),
        "criterion": ("criterion_id", "criterion", "text"),
        "axis": ("axis",),
        "weight": ("weight", "points"),
        "met": ("met", "criteria_met"),
    },
    verbatim=True,
)

# What words mean; of those that mean the same the first is the usual one.
IMPORTANCE = {"vital": 1.0, "okay": 0.0, "ok": 0.0}
ASSIGNED = {
    "support": 1.0, "partial_support": 0.5, "not_support": 0.0,
    "full_support": 1.0, "partial": 0.5, "no_support": 0.0,
}  # fmt: skip
SUPPORTED = {
    "full": 1.0, "partial": 0.5, "none": 0.0,
    "full_support": 1.0, "partial_support": 0.5, "no_support": 0.0,
}  # fmt: skip
MET = {"1": 1.0, "0.5": 0.5, "0": 0.0, "1.0": 1.0, "0.0": 0.0, "true": 1.0, "false": 0.0}
Invalid: TypeAlias = Literal["error", "missing"]
NO_CITATION = (None, "", "-")  # stands where the citation would: the sentence has none


class Nugget(NamedTuple):
    """A nugget, and how far an answer supports it: 1, ½ or 0."""

    name: str
    vital: bool
    support: float
    sub_narrative: str = ""


class Criterion(NamedTuple):
    """A criterion of a rubric, and how far an answer meets it: 1, ½ or 0."""

    name: str
    weight: float
    met: float
    axis: str = ""


class Cited(NamedTuple):
    """How far a citation supports its sentence, 1, ½ or 0, and where that is said."""

    support: float
    where: str
    number: int | None

    def error(self, found: str, expected: str) -> InputError:
        """What is wrong with it."""
        return InputError(found, expected, self.where, self.number)


Piece = TypeVar("Piece", "Nugget", "Criterion")
Supports: TypeAlias = dict[int, dict[str, Cited]]  # by sentence, and by what it cites
Bank: TypeAlias = Mapping[str, Mapping[str, Nugget]]


def _meant(line: Line, column: str, words: Mapping[str, float], of: str, name: str) -> float:
    """What the word in a cell means, of a nugget or whatever else has that name."""
    cell = line.cells.get(column)
    if cell.__class__ is str and cell in words:  # as most are written
        return words[cell]
    word = str(cell).strip().lower().replace("-", "_").replace(" ", "_")
    if word in words:
        return words[word]
    found = f"no {column}" if cell in (None, "") else f"{column} {short(repr(cell), False)}"
    *others, last = [*words][: len({*words.values()})]
    raise line.error(f"{found} for {of} {short(name)}", f"{', '.join(others)} or {last}")


class Scale(NamedTuple):
    """The words of labels, and what becomes of other labels: an error, or missing labels."""

    column: str
    words: Mapping[str, float]
    of: str
    outside: Outside | None  # None: an error

    def read(self, line: Line, name: str) -> float:
        """Return the value of a label, NaN if it is outside the scale and counts as missing."""
        try:
            return _meant(line, self.column, self.words, self.of, name)
        except InputError as error:
            if self.outside is None:
                fix = option("--invalid missing", 'invalid="missing"')
                hint = f"{fix} treats it as a missing label"
                raise line.error(error.found, error.expected, hint) from None
            self.outside.labels[short(repr(line.cells.get(self.column)), False)] = None
            return math.nan


def _outside(invalid: Invalid) -> Outside | None:
    """Where labels outside the scale are collected, unless they are errors."""
    one_of("invalid", invalid, Invalid)
    return Outside([], {}) if invalid == "missing" else None


def _name(line: Line, column: str, number: int) -> str:
    """What a piece is called: as it says, or by its place."""
    given = line.cells.get(column, number)
    name = identifier(given)
    if name is None or not name.strip():
        raise line.error(f"{column} {short(repr(given), False)}", "its text or its name")
    return name


def _is_row(line: Line, cell: str) -> bool:
    """Whether all that is told of an answer is on rows of their own, and not in one cell."""
    return cell not in line.cells


# -- nuggets --------------------------------------------------------------------------------------


def read_bank(data: AnswersLike) -> Bank:
    """The nuggets of each topic, which no answer has been looked at for yet.

    >>> read_bank({"q1": {"born in 1942": "vital"}})["q1"]
    {'born in 1942': Nugget(name='born in 1942', vital=True, support=0.0, sub_narrative='')}
    """

    def made(line: Line, given: Any) -> dict[str, Nugget]:
        found: dict[str, Nugget] = {}
        for number, one in enumerate(
            pieces(line, _objects(given, "importance"), BANK, "nugget"), 1
        ):
            nugget = _nugget(one, _name(one, "nugget", number))
            if nugget.name in found:
                raise one.error(f"nugget {short(nugget.name)} again", "each nugget of a topic once")
            found[nugget.name] = nugget
        return found

    given = {"bank": data} if isinstance(data, Mapping) else data
    banks = collected(given, BANK, "nuggets", "nuggets", made).by_run.values()
    return {topic: entry.found for bank in banks for topic, entry in bank.items()}


def read_assignments(
    data: AnswersLike, bank: Bank | None = None, invalid: Invalid = "error"
) -> ByRun[tuple[Nugget, ...]]:
    """Which nuggets each answer supports; what nuggets there are, a bank may say.

    A label outside the scale is an error, or missing: the answer is then without this nugget.

    >>> judged = {"mine": {"q1": {"born in 1942": ("vital", "partial_support")}}}
    >>> read_assignments(judged).get("mine", "q1").found[0].support
    0.5
    """
    if isinstance(data, ByRun):
        return data
    every, outside = Pieces[Nugget](ASSIGNMENTS, "nugget"), _outside(invalid)
    scale = Scale("assignment", ASSIGNED, "nugget", outside)

    def made(line: Line, given: Any) -> tuple[Nugget, ...]:
        topic, found, seen = line.name("topic"), list[Nugget](), dict[str, Nugget]()
        if bank is not None and topic not in bank:
            raise line.error(f"topic {topic}", "one of the topics that have nuggets")
        known = None if bank is None else bank[topic]
        objects, assigned = _objects(given, "assignment"), partial(_assigned, known, scale)
        for one, nugget in every.of(line, objects, topic, assigned):
            first = seen.setdefault(nugget.name, nugget)
            if found and first is not nugget:
                _refuse_two(one, topic, nugget, first, bank is not None or _is_row(line, "nuggets"))
            found.append(nugget)
        return _labelled(topic, found, "support", outside)

    return collected(data, ASSIGNMENTS, "assignments", "nuggets", made, outside=outside)


def _refuse_two(line: Line, topic: str, nugget: Nugget, first: Nugget, once: bool) -> None:
    """Reject a nugget with two labels in an answer, and a second one if each comes once."""
    if nugget == first and not once:
        return
    of = f"nugget {short(nugget.name)} of topic {topic}"
    if nugget == first:
        raise line.error(f"{of} again", "each once")
    raise line.error(f"{of} with two different labels", "one label for each nugget of an answer")


def _labelled(
    topic: str, every: Iterable[Piece], column: str, outside: Outside | None
) -> tuple[Piece, ...]:
    """Return the pieces that have a label, and collect the others."""
    if outside is None:
        return tuple(every)
    found = list[Piece]()
    for one in every:
        if math.isnan(getattr(one, column)):
            outside.pieces.append((topic, one._replace(**{column: 0.0})))  # type: ignore[arg-type]
        else:
            found.append(one)
    return tuple(found)


def _objects(given: Any, column: str) -> Any:
    """``{nugget: (importance, assignment)}`` as a list of objects; one word is what `column` is."""
    if not isinstance(given, Mapping):
        return given
    both = ("importance", "assignment")
    return [
        {"nugget": name}
        | (
            dict(zip(both, told, strict=True))
            if is_list(told) and len(told) == 2
            else {column: told}
        )
        for name, told in given.items()
    ]


def _nugget(line: Line, name: str, support: float = 0.0) -> Nugget:
    vital = _meant(line, "importance", IMPORTANCE, "nugget", name)
    sub_narrative = str(line.cells.get("sub_narrative") or "").strip().strip('"').strip()
    return Nugget(name, bool(vital), support, sub_narrative)


def _assigned(known: Mapping[str, Nugget] | None, scale: Scale, line: Line, number: int) -> Nugget:
    """A nugget with its assignment; what a bank says of it must not be told otherwise."""
    name = _name(line, "nugget", number)
    support = scale.read(line, name)
    if known is None:
        return _nugget(line, name, support)
    if name not in known:
        raise line.error(f"nugget {short(name)}", f"one of the topic's {len(known)} nuggets")
    told = line.cells.get("importance")
    if told is not None and _nugget(line, name).vital != known[name].vital:
        expected = f"{'vital' if known[name].vital else 'okay'}, as the nuggets have it"
        raise line.error(f"importance {told} for nugget {short(name)}", expected)
    return known[name]._replace(support=support)


# -- citations ------------------------------------------------------------------------------------


def read_support(data: AnswersLike, invalid: Invalid = "error") -> ByRun[Supports]:
    """How far each citation of each sentence supports it; in memory, a mapping for each sentence.

    >>> judged = read_support({"mine": {"q1": [{"d7": "partial"}, {}]}}).get("mine", "q1").found
    >>> judged[1]["d7"].support, judged[2]
    (0.5, {})
    """
    if isinstance(data, ByRun):
        return data
    try:
        return _by_columns(data)
    except Irregular:
        outside = _outside(invalid)
        made = partial(_supports, Scale("support", SUPPORTED, "citation", outside))
        return collected(data, SUPPORT, "support", "sentences", made, outside=outside)


def _by_columns(data: AnswersLike) -> ByRun[Supports]:
    """The support of files of text in which all is in order, or Irregular."""
    found: dict[str, dict[str, Entry[Supports]]] = {}
    for file in data if is_list(data) else [data]:
        where, cells = where_of(file, "support"), columns_of(file, SUPPORT)
        names, words = cells["citation"].tolist(), cells["support"].tolist()
        same = [cells[name] for name in ("topic", "run", "sentence")]  # on lines of one sentence
        starts = np.unique(np.concatenate([column.changes() for column in same]))
        ends = [*starts[1:].tolist(), len(names)]
        sentences = zip(*(column[starts].tolist() for column in same), strict=True)
        for (topic, run, number), start, end in zip(sentences, starts.tolist(), ends, strict=True):
            supports = map(SUPPORTED.get, words[start:end])
            made = zip(supports, repeat(where), range(start + 1, end + 1))
            cited = dict(zip(names[start:end], map(Cited._make, made), strict=True))
            of_run = found.setdefault(run, {})
            if topic not in of_run:
                of_run[topic] = Entry({}, Line(where, start + 1, {}))
            _add_all(of_run[topic].found.setdefault(_plain_number(number), {}), cited, end - start)
    return ByRun("support", found)


def _add_all(sentence: dict[str, Cited], cited: dict[str, Cited], count: int) -> None:
    """Note several citations of a sentence; Irregular if any is there, or says something else."""
    if len(cited) < count or sentence.keys() & cited.keys():
        raise Irregular
    for name in NO_CITATION:
        cited.pop(name or "", None)
    if any(one.support is None for one in cited.values()):
        raise Irregular
    sentence.update(cited)


def _plain_number(name: str) -> int:
    """The number of a sentence as it is usually written, or Irregular."""
    if not (name.isascii() and name.isdecimal() and len(name) < 10):
        raise Irregular
    return int(name)


def _supports(scale: Scale, line: Line, given: Any) -> Supports:
    found: Supports = {}
    if not is_list(given):
        raise line.error(f"{short(repr(given), False)} as sentences", "a list of sentences")
    for number, one in enumerate(given, 1):
        if isinstance(one, Line):
            _add(scale, found.setdefault(_number(one), {}), one)
            continue
        if not isinstance(one, Mapping):
            expected = "{citation: full, partial or none}"
            raise line.error(f"{short(repr(one), False)} as sentence {number}", expected)
        found[number] = {}
        for cited, support in one.items():
            cells = {"sentence": number, "citation": cited, "support": support}
            _add(scale, found[number], with_cells(line, cells))
    return found


def _add(scale: Scale, sentence: dict[str, Cited], line: Line) -> None:
    """Note a citation of a sentence."""
    if line.cells.get("citation") in NO_CITATION:
        return
    name = line.name("citation")
    if name in sentence:
        of = f"citation {short(name)} of sentence {line.cells['sentence']}"
        raise line.error(f"{of} again", "each citation once")
    support = scale.read(line, name)
    if not math.isnan(support):
        sentence[name] = Cited(support, line.where, line.number)
    elif scale.outside is not None:
        scale.outside.pieces.append((str(line.cells.get("topic", "")), None))


def _number(line: Line) -> int:
    """The number of a sentence."""
    given = line.cells.get("sentence")
    number = finite(given)
    if number is None or number < 0 or number % 1:
        raise line.error(f"sentence {short(repr(given), False)}", "its number")
    return int(number)


# -- rubrics --------------------------------------------------------------------------------------


def read_criteria(data: AnswersLike, invalid: Invalid = "error") -> ByRun[tuple[Criterion, ...]]:
    """How far each answer meets the criteria of a rubric.

    A label outside the scale is an error, or missing: the answer is then without this criterion.

    >>> judged = {"mine": {"q1": [{"criterion": "names the year", "weight": 5, "met": 1}]}}
    >>> read_criteria(judged).get("mine", "q1").found
    (Criterion(name='names the year', weight=5.0, met=1.0, axis=''),)
    """
    if isinstance(data, ByRun):
        return data
    every, outside = Pieces[Criterion](CRITERIA, "criterion"), _outside(invalid)
    read = partial(_criterion, Scale("met", MET, "criterion", outside))

    def made(line: Line, given: Any) -> tuple[Criterion, ...]:
        found: dict[str, Criterion] = {}
        topic = line.name("topic")
        for one, criterion in every.of(line, given, topic, read):
            if (name := criterion.name) in found:
                again = f"criterion {short(name)} again"
                raise one.error(again, "each criterion of an answer once")
            found[name] = criterion
        return _labelled(topic, found.values(), "met", outside)

    return collected(data, CRITERIA, "criteria", "criteria", made, outside=outside)


def _criterion(scale: Scale, line: Line, number: int) -> Criterion:
    name = _name(line, "criterion", number)
    weight = finite(line.cells.get("weight"))
    if weight is None or abs(weight) > LARGEST:
        given = line.cells.get("weight")
        found = "no weight" if given in (None, "") else f"weight {short(repr(given), False)}"
        expected = NUMBER if weight is None else LEVEL
        raise line.error(f"{found} for criterion {short(name)}", expected)
    met = scale.read(line, name)
    return Criterion(name, weight, met, str(line.cells.get("axis") or "").strip())


# -- labels of some pieces ------------------------------------------------------------------------


def completed(mine: ByRun[Any], others: Sequence[ByRun[Any]], label: float) -> ByRun[Any]:
    """The answers of `mine`, with a label for every piece that others labelled.

    These are the nuggets of the topic, unless `mine` has some that the others do not have, and the
    citations of the answer.
    """
    nuggets = _nuggets_with(mine, others)
    made: dict[str, dict[str, Entry[Any]]] = {}
    for run, of_run in mine.by_run.items():
        for topic, entry in of_run.items():
            if isinstance(entry.found, tuple):
                known = {one.name for one in entry.found}
                rest = [one for name, one in nuggets[topic].items() if name not in known]
                found: Any = (*entry.found, *(one._replace(support=label) for one in rest))
            else:
                theirs = [x.found for of in others if (x := of.get(run, topic))]
                found = _cited_by_all(entry, theirs, label)
            made.setdefault(run, {})[topic] = Entry(found, entry.line)
    return ByRun(mine.what, made, mine.outside)


def _nuggets_with(mine: ByRun[Any], others: Sequence[ByRun[Any]]) -> dict[str, dict[str, Nugget]]:
    """The nuggets of each topic: those of others too, if they have all that `mine` has."""
    own, theirs = nuggets_of([mine]), nuggets_of(others)
    for topic, nuggets in own.items():
        if theirs.get(topic, {}).keys() >= nuggets.keys():
            own[topic] = {**nuggets, **theirs[topic]}
    return own


def nuggets_of(data: Sequence[ByRun[Any]]) -> dict[str, dict[str, Nugget]]:
    """The nuggets of each topic, of whichever run."""
    made: dict[str, dict[str, Nugget]] = {}
    for of in data:
        entries = [(t, x.found) for run in of.by_run.values() for t, x in run.items()]
        entries += [(topic, (one,)) for topic, one in of.outside.pieces]
        for topic, found in entries:
            every = made.setdefault(topic, {})
            if isinstance(found, tuple):
                every.update({one.name: one for one in found if one is not None})
    return made


def _cited_by_all(entry: Entry[Supports], theirs: Sequence[Supports], label: float) -> Supports:
    """The citations of an answer that anybody labelled, in the order of the first who did."""
    every = [*theirs, entry.found]
    made: Supports = {}
    for number in sorted({number for one in every for number in one}):
        mine = entry.found.get(number, {})
        names = dict.fromkeys(name for one in every for name in one.get(number, {}))
        without = Cited(label, entry.line.where, entry.line.number)
        made[number] = {name: mine.get(name, without) for name in names}
    return made
