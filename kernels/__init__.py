"""Compiled play: integers in, integers out.

One folder a game, with the same modules and verbs in each: ``layout`` names the columns of a hand
and of a game and the events of a trace, ``tables`` turns rules and policies into arrays, ``play``
plays a range of games into blocks of rows. ``counting`` turns blocks into counts for every game.
Kernels trust their input: the library that calls them has checked it.
"""
