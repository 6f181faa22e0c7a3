# SPDX-License-Identifier: MIT
"""Runs a Redis server, and sends requests to it until it ends."""
import socket
import subprocess

from lib.clewtest import until


def talk_to_redis(case, path):
    with socket.socket(socket.AF_UNIX) as client:
        case.assertTrue(until(lambda: client.connect_ex(str(path)) == 0))
        for i in range(1, 1001):
            client.sendall(f"SET key{i} {'x' * i}\r\n".encode())
            case.assertEqual(client.recv(5, socket.MSG_WAITALL), b"+OK\r\n")
        client.sendall(b"SHUTDOWN NOSAVE\r\n")
        client.recv(1)


def run_redis(case, command, path):
    """Runs a command that starts a server at this socket, and asserts that it
    ends normally on request."""
    with subprocess.Popen([str(word) for word in command],
                          env=case.environment, cwd=case.work,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as server:
        try:
            case.assertTrue(until(lambda: path.is_socket() or
                                  server.poll() is not None))
            talk_to_redis(case, path)
        except BaseException:
            server.terminate()
            raise
        server.communicate()
    case.assertEqual(server.returncode, 0)
