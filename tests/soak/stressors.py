# SPDX-License-Identifier: MIT
"""stress-ng's stressors end with clew as they do without.

A stressor executes a number of operations with checks (--verify), and ends
after 5 s at the latest. The exit status and the messages about failures,
errors and warnings are compared. A stressor that this computer does not
support prints a message in both runs.

The table excludes these stressors of stress-ng:

- stressors that affect the whole computer: they unplug its processors or
  memory, occupy one of them for seconds, query its firmware, load modules,
  write to devices, mount file systems, or fill shared resources
  (bad-ioctl bigheap bind-mount binderfs cpu-online cyclic dev dev-shm efivar
  forkheavy idle-page klog kvm loop memhotplug mlockmany mmapfork module
  oom-pipe physpage quota ramfs rawdev reboot resources smi softlockup swap
  sysfs sysinval tmpfs umount watchdog);
- stressors that need hardware, file systems or protocols that most computers
  lack (apparmor dccp gpu ioport ping-sock rtc sctp uprobe verity), a library
  of the user's (plugin), or a thread for which glibc has not registered
  restartable sequences (rseq).
"""
from program import program

# Stressors and their numbers of operations, which take about a quarter of a second.
STRESSORS = """
access 1000, af-alg 1, affinity 10000, aio 7000, aiol 1000, alarm 5000, atomic
70, bad-altstack 300, branch 10000, brk 20000, bsearch 40, cache 20000,
cacheline 40, cap 20000, chattr 2, chdir 1, chmod 200, chown 80, chroot 100,
clock 2000, clone 50, close 7000, context 200, copy-file 30, cpu 200, crypt
200, daemon 700, dekker 20000, dentry 1000, dir 100, dirdeep 100, dirmany 500,
dnotify 900, dup 60, dynlib 60, enosys 40, env 60, epoll 2000, eventfd 10000,
exec 1, exit-group 100, fallocate 1, fanotify 2000, far-branch 1, fault 70,
fcntl 8000, fiemap 8000, fifo 20000, file-ioctl 10000, filename 700, flock
20000, flushcache 1, fork 100, fp 30, fp-error 20000, fpunch 1, fsize 2, fstat
200, full 10000, funccall 20, funcret 500, futex 3000, get 1000, getdent
10000, getrandom 9000, goto 20000, handle 20000, hash 20000, hdd 1000,
heapsort 1, hrtimers 10000, hsearch 900, icache 70, icmp-flood 20000,
inode-flags 1, inotify 1, io 40, iomix 3000, ioprio 6, io-uring 300, ipsec-mb
20000, itimer 40, jpeg 70, judy 2, kcmp 8000, key 20, kill 8000, l1cache 30,
landlock 10, lease 100, link 1, list 4, llc-affinity 1, loadavg 1000, locka
20000, lockbus 6, lockf 4000, lockofd 20000, longjmp 1000, lsearch 1, madvise
5, malloc 4000, matrix 200, matrix-3d 40, mcontend 20, membarrier 7, memcpy
10, memfd 7, memrate 1, memthrash 6, mergesort 2, mincore 100, misaligned 1,
mknod 200, mlock 1000, mmap 2, mmapaddr 4000, mmapfixed 2, mmaphuge 20,
mmapmany 5000, mprotect 20000, mq 20000, mremap 10, msg 20000, msync 60,
msyncmany 7, munmap 20000, mutex 20000, nanosleep 1000, netdev 20000,
netlink-proc 20, netlink-task 20000, nice 40, nop 20000, null 10000, numa 1,
opcode 90, open 1000, pagemove 7, pageswap 2000, pci 10, personality 6000,
peterson 20000, pidfd 400, pipe 20000, pipeherd 20000, pkey 10000, poll 6000,
prctl 100, prefetch 1, priv-instr 20000, procfs 80, pthread 800, ptrace 20000,
pty 1, qsort 1, race-sched 80, radixsort 1, randlist 1, rawpkt 10000, rawsock
20000, rawudp 10000, rdrand 7000, readahead 400, regs 500, remap 4, rename
800, resched 20000, revio 10000, ring-pipe 6000, rlimit 1000, rmap 3, rotate
5000, schedpolicy 4, seal 4000, seccomp 40, secretmem 1, seek 5000, sem 2000,
sem-sysv 20000, sendfile 1000, session 100, set 6000, shellsort 1, shm 10,
shm-sysv 100, sigabrt 100, sigchld 70, sigfd 20000, sigfpe 20000, sigio 20000,
signal 20000, signest 20000, sigpending 20000, sigpipe 5000, sigq 20000, sigrt
20000, sigsegv 20000, sigsuspend 20000, sigtrap 20000, skiplist 200, sleep
20000, sock 40, sockabuse 100, sockdiag 9000, sockfd 20000, sockpair 5000,
sockmany 2000, spawn 5, sparsematrix 1, splice 10000, stack 1, stackmmap 10,
str 10000, stream 1, switch 20000, symlink 1, sync-file 100, syncload 1,
sysbadaddr 90, syscall 80, sysinfo 500, tee 1000, timer 1000, timerfd 900,
tlb-shootdown 100, touch 4000, tree 1, tsc 20000, tsearch 1, tun 6, udp 10000,
udp-flood 20000, unshare 5, urandom 2000, userfaultfd 10000, usersyscall
10000, utime 4000, vdso 20000, vecfp 90, vecmath 300, vecshuf 30, vecwide
1000, vfork 200, vforkmany 50, vm 1000, vm-addr 1, vm-rw 100, vm-segv 100,
vm-splice 10000, wait 200, waitcpu 8000, wcs 10000, x86cpuid 100, x86syscall
20000, xattr 40, yield 20000, zero 1000, zlib 3, zombie 700
"""

# These stressors refuse to run as root.
FOR_USERS = ("exec", "spawn")

# Complaints that the actions of these stressors explain.
EXCUSED = {
    # These three create threads that share a thread pointer.
    "clone": ("while threads shared a thread pointer",),
    "dup": ("while threads shared a thread pointer",),
    "userfaultfd": ("while threads shared a thread pointer",),
    # Children are killed before they have created a part.
    "pidfd": ("not a recording", "the file is empty"),
    "tun": ("not a recording", "the file is empty"),
    # These two filter system calls.
    "seccomp": ("behind a system call filter",),
    "syscall": ("behind a system call filter",),
}

SMALL = [word for size in (
    "fallocate-bytes fiemap-bytes hdd-bytes iomix-bytes malloc-bytes "
    "memfd-bytes mmap-bytes mremap-bytes msync-bytes readahead-bytes "
    "revio-bytes seek-size shm-bytes shm-sysv-bytes sync-file-bytes vm-bytes "
    "vm-rw-bytes").split() for word in ("--" + size, "4m")]


def add(name, operations):
    @program(f"stress-ng.{name}", f"{operations} operations", "stress-ng",
             "stress-ng", suite="stress-ng", least_calls=100,
             excused=EXCUSED.get(name, ()))
    def stressor(load):
        load.run("stress-ng", f"--{name}", "1", f"--{name}-ops", operations,
                 "--timeout", "5", "--verify", "--no-rand-seed",
                 "--temp-path", load.home, *SMALL, status=None,
                 user="nobody" if name in FOR_USERS else None, masks=[
                     # The figures of the run, and its duration.
                     (r"(?m)^(?!.*\b(fail|error|warn):).*\n", ""),
                     (r"\[\d+\]", "[PID]")])


for entry in STRESSORS.replace("\n", " ").split(","):
    add(*entry.split())
