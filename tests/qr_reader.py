"""QR codes in a picture, as a phone's camera finds them."""

from typing import Any

import zxingcpp


def only_qr() -> zxingcpp.BarcodeFormats:
    """Who looks for every kind of code sees a bar code in one of four hundred QR codes."""
    return zxingcpp.BarcodeFormats([zxingcpp.BarcodeFormat.QRCode])


def read_qr(picture: Any) -> zxingcpp.Barcode | None:
    return zxingcpp.read_barcode(picture, only_qr())


def read_all_qr(picture: Any) -> list[zxingcpp.Barcode]:
    return zxingcpp.read_barcodes(picture, only_qr())
