"""The catalogue of measures as a page: every word of it is the measures' own."""

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

Every measure is written `Name(param=value, …)@cutoff`. Measures of ranked lists take a cutoff
unless they say otherwise, and have the parameter `condensed` (leave unjudged items out).

"""


NOT_HERE = {
    "ADM, average distance measure (Della Mea and Mizzaro 2004)":
        "compares the scores of a system with levels on one scale: systems would have to estimate "
        "relevance itself, and runs do not",
    "d\\_rank, a distance between ranks":
        "several definitions go by the name, and none was at hand; `PairAccuracy`, `Compat` and "
        "the rank correlations of `cranfield meta` compare orders",
    "EBU, expected browsing utility (Yilmaz et al. 2010)":
        "needs how likely clicks on documents of each level are, and leaving after them: tables of "
        "one search engine's log. The same authors propose it a year before, too (Incorporating "
        "user behavior information in IR evaluation, CEUR-WS 512); of the one paper only the "
        "abstract was found, of the other that and the beginning, without a formula. A program for "
        "click models counts P(click \\| level) and P(leave \\| click, level) in a log for it, and "
        "does not compute it. `ERR` and `TBG` are relatives; `cf.measure` takes a function with "
        "your own numbers",
    "pyramid scores (Nenkova et al. 2007)":
        "weigh what a summary says by how many references say it. `WRecall` takes such weights; "
        "how the best summary of the same size is made up was not at hand",
    "score adjustment (Webber and Park 2009)":
        "needs new judgments of what only new runs found: `cranfield pool --unjudged` lists it",
    "statAP (Aslam et al. 2006)":
        "samples each document with a probability of its own; neither paper nor program was at "
        "hand. Where all documents of a stratum are as likely, there are `xinfAP` and `infNDCG`",
}  # fmt: skip
SOURCES = """What those were written from that came last:

- `xinfAP`, `infNDCG`: TREC's program sample\\_eval.pl (of the clinical tracks), compared topic by
  topic to the four digits that it prints
- `PRES`: its authors' page and slides, whose bounds and example it has
- `ESL`: Cooper's formula for ties, as others cite it; tests derive it from all orders of tied
  documents
- `PMP`, and the family-wise error rate: Sakai's lecture, footnote 13 and section 4.4
- `IA(U, trail=shared)`: equations 30 and 31 there, with one text for all intents
- `U(position=end).EU`: equation 20 there, as a user model
- `BLEU`: the package sacrebleu"""


def page() -> str:
    """All measures, family by family, with their properties in a table."""
    classes = REGISTRY.values()
    symbols = [f"- {escaped(name)}: {escaped(text)}" for name, text in NOTATION.items()]
    parts = [HEAD, "Notation, at rank r:", "\n".join(symbols)]
    slugs = anchors(classes)
    parts.append(properties(classes, lambda c: f"#{slugs[c]}"))
    for module, members in families().items():
        about, _, more = inspect.cleandoc(sys.modules[module].__doc__ or module).partition("\n")
        parts.append(f"## {about.rstrip('.')}\n\n{escaped(more.strip())}".rstrip())
        parts += [_entry(c) for c in members]
    parts.append(not_here())
    return "\n\n".join(part.strip() for part in parts) + "\n"


def not_here() -> str:
    """What is named in papers on evaluation, and is no measure here."""
    told = "Where nothing was at hand that pins a number down, none is made up."
    rows = table(["measure", "why it is not here"], NOT_HERE.items())
    return "\n".join(["## Not here, and why", "", told, "", *rows, "", SOURCES])


def families() -> dict[str, list[type[Measure]]]:
    """The measures of each module."""
    found: dict[str, list[type[Measure]]] = {}
    for c in REGISTRY.values():
        found.setdefault(c.__module__, []).append(c)
    return found


def anchors(classes: Iterable[type[Measure]]) -> dict[type[Measure], str]:
    """What a page calls its headings: those that differ in case only are numbered."""
    slugs: dict[type[Measure], str] = {}
    for c in classes:
        name = c.__name__.lower()
        before = sum(other.__name__.lower() == name for other in slugs)
        slugs[c] = name + f"-{before}" * bool(before)
    return slugs


def properties(classes: Iterable[type[Measure]], where: Callable[[type[Measure]], str]) -> str:
    """A table of what can be said of measures, and where each leads to."""
    rows = [
        [f"[{c.__name__}]({where(c)})", *("✓" if x in c.properties else "" for x in PROPERTIES)]
        for c in sorted(classes, key=lambda c: c.__name__.lower())
        if c.effectiveness
    ]
    text = [f"- *{name}*: {meaning}" for name, meaning in PROPERTIES.items()]
    made = table(["measure", *PROPERTIES], rows, ":---:")
    return "\n".join(["## Properties", "", *text, "", *made])


def table(head: Sequence[str], rows: Iterable[Sequence[str]], side: str = "---") -> list[str]:
    """The lines of a table; all columns but the first are written to a side.

    >>> table(["measure", "range"], [["AP", "0 to 1"]], "---:")
    ['| measure | range |', '|---|---:|', '| AP | 0 to 1 |']
    """
    first, *others = [f"| {' | '.join(row)} |" for row in (head, *rows)]
    return [first, f"|---{f'|{side}' * (len(head) - 1)}|", *others]


def _entry(c: type[Measure]) -> str:
    title, _, rest = inspect.cleandoc(c.__doc__ or "").partition("\n")
    body = rest.partition("\nParameters:\n")[0].strip()
    lines = [f"### {c.__name__}", "", escaped(title)]
    if body:
        lines += ["", "```text", body, "```"]
    lines += ["", *parameters(c), *_facts(c)]
    return "\n".join(lines)


def parameters(c: type[Measure]) -> list[str]:
    """The parameters of a measure, a line for each, but those that the head of the page, or of the
    family, tells of.
    """
    of_models = {f.name for f in UserModel.list_parameters()} if issubclass(c, UserModel) else set()
    return [parameter(f) for f in c.list_parameters() if f.name not in {"condensed", *of_models}]


def _facts(c: type[Measure]) -> list[str]:
    """What else there is to know of a measure, a line for each."""
    text = {
        "Scores": f"{c.takes} (`cranfield {TAKES[c.takes]}`)" if c.takes != "lists" else "",
        "The number behind @": "" if c.cutoff_meaning == Measure.cutoff_meaning else c.cutoff_meaning,
        "Also": ", ".join(f"`{c.__name__}.{m}`" for m in c.measurements),
        "As a user model": _as_model(c),
        "Range": escaped(c.range),
        "Properties": ", ".join(c.properties),
        "Suits": c.task,
        "Other names": ", ".join(f"`{name}`" for name in list_aliases(c.__name__)),
    }
    lines = [f"- {name}: {fact}" for name, fact in text.items() if fact]
    return lines + [f"- {escaped(format_citation(key))}" for key in c.references]


def _as_model(c: type[Measure]) -> str:
    """Where the C/W/L reading of a measure is told of."""
    if issubclass(c, UserModel):
        return f"[its page](models/{c.__name__}.md)"
    model = READINGS.get(c.__name__)
    return "" if model is None else f"[`{c.__name__}.EU`](models/{model.__name__}.md)"


def parameter(f: dataclasses.Field[Any]) -> str:
    """A parameter, its default and what it means."""
    return f"- `{f.name}={format_value(f.default)}`: {escaped(str(f.metadata.get('doc', '')))}"


def escaped(text: str) -> str:
    """A text that Markdown shows as it is."""
    return text.replace("*", "\\*").replace("_", "\\_").replace("<", "&lt;")
