"""The jobs: each kind and the function that does it, and what comes back by itself."""

from collections.abc import Callable
from datetime import timedelta

from ficha.accounts.browser import prune_sessions
from ficha.accounts.jobs import AccountJobs
from ficha.accounts.one_time_codes import prune_codes
from ficha.accounts.tokens import prune_expired
from ficha.emergencies import jobs as emergency_room
from ficha.emergencies.jobs import EmergencyJobs
from ficha.emergencies.timeouts import Timeouts
from ficha.enrolment.erasure import erase_vanishing
from ficha.events.events import prune_events
from ficha.http.idempotency import prune_answers
from ficha.jobs.kinds import Job, Kind, Scheduled
from ficha.jobs.runner import Runner, start_runner
from ficha.messaging import jobs as messaging_room
from ficha.messaging.jobs import MessagingJobs
from ficha.messaging.notifications import prune_notifications
from ficha.parts import Parts
from ficha.products.decoys import prune_typed

TIDY = "limpieza"


def kinds_of(parts: Parts) -> list[Kind]:
    mail = AccountJobs(parts.database, parts.secrets, parts.mailer, parts.clock, parts.settings)
    hooks = emergency_room.hooks(Timeouts.of(parts.settings))
    messaging = MessagingJobs(
        parts.database, parts.keyring, parts.secrets, parts.clock, parts.settings, parts.whatsapp, hooks
    )
    emergencies = EmergencyJobs(parts.database, parts.keyring, parts.secrets, parts.mailer, parts.clock, parts.settings)
    tidying = Kind(TIDY, lambda job: tidy(parts, job), attempts=3)
    return [*mail.kinds(), *messaging.kinds(), *emergencies.kinds(), tidying]


SCHEDULED = (Scheduled(TIDY, timedelta(minutes=10)), *messaging_room.SCHEDULED, *emergency_room.SCHEDULED)


def start_jobs(parts: Parts, on_done: Callable[[str, str], None] | None = None) -> Runner:
    return start_runner(
        parts.database,
        kinds_of(parts),
        SCHEDULED,
        clock=parts.clock,
        threads=parts.settings.job_threads,
        lease_seconds=parts.settings.job_lease_seconds,
        on_done=on_done,
    )


def tidy(parts: Parts, _job: Job) -> None:
    """What has expired goes. Each kind of thing in a transaction of its own, so that none waits for the others."""
    now = parts.clock.now()
    with parts.database.writing() as session:
        prune_expired(session, now)
        prune_sessions(session, now)
        prune_codes(session, now)
    with parts.database.writing() as session:
        prune_answers(session, now)
    with parts.database.writing() as session:
        erase_vanishing(session, now)
    with parts.database.writing() as session:
        prune_notifications(session, now, parts.settings.notification_days)
        prune_typed(session, now)
        prune_events(session, now - timedelta(days=parts.settings.events_days))
