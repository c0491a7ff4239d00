"""pyNTCIREVAL on random collections, topic by topic."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tests.evidence import checks
from tests.made import examples
from tests.peers.made import Collection, assert_agree, collections, values

# -- pyNTCIREVAL --------------------------------------------------------------------------------

NTCIR_CUTOFFS = (1, 2, 5, 10, 1000)


def ntcireval(levels: Mapping[str, int], ranked: list[str], gains: list[float], **o: Any) -> Any:
    """All values pyNTCIREVAL gives a list, by our names for them."""
    from pyNTCIREVAL import Labeler
    from pyNTCIREVAL import metrics as m

    labeler = Labeler(levels, is_condensed=o.get("condensed", False))
    labelled = labeler.label(ranked)
    number = labeler.compute_per_level_doc_num(len(gains) + 1)
    p, beta, logb = o.get("p", 0.95), o.get("beta", 1.0), o.get("b", 2.0)
    gamma, stops = o.get("gamma", 0.95), o.get("stops", gains)
    weighted = f"beta={beta}, stops={':'.join(map(str, stops))}"
    peers = {
        "ntcir:RR": m.RR(),
        "ntcir:AP": m.AP(number, gains),
        f"ntcir:Q-measure(beta={beta})": m.QMeasure(number, gains, beta),
        f"ntcir:RBP(p={p})": m.RBP(number, gains, p),
        "ntcir:ERR": m.ERR(number, gains),
        "ntcir:nERR": m.nERR(number, gains, None),
        f"ntcir:O-measure(beta={beta})": m.OMeasure(number, gains, beta),
        f"ntcir:P-measure(beta={beta})": m.PMeasure(number, gains, beta),
        f"ntcir:P-plus(beta={beta})": m.PPlusMeasure(number, gains, beta),
        f"ntcir:NCUgu,P({weighted})": m.NCUguP(number, gains, stops),
        f"ntcir:NCUgu,BR({weighted})": m.NCUguBR(number, gains, stops, beta),
        f"ntcir:NCUrb,P(gamma={gamma})": m.NCUrbP(number, gains, gamma),
        f"ntcir:NCUrb,BR(gamma={gamma}, beta={beta})": m.NCUrbBR(number, gains, gamma, beta),
        # The same under the name of the family.
        "NCU(stop=u, utility=P)": m.AP(number, gains),
        f"NCU(stop=u, utility=BR, beta={beta})": m.QMeasure(number, gains, beta),
        "NCU(stop=r1, utility=RR)": m.RR(),
        "NCU(stop=r1, utility=P)": m.OMeasure(number, gains, 0.0),
        f"NCU(stop=r1, utility=BR, beta={beta})": m.OMeasure(number, gains, beta),
        "NCU(stop=rp, utility=P)": m.PMeasure(number, gains, 0.0),
        f"NCU(stop=rp, utility=BR, beta={beta})": m.PMeasure(number, gains, beta),
        "NCU(stop=to_rp, utility=P)": m.PPlusMeasure(number, gains, 0.0),
        f"NCU(stop=to_rp, utility=BR, beta={beta})": m.PPlusMeasure(number, gains, beta),
        "NCU(stop=sat, utility=RR, prob=linear)": m.ERR(number, gains),
        # Without a discount, which begins at the base of the logarithm.
        "nCG": m.nDCG(number, gains, 1e9, None),
        "nG": m.nDCG(number, gains, 2.0, 1),
    }
    for l in NTCIR_CUTOFFS:
        err, rbp = m.ERR(number, gains), m.RBP(number, gains, p)
        err.cutoff = rbp.cutoff = l  # every metric of the package has one, these do not ask for it
        peers |= {
            f"AP@{l:05}": m.AP(number, gains, l),
            f"Q(beta={beta})@{l:05}": m.QMeasure(number, gains, beta, l),
            f"nDCG(b={logb})@{l:05}": m.nDCG(number, gains, logb, l),
            f"MSnDCG@{l:05}": m.MSnDCG(number, gains, l),
            f"P@{l:05}": m.Precision(l),
            f"Hit@{l:05}": m.Hit(l),
            f"nERR@{l:05}": m.nERR(number, gains, l),
            f"nCG@{l}": m.nDCG(number, gains, 1e9, l),
            f"ntcir:ERR@{l}": err,
            f"RBP(p={p})@{l:05}": rbp,
        }
    if "p" not in o:  # the defaults of NTCIREVAL, not written out
        peers |= {
            "ntcir:RBP": m.RBP(number, gains, 0.95),
            "ntcir:Q": m.QMeasure(number, gains, 1.0),
            "ntcir:nDCG@0010": m.nDCG(number, gains, 2.0, 10),
            "ntcir:NCUgu,P": m.NCUguP(number, gains, gains),
            "ntcir:NCUgu,BR": m.NCUguBR(number, gains, gains, 1.0),
            "ntcir:NCUrb,P": m.NCUrbP(number, gains, 0.95),
            "ntcir:NCUrb,BR": m.NCUrbBR(number, gains, 0.95, 1.0),
            "O-measure": m.OMeasure(number, gains, 1.0),
            "P-measure": m.PMeasure(number, gains, 1.0),
            "P-plus": m.PPlusMeasure(number, gains, 1.0),
        }
    found = {name: float(peer.compute(labelled)) for name, peer in peers.items()}
    best = {"O-measure": m.OMeasure, "P-measure": m.PMeasure, "P-plus": m.PPlusMeasure}
    for l in NTCIR_CUTOFFS:  # the best item of the top l: it has to be given no more than that
        for name, metric in best.items():
            at = metric(number, gains, beta).compute(labelled[:l])
            found[f"ntcir:{name}(beta={beta})@{l}"] = float(at)
    return found | ntcireval_parts(labelled, number, gains, p, beta)


def ntcireval_parts(
    labelled: list[Any], number: list[int], gains: list[float], p: float, beta: float
) -> dict[str, float]:
    """Measures it does not name but has the parts of.

    Its blended ratio under a stopping distribution of ours; a metric of the ideal list.
    """
    from pyNTCIREVAL import metrics as m
    from pyNTCIREVAL.metrics.ncu import NCU

    ideal = m.MSnDCG(number, gains, None).get_ideal_ranked_list()
    R = sum(number[1:])

    def stopping_at(rank: int) -> Any:
        return NCU(number, gains, beta, lambda self, i: float(i + 1 == rank))

    def satisfied(self: Any, i: int) -> float:
        left = math.prod(1.0 - self._err_grade(k) for k in range(i))
        found: float = self._err_grade(i) * left
        return found

    def at(l: int) -> list[Any]:
        return labelled[:l] + [("nothing", None)] * (l - len(labelled))

    ebr, rbp = NCU(number, gains, beta, satisfied), m.RBP(number, gains, p)
    found = {
        f"Rmeasure(beta={beta})": stopping_at(R).compute(at(R)),
        f"BR(beta={beta})": stopping_at(len(labelled)).compute(labelled),
    }
    for l in (1, 5, 20):
        found |= {
            f"BR(beta={beta})@{l}": stopping_at(l).compute(at(l)),
            f"ntcir:EBR(beta={beta})@{l}": ebr.compute(labelled[:l]),
            f"ntcir:nEBR(beta={beta})@{l}": ebr.compute(labelled[:l]) / ebr.compute(ideal[:l]),
            f"ntcir:nRBP(p={p})@{l}": rbp.compute(labelled[:l]) / rbp.compute(ideal[:l]),
        }
    return {name: float(x) for name, x in found.items()}


@pytest.mark.parametrize(
    ("gains", "options", "count"),
    [
        pytest.param([1, 2, 3], {}, 6, id="1:2:3"),
        pytest.param([1, 2, 3], {"condensed": True}, 16, id="condensed"),
        pytest.param([1, 3, 7], {"p": 0.8, "beta": 10.0, "b": 10.0}, 3, id="1:3:7"),
        pytest.param([1, 3, 7], {"stops": [3, 1, 0.5], "gamma": 0.5}, 3, id="stop values"),
        pytest.param([1, 2, 2], {"stops": [0.25, 1, 5], "gamma": 1.0}, 3, id="1:2:2"),
        pytest.param([2, 5, 5], {"p": 0.5, "beta": 0.0, "b": math.e}, 3, id="2:5:5"),
        pytest.param([0.5, 0.75, 4], {"p": 0.99, "beta": 0.1, "b": 3.0}, 3, id="0.5:0.75:4"),
        pytest.param([1, 2, 3, 4], {}, 3, id="a level that nobody has"),
    ],
)
def test_pyntcireval(gains: list[float], options: dict[str, Any], count: int) -> None:
    """Lists in their own order, through its Python classes, to full precision."""
    lists = compared_with_ntcireval(40 + len(gains), gains, options, count)
    assert lists > 40 * examples(count)


@checks(*ntcireval({"a": 1}, ["a"], [1.0]), against="pyNTCIREVAL")
def test_pyntcireval_with_random_gains() -> None:
    rng, lists = np.random.default_rng(48), 0
    for seed in range(480, 490):
        gains = np.cumsum(rng.exponential(size=3)).tolist()
        options = {
            "p": rng.uniform(0.05, 0.99),
            "beta": rng.exponential(3),
            "b": rng.uniform(1.1, 12),
            "gamma": rng.uniform(0.05, 1),
            "stops": rng.exponential(size=3).tolist(),
        }
        lists += compared_with_ntcireval(seed, gains, options, 1)
    assert lists > examples(400)


def compared_with_ntcireval(seed: int, gains: list[float], options: dict[str, Any], count: int) -> int:
    """How many lists were compared."""
    lists = 0
    for c in collections(seed=seed, count=count, ties="none"):
        given = Collection(c.qrels, {t: list(docs) for t, docs in c.run.items()})  # type: ignore[misc]
        # pyNTCIREVAL divides by R, and takes the highest level of a list that may not be empty.
        topics = [
            t
            for t in c.answered
            if max(c.qrels[t].values()) > 0 and (not options.get("condensed") or c.qrels[t].keys() & c.run[t].keys())
        ]
        theirs = {t: ntcireval(c.qrels[t], list(given.run[t]), gains, **options) for t in topics}
        names = {name: name for name in theirs[topics[0]]}
        settings = {"condensed": True} if options.get("condensed") else {}
        ours = values(given, names, gains=":".join(map(str, gains)), **settings)
        assert_agree(given, ours, theirs, names, 1e-12)
        lists += len(theirs)
    return lists
