"""The design space and its formulas: distributions, values, entropies, temperatures, alias tables; all compiled."""
