/* SPDX-License-Identifier: MIT */
/* Tests of the checks that `clew record` makes before it runs a program. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <elf.h>

#include "base/memory.h"
#include "cli/common/output.h"
#include "cli/common/recording_writer.h"
#include "cli/recording/directives.h"
#include "cli/recording/trim.h"
#include "cli/target/executable.h"
#include "wire/recording.h"

static char *in(const char *directory, const char *name)
{
	return memory_printf("%s/%s", directory, name);
}

static char *temporary_directory(void)
{
	char *directory = memory_printf("/tmp/clew-test-XXXXXX");

	if (!mkdtemp(directory))
		abort();
	return directory;
}

/* Removes a directory and all that it contains, and frees its name. */
static void remove_directory(char *directory)
{
	char *command = memory_printf("rm -rf %s", directory);

	assert_int_equal(system(command), 0);
	free(command);
	free(directory);
}

static void write_file(const char *path, const void *bytes, size_t length)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

static void directives_are_checked_and_normalised(void **state)
{
	struct directives directives;
	char *why;

	(void)state;
	directives_init(&directives);
	assert_int_equal(directives_add(&directives, "libc", NULL, &why), 0);
	assert_int_equal(directives_add(&directives, "module", "lib*.so", &why),
			 0);
	assert_int_equal(directives_add(&directives, "function", "^a|b$", &why),
			 0);
	assert_int_equal(directives_add(&directives, "max-memory", "2M", &why),
			 0);
	assert_int_equal(directives_add(&directives, "time", "wall", &why), 0);
	assert_int_equal(directives_add(&directives, "rate", "1K", &why), 0);
	assert_string_equal(directives_text(&directives),
			    "libc\nmodule lib*.so\nfunction ^a|b$\n"
			    "max-memory 2097152\ntime wall\nrate 1024\n");
	directives_fini(&directives);
}

static void assert_refused(const char *word, const char *value)
{
	struct directives directives;
	char *why;

	directives_init(&directives);
	assert_int_equal(directives_add(&directives, word, value, &why),
			 -EINVAL);
	assert_string_equal(directives_text(&directives), "");
	free(why);
	directives_fini(&directives);
}

static void bad_directives_are_refused(void **state)
{
	(void)state;
	assert_refused("lib", NULL);
	assert_refused("libc", "yes");
	assert_refused("module", "");
	assert_refused("module", "a\nlibc");
	assert_refused("function", "(");
	assert_refused("max-contexts", "0");
	assert_refused("max-contexts", "many");
	assert_refused("verify-period", "-1");
	assert_refused("time", "sometimes");
	assert_refused("time", NULL);
	assert_refused("rate", "0");
	assert_refused("rate", "100001");
}

static void rules_come_from_files_with_comments(void **state)
{
	static const char rules[] = "# mine\n\n  module\t lib*  \r\nlibc\n";
	static const char bad[] = "libc\nfunction (\n";
	char *directory = temporary_directory();
	char *path = in(directory, "rules");
	struct directives directives;
	char *why;

	(void)state;
	directives_init(&directives);
	write_file(path, rules, strlen(rules));
	assert_int_equal(directives_add_file(&directives, path, &why), 0);
	assert_string_equal(directives_text(&directives),
			    "module lib*\nlibc\n");
	write_file(path, bad, strlen(bad));
	assert_int_equal(directives_add_file(&directives, path, &why), -EINVAL);
	assert_non_null(strstr(why, "rules:2: "));
	free(why);
	directives_fini(&directives);
	free(path);
	remove_directory(directory);
}

static void the_older_recording_is_kept_once(void **state)
{
	char *directory = temporary_directory();
	char *path = in(directory, "out"), *part = in(path, "1.0.part");
	char *config = in(directory, "out.old/config");
	char *old_part = in(directory, "out.old/1.0.part");
	struct output output;
	char *why;

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(output_create(&output, path, "libc\n", &why),
				 0);
		assert_string_equal(output.directory, path);
		assert_int_equal(access(part, F_OK), -1);
		write_file(part, "x", 1);
		assert_int_equal(output_keep(&output, &why), 0);
		output_fini(&output);
	}
	assert_int_equal(access(config, R_OK), 0);
	assert_int_equal(access(old_part, R_OK), 0);
	free(path);
	free(part);
	free(config);
	free(old_part);
	remove_directory(directory);
}

