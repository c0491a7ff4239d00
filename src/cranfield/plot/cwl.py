"""`cf.plot.cwl`: user models, and their behaviour on rankings."""

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
from cranfield.data.reading.lines import parse_finite, to_number
from cranfield.data.run import Run
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError, describe_value, is_one_of
from cranfield.evaluation.evaluate import Evaluator
from cranfield.evaluation.extras import Costs
from cranfield.evaluation.options import Topics
from cranfield.figures.charts import check_line_count, note_unnamed_runs
from cranfield.figures.figure import Figure
from cranfield.figures.theme import POINTS, Theme
from cranfield.lazy_imports import pl
from cranfield.measures import cwl as user_models
from cranfield.measures.base import MEASUREMENTS, Measure, is_built_in
from cranfield.measures.cwl import UserModel
from cranfield.measures.grammar import MeasureLike, parse_model, split
from cranfield.measures.parameters import format_value
from cranfield.plot.kinds import build_frame
from cranfield.report import cwl as charts
from cranfield.scores import ALL, Note, Scores

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
) -> Figure:
    """Plot user models.

    kind
        ``functions``: C, W and L of each model by rank, one line per ranking and per value of a
        parameter;
        ``vary``: measurements against expected depth, one point per value of a parameter;
        ``runs``: expected utility against expected depth, one point per run.
    models
        ``"INST(T=2)"``, ``"RBP(p=0.8)"``: a measure stands for its user model. To vary a
        parameter, use a range, ``"RBP(p=0.1:0.9:0.1)"`` (from 0.1 to 0.9 in steps of 0.1), or a
        list, ``"RBP(p=0.1|0.5|0.9)"``.
    qrels, runs
        Judgments and runs as for `evaluate`. ``functions`` needs none for models that depend only
        on ranks, such as RBP.
    lists
        Rankings without documents, instead of judgments and runs: ``{topic: gains}`` from rank 1.
        None or NaN is an unjudged item. `costs` are then ``{topic: costs}``.
    topics
        As for `evaluate`. Default of ``functions``: all judged topics. Default of ``vary`` and
        ``runs``: the mean over all topics. For selected topics, ``vary`` draws one line each and
        ``runs`` draws their mean.
    ranks
        Number of ranks shown by ``functions``. Default: the longest ranking, at most 30; 30 without
        rankings.
    measurements, values
        Measurements shown by ``vary``: EU and ETU by default, and ETC if there are costs.
        ``{parameter: values}`` for models without a range. Each model has default values.
    title, width, height, font_size, grey
        Appearance: see `cranfield.figures.theme.Theme`.

    Other options are passed to `Evaluator`.

    >>> picture = cwl("RBP(p=0.5)", lists={"T1": [0, 1, 0.4]})
    >>> picture.data.select("rank", "gain", "C", "L").rows()
    [(1, 0.0, 0.5, 0.5), (2, 1.0, 0.5, 0.25), (3, 0.4, 0.5, 0.125)]
    >>> picture.save("rbp.pdf")  # doctest: +SKIP
    """
    if not is_one_of(kind, KINDS):
        raise InputError.from_problem(f"unknown kind {describe_value(kind)}", f"Use {', '.join(KINDS)}.")
    _check_ranks(ranks)
    theme = Theme(title, width, height, font_size, grey)
    settings = [*RESOLVERS[kind](models, values)]
    if kind == "functions" and qrels is None and runs is None and lists is None:
        _reject_missing_lists(settings)
        lists = {charts.ANY_RANKING: [0.0] * (ranks or RANKS)}
    if lists is not None:
        _reject_inputs(qrels, runs)
        qrels, runs, costs = _build_collection(lists, costs)
        topics = list(qrels) if topics is None else topics
    if qrels is None or runs is None:
        raise InputError.from_problem("no rankings given", "Pass qrels and runs, or lists.")
    measurement_names = _select_measurements(measurements, costs)
    options |= {"topics": "judged" if topics is None else topics, "costs": costs}
    walks = _Walks.from_settings(settings, qrels, runs, kind, **options)
    unit, notes = walks.unit, () if topics == [charts.ANY_RANKING] else walks.notes
    if kind == "functions":
        data = walks.compute_functions(ranks)
        return Figure(lambda: charts.draw_functions(data, theme), data, notes)
    if kind == "vary":
        data = walks.compute_measurements()
        return Figure(lambda: charts.draw_parameters(data, measurement_names, unit, theme), data, notes)
    data = walks.compute_means()
    named_data = charts.place_names(data, theme)
    notes += note_unnamed_runs(named_data)
    return Figure(lambda: charts.draw_runs(named_data, unit, theme), data, notes)


