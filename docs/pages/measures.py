"""Page of all measures, written from their docstrings."""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from cranfield.measures.base import PROPERTIES, READINGS, REGISTRY, TAKES, Measure
from cranfield.measures.cwl import UserModel
from cranfield.measures.names import list_aliases
from cranfield.measures.notation import NOTATION
from cranfield.measures.parameters import format_value
from cranfield.references import format_citation

HEAD = """# Measures

This page is generated from the measures. `cranfield explain` prints the same text.

The syntax of a measure is `Name(param=value, …)@cutoff`. Measures of rankings accept a cutoff, unless their
entry states the opposite. They have the parameter `condensed`, which removes unjudged items.

"""


NOT_HERE = {
    "ADM, average distance measure (Della Mea and Mizzaro 2004)":
        "compares scores with levels on the same scale. The scores of most runs are no estimates of levels",
    "d\\_rank, a distance between ranks":
        "several definitions exist, and no paper was available. Use `PairAccuracy`, `Compat` or the rank "
        "correlations of `cranfield meta`",
    "EBU, expected browsing utility (Yilmaz et al. 2010)":
        "needs the probabilities of clicks and of leaving for each level, estimated from a click log. No paper "
        "with the formula was available. `ERR` and `TBG` are similar. `cf.measure` accepts a function with "
        "custom probabilities",
    "pyramid scores (Nenkova et al. 2007)":
        "weight a content unit by the number of references that contain it. `WRecall` accepts such weights. The "
        "construction of the ideal summary was not available",
    "score adjustment (Webber and Park 2009)":
        "needs additional judgments of the documents that only new runs retrieved. `cranfield pool --unjudged` "
        "lists these documents",
    "statAP (Aslam et al. 2006)":
        "samples each document with its own probability. No paper or program was available. If all documents of a "
        "stratum have the same probability, use `xinfAP` or `infNDCG`",
}  # fmt: skip
SOURCES = """Sources of measures without a paper of their own:

- `xinfAP`, `infNDCG`: TREC's program sample\\_eval.pl (clinical tracks), compared by topic to the four digits that it
  prints
- `PRES`: web page and slides of its authors, including bounds and example
- `ESL`: Cooper's formula for ties as cited by other papers. Tests derive it from all orders of tied documents
- `PMP` and the family-wise error rate: Sakai's lecture, footnote 13 and section 4.4
- `IA(U, trail=shared)`: equations 30 and 31 of the same lecture, with one text for all intents
- `U(position=end).EU`: equation 20 of the same lecture, as a user model
- `BLEU`: the package sacrebleu"""


def page() -> str:
    """Return the page: properties, then all measures by family."""
    classes = REGISTRY.values()
    symbols = [f"- {escape_md(name)}: {escape_md(text)}" for name, text in NOTATION.items()]
    parts = [HEAD, "Notation, at rank r:", "\n".join(symbols)]
    slugs = anchors(classes)
    parts.append(properties(classes, lambda c: f"#{slugs[c]}"))
    for module, members in families().items():
        about, _, more = inspect.cleandoc(sys.modules[module].__doc__ or module).partition("\n")
        parts.append(f"## {about.rstrip('.')}\n\n{escape_md(more.strip())}".rstrip())
        parts += [_entry(c) for c in members]
    parts.append(not_here())
    return "\n\n".join(part.strip() for part in parts) + "\n"


def not_here() -> str:
    """Return the section about measures of papers that cranfield does not compute."""
    told = "cranfield does not compute these measures: a definition or a paper was missing."
    rows = table(["measure", "reason"], NOT_HERE.items())
    return "\n".join(["## Missing measures", "", told, "", *rows, "", SOURCES])


def families() -> dict[str, list[type[Measure]]]:
    """Return the measures of each module."""
    found: dict[str, list[type[Measure]]] = {}
    for c in REGISTRY.values():
        found.setdefault(c.__module__, []).append(c)
    return found


