"""`validate`: every problem of a file with its line, errors told from warnings, topics compared."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import sys
from collections.abc import Callable
from datetime import date, time, timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data.reading.records import ReadOptions
from cranfield.data.validate import Report, validate
from tests.made import Command, examples, seconds

QRELS = "a 0 x 1\na 0 y 0\nb 0 x 2\n"
RUN = "a Q0 x 1 2.123456 t\na Q0 y 2 1.5 t\nb Q0 x 1 0.75 t\n"

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def file(content: str | bytes, name: str = "file") -> str:
        target = tmp_path / name
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(target)

    return file


def one(path: str, *options: Any) -> Report:
    (report,) = validate([path], *options)
    return report


def found(report: Report) -> list[tuple[str, int | None, str]]:
    return [(p.severity, p.line, p.text) for p in report.problems]


def starts(report: Report, expected: list[tuple[str, int | None, str]]) -> None:
    """These problems in this order, the texts by how they begin."""
    got = found(report)
    assert [(s, line) for s, line, _ in got] == [(s, line) for s, line, _ in expected], got
    for (_, _, text), (_, _, beginning) in zip(got, expected, strict=True):
        assert text.startswith(beginning), text


class TestValid:
    @pytest.mark.parametrize(("text", "kind", "lines"), [(QRELS, "qrels", 3), (RUN, "run", 3)])
    def test_trec(self, write: Write, text: str, kind: str, lines: int) -> None:
        report = one(write(text))
        assert (report.kind, report.format, report.lines) == (kind, "trec", lines)
        assert report.topics == ("a", "b")
        assert report.problems == []

    def test_comments_blank_lines_crlf_and_bom(self, write: Write) -> None:
        text = "\ufeff# c\r\n\r\n" + QRELS.replace("\n", "\r\n").replace(" ", "\t ")
        assert one(write(text)).problems == []

    def test_compressed(self, write: Write) -> None:
        for compress in (gzip.compress, bz2.compress):
            assert one(write(compress(RUN.encode()))).problems == []

    def test_standard_input(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for text in (RUN, QRELS, '{"a": {"x": 0.5}}', "topic,doc,score\na,x,0.5\n"):
            stream = SimpleNamespace(buffer=io.BytesIO(text.encode()))
            monkeypatch.setattr(sys, "stdin", stream)
            report = one("-")
            assert report.where == "standard input"
            assert report.problems == [], text
            assert report.lines > 0

    def test_valid_files_can_be_evaluated(self, write: Write) -> None:
        qrels, run = write(QRELS, "qrels"), write(RUN, "run")
        assert not any(r.count("error") for r in validate([qrels, run]))
        assert cf.evaluate(qrels, run, "AP").values.shape == (1, 2, 1)


TABLE = pl.DataFrame({"topic": ["a", "b"], "doc": ["x", "y"]})


def binary(table: pl.DataFrame, format: str) -> bytes:
    out = io.BytesIO()
    table.write_parquet(out) if format == "parquet" else table.write_ipc(out)
    return out.getvalue()


class TestKind:
    @pytest.mark.parametrize(
        ("text", "kind", "format"),
        [
            ("topic,doc,level\na,x,1\n", "qrels", "csv"),
            ("topic,doc,relevance\na,x,1\n", "qrels", "csv"),
            ("query-id\tcorpus-id\tscore\na\tx\t1\n", "qrels", "tsv"),  # BEIR
            ("topic,doc,score\na,x,1\n", "run", "csv"),
            ("topic,doc,rank,score,tag\na,x,1,1,t\n", "run", "csv"),
            ("qid,docno,rank\na,x,1\n", "run", "csv"),
            ('{"topic":"a","doc":"x","level":1}\n', "qrels", "jsonl"),
            ('{"topic":"a","doc":"x","score":1}\n', "run", "jsonl"),
            ('{"topic":"a","doc":"level","score":1}\n', "run", "jsonl"),
            ('{"a": {"x": 1, "y": 0}}', "qrels", "json"),
            ('{"a": {"x": 0.5, "y": 1}}', "run", "json"),
            ('{"a": ["x", "y"]}', "run", "json"),
        ],
    )
    def test_kind_is_detected(self, write: Write, text: str, kind: str, format: str) -> None:
        report = one(write(text))
        assert (report.kind, report.format) == (kind, format)
        assert report.count("error") == 0

    @pytest.mark.parametrize("format", ["parquet", "arrow"])
    @pytest.mark.parametrize(("column", "kind"), [("level", "qrels"), ("score", "run")])
    def test_kind_of_binary_files_is_detected(self, write: Write, format: str, column: str, kind: str) -> None:
        table = TABLE.with_columns(pl.Series(column, [1.0, 2.0]))
        report = one(write(binary(table, format)))
        assert (report.kind, report.format, report.lines) == (kind, format, 2)
        assert report.topics == ("a", "b")
        assert report.count("error") == 0

    def test_kind_follows_most_lines(self, write: Write) -> None:
        assert one(write("a 0 x 1 2 3\n" + QRELS)).kind == "qrels"
        assert one(write("a 0 x 1\n" + RUN)).kind == "run"

    def test_kind_option_overrides_detection(self, write: Write) -> None:
        report = one(write(QRELS), "run")
        assert report.kind == "run"
        assert [p.line for p in report.problems] == [1, 2, 3]
        assert all("found 4 fields" in p.text for p in report.problems)
        assert one(write('{"a": {"x": 1}}'), "run").kind == "run"

    def test_format_option_overrides_detection(self, write: Write) -> None:
        report = one(write("topic,doc,level\na,x,1\n"), None, "trec")
        assert report.format == "trec"
        assert report.count("error") == 2

    def test_unknown_kind_raises(self, write: Write) -> None:
        with pytest.raises(cf.CranfieldError, match="found kind 'topics', expected qrels or run"):
            validate([write(QRELS)], "topics")
        with pytest.raises(cf.CranfieldError, match="found format 'xml'"):
            validate([write(QRELS)], None, "xml")


class TestErrors:
    def test_run_lists_all_errors(self, write: Write) -> None:
        text = (
            "# header\n"
            "a Q0 x 1 3 t\n"
            "a Q0 y 2 t\n"
            "a Q0 z 3 high t\n"
            "\n"
            "a Q0 x 4 1 t\n"
            "a Q0 u 5 nan t\n"
            "a Q0 v 6 -inf t\n"
            "a Q0 w 7 1_0 t\n"
            "b Q0 x 1 1 t u\n"
        )
        report = one(write(text))
        number = "expected a finite number"
        starts(
            report,
            [
                ("error", 3, "found 5 fields ('a Q0 y 2 t'), expected 6: topic q0 doc rank"),
                ("error", 4, f"found score 'high', {number}"),
                ("error", 6, "duplicate document 'x' in topic a (first on line 2)"),
                ("error", 7, f"found score 'nan', {number}"),
                ("error", 8, f"found score '-inf', {number}"),
                ("error", 9, f"found score '1_0', {number}"),
                ("error", 10, "found 7 fields ('b Q0 x 1 1 t u'), expected 6"),
            ],
        )
        assert report.count("error") == 7
        assert report.count("warning") == 0

    def test_qrels_lists_all_errors(self, write: Write) -> None:
        text = "a 0 x 1\na 0 x 1\na 0 x 2\nall 0 x 1\na 0 y\nb 0 x one\n"
        starts(
            one(write(text)),
            [
                ("warning", 2, "duplicate judgment of document 'x' in topic a (first on line 1)"),
                ("error", 3, "conflicting levels for document 'x' in topic a: 2 here, 1 on line 1"),
                ("error", 4, "found a topic named 'all', expected another name"),
                ("error", 5, "found 3 fields ('a 0 y'), expected 4: topic iteration doc level"),
                ("error", 6, "found level 'one', expected a finite number"),
            ],
        )

    def test_bytes_that_are_not_utf8(self, write: Write) -> None:
        report = one(write(RUN.encode() + b"a Q0 \xff 3 1 t\n" + b"a Q0 \xfe 3 1 t\n"))
        starts(
            report,
            [
                ("error", 4, "found bytes that are not UTF-8"),
                ("error", 5, "found bytes that are not UTF-8"),
            ],
        )

    def test_comments_may_be_in_any_encoding(self, write: Write) -> None:
        """`evaluate` skips them unread."""
        assert one(write(b"# caf\xe9\n" + QRELS.encode())).problems == []

    @pytest.mark.parametrize("text", ["", "\n\n"])
    def test_an_empty_file(self, write: Write, text: str) -> None:
        starts(one(write(text)), [("error", None, "file is empty")])
        starts(one(write(text), "qrels"), [("error", None, "file is empty")])

    def test_a_file_of_comments(self, write: Write) -> None:
        starts(one(write("# nothing\n")), [("error", None, "no results in file")])
        starts(one(write("# nothing\n"), "qrels"), [("error", None, "no judgments in file")])

    def test_table_lists_all_errors(self, write: Write) -> None:
        text = "topic,doc,score\na,x,1\na,y\na,z,high\n,u,1\na,x,2\na,v,1,2\n"
        starts(
            one(write(text)),
            [
                ("error", 3, "found 2 fields ('a,y'), expected 3: topic doc score"),
                ("error", 4, "found score 'high', expected a finite number"),
                ("error", 5, "found topic '', expected an identifier"),
                ("error", 6, "duplicate document 'x' in topic a (first on line 2)"),
                ("error", 7, "found 4 fields ('a,v,1,2'), expected 3"),
            ],
        )

    def test_one_object_over_many_lines(self, write: Write) -> None:
        path = Path(write('{\n "a": {"x": 1.0}\n}\n'))
        path = path.rename(path.with_name("run.jsonl"))
        with pytest.raises(cf.InputError, match=r"if the file is one object, rename it to \.json"):
            cf.read_run(path)

    def test_json_lines_lists_all_errors(self, write: Write) -> None:
        text = (
            '{"topic":"a","doc":"x","score":1}\n{"topic":"a"\n[1]\n{"topic":"a","score":1}\n'
            '{"topic":"a","doc":1.5,"score":1}\n{"topic":"a","doc":"y","score":"high"}\n'
        )
        starts(
            one(write(text)),
            [
                ("error", 2, 'found \'{"topic":"a"\', expected a JSON object'),
                ("error", 3, "found '[1]', expected a JSON object"),
                ("error", 4, "found columns topic, score, expected a column named doc"),
                ("error", 5, "found doc 1.5, expected an identifier"),
                ("error", 6, "found score 'high', expected a finite number"),
            ],
        )

    @pytest.mark.parametrize(
        ("text", "line", "beginning"),
        [
            ('{"a": {"x": 0.5,\n"y" 2}}', 2, "found invalid JSON"),
            ('{"a": {"x": 0.5, "x": 1}}', None, "duplicate key 'x'"),
            ('{"a": {"x": 0.5, "y": NaN}}', None, "found score nan for document y of topic a"),
            ('{"a": {"x": 0.5, "y": null}}', None, "found score None for document y of topic a"),
            ('{"a": {"x": 0.5, "y": "high"}}', None, "found score 'high' for document y"),
            ('{"a": {"x": 0.5, "y": "1.5"}}', None, "found score '1.5' for document y"),
            ('{"a": 5, "b": {"x": 0.5}}', None, "found int for topic 'a'"),
            ("{}", None, "no results in file"),
        ],
    )
    def test_json(self, write: Write, text: str, line: int | None, beginning: str) -> None:
        starts(one(write(text, "run.json"), "run"), [("error", line, beginning)])

    def test_json_judgments(self, write: Write) -> None:
        report = one(write('{"a": {"x": 1, "y": "high"}}'), "qrels")
        starts(report, [("error", None, "found level 'high' for document y of topic a")])

    @pytest.mark.parametrize("format", ["parquet", "arrow"])
    def test_binary_files(self, write: Write, format: str) -> None:
        twice = pl.DataFrame({"topic": ["a", "a"], "doc": ["x", "x"], "score": [1.0, 2.0]})
        assert one(write(binary(twice, format))).count("error") == 1
        conflict = twice.rename({"score": "level"})
        assert one(write(binary(conflict, format))).count("error") == 1
        hole = pl.DataFrame({"topic": ["a"], "doc": ["x"], "score": [float("nan")]})
        assert one(write(binary(hole, format))).count("error") == 1
        nameless = pl.DataFrame({"topic": ["a"], "paper": ["x"], "score": [1.0]})
        starts(one(write(binary(nameless, format))), [("error", None, "found columns topic, paper")])

    @pytest.mark.parametrize("content", [b"PAR1", b"PAR1\xff\xff\xffPAR1", b"ARROW1\0\0\xff\xff\xff"])
    def test_broken_binary_files(self, write: Write, content: bytes) -> None:
        report = one(write(content + b"\xff" * 20))
        starts(report, [("error", None, "corrupt ")])

    def test_bad_header_affects_one_file(self, write: Write) -> None:
        reports = validate([write("topic,paper,score\na,x,1\n", "x.csv"), write("a 0 x\n", "q")])
        starts(reports[0], [("error", 1, "found columns topic, paper, score, expected a column")])
        assert reports[1].count("error") == 1

    def test_broken_compression(self, write: Write) -> None:
        whole = gzip.compress(RUN.encode() * 100)
        for broken in (whole[:-10], whole[:15], b"\x1f\x8bgarbage"):
            try:
                assert one(write(broken)).count("error") == 1
            except cf.CranfieldError as error:
                assert "broken gz" in str(error)  # noqa: PT017

    def test_no_such_file(self, tmp_path: Path) -> None:
        with pytest.raises(cf.CranfieldError, match=r"cannot read .*nowhere: no such file"):
            validate([str(tmp_path / "nowhere")])

    @given(
        st.lists(
            st.sampled_from(
                [
                    "a Q0 x 1 1 t",
                    "a Q0 y 2 1 t",
                    "a Q0 x 1",
                    "a Q0 z 1 nan t",
                    "b Q0 x 1 2 t",
                    "#",
                    "",
                ]
            ),
            max_size=8,
        )
    )
    @settings(max_examples=examples(80))
    def test_first_error_equals_error_of_evaluate(
        self, tmp_path_factory: pytest.TempPathFactory, lines: list[str]
    ) -> None:
        path = tmp_path_factory.getbasetemp() / "agreement.txt"
        path.write_text("\n".join(lines))
        errors = [p for p in one(str(path), "run").problems if p.severity == "error"]
        message = ""
        try:
            cf.evaluate({"a": {"x": 1}, "b": {"y": 1}}, path, "AP")
        except cf.CranfieldError as error:
            message = str(error)
        assert bool(errors) is bool(message)
        if errors:
            place = f"{path}:{errors[0].line}: " if errors[0].line else f"{path}: "
            assert message.partition(". Duplicates on")[0] == place + errors[0].text


class TestWarnings:
    def test_ties(self, write: Write) -> None:
        text = "a Q0 x 1 1.123456 t\na Q0 y 2 1.123456 t\na Q0 z 3 1 t\nb Q0 x 1 1.123456 t\n"
        starts(
            one(write(text)),
            [
                (
                    "warning",
                    None,
                    "2 of 4 documents are tied, in 1 topic (a)",
                )
            ],
        )

    @pytest.mark.parametrize(
        ("score", "decimals"), [("1", "0 decimals"), ("0.5", "1 decimal"), ("0.1234", "4 decimals")]
    )
    def test_ties_of_few_decimals(self, write: Write, score: str, decimals: str) -> None:
        text = f"a Q0 x 1 {score} t\na Q0 y 2 {score} t\n"
        starts(
            one(write(text)),
            [
                ("warning", None, "2 of 2 documents are tied"),
                ("warning", None, f"no score has more than {decimals}: the ties may be due"),
            ],
        )

    def test_ties_in_single_precision(self, write: Write) -> None:
        text = "a Q0 x 1 10.00000002 t\na Q0 y 2 10.00000001 t\na Q0 z 3 9.5 t\n"
        starts(
            one(write(text)),
            [("warning", None, "2 documents have scores that are equal only in single precision")],
        )

    @pytest.mark.filterwarnings("error")
    def test_scores_beyond_single_precision(self, write: Write) -> None:
        """Numbers too large for single precision are no reason for a warning of NumPy's."""
        report = one(write("a Q0 x 1 1e300 t\na Q0 y 2 1e200 t\na Q0 z 3 1e-300 t\n"))
        assert report.count("error") == 0

    def test_ranks_that_contradict_scores(self, write: Write) -> None:
        text = "b Q0 x 1 2.5 t\na Q0 x 1 1.5 t\na Q0 y 2 2.5 t\na Q0 z 3 0.5 t\n"
        starts(
            one(write(text)),
            [
                (
                    "warning",
                    3,
                    "rank and score disagree in 1 topic (a). Documents are ordered by score.",
                )
            ],
        )

    def test_several_tags(self, write: Write) -> None:
        text = "a Q0 x 1 2.5 t\na Q0 y 2 1.5 u\n"
        starts(one(write(text)), [("warning", None, "2 run tags (t, u), read as separate runs")])
        as_one = one(write(text), "run", None, ReadOptions())
        starts(as_one, [("warning", None, "2 run tags (t, u), read as one run")])

    def test_more_than_100_tags_is_error(self, write: Write) -> None:
        text = "".join(f"a Q0 x 1 2.5 r{i}\n" for i in range(101))
        report = one(write(text))
        assert report.count("error") == 1
        assert report.problems[0].text.startswith("more than 100 run tags (r0, r1, r2, …)")

    def test_topics_without_a_relevant_document(self, write: Write) -> None:
        text = QRELS + "c 0 x 0\nd 0 x -1\n"
        starts(one(write(text)), [("warning", None, "2 topics (c, d) without a relevant document")])

    def test_equal_duplicate_judgments_are_warnings(self, write: Write) -> None:
        report = one(write(QRELS + "a 0 x 1.0\n"))
        text = "duplicate judgment of document 'x' in topic a (first on line 1)"
        starts(report, [("warning", 4, text)])


