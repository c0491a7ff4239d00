"""gdeval, byte for byte: by hand, as its version 1.3 answered, and beside the Perl program itself.

The PyPI package ir-measures brings version 1.2a of the program, which prints all lines but the
means; version 1.3 of the Web track 2014 prints them, and what it printed is written down here.
"""

from __future__ import annotations

import gzip
import math
import random
import shutil
import subprocess
import sys
from pathlib import Path

import ir_measures
import pytest

import cranfield as cf
from cranfield.errors import CranfieldError
from cranfield.tools.gdeval import gdeval
from tests.evidence import checks
from tests.made import Command

# Topic 3 has no relevant document, 4 is not answered, 10 is not judged; in 1 scores contradict the
# ranks, in 2 there is a tie, which the larger id wins. The last line names the run.
QRELS = """\
1 0 a 1
1 0 b 2
2 0 a 4
2 0 c -2
3 0 a 0
4 0 a 1
"""
RUN = """\
2 Q0 a 1 1 first
2 Q0 c 2 1 first
10 Q0 a 1 1 first
3 Q0 a 1 1 first
1 Q0 b 1 1.0 first
1 Q0 a 2 2.0 last
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory with the collection in it."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)


@pytest.fixture
def tool(cranfield: Command) -> Command:
    return cranfield.of("gdeval")


def topics_in(text: str) -> list[str]:
    """The topics of an output."""
    return [line.split(",")[1] for line in text.splitlines()[1:]]


class TestByHand:
    @checks("cranfield gdeval", against="by hand")
    def test_two_documents(self) -> None:
        """Levels 1 and 2 in this order.

        nDCG: (1/log2(2) + 3/log2(3)) / (3/log2(2) + 1/log2(3)) = 2.892789 / 3.630930 = 0.796708
        ERR:  1/16 + 15/16 · 3/16 / 2 = 0.0625 + 0.087891 = 0.150391
        """
        lines, _ = gdeval({"1": {"a": 1, "b": 2}}, {"1": {"a": 2.0, "b": 1.0}})
        assert lines == [
            "runid,topic,ndcg@20,err@20",
            "run,1,0.79671,0.15039",
            "run,amean,0.79671,0.15039",
        ]

    def test_cutoff(self) -> None:
        """Rank 1 alone: nDCG is 1/3, ERR is 1/16."""
        lines, _ = gdeval({"1": {"a": 1, "b": 2}}, {"1": {"a": 2.0, "b": 1.0}}, 1)
        assert lines[:2] == ["runid,topic,ndcg@1,err@1", "run,1,0.33333,0.06250"]

    @pytest.mark.parametrize(
        ("level", "rank", "err"),
        [
            (1, 4, "0.01562"),  # 1/16/4 = 0.015625, which doubles hold: half to even
            (2, 4, "0.04688"),  # 3/16/4 = 0.046875, likewise
            (1, 20, "0.00313"),  # 1/16/20 is 0.003125 and a little more as a double,
            (2, 20, "0.00937"),  # 3/16/20 is 0.009375 and a little less,
            (3, 20, "0.02187"),  # 7/16/20 is 0.021875 and a little less,
            (4, 20, "0.04688"),  # 15/16/20 = 0.046875
        ],
    )
    def test_halves_of_the_fifth_decimal(self, level: int, rank: int, err: str) -> None:
        docs = {f"d{r}": -float(r) for r in range(1, rank + 1)}
        lines, _ = gdeval({"1": {f"d{rank}": level}}, {"1": docs})
        assert lines[1].split(",")[3] == err

    def test_means_are_added_up_topic_by_topic(self) -> None:
        """The numbers are those of `evaluate`, and so are the means but for rounding."""
        small = cf.simulate(topics=9, runs=1, depth=30, levels=3, seed=5)
        (run,) = small.runs.values()
        lines, _ = gdeval(small.qrels, run, 10)
        scores = cf.evaluate(small.qrels, run, "nDCG(gain=exp)@10 ERR(max_level=4)@10")
        (means,) = scores.summary().values()
        assert lines[-1].split(",")[2:] == [f"{mean:.5f}" for mean in means.values()]

    def test_means_where_the_order_of_additions_decides(self) -> None:
        """Levels and ranks of the one relevant document of each topic, found by search.

        The program adds topic by topic, which is done here in a loop, and version 1.3 prints
        0.19063; a sum that is rounded once (fsum) gives another fifth decimal.
        """
        topics = [(3, 20), (3, 3), (4, 3), (4, 1), (2, 5), (2, 3), (1, 20), (1, 15)]
        err = [(2**level - 1) / 16 / rank for level, rank in topics]
        added = 0.0
        for value in err:
            added += value
        assert (f"{added / 8:.5f}", f"{math.fsum(err) / 8:.5f}") == ("0.19063", "0.19062")
        qrels = {str(t): {f"d{rank}": level} for t, (level, rank) in enumerate(topics, 1)}
        run = {topic: {f"d{r}": -float(r) for r in range(1, 21)} for topic in qrels}
        lines, _ = gdeval(qrels, run)
        assert lines[-1].split(",")[3] == "0.19063"


class TestTranscripts:
    """What version 1.3 printed for the collection above, with these options."""

    def test_plain(self, tool: Command) -> None:
        assert tool.printed("qrels run") == (
            "runid,topic,ndcg@20,err@20\nlast,1,0.79671,0.15039\nlast,2,0.63093,0.46875\nlast,amean,0.71382,0.30957\n"
        )

    def test_complete(self, tool: Command) -> None:
        """Over topics 1, 2 and 4."""
        assert tool.printed("-c qrels run") == (
            "runid,topic,ndcg@20,err@20\nlast,1,0.79671,0.15039\nlast,2,0.63093,0.46875\nlast,amean,0.47588,0.20638\n"
        )

    @pytest.mark.parametrize("command", ["-k 1 qrels run", "qrels run 1", "qrels run -k 1"])
    def test_cutoff(self, tool: Command, command: str) -> None:
        assert tool.printed(command) == (
            "runid,topic,ndcg@1,err@1\nlast,1,0.33333,0.06250\nlast,2,0.00000,0.00000\nlast,amean,0.16667,0.03125\n"
        )

    def test_nothing_else_changes_a_byte(self, tool: Command) -> None:
        """Lines that end in CRLF, names before the numbers of topics, tabs."""
        plain = tool.printed("qrels run")
        named = "".join(f"wt-09-{line}\n" for line in RUN.splitlines())
        for text in (RUN.replace("\n", "\r\n"), RUN.replace(" ", "\t"), named):
            Path("run").write_bytes(text.encode())
            assert tool.printed("qrels run") == plain


PERL = shutil.which("perl")
SCRIPT = Path(ir_measures.__file__).parent / "bin" / "gdeval.pl"


@pytest.mark.skipif(PERL is None, reason="no perl on the PATH")
class TestBesidePerl:
    @checks("cranfield gdeval", against="gdeval")
    @pytest.mark.parametrize("seed", range(60))
    def test_random_collections(self, seed: int) -> None:
        rng = random.Random(seed)  # noqa: S311
        k = rng.choice([1, 3, 10, 20, 100])
        write_collection(rng)
        assert gdeval("qrels", "run", k)[0][:-1] == perl(k)

    def test_every_place_of_one_or_two_documents(self) -> None:
        """Where halves of the fifth decimal come up: 2 and 5 are the factors of the ranks."""
        ranks = (1, 2, 4, 5, 8, 10, 16, 20)
        places = [{r: x} for x in range(1, 5) for r in range(1, 41)]
        places += [{r: x, s: y} for x in range(1, 5) for y in range(1, 5)
                   for r in ranks for s in ranks if r < s]  # fmt: skip
        with Path("qrels").open("w") as qrels, Path("run").open("w") as run:
            for topic, levels in enumerate(places, 1):
                for r in range(1, max(levels) + 1):
                    run.write(f"{topic} Q0 d{r} {r} {-r} x\n")
                    if r in levels:
                        qrels.write(f"{topic} 0 d{r} {levels[r]}\n")
        assert gdeval("qrels", "run", 40)[0][:-1] == perl(40)


def perl(k: int) -> list[str]:
    """The lines of the Perl program."""
    command = [str(PERL), str(SCRIPT), "qrels", "run", str(k)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    return done.stdout.splitlines()


def write_collection(rng: random.Random) -> None:
    """Many ties, lists short and long, lines in any order, some topics here or there only."""
    docs = [f"d{rng.choice('abAB-_')}{i}" for i in range(rng.choice([3, 10, 60]))]
    prefix = rng.choice(["", "wt09-", "a-b-"])
    qrels, run = ["0 0 d 1"], ["0 Q0 d 1 1 tag"]  # a topic to average over in any case
    for topic in rng.sample(range(1, 300), rng.randint(1, 8)):
        if rng.random() < 0.9:
            for doc in rng.sample(docs, rng.randint(1, len(docs))):
                qrels.append(f"{topic} 0 {doc} {rng.choice([-2, 0, 0, 0, 1, 2, 3, 4])}")
        if rng.random() < 0.9:
            for rank, doc in enumerate(rng.sample(docs, rng.randint(1, len(docs)))):
                score = rng.choice([f"{rng.randint(-2, 3)}", f"{rng.random():.1e}"])
                run.append(f"{prefix}{topic} Q0 {doc} {rank} {score} tag")
    rng.shuffle(qrels)
    if rng.random() < 0.5:
        rng.shuffle(run)
    end = rng.choice(["\n", "\r\n"])
    for name, lines in (("qrels", qrels), ("run", run)):
        Path(name).write_bytes("".join(line + end for line in lines).encode())


class TestTopics:
    def test_numbers_are_in_their_order(self) -> None:
        topics = ["10", "9", "007", "123456789012345678901234567890", "8" * 5000]
        lists = {topic: {"a": 1} for topic in topics}
        lines, _ = gdeval(lists, lists)
        assert topics_in("\n".join(lines)) == ["007", "9", "10", *topics[3:], "amean"]

    def test_names_are_left_as_they_are(self) -> None:
        lists = {topic: {"a": 1} for topic in ("q-2", "q-x", "31_10", "31_2", "5", "٣")}
        lines, notes = gdeval(lists, lists)
        assert topics_in("\n".join(lines)) == ["5", "31_10", "31_2", "q-2", "q-x", "٣", "amean"]
        assert notes == []

    def test_prefixes_may_differ_between_files(self) -> None:
        qrels = {"wt09-1": {"a": 1}, "wt10-51": {"a": 1}}
        lines, _ = gdeval(qrels, {"1": {"a": 1.0}, "x-y-51": {"a": 1.0}})
        assert topics_in("\n".join(lines)) == ["1", "51", "amean"]

    def test_judged_topics_with_one_number_stay_two(self) -> None:
        lists = {"wt09-1": {"a": 1}, "wt10-1": {"b": 1}}
        lines, notes = gdeval(lists, lists)
        assert topics_in("\n".join(lines)) == ["wt09-1", "wt10-1", "amean"]
        assert [n.text for n in notes] == [
            "qrels: topics keep their names: some end in the same number (gdeval merges them)"
        ]

    def test_two_names_for_one_topic(self, tool: Command) -> None:
        Path("run").write_text(RUN + "wt-2 Q0 b 3 0.5 last\n")
        assert tool.refused("qrels run") == "run: topics 2 and wt-2 have the same number 2"
        with pytest.raises(CranfieldError, match="topics 2 and wt-2 have the same number 2"):
            gdeval("qrels", {"2": {"a": 1.0}, "wt-2": {"b": 1.0}})


class TestInputs:
    def test_dicts_paths_and_frames_are_alike(self) -> None:
        import polars as pl

        files, _ = gdeval(Path("qrels"), Path("run"))
        rows = [line.split() for line in RUN.splitlines()]
        columns = {"topic": [r[0] for r in rows], "doc": [r[2] for r in rows],
                   "score": [float(r[4]) for r in rows]}  # fmt: skip
        frames, _ = gdeval("qrels", pl.DataFrame(columns))
        assert [line.replace("last,", "run,") for line in files] == frames
        lists = cf.read_run("run", run_names="first").to_dict()
        dicts, _ = gdeval(cf.read_qrels("qrels").to_dict(), lists)
        assert dicts == frames

    def test_standard_input(self) -> None:
        command = [sys.executable, "-m", "cranfield", "gdeval", "qrels", "-"]
        done = subprocess.run(command, input=RUN, capture_output=True, check=True, text=True)
        assert done.stdout.splitlines() == gdeval("qrels", "run")[0]

    def test_standard_input_once_only(self, tool: Command) -> None:
        assert tool.refused("- -") == "standard input (-) can be used only once"

    def test_compressed(self, tool: Command) -> None:
        plain = tool.printed("qrels run")
        Path("run.gz").write_bytes(gzip.compress(RUN.encode()))
        assert tool.printed("qrels run.gz") == plain

    def test_comments_and_blank_lines(self, tool: Command) -> None:
        plain = tool.printed("qrels run")
        Path("qrels").write_text("# judged twice\n\n" + QRELS)
        Path("run").write_text(f"# ours\n\n{RUN}\n# the end\n")
        assert tool.printed("qrels run") == plain

    def test_a_name_is_no_format(self, tool: Command) -> None:
        """The program hands the name to printf."""
        Path("run").write_text("1 Q0 a 1 1 50%d\n")
        assert tool.printed("qrels run").splitlines()[1].startswith("50%d,1,")

    def test_other_second_columns_and_ranks(self, tool: Command) -> None:
        plain = tool.printed("qrels run")
        Path("qrels").write_text(QRELS.replace(" 0 ", " Q0 "))
        Path("run").write_text(RUN.replace(" Q0 ", " 0 "))
        assert tool.printed("qrels run").splitlines()[1:3] == plain.splitlines()[1:3]

    def test_notes(self, tool: Command) -> None:
        said = tool.told("qrels run")
        assert "1 topic (3) without relevant documents, excluded from the means\n" in said
        assert "last: 1 topic (4) missing, excluded\n" in said
        assert "last: 1 topic (10) without judgments, ignored\n" in said
        assert "ties could change a score in 1 topic (2)" in said
        assert "(4) missing, scored as empty\n" in tool.told("-c qrels run")


WRONG_QRELS = [
    ("1 0 a 5", "1: found level 5 for document a of topic 1, expected an integer ≤ 4"),
    ("1 0 a 1.5", "1: found level 1.5 for document a of topic 1, expected an integer ≤ 4"),
    ("1 0 a x", "1: found level 'x', expected a finite number"),
    ("1 0 a", "1: found 3 fields ('1 0 a'), expected 4: topic iteration doc level"),
    ("1 0 a 1\n1 0 a 2", "2: conflicting levels for document 'a' in topic 1: 2 here, 1 on line 1"),
    ("1 0 a 0", " no topic has a relevant document"),
]


class TestMistakes:
    @pytest.mark.parametrize(("text", "said"), WRONG_QRELS)
    def test_in_judgments(self, tool: Command, text: str, said: str) -> None:
        Path("qrels").write_text(text)
        assert tool.refused("qrels run").startswith(f"qrels:{said}")

    def test_other_encodings(self, tool: Command) -> None:
        Path("run").write_bytes(b"1 Q0 a 1 1 \xe9\xff\n")
        assert tool.refused("qrels run").startswith("run:1: found bytes that are not UTF-8")

    def test_level_on_standard_input(self, tool: Command) -> None:
        said = "standard input:1: found level 5 for document a"
        assert tool.refused("- run", stdin="1 0 a 5\n").startswith(said)

    def test_nothing_in_common(self, tool: Command) -> None:
        Path("run").write_text("99 Q0 a 1 1 t\n")
        assert "no judged topic" in tool.refused("qrels run")

    def test_missing_file(self, tool: Command) -> None:
        assert tool.refused("qrels none") == "cannot read none: no such file or directory"

    @pytest.mark.parametrize(
        "command",
        ["-baseline run qrels run", "qrels run -riskAlpha 5", "-riskAlpha 5 -baseline a qrels run"],
    )
    def test_risk(self, tool: Command, command: str) -> None:
        assert tool.refused(command) == ("-baseline and -riskAlpha are not supported")

    @pytest.mark.parametrize(
        "command",
        [
            "qrels",
            "qrels run 0",
            "qrels run x",
            "-k 0 qrels run",
            "qrels run 5 6",
            "-x qrels run",
            "-k 5 qrels run 5",
        ],
    )
    def test_usage(self, tool: Command, command: str) -> None:
        assert tool.refused(command)

    @pytest.mark.parametrize(
        ("option", "said"), [("-help", "QRELS RUN [K]"), ("-version", cf.__version__),
                             ("-v", cf.__version__)],
    )  # fmt: skip
    def test_help_and_version(self, tool: Command, option: str, said: str) -> None:
        assert said in tool.printed(option)
