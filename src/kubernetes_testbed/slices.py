"""What nodes offer: devices in resource slices, and the classes that claims ask for.

Nobody changes these once they are published, so they are frozen and always shared.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ResourceSlice:
    """Devices that a driver offers in one pool, on one node or (without a node name) on many."""

    name: str
    driver: str
    pool: str
    devices: tuple[str, ...]
    node_name: str | None = None


@dataclass(frozen=True, slots=True)
class DeviceClass:
    """A named kind of device."""

    name: str
