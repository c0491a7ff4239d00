"""The rooms and the doors between them: who may import whom, who may open files, what is lazy."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import cranfield
from tests.made import each

ROOT = Path(cranfield.__file__).parent
FILES = {path.relative_to(ROOT).as_posix(): path for path in sorted(ROOT.rglob("*.py"))}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in FILES.items()}

# Which rooms a room may use. Data walks one way: files → data → labelling → measures → scores.
BASE = {
    "errors",
    "wording",
    "arrays",
    "display",
    "tables",
    "dataclass",
    "lazy_imports",
    "options",
    "references",
}  # exceptions, sentences, types, results as tables, packages, rows of options
COMPILED = {"kernel"}  # loops in C, where they could be built
MAY_USE: dict[str, set[str]] = {
    **{room: set() for room in BASE | COMPILED},
    "lazy_imports": {"errors"},
    "options": {"dataclass"},
    "tables": {"dataclass", "lazy_imports", "wording"},
    "display": {"errors", "tables"},
    "data": BASE | COMPILED,
    "labelling": BASE | COMPILED | {"data"},
    "measures": BASE | {"labelling.blocks", "labelling.preferences"},
    "scores": BASE | {"data.files", "measures.base", "records.record"},
    "evaluation": BASE | {"data", "labelling", "measures", "records", "scores"},
    "assess": BASE | {"data", "scores"},
    "runs": BASE | {"data", "measures", "scores", "stats", "evaluation"},
    "stats": BASE | {"data.parallel", "scores", "figures"},
    "reconciliation": BASE | {"data", "labelling.blocks", "measures", "scores"},
    "comparison": BASE
    | {
        "scores",
        "stats",
        "evaluation.attributes",
        "evaluation.results",
        "evaluation.suites",
        "evaluation.nights",
        "assess.teams",
        "data.attributes",
        "data.tracks",
        "data.run_systems",
    },
    "figures": BASE | {"data.files", "data.names", "scores"},
    "meta": BASE | {"figures", "runs"} | {"data", "measures", "scores", "stats", "assess", "evaluation", "comparison"},
    "judging": BASE
    | {
        "figures",
        "data",
        "measures",
        "scores",
        "stats",
        "assess",
        "evaluation",
        "comparison",
        "meta",
    },
    "report": BASE
    | {
        "data.answers",
        "data.attributes",
        "data.files",
        "data.judged_answers",
        "data.names",
        "data.qrels",
        "data.run",
        "data.run_inputs",
        "data.run_reader",
        "data.descriptions",
        "data.systems",
        "data.texts",
        "data.tracks",
        "scores",
        "measures",
        "assess",
        "labelling",
        "stats",
        "figures",
    }
    | {"comparison"}
    | {"evaluation", "meta", "judging", "runs"},
    "records": BASE | COMPILED | {"data", "measures"},
    "plot": BASE
    | {"data", "labelling", "measures", "scores", "evaluation", "report", "stats", "meta"}
    | {"assess", "comparison", "figures", "runs.overlap"},
    "tools": BASE | {"data", "labelling", "measures", "scores", "evaluation", "report", "stats"},
    "spark": BASE | {"data", "labelling", "measures", "scores", "evaluation"},
    "cli": BASE
    | COMPILED
    | {"data", "labelling", "measures", "scores", "evaluation", "report", "assess", "plot"}
    | {"figures", "records", "runs", "reconciliation", "tools", "stats", "comparison", "meta", "judging", "spark"},
    "compat": BASE | {"data", "measures", "scores", "evaluation"},
    "__init__": BASE
    | {"data", "labelling", "measures", "scores", "evaluation", "report", "compat"}
    | {
        "assess",
        "records",
        "runs",
        "reconciliation",
        "plot",
        "tools",
        "stats",
        "comparison",
        "meta",
        "judging",
        "spark",
    },
    "__main__": {"cli"},
}


def room_of(name: str) -> str:
    """data/trec.py -> data, scores.py -> scores."""
    return name.removesuffix(".py").split("/")[0]


def module_of(name: str) -> str:
    """data/trec.py -> cranfield.data.trec; packages are named as they are imported."""
    dotted = name.removesuffix(".py").replace("/", ".").removesuffix("__init__").rstrip(".")
    return f"cranfield.{dotted}".rstrip(".")


MODULES = {module_of(name) for name in FILES}


def imports(name: str) -> Iterator[tuple[str, int]]:
    """Every module of the package that a file imports, anywhere in it, with the line."""
    package = module_of(name) if name.endswith("__init__.py") else module_of(name).rpartition(".")[0]
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            base = ".".join(parts[: len(parts) - node.level + 1]) if node.level else ""
            source = ".".join(filter(None, (base, node.module)))
            for alias in node.names:
                whole = f"{source}.{alias.name}"
                yield (whole if whole in MODULES else source), node.lineno


def allowed(importer: str, imported: str) -> bool:
    """Whether the door between two modules is open."""
    room, target = room_of(importer), imported.removeprefix("cranfield.")
    if target.split(".")[0] == room:
        return True
    doors = MAY_USE[room]
    return any(target == door or target.startswith(door + ".") for door in doors)


@cache
def calls(name: str) -> list[tuple[str, int, ast.Call]]:
    """Every call in a file, as it is written."""
    found = (node for node in ast.walk(TREES[name]) if isinstance(node, ast.Call))
    return [(ast.unparse(node.func), node.lineno, node) for node in found]


def names_of(room: str) -> list[str]:
    return [name for name in FILES if room_of(name) == room]


EACH = each("name", FILES)


class TestRooms:
    def test_every_room_is_known(self) -> None:
        assert {room_of(name) for name in FILES} <= set(MAY_USE)
        for room in ("data", "labelling", "measures", "cli", "report"):
            assert len(names_of(room)) >= 2

    def test_few_modules_are_at_the_top(self) -> None:
        """Folders show the path: what is not in a room is what all rooms share, or users call."""
        assert len([name for name in FILES if "/" not in name]) <= 10

    @EACH
    def test_imports_point_one_way(self, name: str) -> None:
        wrong = [
            f"{name}:{line} imports {imported}"
            for imported, line in imports(name)
            if imported.startswith("cranfield") and not allowed(name, imported)
            if imported != "cranfield" or room_of(name) not in ("cli", "__main__")
        ]
        assert not wrong

    @EACH
    def test_dataclasses_are_ours(self, name: str) -> None:
        """Python's take long to make: see `dataclass.py`."""
        named = {
            alias.name
            for node in ast.walk(TREES[name])
            if isinstance(node, ast.ImportFrom) and node.module == "dataclasses"
            for alias in node.names
        }
        if name not in ("dataclass.py", "measures/base.py"):  # which have its methods themselves
            assert "dataclass" not in named
            assert "dataclasses.dataclass" not in {written for written, _, _ in calls(name)}

    def test_the_test_sees_imports(self) -> None:
        """That nothing is found must not be because nothing is looked at."""
        assert ("cranfield.data.reading.source", 0) in {(m, 0) for m, _ in imports("data/reading/formats.py")}
        assert ("cranfield.data.reading.letor", 0) in {(m, 0) for m, _ in imports("data/run_reader.py")}
        lazy = {(m, 0) for m, _ in imports("labelling/runs.py")}
        assert ("cranfield.labelling.columns", 0) in lazy
        assert not allowed("data/run.py", "cranfield.labelling.gold")
        assert not allowed("measures/base.py", "cranfield.data.qrels")
        assert not allowed("measures/base.py", "cranfield.labelling.gold")
        assert not allowed("scores.py", "cranfield.data.reading.source")
        assert not allowed("report/formats.py", "cranfield.cli.main")
        assert not allowed("figures/figure.py", "cranfield.data.reading.source")
        assert not allowed("report/cwl.py", "cranfield.plot")
        assert allowed("measures/base.py", "cranfield.labelling.blocks")
        assert allowed("cli/evaluate.py", "cranfield.report.terminal")

    def test_no_room_is_in_a_circle(self) -> None:
        """MAY_USE itself must have a direction."""
        order: list[str] = []
        rest = {room: {door.split(".")[0] for door in doors} for room, doors in MAY_USE.items()}
        while rest:
            free = sorted(room for room, doors in rest.items() if doors <= set(order))
            assert free, rest
            order += free
            rest = {room: doors for room, doors in rest.items() if room not in free}
        assert order.index("data") < order.index("labelling") < order.index("measures")
        assert order.index("measures") < order.index("evaluation") < order.index("cli")

    def test_measures_see_numbers_only(self) -> None:
        for name in names_of("measures"):
            used = {m for m, _ in imports(name) if m.startswith("cranfield.")}
            outside = {m for m in used if not m.startswith("cranfield.measures")}
            doors = (*BASE, "labelling.blocks", "labelling.preferences")
            allowed_here = {f"cranfield.{door}" for door in doors}
            assert outside <= allowed_here, name

    def test_relative_imports_are_not_used(self) -> None:
        for name, tree in TREES.items():
            nodes = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
            assert all(n.level == 0 for n in nodes), name


