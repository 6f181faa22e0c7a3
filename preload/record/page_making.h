/* SPDX-License-Identifier: MIT */
/*
 * Pages of a file that is mapped, before they are stored to.
 *
 * A page that the first store to a mapping makes is a fault, a lookup, a block that is
 * reserved: 4.6 us on ext4 (Zen 5). Zeros that are written to the file make many at
 * once, in folios as large as what is written, a sixth of the price; mapped are they
 * then like any others (part_file.h).
 */
#ifndef CLEW_RECORD_PAGE_MAKING_H
#define CLEW_RECORD_PAGE_MAKING_H

#include <stdint.h>

/*
 * Whether pages of this file are to be made so: where what is written stays in the
 * kernel until it is time, and close() does not wait for anybody.
 */
int page_making_pays(int fd);

/*
 * Makes pages of the file by that name, if it is this one, in a stretch of it that is
 * nobody's yet and reads as zeros. Where that is not to be had, in a process of several
 * threads too, nothing happens or a part of it. All signals blocked.
 */
void page_making_write(const char *path, uint64_t dev, uint64_t ino,
		       uint64_t offset, uint64_t bytes);

#endif
