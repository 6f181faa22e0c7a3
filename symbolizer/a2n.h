/* SPDX-License-Identifier: MIT */
/*
 * liba2n: from addresses to names, files, lines and inlined calls.
 *
 * A *module* is one ELF file. Symbols and debug information of a module are
 * read once, in a child process with limits, and written to an *index*. An
 * index is an immutable file in the cache directory, named after the module's
 * build-id and a hash of its bytes; later lookups map it. A lookup in it takes
 * a few hundred nanoseconds and no lock.
 *
 * A *space* is the address space of a process over time: it records which
 * module, or which piece of generated code, was at which address and when.
 * Modules are added from /proc or from the data of a recorder; generated code
 * from perf maps, jitdump files, or piece by piece.
 *
 * Unknown data is reported as unknown (NULL, 0); names are never guessed. A
 * damaged or hostile file causes an error with a reason.
 *
 * Conventions. Functions return 0 or a count, or -errno; outputs are untouched
 * on failure. `vaddr` is an address as in the ELF file, `pc` an address in a
 * process, `file_offset` an offset in the file. Times are those of any 64-bit
 * clock that the caller uses throughout one space; 0 is before all events.
 * Strings belong to the object that returned them, are safe to print, and live
 * as long as the object.
 *
 * Threads. Any number of threads may use an a2n and its modules at once:
 * lookups take no lock, opening takes one. Any number of threads may read a
 * space between two changes; while one thread changes it, there must be no
 * readers. The library reaps its child processes. A program that waits for any
 * child (waitpid(-1)) may reap one of them, which does no harm.
 */
#ifndef CLEW_A2N_H
#define CLEW_A2N_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define A2N_API __attribute__((visibility("default")))

/* ---- configuration ---- */

struct a2n;

enum {
	A2N_NO_CACHE = 1, /* keeps the index in memory, for this process only */
	/*
	 * reads symbols only, so that files, lines and inlined calls are
	 * unknown
	 */
	A2N_NO_DEBUG = 2,
	A2N_NO_DOWNLOAD = 4, /* never queries a debuginfod server */
	A2N_REBUILD = 8,     /* creates the index again even if it is cached */
};

/*
 * Options. A member that is 0 stands for its default. All strings are copied.
 */
struct a2n_options {
	uint32_t flags;
	/* limit of CPU time for one module; the default is 120 */
	uint32_t index_seconds;
	/* limit of memory for one module; the default is 4 GiB */
	uint64_t index_bytes;
	/*
	 * the cache's directory; the default is $XDG_CACHE_HOME/clew/a2n, or
	 * ~/.cache/clew/a2n
	 */
	const char *cache;
	/*
	 * A folder that precedes every path, for containers. The default is "".
	 */
	const char *root;
	/*
	 * Further directories like /usr/lib/debug, terminated by NULL. The
	 * default is none.
	 */
	const char *const *debug_roots;
};

/* `options` may be NULL. Returns 0 or -ENOMEM. */
A2N_API int a2n_create(const struct a2n_options *options, struct a2n **out);

/* Frees everything, including modules and their strings. */
A2N_API void a2n_destroy(struct a2n *a2n);

/* Returns the cache's directory, or NULL if there is none. */
A2N_API const char *a2n_cache_directory(const struct a2n *a2n);

/* ---- modules ---- */

struct a2n_module;

struct a2n_build_id {
	/*
	 * 0 if the module has no build-id. As an argument, 0 accepts any
	 * build-id.
	 */
	uint32_t bytes;
	uint8_t data[32];
};

/*
 * Opens the index of a file, and creates the index if there is none. build_id
 * is the build-id that the file must have; NULL or 0 bytes: any. Opening the
 * same path with the same build_id again returns the same module. Modules stay
 * open until a2n_destroy(). If the file cannot be read or has another build-id,
 * an index of the requested build is opened if the cache contains one.
 *
 * Returns 0 or -errno: -ENOENT and other system errors, -ENOEXEC if the file is
 * not a 64-bit little-endian ELF file, -ESTALE if it has another build-id than
 * requested, -EBADMSG if reading it crashes or exceeds a limit. A file with
 * neither symbols nor debug information is no error; a2n_module_info() then
 * gives the reason.
 */
