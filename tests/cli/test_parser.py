"""The frame of the command line: help, mistakes, one meaning of an option, completion."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import defaultdict
from glob import glob
from itertools import chain
from pathlib import Path

import pytest

import cranfield as cf
from cranfield.cli.commands import BY_NAME, COMMANDS, GROUPS, RENAMED, TOOLS
from cranfield.cli.help_lines import shorten_help
from cranfield.cli.main import TOP, find_parser, list_parsers
from cranfield.cli.parser import HELP_ALL, Parser
from cranfield.kernel import USED
from tests import ROOT
from tests.made import Command

DROP_INS = {name for name, row in COMMANDS.items() if not row.is_native}


PARSERS = {p.prog.removeprefix("cranfield "): p for p in list_parsers()}
LEAVES = {name: p for name, p in PARSERS.items() if not p.part.parts}
OURS = {name: p for name, p in LEAVES.items() if name.split()[0] not in DROP_INS}


def parsed(line: str) -> argparse.Namespace:
    parser, words = find_parser(shlex.split(line))
    return parser.parse(words)


# -- help -----------------------------------------------------------------------------------------


class TestHelp:
    def test_commands_are_in_groups(self, cranfield: Command) -> None:
        out = cranfield.printed("--help")
        titles = [line for line in out.splitlines() if line in GROUPS]
        assert titles == [*GROUPS] == ["evaluate", "compare", "understand", "collect", TOOLS]
        for name, row in COMMANDS.items():
            if row.group:
                section = re.split(r"\n(?! )", out.partition(f"\n{row.group}\n")[2])[0]
                assert re.search(rf"\b{name}\b", section), name
        assert "gdeval, ndeval" in out
        assert re.search("^  gdeval  +gdeval: nDCG", cranfield.printed("--help-all"), re.M)

    def test_no_command_shows_them_all(self, cranfield: Command) -> None:
        listed = cranfield.printed("--help")
        assert cranfield() == (
            2,
            listed,
            "cranfield: found no command, expected one of these (`cranfield -h` explains)\n",
        )

    @pytest.mark.parametrize("command", ["", "evaluate", "meta", "meta swap", "plot cwl vary"])
    def test_help_is_a_command(self, command: str, cranfield: Command) -> None:
        asked = cranfield("help", *command.split())
        assert asked == cranfield(*command.split(), "-h")
        assert asked[0] == 0
        assert "example" in asked[1]

    def test_help_of_a_drop_in_and_of_itself(self, cranfield: Command) -> None:
        assert cranfield("help", "trec_eval") == cranfield("trec_eval", "-h")
        assert "cranfield help meta swap" in cranfield.printed("help", "help")

    def test_every_command_of_ours_has_an_example(self) -> None:
        ours = {name for name in PARSERS if name.split()[0] not in DROP_INS}
        assert {*BY_NAME} >= ours | {*COMMANDS}
        assert {*BY_NAME} <= {*PARSERS}

    @pytest.mark.parametrize("name", ["", *PARSERS])
    def test_format_help_of_every_command_is_short(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """At most 45 lines of 80 columns: usage, purpose, two examples, common options.

        The overview has one line for each command.
        """
        monkeypatch.setenv("COLUMNS", "80")
        p = PARSERS[name] if name else Parser(TOP)
        text = p.format_help()
        lines = text.splitlines()
        assert len(lines) <= 45
        assert max(map(len, lines)) <= 80
        assert lines[0].startswith("usage: cranfield")
        if name in BY_NAME:
            examples = BY_NAME[name].examples
            assert len(examples) >= (2 if p.is_native else 1)
            for example in examples:
                assert f"\n  cranfield {name} {example}\n" in text
            rows = [p.flags[flag] for flag in BY_NAME[name].common.split() if flag in p.flags] * (name in OURS)
            assert all(any(f"  {flag} " in text or f", {flag} " in text for flag in row.flags) for row in rows)

    @pytest.mark.parametrize("name", PARSERS)
    def test_help_of_every_option_has_balanced_parentheses(self, name: str) -> None:
        for row in PARSERS[name].rows:
            help_text = row.help or ""
            for text in (help_text, shorten_help(row, help_text) if name in OURS else ""):
                assert text.count("(") == text.count(")"), (name, row.name, text)

    @pytest.mark.parametrize("name", OURS)
    def test_format_complete_help_contains_each_option_once(self, name: str) -> None:
        text = OURS[name].format_complete_help()
        for row in OURS[name].rows:
            if row.flags and row.help is not None:
                names = ", ".join(row.flags)
                assert len(re.findall(rf"^  {re.escape(names)}(?= |$)", text, re.M)) == 1, names

    @pytest.mark.parametrize("name", [name for name in LEAVES if name not in OURS])
    def test_format_help_of_a_drop_in_contains_all_options(self, name: str) -> None:
        text = LEAVES[name].format_help()
        for row in LEAVES[name].rows:
            if row.flags and row.help is not None:
                assert f"\n  {', '.join(row.flags)}" in text
        assert HELP_ALL not in LEAVES[name].rows

    @pytest.mark.parametrize("words", ["evaluate", "meta swap", "meta", "gdeval", "letor ttest", "trec_eval", ""])
    def test_help_all_prints_the_complete_help(self, words: str, cranfield: Command) -> None:
        code, out, err = cranfield(*words.split(), "--help-all")
        assert (code, err) == (0, "")
        assert {*re.findall(r"--\w[\w-]+", cranfield.printed(*words.split(), "-h"))} <= {
            *re.findall(r"--\w[\w-]+", out),
            "--help-all",
            "--help",
            "--fail-if-worse",
        }
        assert ("--max-expansion" in out) == (words in ("evaluate", "meta swap", "meta"))
        assert ("11pt_avg" in out) == (words == "trec_eval")

    def test_help_of_a_choice_marks_the_default(self, cranfield: Command) -> None:
        text = cranfield.printed("evaluate", "--help")
        assert "--order NAME " in text
        assert ": score (default), rank, given\n" in text
        assert "deprecated" not in text
        assert "--order {score,rank,given}" in cranfield.printed("evaluate", "--help-all")

    @pytest.mark.parametrize("name", [n for n in BY_NAME if n not in ("trec_eval", "help")])
    def test_examples_are_understood(self, name: str) -> None:
        for example in BY_NAME[name].examples:
            assert parsed(f"{name} {example.partition(' > ')[0]}").declared

    def test_version(self, cranfield: Command) -> None:
        assert cranfield("--version") == (0, f"cranfield {cf.__version__} ({USED})\n", "")

    def test_python_m_cranfield(self) -> None:
        command = [sys.executable, "-m", "cranfield", "--version"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.startswith(f"cranfield {cf.__version__} (")


@pytest.fixture
def collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the files that examples name."""
    made = cf.simulate(topics=12, runs=2, depth=20, seed=3)
    names = dict(zip(made.qrels, range(101, 113), strict=True))
    qrels = [f"{names[t]} 0 {d} {x}\n" for t, docs in made.qrels.items() for d, x in docs.items()]
    (tmp_path / "qrels.txt").write_text("".join(qrels))
    (tmp_path / "second.txt").write_text("".join(qrels))
    (tmp_path / "model.txt").write_text("".join(qrels))
    some = [line for line in qrels if line.split()[0] in ("101", "104", "105", "109")]
    (tmp_path / "people.txt").write_text("".join(some))
    said = "topic,run_a,run_b,winner\n101,bm25,dense,a\n102,bm25,dense,b\n103,bm25,dense,tie\n"
    (tmp_path / "battles.csv").write_text(said)
    for file, run in zip(("bm25", "dense"), made.runs.values(), strict=True):
        rows = [
            f"{names[topic]} Q0 {doc} 1 {score} {file}\n" for topic, docs in run.items() for doc, score in docs.items()
        ]
        (tmp_path / f"{file}.run").write_text("".join(rows))
    (tmp_path / "teams.txt").write_text("bm25 a\ndense b\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


WORKING = (
    "evaluate", "compare", "plan", "meta", "meta discriminative-power", "meta swap",
    "meta correlation", "meta concordance", "meta judgments", "plot cwl runs", "plot cwl vary",
    "plot cwl functions", "measures", "explain", "label", "judge", "battles",
    "pool", "fuse", "diff", "validate", "simulate", "presets", "gdeval", "trec_eval", "completion", "help",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", WORKING)
def test_examples_work(name: str, collection: Path, cranfield: Command) -> None:
    for text in BY_NAME[name].examples:
        example = [[*glob(word)] or [word] for word in shlex.split(text.partition(" > ")[0])]
        code, out, err = cranfield(*name.split(), *chain.from_iterable(example))
        assert code == (1 if "--fail-if-worse" in text else 0), err
        assert out or "-o" in text


# -- mistakes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("evalute", "cranfield: unknown command 'evalute'. Did you mean evaluate?"),
        ("help evalute", "cranfield: unknown command 'evalute'. Did you mean evaluate?"),
        ("eval q r", "cranfield: unknown command 'eval'. Did you mean evaluate?"),
        ("significance q r s", "Did you mean compare?"),
        ("ndcg q r", "unknown command 'ndcg'. Did you mean `cranfield evaluate QRELS RUN -m "),
        ("xyzzy", "cranfield: unknown command 'xyzzy'. See `cranfield --help`."),
        ("--verison", "cranfield: unknown option --verison. Did you mean --version?"),
        (
            "evaluate q r --depht 5",
            "cranfield evaluate: unknown option --depht. Did you mean --depth?",
        ),
        (
            "evaluate q r --depht=5",
            "cranfield evaluate: unknown option --depht=5. Did you mean --depth?",
        ),
        (
            "evaluate --xyzzy",
            "cranfield evaluate: unknown option --xyzzy. See `cranfield evaluate --help-all`.",
        ),
        ("evaluate q r --group-by x", "option --group-by. See `cranfield evaluate --help-all`."),
        ("evaluate q r --metrics AP", "unknown option --metrics. Did you mean --measure?"),
        ("evaluate q r --n-jobs 2", "unknown option --n-jobs. Did you mean --threads?"),
        ("evaluate q r --query", "unknown option --query. See `cranfield evaluate --help-all`."),
        ("evaluate q r --k 10", "Write the cutoff after the measure: -m nDCG@10."),
        ("evaluate --qrels q r", "Write files without an option: `cranfield evaluate [options] "),
        ("evaluate q r --json", "unknown option --json. Use --format json."),
        ("plot runs q r --baseline r", "unknown option --baseline. See `cranfield plot runs --h"),
        ("plot xyzzy q r", "cranfield plot: unknown figure 'xyzzy'. See `cranfield plot --help`."),
        (
            "compare q r s -m AP nDCG@10",
            "unknown argument 'nDCG@10'. Quote several measures: -m \"AP P@5\".",
        ),
        ("evaluate q r --topcs 5", "unknown option --topcs. Did you mean --topics?"),
        ("compare q r --test ttest", "found 'ttest', expected one of "),
        ("compare q r --test ttest", "; did you mean t?"),
        ("evaluate q r -f markdwon", "; did you mean markdown?"),
        ("evaluate q r -f xyzzy", "jsonl, markdown, latex, html, parquet ("),
        ("meta swp", "cranfield meta: unknown method 'swp'. Did you mean swap?"),
        ("meta --quite swap", "cranfield meta: unknown option --quite. "),
        ("meta swap q r s --sizs 5", "cranfield meta swap: unknown option --sizs. "),
        ("plot cwl vray", "cranfield plot cwl: unknown kind 'vray'. Did you mean vary?"),
        ("plot cwl runs q r --otuput x.svg", "option --otuput. Did you mean --output?"),
        ("letor eval-scor", "Did you mean eval-score?"),
        ("completion bahs", "expected one of bash, zsh, fish; did you mean bash?"),
    ],
)  # fmt: skip
def test_parser_unknown_word_names_the_nearest(line: str, said: str, cranfield: Command) -> None:
    assert said in cranfield.refused(line)


