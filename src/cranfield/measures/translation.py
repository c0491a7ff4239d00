"""Conversion of ir_measures' measures to measures with the same definition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cranfield.errors import CranfieldError, InputError
from cranfield.measures import grammar
from cranfield.measures.base import Measure
from cranfield.measures.names import IR_MEASURES, PARAMETERS

USER_MODELS = ("BPM", "SDCG", "NERR8", "NERR9", "NERR10", "NERR11", "INST", "INSQ")


def is_user_model(name: str, params: Mapping[str, Any]) -> bool:
    """Return True if ir_measures computes five values with cwl_eval."""
    return name in USER_MODELS or (name == "RBP" and "rel" in params and "cutoff" not in params)


def is_foreign(measure: Any) -> bool:
    """Return True for a measure of ir_measures, or of `cranfield.compat.ir_measures`."""
    module = f"{type(measure).__module__}."
    prefixes = ("ir_measures.", "cranfield.compat.ir_measures.")
    return module.startswith(prefixes) and hasattr(measure, "NAME") and hasattr(measure, "params")


def from_foreign(measure: Any) -> Measure:
    """Return the measure with the same definition, or raise InputError with a fix."""
    name, params = str(measure.NAME), measure.params
    if is_user_model(name, params):
        fix = f"Use one of them, such as '{name}.EU'."
        raise InputError.from_problem(f"{measure} of ir_measures has several values", fix)
    if params.get("gains"):
        fix = f"Set the gains of levels 1, 2, … with '{name}(gain=1:2)' or gains=."
        raise InputError.from_problem(f"{measure} of ir_measures has its own gains", fix)
    try:
        return from_ir_measures(name, params)[0]
    except CranfieldError:
        fix = "Write it with @cf.measure, or use cf.compat.ir_measures."
        raise InputError.from_problem(f"cranfield has no measure for {measure} of ir_measures", fix) from None


def from_ir_measures(name: str, params: Mapping[str, Any]) -> tuple[Measure, tuple[tuple[Any, Any], ...]]:
    """Return the measure for one of ir_measures, and its gains by level, if any."""
    name, parameters = _translate_name(name, dict(params))
    pairs = tuple(sorted((parameters.pop("gains", None) or {}).items()))
    without_cutoff, _, at_cutoff = IR_MEASURES.get(name.lower(), name).partition("|")
    base = grammar.parse_measure(at_cutoff if at_cutoff and "cutoff" in parameters else without_cutoff)
    settings: dict[str, Any] = {}
    for key, value in parameters.items():
        settings |= PARAMETERS[key](value) if key in PARAMETERS else {key: value}
    if base.cutoff_name in settings:
        settings["cutoff"] = settings.pop(base.cutoff_name)
    if base.combines and "rel" in settings:  # a parameter of the base measure
        base = base.with_defaults({"rel": settings.pop("rel")})
    measure = replace(base, **settings)
    if len(measure.names()) > 1:
        raise CranfieldError(f"recall missing. Example: {name}@0.1")
    return measure, pairs


def _translate_name(name: str, params: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Translate name and parameters that differ between the two packages."""
    match name:
        case "NumRet" if "rel" in params:
            return "NumRelRet", params
        case "SetP" if params.pop("relative", False):
            return "SetRelP", params
        case "SetF" if "beta" in params:  # trec_eval's F does not square it
            params["alpha"] = 1.0 / (params.pop("beta") + 1.0)
        case "IPrec":  # trec_eval 9's rule
            params["reach"] = "trec9"
        case "alpha_nDCG" | "nERR_IA" | "nNRBP":  # ndeval's ideal list
            params["equal"] = "bits"
    return name, params
