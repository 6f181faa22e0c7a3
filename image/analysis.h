/* SPDX-License-Identifier: MIT */
/*
 * Which functions a module has, and which of them can be hooked.
 *
 * The answer depends on nothing but the module's file, so the runtime asks it
 * about every module of the target, `clew list FILE` asks it about a file, and
 * a cache on disk, which goes by content, answers the second time.
 */
#ifndef CLEW_IMAGE_ANALYSIS_H
#define CLEW_IMAGE_ANALYSIS_H

#include <stdint.h>

#include "image/arena.h"
#include "image/content.h"
#include "wire/recording.h"

struct analysis {
	struct wire_function *functions; /* in order of vaddr, no two alike */
	uint32_t function_count;
	uint32_t build_id_bytes; /* 0: the file has none */
	uint8_t build_id[32];
	struct content content; /* known where there is a cache */
	uint64_t vaddr_start;   /* executable segments lie in [start, end) */
	uint64_t vaddr_end;
	uint32_t traits; /* a set of enum trait (image/traits.h) */
	int from_cache;
	int is_guarded; /* nobody but root and the cache's owner can change the file */
};

/*
 * Analyse the ELF file at `path`. cache_dir may be NULL; another user's file that is too
 * large to be copied (image_copy.h) is -EFBIG. What *out points to
 * lives in `arena`. Verdicts here are only those that follow from the file:
 * selection and patching come later.
 *
 * 0, or -errno: -ENOEXEC not an ELF module of this machine, -EBADMSG damaged,
 * -ENODATA it has no code of its own; others from the system.
 */
int analysis_of_file(const char *path, const char *cache_dir,
		     struct arena *arena, struct analysis *out);

/*
 * The same of a module of this process, of any size; begun(path) is called when it is
 * not in the cache, so that it takes a while until the function returns.
 */
int analysis_of_module(const char *path, const char *cache_dir,
		       void (*begun)(const char *path), struct arena *arena,
		       struct analysis *out);

/*
 * The same of a file that a process has and we do not, such as a container's. Analyses
 * are read from both folders, and stored in session_dir only; if that is NULL,
 * neither.
 */
int analysis_of_foreign_file(const char *path, const char *cache_dir,
			     const char *session_dir, struct arena *arena,
			     struct analysis *out);

#endif
