"""Server-Sent Events: responses that stay open, the sessions they belong to, and what ends them."""

from ficha.http.streams.open_streams import OpenStreams, StreamRules

__all__ = ["OpenStreams", "StreamRules"]
