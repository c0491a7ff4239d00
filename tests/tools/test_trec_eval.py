"""trec_eval, byte for byte: transcripts of the original, random files beside it, and by hand.

``transcripts/trec_eval/*.txt`` hold what trec_eval 10 did on the small collection below. ``$``
begins a command, ``!`` a line on standard error, ``[exit 0]`` is the end. To add one, write its
``$`` line; ``python -m tests.tools.test_trec_eval``, with trec_eval 10 on the PATH, records all
anew. What it says of random files is kept elsewhere (``tests/peers/recorded.py``).

The original is wrong in places, and then there is no transcript but a test with the right numbers.
"""

from __future__ import annotations

import gzip
import random
import re
import shlex
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import pytrec_eval

from tests.evidence import checks
from tests.made import Command
from tests.peers.recorded import is_installed, original, program

TRANSCRIPTS = Path(__file__).parent / "transcripts" / "trec_eval"


# -- the collection of the transcripts ----------------------------------------------------------


def scrambled(lines: list[str]) -> str:
    """Lines in the order of their last characters: grouped neither by topic nor by score."""
    return "".join(f"{line}\n" for line in sorted(lines, key=lambda line: line[::-1]))


def judgments(topic: str, levels: dict[int, int]) -> list[str]:
    return [f"{topic} 0 d{doc} {level}" for doc, level in levels.items()]


def opinions(topic: str, group: str, *subgroups: range) -> list[str]:
    """Documents at levels that a group gives them, the same in all of its sub groups."""
    k = len(group)
    docs = [(subgroup, doc) for subgroup, some in enumerate(subgroups) for doc in some]
    return [f"{topic} {group} {subgroup} d{doc} {doc * k % (4 + k)}" for subgroup, doc in docs]


def ranked(topic: str, n: int, *, step: int, scores: int) -> list[str]:
    """n documents with as many different scores as is said: there are ties if there are fewer."""
    docs = [1 + i * step % (2 * n) for i in range(n)]
    return [f"{topic} Q0 d{doc} 0 {doc * 5 % scores / 4 - 2} tag" for doc in docs]


