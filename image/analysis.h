/* SPDX-License-Identifier: MIT */
/*
 * Finds the functions of a module, and which of them can be hooked.
 *
 * The result depends only on the module's file. The library analyses the
 * modules of the target, and `clew list FILE` a file. A cache on disk, keyed by
 * content, stores the results.
 */
#ifndef CLEW_IMAGE_ANALYSIS_H
#define CLEW_IMAGE_ANALYSIS_H

#include <stdint.h>

#include "image/arena.h"
#include "image/content.h"
#include "wire/recording.h"

struct analysis {
	/* Sorted by vaddr. No two functions have the same vaddr. */
	struct wire_function *functions;
	uint32_t function_count;
	uint32_t build_id_bytes; /* 0 if the file has none */
	uint8_t build_id[32];
	/*
	 * hash of the file's contents (content.h); unknown if no cache is used
	 */
	struct content content;
	uint64_t vaddr_start; /* executable segments lie in [start, end) */
	uint64_t vaddr_end;
	uint32_t traits; /* set of enum trait (image/traits.h) */
	int from_cache;
	/* Whether only root and the cache's owner can change the file. */
	int is_guarded;
};

/*
 * Analyses the ELF file at `path`. cache_dir may be NULL; another user's file
 * that is too large to be copied (image_copy.h) fails with -EFBIG. The data of
 * *out is allocated in `arena`. The verdicts are those that follow from the
 * file; selection and patching come later.
 *
 * Returns 0 or -errno: -ENOEXEC if it is no ELF module of this architecture,
 * -EBADMSG if it is damaged, -ENODATA if it has no code; others from the
 * system.
 */
int analysis_of_file(const char *path, const char *cache_dir,
		     struct arena *arena, struct analysis *out);

/*
 * Like analysis_of_file(), for a module of this process, of any size.
 * begun(path) is called if the module is not in the cache, because the function
 * then takes a while.
 */
int analysis_of_module(const char *path, const char *cache_dir,
		       void (*begun)(const char *path), struct arena *arena,
		       struct analysis *out);

/*
 * Like analysis_of_file(), for a file of another process, such as a
 * container's, that this process cannot open by its path. Analyses are read
 * from both folders, and stored in session_dir only; if that is NULL, neither
 * is used.
 */
int analysis_of_foreign_file(const char *path, const char *cache_dir,
			     const char *session_dir, struct arena *arena,
			     struct analysis *out);

#endif
