"""C/W/L: the seed's tables, a second writing of every model, and users' own models."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli.main import main
from cranfield.measures import models
from cranfield.measures.base import MEASUREMENTS, READINGS, REGISTRY
from cranfield.measures.cwl import UserModel, Walk
from tests.evidence import checks
from tests.made import examples

Row = list[float]
Gains = list[float | None]


def model(text: str) -> Any:
    """A user model by its name in the grammar."""
    return cf.parse_measure(text).EU


def five(walk: Walk) -> Row:
    return [getattr(walk, name) for name in MEASUREMENTS]


def close(found: Any, expected: Any) -> bool:
    """The same but for rounding."""
    return bool(np.allclose(found, expected, rtol=1e-9, atol=1e-12))


# -- the tables of the seed -------------------------------------------------------------------

GAINS = {
    "T1": [0.0, 0.0, 0.2, 0.4, 1.0, 0.2, 0.0, 0.0, 1.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0],
    "T2": [1.0, 0.0, 1.0, 0.4, 0.0, 0.2, 0.0, 0.0, 1.0, 0.2, 0.0, 0.4, 0.0, 0.0, 0.0],
}
COSTS = {
    "T1": [1.2, 0.6, 0.4, 0.6, 3.6, 1.6, 0.6, 2.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 1.8],
    "T2": [3.2, 1.6, 1.4, 0.6, 3.6, 1.6, 0.6, 1.6, 2.6, 0.2, 1.2, 0.2, 0.2, 0.6, 1.8],
}
# EU, ETU, EC, ETC and ED of T1 (seed 004); the parameters are those of errata.md.
BPM_DYNAMIC = "BPMD(T=2, K=10, hb=0.5, hc=0.5)"
FORAGING = "IFT(T=2, b1=0.25, R1=10, A=0.2, b2=0.25, R2=10)"
TABLE_1 = {
    "AP": "0.2722 1.6000 1.0000 5.8776 5.8776",
    "RR": "0.0667 0.2000 1.0000 3.0000 3.0000",
    "P@5": "0.3200 1.6000 1.0000 5.0000 5.0000",
    "SDCG@10": "0.2270 1.0314 1.0000 4.5436 4.5436",
    "INST(T=2)": "0.1545 0.6069 1.0000 3.9220 3.9292",
    "TBG(halflife=2)": "0.1752 0.5981 1.0000 3.4142 3.4142",
    BPM_DYNAMIC: "0.3200 1.6000 1.0000 5.0000 5.0000",
    FORAGING: "0.0659 0.1097 1.0000 1.6649 1.6649",
}
TABLE_2 = {
    "AP": "0.2722 1.6000 1.1681 6.8653 5.8776",
    "RR": "0.0667 0.2000 0.7333 2.2000 3.0000",
    "P@5": "0.3200 1.6000 1.2800 6.4000 5.0000",
    "SDCG@10": "0.2270 1.0314 1.1827 5.3738 4.5436",
    "RBP(p=0.6)": "0.1287 0.3218 1.0208 2.5520 2.5000",
    "TBG(halflife=2)": "0.2143 0.7195 1.1513 3.8663 3.3582",
    BPM_DYNAMIC: "0.3200 1.6000 1.2800 6.4000 5.0000",
    FORAGING: "0.0748 0.1269 1.0857 1.8412 1.6959",
}
TABLES = pytest.mark.parametrize(("table", "costs"), [(TABLE_1, None), (TABLE_2, COSTS)], ids=["unit costs", "costs"])


def printed(values: Row) -> str:
    return " ".join(f"{x:.4f}" for x in values)


def by_document(lists: dict[str, Row]) -> dict[str, dict[str, float]]:
    """{topic: {document: number}}; documents are named by their ranks."""
    return {t: {f"d{i:02}": x for i, x in enumerate(row, 1)} for t, row in lists.items()}


SEED_RUN = {t: [f"d{i:02}" for i in range(1, 16)] for t in GAINS}


class TestTables:
    @TABLES
    def test_of_lists(self, table: dict[str, str], costs: dict[str, Row] | None) -> None:
        given_costs = costs and costs["T1"]
        found = {name: model(name).walk(GAINS["T1"], given_costs) for name in table}
        assert {name: printed(five(walk)) for name, walk in found.items()} == table

    @checks(*TABLE_1, *TABLE_2, against="Azzopardi et al. 2019")
    @TABLES
    def test_of_dicts(self, table: dict[str, str], costs: dict[str, Row] | None) -> None:
        known = costs and by_document(costs)
        scores = cf.evaluate(by_document(GAINS), SEED_RUN, list(table), measurements=True, costs=known)
        found = {
            name: printed([scores["run", "T1", f"{name}.{kind}"] for kind in MEASUREMENTS])
            for name in {m.rpartition(".")[0]: None for m in scores.measures}
        }
        assert {str(cf.parse_measure(name)): row for name, row in table.items()} == found

    @TABLES
    def test_on_the_command_line(
        self,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        table: dict[str, str],
        costs: dict[str, Row] | None,
    ) -> None:
        """Types stand in the second column of the run, and tell the costs."""
        qrels, run, types = (str(tmp_path / name) for name in ("qrels", "run", "types"))
        judged = [(t, d, g) for t, docs in by_document(GAINS).items() for d, g in docs.items()]
        Path(qrels).write_text("".join(f"{t} 0 {d} {g}\n" for t, d, g in judged))
        lines = [
            f"{t} type{COSTS[t][i]} {d} {i + 1} {100 - i} cwl\n"
            for t, docs in SEED_RUN.items()
            for i, d in enumerate(docs)
        ]
        Path(run).write_text("".join(lines))
        kinds = sorted({c for row in COSTS.values() for c in row})
        Path(types).write_text("".join(f"type{c} {c}\n" for c in kinds))
        options = ["--costs", types] if costs else []
        wanted = " ".join(table)
        assert main(["evaluate", qrels, run, "-m", wanted, "--measurements", "-q", "-f", "tsv",
                     *options]) == 0  # fmt: skip
        rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
        of_t1 = {measure: float(value) for _, topic, measure, value in rows if topic == "T1"}
        names = [str(cf.parse_measure(name)) for name in table]
        assert list(of_t1) == [f"{name}.{kind}" for name in names for kind in MEASUREMENTS]
        found = [printed([of_t1[f"{name}.{kind}"] for kind in MEASUREMENTS]) for name in names]
        assert found == list(table.values())

    @TABLES
    def test_the_tools_own_dynamic_bpm(self, table: dict[str, str], costs: dict[str, Row] | None) -> None:
        """The budget never binds in the example: whether K changes does not show."""
        tools = cf.BPMD(T=2, K=10, hb=0.5, hc=0.5, update_K=False)
        walk = tools.walk(GAINS["T1"], costs and costs["T1"])
        assert printed(five(walk)) == table[BPM_DYNAMIC]

    def test_totals_that_keep_the_identity(self) -> None:
        """Table 1's INST loses the users beyond rank 1000: 1000 times their share of cost."""
        by_L = cf.INST(T=2).walk(GAINS["T1"])
        by_W = cf.INST(T=2, totals="W").walk(GAINS["T1"])
        assert f"{by_W.ETC:.4f}" == "3.9292"
        assert close(by_W.ETC - by_L.ETC, 1000 * (1 - by_L.L.sum()))


# -- a second writing -------------------------------------------------------------------------
# From the table of the specification, with loops. Lists are 0-based: rank i stands at i - 1.
# That nobody goes beyond a cutoff k is said once, in `by_hand`; the k of P is n without one.


@dataclass(frozen=True)
class Seen:
    """What a user sees down to rank n: gains, costs, and how much there is to find."""

    g: Row
    c: Row
    R: int

    @property
    def n(self) -> int:
        return len(self.g)

    @property
    def ranks(self) -> range:
        return range(1, self.n + 1)

    @property
    def gamma(self) -> Row:
        return list(accumulate(self.g))

    @property
    def kappa(self) -> Row:
        return list(accumulate(self.c))


Naive = Callable[..., Row]


def p(x: Seen) -> Row:
    return [1.0 if i < x.n else 0.0 for i in x.ranks]


def rr(x: Seen) -> Row:
    return [0.0 if any(g > 0 for g in x.g[:i]) else 1.0 for i in x.ranks]


def ap(x: Seen) -> Row:
    found = []
    for i in x.ranks:
        rest = [x.g[j - 1] / j for j in range(i, x.n + 1)]
        found.append(math.fsum(rest[1:]) / math.fsum(rest) if math.fsum(rest) > 0 else 0.0)
    return found


def sdcg(x: Seen) -> Row:
    return [math.log2(i + 1) / math.log2(i + 2) for i in x.ranks]


def rbp(x: Seen, p: float) -> Row:
    return [p for _ in x.ranks]


def npv(x: Seen, rate: float) -> Row:
    return [1 / (1 + rate) for _ in x.ranks]


def insq(x: Seen, T: float) -> Row:
    return [((i + 2 * T - 1) / (i + 2 * T)) ** 2 for i in x.ranks]