# Topics in the order of numbers: 9 10 101. Of bytes: 10 101 9.
GRADED = [
    *judgments("9", {d: (0, 0, 1, 0, 2, 0, 3, 0, 0, 12)[d % 10] for d in range(1, 200, 3)}),
    *judgments("10", {d: d % 3 % 2 for d in range(1, 45)}),
    *judgments("101", dict.fromkeys(range(1, 5), 0)),  # nothing is relevant
    *judgments("B", {d: (-1, 0, 1, -2, 2)[d % 5] for d in range(1, 40)}),  # a sampled pool
    *judgments("ü", {11: 1, 12: 2, 3: 0, 77: 3}),  # nothing relevant is found
]
BINARY = [re.sub(r"\d+$", lambda level: str(min(int(level[0]), 1)), line) for line in GRADED]
ABSENT = judgments("50", {1: 1, 2: 0, 3: 3, 4: 1})
RUN = [
    *ranked("9", 120, step=7, scores=40),
    *ranked("10", 40, step=3, scores=11),
    *ranked("101", 6, step=1, scores=5),
    *ranked("B", 35, step=1, scores=35),
    *ranked("ü", 3, step=13, scores=3),
    *ranked("nobody-judged-it", 4, step=1, scores=4),
]
# What several groups prefer, in sub groups that overlap or do not.
PREFS = [
    *opinions("9", "a", range(1, 12), range(5, 30, 4)),
    *opinions("9", "bo", range(1, 9)),
    *opinions("9", "cyd", range(2, 20, 3), range(1, 6), range(20, 30)),
    *opinions("10", "a", range(1, 20)),
    *opinions("101", "a", range(5, 30, 5)),  # nothing is preferred
    *opinions("B", "bo", range(1, 4), range(8, 15)),
    *opinions("B", "cyd", range(3, 12)),
]
ABSENT_PREFS = [*opinions("50", "a", range(1, 5)), *opinions("50", "bo", range(2, 6))]
# The same without sub groups: of each, the lines of the first.
GROUPS, ABSENT_GROUPS = (
    [line.replace(" 0 d", " d") for line in lines if " 0 d" in line] for lines in (PREFS, ABSENT_PREFS)
)
FIVE = range(1, 6)
QRELS = scrambled(GRADED)
ZSCORES = """\
9 map 0.1 0.05
10 P_5 0.5 0.25
10 map 0.25 0.125
B map 0.4 0
B num_ret 35 0
"""
FILES = {
    "qrels": QRELS,
    "binary": scrambled(BINARY),
    "with_absent": scrambled([*GRADED, *ABSENT]),
    "run": scrambled(RUN),
    "qrels.crlf": QRELS.replace("\n", "\r\n"),
    "run.crlf": scrambled(RUN).replace("\n", "\r\n"),
    "qrels.tabs": QRELS.replace(" ", "\t \t"),
    "run.tabs": "".join(f" {line}\t\n" for line in scrambled(RUN).replace(" ", "\t").splitlines()),
    "qrels.comments": "# judged by hand\n" + QRELS.replace("\n9 ", "\n# nine\n9 ", 1),
    "run.comments": f"# a run\n# of mine\n{scrambled(RUN)}\n\n  \t\n# the end\n\n",
    "run.extra": scrambled(RUN).replace(" tag\n", " tag and more\n"),
    "run.tags": scrambled([line.replace("tag", f"t{i}") for i, line in enumerate(RUN)]),
    "qrels.open": QRELS.rstrip("\n"),
    "run.open": scrambled(RUN).rstrip("\n"),
    "run.exponents": scrambled(RUN).replace(" 0.25 ", " 2.5e-1 ").replace(" 1.5 ", " +15E-1 "),
    "zscores": ZSCORES,
    # The original looks beyond the end for what it does not find: these sort last.
    "zscores.ended": f"{ZSCORES}9 ~ 0 1\n10 ~ 0 1\nB ~ 0 1\nÿ ~ 0 1\n",
    "zscores.nan": "9 map nan 0.1\n9 ndcg 0.1 NaN\n9 ~ 0 1\n10 map 0.5 0\n10 ndcg nan nan\n10 ~ 0 1\nÿ ~ 0 1\n",
    "empty": "",
    "qrels.short": "9 0 d1 1\n9 0 d2\n",
    "qrels.long": "9 0 d1 1\n9 0 d2 1 what\n",
    "run.short": "9 Q0 d1 1 2.5 tag\n9 Q0 d2 2 1.5\n",
    "qrels.twice": "9 0 d1 1\n9 0 d2 0\n9 0 d1 1\n",
    "run.twice": "9 Q0 d1 1 2.5 tag\n9 Q0 d2 2 1.5 tag\n9 Q0 d1 3 0.5 tag\n",
    "qrels.numbers": "9 0 d1 +1\n9 0 d2 00\n9 0 d3 1.0\n9 0 d4 02\n9 0 d5 -1\n",
    "run.numbers": "\n".join(
        f"9 Q0 d{i} - {score} tag"
        for i, score in enumerate((".5", "5.", "-0.0", "0", "1e-400", "-1E+2", "+7"), start=1)
    ),
    # Means and ratios that end in 5 after four decimals: the order of operations decides.
    "halves.qrels": "".join(f"t{t:02} 0 d{d} {int(d <= t % 5)}\n" for t in range(32) for d in FIVE),
    "halves.run": "".join(f"t{t:02} Q0 d{d} 0 {-d} tag\n" for t in range(32) for d in FIVE),
    # The same with groups of one topic.
    "halves.jg": "".join(f"9 t{t:02} d{d} {int(d <= t % 5)}\n" for t in range(32) for d in FIVE),
    "halves.list": "".join(f"9 Q0 d{d} 0 {-d} tag\n" for d in FIVE),
    "eleven.qrels": "".join(f"9 0 d{d} 1\n" for d in range(1, 53)),
    "eleven.run": "".join(f"9 Q0 d{d} 0 {-d} tag\n" for d in range(42, 54)),
    "resid.qrels": "9 0 d2 0\n9 0 d3 0\n9 0 d4 0\n10 0 d1 1\n",
    "resid.run": "10 Q0 d1 0 1 tag\n" + "".join(f"9 Q0 d{d} 0 {-d} tag\n" for d in range(1, 5)),
    "prefs": scrambled(PREFS),
    "prefs.with_absent": scrambled([*PREFS, *ABSENT_PREFS]),
    "groups": scrambled(GROUPS),
    "groups.with_absent": scrambled([*GROUPS, *ABSENT_GROUPS]),
    # As many relevant documents as others, or more, all retrieved: R means the same there.
    "prefs.few": "9 a 0 d1 1\n9 a 0 d2 2\n9 a 0 d3 0\n9 bo 0 d3 1\n9 bo 0 d1 0\n",
    "levels.qrels": "".join(f"9 0 d{i} {x}\n" for i, x in enumerate((9, -1, 10, 8, 0, -2, 11))),
    "levels.run": "".join(f"9 Q0 d{i} 0 {-i} tag\n" for i in range(9)),
    "percent.qrels": "%d% 0 d1 1\n",
    "percent.run": "%d% Q0 d1 0 1 50%s\n",
    "fractions": "9 a d1 0.5\n",
    "nine": scrambled([line for line in GRADED if line.startswith("9 ")]),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the files of the collection in it."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8", newline="")
    return tmp_path


# -- transcripts --------------------------------------------------------------------------------


class Done(NamedTuple):
    """A command line and what it did."""

    command: str
    out: str
    err: str
    exit: int

    def __str__(self) -> str:
        told = "".join(f"! {line}\n" for line in self.err.splitlines())
        return f"{f'$ trec_eval {self.command}'.strip()}\n{self.out}{told}[exit {self.exit}]\n"


def transcripts(path: Path) -> Iterator[Done]:
    """The commands of a file of transcripts."""
    text = path.read_text(encoding="utf-8")
    for said in re.split(r"^\$ trec_eval ?", text, flags=re.MULTILINE)[1:]:
        command, _, done = said.partition("\n")
        lines = done.strip("\n").split("\n")
        out = "".join(f"{line}\n" for line in lines if not line.startswith(("! ", "[exit ")))
        err = "".join(f"{line[2:]}\n" for line in lines if line.startswith("! "))
        yield Done(command, out, err, int("".join(lines[-1:]).strip("[exit ]") or 0))


def arguments(command: str) -> tuple[list[str], str | None]:
    """The words of a command, and the file that it reads as standard input."""
    words, _, file = command.partition(" < ")
    return shlex.split(words), file or None


def told_by(command: str, directory: Path) -> Done:
    """What the trec_eval on the PATH does."""
    words, file = arguments(command)
    found = program(words, directory, (directory / file).read_bytes() if file else b"")
    told, usage, _ = found.err.partition("Usage:")  # the rest of it is a manual
    return Done(command, found.out, told + ("usage\n" if usage else ""), found.exit)


