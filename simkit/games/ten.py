"""TEN: rules page docs/rules/ten.md, sections 1 to 5 and 9.

A card is a *kind*, an integer: colour * 9 + number - 1 for a colour number (colours red, blue, orange, green), then the
colour wilds, the numbered wilds 1 to 9, the full wild, and currency by value. Cards are counted in *piles* of six
int64 words: four bits a kind, a word a colour; a word for the wilds; eight bits a value for currency.

The game runs from decision to decision through phases (`advance`). A decision with one legal move is not asked.
Everything is public but the order of the deck, so nearly the whole state is the table that views share.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from simkit.game import (
    DRAW as DRAWN_GAME,
)  # fmt: skip
from simkit.game import (
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
)
from simkit.games._ten_score import (
    COLOURS,
    EVERY,
    KEPT_BITS,
    NUMBERS,
    POINTS,
    ROWS,
    WAYS,
    can_tabulate,
    colour_of,
    fillers_of,
    full_runs_in,
    gain_with_few,
    has_few,
    has_single,
    kept_points,
    needed_in,
    optimal_score,
    optimum,
    points_at,
    points_in,
    points_with,
    run_in,
    scale_of,
    tabulate,
    tabulated,
    tabulated_without,
)  # fmt: skip
from simkit.jit import (
    BLOCK,
    EIGHT,
    LINE,
    copy_block,
    copy_line,
    count_ones,
    inlined,
    kernel,
    lowest_one,
    part,
    place_of,
    wide_multiply,
    write_at,
    write_run,
)
from simkit.rng import CHANCE, DEAL, below, next_word, open_stream, shuffle

NAMES = ("ten",)

SEATS = 5
HASH, NUMBERED, FULL, CURRENCY, KINDS = 36, 40, 49, 50, 55
"""The first colour wild, numbered wild, full wild and currency card among the kinds, and how many kinds there are."""
WILD_WORD, CURRENCY_WORD, WORDS = 4, 5, 6
"""The words of a pile after those of the colours."""
WORD = np.array([k // NUMBERS if k < HASH else WILD_WORD if k < CURRENCY else CURRENCY_WORD for k in range(KINDS)])
"""For each kind its word in a pile."""
SHIFT = np.array([4 * (k % NUMBERS) if k < HASH else 4 * (k - HASH) if k < CURRENCY else 8 * (k - CURRENCY) for k in range(KINDS)])
"""For each kind where its count begins in that word."""
KIND_BITS = 63
"""All bits of a kind."""
MOST_CARDS = 255
MOST_MOVES = 4800 + EIGHT
"""A bid goes up to full means: coins from all currency, a bust token a turn, every card, in the richest rules. They are written EIGHT at a time."""
MOST_EVENTS = 2048
MOST_TURNS = MOST_CARDS + 2
"""Turns of a game, one a card at most, counted from 1."""

DRAW_OR_STOP, REWARD, BID, PAYMENT, PURCHASE = range(5)
"""Kinds of decision."""
DECISIONS = ("draw", "reward", "bid", "payment", "purchase")
DRAW, STOP = 0, 1
NUMBERS_REWARD, MONEY_REWARD = 0, 1
PASS = NONE = -1
"""No bid, no purchase; a bid is its amount, a purchase its kind."""
STAGE = 4096
"""A payment is decided in stages: a move is stage * STAGE + a number."""
CANONICAL, TOKENS, COINS, CARDS, CARD = range(5)
"""The canonical payment (2.8); or how many bust tokens, coins, cards; then which cards, one by one."""
OPEN = -1
"""A stage of a payment not settled yet."""
CARD_SHARE = 1_000_000
"""Risks are recorded in millionths."""

DRAWING, ASKING, REWARDING, BIDDING, PAYING, PAYING_CANONICALLY, BUYING, ENDING_TURN, NEXT_BUYER, FINISHED = range(10)
"""Phases. What plays one returns the next, or ASKED."""
ASKED = -1
"""A question is put: the game runs on with its answer."""
ENTRIES = LINE // 2
"""Entries of the history that are copied at a time: all that a few turns add."""
MIX = np.uint64(0x9E3779B97F4A7C15)
"""A multiplier with bits everywhere, for the hash of the history."""
EVENT = 8192
"""An entry of the history is what * EVENT + a number."""
TURN_OF, DREW, BADE, RESULT, PAID_TOKENS, PAID_COINS, PAID_CARD, BOUGHT = range(8)
"""What happened: a turn (seat), a draw (kind), a bid (amount + 1, 0 a pass), a turn's result, a payment, a purchase (kind + 1, 0 none)."""
RESULT_NUMBERS, RESULT_MONEY, RESULT_NUMBER_BUST, RESULT_CURRENCY_BUST, RESULT_EMPTY = range(5)
FINAL_PHASE_OF = 8
"""As a turn's number: FINAL_PHASE_OF + seat is that seat's extra buy phase (2.9)."""

# ---------------------------------------------------------------------------------------------------- parameters (3)

SCALED, WHOLE_DECK = 0, 1
EVEN, LOW_HEAVY = 1, 2
NO_FLOOR = 0
EACH = 0
TO_DISCARD, TO_MARKET, TO_ACTIVE = 0, 1, 2
BOTH, ONLY_BUY, ONLY_AUCTION, NEVER = range(4)
IRREDUNDANT, ANY = 0, 1
NO_LIMIT = 1 << 40
"""In place of a limit that is not there."""
COIN_TIE_BREAK, CARD_TIE_BREAK = (0, 1), (0, 2)
"""The values of tie_breaks that compare coins, and cards."""
UP_TO_8 = ("deck", *range(9))
UP_TO_4 = ("deck", *range(5))


PRICED = np.array(
    [sum(1 << k for k in range(FULL) if (k < HASH and k % NUMBERS < money) or NUMBERED <= k < NUMBERED + money) for money in range(10)]
)
"""For each sum of money up to 9 a bit for each kind with a printed number that costs no more."""
HASH_PRICED = sum(1 << k for k in (*range(HASH, NUMBERED), FULL))
"""A bit for each kind that costs hash_price."""


def amount(low: int, high: int) -> tuple:
    """The legal values of a limit that may also be missing."""
    return (*range(low, high + 1), "none")


CURRENCY_LIMITS, COIN_SUPPLIES, TOKEN_SUPPLIES, COIN_LIMITS = amount(5, 30), amount(0, 250), amount(0, 60), amount(5, 50)

PARAMETERS = [
    whole("players", 4, 1, SEATS, "players; 1 with solo only"),
    choice("deck", "scaled_v1", ("scaled_v1", "full"), "the cards by number of players, or all 129 (D3)"),
    choice("number_copies_low", "deck", UP_TO_8, "copies of each colour number 1 to 6 (D3)"),
    choice("number_copies_high", "deck", UP_TO_8, "copies of each colour number 7 to 9 (D3)"),
    choice("colour_wilds", "deck", UP_TO_4, "# cards of each colour (D1)"),
    *(choice(f"numbered_wilds_{n}", "deck", UP_TO_4, f"numbered wilds {n} (D1)") for n in range(1, NUMBERS + 1)),
    choice("full_wilds", "deck", UP_TO_4, "full wilds (D1)"),
    choice("currency_counts", "deck", ("deck", "even", "low_heavy"), "6/6/5/5/5 or 9/7/5/4/2 currency cards of 1 to 5 (D2)"),
    *(choice(f"currency_{v}", "listed", ("listed", *range(21)), f"currency cards of value {v}, if not as listed (D2)") for v in range(1, 6)),
    whole("bust_limit", 10, 6, 30, "the largest running total that is no number bust (D4)"),
    choice("currency_bust_limit", 10, CURRENCY_LIMITS, "the largest sum of currency that is no currency bust (D4)"),
    choice("running_floor", "none", ("none", 0), "what the running total cannot fall below (D5)"),
    flag("reward_must_be_nonempty", True, "whether stopping needs a card, and a reward one of its kind (D6)"),
    choice("payout_split", "each", ("each", "shared_floor"), "whether each other player gains C, or an equal share of it (D7)"),
    whole("min_bid", 1, 0, 5, "the lowest bid (D8)"),
    choice("unsold_wild", "discard", ("discard", "market", "active_free"), "where a wild goes that nobody bids for (D9)"),
    whole("hash_price", 5, 1, 10, "price of a colour wild or full wild in the market (D9)"),
    choice("cards_as_payment", "both", ("both", "buy", "auction", "none"), "where cards are money (D10)"),
    whole("card_payment_value", 1, 0, 3, "what a card is worth as money (D10)"),
    flag("wilds_as_payment", True, "whether wilds are money too (D10)"),
    choice("paid_cards_to", "discard", ("discard", "market"), "where number cards go that were paid (D11)"),
    choice("payment_rule", "irredundant", ("irredundant", "any"), "whether one may pay more pieces than needed (D12)"),
    choice("coin_supply", 50, COIN_SUPPLIES, "coins there are (D13)"),
    choice("bust_token_supply", 15, TOKEN_SUPPLIES, "bust tokens there are (D13)"),
    whole("full_run_bonus", 1, 0, 20, "extra points of a complete 1 to 9 (D14)"),
    whole("run_points", 1, 1, 5, "points of each number in a run (D14)"),
    whole("min_run", 1, 1, 3, "the shortest run that scores (D15)"),
    flag("wild_only_runs", True, "whether a run may consist of wilds alone (D16)"),
    flag("final_buy", True, "whether everyone buys once more at the end (D17)"),
    flag("final_buy_includes_last", True, "whether the player of the last turn does too (D17)"),
    choice("tie_breaks", "coins_fewest_cards_shared", ("coins_fewest_cards_shared", "coins_shared", "fewest_cards_shared", "shared"), "how ties are settled (D19)"),
    flag("tokens_public", True, "whether players see each other's coins and bust tokens (D20)"),
    choice("coin_limit", 10, COIN_LIMITS, "the most coins a player can hold (D21)"),
    whole("start_coins", 5, 0, 50, "coins at the start (D21)"),
    whole("bust_token_value", 3, 0, 10, "what a bust token is worth as money (D21)"),
    whole("buy_limit", 1, 0, 9, "cards bought in a buy phase (D21)"),
    flag("solo", False, "one player alone, by a convention of our own (D22)"),
    whole("solo_reserve", 3, 1, 10, "the lowest bid of a player alone (D22)"),
    flag("payout_on_number_bust", True, "whether a number bust pays the others (D23)"),
    flag("payout_on_currency_bust", False, "whether a currency bust does (D23)"),
    flag("money_allows_buy", False, "whether MONEY too leads to a buy phase (D23)"),
    flag("duplicate_buy_ban", True, "whether a number card one owns cannot be bought (D24)"),
    choice("start_player", "random", ("random", 0, 1, 2, 3, 4), "who starts (D25)"),
]  # fmt: skip
RULES = rules_record(PARAMETERS)

LOW_COPIES, HIGH_COPIES, COLOUR_WILDS = np.array([[3, 2, 1], [1, 1, 1], [2, 1, 1]])
"""Table 1.2: copies of 1..6, of 7..9, and colour wilds, in the decks of four or five, three, and two players."""
NUMBERED_FROM = np.array([1, 1, 7])
"""The lowest numbered wild in each of these decks."""
CURRENCY_DECKS = np.array([[6, 6, 5, 5, 5], [4, 4, 4, 4, 3], [3, 3, 2, 2, 2]])
CURRENCY_LISTS = np.array([[0] * 5, [6, 6, 5, 5, 5], [9, 7, 5, 4, 2]])
"""The currency of these decks, and of the values of currency_counts."""

# --------------------------------------------------------------------------------------------------------- columns (5)

(
    CARDS_DRAWN, WILDS_MET, TURNS_NUMBERS, TURNS_MONEY, TURNS_NUMBER_BUST, TURNS_CURRENCY_BUST, TURNS_EMPTY, TOTAL_SUM, CURRENCY_SUM,
    COINS_MONEY, COINS_RECEIVED, COINS_LOST, TOKENS_GRANTED, TOKENS_REFUSED, BIDS, AUCTIONS_WON, AUCTIONS_WON_ACTIVE,
    AUCTION_PRICE, AUCTION_COINS, AUCTION_TOKENS, AUCTION_CARDS, AUCTION_OVER, PURCHASES, PURCHASES_FINAL,
    PURCHASE_PRICE, PURCHASE_COINS, PURCHASE_TOKENS, PURCHASE_CARDS, PURCHASE_OVER, PURCHASE_GAIN,
    DRAWS, STOPS, RISK_DRAWN, RISK_STOPPED, NOTES,
) = range(35)  # fmt: skip
"""What is noted of each seat, as positions in `state.notes`."""
CLASSES, STAGES = ("hash", "numbered", "full"), ("early", "middle", "late")
SALES = tuple(f"{kind}_{stage}" for kind in CLASSES for stage in STAGES)
SHARES = 60
"""A win in shares: divisible by any number of winners."""