def inst(x: Seen, T: float) -> Row:
    depth = [i + T + (T - gamma) for i, gamma in zip(x.ranks, x.gamma, strict=True)]
    return [((d - 1) / d) ** 2 for d in depth]


def set_(x: Seen, beta: float) -> Row:
    w = {i: (i + 1) ** beta - i**beta for i in range(1, x.n + 2)}
    return [w[i + 1] / w[i] for i in x.ranks]


def bpm(x: Seen, T: float, K: float) -> Row:
    pairs = zip(x.gamma, x.kappa, strict=True)
    return [1.0 if gamma < T and kappa < K else 0.0 for gamma, kappa in pairs]


def bpmd(x: Seen, T: float, K: float, hb: float, hc: float, gain_med: float, update_K: bool) -> Row:
    found = []
    for g, gamma, kappa in zip(x.g, x.gamma, x.kappa, strict=True):
        found.append(1.0 if gamma < T and kappa < K else 0.0)
        T += hb * (g - gain_med)
        K += hc * (g - gain_med) if update_K else 0.0
    return found


def ift_goal(x: Seen, T: float, b1: float, R1: float) -> Row:
    return [1 - 1 / (1 + b1 * math.exp((T - gamma) * R1)) for gamma in x.gamma]


def ift_rate(x: Seen, A: float, b2: float, R2: float) -> Row:
    rates = [gamma / kappa for gamma, kappa in zip(x.gamma, x.kappa, strict=True)]
    return [1 / (1 + b2 * math.exp((A - rate) * R2)) for rate in rates]


def ift(x: Seen, T: float, b1: float, R1: float, A: float, b2: float, R2: float) -> Row:
    both = zip(ift_goal(x, T, b1, R1), ift_rate(x, A, b2, R2), strict=True)
    return [c1 * c2 for c1, c2 in both]


def nerr8(x: Seen) -> Row:
    return [1 - g for g in x.g]


def nerr9(x: Seen) -> Row:
    return [i / (i + 1) * (1 - g) for i, g in zip(x.ranks, x.g, strict=True)]


def nerr10(x: Seen, phi: float) -> Row:
    return [phi * (1 - g) for g in x.g]


def nerr11(x: Seen, T: float) -> Row:
    return [c * (1 - g) for c, g in zip(insq(x, T), x.g, strict=True)]


def tbg(x: Seen, halflife: float) -> Row:
    before = [0.0, *x.kappa[:-1]]
    return [2 ** (-kappa / halflife) for kappa in before]


def u(x: Seen, L: float, end: bool, position: str) -> Row:
    read = [0.0, *x.kappa[:-1]] if position == "start" else x.kappa
    found = [max(0.0, 1 - kappa / L) for kappa in read]
    return found if end or x.n == 1 else [*found[:-1], 0.0]


def trap(x: Seen) -> Row:
    found = []
    for i, gamma, kappa in zip(x.ranks, x.gamma, x.kappa, strict=True):
        nothing_yet = gamma == 0 and (i < x.n or x.n == 1)  # cwl_eval's loop ends before n
        found.append((1.0 if nothing_yet else gamma) / kappa / max(x.R, 1))
    return found


BY_W: dict[str, Naive] = {"TBG": tbg, "U": u, "TrAP": trap}
BY_C: dict[str, Naive] = {
    "P": p, "RR": rr, "AP": ap, "SDCG": sdcg, "RBP": rbp, "NPV": npv, "INSQ": insq, "INST": inst,
    "SET": set_, "BPM": bpm, "BPMD": bpmd, "IFTGoal": ift_goal, "IFTRate": ift_rate, "IFT": ift,
    "NERR8": nerr8, "NERR9": nerr9, "NERR10": nerr10, "NERR11": nerr11,
}  # fmt: skip
NAMES = [*BY_C, *BY_W]


def cls_of(name: str) -> type[UserModel]:
    found: type[UserModel] = getattr(models, name)
    return found


def by_hand(name: str, x: Seen, parameters: dict[str, Any], cut: bool, totals: str) -> dict[str, Any]:
    """C, V, W, L and the five measurements of a model, from its line in the specification."""
    if name in BY_W:  # they give W, and the list ends their reading
        weight = BY_W[name](x, **parameters)
        V = [w / weight[0] for w in weight]
        C = [after / v if v > 0 else 0.0 for v, after in zip(V, [*V[1:], 0.0], strict=True)]
        whole = 1.0 if name == "TrAP" else math.fsum(weight)  # which is not made to sum to 1
        W = [w / whole for w in weight]
    else:
        C = BY_C[name](x, **parameters)
        if cut:
            C[-1] = 0.0
        V = [1.0]
        for c in C[:-1]:
            V.append(V[-1] * c)
        W = [v / math.fsum(V) for v in V]
    L = [v * (1 - c) for v, c in zip(V, C, strict=True)]
    found: dict[str, Any] = {"C": C, "V": V, "W": W, "L": L}
    for name_of, weights, values in (
        ("EU", W, x.g), ("ETU", L, x.gamma), ("EC", W, x.c), ("ETC", L, x.kappa),
    ):  # fmt: skip
        found[name_of] = math.fsum(w * value for w, value in zip(weights, values, strict=True))
    found["ED"] = 1 / W[0]
    if totals == "W":
        found |= {"ETU": found["EU"] * found["ED"], "ETC": found["EC"] * found["ED"]}
    return found


def hundredths(low: int, high: int) -> st.SearchStrategy[float]:
    return st.integers(low, high).map(lambda x: x / 100)


a_gain = st.one_of(st.just(0.0), st.just(1.0), hundredths(0, 100))
a_cost = hundredths(1, 500)
PARAMETERS: dict[str, st.SearchStrategy[Any]] = {
    "p": hundredths(1, 99), "phi": hundredths(1, 99), "beta": hundredths(1, 100),
    "rate": hundredths(1, 300), "T": hundredths(25, 500), "K": hundredths(1, 1500),
    "hb": hundredths(-200, 200), "hc": hundredths(-200, 200), "gain_med": hundredths(0, 100),
    "update_K": st.booleans(), "b1": hundredths(0, 200), "b2": hundredths(0, 200),
    "R1": hundredths(0, 1000), "R2": hundredths(0, 1000), "A": hundredths(0, 100),
    "halflife": hundredths(50, 5000), "L": hundredths(1, 10000), "end": st.booleans(),
    "position": st.sampled_from(["start", "end"]),
}  # fmt: skip


def own_parameters(name: str) -> list[str]:
    """The parameters that only this model has."""
    shared = {f.name for f in UserModel.list_parameters()}
    return [f.name for f in cls_of(name).list_parameters() if f.name not in shared]


def parameters_of(name: str) -> st.SearchStrategy[dict[str, Any]]:
    drawn = st.fixed_dictionaries({key: PARAMETERS[key] for key in own_parameters(name)})
    # An item that ends beyond L is seen by nobody: the first one may not (costs are 5 at most).
    return drawn.filter(lambda x: x.get("position") != "end" or x["L"] > 5)


@st.composite
def limits(draw: st.DrawFn) -> dict[str, Any]:
    """The parameters that all models have."""
    min_gain, max_gain = sorted(draw(st.tuples(a_gain, a_gain)))
    min_cost, max_cost = sorted(draw(st.tuples(a_cost, a_cost)))
    return {
        "n": draw(st.integers(1, 25)), "totals": draw(st.sampled_from(["L", "W"])),
        "min_gain": min_gain, "max_gain": max_gain, "min_cost": min_cost, "max_cost": max_cost,
    }  # fmt: skip


lists = st.lists(st.tuples(st.none() | a_gain, st.none() | a_cost), max_size=15)
cutoffs = st.none() | st.integers(1, 12)


def seen(gains: Gains, costs: Gains, limits: dict[str, Any], depth: int, best: bool, R: int) -> Seen:
    """A list as a user sees it with all that is not known at its worst, or at its best."""
    beyond = [None] * depth
    g_unknown, c_unknown = (
        (limits["max_gain"], limits["min_cost"]) if best else (limits["min_gain"], limits["max_cost"])
    )
    g = [g_unknown if x is None else x for x in [*gains, *beyond][:depth]]
    c = [c_unknown if x is None else x for x in [*costs, *beyond][:depth]]
    return Seen(g, c, max(R, sum(x > 0 for x in g)) if best else R)  # at best, what is unjudged too