def record() -> None:
    """Ask the original everything again."""
    if not is_installed():
        raise SystemExit("found no trec_eval 10 on the PATH")
    with tempfile.TemporaryDirectory() as directory:
        for name, text in FILES.items():
            (Path(directory) / name).write_text(text, encoding="utf-8", newline="")
        for path in TRANSCRIPTS.glob("*.txt"):
            done = [str(told_by(known.command, Path(directory))) for known in transcripts(path)]
            path.write_text("\n".join(done), encoding="utf-8")


Ours = Callable[[str], Done]


@pytest.fixture
def ours(here: Path, cranfield: Command) -> Ours:
    """What our command does in the directory of the collection."""

    def run(command: str) -> Done:
        words, file = arguments(command)
        given = (here / file).read_bytes() if file else b""
        found = cranfield("trec_eval", *words, stdin=given)
        return Done(command, found.out, found.err, found.code)

    return run


RECORDED = [(path.stem, done) for path in sorted(TRANSCRIPTS.glob("*.txt")) for done in transcripts(path)]


@pytest.mark.parametrize("recorded", [pytest.param(done, id=f"{about}: {done.command}") for about, done in RECORDED])
def test_transcript(recorded: Done, ours: Ours) -> None:
    """The same output and exit code; errors in our words, with the same names in them."""
    found = ours(recorded.command)
    assert found.out == recorded.out
    assert found.exit == recorded.exit
    assert bool(found.err) >= bool(recorded.err)
    assert [name for name in re.findall(r"'([^' ]+)'", recorded.err) if name not in found.err] == []


# -- where the original is wrong ----------------------------------------------------------------


def values(done: Done) -> dict[tuple[str, str], str]:
    """What was printed, by measure and topic."""
    assert done.exit == 0, done.err
    rows = [line.split("\t") for line in done.out.splitlines()]
    return {(name.strip(), topic): value for name, topic, value in rows}


def test_judged_topics_that_the_run_has_not_are_ignored(ours: Ours) -> None:
    """As the help says, and version 9 does; version 10 gives up."""
    assert ours("-q -m all_trec with_absent run").out == ours("-q -m all_trec qrels run").out


def test_nothing_in_common(ours: Ours) -> None:
    """Version 9's exit code; in version 10 the first absent topic is the end."""
    Path("other").write_text("other Q0 d1 1 1 tag\n")
    found = ours("qrels other")
    assert (found.out, found.exit) == ("", 7)
    assert found.err


def test_rbp_of_graded_levels(ours: Ours) -> None:
    """Gains are levels through the topic's highest; the original begins with whatever lies in
    memory where it looks for the highest."""
    Path("g.qrels").write_text("1 0 a 3\n1 0 b 1\n1 0 c 0\n1 0 e 2\n")
    Path("g.run").write_text("".join(f"1 Q0 {d} 0 {-i} x\n" for i, d in enumerate("abcde")))
    # 0.1 · (1 + 0.9/3 + 0.9⁴ · 2/3) = 0.1 · 1.7374; 0.5 · (1 + 0.5/3 + 0.5⁴ · 2/3) = 0.5 · 29/24
    assert values(ours("-m rbp g.qrels g.run")) == {("rbp", "all"): "0.1737"}
    assert values(ours("-m rbp.p=0.5 g.qrels g.run")) == {("rbp_p=0.5", "all"): "0.6042"}
    assert values(ours("-l 3 -m all_trec g.qrels g.run"))["rbp", "all"] == "0.1737"


@pytest.mark.parametrize(
    ("gains", "value"),
    [
        # Levels 0 1 2 3 are worth 0 1 −4 3: from 0 to 1, 4/7 5/7 0 1.
        # ½ (1 + ½ · 5/7 + ¼ · 4/7) = ½ · 3/2
        ("2=-4", "0.7500"),
        # −1 1 2 3 → 0 ½ ¾ 1: ½ (1 + ½ · ½ + 1/16 · ¾) = ½ · 83/64
        ("0=-1", "0.6484"),
        # 1 1 2 3 → 0 0 ½ 1: ½ (1 + 1/16 · ½) = ½ · 33/32
        ("0=1", "0.5156"),
        # 0 −1 0 1 → ½ 0 ½ 1, where none is above 1: ½ (1 + ¼ · ½ + 1/16 · ½) = ½ · 37/32
        ("1=-1,2=0,3=1", "0.5781"),
        # The topic has no level 7, worth 6: 0 1 2 3 → 0 1/6 1/3 ½.
        # ½ (½ + ½ · 1/6 + 1/16 · 1/3) = ½ · 29/48
        ("7=6", "0.3021"),
        # All worth 2, the least there is: nothing.
        ("0=2,1=2,2=2,3=2", "0.0000"),
        # From 0 to 1 as they are, each level having its gain: ½ · ¼ (1 + ½ + ¼ + 1/16) = 29/128
        ("0=0.25,1=0.25,2=0.25,3=0.25", "0.2266"),
    ],
)
def test_rbp_of_gains(gains: str, value: str, ours: Ours) -> None:
    """At ranks 1 2 3 5 are levels 3 1 0 2; at rank 4 is an unjudged document, worth nothing."""
    Path("g.qrels").write_text("1 0 a 3\n1 0 b 1\n1 0 c 0\n1 0 e 2\n")
    Path("g.run").write_text("".join(f"1 Q0 {d} 0 {-i} x\n" for i, d in enumerate("abcde")))
    found = values(ours(f"-m rbp.p=0.5,{gains} -m rbp_resid.p=0.5,{gains} g.qrels g.run"))
    assert found == {
        (f"rbp_p=0.5,{gains}", "all"): value,
        (f"rbp_resid_p=0.5,{gains}", "all"): "0.0938",  # 1/32 + ½ · 1/8, whatever the gains
    }


