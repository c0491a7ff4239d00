"""That a test is compared with the answer to what it asks, and with no other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.peers import recorded
from tests.peers.recorded import RECORD_ANEW, Answer, Recording, key_of, record

WORDS = ["-m", "map", "qrels", "run"]
SAID = Answer(0, "map\tall\t0.5000\n", "é\n")


@pytest.fixture
def kept(here: Path) -> Recording:
    """The answer to one question about two files."""
    Path("qrels").write_text("1 0 a 1\n")
    Path("run").write_text("1 Q0 a 1 1 tag\n")
    recording = Recording(here / "answers")
    recording.write({key_of(WORDS, here): SAID})
    return recording


def test_an_answer_is_found_wherever_the_files_are(kept: Recording, tmp_path: Path) -> None:
    assert kept.ask(WORDS, tmp_path) == SAID
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("qrels", "run"):
        Path(name).rename(elsewhere / name)
    assert kept.ask(WORDS, elsewhere) == SAID


@pytest.mark.parametrize("name", ["qrels", "run"])
def test_a_changed_file_has_no_answer(name: str, kept: Recording, here: Path) -> None:
    with Path(name).open("a") as file:
        file.write("\n")
    with pytest.raises(pytest.fail.Exception, match=re.escape(RECORD_ANEW)):
        kept.ask(WORDS, here)


@pytest.mark.parametrize("words", [["-q", *WORDS], WORDS[:2], ["-m", "map", "run", "qrels"]])
def test_another_command_has_no_answer(words: list[str], kept: Recording, here: Path) -> None:
    with pytest.raises(pytest.fail.Exception, match="no answer is kept to: trec_eval -"):
        kept.ask(words, here)


def test_the_same_answers_are_the_same_bytes(here: Path) -> None:
    answers = {"b": SAID, "a": Answer(4, "", "")}
    one, other = Recording(here / "one"), Recording(here / "other")
    one.write(answers)
    other.write(dict(reversed(answers.items())))
    assert one.path.read_bytes() == other.path.read_bytes()
    assert one.kept == answers


@pytest.mark.parametrize("failed", [0, 1])
def test_what_is_no_longer_asked_is_dropped(
    failed: int, kept: Recording, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless a test failed, which may have asked more."""
    new = Answer(0, "new", "")

    def run(arguments: Sequence[str]) -> int:
        assert {Path(a).name for a in arguments} > {"test_trec_eval.py", "test_preferences.py"}
        assert kept.ask(["-q", *WORDS], here) == new
        return failed

    monkeypatch.setattr(recorded, "is_installed", lambda: True)
    monkeypatch.setattr(recorded, "program", lambda words, directory: new)
    monkeypatch.setattr(pytest, "main", run)
    assert record(kept) == failed
    expected = {key_of(["-q", *WORDS], here): new}
    if failed:
        expected[key_of(WORDS, here)] = SAID
    assert Recording(kept.path).kept == expected


def test_recording_needs_trec_eval(kept: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded, "is_installed", lambda: False)
    before = kept.path.read_bytes()
    with pytest.raises(SystemExit, match="found no trec_eval 10 on the PATH"):
        record(kept)
    assert kept.path.read_bytes() == before
