"""A judge and people by topic: worked numbers, ppi-python, what does not depend on the judge."""

from __future__ import annotations

import numpy as np
import pytest

from cranfield.errors import InputError
from cranfield.stats import judge_weight, prediction_powered
from cranfield.stats.prediction import find_doubt, find_required_topics
from tests.coverage_simulated import BOUNDS, JUDGES, by_topic
from tests.evidence import checks

# Worked numbers that were computed apart from this project.
Y, F = [0.2, 0.4, 0.6, 0.8], [0.3, 0.5, 0.5, 0.9]
OTHERS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]


@checks("cf.stats.prediction_powered", against="by hand")
def test_a_given_weight_by_hand() -> None:
    """θ = 0.5 · 0.45 + mean(Y − F/2) = 0.225 + 0.225; Var 0.25 · 0.06/8 + 0.0225/4."""
    found = prediction_powered(Y, F, OTHERS, weight=0.5)
    assert found.estimate == pytest.approx(0.45)
    assert found.error**2 == pytest.approx(0.0075)
    assert found.n_eff == pytest.approx(8.8889, abs=5e-5)


@checks("cf.stats.judge_weight", against="by hand")
def test_plug_in_by_hand() -> None:
    assert judge_weight(Y, F, OTHERS) == pytest.approx(0.691099, abs=5e-7)
    assert prediction_powered(Y, F, OTHERS, "plug-in").estimate == pytest.approx(0.430890, abs=5e-7)


def test_leave_one_out_by_hand() -> None:
    """λ of each topic from the others: .444444, .907937, .977778, .298103."""
    found = prediction_powered(Y, F, OTHERS)
    weights = [0.444444, 0.907937, 0.977778, 0.298103]
    assert found.weight == pytest.approx(np.mean(weights), abs=1e-6)
    assert found.estimate == pytest.approx(0.459559, abs=5e-7)
    assert found.error == pytest.approx(0.107245, abs=5e-7)
    assert (found.low, found.high) == pytest.approx((0.1183, 0.8009), abs=5e-5)


def test_leave_one_out_leaves_one_out() -> None:
    """The same, topic by topic, by the naive way."""
    random = np.random.default_rng(2)
    y, f, rest = random.random(9), random.random(9), random.random(14)
    f = 0.6 * y + 0.4 * f
    values = []
    for i in range(9):
        others, judged = np.delete(y, i), np.delete(f, i)
        variance = np.var(np.append(judged, rest), ddof=1)
        best = np.cov(others, judged)[0, 1] / ((1 + 9 / 14) * variance)
        values.append(y[i] - min(max(best, 0), 1) * (f[i] - rest.mean()))
    assert prediction_powered(y, f, rest).estimate == pytest.approx(np.mean(values), abs=1e-12)


def test_by_topic() -> None:
    people = {str(i): y for i, y in enumerate(Y)}
    judge = {str(i): f for i, f in enumerate([*F, *OTHERS])}
    found = prediction_powered(people, dict(reversed(judge.items())))
    assert found.estimate == pytest.approx(0.459559, abs=5e-7)
    assert (found.n, found.others) == (4, 8)


@checks("cf.stats.prediction_powered", against="ppi-python")
@pytest.mark.parametrize("lam", [0.0, 0.3, 1.0])
def test_ppi_python(lam: float) -> None:
    """Estimates are the same; its interval is the normal one, of variances by n."""
    ppi = pytest.importorskip("ppi_py")
    random = np.random.default_rng(int(10 * lam))
    y, rest = random.random(40), random.random(70)
    f = np.clip(y + random.normal(0, 0.2, 40), 0, 1)
    found = prediction_powered(y, f, rest, weight=lam)
    theirs = ppi.ppi_mean_pointestimate(y, f, rest, lam=lam)
    assert found.estimate == pytest.approx(float(np.squeeze(theirs)), abs=1e-12)
    low, high = (float(np.squeeze(x)) for x in ppi.ppi_mean_ci(y, f, rest, alpha=0.05, lam=lam))
    variance = lam**2 * rest.var() / 70 + (y - lam * f).var() / 40
    assert (high - low) / 2 == pytest.approx(1.959963985 * np.sqrt(variance))
    ours = lam**2 * rest.var(ddof=1) / 70 + (y - lam * f).var(ddof=1) / 40
    assert found.error == pytest.approx(np.sqrt(ours))


