"""NTCIREVAL's diversity: the paper's Figures 4 and 5, its scripts' files, pyNTCIREVAL, by hand."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data.ntcir.nev import read_results
from cranfield.data.ntcir.topic_dirs import IntentGain, Judgment, LabelledItem
from cranfield.data.reading.source import Source
from cranfield.tools.ntcir_diversity import dinlabel, format_gains, gcompute, glabel, irec
from cranfield.tools.ntcir_eval import Setting, Topic
from tests.evidence import checks
from tests.made import Command, examples
from tests.tools.made import read, write

# Figure 4 of Sakai (2011) in the program's own layout. The paper prints O-measure as Q-measure.
FIGURE_4 = """\
 # syslen=3 jrel=1 jnonrel=0
 # r1=3 rp=3
 RR=                  0.3333
 O-measure=           0.5833
 P-measure=           0.5833
 P-plus=              0.5833
 AP=                  0.3333
 Q-measure=           0.5833
 NCUrb,P=             0.3333
 NCUrb,BR=            0.5833
 RBP=                 0.0451
 ERR=                 0.2143
 AP@1000=             0.3333
 Q@1000=              0.5833
 nDCG@1000=           0.6309
 MSnDCG@1000=         0.5000
 P@1000=              0.0010
 nERR@1000=           0.3333
 Hit@1000=            1.0000
"""
FIGURE_5 = """\
 #intent_num=2
 I-rec@n=             0.0000
 I-rec@1000=          1.0000
"""
LABELLED = "c\nb\na 1.8000\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the paper's example in it."""
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "example.res": "c\nb\na\n",
        "example.Grelv": "a 1.8\n",
        "example.Irelv1": "a 2\n",
        "example.Irelv2": "a 1\n",
        "example.glab": LABELLED,
    }.items():
        write(name, text)
    return tmp_path


def ideal(text: str) -> list[Judgment]:
    """``a 1.8, b 0`` as an ideal list."""
    pairs = (item.split() for item in text.split(","))
    return [Judgment(line, doc, float(gain), None) for line, (doc, gain) in enumerate(pairs, 1)]


def values(text: str) -> dict[str, str]:
    """The values of an output by name."""
    lines = (line.split()[-2:] for line in text.splitlines() if line and "#" not in line)
    return {name.rstrip("="): value for name, value in lines}


class TestFigures:
    @checks("cranfield ntcir_eval", against="Sakai 2011")
    def test_figure_4(self, ntcir_eval: Command) -> None:
        assert ntcir_eval.printed("glabel -I example.Grelv", stdin=read("example.res")) == LABELLED
        assert ntcir_eval.printed("glabel -I example.Grelv example.res") == LABELLED
        assert ntcir_eval.printed("gcompute -I example.Grelv", stdin=LABELLED) == FIGURE_4
        assert ntcir_eval.printed("gcompute -I example.Grelv example.glab") == FIGURE_4

    def test_figure_4_in_a_pipe(self) -> None:
        """cat example.res | ntcir_eval glabel -I example.Grelv | ntcir_eval gcompute …"""
        command = [sys.executable, "-m", "cranfield", "ntcir_eval"]
        ideal_list = ["-I", "example.Grelv"]
        with Path("example.res").open("rb") as res:
            first = subprocess.Popen([*command, "glabel", *ideal_list], stdin=res, stdout=subprocess.PIPE)
            done = subprocess.run(
                [*command, "gcompute", *ideal_list],
                stdin=first.stdout, capture_output=True, check=True,
            )  # fmt: skip
        assert first.wait() == 0
        assert (done.stdout.decode(), done.stderr) == (FIGURE_4, b"")

    def test_figure_5(self, ntcir_eval: Command) -> None:
        assert ntcir_eval.printed("irec example.res example.Irelv1 example.Irelv2") == FIGURE_5
        stdin = read("example.res")
        assert ntcir_eval.printed("irec - example.Irelv1 example.Irelv2", stdin=stdin) == FIGURE_5

    def test_the_output_of_later_releases(self, ntcir_eval: Command) -> None:
        """Only a counts, at rank 3, where it satisfies with 1.8/2.8; BR(3) = 2.8/4.8.

        EBR = 1.8/2.8 · 2.8/4.8 = 0.375, iRBU = 1.8/2.8 · 0.99³; of ideal lists 0.6429 and 0.6364.
        """
        new = {
            **{"NCUrb,IE": "0.9703", "EBR": "0.3750", "iRBU": "0.6238", "nRBP": "0.9025"},
            **{"nEBR": "0.5833", "niRBU": "0.9801"},
        }
        known = values(FIGURE_4)
        whole = "RR O-measure P-measure P-plus AP Q-measure NCUrb,P NCUrb,BR NCUrb,IE RBP ERR EBR"
        top = "AP Q NCUrb,P NCUrb,BR NCUrb,IE nDCG MSnDCG Prec RBP nRBP ERR nERR EBR nEBR iRBU niRBU"
        expected = {name: (known | new)[name] for name in [*whole.split(), "iRBU"]}
        at_cutoff = {name.partition("@")[0]: value for name, value in known.items() if "@" in name}
        at_cutoff = expected | at_cutoff | new | {"Prec": at_cutoff["P"]}
        expected |= {f"{name}@1000": at_cutoff[name] for name in [*top.split(), "Hit"]}
        found = ntcir_eval.printed("gcompute --as-version 2019 -out T -I example.Grelv example.glab")
        lines = [f"T {name + '=':<21}{value}" for name, value in expected.items()]
        assert found.splitlines() == ["T # syslen=3 jrel=1 jnonrel=0", "T # r1=3 rp=3", *lines]

    def test_the_release_of_january_2019(self, ntcir_eval: Command) -> None:
        found = ntcir_eval.printed("gcompute --as-version 190111 -I example.Grelv example.glab")
        assert {"EBR": "0.3750", "EBR@1000": "0.3750", "RBP@1000": "0.0451"}.items() <= values(found).items()
        assert "NCUgu" not in found
        assert "iRBU" not in found

    def test_verbose(self, ntcir_eval: Command) -> None:
        """1.8/ln 2 = 2.5969, 1.8/log2 3 = 1.1357, 1.8/ln 4 = 1.2984. No levels are declared."""
        head, *rest = FIGURE_4.splitlines(keepends=True)
        steps = "".join(f"#{i} CGi=1.8000 DCGi=1.8000 msDCGi=2.5969\n" for i in (1, 2, 3))
        found = "#3 count=1 Gs=1.8000 CGs=1.8000 DCGs=1.1357 msDCGs=1.2984 BR=0.5833\n"
        expected = f"{head}\n{steps}\n{found}\n{''.join(rest)}"
        assert ntcir_eval.printed("gcompute -v -I example.Grelv example.glab") == expected


