"""The card game Tichu, played slowly and plainly from the rules page.

Section and decision numbers (2.1, D5, ...) are those of docs/rules/tichu.md.
Cards and combinations are those of `tichu_combinations`.

    play(rules, seed, deal, players)      the decisions of a round, or of a match, then its row
    play_deck(deck, rules, players)       a round of a given deck: the Round, at its end
    position(hands, rules, ...)           a Round in the midst of play, to try moves on

`rules["game"]` is tichu (a round) or tichu-match. `players[seat](kind, legal,
round)` returns the index of a move of `legal`, a list of codes. A decision is a
dict: kind, seat, legal, index. The codes:

    grand, tichu   0 no, 2 ** 56 yes
    push           2 ** card; the cards for the next seat, the partner and the
                   previous seat are three decisions, one after the other
    play, bomb     0 pass or decline, else a combination: its set of cards, the
                   number of its type times 2 ** 56, its rank times 2 ** 59
    wish           0 none, else 2 * 2 ** 56 + rank * 2 ** 59
    gift           3 * 2 ** 56 + the seat that gets the trick * 2 ** 59
"""

from collections import Counter, namedtuple
from itertools import pairwise

from .streams import CHANCE, DEAL, Stream
from .tichu_combinations import (
    ACE,
    DECK,
    DOG_ALONE,
    DRAGON,
    FLUSH,
    FOUR,
    FULL_HOUSE,
    MAH_JONG,
    PAIR,
    PAIR_RUN,
    PHOENIX,
    RANKS,
    SINGLE,
    STRAIGHT,
    TRIPLE,
    Hand,
    bombs,
    bombs_on,
    contains_natural,
    follows,
    is_bomb,
    leads,
    pair_rank,
    phoenix_stands_for,
    points_of,
    rank_of,
)

WIN, DRAW, CAPPED = 0, 1, 3
NONE = -1  # in a cell: no such seat, no such thing

SEATS = range(4)
ON, OFF = True, False

# Round n >= 1 of a match is shuffled by the stream RESHUFFLE + n.
RESHUFFLE = 2**16

DEFAULTS = {
    "game": "tichu",
    "target_score": 1000,
    "match_mode": "target",
    "fixed_rounds": 6,
    "tie_rule": "extra_round",
    "max_rounds": 300,
    "gt_order": "simultaneous",
    "partner_calls": "both_allowed",
    "tichu_windows": "w1+w2+w3",
    "tichu_after_first_out": OFF,
    "tichu_before_push": ON,
    "pass_cards": ON,
    "deal_8_first": ON,
    "grand_tichu_cards": 8,
    "min_pair_run": 2,
    "min_straight": 5,
    "sf_as_straight": OFF,
    "phoenix_full_house": "declare",
    "phoenix_straight": "declare",
    "dragon_recipient": "either",
    "dragon_gift_last_trick": ON,
    "wish": "optional",
    "wish_scope": "all",
    "bombs_out_of_turn": ON,
    "bomb_windows": "after_play_and_close",
    "bomb_order": "next_first",
    "dog_partner_out": "after_partner",
    "tichu_value": 100,
    "grand_tichu_value": 200,
    "double_victory_value": 200,
    # What others may see of a hand; it changes nothing in the play itself.
    "public_hand_sizes": ON,
}

# Kinds of decision (section 5).
GRAND, TICHU, PUSH, PLAY, BOMB, WISH, GIFT = "grand tichu push play bomb wish gift".split()
NO_YES = [False, True]

PASS = None  # also: no bomb
NO_WISH = 0

# The numbers of the types in codes and cells; the Dog counts as a single.
TYPES = [SINGLE, PAIR, TRIPLE, PAIR_RUN, FULL_HOUSE, STRAIGHT, FOUR, FLUSH]

# In the cell call: when the call was made.
CALL_NUMBER = {"w1": 1, "w2": 2, "w3": 3, "grand": 4}

