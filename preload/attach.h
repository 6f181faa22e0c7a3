/* SPDX-License-Identifier: MIT */
/*
 * What libclew.so exports for `clew attach`: wire/attachment.h says what each does, and
 * when. Each leaves its result in clew_attachment.
 */
#ifndef CLEW_PRELOAD_ATTACH_H
#define CLEW_PRELOAD_ATTACH_H

#include "wire/attachment.h"

extern struct wire_attachment clew_attachment
	__attribute__((visibility("protected")));

/* Where the journal is, and how long by now. */
void attach_tell_texts(void);

void clew_attach_prepare(const char *dir, uint64_t controller);
void clew_attach_enter(const struct wire_stopped *threads, uint64_t count);
void clew_attach_finish(void);
void clew_attach_leave(const struct wire_stopped *threads, uint64_t count);

#endif
