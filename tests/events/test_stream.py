"""The event stream as a client of the API sees it."""

import socket
from contextlib import closing
from urllib.parse import unquote

import httpx
import pytest
from sqlalchemy import update

from ficha.accounts.accounts import Account, Role
from ficha.events.events import Event
from ficha.events.publish import prune_events, publish
from ficha.http.streams import OpenStreams, StreamRules
from tests import local_http
from tests.events.listener import Listener
from tests.events.stream_server import StreamServer
from tests.waiting import eventually
from tests.world import CLAVE, Person, World


def test_events_arrive_as_they_happen(server: StreamServer, ana: Person) -> None:
    with server.listen(ana) as listener:
        assert listener.response.headers["Content-Type"].startswith("text/event-stream")
        assert listener.response.headers["Cache-Control"] == "no-store"
        assert "Content-Length" not in listener.response.headers
        assert listener.comments[0] == "hola" and listener.retry == "2000"
        server.publish(ana, n=1, kind="emergency.opened")
        (received,) = listener.wait_for_events(1)
        assert (received.kind, received.data) == ("emergency.opened", {"at": "2026-11-15T12:00:00+00:00", "n": 1})
        assert received.id == listener.last_id


def test_a_new_stream_begins_with_now(server: StreamServer, ana: Person) -> None:
    server.publish(ana, n=1)
    server.wait_until_readable()
    with server.listen(ana) as listener:
        server.publish(ana, n=2)
        listener.wait_for_events(1)
        assert listener.numbers == [2]


def test_nobody_gets_the_events_of_others(server: StreamServer, ana: Person) -> None:
    luis, staff = server.world.register(), server.world.somebody_with(Role.STAFF)
    admin = server.world.somebody_with(Role.ADMIN)
    with (
        server.listen(ana) as hers,
        server.listen(luis) as his,
        server.listen(staff) as theirs,
        server.listen(admin) as ad,
    ):
        server.publish(ana, n=1)
        server.publish(luis, n=2)
        server.publish(n=3, staff=True)
        server.publish(ana, luis, staff, admin, n=4)
        for listener, expected in ((hers, [1, 4]), (his, [2, 4]), (theirs, [3, 4]), (ad, [3, 4])):
            listener.wait_for_events(2)
            assert listener.numbers == expected
    # Nor when reading from the very beginning.
    with server.listen(luis, "0-0") as his:
        his.wait_for_events(2)
        assert his.numbers == [2, 4]


def test_who_comes_back_gets_what_was_missed_and_nothing_twice(server: StreamServer, ana: Person) -> None:
    with server.listen(ana) as listener:
        server.publish(ana, n=1)
        server.publish(ana, n=2)
        first = listener.wait_for_events(2)[0]
    for n in range(3, 250):  # More than a page.
        server.publish(ana, n=n)
    with server.listen(ana, first.id) as listener:
        server.publish(ana, n=250)
        listener.wait_for_events(249)
        assert listener.numbers == list(range(2, 251))


def test_who_was_disconnected_before_anything_happened_goes_on_from_there(server: StreamServer, ana: Person) -> None:
    luis = server.world.register()
    server.publish(luis)
    with server.listen(ana) as listener:
        last_id = listener.last_id
    server.publish(ana, n=1)
    with server.listen(ana, last_id) as listener:
        listener.wait_for_events(1)
        assert listener.numbers == [1]


def test_a_gap_of_pruned_events_is_reported_first(server: StreamServer, ana: Person) -> None:
    with server.listen(ana) as listener:
        server.publish(ana, n=1)
        last_id = listener.wait_for_events(1)[0].id
    server.publish(ana, n=2)
    server.world.clock.move(days=8)
    server.publish(ana, n=3)
    with server.world.parts.database.writing() as tx:
        prune_events(tx, server.world.clock.now().replace(day=20))
    token = Person(ana.client, {}, {"attributes": {"token": server.world.token_for(ana.id)}})
    with server.listen(token, last_id) as listener:
        listener.wait_for_events(2)
        assert listener.kinds() == ["gap", "message.state"] and listener.numbers == [3]
        assert listener.received[0].id is None and "ya no se conserva" in listener.received[0].data["detail"]


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("garbage", ["", "abc", "1", "1-2-3", "-1-2", "9223372036854775807-1", "0-" + "9" * 30])
def test_an_id_that_is_none_is_refused(server: StreamServer, ana: Person, garbage: str) -> None:
    answer = server.get(ana, last_id=garbage)
    assert answer.status_code == answer.json()["meta"]["status"] == 400
    (error,) = answer.json()["errors"]
    assert error["code"] == "evento_desconocido" and error["source"] == {"header": "Last-Event-ID"}


