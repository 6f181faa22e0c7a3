/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is an ELF file with debug information, which a
 * worker indexes. The input may also be a bundle, {u32 bytes, that ELF file, a
 * second file}. The second file is one that the first refers to: split units, a
 * package of them, or dwz's alternate file.
 *
 * The worker may refuse, in time and with a reason. clew's reader must not
 * crash, although a crash would end only the worker.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "symbolizer/a2n.h"
#include "tests/fuzz/folder.h"

enum {
	SECONDS = 2,
	CLOCK_FACTOR = 3, /* as the worker has it */
	MEGABYTES = 128,
	SLACK_MEGABYTES = 16,
	FRAMES = 16,
	STEP = 3,
	ADDRESSES = 10000,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A refused allocation is an answer for the reader, and no finding. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1:detect_leaks=0";
}

/* ---- files ---- */

/* The second file has each name by which the first may refer to it. */
static const char *const names[] = { "program", "program.dwp", "seed.dwo",
				     "seed.alt" };
enum { NAMES = sizeof(names) / sizeof(names[0]) };

static void write_file(const char *name, const uint8_t *data, size_t size)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", fuzz_folder(), name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

static void write_files(const uint8_t *data, size_t size)
{
	uint32_t first = (uint32_t)size;

	if (size >= sizeof(first) && memcmp(data, "\177ELF", 4) != 0) {
		memcpy(&first, data, sizeof(first));
		data += sizeof(first);
		size -= sizeof(first);
		if (first > size)
			first = (uint32_t)size;
	}
	write_file(names[0], data, first);
	for (size_t i = 1; i < NAMES; i++)
		write_file(names[i], data + first, size - first);
}

/* ---- Use of the results ---- */

static volatile size_t sink;

static void read_strings(const struct a2n_frame *frames, size_t count)
{
	for (size_t i = 0; i < count && i < FRAMES; i++) {
		if (frames[i].name &&
		    frames[i].name[frames[i].name_length] != '\0')
			abort();
		sink += frames[i].symbol ? strlen(frames[i].symbol) : 0;
		sink += frames[i].file ? strlen(frames[i].file) : 0;
	}
}

struct walk {
	const struct a2n_module *module;
	uint64_t end; /* of the range before */
	size_t left;
};

/* Checks that ranges are in order, are disjoint, and equal lookups. */
static void visit(void *context, const struct a2n_range *range,
		  const struct a2n_frame *frames, size_t count)
{
	struct walk *walk = context;
	struct a2n_frame found[FRAMES];

	if (range->start < walk->end || range->end <= range->start)
		abort();
	walk->end = range->end;
	read_strings(frames, count);
	if (walk->left-- == 0)
		walk->left = 1; /* there were enough lookups */
	else if (a2n_module_lookup(walk->module, range->start, found, FRAMES) !=
		 count)
		abort();
}

static void read_around(const struct a2n_module *module)
{
	struct walk rows = { .module = module, .left = ADDRESSES };
	struct a2n_module_info info;

	a2n_module_rows(module, visit, &rows);
	a2n_module_info(module, &info);
	if (!info.reason)
		return;
	if (strstr(info.reason, "crashed") || strstr(info.reason, "failed")) {
		fprintf(stderr, "%s\n", info.reason);
		abort();
	}
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void check_limits(double began)
{
	struct rusage ours, used;

	/* Without symbols, without debug information, with both. */
	if (now() - began > 3 * SECONDS * CLOCK_FACTOR + 1) {
		fprintf(stderr, "took %.1f s\n", now() - began);
		abort();
	}
	getrusage(RUSAGE_SELF, &ours);
	getrusage(RUSAGE_CHILDREN, &used);
	if ((used.ru_maxrss - ours.ru_maxrss) / 1024 >
	    MEGABYTES + SLACK_MEGABYTES) {
		fprintf(stderr, "took %ld MiB\n", used.ru_maxrss / 1024);
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct a2n_options options = {
		.flags = A2N_NO_CACHE | A2N_NO_DOWNLOAD,
		.index_seconds = SECONDS,
		.index_bytes = (uint64_t)MEGABYTES << 20,
	};
	const struct a2n_module *module;
	char path[512];
	double began = now();
	struct a2n *a2n;
	int err;

	write_files(data, size);
	snprintf(path, sizeof(path), "%s/%s", fuzz_folder(), names[0]);
	if (a2n_create(&options, &a2n))
		abort();
	err = a2n_module_open(a2n, path, NULL, &module);
	if (err && err != -ENOEXEC && err != -ENODATA) {
		fprintf(stderr, "error %d\n", err);
		abort();
	}
	if (!err)
		read_around(module);
	a2n_destroy(a2n);
	check_limits(began);
	return 0;
}
