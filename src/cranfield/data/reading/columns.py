"""Columns of judgments and runs, and their spellings in files of other tools."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Literal, TypeAlias

from cranfield.data.reading.user_columns import get_user_columns, is_table_key, suggest_key
from cranfield.errors import InputError
from cranfield.wording import format_option

Kind: TypeAlias = Literal["qrels", "run"]

ColumnsLike: TypeAlias = str | Mapping[str, Any]  # "topic=user_id,level=rating", {"topic": …}
Layout: TypeAlias = tuple[str, ...]  # the roles of the fields of a line
Layouts: TypeAlias = Mapping[Kind, Layout]

TREC: Layouts = {
    "qrels": ("topic", "iteration", "doc", "level"),
    "run": ("topic", "q0", "doc", "rank", "score", "tag"),
}
SAMPLED: Layouts = {"qrels": ("topic", "iteration", "doc", "stratum", "level")}
SECOND = ("intent", "iteration", "type", "q0")  # roles of TREC's second column
NTCIR = (("topic", "doc", "level"), ("topic", "doc", "level", "class"))  # level as in L2
EARLY = ("topic", "level", "doc", "relevant")  # NTCIR's first rounds: grades S, A, B, C, and 0 or 1
TRIPLES: Layouts = {"qrels": ("topic", "doc", "level"), "run": ("topic", "doc", "score")}
MSMARCO: Layouts = {"run": ("topic", "doc", "rank")}
COLBERT: Layouts = {"run": ("topic", "doc", "rank", "score")}
VALUE = {"qrels": "level", "run": "score"}
ITERATIONS = ("0", "1", "Q0")  # values of TREC's second column in judgments

# In order of priority. Names that are always ids come before names that can be texts (`query`) or
# internal numbers (PyTerrier's `docid`).
USERS = ("user_id", "user")  # topics in recommendation; elsewhere assessors
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
NAMES = tuple(dict.fromkeys(name for names in (*ROLES.values(), ("type", "docs")) for name in names))
_ALL_NAMES = (*NAMES, "assessor", "label")  # also of assessments
OPTIONAL = ("intent", "stratum", "rank", "tag", "score", "type")
WORDS = {"doc": "document", "tag": "name of the run"}


TOPICS = tuple(name for name in SPELLINGS["topic"] if name not in USERS)  # if users are assessors

# Further spellings in tables of judgments and runs.
_URL = "url"  # a document if no better column exists
_IN_TABLES = SPELLINGS | {
    "topic": (*TOPICS, "query_text", *USERS),
    "doc": (*SPELLINGS["doc"], _URL),
    "rank": (*SPELLINGS["rank"], "doc_position"),
    "tag": (*SPELLINGS["tag"][:-1], "snapshot_name", SPELLINGS["tag"][-1]),
}
_ID = ("id",)  # the topic or the document, if the other one has a column; otherwise a row number
_ROW_NUMBERS = re.compile(r"|id|index|unnamed:\d+|(index)?level\d+|row(id|index|number)?|exampleid")
_CLICKS = ("click", "clicked", "clicks", "ctr", "click_rate", "click_through_rate", "click_count", "num_clicks")


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
    """Return True if the names can be the columns of judgments or a run."""
    topic, doc = (find_column(role, names) is not None for role in ("topic", "doc"))
    return (topic and doc) or ((topic or doc) and find_spelling(_ID, names) is not None)


def find_column(role: str, names: Iterable[str]) -> str | None:
    """Return the column of a table that has a role, or None.

    >>> find_column("rank", ["Query Text", "Doc ID", "Doc Position"])
    'Doc Position'
    """
    return find_spelling(_IN_TABLES[role], names)


def find_spelling(spellings: Sequence[str], names: Iterable[str]) -> str | None:
    """Return the name with one of these spellings, or None.

    Case, spaces, underscores and hyphens are ignored.

    >>> find_spelling(SPELLINGS["doc"], ["QueryID", "DocNo", "score"])
    'DocNo'
    >>> find_spelling(SPELLINGS["doc"], ["Query Text", "Doc ID"])
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


_folded = lru_cache(maxsize=None)(fold_name)  # only called for spellings


def reject_duplicates(names: Iterable[Any], location: str | None, line: int | None = None) -> None:
    """Raise InputError if two columns have the same name. Unused columns may have no name.

    >>> reject_duplicates(["qid", "docid", "score", "score"], "run.csv", 1)
    Traceback (most recent call last):
    cranfield.errors.InputError: run.csv:1: duplicate column 'score'. Rename or remove one of them.
    """
    for name, count in Counter(map(str, names)).items():
        if count > 1 and name.strip():
            fix = "Rename or remove one of them."
            raise InputError.from_problem(f"duplicate column {name!r}", fix, location, line)