class TestSecondWriting:
    def test_every_model_has_one(self) -> None:
        known = {c.__name__ for c in [*REGISTRY.values(), *READINGS.values()]
                 if c.__module__ == models.__name__}  # fmt: skip
        assert known == {*NAMES, "NCU"}  # NCU is compared with its measures, below

    @pytest.mark.parametrize("name", NAMES)
    @given(data=st.data(), items=lists, limits=limits(), cutoff=cutoffs, best=st.booleans())
    @settings(max_examples=examples(30))
    def test_walks(
        self,
        name: str,
        data: st.DataObject,
        items: list[tuple[float | None, float | None]],
        limits: dict[str, Any],
        cutoff: int | None,
        best: bool,
    ) -> None:
        parameters = data.draw(parameters_of(name))
        gains, costs = [g for g, _ in items], [c for _, c in items]
        judged = [*(g for g in gains if g is not None), *data.draw(st.lists(a_gain, max_size=3))]
        R = sum(g > 0 for g in judged)
        m = cls_of(name)(**parameters, **limits)
        m = m if cutoff is None else m @ cutoff
        x = seen(gains, costs, limits, cutoff or limits["n"], best, R)
        expected = by_hand(name, x, parameters, cutoff is not None, limits["totals"])
        walk = m.walk(gains, costs, judged, best=best)
        for key, value in expected.items():
            assert close(getattr(walk, key), value), key

    @checks(*(f"{name}.EU" for name in NAMES), against="second writing")
    @given(data=st.data())  # shrinking so much data would take minutes
    @settings(max_examples=examples(25), phases=[Phase.generate])
    def test_evaluation_of_all_and_bounds(self, data: st.DataObject) -> None:
        """All models, all measurements, both bounds, for several topics at once."""
        collection = data.draw(st.lists(st.tuples(lists, st.lists(a_gain, max_size=3)),
                                        min_size=1, max_size=4))  # fmt: skip
        qrels: dict[str, dict[str, float]] = {}
        run: dict[str, list[str]] = {}
        costs: dict[str, dict[str, float]] = {}
        for t, (items, elsewhere) in enumerate(collection):
            judged = {f"d{i}": g for i, (g, _) in enumerate(items) if g is not None}
            qrels[f"t{t}"] = judged | {f"e{i}": g for i, g in enumerate(elsewhere)} | {"zero": 0.0}
            run[f"t{t}"] = [f"d{i}" for i in range(len(items))]
            costs[f"t{t}"] = {f"d{i}": c or 1.0 for i, (_, c) in enumerate(items)}
        assume(any(run.values()))
        settings = {name: data.draw(parameters_of(name)) for name in NAMES}
        shared = data.draw(limits())
        asked = [cls_of(name)(**settings[name], **shared) for name in NAMES]
        given_costs = {t: c for t, c in costs.items() if c}
        scores = cf.evaluate(qrels, run, asked, costs=given_costs, measurements=True, residuals=True)
        for topic, docs in run.items():
            gains: Gains = [qrels[topic].get(d) for d in docs]
            own = [costs[topic][d] for d in docs]
            R = sum(g > 0 for g in qrels[topic].values())
            for name, m in zip(NAMES, asked, strict=True):
                worst, best = (
                    by_hand(name, seen(gains, [*own], shared, shared["n"], at_best, R),
                            settings[name], False, shared["totals"])
                    for at_best in (False, True)
                )  # fmt: skip
                for kind in MEASUREMENTS:
                    column = f"{m}.{kind}"
                    expected = [worst[kind], *sorted((worst[kind], best[kind]))]
                    columns = (column, f"{column}.lower", f"{column}.upper")
                    found = [scores["run", topic, x] for x in columns]
                    assert close(found, expected), column

    @pytest.mark.parametrize(
        ("gain", "K", "update_K", "depth"),
        [
            (1.0, 2.0, True, 3),  # K is 2, 2.5, 3: reached by a cost of 3
            (1.0, 2.0, False, 2),
            (0.0, 4.0, True, 3),  # K is 4, 3.5, 3
            (0.0, 4.0, False, 4),
        ],
    )
    def test_a_budget_that_changes(self, gain: float, K: float, update_K: bool, depth: int) -> None:
        m = cf.BPMD(T=100, K=K, hb=0, hc=1, update_K=update_K)
        assert m.ED([gain] * 10) == depth


# -- relations --------------------------------------------------------------------------------

SETTINGS: dict[str, dict[str, Any]] = {
    "BPM": {"T": 1.0, "K": 12.0}, "BPMD": {"T": 1.0, "K": 12.0}, "U": {"L": 30.0},
    "TBG": {"halflife": 5.0},
}  # fmt: skip
binary = st.lists(st.sampled_from([0.0, 1.0, None]), min_size=1, max_size=15)
graded = st.lists(st.none() | a_gain, min_size=1, max_size=15)
few = settings(max_examples=examples(25))


def usual(name: str, **shared: Any) -> UserModel:
    return cls_of(name)(**SETTINGS.get(name, {}), **shared)


def costs_for(data: st.DataObject, gains: Gains) -> Row:
    return data.draw(st.lists(a_cost, min_size=len(gains), max_size=len(gains)))


def test_BPMD_as_it_is_unless_told() -> None:
    """T falls from 1 by the 0.25 that each gain is below 0.5; at 0.5, 0.75 are found."""
    assert models.BPMD().ED([0.25] * 8) == 3


def test_TrAP_of_a_list_without_a_gain() -> None:
    """γ counts as 1 before the first gain, but at the last rank, where cwl_eval's loop ends."""
    assert models.TrAP(n=3).walk([0, 0, 0], judged=[1, 0]).W.tolist() == [1, 0.5, 0]


class TestRelations:
    @pytest.mark.parametrize("name", [name for name in NAMES if name != "TrAP"])
    @given(gains=graded, data=st.data())
    @few
    def test_of_the_functions(self, name: str, gains: Gains, data: st.DataObject) -> None:
        walk = usual(name, n=20).walk(gains, costs_for(data, gains))
        assert close(walk.W.sum(), 1)
        assert walk.V[0] == 1
        assert (np.diff(walk.V) <= 0).all()
        assert (walk.L >= 0).all()
        assert walk.L.sum() <= 1 + 1e-12
        assert close(walk.V[1:], walk.V[:-1] * walk.C[:-1])
        assert close(walk.L, walk.V * (1 - walk.C))

    @pytest.mark.parametrize("name", NAMES)
    @given(gains=graded, data=st.data())
    @few
    def test_totals_are_rates_times_depth(self, name: str, gains: Gains, data: st.DataObject) -> None:
        costs = costs_for(data, gains)
        walk = usual(name, n=20, totals="W").walk(gains, costs, gains)
        assert close([walk.ETU, walk.ETC], [walk.EU * walk.ED, walk.EC * walk.ED])
        if name == "TrAP":
            return  # its W does not sum to 1
        cut = (usual(name) @ 20).walk(gains, costs)  # nobody goes beyond the cutoff
        assert close(cut.L.sum(), 1)
        assert close([cut.ETU, cut.ETC], [cut.EU * cut.ED, cut.EC * cut.ED])
        unit = (usual(name) @ 20).walk(gains)
        assert close(unit.ETC, unit.ED)

    @given(gains=graded, rate=hundredths(1, 500), data=st.data())
    @few
    def test_npv_is_rbp(self, gains: Gains, rate: float, data: st.DataObject) -> None:
        costs = costs_for(data, gains)
        one, other = cf.NPV(rate=rate), models.RBP(p=1 / (1 + rate))
        assert close(five(one.walk(gains, costs)), five(other.walk(gains, costs)))

    @given(gains=graded, h=hundredths(10, 5000))
    @few
    def test_tbg_with_unit_costs_is_rbp(self, gains: Gains, h: float) -> None:
        """But that the users who would go beyond n stop there, with all there is."""
        one = models.TBG(halflife=h, n=20).walk(gains)
        other = models.RBP(p=2 ** (-1 / h), n=20).walk(gains)
        beyond = other.V[-1] * other.C[-1]
        assert close(one.W, other.W)
        assert close([one.EU, one.EC, one.ED], [other.EU, other.EC, other.ED])
        everything = sum(g or 0.0 for g in gains)
        assert close([one.ETU - other.ETU, one.ETC - other.ETC], [beyond * everything, beyond * 20])

    @given(gains=graded, k=st.integers(1, 20), data=st.data())
    @few
    def test_set_without_diminishing_returns_is_p(self, gains: Gains, k: int, data: st.DataObject) -> None:
        costs = costs_for(data, gains)
        one, other = cf.SET(beta=1) @ k, models.P @ k
        assert close(five(one.walk(gains, costs)), five(other.walk(gains, costs)))

    @given(gains=graded, data=st.data())
    @few
    def test_bpm_for_anything_is_rr(self, gains: Gains, data: st.DataObject) -> None:
        costs = costs_for(data, gains)
        one, other = cf.BPM(T=0.01, K=1e6).walk(gains, costs), models.RR().walk(gains, costs)
        assert five(one) == five(other)

    @given(gains=graded, k=st.integers(1, 20))
    @few
    def test_scaled_dcg(self, gains: Gains, k: int) -> None:
        """V(i) = 1/log2(i + 1): ETU is DCG, EU is DCG over the sum of the discounts."""
        DCG = (cf.DCG @ k)(gains)
        assert close((cf.SDCG @ k).ETU(gains), DCG)
        weights = math.fsum(1 / math.log2(i + 1) for i in range(1, k + 1))
        assert close((cf.SDCG @ k).EU(gains), DCG / weights)

    @given(gains=binary, k=st.integers(1, 20))
    @few
    def test_binary_gains(self, gains: Gains, k: int) -> None:
        assert close(models.RR()(gains), cf.RR()(gains))
        assert close((models.P @ k)(gains), (cf.P @ k)(gains))
        assert close(models.RBP(p=0.7)(gains), cf.RBP(p=0.7, rel=1)(gains))

    @given(gains=binary, missed=st.integers(0, 3))
    @few
    def test_ap(self, gains: Gains, missed: int) -> None:
        """With G(i) = Σ_{j≥i} g(j)/j, V(i) is G(i)/G(1) and ΣV is Σ_j j·g(j)/j/G(1), so EU is
        Σ_i g(i)·G(i) / Σ g. For binary gains the numerator is Σ_j g(j)/j·C(j), which is AP·R.
        ED = ΣV is Σ g / G(1).
        """
        found = sum(g == 1 for g in gains)
        judged = [g for g in gains if g is not None] + [1.0] * missed
        walk = model("AP").walk(gains, judged=judged)
        if found == 0:
            assert walk.EU == 0
            return
        assert close(walk.EU, cf.AP()(gains, judged) * (found + missed) / found)
        assert close(walk.ED, found / sum(1 / i for i, g in enumerate(gains, 1) if g))

    @given(gains=graded, b1=hundredths(1, 300))
    @few
    def test_foraging_without_a_goal(self, gains: Gains, b1: float) -> None:
        """Where the goal does not matter, C1 is b1/(1 + b1): RBP."""
        one, other = cf.IFTGoal(b1=b1, R1=0), models.RBP(p=b1 / (1 + b1))
        assert close(five(one.walk(gains)), five(other.walk(gains)))
        no_goal = cf.IFT(b1=b1, R1=0, A=0.3, b2=0.5, R2=4).walk(gains)
        rate_alone = cf.IFTRate(A=0.3, b2=0.5, R2=4).walk(gains)
        assert close(no_goal.C, rate_alone.C * b1 / (1 + b1))

    def test_inst_of_nothing_is_insq(self) -> None:
        """T(i) stays T as long as nothing is found."""
        nothing = [0.0] * 10
        assert close(five(cf.INST(T=2).walk(nothing)), five(cf.INSQ(T=2).walk(nothing)))


