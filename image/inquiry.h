/* SPDX-License-Identifier: MIT */
/*
 * The data about one module during its analysis: its functions, and the targets
 * of its branches. The results are used to decide which functions can be hooked
 * (analysis.h), and where a probe can be set (probe_site.h).
 */
#ifndef CLEW_IMAGE_INQUIRY_H
#define CLEW_IMAGE_INQUIRY_H

#include "image/arena.h"
#include "image/bare.h"
#include "image/branches.h"
#include "image/functions.h"

struct inquiry {
	/* the module's file, which the caller owns */
	const struct image *image;
	/* Memory of the fields below; the caller frees it. */
	struct arena scratch;
	struct decoder decoder;
	struct functions functions;
	struct branches branches;
	struct bare bare;
};

/*
 * Finds the functions and branches of q->image. The caller sets `image`, and
 * all other fields to 0. Returns 0, -EBADMSG, or -ENOMEM.
 */
int inquiry_begin(struct inquiry *q);

#endif
