/* SPDX-License-Identifier: MIT */
/* Tests that Java methods are printed in source form, for any recorded name. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/model/java_name.h"

static void assert_name(const char *class_name, const char *name,
			const char *signature, const char *expected)
{
	char *text = java_name_of(class_name, name, signature);

	assert_string_equal(text, expected);
	free(text);
}

static void types_are_as_in_a_source(void **state)
{
	(void)state;
	assert_name("Lcom/acme/Foo;", "bar", "(ILjava/lang/String;)V",
		    "com.acme.Foo.bar(int, String)");
	assert_name("LFoo;", "f", "()J", "Foo.f()");
	assert_name("La/B$C;", "g", "([[JZBCSFD[La/B$C;)[I",
		    "a.B$C.g(long[][], boolean, byte, char, short, float, "
		    "double, B$C[])");
}

static void names_are_the_same_in_each_run(void **state)
{
	(void)state;
	assert_name("La/B$$Lambda$14.0x00007f3c74000a08;", "f", "()V",
		    "a.B$$Lambda.f()");
	assert_name("La/B$$Lambda.0x0000000075040210;", "f", "()V",
		    "a.B$$Lambda.f()");
	assert_name("Ljava/lang/invoke/LambdaForm$MH.0x0a;", "f", "()V",
		    "java.lang.invoke.LambdaForm$MH.f()");
	assert_name("La/GeneratedMethodAccessor17;", "f", "()V",
		    "a.GeneratedMethodAccessor.f()");
	assert_name("La/B12;", "f", "()V", "a.B12.f()");
	assert_name("L$Proxy0;", "f", "()V", "$Proxy0.f()");
	assert_name("L.0x1;", "f", "()V", ".f()");
	assert_name("L0x1;", "f", "()V", "0x1.f()");
	assert_name("L12;", "f", "()V", "12.f()");
}

static void invalid_signatures_stay_unchanged(void **state)
{
	static const char *const wrong[] = {
		"", "(", "(I", "(Q)V", "(Lx)V", "([)V", "I", ")", "(V)V",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		char expected[64];

		snprintf(expected, sizeof(expected), "x.f%s", wrong[i]);
		assert_name("x", "f", wrong[i], expected);
	}
	assert_name("", "", "()V", ".()");
	assert_name("L;", "f", "()V", "L;.f()");
	assert_name("Lx", "f", "()V", "Lx.f()");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_are_as_in_a_source),
		cmocka_unit_test(names_are_the_same_in_each_run),
		cmocka_unit_test(invalid_signatures_stay_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
