"""Messages that we send, deliver and receive, over any provider."""
