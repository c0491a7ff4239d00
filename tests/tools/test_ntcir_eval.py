"""NTCIREVAL's ntcir_eval, line by line: the paper's figures, pyNTCIREVAL, and by hand."""

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
from cranfield.cli.main import find_parser
from cranfield.cli.options import call
from cranfield.data.ntcir.topic_dirs import Judgment, LabelledItem, read_labelled, read_rel
from cranfield.data.reading.source import Source
from cranfield.errors import CranfieldError
from cranfield.tools.ntcir_eval import (
    Setting,
    Topic,
    compute,
    format_labelled,
    label,
)
from tests.evidence import checks
from tests.made import Command, examples

RES = "c\nb\na\n"
REL = "a L1\nb L0\n"
EREL = "a L1 1\nb L2 1\n"

# The figures of Sakai (2011) in the program's own layout: names padded to 21 characters, cutoffs
# to four digits. The paper's Figure 2 names example.res as the judgments; example.rel is meant.
FIGURE_1 = """\
 # syslen=3 jrel=1 jnonrel=1
 # r1=3 rp=3
 RR=                  0.3333
 O-measure=           0.5000
 P-measure=           0.5000
 P-plus=              0.5000
 AP=                  0.3333
 Q-measure=           0.5000
 NCUgu,P=             0.3333
 NCUgu,BR=            0.5000
 NCUrb,P=             0.3333
 NCUrb,BR=            0.5000
 RBP=                 0.0226
 ERR=                 0.1111
 AP@1000=             0.3333
 Q@1000=              0.5000
 nDCG@1000=           0.6309
 MSnDCG@1000=         0.5000
 P@1000=              0.0010
 nERR@1000=           0.3333
 Hit@1000=            1.0000
"""
FIGURE_2 = """\
 # syslen=2 jrel=1 jnonrel=1
 # r1=2 rp=2
 RR=                  0.5000
 O-measure=           0.6667
 P-measure=           0.6667
 P-plus=              0.6667
 AP=                  0.5000
 Q-measure=           0.6667
 NCUgu,P=             0.5000
 NCUgu,BR=            0.6667
 NCUrb,P=             0.5000
 NCUrb,BR=            0.6667
 RBP=                 0.0238
 ERR=                 0.1667
 AP@1000=             0.5000
 Q@1000=              0.6667
 nDCG@1000=           1.0000
 MSnDCG@1000=         0.6309
 P@1000=              0.0010
 nERR@1000=           0.5000
 Hit@1000=            1.0000
"""
FIGURE_3 = """\
 # syslen=3 jrel=1 jnonrel=0
 # r1=2 rp=2
 RR=                  0.5000
 O-measure=           0.7500
 P-measure=           0.7500
 P-plus=              0.7500
 AP=                  0.5000
 Q-measure=           0.7500
 NCUgu,P=             0.5000
 NCUgu,BR=            0.7500
 NCUrb,P=             0.5000
 NCUrb,BR=            0.7500
 RBP=                 0.0475
 ERR=                 0.3333
 AP@1000=             0.5000
 Q@1000=              0.7500
 nDCG@1000=           1.0000
 MSnDCG@1000=         0.6309
 P@1000=              0.0010
 nERR@1000=           0.5000
 Hit@1000=            1.0000
"""
FIGURES = [
    pytest.param("label -r example.rel", "c\nb L0\na L1\n",
                 "compute -r example.rel -g 1:2", FIGURE_1, id="Figure 1"),
    pytest.param("label -j -r example.rel", "b L0\na L1\n",
                 "compute -r example.rel -g 1:2", FIGURE_2, id="Figure 2"),
    pytest.param("label -ec -r example.erel", "c\nb L2 1\na\n",
                 "compute -ec -r example.erel -g 1:2", FIGURE_3, id="Figure 3"),
]  # fmt: skip


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the paper's example in it."""
    monkeypatch.chdir(tmp_path)
    Path("example.rel").write_text(REL)
    Path("example.erel").write_text(EREL)
    Path("example.res").write_text(RES)
    Path("example.lab").write_text("c\nb L0\na L1\n")
    return tmp_path


