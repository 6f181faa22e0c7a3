/* SPDX-License-Identifier: MIT */
/*
 * Finds pages of code that were written to and contain their file's bytes
 * again.
 *
 * Each of these pages is private memory of the process until the kernel drops
 * it. The library drops the pages that are found here (clew_attach_release()).
 */
#ifndef CLEW_CLI_ATTACH_UNWRITTEN_PAGES_H
#define CLEW_CLI_ATTACH_UNWRITTEN_PAGES_H

#include "cli/attach/attaching.h"
#include "cli/attach/remote_texts.h"

/* Requires all threads to be stopped and the texts to be restored. */
void unwritten_pages_tell(const struct attaching *attaching,
			  const struct remote_texts *texts);

#endif
