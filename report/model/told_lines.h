/* SPDX-License-Identifier: MIT */
/*
 * Files and lines as a runtime has told of them: of code that it makes or interprets
 * itself, which no debug information describes. Sites that are told of have frames
 * in the place of an address.
 */
#ifndef CLEW_MODEL_TOLD_LINES_H
#define CLEW_MODEL_TOLD_LINES_H

#include "report/model/function_catalog.h"

/* What the `file` of a told_frame is. */
uint32_t told_file(struct catalog *catalog, const char *path);

/* A function begins there, unless another place is known. */
void told_place(struct catalog *catalog, uint32_t function, uint32_t file,
		uint32_t line);

/*
 * The site with these frames, innermost first, entered if need be. The last is of
 * the function that the site is in, those before are inlined there.
 */
uint32_t told_site(struct catalog *catalog, const struct told_frame *frames,
		   size_t count);

static inline int site_is_told(const struct catalog *catalog, uint32_t site)
{
	return catalog->sites[site].told_count > 0;
}

/* The function that a told site is in. */
uint32_t told_function(const struct catalog *catalog, uint32_t site);

/* The file and line of its innermost frame; 0: it is not told, or not known. */
int told_site_place(const struct catalog *catalog, uint32_t site,
		    const char **file, uint32_t *line);

/* The frames of a told site: see catalog_site_frames(). */
size_t told_frames(struct catalog *catalog, uint32_t site,
		   struct a2n_frame *frames, size_t room);

/*
 * A function that stands for those calls of another which it makes in one line: its
 * name is "NAME:LINE".
 */
uint32_t told_line(struct catalog *catalog, uint32_t function, uint32_t file,
		   uint32_t line);

/* The function that one of told_line() is a line of; any other is itself. */
static inline uint32_t whole_function(const struct catalog *catalog,
				      uint32_t function)
{
	const uint32_t whole = catalog->functions[function].whole;

	return whole ? whole : function;
}

#endif
