/* SPDX-License-Identifier: MIT */
/*
 * Analyses a process's modules before clew attaches. If there is a cache, the
 * process then takes the analyses from it, which shortens its pauses. clew
 * learns how many functions will be hooked at most.
 *
 * The files may be hostile. A worker with limits reads them
 * (symbolizer/indexer/worker.h). It can write only to the cache (anywhere on
 * kernels without Landlock) or, for a process with another file system, only to
 * a file in memory, which clew checks. If the worker crashes or takes too long,
 * the process would also crash or take too long, so clew refuses to attach to
 * it.
 */
#ifndef CLEW_CLI_ATTACH_EARLY_ANALYSIS_H
#define CLEW_CLI_ATTACH_EARLY_ANALYSIS_H

#include <sys/types.h>

#include "base/idmap.h"
#include "cli/attach/hook_selection.h"
#include "cli/target/inner_folder.h"
#include "cli/target/target.h"

struct early_analysis {
	char *cache; /* Path of the cache, or NULL: analyses are not stored. */
	/* Path of the cache for foreign files; NULL until needed. */
	char *session_cache;
	const struct hook_selection *selection;
	/*
	 * Maps hashes of paths and inodes to 1 plus the number of functions
	 * to hook, or to UINT64_MAX if the process is refused.
	 */
	struct idmap noted;
};

/*
 * Takes ownership of `cache`, an allocated path or NULL. The caller keeps the
 * selection, which must exist until early_analysis_fini().
 */
void early_analysis_init(struct early_analysis *early, char *cache,
			 const struct hook_selection *selection);
void early_analysis_fini(struct early_analysis *early);

/*
 * Analyses the modules of a process that are not analysed yet, except libc, and
 * stores the number of functions to hook in *functions. Modules that could not
 * be analysed count as 0 functions. Returns 0, or -errno and *why if the
 * process is refused.
 */
int early_analysis_run(struct early_analysis *early, pid_t pid,
		       const struct target_maps *maps, uint64_t *functions,
		       char **why);

/*
 * For a process with another file system, if there is a cache: writes the
 * analyses of its modules, except libc and those that cannot be analysed, into
 * `folder`, which is in that file system. Returns 0, or -errno and *why.
 */
int early_analysis_copy(struct early_analysis *early, pid_t pid,
			const struct target_maps *maps,
			const struct inner_folder *folder, char **why);

#endif
