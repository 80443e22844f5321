"""Problems in plain Python: any state that can be hashed, and answers that are kept."""
