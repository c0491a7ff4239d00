"""What packages beside NumPy cost: megabytes installed, seconds to import. `make bench-install`.

Each extra is installed by itself into an empty folder, with all it needs but what NumPy brings; the
time is the processor's, the least of several, beyond that of starting Python.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOADED = {  # what is imported of an extra, when something of it is used
    "": "numpy",
    "bleu": "sacrebleu",
    "frames": "polars",
    "irds": "ir_datasets",
    "json": "orjson",
    "excel": "openpyxl",
    "lz4": "lz4.frame",
    "pandas": "pandas",
    "report": "altair, jinja2, vl_convert",
    "spark": "pyspark.sql",
    "stats": "scipy.special",
    "zstd": "backports.zstd",
}
TIMES = 5


def main() -> None:
    """Print the table."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {"": project["dependencies"], **project["optional-dependencies"]}
    print("| extra | packages | MB | import, s |\n|---|---|---:|---:|")
    with tempfile.TemporaryDirectory() as place:
        installed(extras[""], f"{place}/numpy")
        numpy = {path.name for path in Path(place, "numpy").iterdir()}
        for extra, modules in LOADED.items():
            folder = Path(place, extra or "numpy")
            if extra:
                installed([*extras[""], *extras[extra]], str(folder))
            parts = [p for p in folder.iterdir() if not extra or p.name not in numpy]
            size = sum(f.stat().st_size for p in parts for f in (p, *p.rglob("*")) if f.is_file())
            code = f"import numpy, {modules}" if extra else f"import {modules}"
            base = taken("import numpy" if extra else "pass", folder)
            seconds = taken(code, folder) - base
            names = ", ".join(sorted(line.split(";")[0] for line in extras[extra]))
            print(
                f"| {extra or '(always)'} | {names} | {size / 1e6:.0f} | {seconds:.2f} |",
                flush=True,
            )


def installed(packages: list[str], folder: str) -> None:
    """Install packages with what they need into a folder."""
    uv = shutil.which("uv")  # which is quicker
    pip = [uv, "pip"] if uv else [sys.executable, "-m", "pip"]
    subprocess.run([*pip, "install", "--quiet", "--target", folder, *packages], check=True)


def taken(code: str, folder: Path) -> float:
    """Seconds of the processor that an interpreter takes for some code."""
    env = {**os.environ, "PYTHONPATH": str(folder)}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-S", "-c", code]
    least = float("inf")
    for _ in range(TIMES + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, env=env, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        least = min(least, used)
    return least


if __name__ == "__main__":
    main()
