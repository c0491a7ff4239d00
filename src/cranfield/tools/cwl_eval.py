"""Drop-in replacement for cwl_eval: one line per topic and metric, with five measurements.

Metrics have the names of the program's constructors, ``INSTCWLMetric(T=2)``, or of measures,
``INST(T=2)``. `cranfield.measures` computes them.
"""

from __future__ import annotations

import difflib
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from cranfield.data.costs import CostsLike, DocCosts, read_costs
from cranfield.data.qrels import Qrels, QrelsLike, read_qrels
from cranfield.data.reading.lines import iter_text_lines, parse_finite
from cranfield.data.reading.source import Source
from cranfield.data.run import ListRun, Run
from cranfield.data.run_inputs import RunLike
from cranfield.data.run_reader import read_run
from cranfield.errors import CranfieldError, InputError
from cranfield.evaluation.blocks import Block, cut_blocks, map_blocks
from cranfield.labelling.blocks import Rankings
from cranfield.labelling.gold import GoldStandard
from cranfield.labelling.runs import label_run
from cranfield.measures import models
from cranfield.measures.base import MEASUREMENTS
from cranfield.measures.cwl import UserModel
from cranfield.measures.grammar import parse_model
from cranfield.measures.lists import Lists
from cranfield.measures.parameters import format_value
from cranfield.references import read_references
from cranfield.scores import Note
from cranfield.tools.drop_ins import check_judgments, make_topic_notes
from cranfield.wording import format_count, format_names

VERSION = "1.0.12"  # The release that --as-version reproduces.
DEFAULT = (
    *(f"PrecisionCWLMetric({k})" for k in (1, 2, 3, 4, 5, 10)),
    *(f"RBPCWLMetric({theta})" for theta in (0.2, 0.4, 0.8)),
    *("NDCGCWLMetric(5)", "NDCGCWLMetric(10)", "RRCWLMetric()", "APCWLMetric()"),
    *(f"INSTCWLMetric({T})" for T in (1.0, 2.0, 3.0)),
)
COLUMNS = ("Topic", "Metric", *MEASUREMENTS)
RESIDUALS = tuple(f"Res{name}" for name in MEASUREMENTS)


# -- metrics --------------------------------------------------------------------------------------


class Metric(NamedTuple):
    """A user model under the name it is printed with."""

    name: str
    model: UserModel


class Constructor:
    """A class of the program: model, printed name and parameters in order.

    Required parameters have the default None.
    """

    def __init__(self, model: type[UserModel], name: str, **defaults: float | None) -> None:
        self.model, self.name, self.defaults = model, name, defaults


CONSTRUCTORS = {
    "PrecisionCWLMetric": Constructor(models.P, "P@{k}", k=10),
    "RRCWLMetric": Constructor(models.RR, "RR"),
    "APCWLMetric": Constructor(models.AP, "AP"),
    "TrAPCWLMetric": Constructor(models.TrAP, "TrAP"),
    "NDCGCWLMetric": Constructor(models.SDCG, "NDCG-k@{k}", k=None),
    "RBPCWLMetric": Constructor(models.RBP, "RBP@{theta}", theta=0.9),
    "NPVCWLMetric": Constructor(models.NPV, "NPV-r@{rate}", rate=0.1),
    "INSTCWLMetric": Constructor(models.INST, "INST-T={T}", T=1.0),
    "INSQCWLMetric": Constructor(models.INSQ, "INSQ-T={T}", T=1.0),
    "SETCWLMetric": Constructor(models.SET, "SET-k@{k}-b@{beta}", beta=0.5, k=10),
    "BPMCWLMetric": Constructor(models.BPM, "BPM-Static-T={T}-K={K}", T=1.0, K=10),
    "BPMDCWLMetric": Constructor(
        models.BPMD, "BPM-Dynamic-T={T}-K={K}-hb={hb}-hc={hc}", T=1, K=10, hb=1.0, hc=1.0,
        gain_med=0.5,
    ),
    "UMeasureCWLMetric": Constructor(models.U, "U-L@{L}", L=1000),
    "TBGCWLMetric": Constructor(models.TBG, "TBG-H@{halflife}", halflife=224),
    "IFTGoalCWLMetric": Constructor(
        models.IFTGoal, "IFT-C1-T={T}-b1={b1}-R1={R1}", T=None, b1=None, R1=None
    ),
    "IFTRateCWLMetric": Constructor(
        models.IFTRate, "IFT-C2-A={A}-b2={b2}-R2={R2}", A=None, b2=None, R2=None
    ),
    "IFTGoalRateCWLMetric": Constructor(
        models.IFT, "IFT-C1-C2-T={T}-b1={b1}-R1={R1}-A={A}-b2={b2}-R2={R2}",
        T=None, b1=None, R1=None, A=None, b2=None, R2=None,
    ),
    "NERReq8CWLMetric": Constructor(models.NERR8, "NERR-EQ8@k={k}", k=None),
    "NERReq9CWLMetric": Constructor(models.NERR9, "NERR-EQ9@k={k}", k=None),
    "NERReq10CWLMetric": Constructor(models.NERR10, "NERR-EQ10@phi={phi}", phi=0.9),
    "NERReq11CWLMetric": Constructor(models.NERR11, "NERR-EQ11@T={T}", T=1.0),
}  # fmt: skip
PARAMETER_NAMES = {"k": "cutoff", "theta": "p"}  # other parameters have the same name here
SPELLINGS = {"h": "halflife"}  # the paper's

