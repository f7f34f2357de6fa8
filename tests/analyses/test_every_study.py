"""Every study, played small: it finds something, shows it with intervals and n, and makes a valid page."""

import json
import re

import pytest

from simkit import report
from simkit.study import find, perform
from tests.test_report import check

GAMES = 400
STUDIES = {each.name: each for each in find()}


@pytest.fixture(scope="module", params=STUDIES)
def result(request):
    return perform(STUDIES[request.param], GAMES, seed=3, progress=False)


def test_it_asks_answers_and_shows(result):
    assert result.questions
    assert result.methods
    assert result.findings
    assert result.figures
    assert result.tables
    assert result.games_played >= GAMES


def test_its_defaults_are_worth_a_report(result):
    assert result.definition.games >= 10_000
    assert result.definition.summary


def test_every_caption_says_how_many_games_or_the_table_does(result):
    for picture in result.figures:
        assert re.search(r"\bn\b|games|deals", picture.caption), picture.caption
        assert len(picture.alt) > 10
    for table in result.tables:
        assert re.search(r"\bn\b|games|deals", table.caption + " ".join(table.header)), table.caption


def test_nothing_undefined_is_printed(result):
    said = [*result.findings, *result.questions, *result.methods, *(cell for table in result.tables for row in table.cells for cell in row)]

    for words in said:
        assert not re.search(r"\bnan\b|\bNone\b|\binf\b|Estimate\(", words), words


def test_its_page_is_valid_and_self_contained(result):
    check(report.html([result]))


def test_it_reads_in_a_terminal_and_as_json(result):
    assert result.title in report.text(result)
    json.dumps(report.as_dict(result), allow_nan=False)


def test_studies_share_a_page():
    """Three of them; the pages of all have been made one by one."""
    results = [perform(STUDIES[name], 100, progress=False) for name in ("techu_cards", "war_length", "war_luck")]

    check(report.html(results))
