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
 * Mutes the calling thread, because with --libc the library's own calls reach
 * hooked functions of libc. Called before anything else by functions that run
 * while the program does. Returns the argument for switch_unmute().
 */
uint32_t attach_mute(void);

/*
 * Begins a call of an exported function. Only one such call may run at a time,
 * but one may still be running because its controller was killed. In that case
 * this function stores an error and returns 0. Otherwise it returns 1, and the
 * caller must call attach_end_call() at the end.
 */
int attach_begin_call(void);
int attach_try_call(void); /* does the same, but stores no error */
void attach_end_call(void);

/*
 * Executes one slice of a preparation that was begun and not completed. Returns
 * 0, -EAGAIN while more slices remain, or another -errno.
 */
int attach_end_preparing(void);

/*
 * Called by the constructor of the library variant whose thread-local variables
 * are in threads' control blocks (host/own_place.h).
 */
void attach_begin_in_blocks(void);

/*
 * Updates clew_attachment for the controller, in particular the address and the
 * length of the journal.
 */
void attach_report_texts(void);

/*
 * Frees the array of frames, after the controller has written the stack words
 * that it contains.
 */
void attach_free_frames(void);

void clew_attach_prepare(const char *dir, uint64_t controller);
void clew_attach_enter(const struct wire_stopped *threads, uint64_t count);
void clew_attach_runtimes(uint64_t wish);
void clew_attach_finish(void);
void clew_attach_detach(const struct wire_stopped *threads, uint64_t count);
void clew_attach_release(const struct wire_stopped *threads, uint64_t count);
void clew_attach_share(const struct wire_stopped *threads, uint64_t count);

#endif
