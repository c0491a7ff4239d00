"""Conversion of tables and runs of other libraries.

The libraries are not imported: objects are detected by the module of their class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from cranfield.data.reading.binary import read_arrow
from cranfield.data.reading.columns import SPELLINGS, Kind, is_header
from cranfield.errors import InputError
from cranfield.lazy_imports import pl
from cranfield.wording import format_count

FRAMES = ("DataFrame", "LazyFrame")
COLUMN_NAMES = {name for names in SPELLINGS.values() for name in names}
WORDS: dict[Kind, str] = {"qrels": "judgments", "run": "a run"}


def get_library(data: Any) -> str:
    """Return the name of the package that defines the class of an object."""
    return type(data).__module__.partition(".")[0]


# -- tables ---------------------------------------------------------------------------------------


def is_table(data: Any) -> bool:
    """Return True for an Arrow table, a structured array, or a pandas Series with two index levels.

    Every object with Arrow's C interface and a schema is a table, such as a DuckDB relation, and data
    sets of Hugging Face.
    """
    origin = get_library(data)
    if origin == "datasets":
        return hasattr(data, "with_format")
    if origin in ("builtins", "polars", "pyspark"):
        return False
    if origin == "pandas":
        return type(data).__name__ == "Series" and data.index.nlevels > 1
    if isinstance(data, np.ndarray):
        return data.dtype.names is not None
    if not hasattr(data, "schema") and not hasattr(data, "columns"):
        return False  # an Arrow array is a column
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")


def to_frame(data: Any, location: str, value: str = "value") -> Any:
    """Convert a table to a Polars or pandas frame. Frames keep their kind.

    Named levels of a pandas index become columns. `value` is the name of the values of a Series.
    """
    origin = get_library(data)
    if origin == "pandas":
        return _reset_index(data, location, value)
    if isinstance(data, np.ndarray):
        names = data.dtype.names or ()
        return pl.DataFrame({name: data[name].tolist() for name in names}, strict=False)
    if origin == "datasets":
        return _read_data_set(data, location)
    if not is_table(data):
        return data
    return read_arrow(data, location)


def _read_data_set(data: Any, location: str) -> Any:
    """Convert a data set of Hugging Face, but not several splits."""
    if isinstance(data, dict):
        problem = f"{format_count(len(data), 'split')} of a data set ({', '.join(data)})"
        fix = f"Pass one of them, such as data[{next(iter(data))!r}]." if data else ""
        raise InputError.from_problem(problem, fix, location)
    if hasattr(data, "__len__"):
        return read_arrow(data.with_format("arrow")[:], location)
    return pl.DataFrame(list(data), infer_schema_length=None, strict=False)  # an iterable data set


def _reset_index(data: Any, location: str, value: str) -> Any:
    if type(data).__name__ == "Series":
        name = str(data.name)
        data = data.to_frame(name if name.lower() in COLUMN_NAMES else value)
    names = list(data.index.names)
    if names == [None, None]:  # as in tuples: topic, doc, value
        names = ["topic", "doc"]
    elif data.index.nlevels > 1 and None in names:
        fix = 'Name them, such as data.index.names = ["tag", "topic", "doc"].'
        raise InputError.from_problem(f"index of {len(names)} levels without names", fix, location)
    added = [i for i, name in enumerate(names) if name is not None and name not in data.columns]
    if not added:
        return data
    return data.rename_axis(index=names).reset_index(level=added)


# -- judgments and runs ---------------------------------------------------------------------------


def is_ranx(data: Any) -> bool:
    """Return True for a Qrels or a Run of ranx."""
    return get_library(data) == "ranx" and type(data).__name__ in ("Qrels", "Run")


def to_score_mapping(data: Any) -> Any:
    """Return ``{run: {topic: {measure: score}}}`` of a Run of ranx that was evaluated. Return other data unchanged."""
    if get_library(data) != "ranx":
        return data
    noun = f"ranx {type(data).__name__}"
    if not is_ranx(data) or type(data).__name__ != "Run" or not data.scores:
        problem = f"{noun} without scores of topics"
        raise InputError.from_problem(problem, "Call ranx.evaluate(qrels, run, metrics), and pass the run.", "scores")
    topics: dict[str, dict[str, float]] = {}
    for measure, by_topic in data.scores.items():
        for topic, score in by_topic.items():
            topics.setdefault(topic, {})[measure] = float(score)
    return {data.name or "run": topics}


def to_records(data: Any, is_header: Callable[[Sequence[str]], bool]) -> Any:
    """Return columns of equal length, or named tuples, as a list of records. Return other data unchanged.

    `is_header` returns True for known column names. The order of fields in named tuples can differ
    from the order in plain tuples.

    >>> to_records({"qid": ["q1", "q2"], "level": [1, 0]}, lambda names: True)
    [{'qid': 'q1', 'level': 1}, {'qid': 'q2', 'level': 0}]
    """
    if isinstance(data, Mapping):
        columns = list(data.values())
        is_table = len(columns) > 1 and all(_is_column(column) for column in columns)
        if not is_table or len({*map(len, columns)}) > 1 or not is_header([*map(str, data)]):
            return data
        return [dict(zip(data, row, strict=True)) for row in zip(*columns, strict=True)]
    if isinstance(data, list | tuple) and data and is_header(getattr(data[0], "_fields", ())):
        return [_read_fields(row) if hasattr(row, "_asdict") else row for row in data]
    return data


def _is_column(values: Any) -> bool:
    """Return True for a sequence of values that are not sequences."""
    is_sequence = isinstance(values, list | tuple | np.ndarray) and len(values) > 0
    return is_sequence and not any(isinstance(value, list | tuple | Mapping) for value in values)


def _read_fields(row: Any) -> dict[str, Any]:
    """Return the fields of a named tuple. Measures of ir_measures become names."""
    return {name: str(x) if get_library(x) == "ir_measures" else x for name, x in row._asdict().items()}


def to_plain(data: Any, kind: Kind, location: str) -> Any:
    """Convert judgments or a run of another library to a mapping or rows."""
    if is_ranx(data):
        if type(data).__name__.lower() != kind:
            problem = f"found a ranx {type(data).__name__}, expected {WORDS[kind]}"
            raise InputError.from_problem(problem, "Judgments come first, then runs.", location)
        return data.to_dict()
    if isinstance(data, Iterator) and not is_table(data):
        data = list(data)
    if has_rows(data):
        return data.tolist()
    return to_records(data, lambda names: is_header([*names]))


def has_rows(data: Any) -> bool:
    """Return True for an array with rows of topic, document and value."""
    return isinstance(data, np.ndarray) and data.ndim == 2 and data.dtype.kind in "OUS"


def reject_numbers(data: Any, location: str = "qrels") -> None:
    """Raise an error if judgments are numbers without topics and documents."""
    first = data[:1] if isinstance(data, list | tuple) else data
    if isinstance(data, list | tuple) or hasattr(data, "__array__"):
        numbers = np.asarray(first) if len(data) else np.empty(0, dtype=object)
        if numbers.dtype.kind in "biuf":
            fix = "For arrays, use cf.evaluate_arrays(y_true, y_score, group)."
            raise InputError.from_problem("numbers without topics and documents", fix, location)


# -- partitions of Spark --------------------------------------------------------------------------


def read_partition_values(rows: Any) -> dict[str, set[str]]:
    """Return the values of partitions, as written in the names of directories."""
    from urllib.parse import unquote

    values: dict[str, set[str]] = {}
    for directory in {file.rpartition("/")[0] for file in rows.inputFiles()}:
        for part in unquote(directory).split("/"):
            name, equals, value = map(unquote, part.partition("="))  # Spark escapes both
            if equals:
                values.setdefault(name, set()).add(value)
    return values


def reject_parsed_ids(rows: Any, columns: Iterable[str], location: str) -> None:
    """Raise InputError if Spark has parsed ids in partitions: ``007`` and ``7`` became one id."""
    types = dict(rows.dtypes)
    parsed = [name for name in columns if types[name] != "string"]
    values = read_partition_values(rows) if parsed else {}
    for name in parsed:
        for value in sorted(values.get(name, ())):
            if _format_number(value) not in (value, None):
                problem = f"Spark has parsed partition {name}={value} as {types[name]}"
                fix = "Pass the path instead of the DataFrame to keep ids as they are."
                raise InputError.from_problem(problem, fix, location)


def _format_number(value: str) -> str | None:
    """Return the number in a text as Python prints it, None if it is not a number.

    >>> _format_number("007"), _format_number("1.10"), _format_number("12"), _format_number("q1")
    ('7', '1.1', '12', None)
    """
    for kind in (int, float):
        with suppress(ValueError):
            return str(kind(value))
    return None
