"""What is published beside the code says the same as the code; workflows are pinned and humble."""

from __future__ import annotations

import re
import runpy
import shlex
import tomllib
from pathlib import Path

import pytest
from readme_renderer.markdown import render

import cranfield
from cranfield.cli.commands import COMMANDS
from cranfield.cli.main import find_parser
from cranfield.lazy_imports import PACKAGES
from tests import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTIONS = sorted((ROOT / ".github" / "actions").glob("*/action.yml"))
WRITES = {"release.yml": ["id-token"], "site.yml": ["pages", "id-token"]}


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "written"),
    [
        ("CITATION.cff", r"^version: (.+)$"),
        ("CHANGELOG.md", r"^## \[(.+?)\]"),
        ("packaging/conda/recipe.yaml", r'^  version: "(.+)"$'),
    ],
)
def test_the_version_is_the_package_s(file: str, written: str) -> None:
    found = re.search(written, text(file), re.M)
    assert found
    assert found[1] == cranfield.__version__


def test_the_version_is_written_once() -> None:
    project = tomllib.loads(text("pyproject.toml"))
    assert project["project"]["dynamic"] == ["readme", "version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "cranfield.__version__"}
    assert re.fullmatch(r"\d+\.\d+\.\d+(rc\d+)?", cranfield.__version__)


def test_the_recipe_asks_for_what_the_package_does() -> None:
    project = tomllib.loads(text("pyproject.toml"))["project"]
    recipe = text("packaging/conda/recipe.yaml").replace(" >=", ">=")
    for line in project["dependencies"]:
        assert f"- {line}\n" in recipe
    assert f"- python{project['requires-python']}\n" in recipe
    for line in re.findall(r"- ([\w-]+>=[\d.]+)\n", recipe):
        known = {package for row in PACKAGES.values() for package in row.packages}
        asked = {*known, *project["dependencies"], f"python{project['requires-python']}"}
        assert line in asked | {"setuptools>=77"}


class TestDescription:
    """What PyPI shows: nothing there leads to a file beside it."""

    described = staticmethod(runpy.run_path(str(ROOT / "packaging" / "readme.py"))["described"])

    @pytest.mark.parametrize("repository", ["", "https://example.org/x"])
    def test_no_link_is_relative(self, repository: str) -> None:
        shown = render(self.described(text("README.md"), repository))
        assert shown is not None
        leads = re.findall(r'(?:href|src)="([^"]+)"', shown)
        assert [to for to in leads if not re.match(r"https?://|mailto:|#", to)] == []
        assert len(leads) > 30 if repository else "docs/evaluate.md" in shown

    def test_files_that_are_named_are_in_the_source(self) -> None:
        named = re.findall(r"\(`([\w./-]+)`\)", self.described(text("README.md")))
        assert len(named) > 20
        assert [file for file in named if not (ROOT / file).is_file()] == []

    def test_without_a_repository_links_are_words(self) -> None:
        links = "![A page](a.png) [MIT](LICENSE) [p](b.md#c), [b.md](b.md) [w](https://w)"
        *_, note, last = self.described(f"# x\n\nWhat it is\n\n{links}").split("\n\n")
        assert note.startswith("Files that are named here")
        assert last == "*A page* MIT (`LICENSE`) p (`b.md`), `b.md` [w](https://w)"

    def test_with_one_they_lead_there(self) -> None:
        links = "![A page](a.png) [p](b.md#c)"
        shown = self.described(f"# x\n\nWhat it is\n\n{links}", "https://example.org/x")
        assert shown == (
            "# x\n\nWhat it is\n\n![A page](https://example.org/x/raw/HEAD/a.png) "
            "[p](https://example.org/x/blob/HEAD/b.md#c)"
        )


class TestWorkflows:
    @pytest.mark.parametrize("path", [*WORKFLOWS, *ACTIONS], ids=lambda path: path.name)
    def test_actions_are_pinned(self, path: Path) -> None:
        """A tag of an action may move, a commit does not."""
        used = re.findall(r"uses: (\S+)", path.read_text(encoding="utf-8"))
        assert len(used) > (3 if path in WORKFLOWS else 0)
        assert [name for name in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name)] == []

    @pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
    def test_who_runs_our_code_has_no_token(self, path: Path) -> None:
        """`actions/checkout` leaves one in the clone, unless it is asked not to."""
        content = path.read_text(encoding="utf-8")
        asked = r"uses: actions/checkout@.+\n +with:\n +persist-credentials: false\n"
        assert len(re.findall(asked, content)) == content.count("actions/checkout@") > 0

    def test_what_builds_a_release_is_pinned(self) -> None:
        release = text(".github/workflows/release.yml")
        for line in re.findall(r"pip install (.+)", release):
            assert all("==" in package for package in line.split()), line

    @pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
    def test_no_workflow_may_write(self, path: Path) -> None:
        """But for the identity of jobs that publish, a release or the site."""
        content = path.read_text(encoding="utf-8")
        asked = re.findall(r"^ +([a-z-]+): (read|write)\b", content, re.M)
        writes = [name for name, right in asked if right == "write"]
        assert writes == WRITES.get(path.name, [])
        assert re.search(r"^permissions:", content, re.M)
        assert "secrets." not in content


class TestAgents:
    def test_commands_of_the_skill_are_real(self) -> None:
        """Each is a command, and takes the options that are shown."""
        shown = re.findall(r"`cranfield ((?:[^`]|\n)+)`", text("SKILL.md") + text("llms.txt"))
        assert len(shown) > 12
        for line in shown:
            words = shlex.split(line)
            if words[0] in ("trec_eval", "measures", "help"):
                assert words[0] in COMMANDS
                continue
            given = [word.rstrip("…").replace("QRELS", "q") for word in words]
            if words[0] == "explain" and len(words) == 2:
                continue
            parser, rest = find_parser(given)
            parser.parse(rest)

    def test_kinds_and_codes_are_those_of_the_documents(self) -> None:
        page = text("docs/command-line.md")
        for field in re.findall(r"`(level|kind|message|file|line|found|expected|hint|exit)`",
                                text("SKILL.md")):  # fmt: skip
            assert f"`{field}`" in page

    def test_links_of_llms_lead_somewhere(self) -> None:
        links = re.findall(r"\]\(([^)]+)\)", text("llms.txt"))
        assert len(links) > 20
        assert [link for link in links if not (ROOT / link).is_file()] == []
        assert text("llms.txt").startswith("# cranfield\n\n> ")


def test_the_paper_cites_what_it_lists() -> None:
    paper, listed = text("docs/paper/paper.md"), text("docs/paper/references.bib")
    keys = {*re.findall(r"^@\w+\{(\w+),", listed, re.M)}
    cited = {*re.findall(r"@(\w+)", paper)} & keys | {*re.findall(r"\[@(\w+)", paper)}
    assert cited == keys


def test_numbers_of_the_paper_are_those_measured() -> None:
    """Each ratio of the paper's table is in the table of performance.md, rounded."""
    table = re.search(r"^## 4.*?^`make bench`", text("docs/paper/paper.md"), re.M | re.S)
    assert table
    measured = [float(x) for x in re.findall(r"\| (\d+\.\d+) (?:x|MB)", text("docs/performance.md"))]
    for number in re.findall(r"\| (\d+(?:\.\d+)?) (?:times|MB)", table[0]):
        digits = len(number.partition(".")[2])
        assert any(abs(x - float(number)) <= 0.5001 * 10**-digits for x in measured), number
