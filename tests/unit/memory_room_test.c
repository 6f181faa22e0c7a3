/* SPDX-License-Identifier: MIT */
/*
 * Tests of the memory that control groups leave, with files below a folder of
 * the test.
 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "cgroup/memory_room.h"
#include "cli/target/room_files.h"

#define MIB (UINT64_C(1) << 20)

#define V1_MOUNT                                                               \
	"36 25 0:32 / /sys/fs/cgroup/memory rw,relatime shared:14 - "          \
	"cgroup cgroup rw,memory\n"
#define V2_MOUNT "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"

struct machine {
	char root[64];
	struct memory_room_search search;
};

static void write_file(const struct machine *machine, const char *path,
		       const char *text)
{
	char *whole = memory_printf("%s%s", machine->root, path);
	FILE *out;

	for (char *at = whole + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(whole, 0700);
		*at = '/';
	}
	out = fopen(whole, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
	free(whole);
}

/*
 * Creates the files of a computer with 1,000 MiB of memory, 900 of them
 * available.
 */
static int set_up(void **state)
{
	struct machine *machine = memory_zeroed(1, sizeof(*machine));

	strcpy(machine->root, "/tmp/clew-room-XXXXXX");
	assert_non_null(mkdtemp(machine->root));
	machine->search.files = &room_files;
	machine->search.root = machine->root;
	write_file(machine, "/proc/meminfo",
		   "MemTotal:        1024000 kB\nMemFree:  1 kB\n"
		   "MemAvailable:     921600 kB\n");
	*state = machine;
	return 0;
}

static int tear_down(void **state)
{
	struct machine *machine = *state;
	char *command = memory_printf("rm -r %s", machine->root);
	const int err = system(command);

	free(command);
	free(machine);
	return err;
}

static void add_v1(const struct machine *machine, const char *group,
		   const char *limit, const char *usage)
{
	char *folder = memory_printf("/sys/fs/cgroup/memory%s/", group);
	char *path = memory_printf("%smemory.limit_in_bytes", folder);

	write_file(machine, path, limit);
	free(path);
	path = memory_printf("%smemory.usage_in_bytes", folder);
	write_file(machine, path, usage);
	free(path);
	free(folder);
}

static void add_v2(const struct machine *machine, const char *group,
		   const char *file, const char *text)
{
	char *path = memory_printf("/sys/fs/cgroup%s/%s", group, file);

	write_file(machine, path, text);
	free(path);
}

static void assert_found(struct machine *machine, const char *process,
			 const char *group, uint64_t limit, uint64_t left)
{
	const struct memory_room *found = &machine->search.found;

	memory_room_find(&machine->search, process);
	assert_string_equal(found->group, group);
	assert_int_equal(found->limit, limit);
	assert_int_equal(found->left, left);
}

static void without_groups_the_machine_is_the_limit(void **state)
{
	assert_found(*state, "7", "", 1000 * MIB, 900 * MIB);
	assert_null(((struct machine *)*state)->search.found.file);
	assert_int_equal(((struct machine *)*state)->search.found.to_take,
			 900 * MIB - 125 * MIB);
}

static void version_1_counts_what_can_be_dropped_as_free(void **state)
{
	write_file(*state, "/proc/self/mountinfo", V1_MOUNT);
	write_file(*state, "/proc/7/cgroup",
		   "9:pids:/x\n4:cpu,memory:/docker/abc\n0::/x\n");
	add_v1(*state, "/docker/abc", "67108864\n", "50331648\n");
	add_v1(*state, "/docker", "9223372036854771712\n", "99999999\n");
	add_v1(*state, "", "9223372036854771712\n", "99999999\n");
	write_file(*state, "/sys/fs/cgroup/memory/docker/abc/memory.stat",
		   "inactive_file 1\ntotal_inactive_file 8388608\n"
		   "total_active_file 4194304\ntotal_dirty 1048576\n"
		   "total_writeback 1048576\n");
	assert_found(*state, "7", "/docker/abc", 64 * MIB, 26 * MIB);
	assert_string_equal(((struct machine *)*state)->search.found.file,
			    "memory.limit_in_bytes");
}