def options(text: str) -> Setting:
    """The setting that options mean."""
    line = ["ntcir_eval", "compute", "-r", "rel", *text.split()]
    parser, rest = find_parser(line)
    return call(Setting, parser.parse(rest))


def judged(text: str) -> list[Judgment]:
    """``a L1, b L2 class`` as judgments."""
    found = []
    for line, item in enumerate(text.split(","), 1):
        doc, level, *group = item.split()
        found.append(Judgment(line, doc, float(level[1:]), group[0] if group else None))
    return found


def printed(text: str) -> dict[str, str]:
    """The values of an output by name."""
    lines = (line.split()[-2:] for line in text.splitlines() if "#" not in line)
    return {name.rstrip("="): value for name, value in lines}


class TestFigures:
    @pytest.mark.parametrize(("labels", "labelled", "computes", "expected"), FIGURES)
    def test_from_files(
        self,
        here: Path,
        ntcir_eval: Command,
        labels: str,
        labelled: str,
        computes: str,
        expected: str,
    ) -> None:
        assert ntcir_eval.printed(f"{labels} example.res") == labelled
        Path("example.lab").write_text(labelled)
        assert ntcir_eval.printed(f"{computes} example.lab") == expected

    @pytest.mark.slow
    @pytest.mark.parametrize(("labels", "labelled", "computes", "expected"), FIGURES)
    def test_in_a_pipe(self, here: Path, labels: str, labelled: str, computes: str, expected: str) -> None:
        """cat example.res | ntcir_eval label … | ntcir_eval compute …"""
        command = [sys.executable, "-m", "cranfield", "ntcir_eval"]
        with Path("example.res").open("rb") as res:
            first = subprocess.Popen([*command, *labels.split()], stdin=res, stdout=subprocess.PIPE)
            done = subprocess.run([*command, *computes.split()], stdin=first.stdout, capture_output=True, check=True)
        assert first.wait() == 0
        assert done.stdout.decode() == expected
        assert done.stderr == b""

    def test_bpref_of_figure_2(self, here: Path, ntcir_eval: Command) -> None:
        Path("example.lab").write_text("b L0\na L1\n")
        found = ntcir_eval.printed("compute -j -r example.rel -g 1:2 example.lab")
        assert found == FIGURE_2 + (
            " bpref=               0.0000\n"
            " bpref_R=             0.0000\n"
            " bpref_N=             0.0000\n"
            " bpref_relative=      0.0000\n"
            " rpref_N=             0.3333\n"
            " rpref_relative=      0.0000\n"
            " rpref_relative2=     0.5000\n"
        )

    def test_options_as_pyntcireval_writes_them(self, here: Path, ntcir_eval: Command) -> None:
        given = "-r example.rel -g 1:2 {0}cutoffs 1,2 {0}beta 2 {0}logb 3 {0}gamma 0.9 {0}rbp 0.5"
        given += " {0}gap {0}out T {0}sep ' ' example.lab"
        one, two = (ntcir_eval.printed(f"compute {given.format(dash)}") for dash in ("-", "--"))
        assert one == two
        assert "nDCG@0002" in one

    def test_the_output_of_later_releases(self, here: Path, ntcir_eval: Command) -> None:
        """The numbers that Figure 1 does not have are those of the 2019 release."""
        found = ntcir_eval.printed("compute --as-version 2019 -r example.rel -g 1:2 -cutoffs 2,1000 -out T example.lab")
        values = {
            **{"RR": "0.3333", "O-measure": "0.5000", "P-measure": "0.5000", "P-plus": "0.5000"},
            **{"AP": "0.3333", "Q-measure": "0.5000", "NCUrb,P": "0.3333", "NCUrb,BR": "0.5000"},
            **{"NCUrb,IE": "0.9703", "RBP": "0.0226", "ERR": "0.1111", "EBR": "0.1667"},
            "iRBU": "0.3234",
        }
        top = {
            **{"AP": "0.3333", "Q": "0.5000", "NCUrb,P": "0.3333", "NCUrb,BR": "0.5000"},
            **{"NCUrb,IE": "0.9703", "nDCG": "0.6309", "MSnDCG": "0.5000", "Prec": "0.0010"},
            **{"RBP": "0.0226", "nRBP": "0.9025", "ERR": "0.1111", "nERR": "0.3333"},
            **{"EBR": "0.1667", "nEBR": "0.5000", "iRBU": "0.3234", "niRBU": "0.9801"},
            "Hit": "1.0000",
        }
        nothing = {f"{name}@0002": "0.0000" for name in top}  # the relevant item is at rank 3
        expected = values | nothing | {f"{name}@1000": value for name, value in top.items()}
        lines = [f"T {name + '=':<21}{value}" for name, value in expected.items()]
        head = ["T # syslen=3 jrel=1 jnonrel=1", "T # r1=3 rp=3"]
        assert found.splitlines() == head + lines

    def test_verbose(self, here: Path, ntcir_eval: Command) -> None:
        """1/ln 2 = 1.4427, 1/log2 3 = 0.6309, 1/ln 4 = 0.7213, BR = (1 + 1)/(3 + 1)."""
        head, *rest = FIGURE_1.splitlines(keepends=True)
        expected = (
            "# gain[ 0 ]=0.000000 stop[ 0 ]=0.000000\n"
            "# gain[ 1 ]=1.000000 stop[ 1 ]=0.500000\n"
            "# gain[ 2 ]=2.000000 stop[ 2 ]=3.000000\n"
            f"{head}"
            "\n"
            "#1 CGi=1.0000 DCGi=1.0000 msDCGi=1.4427\n"
            "#2 CGi=1.0000 DCGi=1.0000 msDCGi=1.4427\n"
            "#3 CGi=1.0000 DCGi=1.0000 msDCGi=1.4427\n"
            "\n"
            "#3 count=1 Gs=1.0000 CGs=1.0000 DCGs=0.6309 msDCGs=0.7213 BR=0.5000\n"
            "\n"
        )
        found = ntcir_eval.printed("compute -v -s 0.5:3 -r example.rel -g 1:2 example.lab")
        assert found == expected + "".join(rest)


