"""Parser of measures: ``Name(param=value, …)@cutoff.measurement``.

``hit=Success@10`` is Success@10 with the column name ``hit``. Names of other tools are accepted if
cranfield has the measure: trec_eval's (``map``, ``ndcg_cut_10``), ir_measures'
(``nDCG(dcg='exp-log2')@10``), ranx's (``ndcg@10-l2``) and NTCIREVAL's (``MSnDCG@0010``). The prefix
``cranfield.`` marks cranfield's own names, as in ``cranfield.AP@10``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from itertools import accumulate
from typing import Any, Protocol, TypeAlias

from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError, MeasureError
from cranfield.measures.base import MEASUREMENTS, READINGS, REGISTRY, TAKES, Measure, match_names
from cranfield.measures.names import (
    ALIASES,
    CUTOFF_LIST,
    GROUPS,
    NOT_MEASURES,
    NTCIREVAL,
    PATTERNS,
    TREC_EVAL,
    get_measure_name,
    translate_parameter,
)
from cranfield.measures.parameters import parse_literal


class ForeignMeasure(Protocol):
    """A measure of ir_measures."""

    @property
    def NAME(self) -> Any: ...
    @property
    def params(self) -> Any: ...


MeasureLike: TypeAlias = str | Measure | type[Measure] | ForeignMeasure
Measures: TypeAlias = MeasureLike | Iterable[MeasureLike] | Mapping[str, MeasureLike]


@dataclass
class Call:
    """The parsed parts of a measure's text."""

    name: str
    arguments: list[str] = field(default_factory=list)
    parameters: dict[str, str] = field(default_factory=dict)
    cutoff: str | None = None
    measurement: str = ""

    def __str__(self) -> str:
        settings = [*self.arguments, *(f"{k}={v}" for k, v in self.parameters.items())]
        cutoff = "" if self.cutoff is None else f"@{self.cutoff}"
        suffix = f".{self.measurement}" if self.measurement else ""
        return self.name + (f"({', '.join(settings)})" if settings else "") + cutoff + suffix


def parse_measure(text: MeasureLike) -> Measure:
    """Parse a measure. Measures and their classes are returned unchanged.

    >>> parse_measure("ndcg(gain=exp)@10")
    nDCG(gain=exp)@10
    >>> parse_measure("map_cut_100"), parse_measure("MSnDCG@0010"), parse_measure("ndcg@10-l2")
    (AP(norm=R)@100, nDCG@10, nDCG(rel=2)@10)
    >>> parse_measure("hit=Success@10").names(), parse_measure("cranfield.AP@10")
    (('hit',), AP@10)
    """
    if isinstance(text, Measure):
        return text
    if isinstance(text, type) and issubclass(text, Measure):
        return text()
    if not isinstance(text, str):
        return _from_object(text)
    column_name, body = split_name(text.strip().removeprefix(OWN_PREFIX))
    try:
        _check_depth(body)
        return _build(_translate(body), column_name)
    except CranfieldError as problem:
        raise MeasureError(_describe_problem, text, problem) from None


class _UnknownMeasure(MeasureError):
    """Error for a name that is no measure. Its message is a suggestion."""


def _describe_problem(text: str, problem: CranfieldError) -> str:
    if isinstance(problem, _UnknownMeasure):
        return f"unknown measure {_quote(text)}{problem}"
    message = str(problem)
    if isinstance(problem, InputError) and problem.where in REGISTRY:
        message = message.removeprefix(f"{problem.where}: ")  # the text names the measure
    return f"measure {_quote(text)}: {message}"


def _from_object(measure: Any) -> Measure:
    """Convert an object of another library to a measure."""
    from cranfield.measures.translation import from_foreign, is_foreign

    if is_foreign(measure):
        return from_foreign(measure)
    fix = "Use @cf.measure to turn a function into a measure." if callable(measure) else ""
    raise InputError.from_problem(f"{measure!r} is not a measure or its name", fix)


OWN_PREFIX = "cranfield."  # marks cranfield's own measure if a tool has the same name
DEEPEST = 10  # nested measures
LONGEST = 200  # characters of a measure in an error


def _check_depth(text: str) -> None:
    """Raise InputError for more nested measures than DEEPEST."""
    depth = max(accumulate((c == "(") - (c == ")") for c in f"{text} "))
    if depth > DEEPEST:
        raise CranfieldError(f"{depth} nested parentheses, at most {DEEPEST} are allowed")


def _quote(text: str) -> str:
    stripped = text.strip()
    return repr(stripped if len(stripped) <= LONGEST else f"{stripped[:LONGEST]}…")


