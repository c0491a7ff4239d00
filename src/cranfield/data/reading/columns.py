"""The columns of judgments and runs, what they are called in the wild, and names in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from cranfield.errors import InputError

Kind: TypeAlias = Literal["qrels", "run"]

ColumnsLike: TypeAlias = str | Mapping[str, Any]  # "topic=user_id,level=rating", {"topic": …}
Layout: TypeAlias = tuple[str, ...]  # the fields of a line, by our names
Layouts: TypeAlias = Mapping[Kind, Layout]

TREC: Layouts = {
    "qrels": ("topic", "iteration", "doc", "level"),
    "run": ("topic", "q0", "doc", "rank", "score", "tag"),
}
SAMPLED: Layouts = {"qrels": ("topic", "iteration", "doc", "stratum", "level")}
SECOND = ("intent", "iteration", "type", "q0")  # what TREC's second column may be
NTCIR = (("topic", "doc", "level"), ("topic", "doc", "level", "class"))  # level as in L2
EARLY = ("topic", "level", "doc", "relevant")  # NTCIR's first rounds: grades S, A, B, C, and 0 or 1
TRIPLES: Layouts = {"qrels": ("topic", "doc", "level"), "run": ("topic", "doc", "score")}
MSMARCO: Layouts = {"run": ("topic", "doc", "rank")}
COLBERT: Layouts = {"run": ("topic", "doc", "rank", "score")}
VALUE = {"qrels": "level", "run": "score"}
ITERATIONS = ("0", "1", "Q0")  # what TREC's second column holds

# In this order: where a table has several, the first is taken. What can only be an id comes before
# what may be a text (`query`) or a number inside a system (PyTerrier's `docid`).
USERS = ("user_id", "user")  # of recommenders, who stand where queries do; elsewhere, assessors
SPELLINGS = {
    "topic": ("qid", "query_id", "query-id", "queryid", "q_id", "question_id", "topic_id",
              "topic-id", "topicid", "topic", "query", *USERS),
    "doc": ("docno", "doc_id", "document_id", "corpus_id", "corpus-id", "cord-id", "passage_id",
            "product_id", "item_id", "documentid", "docid", "pid", "did", "doc", "document",
            "item"),
    "level": ("level", "relevance", "rel", "label", "grade", "score", "judgment", "judgement",
              "gain", "rating", "esci_label"),
    "score": ("score", "sim", "similarity", "value"),
    "rank": ("rank", "position"),
    "tag": ("tag", "run", "run_id", "runid", "run_tag", "system", "name"),
    "class": ("class", "class_id", "equivalence_class", "ec", "group", "group_id", "cluster"),
    "type": ("type", "element_type", "kind", "vertical"),
    "intent": ("intent", "subtopic", "intent_id", "subtopic_id", "iteration", "iter", "q0"),
    "stratum": ("stratum", "stratum_id"),
}  # fmt: skip

WANTED = {
    "qrels": ("topic", "doc", "level", "intent", "stratum"),
    "run": ("topic", "doc", "score", "rank", "tag"),
}
NAMES = tuple(dict.fromkeys(name for names in (*WANTED.values(), ("type",)) for name in names))
OPTIONAL = ("intent", "stratum", "rank", "tag", "score", "type")
WORDS = {"doc": "document", "tag": "name of the run"}


TOPICS = tuple(name for name in SPELLINGS["topic"] if name not in USERS)  # where users are others


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


def read_columns(given: ColumnsLike | None, known: Sequence[str] = NAMES) -> dict[str, str]:
    """The names, or the numbers, that a user gave columns: of judgments, of runs, or of both.

    >>> read_columns("topic=user_id, run.score=3")
    {'topic': 'user_id', 'run.score': '3'}
    """
    if given is None:
        return {}
    if isinstance(given, str):
        pairs = [part.partition("=")[::2] for part in given.split(",")]
    else:
        pairs = [(str(ours), theirs) for ours, theirs in given.items()]
    made: dict[str, str] = {}
    for key, theirs in pairs:
        ours, name = key.strip(), str(theirs).strip()
        kind, _, own = ours.rpartition(".")
        if own not in known or kind not in ("", "qrels", "run") or not name or ours in made:
            expected = f"column=name, each once; columns are {', '.join(known)}"
            raise InputError(f"column {ours}={name}", expected)
        made[ours] = name
    return made


def chosen(given: Mapping[str, str], kind: Kind) -> dict[str, str]:
    """Those of such names that are for judgments, or for runs.

    >>> chosen({"topic": "user", "level": "stars", "run.topic": "qid"}, "run")
    {'topic': 'qid'}
    """
    known = {*WANTED[kind], *(("type",) if kind == "run" else ())}
    found = {ours: theirs for ours, theirs in given.items() if ours in known}
    return found | {ours: given[f"{kind}.{ours}"] for ours in known if f"{kind}.{ours}" in given}


def counted(given: Mapping[str, str], kind: Kind) -> dict[int, str]:
    """Our names by the places of columns, if users gave these, and all that are needed.

    >>> counted({"topic": "1", "doc": "3", "score": "2"}, "run")
    {1: 'topic', 3: 'doc', 2: 'score'}
    """
    own = chosen(given, kind)
    values = ("level",) if kind == "qrels" else ("score", "rank")
    needed = {"topic", "doc"} <= own.keys() and any(name in own for name in values)
    if not needed or not all(x.isdecimal() and 0 < int(x[:4]) < 1000 for x in own.values()):
        return {}
    return {int(place): ours for ours, place in own.items()}


def _called(theirs: str, names: Sequence[str], where: str, line: int | None) -> str:
    """The column that a user named, or counted."""
    stripped = {str(name).strip().strip('"'): name for name in names}
    lower = {name.lower(): column for name, column in stripped.items()}
    if theirs in stripped or theirs.lower() in lower:
        return stripped[theirs] if theirs in stripped else lower[theirs.lower()]
    if theirs.isdecimal() and 0 < int(theirs[:9]) <= len(names):
        return names[int(theirs[:9]) - 1]
    import difflib

    near = difflib.get_close_matches(theirs, list(stripped), 1, 0.6)
    hint = f"did you mean {near[0]}?" if near else ""
    raise InputError(f"no column {theirs}", f"one of {', '.join(stripped)}", where, line, hint)


_SHOWN = 20  # columns of a table that lacks one


def name_columns(
    names: list[str],
    kind: Kind,
    where: str,
    line: int | None = None,
    types: bool = False,
    given: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Our name -> the table's own name of each column we use.

    With `types`, also that of a run's types; and judgments must have intents. `given` are names
    that the user chose, see `read_columns`.

    >>> name_columns(["query-id", "corpus-id", "score"], "qrels", "q.tsv")
    {'topic': 'query-id', 'doc': 'corpus-id', 'level': 'score'}
    """
    own = chosen(given or {}, kind)
    theirs_by = {ours: _called(theirs, names, where, line) for ours, theirs in own.items()}
    found: dict[str, str] = {}
    typed = types and kind == "run"
    for wanted in (*WANTED[kind], "type") if typed else WANTED[kind]:
        taken = (*found.values(), *theirs_by.values())
        theirs = theirs_by.get(wanted) or spelt(
            SPELLINGS[wanted], (name for name in names if name not in taken)
        )
        if theirs is not None:
            found[wanted] = theirs
        elif wanted not in OPTIONAL or (types and wanted == "intent"):
            shown, hint = _lacking(wanted, names, where)
            expected = column_named(wanted, SPELLINGS[wanted], 4)
            raise InputError(shown, expected, where, line, hint)
    return found


