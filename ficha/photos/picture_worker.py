"""What runs in a picture process: `python -m ficha.photos.picture_worker`, which the service starts when needed.

It has neither the database nor a key nor a setting of the service; what it can use of the machine is bounded. It ends
with its standard input, so that it never outlives the service.
"""

import os
import resource
import sys
from collections.abc import Callable, Mapping
from typing import Any

from ficha.core.errors import FichaError
from ficha.core.process import give_memory_back
from ficha.photos import reading
from ficha.photos.frames import FramedMessage, read_message, write_message

# Address space, of which most is libraries and reserve: 25 megapixels with transparency are 200 MB while they are read.
MOST_BYTES = 1_500_000_000
# Behind everything that somebody waits for.
NICENESS = 10
PHOTO_SIDE = 1200
CUTOUT_SIDE = 1600
THUMBNAIL_SIDE = 256
LOGO_SIDE = 400

Options = Mapping[str, Any]
Answer = tuple[dict[str, Any], tuple[bytes, ...]]


def photo(content: bytes, options: Options) -> Answer:
    """A photo and its thumbnail, both as JPEG. `color`: what is put in place of the background, unless it is doubtful
    what that is: then the photo is kept as it was sent."""
    picture, is_doubtful = reading.read_picture(content, options["pixels"], PHOTO_SIDE), False
    if options.get("color"):
        cut, is_doubtful = _cut(picture, options["color"])
        picture = picture if is_doubtful else cut
    small = picture.copy()
    small.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE))
    facts = {"width": picture.width, "height": picture.height, "is_doubtful": is_doubtful}
    return facts, (reading.jpeg(picture, 88), reading.jpeg(small, 82))


def cutout(content: bytes, options: Options) -> Answer:
    """The picture as PNG, its background transparent or of `color`."""
    picture, is_doubtful = _cut(reading.read_picture(content, options["pixels"], CUTOUT_SIDE), options.get("color"))
    facts = {"width": picture.width, "height": picture.height, "is_doubtful": is_doubtful}
    return facts, (reading.png(picture),)


def logo(content: bytes, options: Options) -> Answer:
    """A small picture as PNG, on white: most logos are made for that."""
    picture = reading.read_picture(content, options["pixels"], LOGO_SIDE)
    return {"width": picture.width, "height": picture.height}, (reading.png(picture),)


def _cut(picture: Any, color: str | None) -> tuple[Any, bool]:
    """The picture, and whether no person was found in it."""
    # onnxruntime and the model: 100 MB that photos alone do not need.
    from ficha.photos import background  # noqa: PLC0415

    return background.cut(picture, color)


TASKS: Mapping[str, Callable[[bytes, Options], Answer]] = {"photo": photo, "cutout": cutout, "logo": logo}


def answer(message: FramedMessage) -> Answer:
    """The word of a refusal stands in the head's `refused`."""
    head, [content] = dict(message.head), message.parts
    try:
        return TASKS[head.pop("task")](content, head)
    except FichaError as refusal:
        return {"refused": refusal.code}, ()


def main() -> None:
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # A dump would hold somebody's photo.
    while (message := read_message(sys.stdin.buffer)) is not None:
        head, parts = answer(message)
        del message
        write_message(sys.stdout.buffer, head, *parts)
        del parts
        give_memory_back()


if __name__ == "__main__":
    main()
