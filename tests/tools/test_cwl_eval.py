"""cwl_eval, line by line: the paper's tables, the PyPI package cwl-eval, and by hand.

The package is imported and asked for its unrounded numbers; its command line runs beside ours in
another process. It prints a blank after the names of U and TBG, which we do not; and -0.0000 where
two equal numbers were added up in different orders, where we print 0.0000.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cranfield.errors import CranfieldError
from cranfield.tools.cwl_eval import (
    CONSTRUCTORS,
    Metric,
    cwl_eval,
    format_bibtex,
    parse_metric,
    read_metrics,
)
from tests.evidence import checks
from tests.made import Command, examples

RANKS = range(1, 16)
GAINS = {  # Azzopardi, Thomas and Moffat (2019), Example Topics: fifteen ranks each
    "T1": (0.0, 0.0, 0.2, 0.4, 1.0, 0.2, 0.0, 0.0, 1.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0),
    "T2": (1.0, 0.0, 1.0, 0.4, 0.0, 0.2, 0.0, 0.0, 1.0, 0.2, 0.0, 0.4, 0.0, 0.0, 0.0),
}
COSTS = {
    "T1": (1.2, 0.6, 0.4, 0.6, 3.6, 1.6, 0.6, 2.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 1.8),
    "T2": (3.2, 1.6, 1.4, 0.6, 3.6, 1.6, 0.6, 1.6, 2.6, 0.2, 1.2, 0.2, 0.2, 0.6, 1.8),
}
QRELS = "".join(f"{t} 0 {t}-d{i} {GAINS[t][i - 1]}\n" for t in GAINS for i in RANKS)
RUN = "".join(f"{t} {COSTS[t][i - 1]}s {t}-d{i} {i} {-i} x\n" for t in GAINS for i in RANKS)
TYPES = "".join(f"{cost}s {cost}\n" for cost in sorted({*COSTS["T1"], *COSTS["T2"]}))

TABLE_1 = """\
Topic	Metric	EU	ETU	EC	ETC	ED
T1	AP	0.2722	1.6000	1.0000	5.8776	5.8776
T1	RR	0.0667	0.2000	1.0000	3.0000	3.0000
T1	P@5	0.3200	1.6000	1.0000	5.0000	5.0000
T1	NDCG-k@10	0.2270	1.0314	1.0000	4.5436	4.5436
T1	INST-T=2	0.1545	0.6069	1.0000	3.9220	3.9292
T1	TBG-H@2	0.1752	0.5981	1.0000	3.4142	3.4142
T1	BPM-Dynamic	0.3200	1.6000	1.0000	5.0000	5.0000
T1	IFT	0.0659	0.1097	1.0000	1.6649	1.6649
"""
TABLE_2 = """\
Topic	Metric	EU	ETU	EC	ETC	ED
T1	AP	0.2722	1.6000	1.1681	6.8653	5.8776
T1	RR	0.0667	0.2000	0.7333	2.2000	3.0000
T1	P@5	0.3200	1.6000	1.2800	6.4000	5.0000
T1	NDCG-k@10	0.2270	1.0314	1.1827	5.3738	4.5436
T1	RBP@0.6	0.1287	0.3218	1.0208	2.5520	2.5000
T1	TBG-H@2	0.2143	0.7195	1.1513	3.8663	3.3582
T1	BPM-Dynamic	0.3200	1.6000	1.2800	6.4000	5.0000
T1	IFT	0.0748	0.1269	1.0857	1.8412	1.6959
"""
# Names that the tables cut short, and constructors with the parameters behind them.
LONG = {
    "BPM-Dynamic": "BPM-Dynamic-T=2-K=10-hb=0.5-hc=0.5",
    "IFT": "IFT-C1-C2-T=2-b1=0.25-R1=10-A=0.2-b2=0.25-R2=10",
}
METRICS = {
    "AP": "APCWLMetric()",
    "RR": "RRCWLMetric()",
    "P@5": "PrecisionCWLMetric(5)",
    "NDCG-k@10": "NDCGCWLMetric(10)",
    "INST-T=2": "INSTCWLMetric(2)",
    "RBP@0.6": "RBPCWLMetric(0.6)",
    "TBG-H@2": "TBGCWLMetric(2)",
    "BPM-Dynamic": "BPMDCWLMetric(2,10,0.5,0.5)",
    "IFT": "IFTGoalRateCWLMetric(2,0.25,10,0.2,0.25,10)",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the paper's two topics in it."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)
    Path("costs").write_text(TYPES)
    return tmp_path


@pytest.fixture
def tool(cranfield: Command) -> Command:
    return cranfield.of("cwl_eval")


def names(text: str) -> list[str]:
    """The metrics of an output."""
    return [line.split("\t")[1] for line in text.splitlines()]


class TestTables:
    @checks("cranfield cwl_eval", against="Azzopardi et al. 2019")
    @pytest.mark.parametrize(("table", "options"), [(TABLE_1, ""), (TABLE_2, "-c costs")], ids=["Table 1", "Table 2"])
    def test_from_files(self, here: Path, tool: Command, table: str, options: str) -> None:
        asked = names(table)[1:]
        Path("metrics").write_text("".join(f"{METRICS[name]}\n" for name in asked))
        found = tool.printed(f"qrels run -n -m metrics {options}").splitlines()
        for short, long in LONG.items():
            table = table.replace(f"\t{short}\t", f"\t{long}\t")
        assert found[: len(asked) + 1] == table.splitlines()
        assert names("\n".join(found[len(asked) + 1 :])) == names(table)[1:]
        assert all(line.startswith("T2\t") for line in found[len(asked) + 1 :])

    def test_from_standard_input(self, here: Path) -> None:
        """cat run | cwl_eval qrels - …"""
        command = [sys.executable, "-m", "cranfield", "cwl_eval", "qrels", "-"]
        with Path("run").open("rb") as lists:
            done = subprocess.run(command, stdin=lists, capture_output=True, check=True)
        assert done.stderr == b""
        assert done.stdout.decode().splitlines()[4:6] == [
            TABLE_1.splitlines()[3],  # P@5
            "T1\tP@10\t0.2800\t2.8000\t1.0000\t10.0000\t10.0000",  # 0.2 + 0.4 + 1 + 0.2 + 1
        ]


# -- the program itself --------------------------------------------------------------------------


def program(command: str) -> str:
    """What the package's own command line prints, without blanks after names."""
    package = os.path.dirname(str(import_module("cwl").__file__))
    path = os.pathsep.join(p for p in (package, os.environ.get("PYTHONPATH")) if p)
    done = subprocess.run(
        [sys.executable, "-m", "cwl.cwl_eval", *command.split()],
        env={**os.environ, "PYTHONPATH": path},  # with -m, it imports `ruler` from there
        capture_output=True,
        text=True,
        check=True,
    )
    return re.sub(r" *\t", "\t", done.stdout).replace("-0.0000", "0.0000")


