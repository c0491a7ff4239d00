"""Lazy imports of optional packages.

Every package except NumPy is imported on first use. `PACKAGES` has the purpose of each package, the
extra of cranfield that contains it, and the requirements passed to pip.
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
    """Purpose of an optional package, its extra, and the requirements installed with it."""

    purpose: str
    extra: str
    packages: tuple[str, ...]


_SPARK = ("pyspark>=4.0,<5", "pyarrow>=15", "pandas>=2.2", "polars>=1.30")
_FIGURES = ("altair>=5.5", "vl-convert-python>=1.9", "polars>=1.30")
PACKAGES = {  # by import name
    "altair": Package("figures need Altair", "report", _FIGURES),
    "backports": Package("zst files need a package", "zstd", ("backports.zstd>=1.0",)),
    "ir_datasets": Package("irds: needs ir_datasets", "irds", ("ir-datasets>=0.5.9",)),
    "ir_measures": Package("this provider needs ir_measures", "ir_measures", ("ir-measures>=0.3.7",)),
    "jinja2": Package("HTML reports need Jinja2", "report", ("jinja2>=3.1",)),
    "lz4": Package("lz4 files need a package", "lz4", ("lz4>=4.3.3",)),
    "openpyxl": Package("Excel files need openpyxl", "excel", ("openpyxl>=3.1",)),
    "pandas": Package("pandas frames need pandas", "pandas", ("pandas>=2.1.1",)),
    "polars": Package("frames, Parquet and Arrow need Polars", "frames", ("polars>=1.30",)),
    "pyarrow": Package("Spark needs PyArrow", "spark", _SPARK),
    "pyspark": Package("Spark needs PySpark", "spark", _SPARK),
    "sacrebleu": Package("BLEU needs sacrebleu", "bleu", ("sacrebleu>=2.3",)),
    "scipy": Package("tests, intervals and plans need SciPy", "stats", ("scipy>=1.15",)),
    "vl_convert": Package("figures need vl-convert", "report", _FIGURES),
}


def load(module: str, purpose: str = "") -> Any:
    """Import a module of one of PACKAGES. Raise MissingPackage if it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        if name not in PACKAGES:  # a standard module that this Python was built without
            raise
        raise make_missing_error(name, purpose) from None


def make_missing_error(name: str, purpose: str = "") -> MissingPackage:
    row = PACKAGES[name]
    return MissingPackage(purpose or row.purpose, row.extra, row.packages)


def is_installed(module: str) -> bool:
    """Return True if a package is installed."""
    return find_spec(module) is not None


def load_altair() -> Any:
    """Import Altair. Raise MissingPackage if Altair or vl-convert is not installed."""
    load("vl_convert")
    return load("altair")


class LazyModule:
    """Placeholder that imports a package on first use.

    Names such as ``__wrapped__``, which doctest reads, do not import the package.
    """

    def __init__(self, load: Any) -> None:
        self._load = load

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._load(), name)


special: Any = LazyModule(partial(load, "scipy.special"))
statistics: Any = LazyModule(partial(load, "scipy.stats"))  # takes a second to import
if TYPE_CHECKING:
    import polars as pl
else:
    pl = LazyModule(partial(load, "polars"))