# A play: who, what, on which combination (None: a lead), in a bomb window or on turn.
Play = namedtuple("Play", "seat move on in_window")

# A closed trick: who led, the combination led, how many plays, whose it was, who got it, points.
Trick = namedtuple("Trick", "leader lead plays owner taker points")


def make_rules(**changes):
    """The default rules with some parameters changed."""
    unknown = set(changes) - set(DEFAULTS)
    if unknown:
        raise KeyError(f"unknown rule parameters: {sorted(unknown)}")
    return {**DEFAULTS, **changes}


# --- seats (section 1) ---------------------------------------------------------


def after(seat, steps=1):
    return (seat + steps) % 4


def partner(seat):
    return after(seat, 2)


def team(seat):
    return seat % 2


def opponents(seat):
    return [after(seat, 1), after(seat, 3)]


class Round:
    """One deal: where the cards are, how the round stands, and what is recorded."""

    def __init__(self, rules=None, players=None, chance=None, totals=(0, 0), events=None):
        self.rules = make_rules(**(rules or {}))
        self.players = players
        self.chance = chance
        self.totals = totals
        self.events = [] if events is None else events

        # Where the cards are.
        self.hands = [[] for _ in SEATS]
        self.piles = [[] for _ in SEATS]
        self.table = []
        self.aside = []

        # How the round stands.
        self.calls = {}  # seat: GRAND or TICHU
        self.has_played = [False] * 4
        self.out = []  # seats in the order of going out
        self.top = None
        self.owner = None
        self.plays_in_trick = 0
        self.wish = NO_WISH
        self.over = False

        # The record (section 6).
        self.first_deal = [[] for _ in SEATS]  # the cards at the grand tichu decision
        self.full_deal = [[] for _ in SEATS]
        self.given = None  # each seat's cards to the next seat, the partner, the previous seat
        self.call_window = {}
        self.call_high = {}
        self.bombs_held = [[] for _ in SEATS]  # at the first lead
        self.mah_jong_dealt = None
        self.mah_jong_leads = None
        self.plays = []
        self.passes = 0
        self.leaders = []  # of all leads, Dogs included
        self.tricks = []
        self.wish_made = None
        self.plays_at_wish = 0
        self.fulfilled = None  # (by whom, after how many plays)
        self.forced_by_wish = 0
        self.dragon_gift = NONE

    # --- decisions ---

    def ask(self, seat, kind, options):
        """The option that a player chooses; the options are in the order of the list."""
        legal = [code(kind, option) for option in options]
        index = self.players[seat](kind, legal, self)
        self.events.append({"kind": kind, "seat": seat, "legal": legal, "index": index})
        return options[index]

    # --- a round (2.1) ---

    def run(self, deck):
        """A whole round of a deck: seat 0's 14 cards first, as they come, then seat 1's, ..."""
        self.deal(deck, 0, self.first_cards())
        self.first_deal = [list(hand) for hand in self.hands]
        self.grand_tichu()
        self.deal(deck, self.first_cards(), 14)
        self.full_deal = [list(hand) for hand in self.hands]
        self.mah_jong_dealt = self.holder(MAH_JONG)
        if self.rules["tichu_before_push"]:
            self.tichu_window("w1")
            chosen = self.choose_push()
        else:  # D9
            chosen = self.choose_push()
            self.tichu_window("w1")
        self.exchange(chosen)
        self.tichu_window("w2")
        self.bombs_held = [bombs(Hand(hand)) for hand in self.hands]
        self.mah_jong_leads = self.holder(MAH_JONG)
        self.play_tricks(self.mah_jong_leads)  # D13

    def first_cards(self):
        """D11: how many cards a seat has at the grand tichu decision."""
        return self.rules["grand_tichu_cards"] if self.rules["deal_8_first"] else 0

    def deal(self, deck, already, until):
        """2.1: each seat's cards number `already` to `until` - 1 of its fourteen."""
        for seat in SEATS:
            self.hands[seat] = sorted(self.hands[seat] + deck[14 * seat + already : 14 * seat + until])

    def holder(self, card):
        return next(seat for seat in SEATS if card in self.hands[seat])

    # --- calls (2.2) ---

    def grand_tichu(self):
        """2.2, D5, D11."""
        if not self.rules["deal_8_first"]:
            return
        if self.rules["gt_order"] == "sequential":
            for seat in SEATS:
                if self.team_may_call(seat) and self.ask(seat, GRAND, NO_YES):
                    self.call(seat, GRAND, "grand")
            return
        answers = [self.ask(seat, GRAND, NO_YES) for seat in SEATS]
        self.settle_calls(answers, GRAND, "grand")

    def settle_calls(self, answers, kind, window):
        """Simultaneous calls; of two partners the lower seat's stands with one call a team (D6)."""
        for seat in SEATS:
            if answers[seat] and self.team_may_call(seat):
                self.call(seat, kind, window)

    def team_may_call(self, seat):
        """D6."""
        return self.rules["partner_calls"] == "both_allowed" or partner(seat) not in self.calls

    def call(self, seat, kind, window):
        self.calls[seat] = kind
        self.call_window[seat] = window
        self.call_high[seat] = high_cards(self.hands[seat])

    def may_call_tichu(self, seat):
        """2.2: no call yet (D7), no card played, nobody out (D8), and no partner's call (D6)."""
        if seat in self.calls or self.has_played[seat] or not self.team_may_call(seat):
            return False
        return not self.out or self.rules["tichu_after_first_out"]

    def window_open(self, window):
        """D8."""
        return window in self.rules["tichu_windows"].split("+")

    def tichu_window(self, window):
        """2.2, W1 and W2: all at the same time."""
        if not self.window_open(window):
            return
        answers = [self.may_call_tichu(seat) and self.ask(seat, TICHU, NO_YES) for seat in SEATS]
        self.settle_calls(answers, TICHU, window)

    def offer_tichu(self, seat):
        """2.2, W3: before a decision in which the seat could play its first card (D46, D47)."""
        if self.window_open("w3") and self.may_call_tichu(seat) and self.ask(seat, TICHU, NO_YES):
            self.call(seat, TICHU, "w3")

    # --- push (2.3) ---

    def choose_push(self):
        """2.3, D10: three cards of each seat, for the next seat, the partner and the previous one."""
        if not self.rules["pass_cards"]:
            return None
        chosen = []
        for seat in SEATS:
            left, cards = list(self.hands[seat]), []
            for _receiver in range(3):
                cards.append(self.ask(seat, PUSH, list(left)))
                left.remove(cards[-1])
            chosen.append(cards)
        return chosen

    def exchange(self, chosen):
        """2.3: all twelve cards at once."""
        if chosen is None:
            return
        self.given = chosen
        for seat in SEATS:
            for steps, card in zip((1, 2, 3), chosen[seat]):
                self.hands[seat].remove(card)
                self.hands[after(seat, steps)].append(card)
        for hand in self.hands:
            hand.sort()

    # --- tricks (2.5, 2.6) ---

    def play_tricks(self, leader):
        while not self.over:
            leader = self.trick(leader)

    def trick(self, leader):
        """From a lead to the end of the trick; returns who leads next."""
        self.leaders.append(leader)
        self.plays_in_trick = 0
        self.lead(leader)
        if self.top is None:
            return self.leader_after_dog(leader)
        return self.play_trick_out()

    def play_trick_out(self):
        """2.6, from the moment that a combination was put on the table by a seat on turn."""
        self.window_after_play()
        while not self.over:
            if self.regular_turns():
                self.window_after_play()
            elif not self.window_before_close():
                break
        return self.close_trick()

    def lead(self, seat):
        """2.5."""
        self.offer_tichu(seat)
        self.put(seat, self.ask_for_play(seat, self.legal_leads(seat)))

    def legal_leads(self, seat):
        return in_order(leads(self.hands[seat], self.rules))

    def ask_for_play(self, seat, moves):
        """On regular turn; the wish may leave only some of the moves (2.7)."""
        allowed = self.under_wish(seat, moves)
        if allowed is not moves:
            self.forced_by_wish += 1
        return self.ask(seat, PLAY, allowed)

    def regular_turns(self):
        """2.6.2: True as soon as somebody has played."""
        for seat in self.seats_after_owner():
            if self.turn(seat):
                return True
            if self.window_after_pass():
                return self.over or self.regular_turns()
        return False

    def seats_after_owner(self):
        """2.6.2: in turn order, without the owner and the seats without cards."""
        seats = [after(self.owner, steps) for steps in (1, 2, 3)]
        return [seat for seat in seats if self.hands[seat]]

    def turn(self, seat):
        """2.6.2: a seat plays (True) or passes; a forced pass is not asked for."""
        moves = self.legal_follows(seat)
        if moves == [PASS]:
            self.passes += 1
            return False
        self.offer_tichu(seat)
        move = self.ask_for_play(seat, moves)
        if move is PASS:
            self.passes += 1
            return False
        self.put(seat, move)
        return True

    def legal_follows(self, seat):
        """Without a wish."""
        return [PASS, *in_order(follows(self.hands[seat], self.top, self.rules))]

    def put(self, seat, move, in_window=False):
        """A seat plays a combination, and what comes of it at once."""
        self.plays.append(Play(seat, move, self.top, in_window))
        self.plays_in_trick += 1
        for card in move.cards:
            self.hands[seat].remove(card)
        self.has_played[seat] = True
        if move.type == DOG_ALONE:
            self.aside.extend(move.cards)
        else:
            self.table.extend(move.cards)
            self.top, self.owner = move, seat
        self.fulfil_wish(seat, move)
        if not self.hands[seat]:
            self.go_out(seat)
        if MAH_JONG in move.cards and not self.over:
            self.make_wish(seat)

    def go_out(self, seat):
        """2.11."""
        self.out.append(seat)
        self.over = self.double_victory() or len(self.out) == 3

    def double_victory(self):
        """2.11 (a)."""
        return len(self.out) >= 2 and self.out[1] == partner(self.out[0])

    def close_trick(self):
        """2.6.4, 2.6.5, 2.11; returns who leads next."""
        if self.double_victory():
            return None  # 2.11 (a): nothing remains to be resolved
        owner = self.owner
        taker = self.dragon_recipient(owner) if DRAGON in self.top.cards else owner
        lead = self.plays[-self.plays_in_trick]
        self.tricks.append(Trick(lead.seat, lead.move, self.plays_in_trick, owner, taker, points_of(self.table)))
        self.piles[taker].extend(self.table)
        self.table, self.top, self.owner = [], None, None
        return self.first_with_cards(owner)

    def first_with_cards(self, seat):
        """The seat itself, or the first after it, that has cards (2.6.5, D15)."""
        return next(s for s in (after(seat, steps) for steps in SEATS) if self.hands[s])

    # --- the wish (2.7) ---

    def make_wish(self, seat):
        """2.7, D29."""
        if self.rules["wish"] == "off":
            return
        ranks = list(RANKS)
        if self.rules["wish"] == "optional":
            ranks = [NO_WISH, *ranks]
        self.wish = self.wish_made = self.ask(seat, WISH, ranks)
        self.plays_at_wish = len(self.plays)

    def fulfil_wish(self, seat, move):
        """2.7: a natural card of the rank, played by whatever means (D31, D32)."""
        if self.wish and contains_natural(move, self.wish):
            self.fulfilled = (seat, len(self.plays) - self.plays_at_wish)
            self.wish = NO_WISH

    def under_wish(self, seat, moves):
        """2.7, the duty: `moves` are the legal ones as if there were no wish; itself if it binds nothing."""
        if not self.wish or all(rank_of(card) != self.wish for card in self.hands[seat]):
            return moves
        containing = [move for move in moves if move is not PASS and contains_natural(move, self.wish)]
        if not any(self.in_wish_scope(move) for move in containing):
            return moves
        return containing

    def in_wish_scope(self, move):
        """D30."""
        scope = self.rules["wish_scope"]
        return scope == "all" or (scope == "no_bombs" and not is_bomb(move)) or move.type == SINGLE

    # --- bombs out of turn (2.9) ---

    def window_after_play(self):
        if self.rules["bomb_windows"] != "close_only":
            self.bomb_window()

    def window_after_pass(self):
        return self.rules["bomb_windows"] == "after_every_action" and self.bomb_window()

    def window_before_close(self):
        """With a window after every pass this one has been held already."""
        return self.rules["bomb_windows"] != "after_every_action" and self.bomb_window()

    def bomb_window(self):
        """2.9: ask in turn, anew after each bomb, until all decline; True if somebody bombed."""
        bombed = False
        while not self.over and self.one_bomb():
            bombed = True
        return bombed

    def one_bomb(self):
        """2.9, one round of questions: True as soon as somebody bombs."""
        if not self.rules["bombs_out_of_turn"]:  # D34
            return False
        legal = [in_order(bombs_on(hand, self.top)) for hand in self.hands]
        if not any(legal):
            return False
        for seat in self.window_order():
            if not legal[seat]:
                continue
            self.offer_tichu(seat)
            move = self.ask(seat, BOMB, [PASS, *legal[seat]])
            if move is not PASS:
                self.put(seat, move, in_window=True)
                return True
        return False

    def window_order(self):
        """D36."""
        if self.rules["bomb_order"] == "random_start":
            first = self.chance.below(4)
        else:
            first = {"next_first": after(self.owner), "owner_first": self.owner}[self.rules["bomb_order"]]
        return [after(first, steps) for steps in SEATS]

    # --- Dog and Dragon (2.10) ---

    def leader_after_dog(self, seat):
        """2.10, D39."""
        if self.over:
            return None
        if self.hands[partner(seat)]:
            return partner(seat)
        if self.rules["dog_partner_out"] == "after_player":
            return self.first_with_cards(after(seat))
        return self.first_with_cards(after(partner(seat)))

    def dragon_recipient(self, owner):
        """2.10, D26, D27."""
        if self.over and not self.rules["dragon_gift_last_trick"]:
            return owner
        choices = opponents(owner)
        if self.rules["dragon_recipient"] == "active_if_any":
            choices = [seat for seat in choices if self.hands[seat]] or choices
        self.dragon_gift = self.ask(owner, GIFT, choices) if len(choices) > 1 else choices[0]
        return self.dragon_gift

    # --- scoring (2.12) ---

    def card_scores(self):
        """2.12, the two teams' card points."""
        if self.double_victory():
            value = self.rules["double_victory_value"]
            return [value if team(self.out[0]) == side else 0 for side in (0, 1)]
        scores = [0, 0]
        first, last = self.out[0], self.last()
        scores[1 - team(last)] += points_of(self.hands[last])
        scores[team(first)] += points_of(self.piles[last])
        for seat in SEATS:
            if seat != last:
                scores[team(seat)] += points_of(self.piles[seat])
        return scores

    def last(self):
        """2.12: the player with cards left."""
        return next(seat for seat in SEATS if self.hands[seat])

    def call_points(self, seat):
        """2.12, D42."""
        if seat not in self.calls:
            return 0
        value = self.rules["grand_tichu_value" if self.calls[seat] == GRAND else "tichu_value"]
        return value if self.out[0] == seat else -value

    def scores(self):
        """What the round gives to each team."""
        return [self.card_scores()[side] + sum(self.call_points(seat) for seat in SEATS if team(seat) == side) for side in (0, 1)]

    # --- the row (section 6) ---

    def row(self):
        row = {}
        for part in (
            self.row_of_result,
            self.row_of_calls,
            self.row_of_cards,
            self.row_of_course,
            self.row_of_bombs,
            self.row_of_wish,
            self.row_of_dragon_and_phoenix,
        ):
            row.update(part())
        return row

    def row_of_result(self):
        scores, card_scores = self.scores(), self.card_scores()
        ahead = scores[0] - scores[1]
        double = self.double_victory()
        last = NONE if double else self.last()
        lost_hand = [] if double else self.hands[last]
        leads_with = team(self.mah_jong_leads)
        return {
            "outcome": WIN if ahead else DRAW,
            "winner": NONE if ahead == 0 else 0 if ahead > 0 else 1,
            **{f"payoff_{seat}": ahead if team(seat) == 0 else -ahead for seat in SEATS},
            **{f"score_{side}": scores[side] for side in (0, 1)},
            **{f"card_score_{side}": card_scores[side] for side in (0, 1)},
            "double_victory": int(double),
            **{f"out_{place}": self.out[place - 1] if len(self.out) >= place else NONE for place in (1, 2, 3)},
            "last": last,
            "first_out_from_leader": (self.out[0] - self.mah_jong_leads) % 4,
            "leader_last": int(self.mah_jong_leads == last),
            "leader_difference": scores[leads_with] - scores[1 - leads_with],
            "points_left": points_of(lost_hand),
            "points_passed_on": 0 if double else points_of(self.piles[last]),
            "cards_left": len(lost_hand),
            "first_out_plays": sum(1 for play in self.plays if play.seat == self.out[0]),
        }

    def row_of_calls(self):
        row = {}
        for seat in SEATS:
            called = seat in self.calls
            row[f"call_{seat}"] = CALL_NUMBER[self.call_window[seat]] if called else 0
            row[f"call_success_{seat}"] = int(self.out[0] == seat) if called else NONE
            row[f"call_high_{seat}"] = self.call_high[seat] if called else NONE
        return row

    def row_of_cards(self):
        row = {"mah_jong_dealt": self.mah_jong_dealt, "mah_jong_leads": self.mah_jong_leads}
        for seat in SEATS:
            row[f"high_first_{seat}"] = high_cards(self.first_deal[seat])
            row[f"high_dealt_{seat}"] = high_cards(self.full_deal[seat])
            row[f"first_hand_{seat}"] = set_of(self.first_deal[seat])
            row[f"dealt_hand_{seat}"] = set_of(self.full_deal[seat])
            given = self.given and self.given[seat]
            row[f"pushed_{seat}"] = given[0] + 64 * given[1] + 4096 * given[2] if given else NONE
        return row

    def row_of_course(self):
        return {
            "plays": len(self.plays),
            "passes": self.passes,
            "tricks": len(self.tricks),
            "dogs": sum(1 for play in self.plays if play.move.type == DOG_ALONE),
            "lead_changes": sum(1 for before, leader in pairwise(self.leaders) if leader != before),
        }

    def row_of_bombs(self):
        played = [play for play in self.plays if is_bomb(play.move)]
        bombed = Counter("lead" if play.on is None else "bomb" if is_bomb(play.on) else play.on.type for play in played)
        row = {
            "bombs": len(played),
            "bombs_four": sum(1 for play in played if play.move.type == FOUR),
            "bombs_flush": sum(1 for play in played if play.move.type == FLUSH),
            "bombs_out_of_turn": sum(1 for play in played if play.in_window),
        }
        for what in ("lead", SINGLE, PAIR, TRIPLE, PAIR_RUN, FULL_HOUSE, STRAIGHT, "bomb"):
            row[f"bombs_on_{what}"] = bombed[what]
        for seat in SEATS:
            by_seat = sum(1 for play in played if play.seat == seat)
            kinds = {move.type for move in self.bombs_held[seat]}
            row[f"bombs_by_{seat}"] = by_seat
            row[f"bomb_held_{seat}"] = (1 if FOUR in kinds else 0) + (2 if FLUSH in kinds else 0)
            row[f"bomb_unplayed_{seat}"] = int(bool(kinds) and by_seat == 0)
        return row

    def row_of_wish(self):
        by, plays = self.fulfilled or (NONE, 0)
        return {
            "mah_jong_by": self.who_played(MAH_JONG),
            "wish": NONE if self.wish_made is None else self.wish_made,
            "wish_fulfilled_by": by,
            "wish_plays": plays,
            "wish_forced": self.forced_by_wish,
        }

    def row_of_dragon_and_phoenix(self):
        phoenix = [TYPES.index(play.move.type) for play in self.plays if PHOENIX in play.move.cards]
        return {
            "dragon_by": self.who_played(DRAGON),
            "dragon_bombed": int(any(play.on is not None and DRAGON in play.on.cards for play in self.plays)),
            "dragon_to": self.dragon_gift,
            "phoenix_use": phoenix[0] if phoenix else NONE,
            "phoenix_to": next((seat for seat in SEATS if PHOENIX in self.piles[seat]), NONE),
        }

    def who_played(self, card):
        return next((play.seat for play in self.plays if card in play.move.cards), NONE)


