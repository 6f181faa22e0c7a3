/* SPDX-License-Identifier: MIT */
/*
 * Tests of preload/host/config.c and select.c: which modules and functions the
 * rules of a configuration select.
 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/modules/select.h"
#include "wire/recording.h"

struct fixture {
	char dir[64];
	char path[96];
	struct arena arena;
	struct config config;
	char why[256];
};

static int make_directory(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	strcpy(fixture->dir, "/tmp/clew-select-XXXXXX");
	if (!mkdtemp(fixture->dir))
		return -1;
	snprintf(fixture->path, sizeof(fixture->path), "%s/" WIRE_CONFIG_NAME,
		 fixture->dir);
	*state = fixture;
	return 0;
}

static int remove_directory(void **state)
{
	struct fixture *fixture = *state;

	unlink(fixture->path);
	rmdir(fixture->dir);
	arena_fini(&fixture->arena);
	free(fixture);
	return 0;
}

static int read_config(struct fixture *fixture, const char *text)
{
	FILE *file = fopen(fixture->path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	return config_read(&fixture->config, fixture->dir, &fixture->arena,
			   fixture->why, sizeof(fixture->why));
}

static void no_file_means_defaults(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(config_read(&fixture->config, fixture->dir,
				     &fixture->arena, fixture->why,
				     sizeof(fixture->why)),
			 0);
	assert_null(fixture->config.rules);
	assert_int_equal(fixture->config.verify_period, 65536);
	assert_true(fixture->config.max_contexts > 1000000);
	assert_true(fixture->config.max_contexts < UINT64_MAX);
}

static void each_kind_of_time_has_its_rate(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(read_config(fixture, "time cpu\n"), 0);
	assert_int_equal(fixture->config.time, WIRE_TIME_CPU);
	assert_int_equal(fixture->config.rate_hz, 997);
	assert_int_equal(read_config(fixture, "time wall\n"), 0);
	assert_int_equal(fixture->config.time, WIRE_TIME_WALL);
	assert_int_equal(fixture->config.rate_hz, 997);
	assert_int_equal(read_config(fixture, "rate 50\ntime none\n"), 0);
	assert_int_equal(fixture->config.time, WIRE_TIME_NONE);
	assert_int_equal(fixture->config.rate_hz, 50);
	assert_int_equal(read_config(fixture, "time late\n"), -EINVAL);
	assert_int_equal(read_config(fixture, "rate 0\n"), -EINVAL);
}

static void the_smaller_limit_holds(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(read_config(fixture, "max-contexts 5000\n"
					      "max-memory 64000\n"),
			 0);
	/* leaves room for a "(folded)" node below each context */
	assert_int_equal(fixture->config.max_contexts, 500);
	assert_int_equal(fixture->config.max_contexts_cause, WIRE_FOLD_BYTES);
	assert_int_equal(fixture->config.max_bytes, 64000);
	assert_int_equal(read_config(fixture, "max-memory 64000\n"
					      "max-contexts 400\n"),
			 0);
	assert_int_equal(fixture->config.max_contexts, 400);
	assert_int_equal(fixture->config.max_contexts_cause,
			 WIRE_FOLD_CONTEXTS);
}

static void a_limit_may_exceed_the_default(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(read_config(fixture, "max-contexts 900000000\n"), 0);
	assert_int_equal(fixture->config.max_contexts, 900000000);
	assert_int_equal(fixture->config.max_bytes, 0);
}

static void comments_and_blanks_are_passed_over(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(read_config(fixture, "# one\n\n  \t\n  libc \r\n"), 0);
	assert_true(fixture->config.hook_libc);
}

static void a_wrong_line_is_named(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(read_config(fixture, "libc\nmodul x\n"), -EINVAL);
	assert_non_null(strstr(fixture->why, "line 2"));
	assert_non_null(strstr(fixture->why, "modul"));
	assert_int_equal(read_config(fixture, "function (\n"), -EINVAL);
	assert_int_equal(read_config(fixture, "max-contexts many\n"), -EINVAL);
	assert_int_equal(read_config(fixture, "module\n"), -EINVAL);
}

