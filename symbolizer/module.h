/* SPDX-License-Identifier: MIT */
/* Modules and the configuration that they are opened with. */
#ifndef CLEW_SYMBOLIZER_MODULE_H
#define CLEW_SYMBOLIZER_MODULE_H

#include <pthread.h>

#include "symbolizer/index.h"
#include "symbolizer/indexer/worker.h"

struct a2n_module {
	struct a2n_module *next; /* in the a2n's list; set before publication */
	char *path;              /* path with which the module was opened */
	struct a2n_build_id wanted; /* the requested build id */
	struct index index;
	int was_cached;
};

struct a2n {
	uint32_t flags;
	struct worker_limits limits;
	char *root;
	char **debug_roots; /* NULL-terminated; may be NULL */
	char *cache;        /* the versioned directory, or NULL */
	uint64_t config; /* hash of options that affect an index; 0: default */
	pthread_mutex_t lock;
	struct a2n_module *modules; /* protected by the lock */
};

/*
 * Finds or creates the index of a file. Returns 0 or -errno; see
 * a2n_module_open().
 */
int module_open_index(const struct a2n *a2n, const char *path,
		      const struct a2n_build_id *wanted, struct index *index,
		      int *was_cached);

/* See a2n_download_source(). */
int module_download_source(const struct a2n *a2n,
			   const struct a2n_build_id *build_id,
			   const char *file, char **path);

/*
 * Opens an ELF file that exists only in memory, such as the vDSO, under a name
 * that begins with '[', unlike any path. module_find_image() then finds it.
 * Returns 0 or -errno.
 */
int module_open_image(struct a2n *a2n, const char *name, struct span image,
		      const struct a2n_build_id *build_id);

/* Finds a module that module_open_image() has opened. Returns 0 or -ENOENT. */
int module_find_image(struct a2n *a2n, const char *name,
		      const struct a2n_build_id *build_id,
		      const struct a2n_module **out);

#endif