class TestLabels:
    def test_truncation_comes_before_condensation(self) -> None:
        found = glabel(ideal("a 1.8, b 0"), ["c", "b", "a"][:2], condensed=True)
        assert format_gains(found) == "b 0.0000\n"

    def test_gains_have_four_decimals(self) -> None:
        found = glabel(ideal("a 1.33335, b 0.00004"), ["b", "a"])
        assert format_gains(found) == "b 0.0000\na 1.3334\n"
        assert [item.level for item in found] == [0.0, 1.3334]

    def test_answers_with_blanks(self, ntcir_eval: Command) -> None:
        write("i", "Paul McCartney;1.5\n")
        write("d", "1;nav;Paul McCartney;1.5\n")
        write("l", "George Martin\nPaul McCartney\n")
        expected = "George Martin\nPaul McCartney;1.5000\n"
        assert ntcir_eval.printed("glabel", "-sep", ";", "-I", "i", "l") == expected
        assert ntcir_eval.printed("dinlabel", "-sep", ";", "-din", "d", "l") == expected

    def test_navigational_intents_count_once(self, ntcir_eval: Command) -> None:
        """Intent 1 is navigational: b, d add nothing to it after a. Intent 2 always counts."""
        write("d", "1 nav a 0.8\n2 inf a 0.2\n1 nav b 1.6\n2 inf b 0.4\n1 nav d 0.8\n")
        write("l", "u\na\nb\nd\n")
        assert ntcir_eval.printed("dinlabel -din d l") == "u\na 1.0000\nb 0.4000\nd 0.0000\n"
        assert ntcir_eval.printed("dinlabel -j -truncate 3 -din d l") == "a 1.0000\nb 0.4000\n"

    def test_an_informational_intent_is_no_other(self) -> None:
        """That intent 2 has been met matters to no navigational one."""
        shares = [IntentGain("2", False, "a", 0.5), IntentGain("1", True, "b", 0.5)]
        assert format_gains(dinlabel(shares, ["a", "b"])) == "a 0.5000\nb 0.5000\n"

    @given(st.lists(st.integers(0, 3), min_size=1, max_size=6), st.permutations("abcdefgh"))
    def test_without_navigational_intents_both_are_the_same(self, gains: list[int], docs: list[str]) -> None:
        shares = [IntentGain("1", False, doc, gain) for doc, gain in zip("abcdef", gains, strict=False)]
        ordered = sorted(shares, key=lambda share: -share.gain)
        items = [Judgment(k, share.doc, share.gain, None) for k, share in enumerate(ordered)]
        assert dinlabel(shares, docs) == glabel(items, docs)


