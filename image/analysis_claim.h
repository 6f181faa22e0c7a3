/* SPDX-License-Identifier: MIT */
/*
 * Coordinates processes that need the same analysis at the same time.
 *
 * A build starts hundreds of processes of one program, and the first ones would
 * all analyse the same files for seconds. A process that computes an analysis
 * to be stored therefore locks a file beside it; others wait for the lock, and
 * then find the analysis in the cache. If it is not there (the disk is full, or
 * the owner of the lock was killed, or stopped for CLAIM_WAIT_MS), each process
 * computes it: waiting again would make them wait in sequence.
 *
 * flock() releases the lock when its owner ends, for any reason.
 */
#ifndef CLEW_IMAGE_ANALYSIS_CLAIM_H
#define CLEW_IMAGE_ANALYSIS_CLAIM_H

#include "image/cache_path.h"

#define CLAIM_WAIT_MS 20000

struct analysis_claim {
	struct cache_path path;
	int fd; /* descriptor of the locked file, or -1 */
};

/*
 * Locks, or waits for the process that has the lock, or does neither after a
 * failure. Search the cache (again) afterwards. Both functions preserve errno.
 */
void analysis_claim_begin(struct analysis_claim *claim, const char *cache_dir,
			  const struct analysis *analysis);
void analysis_claim_end(struct analysis_claim *claim);

#endif