def high_cards(cards):
    """Section 6: how many of the six high cards (aces, Dragon, Phoenix)."""
    return sum(1 for card in cards if rank_of(card) == ACE or card in (DRAGON, PHOENIX))


# --- codes and their order ---------------------------------------------------


def set_of(cards):
    """A set of cards as a number: bit c for card c."""
    return sum(2**card for card in cards)


def code(kind, option):
    """The number of an option, as in the list of this module's first lines."""
    if kind in (GRAND, TICHU):
        return packed(1) if option else 0
    if kind == PUSH:
        return 2**option
    if kind == WISH:
        return packed(2, option) if option != NO_WISH else 0
    if kind == GIFT:
        return packed(3, option)
    return code_of_move(option) if option is not PASS else 0


def packed(what, number=0, cards=0):
    return cards + what * 2**56 + number * 2**59


def code_of_move(move):
    """A single Phoenix has the rank that it was played on, without its half; 1 if it was led."""
    return packed(type_number(move), int(move.rank), set_of(move.cards))


def type_number(move):
    return TYPES.index(SINGLE if move.type == DOG_ALONE else move.type)


def in_order(moves):
    """As the list of legal moves has them."""
    return sorted(moves, key=place_in_list) if len(moves) > 1 else moves


def place_in_list(move):
    pair = pair_rank(move) if move.type == FULL_HOUSE else 0
    return type_number(move), len(move.cards), int(move.rank), pair, phoenix_stands_for(move), set_of(move.cards)