class TestGcompute:
    def test_the_highest_gain_is_that_of_the_ideal_list(self) -> None:
        """RBP with p = 0.5: (1 − 0.5)·1.2/2.4; ERR: 1.2/3.4."""
        gold = ideal("a 2.4, b 1.2")
        found = values(gcompute([Topic("", gold, glabel(gold, ["b"]))], Setting(rbp=0.5))[0])
        assert (found["RBP"], found["ERR"]) == ("0.2500", "0.3529")

    def test_muted_gains_are_believed(self) -> None:
        """b repeats a navigational intent: worth 0.5 instead of 1, or nothing. Ideal: 1, 1.

        Q: BR(1) = (1 + 1)/(1 + 1), BR(2) = (2 + 1.5)/(2 + 2): their mean; or half the first.
        """
        gold = ideal("a 1, b 1")
        for gain, q in ((0.5, "0.9375"), (0.0, "0.5000")):
            topic = Topic("", gold, [LabelledItem("a", 1.0), LabelledItem("b", gain)])
            assert values(gcompute([topic], Setting())[0])["Q-measure"] == q

    def test_rounding_is_no_contradiction(self) -> None:
        gold = ideal("a 1.66666, b 0.00005")
        text = gcompute([Topic("", gold, glabel(gold, ["a", "b"]))], Setting())[0]
        assert values(text)["Hit@1000"] == "1.0000"

    def test_judged_items_only(self, ntcir_eval: Command) -> None:
        """u is left out: z, a. bpref: 1 − min(1, 1)/1; a pays (2 − 0)/2 for z: 1 − 1/2."""
        write("i", "a 2\nz 0\n")
        write("l", "u\nz 0.0000\na 2.0000\n")
        found = ntcir_eval.printed("gcompute -j -I i l")
        assert found.startswith(" # syslen=2 jrel=1 jnonrel=1\n # r1=2 rp=2\n")
        expected = {"AP": "0.5000", "bpref": "0.0000", "rpref_relative2": "0.5000"}
        assert expected.items() <= values(found).items()

    def test_gap(self) -> None:
        """x(x + 1) of 1.5 and 0.5: 3.75 and 0.75. b, a: (0.75 + (0.75 + 3.75)/2) / 4.5."""
        gold = ideal("a 1.5, b 0.5")
        topic = Topic("", gold, glabel(gold, ["b", "a"]))
        found = values(gcompute([topic], Setting(gap=True, cutoffs=(1,)))[0])
        assert (found["GAP"], found["GAP@0001"]) == ("0.6667", "0.2000")  # 0.75/3.75

    def test_gap_of_gains_rounded_above_the_ideal(self) -> None:
        """a is 1.3955 in the list: 1.3955·2.3955 / (1.39547·2.39547 + 0.80262·1.80262) = 0.697950.

        The program prints 0.6980; with 1.39547 in the numerator it would be 0.697927.
        """
        gold = ideal("a 1.39547, b 0.80262")
        topic = Topic("", gold, glabel(gold, ["a"]))
        high = Topic("", ideal("c 3"), [LabelledItem("c", 3.0)])
        for topics in ([topic], [topic, high]):  # alone, and beside a topic with a higher top
            assert values(gcompute(topics, Setting(gap=True))[0])["GAP"] == "0.6980"

    def test_an_empty_list(self, ntcir_eval: Command) -> None:
        write("empty", "")
        assert ntcir_eval.printed("glabel -I example.Grelv empty") == ""
        found = ntcir_eval.printed("gcompute -I example.Grelv empty")
        assert found.startswith(" # syslen=0 jrel=1 jnonrel=0\n # r1=0 rp=0\n")
        assert set(values(found).values()) == {"0.0000"}

    def test_a_list_without_gains_is_noted(self, ntcir_eval: Command) -> None:
        said = ntcir_eval.told("gcompute -I example.Grelv example.res")
        assert "example.res: no item has a gain (glabel and dinlabel" in said

    @given(st.data())
    @settings(max_examples=examples(40))
    def test_topics_together_are_topics_alone(self, data: st.DataObject) -> None:
        topics = data.draw(st.lists(random_topics(), max_size=5))
        setting = Setting(cutoffs=(1, 3), verbose=True, version="2019")
        assert gcompute(topics, setting) == [gcompute([topic], setting)[0] for topic in topics]


@st.composite
def random_topics(draw: st.DrawFn) -> Topic:
    """An ideal list with gains of one decimal, and a list of some of its items and others."""
    gains = sorted(draw(st.lists(st.integers(1, 40), min_size=1, max_size=8)), reverse=True)
    gold = [Judgment(k, f"d{k}", gain / 10, None) for k, gain in enumerate(gains)]
    docs = draw(st.permutations([*(item.doc for item in gold), "u1", "u2"]))
    return Topic("T", gold, glabel(gold, docs[: draw(st.integers(0, len(docs)))]))