_LINE = re.compile(r"(?P<name>\w*CWL\w*)\s*(?:\((?P<arguments>.*)\))?", re.IGNORECASE)


def read_metrics(path: str | os.PathLike[str] | None = None) -> list[Metric]:
    """Read metrics, one per line; without a file, return the metrics of the program.

    >>> len(read_metrics())
    16
    """
    if path is None:
        return [parse_metric(text) for text in DEFAULT]
    source, metrics = Source.from_path(path), []
    for number, line in iter_text_lines(source):
        try:
            metrics.append(parse_metric(line.partition("#")[0]))
        except CranfieldError as error:
            raise CranfieldError(f"{source.name}:{number}: {error}") from None
    if not metrics:
        raise InputError("no metrics", "one per line", source.name)
    return metrics


def parse_metric(text: str) -> Metric:
    """Parse a metric: a constructor of the program, or a measure.

    >>> parse_metric("INSTCWLMetric(2)")
    Metric(name='INST-T=2', model=INST(T=2))
    >>> parse_metric("PrecisionCWLMetrics(k=10)").name, parse_metric("TBGCWLMetric( h=22.0 )").name
    ('P@10', 'TBG-H@22.0')
    >>> parse_metric("SDCG@10").name, parse_metric("RBP(n=50)").name, parse_metric("RBP@5").name
    ('NDCG-k@10', 'RBP(n=50)', 'RBP(p=0.8)@5')
    """
    text = text.strip()
    line = _LINE.fullmatch(text)
    if line is None:
        if "CWLMetric" in text:
            raise InputError(text, "a constructor such as INSTCWLMetric(T=2)")
        return _parse_measure(text)
    constructor = _find_constructor(line["name"])
    values = _parse_arguments(line["name"], constructor, line["arguments"] or "")
    settings: dict[str, Any] = {PARAMETER_NAMES.get(name, name): value for name, value in values.items()}
    model: Any = constructor.model(**settings)
    return Metric(constructor.name.format(**values), model)


def _find_constructor(name: str) -> Constructor:
    singular = re.sub("s$", "", name)  # the paper's PrecisionCWLMetrics
    if singular in CONSTRUCTORS:
        return CONSTRUCTORS[singular]
    matches = difflib.get_close_matches(name, CONSTRUCTORS, n=3)
    expected = " or ".join(matches) if matches else f"one of {', '.join(CONSTRUCTORS)}"
    raise InputError(name, expected)


def _parse_arguments(name: str, constructor: Constructor, arguments: str) -> dict[str, float]:
    """Return the value of each parameter, by position, name or default."""
    parsed: dict[str, float] = {}
    order = tuple(constructor.defaults)
    signature = f"{name}({', '.join(order)})"
    for place, argument in enumerate(arguments.split(",") if arguments.strip() else []):
        key_text, equals, text = argument.rpartition("=")
        if not equals and (place >= len(order) or tuple(parsed) != order[:place]):
            raise InputError(f"{name}({arguments.strip()})", signature)
        key = SPELLINGS.get(key_text.strip(), key_text.strip()) if equals else order[place]
        if key not in order:
            raise InputError(f"parameter {key_text.strip()!r}", signature)
        if key in parsed:
            raise InputError(f"duplicate parameter {key}", signature)
        parsed[key] = _parse_number(key, text.strip())
    values = {key: x for key, x in constructor.defaults.items() if x is not None} | parsed
    if missing := [key for key in order if key not in values]:
        raise InputError(f"{name} without {', '.join(missing)}", signature)
    return values


def _parse_number(name: str, text: str) -> float:
    """Parse a number. Integers stay integers, because they are printed as written."""
    number = parse_finite(text)
    if number is None:
        raise InputError(f"{name}={text}", "a number")
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else number


