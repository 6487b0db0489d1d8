"""Which printed sizes of a full offline QR are still read: from a page at 150 dpi, blurred, and from a phone's photo.

`python -m tests.cards.offline_sizes` measures every format and writes the table that decision 12 shows.
"""

import random
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from io import BytesIO
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageFilter

from ficha.accounts.accounts import Idioma
from ficha.cards import printing
from ficha.cards.carnet_pages import OFFLINE_LETTERS, QR_MM, SCALES, CarnetForm, PrintedCarnet, carnet_data
from ficha.cards.printing import PrintTemplate
from ficha.cards.qr import FRAGMENT, MAX_LETTERS, QUIET, link_of
from ficha.cards.stickers import SHAPES, Paper, Sticker, StickerFormat, printed_symbol, sheet_data
from ficha.fmd.offline.packing import LETTERS
from tests.qr_reader import read_qr
from tests.web.sticker.records import full_record

BASE, CODE, TAG = "https://ficha.example", "K7M2QX", "QX7M2K5TNBP4RWZC6DHJ3VFYGA"
NOW = datetime(2026, 11, 16, tzinfo=UTC)
# A page as a cheap printer makes it.
DOTS_PER_INCH = 150
DOTS_PER_MM = DOTS_PER_INCH / 25.4
# Of the blur, on the paper: a lens that is a little out of focus.
BLUR_DOTS = 0.8
# A camera has more pixels than the printer had dots.
CAMERA = 2
TABLE = 225
EDGE = 30
SAMPLES = 8

Draw = Callable[[str], Image.Image]


class Printed(NamedTuple):
    """A size of a QR on something that is printed. `offered` is how many letters it may hold there, or 0."""

    name: str
    qr_mm: float
    offered: int
    draw: Draw


def full_link(letters: int, seed: int) -> str:
    """A link with as many letters behind it as it may have. What they say makes no difference to a camera."""
    link = link_of(BASE, CODE, TAG) + FRAGMENT
    chosen = random.Random(seed)
    return link + "".join(chosen.choice(LETTERS) for _ in range(letters - len(link)))


def drawn_sticker(format: StickerFormat, link: str) -> Image.Image:
    data = sheet_data([Sticker(CODE, link, has_tag=True)], format, Paper.A4, BASE, Idioma.ES)
    [page] = printing.png(PrintTemplate.STICKERS, data, DOTS_PER_INCH)
    x, y = data["sheet"]["places"][0]
    shape = SHAPES[format]
    box = [round(mm * DOTS_PER_MM) for mm in (x, y, x + shape.width, y + shape.height)]
    return Image.open(BytesIO(page)).convert("L").crop((box[0], box[1], box[2], box[3]))


def drawn_carnet(form: CarnetForm, link: str) -> Image.Image:
    """The half of its back that has the QR, as somebody who scans it frames it."""
    carnet = PrintedCarnet(CODE, link, "K7M2QXR5T8W3", NOW, NOW + timedelta(days=365), None, None, full_record())
    [page] = printing.png(PrintTemplate.CARNET, carnet_data(carnet, form, Idioma.ES, BASE, NOW), DOTS_PER_INCH)
    drawn = Image.open(BytesIO(page)).convert("L")
    return drawn.crop((0, drawn.height // 2, drawn.width // 2, drawn.height))


STICKERS = [
    Printed(f"sticker {one}", SHAPES[one].qr, SHAPES[one].offline_letters, partial(drawn_sticker, one))
    for one in StickerFormat
]
CARNETS = [
    Printed(f"carnet {one}", QR_MM * SCALES[one], OFFLINE_LETTERS[one], partial(drawn_carnet, one))
    for one in CarnetForm
]


def on_a_table(page: Image.Image) -> Image.Image:
    around = Image.new("L", (page.width + 2 * EDGE, page.height + 2 * EDGE), TABLE)
    around.paste(page, (EDGE, EDGE))
    return around


def scanned(page: Image.Image, _seed: int) -> Image.Image:
    return page


def blurred(page: Image.Image, _seed: int) -> Image.Image:
    return page.filter(ImageFilter.GaussianBlur(BLUR_DOTS))


def photographed(page: Image.Image, seed: int) -> Image.Image:
    """From a hand that is not quite above it: turned and in perspective, out of focus, in poor and uneven light."""
    chosen = np.random.default_rng(seed)
    photo = page.resize((page.width * CAMERA, page.height * CAMERA), Image.Resampling.BICUBIC)
    photo = _in_perspective(photo, float(chosen.uniform(0.05, 0.15)))
    photo = photo.rotate(chosen.uniform(-12, 12), Image.Resampling.BICUBIC, expand=True, fillcolor=TABLE)
    photo = photo.filter(ImageFilter.GaussianBlur(BLUR_DOTS * CAMERA))
    light = 40 + np.asarray(photo, dtype=float) * 0.7
    light *= np.linspace(0.75, 1, photo.width)[None, :]
    light += chosen.normal(0, 6, light.shape)
    kept = BytesIO()
    Image.fromarray(light.clip(0, 255).astype("uint8")).save(kept, "JPEG", quality=70)
    return Image.open(kept)


def _in_perspective(page: Image.Image, tilt: float) -> Image.Image:
    """The far side is shorter by `tilt`."""
    width, height = page.size
    near = [(0, 0), (width, 0), (width, height), (0, height)]
    seen = [(width * tilt / 2, height * tilt / 3), (width * (1 - tilt / 2), 0), (width, height), (0, height)]
    rows, values = [], []
    for (x, y), (u, v) in zip(seen, near, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    found = np.linalg.solve(np.array(rows, dtype=float), np.array(values, dtype=float))
    return page.transform(
        page.size, Image.Transform.PERSPECTIVE, found.tolist(), Image.Resampling.BICUBIC, fillcolor=TABLE
    )


WAYS: Mapping[str, Callable[[Image.Image, int], Image.Image]] = {
    "150 dpi": scanned,
    "blurred": blurred,
    "photo": photographed,
}


def times_read(printed: Printed, letters: int, samples: int) -> dict[str, int]:
    """Of so many QRs, each with other letters, how many were read in each way."""
    read = dict.fromkeys(WAYS, 0)
    for seed in range(samples):
        link = full_link(letters, seed)
        page = on_a_table(printed.draw(link))
        for way, seen in WAYS.items():
            found = read_qr(seen(page, seed))
            read[way] += found is not None and found.text == link
    return read


def is_readable(read: Mapping[str, int], samples: int) -> bool:
    """Always from paper; from a single photo all but one in eight times, because a phone goes on looking."""
    return read["150 dpi"] == read["blurred"] == samples and read["photo"] >= samples * 7 / 8


def module_mm(printed: Printed, letters: int) -> float:
    return printed.qr_mm / (len(printed_symbol(full_link(letters, 0), printed.qr_mm).rows) + 2 * QUIET)


if __name__ == "__main__":
    sys.stdout.write(f"| printed on | QR mm | letters | module mm | {' | '.join(WAYS)} |\n| --- |{' --- |' * 6}\n")
    for one in (*STICKERS, *CARNETS):
        for letters in sorted({400, 500, MAX_LETTERS}):
            counts = " | ".join(f"{count} of {SAMPLES}" for count in times_read(one, letters, SAMPLES).values())
            mark = " (offered)" if letters == one.offered else ""
            size = f"{one.qr_mm:g} | {letters}{mark} | {module_mm(one, letters):.2f}"
            sys.stdout.write(f"| {one.name} | {size} | {counts} |\n")
