/* SPDX-License-Identifier: MIT */
/*
 * Generates code that burns CPU time and announces it in perf's formats. Each
 * piece is called while its name is the newest at its address.
 *
 *	announces map|jitdump FOLDER MILLISECONDS [fork | kill | kernel]
 *
 * Two pieces follow each other at one address, and one lies beside them. In a
 * jitdump each has its time. With a map the first piece is never called,
 * because a map does not say when it was removed. "fork": a child calls the
 * piece beside. "kill": the process kills itself. "kernel": a piece that makes
 * system calls is also called. Prints "PID NAME CPU_NS" for each called piece.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PIECE_BYTES 64
#define TURNS       UINT64_C(1000000)

/* 1: dec %rdi; jnz 1b; ret */
static const unsigned char loop[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };

/* 1: mov $SYS_getppid,%eax; syscall; dec %rdi; jnz 1b; ret */
static const unsigned char asking[] = { 0xb8, 0x6e, 0,    0,    0,
					0x0f, 0x05, 0x48, 0xff, 0xcf,
					0x75, 0xf4, 0xc3 };

struct jitdump_header {
	uint32_t magic, version, bytes, machine, padding, pid;
	uint64_t time, flags;
};

struct jitdump_load {
	uint32_t kind, bytes;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
};

static int fd, is_map;
static unsigned char *memory;

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void put(const void *bytes, size_t length)
{
	if (write(fd, bytes, length) != (ssize_t)length)
		exit(EXIT_FAILURE);
}

static void begin(const char *folder)
{
	const struct jitdump_header header = {
		.magic = 0x4a695444,
		.version = 1,
		.bytes = sizeof(header),
		.machine = 62,
		.pid = (uint32_t)getpid(),
		.time = clock_ns(CLOCK_MONOTONIC),
	};
	char path[4096];

	snprintf(path, sizeof(path),
		 is_map ? "%s/perf-%d.map" : "%s/jit-%d.dump", folder,
		 (int)getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		exit(EXIT_FAILURE);
	if (is_map)
		return;
	put(&header, sizeof(header));
	/* perf learns of the file by this mapping. */
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) ==
	    MAP_FAILED)
		exit(EXIT_FAILURE);
}

static void announce(const char *name, uint64_t at)
{
	static uint64_t index;
	const struct jitdump_load load = {
		.bytes = (uint32_t)(sizeof(load) + strlen(name) + 1 +
				    PIECE_BYTES),
		.time = clock_ns(CLOCK_MONOTONIC),
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid(),
		.vma = (uintptr_t)memory + at,
		.address = (uintptr_t)memory + at,
		.size = PIECE_BYTES,
		.index = index++,
	};
	char line[256];

	if (is_map) {
		snprintf(line, sizeof(line), "%llx %x %s\n",
			 (unsigned long long)load.address, PIECE_BYTES, name);
		put(line, strlen(line));
		return;
	}
	put(&load, sizeof(load));
	put(name, strlen(name) + 1);
	put(memory + at, PIECE_BYTES);
}

static void burn(const char *name, uint64_t at, uint64_t ns)
{
	void (*piece)(uint64_t);
	const void *code = memory + at;
	const uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t used;

	memcpy(&piece, &code, sizeof(piece));
	do {
		piece(TURNS);
		used = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
	} while (used < ns);
	printf("%d %s %llu\n", (int)getpid(), name, (unsigned long long)used);
	fflush(stdout);
}

static int run_child(uint64_t ns)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		burn("beside", PIECE_BYTES, ns);
		exit(EXIT_SUCCESS);
	}
	waitpid(child, &status, 0);
	return status;
}

int main(int argc, char **argv)
{
	const char *way = argc > 4 ? argv[4] : "";
	uint64_t ns;

	if (argc < 4)
		return EXIT_FAILURE;
	is_map = strcmp(argv[1], "map") == 0;
	ns = strtoull(argv[3], NULL, 10) * 1000000;
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(memory, loop, sizeof(loop));
	memcpy(memory + PIECE_BYTES, loop, sizeof(loop));
	memcpy(memory + 2 * PIECE_BYTES, asking, sizeof(asking));
	begin(argv[2]);
	announce("older", 0);
	announce("beside", PIECE_BYTES);
	announce("asking", 2 * PIECE_BYTES);
	if (!is_map)
		burn("older", 0, ns);
	announce("newer", 0);
	burn("newer", 0, 2 * ns);
	if (strcmp(way, "fork") == 0)
		return run_child(ns);
	burn("beside", PIECE_BYTES, ns);
	if (strcmp(way, "kernel") == 0)
		burn("asking", 2 * PIECE_BYTES, 2 * ns);
	if (strcmp(way, "kill") == 0)
		raise(SIGKILL);
	return EXIT_SUCCESS;
}
