/* SPDX-License-Identifier: MIT */
#include "disasm_fixture.h"

#include <errno.h>
#include <string.h>

#include "image/cfi.h"

#define COLUMN_RA 16

/* The usual initial rules of compilers: CFA = rsp + 8, rip at CFA - 8. */
#define USUAL           "\x0c\x07\x08\x90\x01"

#define ENTRY(cie, fde) entry(cie, sizeof(cie) - 1, fde, sizeof(fde) - 1)

static struct bytes program(const char *text, size_t bytes)
{
	const uint8_t *start = (const uint8_t *)text;

	return (struct bytes){ start, start + bytes, 0 };
}

static int entry(const char *cie, size_t cie_bytes, const char *fde,
		 size_t fde_bytes)
{
	struct cfi_rules rules = {
		.code_alignment = 1,
		.data_alignment = -8,
		.return_column = COLUMN_RA,
		.pointer_bytes = 4,
	};

	return cfi_entry_of(&rules, program(cie, cie_bytes),
			    program(fde, fde_bytes));
}

static void usual_rules_are_an_entry(void **state)
{
	assert_int_equal(ENTRY(USUAL, ""), CFI_CALLED);
	assert_int_equal(ENTRY(USUAL, "\0\0\0"), CFI_CALLED);
}

static void rules_behind_the_first_byte_do_not_matter(void **state)
{
	/* advance_loc 1; def_cfa_offset 16 */
	assert_int_equal(ENTRY(USUAL, "\x41\x0e\x10"), CFI_CALLED);
	/* advance_loc1, 2, 4, set_loc */
	assert_int_equal(ENTRY(USUAL, "\x02\x01\x0e\x10"), CFI_CALLED);
	assert_int_equal(ENTRY(USUAL, "\x03\x01\x00\x0e\x10"), CFI_CALLED);
	assert_int_equal(ENTRY(USUAL, "\x04\x01\0\0\0\x0e\x10"), CFI_CALLED);
	assert_int_equal(ENTRY(USUAL, "\x01\x01\0\0\0\x0e\x10"), CFI_CALLED);
}

static void moving_by_nothing_is_no_move(void **state)
{
	assert_int_equal(ENTRY(USUAL, "\x40\x0e\x10"), CFI_MIDWAY);
}

static void rules_of_the_fde_at_the_first_byte_count(void **state)
{
	assert_int_equal(ENTRY(USUAL, "\x0e\x10"), CFI_MIDWAY);
	assert_int_equal(ENTRY(USUAL, "\x0d\x06"), CFI_MIDWAY);
	assert_int_equal(ENTRY(USUAL, "\x0c\x06\x10"), CFI_MIDWAY);
	/* Later rules may restore the usual ones. */
	assert_int_equal(ENTRY("\x0c\x07\x10\x90\x01", "\x0e\x08"), CFI_CALLED);
}

static void signed_forms_are_the_same(void **state)
{
	/* def_cfa_sf rsp, -1 * -8; offset_extended_sf rip, 1 * -8 */
	assert_int_equal(ENTRY("\x12\x07\x7f\x11\x10\x01", ""), CFI_CALLED);
	assert_int_equal(ENTRY("\x0c\x07\x08\x05\x10\x01", ""), CFI_CALLED);
	/* negative_offset_extended rip, 1: CFA + 8 */
	assert_int_equal(ENTRY("\x0c\x07\x08\x2f\x10\x01", ""), CFI_MIDWAY);
}

static void cfa_expression_is_midway(void **state)
{
	assert_int_equal(ENTRY(USUAL, "\x0f\x02\x77\x08"), CFI_MIDWAY);
}

static void other_return_rules_are_midway(void **state)
{
	assert_int_equal(ENTRY("\x0c\x07\x08", ""), CFI_MIDWAY);
	assert_int_equal(ENTRY(USUAL, "\x90\x02"), CFI_MIDWAY);
	assert_int_equal(ENTRY(USUAL, "\x09\x10\x00"), CFI_MIDWAY);
	assert_int_equal(ENTRY(USUAL, "\x10\x10\x01\x70"), CFI_MIDWAY);
	assert_int_equal(ENTRY(USUAL, "\x08\x10"), CFI_MIDWAY);
}

static void rules_of_other_registers_do_not_matter(void **state)
{
	assert_int_equal(ENTRY(USUAL, "\x86\x02\x07\x03\x09\x03\x04"),
			 CFI_CALLED);
}

static void undefined_return_address_is_known(void **state)
{
	assert_int_equal(ENTRY(USUAL, "\x07\x10"), CFI_NO_RETURN_ADDRESS);
}

static void restore_goes_back_to_the_cie(void **state)
{
	assert_int_equal(ENTRY(USUAL, "\x90\x02\xd0"), CFI_CALLED);
	assert_int_equal(ENTRY(USUAL, "\x07\x10\x06\x10"), CFI_CALLED);
}

static void states_are_remembered(void **state)
{
	assert_int_equal(ENTRY(USUAL, "\x0a\x0e\x10\x0b"), CFI_CALLED);
}

static void damage_is_reported(void **state)
{
	assert_int_equal(ENTRY(USUAL, "\x0b"),
			 -EBADMSG); /* restores a state that was not saved */
	assert_int_equal(ENTRY(USUAL, "\x0a\x0a\x0a\x0a\x0a"), -EBADMSG);
	assert_int_equal(ENTRY(USUAL, "\x3f"),
			 -EBADMSG); /* an unknown opcode */
	assert_int_equal(ENTRY(USUAL, "\x0e"),
			 -EBADMSG); /* a truncated operand */
	assert_int_equal(ENTRY(USUAL, "\x0f\xff\xff\x03"), -EBADMSG);
	assert_int_equal(ENTRY(USUAL, "\x0e\x80\x80\x80\x80\x80\x80\x80\x80"
				      "\x80\x80\x80\x80"),
			 -EBADMSG);
}

static void endless_programs_are_cut_short(void **state)
{
	static char nops[1 << 20];

	assert_int_equal(entry(USUAL, 5, nops, sizeof(nops)), -EBADMSG);
}

static void random_programs_end(void **state)
{
	uint64_t seed = 1;
	char text[32];

	for (int i = 0; i < 200000; i++) {
		for (size_t at = 0; at < sizeof(text); at++) {
			seed = seed * 6364136223846793005 + 1442695040888963407;
			text[at] = (char)(seed >> 56);
		}
		entry(text, 8, text + 8, sizeof(text) - 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usual_rules_are_an_entry),
		cmocka_unit_test(rules_behind_the_first_byte_do_not_matter),
		cmocka_unit_test(moving_by_nothing_is_no_move),
		cmocka_unit_test(rules_of_the_fde_at_the_first_byte_count),
		cmocka_unit_test(signed_forms_are_the_same),
		cmocka_unit_test(cfa_expression_is_midway),
		cmocka_unit_test(other_return_rules_are_midway),
		cmocka_unit_test(rules_of_other_registers_do_not_matter),
		cmocka_unit_test(undefined_return_address_is_known),
		cmocka_unit_test(restore_goes_back_to_the_cie),
		cmocka_unit_test(states_are_remembered),
		cmocka_unit_test(damage_is_reported),
		cmocka_unit_test(endless_programs_are_cut_short),
		cmocka_unit_test(random_programs_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