# --- the match (2.13) ----------------------------------------------------------


class Match:
    """Rounds, until a team has won."""

    def __init__(self, rules, players, seed, deal, events):
        self.rules = make_rules(**rules)
        self.players = players
        self.seed, self.deal = seed, deal
        self.chance = Stream(seed, deal, CHANCE)
        self.events = events
        self.totals = [0, 0]
        self.rounds = []  # the rounds played
        self.history = []  # the totals after each of them

    def run(self):
        while not self.ended() and len(self.rounds) < self.rules["max_rounds"]:  # D4
            self.play_round()

    def play_round(self):
        purpose = RESHUFFLE + len(self.rounds) if self.rounds else DEAL
        deck = shuffled_deck(self.seed, self.deal, purpose)
        played = Round(self.rules, self.players, self.chance, tuple(self.totals), self.events)
        played.run(deck)
        self.totals = [total + score for total, score in zip(self.totals, played.scores())]
        self.rounds.append(played)
        self.history.append(self.totals)

    def ended(self):
        """2.13, D2, D3: the last round may be the last of the match, and the totals differ, or a tie is a draw."""
        if not self.enough(len(self.rounds)):
            return False
        return self.totals[0] != self.totals[1] or self.rules["tie_rule"] == "draw"

    def enough(self, rounds):
        """D2: after this number of rounds the match ends but for a tie."""
        if self.rules["match_mode"] == "fixed_rounds":
            return rounds >= self.rules["fixed_rounds"]
        return rounds > 0 and max(self.history[rounds - 1]) >= self.rules["target_score"]

    def winner(self):
        if not self.ended() or self.totals[0] == self.totals[1]:
            return NONE
        return 0 if self.totals[0] > self.totals[1] else 1

    def row(self):
        """Section 6, per match."""
        row = self.row_of_end()
        for seat in SEATS:
            for name, kind in (("grand", GRAND), ("tichu", TICHU)):
                called = [played for played in self.rounds if played.calls.get(seat) == kind]
                row[f"{name}_calls_{seat}"] = len(called)
                row[f"{name}_made_{seat}"] = sum(1 for played in called if played.out[0] == seat)
        row["double_victories"] = sum(1 for played in self.rounds if played.double_victory())
        return row

    def row_of_end(self):
        winner, ended = self.winner(), self.ended()
        return {
            "outcome": CAPPED if not ended else WIN if winner >= 0 else DRAW,
            "winner": winner,
            **{f"payoff_{seat}": self.payoff(seat, winner, ended) for seat in SEATS},
            **{f"total_{side}": self.totals[side] for side in (0, 1)},
            "rounds": len(self.rounds),
            "lead_changes": self.lead_changes(),
            "deficit": self.deficit(winner),
            "extra_rounds": self.extra_rounds(),
        }

    def payoff(self, seat, winner, ended):
        if not ended:
            return 0
        return 1 if winner < 0 else 2 if team(seat) == winner else 0

    def lead_changes(self):
        """Level totals are nobody's lead."""
        leaders = [0 if first > second else 1 for first, second in self.history if first != second]
        return sum(1 for before, leader in pairwise(leaders) if leader != before)

    def deficit(self, winner):
        """The largest deficit that the winner overcame."""
        if winner < 0:
            return 0
        return max(0, *(totals[1 - winner] - totals[winner] for totals in self.history))

    def extra_rounds(self):
        """Rounds after the first at whose end the match would have ended but for a tie."""
        enough = [number for number in range(1, len(self.rounds) + 1) if self.enough(number)]
        return len(self.rounds) - enough[0] if enough else 0


