"""The card game War, played slowly and plainly from the rules page.

Rule numbers (B1..B6, 3.1, D1..D20, sections) are those of docs/rules/war.md.
A card is its rank number (section 1).  A packet is a list, front first.

    play(rules, seed, deal)          deal a shuffled deck and play one game
    play_deck(deck, rules)           deal a deck in the given order, then play
    play_from(packets, rules)        start from given packets
    one_battle(packets, rules)       the packets after one battle, and the row

Each of the first three takes `trace`, a list that gets one dict per battle
(battle, winner, pot, packets, side_piles, carried), the start being battle 0.
"""

from .streams import CHANCE, DEAL, SEAT, Stream

# --- outcomes (section 8) ---------------------------------------------------

WIN, DRAW, ENDLESS, CAPPED = 0, 1, 2, 3
UNFINISHED = -1  # only when play_from was told to stop early

# --- rules (section 7) ------------------------------------------------------

_COMMON = {
    "players": 2,
    "face_down": 3,
    "pickup_order": "shuffled",
    "short_war_rule": "last_card_up",
    "war_participants": "all",
    "leftover": "set_aside",
    "deadlock_rule": "carry",
    "max_battles": 10000,
    "detect_endless": True,
    "ranks": 13,
    "copies": 4,
    "cap_result": "no_result",
    "ace_war_size": 11,
    "face_war_size": 10,
    "war_size_source": "latest_tie",
}

VARIANTS = {
    "war": {**_COMMON, "game": "war"},
    "war-multi": {**_COMMON, "game": "war-multi", "players": 3, "face_down": 1},
    # face_down is not used in razboi (section 7).
    "razboi": {**_COMMON, "game": "razboi", "war_participants": "tied"},
}

# D2: the orders among which a player may choose, by index.
CHOICES = ("winner_first", "losers_first", "high_first", "low_first", "shuffled")

# D2: the orders without chance or choice (section 8, `endless`).
FIXED_ORDERS = (
    "winner_first",
    "losers_first",
    "seat_order",
    "seat_alternate",
    "high_first",
    "low_first",
)


def make_rules(game, **changes):
    """The default rules of a game with some parameters changed."""
    unknown = set(changes) - set(VARIANTS[game])
    if unknown:
        raise KeyError(f"unknown rule parameters: {sorted(unknown)}")
    return {**VARIANTS[game], **changes}


def complete_rules(rules):
    """Fill parameters that are not given with the defaults of the game."""
    rules = dict(rules)
    return make_rules(rules.pop("game"), **rules)


# --- setup (section 2) ------------------------------------------------------


def full_deck(rules):
    """The unshuffled deck: ascending, each rank `copies` times (D4)."""
    deck = []
    for rank in range(2, rules["ranks"] + 2):
        deck.extend([rank] * rules["copies"])
    if rules["leftover"] == "remove_twos":
        del deck[: len(deck) % rules["players"]]
    return deck


def deal_packets(deck, rules):
    """Section 2, steps 2 and 3: the packets, and the cards left over.

    The first card a seat gets is the front of its packet (D3).
    """
    players = rules["players"]
    dealt = len(deck) // players * players
    packets = [[] for _ in range(players)]
    for i in range(dealt):
        packets[i % players].append(deck[i])
    return packets, deck[dealt:]


# --- playing ----------------------------------------------------------------


def play(rules, seed, deal, choose=None, trace=None):
    """Play deal number `deal` of `seed` and return its row (section 11)."""
    rules = complete_rules(rules)
    deck = full_deck(rules)
    Stream(seed, deal, DEAL).shuffle(deck)
    return play_deck(deck, rules, seed, deal, choose, trace)


def play_deck(deck, rules, seed=0, deal=0, choose=None, trace=None):
    """Play a game from a deck in the given order (nothing is shuffled)."""
    rules = complete_rules(rules)
    packets, left_over = deal_packets(list(deck), rules)
    carried = left_over if rules["leftover"] == "first_pot" else []  # D4
    return play_from(packets, rules, seed, deal, choose, carried, trace=trace)


def play_from(
    packets,
    rules,
    seed=0,
    deal=0,
    choose=None,
    carried=(),
    stop_after=None,
    trace=None,
):
    """Play from given packets (lists, front first), one per seat.

    `stop_after` ends play after that many battles; if the game is not over
    by then, its outcome is UNFINISHED.
    """
    rules = {**complete_rules(rules), "players": len(packets)}
    game = Game(packets, carried, rules, seed, deal, choose)
    if trace is not None:
        trace.append(game.snapshot())
    while not game.over and game.battles != stop_after:
        game.battle()
        if trace is not None:
            trace.append(game.snapshot())
    return game.row()


