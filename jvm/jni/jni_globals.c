/* SPDX-License-Identifier: MIT */
#include "jvm/jni/jni_globals.h"

#include <errno.h>
#include <stdatomic.h>

#include "jvm/jni/jni_notes.h"
#include "wire/id.h"

/*
 * A hash table with buckets of one cache line. A reference is in one of two
 * buckets. While less than half of all slots are used, there is almost always
 * room in at least one of these two. Therefore entries need never move, and a
 * search is valid while other threads change the table.
 */
#define BUCKETS_LOG2 17
#define BUCKET       8

/*
 * Each slot contains a reference in its upper 48 bits, and the index of a note
 * in its lower JNI_NOTE_BITS. A free slot is 0.
 */
struct bucket {
	_Atomic uint64_t places[BUCKET];
};

static struct bucket *buckets;

int jni_globals_begin(void)
{
	void *made = jni_renew(buckets, sizeof(*buckets) << BUCKETS_LOG2);

	if (!made)
		return -ENOMEM;
	buckets = made;
	return 0;
}

static uint64_t named(jobject reference, uint32_t note)
{
	return (uint64_t)(uintptr_t)reference << JNI_NOTE_BITS | note;
}

static struct bucket *bucket_of(jobject reference, int second)
{
	const uint64_t hash = (uintptr_t)reference * ID_MULTIPLIER;

	return &buckets[hash >> (second ? 64 - BUCKETS_LOG2
					: 63 - 2 * BUCKETS_LOG2) &
			((1 << BUCKETS_LOG2) - 1)];
}

static int add(struct bucket *bucket, uint64_t word)
{
	for (int i = 0; i < BUCKET; i++) {
		uint64_t none = 0;

		if (!bucket->places[i] &&
		    atomic_compare_exchange_strong(&bucket->places[i], &none,
						   word))
			return 0;
	}
	return -ENOSPC;
}

int jni_globals_add(jobject reference, uint32_t note)
{
	const uint64_t word = named(reference, note);

	return add(bucket_of(reference, 0), word) &&
			       add(bucket_of(reference, 1), word)
		       ? -ENOSPC
		       : 0;
}

int jni_globals_take(jobject reference, uint32_t *note)
{
	for (int second = 0; second < 2; second++) {
		struct bucket *bucket = bucket_of(reference, second);

		for (int i = 0; i < BUCKET; i++) {
			uint64_t word = bucket->places[i];

			if (word &&
			    word >> JNI_NOTE_BITS == (uintptr_t)reference &&
			    atomic_compare_exchange_strong(&bucket->places[i],
							   &word, 0)) {
				*note = (uint32_t)word &
					((1 << JNI_NOTE_BITS) - 1);
				return 0;
			}
		}
	}
	return -ENOENT;
}
