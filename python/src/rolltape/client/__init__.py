"""Calls of a proxy. `calls` describes each call once; the clients send them. Start reading at `sync_client.py`."""

from .async_client import AsyncClient
from .machine import machine_id
from .session import AsyncSession, Session
from .sync_client import Client
from .trajectories import Interaction, Trajectories

__all__ = ["AsyncClient", "AsyncSession", "Client", "Interaction", "Session", "Trajectories", "machine_id"]
