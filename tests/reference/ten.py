"""The card game TEN, played slowly and plainly from the rules page.

Sections (2.3, 2.10, 9), decisions (D1..D25) and worked examples are those of docs/rules/ten.md.

A card is (colour, number). Colours 0 to 3 are red, blue, orange, green; (colour, HASH) is the `#` of a colour,
(WILD, n) the numbered wild n, (WILD, FULL) the full wild, (CURRENCY, v) a currency card of value v. A deck is a list of
cards, the top card first.

    play(rules, seed, deal, players)   play one deal: an event for every decision, then {"row": …}
    play_row(rules, seed, deal)        the row alone
    position(rules, …)                 a Game to try single steps on

`players` holds one function a seat: choose(seat, kind, legal_moves, game, stream) returns the index of a move. Moves are
integers; a decision with one legal move is not asked.
"""

from __future__ import annotations

import itertools
from functools import lru_cache

from .streams import CHANCE, DEAL, SEAT, Stream

RED, BLUE, ORANGE, GREEN, WILD, CURRENCY = range(6)
COLOURS = (RED, BLUE, ORANGE, GREEN)
NUMBERS = range(1, 10)
HASH, FULL = 10, 11
VALUES = range(1, 6)

DRAW, STOP = 0, 1
TAKE_NUMBERS, TAKE_MONEY = 0, 1
PASS = -1
NONE = -1

# The questions of a payment: the canonical one or, part by part, the bust tokens, the coins, how many cards, which.
CANONICAL = 0
TOKENS, COINS, CARDS, CARD = (part * 4096 for part in (1, 2, 3, 4))

WHOLE_WIN = 60
"""A win, so that it can be shared by up to five."""

# --- rules (section 3) ----------------------------------------------------------------------------------------------

DEFAULTS = {
    "players": 4,
    "deck": "scaled_v1",
    "number_copies_low": "deck",
    "number_copies_high": "deck",
    "colour_wilds": "deck",
    **{f"numbered_wilds_{n}": "deck" for n in NUMBERS},
    "full_wilds": "deck",
    "currency_counts": "deck",
    **{f"currency_{v}": "listed" for v in VALUES},
    "bust_limit": 10,
    "currency_bust_limit": 10,
    "running_floor": "none",
    "reward_must_be_nonempty": True,
    "payout_split": "each",
    "min_bid": 1,
    "unsold_wild": "discard",
    "hash_price": 5,
    "cards_as_payment": "both",
    "card_payment_value": 1,
    "wilds_as_payment": True,
    "paid_cards_to": "discard",
    "payment_rule": "irredundant",
    "coin_supply": 50,
    "bust_token_supply": 15,
    "full_run_bonus": 1,
    "run_points": 1,
    "min_run": 1,
    "wild_only_runs": True,
    "final_buy": True,
    "final_buy_includes_last": True,
    "tie_breaks": "coins_fewest_cards_shared",
    "tokens_public": True,
    "coin_limit": 10,
    "start_coins": 5,
    "bust_token_value": 3,
    "buy_limit": 1,
    "solo": False,
    "solo_reserve": 3,
    "payout_on_number_bust": True,
    "payout_on_currency_bust": False,
    "money_allows_buy": False,
    "duplicate_buy_ban": True,
    "start_player": "random",
}


def make_rules(**changes):
    """The default rules with some parameters changed."""
    unknown = set(changes) - set(DEFAULTS)
    if unknown:
        raise KeyError(f"unknown rule parameters: {sorted(unknown)}")
    rules = {**DEFAULTS, **changes}
    if (rules["players"] == 1) != rules["solo"]:
        raise ValueError("one player exactly when solo is on (D22)")
    return rules


# --- the deck (1.1, 1.2) --------------------------------------------------------------------------------------------

FULL_DECK = {"low": 3, "high": 1, "hash": 2, "numbered": list(NUMBERS), "full": 1, "currency": [6, 6, 5, 5, 5]}
SCALED = {
    2: {"low": 1, "high": 1, "hash": 1, "numbered": [7, 8, 9], "full": 1, "currency": [3, 3, 2, 2, 2]},
    3: {"low": 2, "high": 1, "hash": 1, "numbered": list(NUMBERS), "full": 1, "currency": [4, 4, 4, 4, 3]},
    4: FULL_DECK,
    5: FULL_DECK,
}
CURRENCY_COUNTS = {"even": [6, 6, 5, 5, 5], "low_heavy": [9, 7, 5, 4, 2]}


def given(value, otherwise):
    """A count that is set, or else what the deck in use has (section 9, 9)."""
    return otherwise if value in ("deck", "listed") else value