def columns() -> list[Column]:
    """What is recorded of each game."""
    seat, slow = {"per": "seat"}, {"per": "seat", "group": "all"}
    return [
        Column("payoff", "win_share; alone the score", 0, SHARES + 1, **seat),
        *result_columns()[1:],
        Column("draw_seats", "bit mask of the seats that share the win; 0 if one seat won", 0, 1 << SEATS),
        Column("win_share", "sixtieths of the win", 0, SHARES + 1, **seat),
        Column("first_mover", "who started", 0, SEATS),
        Column("turns", "length in turns", 0, 96),
        Column("deck_size", "cards in the deck", 0, MOST_CARDS + 1),
        Column("market_left", "cards left in the market", 0, 64),
        Column("gap", "points from the first to the second", 0, 41),
        Column("tie_break", "what left one player alone: 0 points, 1 coins, 2 fewest cards, 3 nothing", 0, 4),
        Column("auctions", "wilds drawn", 0, 64),
        Column("unsold", "auctions without a bid", 0, 64),
        Column("score", "points", 0, 41, **seat),
        Column("coins", "coins at the end", 0, 51, **seat),
        Column("bust_tokens", "bust tokens at the end", 0, 32, **seat),
        Column("cards", "cards owned at the end", 0, 96, **seat),
        *(Column(f"score_{colour}", f"points in {colour}", 0, 11, **seat) for colour in COLOUR_NAMES),
        Column("full_runs", "complete runs of 1 to 9", 0, 5, **seat),
        Column("cards_drawn", "cards drawn in own turns", 0, 128, **seat),
        Column("wilds_met", "wilds among them", 0, 32, **seat),
        Column("turns_numbers", "own turns that end with NUMBERS", 0, 48, **seat),
        Column("turns_money", "own turns that end with MONEY", 0, 48, **seat),
        Column("turns_number_bust", "own turns that end in a number bust", 0, 48, **seat),
        Column("turns_currency_bust", "own turns that end in a currency bust", 0, 16, **seat),
        Column("turns_empty", "own turns that end without a card", 0, 4, **seat),
        Column("total_sum", "sum of T at the end of own turns", -64, 512, **seat),
        Column("currency_sum", "sum of C at the end of own turns", 0, 128, **seat),
        Column("coins_money", "coins gained by MONEY, after the limit", 0, 96, **seat),
        Column("coins_received", "coins gained in other players' turns, after the limit", 0, 128, **seat),
        Column("coins_lost", "coins lost to the limit", 0, 128, **seat),
        Column("tokens_granted", "bust tokens received", 0, 48, **seat),
        Column("tokens_refused", "bust tokens due when none was left", 0, 32, **seat),
        Column("bids", "bids made, passes not counted", 0, 64, **seat),
        Column("auctions_won", "auctions won", 0, 32, **seat),
        Column("auctions_won_active", "auctions won in own turns", 0, 32, **seat),
        Column("auction_price", "sum of the prices of auctions won", 0, 192, **seat),
        Column("auction_coins", "coins paid for them", 0, 96, **seat),
        Column("auction_tokens", "bust tokens paid for them", 0, 48, **seat),
        Column("auction_cards", "cards paid for them", 0, 96, **seat),
        Column("auction_over", "overpayment for them", 0, 32, **seat),
        Column("purchases", "cards bought", 0, 48, **seat),
        Column("purchases_final", "cards bought in the final phase", 0, 12, **seat),
        Column("purchase_price", "sum of the prices of cards bought", 0, 128, **seat),
        Column("purchase_coins", "coins paid for them", 0, 96, **seat),
        Column("purchase_tokens", "bust tokens paid for them", 0, 48, **seat),
        Column("purchase_cards", "cards paid for them", 0, 96, **seat),
        Column("purchase_over", "overpayment for them", 0, 32, **seat),
        Column("purchase_gain", "sum of their gains in optimal score", 0, 64, **slow),
        Column("draws", "draws chosen where stopping was legal", 0, 64, **seat),
        Column("stops", "stops chosen where drawing was legal", 0, 48, **seat),
        Column("risk_drawn", "sum of the bust probabilities at these draws, in millionths", 0, 2, tallied=False, **slow),
        Column("risk_stopped", "sum of the bust probabilities at these stops, in millionths", 0, 2, tallied=False, **slow),
        Column("sold", "wilds sold in auctions, by class and stage of the deck", 0, 32, labels=SALES),
        Column("price", "sum of their prices", 0, 192, labels=SALES),
    ]  # fmt: skip


COLOUR_NAMES = ("red", "blue", "orange", "green")

# --------------------------------------------------------------------------------------------------------- the records

PILE = (INT, (WORDS,))
TABLE = record([
    ("turn", INT),  # turns begun
    ("active", INT),
    ("first_mover", INT),
    ("last_drawer", INT),  # who drew the last card; -1 before
    ("deck_size", INT),  # cards left in the deck
    ("deck_total", INT),  # cards in the deck at the start
    ("total", INT),  # T
    ("currency", INT),  # C
    ("tableau_cards", INT),
    ("tableau_kinds", INT), ("tableau_several", INT),  # a bit for each kind of number card in the tableau, and for each that is there twice or more
    ("drawn", INT),  # the card drawn last; -1 before
    ("auctioned", INT),  # the wild being auctioned; -1 if none
    ("highest", INT),  # the highest bid so far; -1 if none
    ("bidder", INT),  # who made it
    ("waiting", INT),  # bit mask of the seats who still have to act in this auction
    ("payer", INT),  # who is paying; -1 if nobody
    ("price", INT),  # the price being paid
    ("paid_for", INT),  # the kind being paid for
    ("tokens_paid", INT), ("coins_paid", INT), ("cards_paid", INT),  # of the payment being made; OPEN if not settled
    ("card_count", INT),  # cards chosen so far
    ("buyer", INT),  # whose buy phase it is; -1 if nobody's
    ("bought", INT),  # cards bought in it
    ("final", INT),  # 1 in the extra buy phases at the end
    ("buyers_left", INT),  # extra buy phases to come after this one
    ("token_supply", INT),  # bust tokens in the supply
    ("market_kinds", INT),  # a bit for each kind in the market
    ("coins", INT, (SEATS,)), ("bust_tokens", INT, (SEATS,)),
    ("cards", INT, (SEATS,)),  # cards owned
    ("owned", INT, (SEATS,)),  # a bit for each kind owned
    ("several", INT, (SEATS,)),  # a bit for each kind owned twice or more
    ("held", INT, (SEATS, 5)),  # the collections, as piles without currency
    ("tableau", *PILE), ("market", *PILE), ("discard", *PILE),
    ("left", *PILE),  # what is left in the deck
    ("numbers_left", INT),  # how many colour numbers are left in the deck: seven bits a number (`copies_left`)
    ("events", INT),  # entries of the history
    ("mark", INT),  # a hash of the history up to this turn
])  # fmt: skip

STATE = record([
    *state_header(RULES),
    ("table", TABLE),
    ("phase", INT),
    ("given_cards", INT),  # with GIVEN: the length of the deck
    ("deck", "u1", (256,)),  # the deck; its last deck_size cards are left, front first
    ("unshuffled", "u1", (256,)),  # the cards in the order of their kinds, once listed (`list_deck`)
    ("whole", *PILE), ("whole_numbers", INT), ("whole_total", INT),  # `left`, `numbers_left` and `deck_total` with them
    ("bare", INT, (COLOURS,)),  # for `choose_cards`, with few wilds: each colour's points without the numbered or full wilds
    ("gains", INT, (4, COLOURS)),  # and what it gains by none of them, by the first, by the second, by both
    ("weight", INT),  # with more: the optimal score
    ("work", INT, (ROWS, WAYS)),  # and how it comes about, if they are not too many
    ("per_token", INT),  # for `in_tokens`
    ("lowest", INT), ("highest", INT),  # of the bids, or of the numbers of bust tokens, that are legal now (`note_moves`)
    ("buyable", INT),  # a bit for each kind that may be bought now
    ("paid", INT, (5,)),  # the cards chosen for the payment being made
    ("notes", INT, (SEATS, NOTES)),
    ("auctions", INT), ("unsold", INT),
    ("sold", INT, (len(SALES),)), ("price", INT, (len(SALES),)),
    ("hashed", "<u8"),  # a hash of the history
    ("begins", "u2", (MOST_TURNS,)),  # for each turn how long the history was when it began
    ("marks", INT, (MOST_TURNS,)),  # and its `mark`
    ("history", "u2", (MOST_EVENTS,)),
])  # fmt: skip

VIEW = record([
    *view_header(RULES),
    ("table", TABLE),  # with tokens_public false, -1 for the other players' coins and bust tokens, and for the supply
    ("seen", INT),  # entries of the history written here
    ("history", "u2", (MOST_EVENTS,)),  # all that happened; what * EVENT + a number
])  # fmt: skip

# --------------------------------------------------------------------------------------------------- cards and piles


@part
def as_index(seat):
    """The same seat, of which it shows that it is not negative: that spares each use of it as an index a check."""
    return seat & 7


@part
def in_pile(pile, kind):
    """How many cards of a kind are in a pile."""
    return (pile[WORD[kind]] >> SHIFT[kind]) & (255 if kind >= CURRENCY else 15)


@kernel
def price_of(kind, rules):
    """What a card in the market costs: its number; a colour wild or full wild hash_price (D9)."""
    if kind < HASH:
        return kind % NUMBERS + 1
    return kind - NUMBERED + 1 if NUMBERED <= kind < FULL else rules.hash_price


@part
def put(pile, kind):
    """A card joins a pile."""
    pile[WORD[kind]] += np.int64(1) << SHIFT[kind]


@part
def take_out(pile, kind):
    """A card leaves a pile."""
    pile[WORD[kind]] -= np.int64(1) << SHIFT[kind]


@part
def gain_card(table, seat, kind):
    """A card joins a collection."""
    seat, kind = as_index(seat), kind & KIND_BITS
    bit = np.int64(1) << kind
    table.several[seat] |= table.owned[seat] & bit
    table.owned[seat] |= bit
    table.held[seat, WORD[kind]] += np.int64(1) << SHIFT[kind]
    table.cards[seat] += 1


@part
def lose_card(table, seat, kind):
    """A card leaves a collection."""
    seat, kind = as_index(seat), kind & KIND_BITS
    word = table.held[seat, WORD[kind]] - (np.int64(1) << SHIFT[kind])
    table.held[seat, WORD[kind]] = word
    copies = (word >> SHIFT[kind]) & 15
    bit = np.int64(1) << kind
    if copies == 0:
        table.owned[seat] ^= bit
    if copies < 2:
        table.several[seat] &= ~bit
    table.cards[seat] -= 1


@part
def to_market(table, kind):
    """A card joins the market."""
    put(table.market, kind)
    table.market_kinds |= np.int64(1) << kind


@part
def from_market(table, kind):
    """A card leaves the market."""
    take_out(table.market, kind)
    if in_pile(table.market, kind) == 0:
        table.market_kinds ^= np.int64(1) << kind


@inlined
def score_now(table, seat, rules):
    """A player's optimal score (2.10)."""
    return optimal_score(rules, table.owned[seat], table.held[seat, WILD_WORD])


@inlined
def score_without(table, seat, kind, rules):
    """The optimal score with one card of a kind less."""
    bit, wilds, owned = np.int64(1) << kind, table.held[seat, WILD_WORD], table.owned[seat]
    fewer = wilds - (np.int64(1) << SHIFT[kind]) if kind >= HASH else wilds
    return optimal_score(rules, owned & ~bit | (table.several[seat] & bit), fewer)


@kernel
def gain_of(table, seat, kind, rules):
    """The gain in optimal score that one more card brings, before anything is paid (9.1)."""
    owned, wilds = table.owned[seat], table.held[seat, WILD_WORD]
    if kind < HASH and has_few(rules, owned, wilds):
        return gain_with_few(rules, owned, wilds, kind)
    more = wilds + (np.int64(1) << SHIFT[kind]) if kind >= HASH else wilds
    return optimal_score(rules, owned | (np.int64(1) << kind), more) - optimal_score(rules, owned, wilds)


