"""What every measure and method is checked against as a page, written from markers of the tests."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import version

import methods
from measures import escaped, families, table

from tests import evidence
from tests.evidence import DROP_INS, INTERVAL, PEERS, WAYS, Check

HEAD = """# What every number was checked against

A number that nobody else computed proves nothing. This page says for each measure and each method
which paper prints it, which other program gives the same, whether it was written a second time, and
what else was asked of it. It is written from markers in the tests (`@checks(…)`, [how they
work](testing.md#what-is-checked-against-what)), so it says what is run; a link leads to the test.
A test fails if a measure has neither a paper, nor a peer, nor a second writing; and a marked test
fails if it does not ask for what its marker names.
"""
OTHERS = {
    "Judges, battles and audits": ("cf.judge", "cf.battles", "cf.audit"),
    "Assessors and pools": (
        *(f"cf.assess.agreement.{name}" for name in
          ("cohen_kappa", "fleiss_kappa", "krippendorff_alpha")),
        "cf.assess.aggregate.majority", "cf.pool",
    ),
    "Drop-ins for other tools": tuple(DROP_INS),
}  # fmt: skip
OUTSIDE = "neither a paper, nor a peer, nor a second writing checks"
COLUMNS = ("paper", "peer", "second writing", "by hand", "property", "enumeration, simulation")


def page() -> str:
    """The page as Markdown."""
    if missing := evidence.unchecked():
        raise SystemExit(f"{OUTSIDE} {', '.join(missing)}")
    checks = evidence.gathered()
    parts = [HEAD, *_ways(), *_peers(), "## Measures"]
    for module, members in families().items():
        title = (sys.modules[module].__doc__ or module).strip().partition("\n")[0].rstrip(".")
        names = [c.__name__ for c in members]
        parts += [f"### {title}", *_table("measure", names, checks)]
    parts += ["## Methods", *_intervals(checks)]
    for title, (room, *functions) in methods.GROUPS.items():
        parts += [f"### {title}", *_table("method", [f"cf.{room}.{n}" for n in functions], checks)]
    for title, items in OTHERS.items():
        parts += [f"### {title}", *_table("what", items, checks)]
    return "\n\n".join(part.strip("\n") for part in [*parts, *_alone(checks)]) + "\n"


def _ways() -> list[str]:
    rows = [("paper", "a number or a figure that the paper prints, to its last digit")]
    rows += [("peer", "another program, on random data, topic by topic"), *WAYS.items()]
    return ["\n".join(table(["column", "what is asked"], rows))]


def _peers() -> list[str]:
    """The programs, and the versions that were installed when the page was written."""
    told = "trec_eval was asked once, and its answers are kept; NTCIREVAL's are those that it\n"
    told += "shows of its samples. All others are asked when tests run, in the version that is there."
    kept = {"trec_eval": "10.0", "NTCIREVAL": "its README"}
    rows = [(x, package, version(package) if package else kept[x]) for x, package in PEERS.items()]
    return [told, "\n".join(table(["peer", "package", "version"], rows))]


def _intervals(checks: Sequence[Check]) -> list[str]:
    items = dict.fromkeys(check.item for check in checks if check.item.endswith(INTERVAL))
    return ["### Intervals", *_table("interval of", list(items), checks)]


def _table(head: str, items: Sequence[str], checks: Sequence[Check]) -> list[str]:
    rows = [[_name(item), *_cells(item, checks)] for item in items]
    return ["\n".join(table([head, *COLUMNS], rows))]


def _name(item: str) -> str:
    return f"`{item.removesuffix(INTERVAL)}`" if "." in item or " " in item else escaped(item)


def _cells(item: str, checks: Sequence[Check]) -> list[str]:
    own = [check for check in checks if check.item == item]
    return [_cell([c for c in own if c.kind in column.split(", ")]) for column in COLUMNS]


def _cell(checks: Iterable[Check]) -> str:
    """What it was held against, with links; of a way, its name says enough."""
    links: dict[str, list[str]] = {}
    for check in checks:
        links.setdefault(check.against, []).append(check.file)
    return ", ".join(_linked(against, files) for against, files in links.items())


def _linked(against: str, files: Sequence[str]) -> str:
    said = "✓" if against in WAYS and against not in ("enumeration", "simulation") else against
    first, *more = (f"(../{file})" for file in files)
    return f"[{escaped(said)}]{first}" + "".join(f" [({n})]{x}" for n, x in enumerate(more, 2))


def _alone(checks: Sequence[Check]) -> list[str]:
    """What nobody else has computed."""
    known = {check.item for check in checks if check.kind in ("paper", "peer")}
    everything = evidence.built_in()
    alone = [name for name in everything if name not in known]
    others = len(everything) - len(alone)
    functions = [f"cf.{room}.{n}" for room, *names in methods.GROUPS.values() for n in names]
    functions += [item for items in OTHERS.values() for item in items]
    outside = {check.item for check in checks if check.kind in evidence.OUTSIDE}
    least = [name for name in functions if name not in outside]
    text = f"""## What nobody else has checked

{others} of {len(everything)} measures are held against a paper or another program. The others are
held against a second writing in our own tests alone: whoever misread the paper may have done so
twice. They are {", ".join(map(escaped, alone))}.

Of the methods these have neither a paper, nor a peer, nor a second writing, but are worked by hand,
simulated, or follow from others by what must hold: {", ".join(f"`{name}`" for name in least)}.

A peer is no proof either: where peers differ from each other or from the paper, we follow the paper
by default. [The differences](definitions.md#where-definitions-differ) are listed. A
marker says that a test compares; how many lists, and to how many digits, is in the test."""
    return [text]
