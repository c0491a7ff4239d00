"""Formulas as docstrings write them, typeset: plain text becomes MathML, which browsers draw.

Blanks say what belongs together, as they do to people: in `a/b · c` the fraction is a/b, in
`a·b / c` it is a·b over c, and `Σ_r a  /  Σ_r b` is one sum over another.
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
WORDS = ("list", "ideal", "pos", "rp", "allow")  # that are quantities, and no English
FUNCTIONS = ("log", "log2", "ln")  # whose argument needs no brackets
SUMS = {"Σ": "∑", "Π": "∏", "max": "max", "min": "min", "∪": "⋃"}  # the last three with _
RAISED = {"²": "2"}
CLOSED = {"(": ")", "[": "]", "{": "}"}
RELATIONS = frozenset("=<>≤≥≠∝∈∩∪‖,;:")
BARRED = "ūȳ"  # the letters with a bar that are one sign
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
    """A sign or a name, and how many blanks stand before it."""

    blanks: int
    text: str


@dataclass
class Part:
    """An element of MathML, and what it is without its brackets, if they are around all of it."""

    html: str
    bare: str = ""

    @property
    def inside(self) -> str:
        return self.bare or self.html


AT = '<mo lspace="0" rspace="0">@</mo>'
THIN = Part('<mspace width="0.17em"/>')


def is_formula(line: str) -> bool:
    """Whether a line of a docstring says what something is equal to.

    >>> is_formula("AP   = (1/R) Σ_r I(r) · C(r)/r"), is_formula("With β = 0 it is AP.")
    (True, False)
    """
    return FORMULA.match(line) is not None


def typeset(paragraph: str, names: Collection[str] = ()) -> str:
    """The lines of a paragraph as a table of formulas, their signs of equality below each other."""
    known = {*WORDS, *names}
    rows = [row for line in paragraph.splitlines() for row in _rows(line, known)]
    return "\n".join(['<table class="formulas" role="presentation">', *rows, "</table>"])


def _rows(line: str, names: Collection[str]) -> Iterator[str]:
    """A line may have several formulas, `f = …,   g = …`, or go on with the one above."""
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
    """The right side: a formula, and what is said of it."""
    formula, said = divided(text, names)
    gap = "" if re.match(r"[,;:]", said) else " "
    return mathml(formula, names) + (gap + prose(said) if said else "")


def divided(text: str, names: Collection[str] = ()) -> tuple[str, str]:
    """A formula and the words behind it.

    >>> divided("C(l) / min(l, n), n the length of the list")
    ('C(l) / min(l, n)', ', n the length of the list')
    >>> divided("judged items down to l / min(l, n)")
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
    """The places in a text that no brackets are around."""
    depth = 0
    for i, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if not depth:
            yield i


def prose(text: str) -> str:
    """Words beside a formula, in which a single letter is a quantity."""
    parts = re.split(r"`([^`]*)`", text)
    plain = [re.sub(r"(?<![\w'.])([b-zA-HJ-Zα-ω]\d?)(?![\w'-])", r"<var>\1</var>", escape(p, False))
             for p in parts[::2]]  # fmt: skip
    code = [f"<code>{escape(p)}</code>" for p in parts[1::2]]
    return "".join(x for pair in zip(plain, [*code, ""], strict=True) for x in pair)


def mathml(text: str, names: Collection[str] = ()) -> str:
    """A formula as MathML.

    >>> mathml("1/r1").partition("<mrow>")[2]
    '<mfrac><mn>1</mn><msub><mi>r</mi><mn>1</mn></msub></mfrac></mrow></math>'
    """
    if not text:
        return ""
    tokens = [Token(len(blanks), found) for blanks, found in _TOKEN.findall(text)]
    whole = _Reader(tokens, {*WORDS, *names}).all()
    return f'<math displaystyle="true"><mrow>{whole}</mrow></math>'


class _Reader:
    """What stands in a row of tokens, from relations down to names."""

    def __init__(self, tokens: list[Token], names: Collection[str]) -> None:
        self.tokens, self.names, self.at = tokens, names, 0

    def all(self) -> str:
        found = self.listed("")
        while self.at < len(self.tokens):  # a bracket that nothing opens: shown as it is
            found += _sign(self.take().text) + self.listed("")
        return found

    def see(self, ahead: int = 0) -> Token:
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else Token(0, "")

    def take(self) -> Token:
        self.at += 1
        return self.tokens[self.at - 1]

    def listed(self, end: str) -> str:
        """All down to a sign that ends it: sums with relations and commas between them."""
        found, related = [], True  # whether a relation has just been there
        while (token := self.see()).text and token.text != end and token.text not in ")]}":
            related = token.text in RELATIONS or (token.text == "|" and not related)
            related &= not self.is_big()
            found.append(_sign(self.take().text) if related else self.sum(end))
        return "".join(found)

    def sum(self, end: str) -> str:
        """Products that are added and subtracted."""
        found = []
        while True:
            if self.see().text in {"+", "−", "-"}:
                found.append(_sign(self.take().text))
            before = self.at
            found.append(self.quotient(end).html)
            if self.see().text not in {"+", "−", "-"} or self.at == before:
                break
        if self.at == before and self.see().text:  # a sign of its own
            found.append(_sign(self.take().text))
        return "".join(found)

    def quotient(self, end: str) -> Part:
        """One product over another, which two blanks on each side tell."""
        found = self.product(end)
        while self.see().text == "/":
            self.take()
            found = _over(found, self.product(end))
        return found

    def product(self, end: str, summed: bool = False) -> Part:
        """Factors side by side, with · or a blank between them, or over one another."""
        found: list[Part] = []
        while (token := self.see()).text:
            if token.text == "·":
                self.take()
                found.append(Part(_sign("·")))
            elif token.text == "/" and found and token.blanks < 2:
                if self.see(1).text == "Σ" and token.blanks and summed:
                    break  # it is under the whole sum
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
        """Whether a factor begins here."""
        sign = token.text
        if sign == "|":
            return end != "|"
        return sign[0].isalnum() or sign in {*CLOSED, "√", "…", "½"} or self.is_big()

    def is_big(self) -> bool:
        """Whether a sum or the like is next; there are others of which it must say over what."""
        sign = self.see().text
        return sign in {"Σ", "Π"} or (sign in SUMS and self.see(1).text == "_")

    def tight(self, end: str) -> Part:
        """Factors without blanks between them: 2ε, a·b/c."""
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
        """A name, number or bracket with what is attached to it, or a sum with its summands."""
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
        """Σ, Π or max, what it is over, and of what it is."""
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
        """What stands behind _: a name, or all between braces."""
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
        """What follows without a blank: _i, *, ², ^x, (r), @l."""
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
        """A quantity; or words, which stand upright with blanks around them."""
        token = self.take()
        words = [token.text]
        if not self.is_prose(self.at - 1):
            return Part(_named(token.text))
        while self.see().blanks == 1 and self.is_prose(self.at):
            words.append(self.take().text)
        return Part(f"<mtext>\u00a0{escape(' '.join(words))}\u00a0</mtext>")

    def is_prose(self, place: int) -> bool:
        """Whether the token at a place is English."""
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
    """The fraction that is all of a row: its line holds it together, and it needs no brackets."""
    parts = ElementTree.fromstring(row or "<mrow/>")  # noqa: S314 (our own)
    return row[6:-7] if [part.tag for part in parts] == ["mfrac"] else ""


def _large(html: str) -> str:
    """Above or below a line fractions and sums are as large as beside it."""
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
    """A name or a number; digits behind a letter stand below it, as in log2 and r1."""
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