# --- playing -------------------------------------------------------------------


def shuffled_deck(seed, deal, purpose):
    deck = list(DECK)
    Stream(seed, deal, purpose).shuffle(deck)
    return deck


def play(rules, seed, deal, players):
    """Yields every decision of deal number `deal` of `seed`, a dict each, then the row of the game."""
    events = []
    if rules.get("game") == "tichu-match":
        game = Match(rules, players, seed, deal, events)
        game.run()
    else:
        game = Round(rules, players, Stream(seed, deal, CHANCE), events=events)
        game.run(shuffled_deck(seed, deal, DEAL))
    yield from events
    yield {"row": game.row()}


def play_deck(deck, rules, players, seed=0, deal=0):
    """A round of a deck as it stands (see Round.run)."""
    game = Round(rules, players, Stream(seed, deal, CHANCE))
    game.run(list(deck))
    return game


def position(hands, rules=None, players=None, top=None, owner=None, wish=NO_WISH, out=(), calls=None, seed=0, deal=0):
    """A round in the midst of play: these hands; `top` of `owner`'s lies on the table."""
    game = Round(rules, players, Stream(seed, deal, CHANCE))
    game.hands = [sorted(hand) for hand in hands]
    game.has_played = [len(hand) < 14 for hand in hands]
    game.out = list(out)
    game.calls = dict(calls or {})
    game.wish = wish
    if top is not None:
        game.top, game.owner = top, owner
        game.table = list(top.cards)
        game.plays.append(Play(owner, top, None, False))
        game.plays_in_trick = 1
    return game
