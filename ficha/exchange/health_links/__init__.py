"""SMART Health Links: a record lent to whoever has the link, by a key that only the link holds, until it ends."""
