"""Page of all kinds of figures: explanation, figure and command."""

from __future__ import annotations

import inspect

from cranfield.plot.kinds import load_figures

FILES = "sim/qrels.txt sim/runs/*.txt"

HEAD = """# Figures: a gallery

Each figure is one command. All commands accept judgments and runs. Figures of scores also accept
`--scores FILE`, per-topic scores of any tool. The file extension selects the format: PNG, SVG, PDF,
interactive HTML, Vega-Lite (`.json`), or the numbers of the figure (`.csv`, `.tsv`).

The collection of the examples is simulated:

```sh
cranfield simulate --topics 40 --runs 6 --depth 100 --levels 3 --seed 7 -o sim
```

Options of all figures, also of `meta … --plot` and `plan --plot`:

| | |
|---|---|
| `--title TEXT` | title of the figure (`''`: no title) |
| `--plot-width N` | width of a panel in points, about 170 for a column of 8.4 cm |
| `--plot-height N` | height of a panel in points |
| `--font-size P` | size of numbers and names in points, 7 or 8 for a column |
| `--grey` | no colours: dashes and marks distinguish lines |
| `--scale N` | pixels of a PNG a point |

A run or measure has the same colour in every figure, regardless of the order of files. Colour-blind
readers can distinguish the eight colours. If two names have the same colour, the first in
alphabetical order keeps it, and the other name gets the next free colour. A note lists names that
do not fit. The CSV file has all of them.

In Python, every kind is a function of `cf.plot`. It accepts files, dicts, data frames or scores. Notebooks
display the result:

```python
import cranfield as cf

scores = cf.evaluate("qrels.txt", ["bm25.run", "dense.run"], "AP")
figure = cf.plot.topics(scores, title="BM25 and dense retrieval", width=200, grey=True)
figure.save("topics.pdf")
print(figure.data.select("topic", "better").head(3).rows())
```

```text
[('107', 'bm25'), ('102', 'bm25'), ('103', 'bm25')]
```

"""

NIGHT = "cranfield evaluate sim/qrels.txt sim/runs/sys0{0}.txt -m AP -q -f tsv -o night-{0}.tsv"

# Figures of other commands: page of the explanation, text, commands.
OTHERS = {
    "C/W/L functions of user models": (
        "cwl.md",
        "`plot cwl functions` shows C, W and L of user models by rank. Models that depend only on ranks need no files.",
        {"cwl": 'cranfield plot cwl functions -m "RBP(p=0.5|0.8|0.95)" -o cwl.svg'},
    ),
    "Depth and gain of users": (
        "cwl.md",
        "`plot cwl runs` draws a point for each run, `plot cwl vary` a line for the values of a parameter.",
        {"cwl-runs": f'cranfield plot cwl runs {FILES} -m "INST(T=2, gain=unit)" -o cwl-runs.svg'},
    ),
    "Did the results change tonight?": (
        "history.md",
        "`plot trend` draws nightly results. In this example, four runs are the results of four nights.",
        {"trend": "\n".join((*map(NIGHT.format, range(1, 5)), "cranfield plot trend night-*.tsv -o trend.svg"))},
    ),
    "Which measures separate runs?": (
        "meta.md",
        "`--plot` of `meta` draws a figure in addition to the tables.",
        {
            "asl-curves": f'cranfield meta discriminative-power {FILES} -m "AP nDCG@10 RR" '
            "--trials 1000 --plot asl-curves.svg",
            "matrix": f'cranfield meta correlation {FILES} -m "AP nDCG@10 RR P@10" --plot matrix.svg',
        },
    ),
    "How many topics?": (
        "plan.md",
        "Power by number of topics.",
        {"power-curves": "cranfield plan --sd 0.2 --method t --plot power-curves.svg"},
    ),
}


def drawn() -> dict[str, str]:
    """Return the command of each figure, by name."""
    made = {}
    for kind, figure in load_figures().items():
        for name, options in figure.gallery.items():
            files = "" if "sim/" in options else f"{FILES} "
            made[name] = f"cranfield plot {kind} {files}{options}".strip() + f" -o {name}.svg"
    return made | {n: command for *_, of in OTHERS.values() for n, command in of.items()}


def page() -> str:
    """Return the page as Markdown."""
    commands, lines = drawn(), [HEAD.rstrip("\n")]
    for kind, figure in load_figures().items():
        title, text = inspect.cleandoc(figure.doc or "").split("\n\n", 1)
        lines += ["", f"## {title}", "", f"`plot {kind}`, `cf.plot.{kind}`. {text}"]
        lines += [line for name in figure.gallery for line in _picture(name, commands[name])]
    for title, (where, text, made) in OTHERS.items():
        lines += ["", f"## {title}", "", f"{text} See [{where}]({where})."]
        lines += [line for name, command in made.items() for line in _picture(name, command)]
    return "\n".join(lines) + "\n"


def _picture(name: str, command: str) -> list[str]:
    return ["", f"![{name}](figures/{name}.svg)", "", "```sh", command, "```"]
