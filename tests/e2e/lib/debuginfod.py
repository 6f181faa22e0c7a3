# SPDX-License-Identifier: MIT
"""A debuginfod server that answers as a test needs it."""
import http.server
import subprocess
import threading

LIBRARY = "libdebuginfod.so.1"
NO_LIBRARY = subprocess.run(
    ["/sbin/ldconfig", "-p"], stdout=subprocess.PIPE, text=True,
    check=False).stdout.find(LIBRARY) < 0


class Server(http.server.ThreadingHTTPServer):
    """Serves /buildid/ID/debuginfo from memory; `answer` handles each
    request."""
    daemon_threads = True

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.asked = []
        self.ended = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.server_address[1]

    def close(self):
        self.ended.set()
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        try:
            self.server.answer(self)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client has closed the connection

    def log_message(self, *_):
        pass

    def send(self, status, data=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def drip(self):
        """Sends some bytes now and then until the client disconnects."""
        self.send_response(200)
        self.send_header("Content-Length", str(1 << 30))
        self.end_headers()
        while not self.server.ended.wait(.1):
            self.wfile.write(b"x" * 20000)