# ----------------------------------------------------------------------------------------------------- limits and means


@part
def coin_limit(rules):
    """The most coins a player can hold."""
    return 5 + rules.coin_limit if rules.coin_limit < len(COIN_LIMITS) - 1 else np.int64(NO_LIMIT)


@part
def currency_bust_limit(rules):
    """The largest sum of currency that is no bust."""
    return 5 + rules.currency_bust_limit if rules.currency_bust_limit < len(CURRENCY_LIMITS) - 1 else np.int64(NO_LIMIT)


@part
def cards_are_money(rules, auction):
    """Whether cards are payment in an auction (or in a purchase)."""
    return rules.cards_as_payment == BOTH or rules.cards_as_payment == (ONLY_AUCTION if auction else ONLY_BUY)


@part
def payable_cards(table, seat, rules, auction):
    """How many cards a player may pay with."""
    seat = as_index(seat)
    if not cards_are_money(rules, auction):
        return np.int64(0)
    cards = table.cards[seat]
    if not rules.wilds_as_payment:
        wilds = table.held[seat, WILD_WORD]
        while wilds != 0:
            cards -= wilds & 15
            wilds >>= 4
    return cards


@part
def payable_kinds(table, seat, rules):
    """A bit for each kind that a player could pay with, where cards are payment."""
    kinds = table.owned[as_index(seat)]
    return kinds if rules.wilds_as_payment else kinds & ((np.int64(1) << HASH) - 1)


@kernel
def means(table, seat, rules, auction):
    """What a player can pay in all (2.5)."""
    seat = as_index(seat)
    cards = payable_cards(table, seat, rules, auction)
    return table.coins[seat] + rules.bust_token_value * table.bust_tokens[seat] + rules.card_payment_value * cards


@kernel
def bust_cards(table, rules):
    """How many of the cards left in the deck would bust if drawn next (9.8)."""
    # Without jumps that depend on the cards: fields are added up two by two, and then by a multiplication that piles them on the highest.
    lowest = min(max(rules.bust_limit - table.total + 1, 1), NUMBERS + 1)
    numbers = table.numbers_left >> (NUMBER_BITS * (lowest - 1))
    cards = ((numbers & EVEN_NUMBERS) + ((numbers >> NUMBER_BITS) & EVEN_NUMBERS)) * ALL_PAIRS >> (8 * NUMBER_BITS)
    lowest = min(max(currency_bust_limit(rules) - table.currency + 1, 1), 6)
    currency = table.left[CURRENCY_WORD] >> (8 * (lowest - 1))
    return (cards & 255) + ((currency * ALL_BYTES >> 32) & 255)


NUMBER_BITS = 7
EVEN_NUMBERS = sum(127 << 2 * NUMBER_BITS * k for k in range(5))
"""The fields of numbers 1, 3, 5, 7, 9 in `numbers_left`."""
ALL_PAIRS, ALL_BYTES = sum(1 << 2 * NUMBER_BITS * k for k in range(5)), sum(1 << 8 * k for k in range(5))


@kernel
def copies_left(table, number):
    """How many colour numbers of a number are left in the deck."""
    return (table.numbers_left >> (NUMBER_BITS * (number - 1))) & 127


# -------------------------------------------------------------------------------------------------------- set-up (1, 2.1)


@part
def copies_in_deck(rules, kind):
    """How many cards of a kind these rules have (1.2, D1 to D3)."""
    column = min(max(4 - rules.players, 0), 2) if rules.deck == SCALED else np.int64(0)
    if kind < HASH:
        low = kind % NUMBERS < 6
        given = rules.number_copies_low if low else rules.number_copies_high
        return given - 1 if given > 0 else (LOW_COPIES[column] if low else HIGH_COPIES[column])
    if kind < NUMBERED:
        return rules.colour_wilds - 1 if rules.colour_wilds > 0 else COLOUR_WILDS[column]
    if kind < FULL:
        given = numbered_wilds(rules, kind - NUMBERED + 1)
        return given - 1 if given > 0 else np.int64(kind - NUMBERED + 1 >= NUMBERED_FROM[column])
    if kind == FULL:
        return rules.full_wilds - 1 if rules.full_wilds > 0 else np.int64(1)
    given = currency_count(rules, kind - CURRENCY + 1)
    if given > 0:
        return given - 1
    return CURRENCY_LISTS[rules.currency_counts, kind - CURRENCY] if rules.currency_counts > 0 else CURRENCY_DECKS[column, kind - CURRENCY]


@part
def numbered_wilds(rules, n):
    """The parameter numbered_wilds_n, as its position."""
    if n == 1:
        return rules.numbered_wilds_1
    if n == 2:
        return rules.numbered_wilds_2
    if n == 3:
        return rules.numbered_wilds_3
    if n == 4:
        return rules.numbered_wilds_4
    if n == 5:
        return rules.numbered_wilds_5
    if n == 6:
        return rules.numbered_wilds_6
    if n == 7:
        return rules.numbered_wilds_7
    return rules.numbered_wilds_8 if n == 8 else rules.numbered_wilds_9


@part
def currency_count(rules, value):
    """The parameter currency_value, as its position."""
    if value == 1:
        return rules.currency_1
    if value == 2:
        return rules.currency_2
    if value == 3:
        return rules.currency_3
    return rules.currency_4 if value == 4 else rules.currency_5


@part
def empty_pile(pile):
    """No card is left in a pile."""
    for word in range(WORDS):
        pile[word] = 0


@kernel
def clear(state):
    """An empty table, nothing noted; the players have their first coins."""
    table, rules = state.table, state.rules
    state.seats = rules.players
    state.decision = DRAW_OR_STOP
    state.phase = DRAWING
    table.turn = 0
    table.active = 0
    table.first_mover = 0
    table.last_drawer = -1
    table.deck_size = 0
    table.deck_total = 0
    table.drawn = -1
    table.buyer = -1
    table.bought = 0
    table.final = 0
    table.buyers_left = 0
    table.bidder = -1
    table.waiting = 0
    state.per_token = (np.int64(1) << TOKEN_BITS) // max(rules.bust_token_value, 1) + 1
    table.token_supply = rules.bust_token_supply if rules.bust_token_supply < len(TOKEN_SUPPLIES) - 1 else np.int64(NO_LIMIT)
    table.market_kinds = 0
    for k in range(table.events):
        state.history[k] = 0
    table.events = 0
    table.mark = 0
    state.hashed = np.uint64(0)
    empty_pile(table.market)
    empty_pile(table.discard)
    empty_pile(table.left)
    table.numbers_left = 0
    for s in range(SEATS):
        table.coins[s] = rules.start_coins if s < rules.players else 0
        table.bust_tokens[s] = 0
        table.cards[s] = 0
        table.owned[s] = 0
        table.several[s] = 0
        for word in range(5):
            table.held[s, word] = 0
    clear_tableau(table)
    clear_auction(table)
    clear_payment(state)
    forget(state)


@part
def clear_tableau(table):
    """No card lies in the tableau."""
    table.total = 0
    table.currency = 0
    table.tableau_cards = 0
    table.tableau_kinds = 0
    table.tableau_several = 0
    empty_pile(table.tableau)


@part
def clear_auction(table):
    """No auction is held."""
    table.auctioned = -1
    table.highest = -1
    table.bidder = -1
    table.waiting = 0


@part
def clear_payment(state):
    """Nobody is paying."""
    table = state.table
    table.payer = -1
    table.price = 0
    table.paid_for = -1
    table.tokens_paid = OPEN
    table.coins_paid = OPEN
    table.cards_paid = OPEN
    table.card_count = 0
    for word in range(5):
        state.paid[word] = 0


@part
def forget(state):
    """Nothing is noted yet."""
    for s in range(SEATS):
        for k in range(NOTES):
            state.notes[s, k] = 0
    state.auctions = 0
    state.unsold = 0
    for k in range(len(SALES)):
        state.sold[k] = 0
        state.price[k] = 0


@part
def enter_card(table, kind, copies):
    """Cards of a kind are in the deck."""
    table.left[WORD[kind]] += copies << SHIFT[kind]
    if kind < HASH:
        table.numbers_left += copies << (NUMBER_BITS * (kind % NUMBERS))
    table.deck_total += copies


@part
def list_deck(state):
    """The deck of these rules, the cards in the order of their kinds, to be copied before each game."""
    table = state.table
    for kind in range(KINDS):
        copies, n = copies_in_deck(state.rules, np.int64(kind)), table.deck_total
        for k in range(copies):
            state.unshuffled[n + k] = kind
        enter_card(table, kind, copies)
    for word in range(WORDS):
        state.whole[word] = table.left[word]
    state.whole_numbers, state.whole_total = table.numbers_left, table.deck_total


@part
def build_deck(state):
    """The deck's cards in the order of their kinds. They are listed once: the rules of a state do not change from game to game."""
    table = state.table
    if state.whole_total == 0:
        list_deck(state)
    for k in range(0, len(state.deck), BLOCK):
        copy_block(state.deck, k, state.unshuffled, k)
    for word in range(WORDS):
        table.left[word] = state.whole[word]
    table.numbers_left, table.deck_total = state.whole_numbers, state.whole_total


@kernel
def start(state):
    """Shuffles; the first turn begins with the next `step`."""
    clear(state)
    table = state.table
    if state.dealing == GIVEN:
        for k in range(state.given_cards):
            enter_card(table, np.int64(state.deck[k]), 1)
    else:
        build_deck(state)
        open_stream(state.rng, state.key[0], state.key[1], DEAL)
        shuffle(state.rng, state.deck, table.deck_total)
    table.deck_size = table.deck_total
    if state.rules.start_player > 0:
        table.first_mover = state.rules.start_player - 1
    else:
        open_stream(state.rng, state.key[0], state.key[1], CHANCE)
        table.first_mover = below(state.rng, state.seats)
    state.phase = begin_turn(state, table.first_mover)
    state.seat = PAUSED


# ------------------------------------------------------------------------------------------------------------- the turn


@part
def tell_all(state, what, number):
    """One more entry in the history, while there is room, and in its hash."""
    table = state.table
    if table.events < MOST_EVENTS:
        entry = what * EVENT + number
        state.history[table.events] = entry
        table.events += 1
        hash_entry(state, entry)


@part
def hash_entry(state, entry):
    """The hash of the history goes on to one more entry. It is kept up as they come: that is done while the processor waits anyway."""
    high, low = wide_multiply(state.hashed ^ np.uint64(entry), MIX)
    state.hashed = high ^ low


@inlined
def begin_turn(state, seat):
    """The next player is active. Returns the next phase."""
    table = state.table
    table.active = seat
    table.turn += 1
    mark_turn(state, table.turn, table.events)
    tell_all(state, TURN_OF, seat)
    return np.int64(DRAWING)


@part
def mark_turn(state, turn, events):
    """A turn begins after so many entries of the history, whose hash is noted: a view that has it has all before (`shown_before`)."""
    state.begins[turn] = events
    state.hashed = state.hashed >> np.uint64(1)
    state.marks[turn] = np.int64(state.hashed)
    state.table.mark = state.marks[turn]


@inlined
def draw_card(state):
    """The top card: to the tableau, where it may bust, or to an auction (2.3). Returns the next phase."""
    table, rules = state.table, state.rules
    seat = as_index(table.active)
    kind = np.int64(state.deck[np.uint64(table.deck_total - table.deck_size)])
    table.deck_size -= 1
    if table.deck_size == 0:
        table.last_drawer = seat
    table.drawn = kind
    take_out(table.left, kind)
    tell_all(state, DREW, kind)
    state.notes[seat, CARDS_DRAWN] += 1
    if HASH <= kind < CURRENCY:
        state.notes[seat, WILDS_MET] += 1
        state.auctions += 1
        table.auctioned = kind
        table.waiting = (np.int64(1) << state.seats) - 1
        return np.int64(BIDDING)
    put(table.tableau, kind)
    table.tableau_cards += 1
    if kind < HASH:
        bit = np.int64(1) << kind
        table.tableau_several |= table.tableau_kinds & bit
        table.tableau_kinds |= bit
        number = kind % NUMBERS + 1
        table.numbers_left -= np.int64(1) << (NUMBER_BITS * (number - 1))
        table.total += number
        if table.total > rules.bust_limit:
            return bust(state, RESULT_NUMBER_BUST)
    else:
        value = kind - CURRENCY + 1
        table.total -= value
        if rules.running_floor != NO_FLOOR:
            table.total = max(table.total, 0)
        table.currency += value
        if table.currency > currency_bust_limit(rules):
            return bust(state, RESULT_CURRENCY_BUST)
    return np.int64(ASKING)


