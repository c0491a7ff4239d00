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
from cranfield.wording import option

Use: TypeAlias = Literal["qrels", "run", "scores", "answers", "battles"]
USES: Mapping[Use, str] = {"qrels": "judgments", "run": "a run", "scores": "scores"}
ANY, ABSENT, OTHER_TYPE, PRESENT = "*", 0, 1, 2


@dataclass(frozen=True, eq=False)
class Signature:
    """One format of another tool.

    `reader` is what reads it, None if nothing does: then `advice` says what to do. It is `READ` if
    the usual readers of `kinds` understand it as it is.
    """

    name: str
    keys: tuple[str, ...]
    kinds: tuple[Use, ...] = ()  # what it could be used as
    advice: str = ""
    reader: Callable[..., Any] | None = None
    also: Callable[[Item], bool] = lambda record: True  # what else must hold

    @property
    def top(self) -> tuple[str, ...]:
        """The keys without those inside them."""
        return tuple(dict.fromkeys(_name(path.split(".")[0]) for path in self.keys))

    @property
    def names(self) -> tuple[str, ...]:
        """All keys, as messages name them."""
        parts = (_name(part).partition("=")[0] for path in self.keys for part in path.split("."))
        return tuple(dict.fromkeys(part for part in parts if part != ANY)) or ("…_score",)

    def matches(self, data: Item, where: str) -> bool:
        """Return True if all keys are there. Raise InputError if one holds another type."""
        if not all(key in data for key in self.top):
            return False
        found = {path: _look(data, path.split(".")) for path in self.keys}
        if ABSENT in found.values() or not self.also(data):
            return False
        for path, state in found.items():
            if state == OTHER_TYPE:
                problem = f"this looks like {self.name}, but key {_name(path)!r} is not a list"
                raise InputError.problem(problem, where=where)
        return True


def _look(value: Any, path: list[str]) -> int:
    """Return whether a path is there, and whether a list is at its end if there has to be one."""
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
    return max((_look(item, path[1:]) for item in inner), default=ABSENT)


def _name(key: str) -> str:
    return key.replace("[]", "")


def READ(data: Any) -> Any:
    """Mark formats that the usual readers understand."""
    return data


# -- conversions ----------------------------------------------------------------------------------


def _jq(program: str, *columns: str) -> str:
    """Return the command that makes a table with these columns."""
    header = ",".join(f'"{name}"' for name in columns)
    flags = "-rn" if program.startswith("inputs") else "-r"  # objects on lines are several inputs
    return f"Convert it with `jq {flags} '[{header}], ({program}) | @tsv' FILE`."


def _qrels(program: str) -> str:
    return _jq(program, "topic", "doc", "level")


def _run(program: str, *columns: str) -> str:
    return _jq(program, "topic", "doc", *(columns or ["score"]))


def _scores(program: str) -> str:
    return _jq(program, "topic", "measure", "value")


def _has_feedback(record: Item) -> bool:
    return any(str(key).startswith("feedback.") for key in record)


def _has_scored(record: Item) -> bool:
    return any(
        str(key).endswith("_score") and isinstance(value, Mapping) and {"score", "name"} <= {*value}
        for key, value in record.items()
    )


def _has_cutoffs(record: Item) -> bool:
    return all("@" in str(key) for key in record["ndcg"])


def _are_numbers(record: Item) -> bool:
    scores = record["scores"]
    return isinstance(scores, Mapping) and all(
        value is None or isinstance(value, int | float) for value in scores.values()
    )


UNDER_IDS = "Save each answer under its query's id, as {id: answer}"
ES_HITS = "to_entries[] | .key as $t | .value.hits.hits[] | [$t, ._id, ._score]"
SOLR = "to_entries[] | .key as $t | .value.response.docs[] | [$t, .id, .score]"
VESPA = (
    "to_entries[] | .key as $t | .value.root.children[]?"
    ' | [$t, (.id | sub("^id:[^:]*:[^:]*:[^:]*:"; "")), .relevance]'
)
PER_ITEM = "Export its scores as lines `run topic measure value`."