def _reject_inputs(*inputs: Any) -> None:
    if any(value is not None for value in inputs):
        raise InputError.from_problem("use either lists or qrels and runs, not both")


def _check_ranks(ranks: Any) -> None:
    is_integer = isinstance(ranks, Integral) and not isinstance(ranks, bool)
    if ranks is not None and not (is_integer and int(ranks) >= 1):
        raise InputError(f"ranks={ranks!r}", "an integer ≥ 1")


def _select_measurements(value: Any, costs: Any) -> list[str]:
    """Return the measurements to plot against depth. Without costs, ETC would equal the depth."""
    if value is None:
        return ["EU", "ETU"] if costs is None else ["EU", "ETU", "ETC"]
    names = _to_list(value)
    valid_names = [name for name in MEASUREMENTS if name != "ED"]
    if not names or not all(name in valid_names for name in names):
        raise InputError.from_problem(f"invalid measurements {value!r}", f"Valid: {', '.join(valid_names)}.")
    return list(dict.fromkeys(names))


def _to_list(value: Any) -> list[Any]:
    return [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)


# -- models ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _ModelSetting:
    """User model of a figure, with its label and the value of the parameter that varies."""

    name: str
    model: UserModel
    parameter: str = ""
    value: float = 0.0


def _parse_models(models: Any) -> list[Any]:
    """Return the models without duplicates."""
    is_single = isinstance(models, Measure | type)
    specs = [models] if is_single else _to_list(models)
    parts = [split(text) if isinstance(text, str) else [parse_model(text)] for text in specs]
    unique_models = list(dict.fromkeys(chain.from_iterable(parts)))
    if not unique_models:
        raise InputError.from_problem("no user model given")
    return unique_models


def _resolve_fixed(models: Any, _: Any = None) -> Iterator[_ModelSetting]:
    for spec in _parse_models(models):
        for m in _find_ranges(spec):
            problem = f"{spec.strip()} has several values of {m['name']}"
            raise InputError.from_problem(problem, 'Use one value with kind "runs".')
        yield _resolve_setting(spec)


def _resolve_setting(spec: Any) -> _ModelSetting:
    """Return a model with the label that the user wrote: RBP(p=0.8) is clearer than RBP."""
    model = _resolve_model(spec)
    return _ModelSetting(_strip_measurement(spec) if isinstance(spec, str) else str(model), model)


def _resolve_overlaid(models: Any, _: Any = None) -> Iterator[_ModelSetting]:
    """Yield each model, once for each value of a parameter with several values."""
    for spec in _parse_models(models):
        yield from (_set_values(*_parse_series(spec, {})) if _find_ranges(spec) else [_resolve_setting(spec)])


def _reject_missing_lists(models: Iterable[_ModelSetting]) -> None:
    """Raise an error if a model needs rankings."""
    for setting in models:
        if setting.model.looks_at or not is_built_in(type(setting.model)):
            inputs = " and ".join(setting.model.looks_at) or "rankings"
            problem = f"{setting.name} depends on {inputs}"
            raise InputError.from_problem(problem, "Pass qrels and runs, or lists.")


def _strip_measurement(text: str) -> str:
    """Remove the measurement from a model's text: all five measurements are computed."""
    model, _, measurement = text.strip().rpartition(".")
    return model if measurement in MEASUREMENTS else text.strip()


def _resolve_model(spec: MeasureLike) -> Any:
    """Return the user model of a measure or of its name."""
    try:
        return parse_model(spec)
    except CranfieldError as error:
        if "not a user model" not in str(error):
            raise
        names = ", ".join(sorted(user_models.list_models(), key=str.lower))
        problem = f"{spec} is not a user model"
        raise InputError.from_problem(problem, f"User models: {names}.") from None


