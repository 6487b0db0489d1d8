"""What the pages say, in Spanish, English and Portuguese: one small table for each page."""
