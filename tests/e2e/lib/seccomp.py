# SPDX-License-Identifier: MIT
"""System call filters for tests: classic BPF over struct seccomp_data.

    Filter().refuse("membarrier", errno.ENOSYS).install()

install() is meant for preexec_fn: the program executed next runs under the
filter.
"""
import ctypes
import errno
import pathlib
import re
import struct

NUMBERS = {name: int(number) for name, number in re.findall(
    r"#define __NR_(\w+) (\d+)",
    pathlib.Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h").read_text())}
MADV_POPULATE_WRITE = 23  # since Linux 5.14

LOAD, JUMP_EQUAL, JUMP_ABOVE, JUMP_SET, RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
AND = 0x54
ALLOW, ERRNO, KILL = 0x7fff0000, 0x00050000, 0x80000000
CLONE_NEW = 0x7e020000  # the flags of clone() that make namespaces
PROT_WRITE, PROT_EXEC, SHM_EXEC = 2, 4, 0o100000
NUMBER_AT, ARGUMENTS_AT = 0, 16
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, MODE_FILTER = 22, 38, 2


def be_an_older_kernel():
    """Refuses the newer system calls by which the runtime prefers to extend a
    recording."""
    (Filter().refuse("close_range", errno.ENOSYS)
     .refuse_value("madvise", 2, MADV_POPULATE_WRITE, errno.EINVAL)
     .install())


def like_dockers():
    """Returns a filter that treats these calls as Docker's default one does."""
    refused = Filter()
    for name in "bpf", "mount", "setns", "unshare", "perf_event_open":
        refused.refuse(name, errno.EPERM)
    return refused.refuse_flags("clone", 0, CLONE_NEW, errno.EPERM)


def memory_deny_write_execute():
    """Returns the filter of systemd's MemoryDenyWriteExecute=."""
    return (Filter()
            .refuse_all_flags("mmap", 2, PROT_EXEC | PROT_WRITE, errno.EPERM)
            .refuse_flags("mprotect", 2, PROT_EXEC, errno.EPERM)
            .refuse_flags("pkey_mprotect", 2, PROT_EXEC, errno.EPERM)
            .refuse_flags("shmat", 2, SHM_EXEC, errno.EPERM))


class Filter:
    def __init__(self):
        self.code = []

    def add(self, operation, value, if_true=0, if_false=0):
        self.code.append(struct.pack("HBBI", operation, if_true, if_false,
                                     value))
        return self

    def refuse(self, name, error):
        return (self.add(LOAD, NUMBER_AT)
                .add(JUMP_EQUAL, NUMBERS[name], 0, 1)
                .add(RETURN, ERRNO | error))

    def refuse_longer(self, name, argument, limit, error):
        """Refuses calls whose argument exceeds the limit; limits are multiples
        of 4 GiB."""
        return (self.add(LOAD, NUMBER_AT)
                .add(JUMP_EQUAL, NUMBERS[name], 0, 3)
                .add(LOAD, ARGUMENTS_AT + 8 * argument + 4)
                .add(JUMP_ABOVE, limit >> 32, 0, 1)
                .add(RETURN, ERRNO | error))

    def refuse_value(self, name, argument, value, error):
        """Refuses calls whose argument has this value in its lower 32 bits."""
        return (self.add(LOAD, NUMBER_AT)
                .add(JUMP_EQUAL, NUMBERS[name], 0, 3)
                .add(LOAD, ARGUMENTS_AT + 8 * argument)
                .add(JUMP_EQUAL, value, 0, 1)
                .add(RETURN, ERRNO | error))

    def kill(self, *names):
        self.add(LOAD, NUMBER_AT)
        for name in names:
            self.add(JUMP_EQUAL, NUMBERS[name], 0, 1).add(RETURN, KILL)
        return self

    def allow_only(self, names):
        """Kills at all calls but these."""
        self.add(LOAD, NUMBER_AT)
        for name in sorted(names & NUMBERS.keys()):
            self.add(JUMP_EQUAL, NUMBERS[name], 0, 1).add(RETURN, ALLOW)
        return self.add(RETURN, KILL)

    def refuse_flags(self, name, argument, flags, error):
        """Refuses calls whose argument has one of these flags."""
        return (self.add(LOAD, NUMBER_AT)
                .add(JUMP_EQUAL, NUMBERS[name], 0, 3)
                .add(LOAD, ARGUMENTS_AT + 8 * argument)
                .add(JUMP_SET, flags, 0, 1)
                .add(RETURN, ERRNO | error))

    def refuse_all_flags(self, name, argument, flags, error):
        """Refuses calls whose argument has all of these flags."""
        return (self.add(LOAD, NUMBER_AT)
                .add(JUMP_EQUAL, NUMBERS[name], 0, 4)
                .add(LOAD, ARGUMENTS_AT + 8 * argument)
                .add(AND, flags)
                .add(JUMP_EQUAL, flags, 0, 1)
                .add(RETURN, ERRNO | error))

    def install(self):
        self.add(RETURN, ALLOW)
        code = b"".join(self.code)
        memory = ctypes.create_string_buffer(code, len(code))
        program = ctypes.create_string_buffer(struct.pack(
            "HxxxxxxP", len(self.code), ctypes.addressof(memory)))
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
                PR_SET_SECCOMP, MODE_FILTER, program, 0, 0):
            raise OSError(ctypes.get_errno(), "no filter")
