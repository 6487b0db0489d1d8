"""Where files are kept: a folder on disk, or S3-compatible storage. Both get only bytes that are encrypted already."""