/* Creates a recording whose only part has this text. */
static void make_recording(const char *path, const char *text)
{
	char *config = in(path, "config"), *part = in(path, "1.0.part");

	assert_int_equal(mkdir(path, 0700), 0);
	write_file(config, "", 0);
	write_file(part, text, strlen(text));
	free(config);
	free(part);
}

static void assert_recording(const char *path, const char *text)
{
	char *part = in(path, "1.0.part"), read[16] = "";
	FILE *file = fopen(part, "r");

	assert_non_null(file);
	assert_non_null(fgets(read, sizeof(read), file));
	assert_string_equal(read, text);
	fclose(file);
	free(part);
}

static void failed_attempts_keep_both_recordings(void **state)
{
	char *directory = temporary_directory();
	char *path = in(directory, "out"), *old = in(directory, "out.old");
	char *before = in(directory, "out.before"),
	     *part = in(path, "1.1.part");
	struct output output;
	char *why;

	(void)state;
	make_recording(path, "good");
	make_recording(old, "older");
	for (int i = 0; i < 3; i++) {
		assert_int_equal(output_create(&output, path, "", &why), 0);
		write_file(part, "x", (size_t)i);
		assert_recording(before, "good");
		output_undo(&output);
		output_fini(&output);
		assert_recording(path, "good");
		assert_recording(old, "older");
		assert_int_equal(access(before, F_OK), -1);
		assert_int_equal(access(part, F_OK), -1);
	}
	free(path);
	free(old);
	free(before);
	free(part);
	remove_directory(directory);
}

/*
 * Checks what a second command leaves at the path and at its .old after a first
 * command was killed. `has_part`: the first command had recorded something.
 */
static void after_a_killed_command(int has_part, const char *kept,
				   const char *older)
{
	char *directory = temporary_directory();
	char *path = in(directory, "out"), *old = in(directory, "out.old");
	char *before = in(directory, "out.before"),
	     *part = in(path, "1.0.part");
	struct output output;
	char *why;

	make_recording(path, "good");
	make_recording(old, "older");
	assert_int_equal(output_create(&output, path, "", &why), 0);
	if (has_part)
		write_file(part, "new", 3);
	output_fini(&output);
	assert_int_equal(output_create(&output, path, "", &why), 0);
	output_undo(&output);
	output_fini(&output);
	assert_recording(path, kept);
	assert_recording(old, older);
	assert_int_equal(access(before, F_OK), -1);
	free(path);
	free(old);
	free(before);
	free(part);
	remove_directory(directory);
}

static void a_killed_command_loses_no_recording(void **state)
{
	(void)state;
	after_a_killed_command(0, "good", "older");
	after_a_killed_command(1, "new", "good");
}

static void a_recording_of_nothing_replaces_none(void **state)
{
	char *directory = temporary_directory();
	char *path = in(directory, "out"), *old = in(directory, "out.old");
	struct output output;
	char *why;

	(void)state;
	make_recording(old, "good");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(output_create(&output, path, "", &why), 0);
		assert_int_equal(output_keep(&output, &why), 0);
		output_fini(&output);
		assert_recording(old, "good");
	}
	free(path);
	free(old);
	remove_directory(directory);
}

static void two_commands_do_not_record_in_one_place(void **state)
{
	char *directory = temporary_directory();
	char *path = in(directory, "out");
	struct output first, second;
	char *why;

	(void)state;
	assert_int_equal(output_create(&first, path, "", &why), 0);
	assert_int_equal(output_create(&second, path, "", &why), -EBUSY);
	free(why);
	output_fini(&first);
	assert_int_equal(output_create(&second, path, "", &why), 0);
	output_fini(&second);
	free(path);
	remove_directory(directory);
}

