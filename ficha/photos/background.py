"""Removes the background of a picture with U²-Net's small model. Runs in the picture process only.

The model sees 320 by 320 pixels; its answer is how much each of them belongs to what the picture is about.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from PIL import Image, ImageColor
from PIL.Image import Image as Picture

MODEL = Path(__file__).with_name("u2netp.onnx")
MODEL_SHA256 = "309c8469258dda742793dce0ebea8e6dd393174f89934733ecc8b14c76f4ddd8"
SIDE = 320
# Of the pictures with which it was trained.
MEAN = np.array([0.485, 0.456, 0.406], np.float32)
DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)


class WrongModel(Exception):
    """The file of the model is not the one that was tested."""


def cut(picture: Picture, color: str | None = None) -> Picture:
    """With transparency in place of the background, or with a colour (RRGGBB)."""
    alpha = alpha_of(picture)
    if color is None:
        picture = picture.copy()
        picture.putalpha(alpha)
        return picture
    plain = Image.new("RGB", picture.size, ImageColor.getrgb(f"#{color.removeprefix('#')}"))
    plain.paste(picture, mask=alpha)
    return plain


def alpha_of(picture: Picture) -> Picture:
    """How much of each pixel stays, 0 to 255."""
    small = np.asarray(picture.resize((SIDE, SIDE), Image.Resampling.LANCZOS), np.float32)
    scaled = (small / max(float(small.max()), 1e-6) - MEAN) / DEVIATION
    session = _session()
    [found, *_] = session.run(None, {session.get_inputs()[0].name: scaled.transpose(2, 0, 1)[None]})
    mask = found[0, 0]
    low, high = float(mask.min()), float(mask.max())
    mask = (mask - low) / max(high - low, 1e-6)
    return Image.fromarray((mask * 255).astype(np.uint8)).resize(picture.size, Image.Resampling.BICUBIC)


@cache
def _session() -> Any:
    """Raises WrongModel. One thread and no arena: half of the memory, and the other core stays free for those who wait
    for a page."""
    content = MODEL.read_bytes()
    if hashlib.sha256(content).hexdigest() != MODEL_SHA256:
        raise WrongModel(MODEL.name)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
