"""People who can log in: their account, their clave, their tokens and browser sessions."""
