"""The page in a browser: every click, key and address, whatever names the data has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from cranfield.report.page.html import build_html
from cranfield.wording import encode_text, escape_unprintable
from tests.made import each
from tests.report import made_page

pytest.importorskip("jinja2", reason="no Jinja2")

pytestmark = pytest.mark.slow

# What the page shows follows its address a moment later: this tells when it has.
FOLLOWS = """
    let drawn = location.href;
    addEventListener("hashchange", () => { drawn = location.href });
    const replace = history.replaceState.bind(history);
    history.replaceState = (...given) => { replace(...given); drawn = location.href };
    window.arrivedAt = hash =>
        drawn === location.href && decodeURIComponent(location.hash || "#") === hash;
"""
VIEWS = ("", "#topics", "#topic/t1", "#pairs", "#measures", "#section/walk", "#about")
Visit = Callable[..., Any]  # a file or data, an address, options of a context: a page


def scores_only() -> dict[str, Any]:
    """What a page of scores has: no lists, and so no reasons why runs fail."""
    return made_page.page() | {"lists": None, "buckets": None, "agreement": None, "sections": []}


def undefined() -> dict[str, Any]:
    """Nothing has a value: no mean, no interval, no pair."""
    data = made_page.page(measures=1)
    nothing = [None] * 4
    board = {"means": nothing, "low": nothing, "high": nothing, "letters": [""] * 4}
    data["board"][0] |= board
    data["scores"] = [[[None] * 12] * 4]
    return data | {"pairs": [None], "agreement": None}


PAGES: dict[str, Callable[[], dict[str, Any]]] = {
    "small": made_page.page,
    "hostile": made_page.hostile,
    "large": lambda: made_page.page(runs=100, topics=250, measures=10, depth=20),
    "one": lambda: made_page.page(runs=1, topics=1, measures=1),
    "scores": scores_only,
    "undefined": undefined,
    "answers": made_page.answered,
    "answers alone": lambda: made_page.answered() | {"lists": None, "buckets": None},
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Where the page of a name is, made when it is first asked for."""
    folder = tmp_path_factory.mktemp("pages")

    def path_of(name: str) -> Path:
        path = folder / f"{name}.html"
        if not path.exists():
            data = PAGES[name]()
            path.write_bytes(encode_text(build_html(data, data["title"])))
        return path

    return path_of


@pytest.fixture
def visit(browser: Any, written: Callable[[str], Path]) -> Iterator[Visit]:
    """Open a page; whatever is done there, it must not complain, nor ask anybody for anything."""
    wrong: list[str] = []
    contexts = []

    def opened(name: str, address: str = "", **options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.add_init_script(FOLLOWS)
        page.on("console", lambda said: wrong.append(said.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: wrong.append(dialog.message))
        page.on("request", lambda asked: wrong.append(asked.url) if leaves(asked.url) else None)
        page.goto(written(name).as_uri() + address)
        page.wait_for_selector("main h1")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []


def leaves(url: str) -> bool:
    return not url.startswith(("file:", "data:", "blob:"))


def column(page: Any, n: int, table: str = "main .table >> nth=0") -> list[str]:
    """The texts of a column of a table, without the marks beside them."""
    cells = page.locator(f"{table} >> tbody tr > :nth-child({n})")
    return [text.split("\n")[0].strip() for text in cells.all_inner_texts()]


def show(page: Any, view: str) -> float:
    """Go to a view by its address, and wait until it is drawn: how many milliseconds that took."""
    spent = page.evaluate(
        """view => new Promise(done => {
            const start = performance.now();
            const drawn = () => requestAnimationFrame(
                () => setTimeout(() => done(performance.now() - start)));
            if (location.hash === view) { drawn(); return; }
            addEventListener('hashchange', drawn, { once: true });
            location.hash = view;
        })""",
        view,
    )
    return float(spent)


def arrive(page: Any, address: str) -> None:
    """Wait until the page has this address, and shows what it asks for."""
    page.wait_for_function("hash => arrivedAt(hash)", arg=address)


def scrolls_sideways(page: Any) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))


