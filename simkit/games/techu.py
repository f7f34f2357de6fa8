"""Techu: rules page docs/rules/techu.md, sections 2 to 8.

Player 0 is Black (home row 0), player 1 Red (home row 4). A space is the number row * 5 + column; a set of spaces is an
int64 with one bit a space. A set of cards of one player is an int64 with four bits a rank: how many there are of it
(`copies` reads one). Stacks rise strictly, so one is a set of ranks, kept with the owner of each.

A move is rank * 32 + space; a discard has DISCARD in place of the space.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from simkit.cards import rank_name, rank_names
from simkit.game import (
    DRAW,
    GIVEN,
    INT,
    OVER,
    PAUSED,
    WIN,
    Column,
    Game,
    choice,
    flag,
    record,
    result_columns,
    rules_record,
    state_header,
    view_header,
    whole,
)  # fmt: skip
from simkit.jit import count_ones, kernel, lowest_one, part, write_eight
from simkit.rng import CHANCE, DEAL, below, coin, next_word, open_stream, shuffle

NAMES = ("techu",)

SPACES, SIDE = 25, 5
CARDS = 26
"""Cards of one player."""
LOWEST, ACE = 2, 14
DISCARD = 31
"""In place of the space, in a move."""
FEW = 31
"""`move & FEW` is its space, `move >> 5` its rank."""
ROUNDS = 5
"""Starter rounds at most: a home row has no more spaces (D4)."""
MOST_MOVES = 160
"""Five ranks on every space and their discards, and room for what `write_eight` writes beyond."""
GROUP, GROUPS = 7, 4
"""Spaces of which `legal` writes the moves at once."""
ONES = np.array([([k for k in range(GROUP) if bits >> k & 1] + [0] * 8)[:8] for bits in range(2**GROUP)], np.uint8).ravel()
"""For each set of GROUP spaces the numbers of its spaces, in a row of eight."""

BOARD = (1 << SPACES) - 1
FIRST_COLUMN = 0b00001_00001_00001_00001_00001
LAST_COLUMN = FIRST_COLUMN << 4
NOT_FIRST, NOT_LAST = BOARD ^ FIRST_COLUMN, BOARD ^ LAST_COLUMN
BLACK_HOME = 0b11111
RED_HOME = BLACK_HOME << 20
BLACK_CENTRE, RED_CENTRE = 2, 22
PAIRS = sum(2 << 4 * rank for rank in range(LOWEST, ACE + 1))
"""The cards of one player: two of each rank."""
RED_CARD = 16
"""In a stack: bit `rank` says that the rank is in it, bit RED_CARD + rank that this card is Red's."""
SPACE_BITS = 9
"""A space of the recorded board: rank on top (4 bits), 1 if it is Red's, cards in the stack (4 bits)."""

STARTER, TURN = 0, 1
"""Kinds of decision."""
DEALT, CHOSEN, REVEALED, DREW, ACTED = range(5)
"""What a scene shows: `state.event`."""
TWO_ON_EMPTY, THREE_ON_TWO = 1, 2

# ---------------------------------------------------------------------------------------------------- parameters (5)

ALL, LINKED = 0, 1
OPEN, HIDDEN = 0, 1
HOME_ROW, COIN = 0, 1
LOW_STARTER, HIGH_STARTER, RANDOM = range(3)
CLOSED = 1
LAST_ACTION, OWN_LAST_ACTION = 0, 1

PARAMETERS = [
    whole("hand_size", 3, 1, 5, "cards in hand when the starter is chosen; each turn draws up to it by one card"),
    choice("count_rule", "all", ("all", "linked"), "spaces that count at the end (D7)"),
    choice("discard_visibility", "open", ("open", "hidden"), "whether the opponent sees the rank of a discard (D13)"),
    choice("tie_replay", "home_row", ("home_row", "coin"), "how equal starters are settled (D3)"),
    choice("first_turn", "low_starter", ("low_starter", "high_starter", "random"), "who takes the first turn"),
    choice("opponent_home", "open", ("open", "closed"), "whether one may play on the opponent's home row (D6)"),
    flag("voluntary_discard", True, "whether one may discard although a placement is legal (D15)"),
    choice("techu_scope", "last_action", ("last_action", "own_last_action"), "the placement that may be a Techu (D10)"),
    whole("techu_value", 0, 0, 100, "extra points of a Techu (D9)"),
]
RULES = rules_record(PARAMETERS)

# -------------------------------------------------------------------------------------------------------- columns (8)


