"""What measures of ir_measures mean: which of ours compute them, on which levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cranfield.compat.scorer import From, Gains, Relabel, Scaled, Wanted
from cranfield.errors import CranfieldError
from cranfield.measures import grammar, models
from cranfield.measures.base import FIVE
from cranfield.measures.cwl import UserModel
from cranfield.measures.names import IR_MEASURES, PARAMETERS

# User models: our class, and what their parameters are called here.
MODELS: dict[str, tuple[type[UserModel], dict[str, str]]] = {
    "P": (models.P, {}),
    "RR": (models.RR, {}),
    "AP": (models.AP, {}),
    "RBP": (models.RBP, {}),
    "BPM": (models.BPM, {"cutoff": "K"}),
    "SDCG": (models.SDCG, {}),
    "NERR8": (models.NERR8, {}),
    "NERR9": (models.NERR9, {}),
    "NERR10": (models.NERR10, {"p": "phi"}),
    "NERR11": (models.NERR11, {}),
    "INST": (models.INST, {}),
    "INSQ": (models.INSQ, {}),
}
ONLY_MODELS = tuple(MODELS)[4:]  # which are nothing else


def is_model(name: str, params: Mapping[str, Any]) -> bool:
    """Whether ir_measures leaves it to cwl_eval, and so gives five numbers."""
    return name in ONLY_MODELS or (name == "RBP" and "rel" in params and "cutoff" not in params)


def five_wanted(name: str, params: Mapping[str, Any]) -> list[Wanted]:
    """The five measurements of a user model, on gains from 0 to 1 and down to rank 1000."""
    kind, ours = MODELS[name]
    left = {"dcg", "judged_only", "rel", "min_rel", "max_rel"}
    settings: dict[str, Any] = {ours.get(k, k): x for k, x in params.items() if k not in left}
    relabel: Relabel = From(params.get("rel", 1))
    if name in ONLY_MODELS:
        low, high = params.get("min_rel", 0), params["max_rel"]
        if low >= high:
            raise CranfieldError(f"found min_rel={low}, expected less than max_rel")
        relabel = Scaled(low, high)
    model: Any = kind
    every = [model(**settings, gain="raw", n=1000.0, measurement=one) for one in FIVE]
    return [Wanted(measure, relabel) for measure in every]


def _in_our_words(name: str, params: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The name and the parameters of a measure, where ours are other ones."""
    match name:
        case "NumRet" if "rel" in params:
            return "NumRelRet", params
        case "SetP" if params.pop("relative", False):
            return "SetRelP", params
        case "SetF" if "beta" in params:  # trec_eval's F, which does not square it
            params["alpha"] = 1.0 / (params.pop("beta") + 1.0)
        case "IPrec":  # trec_eval 9's rule
            params["reach"] = "trec9"
        case "alpha_nDCG" | "nERR_IA" | "nNRBP":  # ndeval's ideal list
            params["equal"] = "bits"
    return name, params


def wanted(name: str, params: Mapping[str, Any]) -> Wanted:
    """What to compute for a measure."""
    name, left = _in_our_words(name, dict(params))
    pairs = tuple(sorted((left.pop("gains", None) or {}).items()))
    plain, _, at_cutoff = IR_MEASURES.get(name.lower(), name).partition("|")
    ours = grammar.parse_measure(at_cutoff if at_cutoff and "cutoff" in left else plain)
    settings: dict[str, Any] = {}
    for key, value in left.items():
        settings |= PARAMETERS[key](value) if key in PARAMETERS else {key: value}
    if ours.at_name in settings:
        settings["cutoff"] = settings.pop(ours.at_name)
    if ours.combines and "rel" in settings:  # it is the other measure's
        ours = ours.with_defaults({"rel": settings.pop("rel")})
    found = Wanted(replace(ours, **settings), Gains(pairs) if pairs else None)
    if len(found.measure.names()) > 1:
        raise CranfieldError(f"expected a recall, {name}@0.1")
    return found