def test_first_screen_has_the_summary_and_sorts_runs(visit: Visit) -> None:
    data = made_page.page()
    page = visit("small")
    text = page.inner_text("main")
    for shown in (*data["answer"], data["notices"][0]["texts"][0], "unjudged at 10", "3.1%"):
        assert shown in text
    for m, measure in enumerate(data["measures"]):
        means = data["board"][m]["means"]
        best_first = sorted(range(4), key=lambda r: -means[r])
        if m:
            page.click(f"th >> text={measure['name']}")
            arrive(page, f"#?sort=-{measure['name']}")
        assert column(page, 1) == [f"run{r}" for r in best_first]
        assert page.locator(f"[aria-sort=descending]:has-text('{measure['name']}')").count() == 1
        best = page.locator("tbody tr >> nth=0").locator(".score.best")
        assert f"{max(means):.4f}" in best.all_inner_texts()[0 if m == 0 else -1]
    page.keyboard.press("Enter")  # the head has kept the focus: the other way round
    arrive(page, "#?sort=AP")
    assert column(page, 1) == [f"run{r}" for r in best_first[::-1]]
    page.go_back()
    page.go_back()
    arrive(page, "#")
    assert page.locator("[aria-sort]:has-text('nDCG@10')").count() == 1


def test_two_clicks_open_the_rankings_of_a_topic(visit: Visit) -> None:
    data = made_page.page()
    means = data["board"][0]["means"]
    worst, best = min(range(4), key=means.__getitem__), max(range(4), key=means.__getitem__)
    page = visit("small")
    page.click(f".board a:text-is('{means[worst]:.4f}') >> nth=0")
    arrive(page, f"#topics?a=run{worst}&b=run{best}&m=nDCG@10")
    a, b = data["scores"][0][worst], data["scores"][0][best]
    known = [t for t in range(12) if a[t] is not None and b[t] is not None]
    order = sorted(known, key=lambda t: a[t] - b[t])
    expected = [*order, *(t for t in range(12) if t not in known)]
    assert column(page, 1) == [f"t{t}" for t in expected]
    assert page.locator("figure rect.better, figure rect.worse").count() == len(known)

    page.click("main a.topic >> nth=0")
    page.wait_for_selector(f"h1:has-text('Topic t{order[0]}')")
    found = data["lists"]["topics"][order[0]]
    for i, r in enumerate((worst, best)):
        docs = [found["docs"][doc] for doc in found["lists"][r]]
        assert column(page, 4, f".list >> nth={i}") == docs
    top = [set(found["lists"][r]) for r in (worst, best)]
    relevant = {doc for doc, level in enumerate(found["level"]) if level}
    missed = {found["docs"][doc] for doc in relevant & (top[0] ^ top[1])}
    others = {found["docs"][doc] for doc in found["relevant"] if doc not in top[0] | top[1]}
    assert sorted(column(page, 3, ".missed")) == sorted(missed | others)
    rank = found["lists"][best].index(next(iter(relevant & top[1] - top[0]))) + 1
    assert str(rank) in column(page, 5, ".missed")
    page.keyboard.press("j")
    page.wait_for_selector(f"h1 bdi:text-is('t{order[1]}')")
    page.keyboard.press("k")
    page.wait_for_selector(f"h1 bdi:text-is('t{order[0]}')")
    page.reload()
    page.wait_for_selector(f"h1 bdi:text-is('t{order[0]}')")
    assert page.input_value("[data-key=a]") == f"run{worst}"
    third = next(r for r in range(4) if r not in (worst, best))
    page.select_option("[data-key=b]", f"run{third}")
    page.wait_for_selector(f".list >> nth=1 >> text=run{third}")
    page.go_back()
    page.go_back()
    arrive(page, f"#topics?a=run{worst}&b=run{best}&m=nDCG@10")


def test_numbers_are_rounded_as_python_rounds_them(visit: Visit) -> None:
    """To the even digit, where JavaScript would take the larger one."""
    page = visit("small", "#topic/t0?a=run3&b=run1")
    other = made_page.page()["scores"][0][1][0]
    assert page.inner_text(".facts strong >> nth=0") == f"{0.03125:.4f}" == "0.0312"
    assert page.inner_text(".outcome strong") == f"{0.03125 - other:+.4f}".replace("-", "−")


