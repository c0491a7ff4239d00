"""Page of the checks of every measure and method, written from markers of the tests."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import version

import methods
import simulated
from measures import escape_md, families, table

from tests import evidence
from tests.evidence import DROP_INS, INTERVAL, PEERS, WAYS, Check

HEAD = """# Verification

This page lists the checks of every measure and method: numbers printed in papers, other programs, second
implementations, and further tests. Each link leads to the test.

The page is generated from markers in the tests (`@checks(…)`, see [testing](testing.md)). A test fails if a measure
has no paper, no other program and no second implementation. A marked test fails if it does not use the
item that its marker names.
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
OUTSIDE = "no paper, no other program and no second implementation checks"
COLUMNS = ("paper", "peer", "second writing", "by hand", "property", "enumeration, simulation")


def page() -> str:
    """Return the page as Markdown."""
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
        parts += [f"### {title}", *_table("item", items, checks)]
    return "\n\n".join(part.strip("\n") for part in [*parts, *simulated.build_section(), *_list_open(checks)]) + "\n"


def _ways() -> list[str]:
    rows = [("paper", "a number or figure printed in the paper, to its last digit")]
    rows += [("peer", "another program, on random data, topic by topic"), *WAYS.items()]
    return ["\n".join(table(["column", "check"], rows))]


def _peers() -> list[str]:
    """Return the programs and their versions at the time of writing the page."""
    told = "The output of trec_eval is stored. The output of NTCIREVAL is the output in its README.\n"
    told += "All other programs run in the tests, in the installed version."
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
    return f"`{item.removesuffix(INTERVAL)}`" if "." in item or " " in item else escape_md(item)


def _cells(item: str, checks: Sequence[Check]) -> list[str]:
    own = [check for check in checks if check.item == item]
    return [_cell([c for c in own if c.kind in column.split(", ")]) for column in COLUMNS]


def _cell(checks: Iterable[Check]) -> str:
    """Format checks as links to their tests."""
    links: dict[str, list[str]] = {}
    for check in checks:
        links.setdefault(check.against, []).append(check.file)
    return ", ".join(_linked(against, files) for against, files in links.items())


def _linked(against: str, files: Sequence[str]) -> str:
    said = "✓" if against in WAYS and against not in ("enumeration", "simulation") else against
    first, *more = (f"(../{file})" for file in files)
    return f"[{escape_md(said)}]{first}" + "".join(f" [({n})]{x}" for n, x in enumerate(more, 2))


def _list_open(checks: Sequence[Check]) -> list[str]:
    """Return the section about items without a paper or another program."""
    known = {check.item for check in checks if check.kind in ("paper", "peer")}
    everything = evidence.built_in()
    alone = [name for name in everything if name not in known]
    others = len(everything) - len(alone)
    functions = [f"cf.{room}.{n}" for room, *names in methods.GROUPS.values() for n in names]
    functions += [item for items in OTHERS.values() for item in items]
    outside = {check.item for check in checks if check.kind in evidence.OUTSIDE}
    least = [name for name in functions if name not in outside]
    text = f"""## Without external check

{others} of {len(everything)} measures are compared with a paper or another program. The other measures are
compared only with a second implementation in the tests. Both implementations can contain the same
misreading of the paper. These measures are {", ".join(map(escape_md, alone))}.

These methods have no paper, no other program and no second implementation. Tests check them with numbers
computed by hand, simulations or properties: {", ".join(f"`{name}`" for name in least)}.

Agreement with another program is no proof. If programs differ from each other or from the paper, the default
follows the paper. See [where definitions differ](definitions.md#where-definitions-differ). The tests contain the
number of rankings and digits that they compare."""
    return [text]
