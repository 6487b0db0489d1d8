"""What others wrote about a person, read as proposals for her record: summaries, cards and links. She decides."""