def deck_list(rules):
    """The unshuffled deck: by colour and number, the wilds, the currency by value; copies next to each other."""
    solo_or_players = 2 if rules["solo"] else rules["players"]  # D22
    table = FULL_DECK if rules["deck"] == "full" else SCALED[solo_or_players]
    low, high = given(rules["number_copies_low"], table["low"]), given(rules["number_copies_high"], table["high"])
    deck = []
    for colour in COLOURS:
        for n in NUMBERS:
            deck += [(colour, n)] * (low if n <= 6 else high)
    for colour in COLOURS:
        deck += [(colour, HASH)] * given(rules["colour_wilds"], table["hash"])
    for n in NUMBERS:
        deck += [(WILD, n)] * given(rules[f"numbered_wilds_{n}"], int(n in table["numbered"]))
    deck += [(WILD, FULL)] * given(rules["full_wilds"], table["full"])
    counts = CURRENCY_COUNTS.get(rules["currency_counts"], table["currency"])
    for v in VALUES:
        deck += [(CURRENCY, v)] * given(rules[f"currency_{v}"], counts[v - 1])
    return deck


def is_number(card):
    """A colour number card, not a wild and not currency."""
    return card[0] < WILD and card[1] != HASH


def is_wild(card):
    return card[0] == WILD or card[1] == HASH


def is_currency(card):
    return card[0] == CURRENCY


def code(card):
    """The integer that stands for a card in moves."""
    colour, number = card
    if is_currency(card):
        return 49 + number
    if card == (WILD, FULL):
        return 49
    if colour == WILD:
        return 39 + number
    return 36 + colour if number == HASH else 9 * colour + number - 1


# --- scoring (2.10), one colour -------------------------------------------------------------------------------------


INTERVALS = [(a, b) for a in NUMBERS for b in range(a, 10)]
"""The 45 intervals [a, b]; "nothing" is the 46th option."""


def interval_points(a, b, rules):
    """(b - a + 1) * run_points + full_run_bonus * [a = 1 and b = 9]."""
    bonus = rules["full_run_bonus"] if (a, b) == (1, 9) else 0
    return (b - a + 1) * rules["run_points"] + bonus


def allowed(a, b, owned, rules):
    """D15: `min_run`; D16: `wild_only_runs`."""
    if b - a + 1 < rules["min_run"]:
        return False
    return rules["wild_only_runs"] or any(n in owned for n in range(a, b + 1))


SCORING = ("run_points", "full_run_bonus", "min_run", "wild_only_runs")
"""The rules that decide a score."""


@lru_cache(maxsize=200_000)
def ways(owned, hashes, numbered, fulls, settings):
    """The options of one colour: (points, numbered wilds used, full wilds used), the best first.

    `owned` are the numbers S_c, `hashes` is H_c, `numbered` are the other numbers with a numbered wild, `fulls` is F. In one
    colour a number is missing once at most, so of two numbered wilds with one number only one can serve.
    """
    rules = dict(zip(SCORING, settings))
    found = {((), 0): 0}
    for a, b in INTERVALS:
        if not allowed(a, b, owned, rules):
            continue
        missing = [n for n in range(a, b + 1) if n not in owned]
        points = interval_points(a, b, rules)
        # With fewer numbered wilds the full ones do not suffice; with more a `#` would lie idle.
        for size in range(max(0, len(missing) - hashes - fulls), max(0, len(missing) - hashes) + 1):
            for used in itertools.combinations([n for n in missing if n in numbered], size):
                key = (used, max(0, len(missing) - size - hashes))
                found[key] = max(found.get(key, 0), points)
    return without_wasteful(found)


def without_wasteful(found):
    """The options without those that use more wilds than another one and give no more points."""
    kept = []
    # Those that give more come first, and of equal ones those that use less: so nothing kept is beaten later.
    for (used, full_used), points in sorted(found.items(), key=lambda item: (-item[1], len(item[0][0]) + item[0][1], item[0])):
        if not any(set(u) <= set(used) and f <= full_used for _, u, f in kept):
            kept.append((points, used, full_used))
    return kept


# --- scoring (2.10), all colours -------------------------------------------------------------------------------------


