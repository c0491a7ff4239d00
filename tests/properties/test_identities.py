"""What measures say of one another holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from tests.properties.made import (
    Give,
    Levels,
    Lists,
    collections,
    either,
    evaluate,
    few,
    order,
    same,
)


class TestIdentities:
    @either
    @given(data=st.data())
    @few
    def test_condensed_is_removing_the_unjudged_by_hand(
        self, measures: list[cf.Measure], levels: Levels, data: st.DataObject
    ) -> None:
        qrels, run = data.draw(collections(levels))
        by_hand = {t: {d: s for d, s in docs.items() if d in qrels[t]} for t, docs in run.items()}
        plain = [cf.NumRet @ 3, cf.Judged @ 3] + [m for m in measures if not m.condensed]
        condensed = [_condensed(m) for m in plain]
        expected = evaluate(qrels, by_hand, plain).values
        assert np.array_equal(evaluate(qrels, run, condensed).values, expected)
        for_all = evaluate(qrels, run, plain, condensed=True)
        assert for_all.measures == tuple(name for m in condensed for name in m.names())
        assert np.array_equal(for_all.values, expected)

    @either
    @given(data=st.data(), depth=st.integers(1, 15))
    @few
    def test_depth_is_cutting_by_hand(
        self, measures: list[cf.Measure], levels: Levels, data: st.DataObject, depth: int
    ) -> None:
        qrels, run = data.draw(collections(levels))
        by_hand = {t: {d: docs[d] for d in order(docs)[:depth]} for t, docs in run.items()}
        names = [*measures, cf.NumRet(), cf.Judged()]
        same(evaluate(qrels, run, names, depth=depth), evaluate(qrels, by_hand, names))

    def test_depth_truncates_before_condensing(self) -> None:
        qrels, run = {"t": {"a": 1, "b": 1}}, {"t": ["x", "a", "y", "b"]}
        scores = cf.evaluate(qrels, run, "AP RR NumRet(condensed=true)", depth=2, condensed=True)
        assert scores.values.tolist() == [[[0.5, 1.0, 1.0]]]

    def test_cutoff_beyond_the_list_counts_missing_ranks_as_nonrelevant(self) -> None:
        scores = cf.evaluate({"t": {"a": 1, "b": 1}}, {"t": {"a": 1.0}}, "P@10 P AP@10")
        assert scores.values.tolist() == [[[0.1, 1.0, 0.5]]]

    def test_exclude_self(self, give: Give) -> None:
        qrels = {"a": {"a": 1, "b": 1, "c": 0}, "b": {"a": 1, "b": 0}}
        run = {"a": {"a": 9.0, "c": 8.0, "b": 7.0}, "b": {"a": 2.0, "b": 3.0, "c": 1.0}}
        by_hand = {t: {d: s for d, s in docs.items() if d != t} for t, docs in run.items()}
        names = ["AP", "nDCG", "P@2", "NumRet"]
        same(
            cf.evaluate(qrels, give(run), names, exclude_self=True),
            cf.evaluate(qrels, by_hand, names),
        )
        assert cf.evaluate(qrels, give(run), "NumRet").values.sum() == 6

    @pytest.mark.parametrize("others", [{}, {"b": {"x": 1.0}}], ids=["alone", "among others"])
    def test_exclude_self_may_leave_an_empty_list(self, give: Give, others: Lists) -> None:
        """The topic was answered, if only by itself: it is not missing."""
        qrels = {"a": {"a": 1, "b": 1}, "b": {"x": 1}}
        scores = cf.evaluate(qrels, give({"a": {"a": 1.0}, **others}), "NumRet", exclude_self=True)
        assert scores["r", "a", "NumRet"] == 0
        missing = [t for n in scores.notes if n.kind == "missing-topics" for t in n.topics]
        assert missing == ([] if others else ["b"])

    @either
    @given(data=st.data())
    @few
    def test_the_mean_does_not_depend_on_the_order_of_topics(
        self, measures: list[cf.Measure], levels: Levels, data: st.DataObject
    ) -> None:
        qrels, run = data.draw(collections(levels))
        turned = dict(reversed(qrels.items()))
        a, b = evaluate(qrels, run, measures), evaluate(turned, run, measures)
        assert a.summary() == b.summary()
        assert b.topics == tuple(turned)

    def test_the_mean_of_many_topics_does_not_depend_on_their_order(self) -> None:
        rng = np.random.default_rng(5)
        qrels = {f"t{i}": {f"d{j}": 1 for j in range(1 + i % 7)} for i in range(300)}
        run = {t: {f"d{j}": rng.random() for j in range(12)} for t in qrels}
        expected = cf.evaluate(qrels, run, "AP nDCG@5 RBP").summary()
        for _ in range(5):
            shuffled = {t: qrels[t] for t in rng.permutation(list(qrels))}
            assert cf.evaluate(shuffled, run, "AP nDCG@5 RBP").summary() == expected

    @either
    @given(data=st.data())
    @few
    def test_other_topics_change_nothing(self, measures: list[cf.Measure], levels: Levels, data: st.DataObject) -> None:
        (qrels, run), (other_qrels, other_run) = (data.draw(collections(levels)) for _ in range(2))
        top = max(x for docs in qrels.values() for x in docs.values())
        others = {f"o{t}": {d: min(x, top) for d, x in docs.items()} for t, docs in other_qrels.items()}
        each = [m for m in measures if not isinstance(m, cf.GAP)]  # see test_blocks_of_other_levels
        both = evaluate({**others, **qrels}, {**run, **_renamed(other_run, "o")}, each)
        alone = evaluate(qrels, run, each)
        assert np.array_equal(both.values[:, len(others) :], alone.values)


def _condensed(m: cf.Measure) -> cf.Measure:
    values = {f.name: getattr(m, f.name) for f in m.list_parameters()} | {"condensed": True}
    return type(m)(**values, cutoff=m.cutoff, measurement=m.measurement)


def _renamed(run: Lists, prefix: str) -> Lists:
    return {prefix + topic: docs for topic, docs in run.items()}
