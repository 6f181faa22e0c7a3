/* SPDX-License-Identifier: MIT */
/*
 * liba2n: from addresses to names, files, lines and inlined calls.
 *
 * A *module* is one ELF file. Its symbols and debug information are read once,
 * in a child process with limits, and become an *index*: an immutable file in
 * the cache directory, keyed by build-id, which is mapped from then on. A look-
 * up in it needs a few hundred nanoseconds and no lock.
 *
 * A *space* is the address space of a process over time: which module, or
 * which piece of generated code, was where and when. Modules enter it from
 * /proc or from what a recorder saw; generated code from perf maps, jitdump
 * files or one piece at a time.
 *
 * Whatever is not known is said to be unknown (NULL, 0): a name is never
 * guessed. A file that is damaged or hostile costs an error with a reason.
 *
 * Conventions. Functions return 0 or a count, or -errno; outputs are untouched
 * on failure. `vaddr` is an address as the ELF file has it, `pc` one in a
 * process, `file_offset` one in the file. Times are whatever 64-bit clock the
 * caller uses throughout one space; 0 is before everything. Strings belong to
 * the object they came from, are safe to print, and live as long as it does.
 *
 * Threads. An a2n and its modules may be used by any number of threads at
 * once: looking up takes no lock, opening takes one. A space may be read by
 * any number of threads between two changes; changing it is up to one thread
 * with no readers. The child processes are reaped by us; a host that waits for
 * any child (waitpid(-1)) may see one of them end, which does no harm.
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
	A2N_NO_CACHE = 1,    /* index in memory, for this process alone */
	A2N_NO_DEBUG = 2,    /* symbols only: no files, lines, inlined calls */
	A2N_NO_DOWNLOAD = 4, /* never ask debuginfod */
	A2N_REBUILD = 8,     /* index anew even if the cache has it */
};

/* Zero is the default everywhere. Everything is copied. */
struct a2n_options {
	uint32_t flags;
	uint32_t index_seconds; /* at most, for one module; 0: 120 */
	uint64_t index_bytes;   /* of memory, at most, likewise; 0: 4 GiB */
	const char *cache; /* NULL: $XDG_CACHE_HOME/clew/a2n, ~/.cache/... */
	const char *root;  /* before every path, for containers; NULL: "" */
	/* More of the kind of /usr/lib/debug, NULL at the end. NULL: none. */
	const char *const *debug_roots;
};

/* `options` may be NULL. 0, or -ENOMEM. */
A2N_API int a2n_create(const struct a2n_options *options, struct a2n **out);

/* Closes what is open; its modules and their strings are gone. */
A2N_API void a2n_destroy(struct a2n *a2n);

/* The cache's directory, or NULL where there can be none. */
A2N_API const char *a2n_cache_directory(const struct a2n *a2n);

/* ---- modules ---- */

struct a2n_module;

struct a2n_build_id {
	uint32_t bytes; /* 0: the module has none, or any will do */
	uint8_t data[32];
};

/*
 * Opens a file's index, which is made first if need be. The same file opened
 * again is the same module; it stays open until a2n_destroy().
 *
 * 0, or -errno: -ENOENT and the like from the system, -ENOEXEC not a 64-bit
 * little-endian ELF file, -ESTALE another build-id than asked for. A file with
 * neither symbols nor debug information is no error; see a2n_module_reason().
 */
A2N_API int a2n_module_open(struct a2n *a2n, const char *path,
			    const struct a2n_build_id *build_id,
			    const struct a2n_module **out);

struct a2n_module_info {
	const char *path; /* as it was opened */
	struct a2n_build_id build_id;
	const char *symbols_from; /* the file, or NULL if there are none */
	const char *debug_from;   /* likewise, for lines and inlined calls */
	const char *reason;       /* why something is missing, or NULL */
	uint64_t index_bytes;     /* of the index's file */
	uint64_t symbol_count;
	uint64_t row_count; /* pieces of code of one line and inlined chain */
	int was_cached;     /* the index was there already */
};

A2N_API void a2n_module_info(const struct a2n_module *module,
			     struct a2n_module_info *out);

/*
 * One function at an address. The first of a look-up is the innermost; each
 * is inlined into the one after it, at that one's file:line.
 */
