"""Files of a Health Link, encrypted with its key: JWE, `dir` and A256GCM. Each time under a nonce of its own."""

from joserfc import jwe
from joserfc.jwk import OctKey

JOSE = "application/jose"
_REGISTRY = jwe.JWERegistry(algorithms=["dir", "A256GCM", "DEF"])


def encrypted_file(key: bytes, content_type: str, content: bytes) -> str:
    """In compact form. Deflated before: FHIR repeats itself, and a phone gets a sixth of it."""
    header = {"alg": "dir", "enc": "A256GCM", "zip": "DEF", "cty": content_type}
    return jwe.encrypt_compact(header, content, OctKey.import_key(key), registry=_REGISTRY)
