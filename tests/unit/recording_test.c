/* SPDX-License-Identifier: MIT */
/* Tests of the reader with short, foreign, damaged and hostile recordings. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "report/recording/recording_reader.h"
#include "tests/unit/exercise.h"
#include "tests/unit/fixture.h"
#include "wire/id.h"
#include "wire/violation.h"

/* Fills a part with at least one record of each kind. */
static void make_part(struct fixture *fixture)
{
	static const struct wire_line lines[] = { { 0, 5 }, { 3, 6 } };
	static const uint32_t stack[] = { 4097, 4097 };
	static const uint16_t calls[] = { 1, 4 };
	static const uint8_t inlined[] = { 8, 2, 0, 1, 0, 0, 4, 1 };
	size_t chunk;
	struct wire_rule *rule;
	uint64_t a, b;

	fixture_init(fixture, 100, 0);
	chunk = fixture_chunk(fixture, WIRE_PROCESS, 0, 9);
	memcpy(fixture->bytes + chunk + sizeof(struct wire_chunk), "app\0-x\0y",
	       9);
	fixture_module(fixture, "/lib/app", 1, 8);
	fixture_range(fixture, WIRE_RANGE_JAVA, 4096, 4096);
	FIXTURE_NAME(fixture, 4096, "a.B.c()");
	fixture_method(fixture, 4097, WIRE_JAVA_NAMED, "LA;", "b", "()V");
	fixture_source(fixture, 4097, "A.java", lines, 2);
	fixture_range(fixture, WIRE_RANGE_JAVA_STACK, 8192, 4096);
	fixture_stack(fixture, 8192, stack, calls, 2);
	fixture_range(fixture, WIRE_RANGE_GENERATED_CALLER, 12288, 4096);
	fixture_caller(fixture, 12288, 0x30000008, 1);
	fixture_code(fixture, 0x30000000, 16, 1, "stub");
	fixture_code_lines(fixture, 0x30000000, 1, 4097, inlined,
			   sizeof(inlined));
	fixture_code(fixture, 0x30000000, 0, 2, NULL);
	fixture_maker(fixture, 0x30000000, 0x30001000, 0x10000, 1, 2, "name");
	fixture_mapped_code(fixture, 0x30000000, 1, FIXTURE_MODULE_BASE);
	fixture_binding(fixture, FIXTURE_MODULE_BASE + 0x1010, "d");
	chunk = fixture_chunk(fixture, WIRE_JITDUMP, 0, 16);
	memcpy(fixture->bytes + chunk + sizeof(struct wire_chunk),
	       "/tmp/jit-1.dump", 16);
	fixture_chunk(fixture, 4711, 0, 100);
	fixture_thread(fixture, 100, "main", 0);
	fixture_tally(fixture, 0, 0, 0);
	a = fixture_context(fixture, 0, ID_ROOT, 1, 1);
	b = fixture_context(fixture, 0, a, 2, 10);
	fixture_context(fixture, 0, b, 3, 100);
	fixture_context(fixture, 0, b, WIRE_FOLDED, 100);
	b = fixture_context(fixture, 0, a, 8192, 0);
	fixture_context(fixture, 0, b, 3, 0);
	fixture_sample(fixture, 0, b, 0x30000004, 10);
	fixture_retire(fixture, 0);
	fixture_count(fixture, 0, a, 1);
	chunk = fixture_chunk(fixture, WIRE_RULES, 0, sizeof(*rule) + 8);
	rule = (void *)(fixture->bytes + chunk + sizeof(struct wire_chunk));
	*rule = (struct wire_rule){ .bytes = sizeof(*rule) + 8,
				    .text_bytes = 5 };
	memcpy(rule + 1, "libc\033", 5);
}

/* Reads a recording in all ways. Returns the number of its calls, or -errno. */
static int64_t calls_of(const char *path)
{
	return exercise_recording(path, 1);
}

#define SOME_KINDS (PART_KIND(WIRE_RULES) | PART_KIND(WIRE_JITDUMP))

/*
 * Checks that a copy of SOME_KINDS has all chunks of these kinds, and the
 * headers of all other chunks.
 */