def read_columns(columns: ColumnsLike | None, valid_names: Sequence[str] = NAMES) -> dict[str, str]:
    """Parse the user's columns: map roles to names or numbers of columns.

    >>> read_columns("topic=user_id, run.score=3")
    {'topic': 'user_id', 'run.score': '3'}
    """
    by_role: dict[str, str] = {}
    context = get_user_columns()
    for key, column in _split_columns(columns):
        role, name = key.strip(), str(column).strip()
        kind, _, bare_role = role.rpartition(".")
        is_valid = bare_role in valid_names and kind in ("", "qrels", "run")
        if not is_valid and context.by_key.get(role) == name:
            continue  # a column of another table
        if not is_valid or not name or role in by_role:
            expected = f"column=name without duplicates; columns: {', '.join(valid_names)}"
            raise InputError(f"column {role}={name}", expected)
        by_role[role] = name
        context.used_keys.add(role)
    return by_role


def parse_columns(columns: ColumnsLike | None) -> dict[str, str]:
    """Parse the user's columns of all tables: map ``role`` or ``table.role`` to names of columns.

    >>> parse_columns("topic=user_id,scores.value=points")
    {'topic': 'user_id', 'scores.value': 'points'}
    >>> parse_columns("scores.points=x")
    Traceback (most recent call last):
    cranfield.errors.InputError: found column scores.points=x, expected a role of scores: run, topic, measure, value
    """
    by_key: dict[str, str] = {}
    for text, column in _split_columns(columns):
        key, name = text.strip(), str(column).strip()
        kind, _, role = key.rpartition(".")
        if not (is_table_key(key) or (role in _ALL_NAMES and kind in ("", "qrels", "run"))):
            raise InputError(f"column {key}={name}", suggest_key(key, NAMES))
        if not name or key in by_key:
            raise InputError(f"column {key}={name}", "a name of a column, once for each role")
        by_key[key] = name
    return by_key


def _split_columns(columns: ColumnsLike | None) -> list[tuple[str, Any]]:
    """Return the pairs of key and column."""
    if columns is None:
        return []
    if isinstance(columns, str):
        parts = (part.partition("=") for part in columns.split(","))
        return [(key, column) for key, _, column in parts]
    return [(str(role), column) for role, column in columns.items()]


def select_columns(columns: Mapping[str, str], kind: Kind) -> dict[str, str]:
    """Return the user's columns for judgments or runs.

    >>> select_columns({"topic": "user", "level": "stars", "run.topic": "qid"}, "run")
    {'topic': 'qid'}
    """
    roles = {*ROLES[kind], "docs", *(("type",) if kind == "run" else ())}
    selection = {role: column for role, column in columns.items() if role in roles}
    return selection | {role: columns[f"{kind}.{role}"] for role in roles if f"{kind}.{role}" in columns}


def infer_kind(columns: Mapping[str, str]) -> Kind | None:
    """Return the kind of file that can have all of the user's columns, None if both can.

    >>> infer_kind({"run.score": "bm25"}), infer_kind({"topic": "1"})
    ('run', None)
    """
    kinds: dict[Kind, int] = {kind: len(select_columns(columns, kind)) for kind in ROLES}
    matches = [kind for kind, count in kinds.items() if count == len(columns)]
    return matches[0] if len(matches) == 1 else None


def get_column_numbers(columns: Mapping[str, str], kind: Kind) -> dict[int, str]:
    """Map column numbers to roles if the user numbered all required columns, else empty.

    >>> get_column_numbers({"topic": "1", "doc": "3", "score": "2"}, "run")
    {1: 'topic', 3: 'doc', 2: 'score'}
    """
    selection = select_columns(columns, kind)
    values = ("level",) if kind == "qrels" else ("score", "rank")
    is_complete = {"topic", "doc"} <= selection.keys() and any(name in selection for name in values)
    if not is_complete or not all(x.isdecimal() and 0 < int(x[:4]) < 1000 for x in selection.values()):
        return {}
    return {int(place): role for role, place in selection.items()}


def find_named_column(key: str, names: Sequence[Any]) -> Any:
    """Return the column with this name, also in another case, or None."""
    stripped = {str(name).strip().strip('"'): name for name in names}
    lower = {name.lower(): column for name, column in stripped.items()}
    return stripped[key] if key in stripped else lower.get(key.lower())


def find_user_column(key: str, names: Sequence[str], location: str | None = None, line: int | None = None) -> str:
    """Return the column with the user's name or number. Raise InputError if missing."""
    column = find_named_column(key, names)
    if column is not None:
        return str(column)
    if key.isdecimal() and 0 < int(key[:9]) <= len(names):
        return names[int(key[:9]) - 1]
    raise make_unknown_column_error(key, names, location, line)


