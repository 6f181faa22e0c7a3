/* SPDX-License-Identifier: MIT */
/*
 * Writes code of another process while all its threads are stopped. A *text* is
 * a sequence of bytes to replace (struct wire_text).
 *
 * A write covers one or more adjacent pages. No text belongs to two writes. If
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
	uint8_t *pages; /* Copies of the pages of all runs. */
	size_t page_bytes;
};

/*
 * Copies the list of texts and reads the pages that contain them, as far as
 * they can be read. Called before threads are stopped. `memory` is the open
 * /proc/PID/mem. Returns 0 or -errno. The caller calls remote_texts_free(),
 * also after an error.
 */
int remote_texts_plan(int memory, const struct wire_attachment *attachment,
		      struct remote_texts *texts);
void remote_texts_free(struct remote_texts *texts);

/*
 * Writes the fronts: texts in the library itself and in data, which must be
 * written first. Returns 0; -ETXTBSY and *at, without writing, if code has
 * other bytes than expected (data is not checked); or -errno if a page cannot
 * be read or written.
 */
int remote_texts_write_fronts(int memory, struct remote_texts *texts,
			      uint64_t *at);

/*
 * Writes all other texts. With is_shared, runs that already have the right
 * bytes are skipped, because the library may have mapped them from a shared
 * file. Returns 0 or -errno.
 */
int remote_texts_write_hooks(int memory, struct remote_texts *texts,
			     int is_shared);

/*
 * remote_texts_restore() restores the former bytes of all texts,
 * remote_texts_unhook() those of hooks only. Both skip texts that the program
 * has changed, and continue after an error. Return 0 or the first error, for
 * example if pages are not mapped any more.
 */
int remote_texts_restore(int memory, struct remote_texts *texts);
int remote_texts_unhook(int memory, struct remote_texts *texts);

/*
 * Returns the copy of run i (below run_count), which consists of whole pages,
 * and the run's addresses in *start and *end.
 */
const uint8_t *remote_texts_run(const struct remote_texts *texts, size_t i,
				uint64_t *start, uint64_t *end);

#endif
