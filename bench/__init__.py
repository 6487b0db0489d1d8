"""Measures the service against a floor: a bare handler on the same server that does the same SQL."""
