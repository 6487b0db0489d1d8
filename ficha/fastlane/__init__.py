"""The fast lane: answers what comes all the time on the event loop, by one statement on the database's own driver."""