def test_options_are_written_out(cranfield: Command) -> None:
    """Of our commands; the drop-ins keep what they accept."""
    for name, p in OURS.items():
        assert not p.allow_abbrev, name
    assert "--dep" in cranfield.refused("evaluate q r --dep 5")
    assert parsed("letor eval-score test prediction out 1 --dep 5").depth == 5
    assert parsed("cwl_eval qrels run --resid").residuals


def test_words_after_two_dashes_are_files() -> None:
    assert parsed("evaluate -- --qrels --run").runs == ["--run"]


@pytest.mark.parametrize("name", LEAVES)
def test_quiet_and_verbose(name: str) -> None:
    names = {*LEAVES[name].flags}
    if name in OURS:
        assert names >= {"--quiet", "-v", "--verbose"}
    else:
        assert not names & {"--quiet", "--verbose"}


def test_what_quiet_and_verbose_are() -> None:
    for line, said in {
        "evaluate q r": (False, False),
        "evaluate q r --quiet": (True, False),
        "meta swap q r s -v": (False, True),
        "meta --quiet swap q r s": (True, False),
        "gdeval q r": (False, False),
    }.items():
        options = parsed(line)
        assert (bool(vars(options).get("quiet")), bool(vars(options).get("verbose"))) == said, line


# -- one meaning ----------------------------------------------------------------------------------