def columns() -> list[Column]:
    """What is recorded of each game."""
    seat, ranks = {"per": "seat"}, tuple(str(rank) for rank in range(LOWEST, ACE + 1))
    turns = 2 * CARDS
    return [
        *result_columns(),
        Column("points", "2 for a win, 1 for a draw, 0 for a loss, and techu_value for a Techu", 0, 16, **seat),
        Column("first_mover", "who took the first turn"),
        Column("k", "starter rounds", 0, ROUNDS + 1),
        Column("turns", "length in turns", 0, turns),
        Column("starter", "rank of the first starter", LOWEST, 13, **seat),
        Column("last_starter", "rank of the starter of the last round", LOWEST, 13, **seat),
        Column("spaces", "spaces held at the end", 0, SPACES + 1, **seat),
        Column("linked", "linked spaces at the end", 0, SPACES + 1, **seat),
        Column("empty_spaces", "spaces empty at the end", 0, SPACES + 1),
        Column("margin", "spaces counted by count_rule, winner's minus loser's", 0, SPACES + 1),
        Column("techu", "1 if the game ends with a Techu"),
        Column("techu_kind", "1 a 2 on an empty space, 2 a 3 on the opponent's 2", 0, 3),
        Column("techu_missed", "1 if the winner, with the last action, could have played a Techu and did not"),
        Column("placed_empty", "cards placed on empty spaces, starters not counted", 0, CARDS, **seat),
        Column("placed_own", "cards placed on own cards", 0, CARDS, **seat),
        Column("placed_opponent", "cards placed on the opponent's cards", 0, CARDS, **seat),
        Column("discards_voluntary", "discards while a placement was legal", 0, CARDS, **seat),
        Column("discards_forced", "discards while none was", 0, CARDS, **seat),
        Column("spaces_lost", "spaces that the opponent covered", 0, CARDS, **seat),
        Column("aces_placed", "aces placed, starters not counted", 0, 3, **seat),
        Column("aces_home", "aces placed on one's own home row", 0, 3, **seat),
        Column("aces_away", "aces placed anywhere else", 0, 3, **seat),
        Column("cut_events", "turns on which more spaces lost their link than the one covered", 0, CARDS, **seat),
        Column("spaces_cut", "how many more, in all", 0, 128, **seat),
        Column("enemy_home_placed", "cards placed on the opponent's home row", 0, CARDS, **seat),
        Column("enemy_home_first", "turn of the first of them; 0 if there is none", 0, turns, **seat),
        Column("stuck_turns", "turns without a legal placement", 0, CARDS, **seat),
        Column("lead_changes", "times another player came to hold more spaces than the last who did", 0, turns, group="all"),
        Column("last_lead_change", "turn of the last lead change; 0 if there is none", 0, turns, group="all"),
        Column("tallest_stack", "cards in the tallest stack", 0, 14, group="all"),
        Column("discarded", "cards of this rank discarded, by both", 0, 5, group="all", labels=ranks),
        Column("board", "a row of the final board; see `unpack_board`", group="all", labels=tuple("01234"), tallied=False),
    ]  # fmt: skip


# --------------------------------------------------------------------------------------------------------- the records

TABLE = record([
    ("held", INT, (2,)),  # spaces of each player
    ("linked", INT, (2,)),  # and those of them that are linked
    ("played", INT, (2,)),  # cards of each player on the board, covered ones too
    ("discards", INT, (2,)),  # cards discarded; 0 where discards are hidden
    ("discard_count", INT, (2,)),
    ("hand_size", INT, (2,)),
    ("deck_size", INT, (2,)),
    ("turn", INT),  # turns taken
    ("first_mover", INT),  # -1 until it is known
    ("k", INT),  # starter rounds that both have played
    ("starters", "u2", (2, 8)),  # each player's starters, as moves, round by round
    ("top", "u1", (32,)),  # rank on top of each space; 0 if it is empty
    ("stack", "i4", (28,)),  # for each space the ranks in it, and which are Red's (RED_CARD)
    ("history", "u2", (64,)),  # the moves of all turns; a hidden discard is DISCARD alone
])  # fmt: skip

STATE = record([
    *state_header(RULES),
    ("table", TABLE),
    ("deck", "u1", (2, 32)),  # each player's cards, front first; the last deck_size are left
    ("hand", INT, (2,)),
    ("discards", INT, (2,)),
    ("chosen", INT, (2,)),  # starters not revealed yet
    ("topped", INT, (16,)),  # by rank the spaces that it tops; by 0 the empty ones
    ("cover", INT, (16,)),  # for `legal`: by rank the spaces that it may cover
    ("to_act", INT),  # whose turn it is, or will be after a pause
    ("event", INT),  # what was seen last
    ("shown", INT),  # the move seen last
    # what is recorded
    ("last_actor", INT), ("techu_kind", INT, (2,)), ("techu_could", INT, (2,)),
    ("placed_empty", INT, (2,)), ("placed_own", INT, (2,)), ("placed_opponent", INT, (2,)),
    ("discards_forced", INT, (2,)),
    ("aces_placed", INT, (2,)), ("aces_home", INT, (2,)),
    ("cut_events", INT, (2,)), ("spaces_cut", INT, (2,)),
    ("enemy_home_placed", INT, (2,)), ("enemy_home_first", INT, (2,)),
    ("leader", INT), ("lead_changes", INT), ("last_lead_change", INT),
])  # fmt: skip
# `techu_kind`, `techu_could`: what a player's own last action was, and whether it could have been a Techu.
# `leader` is 1 for Black, -1 for Red, 0 before anybody held more spaces.