def _resolve_varied(models: Any, values: Mapping[str, Iterable[float]] | None) -> Iterator[_ModelSetting]:
    """Yield each model at each value of the parameter that varies."""
    by_name = _parse_values(values)
    series_list = [_parse_series(spec, by_name) for spec in _parse_models(models)]
    for name in by_name:
        if name not in [parameter for _, parameter, _ in series_list]:
            raise InputError.from_problem(f"values: the models have no parameter {name!r}")
    for series in series_list:
        yield from _set_values(*series)


def _set_values(model: Any, parameter: str, series: Iterable[float]) -> Iterator[_ModelSetting]:
    """Yield a model at each value of a parameter."""
    defaults = {f.name: f.default for f in dataclasses.fields(model)}
    is_cutoff = parameter == model.cutoff_name and parameter not in defaults  # the model's own come first
    name = "cutoff" if is_cutoff else parameter
    if name not in defaults:
        raise InputError.from_problem(f"{type(model).__name__} has no parameter {parameter!r}")
    sorted_values = sorted(set(series))
    if not sorted_values:
        raise InputError.from_problem(f"no value of {parameter!r} given")
    default_model = dataclasses.replace(model, **{name: defaults[name]})
    first, last = format_value(sorted_values[0]), format_value(sorted_values[-1])
    title = f"{default_model}: {parameter} = {first} … {last}"
    for value in sorted_values:
        yield _ModelSetting(title, dataclasses.replace(model, **{name: value}), parameter, value)


def _parse_values(values: Any) -> dict[str, list[float]]:
    """Return the values of each parameter as numbers."""
    expected = "{parameter: numbers}, as in {'p': [0.5, 0.8]}"
    if values is not None and not isinstance(values, Mapping):
        raise InputError(f"values={values!r}", expected)
    values_by_name: dict[str, list[float]] = {}
    for name, items in (values or {}).items():
        if isinstance(items, str) or not isinstance(items, Iterable):
            raise InputError(f"values={{{name!r}: {items!r}}}", expected)
        context = f"in the values of {name!r}"
        values_by_name[name] = [_parse_number(value, f"{value!r} {context}", "numbers") for value in items]
    return values_by_name


def _parse_number(value: Any, problem: str, expected: str) -> float:
    if (number := to_number(value)) is None:
        raise InputError(problem, expected)
    return number


def _merge_notes(notes: Iterable[Note], settings: Sequence[_ModelSetting]) -> tuple[Note, ...]:
    """Return the notes once per model or series, not once per measurement."""
    first = {setting.name: str(setting.model) for setting in reversed(settings)}
    models = {str(setting.model): first[setting.name] for setting in settings}
    pattern = "|".join(map(re.escape, sorted(models, key=len, reverse=True)))
    prefix = re.compile(rf"({pattern})(, ({pattern}))*(\.({'|'.join(MEASUREMENTS)}))?(?=: )")
    merged: dict[Note, None] = {}
    for note in notes:
        text, match = note.text, prefix.match(note.text)
        if match and note.run is None:  # a run may be called like a model
            names = dict.fromkeys(models[name] for name in re.findall(pattern, match[0]))
            text = ", ".join(names) + text[match.end() :]
        merged[dataclasses.replace(note, text=text)] = None
    return tuple(merged)


def _find_ranges(spec: Any) -> list[re.Match[str]]:
    """Find the parameters with several values in a model's text."""
    matches = list(_SERIES.finditer(spec)) if isinstance(spec, str) else []
    if not matches:
        return []
    default_model = _resolve_model(re.split(r"[(@]", matches[0].string)[0])
    tables = [f.name for f in default_model.list_parameters() if f.metadata.get("table")] + ["gain"]
    return [m for m in matches if m["name"] not in tables]