OPENERS = (
    *("open", "io.open", "io.FileIO", "os.open", "os.fdopen", "codecs.open", "gzip.open"),
    *("bz2.open", "lzma.open", "zstandard.open", "gzip.GzipFile", "bz2.BZ2File", "lzma.LZMAFile"),
    *("os.replace", "os.rename", "os.remove", "os.unlink", "os.mkdir", "os.makedirs"),
    *("shutil.copy", "shutil.move", "shutil.rmtree", "tempfile.mkstemp"),
)
METHODS = ("read_text", "read_bytes", "write_text", "write_bytes", "mkdir", "unlink", "touch")
POLARS = ("read_csv", "scan_csv", "read_parquet", "scan_parquet", "read_ipc", "read_json")


def opens(written: str, call: ast.Call) -> bool:
    """Whether a call opens or changes a file."""
    name = written.rpartition(".")[2]
    if written == "os.open" and call.args and ast.unparse(call.args[0]) == "os.devnull":
        return False  # where output goes that nobody reads any more
    if name in POLARS:  # reading from memory is no reading of files
        return not (call.args and "BytesIO" in ast.unparse(call.args[0]))
    return written in OPENERS or ("." in written and name in METHODS)


class TestFilesAndCode:
    @each("name", [n for n in FILES if room_of(n) != "data"])
    def test_only_data_opens_files(self, name: str) -> None:
        assert not [f"{name}:{line} {w}" for w, line, call in calls(name) if opens(w, call)]

    def test_and_data_does(self) -> None:
        found = {name for name in names_of("data") for w, _, call in calls(name) if opens(w, call)}
        assert {"data/reading/source.py", "data/files.py"} <= found

    @EACH
    def test_nothing_is_evaluated_or_unpickled(self, name: str) -> None:
        forbidden = {"eval", "exec", "compile", "__import__", "os.system", "os.popen"}
        assert not [f"{name}:{line} {w}" for w, line, _ in calls(name) if w in forbidden]
        modules = {m.split(".")[0] for m, _ in imports(name)}
        dangerous = {"pickle", "cPickle", "marshal", "shelve", "dill", "joblib", "subprocess"}
        assert not modules & dangerous

    @EACH
    def test_nothing_is_random_without_a_seed(self, name: str) -> None:
        for written, line, call in calls(name):
            if written.endswith("random.default_rng"):
                assert call.args or call.keywords, f"{name}:{line}"
            assert not written.startswith(("np.random.seed", "np.random.rand", "random.")), f"{name}:{line} {written}"

    @each("name", [n for n in FILES if room_of(n) in ("data", "labelling", "measures", "scores")])
    def test_only_people_rooms_print(self, name: str) -> None:
        assert not [line for written, line, _ in calls(name) if written == "print"]


