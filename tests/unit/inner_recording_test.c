/* SPDX-License-Identifier: MIT */
/* Tests how a recording of a container is moved to its home. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/target/inner_recording.h"
#include "wire/recording.h"

#define INNER "/run/clew-inner"
#define PART  "7.1.part"
/* The home's lines have so many bytes, a part has fewer. */
#define LINES_BYTES 65536

struct world {
	char top[32], home[64], inner[64];
	struct inner_folder folder;
};

static void put(const char *folder, const char *name, const void *data,
		size_t bytes)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, bytes, file), bytes);
	assert_int_equal(fclose(file), 0);
}

static void begin(struct world *world)
{
	static const char line[] = "7 " WIRE_RECORDED_IN INNER " until\n";
	static const char lost[] = "8 no memory\n";
	static char lines[LINES_BYTES];
	struct wire_header header = { .header_bytes = sizeof(header),
				      .end = sizeof(header) };

	strcpy(world->top, "/tmp/clew-inner-XXXXXX");
	assert_non_null(mkdtemp(world->top));
	snprintf(world->home, sizeof(world->home), "%s/home", world->top);
	snprintf(world->inner, sizeof(world->inner), "%s/clew-inner",
		 world->top);
	assert_int_equal(mkdir(world->home, 0700), 0);
	assert_int_equal(mkdir(world->inner, 0700), 0);
	memset(lines, '#', sizeof(lines));
	lines[sizeof(lines) - sizeof(line)] = '\n';
	memcpy(lines + sizeof(lines) - strlen(line), line, strlen(line));
	put(world->home, WIRE_UNRECORDED_NAME, lines, sizeof(lines));
	memcpy(header.magic, WIRE_MAGIC, sizeof(header.magic));
	put(world->inner, PART, &header, sizeof(header));
	put(world->inner, WIRE_UNRECORDED_NAME, lost, strlen(lost));
	world->folder = (struct inner_folder){
		.fd = open(world->inner, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.parent = open(world->top, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.path = strdup(INNER),
		.user = geteuid(),
		.group = getegid(),
	};
}

static void end(struct world *world)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", world->top);
	assert_int_equal(system(command), 0);
}

static int exists(const char *folder, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return access(path, F_OK) == 0;
}

/*
 * Limits the size of files that this process writes; a longer write fails
 * without a signal.
 */
static void limit_files(rlim_t bytes)
{
	const struct rlimit limit = { bytes, RLIM_INFINITY };

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_recording_is_moved_as_a_whole_or_not_at_all(void **state)
{
	struct world world;
	char *why;

	(void)state;
	begin(&world);
	limit_files(LINES_BYTES);
	assert_int_equal(inner_recording_bring(&world.folder, world.home, &why),
			 -EFBIG);
	assert_non_null(strstr(why, "is not in "));
	free(why);
	assert_int_equal(exists(world.home, PART), 0);
	assert_int_equal(exists(world.inner, PART), 1);
	limit_files(RLIM_INFINITY);
	assert_int_equal(inner_recording_bring(&world.folder, world.home, &why),
			 0);
	assert_int_equal(exists(world.home, PART), 1);
	assert_int_equal(exists(world.inner, PART), 0);
	end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recording_is_moved_as_a_whole_or_not_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
