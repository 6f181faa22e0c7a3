/* SPDX-License-Identifier: MIT */
/*
 * What libclew.so exports for `clew attach`: wire/attachment.h says what each does, and
 * when. Each leaves its result in clew_attachment.
 */
#ifndef CLEW_SESSION_ATTACH_H
#define CLEW_SESSION_ATTACH_H

#include "wire/attachment.h"

extern struct wire_attachment clew_attachment
	__attribute__((visibility("protected")));

/*
 * One call at a time: one whose controller was killed may still be under way. False,
 * and the result says so, if there is one; else it is to be ended.
 */
int attach_begin_call(void);
int attach_try_call(void); /* likewise, and says nothing of it */
void attach_end_call(void);

/*
 * What was begun and never gone on with is gone on with for a slice: -EAGAIN while there
 * is more.
 */
int attach_end_preparing(void);

/* In the constructor, where thread-local variables are in control blocks. */
void attach_begin_in_blocks(void);

/* Where the journal is, and how long by now. */
void attach_tell_texts(void);

/* What the controller has said of frames, which it has written by now. */
void attach_free_frames(void);

void clew_attach_prepare(const char *dir, uint64_t controller);
void clew_attach_enter(const struct wire_stopped *threads, uint64_t count);
void clew_attach_runtimes(uint64_t wish);
void clew_attach_finish(void);
void clew_attach_leave(const struct wire_stopped *threads, uint64_t count);
void clew_attach_release(const struct wire_stopped *threads, uint64_t count);
void clew_attach_share(const struct wire_stopped *threads, uint64_t count);

#endif
