"""Where a tree lies: records, arenas, blocks of edges, and what is moved or freed; all compiled but the arenas."""
