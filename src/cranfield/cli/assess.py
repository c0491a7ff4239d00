"""`cranfield assess`: aggregate the labels of several assessors, or measure their agreement."""

from __future__ import annotations

import argparse

from cranfield.assess.aggregate import SCHEMES, TEXT, TIES, aggregate, format_qrels
from cranfield.assess.agreement import agreement
from cranfield.assess.assessments import read_assessments
from cranfield.assess.rules import read_built_in
from cranfield.cli.commands import BY_NAME
from cranfield.cli.messages import write_notes
from cranfield.cli.options import build_topic_options, call
from cranfield.cli.output import build_output_options, show, write
from cranfield.cli.parser import Part
from cranfield.options import argument, choice, option, switch
from cranfield.report.formats import FORMATS

INPUT = (
    argument(
        "files",
        "FILE",
        "one for each assessor, named after the file (TREC, NTCIR, CSV, TSV, JSON, "
        "JSONL), or a table with a column assessor",
        nargs="+",
    ),
    option("--labels", "A=2,B=1,…", "the points of each label (default: numbers, or L0, L1, …)"),
    option(
        "--rules",
        "NAME|FILE",
        f"rules from several criteria to a score: TOML file or name; names: one of {', '.join(read_built_in())}",
    ),
    option(
        "--columns",
        "C=NAME,…",
        "names of columns with other names: topic=query,doc=answer,assessor=who,label=stars",
    ),
    option("--column", "NAME", "the column of the label, as --columns label=NAME"),
    *build_topic_options(condition="in which everybody judged something"),
)
AGGREGATE = (
    *INPUT,
    choice("--scheme", SCHEMES, "the rule for one level per item (default: median, the lower of two)"),
    choice(
        "--majority-ties",
        TIES,
        "level if several scores are most frequent (majority): zero (default); lower or higher: one of them",
        name="ties",
    ),
    option("--strength", "P", "unanimity: strength (default: 0.2)", name="p"),
    option(
        "--max-score",
        "X",
        "unanimity: highest possible score (default: that of --labels or --rules, else the highest score)",
    ),
    switch("--keep-zero", "unanimity: items that all assessors scored 0 stay at 0"),
    option("--best", "QRELS", "favourites: items to add to the relevant ones"),
    option(
        "--unlabelled",
        "error|skip|LABEL",
        "items that an assessor did not judge: error (default), skip, or a label; skip: the other "
        "assessors decide; a label is assumed",
        name="missing",
    ),
    option("--threshold", "X", "afterwards: 1 for scores ≥ X (within 1e-9, so 2/3 works), else 0"),
    option("--map", "4=2,3=2,…", "afterwards: scores to levels", name="levels"),
    *build_output_options(formats=(*TEXT, *FORMATS)),
)
AGREE = (
    *INPUT,
    switch("-q --per-topic", "show every topic, then all", name="by_topic"),
    *build_output_options(),
)


def run_aggregate(options: argparse.Namespace) -> int:
    """Consolidate and write the judgments."""
    qrels = call(aggregate, options, assessments=options.files)
    if options.format not in TEXT:
        return show(qrels, options)
    write(format_qrels(qrels.to_dict(), options.format), options.output)
    write_notes(() if options.quiet else qrels.notes)
    return 0


def run_agree(options: argparse.Namespace) -> int:
    """Compute and show how far assessors agree."""
    assessments = call(read_assessments, options, data=options.files)
    selection = assessments.select_topics(options.topics or "judged")
    return show(agreement(selection, options.by_topic), options)


PARTS = (
    Part("aggregate", AGGREGATE, run_aggregate, BY_NAME["assess aggregate"].does),
    Part("agree", AGREE, run_agree, BY_NAME["assess agree"].does),
)
