/* SPDX-License-Identifier: MIT */
/*
 * Finds pages of code that clew has written to and that equal their file again.
 *
 * Such a page is private memory of the process, although it has the same
 * contents as the page of the file. The library drops the pages that are found
 * here (clew_attach_release()), so that the process uses those of the file
 * again.
 */
#ifndef CLEW_CLI_ATTACH_UNWRITTEN_PAGES_H
#define CLEW_CLI_ATTACH_UNWRITTEN_PAGES_H

#include "cli/attach/attaching.h"
#include "cli/attach/remote_texts.h"

/*
 * Writes the ranges of these pages into the process, for clew_attach_release().
 * Writes no range if there are WIRE_ATTACH_WORDS_MAX or more; errors are
 * ignored. Must be called while all threads are stopped, after the texts were
 * restored.
 */
void unwritten_pages_send(const struct attaching *attaching,
			  const struct remote_texts *texts);

#endif
