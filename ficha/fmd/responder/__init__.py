"""What a stranger sees of a record: values in, values out, already in the words of her language."""
