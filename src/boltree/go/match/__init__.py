"""Matches between players, here and from outside: games, openings, results, ratings."""
