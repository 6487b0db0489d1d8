"""Self-contained pages for phones with a poor signal: style and script inline, small enough for one round trip."""
