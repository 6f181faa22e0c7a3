/* SPDX-License-Identifier: MIT */
/*
 * Measures the costs of address spaces (a commit, memory, and a look-up) for
 * typical compiled code, and for the worst code that a malicious compiler could
 * emit.
 *
 * 	spaces [PERF-MAP...]
 */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "symbolizer/a2n.h"

enum { CODES = 200 * 1000, LOOKUPS = 300 * 1000, ROUNDS = 5 };

#define BASE UINT64_C(0x7f0000000000)

static uint64_t state = 1;

static uint64_t random_below(uint64_t limit)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407U;
	return (state >> 32) % limit;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void must(int err)
{
	if (!err)
		return;
	fprintf(stderr, "spaces: error %d\n", err);
	exit(1);
}

static void add(struct a2n_space *space, uint64_t start, uint64_t bytes,
		uint64_t time)
{
	const struct a2n_code code = { .start = BASE + start,
				       .bytes = bytes,
				       .name = "code" };

	must(a2n_space_add(space, &code, time, NULL));
}

/* ---- shapes: where the code of number i is ---- */

static void compiled(struct a2n_space *space, uint64_t i)
{
	add(space, i * 512, 100 + random_below(400), i);
}

/* A heap in which code is compiled, discarded and compiled again. */
static void recycled(struct a2n_space *space, uint64_t i)
{
	add(space, random_below(20000) * 256, 100 + random_below(1000), i);
}

static void repeated(struct a2n_space *space, uint64_t i)
{
	add(space, 0, CODES * 2, i);
}

static void nested_inwards(struct a2n_space *space, uint64_t i)
{
	add(space, i, 2 * (CODES - i), i);
}

static void nested_outwards(struct a2n_space *space, uint64_t i)
{
	add(space, CODES - 1 - i, 2 * (i + 1), i);
}

static void staggered(struct a2n_space *space, uint64_t i)
{
	add(space, i, CODES, i);
}

static void comb(struct a2n_space *space, uint64_t i)
{
	if (i % 2)
		add(space, 0, CODES * 2, i);
	else
		add(space, i * 2, 1, i);
}

static void anything(struct a2n_space *space, uint64_t i)
{
	uint64_t start = random_below(CODES * 2);

	add(space, start, 1 + random_below(CODES * 2 - start), i);
}

static const struct shape {
	const char *name;
	void (*add)(struct a2n_space *space, uint64_t i);
	uint64_t bytes; /* size of the range that contains all code */
} shapes[] = {
	{ "side by side", compiled, CODES *UINT64_C(512) },
	{ "recycled", recycled, UINT64_C(20000) * 256 },
	{ "one place", repeated, CODES * 2 },
	{ "nested inwards", nested_inwards, CODES * 2 },
	{ "nested outwards", nested_outwards, CODES * 2 },
	{ "staggered", staggered, CODES * 2 },
	{ "comb", comb, CODES * 2 },
	{ "at random", anything, CODES * 2 },
};

/* ---- measuring ---- */

static uint64_t pcs[LOOKUPS];

static double megabytes(void)
{
	struct mallinfo2 info = mallinfo2();

	return (double)(info.uordblks + info.hblkhd) / 1e6;
}

/* Returns the seconds to look up all pcs, each at a random time. */
static double look_up(const struct a2n_space *space, uint64_t times,
		      size_t *found)
{
	double began = seconds();

	*found = 0;
	for (int i = 0; i < LOOKUPS; i++) {
		struct a2n_frame frame;

		*found += a2n_space_lookup(space, pcs[i], random_below(times),
					   NULL, 0, NULL, &frame, 1);
	}
	return seconds() - began;
}

/*
 * Prints the best of some rounds, because other programs use the same caches.
 */
static void measure(struct a2n_space *space, const char *name, uint64_t codes,
		    uint64_t times)
{
	double before = megabytes(), began = seconds(), committed, best = 0;
	size_t found = 0;

	must(a2n_space_commit(space));
	committed = seconds() - began;
	for (int i = 0; i < ROUNDS; i++) {
		double one = look_up(space, times, &found);

		best = i == 0 || one < best ? one : best;
	}
	printf("%-16s %8" PRIu64 " %9.1f %9.1f %9.0f %8.1f %%\n", name, codes,
	       committed * 1e3, megabytes() - before, best * 1e9 / LOOKUPS,
	       100.0 * (double)found / LOOKUPS);
}

static void measure_shape(const struct shape *shape)
{
	struct a2n_space *space;

	must(a2n_space_create(NULL, &space));
	for (uint64_t i = 0; i < CODES; i++)
		shape->add(space, i);
	for (int i = 0; i < LOOKUPS; i++)
		pcs[i] = BASE + random_below(shape->bytes);
	measure(space, shape->name, CODES, CODES);
	a2n_space_destroy(space);
}

/* Draws addresses in the map's code, each line of the map equally often. */
static void pick_pcs(const char *path)
{
	FILE *file = fopen(path, "re");
	uint64_t start, bytes, lines = 0;

	if (!file)
		must(-1);
	while (fscanf(file, "%" SCNx64 " %" SCNx64 "%*[^\n]", &start, &bytes) ==
		       2 &&
	       lines < LOOKUPS)
		pcs[lines++] = start + random_below(bytes ? bytes : 1);
	fclose(file);
	for (uint64_t i = lines; lines > 0 && i < LOOKUPS; i++)
		pcs[i] = pcs[i - lines];
	for (uint64_t i = LOOKUPS - 1; i > 0; i--) {
		uint64_t other = random_below(i + 1), pc = pcs[i];

		pcs[i] = pcs[other];
		pcs[other] = pc;
	}
}

static void measure_map(const char *path)
{
	struct a2n_space *space;
	struct a2n_read read;
	double began = seconds();

	must(a2n_space_create(NULL, &space));
	must(a2n_space_read_perf_map(space, path, 0, &read));
	printf("%s: read in %.1f ms\n", path, (seconds() - began) * 1e3);
	pick_pcs(path);
	measure(space, "perf map", read.records, 1);
	a2n_space_destroy(space);
}

int main(int argc, char **argv)
{
	printf("%-16s %8s %9s %9s %9s %10s\n", "", "codes", "commit ms", "MB",
	       "ns/lookup", "found");
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		measure_shape(&shapes[i]);
	for (int i = 1; i < argc; i++)
		measure_map(argv[i]);
	return 0;
}
