"""The client: the one that is given, or the one that was made last."""

from __future__ import annotations

from typing import Any

from distributed import default_client


def client_of(client: Any) -> Any:
    """A client that can be waited for."""
    if client is None:
        try:
            client = default_client()
        except ValueError:
            raise ValueError("there is no Dask client: make one (distributed.Client), or give client=") from None
    if getattr(client, "asynchronous", False):
        raise ValueError("the client is asynchronous, and a fit waits: give a synchronous one, in a thread if need be")
    return client
