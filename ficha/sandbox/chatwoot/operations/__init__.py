"""The operations of both APIs of Chatwoot, one function for each method and path."""