class TestIrec:
    INTENTS = (frozenset("ab"), frozenset("b"), frozenset("d"))

    def test_lines_come_in_the_order_of_ranks(self) -> None:
        """a meets 1, c none, b meets 1 and 2; the intents are three, and n comes after 3."""
        found = irec(["a", "c", "b", "e"], self.INTENTS, (10, 3, 1), "T")
        assert found.splitlines() == [
            "T #intent_num=3",
            "T I-rec@0001=          0.3333",
            "T I-rec@0003=          0.6667",
            "T I-rec@n=             0.6667",
            "T I-rec@0010=          0.6667",
        ]

    def test_a_list_with_fewer_items_than_intents(self) -> None:
        found = irec(["b"], self.INTENTS, (2,))
        assert found == " #intent_num=3\n I-rec@0002=          0.6667\n I-rec@n=             0.6667\n"
        assert values(irec([], self.INTENTS)) == {"I-rec@1000": "0.0000", "I-rec@n": "0.0000"}

    def test_verbose(self, ntcir_eval: Command) -> None:
        write("3", "c\n")
        found = ntcir_eval.printed("irec -v -cutoffs 1 -out T example.res example.Irelv1 example.Irelv2 3")
        assert found.splitlines() == [
            "T #intent_num=3",
            "#c 3",
            "T I-rec@0001=          0.3333",
            "#b",
            "#a 1 2",
            "T I-rec@n=             1.0000",
        ]

    def test_a_gain_of_0_is_not_relevant(self, ntcir_eval: Command) -> None:
        write("1", "b 2\na 0\n")
        write("2", "a\n")
        assert values(ntcir_eval.printed("irec example.res 1 2"))["I-rec@n"] == "0.5000"  # b, of c, b
        write("1", "b 2\nc 0\n")
        assert values(ntcir_eval.printed("irec -cutoffs 1 example.res 1 2"))["I-rec@0001"] == "0.0000"


# -- pyNTCIREVAL --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_pyntcireval_with_gains_for_levels(seed: int) -> None:
    """Its compute with a level for each gain of the ideal list is gcompute, but for NCUgu.

    Its gains are whole ones.
    It adds up in another order, so a value such as 0.11875 may be rounded the other way: these
    seeds have none.
    """
    testing, peer = import_module("click.testing"), import_module("pyNTCIREVAL.main")
    rng = random.Random(seed)  # noqa: S311
    compared = 0
    for _ in range(40):
        gains = sorted(rng.choices(range(1, 40), k=rng.choice([1, 3, 20])), reverse=True)
        gold = [Judgment(k, f"d{k}", gain, None) for k, gain in enumerate(gains)]
        docs = [*(item.doc for item in gold), *(f"u{k}" for k in range(rng.choice([0, 2, 30])))]
        items = glabel(gold, rng.sample(docs, rng.randint(1, len(docs))))
        if not any(item.level for item in items):  # its compute breaks down on such lists
            continue
        level: dict[float, str] = {gain: f"L{k}" for k, gain in enumerate(sorted({*gains}), 1)}
        write("rel", "".join(f"{item.doc} {level[item.level]}\n" for item in gold))
        write("lab", "".join(f"{x.doc} {level[x.level] if x.level else ''}\n" for x in items))
        table = ":".join(map(str, level))
        done = testing.CliRunner().invoke(
            peer.cli,
            ["compute", "-r", "rel", "-g", table, "--cutoffs", "1,5,1000", "--beta", "2", "lab"],
            catch_exceptions=False,
        )
        setting = Setting(cutoffs=(1, 5, 1000), beta=2)
        ours = values(gcompute([Topic("", gold, items)], setting)[0])
        its = [value for name, value in values(done.output).items() if "NCUgu" not in name]
        assert list(ours.values()) == its
        compared += 1
    assert compared > 30


# -- topic directories --------------------------------------------------------------------------

# The paper's query "apple" (0.8 company, 0.2 fruit): a is L2 and L1, worth 0.8·2 + 0.2·1 = 1.8.
IPROB = "0001 1 0.8 nav\n0001 2 0.2 inf\n0002 7 1\n"
DQRELS = """\
0001 2 a L1
0001 1 a L2
0001 0 x L0
0001 1 b L1
0001 2 d L3
0002 7 e L1
0002 7 f L1
0009 1 z L1
"""
RUN = "0001 Q0 c 1 9 t\n0001 Q0 b 2 8 t\n0001 Q0 a 3 7 t\n0002 Q0 f 1 9 t\n"


@pytest.fixture
def split(ntcir: Command) -> None:
    """Topic directories of the judgments and a run."""
    write("p", IPROB)
    write("q", DQRELS)
    write("run", RUN)
    write("runl", "run\n")
    ntcir.succeeds("split-dqrels", "p", "q", "test")
    ntcir.succeeds("split-runs", "p.tid", "run")