def options_of(collection, settings):
    """The options of each colour, and the wilds: how many of each number, how many full ones."""
    left = [0] * 10
    fulls = 0
    owned = [set() for _ in COLOURS]
    hashes = [0 for _ in COLOURS]
    for colour, number in collection:
        if (colour, number) == (WILD, FULL):
            fulls += 1
        elif colour == WILD:
            left[number] += 1
        elif number == HASH:
            hashes[colour] += 1
        else:
            owned[colour].add(number)
    choices = []
    for c in COLOURS:
        numbered = tuple(n for n in NUMBERS if left[n] > 0 and n not in owned[c])
        choices.append(ways(tuple(sorted(owned[c])), hashes[c], numbered, fulls, settings))
    return choices, tuple(left), fulls


def score(collection, rules):
    """The optimal score (2.10)."""
    return score_of(tuple(sorted(collection)), tuple(rules[name] for name in SCORING))


@lru_cache(maxsize=200_000)
def score_of(collection, settings):
    choices, left, fulls = options_of(collection, settings)
    return best_from(0, choices, left, fulls, {})


def best_from(colour, choices, left, fulls, known):
    """The best points of the colours from this one on, with these wilds left; `known` keeps what was found already."""
    if colour == len(choices):
        return 0
    state = (colour, left, fulls)
    if state in known:
        return known[state]
    best, reach = -1, reach_from(colour + 1, choices)
    for gain, used, full_used in choices[colour]:
        if gain + reach <= best:
            break  # the options come with the best first
        if are_left(used, full_used, left, fulls):
            best = max(best, gain + best_from(colour + 1, choices, less(left, used), fulls - full_used, known))
    known[state] = best
    return best


def reach_from(colour, choices):
    """What the colours from this one on could give at most."""
    return sum(options[0][0] for options in choices[colour:])


def are_left(used, full_used, left, fulls):
    """Whether these wilds can still be used."""
    return full_used <= fulls and (not used or all(left[n] for n in used))


def less(left, used):
    """The numbered wilds that are left when these are used."""
    if not used:
        return left
    rest = list(left)
    for n in used:
        rest[n] -= 1
    return tuple(rest)


def score_by_colour(collection, rules):
    """The recorded optimal assignment (section 9, 2): the points of red, blue, orange, green, and the full runs."""
    choices, left, fulls = options_of(collection, tuple(rules[name] for name in SCORING))
    _total, full_runs, *parts = recorded_from(0, choices, left, fulls, interval_points(1, 9, rules), {})
    return parts, full_runs


def recorded_from(colour, choices, left, fulls, full_run, known):
    """As `best_from`, but the best (total, full runs, points of each colour): of equal totals most full runs, then red, …"""
    if colour == len(choices):
        return 0, 0
    state = (colour, left, fulls)
    if state in known:
        return known[state]
    best, reach = (-1,), reach_from(colour + 1, choices)
    for gain, used, full_used in choices[colour]:
        if gain + reach < best[0]:
            break
        if are_left(used, full_used, left, fulls):
            total, runs, *parts = recorded_from(colour + 1, choices, less(left, used), fulls - full_used, full_run, known)
            best = max(best, (gain + total, runs + (gain == full_run), gain, *parts))
    known[state] = best
    return best


# --- means and payments (2.5, 2.8) ----------------------------------------------------------------------------------


def spendable(collection, rules, purpose):
    """D10: the cards of a collection that may be paid with, for `purpose` "buy" or "auction"."""
    if rules["cards_as_payment"] not in ("both", purpose):
        return []
    return [card for card in collection if rules["wilds_as_payment"] or is_number(card)]


def worth(tokens, coins, cards, rules):
    """2.8: what a mix of bust tokens, coins and cards is worth."""
    return rules["bust_token_value"] * tokens + coins + rules["card_payment_value"] * cards


def is_legal_payment(price, mix, rules):
    """2.8, D12: worth the price and, if `irredundant`, no token or card of it could be left out."""
    value = worth(*mix, rules)
    if value < price:
        return False
    if rules["payment_rule"] == "any":
        return True
    pieces = zip(mix, (rules["bust_token_value"], 1, rules["card_payment_value"]))
    return all(value - piece < price for count, piece in pieces if count > 0)


def legal_mixes(price, tokens, coins, cards, rules):
    """All legal (bust tokens, coins, cards) to pay the price with, of so many."""
    found = []
    for t, k in itertools.product(range(tokens + 1), range(cards + 1)):
        missing = max(0, price - worth(t, 0, k, rules))
        # Fewer coins are not enough; more are redundant, and so only of interest where that is allowed.
        most = coins if rules["payment_rule"] == "any" else min(missing, coins)
        found += [(t, c, k) for c in range(missing, most + 1) if is_legal_payment(price, (t, c, k), rules)]
    return found


