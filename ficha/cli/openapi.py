"""ficha openapi: the OpenAPI document."""

import sys


def openapi() -> None:
    """Print the OpenAPI document.

    Example: ficha openapi > openapi.json
    """
    from ficha.describe import openapi_json

    sys.stdout.write(openapi_json())