levels = st.lists(st.none() | st.integers(0, 3), min_size=1, max_size=12)


class TestNCU:
    """Pstop of a measure as L of a user."""

    @given(levels=levels, missed=st.lists(st.integers(0, 3), max_size=3))
    @few
    def test_stopping_distributions_by_hand(self, levels: list[int | None], missed: list[int]) -> None:
        judged = sorted([*(x for x in levels if x is not None), *missed], reverse=True)
        g = [x or 0 for x in levels]
        R, highest = sum(x > 0 for x in judged), max(g)
        C = list(accumulate(int(x > 0) for x in g))
        gamma_sum = sum(0.9**k for k in range(R))
        by_hand: dict[str, Row] = {key: [] for key in ("u", "gu", "rb", "r1", "rp", "to_rp", "sat")}
        unsatisfied, rp = 1.0, g.index(highest)
        for i, (x, seen_so_far) in enumerate(zip(g, C, strict=True)):
            relevant = x > 0
            by_hand["u"].append(relevant / R if R else 0.0)
            by_hand["gu"].append(x / sum(judged) if R else 0.0)
            by_hand["rb"].append(relevant * 0.9 ** (seen_so_far - 1) / gamma_sum if R else 0.0)
            by_hand["r1"].append(float(relevant and seen_so_far == 1))
            by_hand["rp"].append(float(highest > 0 and i == rp))
            by_hand["to_rp"].append(relevant / C[rp] if highest and i <= rp else 0.0)
            by_hand["sat"].append(unsatisfied * x / 4)  # g/(g_h + 1), g_h = 3
            unsatisfied *= 1 - x / 4
        for stop, expected in by_hand.items():
            m = models.NCU(stop=stop, gamma=0.9, prob="linear", max_level=3, n=15)
            walk = m.walk(levels, judged=judged)
            assert close(walk.L[: len(g)], expected), stop
            assert not walk.L[len(g) :].any(), stop
            V = [1 - math.fsum(expected[:i]) for i in range(15)]  # beyond the list too
            assert close(walk.ED, math.fsum(V)), stop

    @given(levels=levels, missed=st.lists(st.integers(0, 3), max_size=3))
    @few
    def test_measures_from_their_users(self, levels: list[int | None], missed: list[int]) -> None:
        """Σ L(i)·utility(i) is the measure: ERR and AP as expectations over the same users."""
        judged = [*(x for x in levels if x is not None), *missed]
        g = [x or 0 for x in levels]

        def L(**settings: Any) -> Row:
            found: Row = models.NCU(**settings).walk(levels, judged=judged).L[: len(g)].tolist()
            return found

        ERR = math.fsum(x / i for i, x in enumerate(L(stop="sat", prob="linear", max_level=3), 1))
        assert close(ERR, cf.ERR(prob="linear", max_level=3)(levels, judged))
        C = list(accumulate(int(x > 0) for x in g))
        AP = math.fsum(x * C[i - 1] / i for i, x in enumerate(L(stop="u"), 1))
        assert close(AP, cf.AP()(levels, judged))
        RR = math.fsum(x / i for i, x in enumerate(L(stop="r1"), 1))
        assert close(RR, cf.RR()(levels, judged))

    @given(levels=levels, data=st.data())
    @few
    def test_the_first_item_alone(self, levels: list[int | None], data: st.DataObject) -> None:
        costs = costs_for(data, [*levels])
        judged = [x for x in levels if x is not None]
        ncu = models.NCU(stop="r1").walk(levels, costs, judged)
        assert close(five(ncu), five(models.RR().walk(levels, costs, judged)))

    def test_nobody_goes_beyond_a_cutoff(self) -> None:
        """Of three users one stops at rank 1; the others at the cutoff, having found nothing."""
        walk = (models.NCU(stop="u") @ 2).walk([1, 0, 1], judged=[1, 1, 1])
        assert walk.L.tolist() == [0.5, 0.5]  # 1/min(l, R) at rank 1, the rest at rank 2
        walk = (models.NCU(stop="u") @ 3).walk([1, 0, 0, 1], judged=[1, 1, 1])
        assert close(walk.L, [1 / 3, 0, 2 / 3])


# -- users' own models ------------------------------------------------------------------------


def by_class() -> type[UserModel]:
    @cf.measure
    class Halving(cf.UserModel):
        """Goes on with probability p."""

        p: float = cf.param(0.9, "persistence", low=0, high=1)

        def C(self, x: cf.Items) -> Any:
            return np.full(x.n, self.p)

    return Halving


def by_C() -> type[UserModel]:
    @cf.user_model
    def Halving(x: cf.Items, p: float = 0.9) -> Any:
        """Goes on with probability p."""
        return np.full(x.g.shape, p)  # for each list, where the class has it for all alike

    return Halving


def by_L() -> type[UserModel]:
    @cf.user_model(gives="L")
    def Halving(x: cf.Items, p: float = 0.9) -> Any:
        """Goes on with probability p."""
        return p ** (x.i - 1) * (1 - p)

    return Halving


def by_W() -> type[UserModel]:
    @cf.user_model(gives="W")
    def Halving(x: cf.Items, p: float = 0.9) -> Any:
        """Goes on with probability p."""
        return 7 * p**x.i  # any factor will do

    return Halving


# p = 1/2 and n = 3: V = 1, 1/2, 1/4, which sum to 7/4, and L = 1/2, 1/4, 1/8; where W is given, the
# list ends the walk, and L(3) = 1/4. Gains 1, unjudged, 1/2 at worst have the sums 1, 1, 3/2, at
# best 1, 2, 5/2; costs are 1.
WORST = [9 / 14, 15 / 16, 1, 11 / 8, 7 / 4]
BEST = [13 / 14, 21 / 16, 1, 11 / 8, 7 / 4]
MORE_AT_THE_END = {
    False: [9 / 14, 9 / 8, 1, 7 / 4, 7 / 4],
    True: [13 / 14, 13 / 8, 1, 7 / 4, 7 / 4],
}
OWN = pytest.mark.parametrize("make", [by_class, by_C, by_L, by_W])
FILE = """import numpy as np
import cranfield as cf

@cf.user_model
def Halving(x, p=0.9):
    '''Goes on with probability p.'''
    return np.full(x.n, p)
"""


Make = Callable[[], Any]  # a class with parameters of its own


def expected_of(make: Make, best: bool = False) -> Row:
    if make is by_W:
        return MORE_AT_THE_END[best]
    return BEST if best else WORST


JUDGED = {"q": {"a": 1.0, "c": 0.5}}
RANKED = {"q": ["a", "b", "c"]}


