"""Files of other tools, detected by their keys: one table, tried before ``{topic: {doc: number}}``.

A row has the tool, the keys and a reader for each use. `contents` describes what readers yield.
The rows of `READ` belong to the normal readers. A use without a reader is rejected: the error names
the tool, the keys and the fix of the row. A path such as ``requests[].ratings`` means an object
under ``requests`` in a list, which has the key ``ratings``; ``*`` is any key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeAlias

from cranfield.data.reading import arenas, engines, item_scores
from cranfield.data.reading.columns import Kind
from cranfield.data.reading.contents import (
    DETAILS,
    REMARK,
    Content,
    Details,
    DocumentList,
    Place,
    SourceRecord,
    check_identifier,
    is_empty,
)
from cranfield.data.reading.engines import UNDER_IDS
from cranfield.data.reading.records import COUNTS, Problem, Remark
from cranfield.data.reading.shapes import Item, is_list
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import format_option

Use: TypeAlias = Literal["qrels", "run", "scores", "answers", "battles"]
Reader: TypeAlias = Callable[[Item, Any], Iterable[Content]]  # an object, and its topic or NAMELESS
USES: Mapping[Use, str] = {
    "qrels": "judgments",
    "run": "a run",
    "scores": "scores",
    "answers": "answers",
    "battles": "battles",
}
ANY, ABSENT, OTHER_TYPE, PRESENT = "*", 0, 1, 2


def READ(data: Item, topic: Any) -> Iterable[Content]:
    """Mark uses that the normal readers support."""
    return ()


@dataclass(frozen=True, eq=False)
class Signature:
    """A format of another tool."""

    name: str
    tool: str  # that writes the format
    keys: tuple[str, ...]
    readers: Mapping[Use, Reader | None] = field(default_factory=dict)  # None: not supported
    advice: str = ""  # the fix if a use has no reader
    also: Callable[[Item], bool] = lambda record: True  # further condition
    by_topic: bool = False  # an object has one topic, so that a list of objects is one run
    by_intent: bool = False  # judgments have intents
    roles: Mapping[Use, str] = field(default_factory=dict)  # for each use, the key of each role

    @property
    def top(self) -> tuple[str, ...]:
        """The keys without those inside them."""
        return tuple(dict.fromkeys(_name(path.split(".")[0]) for path in self.keys))

    @property
    def names(self) -> tuple[str, ...]:
        """All keys, for messages."""
        parts = (_name(part).partition("=")[0] for path in self.keys for part in path.split("."))
        roles = (role.partition("=")[2] for text in self.roles.values() for role in text.split())
        return tuple(dict.fromkeys(part for part in parts if part != ANY)) or tuple(roles)

    def get_reader(self, use: Use) -> Reader | None:
        """Return the reader for a use, or None if the normal readers support it."""
        reader = self.readers.get(use)
        return None if reader is READ else reader

    def describe_roles(self, use: Use) -> list[str]:
        """Describe the key of each role.

        >>> signature = Signature("x", "x", (), roles={"qrels": "topic=id document=_id"})
        >>> signature.describe_roles("qrels")
        ['topic in key id', 'document in key _id']
        """
        pairs = (role.partition("=") for role in self.roles.get(use, "").split())
        return [f"{role} in key {key}" for role, _, key in pairs]

    def matches(self, data: Item, location: str, first: bool = True) -> bool:
        """Return True if the data have all keys. Raise InputError if a key has another type.

        Further conditions only apply to the `first` record of a file: later values can be missing.
        """
        if not all(key in data for key in self.top):
            return False
        states = {path: _inspect_path(data, path.split(".")) for path in self.keys}
        if ABSENT in states.values() or (first and not self.also(data)):
            return False
        for path, state in states.items():
            if state == OTHER_TYPE:
                problem = f"this looks like {self.name}, but key {_name(path)!r} is not a list"
                raise InputError.from_problem(problem, where=location)
        return True


def _inspect_path(value: Any, path: list[str]) -> int:
    """Return PRESENT, ABSENT, or OTHER_TYPE if the path should end with a list."""
    if not path:
        return PRESENT
    if not isinstance(value, Mapping):
        return ABSENT
    key, _, text = path[0].partition("=")
    name = _name(key)
    inner = list(value.values()) if name == ANY else [value[name]] if name in value else []
    if text:
        return PRESENT if inner == [text] else ABSENT
    if key.endswith("[]"):
        if not all(map(is_list, inner)):
            return OTHER_TYPE if len(path) == 1 else ABSENT
        if inner and len(path) == 1:
            return PRESENT
        inner = [item for items in inner for item in items]
    return max((_inspect_path(item, path[1:]) for item in inner), default=ABSENT)


def _name(key: str) -> str:
    return key.replace("[]", "")


def _explain_path(value: Any, path: list[str]) -> str:
    """Describe the first difference between an object and a path, or return an empty text.

    >>> _explain_path({"requests": {"q1": []}}, ["requests[]", "ratings"])
    "key 'requests' is not a list"
    >>> _explain_path({"requests": [{"id": "q1"}]}, ["requests[]", "ratings"])
    "key 'requests' has no key 'ratings'"
    """
    parent = ""
    for part in path:
        key, _, text = part.partition("=")
        name = _name(key)
        if problem := _explain_key(value, name, parent):
            return problem
        value = next(iter(value.values())) if name == ANY else value[name]
        parent = parent if name == ANY else name
        if text and value != text:
            return f"key {name!r} is not {text!r}"
        if key.endswith("[]"):
            if not is_list(value) or not value:
                return f"key {parent!r} is {'empty' if is_list(value) else 'not a list'}"
            value = value[0]
    return ""


def _explain_key(value: Any, name: str, parent: str) -> str:
    """Describe why a value has no such key, or return an empty text."""
    if not isinstance(value, Mapping):
        return f"key {parent!r} is not an object" if parent else "it is not an object"
    if name == ANY:
        return "" if value else f"key {parent!r} is empty"
    if name in value:
        return ""
    return f"key {parent!r} has no key {name!r}" if parent else f"key {name!r} is missing"


def explain_mismatch(data: Any, location: str, use: Use | None = None) -> InputError | None:
    """Return an error that names the most similar format of another tool, or None.

    It has all top-level keys, and no other use. The error explains files that no reader can read.
    """
    if not isinstance(data, Mapping):
        return None
    best: tuple[int, str] = (-1, "")
    first = next(iter(data.values()), None)
    for record in (data, first if isinstance(first, Mapping) else {}):
        for signature in RECORDS:
            is_other = use is not None and bool(signature.readers) and use not in signature.readers
            if is_other or not all(key in record for key in signature.top):
                continue
            problems = [problem for path in signature.keys if (problem := _explain_path(record, path.split(".")))]
            similarity = len(signature.keys) - len(problems)
            if problems and similarity > best[0]:
                best = similarity, f"this looks like {signature.name}, but {problems[0]}"
    return InputError.from_problem(best[1], "", location) if best[1] else None


def add_tool(error: InputError, name: str) -> InputError:
    """Return an error that names the format of another tool.

    >>> print(add_tool(InputError("null for key 'ratings'", "a list", "x.json"), "Quepid case"))
    x.json: found null for key 'ratings' (Quepid case), expected a list
    """
    if name in error.found:
        return error
    return InputError(f"{error.found} ({name})", error.expected, error.where, error.line, error.hint)


def _has_answers(record: Item) -> bool:
    answers = record["responses"]
    if not is_list(answers):
        return False
    return all(isinstance(answer, Mapping) and "text" not in answer for answer in answers)  # text: RAGTIME


def _has_status(record: Item) -> bool:
    return isinstance(record["status"], int) and not isinstance(record["error"], int | float)


def _has_feedback(record: Item) -> bool:
    return any(str(key).startswith("feedback.") for key in record)


def _has_numeric_scores(record: Item) -> bool:
    scores = record["scores"] if record["scores"] is not None else {}
    return isinstance(scores, Mapping) and all(
        value is None or isinstance(value, int | float) for value in scores.values()
    )


_RANK_EVAL_ROLES: Mapping[Use, str] = {
    "run": "topic=details document=hit._id score=hit._score",
    "qrels": "topic=details document=hit._id level=rating",
    "scores": "topic=details measure=metric_score",
}
_RRE_ROLES: Mapping[Use, str] = {"qrels": "topic=placeholders.$query document=relevant_documents level=gain"}
_DEEPEVAL_ROLES: Mapping[Use, str] = {"scores": "topic=input measure=name value=score run=identifier"}
_PROMPTFOO_ROLES: Mapping[Use, str] = {"scores": "topic=vars measure=score,namedScores run=provider"}
TABLE = (
    # Search engines and workbenches
    Signature("Elasticsearch or OpenSearch _rank_eval request", "Elasticsearch, OpenSearch",
              ("requests[].ratings",), {"qrels": engines.read_rank_eval_request},
              roles={"qrels": "topic=id document=_id level=rating"}),
    Signature("Elasticsearch or OpenSearch _rank_eval response", "Elasticsearch, OpenSearch",
              ("details.*.hits[].hit",),
              {"run": engines.read_rank_eval_run, "qrels": engines.read_rank_eval_ratings,
               "scores": engines.read_rank_eval_scores}, roles=_RANK_EVAL_ROLES),
    Signature("Elasticsearch or OpenSearch _rank_eval response", "Elasticsearch, OpenSearch",
              ("metric_score", "details"),
              {"run": engines.read_rank_eval_run, "qrels": engines.read_rank_eval_ratings,
               "scores": engines.read_rank_eval_scores}, roles=_RANK_EVAL_ROLES),
    Signature("OpenSearch workbench judgments", "OpenSearch 3.1", ("judgmentRatings[]",),
              {"qrels": engines.read_workbench_judgments},
              roles={"qrels": "topic=query document=docId level=rating"}),
    Signature("OpenSearch workbench evaluation results", "OpenSearch 3.1",
              ("searchText", "documentIds[]"),
              {"run": engines.read_workbench_run, "scores": engines.read_workbench_scores}, by_topic=True,
              roles={"run": "topic=searchText document=documentIds run=searchConfigurationId",
                     "scores": "topic=searchText measure=metric value=value run=searchConfigurationId"}),
    Signature("error of Elasticsearch or OpenSearch", "Elasticsearch, OpenSearch", ("error", "status"), {},
              "Repeat the request.", also=_has_status),
    Signature("Solr error", "Solr", ("responseHeader", "error"), {}, "Repeat the request."),
    Signature("Solr grouped response", "Solr", ("responseHeader", "grouped"), {},
              "Request one ranking with group.main=true."),
    Signature("OpenSearch workbench query set", "OpenSearch 3.1", ("querySetQueries",), {},
              "It has queries and no judgments. Export the judgments."),
    Signature("Elasticsearch or OpenSearch _search response", "Elasticsearch, OpenSearch",
              ("hits.hits[]",), {"run": engines.read_search}, by_topic=True,
              roles={"run": "document=_id score=_score"}),
    Signature("Elasticsearch or OpenSearch _msearch response", "Elasticsearch, OpenSearch",
              ("responses[]",), {}, f"It has no query ids. {UNDER_IDS}.",
              also=_has_answers),
    Signature("Solr response", "Solr", ("response.docs[]",), {"run": engines.read_solr},
              by_topic=True, roles={"run": "document=id score=score"}),
    Signature("Vespa response", "Vespa", ("root.id=toplevel",), {"run": engines.read_vespa},
              by_topic=True, roles={"run": "document=id score=relevance"}),
    Signature("Quepid snapshot", "Quepid 8.6", ("docs", "queries[].query_text"),
              {"run": engines.read_quepid_snapshot},
              roles={"run": "topic=query_text document=id run=name"}),
    Signature("Quepid case", "Quepid 8.6", ("queries[].query_text", "queries[].ratings"),
              {"qrels": engines.read_quepid_case},
              roles={"qrels": "topic=query_text document=doc_id level=rating"}),
    Signature("Quepid ratings", "Quepid 8.6", ("queries[].query", "queries[].ratings"),
              {"qrels": engines.read_quepid_ratings},
              roles={"qrels": "topic=query document=ratings level=ratings"}),
    Signature("Quepid's export for RRE", "Quepid 8.6, RRE 1.2",
              ("queries[].placeholders", "queries[].relevant_documents"),
              {"qrels": engines.read_rre_ratings}, roles=_RRE_ROLES),
    Signature("RRE ratings", "RRE 1.2", ("topics[].query_groups",),
              {"qrels": engines.read_rre_ratings}, roles=_RRE_ROLES),
    Signature("RRE ratings", "RRE 1.2", ("query_groups[].queries",),
              {"qrels": engines.read_rre_ratings}, roles=_RRE_ROLES),
    Signature("RRE evaluation", "RRE 1.2", ("corpora[].*",),
              {"run": engines.read_rre_run, "scores": engines.read_rre_scores},
              roles={"run": "topic=query document=id run=results",
                     "scores": "topic=query measure=metrics value=value run=versions"}),
    Signature("Quepid book", "Quepid 8.6", ("query_doc_pairs[]",),
              {"qrels": engines.read_quepid_book},
              roles={"qrels": "topic=query_text document=doc_id level=rating"}),
    # Answers and scores
    Signature("DeepEval test run", "DeepEval 4.3", ("testCases[].metricsData",),
              {"scores": item_scores.read_deepeval}, roles=_DEEPEVAL_ROLES),
    Signature("DeepEval test run", "DeepEval 4.3", ("testRunData.testCases",),
              {"scores": item_scores.read_deepeval}, roles=_DEEPEVAL_ROLES),
    Signature("promptfoo results", "promptfoo 0.121", ("results.results[].testIdx",),
              {"scores": item_scores.read_promptfoo}, roles=_PROMPTFOO_ROLES),
    Signature("promptfoo results", "promptfoo 0.121", ("testIdx", "promptIdx"),
              {"scores": item_scores.read_promptfoo_record}, roles=_PROMPTFOO_ROLES),
    Signature("inspect_ai log", "inspect_ai 0.3", ("eval", "samples[].scores"),
              {"scores": item_scores.read_inspect},
              roles={"scores": "topic=id replicate=epoch measure=scores value=value run=eval.model"}),
    Signature("inspect_ai log without samples", "inspect_ai 0.3", ("eval.model", "plan", "status"), {},
              "Write the complete log with `inspect log convert --to json`."),
    Signature("lm-eval samples", "lm-eval 0.4, lmms-eval 0.7", ("doc_id", "doc", "resps"),
              {"scores": item_scores.read_lm_eval}, roles={"scores": "topic=doc_id measure=metrics"}),
    Signature("LangSmith results", "LangSmith SDK 0.14", ("example_id",),
              {"scores": item_scores.read_langsmith}, also=_has_feedback,
              roles={"scores": "topic=example_id measure=feedback.*"}),
    Signature("Langfuse scores", "Langfuse SDK 5.0", ("traceId", "name", "value", "dataType"),
              {"scores": item_scores.read_langfuse},
              roles={"scores": "topic=traceId measure=name value=value"}),
    Signature("ragas results", "ragas 0.4", ("user_input",),
              {"scores": item_scores.read_ragas, "run": READ, "qrels": READ}, also=item_scores.has_ragas_scores,
              roles={"scores": "topic=user_input"}),
    Signature("open-rag-eval results", "open-rag-eval 0.3", (),
              {"scores": item_scores.read_open_rag_eval}, also=item_scores.has_numbered_runs,
              roles={"scores": "topic=query_id replicate=run_N_*"}),
    Signature("autojudge scores", "autojudge-base 1.0", ("run_id", "topic_id", "measure", "value"),
              {"scores": READ}, roles={"scores": "run=run_id topic=topic_id measure=measure value=value"}),
    Signature("nuggetizer metrics", "nuggetizer 0.0.5", ("qid", "strict_vital_score"),
              {"scores": READ}, roles={"scores": "topic=qid"}),
    Signature("nuggetizer assignments of answers", "nuggetizer 0.0.5",
              ("qid", "run_id", "nuggets[].assignment"), {"answers": READ}),
    Signature("nuggetizer assignments of documents", "nuggetizer 0.0.5",
              ("qid", "docid", "nuggets[].assignment"), {"qrels": engines.read_nuggets}, by_intent=True,
              roles={"qrels": "topic=qid document=docid intent=text level=assignment"}),
    Signature("MTEB result", "MTEB 2", ("task_name", "scores.*[].main_score"), {},
              "It has means and no topics. Evaluate with prediction_folder, and pass predictions."),
    Signature("MTEB predictions", "MTEB 2", ("mteb_model_meta",), {"run": READ},
              roles={"run": "run=mteb_model_meta.model_name"}),
    Signature("BEIR results of save_results", "BEIR 2.2",
              ("ndcg", "map", "recall", "precision"), {},
              "It has means and no topics. Save the run, {topic: {doc: score}}."),
    Signature("battles of an arena", "FastChat, LMArena", ("model_a", "model_b", "winner"),
              {"battles": READ}, roles={"battles": "run=model_a other=model_b winner=winner"}),
    Signature("battles of Kaggle's arena", "Kaggle, LMArena",
              ("model_a", "model_b", "winner_model_a", "winner_model_b", "winner_tie"),
              {"battles": arenas.read_kaggle_battle}, roles={"battles": "run=model_a other=model_b winner=winner_*"}),
    Signature("Braintrust results", "Braintrust 0.48", ("input", "scores"),
              {"scores": item_scores.read_braintrust}, also=_has_numeric_scores,
              roles={"scores": "topic=input measure=scores"}),
    Signature("Braintrust results", "Braintrust 0.48", ("summary", "results[].scores"),
              {"scores": item_scores.read_braintrust_results},
              roles={"scores": "topic=input measure=scores run=summary"}),
    Signature("Phoenix evaluations", "Phoenix evals 3.9", (),
              {"scores": item_scores.read_phoenix}, also=item_scores.has_phoenix_scores,
              roles={"scores": "measure=*_score value=score"}),
)  # fmt: skip
TOP = frozenset(key for signature in TABLE for key in signature.top)
RECORDS = tuple(signature for signature in TABLE if signature.keys)
FIRST_ANSWERS = 20  # answers by id of which one determines the format: the first can be an error


class Match(NamedTuple):
    """The format of another tool that an object has, and its records."""

    signature: Signature
    records: Iterable[SourceRecord | InputError]
    is_single: bool = False  # the object itself is the record


def detect(data: Any, location: str = "") -> Signature | None:
    """Return the format of another tool that an object, or all its answers by id, have.

    >>> detect({"q1": {"hits": {"hits": []}}}).name
    'Elasticsearch or OpenSearch _search response'
    >>> detect({"q1": {"d1": 0.5}})
    """
    match = match_object(data, location)
    return None if match is None else match.signature


def match_object(data: Any, location: str = "") -> Match | None:
    """Return the format of an object and its records: itself, its hits, or its answers by id."""
    if not isinstance(data, Mapping):
        return None
    if not data.keys().isdisjoint(TOP):
        hits = _unwrap_hits(data)
        inner = None if hits is None else detect_record(hits[0], location)
        if hits is not None and inner is not None:
            return Match(inner, [SourceRecord(Place(location, None, f" in hit {n}"), x) for n, x in enumerate(hits, 1)])
        signature = _find_record_signature(data, location)
        if signature is not None:
            return Match(signature, [SourceRecord(Place(location), data)], is_single=True)
    values = islice(data.values(), FIRST_ANSWERS)
    first = next((x for x in values if isinstance(x, Mapping) and not x.keys().isdisjoint(TOP)), None)
    signature = None if first is None else _find_record_signature(first, location)
    if signature is None:
        return None
    return Match(signature, [SourceRecord(Place(location, None, f" for topic {t!r}"), x, t) for t, x in data.items()])


def _find_record_signature(data: Item, location: str) -> Signature | None:
    return next((signature for signature in RECORDS if signature.matches(data, location)), None)


def detect_record(record: Any, location: str = "") -> Signature | None:
    """Return the format of another tool that a record of a list or a line has."""
    if not isinstance(record, Mapping):
        return None
    return next((signature for signature in TABLE if signature.matches(record, location)), None)


def _unwrap_hits(data: Item) -> list[Any] | None:
    """Return the sources of the hits of a search engine if the response has them."""
    if _inspect_path(data, ["hits", "hits[]", "_source"]) != PRESENT:
        return None
    return [hit.get("_source") if isinstance(hit, Mapping) else None for hit in data["hits"]["hits"]]


def reject_foreign(signature: Signature | None, use: Use, location: str, line: int | None = None) -> None:
    """Raise InputError if a format is not supported, or not for this use."""
    if signature is None or signature.readers.get(use) is not None:
        return
    name = f"{signature.name} (keys: {', '.join(signature.names)})"
    problem = f"unsupported format: {name}"
    if use not in signature.readers:
        problem = f"found {name}, expected {USES[use]}"
    raise InputError.from_problem(problem, _describe_fix(signature), location, line)


def _describe_fix(signature: Signature) -> str:
    """Return the fix for an unsupported format or use."""
    use = next((use for use, reader in signature.readers.items() if reader is not None), None)
    if use is None:
        return signature.advice
    places: Mapping[Use, str] = {
        "qrels": "as judgments",
        "run": "as a run",
        "scores": f"with {format_option('--scores', 'cf.read_scores')}",
        "answers": "with `cranfield answers`",
        "battles": "with `cranfield battles`",
    }
    return f"Use it {places[use]}."


def get_kind(signature: Signature) -> Kind:
    """Return the kind that `validate` uses for a file of another tool: its first use."""
    return "qrels" if next(iter(signature.readers), "") == "qrels" else "run"


# -- reading --------------------------------------------------------------------------------------


def read_contents(
    records: Iterable[SourceRecord | InputError], signature: Signature, use: Use, location: str
) -> Iterator[DocumentList | Mapping[str, Any] | InputError | Problem]:
    """Yield what the reader for a use yields for records, which all must match the signature."""
    reader = signature.get_reader(use)
    assert reader is not None  # noqa: S101
    remarks: Counter[Remark] = Counter()
    rankings: set[tuple[str | None, str]] = set()
    for item in records:
        if isinstance(item, InputError):
            yield item
            continue
        try:
            if not isinstance(item.record, Mapping) or not signature.matches(item.record, location, first=False):
                keys = f"keys {', '.join(map(str, item.record))}" if isinstance(item.record, Mapping) else "no object"
                raise InputError(keys, f"{', '.join(signature.names)}, as in the first record ({signature.name})")
            for content in reader(item.record, item.topic):
                if isinstance(content, Remark):
                    remarks[content] += 1
                elif isinstance(content, DocumentList):
                    yield _check_list(content, rankings if use == "run" else None)._replace(line=item.place.line)
                else:
                    yield _check_run(content)
        except InputError as error:
            yield add_tool(item.place.locate(error), signature.name)
    for remark, count in remarks.items():
        yield Problem("warning", location, None, remark.format(count), kind=COUNTS)


def read_rows(match: Match, use: Use, location: str) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """Yield rows of scores, answers or battles with their lines. Raise the first InputError.

    Rows of scores have `DETAILS`. A row with `REMARK` has the text of a note.
    """
    line: int | None = None

    def iter_records() -> Iterator[SourceRecord | InputError]:
        nonlocal line
        for record in match.records:
            line = record.place.line if isinstance(record, SourceRecord) else None
            yield record

    for content in read_contents(iter_records(), match.signature, use, location):
        if isinstance(content, InputError):
            raise content
        if isinstance(content, Mapping):
            yield line, {**content, DETAILS: content.get(DETAILS, Details())}
        elif isinstance(content, Problem):
            yield None, {REMARK: content.text}


def _check_run(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a row with a checked name of the run, None if it is missing."""
    run = content.get("run")
    if run is None:
        return content
    return {**content, "run": None if is_empty(run) else check_identifier("name of the run", run)}


def _check_list(content: DocumentList, rankings: set[tuple[str | None, str]] | None) -> DocumentList:
    """Return a list with a checked topic and tag. Raise InputError for a second ranking."""
    context = {**content.context, "topic": check_identifier("topic", content.context["topic"])}
    if context.get("tag") is not None:
        context["tag"] = check_identifier("name of the run", context["tag"])
    if rankings is not None:
        key = context.get("tag"), context["topic"]
        if key in rankings:
            run = "" if key[0] is None else f" of run {key[0]!r}"
            raise InputError.from_problem(f"duplicate topic {key[1]!r}{run}", "Keep one ranking of each topic.")
        rankings.add(key)
    return content._replace(context=context)
