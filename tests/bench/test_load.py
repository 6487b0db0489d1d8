"""What the load generator makes of a connection that the server closes."""

import socket
import struct
from threading import Thread

from bench.load import LoadPlan, generate_load

# With this a close is a reset.
NO_LINGER = struct.pack("ii", 1, 0)


def test_a_connection_that_is_reset_is_an_error_and_not_the_end() -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:

        def reset() -> None:
            asked, _ = door.accept()
            asked.recv(65536)
            asked.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
            asked.close()

        Thread(target=reset, daemon=True).start()
        result = generate_load(LoadPlan("", door.getsockname()[1], 0.01, [{}], "/nothing"))
    assert result.errors == {"closed": 1} and result.requests == 0
