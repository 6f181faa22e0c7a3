# SPDX-License-Identifier: MIT
"""CPython's own tests, which pass with clew if they pass without.

Each test module runs as `python3 -m test` runs it. The status and the numbers of run,
failed and skipped tests are compared. The list excludes modules that take many seconds,
that measure time, or that need a network, a display or gigabytes. Modules are also
excluded if they fail without clew as root or in a container.
"""
from program import program

MODULES = """
array asyncgen bisect buffer bufio bytes class cmath code codecs context
contextlib coroutines crypt csv ctypes dataclasses datetime dbm decimal
descr dict dynamic eintr email embed enum eof epoll errno exceptions extcall
faulthandler fcntl file fileio finalization float fork1 functools gc
generators gettext glob gzip hashlib heapq hmac httplib imp import importlib
ioctl json list locale marshal math memoryview mmap openpty os pathlib pipes
platform popen posix posixpath pprint pty pyexpat random re readline repl
resource select set shelve shutil site socketserver sort stat strptime
struct symtable sys sys_setprofile sys_settrace syslog tempfile thread
threadedtempfile threading threadsignals time timeout traceback tracemalloc
tuple unicode utf8_mode uuid wait3 wait4 warnings weakref xml_etree
zipimport zlib zoneinfo
""".split()

FOLDER = "/usr/lib/python3.11/test"


def add(name):
    @program(f"cpython.{name}", "CPython's tests of it",
             "python3 libpython3.11-testsuite",
             f"/usr/bin/python3.11 {FOLDER}/test_grammar.py", suite="cpython")
    def tests(load):
        load.run("/usr/bin/python3.11", "-B", "-m", "test", "-v",
                 f"test_{name}", env={"PYTHONHASHSEED": "0"}, masks=[
                     # Only the results of the tests remain, without their durations.
                     (r"(?m)^(?!(Ran \d|OK|FAIL|ERROR|== Tests res)).*\n", ""),
                     (r"(?m) in [\d.]+m?s$", "")])


for module in MODULES:
    add(module)
