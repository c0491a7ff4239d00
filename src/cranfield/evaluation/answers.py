"""`evaluate_answers`: generated answers, from what was judged of them to scores; and to details."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import starmap
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.data.answers import FILES, AnswersLike, ByRun, Written, read_answers
from cranfield.data.judged_answers import (
    Bank,
    Criterion,
    Invalid,
    Nugget,
    Supports,
    read_assignments,
    read_bank,
    read_criteria,
    read_support,
)
from cranfield.data.reading.lines import short
from cranfield.data.texts import GOLD, GOLD_BESIDE, Texts, TextsLike, read_texts
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError, one_of
from cranfield.evaluation.notices import UNDEFINED
from cranfield.evaluation.options import Undefined
from cranfield.evaluation.systems import scores_of
from cranfield.evaluation.texts import about_tokens
from cranfield.measures import answers as seen
from cranfield.measures.base import Measure
from cranfield.measures.grammar import Measures, measures_for, parse_measures
from cranfield.measures.texts import ByReferences, Reader, TokensLike, answer, reader, tokeniser
from cranfield.scores import Facts, Notice, Scores, about
from cranfield.shown import Shown
from cranfield.wording import counted, option, some, suggests_keywords

# Marks of citations in a text: [1], [2, 3], [^4], and those of OpenAI's assistants.
MARK = re.compile(r"\[\^?\d+(?:[,;\s-]+\d+)*\]|\u3010[^\u3011]*\u3011")


class Kind(NamedTuple):
    """What some measures need: how it is called, and how it is given."""

    noun: str
    given: str
    usual: str  # the measures that are computed if none is named


KINDS = {
    "nuggets": Kind("assignments of nuggets", "ASSIGNMENTS, or assignments=", "nuggets"),
    "support": Kind("support by citations", "--support, or support=", "citations"),
    "criteria": Kind("criteria of a rubric", "--rubric, or rubric=", "Rubric"),
    "references": Kind(
        "answers and gold answers", "--answers and --gold, or answers= and gold=", "short"
    ),
}


class PieceKind(NamedTuple):
    """What answers are judged by, piece by piece: what it is called, and where its label is."""

    noun: str
    column: str
    label: str
    without: str
    value: Callable[[Any], str]  # what must be the same in all answers
    effect: Callable[[Sequence[Any]], str]  # of pieces that count as not there
    fix: Callable[[], str]

    def differ(self, a: Any, b: Any) -> bool:
        """Whether two pieces of one name differ in what must be the same."""
        return self.value(a) != self.value(b)


def _too_low_or_high(missing: Sequence[Criterion]) -> str:
    """In which direction criteria without a label change scores."""
    negative = sum(one.weight < 0 for one in missing)
    if negative == len(missing):
        return "can only be too high"
    return (
        f"can be too low, or too high by {negative:,} of negative weight" if negative else TOO_LOW
    )


TOO_LOW = "can only be too low"
PIECES = {
    "nuggets": PieceKind(
        "nugget", "support", "an assignment", "not supported",
        lambda one: "vital" if one.vital else "okay", lambda _: TOO_LOW,
        lambda: f"Use {option('--nuggets FILE', 'nuggets=')} to give the importance once.",
    ),
    "criteria": PieceKind(
        "criterion", "met", "a label", "not met",
        lambda one: f"of weight {one.weight:g}", _too_low_or_high,
        lambda: "Give a criterion of a topic one weight.",
    ),
}  # fmt: skip


@suggests_keywords
def evaluate_answers(
    assignments: AnswersLike | None = None,
    measures: Measures | None = None,
    *,
    nuggets: AnswersLike | None = None,
    answers: AnswersLike | None = None,
    support: AnswersLike | None = None,
    rubric: AnswersLike | None = None,
    gold: TextsLike | None = None,
    undefined: Undefined = "zero",
    tokens: TokensLike = "auto",
    invalid: Invalid = "error",
) -> Scores:
    """The scores of generated answers, by what people or models judged of them.

    assignments
        Which nuggets each answer supports: one or several paths (JSONL with an object for each
        answer, or a table topic, run, nugget, importance, assignment), a frame, records, or
        ``{run: {topic: {nugget: (importance, assignment)}}}``.
    nuggets
        What nuggets there are and which are vital, if assignments do not say so.
    answers
        The answers themselves, as TREC's RAG and RAGTIME tracks have them, or their texts.
    support
        How far each citation supports its sentence: topic, run, sentence, citation, support.
    rubric
        How far answers meet criteria: topic, run, criterion, axis, weight, met.
    gold
        Right answers, one or several for each topic, as `evaluate_texts` takes references.
    undefined
        An answer that a measure is undefined for counts as 0, is NaN, is left out, or is an error.
    invalid
        A label outside its scale (−1, None, "N/A") is an error, or a missing label (``missing``).

    The nuggets of a topic are those of `nuggets`, or of all runs together. A nugget without a label
    for an answer counts as not supported, a criterion as not met, and a note tells how many.

    >>> judged = {"born in 1942": ("vital", "support"), "a knight": ("vital", "not_support")}
    >>> evaluate_answers({"mine": {"q1": judged}}, "NuggetV(strict=true) NuggetA").summary()
    {'mine': {'NuggetV(strict=true)': 0.5, 'NuggetA': 0.5}}
    >>> evaluate_answers(answers={"mine": {"q1": "In Paris."}}, gold={"q1": "Paris"}).mean()["mine"]
    {'EM': 0.0, 'TokenF1': 0.6666666666666666, 'Contains': 1.0, 'ROUGEL': 0.6666666666666666}
    """
    one_of("undefined", undefined, Undefined)
    given = AnswerCollection.of(
        assignments, nuggets, answers, support, rubric, gold, tokens, invalid
    )
    return given.scores(given.asked(measures), undefined)


@dataclass(frozen=True, eq=False)
class AnswerCollection:
    """The answers of runs, and all that is known of them."""

    assignments: ByRun[tuple[Nugget, ...]] | None
    bank: Bank | None
    answers: ByRun[Written] | None
    support: ByRun[Supports] | None
    rubric: ByRun[tuple[Criterion, ...]] | None
    gold: Texts | None
    tokens: TokensLike

    @classmethod
    def of(
        cls,
        assignments: AnswersLike | None,
        nuggets: AnswersLike | None,
        answers: AnswersLike | None,
        support: AnswersLike | None,
        rubric: AnswersLike | None,
        gold: TextsLike | None,
        tokens: TokensLike = "auto",
        invalid: Invalid = "error",
    ) -> AnswerCollection:
        """All of it, read and checked."""
        tokeniser(tokens)
        bank = None if nuggets is None else read_bank(nuggets)
        beside = _is_among(gold, answers)
        return cls(
            None if assignments is None else read_assignments(assignments, bank, invalid),
            bank,
            None if answers is None else read_answers(answers),
            None if support is None else read_support(support, invalid),
            None if rubric is None else read_criteria(rubric, invalid),
            None
            if gold is None
            else read_texts(gold, "gold", layout=GOLD_BESIDE if beside else GOLD),
            tokens,
        )

    # -- what there is ----------------------------------------------------------------------------

    @cached_property
    def kinds(self) -> dict[str, ByRun[Any]]:
        """What is known of each run and topic, by what measures need."""
        every = {"nuggets": self.assignments, "support": self.support, "criteria": self.rubric,
                 "references": self.answers if self.gold else None}  # fmt: skip
        return {needs: found for needs, found in every.items() if found is not None}

    @cached_property
    def topics(self) -> dict[str, dict[str, None]]:
        """The topics that measures are defined for, by what they need."""
        found = {needs: dict.fromkeys(of.topics) for needs, of in self.kinds.items()}
        if self.bank is not None and "nuggets" in found:
            found["nuggets"] = dict.fromkeys(self.bank)
        if self.gold is not None and "references" in found:
            found["references"] = dict.fromkeys(self.gold.by_topic)
        if "support" in found and self.answers:
            found["support"] |= dict.fromkeys(self._uncited)
        return found

    @property
    def _uncited(self) -> list[str]:
        """The topics whose answers cite nothing: none of their sentences is supported."""
        answered = dict[str, list[Written]]()
        for of_run in self.answers.by_run.values() if self.answers else ():
            for topic, entry in of_run.items():
                answered.setdefault(topic, []).append(entry.found)
        return [
            topic
            for topic, every in answered.items()
            if all(one.sentences is not None and not _cites(one) for one in every)
        ]

    @cached_property
    def _every(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The nuggets, or criteria, of each topic: those of the bank, or of all runs together."""
        made: dict[str, dict[str, dict[str, Any]]] = {}
        for needs in self.kinds.keys() & PIECES.keys():
            topics = made[needs] = dict[str, dict[str, Any]]()
            if needs == "nuggets" and self.bank is not None:
                topics |= {topic: dict(known) for topic, known in self.bank.items()}
                continue
            for run, of_run in self.kinds[needs].by_run.items():
                for topic, entry in of_run.items():
                    every = topics.setdefault(topic, {})
                    for one in entry.found:
                        first = every.setdefault(one.name, one)
                        if first is not one and PIECES[needs].differ(first, one):
                            raise self._two_kinds(needs, topic, run, first, one)
            for topic, one in self.kinds[needs].outside.pieces:
                topics.setdefault(topic, {}).setdefault(one.name, one)
        return made

    def _two_kinds(self, needs: str, topic: str, run: str, first: Any, one: Any) -> InputError:
        """The error that runs do not agree on the importance of a nugget, or the weight."""
        entries = self.kinds[needs].by_run
        other = next(
            r for r, of in entries.items() if first in (of[topic].found if topic in of else ())
        )
        piece = PIECES[needs]
        problem = (
            f"{piece.noun} {short(one.name)} of topic {topic} is {piece.value(one)} for run {run} "
            f"and {piece.value(first)} for run {other}"
        )
        line = entries[run][topic].line
        return InputError.problem(problem, piece.fix(), line.where, line.number)

    @cached_property
    def runs(self) -> list[str]:
        """Those that anything is known of."""
        every = [*self.kinds.values(), *([self.answers] if self.answers else [])]
        return [*dict.fromkeys(run for of in every for run in of.by_run)]

    @cached_property
    def axes(self) -> list[str]:
        """Those of the rubric, in their order."""
        entries = [] if self.rubric is None else self.rubric.by_run.values()
        every = (one.axis for of in entries for entry in of.values() for one in entry.found)
        return [axis for axis in dict.fromkeys(every) if axis]

    def asked(self, measures: Measures | None) -> tuple[Measure, ...]:
        """The measures that are computed: those named, or all that suit what there is."""
        if not self.kinds:
            raise InputError("nothing that was judged", "assignments, support, rubric, or answers "
                             "and gold answers")  # fmt: skip
        if measures is None:
            usual = [KINDS[needs].usual for needs in self.kinds]
            usual += ["SubNarratives"] if self._sub_narratives() else []
            measures = [*usual, *(seen.Rubric(axis=axis) for axis in self.axes)]
        return measures_for(measures, "answers", also=_of_texts)

    def _sub_narratives(self) -> bool:
        entries = [] if self.assignments is None else self.assignments.by_run.values()
        return any(one.sub_narrative for of in entries for x in of.values() for one in x.found)

    # -- scores -----------------------------------------------------------------------------------

    def scores(self, measures: Sequence[Measure], undefined: Undefined = "zero") -> Scores:
        """All measures of all answers."""
        needed = self._needed(measures)
        topics = [*dict.fromkeys(topic for needs in needed for topic in self.topics[needs])]
        values = np.full((len(self.runs), len(topics), len(measures)), math.nan)
        for t, topic in enumerate(topics):
            answered = {needs: self._seen(needs, topic) for needs in needed}
            for m, one in enumerate(measures):
                found = answered[_needs(one)]
                values[:, t, m] = [math.nan if x is None else _score(one, x) for x in found]
        notices = [*self._notices(needed), *about_tokens(measures, self.tokens)]
        notices += self._fill(values, topics, measures, undefined)
        partly = undefined == "zero" and np.isnan(values).any()
        told = "skip" if partly else undefined
        return scores_of(values, self.runs, topics, measures, notices, told)

    def _needed(self, measures: Sequence[Measure]) -> list[str]:
        """What the measures need, all of which must be there, for every run."""
        for m in measures:
            if (needs := _needs(m)) not in self.kinds:
                noun, given, _ = KINDS[needs]
                raise CranfieldError(f"{m} needs {noun}, found none ({given})")
            for run in self.runs:
                if not self._found(needs, run):
                    known = some([*self.kinds[needs].by_run], "run")
                    hint = "a run is called as run_id says, or by its file"
                    found = f"no {KINDS[needs].noun} of run {run}, only of {known}"
                    raise InputError(found, f"some of every run ({hint})", m)
        needed = [*dict.fromkeys(map(_needs, measures))]
        if "references" in needed and self.answers and self.gold:
            answered = self.answers.topics
            if not self.gold.by_topic.keys() & dict.fromkeys(answered).keys():
                found = f"none of the {some([*self.gold.by_topic], 'topic')} among the answers"
                raise InputError(found, f"some of the {some(answered, 'topic')}", self.gold.where)
        return needed

    def _found(self, needs: str, run: str) -> dict[str, None]:
        """The topics that a run is known to answer; one that never cites has no support to list."""
        found = dict.fromkeys(self.kinds[needs].by_run.get(run, ()))
        uncited = self.answers.by_run.get(run, ()) if needs == "support" and self.answers else ()
        return found | dict.fromkeys(uncited)

    def _seen(self, needs: str, topic: str) -> list[Any]:
        """The answers of all runs to a topic as measures see them; None where nobody judged."""
        if topic not in self.topics[needs]:
            return [None] * len(self.runs)
        match needs:
            case "nuggets":
                return [
                    seen.Response(nuggets=self._complete(needs, run, topic)) for run in self.runs
                ]
            case "criteria":
                return [
                    seen.Response(criteria=self._complete(needs, run, topic)) for run in self.runs
                ]
            case "support":
                return [self._supported(run, topic) for run in self.runs]
        return self._texts(topic)

    def _complete(self, needs: str, run: str, topic: str, missing: float = 0.0) -> Sequence[Any]:
        """The nuggets, or criteria, of a topic: what has no label is not supported, or not met."""
        entry = self._judged(needs, run, topic)
        found: Sequence[Any] = () if entry is None else entry.found
        every, names = self._every[needs].get(topic, {}), {one.name for one in found}
        if len(names) == len(every):
            return found
        column = PIECES[needs].column
        rest = [one for name, one in every.items() if name not in names]
        return [*found, *(one._replace(**{column: missing}) for one in rest)]

    def _supported(self, run: str, topic: str) -> seen.Response | float:
        if self._judged("support", run, topic) is None and topic not in self._found("support", run):
            return 0.0
        sentences = self._citations(run, topic)
        judged = [[x for x in cited.values() if x is not None] for cited in sentences]
        return seen.Response(sentences=judged)

    @cached_property
    def _read(self) -> Reader:
        return reader(self.tokens)

    def _texts(self, topic: str) -> list[Any]:
        """Texts next to gold answers; one that is missing scores 0."""
        read = self._read
        golds = [read(text) for text in self.gold.by_topic[topic]] if self.gold else []
        entries = (self.answers.get(run, topic) if self.answers else None for run in self.runs)
        return [answer(x.found.text, read, golds) if x else 0.0 for x in entries]

    def _judged(self, needs: str, run: str, topic: str) -> Any:
        """What was judged of an answer, if there is any; one that nobody judged is refused."""
        entry = self.kinds[needs].get(run, topic)
        written = self.answers.get(run, topic) if self.answers else None
        if entry is None and written is not None and (needs != "support" or _cites(written.found)):
            found = f"an answer of run {run} to topic {topic}, and no {KINDS[needs].noun}"
            raise written.line.error(found, "every answer to a judged topic to be judged")
        return entry

    # -- sentences and what they cite -------------------------------------------------------------

    @cached_property
    def _first(self) -> int:
        """The number of the first sentence: 0 if any has that, else 1."""
        runs = self.support.by_run.values() if self.support else ()
        return 1 - any(0 in entry.found for topics in runs for entry in topics.values())

    @cached_property
    def _known(self) -> dict[tuple[str, str], list[Mapping[str, float | None]]]:
        return {}

    def sentences(self, run: str, topic: str) -> list[Said]:
        """The sentences of an answer, with all that they cite."""
        written = self.answers.get(run, topic) if self.answers else None
        said = written.found.sentences if written else None
        return [
            Said(number, said[i].text if said else None, tuple(starmap(Citation, cited.items())))
            for i, (number, cited) in enumerate(enumerate(self._citations(run, topic), self._first))
        ]

    def _citations(self, run: str, topic: str) -> list[Mapping[str, float | None]]:
        """What each sentence of an answer cites, and how far it supports it, if that was judged."""
        if (run, topic) not in self._known:
            self._known[run, topic] = self._cited(run, topic)
        return self._known[run, topic]

    def _cited(self, run: str, topic: str) -> list[Mapping[str, float | None]]:
        """Of all sentences; if the answer is not there, of those up to the last that is listed."""
        judged = self.support.get(run, topic) if self.support else None
        written = self.answers.get(run, topic) if self.answers else None
        supports = judged.found if judged else {}
        if written is None:
            numbers = range(self._first, max(supports, default=-1) + 1)
            listed = [supports.get(number, {}) for number in numbers]
            return [{name: one.support for name, one in cited.items()} for cited in listed]
        if written.found.sentences is None:
            found = f"a text as the answer of run {run} to topic {topic}"
            raise written.line.error(found, "sentences with their citations")
        return self._matched(supports, written.found, f"topic {topic} of run {run}")

    def _matched(
        self, supports: Supports, written: Written, of: str
    ) -> list[Mapping[str, float | None]]:
        """What sentences cite, with its support; that of citations that nobody made is refused."""
        sentences = dict(enumerate(written.sentences or (), self._first))
        made: dict[int, dict[str, float | None]] = {
            number: dict.fromkeys(sentence.citations) for number, sentence in sentences.items()
        }
        for number, cited in supports.items():
            if number not in made and cited:
                one = next(iter(cited.values()))
                raise one.error(f"sentence {number} of {of}", self._numbers(sentences))
            for name, one in cited.items():
                document = name if name in made[number] else written.document(name)
                if document not in made[number]:
                    raise one.error(*self._not_cited(name, number, of, made[number]))
                made[number][document] = one.support
        return [*made.values()]

    def _not_cited(
        self, name: str, number: int, of: str, cited: Collection[str]
    ) -> tuple[str, str]:
        """What is found and expected where the support is of a citation that nobody made."""
        there = f"{', '.join(cited)}, which it cites" if cited else "none, as it cites nothing"
        counts = f"{self._counted}, places among references from 0"
        return f"citation {name} of sentence {number} of {of}", f"{there} ({counts})"

    @property
    def _counted(self) -> str:
        return f"sentences are counted from {self._first}"

    def _numbers(self, sentences: Mapping[int, Any]) -> str:
        ends = f"{self._first} to {self._first + len(sentences) - 1}" if sentences else "none"
        return f"{ends}: {self._counted}"

    # -- what the user should know ----------------------------------------------------------------

    def _fill(
        self,
        values: Floats,
        topics: Sequence[str],
        measures: Sequence[Measure],
        undefined: Undefined,
    ) -> Iterator[Notice]:
        """Note what is undefined, and put 0 there, if so asked; what nobody judged is left out."""
        known = np.array([[t in self.topics[_needs(m)] for m in measures] for t in topics])
        for needs in dict.fromkeys(map(_needs, measures)):
            answered = self.answers.topics if self.answers and needs != "references" else ()
            every = dict.fromkeys([*topics, *answered])
            left = [topic for topic in every if topic not in self.topics[needs]]
            text = f"{{measures}}: {{topics}} without {KINDS[needs].noun}, left out of the means"
            those = {column: str(m) for m in measures if _needs(m) == needs for column in m.names()}
            if left:
                yield Notice.from_facts(
                    "unjudged-topics", Facts(text, dict.fromkeys(left, (1,)), those)
                )
        holes = np.isnan(values) & known
        for m, measure in enumerate(measures):
            everywhere = holes[:, :, m].all(axis=0)
            yield from self._undefined(measure, topics, everywhere, undefined)
            for r, run in enumerate(self.runs):
                few = holes[r, :, m] & ~everywhere
                yield from self._undefined(measure, topics, few, undefined, run)
        if undefined == "zero":
            values[holes] = 0.0

    def _undefined(
        self, m: Measure, topics: Sequence[str], where: Any, undefined: str, run: str | None = None
    ) -> Iterator[Notice]:
        few = [topic for topic, hole in zip(topics, where.tolist(), strict=True) if hole]
        if few and undefined == "error":
            of = "" if run is None else f" of run {run}"
            raise InputError(f"{m} undefined for topic {few[0]}{of}", "a score (undefined=error)")
        who = "" if run is None else "{run}: "
        text = f"{who}{{topics}} for which {{measures}} is undefined, {UNDEFINED[undefined]}"
        names = dict.fromkeys(m.names(), str(m))
        if few:
            facts = Facts(text, dict.fromkeys(few, (1,)), names)
            yield Notice.from_facts("undefined", facts, run=run)

    def _notices(self, needed: Sequence[str]) -> Iterator[Notice]:
        for needs in needed:
            yield from self._invalid(needs)
            for run in self.runs:
                yield from self._unlabelled(needs, run)
                found = self._found(needs, run)
                missing = [topic for topic in self.topics[needs] if topic not in found]
                yield from about("missing-topics", missing, "not answered, counted as 0", run)
                yield from self._unanswered(needs, run)
        if "references" in needed and self.answers:
            for run in self.runs:
                others = [t for t in self.answers.by_run[run] if t not in self.topics["references"]]
                yield from about("unjudged-topics", others, "without gold answers, ignored", run)
                yield from self._marked(run)
        if "support" in needed:
            yield from self._of_citations()

    def _unanswered(self, needs: str, run: str) -> Iterator[Notice]:
        """What was judged of answers that are not among those given."""
        if needs in ("nuggets", "criteria") and self.answers:
            of_run = self.kinds[needs].by_run.get(run, {})
            lacking = [topic for topic in of_run if self.answers.get(run, topic) is None]
            said = f"with {KINDS[needs].noun} and without an answer"
            yield from about("unanswered", lacking, said, run)

    def _marked(self, run: str) -> Iterator[Notice]:
        """Texts with marks of citations, which gold answers seldom have."""
        answers = self.answers.by_run[run] if self.answers else {}
        known = self.topics["references"]
        marks = {t: MARK.search(x.found.text) for t, x in answers.items() if t in known}
        if first := next((mark[0] for mark in marks.values() if mark), None):
            counts = {topic: (int(mark is not None), 1) for topic, mark in marks.items()}
            text = f"with marks of citations such as {first}, compared as text"
            text = f"{{run}}: {{0:,}} of {{1:answer}} {text} (better take them out)"
            facts = Facts(text, counts, lists_topics=False)
            yield Notice.from_facts("marked-citations", facts, run=run)

    def _unlabelled(self, needs: str, run: str) -> Iterator[Notice]:
        """Nuggets, or criteria, of a topic that an answer of a run has no label for."""
        if needs not in PIECES:
            return
        piece, rest = PIECES[needs], list[Any]()
        counts: dict[str, tuple[int, ...]] = {}
        for topic, entry in self.kinds[needs].by_run.get(run, {}).items():
            every, names = self._every[needs][topic], {one.name for one in entry.found}
            if len(names) < len(every):
                missing = [one for name, one in every.items() if name not in names]
                counts[topic] = (len(missing), len(every))
                rest += missing
        if counts:
            text = (
                f"{{run}}: {{0:,}} of {{1:,}} {needs} without {piece.label} in {{topics}}, "
                f"counted as {piece.without}, so scores {piece.effect(rest)}"
            )
            yield Notice.from_facts(f"missing-{needs}", Facts(text, counts), run=run)

    def _invalid(self, needs: str) -> Iterator[Notice]:
        """Labels outside the scale that count as missing."""
        pieces, labels = self.kinds[needs].outside if needs in self.kinds else ((), ())
        if pieces:
            shown = ", ".join([*labels][:5]) + (", …" if len(labels) > 5 else "")
            text = f"{counted(len(pieces), 'label')} outside the scale ({shown}) of "
            yield Notice("invalid-labels", f"{text}{KINDS[needs].noun}, treated as missing")

    def _of_citations(self) -> Iterator[Notice]:
        if self.answers is None:
            text = (
                "answers are taken to end with the last sentence that is listed (--answers tells)"
            )
            yield Notice("sentences", text)
            return
        for run in self.runs:
            found = self.support.by_run.get(run, {}) if self.support else {}
            lacking = [topic for topic in found if self.answers.get(run, topic) is None]
            said = "with support and without an answer, taken to end with the last sentence listed"
            yield from about("sentences", lacking, said, run)
            cited = {
                topic: [support for x in self._citations(run, topic) for support in x.values()]
                for topic in found
            }
            counts = {
                topic: (support.count(None), len(support)) for topic, support in cited.items()
            }
            text = "{run}: {0:,} of {1:citation} not judged, left out"
            facts = Facts(text, counts, lists_topics=False)
            if counts and facts.holds():
                yield Notice.from_facts("unjudged-citations", facts, run=run)

    # -- answers, piece by piece ------------------------------------------------------------------

    def details(self, topic: str, measures: Sequence[Measure]) -> AnswerDetails:
        """What was judged of the answer of each run to a topic, and the scores of each."""
        known = [*dict.fromkeys(t for topics in self.topics.values() for t in topics)]
        if topic not in known:
            raise InputError(f"topic {topic!r}", f"one of the {some(known, 'topic')}")
        here = [m for m in measures if topic in self.topics.get(_needs(m), ())]
        scored = self.scores(here, "nan")[:, topic] if here else None
        runs = {}
        for run in self.runs:
            of_run = [] if scored is None else [scored[run, topic, m] for m in scored.measures]
            named = {(_needs(m), str(m)): x for m, x in zip(here, of_run, strict=True)}
            runs[run] = self._detail(run, topic, named)
        gold = self.gold.by_topic.get(topic, ()) if self.gold else ()
        return AnswerDetails(topic, runs, gold)

    def _detail(
        self, run: str, topic: str, scores: Mapping[tuple[str, str], float]
    ) -> AnswerDetail:
        """What was judged of one answer."""
        nuggets, criteria = (
            self._complete(needs, run, topic, math.nan)
            if needs in self.kinds and self.kinds[needs].get(run, topic)
            else ()
            for needs in ("nuggets", "criteria")
        )
        judged = "support" in self.kinds and topic in self._found("support", run)
        sentences = tuple(self.sentences(run, topic)) if judged else ()
        text = self.answers.get(run, topic) if self.answers and self.gold else None
        return AnswerDetail(nuggets, sentences, criteria, text.found.text if text else None, scores)