struct a2n_frame {
	const char *symbol; /* as linkers know it; NULL: unknown */
	const char *name;   /* as programmers do: demangled */
	const char *file;   /* NULL: unknown */
	uint32_t symbol_length;
	uint32_t name_length;
	uint32_t file_length;
	uint32_t line;   /* 0: unknown */
	uint32_t column; /* 0: unknown */
	uint32_t discriminator;
	uint32_t is_inlined;
	uint32_t from_symbol; /* the name is of the symbol table */
	uint64_t start;       /* of its symbol or piece of code; ~0: unknown */
};

/*
 * What is at a vaddr. Fills at most `room` frames and returns how many there
 * are, as snprintf does; 0 if nothing is known.
 */
A2N_API size_t a2n_module_lookup(const struct a2n_module *module,
				 uint64_t vaddr, struct a2n_frame *frames,
				 size_t room);

/*
 * The names of other functions whose code a linker or a compiler has merged with that of
 * the symbol that starts at a vaddr. Aliases of one function are not among them. Fills at
 * most `room`, and at most A2N_MERGED_MAX, and returns how many there are.
 */
A2N_API size_t a2n_module_merged(const struct a2n_module *module,
				 uint64_t vaddr, const char **names,
				 size_t room);

enum { A2N_MERGED_MAX = 16 };

/* Called for each address of a batch, in the order they were given. */
typedef void a2n_visit(void *context, size_t index,
		       const struct a2n_frame *frames, size_t count);

/* The same for many addresses. 0, -ENOMEM. */
A2N_API int a2n_module_lookup_all(const struct a2n_module *module,
				  const uint64_t *vaddrs, size_t count,
				  a2n_visit *visit, void *context);

/* 0, or -ENOENT where no loaded segment holds that part of the file. */
A2N_API int a2n_module_vaddr(const struct a2n_module *module,
			     uint64_t file_offset, uint64_t *vaddr);

/* A symbol's range, or with `rows`, one row's: code of one line and chain. */
struct a2n_range {
	uint64_t start;
	uint64_t end;
};

typedef void a2n_visit_range(void *context, const struct a2n_range *range,
			     const struct a2n_frame *frames, size_t count);

/* All symbols in order of address. */
A2N_API void a2n_module_symbols(const struct a2n_module *module,
				a2n_visit_range *visit, void *context);

/* All rows in order of address. */
A2N_API void a2n_module_rows(const struct a2n_module *module,
			     a2n_visit_range *visit, void *context);

/*
 * Returns the demangled form of a symbol of C++ or Rust, or any other symbol
 * itself. The text is safe to print and has at most 8 KiB: a longer one ends
 * with "...". free() it. NULL when out of memory.
 */
A2N_API char *a2n_demangle(const char *symbol);

/* ---- address spaces ---- */

struct a2n_space;

#define A2N_LATEST UINT64_MAX /* a time behind all others */

/*
 * 0, or -ENOMEM. The a2n must outlive it; it may be NULL, which opens no
 * modules.
 *
 * Generated code is found before what is mapped: it may lie in a mapping, even
 * in that of an ELF file. Ranges that are empty or go beyond 2^64 - 1, and
 * A2N_LATEST as the time of a change, are -EINVAL.
 */
A2N_API int a2n_space_create(struct a2n *a2n, struct a2n_space **out);
A2N_API void a2n_space_destroy(struct a2n_space *space);

/*
 * What has been mapped, by a file. Modules are opened when first asked for. A
 * path that begins with '[' is none, as in "[vdso]".
 */
struct a2n_mapping {
	uint64_t start;
	uint64_t bytes;
	uint64_t file_offset;
	const char *path; /* copied; NULL: memory of no file */
	struct a2n_build_id build_id;
};

/*
 * Both end whatever is in the range at that time, code included; but code of
 * the same time lies in what is mapped.
 */
A2N_API int a2n_space_map(struct a2n_space *space,
			  const struct a2n_mapping *mapping, uint64_t time);
A2N_API int a2n_space_unmap(struct a2n_space *space, uint64_t start,
			    uint64_t bytes, uint64_t time);

/*
 * Maps what /proc/PID/maps shows now, in place of all mappings that there are
 * at that time. Code stays, for it does not say what changed when. Files are
 * found, and checked against the process's memory by their build-ids, even if
 * their paths are of another mount namespace, were deleted or replaced. The
 * vDSO is read from memory. 0, or -errno.
 */
