/* SPDX-License-Identifier: MIT */
/*
 * Tests of modules whose code clew has replaced by copies with hooks
 * (cli/target/target.h).
 */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "cli/target/target.h"
#include "machine/elf_numbers.h"

#define HOOKED "/r/content-a1b2-42-libc.so.6.hooked"

static const char hooked[] =
	"1000-9000 ---p 00000000 fe:00 42 /lib/libc.so.6\n"
	"7000000000-7000002000 r--p 00000000 fe:00 77 " HOOKED "\n"
	"7000002000-7000006000 r-xp 00002000 fe:00 77 " HOOKED "\n"
	"7000006000-7000007000 r--p 00006000 fe:00 42 /lib/libc.so.6 "
	"(deleted)\n"
	"7000007000-7000008000 rw-p 00007000 fe:00 42 /lib/libc.so.6 "
	"(deleted)\n"
	"7000100000-7000102000 r-xp 00000000 fe:00 78 "
	"/r/content-a1b2-43-libm.so.6.hooked\n"
	"7000200000-7000202000 r-xp 00000000 fe:00 79 /r/content-a1b2.stubs\n";

/* A process with glibc 2.31, whose libraries' sonames are symbolic links. */
static const char older[] =
	"1000-2000 r-xp 00000000 fe:00 1 /lib/libcrypt-2.31.so\n"
	"2000-3000 r-xp 00000000 fe:00 2 /lib/libc-3.so\n"
	"3000-4000 r-xp 00000000 fe:00 3 /lib/libc-2.31.so.1\n"
	"5000-6000 r-xp 00000000 fe:00 4 /lib/libc-2.31.so\n"
	"6000-7000 r-xp 00000000 fe:00 5 /lib/libdl-2.31.so\n"
	"7000-8000 r-xp 00000000 fe:00 6 /lib/libpthread-2.31.so\n"
	"8000-9000 r-xp 00000000 fe:00 7 /lib/libclew-2.31.so\n"
	"9000-a000 r-xp 00000000 fe:00 8 /lib/ld-2.31.so\n";

static struct target_maps parse(const char *text)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	struct target_maps maps;

	assert_non_null(file);
	target_parse_maps(file, &maps);
	fclose(file);
	return maps;
}

static void hooked_copy_counts_as_its_module(void **state)
{
	struct target_maps maps = parse(hooked);
	const struct target_mapping *libc = target_module(&maps, "libc.so.6");
	const struct target_mapping *code =
		target_find(&maps, UINT64_C(0x7000003000));

	assert_non_null(libc);
	assert_int_equal(libc->start, UINT64_C(0x7000000000));
	assert_int_equal(libc->is_hooked, 1);
	assert_int_equal(libc->is_deleted, 1);
	assert_string_equal(code->path, "/lib/libc.so.6");
	assert_int_equal(code->inode, 42);
	assert_int_equal(code->is_hooked, 1);
	target_free_maps(&maps);
}

static void other_files_keep_their_names(void **state)
{
	struct target_maps maps = parse(hooked);
	const struct target_mapping *lone =
		target_find(&maps, UINT64_C(0x7000100000));
	const struct target_mapping *stubs =
		target_find(&maps, UINT64_C(0x7000200000));

	assert_string_equal(lone->path, "/r/content-a1b2-43-libm.so.6.hooked");
	assert_int_equal(lone->is_hooked, 1);
	assert_string_equal(stubs->path, "/r/content-a1b2.stubs");
	assert_int_equal(stubs->is_hooked, 0);
	assert_int_equal(maps.items[0].is_hooked, 0);
	target_free_maps(&maps);
}

static void older_names_of_glibc_are_found(void **state)
{
	static const struct {
		const char *soname;
		uint64_t start;
	} modules[] = {
		{ "libc.so.6", 0x5000 },
		{ "libdl.so.2", 0x6000 },
		{ "libpthread.so.0", 0x7000 },
		{ MACHINE_LOADER, 0x9000 },
	};
	struct target_maps maps = parse(older);

	for (size_t i = 0; i < sizeof(modules) / sizeof(*modules); i++) {
		const struct target_mapping *found =
			target_module(&maps, modules[i].soname);

		assert_non_null(found);
		assert_int_equal(found->start, modules[i].start);
	}
	assert_null(target_module(&maps, "libclew.so"));
	target_free_maps(&maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hooked_copy_counts_as_its_module),
		cmocka_unit_test(other_files_keep_their_names),
		cmocka_unit_test(older_names_of_glibc_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
