"""Reports: one page that needs nothing else, whole or not at all, and the same bytes for the same games."""

import json
import os
import re
import stat
from html.parser import HTMLParser
from pathlib import Path

import pytest

from simkit import report
from simkit.plots import bars
from simkit.stats.estimate import Estimate
from simkit.study import Definition, StudyResult, perform

VOID = {"meta", "br", "hr", "img", "link", "input", "wbr", "col", "area", "base", "embed", "source", "track"}


class Page(HTMLParser):
    """Checks that tags balance, and notes ids, links and whatever would be fetched."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.tags: list[tuple[str, dict]] = []
        self.feed(text)
        self.close()
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        assert len(given) == len(attrs), f"an attribute twice in {tag}"
        self.tags.append((tag, given))
        self.ids += [given["id"]] if "id" in given else []
        if tag == "a":
            self.links.append(given["href"])
        else:
            self.fetched += [given[name] for name in ("src", "href", "srcset", "data", "action") if name in given]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def check(text: str) -> Page:
    """That a page is valid and self-contained."""
    page = Page(text)
    names = [tag for tag, _ in page.tags]
    assert len(page.ids) == len(set(page.ids)), "an id twice"
    assert all(link[1:] in page.ids for link in page.links), "a link within the page leads nowhere"
    assert all(each.startswith("#") for each in page.fetched)
    assert not {"script", "iframe", "link", "object", "embed", "img"} & set(names)
    rest = text.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?:|//[a-z]+\.|@import|url\((?!#)|javascript:", rest)
    assert names.count("h1") == 1
    assert all(given.get("aria-label") for tag, given in page.tags if tag == "svg")
    assert ("html", {"lang": "en"}) in page.tags
    assert 'name="generator" content="simkit' in text[:4096]
    return page


def toy(s):
    s.question("Is 1 < 2 & **true**?")
    s.method("By `counting`.")
    result = s.run("war", columns="battles")
    s.sweep("war", {"pickup_order": ["player_choice", "seat_order"]}, column="battles")
    s.heading("Part <one>")
    s.finding(f"The mean is {result.mean('battles').text()} <script>alert(1)</script>.")
    s.text("A difference of -3.5 ± 0.2, `a-1`, 1–2 and 50 %.")
    s.figure(bars(["a & b"], [Estimate(1.0, 0.5, 1.5, 9)], x="<x>"), caption="n = 9", alt='An "alt" & more')
    s.figure(bars(["c"], [Estimate(1.0, 0.5, 1.5, 9)], x="x"), caption="n = 9")
    s.table(result.outcomes(), caption=f"n = {result.games}", formats={"estimate": "{:.3f}"})


def performed(name="toy", games=200, seed=1) -> StudyResult:
    return perform(Definition(name, f"Toy of {name}?", 200, toy, Path("toy.py")), games, seed, progress=False)


@pytest.fixture(scope="module")
def result() -> StudyResult:
    return performed()


def test_a_page_is_valid_and_needs_nothing_else(result):
    page = check(report.html([result, performed("other", seed=2)], title="A <title>", command="simkit report --games 200"))

    assert [tag for tag, _ in page.tags].count("figure") == 4


def test_a_page_of_no_studies_is_a_page():
    check(report.html([]))


def test_what_a_study_says_is_never_markup(result):
    text = report.html([result], title="<b>")

    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "<title>&lt;b&gt;</title>" in text
    assert "<strong>true</strong>" in text
    assert "<code>counting</code>" in text


def test_findings_are_at_the_top_and_in_their_place(result):
    text = report.html([result])

    assert text.count("The mean is") == 2
    assert text.index("The mean is") < text.index("Is 1 &lt; 2")


def test_the_page_says_how_to_repeat_everything(result):
    text = report.html([result], command="simkit report toy --games 200")

    for words in [
        "simkit report toy --games 200",
        "simkit study toy -n 200 --seed 1",
        "simkit run war -n 200 --seed 1 --columns battles",
        "numba",
        "numpy",
    ]:
        assert words in text
    for simulation in result.simulations:
        for played in simulation.settings:
            assert played.rules_hash in text
    assert "pickup_order = seat_order" in text
    assert "random, random" in text, "who chose, where there was something to choose"


def test_the_same_study_gives_the_same_bytes(result):
    assert report.html([result]) == report.html([performed()])


def test_other_games_give_another_page(result):
    assert report.html([result]) != report.html([performed(seed=2)])


def test_light_dark_and_print_are_provided(result):
    text = report.html([result])

    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
    assert "width=device-width" in text


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("50 % of n = 7", "50\N{NO-BREAK SPACE}% of n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}7"),
        ("from -3 to (-2)", "from \N{MINUS SIGN}3 to (\N{MINUS SIGN}2)"),
        ("2024-25, 3–5, a-1", "2024-25, 3–5, a-1"),
    ],
)
def test_sentences_are_set_with_care(words, shown):
    assert str(report.marked(words)) == shown


def test_the_text_for_a_terminal_has_no_marks(result):
    text = report.text(result)

    assert "**" not in text
    assert "`" not in text
    assert "counting" in text
    assert text.index("• The mean") < text.index("By counting")
    assert "again: simkit study toy -n 200 --seed 1" in text
    assert max(map(len, text.splitlines())) <= 160


def test_tables_for_a_terminal_stand_in_columns(result):
    lines = report.table_text(result.tables[0]).splitlines()

    assert lines[0].split() == ["outcome", "estimate", "low", "high", "n"]
    assert len({len(line) for line in lines}) == 1


def test_the_json_of_a_study(result):
    facts = json.loads(json.dumps(report.as_dict(result), allow_nan=False))

    assert facts["name"] == "toy"
    assert facts["findings"] == result.findings
    assert facts["tables"][0]["columns"] == ["outcome", "estimate", "low", "high", "n"]
    assert len(facts["runs"]) == 3
    assert facts["runs"][2]["endless"] > 0


# ---- writing


def test_a_page_is_written_whole(tmp_path):
    path = report.write(tmp_path / "page.html", "<p>ä</p>")

    assert path.read_text(encoding="utf-8") == "<p>ä</p>"
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


def test_a_failed_write_leaves_the_old_page(tmp_path, monkeypatch):
    path = report.write(tmp_path / "page.html", "old")

    def fail(*given):
        raise OSError("no space")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no space"):
        report.write(path, "new")

    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]
