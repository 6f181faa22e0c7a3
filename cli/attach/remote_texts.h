/* SPDX-License-Identifier: MIT */
/*
 * Writes code of another process, all of whose threads are stopped. A *text* is
 * a row of bytes to replace.
 *
 * A write covers one page, or several where a text crosses a page boundary. If
 * the controller is killed between two writes, each text is whole.
 */
#ifndef CLEW_CLI_ATTACH_REMOTE_TEXTS_H
#define CLEW_CLI_ATTACH_REMOTE_TEXTS_H

#include <stddef.h>

#include "wire/attachment.h"

struct text_run;

struct remote_texts {
	struct wire_text *items; /* In order of address. */
	uint64_t count;
	struct text_run *runs;
	size_t run_count, run_capacity;
	uint8_t *pages; /* Pages of all runs. */
	size_t page_bytes;
};

/*
 * Collects the bytes to write, before threads are stopped. Returns 0 or
 * -errno.
 */
int remote_texts_plan(int memory, const struct wire_attachment *attachment,
		      struct remote_texts *texts);
void remote_texts_free(struct remote_texts *texts);

/*
 * Writes the library's own texts, the fronts, which come first. Returns 0;
 * -ETXTBSY and *at if other bytes are found than expected, and then writes
 * nothing; or -errno if a page cannot be written.
 */
int remote_texts_write_fronts(int memory, struct remote_texts *texts,
			      uint64_t *at);

/*
 * Writes all other texts. With is_shared, pages that already have the right
 * bytes are skipped, because the library has mapped them. Returns 0 or -errno.
 */
int remote_texts_write_hooks(int memory, struct remote_texts *texts,
			     int is_shared);

/*
 * Restores the former bytes of all texts, or of hooks only. Skips texts that
 * are no longer mapped, or that the program has changed. Returns 0 or -errno.
 */
int remote_texts_restore(int memory, struct remote_texts *texts);
int remote_texts_unhook(int memory, struct remote_texts *texts);

/* Returns the content of run i (below run_count), a run of whole pages. */
const uint8_t *remote_texts_run(const struct remote_texts *texts, size_t i,
				uint64_t *start, uint64_t *end);

#endif
