"""`cranfield ntcir_eval 1click`: nuggets found in a text, with NTCIREVAL's options and output."""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.options import count, refuse_two_inputs, separator
from cranfield.cli.output import tell, write
from cranfield.data.reading.source import Source
from cranfield.data.texts import read_mat, read_nug
from cranfield.scores import Notice
from cranfield.tools.ntcir_eval import number
from cranfield.tools.one_click import beyond, one_click
from cranfield.wording import some


def add_one_click(parts: Any) -> None:
    """Declare the subcommand."""
    p = parts.add_parser(
        "1click",
        help="compute measures of nuggets found in a text",
        description="Print the measures of a text by the nuggets that were found in it.",
        allow_abbrev=False,
    )
    p.add_argument("-v", dest="verbose", action="store_true", help="show the nuggets, too")
    p.add_argument(
        "-sep", type=separator, metavar="S", help="what stands between fields, instead of blanks"
    )
    p.add_argument(
        "-out", metavar="PREFIX", default="", help="what each line of the output begins with"
    )
    add_text_options(p)
    p.add_argument(
        "-N", required=True, metavar="NUGGETS",
        help="nugget weight length on each line, the length being that of the vital string",
    )  # fmt: skip
    p.add_argument(
        "matches", nargs="?", default="-", metavar="MATCHES",
        help="first syslen= length, then nugget offset on each line",
    )  # fmt: skip
    p.set_defaults(run=run_one_click)


def add_text_options(p: argparse.ArgumentParser, L: int | None = None) -> None:
    """Declare what measures of a text depend on; without a default, -L must be given."""
    p.add_argument("-beta", type=_beta, metavar="X", default=1.0, help="of F-flat, default: 1")
    said = "" if L is None else f", default: {L}"
    p.add_argument(
        "-L", type=count, required=L is None, default=L, metavar="L",
        help=f"characters after which a nugget is worth nothing{said}",
    )  # fmt: skip


def _beta(text: str) -> float:
    found = number(text)
    if found < 0:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number from 0")
    return found


def run_one_click(options: argparse.Namespace) -> int:
    """Compute the measures of the nuggets found."""
    refuse_two_inputs(options.N, options.matches)
    source = Source.of(options.matches)
    gold = Source.of(options.N)
    nuggets = read_nug(gold, options.sep)
    length, matches = read_mat(source, nuggets, options.sep)
    shown = one_click(
        nuggets,
        matches,
        length,
        L=options.L,
        beta=options.beta,
        prefix=options.out,
        verbose=options.verbose,
        where=gold.name,
    )
    if odd := beyond(matches, length):
        said = f"{some(odd, 'nugget')} found beyond the end of the text, at {length}"
        tell([Notice("offsets", f"{source.name}: {said}")])
    write(shown, None)
    return 0