static void nothing_but_recordings_is_moved(void **state)
{
	char *directory = temporary_directory();
	char *file = in(directory, "file"), *other = in(directory, "other");
	char *precious = in(other, "precious"), *config = in(other, "config");
	struct output output;
	char *why;

	(void)state;
	write_file(file, "x", 1);
	assert_int_equal(output_create(&output, file, "", &why), -EEXIST);
	free(why);
	assert_int_equal(mkdir(other, 0700), 0);
	write_file(precious, "x", 1);
	write_file(config, "x", 1);
	assert_int_equal(output_create(&output, other, "", &why), -EEXIST);
	free(why);
	assert_int_equal(access(precious, R_OK), 0);
	free(file);
	free(other);
	free(precious);
	free(config);
	remove_directory(directory);
}

/* The target of a link stays unchanged, even if it is a recording. */
static void links_in_the_place_of_a_recording_are_left_alone(void **state)
{
	char *directory = temporary_directory();
	char *out = in(directory, "out"), *old = in(directory, "out.old");
	char *other = in(directory, "other");
	char *part = in(other, "1.0.part"), *config = in(other, "config");
	struct output output;
	char *why;

	(void)state;
	assert_int_equal(mkdir(other, 0700), 0);
	write_file(config, "x", 1);
	write_file(part, "x", 1);
	assert_int_equal(symlink("other", old), 0);
	assert_int_equal(output_create(&output, out, "", &why), 0);
	assert_int_equal(output_keep(&output, &why), 0);
	output_fini(&output);
	assert_int_equal(output_create(&output, out, "", &why), -EEXIST);
	assert_non_null(strstr(why, old));
	free(why);
	assert_int_equal(output_create(&output, old, "", &why), -EEXIST);
	free(why);
	assert_int_equal(access(part, R_OK), 0);
	assert_int_equal(access(config, R_OK), 0);
	free(out);
	free(old);
	free(other);
	free(part);
	free(config);
	remove_directory(directory);
}

/* Returns a pid that no process has at present. */
static uint32_t dead_pid(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	return (uint32_t)pid;
}

/* Writes a part that uses one page and whose file is longer. */
static void write_part(const char *path, uint32_t pid)
{
	struct wire_header header = { .version = WIRE_VERSION,
				      .header_bytes = WIRE_HEADER_BYTES,
				      .end = WIRE_HEADER_BYTES,
				      .pid = pid };

	memcpy(header.magic, WIRE_MAGIC, sizeof(header.magic));
	write_file(path, &header, sizeof(header));
	assert_int_equal(truncate(path, 1 << 20), 0);
}

static off_t length_of(const char *path)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return status.st_size;
}

/* A recording that has begun replaces the recording that was there before. */
static void a_recording_has_begun_once_a_process_counts(void **state)
{
	static const struct {
		uint32_t state;
		int has_begun;
	} cases[] = {
		{ WIRE_STARTING, 0 },
		{ WIRE_DISABLED, 0 },
		{ WIRE_RUNNING, 1 },
		{ WIRE_ENDED, 1 },
	};
	struct wire_header header = { .pid = 5 };
	char *directory = temporary_directory();
	char *part = in(directory, "5.0" WIRE_PART_SUFFIX);
	char *other = in(directory, "4.0" WIRE_PART_SUFFIX);

	(void)state;
	memcpy(header.magic, WIRE_MAGIC, sizeof(header.magic));
	assert_false(recording_has_begun(part)); /* not a folder */
	assert_false(recording_has_begun(directory));
	write_file(other, "short", 5);
	assert_false(recording_has_begun(directory));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		header.state = cases[i].state;
		write_file(part, &header, sizeof(header));
		assert_int_equal(recording_has_begun(directory),
				 cases[i].has_begun);
	}
	*header.magic = 0;
	write_file(part, &header, sizeof(header));
	assert_false(recording_has_begun(directory));
	free(other);
	free(part);
	remove_directory(directory);
}

