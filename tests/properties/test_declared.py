"""What measures say of themselves holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cranfield as cf
from tests.evidence import checks
from tests.made import each
from tests.properties.made import BUILT_IN, EFFECTIVENESS

# -- what measures say of themselves ----------------------------------------------------------

ROWS, DEPTH = 800, 6


def with_top_3(c: type[cf.Measure], cutoff: int | None = None) -> cf.Measure:
    """The measure with the highest level declared, so that it does not depend on the batch."""
    declared = {"max_level": 3} if "max_level" in {f.name for f in c.list_parameters()} else {}
    gains = {"n": 20, "gain": "0.2:0.5:1"} if issubclass(c, cf.UserModel) else {}
    return c(**declared, **gains, cutoff=None if c is cf.IPrec else cutoff)


class Batch:
    """Random lists of levels 0 to 3 with unjudged items, what else is judged, and lengths."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = rng = np.random.default_rng(seed)
        self.levels = rng.choice([np.nan, 0, 1, 2, 3], (ROWS, DEPTH))
        self.missed = rng.choice([0.0, 1.0, 2.0, 3.0], (ROWS, 2))
        self.lengths = rng.integers(1, 3000, (ROWS, DEPTH)).astype(float)

    def score(self, m: cf.Measure, levels: Any, *more: Any, mask: Any = None) -> Any:
        """[rows, columns]: the lists, judged with what is in `more` besides."""
        found = m(
            levels,
            np.hstack([np.where(mask, levels, np.nan) if mask is not None else levels, *more]),
            mask=mask,
            lengths=self.lengths if m.length_unit else None,
        )
        return found if found.ndim == 2 else found[:, None]


def differs(a: Any, b: Any) -> bool:
    return bool(np.abs(a - b).max() > 1e-12)


each_measure = each("c", EFFECTIVENESS.values())
CUTOFFS = (None, 1, 3, 8)

# Normalised, but not at every cutoff: these compare with all relevant items wherever they stop
# (below R), or are precisions (BR beyond R), or look at one rank (nG), or guess a little (infAP).
ONLY_WHOLE = {"Rprec", "Rmeasure", "AP11", "binG", "G", "nDCGrel", "RnDCG", "Compat", "bpref",
              "GMbpref", "bpref_R", "bpref_N", "rpref_N", "rpref_relative2", "infAP", "xinfAP",
              "BR", "nG", "PRES"}  # fmt: skip
# Not declared, although the list of all relevant items scores 1: it depends on the parameters.
IDEAL_IS_1_ALL_THE_SAME = {"NCU", "infNDCG"}  # which is an estimate that may exceed 1

FIGURE_6 = {  # seed 001: rows (a), (b), (c), (e) and (f); those for TBG and AP in between are no
    "nDCG": ("graded", "normalised"),
    "AP": ("normalised",),
    "Q": ("graded", "normalised"),
    "Pplus": ("graded", "normalised"),
    "ERR": ("graded", "recall-independent", "diminishing return"),
    "RBP": ("graded", "recall-independent"),
    "TBG": ("recall-independent", "uses lengths"),
    "U": ("graded", "recall-independent", "diminishing return", "uses lengths"),
}


