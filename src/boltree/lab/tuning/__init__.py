"""Searching for the parameters with which an algorithm does best on a problem."""
