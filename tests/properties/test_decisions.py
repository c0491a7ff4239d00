"""The decision table of judgments and runs: permitted guesses and required rejections.

Swaps by value are measured on generated pairs of judgments and runs. No number of a real
collection is in here.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.data.descriptions import read_queries

Nested = Mapping[str, Mapping[str, float]]
QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}
QRELS_CSV = "qid,docid,rel\n1,a,1\n1,b,0\n2,c,2\n"
RUN_CSV = "qid,docid,score\n1,a,1.5\n1,b,3.25\n2,c,2\n"
FORMS = ("csv", "tsv", "jsonl", "json", "parquet", "arrow", "polars", "lazy", "pandas", "records")


def table_of(text: str) -> pl.DataFrame:
    """A CSV text as a frame with numbers."""
    return pl.read_csv(text.encode(), schema_overrides={"qid": pl.String, "docid": pl.String})


def in_form(form: str, frame: pl.DataFrame, folder: Path, name: str) -> Any:
    """A table in a file of some format, or in memory."""
    path = folder / f"{name}.{form}"
    if form in ("csv", "tsv"):
        frame.write_csv(path, separator="\t" if form == "tsv" else ",")
    elif form == "json":
        path.write_text(json.dumps(frame.to_dicts()))
    elif form in ("jsonl", "parquet", "arrow"):
        writers = {"jsonl": "write_ndjson", "parquet": "write_parquet", "arrow": "write_ipc"}
        getattr(frame, writers[form])(path)
    else:
        if form == "pandas":
            return pytest.importorskip("pandas").DataFrame(frame.to_dict(as_series=False))
        return {"polars": frame, "lazy": frame.lazy()}.get(form, frame.to_dicts())
    return path


def hits_in_form(form: str, hits: Mapping[str, Any], folder: Path) -> Any:
    """Hits by topic in memory or in a file, or as records with their topics."""
    records = [{"qid": topic, "results": each} for topic, each in hits.items()]
    path = folder / f"run.{form}"
    if form in ("dict", "records"):
        return hits if form == "dict" else records
    path.write_text(json.dumps(hits) if form == "json" else "\n".join(map(json.dumps, records)))
    return path


def kinds(scores: cf.Scores) -> set[str]:
    return {note.kind for note in scores.notes}


# -- columns --------------------------------------------------------------------------------------

REJECTED = {  # the run or the judgments, and what the error says
    "unknown score": ("run", "qid,docid,bm25\n1,a,1\n1,b,2\n",
                      'no score or rank column among qid, docid, bm25. Use columns={"score": '
                      '"bm25"}, or order="given"'),
    "several numbers": ("run", "qid,docid,year,logit\n1,a,1999,1\n1,b,2000,2\n",
                        'Use columns={"score": "year"} (or logit)'),
    "numbers that are missing": ("run", "qid,docid,pred\n1,a,\n1,b,nan\n2,c,.5\n",
                                 'columns={"score": "pred"}'),
    "a distance": ("run", "qid,docid,distance\n1,a,1\n1,b,2\n",
                   "Lower is better in 'distance'. Use columns={\"rank\": \"distance\"}"),
    "dist": ("run", "qid,docid,Dist\n1,a,1\n1,b,2\n", "Lower is better in 'Dist'"),
    "duplicates": ("run", "qid,docid,score,score\n1,a,1,2\n1,b,2,1\n",
                   "run.csv:1: duplicate column 'score'. Rename"),
    "duplicates in judgments": ("qrels", "qid,docid,rel,rel\n1,a,1,2\n1,b,2,1\n",
                                "qrels.csv:1: duplicate column 'rel'"),
    "relevance in a run": ("run", "qid,docid,relevance\n1,a,1\n1,b,2\n",
                           "column 'relevance' and no score or rank: this looks like judgments"),
    "rating in a run": ("run", "query,docid,Rating\n1,a,1\n1,b,2\n", "looks like judgments"),
    "rank in judgments": ("qrels", "qid,docid,rank\n1,a,1\n1,b,2\n",
                          "column 'rank' and no level: this looks like a run. Judgments come"),
    "score and tag in judgments": ("qrels", "qid,docid,score,tag\n1,a,1,x\n1,b,2,x\n",
                                   "column 'tag' and no level: this looks like a run"),
    "clicks": ("qrels", "qid,docid,position,clicks\n1,a,1,8\n1,b,2,3\n",
               "columns 'position' and 'clicks': clicks depend on the position"),
    "unknown level": ("qrels", "qid,docid,stars\n1,a,1\n1,b,2\n",
                      'no level column among qid, docid, stars. Use columns={"level": "stars"}'),
}  # fmt: skip


class TestColumns:
    @pytest.mark.parametrize("name", REJECTED)
    def test_evaluate_doubtful_columns_raises(self, name: str, tmp_path: Path) -> None:
        kind, text, message = REJECTED[name]
        files = {"qrels": QRELS_CSV, "run": RUN_CSV, kind: text}
        paths = {key: tmp_path / f"{key}.csv" for key in files}
        for key, path in paths.items():
            path.write_text(files[key])
        with pytest.raises(cf.InputError) as caught:
            cf.evaluate(paths["qrels"], paths["run"], "AP")
        assert message in str(caught.value)
        assert str(paths[kind]) in str(caught.value)

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("column", ["scores", "score_x", "pred", "logit", "bm25", "distance"])
    def test_evaluate_unknown_score_column_raises(self, form: str, column: str, tmp_path: Path) -> None:
        frame = table_of(RUN_CSV).rename({"score": column})
        run = in_form(form, frame, tmp_path, "run")
        with pytest.raises(cf.InputError, match=f"no score or rank column among .*{column}"):
            cf.evaluate(QRELS, run, "AP")
        ours = "rank" if column == "distance" else "score"
        scores = cf.evaluate(QRELS, run, "AP", columns={ours: column})
        assert list(scores.summary().values()) == [{"AP": 1.0 if ours == "rank" else 0.75}]
        given = cf.evaluate(QRELS, run, "AP", order="given")
        assert list(given.summary().values()) == [{"AP": 1.0}]
        assert "columns" not in kinds(given)

    @pytest.mark.parametrize("form", ["dict", "json", "records", "jsonl"])
    def test_evaluate_unknown_score_key_of_hits_raises(self, form: str, tmp_path: Path) -> None:
        """Hits in arrays follow the rule of tables; RUN_CSV as hits."""
        hits = {"1": [{"id": "a", "foo": 1.5}, {"id": "b", "foo": 3.25}],
                "2": [{"id": "c", "foo": 2}]}  # fmt: skip
        run = hits_in_form(form, hits, tmp_path)
        with pytest.raises(cf.InputError, match="no score or rank column among id, foo") as caught:
            cf.evaluate(QRELS, run, "AP")
        assert str(caught.value).endswith('Use columns={"score": "foo"}, or order="given" to keep the order of rows.')
        for ours in ("score", "run.score"):
            scores = cf.evaluate(QRELS, run, "AP", columns={ours: "foo"})
            assert list(scores.summary().values()) == [{"AP": 0.75}]
        given = cf.evaluate(QRELS, run, "AP", order="given")
        assert list(given.summary().values()) == [{"AP": 1.0}]

    @pytest.mark.parametrize("form", ["dict", "json", "records", "jsonl"])
    @pytest.mark.parametrize("key", ["title", "id", "relevant", "text"])
    def test_evaluate_hits_without_numbers_use_order(self, form: str, key: str, tmp_path: Path) -> None:
        cells = {"title": "x", "relevant": True, "text": None}
        more = {key: cells[key]} if key in cells else {}
        hits = {t: [{"docid": doc, **more} for doc in docs] for t, docs in QRELS.items()}
        scores = cf.evaluate(QRELS, hits_in_form(form, hits, tmp_path), "AP")
        assert list(scores.summary().values()) == [{"AP": 1.0}]

    def test_evaluate_levels_of_hits_in_run_raise(self) -> None:
        hits = {"1": [{"id": "a", "relevance": 1}, {"id": "b", "relevance": 2}]}
        with pytest.raises(cf.InputError, match="this looks like judgments for topic '1'"):
            cf.evaluate(QRELS, hits, "AP")

    def test_read_qrels_named_level_of_hits_is_read(self) -> None:
        hits = {"1": [{"id": "a", "stars": 3}, {"id": "b", "stars": 0}]}
        qrels = cf.read_qrels(hits, columns={"level": "stars"})
        assert (qrels.to_dict(), qrels.in_doubt) == ({"1": {"a": 3, "b": 0}}, "")

    @pytest.mark.parametrize(("values", "columns"), [
        ((1, 0, 2), "qrels.level=foo"), ((1.5, 0.25, 2.0), "run.score=foo"),
    ])  # fmt: skip
    @pytest.mark.parametrize("form", ["csv", "tsv", "parquet", "arrow", "jsonl", "json"])
    def test_validate_unknown_column_suggests_option_of_its_kind(
        self, form: str, values: Any, columns: str, tmp_path: Path, cranfield: Any
    ) -> None:
        frame = pl.DataFrame({"qid": ["1", "1", "2"], "docid": ["a", "b", "c"], "foo": values})
        path = str(in_form(form, frame, tmp_path, "x"))
        code, out, err = cranfield("validate", path)
        assert code == 2
        assert f"Use --columns {columns}" in out + err
        code, out, err = cranfield("validate", "--columns", columns, path)
        assert code == 0
        assert ("3 judgments" if "level" in columns else "3 results") in out + err

    def test_evaluate_long_parquet_unknown_score_raises(self, tmp_path: Path) -> None:
        rows = (1 << 18) + 1
        docs = [f"d{i}" for i in range(rows)]
        frame = pl.DataFrame({"qid": ["1"] * rows, "docid": docs, "logit": np.arange(rows)})
        frame.write_parquet(tmp_path / "run.parquet")
        with pytest.raises(cf.InputError, match="no score or rank column among qid, docid, logit"):
            cf.evaluate(QRELS, tmp_path / "run.parquet", "AP")

    @pytest.mark.parametrize("form", FORMS)
    def test_evaluate_no_number_uses_order(self, form: str, tmp_path: Path) -> None:
        frame = table_of("qid,docid,title\n1,a,x\n1,b,7\n2,c,y\n")
        scores = cf.evaluate(QRELS, in_form(form, frame, tmp_path, "run"), "AP")
        assert list(scores.summary().values()) == [{"AP": 1.0}]
        (note,) = [x.text for x in scores.notes if x.kind == "columns"]
        assert note.endswith("no score or rank column, the order of the rows is the ranking")

    @pytest.mark.parametrize("name", ["", "Unnamed: 0", "index", "id", "row", "__index_level_0__"])
    @pytest.mark.parametrize("form", ["csv", "pandas", "records"])
    def test_evaluate_row_number_is_no_score(self, name: str, form: str, tmp_path: Path) -> None:
        frame = table_of(QRELS_CSV).drop("rel").with_row_index(name)
        scores = cf.evaluate(QRELS, in_form(form, frame, tmp_path, "run"), "AP")
        assert list(scores.summary().values()) == [{"AP": 1.0}]

    @pytest.mark.parametrize(("header", "named", "note"), [
        ("Query Text,Doc ID,Doc Position", ("Query Text", "Doc ID", "Doc Position"), ""),
        ("QUERY-ID,Doc Id,Rank", ("QUERY-ID", "Doc Id", "Rank"), ""),
        ("id,qid,docid,score", ("qid", "docid", "score"), ""),
        ("id,query,score", ("query", "id", "score"), "the document is column id"),
        ("id,docid,score", ("id", "docid", "score"), "the topic is column id"),
        ("qid,url,score", ("qid", "url", "score"), ""),
        ("qid,url,id,score", ("qid", "id", "score"), "the document is column id, not url"),
        ("qid,url,docid,score", ("qid", "docid", "score"), "the document is column docid, not url"),
        ("query,qid,docid,score", ("qid", "docid", "score"), "the topic is column qid, not query"),
        ("doc_id,docid,qid,score", ("qid", "doc_id", "score"),
         "the document is column doc_id, not docid"),
    ])  # fmt: skip
    def test_read_run_column_names_match(self, header: str, named: tuple[str, ...], note: str, tmp_path: Path) -> None:
        rows = [dict.fromkeys(header.split(","), f"{i}") for i in (2, 1)]
        for place, row in enumerate(rows):
            row |= {named[0]: "1", named[1]: "ab"[place]}
        path = tmp_path / "run.csv"
        path.write_text("\n".join([header, *(",".join(row.values()) for row in rows)]))
        for data in (path, rows, pl.DataFrame(rows)):
            run = cf.read_run(data)
            best = "b" if "osition" in header or "Rank" in header else "a"
            assert run.rankings() == {"1": [best, *{"a", "b"} - {best}]}
            assert run.in_doubt == note

    def test_read_qrels_quaerite_table_takes_id_as_document(self, tmp_path: Path) -> None:
        path = tmp_path / "judgments.csv"
        path.write_bytes(b"\xef\xbb\xbfrelevance,id,query\n1,d1,red lamp\n0,d2,red lamp\n")
        qrels = cf.read_qrels(path)
        assert qrels.to_dict() == {"red lamp": {"d1": 1, "d2": 0}}
        assert qrels.in_doubt == "the document is column id"

    @pytest.mark.parametrize("text", [
        "qid,docid,rank,relevance\n1,a,1,1\n1,b,2,0\n",  # levels of a ranking
        "query_id,product_id,name,label\n1,a,lamp,1\n1,b,bulb,0\n",
        "query-id,corpus-id,score\n1,a,1\n1,b,0\n",
        "Query Text,Doc ID,Doc Position,Clicks,Rating\n1,a,1,7,1\n1,b,2,0,0\n",
    ])  # fmt: skip
    def test_read_qrels_level_next_to_rank_is_read(self, text: str, tmp_path: Path) -> None:
        path = tmp_path / "qrels.csv"
        path.write_text(text)
        assert cf.read_qrels(path).to_dict() == {"1": {"a": 1, "b": 0}}

    @pytest.mark.parametrize("form", ["parquet", "polars", "lazy", "pandas", "csv", "records"])
    def test_evaluate_counted_columns_are_those_of_the_file(self, form: str, tmp_path: Path) -> None:
        columns = {"qid": [1, 1, 2], "x": [1, 2, 3], "docid": [7, 8, 9], "z": [0, 0, 0]}
        run = in_form(form, pl.DataFrame(columns), tmp_path, "run")
        scores = cf.evaluate({"1": {"7": 1}}, run, "RR", columns="topic=1,doc=3,score=2")
        assert list(scores.summary().values()) == [{"RR": 0.5}]


# -- duplicate columns ----------------------------------------------------------------------------

OTHERS: dict[str, tuple[Callable[[Path], Any], str]] = {  # readers of other inputs
    "scores": (cf.read_scores, "run,topic,measure,value,value\na,1,AP,.5,.6\n"),
    "wide scores": (cf.read_scores, "run,topic,AP,AP\na,1,.5,.6\n"),
    "lengths": (lambda path: cf.evaluate(QRELS, QRELS, "U", lengths=path),
                "docid,length,length\na,1,2\n"),
    "costs": (lambda path: cf.evaluate(QRELS, QRELS, "RBP", measurements=True, costs=path),
              "docid,cost,cost\na,1,2\n"),
    "queries": (read_queries, "qid,query,query\n1,x,y\n"),
    "assessments": (cf.read_assessments,
                    "assessor,qid,docid,label,label\nx,1,a,1,2\n"),
}  # fmt: skip


class TestDuplicateColumns:
    @pytest.mark.parametrize("kind", ["qrels", "run"])
    @pytest.mark.parametrize(("name", "text"), [
        ("x.csv", "qid,docid,score,score\n1,a,1,2\n"),
        ("x.csv", 'qid,docid,"score", score\n1,a,1,2\n'),
        ("x.csv", "qid,qid,docid,score\n1,2,a,1\n"),
        ("x.csv", "qid,docid,score,n,n\n1,a,1,2,3\n"),
        ("x.tsv", "qid\tdocid\tscore\tscore\n1\ta\t1\t2\n"),
        ("x.jsonl", '{"qid": "1", "docid": "a", "score": 1, "score": 2}\n'),
        ("x.json", '[{"qid": "1", "docid": "a", "score": 1, "score": 2}]'),
    ])  # fmt: skip
    def test_read_duplicate_column_raises(self, kind: str, name: str, text: str, tmp_path: Path) -> None:
        path = tmp_path / name
        path.write_text(text)
        read = cf.read_qrels if kind == "qrels" else cf.read_run
        with pytest.raises(cf.InputError, match=r"duplicate (column|key)|'score' twice"):
            read(path)

    def test_read_run_parquet_duplicate_column_raises(self, tmp_path: Path) -> None:
        pa = pytest.importorskip("pyarrow")
        import pyarrow.parquet as pq

        table = pa.table([["1"], ["a"], [1.0], [2.0]], names=["qid", "docid", "score", "score"])
        pq.write_table(table, tmp_path / "x.parquet")
        with pytest.raises(cf.InputError, match=r"'score' has more than one .*Rename or remove"):
            cf.read_run(tmp_path / "x.parquet")

    @pytest.mark.parametrize("form", ["file", "stream", "table", "batch"])
    @pytest.mark.parametrize("kind", ["qrels", "run"])
    def test_read_arrow_duplicate_column_raises(self, form: str, kind: str, tmp_path: Path) -> None:
        pa = pytest.importorskip("pyarrow")
        table = pa.table([["1"], ["a"], [1.0], [2.0]], names=["qid", "docid", "é", "é"])
        data: Any = table if form == "table" else table.to_batches()[0]
        if form in ("file", "stream"):
            data = tmp_path / "x.arrow"
            with getattr(pa.ipc, f"new_{form}")(data, table.schema) as writer:
                writer.write_table(table)
        read = cf.read_qrels if kind == "qrels" else cf.read_run
        with pytest.raises(cf.InputError, match=r"duplicate column 'é'\. Rename or remove"):
            read(data)

    def test_read_run_pandas_duplicate_column_raises(self) -> None:
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame([["1", "a", 1, 2]], columns=["qid", "docid", "score", "score"])
        with pytest.raises(cf.InputError, match="run: duplicate column 'score'"):
            cf.read_run(frame)

    def test_read_run_empty_names_are_allowed(self, tmp_path: Path) -> None:
        path = tmp_path / "run.csv"
        path.write_text("qid,docid,score,,\n1,a,1,,\n")
        assert cf.read_run(path).to_dict() == {"1": {"a": 1}}

    @pytest.mark.parametrize("name", OTHERS)
    def test_read_other_input_duplicate_column_raises(self, name: str, tmp_path: Path) -> None:
        read, text = OTHERS[name]
        path = tmp_path / "other.csv"
        path.write_text(text)
        with pytest.raises(cf.InputError, match="duplicate column"):
            read(path)


# -- swaps by value -------------------------------------------------------------------------------

TOPICS = 12
rng = np.random.default_rng


def judged(levels: Callable[[np.random.Generator, int], Any], least: int, most: int) -> Nested:
    """Judgments of so many documents a topic."""
    draw = rng(1)
    sizes = draw.integers(least, most + 1, TOPICS)
    return {
        f"q{t}": dict(zip(_docs(draw, size), map(float, levels(draw, size)), strict=True))
        for t, size in enumerate(sizes)
    }


def retrieved(scores: Callable[[np.random.Generator, int], Any], depth: int, uneven: bool) -> Nested:
    """A run of that depth; uneven, a quarter of its rankings are shorter."""
    draw = rng(2)
    sizes = [depth - 1 - t % 3 if uneven and t % 4 == 0 else depth for t in range(TOPICS)]
    return {
        f"q{t}": dict(zip(_docs(draw, size), map(float, scores(draw, size)), strict=True))
        for t, size in enumerate(sizes)
    }


def _docs(draw: np.random.Generator, size: int) -> list[str]:
    return [f"d{i}" for i in draw.permutation(200)[:size]]


def _integers(low: int, high: int) -> Callable[[np.random.Generator, int], Any]:
    return lambda draw, n: draw.integers(low, high + 1, n)


def _ones(draw: np.random.Generator, n: int) -> Any:
    return np.ones(n)


WHOLE = {
    "one of level 1": judged(_ones, 1, 1),
    "a few of level 1": judged(_ones, 1, 4),
    **{f"{a} to {b}": judged(_integers(a, b), 20, 60)
       for a, b in ((0, 1), (0, 2), (0, 3), (0, 4), (-2, 3), (1, 5), (1, 10))},
}  # fmt: skip
FRACTIONS = {
    "thirds": judged(lambda draw, n: draw.integers(0, 4, n) / 3, 20, 60),
    "halves": judged(lambda draw, n: draw.integers(0, 7, n) / 2, 20, 60),
    "percent": judged(_integers(0, 100), 20, 60),
    "click rates": judged(lambda draw, n: draw.beta(1, 9, n), 20, 60),
}
SCORES: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "cosine": lambda draw, n: np.sort(draw.uniform(0.2, 0.9, n))[::-1],
    "BM25": lambda draw, n: np.sort(draw.gamma(9, 2, n))[::-1].round(4),
    "log": lambda draw, n: -np.sort(draw.gamma(2, 2, n)),
    "rank": lambda draw, n: np.arange(1, n + 1),
    "inverse rank": lambda draw, n: 1 / np.arange(1, n + 1),
    "negative rank": lambda draw, n: -np.arange(1, n + 1),
}
TIED: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "all 1": _ones,
    "0 and 1": _integers(0, 1),
    "0 to 3": _integers(0, 3),
    "counts": lambda draw, n: draw.poisson(3, n),
}
DEPTHS = (5, 10, 100)


def runs(scores: Mapping[str, Callable[[np.random.Generator, int], Any]]) -> list[Nested]:
    """The runs of all depths; a quarter of them is uneven."""
    return [
        retrieved(scores[name], depth, (i + j) % 4 == 0)
        for (i, name), (j, depth) in product(enumerate(scores), enumerate(DEPTHS))
    ]


def decision(first: Any, second: Any, **options: Any) -> str:
    """What becomes of judgments and a run."""
    try:
        found = kinds(cf.evaluate(first, second, "RR", **options))
    except cf.InputError as error:
        assert "look swapped: judgments come first" in str(error)  # noqa: PT017
        return "rejected"
    if "swapped" in found:
        return "warning"
    return "note" if found & {"few-scores", "levels"} else "none"


class TestSwaps:
    # The counts of the specification: right order rejected; swapped rejected, note, no message.
    @pytest.mark.parametrize(("qrels", "scores", "right", "swapped"), [
        (WHOLE, SCORES, {"none": 162}, {"rejected": 162}),
        (WHOLE, TIED, {"note": 108}, {"note": 108}),
        (FRACTIONS, SCORES, {"none": 36, "note": 36}, {"rejected": 36, "note": 36}),
        (FRACTIONS, TIED, {"rejected": 6, "warning": 18, "note": 24}, {"note": 24, "none": 24}),
    ])  # fmt: skip
    def test_evaluate_generated_pairs_are_decided_as_measured(
        self, qrels: Any, scores: Any, right: Any, swapped: Any
    ) -> None:
        pairs = [*product(qrels.values(), runs(scores))]
        assert Counter(decision(q, r) for q, r in pairs) == right
        assert Counter(decision(r, q) for q, r in pairs) == swapped

    @pytest.mark.parametrize("declared", [
        {"qrels_format": "json"}, {"run_format": "json"}, {"columns": {"score": "x"}},
    ])  # fmt: skip
    def test_evaluate_declared_formats_are_not_checked(self, declared: Any) -> None:
        run = retrieved(SCORES["cosine"], 10, False)
        assert decision(run, WHOLE["0 to 3"], **declared) == "none"

    def test_evaluate_objects_that_were_read_are_not_checked(self) -> None:
        qrels, run = WHOLE["0 to 3"], retrieved(SCORES["cosine"], 10, False)
        assert decision(run, qrels) == "rejected"
        assert decision(cf.read_qrels(run), qrels) == "none"
        assert decision(run, cf.read_run(qrels)) == "note"  # that levels look like scores
        assert decision(run, [cf.read_run(qrels, name="a"), cf.read_run(qrels, name="b")]) == "note"

    @pytest.mark.parametrize("audited", [False, True])
    def test_judge_swapped_arguments_raise(self, audited: bool) -> None:
        """Both human assessors and the LLM judge seem to give scores, and the run gives levels."""
        qrels, run = WHOLE["0 to 3"], retrieved(SCORES["cosine"], 10, False)
        people: dict[str, Any] = dict(run)
        options: dict[str, Any] = {}
        if audited:
            audit = cf.audit(qrels, 20, "P@5", depth=5, seed=1)
            options = {"audit": audit.order}
            people = {}
            for place, (topic, doc) in enumerate(audit.order.pairs[: audit.to_judge]):
                people.setdefault(topic, {})[doc] = 0.5 + place / 1000
        with pytest.raises(cf.InputError, match="look swapped: judgments come first"):
            cf.judge(people, run, qrels, "P@5", **options)
        declared = cf.judge(cf.read_qrels(people), cf.read_qrels(run), qrels, "P@5", **options)
        assert declared.runs

    def test_evaluate_second_run_swapped_raises(self) -> None:
        click = FRACTIONS["click rates"]
        runs = {"a": retrieved(SCORES["cosine"], 10, False), "b": WHOLE["0 to 3"]}
        assert decision(click, runs) == "rejected"

    def test_evaluate_uniform_run_warns(self) -> None:
        scores = cf.evaluate(FRACTIONS["click rates"], retrieved(TIED["0 to 3"], 10, False), "RR")
        assert scores.notes[0].kind == "swapped"
        assert "scores 0, 1, 2 and 3 look like levels" in scores.notes[0].text

    def test_evaluate_scattered_topics_are_noted_once(self, tmp_path: Path) -> None:
        run = retrieved(TIED["0 to 3"], 10, False)
        rows = [(d, t, x) for t, docs in run.items() for d, x in docs.items()]
        path = tmp_path / "run.txt"
        path.write_text("".join(f"{t} Q0 {d} 1 {x:g} tag\n" for d, t, x in sorted(rows)))
        assert decision(FRACTIONS["click rates"], path) == "warning"

    @pytest.mark.parametrize("command", [
        "evaluate", "compare {other}", "report {other} -o {out}.html", "topics", "label",
        "plot runs -o {out}.svg", "meta leave-one-out {other}", "meta stability {other}",
    ])  # fmt: skip
    def test_commands_swapped_files_exit_2(
        self, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        from cranfield.cli.main import main

        paths = []
        for kind, data in (("r", retrieved(SCORES["cosine"], 10, False)), ("q", WHOLE["0 to 3"])):
            paths.append(tmp_path / f"{kind}.json")
            paths[-1].write_text(json.dumps(data))
        other = tmp_path / "other.json"
        other.write_text(paths[-1].read_text())
        words = command.format(other=other, out=tmp_path / "out").split()
        name = words[:2] if words[0] in ("plot", "meta") else words[:1]
        assert main([*name, *map(str, paths), *words[len(name) :]]) == 2
        said = capsys.readouterr().err
        assert "look swapped: judgments come first" in said
        assert "use --qrels-format or --columns" in said


# -- collections as there are ---------------------------------------------------------------------

COLLECTIONS = {
    "MS MARCO": (judged(_ones, 1, 1), retrieved(SCORES["BM25"], 200, False)),
    "MS MARCO by rank": (judged(_ones, 1, 2), retrieved(SCORES["negative rank"], 100, False)),
    "BEIR": (judged(_integers(0, 2), 3, 40), retrieved(SCORES["cosine"], 100, False)),
    "BEIR, shallow": (judged(_ones, 2, 6), retrieved(SCORES["cosine"], 10, True)),
    "TREC": (judged(_integers(0, 3), 20, 60), retrieved(SCORES["BM25"], 100, True)),
    "TREC web": (judged(_integers(-2, 3), 20, 60), retrieved(SCORES["log"], 10, False)),
    "TREC, 5 deep": (judged(_integers(0, 3), 20, 60), retrieved(SCORES["inverse rank"], 5, True)),
}  # fmt: skip


def named(data: Nested, names: tuple[str, str, str] = ("qid", "docid", "score")) -> pl.DataFrame:
    rows = [(t, d, x) for t, docs in data.items() for d, x in docs.items()]
    return pl.DataFrame(rows, schema=list(names), orient="row")


def as_nested(form: str, data: Nested, folder: Path, name: str) -> Any:
    """Judgments or a run as text, a table, JSON or in memory: which it is, only values tell."""
    path = folder / f"{name}.{form}"
    if form == "triples":
        rows = (f"{t} {d} {x!r}\n" for t, docs in data.items() for d, x in docs.items())
        path.write_text("".join(rows))
        return path
    if form == "nested.json":
        path.write_text(json.dumps(data))
        return path
    if form == "dict":
        return {topic: dict(docs) for topic, docs in data.items()}
    return named(data).rows() if form == "tuples" else in_form(form, named(data), folder, name)


class TestCollections:
    @pytest.mark.parametrize("form", [*FORMS, "triples", "nested.json", "dict", "tuples"])
    @pytest.mark.parametrize("name", COLLECTIONS)
    def test_evaluate_swapped_collection_is_rejected_in_every_form(self, name: str, form: str, tmp_path: Path) -> None:
        qrels, run = (
            as_nested(form, data, tmp_path, kind) for data, kind in zip(COLLECTIONS[name], ("q", "r"), strict=True)
        )
        assert decision(qrels, run) == "none"
        assert decision(run, qrels) == "rejected"

    @pytest.mark.parametrize("name", COLLECTIONS)
    def test_evaluate_swapped_names_are_rejected(self, name: str) -> None:
        qrels, run = COLLECTIONS[name]
        levels, scores = named(qrels, ("qid", "docid", "relevance")), named(run)
        cf.evaluate(levels, scores.with_columns(tag=pl.lit("a")), "RR")
        with pytest.raises(cf.InputError, match="this looks like a run"):
            cf.evaluate(scores.with_columns(tag=pl.lit("a")), levels, "RR")
        with pytest.raises(cf.InputError, match="this looks like judgments"):
            cf.evaluate(scores, levels, "RR")

    @pytest.mark.parametrize("name", COLLECTIONS)
    def test_evaluate_swapped_trec_text_is_rejected(self, name: str, tmp_path: Path) -> None:
        levels, scores = COLLECTIONS[name]
        qrels, run = tmp_path / "q.txt", tmp_path / "r.txt"
        qrels.write_text("".join(f"{t} 0 {d} {x:g}\n" for t, d, x in named(levels).rows()))
        run.write_text("".join(f"{t} Q0 {d} 1 {x!r} x\n" for t, d, x in named(scores).rows()))
        assert decision(qrels, run) == "none"
        with pytest.raises(cf.InputError, match="this looks like a run: judgments must come first"):
            cf.evaluate(run, qrels, "RR")


# -- other notes ----------------------------------------------------------------------------------


class TestNotes:
    def test_evaluate_level_below_zero_is_noted(self) -> None:
        run = {"1": {"a": 0.5, "b": 0.25}}
        scores = cf.evaluate({"1": {"a": 1, "b": -1, "c": 0}}, run, "AP")
        (note,) = [x.text for x in scores.notes if x.kind == "failed"]
        assert note == (
            "qrels: 1 judgment of level -1 counts as nonrelevant. If the judge failed, remove these judgments."
        )

    @pytest.mark.parametrize(("levels", "measure"), [
        ({"a": 1, "b": -1, "c": -2}, "AP"),  # TREC's spam
        ({"a": 1, "b": -1, "c": 0}, "infAP"),  # pooled, not judged
        ({"a": 1, "b": 0}, "AP"),
    ])  # fmt: skip
    def test_evaluate_meant_levels_below_zero_are_not_noted(self, levels: dict[str, float], measure: str) -> None:
        scores = cf.evaluate({"1": levels}, {"1": {"a": 0.5, "b": 0.25}}, measure)
        assert "failed" not in kinds(scores)

    def test_evaluate_one_document_per_topic_warns(self) -> None:
        qrels = judged(_ones, 1, 1)
        run = {topic: {"d1": 0.5 + t / 100} for t, topic in enumerate(qrels)}
        scores = cf.evaluate(qrels, run, "RR")
        assert scores.notes[0].kind in ("one-document", "none-judged")
        assert "one-document" in kinds(scores)
        few = dict(list(run.items())[:9])
        assert "one-document" not in kinds(cf.evaluate(qrels, few, "RR"))

    @pytest.mark.parametrize("data", [
        {"1": ["a", "b"]}, {"1": {"a", "b"}}, [{"id": "1", "relevant": ["a", "b"]}],
    ])  # fmt: skip
    def test_evaluate_judgments_without_levels_are_noted(self, data: Any, tmp_path: Path) -> None:
        note = "documents without a level have level 1"
        scores = cf.evaluate(data, {"1": {"a": 0.5}}, "AP")
        assert [x.text for x in scores.notes if x.kind == "columns"] == [f"qrels: {note}"]
        if not isinstance(data, dict) or isinstance(data["1"], list):
            path = tmp_path / "q.json"
            path.write_text(json.dumps(data))
            assert cf.read_qrels(path).in_doubt.endswith(note)
