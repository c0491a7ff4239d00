"""Bytes that reach new code, looked for by libFuzzer (atheris): `make fuzz-guided` runs it.

Each target of `targets.py` is tried for some seconds in a process of its own, in which each step
of cranfield's code is counted. It begins with the bytes that are kept, and good files. What is
found is kept in build/fuzz-guided, one input of each kind, and printed with how to try it again;
what reaches code that nothing before it did becomes the new corpus, with `--keep`.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import traceback
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests import ROOT

FOUND = ROOT / "build" / "fuzz-guided"
LONGEST = 1500  # bytes that are tried
LIMITS = ["-timeout=10", "-rss_limit_mb=1500", f"-max_len={LONGEST}"]
MODULE = [sys.executable, "-m", "tests.fuzz.guided"]
SAYS = re.compile(r"stat::number_of_executed_units:\s*(\d+)|cov: (\d+)")


def inside(name: str, arguments: Sequence[str]) -> None:
    """The process that tries one target, until libFuzzer ends it."""
    import atheris

    # What atheris changes in code runs slowly: only what decides is worth it.
    with atheris.instrument_imports(include=["cranfield"]):
        from tests.fuzz.targets import TARGETS
    target, seen = TARGETS[name], set[str]()

    def tried(content: bytes) -> None:
        try:
            target.ask(content)
        except Exception as error:
            kind = signature(error)
            if kind not in seen:
                seen.add(kind)
                keep_finding(name, content, kind)

    # libFuzzer starts itself again to merge, by a shell: what it calls the program is the command
    atheris.Setup([" ".join([*MODULE, "--inside", name]), *arguments], tried)
    atheris.Fuzz()


def signature(error: BaseException) -> str:
    """What is the same for findings that have one reason."""
    frames = traceback.extract_tb(error.__traceback__)
    at = [f"{Path(f.filename).name}:{f.lineno}" for f in frames if "cranfield" in f.filename][-1:]
    said = re.sub(r"/\S*/given", "given", str(error))
    return " ".join([type(error).__name__, *at, re.sub(r"\d+|'.*?'|\".*?\"", "…", said)[:80]])


def keep_finding(name: str, content: bytes, kind: str) -> None:
    """An input that breaks something, and what it breaks."""
    place = FOUND / name / hashlib.sha256(content).hexdigest()[:12]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    print(f"FOUND {name}: {kind!r}\n  {content[:200]!r}", file=sys.stderr, flush=True)


def tried_for(name: str, seconds: float, keep: bool) -> tuple[int, int, int, list[str]]:
    """How many inputs were tried, how many steps of code were reached, by how many inputs that are
    kept, and what was found.
    """
    from tests.fuzz.targets import TARGETS

    target, place = TARGETS[name], FOUND / f".{name}"
    every, least = place / "every", place / "least"
    shutil.rmtree(place, ignore_errors=True)
    for folder in (every, least):
        folder.mkdir(parents=True)
    for content in {*target.corpus().values(), *target.seeds()}:
        (every / hashlib.sha256(content).hexdigest()[:12]).write_bytes(content)
    words = place / "words"
    words.write_text("".join(f'"{escaped(word)}"\n' for word in target.words()), encoding="utf-8")
    command = [*MODULE, "--inside", name, *LIMITS]
    looking = [f"-dict={words}", f"-max_total_time={seconds:.0f}", "-print_final_stats=1"]
    artifacts = f"-artifact_prefix={FOUND / name}-"
    said = ran([*command, *looking, artifacts, str(every)])
    found = re.findall(r"^FOUND .*", said, re.M)
    found += re.findall(r"^.*(?:libFuzzer: (?:timeout|out-of-memory|deadly signal)).*", said, re.M)
    counts = [[int(x or 0) for x in groups] for groups in SAYS.findall(said)]
    units, covered = (max((row[i] for row in counts), default=0) for i in (0, 1))
    kept = 0
    if keep:
        ran([*command, "-merge=1", str(least), str(every)])
        kept = write(target.kept, (path.read_bytes() for path in least.iterdir()))
    shutil.rmtree(place)
    return units, covered, kept, found


def ran(command: Sequence[str]) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    return done.stderr.decode("utf-8", "replace")


def escaped(word: bytes) -> str:
    """As libFuzzer's dictionaries write bytes."""
    return "".join(chr(x) if 32 <= x < 127 and chr(x) not in '"\\' else f"\\x{x:02x}" for x in word)


def write(path: Path, contents: Iterable[bytes]) -> int:
    """Keep inputs, named by what they hold, always as the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    named = {hashlib.sha256(content).hexdigest()[:12]: content for content in contents}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name, content in sorted(named.items()):
            file.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, 9)
    return len(named)


def main() -> int:
    """Try each target."""
    if sys.argv[1:2] == ["--inside"]:
        inside(sys.argv[2], sys.argv[3:])
        return 0
    from tests.fuzz.targets import TARGETS

    parser = argparse.ArgumentParser(description="Which bytes reach code that breaks?")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each target")
    parser.add_argument("--keep", action="store_true", help="what reaches code, as the new corpus")
    parser.add_argument("--only", nargs="*", choices=TARGETS, default=[*TARGETS], metavar="TARGET")
    options = parser.parse_args()
    findings = 0
    for name in options.only:
        units, covered, kept, found = tried_for(name, options.seconds, options.keep)
        told = f", {kept} inputs kept" if options.keep else ""
        print(f"{name:20} {units:>9,} tried, {covered:>6,} steps reached{told}", flush=True)
        findings += len(found)
        for line in found:
            print(f"  {line}", flush=True)
    print(f"{findings} findings" + (f", kept in {FOUND.relative_to(ROOT)}" if findings else ""))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
