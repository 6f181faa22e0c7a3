/* SPDX-License-Identifier: MIT */
/*
 * collisions [MILLIONS]: tests whether two calling contexts get the same id.
 *
 * Each workload grows a tree of that many contexts, all different by
 * construction, in a shape that is difficult for some method of computing ids.
 * The benchmark sorts the ids of all contexts and counts equal neighbours, for
 * id_push() of wire/id.h and for two simpler methods that were published
 * before:
 *
 * 	xor		id ^ key: blind to the order of calls
 * 	rotate-xor	rotl(id, 1) ^ key: forgets after 64 levels
 *
 * The last column compares 40 bits of the ids at several offsets. There,
 * collisions must occur, about as many as among random numbers, so the ratio of
 * observed to expected ones is near 1. Exits with 1 if any ids of id_push() are
 * equal, or if the ratio is far above 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/id.h"

#define WINDOW_BITS 40

typedef uint64_t (*mix_function)(uint64_t caller, uint64_t key);

struct forest {
	size_t count;     /* nodes to grow; node 0 is the root */
	uint32_t *parent; /* always smaller than the child's index */
	uint32_t *function;
};

static uint64_t mix_id(uint64_t caller, uint64_t key)
{
	return id_push(caller, key);
}

static uint64_t mix_xor(uint64_t caller, uint64_t key)
{
	return caller ^ key;
}

static uint64_t mix_rotate_xor(uint64_t caller, uint64_t key)
{
	return id_rotate_left(caller, 1) ^ key;
}

/*
 * Workloads. Each sets parent and function of node i, for i = 1, 2, ...; two
 * children of one node never have the same function.
 */

static void complete_tree(struct forest *f, uint32_t fanout)
{
	for (size_t i = 1; i < f->count; i++) {
		f->parent[i] = (uint32_t)((i - 1) / fanout);
		f->function[i] = 1 + (uint32_t)((i - 1) % fanout);
	}
}

static void words_of_two(struct forest *f)
{
	complete_tree(f, 2);
}

static void tree_of_sixteen(struct forest *f)
{
	complete_tree(f, 16);
}

/* f calls g, g calls f, and so on: one path through all nodes. */
static void mutual_recursion(struct forest *f)
{
	for (size_t i = 1; i < f->count; i++) {
		f->parent[i] = (uint32_t)(i - 1);
		f->function[i] = 1 + i % 2;
	}
}

/* A path of recursion, with three other functions at each level. */
static void recursion_with_leaves(struct forest *f)
{
	for (size_t i = 1; i < f->count; i++) {
		size_t level = (i - 1) / 4 * 4;

		f->parent[i] = (uint32_t)(level ? level - 3 : 0);
		f->function[i] = 1 + (uint32_t)((i - 1) % 4);
	}
}

/* Each order of the same sixteen functions, as far as there are nodes. */
static void permutations(struct forest *f)
{
	uint16_t *used = calloc(f->count, sizeof(*used));
	size_t next = 1;

	for (size_t i = 0; used && next < f->count; i++)
		for (uint32_t n = 0; n < 16 && next < f->count; n++) {
			if (used[i] >> n & 1)
				continue;
			used[next] = used[i] | (uint16_t)(1 << n);
			f->parent[next] = (uint32_t)i;
			f->function[next++] = n + 1;
		}
	free(used);
}

/* Long permutations of twelve functions: nodes are grown depth-first. */
static void deep_permutations(struct forest *f)
{
	uint32_t at = 0;
	uint32_t stack[13] = { 0 }; /* next function to try, by depth */
	uint32_t nodes[13] = { 0 };
	uint32_t used = 0;
	int depth = 0;

	for (size_t next = 1; next < f->count;) {
		uint32_t n = stack[depth]++;

		if (n >= 12) {
			if (depth == 0)
				break;
			at = nodes[--depth];
			used &= ~(1U << (stack[depth] - 1));
			continue;
		}
		if (used >> n & 1)
			continue;
		f->parent[next] = at;
		f->function[next] = n + 1;
		used |= 1U << n;
		at = (uint32_t)next++;
		nodes[++depth] = at;
		stack[depth] = 0;
	}
}

/*
 * Similar to programs: most contexts are shallow, and there are thousands of
 * functions.
 */
static void random_tree(struct forest *f)
{
	uint64_t state = 1;

	for (size_t i = 1; i < f->count; i++) {
		state = state * UINT64_C(6364136223846793005) + 1;
		f->parent[i] = (uint32_t)((state >> 33) % i);
		/* unique for each child, so siblings differ */
		f->function[i] = (uint32_t)(i % 60000) + 1 +
				 (uint32_t)(i / 60000) * 60000 % 4000000;
	}
}

/* As many functions as contexts, all called by the root. */
static void one_caller(struct forest *f)
{
	for (size_t i = 1; i < f->count; i++) {
		f->parent[i] = 0;
		f->function[i] = (uint32_t)i;
	}
}

