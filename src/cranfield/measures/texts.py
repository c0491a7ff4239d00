"""Measures of texts: summaries with references (ROUGE), answers with nuggets.

A measure gets one `Answer`: the words of a text and its references, its length, and the nuggets
(iUnits) with their positions.
"""

from __future__ import annotations

import re
import string
import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cache, cached_property, lru_cache, reduce
from itertools import chain, groupby
from operator import add
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from cranfield.arrays import LARGEST, Ints
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.lazy_imports import load
from cranfield.measures.base import Measure, cite, measure
from cranfield.measures.lists import ValueCache
from cranfield.measures.parameters import param

# -- tokens ---------------------------------------------------------------------------------------

Tokeniser: TypeAlias = Callable[[str], Sequence[str]]
TokensLike: TypeAlias = str | Tokeniser  # a key of TOKENS, or a function from a text to its tokens

# Ideographs, Hiragana and Katakana: scripts without spaces between words.
_IDEOGRAPHIC = re.compile(
    "[\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


_WORD = 40  # longest part between spaces that is cached; longer parts are text without spaces


@cache
def _classify(c: str) -> str:
    """Return "word", "alone" (a token of its own) or "" (no token)."""
    if _IDEOGRAPHIC.match(c):
        return "alone"
    return "word" if c.isalnum() or unicodedata.category(c).startswith("M") else ""


def _normalise(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def _split_auto(text: str) -> list[str]:
    parts = _normalise(text).split()
    if max(map(len, parts), default=0) <= _WORD:
        return [*chain.from_iterable(map(_split_cached, parts))]
    return [*chain.from_iterable(map(_split_part, parts))]


def _split_part(part: str) -> Sequence[str]:
    """Return the tokens between two spaces."""
    tokens: list[str] = []
    for kind, group in groupby(part, _classify):
        run = "".join(group)
        tokens += {"alone": list(run), "word": [run]}.get(kind, [])
    return tokens


_split_cached = lru_cache(maxsize=1 << 16)(_split_part)  # because most words repeat


def _split_words(text: str) -> list[str]:
    runs = groupby(_normalise(text), lambda c: bool(_classify(c)))
    return ["".join(run) for is_word, run in runs if is_word]


def _split_characters(text: str) -> list[str]:
    return [c for c in _normalise(text) if _classify(c)]


def _split_as_rouge_score(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


TOKENS: dict[str, Tokeniser] = {
    "auto": _split_auto,
    "words": _split_words,
    "characters": _split_characters,
    "blanks": str.split,
    "rouge-score": _split_as_rouge_score,
}
MEANINGS = {
    "auto": "words in lower case; Han, Hiragana and Katakana one by one",
    "words": "words in lower case",
    "characters": "letters and digits one by one, in lower case",
    "blanks": "text between spaces, unchanged",
    "rouge-score": "words of a to z and 0 to 9, in lower case",
}
"""Tokenisers, without stemming and stop words. All but the last two start with Unicode's NFKC, so
full-width and half-width letters are equal."""


def get_tokeniser(tokens: TokensLike) -> Tokeniser:
    """Return the tokeniser of a name in TOKENS. Functions are returned unchanged.

    >>> get_tokeniser("auto")("The FIFA World Cup™ 2002, 日韓ワールド杯")
    ['the', 'fifa', 'world', 'cuptm', '2002', '日', '韓', 'ワ', 'ー', 'ル', 'ド', '杯']
    >>> get_tokeniser("words")("日韓 2002")
    ['日韓', '2002']
    """
    if callable(tokens):
        return tokens
    if isinstance(tokens, str) and tokens in TOKENS:
        return TOKENS[tokens]
    fix = f"Valid: {', '.join(TOKENS)}, or a function"
    raise InputError.from_problem(f"invalid tokens {tokens!r}", fix)


# -- inputs of measures ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Pairs:
    """Ordered pairs of tokens, by number, with counts: a `Counter` of large texts."""

    numbers: Ints
    counts: Ints

    @classmethod
    def from_numbers(cls, numbers: Ints) -> Pairs:
        """Count all pairs of a text."""
        return cls(*np.unique(numbers, return_counts=True))

    def __and__(self, other: Pairs) -> Pairs:
        common, i, j = np.intersect1d(self.numbers, other.numbers, assume_unique=True, return_indices=True)
        return Pairs(common, np.minimum(self.counts[i], other.counts[j]))

    def total(self) -> int:
        return int(self.counts.sum())


Units: TypeAlias = Counter[tuple[int, ...]] | Pairs


@dataclass(eq=False)
class Words(ValueCache):
    """The tokens of a text, by number, and the counts of their combinations.

    The counts of a reference are cached, because it is compared with every system.
    """

    tokens: tuple[int, ...]
    text: str = ""  # the source of the tokens

    def count_ngrams(self, n: int) -> Units:
        """Return the N-grams with counts."""
        starts = range(len(self.tokens) - n + 1)
        return self.cache(n, lambda: Counter(self.tokens[i : i + n] for i in starts))

    def count_skip_bigrams(self, skip: float | None, words: bool = False) -> Units:
        """Return ordered pairs with at most `skip` tokens in between (None: any number).

        With `words`, the tokens themselves are counted as well, by numbers below 0.
        """
        return self.cache((skip, words), lambda: Pairs.from_numbers(self._number_pairs(skip, words)))

    @cached_property
    def positions(self) -> dict[int, int]:
        """Positions of each token, as bits."""
        return find_positions(self.tokens)

    @cached_property
    def normalised(self) -> list[str]:
        """Words normalised for short answers."""
        return normalise_words(self.text)

    @cached_property
    def normalised_counts(self) -> Counter[str]:
        """Counts of the normalised words."""
        return Counter(self.normalised)

    @cached_property
    def normalised_text(self) -> str:
        """Normalised words joined by spaces, with a space before and after."""
        return f" {' '.join(self.normalised)} "

    def _number_pairs(self, skip: float | None, words: bool) -> Ints:
        tokens = np.array(self.tokens, dtype=np.int64)
        last = len(tokens) if skip is None else min(int(skip) + 2, len(tokens))
        pairs = [tokens[:-distance] << 32 | tokens[distance:] for distance in range(1, last)]
        return np.concatenate([~tokens if words else tokens[:0], *pairs])


Reader: TypeAlias = Callable[[str], Words]


def build_reader(tokens: TokensLike) -> Reader:
    """Build a function that reads texts and numbers tokens consistently.

    >>> read = build_reader("auto")
    >>> read("the cat sat").tokens, read("the mat").tokens
    ((0, 1, 2), (0, 3))
    """
    tokenise = get_tokeniser(tokens)
    numbers = defaultdict[str, int]()
    numbers.default_factory = numbers.__len__

    if tokenise is _split_auto:
        parts = TokenCache(numbers)
        return lambda text: Words(parts.read_tokens(text), text)

    def read(text: str) -> Words:
        tokens_of_text = tokenise(text)
        strings = _to_strings(tokens_of_text)
        if strings is None:
            problem = f"tokens of a text must be a list of strings, found {tokens_of_text!r}"
            raise CranfieldError(problem)
        return Words(tuple(map(numbers.__getitem__, strings)), text)

    return read


class TokenCache(dict[str, tuple[int, ...]]):
    """Token numbers of the parts between spaces, cached because parts repeat."""

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self.numbers = numbers

    def __missing__(self, part: str) -> tuple[int, ...]:
        token_numbers = tuple(map(self.numbers.__getitem__, _split_part(part)))
        if len(part) <= _WORD:
            self[part] = token_numbers
        return token_numbers

    def read_tokens(self, text: str) -> tuple[int, ...]:
        """Return the token numbers of a text, tokenised as by `_split_auto`."""
        return tuple(chain.from_iterable(map(self.__getitem__, _normalise(text).split())))


def _to_strings(values: Any) -> list[str] | None:
    """Return the values as a list if they are several strings, else None."""
    if not isinstance(values, Iterable) or isinstance(values, str | Mapping):
        return None
    items = list(values)
    return items if all(issubclass(kind, str) for kind in {*map(type, items)}) else None


class Nugget(NamedTuple):
    """A piece of information that an answer should contain, also called iUnit.

    The vital string is the shortest text that conveys it. Sometimes only its length is known.
    """

    weight: float
    length: int  # of the vital string, in characters
    vital: str | None = None
    words: Words | None = None  # of the vital string


@dataclass(frozen=True, eq=False)
class Answer:
    """One text with all inputs of its measures."""

    words: Words
    length: int  # in characters
    references: Sequence[Words] = ()
    nuggets: Mapping[str, Nugget] = field(default_factory=dict)
    ends: Mapping[str, int] = field(default_factory=dict)  # nugget: where it ends in the text

    @cached_property
    def solid(self) -> int:
        """Length without white space, or the total length if only that is known."""
        return len("".join(self.words.text.split())) if self.words.text else self.length

    @cached_property
    def ideal(self) -> dict[str, int]:
        """End of each nugget in the pseudo minimal output.

        All vital strings in a row, by falling weight, and by rising length among equal weights.
        """
        ordered = sorted(self.nuggets.items(), key=lambda pair: (-pair[1].weight, pair[1].length))
        ends, end = {}, 0
        for name, nugget in ordered:
            ends[name] = end = end + nugget.length
        return ends

    def sum_weights(self, names: Iterable[str]) -> float:
        """Return Σ w(v) of nuggets."""
        return sum_in_order(self.nuggets[name].weight for name in names)


def count_shared(text_units: Units, reference_units: Units) -> int:
    """Return Σ_e min(Count(e, s), Count(e, s*))."""
    return (reference_units & text_units).total()  # type: ignore[operator]  # both are of one kind


def sum_in_order(values: Iterable[float]) -> float:
    """Sum values one after another.

    Python's `sum` is more exact since 3.12. NTCIREVAL's is not, and its third decimal depends on it
    if a score is half-way between two.
    """
    return reduce(add, values, 0.0)


def divide(numerator: float, denominator: float) -> float:
    """Return the quotient, 0 if the denominator is 0."""
    return numerator / denominator if denominator else 0.0


def compute_f(precision: float, recall: float, beta: float) -> float:
    """Return (β² + 1)·P·R / (β²·P + R)."""
    return divide((1 + beta * beta) * precision * recall, beta * beta * precision + recall)


def build_answer(
    text: str | int,
    read: Reader,
    references: Sequence[Words] = (),
    nuggets: Mapping[str, Nugget] | None = None,
    nugget_ends: Mapping[str, int] | None = None,
) -> Answer:
    """Build an answer from a text, or from its length if there is no text.

    The position of a nugget is given, or found: the first end of its vital string.
    """
    content = text if isinstance(text, str) else ""
    length = len(content) if isinstance(text, str) else text
    nuggets = nuggets or {}
    if nugget_ends is None:
        vital = {name: n.vital for name, n in nuggets.items() if n.vital is not None}
        ends = {name: find_end(string, content) for name, string in vital.items()}
        nugget_ends = {name: end for name, end in ends.items() if end is not None}
    return Answer(read(content), length, references, nuggets, nugget_ends)


def find_end(vital: str, text: str) -> int | None:
    """Return the end of a string's first occurrence in a text, or None.

    Upper and lower case, full width and half width, and one or more spaces are the same.

    >>> find_end("born 1942", "He was BORN  １９４２ in Liverpool.")
    17
    """
    target = _fold(vital.strip())
    start = _fold(text).find(target)
    if start < 0:
        return None
    # The folded text can be shorter or longer: find the prefix of the text with this folded length.
    ends, folded = range(len(text) + 1), start + len(target)

    def measure_length(end: int) -> int:
        return len(_fold(text[:end]))

    beyond = bisect_right(ends, folded, key=measure_length)
    return beyond - 1 if measure_length(beyond - 1) == folded else beyond  # one character can fold to several


def _fold(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).casefold())


class TextMeasure(Measure):
    """A measure of one text."""

    takes = "texts"
    cutoff_meaning = ""
    needs: ClassVar[str] = "nuggets"  # or "references", or "strings" (nuggets with vital strings)
    tokenised: ClassVar[bool] = False  # uses tokens

    def score(self, x: Answer) -> float:  # type: ignore[override]
        """Return the score of one text."""
        raise TypeError(f"{type(self).__name__} defines no score(self, x)")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "better", "higher")  # recall and precision are scores as well


# -- comparison with references -------------------------------------------------------------------


class ReferenceMeasure(TextMeasure):
    """A measure of a text compared with one or more references."""

    needs = "references"

    def __call__(  # type: ignore[override]
        self, text: str, references: str | Sequence[str], *, tokens: TokensLike = "auto"
    ) -> float:
        """Return the score of one text, compared with one or more references.

        >>> ROUGE(n=2)("the cat sat down", ["a cat sat", "the cat sat here"])
        0.6666666666666666
        """
        read = build_reader(tokens)
        reference_list = [references] if isinstance(references, str) else _to_strings(references)
        if not isinstance(text, str) or reference_list is None:
            expected = "a text and one or more references"
            raise CranfieldError(f"{self}: expected {expected}, found {text!r} and {references!r}")
        if not reference_list:
            raise InputError.from_problem("no reference given", where=self)
        return self.score(build_answer(text, read, [read(reference) for reference in reference_list]))


@measure
class BLEU(ReferenceMeasure):
    """BLEU of one text: the precision of its N-grams, with a penalty for short texts.

    BLEU = min(1, exp(1 − r/c)) · exp((1/N) Σ_{n≤N} ln p_n),   N = 4

    c is the length of the text, r the length of the reference closest in length, p_n the fraction
    of its N-grams that occur in a reference. It is computed by sentence_bleu of the package
    sacrebleu (`pip install cranfield[bleu]`): 13a tokens regardless of `tokens`, smoothed (exp), N
    at most the length of the text, divided by 100. The mean over topics is not corpus BLEU, which
    sums counts.

    >>> round(BLEU()("the cat sat", "the cat was here"), 4)  # sacrebleu 2.6: 39.43
    0.3943
    """

    references = cite("papineni2002", "post2018")
    task = "texts with a reference, in addition to ROUGE; designed for translation corpora"

    def score(self, x: Answer) -> float:  # type: ignore[override]
        references = [reference.text for reference in x.references]
        result = load("sacrebleu").sentence_bleu(x.words.text, references)
        return float(result.score) / 100.0


class Rouge(ReferenceMeasure):
    """The overlap of a text with reference texts, in units of some kind."""

    beta: float = param(1.0, "weight of recall relative to precision, for F", low=0)
    over: str = param(
        "best",
        "several references: best (by F, like rouge-score), max (highest value of this "
        "measurement), mean (over references), pooled (sums of counts)",
        choices=("best", "max", "mean", "pooled"),
    )
    tokenised = True
    references = cite("lin2004", "sakai2014metrics")
    measurements: ClassVar[tuple[str, ...]] = ("recall", "precision", "F")
    default_measurement: ClassVar[str] = "F"  # the measurement without a suffix

    def count_units(self, words: Words) -> Units:
        """Return the units of a text with counts."""
        raise TypeError(f"{type(self).__name__} defines no units(self, words)")

    def count_matches(self, words: Words, reference: Words) -> tuple[int, int, int]:
        """Return the number of shared units, of the text's and of the reference's units."""
        a, b = self.count_units(words), self.count_units(reference)
        return count_shared(a, b), a.total(), b.total()

    def score(self, x: Answer) -> float:  # type: ignore[override]
        matches = [self.count_matches(x.words, reference) for reference in x.references]
        index = self.measurements.index(self.measurement or self.default_measurement)
        results = [self._compute_scores(*counts) for counts in matches]
        match self.over:
            case "best":
                return max(results, key=lambda scores: scores[2])[index]
            case "max":
                return max(scores[index] for scores in results)
            case "mean":
                return sum_in_order(scores[index] for scores in results) / len(results)
        return self._compute_scores(*map(sum, zip(*matches, strict=True)))[index]

    def _compute_scores(self, matched: int, text_total: int, reference_total: int) -> tuple[float, float, float]:
        """Return recall, precision and F."""
        recall, precision = divide(matched, reference_total), divide(matched, text_total)
        return recall, precision, compute_f(precision, recall, self.beta)


@measure
class ROUGE(Rouge):
    """ROUGE-N: the fraction of a reference text's N-grams in a summary.

    ROUGE-N = Σ_e min(Count(e, s), Count(e, s*)) / Σ_e Count(e, s*)

    e is an N-gram, s the summary, s* the reference. This is recall. ROUGE.precision divides by Σ_e
    Count(e, s), and ROUGE.F is the F-measure of the two. For several references, see `over`. Words
    are not stemmed.

    >>> ROUGE()("the cat sat", "the cat was here")  # the, cat: 2 of 4
    0.5
    >>> ROUGE(measurement="precision")("the cat sat", "the cat was here")  # 2 of 3
    0.6666666666666666
    """

    n: float = param(1, "length of the N-grams", low=1, whole=True)
    default_measurement = "recall"
    task = "summaries with reference texts"

    def count_units(self, words: Words) -> Units:
        return words.count_ngrams(int(self.n))


class SkipBigramRouge(Rouge):
    """The overlap of ordered pairs of words, with other words between them."""

    skip: float | None = param(
        None, "maximum number of words between the two of a pair (default: any)", low=0, whole=True
    )
    task = "summaries that can have other words between those of the reference texts"


@measure
class ROUGES(SkipBigramRouge):
    """ROUGE-S: the F-measure of skip bigrams, pairs of words in order with others between them.

    ROUGE-S = (β² + 1)·Prec·Rec / (β²·Prec + Rec)
    Rec     = Σ_e min(Count(e, s), Count(e, s*)) / Σ_e Count(e, s*)
    Prec    = Σ_e min(Count(e, s), Count(e, s*)) / Σ_e Count(e, s)

    e is a skip bigram, s the summary, s* the reference. With skip=0 they are bigrams.

    >>> ROUGES()("police kill the gunman", "police killed the gunman")  # Lin 2004: 3 of 6 and of 6
    0.5
    """

    def count_units(self, words: Words) -> Units:
        return words.count_skip_bigrams(self.skip)


@measure
class ROUGESU(SkipBigramRouge):
    """ROUGE-SU: ROUGE-S that counts single words as well as pairs.

    ROUGE-SU = ROUGE-S of pairs and single words

    A text with all words in another order does not score 0.

    >>> ROUGES()("gunman the killed police", "police killed the gunman")
    0.0
    >>> round(ROUGESU()("gunman the killed police", "police killed the gunman"), 4)  # 4 of 6 + 4
    0.4
    """

    def count_units(self, words: Words) -> Units:
        return words.count_skip_bigrams(self.skip, words=True)


@measure
class ROUGEL(Rouge):
    """ROUGE-L: the F-measure of the longest common subsequence, words in order with gaps allowed.

    ROUGE-L = (β² + 1)·Prec·Rec / (β²·Prec + Rec),   Rec = L / |s*|,   Prec = L / |s|

    L is the length of the longest common subsequence of the summary s and the reference s*, |s| the
    number of words. With `--tokens rouge-score` it equals rouge-score without its stemmer.

    >>> ROUGEL()("police kill the gunman", "police killed the gunman")  # Lin 2004: 3 of 4 and of 4
    0.75
    """

    task = "answers and summaries in the order of the reference texts"

    def count_matches(self, words: Words, reference: Words) -> tuple[int, int, int]:
        matched = count_common_subsequence(words.tokens, reference.tokens, reference.positions)
        return matched, len(words.tokens), len(reference.tokens)


def count_common_subsequence(a: Sequence[int], b: Sequence[int], positions: Mapping[int, int] | None = None) -> int:
    """Return the length of the longest common subsequence (Hyyrö 2004).

    `positions` are those of the tokens of b, if known.

    >>> count_common_subsequence([1, 2, 3, 4], [2, 4, 3])
    2
    """
    positions = find_positions(b) if positions is None else positions
    all_bits = row = (1 << len(b)) - 1
    for bits in [positions[token] for token in a if token in positions]:
        matched = row & bits
        row = (row + matched | row - matched) & all_bits
    return len(b) - row.bit_count()


def find_positions(tokens: Sequence[int]) -> dict[int, int]:
    """Return the positions of each token, as bits."""
    positions = dict.fromkeys(tokens, 0)
    for position, token in enumerate(tokens):
        positions[token] |= 1 << position
    return positions


# -- short answers --------------------------------------------------------------------------------

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


def normalise_words(text: str) -> list[str]:
    """Return the words of a short answer in lower case.

    ASCII punctuation and articles are removed.

    >>> normalise_words("The U.S., in a   word")
    ['us', 'in', 'word']
    """
    normalised = text.lower().translate(_PUNCTUATION)
    words = normalised.split()
    if "".join(words).isalnum():  # the usual case: articles are separate words
        return [word for word in words if word not in ("a", "an", "the")]
    return _ARTICLES.sub(" ", normalised).split()


class ShortAnswer(ReferenceMeasure):
    """The similarity of a short answer to its most similar gold answer."""

    references = cite("rajpurkar2016")

    def score(self, x: Answer) -> float:  # type: ignore[override]
        return max([self.compare(x.words, gold) for gold in x.references])

    def compare(self, words: Words, gold: Words) -> float:
        """Return the similarity of an answer to one gold answer."""
        raise TypeError(f"{type(self).__name__} defines no like(self, mine, gold)")


@measure
class EM(ShortAnswer):
    """Exact match: 1 if the normalised answer equals a gold answer, else 0.

    EM = max_g [a = g]

    a is the answer and g a gold answer, normalised as in SQuAD's program: lower case, no ASCII
    punctuation, no words a, an and the, single spaces.

    >>> EM()("The Eiffel Tower.", ["Eiffel tower", "la tour Eiffel"])
    1.0
    """

    task = "short answers, such as names and numbers"

    def compare(self, words: Words, gold: Words) -> float:
        return float(words.normalised == gold.normalised)


@measure
class TokenF1(ShortAnswer):
    """Token F1: the F-measure of the words in common with a gold answer.

    F1 = max_g 2·Prec·Rec / (Prec + Rec),   Prec = |a ∩ g| / |a|,   Rec = |a ∩ g| / |g|

    a and g are the words of the answer and of a gold answer with their counts, normalised as in
    SQuAD's program: lower case, no ASCII punctuation, no words a, an and the. If either has no
    words, the score is 1 if both have none, else 0.

    >>> TokenF1()("the tall Eiffel Tower", "Eiffel tower")  # 2 of 3, 2 of 2
    0.8
    """

    task = "short answers with small differences in wording"

    def compare(self, words: Words, gold: Words) -> float:
        if not (words.normalised and gold.normalised):
            return float(words.normalised == gold.normalised)
        counts, gold_counts = words.normalised_counts, gold.normalised_counts
        common = sum([min(counts[word], gold_counts[word]) for word in counts.keys() & gold_counts.keys()])
        return compute_f(common / len(words.normalised), common / len(gold.normalised), 1.0)


@measure
class Contains(ShortAnswer):
    """Contains: 1 if the answer contains a gold answer as consecutive words, else 0.

    Contains = max_g [g in a]

    a and g are the words of the answer and of a gold answer: lower case, no ASCII punctuation, no
    words a, an and the. A gold answer without words is only in an answer without words.

    >>> Contains()("It stands in Paris, France.", "Paris"), Contains()("Parisian cafés", "Paris")
    (1.0, 0.0)
    """

    task = "answers in sentences with a short gold answer"

    def compare(self, words: Words, gold: Words) -> float:
        if not gold.normalised:
            return float(not words.normalised)
        return float(gold.normalised_text in words.normalised_text)


# -- nuggets --------------------------------------------------------------------------------------


class NuggetMeasure(TextMeasure):
    """A measure of an answer by the nuggets in it."""

    def __call__(  # type: ignore[override]
        self,
        text: str | int,
        nuggets: Mapping[str, tuple[float, str | int]],
        found: Mapping[str, int] | None = None,
        *,
        tokens: TokensLike = "auto",
    ) -> float:
        """Return the score of one answer from nuggets with weight and vital string.

        `found` maps nuggets to their ends in the text, in characters. Without it, the vital strings
        are searched. With `found`, lengths of vital strings are enough, and the length of the text
        is enough.

        >>> WRecall()("Paul was born in 1942.", {"born": (3, "1942"), "where": (1, "Liverpool")})
        0.75
        """
        read = build_reader(tokens)
        if not isinstance(text, str) and not _is_count(text):
            raise InputError.from_problem(f"expected a text or its length, found {text!r}", where=self)
        if not isinstance(nuggets, Mapping) or not isinstance(found, Mapping | None):
            expected = "{nugget: (weight, vital string)} and found={nugget: end}"
            problem = f"expected {expected}, found {nuggets!r} and {found!r}"
            raise InputError.from_problem(problem, where=self)
        nugget_table = {name: _read_nugget(name, value, read) for name, value in nuggets.items()}
        without_text = [name for name, nugget in nugget_table.items() if nugget.vital is None]
        if without_text and (self.needs == "strings" or found is None):
            problem = f"nugget {without_text[0]!r} has a length but no vital string"
            fix = "" if self.needs == "strings" else "Pass the vital string, or found="
            raise InputError.from_problem(problem, fix, self)
        if not any(nugget.weight for nugget in nugget_table.values()):
            raise InputError.from_problem("all nuggets have weight 0", where=self)
        x = build_answer(text, read, nuggets=nugget_table, nugget_ends=found)
        self._check_ends(x)
        return self.score(x)

    def _check_ends(self, x: Answer) -> None:
        for name, end in x.ends.items():
            if name not in x.nuggets or not _is_count(end) or end > x.length:
                problem = f"found= must map nuggets to ends in [0, {x.length}]: {name!r}: {end}"
                raise InputError.from_problem(problem, where=self)


LONGEST = 2**53  # characters that a float can represent exactly


def _is_count(x: Any) -> bool:
    return isinstance(x, int) and not isinstance(x, bool) and 0 <= x <= LONGEST


def _read_nugget(name: str, value: Any, read: Reader) -> Nugget:
    match value:
        case [int() | float() as weight, str() as vital] if 0 <= weight <= LARGEST:
            if string := vital.strip():
                return Nugget(weight, len(string), string, read(string))
        case [int() | float() as weight, int() as length] if 0 <= weight <= LARGEST:
            if _is_count(length) and length:
                return Nugget(weight, length)
    expected = "a weight ≥ 0 and a vital string or its length ≥ 1"
    raise InputError.from_problem(f"nugget {name!r} must have {expected}, found {value!r}")


@measure
class NuggetRecall(NuggetMeasure):
    """Nugget recall: the fraction of the nuggets in an answer, unweighted.

    Recall = |V| / |V*|

    V* are all nuggets, V the nuggets found.

    >>> NuggetRecall()(500, {"N1": (3, 10), "N2": (1, 5), "N3": (3, 5)}, {"N1": 100, "N2": 50})
    0.6666666666666666
    """

    references = cite("sakai2011ntcireval")
    task = "answers with equally important nuggets"

    def score(self, x: Answer) -> float:  # type: ignore[override]
        return divide(len(x.ends), len(x.nuggets))


@measure
class WRecall(NuggetMeasure):
    """Weighted nugget recall: the fraction of the total nugget weight in an answer.

    W-Rec = Σ_{v∈V} w(v) / Σ_{v∈V*} w(v)

    V* are all nuggets, V the nuggets found. The weight of a nugget can be the number of assessors
    with the label vital.

    >>> WRecall()(500, {"N1": (3, 10), "N2": (1, 5), "N3": (3, 5)}, {"N1": 100, "N2": 50})  # 4/7
    0.5714285714285714
    """

    references = cite("sakai2014metrics", "sakai2011ntcireval")
    task = "answers of any length"

    def score(self, x: Answer) -> float:  # type: ignore[override]
        return divide(x.sum_weights(x.ends), x.sum_weights(x.ideal))


@measure
class NuggetF(NuggetMeasure):
    """Nugget F-measure: weighted recall, and precision with 100 characters per nugget.

    F         = (β² + 1)·Prec·W-Rec / (β²·Prec + W-Rec)
    W-Rec     = Σ_{v∈V} w(v) / Σ_{v∈V*} w(v)
    Prec      = 1 − max(0, l − allow)/l,   allow = 100·|V|

    V* are all nuggets, V the nuggets found, l is the length of the answer in characters without
    white space. An answer not longer than `allow` has precision 1, also with length 0.
    NuggetF.recall and NuggetF.precision are the two parts. TREC's vital and okay nuggets have
    weights 1 and 0.

    >>> nuggets = {"N1": (3, 10), "N2": (1, 5), "N3": (3, 5)}
    >>> NuggetF(beta=1)(250, nuggets, {"N1": 100, "N2": 50})  # P = 1 − 50/250, R = 4/7
    0.6666666666666666
    """

    beta: float = param(3.0, "weight of recall relative to precision", low=0)
    allowance: float = param(100, "characters allowed per nugget found", low=0)
    measurements: ClassVar[tuple[str, ...]] = ("recall", "precision")
    references = cite("lin2006", "sakai2014metrics")
    task = "answers of a few sentences to complex questions"

    def score(self, x: Answer) -> float:  # type: ignore[override]
        matches = self.match_nuggets(x)
        weights = ((x.nuggets[name].weight, matches.get(name, 0.0)) for name in x.ideal)
        recall = divide(sum_in_order(w * matched for w, matched in weights), x.sum_weights(x.ideal))
        allowance = self.allowance * len(matches)
        precision = 1.0 - divide(max(0.0, x.solid - allowance), x.solid)
        if self.measurement:
            return {"recall": recall, "precision": precision}[self.measurement]
        return compute_f(precision, recall, self.beta)

    def match_nuggets(self, x: Answer) -> Mapping[str, float]:
        """Return the nuggets found, with the quality of each match."""
        return dict.fromkeys(x.ends, 1.0)


@measure
class Pourpre(NuggetF):
    """POURPRE: the nugget F-measure with nuggets matched by words, not by assessors.

    W-Rec = Σ_{v∈V*} w(v)·m(v) / Σ_{v∈V*} w(v),   allow = 100·|{v: m(v) > 0}|

    The rest is as in NuggetF.

    m(v) is the fraction of the words of a nugget's vital string in the answer: ROUGE-1 of the
    answer with the vital string as reference. Words have equal weights. Weights by idf, as in the
    paper, need a collection.

    >>> nuggets = {"birth": (1, "born 18 June 1942"), "place": (1, "Liverpool")}
    >>> Pourpre(measurement="recall")("born in June 1942", nuggets)  # (3/4 + 0) / 2
    0.375
    """

    needs = "strings"
    tokenised = True
    references = cite("lin2006")
    task = "answers to complex questions without manual nugget matching"

    def match_nuggets(self, x: Answer) -> Mapping[str, float]:
        text_units = x.words.count_ngrams(1)
        vital = {name: (v.words or Words(())).count_ngrams(1) for name, v in x.nuggets.items()}
        matches = {name: divide(count_shared(text_units, units), units.total()) for name, units in vital.items()}
        return {name: matched for name, matched in matches.items() if matched}


def _L_param() -> Any:
    return param(1000, "characters after which users stop reading", low=0, open_ends=True)


@measure
class Smeasure(NuggetMeasure):
    """S-measure: weighted recall of nuggets with more weight near the beginning.

    S = Σ_{v∈V} w(v)·max(0, L − pos(v)) / Σ_{v∈V*} w(v)·max(0, L − pos*(v))

    pos(v) is the end of the nugget v in the text, in characters. pos*(v) is its end in the pseudo
    minimal output: the vital strings of all nuggets in a row, by falling weight and, among equals,
    by rising length. A text can be better than the pseudo minimal output, with S above 1: see
    Sflat. If the pseudo minimal output has no nugget before L, S is 0.

    >>> nuggets = {"N1": (3, 10), "N2": (1, 5), "N3": (3, 5)}  # NTCIREVAL's example
    >>> round(Smeasure()(500, nuggets, {"N1": 100, "N2": 50}), 3)
    0.527
    """

    L: float = _L_param()
    references = cite("sakai2011kato", "sakai2014metrics")
    task = "answers read from the beginning, not always to the end"
    range = "from 0, seldom above 1"

    def score(self, x: Answer) -> float:  # type: ignore[override]
        return divide(sum_in_order(self.compute_gains(x, x.ends).values()), self.compute_maximum(x))

    def compute_gains(self, x: Answer, ends: Mapping[str, int]) -> dict[str, float]:
        """Return w(v)·max(0, L − pos(v)) of nuggets with these ends."""
        return {name: x.nuggets[name].weight * max(0.0, self.L - end) for name, end in ends.items()}

    def compute_shares(self, x: Answer) -> dict[str, float]:
        """Return the contribution of each nugget to the score."""
        maximum = self.compute_maximum(x)
        return {name: divide(gain, maximum) for name, gain in self.compute_gains(x, x.ends).items()}

    def compute_maximum(self, x: Answer) -> float:
        """Return the gain of the pseudo minimal output."""
        return sum_in_order(self.compute_gains(x, x.ideal).values())


class CappedMeasure(NuggetMeasure):
    """The measure it is mixed into, limited to 1."""

    range = "0 to 1"

    def score(self, x: Answer) -> float:  # type: ignore[override]
        return min(1.0, super().score(x))


@measure
class Sflat(CappedMeasure, Smeasure):
    """S♭: S-measure, limited to 1.

    S♭ = min(1, S)

    >>> Sflat()(12, {"N1": (1, 10)}, {"N1": 8})  # S is 992/990
    1.0
    """

    references = cite("sakai2012kato", "sakai2014metrics")


@measure
class Tmeasure(NuggetMeasure):
    """T-measure: the fraction of a text needed to convey its nuggets.

    T = Σ_{v∈V} |vs(v)| / l

    |vs(v)| is the length of the vital string of the nugget v, l the length of the text, both in
    characters with white space. A text can be shorter than the vital strings, with T above 1: see
    Tflat. An empty text scores 0.

    >>> nuggets = {"N1": (3, 10), "N2": (1, 5), "N3": (3, 5)}  # NTCIREVAL's example
    >>> Tmeasure()(500, nuggets, {"N1": 100, "N2": 50})  # (10 + 5)/500
    0.03
    """

    references = cite("sakai2012kato", "sakai2014metrics")
    task = "answers that should be concise"
    range = "from 0, seldom above 1"

    def score(self, x: Answer) -> float:  # type: ignore[override]
        return divide(sum(x.nuggets[name].length for name in x.ends), x.length)


@measure
class Tflat(CappedMeasure, Tmeasure):
    """T♭: T-measure, limited to 1.

    T♭ = min(1, T)

    >>> Tflat()(8, {"N1": (1, 10)}, {"N1": 8})  # T is 10/8
    1.0
    """


@measure
class Ssharp(NuggetMeasure):
    """S♯: the F-measure of S♭ and T♭.

    S♯ = (1 + β²)·T♭·S♭ / (β²·T♭ + S♭)

    NTCIREVAL calls it F-flat, with β = 1.

    >>> nuggets = {"N1": (3, 10), "N2": (1, 5), "N3": (3, 5)}  # NTCIREVAL's example
    >>> round(Ssharp()(500, nuggets, {"N1": 100, "N2": 50}), 3)
    0.057
    """

    beta: float = param(1.0, "weight of S♭ relative to T♭", low=0)
    L: float = _L_param()
    references = cite("sakai2012kato", "sakai2014metrics")
    task = "direct answers on a small screen"

    def score(self, x: Answer) -> float:  # type: ignore[override]
        return compute_f(Tflat().score(x), Sflat(L=self.L).score(x), self.beta)
