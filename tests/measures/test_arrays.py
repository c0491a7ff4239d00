"""Measures called on levels: one list, or a batch of lists as arrays with a mask."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.measures.base import MEASUREMENTS
from cranfield.measures.cwl import list_models
from tests.made import each, examples

Level = float | None

BUILT_IN = {
    c.__name__: c for c in cf.REGISTRY.values() if c.__module__.startswith("cranfield.measures") and c.takes == "lists"
}


def with_top_3(c: type[cf.Measure], **settings: Any) -> cf.Measure:
    """The highest level is declared, as it would otherwise be that of the batch.

    User models look at a few ranks, and have gains from 0 to 1, which some of them ask for.
    """
    declared: dict[str, Any] = {}
    if "max_level" in {f.name for f in c.list_parameters()}:
        declared["max_level"] = 3
    if issubclass(c, cf.UserModel):
        declared |= {"n": 20, "gain": "0.2:0.5:1"}
    return c(**declared | settings)


# Every measure, whole, at a cutoff, condensed.
ALL = [
    with_top_3(c, **settings)
    for c in BUILT_IN.values()
    for settings in ({}, {"cutoff": 1 if c is cf.IPrec else 3}, {"condensed": True})
]
ALL += [  # and every user model, with one of its measurements
    with_top_3(c, measurement=MEASUREMENTS[i % 5]) for i, c in enumerate(dict.fromkeys(list_models().values()))
]
ALL += map(
    cf.parse_measure,
    (
        *("nDCG(gain=1:2:5)@2", "Q(gain=exp, rel=2)", "NCU(stop=to_rp)", "NCU(stop=rb, utility=P)"),
        *("RBP.residual", "DCG@2.ideal", "GAP(thresholds=3:2:1, max_level=3)", "AP(rel=0)"),
    ),
)
every_measure = each("m", ALL)


class Batch:
    """Some lists of different lengths in one array: levels, a mask, judgments, lengths."""

    def __init__(self, n: int = 7, depth: int = 6, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.levels = rng.choice([np.nan, -1, 0, 1, 2, 3], (n, depth))
        self.mask = rng.random((n, depth)) < 0.7
        if n > 2:
            self.mask[0], self.mask[1] = False, True  # an empty list and a full one
        found = np.where(self.mask, self.levels, np.nan)
        self.judged = np.hstack([rng.choice([np.nan, 0, 1, 3], (n, 3)), found])
        self.lengths = rng.integers(1, 900, (n, depth)).astype(float)

    def of(self, m: cf.Measure) -> dict[str, Any]:
        return {
            "judged": self.judged,
            "mask": self.mask,
            "lengths": self.lengths if m.length_unit else None,
        }

    def row(self, m: cf.Measure, i: int) -> tuple[list[Level], dict[str, Any]]:
        """The i-th list in plain Python: None is unjudged, what is masked is not there."""

        def plain(values: Any) -> list[Level]:
            return [None if np.isnan(x) else float(x) for x in values]

        there = self.mask[i]
        judged = [x for x in plain(self.judged[i]) if x is not None]
        lengths = self.lengths[i, there].tolist() if m.length_unit else None
        return plain(self.levels[i, there]), {"judged": judged, "lengths": lengths}


def numbers(m: cf.Measure) -> int:
    return len(m.names())


class TestBatch:
    @every_measure
    def test_is_row_by_row(self, m: cf.Measure) -> None:
        """To the last bit."""
        batch = Batch()
        found = m(batch.levels, **batch.of(m))
        assert found.shape == ((7,) if numbers(m) == 1 else (7, numbers(m)))
        assert found.dtype == np.float64
        for i, scores in enumerate(found):
            levels, given = batch.row(m, i)
            alone = m(levels, **given)
            assert np.array_equal(scores, alone), (levels, given)
            assert np.shape(alone) == (() if numbers(m) == 1 else (numbers(m),))

    @every_measure
    def test_where_the_padding_is_does_not_matter(self, m: cf.Measure) -> None:
        batch = Batch()
        expected = m(batch.levels, **batch.of(m))
        left = np.argsort(~batch.mask, axis=1, kind="stable")

        def moved(x: Any) -> Any:
            return np.take_along_axis(x, left, axis=1)

        def wider(x: Any, fill: Any) -> Any:
            return np.hstack([np.full((7, 2), fill), moved(x), np.full((7, 3), fill)])

        given = {"lengths": wider(batch.lengths, np.nan) if m.length_unit else None}
        for fill in (np.nan, 3.0, 99.0):  # what is under the mask is not looked at
            found = m(wider(batch.levels, fill), batch.judged, mask=wider(batch.mask, False), **given)
            assert np.array_equal(found, expected)

    @every_measure
    def test_the_order_of_lists_and_judgments_does_not_matter(self, m: cf.Measure) -> None:
        batch = Batch()
        expected = m(batch.levels, **batch.of(m))
        turned: dict[str, Any] = {k: None if v is None else v[::-1] for k, v in batch.of(m).items()}
        turned["judged"] = turned["judged"][:, ::-1]
        assert np.array_equal(m(batch.levels[::-1], **turned), expected[::-1])

    @every_measure
    def test_judged_mask(self, m: cf.Measure) -> None:
        """NaN in judged, or False in its mask, is nothing."""
        batch = Batch()
        expected = m(batch.levels, **batch.of(m))
        there = ~np.isnan(batch.judged)
        given = batch.of(m) | {"judged": np.where(there, batch.judged, 3.0), "judged_mask": there}
        assert np.array_equal(m(batch.levels, **given), expected)

    @every_measure
    def test_judged_is_levels(self, m: cf.Measure) -> None:
        """The same array has the same mask: nothing else is judged."""
        batch = Batch()
        given = batch.of(m)
        by_hand = np.where(batch.mask, batch.levels, np.nan)
        expected = m(batch.levels, **given | {"judged": by_hand})
        assert np.array_equal(m(batch.levels, **given | {"judged": batch.levels}), expected)

    @every_measure
    def test_no_list_at_all(self, m: cf.Measure) -> None:
        given = {"lengths": np.empty((0, 4))} if m.length_unit else {}
        found = m(np.empty((0, 4)), np.empty((0, 2)), **given)
        assert found.shape == ((0,) if numbers(m) == 1 else (0, numbers(m)))

    @every_measure
    @each("judged", [[], [1, 0, 2]])
    def test_empty_lists(self, m: cf.Measure, judged: list[float]) -> None:
        """No columns, nothing but mask, or simply []: all are the empty list."""
        known = np.tile(np.array(judged, dtype=float), (2, 1))
        given = [{"lengths": np.ones(shape)} if m.length_unit else {} for shape in ((2, 0), (2, 3))]
        no_columns = m(np.empty((2, 0)), known, **given[0])
        masked = m(np.ones((2, 3)), known, mask=np.zeros((2, 3)), **given[1])
        alone = m([], judged, **{"lengths": []} if m.length_unit else {})
        assert np.array_equal(no_columns, masked)
        assert np.array_equal(no_columns, [alone, alone])
        if m.effectiveness and m.better == "higher" and not isinstance(m, cf.YAAP):
            assert not np.any(alone) or m.measurement in ("residual", "ideal")

    @every_measure
    def test_without_judgments(self, m: cf.Measure) -> None:
        """A measure can do without `judged`, and then more judgments change nothing, or says so."""
        batch = Batch()
        given = batch.of(m) | {"judged": None}
        try:
            found = m(batch.levels, **given)
        except cf.CranfieldError as error:
            said = str(error)
        else:
            assert np.array_equal(found, m(batch.levels, **batch.of(m)))
            return
        assert said.startswith(f"{m} requires ")
        assert "judged=" in said

    def test_those_that_need_judgments(self) -> None:
        needy = ("AP", "Recall", "nDCG@2", "Q", "bpref", "nERR", "GAP", "Compat", "IPrec", "infAP")
        for name in needy:
            with pytest.raises(cf.CranfieldError, match=r"requires .*judged="):
                cf.parse_measure(name)([1, 0])
        for name in ("P", "P@3", "RR", "Success@1", "DCG", "RBP(rel=1)", "ERR(max_level=2)"):
            assert 0 <= cf.parse_measure(name)([1, 0]) <= 1


class TestOneList:
    @given(
        st.lists(st.none() | st.sampled_from([-1.0, 0.0, 1.0, 2.0, 3.0]), max_size=9),
        st.lists(st.sampled_from([-1.0, 0.0, 1.0, 2.0, 3.0]), max_size=5),
    )
    @settings(max_examples=examples(25))
    def test_is_evaluating_it(self, levels: list[Level], missed: list[float]) -> None:
        """To the last bit, for every measure."""
        docs = [f"d{i}" for i in range(len(levels))]
        qrels = {d: x for d, x in zip(docs, levels, strict=True) if x is not None}
        qrels |= {f"m{i}": x for i, x in enumerate(missed)}
        if not qrels:
            return
        lengths = {d: 100.0 + 13 * i for i, d in enumerate(docs)} | {"other": 1.0}
        both = {"words": lengths, "characters": lengths}
        own = [lengths[d] for d in docs]
        measures = list(dict.fromkeys(m for m in ALL if str(m) != "IPrec@1"))
        expected = cf.evaluate({"t": qrels}, {"t": docs}, measures, lengths=both).values[0, 0]
        found: list[float] = []
        for m in measures:
            given = {"lengths": own} if m.length_unit else {}
            found += np.ravel(m(levels, judged=list(qrels.values()), **given)).tolist()
        assert found == expected.tolist()

    def test_gives_a_float(self) -> None:
        assert type(cf.AP()([1], judged=[1])) is float
        assert type((cf.IPrec @ 0.5)([1], judged=[1])) is float

    def test_several_numbers(self) -> None:
        curve = cf.IPrec()([1, None, 1], judged=[1, 1])
        assert curve.shape == (11,)
        assert curve.tolist() == [1.0] * 6 + [2 / 3] * 5
        assert cf.IPrec()([[1, np.nan, 1]] * 2, judged=[[1, 1]] * 2).shape == (2, 11)


class Tensor:
    """Like a tensor of PyTorch or JAX: an array only if asked."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.values, dtype=dtype)

    @property
    def ndim(self) -> int:
        return self.values.ndim

    def __len__(self) -> int:
        return len(self.values)


