/* SPDX-License-Identifier: MIT */
/* See table_alias.h. */
#include "preload/record/table_alias.h"

#include "preload/sys/sys.h"

#define BLANK_FLAGS (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

int table_alias_map(struct mapping *mapping, const struct chunk *chunk,
		    uint64_t reach)
{
	unsigned char *at;
	long got;

	if (reach <= sizeof(struct wire_count) << mapping->log2)
		return 0;
	at = place_map(chunk->bytes + reach, PROT_READ, BLANK_FLAGS, -1, 0);
	if (sys_failed(at))
		return -ENOMEM;
	got = sys_call(SYS_mremap, (long)chunk->head, 0, (long)chunk->bytes,
		       MREMAP_MAYMOVE | MREMAP_FIXED, (long)at, 0);
	if (got < 0) {
		sys_munmap(at, chunk->bytes + reach);
		return -ENOMEM;
	}
	mapping->table = (struct wire_count *)(at + ((uintptr_t)mapping->table -
						     (uintptr_t)chunk->head));
	mapping->alias = at;
	mapping->alias_bytes = chunk->bytes;
	return 0;
}

void table_alias_blank(const struct mapping *mapping)
{
	if (mapping->alias)
		sys_mmap(mapping->alias, mapping->alias_bytes, SYS_PROT_OURS,
			 BLANK_FLAGS | MAP_FIXED, -1, 0);
}
