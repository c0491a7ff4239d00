"""What is tried with bytes of all sorts: every reader, and the grammar of measures.

A target takes bytes. It returns if they are read, and raises a `CranfieldError` of one line if they
are refused; all else is a finding. `make fuzz-guided` looks for bytes that reach new code
(`guided.py`), and `test_guided.py` tries those again that are kept.
"""

from __future__ import annotations

import functools
import os
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, get_args

from cranfield.assess.assessments import read_assessments
from cranfield.assess.rules import read_rules
from cranfield.assess.strata import read_strata
from cranfield.data import (
    answers,
    audits,
    costs,
    descriptions,
    distributions,
    groups,
    hierarchies,
    impressions,
    intents,
    judged_answers,
    lengths,
    preference_pairs,
    preferences,
    results,
    sessions,
    texts,
    tracks,
    verticals,
)
from cranfield.data.ntcir import ir4qa, nev, topic_dirs
from cranfield.data.reading.columns import Kind, read_columns
from cranfield.data.reading.labels import read_labels
from cranfield.data.reading.source import Source
from cranfield.errors import CranfieldError
from cranfield.evaluation.presets import read_presets
from cranfield.evaluation.results import read_scores
from cranfield.measures.gains import parse_gain
from cranfield.measures.grammar import parse_measure, parse_measures, parse_model
from cranfield.tools.cwl_eval import parse_metric
from tests import ROOT
from tests.data.shapes import SHAPES
from tests.fuzz import tool_files
from tests.fuzz.mutations import TOKENS, own_files
from tests.fuzz.readers import read_twice

KEPT = ROOT / "tests" / "fuzz" / "guided"
SMALL = 3000  # bytes of a seed
SHORT = 40  # bytes of an entry of a dictionary


class Found(Exception):
    """What a target must never do, and does."""


@dataclass(frozen=True)
class Target:
    """Something that is given bytes."""

    name: str
    reads: Callable[[bytes], object]
    seeds: Callable[[], Iterable[bytes]]
    words: Callable[[], list[bytes]] = lambda: [word for word in TOKENS if 0 < len(word) < SHORT]

    def ask(self, content: bytes) -> bool:
        """Whether bytes are read; if they are refused, then in a line."""
        try:
            self.reads(content)
        except CranfieldError as error:
            if len(str(error).split("\n")) > 1 or not str(error):  # other signs are shown escaped
                raise Found(f"refused with {str(error)!r}") from None
            return False
        return True

    @property
    def kept(self) -> Path:
        return KEPT / f"{self.name}.zip"

    def corpus(self) -> dict[str, bytes]:
        """Inputs that reach different code, by the names they are kept with."""
        if not self.kept.exists():
            return {}
        with zipfile.ZipFile(self.kept) as file:
            return {name: file.read(name) for name in file.namelist()}


@functools.cache
def own_place() -> tempfile.TemporaryDirectory[str]:
    """Where the file of a process is; gone with it. In memory, where there is such a place."""
    return tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)  # noqa: S108


def of_file(read: Callable[[str], object], suffix: str = "") -> Callable[[bytes], object]:
    """Reads bytes from a file of this suffix."""

    def reads(content: bytes) -> object:
        path = Path(own_place().name, f"given{suffix}")
        path.write_bytes(content)
        made = read(str(path))
        return list(made) if isinstance(made, Iterator) else made

    return reads


@functools.cache
def files() -> tuple[bytes, ...]:
    """Small files of ours, and those that the documents show."""
    pages = sorted((ROOT / "docs").glob("*.md"))
    shown = re.compile(r'^```(?:text|toml) title="[^"\n]+"\n(.*?)^```$', re.M | re.S)
    blocks = [b.encode() for p in pages for b in shown.findall(p.read_text(encoding="utf-8"))]
    return tuple(dict.fromkeys(x for x in [*own_files().values(), *blocks] if len(x) < SMALL))


