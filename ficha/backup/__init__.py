"""Backups: one archive of the database and the files, made while the service runs and put back whole or not at all."""
