/* SPDX-License-Identifier: MIT */
#ifndef CLEW_IMAGE_PLT_H
#define CLEW_IMAGE_PLT_H

#include "image/functions.h"
#include "image/image.h"

/*
 * Sets VERDICT_IS_PLT for functions that are procedure linkage tables: by
 * section, or by their code if there are no sections.
 */
void plt_mark(const struct image *image, const struct functions *functions);

#endif
