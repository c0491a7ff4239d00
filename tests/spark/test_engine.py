"""Spark and the local engine say the same, of numbers and of what is to be known about them."""

from __future__ import annotations

import gzip
import lzma
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.errors import CranfieldError, InputError
from cranfield.spark import engine
from cranfield.spark.engine import evaluate, scores

RUNS = ("a", "b", "c")
TOPICS = [f"q{n}" for n in range(1, 25)]
TYPES = ("Image", "News", "Web", "Video")  # of which nobody wants the last
MEASURES = "AP nDCG@10 RR P@5 Recall@1000 Judged@10 bpref ERR@20 RBP(p=0.8) num_ret"


def collection(seed: int, docs: int = 40) -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
    """Judgments, and rows of three runs: with ties, missing topics and some that nobody judged."""
    draw = random.Random(seed)  # noqa: S311
    names = [f"d{n}" for n in range(docs)] + ["é", "D-very-long-" + "x" * 280]
    qrels = {topic: {doc: draw.choice([-1, 0, 0, 1, 2, 3]) for doc in draw.sample(names, 15)} for topic in TOPICS}
    qrels[TOPICS[0]] = dict.fromkeys(qrels[TOPICS[0]], 0)  # nothing is relevant
    rows = []
    for run in RUNS:
        for topic in [*TOPICS, "unjudged"]:
            if draw.random() < 0.15:
                continue
            scale = draw.choice([1, 7, 1000])  # all tied, some, hardly any
            found = draw.sample(names, draw.randint(1, docs))
            values = sorted((round(draw.random() * scale) / 8 for _ in found), reverse=True)
            for rank, (doc, value) in enumerate(zip(found, values, strict=True), 1):
                rows.append((run, topic, doc, value, rank, TYPES[rank % 4]))
    return qrels, rows


QRELS, ROWS = collection(1)


@pytest.fixture(scope="module")
def frame(spark: Any) -> Any:
    """The rows in any order, in several partitions."""
    mixed = random.Random(2).sample(ROWS, len(ROWS))  # noqa: S311
    return spark.createDataFrame(mixed, SCHEMA).repartition(3).cache()


SCHEMA = "run string, topic string, doc string, score double, rank int, type string"


def local(qrels: Any = QRELS, rows: Any = ROWS, **options: Any) -> cf.Scores:
    import polars as pl

    frame = pl.DataFrame(rows, [name.split()[0] for name in SCHEMA.split(", ")], orient="row")
    return cf.evaluate(qrels, frame, options.pop("measures", MEASURES), **options)


def same(mine: cf.Scores, theirs: cf.Scores, kinds: bool = True) -> None:
    """To the last bit, whatever the order of the runs."""
    assert set(mine.runs) == set(theirs.runs)
    assert (mine.topics, mine.measures) == (theirs.topics, theirs.measures)
    mine = mine.select(runs=list(theirs.runs))
    assert np.array_equal(mine.values, theirs.values, equal_nan=True)
    texts = [{n.text for n in x.notes if n.kind != "unjudged-topics"} for x in (mine, theirs)]
    if kinds:
        assert texts[0] == texts[1]


INTENTS = {
    topic: {str(i): {doc: max(0, level) for doc, level in docs.items()} for i in (1, 2)}
    for topic, docs in QRELS.items()
}
VERTICALS = {topic: {"1": {"Image": 2, "Web": 1}, "2": {"News": 1, "Web": 3}} for topic in INTENTS}
OPTIONS: dict[str, dict[str, Any]] = {
    "usual": {},
    "by rank": {"ties": "rank"},
    "best": {"ties": "best", "depth": 7, "undefined": "skip", "topics": "common"},
    "expected": {"ties": "expected", "measures": "AP nDCG@10 ERR@20", "tie_samples": 5},
    "gains": {"gains": "topic", "condensed": True, "topics": TOPICS[:5], "measures": "nDCG AP"},
    "blocks": {
        "block_cells": 64,
        "residuals": True,
        "gains": "unit",
        "measures": "RBP(p=0.8) AP INST(T=2)",
    },
    "classes": {
        "labelling": cf.EquivalenceClasses({t: {d: str(len(d)) for d in docs} for t, docs in QRELS.items()}),
        "undefined": "nan",
    },
    "lengths": {
        "lengths": {doc: 10 * n + 1 for n, doc in enumerate(sorted({row[2] for row in ROWS}))},
        "measures": "TBG AP",
    },
    "costs": {
        "costs": {t: {row[2]: len(row[2]) for row in ROWS} for t in TOPICS},
        "measures": "INST(T=2).ETC",
        "gains": "unit",
    },
    "costs of types": {
        "costs": {kind: n + 1.5 for n, kind in enumerate(TYPES)},
        "measures": "INST(T=2).ETC RBP(p=0.8).EC",
        "gains": "unit",
    },
    "chunks": {"chunks": lambda doc: doc[:2], "duplicates": "best"},
    "verticals": {
        "qrels": INTENTS,
        "verticals": VERTICALS,
        "measures": "Vscore@10 QUscore@10 Dsharp(nDCG)@10",
    },
    "verticals as items": {
        "qrels": INTENTS,
        "verticals": VERTICALS,
        "embed_verticals": True,
        "measures": "Dsharp(nDCG)@10 alpha_nDCG@10",
    },
    "intents": {
        "qrels": INTENTS,
        "intents": {topic: {"1": 0.25, "2": 0.75} for topic in INTENTS},
        "measures": "IA(ERR)@10 Dsharp(nDCG)@10 AP",
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("name", OPTIONS)
def test_as_the_local_engine(frame: Any, name: str) -> None:
    same(on_spark(frame, **OPTIONS[name]), local(**OPTIONS[name]))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*OPTIONS])
