/* SPDX-License-Identifier: MIT */
/*
 * Everything that is at hand while one module is analysed: its functions, and where
 * its branches lead. What becomes of them is for others to say: which functions can be
 * hooked (analysis.h), and where a probe can be put (probe_site.h).
 */
#ifndef CLEW_IMAGE_INQUIRY_H
#define CLEW_IMAGE_INQUIRY_H

#include "image/arena.h"
#include "image/bare.h"
#include "image/branches.h"
#include "image/functions.h"

struct inquiry {
	const struct image *image; /* the caller's */
	struct arena scratch; /* all of what follows; the caller's to free */
	struct decoder decoder;
	struct functions functions;
	struct branches branches;
	struct bare bare;
};

/* Fill one in of which the image is set, and the rest 0. 0, -EBADMSG, -ENOMEM. */
int inquiry_begin(struct inquiry *q);

#endif
