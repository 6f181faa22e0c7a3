/* SPDX-License-Identifier: MIT */
#include "jvm/jni/jni_notes.h"

#include <errno.h>

#include "machine/address_space.h"
#include "preload/hot/runtime.h"
#include "preload/hot/tally.h"
#include "preload/record/recorder.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/lock.h"
#include "preload/sys/sys.h"

/* Hash tables with open addressing, at most three quarters full. */
#define NOTES_ROOM (1 << JNI_NOTE_BITS)
#define NAMES_ROOM (1 << 14)
#define MULTIPLIER UINT64_C(0x9fb21c651e98df25) /* odd, with mixed bits */
/* Common key of all names that got no number for want of room. */
#define SAME_NAME 1

/*
 * A name that was looked up, with its number. The hash of name and signature
 * stands for the text. In a free slot it is 0.
 */
struct asked_name {
	uint64_t hash;
	uint32_t number;
};

static struct {
	struct wire_jni_note *table; /* the table in the part */
	/*
	 * The header of the part that contains the table. In a forked child it
	 * differs from rt.header.
	 */
	struct wire_header *header;
	/* Protects the following members; held while a note is added. */
	struct lock lock;
	struct asked_name *names;
	uint32_t count, name_count;
} notes;

void *jni_renew(void *former, uint64_t bytes)
{
	void *made = former;

	if (!former)
		made = sys_map_private(bytes);
	else if (sys_madvise(former, bytes, MADV_DONTNEED))
		fill_zero(former, bytes); /* it is locked */
	return sys_failed(made) ? NULL : made;
}

void jni_notes_end(void)
{
	notes.table = NULL;
}

int jni_notes_begin(void)
{
	struct chunk chunk;
	void *names = jni_renew(notes.names, NAMES_ROOM * sizeof(*notes.names));
	int err;

	if (!names)
		return -ENOMEM;
	notes.names = names;
	notes.count = notes.name_count = 0;
	err = part_alloc(&rt.recorder->part, WIRE_JNI_NOTES, 0,
			 NOTES_ROOM * sizeof(struct wire_jni_note), &chunk);
	if (err)
		return err;
	notes.table = chunk_payload(&chunk);
	notes.header = rt.header;
	atomic_store(&chunk.head->used,
		     NOTES_ROOM * sizeof(struct wire_jni_note));
	return 0;
}

void jni_notes_miss(void)
{
	atomic_fetch_add_explicit(&rt.header->unnoted_jni, 1,
				  memory_order_relaxed);
}

/* ---- Names ---- */

/*
 * Adds a word to a hash. Each bit of the word affects the low bits of the hash
 * only after another mix() or finish().
 */
static uint64_t mix(uint64_t hash, uint64_t word)
{
	return ((hash << 23 | hash >> 41) ^ word) * MULTIPLIER;
}

static uint64_t finish(uint64_t hash)
{
	return hash ^ hash >> 32;
}

typedef uint64_t word_anywhere __attribute__((may_alias, aligned(1)));

/*
 * Returns the next eight characters of a text as a word, with zeros from the
 * text's end on. *is_last becomes 1 if the text ends in this word. Eight
 * characters in one page are read by one load, even if the text ends before.
 */
static uint64_t word_of(const char *at, int *is_last)
{
	uint64_t word = 0, zeros;

	if ((uintptr_t)at % PAGE_BYTES <= PAGE_BYTES - sizeof(word))
		word = *(const word_anywhere *)at;
	else
		for (unsigned int i = 0; i < sizeof(word) && at[i]; i++)
			word |= (uint64_t)(unsigned char)at[i] << 8 * i;
	zeros = (word - UINT64_C(0x0101010101010101)) & ~word &
		UINT64_C(0x8080808080808080);
	*is_last = zeros != 0;
	if (zeros)
		word &= (UINT64_C(1) << (__builtin_ctzll(zeros) - 7)) - 1;
	return word;
}

static uint64_t hash_of(uint64_t hash, const char *text)
{
	int is_last = !text;

	for (; !is_last; text += sizeof(uint64_t))
		hash = mix(hash, word_of(text, &is_last));
	return hash;
}

static size_t put(char *to, size_t room, const char *text)
{
	size_t used = 0;

	while (text && text[used] && used < room) {
		to[used] = text[used];
		used++;
	}
	return used;
}

