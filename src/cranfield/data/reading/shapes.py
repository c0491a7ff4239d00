"""Shapes of records in other tools, in JSON or in memory: the table `SHAPES`.

A shape is detected by the key that contains the documents. `objects` reads the records.

Sources of the shapes: RankLLM's ``Request`` and ``Result``, and the ``hits`` of its older
files (castorini/rank_llm); ragas' ``SingleTurnSample``; KILT's and DPR's README files, Pyserini's
runs for DPR; TREC RAG's answers of 2024 and 2025 (castorini/ragnarok); what
``sentence_transformers.util.semantic_search`` returns, and what its evaluators of retrieval write
as predictions; MTEB's ``*_predictions.json``. Golden lists have no specification: their keys are
common choices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import lru_cache
from itertools import chain
from typing import Any, TypeAlias

from cranfield.data.reading.columns import (
    SPELLINGS,
    VALUE,
    Kind,
    find_clicks,
    find_named_column,
    find_spelling,
    find_user_column,
    make_click_error,
    reject_other_kind,
    select_columns,
)
from cranfield.data.reading.lines import format_value, parse_identifier
from cranfield.data.reading.records import DEFAULT_OPTIONS, ReadOptions
from cranfield.data.reading.tables import is_numeric
from cranfield.dataclass import dataclass
from cranfield.errors import InputError

Cells: TypeAlias = dict[str, Any]
Item: TypeAlias = Mapping[Any, Any]  # a record
UserKeys: TypeAlias = tuple[tuple[str, str], ...]  # the user's keys by role
Lists: TypeAlias = Iterable[tuple[Any, Any]]  # topics (or NAMELESS) with their documents

TREC_ANSWERS = "TREC RAG answers"  # also RAGTIME
NAMELESS = object()  # the topic is in the record

# Keys in order of priority: ids of documents, ids of hits, names that can be texts.
TEXT_OR_ID = ("doc", "document", "item")
DOC_ID = (*(name for name in SPELLINGS["doc"] if name not in TEXT_OR_ID), "psg_id")
HIT = (*DOC_ID, "id", "_id", *TEXT_OR_ID)
_OF_HITS = {"qrels": ("doc", "level"), "run": ("doc", "score", "rank")}
GRADE = tuple(name for name in SPELLINGS["level"] if name != "score")

_SUFFIXES = ("", "_docs", "_documents", "_doc_ids", "_document_ids", "_chunks", "_chunk_ids",
           "_passages", "_passage_ids", "_context_ids", "_ids")  # fmt: skip
RELEVANT = (
    *(
        word + thing
        for word in ("relevant", "expected", "gold", "golden", "positive", "ground_truth")
        for thing in _SUFFIXES
        if thing or word in ("relevant", "positive", "gold")  # other words can mean expected answers
    ),
    "positives",
)
RETRIEVED = tuple(
    "retrieved" + thing
    for thing in _SUFFIXES
    if thing != "_context_ids"  # used by ragas
)
SHAPE = {
    "qrels": "{doc: level} or [doc, …]",
    "run": "{doc: score}, [doc, …] or [[doc, score], …]",
}


NO_LEVELS = "documents without a level have level 1"

# -- the documents of one topic -------------------------------------------------------------------


def is_list(docs: Any) -> bool:
    """Return True for a sequence, except text."""
    return isinstance(docs, Sequence) and not isinstance(docs, str | bytes)


def read_entries(docs: Any, kind: Kind, options: ReadOptions = DEFAULT_OPTIONS) -> list[Cells]:
    """Return the documents of a topic as cells, from ``{doc: value}`` or a list.

    `options` has the user's names of keys, and whether the order is declared to be the ranking. The
    rank of a document with a score is its position in the list, unless it has one.

    >>> read_entries([["d1", 0.5]], "run"), read_entries(["d1"], "qrels")
    ([{'doc': 'd1', 'score': 0.5, 'rank': 1}], [{'doc': 'd1', 'level': 1}])
    """
    if isinstance(docs, Mapping):
        return [{"doc": doc, VALUE[kind]: value} for doc, value in docs.items()]
    if isinstance(docs, Set):
        if kind == "run":
            raise InputError("a set", "a list (a run needs an order)")
        docs = sorted(docs, key=str)
    if not is_list(docs):
        raise InputError(type(docs).__name__, SHAPE[kind])
    user_keys = tuple(select_columns(options.columns, kind).items()) if options.columns else ()
    cells = [_read_entry(item, kind, user_keys) for item in docs]
    _reject_inconsistent(cells)
    if kind == "qrels" or not cells or "rank" in cells[0]:
        return cells
    if "score" in cells[0]:
        return [{**entry, "rank": place} for place, entry in enumerate(cells, 1)]
    if not options.ordered and isinstance(docs[0], Mapping):
        _reject_unknown_score(docs, user_keys)
    return cells


def _reject_inconsistent(cells: Sequence[Cells]) -> None:
    """Raise InputError if only some documents of a list have a value or a rank."""
    for entry in cells:
        if unlike := entry.keys() ^ cells[0].keys():
            key = min(unlike)
            actual = f"document {entry['doc']!r} {'with' if key in entry else 'without'} {key}"
            raise InputError(actual, "the same keys for all documents of a list")


def _reject_unknown_score(hits: Sequence[Item], user_keys: UserKeys) -> None:
    """Raise InputError if hits have no scores and ranks, but other numbers or levels."""
    keys, other_ids = _find_keys(tuple(hits[0]), "run", user_keys)

    def has_numbers(name: str) -> bool:
        cells = [hit.get(name) for hit in hits]
        return is_numeric(cells) and not any(isinstance(cell, bool) for cell in cells)

    names = [name for name in hits[0] if isinstance(name, str) and name not in other_ids]
    reject_other_kind(keys, names, "run", None, None, has_numbers)


def has_levels(docs: Any, options: ReadOptions = DEFAULT_OPTIONS) -> bool:
    """Return False for judged documents without levels. Their level is 1.

    >>> has_levels({"d1": 2}), has_levels([["d1", 2]]), has_levels(["d1"])
    (True, True, False)
    """
    if not (is_list(docs) or isinstance(docs, Set)) or not docs:
        return True
    first = next(iter(docs))
    if not isinstance(first, Mapping):
        return is_list(first)
    return "level" in select_columns(options.columns, "qrels") or find_spelling(GRADE, first) is not None


def describe_hits(docs: Any, kind: Kind, options: ReadOptions = DEFAULT_OPTIONS) -> str:
    """Describe decisions about documents with named keys: their order, and keys that are not read.

    >>> describe_hits([{"id": "d1", "title": "lamp"}], "run")
    'documents have no score or rank, the order of the list is the ranking'
    >>> describe_hits([{"id": "d1", "label": 1, "grade": 3}], "qrels")
    'the level is key label, not grade'
    """
    if not is_hit_list(docs):
        return ""
    user_keys = tuple(select_columns(options.columns, kind).items()) if options.columns else ()
    try:
        keys, other_ids = _find_keys(tuple(docs[0]), kind, user_keys)
    except InputError:
        return ""
    used = (*keys.values(), *other_ids)
    unused = [name for name in docs[0] if isinstance(name, str) and name not in used]
    notes = _note_other_keys(keys, unused, kind)
    if keys.keys().isdisjoint(("level", "score", "rank")):
        notes += _note_no_value(docs[0], unused, kind, options)
    return "; ".join(notes)


def _note_other_keys(keys: Mapping[str, Any], unused: Sequence[str], kind: Kind) -> list[str]:
    """Describe the keys of roles for which documents have several keys."""
    spellings = {"level": GRADE} if kind == "qrels" else {role: SPELLINGS[role] for role in ("score", "rank")}
    others = {
        role: [name for name in unused if find_spelling(words, [name]) is not None]
        for role, words in spellings.items()
        if role in keys
    }
    return [f"the {role} is key {keys[role]}, not {' or '.join(names)}" for role, names in others.items() if names]


def _note_no_value(hit: Item, unused: Sequence[str], kind: Kind, options: ReadOptions) -> list[str]:
    """Describe the documents of a run without scores and ranks, or numbers next to documents without levels."""
    if kind == "run":
        text = "documents have no score or rank, the order of the list is the ranking"
        return [] if options.ordered else [text]
    numbers = [name for name in unused if is_numeric([hit[name]]) and not isinstance(hit[name], bool)]
    return [f"key {name!r} has numbers and is not read" for name in numbers]


def _read_entry(item: Any, kind: Kind, user_keys: UserKeys) -> Cells:
    if isinstance(item, Mapping):
        return _read_hit(item, kind, user_keys)
    if not is_list(item):
        return {"doc": item} if kind == "run" else {"doc": item, "level": 1}
    if len(item) != 2:
        raise InputError(format_value(item), f"[doc, {VALUE[kind]}]")
    return {"doc": item[0], VALUE[kind]: item[1]}


def _read_hit(item: Item, kind: Kind, user_keys: UserKeys) -> Cells:
    """Read a document with named keys, such as ``{"docid": …, "score": …}``."""
    keys, other_ids = _find_keys(tuple(item), kind, user_keys)
    cells = {role: item[key] for role, key in keys.items()}
    for other_id in other_ids:
        if item[other_id] != cells["doc"]:
            raise InputError(f"a document with {keys['doc']} and {other_id}", "one id")
    if kind == "qrels" and "level" not in cells:
        if (clicks := find_clicks(map(str, item))) is not None:
            raise make_click_error(clicks)
        if "score" in item:  # a grade or a similarity
            raise InputError("a relevant document with a score", f"a {' or '.join(GRADE[:3])}")
        cells["level"] = 1
    return cells


@lru_cache(maxsize=64)
def _find_keys(names: tuple[Any, ...], kind: Kind, user_keys: UserKeys = ()) -> tuple[dict[str, Any], list[Any]]:
    """Return the keys of a document by role, and other keys that can be its id."""
    user_choices = {role: find_user_column(key, names) for role, key in user_keys if role in _OF_HITS[kind]}
    doc = user_choices.pop("doc", None) or find_spelling(HIT, names)
    if doc is None:
        actual = f"a document with {', '.join(map(str, names)) or 'no keys'}"
        raise InputError(actual, "its id as docid, doc_id or id")
    roles = {"level": GRADE} if kind == "qrels" else {n: SPELLINGS[n] for n in ("score", "rank")}
    matches = {role: find_spelling(spellings, names) for role, spellings in roles.items()}
    matches |= user_choices
    keys = {"doc": doc, **{role: name for role, name in matches.items() if name is not None}}
    return keys, [name for name in names if name != doc and find_spelling(DOC_ID, [name]) is not None]


# -- the table ------------------------------------------------------------------------------------


def _get_docs(record: Item, key: str) -> Lists:
    return [(NAMELESS, record[key])]


def _get_query_docs(record: Item, key: str) -> Lists:
    """Return a RankLLM list: the query is an object with the id."""
    query = record.get("query")
    return [(query.get("qid") if isinstance(query, Mapping) else NAMELESS, record[key])]


def _get_hits(record: Item, key: str) -> Lists:
    """Return an older list of Castorini: every hit has the id of the query."""
    qids = [hit.get("qid", NAMELESS) for hit in record[key] if isinstance(hit, Mapping)]
    if any(name != qids[0] for name in qids):
        raise InputError("hits with different qids", "the same qid in all hits of a query")
    return [(qids[0] if qids else NAMELESS, record[key])]


def _list_pages(output: Any) -> list[Any]:
    """Return the pages cited in a KILT output."""
    cited: Any = output.get("provenance", []) if isinstance(output, Mapping) else None
    if not is_list(cited) or not all(isinstance(x, Mapping) and "wikipedia_id" in x for x in cited):
        raise InputError("an output without pages", "provenance with a wikipedia_id each")
    return [page["wikipedia_id"] for page in cited]


def _list_gold_pages(record: Item, key: str) -> Lists:
    """Return the pages of all outputs, without duplicates."""
    pages = chain.from_iterable(map(_list_pages, record[key]))
    return [(NAMELESS, list({parse_identifier(page) or repr(page): page for page in pages}.values()))]


def _list_run_pages(record: Item, key: str) -> Lists:
    """Return the pages of the only output with provenance."""
    lists = [_list_pages(output) for output in record[key] if "provenance" in output]
    nonempty = [pages for pages in lists if pages]
    if not lists or len(nonempty) > 1:
        outputs = f"{len(nonempty)} outputs" if lists else "no output"
        raise InputError(f"provenance in {outputs}", "in one output (a run has one ranking per topic)")
    return [(NAMELESS, nonempty[0] if nonempty else [])]


def _list_positives(record: Item, key: str) -> Lists:
    """Return the positive passages of DPR, without the scores of the retriever."""
    items = [item if isinstance(item, Mapping) else {} for item in record[key]]
    return [(NAMELESS, [item[_find_keys(tuple(item), "qrels")[0]["doc"]] for item in items])]


def _list_predictions(record: Item, key: str) -> Lists:
    """Return the only list in MTEB's ``{subset: {split: {topic: {doc: score}}}}``."""
    parts = {
        f"{subset}/{split}": lists
        for subset, splits in record.items()
        if subset != key and isinstance(splits, Mapping)
        for split, lists in splits.items()
    }
    if len(parts) != 1:
        actual = f"predictions for {', '.join(parts) or 'no subset'}"
        raise InputError(actual, "predictions for one subset and split")
    ((name, lists),) = parts.items()
    if not isinstance(lists, Mapping):
        raise InputError(f"{type(lists).__name__} for {name}", "{topic: {doc: score}}")
    return lists.items()