def split_name(text: str) -> tuple[str, str]:
    """Split a column name from a measure.

    >>> split_name("hit=Success@10"), split_name("AP(rel=2)")
    (('hit', 'Success@10'), ('', 'AP(rel=2)'))
    """
    name, equals, rest = (part.strip() for part in text.partition("="))
    return (name, rest) if name and equals and "(" not in name else ("", text.strip())


def parse_model(text: MeasureLike) -> Any:
    """Parse a user model, with or without one of its measurements.

    >>> parse_model("RBP(p=0.5)"), parse_model("RBP(p=0.5).ED"), parse_model("inst(T=2)")
    (RBP(p=0.5), RBP(p=0.5), INST(T=2))
    """
    if not isinstance(text, str):
        return replace(parse_measure(text).to_user_model("EU"), measurement="")
    model, _, suffix = text.strip().rpartition(".")
    model = model if suffix in MEASUREMENTS else text.strip()
    try:
        return replace(parse_measure(f"{model}.EU"), measurement="")
    except CranfieldError as error:  # which quotes what nobody wrote
        message = str(error).replace(repr(f"{model}.EU"), repr(text.strip()), 1)
        raise CranfieldError(message) from None


def parse_measures(texts: Measures) -> tuple[Measure, ...]:
    """Parse all measures in a text, a sequence or a mapping from column names.

    Measures keep their order, without repetition.

    >>> parse_measures(["AP nDCG(gain=exp, rel=1)@10", "P@5, P@10", "recall.5,10"])
    (AP, nDCG(gain=exp, rel=1)@10, P@5, P@10, Recall@5, Recall@10)
    >>> parse_measures({"hit": "Success@10"}) == parse_measures("hit=Success@10")
    True
    """
    return tuple(dict.fromkeys(m for _, m in parse_with_texts(texts)))


def parse_with_texts(texts: Measures) -> Iterator[tuple[str, Measure]]:
    """Yield each measure with its text."""
    if isinstance(texts, Mapping):
        for name, measure in texts.items():
            if not name:
                raise CranfieldError("empty column name of a measure")
            yield str(name), replace(parse_measure(measure), called=str(name))
        return
    if isinstance(texts, str | Measure | type) or not isinstance(texts, Iterable):
        texts = [texts]
    for text in texts:
        for part in split(text) if isinstance(text, str) else [text]:
            yield from _parse_part(part)


def parse_measures_for(
    texts: Measures, takes: str, also: Callable[[type[Measure]], bool] = lambda c: False
) -> tuple[Measure, ...]:
    """Parse one or more measures that score one kind of input of TAKES.

    `also` can accept other measures.

    >>> parse_measures_for("rouge-1 WRecall", "texts")
    (ROUGE, WRecall)
    """
    measures = parse_measures(texts)
    unsuitable = [m for m in measures if m.takes != takes and not also(type(m))]
    if measures and not unsuitable:
        return measures
    valid_names = ", ".join(sorted(name for name, c in REGISTRY.items() if c.takes == takes or also(c)))
    for m in unsuitable:
        fix = f"Use `cranfield {TAKES[m.takes]}` for {m}. Measures of {takes}: {valid_names}"
        raise InputError.from_problem(f"{m} is no measure of {takes}", fix)
    raise InputError.from_problem("no measure given", f"Measures of {takes}: {valid_names}")


def _parse_part(part: MeasureLike) -> list[tuple[str, Measure]]:
    """Parse a measure, a group, or measures joined by commas without spaces.

    A name can contain a comma.
    """
    if not isinstance(part, str):
        measure = parse_measure(part)
        return [(str(measure), measure)]
    texts = [part]
    if part.lower() in GROUPS:
        texts = split(GROUPS[part.lower()])
    elif "," in part and (match := re.fullmatch(CUTOFF_LIST, part)):
        texts = [match[1] + number for number in match[2].split(",")]
    try:
        return [(text, parse_measure(text)) for text in texts]
    except CranfieldError:
        is_balanced = part.count("(") == part.count(")")
        pieces = _split_arguments(part) if is_balanced and texts == [part] else []
        if len(pieces) < 2 or re.fullmatch(_CUTOFFS, part):
            raise
        return [(piece, parse_measure(piece)) for piece in pieces]