def made() -> set[str]:
    found = {path.as_posix() for path in Path().rglob("*") if path.is_file()}
    return {name for name in found if not name.startswith("example")}


class TestSplit:
    def test_the_files_of_each_topic(self, split: None) -> None:
        assert read("p.tid") == "0001\n0002\n"
        assert read("0001/0001.test.Irelv1") == "a 2\nb 1\n"
        assert read("0001/0001.test.Irelv2") == "d 3\na 1\n"
        assert read("0001/0001.test.din") == ("2 inf a 0.2\n1 nav a 1.6\n1 nav b 0.8\n2 inf d 0.6\n")
        assert read("0001/0001.test.Grelv") == "a 1.8\nb 0.8\nd 0.6\n"
        assert read("0002/0002.test.din") == "7 inf e 1\n7 inf f 1\n"
        assert read("0002/0002.test.Grelv") == "f 1\ne 1\n"  # equal: names backwards
        assert "0009/0009.test.Grelv" not in made()

    def test_gains_types_and_another_directory(self, ntcir: Command) -> None:
        write("p", "1;1;0.25\n1;2;0.75\n")
        write("t", "1;2;navigational\n")
        write("q", "1;1;東京 タワー;L1\n1;2;東京 タワー;L2\n")
        options = ("-g", "1:3", "--types", "t", "--dir", "topics")
        ntcir.succeeds("DIN-splitqrels", "p", "q", "x", ";", *options)
        assert read("topics/1/1.x.Irelv2") == "東京 タワー;3\n"
        assert read("topics/1/1.x.din") == "1;inf;東京 タワー;0.25\n2;nav;東京 タワー;2.25\n"
        assert read("topics/1/1.x.Grelv") == "東京 タワー;2.5\n"

    def test_gains_have_six_digits(self, ntcir: Command) -> None:
        write("p", "1 1 0.33333333\n1 2 0.66666667\n")
        write("q", "1 1 a L1\n1 2 b L1\n")
        ntcir.succeeds("split-dqrels", "p", "q", "x")
        assert read("1/1.x.Grelv") == "b 0.666667\na 0.333333\n"

    def test_what_is_left_out_is_said(self, ntcir: Command) -> None:
        write("p", IPROB + "0003 1 1\n")
        write("q", DQRELS + "0003 0 y L0\n")
        said = ntcir.told("split-dqrels p q test")
        assert "1 topic (0003) without a relevant document in q" in said
        assert "q: 1 topic (0009) not in p, excluded" in said

    @pytest.mark.parametrize(
        ("probabilities", "dqrels", "options", "expected"),
        [
            (IPROB, "0001 3 a L1\n", "",
             "q:1: found intent 3 of topic 0001, expected one of 1, 2, as in p"),
            (IPROB, "0001 1 a L1\n0001 1 a L2\n", "", "q:2: conflicting levels for document 'a'"),
            (IPROB, "0001 1 a 1\n", "", "q:1: found label '1', expected L0, L1, L2"),
            (IPROB, "0001 a L1\n", "", "q:1: found 3 fields"),
            (IPROB, "", "", "q: file is empty. Expected lines: topic intent doc L2"),
            (IPROB, DQRELS, "-g 1:2", "q:5: found level 3, "
             "expected at most 2, the number of gains in -g"),
            (IPROB, DQRELS, "-g 3:2:1", "-g: found gains 3:2:1, expected"),
            ("0001 1 0.5\n", DQRELS, "", "p:1: found probabilities with sum 0.5 in topic 0001"),
            ("0001 1 nav\n", DQRELS, "", "p: found no probabilities, expected"),
            ("../x 1 1\n", DQRELS, "", "found topic '../x', expected a name that a file can have"),
            (IPROB, "0001 1/2 a L1\n", "", "q:1: found intent 1/2 of topic 0001"),
        ],
    )  # fmt: skip
    def test_bad_judgments_leave_nothing_behind(
        self, probabilities: str, dqrels: str, options: str, expected: str, ntcir: Command
    ) -> None:
        write("p", probabilities)
        write("q", dqrels)
        assert expected in ntcir.refused(f"split-dqrels p q test {options}")
        assert made() == {"p", "q"}


