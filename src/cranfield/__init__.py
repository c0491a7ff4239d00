"""cranfield: which search system is better, and how sure are we?

import cranfield as cf
scores = cf.evaluate("qrels.txt", ["bm25.run", "dense.run"], ["AP", cf.nDCG @ 10])
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from cranfield.measures.families import MEASURES

__version__ = "1.0.0rc1"  # the one place: pyproject.toml reads it, and a test the others

# Where the public names are, measures apart. Nothing is imported before it is asked for; what type
# checkers and editors see is __init__.pyi, which `python -m tests.test_exports` writes.
_PUBLIC = {
    "": "compat meta plot spark stats",
    "assess.aggregate": "aggregate",
    "assess.agreement": "Agreement agreement",
    "assess.assessments": "Assessments read_assessments",
    "assess.pool": "Pool pool",
    "comparison": "Comparison compare",
    "comparison.suites": "Suite suite",
    "comparison.trend": "Trend trend",
    "data.ntcir.nev": "read_means",
    "data.qrels": "Qrels read_qrels",
    "data.run": "Run",
    "data.run_reader": "read_run read_runs",
    "data.reading.source": "reading_limits",
    "data.simulate": "Collection simulate",
    "errors": "CranfieldError FileError InputError MeasureError MissingPackage UserCodeError",
    "evaluation.answers": "evaluate_answers",
    "evaluation.arrays": "ArrayEvaluator evaluate_arrays",
    "evaluation.distributions": "evaluate_distributions",
    "evaluation.evaluate": "Evaluator evaluate",
    "evaluation.failures": "HardTopics hard_topics",
    "evaluation.hierarchy": "evaluate_hierarchy",
    "evaluation.labelled": "LabelledList",
    "evaluation.listing": "label",
    "evaluation.matrix": "evaluate_matrix",
    "evaluation.presets": "Preset preset presets",
    "evaluation.results": "read_scores",
    "evaluation.sessions": "evaluate_sessions trailtext",
    "evaluation.settling": "Settlement settle",
    "evaluation.steps": "Explanation",
    "evaluation.texts": "evaluate_texts",
    "evaluation.tracing": "explain",
    "evaluation.unjudged": "Bound bounds",
    "runs.difference": "RunDifference diff",
    "reconciliation.search": "Reconciliation reconcile",
    "runs.fusion": "FusedRun fuse",
    "runs.reproduction": "Reproduction repro",
    "judging.audit": "Audit audit",
    "judging.battles": "Battles battles",
    "judging.judge": "JudgeReport judge",
    "labelling.strategies": "Combinations EquivalenceClasses Labelling",
    "measures.base": "Measure REGISTRY measure",
    "measures.cwl": "Items UserModel Walk user_model",
    "measures.grammar": "parse_measure parse_measures",
    "measures.lists": "Lists ratio total",
    "measures.parameters": "param",
    "records.record": "Record",
    "report.bibliography": "bibtex",
    "report.page.report": "ReportPage report_page",
    "scores": "Interval Note Scores",
    "tools.ntcir": "read_matrix read_nev",
}
_FORMER = {"Notice": "Note"}  # names before 1.0.0, which still work
_HOMES = {name: module for module, names in _PUBLIC.items() for name in names.split()}
_HOMES |= {name: f"measures.{family}" for name, family in MEASURES.items()}

__all__ = sorted(_HOMES)  # noqa: PLE0605 (linters read the stub)


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name in _FORMER:
        from cranfield.errors import warn_renamed

        warn_renamed(f"cf.{name}", f"cf.{_FORMER[name]}")
        name = _FORMER[name]
    if name not in _HOMES:
        raise AttributeError(f"module 'cranfield' has no attribute {name!r}")
    if not _HOMES[name]:
        return import_module(f"cranfield.{name}")
    value = globals()[name] = getattr(import_module(f"cranfield.{_HOMES[name]}"), name)
    return value
