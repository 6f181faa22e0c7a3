/* SPDX-License-Identifier: MIT */
/*
 * Creates pages of a mapped file before the first store to them.
 *
 * If the first store to a mapping creates a page, it costs a fault, a lookup
 * and a block reservation: 4.6 us on ext4 (Zen 5). Writing zeros to the file
 * creates many pages at once, in folios as large as the write, at a sixth of
 * the price. These pages are mapped afterwards like others (part_file.h).
 */
#ifndef CLEW_RECORD_PAGE_MAKING_H
#define CLEW_RECORD_PAGE_MAKING_H

#include <stdint.h>

/*
 * Returns whether writing zeros is worth while for a file: it is on ext4, XFS
 * or btrfs, which must write to the disk later and whose close() does not wait
 * for that.
 */
int page_making_pays(int fd);

/*
 * Creates pages in a stretch of the file with this name, if the path still
 * leads to the file with this device and inode number. The stretch must be
 * unused and read as zeros. Does nothing, or a part of it, if this is not
 * possible, for example in a process with several threads. Called with all
 * signals blocked.
 */
void page_making_write(const char *path, uint64_t dev, uint64_t ino,
		       uint64_t offset, uint64_t bytes);

#endif
