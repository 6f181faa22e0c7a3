/* SPDX-License-Identifier: MIT */
/*
 * Writes notes on calls of JNI functions into the recording (struct
 * wire_jni_note): one for each context, kind of event and name in each tally.
 * Only threads whose calls are recorded (jni_notes_are_wanted()) call these
 * functions, outside of signal handlers. The functions do not call libc.
 */
#ifndef CLEW_JVM_JNI_JNI_NOTES_H
#define CLEW_JVM_JNI_JNI_NOTES_H

#include <stdatomic.h>
#include <stdint.h>

#include "preload/hot/switch.h"
#include "wire/recording.h"

/* Allocates the notes of a session. Returns 0 or -errno. */
int jni_notes_begin(void);

/* Ends the notes before their part is unmapped. */
void jni_notes_end(void);

/*
 * Returns zeroed memory of this size: the memory of the former session, unless
 * `former` is NULL, or new one. Returns NULL if there is none.
 */
void *jni_renew(void *former, uint64_t bytes);

/*
 * Returns whether the calling thread's calls are recorded, so that hot.id is
 * the id of a context.
 */
static inline int jni_notes_are_wanted(void)
{
	return switch_is_on();
}

/*
 * Returns the note on a context, and adds it if necessary. Notes are never
 * freed. Returns NULL if there is no room, which is counted in the part, or if
 * the process's part has no table of notes: jni_notes_begin() has failed, or
 * this is a forked child.
 */
struct wire_jni_note *jni_notes_find(uint64_t id, enum wire_jni_event what);

/*
 * Like jni_notes_find(), for a lookup by name. `signature` is that of a method
 * or field, and NULL for classes. All names in a context for which there is no
 * room share one note without a name.
 */
struct wire_jni_note *jni_notes_find_lookup(uint64_t id, const char *name,
					    const char *signature);

/* Adds `more` to a number that no other thread writes. */
static inline void jni_note_count(_Atomic uint64_t *number, uint64_t more)
{
	atomic_store_explicit(
		number,
		atomic_load_explicit(number, memory_order_relaxed) + more,
		memory_order_relaxed);
}

/*
 * Counts one event in the note, adds its amount (bytes or nanoseconds) to the
 * sum, and raises the maximum if the amount is greater.
 */
static inline void jni_note_add(struct wire_jni_note *note, uint64_t amount)
{
	jni_note_count(&note->count, 1);
	jni_note_count(&note->amount, amount);
	if (amount > atomic_load_explicit(&note->most, memory_order_relaxed))
		atomic_store_explicit(&note->most, amount,
				      memory_order_relaxed);
}

/*
 * A note's index has JNI_NOTE_BITS bits. jni_note_at() returns the note with an
 * index, or NULL if the process's part has no table of notes.
 */
#define JNI_NOTE_BITS 16
uint32_t jni_note_index(const struct wire_jni_note *note);
struct wire_jni_note *jni_note_at(uint32_t index);

/* Counts an event that is not noted because there is no room. */
void jni_notes_miss(void);

#endif
