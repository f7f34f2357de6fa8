"""The card game Techu, played slowly and plainly from the rules page.

Rule numbers (sections 2 to 4, rules 1 and 2, D1..D17) are those of
docs/rules/techu.md.  Player 0 is Black (home row 0), player 1 Red (home row
4).  A card is (owner, rank).  A space is the number row * 5 + column; the
board is a list of 25 stacks, each a list of cards, bottom first.  A hand is a
list of counts: hand[rank] is how many cards of that rank it has.  A deck is a
list of ranks, front (next to be drawn) first.

    play(rules, seed, deal)          set up and play one game
    play_decks(decks, rules)         the same from decks in a given order
    play_from(board, hands, decks, to_act, rules)     start from a position
    position(board, hands, decks, to_act, rules)      a Game to try moves on

`choose(seat, kind, legal_moves, game, stream)` returns the index of a move.
`trace`, a list, gets one dict per turn (turn, seat, move, spaces, linked).
"""

from functools import cache

from .streams import CHANCE, DEAL, SEAT, Stream

WIN, DRAW = 0, 1
UNFINISHED = -1  # only when play_from was told to stop early

# Kinds of decision.
STARTER, TURN = 0, 1

BLACK, RED = 0, 1
RANKS = range(2, 15)
ACE = 14
SIDE = 5
SPACES = range(SIDE * SIDE)
HOME_ROW = (range(5), range(20, 25))  # D1
HOME_CENTRE = (2, 22)  # (0,2) and (4,2)

# A move is rank * 32 + space, or rank * 32 + DISCARD.
FACTOR = 32
DISCARD = 31

# Section 4: kinds of Techu.
NO_TECHU, TWO_ON_EMPTY, THREE_ON_TWO = 0, 1, 2

# --- rules (section 5) ------------------------------------------------------

DEFAULTS = {
    "game": "techu",
    "hand_size": 3,
    "count_rule": "all",
    # What an opponent may see; it changes nothing in the play itself (D13).
    "discard_visibility": "open",
    "tie_replay": "home_row",
    "first_turn": "low_starter",
    "opponent_home": "open",
    "voluntary_discard": True,
    "techu_scope": "last_action",
    "techu_value": 0,
}


def make_rules(**changes):
    """The default rules with some parameters changed."""
    unknown = set(changes) - set(DEFAULTS)
    if unknown:
        raise KeyError(f"unknown rule parameters: {sorted(unknown)}")
    return {**DEFAULTS, **changes}


# --- moves and the grid (section 1) -----------------------------------------


def move_of(rank, space):
    return rank * FACTOR + space


def split_move(move):
    """The rank and the space (or DISCARD) of a move."""
    return move // FACTOR, move % FACTOR


def space_at(row, column):
    return row * SIDE + column


@cache
def neighbours(space):
    """The spaces vertically and horizontally next to a space."""
    row, column = space // SIDE, space % SIDE
    steps = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [space_at(r, c) for r, c in steps if 0 <= r < SIDE and 0 <= c < SIDE]


def empty_hand():
    return [0] * (ACE + 1)


def hand_of(ranks):
    """A hand from a list of ranks."""
    hand = empty_hand()
    for rank in ranks:
        hand[rank] += 1
    return hand


def full_deck():
    """A player's unshuffled deck: ascending, two of each rank."""
    return [rank for rank in RANKS for _copy in range(2)]


# --- playing ----------------------------------------------------------------


def play(rules, seed, deal, choose=None, trace=None):
    """Play deal number `deal` of `seed` and return its row (section 8)."""
    stream = Stream(seed, deal, DEAL)
    decks = []
    for _player in (BLACK, RED):  # 2.1: Black's deck is shuffled first
        deck = full_deck()
        stream.shuffle(deck)
        decks.append(deck)
    return play_decks(decks, rules, seed, deal, choose, trace)


def play_decks(decks, rules, seed=0, deal=0, choose=None, trace=None):
    """Play a game from decks in the given order (nothing is shuffled)."""
    game = Game(rules, seed, deal, choose, trace)
    game.decks = [list(deck) for deck in decks]
    game.set_up()
    game.play_turns()
    return game.row()


