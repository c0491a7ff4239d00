"""Verification of records: repeat the computation and compare."""

from __future__ import annotations

import os
import shlex
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

import cranfield
from cranfield.cli.main import compute_again, find_parser
from cranfield.cli.paths import OUTPUTS
from cranfield.cli.record import STDIN, build_words, iter_inputs, list_rows, parse_raw, rename, rename_word
from cranfield.data.catalogues import is_catalogue_name
from cranfield.data.files import arrange_files, read_bytes
from cranfield.data.provenance import MEMORY, describe_catalogue, describe_text, find_input, hash_stored
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.evaluation.presets import get_preset_text
from cranfield.records.content import describe_platform, hash_topic_rows, iter_topic_rows, parse_sidecar
from cranfield.records.record import Record, encode_numbers
from cranfield.records.verification import Check, Difference, Verification, compare_results, match_length
from cranfield.wording import format_count

LIBRARIES, COMPILED = "libraries", "compiled"


def verify(record: Record, files: str | os.PathLike[str] | None = None) -> Verification:
    """Verify a record: see `Record.verify`."""
    directories = _list_directories(record, files)
    inputs = [_locate(record, entry, directories) for entry in record.data["inputs"]]
    checks = [_check_id(record), *(located.check for located in inputs), *_check_versions(record)]
    compared, differences = 0, list[Difference]()
    try:
        reason = _find_obstacle(record, inputs)
        now = None if reason else _recompute(record, [located for located in inputs if located.file is not None])
    except CranfieldError as error:
        reason, now = str(error), None
    sidecar = _read_sidecar(record, directories)
    if now is None or isinstance(sidecar, Check):
        found = reason or "the values of topics are in the sidecar"
        checks.append(Check("values", "result", "cannot", None, found))
    else:
        recorded = record.data["result"]
        expected = {**recorded, **sidecar} if sidecar else recorded
        compared, differences = compare_results(expected, match_length(recorded, now))
        checks.append(_check_values(compared, differences))
    if record.data.get("sidecar") is not None:
        checks.append(sidecar if isinstance(sidecar, Check) else _check_sidecar(record, now))
    return Verification(record.path or "record", tuple(checks), compared, tuple(differences))


def _list_directories(record: Record, files: str | os.PathLike[str] | None) -> list[str]:
    """Return the directories that are searched for inputs."""
    if files is None:
        return [os.path.dirname(record.path or "") or ".", "."]
    if not os.path.isdir(files):
        raise InputError.from_problem("not a directory", "", os.fspath(files))
    return [os.fspath(files)]


# -- id and versions ------------------------------------------------------------------------------


def _check_id(record: Record) -> Check:
    now = record.compute_id()
    return Check("id", "record", "same" if now == record.id else "differs", record.id, now)


def _check_versions(record: Record) -> Iterator[Check]:
    """Yield the versions that differ. Values are compared anyway."""
    recorded = record.data["platform"]
    texts = recorded.get(LIBRARIES)
    libraries = [str(text).partition("==") for text in (texts if isinstance(texts, list) else [])]
    packages = [name for name, _, _ in libraries if name]
    now = describe_platform(cranfield.__version__, (), packages)
    versions = dict(text.split("==") for text in now[LIBRARIES])
    pairs = {name: (version, versions.get(name)) for name, _, version in libraries}
    pairs |= {name: (recorded.get(name), x) for name, x in now.items() if name != LIBRARIES}
    for name, (before, after) in pairs.items():
        if before != after:
            yield Check("version", name, "differs", before, "not installed" if after is None else after)


# -- inputs ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Located:
    """An input of a record: its path in the record, its file now, and the check of its hash."""

    role: str
    path: str | None
    file: str | None
    check: Check


def _locate(record: Record, entry: Mapping[str, Any], directories: Sequence[str]) -> Located:
    """Find an input and compare its hash and size."""
    role, path, expected = str(entry["role"]), entry["path"], entry["sha256"]
    if path is None:
        return Located(role, None, None, _check_builtin(record, entry))
    if is_catalogue_name(path):
        return Located(role, None, None, _check_catalogue(path, role, expected))
    file = find_input(directories, path, expected, entry["bytes"])
    if file is None:
        return Located(role, path, None, Check("input", path, "cannot", expected, "file not found"))
    try:
        stored = hash_stored(file)
    except CranfieldError as error:
        return Located(role, path, None, Check("input", path, "cannot", expected, str(error)))
    is_same = stored == {"sha256": expected, "bytes": entry["bytes"]}
    return Located(role, path, file, Check("input", path, "same" if is_same else "differs", expected, stored["sha256"]))


def _check_catalogue(name: str, role: str, expected: str) -> Check:
    """Compare the rows of a collection of ir_datasets."""
    try:
        now = describe_catalogue(name, role)["sha256"]
    except CranfieldError as error:
        return Check("input", name, "cannot", expected, str(error))
    return Check("input", name, "same" if now == expected else "differs", expected, now)


def _check_builtin(record: Record, entry: Mapping[str, Any]) -> Check:
    """Compare a built-in preset. Data in memory cannot be compared."""
    preset = record.data["options"].get("preset")
    name = preset.get("name") if isinstance(preset, Mapping) else None
    text = get_preset_text(name) if isinstance(name, str) and entry.get("format") != MEMORY else None
    if text is None:
        return Check("input", str(entry["role"]), "cannot", entry["sha256"], "data in memory has no file")
    now = describe_text(text, "toml")["sha256"]
    return Check("input", f"preset {name}", "same" if now == entry["sha256"] else "differs", entry["sha256"], now)


