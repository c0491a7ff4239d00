"""The table of commands: what each does, an example, and the options that people use.

The options and the work of a command are in the module of its name.
"""

from __future__ import annotations

from dataclasses import dataclass

TOOLS = "other tools' commands"
GROUPS = ("evaluate", "compare", "understand", "collect", TOOLS)


@dataclass(frozen=True)
class Command:
    """A row: a command, or a part of one, such as `meta swap`.

    The help begins with the `example`, which works on files of these names, and with the `common`
    options; those that a command does not have are not looked for. A row without any says that
    they are few enough to be shown as they are declared. Parts have no group and are told of by
    their command.
    """

    name: str
    group: str
    does: str
    example: str
    common: str = ""

    @property
    def ours(self) -> bool:
        """Whether it is not a tool of others, whose options are kept as they are."""
        return self.group != TOOLS


RUNS = "qrels.txt bm25.run dense.run"
ALL = "qrels.txt *.run"
META = "-m --scores --preset --test --alpha --sizes --trials --seed --plot --table -f -o"
SUBJECTS = "-m -o --topic --ranks --measurement --title --plot-width --plot-height --depth --rel"
ROWS = (
    Command(
        "evaluate", "evaluate", "score runs against judgments",
        f'{RUNS} -m "AP nDCG@10"',
        "-m --preset -q -f -o --sort --wide --topics --depth --ties --rel --gains",
    ),
    Command(
        "session", "evaluate", "score sessions of several queries, or click logs",
        "qrels.txt sessions.txt -m nsDCG@10",
        "-m --clicks --lengths -q -f -o --trail --ties --labels",
    ),
    Command(
        "text", "evaluate", "score summaries and answers",
        'references.tsv a.tsv b.tsv -m "rouge-1 rouge-2"',
    ),
    Command(
        "distribution", "evaluate", "score distributions over labels against those of people",
        "gold.txt system.txt -m NMD",
    ),
    Command(
        "hierarchy", "evaluate", "score subtopics of two levels (H-measure)",
        "first.txt second.txt parents.txt system.txt",
        "-m --first-weight --intents1 --intents2 -q -f -o --sort --wide --ties",
    ),
    Command(
        "presets", "evaluate", "list the presets: what tasks evaluate with",
        "web",
    ),
    Command(
        "compare", "compare", "which run is better, and how sure are we?",
        f"{RUNS} --baseline bm25 -m AP",
        "-m --baseline --test --correction --alpha --fail-if-worse --scores --preset --table -f -o",
    ),
    Command(
        "plan", "compare", "how many topics are needed, and what a number of topics can show",
        "--sd 0.2 --difference 0.05",
        "--sd --variance --difference --method --systems --alpha --power --for-topics -m --scores "
        "--plot -f",
    ),
    Command(
        "meta", "compare", "can the measure, the judgments, the collection be trusted?",
        f'discriminative-power {ALL} -m "AP nDCG@10"',
    ),
    Command("meta discriminative-power", "", "", f'{ALL} -m "AP nDCG@10"', META),
    Command("meta swap", "", "", f'{ALL} -m "AP nDCG@10"', META),
    Command("meta stability", "", "", f"{ALL} -m AP --sizes 10,25",
            f"--sample --against {META}"),
    Command("meta correlation", "", "", f'{ALL} -m "AP nDCG@10"',
            f"--statistic --qrels2 {META}"),
    Command("meta concordance", "", "", f'{ALL} -m "RR nDCG@10" --gold AP', f"--gold {META}"),
    Command("meta predictive-power", "", "", f'{ALL} --preferences pairs.txt',
            f"--preferences {META}"),
    Command("meta leave-one-out", "", "", f"{ALL} -m AP --teams teams.txt",
            f"--teams --pool-depth {META}"),
    Command("meta judgments", "", "", "qrels.txt second.txt *.run",
            f"--names --common -q {META}"),
    Command(
        "measures", "understand", "the measures: those used most, all, or those with a word",
        "graded",
    ),
    Command(
        "explain", "understand",
        "formula, parameters and reference of a measure; how a score comes about",
        "nDCG@10 --on qrels.txt bm25.run --topic 101",
        "--on --topic --levels --judged --bibtex --depth --ties --rel --gains",
    ),
    Command(
        "label", "understand", "lists with the label of each document, next to what was missed",
        f"{RUNS} --topic 101 --depth 10",
        "--topic --depth --condensed --ties --rel --labels --preset -f -o",
    ),
    Command(
        "plot", "understand",
        "draw pictures: what user models believe, and where diversified runs stand",
        f'cwl vary {ALL} -m "RBP(p=0.5|0.9)" -o rbp.svg',
    ),
    Command("plot cwl", "", "", f'vary {ALL} -m "RBP(p=0.5|0.9)" -o rbp.svg'),
    Command("plot cwl functions", "", "",
            f"{ALL} -m AP --topic 101 -o c.svg", SUBJECTS),
    Command("plot cwl vary", "", "", f'{ALL} -m "RBP(p=0.5|0.9)" -o rbp.svg', SUBJECTS),
    Command("plot cwl runs", "", "", f'{ALL} -m "RBP AP" -o runs.svg', SUBJECTS),
    Command("plot diversity", "", "", "qrels.intents.txt *.run -o diversity.svg",
            "-m --against-measure -o --intents --gamma --intervals --title --zoom --no-names "
            "--depth --gains"),
    Command(
        "pool", "collect", "pool the top documents of runs, and see who contributed what",
        "bm25.run dense.run --depth 100 -o pool.txt",
        "--depth --qrels --unjudged --topics --teams -o -q -f --rel --ties",
    ),
    Command(
        "assess", "collect", "consolidate several assessors' labels, or measure how they agree",
        "aggregate anna.txt ben.txt eve.txt -o qrels.txt",
    ),
    Command("assess aggregate", "", "",
            "anna.txt ben.txt eve.txt -o qrels.txt",
            "--scheme --labels --rules --majority-ties --unlabelled --threshold --map --column "
            "-f -o"),
    Command("assess agree", "", "", "anna.txt ben.txt eve.txt"),
    Command(
        "validate", "collect", "list every problem of judgments and runs, with its line",
        RUNS,
    ),
    Command(
        "simulate", "collect", "write a realistic synthetic test collection",
        "--topics 50 --runs 5 -o collection",
    ),
    Command(
        "trec_eval", TOOLS, "trec_eval 10, with its options and output",
        "-q -m map qrels.txt bm25.run",
    ),
    Command(
        "gdeval", TOOLS, "gdeval: nDCG and ERR of each topic, as CSV",
        "-k 10 qrels.txt bm25.run",
    ),
    Command(
        "ndeval", TOOLS, "ndeval: diversity and novelty of each topic, as CSV",
        "-c qrels.intents.txt bm25.run",
    ),
    Command(
        "cwl_eval", TOOLS, "cwl_eval: five measurements of each topic and user model",
        "qrels.txt bm25.run -n -m metrics.txt",
    ),
    Command(
        "letor", TOOLS, "LETOR's tools: P@n, MAP and NDCG@n of predictions, and a t-test",
        "eval-score test.txt predictions.txt results.txt 1",
    ),
    Command("letor eval-score", TOOLS, "", "test.txt predictions.txt results.txt 1"),
    Command("letor eval-rank", TOOLS, "", "test.txt positions.txt results.txt 1"),
    Command("letor ttest", TOOLS, "", "a.results.txt b.results.txt tests.txt"),
    Command(
        "ntcir_eval", TOOLS,
        "NTCIREVAL's ntcir_eval: label, compute, glabel, dinlabel, gcompute, irec, 1click",
        "compute -r 101.rel -g 1:2 101.res.rel",
    ),
    Command("ntcir_eval label", TOOLS, "", "-r 101.rel 101.res"),
    Command("ntcir_eval compute", TOOLS, "", "-r 101.rel -g 1:2 101.res.rel"),
    Command(
        "ntcir", TOOLS,
        "NTCIREVAL's scripts: topic directories, all topics of many runs, means, matrices",
        "split-qrels qrels.txt rel",
    ),
    Command("help", "", "explain a command, or a part of one", "meta swap"),
    Command("completion", "", "print what makes a shell complete what is typed", "bash"),
)  # fmt: skip
BY_NAME = {row.name: row for row in ROWS}
COMMANDS = {name: row for name, row in BY_NAME.items() if " " not in name}

RENAMED = {  # options that had a meaning of their own; their former names still do
    "assess aggregate": {
        "--missing": "--unlabelled",
        "--p": "--strength",
        "--ties": "--majority-ties",
    },
    "distribution": {"--labels": "--label-order", "--missing": "--missing-items"},
    "hierarchy": {"--alpha": "--first-weight"},
    "plot": {"--width": "--plot-width", "--height": "--plot-height"},
    "plot cwl": {"--model": "--measure"},
    "plot diversity": {"--against": "--against-measure", "--level": "--confidence"},
    "validate": {"--format": "--input-format"},
}
