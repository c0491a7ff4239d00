"""Methods of `cranfield meta`: the table of their computations, tables and options."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.figures.options import build_plot_options
from cranfield.meta.concordance import concordance
from cranfield.meta.correlation import TRIALS as CORRELATION_TRIALS
from cranfield.meta.correlation import correlation
from cranfield.meta.discriminative import discriminative_power
from cranfield.meta.judgments import TABLES as JUDGMENT_TABLES
from cranfield.meta.judgments import compare_judgments
from cranfield.meta.leave_one_out import leave_one_out
from cranfield.meta.predictive import predictive_power
from cranfield.meta.rankings import build_statistic_option
from cranfield.meta.stability import TRIALS_OF_JUDGMENTS, stability, stability_of_judgments
from cranfield.meta.swap import TRIALS, check_rate, swap
from cranfield.options import Computation, Rows, build_help, choice, option, switch
from cranfield.runs.overlap import P
from cranfield.stats.families import count_steps
from cranfield.stats.options import (
    SEED,
    build_alpha_option,
    build_confidence_option,
    build_correction_option,
    build_test_option,
    build_testing_options,
    build_trial_options,
)


@dataclass(frozen=True)
class Method:
    """Method of `cranfield meta`: a row.

    The docstring of the module of its function is the title and the description of the command.
    `tables` are the names of all tables, `measures` the default measures, `runs_help` the help of
    RUN if runs are required or optional files. `check` raises an error for conflicting options.
    `alternative` is an option, its value, and the computation for this value.
    """

    name: str
    computation: Computation
    tables: tuple[str, ...]
    options: Rows
    measures: str = "AP nDCG@10 ERR@10"
    runs_help: str = ""
    check: Callable[[Any], object] = lambda options: None
    alternative: tuple[str, str, Computation] | None = None

    @property
    def help_texts(self) -> dict[str, str]:
        """Title and description for argparse."""
        return build_help(sys.modules[self.computation.function.__module__].__doc__)

    def choose_computation(self, options: Any) -> Computation:
        """Return the computation for these options."""
        if self.alternative is None:
            return self.computation
        name, value, alternative = self.alternative
        return alternative if getattr(options, name) == value else self.computation


def _check_sample(options: Any) -> None:
    if options.sample == "judgments" and options.scores:
        raise InputError.from_problem("--scores requires --sample topics")


def _count_test_steps(options: Any, runs: int, measures: int) -> int:
    return measures * count_steps(options.test, runs, runs * (runs - 1) // 2, options.trials)


_OF_TOPICS = {"requires": "sample", "requires_value": "topics"}
_OF_JUDGMENTS = {"requires": "sample", "requires_value": "judgments"}

_METHODS = (
    Method(
        name="discriminative-power",
        computation=Computation(discriminative_power, activity="testing", steps=_count_test_steps),
        tables=("measures", "curves"),
        measures="AP nDCG@10 RR P@10",
        options=(
            *build_test_option("randomised-tukey"),
            *build_correction_option("none (default), holm, bonferroni or bh", "none"),
            *build_alpha_option(),
            *build_trial_options(),
            *build_plot_options("the ASL curves"),
            switch("--whole", "p-values from 0 to 1 (default: to 3 · alpha)", requires="plot"),
        ),
    ),
    Method(
        name="swap",
        computation=Computation(swap, activity="drawing topics", steps=lambda options, _, n: options.trials * n),
        tables=("measures", "bins"),
        measures="AP nDCG@10 RR P@10",
        check=lambda options: check_rate(options.rate),
        options=(
            option("--sizes", "N,N,…", "topics in a set (default: half of all)", value="counts"),
            option("--bin", "D", "width of the bins of differences", value="number", default=0.01),
            choice("--filter", ("t",), "only pairs with a significant t-test on the first set"),
            option(
                "--alpha",
                "A",
                "p ≤ A is significant (default: 0.05)",
                value="number",
                requires="filter",
                requires_value="t",
            ),
            option("--rate", "R", "tolerated swap rate", value="number", default=0.05),
            *build_trial_options(TRIALS, "random pairs of sets"),
            *build_plot_options("swap rates against differences"),
        ),
    ),
    Method(
        name="stability",
        computation=Computation(
            stability, activity="drawing topics", steps=lambda options, _, n: (options.trials or TRIALS) * n
        ),
        alternative=(
            "sample",
            "judgments",
            Computation(
                stability_of_judgments,
                inputs="runs",
                activity="drawing judgments",
                steps=lambda options, *_: options.trials or TRIALS_OF_JUDGMENTS,
            ),
        ),
        tables=("sizes", "points"),
        measures="AP nDCG@10 RR P@10",
        check=_check_sample,
        options=(
            choice("--sample", ("topics", "judgments"), "unit of the samples", default="topics"),
            option("--sizes", "N,N,…", "topics in a sample (default: ten sizes)", value="counts", **_OF_TOPICS),
            choice(
                "--sample-against",
                ("all", "others"),
                "all: compare samples with all topics (default); others: with a disjoint sample",
                name="against",
                default="all",
                **_OF_TOPICS,
            ),
            switch("--replacement", "draw topics with replacement", **_OF_TOPICS),
            option(
                "--shares",
                "S,S,…",
                "kept fractions of the judgments (default: 0.1,0.2,…,1)",
                value="numbers",
                **_OF_JUDGMENTS,
            ),
            *build_statistic_option(),
            *build_confidence_option("fraction of the trials in intervals"),
            option(
                "--trials",
                "B",
                f"random samples of each size (default: {TRIALS:,}; {TRIALS_OF_JUDGMENTS} with --sample judgments)",
                value="count",
            ),
            *SEED,
            *build_plot_options("the curves"),
        ),
    ),
    Method(
        name="correlation",
        computation=Computation(correlation, activity="resampling", steps=lambda options, *_: options.trials),
        tables=("matrix", "pairs"),
        options=(
            option("--qrels2", "FILE", "other judgments: correlate each measure by QRELS and FILE"),
            *build_statistic_option("; tau-ap: the measure of the column, or QRELS, is gold"),
            option(
                "--p",
                "P",
                f"persistence of RBO (default: {P})",
                value="number",
                requires="statistic",
                requires_value="rbo",
            ),
            *build_confidence_option(),
            *build_trial_options(CORRELATION_TRIALS, "random draws of topics for intervals"),
            *build_plot_options("the matrix, or with --qrels2 the means by both", "its"),
        ),
    ),
    Method(
        name="concordance",
        computation=Computation(concordance),
        tables=("matrix", "pairs"),
        options=(
            option(
                "--gold-measure",
                "MEASURE",
                "required: a gold measure; may be repeated: used one by one, then together",
                name="golds",
                repeat=True,
                required=True,
            ),
            option("--alpha", "A", "mark p ≤ A of the sign test", value="number", default=0.01),
        ),
    ),
    Method(
        name="predictive-power",
        computation=Computation(predictive_power),
        tables=("measures", "pairs"),
        options=(
            option(
                "--preferences",
                "FILE",
                "required: lines `topic preferred other`, or `topic run other preferred` with one "
                "of the two or tie as preferred, and an optional assessor; or a table with these "
                "columns",
                required=True,
            ),
            choice(
                "--interval",
                ("wilson", "exact"),
                "interval of the rate: Wilson (default) or exact (Clopper and Pearson)",
                name="method",
                default="wilson",
            ),
            *build_confidence_option(),
            *build_alpha_option(text="p ≤ A of two measures is significant"),
        ),
    ),
    Method(
        name="leave-one-out",
        computation=Computation(leave_one_out, inputs="runs"),
        tables=("summary", "runs", "contributors"),
        measures="AP nDCG@10",
        runs_help="the runs that formed the pool",
        options=(
            option("--teams", "FILE", "exclude teams instead of runs: lines `run team`, or a table with these columns"),
            option("--depth", "N", "depth of the pool (default: to which all rankings are judged)", value="count"),
            *build_plot_options("scores before and after", "the"),
        ),
    ),
    Method(
        name="judgments",
        computation=Computation(
            compare_judgments,
            inputs="judgments",
            activity="testing",
            steps=lambda options, m, n: 2 * _count_test_steps(options, m, n),
        ),
        tables=JUDGMENT_TABLES,
        measures="AP",
        runs_help="runs; without runs, only the agreement",
        options=(
            option("--names", "A,B", "names of the two sets (default: file names)", value="names"),
            switch("--common", "use only documents that both judged (default: all of each)"),
            switch("-q --per-topic", "agreement of every topic"),
            *build_testing_options(of_trials=f"; intervals of correlations: {CORRELATION_TRIALS:,}"),
            *build_confidence_option("confidence of the intervals of correlations"),
        ),
    ),
)
METHODS = {method.name: method for method in _METHODS}
"""All methods by name, in the order of the help."""
