"""A given hand: one seat is dealt the cards that the state names, and all else is dealt at random."""

from __future__ import annotations

from simkit.jit import part
from simkit.rng import shuffle


@part
def shuffle_given_hand(state, cards):
    """Bring deck[:cards] into an order that begins with the given hand: its cards in random order, then all others in random order.

    Every such order (of cards that can be told apart) is equally likely: the hand and the rest are shuffled each by itself. The
    deck must stand in the same order before each deal, or the number of a deal would not make the deal.
    """
    deck, size = state.deck, state.hand_size
    for k in range(size):
        for place in range(k, cards):
            if deck[place] == state.hand_cards[k]:
                deck[place] = deck[k]
                deck[k] = state.hand_cards[k]
                break
    shuffle(state.rng, deck[:size], size)
    shuffle(state.rng, deck[size:cards], cards - size)
