"""What the JSON operations and the pages share: the frame around each request, doors, limits, errors, answers."""
