"""`cf.plot.cwl`: what user models believe, and what they take from lists."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from itertools import chain, product
from numbers import Integral
from typing import Any, Literal, TypeAlias, get_args

from cranfield.data.costs import CostsLike
from cranfield.data.qrels import QrelsLike
from cranfield.data.reading.lines import finite, real
from cranfield.data.run import Run
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError, brief, is_one_of
from cranfield.evaluation.evaluate import Evaluator
from cranfield.evaluation.extras import Costs
from cranfield.evaluation.options import Topics
from cranfield.late import pl
from cranfield.measures import cwl as user_models
from cranfield.measures.base import FIVE, Measure, is_built_in
from cranfield.measures.cwl import UserModel
from cranfield.measures.grammar import MeasureLike, parse_model, split
from cranfield.measures.parameters import shown
from cranfield.plot.kinds import frame
from cranfield.report import cwl as charts
from cranfield.report.charts import nameless, refuse_many
from cranfield.report.look import POINTS, Look
from cranfield.report.pictures import Picture
from cranfield.scores import ALL, Notice, Scores

__all__ = ["cwl"]

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
    lists: Mapping[str, Iterable[float | None]] | None = None,
    costs: CostsLike = None,
    topics: Topics | None = None,
    ranks: int | None = None,
    measurements: str | Sequence[str] | None = None,
    values: Mapping[str, Iterable[float]] | None = None,
    title: str | None = None,
    width: float | None = None,
    height: float | None = None,
    font_size: float = POINTS,
    grey: bool = False,
    **options: Any,
) -> Picture:
    """A picture of user models at work.

    kind
        ``functions``: C, W and L of each model, rank by rank, a line for each list and for each
        value of a parameter;
        ``vary``: measurements against expected depth, a point for each value of a parameter;
        ``runs``: expected utility against expected depth, a point for each run.
    models
        ``"INST(T=2)"``, ``"RBP(p=0.8)"``: here a measure stands for its user model. To vary a
        parameter, ``"RBP(p=0.1:0.9:0.1)"``, from 0.1 to 0.9 in steps of 0.1, or
        ``"RBP(p=0.1|0.5|0.9)"``.
    qrels, runs
        Judgments and runs, as `evaluate` takes them. ``functions`` needs none for models whose
        users look at nothing but ranks, as those of RBP.
    lists
        Instead of them, ``{topic: gains}`` from the top down; None or NaN is an unjudged item.
        `costs` are then ``{topic: costs}``.
    topics
        As `evaluate` takes them. ``functions``: all judged topics, if none is named. ``vary`` and
        ``runs``: the mean over all; of those named, ``vary`` draws a line for each and ``runs``
        takes the mean.
    ranks
        How many are shown of ``functions``: the whole list, at most 30, if not given; 30 without
        lists.
    measurements, values
        What ``vary`` shows: EU and ETU, and with costs ETC, if not given. And ``{parameter:
        values}`` for models that do not say which; each model has some of its own.
    title, width, height, font_size, grey
        How it looks: `cranfield.report.look.Look` explains.

    The other options are those of `Evaluator`.

    >>> picture = cwl("RBP(p=0.5)", lists={"T1": [0, 1, 0.4]})
    >>> picture.data.select("rank", "gain", "C", "L").rows()
    [(1, 0.0, 0.5, 0.5), (2, 1.0, 0.5, 0.25), (3, 0.4, 0.5, 0.125)]
    >>> picture.save("rbp.pdf")  # doctest: +SKIP
    """
    if not is_one_of(kind, KINDS):
        raise InputError(f"kind {brief(kind)}", ", ".join(KINDS))
    _refuse_ranks(ranks)
    look = Look(title, width, height, font_size, grey)
    asked = [*CHOSEN[kind](models, values)]
    if kind == "functions" and qrels is None and runs is None and lists is None:
        _refuse_lists_needed(asked)
        lists = {charts.ANY: [0.0] * (ranks or RANKS)}
    if lists is not None:
        _refuse_beside(qrels, runs)
        qrels, runs, costs = _collection(lists, costs)
        topics = list(qrels) if topics is None else topics
    if qrels is None or runs is None:
        raise InputError("no lists to walk down", "qrels and runs, or lists")
    drawn = _measurements(measurements, costs)
    options |= {"topics": "judged" if topics is None else topics, "costs": costs}
    walks = _Walks.of(asked, qrels, runs, kind, **options)
    unit, notices = walks.unit, () if topics == [charts.ANY] else walks.notices
    if kind == "functions":
        data = walks.functions(ranks)
        return Picture(lambda: charts.functions(data, look), data, notices)
    if kind == "vary":
        data = walks.measured()
        return Picture(lambda: charts.vary(data, drawn, unit, look), data, notices)
    data = walks.in_the_mean()
    named = charts.named(data, look)
    notices += nameless(named)
    return Picture(lambda: charts.runs(named, unit, look), data, notices)


def _refuse_beside(*others: Any) -> None:
    if any(other is not None for other in others):
        raise InputError("lists beside qrels or runs", "one or the other")


def _refuse_ranks(ranks: Any) -> None:
    whole = isinstance(ranks, Integral) and not isinstance(ranks, bool)
    if ranks is not None and not (whole and int(ranks) >= 1):
        raise InputError(f"ranks {ranks!r}", "a whole number from 1")


def _measurements(given: Any, costs: Any) -> list[str]:
    """What is drawn against depth; without costs, total cost would be the depth itself."""
    if given is None:
        return ["EU", "ETU"] if costs is None else ["EU", "ETU", "ETC"]
    names = _several(given)
    known = [name for name in FIVE if name != "ED"]
    if not names or not all(name in known for name in names):
        raise InputError(f"measurements {given!r}", f"some of {', '.join(known)}")
    return list(dict.fromkeys(names))


def _several(given: Any) -> list[Any]:
    """One thing or more, as a list."""
    return [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)


# -- models ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Chosen:
    """A user model of a picture: what it is called there, and the value of what varies."""

    name: str
    model: UserModel
    parameter: str = ""
    value: float = 0.0


def _each(models: Any) -> list[Any]:
    """The models, once each."""
    one = isinstance(models, Measure | type)
    given = [models] if one else _several(models)
    parts = [split(text) if isinstance(text, str) else [parse_model(text)] for text in given]
    found = list(dict.fromkeys(chain.from_iterable(parts)))
    if not found:
        raise InputError("no model", "at least one")
    return found


def _fixed(models: Any, _: Any = None) -> Iterator[_Chosen]:
    for given in _each(models):
        for m in _ranges(given):
            found = f"found {given.strip()}, expected one value of {m['name']}"
            raise CranfieldError(f"{found}: ranges are for pictures of other kinds than runs")
        yield _as_written(given)


def _as_written(given: Any) -> _Chosen:
    """A model under the name that the user gives it: RBP(p=0.8) says more than RBP."""
    model = _model(given)
    return _Chosen(_bare(given) if isinstance(given, str) else str(model), model)


def _overlaid(models: Any, _: Any = None) -> Iterator[_Chosen]:
    """Each model, at each value of a parameter that has several."""
    for given in _each(models):
        yield from _at_each(*_series(given, {})) if _ranges(given) else [_as_written(given)]


def _refuse_lists_needed(models: Iterable[_Chosen]) -> None:
    """Models whose users look at more than ranks."""
    for one in models:
        if one.model.looks_at or not is_built_in(type(one.model)):
            looks = " and ".join(one.model.looks_at) or "lists"
            found = f"{one.name} without lists, whose users look at {looks}"
            raise InputError(found, "qrels and runs, or lists")


def _bare(text: str) -> str:
    """The text of a model without a measurement: all five are looked at."""
    model, _, measurement = text.strip().rpartition(".")
    return model if measurement in FIVE else text.strip()


def _model(given: MeasureLike) -> Any:
    """The user model that a measure or its name stands for."""
    try:
        return parse_model(given)
    except CranfieldError as error:
        if "it is no user model" not in str(error):
            raise
        names = ", ".join(sorted(user_models.models(), key=str.lower))
        raise InputError(given, f"a user model: {names}") from None


def _varied(models: Any, values: Mapping[str, Iterable[float]] | None) -> Iterator[_Chosen]:
    """Each model at each value of the parameter that varies."""
    by_name = _values(values)
    asked = [_series(given, by_name) for given in _each(models)]
    for name in by_name:
        if name not in [parameter for _, parameter, _ in asked]:
            raise InputError(f"values of {name!r}", "a parameter of the models")
    for one in asked:
        yield from _at_each(*one)


def _at_each(model: Any, parameter: str, series: Iterable[float]) -> Iterator[_Chosen]:
    """A model at each value of a parameter."""
    defaults = {f.name: f.default for f in dataclasses.fields(model)}
    at = parameter == model.at_name and parameter not in defaults  # the model's own come first
    name = "cutoff" if at else parameter
    if name not in defaults:
        raise CranfieldError(f"{type(model).__name__} has no parameter {parameter!r} to vary")
    each = sorted(set(series))
    if not each:
        raise InputError(f"no value of {parameter!r}", "at least one")
    plain = dataclasses.replace(model, **{name: defaults[name]})
    title = f"{plain}: {parameter} = {shown(each[0])} … {shown(each[-1])}"
    for value in each:
        yield _Chosen(title, dataclasses.replace(model, **{name: value}), parameter, value)


def _values(values: Any) -> dict[str, list[float]]:
    """The values of each parameter, as numbers."""
    expected = "{parameter: numbers}, as in {'p': [0.5, 0.8]}"
    if values is not None and not isinstance(values, Mapping):
        raise InputError(f"values {values!r}", expected)
    made: dict[str, list[float]] = {}
    for name, each in (values or {}).items():
        if isinstance(each, str) or not isinstance(each, Iterable):
            raise InputError(f"{each!r} as the values of {name!r}", expected)
        what = f"in the values of {name!r}"
        made[name] = [_number(value, f"{value!r} {what}", "numbers") for value in each]
    return made


def _number(value: Any, found: str, expected: str) -> float:
    if (number := real(value)) is None:
        raise InputError(found, expected)
    return number


def _told(notices: Iterable[Notice], chosen: Sequence[_Chosen]) -> tuple[Notice, ...]:
    """The notices, each once for a model and its measurements, and once for a series."""
    first = {one.name: str(one.model) for one in reversed(chosen)}
    models = {str(one.model): first[one.name] for one in chosen}
    each = "|".join(map(re.escape, sorted(models, key=len, reverse=True)))
    listed = re.compile(rf"({each})(, ({each}))*(\.({'|'.join(FIVE)}))?(?=: )")
    told: dict[Notice, None] = {}
    for notice in notices:
        text, found = notice.text, listed.match(notice.text)
        if found and notice.run is None:  # a run may be called like a model
            names = dict.fromkeys(models[name] for name in re.findall(each, found[0]))
            text = ", ".join(names) + text[found.end() :]
        told[dataclasses.replace(notice, text=text)] = None
    return tuple(told)


def _ranges(given: Any) -> list[re.Match[str]]:
    """The parameters to which a model's text gives several values."""
    found = list(_SERIES.finditer(given)) if isinstance(given, str) else []
    if not found:
        return []
    plain = _model(re.split(r"[(@]", found[0].string)[0])
    tables = [f.name for f in plain.parameters() if f.metadata.get("table")] + ["gain"]
    return [m for m in found if m["name"] not in tables]


