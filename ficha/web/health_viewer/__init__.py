"""The page that opens any SMART Health Link or Health Card, ours or others', in the reader's own browser."""
