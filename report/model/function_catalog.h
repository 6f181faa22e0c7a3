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
#ifndef CLEW_MODEL_FUNCTION_CATALOG_H
#define CLEW_MODEL_FUNCTION_CATALOG_H

#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/progress.h"
#include "base/strings.h"
#include "report/recording/part_reader.h"
#include "symbolizer/a2n.h"
#include "wire/verdict.h"

/* Functions that no module has. Real ones start at FUNCTION_FIRST. */
enum {
	FUNCTION_NONE,           /* the root of a tree */
	FUNCTION_UNKNOWN,        /* its number is in no module */
	FUNCTION_UNKNOWN_CALLER, /* a context whose caller was not recorded */
	FUNCTION_FOLDED,         /* calls without room for their contexts */
	FUNCTION_KERNEL,         /* time in a system call */
	FUNCTION_BLOCKED,        /* time in which the thread did not run;
				    others are named by what for (waits.h) */
	FUNCTION_CLEW,           /* time in our own code */
	FUNCTION_GENERATED,      /* time in code of no module */
	FUNCTION_FIRST,
};

/* What the functions of JNI's table are called: as methods of C++'s JNIEnv. */
#define JNI_ENV_PREFIX "JNIEnv::"

/* What kind of thing a function of the catalog is. */
enum function_kind {
	KIND_NOTE,   /* says something of its caller: unknown, folded */
	KIND_NATIVE, /* code of a module, hooked or not */
	KIND_JNI,    /* the same, called from Java */
	KIND_JAVA,
	KIND_INLINED, /* has a name only */
	KIND_GENERATED,
	KIND_KERNEL,
	KIND_CLEW,
	KIND_GROUP,   /* a process or thread, above all it called */
	KIND_BLOCKED, /* what a thread waits for */
	KIND_COUNT
};

#define CATALOG_NO_MODULE UINT32_MAX

enum { CATALOG_FRAMES = 64 }; /* more are never inlined at one place */

struct catalog_function {
	uint64_t vaddr;
	char *name;           /* NULL until asked for */
	uint32_t module;      /* index, or CATALOG_NO_MODULE */
	uint8_t verdict;      /* enum verdict */
	uint8_t kind;         /* enum function_kind; see catalog_kind() */
	uint8_t is_named;     /* its name is all there is: no vaddr */
	uint8_t is_extra;     /* found by its address only, not as recorded */
	uint8_t is_intrinsic; /* a native that its machine may not call */
	uint8_t tells_calls;  /* a Java method, each call of which counts */
	uint8_t stands_by;    /* it does so while clew attach is there */
	uint8_t java_left;    /* enum wire_java_left: why it does not; 0 */
	uint8_t loops;   /* hooked, and jumps to its own start: wire_loops() */
	uint8_t is_leaf; /* it never calls any: wire_is_leaf() */
	uint32_t bare_bytes; /* of code, if it is VERDICT_IS_BARE */
	/* As its runtime told: see told_lines.h. 0: it did not. */
	uint32_t file, line; /* where it begins; 1 + number in `files` */
	uint32_t whole; /* that it is one line of, for those that call there */
	uint32_t label; /* 1 + number in `labels`; 0: none (call_labels.h) */
	struct left_out *left_out; /* or NULL: its calls are all there */
};

/* Of a function that was not counted for some of the time, to keep a budget. */
struct left_out {
	uint64_t times;
	/* For how long, and how long the processes were there that did so. */
	uint64_t out_ns, present_ns;
	uint64_t first_ns; /* when, since the start of such a process */
	uint64_t missed;   /* calls, estimated */
	char *marked_name; /* NULL until asked for */
};

/* For what share of the time it was counted. */
static inline double left_out_counted(const struct left_out *left)
{
	return left->present_ns > left->out_ns
		       ? 1 - (double)left->out_ns / (double)left->present_ns
		       : 0;
}

/* Whether a recording lists it as one of a module's functions. */
static inline int catalog_is_recorded(const struct catalog_function *function)
{
	return function->module != CATALOG_NO_MODULE && !function->is_named &&
	       !function->is_extra;
}

/*
 * Whether calls that a function makes of itself by jumps are missing in its
 * counts: it cannot be told from a loop to its own start, of which it has one.
 */
static inline int catalog_loops(const struct catalog_function *function)
{
	return function->loops &&
	       verdict_class(function->verdict) == VERDICT_HOOKED;
}

/* An address in a module: of a call, or of a sample; or as told_lines.h has it. */
struct catalog_site {
	uint64_t vaddr;
	uint32_t module;
	uint32_t
		told_count; /* frames in `told`, from vaddr on; module is none */
};

/* What a runtime says is at one of its sites. */
struct told_frame {
	uint32_t function;
	uint32_t file; /* 1 + number in `files`; 0: unknown */
	uint32_t line; /* 0: unknown */
};