def _series(given: MeasureLike, values: Mapping[str, list[float]]) -> tuple[Any, str, list[float]]:
    """A model, the parameter of it that varies, and its values."""
    found = _ranges(given)
    if len(found) > 1:
        names = " and ".join(m["name"] for m in found)
        raise InputError(f"values of {names}", "one to vary", given)
    for m in found:
        text = m.string
        series = _numbers(m["values"], f"{text.split('(')[0].strip()} {m['name']}=")
        first = text[: m.start("values")] + shown(series[0]) + text[m.end("values") :]
        return _model(first), m["name"], series
    model = _model(given)
    for name in (*(f.name for f in model.parameters()), model.at_name):
        if name in values:
            return model, name, values[name]
    if model.vary is None:
        raise InputError("no values to vary", "them as in RBP(p=0.1:0.9:0.1)", model)
    return model, model.vary[0], list(model.vary[1])


_SERIES = re.compile(r"(?P<name>\w+)\s*=\s*(?P<values>[^,()=]*[:|][^,()=]*)")


CHOSEN: dict[str, Callable[..., Iterator[_Chosen]]]
CHOSEN = {"functions": _overlaid, "vary": _varied, "runs": _fixed}


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
        if len(given) == 3 and given[0] > given[1]:
            rising = ":".join(map(shown, (given[1], given[0], abs(given[2]))))
            raise InputError(f"{what}{text}", f"the lower end first: {rising}")
        if len(given) == 3 and given[2] > 0:
            first, last, step = given
            steps = (last - first) / step * (1 + 1e-9)  # so that the last one is not lost
            if steps < MOST_VALUES:
                return [float(f"{first + i * step:.12g}") for i in range(int(steps) + 1)]
    expected = f"first:last:step (at most {MOST_VALUES} values) or numbers between |"
    raise InputError(f"{what}{text}", expected)