static const struct workload {
	const char *name;
	void (*grow)(struct forest *forest);
} workloads[] = {
	{ "permutations of 16 functions, short", permutations },
	{ "permutations of 12 functions, long", deep_permutations },
	{ "all words of two functions", words_of_two },
	{ "tree of fan-out 16", tree_of_sixteen },
	{ "mutual recursion, one path", mutual_recursion },
	{ "recursion with leaves at each level", recursion_with_leaves },
	{ "random tree, many functions", random_tree },
	{ "one caller of everything", one_caller },
};
#define WORKLOADS (sizeof(workloads) / sizeof(workloads[0]))

/* Sorts by 16 bits at a time, the least significant first. */
static void sort_words(uint64_t *words, uint64_t *spare, size_t count)
{
	for (unsigned int shift = 0; shift < 64; shift += 16) {
		static size_t starts[65537];
		uint64_t *swap;

		memset(starts, 0, sizeof(starts));
		for (size_t i = 0; i < count; i++)
			starts[(words[i] >> shift & 0xffff) + 1]++;
		for (size_t i = 1; i < 65536; i++)
			starts[i] += starts[i - 1];
		for (size_t i = 0; i < count; i++)
			spare[starts[words[i] >> shift & 0xffff]++] = words[i];
		swap = words;
		words = spare;
		spare = swap;
	}
}

/* Sorts words. Counts those that equal the word before them. */
static size_t count_repeats(uint64_t *words, uint64_t *spare, size_t count)
{
	size_t repeats = 0;

	sort_words(words, spare, count);
	for (size_t i = 1; i < count; i++)
		repeats += words[i] == words[i - 1];
	return repeats;
}

static void make_ids(const struct forest *f, mix_function mix, int raw_keys,
		     uint64_t *ids)
{
	ids[0] = ID_ROOT;
	for (size_t i = 1; i < f->count; i++) {
		/* raw: function addresses, 16 bytes apart, as keys */
		uint64_t key = raw_keys ? UINT64_C(0x555555554000) +
						  16 * (uint64_t)f->function[i]
					: id_key(f->function[i]);

		ids[i] = mix(ids[f->parent[i]], key);
	}
}

static size_t collisions_of(const struct forest *f, mix_function mix,
			    int raw_keys, uint64_t *ids, uint64_t *spare)
{
	make_ids(f, mix, raw_keys, ids);
	return count_repeats(ids, spare, f->count);
}

/*
 * Returns the ratio of observed to expected repeats in all windows of the ids.
 */
static double window_ratio(const struct forest *f, uint64_t *ids,
			   uint64_t *spare)
{
	uint64_t mask = (UINT64_C(1) << WINDOW_BITS) - 1;
	double n = (double)f->count;
	double expected = 0;
	double observed = 0;

	for (unsigned int shift = 0; shift <= 64 - WINDOW_BITS; shift += 2) {
		make_ids(f, mix_id, 0, ids);
		for (size_t i = 0; i < f->count; i++)
			ids[i] = ids[i] >> shift & mask;
		observed += (double)count_repeats(ids, spare, f->count);
		expected += n * n / 2 / (double)(mask + 1);
	}
	return observed / expected;
}

int main(int argc, char **argv)
{
	size_t count = (argc > 1 ? strtoul(argv[1], NULL, 10) : 3) * 1000000;
	struct forest forest = {
		.count = count,
		.parent = calloc(count + 1, sizeof(uint32_t)),
		.function = calloc(count + 1, sizeof(uint32_t)),
	};
	uint64_t *ids = calloc(count + 1, sizeof(*ids));
	uint64_t *spare = calloc(count + 1, sizeof(*spare));
	int bad = 0;

	if (!count || !forest.parent || !forest.function || !ids || !spare)
		return 2;
	printf("| %zu contexts | id_push | id_push, address as key | xor "
	       "| rotate-xor | 40-bit windows, observed/expected |\n"
	       "|---|--:|--:|--:|--:|--:|\n",
	       count);
	for (size_t i = 0; i < WORKLOADS; i++) {
		size_t ours;
		size_t raw;
		double window;

		workloads[i].grow(&forest);
		ours = collisions_of(&forest, mix_id, 0, ids, spare);
		raw = collisions_of(&forest, mix_id, 1, ids, spare);
		window = window_ratio(&forest, ids, spare);
		printf("| %s | %zu | %zu | %zu | %zu | %.2f |\n",
		       workloads[i].name, ours, raw,
		       collisions_of(&forest, mix_xor, 0, ids, spare),
		       collisions_of(&forest, mix_rotate_xor, 0, ids, spare),
		       window);
		/* fewer than expected are allowed: one_caller() has none */
		bad |= ours || raw || window > 3;
	}
	return bad;
}
