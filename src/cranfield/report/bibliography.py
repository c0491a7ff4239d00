"""The papers of measures, tests, corrections and effect sizes, as BibTeX."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cranfield.errors import is_one_of
from cranfield.measures.base import Measure
from cranfield.measures.grammar import parse_measures
from cranfield.measures.references import REFERENCES as MEASURE_REFERENCES
from cranfield.stats.references import METHODS
from cranfield.stats.references import REFERENCES as METHOD_REFERENCES

ENTRIES = MEASURE_REFERENCES | METHOD_REFERENCES


def bibtex(*names: str | Measure) -> str:
    r"""The papers to cite, as BibTeX: of measures, tests, corrections and effect sizes.

    The last three go by the names that `compare` knows them by. Each paper is there once; with
    several names, a line before the entries says which papers are whose.

    >>> bibtex("P@10", "holm").split("\n\n")[0]
    '% P: vanrijsbergen1979\n% holm: holm1979'
    """
    keys_by_name = {name: keys for name, keys in find_references(names).items() if keys}
    heads = [f"% {name}: {', '.join(keys)}" for name, keys in keys_by_name.items()]
    entries = [
        ENTRIES[key] for key in dict.fromkeys(key for keys in keys_by_name.values() for key in keys)
    ]
    return "\n\n".join(["\n".join(heads), *entries] if len(keys_by_name) > 1 else entries)


def find_references(names: Iterable[str | Measure]) -> dict[str, tuple[str, ...]]:
    """The keys of the papers of each, by a name without @, which BibTeX would take for an entry."""
    return dict(pair for name in names for pair in _iterate_references(name))


def _iterate_references(name: str | Measure) -> Iterator[tuple[str, tuple[str, ...]]]:
    words = name.split() if isinstance(name, str) else []
    yield from ((word, METHODS[word]) for word in words if word in METHODS)
    measures = " ".join(word for word in words if word not in METHODS) if words else name
    for measure in () if is_one_of(measures, ("",)) else parse_measures(measures):
        yield type(measure).__name__, tuple(measure.references)
