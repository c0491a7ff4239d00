"""Builds the compiled part (`_kernel.c`) where there is a compiler, and the README for PyPI.

Without one, or with CRANFIELD_KERNEL=off, the package is pure Python, and does the same slowly.
"""

from __future__ import annotations

import os
import runpy
import sys
import tempfile
import tomllib
from pathlib import Path

from setuptools import Distribution, Extension, setup

KERNEL = Extension(
    "cranfield.kernel._kernel",
    ["src/cranfield/kernel/_kernel.c"],
    define_macros=[("Py_LIMITED_API", "0x030B0000")],  # one for Python 3.11 and all that follow
    extra_compile_args=["-O3"],
    py_limited_api=True,
)


def compiles() -> bool:
    """Whether it can be built here; a wheel must know before it is."""
    with tempfile.TemporaryDirectory() as scratch:
        building = Distribution({"ext_modules": [KERNEL]}).get_command_obj("build_ext")
        building.build_lib = building.build_temp = scratch
        try:
            building.ensure_finalized()
            building.run()
        except Exception as error:  # no compiler, no headers, another machine than it is for
            print(f"without the compiled part: {error}", file=sys.stderr)
            return False
    return True


def description() -> dict[str, str]:
    """The README, with links that lead somewhere from elsewhere."""
    project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
    described = runpy.run_path("packaging/readme.py")["described"]
    text = described(Path("README.md").read_text("utf-8"), project.get("urls", {}).get("Repository", ""))
    return {"long_description": text, "long_description_content_type": "text/markdown"}


if os.environ.get("CRANFIELD_KERNEL") != "off" and compiles():
    options = {"bdist_wheel": {"py_limited_api": "cp311"}}
    setup(ext_modules=[KERNEL], options=options, **description())
else:
    setup(**description())