@pytest.mark.usefixtures("registry")
class TestOwnModels:
    @OWN
    def test_walk(self, make: Make) -> None:
        own = make()(p=0.5, n=3)
        assert close(five(own.walk([1.0, None, 0.5])), expected_of(make))
        assert close(five(own.walk([1.0, None, 0.5], best=True)), expected_of(make, best=True))

    @OWN
    def test_grammar_and_evaluation(self, make: Make) -> None:
        make()
        scores = cf.evaluate(JUDGED, RANKED, "Halving(p=0.5, n=3)", measurements=True, residuals=True)
        names = [f"Halving(p=0.5, n=3).{kind}" for kind in MEASUREMENTS]
        assert scores.measures == tuple(n + end for n in names for end in ("", ".lower", ".upper"))
        found = scores.values[0, 0]
        assert close(found[0::3], expected_of(make))
        assert close(found[1::3], expected_of(make))
        assert close(found[2::3], expected_of(make, best=True))

    def test_nobody_need_look_at_the_last_ranks(self) -> None:
        """Attention of 0 is not above the 0 before it."""

        class Top(UserModel):
            def W(self, x: Any) -> Any:
                return x.i <= 2

        assert Top(n=4).walk([1.0, 0.5, 1.0, 1.0]).EU == 0.75

    @OWN
    def test_alone_it_is_expected_utility(self, make: Make) -> None:
        make()
        found = cf.parse_measure("halving(p=0.5, n=3)")
        assert str(found) == "Halving(p=0.5, n=3)"
        assert close(found([1.0, None, 0.5]), expected_of(make)[0])

    @OWN
    def test_explained(self, make: Make) -> None:
        own = make()
        found = cf.explain(own(p=0.5, n=3).ED, JUDGED, RANKED)
        assert found.values == {"Halving(p=0.5, n=3).ED": pytest.approx(7 / 4)}
        assert found.steps.columns == ("g", "c", "C", "W", "L")
        assert [row.doc for row in found.steps.rows] == ["a", "b", "c"]
        last = 1 / 4 if make is by_W else 1 / 8
        stops = [row.values[found.steps.columns.index("L")] for row in found.steps.rows]
        assert close(stops, [1 / 2, 1 / 4, last])
        assert close(list(found.steps.totals.values()), expected_of(make))

    @OWN
    def test_cut(self, make: Make) -> None:
        """At a cutoff of 2 half of the users stop at each rank: ED is 3/2."""
        walk = (make()(p=0.5) @ 2).walk([1.0, None, 0.5])
        assert close(walk.L, [0.5, 0.5])
        assert close(five(walk), [2 / 3, 1, 1, 3 / 2, 3 / 2])

    def test_imported(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        files = [str(tmp_path / name) for name in ("own.py", "qrels", "run")]
        Path(files[0]).write_text(FILE)
        Path(files[1]).write_text("q 0 a 1\nq 0 c 0.5\n")
        Path(files[2]).write_text("q Q0 a 1 3 own\nq Q0 b 2 2 own\nq Q0 c 3 1 own\n")
        asked = ["-m", "Halving(p=0.5, n=3)", "--import", files[0]]
        assert main(["evaluate", *files[1:], *asked, "--measurements", "-f", "tsv"]) == 0
        _, *rows = (line.split("\t") for line in capsys.readouterr().out.splitlines())
        assert close([float(value) for *_, value in rows], WORST)
        assert main(["explain", "Halving(p=0.5, n=3).ED", "--on", *files[1:], *asked[2:]]) == 0
        assert "Halving(p=0.5, n=3).ED = 1.7500" in capsys.readouterr().out
        assert main(["measures", "Halving", *asked[2:]]) == 0
        assert "Goes on with probability p." in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("gives", "value", "said"),
        [
            ("C", lambda x: np.ones(3), "C has shape (3,), expected 4 ranks"),
            ("C", lambda x: 0.5, "C has shape (), expected 4 ranks"),
            (
                "C",
                lambda x: np.full(x.n, 1.2),
                "found C = 1.2 at rank 1, expected a number in [0, 1]",
            ),
            ("C", lambda x: -x.i / 9, "found C = -0.111111 at rank 1, expected a number in [0, 1]"),
            ("C", lambda x: np.where(x.i == 2, np.nan, 0.5), "found C = nan at rank 2"),
            ("L", lambda x: np.full(x.n, -0.1), "found L = -0.1 at rank 1"),
            ("L", lambda x: np.full(x.n, 0.4), "found L = 0.4 at rank 3, expected"),
            ("W", lambda x: x.i - 1, "found W = 0 at rank 1"),
            ("W", lambda x: 5 + x.i, "found W = 7 at rank 2"),
            ("W", lambda x: 3 - x.i, "found W = -1 at rank 4"),
            ("W", lambda x: np.where(x.i == 3, np.inf, 1.0), "found W = inf at rank 3"),
        ],
    )
    def test_what_cannot_be(self, gives: Any, value: Callable[[Any], Any], said: str) -> None:
        @cf.user_model(gives=gives)
        def Odd(x: cf.Items) -> Any:
            return value(x)

        with pytest.raises(cf.CranfieldError) as error:
            Odd(n=4).walk([1.0])
        assert str(error.value).startswith("Odd(n=4): ")
        assert said in str(error.value)

    def test_nothing_given(self) -> None:
        @cf.measure
        class Silent(cf.UserModel):
            """Says nothing."""

        with pytest.raises(cf.CranfieldError, match=r"Silent defines no C\(self, x\), W\(self, x\) or last"):
            Silent().walk([1.0])

    def test_parameters_need_defaults(self) -> None:
        def Needy(x: cf.Items, p: float) -> Any:
            return np.full(x.n, p)

        with pytest.raises(cf.CranfieldError, match="parameter 'p' has no default"):
            cf.user_model(Needy)

    def test_names_of_ours_are_taken(self) -> None:
        def INST(x: cf.Items) -> Any:
            return x.i * 0

        with pytest.raises(cf.CranfieldError, match="INST is a built-in measure"):
            cf.user_model(INST)

    def test_gives_something_else(self) -> None:
        with pytest.raises(cf.CranfieldError, match="gives must be C, W or L, found 'V'"):
            cf.user_model(gives="V")  # type: ignore[call-overload]

    @pytest.mark.parametrize(
        ("code", "said"),
        [
            ("import cranfield as cf\n\ndef f(:\n", "own.py:3: SyntaxError: "),
            ("import cranfield\n1 / 0\n", "own.py:2: ZeroDivisionError: division by zero\n"),
            (FILE.replace("Halving", "INST"), "own.py: INST is a built-in measure"),
            (FILE.replace("p=0.9", "p"), "own.py: parameter 'p' has no default"),
        ],
    )
    @pytest.mark.parametrize("relative", [False, True])
    def test_files_that_do_not_run(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        code: str,
        said: str,
        relative: bool,
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("own.py").write_text(code)
        path = "own.py" if relative else str(tmp_path / "own.py")
        assert main(["measures", "--import", path]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(path.removesuffix("own.py") + said)
        assert len(err.splitlines()) == 1

    def test_files_that_are_not_there(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["measures", "--import", "nowhere.py"]) == 2
        assert capsys.readouterr().err == "nowhere.py: no such file\n"

    @pytest.mark.parametrize("given_as", [np.asarray, lambda L: np.broadcast_to(L, L.shape)])
    def test_what_a_model_returns_is_left_alone(self, given_as: Callable[[Any], Any]) -> None:
        """Cutting at 2 sets L(2), but not in the array that the model gave, which is x.g itself."""

        @cf.user_model(gives="L")
        def Greedy(x: cf.Items) -> Any:
            return given_as(x.g)

        walk = (Greedy @ 2).walk([0.5, 0.25])
        assert walk.gains.tolist() == [0.5, 0.25]
        assert walk.L.tolist() == [0.5, 0.5]


# -- the grammar ------------------------------------------------------------------------------


class TestGrammar:
    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("RBP(theta=0.6).EU", "RBP(p=0.6).EU"),
            ("RBP(phi=0.6).ETC", "RBP(p=0.6).ETC"),
            ("rbp(p=0.6).ED", "RBP(p=0.6).ED"),
            ("RBP(p=0.8).EU", "RBP.EU"),
            ("TBG(h=20).ETU", "TBG(halflife=20).ETU"),
            ("U(L=50).EC", "U(L=50).EC"),
            ("P(k=5).EU", "P@5.EU"),
            ("P@5.ED", "P@5.ED"),
            ("NERR8(k=4)", "NERR8@4"),
            ("NERR10(phi=0.5)", "NERR10(phi=0.5)"),
            ("DCG@10.EU", "SDCG@10.EU"),
            ("SDCG@10", "SDCG@10"),
            ("map.ED", "AP.ED"),
            ("INST(T=2.0)", "INST(T=2)"),
            ("INST(n=100, T=2).ETC", "INST(T=2, n=100).ETC"),
            ("NCU(stop=u).EU", "NCU(stop=u).EU"),
        ],
    )
    def test_names(self, text: str, name: str) -> None:
        found = cf.parse_measure(text)
        assert str(found) == name
        assert cf.parse_measure(name) == found

    @pytest.mark.parametrize("name", [*NAMES, "NCU"])
    @pytest.mark.parametrize("kind", MEASUREMENTS)
    def test_every_measurement_has_a_name(self, name: str, kind: str) -> None:
        m = getattr(usual(name), kind)
        assert str(m).endswith(f".{kind}")
        assert cf.parse_measure(str(m)) == m

    def test_bare_measures_are_not_their_readings(self) -> None:
        """RBP divides by the gain of the highest level, its user does not: 1/2·2/2 and 1/2·2."""
        qrels, run = {"q": {"a": 2}}, {"q": ["a"]}
        scores = cf.evaluate(qrels, run, "RBP(p=0.5) RBP(p=0.5).EU")
        assert scores.values.ravel() == pytest.approx([0.5, 1.0])

    def test_a_model_alone_is_expected_utility(self) -> None:
        gains = GAINS["T1"]
        assert cf.parse_measure("INST(T=2)")(gains) == cf.parse_measure("INST(T=2).EU")(gains)
        assert printed([cf.INST(T=2)(gains)]) == TABLE_1["INST(T=2)"].split()[0]

    @pytest.mark.parametrize("text", ["nDCG@10.EU", "Recall@5.ED", "GMAP.EU", "ERR.ETC"])
    def test_measures_that_are_no_user_models(self, text: str) -> None:
        name, kind = text.partition("@")[0].partition(".")[0], text[-2:]
        with pytest.raises(cf.CranfieldError, match=f"^measure '{text}': {name} .*{kind}"):
            cf.parse_measure(text)
        with pytest.raises(cf.CranfieldError, match=f"{name}.* not a user model"):
            cf.parse_measure(text.rpartition(".")[0]).to_user_model("EU")

    def test_other_measurements(self) -> None:
        with pytest.raises(cf.CranfieldError, match=r"'XU'. Valid: EU, ETU, EC, ETC, ED"):
            cf.parse_measure("INST.XU")
        with pytest.raises(cf.CranfieldError, match="AP has no measurement 'XU'"):
            cf.parse_measure("AP.XU")

    def test_parameters_that_a_reading_does_not_have(self) -> None:
        said = r"AP\(norm=R\)@10.EU: unknown parameter 'norm'. Valid for its user model: gain, rel"
        with pytest.raises(cf.CranfieldError, match=said):
            _ = (cf.AP(norm="R") @ 10).EU
        with pytest.raises(cf.CranfieldError, match="unknown parameter 'discount'"):
            cf.parse_measure("DCG(discount=jk)@10.EU")

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("RBP(p=1).EU", "p must be a number between 0 and 1, found 1"),
            ("RBP(theta=1.2).EU", "p must be a number between 0 and 1, found 1.2"),
            ("RBP(p=0).EU", "p must be a number between 0 and 1, found 0"),
            ("P@0.EU", "cutoff must be an integer ≥ 1, found 0"),
            ("P@2.5.EU", "cutoff must be an integer ≥ 1, found 2.5"),
            ("INST(T=0)", "T must be a number ≥ 0.25, found 0"),
            ("INST(T=nan)", "T must be a number ≥ 0.25, found nan"),
            ("INST(T=inf)", "T must be a number ≥ 0.25, found inf"),
            ("INSQ(T=two)", "T must be a number > 0, found two"),
            ("BPM(K=-1)", "K must be a number > 0, found -1"),
            ("BPM(T=0)", "T must be a number > 0, found 0"),
            ("IFT(b1=-1)", "b1 must be a number ≥ 0, found -1"),
            ("TBG(h=0).EU", "halflife must be a number > 0, found 0"),
            ("U(L=0).EU", "L must be a number > 0, found 0"),
            ("NPV(rate=0)", "rate must be a number > 0, found 0"),
            ("INST(n=0)", "n must be an integer in [1, 1000000], found 0"),
            ("INST(n=2.5)", "n must be an integer in [1, 1000000], found 2.5"),
            ("NERR10(phi=1)", "phi must be a number between 0 and 1, found 1"),
            ("SET(beta=0)", "beta must be a number in [1e-09, 1], found 0"),
            ("SET(beta=1.5)", "beta must be a number in [1e-09, 1], found 1.5"),
            ("INST(max_cost=2, min_cost=3)", "max_cost must be ≥ min_cost, found 2 and 3"),
            ("INST(max_cost=0.5)", "max_cost must be ≥ min_cost, found 0.5 and 1"),
            ("INST(min_cost=0)", "min_cost must be a number > 0, found 0"),
            ("INST(max_gain=-1)", "max_gain must be ≥ min_gain, found -1 and 0"),
            ("INST(totals=V)", "totals must be L or W, found V"),
            ("NCU(stop=never).EU", "stop must be u or gu or rb or r1 or rp or to_rp or sat"),
        ],
    )  # fmt: skip
    def test_values_out_of_range(self, text: str, said: str) -> None:
        with pytest.raises(cf.CranfieldError) as error:
            cf.parse_measure(text)
        assert str(error.value).startswith(f"measure {text!r}: {said}")

    def test_out_of_range_on_the_command_line(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["evaluate", "qrels", "run", "-m", "RBP(theta=1.2).EU"]) == 2
        assert "p must be a number between 0 and 1, found 1.2" in capsys.readouterr().err