def split(text: str) -> list[str]:
    """Split a text at spaces outside parentheses, and drop commas before them."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth < 0:
            break
        if c.isspace() and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    if depth:
        raise CranfieldError(f"invalid measure {_quote(text)}: unbalanced parentheses")
    if any(part[:1] == "=" or part[-1:] == "=" for part in parts):
        raise CranfieldError(f"invalid measure {_quote(text)}: write name=measure without spaces")
    return [part.rstrip(",") for part in parts if part.strip(",")]


# -- from text to parts ---------------------------------------------------------------------------

_SHAPE = re.compile(
    r"(?P<name>[^\s()@=]+?)"
    r"(?:\((?P<arguments>.*)\))?"
    r"(?:@(?P<cutoff>[0-9.]*[0-9](?:e-?[0-9]+)?))?"
    r"(?:\.(?P<measurement>[A-Za-z]\w*))?",
    re.DOTALL,
)
_CUTOFFS = r"(?s)([^@]+@)(\d+(?:, ?\d+)+)(\.\w+)?"  # invalid: several cutoffs
_GLUED = r"([A-Za-z].*?)(?:[_.-]|(?<!\d))(\d+)"


def _parse_call(text: str) -> Call:
    shape = _SHAPE.fullmatch(text)
    if shape is None and (match := re.fullmatch(_CUTOFFS, text)):
        measures = [match[1] + number.strip() + (match[3] or "") for number in match[2].split(",")]
        raise CranfieldError(f"several cutoffs. Did you mean {' '.join(measures)}?")
    if shape is None:
        raise CranfieldError(f"{_find_syntax_error(text)}. Syntax: Name(param=value, …)@cutoff")
    call = Call(shape["name"], cutoff=shape["cutoff"], measurement=shape["measurement"] or "")
    for argument in _split_arguments(shape["arguments"] or ""):
        key, equals, value = argument.partition("=")
        if equals and key.strip().isidentifier():
            if key.strip() in call.parameters:
                raise CranfieldError(f"duplicate parameter {key.strip()!r}")
            call.parameters[key.strip()] = value.strip()
        else:
            call.arguments.append(argument)
    return call


def _find_syntax_error(text: str) -> str:
    if text.count("(") != text.count(")"):
        return "unbalanced parentheses"
    return "cutoff missing" if text.endswith("@") else "not a valid measure"


def _split_arguments(text: str) -> list[str]:
    """Split arguments at commas outside inner parentheses."""
    if not text.strip():
        return []
    arguments, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            arguments.append(text[start:i].strip())
            start = i + 1
    arguments.append(text[start:].strip())
    if depth or not all(arguments):
        raise CranfieldError(f"invalid parameters ({text})")
    return arguments


# -- other tools' names ---------------------------------------------------------------------------


def _translate(text: str) -> Call:
    """Parse a text, and translate names of other tools."""
    for prefix, table in (("ntcir:", NTCIREVAL), ("trec:", TREC_EVAL)):
        if text.lower().startswith(prefix):
            return _translate_from_table(_rewrite_name(text[len(prefix) :]), table, prefix)
    call = _parse_call(_rewrite_name(text))
    if call.cutoff is not None and re.fullmatch(r"0\d+", call.cutoff):
        return _translate_from_table(text, NTCIREVAL, "NTCIREVAL (cutoff with a leading zero)")
    if not match_names(call.name) and call.name.lower() in ALIASES:
        return _merge_target(ALIASES[call.name.lower()], call)
    return call


def _rewrite_name(text: str) -> str:
    """Rewrite names with a cutoff or threshold, such as ndcg_cut_10, mrr@10-l2."""
    name, _, cutoff = text.partition("@")
    if name in REGISTRY and (not cutoff or cutoff.isdecimal()):
        return text  # as we write it
    for pattern, replacement in PATTERNS:
        match = re.fullmatch(pattern, text)
        if match:
            return match.expand(replacement) if isinstance(replacement, str) else replacement(match)
    return text


def _translate_from_table(text: str, table: dict[str, str], tool: str) -> Call:
    call = _parse_call(text)
    target = _find_entry(call.name, table)
    if target is None:
        raise MeasureError(lambda: f"{tool} has no measure {call.name!r}{_suggest_names(call.name, table)}")
    return _merge_target(target, call)


def _find_entry(name: str, table: dict[str, str]) -> str | None:
    """Return the target of a name in a tool's table, also for cranfield's own names."""
    own_name = table.get(name.lower())
    twins = [candidate for candidate in REGISTRY if candidate.lower() == name.lower()]
    case_matters = len(twins) > 1 and name in twins
    if own_name is not None and not (case_matters and get_measure_name(own_name) != name):
        return own_name
    canonical = _find_canonical_name(name)
    targets = [target for target in table.values() if get_measure_name(target) == canonical]
    targets = [target for target in targets if "|" in target] or targets
    return canonical if len(targets) > 1 else next(iter(targets), None)


def _find_canonical_name(name: str) -> str:
    """Return cranfield's name of a measure."""
    matches = match_names(name)
    return matches[0] if len(matches) == 1 else get_measure_name(ALIASES.get(name.lower(), ""))