@pytest.mark.parametrize(
    "comments", ["{}# the end\n", "# one\n# two\n{}", "# one\n# two\n\n{}# the\n# end", "\n{}\n\n"]
)
def test_comments_and_blank_lines_in_qrels(comments: str, ours: Ours) -> None:
    Path("commented").write_text(comments.format(QRELS), encoding="utf-8")
    assert ours("-q commented run").out == ours("-q qrels run").out


def test_a_measure_asked_for_twice_with_parameters(ours: Ours) -> None:
    """The original prints the first."""
    assert ours("-m P.5 -m P.10,3 qrels run").out == ours("-m P.3,5,10 qrels run").out
    assert ours("-m P.5 -m P.5 qrels run").out == ours("-m P.5 qrels run").out


def test_points_of_recall_in_any_order(ours: Ours) -> None:
    """The original takes for granted that they ascend, of 11pt_avg only."""
    found = values(ours("-m 11pt_avg.0.75,0.25 qrels run"))
    assert found["11pt_avg_0.75,0.25", "all"] == "0.1848"  # the transcript of 0.25,0.75


def test_absent_topics_are_worth_nothing_with_parameters_either(ours: Ours) -> None:
    measures = "-m utility.1,-1,2,0 -m rbp_resid.p=0.8 -m relstring.4 -m unj.3 -m num_ret"
    found = values(ours(f"-q -c {measures} with_absent run"))
    assert {name: value for (name, topic), value in found.items() if topic == "50"} == {
        "num_ret": "0",
        "relstring_4": "''",
        "utility_1,-1,2,0": "0.0000",
        "rbp_resid_p=0.8": "0.0000",
        "unj_3": "0.0000",
    }
    # A mean over six topics instead of five, and the sixth is 0.
    without = values(ours(f"{measures} qrels run"))["utility_1,-1,2,0", "all"]
    assert found["utility_1,-1,2,0", "all"] == f"{float(without) * 5 / 6:.4f}"


def test_lists_without_a_document(ours: Ours) -> None:
    """0 where the original divides 0 by 0."""
    Path("unjudged").write_text("9 Q0 x 0 1 tag\n")
    for command in ("-q -J -m all_trec nine unjudged", "-q -M 0 -m all_trec nine run"):
        found = values(ours(command))
        assert found["num_ret", "9"] == "0"
        assert found["iprec_at_recall_0.00", "9"] == "0.0000"
        assert found["set_P", "all"] == "0.0000"
        assert "nan" not in "".join(found.values())


def test_absent_topics_of_condensed_lists(ours: Ours) -> None:
    """-c -J: the absent topic is 0, not 0 through 0."""
    found = values(ours("-q -c -J -m iprec_at_recall -m P.5 with_absent run"))
    assert found["iprec_at_recall_0.00", "50"] == "0.0000"
    assert "nan" not in "".join(found.values())


def test_gains_that_differ_by_less_than_one(ours: Ours) -> None:
    """The original sorts them as if they were equal, and the ideal list comes out wrong."""
    Path("g.qrels").write_text("1 0 a 1\n1 0 b 2\n1 0 c 0\n")
    Path("g.run").write_text("1 Q0 a 0 3 x\n1 Q0 b 0 2 x\n")
    # DCG 0.5 + 1/log2(3) = 1.13093, ideal 1 + 0.5/log2(3) = 1.31546
    found = values(ours("-m ndcg.1=0.5,2=1 g.qrels g.run"))
    assert found == {("ndcg_1=0.5,2=1", "all"): "0.8597"}


def test_gains_are_those_of_one_measure(ours: Ours) -> None:
    """In the original dcg, ideal_dcg and ndcg have them in common, or are freed twice."""
    found = ours("-m dcg -m ndcg.1=3,2=9 qrels run").out
    assert found == ours("-m dcg qrels run").out + ours("-m ndcg.1=3,2=9 qrels run").out


def test_zscores_of_topics_and_measures_that_are_not_there(ours: Ours) -> None:
    """The original looks for them beyond the end of the table."""
    asked = "-m map -m P.5 -m num_ret qrels run"
    assert ours(f"-q -Z zscores {asked}").out == ours(f"-q -Z zscores.ended {asked}").out


@pytest.mark.parametrize(
    ("qrels", "run", "told"),
    [
        ("1 0 a 0.5\n", "1 Q0 a 0 1 x\n", "cranfield evaluate"),
        ("1 0 a yes\n", "1 Q0 a 0 1 x\n", "yes"),
        ("1 0 a 1\n", "1 Q0 a 0 nan x\n", "nan"),
        ("1 0 a 1\n", "1 Q0 a 0 high x\n", "high"),
    ],
)
def test_numbers_that_are_none(qrels: str, run: str, told: str, ours: Ours) -> None:
    """The original takes the digits a number begins with, and lets NaN be tied with everything."""
    Path("odd.qrels").write_text(qrels)
    Path("odd.run").write_text(run)
    found = ours("odd.qrels odd.run")
    assert (found.out, found.exit) == ("", 2)
    assert told in found.err