HEAVY = ("polars", "scipy", "pandas", "pyarrow", "pyspark", "altair", "vl_convert",
         "zstandard", "hypothesis")  # fmt: skip


# What a small evaluation of TREC files has no use for, beside what NumPy and argparse need.
UNUSED = {
    *("ast", "bz2", "concurrent", "csv", "decimal", "difflib", "fractions", "heapq", "html"),
    *("json", "lzma", "numpy.ma", "numpy.polynomial", "numpy.random", "numpy.typing", "random"),
    *("shlex", "shutil", "subprocess", "tempfile", "tomllib", "traceback"),
    *(f"cranfield.measures.{name}" for name in ("cwl", "models", "diversity", "texts", "graded")),
    *(f"cranfield.report.formats.{name}" for name in ("html", "latex", "markdown")),
    *("cranfield.figures.figure", "cranfield.stats"),
}  # fmt: skip
RUNS_MAIN = "import sys; from cranfield.cli.main import main; assert main(sys.argv[1:]) == 0"


def modules_after(code: str, *arguments: str) -> set[str]:
    """What a fresh interpreter has imported after running some code."""
    report = f"{code}\nimport sys\nprint('MODULES', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", report, *arguments], capture_output=True, text=True, check=True)
    return {*done.stdout.rpartition("MODULES ")[2].split()}


def imported_by(code: str, *arguments: str) -> set[str]:
    """The heavy packages that a fresh interpreter has imported after running some code."""
    loaded = {name.split(".")[0] for name in modules_after(code, *arguments)}
    assert "cranfield" in loaded
    return loaded & set(HEAVY)