def is_hit_list(docs: Any) -> bool:
    """Return True for a list of documents with named keys."""
    return is_list(docs) and bool(docs) and all(isinstance(hit, Mapping) for hit in docs)


def _get_model(record: Item) -> Any:
    meta = record["mteb_model_meta"]
    return meta.get("model_name") if isinstance(meta, Mapping) else None


def _get_run_id(record: Item) -> Any:
    return record.get("run_id", get_metadata(record).get("run_id"))


def get_metadata(record: Item) -> Item:
    """Return the metadata of TREC RAG answers of 2025, or an empty mapping."""
    metadata = record.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}


@dataclass(frozen=True)
class Shape:
    """A shape of records."""

    name: str  # in the output of `validate`
    kind: Kind
    keys: tuple[str, ...]  # one of these contains the documents
    lists: Callable[[Item, str], Lists] = _get_docs
    holds: Callable[[Any], bool] = is_list  # checks the documents
    tag: Callable[[Item], Any] = lambda record: None  # name of the run
    ranked: bool = False  # the order is the ranking, even with scores

    def find_key(self, record: Item) -> str | None:
        """Return the key that contains the documents, or None. Raise InputError for several."""
        keys = [k for k in self.keys if k in record and (record[k] is None or self.holds(record[k]))]
        if len(keys) > 1:
            raise InputError(f"{keys[0]} and {keys[1]}", "one list of documents")
        return keys[0] if keys else None


