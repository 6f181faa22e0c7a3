/* SPDX-License-Identifier: MIT */
/*
 * The modules and functions of a whole recording, each once.
 *
 * Every process assigns its own function numbers. The catalog identifies a
 * function by module and vaddr (a function without a vaddr by kind, module and
 * name), and a module by build-id or, without one, by path. Processes that run
 * the same code therefore share entries, and their calls add up. Names are
 * looked up on first use, since most functions are never printed.
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

/*
 * Functions that every catalog has. All other functions start at
 * FUNCTION_FIRST.
 */
enum {
	FUNCTION_NONE,    /* no function, or the root of a tree */
	FUNCTION_UNKNOWN, /* a function that is not recorded */
	/* the caller of a context whose caller was not recorded */
	FUNCTION_UNKNOWN_CALLER,
	FUNCTION_FOLDED, /* calls whose contexts found no room */
	FUNCTION_KERNEL, /* time in the kernel */
	/*
	 * Time in which the thread did not run. Waits with a known reason have
	 * functions of their own (waits.h).
	 */
	FUNCTION_BLOCKED,
	FUNCTION_CLEW,      /* time in clew's own code */
	FUNCTION_GENERATED, /* time in code outside all modules */
	FUNCTION_FIRST,
};

/*
 * Prefix of the names of JNI's functions: they are printed as methods of C++'s
 * JNIEnv.
 */
#define JNI_ENV_PREFIX "JNIEnv::"

/* The kind of a function of the catalog. */
enum function_kind {
	/*
	 * no function, but a note about its caller, such as "unknown" or
	 * "folded"
	 */
	KIND_NOTE,
	KIND_NATIVE, /* code of a module, hooked or not; or a JNI function */
	KIND_JNI,    /* a native method, called from Java */
	KIND_JAVA,
	KIND_INLINED, /* an inlined function, which has a name only */
	KIND_GENERATED,
	KIND_KERNEL,
	KIND_CLEW,
	KIND_GROUP,   /* a process or thread, above all its calls */
	KIND_BLOCKED, /* a reason for which a thread waits */
	KIND_COUNT
};

#define CATALOG_NO_MODULE UINT32_MAX
/* index of the module that is the program itself */
#define CATALOG_PROGRAM 0

/* maximum number of frames at one address: inlined ones and the function */
enum { CATALOG_FRAMES = 64 };

struct catalog_function {
	uint64_t vaddr;
	char *name;      /* NULL until the first use */
	uint32_t module; /* index of the module, or CATALOG_NO_MODULE */
	uint8_t verdict; /* enum verdict */
	uint8_t kind;    /* enum function_kind; see catalog_kind() */
	/* whether the function has only a name and no vaddr */
	uint8_t is_named;
	/*
	 * whether the function is in no recorded list, but was found by its
	 * address
	 */
	uint8_t is_extra;
	/* a native method that the JVM may replace by its own code */
	uint8_t is_intrinsic;
	uint8_t reports_calls; /* a Java method of which each call is counted */
	uint8_t stands_by;     /* counted only while clew attach is attached */
	/* enum wire_java_left: why a Java method is not counted; otherwise 0 */
	uint8_t java_left;
	/* whether it is hooked and jumps to its own start (wire_loops()) */
	uint8_t loops;
	uint8_t is_leaf; /* whether it calls no function (wire_is_leaf()) */
	/* size of the code, if the verdict is VERDICT_IS_BARE */
	uint32_t bare_bytes;
	uint32_t size_bytes; /* size as recorded; 0 if it is unknown */
	/*
	 * The source location where the function begins, if its runtime has
	 * announced it (announced_lines.h); otherwise 0. `file` is 1 + the
	 * index in catalog.files.
	 */
	uint32_t file, line;
	/* the function of which this is one line or a labelled part, or 0 */
	uint32_t whole;
	uint32_t label; /* 1 + index in `labels` (call_labels.h), or 0 */
	/* NULL unless a budget stopped counting it */
	struct left_out *left_out;
};

/* The periods in which a function was not counted, to stay within a budget. */
struct left_out {
	uint64_t times; /* number of periods */
	/*
	 * total length of the periods, and how long the processes with such
	 * periods ran
	 */
	uint64_t out_ns, present_ns;
	/* beginning of the first period, since the start of its process */
	uint64_t first_ns;
	uint64_t missed;   /* estimated number of calls that were not counted */
	char *marked_name; /* NULL until the first use */
};

/* Returns the share of the time in which the function was counted. */
static inline double left_out_counted(const struct left_out *left)
{
	return left->present_ns > left->out_ns
		       ? 1 - (double)left->out_ns / (double)left->present_ns
		       : 0;
}

