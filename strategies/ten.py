"""Ways to play TEN: a part for each kind of decision (docs/rules/ten.md, section 7), and players made of them.

What a card is worth is its gain in optimal score, gross (9.1). Where points are compared with coins, `v` is how many coins
a point is worth, and `h` what a coin in another player's hand costs.
"""

import numpy as np

from simkit.games._ten_score import optimal_score
from simkit.games.ten import (
    CANONICAL,
    CARD,
    COINS,
    CURRENCY,
    CURRENCY_WORD,
    HASH,
    NUMBERS,
    PAYMENT,
    SHIFT,
    STAGE,
    TOKENS,
    WILD_WORD,
    WORD,
    bust_cards,
    coin_limit,
    copies_left,
    currency_bust_limit,
    first_in_order,
    gain_of,
    price_of,
    score_now,
    score_without,
)  # fmt: skip
from simkit.jit import kernel
from simkit.players import bundle, strategy
from simkit.rng import below, uniform

DRAW, STOP = 0, 1
NUMBERS_REWARD, MONEY_REWARD = 0, 1
WORST = -1e9
"""Below every value."""
FAR = 40
"""The largest sum of currency that `stop_by_shares` looks at."""

# ------------------------------------------------------------------------------------------------------------- helpers


@kernel
def room(view, seat):
    """How many coins a player can still gain. With tokens_public false, others count as able to gain any."""
    return max(coin_limit(view.rules) - max(view.table.coins[seat], 0), 0)


@kernel
def handed_out(view, currency):
    """Coins that all other players together would gain from a C of `currency`."""
    given, others = np.int64(0), view.rules.players - 1
    share = currency // others if view.rules.payout_split != 0 and others > 0 else currency
    for s in range(view.rules.players):
        if s != view.seat:
            given += min(share, room(view, s))
    return given


@kernel
def numbers_value(view, kinds, currency, v, h):
    """What NUMBERS is worth in coins: the gain in optimal score, less what the others get."""
    table, seat = view.table, view.seat
    after = optimal_score(view.rules, table.owned[seat] | kinds, table.held[seat, WILD_WORD])
    return v * (after - score_now(table, seat, view.rules)) - h * handed_out(view, currency)


@kernel
def best_reward(view, kinds, currency, v, h):
    """What the better reward is worth in coins."""
    money = np.float64(min(currency, room(view, view.seat)))
    return max(money, numbers_value(view, kinds, currency, v, h)) if kinds != 0 else money


@kernel
def bust_value(view, currency, number_bust, h):
    """What a bust is worth in coins: the token, less what the others get."""
    paid = view.rules.payout_on_number_bust if number_bust else view.rules.payout_on_currency_bust
    token = np.float64(view.rules.bust_token_value) if view.table.token_supply != 0 else 0.0
    return token - (h * handed_out(view, currency) if paid else 0.0)


@kernel
def left_of(table, kind):
    """How many cards of a kind are left in the deck."""
    return (table.left[WORD[kind]] >> SHIFT[kind]) & (255 if kind >= CURRENCY else 15)


# ------------------------------------------------------------------------------------------------------- whole players


@strategy("ten")
def random(view, moves, n):
    """Any legal move, each equally likely, paid canonically: the reference player (section 8)."""
    return 0 if view.decision == PAYMENT else below(view.rng, n)


# -------------------------------------------------------------------------------------------------------- draw or stop


@strategy("ten", "draw", p=0.5)
def random_stop(view, moves, n):
    """Stop with probability p."""
    return np.int64(uniform(view.rng) < view.params[0])


@strategy("ten", "draw", t=6)
def threshold(view, moves, n):
    """Stop when T is at least t."""
    return np.int64(view.table.total >= view.params[0])


@strategy("ten", "draw", q=0.25)
def risk(view, moves, n):
    """Stop when the next card busts with a probability above q."""
    return np.int64(bust_cards(view.table, view.rules) > view.params[0] * view.table.deck_size)


@strategy("ten", "draw", cards=3)
def count(view, moves, n):
    """Stop after so many tableau cards."""
    return np.int64(view.table.tableau_cards >= view.params[0])


@strategy("ten", "draw")
def never_stop(view, moves, n):
    """Draw until bust or the end of the deck."""
    return DRAW


