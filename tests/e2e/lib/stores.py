# SPDX-License-Identifier: MIT
"""A server on this host that takes profiles as the stores do, and the decoders of
what it receives."""
import collections
import contextlib
import gzip
import http.server
import socket
import ssl
import threading

Request = collections.namedtuple("Request", "path headers body")


class Server(http.server.ThreadingHTTPServer):
    """Stores each request. `answers` are functions of the handler, one for each
    request; the last one repeats."""
    daemon_threads = True

    def __init__(self, *answers, certificate=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = list(answers) or [status(200)]
        self.requests = []
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.scheme = "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(
                self.socket, server_side=True, do_handshake_on_connect=False)
            self.scheme = "https"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.server_address[1]}"

    def close(self):
        self.ended.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        pass  # the client may close the connection at any time


def unreachable_url(test):
    """Returns a URL that refuses connections until the test ends. A socket that
    does not listen keeps the port from servers of other tests."""
    silent = socket.socket()
    test.addCleanup(silent.close)
    silent.bind(("127.0.0.1", 0))
    return f"http://127.0.0.1:{silent.getsockname()[1]}"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers["Content-Encoding"] == "gzip":
            body = gzip.decompress(body)
        with self.server.lock:
            self.server.requests.append(
                Request(self.path, dict(self.headers), body))
            answers = self.server.answers
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            answer(self)

    def log_message(self, *_):
        pass


def status(number, body=b"", **headers):
    """Answers with this status; `_` in names of headers stands for `-`."""
    def answer(handler):
        handler.send_response(number)
        handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)
    return answer


def close(handler):
    """Closes the connection without an answer."""
    handler.close_connection = True


def wait(handler):
    """Never answers."""
    handler.server.ended.wait()


def endless(handler):
    """Sends an answer that does not end."""
    handler.send_response(200)
    handler.send_header("Content-Length", str(1 << 40))
    handler.end_headers()
    while not handler.server.ended.is_set():
        handler.wfile.write(b"x" * 65536)