class TestLabel:
    def test_truncation_comes_before_condensation(self) -> None:
        """Of c, b, a the first two are looked at; c is not judged."""
        found = label(judged("a L1, b L0"), ["c", "b", "a"][:2], condensed=True)
        assert format_labelled(found) == "b L0\n"

    def test_classes_are_ignored_unless_asked_for(self) -> None:
        found = label(judged("a L1 1, b L2 1"), ["b", "a"])
        assert format_labelled(found) == "b L2\na L1\n"

    def test_a_redundant_item_is_judged(self) -> None:
        """It stays in a condensed list, without a label; level 0 does not use up a class."""
        gold = judged("a L1 1, b L2 1, x L0 1, y L0 2")
        found = label(gold, ["x", "u", "a", "y", "b"], condensed=True, classes=True)
        assert format_labelled(found, classes=True) == "x L0 1\na L1 1\ny L0 2\nb\n"

    def test_nothing(self) -> None:
        assert label(judged("a L1 1"), [], classes=True) == []
        assert format_labelled(label([], ["a"], classes=True), classes=True) == "a\n"

    def test_answer_strings(self, here: Path, ntcir_eval: Command) -> None:
        """The paper's question: who wrote songs for The Beatles with John Lennon?"""
        Path("q.erel").write_text("Paul McCartney;L2;paul m\nMcCartney;L1;paul m\nRingo;L0;r\n")
        Path("q.res").write_text("Ringo\nPaul McCartney\nMcCartney\nGeorge Martin\n")
        command = ["label", "-ec", "-sep", ";", "-r", "q.erel", "q.res"]
        labelled = ntcir_eval.printed(*command)
        assert labelled == "Ringo;L0;r\nPaul McCartney;L2;paul m\nMcCartney\nGeorge Martin\n"
        Path("q.lab").write_text(labelled)
        found = ntcir_eval.printed("compute", *command[1:-1], "-g", "1:2", "q.lab")
        assert found.startswith(" # syslen=4 jrel=1 jnonrel=1\n # r1=2 rp=2\n RR=")
        assert printed(found)["AP"] == "0.5000"

    @given(
        st.lists(st.text("abc ö", min_size=1).map(str.strip).filter(bool), unique=True),
        st.lists(st.none() | st.integers(0, 4).map(float), min_size=30, max_size=30),
    )
    def test_what_is_written_is_read(self, docs: list[str], levels: list[float | None]) -> None:
        pairs = zip(docs, levels, strict=False)
        labelled = [LabelledItem(d, x, None if x is None else "k 1") for d, x in pairs]
        text = format_labelled(labelled, ";", classes=True)
        source = Source("-")
        vars(source)["_pipe_data"] = text.encode()  # what standard input says
        found = read_labelled(source, ";")
        assert [item[:3] for item in found] == [item[:3] for item in labelled]


