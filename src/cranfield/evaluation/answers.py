"""Evaluation of generated answers by nuggets, citations, rubrics and gold answers."""

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
from cranfield.data.answers import FILES, Answer, AnswersLike, ByRun, read_answers
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
from cranfield.data.reading.lines import truncate_text
from cranfield.data.texts import GOLD, GOLD_WITH_ANSWERS, Texts, TextsLike, read_texts
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import CranfieldError, InputError, check_choice
from cranfield.evaluation.notes import UNDEFINED
from cranfield.evaluation.options import Undefined
from cranfield.evaluation.systems import build_scores
from cranfield.evaluation.texts import note_tokens
from cranfield.measures import answers as seen
from cranfield.measures.base import Measure
from cranfield.measures.grammar import Measures, parse_measures, parse_measures_for
from cranfield.measures.texts import Reader, ReferenceMeasure, TokensLike, build_answer, build_reader, get_tokeniser
from cranfield.scores import Facts, Note, Scores, note_topics
from cranfield.tables import ResultTable
from cranfield.wording import format_count, format_names, format_option, suggest_keywords

# Marks of citations in a text: [1], [2, 3], [^4], and those of OpenAI's assistants.
MARK = re.compile(r"\[\^?\d+(?:[,;\s-]+\d+)*\]|\u3010[^\u3011]*\u3011")


class Kind(NamedTuple):
    """An input of measures: its name, and the arguments that provide it."""

    noun: str
    usage: str
    default_measures: str  # default measures


KINDS = {
    "nuggets": Kind("assignments of nuggets", "ASSIGNMENTS or assignments=", "nuggets"),
    "support": Kind("support by citations", "--support or support=", "citations"),
    "criteria": Kind("criteria of a rubric", "--rubric or rubric=", "Rubric"),
    "references": Kind("answers and gold answers", "--answers and --gold or answers= and gold=", "short"),
}


class PieceKind(NamedTuple):
    """The kind of labelled pieces of answers: nuggets or criteria."""

    noun: str
    column: str
    label: str
    without: str
    value: Callable[[Any], str]  # must be the same in all answers
    effect: Callable[[Sequence[Any]], str]  # of missing labels on scores
    fix: Callable[[], str]

    def differ(self, a: Any, b: Any) -> bool:
        """Return True if two pieces with the same name have different values."""
        return self.value(a) != self.value(b)


def describe_bias(missing: Sequence[Criterion]) -> str:
    """Describe the effect of criteria without a label on scores."""
    negative = sum(criterion.weight < 0 for criterion in missing)
    if negative == len(missing):
        return "can only be too high"
    return f"can be too low, or too high by {negative:,} of negative weight" if negative else TOO_LOW


TOO_LOW = "can only be too low"
PIECES = {
    "nuggets": PieceKind(
        "nugget", "support", "an assignment", "not supported",
        lambda one: "vital" if one.vital else "okay", lambda _: TOO_LOW,
        lambda: f"Use {format_option('--nuggets FILE', 'nuggets=')} to give the importance once.",
    ),
    "criteria": PieceKind(
        "criterion", "met", "a label", "not met",
        lambda one: f"of weight {one.weight:g}", describe_bias,
        lambda: "Give a criterion of a topic one weight.",
    ),
}  # fmt: skip


@suggest_keywords
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
    """Score generated answers by the labels of human assessors or LLM judges.

    assignments
        The nuggets that each answer supports: one or several paths (JSONL with an object per
        answer, or a table topic, run, nugget, importance, assignment), a frame, records, or
        ``{run: {topic: {nugget: (importance, assignment)}}}``.
    nuggets
        All nuggets and their importance, if the assignments do not contain them.
    answers
        The answers in the format of TREC's RAG and RAGTIME tracks, or their texts.
    support
        The support of each sentence by its citations: topic, run, sentence, citation, support.
    rubric
        The criteria that answers meet: topic, run, criterion, axis, weight, met.
    gold
        Correct answers, one or several per topic, in the formats of `evaluate_texts` references.
    undefined
        Score of an answer for which a measure is undefined: ``zero`` (default), ``nan``, ``skip``
        (excluded from means) or ``error``.
    invalid
        A label outside its scale (−1, None, "N/A"): ``error`` (default) or ``missing`` label.

    The nuggets of a topic are the nuggets of `nuggets`, or of all runs together. A nugget without a
    label for an answer counts as not supported, and a criterion as not met. A note counts them.

    >>> judged = {"born in 1942": ("vital", "support"), "a knight": ("vital", "not_support")}
    >>> evaluate_answers({"mine": {"q1": judged}}, "NuggetV(strict=true) NuggetA").summary()
    {'mine': {'NuggetV(strict=true)': 0.5, 'NuggetA': 0.5}}
    >>> evaluate_answers(answers={"mine": {"q1": "In Paris."}}, gold={"q1": "Paris"}).mean()["mine"]
    {'EM': 0.0, 'TokenF1': 0.6666666666666666, 'Contains': 1.0, 'ROUGEL': 0.6666666666666666}
    """
    check_choice("undefined", undefined, Undefined)
    collection = AnswerCollection.from_inputs(assignments, nuggets, answers, support, rubric, gold, tokens, invalid)
    return collection.compute_scores(collection.choose_measures(measures), undefined)


