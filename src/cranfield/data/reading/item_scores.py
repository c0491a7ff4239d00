"""Scores of items in files of tools for LLM applications.

Each function reads a record: the item is the topic, by its id if the tool has ids that all runs share,
otherwise by its text. A failed call of a judge is a missing score, never 0.

Sources of the shapes: DeepEval 4.3 (``test_run_*.json``), promptfoo 0.121 (results, version 3),
inspect_ai 0.3 (logs as JSON), lm-eval 0.4 and lmms-eval 0.7 (samples), LangSmith SDK 0.14, Phoenix
evals 3.9, Braintrust 0.48, Langfuse SDK 5.0, ragas 0.4 and open-rag-eval 0.3.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from cranfield.data.reading.columns import TOPICS, find_spelling, fold_name, is_row_number
from cranfield.data.reading.contents import (
    DETAILS,
    Content,
    Details,
    get_items,
    get_mapping,
    get_value,
    is_empty,
    iter_objects,
)
from cranfield.data.reading.lines import format_value, parse_finite
from cranfield.data.reading.records import Remark
from cranfield.data.reading.shapes import Item
from cranfield.errors import InputError

TEXTS = ("user_input", "input", "query", "question", "prompt")  # keys of the text of an item
TRUTH = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


def format_item(value: Any, key: str = "input") -> str:
    """Return the text of an item as the name of a topic, without line breaks. Raise InputError if empty.

    >>> format_item("red\\n shoes"), format_item({"b": 1, "a": "é"})
    ('red shoes', '{"a": "é", "b": 1}')
    """
    has_text = bool(value) if isinstance(value, str | Mapping | list) else parse_finite(value) is not None
    text = value if isinstance(value, str) else _to_json(value)
    if not has_text or not text.strip():
        raise InputError(f"{key} {format_value(value)}", "the text of an item")
    return " ".join(text.split())


def _to_json(value: Any) -> str:
    import json

    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def convert_score(value: Any) -> Any:
    """Return a score: truth values as numbers, NaN and empty texts as None.

    >>> [convert_score(x) for x in (True, "False", float("nan"), "", "0.5", "n/a")]
    [1.0, 0.0, None, None, '0.5', 'n/a']
    """
    if isinstance(value, bool):
        return float(value)
    if is_empty(value) or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str):
        text = value.strip().lower()
        return None if text == "nan" else TRUTH.get(text, value)
    return value


# -- DeepEval -------------------------------------------------------------------------------------


def read_deepeval(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the metrics of the test cases of DeepEval. Their names are counters, so the topic is the input."""
    run = get_mapping(data, "testRunData") if "testRunData" in data else data
    details = Details(text="input")
    conversations = run.get("conversationalTestCases")
    for _ in conversations if isinstance(conversations, list | tuple) else ():
        yield Remark("not read: only test cases with one turn are supported", "conversational test case")
    for case in iter_objects(run, "testCases"):
        item = format_item(get_value(case, "input"))
        if not case.get("metricsData"):
            yield Remark("without metrics: their scores are missing", "test case")
            continue
        for metric in iter_objects(case, "metricsData"):
            value = None if metric.get("error") else convert_score(metric.get("score"))
            yield {"run": run.get("identifier"), "topic": item, "measure": get_value(metric, "name"), "value": value,
                   DETAILS: details}  # fmt: skip


# -- promptfoo ------------------------------------------------------------------------------------

_ERROR = 2  # failureReason if the provider or an assertion failed to run