# -- evaluation -------------------------------------------------------------------------------

QRELS = {"q1": {"a": 1.0, "b": 0.0, "c": 0.5}, "q2": {"d": 0.0}}
RUN = {"q1": ["a", "x", "b"], "q2": ["d"]}
BY_DOC = {"q1": {"a": 2.0, "x": 8.0, "b": 4.0}, "q2": {"d": 3.0}}


def said(scores: cf.Scores) -> list[str]:
    return [note.text for note in scores.notes]


class TestMeasurements:
    def test_models_only_and_in_order(self) -> None:
        scores = cf.evaluate(QRELS, RUN, "nDCG@10 P@2 Recall@5 INST(T=2)", measurements=True)
        of_p, of_inst = ([f"{m}.{kind}" for kind in MEASUREMENTS] for m in ("P@2", "INST(T=2)"))
        assert scores.measures == ("nDCG@10", *of_p, "Recall@5", *of_inst)

    def test_one_named_already(self) -> None:
        """A measurement stands for its model, and a column is there once."""
        scores = cf.evaluate(QRELS, RUN, "INST.ED INST", measurements=True)
        assert scores.measures == tuple(f"INST.{kind}" for kind in MEASUREMENTS)

    def test_values(self) -> None:
        """P@2 of 1 and nothing: 1/2, 1, 1, 2, 2."""
        scores = cf.evaluate(QRELS, RUN, "P@2", measurements=True)
        assert scores.values[0].tolist() == [[0.5, 1, 1, 2, 2], [0, 0, 1, 2, 2]]

    def test_which_end_is_better(self) -> None:
        scores = cf.evaluate(QRELS, RUN, "INST RBP", measurements=True, residuals=True)
        better = dict(zip(scores.measures, scores.better, strict=True))
        for name in ("INST", "RBP"):
            ends = [better[f"{name}.{kind}"] for kind in MEASUREMENTS]
            assert ends == ["higher", "higher", "neither", "neither", "neither"]
            assert better[f"{name}.EU.lower"] == better[f"{name}.EU.upper"] == "neither"

    def test_topics_without_a_relevant_document(self) -> None:
        """q2 has none: it has no utility, but users who read it."""
        asked = "P@2.EU P@2.ETU P@2.EC P@2.ETC P@2.ED"
        scores = cf.evaluate(QRELS, RUN, asked, undefined="skip", costs=BY_DOC)
        # q1: gains 1 and 0, costs 2 and 8. q2: costs 3, and 1 beyond the end.
        means = {"P@2.EU": 0.5, "P@2.ETU": 1, "P@2.EC": (5 + 2) / 2, "P@2.ETC": 7, "P@2.ED": 2}
        assert scores.summary()["run"] == means
        assert np.isnan(scores["run", "q2", "P@2.EU"])
        zero = cf.evaluate(QRELS, RUN, asked, costs=BY_DOC).summary()["run"]
        assert zero == means | {"P@2.EU": 0.25, "P@2.ETU": 0.5}

    def test_settings_that_change_nothing(self) -> None:
        scores = cf.evaluate(QRELS, RUN, "nDCG@10", measurements=True, residuals=True, costs=BY_DOC)
        unused = [text.split(":")[0] for text in said(scores) if "no effect" in text]
        assert unused == [f"{name} has no effect" for name in ("costs", "measurements", "residuals")]
        alone = cf.evaluate(QRELS, RUN, "INST", cost_unit="seconds")
        assert "cost_unit has no effect: it needs costs" in said(alone)
        used = cf.evaluate(QRELS, RUN, "INST", measurements=True, residuals=True, costs=BY_DOC)
        assert not [text for text in said(used) if "no effect" in text]

    def test_gains_beyond_one(self) -> None:
        qrels, run = {"q": {"a": 2, "b": 1}}, {"q": ["b", "a"]}
        for name in ("INST(T=2)", "NERR8@5", "NERR9@5", "NERR10", "NERR11.ED"):
            with pytest.raises(cf.CranfieldError) as error:
                cf.evaluate(qrels, run, name)
            assert str(error.value).startswith(f"{name}: gains must be in [0, 1], found 2")
        # C of 1/2: ED@2 is 1 + 1/2, and EU (1/2·1 + 1·1/2)/(3/2).
        scores = cf.evaluate(qrels, run, "NERR8@2.ED NERR8@2.EU", gains="0.5:1")
        assert scores.values.ravel() == pytest.approx([3 / 2, 2 / 3])
        with pytest.raises(cf.CranfieldError, match=r"gains must be in \[0, 1\], found -1"):
            cf.INST(gain="raw").walk([-1.0])

    def test_gains_beyond_one_on_the_command_line(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        qrels, run = str(tmp_path / "qrels"), str(tmp_path / "run")
        Path(qrels).write_text("q 0 a 2\n")
        Path(run).write_text("q Q0 a 1 1 r\n")
        assert main(["evaluate", qrels, run, "-m", "INST"]) == 2
        assert capsys.readouterr().err.startswith("INST: gains must be in [0, 1], found 2")
        assert main(["evaluate", qrels, run, "-m", "INST", "--gains", "0.5:1"]) == 0


class TestResiduals:
    def test_columns(self) -> None:
        asked = "nDCG@5 RBP RBP.residual INST.ED NCU(stop=u).EU P@2"
        scores = cf.evaluate(QRELS, RUN, asked, residuals=True)
        expected = "nDCG@5 RBP RBP.lower RBP.upper RBP.residual INST.ED INST.ED.lower"
        expected += " INST.ED.upper NCU(stop=u).EU P@2"
        assert scores.measures == tuple(expected.split())

    def test_bare_rbp(self) -> None:
        """With p = 1/2 the unjudged rank 2 is worth 1/4, and all beyond rank 3 worth 1/8."""
        scores = cf.evaluate(QRELS, RUN, "RBP(p=0.5) RBP(p=0.5).residual", residuals=True)
        value, lower, upper, residual = scores.values[0, 0].tolist()
        assert (value, lower) == (0.5, 0.5)
        assert close(upper - lower, residual)
        assert close(residual, 1 / 4 + 1 / 8)

    def test_users_who_find_more_stop_earlier(self) -> None:
        """RR at worst: rank 3 of nothing, x, 1. At best x is relevant, at rank 2."""
        scores = cf.evaluate({"q": {"a": 0, "b": 1}}, {"q": ["a", "x", "b"]}, "RR.EU RR.ED",
                             residuals=True)  # fmt: skip
        assert close(scores.values[0, 0], [1 / 3, 1 / 3, 1 / 2, 3, 2, 3])

    def test_the_best_gain(self) -> None:
        """1, or the highest in the judgments, or what is said."""
        qrels, run = {"q": {"a": 3, "b": 1}}, {"q": ["b", "x"]}
        scores = cf.evaluate(qrels, run, "P@2.ETU P(max_gain=1)@2.ETU", residuals=True)
        assert scores.values[0, 0].tolist() == [1, 1, 4, 1, 1, 2]


class TestCosts:
    def test_by_topic_and_document(self) -> None:
        """Costs 2, 8, 4 in q1, 3 in q2; 1 each beyond the end, unless max_cost says otherwise."""
        asked = "P@2.EC P@4.ETC P(max_cost=5)@4.ETC RR@9.ETC"
        scores = cf.evaluate(QRELS, RUN, asked, costs=BY_DOC)
        assert scores.values[0].tolist() == [[5, 15, 19, 2], [2, 6, 18, 3 + 8]]
        beyond = "ranks after the end of a ranking cost 1 or 5 (max_cost)"
        assert beyond in said(scores)

    def test_by_document(self) -> None:
        frame = pl.DataFrame({"doc": ["a", "b", "x", "d"], "cost": [2.0, 4.0, 8.0, 3.0]})
        scores = cf.evaluate(QRELS, RUN, "P@4.ETC", costs=frame)
        assert scores.values.ravel().tolist() == [15, 6]

    def test_depth_and_condensed_lists(self) -> None:
        def ETC(**options: Any) -> float:
            scores = cf.evaluate(QRELS, RUN, "P@4.ETC", costs=BY_DOC, **options)
            return float(scores.values[0, 0, 0])

        assert ETC() == 2 + 8 + 4 + 1
        assert ETC(depth=2) == 2 + 8 + 1 + 1
        assert ETC(condensed=True) == 2 + 4 + 1 + 1
        assert ETC(depth=2, condensed=True) == 2 + 1 + 1 + 1

    def test_units(self) -> None:
        told = "costs and ETC are in seconds, EC is in seconds per item"
        assert told in said(cf.evaluate(QRELS, RUN, "P@2.EC", costs=BY_DOC, cost_unit="seconds"))
        rows = [(t, d, c) for t, docs in BY_DOC.items() for d, c in docs.items()]
        frame = pl.DataFrame(rows, schema=["topic", "doc", "seconds"], orient="row")
        assert told in said(cf.evaluate(QRELS, RUN, "P@2.EC", costs=frame))
        untold = cf.evaluate(QRELS, RUN, "P@2.EC", costs=BY_DOC)
        assert not [text for text in said(untold) if text.startswith("costs are in")]

    def test_missing_documents(self) -> None:
        lacking = {"q1": {"a": 2.0, "b": 4.0}, "q2": {"d": 3.0}}
        with pytest.raises(cf.InputError, match="no cost of document x of topic q1 in run"):
            cf.evaluate(QRELS, RUN, "INST", costs=lacking)
        assert cf.evaluate(QRELS, RUN, "P@1.EC", costs=lacking).values.ravel().tolist() == [2, 3]

    @pytest.mark.parametrize("cost", [0, -1, math.nan, math.inf, "dear", None])
    def test_what_is_no_cost(self, cost: Any) -> None:
        with pytest.raises(cf.InputError, match="of document x of topic q1, expected a number > 0"):
            cf.evaluate(QRELS, RUN, "INST", costs={"q1": {"a": 2.0, "x": cost}})
        with pytest.raises(cf.CranfieldError, match="costs must be > 0, found -1"):
            cf.INST().walk([1.0, 0.0], [2.0, -1.0])

    @pytest.fixture
    def files(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """The collection as files; the run has types."""
        monkeypatch.chdir(tmp_path)
        judged = [f"{t} 0 {d} {g}\n" for t, docs in QRELS.items() for d, g in docs.items()]
        Path("qrels").write_text("".join(judged))
        Path("run").write_text("q1 web a 1 3 r\nq1 image x 2 2 r\nq1 news b 3 1 r\nq2 image d 1 1 r\n")
        return ["evaluate", "qrels", "run", "-m", "P@4.ETC", "-f", "tsv", "-q", "--costs", "costs"]

    @pytest.mark.parametrize(
        ("costs", "expected"),
        [
            ("web 2\nimage 8\nnews 4\n", [15, 11, 13]),  # q2: 8 + 1 + 1 + 1
            ("q1 a 2\nq1 x 8\nq1 b 4\nq2 d 3\n", [15, 6, 10.5]),
            ("doc,cost\na,2\nx,8\nb,4\nd,3\n", [15, 6, 10.5]),
        ],
    )
    def test_files(
        self,
        files: list[str],
        capsys: pytest.CaptureFixture[str],
        costs: str,
        expected: list[float],
    ) -> None:
        Path("costs").write_text(costs)
        assert main([*files, "--cost-unit", "minutes"]) == 0
        out, err = capsys.readouterr()
        assert [float(line.split("\t")[3]) for line in out.splitlines()[1:]] == expected
        assert "note: costs and ETC are in minutes, EC is in minutes per item" in err

    @pytest.mark.parametrize(
        ("costs", "told"),
        [
            ("web 2\nnews 4\n", "costs: no cost of 1 type (image) in r"),
            ("web 2\n", "costs: no cost of 2 types (image, news) in r"),
            ("q1 a 2\nq1 b 4\nq2 d 3\n", "costs: no cost of document x of topic q1 in"),
            ("web 2\nimage 0\nnews 4\n", "costs:2: found cost 0, expected a number > 0"),
            ("web 2\nimage 8\nnews -1\n", "costs:3: found cost -1, expected a number > 0"),
            ("web nan\n", "costs:1: found cost nan, expected a number > 0"),
            ("web 2\nimage dear\n", "costs:2: found cost dear, expected a number > 0"),
        ],
    )
    def test_bad_files(self, files: list[str], capsys: pytest.CaptureFixture[str], costs: str, told: str) -> None:
        Path("costs").write_text(costs)
        assert main(files) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(told)

    def test_runs_without_types(self) -> None:
        with pytest.raises(cf.InputError, match="costs are by element type, but the run has no types"):
            cf.evaluate(QRELS, RUN, "INST", costs={"web": 2.0})


def test_models_side_by_side() -> None:
    """What is kept for one model is not taken for another that differs in a single setting."""
    qrels = {"q": {"a": 1, "b": 4, "c": 2, "d": 0, "e": 2}}
    run = {"q": ["x", "a", "d", "c", "y", "b", "z"]}
    costs = {"q": {doc: i / 4 for i, doc in enumerate(run["q"], 1)}}
    shared = ["", "n=5", "rel=2", "gain=exp", "gain=unit", "gain=unit, max_level=8", "max_level=2",
              "min_gain=0.5", "max_gain=9", "max_cost=3", "condensed=true"]  # fmt: skip
    names = [f"P({setting}).ETU" for setting in shared] + ["P@5.ETU"]
    names += [f"NCU(stop={stop}, {x}).ETC" for stop in ("u", "gu", "sat") for x in shared[1:]]
    names += [f"NCU(stop={stop})@5.ETC" for stop in ("u", "gu", "sat")]

    def values(measures: list[str]) -> Row:
        scores = cf.evaluate(qrels, run, measures, costs=costs, residuals=True)
        found: Row = scores.values[0, 0].tolist()
        return found

    alone = [x for name in names for x in values([name])]
    assert values(names) == alone
    assert values(names[::-1])[-3:] == alone[:3]


def test_the_same_bits_however_topics_are_cut() -> None:
    """All models, measurements and bounds: blocks, threads and company do not matter."""
    random = np.random.default_rng(5)
    qrels: dict[str, dict[str, float]] = {}
    run: dict[str, list[str]] = {}
    costs: dict[str, dict[str, float]] = {}
    for t in range(9):
        docs = [f"d{i}" for i in range(int(random.integers(1, 70)))]
        gains = random.integers(0, 101, len(docs)) / 100
        judged = {d: float(g) for d, g in zip(docs, gains, strict=True) if random.random() < 0.6}
        qrels[f"q{t}"] = judged | {"elsewhere": 1.0}
        run[f"q{t}"] = docs
        costs[f"q{t}"] = {d: float(random.integers(1, 500)) / 100 for d in docs}
    asked = [usual(name, n=50) for name in NAMES]
    stops = ("u", "gu", "rb", "r1", "rp", "to_rp", "sat")
    asked += [models.NCU(stop=stop, n=50, max_level=1) for stop in stops]

    def values(topics: dict[str, dict[str, float]], **options: Any) -> Any:
        lists = {t: run[t] for t in topics}
        scores = cf.evaluate(topics, lists, asked, costs=costs, measurements=True, residuals=True, **options)
        return scores.values[0]

    expected = values(qrels, threads=1)
    assert expected.shape == (9, len(NAMES) * 15 + len(stops) * 5)
    assert np.isfinite(expected).all()
    for cells, threads in ((1, 1), (1, 4), (150, 2), (10**9, 4)):
        found = values(qrels, block_cells=cells, threads=threads)
        assert np.array_equal(found, expected), (cells, threads)
    alone = [values({topic: docs})[0] for topic, docs in qrels.items()]
    assert np.array_equal(alone, expected)


class TestReviewed:
    """What reviewers found, and nobody should find again."""

    def test_ties_among_unjudged_documents_change_costs(self) -> None:
        """Of two orders, one costs 1 at rank 1, the other 9."""
        qrels, run = {"t": {"e": 1}}, {"t": {"a": 2.0, "b": 2.0, "e": 1.0}}
        costs = {"t": {"a": 1, "b": 9, "e": 1}}
        options: dict[str, Any] = {"costs": costs, "ties": "expected", "tie_samples": 2000}
        scores = cf.evaluate(qrels, run, "P@1.EC", **options)
        mean, error = scores.values.ravel()
        assert abs(mean - 5) < 5 * error
        assert error == pytest.approx(4 / math.sqrt(2000), rel=0.05)
        told = said(cf.evaluate(qrels, run, "P@1.EC", costs=costs))
        assert "run: ties could change a score in 1 topic (t): 2 of 2 tied documents" in told
        alike = cf.evaluate(qrels, run, "P@1.EC", costs={"t": {"a": 9, "b": 9, "e": 1}})
        assert not [text for text in said(alike) if "ties" in text]

    def test_condensed_lists_look_at_judged_documents_however_deep(self) -> None:
        qrels, run = {"q": {"b": 1, "c": 1}}, {"q": ["u1", "u2", "u3", "b", "c"]}
        lacking = {"q": {"u1": 1, "u2": 1, "u3": 1}}
        with pytest.raises(cf.InputError, match=r"no cost of document [bc] of topic q"):
            cf.evaluate(qrels, run, "P(condensed=true)@2.EC", costs=lacking)
        enough = {"q": {"b": 5, "c": 7}}
        scores = cf.evaluate(qrels, run, "P(condensed=true)@2.EC", costs=enough)
        assert scores.values.ravel().tolist() == [6.0]

    def test_the_document_without_a_cost_is_named(self) -> None:
        tied = {"a": 1.0, "b": 1.0, "e": 1.0}
        itself = {**tied, "t": 2.0}
        cases: list[tuple[dict[str, float], dict[str, Any]]] = [
            (tied, {"ties": "worst"}), (tied, {"ties": "best"}), (itself, {"exclude_self": True}),
        ]  # fmt: skip
        for docs, options in cases:
            with pytest.raises(cf.InputError, match="no cost of document a of topic t"):
                cf.evaluate({"t": {"e": 1}}, {"t": docs}, "P@3.EC",
                            costs={"t": {"b": 1, "e": 1}}, **options)  # fmt: skip

    def test_readings_have_the_defaults_of_their_measures(self) -> None:
        for name, model in READINGS.items():
            ours = {f.name: f.default for f in model.list_parameters()}
            for f in REGISTRY[name].list_parameters():
                assert ours.get(f.name, f.default) == f.default, (name, f.name)

    def test_suffixes_of_classes(self) -> None:
        assert cf.AP.EU == cf.AP().EU == cf.parse_measure("AP.EU")
        assert cf.parse_measure("INST.ETC") == cf.INST.ETC
        with pytest.raises(cf.CranfieldError, match="not a user model"):
            _ = cf.nDCG().EU

    def test_a_parameter_named_k_is_the_model_s_own(self) -> None:
        @cf.user_model
        def Bored(x: cf.Items, k: float = 3) -> Any:
            return (x.i < k).astype(float)

        own: Any = Bored  # whose parameters are those of the function

        assert cf.parse_measure("Bored(k=2)") == own(k=2)
        assert own(k=2).ED([1, 0, 0]) == 2

    @pytest.mark.parametrize("name", ["n", "cutoff", "gain", "rel", "C", "measurement", "EU"])
    def test_names_that_are_taken(self, name: str) -> None:
        scope: dict[str, Any] = {}
        exec(f"def Taken(x, {name}=2): return x.i", scope)  # noqa: S102
        with pytest.raises(cf.CranfieldError, match=f"parameter name '{name}' is reserved"):
            cf.user_model(scope["Taken"])

    def test_functions_without_a_name_or_an_argument(self) -> None:
        with pytest.raises(cf.CranfieldError, match="is not a named function"):
            cf.user_model(lambda x: x.i)

        def Empty() -> Any:
            return 1

        with pytest.raises(cf.CranfieldError, match="the first argument of Empty must be the items"):
            cf.user_model(Empty)

        def Turned(p: float = 0.5, x: Any = None) -> Any:
            return p**x.i

        with pytest.raises(cf.CranfieldError, match="the first argument of Turned must be the items"):
            cf.user_model(Turned)

    def test_errors_inside_a_model(self) -> None:
        @cf.user_model
        def Broken(x: cf.Items) -> Any:
            return x.nothing  # type: ignore[attr-defined]

        with pytest.raises(cf.UserCodeError, match=r"test_cwl.py:\d+: AttributeError: 'Items'") as e:
            Broken().walk([1.0])
        assert isinstance(e.value.__cause__, AttributeError)

    def test_gains_are_checked_whatever_a_run_retrieves(self) -> None:
        qrels = {"1": {"a": 2, "b": 1}, "2": {"c": 1}}
        with pytest.raises(cf.CranfieldError, match=r"INST: gains must be in \[0, 1\], found 2"):
            cf.evaluate(qrels, {"1": ["b"], "2": ["c"]}, "INST")

    def test_at_best_is_no_more_than_what_counts(self) -> None:
        """Level 2 does not count, so an unjudged item is worth 1 at best: 1/2 of P@2."""
        upper = cf.evaluate({"q": {"a": 2}}, {"q": ["a", "u"]}, "P(rel=3)@2.EU", residuals=True)
        assert upper.values.ravel().tolist() == [0.0, 0.0, 0.5]

    def test_a_walk_says_what_it_is(self) -> None:
        walk = (cf.P @ 2).EU.walk([1.0, 0.0])
        assert repr(walk) == "Walk(EU=0.5, ETU=1.0, EC=1.0, ETC=2.0, ED=2.0)"

    def test_depths_that_no_machine_has(self) -> None:
        for text in ("P@1000000000.EU", "INST(n=1e30)", "INST(n=2000000)"):
            with pytest.raises(cf.CranfieldError, match="1000000"):
                cf.parse_measure(text)

    def test_annotations_in_an_imported_file(self, tmp_path: Path) -> None:
        file = tmp_path / "own.py"
        file.write_text(
            "from __future__ import annotations\nimport cranfield as cf\n@cf.measure\n"
            "class Annotated(cf.UserModel):\n    p: float = cf.param(0.5, 'persistence')\n"
            "    def C(self, x):\n        return self.p + 0 * x.i\n"
        )
        assert main(["explain", "Annotated(p=0.25).ED", "--import", str(file)]) == 0
        assert cf.parse_measure("Annotated(p=0.5).ED")([]) == pytest.approx(2)
        file.write_text("import sys\nsys.exit(3)\n")
        assert main(["explain", "AP", "--import", str(file)]) == 2