def _parse_series(spec: MeasureLike, values: Mapping[str, list[float]]) -> tuple[Any, str, list[float]]:
    """Return a model, the parameter that varies, and its values."""
    matches = _find_ranges(spec)
    if len(matches) > 1:
        names = " and ".join(m["name"] for m in matches)
        raise InputError.from_problem(f"values of {names}: only one parameter can vary", "", spec)
    for m in matches:
        text = m.string
        series = _parse_numbers(m["values"], f"{text.split('(')[0].strip()} {m['name']}=")
        first = text[: m.start("values")] + format_value(series[0]) + text[m.end("values") :]
        return _resolve_model(first), m["name"], series
    model = _resolve_model(spec)
    for name in (*(f.name for f in model.list_parameters()), model.cutoff_name):
        if name in values:
            return model, name, values[name]
    if model.vary is None:
        fix = "Give values, as in RBP(p=0.1:0.9:0.1)."
        raise InputError.from_problem("no parameter varies", fix, model)
    return model, model.vary[0], list(model.vary[1])


_SERIES = re.compile(r"(?P<name>\w+)\s*=\s*(?P<values>[^,()=]*[:|][^,()=]*)")


RESOLVERS: dict[str, Callable[..., Iterator[_ModelSetting]]]
RESOLVERS = {"functions": _resolve_overlaid, "vary": _resolve_varied, "runs": _resolve_fixed}


def _parse_numbers(text: str, context: str = "") -> list[float]:
    """Parse a range or a list of numbers.

    >>> _parse_numbers("0.1:0.4:0.1"), _parse_numbers("1|2|5")
    ([0.1, 0.2, 0.3, 0.4], [1.0, 2.0, 5.0])
    """
    numbers = [parse_finite(part) for part in text.split("|" if "|" in text else ":")]
    if None not in numbers:
        values = [float(number) for number in numbers if number is not None]
        if "|" in text:
            return values
        if len(values) == 3 and values[0] > values[1]:
            rising = ":".join(map(format_value, (values[1], values[0], abs(values[2]))))
            raise InputError(f"{context}{text}", f"the lower limit first: {rising}")
        if len(values) == 3 and values[2] > 0:
            first, last, step = values
            steps = (last - first) / step * (1 + 1e-9)  # so that the last one is not lost
            if steps < MOST_VALUES:
                return [float(f"{first + i * step:.12g}") for i in range(int(steps) + 1)]
    expected = f"first:last:step (at most {MOST_VALUES} values) or numbers separated by |"
    raise InputError(f"{context}{text}", expected)


# -- what is drawn --------------------------------------------------------------------------------


def _build_collection(lists: Any, costs: Any) -> tuple[dict[str, Any], dict[str, Any], Any]:
    """Convert rankings without documents to judgments, a run and costs: the rank is the document
    id.
    """
    if not isinstance(lists, Mapping) or not lists:
        raise InputError(f"lists={lists!r}", "{topic: gains}")
    qrels: dict[str, dict[str, float]] = {}
    runs: dict[str, list[str]] = {}
    cost_tables: dict[str, dict[str, float]] = {}
    for name, gain_list in lists.items():
        topic, gains = str(name), _parse_gains(name, gain_list)
        docs = [str(rank) for rank in range(1, len(gains) + 1)]
        runs[topic] = docs
        qrels[topic] = {doc: g for doc, g in zip(docs, gains, strict=True) if g is not None}
        if costs is not None:
            topic_costs = costs.get(name, ()) if isinstance(costs, Mapping) else ()
            cost_count = len(topic_costs) if isinstance(topic_costs, Sized) else 0
            if cost_count != len(docs):
                problem = f"{cost_count} costs of topic {topic}"
                raise InputError(problem, f"{len(docs)}, one for each gain")
            cost_tables[topic] = dict(zip(docs, topic_costs, strict=True))
    return qrels, runs, cost_tables or None


def _parse_gains(topic: Any, values: Any) -> list[float | None]:
    """Return the gains of a ranking, None for unjudged items."""
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise InputError(f"{values!r} as the list of topic {topic}", "gains")
    return [
        None if x is None or str(x) == "nan"  # which arrays have for None
        else _parse_number(x, f"gain {x!r} in the list of {topic}", "a number")
        for x in values
    ]  # fmt: skip


