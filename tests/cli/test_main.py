"""The command line as a user meets it: output, notices, errors and exit codes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from cranfield import __version__
from cranfield.cli.main import main
from tests.made import Command

QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 d 1\nq3 0 e 0\n"
BM25 = "q1 Q0 b 1 3.0 bm25\nq1 Q0 a 2 2.0 bm25\nq1 Q0 x 3 1.0 bm25\nq2 Q0 d 1 1.5 bm25\n"
DENSE = "q1 Q0 a 1 0.9 dense\nq1 Q0 c 2 0.8 dense\nq9 Q0 d 1 0.5 dense\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with judgments and two runs in it."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("bm25.run").write_text(BM25)
    Path("dense.run").write_text(DENSE)
    return tmp_path


def test_the_tsv_contract(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "evaluate",
                "qrels",
                "bm25.run",
                "dense.run",
                "-m",
                "AP",
                "-m",
                "P@2",
                "-m",
                "NumRet",
                "-f",
                "tsv",
                "-q",
            ]
        )
        == 0
    )
    # AP of bm25 on q1: a at rank 2, c not found: (1/2)/2; P@2: 1/2. q2: 1 and 1/2. q3: no relevant.
    # AP of dense on q1: a and c on top: 1; P@2: 1. q2 is not answered.
    expected = [
        "run\ttopic\tmeasure\tvalue",
        "bm25\tq1\tAP\t0.25", "bm25\tq1\tP@2\t0.5", "bm25\tq1\tNumRet\t3",
        "bm25\tq2\tAP\t1.0", "bm25\tq2\tP@2\t0.5", "bm25\tq2\tNumRet\t1",
        "bm25\tq3\tAP\t0.0", "bm25\tq3\tP@2\t0.0", "bm25\tq3\tNumRet\t0",
        f"bm25\tall\tAP\t{1.25 / 3!r}", f"bm25\tall\tP@2\t{1 / 3!r}", "bm25\tall\tNumRet\t4",
        "dense\tq1\tAP\t1.0", "dense\tq1\tP@2\t1.0", "dense\tq1\tNumRet\t2",
        "dense\tq2\tAP\t0.0", "dense\tq2\tP@2\t0.0", "dense\tq2\tNumRet\t0",
        "dense\tq3\tAP\t0.0", "dense\tq3\tP@2\t0.0", "dense\tq3\tNumRet\t0",
        f"dense\tall\tAP\t{1 / 3!r}", f"dense\tall\tP@2\t{1 / 3!r}", "dense\tall\tNumRet\t2",
    ]  # fmt: skip
    out, err = capsys.readouterr()
    assert out.splitlines() == expected
    assert "note: dense: 2 topics (q2, q3) missing, scored as empty" in err
    assert "note: dense: 1 topic (q9) without judgments, ignored" in err
    assert "note: 1 topic (q3) without relevant documents, scored 0" in err


def test_without_q_only_all(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "qrels", "bm25.run", "-m", "RR", "-f", "tsv"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows == ["run\ttopic\tmeasure\tvalue", f"bm25\tall\tRR\t{0.5!r}"]  # (1/2 + 1 + 0)/3


def test_the_default_measures_and_the_table(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "qrels", "bm25.run", "dense.run"]) == 0
    out, err = capsys.readouterr()
    header, _, first, second = out.splitlines()[:4]
    assert header.split() == ["run", "AP", "nDCG@10", "RR", "P@10", "Recall@1000", "Judged@10"]
    assert first.split()[:2] == ["bm25", "0.4167*"]
    assert second.split()[:2] == ["dense", "0.3333"]
    assert "mean over 3 topics · * best of 2 runs" in out
    assert "note: dense: 2 topics (q2, q3) missing, scored as empty\n" in err


@pytest.mark.parametrize(
    ("option", "measure", "value"),
    [
        ("--rel 2", "AP(rel=2)", 0.5),  # q1: a at rank 2 is the only one; q2, q3 have none: /3
        ("--condensed", "AP(condensed=true)", 1.25),  # b and a are judged: as before
        ("--depth 1", "AP", 1.0),  # q1: b only; q2: d
        ("--topics common", "AP", 1.25),  # of two topics
    ],
)
def test_options_change_what_they_say(
    here: Path, capsys: pytest.CaptureFixture[str], option: str, measure: str, value: float
) -> None:
    assert main(f"evaluate qrels bm25.run -m AP -f tsv {option}".split()) == 0
    row = capsys.readouterr().out.splitlines()[1].split("\t")
    topics = 2 if "common" in option else 3
    assert row[:3] == ["bm25", "all", measure]
    assert float(row[3]) == pytest.approx(value / topics, abs=1e-15)


def test_gains_become_part_of_the_name(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "evaluate",
                "qrels",
                "bm25.run",
                "-m",
                "nDCG",
                "-m",
                "P@1",
                "--gains",
                "1:3",
                "-f",
                "tsv",
            ]
        )
        == 0
    )
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()[1:]]
    assert [row[2] for row in rows] == ["nDCG(gain=1:3)", "P@1"]
    from math import log2

    q1 = (3 / log2(3)) / (3 + 1 / log2(3))
    assert float(rows[0][3]) == pytest.approx((q1 + 1) / 3, abs=1e-12)


@pytest.mark.parametrize(("undefined", "mean"), [("zero", 1.25 / 3), ("skip", 1.25 / 2), ("nan", None)])
def test_undefined(here: Path, capsys: pytest.CaptureFixture[str], undefined: str, mean: float | None) -> None:
    assert main(f"evaluate qrels bm25.run -m AP -q -f tsv --undefined {undefined}".split()) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()[1:]]
    shown = {topic: value for _, topic, _, value in rows}
    assert shown["all"] == ("nan" if mean is None else repr(mean))
    assert shown.get("q3") == {"zero": "0.0", "skip": None, "nan": "nan"}[undefined]


def test_undefined_error(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "qrels", "bm25.run", "-m", "AP", "--undefined", "error"]) == 2
    assert capsys.readouterr().err == (
        "qrels: no relevant document for 1 topic (q3). Use undefined=zero, nan or skip.\n"
    )


def test_measures_from_a_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("measures.txt").write_text("# mine\nAP nDCG@10\n\nmap_cut_5\n")
    assert main(["evaluate", "qrels", "bm25.run", "-m", "@measures.txt", "-m", "RR", "-f", "tsv"]) == 0
    rows = capsys.readouterr().out.splitlines()[1:]
    assert [row.split("\t")[2] for row in rows] == ["AP", "nDCG@10", "AP(norm=R)@5", "RR"]


def test_a_file_of_measures_is_text(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("measures.txt").write_bytes("AP\nα_nDCG@10\n".encode("iso8859-7"))
    assert main(["evaluate", "qrels", "bm25.run", "-m", "@measures.txt"]) == 2
    assert capsys.readouterr().err.startswith("measures.txt:2: found bytes that are not UTF-8")


@pytest.mark.parametrize("format", ["tsv", "csv", "json", "jsonl", "markdown", "latex", "table"])
def test_output_to_a_file_is_what_would_be_printed(here: Path, capsys: pytest.CaptureFixture[str], format: str) -> None:
    command = f"evaluate qrels bm25.run dense.run -m AP -f {format}".split()
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert main([*command, "-o", "out"]) == 0
    assert Path("out").read_text() == printed
    assert capsys.readouterr().out == ""


def test_json_and_parquet_can_be_read_back(here: Path) -> None:
    assert main(["evaluate", "qrels", "bm25.run", "-m", "AP", "-q", "-f", "json", "-o", "s.json"]) == 0
    assert json.loads(Path("s.json").read_text())["topics"]["bm25"]["q1"]["AP"] == 0.25
    assert main(["evaluate", "qrels", "bm25.run", "-m", "AP", "-q", "-f", "parquet", "-o", "s.parquet"]) == 0
    table = pl.read_parquet("s.parquet")
    assert table.columns == ["run", "topic", "measure", "value"]
    assert table.filter(topic="q1")["value"].to_list() == [0.25]


def test_no_partial_output_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("out.tsv").write_text("old\n")
    Path("bad.run").write_text("q1 Q0 a 1 high bm25\n")
    assert main(["evaluate", "qrels", "bad.run", "-o", "out.tsv", "-f", "tsv"]) == 2
    assert Path("out.tsv").read_text() == "old\n"
    assert main(["evaluate", "qrels", "bm25.run", "-o", "missing/out.tsv", "-f", "tsv"]) == 2
    assert "missing" in capsys.readouterr().err
    assert sorted(p.name for p in here.iterdir()) == [
        "bad.run", "bm25.run", "dense.run", "out.tsv", "qrels"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("evaluate qrels nothing.run", "cannot read nothing.run: no such file"),
        ("evaluate qrels bm25.run -m nDGC@10", "Did you mean nDCG"),
        ("evaluate qrels bm25.run -m P@0", "cutoff must be an integer ≥ 1, found 0"),
        ("evaluate qrels bm25.run -m RBP(p=2)", "p must be a number between 0 and 1, found 2"),
        ("evaluate qrels bm25.run bm25.run", "duplicate run bm25.run"),
        ("evaluate qrels bm25.run ./bm25.run", "duplicate run ./bm25.run"),
        ("evaluate - -", "can be used only once"),
        ("evaluate qrels bm25.run --gains 1:x", "invalid gain '1:x'. Use"),
        ("evaluate qrels bm25.run -m nDCG --gains 1", "found level 2 in the judgments, expected"),
        ("evaluate . bm25.run", ". is a directory, expected a file"),
        ("explain nothing", "unknown measure 'nothing'"),
        ("validate nothing.run", "cannot read nothing.run"),
        ("simulate --topics 0 -o sim", "found topics 0, expected"),
    ],
)
def test_mistakes_get_a_sentence_and_exit_code_2(here: Path, command: str, said: str, cranfield: Command) -> None:
    assert said in cranfield.refused(command)


@pytest.mark.parametrize("command", ["", "evaluate", "evaluate q r --depth 0", "frobnicate"])
def test_wrong_usage_exits_with_2(command: str, cranfield: Command) -> None:
    done = cranfield(command)
    assert done.code == 2
    assert "-h` explains)" in done.err or "See `cranfield --help`." in done.err


def test_equal_tags_are_told_apart_by_path(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("other.run").write_text(BM25)
    assert main(["evaluate", "qrels", "bm25.run", "other.run", "dense.run", "-m", "RR", "-f", "tsv"]) == 0
    rows = capsys.readouterr().out.splitlines()[1:]
    assert [row.split("\t")[0] for row in rows] == ["bm25.run", "other.run", "dense"]


def test_explain_tells_formula_parameters_and_reference(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["explain", "nDCG@10", "map"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("nDCG@10\n")
    for part in ("log2(r + 1)", "gain = linear", "Järvelin, Kalervo", "AP   = (1/R)", "norm = min"):
        assert part in out
    assert main(["explain", "ERR", "--bibtex"]) == 0
    assert capsys.readouterr().out.startswith("@inproceedings{chapelle2009,")


def test_measures_lists_the_whole_registry(capsys: pytest.CaptureFixture[str]) -> None:
    from cranfield.measures.base import REGISTRY

    assert main(["measures", "--all"]) == 0
    out = capsys.readouterr().out
    built_in = [c.__name__ for c in REGISTRY.values() if c.__module__.startswith("cranfield.")]
    assert all(f"\n{name} " in f"\n{out}" for name in built_in)
    assert len(built_in) >= 15


def process(*arguments: str, input: str | None = None) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "cranfield", *arguments],
        capture_output=True, text=True, check=False, input=input,
    )  # fmt: skip


@pytest.mark.slow
def test_as_a_process(here: Path) -> None:
    piped = process("evaluate", "qrels", "-", "-m", "AP", "-f", "tsv", input=BM25)
    assert piped.returncode == 0
    assert piped.stdout.splitlines()[1] == f"bm25\tall\tAP\t{1.25 / 3!r}"
    wrong = process("evaluate", "qrels", "-", input="q1 Q0 a 1 2.0 t\nq1 Q0 b 2 t\n")
    assert wrong.returncode == 2
    assert wrong.stdout == ""
    assert wrong.stderr.startswith("standard input:2: found 5 fields")
    assert process("--version").stdout.startswith(f"cranfield {__version__} (")
    assert process("evaluate").returncode == 2
    assert "Traceback" not in process("validate", "qrels", "-", input="\x00\x00").stderr


class Terminal(io.StringIO):
    """A standard error that somebody watches."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("watched", "patience", "shown"), [(True, 0.0, True), (True, 60.0, False), (False, 0.0, False)]
)
def test_progress_is_shown_to_those_who_wait_and_watch(
    here: Path, monkeypatch: pytest.MonkeyPatch, watched: bool, patience: float, shown: bool
) -> None:
    from cranfield.cli import progress

    monkeypatch.setattr(progress, "DELAY", patience)
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    told = Terminal() if watched else io.StringIO()
    monkeypatch.setattr(sys, "stderr", told)
    assert main(["evaluate", "qrels", "bm25.run", "dense.run", "-o", "out", "--quiet"]) == 0
    assert ("reading dense" in told.getvalue()) == shown
    assert told.getvalue().rpartition("\r")[2] == ""  # nothing is left of it


