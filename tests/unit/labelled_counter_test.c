/* SPDX-License-Identifier: MIT */
/*
 * Writes random calls of several threads into packets as the runtime would,
 * with their call sites and some values. The number of calls in each context is
 * known. Any number of workers must find it, in any order of packets.
 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/idmap.h"
#include "base/memory.h"
#include "report/merge/labelled_counter.h"
#include "report/merge/packet_pool.h"
#include "tests/unit/drawn.h"
#include "tests/unit/trace_file.h"
#include "wire/id.h"

#define TALLIES      3
#define PACKETS      30
#define DEPTH_MAX    60
#define FUNCTIONS    20
#define VALUED       5 /* functions with a value of each call */
#define FIRST        0x7000
#define WORDS_AT_END 1200
#define WORDS_MAX    ((WIRE_PACKET_BYTES - sizeof(struct wire_chunk)) / 4)

/* A running function; `path` hashes its labels and those of its callers. */
struct test_frame {
	uint64_t path, site, value;
	uint32_t function;
	int has_value;
};

struct test_thread {
	struct test_frame frames[DEPTH_MAX + 1];
	uint32_t depth;
	uint64_t sequence;
};

static struct test_thread threads[TALLIES];
static struct trace_file file;
static struct idmap known; /* path -> calls */
static uint64_t path_of(uint64_t caller, const struct test_frame *frame)
{
	uint64_t path = id_push(caller, id_key(frame->function));

	path = id_push(path, frame->site);
	return id_push(path, frame->has_value ? frame->value + 1 : 0);
}

/* ---- The trace ---- */

static void put_pair(uint64_t value)
{
	trace_file_word(&file, (uint32_t)value);
	trace_file_word(&file, (uint32_t)(value >> 32));
}

static void put_value(const struct test_thread *thread, uint32_t depth,
		      uint8_t flags)
{
	struct wire_packet_value value = {
		.head = wire_packet_odd(WIRE_PACKET_VALUE, 6),
		.field = 1,
		.flags = flags,
		.place = trace_file_place(thread->depth),
		.out = thread->depth - depth,
	};
	uint32_t words[6];

	value.number[0] = (uint32_t)thread->frames[depth].value;
	memcpy(words, &value, sizeof(value));
	for (int i = 0; i < 6; i++)
		trace_file_word(&file, words[i]);
}

static void put_context(struct test_thread *thread)
{
	uint32_t functions[DEPTH_MAX];

	for (uint32_t i = 0; i < thread->depth; i++)
		functions[i] = thread->frames[i + 1].function;
	trace_file_context(&file, &(struct trace_file_context){
					  .tid = 1,
					  .sequence = ++thread->sequence,
					  .functions = functions,
					  .count = thread->depth,
					  .cause = WIRE_PACKET_FULL,
				  });
	trace_file_word(
		&file, wire_packet_odd(WIRE_PACKET_SITES,
				       WIRE_PACKET_SITES_WORDS(thread->depth)));
	for (uint32_t depth = thread->depth; depth > 0; depth--)
		put_pair(thread->frames[depth].site);
	for (uint32_t depth = thread->depth; depth > 0; depth--)
		if (thread->frames[depth].has_value)
			put_value(thread, depth, WIRE_VALUE_IS_AGAIN);
}

static void enter(struct test_thread *thread, uint32_t function, int is_tail)
{
	struct test_frame *frame = &thread->frames[++thread->depth];
	const uint32_t index = function - FIRST + 0x1000;

	*frame = (struct test_frame){ .function = function,
				      .site = 0x550000000000 + draw(3) };
	frame->path = path_of(frame[-1].path, frame);
	if (is_tail)
		trace_file_tail(&file, thread->depth, index);
	else
		trace_file_call(&file, thread->depth, index);
	trace_file_word(&file, wire_packet_odd(WIRE_PACKET_SITE,
					       WIRE_PACKET_SITE_WORDS));
	put_pair(frame->site);
}

/*
 * Gives the newest call a value. Before that, sometimes calls a function or
 * begins a context, as a signal handler may.
 */
static void give_value(struct test_thread *thread)
{
	struct test_frame *frame = &thread->frames[thread->depth];

	if (thread->depth < DEPTH_MAX && draw(8) == 0) {
		enter(thread, FIRST + VALUED, 0);
		++*idmap_at(&known, thread->frames[thread->depth].path);
		thread->depth--;
	}
	if (draw(30) == 0)
		put_context(thread);
	frame->has_value = 1;
	frame->value = draw(4);
	frame->path = path_of(frame[-1].path, frame);
	put_value(thread, thread->depth, 0);
}

static void put_call(struct test_thread *thread)
{
	const uint32_t function = FIRST + draw(FUNCTIONS);
	const uint32_t returned = draw(20) ? draw(3) : draw(thread->depth + 1);
	const int is_tail = draw(10) == 0;

	thread->depth -= returned < thread->depth ? returned : thread->depth;
	if (thread->depth == DEPTH_MAX)
		thread->depth--;
	enter(thread, function, is_tail);
	if (function < FIRST + VALUED)
		give_value(thread);
	++*idmap_at(&known, thread->frames[thread->depth].path);
}

static int make_trace(void **unused)
{
	(void)unused;
	trace_file_init(&file, 1, 0, FIRST - 0x1000);
	for (uint32_t i = 0; i < PACKETS; i++) {
		trace_file_packet(&file, i % TALLIES);
		put_context(&threads[i % TALLIES]);
		while (file.words < WORDS_MAX - WORDS_AT_END)
			put_call(&threads[i % TALLIES]);
	}
	return 0;
}

