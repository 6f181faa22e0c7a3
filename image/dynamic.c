/* SPDX-License-Identifier: MIT */
/* See dynamic.h. */
#include "image/dynamic.h"

#include "machine/elf_numbers.h"

static struct bytes dynamic_section(const struct image *image)
{
	const Elf64_Phdr *segment = image_segment(image, PT_DYNAMIC);
	struct bytes b = { image->bytes, image->bytes, 0 };

	if (!segment)
		return b;
	b = image_bytes_at(image, segment->p_vaddr);
	if (segment->p_filesz < bytes_left(&b))
		b.end = b.at + segment->p_filesz;
	return b;
}

int dynamic_nth(const struct image *image, int64_t tag, uint32_t n,
		uint64_t *value)
{
	struct bytes b = dynamic_section(image);

	while (bytes_left(&b) >= sizeof(Elf64_Dyn)) {
		int64_t got_tag = bytes_signed(&b, 8);
		uint64_t got = bytes_unsigned(&b, 8);

		if (got_tag == DT_NULL)
			return 0;
		if (got_tag == tag && n-- == 0) {
			*value = got;
			return 1;
		}
	}
	return 0;
}

int dynamic_value(const struct image *image, int64_t tag, uint64_t *value)
{
	return dynamic_nth(image, tag, 0, value);
}

const char *dynamic_string(const struct image *image, uint64_t offset)
{
	uint64_t table;
	struct bytes b;

	if (!dynamic_value(image, DT_STRTAB, &table))
		return NULL;
	b = image_bytes_at(image, table);
	bytes_skip(&b, offset);
	if (b.failed || !memchr(b.at, '\0', bytes_left(&b)))
		return NULL;
	return (const char *)b.at;
}

int dynamic_is_libc(const struct image *image)
{
	static const char *const names[] = {
		"libc.so.6",         MACHINE_LOADER,   "libpthread.so.0",
		"libm.so.6",         "libmvec.so.1",   "librt.so.1",
		"libdl.so.2",        "libresolv.so.2", "libutil.so.1",
		"libthread_db.so.1", "libanl.so.1",    MACHINE_MUSL_SONAME,
		"libc.so",
	};
	uint64_t offset;
	const char *name;

	if (!dynamic_value(image, DT_SONAME, &offset))
		return 0;
	name = dynamic_string(image, offset);
	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return 1;
	return 0;
}
