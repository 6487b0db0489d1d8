"""Pages for people: server-rendered, readable with scripts off."""
