"""The fast lane: an ASGI application in front of FastAPI that answers the hot reads and the webhook.

One SQL statement for each read, compiled from the domain's own selects and run on the driver itself; answer bytes built
without a model class. Everything else goes on to the application behind it, untouched.
"""

from ficha.fastlane.lane import FastLane

__all__ = ["FastLane"]
