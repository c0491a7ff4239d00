"""The table of commands: what each does, an example, the options that people use.

The options and the work of a command are in the module of its name.
"""

from __future__ import annotations

from dataclasses import field, replace

from cranfield.dataclass import dataclass

TOOLS = "other tools' commands"
GROUPS = ("evaluate", "compare", "understand", "collect", TOOLS)


@dataclass(frozen=True)
class Command:
    """A row: a command, or a part of one, such as `meta swap`.

    The help begins with the `example`, which works on files of these names, and with the `common`
    options, those of the command after those of the part; what a command does not have is not
    looked for. A row without any says that they are few enough to be shown as they are declared.
    Parts have no group; `parts` is what a command calls its own. `renamed` are options that had a
    meaning of their own; their former names still do. `needs` is a package without which nothing
    is done: see `cranfield.lazy_imports`.
    """

    name: str
    example: str
    group: str = ""
    does: str = ""
    common: str = ""
    usage: str | None = None
    description: str | None = None
    epilog: str | None = None
    parts: str = "ACTION"
    needs: str = ""
    renamed: dict[str, str] = field(default_factory=dict)

    @property
    def is_native(self) -> bool:
        """Whether it is not a tool of others, whose options are kept as they are."""
        return self.group != TOOLS


ROWS = (
    Command(
        "evaluate",
        group="evaluate",
        does="score runs against judgments",
        example='qrels.txt bm25.run dense.run -m "AP nDCG@10"',
        common="-m --preset -q -f -o --sort --topics --depth --order --ties --rel --gains",
        description="Score one or several runs against judgments.",
        epilog="Files may be TREC text, CSV or TSV with a header, JSON, JSONL, Parquet or Arrow, "
        "plain or packed (gz, bz2, xz, zst, lz4, zip, tar); - is standard input.",
    ),
    Command(
        "session",
        group="evaluate",
        does="score sessions of several queries, or click logs",
        example="qrels.txt sessions.txt -m nsDCG@10",
        common="-m --clicks --lengths -q -f -o --trail --order --ties --labels",
        description="Score sessions: several queries about one need, each with its ranked list; or "
        "click logs, what users clicked in them.",
        epilog="Files may be text, CSV or TSV with a header, JSON, JSONL, Parquet or Arrow, plain "
        "or compressed; - is standard input. The rows of the result are sessions, named "
        "topic/session.",
    ),
    Command(
        "answers",
        group="evaluate",
        does="score generated answers: nuggets, citations, short answers",
        example="assignments.jsonl -m nuggets",
        common="-m --nuggets --answers --support --gold --rubric --explain --undefined -q -f -o",
        usage="cranfield answers [options] ASSIGNMENTS…\n"
        "       cranfield answers [options] --answers FILE --support FILE\n"
        "       cranfield answers [options] --answers FILE --gold FILE",
        description="Score generated answers by what people or models judged of them: the nuggets "
        "that they support, the support that citations give, the criteria that they meet; or by "
        "gold answers.",
        epilog="Files may be JSONL as TREC's RAG and RAGTIME tracks have it, text, CSV or TSV with "
        "a header, JSON, Parquet or Arrow, plain or compressed; - is standard input. nuggets, "
        "citations and short are names of groups of measures.",
    ),
    Command(
        "text",
        group="evaluate",
        does="score summaries and other texts",
        example='references.tsv a.tsv b.tsv -m "rouge-1 rouge-2"',
        common="-m --references --nuggets --matches --explain -q -f -o --sort --topics",
        description="Score the texts of one or several systems by reference texts (ROUGE), or by "
        "the nuggets that they should hold (nugget F, S-measure, …).",
        epilog="cranfield text references.tsv a.tsv b.tsv -m 'rouge-1 rouge-2'; cranfield text "
        "--nuggets nuggets.tsv a.tsv b.tsv; cranfield text --nuggets nuggets.tsv --references "
        "references.tsv a.tsv b.tsv",
    ),
    Command(
        "distribution",
        group="evaluate",
        does="score distributions over labels against those of people",
        example="gold.txt system.txt -m NMD",
        common="-m --label-order --votes --missing-items -q -f -o --sort",
        description="Score systems' distributions over labels against those of people.",
        epilog="Files may be text, CSV or TSV with a header (item, label, value; or item and one "
        "column for each label), JSON, JSONL, Parquet or Arrow, plain or compressed; - is standard "
        "input. Whole numbers throughout are votes.",
        renamed={"--labels": "--label-order", "--missing": "--missing-items"},
    ),
    Command(
        "hierarchy",
        group="evaluate",
        does="score subtopics of two levels (H-measure)",
        example="first.txt second.txt parents.txt system.txt",
        common="-m --first-weight --intents1 --intents2 -q -f -o --sort --wide --order --ties",
        description="Score systems that return subtopics of two levels, those of the second below "
        "those of the first: H-measure, Hscore, and a D♯-measure of each level.",
        epilog="Fields of text are separated by semicolons, as subtopics contain blanks. Files may "
        "also be CSV or TSV with a header, JSON, JSONL, Parquet or Arrow, plain or compressed; - "
        "is standard input.",
        renamed={"--alpha": "--first-weight"},
    ),
    Command(
        "presets",
        group="evaluate",
        does="list the presets: what tasks evaluate with",
        example="web",
        description="All presets, with their levels, gains and measures; those in whose entry "
        "every WORD occurs; or one, in full, by its name.",
    ),
    Command(
        "compare",
        group="compare",
        needs="scipy.special",
        does="which run is better, and how sure are we?",
        example="qrels.txt bm25.run dense.run --baseline bm25 -m AP",
        common="-m --baseline --test --correction --alpha --fail-if-worse --margin --scores "
        "--preset --table -f -o",
        usage="cranfield compare [options] QRELS RUN RUN…\n"
        "       cranfield compare [options] --scores FILE…",
        description="Compare runs: differences of means with intervals, p-values and effect sizes.",
        epilog="Exit codes: 0 fine, 1 a run is worse, or may be (with --fail-if-worse), 2 bad "
        "input or usage.",
    ),
    Command(
        "plan",
        group="compare",
        needs="scipy.special",
        does="how many topics are needed, and what a number of topics can show",
        example="--sd 0.2 --difference 0.05",
        common="--sd --variance --difference --method --systems --alpha --power --for-topics -m "
        "--scores --plot -f",
        usage="cranfield plan [options] --sd S | --variance V\n"
        "       cranfield plan [options] QRELS RUN RUN…\n"
        "       cranfield plan [options] --scores FILE…",
        description="Topic set size design: how many topics does it take to find a difference, by "
        "the power of the paired t-test or of one-way ANOVA, or by the width of a confidence "
        "interval? From the variance of a pilot, or from given numbers.",
    ),
    Command(
        "judge",
        group="compare",
        needs="scipy.special",
        does="a model judged all, people some: what do runs score, can it be trusted?",
        example="people.txt model.txt *.run -m nDCG@10 --drawn random",
        common="-m --scores --drawn --audit-file --target --judge --teams --table -f -o",
        usage="cranfield judge [options] PEOPLE JUDGE RUN…\n"
        "       cranfield judge [options] --scores PEOPLE JUDGE",
        description="Estimate scores and differences of runs from a model's judgments of all "
        "topics and people's of some, with intervals that hold however bad the model is; say "
        "whether it was worth it, and what would happen by trusting it alone.",
        epilog="With --audit-file FILE the model judged all documents, and people a random sample, "
        "which `cranfield pool RUN… --audit N` draws.",
    ),
    Command(
        "battles",
        group="compare",
        needs="scipy.special",
        does="who is stronger, from outputs that were shown two at a time?",
        example="battles.csv",
        common="-m --scores --ridge --correction --alpha --trials --seed --table -f -o",
        usage="cranfield battles [options] FILE\n"
        "       cranfield battles [options] FILE QRELS RUN RUN…\n"
        "       cranfield battles [options] --scores FILE SCORES…",
        description="Ratings of runs by battles, in which somebody, or a model, said which of two "
        "outputs for a topic is better: with intervals by topic, letters, whether the one shown "
        "first is favoured, how intransitive they are, and how measures agree with them.",
        epilog="FILE is text (topic run_a run_b winner), CSV or TSV with a header, JSON, JSONL, "
        "Parquet or Arrow, plain or compressed; - is standard input.",
    ),
    Command(
        "meta",
        group="compare",
        does="can the measure, the judgments, the collection be trusted?",
        example='discriminative-power qrels.txt *.run -m "AP nDCG@10"',
        common="-m --scores --preset --test --alpha --sizes --trials --seed --plot --table -f -o",
        parts="METHOD",
        description="Evaluate measures, judgments and collections themselves.",
        epilog="`cranfield meta METHOD -h` explains a method.",
    ),
    Command(
        "meta discriminative-power",
        example='qrels.txt *.run -m "AP nDCG@10"',
    ),
    Command(
        "meta swap",
        example='qrels.txt *.run -m "AP nDCG@10"',
    ),
    Command(
        "meta stability",
        example="qrels.txt *.run -m AP --sizes 10,25",
        common="--sample --sample-against",
        renamed={"--against": "--sample-against"},
    ),
    Command(
        "meta correlation",
        example='qrels.txt *.run -m "AP nDCG@10"',
        common="--statistic --qrels2",
    ),
    Command(
        "meta concordance",
        example='qrels.txt *.run -m "RR Q" --gold-measure AP',
        common="--gold-measure",
        renamed={"--gold": "--gold-measure"},
    ),
    Command(
        "meta predictive-power",
        example="qrels.txt *.run --preferences pairs.txt",
        common="--preferences",
    ),
    Command(
        "meta leave-one-out",
        example="qrels.txt *.run -m AP --teams teams.txt",
        common="--teams --depth",
        renamed={"--pool-depth": "--depth"},
    ),
    Command(
        "meta judgments",
        example="qrels.txt second.txt *.run",
        common="--names --common -q",
    ),
    Command(
        "measures",
        group="understand",
        does="the measures: those used most, all, or those with a word",
        example="graded",
        description="The measures that are used most; those in whose entry every WORD occurs; or "
        "all: their parameters, their properties and what other tools call them.",
    ),
    Command(
        "explain",
        group="understand",
        does="formula, parameters and reference of a measure; how a score comes about",
        example="nDCG@10 --on qrels.txt bm25.run --topic 101",
        common="--on --topic --levels --judged --bibtex --depth --order --ties --rel --gains",
        description="Formula, parameters, worked example and reference of a measure; with --on or "
        "--levels, how its score for one list comes about.",
    ),
    Command(
        "label",
        group="understand",
        does="lists with the label of each document, and what was missed",
        example="qrels.txt bm25.run dense.run --topic 101 --depth 10",
        common="--topic --depth --condensed --order --ties --rel --labels --preset -f -o",
        description="Show the lists of runs with the label of each document, and the relevant "
        "documents that were missed: where to begin when a topic fails.",
    ),
    Command(
        "topics",
        group="understand",
        does="the hardest topics, those that divide or decide, and why runs fail there",
        example="qrels.txt bm25.run dense.run -m nDCG@10",
        common="-m --top --table --topics --depth --order --ties --rel --gains --preset -f -o",
        description="The hardest topics, those on which runs differ most, and with two runs those "
        "that decide; and why a run fails: it does not answer, finds nothing relevant, or nothing "
        "above the cutoff; the order of ties decides, or unjudged documents do; or it ranks "
        "relevant documents low.",
    ),
    Command(
        "report",
        group="understand",
        does="one page for a colleague: which run is best, how sure that is, and why runs fail",
        example="qrels.txt bm25.run dense.run -m nDCG@10 -o report.html",
        common="-m -o --title --queries --docs --assignments --answers --support --second-qrels "
        "--list-depth --complete --scores",
        usage="cranfield report [options] QRELS RUN… -o FILE\n"
        "       cranfield report [options] QRELS RUN… --assignments FILE --answers FILE --support "
        "FILE -o FILE\n"
        "       cranfield report [options] --assignments FILE --answers FILE --support FILE -o "
        "FILE\n"
        "       cranfield report [options] --scores FILE… -o FILE",
        description="Write one HTML file that needs no network: the answer and what could mislead, "
        "all runs with intervals, every topic with the reason why runs fail there, their lists "
        "side by side, pairs of runs, and what the measures are. With generated answers, their "
        "sentences with the support that citations give, and which nuggets are there. It needs "
        "cranfield[report].",
    ),
    Command(
        "plot",
        group="understand",
        does="draw figures: runs, topics, curves, agreement, user models, diversity",
        example='runs qrels.txt *.run -m "AP nDCG@10" -o runs.svg',
        common="-m -o --scores --title --plot-width --plot-height --grey",
        description="Draw a picture. It needs cranfield[report].",
        parts="PICTURE",
        renamed={"--width": "--plot-width", "--height": "--plot-height"},
    ),
    Command(
        "plot runs",
        example='qrels.txt *.run -m "AP nDCG@10" -o runs.svg',
        common="--bars --sort --no-letters",
    ),
    Command(
        "plot curve",
        example="qrels.txt *.run -m nDCG --band -o ndcg.svg",
        common="--cutoffs --band",
    ),
    Command(
        "plot unjudged",
        example="qrels.txt *.run --depth 100 -o unjudged.svg",
        common="--cutoffs --cumulative --depth",
    ),
    Command(
        "plot pool",
        example="qrels.txt *.run --teams teams.txt -o pool.svg",
        common="--cutoffs --teams --depth",
    ),
    Command(
        "plot topics",
        example="qrels.txt bm25.run dense.run -m AP -o topics.svg",
        common="--against --show",
    ),
    Command(
        "plot heatmap",
        example="qrels.txt *.run -m AP -o heatmap.svg",
    ),
    Command(
        "plot distribution",
        example="qrels.txt *.run -m AP -o distribution.svg",
    ),
    Command(
        "plot agreement",
        example='qrels.txt *.run -m "AP nDCG@10" -o tau.svg',
        common="--qrels2 --statistic",
    ),
    Command(
        "plot pairs",
        example="qrels.txt *.run -m AP -o pairs.svg",
        common="--test --alpha --effect",
    ),
    Command(
        "plot cwl",
        does="user models (C/W/L)",
        example='vary qrels.txt *.run -m "RBP(p=0.5|0.9)" -o rbp.svg',
        common="--topic --ranks --measurement --depth --rel",
        description="User models at work: how they walk down a list, and what they measure.",
        parts="KIND",
        renamed={"--model": "--measure"},
    ),
    Command(
        "plot cwl functions",
        does="C, W and L of user models, rank by rank",
        example='-m "RBP(p=0.5|0.8|0.95)" -o rbp.svg',
        description="Draw C, W and L of user models, rank by rank.",
    ),
    Command(
        "plot cwl vary",
        does="measurements against expected depth as a parameter of a model varies",
        example='qrels.txt *.run -m "RBP(p=0.5|0.9)" -o rbp.svg',
        description="Draw measurements against expected depth as a parameter of a model varies.",
    ),
    Command(
        "plot cwl runs",
        does="expected utility against expected depth, a point for each run",
        example='qrels.txt *.run -m "RBP AP" -o runs.svg',
        description="Draw expected utility against expected depth, a point for each run.",
    ),
    Command(
        "plot diversity",
        does="relevance against intent recall, a point for each run",
        example="qrels.intents.txt *.run -o diversity.svg",
        common="--against-measure --intents --gamma --intervals --zoom",
        description="Draw how relevant runs are against how many intents they cover, with lines of "
        "equal D♯.",
        renamed={"--against": "--against-measure", "--level": "--confidence"},
    ),
    Command(
        "pool",
        group="collect",
        does="pool the top documents of runs, and see who contributed what",
        example="bm25.run dense.run --depth 100 -o pool.txt",
        common="--depth --qrels --unjudged --audit --topics --teams -o -q -f --rel --order --ties",
        description="For each topic, take together the first N documents of all runs. Shows what "
        "each run and each team brought, and with judgments what is still unjudged.",
        epilog="Lists of documents are written as lines `topic doc`, or as CSV, TSV or JSON if the "
        "name of the file ends so. They are in the order of document ids, which tells nothing of "
        "ranks.",
    ),
    Command(
        "assess",
        group="collect",
        does="consolidate several assessors' labels, or measure how they agree",
        example="aggregate anna.txt ben.txt eve.txt -o qrels.txt",
        description="Work with the labels of several assessors.",
    ),
    Command(
        "assess aggregate",
        does="several assessors' labels to one level for each item",
        example="anna.txt ben.txt eve.txt -o qrels.txt",
        common="--scheme --labels --rules --majority-ties --unlabelled --threshold --map --column "
        "-f -o",
        description="Consolidate several assessors' labels to one level for each item.",
        renamed={"--missing": "--unlabelled", "--p": "--strength", "--ties": "--majority-ties"},
    ),
    Command(
        "assess agree",
        does="Cohen's, weighted and Fleiss' κ, Krippendorff's α, confusion matrices",
        example="anna.txt ben.txt eve.txt",
        description="How far assessors agree: percent agreement, Cohen's κ (plain, linear, "
        "quadratic) of every pair, Fleiss' κ, Krippendorff's α, confusion matrices.",
    ),
    Command(
        "validate",
        group="collect",
        does="list every problem of judgments and runs, with its line",
        example="qrels.txt bm25.run dense.run",
        description="List every problem of judgments, runs and answers with citations, with its "
        "line. Errors keep a file from being evaluated (exit code 2); warnings do not.",
        common="--kind --input-format --by-intent --labels --run-names --columns --max-words "
        "--max-citations --all -f -o",
        epilog="With judgments among the files, the runs' topics are compared with theirs.",
        renamed={"--format": "--input-format"},
    ),
    Command(
        "simulate",
        group="collect",
        does="write a realistic synthetic test collection",
        example="--topics 50 --runs 5 -o collection",
        description="Write a realistic synthetic test collection as TREC files: systems of "
        "different strength, pooled graded judgments, unjudged documents, ties, missing topics.",
    ),
    Command(
        "trec_eval",
        group=TOOLS,
        does="trec_eval 10, with its options and output",
        example="-q -m map qrels.txt bm25.run",
    ),
    Command(
        "gdeval",
        group=TOOLS,
        does="gdeval: nDCG and ERR of each topic, as CSV",
        example="-k 10 qrels.txt bm25.run",
        description="A drop-in for gdeval.pl: nDCG with gain 2^x - 1 and ERR of each topic that a "
        "run answers, and their means.",
    ),
    Command(
        "ndeval",
        group=TOOLS,
        does="ndeval: diversity and novelty of each topic, as CSV",
        example="-c qrels.intents.txt bm25.run",
        description="A drop-in for ndeval: ERR-IA, alpha-nDCG, NRBP and others of each topic that "
        "a run answers, and their means.",
    ),
    Command(
        "cwl_eval",
        group=TOOLS,
        does="cwl_eval: five measurements of each topic and user model",
        example="qrels.txt bm25.run -n -m metrics.txt",
        description="A drop-in for cwl_eval: what users gain from each list of a run, at what cost "
        "and down to which depth, if they behave as each metric says.",
    ),
    Command(
        "letor",
        group=TOOLS,
        does="LETOR's tools: P@n, MAP and NDCG@n of predictions, and a t-test",
        example="eval-score test.txt predictions.txt results.txt 1",
        description="A drop-in for LETOR's evaluation tools. Each is known by its own name, too.",
        epilog="LETOR data is read by `cranfield evaluate` as well, for every other measure.",
    ),
    Command(
        "letor eval-score",
        example="test.txt predictions.txt results.txt 1",
    ),
    Command(
        "letor eval-rank",
        example="test.txt positions.txt results.txt 1",
    ),
    Command(
        "letor ttest",
        example="a.results.txt b.results.txt tests.txt",
    ),
    Command(
        "ntcir_eval",
        group=TOOLS,
        does="NTCIREVAL's ntcir_eval: label, compute, glabel, dinlabel, gcompute, irec, 1click",
        example="compute -r 101.rel -g 1:2 101.res.rel",
        description="A drop-in for NTCIREVAL's ntcir_eval: one topic, one list.",
        parts="COMMAND",
        epilog="ntcir_eval label -r 1.rel 1.res | ntcir_eval compute -r 1.rel -g 1:2",
    ),
    Command(
        "ntcir_eval label",
        example="-r 101.rel 101.res",
    ),
    Command(
        "ntcir_eval compute",
        example="-r 101.rel -g 1:2 101.res.rel",
    ),
    Command(
        "ntcir",
        group=TOOLS,
        does="NTCIREVAL's scripts: topic directories, all topics of many runs, means, matrices",
        example="split-qrels qrels.txt rel",
        description="The work of NTCIREVAL's scripts. Each is known by its own name, too, and then "
        "has its own arguments.",
        epilog="An experiment: split-qrels QRELS rel; split-runs QRELS.tid RUN…; eval QRELS.tid "
        "rel NAME -g 1:2 --runs RUN…; table QRELS.tid RUNLIST NAME.nev. With intents: split-dqrels "
        "IPROB DQRELS PREFIX; split-runs IPROB.tid RUN…; deval IPROB.tid PREFIX NAME -cutoffs 10 "
        "--runs RUN…; table IPROB.tid RUNLIST NAME.Dnev. With texts: split-nuggets NUGGETS SUFFIX; "
        "split-matches NUGGETS.tid RUN…; 1click NUGGETS.tid SUFFIX NAME -L 500 --runs RUN…; table "
        "NUGGETS.tid RUNLIST NAME.1cl",
    ),
    Command(
        "help",
        does="explain a command, or a part of one",
        example="meta swap",
    ),
    Command(
        "completion",
        does="print what makes a shell complete what is typed",
        example="bash",
        description="Print a script that makes a shell complete commands, options and choices.",
        epilog='bash: eval "$(cranfield completion bash)" in ~/.bashrc; zsh: cranfield completion '
        "zsh > _cranfield in a directory of $fpath; fish: cranfield completion fish > "
        "~/.config/fish/completions/cranfield.fish",
    ),
)