def anchors(classes: Iterable[type[Measure]]) -> dict[type[Measure], str]:
    """Return the anchors of headings. Names that differ only in case get a number."""
    slugs: dict[type[Measure], str] = {}
    for c in classes:
        name = c.__name__.lower()
        before = sum(other.__name__.lower() == name for other in slugs)
        slugs[c] = name + f"-{before}" * bool(before)
    return slugs


def properties(classes: Iterable[type[Measure]], where: Callable[[type[Measure]], str]) -> str:
    """Return a table of the properties of measures, with links."""
    rows = [
        [f"[{c.__name__}]({where(c)})", *("✓" if x in c.properties else "" for x in PROPERTIES)]
        for c in sorted(classes, key=lambda c: c.__name__.lower())
        if c.effectiveness
    ]
    text = [f"- *{name}*: {meaning}" for name, meaning in PROPERTIES.items()]
    made = table(["measure", *PROPERTIES], rows, ":---:")
    return "\n".join(["## Properties", "", *text, "", *made])


def table(head: Sequence[str], rows: Iterable[Sequence[str]], side: str = "---") -> list[str]:
    """Return the lines of a table. `side` aligns all columns but the first.

    >>> table(["measure", "range"], [["AP", "0 to 1"]], "---:")
    ['| measure | range |', '|---|---:|', '| AP | 0 to 1 |']
    """
    first, *others = [f"| {' | '.join(row)} |" for row in (head, *rows)]
    return [first, f"|---{f'|{side}' * (len(head) - 1)}|", *others]


def _entry(c: type[Measure]) -> str:
    title, _, rest = inspect.cleandoc(c.__doc__ or "").partition("\n")
    body = rest.partition("\nParameters:\n")[0].strip()
    lines = [f"### {c.__name__}", "", escape_md(title)]
    if body:
        lines += ["", "```text", body, "```"]
    lines += ["", *parameters(c), *_facts(c)]
    return "\n".join(lines)


def parameters(c: type[Measure]) -> list[str]:
    """Return a line for each parameter of a measure that the page or family does not explain."""
    of_models = {f.name for f in UserModel.list_parameters()} if issubclass(c, UserModel) else set()
    return [parameter(f) for f in c.list_parameters() if f.name not in {"condensed", *of_models}]


def _facts(c: type[Measure]) -> list[str]:
    """Return a line for each fact about a measure."""
    text = {
        "Scores": f"{c.takes} (`cranfield {TAKES[c.takes]}`)" if c.takes != "lists" else "",
        "The number behind @": "" if c.cutoff_meaning == Measure.cutoff_meaning else c.cutoff_meaning,
        "Also": ", ".join(f"`{c.__name__}.{m}`" for m in c.measurements),
        "As a user model": _as_model(c),
        "Range": escape_md(c.range),
        "Properties": ", ".join(c.properties),
        "Suits": c.task,
        "Other names": ", ".join(f"`{name}`" for name in list_aliases(c.__name__)),
    }
    lines = [f"- {name}: {fact}" for name, fact in text.items() if fact]
    return lines + [f"- {escape_md(format_citation(key))}" for key in c.references]


def _as_model(c: type[Measure]) -> str:
    """Return a link to the C/W/L user model of a measure."""
    if issubclass(c, UserModel):
        return f"[its page](models/{c.__name__}.md)"
    model = READINGS.get(c.__name__)
    return "" if model is None else f"[`{c.__name__}.EU`](models/{model.__name__}.md)"


def parameter(f: dataclasses.Field[Any]) -> str:
    """Format a parameter with its default and meaning."""
    return f"- `{f.name}={format_value(f.default)}`: {escape_md(str(f.metadata.get('doc', '')))}"


def escape_md(text: str) -> str:
    """Escape the special characters of Markdown."""
    return text.replace("*", "\\*").replace("_", "\\_").replace("<", "&lt;")
