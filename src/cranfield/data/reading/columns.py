"""The columns of judgments and runs, what they are called in the wild, and names in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from cranfield.errors import InputError

Kind: TypeAlias = Literal["qrels", "run"]

TREC = {
    "qrels": ("topic", "iteration", "doc", "level"),
    "run": ("topic", "q0", "doc", "rank", "score", "tag"),
}
NTCIR = (("topic", "doc", "level"), ("topic", "doc", "level", "class"))  # level as in L2
EARLY = ("topic", "level", "doc", "relevant")  # NTCIR's first rounds: grades S, A, B, C, and 0 or 1
VALUE = {"qrels": "level", "run": "score"}
ITERATIONS = ("0", "1", "Q0")  # what TREC's second column holds

# In this order: where a table has several, the first is taken. What can only be an id comes before
# what may be a text (`query`) or a number inside a system (PyTerrier's `docid`).
SPELLINGS = {
    "topic": ("qid", "query_id", "query-id", "queryid", "q_id", "topic_id", "topicid", "topic",
              "query"),
    "doc": ("docno", "doc_id", "document_id", "corpus_id", "corpus-id", "passage_id", "item_id",
            "docid", "pid", "did", "doc", "document", "item"),
    "level": ("level", "relevance", "rel", "label", "grade", "score", "judgment", "judgement",
              "gain"),
    "score": ("score", "sim", "similarity", "value"),
    "rank": ("rank", "position"),
    "tag": ("tag", "run", "run_id", "runid", "run_tag", "system", "name"),
    "class": ("class", "class_id", "equivalence_class", "ec", "group", "group_id", "cluster"),
    "type": ("type", "element_type", "kind", "vertical"),
    "intent": ("intent", "subtopic", "intent_id", "subtopic_id", "iteration", "iter", "q0"),
}  # fmt: skip

WANTED = {
    "qrels": ("topic", "doc", "level", "intent"),
    "run": ("topic", "doc", "score", "rank", "tag"),
}
OPTIONAL = ("intent", "rank", "tag", "score", "type")
WORDS = {"doc": "document", "tag": "name of the run"}


def is_header(names: list[str]) -> bool:
    """Whether these could be the column names of a table of judgments or results."""
    lower = [n.strip().strip('"').lower() for n in names]
    return any(n in SPELLINGS["topic"] for n in lower) and any(n in SPELLINGS["doc"] for n in lower)


def spelt(spellings: Sequence[str], names: Iterable[str]) -> str | None:
    """The one among some names that is spelt in one of these ways, upper or lower case.

    >>> spelt(SPELLINGS["doc"], ["QueryID", "DocNo", "score"])
    'DocNo'
    """
    lower = {str(name).strip().strip('"').lower(): name for name in reversed(list(names))}
    return next((lower[spelling] for spelling in spellings if spelling in lower), None)


def name_columns(
    names: list[str], kind: Kind, where: str, line: int | None = None, types: bool = False
) -> dict[str, str]:
    """Our name -> the table's own name of each column we use.

    With `types`, also that of a run's types; and judgments must have intents.

    >>> name_columns(["query-id", "corpus-id", "score"], "qrels", "q.tsv")
    {'topic': 'query-id', 'doc': 'corpus-id', 'level': 'score'}
    """
    found: dict[str, str] = {}
    typed = types and kind == "run"
    for wanted in (*WANTED[kind], "type") if typed else WANTED[kind]:
        theirs = spelt(SPELLINGS[wanted], (n for n in names if n not in found.values()))
        if theirs is not None:
            found[wanted] = theirs
        elif wanted not in OPTIONAL or (types and wanted == "intent"):
            given = f"columns {', '.join(map(str, names)) or '(none)'}"
            raise InputError(given, column_named(wanted, SPELLINGS[wanted], 4), where, line)
    return found


def column_named(name: str, spellings: Sequence[str], few: int) -> str:
    """What is expected of a table that lacks a column.

    >>> column_named("rank", SPELLINGS["rank"], 3)
    'a column named rank (or position)'
    """
    others = [spelling for spelling in spellings if spelling != name]
    return f"a column named {name} (or {', '.join(others[:few])})"


def in_doubt(columns: Mapping[str, str], names: Iterable[str], types: bool = False) -> str:
    """Which columns were taken where others could be meant; nothing, if none could.

    >>> names = ["qid", "docid", "docno", "score", "query"]
    >>> in_doubt(name_columns(names, "run", "run.csv"), names)
    'the topic is column qid, not query; the document is column docno, not docid'
    """
    idle = () if types else ("intent", "type")
    used = {ours: theirs for ours, theirs in columns.items() if ours not in idle}
    left = [name for name in names if name not in columns.values()]
    others = {
        ours: [name.strip() for name in left if spelt(SPELLINGS[ours], [name]) is not None]
        for ours in used
    }
    return "; ".join(
        f"the {WORDS.get(ours, ours)} is column {used[ours].strip()}, not {' or '.join(rest)}"
        for ours, rest in others.items()
        if rest
    )


def in_order(names: Iterable[str]) -> list[str]:
    """Intents by number, if all of them are numbers, else by name.

    >>> in_order(["10", "9"]), in_order(["b", "10", "9"])
    (['9', '10'], ['10', '9', 'b'])
    """
    given = list(names)
    if all(name.isascii() and name.isdecimal() for name in given):  # of any length: not as int
        return sorted(given, key=lambda name: (len(name.lstrip("0")), name.lstrip("0"), name))
    return sorted(given)
