"""File names that some system cannot have."""

from __future__ import annotations

_DEVICES = {
    *("con", "prn", "aux", "nul", "conin$", "conout$"),
    *(f"{port}{n}" for port in ("com", "lpt") for n in "123456789¹²³"),
}


def is_device_name(name: str) -> bool:
    """Whether Windows keeps this name for a device, whatever its ending: there, such a file cannot be made.

    Examples:
        >>> is_device_name("con"), is_device_name("AUX.tar.gz"), is_device_name("console.py")
        (True, True, False)
    """
    return name.partition(".")[0].rstrip(" ").lower() in _DEVICES