/* Returns whether a recording lists it as one of a module's functions. */
static inline int catalog_is_recorded(const struct catalog_function *function)
{
	return function->module != CATALOG_NO_MODULE && !function->is_named &&
	       !function->is_extra;
}

/*
 * Returns whether counts may lack calls that the function makes of itself by
 * jumps. The code has a jump to its own start, and a loop looks the same.
 */
static inline int catalog_loops(const struct catalog_function *function)
{
	return function->loops &&
	       verdict_class(function->verdict) == VERDICT_HOOKED;
}

/*
 * An address in a module, of a call or of a sample; or a location that a
 * runtime announced (announced_lines.h).
 */
struct catalog_site {
	uint64_t vaddr;
	uint32_t module;
	/*
	 * Number of frames in `announced`, from index vaddr on. The site then
	 * has no module.
	 */
	uint32_t announced_count;
};

/* One frame of a location that a runtime announced. */
struct announced_frame {
	uint32_t function;
	uint32_t file; /* 1 + index in `files`, or 0 if it is unknown */
	uint32_t line; /* 0: unknown */
};

struct catalog_module {
	char *path;
	const char *name; /* last component of the path, safe to print */
	char *printable_path;
	struct a2n_build_id build_id;
	uint32_t state; /* enum module_state */
	/*
	 * index of the module's first function, which its other functions
	 * follow
	 */
	uint32_t first_function;
	/*
	 * number of functions without those with is_extra; their indices are
	 * mostly contiguous
	 */
	uint32_t function_count;
	/* NULL until first use, or if it cannot be opened */
	const struct a2n_module *a2n;
	int was_tried;
	/*
	 * whether the module's code makes memory executable, and so generates
	 * code
	 */
	int is_maker;
	/*
	 * whether the module is that of a baseline, where only functions
	 * without a name have a vaddr
	 */
	int is_baseline;
};

struct call_label;

struct catalog {
	struct a2n *a2n; /* NULL until the first use */
	/* reports the reading of modules; may be NULL */
	struct progress *progress;
	struct catalog_module *modules;
	size_t module_count, module_capacity;
	struct catalog_function *functions;
	size_t function_count, function_capacity;
	/* maps (module + 1) << 48 | vaddr to the function */
	struct idmap by_vaddr;
	/* maps the hash of a module's identity to 1 + the module */
	struct idmap by_hash;
	/* maps the hash of a named function to the function */
	struct idmap by_name;
	/*
	 * maps 1 + a function to a pointer to its name with the names of merged
	 * functions, or to 1 if there are none
	 */
	struct idmap merged;
	struct catalog_site *sites; /* sites[0] stands for no site */
	size_t site_count, site_capacity;
	struct idmap sites_at; /* maps (module + 1) << 48 | vaddr to the site */
	struct announced_frame *announced;
	size_t announced_count, announced_capacity;
	/* maps the hash of the frames to the site */
	struct idmap announced_sites;
	struct strings files;
	struct call_label *labels;
	size_t label_count, label_capacity;
};

/* A module's record in a part. */
struct module_record {
	const struct wire_module *module;
	const char *path; /* not NUL-terminated */
	const struct wire_function *functions;
	uint32_t path_bytes;
	uint32_t function_count; /* entries in `functions` */
};

/* Returns whether a chunk is a valid WIRE_MODULE. Sets *out only if it is. */
int module_record_of(const struct part_chunk *chunk, struct module_record *out);

void catalog_init(struct catalog *catalog);
void catalog_fini(struct catalog *catalog);

/*
 * Discards all `left_out` records. Called before parts are read again, because
 * they contain the records again.
 */
void catalog_forget_left_out(struct catalog *catalog);

/* The indices of a list of functions in the catalog. */
struct catalog_list {
	/*
	 * If not 0, the indices are consecutive and begin with this one. This
	 * is usual, and saves memory where there are many processes.
	 */
	uint32_t first;
	uint32_t *items; /* otherwise the indices; NULL if there are none */
};

static inline uint32_t catalog_list_at(const struct catalog_list *list,
				       uint32_t at)
{
	return list->first ? list->first + at : list->items[at];
}

/*
 * Enters a module and returns its index, or CATALOG_NO_MODULE if there are too
 * many modules. Otherwise stores the indices of its functions in *functions,
 * whose items the caller frees.
 */
uint32_t catalog_add_module(struct catalog *catalog,
			    const struct module_record *record,
			    struct catalog_list *functions);

/*
 * Returns the function that begins at a vaddr; creates it if needed.
 * FUNCTION_UNKNOWN for a vaddr that no module can have.
 */
uint32_t catalog_function_at(struct catalog *catalog, uint32_t module,
			     uint64_t vaddr);