def test_without_a_valid_token_there_is_no_stream(server: StreamServer, ana: Person) -> None:
    for answer in (server.get(), *(server.get(Authorization=f"Bearer {bad}") for bad in ("1|x", f"{ana.token}x"))):
        assert answer.status_code == 401 and answer.json()["errors"][0]["code"] == "no_autenticado"


def test_the_session_key_does_not_authenticate(server: StreamServer, ana: Person) -> None:
    key = ana.data["attributes"]["session_key"]
    other = server.world.register().data["attributes"]["session_key"]
    assert server.get(query=f"?session_key={key}").status_code == 401
    assert server.get(ana, f"?session_key={other}").status_code == 404
    assert server.get(ana, f"?sesion={key}").status_code == 422
    assert httpx.head(f"{server.url}?session_key={key}", headers=ana.headers).status_code == 200


def test_head_answers_the_headers_and_ends(server: StreamServer, ana: Person) -> None:
    answer = httpx.head(server.url, headers=ana.headers)
    assert answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/event-stream")
    assert httpx.head(server.url).status_code == 401
    assert not server.streams.hub.subscribers


def test_a_quiet_stream_sends_heartbeats(server: StreamServer, ana: Person) -> None:
    with server.listen(ana) as listener:
        listener.wait_until(lambda: listener.comments.count("latido") >= 3)
        assert not listener.received and not listener.is_over


def test_a_revoked_token_ends_its_streams_and_no_others(server: StreamServer, ana: Person) -> None:
    other = Person(ana.client, {}, {"id": ana.id, "attributes": {"token": server.world.token_for(ana.id)}})
    with server.listen(ana) as revoked, server.listen(other) as live:
        assert ana.post("/v2/auth/logout").status_code == 200
        revoked.wait_until(lambda: revoked.is_over)
        assert revoked.kinds() == ["bye"]
        server.publish(ana, n=1)
        live.wait_for_events(1)
        assert live.numbers == [1] and not live.is_over
        assert revoked.numbers == []


def test_an_expired_token_ends_its_stream(server: StreamServer, ana: Person) -> None:
    with server.listen(ana) as listener:
        server.world.clock.move(minutes=59)
        listener.wait_until(lambda: listener.comments.count("latido") >= 3)
        assert not listener.is_over
        server.world.clock.move(minutes=2)
        listener.wait_until(lambda: listener.is_over)
        assert listener.kinds() == ["bye"]


def test_who_is_no_longer_staff_has_to_connect_again(server: StreamServer) -> None:
    staff = server.world.somebody_with(Role.STAFF)
    with server.listen(staff) as listener:
        with server.world.parts.database.writing() as tx:
            tx.orm.execute(update(Account).where(Account.id == staff.id).values(roles=["owner"]))
        listener.wait_until(lambda: listener.is_over)
    with server.listen(staff) as listener:
        server.publish(staff, n=1, staff=True)
        server.publish(staff, n=2)
        listener.wait_for_events(2)
        assert listener.numbers == [1, 2]


def test_a_page_listens_with_its_cookie_until_it_logs_out(server: StreamServer, ana: Person) -> None:
    page = {"Referer": "http://testserver/app"}
    with local_http.client(base_url=f"http://127.0.0.1:{server.port}") as browser:
        browser.get("/sanctum/csrf-cookie", headers=page)
        xsrf = page | {"X-XSRF-TOKEN": unquote(browser.cookies["XSRF-TOKEN"])}
        login = browser.post("/v2/auth/login", json={"correo": ana.correo, "clave": CLAVE}, headers=xsrf)
        assert login.status_code == 200
        cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        assert server.get(Cookie=cookie).status_code == 401  # Another site's page.
        with Listener(server.port, None, Cookie=cookie, **page) as listener:
            server.publish(ana, n=1)
            listener.wait_for_events(1)
            server.world.clock.move(minutes=90)  # Its token is old by now, its session is not.
            beats = listener.comments.count("latido")
            listener.wait_until(lambda: listener.comments.count("latido") >= beats + 3)
            assert not listener.is_over
            xsrf = page | {"X-XSRF-TOKEN": unquote(browser.cookies["XSRF-TOKEN"])}
            assert browser.post("/v2/auth/logout", headers=xsrf).status_code == 200
            listener.wait_until(lambda: listener.is_over)
            assert listener.kinds() == ["message.state", "bye"]


