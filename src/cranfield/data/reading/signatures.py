"""Files of other tools, detected by their keys: one table, tried before ``{topic: {doc: number}}``.

A row without a reader is rejected: the error names the tool, the keys and a command that converts
the file. A path such as ``requests[].ratings`` means an object under ``requests`` in a list, which
has the key ``ratings``; ``*`` is any key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from cranfield.data.reading.columns import Kind
from cranfield.data.reading.shapes import Item, is_list
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import format_option

Use: TypeAlias = Literal["qrels", "run", "scores", "answers", "battles"]
USES: Mapping[Use, str] = {"qrels": "judgments", "run": "a run", "scores": "scores"}
ANY, ABSENT, OTHER_TYPE, PRESENT = "*", 0, 1, 2


@dataclass(frozen=True, eq=False)
class Signature:
    """A format of another tool.

    `reader` is None if the format is not supported: `advice` is then the fix. It is `READ` if the
    normal readers of `kinds` support the format.
    """

    name: str
    keys: tuple[str, ...]
    kinds: tuple[Use, ...] = ()  # possible uses
    advice: str = ""
    reader: Callable[..., Any] | None = None
    also: Callable[[Item], bool] = lambda record: True  # further condition

    @property
    def top(self) -> tuple[str, ...]:
        """The keys without those inside them."""
        return tuple(dict.fromkeys(_name(path.split(".")[0]) for path in self.keys))

    @property
    def names(self) -> tuple[str, ...]:
        """All keys, for messages."""
        parts = (_name(part).partition("=")[0] for path in self.keys for part in path.split("."))
        return tuple(dict.fromkeys(part for part in parts if part != ANY)) or ("…_score",)

    def matches(self, data: Item, location: str) -> bool:
        """Return True if the data have all keys. Raise InputError if a key has another type."""
        if not all(key in data for key in self.top):
            return False
        states = {path: _inspect_path(data, path.split(".")) for path in self.keys}
        if ABSENT in states.values() or not self.also(data):
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


def READ(data: Any) -> Any:
    """Mark formats that the normal readers support."""
    return data


# -- conversions ----------------------------------------------------------------------------------


def _build_jq(program: str, *columns: str) -> str:
    """Return the command that converts a file to a table with these columns."""
    header = ",".join(f'"{name}"' for name in columns)
    flags = "-rn" if program.startswith("inputs") else "-r"  # for several objects on lines
    return f"Convert it with `jq {flags} '[{header}], ({program}) | @tsv' FILE`."


def _to_qrels(program: str) -> str:
    return _build_jq(program, "topic", "doc", "level")


def _to_run(program: str, *columns: str) -> str:
    return _build_jq(program, "topic", "doc", *(columns or ["score"]))


def _to_scores(program: str) -> str:
    return _build_jq(program, "topic", "measure", "value")


def _has_feedback(record: Item) -> bool:
    return any(str(key).startswith("feedback.") for key in record)


def _has_scored(record: Item) -> bool:
    return any(
        str(key).endswith("_score") and isinstance(value, Mapping) and {"score", "name"} <= {*value}
        for key, value in record.items()
    )


def _has_cutoffs(record: Item) -> bool:
    return all("@" in str(key) for key in record["ndcg"])


def _has_numeric_scores(record: Item) -> bool:
    scores = record["scores"]
    return isinstance(scores, Mapping) and all(
        value is None or isinstance(value, int | float) for value in scores.values()
    )


UNDER_IDS = "Save each answer under its query's id, as {id: answer}"
ES_HITS = "to_entries[] | .key as $t | .value.hits.hits[] | [$t, ._id, ._score]"
SOLR = "to_entries[] | .key as $t | .value.response.docs[] | [$t, .id, .score]"
VESPA = (
    'to_entries[] | .key as $t | .value.root.children[]? | [$t, (.id | sub("^id:[^:]*:[^:]*:[^:]*:"; "")), .relevance]'
)
PER_ITEM = "Export its scores as lines `run topic measure value`."

TABLE = (
    # Search engines and workbenches
    Signature("Elasticsearch or OpenSearch _rank_eval request", ("requests[].ratings",),
              ("qrels",), _to_qrels(".requests[] | .id as $t | .ratings[] | [$t, ._id, .rating]")),
    Signature("Elasticsearch or OpenSearch _rank_eval response", ("details.*.hits[].hit",),
              ("run",), _to_run(".details | to_entries[] | .key as $t | .value.hits[].hit"
                            " | [$t, ._id, ._score]")),
    Signature("OpenSearch workbench judgments", ("judgmentRatings[]",), ("qrels",),
              _to_qrels(".judgmentRatings[] | .query as $t | .ratings[] | [$t, .docId, .rating]")),
    Signature("OpenSearch workbench evaluation results", ("searchText", "documentIds"),
              ("run", "scores"), _to_run(".hits.hits[]._source | . as $x | .documentIds"
                                      " | to_entries[] | [$x.searchText, .value, .key + 1,"
                                      " $x.searchConfigurationId]", "rank", "run")),
    Signature("OpenSearch workbench query set", ("querySetQueries",), (),
              "It has queries and no judgments. Export the judgments."),
    Signature("Elasticsearch or OpenSearch _search response", ("hits.hits[]",), ("run",),
              f"{UNDER_IDS}. {_to_run(ES_HITS)}"),
    Signature("Elasticsearch or OpenSearch _msearch response", ("responses[].hits",), (),
              f"It has no query ids. {UNDER_IDS}."),
    Signature("Solr response", ("response.docs[]",), ("run",), f"{UNDER_IDS}. {_to_run(SOLR)}"),
    Signature("Vespa response", ("root.id=toplevel",), ("run",), f"{UNDER_IDS}. {_to_run(VESPA)}"),
    Signature("Quepid snapshot", ("docs", "queries[].query_text"), ("run",),
              "Export the snapshot as CSV and name its columns with --columns."),
    Signature("Quepid case", ("queries[].query_text", "queries[].ratings"), ("qrels",),
              _to_qrels(".queries[] | .query_text as $t | .ratings[] | select(.rating != null)"
                  " | [$t, .doc_id, .rating]")),
    Signature("Quepid ratings", ("queries[].query", "queries[].ratings"), ("qrels",),
              _to_qrels(".queries[] | .query as $t | .ratings | to_entries[]"
                        " | [$t, .key, .value]")),
    Signature("Quepid's export for RRE", ("queries[].placeholders", "queries[].relevant_documents"),
              ("qrels",),
              _to_qrels('.queries[] | .placeholders["$query"] as $t | .relevant_documents'
                              " | to_entries[] | [$t, .key, .value.gain]")),
    Signature("RRE ratings", ("topics[].query_groups",), ("qrels",),
              _to_qrels(".topics[].query_groups[] | .name as $t | .relevant_documents"
                        " | to_entries[] | [$t, .key, .value.gain]")),
    Signature("RRE evaluation", ("corpora[].*",), ("run", "scores"), PER_ITEM),
    Signature("Quepid book", ("query_doc_pairs[]",), ("qrels",),
              "Export the book as CSV, and combine its judges with `cranfield assess`."),
    # Answers and scores
    Signature("DeepEval test run", ("testCases[].metricsData",), ("scores",),
              _to_scores(".testCases[] | .input as $t | .metricsData[] | [$t, .name, .score]")),
    Signature("DeepEval test run", ("testRunData.testCases",), ("scores",), PER_ITEM),
    Signature("promptfoo results", ("results.results[].testIdx",), ("scores",), PER_ITEM),
    Signature("promptfoo results", ("testIdx", "promptIdx"), ("scores",), PER_ITEM),
    Signature("inspect_ai log", ("eval", "samples[].scores"), ("scores",), PER_ITEM),
    Signature("lm-eval samples", ("doc_id", "doc", "resps"), ("scores",),
              _to_scores("inputs | . as $x | .metrics[] | [$x.doc_id, ., $x[.]]")),
    Signature("LangSmith results", ("example_id",), ("scores",), PER_ITEM, also=_has_feedback),
    Signature("Langfuse scores", ("traceId", "name", "value", "dataType"), (),
              "A trace is one answer, not an item: join the scores to the items of the data set."),
    Signature("autojudge scores", ("run_id", "topic_id", "measure", "value"), ("scores",), "",
              READ),
    Signature("nuggetizer metrics", ("qid", "strict_vital_score"), ("scores",), "", READ),
    Signature("nuggetizer assignments of answers", ("qid", "run_id", "nuggets[].assignment"),
              ("answers",), "", READ),
    Signature("nuggetizer assignments of documents", ("qid", "docid", "nuggets[].assignment"), (),
              "Assign nuggets to answers, and score these with `cranfield answers`."),
    Signature("MTEB result", ("task_name", "scores.*[].main_score"), (),
              "It has means and no topics. Evaluate with prediction_folder, and pass predictions."),
    Signature("MTEB predictions", ("mteb_model_meta",), ("run",), "", READ),
    Signature("BEIR results of save_results", ("ndcg.*", "map.*", "recall.*", "precision.*"), (),
              "It has means and no topics. Save the run, {topic: {doc: score}}.",
              also=_has_cutoffs),
    Signature("battles of an arena", ("model_a", "model_b", "winner"), ("battles",), "", READ),
    Signature("Braintrust results", ("input", "scores"), ("scores",), PER_ITEM,
              also=_has_numeric_scores),
    Signature("Phoenix evaluations", (), ("scores",), PER_ITEM, also=_has_scored),
)  # fmt: skip
TOP = frozenset(key for signature in TABLE for key in signature.top)
RECORDS = tuple(signature for signature in TABLE if signature.keys)


def detect(data: Any, location: str = "") -> Signature | None:
    """Return the format of another tool that an object, or its first answer by id, has.

    >>> detect({"q1": {"hits": {"hits": []}}}).name
    'Elasticsearch or OpenSearch _search response'
    >>> detect({"q1": {"d1": 0.5}})
    """
    if not isinstance(data, Mapping):
        return None
    signature = _detect(data, location)
    if signature is None:
        first = next(iter(data.values()), None)
        signature = _detect(first, location) if isinstance(first, Mapping) else None
    return signature


def _detect(data: Item, location: str) -> Signature | None:
    if data.keys().isdisjoint(TOP):
        return None
    wrapped = _unwrap_source(data)
    inner = None if wrapped is None else detect_record(wrapped, location)
    return inner or next((signature for signature in RECORDS if signature.matches(data, location)), None)


def detect_record(record: Any, location: str = "") -> Signature | None:
    """Return the format of another tool that a record of a list or a line has."""
    if not isinstance(record, Mapping):
        return None
    return next((signature for signature in TABLE if signature.matches(record, location)), None)


def _unwrap_source(data: Item) -> Item | None:
    """Return the first hit of a search engine if the response has the source."""
    if _inspect_path(data, ["hits", "hits[]", "_source"]) != PRESENT:
        return None
    source = next((hit["_source"] for hit in data["hits"]["hits"] if "_source" in hit), None)
    return source if isinstance(source, Mapping) else None


def reject_foreign(signature: Signature | None, use: Use, location: str, line: int | None = None) -> None:
    """Raise InputError if a format is not supported, or not for this use."""
    if signature is None or (signature.reader is not None and use in signature.kinds):
        return
    name = f"{signature.name} (keys: {', '.join(signature.names)})"
    problem = f"unsupported format: {name}"
    if use not in signature.kinds:
        problem = f"found {name}, expected {USES[use]}"
    raise InputError.from_problem(problem, _describe_fix(signature), location, line)


def _describe_fix(signature: Signature) -> str:
    """Return the fix for an unsupported format or use."""
    if signature.reader is None:
        return signature.advice
    places: Mapping[Use, str] = {
        "qrels": "as judgments",
        "run": "as a run",
        "scores": f"with {format_option('--scores', 'cf.read_scores')}",
        "answers": "with `cranfield answers`",
        "battles": "with `cranfield battles`",
    }
    return f"Use it {places[signature.kinds[0]]}."


def get_kind(signature: Signature) -> Kind:
    """Return the kind that `validate` uses for a file of another tool."""
    return "qrels" if "qrels" in signature.kinds else "run"
