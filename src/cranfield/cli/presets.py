"""`cranfield presets`: what tasks evaluate with, listed."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from cranfield.errors import CranfieldError
from cranfield.presets import Preset, presets

COLUMNS = (
    "name", "task", "round", "year", "section", "levels", "gains", "cutoff", "measures", "waiting",
)  # fmt: skip

HEAD = """# Presets

Printed by `cranfield presets -f markdown`: what is said here is what `--preset` does.

A preset is what a task evaluates with: measures, gains and thresholds under one name, as in
`cranfield evaluate --preset ntcir13-www-english qrels.txt bm25.run`. The built-in ones are the
tasks of Tetsuya Sakai, *Graded Relevance Assessments and Graded Relevance Measures of NTCIR: A
Survey of the First Twenty Years*; sections are the survey's. `l` is the cutoff: yours with
`--cutoff`, else the preset's, which is 10 or, for ad hoc retrieval, 1000 where the survey states
none. Measures under *waiting* will come with the diversity measures; a preset that has no others
cannot be used before that.

## Your own

Write a TOML file and name it with `--presets FILE`:

```toml
[presets.my-task]
extends = "ntcir13-www-english"
measures = ["nDCG@l", "AP(rel=2)", "AP(rel=1)"]
settings.rigid = "rel=2: highly relevant documents only"
settings.relaxed = "rel=1: relevant documents, too"
cutoff = 20
```

| key | meaning |
|---|---|
| `measures` | a list of measures; `@l` is the cutoff |
| `cutoff` | what l is, unless the user says otherwise |
| `settings` | texts that explain which measure means what |
| `labels` | levels of labels in the judgments, such as `{S = 3, A = 2, B = 1, C = 0}` |
| `depth` | so many items of each list are looked at |
| `condensed` | `true`: unjudged items are left out, for all measures |
| `classes` | `true`: the task has equivalence classes; the first item of each counts |
| `groups` | `true`: the task has groups of items that count together, at their last one |
| `extends` | another preset, whose keys hold where this one has none; aliases are not inherited |
| `aliases` | other names |
| `waiting` | measures that do not exist yet |
| `task`, `round`, `year`, `section`, `levels`, `gains`, `reference`, `note` | for people |

`cranfield presets --presets FILE` checks the file and lists its presets after the built-in ones.
"""


def add_to(commands: Any) -> None:
    """Declare the command."""
    p = commands.add_parser(
        "presets",
        help="list the presets: what tasks evaluate with",
        description="All presets, with their levels, gains and measures; those in whose entry "
        "every WORD occurs; or one, in full, by its name.",
    )
    p.add_argument("words", metavar="WORD", nargs="*", help="such as web, or Q, or ntcir6-clir")
    p.add_argument("--presets", metavar="FILE", help="a TOML file with presets of your own")
    p.add_argument(
        "-f", "--format", choices=("list", "tsv", "json", "markdown"), default="list",
        help="a list (default), a table, all that is known, or the whole page",
    )  # fmt: skip
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """List the presets."""
    known = presets(options.presets)
    named = [p for p in known.values() if options.words in ([x] for x in (p.name, *p.aliases))]
    wanted = named or [
        p for p in known.values() if all(w.lower() in str(p).lower() for w in options.words)
    ]
    if not wanted:
        raise CranfieldError(f"found no preset with {' '.join(options.words)!r} in its entry")
    match options.format:
        case "tsv":
            print("\n".join("\t".join(row) for row in [COLUMNS, *map(_row, wanted)]))
        case "json":
            print(json.dumps([asdict(p) for p in wanted], ensure_ascii=False, indent=2))
        case "markdown":
            print(_page(wanted), end="")
        case _ if named:
            print(named[0])
        case _:
            print("\n".join(map(_entry, wanted)))
            many = f"{len(wanted)} of {len(known)}" if options.words else str(len(known))
            print(f"\n{many} presets. `cranfield presets NAME` tells more.")
    return 0


def _entry(p: Preset) -> str:
    when = {"round": p.round, "year": p.year, "section": p.section}
    facts = {
        "levels": p.levels,
        "gains": p.gains,
        "cutoff": f"l = {p.cutoff}" if p.cutoff else "",
        "measures": ", ".join(p.measures),
        "waiting for the diversity measures": ", ".join(p.waiting),
    }
    told = ", ".join(f"{name} {text}" for name, text in when.items() if text)
    first = "; ".join(text for text in (p.task, told) if text)
    rest = [f"{name}: {text}" for name, text in facts.items() if text]
    return "\n".join([p.name, *(f"  {line}" for line in (first, *rest) if line)])


def _row(p: Preset) -> list[str]:
    """The cells of a preset, each on one line; measures are as -m takes them."""
    texts = {
        **{name: getattr(p, name) for name in COLUMNS},
        "cutoff": str(p.cutoff or ""),
        "measures": " ".join(p.measures),
        "waiting": ", ".join(p.waiting),
    }
    return [" ".join(text.split()) for text in texts.values()]


def _page(wanted: Sequence[Preset]) -> str:
    head = ["preset", "round", "year", "levels", "gains", "measures", "section"]
    table = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for p in wanted:
        waiting = [f"*{_escaped(name)}*" for name in p.waiting]
        measures = ", ".join([*(f"`{m}`" for m in p.measures), *waiting])
        cells = [p.round, p.year, *map(_escaped, (p.levels, p.gains)), measures, p.section]
        table.append(f"| [{p.name}](#{p.name}) | {' | '.join(cells)} |")
    said = "## All\n\nMeasures in italics are waiting.\n\n" + "\n".join(table)
    return "\n\n".join([HEAD.strip(), said, *map(_section, wanted)]) + "\n"


def _section(p: Preset) -> str:
    lines = [f"- {_escaped(name)}: {_escaped(fact)}" for name, fact in p.facts() if name != "task"]
    return "\n".join([f"### {p.name}", "", _escaped(p.task), "", *lines])


def _escaped(text: str) -> str:
    return text.replace("*", "\\*").replace("_", "\\_").replace("<", "&lt;").replace("|", "\\|")