def test_judgments_that_are_spread(frame: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scores are the same with several passes."""
    monkeypatch.setattr(engine, "HITS_PER_PASS", 200)
    same(on_spark(frame, **OPTIONS[name], judgments="spread"), local(**OPTIONS[name]))


def on_spark(frame: Any, qrels: Any = QRELS, measures: str = MEASURES, **how: Any) -> cf.Scores:
    return scores(qrels, frame, measures, **how)


@pytest.mark.slow
@pytest.mark.parametrize("judgments", ["broadcast", "spread"])
def test_the_best_of_lines_that_are_repeated(spark: Any, judgments: Any) -> None:
    """Some documents once more, with another score."""
    draw = random.Random(5)  # noqa: S311
    again = [(*row[:3], row[3] - 0.5, row[4] + 50, row[5]) for row in draw.sample(ROWS, 300)]
    rows = draw.sample([*ROWS, *again], len(ROWS) + 300)
    frame = spark.createDataFrame(rows, SCHEMA).repartition(3)
    for ties in ("trec", "rank"):
        theirs = local(rows=rows, duplicates="best", ties=ties)
        same(on_spark(frame, duplicates="best", ties=ties, judgments=judgments), theirs)
        assert any("duplicate lines dropped" in note.text for note in theirs.notes)


@pytest.mark.slow
def test_intents(frame: Any) -> None:
    for measures, each in (("Dsharp(nDCG)@10 alpha_nDCG@10", False), ("nDCG@10 IA(ERR)@10", True)):
        mine = scores(INTENTS, frame, measures, per_intent=each, block_cells=400)
        same(mine, local(INTENTS, measures=measures, per_intent=each))
    mine = scores(INTENTS, frame, measures, per_intent=True, judgments="spread")
    same(mine, local(INTENTS, measures=measures, per_intent=True))


@pytest.mark.slow
def test_a_frame_of_scores_can_be_compared(spark: Any, frame: Any) -> None:
    found = evaluate(QRELS, frame, "AP nDCG@10", spark=spark)
    assert found.columns == ["run", "topic", "measure", "value"]
    mine, theirs = cf.read_scores(found), local(measures="AP nDCG@10")
    mine = mine.select(runs=list(theirs.runs), topics=list(theirs.topics))
    assert np.array_equal(mine.values, theirs.values)
    pairs = [cf.compare(x, measures="AP", test="t").pairs for x in (found, theirs)]
    assert [(p.run, p.other) for p in pairs[0]] == [(p.run, p.other) for p in pairs[1]]
    for pair, other in zip(*pairs, strict=True):
        assert pair.pvalue == pytest.approx(other.pvalue, abs=1e-12)  # topics in another order


# -- files ----------------------------------------------------------------------------------------


def written(path: Path, run: str, rows: Any = ROWS) -> Path:
    """A run in TREC's format, by score."""
    own = [row for row in rows if row[0] == run]
    lines = [f"{topic} Q0 {doc} {rank} {score} {run}\n" for _, topic, doc, score, rank, _ in own]
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.mark.slow
def test_text_and_parquet(spark: Any, frame: Any, tmp_path: Path) -> None:
    """The same lines as text, as packed text of several runs, and as Parquet."""
    text = [str(written(tmp_path / f"{run}.txt", run)) for run in RUNS]
    theirs = cf.evaluate(QRELS, text, MEASURES)
    mine = scores(QRELS, text, MEASURES, spark=spark)
    assert [n.text for n in mine.notes] == [n.text for n in theirs.notes]
    assert mine == theirs
    together = tmp_path / "all.txt.gz"
    together.write_bytes(gzip.compress(b"".join(Path(path).read_bytes() for path in text)))
    same(scores(QRELS, str(together), MEASURES, spark=spark), theirs, kinds=False)
    frame.write.parquet(str(tmp_path / "rows.parquet"))
    same(scores(QRELS, str(tmp_path / "rows.parquet"), MEASURES, spark=spark), local(), kinds=True)


# -- what is refused ------------------------------------------------------------------------------


def rows_frame(spark: Any, rows: list[tuple[Any, ...]]) -> Any:
    return spark.createDataFrame(rows, "topic string, doc string, score double").repartition(2)


GOOD = [("q1", f"d{n}", float(n)) for n in range(6)] + [("q2", "d1", 1.0)]


@pytest.mark.slow
def test_duplicates(spark: Any) -> None:
    qrels = {"q1": {"d1": 1}, "q2": {"d1": 0}}
    judged = rows_frame(spark, [*GOOD, ("q1", "d1", 9.0)])
    for check in (True, False):
        with pytest.raises(InputError, match="duplicate document 'd1' in topic q1"):
            scores(qrels, judged, check_duplicates=check)
    between = {"q1": {"d1": 1, "d3": 1}}  # in its list between the two lines of d1
    with pytest.raises(InputError, match="duplicate document 'd1' in topic q1"):
        scores(between, judged, check_duplicates=False)
    others = rows_frame(spark, [*GOOD, ("q1", "d4", 9.0)])
    with pytest.raises(InputError, match="run: duplicate document 'd4' in topic q1"):
        scores(qrels, others)
    assert scores(qrels, others, "RR", check_duplicates=False).runs == ("run",)


@pytest.mark.slow
def test_bad_rows(spark: Any, tmp_path: Path) -> None:
    qrels = {"q1": {"d1": 1}}
    bad = rows_frame(spark, [*GOOD, ("q1", "x", float("nan")), ("q1", None, 1.0)])
    with pytest.raises(InputError, match=r"found topic 'q1', doc .* expected identifiers and a"):
        scores(qrels, bad)
    with pytest.raises(InputError, match="2 bad rows in all"):
        scores(qrels, bad, bad_rows="count")
    path = tmp_path / "run.txt"
    path.write_text("q1 Q0 d1 1 2.5 r\nq1 Q0 d2 2 high r\nq1 Q0 d3 3 1 r extra\n")
    with pytest.raises(InputError, match=r"run.txt: found score 'high' \('q1 Q0 d2 2 high r'\), exp"):
        scores(qrels, str(path), spark=spark)
    with pytest.raises(InputError, match="2 bad rows in all"):
        scores(qrels, str(path), spark=spark, bad_rows="count")


@pytest.mark.slow
def test_what_cannot_be(spark: Any, frame: Any, tmp_path: Path) -> None:
    one = {"q1": {"d1": 1}}
    for options in ({"ties": "given"}, {"ties": "file"}, {"duplicates": "first"}):
        with pytest.raises(InputError, match="Spark does not keep"):
            scores(QRELS, frame, **options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="3 run tags"):
        scores(QRELS, {"mine": frame})
    with pytest.raises(InputError, match="found topics q1, q2, expected some of other"):
        scores({"other": {"d": 1}}, rows_frame(spark, GOOD))
    with pytest.raises(InputError, match="paths or DataFrames of Spark"):
        scores(one, {"x": {"q1": ["d1"]}}, spark=spark)
    (tmp_path / "run.json").write_text('{"q1": {"d1": 1}}')
    with pytest.raises(InputError, match="found a json run, expected lines of text, Parquet"):
        scores(one, str(tmp_path / "run.json"), spark=spark)


LINES = "q1 Q0 d1 1 2 r\nq1 Q0 d2 2 1 r\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("nowhere.txt", None, "cannot read nowhere.txt: no such file or directory"),
        ("empty", {}, "cannot read empty: Spark finds no file"),
        ("_hidden.txt", LINES, "cannot read _hidden.txt: Spark finds no file"),
        ("run.xz", lzma.compress(LINES.encode()), "run.xz: found xz data, expected text, or"),
        (
            "run",
            gzip.compress(LINES.encode(), mtime=0),
            "run: found gz data, expected text, or packed",
        ),
        ("x:y.txt", LINES, "cannot read x:y.txt: .*URI"),
        ("half.gz", gzip.compress(bytes(range(256)) * 9)[:250], "cannot read half.gz"),
        ("p.parquet", b"PAR1\x15" + bytes(99), "cannot read p.parquet: .*not a Parquet file"),
        ("s3a://runs/bm25", None, "cannot read s3a://runs/bm25: "),
        ("-", None, "-: found standard input, expected a path"),
    ],
)
def test_paths_that_cannot_be_read(
    spark: Any, name: str, content: Any, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if content == {}:
        Path(name).mkdir()
    elif content is not None:
        Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    path = name if ":" in name or name == "-" else str(tmp_path / name)
    with pytest.raises(CranfieldError, match=said.replace(name, f"(.*/)?{name}", 1)) as told:
        scores({"q1": {"d1": 1}}, path, spark=spark)
    assert "\n" not in str(told.value)
    assert "An error occurred while calling" not in str(told.value)


@pytest.mark.slow
def test_names_of_files_are_no_patterns(spark: Any, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("run[1].txt", "a {b}* é %41.txt")]
    for path in paths:
        path.write_text(LINES)
        assert scores({"q1": {"d2": 1}}, path, "RR", spark=spark).values.item() == 0.5
    (tmp_path / "run1.txt").write_text(LINES.replace("q1", "q2"))
    both = scores({"q1": {"d2": 1}, "q2": {"d1": 1}}, str(tmp_path / "run?*.txt"), "RR", spark=spark)
    assert both.values.ravel().tolist() == [0.5, 1.0]  # what is a pattern to Spark stays one


@pytest.mark.slow
def test_what_is_not_known_of_a_document_is_the_same_error(frame: Any) -> None:
    """Found by a worker, and told with all that the local engine tells."""
    how: dict[str, Any] = {"measures": "INST(T=2)", "costs": {"q2": {"d1": 3.0}}, "gains": "unit"}
    with pytest.raises(InputError) as mine:
        on_spark(frame, **how)
    with pytest.raises(InputError) as theirs:
        local(**how)
    assert mine.value.where == theirs.value.where == "costs"
    assert mine.value.expected == theirs.value.expected


@pytest.mark.slow
def test_rows_that_change_between_passes_are_no_scores(spark: Any, tmp_path: Path) -> None:
    """A DataFrame that is something else whenever it is computed."""

    def changing(batches: Any) -> Any:
        again = (tmp_path / "seen").exists()
        (tmp_path / "seen").touch()
        for batch in batches:
            yield batch.slice(0, 1) if again else batch

    frame = rows_frame(spark, GOOD).coalesce(1)
    frame = frame.mapInArrow(changing, frame.schema)
    with pytest.raises(InputError, match="other rows in the second pass, expected those of the"):
        scores({"q1": {"d1": 1, "d2": 1, "d3": 1}}, frame)


@pytest.mark.slow
def test_sampled_judgments(spark: Any, tmp_path: Path) -> None:
    """Ties of nonrelevant documents matter to them: how many are tied is told."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q1 0 d1 1 1\nq1 0 d2 1 0\nq1 0 d3 2 -1\nq1 0 d4 2 1\n")
    run.write_text("q1 Q0 d1 1 9 r\n" + "".join(f"q1 Q0 d{n} {n} 5 r\n" for n in (2, 3, 7)))
    mine = scores(qrels, run, "xinfAP infNDCG", spark=spark)
    theirs = cf.evaluate(qrels, run, "xinfAP infNDCG")
    assert [n.text for n in mine.notes] == [n.text for n in theirs.notes]
    assert mine == theirs


@pytest.mark.slow
@pytest.mark.parametrize("cluster", ["local-cluster", "standalone"])
def test_an_executor_that_is_killed_changes_nothing(spark: Any, cluster: str) -> None:
    """In a process of its own, as there is one Java in each."""
    script = Path(__file__).with_name("killed.py")
    done = subprocess.run(
        [sys.executable, str(script), cluster],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "killed 1, the same" in done.stdout


@pytest.mark.parametrize("path", [False, True])
def test_scores_swapped_arguments_raise_as_in_local_engine(spark: Any, tmp_path: Path, path: bool) -> None:
    draw = random.Random(5)  # noqa: S311
    docs = [f"d{n}" for n in range(40)]
    levels = [(t, doc, draw.choice([0, 0, 1, 2])) for t in TOPICS for doc in draw.sample(docs, 12)]
    run = {t: {doc: draw.random() for doc in draw.sample(docs, 20)} for t in TOPICS}
    given: Any = spark.createDataFrame(levels, "topic string, doc string, score int")
    if path:
        given = str(tmp_path / "levels.txt")
        lines = [f"{t} Q0 {doc} 1 {level} r\n" for t, doc, level in levels]
        Path(given).write_text("".join(lines))
    for evaluate_here in (scores, cf.evaluate):
        with pytest.raises(InputError, match="They look swapped"):
            evaluate_here(run, given, "AP")
    judged: dict[str, dict[str, int]] = {}
    for topic, doc, level in levels:
        judged.setdefault(topic, {})[doc] = level
    both = [{n.text.partition(":")[2] for n in f(judged, given, "AP").notes} for f in (scores, cf.evaluate)]
    assert both[0] == both[1]
    assert any("only the scores 0, 1 and 2" in text for text in both[0])
