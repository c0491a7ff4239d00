"""Collections by their name: ``irds:DATASET`` is one of ir_datasets, which knows where it is.

cranfield itself fetches nothing. ir_datasets reads what it has on this machine, and fetches what it
has not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cranfield.data.reading.lines import finite
from cranfield.errors import CranfieldError, InputError, in_one_line
from cranfield.late import load

PREFIX = "irds:"


def is_named(data: Any) -> bool:
    """Whether this is the name of a collection, and not that of a file."""
    return isinstance(data, str) and data.startswith(PREFIX) and not os.path.exists(data)


# Fields of judgments that are not of documents, or not of all that there are.
OTHERS = {
    "subtopic_id": ("for subtopics", "measures of diversity take them, as does --intents"),
    "start": ("of passages", ""),
    "span_start": ("of passages", ""),
    "iprob": ("of a sample", ""),
}


def judgments(name: str, by_intent: bool) -> Iterator[tuple[Any, ...]]:
    """The judgments of a collection: topic, document and level; with intents, these come second."""
    dataset = _loaded(name, "qrels", "judgments")
    fields = ["query_id", *["subtopic_id"] * by_intent, "doc_id", "relevance"]
    with _providing(name):
        known = getattr(dataset.qrels_cls(), "_fields", ())
        for field in fields:
            if field not in known:
                raise InputError(f"judgments without {field}", ", ".join(fields), name)
        for field, (what, hint) in OTHERS.items():
            if field in known and field not in fields:
                raise InputError(f"judgments {what}", "those of documents", name, hint=hint)
        for judged in dataset.qrels_iter():
            *which, level = (getattr(judged, field) for field in fields)
            number = finite(level) if isinstance(level, str) else level
            yield *which, level if number is None else number


def results(name: str) -> Iterator[tuple[Any, ...]]:
    """The run that comes with a collection: topic, document and score."""
    dataset = _loaded(name, "scoreddocs", "run (scoreddocs)")
    with _providing(name):
        for found in dataset.scoreddocs_iter():
            yield found.query_id, found.doc_id, found.score


def texts(name: str) -> dict[str, str]:
    """The topics of a collection in words, none if it has none."""
    dataset = _loaded(name)
    with _providing(name):
        queries = dataset.queries_iter() if dataset.has_queries() else ()
        return {str(query.query_id): _words(query) for query in queries}


def _words(query: Any) -> str:
    """What a topic is called in short: its title, where it is longer."""
    return str(query.default_text() if hasattr(query, "default_text") else query[1])


def _loaded(name: str, holds: str = "", what: str = "") -> Any:
    """A collection that holds something."""
    ir_datasets = load("ir_datasets", f"{name} needs ir_datasets")
    called = name.removeprefix(PREFIX)
    with _providing(name):
        try:
            dataset = ir_datasets.load(called)
        except KeyError:
            raise InputError(f"data set {called!r}", _near(called, ir_datasets.registry)) from None
        if holds and not dataset.has(holds):
            raise InputError(f"no {what}", "a data set that has some", name)
    return dataset


def _near(called: str, known: Any) -> str:
    from difflib import get_close_matches

    near = get_close_matches(called, [*known], n=3, cutoff=0.6)
    return f"{' or '.join(near)}?" if near else "one that ir_datasets knows (`ir_datasets list`)"


@contextmanager
def _providing(name: str) -> Iterator[None]:
    """Where ir_datasets reads, and may have to fetch, what it was asked for."""
    try:
        yield
    except (CranfieldError, MemoryError):
        raise
    except Exception as error:
        raise CranfieldError(f"ir_datasets cannot provide {name}: {in_one_line(error)}") from None
