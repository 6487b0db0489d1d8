"""The fast lane: an ASGI application in front of FastAPI that answers the five reads called all the time.

One SQL statement each, run on the driver itself; answer bytes built without a model class. Everything else goes on
to the application behind it, untouched.
"""

from ficha.fastlane.callers import ReadLog
from ficha.fastlane.lane import FastLane

__all__ = ["FastLane", "ReadLog"]
