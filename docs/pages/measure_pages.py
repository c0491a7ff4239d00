"""Pages of measures: one for each, and an overview by family, written from the registry."""

from __future__ import annotations

import doctest
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from docstrings import Linked, prose, written
from measures import HEAD, anchors, escape_md, families, not_here, properties, table
from versions import draw_ranks, format_versions

import cranfield as cf
from cranfield.errors import CranfieldError
from cranfield.evaluation.presets import presets
from cranfield.measures.base import PROPERTIES, READINGS, REGISTRY, TAKES, Measure
from cranfield.measures.cwl import UserModel, list_models
from cranfield.measures.gains import NAMES as GAINS
from cranfield.measures.notation import NOTATION
from cranfield.measures.parameters import format_value
from cranfield.references import format_citation, read_references

DEFINITIONS = Path(__file__).parent.parent / "definitions.md"
EXAMPLES = ([0, 2, None, 1, 0], [2, 2, 1, 0, 0, 0]), ([0, 1, None, 1, 0], [1, 1, 1, 0, 0, 0])
SUMMARIES = {
    "sum": "the sum over the topics",
    "gmean": "the geometric mean over the topics",
    "clipped": "the mean over the topics, cut to 0 and 1",
}
WIDTH = 84


def pages() -> dict[str, str]:
    """Return all pages as Markdown, by path on the site."""
    every = {f"measures/{file}.md": page(REGISTRY[name]) for name, file in files().items()}
    return {"measures.md": overview(), **every}


@cache
def files() -> dict[str, str]:
    """Return the file name of each measure, unique without regard to case: GAP, gAP-1."""
    slugs = anchors(REGISTRY.values())
    return {c.__name__: c.__name__ + slug[len(c.__name__) :] for c, slug in slugs.items()}


# -- overview -------------------------------------------------------------------------------------


def overview() -> str:
    """Return the overview: families with one line per measure, properties, and missing measures."""
    symbols = [f"- {escape_md(name)}: {escape_md(text)}" for name, text in NOTATION.items()]
    parts = [HEAD.replace("# Measures", f"# {len(REGISTRY)} measures", 1), *_by_family()]
    parts += ["## Notation", "At rank r:", "\n".join(symbols)]
    parts += [properties(REGISTRY.values(), lambda c: f"measures/{files()[c.__name__]}.md")]
    parts += [not_here(), _toctree()]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _by_family() -> Iterator[str]:
    for module, members in families().items():
        about, _, more = inspect.cleandoc(sys.modules[module].__doc__ or module).partition("\n")
        yield f"## {about.rstrip('.')}"
        yield written(more, linked(""))
        rows = [[f"[{_name(c)}](measures/{files()[c.__name__]}.md)", _title(c)] for c in members]
        yield "\n".join(table(["measure", "description"], rows))


def _name(c: type[Measure]) -> str:
    return escape_md(c.__name__)


def _title(c: type[Measure]) -> str:
    return prose(inspect.cleandoc(c.__doc__ or "").partition("\n")[0]).replace("|", "\\|")


def _toctree() -> str:
    listed = "\n".join(f"measures/{file}" for file in files().values())
    return f"```{{toctree}}\n:hidden:\n\n{listed}\n```"


def linked(up: str) -> Linked:
    """Return a function that links names of measures. `up` is the path to the root of the site."""

    def link(name: str) -> str:
        known = re.split(r"[(@.]", name)[0]
        return f"[`{name}`]({up}measures/{files()[known]}.md)" if known in files() else f"`{name}`"

    return link


# -- one measure ----------------------------------------------------------------------------------


def page(c: type[Measure]) -> str:
    """Return the page of a measure: formula, examples, parameters, properties and papers."""
    check(c)
    title, _, rest = inspect.cleandoc(c.__doc__ or "").partition("\n")
    body = rest.partition("\nParameters:\n")[0].partition("\n\nScores: ")[0].strip()
    told, examples = _apart(body)
    names = [f.name for f in c.list_parameters()] or ["l"]
    sections = {
        "": "\n\n".join([prose(title), written(told, linked("../"), names)]),
        "Example": "\n\n".join([written(examples), *_steps(c)]),
        "Versions": format_versions(c, _settings(c)),
        "Parameters": _parameters(c),
        "Properties": _facts(c),
        "User model": _model(c),
        "Score by rank": "" if _model(c) else draw_ranks(c, _settings(c)),
        "Where definitions differ": _differences(c),
        "Presets": _tasks(c),
        "Papers": _papers(c),
    }
    parts = [f"# {_name(c)}"]
    for heading, text in sections.items():
        if text.strip():
            parts += [f"## {heading}"] * bool(heading) + [text]
    family = inspect.cleandoc(sys.modules[c.__module__].__doc__ or "").partition("\n")[0]
    parts.append(f"Family: [{family.rstrip('.')}](../measures.md#{_slug(family)}). "
                 f"On the command line: `cranfield explain {c.__name__}`.")  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _apart(body: str) -> tuple[str, str]:
    """Split a docstring into text and examples."""
    paragraphs = re.split(r"\n\s*\n", body)
    examples = [p for p in paragraphs if p.startswith(">>>")]
    return "\n\n".join(p for p in paragraphs if p not in examples), "\n\n".join(examples)


def check(c: type[Measure]) -> None:
    """Raise an error if an example in the docstring has another output."""
    module = vars(sys.modules[c.__module__])
    test = doctest.DocTestParser().get_doctest(c.__doc__ or "", dict(module), c.__name__, None, 0)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    if runner.run(test).failed:
        raise SystemExit(f"{c.__name__}: the output of an example differs from its docstring")