A2N_API int a2n_module_open(struct a2n *a2n, const char *path,
			    const struct a2n_build_id *build_id,
			    const struct a2n_module **out);

struct a2n_module_info {
	const char *path; /* path with which the module was opened */
	struct a2n_build_id build_id;
	const char *symbols_from; /* file with the symbols, or NULL */
	const char *debug_from; /* file with lines and inlined calls, or NULL */
	const char *reason;     /* why data is missing, or NULL */
	uint64_t index_bytes;   /* size of the index's file */
	uint64_t symbol_count;
	/*
	 * number of pieces of code that have one line and one chain of inlined
	 * calls
	 */
	uint64_t row_count;
	int was_cached; /* whether the index existed before */
};

A2N_API void a2n_module_info(const struct a2n_module *module,
			     struct a2n_module_info *out);

/*
 * One function at an address. The first frame of a lookup is the innermost one.
 * Each frame is inlined into the next one, at that frame's file:line.
 */
struct a2n_frame {
	const char *symbol; /* mangled name, or NULL if it is unknown */
	const char *name;   /* demangled name */
	const char *file;   /* source file, or NULL if it is unknown */
	uint32_t symbol_length;
	uint32_t name_length;
	uint32_t file_length;
	uint32_t line;   /* 0: unknown */
	uint32_t column; /* 0: unknown */
	uint32_t discriminator;
	uint32_t is_inlined;
	uint32_t from_symbol; /* whether `name` comes from the symbol table */
	/* Start of its symbol or piece of code, or ~0 if it is unknown. */
	uint64_t start;
};

/*
 * Looks up a vaddr. Stores at most `room` frames and returns the number of all
 * frames, which may be greater; 0 if nothing is known.
 */
A2N_API size_t a2n_module_lookup(const struct a2n_module *module,
				 uint64_t vaddr, struct a2n_frame *frames,
				 size_t room);

/*
 * Lists the names of other functions whose code a linker or compiler has merged
 * with that of the symbol that starts at a vaddr. Aliases of one function are
 * not included. Stores at most `room` and at most A2N_MERGED_MAX names, and
 * returns the number of all names, which may be greater.
 */
A2N_API size_t a2n_module_merged(const struct a2n_module *module,
				 uint64_t vaddr, const char **names,
				 size_t room);

enum { A2N_MERGED_MAX = 16 };

/*
 * Called for each address, in the order of the array; `index` is the address's
 * index. `frames` is valid during the call.
 */
typedef void a2n_visit(void *context, size_t index,
		       const struct a2n_frame *frames, size_t count);

/* Looks up many addresses. Returns 0 or -ENOMEM. */
A2N_API int a2n_module_lookup_all(const struct a2n_module *module,
				  const uint64_t *vaddrs, size_t count,
				  a2n_visit *visit, void *context);

/*
 * Converts an offset in the file to a vaddr. Returns 0, or -ENOENT if no loaded
 * segment contains the offset.
 */
A2N_API int a2n_module_vaddr(const struct a2n_module *module,
			     uint64_t file_offset, uint64_t *vaddr);

/*
 * The range of a symbol or, from a2n_module_rows(), of a row: code of one line
 * and inlined chain.
 */
struct a2n_range {
	uint64_t start;
	uint64_t end;
};

/* Loaded bytes of the file. */
struct a2n_segment {
	uint64_t vaddr;
	uint64_t bytes;
	uint64_t file_offset;
};

/* Finds the segment that contains a vaddr. Returns 0 or -ENOENT. */
A2N_API int a2n_module_segment(const struct a2n_module *module, uint64_t vaddr,
			       struct a2n_segment *out);

/*
 * Downloads a source file of the build from a debuginfod server, if
 * DEBUGINFOD_URLS is set and A2N_NO_DOWNLOAD is not. `file` is that of a frame.
 * Returns 0 and the path of the local copy, which the caller frees, or -errno:
 * -ENOENT if no server has the file or none may be queried, -ELIBACC without
 * client library, -ETIMEDOUT.
 */
A2N_API int a2n_download_source(struct a2n *a2n,
				const struct a2n_build_id *build_id,
				const char *file, char **path);

typedef void a2n_visit_range(void *context, const struct a2n_range *range,
			     const struct a2n_frame *frames, size_t count);

