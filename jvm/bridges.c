/* SPDX-License-Identifier: MIT */
#include "jvm/bridges.h"

#include <errno.h>
#include <stdint.h>

#include "jvm/bridge.h"
#include "jvm/bridge_code.h"
#include "preload/hot/runtime.h"
#include "preload/sys/lock.h"
#include "preload/sys/sys.h"

/*
 * Code and records are made by the chunk: the code of all of a chunk's bridges, so
 * that it is never writable and executable at once.
 */
#define CHUNK_BRIDGES 2048
#define CODE_BYTES    ((uint64_t)CHUNK_BRIDGES * BRIDGE_CODE_BYTES)
#define RECORD_BYTES  (CHUNK_BRIDGES * sizeof(struct bridge))

/* A method has 255 arguments or fewer (JVMS 4.3.3), and C gets two more. */
#define STACK_WORDS_MAX (255 + 2 - ARGUMENTS_GENERAL)

static struct {
	struct lock lock;
	uint8_t *code; /* of the newest chunk */
	struct bridge *records;
	uint32_t left; /* of them */
} bridges;

/* Past one argument: of its class, which is 'L' and '[' for references. */
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

/* Words that the arguments take on the stack; -1: that is no signature. */
static int stack_words(const char *signature)
{
	int general = 2, vector = 0; /* JNIEnv * and the class, or the object */
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

static int make_chunk(void)
{
	struct bridge *records = sys_map_private(RECORD_BYTES);
	uint8_t *code = sys_map_private(CODE_BYTES);

	if (!sys_failed(records) && !sys_failed(code)) {
		for (uint32_t i = 0; i < CHUNK_BRIDGES; i++)
			bridge_code_write(code + i * BRIDGE_CODE_BYTES,
					  &records[i]);
		if (!sys_mprotect(code, CODE_BYTES, PROT_READ | PROT_EXEC)) {
			bridges.code = code;
			bridges.records = records;
			bridges.left = CHUNK_BRIDGES;
			return 0;
		}
	}
	if (!sys_failed(records))
		sys_munmap(records, RECORD_BYTES);
	if (!sys_failed(code))
		sys_munmap(code, CODE_BYTES);
	return -ENOMEM;
}

static struct bridge *take(void *native, const void *method, uint64_t words)
{
	struct bridge *bridge = NULL;
	uint64_t signals;

	if (runtime_is_filtered())
		return NULL;
	lock_acquire(&bridges.lock, &signals);
	if (bridges.left || !make_chunk()) {
		const uint32_t i = CHUNK_BRIDGES - bridges.left--;

		bridge = &bridges.records[i];
		*bridge = (struct bridge){
			.target = (uintptr_t)native,
			.native = (uintptr_t)native,
			.stack_words = words,
			.method = method,
			.entry = bridges.code + i * BRIDGE_CODE_BYTES,
		};
	}
	lock_release(&bridges.lock, &signals);
	return bridge;
}

struct bridge *bridges_make_early(void *native, const void *method)
{
	return take(native, method, STACK_WORDS_MAX);
}

void *bridges_entry(const struct bridge *bridge)
{
	return bridge->entry;
}

int bridges_tell(struct bridge *bridge, const char *signature)
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
