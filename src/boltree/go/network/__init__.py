"""KataGo's networks: their files, what they are told of a position, and what computes them."""