/*
 * Records a name in the form "name", "name(II)V" for methods, or "name I" for
 * fields. Returns its number, or 0 without room.
 */
static uint32_t number_name(const char *name, const char *signature)
{
	char text[WIRE_NAME_BYTES_MAX];
	size_t used = put(text, sizeof(text), name);

	if (signature && *signature != '(')
		used += put(text + used, sizeof(text) - used, " ");
	used += put(text + used, sizeof(text) - used, signature);
	return function_names_add(&rt.recorder->names, &rt.recorder->part,
				  WIRE_RANGE_JNI_NAME, text, used);
}

/*
 * Returns the number of a name, and records it if it is new; 0 if there are too
 * many names or no room. Called with the lock held.
 */
static uint32_t find_name(uint64_t hash, const char *name,
			  const char *signature)
{
	uint64_t i = hash;
	struct asked_name *slot;

	while (notes.names[i % NAMES_ROOM].hash &&
	       notes.names[i % NAMES_ROOM].hash != hash)
		i++;
	slot = &notes.names[i % NAMES_ROOM];
	if (slot->hash)
		return slot->number;
	if (notes.name_count >= NAMES_ROOM / 4 * 3)
		return 0;
	slot->number = number_name(name, signature);
	if (slot->number) {
		slot->hash = hash;
		notes.name_count++;
	}
	return slot->number;
}

/* ---- Notes ---- */

static struct wire_jni_note *slot_of(uint64_t id, enum wire_jni_event what,
				     uint64_t key)
{
	const uint32_t tally = hot.tally->number;
	uint64_t i = finish(mix(id + what, key + tally));
	struct wire_jni_note *note;

	for (;; i++) {
		uint64_t its;

		note = &notes.table[i % NOTES_ROOM];
		its = atomic_load_explicit(&note->id, memory_order_acquire);
		if (!its ||
		    (its == id && note->what == what && note->key == key))
			return note;
	}
}

/*
 * Returns the note with this key, and adds it if necessary; NULL if there are
 * too many. Called with the lock held, so that no other thread adds a note.
 */
static struct wire_jni_note *add(uint64_t id, enum wire_jni_event what,
				 uint64_t key, uint32_t name)
{
	struct wire_jni_note *note = slot_of(id, what, key);

	if (note->id)
		return note;
	if (notes.count >= NOTES_ROOM / 4 * 3)
		return NULL;
	note->key = key;
	note->tally = hot.tally->number;
	note->what = what;
	note->name = name;
	atomic_store_explicit(&note->id, id, memory_order_release);
	notes.count++;
	return note;
}

static int is_there(void)
{
	return notes.table && notes.header == rt.header;
}

static struct wire_jni_note *known(uint64_t id, enum wire_jni_event what,
				   uint64_t key)
{
	struct wire_jni_note *note = slot_of(id, what, key);

	return note->id ? note : NULL;
}

struct wire_jni_note *jni_notes_find(uint64_t id, enum wire_jni_event what)
{
	struct wire_jni_note *note = is_there() ? known(id, what, 0) : NULL;
	uint64_t signals;

	if (note || !is_there())
		return note;
	lock_acquire(&notes.lock, &signals);
	note = add(id, what, 0, 0);
	lock_release(&notes.lock, &signals);
	if (!note)
		jni_notes_miss();
	return note;
}

struct wire_jni_note *jni_notes_find_lookup(uint64_t id, const char *name,
					    const char *signature)
{
	const uint64_t hash = hash_of(hash_of(MULTIPLIER, name), signature) | 2;
	struct wire_jni_note *note =
		is_there() ? known(id, WIRE_JNI_LOOKUP, hash) : NULL;
	uint64_t signals;
	uint32_t number;

	if (note || !is_there())
		return note;
	lock_acquire(&notes.lock, &signals);
	number = find_name(hash, name, signature);
	note = add(id, WIRE_JNI_LOOKUP, number ? hash : SAME_NAME, number);
	lock_release(&notes.lock, &signals);
	if (!note)
		jni_notes_miss();
	return note;
}

uint32_t jni_note_index(const struct wire_jni_note *note)
{
	return (uint32_t)(note - notes.table);
}

struct wire_jni_note *jni_note_at(uint32_t index)
{
	return is_there() ? &notes.table[index % NOTES_ROOM] : NULL;
}
