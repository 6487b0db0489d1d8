"""A record is handed over: it changes its owner, its links end, institutions see nothing of it until the new one
decides, and what the former one was answered about it is not given again."""

from datetime import datetime

from ficha.accounts.accounts import Account
from ficha.core.crypto import Keyring
from ficha.core.transaction import Transaction
from ficha.enrolment.people_in_kept_answers import erase_words_for_account
from ficha.exchange.health_links.links import end_all_health_links
from ficha.fmd.access import OpenFmd
from ficha.fmd.hand_over import hand_over
from ficha.institutions.consents import decide, memberships_of_record


def confirm_hand_over(
    tx: Transaction, keyring: Keyring, fmd: OpenFmd, grant_id: int, account_id: int, now: datetime, *, most: int
) -> Account:
    """The owner, who is `account_id`, gives the record to the account that accepted it, and her consent to what
    institutions see ends with her right; that the institution enrolled the person stays. Returns the new owner. Raises
    MayNotManage, NotFound or NoRoomForRecord."""
    heir = hand_over(tx, keyring, fmd, grant_id, now, most=most)
    erase_words_for_account(tx, account_id)
    end_all_health_links(tx, fmd.id, now)
    for membership in memberships_of_record(tx, fmd.id):
        if membership.consent is not None and membership.consent.sees:
            decide(
                tx,
                membership.institution,
                membership.member.id,
                fmd.record,
                account_id,
                now,
                sees=False,
                edits=False,
                origin=fmd.origin,
            )
    return heir