class TestCompute:
    def test_classes_are_the_items(self) -> None:
        """Classes {a, b} and {d}: R = 2. The ideal list is L2 (b), L1 (d); a counts as L1."""
        gold = judged("a L1 1, b L2 1, d L1 2, x L0 3, y L0 3")
        topic = Topic("7", gold, label(gold, ["x", "a", "b"], classes=True))
        setting = options("-ec -g 1:2 -cutoffs 2 -j")
        text = compute([topic], setting)[0]
        assert text.startswith("7 # syslen=3 jrel=2 jnonrel=2\n7 # r1=2 rp=2\n")
        found = printed(text)
        assert found["AP"] == "0.2500"  # (1/2)/2
        assert found["Q-measure"] == "0.2000"  # (1 + 1)/(2 + 3) = 0.4, /2
        assert found["NCUgu,P"] == "0.1667"  # 1·(1/2)/(2 + 1)
        # (1 − 1/3)/2: x stands above a; x, y and b, which is redundant, are nonrelevant.
        assert found["bpref_N"] == "0.3333"

    def test_gap(self) -> None:
        """Thresholds weigh 1 and 2: (1·(1/1 + 2/2) + 2·(1/2)) / (1·2 + 2·1), and @1 1/(1 + 2)."""
        gold = judged("a L1, b L2")
        topic = Topic("", gold, label(gold, ["a", "b"]))
        found = printed(compute([topic], options("-g 1:2 -gap -cutoffs 1,10"))[0])
        wanted = {"GAP": "0.7500", "GAP@0001": "0.3333", "GAP@0010": "0.7500"}
        assert {name: value for name, value in found.items() if "GAP" in name} == wanted
        names = list(found)
        assert names[names.index("GAP") - 1 : names.index("GAP") + 2] == ["NCUrb,BR", "GAP", "RBP"]
        assert names[names.index("GAP@0001") + 1] == "nDCG@0001"

    def test_an_empty_list(self, here: Path, ntcir_eval: Command) -> None:
        Path("empty").write_text("")
        found = ntcir_eval.printed("compute -v -j -gap -r example.rel -g 1:2 empty")
        assert " # syslen=0 jrel=1 jnonrel=1\n" in found
        assert " # r1=0 rp=0\n" in found
        assert "#1 CGi=1.0000" in found
        assert set(printed(found.partition("rp=0\n")[2]).values()) == {"0.0000"}

    def test_labels_are_believed(self) -> None:
        """A label written by hand: a was judged L1, and is worth 3 of 4 now. RBP's g_h is 3."""
        gold = judged("a L1, b L0")
        topic = Topic("", gold, [LabelledItem("a", 2.0), LabelledItem("b", None)])
        found = printed(compute([topic], Setting(gains=(1, 3), rbp=0.5))[0])
        assert found["RBP"] == "0.5000"
        assert found["ERR"] == "0.7500"

    def test_more_than_ten_cutoffs(self) -> None:
        gold = judged("a L1")
        setting = options(f"-g 1 -cutoffs {','.join(map(str, range(1, 13)))}")
        found = printed(compute([Topic("", gold, label(gold, ["a"]))], setting)[0])
        assert [found[f"P@{k:04}"] for k in (1, 2, 12)] == ["1.0000", "0.5000", "0.0833"]

    @given(st.data())
    @settings(max_examples=examples(40))
    def test_topics_together_are_topics_alone(self, data: st.DataObject) -> None:
        topics = data.draw(st.lists(random_topics(), max_size=5))
        setting = Setting((1, 2, 4), cutoffs=(1, 3), gap=True, classes=True, verbose=True)
        assert compute(topics, setting) == [compute([topic], setting)[0] for topic in topics]

    @given(st.data())
    @settings(max_examples=examples(40))
    def test_labels_are_those_of_evaluate(self, data: st.DataObject) -> None:
        """label -ec and compute -ec are evaluate with equivalence classes."""
        topic = data.draw(random_topics())
        found = printed(compute([topic], Setting((1, 2, 4), classes=True, cutoffs=(3,)))[0])
        scores = cf.evaluate(
            {"t": {item.doc: item.level for item in topic.judged}},
            {"t": [item.doc for item in topic.labelled]},
            ["AP", "ntcir:Q-measure(gain=1:2:4)", "ntcir:nERR(gain=1:2:4)@3"],
            labelling=cf.EquivalenceClasses({"t": {i.doc: i.group for i in topic.judged}}),
        )
        ours = [f"{x:.4f}" for x in scores.summary()["run"].values()]
        assert [found[name] for name in ("AP", "Q-measure", "nERR@0003")] == ours