def _merge_target(target_text: str, call: Call) -> Call:
    """Merge the target of a foreign name with the parameters and cutoff of a call."""
    without_cutoff, _, at_cutoff = target_text.partition("|")
    target = _parse_call(at_cutoff if at_cutoff and call.cutoff is not None else without_cutoff)
    arguments, parameters = target.arguments + call.arguments, target.parameters | call.parameters
    return Call(target.name, arguments, parameters, call.cutoff, call.measurement)


# -- from parts to a measure ----------------------------------------------------------------------


def _build(call: Call, column_name: str) -> Measure:
    cls = _find_class(call)
    settings: dict[str, Any] = {"called": column_name}
    if call.arguments:
        settings["base"] = parse_measure(_get_base(cls, call.arguments))
    if call.cutoff is not None:
        settings["cutoff"] = parse_literal(call.cutoff)
    valid_names = [f.name for f in cls.list_parameters()]
    for key, text in call.parameters.items():
        for name, setting in _translate_parameter(cls, key, _strip_quotes(text), valid_names).items():
            if name in settings:
                raise CranfieldError(f"duplicate parameter {name!r}")
            if name not in (*valid_names, "cutoff"):
                raise CranfieldError(f"unknown parameter {key!r}. Valid: {', '.join(valid_names)}")
            settings[name] = setting if name == "gain" else parse_literal(setting)
    return cls(**settings, measurement=call.measurement)


def _find_class(call: Call) -> type[Measure]:
    """Return the class of a measure, or of its user model for EU, ETU, EC, ETC, ED."""
    matches = match_names(call.name)
    if not matches:
        raise _UnknownMeasure(lambda: _suggest_call(call))
    if len(matches) > 1:
        raise CranfieldError(f"ambiguous name. Did you mean {' or '.join(matches)}?")
    is_reading = call.measurement in MEASUREMENTS and matches[0] in READINGS
    return (READINGS if is_reading else REGISTRY)[matches[0]]


def _get_base(cls: type[Measure], arguments: list[str]) -> str:
    """Return the base measure of a combination."""
    text = ", ".join(arguments)
    if not cls.combines:
        raise CranfieldError(f"{cls.__name__} takes only named parameters, found ({text})")
    if len(arguments) > 1:
        raise CranfieldError(f"{cls.__name__} takes one measure, found ({text})")
    return arguments[0]


def _translate_parameter(cls: type[Measure], key: str, value: str, valid_names: list[str]) -> dict[str, str]:
    """Translate a parameter: of another tool, or the name of the number after @."""
    if key in valid_names:
        return {key: value}
    if key == cls.cutoff_name:
        return {"cutoff": value}
    return translate_parameter(cls.translations, key, value) if key in cls.translations else {key: value}


def _strip_quotes(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _suggest_call(call: Call) -> str:
    """Suggest measures for an unknown one, or explain why a name of the papers is missing."""
    if reason := NOT_MEASURES.get(call.name.lower()):
        return f": {reason}"
    if call.name.isdigit():
        return f". A cutoff follows a measure, as in P@{call.name}"
    end = ""
    if call.cutoff is None and (glued := re.fullmatch(_GLUED, call.name)):  # nDCG10
        end = call.name[glued.end(1) :]
        call = replace(call, name=_find_canonical_name(glued[1]) or glued[1], cutoff=glued[2])

    def format_suggestion(name: str) -> str:
        """Return the call with another name, without a cutoff if it takes none."""
        text = str(replace(call, name=name))
        try:
            parse_measure(text)
        except CranfieldError:
            return f"{name}{end}" if end else text
        return text

    return _suggest_names(call.name, [*REGISTRY, *ALIASES], format_suggestion)


def _suggest_names(name: str, valid_names: Iterable[str], format_name: Callable[[str], str] = str) -> str:
    from difflib import SequenceMatcher, get_close_matches

    spellings = {k.lower(): k for k in reversed([*valid_names])}
    matches = get_close_matches(name.lower(), spellings, n=3, cutoff=0.5)
    if not matches:
        return ". Run `cranfield measures` for a list."
    similarities = [SequenceMatcher(None, k, name.lower()).ratio() for k in matches]
    best = [spellings[k] for k, ratio in zip(matches, similarities, strict=True) if ratio > similarities[0] - 0.05]
    return f". Did you mean {' or '.join(map(format_name, best))}?"