def told_apart(measures: Measures | None) -> tuple[list[Measure] | None, list[Measure] | None]:
    """The measures of lists, and those of answers; None where none is named.

    >>> told_apart("AP CitationF EM"), told_apart("RR")
    (([AP], [CitationF, EM]), ([RR], None))
    """
    asked = () if measures is None else parse_measures(measures)
    answers = [m for m in asked if m.takes == "answers" or _of_texts(type(m))]
    return [m for m in asked if m not in answers] or None, answers or None


class Citation(NamedTuple):
    """A document that a sentence cites, and how far it supports it: 1, ½, 0, None if not judged."""

    document: str
    support: float | None


class Said(NamedTuple):
    """A sentence of an answer, by its number, and what it cites; the text may not be known."""

    number: int
    text: str | None
    cited: tuple[Citation, ...]


class AnswerDetail(NamedTuple):
    """What was judged of one answer, and its scores, by what measures need and their names."""

    nuggets: Sequence[Nugget]
    sentences: Sequence[Said]
    criteria: Sequence[Criterion]
    text: str | None
    scores: Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class AnswerDetails(Shown, tables="answers"):
    """What was judged of the answers of all runs to a topic."""

    topic: str
    by_run: Mapping[str, AnswerDetail]
    gold: Sequence[str]


def _is_among(gold: Any, answers: Any) -> bool:
    """Whether gold answers are in a file of answers."""
    given = answers if isinstance(answers, list | tuple) else [answers]
    files = {os.path.realpath(one) for one in given if isinstance(one, FILES)}
    return isinstance(gold, FILES) and os.path.realpath(gold) in files


def _cites(written: Written) -> bool:
    return any(sentence.citations for sentence in written.sentences or ())


def _of_texts(measure: type[Measure]) -> bool:
    """Whether a measure of texts is one of answers next to gold answers, too."""
    return issubclass(measure, ByReferences)


def _needs(m: Any) -> str:
    needs: str = m.needs
    return needs


def _score(m: Any, x: Any) -> float:
    return float(x) if isinstance(x, float) else float(m.score(x))