VIEW = record([
    *view_header(RULES),
    ("table", TABLE),
    ("hand", INT),  # own cards in hand
    ("discards", INT),  # own cards discarded
])  # fmt: skip

# ------------------------------------------------------------------------------------------- cards and sets of spaces


@kernel
def copies(cards, rank):
    """How many cards of this rank are in a set of cards."""
    return (cards >> (4 * rank)) & 15


@kernel
def home(seat):
    """A player's home row."""
    return np.int64(RED_HOME) if seat == 1 else np.int64(BLACK_HOME)


@kernel
def near(spaces):
    """The spaces above, below, left and right of these."""
    upright = (spaces << 5) | (spaces >> 5)
    return (upright | ((spaces & NOT_LAST) << 1) | ((spaces & NOT_FIRST) >> 1)) & BOARD


@kernel
def fill(begin, held):
    """The spaces of `held` that a chain within `held` joins to some of `begin`, which lies in `held`."""
    found = begin
    while True:
        grown = (found | near(found)) & held
        if grown == found:
            return found
        found = grown


@kernel
def links(held, seat):
    """The linked ones among the spaces that a player holds (rule 2)."""
    return fill(held & home(seat), held)


@kernel
def reach(linked, seat, closed):
    """The spaces that satisfy rule 2 for a player with these linked spaces."""
    spaces = home(seat) | linked | near(linked)
    return spaces & ~home(1 - seat) if closed == CLOSED else spaces


@kernel
def unseen(view):
    """The opponent's cards that the viewer has not seen: hand, deck, and discards if they are hidden."""
    return PAIRS - view.table.played[1 - view.seat] - view.table.discards[1 - view.seat]


@kernel
def own_deck(view):
    """The cards left in one's own deck."""
    return PAIRS - view.table.played[view.seat] - view.discards - view.hand


# ----------------------------------------------------------------------------------------------------------- set-up (2)


@kernel
def clear(state):
    """An empty board, no cards anywhere, nothing recorded."""
    state.seats = 2
    state.decision = STARTER
    table = state.table
    for s in range(2):
        table.held[s] = 0
        table.linked[s] = 0
        table.played[s] = 0
        table.discards[s] = 0
        table.discard_count[s] = 0
        table.hand_size[s] = 0
        table.deck_size[s] = CARDS
        state.hand[s] = 0
        state.discards[s] = 0
        state.chosen[s] = 0
    table.turn = 0
    table.first_mover = -1
    table.k = 0
    for s in range(2):
        for k in range(8):
            table.starters[s, k] = 0
    for space in range(32):
        table.top[space] = 0
    for space in range(28):
        table.stack[space] = 0
    for turn in range(64):
        table.history[turn] = 0
    for rank in range(16):
        state.topped[rank] = 0
    state.topped[0] = BOARD
    state.event = DEALT
    state.shown = 0
    forget(state)


@part
def forget(state):
    """Nothing is recorded yet."""
    state.last_actor = 0
    for s in range(2):
        state.techu_kind[s] = 0
        state.techu_could[s] = 0
        state.placed_empty[s] = 0
        state.placed_own[s] = 0
        state.placed_opponent[s] = 0
        state.discards_forced[s] = 0
        state.aces_placed[s] = 0
        state.aces_home[s] = 0
        state.cut_events[s] = 0
        state.spaces_cut[s] = 0
        state.enemy_home_placed[s] = 0
        state.enemy_home_first[s] = 0
    state.leader = 0
    state.lead_changes = 0
    state.last_lead_change = 0


@part
def draw(state, seat):
    """A player takes the front card of their deck."""
    left = state.table.deck_size[seat]
    card = np.int64(state.deck[seat, CARDS - left])
    state.hand[seat] += np.int64(1) << (4 * card)
    state.table.deck_size[seat] = left - 1
    state.table.hand_size[seat] += 1


@kernel
def start(state):
    """Shuffles, deals the hands, and asks Black for a starter."""
    clear(state)
    if state.dealing != GIVEN:
        for s in range(2):
            for k in range(CARDS):
                state.deck[s, k] = LOWEST + (k >> 1)
        open_stream(state.rng, state.key[0], state.key[1], DEAL)
        shuffle(state.rng, state.deck[0], CARDS)
        shuffle(state.rng, state.deck[1], CARDS)
    for _ in range(state.rules.hand_size):
        draw(state, 0)
        draw(state, 1)
    state.seat = 0


@kernel
def lay(state, seat, rank, space):
    """Put a card on a space, face up, whoever holds it; the links are the caller's."""
    table = state.table
    bit = np.int64(1) << space
    below = np.int64(table.top[space])
    state.topped[below] ^= bit
    state.topped[rank] |= bit
    table.top[space] = rank
    table.stack[space] |= ((seat << RED_CARD) | 1) << rank
    table.played[seat] += np.int64(1) << (4 * rank)
    table.held[seat] |= bit
    return below