def test_summary_follows_filtered_topics(visit: Visit) -> None:
    """t0, t2, …, t10 are of the slice: mean, t interval with 5 degrees of freedom, reasons."""
    made = made_page.page()
    page = visit("small", "#topics?a=run0&b=run1&slice=source=web")
    shown = [0, 2, 4, 6, 8, 10]
    first, second = made["scores"][0][0], made["scores"][0][1]
    differences = np.array([first[t] - second[t] for t in shown])
    half = 2.57058 * differences.std(ddof=1) / 6**0.5
    mean = differences.mean()
    said = page.inner_text(".tallied")
    ends = f"[{mean - half:+.4f}, {mean + half:+.4f}]".replace("-", "−")
    expected = f"Over these 6 topics, A − B = {mean:+.4f}".replace("-", "−")
    assert f"{expected} {ends} by nDCG@10 (95% interval, Student's t, not corrected)" in said
    codes = made["buckets"]["codes"][0]
    failing = "main .table >> nth=1"
    assert column(page, 4, failing)[0] == str(sum(codes[t] == 2 for t in shown))
    show(page, "#topics?a=run0&b=run1")
    low, high = (made["pairs"][0][end][0][0] for end in ("low", "high"))
    expected = f"[{low:+.4f}, {high:+.4f}] by nDCG@10 (95% interval)".replace("-", "−")
    assert expected in page.inner_text(".tallied")


def test_p_is_written_as_compare_writes_it(visit: Visit) -> None:
    page = visit("small", "#pairs?a=run0")
    texts = column(page, 5, "main .table >> nth=1")
    triangle = made_page.page()["pairs"][0]["p"][0]
    assert sorted(texts) == sorted("<0.001*" if p <= 0.0001 else f"{p:.4f}" + "*" * (p <= 0.05) for p in triangle)


def test_topics_are_searched_and_filtered(visit: Visit) -> None:
    page = visit("small", "#topics?q=number 1".replace(" ", "%20"))
    assert sorted(column(page, 1)) == ["t1", "t10", "t11"]
    page.select_option("[data-key=slice]", "source=web")
    page.wait_for_function("document.querySelectorAll('a.topic').length === 1")
    assert column(page, 1) == ["t10"]
    page.fill("#search", "nothing like it")
    assert page.inner_text(".results .empty") == "No matching topics."
    page.fill("#search", "T2")
    assert column(page, 1) == ["t2"]
    arrive(page, "#topics?q=T2&slice=source=web")
    page.keyboard.press("Escape")
    page.fill("#search", "")
    assert sorted(column(page, 1)) == sorted(f"t{t}" for t in range(0, 12, 2))
    page.keyboard.press("j")  # in the field, a letter as others
    assert page.input_value("#search") == "j"
    page.fill("#search", "")
    page.focus("main")
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.textContent") == column(page, 1)[1]
    codes = made_page.page()["buckets"]["codes"][2]
    show(page, "#topics?a=run2&why=ranked%20low")
    assert sorted(column(page, 1)) == sorted(f"t{t}" for t in range(12) if codes[t] == 2)


def test_the_same_document_is_marked_in_both_lists(visit: Visit) -> None:
    page = visit("small", "#topic/t3?a=run0&b=run2")
    lists = made_page.page()["lists"]["topics"][3]["lists"]
    both = next(doc for doc in lists[0] if doc in lists[2])
    page.hover(f".list >> nth=0 >> tr[data-doc='{both}']")
    assert page.locator(".lists tr.same").count() == 2
    page.focus(f".list >> nth=1 >> tr[data-doc='{lists[2][0]}'] input")
    marked = {row.get_attribute("data-doc") for row in page.locator("tr.same").all()}
    assert marked == {str(lists[2][0])}
    assert page.locator(".level.unjudged").count() > 0
    hatched = "getComputedStyle(document.querySelector('.level.unjudged')).backgroundImage"
    assert "repeating-linear-gradient" in page.evaluate(hatched)


