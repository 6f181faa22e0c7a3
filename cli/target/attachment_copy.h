/* SPDX-License-Identifier: MIT */
/*
 * Copies of the data that libclew.so has stored for clew in a process to which
 * clew attaches.
 *
 * The process may be hostile and can write to this data: any number can have
 * any value, and can change between two reads. Each function here therefore
 * reads a structure once, into the caller's memory, and checks each number that
 * clew uses as a size, a count, an index, a pid or an error against its bound
 * in wire/attachment.h. Other code in cli/ reads only finish_wish of these
 * structures, as a flag. Addresses are not checked unless clew computes with
 * them, because clew uses them only to read and write the same process.
 *
 * The error -EBADMSG means that a number exceeds its bound. clew then refuses
 * to attach to the process.
 */
#ifndef CLEW_CLI_TARGET_ATTACHMENT_COPY_H
#define CLEW_CLI_TARGET_ATTACHMENT_COPY_H

#include "wire/attachment.h"
#include "wire/probe_requests.h"

/*
 * Copy and check the variable clew_attachment, and clew_probes. `memory` is the
 * open /proc/PID/mem, `at` the variable's address in the process. All texts in
 * the copy end with NUL. attachment_copy() also accepts the version 0, of a
 * library that is still being loaded; the copy is then all zero. Return 0, or
 * -errno and *why; -EPROTO if the library has another version.
 */
int attachment_copy(int memory, uint64_t at, struct wire_attachment *copy,
		    char **why);
int attachment_copy_probes(int memory, uint64_t at,
			   struct wire_live_probes *copy, char **why);

/*
 * Copy arrays of the process into new memory, which the caller frees.
 * `attachment` is a checked copy with the arrays' addresses and lengths. Return
 * 0 or -errno.
 */
int attachment_copy_texts(int memory, const struct wire_attachment *attachment,
			  struct wire_text **texts);
int attachment_copy_words(int memory, const struct wire_attachment *attachment,
			  struct wire_stack_word **words);
int attachment_copy_variables(int memory,
			      const struct wire_attachment *attachment,
			      uint8_t **values);

/*
 * Copies `count` frames from address `at` in the process to `frames`, the
 * caller's memory. Returns 0 or -errno.
 */
int attachment_copy_frames(int memory, uint64_t at, struct wire_frame *frames,
			   uint64_t count);

/*
 * Returns the address of the alternate stack that a thread has stored in the
 * struct wire_stack_query at attachment->query; 0 if the thread has no
 * alternate stack or the query cannot be read.
 */
uint64_t attachment_copy_stack(int memory,
			       const struct wire_attachment *attachment);

#endif