def canonical_mix(mixes, rules):
    """2.8: fewest cards, least overpayment, fewest coins (and fewest bust tokens, should they be worth nothing)."""
    return min(mixes, key=lambda mix: (mix[2], worth(*mix, rules), mix[1], mix[0]))


def canonical_order(card):
    """2.8, ties: number cards before wilds, the lower number, colour order (numbered wilds after the colours)."""
    colour, number = card
    return is_wild(card), number, colour


def least_missed(collection, choices, rules):
    """2.8: the card, one of the choices, whose loss lowers the optimal score least."""
    now, best, found = score(collection, rules), -1, None
    for card in sorted(set(choices), key=canonical_order):
        then = score(without(collection, card), rules)
        if then > best:
            best, found = then, card
        if best == now:
            break  # nothing can be missed less
    return found


def without(collection, card):
    rest = list(collection)
    rest.remove(card)
    return rest


def canonical_cards(count, collection, rules, purpose):
    """2.8 and section 9, 4: one at a time, the score computed anew for each."""
    rest, taken = list(collection), []
    for _ in range(count):
        card = least_missed(rest, spendable(rest, rules, purpose), rules)
        rest.remove(card)
        taken.append(card)
    return taken


def canonical_payment(price, tokens, coins, collection, rules, purpose):
    """2.8: the canonical payment as (bust tokens, coins, list of cards)."""
    cards = len(spendable(collection, rules, purpose))
    t, c, k = canonical_mix(legal_mixes(price, tokens, coins, cards, rules), rules)
    return t, c, canonical_cards(k, collection, rules, purpose)


# --- playing --------------------------------------------------------------------------------------------------------


def random_player(seat, kind, legal, game, stream):
    """The reference random player (section 8): anything legal, paid canonically."""
    return 0 if kind == "payment" else stream.below(len(legal))


def any_move(seat, kind, legal, game, stream):
    """A player that makes any legal move, payments too."""
    return stream.below(len(legal))


def play(rules, seed, deal, players=None):
    """Play deal number `deal` of `seed`: {"decision": …} for each question asked, then {"row": …}."""
    game = Game(rules, seed, deal, players)
    deck = deck_list(game.rules)
    Stream(seed, deal, DEAL).shuffle(deck)
    game.set_up(deck)
    game.play()
    yield from game.events
    yield {"row": game.row()}


def play_row(rules, seed, deal, players=None):
    """The row (section 5) of a deal."""
    *_, last = play(rules, seed, deal, players)
    return last["row"]


def position(rules=None, *, deck=(), tableau=(), market=(), collections=(), coins=(), tokens=(), active=0, players=None):
    """A game in the middle of a turn of `active`; by seat: collections, coins, bust tokens."""
    game = Game(rules or {}, players=players)
    game.full_deck_size = len(deck)
    game.deck, game.market = list(deck), list(market)
    game.start_seat = game.active = active
    for seat, cards in enumerate(collections):
        game.collections[seat] = list(cards)
    for seat in game.seats:
        game.coins[seat] = coins[seat] if coins else game.rules["start_coins"]
        game.tokens[seat] = tokens[seat] if tokens else 0
    game.begin_turn()
    for card in tableau:
        game.lay(card)
    return game