static int drop_trace(void **unused)
{
	(void)unused;
	trace_file_fini(&file);
	idmap_fini(&known);
	return 0;
}

/* ---- Counting ---- */

struct test_worker {
	const struct trace *trace;
	struct labelled_counter counter;
};

static void take(void *context, struct packet_cursor *cursor, size_t packet)
{
	struct test_worker *worker = context;

	labelled_counter_take(&worker->counter, cursor,
			      worker->trace->packets[packet].tally);
}

static void add_nodes(const struct labelled_counter *counter,
		      struct idmap *found)
{
	const struct call_tree *tree = &counter->tree;
	uint64_t *paths = memory_zeroed(tree->count + 1, sizeof(*paths));

	for (size_t i = 0; i < tree->count; i++) {
		const struct call_node *node = &tree->nodes[i];
		struct test_frame frame = { .site = node->key.site,
					    .function = node->key.function };
		struct label_value value;
		size_t at = 0;

		if (node->key.parent == CALL_NODE_NONE)
			continue;
		frame.has_value = value_sets_next(
			&counter->values, node->key.values, &at, &value);
		if (frame.has_value)
			frame.value = value.number;
		paths[i] = path_of(paths[node->key.parent], &frame);
		if (node->calls)
			*idmap_at(found, paths[i]) += node->calls;
	}
	free(paths);
}

static void check(const struct trace *trace, unsigned int count,
		  const size_t *order)
{
	static char name[] = "value";
	struct label_fields fields = { .count = 1 };
	const struct label_wish wish = { .has_sites = 1 };
	struct packet_pool pool = { .trace = trace,
				    .order = order,
				    .take = take };
	struct test_worker workers[8] = { { 0 } };
	struct idmap found = { 0 };
	size_t used = 0;

	fields.names[0][1] = name;
	fields.formats[0][1] = WIRE_FIELD_DECIMAL;
	for (unsigned int i = 0; i < count; i++) {
		workers[i].trace = trace;
		workers[i].counter.wish = &wish;
		workers[i].counter.fields = &fields;
	}
	packet_pool_run(&pool, workers, sizeof(*workers), count);
	for (unsigned int i = 0; i < count; i++) {
		add_nodes(&workers[i].counter, &found);
		labelled_counter_fini(&workers[i].counter);
	}
	for (size_t i = 0; found.used && i < (size_t)1 << found.log2; i++)
		used += found.entries[i].id && found.entries[i].value;
	assert_int_equal(used, known.used);
	for (size_t i = 0; i < (size_t)1 << known.log2; i++) {
		const struct idmap_entry *entry = &known.entries[i];
		const uint64_t *calls;

		if (!entry->id)
			continue;
		calls = idmap_find(&found, entry->id);
		assert_true(calls && *calls == entry->value);
	}
	idmap_fini(&found);
}

static void open_it(struct trace *trace)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	char path[32], *why;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	trace_file_save(&file, path);
	assert_int_equal(trace_open(trace, path, &why), 0);
	close(fd);
}

static void any_number_of_workers_finds_the_same(void **unused)
{
	struct trace trace;

	(void)unused;
	open_it(&trace);
	assert_int_equal(trace.count, PACKETS);
	for (unsigned int count = 1; count <= 8; count *= 2)
		check(&trace, count, NULL);
	trace_close(&trace);
}

static void packets_may_arrive_in_any_order(void **unused)
{
	size_t order[PACKETS];
	struct trace trace;

	(void)unused;
	open_it(&trace);
	for (size_t i = 0; i < PACKETS; i++)
		order[i] = i;
	for (unsigned int round = 0; round < 8; round++) {
		shuffle(order, PACKETS);
		check(&trace, 1u << round % 4, order);
	}
	trace_close(&trace);
}

/* ---- Sets ---- */

static uint32_t with(struct value_sets *sets, uint32_t set, uint8_t field,
		     const char *string)
{
	return value_sets_with(sets, set,
			       &(struct label_value){
				       .field = field,
				       .string = string,
				       .string_bytes = (uint32_t)strlen(string),
			       });
}

static void equal_sets_have_one_number(void **unused)
{
	struct value_sets sets = { 0 };
	const uint32_t one = with(&sets, 0, 1, "one");
	const uint32_t both = with(&sets, one, 2, "two");
	struct label_value value;
	size_t at = 0;

	(void)unused;
	assert_int_not_equal(one, 0);
	assert_int_not_equal(both, one);
	assert_int_equal(with(&sets, 0, 1, "one"), one);
	assert_int_equal(with(&sets, with(&sets, 0, 2, "two"), 1, "one"), both);
	assert_int_equal(with(&sets, both, 1, "one"), both);
	assert_int_not_equal(with(&sets, both, 1, "three"), both);
	assert_int_equal(with(&sets, with(&sets, both, 1, ""), 1, "one"), both);
	assert_true(value_sets_next(&sets, both, &at, &value));
	assert_int_equal(value.field, 1);
	assert_memory_equal(value.string, "one", 3);
	assert_true(value_sets_next(&sets, both, &at, &value));
	assert_int_equal(value.field, 2);
	assert_false(value_sets_next(&sets, both, &at, &value));
	value_sets_fini(&sets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_number_of_workers_finds_the_same),
		cmocka_unit_test(packets_may_arrive_in_any_order),
		cmocka_unit_test(equal_sets_have_one_number),
	};

	return cmocka_run_group_tests(tests, make_trace, drop_trace);
}
