"""Evaluating the measures and the collection themselves: what is a good measure?"""

from __future__ import annotations

from cranfield.meta.concordance import Concordance, concordance
from cranfield.meta.correlation import CorrelationMatrix, correlation
from cranfield.meta.discriminative import DiscriminativePower, discriminative_power
from cranfield.meta.judgments import JudgmentComparison, compare_judgments
from cranfield.meta.leave_one_out import LeaveOneOut, leave_one_out
from cranfield.meta.predictive import PredictivePower, predictive_power
from cranfield.meta.rankings import Correlation, kendall, rbo, spearman, tau_ap, tau_ap_symmetric
from cranfield.meta.stability import Stability, stability, stability_of_judgments
from cranfield.meta.swap import Swap, SwapRates, swap

__all__ = [
    "Concordance",
    "Correlation",
    "CorrelationMatrix",
    "DiscriminativePower",
    "JudgmentComparison",
    "LeaveOneOut",
    "PredictivePower",
    "Stability",
    "Swap",
    "SwapRates",
    "compare_judgments",
    "concordance",
    "correlation",
    "discriminative_power",
    "kendall",
    "leave_one_out",
    "predictive_power",
    "rbo",
    "spearman",
    "stability",
    "stability_of_judgments",
    "swap",
    "tau_ap",
    "tau_ap_symmetric",
]