@dataclass(frozen=True)
class _Walks:
    """User models applied to the rankings of runs."""

    evaluator: Evaluator
    models: Sequence[_ModelSetting]
    runs: Sequence[Run]
    topics: Sequence[str] | None  # those asked for
    scores: Scores

    @classmethod
    def from_settings(
        cls, settings: Sequence[_ModelSetting], qrels: Any, runs: Any, kind: Kind, **options: Any
    ) -> _Walks:
        five = [setting.model.to_user_model(name) for setting in settings for name in MEASUREMENTS]
        evaluator = Evaluator(qrels, five, **options)
        if len(evaluator.measures) != len(five):
            raise InputError.from_problem("duplicate user model")
        selected_topics = evaluator.options.named_topics
        loaded_runs, scores = evaluator.read_and_score(runs)
        if kind == "vary":
            check_line_count(len(loaded_runs) * len(selected_topics or [ALL]))
        return cls(evaluator, settings, loaded_runs, selected_topics, scores)

    @property
    def notes(self) -> tuple[Note, ...]:
        return _merge_notes(self.scores.notes, self.models)

    @property
    def unit(self) -> str:
        """Unit of the costs, if there are any."""
        costs = (x for x in self.evaluator.collection.extras if isinstance(x, Costs))
        return next((extra.source.unit for extra in costs), "")

    def compute_functions(self, ranks: int | None) -> pl.DataFrame:
        """Return C, W and L of each model by rank, for each ranking."""
        collection, topics = self.evaluator.collection, self.topics or self.scores.topics
        collection.options.reject_expected_ties()
        setting_count = max(Counter(setting.name for setting in self.models).values())
        check_line_count(len(self.runs) * len(topics) * setting_count)
        labelled = [(run.name, collection.compute_rankings(run)) for run in self.runs]
        places = [collection.find_topic(topic) for topic in topics]
        longest = max(int(rankings.lengths[t]) for _, rankings in labelled for t in places)
        last = ranks or max(1, min(longest, RANKS))
        model_measures = zip(self.models, self.evaluator.measures[:: len(MEASUREMENTS)], strict=True)
        rows: list[tuple[Any, ...]] = []
        for (setting, m), (run, rankings), t in product(model_measures, labelled, places):
            model: Any = self.evaluator.scorer.with_topic_gains(m, t)
            items = model.build_items(collection.build_block(rankings, t))
            walk = model.walk_down(items).select_first()
            arrays = (walk.gains, walk.costs, walk.C, walk.W, walk.L)
            columns = zip(*(x[:last].tolist() for x in arrays), strict=True)
            begin = (setting.name, run, collection.topics[t])
            end = self._format_setting(setting)
            rows += [(*begin, i, *numbers, end) for i, numbers in enumerate(columns, 1)]
        names = ("model", "run", "topic", "rank", "gain", "cost", "C", "W", "L", "setting")
        data = build_frame(rows, names)
        return data if any(data["setting"]) else data.drop("setting")

    def _format_setting(self, setting: _ModelSetting) -> str:
        """Label a line by its parameter value, empty if no model has several values."""
        if setting.parameter:
            return f"{setting.parameter} = {format_value(setting.value)}"
        return setting.name if any(other_setting.parameter for other_setting in self.models) else ""

    def compute_measurements(self, scores: Scores | None = None) -> pl.DataFrame:
        """Return the five measurements of each model and run, by topic or as means."""
        topics: Sequence[str] = [ALL] if scores is not None else self.topics or [ALL]
        scores = scores or self.scores
        means, names = scores.summary(), [m.names()[0] for m in self.evaluator.measures]
        rows: list[tuple[Any, ...]] = []
        for k, setting in enumerate(self.models):
            five = names[k * len(MEASUREMENTS) : (k + 1) * len(MEASUREMENTS)]
            for run, topic in product(scores.runs, topics):
                numbers = [means[run][c] if topic == ALL else scores[run, topic, c] for c in five]
                rows.append((setting.name, setting.parameter, setting.value, run, topic, *numbers))
        return build_frame(rows, ("model", "parameter", "value", "run", "topic", *MEASUREMENTS))

    def compute_means(self) -> pl.DataFrame:
        """Return the mean measurements of each model and run over the topics."""
        selected = self.scores if self.topics is None else self.scores.select(topics=self.topics)
        data = self.compute_measurements(selected).drop("topic", "parameter", "value")
        for model_data in data.partition_by("model", maintain_order=True):
            if model_data.drop_nans(["ED", "EU"]).is_empty():
                raise InputError.from_problem("no run has a score", "", model_data["model"][0])
        return data
