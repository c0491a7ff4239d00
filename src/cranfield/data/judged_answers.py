"""Judgments of answers: nuggets, support of citations and criteria of rubrics.

Nuggets: an object for each answer with all of them, or lines ``topic run nugget importance
assignment``, or ``topic run nugget assignment`` with a bank of nuggets. Support: lines ``topic run
sentence citation support``. Criteria: an object for each answer, or lines ``topic run criterion
axis weight met``.
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
    ANSWERS_HINT,
    ID_SPELLINGS,
    AnswersLike,
    ByRun,
    Entry,
    InvalidLabels,
    PieceCache,
    read_by_run,
    read_pieces,
    with_cells,
)
from cranfield.data.reading.cells import Layout, get_location, read_text_columns
from cranfield.data.reading.columns import SPELLINGS
from cranfield.data.reading.labels import LEVEL
from cranfield.data.reading.lines import (
    NUMBER,
    Line,
    format_value,
    parse_finite,
    parse_identifier,
    parse_integer,
    truncate_text,
)
from cranfield.data.reading.shapes import is_list
from cranfield.data.reading.table import Irregular
from cranfield.errors import InputError, check_choice
from cranfield.wording import format_option

NUGGET_SPELLINGS = {
    **ID_SPELLINGS,
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
    NUGGET_SPELLINGS,
    verbatim=True,
    expected_columns=f"a column named topic, or qid ({ANSWERS_HINT})",
    use="answers",
    table="assignments",
)
BANK = Layout((("topic", "nugget", "importance"),), ("topic",), NUGGET_SPELLINGS, verbatim=True, table="assignments")
SUPPORT = Layout(
    (("topic", "run", "sentence", "citation", "support"),),
    ("topic",),
    {
        **ID_SPELLINGS,
        "sentences": ("sentences",),
        "sentence": ("sentence", "sentence_id", "sentence_number"),
        "citation": ("citation", *SPELLINGS["doc"]),
        "support": ("support", "label", "judgment"),
    },
    verbatim=True,
    table="support",
)
CRITERIA = Layout(
    (("topic", "run", "criterion", "axis", "weight", "met"),),
    ("topic",),
    {
        **ID_SPELLINGS,
        "criteria": ("criteria", "rubric", "rubrics"),
        "criterion": ("criterion_id", "criterion", "text"),
        "axis": ("axis",),
        "weight": ("weight", "points"),
        "met": ("met", "criteria_met"),
    },
    verbatim=True,
    table="rubric",
)

# Values of labels. Among labels with equal values, the first is the usual one.
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
NO_CITATION = (None, "", "-")  # marks a sentence without citations


class Nugget(NamedTuple):
    """Nugget, and its support by an answer: 1, ½ or 0."""

    name: str
    vital: bool
    support: float
    sub_narrative: str = ""


class Criterion(NamedTuple):
    """Criterion of a rubric, and the degree to which an answer meets it: 1, ½ or 0."""

    name: str
    weight: float
    met: float
    axis: str = ""


class Citation(NamedTuple):
    """Support of a sentence by a citation (1, ½ or 0), and the line of the label."""

    support: float
    where: str
    number: int | None

    def error(self, actual: str, expected: str) -> InputError:
        """Return an error for the line of the label."""
        return InputError(actual, expected, self.where, self.number)


Piece = TypeVar("Piece", "Nugget", "Criterion")
Supports: TypeAlias = dict[int, dict[str, Citation]]  # by sentence and cited document
Bank: TypeAlias = Mapping[str, Mapping[str, Nugget]]


def _parse_label(line: Line, column: str, words: Mapping[str, float], noun: str, name: str) -> float:
    """Return the value of a label. `noun` and `name` describe its piece in errors."""
    cell = line.cells.get(column)
    if cell.__class__ is str and cell in words:  # the usual spelling
        return words[cell]
    word = str(cell).strip().lower().replace("-", "_").replace(" ", "_")
    if word in words:
        return words[word]
    problem = f"no {column}" if cell in (None, "") else f"{column} {format_value(cell)}"
    *choices, last = [*words][: len({*words.values()})]
    raise line.make_error(f"{problem} for {noun} {truncate_text(name)}", f"{', '.join(choices)} or {last}")


class Scale(NamedTuple):
    """Values of labels. Other labels are errors, or are collected in `invalid`."""

    column: str
    words: Mapping[str, float]
    noun: str
    invalid: InvalidLabels | None  # None: an error

    def read(self, line: Line, name: str) -> float:
        """Return the value of a label, NaN if an invalid label counts as missing."""
        try:
            return _parse_label(line, self.column, self.words, self.noun, name)
        except InputError as error:
            if self.invalid is None:
                fix = format_option("--invalid missing", 'invalid="missing"')
                hint = f"{fix} treats it as a missing label"
                raise line.make_error(error.found, error.expected, hint) from None
            self.invalid.labels[format_value(line.cells.get(self.column))] = None
            return math.nan


def _create_invalid(invalid: Invalid) -> InvalidLabels | None:
    """Return a collection for labels outside the scale, or None if they are errors."""
    check_choice("invalid", invalid, Invalid)
    return InvalidLabels([], {}) if invalid == "missing" else None


def _read_name(line: Line, column: str, number: int) -> str:
    """Return the name of a piece: its id or text, or its number."""
    cell = line.cells.get(column, number)
    name = parse_identifier(cell)
    if name is None or not name.strip():
        raise line.make_error(f"{column} {format_value(cell)}", "its text or its name")
    return name


def _is_row(line: Line, cell: str) -> bool:
    """Return True if the data of an answer are on separate rows, not in one cell."""
    return cell not in line.cells


# -- nuggets --------------------------------------------------------------------------------------


def read_bank(data: AnswersLike) -> Bank:
    """Read the nuggets of each topic, without support by answers.

    >>> read_bank({"q1": {"born in 1942": "vital"}})["q1"]
    {'born in 1942': Nugget(name='born in 1942', vital=True, support=0.0, sub_narrative='')}
    """

    def build(line: Line, value: Any) -> dict[str, Nugget]:
        nuggets: dict[str, Nugget] = {}
        for number, piece in enumerate(read_pieces(line, _expand_mapping(value, "importance"), BANK, "nugget"), 1):
            nugget = _read_nugget(piece, _read_name(piece, "nugget", number))
            if nugget.name in nuggets:
                raise piece.make_duplicate_error(f"nugget {truncate_text(nugget.name)}")
            nuggets[nugget.name] = nugget
        return nuggets

    source = {"bank": data} if isinstance(data, Mapping) else data
    banks = read_by_run(source, BANK, "nuggets", "nuggets", build).by_run.values()
    return {topic: entry.value for bank in banks for topic, entry in bank.items()}


def read_assignments(
    data: AnswersLike, bank: Bank | None = None, invalid: Invalid = "error"
) -> ByRun[tuple[Nugget, ...]]:
    """Read the nuggets that each answer supports. A bank may define the nuggets.

    A label outside the scale is an error or, with `invalid` ``missing``, the answer has no label
    for this nugget.

    >>> judged = {"mine": {"q1": {"born in 1942": ("vital", "partial_support")}}}
    >>> read_assignments(judged).get("mine", "q1").value[0].support
    0.5
    """
    if isinstance(data, ByRun):
        return data
    cache, invalid_labels = PieceCache[Nugget](ASSIGNMENTS, "nugget"), _create_invalid(invalid)
    scale = Scale("assignment", ASSIGNED, "nugget", invalid_labels)

    def build(line: Line, value: Any) -> tuple[Nugget, ...]:
        topic, nuggets, by_name = line.get_name("topic"), list[Nugget](), dict[str, Nugget]()
        if bank is not None and topic not in bank:
            raise line.make_error(f"topic {topic}", "a topic with nuggets")
        bank_nuggets = None if bank is None else bank[topic]
        objects, assigned = (
            _expand_mapping(value, "assignment"),
            partial(_read_assignment, bank_nuggets, scale),
        )
        for piece, nugget in cache.read(line, objects, topic, assigned):
            first = by_name.setdefault(nugget.name, nugget)
            if nuggets and first is not nugget:
                _check_conflict(piece, topic, nugget, first, bank is not None or _is_row(line, "nuggets"))
            nuggets.append(nugget)
        return _drop_unlabelled(topic, nuggets, "support", invalid_labels)

    return read_by_run(data, ASSIGNMENTS, "assignments", "nuggets", build, invalid=invalid_labels)


def _check_conflict(line: Line, topic: str, nugget: Nugget, first: Nugget, is_unique: bool) -> None:
    """Raise an error for a nugget with two labels, or for a duplicate if `is_unique`."""
    if nugget == first and not is_unique:
        return
    description = f"nugget {truncate_text(nugget.name)} in topic {topic}"
    if nugget == first:
        raise line.make_duplicate_error(description)
    raise line.make_problem(f"conflicting labels for {description}")


def _drop_unlabelled(
    topic: str, candidates: Iterable[Piece], column: str, invalid: InvalidLabels | None
) -> tuple[Piece, ...]:
    """Return the pieces that have a label. Add the others to `invalid`."""
    if invalid is None:
        return tuple(candidates)
    labelled = list[Piece]()
    for piece in candidates:
        if math.isnan(getattr(piece, column)):
            invalid.pieces.append((topic, piece._replace(**{column: 0.0})))  # type: ignore[arg-type]
        else:
            labelled.append(piece)
    return tuple(labelled)


def _expand_mapping(value: Any, column: str) -> Any:
    """Return ``{nugget: (importance, assignment)}`` as objects.

    A single word is for `column`.
    """
    if not isinstance(value, Mapping):
        return value
    columns = ("importance", "assignment")
    return [
        {"nugget": name}
        | (dict(zip(columns, label, strict=True)) if is_list(label) and len(label) == 2 else {column: label})
        for name, label in value.items()
    ]


def _read_nugget(line: Line, name: str, support: float = 0.0) -> Nugget:
    vital = _parse_label(line, "importance", IMPORTANCE, "nugget", name)
    sub_narrative = str(line.cells.get("sub_narrative") or "").strip().strip('"').strip()
    return Nugget(name, bool(vital), support, sub_narrative)


def _read_assignment(bank_nuggets: Mapping[str, Nugget] | None, scale: Scale, line: Line, number: int) -> Nugget:
    """Read a nugget and its assignment. Raise an error if it contradicts the bank."""
    name = _read_name(line, "nugget", number)
    support = scale.read(line, name)
    if bank_nuggets is None:
        return _read_nugget(line, name, support)
    if name not in bank_nuggets:
        raise line.make_error(f"nugget {truncate_text(name)}", f"one of the topic's {len(bank_nuggets)} nuggets")
    importance = line.cells.get("importance")
    if importance is not None and _read_nugget(line, name).vital != bank_nuggets[name].vital:
        expected = f"{'vital' if bank_nuggets[name].vital else 'okay'}, as in the nuggets"
        raise line.make_error(f"importance {importance} for nugget {truncate_text(name)}", expected)
    return bank_nuggets[name]._replace(support=support)


# -- citations ------------------------------------------------------------------------------------


def read_support(data: AnswersLike, invalid: Invalid = "error") -> ByRun[Supports]:
    """Read the support of each citation. In memory, a sentence is a mapping.

    >>> judged = read_support({"mine": {"q1": [{"d7": "partial"}, {}]}}).get("mine", "q1").value
    >>> judged[1]["d7"].support, judged[2]
    (0.5, {})
    """
    if isinstance(data, ByRun):
        return data
    try:
        return _read_support_columns(data)
    except Irregular:
        invalid_labels = _create_invalid(invalid)
        build = partial(_build_supports, Scale("support", SUPPORTED, "citation", invalid_labels))
        return read_by_run(data, SUPPORT, "support", "sentences", build, invalid=invalid_labels)


def _read_support_columns(data: AnswersLike) -> ByRun[Supports]:
    """Read the support from valid text files. Raise Irregular for any other input."""
    by_run: dict[str, dict[str, Entry[Supports]]] = {}
    for file in data if is_list(data) else [data]:
        location, cells = get_location(file, "support"), read_text_columns(file, SUPPORT)
        names, words = cells["citation"].tolist(), cells["support"].tolist()
        id_columns = [cells[name] for name in ("topic", "run", "sentence")]  # equal on all lines of a sentence
        starts = np.unique(np.concatenate([column.find_changes() for column in id_columns]))
        ends = [*starts[1:].tolist(), len(names)]
        sentences = zip(*(column[starts].tolist() for column in id_columns), strict=True)
        for (topic, run, number), start, end in zip(sentences, starts.tolist(), ends, strict=True):
            supports = map(SUPPORTED.get, words[start:end])
            records = zip(supports, repeat(location), range(start + 1, end + 1))
            cited = dict(zip(names[start:end], map(Citation._make, records), strict=True))
            of_run = by_run.setdefault(run, {})
            if topic not in of_run:
                of_run[topic] = Entry({}, Line(location, start + 1, {}))
            _add_citations(of_run[topic].value.setdefault(_parse_plain_number(number), {}), cited, end - start)
    return ByRun("support", by_run)


def _add_citations(sentence: dict[str, Citation], cited: dict[str, Citation], count: int) -> None:
    """Add citations to a sentence.

    Raise Irregular for a duplicate or an invalid label.
    """
    if len(cited) < count or sentence.keys() & cited.keys():
        raise Irregular
    for name in NO_CITATION:
        cited.pop(name or "", None)
    if any(citation.support is None for citation in cited.values()):
        raise Irregular
    sentence.update(cited)


def _parse_plain_number(name: str) -> int:
    """Return the number of a sentence in plain digits, or raise Irregular."""
    if not (name.isascii() and name.isdecimal() and len(name) < 10):
        raise Irregular
    return int(name)


def _build_supports(scale: Scale, line: Line, sentences: Any) -> Supports:
    supports: Supports = {}
    if not is_list(sentences):
        raise line.make_error(f"sentences {format_value(sentences)}", "a list of sentences")
    for number, sentence in enumerate(sentences, 1):
        if isinstance(sentence, Line):
            _add_citation(scale, supports.setdefault(_read_number(sentence), {}), sentence)
            continue
        if not isinstance(sentence, Mapping):
            expected = "{citation: full, partial or none}"
            raise line.make_error(f"sentence {number} {format_value(sentence)}", expected)
        supports[number] = {}
        for cited, support in sentence.items():
            cells = {"sentence": number, "citation": cited, "support": support}
            _add_citation(scale, supports[number], with_cells(line, cells))
    return supports


def _add_citation(scale: Scale, sentence: dict[str, Citation], line: Line) -> None:
    if line.cells.get("citation") in NO_CITATION:
        return
    name = line.get_name("citation")
    if name in sentence:
        description = f"citation {truncate_text(name)} in sentence {line.cells['sentence']}"
        raise line.make_duplicate_error(description)
    support = scale.read(line, name)
    if not math.isnan(support):
        sentence[name] = Citation(support, line.location, line.number)
    elif scale.invalid is not None:
        scale.invalid.pieces.append((str(line.cells.get("topic", "")), None))


def _read_number(line: Line) -> int:
    cell = line.cells.get("sentence")
    number = parse_integer(cell)
    if number is None:
        raise line.make_error(f"sentence {format_value(cell)}", "its number")
    return number


# -- rubrics --------------------------------------------------------------------------------------


def read_criteria(data: AnswersLike, invalid: Invalid = "error") -> ByRun[tuple[Criterion, ...]]:
    """Read the degree to which each answer meets the criteria of a rubric.

    A label outside the scale is an error or, with `invalid` ``missing``, the answer has no label
    for this criterion.

    >>> judged = {"mine": {"q1": [{"criterion": "names the year", "weight": 5, "met": 1}]}}
    >>> read_criteria(judged).get("mine", "q1").value
    (Criterion(name='names the year', weight=5.0, met=1.0, axis=''),)
    """
    if isinstance(data, ByRun):
        return data
    cache, invalid_labels = PieceCache[Criterion](CRITERIA, "criterion"), _create_invalid(invalid)
    read = partial(_read_criterion, Scale("met", MET, "criterion", invalid_labels))

    def build(line: Line, value: Any) -> tuple[Criterion, ...]:
        criteria: dict[str, Criterion] = {}
        topic = line.get_name("topic")
        for piece, criterion in cache.read(line, value, topic, read):
            if (name := criterion.name) in criteria:
                raise piece.make_duplicate_error(f"criterion {truncate_text(name)}")
            criteria[name] = criterion
        return _drop_unlabelled(topic, criteria.values(), "met", invalid_labels)

    return read_by_run(data, CRITERIA, "criteria", "criteria", build, invalid=invalid_labels)


def _read_criterion(scale: Scale, line: Line, number: int) -> Criterion:
    name = _read_name(line, "criterion", number)
    weight = parse_finite(line.cells.get("weight"))
    if weight is None or abs(weight) > LARGEST:
        cell = line.cells.get("weight")
        problem = "no weight" if cell in (None, "") else f"weight {format_value(cell)}"
        expected = NUMBER if weight is None else LEVEL
        raise line.make_error(f"{problem} for criterion {truncate_text(name)}", expected)
    met = scale.read(line, name)
    return Criterion(name, weight, met, str(line.cells.get("axis") or "").strip())


# -- labels of some pieces ------------------------------------------------------------------------


def complete_labels(target: ByRun[Any], references: Sequence[ByRun[Any]], label: float) -> ByRun[Any]:
    """Add a label to each piece of `target` that only the references labelled.

    The pieces are the citations of the answer, and the nuggets of the topic. If `target` has
    nuggets that the references do not have, only its own nuggets count.
    """
    nuggets = _merge_nuggets(target, references)
    by_run: dict[str, dict[str, Entry[Any]]] = {}
    for run, of_run in target.by_run.items():
        for topic, entry in of_run.items():
            if isinstance(entry.value, tuple):
                names = {nugget.name for nugget in entry.value}
                rest = [nugget for name, nugget in nuggets[topic].items() if name not in names]
                value: Any = (*entry.value, *(nugget._replace(support=label) for nugget in rest))
            else:
                supports = [x.value for reference in references if (x := reference.get(run, topic))]
                value = _merge_citations(entry, supports, label)
            by_run.setdefault(run, {})[topic] = Entry(value, entry.line)
    return ByRun(target.kind, by_run, target.invalid)


def _merge_nuggets(target: ByRun[Any], references: Sequence[ByRun[Any]]) -> dict[str, dict[str, Nugget]]:
    """Return the nuggets per topic, with references that have all of `target`."""
    merged, reference_nuggets = collect_nuggets([target]), collect_nuggets(references)
    for topic, nuggets in merged.items():
        if reference_nuggets.get(topic, {}).keys() >= nuggets.keys():
            merged[topic] = {**nuggets, **reference_nuggets[topic]}
    return merged


def collect_nuggets(data: Sequence[ByRun[Any]]) -> dict[str, dict[str, Nugget]]:
    """Return the nuggets of each topic over all runs."""
    by_topic: dict[str, dict[str, Nugget]] = {}
    for labels in data:
        entries = [(t, x.value) for run in labels.by_run.values() for t, x in run.items()]
        entries += [(topic, (nugget,)) for topic, nugget in labels.invalid.pieces]
        for topic, value in entries:
            topic_nuggets = by_topic.setdefault(topic, {})
            if isinstance(value, tuple):
                topic_nuggets.update({nugget.name: nugget for nugget in value if nugget is not None})
    return by_topic


def _merge_citations(entry: Entry[Supports], references: Sequence[Supports], label: float) -> Supports:
    """Return all labelled citations of an answer, in the order of the first assessor."""
    sources = [*references, entry.value]
    merged: Supports = {}
    for number in sorted({number for source in sources for number in source}):
        labelled = entry.value.get(number, {})
        names = dict.fromkeys(name for source in sources for name in source.get(number, {}))
        unlabelled = Citation(label, entry.line.location, entry.line.number)
        merged[number] = {name: labelled.get(name, unlabelled) for name in names}
    return merged
