"""Gives freed memory back to the system."""

import ctypes

try:
    _trim = ctypes.CDLL("libc.so.6").malloc_trim
except (OSError, AttributeError):
    # Not glibc: its allocator has no such call.
    _trim = None


def give_back() -> None:
    """Pieces differ in length, so the native libraries' freed memory is in fragments that glibc keeps: 50 to 400 MB for each minute of audio."""
    if _trim:
        _trim(0)
