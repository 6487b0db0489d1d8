"""The address of PostgreSQL, as its own programs take it, for each of the drivers: SQLAlchemy's, libpq's and asyncpg's.

Several hosts may be named, and which of them is wanted: `postgresql://u@h1:5432,h2:5432/db?target_session_attrs=read-write`.
"""

from typing import Any

OURS = "postgresql+psycopg://"
DEFAULT_PORT = "5432"
# What libpq knows and asyncpg does not, which would take it for a setting of the server.
ONLY_LIBPQ = (
    "connect_timeout",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_count",
    "tcp_user_timeout",
    "load_balance_hosts",
    "channel_binding",
    "gssencmode",
    "client_encoding",
    "fallback_application_name",
    "require_auth",
    "requirepeer",
    "sslcertmode",
    "sslsni",
)


def driver_url(url: str) -> str:
    """Adds the driver that we use to a `postgresql://` address. Several hosts are written where SQLAlchemy, libpq and
    asyncpg all find them: `?host=h1,h2&port=5432,5432`. Raises ValueError if it cannot be read."""
    for prefix in ("postgresql://", "postgres://", OURS):
        if url.startswith(prefix):
            return _with_hosts_in_query(url.removeprefix(prefix))
    return url


def _with_hosts_in_query(rest: str) -> str:
    from sqlalchemy import make_url  # noqa: PLC0415  The parent of the server processes stays small.

    authority, slash, path = rest.partition("/")
    person, at, hosts = authority.rpartition("@")
    if "," in hosts:
        from psycopg import ProgrammingError  # noqa: PLC0415  Not loaded where the database is SQLite.
        from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415

        try:
            found: dict[str, Any] = conninfo_to_dict(f"postgresql://{rest}")
        except ProgrammingError as error:
            raise ValueError(f"The address of PostgreSQL cannot be read: {error}") from None
        names, ports = str(found["host"]).split(","), str(found.get("port", "")).split(",")
        # As libpq reads it: one port is for all of them, and an empty one is the usual one.
        ports = ports * len(names) if len(ports) == 1 else ports
        if not all(port.isdigit() or not port for port in ports):
            raise ValueError("The address of PostgreSQL cannot be read: a port is a number.")
        rest = f"{person}{at}{slash}{path}"
    else:
        asked = make_url(OURS + rest).query.get("host")
        if not isinstance(asked, tuple):
            return OURS + rest
        # SQLAlchemy's own way to name several: `?host=h1:5432&host=h2:5432`.
        names, ports = zip(*(_host_and_port(one) for one in asked), strict=True)  # type: ignore[assignment]
    plain = make_url(OURS + rest).difference_update_query(["host", "port"])
    joined = {"host": ",".join(names), "port": ",".join(port or DEFAULT_PORT for port in ports)}
    return plain.update_query_dict(joined).render_as_string(hide_password=False)


def _host_and_port(text: str) -> tuple[str, str]:
    host, _, port = text.rpartition(":")
    return (host, port) if host and port.isdigit() else (text, "")


def libpq_url(url: str) -> str:
    """For psycopg itself. What SQLAlchemy alone understands, a host that is named twice, is put as libpq reads it."""
    url = driver_url(url) if url.count("host=") > 1 else url
    return url.replace("+psycopg", "", 1)


def asyncpg_urls(url: str) -> list[str]:
    """For asyncpg, one for each host: its limit of time is for all hosts together, and the first may be frozen."""
    from sqlalchemy import make_url  # noqa: PLC0415  As above.

    plain = make_url(driver_url(url)).set(drivername="postgresql").difference_update_query(ONLY_LIBPQ)
    hosts, ports = plain.query.get("host"), plain.query.get("port")
    if not isinstance(hosts, str) or "," not in hosts:
        return [plain.render_as_string(hide_password=False)]
    each = zip(hosts.split(","), str(ports or DEFAULT_PORT).split(","), strict=False)
    return [
        plain.update_query_dict({"host": f"[{host}]" if ":" in host else host, "port": port}).render_as_string(
            hide_password=False
        )
        for host, port in each
    ]


async def connect_asyncpg(urls: list[str], seconds: float, **options: Any) -> Any:
    """The first host that answers within these seconds, and is as the address wants it. Raises what asyncpg does."""
    import asyncpg  # type: ignore[import-untyped]  # noqa: PLC0415  SQLite starts without its driver.

    for url in urls[:-1]:
        try:
            return await asyncpg.connect(url, timeout=seconds, **options)
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError):
            continue
    return await asyncpg.connect(urls[-1], timeout=seconds, **options)