def test_one_account_has_so_many_streams_and_the_process_so_many(
    server: StreamServer, world: World, ana: Person
) -> None:
    others = [world.somebody_with() for _ in range(2)]
    listeners = [server.listen(ana) for _ in range(3)]
    refused = server.get(ana)
    assert refused.status_code == 429 and refused.json()["errors"][0]["code"] == "demasiadas_transmisiones"
    assert int(refused.headers["Retry-After"]) > 0
    listeners += [server.listen(other) for other in others]
    full = server.get(world.somebody_with())
    assert full.status_code == 503 and full.json()["errors"][0]["code"] == "sin_lugar"
    for listener in listeners:
        listener.close()
    server.wait_until_nobody_listens()
    with server.listen(ana) as listener:
        server.publish(ana, n=1)
        listener.wait_for_events(1)


def test_many_connect_at_once_with_few_database_connections(server: StreamServer, world: World) -> None:
    """As after a restart: each asks for a connection once, and gives it back before the next is needed."""
    staff = [world.somebody_with(Role.STAFF) for _ in range(20)]
    world.app.state.streams = OpenStreams(world.parts, StreamRules(beat_seconds=0.3))
    sockets = []
    for person in staff:
        for _ in range(5):
            line = socket.create_connection(("127.0.0.1", server.port), timeout=local_http.PATIENCE)
            line.sendall(f"GET /v2/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {person.token}\r\n\r\n".encode())
            sockets.append(line)
    eventually(lambda: len(server.streams.hub.subscribers) == len(sockets))
    server.publish(n=1, staff=True)
    for line in sockets:
        got = b""
        while b'"n":1' not in got:
            piece = line.recv(65_536)
            assert piece
            got += piece
        line.close()
    server.wait_until_nobody_listens()


def test_an_open_stream_holds_no_database_connection(server: StreamServer, world: World, ana: Person) -> None:
    with server.listen(ana) as one, server.listen(ana) as other:
        for listener in (one, other):
            listener.wait_until(lambda listener=listener: "latido" in listener.comments)  # type: ignore[misc]
        pool = world.parts.database.engine.pool
        eventually(lambda: pool.checkedout() == 0)  # type: ignore[attr-defined]


def test_a_slow_client_is_dropped_while_others_go_on_and_misses_nothing_when_it_comes_back(
    server: StreamServer, ana: Person
) -> None:
    filling, count = "x" * 20_000, 900
    with closing(socket.socket()) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.settimeout(20)
        slow.connect(("127.0.0.1", server.port))
        slow.sendall(f"GET /v2/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ana.token}\r\n\r\n".encode())
        got = slow.recv(4096)
        with server.listen(ana) as quick:
            for start in range(0, count, 100):
                with server.world.parts.database.writing() as tx:
                    for n in range(start, start + 100):
                        payload = {"n": n, "filling": filling}
                        publish(tx, "message.state", payload, server.world.clock.now(), accounts=[ana.id])
                quick.wait_for_events(start + 100)
            eventually(lambda: len(server.streams.hub.subscribers) == 1)
            server.publish(ana, n=count)
            quick.wait_for_events(count + 1)
            assert quick.numbers == list(range(count + 1))
        # It reads at last what was on its way, and finds that the answer has ended.
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_000_000)
        while not got.endswith(b"\r\n0\r\n\r\n"):
            piece = slow.recv(1_000_000)
            assert piece
            got += piece
    whole = [part for part in got.split(b"\n\n") if b"\ndata: " in part and part.endswith(b"}")]
    assert 0 < len(whole) < count
    last_id = whole[-1].split(b"id: ")[-1].split(b"\n")[0].decode()
    with server.listen(ana, last_id) as back:
        back.wait_for_events(count + 1 - len(whole))
        assert back.numbers == list(range(len(whole), count + 1))


def test_many_events_at_once_do_not_drop_a_client_that_keeps_up(server: StreamServer, ana: Person) -> None:
    with server.listen(ana) as listener:
        with server.world.parts.database.writing() as tx:
            for n in range(1500):  # Three times what may wait.
                publish(tx, "message.state", {"n": n}, server.world.clock.now(), accounts=[ana.id])
        listener.wait_for_events(1500)
        assert listener.numbers == list(range(1500)) and not listener.is_over


def test_events_carry_no_more_than_they_were_given(server: StreamServer, ana: Person) -> None:
    """What leaves is the payload and the time: no account, no row number but its position."""
    with server.listen(ana) as listener:
        server.publish(ana, n=1)
        (received,) = listener.wait_for_events(1)
    assert set(received.data) == {"at", "n"}
    with server.world.parts.database.reading() as tx:
        assert [event.account_id for event in tx.orm.query(Event)] == [ana.id]
