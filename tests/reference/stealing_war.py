"""The card game Stealing War, played slowly and plainly from the rules page.

Rule numbers (B1..B6, 3.1, 5.1..5.4, D1..D20, sections) are those of
docs/rules/war.md.  A card is its rank number (section 1): Jokers are 15, or
15 and 16.  A packet is a list, front first; a pile is a list, top first.

    play(rules, seed, deal)          deal a shuffled deck and play one game
    play_deck(deck, rules)           deal a deck in the given order, then play
    play_from(packets, piles, rules) start from given packets and piles

`choose(seat, kind, legal_moves, game, stream)` returns the index of a move.
Kind LOOK: a move is 0 (commit) or the bit mask of the seats to steal from;
`game.looked_at` is the card.  Kind TOP: a move is the pot rank to put on top.
`trace`, a list, gets one dict per battle (battle, winner, pot, packets, piles,
carried), the start being battle 0.
"""

from .streams import CHANCE, DEAL, SEAT, Stream

# --- outcomes (section 8); 2 is a game of other variants ---------------------

WIN, DRAW, CAPPED = 0, 1, 3
UNFINISHED = -1  # only when play_from was told to stop early

# Kinds of decision.
LOOK, TOP = 0, 1
COMMIT = 0  # the move; any other look move is a steal

JOKER = 15
LITTLE_JOKER, BIG_JOKER = 15, 16  # `big_and_little` (D17)
ALL_RANKS = range(2, BIG_JOKER + 1)

# --- rules (section 7) ------------------------------------------------------

DEFAULTS = {
    "game": "stealing-war",
    "players": 2,
    "face_down": 3,
    "short_war_rule": "lose",
    "war_participants": "all",
    "leftover": "set_aside",
    "deadlock_rule": "carry",
    "max_battles": 10000,
    "ranks": 13,
    "copies": 4,
    "joker_rank": "equal",
    "steal_priority": "random",
    "piles_per_card": 0,  # 0: all that match (D12)
    "war_steal": "replace",
    "stealing_enabled": True,
    "cap_result": "no_result",
}


def make_rules(**changes):
    """The default rules with some parameters changed."""
    unknown = set(changes) - set(DEFAULTS)
    if unknown:
        raise KeyError(f"unknown rule parameters: {sorted(unknown)}")
    rules = {**DEFAULTS, **changes}
    if rules["short_war_rule"] != "lose":
        raise ValueError("short_war_rule must be lose")
    return rules


# --- setup (section 2) ------------------------------------------------------


def full_deck(rules):
    """The unshuffled deck: ascending, `copies` of each rank, then two Jokers."""
    deck = []
    for rank in range(2, rules["ranks"] + 2):
        deck.extend([rank] * rules["copies"])
    if rules["joker_rank"] == "big_and_little":
        deck.extend([LITTLE_JOKER, BIG_JOKER])
    else:
        deck.extend([JOKER, JOKER])
    if rules["leftover"] == "remove_twos":  # D4
        del deck[: len(deck) % rules["players"]]
    return deck


def deal_packets(deck, rules):
    """Section 2, steps 2 and 3: the packets, and the cards left over."""
    players = rules["players"]
    dealt = len(deck) // players * players
    packets = [[] for _ in range(players)]
    for i in range(dealt):
        packets[i % players].append(deck[i])
    return packets, deck[dealt:]


# --- playing ----------------------------------------------------------------


def play(rules, seed, deal, choose=None, trace=None):
    """Play deal number `deal` of `seed` and return its row (section 11)."""
    rules = make_rules(**rules)
    deck = full_deck(rules)
    Stream(seed, deal, DEAL).shuffle(deck)
    return play_deck(deck, rules, seed, deal, choose, trace)


def play_deck(deck, rules, seed=0, deal=0, choose=None, trace=None):
    """Play a game from a deck in the given order (nothing is shuffled)."""
    rules = make_rules(**rules)
    packets, left_over = deal_packets(list(deck), rules)
    carried = left_over if rules["leftover"] == "first_pot" else []  # D4
    return play_from(packets, None, rules, seed, deal, choose, carried, trace=trace)


def play_from(
    packets,
    piles=None,
    rules=None,
    seed=0,
    deal=0,
    choose=None,
    carried=(),
    priority=None,
    stop_after=None,
    trace=None,
):
    """Play from given packets and piles (none: all empty), one per seat.

    `priority` is a priority order of all seats, to be used in every battle
    (and then no order is drawn).  `stop_after` ends play after that many
    battles; if the game is not over by then, its outcome is UNFINISHED.
    """
    rules = make_rules(**{**(rules or {}), "players": len(packets)})
    piles = piles or [[] for _ in packets]
    game = Game(packets, piles, carried, rules, seed, deal, choose, priority)
    if trace is not None:
        trace.append(game.snapshot())
    while not game.over and game.battles != stop_after:
        game.battle()
        if trace is not None:
            trace.append(game.snapshot())
    return game.row()