@part
def gain_coins(state, seat, coins, note):
    """A player gains coins, up to the limit (2.8)."""
    seat = as_index(seat)
    gained = min(coins, max(coin_limit(state.rules) - state.table.coins[seat], 0))
    state.table.coins[seat] += gained
    state.notes[seat, note] += gained
    state.notes[seat, COINS_LOST] += coins - gained


@part
def pay_others(state):
    """Every other player gains C, or an equal share of it (D7)."""
    table = state.table
    coins = table.currency
    if coins == 0 or state.seats == 1:
        return
    if state.rules.payout_split != EACH:
        coins //= state.seats - 1
    for s in range(state.seats):
        if s != table.active:
            gain_coins(state, s, coins, COINS_RECEIVED)


@part
def close(state, result):
    """The turn has this result; its T and C are noted."""
    table = state.table
    tell_all(state, RESULT, result)
    notes = state.notes[as_index(table.active)]
    notes[np.uint64(TURNS_NUMBERS + result)] += 1
    notes[TOTAL_SUM] += table.total
    notes[CURRENCY_SUM] += table.currency


@part
def numbers_to_market(table):
    """All number cards of the tableau go to the market."""
    for colour in range(COLOURS):
        table.market[colour] += table.tableau[colour]
    table.market_kinds |= table.tableau_kinds
    empty_tableau(table)


@part
def numbers_to_collection(table, seat):
    """All number cards of the tableau go to a player."""
    seat = as_index(seat)
    for colour in range(COLOURS):
        table.held[seat, colour] += table.tableau[colour]
    owned, kinds = table.owned[seat], table.tableau_kinds
    table.several[seat] |= (owned & kinds) | table.tableau_several
    table.owned[seat] = owned | kinds
    table.cards[seat] += table.tableau_cards - ((table.tableau[CURRENCY_WORD] * ALL_BYTES >> 32) & 255)
    empty_tableau(table)


@part
def empty_tableau(table):
    """The number cards are gone; currency goes to the discard."""
    table.discard[CURRENCY_WORD] += table.tableau[CURRENCY_WORD]
    clear_tableau(table)


@part
def bust(state, result):
    """Section 2.4."""
    table, rules = state.table, state.rules
    seat = as_index(table.active)
    close(state, result)
    if rules.payout_on_number_bust if result == RESULT_NUMBER_BUST else rules.payout_on_currency_bust:
        pay_others(state)
    if table.token_supply > 0:
        table.token_supply -= 1
        table.bust_tokens[seat] += 1
        state.notes[seat, TOKENS_GRANTED] += 1
    else:
        state.notes[seat, TOKENS_REFUSED] += 1
    numbers_to_market(table)
    return np.int64(ENDING_TURN)


@part
def may_stop(table, rules):
    """Whether STOP is legal (D6)."""
    return table.tableau_cards > 0 or not rules.reward_must_be_nonempty


@inlined
def ask(state):
    """After a draw: DRAW or STOP, if that is a question. Returns the next phase."""
    table = state.table
    if not may_stop(table, state.rules):
        if table.deck_size > 0:
            return np.int64(DRAWING)
        close(state, RESULT_EMPTY)
        return np.int64(ENDING_TURN)
    if table.deck_size == 0:
        return np.int64(REWARDING)
    state.decision = DRAW_OR_STOP
    state.seat = table.active
    return np.int64(ASKED)


@inlined
def draw_or_stop(state, move):
    """The answer, and the risk there was. Returns the next phase."""
    table, notes = state.table, state.notes[as_index(state.table.active)]
    notes[np.uint64(DRAWS + move)] += 1
    if state.detail == 1:
        notes[np.uint64(RISK_DRAWN + move)] += (
            bust_cards(table, state.rules) * CARD_SHARE * PARTS[np.uint64(table.deck_size)]
        ) >> PART_BITS
    return np.int64(REWARDING if move == STOP else DRAWING)


