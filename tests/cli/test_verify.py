"""`cranfield verify`: the checks of a record, and its formats."""

from __future__ import annotations

import json
import os
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.cli.main import find_parser
from cranfield.measures.base import REGISTRY
from cranfield.records.record import Record, compute_id
from tests.fuzz.cases import Case
from tests.fuzz.mutations import seeds
from tests.made import Command
from tests.robust.situations import families

QRELS = "1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 c 1\n2 0 d 3\n3 0 a 1\n3 0 e 0\n"
X = "1 Q0 b 1 3 x\n1 Q0 a 2 2 x\n2 Q0 c 1 1 x\n3 Q0 a 1 2 x\n"
Y = "1 Q0 a 1 3 y\n1 Q0 c 2 2 y\n2 Q0 d 1 2 y\n3 Q0 e 1 2 y\n"
MEASURE = """import cranfield as cf
from pathlib import Path
Path({path!r}).write_text("ran")
@cf.measure
def share(levels, judged, least=1):
    return sum(x >= least for x in levels) / max(1, len(levels))
"""


@pytest.fixture
def recorded(here: Path, cranfield: Command) -> Path:
    """The record of an evaluation, and its files."""
    for name, text in {"q": QRELS, "x": X, "y": Y}.items():
        Path(name).write_text(text)
    assert cranfield("evaluate q x y -m 'AP nDCG@10' --record r.json").code == 0
    return here


def find_cases() -> list[Case]:
    """The commands of the fuzzer and of the documents that write records, each once."""
    cases = {case.words: case for case in [*seeds({}), *families()]}
    found = []
    for case in cases.values():
        if not case.words[0].startswith("-"):
            row = find_parser(case.words)[0].row
            found += [case] if row is not None and row.records else []
    return found


def write_files(directory: Path, case: Case) -> None:
    directory.mkdir(parents=True)
    for name, content in case.files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def change(data: dict[str, Any], path: str = "r.json") -> None:
    """Write a changed record with a new id."""
    Path(path).write_text(json.dumps(data | {"id": compute_id(data)}))


def read(path: str = "r.json") -> dict[str, Any]:
    data: dict[str, Any] = json.loads(Path(path).read_text())
    return data


class TestEveryCommand:
    def test_records_are_verified_elsewhere_and_name_changed_inputs(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cranfield: Command
    ) -> None:
        """More than 100 commands: the files of another directory give the same, one byte more does not."""
        verified, changed = 0, 0
        commands = set()
        for number, case in enumerate(find_cases()):
            here, other = tmp_path / str(number) / "a", tmp_path / str(number) / "b"
            write_files(here, case)
            write_files(other, case)
            monkeypatch.chdir(here)
            if cranfield(*case.words, "--record", "../r.json", "--quiet").code == 2:
                assert not Path("../r.json").exists(), case.words
                continue
            record = Record.read("../r.json")
            assert str(tmp_path) not in record.text, case.words
            paths = [entry["path"] for entry in record.data["inputs"] if entry["path"] is not None]
            assert sorted(paths) == sorted(case.files), case.words
            monkeypatch.chdir(tmp_path)
            result = record.verify(files=other)
            assert result.same, (case.words, result)
            verified += 1
            commands.add(record.data["command"])
            for name, content in case.files.items():
                (other / name).write_bytes(content + b"\n")
                result = record.verify(files=other)
                (other / name).write_bytes(content)
                differing = [check.subject for check in result.checks if check.state == "differs"]
                assert differing[0] == name, (case.words, name, result)
                assert result.exit_code == 1, (case.words, name, result)
                changed += 1
            shutil.rmtree(tmp_path / str(number))
        assert verified >= 90
        assert changed > 250
        assert {"evaluate", "compare", "suite", "session", "answers", "text", "distribution", "hierarchy"} <= commands
        assert {"judge", "battles", "plan", "topics", "report", "pool", "label", "assess agree"} <= commands
        assert len([name for name in commands if name.startswith("meta ")]) == 8

    def test_records_of_measures_are_verified(self, recorded: Path, cranfield: Command) -> None:
        """With those above, more than 200 records."""
        verified = 0
        for name in (*sorted(REGISTRY), *(f"nDCG@{cutoff}" for cutoff in range(1, 21))):
            done = cranfield(f"evaluate q x y -m {name} --record m.json")
            if done.code == 0:
                result = Record.read("m.json").verify()
                assert result.same, (name, result)
                verified += 1
        assert verified >= 110, verified


