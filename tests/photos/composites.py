"""People cut out by hand from portraits in scikit-image, and put before other backgrounds: what belongs to the person
is then known to the pixel. The outlines were drawn by looking at the pictures; no model had a part in them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import skimage
from PIL import Image, ImageDraw, ImageFilter, ImageOps
from PIL.Image import Image as Picture

FOLDER = Path(skimage.__file__).parent / "data"
# All outlines are drawn on a square of this side.
SIDE = 1024
Outline = Sequence[tuple[int, int]]


class Portrait(NamedTuple):
    file: str
    outline: Outline
    # Through which the background is seen.
    hole: Outline
    # What is shown of the picture.
    box: tuple[int, int, int, int]
    is_mirrored: bool = False


# fmt: off
# NASA's portrait of Eileen Collins, in the public domain.
ASTRONAUT = Portrait("astronaut.png", (
    (450, 32), (400, 45), (375, 75), (345, 90), (315, 120), (307, 150), (310, 190), (330, 225), (345, 240),
    (350, 258), (365, 265), (372, 296), (330, 297), (290, 312), (262, 335), (248, 365), (243, 375), (230, 378),
    (228, 400), (235, 420), (215, 430), (185, 450), (150, 475), (120, 510), (95, 550), (80, 600), (60, 650),
    (50, 690), (728, 690), (720, 650), (705, 590), (690, 545), (665, 510), (640, 485), (610, 470), (600, 430),
    (580, 400), (550, 370), (512, 347), (518, 320), (530, 290), (536, 270), (550, 268), (560, 258), (585, 235),
    (600, 190), (602, 150), (590, 110), (575, 85), (550, 60), (510, 40), (470, 32),
), (), (0, 0, SIDE, 680))
# A photographer with his camera, given to scikit-image under CC0.
PHOTOGRAPHER = Portrait("camera.png", (
    (0, 515), (40, 455), (70, 400), (100, 350), (125, 310), (165, 275), (210, 255), (260, 247), (290, 220),
    (315, 212), (322, 205), (330, 180), (350, 155), (385, 132), (415, 127), (450, 135), (490, 160), (515, 180),
    (535, 205), (541, 235), (530, 262), (515, 266), (520, 278), (640, 278), (650, 300), (640, 335), (662, 350),
    (660, 400), (640, 440), (610, 460), (580, 500), (608, 545), (575, 575), (540, 600), (495, 625), (450, 610),
    (415, 588), (380, 640), (330, 700), (282, 765), (295, 830), (300, 900), (0, 900),
), (
    (508, 305), (508, 338), (495, 350), (493, 365), (478, 388), (482, 402), (487, 440), (497, 492), (522, 462),
    (522, 435), (548, 412), (575, 402), (575, 385), (548, 372), (535, 362), (520, 352), (520, 305),
), (0, 0, SIDE, 860))
# fmt: on

PORTRAITS: Mapping[str, Portrait] = {
    "portrait": ASTRONAUT,
    "close": ASTRONAUT._replace(box=(170, 0, 690, 520)),
    "at the side": ASTRONAUT._replace(box=(40, 0, 780, 600), is_mirrored=True),
}
# No portrait: a man from the side, all in black, with something before his face. Reported, and promised to nobody.
OTHERS: Mapping[str, Portrait] = {"photographer": PHOTOGRAPHER}


def plain(color: str) -> Callable[[tuple[int, int]], Picture]:
    return lambda size: Image.new("RGB", size, color)


def shipped(file: str) -> Callable[[tuple[int, int]], Picture]:
    return lambda size: Image.open(FOLDER / file).convert("RGB").resize(size, Image.Resampling.LANCZOS)


def noise(size: tuple[int, int]) -> Picture:
    dots = np.random.default_rng(7).integers(0, 256, (size[1] // 4, size[0] // 4, 3), np.uint8)
    return Image.fromarray(dots).resize(size, Image.Resampling.BILINEAR)


BACKGROUNDS: Mapping[str, Callable[[tuple[int, int]], Picture]] = {
    "plain blue": plain("#3a6ea5"),
    "plain white": plain("white"),
    "grey": plain("#8a8a8a"),
    "brick": shipped("brick.png"),
    "grass": shipped("grass.png"),
    "coffee": shipped("coffee.png"),
    "noise": noise,
}


def composite(portrait: str, background: str) -> tuple[Picture, np.ndarray]:
    """The picture, and which of its pixels are the person's."""
    person = {**PORTRAITS, **OTHERS}[portrait]
    picture = Image.open(FOLDER / person.file).convert("RGB").resize((SIDE, SIDE), Image.Resampling.LANCZOS)
    mask = Image.new("L", (SIDE, SIDE), 0)
    ImageDraw.Draw(mask).polygon(person.outline, fill=255)
    if person.hole:
        ImageDraw.Draw(mask).polygon(person.hole, fill=0)
    picture, mask = picture.crop(person.box), mask.crop(person.box)
    if person.is_mirrored:
        picture, mask = ImageOps.mirror(picture), ImageOps.mirror(mask)
    joined = BACKGROUNDS[background](picture.size)
    # As soft as a lens makes an edge: a hard one would be easier to find than any in a photo.
    joined.paste(picture, mask=mask.filter(ImageFilter.GaussianBlur(1.5)))
    return joined, np.asarray(mask) > 127


def overlap(found: np.ndarray, known: np.ndarray) -> float:
    """Intersection over union."""
    return float((found & known).sum() / (found | known).sum())