struct catalog_module {
	char *path;
	const char *name; /* the path's last part, safe to print */
	char *printable_path;
	struct a2n_build_id build_id;
	uint32_t state;          /* enum module_state */
	uint32_t first_function; /* index; no function of it is before it */
	uint32_t function_count; /* without extra ones; mostly in a row */
	const struct a2n_module *a2n; /* NULL until asked for, and if none */
	int was_tried;
	int is_maker; /* of memory that is executable: it generates code */
};

struct call_label;

struct catalog {
	struct a2n *a2n;           /* NULL until asked for */
	struct progress *progress; /* told when modules are read, or NULL */
	struct catalog_module *modules;
	size_t module_count, module_capacity;
	struct catalog_function *functions;
	size_t function_count, function_capacity;
	struct idmap by_vaddr; /* (module + 1) << 48 | vaddr -> function */
	struct idmap by_hash;  /* of a module's identity -> module + 1 */
	struct idmap by_name;  /* hash of a named function -> function */
	struct idmap
		merged; /* function -> its name with others, or 1: it has none */
	struct catalog_site *sites; /* sites[0] is none */
	size_t site_count, site_capacity;
	struct idmap sites_at; /* (module + 1) << 48 | vaddr -> site */
	struct told_frame *told;
	size_t told_count, told_capacity;
	struct idmap told_sites; /* hash of their frames -> site */
	struct strings files;
	struct call_label *labels;
	size_t label_count, label_capacity;
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

/* What was left out is not known any more: it is about to be said again. */
void catalog_forget_left_out(struct catalog *catalog);

/*
 * Enters a module and returns its index, or CATALOG_NO_MODULE when there are
 * too many. *functions are the indices of its functions; free() them.
 */
uint32_t catalog_add_module(struct catalog *catalog,
			    const struct module_record *record,
			    uint32_t **functions);

/* The function that begins at a vaddr, entered if need be. */
uint32_t catalog_function_at(struct catalog *catalog, uint32_t module,
			     uint64_t vaddr);

/*
 * The function of which a vaddr of a module is a part, as symbols have it:
 * for code that was not recorded as any function's.
 */
uint32_t catalog_function_around(struct catalog *catalog, uint32_t module,
				 uint64_t vaddr);

/* Something that has a name only; module may be CATALOG_NO_MODULE. */
uint32_t catalog_named(struct catalog *catalog, enum function_kind kind,
		       uint32_t module, const char *name);

/*
 * A function that is the code of a native method of that name. If it is that of
 * others, too, its name has theirs behind it, of a few.
 */
void catalog_call_native(struct catalog *catalog, uint32_t function,
			 const char *name);

/* The site's index, never 0 but for vaddrs that no module can have. */
uint32_t catalog_site_at(struct catalog *catalog, uint32_t module,
			 uint64_t vaddr);

/*
 * What is at a site, innermost first, as catalog_frames() says it. With
 * `is_return`, at the call that returns there.
 */
size_t catalog_site_frames(struct catalog *catalog, uint32_t site,
			   int is_return, struct a2n_frame *frames,
			   size_t room);

/*
 * Whether a symbol is the function, or a part that was split off from it:
 * "f.cold" is one of f, and so is "f() [clone .cold]" of "f()".
 */
int catalog_is_part(struct catalog *catalog, const char *symbol,
		    uint32_t function);

enum function_kind catalog_kind(struct catalog *catalog, uint32_t function);

/* In one word, for machines. */
const char *function_kind_text(enum function_kind kind);

/* Safe to print; belongs to the catalog. */
const char *catalog_name(struct catalog *catalog, uint32_t function);

/*
 * The names of other functions whose code was merged with this one's, so that their calls
 * are counted here. Fills at most `room`, and at most A2N_MERGED_MAX, and returns how many
 * there are. They are not safe to print.
 */
size_t catalog_merged_names(struct catalog *catalog, uint32_t function,
			    const char **names, size_t room);

/* As catalog_name(), with those: "bar (= foo)", "bar (= foo, and 3 more)". */
const char *catalog_full_name(struct catalog *catalog, uint32_t function);

/* Whether the name that it has been given is but "module+0xaddress". */
int catalog_is_address(const struct catalog *catalog, uint32_t function);

/*
 * The full name, for where nothing else says that there are fewer calls than were made:
 * "name {0.4 %}", of one that was left out for the rest of the time.
 */
const char *catalog_marked_name(struct catalog *catalog, uint32_t function);

/*
 * What is at a function's first byte: see a2n_module_lookup(). The function is
 * the last frame, with the file and line of its first statement.
 */
size_t catalog_frames(struct catalog *catalog, uint32_t function,
		      struct a2n_frame *frames, size_t room);

/* The same of any address of a module. */
size_t catalog_frames_at(struct catalog *catalog, uint32_t module,
			 uint64_t vaddr, struct a2n_frame *frames, size_t room);

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
