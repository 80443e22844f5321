"""Problems: states, steps, legal actions, players; how they are checked, drawn and bound to the kernel."""
