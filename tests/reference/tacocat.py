"""The game Tacocat Spelled Backwards, played slowly and plainly from the rules page.

Sections (2.2, 2.4, 9), decisions (D1..D22) and worked examples are those of docs/rules/tacocat.md.

Seat 0 is A, seat 1 is B. A card is its rank. A hand is a list of ranks, ascending; a draw pile a list, the top card first.

    play(rules, seed, deal, players)   play one game: an event for every decision, then {"row": …}
    play_row(rules, seed, deal)        the row alone
    position(hands, rules, …)          a Game in the middle of a round, to try single steps on

`players` holds one function a seat: choose(seat, kind, legal_moves, game, stream) returns the index of a move. Every
decision is asked, also one with a single legal move. A move is an integer, see `move_of`.
"""

from __future__ import annotations

import itertools

from .streams import DEAL, SEAT, Stream

RESHUFFLE = 2**16  # + n: the purpose of the n-th reshuffle

WIN, CAPPED = 0, 3
A, B = 0, 1
BOTH = "both"
SEATS = (A, B)

KINDS = ("replace_leader", "replace_follower", "replace_double", "duel", "attack", "answer")
SINGLE, SET, SEQUENCE = range(3)
SACRIFICE = 0

MOST_PLACES = 15
LONGEST_PATH = 15

# --- rules (section 3) ----------------------------------------------------------------------------------------------

DEFAULTS = {
    "deck": "hump_v1",
    "board": "4-6-9-7-9-6-4",
    "arrows": "to_trailing",
    "double_arrow": "simultaneous",
    "first_round_free": True,
    "replace_cap": "none",
    "follower_cap": "leader_count",
    "duel_tie": "repeat",
    "defend_on_equal": True,
    "voluntary_sacrifice": True,
    "lowest_that_defends": "declared",
    "jumbo_response": "defences_first",
    "jumbo_lead": "all",
    "jumbo_sets": True,
    "set_min": 2,
    "jumbo_sequences": True,
    "seq_min": 3,
    "jumbo_max": "none",
    "showdown_tie": "replay",
    "tile_cover": True,
    "max_rounds": 1000,
}

DECKS = {"hump_v1": "2-3-5-5-5-5-3-2-2-2-2-2", "flat_v1": "3-3-3-3-3-4-4-3-3-3-3-3"}  # 1.1, D1
BOARDS = {"flat7": "7-7-7-7-7-7-7", "shrink": "4-5-6-7-6-5-4", "grow": "9-9-8-7-8-9-9"}  # D2


def make_rules(**changes):
    """The default rules with some parameters changed."""
    unknown = set(changes) - set(DEFAULTS)
    if unknown:
        raise KeyError(f"unknown rule parameters: {sorted(unknown)}")
    return {**DEFAULTS, **changes}


def numbers_of(text):
    return [int(word) for word in text.split("-")]


def deck_list(rules):
    """1.1, D1: the unshuffled deck, ascending."""
    counts = numbers_of(DECKS.get(rules["deck"], rules["deck"]))
    return [rank for rank, count in enumerate(counts, 1) for _ in range(count)]


def hand_sizes(rules):
    """1.2, D2: the hand size of each numbered space, from A's goal to B's."""
    return numbers_of(BOARDS.get(rules["board"], rules["board"]))


def arrows_of(rules):
    """1.2, D3: A, B or BOTH for each numbered space. The player whose goal is farther away is the trailing one."""
    spaces = len(hand_sizes(rules))
    side = spaces // 2
    if rules["arrows"] == "to_trailing":
        return [B] * side + [BOTH] + [A] * side
    if rules["arrows"] == "to_leading":
        return [A] * side + [BOTH] + [B] * side
    if rules["arrows"] == "all_both":
        return [BOTH] * spaces
    return [{"A": A, "B": B, "both": BOTH}[word] for word in rules["arrows"].split("-")]


def limit(value):
    """A cap; "none" binds nobody."""
    return float("inf") if value == "none" else value


# --- moves ----------------------------------------------------------------------------------------------------------


