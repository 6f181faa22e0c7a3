# SPDX-License-Identifier: MIT
"""A terminal in tmux, on which tests see what a user sees."""
import re
import shlex
import time

from lib import clewtest

PATIENCE_S = 60


class Screen(clewtest.Case):
    """Tests of a command on a terminal of 80 by 24 characters."""

    def open(self, *command, columns=80, lines=24):
        """Starts a command on a new terminal, which remains when it has ended."""
        self.environment |= {"LC_ALL": "C.UTF-8",
                             "TMUX_TMPDIR": str(self.work)}
        self.terminals = getattr(self, "terminals", 0) + 1
        (self.work / "status").unlink(missing_ok=True)
        words = " ".join(shlex.quote(str(word)) for word in command)
        # The shell continues if a signal of the keyboard ends the command.
        script = (f"trap : INT QUIT; stty -g >before; {words}; echo $? >status; "
                  "stty -g >after; echo over; read line")
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns),
                  "-y", str(lines), script)
        self.addCleanup(self.run_program, ["tmux", "-L", f"t{self.terminals}",
                                           "kill-server"])

    def tmux(self, *arguments):
        done = self.run_program(["tmux", "-L", f"t{self.terminals}",
                                 *arguments], text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def see(self, pattern):
        """Waits until the pattern is on the screen. Returns the screen.

        tmux may have read only a part of what a command draws, so two
        successive looks must show the same.
        """
        end = time.monotonic() + PATIENCE_S
        before = None
        while True:
            screen = self.tmux("capture-pane", "-p")
            if screen == before and re.search(pattern, screen):
                return screen
            self.assertLess(time.monotonic(), end, f"{pattern}:\n{screen}")
            before = screen
            time.sleep(.02)

    def press(self, key, pattern):
        self.tmux("send-keys", key)
        return self.see(pattern)

    def resize(self, columns, lines):
        self.tmux("resize-window", "-x", str(columns), "-y", str(lines))

    def ended(self, status=0):
        """Waits for the end, and requires that the terminal is as before."""
        screen = self.see("(?m)^over")
        self.assertEqual((self.work / "status").read_text(), f"{status}\n")
        self.assertEqual((self.work / "after").read_text(),
                         (self.work / "before").read_text())
        # The alternate screen is closed, and the cursor is shown.
        self.assertEqual(self.tmux("display-message", "-p",
                                   "#{alternate_on} #{cursor_flag}"), "0 1\n")
        return screen

    def command_pid(self, name):
        """Returns the pid of the command of clew on the terminal."""
        terminal = self.tmux("display-message", "-p",
                             "#{pane_tty}").strip().removeprefix("/dev/")
        done = self.run_program(["ps", "-t", terminal, "-o", "pid=,args="],
                                text=True)
        pid, = (int(words[0]) for words in map(str.split,
                                               done.stdout.splitlines())
                if words[1:3] == [str(clewtest.CLEW), name])
        return pid
