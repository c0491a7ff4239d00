"""`--record`: inputs, options and the command line in the record."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.cli.commands import BY_NAME
from cranfield.cli.main import list_parsers
from cranfield.cli.record import quote, shorten_path
from tests.made import Command, split

QRELS = "1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 c 1\n2 0 d 3\n3 0 a 1\n3 0 e 0\n"
X = "1 Q0 b 1 3 x\n1 Q0 a 2 2 x\n2 Q0 c 1 1 x\n3 Q0 a 1 2 x\n"
Y = "1 Q0 a 1 3 y\n1 Q0 c 2 2 y\n2 Q0 d 1 2 y\n3 Q0 e 1 2 y\n"
MEASURE = """import cranfield as cf
@cf.measure
def share(levels, judged, least=1):
    return sum(x >= least for x in levels) / max(1, len(levels))
"""
NOT_RECORDED = {"explain", "measures", "presets", "validate", "verify", "simulate", "fuse", "assess aggregate"}


@pytest.fixture
def files(here: Path) -> Path:
    """A small collection."""
    for name, text in {"q": QRELS, "x": X, "y": Y, "m.py": MEASURE}.items():
        Path(name).write_text(text)
    return here


def record(cranfield: Command, line: str | Sequence[str], stdin: str = "") -> dict[str, Any]:
    """The record of a command."""
    words = split(line) if isinstance(line, str) else [*line]
    assert cranfield(*words, "--record", "r.json", stdin=stdin).code in (0, 1)
    data: dict[str, Any] = json.loads(Path("r.json").read_text())
    return data


def list_inputs(data: dict[str, Any], *keys: str) -> list[tuple[Any, ...]]:
    return [tuple(entry[key] for key in keys) for entry in data["inputs"]]


class TestCommands:
    def test_every_command_that_prints_numbers_has_the_option(self) -> None:
        lacking = set()
        for parser in list_parsers(name for name, row in BY_NAME.items() if " " not in name and row.is_native):
            path = parser.prog.removeprefix("cranfield ")
            if not parser.part.parts and "--record" not in parser.flags and not path.startswith("plot"):
                lacking.add(path)
        assert lacking == NOT_RECORDED | {"completion", "help"}

    def test_drop_ins_keep_their_options(self) -> None:
        assert not [row.name for row in BY_NAME.values() if row.records and row.group == "drop-in replacements"]


class TestInputs:
    def test_inputs_are_in_the_given_order(self, files: Path, cranfield: Command) -> None:
        data = record(cranfield, "evaluate q y x -m AP")
        assert list_inputs(data, "role", "path", "topics", "lines") == [
            ("qrels", "q", 3, 7),
            ("run", "y", 3, 4),
            ("run", "x", 3, 4),
        ]

    def test_inputs_hash_is_of_the_file_as_stored(self, files: Path, cranfield: Command) -> None:
        packed = gzip.compress(X.encode(), mtime=0)
        Path("x.gz").write_bytes(packed)
        (entry,) = record(cranfield, "evaluate q x.gz -m AP")["inputs"][1:]
        assert (entry["sha256"], entry["bytes"], entry["lines"]) == (sha256(packed).hexdigest(), len(packed), 4)

    def test_inputs_last_line_without_end_counts(self, files: Path, cranfield: Command) -> None:
        Path("x").write_text(X.rstrip("\n"))
        assert record(cranfield, "evaluate q x -m AP")["inputs"][1]["lines"] == 4

    def test_inputs_table_has_its_columns(self, files: Path, cranfield: Command) -> None:
        Path("q.csv").write_text("qid,docno,label,who\n1,a,2,ann\n2,c,1,ben\n")
        entry = record(cranfield, "evaluate q.csv x -m AP")["inputs"][0]
        assert (entry["format"], entry["columns"], entry["topics"]) == ("csv", ["qid", "docno", "label", "who"], 2)

    def test_inputs_absolute_paths_keep_the_name(self, files: Path, cranfield: Command) -> None:
        Path("sub").mkdir()
        Path("sub/x").write_text(Y)
        data = record(cranfield, ["evaluate", str(files / "q"), "x", f"../{files.name}/sub/x", "--run-names", "file"])
        assert list_inputs(data, "path") == [("q",), ("x",), ("x/2",)]
        assert data["cmd"] == "cranfield evaluate q x x/2 --run-names file"
        assert data["result"]["runs"] == ["x", "x/2"]
        assert str(files) not in Path("r.json").read_text()

    def test_inputs_of_options(self, files: Path, cranfield: Command) -> None:
        Path("p.toml").write_text('[presets.mine]\nmeasures = ["nDCG@l"]\ncutoff = 2\n')
        Path("topics").write_text("1\n2\n")
        Path("lengths").write_text("a 10\nb 20\nc 30\nd 5\ne 7\n")
        words = "--preset mine --presets p.toml -m 'share U' --topics @topics --import m.py --lengths lengths"
        data = record(cranfield, f"evaluate q x {words}")
        assert list_inputs(data, "role", "path", "lines") == [
            ("qrels", "q", 7),
            ("run", "x", 4),
            ("preset", "p.toml", 3),
            ("topics", "topics", 2),
            ("lengths", "lengths", 5),
            ("import", "m.py", 4),
        ]
        measures = {m["name"]: m for m in data["measures"]}
        assert measures["share"]["source"] == sha256(MEASURE.encode()).hexdigest()
        assert measures["share"]["parameters"] == {"condensed": False, "cutoff": None, "least": 1}
        assert measures["nDCG@2"]["parameters"]["cutoff"] == 2
        assert data["options"]["preset"]["cutoff"] == 2
        assert data["options"]["topics"] == "@topics" or data["options"]["topics"] == ["@topics"]

    def test_inputs_built_in_preset_has_the_hash_of_its_text(self, files: Path, cranfield: Command) -> None:
        entry = record(cranfield, "evaluate q x --preset beir")["inputs"][-1]
        text = (Path(cf.__file__).parent / "evaluation" / "presets.toml").read_text(encoding="utf-8")
        table = text[text.index("[presets.beir]") :]
        table = table[: table.index("\n[presets.") + 1]
        assert (entry["role"], entry["path"]) == ("preset", None)
        assert entry["sha256"] == sha256(table.encode()).hexdigest()

    def test_inputs_of_a_suite_are_below_its_file(self, files: Path, cranfield: Command) -> None:
        Path("s").mkdir()
        systems = '[systems]\nx = "x.{collection}"\ny = "y.{collection}"\n'
        Path("s/suite.toml").write_text(f'[collections.a]\nqrels = "q"\n[collections.b]\nqrels = "q"\n{systems}')
        for name, text in {"q": QRELS, "x.a": X, "x.b": Y, "y.a": Y, "y.b": X}.items():
            Path("s", name).write_text(text)
        data = record(cranfield, ["suite", str(files / "s" / "suite.toml"), "-m", "AP"])
        assert list_inputs(data, "role", "path") == [
            ("suite", "suite.toml"),
            *(("qrels" if name == "q" else "run", name) for name in ("q", "x.a", "x.b", "y.a", "y.b")),
        ]

    def test_inputs_outside_of_the_directory_of_a_suite_have_no_command(self, files: Path, cranfield: Command) -> None:
        for name in ("s", "a", "b"):
            Path(name).mkdir()
            Path(name, "q").write_text(QRELS)
            Path(name, "x").write_text(X)
            Path(name, "y").write_text(Y)
        collections = '[collections.a]\nqrels = "../a/q"\n[collections.b]\nqrels = "../b/q"\n'
        Path("s/s.toml").write_text(f'{collections}[systems]\nx = "../{{collection}}/x"\ny = "../{{collection}}/y"\n')
        data = record(cranfield, "suite s/s.toml -m AP")
        assert data["cmd"] is None
        assert list_inputs(data, "path")[1:] == [(name,) for name in ("q", "x", "y", "q/2", "x/2", "y/2")]

    def test_inputs_of_standard_input(self, files: Path, cranfield: Command) -> None:
        data = record(cranfield, "evaluate q - -m AP", stdin=X)
        entry = data["inputs"][1]
        assert (entry["path"], entry["sha256"], entry["lines"]) == ("-", sha256(X.encode()).hexdigest(), 4)
        assert data["cmd"] == "cranfield evaluate q - -m AP"

    def test_inputs_ir_metadata_of_a_run_is_kept(self, files: Path, cranfield: Command) -> None:
        Path("x").write_text(f"# ir_metadata.start\n# platform:\n#   hardware: none\n# ir_metadata.end\n{X}")
        data = record(cranfield, "evaluate q x -m AP")
        assert data["inputs"][1]["description"] == "platform:\n  hardware: none"
        assert data["inputs"][1]["lines"] == 8


class TestCommandLine:
    @pytest.mark.parametrize(
        ("line", "expected"),
        [
            ("evaluate q x", "evaluate q x"),
            ("evaluate -m AP -q -f tsv q x --threads 2 --decimals 2", "evaluate q x -m AP"),
            ("evaluate q x --depth 5 -m 'AP RR' --sort AP", 'evaluate q x -m "AP RR" --depth 5'),
            ("evaluate q x -m AP --duplicates error --topics judged --undefined zero", "evaluate q x -m AP"),
            ("evaluate q x -m AP --topics 1 --topics 2,3", "evaluate q x -m AP --topic 1 --topic 2,3"),
            ("evaluate q x -m AP --condensed --rel 2", "evaluate q x -m AP --condensed --rel 2"),
            ("compare q x y -m AP --seed 0 --test t --alpha 0.05", "compare q x y -m AP --test t"),
            ("compare q x y -m AP --baseline x --alpha 0.01", "compare q x y -m AP --baseline x --alpha 0.01"),
            ("meta correlation q x y -m 'AP P@2' --trials 20", 'meta correlation q x y -m "AP P@2" --trials 20'),
            ("plan --sd 0.2 --difference 0.05 --difference 0.1", "plan --difference 0.05 --difference 0.1 --sd 0.2"),
        ],
    )
    def test_cmd_has_files_measures_and_changed_options(
        self, files: Path, cranfield: Command, line: str, expected: str
    ) -> None:
        data = record(cranfield, line)
        assert data["cmd"] == f"cranfield {expected}"
        assert data["command"] == expected.rpartition(" q ")[0] or expected.startswith(data["command"])

    def test_quote_double_quotes_if_possible(self) -> None:
        assert [quote(word) for word in ("a", "a b", "", 'a"b', "$x y")] == ["a", '"a b"', '""', "'a\"b'", "'$x y'"]

    def test_shorten_path(self) -> None:
        paths = {"a/b": "a/b", "./a//b": "a/b", "/x/y/z": "z", "../z": "z", "a/../z": "z", ".": "."}
        assert {path: shorten_path(path) for path in paths} == paths


class TestOptions:
    def test_options_have_defaults_and_no_display(self, files: Path, cranfield: Command) -> None:
        options = record(cranfield, "evaluate q x -m AP --sort AP -f csv")["options"]
        assert options["undefined"] == "zero"
        assert options["ties"] == "trec"
        assert options["tie_samples"] == 100
        assert not options.keys() & {"sort", "format", "output", "threads", "decimals", "record", "measures"}
        assert [*options] == sorted(options)

    def test_options_of_tests_have_the_defaults_of_the_function(self, files: Path, cranfield: Command) -> None:
        options = record(cranfield, "compare q x y -m AP")["options"]
        assert (options["alpha"], options["seed"]) == (0.05, 0)

    def test_random_is_null_without_random_numbers(self, files: Path, cranfield: Command) -> None:
        assert record(cranfield, "evaluate q x -m AP")["random"] is None
        assert record(cranfield, "compare q x y -m AP --test t")["random"] is None
        assert record(cranfield, "compare q x y -m AP --test randomisation")["random"] is None  # all 8 permutations
        topics = range(30)
        Path("q").write_text("".join(f"{t} 0 a 1\n" for t in topics))
        for run in "xy":
            Path(run).write_text("".join(f"{t} Q0 {'ab'[t % 7 > 2 and run == 'y']} 1 1 {run}\n" for t in topics))
        data = record(cranfield, "compare q x y -m P@1 --test randomisation --trials 50 --seed 3")
        assert data["random"] == {"seed": 3, "trials": 50, "generator": "PCG64"}


class TestErrors:
    def test_record_names_an_input_is_rejected(self, files: Path, cranfield: Command) -> None:
        message = cranfield.refused("evaluate q x --record x")
        assert (
            message == "cannot write x: it is also an input (x). Use another file name.\n" or "also an input" in message
        )
        assert Path("x").read_text() == X

    def test_record_and_output_are_one_file_is_rejected(self, files: Path, cranfield: Command) -> None:
        assert "both" in cranfield.refused("evaluate q x --record out.json -o out.json")

    def test_record_in_a_missing_directory_is_rejected_before_the_work(self, files: Path, cranfield: Command) -> None:
        Path("x").write_text("no run")
        assert "directory none does not exist" in cranfield.refused("evaluate q x --record none/r.json")
        assert not Path("none").exists()

    def test_record_time_requires_record(self, files: Path, cranfield: Command) -> None:
        assert "--record-time requires --record" in cranfield.refused("evaluate q x --record-time")

    def test_record_failed_command_writes_nothing(self, files: Path, cranfield: Command) -> None:
        cranfield.refused("evaluate q missing --record r.json")
        assert not Path("r.json").exists()

    def test_record_without_option_logs_nothing(self, files: Path, cranfield: Command) -> None:
        from cranfield.data import files as data_files

        assert cranfield("evaluate q x").code == 0
        assert data_files._log is None


class TestSidecar:
    def test_many_topic_values_are_in_a_parquet_file(self, here: Path, cranfield: Command) -> None:
        import polars as pl

        Path("q").write_text("".join(f"{t} 0 d{t} 1\n" for t in range(2100)))
        Path("x").write_text("".join(f"{t} Q0 d{t if t % 3 else 0} 1 1 x\n" for t in range(2100)))
        data = record(cranfield, "evaluate q x -m 'P@1 P@2 P@3 P@4 P@5'")
        assert "topics" not in data["result"]
        sidecar = data["sidecar"]
        assert (sidecar["path"], sidecar["rows"]) == ("r.scores.parquet", 10_500)
        assert sidecar["sha256"] == sha256(Path("r.scores.parquet").read_bytes()).hexdigest()
        frame = pl.read_parquet("r.scores.parquet")
        assert frame.columns == ["run", "topic", "measure", "value"]
        rows = "".join(f"{a}\t{b}\t{c}\t{d!r}\n" for a, b, c, d in frame.iter_rows())
        assert sidecar["content"] == sha256(rows.encode()).hexdigest()
        scores = cf.read_scores("r.json")
        assert scores.mean()["x"] == data["result"]["all"]["x"]

    def test_many_topic_values_without_parquet_are_an_error_before_the_work(
        self, here: Path, cranfield: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Path("q").write_text("".join(f"{t} 0 d{t} 1\n" for t in range(2100)))
        Path("x").write_text("this is not a run\n")  # which is not read
        monkeypatch.setitem(sys.modules, "polars", None)
        message = cranfield.refused("evaluate q x -m 'P@1 P@2 P@3 P@4 P@5' --record r.json")
        assert "frames, Parquet and Arrow need Polars" in message
        assert "this is not" in cranfield.refused("evaluate q x -m P@1 --record r.json") or "x:1" in message

    def test_ten_thousand_values_are_in_the_record(self, here: Path, cranfield: Command) -> None:
        Path("q").write_text("".join(f"{t} 0 d{t} 1\n" for t in range(2000)))
        Path("x").write_text("".join(f"{t} Q0 d{t} 1 1 x\n" for t in range(2000)))
        data = record(cranfield, "evaluate q x -m 'P@1 P@2 P@3 P@4 P@5'")
        assert "sidecar" not in data
        assert not Path("r.scores.parquet").exists()


class TestScoresOfRecords:
    def test_read_scores_reads_a_record(self, files: Path, cranfield: Command) -> None:
        record(cranfield, "evaluate q x y -m 'AP RR' --undefined nan")
        scores, again = cf.evaluate("q", ["x", "y"], "AP RR"), cf.read_scores("r.json")
        assert (again.runs, again.topics, again.measures) == (scores.runs, scores.topics, scores.measures)
        assert (again.values == scores.values).all()

    def test_compare_scores_of_a_record_equals_compare_of_runs(self, files: Path, cranfield: Command) -> None:
        record(cranfield, "evaluate q x y -m AP")
        first = json.loads(cranfield("compare --scores r.json -f json").out)
        second = json.loads(cranfield("compare q x y -m AP -f json").out)
        assert first["pairs"] == second["pairs"]

    def test_suite_of_records(self, files: Path, cranfield: Command) -> None:
        record(cranfield, "evaluate q x y -m AP")
        Path("s.toml").write_text('[collections.a]\nscores = "r.json"\n[collections.b]\nscores = ["r.json"]\n')
        assert cranfield("suite s.toml --baseline x").code == 0
        Path("s.toml").write_text('[collections.a]\nscores = "r.json"\n[collections.b]\nqrels = "q"\n')
        assert "expected scores = " in cranfield.refused("suite s.toml")

    def test_read_scores_changed_record_raises(self, files: Path, cranfield: Command) -> None:
        record(cranfield, "evaluate q x -m AP")
        Path("r.json").write_text(Path("r.json").read_text().replace('"AP": 0.5', '"AP": 0.75'))
        assert "the id does not match the content" in cranfield.refused("compare --scores r.json")

    def test_read_scores_record_without_topics_raises(self, files: Path, cranfield: Command) -> None:
        record(cranfield, "compare q x y -m AP")
        with pytest.raises(cf.InputError, match="record of compare without scores of topics"):
            cf.read_scores("r.json")
