#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Prints what KCachegrind shows of a profile, as JSON.

    dbus-run-session -- kcachegrind.py PROFILE OUTPUT

opens PROFILE in KCachegrind on a virtual screen and reads the window through
the accessibility bus (AT-SPI), as screen readers do. The numbers are thus those
of KCachegrind's own loader:

    title       of the window
    status      the line below, with the total
    functions   {name: [inclusive, self, called]}, of its flat profile
    complaints  messages of its loader on standard error

A refused file has complaints only. The script exits with 77 if something is
missing. $HOME and $XDG_RUNTIME_DIR should be new folders for each run: a bus
that ends removes the next one's socket.

Qt 5 has a race at its start: in about one of three runs it asks for the AT-SPI
registry before it is connected to the bus, and never again ("Error in
contacting registry"). The window is then unreadable, so the script starts
another KCachegrind.
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
    """An accessible object on the screen."""

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
        """Yields all nodes of these roles, at the depths where they occur in
        KCachegrind."""
        for child in self.children():
            role = child.role
            if role in roles:
                yield child
            elif role in ("frame", "filler", "status bar", "dialog"):
                yield from child.find(*roles)


class Shown:
    """A running KCachegrind."""

    def __init__(self, session, accessible, process, log):
        self.session = session
        self.accessible = accessible
        self.process = process
        self.log = log

    def is_over(self):
        return self.process.poll() is not None or \
            UNREGISTERED in self.log.read_text(encoding="utf-8")

    def root(self):
        """Returns the application, or None if it has not yet registered."""
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
        """Returns the messages of a dialog that refuses the file."""
        return [label.name for window in root.children()
                if window.role == "dialog" for label in window.find("label")]

    def content(self, root):
        """Returns the window's content, or None if it is still incomplete."""
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
        """Returns (the content found, whether it is complete)."""
        root = self.root()
        if not root:
            return None, False
        refusal = self.refusal(root)
        if refusal:
            return {"complaints": refusal}, True
        found = self.content(root)
        if found and not all(isinstance(n, int) for row in
                             found["functions"].values() for n in row):
            self.show_absolute_costs()  # no percentages
            return None, False
        return found, bool(found) and found == last

    def watch(self):
        """Returns the content when it is complete, or the last one found, or
        None."""
        found, deadline = None, time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline and not self.is_over():
            # While a window is being built, some objects do not yet exist.
            with contextlib.suppress(dbus.DBusException, ValueError,
                                     IndexError):
                found, is_all = self.look(found)
                if is_all:
                    return found
            time.sleep(0.1)
        return None


def number(text):
    """Converts "1 234", or "(0)" for a function without callers; keeps "2.34",
    a percentage."""
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
    """Starts a virtual X server and yields the display's name."""
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
    """Returns the content as described above, or None if it cannot be read."""
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
