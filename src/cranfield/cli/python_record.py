"""Records of evaluations in Python: the command line of the same evaluation, or data in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

import cranfield
from cranfield.cli.main import compute_again
from cranfield.cli.record import shorten_path, to_json
from cranfield.data.files import InputLog, log_inputs
from cranfield.data.provenance import describe_file, describe_rows
from cranfield.data.qrels import Qrels, read_qrels
from cranfield.data.run_reader import read_runs
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import Evaluator
from cranfield.evaluation.options import OPTIONS, Options
from cranfield.measures.base import is_built_in
from cranfield.measures.grammar import parse_measures
from cranfield.records.content import describe_measure, describe_platform, describe_random, split_topics
from cranfield.records.record import Record
from cranfield.scores import Request, Scores

SKIPPED = ("threads", "block_cells", "progress")
DATA_OPTIONS = ("lengths", "costs", "intents", "verticals", "by", "queries")
READING = ("columns", "separator")


def record_scores(scores: Scores) -> Record:
    """Return the record of scores: evaluate again, and compare the values."""
    request = scores.request
    if request is None:
        fix = "Record the scores that cf.evaluate returned, before select or other changes."
        raise InputError.from_problem("these scores have no record", fix)
    words = _build_words(request)
    if words is None:
        record, again = _record_memory(request)
    else:
        recording = compute_again(words)
        record, again = recording.record, recording.result
    _check_same(scores, again)
    return record


def _check_same(scores: Scores, again: Scores) -> None:
    """Raise InputError if the inputs changed after the evaluation."""
    names = ("runs", "topics", "measures")
    is_same = all(getattr(scores, name) == getattr(again, name) for name in names)
    if not is_same or not np.array_equal(scores.values, again.values, equal_nan=True):
        raise InputError.from_problem("the inputs changed after the evaluation", "Evaluate again.")


# -- files: the command line ----------------------------------------------------------------------


def _build_words(request: Request) -> list[str] | None:
    """Return the words of the same command, or None for data in memory."""
    qrels, runs, measures = _to_word(request.qrels), _to_words(request.runs), _to_measure_words(request.measures)
    if qrels is None or runs is None or measures is None:
        return None
    words = ["evaluate", qrels, *runs, *(word for text in measures for word in ("-m", text))]
    for name, value in request.options.items():
        option_words = _build_option(name, value)
        if option_words is None:
            return None
        words += option_words
    return words


def _list_measures(measures: Any) -> list[Any]:
    """Return the requested measures, as text or as measures."""
    return [*measures] if isinstance(measures, list | tuple) else [measures]


def _to_word(value: Any) -> str | None:
    """Return the text of a path, or None for data in memory."""
    if not isinstance(value, str | os.PathLike):
        return None
    text = os.fspath(value)
    return None if not isinstance(text, str) or text.startswith("irds:") or text == "-" else text


def _to_words(values: Any) -> list[str] | None:
    words = [_to_word(value) for value in values] if isinstance(values, list | tuple) else [_to_word(values)]
    texts = [word for word in words if word is not None]
    return texts if texts and len(texts) == len(words) else None


def _to_measure_words(measures: Any) -> list[str] | None:
    """Return the measures as text."""
    if measures is None:
        return []
    is_built_in_only = all(is_built_in(type(m)) for m in parse_measures(measures))
    return [*map(str, _list_measures(measures))] if is_built_in_only else None


def _build_option(name: str, value: Any) -> list[str] | None:
    """Return the words of an option, none for a default, or None if it has no text."""
    row = OPTIONS.get(name)
    if row is None or name in SKIPPED or value in (None, False) or value is row.default:
        return []
    if not row.flags:
        return None
    if row.is_switch:
        return [row.flags[0]]
    values = value if isinstance(value, list | tuple) and row.repeat else [value]
    texts = [_to_option_text(name, x) for x in values]
    words = [f"{row.flags[0]}={text}" for text in texts if text is not None]
    return words if words and len(words) == len(values) else None


def _to_option_text(name: str, value: Any) -> str | None:
    """Return the text of a value, or None for data in memory."""
    if isinstance(value, os.PathLike):
        return f"{'@' if name == 'topics' else ''}{os.fspath(value)}"
    return str(value) if isinstance(value, str | int | float) else None


# -- data in memory -------------------------------------------------------------------------------


def _record_memory(request: Request) -> tuple[Record, Scores]:
    """Return the record of an evaluation that no command line repeats, and its scores."""
    with log_inputs() as log:
        evaluator = Evaluator(request.qrels, request.measures, **request.options)
        scores = evaluator(request.runs)
    inputs = [*_describe_inputs(request, evaluator.options, log)]
    options = _describe_options(evaluator.options)
    document = scores._build_document(per_topic=True)
    result, sidecar, table = split_topics(document)
    content = {
        "command": "evaluate",
        "cmd": None,
        "options": options,
        "measures": [describe_measure(m) for m in evaluator.measures],
        "inputs": inputs,
        "random": describe_random(document, options),
        "platform": describe_platform(cranfield.__version__, (entry["format"] for entry in inputs)),
        "result": result,
        **({} if sidecar is None else {"sidecar": sidecar}),
    }
    return Record.from_content(content, table), scores


def _describe_inputs(request: Request, options: Options, log: InputLog) -> Iterator[dict[str, Any]]:
    """Yield the inputs of an evaluation: files, and data in memory."""
    yield {"role": "qrels", **_describe_qrels(request.qrels, options, log)}
    runs = request.runs
    if isinstance(runs, str | os.PathLike):
        runs = [runs]
    if isinstance(runs, list | tuple) and runs and all(isinstance(run, str | os.PathLike) for run in runs):
        for path in map(os.fspath, runs):
            yield {"role": "run", "path": shorten_path(path), **describe_file(path, log)}
    else:
        read = read_runs(
            request.runs, run_names=options.run_names, separator=options.separator, columns=options.columns
        )
        for run in read:
            yield {"role": "run", "path": None, **describe_rows(run.to_dict())}
    for name in DATA_OPTIONS:
        value = request.options.get(name)
        for data in value if isinstance(value, list) else [] if value is None else [value]:
            yield {"role": name, **_describe_data(name, data, log)}


def _describe_qrels(qrels: Any, options: Options, log: InputLog) -> dict[str, Any]:
    if isinstance(qrels, str | os.PathLike) and os.path.isfile(qrels):
        return {"path": shorten_path(os.fspath(qrels)), **describe_file(os.fspath(qrels), log)}
    read = qrels
    if not isinstance(qrels, Qrels):
        read = read_qrels(qrels, separator=options.separator, labels=options.labels, columns=options.columns)
    return {"path": None, **describe_rows(read.to_dict())}


def _describe_data(name: str, data: Any, log: InputLog) -> dict[str, Any]:
    """Describe the data of an option, such as costs."""
    if isinstance(data, str | os.PathLike):
        path = os.fspath(data)
        file = path if os.path.isfile(path) else path.rpartition(":")[0]
        if os.path.isfile(file):
            return {"path": shorten_path(file), **describe_file(file, log)}
    if isinstance(data, Mapping):
        nested = data if all(isinstance(x, Mapping) for x in data.values()) else {"": data}
        try:
            return {"path": None, **describe_rows(nested)}
        except (TypeError, ValueError):
            pass
    raise InputError.from_problem(f"{name} in memory cannot be recorded", "Use a dict of numbers, or a file.")


def _describe_options(options: Options) -> dict[str, Any]:
    """Return all options that can change a number."""
    described = {
        name: to_json(getattr(options, name)) for name in OPTIONS if name not in (*SKIPPED, *DATA_OPTIONS, "cost_unit")
    }
    described["ties"] = described["ties"] or "trec"
    if options.task is not None:
        described["preset"] = {name: to_json(value) for name, value in sorted(vars(options.task).items())}
    return dict(sorted(described.items()))