PART_BITS = 40
PARTS = np.array([0] + [(1 << PART_BITS) // n + 1 for n in range(1, MOST_CARDS + 1)])
"""To divide by a number of cards, by multiplication: exact for what is at most so many times CARD_SHARE."""


@part
def has_numbers(table):
    """Whether a number card lies in the tableau."""
    return table.tableau_kinds != 0


@part
def choose_reward(state):
    """After stopping: NUMBERS or MONEY, if that is a question (2.6). Returns the next phase."""
    table = state.table
    if state.rules.reward_must_be_nonempty:
        numbers = has_numbers(table)
        if not numbers or table.tableau[CURRENCY_WORD] == 0:
            return reward(state, NUMBERS_REWARD if numbers else MONEY_REWARD)
    state.decision = REWARD
    state.seat = table.active
    return np.int64(ASKED)


@part
def reward(state, move):
    """Section 2.6. Returns the next phase."""
    table, seat = state.table, state.table.active
    close(state, RESULT_NUMBERS if move == NUMBERS_REWARD else RESULT_MONEY)
    if move == NUMBERS_REWARD:
        pay_others(state)
        numbers_to_collection(table, seat)
    else:
        gain_coins(state, seat, table.currency, COINS_MONEY)
        numbers_to_market(table)
    if move == NUMBERS_REWARD or state.rules.money_allows_buy:
        return begin_buying(state, seat)
    return np.int64(ENDING_TURN)


# ------------------------------------------------------------------------------------------------------- auctions (2.5)


@part
def lowest_bid(table, rules):
    """The lowest legal bid."""
    low = max(rules.min_bid, rules.solo_reserve) if rules.solo else rules.min_bid
    return max(low, table.highest + 1)


@inlined
def next_bidder(state):
    """On to the next player who can bid; without one, the auction is over. Returns the next phase."""
    table, rules = state.table, state.rules
    low = lowest_bid(table, rules)
    seat = table.active
    while table.waiting != 0:
        # Left of the active player first: the waiting seats are a stretch of the circle that ends with the active one.
        above = table.waiting >> (seat + 1)
        bidder = seat + 1 + lowest_one(above) if above != 0 else lowest_one(table.waiting)
        table.waiting ^= np.int64(1) << bidder
        high = means(table, bidder, rules, True)
        if high >= low:
            state.lowest, state.highest = low, high
            state.decision = BID
            state.seat = bidder
            return np.int64(ASKED)
        tell_all(state, BADE, 0)
    return settle_auction(state)


@inlined
def bid(state, move):
    """A player passes or bids. Returns the next phase."""
    tell_all(state, BADE, move + 1)
    if move != PASS:
        state.table.highest = move
        state.table.bidder = state.seat
        state.notes[as_index(state.seat), BIDS] += 1
    return np.int64(BIDDING)


@inlined
def settle_auction(state):
    """Everybody has acted: the highest bidder pays, or the wild is unsold (D9). Returns the next phase."""
    table, rules = state.table, state.rules
    kind, price = table.auctioned, table.highest
    if price < 0:
        state.unsold += 1
        if rules.unsold_wild == TO_ACTIVE:
            gain_card(table, table.active, kind)
        elif rules.unsold_wild == TO_MARKET:
            to_market(table, kind)
        else:
            put(table.discard, kind)
        clear_auction(table)
        return np.int64(ASKING)
    winner = as_index(table.bidder)
    notes = state.notes[winner]
    notes[AUCTIONS_WON] += 1
    notes[AUCTIONS_WON_ACTIVE] += np.int64(winner == table.active)
    notes[AUCTION_PRICE] += price
    stage = 0 if 3 * table.deck_size > 2 * table.deck_total else 2 if 3 * table.deck_size <= table.deck_total else 1
    sale = stage + 3 * (0 if kind < NUMBERED else 2 if kind == FULL else 1)
    state.sold[sale] += 1
    state.price[sale] += price
    return begin_payment(state, winner, price, kind)


# ------------------------------------------------------------------------------------------------------ buy phases (2.7)


@part
def begin_buying(state, seat):
    """A player's buy phase. Returns the next phase."""
    state.table.buyer = seat
    state.table.bought = 0
    return np.int64(BUYING)


@part
def may_buy(table, seat, rules):
    """A bit for each kind of the market that a player may buy and can afford."""
    seat = as_index(seat)
    kinds, money = table.market_kinds, means(table, seat, rules, False)
    if rules.duplicate_buy_ban:
        kinds &= ~(table.owned[seat] & ((np.int64(1) << HASH) - 1))
    affordable = PRICED[np.uint64(min(max(money, 0), NUMBERS))]
    return kinds & (affordable | HASH_PRICED if money >= rules.hash_price else affordable)


@part
def ask_buyer(state):
    """What to buy; if nothing can be bought, the buy phase is over. Returns the next phase."""
    table, rules = state.table, state.rules
    if table.bought < rules.buy_limit:
        state.buyable = may_buy(table, table.buyer, rules)
        if state.buyable != 0:
            state.decision = PURCHASE
            state.seat = table.buyer
            return np.int64(ASKED)
    return end_buying(state)


@part
def end_buying(state):
    """The buy phase is over. Returns the next phase."""
    state.table.buyer = -1
    return np.int64(NEXT_BUYER if state.table.final == 1 else ENDING_TURN)


@inlined
def purchase(state, move):
    """A card is bought, or none. Returns the next phase."""
    tell_all(state, BOUGHT, move + 1)
    if move == NONE:
        return end_buying(state)
    table, rules, seat, move = state.table, state.rules, as_index(state.seat), move & KIND_BITS
    price = price_of(move, rules)
    notes = state.notes[seat]
    notes[PURCHASES] += 1
    notes[PURCHASES_FINAL] += table.final
    notes[PURCHASE_PRICE] += price
    table.bought += 1
    from_market(table, move)
    return begin_payment(state, seat, price, move)


# ------------------------------------------------------------------------------------------------------- payments (2.8)


@part
def payable_now(table, rules):
    """Cards that the payer may still use in this payment."""
    return payable_cards(table, table.payer, rules, table.auctioned >= 0)


@kernel
def mix_is_legal(table, rules, tokens, coins, cards):
    """Whether so many bust tokens, coins and cards, all at hand, may pay the price (D12)."""
    over = rules.bust_token_value * tokens + coins + rules.card_payment_value * cards - table.price
    if over < 0 or rules.payment_rule == ANY:
        return over >= 0
    fits_tokens = tokens == 0 or over < rules.bust_token_value
    return fits_tokens and (coins == 0 or over < 1) and (cards == 0 or over < rules.card_payment_value)


@part
def count_mixes(table, rules, tokens, cards, enough):
    """How many legal mixes have so many bust tokens, with up to `cards` cards; `enough` of them suffice."""
    coins = table.coins[table.payer]
    found = np.int64(0)
    for c in range(coins + 1):
        for k in range(cards + 1):
            found += np.int64(mix_is_legal(table, rules, tokens, np.int64(c), np.int64(k)))
            if found >= enough:
                return found
    return found


@part
def begin_payment(state, seat, price, kind):
    """A player owes a price for a card, which they get when it is paid. Returns the next phase."""
    table = state.table
    table.payer = seat
    table.price = price
    table.paid_for = kind
    return np.int64(PAYING)


@part
def tokens_are_a_stretch(rules):
    """Whether the legal numbers of bust tokens are all from `fewest_tokens` to `most_tokens`: coins and cards can make up any rest."""
    return rules.payment_rule == IRREDUNDANT and rules.card_payment_value == 1 and rules.bust_token_value > 0


@part
def in_tokens(state, amount):
    """How many bust tokens are worth an amount, rounded down, if they are worth anything: a multiplication is quicker than a division."""
    return amount * state.per_token >> TOKEN_BITS


TOKEN_BITS = 32


@part
def fewest_tokens(state, cards):
    """The fewest bust tokens with which coins and cards suffice."""
    table = state.table
    return in_tokens(state, max(table.price - table.coins[as_index(table.payer)] - cards, 0) + state.rules.bust_token_value - 1)


@part
def most_tokens(state):
    """The most bust tokens of which none is too many."""
    table = state.table
    return min(in_tokens(state, table.price + state.rules.bust_token_value - 1), table.bust_tokens[as_index(table.payer)])


@inlined
def several_payments(state, cards):
    """Whether there is a choice how to pay: several legal mixes, or one that needs cards, which may be of several kinds.

    Notes the legal numbers of bust tokens, if they are a stretch.
    """
    table, rules = state.table, state.rules
    seat = as_index(table.payer)
    if tokens_are_a_stretch(rules):
        fewest, most, coins = fewest_tokens(state, cards), most_tokens(state), table.coins[seat]
        state.lowest, state.highest = fewest, most
        rest = max(table.price - rules.bust_token_value * fewest, 0)
        several, needs_cards = fewest < most or min(coins, rest) > max(rest - cards, 0), coins < rest
    else:
        mixes, tokens = mixes_at_hand(table, rules, cards)
        several, needs_cards = mixes > 1, not any_coins_do(table, rules, tokens)
    return several or (needs_cards and several_kinds(payable_kinds(table, seat, rules)))


@part
def mixes_at_hand(table, rules, cards):
    """How many legal mixes there are, or 2 or more for several; and the bust tokens of one of them."""
    mixes, tokens_of_it = np.int64(0), np.int64(0)
    for tokens in range(table.bust_tokens[table.payer] + 1):
        found = count_mixes(table, rules, tokens, cards, np.int64(2))
        if found > 0:
            tokens_of_it = np.int64(tokens)
        mixes += found
        if mixes > 1:
            break
    return mixes, tokens_of_it


@part
def ask_payer(state):
    """How to pay, if there is a choice. Returns the next phase."""
    if several_payments(state, payable_now(state.table, state.rules)):
        state.decision = PAYMENT
        state.seat = state.table.payer
        return np.int64(ASKED)
    return np.int64(PAYING_CANONICALLY)


@part
def several_kinds(kinds):
    """Whether a set of bits has two or more."""
    return kinds & (kinds - 1) != 0


@part
def any_coins_do(table, rules, tokens):
    """Whether a legal mix without cards has so many bust tokens."""
    for coins in range(table.coins[table.payer] + 1):
        if mix_is_legal(table, rules, tokens, np.int64(coins), np.int64(0)):
            return True
    return False


@part
def payment_moves(state, moves):
    """The legal moves of the stage that a payment is in; `moves` by `place_of`."""
    table, rules = state.table, state.rules
    seat, cards, n = table.payer, payable_now(table, rules), np.int64(0)
    if table.tokens_paid == OPEN:
        write_at(moves, np.int64(0), np.int64(CANONICAL))
        n = np.int64(1)
        if tokens_are_a_stretch(rules):
            return 1 + write_stretch(moves, n, TOKENS * STAGE + state.lowest, TOKENS * STAGE + state.highest)
        for tokens in range(table.bust_tokens[seat] + 1):
            if count_mixes(table, rules, tokens, cards, np.int64(1)) > 0:
                write_at(moves, n, TOKENS * STAGE + tokens)
                n += 1
    elif table.coins_paid == OPEN:
        for coins in range(table.coins[seat] + 1):
            if some_cards_do(table, rules, coins, cards):
                write_at(moves, n, COINS * STAGE + coins)
                n += 1
    elif table.cards_paid == OPEN:
        for k in range(cards + 1):
            if mix_is_legal(table, rules, table.tokens_paid, table.coins_paid, np.int64(k)):
                write_at(moves, n, CARDS * STAGE + k)
                n += 1
    else:
        kinds = payable_kinds(table, seat, rules)
        while kinds != 0:
            write_at(moves, n, CARD * STAGE + lowest_one(kinds))
            kinds &= kinds - 1
            n += 1
    return n


@part
def some_cards_do(table, rules, coins, cards):
    """Whether a legal mix has the bust tokens settled, so many coins, and up to `cards` cards."""
    for k in range(cards + 1):
        if mix_is_legal(table, rules, table.tokens_paid, np.int64(coins), np.int64(k)):
            return True
    return False


@part
def settle_stage(state, move):
    """One stage of a payment is settled. Returns the next phase."""
    table = state.table
    stage, number = move // STAGE, move % STAGE
    if stage == CANONICAL:
        return np.int64(PAYING_CANONICALLY)
    if stage == TOKENS:
        table.tokens_paid = number
    elif stage == COINS:
        table.coins_paid = number
    elif stage == CARDS:
        table.cards_paid = number
    else:
        set_aside(state, number)
    return np.int64(PAYING)


@part
def set_aside(state, kind):
    """A card is chosen to pay with."""
    lose_card(state.table, state.table.payer, kind)
    put(state.paid, kind)
    state.table.card_count += 1
    tell_all(state, PAID_CARD, kind)


@part
def continue_payment(state):
    """The stages of a payment after the first, up to one that is a question. Returns the next phase."""
    table, rules = state.table, state.rules
    seat, cards = table.payer, payable_now(table, rules)
    while True:
        if table.coins_paid == OPEN:
            found, last = np.int64(0), np.int64(0)
            for coins in range(table.coins[seat] + 1):
                if some_cards_do(table, rules, coins, cards):
                    found, last = found + 1, np.int64(coins)
            if found > 1:
                break
            table.coins_paid = last
        elif table.cards_paid == OPEN:
            found, last = np.int64(0), np.int64(0)
            for k in range(cards + 1):
                if mix_is_legal(table, rules, table.tokens_paid, table.coins_paid, np.int64(k)):
                    found, last = found + 1, np.int64(k)
            if found > 1:
                break
            table.cards_paid = last
        elif table.card_count < table.cards_paid:
            kinds = payable_kinds(table, seat, rules)
            if several_kinds(kinds):
                break
            set_aside(state, lowest_one(kinds))
        else:
            return complete_payment(state)
    state.decision = PAYMENT
    state.seat = seat
    return np.int64(ASKED)


@part
def pay_canonically(state):
    """The canonical payment (2.8): fewest cards, least overpayment, fewest coins (fewest bust tokens if they are worth nothing).

    Returns the next phase.
    """
    table, rules = state.table, state.rules
    seat, price, value = as_index(table.payer), table.price, rules.bust_token_value
    coins, tokens = table.coins[seat], table.bust_tokens[seat]
    short, cards = price - coins - value * tokens, np.int64(0)
    if short > 0:
        cards = short if rules.card_payment_value == 1 else (short + rules.card_payment_value - 1) // rules.card_payment_value
    due, paid = max(price - rules.card_payment_value * cards, 0), np.int64(0)
    if value > 0:
        # As many as are not too many, which leaves the fewest coins to pay; one more where there are not so many coins.
        paid = min(in_tokens(state, due), tokens)
        paid += np.int64(due - value * paid > coins)
    table.tokens_paid = paid
    table.coins_paid = max(due - value * paid, 0)
    table.cards_paid = cards
    if cards > 0:
        choose_cards(state, cards)
    return complete_payment(state)


@part
def first_in_order(kinds):
    """Of some kinds of cards the one that is paid first among equals: number cards, lowest number first, then wilds (2.8)."""
    numbers = kinds & NUMBER_KINDS
    if numbers != 0:
        # All colours laid upon each other: the lowest bit is the lowest number of any.
        folded = numbers | (numbers >> NUMBERS)
        lowest = lowest_one(folded | (folded >> (2 * NUMBERS)))
        return lowest_one(numbers & (COLUMN << lowest))
    numbered = kinds & NUMBERED_KINDS
    if numbered != 0:
        return lowest_one(numbered)
    return lowest_one(kinds)


NUMBER_KINDS = (1 << HASH) - 1
"""A bit for each kind of number card."""
COLUMN = 1 | 1 << NUMBERS | 1 << 2 * NUMBERS | 1 << 3 * NUMBERS
"""The kinds of number 1."""
NUMBERED_KINDS = ((1 << NUMBERS) - 1) << NUMBERED


@part
def choose_cards(state, cards):
    """Set aside so many cards, each time the one whose loss lowers the owner's optimal score least (2.8, 9.4)."""
    table, seat = state.table, as_index(state.table.payer)
    if cards == payable_now(table, state.rules):
        set_all_aside(state)
        return
    for _ in range(cards):
        set_aside(state, least_missed(state, seat))


@part
def least_missed(state, seat):
    """The kind whose loss lowers the owner's optimal score least, of all that can pay, the first in order among equals (2.8)."""
    table, rules = state.table, state.rules
    owned, wilds = table.owned[seat], table.held[seat, WILD_WORD]
    items = owned >> NUMBERED
    more = items & (items - 1)
    if has_single(rules, wilds) and rules.min_run <= 1:
        if items == 0:
            return least_missed_without(state, seat, owned, wilds)
        if more == 0:
            return least_missed_with_one(state, seat, owned, wilds, items)
        if more & (more - 1) == 0:
            return least_missed_with_two(state, seat, owned, wilds, items ^ more, more)
    return least_missed_of_all(state, seat)


IN_ORDER = np.array(
    [NUMBERS * c + n for n in range(NUMBERS) for c in range(COLOURS)] + [*range(NUMBERED, FULL), *range(HASH, NUMBERED), FULL]
)
"""The kinds in the order in which they are paid among equals: number cards, lowest number first, numbered wilds, those of the colours, the full one (2.8)."""
PLACE_BITS = 6
"""A candidate is the loss, and below it, in so many bits, the place in that order: the smallest is paid."""


@part
def candidate_number(loss, number, c):
    """A number card as a candidate; numbers from 0."""
    return loss << PLACE_BITS | (COLOURS * number + c)


@part
def candidate_wild(loss, kind):
    """A wild as a candidate."""
    return loss << PLACE_BITS | (kind - COLOURS if NUMBERED <= kind < FULL else kind + NUMBERS if kind < NUMBERED else kind)


@part
def kind_of(candidate):
    """Which kind a candidate is."""
    return IN_ORDER[np.uint64(candidate & ((1 << PLACE_BITS) - 1))]


@part
def others_gain(gains, c):
    """The most that a colour other than c gains, of a row of `state.gains`."""
    most = np.int64(0)
    for other in range(COLOURS):
        most = max(most, gains[other] if other != c else np.int64(0))
    return most


@part
def least_missed_without(state, seat, owned, wilds):
    """As `least_missed`, with no numbered or full wild: each colour counts by itself."""
    scale, best = scale_of(state.rules), first_twice(state.table.several[seat])
    for c in range(COLOURS):
        own = colour_of(owned, c)
        entry = needed_in(own, np.int64(0), fillers_of(wilds, c))
        best = min(best, candidate_kept(own, points_with(scale, entry), kept_points(scale, entry), c))
    if wilds != 0 and state.rules.wilds_as_payment:
        for c in range(COLOURS):
            own, fillers = colour_of(owned, c), fillers_of(wilds, c)
            if fillers > 0:
                fewer = points_at(scale, run_in(own, fillers - 1))
                best = min(best, candidate_wild(points_at(scale, run_in(own, fillers)) - fewer, HASH + c))
    return kind_of(best)


@part
def candidate_kept(own, points, kept, c):
    """The number of one colour that is missed least as a candidate: `points` are there with it, and `kept_points` without."""
    loss = points - (kept >> KEPT_BITS) + (np.int64(own == 0) << FAR)
    return candidate_number(loss, NUMBERS - (kept & ((1 << KEPT_BITS) - 1)), c)


@part
def first_twice(several):
    """The number card that is paid first of those that are there twice as a candidate: there is no loss."""
    twice = several & NUMBER_KINDS
    if twice == 0:
        return np.int64(NO_LIMIT)
    kind = first_in_order(twice)
    return candidate_number(np.int64(0), kind % NUMBERS, kind // NUMBERS)


@part
def least_missed_with_one(state, seat, owned, wilds, item):
    """As `least_missed`, with one numbered or full wild, `item` (a bit), which the colour has that gains most by it."""
    scale, best = scale_of(state.rules), first_twice(state.table.several[seat])
    more = item >> NUMBERS
    given = lowest_one(item) + 1 if item & EVERY != 0 else np.int64(0)
    bare, gains, most = state.bare, state.gains[1], np.int64(0)
    for c in range(COLOURS):
        own, fillers = colour_of(owned, c), fillers_of(wilds, c)
        bare[c] = points_with(scale, needed_in(own, np.int64(0), fillers))
        gains[c] = points_with(scale, needed_in(own, given, fillers + more)) - bare[c]
        most = max(most, gains[c])
    for c in range(COLOURS):
        own, fillers = colour_of(owned, c), fillers_of(wilds, c)
        # Without the number least needed the wild is given to the best of the others, or to this colour.
        there = kept_points(scale, needed_in(own, np.int64(0), fillers)) + (others_gain(gains, c) << KEPT_BITS)
        here = kept_points(scale, needed_in(own, given, fillers + more))
        best = min(best, candidate_kept(own, bare[c] + most, max(there, here), c))
    if state.rules.wilds_as_payment:
        for c in range(COLOURS):
            own, fillers = colour_of(owned, c), fillers_of(wilds, c)
            if fillers > 0:
                there = points_with(scale, needed_in(own, np.int64(0), fillers - 1)) + others_gain(gains, c)
                here = points_with(scale, needed_in(own, given, fillers - 1 + more))
                best = min(best, candidate_wild(bare[c] + most - max(there, here), HASH + c))
        best = min(best, candidate_wild(most, NUMBERED + lowest_one(item)))
    return kind_of(best)


FAR = 32
"""Where in a loss a bit says that there is no such card."""


@part
def least_missed_with_two(state, seat, owned, wilds, first, second):
    """As `least_missed`, with two different numbered or full wilds, a bit each: one colour has both, or two have one each."""
    scale, several, wilds_pay = scale_of(state.rules), state.table.several[seat], state.rules.wilds_as_payment
    bare, gains = state.bare, state.gains
    for c in range(COLOURS):
        own, fillers = colour_of(owned, c), fillers_of(wilds, c)
        bare[c] = points_given(scale, own, fillers, np.int64(0))
        gains[1, c] = points_given(scale, own, fillers, first) - bare[c]
        gains[2, c] = points_given(scale, own, fillers, second) - bare[c]
        gains[3, c] = points_given(scale, own, fillers, first | second) - bare[c]
    most = np.int64(0)
    for c in range(COLOURS):
        most = max(most, gains[3, c], gains[1, c] + others_gain(gains[2], c))
    best = np.int64(NO_LIMIT)
    for c in range(COLOURS):
        own, fillers, now = colour_of(owned, c), fillers_of(wilds, c), bare[c] + most
        both, left = others_gain_both(gains, c), own
        with_first, with_second = others_gain(gains[1], c), others_gain(gains[2], c)
        while left != 0:
            number = left & -left
            kept = points_beside(scale, own ^ number, fillers, first, second, with_first, with_second, both)
            loss = now - kept if colour_of(several, c) & number == 0 else np.int64(0)
            best = min(best, candidate_number(loss, lowest_one(number), c))
            left ^= number
        if fillers > 0 and wilds_pay:
            kept = points_beside(scale, own, fillers - 1, first, second, with_first, with_second, both)
            best = min(best, candidate_wild(now - kept, HASH + c))
    if wilds_pay:
        best = min(best, candidate_wild(most - others_gain(gains[2], np.int64(COLOURS)), NUMBERED + lowest_one(first)))
        best = min(best, candidate_wild(most - others_gain(gains[1], np.int64(COLOURS)), NUMBERED + lowest_one(second)))
    return kind_of(best)


@part
def points_given(scale, own, fillers, items):
    """The points of one colour's numbers with some numbered wilds and the full wild, bits from the lowest."""
    return points_at(scale, run_in(own | (items & EVERY), fillers + (items >> NUMBERS)))


@part
def points_beside(scale, own, fillers, first, second, with_first, with_second, both):
    """The points of one colour and what two wilds add to it or to others, which gain so much with the first, the second, and both."""
    kept = max(points_given(scale, own, fillers, np.int64(0)) + both, points_given(scale, own, fillers, first) + with_second)
    return max(kept, points_given(scale, own, fillers, second) + with_first, points_given(scale, own, fillers, first | second))


@part
def others_gain_both(gains, c):
    """The most that the colours other than c gain by two wilds."""
    most = np.int64(0)
    for other in range(COLOURS):
        for another in range(COLOURS):
            if other != c and another != c:
                most = max(most, gains[3, other] if other == another else gains[1, other] + gains[2, another])
    return most


@part
def least_missed_of_all(state, seat):
    """As `least_missed`, whatever the wilds."""
    table, best, ways = state.table, np.int64(NO_LIMIT), weigh(state, seat)
    left, several = payable_kinds(table, seat, state.rules), table.several[seat] & NUMBER_KINDS
    while left != 0:
        kind = lowest_one(left)
        loss = loss_of(state, seat, kind, ways) if (several >> kind) & 1 == 0 else np.int64(0)
        best = min(best, candidate_number(loss, kind % NUMBERS, kind // NUMBERS) if kind < HASH else candidate_wild(loss, kind))
        left &= left - 1
    return kind_of(best)


@part
def set_all_aside(state):
    """Every card that can pay does, in the order of the kinds."""
    table, seat = state.table, as_index(state.table.payer)
    left = payable_kinds(table, seat, state.rules)
    while left != 0:
        kind = lowest_one(left)
        for _ in range(in_pile(table.held[seat], kind)):
            tell_all(state, PAID_CARD, kind)
        left &= left - 1
    for word in range(5 if state.rules.wilds_as_payment else WILD_WORD):
        state.paid[word] += table.held[seat, word]
        table.held[seat, word] = 0
    kept = np.int64(0) if state.rules.wilds_as_payment else ~np.int64(NUMBER_KINDS)
    table.owned[seat] &= kept
    table.several[seat] &= kept
    table.cards[seat] -= table.cards_paid - table.card_count
    table.card_count = table.cards_paid


@part
def weigh(state, seat):
    """Notes what `loss_of` needs. Returns how many ways a collection's wilds can be shared; 0 where they are too many, and nothing is noted."""
    rules, owned, wilds = state.rules, state.table.owned[seat], state.table.held[seat, WILD_WORD]
    if not can_tabulate(rules, owned, wilds):
        return np.int64(0)
    ways = tabulate(rules, owned, wilds, state.work)
    state.weight = tabulated(state.work, ways)
    return ways


@part
def loss_of(state, seat, kind, ways):
    """How much the optimal score falls if one card of a kind goes, of which there is one or which is a wild; `ways` by `weigh`."""
    table, rules = state.table, state.rules
    if ways == 0:
        return score_now(table, seat, rules) - score_without(table, seat, kind, rules)
    return state.weight - tabulated_without(rules, table.owned[seat], table.held[seat, WILD_WORD], state.work, ways, kind)


@part
def complete_payment(state):
    """The pieces go away, and the payer gets the card. Returns the next phase."""
    table, rules = state.table, state.rules
    seat, tokens, coins, cards = as_index(table.payer), table.tokens_paid, table.coins_paid, table.cards_paid
    table.coins[seat] -= coins
    table.bust_tokens[seat] -= tokens
    table.token_supply += tokens
    tell_all(state, PAID_TOKENS, tokens)
    tell_all(state, PAID_COINS, coins)
    first = AUCTION_COINS if table.auctioned >= 0 else PURCHASE_COINS
    notes = state.notes[seat]
    notes[np.uint64(first)] += coins
    notes[np.uint64(first + 1)] += tokens
    notes[np.uint64(first + 2)] += cards
    notes[np.uint64(first + 3)] += rules.bust_token_value * tokens + coins + rules.card_payment_value * cards - table.price
    if cards > 0:
        paid_cards_away(state)
    gain_card(table, seat, table.paid_for)
    clear_payment(state)
    if table.auctioned >= 0:
        clear_auction(table)
        return np.int64(ASKING)
    return np.int64(BUYING)


@part
def paid_cards_away(state):
    """Cards paid go to the discard; with paid_cards_to = market, number cards go to the market (D11)."""
    table = state.table
    for colour in range(COLOURS):
        cards = state.paid[colour]
        if state.rules.paid_cards_to == TO_MARKET:
            table.market[colour] += cards
            while cards != 0:
                place = lowest_one(cards) >> 2
                table.market_kinds |= np.int64(1) << (NUMBERS * colour + place)
                cards &= ~(np.int64(15) << (4 * place))
        else:
            table.discard[colour] += cards
    table.discard[WILD_WORD] += state.paid[WILD_WORD]


# ------------------------------------------------------------------------------------------------------- the game runs on


@inlined
def end_turn(state):
    """The next player's turn; or, when the deck is empty, the extra buy phases (2.9). Returns the next phase."""
    table = state.table
    if table.deck_size > 0:
        return begin_turn(state, following(table.active, state.seats))
    if not state.rules.final_buy:
        return np.int64(FINISHED)
    table.final = 1
    table.buyers_left = state.seats if state.rules.final_buy_includes_last else state.seats - 1
    return np.int64(NEXT_BUYER)


@part
def following(seat, seats):
    """The seat to the left."""
    return seat + 1 if seat + 1 < seats else np.int64(0)


@part
def next_buyer(state):
    """The next extra buy phase: left of the last player first, that player last. Returns the next phase."""
    table = state.table
    if table.buyers_left == 0:
        return np.int64(FINISHED)
    seats = state.seats
    done = (seats if state.rules.final_buy_includes_last else seats - 1) - table.buyers_left
    table.buyers_left -= 1
    seat = (table.active + 1 + done) % seats
    tell_all(state, TURN_OF, FINAL_PHASE_OF + seat)
    return begin_buying(state, seat)


@inlined
def answer(state, move):
    """Applies a move. Returns the next phase."""
    decision = state.decision
    if decision == DRAW_OR_STOP:
        return draw_or_stop(state, move)
    if decision == BID:
        return bid(state, move)
    if decision == PAYMENT:
        return settle_stage(state, move)
    return reward(state, move) if decision == REWARD else purchase(state, move)


@kernel
def step(state, move):
    """Applies the move, and plays on to the next question, to the end, or, if watched, to the end of a turn."""
    phase = state.phase
    if state.seat >= 0:
        if state.decision == PURCHASE and state.detail == 1 and move != NONE:
            state.notes[state.seat, PURCHASE_GAIN] += gain_of(state.table, state.seat, move, state.rules)
        phase = answer(state, move)
    # In the order in which they mostly follow each other, so that one round goes through several.
    while phase != ASKED:
        if phase == DRAWING:
            phase = draw_card(state)
        if phase == BIDDING:
            phase = next_bidder(state)
        if phase == PAYING:
            phase = ask_payer(state) if state.table.tokens_paid == OPEN else continue_payment(state)
        if phase == PAYING_CANONICALLY:
            phase = pay_canonically(state)
        if phase == ASKING:
            phase = ask(state)
        if phase == REWARDING:
            phase = choose_reward(state)
        if phase == BUYING:
            phase = ask_buyer(state)
        if phase == NEXT_BUYER:
            phase = next_buyer(state)
        if phase == ENDING_TURN:
            phase = end_turn(state)
            if state.watch == 1:
                state.phase = phase
                state.seat = PAUSED
                return
        if phase == FINISHED:
            state.seat = OVER
            return


@kernel
def legal(state, moves):
    """In ascending order, pass and none first, the canonical payment first."""
    # The array is not used further on: to count references to it takes longer than to write most lists.
    return write_moves(state, place_of(moves))


@part
def write_stretch(moves, place, low, high):
    """All numbers from low to high, from a place of the list on. Returns how many."""
    for number in range(low, high + 1, EIGHT):
        write_run(moves, place + number - low, np.int64(number))
    return high - low + 1


@inlined
def write_moves(state, moves):
    """The legal moves, as `legal`; `moves` by `place_of`."""
    decision = state.decision
    if decision == BID:
        write_at(moves, np.int64(0), np.int64(PASS))
        return 1 + write_stretch(moves, np.int64(1), state.lowest, state.highest)
    if decision == PAYMENT:
        return payment_moves(state, moves)
    if decision == PURCHASE:
        write_at(moves, np.int64(0), np.int64(NONE))
        n, kinds = np.int64(1), state.buyable
        while kinds != 0:
            write_at(moves, n, lowest_one(kinds))
            kinds &= kinds - 1
            n += 1
        return n
    write_run(moves, np.int64(0), np.int64(0))
    return np.int64(2)


@kernel
def shown_before(state, view):
    """How many entries of the history a view is known to have, from when it was last written: those before its turn."""
    turn = view.table.turn
    same = 0 < turn <= state.table.turn and view.table.mark == state.marks[turn]
    return np.int64(state.begins[turn]) if same else np.int64(0)


@part
def show_history(state, view, begin):
    """Copy the history from its entry `begin` on, several entries at a time: after the last one there are only zeros."""
    for k in range(begin // ENTRIES, (max(state.table.events, view.seen) + ENTRIES - 1) // ENTRIES):
        copy_line(view.history, ENTRIES * k, state.history, ENTRIES * k)


@kernel
def observe(state, seat, view):
    """Section 4: all but the order of the deck."""
    view.seat = seat
    view.decision = state.decision
    events = state.table.events
    show_history(state, view, shown_before(state, view))
    view.table = state.table
    view.seen = events
    if not state.rules.tokens_public:
        view.table.token_supply = -1
        for s in range(SEATS):
            if s != seat:
                view.table.coins[s] = -1
                view.table.bust_tokens[s] = -1


# ------------------------------------------------------------------------------------------------- the result (2.11, 5)


@part
def keep_best(contenders, values, sign):
    """Of the contenders those with the largest value times sign."""
    best, kept = np.int64(-NO_LIMIT), np.int64(0)
    for s in range(SEATS):
        if (contenders >> s) & 1:
            value = values[s] * sign
            if value > best:
                best, kept = value, np.int64(0)
            if value == best:
                kept |= np.int64(1) << s
    return kept


@part
def find_winners(state, result):
    """Section 2.11."""
    table, rules = state.table, state.rules
    leaders = keep_best((np.int64(1) << state.seats) - 1, result.score, 1)
    decided = np.int64(0)
    if several_kinds(leaders) and rules.tie_breaks in COIN_TIE_BREAK:
        leaders = keep_best(leaders, table.coins, 1)
        decided = np.int64(1)
    if several_kinds(leaders) and rules.tie_breaks in CARD_TIE_BREAK:
        leaders = keep_best(leaders, table.cards, -1)
        decided = np.int64(2)
    shared = several_kinds(leaders)
    winners = count_ones(leaders)
    result.outcome = DRAWN_GAME if shared else WIN
    result.winner = -1 if shared else lowest_one(leaders)
    result.draw_seats = leaders if shared else 0
    result.tie_break = 3 if shared else decided
    for s in range(SEATS):
        result.win_share[s] = SHARES // winners if (leaders >> s) & 1 else 0
        result.payoff[s] = result.score[s] if rules.solo else result.win_share[s]


@part
def find_gap(state, result):
    """Points from the first to the second."""
    first, second = np.int64(-1), np.int64(-1)
    for s in range(state.seats):
        points = result.score[s]
        second = max(second, min(points, first))
        first = max(first, points)
    result.gap = first - second if second >= 0 else 0


@part
def score_seat(state, result, s, value):
    """What one player ends with; `value` as in `optimum`."""
    table = state.table
    result.score[s] = value >> POINTS
    result.score_red[s] = points_in(value, 0)
    result.score_blue[s] = points_in(value, 1)
    result.score_orange[s] = points_in(value, 2)
    result.score_green[s] = result.score[s] - result.score_red[s] - result.score_blue[s] - result.score_orange[s]
    result.full_runs[s] = full_runs_in(value)
    result.coins[s] = table.coins[s]
    result.bust_tokens[s] = table.bust_tokens[s]
    result.cards[s] = table.cards[s]


@part
def copy_notes(state, result, s):
    """What was noted of one seat."""
    notes = state.notes[s]
    result.cards_drawn[s] = notes[CARDS_DRAWN]
    result.wilds_met[s] = notes[WILDS_MET]
    result.turns_numbers[s] = notes[TURNS_NUMBERS]
    result.turns_money[s] = notes[TURNS_MONEY]
    result.turns_number_bust[s] = notes[TURNS_NUMBER_BUST]
    result.turns_currency_bust[s] = notes[TURNS_CURRENCY_BUST]
    result.turns_empty[s] = notes[TURNS_EMPTY]
    result.total_sum[s] = notes[TOTAL_SUM]
    result.currency_sum[s] = notes[CURRENCY_SUM]
    result.coins_money[s] = notes[COINS_MONEY]
    result.coins_received[s] = notes[COINS_RECEIVED]
    result.coins_lost[s] = notes[COINS_LOST]
    result.tokens_granted[s] = notes[TOKENS_GRANTED]
    result.tokens_refused[s] = notes[TOKENS_REFUSED]
    result.bids[s] = notes[BIDS]
    result.auctions_won[s] = notes[AUCTIONS_WON]
    result.auctions_won_active[s] = notes[AUCTIONS_WON_ACTIVE]
    result.auction_price[s] = notes[AUCTION_PRICE]
    result.auction_coins[s] = notes[AUCTION_COINS]
    result.auction_tokens[s] = notes[AUCTION_TOKENS]
    result.auction_cards[s] = notes[AUCTION_CARDS]
    result.auction_over[s] = notes[AUCTION_OVER]
    result.purchases[s] = notes[PURCHASES]
    result.purchases_final[s] = notes[PURCHASES_FINAL]
    result.purchase_price[s] = notes[PURCHASE_PRICE]
    result.purchase_coins[s] = notes[PURCHASE_COINS]
    result.purchase_tokens[s] = notes[PURCHASE_TOKENS]
    result.purchase_cards[s] = notes[PURCHASE_CARDS]
    result.purchase_over[s] = notes[PURCHASE_OVER]
    result.purchase_gain[s] = notes[PURCHASE_GAIN]
    result.draws[s] = notes[DRAWS]
    result.stops[s] = notes[STOPS]
    result.risk_drawn[s] = notes[RISK_DRAWN]
    result.risk_stopped[s] = notes[RISK_STOPPED]


@kernel
def score(state, result):
    """Section 5: the row of a finished game."""
    table = state.table
    for s in range(SEATS):
        if s < state.seats:
            score_seat(state, result, s, optimum(state.rules, table.owned[s], table.held[s, WILD_WORD]))
        else:
            no_seat(result, s)
        copy_notes(state, result, s)
    find_winners(state, result)
    find_gap(state, result)
    result.first_mover = table.first_mover
    result.turns = table.turn
    result.deck_size = table.deck_total
    result.market_left = cards_in(table.market)
    result.auctions = state.auctions
    result.unsold = state.unsold
    for k in range(len(SALES)):
        result.sold[k] = state.sold[k]
        result.price[k] = state.price[k]


@part
def no_seat(result, s):
    """A seat that does not play."""
    result.score[s] = 0
    result.score_red[s] = 0
    result.score_blue[s] = 0
    result.score_orange[s] = 0
    result.score_green[s] = 0
    result.full_runs[s] = 0
    result.coins[s] = 0
    result.bust_tokens[s] = 0
    result.cards[s] = 0


@part
def cards_in(pile):
    """How many number cards and wilds are in a pile."""
    cards = np.int64(0)
    for word in range(5):
        left = pile[word]
        while left != 0:
            cards += left & 15
            left >>= 4
    return cards


# ---------------------------------------------------------------------------------------------- a guess at hidden cards


@kernel
def guess(view, state):
    """A state that gives this view: the deck's order is drawn from the view's own stream, nothing is noted yet."""
    state.rules = view.rules
    state.whole_total = 0
    clear(state)
    state.table = view.table
    table = state.table
    state.watch = 0
    state.detail = 0
    state.dealing = 0
    state.given_cards = 0
    state.key[0] = np.int64(next_word(view.rng) >> np.uint64(1))
    state.key[1] = np.int64(next_word(view.rng) >> np.uint64(1))
    state.decision = view.decision
    state.seat = view.seat
    state.phase = phase_of(view)
    copy_history(view, state)
    cards_set_aside(view, state)
    n = np.int64(0)
    for kind in range(KINDS):
        for _ in range(in_pile(table.left, kind)):
            state.deck[n] = kind
            n += 1
    shuffle(view.rng, state.deck, n)
    for k in range(1, n + 1):
        state.deck[table.deck_total - k] = state.deck[n - k]
    if not state.rules.tokens_public:
        guess_tokens(view, state)
    note_moves(state)


@part
def note_moves(state):
    """What a step notes of the legal moves as it puts a question."""
    table, rules, seat = state.table, state.rules, state.seat
    if state.decision == BID:
        state.lowest, state.highest = lowest_bid(table, rules), means(table, seat, rules, True)
    elif state.decision == PURCHASE:
        state.buyable = may_buy(table, seat, rules)
    elif state.decision == PAYMENT:
        several_payments(state, payable_now(table, rules))


@part
def copy_history(view, state):
    """All that the view has seen, and where its turns began."""
    turn = np.int64(0)
    for k in range(view.seen):
        entry = np.int64(view.history[k])
        state.history[k] = entry
        if entry < TURN_OF * EVENT + FINAL_PHASE_OF:
            turn += 1
            mark_turn(state, turn, k)
        hash_entry(state, entry)
    for later in range(turn + 1, view.table.turn + 1):
        mark_turn(state, np.int64(later), view.seen)


@part
def phase_of(view):
    """The phase in which a decision is asked."""
    if view.decision == DRAW_OR_STOP:
        return np.int64(ASKING)
    if view.decision == REWARD:
        return np.int64(REWARDING)
    if view.decision == BID:
        return np.int64(BIDDING)
    return np.int64(PAYING) if view.decision == PAYMENT else np.int64(BUYING)


@part
def cards_set_aside(view, state):
    """The cards chosen for a payment in the making: the last entries of the history."""
    for k in range(view.table.card_count):
        put(state.paid, np.int64(view.history[view.seen - 1 - k]) % EVENT)


@part
def guess_tokens(view, state):
    """Coins and bust tokens that are not shown: any number that the limits allow, each as likely; the highest bidder has what was bid."""
    table, rules = state.table, state.rules
    most = min(coin_limit(rules), 10)
    supply = rules.bust_token_supply if rules.bust_token_supply < len(TOKEN_SUPPLIES) - 1 else np.int64(NO_LIMIT)
    supply -= table.bust_tokens[view.seat]
    owed, tokens_owed = np.int64(0), np.int64(0)
    if table.highest >= 0 and table.bidder != view.seat:
        owed = max(table.highest - rules.card_payment_value * payable_cards(table, table.bidder, rules, True), 0)
        # What the most coins do not make up.
        tokens_owed = in_tokens(state, max(owed - coin_limit(rules), 0) + rules.bust_token_value - 1) if rules.bust_token_value > 0 else 0
    supply -= tokens_owed
    for s in range(SEATS):
        if s != view.seat:
            table.coins[s] = below(view.rng, most + 1) if s < rules.players else 0
            table.bust_tokens[s] = min(below(view.rng, 4), supply) if s < rules.players else 0
            supply -= table.bust_tokens[s]
            if owed > 0 and s == table.bidder:
                table.bust_tokens[s] += tokens_owed
                table.coins[s] = max(table.coins[s], owed - rules.bust_token_value * table.bust_tokens[s])
    table.token_supply = supply


# -------------------------------------------------------------------------------------------------- to look at and tell

EVENTS = ("turn_of", "drew", "bade", "result", "paid_tokens", "paid_coins", "paid_card", "bought")


def card_text(kind: int) -> str:
    """'red 6', 'currency 2', 'blue #', 'numbered wild 5', 'full wild'."""
    if kind < HASH:
        return f"{COLOUR_NAMES[kind // NUMBERS]} {kind % NUMBERS + 1}"
    if kind < NUMBERED:
        return f"{COLOUR_NAMES[kind - HASH]} #"
    if kind < FULL:
        return f"numbered wild {kind - NUMBERED + 1}"
    return "full wild" if kind == FULL else f"currency {kind - CURRENCY + 1}"


def kinds_in(pile) -> list[int]:
    """The cards of a pile, one by one, ascending by kind."""
    words = [int(word) for word in pile]
    found = []
    for kind in range(KINDS if len(words) > CURRENCY_WORD else CURRENCY):
        copies = words[WORD[kind]] >> int(SHIFT[kind]) & (255 if kind >= CURRENCY else 15)
        found += [kind] * copies
    return found


def move_text(move: int, decision: int) -> str:
    """A move of a kind of decision in the page's words: 'STOP', 'BID 4', 'green 7'."""
    move, kind = int(move), DECISIONS[decision]
    stage, number = divmod(move, STAGE)
    if kind == "draw":
        return ("DRAW", "STOP")[move]
    if kind == "reward":
        return ("NUMBERS", "MONEY")[move]
    if kind == "bid":
        return "PASS" if move == PASS else f"BID {move}"
    if kind == "purchase":
        return "NONE" if move == NONE else card_text(move)
    if stage == CARD:
        return f"pays with {card_text(number)}"
    if stage in (TOKENS, COINS, CARDS):
        return f"pays with {number} {('bust tokens', 'coins', 'cards')[stage - TOKENS]}"
    return "canonical payment" if kind == "payment" else str(move)


def scene(state) -> dict:
    """All there is to see: the table, the deck, what everybody owns, and all that happened."""
    table = state["table"]
    seats = int(state["seats"])
    total, left = int(table["deck_total"]), int(table["deck_size"])
    history = [divmod(int(entry), EVENT) for entry in state["history"][: int(table["events"])]]
    return {
        "turn": int(table["turn"]),
        "active": int(table["active"]),
        "first_mover": int(table["first_mover"]),
        "final": bool(table["final"]),
        "deck": [int(kind) for kind in state["deck"][total - left : total]],
        "tableau": kinds_in(table["tableau"]),
        "total": int(table["total"]),
        "currency": int(table["currency"]),
        "market": kinds_in(table["market"]),
        "discard": kinds_in(table["discard"]),
        "auctioned": int(table["auctioned"]),
        "highest": int(table["highest"]),
        "price": int(table["price"]),
        "seat": int(state["seat"]),
        "kind": DECISIONS[int(state["decision"])],
        "limits": [int(state["rules"]["bust_limit"]), limit_of(CURRENCY_LIMITS[int(state["rules"]["currency_bust_limit"])])],
        "collections": [kinds_in(table["held"][s]) for s in range(seats)],
        "coins": [int(table["coins"][s]) for s in range(seats)],
        "bust_tokens": [int(table["bust_tokens"][s]) for s in range(seats)],
        "history": [[EVENTS[what], number] for what, number in history],
        "seats": seats,
        "floor": int(state["rules"]["running_floor"]) != NO_FLOOR,
        "tokens_public": bool(state["rules"]["tokens_public"]),
        "over": int(state["seat"]) == OVER,
    }


def seen(now: dict, seat: int) -> dict:
    """What of a scene a seat may know: all but the deck's order, and with hidden tokens what the others own of them.

    What is left in the deck is known by counting (section 4).
    """

    def own(values: list) -> list:
        return values if now["tokens_public"] else [value if s == seat else None for s, value in enumerate(values)]

    if not now["tokens_public"] and now["seat"] >= 0 and now["seat"] != seat:
        return {}  # that somebody is asked would tell that they can pay
    left = sorted(now["deck"])
    return {**now, "viewer": seat, "deck": len(left), "left": left, "coins": own(now["coins"]), "bust_tokens": own(now["bust_tokens"])}


def size(cards: list | int) -> int:
    """How many cards: of a list, or of cards that are hidden."""
    return cards if isinstance(cards, int) else len(cards)


class Teller:
    """Goes through a game's history and puts it in words, a line an entry."""

    def __init__(self, now: dict) -> None:
        self.now = now
        self.turn, self.seat, self.buyer, self.total, self.currency = 0, 0, 0, 0, 0
        self.wild = -1
        self.bids: list[int] = []
        self.pieces: list[str] = []

    def line(self, what: str, number: int) -> str:
        return getattr(self, what)(number)

    def turn_of(self, number: int) -> str:
        self.total = self.currency = 0
        self.buyer = number % FINAL_PHASE_OF
        if number >= FINAL_PHASE_OF:
            return f"Extra buy phase of seat {self.buyer}"
        self.turn, self.seat = self.turn + 1, number
        return f"Turn {self.turn}, seat {number}"

    def drew(self, kind: int) -> str:
        if HASH <= kind < CURRENCY:
            self.wild, self.bids = kind, []
            return f"  draws {card_text(kind)}: an auction"
        change = kind % NUMBERS + 1 if kind < HASH else CURRENCY - 1 - kind
        self.total = max(self.total + change, 0) if self.now["floor"] else self.total + change
        self.currency += max(-change, 0)
        return f"  draws {card_text(kind)}: T = {self.total}, C = {self.currency}"

    def bade(self, number: int) -> str:
        bidder = (self.seat + 1 + len(self.bids)) % self.now["seats"]
        self.bids.append(number - 1)
        text = f"    seat {bidder} " + (f"bids {number - 1}" if number else "passes")
        if len(self.bids) == self.now["seats"]:
            self.buyer = (self.seat + 1 + self.bids.index(max(self.bids))) % self.now["seats"]
            won = f"seat {self.buyer} wins the {card_text(self.wild)} at {max(self.bids)}"
            text += f"; {won}" if max(self.bids) >= 0 else "; nobody bids"
        return text

    def result(self, number: int) -> str:
        self.buyer = self.seat
        words = ("stops and takes NUMBERS", "stops and takes MONEY", "number bust", "currency bust", "the deck is empty: no reward")
        return f"  {words[number]} (T = {self.total}, C = {self.currency})"

    def paid_card(self, kind: int) -> str:
        self.pieces.append(card_text(kind))
        return ""

    def paid_tokens(self, number: int) -> str:
        self.pieces += [f"{number} bust token{'s' * (number > 1)}"] * (number > 0)
        return ""

    def paid_coins(self, number: int) -> str:
        self.pieces += [f"{number} coin{'s' * (number > 1)}"] * (number > 0)
        text, self.pieces = ", ".join(self.pieces) or "nothing", []
        return f"    seat {self.buyer} pays {text}"

    def bought(self, number: int) -> str:
        return f"  seat {self.buyer} buys {card_text(number - 1) if number else 'nothing'}"


def several(number: int, word: str) -> str:
    """'1 coin', '3 coins'."""
    return f"{number} {word}{'s' * (number != 1)}"


def market_line(now: dict) -> str:
    """The market and the number of cards in the deck."""
    return f"  Market: {', '.join(map(card_text, now['market'])) or 'empty'}; {several(size(now['deck']), 'card')} in the deck"


def collection_text(cards: list[int]) -> str:
    """The cards of a collection by colour: 'red 1 3 3 #, wild 5, full wild'."""
    parts = []
    for c, colour in enumerate(COLOUR_NAMES):
        own = [str(kind % NUMBERS + 1) for kind in cards if kind < HASH and kind // NUMBERS == c]
        own += ["#" for kind in cards if kind == HASH + c]
        parts += [f"{colour} {' '.join(own)}"] if own else []
    parts += [f"wild {kind - NUMBERED + 1}" for kind in cards if NUMBERED <= kind < FULL]
    return ", ".join(parts + ["full wild" for kind in cards if kind == FULL]) or "no cards"


def holdings(now: dict) -> list[str]:
    """What each player has: coins, bust tokens, collection."""
    lines = []
    for s, cards in enumerate(now["collections"]):
        coins, tokens = now["coins"][s], now["bust_tokens"][s]
        held = "hidden tokens" if coins is None else f"{several(coins, 'coin')}, {several(tokens, 'bust token')}"
        lines.append(f"    Seat {s}: {held}; {collection_text(cards)}")
    return lines


def chances(now: dict) -> str:
    """How the next card may turn out, by the cards that are left."""
    number_limit, currency_limit = now["limits"]
    too_high = sum(kind < HASH and now["total"] + kind % NUMBERS + 1 > number_limit for kind in now["left"])
    too_rich = sum(kind >= CURRENCY and now["currency"] + kind - CURRENCY + 1 > currency_limit for kind in now["left"])
    wilds = sum(HASH <= kind < CURRENCY for kind in now["left"])
    return f"of {several(len(now['left']), 'card')} left {too_high + too_rich} would bust, {wilds} {'is a wild' if wilds == 1 else 'are wilds'}"


def tell_asked(now: dict, before: dict | None) -> list[str]:
    """How things stand for a viewer who is to decide: all that lies on the table where it has changed, and what this choice is about."""
    me = now["viewer"]
    known = ("market", "collections", "coins", "bust_tokens")
    same = before is not None and before["seat"] == me and all(before[name] == now[name] for name in known)
    lines = [] if same or now["kind"] == "payment" else [market_line(now), *holdings(now)]
    kind, tableau = now["kind"], ", ".join(map(card_text, now["tableau"])) or "nothing"
    if kind == "draw":
        return [*lines, f"  On the table {tableau}: T = {now['total']}, C = {now['currency']}; {chances(now)}"]
    if kind == "reward":
        return [*lines, f"  NUMBERS or MONEY, of {tableau}"]
    if kind == "bid":
        highest = f"highest bid {now['highest']}" if now["highest"] >= 0 else "no bid yet"
        return [*lines, f"  Seat {me} may bid for the {card_text(now['auctioned'])}; {highest}"]
    return [*lines, f"  Seat {me} is to pay {now['price']}" if kind == "payment" else f"  Seat {me} may buy a card"]


def tell(now: dict, before: dict | None = None) -> list[str]:
    """What happened between two scenes in the rules page's words, a line a fact; `before` is the scene before."""
    told, teller, lines = len(before["history"]) if before else 0, Teller(now), []
    for place, (what, number) in enumerate(now["history"]):
        line = teller.line(what, number)
        if place >= told and line:
            lines.append(line)
    if now["over"]:
        return [*lines, "The game is over", market_line(now), *holdings(now)]
    if "viewer" in now:
        return lines + (tell_asked(now, before) if now["seat"] == now["viewer"] else [])
    if lines and now["history"][-1][0] == "turn_of":
        lines += [market_line(now), *holdings(now)]
    return lines


STYLES = (
    (r"\bred(?: (?:\d|#)(?!\d))*", "red"),
    (r"\bblue(?: (?:\d|#)(?!\d))*", "blue"),
    (r"\borange(?: (?:\d|#)(?!\d))*", "dark_orange"),
    (r"\bgreen(?: (?:\d|#)(?!\d))*", "green"),
    (r"\b(?:numbered |full )?wild\b(?: \d)?", "bold magenta"),
    (r"\bcurrency \d", "bold yellow"),
    (r"^(?:Turn|Extra) .*", "bold"),
    (r"\b(?:number|currency) bust\b", "bold red"),
)
TYPING = """\
In TEN: draw or stop (d, s), numbers or money, pass or a bid (4 is enough for BID 4), red 6 to buy it. A number is a bid or a
card's number; #4 is the fourth move of the list. The canonical payment spends fewest cards, then overpays least (2.8)."""


# ------------------------------------------------------------------------------------------------------------- the game


def limit_of(value: int | str) -> int:
    """A limit that may be missing, as a number."""
    return NO_LIMIT if value == "none" else int(value)


def deck_of(rules: Mapping) -> list[int]:
    """How many cards of each kind a game with these rules has (1.2, D1 to D3): `copies_in_deck`, for rules by name."""
    column = min(max(4 - rules["players"], 0), 2) if rules["deck"] == "scaled_v1" else 0

    def count(name, otherwise):
        return int(otherwise if rules[name] in ("deck", "listed") else rules[name])

    listed = CURRENCY_DECKS[column] if rules["currency_counts"] == "deck" else CURRENCY_LISTS[1 + (rules["currency_counts"] == "low_heavy")]
    low, high = count("number_copies_low", LOW_COPIES[column]), count("number_copies_high", HIGH_COPIES[column])
    wilds = [count(f"numbered_wilds_{n}", n >= NUMBERED_FROM[column]) for n in range(1, NUMBERS + 1)]
    return [
        *([low] * 6 + [high] * 3) * COLOURS,
        *[count("colour_wilds", COLOUR_WILDS[column])] * COLOURS,
        *wilds,
        count("full_wilds", 1),
        *(count(f"currency_{value}", listed[value - 1]) for value in range(1, 6)),
    ]


def check(rules: Mapping) -> str:
    """What is wrong with rules that are legal one by one."""
    if (rules["players"] == 1) != rules["solo"]:
        return "players = 1 goes with solo = true, and solo with 1 player"
    if rules["start_coins"] > limit_of(rules["coin_limit"]):
        return f"start_coins = {rules['start_coins']} is more than coin_limit = {rules['coin_limit']}"
    if limit_of(rules["coin_supply"]) < rules["players"] * limit_of(rules["coin_limit"]) and rules["coin_supply"] != "none":
        return f"coin_supply = {rules['coin_supply']} is less than players x coin_limit; set coin_supply = none"
    if rules["start_player"] != "random" and rules["start_player"] >= rules["players"]:
        return f"start_player = {rules['start_player']} is no seat of {rules['players']} players"
    counts = deck_of(rules)
    if sum(counts[CURRENCY:]) == 0 or sum(counts[:CURRENCY]) == 0:
        return "the deck needs a currency card, and a card that is none"
    return f"the deck has {sum(counts)} cards; at most {MOST_CARDS}" if sum(counts) > MOST_CARDS else ""


def games() -> list[Game]:
    """The game of this file."""
    return [
        Game(
            name="ten", title="TEN", version=1, rules_page="docs/rules/ten.md", parameters=PARAMETERS, columns=columns(),
            rules=RULES, state=STATE, view=VIEW, largest_seats=SEATS, largest_moves=MOST_MOVES, start=start, legal=legal,
            observe=observe, step=step, score=score, scene=scene, tell=tell, seen=seen, guess=guess, decisions=DECISIONS, best_player="steady",
            move_text=move_text, joints=(("first_mover", "winner"),), check=check,
            styles=STYLES, tells_decisions=True, offers=("payment",), numbered=False, typing=TYPING,
        )
    ]  # fmt: skip
