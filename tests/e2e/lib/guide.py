# SPDX-License-Identifier: MIT
"""The guides of docs/guides, and a shell on a terminal that runs their commands.

A guide contains three kinds of fenced blocks:

	```c		A file, in C or another language. The first line is a
	/* work.c */	comment that consists of the file's name.

	```console	Commands and their output. A command follows "$ ". A
	$ clew report	command continues on the next line after a backslash,
	...		and runs in the background if it ends with "&" or with
			"& NAME=$!".

	```text		Text that the test ignores.

Each line below a command must match a line of the command's output, in any
order. "..." matches any text, and alone on a line any lines. A number matches
any number, with the same or another unit. In a block after
<!-- test: exact --> a number with a thousands separator matches only itself.
Two more comments may precede a block:

	<!-- test: status 1 -->		The last command exits with 1 instead of 0.
	<!-- test: not run: WHY -->	The test does not run the commands.
"""
import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from lib import clewtest

COLUMNS = 100
FENCE = re.compile(r"```(\w*)$")
COMMENT = re.compile(r"<!-- test: (.*) -->$")
FILE_NAME = re.compile(r"(?:/\*|//|#|--) ([\w./-]+\.\w+|Makefile)(?: \*/)?$")
SPACE = r"[\s│├└─]"  # includes lines of trees
UNIT = r"(?:\s?(?:ns|us|ms|s|B|KB|MB|GB|KiB|MiB|GiB)\b)?"
NUMBER = r"[<~+-]?\d[\d,.]*" + UNIT
PIECE = re.compile(rf"(?P<any>\.\.\.)|(?P<hex>\b0x[0-9a-f]+\b)"
                   rf"|(?P<number>(?<![\w.])[+-]?\d[\d,.]*\b(?![.\w]*[a-z_]){UNIT}"
                   rf"|(?<![\w.])\d[\d,.]*(?:ns|us|ms|s)\b)"
                   rf"|(?P<nothing>(?<=\s)-(?=\s))|(?P<space>{SPACE}+)")


class Guide:
    """The blocks of one Markdown file."""

    def __init__(self, path):
        self.lines = path.read_text(encoding="utf-8").splitlines()
        self.blocks = list(blocks(self.lines))

    def commands(self):
        for block in self.blocks:
            if block.language == "console":
                yield from block.commands()

    def stray_commands(self):
        """Commands that no console block contains."""
        inside = [line for block in self.blocks
                  if block.language == "console" for line in block.lines]
        return [line for line in self.lines
                if line.lstrip().startswith("$ ") and line not in inside]


class Block:
    def __init__(self, language, lines, remark):
        self.language, self.lines, self.remark = language, lines, remark

    def file_name(self):
        named = FILE_NAME.match(self.lines[0]) if self.lines else None
        return named[1] if named else None

    def commands(self):
        found = []
        for line in self.lines:
            if line.startswith("$ "):
                found.append(Command(line[2:], self.remark))
            elif not found[-1].shown and found[-1].text.endswith("\\"):
                found[-1].text += "\n" + line
            else:
                found[-1].shown.append(line)
        for command in found[:-1]:
            command.status = 0
        return found


class Command:
    """A command that the reader types, and the output that the guide shows."""

    def __init__(self, text, remark):
        self.text, self.shown = text, []
        self.is_exact = remark == "exact"
        self.is_run = not remark.startswith("not run: ")
        self.status = int(remark.split()[1]) if \
            remark.startswith("status ") else 0

    def is_background(self):
        return bool(re.search(r"&( \w+=\$!)?$", self.text))

    def unmatched(self, output):
        """The lines shown that no line of the output matches."""
        printed = [line.strip() for line in output.splitlines()]
        return [line for line in self.shown
                if line.strip() not in ("", "...") and
                not any(pattern(line, self.is_exact).fullmatch(one)
                        for one in printed)]


