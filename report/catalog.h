/* SPDX-License-Identifier: MIT */
/*
 * The modules and functions of a whole recording, each once.
 *
 * Every process numbers its functions for itself. Here a function is known by
 * what it is, its module and vaddr, and a module by its build-id or, if it has
 * none, its path; so processes that run the same code share entries, and
 * their calls add up. Names are looked up when they are first asked for: most
 * functions are never printed.
 */
#ifndef CLEW_REPORT_CATALOG_H
#define CLEW_REPORT_CATALOG_H

#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "report/part.h"
#include "symbolizer/a2n.h"

/* Functions that no module has. Real ones start at FUNCTION_FIRST. */
enum {
	FUNCTION_NONE,           /* the root of a tree */
	FUNCTION_UNKNOWN,        /* its number is in no module */
	FUNCTION_UNKNOWN_CALLER, /* a context whose caller was not recorded */
	FUNCTION_FOLDED,         /* calls beyond the limit of contexts */
	FUNCTION_FIRST,
};

enum { CATALOG_FRAMES = 64 }; /* more are never inlined at one place */

struct catalog_function {
	uint64_t vaddr;
	char *name;      /* NULL until asked for */
	uint32_t module; /* index; meaningless below FUNCTION_FIRST */
	uint8_t verdict; /* enum verdict */
};

struct catalog_module {
	char *path;
	const char *name; /* the path's last part, safe to print */
	char *printable_path;
	struct a2n_build_id build_id;
	uint32_t state;          /* enum module_state */
	uint32_t first_function; /* index; no function of it is before it */
	uint32_t function_count; /* mostly one behind the other */
	const struct a2n_module *a2n; /* NULL until asked for, and if none */
	int was_tried;
};

struct catalog {
	struct a2n *a2n; /* NULL until asked for */
	struct catalog_module *modules;
	size_t module_count, module_capacity;
	struct catalog_function *functions;
	size_t function_count, function_capacity;
	struct idmap by_vaddr; /* (module + 1) << 48 | vaddr -> function */
	struct idmap by_hash;  /* of a module's identity -> module + 1 */
};

/* What one process calls its functions: runs of consecutive numbers. */
struct numbering_run {
	uint32_t first;
	uint32_t count;
	uint32_t *functions; /* indices in the catalog */
};

struct numbering {
	struct numbering_run *runs; /* in order of `first` */
	size_t count, capacity;
};

/* A module as it was recorded. */
struct module_record {
	const struct wire_module *module;
	const char *path; /* not terminated */
	const struct wire_function *functions;
	uint32_t path_bytes;
	uint32_t function_count; /* that are there */
};

/* Whether a chunk is a whole enough WIRE_MODULE; *out is set only if so. */
int module_record_of(const struct part_chunk *chunk, struct module_record *out);

void catalog_init(struct catalog *catalog);
void catalog_fini(struct catalog *catalog);

/* Enters a module. *numbering may be extended by what its functions become. */
void catalog_add_module(struct catalog *catalog,
			const struct module_record *record,
			struct numbering *numbering);

/* Enters all modules of a part. *numbering is set; numbering_fini() it. */
void catalog_add_part(struct catalog *catalog, const struct part *part,
		      struct numbering *numbering);

/* The catalog's index of a function number of that part. */
uint32_t numbering_function(const struct numbering *numbering, uint32_t number);
void numbering_fini(struct numbering *numbering);

/* Safe to print; belongs to the catalog. */
const char *catalog_name(struct catalog *catalog, uint32_t function);

/*
 * What is at a function's first byte: see a2n_module_lookup(). The function is
 * the last frame, with the file and line of its first statement.
 */
size_t catalog_frames(struct catalog *catalog, uint32_t function,
		      struct a2n_frame *frames, size_t room);

/*
 * Whether debug information says where a function is written: then its file
 * and the line of its first instruction, safe to print, of the catalog.
 */
int catalog_place(struct catalog *catalog, uint32_t function, const char **file,
		  uint32_t *line);

/* The module's name, or "" for functions that have none. */
const char *catalog_module_name(const struct catalog *catalog,
				uint32_t function);

#endif