ROWS = [[0, 2, 1], [1, 0, 0]]
JUDGED = [[2, 2, 1, 0], [1, 0, 0, 3]]
MASK = [[True, True, True], [True, True, False]]


class TestKindsOfArrays:
    @pytest.mark.parametrize(
        "kind",
        [
            *(lambda x, t=t: np.array(x, dtype=t) for t in ("f4", "f8", "f2", "i8", "i4", "u1")),
            list,
            lambda x: tuple(map(tuple, x)),
            lambda x: [np.array(row) for row in x],
            Tensor,
            np.asfortranarray,
            lambda x: np.array(x, dtype=object),
        ],
        ids=[
            "f4",
            "f8",
            "f2",
            "i8",
            "i4",
            "u1",
            "lists",
            "tuples",
            "rows",
            "tensor",
            "F",
            "object",
        ],
    )
    def test_all_are_the_same(self, kind: Any) -> None:
        for name in ("nDCG@2", "AP", "Q", "RR", "IPrec", "bpref"):
            m = cf.parse_measure(name)
            expected = m(np.array(ROWS, dtype=float), np.array(JUDGED, dtype=float), mask=MASK)
            found = m(kind(ROWS), kind(JUDGED), mask=kind(MASK))
            assert isinstance(found, np.ndarray)
            assert np.array_equal(found, expected)
            one = m(kind(ROWS)[0] if kind is not Tensor else Tensor(ROWS[0]), JUDGED[0])
            assert np.array_equal(one, expected[0])

    def test_they_are_left_as_they_were(self) -> None:
        batch = Batch()
        before = batch.levels.copy(), batch.judged.copy(), batch.mask.copy(), batch.lengths.copy()
        for m in ALL:
            m(batch.levels, **batch.of(m))
        after = batch.levels, batch.judged, batch.mask, batch.lengths
        for a, b in zip(before, after, strict=True):
            assert np.array_equal(a, b, equal_nan=True)

    def test_None_is_an_unjudged_item_in_rows_too(self) -> None:
        assert (cf.RR())([[None, 1], [1, None]]).tolist() == [0.5, 1.0]

    def test_the_highest_level_is_that_of_the_batch(self) -> None:
        """As in a collection: the scale is one for all topics."""
        err = cf.ERR()(np.array([[1.0], [3.0]]), judged=np.array([[1.0], [3.0]]))
        assert err.tolist() == [1 / 8, 7 / 8]

    def test_many_lists(self) -> None:
        """A batch as large as in training gives what its parts give."""
        batch = Batch(n=5000, depth=20, seed=4)
        for m in map(cf.parse_measure, ("nDCG@10", "AP", "RR@10", "Q")):
            whole = m(batch.levels, batch.judged, mask=batch.mask)
            part = slice(1234, 1300)
            some = m(batch.levels[part], batch.judged[part], mask=batch.mask[part])
            assert np.array_equal(whole[part], some)


