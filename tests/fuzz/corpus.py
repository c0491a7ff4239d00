"""What mutated input, absurd values and load have broken: each case, and what it should do.

The numbers are the points of the issue that found them, 0 is what was found since. `make test`
runs all of them. What needs more than a command and its files is in `tests/robust` (a kill), or
where the code is (a file that changes while it is read).
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import replace

from tests.fuzz.cases import Case
from tests.fuzz.mutations import QRELS, RUNS

Q, R = QRELS.decode(), RUNS["x"].decode()
FILES = {"q": Q, "x": R, "y": RUNS["y"].decode()}


def case(point: int, line: str, code: int | None, said: str = "", /, **files: str | bytes) -> Case:
    """A line of words, files by name (`_` is a dot), and how it should end; others are as usual."""
    held = {name.replace("_", "."): content for name, content in {**FILES, **files}.items()}
    made = {n: x if isinstance(x, bytes) else x.encode() for n, x in held.items()}
    return Case(tuple(line.split()), made, point=point, code=code, said=said)


def cases() -> Iterator[Case]:
    """All of them."""
    yield from silently_wrong()
    yield from readers_disagree()
    yield from broken()
    yield from unbounded()
    yield from shown()
    yield from absurd()
    yield from found_since()


def silently_wrong() -> Iterator[Case]:
    same = "1 0 ABCDEFGHIJKLMNOP 1\n1 0 1Z7GenPu-yQby:Lt 1\n"  # two documents with one hash
    both = "1 Q0 ABCDEFGHIJKLMNOP 1 2 r\n1 Q0 1Z7GenPu-yQby:Lt 2 1 r\n"
    yield case(1, "evaluate q x -m AP", 0, r"1\.0000", q=same, x=both)
    yield case(1, "label q x", 0, "ABCDEFGHIJKLMNOP", q=same, x=both)
    for bad in ("x", "", "nan"):
        ranked = f"topic,doc,rank\n1,a,2\n1,b,{bad}\n1,c,1\n"
        yield case(2, "evaluate q x.csv -m RR", 2, r"x\.csv:3", x_csv=ranked)
    yield case(4, "compare q x y --fail-if-worse -m AP " + "--depth=" + "9" * 25, 2)
    yield case(5, "evaluate q x -m nDCG", None, q="1 0 a 1e308\n1 0 b 1e308\n1 0 c 1e308\n")
    yield case(5, "evaluate q x -m nDCG --gains 1e308,1e308,1e308", None)
    yield case(5, "evaluate q x", 2, "q:1", q="1 0 a \u0661\n")
    for comma, name in (("\t", "x.tsv"), (",", "x.csv")):
        wide = "\n".join(comma.join(row) for row in (("topic", "doc", "score"), ("1", "a\u3000", "1")))
        yield case(5, f"evaluate q {name} -m P@1", 0, r"1\.0000", q="1 0 a\u3000 1\n", **{name: wide})


def readers_disagree() -> Iterator[Case]:
    yield case(6, "--readers run x.csv", 0, x_csv="topic,doc,score\r1,a,2\r1,b,1\r")
    for comma, name in (("\t", "x.tsv"), (",", "x.csv")):
        head = comma.join(("topic", "doc", "score")) + "\n"
        for odd in ("a\x0b", "a\x1c", "a\x85", "a\u2028", "a\0"):
            files = {name: head + comma.join(("1", odd, "1")) + "\n"}
            yield case(6, f"--readers run {name}", 0, **files)
        yield case(6, f"--readers run {name}", 0, **{name: head + comma.join(("1", "a"))})
        yield case(6, f"--readers run {name}", 0, **{name: head + comma.join(("1", "a", "1")) + "\n1"})
    letor = b"2 qid:1 1:0.3 #docid = a \xff\n0 qid:1 1:0.1 #docid = b\n"
    yield case(6, "--readers qrels letor", 0, letor=letor)
    xml = '<ROOT><TOPIC ID="1"><RESULT RANK="1" DOCID="a" SCORE="x" /></TOPIC></ROOT>\n'
    yield case(6, "--readers run x.xml", 0, x_xml=xml)


def broken() -> Iterator[Case]:
    yield case(7, "evaluate q - -m AP", 2, "no results|empty")
    yield case(7, "evaluate q misspelt -m AP", 2, "misspelt: no such file")
    for line in ("1 Q0 a 1\n", "1 Q0 a x y r\n", "\0\n", "1\n"):
        yield case(8, "ndeval q x", None, q="1 1 a 1\n", x=line)
    apart = {"ann": "1 0 a A\n", "bob": "1 0 b B\n"}
    for more in ("", "-q", "-f json", "--topic 1"):
        yield case(8, f"assess agree ann bob --labels A=1,B=0 {more}", None, **apart)
    for name, start in (("x.parquet", b"PAR1"), ("x.arrow", b"ARROW1\0\0")):
        for rest in (b"", b"\xff" * 64, b"\0" * 64 + b"\x7f\xff\xff\x7f" + start[:4]):
            yield case(8, f"evaluate q {name}", 2, name, **{name: start + rest})
            yield case(8, f"validate {name}", None, name, **{name: start + rest})


def unbounded() -> Iterator[Case]:
    topics = range(3000)
    many = {
        "q": "".join(f"{t} 0 a 1\n" for t in topics),
        "x": "".join(f"b{t} Q0 a 1 1 r\n" for t in topics),
    }
    yield case(9, "validate q x", None, **many)
    twice = ", ".join(f'"d{i}": 1' for i in [*range(20_000), 0])
    yield case(9, "evaluate q x.json", 2, "duplicate key 'd0'", x_json=f'{{"1": {{{twice}}}}}')
    scores = "map 1 0.5\nmap 2 0.25\n" + "".join(f"mine{i} 1 0.5\n" for i in range(3000))
    yield case(9, "compare --scores s1 s2 -m AP", 0, s1=scores, s2="map 1 0.25\nmap 2 0.5\n")
    yield case(9, f"evaluate q x -m map_cut_{'0' * 80_000}x", 2, "measure")
    bad = "".join(f"1 Q0 d{i} {i} {9e6 - i} r\n" for i in range(20_000)) + "1 Q0 z 1 nan r\n"
    yield case(10, "evaluate q x", 2, "x:20001", x=bad)
    long = "".join(f"1 Q0 {'d' * (1 << 19 if i == 7 else 1)}{i} {i} {99 - i} r\n" for i in range(50))
    yield case(11, "evaluate q x --ties trec", None, x=long)
    yield case(11, "evaluate q x.gz", 2, x_gz=gzip.compress(b"0" * (60 << 20), mtime=0))
    intents = "1 1 a 2\n1 2 b 1\n"
    for measure in ("alpha_nDCG@1000000000", "GAP(max_level=1e9)", "P@1000000000000"):
        yield case(11, f"evaluate q x -m {measure}", None, q=intents)
    yield case(11, "evaluate q x --gains topic -m nDCG", None, q="1 a L9999999\n1 b L1\n")
    for option in ("topics", "runs"):
        yield case(11, f"simulate -o made --{option} 1000000000", 2, "at most 100000000 candidates")
    for option in ("depth", "levels"):
        yield case(11, f"simulate -o made --{option} 1000000000", 2, option)
    for line in ("swap q x y -m AP", "correlation q x y -m AP,P@2"):
        yield case(11, f"meta {line} --trials {10**18}", 2, "trials")
    scattered = "".join(f"{i % 3 + 1} Q0 d{i} 1 {-i} r\n" for i in range(3000))
    yield case(12, "evaluate q x -m AP", 0, r"0\.0000", x=scattered)


def shown() -> Iterator[Case]:
    accented = {"q": "1 0 a\u0301\u4e2d 1\n", "x": "1 Q0 a\u0301\u4e2d 1 1 \u4e2d\n"}
    for encoding in ("latin-1", "cp1252", "ascii"):
        for line in ("evaluate q x -q", "label q x", "validate q x", "evaluate q \u4e2d"):
            yield replace(case(13, line, None, **accented), encoding=encoding)
    yield case(
        13,
        "evaluate q.json x.json",
        None,
        q_json='{"\\ud800": {"a": 1}}',
        x_json='{"\\ud800": {"a": 1}}',
    )
    yield case(13, "evaluate q \udcff\udcfe", 2)
    red = {"x": "\x1b[31m1\x1b[0m Q0 a 1 1 \x1b[31mr\n"}
    for line in ("evaluate q x", "validate q x", "evaluate q x -q", "label q x", "pool x"):
        yield case(14, line, None, **red)
    yield case(14, "evaluate q x", 2, x="1 Q0 \x1b[31ma 1 \x1b[31m r\n")
    yield case(14, "evaluate q \x1b[31m", 2)
    yield case(14, "evaluate q x -m \x1b[31m", 2)
    yield case(15, "evaluate q x -o /nowhere/at/all", 2, "cannot write")
    yield case(15, "evaluate q .", 2)
    yield case(15, "ntcir split-qrels nothing rel", None, "cannot read|no such")


def absurd() -> Iterator[Case]:
    for deep in (330, 5000):
        yield case(16, f"evaluate q x -m {'IA(' * deep}AP{')' * deep}", 2)
        yield case(16, f"explain {'D(' * deep}nDCG{')' * deep}", 2)
    huge = "9" * 25
    yield case(16, f"evaluate q x --depth {huge}", None)
    yield case(16, f"pool x --depth {huge}", None)
    yield case(16, f"meta leave-one-out q x y -m AP --pool-depth {huge}", None)
    for line in (
        "--sd 1e-12",
        "--sd 1e-160",
        "--sd 1 --difference 1e18",
        "--sd 1 --difference 1e-18",
    ):
        yield case(16, f"plan {line}", None)
    for measure in (
        "Rprec(mult=1e22)",
        "SetF(beta=1e308)",
        "alpha_nDCG(alpha=1e-320)",
        "P@1e22",
        "RBP(p=1e-320)",
    ):
        yield case(16, f"evaluate q x -m {measure}", None)
    yield case(16, "evaluate q x.jsonl", 2, "x.jsonl", x_jsonl="1\n")
    yield case(16, "validate x.jsonl", None, "x.jsonl", x_jsonl="1\n")
    yield case(16, "evaluate q x -m IRec@2", None, q=f"1 {'9' * 4400} a 1\n")
    yield case(16, "ndeval q x", None, q=f"1 {'9' * 4400} a 1\n")
    yield case(16, "evaluate q x --sep=--", 2)
    for text in (
        "[" * 100_000,
        '{"runs": ["a"], "values": ' + "[" * 100_000,
        '{"runs": 1, "values": 1e999}',
    ):
        yield case(16, "compare --scores s.json -m AP", 2, **{"s.json": text})
    many = '{"runs": ["a"], "topics": ["1"], "measures": ["AP"], "values": [[[' + "9" * 5000 + "]]]}"
    yield case(16, "compare --scores s.json -m AP", 2, **{"s.json": many})


def found_since() -> Iterator[Case]:
    """By `make fuzz`."""
    scores = {"s1": "map 1 0.5\nmap 2 0.25\n", "s2": "map 1 0.25\nmap 2 0.5\n"}
    yield case(0, "compare --scores s1 s2 --topic 3", 2, "topic '3'", **scores)


CASES = tuple(cases())