def read_promptfoo(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the scores in results of promptfoo."""
    for record in iter_objects(get_mapping(data, "results"), "results"):
        yield from read_promptfoo_record(record, topic)


def _get_name(data: Item, key: str, *inner_keys: str) -> str | None:
    """Return the name of a provider or prompt: a text, or the first text in an object. None if it is missing."""
    value = data.get(key)
    names = [value.get(inner) for inner in inner_keys] if isinstance(value, Mapping) else [value]
    name = next((name for name in names if not is_empty(name)), None)
    if name is not None and not isinstance(name, str):
        raise InputError(f"{key} {format_value(name)}", "a name")
    return name


def read_promptfoo_record(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the scores of a test. The topic is its variables: ``testIdx`` also counts repeats."""
    run, label = _get_name(data, "provider", "label", "id"), _get_name(data, "prompt", "label", "raw")
    variables = get_mapping(data, "vars")
    single = len(variables) == 1
    item = format_item(next(iter(variables.values())) if single else dict(variables), "vars")
    key = f"vars.{next(iter(variables))}" if single else "vars"
    cells = {"run": run, "topic": item, DETAILS: Details(prompt=str(label or ""), repeats=True, text=key)}
    if data.get("failureReason") == _ERROR or (data.get("failureReason") is None and data.get("error")):
        yield {**cells, "measure": "score", "value": None}
        return
    yield {**cells, "measure": "score", "value": convert_score(data.get("score"))}
    named = data.get("namedScores")
    for measure, value in named.items() if isinstance(named, Mapping) else ():
        if measure != "score":
            yield {**cells, "measure": measure, "value": convert_score(value)}


# -- inspect_ai -----------------------------------------------------------------------------------

_INSPECT_VERSION = 2
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # value_to_float: correct, partial, incorrect, no answer


def read_inspect(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the scores of the samples in a log of inspect_ai, with their epochs."""
    run = get_mapping(data, "eval").get("model")
    if data.get("version", _INSPECT_VERSION) != _INSPECT_VERSION:
        problem = f"version {format_value(data['version'])} of the log, expected {_INSPECT_VERSION}"
        raise InputError.from_problem(problem, "Convert it with `inspect log convert --to json`.")
    if data.get("status") not in (None, "success"):
        yield Remark(f"status {data['status']!r}: samples can be missing")
    for sample in iter_objects(data, "samples"):
        scores = sample.get("scores")
        if not scores:
            yield Remark("without scores: their scores are missing", "sample")
            continue
        item = sample.get("input")
        details = Details(item="" if item is None else format_item(item), is_column=True)
        cells = {"run": run, "topic": get_value(sample, "id"), "epoch": sample.get("epoch"), DETAILS: details}
        for measure, value in _iter_inspect_values(get_mapping(sample, "scores")):
            yield {**cells, "measure": measure, "value": value}


def _iter_inspect_values(scores: Item) -> Iterator[tuple[str, Any]]:
    """Yield (measure, value) of the scorers of a sample, and of the keys of their values."""
    for scorer in scores:
        value = get_value(get_mapping(scores, scorer), "value")
        if not isinstance(value, Mapping):
            yield scorer, _convert_grade(value)
            continue
        for key, inner in value.items():
            yield f"{scorer}.{key}", _convert_grade(inner)


def _convert_grade(value: Any) -> Any:
    return _GRADES[value] if isinstance(value, str) and value in _GRADES else convert_score(value)


# -- lm-eval and lmms-eval ------------------------------------------------------------------------

_LM_EVAL = frozenset((
    "doc_id", "doc", "target", "arguments", "input", "resps", "filtered_resps", "filter", "metrics",
    "doc_hash", "prompt_hash", "target_hash", "submission", "token_counts",
))  # fmt: skip


def read_lm_eval(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the metrics of a sample of lm-eval or lmms-eval."""
    doc_hash = data.get("doc_hash")
    listed = data.get("metrics") is not None
    names: Iterable[Any] = get_items(data, "metrics") if listed else (key for key in data if key not in _LM_EVAL)
    details = Details(item=str(doc_hash or ""), is_hash=True, filter=str(data.get("filter") or ""), is_column=True)
    if listed and not names:
        yield Remark("without metrics: their scores are missing", "sample")
    if listed:
        yield from _report_numbers(data, {*_LM_EVAL, *map(str, names)}, "not among the metrics")
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"metric {format_value(name)}", "the name of a key")
        value = convert_score(get_value(data, name))
        yield {"topic": get_value(data, "doc_id"), "measure": name, "value": value, DETAILS: details}


def _report_numbers(data: Item, known: Collection[str], reason: str) -> Iterator[Remark]:
    """Yield a remark for each key with a number that is no score."""
    for name, value in data.items():
        is_number = not isinstance(value, str | bool) and parse_finite(value) is not None
        if is_number and str(name) not in known and not is_row_number(str(name)):
            yield Remark(f"key {str(name)!r} has numbers and is not read: {reason}")


# -- tables ---------------------------------------------------------------------------------------

_RAGAS = frozenset((
    "user_input", "retrieved_contexts", "reference_contexts", "retrieved_context_ids",
    "reference_context_ids", "response", "multi_responses", "reference", "rubrics", "rubric", "persona_name",
    "query_style", "query_length", "reference_tool_calls", "reference_topics", "synthesizer_name",
))  # fmt: skip


def has_ragas_scores(record: Item) -> bool:
    """Return True if a record has other keys than a sample of ragas."""
    return any(key not in _RAGAS and not is_row_number(str(key)) for key in record)


def read_ragas(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the numeric columns of a result frame of ragas."""
    details = Details(text="user_input", is_column=True)
    cells = {"topic": format_item(data["user_input"], "user_input"), DETAILS: details}
    for name, value in data.items():
        if name not in _RAGAS and not is_row_number(str(name)):
            yield {**cells, "measure": name, "value": _convert_cell(value)}


_TIME = "execution_time"


def read_langsmith(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the feedback on an example. ``id`` is the id of the run, so the topic is ``example_id``."""
    inputs = {key: value for key, value in data.items() if str(key).startswith("inputs.")}
    details = Details(item=_to_json(inputs) if inputs else "", repeats=True)
    cells = {"topic": get_value(data, "example_id"), DETAILS: details}
    for name, value in data.items():
        if str(name).startswith("feedback."):
            yield {**cells, "measure": name, "value": convert_score(value)}
    if _TIME in data:
        optional = details._replace(is_optional=True)
        yield {**cells, "measure": _TIME, "value": convert_score(data[_TIME]), DETAILS: optional}


_PHOENIX = "_score"


def has_phoenix_scores(record: Item) -> bool:
    """Return True if a column ``NAME_score`` has objects with a name or a score."""
    return any(_parse_phoenix(name, value) is not None for name, value in record.items())


def _parse_phoenix(name: Any, value: Any) -> Item | None:
    """Return the object in a column ``NAME_score``, or None."""
    if not str(name).endswith(_PHOENIX):
        return None
    score = _parse_object(value) if isinstance(value, str) else value
    return score if isinstance(score, Mapping) and not {"score", "name"}.isdisjoint(score) else None


def _parse_object(text: str) -> Any:
    """Return the object that a cell contains as JSON or as Python prints it, or None."""
    if not text.lstrip().startswith("{"):
        return None
    import ast
    import json

    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
    return None


def read_phoenix(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the evaluations of a row of Phoenix. The topic is an id, or the text of the input."""
    names = [str(name) for name in data if not str(name).endswith(_PHOENIX)]
    key = find_spelling(("example_id", *TOPICS[: TOPICS.index("query")], "id", *TEXTS, "attributes.input.value"), names)
    if key is None:
        fix = "Add a column with the id of the item, such as example_id."
        raise InputError.from_problem(f"no column with the item among {', '.join(names) or '(none)'}", fix)
    text = key if fold_name(key) in {*map(fold_name, TEXTS), "attributes.input.value"} else ""
    cells = {"topic": format_item(data[key], key) if text else data[key], DETAILS: Details(text=text, repeats=True)}
    for name, value in data.items():
        if str(name).endswith(_PHOENIX):
            score = _parse_phoenix(name, value)
            if score is None and not is_empty(value):
                raise InputError(f"{name} {format_value(value)}", "an object with the keys name and score")
            number = None if score is None else convert_score(score.get("score"))
            yield {**cells, "measure": str(name).removesuffix(_PHOENIX), "value": number}


_NUMBERED_RUN = re.compile(r"run_(\d+)_(.+)")


def has_numbered_runs(record: Item) -> bool:
    """Return True if a record has columns such as ``run_1_generation_score_mean``."""
    return any(_NUMBERED_RUN.fullmatch(str(key)) for key in record)


def read_open_rag_eval(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the numbers of each repetition of open-rag-eval. Objects and lists are no measures."""
    details, topic = Details(is_column=True), get_value(data, "query_id")
    for name, value in data.items():
        if match := _NUMBERED_RUN.fullmatch(str(name)):
            cells = {"topic": topic, "measure": match[2], "repeat": match[1]}
            yield {**cells, "value": _convert_cell(value), DETAILS: details}


def _convert_cell(value: Any) -> Any:
    """Return a number, None for an empty cell or NaN, or another value, which is no score."""
    number = parse_finite(value)
    if number is not None:
        return number
    return None if convert_score(value) is None else value


# -- other ----------------------------------------------------------------------------------------


def read_braintrust_results(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the scores in the result of an evaluation of Braintrust."""
    summary = data.get("summary")
    name = summary.get("experimentName", summary.get("experiment_name")) if isinstance(summary, Mapping) else None
    for record in iter_objects(data, "results"):
        for content in read_braintrust(record, topic):
            yield {**content, "run": name} if isinstance(content, Mapping) else content


def read_braintrust(data: Item, topic: Any) -> Iterator[Content]:
    """Yield the scores of a row of Braintrust. ``id`` is the id of the row, so the topic is the input."""
    cells = {"topic": format_item(get_value(data, "input")), DETAILS: Details(text="input", repeats=True)}
    if not data.get("scores"):
        yield Remark("without scores: their scores are missing", "row")
        return
    for name, value in get_mapping(data, "scores").items():
        yield {**cells, "measure": name, "value": convert_score(value)}


def read_langfuse(data: Item, topic: Any) -> Iterator[Content]:
    """Yield a score of a trace. Texts and categories are no scores."""
    if data["dataType"] in ("NUMERIC", "BOOLEAN"):
        cells = {"topic": data["traceId"], "measure": data["name"], DETAILS: Details(is_trace=True)}
        yield {**cells, "value": convert_score(data["value"])}
    else:
        yield Remark("not read: they are categories or texts", "score")