def test_too_few_parameters(ours: Ours) -> None:
    """Noticed before anything is read; in the original at the first topic, with exit code 4."""
    found = ours("-m utility.1,2 qrels run")
    assert (found.out, found.exit) == ("", 2)
    assert "utility" in found.err


def test_scores_that_are_equal_as_32_bit_floats(ours: Ours) -> None:
    """Version 10 tells them apart: a is above b. In version 9 they are tied, and b comes first."""
    Path("near.qrels").write_text("1 0 a 1\n1 0 b 0\n")
    Path("near.run").write_text("1 Q0 a 0 0.123456789 x\n1 Q0 b 0 0.123456788 x\n")
    assert values(ours("-m recip_rank near.qrels near.run"))["recip_rank", "all"] == "1.0000"
    version_9 = values(ours("--as-version 9 -m recip_rank near.qrels near.run"))
    assert version_9["recip_rank", "all"] == "0.5000"


def test_errors_name_what_is_wrong(ours: Ours) -> None:
    assert "foo" in ours("-m foo qrels run").err
    assert "abc" in ours("-m ndcg.abc qrels run").err
    assert "nothing" in ours("qrels nothing").err
    assert "qrels.long:2" in ours("qrels.long run").err
    assert "run.short:2" in ours("nine run.short").err
    assert "d1" in ours("nine run.twice").err
    assert "d1" in ours("qrels.twice run").err


@pytest.mark.parametrize(
    ("command", "code", "told"),
    [
        ("-D 1.777 qrels run", 7, "No queries with both"),
        ("-m ndcg.1=1,1=2 qrels run", 2, "duplicate level or p in '1=1,1=2'"),
        ("-m ndcg.1=1,01=2 qrels run", 2, "duplicate level or p in '1=1,01=2'"),
        ("-m rbp.p=0.5,p=0.6 qrels run", 2, "duplicate level or p in 'p=0.5,p=0.6'"),
        (
            "-m utility.1e308,1e308,1e308,1e308 -N 1000 qrels run",
            2,
            "a must be 0, or between 1e-300 and 1e+150 in size, found 1e+308",
        ),
        ("-m P_5 qrels run", 1, "(did you mean P.5?)"),
        ("-m MAP qrels run", 1, "(did you mean map?)"),
        ("-m map,P qrels run", 1, "(one -m for each)"),
        ("-m official.5 qrels run", 1, "(nicknames have no parameters)"),
        ("-m P.5000000000000000 qrels run", 2, "expected an integer ≥ 1"),
        ("-m Rprec_mult.0 qrels run", 2, "expected a number > 0"),
        (f"-l {'9' * 5000} qrels run", 1, "expected -l and an integer ≥ 0"),
        ("-l ٣ qrels run", 1, "expected -l and an integer ≥ 0"),
        ("-m ndcg.٣=1 qrels run", 2, "expected an integer ≥ 0"),
        ("-R prefs -m map qrels run", 4, "Can't calculate measure 'map'"),
        ("-m prefs_simp qrels run", 4, "expected prefs or qrels_prefs"),
        ("- -Z - run < qrels", 1, "can be used only once"),
        ("-m iprec_at_recall.1.5 qrels run", 2, "found 1.5, expected a recall in [0, 1]"),
        ("-m 11pt_avg.0.5,1.5 qrels run", 2, "found 1.5, expected a recall in [0, 1]"),
        ("-m rbp.p=1 qrels run", 2, "between 0 and 1\ntrec_eval: Cannot initialize measure 'rbp'"),
        ("-m set_F.-2 qrels run", 2, "found -2, expected a number ≥ 0"),
        ("-m set_F.1,2 qrels run", 2, "expected 1"),
        ("-m set_F.1% qrels run", 2, "found '1%', expected a number"),
        ("-m relstring.-1 qrels run", 2, "found -1, expected a number ≥ 0"),
        ("-R qrels_jg -m qrels_jg fractions run", 2, "found level 0.5 for document d1 of topic 9"),
    ],
)
def test_requests_that_are_refused(command: str, code: int, told: str, ours: Ours) -> None:
    found = ours(command)
    assert (found.out, found.exit) == ("", code)
    assert told in found.err


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("-m iprec_at_recall.0.00001", "iprec_at_recall_0.00"),
        ("-m Rprec_mult.0.00001", "Rprec_mult_0.00"),
        ("-m set_F.-0", "set_F_-0"),
        ("-m set_F.1e300", "set_F_1e300"),
        ('-m "P. 5, 3"', "P_3"),
        ("-m P.1000000000000", "P_1000000000000"),
        ("-M 999999999999999 -m map", "map"),
    ],
)
def test_numbers_however_written(command: str, name: str, ours: Ours) -> None:
    assert (name, "all") in values(ours(f"{command} qrels run"))


def test_blanks_in_gains(ours: Ours) -> None:
    """The original takes no notice of a gain with a blank before its level."""
    found = values(ours('-m "ndcg. 1=3, 2 = 9" qrels run'))
    expected = values(ours("-m ndcg.1=3,2=9 qrels run"))["ndcg_1=3,2=9", "all"]
    assert found == {("ndcg_ 1=3, 2 = 9", "all"): expected}
    found = values(ours('-m "rbp. p=0.5" nine run'))
    expected = values(ours("-m rbp.p=0.5 nine run"))["rbp_p=0.5", "all"]
    assert found == {("rbp_ p=0.5", "all"): expected}