@part
def take_from_hand(state, seat, rank):
    """A card leaves the hand."""
    state.hand[seat] -= np.int64(1) << (4 * rank)
    state.table.hand_size[seat] -= 1


@part
def reveal(state):
    """Both starters are in: lay them, and find who moves first, if that is settled (section 2, steps 2 to 4)."""
    table = state.table
    for s in range(2):
        move = state.chosen[s]
        take_from_hand(state, s, move >> 5)
        lay(state, s, move >> 5, move & FEW)
        table.linked[s] = table.held[s]
        table.starters[s, table.k] = move
        state.chosen[s] = 0
    table.k += 1
    state.event = REVEALED
    black = np.int64(table.starters[0, table.k - 1]) >> 5
    red = np.int64(table.starters[1, table.k - 1]) >> 5
    rules = state.rules
    if rules.first_turn == RANDOM or (black == red and (rules.tie_replay == COIN or table.k == ROUNDS)):
        open_stream(state.rng, state.key[0], state.key[1], CHANCE)
        table.first_mover = coin(state.rng)
    elif black != red:
        table.first_mover = np.int64((red < black) == (rules.first_turn == LOW_STARTER))
    state.to_act = table.first_mover


# ------------------------------------------------------------------------------------------------------------ turns (3)


@part
def proceed(state):
    """On to the next decision: a further starter round, or a turn, which begins with a draw."""
    table = state.table
    if table.first_mover < 0:
        draw(state, 0)
        draw(state, 1)
        state.decision = STARTER
        state.seat = 0
    else:
        state.decision = TURN
        state.seat = state.to_act
        if table.deck_size[state.seat] > 0:
            draw(state, state.seat)
    state.event = DREW


@part
def starters(state, moves):
    """The starters to choose from: the home centre in the first round, then any empty space of the home row (D3)."""
    seat = state.seat
    spaces = home(seat) & state.topped[0]
    if state.table.k == 0:
        spaces = np.int64(1) << (RED_CENTRE if seat == 1 else BLACK_CENTRE)
    n = np.int64(0)
    for rank in range(LOWEST, ACE + 1):
        if copies(state.hand[seat], rank) > 0:
            left = spaces
            while left != 0:
                moves[n] = rank * 32 + lowest_one(left)
                left &= left - 1
                n += 1
    return n


@kernel
def legal(state, moves):
    """Ascending: by rank, then space, a rank's discard last."""
    if state.decision == STARTER:
        return starters(state, moves)
    seat = state.seat
    open_spaces = reach(state.table.linked[seat], seat, state.rules.opponent_home)
    spaces = np.int64(0)
    for rank in range(ACE):
        spaces |= state.topped[rank]
        state.cover[rank + 1] = spaces & open_spaces
    may_discard = np.int64(1)
    if state.rules.voluntary_discard == 0:
        may_discard = np.int64(not can_place(state, seat))
    n = np.int64(0)
    cards = state.hand[seat]
    while cards != 0:
        rank = lowest_one(cards) >> 2
        cards &= ~(np.int64(15) << (4 * rank))
        # One move for each bit of cover[rank]; what is written beyond them is written over.
        left, base = state.cover[rank], rank * 32
        for group in range(GROUPS):
            bits = (left >> (GROUP * group)) & (2**GROUP - 1)
            write_eight(moves, n, base + GROUP * group, ONES, bits)
            n += count_ones(bits)
        moves[n] = base + DISCARD
        n += may_discard
    return n


@part
def can_place(state, seat):
    """Whether a placement is legal: the highest card in hand decides, as it may cover whatever a lower one may."""
    highest = np.int64(ACE)
    while copies(state.hand[seat], highest) == 0:
        highest -= 1
    spaces = np.int64(0)
    for rank in range(highest):
        spaces |= state.topped[rank]
    return (spaces & reach(state.table.linked[seat], seat, state.rules.opponent_home)) != 0


@kernel
def observe(state, seat, view):
    """Section 7: the table, and one's own hand and discards."""
    view.seat = seat
    view.decision = state.decision
    view.table = state.table
    view.hand = state.hand[seat]
    view.discards = state.discards[seat]


@part
def note_techu(state, seat, rank, space):
    """A player's last card: whether it is played as a Techu, and whether it could be."""
    table = state.table
    spaces = np.int64(0)
    if rank == 2:
        spaces = state.topped[0]
    elif rank == 3:
        spaces = state.topped[2] & table.held[1 - seat]
    spaces &= reach(table.linked[seat], seat, state.rules.opponent_home)
    state.techu_could[seat] = np.int64(spaces != 0)
    state.techu_kind[seat] = rank - 1 if (spaces >> space) & 1 else 0


