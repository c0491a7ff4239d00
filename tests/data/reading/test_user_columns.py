"""`--columns` of all commands that read tables, and the registry of tables."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

import cranfield as cf
import cranfield.data
from cranfield.cli.main import list_parsers, main
from cranfield.cli.validate import READERS
from cranfield.data.reading.cells import Layout
from cranfield.data.reading.user_columns import PIECES, TABLES
from cranfield.options import flatten_rows

QRELS = "topic,doc,level\nq1,d1,2\nq1,d2,0\nq2,d3,1\nq3,d1,1\n"
RUN = "topic,doc,score\nq1,d1,0.9\nq1,d2,0.4\nq2,d4,0.8\nq2,d3,0.7\nq3,d1,0.5\n"
OTHER = "topic,doc,score\nq1,d2,0.9\nq1,d1,0.4\nq2,d3,0.8\nq3,d2,0.7\nq3,d1,0.5\n"
SCORES = "".join(
    f"{run},{topic},{measure},{value}\n"
    for run, topic, measure, value in [
        ("run", "topic", "measure", "value"),
        *((r, f"q{i}", "AP", v) for r, values in (("a", (0.1, 0.5, 0.9)), ("b", (0.3, 0.6, 0.7))) for i, v in
          enumerate(values, 1)),
    ]
)  # fmt: skip
BATTLES = "topic,run,other,preferred\n" + "".join(f"q{i},a,b,{w}\n" for i, w in enumerate("aabatb".replace("t", "a")))
SESSIONS = "topic,session,query,doc,rank,score\nq1,s1,1,d1,1,2\nq1,s1,1,d2,2,1\nq1,s1,2,d1,1,1\n"
ASSIGNMENTS = "topic,run,nugget,importance,assignment\nq1,a,n1,vital,support\nq1,a,n2,okay,not_support\n"

Tables = Mapping[str, tuple[str, Mapping[str, str]]]  # by file: its text, and new names of columns
CASE = {"topic": "case"}
STARS = {"topic": "case", "level": "stars"}
TEXTS = {"topic": "case", "text": "said"}
QUERIES = "topic,query\nq1,red shoes\nq2,shoes\nq3,shoes\n"
BY = "topic,kind\nq1,x\nq2,y\nq3,z\n"
# Arguments, tables, and the option.
CASES: Mapping[str, tuple[str, Tables, str]] = {
    "qrels": ("evaluate qrels.csv a.csv", {"qrels.csv": (QRELS, STARS)}, "qrels.topic=case,level=stars"),
    "run": ("evaluate qrels.csv a.csv", {"a.csv": (RUN, {"topic": "case", "score": "bm 25"})},
            "run.topic=case,score=bm 25"),
    "both": ("evaluate qrels.csv a.csv", {"qrels.csv": (QRELS, CASE), "a.csv": (RUN, CASE)}, "topic=case"),
    "scores": (
        "compare --scores scores.csv",
        {"scores.csv": (SCORES, {"topic": "case", "run": "model", "measure": "what", "value": "points"})},
        "topic=case,run=model,measure=what,value=points",
    ),
    "plan": ("plan --scores scores.csv", {"scores.csv": (SCORES, CASE)}, "scores.topic=case"),
    "plot": ("plot topics --scores scores.csv -o out.csv", {"scores.csv": (SCORES, CASE)}, "topic=case"),
    "queries": (
        "evaluate qrels.csv a.csv --queries queries.csv --by length",
        {"queries.csv": (QUERIES, {"topic": "case", "query": "words"})},
        "queries.topic=case,query=words",
    ),
    "by": ("evaluate qrels.csv a.csv --by by.csv:kind", {"by.csv": (BY, CASE)}, "by.topic=case"),
    "systems": (
        "compare qrels.csv a.csv b.csv c.csv --systems systems.csv",
        {"systems.csv": ("run,system\na.csv,A\nc.csv,A\nb.csv,B\n", {"run": "file", "system": "method"})},
        "systems.run=file,system=method",
    ),
    "teams": (
        "pool a.csv b.csv --depth 2 --teams teams.csv",
        {"teams.csv": ("run,team\na.csv,A\nb.csv,B\n", {"run": "file", "team": "who"})},
        "teams.run=file,team=who",
    ),
    "topics": ("evaluate qrels.csv a.csv --topics @topics.csv",
               {"topics.csv": ("topic,title\nq1,x\nq2,y\n", CASE)}, "topics.topic=case"),
    "lengths": (
        "evaluate qrels.csv a.csv -m U(L=4000) --lengths lengths.csv",
        {"lengths.csv": ("doc,length\nd1,100\nd2,50\nd3,20\nd4,10\n", {"doc": "url", "length": "size of"})},
        "lengths.doc=url,length=size of",
    ),
    "costs": (
        "evaluate qrels.csv a.csv -m AP --costs costs.csv",
        {"costs.csv": ("topic,doc,cost\nq1,d1,2\nq1,d2,2\nq2,d3,1\nq2,d4,1\nq3,d1,1\n",
                       {"topic": "case", "cost": "euro"})},
        "costs.topic=case,cost=euro",
    ),
    "intents": (
        "evaluate intents.qrels a.csv -m alpha-nDCG@10 --intents intents.csv",
        {"intents.csv": ("topic,intent,probability\nq1,1,0.5\nq1,2,0.5\nq2,1,1\nq3,1,1\n",
                         {"intent": "facet", "probability": "share"})},
        "intents.intent=facet,probability=share",
    ),
    "groups": (
        "evaluate qrels.csv a.csv --classes groups.csv",
        {"groups.csv": ("topic,doc,class\nq1,d1,c1\nq1,d2,c1\n", {"topic": "case", "class": "kind of"})},
        "groups.topic=case,class=kind of",
    ),
    "battles": (
        "battles battles.csv",
        {"battles.csv": (BATTLES, {"topic": "case", "run": "left", "other": "right side", "preferred": "vote"})},
        "topic=case,run=left,other=right side,preferred=vote",
    ),
    "sessions": (
        "session qrels.csv sessions.csv",
        {"sessions.csv": (SESSIONS, {"topic": "case", "query": "step", "doc": "shown"})},
        "sessions.topic=case,query=step,sessions.doc=shown",
    ),
    "answers": (
        "answers --answers answers.csv --gold gold.csv",
        {"answers.csv": ("topic,answer\nq1,Paris\nq2,Rome\n", {"topic": "case", "answer": "said"}),
         "gold.csv": ("topic,text\nq1,Paris\nq2,Oslo\n", {"topic": "case", "text": "truth"})},
        "topic=case,answer=said,gold.text=truth",
    ),
    "assignments": (
        "answers assignments.csv",
        {"assignments.csv": (ASSIGNMENTS, {"topic": "case", "assignment": "verdict"})},
        "topic=case,assignment=verdict",
    ),
    "support": (
        "answers --support support.csv",
        {"support.csv": ("topic,run,sentence,citation,support\nq1,a,1,d1,full\nq1,a,2,d2,none\n",
                         {"support": "verdict", "citation": "link"})},
        "support.support=verdict,citation=link",
    ),
    "rubric": (
        "answers --rubric rubric.csv",
        {"rubric.csv": ("topic,run,criterion,axis,weight,met\nq1,a,c1,x,2,true\nq1,a,c2,x,1,false\n",
                        {"weight": "importance", "met": "ok"})},
        "weight=importance,met=ok",
    ),
    "texts": (
        "text references.csv texts.csv -m rouge-1",
        {"references.csv": ("topic,text\nq1,the red shoe\n", TEXTS), "texts.csv": ("topic,text\nq1,the shoe\n", TEXTS)},
        "topic=case,text=said",
    ),
    "matches": (
        "text --nuggets nuggets.csv texts.csv --matches matches.csv",
        {"nuggets.csv": ("topic,nugget,weight,length\nq1,n1,2,4\n", {"weight": "votes of"}),
         "matches.csv": ("topic,nugget,offset\nq1,n1,4\n", {"offset": "at"}),
         "texts.csv": ("topic,text\nq1,the shoe\n", {})},
        "text-nuggets.weight=votes of,matches.offset=at",
    ),
    "distributions": (
        "distribution gold.csv system.csv",
        {"gold.csv": ("item,label,value\nd1,1,0.5\nd1,2,0.5\n", {"item": "case", "value": "share"}),
         "system.csv": ("item,label,value\nd1,1,0.2\nd1,2,0.8\n", {"item": "case", "value": "share"})},
        "item=case,value=share",
    ),
    "hierarchy": (
        "hierarchy first.csv second.csv parents.csv run.csv",
        {"first.csv": ("topic,intent,doc,level\nq1,1,A,1\n", {}),
         "second.csv": ("topic,intent,doc,level\nq1,2,A1,1\n", {}),
         "parents.csv": ("topic,second,first\nq1,2,1\n", {"second": "low", "first": "high"}),
         "run.csv": ("topic,first,second\nq1,A,A1\n", {"second": "low", "first": "high"})},
        "second=low,first=high",
    ),
    "assessments": (
        "assess agree labels.csv",
        {"labels.csv": ("topic,doc,assessor,label\nq1,d1,x,1\nq1,d1,y,1\nq1,d2,x,0\nq1,d2,y,1\n",
                        {"topic": "case", "assessor": "who", "label": "stars"})},
        "topic=case,assessor=who,label=stars",
    ),
    "report": (
        "report qrels.csv a.csv --docs docs.csv --queries queries.csv -o report.html",
        {"docs.csv": ("doc,title,text\nd1,One,1\nd2,Two,2\n", {"doc": "url", "title": "name of"}),
         "queries.csv": (QUERIES, {"query": "words"})},
        "docs.doc=url,docs.title=name of,queries.query=words",
    ),
    "judge": (
        "judge qrels.csv judge.csv a.csv b.csv --drawn random --missing-labels nonrelevant",
        {"qrels.csv": (QRELS, STARS), "judge.csv": (QRELS.replace("d2,0", "d2,1"), STARS)},
        "qrels.topic=case,level=stars",
    ),
    "fuse": ("fuse a.csv b.csv -o out.run", {"a.csv": (RUN, CASE), "b.csv": (OTHER, CASE)}, "topic=case"),
    "nested results": (
        "evaluate qrels.csv run.json",
        {"qrels.csv": (QRELS, CASE),
         "run.json": ('[{"topic":"q1","retrieved":[{"doc":"d1","score":0.9}]},{"topic":"q2","retrieved":[]}]',
                      {"topic": "case", "retrieved": "found", "doc": "chunk", "score": "sim of"})},
        "topic=case,run.docs=found,run.doc=chunk,run.score=sim of",
    ),
}  # fmt: skip
INTENTS = "q1 1 d1 1\nq1 2 d2 1\nq2 1 d3 1\nq3 1 d1 1\n"
FILES = {"qrels.csv": QRELS, "a.csv": RUN, "b.csv": OTHER, "c.csv": RUN, "intents.qrels": INTENTS}


def _rename_columns(text: str, names: Mapping[str, str]) -> str:
    if text.startswith("["):
        for name, new_name in names.items():
            text = text.replace(f'"{name}"', f'"{new_name}"')
        return text
    header, _, rest = text.partition("\n")
    return ",".join(names.get(name, name) for name in header.split(",")) + "\n" + rest


@pytest.mark.parametrize("name", CASES)
def test_columns_renamed_table_equals_original(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The output is that of the same tables with our column names, and without the option, it differs."""
    command, tables, columns = CASES[name]
    monkeypatch.chdir(tmp_path)
    for path, text in (FILES | {path: text for path, (text, _) in tables.items()}).items():
        Path(path).write_text(text)
    arguments = [word.replace("~", " ") for word in command.split()]
    assert main(arguments) == 0
    expected = capsys.readouterr().out, _read_outputs()
    assert any(expected) or name == "report"
    for path, (text, names) in tables.items():
        Path(path).write_text(_rename_columns(text, names))
    assert main([*arguments, "--columns", columns]) == 0
    output = capsys.readouterr()
    assert (_strip(output.out), _read_outputs()) == (_strip(expected[0]), expected[1]), output.err