class TestErrors:
    @pytest.mark.parametrize(
        "levels",
        [
            *("1 0 1", [["a", "b"]], [[1, 0], [1]], [[[1.0]]], 1.0, None, {"a": 1}, [1, np.inf]),
            *([[1, -np.inf]], [1, [0]], [1j]),
        ],
        ids=repr,
    )
    def test_levels(self, levels: Any) -> None:
        problem = "contains an infinite number" if "inf" in repr(levels) else "must be a list or an array"
        with pytest.raises(cf.CranfieldError, match=f"^P: levels {problem}"):
            cf.P()(levels)

    @pytest.mark.parametrize("judged", ["ab", [[[1]]], [[1], [1, 0]], [np.inf, 1]], ids=repr)
    def test_judged(self, judged: Any) -> None:
        problem = "contains an infinite number" if "inf" in repr(judged) else "must be a list or an array"
        with pytest.raises(cf.CranfieldError, match=f"^AP: judged {problem}"):
            cf.AP()([1], judged=judged)

    def test_rows_of_judged(self) -> None:
        with pytest.raises(cf.CranfieldError, match="judged has 3 rows, levels has 2"):
            cf.AP()(np.ones((2, 2)), judged=np.ones((3, 2)))
        with pytest.raises(cf.CranfieldError, match=r"judged has 1 rows?, levels has 2"):
            cf.AP()(np.ones((2, 2)), judged=[1, 1])

    def test_one_list_has_a_mask_of_its_own(self) -> None:
        assert cf.P()([1, 0, 1, 1], mask=[True, True, False, True]) == pytest.approx(2 / 3)

    @pytest.mark.parametrize("mask", [[True], np.ones((2, 3)), np.ones((3, 2)), [[True] * 2] * 3])
    def test_shape_of_a_mask(self, mask: Any) -> None:
        with pytest.raises(cf.CranfieldError, match=r"found shape .* of mask, expected \(2, 2\)"):
            cf.P()(np.ones((2, 2)), mask=mask)
        with pytest.raises(cf.CranfieldError, match=r"found shape .* of judged_mask, expected"):
            cf.AP()(np.ones((2, 2)), np.ones((2, 2)), judged_mask=mask)

    @pytest.mark.parametrize(
        ("levels", "judged", "level"),
        [
            ([2], [1, 0], "2"),
            ([1, 1], [1, 0, 0], "1"),
            ([0.5], [], "0.5"),
            ([[1, 0], [3, 0]], [[1, 0], [1, 0]], "3"),
            ([-1, 1, 1], [1], "1"),
        ],
    )
    def test_levels_that_nobody_judged(self, levels: Any, judged: Any, level: str) -> None:
        """What is relevant in the list was judged, and as often: else R would be too small."""
        match = f"level {level} is more frequent in the list than in judged"
        with pytest.raises(cf.CranfieldError, match=match):
            cf.AP()(levels, judged=judged)
        with pytest.raises(cf.CranfieldError, match=match):
            cf.P()(levels, judged=judged)

    def test_nonrelevant_items_need_not_be_named_again(self) -> None:
        """They change neither R nor an ideal list; N counts them all the same."""
        m = cf.nDCG @ 10
        assert m([3, 2, 0, 1], judged=[3, 3, 2, 1]) == m([3, 2, 0, 1], judged=[3, 3, 2, 1, 0])
        assert m([3, 2, 0, 1], judged=[3, 3, 2, 1]) == pytest.approx(
            (3 + 2 / np.log2(3) + 1 / np.log2(5))
            / (3 + 3 / np.log2(3) + 2 / 2 + 1 / np.log2(5)), abs=1e-12
        )  # fmt: skip
        assert cf.bpref()([0, 1], judged=[1]) == cf.bpref()([0, 1], judged=[1, 0]) == 0
        rows = cf.bpref()([[0, 1], [1, 0]], judged=[[1, np.nan], [1, 0]])
        assert rows.tolist() == [0, 1]

    def test_masked_levels_need_not_be_judged(self) -> None:
        assert cf.AP()([[1, 2]], [[1]], mask=[[True, False]]).tolist() == [1.0]

    @pytest.mark.parametrize("m", [cf.TBG(), cf.U(max_level=3)], ids=str)
    def test_lengths(self, m: cf.Measure) -> None:
        with pytest.raises(cf.CranfieldError, match=f"{m.length_unit}.*lengths="):
            m([1, 0])
        with pytest.raises(cf.CranfieldError, match=r"found shape \(1, 1\) of lengths, expected"):
            m([1, 0], lengths=[5])
        for wrong in ([5, -1], [np.nan, 5], [5, np.inf]):
            with pytest.raises(cf.CranfieldError, match="lengths must be numbers ≥ 0"):
                m([1, 0], lengths=wrong)
        if isinstance(m, cf.U):  # which looks at relevant documents only
            assert m([0, 1], lengths=[None, 5]) == m([0, 1], lengths=[7, 5])
        else:
            with pytest.raises(cf.CranfieldError, match="lengths must be numbers ≥ 0"):
                m([0, 1], lengths=[None, 5])
        assert m([[1, 0]], lengths=[[5, np.nan]], mask=[[True, False]]) > 0

    def test_a_mask_of_words(self) -> None:
        """bool("False") is True: words are no mask."""
        with pytest.raises(cf.CranfieldError, match="mask"):
            cf.P()([1, 0], mask=["True", "False"])

    @pytest.mark.parametrize("mask", [[1, 0.5], [1, np.nan], [2, 1], [None, True]], ids=repr)
    def test_a_mask_of_other_numbers(self, mask: Any) -> None:
        with pytest.raises(cf.CranfieldError, match="mask"):
            cf.P()([1, 0], mask=mask)

    def test_a_ragged_mask(self) -> None:
        with pytest.raises(cf.CranfieldError, match="mask"):
            cf.P()([[1, 0], [1, 1]], mask=[[True], [True, False]])