@part
def unlink(state, seat, bit):
    """A linked space of this player has been covered: what is still linked."""
    table = state.table
    rest = table.linked[seat] & ~bit
    around = near(bit) & rest
    after = rest
    # A space off the home row with one linked neighbour carries no other's link, and one without any carries none.
    if around != 0 and ((around & (around - 1)) != 0 or (bit & home(seat)) != 0):
        after = fill(rest & home(seat), rest)
        cut = count_ones(rest ^ after)
        state.cut_events[seat] += np.int64(cut > 0)
        state.spaces_cut[seat] += cut
    table.linked[seat] = after


@part
def place(state, seat, rank, space):
    """place(v, x)."""
    table = state.table
    other = 1 - seat
    bit = np.int64(1) << space
    below = lay(state, seat, rank, space)
    if below == 0:
        state.placed_empty[seat] += 1
    elif (table.held[other] & bit) != 0:
        state.placed_opponent[seat] += 1
        table.held[other] ^= bit
        if (table.linked[other] & bit) != 0:
            unlink(state, other, bit)
    else:
        state.placed_own[seat] += 1
    linked = table.linked[seat] | bit
    held = table.held[seat]
    if (near(bit) & held & ~linked) != 0:
        linked = fill(linked, held)
    table.linked[seat] = linked
    if (bit & home(other)) != 0:
        state.enemy_home_placed[seat] += 1
        if state.enemy_home_first[seat] == 0:
            state.enemy_home_first[seat] = table.turn
    if rank == ACE:
        state.aces_placed[seat] += 1
        state.aces_home[seat] += np.int64((bit & home(seat)) != 0)


@part
def follow_lead(state):
    """After a turn: whether another player holds more spaces than the last who did."""
    ahead = count_ones(state.table.held[0]) - count_ones(state.table.held[1])
    if ahead * state.leader < 0:
        state.lead_changes += 1
        state.last_lead_change = state.table.turn
    if ahead != 0:
        state.leader = 1 if ahead > 0 else -1


@part
def act(state, move):
    """A turn's action (section 3, step 2)."""
    table = state.table
    seat, rank, space = state.seat, move >> 5, move & FEW
    if table.deck_size[seat] == 0 and table.hand_size[seat] == 1:
        note_techu(state, seat, rank, space)
    turn = table.turn
    table.turn = turn + 1
    if space == DISCARD:
        hidden = state.rules.discard_visibility == HIDDEN
        table.history[turn] = DISCARD if hidden else move
        state.discards_forced[seat] += np.int64(not can_place(state, seat))
        card = np.int64(1) << (4 * rank)
        state.discards[seat] += card
        table.discard_count[seat] += 1
        if not hidden:
            table.discards[seat] += card
    else:
        table.history[turn] = move
        place(state, seat, rank, space)
        if state.detail == 1:
            follow_lead(state)
    take_from_hand(state, seat, rank)
    state.last_actor = seat
    state.event = ACTED
    other = 1 - seat
    if table.hand_size[other] + table.deck_size[other] > 0:
        state.to_act = other
    elif table.hand_size[seat] + table.deck_size[seat] == 0:
        state.to_act = OVER


@kernel
def step(state, move):
    """A starter, or a turn's action; then on to the next decision or to the end."""
    if state.seat >= 0:
        state.shown = move
        if state.decision == STARTER:
            state.chosen[state.seat] = move
            if state.seat == 0:
                state.seat = 1
                state.event = CHOSEN
                return
            reveal(state)
        else:
            act(state, move)
            if state.to_act == OVER:
                state.seat = OVER
                return
        if state.watch == 1:
            state.seat = PAUSED
            return
    proceed(state)


# ------------------------------------------------------------------------------------------------------ the result (4)