class TestDeval:
    def test_lists_with_gains_and_results(self, split: None, ntcir: Command) -> None:
        """Topic 0001: c, b, a against a 1.8, b 0.8, d 0.6; cut at 2, of which b counts.

        Q@2 = BR(2)/2 = (1 + 0.8)/(2 + 2.6)/2 = 0.1957. Of intents 1 and 2, b meets the first:
        I-rec 0.5. D♯-Q = 0.4·0.5 + 0.6·0.1957. nDCG@2 = (0.8/log2 3)/(1.8 + 0.8/log2 3).
        """
        ntcir.succeeds("deval", "p.tid", "test", "e", "-cutoffs", "2", "-gamma", "0.4",
             stdin="run\n")  # fmt: skip
        assert read("0001/0001.run.e.glab") == "c\nb 0.8000\na 1.8000\n"
        lines = read("run.e.Dnev").splitlines()
        assert lines[0] == "0001 # syslen=3 jrel=3 jnonrel=0"
        end = lines.index("0002 # syslen=1 jrel=2 jnonrel=0")
        assert lines[end - 5 : end] == [
            "0001 #intent_num=2",
            "0001 I-rec@0002=          0.5000",
            "0001 I-rec@n=             0.5000",
            "0001 D#-Q@0002=           0.3174",
            "0001 D#-nDCG@0002=        0.3314",
        ]
        found = read_results(Source.from_path("run.e.Dnev"))["0001"]
        assert (found["Q@0002"], found["MSnDCG@0002"]) == (0.1957, 0.2190)

    def test_navigational_intents(self, split: None, ntcir: Command) -> None:
        """a repeats intent 1, which is navigational: it is worth 0.2·1 after b. Ideal as before.

        Q@3 = (BR(2) + BR(3))/3 = (1.8/4.6 + (2 + 1)/(3 + 3.2))/3; I-rec@3 is 1.
        """
        options = ["-cutoffs", "3", "-gamma", "0.4", "--runs", "run"]
        ntcir.succeeds("deval", "p.tid", "test", "e", "--din", *options)
        assert read("0001/0001.run.e.dinlab") == "c\nb 0.8000\na 0.2000\n"
        found = read_results(Source.from_path("run.e.DINnev"))["0001"]
        assert found["Q@0003"] == 0.2917
        assert found["DIN#-Q@0003"] == 0.5750  # 0.4·1 + 0.6·0.2917
        assert "D#-Q@0003" not in found

    @pytest.mark.parametrize(("script", "ending"), [("D-NTCIR-eval", "Dnev"), ("DIN-NTCIR-eval", "DINnev")])
    def test_scripts_cut_lists_at_the_cutoff(self, split: None, script: str, ending: str, ntcir: Command) -> None:
        ntcir.succeeds(script, "p.tid", "test", "2", "l2", stdin="run\n")
        ntcir.succeeds(f"{script}-sep", "p.tid", "test", "2", "sep", " ", "runl")
        options = ["-cutoffs", "2", "-truncate", "2", "--runs", "run"]
        ntcir.succeeds("deval", "p.tid", "test", "ours", *options, *["--din"] * ("DIN" in script))
        assert read(f"run.l2.{ending}").startswith("0001 # syslen=2 ")
        assert read(f"run.l2.{ending}") == read(f"run.ours.{ending}") == read(f"run.sep.{ending}")

    def test_the_second_script_has_more_measures(self, split: None, ntcir: Command) -> None:
        """b at rank 2: RBP = 0.01·0.8·0.99/1.8, ERR = 0.8/2.8/2; I-rec 0.5 (0.1429 + 0.5)/2."""
        ntcir.succeeds("D-NTCIR-eval2", "p.tid", "test", "2", "e", "runl")
        found = read_results(Source.from_path("run.e.Dnev"))["0001"]
        assert (found["RBP@0002"], found["D#-RBP@0002"]) == (0.0044, 0.2522)
        assert (found["ERR@0002"], found["D#-ERR@0002"]) == (0.1429, 0.3215)
        assert [name for name in found if name.startswith("D#-")] == [
            f"D#-{name}@0002" for name in ("Q", "nDCG", "ERR", "EBR", "RBP")
        ]

    def test_it_is_what_evaluate_says(self, split: None, ntcir: Command) -> None:
        ntcir.succeeds("deval", "p.tid", "test", "d", "-cutoffs", "3", "--runs", "run")
        ntcir.succeeds("deval", "p.tid", "test", "d", "-cutoffs", "3", "--runs", "run", "--din")
        write("q2", "".join(re.findall("000[12] [127] .*\n", DQRELS)).replace(" L", " "))
        ours = ["D(Q)@3", "D(nDCG)@3", "D(ntcir:nERR)@3", "IRec@3", "DIN(nDCG)@3"]
        scores = cf.evaluate("q2", {"run": "run"}, ours, intents="p")
        its = ["Q@0003", "MSnDCG@0003", "nERR@0003", "I-rec@0003"]
        plain, muted = (read_results(Source.from_path(f"run.d.{end}")) for end in ("Dnev", "DINnev"))
        for topic in ("0001", "0002"):
            expected = [plain[topic][m] for m in its] + [muted[topic]["MSnDCG@0003"]]
            found = [scores["run", topic, m] for m in scores.measures]
            assert [float(f"{value:.4f}") for value in found] == expected

    def test_means_and_tables_of_the_results(self, split: None, ntcir: Command) -> None:
        ntcir.succeeds("deval", "p.tid", "test", "e", "-cutoffs", "3", "--runs", "run")
        ntcir.succeeds("means", "runl", "p.tid", "e.Dnev", "I-rec@0003")
        assert read("runl.p.e.Dnev.I-rec@0003") == "run 1.0000\n"
        table = ntcir.printed("table", "p.tid", "runl", "e.Dnev", "D#-Q@0003", "-f", "tsv")
        assert [line.split("\t")[1] for line in table.splitlines()][1:] == ["0001", "0002", "all"]

    def test_a_topic_without_relevant_documents_is_named(self, split: None, ntcir: Command) -> None:
        write("0002/0002.test.Grelv", "")
        said = "note: 1 topic (0002) without a relevant document, excluded from the results"
        assert said in ntcir.told("deval p.tid test e --runs run")
        assert {line.split()[0] for line in read("run.e.Dnev").splitlines()} == {"0001"}

    @pytest.mark.parametrize(
        ("path", "text", "expected"),
        [
            ("0001/0001.test.Grelv", "a 1\nb 2\n",
             "0001.test.Grelv:2: found gain 2 after 1, expected falling gains"),
            ("0001/0001.test.Irelv2", "", "0001.test.Irelv2: file is empty"),
            ("0001/0001.test.din", "1 nav a 1\n1 inf b 1\n",
             "0001.test.din:2: found inf for intent 1, expected nav as on line 1"),
            ("0001/0001.run.res", "a\na\n", "0001.run.res:2: duplicate document 'a'"),
            ("0001/0001.test.din", "1 inf c 3\n",
             "found gain 3 for c, expected no gain, because it is not in 0001/0001.test.Grelv"),
        ],
    )  # fmt: skip
    def test_bad_input_leaves_nothing_behind(
        self, split: None, path: str, text: str, expected: str, ntcir: Command
    ) -> None:
        write(path, text)
        before = made()
        assert expected in ntcir.refused("deval p.tid test e --din --runs run")
        assert made() == before

    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            ("p.tid other e --runs run", "cannot read 0001/0001.other.Grelv: no such file"),
            ("p.tid test e --runs nobody", "nobody: found no file such as 0001/0001.nobody.res"),
            ("p.tid test e --runs run -gamma 2", "found '2', expected a number in [0, 1]"),
            ("p.tid test ../e --runs run", "found name '../e', expected a name"),
            ("p.tid ../t e --runs run", "found prefix '../t', expected a name"),
        ],
    )
    def test_bad_arguments(self, split: None, arguments: str, expected: str, ntcir: Command) -> None:
        assert expected in ntcir.refused(f"deval {arguments}")

    def test_intents_without_lists(self, split: None, ntcir: Command) -> None:
        Path("0002/0002.test.Irelv7").unlink()
        said = ntcir.refused("deval p.tid test e --runs run")
        assert "0002: found no file such as 0002.test.Irelv1, expected" in said


