/* SPDX-License-Identifier: MIT */
#include "disasm_fixture.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "digest/digest_links.h"
#include "image/analysis_cache.h"
#include "image/analysis_claim.h"

#define MODULE   "/proc/self/exe"
#define CHILDREN 4

struct fixture {
	char dir[32];
	struct arena arena;
	struct analysis analysis; /* of MODULE, not in the cache */
	struct analysis_claim claim;
};

/*
 * Analyses the module, with its digest, and removes the result from the cache.
 */
static int analyse(struct fixture *f)
{
	struct cache_path path;
	int err = analysis_of_file(MODULE, f->dir, &f->arena, &f->analysis);

	if (!err)
		err = cache_path_of(&path, f->dir, &f->analysis);
	return err ? err : unlink(path.text);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/clew-claim-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	*state = f;
	return analyse(f);
}

/*
 * Returns whether a name is that of a link with a file's digest
 * (digest/digest_links.h).
 */
static int is_link(const char *name)
{
	return strstr(name, DIGEST_LINK_SUFFIX) != NULL;
}

static void remove_links(const struct fixture *f)
{
	DIR *stream = opendir(f->dir);
	struct dirent *entry;

	while ((entry = readdir(stream)))
		if (is_link(entry->d_name))
			unlinkat(dirfd(stream), entry->d_name, 0);
	closedir(stream);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	struct cache_path path;

	cache_path_of(&path, f->dir, &f->analysis);
	unlink(path.text);
	remove_links(f);
	rmdir(f->dir);
	arena_fini(&f->arena);
	free(f);
	return 0;
}

static int file_count(const struct fixture *f)
{
	DIR *stream = opendir(f->dir);
	struct dirent *entry;
	int count = 0;

	while ((entry = readdir(stream)))
		count += !is_link(entry->d_name);
	closedir(stream);
	return count - 2; /* without . and .. */
}

/*
 * Starts a child that requests the analysis. The child's exit status says
 * whether the analysis was in the cache.
 */
static pid_t start_asking(const struct fixture *f)
{
	struct arena arena = { 0 };
	struct analysis analysis;
	pid_t child = fork();

	if (child == 0)
		_exit(analysis_of_file(MODULE, f->dir, &arena, &analysis)
			      ? 2
			      : analysis.from_cache);
	return child;
}

/* Returns whether the child has opened the file of the claim, or has exited. */
static int has_asked(const struct fixture *f, pid_t child)
{
	char path[64], target[4096];
	siginfo_t info = { 0 };

	for (int fd = 3; fd < 16; fd++) {
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)child, fd);
		length = readlink(path, target, sizeof(target) - 1);
		if (length <= 0)
			continue;
		target[length] = '\0';
		if (!strcmp(target, f->claim.path.text))
			return 1;
	}
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT);
	return info.si_pid == child;
}

static int status_of(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void waiting_process_finds_the_stored_analysis(void **state)
{
	struct fixture *f = *state;
	pid_t children[CHILDREN];

	analysis_claim_begin(&f->claim, f->dir, &f->analysis);
	assert_true(f->claim.fd >= 0);
	for (int i = 0; i < CHILDREN; i++)
		children[i] = start_asking(f);
	for (int i = 0; i < CHILDREN; i++)
		while (!has_asked(f, children[i]))
			sched_yield();
	assert_int_equal(analysis_cache_store(f->dir, &f->analysis), 0);
	analysis_claim_end(&f->claim);
	for (int i = 0; i < CHILDREN; i++)
		assert_int_equal(status_of(children[i]), 1);
	assert_int_equal(file_count(f), 1);
}

static void one_of_many_processes_makes_the_analysis(void **state)
{
	struct fixture *f = *state;
	pid_t children[CHILDREN];
	int found = 0;

	for (int i = 0; i < CHILDREN; i++)
		children[i] = start_asking(f);
	for (int i = 0; i < CHILDREN; i++) {
		int status = status_of(children[i]);

		assert_in_range(status, 0, 1);
		found += status;
	}
	assert_int_equal(found, CHILDREN - 1);
	assert_int_equal(file_count(f), 1);
}

static void a_holder_that_was_killed_holds_nothing(void **state)
{
	struct fixture *f = *state;
	int ready[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		analysis_claim_begin(&f->claim, f->dir, &f->analysis);
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(file_count(f), 1);
	assert_int_equal(status_of(start_asking(f)), 0);
	assert_int_equal(status_of(start_asking(f)), 1);
	assert_int_equal(file_count(f), 1);
}

static void claim_without_a_folder_does_not_wait(void **state)
{
	struct fixture *f = *state;
	char missing[64];

	analysis_claim_begin(&f->claim, NULL, &f->analysis);
	assert_int_equal(f->claim.fd, -1);
	analysis_claim_end(&f->claim);
	snprintf(missing, sizeof(missing), "%s/missing", f->dir);
	analysis_claim_begin(&f->claim, missing, &f->analysis);
	assert_int_equal(f->claim.fd, -1);
	analysis_claim_end(&f->claim);
}

#define CLAIM_TEST(test)                                                       \
	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM_TEST(waiting_process_finds_the_stored_analysis),
		CLAIM_TEST(one_of_many_processes_makes_the_analysis),
		CLAIM_TEST(a_holder_that_was_killed_holds_nothing),
		CLAIM_TEST(claim_without_a_folder_does_not_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
