"""The file formats as a page: fields, column names and files of other tools, from the tables of the readers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from measures import escape_md, table

from cranfield.data.reading.columns import ROLES, SPELLINGS, WORDS
from cranfield.data.reading.formats import TABLE, Format
from cranfield.data.reading.shapes import RELEVANT, RETRIEVED, SHAPES
from cranfield.data.reading.signatures import TABLE as TOOLS
from cranfield.data.reading.signatures import USES, Signature, Use
from cranfield.data.reading.user_columns import TABLES

HEAD = """# File formats: reference

This page is generated from the readers. [File formats](files.md) explains how cranfield detects a format, and
which files are rejected."""

DETECTED = {
    "trec": "anything else",
    "ntcir": "a label such as `L2` as the third of three or four fields",
    "letor": "`qid:…` as the second field",
    "early": "S, A, B or C as the second of four fields, and a last field 0 or 1 that does not contradict it",
    "sampled": "five fields: the second the same on all lines, the fourth integers",
    "triples": "three fields, the third a number",
    "msmarco": "three fields, the third 1, 2, 3, … or 0, 1, 2, … in each topic",
    "colbert": "four fields, the third 1, 2, 3, … or 0, 1, 2, … in each topic",
    "csv": "a header with commas or semicolons",
    "tsv": "a header with tabs",
    "json": "starts with `{` or `[{`",
    "jsonl": "starts with a record on one line",
    "parquet": "its first bytes",
    "arrow": "its first bytes (file or stream)",
    "xlsx": "its first bytes",
    "ir4qa": "XML that starts with `<TOPIC_SET>` or `<TOPIC`",
    "directories": "a directory with a subdirectory for each topic",
}
LAYOUTS: Mapping[str, tuple[str, str]] = {  # judgments and run, if lines have no fixed fields
    "ntcir": ("`topic doc L2` or `topic doc L2 class`", ""),
    "letor": ("`level qid:ID features # comment` ([ids](letor.md#document-ids))", "[predictions](letor.md)"),
    "early": ("`topic S doc 1`, as in the first NTCIR rounds: S is 3, A 2, B 1, C 0", ""),
    "sampled": ("`topic 0 doc stratum level`, a [sample](pool-samples.md) of a pool. −1: not drawn", ""),
    "ir4qa": ("", "XML runs of the NTCIR IR4QA tasks, in their own order"),
    "directories": ("a file for each topic, see [NTCIREVAL](ntcireval.md)", "a file for each topic"),
    "json": (
        "`{topic: {doc: level}}`, `{topic: {doc: true}}`, `{topic: [doc, …]}` or records",
        "`{topic: {doc: score}}`, `{topic: [[doc, score], …]}`, `{topic: [doc, …]}` or records",
    ),
    "jsonl": ("one object per line, keys by name", "one object per line, keys by name"),
}  # fmt: skip
RECORDS = {
    "RankLLM run": '`{"query": {"qid", "text"}, "candidates": [{"docid", "score"}, …]}`',
    "castorini run": '`{"query", "hits": [{"qid", "docid", "rank", "score"}, …]}`',
    "ragas judgments": "the reference ids",
    "ragas run": "the retrieved ids, in their order",
    "KILT judgments": "the pages (`wikipedia_id`) in the provenance of all outputs, each counted separately",
    "KILT run": "the pages of the only output that has pages, in their order",
    "DPR judgments": '`{"question", "positive_ctxs": [{"passage_id"}, …]}`',
    "DPR run": '`{"question", "ctxs": [{"id", "score"}, …]}`',
    "DPR run of Pyserini": '`{topic: {"contexts": […]}}`',
    "TREC RAG answers": '`{"run_id", "topic_id", "references": [doc, …], "answer"}`',
    "sentence-transformers predictions": '`{"query_id", "query", "results": [{"corpus_id", "score"}, …]}`',
    "MTEB predictions": "`{subset: {split: {topic: {doc: score}}}}`, if there is one subset and split",
    "golden judgments": '`{"id", "query", "relevant": [doc, …]}` or `"relevant": {doc: level}`',
    "retrieved lists": '`{"id", "query", "retrieved": [doc, …]}`',
}
OTHER_TABLES = """`--columns ROLE=NAME` names the column of a role in every table that has the role. `TABLE.ROLE=NAME`
names the column in one table. See [Name the columns](files.md#name-the-columns)."""
TABLE_FILES = {
    "scores": "`--scores`",
    "queries": "`--queries`",
    "docs": "`--docs`",
    "by": "`--by`, `--clusters`",
    "topics": "`--topics @FILE`",
    "systems": "`--systems`",
    "teams": "`--teams`",
    "battles": "`battles`, `--preferences` of `meta`",
    "impressions": "impression logs of `session` and `battles`, credits of interleaving",
    "sessions": "`session`, `--clicks`",
    "answers": "`--answers`",
    "assignments": "`answers`: assignments, `--nuggets`",
    "support": "`--support`",
    "rubric": "`--rubric`",
    "texts": "`text`, `--references`",
    "gold": "`--gold`",
    "text-nuggets": "`--nuggets` of `text`",
    "matches": "`--matches`",
    "intents": "`--intents`",
    "verticals": "`--verticals`",
    "costs": "`--costs`",
    "lengths": "`--lengths`",
    "groups": "`--classes`, `--groups`",
    "distributions": "`distribution`",
    "hierarchy": "`hierarchy`",
    "audit": "`--audit-file`",
}
_LINES = "columns by name"


def page() -> str:
    """Return the page. A format or a record without a description is an error."""
    parts = [HEAD, "## Formats", _list_formats(), "## Column names"]
    parts += ["Case, spaces, `_` and `-` are ignored: `Doc ID` is a document. The first matching name has priority."]
    parts += [
        _list_columns(),
        "## Other tables",
        OTHER_TABLES,
        _list_tables(),
        "## Records",
        _list_records(),
        "## Files of other tools",
        _list_tools(),
    ]
    return "\n\n".join(parts) + "\n"


def _list_formats() -> str:
    rows = []
    for form in TABLE:
        names = ", ".join(f"`{suffix}`" for suffix in form.suffixes)
        detected = f"{DETECTED[form.name]}, or {names}" if names else DETECTED[form.name]
        rows.append([f"`{form.name}`", detected, _format_layout(form, "qrels", 0), _format_layout(form, "run", 1)])
    return "\n".join(table(["format", "detected by", "judgments", "runs"], rows))


def _format_layout(form: Format, kind: str, position: int) -> str:
    if form.name in LAYOUTS:
        return LAYOUTS[form.name][position]
    if form.fields:
        return f"`{' '.join(form.fields[kind])}`" if kind in form.fields else ""  # type: ignore[index]
    return _LINES


def _list_columns() -> str:
    roles = dict.fromkeys(role for names in ROLES.values() for role in names)
    rows = []
    for role in [*roles, "type", "class"]:
        names = ", ".join(f"`{name}`" for name in SPELLINGS[role])
        rows.append([f"{role} ({WORDS[role]})" if role in WORDS else role, names])
    return "\n".join(table(["column", "names, by priority"], rows))


def _list_tables() -> str:
    rows = [
        [f"`{name}`", TABLE_FILES[name], ", ".join(f"`{role}`" for role in roles)] for name, roles in TABLES.items()
    ]
    return "\n".join(table(["table", "files", "roles"], rows))


def _list_records() -> str:
    rows = [
        [escape_md(shape.name), ", ".join(f"`{key}`" for key in _shorten_keys(shape.keys)), RECORDS[shape.name]]
        for shape in SHAPES
    ]
    return "\n".join(table(["record", "detected by", "content"], rows))


def _shorten_keys(keys: tuple[str, ...]) -> list[str]:
    return [*keys] if keys not in (RELEVANT, RETRIEVED) else [*keys[:4], "…"]


def _list_tools() -> str:
    rows = []
    for name, signatures in groupby(TOOLS, lambda signature: (signature.tool, signature.name)):
        rows.append([escape_md(name[0]), escape_md(name[1]), *_format_uses([*signatures])])
    return "\n".join(table(["tool", "file", "read as", "otherwise"], rows))


def _format_uses(signatures: list[Signature]) -> tuple[str, str]:
    uses = {use: signature for signature in signatures for use, reader in signature.readers.items() if reader}
    advice = " ".join(dict.fromkeys(signature.advice for signature in signatures if signature.advice))
    return "; ".join(_format_roles(use, signature) for use, signature in uses.items()) or "rejected", escape_md(advice)


def _format_roles(use: Use, signature: Signature) -> str:
    """Format a use with the key of each role, for example ``run (document `_id`)``."""
    roles = [role.replace("=", " `") + "`" for role in signature.roles.get(use, "").split()]
    return USES[use].removeprefix("a ") + (f" ({', '.join(roles)})" if roles else "")