def _is_read(reads: Callable[[bytes], object]) -> Callable[[bytes], bool]:
    """Return a function that is True for bytes that are read."""

    def fine(content: bytes) -> bool:
        try:
            reads(content)
        except CranfieldError:
            return False
        return True

    return fine


def _seeds(reads: Callable[[bytes], object], own: Iterable[bytes]) -> Callable[[], Iterable[bytes]]:
    """Own ones, and those of all files that a reader takes."""
    return lambda: chain(own, filter(_is_read(reads), files()))


# -- readers --------------------------------------------------------------------------------------


def _source(read: Callable[[Source], object]) -> Callable[[str], object]:
    return lambda path: read(Source.from_path(path))


READERS: dict[str, Callable[[str], object]] = {
    "answers": answers.read_answers,
    "assessments": read_assessments,
    "assignments": judged_answers.read_assignments,
    "audit": audits.read_audit,
    "bank": judged_answers.read_bank,
    "clicks": sessions.read_clicks,
    "clicks-documents": lambda path: sessions.read_clicks(path, documents=True),
    "costs": costs.read_costs,
    "criteria": judged_answers.read_criteria,
    "distributions": distributions.read_distributions,
    "docs": lambda path: descriptions.read_docs(path, {"d1", "a1", "e1", "b1"}),
    "groups": groups.read_groups,
    "hierarchy": hierarchies.read_hierarchy,
    "impressions": impressions.read_impressions,
    "intents": intents.read_intents,
    "interleaving": impressions.read_interleaving,
    "ir4qa": _source(ir4qa.read_ir4qa),
    "lengths": lengths.read_lengths,
    "matches": texts.read_matches,
    "nuggets": texts.read_nuggets,
    "parents": hierarchies.read_parents,
    "preference-groups": preferences.read_judgment_groups,
    "preference-pairs": preference_pairs.read_preference_pairs,
    "preferences": preferences.read_preferences,
    "preferences-qrels": lambda path: preferences.read_preferences(path, "qrels_prefs"),
    "queries": descriptions.read_queries,
    "results": results.read_results,
    "scores": read_scores,
    "sessions": sessions.read_sessions,
    "support": judged_answers.read_support,
    "teams": tracks.read_teams,
    "texts": texts.read_texts,
    "topics": lambda path: tracks.read_topics(path, or_file=True),
    "verticals": verticals.read_verticals,
    "ntcir-rel": _source(topic_dirs.read_rel),
    "ntcir-list": _source(topic_dirs.read_list),
    "ntcir-labelled": _source(topic_dirs.read_labelled),
    "ntcir-din": _source(topic_dirs.read_din),
    "ntcir-dqrels": _source(topic_dirs.read_dqrels),
    "ntcir-nev": _source(nev.read_results),
}  # fmt: skip
TOML: dict[str, Callable[[str], object]] = {"presets": read_presets, "rules": read_rules}
SEEDS = {  # where no file of ours is read
    "audit": b"1 a 0.5 0.25\n1 b 0.25 2.0\n",
    "ntcir-din": b"1 nav a 1.6\n1 nav b 0.8\n2 inf a 0.2\n",
    "ntcir-nev": b"0001 AP= 0.5000\n0001 Q@0010= 0.25\n0002 AP= 1.0000\n",
    "presets": b"""[presets.mine]
task = "web"
measures = ["nDCG@l", "AP(rel=2)"]
settings.rigid = "rel=2: relevant documents only"
cutoff = 10
depth = 1000
[presets.other]
extends = "mine"
labels = { A = 2, B = 1 }
aliases = ["another"]
""",
    "rules": b"""otherwise = 0
[[rule]]
when = { Fluent = 1, Rich = "<2" }
score = 2
[criteria]
Fluent = [0, 1]
Rich = [0, 1, 2]
""",
}


