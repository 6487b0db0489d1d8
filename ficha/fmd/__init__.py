"""The medical record: its models, who may open it, its changes, its stop signs, what a responder sees of it."""
