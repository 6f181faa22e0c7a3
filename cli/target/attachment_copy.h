/* SPDX-License-Identifier: MIT */
/*
 * Copies of what libclew.so reports in a process that clew attaches to.
 *
 * The process owns that memory, and it may be hostile: any number in it can have any
 * value, and can change between two reads. Each function here therefore reads a
 * structure once, into the caller's memory, and checks every number that is used as a
 * size, a count, an index, a pid or an error against the bound that wire/attachment.h
 * states. Nothing else in cli/ reads these structures. Addresses are not checked unless
 * clew computes with them: they are used only to read and write that same process.
 *
 * -EBADMSG: a number exceeds its bound. The process is then refused.
 */
#ifndef CLEW_CLI_TARGET_ATTACHMENT_COPY_H
#define CLEW_CLI_TARGET_ATTACHMENT_COPY_H

#include "wire/attachment.h"
#include "wire/probe_requests.h"

/*
 * `memory` is an open /proc/PID/mem, `at` the address there. All texts in the copy end
 * with NUL. A library that is still being loaded has version 0: the copy is all zero.
 * 0, or -errno and *why; -EPROTO: it is another version of the library.
 */
int attachment_copy(int memory, uint64_t at, struct wire_attachment *copy,
		    char **why);
int attachment_copy_probes(int memory, uint64_t at,
			   struct wire_live_probes *copy, char **why);

/* Arrays of a checked copy, as new memory for free(); 0 or -errno. */
int attachment_copy_texts(int memory, const struct wire_attachment *attachment,
			  struct wire_text **texts);
int attachment_copy_words(int memory, const struct wire_attachment *attachment,
			  struct wire_stack_word **words);
int attachment_copy_variables(int memory,
			      const struct wire_attachment *attachment,
			      uint8_t **values);

/* Into room for `count` frames. 0 or -errno. */
int attachment_copy_frames(int memory, uint64_t at, struct wire_frame *frames,
			   uint64_t count);

/* The alternate stack that a thread has reported; 0: it has none, or none was read. */
uint64_t attachment_copy_stack(int memory,
			       const struct wire_attachment *attachment);

#endif