class TestStartUp:
    def test_importing_the_package_is_light(self) -> None:
        assert imported_by("import cranfield") == set()
        imported_by("import cranfield, sys; assert 'numpy' not in sys.modules")

    def test_the_measures_know_each_other_by_then(self) -> None:
        assert imported_by("import cranfield as cf; cf.parse_measure('nDCG@10')([1], [1])") == set()

    def test_dicts_are_evaluated_without_polars(self) -> None:
        code = "import cranfield as cf; cf.evaluate({'a': {'x': 1}}, {'a': {'x': 1.0}}).summary()"
        assert imported_by(code) == set()

    def test_small_files_need_little_else(self, tmp_path: Path) -> None:
        (tmp_path / "qrels").write_text("a 0 x 1\na 0 y 0\nb 0 x 1\n")
        (tmp_path / "run").write_text("a Q0 x 1 2 t\na Q0 y 2 1 t\nb Q0 x 1 1 t\n")
        command = ["evaluate", str(tmp_path / "qrels"), str(tmp_path / "run")]
        loaded = modules_after(RUNS_MAIN, *command)
        assert {"numpy", "argparse", "cranfield.measures.ncu"} <= loaded
        assert (loaded & UNUSED) - modules_after("import argparse, numpy") == set()

    def test_only_the_command_asked_for_is_imported(self) -> None:
        loaded = modules_after(RUNS_MAIN, "completion", "fish")
        assert "cranfield.cli.compare" in loaded  # it completes all of them
        code = "from cranfield.cli.main import find_parser; find_parser(['presets'])"
        loaded = modules_after(code)
        assert "cranfield.cli.presets" in loaded
        assert not loaded & {"cranfield.cli.compare", "cranfield.cli.plot", "tomllib"}

    @pytest.mark.slow
    @pytest.mark.parametrize("options", [[], ["-f", "tsv", "-q"], ["-f", "json"], ["-f", "csv"], ["--depth", "1"]])
    def test_small_files_are_evaluated_without_polars(self, tmp_path: Path, options: list[str]) -> None:
        (tmp_path / "qrels").write_text("a 0 x 1\na 0 y 0\nb 0 x 1\n")
        (tmp_path / "run").write_text("a Q0 x 1 1 t\na Q0 y 2 1 t\n")
        command = ["evaluate", str(tmp_path / "qrels"), str(tmp_path / "run"), *options]
        assert imported_by(RUNS_MAIN, *command) == set()

    def test_mistakes_in_small_files_are_told_without_polars(self, tmp_path: Path) -> None:
        (tmp_path / "qrels").write_text("a 0 x\n")
        code = "import sys; from cranfield.cli.main import main; assert main(sys.argv[1:]) == 2"
        assert imported_by(code, "evaluate", str(tmp_path / "qrels"), str(tmp_path / "qrels")) == set()
        assert imported_by(code, "validate", str(tmp_path / "qrels")) == set()

    def test_tables_are_read_with_polars(self, tmp_path: Path) -> None:
        """That nothing is found above must not be because nothing is looked at."""
        (tmp_path / "qrels").write_text("topic,doc,level\na,x,1\n")
        code = "import sys, cranfield as cf; cf.read_qrels(sys.argv[1])"
        assert imported_by(code, str(tmp_path / "qrels")) == {"polars"}

    def test_simulation_is_not_loaded_before_it_is_asked_for(self) -> None:
        code = "import cranfield, sys; assert 'cranfield.data.simulate' not in sys.modules"
        assert imported_by(code) == set()
        assert cranfield.simulate.__module__ == "cranfield.data.simulate"
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            cranfield.nothing  # type: ignore[attr-defined]  # noqa: B018


# -- tests ----------------------------------------------------------------------------------------

TESTS = Path(__file__).parent
OF_NO_ROOM = {
    "papers",
    "peers",
    "properties",
    "fuzz",
    "docs",
    "robust",
}  # about what several rooms do together
OF_ALL = {f"test_{name}.py" for name in ("architecture", "audit", "bench", "exports", "release", "typing")}


def test_a_test_has_the_name_of_its_module() -> None:
    """tests/ROOM/test_NAME.py is about src/cranfield/ROOM/NAME.py, or the package of that name."""
    found = [path.relative_to(TESTS) for path in sorted(TESTS.rglob("test_*.py"))]
    found = [path for path in found if path.parts[0] not in OF_NO_ROOM | OF_ALL]
    modules = {path: ROOT / path.parent / path.stem.removeprefix("test_") for path in found}
    assert len(modules) > 60
    assert not [
        str(path) for path, module in modules.items() if not module.is_dir() and not module.with_suffix(".py").exists()
    ]


def test_architecture_page_lists_every_room_in_the_order_of_imports() -> None:
    """A room imports only rooms above it, and every file that the page names exists."""
    page = (ROOT.parent.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = page.partition("| room |")[2].partition("\n\n")[0].splitlines()[2:]
    listed = [name.rstrip("/") for row in rows for name in re.findall(r"`([\w/]+)`", row.split("|")[1])]
    rooms = [name for name in listed if "/" not in name]
    assert {*rooms} == {room for room in MAY_USE if room not in ("", "__init__", "__main__")}
    for k, room in enumerate(rooms):
        used = {imported.partition(".")[0] for imported in MAY_USE[room]} & {*rooms} - {room}
        assert used <= {*rooms[:k]} | BASE, room
    named = re.findall(r"`((?:\w+/)+\w+\.(?:py|c))`", page)
    assert named
    assert not [name for name in named if not (ROOT / name).exists() and not (ROOT.parent.parent / name).exists()]