# -- what is drawn --------------------------------------------------------------------------------


def _collection(lists: Any, costs: Any) -> tuple[dict[str, Any], dict[str, Any], Any]:
    """Lists without documents as judgments, a run and costs: the rank is the document."""
    if not isinstance(lists, Mapping) or not lists:
        raise InputError(f"lists {lists!r}", "{topic: gains}")
    qrels: dict[str, dict[str, float]] = {}
    runs: dict[str, list[str]] = {}
    priced: dict[str, dict[str, float]] = {}
    for name, given in lists.items():
        topic, gains = str(name), _gains(name, given)
        docs = [str(rank) for rank in range(1, len(gains) + 1)]
        runs[topic] = docs
        qrels[topic] = {doc: g for doc, g in zip(docs, gains, strict=True) if g is not None}
        if costs is not None:
            of_topic = costs.get(name, ()) if isinstance(costs, Mapping) else ()
            many = len(of_topic) if isinstance(of_topic, Sized) else 0
            if many != len(docs):
                found = f"{many} costs of {topic}"
                raise InputError(found, f"{len(docs)}: one for each gain")
            priced[topic] = dict(zip(docs, of_topic, strict=True))
    return qrels, runs, priced or None


def _gains(topic: Any, given: Any) -> list[float | None]:
    """The gains of a list; None for items that are not judged."""
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise InputError(f"{given!r} as the list of {topic}", "gains")
    return [
        None if x is None or str(x) == "nan"  # which arrays have for None
        else _number(x, f"gain {x!r} in the list of {topic}", "a number")
        for x in given
    ]  # fmt: skip


