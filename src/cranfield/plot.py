"""`cf.plot`: pictures of what is measured, and of what measures believe."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from cranfield.data.costs import CostsLike
from cranfield.data.qrels import QrelsLike
from cranfield.data.records import finite
from cranfield.data.run import Run
from cranfield.errors import CranfieldError
from cranfield.evaluate import Evaluator
from cranfield.measures import cwl as user_models
from cranfield.measures.base import FIVE, Measure, shown
from cranfield.measures.cwl import UserModel
from cranfield.measures.grammar import MeasureLike, parse_measure
from cranfield.measures.lists import gold_block, lists_block
from cranfield.report import cwl as charts
from cranfield.report.pictures import Picture, altair, refuse_many
from cranfield.scores import ALL, Scores
from cranfield.wording import some

if TYPE_CHECKING:
    import polars as pl

Kind: TypeAlias = Literal["functions", "vary", "runs"]
KINDS = get_args(Kind)
RANKS = 30  # shown of a longer list, unless more are asked for
MOST_VALUES = 1000  # of a parameter


def cwl(
    models: MeasureLike | Iterable[MeasureLike],
    qrels: QrelsLike = None,
    runs: Any = None,
    kind: Kind = "functions",
    *,
    lists: Mapping[str, Sequence[float | None]] | None = None,
    costs: CostsLike = None,
    topics: Iterable[str] | None = None,
    ranks: int | None = None,
    measurements: Sequence[str] = ("EU", "ETU", "ETC"),
    values: Mapping[str, Iterable[float]] | None = None,
    width: float | None = None,
    height: float | None = None,
    title: str = "",
    **options: Any,
) -> Picture:
    """A picture of user models at work.

    kind
        ``functions``: C, W and L of each model, rank by rank, a line for each list;
        ``vary``: measurements against expected depth, a point for each value of a parameter;
        ``runs``: expected utility against expected depth, a point for each run.
    models
        ``"INST(T=2)"``, ``"RBP(p=0.8)"``: here a measure stands for its user model. To vary a
        parameter, ``"RBP(p=0.1:0.9:0.1)"``, from 0.1 to 0.9 in steps of 0.1, or
        ``"RBP(p=0.1|0.5|0.9)"``.
    qrels, runs
        Judgments and runs, as `evaluate` takes them.
    lists
        Instead of them, ``{topic: gains}`` from the top down; None is an unjudged item. `costs`
        are then ``{topic: costs}``.
    topics
        ``functions``: all judged topics, if not given. ``vary`` and ``runs``: the mean over all;
        given, ``vary`` draws a line for each and ``runs`` takes the mean over these.
    ranks
        How many are shown of ``functions``: the whole list, at most 30, if not given.
    measurements, values
        What ``vary`` shows, and ``{parameter: values}`` for models that do not say which. Each
        model has some of its own.
    width, height
        Of each panel, in points.

    The other options are those of `Evaluator`.

    >>> picture = cwl("RBP(p=0.5)", lists={"T1": [0, 1, 0.4]})
    >>> picture.data.select("rank", "gain", "C", "L").rows()
    [(1, 0.0, 0.5, 0.5), (2, 1.0, 0.5, 0.25), (3, 0.4, 0.5, 0.125)]
    >>> picture.save("rbp.pdf")  # doctest: +SKIP
    """
    altair()  # before the work, not after it
    if ranks is not None and ranks < 1:
        raise CranfieldError(f"found {ranks} ranks, expected at least one")
    if kind not in KINDS:
        raise CranfieldError(f"found kind {kind!r}, expected {', '.join(KINDS)}")
    chosen = None if topics is None else [topics] if isinstance(topics, str) else [*topics]
    if lists is not None:
        if qrels is not None or runs is not None:
            raise CranfieldError("found lists beside qrels or runs, expected one or the other")
        qrels, runs, costs = _collection(lists, costs)
        chosen = list(qrels) if chosen is None else chosen
    if qrels is None or runs is None:
        raise CranfieldError("found no lists to walk down, expected qrels and runs, or lists")
    asked = list(_varied(models, values) if kind == "vary" else _fixed(models))
    five = [one.model.reading(name) for one in asked for name in FIVE]
    evaluator = Evaluator(qrels, five, costs=costs, **options)
    if len(evaluator.measures) != len(five):
        raise CranfieldError("found the same model twice, expected each once")
    wanted = _known(evaluator, chosen)
    read = evaluator.read(runs)
    scores = evaluator(read)
    look: dict[str, Any] = {"width": width, "height": height, "title": title}
    unit = "" if evaluator.costs is None else evaluator.costs.unit
    if kind == "functions":
        data = _walks(evaluator, asked, read, wanted or scores.topics, ranks)
        chart = charts.functions(data, **look)
    elif kind == "vary":
        data = _measured(evaluator, asked, scores, wanted or [ALL])
        chart = charts.vary(data, measurements, unit, **look)
    else:
        these = scores if wanted is None else scores.select(topics=wanted)
        data = _measured(evaluator, asked, these, [ALL])
        data = data.drop("topic", "parameter", "value")
        chart = charts.runs(data, unit, **look)
    return Picture(chart, data, scores.notices)


# -- models -------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class _Chosen:
    """A user model of a picture: what it is called there, and the value of what varies."""

    name: str
    model: UserModel
    parameter: str = ""
    value: float = 0.0


def _each(models: Any) -> list[Any]:
    """The models, once each."""
    one = isinstance(models, str | Measure | type)
    found = list(dict.fromkeys([models] if one else models))
    if not found:
        raise CranfieldError("found no model, expected at least one")
    return found


def _fixed(models: Any) -> Iterator[_Chosen]:
    for given in _each(models):
        model = _model(given)
        # As the user writes it: RBP(p=0.8) says more than RBP, which is the same.
        yield _Chosen(_bare(given) if isinstance(given, str) else str(model), model)


def _bare(text: str) -> str:
    """The text of a model without a measurement: all five are looked at."""
    model, _, measurement = text.strip().rpartition(".")
    return model if measurement in FIVE else text.strip()


def _model(given: MeasureLike) -> UserModel:
    """The user model that a measure or its name stands for."""
    known = user_models.models()
    if isinstance(given, str):
        text = _bare(given)
        name = re.split(r"[(@]", text)[0].lower()
        given = f"{text}.EU" if name in {model.lower() for model in known} else text
    found = parse_measure(given)
    if not found.is_user_model():
        names = ", ".join(sorted(known, key=str.lower))
        raise CranfieldError(f"found {found}, expected a user model: {names}")
    return _with(found.reading("EU"), "measurement", "")


def _varied(models: Any, values: Mapping[str, Iterable[float]] | None) -> Iterator[_Chosen]:
    """Each model at each value of the parameter that varies."""
    asked = [_series(given, values or {}) for given in _each(models)]
    for name in values or ():
        if name not in [parameter for _, parameter, _ in asked]:
            raise CranfieldError(f"found values of {name!r}, expected a parameter of the models")
    for model, parameter, series in asked:
        name = "cutoff" if parameter == model.at_name else parameter
        defaults = {f.name: f.default for f in dataclasses.fields(model)}
        if name not in defaults:
            raise CranfieldError(f"{type(model).__name__} has no parameter {parameter!r} to vary")
        each = sorted(set(series))
        if not each:
            raise CranfieldError(f"found no value of {parameter!r}, expected at least one")
        plain = _with(model, name, defaults[name])
        title = f"{plain}: {parameter} = {shown(each[0])} … {shown(each[-1])}"
        for value in each:
            yield _Chosen(title, _with(model, name, value), parameter, value)


def _with(model: Any, name: str, value: Any) -> UserModel:
    made: UserModel = dataclasses.replace(model, **{name: value})
    return made


def _series(
    given: MeasureLike, values: Mapping[str, Iterable[float]]
) -> tuple[UserModel, str, list[float]]:
    """A model, the parameter of it that varies, and its values."""
    if isinstance(given, str):
        plain = _model(re.split(r"[(@]", given)[0])
        tables = [f.name for f in plain.parameters() if f.metadata.get("table")] + ["gain"]
        found = [m for m in _SERIES.finditer(given) if m["name"] not in tables]
        if len(found) > 1:
            names = " and ".join(m["name"] for m in found)
            raise CranfieldError(f"{given}: found values of {names}, expected one to vary")
        for m in found:
            series = _numbers(m["values"], f"{type(plain).__name__} {m['name']}=")
            first = given[: m.start("values")] + shown(series[0]) + given[m.end("values") :]
            return _model(first), m["name"], series
    model = _model(given)
    for name in (*(f.name for f in model.parameters()), model.at_name):
        if name in values:
            return model, name, [float(value) for value in values[name]]
    if model.vary is None:
        raise CranfieldError(
            f"{model}: found no values to vary, expected them as in RBP(p=0.1:0.9:0.1)"
        )
    return model, model.vary[0], list(model.vary[1])


_SERIES = re.compile(r"(?P<name>\w+)\s*=\s*(?P<values>[^,()=]*[:|][^,()=]*)")


def _numbers(text: str, what: str = "") -> list[float]:
    """The values that a text stands for.

    >>> _numbers("0.1:0.4:0.1"), _numbers("1|2|5")
    ([0.1, 0.2, 0.3, 0.4], [1.0, 2.0, 5.0])
    """
    numbers = [finite(part) for part in text.split("|" if "|" in text else ":")]
    if None not in numbers:
        given = [float(number) for number in numbers if number is not None]
        if "|" in text:
            return given
        if len(given) == 3 and given[2] > 0 and given[0] <= given[1]:
            first, last, step = given
            steps = (last - first) / step * (1 + 1e-9)  # so that the last one is not lost
            if steps < MOST_VALUES:
                return [float(f"{first + i * step:.12g}") for i in range(int(steps) + 1)]
    expected = f"first:last:step (at most {MOST_VALUES} values) or numbers between |"
    raise CranfieldError(f"found {what}{text}, expected {expected}")


# -- what is drawn ------------------------------------------------------------------------------


def _collection(
    lists: Mapping[str, Sequence[float | None]], costs: Any
) -> tuple[dict[str, Any], dict[str, Any], Any]:
    """Lists without documents as judgments, a run and costs: the rank is the document."""
    qrels: dict[str, dict[str, float]] = {}
    runs: dict[str, list[str]] = {}
    priced: dict[str, dict[str, float]] = {}
    for topic, gains in lists.items():
        docs = [str(rank) for rank in range(1, len(gains) + 1)]
        runs[topic] = docs
        qrels[topic] = {doc: g for doc, g in zip(docs, gains, strict=True) if g is not None}
        if costs is not None:
            of_topic = costs.get(topic, ()) if isinstance(costs, Mapping) else ()
            if len(of_topic) != len(docs):
                found = f"{len(of_topic)} costs of {topic}"
                raise CranfieldError(f"found {found}, expected {len(docs)}: one for each gain")
            priced[topic] = dict(zip(docs, of_topic, strict=True))
    return qrels, runs, priced or None


def _known(evaluator: Evaluator, topics: Iterable[Any] | None) -> list[str] | None:
    """The topics that were asked for, which must have judgments."""
    if topics is None:
        return None
    wanted, index = list(dict.fromkeys(map(str, topics))), evaluator.gold.topic_index
    if unknown := [topic for topic in wanted if topic not in index]:
        known = some(list(index), "topic")
        raise CranfieldError(f"found topic {unknown[0]!r}, expected one of the judgments' {known}")
    return wanted


def _walks(
    evaluator: Evaluator,
    chosen: Sequence[_Chosen],
    runs: Sequence[Run],
    topics: Sequence[str],
    ranks: int | None,
) -> pl.DataFrame:
    """C, W and L of each model on each list, rank by rank."""
    if evaluator.ties == "expected":
        raise CranfieldError("found ties=expected, expected one order: trec, best or worst")
    refuse_many(len(runs) * len(topics))
    labelled = [(run.name, evaluator.rankings(run)) for run in runs]
    index = [evaluator.gold.topic_index[topic] for topic in topics]
    longest = max(int(rankings.lengths[t]) for _, rankings in labelled for t in index)
    last = ranks or max(1, min(longest, RANKS))
    rows: list[tuple[Any, ...]] = []
    for one, measure in zip(chosen, evaluator.measures[:: len(FIVE)], strict=True):
        for run, rankings in labelled:
            for topic, t in zip(topics, index, strict=True):
                model: Any = evaluator.here(measure, t)
                gold = gold_block(evaluator.counting.judgments, t, t + 1)
                walk = model.walk_down(model.items(lists_block(rankings, gold, t, t + 1))).one()
                arrays = (walk.gains, walk.costs, walk.C, walk.W, walk.L)
                columns = zip(*(x[:last].tolist() for x in arrays), strict=True)
                rows += [
                    (one.name, run, topic, i, *numbers) for i, numbers in enumerate(columns, 1)
                ]
    names = ("model", "run", "topic", "rank", "gain", "cost", "C", "W", "L")
    return _frame(rows, names)


def _measured(
    evaluator: Evaluator, chosen: Sequence[_Chosen], scores: Scores, topics: Sequence[str]
) -> pl.DataFrame:
    """All five measurements of each model on each run, for topics or in the mean."""
    means = scores.summary()
    columns = [str(m) for m in evaluator.measures]
    rows: list[tuple[Any, ...]] = []
    for k, one in enumerate(chosen):
        five = columns[k * len(FIVE) : (k + 1) * len(FIVE)]
        for run, topic in product(scores.runs, topics):
            found = [means[run][c] if topic == ALL else scores[run, topic, c] for c in five]
            rows.append((one.name, one.parameter, one.value, run, topic, *found))
    return _frame(rows, ("model", "parameter", "value", "run", "topic", *FIVE))


def _frame(rows: Sequence[Sequence[Any]], names: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(rows, schema=list(names), orient="row", infer_schema_length=None)
