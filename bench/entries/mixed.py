"""A fixed mix of what people ask for, on every connection in the same order; memory at the start and at the end."""

from itertools import cycle

from bench.entries import (
    fmd_exists_model,
    fmd_exists_record,
    fmd_models,
    fmd_one_model,
    fmd_patch,
    fmd_record,
    me,
    responder,
)
from bench.entries.entry import Entry, Scope
from bench.requests import People, RequestStream, Seed
from bench.store import Store

# Twenty requests: ten existence checks, five reads, two openings of the responder page, two `me` and a patch.
MIX = (
    fmd_exists_model.ask,
    fmd_one_model.ask,
    fmd_exists_record.ask,
    fmd_exists_model.ask,
    me.ask,
    fmd_exists_model.ask,
    fmd_one_model.ask,
    fmd_exists_record.ask,
    responder.ask,
    fmd_exists_model.ask,
    fmd_models.ask,
    fmd_exists_model.ask,
    fmd_exists_record.ask,
    fmd_patch.ask,
    fmd_one_model.ask,
    fmd_exists_model.ask,
    me.ask,
    fmd_record.ask,
    fmd_exists_record.ask,
    responder.ask,
)


def seeds(people: People, count: int) -> list[Seed]:
    """What each of them needs, in one. There are fewer stickers than there may be connections."""
    stickers = cycle(people.stickers(count))
    owners, tokens = people.record_owners(count), people.tokens(count)
    return [owner | token | sticker for owner, token, sticker in zip(owners, tokens, stickers, strict=False)]


def ask(seed: Seed) -> RequestStream:
    streams = {each: each(seed) for each in MIX}
    for each in cycle(MIX):
        yield next(streams[each])


async def floor(_store: Store, _scope: Scope, _body: bytes) -> bytes:
    raise NotImplementedError("each request has the path of another entry, whose floor answers it")


ENTRY = Entry("mixed", "A mix of requests", "GET", "/mixed", 200, seeds, ask, floor, is_page=True, shows_memory=True)
