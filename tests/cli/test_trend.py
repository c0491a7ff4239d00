"""`cranfield trend`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.comparison.test_trend import draw_nights
from tests.made import Command, written


@pytest.fixture
def nights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Files of ten nights, the last one worse, and of a release."""
    for name, scores in (draw_nights(change=-0.05) | {"release": draw_nights(1)["night 00"]}).items():
        lines = [f"{topic},{score}\n" for topic, score in scores.items()]
        written(tmp_path / f"{name.replace(' ', '-')}.csv", "".join(["topic,AP\n", *lines]))
    monkeypatch.chdir(tmp_path)
    return [f"night-{k:02d}.csv" for k in range(10)]


def test_trend_answer_is_first(nights: list[str], cranfield: Command) -> None:
    lines = cranfield.printed("trend", *nights).splitlines()
    assert lines[0].startswith("night-09 is significantly worse than the median of the last 7 nights by AP")
    assert sum(line.startswith("night-") for line in lines) == 12  # the answer, a caption and ten nights


def test_trend_fail_if_worse_exit_codes(nights: list[str], cranfield: Command) -> None:
    result = cranfield("trend", *nights, "--fail-if-worse", "--quiet")
    assert result.code == 1
    assert result.err.startswith("fail: night-09 is significantly worse")
    assert cranfield("trend", *nights[:-1], "--fail-if-worse").code == 0
    assert cranfield("trend", *nights[:-1], "--baseline", "release.csv", "--fail-if-worse").code == 0
    assert cranfield("trend", *nights, "--baseline", "release.csv", "--fail-if-worse").code == 1


def test_trend_undecided_fails_unless_it_passes(nights: list[str], cranfield: Command) -> None:
    rows = Path(nights[0]).read_text(encoding="utf-8").splitlines()
    written(Path("changed.csv"), "\n".join(["topic,AP", "0,0.0", *rows[2:]]) + "\n")
    line = ["trend", nights[0], "changed.csv", "--fail-if-worse"]
    result = cranfield(*line)
    assert result.code == 1
    assert "undecided: changed is not significantly different" in result.err
    assert "Too few topics differ for any loss to be significant." in result.err
    assert cranfield(*line, "--undecided", "pass").code == 0


def test_trend_summary_is_markdown(nights: list[str], cranfield: Command) -> None:
    text = cranfield.printed("trend", *nights, "--baseline", "release.csv", "--summary")
    assert text.startswith("**night-09 is significantly worse than release by AP.**\n\n| mean |")
    assert len(text.splitlines()) == 7


def test_trend_json_has_settings(nights: list[str], cranfield: Command) -> None:
    document = json.loads(cranfield.printed("trend", *nights, "--last", "3", "--looks", "20", "-f", "json"))
    assert document["settings"]["last"] == 3
    assert document["differences"][-1]["look"] == 29


def test_trend_records_equal_score_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cranfield: Command) -> None:
    """Records of evaluate, of compare, and score files of the same nights."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "qrels", "".join(f"{t} 0 d 1\n" for t in range(1, 6)))
    for night, ranks in {"mon": "12312", "tue": "11212", "wed": "33333"}.items():
        docs = {"1": "dxy", "2": "xdy", "3": "xyd"}
        lines = [f"{t} Q0 {doc} 1 {-i} a\n" for t, r in enumerate(ranks, 1) for i, doc in enumerate(docs[r])]
        written(tmp_path / f"{night}.run", "".join(lines))
        record, table = f"{night}.json", f"{night}.tsv"
        cranfield.succeeds("evaluate", "qrels", f"{night}.run", "-m", "RR", "-q", "--record", record, "-o", table)
    names = ["mon", "tue", "wed"]
    of_records = cranfield.printed("trend", *(f"{name}.json" for name in names), "-f", "json")
    of_tables = cranfield.printed("trend", *(f"{name}.tsv" for name in names), "-f", "json")
    assert json.loads(of_records)["differences"] == json.loads(of_tables)["differences"]
    assert json.loads(of_records)["nights"][0]["mean"] == pytest.approx((1 + 0.5 + 1 / 3 + 1 + 0.5) / 5)
    cranfield.succeeds("trend", "mon.json", "tue.json", "--record", "trend.json", "--summary")
    assert "--summary" not in json.loads(Path("trend.json").read_text(encoding="utf-8"))["cmd"]
    assert "everything is the same" in cranfield.printed("verify", "trend.json")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("trend night-00.csv", "1 night, expected at least 2 nights, or a baseline"),
        ("trend night-00.csv night-00.csv", "duplicate night night-00.csv"),
        ("trend night-00.csv absent.csv", "absent.csv"),
        ("trend night-00.csv night-01.csv -m nDCG", "no scores of nDCG"),
        ("trend night-00.csv night-01.csv --summary --table nights", "use either --summary or --table"),
        ("trend night-00.csv night-01.csv --undecided pass", "--undecided requires --fail-if-worse"),
        ("trend night-00.csv night-01.csv --looks -3", "looks"),
        ("trend night-00.csv night-01.csv -o night-01.csv", "night-01.csv"),
    ],
)
@pytest.mark.usefixtures("nights")
def test_trend_wrong_use_is_an_error(line: str, message: str, cranfield: Command) -> None:
    assert message in cranfield.refused(line)