@st.composite
def random_topics(draw: st.DrawFn) -> Topic:
    """A topic with classes, at least one relevant item, and a list of some of them."""
    levels = draw(st.lists(st.integers(0, 3), min_size=1, max_size=8).filter(any))
    gold = [Judgment(k, f"d{k}", float(level), draw(st.sampled_from("xyz"))) for k, level in enumerate(levels)]
    every = [item.doc for item in gold] + ["u1", "u2"]
    docs = draw(st.permutations(every))[: draw(st.integers(1, len(every)))]
    return Topic(draw(st.sampled_from(["", "T"])), gold, label(gold, docs, classes=True))


# -- pyNTCIREVAL --------------------------------------------------------------------------------


@checks("cranfield ntcir_eval", against="pyNTCIREVAL")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "given_options"),
    list(
        enumerate(
            [
                "-g 1",
                "-g 1:2:3 -cutoffs 1,3,10,1000",
                "-g 1:2:3 -beta 10 -cutoffs 2,20",
                "-g 1:2:7 -s 1:1:3 -gamma 0.5 -cutoffs 5",
                "-g 1:3:7 -rbp 0.8 -logb 10 -cutoffs 20",
                "-g 1:3:7 -beta 0.1 -logb 0 -cutoffs 5,50",
            ]
        )
    ),
)
def test_pyntcireval_line_by_line(tmp_path: Path, seed: int, given_options: str) -> None:
    """Random lists through its two commands. It pads names differently: blanks do not count.

    It adds up in another order, so a value such as 0.11875 may be rounded the other way: these
    seeds have none.
    """
    setting, rng = options(given_options), random.Random(100 + seed)  # noqa: S311
    its_options = re.sub(r"-(\w{3,})", r"--\1", given_options).split()
    topics, outputs = [], []
    for number in range(60):
        levels = rng.choices(range(len(setting.gains or ()) + 1), k=rng.choice([1, 3, 20, 60]))
        gold = {f"d{k}": level for k, level in enumerate(levels)} | {"d": 1, "e": 0}
        docs = [*gold, *(f"u{k}" for k in range(rng.choice([0, 2, 30])))]
        docs = rng.sample(docs, rng.randint(1, len(docs)))
        rel, res, lab = (str(tmp_path / f"{number}.{kind}") for kind in ("rel", "res", "lab"))
        Path(rel).write_text("".join(f"{doc} L{level}\n" for doc, level in gold.items()))
        Path(res).write_text("".join(f"{doc}\n" for doc in docs))
        # Not both: it condenses before it truncates, the original truncates first.
        condensed = rng.random() < 0.3
        depth = None if condensed else rng.choice([None, 1, 5, 100])
        how = ["-j"] * condensed + (["--truncate", str(depth)] if depth else [])
        labelled = pyntcireval("label", "-r", rel, *how, res)
        items = read_rel(Source.from_path(rel))
        ours = label(items, docs[:depth], condensed=condensed)
        assert _fields(format_labelled(ours)) == _fields(labelled)
        if not any(item.level for item in ours):  # its compute breaks down on such lists
            continue
        Path(lab).write_text(labelled)
        topics.append(Topic(f"T{number}", items, read_labelled(Source.from_path(lab))))
        prefix = ["--out", f"T{number}"]
        outputs.append(pyntcireval("compute", "-r", rel, *its_options, *prefix, lab))
    assert len(topics) > 40
    assert list(map(_fields, compute(topics, setting))) == list(map(_fields, outputs))