static void libc_is_excluded_by_default(void **state)
{
	struct fixture *fixture = *state;
	const char *libc = "/lib/x86_64-linux-gnu/libc.so.6";

	assert_int_equal(read_config(fixture, ""), 0);
	assert_int_equal(select_module(&fixture->config, libc), MODULE_IS_LIBC);
	assert_int_equal(
		select_module(&fixture->config, "/lib/libpthread.so.0"),
		MODULE_IS_LIBC);
	assert_int_equal(
		select_module(&fixture->config, "/lib/ld-musl-x86_64.so.1"),
		MODULE_IS_LIBC);
	/* The names of files before glibc 2.34. */
	assert_int_equal(select_module(&fixture->config, "/lib/libc-2.31.so"),
			 MODULE_IS_LIBC);
	assert_int_equal(select_module(&fixture->config, "/lib/libm-2.31.so"),
			 MODULE_IS_LIBC);
	assert_int_equal(
		select_module(&fixture->config, "/lib/libpthread-2.31.so"),
		MODULE_IS_LIBC);
	assert_int_equal(read_config(fixture, "libc\n"), 0);
	assert_int_equal(select_module(&fixture->config, libc),
			 MODULE_IS_HOOKED);
	assert_int_equal(read_config(fixture, "module libc.*\n"), 0);
	assert_int_equal(select_module(&fixture->config, libc),
			 MODULE_IS_HOOKED);
}

static void libjvm_is_excluded_by_default(void **state)
{
	struct fixture *fixture = *state;
	const char *vm = "/usr/lib/jvm/17/lib/server/libjvm.so";

	assert_int_equal(read_config(fixture, ""), 0);
	assert_int_equal(select_module(&fixture->config, vm),
			 MODULE_IS_JAVA_VM);
	assert_int_equal(read_config(fixture, "libc\njava off\n"), 0);
	assert_int_equal(select_module(&fixture->config, vm),
			 MODULE_IS_JAVA_VM);
	assert_int_equal(read_config(fixture, "java vm\n"), 0);
	assert_int_equal(select_module(&fixture->config, vm), MODULE_IS_HOOKED);
	assert_int_equal(read_config(fixture, "module libjvm.so\n"), 0);
	assert_int_equal(select_module(&fixture->config, vm), MODULE_IS_HOOKED);
	assert_int_equal(read_config(fixture, "java vm\nnot-module libjvm*\n"),
			 0);
	assert_int_equal(select_module(&fixture->config, vm),
			 MODULE_IS_DESELECTED);
	assert_int_equal(read_config(fixture, "java yes\n"), -EINVAL);
}

static void the_loader_is_never_hooked(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(read_config(fixture, "libc\nmodule *\n"), 0);
	assert_int_equal(
		select_module(&fixture->config, "/lib64/ld-linux-x86-64.so.2"),
		MODULE_IS_LOADER);
	assert_int_equal(select_module(&fixture->config, "linux-vdso.so.1"),
			 MODULE_IS_VDSO);
	assert_int_equal(
		select_module(&fixture->config, "/usr/lib/libgcc_s.so.1"),
		MODULE_IS_UNWINDER);
}

static void positive_rules_exclude_the_rest_and_negative_rules_win(void **state)
{
	struct fixture *fixture = *state;
	const struct config *config = &fixture->config;

	assert_int_equal(read_config(fixture, "module libz.so*\n"
					      "module /opt/*\n"
					      "not-module *old*\n"),
			 0);
	assert_int_equal(select_module(config, "/lib/libz.so.1"),
			 MODULE_IS_HOOKED);
	assert_int_equal(select_module(config, "/opt/app/bin"),
			 MODULE_IS_HOOKED);
	assert_int_equal(select_module(config, "/opt/app/older"),
			 MODULE_IS_DESELECTED);
	assert_int_equal(select_module(config, "/bin/ls"),
			 MODULE_IS_DESELECTED);
	assert_int_equal(config->rules->matches, 1);
	assert_int_equal(config->rules->next->matches, 2);
}

static void function_rules_are_regular_expressions(void **state)
{
	struct fixture *fixture = *state;
	const struct config *config = &fixture->config;

	assert_int_equal(read_config(fixture, "function ^sqlite3(Vdbe|Btree)\n"
					      "not-function Mem$\n"),
			 0);
	assert_true(select_has_function_rules(config));
	assert_true(select_function(config, "sqlite3VdbeExec"));
	assert_false(select_function(config, "sqlite3VdbeMem"));
	assert_false(select_function(config, "main"));
}

#define CLAIM(name)                                                            \
	cmocka_unit_test_setup_teardown(name, make_directory, remove_directory)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(no_file_means_defaults),
		CLAIM(each_kind_of_time_has_its_rate),
		CLAIM(the_smaller_limit_holds),
		CLAIM(a_limit_may_exceed_the_default),
		CLAIM(comments_and_blanks_are_passed_over),
		CLAIM(a_wrong_line_is_named),
		CLAIM(libc_is_excluded_by_default),
		CLAIM(libjvm_is_excluded_by_default),
		CLAIM(the_loader_is_never_hooked),
		CLAIM(positive_rules_exclude_the_rest_and_negative_rules_win),
		CLAIM(function_rules_are_regular_expressions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