static void parts_that_nobody_writes_are_trimmed(void **state)
{
	char *directory = temporary_directory();
	char *dead = in(directory, "1.0.part");
	char *own = in(directory, "2.0.part");
	char *mapped = in(directory, "3.0.part");
	char *other = in(directory, "4.0.part");
	int fd;
	void *at;

	(void)state;
	write_part(dead, dead_pid());
	write_part(own, (uint32_t)getpid());
	write_part(mapped, dead_pid());
	write_file(other, "not a recording", 15);
	assert_int_equal(truncate(other, 1 << 20), 0);
	fd = open(mapped, O_RDWR);
	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	trim_recording(directory);
	assert_int_equal(length_of(dead), WIRE_HEADER_BYTES);
	assert_int_equal(length_of(own), 1 << 20);
	assert_int_equal(length_of(mapped), 1 << 20);
	assert_int_equal(length_of(other), 1 << 20);
	munmap(at, 4096);
	trim_recording(directory);
	assert_int_equal(length_of(mapped), WIRE_HEADER_BYTES);
	free(dead);
	free(own);
	free(mapped);
	free(other);
	remove_directory(directory);
}

static char *stubs_of(const char *directory, uint32_t pid)
{
	char name[64];

	snprintf(name, sizeof(name), "%u.0-570002000000.stubs", pid);
	return in(directory, name);
}

static void stubs_that_nobody_has_are_removed(void **state)
{
	char *directory = temporary_directory();
	char *dead = stubs_of(directory, dead_pid());
	char *own = stubs_of(directory, (uint32_t)getpid());
	char *other = in(directory, "other.stubs");
	void *at;
	int fd;

	(void)state;
	write_file(own, "stubs", 6);
	write_file(other, "stubs", 6);
	write_file(dead, "stubs", 6);
	fd = open(dead, O_RDWR);
	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	trim_recording(directory);
	assert_int_equal(access(dead, F_OK),
			 0); /* the part of a child is also removed */
	assert_int_equal(access(own, F_OK), 0);
	munmap(at, 4096);
	trim_recording(directory);
	assert_int_equal(access(dead, F_OK), -1);
	assert_int_equal(access(own, F_OK), 0);
	assert_int_equal(access(other, F_OK), 0);
	free(dead);
	free(own);
	free(other);
	remove_directory(directory);
}

static void stubs_that_all_share_are_removed_with_the_last(void **state)
{
	char *directory = temporary_directory();
	char *stubs = in(directory, "shadow-2c0000000000.stubs");
	char *part = in(directory, "1.0.part");
	struct wire_header header = { .version = WIRE_VERSION,
				      .header_bytes = WIRE_HEADER_BYTES,
				      .end = WIRE_HEADER_BYTES,
				      .state = WIRE_RUNNING };

	(void)state;
	memcpy(header.magic, WIRE_MAGIC, sizeof(header.magic));
	for (int is_dead = 0; is_dead < 2; is_dead++) {
		header.pid = is_dead ? dead_pid() : (uint32_t)getpid();
		write_file(stubs, "stubs", 6);
		write_file(part, &header, sizeof(header));
		trim_recording(directory);
		assert_int_equal(access(stubs, F_OK), is_dead ? -1 : 0);
	}
	free(stubs);
	free(part);
	remove_directory(directory);
}

static void an_empty_directory_is_used(void **state)
{
	char *directory = temporary_directory();
	struct output output;
	char *why;

	(void)state;
	assert_int_equal(output_create(&output, directory, "", &why), 0);
	assert_int_equal(output_keep(&output, &why), 0);
	output_fini(&output);
	remove_directory(directory);
}

