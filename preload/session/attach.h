/* SPDX-License-Identifier: MIT */
/*
 * The functions that libclew.so exports for `clew attach`. wire/attachment.h
 * describes each of them. Each function stores its result in clew_attachment.
 */
#ifndef CLEW_SESSION_ATTACH_H
#define CLEW_SESSION_ATTACH_H

#include "wire/attachment.h"

extern struct wire_attachment clew_attachment
	__attribute__((visibility("protected")));

/*
 * Begins one of these calls; only one thread at a time may execute one. A call
 * may still be running although its controller was killed. Returns 0 and stores
 * an error if such a call exists; otherwise attach_end_call() ends the new
 * call.
 */
int attach_begin_call(void);
int attach_try_call(void); /* the same, but stores no error */
void attach_end_call(void);

/*
 * Executes one slice of a preparation that was begun and not completed. Returns
 * -EAGAIN while more slices remain.
 */
int attach_end_preparing(void);

/* Called by the constructor if thread-local variables are in control blocks. */
void attach_begin_in_blocks(void);

/*
 * Updates the data for the controller: above all, the address and the present
 * length of the journal.
 */
void attach_report_texts(void);

/* Frees the frames' array, once the controller has written the words in it. */
void attach_free_frames(void);

void clew_attach_prepare(const char *dir, uint64_t controller);
void clew_attach_enter(const struct wire_stopped *threads, uint64_t count);
void clew_attach_runtimes(uint64_t wish);
void clew_attach_finish(void);
void clew_attach_detach(const struct wire_stopped *threads, uint64_t count);
void clew_attach_release(const struct wire_stopped *threads, uint64_t count);
void clew_attach_share(const struct wire_stopped *threads, uint64_t count);

#endif
