/* SPDX-License-Identifier: MIT */
/*
 * Writing the texts of another process, all of whose threads are stopped.
 *
 * A page at once, or several where a text is on two: whoever is killed meanwhile
 * leaves none in pieces.
 */
#ifndef CLEW_CLI_ATTACH_REMOTE_TEXTS_H
#define CLEW_CLI_ATTACH_REMOTE_TEXTS_H

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
 * Writes the library's own texts, which come first. -ETXTBSY, and *at, where other bytes
 * are found than those that are to be replaced: then nothing is written. 0, or -errno of
 * a page that cannot be written.
 */
int remote_texts_write_fronts(int memory, struct remote_texts *texts,
			      uint64_t *at);

/*
 * Writes all others. If the library may have mapped some (is_shared), pages that have the
 * right bytes are not written. 0 or -errno.
 */
int remote_texts_write_hooks(int memory, struct remote_texts *texts,
			     int is_shared);

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