def test_answers_are_side_by_side(visit: Visit) -> None:
    """Each citation says by its sign and in words what its colour says."""
    page = visit("answers", "#topic/t1?a=run0&b=run1&m=CitationF")
    made = made_page.answered()
    score = made["scores"][1][0][1]
    first, second = page.locator(".answers .list").all()
    assert f"{score:.4f} CitationF · 3 sentences" in first.inner_text()
    assert first.locator("li").count() == second.locator("li").count() == 3
    cites = first.locator("li >> nth=2").locator(".cite")
    said = [" ".join(text.split()) for text in cites.all_text_contents()]
    assert said[0].startswith("✗no support: d1-22")  # and the level, 2, with its words
    assert said[1].startswith("?support not judged: elsewhere?unjudged")
    assert said[2].startswith("✓full support: d1-00level 0, not relevant")
    assert "no citation" in first.locator("li >> nth=1").inner_text()
    colours = {x.evaluate("x => getComputedStyle(x).backgroundColor") for x in page.locator(".legend .cite").all()}
    assert len(colours) == 4
    # By a measure of answers, lists have the first of lists; run0 has none of it at t1.
    assert page.locator(".lists-and-missed .facts >> nth=0").inner_text().startswith("– nDCG@10")


def test_nuggets_are_a_checklist_that_is_sorted_and_copied(visit: Visit) -> None:
    page = visit("answers", "#topic/t1?a=run1&b=run2", permissions=["clipboard-read", "clipboard-write"])
    assert column(page, 2, ".checklist >> nth=0") == ["vital", "okay", "okay"]
    assert column(page, 4, ".checklist >> nth=0") == [
        "◐ partial",
        "✗ not supported",
        "? not judged",
    ]
    assert set(column(page, 5, ".checklist >> nth=0")) == {"no answer"}
    page.click("[data-key='sort.nuggets:a']")
    arrive(page, "#topic/t1?a=run1&b=run2&sort.nuggets=a")
    assert column(page, 1, ".checklist >> nth=0") == ["another fact", "a fact", "new"]
    page.click(".checklist >> nth=0 >> summary")
    page.click(".checklist >> nth=0 >> button:text-is('CSV')")
    page.wait_for_selector("#said:text-is('Copied 3 rows as CSV')")
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert lines[:2] == ["Nugget,Importance,Sub-narrative,A,B", "another fact,okay,,0,"]
    lie = page.locator(".checklist >> nth=1 >> .mark-of >> nth=2")  # met, and of negative weight
    assert (lie.get_attribute("class"), lie.inner_text()) == ("mark-of none", "✓ met")


def test_cited_document_is_marked_in_rankings(visit: Visit) -> None:
    page = visit("answers", "#topic/t0?a=run0&b=run1")
    page.hover(".answers .cite:has-text('d0-1') >> nth=0")
    listed = made_page.answered()["lists"]["topics"][0]["lists"]
    both = sum(1 in listed[r] for r in (0, 1))
    assert page.locator(".lists-and-missed .list tr.same").count() == both
    assert page.locator(".answers li .cite.same").count() == 2  # one of each run
    page.click("summary:has-text('Documents that A cites')")
    rows = page.locator(".cited >> nth=0 >> tbody tr").all_inner_texts()
    ranks = [listed[0].index(doc) + 1 if doc in listed[0] else None for doc in range(3)]
    for row, rank in zip(rows, ranks, strict=False):
        assert str(rank or ">10") in row.split() or "–" in row.split(), (row, rank)
    assert "A title" in rows[0]


def test_topics_without_answers_give_the_reason(visit: Visit) -> None:
    page = visit("answers", "#topic/t2")
    assert "No answers to this topic." in page.inner_text(".answers")
    show(page, "#topic/t3")
    assert "are omitted" in page.inner_text(".answers")
    show(page, "#topic/t1?a=run2&b=run3")
    first, second = page.locator(".answers .list").all()
    assert "This run has no answer text" in first.inner_text()
    assert "A sentence and\nanother line." in second.inner_text()
    page = visit("answers alone", "#topic/t1")
    assert page.locator(".answers").count() == 1
    assert "no lists" not in page.inner_text("main")


def test_answers_are_printed_completely(visit: Visit) -> None:
    """On white, in colour and with signs, the documents that are cited open."""
    page = visit("answers", "#topic/t1?a=run0&b=run1", color_scheme="dark")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.is_visible(".cited >> nth=0 >> table")
    assert page.is_visible(".checklist .mark-of .word >> nth=0")
    exact = "getComputedStyle(document.querySelector('.cite.full')).printColorAdjust"
    assert page.evaluate(exact) == "exact"