static void programs_are_found_along_path(void **state)
{
	char *directory = temporary_directory();
	char *first = in(directory, "first"), *program = in(directory, "prog");
	char *path, *found = NULL;
	char *before = memory_printf("%s", getenv("PATH"));

	(void)state;
	write_file(first, "x", 1);
	assert_int_equal(chmod(first, 0644), 0);
	write_file(program, "x", 1);
	path = memory_printf("/nowhere:%s", directory);
	assert_int_equal(setenv("PATH", path, 1), 0);
	assert_int_equal(executable_find("prog", &found), 0);
	assert_string_equal(found, program);
	free(found);
	assert_int_equal(executable_find("first", &found), -EACCES);
	assert_int_equal(executable_find("missing", &found), -ENOENT);
	assert_int_equal(executable_find("", &found), -ENOENT);
	assert_int_equal(executable_find(directory, &found), -EACCES);
	assert_int_equal(setenv("PATH", before, 1), 0);
	free(before);
	free(path);
	free(first);
	free(program);
	remove_directory(directory);
}

static void assert_obstacle(const char *path, const char *expected)
{
	char *obstacle = executable_obstacle(path);

	if (expected) {
		assert_non_null(obstacle);
		assert_non_null(strstr(obstacle, expected));
	} else {
		assert_null(obstacle);
	}
	free(obstacle);
}

static void programs_that_cannot_be_recorded_are_known(void **state)
{
	char *directory = temporary_directory();
	char *path = in(directory, "program");
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 },
		.e_machine = EM_X86_64,
		.e_phentsize = sizeof(Elf64_Phdr),
	};

	(void)state;
	assert_obstacle("/proc/self/exe", NULL);
	write_file(path, &header, sizeof(header));
	assert_obstacle(path, "statically linked");
	header.e_phnum = 1;
	header.e_phoff = UINT64_MAX;
	write_file(path, &header, sizeof(header));
	assert_obstacle(path, "damaged");
	header.e_machine = EM_AARCH64;
	write_file(path, &header, sizeof(header));
	assert_obstacle(path, "not an x86-64");
	header.e_ident[EI_CLASS] = ELFCLASS32;
	write_file(path, &header, sizeof(header));
	assert_obstacle(path, "32-bit");
	write_file(path, &header, 5);
	assert_obstacle(path, "32-bit");
	free(path);
	remove_directory(directory);
}

static void scripts_are_judged_by_their_interpreter(void **state)
{
	char *directory = temporary_directory();
	char *path = in(directory, "script"), *loop = in(directory, "loop");
	char *line = memory_printf("#!%s\n", loop);

	(void)state;
	write_file(path, "#! /bin/sh -e\n", 14);
	assert_obstacle(path, NULL);
	write_file(path, "echo\n", 5);
	assert_obstacle(path, NULL);
	write_file(path, "#!", 2);
	assert_obstacle(path, NULL);
	write_file(loop, line, strlen(line));
	assert_obstacle(loop, NULL);
	free(line);
	free(path);
	free(loop);
	remove_directory(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(directives_are_checked_and_normalised),
		cmocka_unit_test(bad_directives_are_refused),
		cmocka_unit_test(rules_come_from_files_with_comments),
		cmocka_unit_test(the_older_recording_is_kept_once),
		cmocka_unit_test(failed_attempts_keep_both_recordings),
		cmocka_unit_test(a_killed_command_loses_no_recording),
		cmocka_unit_test(a_recording_of_nothing_replaces_none),
		cmocka_unit_test(two_commands_do_not_record_in_one_place),
		cmocka_unit_test(nothing_but_recordings_is_moved),
		cmocka_unit_test(
			links_in_the_place_of_a_recording_are_left_alone),
		cmocka_unit_test(a_recording_has_begun_once_a_process_counts),
		cmocka_unit_test(parts_that_nobody_writes_are_trimmed),
		cmocka_unit_test(stubs_that_nobody_has_are_removed),
		cmocka_unit_test(
			stubs_that_all_share_are_removed_with_the_last),
		cmocka_unit_test(an_empty_directory_is_used),
		cmocka_unit_test(programs_are_found_along_path),
		cmocka_unit_test(programs_that_cannot_be_recorded_are_known),
		cmocka_unit_test(scripts_are_judged_by_their_interpreter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
