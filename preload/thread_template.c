/* SPDX-License-Identifier: MIT */
#include "preload/thread_template.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

#include "preload/hot/thread.h"
#include "preload/next.h"
#include "preload/sys.h"

#define PAGE_MASK (~(uintptr_t)4095)

/* Where the initial values of `hot` are, once found. */
static int find_image(struct dl_phdr_info *info, size_t size, void *context)
{
	const unsigned char *block = info->dlpi_tls_data;
	ptrdiff_t at = (const unsigned char *)&hot - block;

	if (size < offsetof(struct dl_phdr_info, dlpi_tls_data) +
			    sizeof(info->dlpi_tls_data) ||
	    !block)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_TLS || at < 0 ||
		    (size_t)at + sizeof(hot) > segment->p_filesz)
			continue;
		*(uintptr_t *)context =
			info->dlpi_addr + segment->p_vaddr + (uintptr_t)at;
		return 1;
	}
	return 0;
}

/* The image lies in memory that the loader has made read-only. */
static int write_word(uintptr_t at, uint64_t word)
{
	void *page = (void *)(at & PAGE_MASK);
	size_t bytes = at + sizeof(word) - (uintptr_t)page;
	int err = sys_mprotect(page, bytes, PROT_READ | PROT_WRITE);

	if (err)
		return err;
	memcpy((void *)at, &word, sizeof(word));
	return sys_mprotect(page, bytes, PROT_READ);
}

int thread_template_go_elsewhere(void)
{
	uintptr_t image = 0;
	int err;

	NEXT(dl_iterate_phdr)(find_image, &image);
	if (!image)
		return -ENOENT;
	err = write_word(image + offsetof(struct hot_thread, entry_base), 0);
	if (err)
		return err;
	hot.entry_base = 0;
	return 0;
}