class TestBesideTheProgram:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        "options",
        [
            "",
            "-n",
            "--colnames --residuals",
            "-r -n -c costs",
            "--cost_file costs --max_depth 12",
            "-r --max_gain 1.0 --min_gain 0 --max_depth 50",
        ],
    )
    def test_options(self, here: Path, tool: Command, options: str) -> None:
        with Path("run").open("a") as lists:
            lists.write("T2 0.6s unjudged 16 0 x\nunjudged 0.6s d1 1 1 x\n")
        assert tool.printed(f"qrels run {options}") == program(f"qrels run {options}")

    def test_metrics_and_costs(self, here: Path, tool: Command) -> None:
        texts = [text for _, text in drawn(np.random.default_rng(0), 100)]
        Path("metrics").write_text("".join(f"{text}\n" for text in texts))
        Path("costs").write_text(TYPES.replace("0.6s 0.6\n", ""))  # of one type it is not known
        command = "qrels run -m metrics -c costs -r -n --max_depth 100"
        ours = tool.printed(f"{command} --as-version 1.0.12")
        assert len(ours.splitlines()) == 1 + 2 * len(CONSTRUCTORS)
        assert ours == program(command)


# -- many random rankings ------------------------------------------------------------------------


MODULES = (
    *("ap", "bpm", "dcg", "ift", "insq", "inst", "nerr"),
    *("npv", "precision", "rbp", "rr", "set", "tbg", "umeasure"),
)


def package_class(name: str) -> Any:
    """A class of the package, wherever it is."""
    for module in MODULES:
        found = getattr(import_module(f"cwl.ruler.measures.cwl_{module}"), name, None)
        if found is not None:
            return found
    raise AssertionError(name)


def drawn(rng: np.random.Generator, depth: int) -> list[tuple[Any, str]]:
    """Every metric with random parameters: the package's, and the line that asks for it."""

    def real(low: float, high: float) -> float:
        return float(np.round(rng.uniform(low, high), 2))

    def either(low: int, high: int) -> float:
        """A whole number or not."""
        whole = rng.random() < 0.5
        return int(rng.integers(low, high)) if whole else real(low, high - 1)

    def k(beyond: int = 0) -> int:
        return int(rng.integers(1, depth + 1 + beyond))

    parameters: dict[str, tuple[float, ...]] = {
        "PrecisionCWLMetric": (k(),),
        "NDCGCWLMetric": (k(5),),
        "RBPCWLMetric": (real(0.01, 0.99),),
        "NPVCWLMetric": (real(0.01, 2),),
        "INSTCWLMetric": (either(1, 6),),
        "INSQCWLMetric": (either(1, 6),),
        "SETCWLMetric": (real(0.05, 1), k(5)),
        "BPMCWLMetric": (either(1, 5), either(1, depth)),
        "BPMDCWLMetric": (
            *(either(1, 5), either(1, depth), real(-1, 1), real(-1, 1)),
            *((real(0, 1),) if rng.random() < 0.5 else ()),
        ),
        "UMeasureCWLMetric": (either(1, 2 * depth),),
        "TBGCWLMetric": (either(1, 30),),
        "IFTGoalCWLMetric": (either(1, 4), real(0, 2), either(0, 11)),
        "IFTRateCWLMetric": (real(0, 1), real(0, 2), either(0, 11)),
        "IFTGoalRateCWLMetric": (
            *(either(1, 4), real(0, 2), either(0, 11)),
            *(real(0, 1), real(0, 2), either(0, 11)),
        ),
        "NERReq8CWLMetric": (k(5),),
        "NERReq9CWLMetric": (k(5),),
        "NERReq10CWLMetric": (real(0.01, 0.99),),
        "NERReq11CWLMetric": (either(1, 6),),
    }
    made = []
    for name in CONSTRUCTORS:
        values = parameters.get(name, ())
        text = f"{name}({','.join(map(str, values))})"
        made.append((package_class(name)(*values), text))
    return made


