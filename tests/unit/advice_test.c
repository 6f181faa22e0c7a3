/* SPDX-License-Identifier: MIT */
#include "tests/unit/unit.h"

#include <string.h>

#include "report/view/advice.h"

static void generators_are_known_by_the_stem_of_their_modules(void **state)
{
	static const struct {
		const char *module, *option;
	} known[] = {
		{ "node", "--perf-basic-prof" },
		{ "libnode.so.108", "--perf-basic-prof" },
		{ "libjvm.so", "--java=off" },
		{ "opcache.so", "opcache.jit_debug=0x10" },
		{ "beam.smp", "+JPperf true" },
		{ "mono-sgen", "--jitmap" },
		{ "luajit-2.1.0-beta3", "-joff" },
		{ "libluajit-5.1.so.2", "jit.off()" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		const char *how = advice_for_generator(known[i].module);

		assert_non_null(how);
		assert_non_null(strstr(how, known[i].option));
	}
}

static void other_modules_get_no_advice(void **state)
{
	(void)state;
	assert_null(advice_for_generator("node_exporter"));
	assert_null(advice_for_generator("monotone"));
	assert_null(advice_for_generator("libc.so.6"));
	assert_null(advice_for_generator("libpython3.12.so.1.0"));
	assert_null(advice_for_generator(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			generators_are_known_by_the_stem_of_their_modules),
		cmocka_unit_test(other_modules_get_no_advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
