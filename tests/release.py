"""A release, built and tried as strangers would: `make dist` and `make test-release`.

The wheel with the compiled part is for Python 3.11 and all that follow, the one without it for any
machine, and the source is enough to build both. Each is installed in an environment of its own, for
each Python that is found, and does the demo of the README in a folder that is no clone. All of them
must print the same.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import cranfield
from tests import ROOT

DIST = ROOT / "dist"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
NEVER = re.compile(r"\.c$|\.pyc$|^tests/|^bench/|^docs/|\.j2\.py$")  # in a wheel
NEEDED = (
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "CITATION.cff",
    "Makefile",
    "setup.py",
    "packaging/readme.py",
)


def build() -> dict[str, Path]:
    """The source, and from it the two wheels."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--quiet", "--outdir", str(DIST), str(ROOT))
    off = {**os.environ, "CRANFIELD_KERNEL": "off"}
    with tempfile.TemporaryDirectory() as place:
        with tarfile.open(next(DIST.glob("*.tar.gz"))) as source:
            source.extractall(place, filter="data")
        (folder,) = Path(place).iterdir()
        run(
            *(sys.executable, "-m", "build", "--quiet", "--wheel", "--outdir", str(DIST)),
            *(str(folder),), env=off,
        )  # fmt: skip
    return packages()


def packages() -> dict[str, Path]:
    """What was built, looked at."""
    name = f"cranfield-{cranfield.__version__}"
    (kernel,) = DIST.glob(f"{name}-cp311-abi3-*.whl")
    pure, source = DIST / f"{name}-py3-none-any.whl", DIST / f"{name}.tar.gz"
    found = {"kernel": kernel, "pure": pure, "source": source}
    for kind, path in found.items():
        look_at(kind, path)
        print(f"{kind}: {path.relative_to(ROOT)}, {path.stat().st_size / 1e6:.2f} MB")
    return found


def look_at(kind: str, path: Path) -> None:
    """What has to be in it, and what must not."""
    if kind == "source":
        with tarfile.open(path) as source:
            held = {name.partition("/")[2] for name in source.getnames()}
        assert held >= {*NEEDED, "src/cranfield/kernel/_kernel.c", "tests/release.py"}, held
        assert not [name for name in held if name.endswith((".so", ".pyc"))]
        return
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        described = wheel.read(metadata).decode("utf-8")
    assert not [name for name in names if NEVER.search(name)], names
    assert {"cranfield/py.typed", "cranfield/__init__.pyi"} <= {*names}
    assert "\nDescription-Content-Type: text/markdown\n" in described
    assert not re.findall(r"\]\((?![a-z]+:)", described), "a relative link, which leads nowhere"
    compiled = [name for name in names if name.endswith((".so", ".pyd"))]
    assert len(compiled) == (kind == "kernel"), compiled


def pythons() -> Iterator[tuple[str, str]]:
    """The interpreters that are there, by their versions; also those of pyenv."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in PYTHONS:
        there = shutil.which(f"python{version}")
        known = [
            *map(str, sorted(kept.glob(f"{version}.*/bin/python"))),
            *([there] if there else []),
        ]
        for path in known:
            done = subprocess.run([path, "-V"], capture_output=True, text=True, check=False)
            if done.returncode == 0 and version in done.stdout:
                yield version, path
                break


def demo() -> list[str]:
    """The commands of `make demo`."""
    recipe = re.search(r"^demo: .*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.M)
    assert recipe
    return [line.split("cranfield ", 1)[1] for line in recipe[1].splitlines()
            if line.startswith("\t$(BIN)/cranfield ")]  # fmt: skip


def tried(python: str, package: Path, kind: str) -> str:
    """What the demo prints where a package is installed, and nothing else of ours is."""
    with tempfile.TemporaryDirectory() as place:
        run(python, "-m", "venv", f"{place}/venv")
        inside = Path(place) / "venv" / ("Scripts" if os.name == "nt" else "bin")
        env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        pip = (str(inside / "python"), "-m", "pip", "install", "-q", "--no-compile")
        run(*pip, str(package), env=env)
        version = run(str(inside / "cranfield"), "--version")
        assert version.startswith(f"cranfield {cranfield.__version__} ("), version
        assert ("with compiled kernel" in version) == (kind != "pure"), version
        run(*pip, f"{package}[stats]", "jinja2", env=env)
        env["PATH"] = f"{inside}{os.pathsep}{env['PATH']}"
        (Path(place) / "demo").mkdir()
        printed = [run("sh", "-c", f"cranfield {line}", cwd=place, env=env) for line in demo()]
        assert (Path(place) / "demo" / "report.html").stat().st_size > 100_000
        return "".join(printed)


def run(*command: str, cwd: str | None = None, env: Mapping[str, str] | None = None) -> str:
    """What a command prints, if it ends well."""
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False, encoding="utf-8")
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def main() -> int:
    """Build; and with --try, install and run all of it."""
    built = build() if "--built" not in sys.argv else packages()
    if "--try" not in sys.argv:
        return 0
    seen: set[str] = set()
    for number, (version, python) in enumerate(pythons()):
        for kind, package in [*built.items()][: None if number == 0 else 2]:  # source but once
            seen.add(tried(python, package, kind))
            print(f"Python {version}, {kind}: the demo runs", flush=True)
    assert len(seen) == 1, f"{len(seen)} different outputs"
    assert "95% interval" in seen.pop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