static void require_same(const struct part_copy *some,
			 const struct part_copy *whole)
{
	struct part_chunk a, b;
	uint64_t at_a = 0, at_b = 0;

	while (part_next_chunk(whole, &at_a, &a)) {
		assert_true(part_next_chunk(some, &at_b, &b));
		assert_int_equal(a.kind, b.kind);
		assert_int_equal(a.offset, b.offset);
		assert_int_equal(a.bytes, b.bytes);
		assert_int_equal(a.used_bytes, b.used_bytes);
		if (a.kind < WIRE_CHUNK_KIND_COUNT &&
		    SOME_KINDS & PART_KIND(a.kind))
			assert_memory_equal(a.payload, b.payload,
					    a.payload_bytes);
	}
	assert_false(part_next_chunk(some, &at_b, &b));
}

/* Compares a copy of SOME_KINDS with a copy of all kinds. */
static void require_some_is_like_whole(const char *path)
{
	struct recording some, whole;
	char *why_some, *why_whole;
	const int err = recording_open(&whole, path, &why_whole);

	assert_int_equal(
		recording_open_some(&some, path, SOME_KINDS, &why_some), err);
	if (err) {
		assert_string_equal(why_some, why_whole);
		free(why_some);
		free(why_whole);
		return;
	}
	assert_int_equal(some.problem_count, whole.problem_count);
	for (size_t i = 0; i < some.problem_count; i++)
		assert_string_equal(some.problems[i], whole.problems[i]);
	require_same(&some.parts[0], &whole.parts[0]);
	recording_close(&some);
	recording_close(&whole);
}

/* A part with a bit of everything, which most tests write to `path`. */
static struct fixture fixture;
static struct recording recording;
static char *directory, *path, *why;

static int set_up(void **state)
{
	directory = fixture_directory();
	path = memory_printf("%s/1.0.part", directory);
	make_part(&fixture);
	return 0;
}

static void begin_empty_part(void)
{
	fixture_fini(&fixture);
	fixture_init(&fixture, 100, 0);
}

static int tear_down(void **state)
{
	free(path);
	fixture_fini(&fixture);
	fixture_remove(directory);
	return 0;
}

static void unrequested_chunks_are_not_copied(void **state)
{
	struct part_copy part;
	struct wire_rule *rule;
	size_t large, rules;

	large = fixture_chunk(&fixture, WIRE_SAMPLES, 0, 1 << 20);
	memset(fixture.bytes + large + sizeof(struct wire_chunk), 0xff,
	       1 << 20);
	rules = fixture_chunk(&fixture, WIRE_RULES, 0, sizeof(*rule));
	rule = (void *)(fixture.bytes + rules + sizeof(struct wire_chunk));
	*rule = (struct wire_rule){ .bytes = sizeof(*rule), .matches = 7 };
	fixture_save(&fixture, path, fixture.size);
	require_some_is_like_whole(path);
	assert_int_equal(part_open_some(&part, path, SOME_KINDS, &why), 0);
	assert_int_equal(part.bytes[large + (1 << 19)], 0);
	assert_memory_equal(part.bytes + rules, fixture.bytes + rules,
			    sizeof(struct wire_chunk) + sizeof(*rule));
	assert_true(part_has_chunk(&part, WIRE_SAMPLES));
	assert_false(part_has_chunk(&part, WIRE_PROBES));
	part_close(&part);
}

/* Damage of the part's file is reported once, however often it is loaded. */
static void a_part_has_its_chunks_while_it_is_loaded(void **state)
{
	fixture_save(&fixture, path, fixture.size - 1);
	assert_int_equal(recording_open_headers(&recording, directory, &why),
			 0);
	assert_int_equal(recording.part_count, 1);
	for (int i = 0; i < 2; i++) {
		const struct part_copy *part = &recording.parts[0];

		assert_int_equal(part->is_header, i);
		assert_int_equal(part->header->pid, 100);
		assert_ptr_equal(recording_bring(&recording, 0), part);
		assert_true(part_has_chunk(part, WIRE_TALLY));
		assert_non_null(part->damage);
		assert_int_equal(recording.problem_count, 2);
		assert_ptr_equal(recording.damage, recording.problems[0]);
		recording_let_go(&recording, 0);
		assert_false(part_has_chunk(part, WIRE_TALLY));
	}
	recording_close(&recording);
}