def _index_by_name() -> dict[str, Command]:
    rows: dict[str, Command] = {}
    for row in ROWS:
        parent = rows.get(row.name.rpartition(" ")[0])
        rows[row.name] = replace(row, common=f"{row.common} {parent.common}") if parent else row
    return rows


BY_NAME = _index_by_name()
COMMANDS = {name: row for name, row in BY_NAME.items() if " " not in name}
RENAMED = {name: row.renamed for name, row in sorted(BY_NAME.items()) if row.renamed}

_SYNONYMS = {  # commands of other tools, by the command of ours that does the same
    "evaluate": "eval run score",
    "compare": "significance sigtest ttest t-test test diff stats",
    "measures": "metrics metric",
    "trec_eval": "treceval trec-eval",
}
_OUT_OF_SCOPE = {  # what cranfield does not do
    "cranfield does not fuse runs. Fuse them with ranx, then evaluate the result.": "fuse fusion",
    "cranfield evaluates runs that a search system wrote. It does not search or rerank.": "index "
    "search retrieve rank rerank",
}
OTHER_COMMANDS = {
    word: f"Did you mean {ours}?" for ours, words in _SYNONYMS.items() for word in words.split()
} | {word: advice for advice, words in _OUT_OF_SCOPE.items() for word in words.split()}
