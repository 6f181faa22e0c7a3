/* SPDX-License-Identifier: MIT */
/*
 * The tables that all threads of a Firefox profile share: stacks, frames,
 * functions, native symbols, libraries, source files and strings.
 *
 * Each row is stored once, and is written after the threads, which contain only
 * numbers of stacks and strings. Memory grows with the number of contexts and
 * not with that of samples or calls.
 *
 * A stack is a frame and the stack of its caller. The frame of a caller is at
 * its call site. A context is therefore the stack of its callers
 * (firefox_callers()), to which a frame of its own function is added for each
 * address that was sampled.
 */
#ifndef CLEW_EXPORT_FIREFOX_TABLES_H
#define CLEW_EXPORT_FIREFOX_TABLES_H

#include "base/hash_index.h"
#include "base/strings.h"
#include "report/export/export.h"
#include "report/write/json.h"

#define FIREFOX_NONE UINT32_MAX /* no stack; in other columns null */

/* Indices in the profile's list of categories. */
enum firefox_category {
	FIREFOX_OTHER, /* "grey": the default category of the format */
	FIREFOX_IDLE,  /* the front end knows this name */
	FIREFOX_PROGRAM,
	FIREFOX_SYSTEM,
	FIREFOX_KERNEL,
	FIREFOX_JAVA,
	FIREFOX_JNI,
	FIREFOX_GENERATED,
	FIREFOX_CLEW,
	FIREFOX_CATEGORY_COUNT
};

struct firefox_function {
	uint32_t name;     /* number of the name in the strings */
	uint32_t resource; /* number of the library, or FIREFOX_NONE */
	uint32_t source;   /* or FIREFOX_NONE */
	uint32_t line;     /* 0: unknown */
};

struct firefox_frame {
	/* address in the library, or UINT64_MAX if there is none */
	uint64_t address;
	uint32_t library; /* or FIREFOX_NONE */
	uint32_t function;
	uint32_t symbol; /* or FIREFOX_NONE */
	uint32_t line;   /* 0: unknown */
	uint8_t inline_depth;
	uint8_t category;
};

struct firefox_stack {
	uint32_t frame;
	uint32_t prefix; /* or FIREFOX_NONE */
};

struct firefox_symbol {
	uint64_t address;
	uint32_t library, name, bytes;
};

/*
 * Frames at one location: an outermost function, and functions inlined there.
 */
struct firefox_place {
	uint32_t first_frame, count;
};

struct firefox_tables {
	struct export *export;
	struct catalog *catalog;
	struct strings strings;
	struct strings sources; /* paths of source files */
	struct firefox_function *functions;
	size_t function_count, function_capacity;
	struct firefox_frame *frames;
	size_t frame_count, frame_capacity;
	struct firefox_stack *stacks;
	size_t stack_count, stack_capacity;
	struct firefox_symbol *symbols;
	size_t symbol_count, symbol_capacity;
	struct firefox_place *places;
	size_t place_count, place_capacity;
	uint32_t *libraries; /* the index of each library's module */
	size_t library_count, library_capacity;
	struct hash_index function_at, stack_at;
	/*
	 * two maps, the second for sites that are return addresses, with the
	 * key function << 32 | site
	 */
	struct idmap place_at[2];
	/* with the key 1 + index of the function in the catalog */
	struct idmap symbol_at;
	struct idmap library_at; /* with the key 1 + index of the module */
};

void firefox_tables_init(struct firefox_tables *tables, struct export *export);
void firefox_tables_fini(struct firefox_tables *tables);

/*
 * Returns the stack of the callers of a function that `function` calls at this
 * site, given the stack of the callers of `function`. Site 0: unknown.
 */
uint32_t firefox_callers(struct firefox_tables *tables, uint32_t callers,
			 uint32_t function, uint32_t site, int is_return);

/* Returns the stack of a function that executes code at this site. */
static inline uint32_t firefox_stack_at(struct firefox_tables *tables,
					uint32_t callers, uint32_t function,
					uint32_t site)
{
	return firefox_callers(tables, callers, function, site, 0);
}

/* Returns the number of a string. */
uint32_t firefox_string(struct firefox_tables *tables, const char *text);

/* Write the members "libs" and "shared" of the profile. */
void firefox_write_libraries(const struct firefox_tables *tables,
			     struct json_stream *profile);
void firefox_write_shared(struct firefox_tables *tables,
			  struct json_stream *profile);

#endif