def test_progress_counts_every_part_of_a_run(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import cranfield as cf
    from cranfield.data.reading.source import Source

    monkeypatch.setattr(Source.iter_pieces, "__defaults__", (20,))
    seen: list[str] = []
    cf.evaluate("qrels", ["bm25.run", "dense.run"], "AP", progress=seen.append)
    # Pieces of 20 bytes and the rest of the line: one a line here, two lines where they are short.
    assert seen == ["bm25"] * seen.count("bm25") + ["dense"] * seen.count("dense")
    assert 2 <= seen.count("bm25") <= 4
    assert 2 <= seen.count("dense") <= 3


def test_an_unknown_measure_to_sort_by_is_a_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "qrels", "bm25.run", "dense.run", "-m", "AP", "--sort", "APP"]) == 2
    assert "no measure 'APP'; did you mean 'AP'?" in capsys.readouterr().err


def test_runs_are_sorted_by_a_measure(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """AP: bm25 0.4167, dense 0.3333; the other way round they are given."""
    command = ["evaluate", "qrels", "dense.run", "bm25.run", "-m", "AP", "-f", "tsv"]
    for sort, runs in ([], ["dense", "bm25"]), (["--sort", "AP"], ["bm25", "dense"]):
        assert main([*command, *sort]) == 0
        lines = capsys.readouterr().out.splitlines()[1:]
        assert [line.split("\t")[0] for line in lines] == runs


def test_evaluate_six_runs_sorts_tables_by_first_measure(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["a", "b", "c", "d", "e", "f"]
    for name in names:  # f is the best run
        documents = ["x"] * (5 - names.index(name)) + ["rel"]
        lines = [f"1 Q0 {doc}{i if doc == 'x' else ''} {i} {9 - i} {name}\n" for i, doc in enumerate(documents)]
        Path(f"{name}.run").write_text("".join(lines))
    Path("one.qrels").write_text("1 0 rel 1\n")

    def list_runs(count: int, *options: str) -> list[str]:
        assert main(["evaluate", "one.qrels", *(f"{x}.run" for x in names[:count]), "-m", "RR", *options]) == 0
        return [
            line.split()[0] for line in capsys.readouterr().out.splitlines() if line[:1] in names and line[1] in " \t"
        ]

    assert list_runs(6) == names[::-1]
    assert list_runs(6, "--sort", "none") == names
    assert list_runs(6, "-f", "tsv") == names
    assert list_runs(5) == names[:5]


def test_a_label_that_latex_would_not_take(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["evaluate", "qrels", "bm25.run", "-m", "AP", "-f", "latex", "--label"]
    assert main([*command, "a%b"]) == 2
    assert "invalid LaTeX label 'a%b': % not allowed" in capsys.readouterr().err
    assert main([*command, "tab:runs"]) == 0
    assert "\\label{tab:runs}\n" in capsys.readouterr().out


def test_what_is_printed_is_utf8_whatever_the_locale() -> None:
    command = [sys.executable, "-m", "cranfield", "explain", "AP"]
    done = subprocess.run(
        command,
        check=False,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0, done.stderr
    assert "Σ_r I(r) · C(r)/r" in done.stdout.decode()


def test_quiet_brief_and_verbose(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All runs lack q3: three of them are told of in a line."""
    for name in ("a", "b", "c"):
        Path(f"{name}.run").write_text(f"q1 Q0 a 1 1.0 {name}\n")
    command = ["evaluate", "qrels", "a.run", "b.run", "c.run", "-m", "AP", "-f", "tsv"]
    told = {}
    for option in ([], ["-v"], ["--quiet"]):
        assert main([*command, *option]) == 0
        told[" ".join(option)] = capsys.readouterr().err
    assert "all 3 runs: 2 topics missing, scored as empty; -v lists them\n" in told[""]
    assert told[""].count("missing") == 1
    assert told["-v"].count("missing") == 3
    assert told["--quiet"] == ""


# -- what nobody foresaw --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ZeroDivisionError("by\nzero"), "cranfield failed: ZeroDivisionError: by zero (CRANFIELD"),
        (RecursionError("deep"), "cranfield failed: RecursionError: deep (CRANFIELD_TRACEBACK=1"),
        (pl.exceptions.PanicException("index"), "cranfield failed: PanicException: index (CR"),
        (MemoryError("Unable to allocate 7 GiB"), "out of memory: unable to allocate 7 GiB"),
        (MemoryError(), "out of memory"),
        (PermissionError(13, "Permission denied", "x\x1by"), "cannot read x\\x1by: permission den"),
    ],
)
def test_whatever_escapes_is_one_line_and_exit_2(
    error: BaseException,
    said: str,
    here: Path,
    cranfield: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not 1, which is what a comparison exits with that was asked to fail."""

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("cranfield.cli.evaluate.run", fail)
    assert cranfield.refused("evaluate qrels bm25.run").startswith(said)


@pytest.mark.parametrize("switch", ["-v", "CRANFIELD_TRACEBACK"])
def test_the_traceback_is_behind_a_switch(
    switch: str, here: Path, cranfield: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cranfield.cli.evaluate.run", lambda options: 1 // 0)
    if switch != "-v":
        monkeypatch.setenv(switch, "1")
    done = cranfield(f"evaluate qrels bm25.run {switch if switch == '-v' else ''}")
    assert done.code == 2
    assert done.err.startswith("Traceback (most recent call last):")
    assert "cranfield failed: ZeroDivisionError" in done.err.splitlines()[-1]


def test_a_mistake_of_the_user_has_no_traceback(here: Path, cranfield: Command) -> None:
    assert cranfield.refused("evaluate qrels nothing.run -v") == ("cannot read nothing.run: no such file or directory")


# -- what a terminal is not to be sent ------------------------------------------------------------

ESCAPE = "\x1b]0;title\x07"


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "qrels", f"{ESCAPE}.run"],
        ["evaluate", "qrels", "bm25.run", "-m", ESCAPE],
        ["evaluate", "qrels", "bm25.run", f"--{ESCAPE}"],
        ["evaluate", "qrels", "bm25.run", "--depth", ESCAPE],
        ["evaluate", "qrels", "escape.run"],
        ["validate", "escape.run"],
        ["validate", f"{ESCAPE}.txt"],
        ["trec_eval", "qrels", f"{ESCAPE}.run"],
        ["trec_eval", f"--{ESCAPE}", "qrels", "bm25.run"],
        ["ndeval", "qrels", f"{ESCAPE}.run"],
    ],
)
def test_no_message_holds_an_escape(here: Path, cranfield: Command, command: list[str]) -> None:
    Path("escape.run").write_text(f"q1 Q0 {ESCAPE} 1 1 bm25\n" * 2)
    Path(f"{ESCAPE}.txt").write_text("q1 Q0 a 1 x bm25\n")
    done = cranfield(*command)
    assert done.code in (1, 2)
    assert "\\x1b" in done.out + done.err
    assert not {"\x1b", "\x07"} & {*done.out, *done.err}


# -- what cannot be written as text ---------------------------------------------------------------


@pytest.mark.parametrize("format", ["table", "tsv", "csv", "json", "jsonl", "html", "parquet"])
def test_a_file_whose_name_is_no_text(here: Path, format: str) -> None:
    """Its bytes are half characters (PEP 383), which UTF-8 does not have; escapes are shown."""
    named = Path(os.fsdecode(b"j\xff.json"))
    named.write_text('{"q1": {"a": 1}}')
    assert main(["evaluate", "qrels", str(named), "-m", "AP", "-f", format, "-o", "out"]) == 0
    written = Path("out").read_bytes()
    if format == "json":
        assert json.loads(written)["runs"] == ["j\\udcff.json"]
    assert b"j\\udcff" in written.replace(b"\\\\", b"\\")


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "ascii"])
def test_notes_and_errors_in_any_encoding(here: Path, encoding: str) -> None:
    Path("σ.run").write_text("q1 Q0 a 1 1.0 σ\n")
    code = (
        "import sys; from cranfield.cli.main import entry;"
        "sys.argv[1:] = ['evaluate', 'qrels', 'σ.run', '-m', 'AP']; entry()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": encoding},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "σ" in done.stdout.decode()
    assert b"\\u03c3: 2 topics (q2, q3) missing, scored as empty" in done.stderr


# -- absurd values --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            f"evaluate qrels bm25.run -m {'IA(' * 400}AP{')' * 400}",
            "nested parentheses, at most 10",
        ),
        (f"evaluate qrels bm25.run -m {'IA(' * 9}{'x' * 9999}{')' * 9}", "unknown measure"),
        ("evaluate qrels bm25.run --depth 9999999999999999999999999", "of at most 9 digits"),
        ("evaluate qrels bm25.run -m AP@9999999999999999999999", "≥ 1 and < 2^53"),
        (
            "evaluate qrels bm25.run -m SetF(beta=1e308)",
            "between 1e-300 and 1e+150 in size, found 1e+308",
        ),
        (
            "evaluate intents bm25.run -m alpha_nDCG(alpha=1e-320)",
            "0, or between 1e-300 and 1e+150",
        ),
        (
            "evaluate intents bm25.run -m alpha_nDCG(alpha=1e-12)",
            "ranks, at most 100,000 are possible",
        ),
        ("evaluate intents bm25.run -m alpha_nDCG(alpha=0)@1000000000", "at most 100,000"),
        ("evaluate intents bm25.run -m NRBP(beta=0.99999999999999)", ""),
        ("evaluate qrels bm25.run -m GAP(max_level=1e9)", "highest level is 1e+09, maximum 1000"),
        (
            "evaluate levels bm25.run -m nDCG --gains topic",
            "level 9999999 of topic q1, expected at",
        ),
        ("compare qrels bm25.run dense.run --trials 1000000000000000000", "of at most 9 digits"),
        ("compare qrels bm25.run dense.run --trials 999999999", "at most 100,000,000"),
        ("plan --sd 1e-12 --difference 0.05", "sd 1e-12, expected a number in [1e-9, 1e9]"),
        ("plan --sd 1e-8 --difference 0.05", "any number of topics finds them"),
        ("plan --sd 0.1 --difference 1e18", "difference=1e+18, expected a number in"),
        ("simulate --topics 1000000000 -o sim", "expected at most 100000000 candidates"),
        ("simulate --runs 1000000000 -o sim", "expected at most 100000000 candidates"),
        ("simulate --depth 1000000000000 -o sim", "expected 1 to 1000000"),
        ("simulate --intents 1000000000 -o sim", "found intents 1000000000, expected at most 1000"),
    ],
)
def test_absurd_values_are_one_line(here: Path, command: str, said: str, cranfield: Command) -> None:
    Path("intents").write_text("q1 1 a 1\nq1 2 c 1\nq2 1 d 1\n")
    Path("levels").write_text("q1 0 a L9999999\nq2 0 d L1\n")
    if not said:
        cranfield.succeeds(command)
        return
    refused = cranfield.refused(command)
    assert said in refused
    assert "cranfield failed" not in refused
    assert len(refused) < 5000