def one_battle(packets, rules, **settings):
    """The packets after one battle, and the row so far."""
    trace = []
    row = play_from(packets, rules, stop_after=1, trace=trace, **settings)
    return trace[-1]["packets"], row


def random_player(seat, stream, pot):
    """The reference random player (section 15): any of the five orders."""
    return stream.below(len(CHOICES))


class Game:
    """One game: where the cards are, and what is recorded (section 11)."""

    def __init__(self, packets, carried, rules, seed, deal, choose):
        if not all(packets):
            raise ValueError("every seat needs a card to start")
        self.rules = rules
        self.seats = range(rules["players"])
        self.choose = choose or random_player
        self.chance = Stream(seed, deal, CHANCE)
        self.seat_streams = [Stream(seed, deal, SEAT + s) for s in self.seats]

        # Where the cards are.
        self.packets = [list(packet) for packet in packets]
        self.side_piles = [[] for _ in self.seats]  # only for `side_pile` (D2)
        self.laid = [[] for _ in self.seats]  # this battle's pot, by seat
        self.carried = list(carried)  # also in the pot (D9)

        # The battle being played.
        self.active = []
        self.contenders = []
        self.showing = {}  # seat -> its showing card
        self.depth = 0
        self.first_tie = None  # (rank, seats) of the battle's first tie
        self.last_winner = -1  # of the last battle's pot, for snapshots
        self.last_pot = []

        # The game's end.
        self.over = False
        self.outcome = UNFINISHED
        self.winner = -1
        self.draw_seats = []
        self.capped = False
        self.out = [0 for _ in self.seats]  # the battle in which a seat went out

        # Counts.
        self.battles = 0
        self.wars = 0
        self.war_rounds = 0
        self.deepest_war = 0
        self.biggest_pot = 0
        self.short_events = 0
        self.stand_events = 0
        self.deadlocks = 0
        self.bystander_wars = 0
        self.wars_by_rank = {rank: 0 for rank in range(2, rules["ranks"] + 2)}
        self.battles_won = [0 for _ in self.seats]
        self.wars_won = [0 for _ in self.seats]
        self.most_cards = [None for _ in self.seats]
        self.fewest_cards = [None for _ in self.seats]
        self.leader = None  # the last seat that alone owned most
        self.lead_changes = 0
        self.last_lead_change = 0
        top_rank = rules["ranks"] + 1
        self.aces = [packet.count(top_rank) for packet in self.packets]
        self.strength = [sum(packet) for packet in self.packets]

        self.saved_state = self.state()  # after battle 0, the deal

    # --- cards ---

    def owned(self, seat):
        """Cards of a seat; a side pile counts as part of the packet (D2)."""
        return len(self.packets[seat]) + len(self.side_piles[seat])

    def refill(self, seat):
        """D2, `side_pile`: shuffled, it becomes the packet."""
        self.chance.shuffle(self.side_piles[seat])
        self.packets[seat] = self.side_piles[seat]
        self.side_piles[seat] = []

    def lay(self, seat):
        """Lay the front card of the packet; it is returned."""
        if not self.packets[seat]:
            self.refill(seat)
        card = self.packets[seat].pop(0)
        self.laid[seat].append(card)
        return card

    def lay_with_last_up(self, seat, count):
        """Lay `count` cards; the last is face up, the new showing card."""
        for _ in range(count):
            card = self.lay(seat)
        self.showing[seat] = card

    def state(self):
        """All packets in order and the carried cards in order (section 8)."""
        return [list(packet) for packet in self.packets], list(self.carried)

    def snapshot(self):
        return {
            "battle": self.battles,
            "winner": self.last_winner,
            "pot": list(self.last_pot),
            "packets": [list(packet) for packet in self.packets],
            "side_piles": [list(pile) for pile in self.side_piles],
            "carried": list(self.carried),
        }

    # --- one battle (section 3) ---

    def battle(self):
        self.b1_show()
        ending = None
        while ending is None:
            rank, tied = self.b2_highest()
            if len(tied) == 1:
                ending = ("won", tied[0])
            else:
                ending = self.b3_war_round(rank, tied)
        self.record_pot()
        how, who = ending
        if how == "won":
            self.b4_pick_up(who)
        else:
            self.b5_deadlock(who)
        if not self.over:
            self.b6_end_check()
        self.record_owned()

    def b1_show(self):
        self.battles += 1
        self.depth = 0
        self.first_tie = None
        self.laid = [[] for _ in self.seats]
        self.showing = {}
        self.active = [s for s in self.seats if self.owned(s) > 0]
        for seat in self.active:
            self.showing[seat] = self.lay(seat)
        self.contenders = list(self.active)

    def b2_highest(self):
        """The highest showing rank m and the contenders T who show it (D6)."""
        highest = max(self.showing[s] for s in self.contenders)
        tied = [s for s in self.contenders if self.showing[s] == highest]
        return highest, tied

    def b3_war_round(self, rank, tied):
        """One war round; None, ("won", seat) or ("deadlock", T)."""
        # B3a; the record keeps the first tie of the battle.
        if self.first_tie is None:
            self.first_tie = (rank, tied)
            self.wars += 1
            self.wars_by_rank[rank] += 1
        if self.rules["war_participants"] == "tied":  # D7, D8
            self.contenders = list(tied)
        # B3b
        n = self.b3b_face_down(rank)
        # B3c
        short_rule = self.rules["short_war_rule"]
        if short_rule in ("last_card_up", "last_card_or_lose"):
            if all(self.owned(s) == 0 for s in tied):
                return ("deadlock", tied)
        # B3d
        self.depth += 1
        # B3e
        if short_rule == "last_card_up":
            return self.lay_last_card_up(n)
        if short_rule == "last_card_or_lose":
            return self.lay_last_card_or_lose(n, tied)
        if short_rule == "lose":
            return self.lay_or_lose(n)
        if short_rule == "equal_force":
            return self.lay_equal_force(n, tied)
        raise ValueError(short_rule)

    def b3b_face_down(self, rank):
        if self.rules["game"] != "razboi":
            return self.rules["face_down"]  # D1
        if self.rules["war_size_source"] == "first_tie":  # D16
            rank = self.first_tie[0]
        return self.razboi_size(rank) - 1

    def razboi_size(self, rank):
        """Section 6."""
        if rank <= 10:
            return rank
        if rank <= 13:
            face = self.rules["face_war_size"]
            return rank if face == "rank" else face
        if rank == 14:
            return self.rules["ace_war_size"]  # D15
        raise ValueError(f"no war size for rank {rank}")

    # --- 3.1 short_war_rule; n cards face down, then one face up ---

    def lay_last_card_up(self, n):
        """3.1 `last_card_up`: all cards but the last go down, the last up."""
        for seat in self.contenders:
            count = min(n + 1, self.owned(seat))
            if count == 0:
                self.stand_events += 1  # its showing card stands
            else:
                if count <= n:
                    self.short_events += 1
                self.lay_with_last_up(seat, count)
        return None

    def lay_last_card_or_lose(self, n, tied):
        """3.1 `last_card_or_lose`: tied players without a card leave first."""
        leaving = [s for s in tied if self.owned(s) == 0]
        self.contenders = [s for s in self.contenders if s not in leaving]
        if len(self.contenders) == 1:
            return ("won", self.contenders[0])
        return self.lay_last_card_up(n)

    def lay_or_lose(self, n):
        """3.1 `lose`: lockstep, whoever cannot lay is out."""
        short = [s for s in self.contenders if self.owned(s) < n + 1]
        laid_before = {s: len(self.laid[s]) for s in short}
        ending = self.lockstep(n)
        for seat in short:
            if len(self.laid[seat]) > laid_before[seat]:
                self.short_events += 1
        return ending

    def lockstep(self, n):
        for _step in range(1, n + 2):
            # (i)
            if all(self.owned(s) == 0 for s in self.contenders):
                return ("deadlock", list(self.contenders))
            # (ii)
            leaving = [s for s in self.contenders if self.owned(s) == 0]
            self.contenders = [s for s in self.contenders if s not in leaving]
            # (iii)
            if len(self.contenders) == 1 and leaving:
                return ("won", self.contenders[0])
            # (iv); only the card of step n + 1 will be looked at.
            for seat in self.contenders:
                self.showing[seat] = self.lay(seat)
        return None

    def lay_equal_force(self, n, tied):
        """3.1 `equal_force`: all lay as many as the smallest packet allows."""
        if min(self.owned(s) for s in self.contenders) == 0:  # L = 0
            self.contenders = [s for s in self.contenders if self.owned(s) > 0]
            if len(self.contenders) == 1:
                return ("won", self.contenders[0])
            if not self.contenders:
                return ("deadlock", tied)
        smallest = min(self.owned(s) for s in self.contenders)
        count = min(n + 1, smallest)  # L
        for seat in self.contenders:
            if self.owned(seat) < n + 1:
                self.short_events += 1
            self.lay_with_last_up(seat, count)
        return None

    # --- B4 ---

    def b4_pick_up(self, winner):
        self.record_battle_won(winner)
        cards = self.ordered_pot(winner)
        if self.rules["pickup_order"] == "side_pile":
            self.side_piles[winner].extend(cards)
        else:
            self.packets[winner].extend(cards)
        self.last_winner = winner
        self.last_pot = cards
        self.clear_table()

    def clear_table(self):
        self.laid = [[] for _ in self.seats]
        self.carried = []

    def ordered_pot(self, winner):
        """D2: the pot as `pickup_order` says."""
        order = self.rules["pickup_order"]
        if order == "player_choice":
            pot = self.winner_first(winner)
            index = self.choose(winner, self.seat_streams[winner], pot)
            order = CHOICES[index]
        elif order == "coin":
            order = ("winner_first", "losers_first")[self.chance.coin()]
        if order in ("winner_first", "side_pile"):
            return self.winner_first(winner)
        if order == "losers_first":
            return self.losers_first(winner)
        if order == "seat_order":
            return self.seat_order()
        if order == "seat_alternate":
            return self.seat_alternate()
        if order == "high_first":
            return sorted(self.seat_order(), reverse=True)
        if order == "low_first":
            return sorted(self.seat_order())
        if order == "shuffled":
            return self.shuffled(self.winner_first(winner))
        raise ValueError(order)

    def shuffled(self, pot):
        """A pot of two cards takes a coin, where 0 swaps them."""
        if len(pot) != 2:
            self.chance.shuffle(pot)
        elif self.chance.coin() == 0:
            pot.reverse()
        return pot

    def others_clockwise(self, winner):
        """The other players' pot cards, seat by seat from the winner."""
        cards = []
        for step in range(1, len(self.seats)):
            cards.extend(self.laid[(winner + step) % len(self.seats)])
        return cards

    def winner_first(self, winner):
        return self.laid[winner] + self.others_clockwise(winner) + self.carried

    def losers_first(self, winner):
        return self.others_clockwise(winner) + self.laid[winner] + self.carried

    def seat_order(self):
        cards = []
        for seat in self.seats:
            cards.extend(self.laid[seat])
        return cards + self.carried

    def seat_alternate(self):
        cards = []
        for i in range(max(len(laid) for laid in self.laid)):
            for seat in self.seats:
                if i < len(self.laid[seat]):
                    cards.append(self.laid[seat][i])
        return cards + self.carried

    # --- B5 ---

    def b5_deadlock(self, tied):
        self.deadlocks += 1
        if all(self.owned(s) == 0 for s in self.active):
            self.leave_pot_on_table()
            self.mark_out()
            self.end_in_draw(tied)
        elif self.rules["deadlock_rule"] == "carry":  # D9
            self.leave_pot_on_table()
        elif self.rules["deadlock_rule"] == "lot":  # D9
            self.b4_pick_up(tied[self.chance.below(len(tied))])
        else:
            raise ValueError(self.rules["deadlock_rule"])

    def leave_pot_on_table(self):
        """The laid cards, seat 0's first, then the cards carried before."""
        self.last_winner = -1
        self.last_pot = self.seat_order()
        self.clear_table()
        self.carried = list(self.last_pot)

    # --- B6 ---

    def b6_end_check(self):
        self.mark_out()
        still_in = [s for s in self.seats if self.out[s] == 0]
        if len(still_in) == 1:
            self.packets[still_in[0]].extend(self.carried)
            self.carried = []
            self.end_in_win(still_in[0])
        elif self.endless_applies() and self.state() == self.saved_state:
            self.over = True
            self.outcome = ENDLESS
        elif self.battles == self.rules["max_battles"]:
            self.end_capped(still_in)
        elif is_power_of_two(self.battles):
            self.saved_state = self.state()

    def mark_out(self):
        for seat in self.active:
            if self.owned(seat) == 0:
                self.out[seat] = self.battles

    def endless_applies(self):
        """Section 8: only where the game has no chance in it."""
        no_lot = self.rules["deadlock_rule"] == "carry" or len(self.seats) == 2
        return self.rules["detect_endless"] and self.rules["pickup_order"] in FIXED_ORDERS and no_lot

    def end_in_win(self, seat):
        self.over = True
        self.outcome = WIN
        self.winner = seat

    def end_in_draw(self, seats):
        self.over = True
        self.outcome = DRAW
        self.draw_seats = list(seats)

    def end_capped(self, still_in):
        """D10, and `cap_result` (section 8)."""
        self.over = True
        self.outcome = CAPPED
        self.capped = True
        if self.rules["cap_result"] == "most_cards":
            most = max(self.owned(s) for s in still_in)
            richest = [s for s in still_in if self.owned(s) == most]
            if len(richest) == 1:
                self.end_in_win(richest[0])
            else:
                self.end_in_draw(richest)

    # --- the record (section 11) ---

    def record_pot(self):
        """At a battle's end, before the pot is taken or carried."""
        pot_size = sum(len(laid) for laid in self.laid) + len(self.carried)
        self.biggest_pot = max(self.biggest_pot, pot_size)
        self.war_rounds += self.depth
        self.deepest_war = max(self.deepest_war, self.depth)

    def record_battle_won(self, winner):
        self.battles_won[winner] += 1
        if self.first_tie is not None:
            self.wars_won[winner] += 1
            if winner not in self.first_tie[1]:
                self.bystander_wars += 1

    def record_owned(self):
        """After a battle: who owns how many cards, and who leads."""
        owned = [self.owned(s) for s in self.seats]
        for seat in self.seats:
            if self.most_cards[seat] is None:
                self.most_cards[seat] = self.fewest_cards[seat] = owned[seat]
            self.most_cards[seat] = max(self.most_cards[seat], owned[seat])
            self.fewest_cards[seat] = min(self.fewest_cards[seat], owned[seat])
        leaders = [s for s in self.seats if owned[s] == max(owned)]
        if len(leaders) == 1:
            if self.leader is not None and leaders[0] != self.leader:
                self.lead_changes += 1
                self.last_lead_change = self.battles
            self.leader = leaders[0]

    def place(self, seat):
        """1 is best; 0 for a seat still in a game without a result for it."""
        if seat == self.winner or seat in self.draw_seats:
            return 1
        if self.out[seat] == 0:
            return 0
        # Players out in the same battle share a place (B6), but the tied
        # players of a draw come before others who went out in that battle.
        before = 0
        for other in self.seats:
            lasted_longer = self.out[other] == 0 or self.out[other] > self.out[seat]
            if lasted_longer or other in self.draw_seats:
                before += 1
        return 1 + before

    def payoff(self, seat):
        if seat == self.winner:
            return 2
        if seat in self.draw_seats:
            return 1
        return 0

    def row(self):
        row = {
            "outcome": self.outcome,
            "winner": self.winner,
            "draw_seats": sum(2**s for s in self.draw_seats),
            "capped": int(self.capped),
            "battles": self.battles,
            "wars": self.wars,
            "war_rounds": self.war_rounds,
            "deepest_war": self.deepest_war,
            "biggest_pot": self.biggest_pot,
            "short_events": self.short_events,
            "stand_events": self.stand_events,
            "deadlocks": self.deadlocks,
            "lead_changes": self.lead_changes,
            "last_lead_change": self.last_lead_change,
            "bystander_wars": self.bystander_wars,
        }
        for seat in self.seats:
            row[f"payoff_{seat}"] = self.payoff(seat)
            row[f"place_{seat}"] = self.place(seat)
            row[f"out_{seat}"] = self.out[seat]
            row[f"battles_won_{seat}"] = self.battles_won[seat]
            row[f"wars_won_{seat}"] = self.wars_won[seat]
            row[f"most_cards_{seat}"] = self.most_cards[seat]
            row[f"fewest_cards_{seat}"] = self.fewest_cards[seat]
            row[f"cards_at_end_{seat}"] = self.owned(seat)
            row[f"aces_{seat}"] = self.aces[seat]
            row[f"strength_{seat}"] = self.strength[seat]
        for rank, count in self.wars_by_rank.items():
            row[f"wars_by_rank_{rank}"] = count
        return row


def is_power_of_two(number):
    return number > 0 and number & (number - 1) == 0
