"""The documents do what they say: code runs, output is real, commands work, links lead somewhere.

How a document is written so that it can be checked:

- the ``python`` blocks of a document are one script; a ``text`` block right after one is what
  it prints;
- in ``console`` blocks, ``$ cranfield …`` is run and what stands below it is what it prints;
- in ``sh`` blocks, the lines that begin with ``cranfield`` are run;
- a line ``…`` in an output stands for lines left out;
- ``<!-- exit 2 -->`` before a block says which exit code its last command has, if not 0;
- a block with ``title="bm25.run"`` is a file of that name, made before anything is run.

``python -m tests.docs.test_docs`` writes the real outputs into the documents (where nothing is left
out of them), and all pages and figures. Parts of it, with the time they take:

- ``pages``: exports and pages made from the code, in seconds (enough for a new measure);
- ``gallery``, ``models``: the figures;
- ``outputs [DOCUMENT…]``: the outputs in these documents, or in all.
"""

from __future__ import annotations

import contextlib
import glob
import io
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest

import cranfield as cf
from cranfield.measures.base import REGISTRY
from tests import ROOT
from tests.made import exit_code, in_10_digits

GUIDES = (
    "README.md", "docs/agreement.md", "docs/ambiguous.md", "docs/answer-files.md", "docs/answers.md",
    "docs/archive.md", "docs/assess.md", "docs/battles.md", "docs/chunks.md", "docs/ci.md", "docs/clusters.md",
    "docs/command-line.md", "docs/compare-scores.md", "docs/compare.md", "docs/criteria.md",
    "docs/custom-measures.md", "docs/custom-models.md", "docs/cwl.md", "docs/cwl_eval.md", "docs/diff.md",
    "docs/distributions.md", "docs/diversity.md", "docs/evaluate.md", "docs/files.md", "docs/from-engines.md",
    "docs/from-llm-tools.md", "docs/fuse.md", "docs/gallery.md", "docs/gdeval.md", "docs/judge-samples.md",
    "docs/judges.md", "docs/judgments.md", "docs/labelling.md", "docs/letor-tools.md", "docs/letor.md",
    "docs/levels.md", "docs/meta-collections.md", "docs/meta-measures.md", "docs/meta.md", "docs/ndeval.md",
    "docs/ntcireval-intents.md", "docs/ntcireval-scripts.md", "docs/ntcireval.md", "docs/paper.md",
    "docs/plan.md", "docs/pool-samples.md", "docs/pool.md", "docs/preferences.md", "docs/rag.md",
    "docs/rankings.md", "docs/reconcile.md", "docs/report.md", "docs/repro.md", "docs/scores.md",
    "docs/seeds.md", "docs/sessions.md", "docs/shared-task.md", "docs/slices.md", "docs/suites.md",
    "docs/teach.md", "docs/texts.md", "docs/topics.md", "docs/trec_eval.md", "docs/unjudged.md",
    "docs/validate.md", "docs/verticals.md",
)  # with commands  # fmt: skip
SCRIPTED = (
    *GUIDES, "docs/definitions.md", "docs/inputs.md", "docs/learning-to-rank.md", "docs/migrate-packages.md",
    "docs/significance.md",
)  # with Python  # fmt: skip
MODELS = ROOT / "docs" / "models"
FIGURES = ROOT / "docs" / "figures"
GALLERY = "docs/gallery.md"
PAGES = ROOT / "docs" / "pages"  # what writes some of the documents
ANSWERS = "docs/migrate.md"  # with answers in the table of its FAQ
LINKED = sorted(  # every document
    page.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/*.md", "docs/models/*.md", "docs/paper/*.md")
    for page in ROOT.glob(pattern)
)

TUTORIAL = "docs/cwl.md"
_BETWEEN = "--- next block ---"
_COMMAND = re.compile(r"(?:\$ |\.venv/bin/)(?=(?:python \w+\.py && )?cranfield )")


class Block(NamedTuple):
    """A fenced block: its language, the file it is, its lines and where they stand."""

    language: str
    title: str
    lines: list[str]
    line: int  # of the first line inside, from 0
    exit: int
    follows: bool  # nothing but blank lines since the block before

    @property
    def text(self) -> str:
        return "".join(line + "\n" for line in self.lines)


def blocks(document: str) -> list[Block]:
    """The fenced blocks of a document in the repository."""
    found: list[Block] = []
    inside, language, title, code, adjacent, start = False, "", "", 0, False, 0
    lines = (ROOT / document).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if line.startswith("```"):
            if inside:
                found.append(Block(language, title, lines[start:number], start, code, adjacent))
                code, adjacent = 0, True
            else:
                named = re.search(r'title="([^"]+)"', line)
                language, title = line[3:].split(" ")[0], named[1] if named else ""
                start = number + 1
            inside = not inside
        elif not inside and line.strip():
            marked = re.fullmatch(r"<!-- exit (\d+) -->", line)
            code, adjacent = int(marked[1]) if marked else 0, False
    assert not inside, f"{document}: a block is not closed"
    return found


class Command(NamedTuple):
    """A command line that is shown, and the output shown for it (None: none is)."""

    text: str
    output: list[str] | None
    line: int
    exit: int = 0


def commands(document: str) -> Iterator[Command]:
    """The `cranfield` command lines of a document in their order."""
    for block in blocks(document):
        if block.language == "sh":
            for i, line in enumerate(block.lines):
                if line.startswith("cranfield "):
                    yield Command(line, None, block.line + i)
        if block.language != "console":
            continue
        starts = [i for i, x in enumerate(block.lines) if x.startswith("$ ") or _COMMAND.match(x)]
        for start, stop in zip(starts, [*starts[1:], len(block.lines)], strict=True):
            line = block.lines[start]
            if _COMMAND.match(line):
                shown = block.lines[start + 1 : stop]
                code = block.exit if stop == len(block.lines) else 0
                yield Command(_COMMAND.sub("", line), shown, block.line + start, code)


def scripts(document: str) -> list[tuple[Block, Block | None]]:
    """The Python blocks of a document, each with the block of its output if there is one."""
    found = blocks(document)
    following = [*found[1:], None]
    return [
        (block, after if after and after.follows and after.language == "text" else None)
        for block, after in zip(found, following, strict=True)
        if block.language == "python"
    ]


def make_files(document: str, directory: Path) -> None:
    """A small simulated collection under the names the documents use, and their own files."""
    collection = cf.simulate(topics=8, runs=2, depth=40, seed=7)
    runs = dict(zip(("bm25", "dense"), collection.runs.values(), strict=True))
    collection = cf.Collection(collection.qrels, runs)
    collection.write(directory)
    for name in runs:
        (directory / f"runs/{name}.txt").rename(directory / f"{name}.run")
    for block in blocks(document):
        if block.title:
            (directory / block.title).write_text(block.text, encoding="utf-8")


def environment() -> dict[str, str]:
    """With the installed `cranfield` first on the path, and one width of help."""
    kept = {k: v for k, v in os.environ.items() if k != "FORCE_COLOR"}
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    return {**kept, "PATH": path, "PYTHONIOENCODING": "utf-8", "COLUMNS": "80"}


def run_python(document: str, directory: Path) -> list[list[str]]:
    """Run the Python blocks as one script and return the lines each prints."""
    make_files(document, directory)
    parts = [block.text for block, _ in scripts(document)]
    if not parts:
        return []
    script = directory / "script.py"
    script.write_text(f"print({_BETWEEN!r})\n".join(parts), encoding="utf-8")
    with inside(directory) as printed:
        runpy.run_path(str(script), run_name="__main__")
    return [part.splitlines() for part in printed.text().split(_BETWEEN + "\n")]


def run_command(command: Command, directory: Path) -> list[str]:
    """Run a command and return the lines it prints, notices included.

    What needs no shell runs here: starting Python two hundred times takes a minute.
    """
    text = re.sub(r"  +#.*", "", command.text)  # what it is there for
    unquoted = re.sub(r"\"[^\"$`]*\"|'[^']*'", "", text)
    if not set(unquoted) & set('|<>;&$`()#\\"') and "--import" not in text:
        code, lines = run_here(text, directory)
        assert code == command.exit, "\n".join([command.text, *lines])
        return lines
    done = subprocess.run(
        ["sh", "-c", command.text],
        cwd=directory,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == command.exit, f"{command.text}\n{done.stdout}"
    return done.stdout.splitlines()


def run_here(text: str, directory: Path) -> tuple[int, list[str]]:
    """The exit code of a command and the lines it prints, both streams together."""
    with inside(directory) as printed:
        words = [
            path for word in shlex.split(text) for path in (sorted(glob.glob(word)) if "*" in word else []) or [word]
        ]
        assert words[0] == "cranfield"
        code = exit_code(words[1:])
    return code, printed.text().splitlines()


class Printed(io.TextIOWrapper):
    """What is printed, as UTF-8."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def text(self) -> str:
        self.seek(0)
        return self.read()


@contextlib.contextmanager
def inside(directory: Path) -> Iterator[Printed]:
    """As a process of its own there would be: both streams together, no measures of tests."""
    printed = Printed()
    built_in = {name: c for name, c in REGISTRY.items() if c.__module__.startswith("cranfield.")}
    with (
        contextlib.chdir(directory),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
        mock.patch.dict(os.environ, environment(), clear=True),
        mock.patch.dict(REGISTRY, built_in, clear=True),
        mock.patch.object(sys, "path", [str(directory), *sys.path]),
    ):
        yield printed
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(str(directory)):
            del sys.modules[name]


def same(shown: list[str], real: list[str]) -> bool:
    """Whether lines are as they are shown; a line … stands for one or more lines left out."""
    if shown[-1:] == [""] != real[-1:]:  # a blank line before the next $
        shown = shown[:-1]
    shown, real = (list(map(in_10_digits, lines)) for lines in (shown, real))
    pattern = "".join("(?:.*\n)+" if x == "…" else re.escape(x) + "\n" for x in shown)
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in real)) is not None


def differ(document: str, line: int, shown: list[str], real: list[str]) -> str:
    """What to say when output is not what is shown."""
    return "\n".join([f"{document}:{line + 1} shows", *shown, "but there is", *real])


@pytest.mark.parametrize("document", SCRIPTED)
def test_python_blocks_run_and_print_what_is_shown(document: str, tmp_path: Path) -> None:
    printed = run_python(document, tmp_path)
    for (block, output), real in zip(scripts(document), printed, strict=True):
        shown = output.lines if output else []
        assert same(shown, real), differ(document, block.line, shown, real)


@pytest.mark.parametrize("document", GUIDES)
def test_commands_run_and_print_what_is_shown(document: str, tmp_path: Path) -> None:
    make_files(document, tmp_path)
    found = list(commands(document))
    assert found
    for command in found:
        real = run_command(command, tmp_path)
        if command.output is not None:
            shown = command.output
            assert same(shown, real), differ(document, command.line, shown, real)


def test_answers_of_the_faq_run(tmp_path: Path) -> None:
    """Run the commands and expressions in the table of the FAQ."""
    make_files(ANSWERS, tmp_path)
    faq = (ROOT / ANSWERS).read_text(encoding="utf-8").split("\n## FAQ\n")[1]
    answers = re.findall(r"`([^`]+)`", faq)
    command_lines = [answer for answer in answers if answer.startswith("cranfield ")]
    calls = [answer for answer in answers if answer.startswith("cf.")]
    assert len(command_lines) > 8
    assert len(calls) > 1
    for text in command_lines:
        run_command(Command(text, None, 0, exit=0), tmp_path)
    script = tmp_path / "calls.py"
    script.write_text("\n".join(["import cranfield as cf", *calls]), encoding="utf-8")
    with inside(tmp_path):
        runpy.run_path(str(script))


def test_readme_commands_are_those_of_make_demo() -> None:
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8")
    block = next(b for b in blocks("README.md") if any("simulate" in line for line in b.lines))
    commands_shown = [line[2:] for line in block.lines if line.startswith("$ cranfield")]
    assert len(commands_shown) == 2
    assert all(f"\t$(BIN)/{line}\n" in recipe for line in commands_shown)


def test_names_of_other_tools_match_definitions_page() -> None:
    section = (ROOT / "docs/definitions.md").read_text("utf-8").split("## Names from other tools")[1]
    rows = [line.split("|") for line in section.split("\n## ")[0].splitlines() if "`" in line]
    checked = 0
    for theirs, ours in ((row[2], row[3]) for row in rows if len(row) == 5):
        asked, got = re.findall(r"`([^`]+)`", theirs), re.findall(r"`([^`]+)`", ours)
        got = got * len(asked) if len(got) == 1 else got
        for name, canonical in zip(asked, got, strict=True):
            if "=" not in name or "(" in name:
                assert str(cf.parse_measure(name)) == canonical
                checked += 1
    assert checked > 20


@pytest.mark.parametrize("document", LINKED)
def test_relative_links_resolve(document: str) -> None:
    text = re.sub(r"^```.*?^```", "", (ROOT / document).read_text("utf-8"), flags=re.M | re.S)
    targets = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", text))
    for target in targets:
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (ROOT / document).parent / path if path else ROOT / document
        assert file.exists(), f"{document}: {target}"
        if anchor:
            assert anchor in anchors(file), f"{document}: {target}"


def test_the_index_leads_to_every_page() -> None:
    text = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    linked = {target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)}
    assert linked >= {page.name for page in (ROOT / "docs").glob("*.md")} - {"index.md"}


def test_every_page_leads_back_to_the_index() -> None:
    """But for those that are written from the code."""
    written = {"index.md", "measures.md", "presets.md", "statistics.md", "gallery.md"}
    written |= {"correctness.md", "options.md", "formats.md", "messages.md"}
    for page in (ROOT / "docs").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert page.name in written or "\n[All pages](index.md)\n" in text, page.name


def anchors(file: Path) -> set[str]:
    """The anchors GitHub makes of a document's headings."""
    text = re.sub(r"^```.*?^```", "", file.read_text("utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.+)$", text, flags=re.M)
    slugs = [re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings]
    return {s if i == slugs.index(s) else f"{s}-{slugs[:i].count(s)}" for i, s in enumerate(slugs)}


def pages() -> dict[str, str]:
    """The pages that are written from the code, from a process that has no other measures."""
    script = "import json; from every import pages; print(json.dumps(pages()))"
    path = os.pathsep.join([str(PAGES), str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, check=False, text=True, env=environment)
    assert done.returncode == 0, done.stderr  # such as a measure that nobody checks
    made: dict[str, str] = json.loads(done.stdout)
    return made


def test_pages_are_what_the_code_says() -> None:
    """The catalogue of measures, what they are checked against, the presets, the methods, and the
    user models. A measure that nobody else checks is an error (`tests/evidence.py`).
    """
    made = pages()
    found = {f"models/{page.name}" for page in MODELS.glob("*.md")}
    assert found == {name for name in made if name.startswith("models/")}
    for name, text in made.items():
        written = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert without_versions(written) == without_versions(text), name


def without_versions(page: str) -> str:
    """A page without the last column of its table of peers: others may be installed."""
    before, head, rest = page.partition("| peer | package | version |\n")
    rows, blank, after = rest.partition("\n\n")
    return before + head + re.sub(r"[^|]*\|$", "", rows, flags=re.M) + blank + after


def test_every_method_is_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """And has a reference, but for what only calls others."""
    monkeypatch.syspath_prepend(PAGES)
    GROUPS = runpy.run_path(str(PAGES / "methods.py"))["GROUPS"]
    named = {(room, name) for room, *names in GROUPS.values() for name in names}
    for room in ("stats", "meta"):
        public = getattr(cf, room)
        functions = {name for name in public.__all__ if name[0].islower()}
        assert {name for where, name in named if where == room} == functions
        for name in functions - {"compare_pairs"}:
            assert "Reference" in (getattr(public, name).__doc__ or ""), name


def test_every_user_model_has_its_picture() -> None:
    drawn = {picture.stem for picture in MODELS.glob("*.svg")}
    assert drawn == {page.stem for page in MODELS.glob("*.md")} - {"README"}


def draw_models() -> None:
    """The pictures of the user models, and those of the tutorials."""
    from cranfield.measures.cwl import list_models

    with mock.patch.object(sys, "path", [str(PAGES), *sys.path]):
        lists = runpy.run_path(str(PAGES / "models.py"))
    GAINS, COSTS = lists["GAINS"], lists["COSTS"]
    for name, model in list_models().items():
        picture = cf.plot.cwl(model.examples, lists=GAINS, costs=COSTS, height=110)
        picture.chart.config.aria = False  # which an image on a page does not need
        picture.save(MODELS / f"{name}.svg")
    drawn = {"plot cwl functions": TUTORIAL, "plot cwl vary": TUTORIAL}
    drawn |= {"plot diversity": "docs/diversity.md", "--plot asl": "docs/meta.md"}
    drawn |= {"--plot power": "docs/plan.md"}
    for what, page in drawn.items():
        with tempfile.TemporaryDirectory() as place:
            make_files(page, Path(place))
            for command in commands(page):  # those before make what it needs
                run_command(command, Path(place))
                if what in command.text:
                    break
            name = f"{what.split()[-1]}.svg"
            shutil.move(Path(place, command.text.split()[-1]), FIGURES / name)


def gallery() -> Any:
    """What writes the gallery of figures."""
    with mock.patch.object(sys, "path", [str(PAGES), *sys.path]):
        return runpy.run_path(str(PAGES / "gallery.py"))


def draw_gallery() -> None:
    """The pictures of the gallery, without what says aloud where each mark is: they are images."""
    with tempfile.TemporaryDirectory() as place:
        first = next(commands(GALLERY))
        run_command(first, Path(place))
        for name, text in gallery()["drawn"]().items():
            for line in text.splitlines():
                run_command(Command(line, None, 0), Path(place))
            svg = Path(place, f"{name}.svg").read_text(encoding="utf-8")
            svg = re.sub(r' (?:aria-[a-z]+|role)="[^"]*"', "", svg)
            (FIGURES / f"{name}.svg").write_text(svg, encoding="utf-8")


def test_every_picture_of_the_gallery_is_there() -> None:
    assert {f"{name}.svg" for name in gallery()["drawn"]()} <= {p.name for p in FIGURES.iterdir()}


def test_citation_names_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^cff-version: 1\.2\.0$", text, flags=re.M)
    assert re.search(rf"^version: {re.escape(cf.__version__)}$", text, flags=re.M)
    assert f"## [{cf.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def rewrite(document: str, directory: Path) -> None:
    """Put the real outputs in the place of those shown."""
    printed = run_python(document, directory)
    changes: list[tuple[int, int, list[str]]] = []
    for (_, output), real in zip(scripts(document), printed, strict=True):
        if output:
            changes.append((output.line, len(output.lines), real))
    make_files(document, directory)
    for command in commands(document):
        real = run_command(command, directory)
        if command.output is not None:
            ends_blank = command.output[-1:] == [""] != real[-1:]
            shown = [line.rstrip() for line in real] + [""] * ends_blank
            changes.append((command.line + 1, len(command.output), shown))
    lines = (ROOT / document).read_text(encoding="utf-8").splitlines()
    for line, length, real in sorted(changes, reverse=True):
        if "…" not in lines[line : line + length]:
            lines[line : line + length] = real
    (ROOT / document).write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_pages() -> None:
    """Write the exports and the pages that are made from the code."""
    from tests.test_exports import write as write_exports

    write_exports()
    MODELS.mkdir(exist_ok=True)
    for name, text in pages().items():
        (ROOT / "docs" / name).write_text(text, encoding="utf-8")


def write_outputs(documents: Sequence[str]) -> Iterator[str]:
    """Write the outputs of documents, and yield the name of each."""
    for name in documents:
        with tempfile.TemporaryDirectory() as place:
            rewrite(name, Path(place))
        yield name


def write_parts(part: str, documents: Sequence[str]) -> Iterator[str]:
    """Write one part or all, and yield the name of each step."""
    write_pages()
    yield "pages"
    FIGURES.mkdir(exist_ok=True)
    if part in ("gallery", "all"):
        draw_gallery()
        yield "gallery"
    if part in ("models", "all"):
        draw_models()
        yield "models"
    if part in ("outputs", "all"):
        yield from write_outputs(documents or SCRIPTED)


if __name__ == "__main__":
    part, documents = (sys.argv[1:2] or ["all"])[0], sys.argv[2:]
    if part not in ("pages", "gallery", "models", "outputs", "all"):
        sys.exit(f"unknown part {part!r}. Use pages, gallery, models, outputs or all.")
    start = time.monotonic()
    for step in write_parts(part, documents):
        print(f"{time.monotonic() - start:6.1f} s  {step}", flush=True)