def _holds_docs(docs: Any) -> bool:
    return is_list(docs) or isinstance(docs, Set | Mapping)


SHAPES = (
    Shape("RankLLM run", "run", ("candidates",), _get_query_docs, ranked=True),
    Shape("castorini run", "run", ("hits",), _get_hits),
    Shape("ragas judgments", "qrels", ("reference_context_ids",)),
    Shape("ragas run", "run", ("retrieved_context_ids",)),
    Shape("KILT judgments", "qrels", ("output",), _list_gold_pages, is_hit_list),
    Shape("KILT run", "run", ("output",), _list_run_pages, is_hit_list),
    Shape("DPR judgments", "qrels", ("positive_ctxs",), _list_positives),
    Shape("DPR run", "run", ("ctxs",), holds=is_hit_list),
    Shape("DPR run of Pyserini", "run", ("contexts",), holds=is_hit_list),
    Shape(TREC_ANSWERS, "run", ("references",), tag=_get_run_id),
    Shape("sentence-transformers predictions", "run", ("results",), holds=is_hit_list),
    Shape("MTEB predictions", "run", ("mteb_model_meta",), _list_predictions,
          lambda meta: isinstance(meta, Mapping), tag=_get_model),
    Shape("golden judgments", "qrels", RELEVANT, holds=_holds_docs),
    Shape("retrieved lists", "run", RETRIEVED, holds=_holds_docs),
)  # fmt: skip


