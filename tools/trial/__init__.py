"""The trial: may bakeoff's verdicts be trusted, and more than those of its peers?

The same pair of functions, alike or with the second slowed by a known percentage, is judged by every
tool side by side. A verdict on functions that are alike is a false alarm; no verdict on a slowed one
is a miss. ``python -m tools.trial --help``
"""