def number_of(cards):
    """A multiset of cards as one integer: a hexadecimal digit for each rank, rank 1 last."""
    return sum(16 ** (rank - 1) for rank in cards)


def move_of(kind, cards):
    return 2**60 * KINDS.index(kind) + number_of(cards)


def cards_of(move):
    """The cards of a move, ascending."""
    number = move % 2**60
    return [rank for rank in range(1, 16) for _ in range(number // 16 ** (rank - 1) % 16)]


def without(hand, cards):
    """What is left of a hand."""
    rest = list(hand)
    for card in cards:
        rest.remove(card)
    return rest


def sub_multisets(hand, most):
    """All distinct multisets of at most so many cards of a hand, each ascending."""
    found = [[]]
    for rank in sorted(set(hand)):
        found = [cards + [rank] * copies for cards in found for copies in range(hand.count(rank) + 1) if len(cards) + copies <= most]
    return found


# --- legal moves ----------------------------------------------------------------------------------------------------


def legal_replacements(kind, hand, bound):
    """2.2: any subset of the physical cards, of at most `bound` cards (section 8)."""
    subsets = [[]]
    for card in hand:  # the subsets with this card come after all those of the cards before it
        subsets += [cards + [card] for cards in subsets]
    return [move_of(kind, cards) for cards in subsets if len(cards) <= bound]


def legal_attacks(hand, rules):
    """2.4, D14, D15: (kind, cards), by kind, number of cards and lowest rank."""
    most = min(len(hand) - 1, limit(rules["jumbo_max"]))
    ranks = sorted(set(hand))
    attacks = [(SINGLE, [rank]) for rank in ranks]
    if rules["jumbo_sets"]:
        attacks += [(SET, [rank] * k) for k in range(rules["set_min"], len(hand)) for rank in ranks if k <= hand.count(rank)]
    if rules["jumbo_sequences"]:
        for k in range(rules["seq_min"], len(hand)):
            runs = [list(range(rank, rank + k)) for rank in ranks]
            attacks += [(SEQUENCE, run) for run in runs if set(run) <= set(ranks)]
    return [(kind, cards) for kind, cards in attacks if len(cards) <= most]


def defends(card, attack, rules):
    """2.4, D9."""
    return card >= attack if rules["defend_on_equal"] else card > attack


def can_defend(defence, attack, rules):
    """2.4: sort D ascending and compare with the |D| lowest attacking cards, position by position."""
    return len(defence) <= len(attack) and all(defends(card, against, rules) for card, against in zip(sorted(defence), sorted(attack)))


def most_defences(hand, attack, rules):
    """How many of the attacking cards these cards can defend at most: a maximum matching."""
    cards, defended = sorted(hand), 0
    for against in sorted(attack):
        # Each attacking card, from low to high, takes the lowest card that defends against it.
        chosen = next((card for card in cards if defends(card, against, rules)), None)
        if chosen is not None:
            cards.remove(chosen)
            defended += 1
    return defended


def legal_defences(hand, attack, rules):
    """2.4, D10: every D, in the order of their numbers."""
    found = [cards for cards in sub_multisets(hand, len(attack)) if can_defend(cards, attack, rules)]
    if not rules["voluntary_sacrifice"]:
        largest = max(len(cards) for cards in found)
        found = [cards for cards in found if len(cards) == largest]
    return sorted(found, key=number_of)


def single_answers(hand, against, rules):
    """D12, sequential: the sacrifice (no card named) or one defending card."""
    return [[]] + [[rank] for rank in sorted(set(hand)) if defends(rank, against, rules)]


def after_answer(hand, answer):
    """What is left of a hand after one answer: without the defending card, or without the lowest."""
    return without(hand, answer or [min(hand)])


def reachable(hand, attack, rules):
    """D10, D12: the largest number of declared defences against these cards, answered one after the other."""
    if not attack:
        return 0
    first, *others = attack
    ways = []
    for answer in single_answers(hand, first, rules):
        ways.append(len(answer) + reachable(after_answer(hand, answer), others, rules))
    return max(ways)


# --- playing --------------------------------------------------------------------------------------------------------


def random_player(seat, kind, legal, game, stream):
    """The reference random player (section 8)."""
    return stream.below(len(legal))


def play(rules, seed, deal, players=None):
    """Play game `deal` of `seed`: {"decision": …} for each question asked, then {"row": …}."""
    game = Game(rules, seed, deal, players)
    game.play()
    yield from game.events
    yield {"row": game.row()}


def play_row(rules, seed, deal, players=None):
    """The row (section 5) of a game."""
    *_, last = play(rules, seed, deal, players)
    return last["row"]


def position(hands, rules=None, *, pile=(), place=None, covered=(), number=2, players=None):
    """A game in the middle of a round (of this number), with these hands, pile, place and covered places."""
    game = Game(rules or {}, players=players)
    game.round_number = number
    if place is not None:
        game.place = place
    game.covered = set(covered)
    game.begin_round()
    game.hands = [sorted(hand) for hand in hands]
    game.pile = list(pile)
    return game


class Game:
    """One game: the marker, the tiles, the hands, and what is recorded (section 5)."""

    def __init__(self, rules, seed=0, deal=0, players=None):
        self.rules = make_rules(**rules)
        self.players = players or [random_player] * 2
        self.key = (seed, deal)
        self.seat_streams = [Stream(seed, deal, SEAT + seat) for seat in SEATS]
        self.sizes, self.arrows = hand_sizes(self.rules), arrows_of(self.rules)

        # The board (1.2).
        self.goal = {A: 0, B: len(self.sizes) + 1}
        self.place = (len(self.sizes) + 1) // 2
        self.covered = set()
        self.places = [self.place]

        # The round.
        self.round_number = 0
        self.hands = [[], []]
        self.pile = []
        self.discards = []
        self.chance = None

        # The record.
        self.events = []
        self.round = None
        self.rounds = []

    # --- deciding (section 4) ---

    def ask(self, seat, kind, legal):
        index = self.players[seat](seat, kind, legal, self, self.seat_streams[seat])
        self.events.append({"decision": {"seat": seat, "kind": kind, "legal": list(legal), "move": legal[index]}})
        return cards_of(legal[index])

    # --- the game ---

    def play(self):
        while self.winner() is None and len(self.rounds) < self.rules["max_rounds"]:
            self.play_round()

    def winner(self):
        """2.6: the player whose goal is reached."""
        return next((seat for seat in SEATS if self.place == self.goal[seat]), None)

    def play_round(self):
        self.round_number += 1
        self.begin_round()
        self.deal()
        self.replace()
        self.play_on()

    def play_on(self):
        """From the duel on."""
        self.exchanges(self.duel())
        self.move_marker(self.showdown())
        self.rounds.append(self.round)

    def begin_round(self):
        """What the space says, and an empty record of the round."""
        self.discards = []
        self.round = {
            "place": self.place,
            "h": self.sizes[self.place - 1],
            "arrow": self.arrow(),
            "replaced": [[], []],
            "duels": [],
            "duel_winner": None,
            "attacks": [],
            "lead_changes": 0,
        }

    def arrow(self):
        """2.2, D4: the first round has a double arrow, if `first_round_free`."""
        if self.round_number == 1 and self.rules["first_round_free"]:
            return BOTH
        return self.arrows[self.place - 1]

    # --- deal (2.1) ---

    def deal(self):
        """2.1, D20: all cards are shuffled anew for each round."""
        purpose = DEAL if self.round_number == 1 else RESHUFFLE + self.round_number - 2
        self.chance = Stream(*self.key, purpose)
        self.pile = deck_list(self.rules)
        self.chance.shuffle(self.pile)
        self.hands = [self.draw(self.round["h"]), self.draw(self.round["h"])]

    def draw(self, count):
        drawn, self.pile = self.pile[:count], self.pile[count:]
        return sorted(drawn)

    # --- replace (2.2) ---

    def replace(self):
        self.round["before"] = [list(hand) for hand in self.hands]
        if self.round["arrow"] == BOTH:
            self.replace_under_double_arrow()
        else:
            self.replace_under_single_arrow()
        self.round["after"] = [list(hand) for hand in self.hands]

    def bound(self):
        """D5: the most cards that anybody may replace."""
        return min(self.round["h"], limit(self.rules["replace_cap"]))

    def follower_bound(self, leader_count):
        """D5: `follower_cap`."""
        cap = self.rules["follower_cap"]
        return min(self.bound(), leader_count if cap == "leader_count" else limit(cap))

    def choose_replaced(self, seat, kind, bound):
        return self.ask(seat, kind, legal_replacements(kind, self.hands[seat], bound))

    def exchange_cards(self, seat, cards):
        """Discard these and draw as many."""
        self.round["replaced"][seat] = cards
        self.discards += cards
        self.hands[seat] = sorted(without(self.hands[seat], cards) + self.draw(len(cards)))

    def replace_under_single_arrow(self):
        leader = self.round["arrow"]
        cards = self.choose_replaced(leader, "replace_leader", self.bound())
        self.exchange_cards(leader, cards)
        bound = self.follower_bound(len(cards))
        self.exchange_cards(1 - leader, self.choose_replaced(1 - leader, "replace_follower", bound))

    def replace_under_double_arrow(self):
        """2.2, D4: at the same time, or one after the other."""
        if self.rules["double_arrow"] == "simultaneous":
            chosen = [self.choose_replaced(seat, "replace_double", self.bound()) for seat in SEATS]
            for seat in SEATS:
                self.exchange_cards(seat, chosen[seat])
            return
        for seat in (A, B) if self.rules["double_arrow"] == "A_then_B_uncapped" else (B, A):
            self.exchange_cards(seat, self.choose_replaced(seat, "replace_double", self.bound()))

    # --- duel (2.3) ---

    def at_least_two_cards(self):
        return all(len(hand) >= 2 for hand in self.hands)

    def duel(self):
        """2.3: who attacks first; None if equal duels left one card each (D8)."""
        while self.at_least_two_cards():
            cards = [self.ask(seat, "duel", [move_of("duel", [card]) for card in self.hands[seat]]) for seat in SEATS]
            for seat in SEATS:
                self.hands[seat] = without(self.hands[seat], cards[seat])
                self.discards += cards[seat]
            [a], [b] = cards
            self.round["duels"].append((a, b))
            if a != b:
                self.round["duel_winner"] = A if a > b else B
                return self.round["duel_winner"]
            first = self.first_after_equal_duel()
            if first is not None:
                return first
        return None

    def first_after_equal_duel(self):
        """D7: None to duel again."""
        if self.rules["duel_tie"] == "coin_flip":
            return self.chance.coin()
        if self.rules["duel_tie"] == "arrow_leads" and self.round["arrow"] != BOTH:
            return self.round["arrow"]
        return None

    # --- play (2.4) ---

    def exchanges(self, attacker):
        """2.4: while both players hold at least two cards."""
        while self.at_least_two_cards():
            defender = 1 - attacker
            if self.exchange(attacker):
                self.round["lead_changes"] += self.at_least_two_cards()
                attacker = defender

    def exchange(self, attacker):
        """An attack with its answer; whether the defender leads next."""
        defender, hand = 1 - attacker, self.hands[attacker]
        attacks = legal_attacks(hand, self.rules)
        cards = self.ask(attacker, "attack", [move_of("attack", attack) for _, attack in attacks])
        kind = next(kind for kind, attack in attacks if attack == cards)
        jumbo = any(kind != SINGLE for kind, _ in attacks)
        possible = most_defences(self.hands[defender], cards, self.rules)
        self.hands[attacker] = without(hand, cards)
        defences, sacrifices = self.answer(defender, cards)
        counted = self.counted(defences, sacrifices, cards)
        self.discards += cards + defences + sacrifices
        self.round["attacks"].append({
            "attacker": attacker, "kind": kind, "cards": cards, "jumbo": jumbo, "possible": possible,
            "sacrifices": sacrifices, "defended": counted,
        })  # fmt: skip
        return self.takes_lead(counted, len(cards))

    def answer(self, defender, attack):
        """The defending cards and the sacrifices; both leave the hand."""
        if self.rules["jumbo_response"] == "sequential_ascending":
            return self.answer_one_by_one(defender, attack)
        legal = [move_of("answer", cards) for cards in legal_defences(self.hands[defender], attack, self.rules)]
        defences = self.ask(defender, "answer", legal)
        rest = without(self.hands[defender], defences)
        missing = len(attack) - len(defences)
        sacrifices, self.hands[defender] = rest[:missing], rest[missing:]
        return defences, sacrifices

    def answer_one_by_one(self, defender, attack):
        """D12: from low to high, each by a defence or by the card that is lowest at that moment."""
        defences, sacrifices = [], []
        attack = sorted(attack)
        largest = reachable(self.hands[defender], attack, self.rules) if not self.rules["voluntary_sacrifice"] else None
        for place, against in enumerate(attack):
            hand, others = self.hands[defender], attack[place + 1 :]
            answers = single_answers(hand, against, self.rules)
            if largest is not None:  # D10: the largest number must stay in reach
                answers = [
                    answer
                    for answer in answers
                    if len(defences) + len(answer) + reachable(after_answer(hand, answer), others, self.rules) == largest
                ]
            answer = self.ask(defender, "answer", [move_of("answer", cards) for cards in answers])
            self.hands[defender] = after_answer(hand, answer)
            defences += answer
            if not answer:
                sacrifices.append(min(hand))
        return defences, sacrifices

    def counted(self, defences, sacrifices, attack):
        """D11: how many attacking cards count as defended."""
        if self.rules["lowest_that_defends"] == "declared":
            return len(defences)
        return most_defences(defences + sacrifices, attack, self.rules)

    def takes_lead(self, defended, k):
        """2.4, D13."""
        return 2 * defended > k if self.rules["jumbo_lead"] == "majority" else defended == k

    # --- showdown (2.5) ---

    def showdown(self):
        """2.5, D17: the seat that wins the round; None for a tie."""
        [a], [b] = self.hands
        self.round["showdown"] = (a, b)
        winner = None
        if a != b:
            winner = A if a < b else B
        elif self.rules["showdown_tie"] == "arrow" and self.round["arrow"] != BOTH:
            winner = self.round["arrow"]
        self.round["winner"] = winner
        return winner

    # --- move (2.6) ---

    def move_marker(self, winner):
        """2.6, D18, D19: one place toward the winner's goal, skipping covered spaces."""
        if winner is None:
            return
        if self.rules["tile_cover"]:
            self.covered.add(self.place)
        step = -1 if winner == A else 1
        self.place += step
        while self.place in self.covered:
            self.place += step
        self.places.append(self.place)

    # --- the row (section 5) ---

    def row(self):
        winner = self.winner()
        decisive = [r for r in self.rounds if r["winner"] is not None]
        wins = [sum(r["winner"] == seat for r in decisive) for seat in SEATS]
        row = {
            "outcome": CAPPED if winner is None else WIN,
            "winner": -1 if winner is None else winner,
            "first_round_winner": decisive[0]["winner"] if decisive else -1,
            "rounds": len(self.rounds),
            "decisive_rounds": len(decisive),
            "ties": len(self.rounds) - len(decisive),
            "equal_showdowns": sum(r["showdown"][A] == r["showdown"][B] for r in self.rounds),
            "margin": 0 if winner is None else wins[winner] - wins[1 - winner],
            "path": path_of(decisive),
            "dealt": sum(r["h"] for r in self.rounds),
            "duels": sum(len(r["duels"]) for r in self.rounds),
            "equal_duels": sum(a == b for r in self.rounds for a, b in r["duels"]),
            "lead_changes": sum(r["lead_changes"] for r in self.rounds),
            **derived(decisive),
        }
        for seat in SEATS:
            payoff = 1 if winner is None else 2 * (winner == seat)
            cells = {"payoff": payoff, "wins": wins[seat], **self.hands_of(seat), **self.attacks_by(seat), **self.answers_by(seat)}
            row.update({f"{name}_{seat}": int(value) for name, value in cells.items()})
        for place in range(1, MOST_PLACES + 1):
            row.update({f"{name}_{place}": value for name, value in self.at_place(place).items()})
        return row

    def hands_of(self, seat):
        """Replacement, duels and showdowns of a seat."""
        rounds = self.rounds
        return {
            "leader_rounds": sum(r["arrow"] == seat for r in rounds),
            "replaced": sum(len(r["replaced"][seat]) for r in rounds),
            "replaced_leading": sum(len(r["replaced"][seat]) for r in rounds if r["arrow"] == seat),
            "replaced_following": sum(len(r["replaced"][seat]) for r in rounds if r["arrow"] == 1 - seat),
            "ranks_before": sum(sum(r["before"][seat]) for r in rounds),
            "ranks_after": sum(sum(r["after"][seat]) for r in rounds),
            "lowest_before": sum(min(r["before"][seat]) for r in rounds),
            "lowest_after": sum(min(r["after"][seat]) for r in rounds),
            "duel_ranks": sum(cards[seat] for r in rounds for cards in r["duels"]),
            "duel_wins": sum(r["duel_winner"] == seat for r in rounds),
            "last_attacks": sum(last_attacker(r) == seat for r in rounds),
            "showdown_ranks": sum(r["showdown"][seat] for r in rounds),
        }

    def attacks_by(self, seat):
        attacks = [attack for r in self.rounds for attack in r["attacks"] if attack["attacker"] == seat]
        return {
            "attacks": len(attacks),
            "sets": sum(attack["kind"] == SET for attack in attacks),
            "sequences": sum(attack["kind"] == SEQUENCE for attack in attacks),
            "attack_cards": sum(len(attack["cards"]) for attack in attacks),
            "attack_ranks": sum(sum(attack["cards"]) for attack in attacks),
            "jumbo_available": sum(attack["jumbo"] for attack in attacks),
            "jumbo_unused": sum(attack["jumbo"] and attack["kind"] == SINGLE for attack in attacks),
        }

    def answers_by(self, seat):
        """Section 9, 4: a refusal is where fewer cards were defended than could have been."""
        attacks = [attack for r in self.rounds for attack in r["attacks"] if attack["attacker"] != seat]
        missing = [attack["possible"] - attack["defended"] for attack in attacks]
        return {
            "defended": sum(attack["defended"] for attack in attacks),
            "sacrificed": sum(len(attack["sacrifices"]) for attack in attacks),
            "sacrificed_ranks": sum(sum(attack["sacrifices"]) for attack in attacks),
            "refusals": sum(count > 0 for count in missing),
            "refused": sum(missing),
        }

    def at_place(self, place):
        rounds = [r for r in self.rounds if r["place"] == place]
        decisive = [r for r in rounds if r["winner"] is not None]
        return {
            "decisive_at": len(decisive),
            "a_wins_at": sum(r["winner"] == A for r in decisive),
            "ties_at": len(rounds) - len(decisive),
            **{f"{name}_at": value for name, value in derived(decisive).items()},
        }


def path_of(decisive):
    """The winners of the first decisive rounds as binary digits after a leading 1."""
    path = 1
    for r in itertools.islice(decisive, LONGEST_PATH):
        path = 2 * path + r["winner"]
    return path


def last_attacker(r):
    """Section 9, 1."""
    return r["attacks"][-1]["attacker"] if r["attacks"] else None


def derived(decisive):
    """How often the duel winner, the last attacker and the arrow's side won, of the decisive rounds that had one."""
    sides = {
        "duel": [(r["duel_winner"], r["winner"]) for r in decisive],
        "attack": [(last_attacker(r), r["winner"]) for r in decisive],
        "arrow": [(None if r["arrow"] == BOTH else r["arrow"], r["winner"]) for r in decisive],
    }
    names = {"duel": "duel_winner_wins", "attack": "last_attacker_wins", "arrow": "arrow_wins"}
    cells = {}
    for side, pairs in sides.items():
        cells[f"{side}_rounds"] = sum(seat is not None for seat, _ in pairs)
        cells[names[side]] = sum(seat == winner for seat, winner in pairs)
    return cells
