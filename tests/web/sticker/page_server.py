"""An HTTP server for rendered pages, with the headers that the service sends."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from ficha.web.kit.small_pages.compression import gzipped
from ficha.web.kit.small_pages.content_policy import policy

SCRIPT = "document.documentElement.dataset.ran='yes'"
PHOTO = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8"/></svg>'


@contextmanager
def serve_pages(pages: Mapping[str, bytes]) -> Iterator[str]:
    """Serves each page at `/` and its name; yields the address. Every other path is a photo, one black square."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.partition("?")[0].lstrip("/")
            is_page = name in pages
            body = gzipped(pages[name]) if is_page else PHOTO
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8" if is_page else "image/svg+xml")
            if is_page:
                self.send_header("Content-Encoding", "gzip")
                self.send_header("Content-Security-Policy", policy(SCRIPT))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
