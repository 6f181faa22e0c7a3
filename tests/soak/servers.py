# SPDX-License-Identifier: MIT
"""Network servers, with clients that are not recorded."""
import signal

import load as soak
from inputs import mixture
from program import program


def pages(load):
    load.file("www/index.html", "<h1>clew</h1>\n")
    load.file("www/big", mixture(200_000))


def requests(load, port, count=300):
    """Requests pages with curl and ab; contents are compared, times are not."""
    where = f"http://127.0.0.1:{port}"
    load.client("curl", "-sS", f"{where}/index.html")
    load.client("curl", "-sS", f"{where}/big")
    load.client("curl", "-sS", "-r", "100-200", f"{where}/big")
    load.client("curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}",
                f"{where}/nosuch")
    done = load.client("ab", "-q", "-k", "-n", count, "-c", "8",
                       f"{where}/index.html", keep=False)
    for expected in f"Complete requests:      {count}", \
            "Failed requests:        0":
        if expected.encode() not in done:
            raise soak.Failed(done.decode())


@program("nginx", "two workers serve files to curl and ab",
         "nginx-light curl apache2-utils", "nginx curl ab")
def nginx(load):
    pages(load)
    load.file("nginx.conf", f"""
daemon off; worker_processes 2; pid pid; error_log stderr;
events {{ worker_connections 64; }}
http {{ access_log off; client_body_temp_path t1; proxy_temp_path t2;
  fastcgi_temp_path t3; scgi_temp_path t4; uwsgi_temp_path t5; gzip on;
  server {{ listen 127.0.0.1:{load.port}; root {load.home}/www; }} }}
""")
    load.ignore("t[1-5]")
    with load.server("nginx", "-p", load.home, "-c", "nginx.conf",
                     "-g", "user root;" if soak.is_root() else "",
                     ready=lambda: soak.answers(load.port),
                     stop=signal.SIGQUIT, masks=[
                         # Lines with a time and a pid, about the missing file.
                         (r"(?m)^\d{4}/.*\n", "")]):
        requests(load, load.port)


@program("apache2", "threaded workers serve files to curl and ab",
         "apache2 curl apache2-utils", "apache2 curl ab")
def apache2(load):
    pages(load)
    modules = "/usr/lib/apache2/modules/mod_"
    load.file("apache2.conf", f"""
ServerRoot {load.home}
ServerName localhost
Listen 127.0.0.1:{load.port}
PidFile {load.home}/pid
ErrorLog {load.home}/errors
DocumentRoot {load.home}/www
Mutex posixsem
LoadModule mpm_event_module {modules}mpm_event.so
LoadModule authz_core_module {modules}authz_core.so
LoadModule mime_module {modules}mime.so
TypesConfig /etc/mime.types
StartServers 2
""")
    # SIGTERM is not used: the serving process sometimes dies of it without
    # clew, 1 time in 60 under load (-X shows it). The listener empties the
    # list of idle pools, a worker that closes a connection adds another one,
    # and exit() destroys that pool before the list, whose clean-up reads it
    # (queue_info_cleanup() below apr_pool_destroy(ap_pglobal)). With a delay
    # of 50 ms in the worker's ap_queue_info_push_pool() it is 18 times in 30.
    with load.server("apache2", "-f", load.home / "apache2.conf",
                     "-DFOREGROUND", ready=lambda: soak.answers(load.port),
                     stop=signal.SIGWINCH,
                     # Apache would change to this user anyway. A dlsym() that
                     # fails during the change leaves the id wrong
                     # (docs/known-limits.md).
                     user="www-data",
                     # Lines with times and pids.
                     masks=[(r"(?m)^\[.*\n", "")]):
        requests(load, load.port)
    load.ignore("pid", "errors", "apache_runtime_status*")


@program("lighttpd", "one process serves files to curl and ab",
         "lighttpd curl apache2-utils", "lighttpd curl ab")
def lighttpd(load):
    pages(load)
    load.file("lighttpd.conf", f"""
server.port = {load.port}
server.bind = "127.0.0.1"
server.document-root = "{load.home}/www"
server.modules = ("mod_indexfile", "mod_staticfile")
""")
    with load.server("lighttpd", "-D", "-f", "lighttpd.conf",
                     ready=lambda: soak.answers(load.port),
                     masks=[(r"(?m)^\d{4}-.*\n", "")]):  # lines with times and pids
        requests(load, load.port)


@program("haproxy", "hands requests on to lighttpd, threaded",
         "haproxy lighttpd curl apache2-utils", "haproxy lighttpd curl ab")
def haproxy(load):
    pages(load)
    load.file("lighttpd.conf", f"""
server.bind = "{load.home}/behind"
server.port = 0
server.document-root = "{load.home}/www"
""")
    load.file("haproxy.cfg", f"""
global
  nbthread 4
defaults
  mode http
  timeout connect 5s
  timeout client 5s
  timeout server 5s
frontend f
  bind 127.0.0.1:{load.port}
  http-response set-header X-Through %[src]
  default_backend b
backend b
  server s unix@{load.home}/behind
""")
    behind = load.home / "behind"
    with load.server("lighttpd", "-D", "-f", "lighttpd.conf", recorded=False,
                     ready=lambda: soak.answers(behind),
                     masks=[(r"(?s).*", "")]), \
         load.server("haproxy", "-f", "haproxy.cfg",
                     ready=lambda: soak.answers(load.port),
                     stop=signal.SIGUSR1,
                     masks=[(r"(?s).*", "")]):  # The log has times and pids.
        requests(load, load.port)


@program("curl", "gets from python's server, posts, fails", "curl python3",
         "curl python3")
def curl(load):
    pages(load)
    port = load.port
    with load.server("python3", "-B", "-m", "http.server", port, "-b",
                     "127.0.0.1", "-d", "www", recorded=False,
                     ready=lambda: soak.answers(port), status=-15,
                     masks=[(r"(?s).*", "")]):  # The log has times of requests.
        load.run("curl", "-sS", f"http://127.0.0.1:{port}/big")
        load.run("curl", "-sSI", f"http://127.0.0.1:{port}/index.html",
                 masks=[(r"Date: .*", "")])
        load.run("curl", "-sS", "-d", "x=1", f"http://127.0.0.1:{port}/")
        load.run("curl", "-sSf", f"http://127.0.0.1:{port}/nosuch",
                 status=22)
    load.run("curl", "-sS", "file:///nosuch", status=37)


@program("tmux", "a server, windows, a captured screen", "tmux")
def tmux(load):
    socket = load.home / "s"
    load.run("tmux", "-S", socket, "-f", "/dev/null", "new-session", "-d",
             "-x", "60", "-y", "10", "cat")
    load.run("tmux", "-S", socket, "split-window", "-h", "cat")
    load.run("tmux", "-S", socket, "list-panes", "-F",
             "#{pane_index} #{pane_width}x#{pane_height}")
    load.run("tmux", "-S", socket, "kill-server")
    load.ignore("s")
