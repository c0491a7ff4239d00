"""The site as `make docs` built it, in a browser; `make test-site` says where it is."""

from __future__ import annotations

import functools
import os
import re
import threading
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from cranfield.measures.base import REGISTRY
from tests import ROOT
from tests.docs.test_docs import anchors
from tests.report.conftest import browser  # noqa: F401 (a fixture)

SITE = Path(os.environ.get("CRANFIELD_SITE", "nowhere")).resolve()
KINDS = ("index", "evaluate", "rankings", "measures", "measures/nDCG", "api/evaluation", "gallery")
NARROW = 380

pytestmark = pytest.mark.skipif(not SITE.is_dir(), reason="no site: make docs, make test-site")
Visit = Callable[..., Any]


class Quiet(SimpleHTTPRequestHandler):
    """A server that says nothing."""

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The site, on this machine alone."""
    handler = functools.partial(Quiet, directory=str(SITE))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def visit(browser: Any, address: str) -> Iterator[Visit]:  # noqa: F811
    """Open a page; it must not complain, nor ask anybody else for anything."""
    wrong: list[str] = []
    contexts = []

    def opened(page: str, at: str = address, **options: Any) -> Any:
        context = browser.new_context(**options)
        contexts.append(context)
        tab = context.new_page()
        tab.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("request", lambda r: None if r.url.startswith((at, "data:")) else wrong.append(r.url))
        tab.on("response", lambda r: wrong.append(r.url) if r.status >= 400 else None)
        tab.goto(f"{at}/{page}")
        return tab

    yield opened
    for context in contexts:
        context.close()
    assert not wrong


class Page(HTMLParser):
    """What a page leads to, and the places that can be led to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = {"", "top"}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[x] for x in ("id", "name") if x in given}
        if "href" in given:
            (self.links if tag == "a" else self.loads).append(given["href"])
        if "src" in given:
            self.loads.append(given["src"])


@functools.cache
def pages() -> dict[Path, Page]:
    return {path: Page(path) for path in sorted(SITE.rglob("*.html"))}


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere() -> None:
    assert len(pages()) > 200
    wrong = []
    for path, page in pages().items():
        wrong += [f"{path}: loads {x}" for x in page.loads if re.match(r"(\w+:)?//", x)]
        for link in (*page.links, *page.loads):
            if re.match(r"\w+:|//", link):
                continue
            file, _, place = unquote(link).partition("#")
            target = (path.parent / file.partition("?")[0]).resolve() if file else path
            there = target in pages() and place in pages()[target].places if place else target.exists()
            if not there:
                wrong.append(f"{path.relative_to(SITE)}: {link}")
    assert not wrong


def test_headings_have_the_anchors_that_github_gives_them() -> None:
    for path in sorted((ROOT / "docs").glob("*.md")):
        if path.name != "measures.md":  # whose sections are pages there
            page = pages()[SITE / path.with_suffix(".html").name]
            assert anchors(path) - page.places == set(), path


def test_every_measure_has_a_page() -> None:
    for name, c in REGISTRY.items():
        found = [p for p in (SITE / "measures").glob("*.html") if p.stem.partition("-")[0] == name]
        (path,) = found
        text = path.read_text(encoding="utf-8")
        assert f"<h1>{name}<" in text
        assert "<h2>Example<" in text, name
        assert text.count("BibTeX") == bool(c.references), name
        assert all(f">{f.name}<" in text for f in c.list_parameters()), name


def test_no_page_complains_or_is_wider_than_a_telephone(visit: Visit) -> None:
    tab = visit("index.html", viewport={"width": NARROW, "height": 800})
    first = tab.url.removesuffix("/index.html")
    wide = []
    for path in pages():
        tab.goto(f"{first}/{path.relative_to(SITE)}")
        if tab.evaluate("document.scrollingElement.scrollWidth") > NARROW:
            wide.append(str(path.relative_to(SITE)))
    assert not wide


