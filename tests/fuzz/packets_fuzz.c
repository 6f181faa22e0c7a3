/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is the words of a packet. The fuzzer reads its
 * calls by sites and values, as a trace, and as the counts that workers make of
 * it.
 */
#include <stdlib.h>
#include <string.h>

#include "report/merge/labelled_counter.h"
#include "report/recording/taken_reader.h"
#include "report/trace/thread_calls.h"
#include "tests/fuzz/space_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Checks the guarantees of each event; the sum keeps the compiler from dropping
 * the reads.
 */
static uint64_t look_at(const struct packet_cursor *cursor,
			enum packet_event event)
{
	uint64_t sum = cursor->tsc;

	if (event == PACKET_CALL && cursor->depth == 0)
		abort();
	if (event == PACKET_CALL)
		return sum + cursor->function + packet_site(cursor);
	if (event == PACKET_VALUE) {
		if (cursor->value.depth == 0 ||
		    cursor->value.depth > cursor->depth)
			abort();
		for (uint32_t i = 0; i < cursor->value.string_bytes; i++)
			sum += (uint8_t)cursor->value.string[i];
	}
	if (event != PACKET_CONTEXT)
		return sum;
	for (uint32_t i = 0; i < cursor->context.count; i++)
		sum += cursor->context.functions[i];
	for (uint32_t i = 0;
	     cursor->context.sites && i < 2 * cursor->context.count; i++)
		sum += cursor->context.sites[i];
	return sum;
}

static void read_words(const uint32_t *words, size_t count,
		       const struct packet_blocks *blocks)
{
	struct packet_cursor cursor;
	enum packet_event event;
	uint64_t events = 0;
	volatile uint64_t sum = 0;

	packet_begin(&cursor, words, count, blocks);
	while ((event = packet_next(&cursor)) != PACKET_END) {
		sum = sum + look_at(&cursor, event);
		if (++events > count)
			abort();
	}
}

/* Checks that no call is lost or invented, with any sites and values. */
static void count_calls(const uint32_t *words, size_t count,
			const struct packet_blocks *blocks)
{
	static char name[] = "value";
	static const struct label_wish wish = { .has_sites = 1 };
	static struct label_fields fields = { .names = { { name, name } },
					      .formats = { { 'd', 's' } } };
	struct labelled_counter counter = { .wish = &wish, .fields = &fields };
	struct packet_cursor cursor;
	uint64_t calls = 0;

	packet_begin(&cursor, words, count, blocks);
	labelled_counter_take(&counter, &cursor, 0);
	for (size_t i = 0; i < counter.tree.count; i++)
		calls += counter.tree.nodes[i].calls;
	packet_begin(&cursor, words, count, blocks);
	for (enum packet_event event; (event = packet_next(&cursor));)
		calls -= event == PACKET_CALL;
	if (calls)
		abort();
	labelled_counter_fini(&counter);
}

/* Checks that begins and ends are balanced, and that times never decrease. */
static void read_calls(struct thread_calls *calls)
{
	struct call_event event;
	uint32_t depth = 0;

	while (thread_calls_next(calls, &event)) {
		const struct traced_call *call = &event.call;

		if (event.kind == CALL_BEGIN && event.depth != ++depth)
			abort();
		if (event.kind != CALL_END)
			continue;
		if (event.depth != depth-- || event.tsc < call->seen_tsc ||
		    call->inner_tsc < call->seen_tsc)
			abort();
	}
	if (depth)
		abort();
	thread_calls_fini(calls);
}

static void read_threads(const struct trace *trace)
{
	struct thread_calls calls;
	size_t stop;

	for (size_t at = 0; at < trace->count; at = stop) {
		const uint64_t tsc = trace->packets[at].tsc;

		stop = trace_tally_stop(trace, at);
		thread_calls_init(&calls, trace, at, stop);
		read_calls(&calls);
		thread_calls_init(&calls, trace, at, stop);
		thread_calls_window(&calls, tsc + 1, tsc + 1000);
		read_calls(&calls);
		thread_calls_init(&calls, trace, at, stop);
		thread_calls_seek(&calls, stop - 1);
		read_calls(&calls);
	}
}

static void read_file(const char *path)
{
	static uint32_t words[PACKET_WORDS_MAX];
	struct trace trace;
	char *why = NULL;

	if (trace_open(&trace, path, &why)) {
		free(why);
		return;
	}
	for (size_t i = 0; i < trace.count; i++)
		read_words(
			words,
			trace_read(&trace, trace.fd, &trace.packets[i], words),
			trace.blocks);
	read_threads(&trace);
	trace_close(&trace);
}

static void read_taken(const char *path)
{
	struct taken taken;
	volatile uint64_t sum = 0;
	char *why = NULL;

	if (taken_open(&taken, path, &why)) {
		free(why);
		return;
	}
	for (size_t i = 0; i < taken.packet_count; i++)
		sum = sum + (uint64_t)taken_has(&taken, taken.packets[i].offset,
						taken.packets[i].sequence);
	for (size_t i = 0; i < taken.count_count; i++)
		sum = sum + taken.counts[i].calls;
	taken_close(&taken);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct packet_blocks blocks = { .count = 2,
					      .blocks = { 29, 13 } };
	struct fuzz_file file = fuzz_file_open(data, size);
	uint32_t *words = malloc(size + 4);

	if (!words)
		abort();
	memcpy(words, data, size);
	read_words(words, size / 4, &blocks);
	count_calls(words, size / 4, &blocks);
	free(words);
	read_file(file.path);
	read_taken(file.path);
	close(file.fd);
	return 0;
}
