/* SPDX-License-Identifier: MIT */
#include "jvm/natives/bridges.h"

#include <errno.h>
#include <stdint.h>

#include "jvm/natives/bridge.h"
#include "jvm/natives/bridge_code.h"
#include "preload/hot/runtime.h"
#include "preload/sys/lock.h"
#include "preload/sys/seal.h"
#include "preload/sys/sys.h"

/*
 * Code and records are allocated in chunks. The code of all bridges of a chunk
 * is written together, so that it is never writable and executable at the same
 * time.
 */
#define CHUNK_BRIDGES 2048
#define CODE_BYTES    ((uint64_t)CHUNK_BRIDGES * BRIDGE_CODE_BYTES)

/*
 * A method has at most 255 arguments (JVMS 4.3.3), and its C function has two
 * more: JNIEnv *, and the object or class.
 */
#define STACK_WORDS_MAX (255 + 2 - ARGUMENTS_GENERAL)

struct bridge_chunk {
	struct bridge_chunk *older;
	uint8_t *code;
	uint32_t used;
	struct bridge records[CHUNK_BRIDGES];
};

static struct {
	struct lock lock; /* held while a bridge is added */
	struct bridge_chunk *_Atomic newest;
} bridges;

/*
 * Returns the end of the argument that begins at `at` in a signature. 'L'
 * begins a class's name, '[' an array.
 */
static const char *skip(const char *at)
{
	while (*at == '[')
		at++;
	if (*at != 'L')
		return *at ? at + 1 : at;
	while (*at && *at != ';')
		at++;
	return *at ? at + 1 : at;
}

/*
 * Returns how many words of the arguments are on the stack, by the method's
 * signature; -1 if the signature is invalid.
 */
static int stack_words(const char *signature)
{
	int general = 2, vector = 0; /* JNIEnv *, and the class or object */
	const char *at = signature + 1;

	if (*signature != '(')
		return -1;
	for (; *at && *at != ')'; at = skip(at))
		if (*at == 'F' || *at == 'D')
			vector++;
		else
			general++;
	if (*at != ')')
		return -1;
	general = general > ARGUMENTS_GENERAL ? general - ARGUMENTS_GENERAL : 0;
	vector = vector > ARGUMENTS_VECTOR ? vector - ARGUMENTS_VECTOR : 0;
	return general + vector;
}

static struct bridge_chunk *make_chunk(void)
{
	struct bridge_chunk *chunk = sys_map_private(sizeof(*chunk));
	uint8_t *code = sys_map_private(CODE_BYTES);

	if (!sys_failed(chunk) && !sys_failed(code)) {
		for (uint32_t i = 0; i < CHUNK_BRIDGES; i++)
			bridge_code_write(code + i * BRIDGE_CODE_BYTES,
					  &chunk->records[i]);
		if (!seal_pages(code, CODE_BYTES)) {
			chunk->code = code;
			chunk->older = bridges.newest;
			atomic_store(&bridges.newest, chunk);
			return chunk;
		}
	}
	if (!sys_failed(chunk))
		sys_munmap(chunk, sizeof(*chunk));
	if (!sys_failed(code))
		sys_munmap(code, CODE_BYTES);
	return NULL;
}

static struct bridge_chunk *chunk_with_room(void)
{
	struct bridge_chunk *newest = bridges.newest;

	return newest && newest->used < CHUNK_BRIDGES ? newest : make_chunk();
}

static struct bridge *make(void *native, const void *method)
{
	struct bridge_chunk *chunk = chunk_with_room();
	struct bridge *bridge;

	if (!chunk)
		return NULL;
	bridge = &chunk->records[chunk->used];
	*bridge = (struct bridge){
		.target = (uintptr_t)native,
		.native = (uintptr_t)native,
		.original = native,
		.method = method,
		.entry = chunk->code + chunk->used * BRIDGE_CODE_BYTES,
	};
	chunk->used++;
	return bridge;
}

/*
 * Returns an existing bridge for the native, perhaps of an earlier session, or
 * NULL.
 */
static struct bridge *find_former(const void *native, const void *method)
{
	for (struct bridge_chunk *c = bridges.newest; c; c = c->older)
		for (uint32_t i = 0; i < c->used; i++)
			if (c->records[i].native == (uintptr_t)native &&
			    c->records[i].method == method)
				return &c->records[i];
	return NULL;
}

static struct bridge *take(void *native, const void *method, uint64_t words)
{
	struct bridge *bridge = NULL;
	uint64_t signals;

	if (runtime_is_filtered())
		return NULL;
	lock_acquire(&bridges.lock, &signals);
	if (rt.is_late)
		bridge = find_former(native, method);
	if (!bridge)
		bridge = make(native, method);
	if (bridge)
		atomic_store(&bridge->stack_words, words);
	lock_release(&bridges.lock, &signals);
	return bridge;
}

struct bridge *bridges_find(const void *entry)
{
	const uint8_t *at = entry;
	struct bridge_chunk *chunk = bridges.newest;

	while (chunk && (at < chunk->code || at >= chunk->code + CODE_BYTES))
		chunk = chunk->older;
	return chunk ? &chunk->records[(at - chunk->code) / BRIDGE_CODE_BYTES]
		     : NULL;
}

/*
 * Makes bridges call the native's code instead of its relay, because a later
 * session may give the relay to another native.
 */
void bridges_close(void)
{
	atomic_store(&bridges_are_closed, 1);
	for (struct bridge_chunk *c = bridges.newest; c; c = c->older)
		for (uint32_t i = 0; i < c->used; i++)
			atomic_store(&c->records[i].target,
				     c->records[i].native);
}

void bridges_yield(void)
{
	atomic_store(&bridges_are_yielding, 1);
}

void bridges_open(void)
{
	atomic_store(&bridges_are_closed, 0);
}

struct bridge *bridges_make_early(void *native, const void *method)
{
	return take(native, method, STACK_WORDS_MAX);
}

void *bridges_entry(const struct bridge *bridge)
{
	return bridge->entry;
}

int bridges_set_arguments(struct bridge *bridge, const char *signature)
{
	const int words = stack_words(signature);

	if (words >= 0)
		atomic_store(&bridge->stack_words, (uint64_t)words);
	return words >= 0;
}

struct bridge *bridges_make(void *native, const void *method,
			    const char *signature)
{
	const int words = stack_words(signature);

	return words < 0 ? NULL : take(native, method, (uint64_t)words);
}
