"""Is the ranking of runs the same on fewer topics, or with fewer judgments?

Rank runs on random samples of the topics, or with random parts of the judgments, and compare the
rankings with that on all of them.
"""

from __future__ import annotations

from typing import Any

from cranfield.errors import InputError
from cranfield.late import pl
from cranfield.meta import stability_of_judgments
from cranfield.meta.rankings import STATISTICS
from cranfield.meta.stability import TRIALS, TRIALS_OF_JUDGMENTS, Stability, stability
from cranfield.report import charts, options
from cranfield.report import sheets as tables
from cranfield.report.look import PLAIN, Look
from cranfield.report.meta import Method, Work
from cranfield.report.pictures import Picture
from cranfield.wording import counted

TABLES = ("sizes", "points")
BANDS = 3  # measures whose intervals are drawn: more would hide each other


def sheets(found: Stability) -> list[tables.Sheet]:
    """Sizes against measures, for people; and a row for each measure and size."""
    sizes = sorted({point.size for point in found.points})
    cells = {(p.measure, p.size): tables.with_interval(p) for p in found.points}
    fields = tables.grid(sizes, found.measures, lambda n, name: cells.get((name, n), "–"))
    key = tables.Field(_drawn_of(found), None, texts=[f"{size:g}" for size in sizes], key=True)
    return [tables.Sheet("sizes", [key, *fields], caption(found)), _points(found)]


def _points(found: Stability) -> tables.Sheet:
    of = tables.columns(found.points)
    return tables.table(
        "points",
        caption(found),
        of("measure", key=True),
        of("size", head=_drawn_of(found), text="{:g}".format),
        of("mean"),
        *tables.interval_fields(found.points, found.confidence),
        *tables.constants(METHOD.settings(found), found.points),
    )


def _drawn_of(found: Stability) -> str:
    """What a size is of."""
    return "topics" if found.sampled == "topics" else "share of judgments"


def caption(found: Stability) -> str:
    """What was drawn, compared, and how often."""
    return (
        f"{STATISTICS[found.statistic].title} between the rankings of "
        f"{counted(len(found.runs), 'run')} {_compared(found)}: mean, and where the middle "
        f"{tables.percent(found.confidence)} of the trials are; {_drawn(found)}."
    )


def _compared(found: Stability) -> str:
    if found.sampled == "judgments":
        return "with a random part of the judgments and with all"
    again = " with replacement" if found.replacement else ""
    if found.against == "others":
        return "on a random sample of topics and on as many others"
    return f"on a random sample of topics{again} and on all"


def _drawn(found: Stability) -> str:
    trials = counted(found.trials, "trial")
    return f"{counted(found.topics, 'topic')} ({trials}, seed {found.seed})"


# -- the picture ----------------------------------------------------------------------------------


def picture(found: Stability, look: Look = PLAIN) -> Picture:
    """The mean of the statistic against the size of the sample, a line for each measure.

    Of a few measures the intervals are bands.
    """
    data = _points(found).frame("measure", "size", "mean", "low", "high")
    return Picture(lambda: _chart(found, look, data), data, found.notices)


def _chart(found: Stability, look: Look, data: pl.DataFrame) -> Any:
    topics, judgments = ("topics in a sample", "d", ""), ("share of the judgments", "%", "%")
    sampled, form, told_as = topics if found.sampled == "topics" else judgments
    mean = f"{STATISTICS[found.statistic].title}, mean of {counted(found.trials, 'trial')}"
    close = {"zero": False, "nice": False, "padding": 6}
    values = charts.decimals("mean", "low", "high")
    few = len(found.measures) <= BANDS
    line = charts.short(data["measure"])
    own = look.styles(found.measures)
    styles = {one: own[measure] for one, measure in zip(line, data["measure"], strict=True)}
    chart = charts.curves(
        data.with_columns(line=line),
        charts.axis("x", "size", sampled, scale=close, grid=False, format=form),
        charts.axis("y", "mean", mean, scale={"zero": False}),
        "measure",
        ["measure:N", *charts.decimals("size", format=told_as), *values],
        look,
        styles=styles,
        bands=[("low", "high")] if few else [],
        point={"filled": True, "size": 25},
    )
    middle = f"bands: the middle {tables.percent(found.confidence)} of the trials"
    heading = f"Rankings of {counted(len(found.runs), 'run')} {_compared(found)}"
    return charts.finished(chart, look, heading, [_drawn(found), *([middle] if few else [])])


# -- the command ----------------------------------------------------------------------------------


def check(asked: Any) -> None:
    """Refuse scores, which judgments are not drawn of."""
    if asked.sample == "judgments" and asked.scores:
        raise InputError("--scores", "--sample topics with it")


METHOD = Method(
    __doc__,
    place=3,
    name="stability",
    work=Work(
        stability,
        doing="drawing topics",
        steps=lambda asked, _, n: (asked.trials or TRIALS) * n,
    ),
    otherwise=("sample", "judgments", Work(
        stability_of_judgments,
        takes="runs",
        doing="drawing judgments",
        steps=lambda asked, *_: asked.trials or TRIALS_OF_JUDGMENTS,
    )),
    told=(
        "sampled", "statistic", "against", "replacement", "confidence", "runs", "topics", "trials",
        "seed",
    ),
    people=("sizes",),
    flat=("points",),
    measures="AP nDCG@10 RR P@10",
    options={
        "--sample {topics,judgments}": options.told("what is drawn at random", "topics"),
        "--sizes N,N,… with --sample topics": "topics in a sample (default: ten sizes)",
        "against --sample-against {all,others} with --sample topics": options.told(
            "a sample is compared with all (default), or with as many others", "all"
        ),
        "--replacement with --sample topics": "a topic may be in a sample several times",
        "--shares S,S,… with --sample judgments": "what is kept of them (default: 0.1,0.2,…,1)",
        **options.statistic(),
        **options.confidence("the share of trials that intervals hold"),
        "--trials B": f"random samples of each size (default: {TRIALS:,}; {TRIALS_OF_JUDGMENTS} "
        "with --sample judgments)",
        **options.SEED,
        **options.plot("the curves"),
    },
)  # fmt: skip
