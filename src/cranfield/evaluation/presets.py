"""A preset is the configuration of a task: measures, gains and thresholds under one name, as in
`cranfield evaluate --preset beir qrels.txt bm25.run`. The built-in presets are MS MARCO, TREC DL,
BEIR, MTEB, TREC RAG, and the tasks in Tetsuya Sakai, *Graded Relevance Assessments and Graded
Relevance Measures of NTCIR: A Survey of the First Twenty Years*. Sections refer to the survey. `l`
is the cutoff: the value of `--cutoff`, otherwise the preset's cutoff. If the survey states none,
this is 10, or 1000 for ad hoc retrieval.

## Custom presets

Write a TOML file and pass it with `--presets FILE`:

```toml
[presets.my-task]
extends = "ntcir13-www-english"
measures = ["nDCG@l", "AP(rel=2)", "AP(rel=1)"]
settings.rigid = "rel=2: highly relevant documents only"
settings.relaxed = "rel=1: all relevant documents"
cutoff = 20
```

| key | meaning |
|---|---|
| `measures` | a list of measures, where `@l` is the cutoff |
| `cutoff` | default of l; without a default, `--cutoff` is required |
| `settings` | names of measures, with explanations |
| `labels` | levels of labels in the judgments, such as `{S = 3, A = 2, B = 1, C = 0}` |
| `depth` | number of documents read from each ranking |
| `condensed` | `true`: unjudged documents are removed, for all measures |
| `classes` | `true`: the task has equivalence classes (the first document of each class counts) |
| `groups` | `true`: the task has groups of documents that count together, at the last document |
| `extends` | another preset, which provides the missing keys |
| `aliases` | other names; not inherited |
| `task`, `round`, `year`, `section`, `levels`, `gains`, `reference`, `note` | for readers |

A name is not empty and has no spaces. A preset that extends a preset of another file (or a built-in
preset) inherits everything that is computed. It is another task, so `task`, `round`, `year`,
`section` and `reference` are not inherited.

`cranfield presets --presets FILE` checks the file and lists its presets after the built-in presets.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, fields, replace
from functools import cache
from typing import Any

from cranfield.data.reading.lines import to_number
from cranfield.data.reading.source import Source
from cranfield.data.reading.toml import read_toml
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.measures.grammar import parse_measures
from cranfield.wording import fold_text, format_names, format_option

AT_CUTOFF = re.compile(r"@l\b")
WIDTH = 100  # of a text outside a terminal
TASK_KEYS = ("task", "round", "year", "section", "reference")  # keys not inherited from other files
TEXT_KEYS = ("task", "round", "year", "section", "levels", "gains")  # keys with text values


@dataclass(frozen=True)
class Preset:
    """The measures and settings of a task.

    >>> preset("ntcir13-www-english").measures_at(20)
    ['nDCG@20', 'Q@20', 'nERR(prob=linear, gain=1:2:3:4)@20']
    >>> print(preset("ntcir7-ir4qa"))
    ntcir7-8-ir4qa
      task      retrieval for question answering (ACLIA IR4QA)
      round     7-8
      year      2008-2010
      section   4.3
      levels    L2,L1,L0
      gains     2,1,0
      measures  nDCG(gain=1:2)@l, Q(gain=1:2), AP
      cutoff    l = 1000
      depth     the first 1000 documents of each ranking
      overview  Sakai et al. 2008, 2010
      aliases   ntcir7-ir4qa, ntcir8-ir4qa
    """

    name: str
    task: str = ""
    round: str = ""  # of NTCIR
    year: str = ""
    section: str = ""  # of the survey
    levels: str = ""
    gains: str = ""
    labels: Mapping[str, float] = field(default_factory=dict)  # the levels of letters in qrels
    measures: tuple[str, ...] = ()  # @l is the cutoff
    settings: Mapping[str, str] = field(default_factory=dict)  # explanations of measures
    cutoff: int | None = None
    depth: int | None = None  # documents read from each ranking
    condensed: bool = False  # unjudged documents are removed
    classes: bool = False  # the task has equivalence classes: the first document of each counts
    groups: bool = False  # the task has combinational relevance: groups count at the last document
    reference: str = ""
    note: str = ""
    aliases: tuple[str, ...] = ()

    def measures_at(self, cutoff: int | None = None) -> list[str]:
        """Return the canonical names of the measures at a cutoff (default: the preset's)."""
        location = f"preset {self.name}"
        if cutoff is not None and not self.takes_cutoff:
            problem = f"cutoff {cutoff} has no effect: {', '.join(self.measures)} have no @l"
            raise InputError.from_problem(problem, where=location)
        l = self.cutoff if cutoff is None else cutoff
        if l is None and self.takes_cutoff:
            fix = f"Use {format_option('--cutoff N', 'cutoff=')} or the key cutoff."
            raise InputError.from_problem("no cutoff for @l", fix, location)
        measures = parse_measures(AT_CUTOFF.sub(f"@{l}", text) for text in self.measures)
        return [str(replace(m, condensed=True) if self.condensed else m) for m in measures]

    @property
    def takes_cutoff(self) -> bool:
        """True if a measure has the cutoff l."""
        return any(map(AT_CUTOFF.search, self.measures))

    def facts(self) -> list[tuple[str, str]]:
        """Return (name, text) of each fact about the preset."""
        text = [
            *((name, getattr(self, name)) for name in TEXT_KEYS),
            ("labels", ", ".join(f"{label}={level:g}" for label, level in self.labels.items())),
            ("measures", ", ".join(self.measures)),
            *self.settings.items(),
            ("cutoff", f"l = {self.cutoff}" if self.cutoff else ""),
            ("depth", f"the first {self.depth} documents of each ranking" if self.depth else ""),
            ("condensed", "unjudged documents are removed" if self.condensed else ""),
            ("classes", "the first document of each class counts" if self.classes else ""),
            ("groups", "a group of documents counts once, at the last" if self.groups else ""),
            ("overview", self.reference),
            ("note", self.note),
            ("aliases", ", ".join(self.aliases)),
        ]
        return [(name, fact) for name, fact in text if fact]

    def text(self, width: int = WIDTH) -> str:
        """Return all facts as text, in lines of the given width."""
        facts = self.facts()
        longest = max((len(name) for name, _ in facts), default=0)
        lines = [f"  {name:<{longest}}  {fact}" for name, fact in facts]
        parts = (part for line in lines for part in fold_text(line, width, longest + 4))
        return "\n".join([self.name, *parts])

    def __str__(self) -> str:
        return self.text()


class Presets(dict[str, Preset]):
    """Presets by name."""

    def __repr__(self) -> str:
        return f"<{format_names([*self], 'preset')}>"


def presets(file: str | os.PathLike[str] | None = None) -> dict[str, Preset]:
    """Return all presets by name: built-in presets and the presets of a TOML file."""
    return Presets(_load_built_in() | ({} if file is None else read_presets(file)))


def preset(name: str, file: str | os.PathLike[str] | None = None) -> Preset:
    """Return the preset with a name or alias.

    >>> preset("ntcir4-clir").name
    'ntcir3-5-clir'
    """
    if not isinstance(name, str):
        raise InputError(f"preset {name!r}", "a name")
    by_name = _index_by_name(presets(file).values())
    if name not in by_name:
        raise CranfieldError(f"unknown preset {name!r}{_suggest_name(name, by_name)}")
    return by_name[name]


def read_presets(path: str | os.PathLike[str]) -> dict[str, Preset]:
    """Read the presets of a TOML file. They may extend each other and built-in presets."""
    return _read(Source.from_path(path), _index_by_name(_load_built_in().values()))


@cache
def _load_built_in() -> dict[str, Preset]:
    """Load the built-in presets: twenty years of NTCIR and popular tasks."""
    return _read(Source.from_path(os.path.join(os.path.dirname(__file__), "presets.toml")), {})


def get_preset_text(name: str) -> str | None:
    """Return the TOML text of a built-in preset, with the presets that it extends, or None."""
    texts = _split_built_in_text()
    if name not in texts:
        return None
    base = re.search(r'^extends = "([^"]+)"', texts[name], re.MULTILINE)
    return texts[name] + ((get_preset_text(base[1]) or "") if base else "")


@cache
def _split_built_in_text() -> dict[str, str]:
    """Return the text of each table of the file of built-in presets."""
    source = Source.from_path(os.path.join(os.path.dirname(__file__), "presets.toml"))
    parts = re.split(r"^(?=\[presets\.)", source.read().decode(), flags=re.MULTILINE)[1:]
    return {part[len("[presets.") : part.index("]")].strip('"'): part for part in parts}


def _index_by_name(all_presets: Iterable[Preset]) -> dict[str, Preset]:
    return {name: p for p in all_presets for name in (p.name, *p.aliases)}


def _suggest_name(name: str, names: Iterable[str]) -> str:
    import difflib

    similar = [candidate for candidate in names if name and name in candidate][:3]
    similar = similar or difflib.get_close_matches(name, [*names], n=3)
    return f". Did you mean {' or '.join(similar)}?" if similar else ". Run `cranfield presets` for a list."


# -- reading presets ------------------------------------------------------------------------------


def _read(source: Source, built_in: Mapping[str, Preset]) -> dict[str, Preset]:
    tables = {name: _check_keys(keys, f"{source.name}: preset {name}") for name, keys in _read_tables(source).items()}
    result: dict[str, Preset] = {}
    taken_names = dict.fromkeys(built_in, "is built in")
    for name, keys in tables.items():
        location = f"{source.name}: preset {name}"
        for any_name in (name, *keys.get("aliases", ())):
            if not re.fullmatch(r"\S+", any_name):
                problem = f"invalid name {any_name!r}: empty or with spaces"
                raise InputError.from_problem(problem, where=location)
            if any_name in taken_names:
                problem = f"duplicate name {any_name!r}: it {taken_names[any_name]}"
                raise InputError.from_problem(problem, where=location)
            taken_names[any_name] = f"is preset {name}'s"
        result[name] = Preset(**_resolve_preset(name, tables, built_in, source.name))
        _check_measures(result[name], location)
    return result


def _read_tables(source: Source) -> dict[str, Any]:
    """Return the TOML tables of the presets by name."""
    content = read_toml(source)
    unknown_key = next((key for key in content if key != "presets"), None)
    if unknown_key is not None or not isinstance(content.get("presets"), dict) or not content["presets"]:
        text = "no presets" if unknown_key is None else f"key {unknown_key!r}"
        raise InputError(text, "tables named [presets.NAME]", source.name)
    return dict(content["presets"])


Kind = tuple[Callable[[Any], bool], str]
TEXT: Kind = (lambda x: isinstance(x, str), "text")
FLAG: Kind = (lambda x: isinstance(x, bool), "true or false")
COUNT: Kind = (lambda x: type(x) is int and x >= 1, "an integer ≥ 1")
TEXTS: Kind = (lambda x: isinstance(x, list) and all(map(TEXT[0], x)), "a list of texts")
TEXT_TABLE: Kind = (lambda x: isinstance(x, dict) and all(map(TEXT[0], x.values())), "texts by name")
LEVELS: Kind = (
    lambda x: isinstance(x, dict) and all(to_number(level) is not None for level in x.values()),
    "levels by label such as {A = 2, B = 1}",
)
SPECIAL: dict[str, Kind] = {
    **dict.fromkeys(("measures", "aliases"), TEXTS),
    **dict.fromkeys(("condensed", "classes", "groups"), FLAG),
    **dict.fromkeys(("cutoff", "depth"), COUNT),
    "settings": TEXT_TABLE,
    "labels": LEVELS,
}
KEYS = {f.name: SPECIAL.get(f.name, TEXT) for f in fields(Preset) if f.name != "name"}
KEYS["extends"] = TEXT
KEYS["year"] = (lambda x: isinstance(x, str) or type(x) is int, "text or an integer")


def _check_keys(keys: Any, location: str) -> dict[str, Any]:
    """Return the keys of a preset. Raise an error for unknown keys and invalid values."""
    if not isinstance(keys, dict):
        raise InputError(repr(keys), "a table", location)
    for key, value in keys.items():
        if key not in KEYS:
            raise InputError(f"key {key!r}", f"some of {', '.join(KEYS)}", location)
        is_valid, expected = KEYS[key]
        if not is_valid(value):
            raise InputError(f"{key} = {value!r}", expected, location)
    converted = {key: tuple(x) if isinstance(x, list) else x for key, x in keys.items()}
    return converted | ({"year": str(keys["year"])} if "year" in keys else {})


def _resolve_preset(
    name: str,
    tables: Mapping[str, dict[str, Any]],
    built_in: Mapping[str, Preset],
    file: str,
    descendants: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return the keys of a preset with the keys of the preset that it extends.

    Aliases are not inherited. Information about the task is inherited within a file only.
    """
    keys = tables[name] | {"name": name}
    base = keys.pop("extends", None)
    if base is None:
        return keys
    location = f"{file}: preset {name}"
    if base in (name, *descendants):
        raise InputError(f"extends = {base!r}", "a preset that does not extend this one", location)
    if base in tables:
        inherited = _resolve_preset(base, tables, built_in, file, (name, *descendants))
    elif base in built_in:
        inherited = {key: x for key, x in vars(built_in[base]).items() if key not in TASK_KEYS}
    else:
        suggestion = _suggest_name(base, [*tables, *built_in])
        raise InputError(f"extends = {base!r}", f"the name of a preset{suggestion}", location)
    return {key: x for key, x in inherited.items() if key != "aliases"} | keys


def _check_measures(p: Preset, location: str) -> None:
    """Raise an error for missing or unknown measures."""
    if not p.measures:
        problem = "no measures"
        raise InputError.from_problem(problem, 'Example: measures = ["AP", "nDCG@10"]', location)
    if re.fullmatch(r"[\d.]+(:[\d.]+)+", p.gains):
        fix = "The key gains is a text for readers. Set gains of measures: nDCG(gain=1:2)@l"
        raise InputError.from_problem(f"gains = {p.gains!r}", fix, location)
    try:
        p.measures_at(1 if p.cutoff is None and p.takes_cutoff else None)
    except CranfieldError as problem:
        raise CranfieldError(f"{location}: {problem}") from None
