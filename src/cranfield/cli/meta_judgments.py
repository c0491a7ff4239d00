"""`cranfield meta judgments`: two sets of judgments, and what becomes of the evaluation."""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.compare import add_test, steps
from cranfield.cli.evaluate import add_preset, list_options, measures_of, preset_of, refuse_inputs
from cranfield.cli.progress import Progress, Trials
from cranfield.cli.scored import add_evaluation
from cranfield.cli.sheets import add_output, show
from cranfield.errors import InputError
from cranfield.evaluation.presets import Preset
from cranfield.measures.grammar import parse_measures
from cranfield.meta.correlation import TRIALS as DRAWS
from cranfield.report.judgments import TABLES, settings, sheets, usual

OF_RUNS = {
    "measures": "-m", "test": "--test", "correction": "--correction", "common": "--common",
}  # fmt: skip


def add_to(methods: Any) -> None:
    """Declare the method."""
    p = methods.add_parser(
        "judgments",
        help="two sets of judgments: how far they agree, and what becomes of the runs",
        description="Compare two sets of judgments, of two assessors or of people and a language "
        "model: how far they agree on documents that both judged and, with runs, how they rank "
        "these and which significant differences they find.",
        usage="cranfield meta judgments [options] QRELS QRELS2 [RUN…]",
    )
    p.add_argument("qrels", metavar="QRELS", help="judgments, as for `cranfield evaluate`")
    p.add_argument("second", metavar="QRELS2", help="other judgments of the same topics")
    p.add_argument(
        "runs", metavar="RUN", nargs="*", default=[], help="results; without, agreement only"
    )
    p.add_argument(
        "-m", "--measure", dest="measures", action="append", metavar="MEASURE",
        help="a measure such as nDCG@10, several in one string, or @FILE; may be repeated "
        "(default: AP)",
    )  # fmt: skip
    add_preset(p, "what a task evaluates with (`cranfield presets` lists all)")
    p.add_argument(
        "--names", metavar="A,B", help="what the two sets are called (default: as their files)"
    )
    p.add_argument(
        "--common", action="store_true",
        help="evaluate by the documents only that both judged (default: by all of either)",
    )  # fmt: skip
    p.add_argument("-q", "--per-topic", action="store_true", help="agreement of every topic, too")
    add_test(p, of_trials=f"; intervals of correlations use {DRAWS:,}")
    p.add_argument(
        "--confidence", type=float, default=0.95, metavar="C",
        help="of the intervals of correlations (default: 0.95)",
    )  # fmt: skip
    add_output(p.add_argument_group("output"), TABLES)
    add_evaluation(p, scores=False)
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compare and print."""
    from cranfield.meta.judgments import compare_judgments

    refuse_inputs(options, options.qrels, options.second, *options.runs)
    if "-" in options.runs:
        raise InputError("- as a run", "a file: it is read once for each QRELS")
    for name, flag in OF_RUNS.items():
        if getattr(options, name) and not options.runs:
            raise InputError(flag, "runs with it: QRELS QRELS2 RUN…")
    chosen = preset_of(options)
    given = list_options(options)
    if chosen is not None:
        given["labels"] = given["labels"] or chosen.labels or None
    files = [options.qrels, options.second, *options.runs, *options.runs]
    with Progress(files) as reading, Trials("testing", _steps(options, chosen)) as testing:

        def tested(trials: int) -> None:
            reading.__exit__()  # a terminal has room for one bar
            testing.step(trials)

        found = compare_judgments(
            options.qrels,
            options.second,
            options.runs or None,
            measures_of(options.measures) or None,
            names=_names(options),
            common=options.common,
            per_topic=options.per_topic,
            test=options.test,
            correction=options.correction,
            alpha=options.alpha,
            trials=options.trials,
            seed=options.seed,
            confidence=options.confidence,
            preset=chosen,
            topics=options.topics,
            undefined=options.undefined,
            threads=options.threads,
            **given,
            progress=reading.step,
            tested=tested,
        )
    show(sheets(found), found.notices, options, usual(found, options.format), settings(found))
    return 0


def _steps(options: argparse.Namespace, chosen: Preset | None) -> int:
    """How many steps the tests have, by both judgments."""
    asked = [*(chosen.measures if chosen else ()), *measures_of(options.measures)] or ["AP"]
    measures = sum(len(measure.names()) for measure in parse_measures(asked))
    return 2 * steps(options, len(options.runs), measures)


def _names(options: argparse.Namespace) -> list[str]:
    from cranfield.data.assessments import assessor_names

    if options.names is None:
        return assessor_names([options.qrels, options.second])
    return [name.strip() for name in options.names.split(",")]
