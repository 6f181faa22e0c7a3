/* SPDX-License-Identifier: MIT */
/*
 * Tests of files whose analysis could take for ever. The work is bounded by the
 * size of the file or by a constant. The result shows that the bound was met;
 * the test measures no time.
 */
#include "disasm_fixture.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image/branches.h"
#include "image/functions.h"
#include "image/image.h"
#include "image/unwinder.h"

#define FUNCTION_BYTES 16
#define LEA_BYTES      7
#define ENTRY_BYTES    4
#define FIRST_AT       128

/* headers | code | data | symbols | sections, at vaddr 0 */
struct file {
	uint8_t *bytes;
	size_t code_bytes, data_bytes, size;
};

static uint8_t *code_of(const struct file *file)
{
	return file->bytes + FIRST_AT;
}

static void put_headers(const struct file *file, uint32_t functions)
{
	const uint64_t symbols_at =
		FIRST_AT + file->code_bytes + file->data_bytes;
	const uint64_t sections_at = symbols_at + functions * sizeof(Elf64_Sym);
	const Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shoff = sections_at,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
	};
	const Elf64_Phdr segment = { .p_type = PT_LOAD,
				     .p_flags = PF_R | PF_X,
				     .p_filesz = file->size,
				     .p_memsz = file->size };
	const Elf64_Shdr sections[3] = {
		[1] = { .sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			.sh_addr = FIRST_AT,
			.sh_offset = FIRST_AT,
			.sh_size = file->code_bytes },
		[2] = { .sh_type = SHT_SYMTAB,
			.sh_offset = symbols_at,
			.sh_size = functions * sizeof(Elf64_Sym),
			.sh_entsize = sizeof(Elf64_Sym) },
	};

	memcpy(file->bytes, &header, sizeof(header));
	memcpy(file->bytes + sizeof(header), &segment, sizeof(segment));
	memcpy(file->bytes + sections_at, sections, sizeof(sections));
}

/*
 * Creates a file with data and functions of equal size, whose code the caller
 * writes.
 */
static struct file file_make(uint32_t functions, size_t function_bytes,
			     size_t data_bytes)
{
	struct file file = { .code_bytes = functions * function_bytes,
			     .data_bytes = data_bytes };
	uint8_t *symbols;

	assert_int_equal((file.code_bytes | file.data_bytes) % 8, 0);
	file.size = FIRST_AT + file.code_bytes + data_bytes +
		    functions * sizeof(Elf64_Sym) + 3 * sizeof(Elf64_Shdr);
	file.bytes = calloc(1, file.size);
	assert_non_null(file.bytes);
	put_headers(&file, functions);
	symbols = code_of(&file) + file.code_bytes + data_bytes;
	for (uint32_t i = 0; i < functions; i++) {
		const Elf64_Sym symbol = {
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = 1,
			.st_value = FIRST_AT + i * function_bytes,
			.st_size = function_bytes,
		};

		memcpy(symbols + i * sizeof(symbol), &symbol, sizeof(symbol));
	}
	return file;
}

static int find_branches(const struct file *file, struct decoder *decoder,
			 struct arena *arena, struct branches *branches)
{
	struct functions functions;
	struct image image;

	assert_int_equal(image_init(&image, file->bytes, file->size), 0);
	assert_int_equal(functions_find(&image, arena, &functions), 0);
	return branches_find(&image, decoder, &functions, arena, branches);
}

/* ---- Jump tables ---- */

/*
 * Reads a function of `leas` instructions `lea table(%rip),%rax`, each of which
 * may belong to a switch. The tables begin at the first 256 entries in turn,
 * and all end together. Each entry leads to the code.
 */
static int read_tables(struct decoder *decoder, uint32_t leas, uint32_t entries)
{
	const size_t code_bytes = (leas * LEA_BYTES + 1 + 7) & ~7UL;
	struct file file = file_make(1, code_bytes, entries * ENTRY_BYTES);
	const int64_t table_at = (int64_t)(FIRST_AT + code_bytes);
	struct arena arena = { 0 };
	struct branches branches;
	uint8_t *code = code_of(&file);
	int err;

	memset(code, 0x90, code_bytes);
	for (uint32_t i = 0; i < leas; i++) {
		static const uint8_t lea[] = { 0x48, 0x8d, 0x05 };
		const int64_t at = FIRST_AT + i * LEA_BYTES;
		const int32_t disp =
			(int32_t)(table_at + i % 256 * ENTRY_BYTES - at -
				  LEA_BYTES);

		memcpy(code + i * LEA_BYTES, lea, sizeof(lea));
		memcpy(code + i * LEA_BYTES + sizeof(lea), &disp, sizeof(disp));
	}
	code[code_bytes - 1] = 0xc3;
	for (uint32_t i = 0; i < entries; i++) {
		/* leads back into the code from the start of any table */
		const int32_t distance = -(int32_t)(code_bytes - 1);

		memcpy(code + code_bytes + i * ENTRY_BYTES, &distance,
		       sizeof(distance));
	}
	err = find_branches(&file, decoder, &arena, &branches);
	arena_fini(&arena);
	free(file.bytes);
	return err;
}

static void tables_that_fill_the_file_are_read(void **state)
{
	assert_int_equal(read_tables(*state, 1, 60000), 0);
	assert_int_equal(read_tables(*state, 4, 60000), 0);
}

/*
 * The tables have a thousand million entries in total. The reader must limit
 * their number.
 */
static void tables_that_share_their_entries_end(void **state)
{
	assert_int_equal(read_tables(*state, 20000, 60000), -EBADMSG);
}

/* ---- Unwinders ---- */

#define CHAIN 100000

/*
 * Creates functions that call each other in a chain. The first one has the form
 * of an unwinder's.
 */
static struct file make_chain(void)
{
	static const uint8_t lands[] = { 0x48, 0x89, 0xcc, 0xc3 };
	static const uint8_t call[] = { 0xe8, FUNCTION_BYTES - 5, 0x00, 0x00,
					0x00 };
	struct file file = file_make(CHAIN, FUNCTION_BYTES, 0);
	uint8_t *code = code_of(&file);

	memset(code, 0x90, file.code_bytes);
	for (uint32_t i = 0; i < CHAIN; i++, code += FUNCTION_BYTES) {
		if (i + 1 < CHAIN)
			memcpy(code, call, sizeof(call));
		if (!i)
			memcpy(code + sizeof(call), lands, sizeof(lands));
		else
			code[sizeof(call)] = 0xc3;
	}
	return file;
}

/*
 * Each round of the search follows one more call, and reads all references
 * again.
 */
static void an_unwinder_is_not_followed_for_ever(void **state)
{
	struct file file = make_chain();
	struct arena arena = { 0 };
	struct branches branches;

	assert_int_equal(find_branches(&file, *state, &arena, &branches), 0);
	assert_true(branches.notes[0].is_unwinders);
	for (uint32_t i = 1; i <= UNWINDER_DEPTH_MAX; i++)
		assert_true(branches.notes[i].is_unwinders);
	assert_false(branches.notes[UNWINDER_DEPTH_MAX + 1].is_unwinders);
	arena_fini(&arena);
	free(file.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_that_fill_the_file_are_read),
		cmocka_unit_test(tables_that_share_their_entries_end),
		cmocka_unit_test(an_unwinder_is_not_followed_for_ever),
	};

	return cmocka_run_group_tests(tests, fixture_open_decoder, NULL);
}