def blocks(lines):
    language, inside, remark = None, [], ""
    for line in lines:
        fence, comment = FENCE.match(line), COMMENT.match(line)
        if language is None and fence:
            language, inside = fence[1], []
        elif language is not None and line == "```":
            yield Block(language, inside, remark)
            language, remark = None, ""
        elif language is not None:
            inside.append(line)
        elif comment:
            remark = comment[1]
        elif line:
            remark = ""


def pattern(line, is_exact):
    """Returns the expression that a line of output must match."""
    result, end, line = "", 0, line.strip()
    for piece in PIECE.finditer(line):
        result += re.escape(line[end:piece.start()])
        end = piece.end()
        if piece["number"] and is_exact and "," in piece["number"]:
            result += re.escape(piece["number"])
        else:
            result += {"any": ".*", "hex": "0x[0-9a-f]+", "number": NUMBER,
                       "nothing": rf"(?:-|{NUMBER})", "space": f"{SPACE}+"
                       }[piece.lastgroup]
    return re.compile(result + re.escape(line[end:]))


class Shell:
    """A bash whose output is a terminal, in a session of its own."""

    READ_COMMANDS = ('while read -r file <&3; do . "$file" </dev/null; '
                     'printf "\\n\\001%d\\001\\n" $?; done')

    def __init__(self, folder, environment):
        self.folder, self.printed = folder, ""
        self.leader, follower = pty.openpty()
        attributes = termios.tcgetattr(follower)
        attributes[1] &= ~termios.OPOST
        termios.tcsetattr(follower, termios.TCSANOW, attributes)
        fcntl.ioctl(follower, termios.TIOCSWINSZ,
                    struct.pack("4H", 24, COLUMNS, 0, 0))
        theirs, self.orders = os.pipe()
        self.process = subprocess.Popen(
            ["bash", "-c", f"exec 3<&{theirs}; {self.READ_COMMANDS}"],
            stdin=subprocess.DEVNULL, stdout=follower, stderr=follower,
            cwd=folder, env=environment, pass_fds=[theirs],
            start_new_session=True)
        os.close(theirs)
        os.close(follower)

    def wait_for(self, is_there, seconds):
        """Reads output until is_there(self.printed); returns whether it was."""
        end = time.monotonic() + seconds
        while not is_there(self.printed):
            ready, _, _ = select.select([self.leader], [], [],
                                        max(0, end - time.monotonic()))
            if not ready:
                return False
            try:
                chunk = os.read(self.leader, 65536)
            except OSError:  # EIO: no process has the terminal open
                return False
            self.printed += chunk.decode("utf-8", "replace")
        return True

    def run(self, command, seconds):
        """Returns the exit status, None if it takes too long, and the output."""
        path = self.folder / ".command"
        path.write_text(command.text + "\n", encoding="utf-8")
        self.printed = ""
        os.write(self.orders, f"{path}\n".encode())
        done = re.compile(r"\n\x01(\d+)\x01\n")
        if not self.wait_for(done.search, seconds):
            return None, self.printed
        status = int(done.search(self.printed)[1])
        if command.is_background():
            self.wait_for(lambda text: not command.unmatched(shown_by(text)),
                          min(seconds, 60))
        return status, shown_by(self.printed)

    def close(self):
        """Ends whatever still runs."""
        os.close(self.orders)
        for sent in signal.SIGTERM, signal.SIGKILL:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, sent)
            if clewtest.until(self.is_over, 30):
                break
        self.process.wait()
        os.close(self.leader)

    def is_over(self):
        """Whether no process of the session is left."""
        self.wait_for(lambda _: False, 0)  # a full terminal blocks writers
        return not processes_of(self.process.pid)


def processes_of(session):
    """Returns the process ids of a session, without zombies."""
    found = []
    for entry in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{int(entry)}/stat", encoding="utf-8") as stat:
                fields = stat.read().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] != "Z":
                found.append(int(entry))
    return found


def shown_by(output):
    """Returns output without escape sequences and overwritten lines."""
    output = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "",
                    re.sub(r"\n\x01\d+\x01\n|\r\n", "\n", output))
    return "\n".join(line.rpartition("\r")[2] for line in output.split("\n"))
