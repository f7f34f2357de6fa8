"""Statistics on plain numbers and arrays: estimates, intervals, tails, stopping.

Nothing here knows of games. Import the module you need; this file imports
none of them, so that the light ones stay light.

    estimate      one figure with its interval, and how it is printed
    intervals     proportions, differences, means
    histogram     exact integer histograms: moments, quantiles, summary
    tails         is the tail exponential, and how long is it
    association   does a covariate explain who wins
    stopping      run until the interval is narrow enough
    paired        two players on the same deals
"""
