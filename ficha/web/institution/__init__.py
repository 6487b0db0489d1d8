"""The pages of who works at an institution: its people, rosters, invitations and stickers."""