@kernel
def score(state, result):
    """Section 8: the row of a finished game."""
    table, rules = state.table, state.rules
    counted = table.linked if rules.count_rule == LINKED else table.held
    ahead = count_ones(counted[0]) - count_ones(counted[1])
    winner = np.int64(ahead < 0) if ahead != 0 else np.int64(-1)
    kind, missed = np.int64(0), np.int64(0)
    if winner >= 0 and (winner == state.last_actor or rules.techu_scope == OWN_LAST_ACTION):
        kind = state.techu_kind[winner]
    if winner >= 0 and winner == state.last_actor and kind == 0:
        missed = state.techu_could[winner]
    result.outcome = WIN if winner >= 0 else DRAW
    result.winner = winner
    result.first_mover = table.first_mover
    result.k = table.k
    result.turns = table.turn
    result.empty_spaces = count_ones(state.topped[0])
    result.margin = abs(ahead)
    result.techu = np.int64(kind != 0)
    result.techu_kind = kind
    result.techu_missed = missed
    for s in range(2):
        payoff = np.int64(1) if winner < 0 else 2 * np.int64(winner == s)
        result.payoff[s] = payoff
        result.points[s] = payoff + rules.techu_value * np.int64(kind != 0 and winner == s)
        result.starter[s] = np.int64(table.starters[s, 0]) >> 5
        result.last_starter[s] = np.int64(table.starters[s, max(table.k - 1, 0)]) >> 5
        result.spaces[s] = count_ones(table.held[s])
        result.linked[s] = count_ones(table.linked[s])
        result.placed_empty[s] = state.placed_empty[s]
        result.placed_own[s] = state.placed_own[s]
        result.placed_opponent[s] = state.placed_opponent[s]
        result.discards_voluntary[s] = table.discard_count[s] - state.discards_forced[s]
        result.discards_forced[s] = state.discards_forced[s]
        result.spaces_lost[s] = state.placed_opponent[1 - s]
        result.aces_placed[s] = state.aces_placed[s]
        result.aces_home[s] = state.aces_home[s]
        result.aces_away[s] = state.aces_placed[s] - state.aces_home[s]
        result.cut_events[s] = state.cut_events[s]
        result.spaces_cut[s] = state.spaces_cut[s]
        result.enemy_home_placed[s] = state.enemy_home_placed[s]
        result.enemy_home_first[s] = state.enemy_home_first[s]
        result.stuck_turns[s] = state.discards_forced[s]  # without a placement, a turn is a forced discard
    result.lead_changes = state.lead_changes
    result.last_lead_change = state.last_lead_change
    if state.detail == 1:
        tallest = np.int64(0)
        for row in range(SIDE):
            packed = np.int64(0)
            for column in range(SIDE):
                space = SIDE * row + column
                cards = count_ones(np.int64(table.stack[space]) & ((1 << RED_CARD) - 1))
                tallest = max(tallest, cards)
                red = (table.held[1] >> space) & 1
                packed |= (np.int64(table.top[space]) + 16 * red + 32 * cards) << (SPACE_BITS * column)
            result.board[row] = packed
        result.tallest_stack = tallest
        discarded = state.discards[0] + state.discards[1]
        for k in range(ACE - LOWEST + 1):
            result.discarded[k] = copies(discarded, LOWEST + k)


# ---------------------------------------------------------------------------------------------- a guess at hidden cards


@part
def spread(cards, deck):
    """Write a set of cards one by one; returns how many."""
    n = np.int64(0)
    for rank in range(LOWEST, ACE + 1):
        for _ in range(copies(cards, rank)):
            deck[n] = rank
            n += 1
    return n


@kernel
def guess(view, state):
    """A state that gives this view: hidden cards are drawn from the view's own stream, nothing is recorded yet."""
    seat, other = view.seat, 1 - view.seat
    table = view.table
    clear(state)
    state.rules = view.rules
    state.table = table
    state.watch = 0
    state.dealing = 0
    state.key[0] = np.int64(next_word(view.rng) >> np.uint64(1))
    state.key[1] = np.int64(next_word(view.rng) >> np.uint64(1))
    state.decision = view.decision
    state.seat = seat
    state.to_act = seat
    state.event = DREW
    state.topped[0] = 0
    for space in range(SPACES):
        state.topped[np.int64(table.top[space])] |= np.int64(1) << space
    # Own deck: what has not come up yet, in any order.
    state.hand[seat] = view.hand
    state.discards[seat] = view.discards
    left = spread(own_deck(view), state.deck[seat])
    shuffle(view.rng, state.deck[seat], left)
    to_the_end(state, seat, left)
    # The opponent's unseen cards: first the hand, then hidden discards, then the deck.
    cards = spread(unseen(view), state.deck[other])
    shuffle(view.rng, state.deck[other], cards)
    state.discards[other] = table.discards[other]
    hand, deck = table.hand_size[other], table.deck_size[other]
    for k in range(cards - deck):
        card = np.int64(1) << (4 * np.int64(state.deck[other, k]))
        if k < hand:
            state.hand[other] += card
        else:
            state.discards[other] += card
    to_the_end(state, other, cards)
    if view.decision == STARTER and seat == 1:
        choose_starter(view, state)


@part
def to_the_end(state, seat, cards):
    """Move the deck's first `cards` cards to its end, where `draw` looks for them."""
    for k in range(1, cards + 1):
        state.deck[seat, CARDS - k] = state.deck[seat, cards - k]


@part
def choose_starter(view, state):
    """Black's starter, which Red does not see yet: any legal one, each as likely."""
    state.seat = 0
    spaces = home(0) & state.topped[0] if state.table.k > 0 else np.int64(1) << BLACK_CENTRE
    seen = np.int64(0)
    for rank in range(LOWEST, ACE + 1):
        if copies(state.hand[0], rank) > 0:
            left = spaces
            while left != 0:
                seen += 1
                if below(view.rng, seen) == 0:
                    state.chosen[0] = rank * 32 + lowest_one(left)
                left &= left - 1
    state.seat = 1


# -------------------------------------------------------------------------------------------------- to look at and tell


def unpack_board(rows: np.ndarray) -> dict[str, np.ndarray]:
    """The final boards of games from their columns board_0 … board_4, an int64 array (games, 5).

    Three arrays (games, 25), a column a space, row 0 first: `rank` on top (0: the space is empty), `holder` (0 Black, 1 Red,
    -1 nobody), `cards` in the stack.
    """
    spaces = (rows[:, :, None] >> SPACE_BITS * np.arange(SIDE)) & ((1 << SPACE_BITS) - 1)
    spaces = spaces.reshape(len(rows), SPACES)
    rank = spaces & 15
    return {"rank": rank, "holder": np.where(rank > 0, (spaces >> 4) & 1, -1), "cards": spaces >> 5}


