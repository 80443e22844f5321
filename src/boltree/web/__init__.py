"""Pages that need nothing else: one HTML file with its style, its script and its data inside; the colours of algorithms."""
