"""Mapping from ir_measures measures to cranfield measures and levels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cranfield.compat.scorer import Gains, Relabel, Request, Scale, Threshold
from cranfield.errors import CranfieldError
from cranfield.measures import models
from cranfield.measures.base import MEASUREMENTS
from cranfield.measures.cwl import UserModel
from cranfield.measures.translation import USER_MODELS, from_ir_measures

# User models: our classes, and the names of their parameters in ir_measures.
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


def build_five_requests(name: str, params: Mapping[str, Any]) -> list[Request]:
    """Return the five measurements of a user model, with gains in [0, 1], up to rank 1000."""
    kind, names = MODELS[name]
    skipped = {"dcg", "judged_only", "rel", "min_rel", "max_rel"}
    settings: dict[str, Any] = {names.get(k, k): x for k, x in params.items() if k not in skipped}
    relabel: Relabel = Threshold(params.get("rel", 1))
    if name in USER_MODELS:
        low, high = params.get("min_rel", 0), params["max_rel"]
        if low >= high:
            raise CranfieldError(f"found min_rel={low}, expected less than max_rel")
        relabel = Scale(low, high)
    model: Any = kind
    measures = [model(**settings, gain="raw", n=1000.0, measurement=measurement) for measurement in MEASUREMENTS]
    return [Request(measure, relabel) for measure in measures]


def build_request(name: str, params: Mapping[str, Any]) -> Request:
    """Return the request that computes a measure."""
    measure, pairs = from_ir_measures(name, params)
    return Request(measure, Gains(pairs) if pairs else None)