def _read_outputs() -> dict[str, str]:
    return {path.name: path.read_text() for path in Path().glob("out.*")}


def _strip(text: str) -> str:
    return re.sub(r"[ ─]+", " ", text)


def test_columns_every_reading_command_has_the_option() -> None:
    """Commands without the option read no table with columns."""
    without = {
        parser.prog.removeprefix("cranfield ")
        for parser in list_parsers()
        if parser.is_native
        and not parser.part.parts
        and "columns" not in [row.name for row in flatten_rows(parser.part.rows)]
    }
    assert without == {"presets", "measures", "simulate", "verify", "help", "completion"}


# Command line, and its error.
ERRORS = {
    "compare --scores scores.csv --columns value=valu": (
        "scores.csv:1: found no column valu, expected one of run, topic, measure, value (did you mean value?)"
    ),
    "compare --scores scores.csv --columns points=x": (
        "found column points=x, expected ROLE=NAME; roles: topic, doc, level"
    ),
    "compare --scores scores.csv --columns scores.doc=x": "expected a role of scores: run, topic, measure, value",
    "compare --scores scores.csv --columns level=value": (
        "--columns level=value has no effect. No table with named columns has this role."
    ),
    "compare --scores scores.csv --columns topic=": "found column topic=, expected a name of a column, once for each",
    "evaluate qrels.csv a.csv --queries queries.csv --by length --columns run.topic=case,qrels.topic=x": (
        "qrels.csv:1: found no column x, expected one of topic, doc, level"
    ),
    "evaluate qrels.csv a.csv --queries other.csv --by length --columns topic=topic": (
        "other.csv:1: found no column topic, expected one of qid, query (for this table, add queries.topic=NAME to "
        "--columns)"
    ),
    "text lines.tsv lines.tsv -m rouge-1 --columns texts.text=said": (
        "lines.tsv: no column 'said': lines of text have no column names. Add a header, or remove the column from "
        "--columns."
    ),
    "battles headless.csv": "expected a column named topic (or qid, query_id, query-id) (or use --columns topic=NAME)",
    "answers nested.jsonl --columns nugget=claim": "nested.jsonl:1: found no column claim, expected one of nugget_id",
    "evaluate qrels.csv lists.json": (
        "lists.json: no documents among topic, found in record 1. Use --columns run.docs=found."
    ),
    "evaluate qrels.csv lists.jsonl": "lists.jsonl:1: no documents among topic, found. Use --columns run.docs=found.",
}
LISTS = '{"topic": "q1", "found": [{"doc": "d1", "score": 1}]}'
ERROR_FILES = FILES | {
    "scores.csv": SCORES,
    "queries.csv": QUERIES,
    "other.csv": "qid,query\nq1,words\n",
    "lines.tsv": "q1\twords\n",
    "headless.csv": "case,left,right,vote\nq1,a,b,a\n",
    "nested.jsonl": '{"topic": "q1", "run": "a", "nuggets": [{"nugget_id": "n", "importance": "vital", '
    '"assignment": "support"}]}\n',
    "lists.json": f"[{LISTS}]",
    "lists.jsonl": f"{LISTS}\n",
}