TABLE = (
    # Search engines and workbenches
    Signature("Elasticsearch or OpenSearch _rank_eval request", ("requests[].ratings",),
              ("qrels",), _qrels(".requests[] | .id as $t | .ratings[] | [$t, ._id, .rating]")),
    Signature("Elasticsearch or OpenSearch _rank_eval response", ("details.*.hits[].hit",),
              ("run",), _run(".details | to_entries[] | .key as $t | .value.hits[].hit"
                            " | [$t, ._id, ._score]")),
    Signature("OpenSearch workbench judgments", ("judgmentRatings[]",), ("qrels",),
              _qrels(".judgmentRatings[] | .query as $t | .ratings[] | [$t, .docId, .rating]")),
    Signature("OpenSearch workbench evaluation results", ("searchText", "documentIds"),
              ("run", "scores"), _run(".hits.hits[]._source | . as $x | .documentIds"
                                      " | to_entries[] | [$x.searchText, .value, .key + 1,"
                                      " $x.searchConfigurationId]", "rank", "run")),
    Signature("OpenSearch workbench query set", ("querySetQueries",), (),
              "It has queries and no judgments. Export the judgments."),
    Signature("Elasticsearch or OpenSearch _search response", ("hits.hits[]",), ("run",),
              f"{UNDER_IDS}. {_run(ES_HITS)}"),
    Signature("Elasticsearch or OpenSearch _msearch response", ("responses[].hits",), (),
              f"It has no query ids. {UNDER_IDS}."),
    Signature("Solr response", ("response.docs[]",), ("run",), f"{UNDER_IDS}. {_run(SOLR)}"),
    Signature("Vespa response", ("root.id=toplevel",), ("run",), f"{UNDER_IDS}. {_run(VESPA)}"),
    Signature("Quepid snapshot", ("docs", "queries[].query_text"), ("run",),
              "Export the snapshot as CSV and name its columns with --columns."),
    Signature("Quepid case", ("queries[].query_text", "queries[].ratings"), ("qrels",),
              _qrels(".queries[] | .query_text as $t | .ratings[] | select(.rating != null)"
                  " | [$t, .doc_id, .rating]")),
    Signature("Quepid ratings", ("queries[].query", "queries[].ratings"), ("qrels",),
              _qrels(".queries[] | .query as $t | .ratings | to_entries[] | [$t, .key, .value]")),
    Signature("Quepid's export for RRE", ("queries[].placeholders", "queries[].relevant_documents"),
              ("qrels",), _qrels('.queries[] | .placeholders["$query"] as $t | .relevant_documents'
                              " | to_entries[] | [$t, .key, .value.gain]")),
    Signature("RRE ratings", ("topics[].query_groups",), ("qrels",),
              _qrels(".topics[].query_groups[] | .name as $t | .relevant_documents | to_entries[]"
                  " | [$t, .key, .value.gain]")),
    Signature("RRE evaluation", ("corpora[].*",), ("run", "scores"), PER_ITEM),
    Signature("Quepid book", ("query_doc_pairs[]",), ("qrels",),
              "Export the book as CSV, and combine its judges with `cranfield assess`."),
    # Answers and scores
    Signature("DeepEval test run", ("testCases[].metricsData",), ("scores",),
              _scores(".testCases[] | .input as $t | .metricsData[] | [$t, .name, .score]")),
    Signature("DeepEval test run", ("testRunData.testCases",), ("scores",), PER_ITEM),
    Signature("promptfoo results", ("results.results[].testIdx",), ("scores",), PER_ITEM),
    Signature("promptfoo results", ("testIdx", "promptIdx"), ("scores",), PER_ITEM),
    Signature("inspect_ai log", ("eval", "samples[].scores"), ("scores",), PER_ITEM),
    Signature("lm-eval samples", ("doc_id", "doc", "resps"), ("scores",),
              _scores("inputs | . as $x | .metrics[] | [$x.doc_id, ., $x[.]]")),
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
    Signature("Braintrust results", ("input", "scores"), ("scores",), PER_ITEM, also=_are_numbers),
    Signature("Phoenix evaluations", (), ("scores",), PER_ITEM, also=_has_scored),
)  # fmt: skip
TOP = frozenset(key for signature in TABLE for key in signature.top)
RECORDS = tuple(signature for signature in TABLE if signature.keys)


def detect(data: Any, where: str = "") -> Signature | None:
    """Return the format of another tool that an object, or its first answer by id, has.

    >>> detect({"q1": {"hits": {"hits": []}}}).name
    'Elasticsearch or OpenSearch _search response'
    >>> detect({"q1": {"d1": 0.5}})
    """
    if not isinstance(data, Mapping):
        return None
    found = _detect(data, where)
    if found is None:
        first = next(iter(data.values()), None)
        found = _detect(first, where) if isinstance(first, Mapping) else None
    return found


def _detect(data: Item, where: str) -> Signature | None:
    if data.keys().isdisjoint(TOP):
        return None
    wrapped = _wrapped(data)
    inner = None if wrapped is None else detect_record(wrapped, where)
    return inner or next((one for one in RECORDS if one.matches(data, where)), None)


def detect_record(record: Any, where: str = "") -> Signature | None:
    """Return the format of another tool that a record of a list or a line has."""
    if not isinstance(record, Mapping):
        return None
    return next((one for one in TABLE if one.matches(record, where)), None)


def _wrapped(data: Item) -> Item | None:
    """Return what a search engine found first, if it returned its source."""
    if _look(data, ["hits", "hits[]", "_source"]) != PRESENT:
        return None
    source = next((hit["_source"] for hit in data["hits"]["hits"] if "_source" in hit), None)
    return source if isinstance(source, Mapping) else None


def refuse_foreign(found: Signature | None, use: Use, where: str, line: int | None = None) -> None:
    """Raise InputError if a format is not read, or not for this use."""
    if found is None or (found.reader is not None and use in found.kinds):
        return
    name = f"{found.name} (keys: {', '.join(found.names)})"
    problem = f"unsupported format: {name}"
    if use not in found.kinds:
        problem = f"found {name}, expected {USES[use]}"
    raise InputError.problem(problem, _fix(found), where, line)


def _fix(found: Signature) -> str:
    """Return what to do with a format that is not read."""
    if found.reader is None:
        return found.advice
    places: Mapping[Use, str] = {
        "qrels": "as judgments",
        "run": "as a run",
        "scores": f"with {option('--scores', 'cf.read_scores')}",
        "answers": "with `cranfield answers`",
        "battles": "with `cranfield battles`",
    }
    return f"Use it {places[found.kinds[0]]}."


def kind_of(found: Signature) -> Kind:
    """Return what `validate` takes a file of another tool for."""
    return "qrels" if "qrels" in found.kinds else "run"
