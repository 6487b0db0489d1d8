"""Mail, against a real SMTP server."""

from collections.abc import Iterator
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest

from ficha.channels.errors import Refused, RetryLater
from ficha.channels.mail import FolderMailer, Mail, SmtpMailer
from ficha.jobs.queue import dead_jobs
from tests.clock import MovableClock
from tests.mail_server import MailServer, running_mail_server
from tests.ports import ReservedPort
from tests.world import build_world, settings_for

MAIL = Mail("ana@ejemplo.com", "Señal de prueba", "Hola, Ana.\nAquí está su código: 123456\n", key="job-7")


@pytest.fixture
def mail_server() -> Iterator[tuple[MailServer, int]]:
    with running_mail_server() as running:
        yield running


def mailer(port: int, user: str = "") -> SmtpMailer:
    return SmtpMailer(f"smtp://{user}127.0.0.1:{port}", "Ficha <ficha@ficha.example>", MovableClock())


def test_a_mail_arrives_whole(mail_server: tuple[MailServer, int]) -> None:
    server, port = mail_server
    message_id = mailer(port).send(MAIL)
    message = message_from_bytes(server.received[0], policy=default)
    assert message["To"] == "ana@ejemplo.com" and message["Subject"] == "Señal de prueba"
    assert message["Message-ID"] == message_id == "<job-7@ficha.example>"
    assert message["Auto-Submitted"] == "auto-generated"
    body = message.get_body(("plain",))
    assert body is not None and body.get_content().splitlines() == MAIL.text.splitlines()


def test_it_logs_in_when_the_address_says_so(mail_server: tuple[MailServer, int]) -> None:
    server, port = mail_server
    mailer(port, "ficha:cl%40ve@").send(MAIL)
    assert len(server.received) == 1
    with pytest.raises(Refused):
        mailer(port, "ficha:otra@").send(MAIL)


@pytest.mark.parametrize(
    ("place", "answer", "verdict"),
    [
        ("ana@ejemplo.com", "451 4.7.1 come back later", RetryLater),
        ("ana@ejemplo.com", "550 5.1.1 no such mailbox ana@ejemplo.com", Refused),
        ("DATA", "452 4.3.1 full", RetryLater),
        ("DATA", "554 5.7.1 spam", Refused),
    ],
)
def test_temporary_and_final_refusals_are_distinguished(
    mail_server: tuple[MailServer, int], place: str, answer: str, verdict: type[Exception]
) -> None:
    server, port = mail_server
    server.answers[place] = answer
    with pytest.raises(verdict) as refusal:
        mailer(port).send(MAIL)
    assert "ana@ejemplo.com" not in str(refusal.value)


def test_no_server_means_retry_later() -> None:
    with ReservedPort() as port, pytest.raises(RetryLater):
        mailer(port).send(MAIL)


@pytest.mark.parametrize("url", ["mail.example", "http://mail.example", "smtp://"])
def test_a_wrong_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match="FICHA_SMTP_URL"):
        SmtpMailer(url, "a@b", MovableClock())


def test_the_whole_way_from_request_to_mailbox(
    mail_server: tuple[MailServer, int], database_url: str, tmp_path: Path
) -> None:
    server, port = mail_server
    settings = settings_for(database_url, tmp_path / "data", smtp_url=f"smtp://127.0.0.1:{port}")
    world = build_world(settings)
    ana = world.register()
    server.answers["DATA"] = "554 5.7.1 no"
    ana.post("/v2/email/request-code")
    world.run_jobs()
    with world.parts.database.reading() as tx:
        assert [dead.kind for dead in dead_jobs(tx)] == ["correo.codigo"]
    del server.answers["DATA"]
    ana.post("/v2/email/request-code")
    world.run_jobs()
    assert len(server.received) == 2 and ana.correo.encode() in server.received[1]
    world.close()


def test_without_smtp_mails_are_kept_in_a_folder(tmp_path: Path) -> None:
    kept = FolderMailer(tmp_path / "mail", "Ficha <ficha@localhost>", MovableClock())
    assert kept.newest() == []
    kept.send(MAIL)
    (mail,) = kept.newest()
    assert (mail.to, mail.subject, mail.text) == (MAIL.to, MAIL.subject, MAIL.text.strip())
    assert "Message-ID" in mail.raw