COLOURS = ("Black", "Red")


def listed(cards: int) -> list[int]:
    """The ranks of a set of cards, ascending."""
    return [rank for rank in range(LOWEST, ACE + 1) for _ in range(int(cards) >> 4 * rank & 15)]


def space_text(space: int) -> str:
    """'(row,col)'."""
    return f"({space // SIDE},{space % SIDE})"


def move_text(move: int, decision: int = 0) -> str:
    """'place 7 on (0,2)', 'discard Q'."""
    rank, space = rank_name(int(move) >> 5), int(move) & FEW
    return f"discard {rank}" if space == DISCARD else f"place {rank} on {space_text(space)}"


def scene(state) -> dict:
    """All there is to see: the board with its stacks, hands, decks, and what happened last."""
    table, rules = state["table"], state["rules"]

    def stack(space):
        cards = int(table["stack"][space])
        return [["BR"[cards >> RED_CARD + rank & 1], rank] for rank in range(LOWEST, ACE + 1) if cards >> rank & 1]

    def deck(s):
        return [int(card) for card in state["deck"][s][CARDS - int(table["deck_size"][s]) : CARDS]]

    event = int(state["event"])
    k, turn = int(table["k"]), int(table["turn"])
    return {
        "event": ("dealt", "chosen", "revealed", "drew", "acted")[event],
        "turn": turn,
        "k": k,
        "seat": int(state["last_actor"]) if event == ACTED else int(state["seat"]),
        "move": int(state["shown"]) if event == ACTED else -1,
        "chosen": [int(state["chosen"][s]) or -1 for s in range(2)],
        "starters": [[int(table["starters"][s][round_]) for round_ in range(k)] for s in range(2)],
        "first_mover": int(table["first_mover"]),
        "stacks": [stack(space) for space in range(SPACES)],
        "spaces": [int(table["held"][s]).bit_count() for s in range(2)],
        "linked": [int(table["linked"][s]).bit_count() for s in range(2)],
        "linked_spaces": [[space for space in range(SPACES) if int(table["linked"][s]) >> space & 1] for s in range(2)],
        "hands": [listed(state["hand"][s]) for s in range(2)],
        "decks": [deck(s) for s in range(2)],
        "discards": [listed(state["discards"][s]) for s in range(2)],
        "over": int(state["seat"]) == OVER,
        "count_rule": ("all", "linked")[int(rules["count_rule"])],
        "discard_visibility": ("open", "hidden")[int(rules["discard_visibility"])],
    }


def seen(now: dict, seat: int) -> dict:
    """Section 7: what of a scene a player may know. No deck's order, not the other's hand, choice of a starter, or hidden discards."""
    other, hidden = 1 - seat, now["discard_visibility"] == "hidden"
    discarded = now["move"] >= 0 and now["move"] & FEW == DISCARD

    def but(name, value):
        return [value if s == other else now[name][s] for s in range(2)]

    return now | {
        "viewer": seat,
        "hands": but("hands", len(now["hands"][other])),
        "decks": [len(deck) for deck in now["decks"]],
        "chosen": but("chosen", None),
        "discards": but("discards", len(now["discards"][other])) if hidden else now["discards"],
        "move": None if hidden and discarded and now["seat"] == other else now["move"],
    }


def count_of(cards: list[int] | int) -> int:
    """How many cards these are, also where only their number is known."""
    return cards if isinstance(cards, int) else len(cards)


def hand_lines(now: dict) -> list[str]:
    """A line a player: the hand, and how many cards are left in the deck."""

    def hand_text(hand):
        if isinstance(hand, int):
            return f"{hand} card{'' if hand == 1 else 's'}" if hand else "nothing"
        return rank_names(hand) or "nothing"

    return [f"  {COLOURS[s]} holds {hand_text(now['hands'][s])}; {count_of(now['decks'][s])} in the deck" for s in range(2)]


def not_out(now: dict, seat: int, own: bool) -> str:
    """Which of a player's cards are not out yet: the deck to their own eyes; hand, deck and hidden discards to the other's."""
    left = [rank for rank in range(LOWEST, ACE + 1) for _ in range(2)]
    out = [rank for stack in now["stacks"] for colour, rank in stack if colour == "BR"[seat]]
    if own or now["discard_visibility"] == "open":
        out += now["discards"][seat]
    for rank in out + (now["hands"][seat] if own else []):
        left.remove(rank)
    return rank_names(left) or "nothing"