# -- mistakes -----------------------------------------------------------------------------------


class TestEvaluate:
    """`cranfield evaluate` on the directories that split-dqrels and split-runs make."""

    @pytest.mark.usefixtures("split")
    def test_ideal_lists_of_intents(self) -> None:
        measures = ["D(nDCG)@10", "IRec@10"]
        from_file = cf.evaluate("q", "run", measures, intents="p")
        from_directory = cf.evaluate(".", "*.run.res", measures, intents="p")
        assert from_directory.runs == ("run",)
        assert from_directory.topics == ("0001", "0002")  # p has no 0009
        for topic in from_directory.topics:
            for measure in measures:
                assert from_directory["run", topic, measure] == from_file["t", topic, measure]
        assert from_directory["run", "0001", "IRec@10"] == 1.0  # a is relevant to both intents

    @pytest.mark.usefixtures("split")
    def test_no_other_judgments(self, cranfield: Command) -> None:
        err = cranfield.refused("evaluate . -m AP")
        assert ".: found no judgments, expected files such as 0001/0001.rel" in err
        assert "(the directory has ideal lists of intents: use diversity measures such as" in err

    def test_nor_intents(self, cranfield: Command) -> None:
        Path("0001").mkdir()
        write("0001/0001.RUN.res", "a\n")
        assert "intents" not in cranfield.refused("evaluate . -m AP")

    def test_ideal_lists_without_a_prefix(self, cranfield: Command) -> None:
        """They are not taken for judgments of documents, nor are the other files beside them."""
        Path("0001").mkdir()
        for suffix in ("Irelv1", "Irelv2", "Grelv"):
            write(f"0001/0001.{suffix}", "a 1\n")
        write("0001/0001.din", "1 inf a 1\n")
        write("0001/0001.RUN.res", "a\n")
        assert "the directory has ideal lists of intents" in cranfield.refused("evaluate . -m AP")
        cranfield.succeeds("evaluate . -m IRec@1")


