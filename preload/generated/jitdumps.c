/* SPDX-License-Identifier: MIT */
/* See jitdumps.h. */
#include "preload/generated/jitdumps.h"

#include <stdatomic.h>
#include <string.h>

#include "preload/hot/runtime.h"
#include "preload/record/recorder.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"

/*
 * Maximum number of jitdumps of a process, one for each runtime; further ones
 * are not recorded.
 */
#define NOTES_MAX 8

/*
 * Returns whether the path is this process's jitdump. Returns false in a child
 * that uses its parent's memory (vfork), because the part is the parent's.
 */
static int is_jitdump(const char *path)
{
	const char *slash = strrchr(path, '/');
	char name[32];
	struct text text = text_in(name, sizeof(name));

	text_string(&text, "/jit-");
	text_number(&text, rt.header->pid);
	text_string(&text, ".dump");
	return slash && strcmp(slash, name) == 0 &&
	       (uint32_t)sys_getpid() == rt.header->pid;
}

/*
 * Records a path. The chunk's `used` is stored last, so a reader sees only
 * complete paths.
 */
static void record(const char *path, size_t bytes)
{
	struct chunk chunk;

	if (part_alloc(&rt.recorder->part, WIRE_JITDUMP, 0, bytes, &chunk))
		return;
	copy_bytes(chunk_payload(&chunk), path, bytes);
	atomic_store_explicit(&chunk.head->used, bytes, memory_order_release);
}

void jitdumps_note(const char *path)
{
	static _Atomic uint32_t notes;

	if (rt.header && rt.recorder && !runtime_is_filtered() &&
	    is_jitdump(path) && atomic_fetch_add(&notes, 1) < NOTES_MAX)
		record(path, strlen(path) + 1);
}
