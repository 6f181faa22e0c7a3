/* SPDX-License-Identifier: MIT */
#include "preload/next.h"

#include <link.h>
#include <stddef.h>

#include "preload/lookup.h"

struct next_functions next;
void *next_libc_start_main;
void *next_syscall;

/* Remember the bounds of the module that _Unwind_GetCFA is in. */
static int note_unwinder(struct dl_phdr_info *info, size_t size, void *context)
{
	const uintptr_t wanted = (uintptr_t)next._Unwind_GetCFA;
	uintptr_t start = UINTPTR_MAX, end = 0;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD)
			continue;
		if (at < start)
			start = at;
		if (at + segment->p_memsz > end)
			end = at + segment->p_memsz;
	}
	if (wanted < start || wanted >= end)
		return 0;
	next.unwinder_start = start;
	next.unwinder_end = end;
	return 1;
}

void next_find(void)
{
#define X(name) next.name = lookup_next(#name);
	NEXT_FUNCTIONS(X)
#undef X
	NEXT(dl_iterate_phdr)(note_unwinder, NULL);
	next_libc_start_main = lookup_next("__libc_start_main");
	next_syscall = lookup_next("syscall");
}