def test_note_of_topics_left_out(ours: Ours) -> None:
    said = "note: run: 1 topic (50) judged and not in the run, excluded (-c counts them)\n"
    assert ours("-m map with_absent run").err == said
    assert ours("-R prefs -m prefs prefs.with_absent run").err == said
    assert ours("-R qrels_jg -m qrels_jg groups.with_absent run").err == said
    assert ours("-c -m map with_absent run").err == ours("-m map qrels run").err == ""


def test_note_of_relevant_documents(ours: Ours) -> None:
    """From level 2 on: 21 of topic 9, 8 of B, 2 of ü, 1 of 50."""
    assert ours("-c -l 2 -m num_rel with_absent run").err == (
        "note: with -c, num_rel of all topics counts all levels above 0, as in trec_eval. From level 2 on, it is 32\n"
    )
    assert ours("-c -m num_rel with_absent run").err == ""
    assert ours("-c -l 2 -m map with_absent run").err == ""
    assert ours("-l 2 -m num_rel qrels run").err == ""


@pytest.mark.parametrize("names", ["all_trec", "all_prefs", "qrels_jg"])
def test_version_9_prints_no_topic_that_the_run_lacks(names: str, ours: Ours) -> None:
    """With -c they count all the same: all lines but those of topic 50 are as without -q."""
    formats = {"all_trec": "with_absent", "all_prefs": "-R prefs prefs.with_absent"}
    files = f"{formats.get(names, '-R qrels_jg groups.with_absent')} run"
    asked = f"-c -m {names}"
    nine, ten = (ours(f"--as-version {x} -q {asked} {files}").out for x in (9, 10))
    assert "\t50\t" in ten
    assert "\t50\t" not in nine
    assert nine.endswith(ours(f"--as-version 9 {asked} {files}").out)
    unanswered = values(ours(f"--as-version 9 {asked} {files}"))
    assert unanswered["num_q", "all"] == values(ours(f"{asked} {files}"))["num_q", "all"]


def test_nine_on_an_unanswered_topic(ours: Ours) -> None:
    """By hand: AP 1 and none, over two topics; the logarithm of the second is that of 0.00001."""
    Path("two.qrels").write_text("1 0 a 1\n2 0 a 1\n2 0 b 1\n")
    Path("one.run").write_text("1 Q0 a 0 1 x\n")
    asked = "-q -c -m map -m gm_map -m num_rel -m num_q two.qrels one.run"
    lines = ours(f"--as-version 9 {asked}").out.split("\n")
    expected = ["num_rel 1 1", "map 1 1.0000", "num_q all 2", "num_rel all 3"]
    expected += ["map all 0.5000", "gm_map all 0.0032"]
    assert [" ".join(line.split()) for line in lines if line] == expected


def test_ranks_are_read_as_c_reads_numbers(ours: Ours) -> None:
    """And a note says so where more was written than was read."""
    found = ours("-m ndcg_cut.10,20,23.4 -m P.5x,1e2 -m recall.5 qrels run")
    names = ["P_1", "P_5", "recall_5", "ndcg_cut_10", "ndcg_cut_20", "ndcg_cut_23"]
    assert [name for name, _ in values(found)] == names
    read = {"ndcg_cut.23.4": "ndcg_cut.23", "P.5x": "P.5", "P.1e2": "P.1"}
    notes = [f"note: {a} is read as {b}, as trec_eval does\n" for a, b in read.items()]
    assert found.err == "".join(notes)
    assert "duplicate cutoffs" in ours("-m P.5,5.5 qrels run").err
    assert "found cutoff 'x5'" in ours("-m P.x5 qrels run").err


def test_preferences_as_described(ours: Ours) -> None:
    """One relevant document above two others: nothing is left to wish for. The program, which
    counts pairs of nonrelevant documents as well, prints a third."""
    Path("few.qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 c 0\n")
    Path("few.run").write_text("1 Q0 a 0 3 x\n1 Q0 b 0 2 x\n1 Q0 c 0 1 x\n")
    asked = "-R qrels_prefs -m prefs_avgjg_Rnonrel few.qrels few.run"
    printed, described = ours(asked), ours(f"--as-described {asked}")
    name = ("prefs_avgjg_Rnonrel", "all")
    assert (values(printed)[name], values(described)[name]) == ("0.3333", "1.0000")
    assert "as trec_eval computes it, unlike its description (--as-described)" in printed.err
    assert described.err == ""


def test_measures_of_version_10_alone(ours: Ours) -> None:
    names = {
        version: {name for name, _ in values(ours(f"--as-version {version} -m all_trec nine run"))}
        for version in (9, 10)
    }
    assert names[10] - names[9] == {"rbp", "rbp_resid", "unj_5", "unj_10", "unj_20"}
    assert names[9] < names[10]
    assert ("rbp", "all") in values(ours("--as-version 9 -m rbp nine run"))


def test_runid_of_a_compressed_run(ours: Ours) -> None:
    Path("run.gz").write_bytes(gzip.compress(FILES["run.tags"].encode()))
    last = FILES["run.tags"].split()[-1]
    assert values(ours("-m runid qrels run.gz")) == {("runid", "all"): last}


def test_nothing_in_common_and_every_topic_counts(ours: Ours) -> None:
    Path("other").write_text("other Q0 d1 1 1 tag\n")
    found = values(ours("-q -c -m map -m num_q qrels other"))
    assert found["map", "9"] == found["map", "all"] == "0.0000"
    assert found["num_q", "all"] == "5"