class Game:
    """One game: where the cards and tokens are, and what is recorded (section 5)."""

    def __init__(self, rules, seed=0, deal=0, players=None):
        self.rules = make_rules(**rules)
        self.count = self.rules["players"]
        self.seats = range(self.count)
        self.players = players or [random_player] * self.count
        self.chance = Stream(seed, deal, CHANCE)
        self.seat_streams = [Stream(seed, deal, SEAT + s) for s in self.seats]

        # Where the cards are (2.2).
        self.deck = []
        self.full_deck_size = 0
        self.tableau = []
        self.market = []
        self.discard = []
        self.collections = [[] for _ in self.seats]

        # Tokens.
        self.coins = [0 for _ in self.seats]
        self.tokens = [0 for _ in self.seats]

        # Whose turn it is, and the running total.
        self.start_seat = -1
        self.active = -1
        self.total = 0  # T
        self.final_phase = False

        # The record.
        self.events = []
        self.turn = None
        self.turns = []
        self.auctions = []
        self.purchases = []
        self.draw_or_stop = []  # (seat, answer, cards left that bust, cards left)

    # --- deciding (section 4) ---

    def ask(self, seat, kind, legal):
        """The move that a player chooses; not asked if there is only one."""
        if len(legal) == 1:
            return legal[0]
        index = self.players[seat](seat, kind, legal, self, self.seat_streams[seat])
        self.events.append({"decision": {"seat": seat, "kind": kind, "legal": list(legal), "move": legal[index]}})
        return legal[index]

    # --- setup (2.1) ---

    def set_up(self, deck):
        self.deck, self.full_deck_size = list(deck), len(deck)
        self.coins = [self.rules["start_coins"] for _ in self.seats]
        self.start_seat = self.active = self.who_starts()

    def who_starts(self):
        """2.1.3, D25."""
        if self.rules["start_player"] == "random":
            return self.chance.below(self.count)
        return self.rules["start_player"]

    # --- the tableau (2.2) ---

    def currency_total(self):
        """C: the sum of the currency values in the tableau."""
        return sum(number for colour, number in self.tableau if colour == CURRENCY)

    def numbers(self):
        """The number cards of the tableau."""
        return [card for card in self.tableau if is_number(card)]

    def lay(self, card):
        """A card joins the tableau, and T changes (2.2, D5)."""
        self.tableau.append(card)
        self.total += -card[1] if is_currency(card) else card[1]
        if self.rules["running_floor"] == 0:
            self.total = max(0, self.total)

    def from_left_of(self, seat):
        """The other players clockwise, and `seat` itself last."""
        return [(seat + step) % self.count for step in range(1, self.count + 1)]

    # --- the game ---

    def play(self):
        while self.deck:
            self.take_turn()
            if self.deck:
                self.active = (self.active + 1) % self.count
        self.final_buys()

    # --- a turn (2.3) ---

    def take_turn(self):
        self.begin_turn()
        self.play_on()

    def begin_turn(self):
        self.total = 0
        self.turn = {
            "active": self.active,
            "drawn": [],
            "gained": [0 for _ in self.seats],
            "lost": [0 for _ in self.seats],
            "token": None,
        }

    def play_on(self):
        """The loop of 2.3, to the end of the turn."""
        result = self.draw()
        while result is None and not self.stops():
            result = self.draw()
        self.turn["T"], self.turn["C"] = self.total, self.currency_total()
        if result is None:
            result = self.reward()
        else:
            self.bust(result)
        self.turn["result"] = result
        self.turns.append(self.turn)

    def draw(self):
        """The top card of the deck, and what it brings: "number_bust", "currency_bust" or None."""
        card = self.deck.pop(0)
        self.turn["drawn"].append(card)
        if is_wild(card):
            self.auction(card)
            return None
        self.lay(card)
        return self.bust_by(card)

    def bust_by(self, card):
        """2.3, D4; the card just drawn lies in the tableau."""
        if is_currency(card):
            return "currency_bust" if self.over_currency_limit(self.currency_total()) else None
        return "number_bust" if self.total > self.rules["bust_limit"] else None

    def over_currency_limit(self, amount):
        limit = self.rules["currency_bust_limit"]
        return limit != "none" and amount > limit

    def stops(self):
        """2.3: with an empty deck one must stop; otherwise DRAW or STOP."""
        if not self.deck:
            return True
        legal = [DRAW]
        if self.tableau or not self.rules["reward_must_be_nonempty"]:  # D6
            legal.append(STOP)
        if len(legal) == 1:
            return False
        busting = self.busting_cards()
        move = self.ask(self.active, "draw", legal)
        self.draw_or_stop.append((self.active, move, busting, len(self.deck)))
        return move == STOP

    def busting_cards(self):
        """Section 9, 8: how many of the cards left would bust if drawn next; wilds do not."""
        limit, amount = self.rules["currency_bust_limit"], self.currency_total()
        highest_number = self.rules["bust_limit"] - self.total
        highest_currency = FULL if limit == "none" else limit - amount
        return sum(n > (highest_currency if c == CURRENCY else highest_number) for c, n in self.deck if c != WILD and n != HASH)

    # --- busts (2.4) ---

    def bust(self, kind):
        self.numbers_to_market()
        self.take_bust_token()
        if self.rules["payout_on_" + kind]:  # D23
            self.pay_others()
        self.currency_to_discard()

    def numbers_to_market(self):
        self.market += self.numbers()
        self.tableau = [card for card in self.tableau if is_currency(card)]

    def currency_to_discard(self):
        self.discard += [card for card in self.tableau if is_currency(card)]
        self.tableau = self.numbers()

    def take_bust_token(self):
        """2.8, D13: none is received if the supply has none."""
        supply = self.rules["bust_token_supply"]
        if supply != "none" and sum(self.tokens) >= supply:
            self.turn["token"] = "refused"
        else:
            self.turn["token"] = "granted"
            self.tokens[self.active] += 1

    # --- coins (2.8) ---

    def gain_coins(self, seat, amount):
        """2.8: what exceeds the limit is not taken. (The supply of coins cannot run out, D13.)"""
        limit = self.rules["coin_limit"]
        taken = amount if limit == "none" else min(amount, limit - self.coins[seat])
        self.coins[seat] += taken
        self.turn["gained"][seat] += taken
        self.turn["lost"][seat] += amount - taken

    def pay_others(self):
        """2.4, 2.6, D7: every other player gains C; nobody does in a solo game (D22)."""
        *others, _ = self.from_left_of(self.active)
        for seat in others:
            amount = self.currency_total()
            if self.rules["payout_split"] == "shared_floor":
                amount //= len(others)
            self.gain_coins(seat, amount)

    # --- the auction (2.5) ---

    def auction(self, wild):
        """2.5; what follows is up to 2.3."""
        winner, price, bids = None, None, []
        for seat in self.from_left_of(self.active):
            bid = self.ask(seat, "bid", [PASS, *self.legal_bids(seat, price)])
            bids.append((seat, bid))
            if bid != PASS:
                winner, price = seat, bid
        auction = {"wild": wild, "deck_left": len(self.deck), "bids": bids, "winner": winner, "price": price, "active": self.active}
        self.auctions.append(auction)
        if winner is None:
            self.unsold(wild)
            return
        paid = self.pay(winner, price, "auction", auction)  # D18
        self.collections[winner].append(wild)
        self.put_away(paid)

    def legal_bids(self, seat, highest):
        """2.5.2, D8, D22; before the first bid the only lower bound is `min_bid` (section 9, 10)."""
        lowest = self.rules["min_bid"]
        if self.rules["solo"]:
            lowest = max(lowest, self.rules["solo_reserve"])
        if highest is not None:
            lowest = max(lowest, highest + 1)
        return list(range(lowest, self.means(seat, "auction") + 1))

    def means(self, seat, purpose):
        """2.5.2; for purchases section 9, 3."""
        cards = spendable(self.collections[seat], self.rules, purpose)
        return worth(self.tokens[seat], self.coins[seat], len(cards), self.rules)

    def unsold(self, wild):
        """2.5.4, D9."""
        place = {"discard": self.discard, "market": self.market, "active_free": self.collections[self.active]}
        place[self.rules["unsold_wild"]].append(wild)

    # --- payment (2.8) ---

    def pay(self, seat, price, purpose, entry):
        """The payer chooses a payment and makes it; the cards paid, which belong nowhere yet. `entry` records it."""
        tokens, coins, cards = self.choose_payment(seat, price, purpose)
        self.tokens[seat] -= tokens
        self.coins[seat] -= coins
        for card in cards:
            self.collections[seat].remove(card)
        over = worth(tokens, coins, len(cards), self.rules) - price
        entry.update(paid_tokens=tokens, paid_coins=coins, paid_cards=len(cards), over=over)
        return cards

    def choose_payment(self, seat, price, purpose):
        """Section 4: any legal payment, asked for part by part."""
        collection = self.collections[seat]
        cards = spendable(collection, self.rules, purpose)
        mixes = legal_mixes(price, self.tokens[seat], self.coins[seat], len(cards), self.rules)
        t, c, k = canonical_mix(mixes, self.rules)
        only_one = len(mixes) == 1 and (k == 0 or len(set(cards)) == 1)
        if not only_one:
            choice = self.ask(seat, "payment", [CANONICAL, *sorted({TOKENS + mix[0] for mix in mixes})])
        if only_one or choice == CANONICAL:
            return t, c, canonical_cards(k, collection, self.rules, purpose)
        mixes = [mix for mix in mixes if TOKENS + mix[0] == choice]
        choice = self.ask(seat, "payment", sorted({COINS + mix[1] for mix in mixes}))
        mixes = [mix for mix in mixes if COINS + mix[1] == choice]
        choice = self.ask(seat, "payment", sorted({CARDS + mix[2] for mix in mixes}))
        [(t, c, k)] = [mix for mix in mixes if CARDS + mix[2] == choice]
        return t, c, self.choose_cards(seat, k, cards)

    def choose_cards(self, seat, count, cards):
        """Which cards are paid, one after the other."""
        rest, taken = sorted(cards, key=code), []
        for _ in range(count):
            kinds = sorted({code(card) for card in rest})
            choice = self.ask(seat, "payment", [CARD + kind for kind in kinds])
            card = next(card for card in rest if CARD + code(card) == choice)
            rest.remove(card)
            taken.append(card)
        return taken

    def put_away(self, paid):
        """D11: where cards that were paid go, after the purchase is complete."""
        for card in paid:
            if self.rules["paid_cards_to"] == "market" and is_number(card):
                self.market.append(card)
            else:
                self.discard.append(card)

    # --- rewards (2.6) ---

    def reward(self):
        """After stopping without a bust: "numbers", "money" or "empty"."""
        legal = self.legal_rewards()
        if not legal:
            return "empty"
        if self.ask(self.active, "reward", legal) == TAKE_NUMBERS:
            self.take_numbers()
            return "numbers"
        self.take_money()
        return "money"

    def legal_rewards(self):
        """2.6, D6."""
        anything = not self.rules["reward_must_be_nonempty"]
        legal = []
        if anything or self.numbers():
            legal.append(TAKE_NUMBERS)
        if anything or any(is_currency(card) for card in self.tableau):
            legal.append(TAKE_MONEY)
        return legal

    def take_numbers(self):
        self.pay_others()
        self.collections[self.active] += self.numbers()
        self.currency_to_discard()
        self.tableau = []
        self.buy_phase(self.active)

    def take_money(self):
        self.gain_coins(self.active, self.currency_total())
        self.numbers_to_market()
        self.currency_to_discard()
        if self.rules["money_allows_buy"]:  # D23
            self.buy_phase(self.active)

    # --- buying (2.7) ---

    def buy_phase(self, seat):
        """2.7, D21; section 9, 10: one after another until NONE or the limit."""
        for _ in range(self.rules["buy_limit"]):
            kinds = sorted({code(card) for card in self.market if self.may_buy(seat, card)})
            choice = self.ask(seat, "purchase", [NONE, *kinds])
            if choice == NONE:
                return
            self.buy(seat, next(card for card in self.market if code(card) == choice))

    def price(self, card):
        """2.7: the printed number; D9: `hash_price` for wilds without one."""
        return card[1] if card[1] in NUMBERS else self.rules["hash_price"]

    def may_buy(self, seat, card):
        """2.7: affordable, and no duplicate of a number card (D24)."""
        duplicate = is_number(card) and card in self.collections[seat]
        if duplicate and self.rules["duplicate_buy_ban"]:
            return False
        return self.price(card) <= self.means(seat, "buy")

    def buy(self, seat, card):
        collection = self.collections[seat]
        gain = score([*collection, card], self.rules) - score(collection, self.rules)  # section 9, 1
        purchase = {"seat": seat, "card": card, "price": self.price(card), "final": self.final_phase, "gain": gain}
        self.purchases.append(purchase)
        self.market.remove(card)
        paid = self.pay(seat, self.price(card), "buy", purchase)
        collection.append(card)
        self.put_away(paid)

    # --- the end (2.9) ---

    def final_buys(self):
        """2.9, D17: from left of the player who drew the last card, ending with that player."""
        self.final_phase = True
        *others, last = self.from_left_of(self.active)
        if self.rules["final_buy"]:
            for seat in [*others, last] if self.rules["final_buy_includes_last"] else others:
                self.buy_phase(seat)

    # --- the result (2.11) ---

    def winners(self):
        """2.11, D19: the seats that win, and the criterion that left one alone: 0 points, 1 coins, 2 cards, 3 none."""
        criteria = [lambda seat: score(self.collections[seat], self.rules)]
        if "coins" in self.rules["tie_breaks"]:
            criteria.append(lambda seat: self.coins[seat])
        if "fewest_cards" in self.rules["tie_breaks"]:
            criteria.append(lambda seat: -len(self.collections[seat]))
        numbers = {"coins_fewest_cards_shared": [0, 1, 2], "coins_shared": [0, 1], "fewest_cards_shared": [0, 2], "shared": [0]}
        left = list(self.seats)
        for number, criterion in zip(numbers[self.rules["tie_breaks"]], criteria):
            best = max(criterion(seat) for seat in left)
            left = [seat for seat in left if criterion(seat) == best]
            if len(left) == 1:
                return left, number
        return left, 3

    # --- the row (section 5) ---

    def row(self):
        scores = [score(self.collections[seat], self.rules) for seat in self.seats]
        winners, tie_break = self.winners()
        best, *others = sorted(scores, reverse=True)
        row = {
            "outcome": 0 if len(winners) == 1 else 1,
            "winner": winners[0] if len(winners) == 1 else -1,
            "draw_seats": sum(2**seat for seat in winners) if len(winners) > 1 else 0,
            "first_mover": self.start_seat,
            "turns": len(self.turns),
            "deck_size": self.full_deck_size,
            "market_left": len(self.market),
            "gap": best - others[0] if others else 0,
            "tie_break": tie_break,
            "auctions": len(self.auctions),
            "unsold": sum(auction["winner"] is None for auction in self.auctions),
        }
        for seat in self.seats:
            share = WHOLE_WIN // len(winners) if seat in winners else 0
            cells = {"payoff": scores[seat] if self.rules["solo"] else share, "win_share": share}
            for part in (self.holdings, self.turns_of, self.auctions_of, self.purchases_of, self.answers_of):
                cells.update(part(seat))
            row.update({f"{name}_{seat}": value for name, value in cells.items()})
        row.update(self.prices())
        return row

    def holdings(self, seat):
        parts, full_runs = score_by_colour(self.collections[seat], self.rules)
        cells = {
            "score": score(self.collections[seat], self.rules),
            "coins": self.coins[seat],
            "bust_tokens": self.tokens[seat],
            "cards": len(self.collections[seat]),
            "full_runs": full_runs,
        }
        for name, points in zip(("red", "blue", "orange", "green"), parts):
            cells[f"score_{name}"] = points
        return cells

    def turns_of(self, seat):
        own = [turn for turn in self.turns if turn["active"] == seat]
        others = [turn for turn in self.turns if turn["active"] != seat]
        cells = {
            "cards_drawn": sum(len(turn["drawn"]) for turn in own),
            "wilds_met": sum(is_wild(card) for turn in own for card in turn["drawn"]),
            "total_sum": sum(turn["T"] for turn in own),
            "currency_sum": sum(turn["C"] for turn in own),
            "coins_money": sum(turn["gained"][seat] for turn in own),
            "coins_received": sum(turn["gained"][seat] for turn in others),
            "coins_lost": sum(turn["lost"][seat] for turn in self.turns),
            "tokens_granted": sum(turn["token"] == "granted" for turn in own),
            "tokens_refused": sum(turn["token"] == "refused" for turn in own),
        }
        for result in ("numbers", "money", "number_bust", "currency_bust", "empty"):
            cells[f"turns_{result}"] = sum(turn["result"] == result for turn in own)
        return cells

    def auctions_of(self, seat):
        won = [auction for auction in self.auctions if auction["winner"] == seat]
        return {
            "bids": sum(bid != PASS for auction in self.auctions for bidder, bid in auction["bids"] if bidder == seat),
            "auctions_won": len(won),
            "auctions_won_active": sum(auction["active"] == seat for auction in won),
            **paid_for("auction", won),
        }

    def purchases_of(self, seat):
        made = [purchase for purchase in self.purchases if purchase["seat"] == seat]
        return {
            "purchases": len(made),
            "purchases_final": sum(purchase["final"] for purchase in made),
            "purchase_gain": sum(purchase["gain"] for purchase in made),
            **paid_for("purchase", made),
        }

    def answers_of(self, seat):
        """Section 9, 8: the chance of a bust is recorded in millionths."""
        cells = {"draws": 0, "stops": 0, "risk_drawn": 0, "risk_stopped": 0}
        for who, answer, busting, left in self.draw_or_stop:
            if who == seat:
                cells["draws" if answer == DRAW else "stops"] += 1
                cells["risk_drawn" if answer == DRAW else "risk_stopped"] += 1_000_000 * busting // left
        return cells

    def prices(self):
        """Wilds sold and what for, by class and by stage of the game."""
        classes, stages = ("hash", "numbered", "full"), ("early", "middle", "late")
        cells = {f"{what}_{c}_{s}": 0 for what in ("sold", "price") for c in classes for s in stages}
        for auction in self.auctions:
            if auction["winner"] is not None:
                label = f"{class_of(auction['wild'])}_{self.stage(auction['deck_left'])}"
                cells["sold_" + label] += 1
                cells["price_" + label] += auction["price"]
        return cells

    def stage(self, left):
        if 3 * left > 2 * self.full_deck_size:
            return "early"
        return "late" if 3 * left <= self.full_deck_size else "middle"


def class_of(wild):
    if wild == (WILD, FULL):
        return "full"
    return "numbered" if wild[0] == WILD else "hash"


def paid_for(name, entries):
    """What was paid for these auctions or purchases."""
    return {
        f"{name}_price": sum(entry["price"] for entry in entries),
        f"{name}_coins": sum(entry["paid_coins"] for entry in entries),
        f"{name}_tokens": sum(entry["paid_tokens"] for entry in entries),
        f"{name}_cards": sum(entry["paid_cards"] for entry in entries),
        f"{name}_over": sum(entry["over"] for entry in entries),
    }
