"""Removes the background of a picture. Runs in the picture process only.

Two models look at it. U²-Net's small one finds what a picture is about, with a fine contour, but takes a cup for that
as gladly as a face. MediaPipe's selfie model knows people, with a coarse one. What stands out near a person stays. That
there is a person at all is asked of a third, MediaPipe's face detector: the second takes a cat for one.
"""

import hashlib
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnxruntime
from PIL import Image, ImageColor, ImageFilter, ImageOps
from PIL.Image import Image as Picture

from ficha.photos.picture_messages import CARD_HEIGHT, CARD_WIDTH

FOLDER = Path(__file__).parent
# What each model was when it was tested.
SALIENT = ("u2netp.onnx", "309c8469258dda742793dce0ebea8e6dd393174f89934733ecc8b14c76f4ddd8")
PEOPLE = ("selfie.onnx", "0f14e9260a5acb7c99ac299b054ed25c4b5aead3b4f3ad5224a8dd6c4d191972")
FACES = ("face.onnx", "2e3550133f2d92f1e00b583bf4a398d487df2b194efc699734e7ce9b7629e0d6")
SALIENT_SIDE, PEOPLE_SIDE, FACE_SIDE = 320, 256, 128
# Of the pictures with which the first was trained.
MEAN = np.array([0.485, 0.456, 0.406], np.float32)
DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)
# From how much of the second model's certainty on a pixel may be a person's, and certainly is; of 255.
MAYBE, CERTAIN = 76, 204
# How far around the one, and within the other, contours may lie: five pixels each way.
REACH = 11
# How certain of a face the third model must be: of people it is by 0.84 or more, of a galaxy by 0.62, a cat by 0.58.
IS_FACE = 0.75
# A cut that keeps less of the picture shows nothing.
LEAST_KEPT = 0.01
# Around the person is some air, as a share of the height of a card's photo.
AIR = 0.06
# From here on a pixel is the person's, of 255.
SEEN = 128


class WrongModel(Exception):
    """The file of a model is not the one that was tested."""


class Cut(NamedTuple):
    """`is_doubtful`: no person was found in it."""

    picture: Picture
    is_doubtful: bool


def cut(picture: Picture, color: str | None = None) -> Cut:
    """With transparency in place of the background, or with a colour (RRGGBB)."""
    alpha, is_doubtful = alpha_of(picture)
    if color is None:
        picture = picture.copy()
        picture.putalpha(alpha)
        return Cut(picture, is_doubtful)
    return Cut(before_color(picture, alpha, color), is_doubtful)


def before_color(picture: Picture, alpha: Picture, color: str) -> Picture:
    plain = Image.new("RGB", picture.size, ImageColor.getrgb(f"#{color.removeprefix('#')}"))
    plain.paste(picture, mask=alpha)
    return plain


def head_and_shoulders(alpha: Picture) -> tuple[int, int, int, int] | None:
    """Of what stays of a picture: a box in the shape of a card's photo, as wide as the person is, with the hair at its
    upper edge and the head in the middle. None where nothing stays."""
    seen = alpha.point(lambda value: 255 * (value > SEEN))
    box = seen.getbbox()
    if box is None:
        return None
    left, top, right, bottom = box
    head = seen.crop((left, top, right, top + max(1, (bottom - top) // 3))).getbbox() or (0, 0, right - left, 1)
    center, shape = left + (head[0] + head[2]) / 2, CARD_HEIGHT / CARD_WIDTH
    # No larger than what there is below the hair, and beside it.
    most = min(alpha.height, (alpha.height - top) / (1 - AIR), alpha.width * shape)
    height = min((right - left) * (1 + 2 * AIR) * shape, most)
    width = height / shape
    x, y = min(max(center - width / 2, 0), alpha.width - width), min(max(top - AIR * height, 0), alpha.height - height)
    return int(x), int(y), int(x) + max(1, int(width)), int(y) + max(1, int(height))


def alpha_of(picture: Picture) -> tuple[Picture, bool]:
    """How much of each pixel stays, 0 to 255, and whether that is doubtful. Then what stands out stays, wherever it is,
    and all of a picture in which nothing does."""
    people = _people(picture)
    certain = people.point(lambda value: 255 * (value > CERTAIN))
    core, salient = _shares(certain.filter(ImageFilter.MinFilter(REACH))), _salient(picture)
    is_doubtful = not _has_face(picture, certain.getbbox())
    if is_doubtful:
        kept = np.maximum(salient, core)
        kept = kept if kept.mean() >= LEAST_KEPT else np.ones_like(kept)
    else:
        near = people.point(lambda value: 255 * (value > MAYBE)).filter(ImageFilter.MaxFilter(REACH))
        kept = np.maximum(salient * _shares(near.filter(ImageFilter.GaussianBlur(1.5))), core)
    return _as_picture(kept).resize(picture.size, Image.Resampling.BICUBIC), is_doubtful


def _has_face(picture: Picture, box: tuple[int, int, int, int] | None) -> bool:
    """Whether there is a face where a person seems to be: `box` of a square of SALIENT_SIDE, or nowhere."""
    if box is None:
        return False
    across, down = picture.width / SALIENT_SIDE, picture.height / SALIENT_SIDE
    left, top, right, bottom = box
    person = picture.crop((int(left * across), int(top * down), ceil(right * across), ceil(bottom * down)))
    pixels = np.asarray(ImageOps.pad(person, (FACE_SIDE, FACE_SIDE)), np.float32) / 127.5 - 1
    return bool(_answer(FACES, pixels)[0, 0] >= IS_FACE)


def _salient(picture: Picture) -> Any:
    """From 0 to 1, how much each part stands out."""
    small = np.asarray(picture.resize((SALIENT_SIDE, SALIENT_SIDE), Image.Resampling.LANCZOS), np.float32)
    scaled = (small / max(float(small.max()), 1e-6) - MEAN) / DEVIATION
    found = _answer(SALIENT, scaled)
    low, high = float(found.min()), float(found.max())
    return (found - low) / max(high - low, 1e-6)


def _people(picture: Picture) -> Picture:
    """How certainly each part is a person's, 0 to 255."""
    small = picture.resize((PEOPLE_SIDE, PEOPLE_SIDE), Image.Resampling.BILINEAR)
    found = _as_picture(_answer(PEOPLE, _shares(small)))
    return found.resize((SALIENT_SIDE, SALIENT_SIDE), Image.Resampling.BILINEAR)


def _answer(model: tuple[str, str], pixels: Any) -> Any:
    session = _session(*model)
    return session.run(None, {session.get_inputs()[0].name: pixels.transpose(2, 0, 1)[None]})[0][0, 0]


def _shares(picture: Picture) -> Any:
    return np.asarray(picture, np.float32) / 255


def _as_picture(shares: Any) -> Picture:
    return Image.fromarray((shares * 255).astype(np.uint8))


@cache
def _session(name: str, sha256: str) -> Any:
    """Raises WrongModel. One thread and no arena: half of the memory, and the other core stays free for those who wait
    for a page."""
    content = (FOLDER / name).read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise WrongModel(name)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