def test_huge_levels(ours: Ours) -> None:
    """They are numbers like any other: nothing is made for each level below."""
    Path("g.qrels").write_text("1 0 a 1000000000\n1 0 b 0\n")
    Path("g.run").write_text("1 Q0 a 0 3 x\n")
    assert values(ours("-m rbp g.qrels g.run")) == {("rbp", "all"): "0.1000"}  # (1 − 0.9) · 1
    Path("g.qrels").write_text("1 0 a 1e300\n")
    assert ours("-m rbp g.qrels g.run").exit == 2


def test_there_is_no_negative_zero(ours: Ours) -> None:
    Path("g.qrels").write_text("1 0 a -0\n1 0 b 1\n")
    Path("g.run").write_text("1 Q0 a 0 3 x\n")
    assert ours("-q -n -m relstring g.qrels g.run").out.endswith("'0'\n")
    assert values(ours("-m dcg.0=-0,1=2 g.qrels g.run")) == {("dcg_0=-0,1=2", "all"): "0.0000"}


@pytest.mark.parametrize("form", ["prefs", "qrels_prefs", "qrels_jg"])
def test_a_bad_run_beside_preferences(form: str, ours: Ours) -> None:
    Path("p").write_text("1 g s a 1\n" if form == "prefs" else "1 g a 1\n")
    Path("bad").write_text("1 Q0 a 0 3 x\n1 Q0 b 0 three x\n")
    measure = "qrels_jg" if form == "qrels_jg" else "prefs"
    found = ours(f"-R {form} -m {measure} p bad")
    assert (found.out, found.exit) == ("", 2)
    assert found.err.startswith("bad:2: found score 'three', expected a finite number\n")


def test_mistakes_on_standard_input_have_lines(ours: Ours) -> None:
    Path("g.qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 a 1\n")
    found = ours("- run < g.qrels")
    assert (found.exit, found.err.splitlines()[0]) == (
        4,
        "standard input:3: duplicate document 'a' in topic 1",
    )
    Path("g.qrels").write_text("1 0 a 1\n1 0 b 0.5\n")
    assert ours("- run < g.qrels").err.startswith("standard input:2: found level 0.5")


# -- random files -------------------------------------------------------------------------------

TOPICS = ("9", "10", "101", "1", "b", "B", "ü", "T-2")
LEVELS = {
    "binary": (0, 0, 1),
    "graded": (0, 0, 0, 1, 2, 3),
    "sampled": (-2, -1, 0, 1, 2),
    "few": (0, 0, 0, 0, 0, 0, 0, 1, 4),
    "none": (0, -1),
    "high": (0, 1, 12),
}
SHARED = pytrec_eval.supported_measures - {  # what pytrec_eval prints for each topic
    "runid", "num_q", "relstring", "gm_map", "gm_bpref",
}  # fmt: skip
CUTOFFS = (1, 2, 3, 5, 7, 10, 16, 20, 32, 64, 100, 160)
CUT = ("P", "recall", "relative_P", "success", "map_cut", "ndcg_cut", "unj")
POINTS = ("iprec_at_recall", "11pt_avg", "Rprec_mult")
GAINS = ("G", "ndcg_rel", "Rndcg")
DCG = ("dcg", "ideal_dcg", "ndcg")  # the parameters of one are those of all in the original
PLAIN = (
    *CUT, *POINTS, *GAINS, *DCG,
    "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map",
    "Rprec", "bpref", "recip_rank", "relstring", "infAP", "gm_bpref", "utility", "binG", "set_P",
    "set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret", "yaap",
    "rbp_resid", "official", "set",
)  # fmt: skip


class Collection(NamedTuple):
    """Judgments and a run."""

    qrels: dict[str, dict[str, int]]
    run: dict[str, dict[str, float]]

    @classmethod
    def drawn(cls, rng: random.Random, *, absent: bool = False) -> Collection:
        """Short and long lists with many ties or none; with a topic that is absent from the run, or
        without. The first document is judged, so that -J, too, leaves one."""
        qrels: dict[str, dict[str, int]] = {}
        run: dict[str, dict[str, float]] = {}
        for topic in rng.sample(TOPICS, rng.randint(1, 6)):
            docs = [f"{rng.choice('dDé')}{i}" for i in range(rng.choice((2, 8, 40, 200)))]
            levels = LEVELS[rng.choice(list(LEVELS))]
            judged = rng.sample(docs, rng.randint(1, len(docs)))
            qrels[topic] = {doc: rng.choice(levels) for doc in judged}
            found = rng.sample(docs, rng.randint(1, len(docs)))
            different = rng.choice((1, 3, len(docs), 10**6))
            run[topic] = {doc: rng.randrange(different) / 8 - 3 for doc in found}
            qrels[topic][judged[0]] = abs(qrels[topic][judged[0]])
            run[topic][judged[0]] = 10.0**6
        run["nobody"] = {"d1": 1.0}
        if absent:
            qrels["absent"] = {"d1": 1, "d2": 0, "d3": 2}
        return cls(qrels, run)

    def write(self, rng: random.Random) -> None:
        """Unsorted, with whatever else the original reads: tabs, CRLF, comments, blank lines."""
        qrels = [f"{t} 0 {d} {x}" for t, docs in self.qrels.items() for d, x in docs.items()]
        run = [f"{t} Q0 {d} 0 {x!r} tag" for t, docs in self.run.items() for d, x in docs.items()]
        rng.shuffle(qrels)
        rng.shuffle(run)
        if rng.random() < 0.5:
            run = [f"{line}{rng.choice(('', ' more of it', '  ', chr(10), chr(10) * 2 + ' '))}"
                   for line in run]  # fmt: skip
            run.insert(rng.randrange(len(run)), "# a comment\n# and one more")
            qrels.insert(rng.randrange(len(qrels)), "# a comment")
        blank, end = rng.choice((" ", "\t", "  \t")), rng.choice(("\n", "\r\n"))
        for name, lines in (("random.qrels", qrels), ("random.run", run)):
            text = "".join(f"{line}\n" for line in lines).replace(" ", blank).replace("\n", end)
            Path(name).write_text(text, encoding="utf-8", newline="")


