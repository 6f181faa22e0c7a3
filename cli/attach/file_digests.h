/* SPDX-License-Identifier: MIT */
/*
 * Digests of the files that a process maps, for the cache (digest_links.h). The
 * process itself may be another user's and then cannot store them; without them
 * it reads its files as a whole, again in each session.
 */
#ifndef CLEW_CLI_ATTACH_FILE_DIGESTS_H
#define CLEW_CLI_ATTACH_FILE_DIGESTS_H

#include <stdint.h>

#include "cli/target/target.h"

/*
 * Stores the digests of files that only root and the cache's owner can change,
 * unless the cache has them already. `is_wanted` has a flag for each mapping.
 * Another user may change meanwhile where the paths lead to; what they lead to is
 * stored. Failures only mean that less is stored.
 */
void file_digests_store(const char *cache, const struct target_maps *maps,
			const uint8_t *is_wanted);

#endif
