"""Every job of the service: gathers the kinds from the packages' `jobs.py` and starts what runs them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from ficha.accounts.browser_sessions import prune_sessions
from ficha.accounts.jobs import AccountJobs
from ficha.accounts.one_time_codes import prune_codes
from ficha.accounts.tokens import prune_tokens
from ficha.administration.jobs import AdministrationJobs
from ficha.audit.jobs import AuditJobs
from ficha.conversations import desk_conversations
from ficha.conversations.bridge import ConversationJobs
from ficha.core.db import expecting_long_statements
from ficha.core.transaction import Transaction
from ficha.devices.devices import DeviceJobs
from ficha.emergencies.emergency import Timeouts
from ficha.emergencies.jobs import EmergencyJobs
from ficha.emergencies.jobs import hooks as emergency_hooks
from ficha.emergencies.on_call import on_agent, thread_labels
from ficha.enrolment.erasure import EnrolmentJobs, erase_expired_accounts
from ficha.events.publish import prune_events
from ficha.exchange.health_links.openings import prune_health_links
from ficha.exchange.imports.imports import forget_old_imports
from ficha.fmd.jobs import FmdJobs
from ficha.http.kept_answers import delete_old_answers
from ficha.http.metrics import Metrics
from ficha.institutions import roster_uploads
from ficha.institutions.jobs import InstitutionJobs
from ficha.jobs.kinds import Job, Kind
from ficha.jobs.periodic_tasks import Task
from ficha.jobs.runner import Runner, start_runner
from ficha.messaging.jobs import MessagingJobs
from ficha.messaging.messages import MessageHooks
from ficha.messaging.notifications import prune_notifications
from ficha.notices.jobs import NoticeJobs
from ficha.notices.jobs import on_change as notice_changed
from ficha.parts import Parts
from ficha.photos.photos import PhotoJobs
from ficha.products.decoys import prune_typed_codes
from ficha.products.inventory import ProductJobs, destroy_overdue_tags
from ficha.reminders.jobs import ReminderJobs
from ficha.reminders.jobs import on_change as reminder_changed
from ficha.reminders.jobs import on_reply as reminder_answered
from ficha.statistics.jobs import StatisticsJobs
from ficha.webhooks.deliveries import end_deliveries
from ficha.webhooks.sender import EVERY_SECONDS, WebhookSender

PRUNE = "limpieza"


def kinds_of(parts: Parts) -> list[Kind]:
    database, keyring, secrets = parts.database, parts.keyring, parts.secrets
    mailer, clock, settings = parts.mailer, parts.clock, parts.settings
    services = database, keyring, secrets, mailer, clock, settings
    return [
        *AccountJobs(database, secrets, mailer, clock, settings).kinds(),
        *EnrolmentJobs(database).kinds(),
        *ProductJobs(database, keyring, clock).kinds(),
        *AuditJobs(database, secrets, clock, settings).kinds(),
        *FmdJobs(database, keyring, mailer, clock, settings).kinds(),
        *InstitutionJobs(database, keyring, mailer, clock, settings).kinds(),
        Kind(roster_uploads.RUN, lambda job: _run_roster(parts, job)),
        *MessagingJobs(*services, parts.messenger, _message_hooks(parts)).kinds(),
        *DeviceJobs(*services).kinds(),
        *PhotoJobs(database, parts.storage).kinds(),
        *AdministrationJobs(database, parts.photo_reader, clock, settings).kinds(),
        *NoticeJobs(*services).kinds(),
        *ReminderJobs(*services).kinds(),
        *ConversationJobs(*services, parts.chatwoot, parts.messenger, on_agent, thread_labels).kinds(),
        *EmergencyJobs(*services).kinds(),
        *StatisticsJobs(database, keyring, secrets, clock, settings).kinds(),
        Kind(PRUNE, lambda _job: _prune(parts), attempts=3, every=timedelta(minutes=10)),
    ]


def start_jobs(parts: Parts, metrics: Metrics) -> Runner:
    parts.database.answer_seconds = parts.settings.database_answer_seconds
    kinds = kinds_of(parts)
    metrics.expect_jobs(kind.name for kind in kinds)
    return start_runner(
        parts.database,
        kinds,
        threads=parts.settings.job_threads,
        lease_seconds=parts.settings.job_lease_seconds,
        on_done=metrics.count_job,
        apart=[Task(webhook_sender(parts).run_turn, EVERY_SECONDS)],
    )


def webhook_sender(parts: Parts) -> WebhookSender:
    return WebhookSender(parts.database, parts.secrets, parts.settings)


def _prune(parts: Parts) -> None:
    with expecting_long_statements():
        prune(parts)


def prune(parts: Parts) -> None:
    """Deletes what has expired, each kind of thing in a transaction of its own, so that none waits for the others."""
    settings, now = parts.settings, parts.clock.now()
    steps: Sequence[Callable[[Transaction, datetime], object]] = (
        prune_tokens,
        prune_sessions,
        prune_codes,
        delete_old_answers,
        lambda tx, now: erase_expired_accounts(tx, parts.keyring, now),
        prune_health_links,
        prune_typed_codes,
        destroy_overdue_tags,
        roster_uploads.forget_old_uploads,
        end_deliveries,
        forget_old_imports,
        lambda tx, now: prune_notifications(tx, now, settings.notification_days),
        lambda tx, now: prune_events(tx, now - timedelta(days=settings.events_days)),
    )
    for step in steps:
        with parts.database.writing() as tx:
            step(tx, now)


def _run_roster(parts: Parts, job: Job) -> None:
    from ficha.institutions.roster_import import RosterJobs  # noqa: PLC0415  Most processes never import a roster.

    folder = parts.settings.data_dir / "nominas"
    country = parts.settings.home_country
    RosterJobs(parts.database, parts.keyring, parts.secrets, parts.clock, folder, country).run(job)


def _message_hooks(parts: Parts) -> MessageHooks:
    """What messaging calls when a message of ours changes its state or is answered."""
    emergencies = emergency_hooks(Timeouts.of(parts.settings), parts.secrets)
    changed = [*emergencies.state_changed, notice_changed, reminder_changed]
    received = [reminder_answered, *emergencies.received]  # A button of a reminder answers no alert.
    if not parts.settings.bridges_conversations:
        return replace(emergencies, state_changed=changed, received=received)
    # The desk first: it handles nothing, and must hear what others handle.
    return replace(
        emergencies,
        state_changed=[desk_conversations.on_state, *changed],
        received=[desk_conversations.on_received, *received],
        joined=[desk_conversations.move_conversation],
    )
