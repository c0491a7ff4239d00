"""Topics in files: lists, tables, judgments, runs and queries."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path

import pytest

import cranfield as cf
from cranfield.data.tracks import choose_topics, join_topics, read_topics
from cranfield.errors import InputError
from tests.made import Command

KNOWN = ("lamp", "lamp best", "desk", "12")
QRELS = {topic: {"d1": 1} for topic in KNOWN}
RUN = {topic: ["d1"] for topic in KNOWN}


def chosen(path: Path, text: str, name: str = "topics.txt") -> tuple[tuple[str, ...], str]:
    """Return the topics of a file, and the notes."""
    file = path / name
    file.write_text(text, encoding="utf-8")
    topics = choose_topics(read_topics(f"@{file}"), KNOWN)
    notes = " ".join(topics.notes).removeprefix(f"{file}: ")
    by_path = cf.evaluate(QRELS, RUN, "AP", topics=file)
    assert {*by_path.topics} == {*topics}
    assert [n.text for n in by_path.notes if n.kind == "topics-file"] == [*topics.notes]
    return tuple(topics), notes


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lines.txt", "lamp best\ndesk\n"),
        ("lines.csv", "lamp best\ndesk\n"),
        ("comments.txt", "# mine\n\n  lamp best  \r\ndesk\n"),
        ("qrels.tsv", "lamp best\t0\td1\t1\ndesk\t0\td1\t0\n"),
        ("table.csv", "topic,doc,level\nlamp best,d1,1\ndesk,d2,0\n"),
        ("queries.csv", 'qid,text\nlamp best,"a, b"\ndesk,c\n'),
        ("run.tsv", "qid\tdocno\tscore\nlamp best\td1\t2\nlamp best\td2\t1\ndesk\td1\t1\n"),
        ("queries.jsonl", '{"_id": "lamp best", "text": "x"}\n{"_id": "desk", "text": "y"}\n'),
        ("qrels.json", '{"lamp best": {"d1": 1}, "desk": {"d1": 0}}'),
        ("queries.json", '{"lamp best": "which lamp?", "desk": "which desk?"}'),
        ("list.json", '["lamp best", "desk"]'),
    ],
)
def test_read_topics_file_with_spaces_keeps_whole_topics(tmp_path: Path, name: str, text: str) -> None:
    assert chosen(tmp_path, text, name) == (("lamp best", "desk"), "")


@pytest.mark.parametrize(
    "text",
    [
        "lamp 0 d1 1\ndesk 0 d1 0\n",
        "lamp Q0 d1 1 2.5 bm25\nlamp Q0 d2 2 1.5 bm25\ndesk Q0 d1 1 1 bm25\n",
        "lamp d1 1\nlamp d2 0\ndesk d1 1\n",
    ],
    ids=["qrels", "run", "triples"],
)
def test_read_topics_judgments_and_runs_use_their_topics(tmp_path: Path, text: str) -> None:
    assert chosen(tmp_path, text) == (("lamp", "desk"), "")


def test_read_topics_no_line_is_a_topic_reports_first_words(tmp_path: Path) -> None:
    text = "12 some words\ndesk\nlamp the lamp\n"
    note = "the first word of each line is read as the topic"
    assert chosen(tmp_path, text) == (("12", "desk", "lamp"), note)


def test_read_topics_queries_with_tabs_reports_the_field(tmp_path: Path) -> None:
    note = "the field before the tab of each line is read as the topic"
    made = chosen(tmp_path, "lamp best\twhich lamp is best\ndesk\twhich desk\n", "queries.tsv")
    assert made == (("lamp best", "desk"), note)


@pytest.mark.parametrize(
    ("text", "line", "topic"),
    [("lamp best\ndesk 2\n", 2, "desk 2"), ("lamp x\nlampe y\n", 2, "lampe"), ("x\n", 1, "x")],
)
def test_choose_topics_unknown_line_raises(tmp_path: Path, text: str, line: int, topic: str) -> None:
    with pytest.raises(InputError, match=rf"topics.txt:{line}: topic '{topic}'"):
        chosen(tmp_path, text)


def test_choose_topics_file_with_two_readings_raises(tmp_path: Path) -> None:
    """Lines of three fields: judgments, or topics of three words."""
    file = tmp_path / "topics.txt"
    file.write_text("desk lamp 2019\ndesk lamp 2020\n", encoding="utf-8")
    named = read_topics(file)
    assert choose_topics(named, ["desk"]) == ("desk",)
    with pytest.raises(InputError, match="line 'desk lamp 2019' is a topic, but the file is also"):
        choose_topics(named, ["desk", "desk lamp 2019", "desk lamp 2020"])


def test_choose_topics_not_strict_keeps_unknown_topics(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("desk\nchair\n", encoding="utf-8")
    assert choose_topics(read_topics(tmp_path / "t"), KNOWN, strict=False) == ("desk", "chair")


def test_join_topics_of_files_and_names_decides_for_each_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("lamp best\n", encoding="utf-8")
    with gzip.open(tmp_path / "b.gz", "wt") as file:
        file.write("desk or chair\n")
    named = join_topics([f"@{tmp_path / 'a'}", "12", f"@{tmp_path / 'b.gz'}"])
    made = choose_topics(pickle.loads(pickle.dumps(named)), KNOWN)  # noqa: S301
    assert len(made.notes) == 1
    assert tuple(made) == ("lamp best", "12", "desk")


class TestCommands:
    @pytest.fixture(autouse=True)
    def _files(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        Path("q.csv").write_text("topic,doc,level\nlamp,d1,1\nlamp best,d2,1\n", encoding="utf-8")
        Path("r.csv").write_text("topic,doc,score\nlamp,d1,1\nlamp best,d2,1\n", encoding="utf-8")
        Path("t").write_text("lamp best\n", encoding="utf-8")

    @pytest.mark.parametrize("command", ["evaluate q.csv r.csv -q", "label q.csv r.csv", "topics q.csv r.csv"])
    def test_topics_file_with_spaces_selects_one_topic(self, cranfield: Command, command: str) -> None:
        printed = cranfield.printed(f"{command} --topics @t")
        assert "lamp best" in printed
        assert "lamp" not in printed.replace("lamp best", "")

    def test_validate_topics_file_with_spaces_compares_whole_lines(self, cranfield: Command) -> None:
        said = cranfield.printed("validate r.csv --topics t")
        assert "1 topic (lamp) not among the topics of t" in said