def _steps(c: type[Measure]) -> Iterator[str]:
    """Yield the computation of the score of a small ranking."""
    if c.takes != "lists" or c.length_unit:
        return
    name = c.__name__ + ("@5" if c.cutoff_meaning == Measure.cutoff_meaning else "")
    for levels, judged in EXAMPLES:
        try:
            found = cf.explain(name, levels=levels, judged=judged)
        except CranfieldError:  # gains above 1
            continue
        given = [" ".join("-" if x is None else str(x) for x in xs) for xs in (levels, judged)]
        command = f'cranfield explain "{name}" --levels "{given[0]}" --judged "{given[1]}"'
        lines = [x for y in str(found).splitlines() for x in textwrap.wrap(y, WIDTH) or [""]]
        yield "Step by step:"
        yield "\n".join(["```console", f"$ {command}", *lines, "```"])
        return


def _parameters(c: type[Measure]) -> str:
    rows = [
        [
            f"`{f.name}`",
            f"`{format_value(f.default)}`",
            _kind(f),
            escape_md(str(f.metadata.get("doc", ""))),
        ]
        for f in c.list_parameters()
    ]
    if c.cutoff_meaning:
        rows.append(["`@cutoff`", "", "a number", escape_md(c.cutoff_meaning)])
    rows = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join(table(["", "default", "values", "meaning"], rows)) if rows else ""


def _kind(f: Any) -> str:
    if f.name == "gain":
        return f"{', '.join(GAINS)}, or a table such as 1:2:3"
    expected = escape_md(f.metadata["kind"].expected) if "kind" in f.metadata else "any"
    return expected + (", or none" if f.default is None else "")


def _facts(c: type[Measure]) -> str:
    text = {
        "Range": escape_md(c.range),
        "Better": "" if c.better == "higher" else c.better,
        "Mean": SUMMARIES.get(c.summary, ""),
        "Scores": f"{c.takes} (`cranfield {TAKES[c.takes]}`)" if c.takes != "lists" else "",
        "Measurements": ", ".join(f"`{c.__name__}.{m}`" for m in c.measurements),
        "Use": escape_md(c.task),
        **{name.capitalize(): PROPERTIES[name] for name in c.properties},
    }
    return "\n".join(table(["", ""], [[f"**{k}**", v] for k, v in text.items() if v]))


def _model(c: type[Measure]) -> str:
    model = c if issubclass(c, UserModel) else READINGS.get(c.__name__)
    if model is None or model.__name__ not in list_models():
        return ""
    name = model.__name__
    seen = f"`{c.__name__}.EU` is the user model" if model is not c else "This measure is a user model"
    about = f"{seen}. [{name}](../models/{name}.md) explains C, W and L."
    return f"{about}\n\n![C, W and L of {name}](../models/{name}.svg)"


def _settings(c: type[Measure]) -> list[str]:
    """Return the settings of a measure in the table of definitions."""
    return [name for row in _definitions()[1] for name in re.findall(rf"`({c.__name__}\([^`]*\))`", row[3])]


@cache
def _definitions() -> tuple[list[str], list[list[str]]]:
    """Return header and rows of the table of definitions. Empty first cells repeat the cell above."""
    section = DEFINITIONS.read_text(encoding="utf-8").split("## Where definitions differ\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    above = ["", ""]
    for row in rows[2:]:
        above = row[:2] = [row[0] or above[0], row[1] if row[0] else above[1]]
    return rows[0], rows[2:]


def _differences(c: type[Measure]) -> str:
    head, rows = _definitions()
    mine = [row for row in rows if _is_about(row, c)]
    shown = [row if i == 0 or row[:2] != mine[i - 1][:2] else ["", "", *row[2:]] for i, row in enumerate(mine)]
    return "\n".join(table(head, shown)) if mine else ""


def _is_about(row: list[str], c: type[Measure]) -> bool:
    """Return True if a row names a measure: as code, by name, or with the title of its docstring."""
    code = re.search(rf"`{re.escape(c.__name__)}[`(@.]", f"{row[1]} {row[3]}")
    named = re.search(rf"(?<![\w.:-]){re.escape(c.__name__)}(?![\w-])", row[0])
    title = (c.__doc__ or "").partition(":")[0].strip().lower()
    first = row[0].lower()
    alike = re.fullmatch(rf"{re.escape(title)}( \w)?", first) or (len(first) > 8 and title.endswith(f" {first}"))
    return bool(code or named or alike)


def _tasks(c: type[Measure]) -> str:
    """Return a table of the presets with the measure."""
    rows = []
    for preset in presets().values():
        mine = [m for m in preset.measures if c.__name__ in re.split(r"[(|@,.)\s]", m)[:2]]
        if mine:
            asked = ", ".join(f"`{m}`" for m in mine)
            rows.append([f"[{preset.name}](../presets.md#{_slug(preset.name)})", preset.year, asked])
    rows = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join(table(["preset", "year", "measures"], rows)) if rows else ""


def _papers(c: type[Measure]) -> str:
    listed = [f"- {escape_md(format_citation(key))}" for key in c.references]
    if not listed:
        return ""
    bibtex = "\n\n".join(read_references()[key] for key in c.references)
    return "\n".join([*listed, "", "<details><summary>BibTeX</summary>", "",
                      f"```bibtex\n{bibtex}\n```", "", "</details>"])  # fmt: skip
