"""Other files of NTCIREVAL's scripts: lists of names, results, means, matrices.

``QRELS.tid`` is a list of topics and a run list a list of runs, a name on each line.
``RUN.NAME.nev`` has the results of a run, ``topic AP= 0.5000``. A means file has ``run 0.5000``. A
matrix has a line for each topic and a column for each run, and no names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from cranfield.data.files import write_all
from cranfield.data.reading.lines import (
    BLANK,
    check_not_empty,
    iter_text_lines,
    parse_finite,
    split_fields,
)
from cranfield.data.reading.source import Source
from cranfield.errors import InputError
from cranfield.wording import encode_text, format_count, suggest_keywords

_RESULT = re.compile(r"(?P<topic>.*) (?P<measure>[^\s=]+)=\s*(?P<value>\S+)", re.ASCII)
_COMMENT = re.compile(r"\s#", re.ASCII)  # after the topic; the # of D#-nDCG follows a letter


def read_names(source: Source) -> tuple[str, ...]:
    """Read the topics of a .tid file, or the runs of a run list: a name on each line."""
    names: dict[str, None] = {}
    for number, line in iter_text_lines(source):
        if len(fields := split_fields(line, None)) != 1:
            text = f"{format_count(len(fields), 'field')} ({line.strip()!r})"
            raise InputError(text, "one name per line (topics or runs)", source.name, number)
        names[fields[0]] = None
    check_not_empty(names, "names", source.name, "one on each line")
    return tuple(names)


def read_results(source: Source) -> dict[str, dict[str, float]]:
    """Return ``{topic: {measure: value}}`` of a .nev file, with names as written."""
    results: dict[str, dict[str, float]] = {}
    for number, line in iter_text_lines(source):
        if _COMMENT.search(line):
            continue
        result = _RESULT.fullmatch(line.rstrip(BLANK))
        value = parse_finite(result["value"]) if result else None
        if result is None or value is None or not result["topic"].strip(BLANK):
            raise InputError(f"{line!r}", "a result such as 0001 AP= 0.5000", source.name, number)
        topic, measure = result["topic"].strip(BLANK), result["measure"]
        if measure in results.setdefault(topic, {}):
            problem = f"duplicate measure {measure} in topic {topic}"
            raise InputError.from_problem(problem, "", source.name, number)
        results[topic][measure] = value
    check_not_empty(results, "results", source.name)
    return results


@suggest_keywords
def read_means(path: str | os.PathLike[str]) -> dict[str, float]:
    """Return ``{run: mean}`` of a file by ``cranfield ntcir means`` or NEV2mean."""
    source = Source.from_path(path)
    means: dict[str, float] = {}
    for number, line in iter_text_lines(source):
        run, _, mean = line.strip(BLANK).rpartition(" ")
        value = parse_finite(mean)
        if not run or value is None or run in means:
            raise InputError(f"{line!r}", "a run and its mean, without duplicates", source.name, number)
        means[run] = value
    return means


def read_numbers(source: Source, rows: int, columns: int) -> list[list[float]]:
    """Read a matrix with the given numbers of rows and columns."""
    matrix: list[list[float]] = []
    for number, line in iter_text_lines(source):
        values = [value for value in map(parse_finite, line.split()) if value is not None]
        if len(values) != columns or len(line.split()) != columns:
            raise InputError(f"{line!r}", f"{columns} numbers", source.name, number)
        matrix.append(values)
    if len(matrix) != rows:
        raise InputError(f"{len(matrix)} lines", f"{rows} (one for each topic)", source.name)
    return matrix


def check_file_name(name: str, kind: str = "topic") -> str:
    """Return a name that a file or directory can have, or raise an error.

    >>> check_file_name("0001")
    '0001'
    >>> check_file_name("../x")
    Traceback (most recent call last):
    cranfield.errors.InputError: found topic '../x', expected a name that a file can have
    """
    if not name or name.startswith(".") or not set("/\\\0").isdisjoint(name):
        raise InputError(f"{kind} {name!r}", "a name that a file can have")
    return name


def build_topic_path(topic: str, suffix: str, directory: str = "") -> str:
    """Return the path of a file of a topic: ``0001/0001.rel``."""
    name = check_file_name(topic)
    return os.path.join(directory, name, f"{name}.{check_file_name(suffix, 'suffix')}")


def write_files(texts: Mapping[str, str]) -> None:
    """Write ``{path: text}``: all files or none."""
    write_all({path: encode_text(text) for path, text in texts.items()})
