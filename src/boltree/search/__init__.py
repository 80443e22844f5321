"""``bt.Search`` and what is done with searches: many at once, episodes, saving, printing."""
