"""The columns of judgments and runs, what they are called in the wild, and names in order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Literal, TypeAlias

from cranfield.errors import InputError
from cranfield.wording import option

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

WANTED: Mapping[Kind, Sequence[str]] = {
    "qrels": ("topic", "doc", "level", "intent", "stratum"),
    "run": ("topic", "doc", "score", "rank", "tag"),
}
NAMES = tuple(dict.fromkeys(name for names in (*WANTED.values(), ("type",)) for name in names))
OPTIONAL = ("intent", "stratum", "rank", "tag", "score", "type")
WORDS = {"doc": "document", "tag": "name of the run"}


TOPICS = tuple(name for name in SPELLINGS["topic"] if name not in USERS)  # where users are others

# Further spellings in tables of judgments and runs.
_URL = "url"  # a document if no better column exists
_IN_TABLES = SPELLINGS | {
    "topic": (*TOPICS, "query_text", *USERS),
    "doc": (*SPELLINGS["doc"], _URL),
    "rank": (*SPELLINGS["rank"], "doc_position"),
}
_ID = ("id",)  # the topic or the document, if the other one has a column; otherwise a row number
_ROW_NUMBERS = re.compile(r"|id|index|unnamed:\d+|(index)?level\d+|row(id|index|number)?|exampleid")
_CLICKS = ("click", "clicked", "clicks")


def _is_distance(name: str) -> bool:
    folded = fold_name(name)
    return folded == "dist" or folded.endswith("distance")


def fold_name(name: object) -> str:
    """Return a column name in lower case, without quotes, spaces, underscores and hyphens.

    >>> fold_name("Query Text"), fold_name(' "corpus-id"')
    ('querytext', 'corpusid')
    """
    return re.sub(r"[\s_-]+", "", str(name).strip().strip('"').lower())


def is_header(names: list[str]) -> bool:
    """Whether these could be the column names of a table of judgments or results."""
    topic, doc = (find_column(ours, names) is not None for ours in ("topic", "doc"))
    return (topic and doc) or ((topic or doc) and spelt(_ID, names) is not None)


def find_column(ours: str, names: Iterable[str]) -> str | None:
    """Return the column of a table that has a role, None if there is none.

    >>> find_column("rank", ["Query Text", "Doc ID", "Doc Position"])
    'Doc Position'
    """
    return spelt(_IN_TABLES[ours], names)


def spelt(spellings: Sequence[str], names: Iterable[str]) -> str | None:
    """The one among some names that is spelt in one of these ways.

    Case, spaces, underscores and hyphens are ignored.

    >>> spelt(SPELLINGS["doc"], ["QueryID", "DocNo", "score"])
    'DocNo'
    >>> spelt(SPELLINGS["doc"], ["Query Text", "Doc ID"])
    'Doc ID'
    """
    given = list(reversed(list(names)))
    lower = {str(name).strip().strip('"').lower(): name for name in given}
    folded = {fold_name(name): name for key, name in lower.items() if key not in spellings}
    for spelling in spellings:
        if spelling in lower:
            return lower[spelling]
        if _folded(spelling) in folded:
            return folded[_folded(spelling)]
    return None


_folded = lru_cache(maxsize=None)(fold_name)  # of spellings, which are few


def refuse_duplicates(names: Iterable[Any], where: str | None, line: int | None = None) -> None:
    """Raise an error if two columns have the same name. Empty names are allowed: nothing uses them.

    >>> refuse_duplicates(["qid", "docid", "score", "score"], "run.csv", 1)
    Traceback (most recent call last):
    cranfield.errors.InputError: run.csv:1: duplicate column 'score'. Rename or remove one of them.
    """
    for name, count in Counter(map(str, names)).items():
        if count > 1 and name.strip():
            fix = "Rename or remove one of them."
            raise InputError.problem(f"duplicate column {name!r}", fix, where, line)


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


def kind_of_columns(given: Mapping[str, str]) -> Kind | None:
    """Return the kind of file that has all columns a user named; None if both kinds may have them.

    >>> kind_of_columns({"run.score": "bm25"}), kind_of_columns({"topic": "1"})
    ('run', None)
    """
    kinds: dict[Kind, int] = {kind: len(chosen(given, kind)) for kind in WANTED}
    whole = [kind for kind, count in kinds.items() if count == len(given)]
    return whole[0] if len(whole) == 1 else None


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


def find_chosen(
    theirs: str, names: Sequence[str], where: str | None = None, line: int | None = None
) -> str:
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
    has_numbers: Callable[[str], bool] | None = None,
    ordered: bool = False,
) -> dict[str, str]:
    """Our name -> the table's own name of each column we use.

    With `types`, also that of a run's types; and judgments must have intents. `given` are names
    that the user chose, see `read_columns`. `has_numbers` returns True for a column of numbers: a
    run without a score or rank column, but with such a column, is then an error, unless the user
    declares that it is `ordered`.

    >>> name_columns(["query-id", "corpus-id", "score"], "qrels", "q.tsv")
    {'topic': 'query-id', 'doc': 'corpus-id', 'level': 'score'}
    """
    refuse_duplicates(names, where, line)
    own = chosen(given or {}, kind)
    _refuse_pool(names, own, kind, where, line)
    theirs_by = {ours: find_chosen(theirs, names, where, line) for ours, theirs in own.items()}
    wanted = (*WANTED[kind], *(("type",) if types and kind == "run" else ()))
    found = _find_columns(wanted, names, theirs_by)
    declared = ordered or own.keys() & {"level", "score", "rank"}
    if not declared and {"topic", "doc"} <= found.keys():
        refuse_other_kind(found, names, kind, where, line, has_numbers)
    needed = {*wanted} - {*OPTIONAL} | ({"intent"} & {*wanted} if types else set())
    for ours in wanted:
        if ours in needed - found.keys():
            shown, hint = _lacking(ours, names, where)
            expected = column_named(ours, SPELLINGS[ours], 4)
            raise InputError(shown, expected, where, line, hint)
    return found


def _find_columns(
    wanted: Sequence[str], names: Sequence[str], theirs_by: Mapping[str, str]
) -> dict[str, str]:
    """Return the columns that have a role, in the order of the roles; the user chose some."""
    found: dict[str, str] = {}
    for ours in wanted:
        taken = (*found.values(), *theirs_by.values())
        theirs = theirs_by.get(ours) or find_column(ours, [x for x in names if x not in taken])
        if theirs is not None:
            found[ours] = theirs
    _use_id(found, [name for name in names if name not in theirs_by.values()])
    return {ours: found[ours] for ours in wanted if ours in found}


def _use_id(found: dict[str, str], names: Sequence[str]) -> None:
    """Take the column `id` for the topic or the document, if only the other one has a column.

    `id` is preferred to `url`, which may be the address of anything.
    """
    theirs = spelt(_ID, names)
    if theirs is None or theirs in found.values():
        return
    doc = found.get("doc")
    if "topic" in found and (doc is None or fold_name(doc) == _URL):
        found["doc"] = theirs
    elif doc is not None and "topic" not in found:
        found["topic"] = theirs


def refuse_other_kind(
    found: Mapping[str, str],
    names: Sequence[str],
    kind: Kind,
    where: str | None,
    line: int | None,
    has_numbers: Callable[[str], bool] | None,
) -> None:
    """Raise an error if the columns are those of the other kind, or the score is not known."""
    free = [name for name in names if name not in found.values()]
    if kind == "qrels":
        _refuse_run(found, free, where, line)
    if found.keys() & ({"level"} if kind == "qrels" else {"score", "rank"}):
        return
    numbers = [x for x in free if has_numbers and _is_unknown(x) and has_numbers(x)]
    if numbers:
        raise _unknown_value(numbers, names, kind, where, line)
    if kind == "run":
        _refuse_judgments(free, where, line)


LEVELS = tuple(name for name in SPELLINGS["level"] if name != "score")
_TAGS = tuple(name for name in SPELLINGS["tag"] if name != "name")  # which products have, too
_FIRST = "Judgments come first"


def _refuse_judgments(free: Sequence[str], where: str | None, line: int | None) -> None:
    """Raise an error if the columns of a run are those of judgments."""
    level = next((name for name in free if spelt(LEVELS, [name])), None)
    if level is not None:
        use = option(f"--columns run.score={level}", f'columns={{"run.score": "{level}"}}')
        problem = f"column {level!r} and no score or rank: this looks like judgments"
        raise InputError.problem(problem, f"{_FIRST}, or use {use}.", where, line)


def _refuse_run(
    found: Mapping[str, str], free: Sequence[str], where: str | None, line: int | None
) -> None:
    """Raise an error if the columns of judgments are those of a run, or of a click log."""
    if "level" in found and spelt(LEVELS, [found["level"]]):
        return
    rank, clicks = find_column("rank", free), spelt(_CLICKS, free)
    if rank is not None and clicks is not None:
        use = option(f"--columns qrels.level={clicks}", f'columns={{"qrels.level": "{clicks}"}}')
        problem = f"columns {rank!r} and {clicks!r}: clicks depend on the position"
        raise InputError.problem(problem, f"Use {use} to read them as levels.", where, line)
    sign = rank or spelt(_TAGS, free)
    if sign is not None:
        use = option("--columns qrels.level=NAME", 'columns={"qrels.level": NAME}')
        problem = f"column {sign!r} and no level: this looks like a run"
        raise InputError.problem(problem, f"{_FIRST}, or use {use}.", where, line)


_KNOWN = tuple(chain.from_iterable(_IN_TABLES[x] for x in SPELLINGS if x not in ("score", "rank")))


def unknown_columns(names: Iterable[Any]) -> list[str]:
    """Return the columns that are neither ours nor row numbers."""
    return [name for name in map(str, names) if _is_unknown(name)]


def _is_unknown(name: str) -> bool:
    """Return True if a column is neither one of ours nor a row number."""
    return _ROW_NUMBERS.fullmatch(fold_name(name)) is None and spelt(_KNOWN, [name]) is None


def _unknown_value(
    numbers: Sequence[str], names: Sequence[str], kind: Kind, where: str | None, line: int | None
) -> InputError:
    """Return the error that names the columns that may be the score or the level."""
    first, *others = numbers
    what, ours = ("level", "level") if kind == "qrels" else ("score or rank", "score")
    distance = next((name for name in numbers if _is_distance(name)), None)
    note = ""
    if kind == "run" and distance is not None:
        ours, first, others = "rank", distance, [name for name in numbers if name != distance]
        note = f". Lower is better in {distance!r}"
    more = f" (or {', '.join(others)})" if others else ""
    use = option(f"--columns {kind}.{ours}={first}", f'columns={{"{ours}": "{first}"}}')
    order = option("--order given", 'order="given"')
    keep = f", or {order} to keep the order of rows" if kind == "run" else ""
    problem = f"no {what} column among {_few(names)}{note}"
    return InputError.problem(problem, f"Use {use}{more}{keep}.", where, line)


def _few(names: Sequence[str]) -> str:
    more = f", … ({len(names):,} in all)" if len(names) > _SHOWN else ""
    return f"{', '.join(map(str, names[:_SHOWN])) or '(none)'}{more}"


TO_JUDGE = "to_judge"  # the column that `cranfield pool` marks its tables with


def _refuse_pool(
    names: Sequence[str], own: Mapping[str, str], kind: Kind, where: str, line: int | None
) -> None:
    """Raise an error if a table is one of `cranfield pool`, to which no judgments were added."""
    values = ("level",) if kind == "qrels" else ("score", "rank")
    if any(value in own or spelt(SPELLINGS[value], names) is not None for value in values):
        return
    if spelt([TO_JUDGE], names) is not None:
        problem = f"this is a pool without judgments (column {TO_JUDGE})"
        fix = "Add the judgments as a column level." if kind == "qrels" else _POOLED
        raise InputError.problem(problem, fix, where, line)
    if kind == "run" and {"stratum", "level"} <= {str(name).strip().lower() for name in names}:
        raise InputError.problem("this is a sampled pool (column stratum)", _POOLED, where, line)


_POOLED = "Use the runs that were pooled."


def _lacking(wanted: str, names: Sequence[str], where: str) -> tuple[str, str]:
    """What is said of a table that lacks a column: the first of those it has, and what to do."""
    shown = f"columns {_few(names)}"
    if len(names) > _SHOWN and wanted == "topic" and ".jsonl" in where:
        return shown, "if its lines are no rows, but all is one JSON object by topic: call it .json"
    use = option(f"--columns {wanted}=NAME", f'columns={{"{wanted}": NAME}}')
    return shown, f"{use} sets it"


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
    >>> in_doubt({"topic": "query", "doc": "id", "level": "relevance"}, ["query", "id"])
    'the document is column id'
    """
    idle = {
        *(() if types else ("intent", "type")),
        *(key.rpartition(".")[2] for key in given or ()),
    }
    used = {ours: theirs for ours, theirs in columns.items() if ours not in idle}
    left = [name for name in names if name not in columns.values()]
    others = {
        ours: [str(name).strip() for name in left if find_column(ours, [name]) is not None]
        for ours in used
    }
    return "; ".join(
        f"the {WORDS.get(ours, ours)} is column {used[ours].strip()}"
        + (f", not {' or '.join(rest)}" if rest else "")
        for ours, rest in others.items()
        if rest or spelt(_ID, [used[ours]])
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
