"""Readers of files of search engines and other tools: ratings, rankings and scores.

The table of `signatures` selects the reader. A reader receives an object and, for an answer saved
under the id of its query, the id. Sources of the formats: the documentation and templates of
Elasticsearch and OpenSearch, the OpenSearch workbench 3.1, Solr, Vespa, Quepid 8.6, RRE 1.2 and nuggetizer 0.0.5.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from cranfield.data.reading.contents import (
    Content,
    DocumentList,
    get_items,
    get_mapping,
    get_value,
    is_empty,
    iter_objects,
    rank_documents,
    report_unread,
)
from cranfield.data.reading.lines import format_value, parse_finite
from cranfield.data.reading.records import NO_RATINGS, UNRATED, Remark
from cranfield.data.reading.shapes import NAMELESS, Cells, Item
from cranfield.errors import InputError

ASSIGNMENTS = ("support", "partial_support", "not_support")
UNDER_IDS = "Save each answer under its query's id, as {id: answer}"


def _read_ratings(pairs: Iterable[tuple[Any, Any]], topic: Any) -> Iterator[Content]:
    """Yield the documents with their levels, and remarks on documents without a rating."""
    cells: list[Cells] = [{"doc": doc, "level": level} for doc, level in pairs]
    docs = [rating for rating in cells if not is_empty(rating["level"])]
    for _ in range(len(cells) - len(docs)):
        yield UNRATED
    if not cells:
        yield NO_RATINGS
    yield DocumentList({"topic": topic}, docs)


def _require_topic(topic: Any) -> Any:
    if topic is NAMELESS:
        raise InputError.from_problem("the answer has no query", f"{UNDER_IDS}.")
    return topic


def _rank_scored(docs: list[Cells]) -> list[Cells]:
    """Return documents with ranks, without scores if all scores are null."""
    if all(cells["score"] is None for cells in docs):
        docs = [{"doc": cells["doc"]} for cells in docs]
    return rank_documents(docs)


EMPTY = Remark("without documents, although the engine matched some. Request documents (size, rows, hits)", "answer")


def _note_empty(docs: Sequence[Any], matches: Any) -> Iterator[Remark]:
    """Yield a remark if an answer has no documents, but a positive number of matches."""
    number = parse_finite(matches)
    if not docs and number is not None and number > 0:
        yield EMPTY


# -- Elasticsearch and OpenSearch -----------------------------------------------------------------


def read_rank_eval_request(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the ratings of a ``_rank_eval`` request."""
    for request in iter_objects(data, "requests"):
        name = get_value(request, "id")
        ratings = list(iter_objects(request, "ratings"))
        _reject_indexes(ratings, name)
        yield from report_unread(ratings, ("_id", "rating"), "level")
        yield from _read_ratings(((get_value(x, "_id"), get_value(x, "rating")) for x in ratings), name)


def _reject_indexes(ratings: Iterable[Item], topic: Any) -> None:
    """Raise InputError if a topic has a document id of two indexes."""
    indexes: dict[Any, Any] = {}
    for rating in ratings:
        doc, index = str(rating.get("_id")), rating.get("_index")
        if indexes.setdefault(doc, index) != index:
            problem = f"document {doc!r} of topic {topic} in two indexes: {indexes[doc]!r} and {index!r}"
            raise InputError.from_problem(problem, "Keep the ratings of one index.")


def _read_hits(hits: Iterable[Item]) -> list[Cells]:
    return _rank_scored([{"doc": get_value(hit, "_id"), "score": hit.get("_score")} for hit in hits])