CHOSEN = {  # which of them there are depends on the command, not what it means to choose one
    "-f", "--format", "--method", "--table", "--ties", "--test",
    "--baseline",  # of trend: a file with the scores of a release; elsewhere a run
    "--ranks",  # of figures: how many are drawn; of compare: a switch
    "--missing",  # topics, or runs of a suite, which are never zero
    "--k",  # of fuse: a parameter; of diff: a cutoff
    "--unjudged",  # of compare: a switch for ranges of differences; of pool: a file of unjudged documents
    "--pool",  # of suite: a switch for the pooled difference; elsewhere a file of pooled documents
}  # fmt: skip


def meanings() -> dict[str, dict[object, list[str]]]:
    found: dict[str, dict[object, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, p in OURS.items():
        for row in p.rows if name != "simulate" else ():  # its options are sizes
            meaning: object = (row.value, row.metavar, tuple(row.choices))
            for flag in row.flags:
                if flag in CHOSEN:
                    meaning = " ".join(row.flags).replace("--output-format", "--format")
                found[flag][meaning].append(name)
    return found


def test_an_option_has_one_meaning() -> None:
    several = {string: dict(kinds) for string, kinds in meanings().items() if len(kinds) > 1}
    assert not several


def test_measures_are_asked_for_alike() -> None:
    """-m takes several, in one string or repeated, wherever it is."""
    for name, p in OURS.items():
        for row in p.rows:
            if "-m" in row.flags:
                assert row.flags == ("-m", "--measure"), name
                assert row.repeat, name


@pytest.mark.parametrize(
    ("line", "names", "value"),
    [
        ("assess aggregate a b", ("--missing", "--unlabelled"), "skip"),
        ("assess aggregate a b", ("--p", "--strength"), "0.3"),
        ("assess aggregate a b", ("--ties", "--majority-ties"), "lower"),
        ("distribution g s", ("--labels", "--label-order"), "-1,0,1"),
        ("distribution g s", ("--missing", "--missing-items"), "uniform"),
        ("hierarchy a b c d", ("--alpha", "--first-weight"), "0.3"),
        ("plot cwl vary q r -m RBP -o x.svg", ("--width", "--plot-width"), "300"),
        ("plot diversity q r -o x.svg", ("--height", "--plot-height"), "300"),
        ("plot cwl runs q r -o x.svg", ("--model", "--measure"), "RBP"),
        ("plot diversity q r -o x.svg", ("--against", "--against-measure"), "IRec@20"),
        ("plot diversity q r -o x.svg", ("--level", "--confidence"), "0.9"),
        ("validate q", ("--format", "--input-format"), "csv"),
    ],
)
def test_former_names_mean_what_they_did(line: str, names: tuple[str, str], value: str) -> None:
    before, now = (vars(parsed(f"{line} {name}={value}")) for name in names)
    assert repr(before) == repr(now) != repr(vars(parsed(line + (" -m AP" * ("runs" in line)))))
    assert any(str(x) in (value, f"['{value}']", value + ".0") for x in now.values())


def test_former_names_are_not_shown() -> None:
    for command, names in RENAMED.items():
        p = {**PARSERS, "plot": PARSERS["plot diversity"], "plot cwl": PARSERS["plot cwl runs"]}
        options = [*p[command].flags]
        assert not {*names} & {*options}
        assert {*names.values()} <= {*options}


def test_former_names_are_on_the_page() -> None:
    page = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z -]+)` \| `(-\S+)` \| `(-\S+)` \|$", page, re.M)
    assert rows == [(c, old, new) for c, names in RENAMED.items() for old, new in names.items()]


def test_one_measure_where_there_can_be_no_other(collection: Path, cranfield: Command) -> None:
    command = ["plot", "diversity", "qrels.txt", "bm25.run", "-o", "x.csv", "-m"]
    assert cranfield.refused(*command, "AP P@5") == "found 2 measures, expected one"


def test_several_models_in_one_string(collection: Path, cranfield: Command) -> None:
    plot = ["plot", "cwl", "runs", "qrels.txt", "bm25.run", "--gains", "unit", "-o"]
    cranfield.succeeds(*plot, "one.csv", "-m", "RBP(p=0.8) INST(T=2)")
    cranfield.succeeds(*plot, "two.csv", "-m", "RBP(p=0.8)", "-m", "INST(T=2)")
    text = Path("one.csv").read_text()
    assert "RBP(p=0.8)" in text
    assert "INST(T=2)" in text
    assert text == Path("two.csv").read_text()


class TestMeasures:
    def test_a_newcomer_sees_a_dozen(self, cranfield: Command) -> None:
        code, out, _ = cranfield("measures")
        listed, _, more = out.partition("\n\n")
        names = [line.split()[0] for line in listed.splitlines()]
        assert (code, len(names)) == (0, 12)
        assert {"AP", "nDCG@10", "P@10", "RR", "RBP", "bpref"} <= {*names}
        assert names == [str(cf.parse_measure(name)) for name in names]
        assert "`cranfield measures --all` lists all" in more

    def test_words_and_all_show_whole_entries(self, cranfield: Command) -> None:
        everything = cranfield.printed("measures", "--all")
        assert len(everything.splitlines()) > 200
        assert "parameters: " in cranfield.printed("measures", "graded")


# -- completion -----------------------------------------------------------------------------------

TYPED = {  # what may be meant: by hand, from the help
    "cranfield ev": {"evaluate"},
    "cranfield meta s": {"swap", "stability"},
    "cranfield evaluate q --ties be": {"best"},
    "cranfield evaluate q --exclude": {"--exclude-self"},
    "cranfield meta swap q --tria": {"--trials"},
    "cranfield help com": {"compare", "completion"},
    "cranfield completion z": {"zsh"},
    "cranfield plot cwl v": {"vary"},
}
ASK = {
    "bash": "source ./script; COMP_WORDS=({}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 )); "
    '_cranfield; printf "%s\\n" "${{COMPREPLY[@]}}"',
    "zsh": "compdef() {{ :; }}; _files() {{ :; }}; compadd() {{ shift; print -l -- $@ }}; "
    "source ./script; words=({}); CURRENT=$#words; _cranfield",
    "fish": "source ./script; complete -C '{}' | string split -f 1 \\t",
}


@pytest.mark.parametrize("shell", ASK)
def test_completion(shell: str, tmp_path: Path, cranfield: Command) -> None:
    code, script, err = cranfield("completion", shell)
    assert (code, err) == (0, "")
    assert script.count("cranfield meta swap --test") == 0 < script.count("meta discriminative")
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(script)
    subprocess.run([shell, "-n", "script"], cwd=tmp_path, check=True)
    for typed, meant in TYPED.items():
        ask = [shell, "-c", ASK[shell].format(typed)]
        done = subprocess.run(ask, cwd=tmp_path, capture_output=True, text=True, check=True)
        begin = typed.split()[-1]
        assert {w for w in done.stdout.split() if w.startswith(begin)} == meant, typed


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_files_are_completed_where_no_word_is(tmp_path: Path, cranfield: Command) -> None:
    (tmp_path / "script").write_text(cranfield.printed("completion", "bash"))
    ask = ["bash", "-c", ASK["bash"].format("cranfield evaluate q")]
    done = subprocess.run(ask, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []  # and `-o default` takes over
    assert "complete -o default" in (tmp_path / "script").read_text()


# -- speed ----------------------------------------------------------------------------------------


def test_help_imports_nothing_heavy() -> None:
    code = """if True:
        import contextlib, io, sys
        from cranfield.cli.main import list_parsers
        for parser in list_parsers():
            parser.format_help()
        print({"polars", "scipy", "altair", "pandas"} & {*sys.modules})
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.slow
@pytest.mark.parametrize("command", ["", "evaluate", "meta stability"])
def test_help_is_quick(command: str, tmp_path: Path) -> None:
    """0.3 s of an installed package, which is compiled; where others keep the machine busy, as long
    as three times NumPy's import at the same time.
    """
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = str(tmp_path)

    def taken(*words: str) -> float:
        before = os.times()
        subprocess.run([sys.executable, *words], env=env, check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        user, system = after.children_user, after.children_system
        return user + system - before.children_user - before.children_system

    asked = ("-m", "cranfield", *command.split(), "-h")
    taken(*asked)
    assert any(taken(*asked) < max(0.3, 3 * taken("-c", "import numpy")) for _ in range(5))
