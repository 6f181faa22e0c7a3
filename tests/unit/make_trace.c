/* SPDX-License-Identifier: MIT */
/*
 * make_trace DIRECTORY < SCRIPT
 *
 * Writes a recording with a trace of calls, for the end-to-end tests. The
 * module /lib/synthetic has the functions 1 to 99 at vaddr 0x1000, 0x1010... A
 * tick is a nanosecond, and the process begins at tick 1,000,000. The script
 * has these lines:
 *
 *	thread TALLY TID		the following lines apply to it
 *	packet				the next context begins a packet
 *	skip N				N contexts are missing
 *	context CAUSE TSC FN...		0 first, 1 full, 2 moved; from outermost
 *	call DEPTH FN			1 is outermost
 *	tail DEPTH FN
 *	stamp TSC			beside the call before it
 *	return DEPTH TSC
 *	word NUMBER			any word, valid or not
 *	many N TSC TICKS		N calls, at depth 1 and 2 by turns,
 *					function 1 and 2, a stamp after each 64,
 *					in as many packets as needed
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/fixture.h"
#include "tests/unit/trace_file.h"

enum { PID = 4242, FUNCTIONS = 99, FIRST_TSC = 1000000, TALLIES = 4 };

#define START_NS UINT64_C(1700000000000000000)

struct maker {
	struct fixture fixture;
	struct trace_file file;
	uint32_t tid, tally;
	uint64_t sequence[TALLIES];
};

static void add_context(struct maker *maker, const char *words)
{
	uint32_t functions[64];
	struct trace_file_context context = {
		.tid = maker->tid,
		.sequence = ++maker->sequence[maker->tally],
		.functions = functions,
	};
	char *end;

	context.cause = (enum wire_packet_cause)strtoul(words, &end, 10);
	context.tsc = strtoull(end, &end, 10);
	for (;;) {
		char *next;
		const unsigned long function = strtoul(end, &next, 10);

		if (next == end)
			break;
		functions[context.count++] = (uint32_t)function;
		end = next;
	}
	trace_file_context(&maker->file, &context);
}

static void add_many(struct maker *maker, uint64_t calls, uint64_t tsc,
		     uint64_t ticks)
{
	enum { CALLS = 12000 }; /* of one packet */

	for (uint64_t i = 0; i < calls; i++) {
		char words[64];

		if (i % CALLS == 0) {
			trace_file_packet(&maker->file, maker->tally);
			snprintf(words, sizeof(words), "%d %" PRIu64 " %s",
				 i ? WIRE_PACKET_FULL : WIRE_PACKET_FIRST,
				 tsc + i * ticks, "");
			add_context(maker, words);
		}
		trace_file_call(&maker->file, 1 + i % 2, (uint32_t)(1 + i % 2));
		if (i % 64 == 63)
			trace_file_stamp(&maker->file, tsc + i * ticks);
	}
}

static void take_line(struct maker *maker, const char *line)
{
	uint64_t a = 0, b = 0, c = 0;
	char word[16] = "";
	int at = 0;

	if (sscanf(line, "%15s%n", word, &at) < 1)
		return;
	sscanf(line + at, "%" SCNu64 "%" SCNu64 "%" SCNu64, &a, &b, &c);
	if (strcmp(word, "thread") == 0) {
		maker->tally = (uint32_t)a % TALLIES;
		maker->tid = (uint32_t)b;
	} else if (strcmp(word, "packet") == 0) {
		trace_file_packet(&maker->file, maker->tally);
	} else if (strcmp(word, "skip") == 0) {
		maker->sequence[maker->tally] += a;
	} else if (strcmp(word, "context") == 0) {
		add_context(maker, line + at);
	} else if (strcmp(word, "call") == 0) {
		trace_file_call(&maker->file, (uint32_t)a, (uint32_t)b);
	} else if (strcmp(word, "tail") == 0) {
		trace_file_tail(&maker->file, (uint32_t)a, (uint32_t)b);
	} else if (strcmp(word, "stamp") == 0) {
		trace_file_stamp(&maker->file, a);
	} else if (strcmp(word, "return") == 0) {
		trace_file_return(&maker->file, (uint32_t)a, b);
	} else if (strcmp(word, "word") == 0) {
		trace_file_word(&maker->file, (uint32_t)a);
	} else if (strcmp(word, "many") == 0) {
		add_many(maker, a, b, c);
	} else {
		fprintf(stderr, "make_trace: %s\n", line);
		exit(EXIT_FAILURE);
	}
}

static void begin(struct maker *maker)
{
	struct wire_header *header;

	fixture_init(&maker->fixture, PID, 0);
	fixture_module(&maker->fixture, "/lib/synthetic", 1, FUNCTIONS);
	fixture_thread(&maker->fixture, PID, "main", 0);
	fixture_thread(&maker->fixture, PID + 1, "worker", 1);
	header = fixture_header(&maker->fixture);
	header->start_ns = START_NS;
	header->first = (struct wire_moment){ .tsc = FIRST_TSC, .ns = 1 };
	header->latest = (struct wire_moment){
		.tsc = FIRST_TSC + UINT64_C(100000000000),
		.ns = 1 + UINT64_C(100000000000),
	};
	trace_file_init(&maker->file, PID, 0, 0);
}

int main(int argc, char **argv)
{
	struct maker maker = { .tid = PID };
	char line[256], path[4096];

	if (argc != 2 || mkdir(argv[1], 0700) != 0) {
		fprintf(stderr, "make_trace DIRECTORY < SCRIPT\n");
		return EXIT_FAILURE;
	}
	begin(&maker);
	while (fgets(line, sizeof(line), stdin))
		take_line(&maker, line);
	fixture_save_part(&maker.fixture, argv[1]);
	snprintf(path, sizeof(path), "%s/%d.0.trace", argv[1], PID);
	trace_file_save(&maker.file, path);
	trace_file_fini(&maker.file);
	fixture_fini(&maker.fixture);
	return EXIT_SUCCESS;
}
