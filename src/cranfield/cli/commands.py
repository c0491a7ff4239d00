"""Table of commands: summary, example and common options.

The module of a command's name has its options and its function.
"""

from __future__ import annotations

from dataclasses import field, replace

from cranfield.dataclass import dataclass

TOOLS = "drop-in replacements"
GROUPS = ("evaluate", "compare", "understand", "collect", TOOLS)


SECTIONS = {  # of the short help, with the common options in them; "options" has all others
    "files": "--scores --qrels2 --preferences --teams --audit-file --judge --second-qrels --queries --docs "
    "--assignments --answers --support --nuggets --references --matches --clicks --gold --rubric "
    "--intents --intents1 --intents2 --costs --kind --input-format --by-intent --columns --run-names",
    "options": "",
    "measures": "-m --preset --gold-measure --against-measure --rel --gains --labels --lengths --undefined --cutoff",
    "topics and rankings": "--topics --depth --order --ties --condensed",
    "statistics": "--baseline --test --correction --alpha --fail-if-worse --margin --statistic --sizes --trials "
    "--seed --confidence --effect --by --clusters",
    "output": "-q -f -o --sort --wide --table --plot --title --plot-width --plot-height --grey --all --quiet -v",
}


@dataclass(frozen=True)
class Command:
    """A row: a command, or a part of a command such as `meta swap`.

    `example` has one example per line, which work on files of these names. ``--help`` shows the
    `common` options of the part and of its command, in `SECTIONS`, and all options if there are no
    common options. Options that the command does not have are skipped.
    `parts` is the metavar of the parts. `renamed` maps former names of options to their names.
    A command with `records` prints numbers and has the option ``--record``.
    `needs` is a required package, see `cranfield.lazy_imports`. Parts have no group.
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
    records: bool = False
    renamed: dict[str, str] = field(default_factory=dict)

    @property
    def examples(self) -> list[str]:
        """The arguments of each example."""
        return self.example.splitlines()

    @property
    def is_native(self) -> bool:
        """Return True if the command is not a drop-in, which keeps the options of its original."""
        return self.group != TOOLS


ROWS = (
    Command(
        "evaluate",
        group="evaluate",
        records=True,
        does="score runs against judgments",
        example='qrels.txt bm25.run dense.run -m "AP nDCG@10"\nqrels.txt *.run --preset beir -q -o scores.csv',
        common="-m --preset -q -f -o --sort --topics --depth --order --ties --rel --gains --by --clusters",
        description="Score one or several runs against judgments.",
        epilog="Files may be TREC text, CSV or TSV with a header, JSON, JSONL, Parquet or Arrow, "
        "plain or packed (gz, bz2, xz, zst, lz4, zip, tar); - is standard input.",
    ),
    Command(
        "session",
        group="evaluate",
        records=True,
        does="score sessions of several queries, or click logs",
        example="qrels.txt sessions.txt -m nsDCG@10\n--clicks clicks.txt",
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
        records=True,
        does="score generated answers: nuggets, citations, short answers",
        example="assignments.jsonl -m nuggets\n--answers answers.tsv --gold gold.tsv",
        common="-m --nuggets --answers --support --gold --rubric --explain --undefined -q -f -o",
        usage="cranfield answers [options] ASSIGNMENTS…\n"
        "       cranfield answers [options] --answers FILE --support FILE\n"
        "       cranfield answers [options] --answers FILE --gold FILE",
        description="Score generated answers by human or LLM judgments: nuggets that they support, "
        "support of sentences by citations, criteria that they meet; or by gold answers.",
        epilog="Files may be JSONL as TREC's RAG and RAGTIME tracks have it, text, CSV or TSV with "
        "a header, JSON, Parquet or Arrow, plain or compressed; - is standard input. nuggets, "
        "citations and short are names of groups of measures.",
    ),
    Command(
        "text",
        group="evaluate",
        records=True,
        does="score summaries and other texts",
        example='references.tsv a.tsv b.tsv -m "rouge-1 rouge-2"\n--nuggets nuggets.tsv a.tsv b.tsv',
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
        records=True,
        does="score predicted distributions over labels",
        example="gold.txt system.txt -m NMD\ngold.txt a.txt b.txt --sort NMD",
        common="-m --label-order --votes --missing-items -q -f -o --sort",
        description="Score systems' distributions over labels against human distributions.",
        epilog="Files may be text, CSV or TSV with a header (item, label, value; or item and one "
        "column per label), JSON, JSONL, Parquet or Arrow, plain or compressed; - is "
        "standard input. Values that are all integers are votes.",
        renamed={"--labels": "--label-order", "--missing": "--missing-items"},
    ),
    Command(
        "hierarchy",
        group="evaluate",
        records=True,
        does="score subtopics of two levels (H-measure)",
        example="first.txt second.txt parents.txt system.txt\nfirst.txt second.txt parents.txt a.txt b.txt --sort H",
        common="-m --first-weight --intents1 --intents2 -q -f -o --sort --wide --order --ties",
        description="Score systems that return subtopics of two levels, second-level "
        "subtopics below first-level subtopics: H-measure, Hscore, and a "
        "D♯-measure of each level.",
        epilog="Fields of text are separated by semicolons, as subtopics contain spaces. Files "
        "may also be CSV or TSV with a header, JSON, JSONL, Parquet or Arrow, plain or "
        "compressed; - is standard input.",
        renamed={"--alpha": "--first-weight"},
    ),
    Command(
        "presets",
        group="evaluate",
        does="list presets: measures and settings of evaluation tasks",
        example="web\nntcir6-clir -f json",
        common="-f -o",
        description="List all presets with levels, gains and measures, presets with every WORD in "
        "their entry, or one preset by name.",
    ),
    Command(
        "compare",
        group="compare",
        records=True,
        needs="scipy.special",
        does="compare runs: differences, intervals and p-values",
        example="qrels.txt bm25.run dense.run --baseline bm25 -m AP\n"
        "qrels.txt bm25.run dense.run --baseline bm25 --fail-if-worse",
        common="-m --baseline --test --correction --alpha --by --clusters --fail-if-worse --scores --preset --table -f "
        "-o",
        usage="cranfield compare [options] QRELS RUN RUN…\n       cranfield compare [options] --scores FILE…",
        description="Compare runs: differences of means with intervals, p-values and effect sizes.",
        epilog="Exit codes: 0 ok, 1 a run is or could be worse (with --fail-if-worse), 2 invalid input or usage.",
    ),
    Command(
        "suite",
        group="compare",
        records=True,
        needs="scipy.special",
        does="compare systems over several collections, such as BEIR",
        example="suite.toml --baseline bm25\nbeir --runs runs -m nDCG@10 -f latex",
        common="-m --runs --missing --baseline --systems --seeds --pool --fail-if-worse --table -f -o",
        usage="cranfield suite [options] SUITE.toml\n       cranfield suite [options] DIRECTORY --runs RUNS",
        description="Compare systems over several collections: macro means with intervals for other topics and "
        "for other collections, heterogeneity and ranks.",
        epilog="Exit codes: 0 ok, 1 a system is or could be worse (with --fail-if-worse), 2 invalid input or usage.",
    ),
    Command(
        "trend",
        group="compare",
        records=True,
        needs="scipy.special",
        does="follow nightly results, and test whether tonight differs",
        example="nights/*.tsv --baseline release.tsv\nnights/*.tsv -m nDCG@10 --summary --fail-if-worse",
        common="-m --baseline --last --looks --alpha --summary --fail-if-worse --table -f -o",
        description="Compare the scores of each night with the night before, with the median of the last nights and "
        "with a release. The test accounts for repeated looks.",
        epilog="Exit codes: 0 ok, 1 tonight is or could be worse (with --fail-if-worse), 2 invalid input or usage.",
    ),
    Command(
        "diff",
        group="compare",
        records=True,
        does="compare two runs without judgments: overlap, RBO, τ",
        example="bm25.run dense.run\nbm25.run dense.run --qrels qrels.txt -m AP",
        common="--qrels -m --k --p --rbo-ties --topics --documents -f -o --ties",
        description="Show how far two runs agree: overlap, Jaccard, rank-biased overlap, Kendall's τ, and the "
        "documents that entered and left the top. Topics with the least agreement come first. With "
        "judgments: relevant documents that moved, and differences of measures.",
    ),
    Command(
        "reconcile",
        group="understand",
        records=True,
        does="find the conventions behind a published score",
        example="qrels.txt bm25.run -m nDCG@10 --said 0.4127\nqrels.txt bm25.run -m nDCG@10 --said 41.3% --tool mteb",
        common="-m --said --tolerance --tool --changes -f -o",
        description="Compute a score by the conventions of evaluation tools and by sets of changed "
        "conventions, and print the sets that give a published score.",
        epilog="Exit codes: 0 a set matches, 1 no set matches, 2 invalid input or usage.",
    ),
    Command(
        "repro",
        group="compare",
        records=True,
        needs="scipy.special",
        does="measure how well runs reproduce other runs",
        example="qrels.txt --original a.run b.run --reproduced a2.run b2.run\n"
        "qrels.txt --original a.run --reproduced a2.run -m AP",
        common="-m --original --reproduced --replicated --p --trials --seed --confidence -f -o",
        usage="cranfield repro [options] QRELS --original A [B] --reproduced A2 [B2]",
        description="Compare reproduced runs with the original runs: Kendall's τ and RBO of rankings, RMSE of topic "
        "scores, p-values, the effect ratio and ΔRI, with intervals. A is the advanced run, B the baseline run.",
    ),
    Command(
        "plan",
        group="compare",
        records=True,
        needs="scipy.special",
        does="compute the number of topics needed, or the power of N topics",
        example="--sd 0.2 --difference 0.05\nqrels.txt *.run -m nDCG@10 --difference 0.05",
        common="--sd --variance --difference --method --systems --alpha --power --for-topics -m --scores --plot -f",
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
        records=True,
        needs="scipy.special",
        does="combine LLM judgments with human judgments of some topics",
        example="people.txt model.txt *.run -m nDCG@10 --drawn random\n"
        "people.txt model.txt *.run --drawn random --table pairs",
        common="-m --scores --drawn --audit-file --target --judge --teams --table -f -o",
        usage="cranfield judge [options] PEOPLE JUDGE RUN…\n       cranfield judge [options] --scores PEOPLE JUDGE",
        description="Estimate scores and differences of runs from an LLM's judgments of "
        "all topics and human judgments of some. The intervals are valid for "
        "any quality of the LLM judgments. Reports the benefit of the LLM "
        "judgments, and the results with LLM judgments only.",
        epilog="With --audit-file FILE the LLM judged all documents, and human assessors a random "
        "sample, drawn with `cranfield pool RUN… --audit N`.",
    ),
    Command(
        "battles",
        group="compare",
        records=True,
        needs="scipy.special",
        does="rate runs by battles between pairs of outputs",
        example="battles.csv\nbattles.csv qrels.txt *.run -m nDCG@10",
        common="-m --scores --ridge --correction --alpha --trials --seed --table -f -o",
        usage="cranfield battles [options] FILE\n"
        "       cranfield battles [options] FILE QRELS RUN RUN…\n"
        "       cranfield battles [options] --scores FILE SCORES…",
        description="Rate runs by battles, in which a human or an LLM chose the better of "
        "two outputs for a topic: intervals by topic, letters, preference for "
        "the output shown first, intransitivity, and agreement of measures "
        "with the battles.",
        epilog="FILE is text (topic run_a run_b winner), CSV or TSV with a header, JSON, JSONL, "
        "Parquet or Arrow, plain or compressed; - is standard input.",
    ),
    Command(
        "meta",
        group="compare",
        records=True,
        does="evaluate measures, judgments and collections",
        example='discriminative-power qrels.txt *.run -m "AP nDCG@10"\nswap qrels.txt *.run -m "AP nDCG@10"',
        common="-m --scores --preset --test --alpha --sizes --trials --seed --plot --table -f -o",
        parts="METHOD",
        description="Evaluate measures, judgments and collections themselves.",
    ),
    Command(
        "meta discriminative-power",
        example='qrels.txt *.run -m "AP nDCG@10"\nqrels.txt *.run -m AP --alpha 0.01',
    ),
    Command(
        "meta swap",
        example='qrels.txt *.run -m "AP nDCG@10"\nqrels.txt *.run -m AP --sizes 5 --table measures',
    ),
    Command(
        "meta stability",
        example="qrels.txt *.run -m AP --sizes 10,25\nqrels.txt *.run -m AP --sample judgments",
        common="--sample --sample-against",
        renamed={"--against": "--sample-against"},
    ),
    Command(
        "meta correlation",
        example='qrels.txt *.run -m "AP nDCG@10"\nqrels.txt *.run -m AP --qrels2 second.txt',
        common="--statistic --qrels2",
    ),
    Command(
        "meta concordance",
        example='qrels.txt *.run -m "RR Q" --gold-measure AP\nqrels.txt *.run -m "RR Q" --gold-measure P@10',
        common="--gold-measure",
        renamed={"--gold": "--gold-measure"},
    ),
    Command(
        "meta predictive-power",
        example="qrels.txt *.run --preferences pairs.txt\nqrels.txt *.run --preferences pairs.txt -m AP",
        common="--preferences",
    ),
    Command(
        "meta leave-one-out",
        example='qrels.txt *.run -m AP --teams teams.txt\nqrels.txt *.run -m "AP nDCG@10" --depth 50',
        common="--teams --depth",
        renamed={"--pool-depth": "--depth"},
    ),
    Command(
        "meta judgments",
        example="qrels.txt second.txt *.run\nqrels.txt second.txt --table agreement",
        common="--names --common -q",
    ),
    Command(
        "measures",
        group="understand",
        does="list measures: the most used, all, or with a word",
        example="graded\n--all -o measures.csv",
        common="--all --import -f -o",
        description="List the most used measures, measures with every WORD in their entry, or all, "
        "with parameters, properties and names in other tools.",
    ),
    Command(
        "explain",
        group="understand",
        does="show the formula of a measure, or the steps to a score",
        example='nDCG@10 --on qrels.txt bm25.run --topic 101\n"RBP(p=0.8)" --bibtex',
        common="--on --topic --levels --judged --bibtex --depth --order --ties --rel --gains",
        description="Show formula, parameters, worked example and reference of a measure. "
        "With --on or --levels, show the steps to its score for one ranking.",
    ),
    Command(
        "label",
        group="understand",
        records=True,
        does="print rankings with relevance labels",
        example="qrels.txt bm25.run dense.run --topic 101 --depth 10\nqrels.txt bm25.run --topic 101 -o labels.csv",
        common="--topic --depth --condensed --order --ties --rel --labels --preset -f -o",
        description="Show the rankings of runs with the label of each document, and the relevant "
        "documents that were not retrieved. Start here if a topic fails.",
    ),
    Command(
        "topics",
        group="understand",
        records=True,
        does="list the hardest topics, and why runs fail there",
        example="qrels.txt bm25.run dense.run -m nDCG@10\nqrels.txt *.run --table tally",
        common="-m --top --table --by --topics --depth --order --ties --rel --gains --preset -f -o",
        description="Show the hardest topics, topics on which runs differ most, and for "
        "two runs the decisive topics, with the reason why a run fails: topic "
        "missing, no relevant document retrieved or none above the cutoff, "
        "order of ties, unjudged documents, or low ranks of relevant documents.",
    ),
    Command(
        "report",
        group="understand",
        records=True,
        does="write an HTML report",
        example="qrels.txt bm25.run dense.run -m nDCG@10 -o report.html\n"
        "qrels.txt *.run --queries queries.tsv -o report.html",
        common="-m -o --title --queries --by --docs --assignments --answers --support --scores",
        usage="cranfield report [options] QRELS RUN… -o FILE\n"
        "       cranfield report [options] [QRELS RUN…] --assignments FILE --answers FILE --support FILE -o FILE\n"
        "       cranfield report [options] --scores FILE… -o FILE",
        description="Write one HTML file that needs no network: the answer and possible "
        "pitfalls, all runs with intervals, every topic with the reason why "
        "runs fail, rankings side by side, pairs of runs, and the measures. "
        "With generated answers: sentences with the support by citations, and "
        "the nuggets they contain. Requires cranfield[report].",
    ),
    Command(
        "plot",
        group="understand",
        does="draw figures: runs, topics, curves, agreement, user models",
        example='runs qrels.txt *.run -m "AP nDCG@10" -o runs.svg\ncurve qrels.txt *.run -m nDCG --band -o ndcg.svg',
        common="-m -o --scores --title --plot-width --plot-height --grey",
        description="Draw a figure. Requires cranfield[report].",
        parts="FIGURE",
        renamed={"--width": "--plot-width", "--height": "--plot-height"},
    ),
    Command(
        "plot runs",
        example='qrels.txt *.run -m "AP nDCG@10" -o runs.svg\nqrels.txt *.run -m AP --bars -o runs.png',
        common="--bars --sort --no-letters",
    ),
    Command(
        "plot curve",
        example="qrels.txt *.run -m nDCG --band -o ndcg.svg\nqrels.txt *.run --cutoffs 1,5,10,20 -m P -o p.svg",
        common="--cutoffs --band",
    ),
    Command(
        "plot unjudged",
        example="qrels.txt *.run --depth 100 -o unjudged.svg\nqrels.txt *.run --cumulative -o judged.svg",
        common="--cutoffs --cumulative --depth",
    ),
    Command(
        "plot pool",
        example="qrels.txt *.run --teams teams.txt -o pool.svg\nqrels.txt *.run --cutoffs 10,50,100 -o pool.svg",
        common="--cutoffs --teams --depth",
    ),
    Command(
        "plot topics",
        example="qrels.txt bm25.run dense.run -m AP -o topics.svg\n"
        "qrels.txt *.run -m AP --against median -o topics.svg",
        common="--against --show",
    ),
    Command(
        "plot heatmap",
        example="qrels.txt *.run -m AP -o heatmap.svg\nqrels.txt *.run -m nDCG@10 -o heatmap.html",
    ),
    Command(
        "plot distribution",
        example="qrels.txt *.run -m AP -o distribution.svg\nqrels.txt *.run -m nDCG@10 --grey -o ndcg.pdf",
    ),
    Command(
        "plot agreement",
        example='qrels.txt *.run -m "AP nDCG@10" -o tau.svg\nqrels.txt *.run -m AP --qrels2 second.txt -o tau.svg',
        common="--qrels2 --statistic",
    ),
    Command(
        "plot pairs",
        example="qrels.txt *.run -m AP -o pairs.svg\nqrels.txt *.run -m AP --test t -o pairs.pdf",
        common="--test --alpha --effect",
    ),
    Command(
        "plot forest",
        example="suite.toml --baseline bm25 -o forest.svg\nbeir --runs runs --baseline bm25 -o forest.pdf",
        common="-m --runs --baseline --systems --seeds --standardise",
    ),
    Command(
        "plot slices",
        example="qrels.txt bm25.run dense.run --by relevant -o slices.svg\n"
        "qrels.txt *.run --baseline bm25 --by relevant -o by.pdf",
        common="-m --by --baseline --test --correction --alpha",
    ),
    Command(
        "plot trend",
        example="nights/*.tsv -o trend.svg\nnights/*.tsv --baseline release.tsv -o trend.pdf",
        common="-m --baseline --last",
    ),
    Command(
        "plot cwl",
        does="user models (C/W/L)",
        example='vary qrels.txt *.run -m "RBP(p=0.5|0.9)" -o rbp.svg\nfunctions -m "RBP(p=0.5|0.8|0.95)" -o rbp.svg',
        common="--topic --ranks --measurement --depth --rel",
        description="User models: C, W and L by rank, and measurements.",
        parts="KIND",
        renamed={"--model": "--measure"},
    ),
    Command(
        "plot cwl functions",
        does="C, W and L of user models, rank by rank",
        example='-m "RBP(p=0.5|0.8|0.95)" -o rbp.svg\n-m "RBP(p=0.8)" --ranks 10 -o rbp.svg',
        description="Draw C, W and L of user models, rank by rank.",
    ),
    Command(
        "plot cwl vary",
        does="measurements against expected depth as a parameter of a model varies",
        example='qrels.txt *.run -m "RBP(p=0.5|0.9)" -o rbp.svg\nqrels.txt *.run -m "RBP(p=0.5:0.9:0.1)" -o rbp.svg',
        description="Draw measurements against expected depth as a parameter of a model varies.",
    ),
    Command(
        "plot cwl runs",
        does="expected utility against expected depth, a point for each run",
        example='qrels.txt *.run -m "RBP AP" -o runs.svg\nqrels.txt *.run -m RBP --topic 101 -o topic.svg',
        description="Draw expected utility against expected depth, a point for each run.",
    ),
    Command(
        "plot diversity",
        does="relevance against intent recall, a point for each run",
        example="qrels.intents.txt *.run -o diversity.svg\nqrels.intents.txt *.run --zoom -o zoom.svg",
        common="--against-measure --intents --gamma --intervals --zoom",
        description="Draw how relevant runs are against how many intents they cover, with lines of equal D♯.",
        renamed={"--against": "--against-measure", "--level": "--confidence"},
    ),
    Command(
        "pool",
        group="collect",
        records=True,
        does="pool the top documents of several runs",
        example="bm25.run dense.run --depth 100 -o pool.txt\n"
        "*.run --depth 50 --qrels qrels.txt --unjudged unjudged.txt",
        common="--depth --qrels --unjudged --audit --topics --teams -o -q -f --rel --order --ties",
        description="For each topic, pool the first N documents of all runs. Shows the "
        "contribution of each run and each team, and with judgments the "
        "unjudged documents.",
        epilog="Documents are written as lines `topic doc`, or as CSV, TSV or JSON by the "
        "extension of the file. They are ordered by id, which does not reveal ranks.",
    ),
    Command(
        "fuse",
        group="collect",
        does="fuse several runs to one",
        example="bm25.run dense.run --method rrf -o fused.run\nbm25.run dense.run --method combsum --weights 2,1",
        common="--method --norm --weights --k --depth --name -o --ties",
        description="Fuse the rankings of several runs to one run: by ranks (rrf, isr, logisr, rbc, borda, condorcet) "
        "or by scores (combsum, combmnz, combanz, combmax, combmin).",
        epilog="Runs are fused topic by topic, in bounded memory.",
    ),
    Command(
        "assess",
        group="collect",
        does="merge labels of several assessors, measure agreement",
        example="aggregate anna.txt ben.txt eve.txt -o qrels.txt\nagree anna.txt ben.txt eve.txt",
        description="Work with the labels of several assessors.",
    ),
    Command(
        "assess aggregate",
        does="several assessors' labels to one level for each item",
        example="anna.txt ben.txt eve.txt -o qrels.txt\n*.txt --scheme majority -o qrels.tsv",
        common="--scheme --labels --rules --majority-ties --unlabelled --threshold --map --column -f -o",
        description="Consolidate several assessors' labels to one level for each item.",
        renamed={"--missing": "--unlabelled", "--p": "--strength", "--ties": "--majority-ties"},
    ),
    Command(
        "assess agree",
        records=True,
        does="Cohen's, weighted and Fleiss' κ, Krippendorff's α, confusion matrices",
        example="anna.txt ben.txt eve.txt\nanna.txt ben.txt --labels S=2,A=1,B=0 -q",
        common="--labels --rules --columns --topics -q -f -o",
        description="Agreement of assessors: percent agreement, Cohen's κ (plain, linear, "
        "quadratic) of every pair, Fleiss' κ, Krippendorff's α, confusion "
        "matrices.",
    ),
    Command(
        "validate",
        group="collect",
        does="list all problems of judgments and runs, with lines",
        example="qrels.txt bm25.run dense.run\nqrels.txt *.run --all -f json",
        description="List every problem of judgments, runs and answers with citations, with its "
        "line. Errors keep a file from being evaluated (exit code 2); warnings do not.",
        common="--kind --input-format --by-intent --labels --run-names --columns --max-words "
        "--max-citations --all -f -o",
        epilog="If judgments are among the files, the topics of the runs are compared with the judged topics.",
        renamed={"--format": "--input-format"},
    ),
    Command(
        "verify",
        group="understand",
        does="verify a record: repeat the computation and compare",
        example="scores.json\nscores.json --files data -f json",
        common="--files -f -o",
        description="Check a record, written by --record: its id, the hashes of all inputs, and every value, which is "
        "computed again.",
        epilog="Exit codes: 0 everything is the same, 1 an id, a hash or a value differs, 2 verification is impossible "
        "or invalid input.",
    ),
    Command(
        "simulate",
        group="collect",
        does="write a synthetic test collection",
        example="--topics 50 --runs 5 -o collection\n--topics 50 --runs 5 --levels 3 --seed 7 -o collection",
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
        description="A drop-in replacement for cwl_eval: what users gain from each ranking "
        "of a run, at which cost and depth, according to each metric.",
    ),
    Command(
        "letor",
        group=TOOLS,
        does="LETOR's tools: P@n, MAP and NDCG@n of predictions, and a t-test",
        example="eval-score test.txt predictions.txt results.txt 1",
        description="A drop-in replacement for LETOR's evaluation tools. The original names work as well.",
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
        description="Drop-in replacements for NTCIREVAL's scripts. The original names work "
        "as well, with the arguments of the originals.",
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
        example="meta swap\nevaluate",
    ),
    Command(
        "completion",
        does="print what makes a shell complete what is typed",
        example="bash\nzsh > ~/.zfunc/_cranfield",
        description="Print a script that makes a shell complete commands, options and choices.",
        epilog='bash: eval "$(cranfield completion bash)" in ~/.bashrc; zsh: cranfield completion '
        "zsh > _cranfield in a directory of $fpath; fish: cranfield completion fish > "
        "~/.config/fish/completions/cranfield.fish",
    ),
)


def _inherit(row: Command, parent: Command) -> Command:
    """Return the row of a part with what it shares with its command."""
    common, records = f"{row.common} {parent.common}", row.records or parent.records
    return replace(row, common=common, records=records, needs=row.needs or parent.needs)


def _index_by_name() -> dict[str, Command]:
    rows: dict[str, Command] = {}
    for row in ROWS:
        parent = rows.get(row.name.rpartition(" ")[0])
        rows[row.name] = row if parent is None else _inherit(row, parent)
    return rows


BY_NAME = _index_by_name()
COMMANDS = {name: row for name, row in BY_NAME.items() if " " not in name}
RENAMED = {name: row.renamed for name, row in sorted(BY_NAME.items()) if row.renamed}

_SYNONYMS = {  # commands of other tools, by the command of ours that does the same
    "evaluate": "eval run score",
    "compare": "significance sigtest ttest t-test test diff stats",
    "fuse": "fusion merge rrf combine",
    "measures": "metrics metric",
    "trec_eval": "treceval trec-eval",
}
_OUT_OF_SCOPE = {  # what cranfield does not do
    "cranfield evaluates runs that a search system wrote. It does not search or rerank.": "index "
    "search retrieve rank rerank",
}
OTHER_COMMANDS = {word: f"Did you mean {ours}?" for ours, words in _SYNONYMS.items() for word in words.split()} | {
    word: advice for advice, words in _OUT_OF_SCOPE.items() for word in words.split()
}