@pytest.mark.parametrize(
    ("command", "mean"),
    [
        ("evaluate qrels bm25.run -m Rprec(mult=1e22)", 0.0),  # 1/2e22, 1/1e22, 0
        ("evaluate intents bm25.run -m alpha_nDCG@1000000000", None),  # as without a cutoff
        ("evaluate digits bm25.run -m alpha_nDCG", None),
    ],
)
def test_large_values_that_have_a_meaning(here: Path, command: str, mean: float | None, cranfield: Command) -> None:
    Path("intents").write_text("q1 1 a 1\nq1 2 c 1\nq2 1 d 1\n")
    Path("digits").write_text(f"q1 {'1' * 4400} a 1\nq1 {'2' * 4400} c 1\nq2 1 d 1\n")
    found = float(cranfield.printed(f"{command} -f tsv").split()[-1])
    plain = cranfield.printed("evaluate intents bm25.run -m alpha_nDCG -f tsv").split()[-1]
    assert found == pytest.approx(float(plain) if mean is None else mean, abs=1e-11)


def test_a_separator_that_argparse_would_leave_out(here: Path, cranfield: Command) -> None:
    for name in "qrels", "bm25.run":
        Path(name).write_text(Path(name).read_text().replace(" ", "--"))
    assert "0.4167" in cranfield.printed("evaluate qrels bm25.run -m AP --sep=--")


@pytest.mark.parametrize("command", ["evaluate qrels", "evaluate", "validate", "validate qrels"])
@pytest.mark.parametrize("text", ["1\n", "[1]\n", f"{'[' * 9999}\n", f"{'9' * 5000}\n"])
def test_json_lines_that_are_no_objects(here: Path, cranfield: Command, command: str, text: str) -> None:
    Path("one.jsonl").write_text(text)
    done = cranfield(f"{command} one.jsonl {'bm25.run' if command == 'evaluate' else ''}")
    assert done.code == 2
    assert "cranfield failed" not in done.err