class TestChecks:
    def test_verify_same_record_exits_with_0(self, recorded: Path, cranfield: Command) -> None:
        done = cranfield("verify r.json")
        assert done.code == 0
        assert done.out.splitlines()[0] == "r.json: everything is the same"
        assert [line.split()[:2] for line in done.out.splitlines()[2:]] == [
            ["same", "id"],
            *[["same", "input"]] * 3,
            ["same", "values"],
        ]

    def test_verify_changed_value_is_shown(self, recorded: Path, cranfield: Command) -> None:
        data = read()
        data["result"]["topics"]["x"]["1"]["AP"] += 0.125
        Path("r.json").write_text(json.dumps(data))
        done = cranfield("verify r.json -f json")
        found = json.loads(done.out)
        assert done.code == 1
        assert not found["same"]
        states = {check["check"]: check["state"] for check in found["checks"]}
        assert (states["id"], states["input"], states["values"]) == ("differs", "same", "differs")
        assert found["values"]["differ"] == 1
        assert found["values"]["largest"]["absolute"] == 0.125
        text = cranfield("verify r.json").out
        assert "x    1      AP" in text
        assert "largest difference: 0.125 absolute, 0.333 relative" in text

    def test_verify_changed_record_with_new_id_differs_in_values(self, recorded: Path, cranfield: Command) -> None:
        data = read()
        data["result"]["all"]["x"]["AP"] = 1.0
        change(data)
        done = cranfield("verify r.json -f tsv")
        assert done.code == 1
        rows = [line.split("\t") for line in done.out.splitlines()]
        assert rows[0] == ["check", "subject", "state", "expected", "found"]
        assert [row[2] for row in rows[1:]] == ["same"] * 4 + ["differs"]

    def test_verify_changed_id_is_enough(self, recorded: Path, cranfield: Command) -> None:
        data = read()
        Path("r.json").write_text(json.dumps(data | {"later": 1}))
        done = cranfield("verify r.json")
        assert done.code == 1
        assert "same     values" in done.out

    def test_verify_changed_hash_is_enough(self, recorded: Path, cranfield: Command) -> None:
        Path("x").write_text(X.replace(" 3 x", " 4 x"))
        done = cranfield("verify r.json")
        assert done.code == 1
        assert "differs  input   x" in done.out
        assert "same     values" in done.out

    def test_verify_missing_file_exits_with_2(self, recorded: Path, cranfield: Command) -> None:
        Path("x").unlink()
        done = cranfield("verify r.json")
        assert done.code == 2
        assert "cannot  input   x" in done.out
        assert "a file is missing" in done.out

    def test_verify_other_version_is_reported_and_no_difference(self, recorded: Path, cranfield: Command) -> None:
        data = read()
        data["platform"] |= {"python": "2.7", "libraries": ["cranfield==0.1", "numpy==1.0", "lost==3"]}
        change(data)
        done = cranfield("verify r.json")
        assert done.code == 0
        assert "2.7 in the record" in done.out
        assert "not installed" in done.out

    def test_verify_finds_files_by_path_then_name_then_hash(self, recorded: Path, cranfield: Command) -> None:
        for words, source in (("evaluate runs/q runs/x -m AP", "."), ("", "")):
            if words:
                os.mkdir("runs")
                shutil.copy("q", "runs/q")
                shutil.copy("x", "runs/x")
                assert cranfield(f"{words} --record n.json").code == 0
                assert source == "."
        for number, names in enumerate((("runs/q", "runs/x"), ("q", "x"), ("q", "other"))):
            directory = Path(f"files{number}")
            for name, original in zip(names, ("q", "x"), strict=True):
                path = directory / name
                path.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(original, path)
            assert cranfield(f"verify n.json --files files{number}").code == 0
        (directory / "deep").mkdir()
        (directory / "other").rename(directory / "deep" / "other")
        assert cranfield("verify n.json --files files2").code == 2

    def test_verify_run_named_by_its_path_keeps_the_name(self, recorded: Path, cranfield: Command) -> None:
        Path("sub").mkdir()
        assert cranfield(f"evaluate {recorded}/q {recorded}/x y -m AP --run-names file --record sub/n.json").code == 0
        for name, original in {"q": "q", "x": "x", "renamed": "y"}.items():
            shutil.copy(original, f"sub/{name}")
        assert read("sub/n.json")["result"]["runs"] == ["x", "y"]
        assert cranfield("verify sub/n.json --files sub").code == 0

    def test_verify_changed_import_is_not_run(self, recorded: Path, cranfield: Command) -> None:
        Path("m.py").write_text(MEASURE.format(path="ran"))
        assert cranfield("evaluate q x -m share --import m.py --record n.json").code == 0
        Path("ran").unlink()
        assert cranfield("verify n.json").code == 0
        Path("ran").unlink()
        Path("m.py").write_text(MEASURE.format(path="ran").replace("least=1", "least=2"))
        done = cranfield("verify n.json")
        assert done.code == 1
        assert "m.py has another hash and is not run" in done.out
        assert not Path("ran").exists()

    @pytest.mark.parametrize("role", ["import", "run", "file"])
    def test_verify_runs_no_code_with_another_hash_whatever_its_role(
        self, recorded: Path, cranfield: Command, role: str
    ) -> None:
        Path("m.py").write_text(MEASURE.format(path="ran"))
        assert cranfield("evaluate q x -m share --import m.py --record n.json").code == 0
        Path("ran").unlink()
        data = read("n.json")
        data["inputs"][-1] |= {"role": role, "sha256": "0" * 64}
        change(data, "n.json")
        assert cranfield("verify n.json").code == 1
        data["inputs"].pop()
        change(data, "n.json")
        assert cranfield("verify n.json").code == 2
        assert not Path("ran").exists()

    def test_verify_changed_built_in_preset_differs(self, recorded: Path, cranfield: Command) -> None:
        assert cranfield("evaluate q x --preset beir --record n.json").code == 0
        assert cranfield("verify n.json").code == 0
        data = read("n.json")
        data["inputs"][-1]["sha256"] = "0" * 64
        change(data, "n.json")
        done = cranfield("verify n.json")
        assert done.code == 1
        assert "differs  input   preset beir" in done.out

    def test_verify_sidecar(self, here: Path, cranfield: Command) -> None:
        Path("q").write_text("".join(f"{t} 0 d{t} 1\n" for t in range(2100)))
        Path("x").write_text("".join(f"{t} Q0 d{t if t % 3 else 0} 1 1 x\n" for t in range(2100)))
        assert cranfield("evaluate q x -m 'P@1 P@2 P@3 P@4 P@5' --record r.json").code == 0
        done = cranfield("verify r.json")
        assert done.code == 0
        assert done.out.splitlines()[-1].split()[:3] == ["same", "sidecar", "r.scores.parquet"]
        Path("x").write_text(Path("x").read_text().replace("7 Q0 d7 ", "7 Q0 dx "))
        done = cranfield("verify r.json -f json")
        assert done.code == 1
        assert json.loads(done.out)["checks"][-1]["state"] == "differs"
        Path("r.scores.parquet").write_bytes(b"PAR1")
        done = cranfield("verify r.json -f json")
        assert [check["state"] for check in json.loads(done.out)["checks"][-2:]] == ["cannot", "differs"]
        Path("r.scores.parquet").unlink()
        assert json.loads(cranfield("verify r.json -f json").out)["checks"][-1]["state"] == "cannot"

    def test_verify_standard_input_by_its_hash(self, recorded: Path, cranfield: Command) -> None:
        assert cranfield("evaluate q - -m AP --record n.json", stdin=X).code == 0
        done = cranfield("verify n.json")
        assert done.code == 0, done.out

    def test_verify_html_report(self, recorded: Path, cranfield: Command) -> None:
        assert cranfield("report q x y -m AP -o report.html --record n.json").code == 0
        record = Record.read("report.html")
        assert record == Record.read("n.json")
        assert cranfield("verify report.html").code == 0

    def test_verify_html_report_with_many_values_compares_their_hash(
        self, recorded: Path, cranfield: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("cranfield.records.content.LARGEST", 3)
        assert cranfield("report q x y -m AP -o report.html").code == 0
        result = Record.read("report.html").data["result"]
        assert "topics" not in result
        assert result["values"]["count"] > 3
        assert cranfield("verify report.html").code == 0
        changed = Path("x").read_text().splitlines()
        Path("x").write_text("\n".join(reversed([line.replace(" 1 ", " 9 ") for line in changed])) + "\n")
        done = cranfield("verify report.html")
        assert done.code == 1
        assert "differs  values" in " ".join(done.out.split("\n"))

    def test_verify_html_report_of_a_suite(self, recorded: Path, cranfield: Command) -> None:
        systems = '[systems]\nx = "{collection}.x"\ny = "{collection}.y"\n'
        Path("s.toml").write_text(f'[collections.a]\nqrels = "q"\n[collections.b]\nqrels = "q"\n{systems}')
        for collection in "ab":
            Path(f"{collection}.x").write_text(X)
            Path(f"{collection}.y").write_text(Y)
        assert cranfield("suite s.toml -m AP --report suite.html").code == 0
        assert Record.read("suite.html").data["command"] == "suite"
        assert cranfield("verify suite.html").code == 0

    def test_html_report_names_the_hash_of_presets(self, recorded: Path, cranfield: Command) -> None:
        Path("p.toml").write_text('[presets.mine]\nmeasures = ["AP"]\n')
        assert cranfield("report q x y --preset mine --presets p.toml -o report.html").code == 0
        digest = sha256(Path("p.toml").read_bytes()).hexdigest()
        text = Path("report.html").read_text(encoding="utf-8")
        assert f"p.toml sha256:{digest}" in text
        assert ("preset", digest) in [(x["role"], x["sha256"]) for x in Record.read("report.html").data["inputs"]]

    def test_html_report_escapes_its_record(self, recorded: Path, cranfield: Command) -> None:
        name = "</script><script>alert(1)</script>"
        Path("x").write_text(X.replace(" x\n", f" {name}\n"))
        assert cranfield("report q x y -m AP -o report.html").code == 0
        assert "<script>alert" not in Path("report.html").read_text(encoding="utf-8")
        assert name in Record.read("report.html").data["result"]["runs"]
        assert cranfield("verify report.html").code == 0


class TestErrors:
    @pytest.mark.parametrize("text", ["", "{}", '{"schema": "2.0"}', "not JSON"])
    def test_verify_no_record_is_rejected(self, here: Path, cranfield: Command, text: str) -> None:
        Path("r.json").write_text(text)
        assert cranfield.refused("verify r.json").startswith("r.json:")

    def test_verify_missing_directory_is_rejected(self, recorded: Path, cranfield: Command) -> None:
        assert cranfield.refused("verify r.json --files none") == "none: not a directory"

    @pytest.mark.parametrize(
        "cmd",
        [
            "cranfield evaluate q x -o stolen",
            "cranfield evaluate q x --record stolen",
            "cranfield simulate -o stolen",
            "rm q",
            "cranfield evaluate q 'x",
            "cranfield evaluate",
            "cranfield",
            "",
        ],
    )
    def test_verify_other_commands_are_not_run(self, recorded: Path, cranfield: Command, cmd: str) -> None:
        change(read() | {"cmd": cmd})
        done = cranfield("verify r.json")
        assert done.code == 2, done
        assert not Path("stolen").exists()
        assert Path("q").exists()

    def test_verify_file_that_is_no_input_is_not_read(self, recorded: Path, cranfield: Command) -> None:
        Path("secret").write_text(X)
        change(read() | {"cmd": "cranfield evaluate q x secret -m AP"})
        done = cranfield("verify r.json")
        assert done.code == 2
        assert "which is not an input of the record" in done.out

    @pytest.mark.parametrize("value", [None, 3, "x", [], {}, [1], [{}], {"notices": 3}, True, 1e308])
    def test_verify_values_of_other_types_differ_without_a_crash(self, recorded: Path, value: Any) -> None:
        data = read()
        places = [("runs",), ("measures", 0), ("all", "x", "AP"), ("topics", "x"), ("notices",)]
        for place in [*(("result", *keys) for keys in places), ("platform", "libraries"), ("options", "ties")]:
            changed = json.loads(json.dumps(data))
            owner = changed
            for key in place[:-1]:
                owner = owner[key]
            owner[place[-1]] = value
            change(changed)
            result = Record.read("r.json").verify()
            is_same = place[0] != "result" or (place[-1] == "notices" and value in (None, []))
            assert result.exit_code == (0 if is_same else 1), place
            assert result.as_text()
            assert repr(Record.read("r.json"))

    def test_verify_failing_command_is_reported(self, recorded: Path, cranfield: Command) -> None:
        change(read() | {"cmd": "cranfield evaluate q x y -m NOPE"})
        done = cranfield("verify r.json")
        assert done.code == 2
        assert "unknown measure" in done.out

    def test_verify_writes_only_its_output(self, recorded: Path, cranfield: Command) -> None:
        before = {path.name for path in recorded.iterdir()}
        assert cranfield("verify r.json -o out.json").code == 0
        assert {path.name for path in recorded.iterdir()} == before | {"out.json"}
        assert "also an input" in cranfield.refused("verify r.json -o r.json")

    def test_record_in_python_equals_the_command_line(self, recorded: Path) -> None:
        record = cf.evaluate("q", ["x", "y"], ["AP", "nDCG@10"]).record()
        assert record.text == Path("r.json").read_text()
        assert record.verify().same