static void a_part_of_another_process_is_not_loaded(void **state)
{
	struct fixture other;

	fixture_save(&fixture, path, fixture.size);
	assert_int_equal(recording_open_headers(&recording, directory, &why),
			 0);
	recording_let_go(&recording, 0);
	fixture_init(&other, 2, 0);
	fixture_save(&other, path, other.size);
	for (int i = 0; i < 2; i++) {
		assert_null(recording_bring(&recording, 0));
		assert_int_equal(recording.parts[0].header->pid, 100);
		assert_int_equal(recording.problem_count, 2);
		assert_non_null(strstr(recording.damage, "another process"));
	}
	recording_close(&recording);
	fixture_fini(&other);
}

static void unknown_chunks_are_skipped(void **state)
{
	fixture_save_part(&fixture, directory);
	assert_int_equal(calls_of(directory), 212);
	assert_int_equal(recording_open(&recording, directory, &why), 0);
	assert_int_equal(recording.problem_count, 1);
	assert_non_null(
		strstr(recording.problems[0], ": 1 record of an unknown"));
	recording_close(&recording);
}

static void truncation_at_any_length_does_no_harm(void **state)
{
	int64_t before = 212;

	fixture_save(&fixture, path, fixture.size);
	for (size_t length = fixture.size; length-- > 0;) {
		int64_t calls;

		assert_int_equal(truncate(path, (off_t)length), 0);
		/* Writers find no new data at most lengths. */
		calls = exercise_recording(path, length % 61 == 0);
		assert_true(calls <= before);
		assert_true(calls < 0 || length >= sizeof(struct wire_header));
		before = calls < 0 ? 0 : calls;
		require_some_is_like_whole(path);
	}
}

static void a_truncated_part_says_so_and_shows_the_rest(void **state)
{
	fixture_save(&fixture, path, fixture.size - 1);
	assert_int_equal(calls_of(path), 212);
	assert_int_equal(recording_open(&recording, path, &why), 0);
	assert_int_equal(recording.problem_count, 2);
	assert_non_null(strstr(recording.problems[0], "truncated"));
	recording_close(&recording);
}

/*
 * Returns the next pseudo-random number, from the same sequence in each run, so
 * that a failure can be repeated.
 */
static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return *state >> 33;
}

