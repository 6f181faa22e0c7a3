/* SPDX-License-Identifier: MIT */
/*
 * Reads profiles of other tools, and writes them as recordings.
 *
 * A profile becomes a tree of contexts for each process, with one number for
 * each column in each context. A function has only a name, and perhaps a module
 * and a kind. The input is untrusted, so all sizes have limits.
 */
#ifndef CLEW_IMPORT_IMPORT_H
#define CLEW_IMPORT_IMPORT_H

#include <stdio.h>

#include "base/hash_index.h"
#include "base/idmap.h"
#include "base/strings.h"
#include "wire/recording.h"

enum {
	IMPORT_LINE_MAX = 1 << 24, /* maximum length of a line in bytes */
	IMPORT_CONTEXTS_MAX = 1 << 25,
	/* maximum number of processes, each of which becomes a file */
	IMPORT_PROCESSES_MAX = 1 << 14,
	IMPORT_FRAMES_MAX = 1 << 16, /* maximum number of frames of a stack */
	/* maximum length of a name in bytes; longer names are cut */
	IMPORT_NAME_MAX = 4000,
};

struct import_function {
	uint32_t name, module; /* numbers of strings */
	enum wire_imported_kind kind;
};

struct import_context {
	uint32_t parent; /* 0 if there is none */
	uint32_t function;
	uint32_t depth;
	uint64_t calls;
};

struct import_column {
	uint64_t *items; /* the numbers, by context */
	size_t count;    /* number of items; further numbers are 0 */
	size_t capacity;
};

/*
 * The contexts of a process. contexts[0] is the root, which is no context
 * itself.
 */
struct import_process {
	uint32_t pid;
	char *name;
	struct import_context *contexts;
	size_t count, capacity;
	/* finds a context by its parent and function */
	struct hash_index children;
	struct import_column columns[WIRE_VALUES_MAX];
};

/* maximum number of other events of perf whose names are stored */
enum { IMPORT_EVENTS_LISTED = 5 };

struct import {
	enum wire_import_format format;
	uint32_t flags; /* enum wire_import_flags */
	struct strings strings;
	struct import_function *functions;
	size_t function_count, function_capacity;
	struct hash_index function_at;
	struct import_process *processes;
	size_t process_count, process_capacity;
	struct idmap process_at; /* maps 1 + a pid to 1 + the process's index */
	struct wire_value_kind columns[WIRE_VALUES_MAX];
	size_t column_count;
	size_t context_count; /* number of contexts of all processes */
	/* first and last time in the file; 0 if there is none */
	uint64_t first_ns, last_ns;
	/* number of records that the other tool reports as lost */
	uint64_t lost;
	/* of perf: the event whose samples are imported, or NULL */
	char *event;
	struct strings other_events;
	uint64_t other_samples; /* number of samples of other events */
};

void import_init(struct import *import);
void import_fini(struct import *import);

/* The numbers of a file. */
struct import_measure {
	/* for folded stacks: the name of the numbers; NULL for samples */
	const char *name;
	enum wire_unit unit;
	/* for perf: the event to import; NULL for the first one in the file */
	const char *event;
};

/*
 * Reads a profile. If `format` is WIRE_IMPORT_FORMAT_COUNT, the format is
 * determined from the comment "callgrind format", or from the first line that
 * is neither empty nor a comment. Returns 0; or -errno and *why without the
 * file's name, as "line N: ..." if the error is in a line.
 */
int import_read(struct import *import, FILE *in, enum wire_import_format format,
		const struct import_measure *measure, char **why);

/*
 * Writes a part for each process that has contexts into a directory. `file` is
 * the name of the input, and `time_ns` (CLOCK_REALTIME) the time of its end.
 * Returns 0, or -errno and *why.
 */
int import_save(const struct import *import, const char *directory,
		const char *file, uint64_t time_ns, char **why);

/* ---- For readers of formats ---- */

/*
 * Returns the process with this pid; creates it if needed. NULL: there are too
 * many processes.
 */
struct import_process *import_process_of(struct import *import, uint32_t pid,
					 const char *name);

/* Returns a function; creates it if needed. The texts need no NUL. */
uint32_t import_function_of(struct import *import, const char *name,
			    size_t name_bytes, const char *module,
			    size_t module_bytes, enum wire_imported_kind kind);

/*
 * Returns a column; creates it if needed. WIRE_VALUES_MAX if there are too
 * many, or the name is empty.
 */
size_t import_column_of(struct import *import, const char *name,
			size_t name_bytes, enum wire_unit unit);

/*
 * Returns the context of a function below another one (0: the root); creates it
 * if needed. Returns 0 if there are too many contexts.
 */
uint32_t import_child(struct import *import, struct import_process *process,
		      uint32_t parent, uint32_t function);

/* Adds to a sum, which stops at INT64_MAX. */
static inline void import_limited_add(uint64_t *sum, uint64_t number)
{
	if (__builtin_add_overflow(*sum, number, sum) || *sum > INT64_MAX)
		*sum = INT64_MAX;
}

/* Adds to an item of a column, as import_limited_add() does. */
void import_column_add(struct import_column *column, size_t index,
		       uint64_t number);

/* Adds to a column of a context. */
static inline void import_add(struct import_process *process, uint32_t context,
			      size_t column, uint64_t number)
{
	import_column_add(&process->columns[column], context, number);
}

#endif
