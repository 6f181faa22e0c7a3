/* SPDX-License-Identifier: MIT */
/*
 * make_recording DIRECTORY CONTEXTS [SAMPLES [PATH]]
 *
 * Writes a recording of an invented program: two threads, no recursion, about
 * 20 levels deep, in one module, with the given path if there is one. Standard
 * output lists the contents, for tests to compare with, one context a line:
 *
 *	THREAD CALLS NS SAMPLES VADDR;VADDR;...		outermost function first
 *
 * Nothing is printed without SAMPLES. Equal arguments produce the same
 * recording.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/idmap.h"
#include "base/memory.h"
#include "tests/unit/fixture.h"
#include "wire/id.h"

enum {
	PID = 4242,
	THREADS = 2,
	LEVELS = 100,
	WIDTH = 41, /* functions of one level, which call those of the next */
	PERIOD_NS = 1003009,
	START_NS = 1700000000,
};

struct context {
	uint64_t id;
	uint64_t calls, samples;
	uint32_t parent; /* 0: none */
	uint32_t function;
	uint32_t level;
	uint32_t tally;
};

struct world {
	struct fixture fixture;
	struct context *contexts; /* [0] is the root */
	size_t count;
	struct idmap seen; /* ids */
	uint64_t random;
};

/* Returns a pseudo-random number below `limit`. */
static uint64_t pick(struct world *world, uint64_t limit)
{
	world->random ^= world->random << 13;
	world->random ^= world->random >> 7;
	world->random ^= world->random << 17;
	return world->random % limit;
}

/*
 * Returns the parent of a new context, which mostly is one of the newer
 * contexts. This makes the tree deep.
 */
static size_t pick_parent(struct world *world)
{
	size_t from = world->count / 8, parent;

	do
		parent = from + pick(world, world->count - from);
	while (world->contexts[parent].level == LEVELS);
	return parent;
}

static void add_context(struct world *world)
{
	size_t parent = pick_parent(world);
	struct context *context = &world->contexts[world->count];
	uint32_t level = world->contexts[parent].level;
	uint32_t function = level * WIDTH + 1 + (uint32_t)pick(world, WIDTH);
	uint64_t id = id_push(world->contexts[parent].id, id_key(function));
	uint64_t *seen = idmap_at(&world->seen, id);

	if (*seen)
		return;
	*seen = 1;
	*context = (struct context){
		.id = id,
		.calls = 1 + pick(world, 1000),
		.parent = (uint32_t)parent,
		.function = function,
		.level = level + 1,
		.tally = parent ? world->contexts[parent].tally
				: (uint32_t)pick(world, THREADS),
	};
	world->count++;
	fixture_context(&world->fixture, context->tally,
			world->contexts[parent].id, function, context->calls);
}

static void add_samples(struct world *world, size_t samples)
{
	struct wire_header *header = fixture_header(&world->fixture);

	header->time = WIRE_TIME_CPU;
	header->rate_hz = 997;
	header->period_ns = PERIOD_NS;
	header->first = (struct wire_moment){ .tsc = 0, .ns = START_NS };
	header->latest = (struct wire_moment){
		.tsc = samples,
		.ns = START_NS + samples * PERIOD_NS,
	};
	for (size_t i = 0; i < samples; i++) {
		struct context *context =
			&world->contexts[1 + pick(world, world->count - 1)];

		context->samples++;
		fixture_sample(&world->fixture, context->tally, context->id,
			       fixture_pc(context->function) + pick(world, 16),
			       PERIOD_NS);
	}
}

static void say_path(const struct world *world, const struct context *context)
{
	if (context->parent) {
		say_path(world, &world->contexts[context->parent]);
		putchar(';');
	}
	printf("%#" PRIx64,
	       fixture_pc(context->function) - (uint64_t)FIXTURE_MODULE_BASE);
}

static void say(const struct world *world)
{
	for (size_t i = 1; i < world->count; i++) {
		const struct context *context = &world->contexts[i];

		printf("%d %" PRIu64 " %" PRIu64 " %" PRIu64 " ",
		       PID + (int)context->tally, context->calls,
		       context->samples * PERIOD_NS, context->samples);
		say_path(world, context);
		putchar('\n');
	}
}

static void begin(struct world *world, size_t contexts, const char *path)
{
	static const char command[] = "synthetic\0--size\0large";
	struct fixture *fixture = &world->fixture;
	unsigned int log2 = 1;
	size_t chunk;

	while (contexts >> log2)
		log2++;
	fixture_init(fixture, PID, 0);
	fixture_header(fixture)->max_contexts = contexts;
	chunk = fixture_chunk(fixture, WIRE_PROCESS, 0, sizeof(command));
	memcpy(fixture->bytes + chunk + sizeof(struct wire_chunk), command,
	       sizeof(command));
	fixture_module(fixture, path, 1, LEVELS * WIDTH);
	fixture_thread(fixture, PID, "main", 0);
	fixture_thread(fixture, PID + 1, "worker", 1);
	for (uint32_t i = 0; i < THREADS; i++)
		fixture_tally(fixture, i, contexts, log2 + 1);
	world->contexts = memory_zeroed(contexts + 1, sizeof(struct context));
	world->count = 1;
	world->random = 88172645463325252;
}

int main(int argc, char **argv)
{
	struct world world = { 0 };
	size_t contexts = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	size_t samples = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;

	if (contexts == 0 || mkdir(argv[1], 0700) != 0) {
		fprintf(stderr, "make_recording DIRECTORY CONTEXTS [SAMPLES "
				"[PATH]]\n");
		return EXIT_FAILURE;
	}
	begin(&world, contexts, argc > 4 ? argv[4] : "/lib/synthetic");
	while (world.count <= contexts)
		add_context(&world);
	if (samples > 0)
		add_samples(&world, samples);
	if (argc > 3)
		say(&world);
	fixture_save_part(&world.fixture, argv[1]);
	fixture_fini(&world.fixture);
	idmap_fini(&world.seen);
	free(world.contexts);
	return EXIT_SUCCESS;
}
