#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What KCachegrind shows of a profile, as JSON.

    dbus-run-session -- kcachegrind.py PROFILE OUTPUT

opens PROFILE in KCachegrind on a screen of its own and reads the window as
screen readers do (AT-SPI), so the numbers are those of KCachegrind's own
loader:

    title       of the window
    status      the line below, with the total
    functions   {name: [inclusive, self, called]}, of its flat profile
    complaints  what its loader said of the file on standard error

A file that it refuses has complaints only. Exits with 77 if something is
missing. $HOME and $XDG_RUNTIME_DIR should be the caller's to litter, and
another one's each time: a bus that ends removes the socket of the next.

Qt 5 has a race when it starts: every third time or so it asks for the
registry of AT-SPI before it is connected to that bus, and never again ("Error
in contacting registry"). Nothing can be read then, so another one is started.
"""
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

SKIPPED = 77
TIMEOUT_S = 200
ATTEMPTS = 40
UNREGISTERED = "Error in contacting registry"
ROOT = "/org/a11y/atspi/accessible/root"
ACCESSIBLE = "org.a11y.atspi.Accessible"
COLUMNS = ["Incl.", "Self", "Called", "Function", "Location"]

try:
    import dbus
    import dbus.bus
except ImportError:
    sys.exit(SKIPPED)


class Node:
    """Something on the screen."""

    def __init__(self, bus, owner, path):
        self.bus = bus
        self.object = bus.get_object(owner, path, introspect=False)

    @property
    def name(self):
        return str(self.object.Get(
            ACCESSIBLE, "Name", dbus_interface=dbus.PROPERTIES_IFACE))

    @property
    def role(self):
        return str(self.object.GetRoleName(dbus_interface=ACCESSIBLE))

    def children(self):
        return [Node(self.bus, *child) for child in
                self.object.GetChildren(dbus_interface=ACCESSIBLE)]

    def find(self, *roles):
        """All of these roles, down to the depth of what we look for."""
        for child in self.children():
            role = child.role
            if role in roles:
                yield child
            elif role in ("frame", "filler", "status bar", "dialog"):
                yield from child.find(*roles)


class Shown:
    """The running KCachegrind."""

    def __init__(self, session, accessible, process, log):
        self.session = session
        self.accessible = accessible
        self.process = process
        self.log = log

    def is_over(self):
        return self.process.poll() is not None or \
            UNREGISTERED in self.log.read_text(encoding="utf-8")

    def root(self):
        """The application, or None as long as it is not there."""
        for owner in self.accessible.list_names():
            if owner.startswith(":") and self.process.pid == \
                    self.accessible.get_object(
                        dbus.BUS_DAEMON_NAME, dbus.BUS_DAEMON_PATH
                    ).GetConnectionUnixProcessID(owner):
                return Node(self.accessible, owner, ROOT)
        return None

    def show_absolute_costs(self):
        self.session.get_object(
            f"org.kde.kcachegrind-{self.process.pid}",
            "/kcachegrind/MainWindow_1", introspect=False).setAbsoluteCost(
                dbus_interface="org.kde.kcachegrind")

    def refusal(self, root):
        """What a dialog says of a file that it does not take."""
        return [label.name for window in root.children()
                if window.role == "dialog" for label in window.find("label")]

    def content(self, root):
        """What there is to tell, or None if it is not all there yet."""
        window, = root.children()
        status = [label.name for label in window.find("label")
                  if " - Total " in label.name]
        for tree in window.find("tree"):
            cells = [cell.name for cell in tree.children()]
            if cells[:5] == COLUMNS and status and len(cells) > 5:
                rows = [cells[i:i + 5] for i in range(5, len(cells), 5)]
                return {"title": window.name, "status": status[0],
                        "functions": {row[3]: [number(n) for n in row[:3]]
                                      for row in rows}}
        return None

    def look(self, last):
        """(what there is to tell, whether that is all)"""
        root = self.root()
        if not root:
            return None, False
        refusal = self.refusal(root)
        if refusal:
            return {"complaints": refusal}, True
        found = self.content(root)
        if found and not all(isinstance(n, int) for row in
                             found["functions"].values() for n in row):
            self.show_absolute_costs()  # not percentages
            return None, False
        return found, bool(found) and found == last

    def watch(self):
        """What there is to tell when it has stopped changing, or None."""
        found, deadline = None, time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline and not self.is_over():
            # Of a window that is being made some things are not there yet.
            with contextlib.suppress(dbus.DBusException, ValueError,
                                     IndexError):
                found, is_all = self.look(found)
                if is_all:
                    return found
            time.sleep(0.1)
        return None


def number(text):
    """"1 234", "(0)" for what nobody calls, or "2.34", a percentage."""
    digits = re.sub(r"[\s()]", "", text)
    return int(digits) if digits.isdigit() else text


@contextlib.contextmanager
def running(argv, **options):
    with subprocess.Popen(argv, **options) as process:
        try:
            yield process
        finally:
            process.kill()


@contextlib.contextmanager
def screen():
    """Yields the name of a display."""
    reading, writing = os.pipe()
    with running(["Xvfb", "-displayfd", str(writing), "-nolisten", "tcp",
                  "-screen", "0", "1200x900x24"], pass_fds=[writing],
                 stderr=subprocess.DEVNULL):
        os.close(writing)
        with open(reading, encoding="ascii") as numbers:
            yield f":{numbers.readline().strip()}"


def accessible_bus(session):
    try:
        bus = session.get_object("org.a11y.Bus", "/org/a11y/bus")
        return dbus.bus.BusConnection(bus.GetAddress(
            dbus_interface="org.a11y.Bus"))
    except dbus.DBusException:
        sys.exit(SKIPPED)


def show(session, accessible, argv, display):
    """As in the description above, or None where it cannot be read."""
    home = pathlib.Path(os.environ["HOME"])
    log = home / "kcachegrind.log"
    with open(log, "w", encoding="utf-8") as file, \
            running(argv, stderr=file, env={
                **os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb",
                "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
                "QT_LOGGING_TO_CONSOLE": "1",
                "QT_LOGGING_RULES": "qt.accessibility.atspi=true",
                "XDG_CONFIG_HOME": str(home)}) as process:
        found = Shown(session, accessible, process, log).watch()
    if found:
        said = log.read_text(encoding="utf-8").splitlines()
        found["complaints"] = found.get("complaints", []) + [
            line for line in said if line.startswith("Loading ")]
    return found


def main(profile, output):
    home = pathlib.Path(os.environ["HOME"])
    (home / "kcachegrindrc").write_text("[TipOfDay]\nRunOnStart=false\n",
                                        encoding="ascii")
    session = dbus.SessionBus()
    accessible = accessible_bus(session)
    with screen() as display:
        for _ in range(ATTEMPTS):
            found = show(session, accessible, ["kcachegrind", profile],
                         display)
            if found:
                with open(output, "w", encoding="utf-8") as file:
                    json.dump(found, file)
                return
    sys.exit((home / "kcachegrind.log").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main(*sys.argv[1:])
