"""The Authorization header of each request."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

MARGIN_SECONDS = 30.0


@dataclass(frozen=True)
class Credential:
    """An API key, an access token (or a function that returns one), or a client's id and secret."""

    api_key: str | None = None
    access_token: str | Callable[[], str] | None = None
    client_id: str | None = None
    client_secret: str | None = None
    realm: str = "tributary"

    def __post_init__(self) -> None:
        if (self.client_id is None) != (self.client_secret is None):
            raise TypeError("client_id and client_secret belong together.")
        given = [one for one in (self.api_key, self.access_token, self.client_id) if one is not None]
        if len(given) != 1:
            raise TypeError("Give one credential: api_key, access_token, or client_id and client_secret.")

    def header(self) -> str | None:
        """None for a client: it needs an access token first."""
        if self.api_key is not None:
            return f"Basic {self.api_key}"
        if self.access_token is None:
            return None
        return f"Bearer {self.access_token() if callable(self.access_token) else self.access_token}"

    def token_path(self) -> str:
        return f"/realms/{quote(self.realm, safe='')}/protocol/openid-connect/token"

    def token_form(self) -> dict[str, str]:
        return {
            "grant_type": "client_credentials",
            "client_id": self.client_id or "",
            "client_secret": self.client_secret or "",
        }


class Token:
    """Keeps the client's access token until shortly before it expires."""

    def __init__(self, answer: dict[str, Any]) -> None:
        seconds = float(answer["expires_in"])
        self.header = f"Bearer {answer['access_token']}"
        self._until = time.monotonic() + max(seconds - MARGIN_SECONDS, seconds / 2)

    @property
    def is_valid(self) -> bool:
        return time.monotonic() < self._until