def read_rank_eval_run(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the rankings in a ``_rank_eval`` response."""
    for name, detail in _iter_details(data):
        hits = [get_mapping(item, "hit") for item in iter_objects(detail, "hits")]
        yield from report_unread(hits, ("_id", "_score"), "score", "rank")
        yield DocumentList({"topic": name}, _read_hits(hits))
    failures = data.get("failures")
    for _ in failures if isinstance(failures, Mapping) else ():
        yield Remark("in 'failures': these queries have no ranking", "query id")


RETURNED_ONLY = Remark("only returned documents have ratings here: relevant documents can be missing")


def read_rank_eval_ratings(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the ratings next to the hits of a ``_rank_eval`` response."""
    yield RETURNED_ONLY
    for name, detail in _iter_details(data):
        items = iter_objects(detail, "hits")
        yield from _read_ratings(((get_value(get_mapping(x, "hit"), "_id"), x.get("rating")) for x in items), name)


def read_rank_eval_scores(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the ``metric_score`` of each query of a ``_rank_eval`` response."""
    for name, detail in _iter_details(data):
        yield {"topic": name, "measure": "metric_score", "value": get_value(detail, "metric_score")}


def _iter_details(data: Item) -> Iterator[tuple[Any, Item]]:
    details = get_mapping(data, "details")
    for name in details:
        yield name, get_mapping(details, name)


def read_search(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the ranking in a ``_search`` response."""
    topic = _require_topic(topic)
    hits = list(iter_objects(get_mapping(data, "hits"), "hits"))
    shards, total = data.get("_shards"), data["hits"].get("total")
    yield from _note_empty(hits, total.get("value") if isinstance(total, Mapping) else total)
    if data.get("timed_out"):
        yield Remark("timed out: documents can be missing", "answer")
    if isinstance(shards, Mapping) and shards.get("failed"):
        yield Remark("with failed shards: documents can be missing", "answer")
    yield from report_unread(hits, ("_id", "_score"), "score", "rank")
    yield DocumentList({"topic": topic}, _read_hits(hits))


# -- Solr and Vespa -------------------------------------------------------------------------------


def read_solr(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the ranking in a Solr response. Its topic is the query if it is not under an id."""
    header = data.get("responseHeader")
    header = header if isinstance(header, Mapping) else {}
    if topic is NAMELESS:
        params = header.get("params")
        topic = params.get("q", NAMELESS) if isinstance(params, Mapping) else NAMELESS
    docs = list(iter_objects(get_mapping(data, "response"), "docs"))
    if header.get("partialResults"):
        yield Remark("with partial results: documents can be missing", "answer")
    yield from _note_empty(docs, data["response"].get("numFound"))
    yield from report_unread(docs, ("id", "score"), "score", "rank")
    cells = [{"doc": get_value(doc, "id"), "score": doc.get("score")} for doc in docs]
    yield DocumentList({"topic": _require_topic(topic)}, _rank_scored(cells))


_VESPA_ID = re.compile(r"id:[^:]*:[^:]*:[^:]*:(.+)", re.DOTALL)
_VESPA_INTERNAL = re.compile(r"(?:index|group):")
SHORT_IDS = Remark("documents are named by the last part of id:NAMESPACE:TYPE:KEY:ID")


def read_vespa(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the ranking in a Vespa response."""
    topic, root = _require_topic(topic), get_mapping(data, "root")
    docs = []
    children = [*iter_objects(root, "children")] if root.get("children") is not None else []
    yield from report_unread(children, ("id", "relevance"), "score", "rank")
    for child in children:
        doc = get_value(child, "id")
        if isinstance(doc, str) and _VESPA_INTERNAL.match(doc):
            fix = "Request a summary with the documents' ids."
            raise InputError.from_problem(f"{format_value(doc)} is not the id of a document", fix)
        if isinstance(doc, str) and (match := _VESPA_ID.fullmatch(doc)):
            yield SHORT_IDS
            doc = match[1]
        docs.append({"doc": doc, "score": child.get("relevance")})
    coverage, fields = root.get("coverage"), root.get("fields")
    yield from _note_empty(docs, fields.get("totalCount") if isinstance(fields, Mapping) else None)
    if root.get("errors") or (isinstance(coverage, Mapping) and coverage.get("full") is False):
        yield Remark("with errors or incomplete coverage: documents can be missing", "answer")
    yield DocumentList({"topic": topic}, _rank_scored(docs))


# -- the workbench of OpenSearch ------------------------------------------------------------------


def read_workbench_judgments(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the judgments of the OpenSearch workbench. Ratings are texts such as ``2.000``."""
    for query in iter_objects(data, "judgmentRatings"):
        ratings = [*iter_objects(query, "ratings")]
        yield from report_unread(ratings, ("docId", "rating"), "level")
        pairs = ((get_value(x, "docId"), get_value(x, "rating")) for x in ratings)
        yield from _read_ratings(pairs, get_value(query, "query"))


def read_workbench_run(data: Item, topic: Any) -> Iterator[Content]:
    """Yield a ranking of an experiment, with its search configuration as run."""
    context = {"topic": get_value(data, "searchText"), "tag": data.get("searchConfigurationId")}
    yield DocumentList(context, rank_documents({"doc": doc} for doc in get_items(data, "documentIds")))


def read_workbench_scores(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the measures of a ranking of an experiment."""
    metrics = [*iter_objects(data, "metrics")]
    if not metrics:
        yield Remark("without metrics: their scores are missing", "query")
    for score in metrics:
        yield {
            "run": data.get("searchConfigurationId"),
            "topic": get_value(data, "searchText"),
            "measure": get_value(score, "metric"),
            "value": get_value(score, "value"),
        }


# -- Quepid ---------------------------------------------------------------------------------------


def read_quepid_case(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the ratings of a Quepid case."""
    for query in iter_objects(data, "queries"):
        ratings = [*iter_objects(query, "ratings")]
        yield from report_unread(ratings, ("doc_id", "rating"), "level")
        pairs = ((get_value(x, "doc_id"), x.get("rating")) for x in ratings)
        yield from _read_ratings(pairs, get_value(query, "query_text"))


def read_quepid_ratings(data: Item, topic: Any) -> Iterator[Content]:
    """Yield Quepid's ratings, ``{doc: rating}`` for each query."""
    for query in iter_objects(data, "queries"):
        yield from _read_ratings(get_mapping(query, "ratings").items(), get_value(query, "query"))


SKIPPED = Remark("skipped: null or unrateable", "rating")
UNRATEABLE = Remark("without a rating: these documents are unjudged", "query-document pair")


def read_quepid_book(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the ratings of a Quepid book. Raise InputError if its judges differ."""
    for pair in iter_objects(data, "query_doc_pairs"):
        query, doc = get_value(pair, "query_text"), get_value(pair, "doc_id")
        judgements = iter_objects(pair, "judgements") if pair.get("judgements") is not None else ()
        ratings = [None if _is_unrateable(x) else x.get("rating") for x in judgements]
        levels = {parse_finite(x): x for x in ratings if not is_empty(x)}
        for _ in filter(is_empty, ratings):
            yield SKIPPED
        if len(levels) > 1:
            numbers = " and ".join(format_value(x) for x in levels.values())
            problem = f"several judges rated document {format_value(doc)} of {format_value(query)}: {numbers}"
            raise InputError.from_problem(problem, "Combine the judges with `cranfield assess`.")
        if not levels:
            yield UNRATEABLE
        yield DocumentList({"topic": query}, [{"doc": doc, "level": level} for level in levels.values()])


def _is_unrateable(judgement: Item) -> bool:
    value = judgement.get("unrateable")
    if value not in (None, True, False, 0, 1):
        raise InputError(f"unrateable {format_value(value)}", "true or false")
    return bool(value)


def read_quepid_snapshot(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the rankings of a Quepid snapshot."""
    texts = {str(get_value(x, "query_id")): get_value(x, "query_text") for x in iter_objects(data, "queries")}
    docs = get_mapping(data, "docs")
    for key in docs:
        if str(key) not in texts:
            raise InputError(f"documents of query {format_value(key)}", "a query_id in 'queries'")
        context, ranked = {"topic": texts[str(key)], "tag": data.get("name")}, [*iter_objects(docs, key)]
        yield from report_unread(ranked, ("id",), "score", "rank")
        yield DocumentList(context, rank_documents({"doc": get_value(x, "id")} for x in ranked))


# -- RRE ------------------------------------------------------------------------------------------

_GAINS = ("gain", "rating")


def read_rre_ratings(data: Item, topic: Any) -> Iterator[Content]:
    """Yield RRE's ratings. The documents of a query replace the documents of its group."""
    yield from _read_rre_group(data, None)


def _read_rre_group(group: Item, inherited: Item | None) -> Iterator[Content]:
    own = group.get("relevant_documents")
    docs = inherited if own is None else get_mapping(group, "relevant_documents")
    for key in ("topics", "query_groups"):
        for inner in iter_objects(group, key) if key in group else ():
            yield from _read_rre_group(inner, docs)
    if not {"topics", "query_groups", "queries"} & group.keys():
        get_value(group, "queries")
    for query in iter_objects(group, "queries") if "queries" in group else ():
        own_docs = get_mapping(query, "relevant_documents") if query.get("relevant_documents") is not None else docs
        if own_docs is None:
            raise InputError(f"query {_get_rre_query(query)!r} without relevant_documents", "{doc: {gain: number}}")
        gains = [value for value in own_docs.values() if isinstance(value, Mapping)]
        yield from report_unread(gains, _GAINS[:1] if any(_GAINS[0] in x for x in gains) else _GAINS, "level")
        yield from _read_ratings(_iter_gains(own_docs), _get_rre_query(query))


def _get_rre_query(query: Item) -> Any:
    """Return the text of a query: ``$query``, or the only placeholder."""
    placeholders = get_mapping(query, "placeholders")
    if "$query" not in placeholders and len(placeholders) == 1:
        return next(iter(placeholders.values()))
    return get_value(placeholders, "$query")


def _iter_gains(docs: Item) -> Iterator[tuple[Any, Any]]:
    """Yield documents with gains, from ``{doc: {gain: 3}}`` or ``{3: [doc, …]}``."""
    for key, value in docs.items():
        if isinstance(value, Mapping):
            name = next((name for name in _GAINS if name in value), _GAINS[0])
            yield key, get_value(value, name)
            continue
        items = get_items(docs, key)
        if parse_finite(key) is None:
            raise InputError(f"a list for {key!r}", "{doc: {gain: number}} or {gain: [doc, …]}")
        yield from ((doc, key) for doc in items)


def read_rre_run(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the rankings of all versions in the output of RRE."""
    for evaluation in _iter_evaluations(data):
        results = get_mapping(evaluation, "results")
        if not results:
            yield Remark("without results of a version", "query")
        for version in results:
            hits = [*iter_objects(get_mapping(results, version), "hits")]
            yield from report_unread(hits, ("id", "_id"), "score", "rank")
            docs = [{"doc": hit["_id"] if "id" not in hit and "_id" in hit else get_value(hit, "id")} for hit in hits]
            yield DocumentList({"topic": get_value(evaluation, "query"), "tag": version}, rank_documents(docs))


def read_rre_scores(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the metrics of all versions in the output of RRE."""
    for evaluation in _iter_evaluations(data):
        measures = get_mapping(evaluation, "metrics")
        for measure in measures:
            versions = get_mapping(get_mapping(measures, measure), "versions")
            for version in versions:
                value = get_value(get_mapping(versions, version), "value")
                yield {"run": version, "topic": get_value(evaluation, "query"), "measure": measure, "value": value}


def _iter_evaluations(data: Item) -> Iterator[Item]:
    """Yield the evaluations of queries, at any depth."""
    if "query-evaluations" in data:
        yield from iter_objects(data, "query-evaluations")
    for key in ("corpora", "topics", "query-groups"):
        for inner in iter_objects(data, key) if key in data else ():
            yield from _iter_evaluations(inner)


# -- nuggetizer -----------------------------------------------------------------------------------


def read_nuggets(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the judgments of a retrieved document by nugget: 1 if it supports the nugget, else 0."""
    name, doc = get_value(data, "qid"), get_value(data, "docid")
    for nugget in iter_objects(data, "nuggets"):
        assignment = get_value(nugget, "assignment")
        if assignment not in ASSIGNMENTS:
            raise InputError(f"assignment {format_value(assignment)}", f"one of {', '.join(ASSIGNMENTS)}")
        level = int(assignment == ASSIGNMENTS[0])
        yield DocumentList({"topic": name, "intent": get_value(nugget, "text")}, [{"doc": doc, "level": level}])
