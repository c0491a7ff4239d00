"""Pages of user models: one for each, and a comparison."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

from measures import escape_md, parameter, parameters, table

from cranfield.measures.base import MEASUREMENTS, READINGS
from cranfield.measures.cwl import MEANINGS, UserModel, Walk, list_models
from cranfield.measures.grammar import parse_measure
from cranfield.references import format_citation

# The example lists of Azzopardi, Thomas and Moffat (2019), section 3: gains, and seconds.
GAINS = {
    "T1": [0.0, 0.0, 0.2, 0.4, 1.0, 0.2, 0.0, 0.0, 1.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0],
    "T2": [1.0, 0.0, 1.0, 0.4, 0.0, 0.2, 0.0, 0.0, 1.0, 0.2, 0.0, 0.4, 0.0, 0.0, 0.0],
}
COSTS = {
    "T1": [1.2, 0.6, 0.4, 0.6, 3.6, 1.6, 0.6, 2.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 1.8],
    "T2": [3.2, 1.6, 1.4, 0.6, 3.6, 1.6, 0.6, 1.6, 2.6, 0.2, 1.2, 0.2, 0.2, 0.6, 1.8],
}

COMPARISON = """# Compare user models

A user model describes how far users read and when they stop. This page compares all models on the
two example rankings of Azzopardi, Thomas and Moffat (2019, section 3). Costs are in seconds.
[User models](../cwl.md) explains the columns. `cranfield explain NAME` prints the definition of a
model.

*Depends on* lists the inputs, other than the rank, that change the probability of continuing.
`DCG@10.EU` is `SDCG@10`. The NCU family (`NCU(stop=…).EU`) has these stopping distributions: `u`
for AP and Q, `r1` for RR and O, `rp` for P-measure, `to_rp` for P+, and `sat` for ERR, EBR and
iRBU.
"""


def pages() -> dict[str, str]:
    """Return all pages as Markdown, by name. README is the comparison."""
    return {"README": comparison(), **{name: page(c) for name, c in list_models().items()}}


def page(c: type[UserModel]) -> str:
    """Return the page of one model: formula, figure, use, parameters and examples."""
    title, _, rest = inspect.cleandoc(c.__doc__ or "").partition("\n")
    body = rest.partition("\nParameters:\n")[0].strip()
    suffix = ".EU" if c.__name__ in READINGS else ""
    lines = [f"# {c.__name__}{suffix}", "", escape_md(title), "", "```text", body, "```", ""]
    lines += [f"![C, W and L of {c.__name__}]({c.__name__}.svg)", ""]
    settings = ", ".join(f"`{_model(example)}`" for example in c.examples)
    lines += [f"C, W and L on two [example rankings](README.md): {settings}.", ""]
    lines += ["## When to use", "", f"{escape_md(c.advice)} Depends on: {_looks_at(c)}.", ""]
    lines += ["## Measurements", "", *_table(list(c.examples)), ""]
    every = "[parameters of all user models](README.md#parameters)"
    own = parameters(c)
    others = f"{'See also the' if own else 'Only the'} {every}."
    lines += ["## Parameters", "", *own, *[""] * bool(own), others, ""]
    lines += ["## References", "", *(f"- {escape_md(format_citation(key))}" for key in c.references)]
    return "\n".join(lines).rstrip() + "\n"


def _model(example: str) -> str:
    return example.removesuffix(".EU")


def comparison() -> str:
    """Return the comparison of all models."""
    rows = [
        (f"[{name}]({name}.md)", f"`{_rule(c)}`", _looks_at(c), escape_md(c.task)) for name, c in list_models().items()
    ]
    parts = [COMPARISON, "## Rules", ""]
    parts += table(["model", "rule", "depends on", "task"], rows)
    examples = [example for c in list_models().values() for example in c.examples]
    parts += ["", "## Measurements", "", *_table(examples), ""]
    meanings = [f"{name}: {meaning}" for name, meaning in MEANINGS.items()]
    parts += [*(f"- {text}" for text in meanings), "", "## Parameters", ""]
    parts += ["All user models have these parameters:", ""]
    parts += [parameter(f) for f in UserModel.list_parameters()]
    parts += ["- `@k`: the depth is k, and C(k) = 0", ""]
    return "\n".join(parts)


def _rule(c: type[UserModel]) -> str:
    """Return the first formula of a model's docstring."""
    found = re.search(r"^([CWL]\(i\) .+)$", inspect.cleandoc(c.__doc__ or ""), flags=re.M)
    return found[1].split(",   ")[0].strip() if found else ""


def walks(example: str) -> Iterator[tuple[str, Walk]]:
    """Yield topic and walk of each example ranking."""
    model = parse_measure(example)
    assert isinstance(model, UserModel)  # noqa: S101
    for topic, gains in GAINS.items():
        yield topic, model.walk(gains, COSTS[topic], gains)


def _table(examples: list[str]) -> list[str]:
    head = ["user model", *(f"{name} of {topic}" for topic in GAINS for name in MEASUREMENTS)]
    rows = [
        [
            f"`{_model(x)}`",
            *(f"{getattr(w, name):.4f}" for _, w in walks(x) for name in MEASUREMENTS),
        ]
        for x in examples
    ]
    return table(head, rows, "---:")


def _looks_at(c: type[UserModel]) -> str:
    return " and ".join(c.looks_at) or "the rank only"
