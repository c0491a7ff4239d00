"""The columns of judgments and runs, what they are called in the wild, and names in order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Literal, TypeAlias

from cranfield.errors import InputError
from cranfield.wording import format_option

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

ROLES: Mapping[Kind, Sequence[str]] = {
    "qrels": ("topic", "doc", "level", "intent", "stratum"),
    "run": ("topic", "doc", "score", "rank", "tag"),
}
NAMES = tuple(dict.fromkeys(name for names in (*ROLES.values(), ("type",)) for name in names))
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
    topic, doc = (find_column(role, names) is not None for role in ("topic", "doc"))
    return (topic and doc) or ((topic or doc) and find_spelling(_ID, names) is not None)


def find_column(role: str, names: Iterable[str]) -> str | None:
    """Return the column of a table that has a role, None if there is none.

    >>> find_column("rank", ["Query Text", "Doc ID", "Doc Position"])
    'Doc Position'
    """
    return find_spelling(_IN_TABLES[role], names)


def find_spelling(spellings: Sequence[str], names: Iterable[str]) -> str | None:
    """The one among some names that is spelt in one of these ways.

    Case, spaces, underscores and hyphens are ignored.

    >>> spelt(SPELLINGS["doc"], ["QueryID", "DocNo", "score"])
    'DocNo'
    >>> spelt(SPELLINGS["doc"], ["Query Text", "Doc ID"])
    'Doc ID'
    """
    candidates = list(reversed(list(names)))
    lower = {str(name).strip().strip('"').lower(): name for name in candidates}
    folded = {fold_name(name): name for key, name in lower.items() if key not in spellings}
    for spelling in spellings:
        if spelling in lower:
            return lower[spelling]
        if _folded(spelling) in folded:
            return folded[_folded(spelling)]
    return None


_folded = lru_cache(maxsize=None)(fold_name)  # of spellings, which are few


def reject_duplicates(names: Iterable[Any], location: str | None, line: int | None = None) -> None:
    """Raise an error if two columns have the same name. Empty names are allowed: nothing uses them.

    >>> refuse_duplicates(["qid", "docid", "score", "score"], "run.csv", 1)
    Traceback (most recent call last):
    cranfield.errors.InputError: run.csv:1: duplicate column 'score'. Rename or remove one of them.
    """
    for name, count in Counter(map(str, names)).items():
        if count > 1 and name.strip():
            fix = "Rename or remove one of them."
            raise InputError.from_problem(f"duplicate column {name!r}", fix, location, line)


def read_columns(columns: ColumnsLike | None, valid_names: Sequence[str] = NAMES) -> dict[str, str]:
    """The names, or the numbers, that a user gave columns: of judgments, of runs, or of both.

    >>> read_columns("topic=user_id, run.score=3")
    {'topic': 'user_id', 'run.score': '3'}
    """
    if columns is None:
        return {}
    if isinstance(columns, str):
        pairs = [part.partition("=")[::2] for part in columns.split(",")]
    else:
        pairs = [(str(role), column) for role, column in columns.items()]
    by_role: dict[str, str] = {}
    for key, column in pairs:
        role, name = key.strip(), str(column).strip()
        kind, _, bare_role = role.rpartition(".")
        if (
            bare_role not in valid_names
            or kind not in ("", "qrels", "run")
            or not name
            or role in by_role
        ):
            expected = f"column=name, each once; columns are {', '.join(valid_names)}"
            raise InputError(f"column {role}={name}", expected)
        by_role[role] = name
    return by_role


def select_columns(columns: Mapping[str, str], kind: Kind) -> dict[str, str]:
    """Those of such names that are for judgments, or for runs.

    >>> chosen({"topic": "user", "level": "stars", "run.topic": "qid"}, "run")
    {'topic': 'qid'}
    """
    roles = {*ROLES[kind], *(("type",) if kind == "run" else ())}
    selection = {role: column for role, column in columns.items() if role in roles}
    return selection | {
        role: columns[f"{kind}.{role}"] for role in roles if f"{kind}.{role}" in columns
    }


def infer_kind(columns: Mapping[str, str]) -> Kind | None:
    """Return the kind of file that has all columns a user named; None if both kinds may have them.

    >>> kind_of_columns({"run.score": "bm25"}), kind_of_columns({"topic": "1"})
    ('run', None)
    """
    kinds: dict[Kind, int] = {kind: len(select_columns(columns, kind)) for kind in ROLES}
    matches = [kind for kind, count in kinds.items() if count == len(columns)]
    return matches[0] if len(matches) == 1 else None


def get_column_numbers(columns: Mapping[str, str], kind: Kind) -> dict[int, str]:
    """Our names by the places of columns, if users gave these, and all that are needed.

    >>> counted({"topic": "1", "doc": "3", "score": "2"}, "run")
    {1: 'topic', 3: 'doc', 2: 'score'}
    """
    selection = select_columns(columns, kind)
    values = ("level",) if kind == "qrels" else ("score", "rank")
    is_complete = {"topic", "doc"} <= selection.keys() and any(name in selection for name in values)
    if not is_complete or not all(
        x.isdecimal() and 0 < int(x[:4]) < 1000 for x in selection.values()
    ):
        return {}
    return {int(place): role for role, place in selection.items()}


def find_user_column(
    key: str, names: Sequence[str], location: str | None = None, line: int | None = None
) -> str:
    """The column that a user named, or counted."""
    stripped = {str(name).strip().strip('"'): name for name in names}
    lower = {name.lower(): column for name, column in stripped.items()}
    if key in stripped or key.lower() in lower:
        return stripped[key] if key in stripped else lower[key.lower()]
    if key.isdecimal() and 0 < int(key[:9]) <= len(names):
        return names[int(key[:9]) - 1]
    import difflib

    matches = difflib.get_close_matches(key, list(stripped), 1, 0.6)
    hint = f"did you mean {matches[0]}?" if matches else ""
    raise InputError(f"no column {key}", f"one of {', '.join(stripped)}", location, line, hint)


_MAX_COLUMNS = 20  # columns of a table that lacks one


def name_columns(
    names: list[str],
    kind: Kind,
    location: str,
    line: int | None = None,
    types: bool = False,
    user_columns: Mapping[str, str] | None = None,
    has_numbers: Callable[[str], bool] | None = None,
    ordered: bool = False,
) -> dict[str, str]:
    """Our name -> the table's own name of each column we use.

    With `types`, also that of a run's types; and judgments must have intents. `user_columns` are names
    that the user chose, see `read_columns`. `has_numbers` returns True for a column of numbers: a
    run without a score or rank column, but with such a column, is then an error, unless the user
    declares that it is `ordered`.

    >>> name_columns(["query-id", "corpus-id", "score"], "qrels", "q.tsv")
    {'topic': 'query-id', 'doc': 'corpus-id', 'level': 'score'}
    """
    reject_duplicates(names, location, line)
    selection = select_columns(user_columns or {}, kind)
    _reject_pool(names, selection, kind, location, line)
    chosen_columns = {
        role: find_user_column(column, names, location, line) for role, column in selection.items()
    }
    roles = (*ROLES[kind], *(("type",) if types and kind == "run" else ()))
    columns = _find_columns(roles, names, chosen_columns)
    declared = ordered or selection.keys() & {"level", "score", "rank"}
    if not declared and {"topic", "doc"} <= columns.keys():
        reject_other_kind(columns, names, kind, location, line, has_numbers)
    required = {*roles} - {*OPTIONAL} | ({"intent"} & {*roles} if types else set())
    for role in roles:
        if role in required - columns.keys():
            actual, hint = _describe_missing(role, names, location)
            expected = describe_column(role, SPELLINGS[role], 4)
            raise InputError(actual, expected, location, line, hint)
    return columns


def _find_columns(
    roles: Sequence[str], names: Sequence[str], chosen_columns: Mapping[str, str]
) -> dict[str, str]:
    """Return the columns that have a role, in the order of the roles; the user chose some."""
    columns: dict[str, str] = {}
    for role in roles:
        used = (*columns.values(), *chosen_columns.values())
        column = chosen_columns.get(role) or find_column(role, [x for x in names if x not in used])
        if column is not None:
            columns[role] = column
    _use_id(columns, [name for name in names if name not in chosen_columns.values()])
    return {role: columns[role] for role in roles if role in columns}


def _use_id(columns: dict[str, str], names: Sequence[str]) -> None:
    """Take the column `id` for the topic or the document, if only the other one has a column.

    `id` is preferred to `url`, which may be the address of anything.
    """
    column = find_spelling(_ID, names)
    if column is None or column in columns.values():
        return
    doc = columns.get("doc")
    if "topic" in columns and (doc is None or fold_name(doc) == _URL):
        columns["doc"] = column
    elif doc is not None and "topic" not in columns:
        columns["topic"] = column


def reject_other_kind(
    columns: Mapping[str, str],
    names: Sequence[str],
    kind: Kind,
    location: str | None,
    line: int | None,
    has_numbers: Callable[[str], bool] | None,
) -> None:
    """Raise an error if the columns are those of the other kind, or the score is not known."""
    free = [name for name in names if name not in columns.values()]
    if kind == "qrels":
        _reject_run(columns, free, location, line)
    if columns.keys() & ({"level"} if kind == "qrels" else {"score", "rank"}):
        return
    numbers = [x for x in free if has_numbers and _is_unknown(x) and has_numbers(x)]
    if numbers:
        raise _make_unknown_value_error(numbers, names, kind, location, line)
    if kind == "run":
        _reject_judgments(free, location, line)


LEVELS = tuple(name for name in SPELLINGS["level"] if name != "score")
_TAGS = tuple(name for name in SPELLINGS["tag"] if name != "name")  # which products have, too
_FIRST = "Judgments come first"


def _reject_judgments(free: Sequence[str], location: str | None, line: int | None) -> None:
    """Raise an error if the columns of a run are those of judgments."""
    level = next((name for name in free if find_spelling(LEVELS, [name])), None)
    if level is not None:
        use = format_option(f"--columns run.score={level}", f'columns={{"run.score": "{level}"}}')
        problem = f"column {level!r} and no score or rank: this looks like judgments"
        raise InputError.from_problem(problem, f"{_FIRST}, or use {use}.", location, line)


def _reject_run(
    columns: Mapping[str, str], free: Sequence[str], location: str | None, line: int | None
) -> None:
    """Raise an error if the columns of judgments are those of a run, or of a click log."""
    if "level" in columns and find_spelling(LEVELS, [columns["level"]]):
        return
    rank, clicks = find_column("rank", free), find_spelling(_CLICKS, free)
    if rank is not None and clicks is not None:
        use = format_option(
            f"--columns qrels.level={clicks}", f'columns={{"qrels.level": "{clicks}"}}'
        )
        problem = f"columns {rank!r} and {clicks!r}: clicks depend on the position"
        raise InputError.from_problem(problem, f"Use {use} to read them as levels.", location, line)
    sign = rank or find_spelling(_TAGS, free)
    if sign is not None:
        use = format_option("--columns qrels.level=NAME", 'columns={"qrels.level": NAME}')
        problem = f"column {sign!r} and no level: this looks like a run"
        raise InputError.from_problem(problem, f"{_FIRST}, or use {use}.", location, line)


_KNOWN_SPELLINGS = tuple(
    chain.from_iterable(_IN_TABLES[x] for x in SPELLINGS if x not in ("score", "rank"))
)


def list_unknown_columns(names: Iterable[Any]) -> list[str]:
    """Return the columns that are neither ours nor row numbers."""
    return [name for name in map(str, names) if _is_unknown(name)]


def _is_unknown(name: str) -> bool:
    """Return True if a column is neither one of ours nor a row number."""
    return (
        _ROW_NUMBERS.fullmatch(fold_name(name)) is None
        and find_spelling(_KNOWN_SPELLINGS, [name]) is None
    )


def _make_unknown_value_error(
    numbers: Sequence[str], names: Sequence[str], kind: Kind, location: str | None, line: int | None
) -> InputError:
    """Return the error that names the columns that may be the score or the level."""
    first, *alternatives = numbers
    noun, role = ("level", "level") if kind == "qrels" else ("score or rank", "score")
    distance = next((name for name in numbers if _is_distance(name)), None)
    note = ""
    if kind == "run" and distance is not None:
        role, first, alternatives = "rank", distance, [name for name in numbers if name != distance]
        note = f". Lower is better in {distance!r}"
    more = f" (or {', '.join(alternatives)})" if alternatives else ""
    use = format_option(f"--columns {kind}.{role}={first}", f'columns={{"{role}": "{first}"}}')
    order = format_option("--order given", 'order="given"')
    keep = f", or {order} to keep the order of rows" if kind == "run" else ""
    problem = f"no {noun} column among {_format_columns(names)}{note}"
    return InputError.from_problem(problem, f"Use {use}{more}{keep}.", location, line)


def _format_columns(names: Sequence[str]) -> str:
    more = f", … ({len(names):,} in all)" if len(names) > _MAX_COLUMNS else ""
    return f"{', '.join(map(str, names[:_MAX_COLUMNS])) or '(none)'}{more}"


TO_JUDGE = "to_judge"  # the column that `cranfield pool` marks its tables with


def _reject_pool(
    names: Sequence[str], selection: Mapping[str, str], kind: Kind, location: str, line: int | None
) -> None:
    """Raise an error if a table is one of `cranfield pool`, to which no judgments were added."""
    values = ("level",) if kind == "qrels" else ("score", "rank")
    if any(
        value in selection or find_spelling(SPELLINGS[value], names) is not None for value in values
    ):
        return
    if find_spelling([TO_JUDGE], names) is not None:
        problem = f"this is a pool without judgments (column {TO_JUDGE})"
        fix = "Add the judgments as a column level." if kind == "qrels" else _POOLED
        raise InputError.from_problem(problem, fix, location, line)
    if kind == "run" and {"stratum", "level"} <= {str(name).strip().lower() for name in names}:
        raise InputError.from_problem(
            "this is a sampled pool (column stratum)", _POOLED, location, line
        )


_POOLED = "Use the runs that were pooled."


def _describe_missing(role: str, names: Sequence[str], location: str) -> tuple[str, str]:
    """What is said of a table that lacks a column: the first of those it has, and what to do."""
    actual = f"columns {_format_columns(names)}"
    if len(names) > _MAX_COLUMNS and role == "topic" and ".jsonl" in location:
        return (
            actual,
            "if its lines are no rows, but all is one JSON object by topic: call it .json",
        )
    use = format_option(f"--columns {role}=NAME", f'columns={{"{role}": NAME}}')
    return actual, f"{use} sets it"


def describe_column(name: str, spellings: Sequence[str], limit: int) -> str:
    """What is expected of a table that lacks a column.

    >>> column_named("rank", SPELLINGS["rank"], 3)
    'a column named rank (or position)'
    """
    alternatives = [spelling for spelling in spellings if spelling != name]
    return f"a column named {name} (or {', '.join(alternatives[:limit])})"


def describe_doubts(
    columns: Mapping[str, str],
    names: Iterable[str],
    types: bool = False,
    user_columns: Mapping[str, str] | None = None,
) -> str:
    """Which columns were taken where others could be meant; nothing, if none could.

    What the user chose (`user_columns`) is not in doubt.

    >>> names = ["qid", "docid", "docno", "score", "query"]
    >>> in_doubt(name_columns(names, "run", "run.csv"), names)
    'the topic is column qid, not query; the document is column docno, not docid'
    >>> in_doubt({"topic": "query", "doc": "id", "level": "relevance"}, ["query", "id"])
    'the document is column id'
    """
    ignored = {
        *(() if types else ("intent", "type")),
        *(key.rpartition(".")[2] for key in user_columns or ()),
    }
    used = {role: column for role, column in columns.items() if role not in ignored}
    unused = [name for name in names if name not in columns.values()]
    alternatives = {
        role: [str(name).strip() for name in unused if find_column(role, [name]) is not None]
        for role in used
    }
    return "; ".join(
        f"the {WORDS.get(role, role)} is column {used[role].strip()}"
        + (f", not {' or '.join(rest)}" if rest else "")
        for role, rest in alternatives.items()
        if rest or find_spelling(_ID, [used[role]])
    )


def sort_intents(names: Iterable[str]) -> list[str]:
    """Intents by number, if all of them are numbers, else by name.

    >>> in_order(["10", "9"]), in_order(["b", "10", "9"])
    (['9', '10'], ['10', '9', 'b'])
    """
    intents = list(names)
    if all(name.isascii() and name.isdecimal() for name in intents):  # of any length: not as int
        return sorted(intents, key=lambda name: (len(name.lstrip("0")), name.lstrip("0"), name))
    return sorted(intents)
