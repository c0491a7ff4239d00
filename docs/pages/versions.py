"""Versions of a measure as a table, and the value of each rank as a figure.

Versions are the default, settings that other programs use, settings in docs/definitions.md, and
other choices of a parameter. The figure needs no formula: each curve is the measure itself, on
rankings with one relevant document.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from typing import Any

from measures import table
from tool_names import named

from cranfield.errors import CranfieldError
from cranfield.measures.base import Measure
from cranfield.measures.grammar import parse_measure
from cranfield.measures.parameters import format_value

DEPTH = 20
CUTOFF = 10
MOST_CURVES = 5
CAPTION = (
    "Score of a ranking of {depth} documents with its only relevant document (level 1) at rank r. "
    "The topic has no other relevant document."
)
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM, _LINE = 440, 240, 40, 12, 40, 18
_DASHES = ("", "6 4", "2 3", "10 3 2 3", "1 6")


def list_versions(c: type[Measure], definitions: Sequence[str]) -> list[Measure]:
    """Return the versions of a measure without cutoffs, the default first.

    `definitions` are names of settings, such as `nDCG(gain=exp)`; other names are skipped.
    """
    names = [c.__name__, *(row.ours for row in named(c.__name__)), *definitions, *_list_choices(c)]
    versions: dict[str, Measure] = {}
    for name in names:
        version = _parse(c, _split_cutoff(name)[0])
        if version is not None:
            versions.setdefault(str(version), version)
    return list(versions.values())


def _list_choices(c: type[Measure]) -> Iterator[str]:
    """Names with the other choices of a parameter that has a list of names."""
    for f in c.list_parameters():
        expected = str(getattr(f.metadata.get("kind"), "expected", ""))
        if isinstance(f.default, str) and re.fullmatch(r"\w+( or \w+)+", expected):
            yield from (f"{c.__name__}({f.name}={value})" for value in expected.split(" or ") if value != f.default)


@cache
def _parse(c: type[Measure], name: str) -> Measure | None:
    try:
        version = parse_measure(name)
    except CranfieldError:
        return None
    return version if type(version) is c else None


def _split_cutoff(name: str) -> tuple[str, str]:
    """Return a name without its cutoff, and the cutoff."""
    match = re.fullmatch(r"(.*?)@(\w+)", name)
    return (match[1], match[2]) if match else (name, "")


def format_versions(c: type[Measure], definitions: Sequence[str]) -> str:
    """Return a table of versions: parameters that differ, cutoffs, and names in other programs."""
    versions = list_versions(c, definitions)
    names = {str(version): _format_names(c, version) for version in versions}
    if len(versions) == 1 and not any(names.values()):
        return ""
    differing = [f.name for f in c.list_parameters() if len({repr(getattr(v, f.name)) for v in versions}) > 1]
    rows = [
        [
            f"`{name}`" + " (default)" * (i == 0),
            *(f"`{format_value(getattr(version, p))}`" for p in differing),
            names[name],
        ]
        for i, (name, version) in enumerate(zip(names, versions, strict=True))
    ]
    rows = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join(table(["version", *(f"`{p}`" for p in differing), "names in other tools"], rows))


def _format_names(c: type[Measure], version: Measure) -> str:
    """Return the names of a version by program, with a cutoff if the program requires one."""
    rows = [row for row in named(c.__name__) if str(_parse(c, _split_cutoff(row.ours)[0])) == str(version)]
    programs = itertools.groupby(rows, key=lambda row: (row.program, row.page))
    parts = []
    for (program, page), group in programs:
        shown = [f"`{row.theirs}`" + _format_cutoff(row.theirs, row.ours) for row in group]
        parts.append(f"[{program}](../{page}) {', '.join(dict.fromkeys(shown))}")
    return "<br>".join(parts)


def _format_cutoff(theirs: str, ours: str) -> str:
    cutoff = _split_cutoff(ours)[1]
    return f" (`@{cutoff}`)" if cutoff and "@" not in theirs else ""


# -- the figure -----------------------------------------------------------------------------------


def draw_ranks(c: type[Measure], definitions: Sequence[str]) -> str:
    """Return the scores by rank of the relevant document as a figure, or an empty text."""
    if c.takes != "lists" or c.length_unit:
        return ""
    curves: dict[tuple[float, ...], str] = {}
    for version in list_versions(c, definitions):
        for candidate in (version, _parse(c, f"{version}@{CUTOFF}")):  # set measures vary at a cutoff only
            curve = compute_curve(candidate) if candidate else []
            if len(set(curve)) > 1:
                curves.setdefault(tuple(round(x, 10) for x in curve), str(candidate))
                break
    if not curves:
        return ""
    return _draw(list(itertools.islice(curves.items(), MOST_CURVES)))


def compute_curve(measure: Measure) -> list[float]:
    """Return the score with the relevant document at ranks 1, 2, …, or [] if it is undefined."""
    function: Any = measure
    judged = [1] + [0] * (DEPTH - 1)
    try:
        scores = [float(function([0] * i + [1] + [0] * (DEPTH - 1 - i), judged=judged)) for i in range(DEPTH)]
    except (CranfieldError, TypeError, ValueError):
        return []
    return scores if all(abs(score) < float("inf") for score in scores) else []


def _draw(curves: Sequence[tuple[tuple[float, ...], str]]) -> str:
    top = max(max(curve) for curve, _ in curves)
    low = min(0.0, *(min(curve) for curve, _ in curves))
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - 10

    def x(rank: int) -> float:
        return _LEFT + (right - _LEFT) * (rank - 1) / (DEPTH - 1)

    def y(score: float) -> float:
        return bottom - (bottom - _TOP) * (score - low) / (top - low or 1)

    parts = [f'<line x1="{_LEFT}" x2="{right}" y1="{y(0):.1f}" y2="{y(0):.1f}" class="axis"/>']
    for rank in (1, 5, 10, 15, 20):
        parts.append(f'<text x="{x(rank):.1f}" y="{bottom + 18}" text-anchor="middle">{rank}</text>')
    for score in dict.fromkeys((low, (low + top) / 2, top)):
        parts.append(f'<text x="{_LEFT - 6}" y="{y(score) + 4:.1f}" text-anchor="end">{score:.2g}</text>')
    parts.append(f'<text x="{(_LEFT + right) / 2:.0f}" y="{_HEIGHT - 4}" text-anchor="middle">rank r</text>')
    for i, (curve, name) in enumerate(curves):
        points = " ".join(f"{x(r):.1f},{y(score):.1f}" for r, score in enumerate(curve, start=1))
        dash = f' stroke-dasharray="{_DASHES[i]}"' if _DASHES[i] else ""
        parts.append(f'<polyline points="{points}" class="curve curve-{i}"{dash}/>')
        level = _HEIGHT + _LINE * i + 8
        parts.append(f'<line x1="{_LEFT}" x2="{_LEFT + 32}" y1="{level}" y2="{level}" class="curve curve-{i}"{dash}/>')
        parts.append(f'<text x="{_LEFT + 40}" y="{level + 4}">{escape(name)}</text>')
    label = escape(CAPTION.format(depth=DEPTH))
    body, height = "".join(parts), _HEIGHT + _LINE * len(curves)
    return (
        f'<figure class="ranks"><svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{label}">{body}</svg>\n'
        f"<figcaption>{label}</figcaption></figure>"
    )
