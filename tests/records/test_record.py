"""Records: id, canonical bytes, reading and writing."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.records.record import Record, compute_id, encode_numbers, name_sidecar, to_canonical_bytes
from tests.made import Command

QRELS = "301 0 a 2\n301 0 b 0\n301 0 c 1\n302 0 d 1\n"
RUN = (
    "301 Q0 a 1 0.83 dense\n301 Q0 c 2 0.79 dense\n301 Q0 b 3 0.75 dense\n"
    "302 Q0 y 1 0.64 dense\n302 Q0 d 2 0.61 dense\n"
)
# The worked example of the specification, with shortened options. Its id was computed independently.
EXAMPLE: dict[str, Any] = {
    "schema": "1.0",
    "id": "sha256:2b135a7291c19c70e4ca882b1ef81dc002a026cf3ee0fc7b5f3c72eeb9bafa89",
    "command": "evaluate",
    "cmd": 'cranfield evaluate qrels.txt dense.run -m "nDCG@10 P@1"',
    "options": {"depth": None, "duplicates": "error", "ties": "trec", "topics": "judged", "undefined": "zero"},
    "measures": [
        {
            "name": "nDCG@10",
            "parameters": {
                "b": 2,
                "condensed": False,
                "cutoff": 10,
                "discount": "log2",
                "gain": "linear",
                "rel": None,
            },
        },
        {"name": "P@1", "parameters": {"condensed": False, "cutoff": 1, "rel": None}},
    ],
    "inputs": [
        {
            "role": "qrels",
            "path": "qrels.txt",
            "sha256": "ad6b728e390d7eeac81f34008a74ddc017be5d3b43cdc7a9d1130625de6d14d6",
            "bytes": 40,
            "lines": 4,
            "topics": 2,
            "format": "trec",
            "columns": ["topic", "iteration", "doc", "level"],
        },
        {
            "role": "run",
            "path": "dense.run",
            "sha256": "3a5c4fb290c8ab64a84254f41ea5bad476a9d0c6f683fbe33c57c8c7e6021db5",
            "bytes": 110,
            "lines": 5,
            "topics": 2,
            "format": "trec",
            "columns": ["topic", "Q0", "doc", "rank", "score", "tag"],
        },
    ],
    "random": None,
    "platform": {
        "libraries": ["cranfield==1.0.0rc1", "numpy==2.4.6"],
        "python": "3.11.7",
        "architecture": "x86_64",
        "system": "Linux",
        "compiled": True,
    },
    "result": {
        "runs": ["dense"],
        "measures": ["nDCG@10", "P@1"],
        "all": {"dense": {"nDCG@10": 0.8154648767857288, "P@1": 0.5}},
        "topics": {"dense": {"301": {"nDCG@10": 1.0, "P@1": 1.0}, "302": {"nDCG@10": 0.6309297535714575, "P@1": 0.0}}},
        "notices": [
            {
                "kind": "unjudged",
                "text": "dense: 1 of 2 documents in the top 1 are unjudged and count as nonrelevant",
                "run": "dense",
                "topics": [],
            }
        ],
    },
}


@pytest.fixture
def example(here: Path) -> Path:
    """The files of the worked example."""
    Path("qrels.txt").write_bytes(QRELS.encode())
    Path("dense.run").write_bytes(RUN.encode())
    return here


def write_json(path: str, data: Any) -> None:
    Path(path).write_text(json.dumps(data))


class TestId:
    def test_id_of_worked_example(self) -> None:
        assert compute_id(EXAMPLE) == EXAMPLE["id"]

    def test_id_does_not_depend_on_order_of_keys(self) -> None:
        assert compute_id(dict(reversed(EXAMPLE.items()))) == EXAMPLE["id"]

    @pytest.mark.parametrize("key", [key for key in EXAMPLE if key != "id"])
    def test_id_depends_on_every_key(self, key: str) -> None:
        assert compute_id({**EXAMPLE, key: "x"}) != EXAMPLE["id"]

    def test_canonical_bytes_nan_and_infinities_are_texts(self) -> None:
        data = {"é": [float("nan"), float("inf"), -float("inf"), -0.0, 1e300], "id": "x"}
        assert to_canonical_bytes(data) == '{"é":["nan","inf","-inf",-0.0,1e+300]}'.encode()

    @given(
        st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=5), lambda x: st.lists(x, max_size=4))
    )
    def test_encode_numbers_survives_json(self, value: Any) -> None:
        encoded = encode_numbers(value)
        assert json.loads(json.dumps(encoded, allow_nan=False)) == encoded


class TestWorkedExample:
    def test_record_has_inputs_measures_command_and_result_of_the_example(
        self, example: Path, cranfield: Command
    ) -> None:
        cranfield("evaluate qrels.txt dense.run -m 'nDCG@10 P@1' --record r.json")
        data = json.loads(Path("r.json").read_text())
        for key in ("schema", "command", "cmd", "measures", "inputs", "random", "result"):
            assert data[key] == EXAMPLE[key], key
        assert EXAMPLE["options"].items() <= data["options"].items()
        assert data["platform"].keys() == EXAMPLE["platform"].keys()
        assert [*data] == [*EXAMPLE]
        assert compute_id(data) == data["id"]

    def test_record_same_computation_writes_same_bytes(self, example: Path, cranfield: Command) -> None:
        for words in ("-m 'nDCG@10 P@1' --record a.json", "-m nDCG@10 -m P@1 -f json -q --threads 1 --record b.json"):
            cranfield(f"evaluate qrels.txt dense.run {words}")
        cf.evaluate("qrels.txt", "dense.run", "nDCG@10 P@1").record().write("c.json")
        texts = {Path(f"{name}.json").read_bytes() for name in "abc"}
        assert len(texts) == 1
        text = texts.pop()
        assert text.endswith(b"\n}\n")
        assert text.startswith(b'{\n  "schema": "1.0",\n  "id": "sha256:')

    def test_record_time_is_utc_to_the_second(self, example: Path, cranfield: Command) -> None:
        cranfield("evaluate qrels.txt dense.run --record r.json --record-time")
        data = json.loads(Path("r.json").read_text())
        assert [*data][-1] == "created"
        assert len(data["created"]) == len("2026-11-19T22:28:00Z")
        assert data["created"].endswith("Z")


class TestReading:
    def test_read_written_record_is_equal(self, example: Path) -> None:
        record = cf.evaluate("qrels.txt", "dense.run", "AP").record()
        record.write("r.json")
        assert Record.read("r.json") == record
        assert repr(record).startswith("Record: evaluate of dense, sha256:")

    def test_read_unknown_keys_and_minor_versions_are_accepted(self, here: Path) -> None:
        data = {**EXAMPLE, "schema": "1.7", "later": [1, 2]}
        write_json("r.json", data)
        record = Record.read("r.json")
        assert record.data["later"] == [1, 2]
        assert record.compute_id() == compute_id(data) != record.id

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "r.json:1: not JSON"),
            ("{", "r.json:1: not JSON"),
            ("[1, 2]", "r.json: not a record. Use a file written by --record."),
            ('{"runs": []}', "r.json: not a record. Use a file written by --record."),
            ('{"schema": "1.0", "schema": "1.0"}', "r.json: duplicate key 'schema'"),
            ('{"schema": "2.0"}', "r.json: record of schema 2.0, and this version reads 1.x. Use a newer version"),
            ('{"schema": "one"}', "r.json: found schema 'one', expected a version such as '1.0'"),
            ('{"schema": 1.0}', "r.json: found schema 1.0, expected a version such as '1.0'"),
            ('{"schema": "1.0"}', "r.json: missing key 'id'"),
            ("[" * 100_000, "r.json: not JSON"),
            ('{"schema": NaN}', "r.json: not JSON (NaN is not JSON)"),
        ],
    )
    def test_read_bad_file_raises(self, here: Path, text: str, message: str) -> None:
        Path("r.json").write_text(text)
        with pytest.raises(cf.InputError) as error:
            Record.read("r.json")
        assert str(error.value).startswith(message)

    @pytest.mark.parametrize("key", [key for key in EXAMPLE if key != "schema"])
    def test_read_missing_key_raises(self, here: Path, key: str) -> None:
        write_json("r.json", {name: value for name, value in EXAMPLE.items() if name != key})
        with pytest.raises(cf.InputError, match=f"missing key '{key}'"):
            Record.read("r.json")

    def test_read_nested_duplicate_key_raises(self, here: Path) -> None:
        text = json.dumps(EXAMPLE).replace('"depth": null', '"depth": null, "depth": 3')
        Path("r.json").write_text(text)
        with pytest.raises(cf.InputError, match="duplicate key 'depth'"):
            Record.read("r.json")

    @pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "", 3, "C:/x", "a\\b", "./x"])
    def test_read_path_outside_of_directory_raises(self, here: Path, path: Any) -> None:
        data = copy.deepcopy(EXAMPLE)
        data["inputs"][0]["path"] = path
        write_json("r.json", data)
        with pytest.raises(cf.InputError, match="expected a relative path without"):
            Record.read("r.json")

    def test_read_wrong_type_raises(self, here: Path) -> None:
        write_json("r.json", {**EXAMPLE, "inputs": {}})
        with pytest.raises(cf.InputError, match="found inputs = dict, expected an array"):
            Record.read("r.json")


class TestWriting:
    def test_write_is_complete_or_not_at_all(self, example: Path) -> None:
        record = cf.evaluate("qrels.txt", "dense.run", "AP").record()
        for path in ("qrels.txt/r.json", "missing/r.json"):
            with pytest.raises(cf.FileError, match="there is no directory"):
                record.write(path)
        assert Path("qrels.txt").read_text() == QRELS
        assert not Path("missing").exists()

    def test_sidecar_is_named_after_the_record(self) -> None:
        assert name_sidecar("a/b/c.json") == "c.scores.parquet"
        assert name_sidecar("results") == "results.scores.parquet"
