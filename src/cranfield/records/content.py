"""Content of records: measures with parameters, random numbers, versions, and values in a sidecar file."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from cranfield.data.files import read_bytes
from cranfield.errors import CranfieldError, InputError
from cranfield.kernel import KERNEL
from cranfield.lazy_imports import pl
from cranfield.measures.base import Measure
from cranfield.measures.grammar import parse_measure
from cranfield.measures.parameters import format_value
from cranfield.records.record import DEFAULT_NAME, Record, encode_numbers, name_sidecar

LARGEST = 10_000
"""Number of topic values in a record. More are written to a sidecar file."""
GENERATOR = "PCG64"
POLARS_FORMATS = frozenset(("csv", "tsv", "parquet", "arrow"))
"""Formats that Polars reads."""
COLUMNS = ("run", "topic", "measure", "value")
_COMPANIONS = (".se", ".lower", ".upper")  # columns that belong to a measure

Row = tuple[str, str, str, float | None]


# -- measures -------------------------------------------------------------------------------------


def list_measure_names(document: Any) -> list[str]:
    """Return the measures of a result, from its JSON output.

    >>> list_measure_names({"pairs": [{"measure": "AP"}, {"measure": "RR"}, {"measure": "AP"}]})
    ['AP', 'RR']
    """
    if not isinstance(document, Mapping):
        return []
    names = document.get("measures")
    if isinstance(names, list | tuple) and names and all(isinstance(name, str) for name in names):
        return [*names]
    tables = [table for table in document.values() if isinstance(table, list)]
    rows = [row for table in tables for row in table if isinstance(row, Mapping)]
    named = [row["measure"] for row in rows if isinstance(row.get("measure"), str)]
    return [*dict.fromkeys(named)]


def describe_measures(
    names: Iterable[str], requested: Iterable[Measure], sources: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return name, parameters and, of custom measures, the hash of the file that defines them.

    `requested` are measures with names of the user. `sources` maps modules to hashes.
    """
    by_name = {name: m for m in requested for name in m.names()}
    measures: dict[str, dict[str, Any]] = {}
    for name in names:
        m = by_name.get(name) or _parse(name)
        entry: dict[str, Any] = {"name": name, "parameters": {}} if m is None else describe_measure(m)
        source = None if m is None else sources.get(type(m).__module__)
        measures.setdefault(entry["name"], entry | ({} if source is None else {"source": source}))
    return [*measures.values()]


def describe_measure(m: Measure) -> dict[str, Any]:
    """Return the canonical name and all parameters of a measure, sorted by name.

    >>> describe_measure(parse_measure("P@1"))
    {'name': 'P@1', 'parameters': {'condensed': False, 'cutoff': 1, 'rel': None}}
    """
    parameters = {f.name: _convert(getattr(m, f.name)) for f in m.list_parameters()}
    if m.cutoff_meaning:
        parameters["cutoff"] = m.cutoff
    if m.measurement:
        parameters["measurement"] = m.measurement
    return {"name": str(m), "parameters": dict(sorted(parameters.items()))}


def _convert(value: Any) -> Any:
    """Return a parameter for JSON: integers without a decimal point, gains as text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    return format_value(value)


def _parse(name: str) -> Measure | None:
    """Return the measure of a column, or None for measures of other tools."""
    for text in (name, *(name.removesuffix(end) for end in _COMPANIONS if name.endswith(end))):
        with suppress(CranfieldError, TypeError):
            return parse_measure(text)
    return None


# -- random numbers and versions ------------------------------------------------------------------


def describe_random(document: Any, options: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return seed, trials and generator, or None without random numbers."""
    settings = document.get("settings") if isinstance(document, Mapping) else None
    settings = settings if isinstance(settings, Mapping) else {}
    trials = settings.get("trials")
    sampled = [name for name in list_measure_names(document) if name.endswith(".se")]
    if options.get("ties") == "expected" and sampled:
        trials = options.get("tie_samples")
    elif trials is None and settings.get("seed") is None and not (options.get("audit") or options.get("strata")):
        return None
    seed = settings.get("seed")
    return {"seed": options.get("seed") or 0 if seed is None else seed, "trials": trials, "generator": GENERATOR}


