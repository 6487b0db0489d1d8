"""A real address for a world that has none: what arrives there is handed to its application."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from starlette.testclient import TestClient


class Bridge:
    def __init__(self, client: TestClient) -> None:
        class Handler(BaseHTTPRequestHandler):
            # HTTP/1.0, the default: a connection ends with its answer, so closing waits for nobody who says nothing.
            def do_POST(self) -> None:
                self._pass_on(self.rfile.read(int(self.headers.get("Content-Length", "0"))))

            def do_GET(self) -> None:
                self._pass_on(b"")

            def _pass_on(self, body: bytes) -> None:
                headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
                answer = client.request(self.command, self.path, content=body, headers=headers)
                self.send_response(answer.status_code)
                self.send_header("Content-Type", answer.headers.get("content-type", "text/plain"))
                self.send_header("Content-Length", str(len(answer.content)))
                self.end_headers()
                self.wfile.write(answer.content)

            def log_message(self, *_: object) -> None:
                """Silence: the application logs its own requests."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # Closing waits for what is being passed on: an application whose answer nobody takes would wait for ever.
        self._server.daemon_threads = False
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
