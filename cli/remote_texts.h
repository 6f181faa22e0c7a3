/* SPDX-License-Identifier: MIT */
/*
 * Writing the texts of another process, all of whose threads are stopped.
 *
 * A page at once, or several where a text is on two: whoever is killed meanwhile
 * leaves none in pieces.
 */
#ifndef CLEW_CLI_REMOTE_TEXTS_H
#define CLEW_CLI_REMOTE_TEXTS_H

#include <stddef.h>

#include "wire/attachment.h"

struct text_run;

struct remote_texts {
	struct wire_text *items; /* in order of address */
	uint64_t count;
	struct text_run *runs;
	size_t run_count, run_capacity;
	uint8_t *pages; /* of all runs */
	size_t page_bytes;
};

/* What is to be written, before anybody is stopped for that. 0 or -errno. */
int remote_texts_plan(int memory, const struct wire_attachment *attachment,
		      struct remote_texts *texts);
void remote_texts_free(struct remote_texts *texts);

/*
 * Write all; -ETXTBSY, and *at, where that is not to be written over that is
 * there, and nothing is written. 0, or -errno of a page that could not be.
 */
int remote_texts_write(int memory, struct remote_texts *texts, uint64_t *at);

/*
 * What was there before, as far as its pages are, and where nobody has written something
 * else since; or of hooks only. 0 or -errno.
 */
int remote_texts_restore(int memory, struct remote_texts *texts);
int remote_texts_unhook(int memory, struct remote_texts *texts);

/* The i-th run of whole pages, below run_count, and what is in them. */
const uint8_t *remote_texts_run(const struct remote_texts *texts, size_t i,
				uint64_t *start, uint64_t *end);

#endif