ITS_NAMES = {
    "QMeasure@": "Q@",
    "Precision@": "P@",
    "QMeasure=": "Q-measure=",
    "OMeasure=": "O-measure=",
    "PMeasure=": "P-measure=",
    "PPlusMeasure=": "P-plus=",
    "NCUguP=": "NCUgu,P=",
    "NCUguBR=": "NCUgu,BR=",
    "NCUrbP=": "NCUrb,P=",
    "NCUrbBR=": "NCUrb,BR=",
}


def pyntcireval(*arguments: str) -> str:
    """What a command of pyNTCIREVAL prints, with the original's names of measures."""
    testing, peer = import_module("click.testing"), import_module("pyNTCIREVAL.main")
    done = testing.CliRunner().invoke(peer.cli, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return re.sub(r"\w+[=@]", lambda name: ITS_NAMES.get(name[0], name[0]), done.output)


def _fields(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


# -- mistakes -----------------------------------------------------------------------------------

FILES = {
    "one.rel": "a L1\nb L0\n",
    "three.rel": "a L1\nb L3\n",
    "odd.rel": "a L1\nb X\n",
    "twice.rel": "a L1\nb L0\na L2\n",
    "none.rel": "a L0\n",
    "all.rel": "a L1\n",
    "classes.rel": "a L1 1\nb L2 1\n",
    "some.rel": "a L1 1\nb L2\n",
    "all;.rel": "a;L1\n",
    "semicolons.rel": "a;L1\nb;or c;L1\n",
    "semicolons.res": "b;or c\n",
    "a.res": "a\n",
    "twice.res": "a\nb\na\n",
    "blank.res": "a\nPaul McCartney\n",
    "odd.lab": "b L0\na l1\n",
    "high.lab": "b L0\na L3\n",
    "wide.lab": "a L1 1 2\n",
    "stranger.lab": "c\nd L1\n",
    "nonrelevant.lab": "b L1\n",
    "both.lab": "a L1 1\nb L2 1\n",
    "again.lab": "a L1\na L1\n",
}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("label a.res", "arguments are required: -r"),
        ("compute -r one.rel a.res", "arguments are required: -g"),
        ("label -r -", "standard input (-) can be used only once"),
        ("label -r missing.rel a.res", "cannot read missing.rel: no such file"),
        ("label -r odd.rel a.res", "odd.rel:2: found label 'X', expected L0, L1, L2"),
        ("label -r twice.rel a.res", "twice.rel:3: conflicting judgments of document 'a'"),
        ("label -ec -r one.rel a.res", "one.rel:1: found no class for a, expected doc L2 class"),
        ("label -r one.rel twice.res", "twice.res:3: duplicate document 'a' (first on line 1)"),
        ("label -r one.rel blank.res", "blank.res:2: found spaces in 'Paul McCartney'"),
        ("label -sep ; -r semicolons.rel a.res", "semicolons.rel:2: found label 'or c', expected"),
        ("label -sep ; -r all;.rel semicolons.res",
         "semicolons.res:1: found the separator ';' in 'b;or c', expected one document per line"),
        ("label -truncate 0 -r one.rel a.res", "found '0', expected an integer ≥ 1"),
        ("compute -r one.rel -g 1 odd.lab", "odd.lab:2: found label 'l1', expected L0, L1, L2"),
        ("compute -r one.rel -g 1 wide.lab", "wide.lab:1: found 4 fields"),
        ("compute -r one.rel -g 1 again.lab", "again.lab:2: duplicate document 'a'"),
        ("compute -r three.rel -g 1:2 a.res",
         "three.rel:2: found level 3 (L3), expected at most 2, the number of gains in -g"),
        ("compute -r one.rel -g 1:2 high.lab",
         "high.lab:2: found level 3 (L3), expected at most 2, the number of gains in -g"),
        ("compute -r one.rel -g 2:1 a.res", "-g: found gains 2:1, expected"),
        ("compute -r one.rel -g 0:1 a.res", "-g: found gains 0:1, expected"),
        ("compute -r one.rel -g 1:x a.res", "found 'x', expected a number"),
        ("compute -r one.rel -g 1:2 -s 1 a.res", "-s: found stop values 1, expected"),
        ("compute -r one.rel -g 1:2 -s 0:1 a.res", "-s: found stop values 0:1, expected"),
        ("compute -r one.rel -g 1 -cutoffs 0 a.res", "found '0', expected an integer ≥ 1"),
        ("compute -r one.rel -g 1 -cutoffs 1.5 a.res", "expected an integer ≥ 1"),
        ("compute -r one.rel -g 1 -beta -1 a.res", "O: beta must be a number ≥ 0, found -1"),
        ("compute -r one.rel -g 1 -rbp 1 a.res", "p must be a number between 0 and 1, found 1"),
        ("compute -r one.rel -g 1 -rbp p a.res", "found 'p', expected a number"),
        ("compute -r one.rel -g 1 -as 2019 a.res", "unknown option"),
        ("compute -r none.rel -g 1 a.res", "none.rel: no relevant document (L1, L2, …)"),
        ("compute -j -r all.rel -g 1 a.res", "all.rel: found no document judged L0, expected"),
        ("compute -ec -r some.rel -g 1:2 a.res", "some.rel:2: found no class for b"),
        ("compute -r one.rel -g 1 stranger.lab",
         "stranger.lab:2: found label L1 for d, "
         "expected no label, because it is not relevant in one.rel"),
        ("compute -r one.rel -g 1 nonrelevant.lab", "nonrelevant.lab:1: found label L1 for b"),
        ("compute -ec -r classes.rel -g 1:2 both.lab",
         "both.lab:2: found label L2 for b, expected no label after a in the same class 1"),
    ],
)  # fmt: skip
def test_mistakes(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ntcir_eval: Command,
    command: str,
    expected: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    assert expected in ntcir_eval.refused(command)


def test_mistakes_in_standard_input(here: Path, ntcir_eval: Command) -> None:
    said = ntcir_eval.refused("compute -r example.rel -g 1:2", stdin="c\na L9\n")
    assert said.startswith("standard input:2: found level 9 (L9), expected")


def test_settings_as_scripts_give_them(ntcir_eval: Command) -> None:
    setting = options("-cutoffs 10,1000 -g 1:2 -logb 0 -ec --as-version 2019")
    assert setting == Setting(gains=(1.0, 2.0), cutoffs=(10, 1000), logb=0.0, classes=True, version="2019")
    assert re.search(r"ntcir_eval compute: .* required: -g", ntcir_eval.refused("compute -r rel -gap"))
    assert "unknown option -x" in ntcir_eval.refused("compute -r rel -g 1 -x")
    with pytest.raises(CranfieldError, match="found version '2014', expected one of 2011, 190111"):
        Setting(gains=(1.0,), version="2014")


def test_the_release_of_january_2019(here: Path, ntcir_eval: Command) -> None:
    """Between the two: NCUgu and P@ as before, EBR and RBP@, ERR@, EBR@ as after."""
    labelled = "compute -r example.rel -g 1:2 example.lab --as-version 190111"
    Path("example.lab").write_text("c\nb L0\na L1\n")
    found = printed(ntcir_eval.printed(labelled))
    assert " ".join(found) == (
        "RR O-measure P-measure P-plus AP Q-measure NCUgu,P NCUgu,BR NCUrb,P NCUrb,BR RBP ERR EBR "
        "AP@1000 Q@1000 nDCG@1000 MSnDCG@1000 P@1000 RBP@1000 ERR@1000 nERR@1000 EBR@1000 Hit@1000"
    )
    assert (found["EBR"], found["RBP@1000"], found["P@1000"]) == ("0.1667", "0.0226", "0.0010")
