"""How a request is passed on to the platform: who asks and what was sent is checked in a thread, then the call waits on
the event loop, where it holds neither a thread nor a database connection."""

from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Annotated, NamedTuple
from urllib.parse import urlencode

from fastapi import Depends
from starlette.responses import Response

from ficha.api.bodies import raise_if_faults
from ficha.api.conversations.credentials import PlatformCredential, credential_of, platform_token
from ficha.api.conversations.platform_answers import in_our_envelope, translated_channel_errors, unchanged
from ficha.asgi.bodies import SAFE_METHODS, ReadRequest
from ficha.asgi.json_bodies import json_content
from ficha.asgi.parameters import check_parameters
from ficha.asgi.threads import Pool, threads
from ficha.channels.chatwoot.address import APPLICATION, PUBLIC, PlatformRequest
from ficha.core.errors import FichaError
from ficha.enrolment.people_in_kept_answers import conversation_name, people_in
from ficha.http.dependencies import OperationRequest, address
from ficha.http.idempotency import KeyedCall, check_key
from ficha.http.limits import RateLimit
from ficha.http.served_operation import ServedForPlatform
from ficha.parts import Parts


class ServedPassedOn(ServedForPlatform):
    """Parameters that the operation does not name are refused: nothing unknown reaches the platform."""

    def prepare(self, request: ReadRequest) -> None:
        """On the event loop: whatever waits for a database or a store is in `PassOn._admit`."""
        check_parameters(request, self.plan.query_names)


class ServedStreamedOn(ServedPassedOn):
    reads_body = False


class StreamedBody(NamedTuple):
    """A body that is passed on piece by piece. `length` is None if it was not announced."""

    chunks: AsyncIterator[bytes]
    content_type: str
    length: int | None


class Admitted(NamedTuple):
    credential: PlatformCredential
    keyed: KeyedCall | None


class PassOn:
    """One request to be passed on."""

    def __init__(self, request: OperationRequest) -> None:
        self._request = request
        self._parts: Parts = request.app.state.parts

    async def to_account(self, account_id: str, *path: str, stream: StreamedBody | None = None) -> Response:
        """To the application API, where an agent acts."""
        return await self._pass_on((*APPLICATION, "accounts", account_id, *path), account_id, stream)

    async def to_inbox(self, identifier: str, *path: str) -> Response:
        """To the public API, where a contact acts: no token is needed."""
        return await self._pass_on((*PUBLIC, "inboxes", identifier, *path), None, None)

    async def _pass_on(
        self, segments: tuple[str, ...], account_id: str | None, stream: StreamedBody | None
    ) -> Response:
        platform_token(self._request)  # Refused before anything is read or asked.
        admitted = await threads(Pool.REQUESTS).run(self._admit, account_id, stream)
        if isinstance(admitted, Response):
            return admitted
        credential, keyed = admitted
        request = self._request_for(segments, credential, stream)
        try:
            with translated_channel_errors():
                answer = await self._parts.chatwoot.send(request)
        except FichaError as error:
            if keyed is not None and not error.may_have_acted:
                await threads(Pool.REQUESTS).run(keyed.give_up)
            raise
        is_ours = (answer.status >= 400 and credential.is_ours) or answer.is_refused_in_between
        response = in_our_envelope(self._request, answer) if is_ours else unchanged(answer)
        if keyed is not None:
            await threads(Pool.REQUESTS).run(keyed.end, response, _people_in(response, segments))
        return response

    def _admit(self, account_id: str | None, stream: StreamedBody | None) -> Admitted | Response:
        """All that waits for a database, a store of limits or a parser. Raises what these raise, and KeyIsTaken."""
        request = self._request
        self._parts.chatwoot.load()
        if not request.is_prepared:  # One that has waited for another with its key is not counted again.
            request.app.state.limiter.hit_address(request, RateLimit.PLATFORM, address(request))
        credential = credential_of(request, self._parts, account_id)
        if stream is None and request.method not in SAFE_METHODS:
            content = json_content(request.headers.get("content-type", ""), request.raw_body, required=True)
            if not isinstance(content, dict):
                raise_if_faults([("", "Debe ser un objeto JSON.")])
        keyed = self._keyed(credential, stream)
        given = None if keyed is None else keyed.begin(self._parts.clock.now())
        return Admitted(credential, keyed) if given is None else given

    def _keyed(self, credential: PlatformCredential, stream: StreamedBody | None) -> KeyedCall | None:
        """Of attachments the length stands for the body, which is not read here."""
        request = self._request
        if request.method != "POST" or "idempotency-key" not in request.headers:
            return None
        check_key(request.headers["idempotency-key"])
        if not request.is_prepared and not credential.is_ours:  # Each answer is kept for a day.
            request.app.state.limiter.hit_address(request, ServedPassedOn.key_limit, address(request))
        request.is_prepared = True
        body = request.raw_body if stream is None else str(stream.length).encode()
        return KeyedCall(request.app.state.idempotency, request, credential.scope, body, repeats_lost=False)

    def _request_for(
        self, segments: tuple[str, ...], credential: PlatformCredential, stream: StreamedBody | None
    ) -> PlatformRequest:
        request = self._request
        query = urlencode(request.query_params.multi_items())
        if stream is not None:
            return PlatformRequest(
                "POST", segments, credential.token, query, stream.chunks, stream.content_type, stream.length
            )
        if request.method in SAFE_METHODS:
            return PlatformRequest("GET", segments, credential.token, query)
        return PlatformRequest(request.method, segments, credential.token, query, request.raw_body, "application/json")


def _people_in(response: Response, segments: tuple[str, ...]) -> list[str]:
    """Whom the platform's answer tells about."""
    people = people_in(bytes(response.body))
    people += [conversation_name(number) for collection, number in pairwise(segments) if collection == "conversations"]
    return people


def pass_on(request: OperationRequest) -> PassOn:
    return PassOn(request)


Passing = Annotated[PassOn, Depends(pass_on)]