def make_unknown_column_error(
    key: str, names: Sequence[str], location: str | None = None, line: int | None = None, other: str = ""
) -> InputError:
    """Return the error for a column that does not exist, with a similar name.

    `other` is the key that chooses the column for this kind of table only.
    """
    import difflib

    stripped = [str(name).strip().strip('"') for name in names]
    matches = difflib.get_close_matches(key, stripped, 1, 0.6)
    hint = f"did you mean {matches[0]}?" if matches else ""
    if other and not matches:
        hint = f"for this table, add {other}NAME to {format_option('--columns', 'columns')}"
    return InputError(f"no column {key}", f"one of {_format_columns(stripped)}", location, line, hint)


_MAX_COLUMNS = 20  # columns listed in an error


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
    """Map each role to the column that has it. Raise InputError if a required column is missing.

    With `types`, runs may have a column of types, and judgments must have intents. `user_columns`
    are columns chosen by the user, see `read_columns`. `has_numbers` returns True for a column of
    numbers. A run with such a column, but without a score or rank, is then an error, unless the
    user declares that it is `ordered`.

    >>> name_columns(["query-id", "corpus-id", "score"], "qrels", "q.tsv")
    {'topic': 'query-id', 'doc': 'corpus-id', 'level': 'score'}
    """
    reject_duplicates(names, location, line)
    selection = select_columns(user_columns or {}, kind)
    selection.pop("docs", None)  # the list of documents of a record
    if (docs := (user_columns or {}).get(f"{kind}.docs")) is not None:
        find_user_column(docs, names, location, line)
    _reject_pool(names, selection, kind, location, line)
    chosen_columns = {role: find_user_column(column, names, location, line) for role, column in selection.items()}
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


def _find_columns(roles: Sequence[str], names: Sequence[str], chosen_columns: Mapping[str, str]) -> dict[str, str]:
    """Return the column of each role, in the order of the roles."""
    columns: dict[str, str] = {}
    for role in roles:
        used = (*columns.values(), *chosen_columns.values())
        column = chosen_columns.get(role) or find_column(role, [x for x in names if x not in used])
        if column is not None:
            columns[role] = column
    _use_id(columns, [name for name in names if name not in chosen_columns.values()])
    return {role: columns[role] for role in roles if role in columns}


