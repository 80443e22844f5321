"""The rules of Go: stones, chains, liberties, ladders, areas and scores."""
