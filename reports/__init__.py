"""From tallies to numbers, tables, charts and pages.

This package knows nothing of games or kernels: a :class:`~reports.tally.Tally` holds the counts
and a :class:`~reports.description.RunDescription` says what was played.
"""
