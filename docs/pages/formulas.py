"""Conversion of formulas in docstrings from plain text to MathML.

Spaces group the parts: in `a/b · c` the fraction is a/b, in `a·b / c` the numerator is a·b, and
`Σ_r a  /  Σ_r b` is a quotient of two sums.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from html import escape
from unicodedata import normalize
from xml.etree import ElementTree

from cranfield.measures.base import REGISTRY

FORMULA = re.compile(r"[^\s=(]+(\([^)=]*\))? *[=∝] ")
WORDS = ("list", "ideal", "pos", "rp", "allow")  # quantities, not English words
FUNCTIONS = ("log", "log2", "ln")  # the argument needs no brackets
SUMS = {"Σ": "∑", "Π": "∏", "max": "max", "min": "min", "∪": "⋃"}  # the last three with _
RAISED = {"²": "2"}
CLOSED = {"(": ")", "[": "]", "{": "}"}
RELATIONS = frozenset("=<>≤≥≠∝∈∩∪‖,;:")
BARRED = "ūȳ"  # letters with a bar that are one character
ACCENTS = {"\u0302": "^", "\u0304": "¯"}

_UNDERSCORED = "|".join(sorted((n for n in REGISTRY if "_" in n), key=len, reverse=True))
_TOKEN = re.compile(
    rf"( *)((?:{_UNDERSCORED})(?!\w)|P\+(?=_)|[A-Za-z]+(?:[-.][A-Za-z]+)+|log2|"
    r"[^\W\d_][\u0302\u0304]|(?<=_)(?:·[a-z]|[a-z]·(?=[ )|]))|"
    r"[A-Za-z]\d+(?!\w)|[A-Za-z]+[♯♭]|[A-Z]+\d+|(?:[A-Za-zÀ-ÿ]+|[^\W\d_])['′]?|\d+(?:\.\d+)?|½|\S)"
)
_PROSE = re.compile(r"(?<![\w@^_{(])(?:a(?= [a-z]{2})|[a-z]{2,}(?:['-][a-z]+)*)(?![\w(_*@^♯♭])")
_WHOSE = re.compile(r" \([A-Z]{2}\w*; ")
_MATHS = re.compile(r"[Σ√^/·+]|[^,;] = ")


@dataclass
class Token:
    """A symbol or name, and the number of spaces before it."""

    blanks: int
    text: str


@dataclass
class Part:
    """An element of MathML, and the same element without its outer brackets."""

    html: str
    bare: str = ""

    @property
    def inside(self) -> str:
        return self.bare or self.html


AT = '<mo lspace="0" rspace="0">@</mo>'
THIN = Part('<mspace width="0.17em"/>')


def is_formula(line: str) -> bool:
    """Return True if a line of a docstring is a formula.

    >>> is_formula("AP   = (1/R) Σ_r I(r) · C(r)/r"), is_formula("With β = 0 it is AP.")
    (True, False)
    """
    return FORMULA.match(line) is not None


def typeset(paragraph: str, names: Collection[str] = ()) -> str:
    """Convert the lines of a paragraph to a table of formulas, aligned at the equals sign."""
    known = {*WORDS, *names}
    rows = [row for line in paragraph.splitlines() for row in _rows(line, known)]
    return "\n".join(['<table class="formulas" role="presentation">', *rows, "</table>"])


def _rows(line: str, names: Collection[str]) -> Iterator[str]:
    """Yield the rows of a line: several formulas, `f = …,   g = …`, or a continuation line."""
    for i, piece in enumerate(re.split(r"(?<=[,;]) {2,}", line)):
        text = piece.strip().rstrip(",;") if len(piece) < len(line) else piece.strip()
        if is_formula(text):
            left, sign, right = re.split(r" *([=∝]) ", text, maxsplit=1)
            shown = _right(f"{sign} {right}", names)
            yield f"<tr><td>{mathml(left, {*names, left})}</td><td>{shown}</td></tr>"
        elif line.startswith(" ") and not i:
            yield f"<tr><td></td><td>{_right(text, names)}</td></tr>"
        else:
            yield f'<tr><td colspan="2">{prose(text)}</td></tr>'


def _right(text: str, names: Collection[str]) -> str:
    """Convert the right side: a formula and its explanation."""
    formula, said = split_formula(text, names)
    gap = "" if re.match(r"[,;:]", said) else " "
    return mathml(formula, names) + (gap + prose(said) if said else "")


def split_formula(text: str, names: Collection[str] = ()) -> tuple[str, str]:
    """Split a text into a formula and the words after it.

    >>> split_formula("C(l) / min(l, n), n the length of the list")
    ('C(l) / min(l, n)', ', n the length of the list')
    >>> split_formula("judged items down to l / min(l, n)")
    ('judged items down to l / min(l, n)', '')
    """
    formula, said = re.match(r"(.*?)(?<![,;]) {3,}(?=\S)(.*)|(.*)", text).group(1, 2)  # type: ignore[union-attr]
    formula, said = formula or text, said or ""
    places = [*_outside(formula)]
    words = [m.start() for m in _prose_of(formula, names) if m.start() in places]
    words += [m.start() for m in _WHOSE.finditer(formula)]
    for place in sorted({*words, *(p for p in places if re.match(r"[,;:] ", formula[p:]))}):
        rest = formula[place:]
        if formula[:place].rstrip().endswith(("+", "−", "·", "/")):
            continue
        if (any(_prose_of(rest, names)) or _WHOSE.match(rest)) and not _MATHS.search(
            re.sub(r"`[^`]*`|\([^)]*\)", "", rest)
        ):
            return formula[:place].strip(), f"{rest} {said}".strip()
    return formula, said


def _prose_of(text: str, names: Collection[str]) -> Iterator[re.Match[str]]:
    return (m for m in _PROSE.finditer(text) if m[0] not in {*names, *FUNCTIONS})


def _outside(text: str) -> Iterator[int]:
    """Yield the positions outside of brackets."""
    depth = 0
    for i, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if not depth:
            yield i


def prose(text: str) -> str:
    """Convert words next to a formula. A single letter is a quantity."""
    parts = re.split(r"`([^`]*)`", text)
    plain = [re.sub(r"(?<![\w'.])([b-zA-HJ-Zα-ω]\d?)(?![\w'-])", r"<var>\1</var>", escape(p, False))
             for p in parts[::2]]  # fmt: skip
    code = [f"<code>{escape(p)}</code>" for p in parts[1::2]]
    return "".join(x for pair in zip(plain, [*code, ""], strict=True) for x in pair)


def mathml(text: str, names: Collection[str] = ()) -> str:
    """Convert a formula to MathML.

    >>> mathml("1/r1").partition("<mrow>")[2]
    '<mfrac><mn>1</mn><msub><mi>r</mi><mn>1</mn></msub></mfrac></mrow></math>'
    """
    if not text:
        return ""
    tokens = [Token(len(blanks), found) for blanks, found in _TOKEN.findall(text)]
    whole = _Reader(tokens, {*WORDS, *names}).all()
    return f'<math displaystyle="true"><mrow>{whole}</mrow></math>'


class _Reader:
    """Parser of tokens: relations, sums, products, factors and names."""

    def __init__(self, tokens: list[Token], names: Collection[str]) -> None:
        self.tokens, self.names, self.at = tokens, names, 0

    def all(self) -> str:
        found = self.listed("")
        while self.at < len(self.tokens):  # unbalanced bracket: kept
            found += _sign(self.take().text) + self.listed("")
        return found

    def see(self, ahead: int = 0) -> Token:
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else Token(0, "")

    def take(self) -> Token:
        self.at += 1
        return self.tokens[self.at - 1]

    def listed(self, end: str) -> str:
        """Parse sums with relations and commas, up to the closing symbol."""
        found, related = [], True  # True after a relation
        while (token := self.see()).text and token.text != end and token.text not in ")]}":
            related = token.text in RELATIONS or (token.text == "|" and not related)
            related &= not self.is_big()
            found.append(_sign(self.take().text) if related else self.sum(end))
        return "".join(found)

    def sum(self, end: str) -> str:
        """Parse products with + and − between them."""
        found = []
        while True:
            if self.see().text in {"+", "−", "-"}:
                found.append(_sign(self.take().text))
            before = self.at
            found.append(self.quotient(end).html)
            if self.see().text not in {"+", "−", "-"} or self.at == before:
                break
        if self.at == before and self.see().text:  # a single symbol
            found.append(_sign(self.take().text))
        return "".join(found)

    def quotient(self, end: str) -> Part:
        """Parse a quotient of products: two spaces on each side of the slash."""
        found = self.product(end)
        while self.see().text == "/":
            self.take()
            found = _over(found, self.product(end))
        return found

    def product(self, end: str, summed: bool = False) -> Part:
        """Parse factors with · or a space between them, or a fraction."""
        found: list[Part] = []
        while (token := self.see()).text:
            if token.text == "·":
                self.take()
                found.append(Part(_sign("·")))
            elif token.text == "/" and found and token.blanks < 2:
                if self.see(1).text == "Σ" and token.blanks and summed:
                    break  # denominator of the complete sum
                self.take()
                below = self.product(end) if self.see().text == "Σ" else self.tight(end)
                found = [_over(_row(found), below)]
            elif self.starts(token, end) and (not found or token.blanks):
                if found:
                    found.append(THIN)
                found.append(self.tight(end))
            else:
                break
        return _row(found)

    def starts(self, token: Token, end: str) -> bool:
        """Return True if a factor starts here."""
        sign = token.text
        if sign == "|":
            return end != "|"
        return sign[0].isalnum() or sign in {*CLOSED, "√", "…", "½"} or self.is_big()

    def is_big(self) -> bool:
        """Return True if a sum or product is next, or another operator with a subscript."""
        sign = self.see().text
        return sign in {"Σ", "Π"} or (sign in SUMS and self.see(1).text == "_")

    def tight(self, end: str) -> Part:
        """Parse factors without spaces between them: 2ε, a·b/c."""
        found = [self.factor(end)]
        while (token := self.see()).text and not token.blanks:
            if token.text == "·":
                self.take()
                found += [Part(_sign("·")), self.factor(end)]
            elif token.text == "/":
                self.take()
                found = [_over(_row(found), self.factor(end))]
            elif self.starts(token, end) and token.text != "|":
                found.append(self.factor(end))
            else:
                break
        return _row(found)

    def factor(self, end: str) -> Part:
        """Parse a name, number or bracket with its scripts, or a sum."""
        token = self.see()
        if self.is_big():
            return self.big(end)
        if token.text == "√":
            self.take()
            return Part(f"<msqrt>{self.factor(end).inside}</msqrt>")
        if token.text in CLOSED or token.text == "|":
            found = self.bracket()
            whole = self.attached(found)
            return Part(alone) if whole is found and (alone := _fraction(found.bare)) else whole
        found = self.attached(self.name())
        if token.text in FUNCTIONS and self.see().blanks and self.starts(self.see(), end):
            return _row([found, THIN, self.factor(end)])
        return found

    def big(self, end: str) -> Part:
        """Parse Σ, Π or max with its range and its argument."""
        sign = self.take().text
        shown = f'<mo movablelimits="false">{SUMS[sign]}</mo>'
        if self.see().text == "_":
            shown = f"<munder>{shown}{self.below()}</munder>"
        return Part(f"<mrow>{shown}{self.product(end, summed=True).html}</mrow>")

    def bracket(self) -> Part:
        sign = self.take().text
        last = CLOSED.get(sign, "|")
        inside = self.listed(last)
        if self.see().text == last:
            self.take()
        shown = f"<mrow>{_fence(sign, 'prefix')}{inside}{_fence(last, 'postfix')}</mrow>"
        return Part(shown, f"<mrow>{inside}</mrow>" if sign == "(" else "")

    def below(self) -> str:
        """Parse a subscript: a name, or the text in braces."""
        self.take()
        if self.see().text != "{":
            name = self.take().text
            each = "".join(map(_named, name)) if re.fullmatch("[ijk]{2,3}", name) else ""
            return f"<mrow>{each}</mrow>" if each else _named(name)
        self.take()
        inside = self.listed("}")
        self.take()
        return f"<mrow>{inside}</mrow>"

    def attached(self, base: Part) -> Part:
        """Parse the parts that follow without a space: _i, *, ², ^x, (r), @l."""
        shown, whole, low, high = base.html, base, "", ""
        while (token := self.see()).text and not token.blanks:
            if token.text == "_" and not low:
                low = self.below()
            elif token.text == "*" or token.text in RAISED:
                self.take()
                high += _sign("*") if token.text == "*" else f"<mn>{RAISED[token.text]}</mn>"
            elif token.text == "^" and not high:
                self.take()
                high = self.exponent()
            elif token.text == "(" and not shown.startswith("<mn>"):
                shown, low, high = _script(shown, low, high), "", ""
                shown = f"<mrow>{shown}{self.bracket().html}</mrow>"
            elif token.text == "@":
                shown, low, high = _script(shown, low, high), "", ""
                self.take()
                shown = f"<mrow>{shown}{AT}{_named(self.take().text)}</mrow>"
            else:
                break
            whole = Part(_script(shown, low, high))
        return whole

    def exponent(self) -> str:
        if self.see().text in CLOSED:
            return self.bracket().inside
        return self.attached(Part(_named(self.take().text))).html

    def name(self) -> Part:
        """Parse a quantity, or words in upright letters with spaces around them."""
        token = self.take()
        words = [token.text]
        if not self.is_prose(self.at - 1):
            return Part(_named(token.text))
        while self.see().blanks == 1 and self.is_prose(self.at):
            words.append(self.take().text)
        return Part(f"<mtext>\u00a0{escape(' '.join(words))}\u00a0</mtext>")

    def is_prose(self, place: int) -> bool:
        """Return True if the token is an English word."""
        word, after = self.tokens[place].text, self.see(place + 1 - self.at)
        if word == "a":
            return after.blanks == 1 and len(after.text) > 1 and after.text.isalpha()
        if not re.fullmatch(r"[a-z]{2,}'?", word) or word in {*self.names, *FUNCTIONS}:
            return False
        return bool(after.blanks) or after.text not in {"(", "_", "*", "@", "^"}


def _row(parts: list[Part]) -> Part:
    if len(parts) == 1:
        return parts[0]
    return Part("<mrow>" + "".join(part.html for part in parts) + "</mrow>")


def _over(above: Part, below: Part) -> Part:
    return Part(f"<mfrac>{_large(above.inside)}{_large(below.inside)}</mfrac>")


def _fraction(row: str) -> str:
    """Return the fraction if the row contains nothing else: it needs no brackets."""
    parts = ElementTree.fromstring(row or "<mrow/>")  # noqa: S314 (our own)
    return row[6:-7] if [part.tag for part in parts] == ["mfrac"] else ""


def _large(html: str) -> str:
    """Keep the size of fractions and sums inside a fraction."""
    nested = "<mfrac>" in html or "<munder>" in html
    return f'<mrow displaystyle="true">{html}</mrow>' if nested else html


def _script(base: str, low: str, high: str) -> str:
    high = high and f"<mrow>{high}</mrow>"
    if low and high:
        return f"<msubsup>{base}{low}{high}</msubsup>"
    if low:
        return f"<msub>{base}{low}</msub>"
    return f"<msup>{base}{high}</msup>" if high else base


def _named(text: str) -> str:
    """Format a name or number. Digits after a letter are subscripts, as in log2 and r1."""
    if text[0].isdigit() or text == "½":
        return f"<mn>{text}</mn>"
    if numbered := re.fullmatch(r"([A-Za-z]|log)(\d+)", text):
        return f"<msub><mi>{numbered[1]}</mi><mn>{numbered[2]}</mn></msub>"
    if text.endswith(("'", "′")):
        return f"<msup><mi>{text[:-1]}</mi><mo>′</mo></msup>"
    text = normalize("NFD", text) if text in BARRED else text
    if accent := ACCENTS.get(text[1:]):
        return f'<mover accent="true"><mi>{text[0]}</mi><mo>{accent}</mo></mover>'
    return f"<mi>{escape(text)}</mi>" if text[0].isalpha() else _sign(text)


def _sign(text: str) -> str:
    if text == "|":
        return '<mo lspace="0.1em" rspace="0.1em" stretchy="false" form="infix">|</mo>'
    return f"<mo>{escape(text)}</mo>"


def _fence(text: str, form: str) -> str:
    return f'<mo form="{form}" fence="true">{text}</mo>' if text == "|" else f"<mo>{text}</mo>"
