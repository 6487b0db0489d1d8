"""What each forked process would do again at its beginning, done once before any is forked."""

import gc

from rich.markup import render
from sqlalchemy.orm import configure_mappers

from ficha.core.settings import Settings

render(":warning:")  # Loads the table of such words, of which a command's output is searched.
configure_mappers()
Settings.model_rebuild()
# To look for rubbish in what they share, each would copy it.
gc.collect()
gc.freeze()