@dataclass
class Rankings:
    """Random lists as files, and as the package wants them."""

    depth: int
    qrels: dict[str, dict[str, float]] = field(default_factory=dict)
    lists: dict[str, list[tuple[str, str]]] = field(default_factory=dict)  # type, document
    costs: dict[str, float] | None = None
    limits: dict[str, Any] = field(default_factory=dict)

    def write(self) -> None:
        judged = [f"{t} 0 {d} {g}\n" for t, docs in self.qrels.items() for d, g in docs.items()]
        Path("qrels").write_text("".join(judged))
        results = [f"{t} {k} {d} 1 0 x\n" for t, docs in self.lists.items() for k, d in docs]
        Path("run").write_text("".join(results))
        if self.costs is not None:
            Path("costs").write_text("".join(f"{k} {c}\n" for k, c in self.costs.items()))

    def ours(self, metrics: Sequence[Metric]) -> list[str]:
        lines, _ = cwl_eval(
            "qrels",
            "run",
            metrics,
            costs=None if self.costs is None else "costs",
            residuals=True,
            max_depth=self.depth,
            as_version="1.0.12",
            **self.limits,
        )
        return lines

    def theirs(self, metrics: Sequence[Any]) -> Iterator[tuple[str, str, list[float]]]:
        """Topic, name and ten unrounded numbers, in the order in which they are printed."""
        handler = import_module("cwl.seeker.trec_qrel_handler").TrecQrelHandler()
        maker = import_module("cwl.ruler.ranking").RankingMaker
        for topic, docs in self.qrels.items():
            for doc, gain in docs.items():
                handler.put_value(topic, doc, gain)
        limits = {k: x for k, x in self.limits.items() if k != "min_gain"}  # as the program
        for topic, results in self.lists.items():
            making = maker(topic, handler, self.costs, max_n=self.depth, **limits)
            for kind, doc in results:
                making.add(doc, kind)
            ranking = making.get_ranking()
            for metric in metrics:
                metric.residuals = True
                metric.measure(ranking)
                residuals = [
                    metric.residual_expected_utility,
                    metric.residual_expected_total_utility,
                    metric.residual_expected_cost,
                    metric.residual_expected_total_cost,
                    metric.residual_expected_items,
                ]
                yield topic, metric.name().strip(), [*metric.get_scores(), *residuals]


