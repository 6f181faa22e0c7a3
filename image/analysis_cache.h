/* SPDX-License-Identifier: MIT */
/*
 * Analyses stored on disk: DIR/CONTENT.analysis, where CONTENT is the hash of
 * the bytes that the analysis was computed from (content.h). An entry therefore
 * serves only modules with exactly these bytes, whatever their build-id.
 *
 * Further processes, also malicious ones, may write to the directory at the
 * same time. A file is written under a unique name and renamed. The file is
 * used only if it is a regular file of this user or root that no other user may
 * write to, complete, and consistent in itself and with the module. Users who
 * may read root's directory may read root's analyses.
 */
#ifndef CLEW_IMAGE_ANALYSIS_CACHE_H
#define CLEW_IMAGE_ANALYSIS_CACHE_H

#include "image/analysis.h"

/*
 * Reads the stored analysis of the module that the other members of *analysis
 * describe, and sets functions, function_count, traits and from_cache. Returns
 * 0, or -errno if there is no valid file; *analysis is then unchanged. Returns
 * -ENOENT also if cache_dir is NULL, or analysis->content is unknown
 * (content.h).
 */
int analysis_cache_load(const char *cache_dir, struct arena *arena,
			struct analysis *analysis);

/*
 * Stores *analysis. Returns 0 or -errno: -ENOENT if cache_dir is NULL, or
 * analysis->content is unknown. After a failure each process computes the
 * analysis again.
 */
int analysis_cache_store(const char *cache_dir,
			 const struct analysis *analysis);

#endif
