/* SPDX-License-Identifier: MIT */
/*
 * Files and lines that a runtime has announced for code that it generates or
 * interprets, which has no debug information. Sites with such lines have frames
 * instead of an address.
 */
#ifndef CLEW_MODEL_ANNOUNCED_LINES_H
#define CLEW_MODEL_ANNOUNCED_LINES_H

#include "report/model/function_catalog.h"

/* Returns the value for the `file` of a struct announced_frame. */
uint32_t announced_file(struct catalog *catalog, const char *path);

/*
 * Stores where a function begins, unless a location is stored already or the
 * line is 0.
 */
void announced_place(struct catalog *catalog, uint32_t function, uint32_t file,
		     uint32_t line);

/*
 * Returns the site with these frames, innermost first; creates it if needed.
 * The last frame is the function that contains the site; the others are
 * inlined.
 */
uint32_t announced_site(struct catalog *catalog,
			const struct announced_frame *frames, size_t count);

static inline int site_is_announced(const struct catalog *catalog,
				    uint32_t site)
{
	return catalog->sites[site].announced_count > 0;
}

/* Returns the function that contains an announced site. */
uint32_t announced_function(const struct catalog *catalog, uint32_t site);

/*
 * Sets file and line of the innermost frame. Returns 0 if the site was not
 * announced, or its file or line is unknown.
 */
int announced_site_place(const struct catalog *catalog, uint32_t site,
			 const char **file, uint32_t *line);

/* Fills the frames of an announced site: see catalog_site_frames(). */
size_t announced_frames(struct catalog *catalog, uint32_t site,
			struct a2n_frame *frames, size_t room);

/*
 * Returns a function named "NAME:LINE", which stands for calls that `function`
 * makes in this line; creates it if needed.
 */
uint32_t announced_line(struct catalog *catalog, uint32_t function,
			uint32_t file, uint32_t line);

/*
 * Returns the function that a result of announced_line() is a part of. Returns
 * any other function unchanged.
 */
static inline uint32_t whole_function(const struct catalog *catalog,
				      uint32_t function)
{
	const uint32_t whole = catalog->functions[function].whole;

	return whole ? whole : function;
}

#endif
