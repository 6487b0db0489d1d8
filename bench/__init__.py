"""The service measured beside a floor: a bare handler on the same server that does the same SQL."""
