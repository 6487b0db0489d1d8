"""Requests to servers of the tests, all of them on this machine. Their callers load no certificates, which takes longer
than most answers, and wait as long as a very busy machine may need: httpx gives up after five seconds."""

from contextlib import AbstractContextManager
from typing import Any

import httpx

PATIENCE = 90
_USUAL: dict[str, Any] = {"timeout": PATIENCE, "verify": False}


def client(**more: Any) -> httpx.Client:
    return httpx.Client(**_USUAL | more)


def request(method: str, url: httpx.URL | str, **more: Any) -> httpx.Response:
    return httpx.request(method, url, **_USUAL | more)


def get(url: str, **more: Any) -> httpx.Response:
    return request("GET", url, **more)


def post(url: str, **more: Any) -> httpx.Response:
    return request("POST", url, **more)


def stream(method: str, url: str, **more: Any) -> AbstractContextManager[httpx.Response]:
    return httpx.stream(method, url, **_USUAL | more)