@checks("cf.stats.prediction_powered", against="ppi-python")
def test_ppi_python_has_the_same_weight() -> None:
    """Theirs has variances by n, ours by n − 1: of many topics they are the same."""
    ppi = pytest.importorskip("ppi_py")
    random = np.random.default_rng(3)
    y, rest = random.random(4000), random.random(9000)
    f = y + random.normal(0, 0.5, 4000)
    rest = rest + random.normal(0, 0.5, 9000)
    theirs = float(np.squeeze(ppi.ppi_mean_pointestimate(y, f, rest)))
    assert prediction_powered(y, f, rest, "plug-in").estimate == pytest.approx(theirs, abs=1e-4)


def test_a_judge_against_people_is_not_used() -> None:
    found = prediction_powered(Y, [1 - y for y in Y], OTHERS)
    assert found.weight == 0
    assert found.estimate == pytest.approx(0.5)
    assert found.n_eff == pytest.approx(4)
    assert found.covariance < 0


def test_a_judge_that_says_the_same_of_all_is_not_used() -> None:
    found = prediction_powered(Y, [0.1] * 4, [0.1] * 9)
    assert (found.weight, found.estimate) == pytest.approx((0, 0.5))


def test_without_other_topics_people_decide() -> None:
    found = prediction_powered(Y, F)
    assert (found.estimate, found.weight, found.n_eff) == pytest.approx((0.5, 0, 4))
    assert found.error == pytest.approx(np.std(Y, ddof=1) / 2)


def test_a_constant_added_by_the_judge_changes_nothing() -> None:
    plain = prediction_powered(Y, F, OTHERS)
    biased = prediction_powered(Y, [f + 0.3 for f in F], [f + 0.3 for f in OTHERS])
    assert biased.estimate == pytest.approx(plain.estimate, abs=1e-12)
    assert biased.error == pytest.approx(plain.error, abs=1e-12)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (np.arange(19) / 19, "19 topics with human labels: intervals hold from 20 on"),
        (np.arange(20) / 20, ""),
        (np.arange(40) % 2, "2 distinct values in 40 topics: intervals hold from 50 on"),
        (np.arange(40) % 3 - 1, "3 distinct values in 40 topics: intervals hold from 50 on"),
        (np.arange(60) % 2, ""),
        ((np.arange(60) < 9) * 1.0, "51 of 60 topics have the same value: intervals need 10"),
        ((np.arange(60) < 10) * 1.0, ""),
        (np.append(np.zeros(21), np.arange(9)), "22 of 30 topics have the same value"),
    ],
)
def test_what_is_not_promised(values: np.ndarray, said: str) -> None:
    assert find_doubt(np.asarray(values, dtype=float)).startswith(said)
    assert bool(find_doubt(np.asarray(values, dtype=float))) == bool(said)


def test_topics_needed() -> None:
    """s = 0.5 and a judge of no use: t(n − 1) · 0.5/√n ≤ 0.2 from 27 on: 2.0555 · 0.0962."""
    y = np.tile([0.0, 1.0], 50)[:20]
    y = (y - y.mean()) / y.std(ddof=1) * 0.5
    f, rest = np.zeros(20), np.zeros(60)
    assert find_required_topics(y, f, rest, 0.2) == 27
    assert find_required_topics(y, f, rest, 0.3) == 20
    assert find_required_topics(y, f, rest, 0.01) is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"people": [1, 2], "judge": [1, 2]}, "found 2 topics, expected at least 3"),
        ({"people": Y, "judge": F[:3]}, "found 4 human and 3 judge scores"),
        ({"people": {"a": 1.0}, "judge": {"b": 1.0}}, r"found 1 topic \(a\) without judge scores"),
        ({"people": {"a": 1.0}, "judge": [1.0]}, "either human or judge scores have no topics"),
        ({"people": Y, "judge": F, "others": ["x"]}, "found others"),
        ({"people": Y, "judge": F, "weight": 2}, "found weight=2, expected leave-one-out"),
        ({"people": Y, "judge": F, "weight": "best"}, "found weight='best'"),
        ({"people": Y, "judge": F, "confidence": 1.5}, "found confidence"),
    ],
)
def test_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        prediction_powered(**given)  # type: ignore[arg-type]


@checks("cf.stats.prediction_powered interval", against="simulation")
@pytest.mark.parametrize("judge", JUDGES)
def test_intervals_hold(judge: str) -> None:
    """93 to 97 of 100, whatever the judge is worth; `make coverage-simulated` has more of it."""
    for kind in ("scores", "differences"):
        assert BOUNDS[0] <= by_topic(kind, judge, 20, 100, 2_000) <= BOUNDS[1]