class TestTopics:
    def test_topics_of_run_and_qrels_are_compared(self, write: Write) -> None:
        qrels = write(QRELS + "c 0 x 1\n", "qrels")
        run = write("a Q0 x 1 2.5 t\nz Q0 x 1 2.5 t\n", "run")
        judged, report = validate([qrels, run])
        assert judged.problems == []
        assert found(report) == [
            ("warning", None, f"only 1 of 3 topics of {qrels} are in the run"),
            ("warning", None, f"2 topics (b, c) of {qrels} missing"),
            ("warning", None, f"1 topic (z) not judged in {qrels}"),
        ]

    def test_no_common_topic_is_error(self, write: Write) -> None:
        qrels = write(QRELS, "qrels")
        report = validate([qrels, write("0a Q0 x 1 2.5 t\n0b Q0 x 1 2.5 t\n", "run")])[1]
        expected = f"found topics 0a, 0b, expected some of a, b (judged in {qrels}; "
        expected += "ids differ only in leading zeros: '0a' and 'a')"
        assert found(report) == [("error", None, expected)]

    def test_topics_of_each_run_are_compared(self, write: Write) -> None:
        qrels = write(QRELS, "qrels")
        text = "a Q0 x 1 2.5 t\nb Q0 z 1 2.5 t\n0a Q0 x 1 2.5 u\na Q0 X 1 2.5 v\n"
        starts(
            validate([qrels, write(text, "run")])[1],
            [
                ("warning", None, "run v: no retrieved document is judged in "),
                ("warning", None, "3 run tags (t, u, v), read as separate runs"),
                ("error", None, "run u: found topics 0a, expected some of a, b"),
                ("warning", None, "run v: 1 topic (b) of "),
            ],
        )

    def test_file_order_is_irrelevant(self, write: Write) -> None:
        one_run = write("a Q0 x 1 2.5 t\n", "1")
        two = write("a Q0 x 1 2.5 u\nb Q0 x 1 1.5 u\n", "2")
        reports = validate([one_run, write(QRELS, "qrels"), two])
        assert [r.count("warning") for r in reports] == [1, 0, 0]

    def test_topics_without_qrels_are_not_compared(self, write: Write) -> None:
        reports = validate([write("a Q0 x 1 2.5 t\n", "1"), write("b Q0 x 1 2.5 u\n", "2")])
        assert [r.problems for r in reports] == [[], []]

    def test_task_topics_without_qrels_are_compared(self, write: Write) -> None:
        topics = write("a boats\nb tuna\nc tides\n", "topics.txt")
        padded = write("0a Q0 x 1 2.5 p\n", "padded")
        reports = validate([write(RUN, "run"), padded], topics=topics)
        note = f"{topics}: the first word of each line is read as the topic"
        missing = f"1 topic (c) of {topics} missing"
        starts(reports[0], [("warning", None, note), ("warning", None, missing)])
        text = f"found topics 0a, expected some of a, b, … (topics of {topics}; ids differ only in"
        starts(reports[1], [("error", None, text)])
        (report,) = validate([write(RUN, "run")], topics="a,c,d")
        assert [p.text for p in report.problems] == [
            "only 1 of 3 topics of the task are in the run",
            "2 topics (c, d) of the task missing",
            "1 topic (b) not among the topics of the task",
        ]

    def test_task_topics_override_judged_topics(self, write: Write) -> None:
        qrels, run = write("a 0 x 1\nz 0 x 1\n", "qrels"), write(RUN, "run")
        judged, answered = validate([qrels, run], topics="a,b")
        starts(judged, [("warning", None, "1 topic (z) not among the topics of the task")])
        assert answered.problems == []
        strangers = write(RUN.replace(" x ", " other ").replace(" y ", " more "), "strangers")
        starts(
            validate([qrels, strangers], topics="a,b")[1],
            [("warning", None, f"no retrieved document is judged in {qrels}")],
        )

    def test_long_lists_are_shortened(self, write: Write) -> None:
        qrels = write("".join(f"t{i} 0 x 1\n" for i in range(9)), "qrels")
        report = validate([qrels, write("t0 Q0 x 1 2.5 t\n", "run")])[1]
        assert report.problems[1].text == f"8 topics (t1, t2, t3, t4, t5, …) of {qrels} missing"


