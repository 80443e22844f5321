"""The Go Text Protocol: the commands by which other programs talk to a player."""
