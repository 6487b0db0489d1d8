"""docs/alert-states.md: what each reader is told of an alert in each state, from the table that the pages use."""

from ficha.accounts.accounts import Idioma
from ficha.emergencies.alert_progress import AlertState
from ficha.web.kit.alert_headlines import HEADLINES, Reader
from ficha.web.kit.alert_sentences import capital

ABOUT = """# What each reader is told of an alert

The rows are the states that an alert can be in, found from the stored steps and answers by
`ficha/emergencies/alert_progress.py`. The cells are the sentences of `ficha/web/kit/alert_headlines.py`, which the
pages show. `tests/web/kit/test_alert_headlines.py` builds each state in the database and reads each cell where its
reader does. Of several states that hold the one further up stands, except that among withdrawals, unclear answers,
reading, receiving and the team on call the newest does. Whoever said that she cannot come no longer counts as reached.

* **stranger**: the page of the scanned sticker, and its stream (`/e/…`). The page of a typed code tells only that the
  alert was received and, while it is held back, when it leaves.
* **contact**: the page of the link in the alert (`/a/…`), once she said that she cannot come; it tells of the others.
  Before that it asks her whether she can. Where there is no sentence, nobody has such a link yet.
* **family**: the page of the emergency in the portal (`/app/emergencias/…`).
* **staff**: the page of the emergency in the console (`/admin/emergencias/…`), for those that they were called to.

`{who}` is the relation as the reader may know it (“la madre”), and for the family also the name of who said in the
portal that she goes. `{at}` is a time with its zone.
"""


def alert_states_page() -> str:
    lines = [ABOUT]
    for language in Idioma:
        lines += [
            f"## {language.value}\n",
            f"| state | {' | '.join(Reader)} |",
            f"| --- |{' --- |' * len(Reader)}",
            *(_row(state, language) for state in AlertState),
            "",
        ]
    return "\n".join(lines).rstrip() + "\n"


def _row(state: AlertState, language: Idioma) -> str:
    cells = [capital(HEADLINES[state][reader].in_language(language)) or "–" for reader in Reader]
    return f"| `{state.name.lower()}`: {state.value} | {' | '.join(cells)} |"
