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

void *bridges_make(void *target, const void *method, const char *signature)
{
	const int words = stack_words(signature);
	void *made = NULL;
	uint64_t signals;

	if (words < 0 || runtime_is_filtered())
		return NULL;
	lock_acquire(&bridges.lock, &signals);
	if (bridges.left || !make_chunk()) {
		const uint32_t i = CHUNK_BRIDGES - bridges.left--;

		bridges.records[i] = (struct bridge){
			.target = (uintptr_t)target,
			.stack_words = (uint64_t)words,
			.method = method,
		};
		made = bridges.code + i * BRIDGE_CODE_BYTES;
	}
	lock_release(&bridges.lock, &signals);
	return made;
}
