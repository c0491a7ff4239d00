"""Page of all errors, notes and warnings, read from the source code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from measures import table

from cranfield.scores import PRIORITY_KINDS

SOURCE = Path(__file__).parent.parent.parent / "src" / "cranfield"
HEAD = """# Errors, notes and warnings

This page lists all messages, so that they can be reviewed together. It is generated from the code. Words in braces
stand for values. [Command line](command-line.md) explains notes, errors and exit codes.
"""
ERROR_KINDS = {
    "usage": "an unknown option or argument",
    "file": "a file cannot be read or written",
    "output": "standard output cannot be written",
    "input": "an invalid value in a file or argument",
    "refused": "another impossible request, see `message`",
    "missing-package": "a package is not installed. `expected` is the extra, `hint` the command",
    "user-code": "an error in custom code, with `-v` and its `traceback`",
    "gate": "`compare --fail-if-worse` failed: `decision`, `run`, `other`, `measure`, `difference`, `low`, `high`, "
    "`pvalue`",
    "memory": "out of memory",
    "internal": "an error in cranfield",
}
NOTE_KINDS = {
    "none-judged": "no document of the run is judged",
    "folded-ids": "ids differ only in case, spaces, Unicode normalisation, leading zeros or a trailing `.0`",
    "summary-topic": "in score files: a topic `mean` contains the means of the other topics",
    "summary-rows": "in score files: excluded summary rows",
    "topics-file": "the way in which a file of topics was read",
    "few-topics": "the run contains fewer than half of the judged topics",
    "swapped": "levels look like scores, and scores like levels",
    "one-document": "the run contains one document per topic",
    "few-scores": "few different scores, which look like levels",
    "levels": "range of levels that look like scores",
    "failed": "judgments of level −1, possibly of a failed LLM judge",
    "exchanged": "in `evaluate_arrays`: labels have fractions and predictions have none",
    "missing-topics": "topics missing from the run",
    "unjudged-topics": "unjudged topics of the run, ignored",
    "no-relevant": "topics without a relevant document, and their value",
    "ties": "topics in which the order of ties could change a score",
    "rank-order": "topics in which ranks or positions contradict scores",
    "rising-scores": "scores rise in most topics: possibly distances",
    "stray-topics": "judged topics in JSON or memory that occur in no run, possibly other keys",
    "no-chunks": "no id of the run contains the separator of chunks",
    "unjudged": "unjudged documents up to the smallest cutoff, or in the complete ranking without a cutoff",
    "bounds": "in [hard topics](topics.md): the effect of unjudged documents is unknown for this measure",
    "short-lists": "rankings are less than half as long as in other runs (medians), and a measure reads deeper",
    "max-level": "highest level of ERR or RBP, from the judgments",
    "columns": "the column used, if several match",
    "duplicates": "repeated judgments with equal levels",
    "tie-order": "effect of `--ties best`, `worst` or `expected`",
    "labels": "a custom labelling strategy counts more than its ideal ranking",
    "classes": "judgments name classes that no option uses",
    "gains": "gains differ between topics",
    "preset": "roles of the columns of a preset, and missing parts",
    "settings": "an option without effect on any measure",
    "costs": "unit of costs, and costs beyond the end of a ranking",
}
PACKAGES = {
    "data": "Files and inputs",
    "labelling": "Labelling",
    "measures": "Measures",
    "evaluation": "Evaluation",
    "scores": "Scores",
    "assess": "Assessors and pools",
    "stats": "Statistics",
    "comparison": "Comparisons",
    "meta": "Meta-evaluation",
    "judging": "LLM judges and battles",
    "runs": "Fusion of runs",
    "report": "Reports and output formats",
    "figures": "Figures",
    "plot": "Kinds of figures",
    "cli": "Command line",
    "tools": "Drop-in replacements",
    "compat": "Interfaces of other packages",
    "spark": "Spark",
}
_PROBLEMS = ("from_problem", "make_problem", "CranfieldError", "UsageError")
_FOUND = ("InputError", "make_error")
_WIDTH = 300


class Message(NamedTuple):
    """A message: package, kind of note (empty for errors), and text."""

    package: str
    kind: str
    text: str


def page() -> str:
    """Return the page: kinds of notes and errors, then all messages by package."""
    messages = read_messages()
    notes = [message for message in messages if message.kind]
    errors = [message for message in messages if not message.kind]
    first = ["first" if kind in PRIORITY_KINDS else "" for kind in NOTE_KINDS]
    kinds = [[f"`{kind}`", text, place] for (kind, text), place in zip(NOTE_KINDS.items(), first, strict=True)]
    parts = [HEAD.strip(), "## Kinds of notes", "Warnings come first.", _table(["kind", "meaning", "order"], kinds)]
    parts += ["## Kinds of errors", _table(["kind", "meaning"], [[f"`{k}`", v] for k, v in ERROR_KINDS.items()])]
    parts += ["## Texts of notes", _table(["kind", "text"], [[f"`{m.kind}`", f"`{m.text}`"] for m in notes])]
    for package, title in PACKAGES.items():
        texts = dict.fromkeys(message.text for message in errors if message.package == package)
        if texts:
            parts += [f"## Errors: {title.lower()}", "\n".join(f"- `{text}`" for text in texts)]
    return "\n\n".join(parts) + "\n"


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(table(head, [[cell.replace("|", "\\|") for cell in row] for row in rows]))


@cache
def read_messages() -> tuple[Message, ...]:
    """Return all messages in the code, sorted by package, kind and text."""
    found = {message for path in sorted(SOURCE.rglob("*.py")) for message in _read_module(path)}
    return tuple(sorted(found))


def _read_module(path: Path) -> Iterator[Message]:
    package = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    package = package if package in PACKAGES else "data"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for function in functions:
        texts = _read_texts(function)
        for node in ast.walk(function):
            if isinstance(node, ast.Call):
                yield from _read_call(package, node, texts)


def _read_texts(function: ast.FunctionDef) -> dict[str, str]:
    """Return the texts that a function assigns to names."""
    texts: dict[str, str] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            texts[node.targets[0].id] = _read_text(node.value, texts)
    return texts


def _read_call(package: str, call: ast.Call, texts: dict[str, str]) -> Iterator[Message]:
    name = ast.unparse(call.func).split(".")[-1]
    arguments = [_read_text(argument, texts) for argument in call.args]
    fix = next((_read_text(word.value, texts) for word in call.keywords if word.arg in ("hint", "fix")), "")
    if name in _PROBLEMS and arguments and arguments[0]:
        fix = fix or (arguments[1] if len(arguments) > 1 and name != "CranfieldError" else "")
        yield Message(package, "", _shorten(f"{arguments[0]}{f'. {fix}' if fix else ''}"))
    elif name in _FOUND and len(arguments) > 1 and arguments[0] and arguments[1]:
        yield Message(
            package, "", _shorten(f"found {arguments[0]}, expected {arguments[1]}{f' ({fix})' if fix else ''}")
        )
    elif name == "Note" and len(arguments) > 1 and arguments[0] and arguments[1]:
        yield Message(package, arguments[0], _shorten(arguments[1]))
    elif name == "note_topics" and len(arguments) > 2 and arguments[2]:
        yield Message(package, arguments[0], _shorten(f"{{run}}: {{count}} topics {arguments[2]}"))


def _read_text(node: ast.expr, texts: dict[str, str]) -> str:
    """Return the text of an expression with its values in braces, or an empty text if it has no words."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.Name):
        return texts.get(node.id, "")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _read_text(node.left, texts) + _read_text(node.right, texts)
    if isinstance(node, ast.JoinedStr):
        return "".join(_read_part(part, texts) for part in node.values)
    return ""


def _read_part(part: ast.expr, texts: dict[str, str]) -> str:
    if not isinstance(part, ast.FormattedValue):
        return str(part.value) if isinstance(part, ast.Constant) else ""
    names = [node for node in ast.walk(part.value) if isinstance(node, ast.Name | ast.Attribute)]
    if isinstance(part.value, ast.Name) and texts.get(part.value.id):
        return texts[part.value.id]
    if not names:
        return "{…}"
    last = names[0] if isinstance(part.value, ast.Name | ast.Attribute) else names[-1]
    return "{" + (last.attr if isinstance(last, ast.Attribute) else last.id).strip("_") + "}"


def _shorten(text: str) -> str:
    text = " ".join(text.split()).replace("`", "'")
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…"
