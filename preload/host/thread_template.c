/* SPDX-License-Identifier: MIT */
/* See thread_template.h. */
#include "preload/host/thread_template.h"

#include <link.h>
#include <stddef.h>

#include "machine/address_space.h"
#include "preload/host/next.h"
#include "preload/hot/shadow.h"
#include "preload/hot/thread.h"
#include "preload/hot/thread_block.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/own_code.h"
#include "preload/sys/sys.h"

/*
 * Callback of dl_iterate_phdr(): finds the initial values of `hot` in the
 * library's TLS image.
 */
static int find_image(struct dl_phdr_info *info, size_t size, void *context)
{
	const uint64_t at = thread_variables_at();

	if (info->dlpi_addr != own_code_start())
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_TLS ||
		    at + sizeof(hot) > segment->p_filesz)
			continue;
		*(uintptr_t *)context = info->dlpi_addr + segment->p_vaddr + at;
		return 1;
	}
	return 0;
}

static void place_shadow(struct hot_thread *thread)
{
	const uint64_t from_low = -SHADOW_STACK_LOW;

	thread->entry_base = hot_shadow_low == SHADOW_NOWHERE ? 0 : from_low;
	thread->exit_base = hot_shadow_half + from_low - 8;
	thread->shadow_half = hot_shadow_half;
	thread->time_base = hot_time_third + from_low - 8;
}

/* Address of the initial values; 0: not found yet. */
static uintptr_t image;

int thread_template_find(void)
{
	if (!image)
		NEXT(dl_iterate_phdr)(find_image, &image);
	return image ? 0 : -ENOENT;
}

uint64_t thread_template_at(void)
{
	return image;
}

struct hot_thread *thread_template_of(uint64_t block)
{
	return (struct hot_thread *)(block +
				     ((uintptr_t)&hot - thread_block()));
}

void thread_template_copy(uint64_t block)
{
	copy_bytes(thread_template_of(block), (const void *)image, sizeof(hot));
}

/*
 * Makes the image writable for the change, because the loader has made it
 * read-only.
 */
int thread_template_place_shadow(void)
{
	uintptr_t page;
	int err = thread_template_find();

	if (err)
		return err;
	page = image & ~(PAGE_BYTES - 1);
	err = sys_mprotect((void *)page, image + sizeof(hot) - page,
			   PROT_READ | PROT_WRITE);
	if (err)
		return err;
	place_shadow((struct hot_thread *)image);
	place_shadow(&hot);
	return sys_mprotect((void *)page, image + sizeof(hot) - page,
			    PROT_READ);
}