@strategy("ten", "draw", v=2.0, h=0.25)
def ev(view, moves, n):
    """Stop when the best reward is worth more than one more draw, followed by the best reward then."""
    table, rules, v, h = view.table, view.rules, view.params[0], view.params[1]
    kinds, currency = table.tableau_kinds, table.currency
    now = best_reward(view, kinds, currency, v, h)
    total = 0.0
    for kind in range(CURRENCY + 5):
        copies = left_of(table, kind)
        if copies == 0:
            continue
        if kind < HASH:
            busts = table.total + kind % NUMBERS + 1 > rules.bust_limit
            bit = np.int64(1) << kind
            value = bust_value(view, currency, True, h) if busts else best_reward(view, kinds | bit, currency, v, h)
        elif kind < CURRENCY:
            value = now
        else:
            more = currency + kind - CURRENCY + 1
            busts = more > currency_bust_limit(rules)
            value = bust_value(view, more, False, h) if busts else best_reward(view, kinds, more, v, h)
        total += copies * value
    return np.int64(now > total / table.deck_size)


def multisets(parts, most):
    """All multisets of 1 to `parts` with a sum of at most `most`, by ascending sum; all tables have a row a multiset.

    Returns how many of each number they hold (int64, `parts` columns), their sums (int64), and where the multiset stands that has one
    more of each number (int64, `parts` columns; -1 if its sum is above `most`).
    """
    found = {(0,) * parts: 0}
    for counts in list_by_sum(parts, most):
        found.setdefault(counts, len(found))
    after = [[found.get((*counts[:k], counts[k] + 1, *counts[k + 1 :]), -1) for k in range(parts)] for counts in found]
    held = np.array(list(found), np.int64)
    return held, held @ np.arange(1, parts + 1), np.array(after, np.int64)


