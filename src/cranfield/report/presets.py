"""The presets as a page: what they do, in their own words."""

from __future__ import annotations

from collections.abc import Sequence

from cranfield.evaluation.presets import Preset
from cranfield.report.catalogue import escaped

HEAD = """# Presets

Printed by `cranfield presets -f markdown`: what is said here is what `--preset` does.

A preset is what a task evaluates with: measures, gains and thresholds under one name, as in
`cranfield evaluate --preset ntcir13-www-english qrels.txt bm25.run`. The built-in ones are the
tasks of Tetsuya Sakai, *Graded Relevance Assessments and Graded Relevance Measures of NTCIR: A
Survey of the First Twenty Years*; sections are the survey's. `l` is the cutoff: yours with
`--cutoff`, else the preset's, which is 10 or, for ad hoc retrieval, 1000 where the survey states
none.

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
| `cutoff` | what l is, unless the user says otherwise; without it, the user must |
| `settings` | texts that explain which measure means what |
| `labels` | levels of labels in the judgments, such as `{S = 3, A = 2, B = 1, C = 0}` |
| `depth` | so many items of each list are looked at |
| `condensed` | `true`: unjudged items are left out, for all measures |
| `classes` | `true`: the task has equivalence classes; the first item of each counts |
| `groups` | `true`: the task has groups of items that count together, at their last one |
| `extends` | another preset, whose keys hold where this one has none |
| `aliases` | other names; not inherited |
| `task`, `round`, `year`, `section`, `levels`, `gains`, `reference`, `note` | for people |

A name is not empty and has no blanks. A preset that extends one of another file, such as a built-in
one, takes over what is computed, and how. It is not the same task, so `task`, `round`, `year`,
`section` and `reference` are its own or none.

`cranfield presets --presets FILE` checks the file and lists its presets after the built-in ones.
"""


def markdown(wanted: Sequence[Preset]) -> str:
    """How to write presets, a table of them all, and a section for each."""
    head = ["preset", "round", "year", "levels", "gains", "measures", "section"]
    table = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for p in wanted:
        measures = ", ".join(f"`{m}`" for m in p.measures)
        cells = [p.round, p.year, *map(_escaped, (p.levels, p.gains)), measures, p.section]
        table.append(f"| [{p.name}](#{p.name}) | {' | '.join(cells)} |")
    said = "## All\n\n" + "\n".join(table)
    return "\n\n".join([HEAD.strip(), said, *map(_section, wanted)]) + "\n"


def _section(p: Preset) -> str:
    lines = [f"- {_escaped(name)}: {_escaped(fact)}" for name, fact in p.facts() if name != "task"]
    parts = [f"### {p.name}", _escaped(p.task), "\n".join(lines)]
    return "\n\n".join(filter(None, parts))


def _escaped(text: str) -> str:
    return escaped(text).replace("|", "\\|")
