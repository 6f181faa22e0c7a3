/* SPDX-License-Identifier: MIT */
/*
 * Analyses of a process's modules, before clew attaches: the process then takes them from
 * the cache, and is not kept waiting; and it is known how many functions it will hook.
 *
 * Its files may be hostile. A worker with limits reads them, which can write nowhere but
 * in the cache (symbolizer/indexer/worker.h). If it crashes or takes too long, so would the
 * process when it analysed them itself: it is refused.
 */
#ifndef CLEW_CLI_ATTACH_AHEAD_H
#define CLEW_CLI_ATTACH_AHEAD_H

#include <sys/types.h>

#include "base/idmap.h"
#include "cli/attach/hook_selection.h"
#include "cli/target/inner_folder.h"
#include "cli/target/target.h"

struct ahead {
	char *cache;         /* of analyses, or NULL: none are stored */
	char *session_cache; /* of those of foreign files; NULL: none yet */
	const struct hook_selection *selection;
	/*
	 * By hashes of paths and inodes: 1 and how many functions are to be hooked;
	 * or UINT64_MAX: its process is refused.
	 */
	struct idmap noted;
};

/* Takes the cache's path, which was allocated. The selection stays the caller's. */
void ahead_init(struct ahead *ahead, char *cache,
		const struct hook_selection *selection);
void ahead_fini(struct ahead *ahead);

/* How many functions of the process are to be hooked. 0, or -errno and *why. */
int ahead_analyse(struct ahead *ahead, pid_t pid,
		  const struct target_maps *maps, uint64_t *functions,
		  char **why);

/*
 * For a process that has other files: all its analyses, into a folder of its own. 0, or
 * -errno and *why.
 */
int ahead_carry(struct ahead *ahead, pid_t pid, const struct target_maps *maps,
		const struct inner_folder *folder, char **why);

#endif
