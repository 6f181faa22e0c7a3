/* SPDX-License-Identifier: MIT */
#include "disasm_fixture.h"

#include "image/symbol_names.h"

static void whole_names_match(void **state)
{
	assert_true(name_is_never_hooked("setjmp"));
	assert_true(name_is_never_hooked("__sigsetjmp"));
	assert_true(name_is_never_hooked("vfork"));
	assert_true(name_is_never_hooked("_start"));
	assert_true(name_is_never_hooked("__dlvsym"));
	assert_true(name_is_never_hooked("__restore_rt"));
	assert_true(name_is_never_hooked("__cyg_profile_func_exit"));
}

static void parts_of_names_do_not(void **state)
{
	assert_false(name_is_never_hooked("setjmp2"));
	assert_false(name_is_never_hooked("my_setjmp"));
	assert_false(name_is_never_hooked("vfor"));
	assert_false(name_is_never_hooked("_start_kernel"));
	assert_false(name_is_never_hooked("main"));
	assert_false(name_is_never_hooked("jump_fcontext"));
	assert_false(name_is_never_hooked(""));
	assert_false(name_is_never_hooked(" "));
	assert_false(name_is_never_hooked("setjmp _setjmp"));
}

static void families_match_by_their_beginning(void **state)
{
	assert_true(name_is_never_hooked("_dl_catch_exception"));
	assert_true(name_is_never_hooked("_Unwind_RaiseException"));
	assert_true(name_is_never_hooked("_Unwind_"));
	assert_false(name_is_never_hooked("dl_catch"));
	assert_false(name_is_never_hooked("_dl"));
}

static void cold_parts_are_known_by_their_suffix(void **state)
{
	assert_true(name_is_cold_part("f.cold"));
	assert_true(name_is_cold_part("f.cold.12"));
	assert_true(name_is_cold_part("f.constprop.0.cold"));
	assert_false(name_is_cold_part("f.colder"));
	assert_false(name_is_cold_part("f_cold"));
	assert_false(name_is_cold_part(".cold"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_names_match),
		cmocka_unit_test(parts_of_names_do_not),
		cmocka_unit_test(families_match_by_their_beginning),
		cmocka_unit_test(cold_parts_are_known_by_their_suffix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