class TestSeveralFiles:
    def test_broken_file_does_not_stop_validation(self, write: Write) -> None:
        packed = gzip.compress(RUN.encode() * 500)
        cut = write(packed[: len(packed) // 2], "cut.gz")
        short = write(packed[:5], "short.gz")
        bad = write(RUN + "a Q0 x 1 2.5 t\n", "bad")
        reports = validate([cut, short, bad])
        starts(reports[0], [("error", None, "corrupt gz data")])
        starts(reports[1], [("error", None, "corrupt gz data")])
        assert [p.line for p in reports[2].problems if p.severity == "error"] == [4]

    def test_tag_in_two_files_is_warning(self, write: Write) -> None:
        one_run, two = write(RUN, "one"), write(RUN, "two")
        own = write(RUN.replace(" t\n", " u\n"), "own")
        reports = validate([one_run, two, own])
        named = "these runs are named by their files"
        starts(reports[0], [("warning", None, f"run tag t is also in 1 other file ({two}): {named}")])
        starts(reports[1], [("warning", None, f"run tag t is also in 1 other file ({one_run}): ")])
        assert reports[2].problems == []
        names = cf.evaluate(write(QRELS, "qrels"), [one_run, two, own], "AP").runs
        assert list(names) == [one_run, two, "u"]

    def test_utf_16_is_one_error(self, write: Write) -> None:
        for many in (1, 100_000):  # one piece, and several
            report = one(write((RUN * many).encode("utf-16")))
            starts(report, [("error", 1, "file is UTF-16, expected UTF-8. Convert it with `iconv ")])


class TestPredictions:
    """For LETOR data: one number for each line of it."""

    DATA = "1 qid:1 1:3\n0 qid:1 1:3\n1 qid:2 1:3\n"

    def test_number_of_predictions_is_checked(self, write: Write) -> None:
        judged, run = validate([write(self.DATA, "test"), write("1\n2\n", "model")])
        assert judged.problems == []
        starts(run, [("error", None, "found 2 predictions, expected 3 (one per judgment of")])

    def test_number_of_predictions_with_invalid_lines_is_not_checked(self, write: Write) -> None:
        """Such lines are not counted, so their number says nothing."""
        data, model = write(self.DATA, "test"), write("1\n2\n3\n", "model")
        wrong = [write(self.DATA.replace("0 qid:1", "x qid:1"), "wrong"), write("1\nx\n3\n", "bad")]
        judged, run = validate([wrong[0], model])
        starts(judged, [("error", 2, "found level 'x', expected a finite number")])
        assert run.problems == []
        judged, run = validate([data, wrong[1]])
        assert judged.problems == []
        starts(run, [("error", 2, "found 'x', expected one number per line")])

    @pytest.mark.parametrize("options", [(), (None, "letor"), ("run",), ("run", "letor")])
    def test_predictions_are_detected(self, write: Write, options: tuple[Any, ...]) -> None:
        report = one(write("0.5\n2\n"), *options)
        assert (report.kind, report.format, report.lines) == ("run", "letor", 2)
        assert report.problems == []

    def test_letor_format_applies_to_predictions(self, write: Write) -> None:
        files = [write(self.DATA, "test"), write("1\n2\n3\n", "model")]
        assert [r.kind for r in validate(files, None, "letor")] == ["qrels", "run"]

    def test_predictions_are_not_judgments(self, write: Write) -> None:
        report = one(write("0.5\n2\n"), "qrels")
        assert (report.kind, report.format, report.lines) == ("qrels", "trec", 0)
        starts(report, [("error", line, "found 1 field") for line in (1, 2)])
        hint = "(this looks like predictions: judgments must come first)"
        assert all(p.text.endswith(hint) for p in report.problems)


class TestCommand:
    @pytest.fixture
    def command(self, cranfield: Command) -> Command:
        return cranfield.of("validate")

    def test_valid_files_exit_0(self, write: Write, command: Command) -> None:
        qrels, run = write(QRELS, "qrels"), write(RUN, "run")
        code, out, err = command(qrels, run)
        assert (code, err) == (0, "")
        assert out.splitlines() == [
            f"{qrels}: 3 judgments (trec), 2 topics: fine",
            f"{run}: 3 results (trec), 2 topics: fine",
        ]

    def test_warnings(self, write: Write, command: Command) -> None:
        path = write(QRELS + "c 0 x 0\n")
        assert command.printed(path).splitlines() == [
            f"{path}: warning: 1 topic (c) without a relevant document",
            f"{path}: 4 judgments (trec), 3 topics: 1 warning",
        ]

    def test_errors(self, write: Write, command: Command) -> None:
        path = write("a 0 x 1\na 0 y\na 0 x 2\na 0 x 1\n")
        code, out, _ = command(path)
        lines = out.splitlines()
        assert code == 2
        assert lines[0].startswith(f"{path}:2: error: found 3 fields ('a 0 y'), expected 4: ")
        assert lines[1].startswith(f"{path}:3: error: conflicting levels for document 'x' in topic a")
        assert lines[2].startswith(f"{path}:4: warning: duplicate judgment of document 'x' in topic a")
        assert lines[3].endswith(", 1 topic: 2 errors, 1 warning")

    def test_error_in_any_file_exits_1(self, write: Write, command: Command) -> None:
        good, bad = write(QRELS, "good"), write("a 0 x\n", "bad")
        for order in ((good, bad), (bad, good)):
            code, out, _ = command(*order, "--kind", "qrels")
            assert code == 2
            assert f"{good}: 3 judgments (trec), 2 topics: fine" in out.splitlines()

    def test_many_errors_of_one_kind_are_counted(self, write: Write, command: Command) -> None:
        """Each kind by itself, in the order of the file; then how many more there are."""
        few = [f"a 0 y{i}\n" for i in range(5)]
        path = write("".join(["a 0 x 1\n", *few, *["a 0 x 1\n"] * 23, *few * 4, "a 0 z nan\n"]))
        code, out, _ = command(path)
        lines = out.splitlines()
        assert code == 2
        places = [int(line.split(":")[1]) for line in lines if line.startswith(f"{path}:")
                  and line.split(":")[1].isdigit()]  # fmt: skip
        assert places == [*range(2, 27), *range(30, 45), 50]
        assert lines[-3:-1] == [
            f"{path}: 5 more like line 2 (--all lists them)",
            f"{path}: 3 more like line 7 (--all lists them)",
        ]
        assert lines[-1].endswith("26 errors, 23 warnings")
        every = command(path, "--all")[1].splitlines()
        assert len(every) == 26 + 23 + 1
        assert len(json.loads(command(path, "-f", "json")[1])["problems"]) == 26 + 23

    def test_judgments_for_intents(self, write: Write, command: Command) -> None:
        """Thousands of lines say one thing: once."""
        lines = [f"{t} {i} d{d} {(i + d) % 2}\n" for t in "ab" for d in range(50) for i in range(9)]
        path = write("".join(lines))
        code, out, _ = command(path)
        error, intents, more, total = out.splitlines()
        assert code == 2
        assert error.startswith(f"{path}:2: error: conflicting levels for document 'd0' in topic a")
        assert intents.startswith(f"{path}: ")
        assert "--by-intent" in intents
        assert out.count("--by-intent") == 1
        assert more == f"{path}: 799 more like line 2 (--all lists them)"
        assert total.endswith("400 errors, 400 warnings")
        assert len(command(path, "--all")[1].splitlines()) == 802
        assert command.printed(path, "--by-intent").endswith(": fine\n")

    def test_no_such_file(self, tmp_path: Path, command: Command) -> None:
        assert "no such file" in command.refused(tmp_path / "nowhere")

    def test_kind_and_format(self, write: Write, command: Command) -> None:
        path = write(json.dumps({"a": {"x": 1}}))
        assert "1 judgment (json)" in command(path).out.splitlines()[-1]
        assert "1 result (json)" in command(path, "--kind", "run").out.splitlines()[-1]
        assert command(path, "--format", "trec").code == 2
        assert "'topic'" in command.refused(path, "--kind", "topic")

    def test_standard_input(self, command: Command) -> None:
        found = command.printed("-", stdin=RUN)
        assert found == "standard input: 3 results (trec), 2 topics: fine\n"


@pytest.mark.slow
def test_many_topics_are_compared_fast(write: Write) -> None:
    """10,000 of each side, of which few are the other's: it took ten times as long."""
    topics = range(10_000)
    qrels = write("".join(f"{t} 0 a 1\n" for t in topics), "qrels")
    run = write("".join(f"{t + 9_000} Q0 a 1 1 r\n" for t in topics), "run")
    apart = sum(seconds(lambda path=path: validate([path])) for path in (qrels, run))  # type: ignore[misc]
    assert seconds(lambda: validate([qrels, run])) < 3 * apart


def test_duplicate_document_is_found_in_one_pass(write: Write) -> None:
    """As a key and in a list; of 40,000 documents it took most of a minute."""
    docs = [f'"d{i}"' for i in [*range(40_000), 39_999]]
    scored = write(f'{{"1": {{{", ".join(f"{doc}: 1" for doc in docs)}}}}}', "scored.json")
    listed = {"1": [*range(40_000), 39_999]}

    def refused() -> None:
        with pytest.raises(cf.CranfieldError, match="duplicate key 'd39999'"):
            cf.read_run(scored)
        with pytest.raises(cf.CranfieldError, match="duplicate document '39999' in topic 1"):
            cf.read_run(listed)

    assert seconds(refused) < 10


class TestDecidesAsEvaluate:
    """What `validate` passes is evaluated, and what it refuses is not, with the same sentence."""

    @staticmethod
    def agree(path: str, kind: str = "run") -> str:
        report, said = one(path, kind), ""
        try:
            if kind == "run":
                cf.evaluate({"a": {"x": 1}, "b": {"y": 1}}, path, "AP")
            else:
                cf.read_qrels(path)
        except cf.CranfieldError as error:
            said = str(error)
        causes = [str(p.cause) for p in report.problems if p.severity == "error"]
        assert said in (causes or [""]), found(report)
        return said

    @pytest.mark.parametrize(
        ("scores", "fine"),
        [
            (["1.5", "2"], True),
            (["1.5", "x"], False),
            (["1.5", "٣"], False),
            ([date(2020, 1, 1), date(2021, 1, 1)], False),
            ([timedelta(1), timedelta(2)], False),
            ([time(1), time(2)], False),
            ([True, False], False),
            ([Decimal("1.5"), Decimal(2)], True),
        ],
    )
    @pytest.mark.parametrize("format", ["parquet", "arrow"])
    def test_scores_of_other_types(self, write: Write, scores: list[Any], fine: bool, format: str) -> None:
        table = TABLE.with_columns(score=pl.Series(scores))
        assert (self.agree(write(binary(table, format))) == "") == fine

    @pytest.mark.parametrize(
        "text",
        [
            "topic,doc,score\ra,x,1\rb,y,2\r",
            "topic,doc,score\r\na,x,1\rb,y,2\r\n",
            "topic,doc,score\na,x,1\nb,y",
            'topic,doc,score\na,x,1\nb,"y,2',
            "topic,doc,score\na,x,1\nb,y\0,2\n",
            "topic,doc,score\na,x,1\nb,\x1cy\x0b,2",
            "topic\tdoc\tscore\na\tx\t1\nb\ty\x85\t2\x0c\n",
            "topic\tdoc\tscore\na\tx\t1\nb\ty\t\n",
            "topic,doc,rank\na,x,1\nb,y,x\n",
        ],
    )
    def test_tables_of_text(self, write: Write, text: str) -> None:
        self.agree(write(text))

    @pytest.mark.parametrize(
        "text",
        [
            '<R><TOPIC ID="a"><D DOCID="x"/></TOPIC></R>',
            '<R><TOPIC ID="a"><D DOCID="x"/><D DOCID="x"/></TOPIC></R>',
            '<R><TOPIC ID="a"><D DOCID="x"/></TOPIC><TOPIC ID="b"/></R>',
            '<R><TOPIC ID="a"><D DOCID="x"></TOPIC></R>',
        ],
    )
    def test_xml(self, write: Write, text: str) -> None:
        self.agree(write(text, "run.xml"))

    def test_comments_of_letor_data(self, write: Write) -> None:
        for line in (b"1 qid:a 1:1 # caf\xe9\n", b"# caf\xe9\n1 qid:a 1:1\n"):
            self.agree(write(line + b"0 qid:a 1:2 # x\n"), "qrels")