def find_user_shape(record: Any, kind: Kind | None, options: ReadOptions) -> Shape | None:
    """Return the shape of a record if it has the key that the user has chosen for the documents."""
    if kind is None or not options.columns or not isinstance(record, Mapping):
        return None
    key = find_named_column(select_columns(options.columns, kind).get("docs", ""), [*record])
    return None if key is None else Shape(f"lists under {key}", kind, (key,), holds=_holds_docs)


HITS = Shape("sentence-transformers hits", "run", ("hits",))  # not in a record
KEYS = frozenset(chain.from_iterable(shape.keys for shape in SHAPES))


def detect_shape(record: Any, kind: Kind | None) -> Shape | None:
    """Return the shape of a record, or None. Raise InputError for several or another kind."""
    if not isinstance(record, Mapping) or KEYS.isdisjoint(record):
        return None
    keys = {shape: key for shape in SHAPES if (key := shape.find_key(record)) is not None}
    matches = [shape for shape in keys if kind in (None, shape.kind)]
    if keys and not matches:
        mismatch = next(iter(keys))
        expected = "judgments" if kind == "qrels" else "a run"
        raise InputError(f"a record of {mismatch.name} (with {keys[mismatch]})", expected)
    if len(matches) > 1 and kind is not None:
        first, second = matches[:2]
        readings = f"{first.name} (with {keys[first]}) or {second.name} (with {keys[second]})"
        raise InputError(f"a record of {readings}", f"one: leave out {keys[first]} or {keys[second]}")
    return matches[0] if matches else None
