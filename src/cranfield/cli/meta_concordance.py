"""`cranfield meta concordance`: where measures disagree, which ones agree with simple ones?"""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.evaluate import measures_of
from cranfield.cli.scored import add_evaluation, add_scored, scores_of
from cranfield.cli.sheets import add_output, show
from cranfield.errors import InputError
from cranfield.evaluation.results import columns_of
from cranfield.measures.grammar import parse_measures
from cranfield.meta.concordance import concordance
from cranfield.report.concordance import TABLES, matrix_sheet, pairs_sheet, settings
from cranfield.report.sheets import FLAT


def add_to(methods: Any) -> None:
    """Declare the method."""
    p = methods.add_parser(
        "concordance",
        help="where two measures disagree, which one do simple measures side with?",
        description="The concordance test. Where two measures disagree on which of two lists is "
        "better, how often is each of them concordant with gold measures: simple ones that every "
        "good measure should respect, such as intent recall and precision?",
        usage="cranfield meta concordance [options] --gold MEASURE QRELS RUN RUN…\n"
        "       cranfield meta concordance [options] --gold MEASURE --scores FILE…",
    )
    add_scored(p, default="AP nDCG@10 ERR@10")
    p.add_argument(
        "--gold", action="append", metavar="MEASURE", required=True,
        help="required: a gold measure; may be repeated: each is used alone, then all at once",
    )  # fmt: skip
    p.add_argument(
        "--alpha", type=float, default=0.01, metavar="A",
        help="p-values of the sign test of at most A are marked (default: 0.01)",
    )  # fmt: skip
    add_output(p.add_argument_group("output"), TABLES)
    add_evaluation(p)
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Score, compare, show."""
    gold = measures_of(options.gold)
    if options.scores:
        asked, options.measures = measures_of(options.measures), None
        scores = scores_of(options, runs=2)
        columns = columns_of(scores.measures, gold)
        wanted = columns_of(scores.measures, asked) or None
    else:
        candidates = measures_of(options.measures)
        if not candidates and options.preset is None:
            candidates = [options.default_measure]
        options.measures, wanted = [*candidates, *gold], None
        columns = _names(gold, options)
        if both := set(columns) & set(_names(candidates, options)):
            raise InputError(f"{min(both)} with -m and with --gold", "one of them")
        scores = scores_of(options, runs=2)
    found = concordance(scores, columns, wanted, options.alpha)
    one = "pairs" if options.format in FLAT else "matrix"
    usual = TABLES if options.format == "json" else (one,)
    sheets = [matrix_sheet(found), pairs_sheet(found)]
    show(sheets, found.notices, options, usual, settings(found))
    return 0


def _names(texts: list[str], options: argparse.Namespace) -> list[str]:
    """The columns that measures have among the scores, after the settings for all measures."""
    by_topic = (options.gains or "").startswith("@") or options.gains == "topic"
    settings = {
        "rel": options.rel,
        "gain": None if by_topic else options.gains,
        "condensed": options.condensed or None,
    }
    given = {name: value for name, value in settings.items() if value is not None}
    parsed = parse_measures(texts) if texts else ()
    return [name for m in parsed for name in m.with_defaults(given).names()]