def play_from(
    board,
    hands,
    decks,
    to_act,
    rules=None,
    seed=0,
    deal=0,
    choose=None,
    k=1,
    stop_after=None,
    trace=None,
):
    """Play on from a position; see `position` for the first four arguments.

    `stop_after` ends play after that many turns.  The player to act counts
    as the first mover; there are no starters (rank 0 in the row).
    """
    game = position(board, hands, decks, to_act, rules, seed, deal, choose, k, trace)
    game.play_turns(stop_after)
    return game.row()


def position(
    board,
    hands,
    decks=((), ()),
    to_act=BLACK,
    rules=None,
    seed=0,
    deal=0,
    choose=None,
    k=1,
    trace=None,
):
    """A game in a given position.

    `board` is a dict from (row, column) to a card (owner, rank) or to a list
    of cards, bottom first; `hands` and `decks` are lists of ranks, Black's
    and Red's.
    """
    game = Game(rules or {}, seed, deal, choose, trace)
    for (row, column), cards in board.items():
        stack = [cards] if isinstance(cards, tuple) else list(cards)
        game.board[space_at(row, column)] = stack
    game.hands = [hand_of(hand) for hand in hands]
    game.decks = [list(deck) for deck in decks]
    game.k = k
    game.first_mover = game.to_act = to_act
    game.last_ahead = game.ahead()
    return game


def random_player(seat, kind, legal, game, stream):
    """The reference random player (section 12)."""
    return stream.below(len(legal))


