"""Records: reading, writing, and their id."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from cranfield.data.files import read_bytes, write_all
from cranfield.data.names import format_json
from cranfield.dataclass import dataclass
from cranfield.errors import FileError, InputError
from cranfield.wording import encode_text

if TYPE_CHECKING:
    from cranfield.records.verification import Verification

SCHEMA = "1.0"
KEYS = ("schema", "id", "command", "cmd", "options", "measures", "inputs", "random", "platform", "result")
"""Required keys, in the order of the file."""
OPTIONAL_KEYS = ("sidecar", "created")
INPUT_KEYS = ("role", "path", "sha256", "bytes")
SIDECAR_KEYS = ("path", "sha256", "rows", "content")
SIDECAR_SUFFIX = ".scores.parquet"
DEFAULT_NAME = "record.json"
_HTML, _EMBEDDED = (
    b"<!DOCTYPE html>",
    re.compile(rb'<script type="application/json" id="record">(.*?)</script>', re.DOTALL),
)
_TYPES: Mapping[str, tuple[type, ...]] = {
    "schema": (str,),
    "id": (str,),
    "command": (str,),
    "cmd": (str, type(None)),
    "options": (dict,),
    "measures": (list,),
    "inputs": (list,),
    "platform": (dict,),
    "result": (dict, list),
    "sidecar": (dict,),
}
_JSON_TYPES = {str: "a text", type(None): "null", dict: "an object", list: "an array"}


@dataclass(frozen=True, repr=False)
class Record:
    """Record of a computation: inputs with hashes, options, measures, versions and the result.

    Attributes
    ----------
    data
        Content of the record, with the keys of docs/archive.md.
    path
        File of the record, if it was read from a file.
    table
        Content of a sidecar file before it is written.

    Examples
    --------
    >>> import cranfield as cf
    >>> scores = cf.evaluate({"301": {"a": 1}}, {"bm25": {"301": {"a": 1.0}}}, "AP")
    >>> record = scores.record()
    >>> record.data["command"], record.data["result"]["all"]
    ('evaluate', {'bm25': {'AP': 1.0}})
    >>> record.id == record.compute_id()
    True
    """

    data: Mapping[str, Any]
    path: str | None = field(default=None, compare=False)
    table: bytes | None = field(default=None, compare=False)

    @classmethod
    def from_content(cls, content: Mapping[str, Any], table: bytes | None = None) -> Record:
        """Return the record of some content, with its id."""
        data = {"schema": SCHEMA, "id": "", **encode_numbers(content)}
        ordered = {key: data[key] for key in (*KEYS, *OPTIONAL_KEYS) if key in data}
        return cls(ordered | {"id": compute_id(ordered)}, None, table)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Record:
        """Read a record.

        Parameters
        ----------
        path
            File written by ``--record`` or `write`, or an HTML report.

        Returns
        -------
        Record
            The record. Its id is not checked, see `verify`.

        Raises
        ------
        InputError
            If the file is not a record: no JSON, a missing or duplicate key, or an unknown major version.

        Examples
        --------
        >>> Record.read("scores.json").id  # doctest: +SKIP
        'sha256:2b135a72…'
        """
        location = os.fspath(path)
        text = read_bytes(path)
        embedded = _EMBEDDED.search(text) if text.startswith(_HTML) else None
        return cls(parse_record(embedded[1] if embedded else text, location), location)

    @property
    def id(self) -> str:
        """Id in the record: ``sha256:`` and the hash of all other keys."""
        return str(self.data["id"])

    def compute_id(self) -> str:
        """Return the id of the content, which differs from `id` after a change of the record."""
        return compute_id(self.data)

    @cached_property
    def text(self) -> str:
        """The record as JSON: the content of its file."""
        return format_json(self.data)

    def write(self, path: str | os.PathLike[str]) -> Record:
        """Write the record, and its sidecar file if it has one. Either all files are written or none.

        Parameters
        ----------
        path
            File of the record. A sidecar is written next to it, as ``FILE.scores.parquet``.

        Returns
        -------
        Record
            The written record. With a sidecar, its id depends on the name of the file.

        Examples
        --------
        >>> scores.record().write("scores.json")  # doctest: +SKIP
        """
        location = os.fspath(path)
        directory = os.path.dirname(location)
        if directory and not os.path.isdir(directory):
            raise FileError("write", location, f"there is no directory {directory}")
        record, files = self, {}
        if self.table is not None:
            name = name_sidecar(location)
            record = Record.from_content({**self._content, "sidecar": {**self.data["sidecar"], "path": name}})
            files[os.path.join(directory, name)] = self.table
        write_all({**files, location: encode_text(record.text)})
        return Record(record.data, location, self.table)

    @property
    def _content(self) -> dict[str, Any]:
        return {key: value for key, value in self.data.items() if key not in ("schema", "id")}

    def verify(self, files: str | os.PathLike[str] | None = None) -> Verification:
        """Check hashes, repeat the computation, and compare all values to the last bit.

        Parameters
        ----------
        files
            Directory of the inputs. Default: the directory of the record, then the working directory.

        Returns
        -------
        Verification
            The checks. ``.same`` is True if all of them hold.

        Examples
        --------
        >>> Record.read("scores.json").verify(files="data").same  # doctest: +SKIP
        True
        """
        result: Verification = import_module("cranfield.cli.replay").verify(self, files)
        return result

    def __repr__(self) -> str:
        result = self.data["result"]
        runs = result.get("runs") if isinstance(result, dict) else None
        runs = runs if isinstance(runs, list) else []
        of_runs = f" of {', '.join(map(str, runs[:3]))}{', …' if len(runs) > 3 else ''}" if runs else ""
        return f"Record: {self.data['command']}{of_runs}, {self.id[:15]}…"


def compute_id(data: Mapping[str, Any]) -> str:
    """Return the hash of the canonical bytes of all keys but the id."""
    return f"sha256:{hashlib.sha256(to_canonical_bytes(data)).hexdigest()}"


def to_canonical_bytes(data: Mapping[str, Any]) -> bytes:
    """Return the bytes that the id is the hash of: sorted keys, no spaces, UTF-8.

    >>> to_canonical_bytes({"b": [1, 0.5], "id": "", "a": float("nan")})
    b'{"a":"nan","b":[1,0.5]}'
    """
    import json

    rest = encode_numbers({key: value for key, value in data.items() if key != "id"})
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "surrogatepass")


def encode_numbers(value: Any) -> Any:
    """Replace NaN and infinities by ``"nan"``, ``"inf"`` and ``"-inf"``, and tuples by lists."""
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    if isinstance(value, Mapping):
        return {str(key): encode_numbers(x) for key, x in value.items()}
    if isinstance(value, list | tuple):
        return [encode_numbers(x) for x in value]
    return value


def name_sidecar(path: str) -> str:
    """Return the name of the sidecar of a record.

    >>> name_sidecar("results/run.json")
    'run.scores.parquet'
    """
    return os.path.basename(path).removesuffix(".json") + SIDECAR_SUFFIX


# -- reading --------------------------------------------------------------------------------------


def parse_record(text: bytes, location: str) -> dict[str, Any]:
    """Parse and check the JSON of a record."""
    import json

    def build_object(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, value in pairs:
            if key in result:
                raise InputError.from_problem(f"duplicate key {key!r}", "", location)
            result[key] = value
        return result

    def reject_constant(name: str) -> None:
        raise ValueError(f"{name} is not JSON")

    try:
        data = json.loads(text.decode("utf-8"), object_pairs_hook=build_object, parse_constant=reject_constant)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise InputError.from_problem(
            f"not JSON ({error})", "Use a file written by --record.", location, line
        ) from None
    check_record(data, location)
    result: dict[str, Any] = data
    return result


def check_record(data: Any, location: str) -> None:
    """Raise InputError if the data is no record, or of an unknown major version."""
    if not isinstance(data, dict) or "schema" not in data:
        raise InputError.from_problem("not a record", "Use a file written by --record.", location)
    schema = data["schema"]
    if not isinstance(schema, str) or not all(part.isdecimal() for part in schema.split(".", 1)):
        raise InputError(f"schema {schema!r}", f"a version such as {SCHEMA!r}", location)
    if schema.partition(".")[0] != SCHEMA.partition(".")[0]:
        problem = f"record of schema {schema}, and this version reads {SCHEMA.partition('.')[0]}.x"
        raise InputError.from_problem(problem, "Use a newer version of cranfield.", location)
    _check_keys(data, KEYS, location)
    for key, types in _TYPES.items():
        if key in data and not isinstance(data[key], types):
            expected = " or ".join(_JSON_TYPES[kind] for kind in types)
            raise InputError(f"{key} = {type(data[key]).__name__}", expected, location)
    for number, entry in enumerate(data["inputs"], 1):
        _check_input(entry, f"{location}: input {number}")
    if "sidecar" in data:
        _check_keys(data["sidecar"], SIDECAR_KEYS, f"{location}: sidecar")
        _check_path(data["sidecar"]["path"], f"{location}: sidecar")


def _check_keys(data: Mapping[str, Any], keys: Iterable[str], location: str) -> None:
    for key in keys:
        if key not in data:
            raise InputError.from_problem(f"missing key {key!r}", "", location)


def _check_input(entry: Any, location: str) -> None:
    if not isinstance(entry, dict):
        raise InputError(repr(entry), "an object", location)
    _check_keys(entry, INPUT_KEYS, location)
    if entry["path"] is not None:
        _check_path(entry["path"], location)


def _check_path(path: Any, location: str) -> None:
    """Raise InputError for a path that leaves its directory."""
    is_relative = isinstance(path, str) and path and not os.path.isabs(path) and "\\" not in path and "\0" not in path
    if not is_relative or {"..", "."} & {*path.split("/")} or ":" in path.partition("/")[0][:2]:
        raise InputError(f"path {path!r}", "a relative path without ..", location)
