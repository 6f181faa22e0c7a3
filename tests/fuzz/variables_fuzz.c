/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is an ELF file with debug information, in which a
 * worker looks up the variables at an address. The fuzzer also damages answers
 * of workers.
 *
 * libdwarf may crash: the request is then refused in time, with a reason. For
 * any answer, the reader returns a text or a reason.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/probes/action_rewriting.h"

enum { SECONDS = 2, CLOCK_FACTOR = 3, SYMBOLS_MAX = 4096, DAMAGES = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A refused allocation is an answer for the reader, and no finding. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1:detect_leaks=0";
}

static const char *const names[] = { "from", "count", "sum",  "calls",
				     "x",    "argv",  "argc", "this" };

static const char *const lines[] = {
	"record from, *from, from[1]/x, &calls, sum + count",
	"if *argv[0] == 'a' && x > 3 && calls != count",
	"begin one from->sum.count[3] - arg1",
	"record argv, *argv, arg1, arg2, count->x, from.calls, *(from - 1)",
};

/* ---- The file ---- */

static char path[] = "/tmp/clew-variables-fuzz-XXXXXX";

static void remove_file(void)
{
	unlink(path);
}

static void write_file(const uint8_t *data, size_t size)
{
	static int fd = -1;

	if (fd < 0) {
		fd = mkstemp(path);
		if (fd < 0)
			abort();
		atexit(remove_file);
	}
	if (ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
}

/*
 * Returns a function of the seed's file, or the previous one if the file is too
 * damaged.
 */
static uint64_t function_of(const uint8_t *data, size_t size)
{
	static uint64_t former;
	Elf64_Ehdr head;
	Elf64_Shdr section;
	Elf64_Sym symbol;

	if (size < sizeof(head))
		return former;
	memcpy(&head, data, sizeof(head));
	for (unsigned int i = 0; i < head.e_shnum; i++) {
		const uint64_t at = head.e_shoff + i * sizeof(section);

		if (at > size || size - at < sizeof(section))
			break;
		memcpy(&section, data + at, sizeof(section));
		if (section.sh_type != SHT_SYMTAB || section.sh_offset > size ||
		    section.sh_size > size - section.sh_offset)
			continue;
		for (uint64_t s = 0;
		     s < SYMBOLS_MAX &&
		     (s + 1) * sizeof(symbol) <= section.sh_size;
		     s++) {
			memcpy(&symbol,
			       data + section.sh_offset + s * sizeof(symbol),
			       sizeof(symbol));
			if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
			    symbol.st_size > 60)
				former = symbol.st_value;
		}
	}
	return former;
}

/* ---- Use of an answer ---- */

static volatile size_t sink;

static void use(const struct variables *variables, uint64_t vaddr)
{
	const struct variable_site site = {
		.vaddr = vaddr,
		.variables = *variables,
		.frame = { 1, 7, 8, 40 },
	};
	struct arena arena = { 0 };

	for (uint32_t i = 0; i < variables->header.variable_count; i++) {
		const char *why;
		const char *text =
			variable_text(&site, &variables->list[i], &arena, &why);

		sink += strlen(text ? text : why);
	}
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		char *why = NULL;
		const char *text =
			action_rewrite(lines[i], &site, 1, &arena, &why);

		if (!text == !why)
			abort();
		sink += strlen(text ? text : why);
		free(why);
	}
	arena_fini(&arena);
}

/* Accepted damaged variables must be safe for every reader of them. */
static void damage(const struct variables *good, uint64_t vaddr, size_t seed)
{
	const struct variables_header *h = &good->header;
	const size_t bytes =
		(size_t)(good->texts - (const char *)good->memory) +
		h->text_bytes;

	srandom((unsigned int)seed);
	for (int i = 0; i < DAMAGES; i++) {
		uint8_t *copy = malloc(bytes);
		struct variables damaged;

		if (!copy)
			abort();
		memcpy(copy, good->memory, bytes);
		for (int j = 0; j <= i % 4; j++)
			copy[(size_t)random() % bytes] = (uint8_t)random();
		if (variables_take(&damaged, copy, bytes - (i % 5 == 4)) == 0)
			use(&damaged, vaddr);
		free(copy);
	}
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void ask(uint64_t vaddr, size_t name_count, size_t seed)
{
	const struct variables_request request = {
		.path = path,
		.vaddr = vaddr,
		.names = names,
		.name_count = name_count,
		.seconds = SECONDS,
	};
	const double began = now();
	struct variables variables;
	char *why = NULL;
	const int err = variables_read(&request, &variables, &why);

	if (now() - began > SECONDS * CLOCK_FACTOR + 5 || !err == !!why) {
		fprintf(stderr, "%d, %s, took %.1f s\n", err,
			why ? why : "no reason", now() - began);
		abort();
	}
	free(why);
	if (err)
		return;
	use(&variables, vaddr);
	damage(&variables, vaddr, seed);
	variables_free(&variables);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t function = function_of(data, size);

	write_file(data, size);
	ask(function, 0, size);
	ask(function + size % 60, sizeof(names) / sizeof(*names), size);
	return 0;
}