class TestDeclaredProperties:
    @pytest.mark.parametrize(("name", "properties"), FIGURE_6.items())
    def test_figure_6(self, name: str, properties: tuple[str, ...]) -> None:
        assert BUILT_IN[name].properties == properties

    @checks(*EFFECTIVENESS, against="property")
    @each_measure
    def test_graded(self, c: type[cf.Measure]) -> None:
        """Other positive levels in place of positive levels change something, or nothing."""
        batch = Batch()
        other = [np.where(x > 0, batch.rng.integers(1, 4, x.shape), x)
                 for x in (batch.levels, batch.missed)]  # fmt: skip
        changed = any(
            differs(batch.score(m, batch.levels, batch.missed), batch.score(m, *other))
            for m in (with_top_3(c, k) for k in CUTOFFS)
        )
        assert changed == ("graded" in c.properties)

    @staticmethod
    def ideal_scores(c: type[cf.Measure], cutoff: int | None) -> Any:
        """Scores of lists of all relevant items, best first."""
        batch = Batch()
        judged = batch.rng.choice([0.0, 0.0, 1.0, 2.0, 3.0], (ROWS, DEPTH))
        judged[:, 0] = batch.rng.integers(1, 4, ROWS)
        best = -np.sort(-judged, axis=1)
        zeros = np.where(best > 0, np.nan, 0.0)  # nonrelevant items are judged, not listed
        return batch.score(with_top_3(c, cutoff), best, zeros, mask=best > 0)

    @each_measure
    def test_normalised(self, c: type[cf.Measure]) -> None:
        """The ideal list scores 1, at every cutoff unless excepted, and no list scores more."""
        name, cutoffs = c.__name__, (None, *range(1, 9))
        reached = [not differs(self.ideal_scores(c, k), 1.0) for k in cutoffs]
        if "normalised" not in c.properties:
            assert all(reached) == (name in IDEAL_IS_1_ALL_THE_SAME)
            return
        assert all(reached) == (name not in ONLY_WHOLE)
        if name in ("infAP", "xinfAP"):  # each item above counts as 1 − ε
            assert np.abs(self.ideal_scores(c, None) - 1).max() < 1e-5
        else:
            assert reached[0]
        batch = Batch(1)
        for k in CUTOFFS[: 2 if name == "nG" else None]:
            found = batch.score(with_top_3(c, k), batch.levels, batch.missed)
            assert found.max() <= 1 + 1e-12

    def test_NCU_is_normalised_or_not(self) -> None:
        judged = [3, 1, 1]
        for stop in ("u", "gu", "rb", "r1", "rp", "to_rp"):
            for utility in ("P", "BR"):
                ncu = cf.NCU(stop=stop, utility=utility)
                assert ncu(judged, judged) == pytest.approx(1, abs=1e-12)
        assert cf.NCU(utility="IE")(judged, judged) < 1
        assert cf.NCU(stop="sat")(judged, judged) < 1

    def test_G_is_not_normalised_for_gains_below_1(self) -> None:
        """An item of the ideal list costs at least 1, as in trec_eval, which knows no others."""
        assert cf.G()([0.5], [0.5]) == pytest.approx(1 / np.log2(2 + 1 - 0.5))

    @each_measure
    def test_recall_independent(self, c: type[cf.Measure]) -> None:
        """More relevant items that were not found change nothing, or something."""
        batch = Batch(2)
        more = batch.rng.integers(1, 4, (ROWS, 3))
        changed = any(
            differs(
                batch.score(m, batch.levels, batch.missed),
                batch.score(m, batch.levels, batch.missed, more),
            )
            for m in (with_top_3(c, k) for k in CUTOFFS)
        )
        assert changed != ("recall-independent" in c.properties)

    @each_measure
    def test_diminishing_return(self, c: type[cf.Measure]) -> None:
        """A relevant item below all others never adds more, and sometimes less, after another.

        The items come from a pool of all levels, so that the ideal list stays as it is. The
        item put above is another document, so it has another length.
        """
        batch = Batch(3)
        rows, rng = np.arange(ROWS), batch.rng
        above = rng.integers(0, DEPTH - 1, ROWS)
        here = above + 1 + rng.integers(0, DEPTH, ROWS) % (DEPTH - 1 - above)
        below = np.arange(DEPTH) > here[:, None]
        without = np.where(below & (batch.levels > 0), 0.0, batch.levels)
        without[rows, above] = without[rows, here] = 0
        lengths = batch.lengths.copy()
        lengths[rows, above] = rng.integers(1, 3000, ROWS)
        levels = rng.integers(1, 4, (2, ROWS))
        pool = np.repeat([[0.0, 1.0, 2.0, 3.0]], DEPTH, axis=1)

        def gained(m: cf.Measure, before: Any, lengths: Any) -> Any:
            after = before.copy()
            after[rows, here] = levels[0]
            judged = np.repeat(pool, ROWS, axis=0)
            given = {"lengths": lengths} if m.length_unit else {}
            sign = -1 if m.better == "lower" else 1
            found = m(after, judged, **given) - m(before, judged, **given)
            return sign * (found if found.ndim == 2 else found[:, None])

        more = smaller = False
        found = without.copy()
        found[rows, above] = levels[1]
        for m in (with_top_3(c, k) for k in (None, 3, 6)):
            alone, after_another = (
                gained(m, without, batch.lengths), gained(m, found, lengths))  # fmt: skip
            more |= bool((after_another > alone + 1e-12).any())
            smaller |= bool((after_another < alone - 1e-12).any())
        assert (smaller and not more) == ("diminishing return" in c.properties)

    @each_measure
    def test_uses_lengths(self, c: type[cf.Measure]) -> None:
        assert bool(c.length_unit) == ("uses lengths" in c.properties)
        if c.length_unit:
            batch, m = Batch(), with_top_3(c)
            before = batch.score(m, batch.levels)
            batch.lengths += 100
            assert differs(before, batch.score(m, batch.levels))
