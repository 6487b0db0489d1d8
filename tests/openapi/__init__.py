"""What developers of clients make of openapi.json: linters, generated clients, and the document against answers."""
