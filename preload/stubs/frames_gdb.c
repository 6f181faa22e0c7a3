/* SPDX-License-Identifier: MIT */
/*
 * gdb's interface for generated code ("JIT Interface" in its manual): gdb sets
 * a breakpoint on a function that does nothing, and reads a list of ELF images
 * when the breakpoint is hit, or when it attaches.
 *
 * gdb searches every module's symbols for the names below, including this
 * library's. These names are not exported, because a program with a list of its
 * own, such as one that contains LLVM, must use its own.
 */
#include <stdint.h>

#include "preload/hot/runtime.h"
#include "preload/stubs/frames.h"
#include "preload/stubs/stub_image.h"
#include "preload/sys/sys.h"

enum { JIT_NO_ACTION, JIT_REGISTER };

struct jit_code_entry {
	struct jit_code_entry *next, *previous;
	const void *image;
	uint64_t image_bytes;
};

struct jit_descriptor {
	uint32_t version;
	uint32_t action;
	struct jit_code_entry *relevant, *first;
};

void __jit_debug_register_code(void);
extern struct jit_descriptor __jit_debug_descriptor;

__attribute__((
	used)) struct jit_descriptor __jit_debug_descriptor = { .version = 1 };

__attribute__((used, noinline)) void __jit_debug_register_code(void)
{
	__asm__ volatile("" ::: "memory");
}

static struct jit_code_entry entries[WINDOW_BLOCK_MAX];
static struct jit_code_entry trampolines;

static void announce(struct jit_code_entry *entry, uint64_t block)
{
	struct jit_descriptor *list = &__jit_debug_descriptor;

	entry->image = (const void *)(uintptr_t)block;
	entry->image_bytes = sizeof(struct stub_image);
	entry->next = list->first;
	if (list->first)
		list->first->previous = entry;
	list->first = entry;
	list->relevant = entry;
	list->action = JIT_REGISTER;
	__jit_debug_register_code();
	list->action = JIT_NO_ACTION;
}

void frames_announce_to_debugger(struct windows *windows)
{
	for (; windows->announced_count < windows->block_count;
	     windows->announced_count++)
		announce(&entries[windows->announced_count],
			 windows->blocks[windows->announced_count].start);
	if (rt.trampolines && !trampolines.image)
		announce(&trampolines, rt.trampolines);
}
