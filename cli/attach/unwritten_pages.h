/* SPDX-License-Identifier: MIT */
/*
 * Pages of code that were written to, and hold the bytes of their file again.
 *
 * Such a page is private memory of the process until the kernel is told to drop it. The
 * library does that (clew_attach_release()) with the pages that are found here.
 */
#ifndef CLEW_CLI_ATTACH_UNWRITTEN_PAGES_H
#define CLEW_CLI_ATTACH_UNWRITTEN_PAGES_H

#include "cli/attach/attaching.h"
#include "cli/attach/remote_texts.h"

/* All threads are stopped, and the texts are restored. */
void unwritten_pages_tell(const struct attaching *attaching,
			  const struct remote_texts *texts);

#endif