def test_selected_documents_are_downloaded_as_a_pool(visit: Visit, tmp_path: Path) -> None:
    page = visit("small", "#topic/t3?a=run0&b=run2")
    found = made_page.page()["lists"]["topics"]
    chosen = [found[3]["docs"][doc] for doc in found[3]["lists"][0][:2]]
    for i in range(2):
        page.check(f".list >> nth=0 >> input.tick >> nth={i}")
    page.reload()
    page.wait_for_selector("#ticked:visible")
    assert "2 documents of 1 topic ticked" in page.inner_text("#ticked")
    show(page, "#topic/t10?a=run1&b=run2")
    page.check(".list >> nth=1 >> input.tick >> nth=0")
    other = found[10]["docs"][found[10]["lists"][2][0]]
    with page.expect_download() as started:
        page.click("text=Download list to judge")
    started.value.save_as(tmp_path / "list")
    lines = [f"t3 {doc}\n" for doc in sorted(chosen)] + [f"t10 {other}\n"]
    assert (tmp_path / "list").read_text() == "".join(lines)
    assert started.value.suggested_filename == "to-judge.txt"
    page.click("#ticked >> text=Clear")
    assert not page.is_visible("#ticked")
    assert not page.is_checked(".list >> nth=1 >> input.tick >> nth=0")


def copied(page: Any, format: str, rows: int) -> list[str]:
    """The lines of the leaderboard as it is copied."""
    page.click(".board summary")
    button = page.locator(f".board button:text-is('{format}')")
    assert button.bounding_box()["height"] < 40  # its word on one line
    button.click()
    page.wait_for_selector(f"#said:text-is('Copied {rows} rows as {format}')")
    return str(page.evaluate("navigator.clipboard.readText()")).splitlines()


def test_tables_are_copied_as_tsv_and_latex(visit: Visit) -> None:
    page = visit("small", permissions=["clipboard-read", "clipboard-write"])
    board = made_page.page()["board"]
    best = max(range(4), key=board[0]["means"].__getitem__)
    numbers = [[b[kind][best] for kind in ("means", "low", "high", "letters")] for b in board]

    head, first, *_ = copied(page, "CSV", 4)
    assert head.startswith("Run,nDCG@10,nDCG@10 low,nDCG@10 high,nDCG@10 letters,AP,")
    assert first.split(",") == [f"run{best}", *(str(x) for row in numbers for x in row)]
    texts = [f"{mean:.4f} [{low:.4f}, {high:.4f}] {mark}" for mean, low, high, mark in numbers]
    markdown = copied(page, "Markdown", 4)
    assert markdown[1] == "|:---|---:|---:|"
    escaped = [text.replace("[", r"\[").replace("]", r"\]") for text in texts]
    assert markdown[2] == f"| run{best} | {' | '.join(escaped)} |"
    latex = copied(page, "LaTeX", 4)
    assert latex[1] == r"\begin{tabular}{lrr}"
    escaped = [text.replace("[", "{[}").replace("]", "{]}") for text in texts]
    assert latex[5] == rf"run{best} & {' & '.join(escaped)} \\"
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject() }")
    assert copied(page, "CSV", 4)[1] == first  # by the other way, which pages from a disk may need


def test_copied_names_are_escaped(visit: Visit) -> None:
    page = visit("hostile", permissions=["clipboard-read", "clipboard-write"])
    rows = len(made_page.HOSTILE)
    quoted = '"' + made_page.HOSTILE[1].replace('"', '""') + '"'
    found = "\n".join(copied(page, "CSV", rows))
    assert f"\n'{made_page.HOSTILE[-1]}," in found
    assert f"\n{quoted}," in found
    found = "\n".join(copied(page, "Markdown", rows))
    assert "\n| =1+1 \\_\\&%$#\\\\^\\~\\|\\*\\[ |" in found
    assert "| \\<script\\>alert(1)\\</script\\> |" in found
    found = "\n".join(copied(page, "LaTeX", rows))
    signs = r"\textbackslash{}\textasciicircum{}\textasciitilde{}\textbar{}{*}{[}"
    assert rf"=1+1 \_\&\%\$\#{signs} & " in found


