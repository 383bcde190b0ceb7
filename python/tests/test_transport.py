"""What the transport asks of its connections."""

from __future__ import annotations

import socket

import httpx

from rolltape import Client, Server


def test_bodies_do_not_wait_for_the_acknowledgement_of_their_headers(server: Server) -> None:
    sockets: list[socket.socket] = []

    def remember(answer: httpx.Response) -> None:
        sockets.append(answer.extensions["network_stream"].get_extra_info("socket"))

    http = httpx.Client(event_hooks={"response": [remember]})
    with Client(server.url, server.admin_key, http=http) as client:
        client.grant_capacity(1)
        assert sockets[0].getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0
