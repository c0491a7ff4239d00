"""Commands and files that are like good ones: a seed, changed here and there at random."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from cranfield.cli.parser import Parser
from tests import ROOT
from tests.fuzz import tool_files
from tests.fuzz.cases import Case

LARGEST = 10_000  # bytes of a file
TOKENS = [
    b"", b" ", b"\t", b"\n", b"\r", b"\r\n", b"\0", b"\xff", b"\xef\xbb\xbf", b"\x1b[31m", b"\x85",
    "\u3000".encode(), "é".encode(), "e\u0301".encode(), "\u0661".encode(), "\u2028".encode(),
    b"0", b"-1", b"1", b"1.5", b"nan", b"inf", b"-inf", b"1e308", b"1e-320", b"1e999", b"-0", b"+1",
    b"0x10", b"1_000", b"9" * 25, b"0" * 400, b"1" * 4400, b"L9999999", b"L1", b"L-1", b"x", b"all",
    b",", b";", b'"', b"'", b"{", b"}", b"[", b"]", b":", b"=", b"#", b"null", b"true", b"-", b"--",
    b'"\\ud800"', b"[" * 2000, b"=cmd|' /C calc'!A0", b"<", b">", b"<TOPIC", b"qid:", b"Q0",
    b"a" * 3000,
]  # fmt: skip
NUMBERS = ["0", "1", "2", "-1", "0.5", "1e-12", "1e18", "1e308", "1e-320", "nan", "inf", "9" * 25,
           "", " ", "x", "1/3", "1,2", "1e9", "10", "-0", "0.05"]  # fmt: skip
TEXTS = ["", "x", "a,b", "=", "a=1", "--", "-", "é\u3000", "\x1b[0m", "L2=1,L1=0", "1:2:3",
         "linear", "topic", "exp", "all", "A=2,B=1,C=0", ";", ",", "\t", "0" * 300,
         "(" * 50]  # fmt: skip
NAMED = re.compile(r"[\w./-]+\.(txt|run|tsv|csv|jsonl?|qrels|prefs|parquet|toml|py|tid)|sim/.*")
NEVER = ("--help", "--import", "--version", "-help", "-version", "--threads")  # --import runs files

# -- seeds ----------------------------------------------------------------------------------------

QRELS = b"1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 c 1\n2 0 d 3\n3 0 a 1\n3 0 e 0\n"
RUNS = {
    "x": b"1 Q0 b 1 3 x\n1 Q0 a 2 2 x\n1 Q0 z 3 1 x\n2 Q0 c 1 1 x\n3 Q0 a 1 2 x\n3 Q0 e 2 2 x\n",
    "y": b"1 Q0 a 1 3 y\n1 Q0 c 2 2 y\n2 Q0 d 1 2 y\n2 Q0 c 2 1.5 y\n3 Q0 e 1 2 y\n3 Q0 a 2 1 y\n",
    "w": b"1 Q0 c 1 9 w\n2 Q0 z 1 5 w\n2 Q0 d 2 4 w\n3 Q0 a 1 1 w\n",
}
COMMANDS = """
evaluate q x y -m "AP nDCG@10" -q
evaluate q.csv x.csv -m "P@2 RR"
evaluate q.tsv x.tsv
evaluate q.json x.json
evaluate q.jsonl x.jsonl
evaluate q.parquet x.parquet
evaluate q.arrow x.arrow
evaluate q.gz x.bz2 y.xz
evaluate letor predictions
evaluate q x.xml
evaluate q x y --ties expected --gains 1:3:7 --depth 2
evaluate q x y --classes classes --undefined skip
evaluate q x --lengths lengths.csv -m "U TBG"
evaluate intents.q x -m "alpha_nDCG@10 IRec@2" --intents probabilities
compare q x y --test t -m AP
compare q x y w --trials 100 --fail-if-worse --baseline x
compare --scores s1 s2 -m map
compare --scores wide.csv nested.json
plan --sd 0.2 --difference 0.05
plan q x y -m AP
plan --variance 0.1 --method anova --systems 3 --difference 0.1
plan --sd 0.2 --method interval --width 0.1
plan --sd 0.2 --for-topics 50 --power 0.9 --alpha 0.01
meta discriminative-power q x y w -m AP --trials 50
meta swap q x y w -m "AP P@2" --trials 20 --sizes 1
meta stability q x y w -m AP --trials 20 --sizes 2
meta stability q x y w -m AP --sample judgments --trials 5
meta correlation q x y w -m "AP P@2" --trials 20
meta concordance q x y w -m "RR P@2" --gold-measure AP
meta predictive-power q x y w -m "AP RR" --preferences pairs
meta leave-one-out q x y w -m AP --teams teams --pool-depth 2
meta judgments q q2 x y -m AP --trials 20
measures graded
presets web
explain nDCG@10 --on q x --topic 1
explain AP --levels "3 2 0 1"
label q x y --topic 1
pool x y w --depth 2 --qrels q --teams teams
assess aggregate ann bob --labels A=2,B=1,C=0
assess agree ann bob --labels A=2,B=1,C=0
validate q x
validate q.csv x.json q.parquet x.arrow letor predictions x.xml
validate topics.q x --by-intent
simulate --topics 2 --runs 2 --depth 5 -o made
trec_eval -q -m all_trec q x
trec_eval -m map_cut.5,10 -m set_F.2 q x
gdeval q x
ndeval intents.q x
cwl_eval binary x
letor eval-score letor predictions - 1 --depth 3
ntcir_eval label -r rel res
ntcir_eval compute -r rel -g 1:2:3 labelled
ntcir split-qrels ntcir.q rel
ntcir split-runs tids x y
ntcir convert trec q
text references.tsv system.tsv
answers assigned.jsonl --answers answers.jsonl --support support.txt --gold gold.tsv
answers assigned.jsonl --answers answers.jsonl --support support.txt --explain 1
validate answers.jsonl
distribution gold.txt system.csv -m NMD
session q sessions
plot cwl functions q x -m "RBP(p=0.5)" -o p.json
--readers qrels q
--readers run x
--readers qrels q.csv
--readers run x.csv
--readers qrels q.tsv
--readers run x.tsv
--readers run x.json
--readers run x.jsonl
--readers qrels q.jsonl
--readers qrels ntcir.q
--readers qrels letor
--readers run x.xml
"""


def _rows(text: bytes) -> list[list[str]]:
    return [line.split() for line in text.decode().splitlines()]


def own_files() -> dict[str, bytes]:
    """The files of the commands above, in every format."""
    judged = [(t, d, int(level)) for t, _, d, level in _rows(QRELS)]
    found = [(t, d, int(rank), float(score)) for t, _, d, rank, score, _ in _rows(RUNS["x"])]
    files = {"q": QRELS, "q2": QRELS.replace(b"c 1", b"c 2"), **RUNS}
    nested: dict[str, dict[str, float]] = {}
    for t, d, level in judged:
        nested.setdefault(t, {})[d] = level
    files["q.json"] = json.dumps(nested).encode()
    files["x.json"] = json.dumps({"1": {"b": 3.5, "a": 2}, "2": {"c": 1.0}, "3": {"a": 2}}).encode()
    tables: list[tuple[str, tuple[str, ...], Sequence[tuple[object, ...]]]] = [
        ("q", ("topic", "doc", "level"), judged),
        ("x", ("topic", "doc", "rank", "score"), found),
    ]
    for name, keys, rows in tables:
        for comma, kind in ((",", "csv"), ("\t", "tsv")):
            lines = (comma.join(map(str, row)) + "\n" for row in (keys, *rows))
            files[f"{name}.{kind}"] = "".join(lines).encode()
        lines = (json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows)
        files[f"{name}.jsonl"] = "".join(lines).encode()
    files |= {"q.gz": gzip.compress(QRELS, mtime=0), "x.bz2": bz2.compress(RUNS["x"])}
    files["y.xz"] = lzma.compress(RUNS["y"])
    return files | OTHER | tool_files.FILES


OTHER = {
    "letor": b"2 qid:1 1:0.3 2:0.5 #docid = a\n0 qid:1 1:0.1 2:0.4 #docid = b\n1 qid:2 1:0.2 #docid = c\n",
    "predictions": b"0.5\n0.25\n1.5\n",
    "x.xml": b'<ROOT><RUNDESC></RUNDESC><TOPIC ID="1"><RESULT RANK="1" DOCID="a" SCORE="2" />'
    b'<RESULT RANK="2" DOCID="b" SCORE="1" /></TOPIC></ROOT>\n',
    "binary": b"1 0 a 1\n1 0 b 0\n2 0 c 1\n3 0 a 1\n",
    "classes": b"1 a 1\n1 c 1\n",
    "lengths.csv": b"doc,characters,words\na,10,2\nb,20,4\nc,5,1\nd,7,1\ne,8,2\nz,9,3\n",
    "intents.q": b"1 1 a 2\n1 2 b 1\n1 2 a 1\n2 1 c 1\n2 2 d 2\n3 1 a 1\n",
    "topics.q": b"1 1 a 2\n1 2 b 1\n2 1 c 1\n",
    "probabilities": b"1 1 0.5\n1 2 0.5\n2 1 0.75\n2 2 0.25\n3 1 1\n",
    "s1": b"map 1 0.5\nmap 2 0.25\nmap 3 0.125\nmap all 0.3\n",
    "s2": b"map 1 0.25\nmap 2 0.5\nmap 3 0.25\nrunid all other\n",
    "wide.csv": b"run,topic,AP,P_10\nr,1,0.5,0.1\nr,2,0.25,0.2\n",
    "nested.json": b'{"s": {"1": {"AP": 0.5, "P_10": 0.25}, "2": {"AP": 0.5, "P_10": 0.5}}}',
    "pairs": b"1 x y x\n2 x w w\n3 y w tie\n",
    "teams": b"x T\ny T\nw W\n",
    "ann": b"1 0 a A\n1 0 b B\n1 0 c C\n2 0 d A\n",
    "bob": b"1 0 a A\n1 0 b A\n1 0 c C\n2 0 d B\n",
    "rel": b"a L2\nb L0\nc L1\n",
    "res": b"c\nb\nx\na\n",
    "labelled": b"c L1\nb L0\nx\na L2\n",
    "ntcir.q": b"1 a L2\n1 b L0\n2 c L1\n",
    "tids": b"1\n2\n3\n",
    "references.tsv": b"1\tA storm cut power on Monday.\n1\tPower was lost.\n2\tBanks merge.\n",
    "system.tsv": b"1\tA storm on Monday.\n2\tThe banks talked.\n",
    "assigned.jsonl": b'{"qid": "1", "run_id": "r", "nuggets": [{"text": "a", "importance": '
    b'"vital", "assignment": "support"}, {"text": "b", "importance": "okay", "assignment": '
    b'"not_support"}]}\n',
    "answers.jsonl": b'{"metadata": {"run_id": "r", "topic_id": "1"}, "references": ["a", "b"], '
    b'"answer": [{"text": "A storm.", "citations": [0, "b"]}, {"text": "So.", "citations": '
    b"[]}]}\n",
    "support.txt": b"1 r 1 a full\n1 r 1 b partial\n",
    "gold.tsv": b"1\tA storm\n1\tStorm\n",
    "gold.txt": b"d1 -1 1\nd1 1 8\nd2 -1 5\nd2 1 4\n",
    "system.csv": b"item,-1,1\nd1,0.5,0.5\nd2,0.25,0.75\n",
    "sessions": b"1 ann 1 a 1 3 s\n1 ann 2 b 1 3 s\n2 bob 1 c 1 2 s\n",
}


def binary_files() -> Iterator[tuple[str, bytes]]:
    """Tables as Parquet and Arrow; to be made in a process that does nothing else with Polars."""
    import io

    import polars as pl

    judged = [(t, d, int(level)) for t, _, d, level in _rows(QRELS)]
    found = [(t, d, float(score)) for t, _, d, _, score, _ in _rows(RUNS["x"])]
    for name, rows, columns in (
        ("q", judged, ["topic", "doc", "level"]),
        ("x", found, ["topic", "doc", "score"]),
    ):
        frame = pl.DataFrame(rows, schema=columns, orient="row")
        for kind, write in (("parquet", frame.write_parquet), ("arrow", frame.write_ipc)):
            target = io.BytesIO()
            write(target)
            yield f"{name}.{kind}", target.getvalue()


def seeds(binary: dict[str, bytes]) -> list[Case]:
    """The commands above, and those that the documents show with files of their own."""
    files = own_files() | binary
    lines = (COMMANDS + tool_files.COMMANDS).split("\n")
    made = [Case(tuple(shlex.split(line)), files) for line in lines if line]
    made = [replace(case, files={n: x for n, x in files.items() if n in case.words}) for case in made]
    return made + [case for page in sorted((ROOT / "docs").glob("*.md")) for case in shown_in(page)]


def shown_in(page: Path) -> Iterator[Case]:
    """The commands of a document whose files it shows."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r'^```text title="([^"\n]+)"\n(.*?)^```$', text, re.M | re.S)
    files = {name: content.encode() for name, content in blocks}
    for line in re.findall(r"^\$ cranfield (.+)$", text, re.M):
        if re.search(r"[|&>*$\\]", line):
            continue
        words = tuple(shlex.split(line))
        own = {name: content for name, content in files.items() if name in words}
        if own and not [word for word in words if NAMED.fullmatch(word) and word not in own]:
            yield Case(words, own)


# -- changes --------------------------------------------------------------------------------------


def mutated(seed: Case, choose: random.Random, every: dict[str, bytes]) -> Case:
    """A case with something else in its files, or in its words, or in both."""
    files, words = dict(seed.files), list(seed.words)
    if files and choose.random() < 0.75:
        for name in choose.sample(sorted(files), choose.choice((1, 1, 1, min(2, len(files))))):
            files[name] = changed(files[name], choose, every)
    if words[0] != "--readers" and (choose.random() < 0.5 or files == seed.files):
        for _ in range(choose.choice((1, 1, 2, 3))):
            change_words(words, choose)
    return Case(tuple(word.replace("\0", "") for word in words), files)


def changed(content: bytes, choose: random.Random, every: dict[str, bytes]) -> bytes:
    """A file with one to four changes."""
    for _ in range(choose.choice((1, 1, 1, 2, 4))):
        content = choose.choice(CHANGES)(content, choose)
    if choose.random() < 0.05:
        other = every[choose.choice(sorted(every))]
        cut, start = choose.randint(0, len(content)), choose.randint(0, len(other))
        content = content[:cut] + other[start:]
    return content[:LARGEST]


def _insert(x: bytes, choose: random.Random) -> bytes:
    at = choose.randint(0, len(x))
    return x[:at] + choose.choice(TOKENS) + x[at:]


def _delete(x: bytes, choose: random.Random) -> bytes:
    at = choose.randint(0, len(x))
    return x[:at] + x[at + choose.choice((1, 1, 2, 8, 64)) :]


def _flip(x: bytes, choose: random.Random) -> bytes:
    at = choose.randint(0, max(0, len(x) - 1))
    return x[:at] + bytes([choose.randrange(256)]) + x[at + 1 :]


def _field(x: bytes, choose: random.Random) -> bytes:
    spans = [match.span() for match in re.finditer(rb'[^\s,;:"{}\[\]]+', x)]
    if not spans:
        return x
    a, b = choose.choice(spans)
    c, d = choose.choice(spans)
    return x[:a] + choose.choice((choose.choice(TOKENS), x[c:d])) + x[b:]


def _lines(x: bytes, choose: random.Random) -> bytes:
    lines = x.splitlines(keepends=True)
    at = choose.randint(0, len(lines))
    return b"".join(lines[:at] + lines[at:][: choose.randint(0, 2)] * choose.randint(0, 3) + lines[at:])


def _shuffle(x: bytes, choose: random.Random) -> bytes:
    lines = x.splitlines(keepends=True)
    choose.shuffle(lines)
    return b"".join(lines)


def _truncate(x: bytes, choose: random.Random) -> bytes:
    return x[: choose.randint(0, len(x))]


CHANGES: list[Callable[[bytes, random.Random], bytes]] = [
    _insert, _insert, _delete, _flip, _field, _field, _field, _lines, _shuffle, _truncate,
]  # fmt: skip


def change_words(words: list[str], choose: random.Random) -> None:
    """Add an option, or change a word."""
    options = options_of(tuple(words[:3]))
    if options and choose.random() < 0.7:
        name, choices, takes = choose.choice(options)
        words.append(name)
        if takes:
            words.append(choose.choice(choices) if choices else any_value(name, choose))
        return
    at = choose.randint(1, len(words) - 1) if len(words) > 1 else 0
    if at:
        old = words[at]
        words[at] = choose.choice((any_value(old, choose), old[:-1], old + any_value("", choose), "-"))


def any_value(name: str, choose: random.Random) -> str:
    """A number, a text or a measure."""
    if name in ("-m", "--measure", "--gold-measure", "--sort") or choose.random() < 0.1:
        return any_measure(choose)
    return choose.choice(choose.choice((NUMBERS, TEXTS)))


def any_measure(choose: random.Random) -> str:
    """A measure with parameters, cutoffs and names that it may not have."""
    from cranfield.measures.base import REGISTRY
    from cranfield.measures.names import ALIASES

    name = choose.choice([*REGISTRY, *ALIASES])
    keys = ["rel", "p", "gain", "max_level", "mult", "beta", "alpha", "T", "n", "condensed", "norm"]
    if choose.random() < 0.4:
        key = choose.choice([*keys, *(f.name for f in REGISTRY[name].list_parameters())] if name in REGISTRY else keys)
        name += f"({key}={choose.choice([*NUMBERS, 'true', 'exp', 'linear'])})"
    if choose.random() < 0.2:
        name = f"{choose.choice(('IA', 'D', 'Dsharp', 'GM'))}({name})"
    if choose.random() < 0.5:
        name += f"@{choose.choice(NUMBERS)}"
    return f"{name}{choose.choice(('', '', '', '.EU', '.se', '=', ',', ' P@5'))}"


@cache
def get_parsers(command: str) -> dict[str, Parser]:
    """Return the parsers of a command and its parts, by the words that name them."""
    from cranfield.cli.main import list_parsers

    return {p.prog.removeprefix("cranfield "): p for p in list_parsers([command])}


def options_of(words: tuple[str, ...]) -> list[tuple[str, list[str], bool]]:
    """Return the options of a command or its part: name, choices, True if a value follows."""
    parsers = get_parsers(words[0])
    names = [" ".join(words[:n]) for n in range(len(words), 0, -1)]
    parser = next(parsers[name] for name in names if name in parsers)
    return [
        (row.flags[-1], [*map(str, row.choices)], not row.is_switch)
        for row in parser.rows
        if row.flags and not {*row.flags} & {*NEVER}
    ]
