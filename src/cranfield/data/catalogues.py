"""Collections by name: ``irds:DATASET`` is a dataset of ir_datasets.

cranfield downloads nothing itself. ir_datasets reads local data and downloads the rest.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cranfield.data.reading.lines import parse_finite
from cranfield.errors import CranfieldError, InputError, format_error
from cranfield.lazy_imports import load

PREFIX = "irds:"


def is_catalogue_name(data: Any) -> bool:
    """Return True if a string names a collection and no file has that name."""
    return isinstance(data, str) and data.startswith(PREFIX) and not os.path.exists(data)


# Fields of judgments of passages, intents or samples: reason and hint.
UNSUPPORTED_FIELDS = {
    "subtopic_id": ("for subtopics", "use diversity measures or --intents"),
    "start": ("of passages", ""),
    "span_start": ("of passages", ""),
    "iprob": ("of a sample", ""),
}


def read_judgments(name: str, by_intent: bool) -> Iterator[tuple[Any, ...]]:
    """Yield topic, document and level. With `by_intent`, the intent is second."""
    dataset = _load_dataset(name, "qrels", "judgments")
    fields = ["query_id", *["subtopic_id"] * by_intent, "doc_id", "relevance"]
    with _wrap_errors(name):
        available = getattr(dataset.qrels_cls(), "_fields", ())
        for field in fields:
            if field not in available:
                raise InputError(f"judgments without {field}", ", ".join(fields), name)
        for field, (description, hint) in UNSUPPORTED_FIELDS.items():
            if field in available and field not in fields:
                raise InputError(f"judgments {description}", "judgments of documents", name, hint=hint)
        for judged in dataset.qrels_iter():
            *ids, level = (getattr(judged, field) for field in fields)
            number = parse_finite(level) if isinstance(level, str) else level
            yield *ids, level if number is None else number


def read_scores(name: str) -> Iterator[tuple[Any, ...]]:
    """Yield (topic, document, score) of the run that comes with a collection."""
    dataset = _load_dataset(name, "scoreddocs", "run (scoreddocs)")
    with _wrap_errors(name):
        for row in dataset.scoreddocs_iter():
            yield row.query_id, row.doc_id, row.score


def read_texts(name: str) -> dict[str, str]:
    """Return the query of each topic, or an empty dict if the collection has none."""
    dataset = _load_dataset(name)
    with _wrap_errors(name):
        queries = dataset.queries_iter() if dataset.has_queries() else ()
        return {str(query.query_id): _get_query_text(query) for query in queries}


def _get_query_text(query: Any) -> str:
    """Return the short text of a query: the title, if the query has several parts."""
    return str(query.default_text() if hasattr(query, "default_text") else query[1])


def _load_dataset(name: str, content: str = "", kind: str = "") -> Any:
    """Return a dataset. Raise InputError if it does not contain `content`."""
    ir_datasets = load("ir_datasets", f"{name} needs ir_datasets")
    dataset_id = name.removeprefix(PREFIX)
    with _wrap_errors(name):
        try:
            dataset = ir_datasets.load(dataset_id)
        except KeyError:
            problem = f"unknown dataset {dataset_id!r}"
            fix = _suggest_datasets(dataset_id, ir_datasets.registry)
            raise InputError.from_problem(problem, fix) from None
        if content and not dataset.has(content):
            raise InputError.from_problem(f"dataset has no {kind}", where=name)
    return dataset


def _suggest_datasets(dataset_id: str, datasets: Any) -> str:
    from difflib import get_close_matches

    matches = get_close_matches(dataset_id, [*datasets], n=3, cutoff=0.6)
    return f"Did you mean {' or '.join(matches)}?" if matches else "See `ir_datasets list`."


@contextmanager
def _wrap_errors(name: str) -> Iterator[None]:
    """Convert errors of ir_datasets, which may download data, to CranfieldError."""
    try:
        yield
    except (CranfieldError, MemoryError):
        raise
    except Exception as error:
        raise CranfieldError(f"ir_datasets cannot provide {name}: {format_error(error)}") from None
