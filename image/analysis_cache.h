/* SPDX-License-Identifier: MIT */
/*
 * Analyses kept on disk: DIR/CONTENT.analysis, CONTENT being the hash of what the
 * analysis was computed from (content.h). An entry thus serves modules with these
 * very bytes only, whatever their build-id.
 *
 * The directory may be shared with processes that write at the same moment,
 * and with mischief. A file is written under a name of its own and renamed, and
 * believed only if it is a regular file of ours, or of root's, that nobody else may
 * write, whole, and consistent in itself and with the module. Root's may be read by
 * whom its directory lets.
 */
#ifndef CLEW_IMAGE_ANALYSIS_CACHE_H
#define CLEW_IMAGE_ANALYSIS_CACHE_H

#include "image/analysis.h"

/*
 * Fill in functions, function_count, traits and from_cache of *analysis, whose other
 * members say which module it is. -errno where there is nothing to believe;
 * *analysis is then untouched. No directory, or the content is not known: -ENOENT.
 */
int analysis_cache_load(const char *cache_dir, struct arena *arena,
			struct analysis *analysis);

/* Keep *analysis for the next time. A failure costs that time only. */
int analysis_cache_store(const char *cache_dir,
			 const struct analysis *analysis);

#endif