def test_names_are_only_names(visit: Visit, tmp_path: Path) -> None:
    small = {"viewport": {"width": 380, "height": 700}}
    page = visit("hostile", **small)
    for name in made_page.HOSTILE:
        for view in ("topic/", "section/", ""):
            a, b = quote(name, safe=""), quote(made_page.HOSTILE[0], safe="")
            show(page, f"#{view}{a if view else ''}?a={a}&b={b}")
            if view == "topic/":
                title = page.locator("h1 bdi").first.get_attribute("title")
                assert escape_unprintable(name) in (
                    title,
                    page.inner_text("h1").removeprefix("Topic "),
                )
            assert not scrolls_sideways(page), (view, name)
        titles = "[...document.querySelectorAll('main [title]')].map(x => x.title).join('')"
        seen = page.evaluate(f"document.body.innerText + {titles}")
        assert "\\u202e" in seen
        assert not set(seen) & set("\u202e\u200f\u2066\x1b\x00\x07")
    show(page, "#topics")
    assert page.locator("main script").count() == 0
    page.click("a.topic >> nth=0")
    page.wait_for_selector("input.tick")
    page.check("input.tick >> nth=0")  # ids with blanks: in JSON, as lines cannot hold them
    page.check("input.tick >> nth=1")
    with page.expect_download() as started:
        page.click("text=Download list to judge")
    started.value.save_as(tmp_path / "list")
    assert (tmp_path / "list").stat().st_size > 10


# Of all that axe looks for, only the contrast is another in the dark.
ANSWERS = ("#topic/t1?a=run0&b=run1", "#topic/t1?a=run2&b=run3")
DARK = {"runOnly": ["color-contrast"]}
READ: dict[tuple[str, str], tuple[tuple[str, ...], dict[str, Any]]] = {
    ("small", "light"): (VIEWS, {}),
    ("small", "dark"): (("", "#topic/t1", "#pairs"), DARK),
    ("answers", "light"): (ANSWERS, {}),
    ("answers", "dark"): (ANSWERS, DARK),
}


@each("shown", READ)
def test_views_are_accessible(visit: Visit, shown: tuple[str, str]) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe").Axe()
    name, theme = shown
    page = visit(name, color_scheme=theme, viewport={"width": 380, "height": 700})
    views, rules = READ[shown]
    for view in views:
        show(page, view)
        assert not scrolls_sideways(page), view
        page.evaluate("document.querySelectorAll('main details').forEach(x => x.open = true)")
        found = axe.run(page, options={"resultTypes": ["violations"], **rules}).response["violations"]
        serious = [x for x in found if x["impact"] in ("serious", "critical")]
        assert not serious, (view, [(x["id"], x["nodes"][0]["html"]) for x in serious])


def test_dark_mode_is_stored_and_print_is_white(visit: Visit) -> None:
    page = visit("small")
    paper = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
    page.click("text=Dark")
    dark = page.evaluate(paper)
    assert dark != "rgb(255, 255, 255)"
    page.reload()
    assert page.evaluate(paper) == dark
    assert page.inner_text("#theme") == "Light"
    page.emulate_media(media="print")
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
    assert not page.is_visible("#places")
    assert page.is_visible(".board")


@each("name", ["one", "scores", "undefined"])
def test_small_inputs_make_a_valid_report(visit: Visit, name: str) -> None:
    page = visit(name)
    for view in (*VIEWS, "#topic/t0?a=nobody", "#nowhere"):
        show(page, view)
        text = page.inner_text("main")
        assert len(text) > 20, view
        assert not {"NaN", "undefined", "null", "Infinity"} & set(text.split()), (view, text)
    show(page, "#topic/t0?a=nobody")
    assert page.locator(".warning:has-text('nobody')").count() == 1


def test_a_large_page_is_ready_within_two_seconds(visit: Visit, written: Any) -> None:
    assert written("large").stat().st_size < 8e6
    page = visit("large")
    ready = []
    for _ in range(3):  # other tests may have both cores just now
        ready.append(page.evaluate("performance.getEntriesByName('shown')[0].startTime"))
        if ready[-1] < 2000:
            break
        page.reload()
        page.wait_for_selector("main h1")
    assert min(ready) < 2000
    for view in ("#topics", "#topic/t7", "#pairs"):
        assert show(page, view) < 1000, view
    assert page.locator("tbody tr").count() < 200