/*
 * Visits all symbols in order of address, each with one frame. A symbol that is
 * cut by symbols inside it is visited once for each of its pieces. A piece
 * whose first byte has more than 64 frames is left out.
 */
A2N_API void a2n_module_symbols(const struct a2n_module *module,
				a2n_visit_range *visit, void *context);

/*
 * Visits all rows with data in order of address. A row with more than 256
 * frames is visited with its innermost 256.
 */
A2N_API void a2n_module_rows(const struct a2n_module *module,
			     a2n_visit_range *visit, void *context);

/*
 * Returns the demangled form of a C++, Rust or D symbol, or any other symbol
 * unchanged. The text is safe to print and has at most 8 KiB; a longer one ends
 * with "...". The caller frees it. NULL when out of memory.
 */
A2N_API char *a2n_demangle(const char *symbol);

/*
 * How much of a name a short name keeps. Each detail keeps more than those
 * before it.
 */
enum a2n_detail {
	/*
	 * The name without template arguments, result, parameters and clone
	 * suffixes.
	 */
	A2N_BARE,
	/*
	 * The name with its template arguments. Lists with more than 20
	 * characters are "<...>".
	 */
	A2N_SHORTEST,
	/* with template arguments; only lists inside of lists are "<...>" */
	A2N_ARGUMENTS,
	A2N_TEMPLATES,  /* with all template arguments */
	A2N_PARAMETERS, /* with parameters and clone suffixes as well */
};

/*
 * Returns a short form of a name that a2n_demangle() or a runtime printed:
 *
 *	void std::vector<int, std::allocator<int> >::f<int>(int&&)
 *	std::vector<int>::f<int>
 *
 * All details omit default template arguments and write std::string for its
 * template. Parts of coroutines keep their suffix, such as " [clone .actor]".
 * Rust, D, Go and Java have their own rules; names of C, and names that are not
 * understood, stay unchanged. The result is not empty and not
 * longer than the name, except for an empty name. Different functions may have
 * one short name.
 *
 * Any text of less than 4 GiB is accepted. Time and memory are proportional to
 * its length. Any thread may call this function; it has no state. The caller
 * frees the result. NULL when out of memory.
 */
A2N_API char *a2n_short_name(const char *name, enum a2n_detail detail);

/* ---- address spaces ---- */

struct a2n_space;

#define A2N_LATEST UINT64_MAX /* a time after all others */

/*
 * Creates a space. Returns 0 or -ENOMEM. The a2n must outlive the space. If a2n
 * is NULL, modules are not opened.
 *
 * Generated code has precedence over mappings: it may lie in a mapping, even in
 * that of an ELF file. Changes fail with -EINVAL if the range is empty or
 * exceeds 2^64 - 1, or if the time is A2N_LATEST.
 */
A2N_API int a2n_space_create(struct a2n *a2n, struct a2n_space **out);
A2N_API void a2n_space_destroy(struct a2n_space *space);

/*
 * A mapping of a file. Modules are opened when they are first needed. A path
 * that begins with '[', like "[vdso]", is no file.
 */
struct a2n_mapping {
	uint64_t start;
	uint64_t bytes;
	uint64_t file_offset;
	/* the path, which is copied; NULL for anonymous memory */
	const char *path;
	struct a2n_build_id build_id;
};

/*
 * a2n_space_map() adds a mapping, a2n_space_unmap() removes all in a range.
 * Both end the mappings and code in the range at that time. Code with the same
 * time stays, but a2n_space_unmap() ends it if it was added before the call.
 */
A2N_API int a2n_space_map(struct a2n_space *space,
			  const struct a2n_mapping *mapping, uint64_t time);
A2N_API int a2n_space_unmap(struct a2n_space *space, uint64_t start,
			    uint64_t bytes, uint64_t time);

/*
 * Replaces all mappings at that time by those that /proc/PID/maps shows now.
 * Generated code stays, because that file does not say what changed when. Files
 * are found, and checked against the process's memory by build-id, even if
 * their paths belong to another mount namespace or were deleted or replaced.
 * The vDSO is read from memory. Returns 0 or -errno.
 */
A2N_API int a2n_space_map_process(struct a2n_space *space, int pid,
				  uint64_t time);

/* A piece of generated code. The code lasts until it is removed or covered. */
struct a2n_code {
	uint64_t start;
	uint64_t bytes;
	/* the name, which is copied; NULL or "" if the code has none */
	const char *name;
};

