"""Evaluation of summaries and other texts by references and nuggets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from cranfield.data.texts import (
    EVERY_FILE,
    GOLD,
    Matches,
    Nuggets,
    NuggetsLike,
    Texts,
    TextsLike,
    read_nuggets,
    read_systems,
    read_systems_matches,
    read_texts,
)
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import CranfieldError, InputError
from cranfield.evaluation.systems import build_scores
from cranfield.measures.base import Measure
from cranfield.measures.grammar import MeasureLike, parse_measures_for
from cranfield.measures.texts import (
    MEANINGS,
    Answer,
    Nugget,
    Reader,
    Smeasure,
    Ssharp,
    TextMeasure,
    TokensLike,
    Words,
    build_answer,
    build_reader,
    get_tokeniser,
)
from cranfield.scores import Note, Scores, note_topics
from cranfield.tables import ResultTable, bind_rows, build_columns, build_record_table
from cranfield.wording import format_count, format_names, format_number, suggest_keywords

BY_REFERENCES = ("ROUGE", "ROUGE(n=2)", "ROUGESU(skip=4)")
BY_NUGGETS = ("WRecall", "NuggetF", "Smeasure", "Tmeasure", "Ssharp")
"""Default measures."""


@suggest_keywords
def evaluate_texts(
    references: TextsLike | None = None,
    systems: Any = None,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    nuggets: NuggetsLike | None = None,
    matches: Any = None,
    tokens: TokensLike = "auto",
) -> Scores:
    """Score the texts of one or several systems by reference texts, nuggets or both.

    `references` and `systems` are directories with a file per topic, files with lines
    ``topic<TAB>text``, tables with the columns topic and text, ``{topic: text}``, or frames.
    Several systems are a list, or a dict from names to systems. A topic may have several
    references. `nuggets` are ``topic nugget weight length``, or contain vital strings instead of
    lengths. `matches` are the places where assessors found the nuggets, for each system in order:
    ``topic nugget offset``. Without matches, the vital strings are searched in the texts.

    >>> references = {"q1": ["the cat sat on the mat", "a cat was on the mat"]}
    >>> evaluate_texts(references, {"q1": "the cat was on the mat"}, "ROUGE(n=2)").summary()
    {'system': {'ROUGE(n=2)': 0.8}}
    >>> nuggets = {"q1": {"birth": (3, "born 1942"), "place": (1, "Liverpool")}}
    >>> evaluate_texts(systems={"q1": "born 1942"}, measures="WRecall", nuggets=nuggets).summary()
    {'system': {'WRecall': 0.75}}
    """
    collection = TextCollection.from_inputs(references, systems, nuggets, matches, tokens)
    if references is None and nuggets is None:
        raise InputError.from_problem("no references or nuggets given")
    defaults = BY_REFERENCES * (references is not None) + BY_NUGGETS * (nuggets is not None)
    parsed = parse_measures_for(defaults if measures is None else measures, "texts")
    return collection.compute_scores(cast("tuple[TextMeasure, ...]", parsed))


class Finding(NamedTuple):
    """One nugget in one text."""

    nugget: str
    weight: float
    length: int  # length of the vital string
    vital: str | None
    ideal: int  # end offset in the pseudo minimal output
    end: int | None  # end offset in the text, None if not found
    share: float  # contribution to S-measure


@dataclass(frozen=True)
class Findings(TableResult):
    """The nuggets of a topic in the text of each system, by S-measure."""

    topic: str
    measure: str
    systems: Mapping[str, Sequence[Finding]]

    def _build_tables(self) -> list[ResultTable]:
        rows = [{"system": system} | nugget._asdict() for system, nuggets in self.systems.items() for nugget in nuggets]
        names = dict.fromkeys(("system", *Finding._fields))
        visible = (_build_system_table(self, system) for system in self.systems)
        return [build_record_table("nuggets", rows, names), *visible]


@dataclass(frozen=True, eq=False)
class TextCollection:
    """The texts of systems with references and nuggets."""

    references: Texts | None
    nuggets: Nuggets | None
    systems: Mapping[str, Texts | None]  # None if there are only matches
    matches: Mapping[str, Matches]  # by system, empty if computed from vital strings
    tokens: TokensLike

    @classmethod
    def from_inputs(
        cls, references: TextsLike | None, systems: Any, nuggets: NuggetsLike | None, matches: Any, tokens: TokensLike
    ) -> TextCollection:
        """Read and check all inputs."""
        get_tokeniser(tokens)
        reference_texts = None if references is None else read_texts(references, "references", layout=GOLD)
        gold_nuggets = None if nuggets is None else read_nuggets(nuggets)
        if reference_texts and gold_nuggets:
            _check_topics(reference_texts, gold_nuggets)
        texts: dict[str, Texts | None] = {} if systems is None else {**read_systems(systems)}
        matches_of = {} if matches is None else _assign_matches(matches, list(texts))
        if matches_of and gold_nuggets is None:
            raise InputError.from_problem("matches need nuggets")
        for system_matches in matches_of.values():
            system_matches.check(gold_nuggets.by_topic if gold_nuggets else {})
        if not (texts or matches_of):
            raise InputError.from_problem("no system given")
        return cls(reference_texts, gold_nuggets, texts or dict.fromkeys(matches_of), matches_of, tokens)

    @property
    def topics(self) -> list[str]:
        """Topics with references or nuggets."""
        gold = self.references or self.nuggets
        return list(gold.by_topic) if gold else []

    def _read_gold(self, topic: str) -> tuple[Reader, list[Words], dict[str, Nugget]]:
        """Return the tokeniser, the references and the nuggets of a topic."""
        read = build_reader(self.tokens)
        references = self.references.by_topic[topic] if self.references else ()
        nuggets = self.nuggets.by_topic[topic] if self.nuggets else {}
        vital = {
            name: Nugget(*nugget, None if nugget.string is None else read(nugget.string))
            for name, nugget in nuggets.items()
        }
        return read, [read(text) for text in references], vital

    # -- scores -----------------------------------------------------------------------------------

    def compute_scores(self, measures: Sequence[TextMeasure]) -> Scores:
        """Compute all measures of all texts. Missing texts score 0."""
        self._check_inputs(measures)
        values = np.zeros((len(self.systems), len(self.topics), len(measures)))
        notes = list(self._collect_notes(measures))
        for t, topic in enumerate(self.topics):  # the outer loop, because caches are per topic
            gold = self._read_gold(topic)
            for s, system in enumerate(self.systems):
                if x := self._build_answer(system, topic, *gold):
                    values[s, t] = [m.score(x) for m in measures]
        for system in self.systems:
            notes += self._collect_system_notes(system)
        return build_scores(values, self.systems, self.topics, measures, notes)

    def _build_answer(
        self, system: str, topic: str, read: Reader, references: Sequence[Words], nuggets: Mapping[str, Nugget]
    ) -> Answer | None:
        """Return the text of a system for measures, or None if missing."""
        text, matches = self._get_text(system, topic), self.matches.get(system)
        if matches is None:
            return None if text is None else build_answer(text, read, references, nuggets)
        topic_matches = matches.by_topic.get(topic, {})
        if text is None:
            if topic_matches:
                expected = f"a text, or a line `{topic} syslen= LENGTH`"
                raise InputError(f"matches but no text of topic {topic}", expected, matches.where)
            return None
        offsets = {name: match.offset for name, match in topic_matches.items()}
        response = build_answer(text, read, references, nuggets, offsets)
        matches.check_offsets(topic, response.length)
        return response

    def _get_text(self, system: str, topic: str) -> str | int | None:
        """Return a text, its length if there are only matches, or None if missing."""
        texts = self.systems[system]
        if texts is None:
            return self.matches[system].lengths.get(topic)
        return texts.by_topic[topic][0] if topic in texts.by_topic else None

    def _check_inputs(self, measures: Sequence[TextMeasure]) -> None:
        """Raise an error for measures without their inputs."""
        for m in measures:
            if m.needs == "references" and self.references is None:
                raise CranfieldError(f"{m} needs reference texts. {EVERY_FILE}")
            if m.needs != "references" and self.nuggets is None:
                raise CranfieldError(f"{m} needs nuggets. Use --nuggets FILE.")
            if m.needs != "references" and (m.needs == "strings" or not self.matches):
                self._check_strings(m)
            if m.needs != "nuggets" and None in self.systems.values():
                raise CranfieldError(f"{m} needs the texts of systems, not only matches")

    def _check_strings(self, m: TextMeasure) -> None:
        for topic, nuggets in self.nuggets.by_topic.items() if self.nuggets else ():
            for name, nugget in nuggets.items():
                if nugget.string is None and self.nuggets:
                    problem = f"no vital string for nugget {name} of topic {topic}"
                    expected = f"one: {m} " + (
                        "compares its words" if m.needs == "strings"
                        else "searches for it if there are no matches (--matches)"
                    )  # fmt: skip
                    raise InputError(problem, expected, self.nuggets.where)

    # -- notes ------------------------------------------------------------------------------------

    def _collect_notes(self, measures: Sequence[TextMeasure]) -> Iterator[Note]:
        yield from note_tokens(measures, self.tokens)
        if any(m.needs == "nuggets" for m in measures) and not self.matches:
            text = "nuggets were matched automatically by their vital strings"
            yield Note("matches", text)
        for L in dict.fromkeys(m.L for m in measures if isinstance(m, Smeasure | Ssharp)):
            late = [topic for topic in self.topics if not self._compute_maximum(topic, Smeasure(L=L))]
            text = "with all nuggets after L, scored 0"
            for note in note_topics("late-nuggets", late, text):
                yield note.rewrite(lambda text, L=L: f"L={L:g}: {text}")  # type: ignore[misc]

    def _compute_maximum(self, topic: str, S: Smeasure) -> float:
        topic_nuggets = self.nuggets.by_topic[topic] if self.nuggets else {}
        nuggets = {name: Nugget(*vital) for name, vital in topic_nuggets.items()}
        return S.compute_maximum(build_answer("", build_reader("blanks"), nuggets=nuggets))

    def _collect_system_notes(self, system: str) -> Iterator[Note]:
        text_of = {topic: self._get_text(system, topic) for topic in self.topics}
        missing = [topic for topic, text in text_of.items() if text is None]
        yield from note_topics("missing-topics", missing, "missing, scored 0", system)
        empty = [topic for topic, text in text_of.items() if text in ("", 0)]
        yield from note_topics("empty-texts", empty, "with an empty text", system)
        texts = self.systems[system]
        unjudged = [topic for topic in texts.by_topic if topic not in text_of] if texts else []
        kind = "nuggets" if self.references is None else "references"
        yield from note_topics("unjudged-topics", unjudged, f"without {kind}, ignored", system)
        lengths = self.matches[system].lengths if self.matches else {}
        text_lengths = {topic: len(text) for topic, text in text_of.items() if isinstance(text, str)}
        differ = [topic for topic, size in text_lengths.items() if lengths.get(topic, size) != size]
        note_text = "with another length in the matches. Lengths of texts are used."
        yield from note_topics("lengths", differ, note_text, system)

    # -- nuggets, one by one ----------------------------------------------------------------------

    def compute_findings(self, topic: str, S: Smeasure) -> Findings:
        """Find each nugget of a topic in the text of each system, best first."""
        if self.nuggets is None:
            raise InputError.from_problem("no nuggets to explain", "Use --nuggets FILE.")
        if topic not in self.nuggets.by_topic:
            topics_known = format_names(self.topics, "topic")
            raise InputError.from_problem(f"topic {topic!r} has no nuggets. Topics: {topics_known}")
        self._check_inputs([S])
        findings, gold = {}, self._read_gold(topic)
        for system in self.systems:
            x = self._build_answer(system, topic, *gold) or build_answer("", *gold, nugget_ends={})
            shares = S.compute_shares(x)
            findings[system] = [
                Finding(name, nugget.weight, nugget.length, nugget.vital, ideal,
                        x.ends.get(name), shares.get(name, 0.0))
                for name, ideal in x.ideal.items() for nugget in [x.nuggets[name]]
            ]  # fmt: skip
        return Findings(topic, str(S), findings)


def note_tokens(measures: Iterable[Measure], tokens: TokensLike) -> Iterator[Note]:
    """Note the definition of tokens if it affects a score."""
    if any(getattr(m, "tokenised", False) for m in measures):
        text = MEANINGS[tokens] if isinstance(tokens, str) else "from a custom function"
        yield Note("tokens", f"tokens are {text}, without stemming")


def _check_topics(references: Texts, nuggets: Nuggets) -> None:
    """Raise an error if references and nuggets have different topics."""
    if unmatched := references.by_topic.keys() ^ nuggets.by_topic.keys():
        first = min(unmatched)
        complete, incomplete = (references, nuggets) if first in references.by_topic else (nuggets, references)
        expected = f"the same topics as in {complete.where}"
        raise InputError(f"no topic {first}", expected, incomplete.where)


def _assign_matches(matches: Any, systems: Sequence[str]) -> dict[str, Matches]:
    """Return the matches of each system, by name or in the order of systems."""
    pairs = read_systems_matches(matches)
    if isinstance(matches, Mapping) and set(dict(pairs)) == set(systems):
        return dict(pairs)
    if systems and len(pairs) != len(systems):
        problem = f"matches of {format_count(len(pairs), 'system')}, but texts of {len(systems)}"
        raise InputError.from_problem(problem)
    names = systems or [name for name, _ in pairs]
    return {name: of_system for name, (_, of_system) in zip(names, pairs, strict=True)}


def _build_system_table(findings: Findings, system: str) -> ResultTable:
    """Build the table of a system, in the order of the pseudo minimal output."""
    rows = findings.systems[system]
    matched = sum(row.end is not None for row in rows)
    column = bind_rows(rows)
    vital = column("vital string", lambda row: row.vital or "")
    fields = [
        column("nugget", key=True),
        column("weight", text="{:g}".format),
        *build_columns(column, "length", "ideal", text=str),
        column("found", "end", text=str, dtype=float),
        column("share", head=findings.measure),
        *([vital] if any(vital.cell_texts) else []),
    ]
    total = f"{findings.measure} = {format_number(sum(row.share for row in rows))}"
    title = f"{system}, topic {findings.topic}: {matched} of {len(rows)} nuggets"
    return ResultTable(system, fields, total, title, machine_readable=False)
