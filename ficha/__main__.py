"""`python -m ficha` is the same as the `ficha` command."""

from ficha.cli import main

main()
