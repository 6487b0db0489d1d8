"""Pages for people, a folder for each reader: rendered on the server, readable without scripts."""