def _parse_measure(text: str) -> Metric:
    """Parse a measure of the grammar; use the program's name if it has the measure.

    A suffix makes it a user model. All five suffixes have the same effect.
    """
    model: UserModel = parse_model(text)
    name = str(model)
    constructor = next((c for c in CONSTRUCTORS.values() if c.model is type(model)), None)
    if constructor is None:
        return Metric(name, model)
    values = {key: getattr(model, PARAMETER_NAMES.get(key, key)) for key in constructor.defaults}
    parameters = {PARAMETER_NAMES.get(key, key): x for key, x in values.items()}
    default_model: Any = constructor.model(**parameters)
    if default_model == model and None not in values.values():
        name = constructor.name.format(**{key: format_value(x) for key, x in values.items()})
    elif parameters and name == f"{type(model).__name__}@{model.cutoff}":  # RBP@5 would be θ = 5
        settings = ", ".join(f"{key}={format_value(x)}" for key, x in parameters.items())
        name = name.replace("@", f"({settings})@")
    return Metric(name, model)


def format_bibtex(metrics: Sequence[Metric]) -> str:
    r"""Return the papers of the program and of the metrics, without duplicates.

    >>> text = format_bibtex([parse_metric("RBP"), parse_metric("RBP(p=0.5)")])
    >>> re.findall(r"@\w+{(\w+),", text)
    ['azzopardi2019', 'moffat2008']
    """
    keys = dict.fromkeys(["azzopardi2019", *(k for m in metrics for k in m.model.references)])
    return "".join(f"{read_references()[key]}\n\n" for key in keys)


# -- measuring ------------------------------------------------------------------------------------


def cwl_eval(
    qrels: QrelsLike,
    run: RunLike,
    metrics: Sequence[Metric],
    *,
    costs: CostsLike | None = None,
    colnames: bool = False,
    residuals: bool = False,
    max_depth: int = 1000,
    min_gain: float = 0.0,
    max_gain: float = 1.0,
    min_cost: float = 1.0,
    max_cost: float = 1.0,
    as_version: str | None = None,
) -> tuple[list[str], list[Note]]:
    """Return the lines that cwl_eval prints for a run, and the notes.

    Rankings have the order of the file. Unjudged documents have gain 0, at best `max_gain`.
    Documents of unknown cost cost `max_cost`, at best `min_cost`. In dynamic BPM, retrieved
    documents change K, except with `as_version`. With `colnames`, the first line has the names of
    columns.

    >>> rbp = [parse_metric("RBPCWLMetric(0.5)")]
    >>> lines, _ = cwl_eval({"T1": {"a": 1, "b": 0.5}}, {"T1": ["c", "a", "b"]}, rbp)
    >>> lines
    ['T1\\tRBP@0.5\\t0.3125\\t0.6250\\t1.0000\\t2.0000\\t2.0000']
    """
    _check_limits(min_gain, max_gain, min_cost, max_cost)
    settings = {
        "n": max_depth,
        "gain": "raw",
        "max_gain": max_gain,
        "min_cost": min_cost,
        "max_cost": max_cost,
        "end": False,
        "update_K": as_version is None,
    }
    configured = [Metric(m.name, _configure(m, settings)) for m in metrics]
    if residuals:
        _check_residuals(configured)
    cost_table = None if costs is None else read_costs(costs)
    judged = read_qrels(qrels, "trec")
    _check_gains(judged, qrels, min_gain, max_gain, "(--min_gain, --max_gain)")
    for name, model in configured:
        if model.unit_gains and (model.gain, model.rel, model.max_level) == ("raw", None, None):
            _check_gains(judged, qrels, 0, 1, f"for {name}")
    lists = read_run(run, "trec", ties="given", types=cost_table is not None, run_names="first")
    order, unpriced_types = _scan_run(lists, cost_table)
    topics = list(dict.fromkeys(order))
    gold = GoldStandard.from_qrels(judged.select_topics(topics))
    rankings = label_run(gold, lists, sources=() if cost_table is None else (cost_table,)).rankings
    notes = [
        *_collect_metric_notes(configured),
        *_collect_topic_notes(lists, judged, order),
        *_collect_cost_notes(cost_table, unpriced_types, rankings, min_cost, max_cost),
    ]

    def format_block(block: Block) -> list[str]:
        lists = block.build_lists(rankings)
        tables = [(name, _format_values(model, lists, residuals)) for name, model in configured]
        return [
            f"{topic}\t{name}\t{table[t]}"
            for t, topic in enumerate(topics[block.start : block.stop])
            for name, table in tables
        ]

    blocks = cut_blocks(gold.judgments, ranks=max(model.width for _, model in configured))
    names = ["\t".join(COLUMNS + RESIDUALS * residuals)] * colnames
    return [*names, *(line for block_lines in map_blocks(blocks, format_block) for line in block_lines)], notes


def _format_values(model: UserModel, lists: Lists, residuals: bool) -> list[str]:
    """Format the five numbers of each topic, and their possible increase."""
    five = model.compute_as_cwl_eval(lists)
    if residuals:
        at_best = model.compute_as_cwl_eval(lists, best=True)
        five = np.concatenate((five, at_best - five), axis=1)
    rows = five.tolist()
    return ["\t".join(f"{x:z.4f}" for x in row) for row in rows]  # z: no sign for zero