def random_rankings(rng: np.random.Generator, topics: int, depth: int) -> Rankings:
    """Lists short and long, judged in part, in full or not at all, with and without gain."""
    made = Rankings(depth)
    highest = float(rng.choice([1.0, 1.0, 0.8]))
    if rng.random() < 0.7:
        made.costs = {f"type{i}": float(np.round(rng.uniform(0.05, 4), 2)) for i in range(4)}
    made.limits = {"max_gain": highest, "min_cost": 1.0, "max_cost": 1.0}
    if rng.random() < 0.5:
        made.limits |= {"min_cost": 0.25, "max_cost": float(np.round(rng.uniform(1, 5), 2))}
    for t in range(topics):
        length = int(rng.integers(1, depth + depth // 2))
        docs = [f"d{i}" for i in rng.permutation(2 * length)]  # half of them are not retrieved
        kinds = rng.choice([f"type{i}" for i in range(5)], length)  # the fifth has no cost
        made.lists[f"T{t}"] = list(zip(kinds.tolist(), docs[:length], strict=True))
        if t and rng.random() < 0.05:
            continue  # nothing is judged
        share, good = rng.choice([0.2, 0.6, 1.0]), rng.choice([0.0, 0.1, 0.5])
        gains = np.round(rng.uniform(0, highest, len(docs)), 2) * (rng.random(len(docs)) < good)
        judged = rng.random(len(docs)) < share
        found = zip(docs, gains.tolist(), judged.tolist(), strict=True)
        made.qrels[f"T{t}"] = {doc: gain for doc, gain, known in found if known} or {docs[0]: 0.0}
    return made


# The package words a log entry for each vector, whether or not there is a log.
SHORT: Any = {"threshold": 0, "edgeitems": 1, "formatter": {"float": lambda x: "x"}}


@dataclass
class Comparison:
    """How many numbers were compared, and how many were halfway between two decimals."""

    values: int = 0
    halves: int = 0

    def compare(self, rankings: Rankings, metrics: Sequence[tuple[Any, str]]) -> None:
        """Every printed line is the package's, but where its number ends in an exact half."""
        rankings.write()
        lines = rankings.ours([parse_metric(text) for _, text in metrics])
        with np.printoptions(**SHORT):
            theirs = list(rankings.theirs([metric for metric, _ in metrics]))
        for line, (topic, name, numbers) in zip(lines, theirs, strict=True):
            *named, values = line.split("\t", 2)
            assert named == [topic, name]
            for ours, number in zip(values.split("\t"), numbers, strict=True):
                self.values += 1
                if ours != f"{number:z.4f}":
                    self.halves += 1
                    from_half = abs(abs(number) * 1e4 % 1 - 0.5) / 1e4
                    assert from_half < 1e-9, (line, numbers)
                    assert abs(float(ours) - number) < 0.5001e-4, (line, numbers)


class TestRandomRankings:
    @checks(
        "cranfield cwl_eval",
        *(f"{c.model.__name__}.EU" for c in CONSTRUCTORS.values()),
        against="cwl_eval",
    )
    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(examples(4)))
    def test_every_metric(self, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """4 × 251 rankings × all metrics × 10 numbers, one of them at full depth."""
        monkeypatch.chdir(tmp_path)
        rng, seen = np.random.default_rng([5, seed]), Comparison()
        for topics, depth in [*((25, int(x)) for x in rng.integers(2, 30, 10)), (1, 1000)]:
            seen.compare(random_rankings(rng, topics, depth), drawn(rng, depth))
        assert seen.values == 251 * len(CONSTRUCTORS) * 10
        assert seen.halves == 0

    @pytest.mark.slow
    def test_gains_below_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Metrics that do not mind: INST and NERR do, and AP and TrAP divide by what may be 0."""
        monkeypatch.chdir(tmp_path)
        rng, seen = np.random.default_rng(7), Comparison()
        mind = re.compile("INST|NERR|AP")
        for _ in range(10):
            rankings = random_rankings(rng, 20, 20)
            rankings.limits |= {"min_gain": -1.0, "max_gain": 3.0}
            for docs in rankings.qrels.values():
                docs |= {doc: round(4 * gain - 1, 2) for doc, gain in docs.items()}
            metrics = [pair for pair in drawn(rng, 20) if not mind.search(pair[1])]
            seen.compare(rankings, metrics)
        assert seen.values == 200 * 14 * 10
        assert seen.halves == 0

    @settings(max_examples=examples(60))
    @given(
        gains=st.lists(st.none() | st.integers(0, 100).map(lambda x: x / 100), min_size=1, max_size=12),
        kinds=st.lists(st.sampled_from("abc"), min_size=12, max_size=12),
        depth=st.integers(2, 14),
        seed=st.integers(0, 99),
    )
    def test_a_list(
        self,
        gains: list[float | None],
        kinds: list[str],
        depth: int,
        seed: int,
        tmp_path_factory: pytest.TempPathFactory,
    ) -> None:
        docs = [f"d{i}" for i in range(len(gains))]
        judged = {doc: gain for doc, gain in zip(docs, gains, strict=True) if gain is not None}
        made = Rankings(depth, {"T": judged} if judged else {"other": {"x": 1.0}})
        made.lists = {"T": list(zip(kinds, docs, strict=False))}
        made.costs = {"a": 0.5, "b": 2.5}
        before = Path.cwd()
        os.chdir(tmp_path_factory.mktemp("list"))
        try:
            Comparison().compare(made, drawn(np.random.default_rng(seed), depth))
        finally:
            os.chdir(before)


# -- by hand -------------------------------------------------------------------------------------


class TestMetrics:
    @pytest.mark.parametrize(
        ("line", "name"),
        [
            # as the paper, the README and the specification write them
            ("PrecisionCWLMetrics(k=10)", "P@10"),
            ("PrecisionCWLMetric(k=10)", "P@10"),
            ("  PrecisionCWLMetric ( 10 )  # ten", "P@10"),
            ("PrecisionCWLMetric()", "P@10"),
            ("PrecisionCWLMetric", "P@10"),
            ("TBGCWLMetric(h=20)", "TBG-H@20"),
            ("TBGCWLMetric(halflife=22)", "TBG-H@22"),
            ("UMeasureCWLMetric(L=50)", "U-L@50"),
            ("BPMCWLMetric(T=4, K=10)", "BPM-Static-T=4-K=10"),
            ("BPMCWLMetric(4, K=10)", "BPM-Static-T=4-K=10"),
            ("BPMCWLMetric(K=10, T=4)", "BPM-Static-T=4-K=10"),
            ("BPMDCWLMetric()", "BPM-Dynamic-T=1-K=10-hb=1.0-hc=1.0"),
            ("BPMDCWLMetric(gain_med=0.2)", "BPM-Dynamic-T=1-K=10-hb=1.0-hc=1.0"),
            ("RBPCWLMetric(theta=0.9)", "RBP@0.9"),
            ("RBPCWLMetric()", "RBP@0.9"),
            ("INSTCWLMetric(2)", "INST-T=2"),
            ("INSTCWLMetric(2.0)", "INST-T=2.0"),
            ("INSTCWLMetric()", "INST-T=1.0"),
            ("INSQCWLMetric(1)", "INSQ-T=1"),
            ("NDCGCWLMetric(k=10)", "NDCG-k@10"),
            ("IFTGoalCWLMetric(2.0, 0.9, 10)", "IFT-C1-T=2.0-b1=0.9-R1=10"),
            ("IFTRateCWLMetric(A=0.2, b2=0.9, R2=10)", "IFT-C2-A=0.2-b2=0.9-R2=10"),
            ("NERReq8CWLMetric(10)", "NERR-EQ8@k=10"),
            ("NERReq10CWLMetric(phi=0.8)", "NERR-EQ10@phi=0.8"),
            ("SETCWLMetric(beta=0.5, k=10)", "SET-k@10-b@0.5"),
            ("NPVCWLMetric(rate=0.1)", "NPV-r@0.1"),
            # as measures are written here: under the program's names where it has them
            ("INST(T=2)", "INST-T=2"),
            ("INST(T=2).EU", "INST-T=2"),
            ("INST(T=2).ETC", "INST-T=2"),
            ("RBP(p=0.8)", "RBP@0.8"),
            ("P@5", "P@5"),
            ("P@5.EU", "P@5"),
            ("AP", "AP"),
            ("SDCG@10", "NDCG-k@10"),
            ("BPMD(T=2, K=10, hb=0.5)", "BPM-Dynamic-T=2-K=10-hb=0.5-hc=1"),
            ("SDCG", "SDCG"),
            ("RBP(p=0.5)@20", "RBP(p=0.5)@20"),
            ("RBP@5", "RBP(p=0.8)@5"),  # RBP@5 is what the program prints of θ = 5
            ("RBP(n=50)@5", "RBP(n=50)@5"),
            ("BPM(T=1)@5", "BPM(T=1, K=10)@5"),
            ("AP@5", "AP@5"),
            ("NCU(stop=r1)", "NCU(stop=r1)"),
            ("BPMD(update_K=false)", "BPMD(update_K=false)"),
        ],
    )
    def test_names(self, here: Path, line: str, name: str) -> None:
        Path("metrics").write_text(f"# a comment\n\n{line}\n")
        assert [metric.name for metric in read_metrics("metrics")] == [name]

    def test_a_model_of_ones_own(self, here: Path) -> None:
        """A user who stops at rank 1 or, one in two, at rank 2: V is 1, 1/2."""
        Path("own.py").write_text(
            "import cranfield as cf, numpy as np\n"
            "@cf.user_model\n"
            "def Hasty(x, p=0.5):\n"
            "    return np.where(x.i < 2, p, 0.0)\n"
        )
        Path("metrics").write_text("Hasty\n")
        command = [sys.executable, "-m", "cranfield", "cwl_eval", "qrels", "run"]
        options = ["-m", "metrics", "--import", "own.py"]
        done = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
        # T2 gains 1 and 0: EU 1/1.5, ETU 1
        assert done.stdout.splitlines()[1] == "T2\tHasty\t0.6667\t1.0000\t1.0000\t1.5000\t1.5000"

    def test_places_and_names_mean_the_same(self) -> None:
        for places, named in [
            ("BPMDCWLMetric(2, 9, 0.5, 0.25, 0.3)", "BPMD(T=2,K=9,hb=0.5,hc=0.25,gain_med=0.3)"),
            ("IFTGoalRateCWLMetric(1,2,3,4,5,6)", "IFT(T=1, b1=2, R1=3, A=4, b2=5, R2=6)"),
            ("SETCWLMetric(0.25, 7)", "SET(beta=0.25)@7"),
            ("NERReq9CWLMetric(7)", "NERR9@7"),
            ("TBGCWLMetric(h=3)", "TBG(halflife=3)"),
            ("RBPCWLMetric(0.3)", "RBP(p=0.3)"),
        ]:
            assert parse_metric(places) == parse_metric(named)

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("INSTCWLMetrik(2)", "found INSTCWLMetrik, expected INSTCWLMetric or "),
            ("NDCGCWLMetric()", "found NDCGCWLMetric without k, expected NDCGCWLMetric(k)"),
            ("IFTGoalCWLMetric(2, R1=1)", "found IFTGoalCWLMetric without b1, expected "),
            ("INSTCWLMetric(K=2)", "found parameter 'K', expected INSTCWLMetric(T)"),
            ("INSTCWLMetric(2, 3)", "found INSTCWLMetric(2, 3), expected INSTCWLMetric(T)"),
            ("BPMCWLMetric(K=2, 3)", "found BPMCWLMetric(K=2, 3), expected BPMCWLMetric(T, K)"),
            ("BPMCWLMetric(2, T=3)", "found duplicate parameter T, expected BPMCWLMetric(T, K)"),
            ("RRCWLMetric(1)", "found RRCWLMetric(1), expected RRCWLMetric()"),
            ("INSTCWLMetric(two)", "found T=two, expected a number"),
            ("INSTCWLMetric(2,)", "found INSTCWLMetric(2,), expected INSTCWLMetric(T)"),
            ("INSTCWLMetric(nan)", "found T=nan, expected a number"),
            ("RBPCWLMetric(1.0)", "RBP: p must be a number between 0 and 1, found 1"),
            ("PrecisionCWLMetric(0)", "P: cutoff must be an integer ≥ 1, found 0"),
            ("INSTCWLMetric(2", "found INSTCWLMetric(2, expected a constructor such as "),
            # quoted as they are written
            ("INTS(T=2)", "unknown measure 'INTS(T=2)'. Did you mean"),
            ("INTS(T=2).ED", "unknown measure 'INTS(T=2).ED'"),
            ("nDCG@10", "measure 'nDCG@10': nDCG has no measurement 'EU'"),
            ("RBP(p=2)", "measure 'RBP(p=2)': p must be a number between 0 and 1, found 2"),
            ("INST(T='x')", """measure "INST(T='x')": T must be a number ≥ 0.25, found x"""),
        ],
    )
    def test_bad_lines(self, here: Path, tool: Command, line: str, message: str) -> None:
        Path("metrics").write_text(f"APCWLMetric()\n\n{line}\n")
        assert tool.refused("qrels run -m metrics").startswith(f"metrics:3: {message}")

    def test_no_lines(self, here: Path, tool: Command) -> None:
        Path("metrics").write_text("# nothing yet\n")
        expected = "metrics: found no metrics, expected one per line"
        assert tool.refused("qrels run -m metrics") == expected

    def test_without_a_file(self, here: Path, tool: Command) -> None:
        assert names(tool.printed("qrels run"))[:16] == [
            *("P@1", "P@2", "P@3", "P@4", "P@5", "P@10", "RBP@0.2", "RBP@0.4", "RBP@0.8"),
            *("NDCG-k@5", "NDCG-k@10", "RR", "AP", "INST-T=1.0", "INST-T=2.0", "INST-T=3.0"),
        ]


class TestDynamicBPM:
    def test_the_paper_changes_K_and_the_program_does_not(self, here: Path, tool: Command) -> None:
        """Gains 1, 1, 0: with hc = 1, K is 3, 3.5, 4, 3.5, which κ = 4 exceeds at rank 4.

        Fixed at 3, it is reached at rank 3.
        """
        Path("qrels").write_text("T 0 a 1\nT 0 b 1\nT 0 c 0\n")
        Path("run").write_text("T Q0 a 1 3 x\nT Q0 b 2 2 x\nT Q0 c 3 1 x\n")
        Path("metrics").write_text("BPMDCWLMetric(10, 3, 0, 1)\n")
        assert tool.printed("qrels run -m metrics").endswith("\t4.0000\t4.0000\n")
        as_printed = "qrels run -m metrics --as-version 1.0.12"
        assert tool.printed(as_printed).endswith("\t3.0000\t3.0000\n")
        assert tool.told(as_printed).splitlines() == []
        (note,) = tool.told("qrels run -m metrics").splitlines()
        assert note.startswith("note: BPM-Dynamic-T=10-K=3-hb=0-hc=1: retrieved documents change K")
        assert note.endswith("(--as-version 1.0.12)")

    def test_static_BPM_needs_no_note(self, here: Path, tool: Command) -> None:
        Path("metrics").write_text("BPMCWLMetric()\n")
        assert tool.told("qrels run -m metrics").splitlines() == []


class TestTopics:
    def test_in_the_order_of_the_run(self, here: Path, tool: Command) -> None:
        """Whatever the scores and ranks say, and whether or not a topic is judged."""
        Path("run").write_text("T2 Q0 T2-d2 1 9 x\nT2 Q0 T2-d1 7 99 x\nT0 Q0 d 1 1 x\n")
        Path("metrics").write_text("P@1\nP@2\n")
        assert tool.printed("qrels run -m metrics -r").splitlines() == [
            "T2\tP@1\t0.0000\t0.0000\t1.0000\t1.0000\t1.0000" + 5 * "\t0.0000",
            "T2\tP@2\t0.5000\t1.0000\t1.0000\t2.0000\t2.0000" + 5 * "\t0.0000",
            "T0\tP@1\t0.0000\t0.0000\t1.0000\t1.0000\t1.0000\t1.0000\t1.0000\t0.0000\t0.0000\t0.0000",
            "T0\tP@2\t0.0000\t0.0000\t1.0000\t2.0000\t2.0000\t1.0000\t2.0000\t0.0000\t0.0000\t0.0000",
        ]
        assert tool.told("qrels run -m metrics").splitlines() == [
            "note: run: 1 topic (T0) without judgments: all documents are unjudged",
            "note: run: 1 topic (T1) missing from the run, not printed",
        ]

    def test_lines_of_a_topic_are_gathered(self, here: Path, tool: Command) -> None:
        together = tool.printed("qrels run")
        lines = RUN.splitlines(keepends=True)
        Path("run").write_text("".join(lines[:7] + lines[15:] + lines[7:15]))
        assert tool.printed("qrels run") == together
        (note,) = tool.told("qrels run").splitlines()
        assert note.startswith("note: run: 1 topic (T1) with lines that are not adjacent")

    @pytest.mark.slow
    def test_each_is_measured_by_itself(self, here: Path) -> None:
        """Whatever else is in the run, and in however many blocks."""
        rng = np.random.default_rng(8)
        made = random_rankings(rng, 8, 20)
        made.depth, made.costs = 20_000, None  # 3 lists to a block
        metrics = [parse_metric(text) for text in ("RBPCWLMetric(0.9)", "TrAPCWLMetric()", "RR")]
        made.write()
        every = made.ours(metrics)
        alone = []
        for topic, results in made.lists.items():
            one = Rankings(made.depth, made.qrels, {topic: results}, limits=made.limits)
            one.write()
            alone += one.ours(metrics)
        assert every == alone

    def test_a_document_twice(self, here: Path, tool: Command) -> None:
        with Path("run").open("a") as lists:
            lists.write("T2 Q0 T2-d1 16 0 x\n")
        assert tool.refused("qrels run").startswith("run:31: duplicate document 'T2-d1' in topic T2")

    def test_dicts(self) -> None:
        """P@2: gains 1 and 0; of three results two are seen."""
        judged, lists = {"T": {"a": 1.0, "c": 1.0}}, {"T": ["a", "b", "c"], "U": ["a"]}
        lines, notes = cwl_eval(judged, lists, [parse_metric("P@2")])
        assert lines == [
            "T\tP@2\t0.5000\t1.0000\t1.0000\t2.0000\t2.0000",
            "U\tP@2\t0.0000\t0.0000\t1.0000\t2.0000\t2.0000",
        ]
        assert [note.topics for note in notes] == [("U",)]


class TestLimits:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (
                "--max_gain 0.9",
                "qrels:5: found gain 1 of document T1-d5 of topic T1, expected gains from 0 to 0.9",
            ),
            (
                "--min_gain 0.1",
                "qrels:1: found gain 0 of document T1-d1 of topic T1, expected gains from 0.1 to 1",
            ),
            ("--max_gain 1 --min_gain 2", "found max_gain 1, expected at least min_gain = 2"),
            ("--min_cost 2", "found max_cost 1, expected at least min_cost = 2"),
            ("--min_cost 0", "found min_cost 0, expected a number > 0"),
            ("--max_depth 5", "P@10: found k=10, expected at most 5 (--max_depth)"),
        ],
    )
    def test_refused(self, here: Path, tool: Command, options: str, message: str) -> None:
        assert tool.refused(f"qrels run {options}").startswith(message)

    @pytest.mark.parametrize("options", ["--max_gain x", "--max_cost inf", "--max_depth 0"])
    def test_not_numbers(self, here: Path, tool: Command, options: str) -> None:
        assert "expected a" in tool.refused(f"qrels run {options}")

    def test_gains_from_standard_input(self, here: Path, tool: Command) -> None:
        expected = "standard input: found gain 1 of document T1-d5 of topic T1, expected gains"
        assert tool.refused("- run --max_gain 0.9", stdin=QRELS).startswith(expected)

    @pytest.mark.parametrize(
        ("line", "name"),
        [
            ("INSTCWLMetric(2)", "INST-T=2"),
            ("INST(T=2)", "INST-T=2"),
            ("NERReq9CWLMetric(5)", "NERR-EQ9@k=5"),
        ],
    )
    @pytest.mark.parametrize("gain", ["2", "-0.5"])
    def test_gains_that_a_metric_does_not_take(
        self, here: Path, tool: Command, line: str, name: str, gain: str
    ) -> None:
        """Within the limits, retrieved or not; in words that stand on the command line."""
        Path("qrels").write_text(f"T1 0 T1-d1 1\nT1 0 d {gain}\n")
        Path("metrics").write_text(f"P@5\n{line}\n")
        assert tool.refused("qrels run --min_gain -1 --max_gain 3 -m metrics") == (
            f"qrels:2: found gain {gain} of document d of topic T1, expected gains from 0 to 1 for {name}"
        )

    def test_unjudged_documents_that_a_metric_does_not_take(self, here: Path, tool: Command) -> None:
        Path("metrics").write_text("P@5\nINSTCWLMetric(2)\n")
        command = "qrels run --max_gain 2 -m metrics"
        expected = "found max_gain 2, expected at most 1 for INST-T=2 with residuals"
        assert tool.refused(f"{command} -r") == expected
        assert tool.printed(command) == tool.printed("qrels run -m metrics")  # at best is not asked

    def test_gains_named_in_the_notation_of_this_toolkit(self, here: Path, tool: Command) -> None:
        """Levels are not gains here: 2 is worth 1, or all that the metric takes."""
        Path("qrels").write_text("T1 0 T1-d1 2\n")
        Path("run").write_text("T1 Q0 T1-d1 1 1 x\n")
        Path("metrics").write_text("INST(T=2, gain=0.5:1)@1\nINST(T=2, max_level=1)@1\n")
        found = tool.printed("qrels run --max_gain 2 -m metrics").splitlines()
        assert [line.split("\t")[2] for line in found] == ["1.0000", "1.0000"]

    def test_gains_below_nothing(self, here: Path, tool: Command) -> None:
        """The first two of T1: (−1 + 0.5)/2."""
        Path("qrels").write_text("T1 0 T1-d1 -1\nT1 0 T1-d2 0.5\n")
        Path("metrics").write_text("P@2\n")
        found = tool.printed("qrels run --min_gain -1 -m metrics")
        assert found.startswith("T1\tP@2\t-0.2500\t-0.5000\t")

    def test_costs_of_the_unknown(self, here: Path, tool: Command) -> None:
        """Without costs every item costs 4, at best 1: P@2 costs 8, or 6 less."""
        Path("metrics").write_text("P@2\n")
        found = tool.printed("qrels run -m metrics -r --max_cost 4 --min_cost 1").splitlines()[0]
        assert found.split("\t")[4:] == [
            *("4.0000", "8.0000", "2.0000"),
            *("0.0000", "0.0000", "-3.0000", "-6.0000", "0.0000"),
        ]

    def test_depth_by_both_names(self, here: Path, tool: Command) -> None:
        """RBP down to rank 2: ED is 1 + θ, and those who go on have no last item."""
        Path("metrics").write_text("RBPCWLMetric(0.5)\n")
        found = tool.printed("qrels run -m metrics --max_n 2")
        assert found == tool.printed("qrels run -m metrics --max_depth 2")
        assert found.splitlines()[0].split("\t")[5:] == ["1.0000", "1.5000"]  # 1/2·1 + 1/4·2

    @pytest.mark.parametrize("line", ["NDCGCWLMetric(9)", "NERReq8CWLMetric(9)", "SETCWLMetric()"])
    def test_a_cutoff_below_the_depth(self, here: Path, tool: Command, line: str) -> None:
        """The program cuts at the depth and lets users go on from there."""
        Path("metrics").write_text(f"{line}\n")
        command = "qrels run -m metrics --max_depth 4 -r"
        assert tool.printed(command) == program(command)


class TestCosts:
    def test_unknown_types_are_told(self, here: Path, tool: Command) -> None:
        """P@2 of T1: types 1.2s and 0.6s. Of the first the cost is not known: 3, at best 2."""
        Path("costs").write_text("0.6s 0.6\n")
        Path("metrics").write_text("P@2\n")
        command = "qrels run -m metrics -c costs --max_cost 3 --min_cost 2"
        assert tool.printed(f"{command} -r").splitlines()[0].split("\t")[4:] == [
            *("1.8000", "3.6000", "2.0000"),
            *("0.0000", "0.0000", "-0.5000", "-1.0000", "0.0000"),
        ]
        (note,) = tool.told(command).splitlines()
        assert note.startswith("note: costs: 9 element types (1.2s, 0.4s, 3.6s, 1.6s, 2.6s, …)")
        assert note.endswith("without a cost, set to 3, at best 2")

    def test_by_document(self, here: Path, tool: Command) -> None:
        """A cost for each topic and document: as Table 2, where types say the same."""
        by_type = tool.printed("qrels run -c costs")
        lines = [f"{t} {t}-d{i} {COSTS[t][i - 1]}\n" for t in COSTS for i in RANKS]
        Path("costs").write_text("".join(lines))
        assert tool.printed("qrels run -c costs") == by_type
        Path("costs").write_text("".join(lines[1:]))
        assert tool.told("qrels run -c costs").splitlines() == ["note: costs: 1 result without a cost, set to 1"]

    def test_cwl_eval_document_costs_equal_type_costs(self, here: Path, tool: Command) -> None:
        """Lines `doc cost`: documents have the same costs as their types."""
        by_type = tool.printed("qrels run -c costs")
        lines = [f"{t}-d{i} {COSTS[t][i - 1]}\n" for t in COSTS for i in RANKS]
        Path("costs").write_text("".join(lines))
        assert tool.printed("qrels run -c costs") == by_type
        Path("costs").write_text("".join([*lines, "T9-d1 4\n"]))
        count = len(lines) + 1
        assert tool.told("qrels run -c costs").splitlines() == [
            f"note: costs: 1 of {count} costs not used by any result"
        ]

    @pytest.mark.parametrize("cost", ["0", "-1", "free"])
    def test_free_lunches(self, here: Path, tool: Command, cost: str) -> None:
        Path("costs").write_text(f"web 1\nimage {cost}\n")
        expected = f"costs:2: found cost {cost}, expected a number > 0"
        assert tool.refused("qrels run -c costs") == expected


class TestOutput:
    def test_references(self, here: Path, tool: Command) -> None:
        """Those of the metrics used and no others, each once; the program's own first."""
        Path("metrics").write_text("RBPCWLMetric(0.5)\nRBPCWLMetric(0.9)\nTBGCWLMetric()\n")
        tool.printed("qrels run -m metrics -b used.bib")
        written = Path("used.bib").read_text()
        assert re.findall(r"^@\w+{(\w+),", written, re.MULTILINE) == [*("azzopardi2019", "moffat2008", "smucker2012")]
        assert written.count("{") == written.count("}")
        assert written == format_bibtex(read_metrics("metrics"))

    def test_no_references_where_nothing_is_measured(self, here: Path, tool: Command) -> None:
        Path("used.bib").write_text("before")
        tool.refused("qrels run -b used.bib --max_gain 0.5")
        assert Path("used.bib").read_text() == "before"
        assert tool.refused("qrels run -b nowhere/used.bib").startswith("cannot write nowhere")

    def test_nothing_else_is_written(self, here: Path, tool: Command) -> None:
        """The program leaves a cwl.log behind."""
        tool.printed("qrels run -r -n")
        assert sorted(path.name for path in here.iterdir()) == ["costs", "qrels", "run"]

    def test_missing_files(self, here: Path, tool: Command) -> None:
        for command in ("none run", "qrels none", "qrels run -c none", "qrels run -m none"):
            assert tool.refused(command) == "cannot read none: no such file or directory"

    def test_standard_input_is_read_once(self, here: Path, tool: Command) -> None:
        assert tool.refused("- -") == "standard input (-) can be used only once"

    def test_metrics_without_residuals(self, here: Path, tool: Command) -> None:
        Path("metrics").write_text("NCU(stop=u)\n")
        assert names(tool.printed("qrels run -m metrics")) == ["NCU(stop=u)"] * 2
        expected = "NCU(stop=u) has no residuals"
        assert tool.refused("qrels run -m metrics -r") == expected

    def test_a_measure_that_is_no_user_model(self) -> None:
        with pytest.raises(CranfieldError, match="nDCG has no measurement 'EU'"):
            parse_metric("nDCG@10")