A2N_API int a2n_space_map_process(struct a2n_space *space, int pid,
				  uint64_t time);

/* A piece of generated code, until it is removed or something covers it. */
struct a2n_code {
	uint64_t start;
	uint64_t bytes;
	const char *name; /* copied; NULL or "": it has none */
};

/*
 * Adds code and says its id (> 0) in *id, which may be NULL. What it covers of
 * older code ends at that time; the rest of the older code stays. Times may
 * come in any order; of equal times the later call is the newer.
 */
A2N_API int a2n_space_add(struct a2n_space *space, const struct a2n_code *code,
			  uint64_t time, uint64_t *id);

/* 0, or -ENOENT if there is no such id. What was covered stays so. */
A2N_API int a2n_space_move(struct a2n_space *space, uint64_t id, uint64_t start,
			   uint64_t time);
A2N_API int a2n_space_remove(struct a2n_space *space, uint64_t id,
			     uint64_t time);

/*
 * A line for code, `offset` bytes behind its start, up to the next such. Of two
 * at one offset the later call counts. -EINVAL: the code is not that long.
 */
A2N_API int a2n_space_add_line(struct a2n_space *space, uint64_t id,
			       uint64_t offset, const char *file, uint32_t line,
			       uint32_t discriminator);

/* What a reader of somebody's file saw. */
struct a2n_read {
	uint64_t records;   /* that were used */
	uint64_t malformed; /* that were skipped */
	uint64_t unknown;   /* of a kind that we do not know, skipped */
	uint64_t lines;     /* of used records, skipped: not in their code */
};

/*
 * Perf's text map, each line at the given time, newest last. 0, or -errno:
 * never because of what a line says. *out, if not NULL, counts. The file may
 * grow meanwhile: lines that begin behind its end are not read. Only regular
 * files are (-EINVAL); this and the next read no more than 16 MiB at a time.
 */
A2N_API int a2n_space_read_perf_map(struct a2n_space *space, const char *path,
				    uint64_t time, struct a2n_read *out);

/*
 * A jitdump file, by its own time stamps, which are CLOCK_MONOTONIC unless its
 * writer was told otherwise. -EBADMSG: it is none. What is behind the last
 * whole record is malformed.
 */
A2N_API int a2n_space_read_jitdump(struct a2n_space *space, const char *path,
				   struct a2n_read *out);

/*
 * Makes all that was added visible to look-ups. 0 or -ENOMEM. Look-ups before
 * it see the state of the last one.
 */
A2N_API int a2n_space_commit(struct a2n_space *space);

/*
 * What a look-up in a space found. In all of this range and time it is the
 * same that is found, unless it is a mapping in which there is code.
 */
struct a2n_place {
	uint64_t start; /* of what is here: the mapping's or the code's piece */
	uint64_t end;
	uint64_t from; /* when it came */
	uint64_t to;   /* when it went; A2N_LATEST: it is still there */
	uint64_t code; /* its id, or 0 for a mapping */
	const struct a2n_module *module; /* of a mapping, if it can be opened */
	uint64_t vaddr;                  /* in the module */
	int error; /* why the module cannot be opened, -errno; else 0 */
};

/*
 * What was at pc at that time. *place, if not NULL, is set if the result is
 * > 0, or if it is 0 and place->end is not 0: known, but without a name.
 *
 * `expected` are ids of code that the caller thinks it may be, the likeliest
 * first (the leaf of a known call stack, its parent, its children, siblings):
 * one of those that ever was at pc is the answer, whatever the time. This is
 * for clocks that are not quite the writer's, and for code without times.
 */
A2N_API size_t a2n_space_lookup(const struct a2n_space *space, uint64_t pc,
				uint64_t time, const uint64_t *expected,
				size_t expected_count, struct a2n_place *place,
				struct a2n_frame *frames, size_t room);

/*
 * All code that was there at that time, mappings left out, in order of address;
 * what newer code has cut in two comes twice. `frames` is the one of its first
 * byte there, and count 0 for code that has neither name nor line.
 */
A2N_API void a2n_space_codes(const struct a2n_space *space, uint64_t time,
			     a2n_visit_range *visit, void *context);

#ifdef __cplusplus
}
#endif

#endif