@dataclass(frozen=True)
class _Walks:
    """User models at work: how their users walk down lists, and what that gives."""

    evaluator: Evaluator
    models: Sequence[_Chosen]
    runs: Sequence[Run]
    topics: Sequence[str] | None  # those asked for
    scores: Scores

    @classmethod
    def of(
        cls,
        asked: Sequence[_Chosen],
        qrels: Any,
        runs: Any,
        kind: Kind,
        **options: Any,
    ) -> _Walks:
        five = [one.model.reading(name) for one in asked for name in FIVE]
        evaluator = Evaluator(qrels, five, **options)
        if len(evaluator.measures) != len(five):
            raise InputError("the same model twice", "each once")
        wanted = evaluator.options.named_topics
        read, scores = evaluator.read_and_score(runs)
        if kind == "vary":
            refuse_many(len(read) * len(wanted or [ALL]))
        return cls(evaluator, asked, read, wanted, scores)

    @property
    def notices(self) -> tuple[Notice, ...]:
        return _told(self.scores.notices, self.models)

    @property
    def unit(self) -> str:
        """That of costs, if there are some."""
        costs = (x for x in self.evaluator.collection.extras if isinstance(x, Costs))
        return next((extra.noted.unit for extra in costs), "")

    def functions(self, ranks: int | None) -> pl.DataFrame:
        """C, W and L of each model on each list, rank by rank."""
        collection, topics = self.evaluator.collection, self.topics or self.scores.topics
        collection.options.refuse_expected()
        settings = max(Counter(one.name for one in self.models).values())
        refuse_many(len(self.runs) * len(topics) * settings)
        labelled = [(run.name, collection.rankings(run)) for run in self.runs]
        places = [collection.place(topic) for topic in topics]
        longest = max(int(rankings.lengths[t]) for _, rankings in labelled for t in places)
        last = ranks or max(1, min(longest, RANKS))
        each = zip(self.models, self.evaluator.measures[:: len(FIVE)], strict=True)
        rows: list[tuple[Any, ...]] = []
        for (one, m), (run, rankings), t in product(each, labelled, places):
            model: Any = self.evaluator.measuring.here(m, t)
            walk = model.walk_down(model.items(collection.block(rankings, t))).one()
            arrays = (walk.gains, walk.costs, walk.C, walk.W, walk.L)
            columns = zip(*(x[:last].tolist() for x in arrays), strict=True)
            begin = (one.name, run, collection.topics[t])
            end = self._setting(one)
            rows += [(*begin, i, *numbers, end) for i, numbers in enumerate(columns, 1)]
        names = ("model", "run", "topic", "rank", "gain", "cost", "C", "W", "L", "setting")
        data = frame(rows, names)
        return data if any(data["setting"]) else data.drop("setting")

    def _setting(self, one: _Chosen) -> str:
        """What tells a line from those of other settings; empty if no model has several."""
        if one.parameter:
            return f"{one.parameter} = {shown(one.value)}"
        return one.name if any(other.parameter for other in self.models) else ""

    def measured(self, scores: Scores | None = None) -> pl.DataFrame:
        """All five measurements of each model on each run, for topics or in the mean."""
        topics: Sequence[str] = [ALL] if scores is not None else self.topics or [ALL]
        scores = scores or self.scores
        means, names = scores.summary(), [m.names()[0] for m in self.evaluator.measures]
        rows: list[tuple[Any, ...]] = []
        for k, one in enumerate(self.models):
            five = names[k * len(FIVE) : (k + 1) * len(FIVE)]
            for run, topic in product(scores.runs, topics):
                numbers = [means[run][c] if topic == ALL else scores[run, topic, c] for c in five]
                rows.append((one.name, one.parameter, one.value, run, topic, *numbers))
        return frame(rows, ("model", "parameter", "value", "run", "topic", *FIVE))

    def in_the_mean(self) -> pl.DataFrame:
        """All five measurements of each model on each run, in the mean over the topics."""
        these = self.scores if self.topics is None else self.scores.select(topics=self.topics)
        data = self.measured(these).drop("topic", "parameter", "value")
        for of_model in data.partition_by("model", maintain_order=True):
            if of_model.drop_nans(["ED", "EU"]).is_empty():
                raise InputError("no run with a score", "one", of_model["model"][0])
        return data
