"""How far users go for several relevant items: PRES, and Cooper's expected search length."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from tests.evidence import checks


class TestPRES:
    @pytest.mark.parametrize(
        ("ranks", "every"),
        [
            ((1,), (1, 102, 103, 104)),  # 0.25, as on the slides of Magdy and Jones 2010
            ((50, 51, 53, 54), (50, 51, 53, 54)),
            ((1, 2, 3, 4), (1, 2, 3, 4)),  # 1
            ((1, 98, 99, 100), (1, 98, 99, 100)),
        ],
    )
    def test_four_relevant_documents(self, ranks: tuple[int, ...], every: tuple[int, ...]) -> None:
        """The systems of these slides, 100 documents are checked: 1 − (Σr/n − (n + 1)/2)/N_max."""
        levels = [int(r in ranks) for r in range(1, 101)]
        expected = 1 - (sum(every) / 4 - 5 / 2) / 100
        assert (cf.PRES @ 100)(levels, judged=[1] * 4) == pytest.approx(expected)
        known = {(1,): 0.25, (1, 2, 3, 4): 1.0}
        assert known.get(ranks, expected) == pytest.approx(expected)

    @checks("PRES", against="Magdy and Jones 2010")
    def test_its_bounds(self) -> None:
        """From nR²/N_max to R, as they print, R the recall: found at the end, or at the top."""
        n, found, l = 5, 3, 20
        worst, best = [0] * (l - found) + [1] * found, [1] * found
        m, judged = cf.PRES @ l, [1] * n
        assert m(worst, judged=judged) == pytest.approx(n * (found / n) ** 2 / l)
        assert m(best, judged=judged) == pytest.approx(found / n)

    def test_it_is_normalised_recall(self) -> None:
        """Rocchio's, if everything is ranked and N_max is all but the relevant ones."""
        levels, N, n = [0, 1, 0, 1, 0, 0], 6, 2
        normalised = 1 - (sum((2, 4)) - sum((1, 2))) / (n * (N - n))
        assert (cf.PRES @ 4)(levels, judged=levels) == pytest.approx(normalised)


class TestSearchLength:
    @checks("ESL", against="by hand")
    def test_by_hand(self) -> None:
        levels, judged = [0, 1, None, 0, 1], [1, 1, 1, 0, 0, 0]
        assert cf.ESL()(levels, judged=judged) == 1
        assert cf.ESL(q=2)(levels, judged=judged) == 3
        # One is still looked for: 3 in the list, and of 6 below it the half, on average.
        assert cf.ESL(q=3, size=12)(levels, judged=judged) == 3 + 6 / 2
        assert cf.ESL(q=3)(levels, judged=judged) == 3 + 3 / 2

    def test_without_relevant_documents_everything_is_looked_at(self) -> None:
        assert cf.ESL(size=10)([0, None], judged=[0, 0, 0]) == 10

    @checks("ESL", against="Cooper 1968")
    @given(
        st.lists(st.sampled_from([0, 1]), min_size=1, max_size=3),
        st.lists(st.sampled_from([0, 1]), min_size=1, max_size=4),
        st.integers(1, 3),
    )
    def test_cooper(self, above: list[int], level: list[int], q: int) -> None:
        """j + s·i/(r + 1): j nonrelevant above the level in which the search ends, i and r the
        nonrelevant and relevant documents in it, s of which are still needed.
        """
        r, s = sum(level), q - sum(above)
        if not 0 < s <= r:
            return
        j, i = above.count(0), level.count(0)
        orders = [[*above, *order] for order in permutations(level)]
        judged = [*above, *level]
        mean = sum(cf.ESL(q=q)(order, judged=judged) for order in orders) / len(orders)
        assert mean == pytest.approx(j + s * i / (r + 1))

    def test_ties_in_the_mean(self) -> None:
        """One relevant document among three that are tied: one nonrelevant above it on average."""
        scores: Any = cf.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}, "ESL", ties="expected")
        error = scores["run", "q", "ESL.se"]
        assert abs(scores["run", "q", "ESL"] - 1) <= 4 * error
        assert 0 < error < 0.2

    def test_less_is_better(self) -> None:
        scores = cf.evaluate({"q": {"a": 1}}, {"q": ["b", "a"]}, "ESL PRES")
        assert scores.better == ("lower", "higher")
