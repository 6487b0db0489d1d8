"""All tables, imported so that migrations know them."""

# ruff: noqa: F401  Imported for what they define.

from ficha.accounts import accounts, browser_sessions, one_time_codes, passkeys, second_factor
from ficha.administration import (
    admin_changes,
    navigation_buttons,
    payments,
    projects,
    service_logos,
    services,
    subscriptions,
)
from ficha.audit import anchors, chain
from ficha.cards import carnets
from ficha.conversations import desk_conversations
from ficha.core import live_processes, master_keys, secrets
from ficha.devices import devices
from ficha.emergencies import emergency, relay_lines, staff_notes, steps
from ficha.events import events
from ficha.exchange import issuer_keys
from ficha.exchange.health_cards import issued
from ficha.exchange.health_links import links, openings
from ficha.exchange.imports import imports
from ficha.fmd import break_glass, entries, grants, records
from ficha.fmd.rules import withdrawn_rules
from ficha.http import kept_answers
from ficha.institutions import consents, institution, members, roster_doubts, roster_uploads
from ficha.jobs import schedule, table
from ficha.messaging import files, opened_messages, platform_account, tables
from ficha.notices import notices, opened_notes
from ficha.photos import photos
from ficha.products import batches, codes, decoys, product
from ficha.reminders import reminders
from ficha.statistics import days, months, protection
from ficha.webhooks import deliveries, webhooks
