"""Pages that need nothing else: one HTML file with its style, script and data inside; the colours of algorithms."""
