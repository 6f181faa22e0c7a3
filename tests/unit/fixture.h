/* SPDX-License-Identifier: MIT */
/*
 * Handmade recordings with the bytes that the runtime would write. Tests of the
 * reader thus depend on the format and not on the runtime.
 */
#ifndef CLEW_TESTS_FIXTURE_H
#define CLEW_TESTS_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "wire/recording.h"

enum { FIXTURE_TALLIES = 4, FIXTURE_MODULE_BASE = 0x10000000 };

struct fixture_tally {
	size_t head; /* offset of its wire_tally; 0: none */
	size_t contexts;
	size_t context_count, context_limit;
	size_t table;
	unsigned int log2;
};

struct fixture {
	uint8_t *bytes;
	size_t size, capacity;
	uint64_t samples;
	struct fixture_tally tallies[FIXTURE_TALLIES];
	struct idmap depths; /* depths of contexts by id */
};

/*
 * Starts an empty part of a running process. The caller may change its header.
 */
void fixture_init(struct fixture *fixture, uint32_t pid, uint32_t seq);
void fixture_fini(struct fixture *fixture);

struct wire_header *fixture_header(struct fixture *fixture);

/*
 * Adds a chunk with a zeroed payload of this size. Returns the chunk's offset.
 */
size_t fixture_chunk(struct fixture *fixture, uint32_t kind, uint32_t owner,
		     size_t payload_bytes);

/*
 * Adds a module without build-id whose functions first, first + 1, ... are
 * hooked, at vaddr 0x1000, 0x1010, ...
 */
struct wire_module *fixture_module(struct fixture *fixture, const char *path,
				   uint32_t first, uint32_t count);

/*
 * Adds a range of numbers that belong to no module, or a record about one of
 * its numbers (WIRE_NUMBER_RECORDS).
 */
void fixture_range(struct fixture *fixture, enum wire_range_kind kind,
		   uint32_t first, uint32_t count);
void fixture_name(struct fixture *fixture, uint32_t number, const char *name,
		  size_t bytes);
void fixture_method(struct fixture *fixture, uint32_t number, uint32_t left,
		    const char *class_name, const char *name,
		    const char *signature);

/*
 * Adds a stack of Java methods with the number `number`: `count` methods and
 * the bytecodes that they had reached. If `calls` is NULL, the bytecodes are
 * WIRE_BYTECODE_NONE.
 */
void fixture_stack(struct fixture *fixture, uint32_t number,
		   const uint32_t *numbers, const uint16_t *calls,
		   uint32_t count);
void fixture_source(struct fixture *fixture, uint32_t number, const char *path,
		    const struct wire_line *lines, uint32_t count);
void fixture_caller(struct fixture *fixture, uint32_t number, uint64_t pc,
		    uint64_t tsc);

/* Adds a chunk with these bytes, which may be malformed. */
void fixture_raw(struct fixture *fixture, enum wire_chunk_kind kind,
		 const void *bytes, size_t count);

/* Adds a chunk of values that an agent counted, with this payload. */
void fixture_values(struct fixture *fixture, const void *payload, size_t bytes);
#define FIXTURE_NAME(fixture, number, literal)                                 \
	fixture_name(fixture, number, literal, sizeof(literal) - 1)

/* Adds the binding of a native method of "La/B;" whose code is at pc. */
void fixture_binding(struct fixture *fixture, uint64_t pc, const char *name);
void fixture_thread(struct fixture *fixture, uint32_t tid, const char *name,
		    uint32_t tally);

/* Adds a tally with room for these numbers of contexts and counts. */
struct wire_tally *fixture_tally(struct fixture *fixture, uint32_t number,
				 size_t contexts, unsigned int table_log2);

/* Records a context below `caller` with its number of calls. Returns its id. */
uint64_t fixture_context(struct fixture *fixture, uint32_t tally,
			 uint64_t caller, uint32_t function, uint64_t calls);

/* Returns the record of the context that was added last. */
struct wire_context *fixture_last_context(struct fixture *fixture,
					  uint32_t tally);

/* Adds tail calls to the context that was added last. */
void fixture_tail_calls(struct fixture *fixture, uint32_t tally,
			uint64_t calls);

/* Adds to the count of an id. */
void fixture_count(struct fixture *fixture, uint32_t tally, uint64_t id,
		   uint64_t calls);

/*
 * Adds a sample of the tally's thread at a pc. The samples have the tsc 1, 2,
 * ...
 */
void fixture_sample(struct fixture *fixture, uint32_t tally, uint64_t id,
		    uint64_t where, uint64_t weight_ns);

/*
 * Adds code that a runtime reported (WIRE_CODE_OTHER), or its removal if the
 * name is NULL.
 */
void fixture_code(struct fixture *fixture, uint64_t start, uint32_t bytes,
		  uint64_t tsc, const char *name);

/* Adds the code of the method A.NAME(). */
void fixture_java_code(struct fixture *fixture, uint64_t start, uint64_t tsc,
		       const char *name);

/*
 * Adds line information of code: one method's number and the encoded bytes
 * after it.
 */
void fixture_code_lines(struct fixture *fixture, uint64_t start, uint64_t tsc,
			uint32_t method, const void *bytes, size_t count);

/*
 * Adds the record that code at pc (0: unknown) made [start, end) executable.
 * The range ends at gone_tsc.
 */
void fixture_maker(struct fixture *fixture, uint64_t start, uint64_t end,
		   uint64_t pc, uint64_t tsc, uint64_t gone_tsc,
		   const char *name);

/*
 * Records that the memory which became executable then has the code of a module
 * at pc.
 */
void fixture_mapped_code(struct fixture *fixture, uint64_t start, uint64_t tsc,
			 uint64_t pc);

/* Adds an object's registration, or its removal if the name is NULL. */
void fixture_registered(struct fixture *fixture, uint64_t start,
			uint32_t object, uint64_t tsc, const char *name);

/*
 * Returns the pc of the first byte of a function of fixture_module(..., 1,
 * ...).
 */
uint64_t fixture_pc(uint32_t function);

/*
 * fixture_timed_table() gives the tally a new, empty table with times, which
 * the header must announce. fixture_times() adds the times of an id in that
 * table.
 */
void fixture_timed_table(struct fixture *fixture, uint32_t tally);
struct wire_times *fixture_times(struct fixture *fixture, uint32_t tally,
				 uint64_t id);

/* Adds a histogram with one call in a bin. */
void fixture_histogram(struct fixture *fixture, uint32_t tally,
		       uint32_t function, unsigned int bin);
void fixture_histogram_of_calls(struct fixture *fixture, uint32_t tally,
				uint32_t function, uint32_t caller,
				unsigned int bin);

/* Retires the tally's table and gives it a new, empty one. */
void fixture_retire(struct fixture *fixture, uint32_t tally);

/* Writes the first `bytes` of the part to a file. */
void fixture_save(const struct fixture *fixture, const char *path,
		  size_t bytes);

/* Creates a directory, which fixture_remove() removes with its files. */
char *fixture_directory(void);
void fixture_remove(char *directory);

/* Saves the whole part in a directory under its proper name. */
void fixture_save_part(struct fixture *fixture, const char *directory);

#endif