def random_player(seat, kind, legal, game, stream):
    """The reference random player (section 15)."""
    return stream.below(len(legal))


def seats_in(mask):
    """The seats of a bit mask, ascending."""
    return [seat for seat in range(mask.bit_length()) if mask >> seat & 1]


class Game:
    """One game: where the cards are, and what is recorded (section 11)."""

    def __init__(self, packets, piles, carried, rules, seed, deal, choose, priority):
        self.rules = rules
        self.seats = range(rules["players"])
        self.choose = choose or random_player
        self.chance = Stream(seed, deal, CHANCE)
        self.seat_streams = [Stream(seed, deal, SEAT + s) for s in self.seats]
        self.fixed_priority = priority

        # Where the cards are.
        self.packets = [list(packet) for packet in packets]
        self.piles = [list(pile) for pile in piles]
        self.laid = [[] for _ in self.seats]  # this battle's pot, by seat
        self.carried = list(carried)  # also in the pot (D9)
        self.looked_at = None  # the card in the hand of the player who looks
        self.committed = {}  # seat -> card of this look step, face down

        # The battle being played.
        self.active = []
        self.priority = []
        self.contenders = []  # ascending
        self.showing = {}  # seat -> its showing card
        self.in_war = False
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
        self.deadlocks = 0
        self.bystander_wars = 0
        self.wars_by_rank = {rank: 0 for rank in ALL_RANKS}
        self.battles_won = [0 for _ in self.seats]
        self.wars_won = [0 for _ in self.seats]
        self.most_cards = [None for _ in self.seats]
        self.fewest_cards = [None for _ in self.seats]
        self.leader = None  # the last seat that alone owned most
        self.lead_changes = 0
        self.last_lead_change = 0
        self.steals = [0 for _ in self.seats]
        self.piles_stolen = [0 for _ in self.seats]
        self.cards_stolen = [0 for _ in self.seats]
        self.multi_steals = [0 for _ in self.seats]
        self.war_steals = [0 for _ in self.seats]
        self.declined = [0 for _ in self.seats]
        self.refills = [0 for _ in self.seats]
        highest = rules["ranks"] + 1  # of the ranks below the Jokers
        self.aces = [packet.count(highest) for packet in self.packets]
        self.jokers = [sum(1 for c in packet if c >= JOKER) for packet in self.packets]
        self.strength = [sum(packet) for packet in self.packets]

    # --- cards (5.1) ---

    def owned(self, seat):
        """Cards of a seat: packet and pile; a committed card is the pot's."""
        return len(self.packets[seat]) + len(self.piles[seat])

    def refill(self, seat):
        """5.1: the whole pile, shuffled, becomes the packet."""
        if self.packets[seat] or not self.piles[seat]:
            raise ValueError("a refill needs an empty packet and a pile")
        self.chance.shuffle(self.piles[seat])
        self.packets[seat] = self.piles[seat]
        self.piles[seat] = []
        self.refills[seat] += 1

    def refill_empty(self, seats):
        """Refill moments (i) and (ii), in ascending seat order."""
        for seat in sorted(seats):
            if not self.packets[seat] and self.piles[seat]:
                self.refill(seat)

    def ask(self, seat, kind, legal):
        index = self.choose(seat, kind, legal, self, self.seat_streams[seat])
        return legal[index]

    def pot(self):
        """Seat 0's laid cards in laid order, then seat 1's, ..., then carried."""
        cards = []
        for seat in self.seats:
            cards.extend(self.laid[seat])
        return cards + self.carried

    def snapshot(self):
        return {
            "battle": self.battles,
            "winner": self.last_winner,
            "pot": list(self.last_pot),
            "packets": [list(packet) for packet in self.packets],
            "piles": [list(pile) for pile in self.piles],
            "carried": list(self.carried),
        }

    # --- one battle (5.3) ---

    def battle(self):
        self.step_1_begin()
        ending = self.step_2_first_look()
        while ending is None:
            rank, tied = self.step_3_highest()
            if len(tied) == 1:
                ending = ("won", tied[0])
            else:
                ending = self.step_4_war_round(rank, tied)
        self.record_pot()
        how, who = ending
        if how == "won":
            self.step_5_place_pot(who)
        else:
            self.b5_deadlock(who)
        if not self.over:
            self.b6_end_check()
        self.record_owned()

    def step_1_begin(self):
        """5.3.1: count, draw the priority order, refill (i)."""
        self.battles += 1
        self.depth = 0
        self.first_tie = None
        self.in_war = False
        self.laid = [[] for _ in self.seats]
        self.showing = {}
        self.active = [s for s in self.seats if self.owned(s) > 0]
        self.contenders = list(self.active)
        self.priority = self.priority_order()
        self.refill_empty(self.active)

    def priority_order(self):
        """D11."""
        kind = self.rules["steal_priority"]
        if self.fixed_priority is not None:
            return [s for s in self.fixed_priority if s in self.active]
        if kind == "random":
            order = list(self.active)
            self.chance.shuffle(order)
            return order
        if kind == "rotate":
            players = len(self.seats)
            clockwise = [(self.battles - 1 + i) % players for i in self.seats]
            return [s for s in clockwise if s in self.active]
        if kind == "seat":
            return list(self.active)
        raise ValueError(kind)

    def step_2_first_look(self):
        """5.3.2."""
        return self.look_step(may_steal=True, forfeit=False)

    def step_3_highest(self):
        """5.3.3, B2: the highest showing rank m and the contenders T with it."""
        highest = max(self.showing[s] for s in self.contenders)
        tied = [s for s in self.contenders if self.showing[s] == highest]
        return highest, tied

    def step_4_war_round(self, rank, tied):
        """5.3.4; None, ("won", seat) or ("deadlock", T)."""
        self.in_war = True
        # B3a; the record keeps the first tie of the battle.
        if self.first_tie is None:
            self.first_tie = (rank, tied)
            self.wars += 1
            self.wars_by_rank[rank] += 1
        if self.rules["war_participants"] == "tied":  # D7, D8, D19
            self.contenders = list(tied)
        # B3d
        self.depth += 1
        # A contender is short with fewer than n + 1 cards (3.1).
        n = self.rules["face_down"]
        short = [s for s in self.contenders if self.owned(s) < n + 1]
        laid_before = {s: len(self.laid[s]) for s in short}
        ending = self.lay_war_cards(n)
        for seat in short:
            if len(self.laid[seat]) > laid_before[seat]:
                self.short_events += 1
        return ending

    def lay_war_cards(self, n):
        """n lockstep steps face down, then the look step for the last card."""
        for _step in range(n):
            ending = self.leave_or_lose()
            if ending is not None:
                return ending
            for seat in self.contenders:  # 3.1 `lose` (iv)
                self.laid[seat].append(self.packets[seat].pop(0))
        ending = self.leave_or_lose()
        if ending is not None:
            return ending
        war_steal = self.rules["war_steal"]  # D13
        return self.look_step(war_steal != "none", war_steal == "forfeit")

    def leave_or_lose(self):
        """The start of a step: refill (ii), then 3.1 `lose` (i) to (iii)."""
        self.refill_empty(self.contenders)
        # (i)
        if all(self.owned(s) == 0 for s in self.contenders):
            return ("deadlock", list(self.contenders))
        # (ii)
        leaving = [s for s in self.contenders if self.owned(s) == 0]
        self.contenders = [s for s in self.contenders if s not in leaving]
        # (iii)
        if len(self.contenders) == 1 and leaving:
            return ("won", self.contenders[0])
        return None

    # --- the look step (5.2) ---

    def look_step(self, may_steal, forfeit):
        """Contenders act in priority order; then the committed cards join.

        Returns ("won", seat) if forfeits leave one contender, else None.
        """
        self.committed = {}
        for seat in [s for s in self.priority if s in self.contenders]:
            self.look(seat, may_steal, forfeit)
            if forfeit and len(self.contenders) == 1:
                self.turn_up_committed()
                return ("won", self.contenders[0])
        self.turn_up_committed()
        return None

    def look(self, seat, may_steal, forfeit):
        """5.2, steps 1 to 3 for one player."""
        while True:
            self.looked_at = self.packets[seat].pop(0)
            move = self.commit_or_steal(seat, may_steal)
            card, self.looked_at = self.looked_at, None
            if move == COMMIT:
                self.committed[seat] = card
                return
            self.steal(seat, card, seats_in(move))
            if forfeit:  # 5.3.4: no next card is taken, so no refill (iii)
                self.contenders.remove(seat)
                return
            if not self.packets[seat]:  # refill (iii)
                self.refill(seat)

    def commit_or_steal(self, seat, may_steal):
        """5.2.2; asked only when there is a legal steal."""
        steals = self.legal_steals(seat, self.looked_at) if may_steal else []
        if not steals:
            return COMMIT
        move = self.ask(seat, LOOK, [COMMIT] + steals)
        if move == COMMIT:
            self.declined[seat] += 1
        return move

    def legal_steals(self, seat, card):
        """The masks of the sets S that may be stolen, ascending (D12)."""
        if not self.rules["stealing_enabled"]:
            return []
        limit = self.rules["piles_per_card"] or len(self.seats) - 1
        matching = [s for s in self.seats if s != seat and self.piles[s] and self.piles[s][0] == card]
        masks = []
        for mask in range(1, 2 ** len(self.seats)):
            victims = seats_in(mask)
            if len(victims) <= limit and all(v in matching for v in victims):
                masks.append(mask)
        return masks

    def steal(self, seat, card, victims):
        """5.2.2: the card, the stolen piles clockwise, then the old pile."""
        players = len(self.seats)
        stolen = []
        for step in range(1, players):
            victim = (seat + step) % players
            if victim in victims:
                stolen.extend(self.piles[victim])
                self.piles[victim] = []
        self.piles[seat] = [card] + stolen + self.piles[seat]
        self.record_steal(seat, len(victims), len(stolen))

    def turn_up_committed(self):
        """All committed cards are turned up together and join the pot."""
        for seat, card in self.committed.items():
            self.laid[seat].append(card)
            self.showing[seat] = card
        self.committed = {}

    # --- 5.3.5, 5.4 ---

    def step_5_place_pot(self, winner):
        self.record_battle_won(winner)
        cards = self.pot()
        top = self.choose_top(winner, cards)
        cards.remove(top)  # the first card of that rank
        cards.insert(0, top)
        self.piles[winner] = cards + self.piles[winner]
        self.last_winner = winner
        self.last_pot = cards
        self.clear_table()

    def choose_top(self, winner, cards):
        """5.4; asked only when the pot has two ranks or more."""
        ranks = sorted(set(cards))
        if len(ranks) == 1:
            return ranks[0]
        return self.ask(winner, TOP, ranks)

    def clear_table(self):
        self.laid = [[] for _ in self.seats]
        self.carried = []

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
            self.step_5_place_pot(tied[self.chance.below(len(tied))])
        else:
            raise ValueError(self.rules["deadlock_rule"])

    def leave_pot_on_table(self):
        """The laid cards, seat 0's first, then the cards carried before."""
        self.last_winner = -1
        self.last_pot = self.pot()
        self.clear_table()
        self.carried = list(self.last_pot)

    # --- B6 ---

    def b6_end_check(self):
        self.mark_out()
        still_in = [s for s in self.seats if self.out[s] == 0]
        if len(still_in) == 1:
            self.piles[still_in[0]].extend(self.carried)
            self.carried = []
            self.end_in_win(still_in[0])
        elif self.battles == self.rules["max_battles"]:
            self.end_capped(still_in)

    def mark_out(self):
        """No cards: packet and pile both empty."""
        for seat in self.active:
            if self.owned(seat) == 0:
                self.out[seat] = self.battles

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

    def record_steal(self, seat, piles, cards):
        self.steals[seat] += 1
        self.piles_stolen[seat] += piles
        self.cards_stolen[seat] += cards
        if piles > 1:
            self.multi_steals[seat] += 1
        if self.in_war:
            self.war_steals[seat] += 1

    def record_pot(self):
        """At a battle's end, before the pot is taken or carried."""
        self.biggest_pot = max(self.biggest_pot, len(self.pot()))
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
            "deadlocks": self.deadlocks,
            "lead_changes": self.lead_changes,
            "last_lead_change": self.last_lead_change,
            "bystander_wars": self.bystander_wars,
            "ended_in_war": int(self.over and self.first_tie is not None),
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
            row[f"jokers_{seat}"] = self.jokers[seat]
            row[f"strength_{seat}"] = self.strength[seat]
            row[f"steals_{seat}"] = self.steals[seat]
            row[f"piles_stolen_{seat}"] = self.piles_stolen[seat]
            row[f"cards_stolen_{seat}"] = self.cards_stolen[seat]
            row[f"multi_steals_{seat}"] = self.multi_steals[seat]
            row[f"war_steals_{seat}"] = self.war_steals[seat]
            row[f"declined_{seat}"] = self.declined[seat]
            row[f"refills_{seat}"] = self.refills[seat]
        for rank, count in self.wars_by_rank.items():
            row[f"wars_by_rank_{rank}"] = count
        return row
