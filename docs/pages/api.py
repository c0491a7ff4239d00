"""Reference pages of the public names, by theme, written from docstrings."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Collection, Iterator
from types import ModuleType
from typing import Any

from docstrings import Linked, prose, written
from measure_pages import files, linked
from measures import table

import cranfield as cf
from cranfield.measures.base import REGISTRY

WIDTH = 88
THEMES = {
    "evaluation": "Evaluate",
    "scores": "Scores",
    "data": "Judgments, runs and collections",
    "comparison": "Compare",
    "runs": "Runs against runs, fusion",
    "reconciliation": "Reconcile published scores",
    "records": "Records of computations",
    "labelling": "Which items count",
    "measures": "Custom measures",
    "assess": "Assessors and pools",
    "judging": "Judges and battles",
    "report": "HTML report",
    "tools": "Files of other tools",
    "errors": "Errors",
}
"""Rooms of public names and their titles, in the order of pages. Measures have their own pages."""

MODULES = {
    "stats": "Tests, intervals, effect sizes, power",
    "meta": "Meta-evaluation",
    "plot": "Figures",
    "spark": "Runs on a cluster",
    "compat": "Interfaces of other packages",
}
ON_ITS_PAGE = ("stats", "meta")  # functions are documented on the page of statistical functions


def pages() -> dict[str, str]:
    """Return all pages as Markdown, by path on the site."""
    themes = group_by_theme()
    made = {f"api/{room}.md": _theme(room, names) for room, names in themes.items()}
    made |= {f"api/{name}.md": _module(name) for name in MODULES}
    return {"api.md": _overview(themes), **made}


def group_by_theme() -> dict[str, list[str]]:
    """Return the public names by room, without measures."""
    homes = vars(cf)["_PUBLIC"]
    found: dict[str, list[str]] = {room: [] for room in THEMES}
    for module, names in homes.items():
        if module:
            found[module.partition(".")[0]] += names.split()
    return {room: sorted(names, key=_first_functions) for room, names in found.items()}


def _first_functions(name: str) -> tuple[bool, str]:
    return name[0].isupper(), name


def _overview(themes: dict[str, list[str]]) -> str:
    head = (
        "# Python\n\n`import cranfield as cf`: everything below, and the "
        f"[{len(REGISTRY)} measures](measures.md), `cf.nDCG` for one. Each name is imported on "
        "first use. [Evaluate a run](evaluate.md) shows an example."
    )
    parts = [head]
    for room, names in themes.items():
        rows = [[f"[`cf.{n}`](api/{room}.md#{_slug(n)})", _sentence(getattr(cf, n))] for n in names]
        parts.append(f"## {THEMES[room]}\n\n" + "\n".join(table(["", ""], rows)))
    rows = [[f"[`cf.{name}`](api/{name}.md)", title] for name, title in MODULES.items()]
    parts.append("## Modules\n\n" + "\n".join(table(["", ""], rows)))
    listed = "\n".join(f"api/{name}" for name in (*themes, *MODULES))
    parts.append(f"```{{toctree}}\n:hidden:\n\n{listed}\n```")
    return "\n\n".join(parts) + "\n"


def _slug(name: str) -> str:
    return f"cf{name.lower()}".replace(".", "")


def _sentence(thing: Any) -> str:
    """Return the first sentence of a docstring."""
    first = re.split(r"\n\s*\n|(?<=\.)\s", inspect.getdoc(thing) or "")[0]
    return prose(" ".join(first.split())).replace("|", "\\|")


def _theme(room: str, names: list[str]) -> str:
    parts = [f"# {THEMES[room]}"]
    for name in names:
        parts += document_name(f"cf.{name}", getattr(cf, name), link_names(room))
    return "\n\n".join(parts) + "\n"


def _module(name: str) -> str:
    module = getattr(cf, name)
    link = link_names(name)
    parts = [
        f"# cf.{name}: {MODULES[name][0].lower()}{MODULES[name][1:]}",
        written(module.__doc__, link),
    ]
    told = [x for x in module.__all__ if name in ON_ITS_PAGE and x[0].islower()]
    if told:
        rows = [
            [
                f"[`cf.{name}.{x}`](../statistics.md#{_slug(f'.{name}.{x}')})",
                _sentence(getattr(module, x)),
            ]
            for x in told
        ]
        parts += ["## Functions", "\n".join(table(["", ""], rows)), "## Results"]
    for public in sorted(set(module.__all__) - set(told), key=_first_functions):
        parts += document_name(f"cf.{name}.{public}", getattr(module, public), link, 3 if told else 2)
    return "\n\n".join(parts) + "\n"


def link_names(own: str) -> Linked:
    """Return a function that links names to their documentation. `own` is the current page."""
    themes = group_by_theme()
    homes = {name: room for room, names in themes.items() for name in names}
    measures = linked("../")

    def link(name: str) -> str:
        plain = name.removeprefix("cf.").removesuffix("()")
        if plain in files() and plain not in {"P", "U", "F", "E", "G", "D", "O", "Q", "T"}:
            return measures(name)
        if plain in homes:
            page = "" if homes[plain] == own else f"{homes[plain]}.md"
            return f"[`{name}`]({page}#{_slug(plain)})"
        return f"`{name}`"

    return link


def document_name(name: str, thing: Any, link: Linked, level: int = 2) -> Iterator[str]:
    """Yield heading, docstring and signature of a public name, and of the methods of a class."""
    yield f"{'#' * level} {name}"
    if isinstance(thing, ModuleType) or not callable(thing):
        yield written(inspect.getdoc(thing) or "", link)
        return
    yield from _describe_name(name.removeprefix("cf."), thing, link)
    if inspect.isclass(thing):
        for method, function in _methods(thing):
            yield f"{'#' * (level + 1)} {name.rpartition('.')[2]}.{method}"
            yield from _describe_name(method, function, link)


def _describe_name(name: str, thing: Any, link: Linked) -> Iterator[str]:
    """Yield first paragraph, signature and the rest of a docstring. Shared options are folded."""
    first, _, rest = (inspect.getdoc(thing) or "").partition("\n\n")
    rest, _, options = rest.partition("\nOptions\n")
    own = _parameters(thing)

    def linked_but_own(word: str) -> str:
        return f"`{word}`" if word in own else link(word)

    yield written(first, linked_but_own)
    if callable(thing):
        yield f"```python\n{_format_signature(name, thing)}\n```"
    yield written(rest, linked_but_own)
    if options:
        yield "<details><summary>Options</summary>"
        yield written(options, linked_but_own)
        yield "</details>"


def _parameters(thing: Any) -> Collection[str]:
    try:
        return inspect.signature(thing).parameters
    except (TypeError, ValueError):
        return ()


def _methods(c: type) -> Iterator[tuple[str, Any]]:
    """Yield the documented methods and properties of a class before inherited ones."""
    seen = set()
    for base in c.__mro__:
        if not base.__module__.startswith("cranfield"):
            continue
        for name, value in vars(base).items():
            public = not name.startswith("_") and name not in seen
            function = getattr(c, name, None) if isinstance(value, classmethod | staticmethod) else value
            is_told = inspect.isfunction(function) or inspect.ismethod(function) or isinstance(value, property)
            if public and is_told and (inspect.getdoc(value) or ""):
                seen.add(name)
                yield name, function


def _format_signature(name: str, function: Callable[..., Any]) -> str:
    """Format the signature, wrapped to the width of the page."""
    try:
        signature = inspect.signature(function)
    except ValueError:
        return name
    given = [*signature.parameters.values()]
    if given and given[0].name in {"self", "cls"}:
        signature = signature.replace(parameters=given[1:])
    text = re.sub(r"'([^']*)'", _unquote, str(signature))
    if len(name + text) <= WIDTH:
        return name + text
    shown = [re.sub(r"'([^']*)'", _unquote, str(p)) for p in _add_stars(signature)]
    arguments = ", ".join(x.replace(" ", "\u00a0") for x in shown) + ","
    lines = textwrap.wrap(arguments, WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    result = text[text.rindex(")") + 1 :]
    listed = textwrap.indent("\n".join(lines), "    ").replace("\u00a0", " ")
    return f"{name}(\n{listed}\n){result}"


def _add_stars(signature: inspect.Signature) -> Iterator[Any]:
    """Yield the parameters, with a star before keyword-only parameters."""
    starred = False
    for p in signature.parameters.values():
        starred |= p.kind is p.VAR_POSITIONAL
        if p.kind is p.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        yield p


def _unquote(found: re.Match[str]) -> str:
    """Remove the quotes of annotations, but not of defaults."""
    before = found.string[: found.start()]
    return found[1] if before.endswith((": ", "-> ")) else found[0]