# -- values ---------------------------------------------------------------------------------------


def _find_obstacle(record: Record, inputs: Sequence[Located]) -> str:
    """Return the reason that prevents a repetition, or an empty text."""
    if record.data["cmd"] is None:
        return "no command line repeats the computation"
    return "a file is missing" if any(located.path is not None and located.file is None for located in inputs) else ""


def _recompute(record: Record, inputs: Sequence[Located]) -> Any:
    """Repeat the command with links to the files in a temporary directory, and return the result."""
    files = {str(located.path): str(located.file) for located in inputs}
    places = {path: _get_place(path, files) for path in files}
    unchanged = {located.path for located in inputs if located.check.state == "same"}
    with arrange_files({place: files[path] for path, place in places.items()}) as directory:
        paths = {path: os.path.join(directory, *place.split("/")) for path, place in places.items()}
        words = _build_replay(record, paths, unchanged, directory)
        recording = compute_again(words)
        if recording.document is None:
            raise CranfieldError("the command has no result")
        names = {full: "standard input" if path == STDIN else path for path, full in paths.items()}
        result = rename(recording.document, names | {os.path.join(directory, ""): ""})
    return encode_numbers(result)


def _get_place(path: str, paths: Mapping[str, str]) -> str:
    """Return the path of a link: names that clash in the record are in different directories."""
    name, _, number = path.rpartition("/")
    return f".{number}/{name}" if name in paths and number.isdecimal() else path


def _build_replay(
    record: Record, paths: Mapping[str, str], unchanged: Container[str | None], directory: str
) -> list[str]:
    """Return the words of the command, with the files in a directory.

    A file of ``--import`` is code: it must be unchanged.
    """
    problem = "cmd is not a command of a record"
    try:
        program, *words = shlex.split(record.data["cmd"])
        parser, rest = find_parser(words)
        raw = parse_raw(parser, rest)
    except (ValueError, SystemExit):
        raise InputError.from_problem(problem) from None
    for word in getattr(raw, "imports", None) or ():
        if word not in unchanged:
            raise InputError.from_problem(f"{word} has another hash and is not run")
    rows = list_rows(parser)
    is_valid = program == "cranfield" and parser.row is not None and parser.row.records
    if not is_valid or any(isinstance(getattr(raw, name, None), str) for name in OUTPUTS):
        raise InputError.from_problem(problem)
    names = {**paths, ".": directory}
    for _, word in iter_inputs(rows, raw, lambda path: True):
        if word not in names and _is_directory(word, paths):
            names[word] = os.path.join(directory, *word.split("/"))
        elif word not in names and os.path.exists(word):
            raise InputError.from_problem(f"cmd names {word!r}, which is not an input of the record")
    return [*parser.prog.split()[1:], *build_words(rows, raw, lambda word: rename_word(word, names))]


def _is_directory(word: str, paths: Mapping[str, str]) -> bool:
    """Return True for a directory of inputs, or a run in such a directory: ``DIR/NAME``."""
    parent = word.rpartition("/")[0]
    return any(path.startswith(f"{word}/") or (parent and path.startswith(f"{parent}/")) for path in paths)


def _check_values(compared: int, differences: Sequence[Difference]) -> Check:
    text = format_count(compared, "value")
    if not differences:
        return Check("values", "result", "same", text, text)
    rounding = sum(x.kind == "rounding" for x in differences)
    found = f"{len(differences)} differ" + (f", {rounding} by rounding" if rounding else "")
    return Check("values", "result", "differs", text, found)


# -- sidecar --------------------------------------------------------------------------------------


def _read_sidecar(record: Record, directories: Sequence[str]) -> dict[str, Any] | Check:
    """Return the values of topics in the sidecar, or the check that fails. Without sidecar: an empty dict."""
    sidecar = record.data.get("sidecar")
    if sidecar is None:
        return {}
    data = record.table
    if data is None:
        file = find_input(directories, sidecar["path"], sidecar["sha256"], None)
        if file is None:
            return Check("sidecar", sidecar["path"], "cannot", sidecar["sha256"], "file not found")
        now = hash_stored(file)["sha256"]
        if now != sidecar["sha256"]:
            return Check("sidecar", sidecar["path"], "differs", sidecar["sha256"], now)
        data = read_bytes(file)
    topics: dict[str, dict[str, dict[str, Any]]] = {}
    for run, topic, measure, value in parse_sidecar(data):
        topics.setdefault(run, {}).setdefault(topic, {})[measure] = value
    return {"topics": encode_numbers(topics)}


def _check_sidecar(record: Record, now: Mapping[str, Any] | None) -> Check:
    """Compare the hash of the recomputed values of topics."""
    sidecar = record.data["sidecar"]
    if now is None:
        return Check("sidecar", sidecar["path"], "cannot", sidecar["content"], "values were not computed")
    content = hash_topic_rows(iter_topic_rows(now))
    is_same = content == sidecar["content"]
    return Check("sidecar", sidecar["path"], "same" if is_same else "differs", sidecar["content"], content)
