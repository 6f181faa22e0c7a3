/* SPDX-License-Identifier: MIT */
/*
 * Who makes an analysis that several processes want at the same moment.
 *
 * A build starts hundreds of processes of one program, and the first of them, at
 * once, would each read the same files for seconds. So whoever makes an analysis that
 * is to be kept has a lock on a file beside it meanwhile; who else wants it waits, and
 * then finds it in the cache. If it is not there (a full disk, a holder that was
 * killed, or that has been stopped for CLAIM_WAIT_MS) each makes it for itself: to
 * wait again would be to wait in a line.
 *
 * A lock of flock() goes with its holder, however that ends.
 */
#ifndef CLEW_IMAGE_ANALYSIS_CLAIM_H
#define CLEW_IMAGE_ANALYSIS_CLAIM_H

#include "image/cache_path.h"

#define CLAIM_WAIT_MS 20000

struct analysis_claim {
	struct cache_path path;
	int fd; /* -1: nothing is locked */
};

/*
 * Has the lock, has waited for whoever had it, or could do neither. Afterwards the
 * cache is to be looked into (again). Keeps errno, as _end() does.
 */
void analysis_claim_begin(struct analysis_claim *claim, const char *cache_dir,
			  const struct analysis *analysis);
void analysis_claim_end(struct analysis_claim *claim);

#endif