FILES = {
    "a.res": "a\n",
    "twice.res": "a\nb\na\n",
    "one.I": "a 1.8\nb 0\n",
    "rising.I": "a 1\nb 1.5\n",
    "odd.I": "a x\n",
    "below.I": "a 1\nb -1\n",
    "twice.I": "a 1\na 1\n",
    "wide.I": "a 1 2\n",
    "none.I": "a 0\n",
    "all.I": "a 1\n",
    "empty": "",
    "high.lab": "b\na 1.9\n",
    "stranger.lab": "c 0\nd 0.1\n",
    "nonrelevant.lab": "b 0.1\n",
    "odd.lab": "a L1\n",
    "wide.lab": "a 1 2\n",
    "again.lab": "a 1\na 1\n",
    "type.din": "1 inf a 1\n2 navigational a 1\n",
    "both.din": "1 inf a 1\n1 nav b 1\n",
    "again.din": "1 inf a 1\n2 inf a 1\n1 inf a 1\n",
    "odd.din": "1 inf a x\n",
    "short.din": "1 inf a\n",
}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("glabel a.res", "arguments are required: -I"),
        ("glabel -I -", "standard input (-) can be used only once"),
        ("glabel -I missing a.res", "cannot read missing: no such file"),
        ("glabel -I rising.I a.res", "rising.I:2: found gain 1.5 after 1, expected falling gains"),
        ("glabel -I odd.I a.res", "odd.I:1: found gain 'x', expected a number ≥ 0"),
        ("glabel -I below.I a.res", "below.I:2: found gain '-1', expected a number ≥ 0"),
        ("glabel -I twice.I a.res", "twice.I:2: duplicate document 'a' (first on line 1)"),
        ("glabel -I wide.I a.res", "wide.I:1: found 3 fields ('a 1 2'), expected doc gain"),
        ("glabel -I none.I a.res", "none.I: no document has a gain above 0"),
        ("glabel -I empty a.res", "empty: file is empty"),
        ("glabel -I one.I twice.res", "twice.res:3: duplicate document 'a' (first on line 1)"),
        ("glabel -truncate 0 -I one.I a.res", "found '0', expected an integer ≥ 1"),
        ("gcompute -I none.I a.res", "none.I: no document has a gain above 0"),
        ("gcompute -j -I all.I a.res", "all.I: found no gain of 0, "
         "expected at least one (bpref requires nonrelevant items)"),
        ("gcompute -I one.I high.lab",
         "high.lab:2: found gain 1.9 for a, expected at most 1.8, as in one.I"),
        ("gcompute -I one.I stranger.lab",
         "stranger.lab:2: found gain 0.1 for d, expected no gain, because it is not in one.I"),
        ("gcompute -I one.I nonrelevant.lab",
         "nonrelevant.lab:1: found gain 0.1 for b, expected at most 0, as in one.I"),
        ("gcompute -I one.I odd.lab", "odd.lab:1: found gain 'L1', expected a number ≥ 0"),
        ("gcompute -I one.I wide.lab", "wide.lab:1: found 3 fields ('a 1 2'), expected doc or"),
        ("gcompute -I one.I again.lab", "again.lab:2: duplicate document 'a'"),
        ("gcompute -I one.I -g 1:2 a.res", "-g"),  # no option, whatever argparse says of it
        ("gcompute -I one.I -ec a.res", "unknown option"),
        ("gcompute -I one.I -rbp 1 a.res", "p must be a number between 0 and 1, found 1"),
        ("dinlabel -din type.din a.res",
         "type.din:2: found type 'navigational', expected inf or nav"),
        ("dinlabel -din both.din a.res", "both.din:2: found nav for intent 1, expected inf as on"),
        ("dinlabel -din again.din a.res",
         "again.din:3: duplicate document 'a' for intent 1 (first on line 1)"),
        ("dinlabel -din odd.din a.res", "odd.din:1: found gain 'x', expected a number ≥ 0"),
        ("dinlabel -din short.din a.res", "short.din:1: found 3 fields ('1 inf a'), expected"),
        ("dinlabel -din empty a.res", "empty: file is empty. Expected lines: intent inf|nav doc"),
        ("irec a.res", "arguments are required: IREL"),
        ("irec a.res one.I empty", "empty: file is empty"),
        ("irec a.res none.I", "none.I: no document has a gain above 0"),
        ("irec -cutoffs 0 a.res one.I", "found '0', expected an integer ≥ 1"),
        ("irec twice.res one.I", "twice.res:3: duplicate document 'a'"),
        ("irec - -", "standard input (-) can be used only once"),
    ],
)  # fmt: skip
def test_mistakes(command: str, expected: str, ntcir_eval: Command) -> None:
    for name, text in FILES.items():
        write(name, text)
    assert expected in ntcir_eval.refused(command)