def describe_platform(
    own_version: str, formats: Iterable[str | None] = (), packages: Iterable[str] = ()
) -> dict[str, Any]:
    """Return the versions of cranfield and the libraries that a computation uses, and the platform."""
    import platform

    names = {"cranfield", "numpy", *packages}
    if {*formats} & POLARS_FORMATS:
        names.add("polars")
    return {
        "libraries": [*_iter_versions(sorted(names), own_version)],
        "python": platform.python_version(),
        "architecture": platform.machine(),
        "system": platform.system(),
        "compiled": KERNEL is not None,
    }


def _iter_versions(names: Iterable[str], own_version: str) -> Iterator[str]:
    from importlib.metadata import PackageNotFoundError, version

    for name in names:
        if name == "cranfield":
            yield f"cranfield=={own_version}"
        else:
            with suppress(PackageNotFoundError):
                yield f"{name}=={version(name)}"


# -- sidecar --------------------------------------------------------------------------------------


def iter_topic_rows(result: Any) -> Iterator[Row]:
    """Yield run, topic, measure and value of a result with values by topic."""
    topics = result.get("topics") if isinstance(result, Mapping) else None
    if not isinstance(topics, Mapping):
        return
    for run, by_topic in topics.items():
        for topic, by_measure in by_topic.items() if isinstance(by_topic, Mapping) else ():
            for measure, value in by_measure.items() if isinstance(by_measure, Mapping) else ():
                yield run, topic, measure, value


def split_topics(document: Any) -> tuple[Any, dict[str, Any] | None, bytes | None]:
    """Return the result of a record, and description and content of the sidecar if it needs one."""
    rows = [*iter_topic_rows(document)]
    if len(rows) <= LARGEST:
        return document, None, None
    table = build_parquet(rows)
    sidecar = {
        "path": name_sidecar(DEFAULT_NAME),
        "sha256": hashlib.sha256(table).hexdigest(),
        "rows": len(rows),
        "content": hash_topic_rows(rows),
    }
    return {key: value for key, value in document.items() if key != "topics"}, sidecar, table


def build_parquet(rows: Sequence[Row]) -> bytes:
    """Return a Parquet file with the columns run, topic, measure and value."""
    columns = dict(zip(COLUMNS, zip(*rows, strict=True), strict=True))
    frame = pl.DataFrame({**columns, "value": [*map(_to_float, columns["value"])]})
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


def parse_sidecar(data: bytes) -> list[Row]:
    """Return the rows of a sidecar."""
    return [*pl.read_parquet(io.BytesIO(data)).select(COLUMNS).iter_rows()]


def read_sidecar(record: Record) -> list[Row]:
    """Return the rows of the sidecar next to a record. Raise InputError if it has another hash."""
    sidecar = record.data.get("sidecar")
    if sidecar is None:
        return []
    path = os.path.join(os.path.dirname(record.path or ""), sidecar["path"])
    data = read_bytes(path) if record.table is None else record.table
    if hashlib.sha256(data).hexdigest() != sidecar["sha256"]:
        raise InputError.from_problem("the hash differs from the hash in the record", "Use the original file.", path)
    return parse_sidecar(data)


def hash_topic_rows(rows: Iterable[Row]) -> str:
    r"""Return the hash of lines ``run\ttopic\tmeasure\tvalue``."""
    digest = hashlib.sha256()
    for run, topic, measure, value in rows:
        number = encode_numbers(_to_float(value))
        text = "\t".join((run, topic, measure, number if isinstance(number, str) else repr(number)))
        digest.update(f"{text}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _to_float(value: Any) -> float | None:
    return None if value is None else float(value)
