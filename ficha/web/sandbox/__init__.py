"""The sandbox page, in development only: mails and messages that were sent to nobody real, and the job queue."""

from ficha.web.sandbox.page import routes

__all__ = ["routes"]