def _lacking(wanted: str, names: Sequence[str], where: str) -> tuple[str, str]:
    """What is said of a table that lacks a column: the first of those it has, and what to do."""
    many = len(names) > _SHOWN
    more = f", … ({len(names):,} in all)" if many else ""
    shown = f"columns {', '.join(map(str, names[:_SHOWN])) or '(none)'}{more}"
    if many and wanted == "topic" and ".jsonl" in where:
        return shown, "if its lines are no rows, but all is one JSON object by topic: call it .json"
    return shown, f"--columns {wanted}=NAME says which it is"


def column_named(name: str, spellings: Sequence[str], few: int) -> str:
    """What is expected of a table that lacks a column.

    >>> column_named("rank", SPELLINGS["rank"], 3)
    'a column named rank (or position)'
    """
    others = [spelling for spelling in spellings if spelling != name]
    return f"a column named {name} (or {', '.join(others[:few])})"


def in_doubt(
    columns: Mapping[str, str],
    names: Iterable[str],
    types: bool = False,
    given: Mapping[str, str] | None = None,
) -> str:
    """Which columns were taken where others could be meant; nothing, if none could.

    What the user chose (`given`) is not in doubt.

    >>> names = ["qid", "docid", "docno", "score", "query"]
    >>> in_doubt(name_columns(names, "run", "run.csv"), names)
    'the topic is column qid, not query; the document is column docno, not docid'
    """
    idle = {
        *(() if types else ("intent", "type")),
        *(key.rpartition(".")[2] for key in given or ()),
    }
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