/*
 * Adds code and stores its id (> 0) in *id; `id` may be NULL. Older code ends
 * at that time at the addresses that the new code covers, and stays at others.
 * Calls may be made in any order of times; if two have the same time, the later
 * call is the newer one.
 */
A2N_API int a2n_space_add(struct a2n_space *space, const struct a2n_code *code,
			  uint64_t time, uint64_t *id);

/*
 * Move or remove code. Return 0, or -ENOENT if there is no such id. Code that
 * was covered stays covered.
 */
A2N_API int a2n_space_move(struct a2n_space *space, uint64_t id, uint64_t start,
			   uint64_t time);
A2N_API int a2n_space_remove(struct a2n_space *space, uint64_t id,
			     uint64_t time);

/*
 * Adds the source line of the code's bytes from `offset` up to the offset of
 * the next line. If two lines have the same offset, that of the later call is
 * used. Fails with -EINVAL if the code has no byte at this offset.
 */
A2N_API int a2n_space_add_line(struct a2n_space *space, uint64_t id,
			       uint64_t offset, const char *file, uint32_t line,
			       uint32_t discriminator);

/* Statistics of a reader. */
struct a2n_read {
	uint64_t records;   /* used records */
	uint64_t malformed; /* skipped malformed records */
	uint64_t unknown;   /* skipped records of unknown kinds */
	uint64_t lines; /* lines of used records that lie outside the code */
};

/*
 * Reads perf's text map. All entries get the time `time`; of these, later ones
 * in the file are newer. Returns 0 or -errno; malformed lines cause no error.
 * Stores statistics in *out unless `out` is NULL. The file may grow meanwhile;
 * lines behind its end at the time of opening are not read. The file must be
 * regular (-EINVAL). This function and the next one read at most 16 MiB at a
 * time.
 */
A2N_API int a2n_space_read_perf_map(struct a2n_space *space, const char *path,
				    uint64_t time, struct a2n_read *out);

/*
 * Reads a jitdump file with its own time stamps, which are CLOCK_MONOTONIC
 * unless its writer used another clock. Returns -EBADMSG if it is no jitdump
 * file. Bytes after the last complete record count as malformed.
 */
A2N_API int a2n_space_read_jitdump(struct a2n_space *space, const char *path,
				   struct a2n_read *out);

/*
 * Makes all additions visible to lookups. Until then, lookups see the previous
 * state. Returns 0 or -ENOMEM.
 */
A2N_API int a2n_space_commit(struct a2n_space *space);

/*
 * The result of a lookup in a space. The result is the same for the whole range
 * and time, except where code lies in a mapping.
 */
struct a2n_place {
	uint64_t start; /* range of the mapping or of the piece of code */
	uint64_t end;
	uint64_t from; /* start time */
	uint64_t to;   /* end time; A2N_LATEST: still there */
	uint64_t code; /* id of the code, or 0 for a mapping */
	/* for a mapping, if it can be opened */
	const struct a2n_module *module;
	uint64_t vaddr; /* address in the module */
	int error;      /* -errno from opening the module; else 0 */
};

/*
 * Looks up the code at pc at that time. Sets *place if `place` is not NULL;
 * place->end is 0 if nothing is known at pc. Stores at most `room` frames and
 * returns the number of all frames, which may be greater; 0 if neither a name
 * nor a line is known.
 *
 * `expected` lists ids of code that the caller considers likely, the likeliest
 * first (the leaf of a known call stack, its parent, its children, siblings).
 * If one of them was ever at pc, it is the result, whatever the time. This
 * helps with clocks that differ slightly from the writer's, and with code
 * without times.
 */
A2N_API size_t a2n_space_lookup(const struct a2n_space *space, uint64_t pc,
				uint64_t time, const uint64_t *expected,
				size_t expected_count, struct a2n_place *place,
				struct a2n_frame *frames, size_t room);

/*
 * Visits all code that existed at that time, without mappings, in order of
 * address. Code that newer code has cut in two is visited twice. `frames`
 * describes the first byte of the range; count is 0 for code without name and
 * line.
 */
A2N_API void a2n_space_codes(const struct a2n_space *space, uint64_t time,
			     a2n_visit_range *visit, void *context);

#ifdef __cplusplus
}
#endif

#endif
