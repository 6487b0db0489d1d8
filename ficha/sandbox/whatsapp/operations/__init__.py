"""The operations of the Graph API, one function for each method and path."""