def list_by_sum(parts, most):
    """The same multisets as tuples of counts."""
    stretch = [(0, ())]
    for part in range(1, parts + 1):
        stretch = [(done + part * k, (*counts, k)) for done, counts in stretch for k in range((most - done) // part + 1)]
    return [counts for _, counts in sorted(stretch)]


MOST_NUMBERS, MOST_CURRENCY = 20, 10
"""What number cards and currency of one turn may still add up to, where `optimal_stop` looks at all of it: the page's limits."""
NUMBERS_HELD, NUMBERS_SUM, NUMBERS_AFTER = multisets(NUMBERS, MOST_NUMBERS)
CURRENCY_HELD, CURRENCY_SUM, CURRENCY_AFTER = multisets(5, MOST_CURRENCY)


@strategy("ten", "draw", x=0.5, h=0.25)
def optimal_stop(view, moves, n):
    """Draw or stop as is best for this turn, by exact dynamic programming over all the cards that may still be drawn in it. Slow.

    About 0.6 ms a question: up to 167,000 states, each a multiset of numbers and one of currency.
    A number card counts x coins for each of its points, a coin handed to another player costs h; wilds change nothing. Where the limits
    of the rules are wider than the page's, or T has a floor, it goes by shares as `stop_by_shares` does.
    """
    table, rules = view.table, view.rules
    limit = currency_bust_limit(rules)
    numbers = rules.bust_limit + limit - table.total - table.currency
    if numbers > MOST_NUMBERS or limit - table.currency > MOST_CURRENCY or rules.running_floor != 0:
        return by_shares(view, view.params[0], view.params[1])
    return DRAW if plan_turn(view, view.params[0], view.params[1]) > 0 else STOP


@kernel
def plan_turn(view, x, h):
    """How many coins drawing is worth more than stopping, by the best plan for the rest of the turn; negative if it is worth less.

    A state of the turn is what is drawn from now on: a multiset of currency and one of numbers. The sums that are left decide which
    of them come about, the cards left in the deck how likely the next ones are.
    """
    table, rules = view.table, view.rules
    begin, room_left = table.total + table.currency, currency_bust_limit(rules) - table.currency
    best = np.zeros((len(CURRENCY_SUM), len(NUMBERS_SUM)))
    numbers, currency = np.zeros(NUMBERS), np.zeros(5)
    gain = WORST
    for m in range(np.searchsorted(CURRENCY_SUM, room_left, side="right") - 1, -1, -1):
        if not are_left(view, CURRENCY_HELD, m, currency):
            continue
        c = table.currency + CURRENCY_SUM[m]
        most = rules.bust_limit + c - begin
        money, handed, bust = np.float64(min(c, room(view, view.seat))), h * handed_out(view, c), bust_value(view, c, True, h)
        for k in range(np.searchsorted(NUMBERS_SUM, most, side="right") - 1, -1, -1):
            if not are_left(view, NUMBERS_HELD, k, numbers):
                continue
            stop = max(x * (begin + NUMBERS_SUM[k]) - handed, money)
            draw = drawing_on(view, best, m, k, numbers, currency, most, bust, h)
            best[m, k] = max(stop, draw)
            gain = draw - stop
    return gain


@kernel
def are_left(view, held, row, left):
    """Whether the deck has the cards of a multiset; `left` is filled with how many of each value are then left."""
    for k in range(len(left)):
        there = copies_left(view.table, np.int64(k + 1)) if len(left) == NUMBERS else (view.table.left[CURRENCY_WORD] >> (8 * k)) & 255
        left[k] = np.float64(there) - held[row, k]
        if left[k] < 0:
            return False
    return True


@kernel
def drawing_on(view, best, m, k, numbers, currency, most, bust, h):
    """What drawing is worth in a state of the turn, with so many cards of each value left. Wilds are passed over."""
    total, cards = 0.0, 0.0
    for number in range(1, NUMBERS + 1):
        if numbers[number - 1] > 0:
            cards += numbers[number - 1]
            fits = NUMBERS_SUM[k] + number <= most
            total += numbers[number - 1] * (best[m, NUMBERS_AFTER[k, number - 1]] if fits else bust)
    limit, now = currency_bust_limit(view.rules), view.table.currency + CURRENCY_SUM[m]
    for value in range(1, 6):
        if currency[value - 1] > 0:
            cards += currency[value - 1]
            fits = now + value <= limit
            total += currency[value - 1] * (best[CURRENCY_AFTER[m, value - 1], k] if fits else bust_value(view, now + value, False, h))
    return total / cards if cards > 0 else WORST


@strategy("ten", "draw", x=0.5, h=0.25)
def stop_by_shares(view, moves, n):
    """As `optimal_stop` and about eighty times as fast, but as if each card drawn were put back: the shares of the cards left stay as now.

    So it is an approximation: a plan for several draws takes no account of the cards that the first ones take away. In 60 games each of
    four `careful` and of four `planner`, it differed at 0.3 and 0.5 percent of the questions, mostly by drawing; then it was off by
    0.04 and 0.07 coins on average, and by 1 coin at most.
    """
    return by_shares(view, view.params[0], view.params[1])


@kernel
def by_shares(view, x, h):
    """Draw or stop by dynamic programming over T and C alone, with the shares of now."""
    table, rules = view.table, view.rules
    begin = table.total + table.currency  # the numbers' sum, where T has no floor
    most_currency = max(min(currency_bust_limit(rules), FAR), table.currency)
    most_numbers = max(rules.bust_limit + most_currency, begin)
    best = np.zeros((most_numbers - begin + 1, most_currency - table.currency + 1))
    draw_is_better = False
    for c in range(most_currency, table.currency - 1, -1):
        for s in range(min(most_numbers, rules.bust_limit + c), begin - 1, -1):
            stop = max(x * s - h * handed_out(view, c), np.float64(min(c, room(view, view.seat))))
            draw = drawing(view, best, s, c, begin, most_currency, h)
            best[s - begin, c - table.currency] = max(stop, draw)
            draw_is_better = draw > stop
    return DRAW if draw_is_better else STOP


@kernel
def drawing(view, best, s, c, begin, most_currency, h):
    """What drawing is worth at a sum s of numbers and c of currency, when wilds are passed over."""
    table, rules = view.table, view.rules
    total, cards = 0.0, np.int64(0)
    for number in range(1, NUMBERS + 1):
        copies = copies_left(table, np.int64(number))
        if copies > 0:
            cards += copies
            busts = s + number - c > rules.bust_limit
            total += copies * (bust_value(view, c, True, h) if busts else best[s + number - begin, c - table.currency])
    for value in range(1, 6):
        copies = (table.left[CURRENCY_WORD] >> (8 * (value - 1))) & 255
        if copies > 0:
            cards += copies
            after = c + value
            if after > currency_bust_limit(rules):
                total += copies * bust_value(view, after, False, h)
            else:
                total += copies * best[s - begin, min(after, most_currency) - table.currency]
    return total / cards if cards > 0 else WORST


# -------------------------------------------------------------------------------------------------------------- reward


@strategy("ten", "reward")
def numbers_first(view, moves, n):
    """Take NUMBERS, where there are number cards."""
    return NUMBERS_REWARD


@strategy("ten", "reward")
def money_first(view, moves, n):
    """Take MONEY, where there is any."""
    return MONEY_REWARD


@strategy("ten", "reward", v=2.0, h=0.25)
def greedy(view, moves, n):
    """Take NUMBERS if its gain in optimal score, at v coins a point, less the coins handed out, is worth more than MONEY."""
    numbers = numbers_value(view, view.table.tableau_kinds, view.table.currency, view.params[0], view.params[1])
    return NUMBERS_REWARD if numbers >= min(view.table.currency, room(view, view.seat)) else MONEY_REWARD


@strategy("ten", "reward", m=3)
def needs(view, moves, n):
    """Take MONEY only with at most m coins."""
    return MONEY_REWARD if view.table.coins[view.seat] <= view.params[0] else NUMBERS_REWARD


# ----------------------------------------------------------------------------------------------------------------- bid


@strategy("ten", "bid")
def pass_always(view, moves, n):
    """Never bid."""
    return 0


@strategy("ten", "bid")
def random_bid(view, moves, n):
    """PASS or any legal bid, each equally likely."""
    return below(view.rng, n)


@strategy("ten", "bid", cap=5)
def min_raise(view, moves, n):
    """The lowest legal bid, up to cap."""
    return np.int64(moves[1] <= view.params[0])


@strategy("ten", "bid", r=2.0)
def value(view, moves, n):
    """The lowest legal bid, up to r times the wild's gain in optimal score."""
    return np.int64(moves[1] <= view.params[0] * gain_of(view.table, view.seat, view.table.auctioned, view.rules))


@strategy("ten", "bid")
def all_in(view, moves, n):
    """Bid full means, cards included."""
    return n - 1


@strategy("ten", "bid", r=2.0)
def snipe(view, moves, n):
    """As `value`, but only when last to act."""
    if view.table.waiting != 0:
        return np.int64(0)
    return np.int64(moves[1] <= view.params[0] * gain_of(view.table, view.seat, view.table.auctioned, view.rules))


# ------------------------------------------------------------------------------------------------------------ purchase


@strategy("ten", "purchase")
def none(view, moves, n):
    """Never buy."""
    return 0


@strategy("ten", "purchase")
def random_purchase(view, moves, n):
    """Nothing or any card that may be bought, each equally likely."""
    return below(view.rng, n)


@kernel
def best_purchase(view, moves, n, most):
    """The largest gain in optimal score, then the lowest price, up to a price of `most`; 0, nothing, if no card gains."""
    chosen, best = np.int64(0), np.int64(0)
    for i in range(1, n):
        price = price_of(moves[i], view.rules)
        if price <= most:
            merit = 16 * gain_of(view.table, view.seat, moves[i], view.rules) - price
            if merit > best:
                chosen, best = np.int64(i), merit
    return chosen


@strategy("ten", "purchase")
def best_gain(view, moves, n):
    """The card with the largest gain in optimal score, then the lowest price; nothing if no card gains."""
    return best_purchase(view, moves, n, np.int64(99))


@strategy("ten", "purchase")
def gain_per_coin(view, moves, n):
    """The card with the largest gain for its price."""
    chosen, best = np.int64(0), 0.0
    for i in range(1, n):
        merit = gain_of(view.table, view.seat, moves[i], view.rules) / price_of(moves[i], view.rules)
        if merit > best:
            chosen, best = np.int64(i), merit
    return chosen


@strategy("ten", "purchase")
def cheapest_useful(view, moves, n):
    """The cheapest card that gains anything."""
    chosen, lowest = np.int64(0), np.int64(99)
    for i in range(1, n):
        price = price_of(moves[i], view.rules)
        if price < lowest and gain_of(view.table, view.seat, moves[i], view.rules) > 0:
            chosen, lowest = np.int64(i), price
    return chosen


@strategy("ten", "purchase", m=3)
def save(view, moves, n):
    """As `best_gain`, where at least m coins remain after paying in coins."""
    return best_purchase(view, moves, n, view.table.coins[view.seat] - np.int64(view.params[0]))


# ------------------------------------------------------------------------------------------------------------- payment


@kernel
def at_least(moves, n, move):
    """The index of the first of these moves that is not below `move`; 0 if there is none."""
    for i in range(n):
        if moves[i] >= move:
            return np.int64(i)
    return np.int64(0)


@kernel
def least_missed(view, moves, n):
    """Of the cards to pay with, the one whose loss lowers the optimal score least; ties as in the canonical payment (2.8)."""
    table, seat, rules = view.table, view.seat, view.rules
    kinds, best, highest = np.int64(0), np.int64(0), np.int64(-1)
    for i in range(n):
        kinds |= np.int64(1) << (moves[i] - CARD * STAGE)
    while kinds != 0:
        kind = first_in_order(kinds)
        kinds ^= np.int64(1) << kind
        after = score_without(table, seat, kind, rules)
        if after > highest:
            best, highest = CARD * STAGE + kind, after
    return at_least(moves, n, best)


@kernel
def pay_coins_first(view, moves, n, cards):
    """Pay so many cards, as far as they are legal, then coins, then bust tokens; canonically where that cannot be."""
    table, rules = view.table, view.rules
    stage = moves[n - 1] // STAGE
    price = table.price - rules.card_payment_value * cards
    if stage == TOKENS:
        short = price - table.coins[view.seat]
        tokens = np.int64(0)
        if short > 0:
            if rules.bust_token_value == 0:
                return np.int64(CANONICAL)
            tokens = (short + rules.bust_token_value - 1) // rules.bust_token_value
        wanted = at_least(moves, n, TOKENS * STAGE + tokens)
        return wanted if moves[wanted] == TOKENS * STAGE + tokens else np.int64(CANONICAL)
    if stage == COINS:
        coins = min(max(price - rules.bust_token_value * table.tokens_paid, 0), table.coins[view.seat])
        return at_least(moves, n, COINS * STAGE + coins)
    return least_missed(view, moves, n) if stage == CARD else np.int64(0)


@strategy("ten", "payment")
def canonical(view, moves, n):
    """The canonical payment: fewest cards, least overpayment, fewest coins."""
    return 0


@strategy("ten", "payment")
def keep_bust(view, moves, n):
    """Coins before bust tokens; cards only if there is no other way."""
    return pay_coins_first(view, moves, n, np.int64(0))


@kernel
def idle_cards(view):
    """How many cards a player could lose one after the other without losing a point."""
    table, rules, seat = view.table, view.rules, view.seat
    owned, wilds, cards = table.owned[seat], table.held[seat, WILD_WORD], np.int64(0)
    score = optimal_score(rules, owned, wilds)
    for kind in range(HASH):
        copies = (table.held[seat, WORD[kind]] >> SHIFT[kind]) & 15
        if copies > 0:
            cards += copies - 1
            without = owned & ~(np.int64(1) << kind)
            if optimal_score(rules, without, wilds) == score:
                owned = without
                cards += 1
    if not rules.wilds_as_payment:
        return cards
    for kind in range(HASH, CURRENCY):
        while (wilds >> SHIFT[kind]) & 15 > 0:
            fewer = wilds - (np.int64(1) << SHIFT[kind])
            without = owned & ~(np.int64((fewer >> SHIFT[kind]) & 15 == 0) << kind)
            if optimal_score(rules, without, fewer) < score:
                break
            owned, wilds = without, fewer
            cards += 1
    return cards


@strategy("ten", "payment")
def burn_duplicates(view, moves, n):
    """Cards that score nothing first, then coins, then bust tokens."""
    value, price = view.rules.card_payment_value, view.table.price
    if value == 0 or (view.rules.cards_as_payment != 0 and view.rules.cards_as_payment != (2 if view.table.auctioned >= 0 else 1)):
        return pay_coins_first(view, moves, n, np.int64(0))
    if moves[n - 1] // STAGE == CARD:
        return least_missed(view, moves, n)
    return pay_coins_first(view, moves, n, min(idle_cards(view), price // value))


# ------------------------------------------------------------------------------------------------- players made of parts

bundle(
    "ten", "careful", "Stops early, buys what gains most, bids by the gain.",
    draw=risk, reward=greedy, bid=value, purchase=best_gain, payment=canonical, numbers={"q": 0.15},
)  # fmt: skip
bundle(
    "ten", "steady", "Stops by a plan for the turn, always raises by the least, buys only what its coins pay: the best found.\n\n"
    "What a search found (`simkit tune`, default rules, every figure on deals that the search had not seen; 95 % intervals by deal; a score is "
    "even at 50 %), beginning with x=0.85, h=0.2, v=6 and m=2, the best of an earlier search of some 250 players. Against that player, bold and "
    "careful: no other part was clearly better, among 27 ways to bid and pay, 30 to buy and choose a reward, 40 of 85 to stop and bid; nor "
    "were 30 settings of x and h alone (0.25 percentage points, -0.19 to 0.69), but 24 of x, h and m gained 0.59 (0.24 to 0.93). Then with the best so "
    "far among the opponents: 40 of 60 settings of x, h and v, apart for the plan and for the reward, gained 0.46 (0.21 to 0.72), and of 48 of "
    "x, h, v and m the best scored 0.59 more than x=0.7, h=0.05, v=4 and m=1 (0.31 to 0.88). Last a check: none of 36 other ways to bid, pay and "
    "buy and none of 14 other settings of v and m was better. As each bids once and by the least, any `cap` from 4 on is the same for four.\n\n"
    "Against the earlier numbers, the earlier steady, bold, careful and banker as the field (`simkit tune ten 'steady(x=0.85,h=0.2,v=6,m=2)' --over x=0.7 "
    "--over h=0 --over v=4 --over m=0 --against 'steady(x=0.85,h=0.2,v=6,m=2),bold,careful,banker' -n 3000 --seed 201`) it scores 66.18 % (65.88-66.48) to their "
    "64.86 % (64.59-65.14), 1.32 percentage points more (1.02 to 1.61); with three players 1.62 more (1.23 to 2.00, n = 2,500), with two "
    "1.93 (1.51 to 2.36, n = 4,000). Alone against three of a kind it wins 0.620 of the games from careful (0.607 to 0.633), 0.364 from bold "
    "(0.354 to 0.375), 0.717 from banker (0.706 to 0.729), 0.271 from the earlier steady (0.263 to 0.280), 8,000 games each, and 0.252 from planner "
    "(0.246 to 0.257; 600 games), where 0.25 would be as good as they are.",
    draw=stop_by_shares, reward=greedy, bid=min_raise, purchase=save, payment=canonical,
    numbers={"x": 0.7, "h": 0, "v": 4, "cap": 5, "m": 0},
)  # fmt: skip
bundle(
    "ten", "planner", "As steady, with the best plan for the turn: slow, fifteen games a second.\n\n"
    "With steady's earlier numbers it scores 1.6 percentage points less against steady (0.0 to 3.2, 240 deals).",
    draw=optimal_stop, reward=greedy, bid=min_raise, purchase=save, payment=canonical,
    numbers={"x": 0.7, "h": 0, "v": 4, "cap": 5, "m": 0},
)  # fmt: skip
bundle(
    "ten", "bold", "Draws on until T is 8, takes numbers, bids up to 8.",
    draw=threshold, reward=numbers_first, bid=min_raise, purchase=best_gain, payment=keep_bust, numbers={"t": 8, "cap": 8},
)  # fmt: skip
bundle(
    "ten", "banker", "Takes money, and spends it on wilds, last to act, and on cheap useful cards.",
    draw=threshold, reward=money_first, bid=snipe, purchase=cheapest_useful, payment=keep_bust, numbers={"r": 4},
)  # fmt: skip
bundle(
    "ten", "reckless", "Never stops, and bids all it has.",
    draw=never_stop, reward=numbers_first, bid=all_in, purchase=best_gain, payment=canonical,
)  # fmt: skip
