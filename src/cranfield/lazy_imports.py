"""Packages beside NumPy: loaded when something of them is first used, and what is said without.

Each has a row: who needs it, the extra of cranfield that it is in, and what pip is asked for.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from cranfield.errors import MissingPackage

__all__ = [
    "PACKAGES",
    "LazyModule",
    "is_installed",
    "load",
    "load_altair",
    "make_missing_error",
    "pl",
    "special",
    "statistics",
]


class Package(NamedTuple):
    """Who needs a package, the extra that it is in, and what else is installed with it."""

    purpose: str
    extra: str
    packages: tuple[str, ...]


_SPARK = ("pyspark>=4.0,<5", "pyarrow>=15", "pandas>=2.2", "polars>=1.30")
_FIGURES = ("altair>=5.5", "vl-convert-python>=1.9", "polars>=1.30")
PACKAGES = {  # by the name that is imported
    "altair": Package("pictures need Altair", "report", _FIGURES),
    "backports": Package("zst files need a package", "zstd", ("backports.zstd>=1.0",)),
    "ir_datasets": Package("irds: needs ir_datasets", "irds", ("ir-datasets>=0.5.9",)),
    "ir_measures": Package(
        "a provider of ir_measures needs it", "ir_measures", ("ir-measures>=0.3.7",)
    ),
    "jinja2": Package("pages need Jinja2", "report", ("jinja2>=3.1",)),
    "lz4": Package("lz4 files need a package", "lz4", ("lz4>=4.3.3",)),
    "pandas": Package("pandas frames need pandas", "pandas", ("pandas>=2.1.1",)),
    "polars": Package("frames, Parquet and Arrow need Polars", "frames", ("polars>=1.30",)),
    "pyarrow": Package("Spark needs PyArrow", "spark", _SPARK),
    "pyspark": Package("Spark needs PySpark", "spark", _SPARK),
    "sacrebleu": Package("BLEU needs sacrebleu", "bleu", ("sacrebleu>=2.3",)),
    "scipy": Package("tests, intervals and plans need SciPy", "stats", ("scipy>=1.15",)),
    "vl_convert": Package("pictures need vl-convert", "report", _FIGURES),
}


def load(module: str, purpose: str = "") -> Any:
    """A module of one of PACKAGES; if it is not there, who `purpose` it is told how to get it."""
    try:
        return import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        if name not in PACKAGES:  # a part of Python that this one was built without
            raise
        raise make_missing_error(name, purpose) from None


def make_missing_error(name: str, purpose: str = "") -> MissingPackage:
    """What is said of one of PACKAGES that is not there."""
    row = PACKAGES[name]
    return MissingPackage(purpose or row.purpose, row.extra, row.packages)


def is_installed(module: str) -> bool:
    """Whether a package could be loaded."""
    return find_spec(module) is not None


def load_altair() -> Any:
    """The package that draws, if it is there with the one that renders."""
    load("vl_convert")
    return load("altair")


class LazyModule:
    """What stands in the place of a package until it is used.

    Those who ask what it is, such as doctest, use nothing of it.
    """

    def __init__(self, load: Any) -> None:
        self._load = load

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._load(), name)


special: Any = LazyModule(partial(load, "scipy.special"))
statistics: Any = LazyModule(partial(load, "scipy.stats"))  # which takes a second to import
if TYPE_CHECKING:
    import polars as pl
else:
    pl = LazyModule(partial(load, "polars"))
