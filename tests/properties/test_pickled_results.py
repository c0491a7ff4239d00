"""Results of `cf.stats` and `cf.meta` survive a process pool."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cranfield as cf

X, Y = np.random.default_rng(1).random((2, 12))
SYSTEMS = {"a": X.tolist(), "b": Y.tolist(), "c": (X / 2).tolist()}
INTERVALS: dict[str, Callable[[], Any]] = {
    "t_test": lambda: cf.stats.t_test(X, Y),
    "welch": lambda: cf.stats.welch(X, Y),
    "wilcoxon": lambda: cf.stats.wilcoxon(X, Y),
    "sign_test": lambda: cf.stats.sign_test(X, Y),
    "randomisation": lambda: cf.stats.randomisation(X, Y, trials=99),
    "bootstrap": lambda: cf.stats.bootstrap(X, Y, trials=99),
    "unpaired_bootstrap": lambda: cf.stats.unpaired_bootstrap(X, Y, trials=99),
    "cohen_dz": lambda: cf.stats.cohen_dz(X, Y),
    "hedges_g": lambda: cf.stats.hedges_g(X, Y),
    "glass_delta": lambda: cf.stats.glass_delta(X, Y, trials=99),
    "anova_effect": lambda: cf.stats.anova_effect(SYSTEMS)["a", "b"],
    "tukey_hsd pair": lambda: cf.stats.tukey_hsd(SYSTEMS).pair("a", "b"),
    "kendall": lambda: cf.meta.kendall(X, Y),
    "spearman": lambda: cf.meta.spearman(X, Y),
    "tau_ap": lambda: cf.meta.tau_ap(X, Y),
}


@pytest.mark.parametrize("name", INTERVALS)
def test_pickle_result_keeps_interval(name: str) -> None:
    result = INTERVALS[name]()
    copy = pickle.loads(pickle.dumps(result))  # noqa: S301
    assert repr(copy) == repr(result)
    assert copy.confidence_interval(0.9) == result.confidence_interval(0.9)
    assert getattr(copy, "pvalue", None) == getattr(result, "pvalue", None)


@pytest.mark.parametrize("name", ["tukey_hsd", "randomised_tukey_hsd"])
def test_pickle_family_keeps_critical_difference(name: str) -> None:
    family = getattr(cf.stats, name)(SYSTEMS)
    before = pickle.loads(pickle.dumps(family))  # noqa: S301
    critical = family.critical(0.1)
    after = pickle.loads(pickle.dumps(family))  # noqa: S301
    assert before.critical(0.1) == after.critical(0.1) == critical


def test_pickle_pairs_keeps_outcomes() -> None:
    pairs = cf.stats.compare_pairs(SYSTEMS)
    assert repr(pickle.loads(pickle.dumps(pairs))) == repr(pairs)  # noqa: S301