def known_lines(now: dict) -> list[str]:
    """Section 7, 1 and 5: what the player to act knows by counting."""
    seat = now["seat"]
    if now.get("viewer", seat) != seat:
        return []
    other = COLOURS[1 - seat]
    where = "hand, deck and discards" if now["discard_visibility"] == "hidden" else "hand and deck"
    return [
        f"  {COLOURS[seat]} knows: in the own deck {not_out(now, seat, True)}",
        f"    in {other}'s {where} {not_out(now, 1 - seat, False)}",
    ]


def board_lines(now: dict) -> list[str]:
    """The grid, row 0 first; a card that is cut off is in brackets."""
    linked = {space for spaces in now["linked_spaces"] for space in spaces}

    def cell(space):
        if not now["stacks"][space]:
            return "."
        colour, rank = now["stacks"][space][-1]
        text = f"{colour}{rank_name(rank)}"
        return text if space in linked else f"({text})"

    homes = {0: "  Black's home", SIDE - 1: "  Red's home"}
    rows = [" ".join(cell(row * SIDE + column).rjust(6) for column in range(SIDE)) + homes.get(row, "") for row in range(SIDE)]
    head = " ".join(f"{column}".rjust(6) for column in range(SIDE))
    return [f"   column {head}", *(f"    row {row} {text}" for row, text in enumerate(rows))]


def tell(now: dict, before: dict | None = None) -> list[str]:
    """A scene, or what is seen of it, in the rules page's words, a line a fact; `before` is the scene before it."""
    if now["event"] == "chosen":
        return []
    if now["event"] == "dealt":
        return [
            "Black is seat 0 with home row 0, Red is seat 1 with home row 4.",
            "A space is (row,column). B7: a Black 7 on top; (B7): the same, cut off; a dot: empty.",
            "Cards are dealt",
            *hand_lines(now),
        ]
    if now["event"] == "drew":
        if now["first_mover"] < 0:
            return ["The starters tie: both draw, and choose again", *hand_lines(now)]
        return [f"Turn {now['turn'] + 1}, {COLOURS[now['seat']]}", *hand_lines(now), *known_lines(now)]
    if now["event"] == "revealed":
        laid = (
            f"{COLOURS[s]} {rank_name(starters[-1] >> 5)} on {space_text(starters[-1] & FEW)}" for s, starters in enumerate(now["starters"])
        )
        lines = [f"Starters of round {now['k']}: {', '.join(laid)}"]
        if now["first_mover"] >= 0:
            lines.append(f"  {COLOURS[now['first_mover']]} takes the first turn")
        return lines + board_lines(now)
    spaces = f"spaces: Black {now['spaces'][0]}, Red {now['spaces'][1]}"
    links = f" (linked {now['linked'][0]} and {now['linked'][1]})" if now["linked"] != now["spaces"] else ""
    made = "discard, face down" if now["move"] is None else move_text(now["move"])
    return [f"  {COLOURS[now['seat']]}: {made}; {spaces}{links}", *board_lines(now), *end_lines(now)]


def end_lines(now: dict) -> list[str]:
    """Who wins, at the end."""
    if not now["over"]:
        return []
    black, red = now["spaces"] if now["count_rule"] == "all" else now["linked"]
    counted = "spaces" if now["count_rule"] == "all" else "linked spaces"
    if black == red:
        return [f"A draw with {black} {counted} each after {now['turn']} turns."]
    return [f"{COLOURS[int(red > black)]} wins with {max(black, red)} {counted} to {min(black, red)} after {now['turn']} turns."]


CARD = r"(?:10|[2-9JQKA])"
STYLES = (
    (r"^Turn .*", "bold"),
    (rf"\(?\bB{CARD}\b\)?|\bBlack\b", "bold cyan"),
    (rf"\(?\bR{CARD}\b\)?|\bRed\b", "bold red"),
    (r"^   column.*|^    row \d| \.(?= |$)", "dim"),
)
"""How a terminal shows it: Black's cards in cyan, as black would not show everywhere."""


# ------------------------------------------------------------------------------------------------------------ the game


def hidden_cells(rules: Mapping) -> set[str]:
    """What cannot happen under these rules."""
    hidden = set()
    if rules["opponent_home"] == "closed":
        hidden |= {f"{name}_{s}" for name in ("enemy_home_placed", "enemy_home_first") for s in range(2)}
    if not rules["voluntary_discard"]:
        hidden |= {f"discards_voluntary_{s}" for s in range(2)}
    return hidden


def games() -> list[Game]:
    """The game of this file."""
    return [
        Game(
            name="techu", title="Techu", version=1, rules_page="docs/rules/techu.md", parameters=PARAMETERS, columns=columns(),
            rules=RULES, state=STATE, view=VIEW, largest_seats=2, largest_moves=MOST_MOVES, start=start, legal=legal,
            observe=observe, step=step, score=score, scene=scene, tell=tell, guess=guess, decisions=("starter", "turn"), best_player="thrifty",
            seen=seen, styles=STYLES, move_text=move_text, joints=(("starter_0", "winner"), ("starter_1", "winner"), ("first_mover", "winner")),
            hidden_cells=hidden_cells,
        )
    ]  # fmt: skip