def _configure(metric: Metric, settings: Mapping[str, Any]) -> UserModel:
    """Return the model with the settings that are at their default.

    A cutoff below the depth is removed: no user reaches it. The program would let users go on from
    the last rank, and fail for P.
    """
    name, model = metric
    defaults = [f.name for f in model.list_parameters() if getattr(model, f.name) == f.default]
    values = {key: x for key, x in settings.items() if key in defaults}
    if "n" in values and model.cutoff is not None and model.cutoff > values["n"]:
        if isinstance(model, models.P):
            expected = f"at most {values['n']} (--max_depth)"
            raise InputError(f"k={model.cutoff}", expected, name)
        values["cutoff"] = None
    return replace(model, **values)


def _check_limits(min_gain: float, max_gain: float, min_cost: float, max_cost: float) -> None:
    for quantity, low, high in (("gain", min_gain, max_gain), ("cost", min_cost, max_cost)):
        if high < low:
            raise InputError(f"max_{quantity} {high:g}", f"at least min_{quantity} = {low:g}")
    if min_cost <= 0:
        raise InputError(f"min_cost {min_cost:g}", "a number > 0")


def _check_residuals(metrics: Sequence[Metric]) -> None:
    for name, model in metrics:
        if not model.has_residuals:
            raise InputError.from_problem(f"{name} has no residuals")
        if model.unit_gains and model.max_gain is not None and model.max_gain > 1:
            expected = f"at most 1 for {name} with residuals"
            raise InputError(f"max_gain {model.max_gain:g}", expected)


def _check_gains(judged: Qrels, qrels: QrelsLike, low: float, high: float, reason: str) -> None:
    outside = (judged.levels < low) | (judged.levels > high)
    # Judgments from a pipe cannot be read again: their lines are then unknown.
    source = Source.from_path(qrels) if isinstance(qrels, str | os.PathLike) else None
    expected = f"gains from {low:g} to {high:g} {reason}"
    check_judgments(judged, outside, "gain {} of", expected, source)


# -- topics in the order of the run ---------------------------------------------------------------


def _scan_run(run: Run, costs: DocCosts | None) -> tuple[list[str], list[str]]:
    """Return the topics in order of the lines of a run, and types without a cost."""
    if isinstance(run, ListRun):
        return list(run.lists), []
    names: list[str] = []
    types: dict[str, None] = {}
    for table in run.iterate_tables():
        names += table.names
        if costs is not None and costs.by_type and table.types is not None:
            unknown = table.types[costs.rows(table) < 0]
            types.update(dict.fromkeys(unknown[unknown.find_changes()]))
    return [name for name, _ in groupby(names)], list(types)  # Tables can split a topic.


# -- notes ----------------------------------------------------------------------------------------


def _collect_metric_notes(metrics: Sequence[Metric]) -> Iterator[Note]:
    for name, model in metrics:
        if isinstance(model, models.BPMD) and model.update_K:
            text = "retrieved documents change K, as in the paper; in cwl_eval K is constant"
            yield Note("definition", f"{name}: {text} (--as-version {VERSION})")
            return


def _collect_topic_notes(run: Run, qrels: Qrels, order: Sequence[str]) -> Iterator[Note]:
    answered, judged = Counter(order), set(qrels.topics)
    make_notes = partial(make_topic_notes, before=f"{run.where}: ", run=run.name)
    scattered = (topic for topic, times in answered.items() if times > 1)
    scattered_text = " with lines that are not adjacent, evaluated together (cwl_eval prints parts)"
    yield from make_notes("scattered", scattered, after=scattered_text)
    unjudged = (topic for topic in answered if topic not in judged)
    unknown = " without judgments: all documents are unjudged"
    yield from make_notes("unjudged-topics", unjudged, after=unknown)
    missing = (topic for topic in qrels.topics if topic not in answered)
    yield from make_notes("missing-topics", missing, after=" missing from the run, not printed")


def _collect_cost_notes(
    costs: DocCosts | None, types: Sequence[str], rankings: Rankings, low: float, high: float
) -> Iterator[Note]:
    if costs is None:
        return
    unknown = int(np.isnan(rankings.document_values["cost"]).sum())
    if unknown:
        subject = format_names(types, "element type") if types else format_count(unknown, "result")
        cost = f"{high:g}" if low == high else f"{high:g}, at best {low:g}"
        yield Note("costs", f"{costs.where}: {subject} without a cost, set to {cost}")
    if unused := int(np.count_nonzero(~costs.is_used)):
        total = format_count(len(costs.is_used), "cost")
        yield Note("costs", f"{costs.where}: {unused:,} of {total} not used by any result")
