"""A real server that speaks S3, in this process."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests import local_http

BUCKET = "fichas"


@contextmanager
def s3_server() -> Iterator[str]:
    """Its address, with a private bucket, as the setting takes it."""
    from moto.server import ThreadedMotoServer  # Five hundred modules, in every process that collects the tests.

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        local_http.request("PUT", f"http://{host}:{port}/{BUCKET}").raise_for_status()
        yield f"http://clave:secreto@{host}:{port}/{BUCKET}/fotos"
    finally:
        server.stop()
