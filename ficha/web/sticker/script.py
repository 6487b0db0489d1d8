"""What the responder page adds where scripts run: a position for the alert, live news, and a copy for when the network
goes. Everything works without it."""

import json
from pathlib import Path

from ficha.web.kit.content_policy import policy
from ficha.web.kit.language import Phrase

STATIC = Path(__file__).parents[1] / "static"

KEPT = Phrase(
    "Sin conexión. Esta es la copia que este teléfono guardó: {time}. Puede haber cambiado.",
    "No connection. This is the copy that this phone kept: {time}. It may have changed.",
    "Sem conexão. Esta é a cópia que este telefone guardou: {time}. Pode ter mudado.",
)


def _inlined() -> str:
    """Without comments and indentation, which would cost every reader bytes on the first round trip."""
    lines = (line.strip() for line in (STATIC / "responder.js").read_text("utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _worker() -> str:
    """With what it shows a copy under: the policy that the page itself came with."""
    known = {"POLICY": policy(SCRIPT), "KEPT": KEPT._asdict()}
    constants = ", ".join(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in known.items())
    return f"const {constants};\n{(STATIC / 'responder-worker.js').read_text('utf-8').strip()}"


SCRIPT = _inlined()
WORKER = _worker()
