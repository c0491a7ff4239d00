"""ndeval, byte for byte: by hand, as its version 4.5 answered, and beside pyndeval.

The PyPI package pyndeval has the program's C code for the values of topics, and neither its files
nor its options nor its means; what version 4.5 itself printed is written down here.
"""

from __future__ import annotations

import gzip
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyndeval
import pytest

import cranfield as cf
from cranfield.errors import CranfieldError
from cranfield.measures.diversity import GreedyCascade
from cranfield.tools.ndeval import COLUMNS, ndeval
from tests.evidence import checks
from tests.made import Command

# Topic 3 is not answered, 10 is not judged; subtopic 3 of topic 1 has no relevant document; in
# topic 1 scores contradict ranks, in topic 2 there is a tie. The first line names the run.
QRELS = """\
1 1 a 1
1 2 b 1
1 2 c 2
1 1 c 0
1 3 a 0
2 1 a 1
2 4 a 1
2 1 d 1
3 1 a 1
"""
RUN = """\
wt09-2 Q0 x 1 1 first
wt09-2 Q0 a 2 1 first
wt09-10 Q0 a 1 1 first
wt09-1 Q0 b 2 9.5 last
wt09-1 Q0 a 1 2.0 last
wt09-1 Q0 x 4 1.0 last
wt09-1 Q0 c 7 0.5 last
"""
BASELINE = """\
1 Q0 c 1 3 base
3 Q0 a 1 1 base
"""
HEADER = (
    "runid,topic,ERR-IA@5,ERR-IA@10,ERR-IA@20,nERR-IA@5,nERR-IA@10,nERR-IA@20,"
    "alpha-DCG@5,alpha-DCG@10,alpha-DCG@20,alpha-nDCG@5,alpha-nDCG@10,alpha-nDCG@20,"
    "NRBP,nNRBP,MAP-IA,P-IA@5,P-IA@10,P-IA@20,strec@5,strec@10,strec@20"
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory with the collection in it."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)
    Path("base").write_text(BASELINE)


@pytest.fixture
def tool(cranfield: Command) -> Command:
    return cranfield.of("ndeval")


class TestByHand:
    """One topic, subtopics x and y; a is relevant to both, b to x."""

    QRELS = (("1", "x", "a", 1), ("1", "y", "a", 1), ("1", "x", "b", 1))

    @checks("cranfield ndeval", against="by hand")
    def test_perfect_list(self) -> None:
        """ng(r) is 2 and 1/2; the best there could be adds 2/2^(r-1) at rank r.

        ERR-IA@5:   (2 + 0.5/2) / 2(1 + 1/4 + 1/12 + 1/32 + 1/80) = 2.25/2.754167 = 0.816944
        NRBP:       (1 - 0.5·0.5)/2 · (2 + 0.5·0.5) = 0.84375
        MAP-IA:     (1 + 1)/2;   P-IA@5: 3/(5·2);   strec@5: 2/2
        """
        found = row(self.QRELS, ["a", "b"])
        assert found["ERR-IA@5"] == "0.816944"
        assert found["NRBP"] == "0.843750"
        assert found["P-IA@5"] == "0.300000"
        for name in ("nERR-IA@5", "alpha-nDCG@5", "nNRBP", "MAP-IA", "strec@5"):
            assert found[name] == "1.000000"

    def test_worse_list(self) -> None:
        """ng(r) is 1 and 1.5 against 2 and 0.5 of the ideal list.

        nERR-IA@5:    (1 + 1.5/2) / (2 + 0.5/2) = 7/9
        nNRBP:        the same, with β = 1/2
        alpha-nDCG@5: (1 + 1.5/log2(3)) / (2 + 0.5/log2(3)) = 1.946394/2.315465 = 0.840606
        MAP-IA:       (1 + 1/2)/2
        """
        found = row(self.QRELS, ["b", "a"])
        assert found["nERR-IA@5"] == found["nNRBP"] == "0.777778"
        assert found["alpha-nDCG@5"] == "0.840606"
        assert found["MAP-IA"] == "0.750000"

    def test_parameters(self) -> None:
        """α = 0.2, β = 0.8: NRBP is (1 - 0.8·0.8)/2 · (2 + 0.8·0.8) = 0.4752."""
        assert row(self.QRELS, ["a", "b"], alpha=0.2, beta=0.8)["NRBP"] == "0.475200"

    def test_all_levels_above_0_are_alike(self) -> None:
        graded = [(t, i, doc, 3 if doc == "b" else 1) for t, i, doc, _ in self.QRELS]
        assert row(graded, ["b", "a"]) == row(self.QRELS, ["b", "a"])

    def test_subtopics_without_relevant_documents_do_not_count(self) -> None:
        more = [*self.QRELS, ("1", "z", "a", 0), ("1", "w", "b", -2)]
        assert row(more, ["b", "a"]) == row(self.QRELS, ["b", "a"])

    def test_halves_of_nrbp(self) -> None:
        """For 3 of 15 subtopics at rank 6: 0.75/15·3/32 = 0.0046875, printed as 0.004688."""
        qrels = [("1", str(i), "a" if i < 3 else "b", 1) for i in range(15)]
        assert row(qrels, [*"uvwxy", "a"])["NRBP"] == f"{3 / 32 * (0.75 / 15):.6f}" == "0.004688"

    def test_sums_of_many_subtopics_are_divided_once(self) -> None:
        """19 documents for 3 of 32 subtopics each: P-IA@20 is 57/(20·32) = 0.0890625.

        The program prints 0.089063; the mean over subtopics has another last bit, and digit.
        """
        qrels = [("1", str(i), "b", 1) for i in range(32)]
        qrels += [("1", str((3 * d + j) % 32), f"d{d}", 1) for d in range(19) for j in range(3)]
        docs = [f"d{d}" for d in range(19)]
        assert row(qrels, docs)["P-IA@20"] == f"{57 / 640:.6f}" == "0.089063"
        mean = cf.evaluate(qrels, {"1": docs}, "P_IA@20").values[0, 0, 0]
        assert f"{mean:.6f}" == "0.089062"


def row(qrels: Sequence[tuple[Any, ...]], docs: list[str], **options: Any) -> dict[str, str]:
    """What is printed of one topic."""
    lines, _ = ndeval(list(qrels), {"1": docs}, **options)
    return dict(zip(lines[0].split(","), lines[1].split(","), strict=True))


# What version 4.5 printed of the collection above, each line in three, without the name of the run.
PLAIN = """\
1,0.590015,0.586164,0.586095,0.975000,0.975000,0.975000,
0.607934,0.599818,0.599612,0.981572,0.981572,0.981572,
0.585938,0.961538,0.750000,0.300000,0.150000,0.075000,1.000000,1.000000,1.000000
2,0.363086,0.360717,0.360674,0.444444,0.444444,0.444444,
0.415501,0.409955,0.409814,0.544970,0.544970,0.544970,
0.375000,0.444444,0.375000,0.200000,0.100000,0.050000,1.000000,1.000000,1.000000
10,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,
0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,
0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000
amean,0.476551,0.473441,0.473384,0.709722,0.709722,0.709722,
0.511718,0.504887,0.504713,0.763271,0.763271,0.763271,
0.480469,0.702991,0.562500,0.250000,0.125000,0.062500,1.000000,1.000000,1.000000
"""
COMPLETE = """\
amean,0.317700,0.315627,0.315590,0.473148,0.473148,0.473148,
0.341145,0.336591,0.336475,0.508847,0.508847,0.508847,
0.320312,0.468661,0.375000,0.166667,0.083333,0.041667,0.666667,0.666667,0.666667
"""
TRADITIONAL = """\
1,0.590015,0.586164,0.586095,0.975000,0.975000,0.975000,
0.607934,0.599818,0.599612,0.981572,0.981572,0.981572,
0.585938,0.961538,0.625000,0.300000,0.150000,0.075000,1.000000,1.000000,1.000000
amean,0.476551,0.473441,0.473384,0.709722,0.709722,0.709722,
0.511718,0.504887,0.504713,0.763271,0.763271,0.763271,
0.480469,0.702991,0.500000,0.250000,0.125000,0.062500,1.000000,1.000000,1.000000
"""
OTHERS = """\
1,0.466200,0.430686,0.423005,0.962264,0.962264,0.962264,
0.448216,0.385342,0.367508,0.972693,0.972693,0.972693,
0.397728,0.955709,0.750000,0.300000,0.150000,0.075000,1.000000,1.000000,1.000000
2,0.274235,0.253345,0.248826,0.416667,0.416667,0.416667,
0.286304,0.246143,0.234751,0.503788,0.503788,0.503788,
0.288000,0.606061,0.375000,0.200000,0.100000,0.050000,1.000000,1.000000,1.000000
amean,0.370217,0.342016,0.335916,0.689465,0.689465,0.689465,
0.367260,0.315742,0.301129,0.738240,0.738240,0.738240,
0.342864,0.780885,0.562500,0.250000,0.125000,0.062500,1.000000,1.000000,1.000000
"""
SHORT = """\
1,0.544629,0.541075,0.541011,0.900000,0.900000,0.900000,
0.537028,0.529859,0.529677,0.867087,0.867087,0.867087,
0.562500,0.923077,0.625000,0.200000,0.100000,0.050000,1.000000,1.000000,1.000000
amean,0.453858,0.450896,0.450842,0.672222,0.672222,0.672222,
0.476265,0.469907,0.469745,0.706029,0.706029,0.706029,
0.468750,0.683761,0.500000,0.200000,0.100000,0.050000,1.000000,1.000000,1.000000
"""
RISK = """\
1,0.226929,0.225448,0.225421,0.375000,0.375000,0.375000,
0.278657,0.274937,0.274842,0.449920,0.449920,0.449920,
0.210938,0.346154,0.500000,0.200000,0.100000,0.050000,0.500000,0.500000,0.500000
2,0.363086,0.360717,0.360674,0.444444,0.444444,0.444444,
0.415501,0.409955,0.409814,0.544970,0.544970,0.544970,
0.375000,0.444444,0.375000,0.200000,0.100000,0.050000,1.000000,1.000000,1.000000
amean,0.295008,0.293082,0.293047,0.409722,0.409722,0.409722,
0.347079,0.342446,0.342328,0.497445,0.497445,0.497445,
0.292969,0.395299,0.437500,0.200000,0.100000,0.050000,0.750000,0.750000,0.750000
"""
RISK_OF_ALL = """\
3,-2.541604,-2.525016,-2.524716,-3.500000,-3.500000,-3.500000,
-2.304940,-2.274171,-2.273389,-3.500000,-3.500000,-3.500000,
-2.625000,-3.500000,-3.500000,-0.700000,-0.350000,-0.175000,-3.500000,-3.500000,-3.500000
amean,-0.650530,-0.646284,-0.646207,-0.893519,-0.893519,-0.893519,
-0.536927,-0.529760,-0.529578,-0.835037,-0.835037,-0.835037,
-0.679688,-0.903134,-0.875000,-0.100000,-0.050000,-0.025000,-0.666667,-0.666667,-0.666667
"""


def lines(*transcripts: str, name: str = "first") -> list[str]:
    """The lines of transcripts."""
    rows = "".join(transcripts).replace(",\n", ",").splitlines()
    return [f"{name},{row}" for row in rows]


class TestTranscripts:
    def test_plain(self, tool: Command) -> None:
        assert tool.printed("qrels run").splitlines() == [HEADER, *lines(PLAIN)]

    @pytest.mark.parametrize("option", ["-c", "-ca", "-a -c"])
    def test_complete(self, tool: Command, option: str) -> None:
        """Over topics 1, 2 and 3."""
        found = tool.printed(f"{option} qrels run").splitlines()
        assert found == [HEADER, *lines(PLAIN)[:-1], *lines(COMPLETE)]

    def test_traditional(self, tool: Command) -> None:
        """The scores turn the order of a and b in topic 1 around."""
        found = tool.printed("-traditional qrels run").splitlines()
        assert [found[1], found[-1]] == lines(TRADITIONAL)

    def test_alpha_and_beta(self, tool: Command) -> None:
        found = tool.printed("-alpha 0.2 -beta 0.8 qrels run").splitlines()
        assert [*found[1:3], found[-1]] == lines(OTHERS)

    def test_depth(self, tool: Command) -> None:
        """The first two documents, whatever their ranks."""
        found = tool.printed("-M 2 qrels run").splitlines()
        assert [found[1], found[-1]] == lines(SHORT)

    def test_risk(self, tool: Command) -> None:
        Path("run").write_text(RUN.replace("wt09-10 Q0 a 1 1 first\n", ""))
        relative = "first (rel to. base; rs=1+a; a=2.5)"
        options = "-baseline base -riskAlpha 2.5 qrels run"
        expected = lines(RISK, name=relative)
        assert tool.printed(options).splitlines() == [HEADER, *expected]
        found = tool.printed(f"-c {options}").splitlines()
        assert found == [HEADER, *expected[:2], *lines(RISK_OF_ALL, name=relative)]

    def test_nothing_else_changes_a_byte(self, tool: Command) -> None:
        """Lines that end in CRLF, tabs, no names before the numbers of topics, further fields."""
        plain = tool.printed("qrels run")
        further = "".join(f"{line} more\n" for line in RUN.splitlines())
        for text in (RUN.replace("\n", "\r\n"), RUN.replace(" ", "\t"), further):
            Path("run").write_bytes(text.encode())
            assert tool.printed("qrels run") == plain
        Path("run").write_text(RUN.replace("wt09-", ""))
        assert tool.printed("qrels run") == plain


class TestBesidePyndeval:
    @checks("cranfield ndeval", against="ndeval")
    @pytest.mark.parametrize("seed", range(150))
    def test_random_collections(self, seed: int) -> None:
        """The values of topics, as C's printf and Python's format write them."""
        rng = random.Random(seed)  # noqa: S311
        alpha, beta = rng.choice([(0.5, 0.5), (0.2, 0.8), (0.9, 0.1), (0.0, 0.4), (1.0, 0.75)])
        qrels, run = write_collection(rng)
        expected = pyndeval.ndeval(
            [pyndeval.SubtopicQrel(*each) for each in qrels],
            [pyndeval.ScoredDoc(topic, doc, -rank) for topic, doc, rank in run],
            measures=COLUMNS, alpha=alpha, beta=beta,
        )  # fmt: skip
        found, _ = ndeval("qrels", "run", alpha=alpha, beta=beta)
        assert found[1:-1] == [
            f"tag,{topic}," + ",".join(f"{expected[topic][name]:.6f}" for name in COLUMNS)
            for topic in sorted(expected, key=int)
        ]


def write_collection(rng: random.Random) -> tuple[list[Any], list[Any]]:
    """Few and many subtopics, lists short and long, lines in any order; every topic is judged, has
    a relevant document (pyndeval says nan of others) and is answered."""
    docs = [f"d{rng.choice('abAB-_')}{i}" for i in range(rng.choice([3, 10, 60]))]
    qrels: list[tuple[str, str, str, int]] = []
    run: list[tuple[str, str, int]] = []
    for topic in map(str, rng.sample(range(1, 300), rng.randint(1, 5))):
        subtopics = range(rng.choice([1, 2, 3, 4, 5, 8, 16]))
        qrels.append((topic, "0", "relevant", 1))
        for doc in rng.sample(docs, rng.randint(1, len(docs))):
            levels = rng.choices([0, 1, 2], [5, 2, 1], k=len(subtopics))
            qrels += [(topic, str(i), doc, levels[i]) for i in subtopics if rng.random() < 0.8]
        found = rng.sample(docs, rng.randint(1, len(docs)))
        ranks = sorted(rng.sample(range(200), len(found)))
        run += [(topic, doc, rank) for doc, rank in zip(found, ranks, strict=True)]
    rng.shuffle(qrels)
    written = [f"wt-{topic} Q0 {doc} {rank} {rng.random()} tag" for topic, doc, rank in run]
    rng.shuffle(written)
    Path("qrels").write_text("".join(f"{t} {i} {doc} {x}\n" for t, i, doc, x in qrels))
    Path("run").write_text("".join(f"{line}\n" for line in written))
    return qrels, run


class TestTopics:
    def test_without_judgments(self, tool: Command) -> None:
        """Printed, all zero, and not counted: topic 10. It is the program's way, so we tell."""
        assert "first: 1 topic (10) without judgments, ignored\n" in tool.told("qrels run")
        plain = tool.printed("qrels run").splitlines()
        Path("run").write_text(RUN.replace("wt09-10 Q0 a 1 1 first\n", ""))
        assert tool.printed("qrels run").splitlines() == [*plain[:3], plain[4]]

    def test_without_relevant_documents(self, tool: Command) -> None:
        """They count as 0; the program prints -nan for nNRBP, and for its mean."""
        Path("qrels").write_text(QRELS + "4 1 a 0\n")
        Path("run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n1 Q0 c 3 0 t\n4 Q0 a 1 1 t\n")
        found = tool.printed("qrels run").splitlines()
        assert found[2] == "t,4," + ",".join(["0.000000"] * 21)
        nnrbp = HEADER.split(",").index("nNRBP")
        assert [line.split(",")[nnrbp] for line in found[1:]] == [
            "1.000000",
            "0.000000",
            "0.500000",
        ]
        assert "1 topic (4) without relevant documents, scored 0\n" in tool.told("qrels run")

    def test_means_with_a_baseline_are_over_judged_topics(self, tool: Command) -> None:
        """As without one; the program has topic 10 among them then."""
        options = "-baseline base qrels run"
        counted = tool.printed(options).splitlines()[-1]
        Path("run").write_text(RUN.replace("wt09-10 Q0 a 1 1 first\n", ""))
        assert tool.printed(options).splitlines()[-1] == counted

    def test_names_are_left_as_they_are(self) -> None:
        topics = ("q-x", "b", "10", "9")
        qrels = [(topic, "1", "a", 1) for topic in topics]
        found, _ = ndeval(qrels, {topic: ["a"] for topic in topics})
        assert [line.split(",")[1] for line in found[1:]] == ["9", "10", "b", "q-x", "amean"]

    def test_two_names_for_one_topic(self, tool: Command) -> None:
        Path("run").write_text(RUN + "2 Q0 d 9 0.5 last\n")
        said = "run: topics wt09-2 and 2 have the same number 2"
        assert tool.refused("qrels run") == said


class TestOrder:
    def test_ranks_twice(self, tool: Command) -> None:
        Path("run").write_text(RUN + "wt09-1 Q0 d 4 0.1 last\n")
        said = "run:8: duplicate rank 4 in topic wt09-1"
        assert tool.refused("qrels run") == f"{said}. To rank by score, use -traditional."
        assert tool.printed("-traditional qrels run").splitlines()[0] == HEADER

    def test_ranks_twice_in_the_baseline(self, tool: Command) -> None:
        Path("base").write_text(BASELINE + "3 Q0 b 1 1 base\n")
        assert tool.refused("-baseline base qrels run").startswith("base:3: duplicate rank 1 in topic 3")

    def test_the_same_rank_in_two_topics(self, tool: Command) -> None:
        """It is in the collection: topics 1, 2 and 10."""
        assert tool.printed("qrels run").splitlines()[0] == HEADER

    def test_traditional_ties(self) -> None:
        """By document id, the largest first: x before a, as in the file; z before x."""
        before = ndeval("qrels", "run", traditional=True)[0][2]
        Path("run").write_text(RUN.replace(" x ", " A "))
        assert ndeval("qrels", "run", traditional=True)[0][2] != before
        assert ndeval("qrels", "run")[0][2] == before


class TestInputs:
    def test_dicts_paths_and_frames_are_alike(self) -> None:
        import polars as pl

        files, _ = ndeval(Path("qrels"), Path("run"))
        rows = [line.split() for line in RUN.splitlines()]
        columns: dict[str, list[Any]] = {"topic": [r[0] for r in rows], "doc": [r[2] for r in rows],
                   "rank": [int(r[3]) for r in rows]}  # fmt: skip
        frames, _ = ndeval("qrels", pl.DataFrame(columns))
        assert [line.replace("first,", "run,") for line in files] == frames
        ranked = sorted(rows, key=lambda r: int(r[3]))
        lists = {t: [r[2] for r in ranked if r[0] == t] for t in columns["topic"]}
        judged = [tuple(line.split()) for line in QRELS.splitlines()]
        qrels = [(t, i, d, int(x)) for t, i, d, x in judged]
        assert ndeval(qrels, lists)[0] == frames

    def test_standard_input(self) -> None:
        command = [sys.executable, "-m", "cranfield", "ndeval", "qrels", "-"]
        done = subprocess.run(command, input=RUN, capture_output=True, check=True, text=True)
        assert done.stdout.splitlines() == ndeval("qrels", "run")[0]

    @pytest.mark.parametrize("command", ["- -", "-baseline - qrels -"])
    def test_standard_input_once_only(self, tool: Command, command: str) -> None:
        assert tool.refused(command) == "standard input (-) can be used only once"

    def test_compressed(self, tool: Command) -> None:
        plain = tool.printed("qrels run")
        Path("run.gz").write_bytes(gzip.compress(RUN.encode()))
        assert tool.printed("qrels run.gz") == plain

    def test_notes(self, tool: Command) -> None:
        said = tool.told("qrels run")
        assert "first: 1 topic (3) missing, excluded\n" in said
        assert "probable" not in said  # subtopics are alike here, always
        assert "(3) missing, scored as empty\n" in tool.told("-c qrels run")


WRONG_QRELS = [
    ("1 1 a x", "1: found level 'x', expected a finite number"),
    ("1 1 a", "1: found 3 fields ('1 1 a'), expected 4: topic intent doc level"),
]


class TestMistakes:
    @pytest.mark.parametrize(("text", "said"), WRONG_QRELS)
    def test_in_judgments(self, tool: Command, text: str, said: str) -> None:
        Path("qrels").write_text(text)
        assert tool.refused("qrels run").startswith(f"qrels:{said}")

    def test_ranks_that_are_not_numbers(self, tool: Command) -> None:
        Path("run").write_text("1 Q0 a one 1 t")
        said = "run: ranks are not numbers, which --order rank requires"
        assert tool.refused("qrels run") == said

    def test_two_levels_for_a_document_and_a_subtopic(self, tool: Command) -> None:
        Path("qrels").write_text(QRELS + "1 1 a 0\n")
        assert tool.refused("qrels run").startswith("qrels:10: conflicting levels for document 'a'")

    def test_nothing_in_common(self) -> None:
        with pytest.raises(CranfieldError, match="no judged topic"):
            ndeval("qrels", {"99": ["a"]})

    def test_missing_file(self, tool: Command) -> None:
        assert tool.refused("qrels none") == "cannot read none: no such file or directory"

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ("-alpha 2", "ERR_IA: alpha must be a number in [0, 1], found 2"),
            ("-alpha nan", "ERR_IA: alpha must be a number in [0, 1], found nan"),
            ("-beta 1", "NRBP: beta must be a number between 0 and 1, found 1"),
        ],
    )
    def test_parameters(self, tool: Command, options: str, said: str) -> None:
        assert said in tool.refused(f"{options} qrels run")

    @pytest.mark.parametrize(
        "command",
        ["qrels", "qrels run more", "-M 0 qrels run", "-alpha x qrels run", "-x qrels run",
         "-riskAlpha -1 qrels run", "-riskAlpha inf qrels run"],
    )  # fmt: skip
    def test_usage(self, tool: Command, command: str) -> None:
        assert tool.refused(command)

    @pytest.mark.parametrize(
        ("option", "said"), [("-help", "QRELS RUN"), ("-version", cf.__version__),
                             ("-v", cf.__version__)],
    )  # fmt: skip
    def test_help_and_version(self, tool: Command, option: str, said: str) -> None:
        assert said in tool.printed(option)


def test_ideal_lists_are_made_once_for_all_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the number of runs, once for each measure that has one."""
    calls: list[str] = []
    greedy = GreedyCascade.sum_greedy

    def counted(self: GreedyCascade, x: Any) -> Any:
        calls.append(str(self))
        return greedy(self, x)

    monkeypatch.setattr(GreedyCascade, "sum_greedy", counted)
    runs = {f"run{i}": {"1": ["a", "b", "c"], "2": ["d"]} for i in range(4)}
    scores = cf.evaluate("qrels", runs, "alpha_nDCG@20 nERR_IA@20 alpha_DCG@20")
    assert len(scores.runs) == 4
    assert sorted(calls) == ["alpha_nDCG@20", "nERR_IA@20"]