def _use_id(columns: dict[str, str], names: Sequence[str]) -> None:
    """Use the column `id` as topic or document if only the other role has a column.

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
    """Raise InputError for columns of the other kind, or for an unknown score column."""
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
_TAGS = tuple(name for name in SPELLINGS["tag"] if name != "name")  # products also have names
_FIRST = "Judgments come first"


def _reject_judgments(free: Sequence[str], location: str | None, line: int | None) -> None:
    """Raise InputError if a run has a level column, but no score or rank."""
    level = next((name for name in free if find_spelling(LEVELS, [name])), None)
    if level is not None:
        use = format_option(f"--columns run.score={level}", f'columns={{"run.score": "{level}"}}')
        problem = f"column {level!r} and no score or rank: this looks like judgments"
        raise InputError.from_problem(problem, f"{_FIRST}, or use {use}.", location, line)


def _reject_run(columns: Mapping[str, str], free: Sequence[str], location: str | None, line: int | None) -> None:
    """Raise InputError if judgments have columns of a run or a click log."""
    if "level" in columns and find_spelling(LEVELS, [columns["level"]]):
        return
    rank, clicks = find_column("rank", free), find_spelling(_CLICKS, free)
    if clicks is not None and (rank is not None or "level" not in columns):
        raise make_click_error(clicks, rank, location, line)
    sign = rank or find_spelling(_TAGS, free)
    if sign is not None:
        use = format_option("--columns qrels.level=NAME", 'columns={"qrels.level": NAME}')
        problem = f"column {sign!r} and no level: this looks like a run"
        raise InputError.from_problem(problem, f"{_FIRST}, or use {use}.", location, line)


def make_click_error(
    clicks: str, rank: str | None = None, location: str | None = None, line: int | None = None
) -> InputError:
    """Return the error for clicks or click rates in place of judgments."""
    use = format_option(f"--columns qrels.level={clicks}", f'columns={{"qrels.level": "{clicks}"}}')
    names = f"column {clicks!r} and no level" if rank is None else f"columns {rank!r} and {clicks!r}"
    problem = f"{names}: clicks depend on the position"
    return InputError.from_problem(problem, f"Use {use} to read them as levels.", location, line)


def find_clicks(names: Iterable[str]) -> str | None:
    """Return the column with clicks or click rates, or None."""
    return find_spelling(_CLICKS, names)


_KNOWN_SPELLINGS = tuple(chain.from_iterable(_IN_TABLES[x] for x in SPELLINGS if x not in ("score", "rank")))


def list_unknown_columns(names: Iterable[Any]) -> list[str]:
    """Return the columns that have no role and are not row numbers."""
    return [name for name in map(str, names) if _is_unknown(name)]


def _is_unknown(name: str) -> bool:
    """Return True if a column has no role and is not a row number."""
    return not is_row_number(name) and find_spelling(_KNOWN_SPELLINGS, [name]) is None


def is_row_number(name: str) -> bool:
    """Return True if a column has row numbers, such as the index of a pandas frame.

    >>> is_row_number("Unnamed: 0"), is_row_number("index_score")
    (True, False)
    """
    return _ROW_NUMBERS.fullmatch(fold_name(name)) is not None


def _make_unknown_value_error(
    numbers: Sequence[str], names: Sequence[str], kind: Kind, location: str | None, line: int | None
) -> InputError:
    """Return the error that lists columns that can be the score or the level."""
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
    if kind == "qrels" and alternatives:
        keep = ". If these are judges, combine them with `cranfield assess`"
    problem = f"no {noun} column among {_format_columns(names)}{note}"
    return InputError.from_problem(problem, f"Use {use}{more}{keep}.", location, line)


def _format_columns(names: Sequence[str]) -> str:
    more = f", … ({len(names):,} in all)" if len(names) > _MAX_COLUMNS else ""
    return f"{', '.join(map(str, names[:_MAX_COLUMNS])) or '(none)'}{more}"


TO_JUDGE = "to_judge"  # column in tables of `cranfield pool`


def _reject_pool(
    names: Sequence[str], selection: Mapping[str, str], kind: Kind, location: str, line: int | None
) -> None:
    """Raise InputError for a table of `cranfield pool` without judgments."""
    values = ("level",) if kind == "qrels" else ("score", "rank")
    if any(value in selection or find_spelling(SPELLINGS[value], names) is not None for value in values):
        return
    if find_spelling([TO_JUDGE], names) is not None:
        problem = f"this is a pool without judgments (column {TO_JUDGE})"
        fix = "Add the judgments as a column level." if kind == "qrels" else _POOLED
        raise InputError.from_problem(problem, fix, location, line)
    if kind == "run" and {"stratum", "level"} <= {str(name).strip().lower() for name in names}:
        raise InputError.from_problem("this is a sampled pool (column stratum)", _POOLED, location, line)


_POOLED = "Use the runs that were pooled."


def _describe_missing(role: str, names: Sequence[str], location: str) -> tuple[str, str]:
    """Return the columns of a table without a required column, and a fix."""
    actual = f"columns {_format_columns(names)}"
    if len(names) > _MAX_COLUMNS and role == "topic" and ".jsonl" in location:
        return (
            actual,
            "if the file is one JSON object, rename it to .json",
        )
    use = format_option(f"--columns {role}=NAME", f'columns={{"{role}": NAME}}')
    return actual, f"use {use}"


def describe_column(name: str, spellings: Sequence[str], limit: int) -> str:
    """Describe a missing column for an error.

    >>> describe_column("rank", SPELLINGS["rank"], 3)
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
    """Describe the columns that were chosen among several candidates; empty if none.

    Columns chosen by the user are excluded.

    >>> names = ["qid", "docid", "docno", "score", "query"]
    >>> describe_doubts(name_columns(names, "run", "run.csv"), names)
    'the topic is column qid, not query; the document is column docno, not docid'
    >>> describe_doubts({"topic": "query", "doc": "id", "level": "relevance"}, ["query", "id"])
    'the document is column id'
    """
    ignored = {
        *(() if types else ("intent", "type")),
        *(key.rpartition(".")[2] for key in user_columns or ()),
    }
    used = {role: column for role, column in columns.items() if role not in ignored}
    unused = [name for name in names if name not in columns.values()]
    alternatives = {
        role: [str(name).strip() for name in unused if find_column(role, [name]) is not None] for role in used
    }
    return "; ".join(
        f"the {WORDS.get(role, role)} is column {used[role].strip()}" + (f", not {' or '.join(rest)}" if rest else "")
        for role, rest in alternatives.items()
        if rest or find_spelling(_ID, [used[role]])
    )


def sort_intents(names: Iterable[str]) -> list[str]:
    """Sort intents by number if all are numbers, otherwise by name.

    >>> sort_intents(["10", "9"]), sort_intents(["b", "10", "9"])
    (['9', '10'], ['10', '9', 'b'])
    """
    intents = list(names)
    if all(name.isascii() and name.isdecimal() for name in intents):  # of any length: int has a limit
        return sorted(intents, key=lambda name: (len(name.lstrip("0")), name.lstrip("0"), name))
    return sorted(intents)