static void random_damage_does_no_harm(void **state)
{
	enum { ROUNDS = 1000 };
	static const uint8_t nasty[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct fixture damaged;
	uint64_t random = 1;

	for (int i = 0; i < ROUNDS; i++) {
		damaged = fixture;
		damaged.depths = (struct idmap){ 0 };
		damaged.bytes = memory_zeroed(fixture.size, 1);
		memcpy(damaged.bytes, fixture.bytes, fixture.size);
		for (uint64_t j = next_random(&random) % 16; j-- > 0;) {
			/*
			 * Half of the damage is in the first 1,024 bytes after
			 * the header.
			 */
			size_t at = next_random(&random) % fixture.size;

			if (j % 2)
				at = WIRE_HEADER_BYTES + at % 1024;
			damaged.bytes[at] =
				nasty[next_random(&random) % sizeof(nasty)];
		}
		fixture_save(&damaged, path, damaged.size);
		calls_of(path);
		require_some_is_like_whole(path);
		fixture_fini(&damaged);
	}
}

static void foreign_files_are_refused(void **state)
{
	fixture_header(&fixture)->version = WIRE_VERSION_PACKED + 1;
	fixture_save(&fixture, path, fixture.size);
	assert_int_equal(calls_of(path), -EPROTO);
	fixture_header(&fixture)->version = WIRE_VERSION_OLDEST - 1;
	fixture_save(&fixture, path, fixture.size);
	assert_int_equal(calls_of(path), -EPROTO);
	fixture.bytes[0] = 'C';
	fixture_save(&fixture, path, fixture.size);
	assert_int_equal(calls_of(path), -ENOEXEC);
	fixture_save(&fixture, path, 0);
	assert_int_equal(calls_of(path), -ENODATA);
	unlink(path);
	assert_int_equal(calls_of(path), -ENOENT);
	assert_int_equal(calls_of(directory), -ENODATA);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(calls_of(path), -ENOEXEC);
}

static void a_bad_part_does_not_spoil_the_others(void **state)
{
	char *bad = memory_printf("%s/bad.part", directory);

	fixture_save_part(&fixture, directory);
	fixture.bytes[0] = 'C';
	fixture_save(&fixture, bad, fixture.size);
	free(bad);
	assert_int_equal(calls_of(directory), 212);
}

static void an_unrecorded_process_says_why(void **state)
{
	static const char reason[] = "no room for the shadow";

	begin_empty_part();
	fixture_header(&fixture)->state = WIRE_DISABLED;
	memcpy(fixture_header(&fixture)->why, reason, sizeof(reason));
	fixture_save_part(&fixture, directory);
	assert_int_equal(recording_open(&recording, directory, &why), 0);
	assert_int_equal(recording.problem_count, 1);
	assert_non_null(strstr(recording.problems[0], reason));
	recording_close(&recording);
}

static void a_runtime_that_found_itself_broken_is_a_problem(void **state)
{
	begin_empty_part();
	fixture_header(&fixture)->violations = 3;
	fixture_header(&fixture)->first_violation = VIOLATION_IS_CHUNK_KIND;
	fixture_save_part(&fixture, directory);
	assert_int_equal(recording_open(&recording, directory, &why), 0);
	assert_int_equal(recording.problem_count, 1);
	assert_non_null(strstr(recording.problems[0], "3 times"));
	assert_non_null(strstr(recording.problems[0],
			       violation_text(VIOLATION_IS_CHUNK_KIND)));
	recording_close(&recording);
}

/* clew detached before recording began, and wrote that time as the end. */
static void a_process_that_never_started_has_no_times(void **state)
{
	begin_empty_part();
	fixture_header(&fixture)->first = (struct wire_moment){ 0 };
	fixture_header(&fixture)->latest = (struct wire_moment){ 7, 7 };
	fixture_save_part(&fixture, directory);
	assert_int_equal(recording_open(&recording, directory, &why), 0);
	assert_int_equal(recording.parts[0].header->latest.ns, 0);
	assert_int_equal(recording.parts[0].header->latest.tsc, 0);
	recording_close(&recording);
}

/* The file is larger than the used bytes, as the runtime leaves it. */
static void a_growing_part_is_read_up_to_its_end(void **state)
{
	size_t used;

	used = fixture.size;
	fixture_chunk(&fixture, WIRE_TABLE, 0, 1 << 16);
	memset(fixture.bytes + used, 0xff, fixture.size - used);
	fixture_header(&fixture)->end = used;
	fixture_save(&fixture, path, fixture.size);
	assert_int_equal(calls_of(path), 212);
	assert_int_equal(recording_open(&recording, path, &why), 0);
	assert_int_equal(recording.problem_count, 1); /* the unknown chunk */
	recording_close(&recording);
}

static void holes_are_read_as_zeros(void **state)
{
	fixture_header(&fixture)->end = UINT64_C(1) << 24;
	fixture_save(&fixture, path, fixture.size);
	assert_int_equal(truncate(path, 1 << 24), 0);
	assert_int_equal(calls_of(path), 212);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(unknown_chunks_are_skipped),
		TEST(truncation_at_any_length_does_no_harm),
		TEST(a_truncated_part_says_so_and_shows_the_rest),
		TEST(random_damage_does_no_harm),
		TEST(foreign_files_are_refused),
		TEST(a_bad_part_does_not_spoil_the_others),
		TEST(an_unrecorded_process_says_why),
		TEST(a_runtime_that_found_itself_broken_is_a_problem),
		TEST(a_process_that_never_started_has_no_times),
		TEST(a_growing_part_is_read_up_to_its_end),
		TEST(holes_are_read_as_zeros),
		TEST(unrequested_chunks_are_not_copied),
		TEST(a_part_has_its_chunks_while_it_is_loaded),
		TEST(a_part_of_another_process_is_not_loaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