static void version_2_has_two_limits_and_groups_above(void **state)
{
	write_file(*state, "/proc/self/mountinfo", V2_MOUNT);
	write_file(*state, "/proc/7/cgroup", "0::/a/b\n");
	add_v2(*state, "/a/b", "memory.max", "104857600\n");
	add_v2(*state, "/a/b", "memory.high", "max\n");
	add_v2(*state, "/a/b", "memory.current", "41943040\n");
	add_v2(*state, "/a/b", "memory.stat",
	       "anon 5\nactive_file 1048576\ninactive_file 1048576\n"
	       "file_dirty 1048576\nfile_writeback 0\n");
	assert_found(*state, "7", "/a/b", 100 * MIB, 61 * MIB);
	add_v2(*state, "/a/b", "memory.high", "83886080\n");
	assert_found(*state, "7", "/a/b", 80 * MIB, 41 * MIB);
	assert_string_equal(((struct machine *)*state)->search.found.file,
			    "memory.high");
	add_v2(*state, "/a", "memory.max", "209715200\n");
	add_v2(*state, "/a", "memory.current", "199229440\n");
	assert_found(*state, "7", "/a", 200 * MIB, 10 * MIB);
}

/*
 * The memory controller is in the hierarchy of version 1. That of version 2 has
 * the same paths.
 */
static void hybrid_hierarchies_have_memory_in_the_first(void **state)
{
	write_file(*state, "/proc/self/mountinfo",
		   "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 none "
		   "rw\n" V1_MOUNT);
	write_file(*state, "/proc/7/cgroup", "0::/y\n4:memory:/x\n");
	add_v1(*state, "/x", "20971520\n", "10485760\n");
	write_file(*state, "/sys/fs/cgroup/unified/y/memory.max", "1048576\n");
	write_file(*state, "/sys/fs/cgroup/unified/y/memory.current", "1\n");
	assert_found(*state, "7", "/x", 20 * MIB, 10 * MIB);
}

/*
 * As Docker mounts version 1: the mount shows the container's group as its
 * root.
 */
static void a_container_sees_its_own_group_as_the_root(void **state)
{
	write_file(*state, "/proc/self/mountinfo",
		   "36 25 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup "
		   "cgroup rw,memory\n");
	write_file(*state, "/proc/self/cgroup", "4:memory:/docker/abc\n");
	add_v1(*state, "", "20971520\n", "10485760\n");
	assert_found(*state, "self", "/docker/abc", 20 * MIB, 10 * MIB);
	write_file(*state, "/proc/self/cgroup", "4:memory:/docker/abc/sub\n");
	add_v1(*state, "/sub", "4194304\n", "0\n");
	assert_found(*state, "self", "/docker/abc/sub", 4 * MIB, 4 * MIB);
}

/*
 * With a namespace of control groups the paths differ, and only the mount is
 * known.
 */
static void a_group_outside_of_the_mount_has_at_least_the_mounts(void **state)
{
	write_file(*state, "/proc/self/mountinfo",
		   "30 23 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 x rw\n");
	write_file(*state, "/proc/7/cgroup", "0::/\n");
	add_v2(*state, "", "memory.max", "20971520\n");
	add_v2(*state, "", "memory.current", "10485760\n");
	assert_found(*state, "7", "/", 20 * MIB, 10 * MIB);
}

static void damaged_files_set_no_limit(void **state)
{
	write_file(*state, "/proc/self/mountinfo",
		   "\n-\n30 23 - cgroup2\n30 23 0:26 \\1\n" V2_MOUNT);
	write_file(*state, "/proc/7/cgroup", ":\n0::\n\n4:memory");
	add_v2(*state, "", "memory.max", "\n");
	add_v2(*state, "", "memory.current", "");
	assert_found(*state, "7", "", 1000 * MIB, 900 * MIB);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(without_groups_the_machine_is_the_limit),
		TEST(version_1_counts_what_can_be_dropped_as_free),
		TEST(version_2_has_two_limits_and_groups_above),
		TEST(hybrid_hierarchies_have_memory_in_the_first),
		TEST(a_container_sees_its_own_group_as_the_root),
		TEST(a_group_outside_of_the_mount_has_at_least_the_mounts),
		TEST(damaged_files_set_no_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
