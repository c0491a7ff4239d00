"""Collections by their name: ``irds:DATASET`` is one of ir_datasets, which knows where it is.

cranfield itself fetches nothing. ir_datasets reads what it has on this machine, and fetches what it
has not.
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
    """Whether this is the name of a collection, and not that of a file."""
    return isinstance(data, str) and data.startswith(PREFIX) and not os.path.exists(data)


# Fields of judgments that are not of documents, or not of all that there are.
UNSUPPORTED_FIELDS = {
    "subtopic_id": ("for subtopics", "measures of diversity take them, as does --intents"),
    "start": ("of passages", ""),
    "span_start": ("of passages", ""),
    "iprob": ("of a sample", ""),
}


def read_judgments(name: str, by_intent: bool) -> Iterator[tuple[Any, ...]]:
    """The judgments of a collection: topic, document and level; with intents, these come second."""
    dataset = _load_dataset(name, "qrels", "judgments")
    fields = ["query_id", *["subtopic_id"] * by_intent, "doc_id", "relevance"]
    with _wrap_errors(name):
        available = getattr(dataset.qrels_cls(), "_fields", ())
        for field in fields:
            if field not in available:
                raise InputError(f"judgments without {field}", ", ".join(fields), name)
        for field, (description, hint) in UNSUPPORTED_FIELDS.items():
            if field in available and field not in fields:
                raise InputError(f"judgments {description}", "those of documents", name, hint=hint)
        for judged in dataset.qrels_iter():
            *ids, level = (getattr(judged, field) for field in fields)
            number = parse_finite(level) if isinstance(level, str) else level
            yield *ids, level if number is None else number


def read_scores(name: str) -> Iterator[tuple[Any, ...]]:
    """The run that comes with a collection: topic, document and score."""
    dataset = _load_dataset(name, "scoreddocs", "run (scoreddocs)")
    with _wrap_errors(name):
        for row in dataset.scoreddocs_iter():
            yield row.query_id, row.doc_id, row.score


def read_texts(name: str) -> dict[str, str]:
    """The topics of a collection in words, none if it has none."""
    dataset = _load_dataset(name)
    with _wrap_errors(name):
        queries = dataset.queries_iter() if dataset.has_queries() else ()
        return {str(query.query_id): _get_query_text(query) for query in queries}


def _get_query_text(query: Any) -> str:
    """What a topic is called in short: its title, where it is longer."""
    return str(query.default_text() if hasattr(query, "default_text") else query[1])


def _load_dataset(name: str, content: str = "", kind: str = "") -> Any:
    """A collection that holds something."""
    ir_datasets = load("ir_datasets", f"{name} needs ir_datasets")
    dataset_id = name.removeprefix(PREFIX)
    with _wrap_errors(name):
        try:
            dataset = ir_datasets.load(dataset_id)
        except KeyError:
            raise InputError(
                f"data set {dataset_id!r}", _suggest_datasets(dataset_id, ir_datasets.registry)
            ) from None
        if content and not dataset.has(content):
            raise InputError(f"no {kind}", "a data set that has some", name)
    return dataset


def _suggest_datasets(dataset_id: str, datasets: Any) -> str:
    from difflib import get_close_matches

    matches = get_close_matches(dataset_id, [*datasets], n=3, cutoff=0.6)
    return (
        f"{' or '.join(matches)}?" if matches else "one that ir_datasets knows (`ir_datasets list`)"
    )


@contextmanager
def _wrap_errors(name: str) -> Iterator[None]:
    """Where ir_datasets reads, and may have to fetch, what it was asked for."""
    try:
        yield
    except (CranfieldError, MemoryError):
        raise
    except Exception as error:
        raise CranfieldError(f"ir_datasets cannot provide {name}: {format_error(error)}") from None
