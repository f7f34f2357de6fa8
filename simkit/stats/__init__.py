"""Statistics on plain numbers and arrays: estimates, intervals, tails, stopping.

Nothing here knows of games. Import the module you need; this file imports
none of them, so that the light ones stay light.

    estimate        one figure with its interval, and how it is printed
    intervals       proportions, differences, means
    histogram       exact integer histograms: moments, quantiles, summary
    clusters        means and shares over games that come in deals
    tails           is the tail exponential, and how long is it
    association     does a covariate explain who wins
    stopping        run until the interval is narrow enough
    anytime         intervals that may be watched while they narrow
    paired          two players on the same deals
    sequential      is A better than B: tests that stop as soon as they know
    tournament      everyone against everyone on the same deals
    ratings         one number per player: Bradley-Terry
    intransitivity  cycles, and rankings that need no single scale
"""
