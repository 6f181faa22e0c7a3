/* SPDX-License-Identifier: MIT */
/*
 * Damaged ELF files: the test damages each structure of a sound file, this
 * program, in turn. Nothing may crash or hang, and all results must lie inside
 * the file. The address sanitizer makes this test much stronger.
 */
#include "disasm_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/analysis.h"
#include "image/eh_frame.h"
#include "image/functions.h"
#include "image/symbols.h"

struct copy {
	uint8_t *bytes;
	size_t size;
};

static int read_self(void **state)
{
	static struct copy copy;
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -1;
	copy.size = (size_t)st.st_size;
	copy.bytes = malloc(copy.size);
	*state = &copy;
	if (read(fd, copy.bytes, copy.size) != st.st_size)
		return -1;
	return close(fd);
}

static int free_self(void **state)
{
	struct copy *copy = *state;

	free(copy->bytes);
	return 0;
}

/*
 * Succeeds with any result or error, as long as all functions lie in the file.
 */
static int find_functions(const uint8_t *bytes, size_t size)
{
	struct arena arena = { 0 };
	struct functions functions;
	struct image image;
	int err = image_init(&image, bytes, size);

	if (!err)
		err = functions_find(&image, &arena, &functions);
	for (uint32_t i = 0; !err && i < functions.count; i++) {
		const struct function *f = &functions.list[i];
		uint64_t left = 0;

		assert_non_null(image_at(&image, f->vaddr, &left));
		assert_true(f->size <= left);
		assert_true(i == 0 || f[-1].vaddr < f->vaddr);
	}
	arena_fini(&arena);
	return err;
}

static void the_sound_file_is_understood(void **state)
{
	const struct copy *copy = *state;

	assert_int_equal(find_functions(copy->bytes, copy->size), 0);
}

static void truncated_files_are_refused_or_sound(void **state)
{
	const struct copy *copy = *state;

	/* A separate allocation lets a sanitizer detect reads past its end. */
	for (size_t size = 0; size < copy->size;
	     size += size < 4096 ? 1 : 4001) {
		uint8_t *cut = malloc(size ? size : 1);
		int err;

		memcpy(cut, copy->bytes, size);
		err = find_functions(cut, size);
		if (size < sizeof(Elf64_Ehdr))
			assert_int_equal(err, -ENOEXEC);
		free(cut);
	}
}

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005 + 1442695040888963407;
	return *seed >> 33;
}

/*
 * Changes a few bytes of [start, start + size) many times and checks each
 * result.
 */
static void spoil(struct copy *copy, size_t start, size_t size, int rounds)
{
	uint8_t *saved = malloc(size);
	uint64_t seed = start + size;

	assert_true(start + size <= copy->size);
	memcpy(saved, copy->bytes + start, size);
	for (int i = 0; i < rounds; i++) {
		for (uint64_t n = 1 + next_random(&seed) % 4; n > 0; n--) {
			uint64_t at = start + next_random(&seed) % size;
			uint8_t byte = (uint8_t)next_random(&seed);

			copy->bytes[at] = next_random(&seed) % 3 ? byte : 0xff;
		}
		find_functions(copy->bytes, copy->size);
		memcpy(copy->bytes + start, saved, size);
	}
	free(saved);
}

static void spoil_section(struct copy *copy, const char *name, int rounds)
{
	struct image image;
	const Elf64_Shdr *section;

	assert_int_equal(image_init(&image, copy->bytes, copy->size), 0);
	section = image_section(&image, name);
	if (section && section->sh_size)
		spoil(copy, section->sh_offset, section->sh_size, rounds);
}

/* The first segment gets to end between two bytes of a function. */
static void segments_that_overlap_do_no_harm(void **state)
{
	struct copy *copy = *state;
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)copy->bytes;
	Elf64_Phdr *segment = (Elf64_Phdr *)(copy->bytes + header->e_phoff);
	Elf64_Phdr *first, *code;

	while (segment->p_type != PT_LOAD)
		segment++;
	first = segment;
	while (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
		segment++;
	code = segment;
	for (uint64_t bytes = 64; bytes < 2048; bytes += 7) {
		const Elf64_Phdr before = *first;

		first->p_filesz = code->p_vaddr + bytes - first->p_vaddr;
		find_functions(copy->bytes, copy->size);
		*first = before;
	}
}

static void spoilt_headers_do_no_harm(void **state)
{
	struct copy *copy = *state;
	const Elf64_Ehdr *header = (const void *)copy->bytes;

	spoil(copy, 16, sizeof(*header) - 16, 300);
	spoil(copy, header->e_phoff, header->e_phnum * sizeof(Elf64_Phdr), 300);
	spoil(copy, header->e_shoff, header->e_shnum * sizeof(Elf64_Shdr), 300);
}

static void spoilt_unwind_information_does_no_harm(void **state)
{
	struct copy *copy = *state;
	struct image image;
	size_t frame_bytes;

	assert_int_equal(image_init(&image, copy->bytes, copy->size), 0);
	frame_bytes = image_section(&image, ".eh_frame")->sh_size;
	assert_true(frame_bytes > 256);
	spoil_section(copy, ".eh_frame_hdr", 300);
	spoil_section(copy, ".eh_frame", 500);
	/* The first CIE, which many FDEs share, and its FDEs. */
	spoil(copy, image_section(&image, ".eh_frame")->sh_offset, 256, 500);
}

static void spoilt_symbols_do_no_harm(void **state)
{
	spoil_section(*state, ".symtab", 200);
	spoil_section(*state, ".dynsym", 200);
	spoil_section(*state, ".strtab", 200);
}

static int write_and_analyse(const uint8_t *bytes, size_t size)
{
	char path[] = "/tmp/clew-hostile-XXXXXX";
	int fd = mkstemp(path);
	struct arena arena = { 0 };
	struct analysis analysis;
	int err;

	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	err = analysis_of_file(path, NULL, &arena, &analysis);
	unlink(path);
	arena_fini(&arena);
	return err;
}

static void other_files_are_no_modules(void **state)
{
	struct copy *copy = *state;
	uint8_t header[64];

	assert_int_equal(write_and_analyse((const uint8_t *)"#!/bin/sh", 9),
			 -ENOEXEC);
	assert_int_equal(write_and_analyse(NULL, 0), -ENOEXEC);
	memcpy(header, copy->bytes, sizeof(header));
	header[EI_CLASS] = ELFCLASS32;
	assert_int_equal(write_and_analyse(header, sizeof(header)), -ENOEXEC);
	memcpy(header, copy->bytes, sizeof(header)); /* no program headers */
	assert_int_equal(write_and_analyse(header, sizeof(header)), -EBADMSG);
}

static void directories_and_nothing_are_errors(void **state)
{
	struct arena arena = { 0 };
	struct analysis analysis;

	assert_int_equal(analysis_of_file("/", NULL, &arena, &analysis),
			 -ENOEXEC);
	assert_int_equal(
		analysis_of_file("/nowhere/at/all", NULL, &arena, &analysis),
		-ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sound_file_is_understood),
		cmocka_unit_test(truncated_files_are_refused_or_sound),
		cmocka_unit_test(segments_that_overlap_do_no_harm),
		cmocka_unit_test(spoilt_headers_do_no_harm),
		cmocka_unit_test(spoilt_unwind_information_does_no_harm),
		cmocka_unit_test(spoilt_symbols_do_no_harm),
		cmocka_unit_test(other_files_are_no_modules),
		cmocka_unit_test(directories_and_nothing_are_errors),
	};

	return cmocka_run_group_tests(tests, read_self, free_self);
}
