"""The conventions of evaluation tools, a row per tool and group of measures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cranfield.dataclass import dataclass
from cranfield.measures.base import Measure
from cranfield.reconciliation.switches import DEFAULTS, FAMILIES, PARAMETER_NAMES, get_kind, get_own_conventions

ALL = "nDCG AP P Recall RR Success"


@dataclass(frozen=True, eq=False)
class Tool:
    """A row of `TOOLS`: measures of a tool, and their conventions.

    `variant` names a version, an option or a measure of the tool.
    """

    name: str
    measures: frozenset[str]
    conventions: Mapping[str, str]
    variant: str = ""

    @property
    def label(self) -> str:
        """The name with the variant."""
        return f"{self.name} {self.variant}".strip()

    def matches(self, m: Measure) -> bool:
        """Return True if the tool has the measure."""
        return _get_family(m) in self.measures


def _get_family(m: Measure) -> str:
    return FAMILIES.get(get_kind(m), get_kind(m))


def _build_row(name: str, measures: str = ALL, variant: str = "", **conventions: Any) -> Tool:
    settings = {key.replace("_", "-"): str(value) for key, value in conventions.items()}
    return Tool(name, frozenset(measures.split()), settings, variant)


TREC: dict[str, Any] = {"negative": "unjudged", "levels": "truncated", "AP_over": "R"}  # trec_eval and its users
BEIR: dict[str, Any] = {**TREC, "scores": "single", "missing": "out"}
RANKINGS: dict[str, Any] = {"ties": "input", "missing": "out"}  # tools that receive only rankings
TREES: dict[str, Any] = {**RANKINGS, "gain": "exp", "ideal": "retrieved@k", "AP_over": "min-retrieved",
                         "tool_knows": "ranking", "no_relevant": "one"}  # fmt: skip


def _build_torchmetrics(variant: str = "", **conventions: Any) -> tuple[Tool, ...]:
    """Return the rows for one `empty_target_action`. Its order of ties is not specified: `topk`."""
    shared: dict[str, Any] = {**RANKINGS, **conventions, "tool_knows": "ranking", "scores": "single"}
    positive: dict[str, Any] = {**shared, "positive": "yes"}  # scores up to 0 are not relevant
    return (
        _build_row("torchmetrics", "nDCG", variant, **{**shared, "ties": "expected", "ideal": "retrieved@k"}),
        _build_row("torchmetrics", "AP", variant, **positive, AP_over="found"),
        _build_row("torchmetrics", "P RR", variant, **positive),
        _build_row("torchmetrics", "Recall", variant, **positive, Recall_over="retrieved"),
        _build_row("torchmetrics", "Success", variant, **shared),
    )


TOOLS: tuple[Tool, ...] = (
    _build_row("trec_eval", **TREC, missing="out"),
    _build_row("trec_eval", variant="-c", **TREC),
    _build_row("trec_eval", variant="-J", **TREC, missing="out", unjudged="removed"),
    _build_row("trec_eval", variant="-c -J", **TREC, unjudged="removed"),
    _build_row("trec_eval", "RBP", **TREC, missing="out", p="0.9", RBP_over="highest-of-topic"),
    _build_row("trec_eval", "RBP", "-c", **TREC, p="0.9", RBP_over="highest-of-topic"),
    _build_row("trec_eval", "RBP.residual", **TREC, missing="out", p="0.9", residual="if-unjudged"),
    _build_row("trec_eval", "RBP.residual", "-c", **TREC, p="0.9", residual="if-unjudged"),
    _build_row("trec_eval", "SetF", **TREC, missing="out", F_beta="plain"),
    _build_row("trec_eval", "SetF", "-c", **TREC, F_beta="plain"),
    _build_row("pytrec_eval", **BEIR),
    _build_row("pytrec_eval", "SetF", **BEIR, F_beta="plain"),
    _build_row("ir_measures", "SetF", **TREC, scores="single", F_beta="plain"),
    _build_row("ir_measures", "RBP", ties="input"),
    _build_row("ir_measures", "INST.EU INSQ.EU BPM.EU SDCG.EU", ties="input", gain="unit"),
    _build_row("ir_measures", "nDCG AP P Recall Success", **TREC, scores="single"),
    _build_row("ir_measures", "RR", **TREC, scores="single"),
    _build_row("ir_measures", "RR", "RR@k", negative="unjudged", ties="id-asc"),
    _build_row("ir_measures", "nDCG AP P Recall Success RR", "judged_only", **TREC, scores="single",
               unjudged="removed"),
    _build_row("ranx", ties="input", AP_over="R", levels="truncated"),
    _build_row("ranx", "nDCG", "ndcg_burges", ties="input", gain="exp", levels="truncated"),
    _build_row("gdeval", "nDCG", gain="exp", missing="out", no_relevant="out", printed=5),
    _build_row("gdeval", "nDCG", "-c", gain="exp", no_relevant="out", printed=5),
    _build_row("gdeval", "ERR", missing="out", no_relevant="out", max_level=4, printed=5),
    _build_row("gdeval", "ERR", "-c", no_relevant="out", max_level=4, printed=5),
    _build_row("beir", "nDCG AP P Recall", **BEIR, self="drop", printed=5),
    _build_row("beir", "nDCG AP P Recall", "ignore_identical_ids=False", **BEIR, printed=5),
    _build_row("beir", "RR", "mrr", ties="input", printed=5),
    _build_row("beir", "Recall", "recall_cap", ties="input", Recall_over="min", printed=5),
    _build_row("beir", "Success", "top_k_accuracy", ties="input", printed=5),
    _build_row("beir", "Unjudged", "hole", ties="input", scope="collection", unjudged_topics="in", printed=5),
    _build_row("mteb", "nDCG AP P Recall Success", **BEIR, printed=5),
    _build_row("mteb", "nDCG AP P Recall Success", "ignore_identical_ids", **BEIR, self="drop", printed=5),
    _build_row("mteb", "nDCG AP P Recall Success", "skip_first_result", **BEIR, self="first",
               first_ties="input", printed=5),
    _build_row("mteb", "RR", missing="out"),
    _build_row("mteb", "RR", "before #5136", ties="input", missing="out", printed=5),
    _build_row("mteb", "RR", "ignore_identical_ids", missing="out", self="drop"),
    _build_row("mteb", "RR", "skip_first_result", missing="out", self="first", first_ties="input"),
    _build_row("mteb", "RR", "skip_first_result before #5136", ties="input", missing="out", self="first", printed=5),
    _build_row("mteb", "Unjudged", "hole", scope="collection", missing="out"),
    _build_row("mteb", "Recall", "recall_cap", missing="out", Recall_over="min", printed=5),
    _build_row("mteb", "Recall", "recall_cap before #5136", ties="input", missing="out", Recall_over="min", printed=5),
    _build_row("scikit-learn", "nDCG", ties="expected", ideal="retrieved@k", missing="out", tool_knows="ranking"),
    *_build_torchmetrics(),
    *_build_torchmetrics("skip", no_relevant="out"),
    *_build_torchmetrics("pos", no_relevant="one"),
    _build_row("lightgbm", "nDCG AP", **TREES),
    _build_row("xgboost", "nDCG AP", **TREES, scores="single"),
    _build_row("xgboost", "nDCG AP", "-", **{**TREES, "no_relevant": "zero"}, scores="single"),
    _build_row("xgboost", "P", **RANKINGS, P_over="length", scores="single"),
    _build_row("tf-ranking", "nDCG AP P RR", ties="expected", gain="exp", ideal="retrieved@k", AP_over="retrieved",
               missing="out", tool_knows="ranking"),
    _build_row("sentence-transformers", "nDCG AP P Recall RR Success", **RANKINGS, gain="binary", no_relevant="out"),
    _build_row("pyvespa", "nDCG AP P Recall RR Success", gain="binary", ties="input", missing="out"),
    _build_row("elasticsearch", "nDCG P Recall RR", ties="input", gain="exp", ideal="length", P_over="length",
               missing="out"),
    _build_row("elasticsearch", "nDCG P Recall RR", "ignore_unlabeled", ties="input", gain="exp", ideal="length",
               P_over="length", missing="out", unjudged="removed@k"),
    _build_row("opensearch", "nDCG AP P", ties="input", gain="exp", AP_over="R", P_over="length", missing="out",
               rounded="half-up-2"),
    _build_row("rre", "nDCG", ties="input", gain="exp", missing="out", rounded="floor-2", terms="floor-2"),
    _build_row("rre", "P AP RR", ties="input", rel="judged", P_over="length", missing="out", rounded="floor-2"),
    _build_row("ms-marco", "RR", ties="rank"),
    _build_row("ntcireval", "nDCG", "MSnDCG", missing="out", ties="rank"),
    _build_row("ntcireval", "nDCG", "nDCG", discount="jk", missing="out", ties="rank"),
    _build_row("ntcireval", "RBP", missing="out", ties="rank", p="0.95"),
    _build_row("ntcireval", "ERR", missing="out", ties="rank", prob="linear"),
    _build_row("ntcireval", "AP P RR Success", missing="out", ties="rank"),
    _build_row("letor", "nDCG", **RANKINGS, gain="exp", discount="jk"),
    _build_row("letor", "AP P", **RANKINGS, AP_over="R"),
)  # fmt: skip

NAMES = tuple(dict.fromkeys(tool.name for tool in TOOLS))


PARAMETRIC = ("rel", "tool-knows", *PARAMETER_NAMES)  # set by the user's measure unless a tool fixes them
DEFAULTED = {name: option for name, option in DEFAULTS.items() if name not in PARAMETRIC}


def build_conventions(tool: Tool, m: Measure) -> dict[str, str]:
    """Return all conventions of a tool. The default is cranfield's convention."""
    conventions = {**get_own_conventions(m), **DEFAULTED, **tool.conventions}
    if m.cutoff is None and conventions["AP-over"] in ("min", "min-retrieved"):
        conventions["AP-over"] = {"min": "R", "min-retrieved": "retrieved"}[conventions["AP-over"]]
    return conventions