def test_start_page_shows_one_tab_and_the_live_report(visit: Visit) -> None:
    tab = visit("index.html")
    shown = "xs => xs.map(x => x.checkVisibility())"
    assert tab.eval_on_selector_all(".tabs > .tab", shown) == [True, False, False]
    tab.click("label[for=tab-rag]")
    assert tab.eval_on_selector_all(".tabs > .tab", shown) == [False, False, True]
    assert "cranfield answers" in tab.inner_text(".tabs > .tab:visible")
    report = tab.frame_locator("iframe.demo")
    tab.locator("iframe.demo").scroll_into_view_if_needed()
    assert report.locator("h1").inner_text() == "A simulated collection"
    tab = visit("index.html", viewport={"width": 1280, "height": 1400})
    assert tab.frame_locator("iframe.demo").locator("h1").inner_text()
    assert tab.evaluate("window.scrollY") == 0  # the report does not scroll this page


@pytest.mark.parametrize("at", ["http", "file"])
def test_search_finds_a_measure(visit: Visit, address: str, at: str) -> None:
    tab = visit("index.html", at=address if at == "http" else SITE.as_uri())
    tab.fill(".sidebar-search", "expected reciprocal rank")
    tab.press(".sidebar-search", "Enter")
    tab.wait_for_selector("#search-results li a")
    titles = tab.eval_on_selector_all("#search-results li a", "xs => xs.map(x => x.textContent)")
    assert "ERR" in titles[:5]
    tab.click("#search-results li a:text-is('ERR')")
    assert tab.inner_text("h1").startswith("ERR")


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("significance", "Compare runs"),
        ("p-value", "Compare runs"),
        ("confidence interval", "Compare runs"),
        ("ties", "Order, ties and topics"),
        ("unjudged", "Unjudged documents in a comparison"),
        ("RAG", "Evaluate a RAG system"),
        ("nDCG", "nDCG"),
        ("expected reciprocal rank", "ERR"),
        ("number of topics", "Choose the number of topics"),
    ],
)
def test_search_finds_the_guide_first(visit: Visit, query: str, title: str) -> None:
    tab = visit(f"search.html?q={query}")
    tab.wait_for_selector("#search-results li a")
    tab.wait_for_function("document.querySelector('#search-results p.search-summary').innerText.includes('found')")
    assert tab.locator("#search-results li > a").first.inner_text() == title


def test_dark_mode_is_switched_and_kept(visit: Visit) -> None:
    tab = visit("measures/nDCG.html", color_scheme="light", viewport={"width": 1300, "height": 900})
    colour = "getComputedStyle(document.body).backgroundColor"
    light = tab.evaluate(colour)
    for _ in range(3):  # of light, dark and as the system has it
        if tab.evaluate("document.body.dataset.theme") != "dark":
            tab.click(".theme-toggle-content button")
    dark = tab.evaluate(colour)
    assert light == "rgb(255, 255, 255)"
    assert max(map(int, re.findall(r"\d+", dark)[:3])) < 40
    tab.click(".sidebar-tree a:has-text('Evaluate a run')")
    assert tab.evaluate(colour) == dark


def test_formulas_have_their_font(visit: Visit) -> None:
    tab = visit("measures/RBP.html")
    tab.evaluate("document.fonts.ready")
    assert tab.evaluate("[...document.fonts].map(f => f.family + ' ' + f.status)") == ["STIX Two Math loaded"]
    sizes = "xs => xs.map(x => [x.textContent, x.getBoundingClientRect().height])"
    heights = dict(tab.eval_on_selector_all("math mo", sizes))
    assert heights["∑"] > 1.2 * heights["="]


@pytest.mark.parametrize(("page", "scheme"), [*((kind, "light") for kind in KINDS), ("measures/nDCG", "dark")])
def test_people_who_see_little_can_read_it(visit: Visit, page: str, scheme: str) -> None:
    axe: Any = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe")
    tab = visit(f"{page}.html", color_scheme=scheme, viewport={"width": 1300, "height": 900})
    found = axe.Axe().run(tab).response["violations"]
    told = [f"{x['id']}: {x['nodes'][0]['html'][:200]}" for x in found if x["impact"] in {"serious", "critical"}]
    assert not told