@dataclass(frozen=True, eq=False)
class AnswerCollection:
    """The answers of runs with all labels and gold answers."""

    assignments: ByRun[tuple[Nugget, ...]] | None
    bank: Bank | None
    answers: ByRun[Answer] | None
    support: ByRun[Supports] | None
    rubric: ByRun[tuple[Criterion, ...]] | None
    gold: Texts | None
    tokens: TokensLike

    @classmethod
    def from_inputs(
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
        """Read and check all inputs."""
        get_tokeniser(tokens)
        bank = None if nuggets is None else read_bank(nuggets)
        in_answers = _is_in_answers(gold, answers)
        return cls(
            None if assignments is None else read_assignments(assignments, bank, invalid),
            bank,
            None if answers is None else read_answers(answers),
            None if support is None else read_support(support, invalid),
            None if rubric is None else read_criteria(rubric, invalid),
            None if gold is None else read_texts(gold, "gold", layout=GOLD_WITH_ANSWERS if in_answers else GOLD),
            tokens,
        )

    # -- inputs -----------------------------------------------------------------------------------

    @cached_property
    def kinds(self) -> dict[str, ByRun[Any]]:
        """The entries of each run and topic by input of measures."""
        inputs = {"nuggets": self.assignments, "support": self.support, "criteria": self.rubric,
                 "references": self.answers if self.gold else None}  # fmt: skip
        return {needs: entries for needs, entries in inputs.items() if entries is not None}

    @cached_property
    def topics(self) -> dict[str, dict[str, None]]:
        """The topics for which measures are defined, by input of measures."""
        topics_of = {needs: dict.fromkeys(entries.topics) for needs, entries in self.kinds.items()}
        if self.bank is not None and "nuggets" in topics_of:
            topics_of["nuggets"] = dict.fromkeys(self.bank)
        if self.gold is not None and "references" in topics_of:
            topics_of["references"] = dict.fromkeys(self.gold.by_topic)
        if "support" in topics_of and self.answers:
            topics_of["support"] |= dict.fromkeys(self._uncited_topics)
        return topics_of

    @property
    def _uncited_topics(self) -> list[str]:
        """Topics with answers that have no citations: no sentence is supported."""
        answered = dict[str, list[Answer]]()
        for of_run in self.answers.by_run.values() if self.answers else ():
            for topic, entry in of_run.items():
                answered.setdefault(topic, []).append(entry.value)
        return [
            topic
            for topic, topic_answers in answered.items()
            if all(
                topic_answer.sentences is not None and not _has_citations(topic_answer)
                for topic_answer in topic_answers
            )
        ]

    @cached_property
    def _pieces(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The nuggets or criteria of each topic, from the nugget bank or from all runs."""
        pieces: dict[str, dict[str, dict[str, Any]]] = {}
        for needs in self.kinds.keys() & PIECES.keys():
            topics = pieces[needs] = dict[str, dict[str, Any]]()
            if needs == "nuggets" and self.bank is not None:
                topics |= {topic: dict(bank_nuggets) for topic, bank_nuggets in self.bank.items()}
                continue
            for run, of_run in self.kinds[needs].by_run.items():
                for topic, entry in of_run.items():
                    topic_pieces = topics.setdefault(topic, {})
                    for piece in entry.value:
                        first = topic_pieces.setdefault(piece.name, piece)
                        if first is not piece and PIECES[needs].differ(first, piece):
                            raise self._build_conflict_error(needs, topic, run, first, piece)
            for topic, piece in self.kinds[needs].invalid.pieces:
                topics.setdefault(topic, {}).setdefault(piece.name, piece)
        return pieces

    def _build_conflict_error(self, needs: str, topic: str, run: str, first: Any, second: Any) -> InputError:
        """Return the error for different importance or weight of a piece in two runs."""
        entries = self.kinds[needs].by_run
        other_run = next(
            r for r, of_run in entries.items() if first in (of_run[topic].value if topic in of_run else ())
        )
        piece = PIECES[needs]
        problem = (
            f"conflicting labels of {piece.noun} {truncate_text(second.name)} of topic {topic}: "
            f"{piece.value(second)} for run {run}, {piece.value(first)} for run {other_run}"
        )
        line = entries[run][topic].line
        return InputError.from_problem(problem, piece.fix(), line.location, line.number)

    @cached_property
    def runs(self) -> list[str]:
        """All runs in any input."""
        sources = [*self.kinds.values(), *([self.answers] if self.answers else [])]
        return [*dict.fromkeys(run for source in sources for run in source.by_run)]

    @cached_property
    def axes(self) -> list[str]:
        """The axes of the rubric, in input order."""
        entries = [] if self.rubric is None else self.rubric.by_run.values()
        axes = (criterion.axis for of_run in entries for entry in of_run.values() for criterion in entry.value)
        return [axis for axis in dict.fromkeys(axes) if axis]

    def choose_measures(self, measures: Measures | None) -> tuple[Measure, ...]:
        """Return the requested measures, or all measures that have their inputs."""
        if not self.kinds:
            fix = "Pass assignments, support, rubric, or answers and gold answers."
            raise InputError.from_problem("no judgments given", fix)
        if measures is None:
            names = [KINDS[needs].default_measures for needs in self.kinds]
            names += ["SubNarratives"] if self._has_sub_narratives() else []
            measures = [*names, *(seen.Rubric(axis=axis) for axis in self.axes)]
        return parse_measures_for(measures, "answers", also=_takes_references)

    def _has_sub_narratives(self) -> bool:
        entries = [] if self.assignments is None else self.assignments.by_run.values()
        return any(nugget.sub_narrative for of_run in entries for x in of_run.values() for nugget in x.value)

    # -- scores -----------------------------------------------------------------------------------

    def compute_scores(self, measures: Sequence[Measure], undefined: Undefined = "zero") -> Scores:
        """Compute all measures of all answers."""
        inputs = self._check_inputs(measures)
        topics = [*dict.fromkeys(topic for needs in inputs for topic in self.topics[needs])]
        values = np.full((len(self.runs), len(topics), len(measures)), math.nan)
        for t, topic in enumerate(topics):
            answered = {needs: self._build_responses(needs, topic) for needs in inputs}
            for m, measure in enumerate(measures):
                responses = answered[_get_input(measure)]
                values[:, t, m] = [math.nan if x is None else _compute_score(measure, x) for x in responses]
        notes = [*self._collect_notes(inputs), *note_tokens(measures, self.tokens)]
        notes += self._fill_undefined(values, topics, measures, undefined)
        partly = undefined == "zero" and np.isnan(values).any()
        how_undefined = "skip" if partly else undefined
        return build_scores(values, self.runs, topics, measures, notes, how_undefined)

    def _check_inputs(self, measures: Sequence[Measure]) -> list[str]:
        """Return the inputs of the measures. Raise an error if one is missing for a run."""
        for m in measures:
            if (needs := _get_input(m)) not in self.kinds:
                noun, usage, _ = KINDS[needs]
                raise CranfieldError(f"{m} needs {noun}. Pass {usage}.")
            for run in self.runs:
                if not self._list_judged_topics(needs, run):
                    judged_runs = format_names([*self.kinds[needs].by_run], "run")
                    problem = f"no {KINDS[needs].noun} of run {run}, only of {judged_runs}"
                    fix = "Runs are named by run_id or by file."
                    raise InputError.from_problem(problem, fix, m)
        inputs = [*dict.fromkeys(map(_get_input, measures))]
        if "references" in inputs and self.answers and self.gold:
            answered = self.answers.topics
            if not self.gold.by_topic.keys() & dict.fromkeys(answered).keys():
                gold_topics = format_names([*self.gold.by_topic], "topic")
                problem = f"no answer to {gold_topics}. Answers: {format_names(answered, 'topic')}"
                raise InputError.from_problem(problem, where=self.gold.where)
        return inputs

    def _list_judged_topics(self, needs: str, run: str) -> dict[str, None]:
        """Return the topics answered by a run. Answers without citations have no support labels."""
        topics = dict.fromkeys(self.kinds[needs].by_run.get(run, ()))
        uncited = self.answers.by_run.get(run, ()) if needs == "support" and self.answers else ()
        return topics | dict.fromkeys(uncited)

    def _build_responses(self, needs: str, topic: str) -> list[Any]:
        """Return the answers of all runs to a topic for measures, None for unjudged answers."""
        if topic not in self.topics[needs]:
            return [None] * len(self.runs)
        match needs:
            case "nuggets":
                return [seen.Response(nuggets=self._complete(needs, run, topic)) for run in self.runs]
            case "criteria":
                return [seen.Response(criteria=self._complete(needs, run, topic)) for run in self.runs]
            case "support":
                return [self._build_support_response(run, topic) for run in self.runs]
        return self._build_text_answers(topic)

    def _complete(self, needs: str, run: str, topic: str, missing: float = 0.0) -> Sequence[Any]:
        """Return the nuggets or criteria of a topic. A missing label is the lowest."""
        entry = self._get_entry(needs, run, topic)
        labelled: Sequence[Any] = () if entry is None else entry.value
        pieces, names = self._pieces[needs].get(topic, {}), {piece.name for piece in labelled}
        if len(names) == len(pieces):
            return labelled
        column = PIECES[needs].column
        rest = [piece for name, piece in pieces.items() if name not in names]
        return [*labelled, *(piece._replace(**{column: missing}) for piece in rest)]

    def _build_support_response(self, run: str, topic: str) -> seen.Response | float:
        if self._get_entry("support", run, topic) is None and topic not in self._list_judged_topics("support", run):
            return 0.0
        sentences = self._get_citations(run, topic)
        judged = [[x for x in cited.values() if x is not None] for cited in sentences]
        return seen.Response(sentences=judged)

    @cached_property
    def _read(self) -> Reader:
        return build_reader(self.tokens)

    def _build_text_answers(self, topic: str) -> list[Any]:
        """Return the texts with gold answers, 0 for missing texts."""
        read = self._read
        golds = [read(text) for text in self.gold.by_topic[topic]] if self.gold else []
        entries = (self.answers.get(run, topic) if self.answers else None for run in self.runs)
        return [build_answer(x.value.text, read, golds) if x else 0.0 for x in entries]

    def _get_entry(self, needs: str, run: str, topic: str) -> Any:
        """Return the labels of an answer, if any. Raise an error for an unjudged answer."""
        entry = self.kinds[needs].get(run, topic)
        written_answer = self.answers.get(run, topic) if self.answers else None
        if (
            entry is None
            and written_answer is not None
            and (needs != "support" or _has_citations(written_answer.value))
        ):
            problem = f"an answer of run {run} to topic {topic}, and no {KINDS[needs].noun}"
            raise written_answer.line.make_error(problem, "every answer to a judged topic to be judged")
        return entry

    # -- sentences and citations -----------------------------------------------------------------

    @cached_property
    def _first(self) -> int:
        """The number of the first sentence: 0 if a sentence has this number, otherwise 1."""
        runs = self.support.by_run.values() if self.support else ()
        return 1 - any(0 in entry.value for topics in runs for entry in topics.values())

    @cached_property
    def _citation_cache(self) -> dict[tuple[str, str], list[Mapping[str, float | None]]]:
        return {}

    def list_sentences(self, run: str, topic: str) -> list[CitedSentence]:
        """Return the sentences of an answer with their citations."""
        written_answer = self.answers.get(run, topic) if self.answers else None
        texts = written_answer.value.sentences if written_answer else None
        return [
            CitedSentence(number, texts[i].text if texts else None, tuple(starmap(Citation, cited.items())))
            for i, (number, cited) in enumerate(enumerate(self._get_citations(run, topic), self._first))
        ]

    def _get_citations(self, run: str, topic: str) -> list[Mapping[str, float | None]]:
        """Return the citations of each sentence with their support, None if not judged."""
        if (run, topic) not in self._citation_cache:
            self._citation_cache[run, topic] = self._find_citations(run, topic)
        return self._citation_cache[run, topic]

    def _find_citations(self, run: str, topic: str) -> list[Mapping[str, float | None]]:
        """Return the citations of all sentences, without a text up to the last judged sentence."""
        judged = self.support.get(run, topic) if self.support else None
        written_answer = self.answers.get(run, topic) if self.answers else None
        supports = judged.value if judged else {}
        if written_answer is None:
            numbers = range(self._first, max(supports, default=-1) + 1)
            sentences = [supports.get(number, {}) for number in numbers]
            return [{name: citation.support for name, citation in cited.items()} for cited in sentences]
        if written_answer.value.sentences is None:
            problem = f"a text as the answer of run {run} to topic {topic}"
            raise written_answer.line.make_error(problem, "sentences with their citations")
        return self._match_support(supports, written_answer.value, f"topic {topic} of run {run}")

    def _match_support(
        self, supports: Supports, written_answer: Answer, place: str
    ) -> list[Mapping[str, float | None]]:
        """Return citations with support. Raise an error for support without a citation."""
        sentences = dict(enumerate(written_answer.sentences or (), self._first))
        labels: dict[int, dict[str, float | None]] = {
            number: dict.fromkeys(sentence.citations) for number, sentence in sentences.items()
        }
        for number, cited in supports.items():
            if number not in labels and cited:
                support = next(iter(cited.values()))
                raise support.error(f"sentence {number} of {place}", self._format_numbers(sentences))
            for name, support in cited.items():
                document = name if name in labels[number] else written_answer.find_document(name)
                if document not in labels[number]:
                    raise support.error(*self._describe_uncited(name, number, place, labels[number]))
                labels[number][document] = support.support
        return [*labels.values()]

    def _describe_uncited(self, name: str, number: int, place: str, cited: Collection[str]) -> tuple[str, str]:
        """Return the found and expected text for support without a citation."""
        candidates = f"{', '.join(cited)}, which it cites" if cited else "none, as it cites nothing"
        counts = f"{self._numbering}, places among references from 0"
        return f"citation {name} of sentence {number} of {place}", f"{candidates} ({counts})"

    @property
    def _numbering(self) -> str:
        return f"sentences are counted from {self._first}"

    def _format_numbers(self, sentences: Mapping[int, Any]) -> str:
        ends = f"{self._first} to {self._first + len(sentences) - 1}" if sentences else "none"
        return f"{ends}: {self._numbering}"

    # -- notes ------------------------------------------------------------------------------------

    def _fill_undefined(
        self, values: Floats, topics: Sequence[str], measures: Sequence[Measure], undefined: Undefined
    ) -> Iterator[Note]:
        """Note undefined and unjudged topics. Set undefined scores to 0 if requested."""
        is_judged = np.array([[t in self.topics[_get_input(m)] for m in measures] for t in topics])
        for needs in dict.fromkeys(map(_get_input, measures)):
            answered = self.answers.topics if self.answers and needs != "references" else ()
            all_topics = dict.fromkeys([*topics, *answered])
            unjudged = [topic for topic in all_topics if topic not in self.topics[needs]]
            text = f"{{measures}}: {{topics}} without {KINDS[needs].noun}, excluded from the means"
            columns = {column: str(m) for m in measures if _get_input(m) == needs for column in m.names()}
            if unjudged:
                yield Note.from_facts("unjudged-topics", Facts(text, dict.fromkeys(unjudged, (1,)), columns))
        holes = np.isnan(values) & is_judged
        for m, measure in enumerate(measures):
            everywhere = holes[:, :, m].all(axis=0)
            yield from self._note_undefined(measure, topics, everywhere, undefined)
            for r, run in enumerate(self.runs):
                run_holes = holes[r, :, m] & ~everywhere
                yield from self._note_undefined(measure, topics, run_holes, undefined, run)
        if undefined == "zero":
            values[holes] = 0.0

    def _note_undefined(
        self, m: Measure, topics: Sequence[str], holes: Any, undefined: str, run: str | None = None
    ) -> Iterator[Note]:
        topics_affected = [topic for topic, hole in zip(topics, holes.tolist(), strict=True) if hole]
        if topics_affected and undefined == "error":
            of_run = "" if run is None else f" of run {run}"
            problem = f"{m} is undefined for topic {topics_affected[0]}{of_run}"
            raise InputError.from_problem(problem, "Use undefined=zero, nan or skip.")
        prefix = "" if run is None else "{run}: "
        text = f"{prefix}{{topics}} for which {{measures}} is undefined, {UNDEFINED[undefined]}"
        names = dict.fromkeys(m.names(), str(m))
        if topics_affected:
            facts = Facts(text, dict.fromkeys(topics_affected, (1,)), names)
            yield Note.from_facts("undefined", facts, run=run)

    def _collect_notes(self, inputs: Sequence[str]) -> Iterator[Note]:
        for needs in inputs:
            yield from self._note_invalid_labels(needs)
            for run in self.runs:
                yield from self._note_missing_labels(needs, run)
                answered = self._list_judged_topics(needs, run)
                missing = [topic for topic in self.topics[needs] if topic not in answered]
                yield from note_topics("missing-topics", missing, "missing, scored 0", run)
                yield from self._note_unanswered(needs, run)
        if "references" in inputs and self.answers:
            for run in self.runs:
                extra = [t for t in self.answers.by_run[run] if t not in self.topics["references"]]
                yield from note_topics("unjudged-topics", extra, "without gold answers, ignored", run)
                yield from self._note_marked_citations(run)
        if "support" in inputs:
            yield from self._note_citations()

    def _note_unanswered(self, needs: str, run: str) -> Iterator[Note]:
        """Note labels of answers that are missing in `answers`."""
        if needs in ("nuggets", "criteria") and self.answers:
            of_run = self.kinds[needs].by_run.get(run, {})
            missing = [topic for topic in of_run if self.answers.get(run, topic) is None]
            text = f"with {KINDS[needs].noun} but without an answer"
            yield from note_topics("unanswered", missing, text, run)

    def _note_marked_citations(self, run: str) -> Iterator[Note]:
        """Warn of citation marks in texts: gold answers seldom have any."""
        answers = self.answers.by_run[run] if self.answers else {}
        gold_topics = self.topics["references"]
        marks = {t: MARK.search(x.value.text) for t, x in answers.items() if t in gold_topics}
        if first := next((mark[0] for mark in marks.values() if mark), None):
            counts = {topic: (int(mark is not None), 1) for topic, mark in marks.items()}
            text = f"with citation marks such as {first}, compared as text"
            text = f"{{run}}: {{0:,}} of {{1:answer}} {text}. Remove them from the answers."
            facts = Facts(text, counts, lists_topics=False)
            yield Note.from_facts("marked-citations", facts, run=run)

    def _note_missing_labels(self, needs: str, run: str) -> Iterator[Note]:
        """Note missing labels of nuggets or criteria."""
        if needs not in PIECES:
            return
        piece, rest = PIECES[needs], list[Any]()
        counts: dict[str, tuple[int, ...]] = {}
        for topic, entry in self.kinds[needs].by_run.get(run, {}).items():
            pieces, names = self._pieces[needs][topic], {labelled.name for labelled in entry.value}
            if len(names) < len(pieces):
                missing = [labelled for name, labelled in pieces.items() if name not in names]
                counts[topic] = (len(missing), len(pieces))
                rest += missing
        if counts:
            text = (
                f"{{run}}: {{0:,}} of {{1:,}} {needs} without {piece.label} in {{topics}}, "
                f"counted as {piece.without}, so scores {piece.effect(rest)}"
            )
            yield Note.from_facts(f"missing-{needs}", Facts(text, counts), run=run)

    def _note_invalid_labels(self, needs: str) -> Iterator[Note]:
        """Note labels outside the scale."""
        pieces, labels = self.kinds[needs].invalid if needs in self.kinds else ((), ())
        if pieces:
            examples = ", ".join([*labels][:5]) + (", …" if len(labels) > 5 else "")
            text = f"{format_count(len(pieces), 'label')} outside the scale ({examples}) of "
            yield Note("invalid-labels", f"{text}{KINDS[needs].noun}, treated as missing")

    def _note_citations(self) -> Iterator[Note]:
        if self.answers is None:
            text = "each answer ends with its last listed sentence. Use --answers FILE for all."
            yield Note("sentences", text)
            return
        for run in self.runs:
            supports = self.support.by_run.get(run, {}) if self.support else {}
            missing = [topic for topic in supports if self.answers.get(run, topic) is None]
            text_missing = "with support but without an answer, scored up to the last listed sentence"
            yield from note_topics("sentences", missing, text_missing, run)
            cited = {
                topic: [support for x in self._get_citations(run, topic) for support in x.values()]
                for topic in supports
            }
            counts = {topic: (support.count(None), len(support)) for topic, support in cited.items()}
            text = "{run}: {0:,} of {1:citation} not judged, excluded"
            facts = Facts(text, counts, lists_topics=False)
            if counts and facts.has_content():
                yield Note.from_facts("unjudged-citations", facts, run=run)

    # -- answers, piece by piece ------------------------------------------------------------------

    def build_details(self, topic: str, measures: Sequence[Measure]) -> AnswerDetails:
        """Return the labels and scores of the answer of each run to a topic."""
        all_topics = [*dict.fromkeys(t for topics in self.topics.values() for t in topics)]
        if topic not in all_topics:
            problem = f"unknown topic {topic!r}. Topics: {format_names(all_topics, 'topic')}"
            raise InputError.from_problem(problem)
        applicable = [m for m in measures if topic in self.topics.get(_get_input(m), ())]
        scored = self.compute_scores(applicable, "nan")[:, topic] if applicable else None
        runs = {}
        for run in self.runs:
            of_run = [] if scored is None else [scored[run, topic, m] for m in scored.measures]
            scores_by_name = {(_get_input(m), str(m)): x for m, x in zip(applicable, of_run, strict=True)}
            runs[run] = self._build_detail(run, topic, scores_by_name)
        gold = self.gold.by_topic.get(topic, ()) if self.gold else ()
        return AnswerDetails(topic, runs, gold)

    def _build_detail(self, run: str, topic: str, scores: Mapping[tuple[str, str], float]) -> AnswerDetail:
        """Return the labels of one answer."""
        nuggets, criteria = (
            self._complete(needs, run, topic, math.nan)
            if needs in self.kinds and self.kinds[needs].get(run, topic)
            else ()
            for needs in ("nuggets", "criteria")
        )
        judged = "support" in self.kinds and topic in self._list_judged_topics("support", run)
        sentences = tuple(self.list_sentences(run, topic)) if judged else ()
        text = self.answers.get(run, topic) if self.answers and self.gold else None
        return AnswerDetail(nuggets, sentences, criteria, text.value.text if text else None, scores)


def split_measures(measures: Measures | None) -> tuple[list[Measure] | None, list[Measure] | None]:
    """Split measures into measures of rankings and measures of answers, None if there are none.

    >>> split_measures("AP CitationF EM"), split_measures("RR")
    (([AP], [CitationF, EM]), ([RR], None))
    """
    parsed = () if measures is None else parse_measures(measures)
    answers = [m for m in parsed if m.takes == "answers" or _takes_references(type(m))]
    return [m for m in parsed if m not in answers] or None, answers or None


class Citation(NamedTuple):
    """A cited document with its support: 1, ½, 0, or None if not judged."""

    document: str
    support: float | None


class CitedSentence(NamedTuple):
    """A numbered sentence of an answer with its citations."""

    number: int
    text: str | None
    cited: tuple[Citation, ...]


class AnswerDetail(NamedTuple):
    """The labels of one answer, and its scores by input and name of measures."""

    nuggets: Sequence[Nugget]
    sentences: Sequence[CitedSentence]
    criteria: Sequence[Criterion]
    text: str | None
    scores: Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class AnswerDetails(TableResult):
    """The labels of the answers of all runs to a topic."""

    topic: str
    by_run: Mapping[str, AnswerDetail]
    gold: Sequence[str]

    def _build_tables(self) -> list[ResultTable]:
        from cranfield.evaluation.answer_tables import build_tables

        return build_tables(self)


def _is_in_answers(gold: Any, answers: Any) -> bool:
    """Return True if gold answers are in a file of answers."""
    paths = answers if isinstance(answers, list | tuple) else [answers]
    files = {os.path.realpath(path) for path in paths if isinstance(path, FILES)}
    return isinstance(gold, FILES) and os.path.realpath(gold) in files


def _has_citations(written_answer: Answer) -> bool:
    return any(sentence.citations for sentence in written_answer.sentences or ())


def _takes_references(measure: type[Measure]) -> bool:
    """Return True if a measure compares texts with references."""
    return issubclass(measure, ReferenceMeasure)


def _get_input(m: Any) -> str:
    needs: str = m.needs
    return needs


def _compute_score(m: Any, x: Any) -> float:
    return float(x) if isinstance(x, float) else float(m.score(x))