def _pairs() -> Iterator[Target]:
    """Judgments and runs in all shapes, with and without a suffix that tells the format."""
    for kind in get_args(Kind):
        for suffix in ("", ".csv", ".tsv", ".json", ".jsonl"):
            reads = of_file(functools.partial(read_twice, kind), suffix)
            own = [x.content for x in SHAPES if x.kind == kind and x.suffix == suffix]
            own += [x for name, x in tool_files.FILES.items() if suffix and name.endswith(suffix)]
            yield Target(f"{kind}{suffix}", reads, _seeds(reads, own))


# -- the grammar ----------------------------------------------------------------------------------


def _measure(content: bytes) -> object:
    """A measure's name is a measure, and its canonical name the same one."""
    made = parse_measure(content.decode("utf-8", "surrogateescape"))
    again = parse_measure(str(made))
    if again != made or str(again) != str(made):
        raise Found(f"{made} is read back as {again}")
    return made


def _texts(read: Callable[[str], Any]) -> Callable[[bytes], object]:
    return lambda content: read(content.decode("utf-8", "surrogateescape"))


@functools.cache
def measure_names() -> tuple[bytes, ...]:
    """Measures as they are written in tests of names and in the documents, and as others do."""
    import cranfield as cf
    from cranfield.measures.names import ALIASES

    names = [*cf.REGISTRY, *ALIASES]
    written = "nDCG(gain=exp)@10 hit=Success@10 D(nDCG)@10 IA(ERR)@20 INST(T=2).EU ndcg_cut_10"
    written += " AP(rel=2) MSnDCG@0010 NCU(stop=u,utility=P) GAP(thresholds=1:2:3) ndcg@10-l2"
    written += " trec:map ntcir:Q-measure P@5,10 recall.5,10 RBP(p=0.5|0.8) iprec_at_recall_.10"
    return tuple(name.encode() for name in [*names, *written.split()])


def _parameters() -> list[bytes]:
    """What stands in the names of measures."""
    import cranfield as cf

    names = {f.name for c in cf.REGISTRY.values() for f in c.list_parameters()}
    signs = b"( ) , = @ : | . .EU .residual true false exp linear raw 1 0 0.5 1e9 - -l2 trec: ntcir:"
    return [*signs.split(), *(f"{name}=".encode() for name in sorted(names))]


TEXTS: dict[str, tuple[Callable[[bytes], object], list[bytes]]] = {
    "gain": (_texts(parse_gain), [b"exp", b"linear", b"1:2:3", b"0:0.5:2"]),
    "labels": (_texts(read_labels), [b"A=2,B=1,C=0", b"L2=1,L1=0"]),
    "columns": (_texts(read_columns), [b"topic=query,doc=passage", b"topic=1,doc=3"]),
    "strata": (_texts(read_strata), [b"1-10:1,11-100:0.2"]),
    "metric": (_texts(parse_metric), [b"RBPCWLMetric(0.9)", b"PrecisionCWLMetric(10)"]),
}


def _grammar() -> Iterator[Target]:
    names = lambda: list(measure_names())
    yield Target("measure", _measure, names, _parameters)
    yield Target("measures", _texts(parse_measures), names, _parameters)
    yield Target("model", _texts(parse_model), names, _parameters)
    for name, (reads, seeds) in TEXTS.items():
        yield Target(name, reads, functools.partial(list, seeds))


def _readers() -> Iterator[Target]:
    for name, read in {**READERS, **TOML}.items():
        reads = of_file(read, ".toml" if name in TOML else "")
        own = [SEEDS[name]] if name in SEEDS else []
        yield Target(name, reads, _seeds(reads, own))
    for name in ("scores", "preference-pairs", "clicks-documents", "sessions"):
        for suffix in (".json", ".jsonl", ".csv"):
            reads = of_file(READERS[name], suffix)
            own = [x for file, x in tool_files.FILES.items() if file.endswith(suffix)]
            if any(map(_is_read(reads), own)):
                yield Target(f"{name}{suffix}", reads, _seeds(reads, own))


TARGETS = {target.name: target for target in (*_pairs(), *_readers(), *_grammar())}