def with_parameters(rng: random.Random, name: str, *, absent: bool) -> str:
    """A measure as -m takes it; where the original cares for absent topics, if there are any."""

    def some(values: tuple[float, ...]) -> str:
        drawn = rng.sample(values, rng.randint(1, 4))
        return ",".join(f"{x:g}" for x in (sorted(drawn) if name == "11pt_avg" else drawn))

    if name in CUT:
        return f"{name}.{some(CUTOFFS)}"
    if name in POINTS:
        return f"{name}.{some((0.125, 0.2, 0.25, 0.333, 0.5, 0.7, 1.0))}"
    if name in (*GAINS, *DCG):
        # Whole numbers, as the original sorts no others; some above 0, or its Rndcg is 0/0.
        lowest = -4 if name != "Rndcg" else 1
        given = {level: rng.randint(lowest, 9) for level in rng.sample((1, 2, 3, 4, 12), 2)}
        given |= {0: rng.randint(-3, 3)} if rng.random() < 0.3 else {}
        return f"{name}.{','.join(f'{level}={gain}' for level, gain in given.items())}"
    if name == "set_F":
        return f"set_F.{rng.choice(('0', '0.5', '2', '3.0'))}"
    if absent:
        return name
    if name == "utility":
        return "utility.2,-1,0.5,-0.25"
    if name == "relstring":
        return f"relstring.{rng.choice(CUTOFFS)}"
    return "rbp_resid.p=0.8" if name == "rbp_resid" else name


def drawn_options(rng: random.Random, *, absent: bool) -> str:
    """Options that the original minds."""
    words = [f"-{letter}" for letter in ("qn" if absent else "qnJ") if rng.random() < 0.5]
    words += ["-c"] if absent else []
    words += [f"-l {rng.randint(1, 4)}"] if rng.random() < 0.3 else []
    words += [f"-M {rng.choice(CUTOFFS)}"] if rng.random() < 0.3 else []
    words += [f"-N {rng.choice((500, 1000))}"] if rng.random() < 0.3 else []
    if rng.random() < 0.2:
        return " ".join([*words, "-m all_trec"])
    if rng.random() < 0.1:
        return " ".join([*words, f"-m {with_parameters(rng, rng.choice(DCG), absent=absent)}"])
    for name in rng.sample(PLAIN, rng.randint(1, 6)):
        plain = name in DCG or rng.random() < 0.5
        words.append(f"-m {name if plain else with_parameters(rng, name, absent=absent)}")
    return " ".join(words)


def sane(out: str) -> list[str]:
    """Lines without those of rbp, which the original computes with what lies in memory."""
    return [line for line in out.splitlines() if not line.startswith("rbp ")]


@checks("cranfield trec_eval", against="trec_eval")
@pytest.mark.parametrize("seed", range(60))
def test_random_files(seed: int, ours: Ours, here: Path) -> None:
    rng = random.Random(seed)  # noqa: S311
    absent = rng.random() < 0.5
    Collection.drawn(rng, absent=absent).write(rng)
    command = f"{drawn_options(rng, absent=absent)} random.qrels random.run"
    theirs, found = original(shlex.split(command), here), ours(command)
    assert sane(found.out) == sane(theirs.out), command
    assert found.exit == theirs.exit == 0


@pytest.mark.parametrize("seed", range(4))
def test_random_duplicates(seed: int, ours: Ours, here: Path) -> None:
    """A document twice in a list, or judged twice: both give up, with the same exit code."""
    rng = random.Random(seed)  # noqa: S311
    Collection.drawn(rng).write(rng)
    for name in ("random.qrels", "random.run"):
        lines = Path(name).read_text(encoding="utf-8").splitlines()
        told = [line for line in lines if line.strip() and line[0] != "#" and "nobody" not in line]
        text = "".join(f"{line}\n" for line in [*lines, rng.choice(told)])
        Path("twice").write_text(text, encoding="utf-8", newline="")
        files = ("twice random.run", "random.qrels twice")[name == "random.run"]
        theirs, found = original(["-q", *files.split()], here), ours(f"-q {files}")
        assert found.exit == theirs.exit == 4


@pytest.mark.parametrize("seed", range(10))
def test_version_9(seed: int, ours: Ours) -> None:
    """pytrec_eval is version 9 with its cutoffs of recall; scores fit its 32-bit floats."""
    rng = random.Random(seed)  # noqa: S311
    collection = Collection.drawn(rng)
    collection.write(rng)
    level = rng.randint(1, 3)
    peer = pytrec_eval.RelevanceEvaluator(collection.qrels, SHARED, relevance_level=level)
    expected = {
        (measure, topic): f"{value:6.4f}"
        for topic, measured in peer.evaluate(collection.run).items()
        for measure, value in measured.items()
    }
    asked = " ".join(f"-m {measure}" for measure in sorted(SHARED))
    found = values(ours(f"--as-version 9 -q -n -l {level} {asked} random.qrels random.run"))
    counts = ("num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret")
    assert {key: f"{float(value):6.4f}" if key[0] in counts else value for key, value in found.items()} == expected


if __name__ == "__main__":
    record()
