# SPDX-License-Identifier: MIT
"""What is asked of a redis server, until it ends."""
import socket

from clewtest import until


def talk_to_redis(case, path):
    with socket.socket(socket.AF_UNIX) as client:
        case.assertTrue(until(lambda: client.connect_ex(str(path)) == 0))
        for i in range(1, 1001):
            client.sendall(f"SET key{i} {'x' * i}\r\n".encode())
            case.assertEqual(client.recv(5, socket.MSG_WAITALL), b"+OK\r\n")
        client.sendall(b"SHUTDOWN NOSAVE\r\n")
        client.recv(1)