/*
 * For code that belongs to no recorded function: returns the function that
 * contains a vaddr according to the module's symbols; creates it if needed. If
 * no symbol contains the vaddr, the function has only the name "(in MODULE)".
 */
uint32_t catalog_function_around(struct catalog *catalog, uint32_t module,
				 uint64_t vaddr);

/*
 * Returns a function that has only a name; creates it if needed. `module` may
 * be CATALOG_NO_MODULE.
 */
uint32_t catalog_named(struct catalog *catalog, enum function_kind kind,
		       uint32_t module, const char *name);

/*
 * Names a function as the code of a native method, unless the function has only
 * a name. If several methods share the code, the function's name lists them, up
 * to a limit.
 */
void catalog_call_native(struct catalog *catalog, uint32_t function,
			 const char *name);

/* Returns the site's index; 0 only for vaddrs that no module can have. */
uint32_t catalog_site_at(struct catalog *catalog, uint32_t module,
			 uint64_t vaddr);

/*
 * Fills frames at a site, innermost first, like catalog_frames(). With
 * `is_return`, the frames of the call that returns to this site.
 */
size_t catalog_site_frames(struct catalog *catalog, uint32_t site,
			   int is_return, struct a2n_frame *frames,
			   size_t room);

/*
 * Returns whether a symbol is the function or a part that was split off from
 * it: "f.cold" is a part of "f", and "f() [clone .cold]" of "f()".
 */
int catalog_is_part(struct catalog *catalog, const char *symbol,
		    uint32_t function);

enum function_kind catalog_kind(struct catalog *catalog, uint32_t function);

/* Returns the kind in one word, for output that programs read. */
const char *function_kind_text(enum function_kind kind);

/*
 * Returns a function's name, which is safe to print and owned by the catalog.
 */
const char *catalog_name(struct catalog *catalog, uint32_t function);

/*
 * Lists the names of functions whose code was merged with this one's; their
 * calls are counted here. Fills at most `room` and at most A2N_MERGED_MAX
 * entries and returns the total number. The names are not safe to print.
 */
size_t catalog_merged_names(struct catalog *catalog, uint32_t function,
			    const char **names, size_t room);

/*
 * Like catalog_name(), with merged names: "bar (= foo)", "bar (= foo, and 3
 * more)".
 */
const char *catalog_full_name(struct catalog *catalog, uint32_t function);

/*
 * Returns catalog_marked_name() with short names (a2n_short_name()), which the
 * caller frees. Labels of several functions, like "a() <- b()", have the short
 * name of each.
 */
char *catalog_short_name(struct catalog *catalog, uint32_t function,
			 enum a2n_detail detail);

/*
 * Returns whether the function has a name that other builds have also: one that
 * is not derived from its address.
 */
int catalog_has_name(struct catalog *catalog, uint32_t function);

/*
 * Returns whether the name of a function in a module is only
 * "module+0xaddress". Returns 0 if catalog_name() was not called yet.
 */
int catalog_is_address(const struct catalog *catalog, uint32_t function);

/*
 * Returns the full name, marked if the function was counted for only a part of
 * the time: "name {0.4 %}". For output that does not report missing calls
 * otherwise.
 */
const char *catalog_marked_name(struct catalog *catalog, uint32_t function);

/*
 * Fills frames at a function's first byte: see a2n_module_lookup(). The
 * function itself is the last frame, with the file and line of its first
 * statement.
 */
size_t catalog_frames(struct catalog *catalog, uint32_t function,
		      struct a2n_frame *frames, size_t room);

/* Like catalog_frames(), for any address of a module. */
size_t catalog_frames_at(struct catalog *catalog, uint32_t module,
			 uint64_t vaddr, struct a2n_frame *frames, size_t room);

/*
 * Finds the loaded bytes of the module's file that contain a vaddr. Returns 0
 * or -errno; -ENOENT if there are none, or the module cannot be opened.
 */
int catalog_segment(struct catalog *catalog, uint32_t module, uint64_t vaddr,
		    struct a2n_segment *out);

/*
 * Returns whether the source location of the function is known, from its
 * runtime (announced_lines.h) or from debug information; then sets its file and
 * line: with debug information, that of its first instruction. `*file` is safe
 * to print and owned by the catalog.
 */
int catalog_place(struct catalog *catalog, uint32_t function, const char **file,
		  uint32_t *line);

/*
 * Returns the symbols of a module, which are read on first use; NULL if its
 * file cannot be read, or is not to be read (baselines, imports).
 */
const struct a2n_module *catalog_symbols(struct catalog *catalog,
					 struct catalog_module *module);

/* The module's name, or "" for functions that have none. */
const char *catalog_module_name(const struct catalog *catalog,
				uint32_t function);

#endif