@pytest.mark.parametrize("command", ERRORS)
def test_columns_wrong_column_is_rejected(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for path, text in ERROR_FILES.items():
        Path(path).write_text(text)
    assert main(command.split()) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert ERRORS[command] in output.err


def test_validate_verbose_prints_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_text("model,case,qid,points\na,c1,1,0.5\n")
    command = "validate -v --kind scores scores.csv --columns run=model,value=points"
    assert main(command.split()) == 0
    assert (
        "scores.csv: scores, run in column model, topic in column qid, value in column points"
        in capsys.readouterr().out
    )


def test_columns_guess_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A note reports a choice among several columns, but not a choice of the user."""
    monkeypatch.chdir(tmp_path)
    Path("answers.csv").write_text("qid,question_id,answer\n1,q1,Paris\n")
    Path("gold.csv").write_text("qid,question_id,gold\n1,q1,Paris\n")
    arguments = ["answers", "--answers", "answers.csv", "--gold", "gold.csv"]
    assert main(arguments) == 0
    note = "note: answers.csv: the topic is column qid, not question_id"
    assert note in capsys.readouterr().err
    assert main([*arguments, "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    assert main([*arguments, "--columns", "topic=question_id"]) == 0
    assert note not in capsys.readouterr().err


def test_evaluate_columns_of_queries_equals_renamed(tmp_path: Path) -> None:
    path = tmp_path / "queries.csv"
    path.write_text("case,words\nq1,red shoes\nq2,shoes\n")
    qrels, run = {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 1.0}, "q2": {"b": 1.0}}
    columns = {"queries.topic": "case", "queries.query": "words"}
    scores = cf.evaluate(qrels, run, "AP", by="length", queries=path, columns=columns)
    assert scores.attributes == {"length": {"q1": "2", "q2": "1"}}
    with pytest.raises(cf.CranfieldError, match=r"queries.csv:1: .*no column cas, .*did you mean case\?"):
        cf.evaluate(qrels, run, "AP", by="length", queries=path, columns=columns | {"queries.topic": "cas"})


WITHOUT_TABLE = {"MANY_ASSESSORS", "ONE_ASSESSOR", "SENTENCES"}  # have an option of their own, or are parts of answers


def _list_layouts() -> dict[str, Layout]:
    names = [f"cranfield.data.{module.name}" for module in pkgutil.iter_modules(cranfield.data.__path__)]
    modules = [importlib.import_module(name) for name in names]
    return {
        f"{module.__name__}.{name}": value
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, Layout)
    }


def test_tables_contain_all_roles_of_layouts() -> None:
    """A role is valid for a table if and only if a layout of the table has it."""
    roles: dict[str, set[str]] = {}
    for name, layout in _list_layouts().items():
        if name.rpartition(".")[2] not in WITHOUT_TABLE:
            assert layout.table in TABLES, name
            roles.setdefault(layout.table, set()).update(layout.spellings)
    roles["queries"].add("query")
    assert {table: {*names} for table, names in TABLES.items()} == roles


def test_tables_are_kinds_of_validate() -> None:
    """The names of tables are the kinds of `cranfield validate`, except options without a kind."""
    aliases = {"docs", "by", "systems", "gold"}
    assert {*TABLES} - aliases <= {*READERS}
    assert all({*roles} <= {role for names in TABLES.values() for role in names} for roles in PIECES.values())
