"""docs/integrations.md and docs/integrations-training.md: every recipe runs, alone, where its packages are installed.

``make test-integrations`` installs all of them. ``python -m tests.docs.test_integrations`` writes
the outputs of those that are installed into the documents.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

import cranfield as cf
from cranfield.compat import provider
from cranfield.display import TableResult
from tests import ROOT
from tests.docs.test_docs import Block, blocks, differ, environment, make_files, same, scripts
from tests.made import shown_by

PAGE = "docs/integrations.md"
PAGES = (PAGE, "docs/integrations-training.md")
NOTEBOOK = ROOT / "docs" / "experiment.ipynb"
ACTION = ROOT / ".github" / "actions" / "gate"


def packages(block: Block) -> list[str]:
    """The packages that a recipe imports, in its order."""
    found: dict[str, None] = {}
    for node in ast.parse(block.text).body:
        if isinstance(node, ast.Import):
            found |= dict.fromkeys(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found[node.module.split(".")[0]] = None
    return [*found]


def missing(block: Block) -> list[str]:
    return [name for name in packages(block) if importlib.util.find_spec(name) is None]


RECIPES = {
    f"{packages(block)[0]}:{block.line}": (page, block, out)
    for page in PAGES
    for block, out in scripts(page)
    if not block.title
}
COMMANDS = [block for block in blocks(PAGE) if block.language == "console"]


@contextlib.contextmanager
def alone(directory: Path) -> Iterator[io.StringIO]:
    """In a directory with the files of the documents, without a network; what is printed there."""
    make_files(PAGE, directory)
    given = {"HF_HUB_OFFLINE": "1", "TQDM_DISABLE": "1"}
    given |= {"MLFLOW_TRACKING_URI": f"sqlite:///{directory}/mlflow.db"}
    printed = io.StringIO()
    with (
        contextlib.chdir(directory),
        mock.patch.dict(os.environ, given),
        contextlib.redirect_stdout(printed),
    ):
        yield printed


def printed_by(block: Block, directory: Path) -> list[str]:
    """What a recipe prints, or a block of commands, with the commands."""
    with alone(directory) as printed:
        if block.language == "console":
            for command in (x.removeprefix("$ ") for x in block.lines if x.startswith("$ ")):
                print(f"$ {command}")
                python, m, module, *words = shlex.split(command)
                assert (python, m, module) == ("python", "-m", provider.__name__)
                with mock.patch.object(sys, "argv", [module, *words]):
                    provider.main()
        else:
            Path("script.py").write_text(block.text, encoding="utf-8")
            runpy.run_path("script.py", run_name="__main__")
    return printed.getvalue().splitlines()


@pytest.mark.parametrize("recipe", RECIPES)
def test_recipes_run_and_print_what_is_shown(recipe: str, tmp_path: Path) -> None:
    page, block, output = RECIPES[recipe]
    if absent := missing(block):
        pytest.skip(f"{', '.join(absent)} not installed: make test-integrations")
    shown, real = output.lines if output else [], printed_by(block, tmp_path)
    assert same(shown, real), differ(page, block.line, shown, real)


def test_commands_run_and_print_what_is_shown(tmp_path: Path) -> None:
    assert COMMANDS
    for block in COMMANDS:
        real = printed_by(block, tmp_path)
        assert same(block.lines, real), differ(PAGE, block.line, block.lines, real)


def test_the_gate_of_the_page_is_a_test(tmp_path: Path) -> None:
    """It fails by the new run as is shown, and passes if that is the old one."""
    written = next(block for block in blocks(PAGE) if block.title == "test_search.py")
    shown = next(block for block in blocks(PAGE) if block.lines[0].startswith("E "))
    with alone(tmp_path):
        (test,) = (x for n, x in runpy.run_path(written.title).items() if n.startswith("test_"))
        with pytest.raises(AssertionError) as failed:
            test()
        said = [f"E       AssertionError: {failed.value}".splitlines()[0]]
        said += [f"E         {line}" for line in str(failed.value).splitlines()[1:]]
        assert [x[: len(y) - 1] for x, y in zip(said, shown.lines, strict=False)] == [line[:-1] for line in shown.lines]
        text = Path("bm25.run").read_text(encoding="utf-8")
        Path("dense.run").write_text(re.sub(r"\S+\n", "dense\n", text), encoding="utf-8")
        test()


# -- the notebook ---------------------------------------------------------------------------------


def test_the_notebook_runs() -> None:
    shown = shown_by(NOTEBOOK)
    kinds = {type(value).__name__ for value in shown if isinstance(value, TableResult)}
    assert {"Scores", "Comparison", "Gate", "HardTopics"} <= kinds
    decisions = next(x for x in shown if isinstance(x, list) and ("sys01", "AP", "pass") in x)
    assert ("sys03", "nDCG@10", "fail") in decisions
    assert shown[-1] == ["qrels.txt", "report.html", "runs", "scores.parquet"]


def test_the_notebook_runs_in_jupyter() -> None:
    nbclient = pytest.importorskip("nbclient", reason="not installed: make test-integrations")
    nbformat = pytest.importorskip("nbformat")
    if importlib.util.find_spec("ipykernel") is None:
        pytest.skip("ipykernel not installed: make test-integrations")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs = [c.outputs for c in notebook.cells if c.cell_type == "code"]
    assert all(outputs)
    assert sum("text/html" in x[0].get("data", {}) for x in outputs) >= 5


# -- the action -----------------------------------------------------------------------------------


BASH = pytest.mark.skipif(sys.platform == "win32" or shutil.which("bash") is None, reason="no bash on the PATH")


def gate(directory: Path, given: dict[str, str]) -> tuple[int, str, str, str]:
    """The exit code of the action's script, its summary, its outputs and its log."""
    files = {"GITHUB_STEP_SUMMARY": "summary.md", "GITHUB_OUTPUT": "outputs"}
    for name in files.values():
        (directory / name).write_text("", encoding="utf-8")
    done = subprocess.run(
        ["bash", ACTION / "gate.sh"],
        cwd=directory,
        env=environment() | files | given,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    texts = [(directory / name).read_text(encoding="utf-8") for name in files.values()]
    return done.returncode, texts[0], texts[1], done.stdout + done.stderr


@BASH
class TestAction:
    @pytest.fixture
    def files(self, tmp_path: Path) -> dict[str, str]:
        """Judgments, a run, a better one, and one of an unfortunate name."""
        collection = cf.simulate(topics=30, runs=2, depth=50, seed=7)
        collection.write(tmp_path)
        better, worse = (tmp_path / f"runs/{name}.txt" for name in ("sys01", "sys02"))
        shutil.move(better, tmp_path / "better.run")
        shutil.move(worse, tmp_path / "a worse; one.run")
        return {"QRELS": "qrels.txt", "MEASURES": "nDCG@10 AP", "BASELINE": "sys01"}

    RUNS = "better.run\n\na worse; one.run\n"

    def test_worse_fails(self, files: dict[str, str], tmp_path: Path) -> None:
        code, summary, outputs, log = gate(tmp_path, files | {"RUNS": self.RUNS})
        assert (code, outputs) == (1, "passed=false\n")
        assert summary.startswith("### The gate is closed")
        assert "| nDCG@10 | sys02 | sys01 | fail |" in summary
        assert "    verdict: fail: sys02 is significantly worse than sys01 by AP" in summary
        assert "verdict: fail: sys02 is significantly worse than sys01 by AP" in log

    def test_better_passes(self, files: dict[str, str], tmp_path: Path) -> None:
        """Also as a pattern, with a margin, and with options of their own."""
        files |= {"RUNS": "*.run", "BASELINE": "a worse; one.run", "MARGIN": "0.01"}
        files |= {"OPTIONS": "--decimals\n2\n"}
        code, summary, outputs, _ = gate(tmp_path, files)
        assert (code, outputs) == (0, "passed=true\n")
        assert summary.startswith("### The gate is open")
        assert re.search(r"\| AP \| sys01 \| sys02 \| pass \| \+0\.\d\d \|", summary)

    def test_wrong_input_is_neither(self, files: dict[str, str], tmp_path: Path) -> None:
        code, summary, outputs, log = gate(tmp_path, files | {"RUNS": "better.run\nnone*.run"})
        assert (code, outputs) == (2, "")
        assert summary.startswith("### The gate could not decide")
        assert "cannot read none*.run: no such file" in log

    def test_what_users_write_is_no_code(self, files: dict[str, str], tmp_path: Path) -> None:
        hostile = '$(touch made)"; touch made; `touch made`'
        names = (*files, "RUNS", "MARGIN", "UNDECIDED", "ALPHA", "OPTIONS")
        code, _, outputs, log = gate(tmp_path, dict.fromkeys(names, hostile))
        assert (code, outputs) == (2, "")
        assert "touch made" in log
        assert not (tmp_path / "made").exists()

    def test_gives_the_script_what_it_reads(self) -> None:
        """Every input reaches it, in the environment and not in its text."""
        yaml = pytest.importorskip("yaml")
        action = yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf-8"))
        *_, step = action["runs"]["steps"]
        script = (ACTION / "gate.sh").read_text(encoding="utf-8")
        assert set(step["env"]) == {name.upper() for name in action["inputs"]} - {"PYTHON-VERSION"}
        for name, value in step["env"].items():
            assert value == f"${{{{ inputs.{name.lower()} }}}}"
            assert re.search(rf"\${{?{name}\b", script), name
        for one in action["runs"]["steps"]:
            assert "${{" not in one.get("run", "")
        assert (ACTION / "../../../pyproject.toml").resolve().is_file()  # what is installed

    def test_the_page_links_to_the_example(self) -> None:
        yaml = pytest.importorskip("yaml")
        text = (ACTION / "example.yml").read_text(encoding="utf-8")
        assert "](../.github/actions/gate/example.yml)" in (ROOT / PAGE).read_text(encoding="utf-8")
        (job,) = yaml.safe_load(text)["jobs"].values()
        inputs = yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf-8"))["inputs"]
        given = job["steps"][-1]["with"]
        assert {n for n, x in inputs.items() if x.get("required")} <= set(given) <= set(inputs)


def rewrite() -> None:
    """Put the real outputs in the place of those shown, where packages are installed."""
    for page in PAGES:
        lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
        changes: list[tuple[Block, list[str]]] = []
        every = [(block, out) for at, block, out in RECIPES.values() if at == page and out and not missing(block)]
        for block, output in [*every, *((block, block) for block in COMMANDS if page == PAGE)]:
            with tempfile.TemporaryDirectory() as place:
                changes.append((output, printed_by(block, Path(place))))
        for block, real in sorted(changes, reverse=True, key=lambda change: change[0].line):
            lines[block.line : block.line + len(block.lines)] = real
        (ROOT / page).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    rewrite()
    sys.exit()