class Game:
    """One game: where the cards are, and what is recorded (section 8)."""

    def __init__(self, rules, seed=0, deal=0, choose=None, trace=None):
        self.rules = make_rules(**rules)
        self.choose = choose or random_player
        self.chance = Stream(seed, deal, CHANCE)
        self.seat_streams = [Stream(seed, deal, SEAT + p) for p in (BLACK, RED)]
        self.trace = trace

        # Where the cards are.
        self.board = [[] for _ in SPACES]
        self.hands = [empty_hand(), empty_hand()]
        self.decks = [[], []]
        self.discards = [empty_hand(), empty_hand()]

        # How the game stands.
        self.k = 0
        self.first_mover = -1
        self.to_act = -1
        self.turn = 0  # the number of turns taken

        # For Techu: (player, kind, a Techu placement was legal) of an action.
        self.last_action = None
        self.own_last_action = [None, None]

        # Counts.
        self.first_starter = [0, 0]
        self.last_starter = [0, 0]
        self.placed_empty = [0, 0]
        self.placed_own = [0, 0]
        self.placed_opponent = [0, 0]
        self.discards_voluntary = [0, 0]
        self.discards_forced = [0, 0]
        self.spaces_lost = [0, 0]
        self.aces_placed = [0, 0]
        self.aces_home = [0, 0]
        self.aces_away = [0, 0]
        self.cut_events = [0, 0]
        self.spaces_cut = [0, 0]
        self.enemy_home_placed = [0, 0]
        self.enemy_home_first = [0, 0]
        self.stuck_turns = [0, 0]
        self.last_ahead = None  # the last player who was ahead in spaces
        self.lead_changes = 0
        self.last_lead_change = 0

    # --- the grid (section 1) ---

    def holder(self, space):
        """Who holds a space; None if it is empty."""
        stack = self.board[space]
        return stack[-1][0] if stack else None

    def top_rank(self, space):
        """The rank on top of a space; 0 if it is empty."""
        stack = self.board[space]
        return stack[-1][1] if stack else 0

    def spaces(self, player):
        """The number of spaces a player holds, s(p)."""
        return sum(1 for x in SPACES if self.holder(x) == player)

    def ahead(self):
        """The player who holds more spaces; None if level."""
        black, red = self.spaces(BLACK), self.spaces(RED)
        if black == red:
            return None
        return BLACK if black > red else RED

    # --- rules 1 and 2 (section 3) ---

    def linked(self, player):
        """The linked spaces of a player (rule 2), as a set."""
        found = {x for x in HOME_ROW[player] if self.holder(x) == player}
        to_visit = list(found)
        while to_visit:
            for x in neighbours(to_visit.pop()):
                if x not in found and self.holder(x) == player:
                    found.add(x)
                    to_visit.append(x)
        return found

    def rule_1(self, rank, space):
        """Empty, or a strictly lower card on top, whoever owns it."""
        return self.top_rank(space) < rank

    def rule_2(self, player):
        """The reachable spaces of a player, as a set (D11, D12)."""
        linked = self.linked(player)
        beside = {y for x in linked for y in neighbours(x)}
        return set(HOME_ROW[player]) | linked | beside

    def allowed_spaces(self, player):
        """The reachable spaces, less the opponent's home if closed (D6)."""
        reachable = self.rule_2(player)
        if self.rules["opponent_home"] == "closed":
            reachable -= set(HOME_ROW[1 - player])
        return sorted(reachable)

    def legal_placements(self, player):
        """All legal place moves: by rank, then by space."""
        allowed = self.allowed_spaces(player)
        moves = []
        for rank in self.ranks_in_hand(player):
            moves += [move_of(rank, x) for x in allowed if self.rule_1(rank, x)]
        return moves

    def legal_moves(self, player):
        """All legal actions of a turn: by rank, then by space, discard last."""
        placements = self.legal_placements(player)
        if placements and not self.rules["voluntary_discard"]:
            return placements
        discards = [move_of(rank, DISCARD) for rank in self.ranks_in_hand(player)]
        return sorted(placements + discards)

    # --- cards ---

    def ranks_in_hand(self, player):
        return [rank for rank in RANKS if self.hands[player][rank] > 0]

    def has_cards(self, player):
        return sum(self.hands[player]) + len(self.decks[player]) > 0

    def draw(self, player):
        """One card from the own deck if it is not empty (3.1, D5)."""
        if self.decks[player]:
            self.hands[player][self.decks[player].pop(0)] += 1

    def take_from_hand(self, player, rank):
        if self.hands[player][rank] == 0:
            raise ValueError(f"player {player} holds no card of rank {rank}")
        self.hands[player][rank] -= 1

    def ask(self, player, kind, legal):
        """The move a player chooses among the legal ones."""
        index = self.choose(player, kind, legal, self, self.seat_streams[player])
        return legal[index]

    # --- set-up (section 2) ---

    def set_up(self):
        for player in (BLACK, RED):  # 2.1
            for _ in range(self.rules["hand_size"]):
                self.draw(player)
        self.starter_round()  # 2.2
        self.first_starter = list(self.last_starter)
        while self.tie_is_replayed():  # 2.4
            self.draw(BLACK)
            self.draw(RED)
            self.starter_round()
        self.first_mover = self.to_act = self.who_begins()

    def starter_round(self):
        """2.2, 2.4: both choose unseen, then both cards are placed (D2)."""
        moves = [self.ask(p, STARTER, self.legal_starters(p)) for p in (BLACK, RED)]
        for player in (BLACK, RED):
            rank, space = split_move(moves[player])
            self.take_from_hand(player, rank)
            self.board[space].append((player, rank))
            self.last_starter[player] = rank
        self.k += 1

    def legal_starters(self, player):
        """2.2: the home centre; 2.4: any empty space of the home row (D3)."""
        spaces = [HOME_CENTRE[player]]
        if self.k > 0:
            spaces = self.empty_home_spaces(player)
        return [move_of(rank, x) for rank in self.ranks_in_hand(player) for x in spaces]

    def empty_home_spaces(self, player):
        return [x for x in HOME_ROW[player] if self.holder(x) is None]

    def starters_tie(self):
        return self.last_starter[BLACK] == self.last_starter[RED]

    def tie_is_replayed(self):
        """2.4; at most five rounds in all (D4)."""
        if self.rules["first_turn"] == "random" or self.rules["tie_replay"] == "coin":
            return False
        return self.starters_tie() and self.empty_home_spaces(BLACK) != []

    def who_begins(self):
        """2.3, `first_turn`; a coin shows the player who moves first."""
        first_turn = self.rules["first_turn"]
        if first_turn == "random" or self.starters_tie():
            return self.chance.coin()
        lower = BLACK if self.last_starter[BLACK] < self.last_starter[RED] else RED
        return {"low_starter": lower, "high_starter": 1 - lower}[first_turn]

    # --- turns (section 3) ---

    def play_turns(self, stop_after=None):
        """Turns alternate until all hands and decks are empty (section 4)."""
        while not self.over() and self.turn != stop_after:
            if self.has_cards(self.to_act):  # otherwise skipped
                self.take_turn(self.to_act)
            self.to_act = 1 - self.to_act

    def over(self):
        return not self.has_cards(BLACK) and not self.has_cards(RED)

    def take_turn(self, player):
        self.draw(player)  # 3.1
        self.act(player, self.ask(player, TURN, self.legal_moves(player)))  # 3.2

    def act(self, player, move):
        """3.2: one action, without the draw; also what is recorded of it."""
        legal = self.legal_moves(player)
        if move not in legal:
            raise ValueError(f"illegal move {move}")
        placements = self.legal_placements(player)
        self.turn += 1
        self.record_action(player, move, placements)
        linked_before = [len(self.linked(p)) for p in (BLACK, RED)]
        rank, space = split_move(move)
        self.take_from_hand(player, rank)
        if space == DISCARD:
            self.discard(player, rank, forced=not placements)
        else:
            self.place(player, rank, space)
        if not placements:
            self.stuck_turns[player] += 1
        self.record_cuts(linked_before)
        self.record_lead()
        if self.trace is not None:
            self.trace.append(self.snapshot(player, move))

    def discard(self, player, rank, forced):
        self.discards[player][rank] += 1
        if forced:  # D15
            self.discards_forced[player] += 1
        else:
            self.discards_voluntary[player] += 1

    def place(self, player, rank, space):
        self.record_placement(player, rank, space)
        self.board[space].append((player, rank))

    # --- the record of a turn (section 8) ---

    def record_placement(self, player, rank, space):
        """Before the card is placed."""
        covered = self.holder(space)
        if covered is None:
            self.placed_empty[player] += 1
        elif covered == player:
            self.placed_own[player] += 1
        else:
            self.placed_opponent[player] += 1
            self.spaces_lost[covered] += 1
        if rank == ACE:
            self.aces_placed[player] += 1
            if space in HOME_ROW[player]:
                self.aces_home[player] += 1
            else:
                self.aces_away[player] += 1
        if space in HOME_ROW[1 - player]:
            self.enemy_home_placed[player] += 1
            if self.enemy_home_first[player] == 0:
                self.enemy_home_first[player] = self.turn

    def record_cuts(self, linked_before):
        """The linked count fell by more than the one space covered."""
        for player in (BLACK, RED):
            fallen = linked_before[player] - len(self.linked(player))
            if fallen > 1:
                self.cut_events[player] += 1
                self.spaces_cut[player] += fallen - 1

    def record_lead(self):
        """Another player is ahead than the last one who was; level is nobody."""
        ahead = self.ahead()
        if ahead is None:
            return
        if self.last_ahead is not None and ahead != self.last_ahead:
            self.lead_changes += 1
            self.last_lead_change = self.turn
        self.last_ahead = ahead

    def record_action(self, player, move, placements):
        """Before the action: would it be, and could there be, a Techu?"""
        possible = any(self.techu_kind_of(player, m) != NO_TECHU for m in placements)
        action = (player, self.techu_kind_of(player, move), possible)
        self.last_action = action
        self.own_last_action[player] = action

    def techu_kind_of(self, player, move):
        """Section 4 (b), looking at the board before the move."""
        rank, space = split_move(move)
        if space == DISCARD:
            return NO_TECHU
        if rank == 2 and self.holder(space) is None:
            return TWO_ON_EMPTY
        if rank == 3 and self.holder(space) == 1 - player and self.top_rank(space) == 2:
            return THREE_ON_TWO
        return NO_TECHU

    def snapshot(self, player, move):
        return {
            "turn": self.turn,
            "seat": player,
            "move": move,
            "spaces": [self.spaces(p) for p in (BLACK, RED)],
            "linked": [len(self.linked(p)) for p in (BLACK, RED)],
        }

    # --- the result (section 4) ---

    def score(self, player):
        """Spaces as `count_rule` counts them (D7)."""
        if self.rules["count_rule"] == "linked":
            return len(self.linked(player))
        return self.spaces(player)

    def winner(self):
        """-1 for a draw (D8)."""
        black, red = self.score(BLACK), self.score(RED)
        if black == red:
            return -1
        return BLACK if black > red else RED

    def techu_kind(self, winner):
        """Section 4, D10."""
        action = self.last_action
        if self.rules["techu_scope"] == "own_last_action":
            action = self.own_last_action[winner] if winner >= 0 else None
        if action is None or action[0] != winner:
            return NO_TECHU
        return action[1]

    def techu_missed(self, winner, kind):
        """The winner made the last action and had a Techu, but did not play it."""
        if self.last_action is None or kind != NO_TECHU:
            return False
        player, _kind, possible = self.last_action
        return player == winner and possible

    def payoff(self, player, winner):
        if winner < 0:
            return 1
        return 2 if player == winner else 0

    def packed_row(self, i):
        """A row of the board: nine bits a space, column 0 in the lowest: rank on top, 16 if it is Red's, 32 for each card."""
        packed = 0
        for column in range(5):
            stack = self.board[5 * i + column]
            if stack:
                owner, rank = stack[-1]
                packed += (rank + 16 * owner + 32 * len(stack)) * 2 ** (9 * column)
        return packed

    def row(self):
        over = self.over()
        winner = self.winner() if over else -1
        kind = self.techu_kind(winner) if over else NO_TECHU
        held = [self.spaces(BLACK), self.spaces(RED)]
        outcome = DRAW if winner < 0 else WIN
        row = {
            "outcome": outcome if over else UNFINISHED,
            "winner": winner,
            "first_mover": self.first_mover,
            "k": self.k,
            "turns": self.turn,
            "empty_spaces": len(SPACES) - sum(held),
            "margin": abs(self.score(BLACK) - self.score(RED)),
            "techu": int(kind != NO_TECHU),
            "techu_kind": kind,
            "techu_missed": int(over and self.techu_missed(winner, kind)),
            "lead_changes": self.lead_changes,
            "last_lead_change": self.last_lead_change,
            "tallest_stack": max(len(stack) for stack in self.board),
            **{f"board_{i}": self.packed_row(i) for i in range(5)},
        }
        for p in (BLACK, RED):
            payoff = self.payoff(p, winner) if over else 0
            honour = self.rules["techu_value"] if kind != NO_TECHU and p == winner else 0
            row[f"payoff_{p}"] = payoff
            row[f"points_{p}"] = payoff + honour
            row[f"starter_{p}"] = self.first_starter[p]
            row[f"last_starter_{p}"] = self.last_starter[p]
            row[f"spaces_{p}"] = held[p]
            row[f"linked_{p}"] = len(self.linked(p))
            row[f"placed_empty_{p}"] = self.placed_empty[p]
            row[f"placed_own_{p}"] = self.placed_own[p]
            row[f"placed_opponent_{p}"] = self.placed_opponent[p]
            row[f"discards_voluntary_{p}"] = self.discards_voluntary[p]
            row[f"discards_forced_{p}"] = self.discards_forced[p]
            row[f"spaces_lost_{p}"] = self.spaces_lost[p]
            row[f"aces_placed_{p}"] = self.aces_placed[p]
            row[f"aces_home_{p}"] = self.aces_home[p]
            row[f"aces_away_{p}"] = self.aces_away[p]
            row[f"cut_events_{p}"] = self.cut_events[p]
            row[f"spaces_cut_{p}"] = self.spaces_cut[p]
            row[f"enemy_home_placed_{p}"] = self.enemy_home_placed[p]
            row[f"enemy_home_first_{p}"] = self.enemy_home_first[p]
            row[f"stuck_turns_{p}"] = self.stuck_turns[p]
        for rank in RANKS:
            row[f"discarded_{rank}"] = self.discards[BLACK][rank] + self.discards[RED][rank]
        return row
