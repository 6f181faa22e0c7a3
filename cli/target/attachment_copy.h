/* SPDX-License-Identifier: MIT */
/*
 * Copies of what libclew.so reports in a process that clew attaches to.
 *
 * The process owns that memory, and it may be hostile: any number in it can
 * have any value, and can change between two reads. Each function here
 * therefore reads a structure once, into the caller's memory, and checks every
 * number that is used as a size, a count, an index, a pid or an error against
 * the bound that wire/attachment.h states. Nothing else in cli/ reads these
 * structures. Addresses are not checked unless clew computes with them: they
 * are used only to read and write that same process.
 *
 * -EBADMSG: a number exceeds its bound. The process is then refused.
 */
#ifndef CLEW_CLI_TARGET_ATTACHMENT_COPY_H
#define CLEW_CLI_TARGET_ATTACHMENT_COPY_H

#include "wire/attachment.h"
#include "wire/probe_requests.h"

/*
 * `memory` is an open /proc/PID/mem, `at` the address there. All texts in the
 * copy end with NUL. A library that is still being loaded has version 0: the
 * copy is then all zero. Returns 0, or -errno and *why; -EPROTO if the library
 * has another version.
 */
int attachment_copy(int memory, uint64_t at, struct wire_attachment *copy,
		    char **why);
int attachment_copy_probes(int memory, uint64_t at,
			   struct wire_live_probes *copy, char **why);

/*
 * Copy arrays of a checked copy into new memory, which the caller frees. Return
 * 0 or -errno.
 */
int attachment_copy_texts(int memory, const struct wire_attachment *attachment,
			  struct wire_text **texts);
int attachment_copy_words(int memory, const struct wire_attachment *attachment,
			  struct wire_stack_word **words);
int attachment_copy_variables(int memory,
			      const struct wire_attachment *attachment,
			      uint8_t **values);

/* Copies `count` frames into the caller's memory. Returns 0 or -errno. */
int attachment_copy_frames(int memory, uint64_t at, struct wire_frame *frames,
			   uint64_t count);

/*
 * Returns the alternate stack that a thread has reported, or 0 if there is
 * none.
 */
uint64_t attachment_copy_stack(int memory,
			       const struct wire_attachment *attachment);

#endif
