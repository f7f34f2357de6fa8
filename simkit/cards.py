"""Cards: how ranks are named and decks are counted."""

from __future__ import annotations

from collections.abc import Iterable

RANK_NAMES = {11: "J", 12: "Q", 13: "K", 14: "A"}


def rank_name(rank: int, ranks: int = 13) -> str:
    """'2' to '10', 'J', 'Q', 'K', 'A' in a deck of 13 ranks; the bare number in any other deck."""
    return RANK_NAMES.get(int(rank), str(int(rank))) if ranks == 13 else str(int(rank))


def rank_names(ranks_of_cards: Iterable[int], ranks: int = 13) -> str:
    """Several ranks in a row, separated by blanks."""
    return " ".join(rank_name(rank, ranks) for rank in ranks_of_cards)
