/* SPDX-License-Identifier: MIT */
/* Tests of packed counts: report/recording/part_packing.h. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include "base/memory.h"
#include "report/recording/part_packing.h"
#include "tests/unit/drawn.h"
#include "tests/unit/exercise.h"
#include "tests/unit/fixture.h"
#include "wire/id.h"

enum { CONTEXTS = 1000, TABLE_LOG2 = 11 };

static struct fixture fixture;
static char *directory, *plain_path, *packed_path, *why;

static int set_up(void **state)
{
	(void)state;
	directory = fixture_directory();
	plain_path = memory_printf("%s/100.0.part", directory);
	packed_path = memory_printf("%s/packed-100.0.part", directory);
	fixture_init(&fixture, 100, 0);
	fixture_module(&fixture, "/lib/app", 1, 500);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fixture_fini(&fixture);
	fixture_remove(directory);
	free(plain_path);
	free(packed_path);
	return 0;
}

/* Adds contexts below random earlier ones, some of them with tail calls. */
static void add_contexts(uint32_t tally, size_t count)
{
	uint64_t *ids = memory_zeroed(count + 1, sizeof(*ids));

	for (size_t i = 1; i <= count; i++) {
		const uint64_t caller = ids[draw((uint32_t)i)];
		const uint32_t function =
			draw(50) == 0 ? WIRE_FOLDED : 1 + draw(499);

		ids[i] = fixture_context(&fixture, tally, caller, function,
					 draw(3) ? draw(1000) : 0);
		fixture_last_context(&fixture, tally)->site =
			draw(4) ? 0x1000 + (uint64_t)function * 16
				: (uint64_t)draw(1 << 30) << 18;
	}
	free(ids);
}

/* Returns a tally with room for CONTEXTS contexts outside of its own chunk. */
static struct wire_tally *add_tally(uint32_t number)
{
	return fixture_tally(&fixture, number, CONTEXTS, TABLE_LOG2);
}

/* ---- Comparison ---- */

struct counted {
	uint64_t id, calls;
	struct wire_times times;
};

static int by_id(const void *left, const void *right)
{
	return memcmp(left, right, sizeof(struct counted));
}

/* Returns the entries of a table, sorted. The caller must free() them. */
static struct counted *entries_of(const struct part_copy *part, uint64_t ref,
				  size_t *count)
{
	const struct wire_count *table =
		(const void *)(part->bytes + wire_table_offset(ref));
	const size_t entries = ref ? (size_t)1 << wire_table_log2(ref) : 0;
	struct counted *found =
		memory_zeroed(entries ? entries : 1, sizeof(*found));

	*count = 0;
	for (size_t i = 0; i < entries; i++) {
		struct counted *entry = &found[*count];

		if (!wire_is_counted(&table[i]))
			continue;
		entry->id = table[i].id;
		entry->calls = wire_calls(&table[i]);
		if (part->header->time == WIRE_TIME_EXACT)
			entry->times = ((const struct wire_times *)table -
					1)[-(ptrdiff_t)i];
		++*count;
	}
	qsort(found, *count, sizeof(*found), by_id);
	return found;
}

static void require_same_table(const struct part_copy *before,
			       const struct part_copy *after, uint64_t ref)
{
	size_t count, count_after;
	struct counted *entries = entries_of(before, ref, &count);
	struct counted *entries_after = entries_of(after, ref, &count_after);

	assert_int_equal(count_after, count);
	assert_memory_equal(entries_after, entries, count * sizeof(*entries));
	free(entries);
	free(entries_after);
}

/* Compares valid contexts, which packing may move within their chunk. */
static void require_same_contexts(const struct part_chunk *before,
				  const struct part_chunk *after)
{
	const struct wire_context *a = (const void *)before->payload;
	const struct wire_context *b = (const void *)after->payload;
	const size_t slots = before->payload_bytes / sizeof(*a);
	size_t at = 0;

	for (size_t i = 0; i < slots; i++)
		if (a[i].id)
			assert_memory_equal(&b[at++], &a[i], sizeof(*a));
	for (; at < slots; at++)
		assert_int_equal(b[at].id, 0);
}

static void require_same_chunk(const struct part_copy *before,
			       const struct part_chunk *a,
			       const struct part_copy *after,
			       const struct part_chunk *b)
{
	const struct wire_tally *tally = (const void *)a->payload;

	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->owner, b->owner);
	assert_int_equal(a->offset, b->offset);
	assert_int_equal(a->bytes, b->bytes);
	assert_int_equal(a->used_bytes, b->used_bytes);
	if (a->kind == WIRE_CONTEXTS)
		require_same_contexts(a, b);
	else if (a->kind != WIRE_TABLE)
		assert_memory_equal(a->payload, b->payload, a->payload_bytes);
	if (a->kind != WIRE_TALLY)
		return;
	require_same_table(before, after, tally->table);
	require_same_table(before, after, tally->retired);
}

/* Compares chunks. Returns the position behind them in `after`. */
static uint64_t require_same_chunks(const struct part_copy *before,
				    const struct part_copy *after)
{
	struct part_chunk a, b;
	uint64_t at_a = 0, at_b = 0;

	while (part_next_chunk(before, &at_a, &a)) {
		assert_true(part_next_chunk(after, &at_b, &b));
		require_same_chunk(before, &a, after, &b);
	}
	return at_b;
}

static void require_same(const struct part_copy *before,
			 const struct part_copy *after)
{
	struct part_chunk chunk;
	uint64_t at;

	assert_memory_equal(after->header, before->header,
			    sizeof(*before->header));
	assert_int_equal(after->size_bytes, before->size_bytes);
	at = require_same_chunks(before, after);
	assert_false(part_next_chunk(after, &at, &chunk));
}

/*
 * The part was copied after the chunk of packed counts was appended, but before
 * the version made it valid. Readers skip it.
 */
static void require_same_and_a_chunk(const struct part_copy *before,
				     const struct part_copy *after)
{
	struct wire_header header = *after->header;
	struct part_chunk chunk;
	uint64_t at;

	assert_true(header.end > before->header->end);
	header.end = before->header->end;
	assert_memory_equal(&header, before->header, sizeof(header));
	at = require_same_chunks(before, after);
	assert_true(part_next_chunk(after, &at, &chunk));
	assert_int_equal(chunk.kind, WIRE_PACKED);
	assert_int_equal(chunk.offset + chunk.bytes, after->header->end);
}

static void open_part(struct part_copy *part, const char *path)
{
	assert_int_equal(part_open(part, path, &why), 0);
	if (part->damage)
		fail_msg("%s", part->damage);
}

static void save_plain(void)
{
	fixture_save(&fixture, plain_path, fixture.size);
}

/* Packs a copy of the plain part. Returns 0 or -errno. */
static int save_packed(void)
{
	struct part_copy part;
	int fd, err;

	assert_int_equal(part_open(&part, plain_path, &why), 0);
	unlink(packed_path);
	assert_int_equal(part_save(&part, packed_path, &why), 0);
	part_close(&part);
	assert_int_equal(
		part_open_some(&part, packed_path, PART_COUNT_KINDS, &why), 0);
	fd = open(packed_path, O_RDWR | O_CLOEXEC);
	err = part_pack(&part, fd);
	close(fd);
	part_close(&part);
	return err;
}

static void require_round_trip(void)
{
	struct part_copy before, after;

	save_plain();
	assert_int_equal(save_packed(), 0);
	open_part(&before, plain_path);
	open_part(&after, packed_path);
	assert_false(before.is_packed);
	assert_true(after.is_packed);
	require_same(&before, &after);
	part_close(&before);
	part_close(&after);
	assert_int_equal(exercise_recording(packed_path, 1),
			 exercise_recording(plain_path, 1));
}

/* Returns the bytes of a file; the caller must free() them. */
static unsigned char *bytes_of(const char *path, size_t *count)
{
	FILE *file = fopen(path, "re");
	unsigned char *bytes;

	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	*count = (size_t)ftell(file);
	rewind(file);
	bytes = memory_zeroed(*count, 1);
	assert_int_equal(fread(bytes, 1, *count, file), *count);
	fclose(file);
	return bytes;
}

static void write_packed(const unsigned char *bytes, size_t count)
{
	FILE *file = fopen(packed_path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	fclose(file);
}

/* Requires that the part can be read, and that its damage has this text. */
static void require_damage(const char *text)
{
	struct part_copy part;

	assert_int_equal(part_open(&part, packed_path, &why), 0);
	assert_non_null(part.damage);
	if (!strstr(part.damage, text))
		fail_msg("%s", part.damage);
	part_close(&part);
	exercise_recording(packed_path, 0);
}

static struct wire_chunk *packed_chunk(unsigned char *bytes, size_t count)
{
	const struct wire_header *header = (const void *)bytes;
	struct wire_chunk *chunk;

	for (size_t at = header->header_bytes; at < count; at += chunk->bytes) {
		chunk = (void *)(bytes + at);
		if (chunk->kind == WIRE_PACKED)
			return chunk;
	}
	fail_msg("the part has no packed counts");
	return NULL;
}

/* ---- Tests ---- */

static void counts_are_the_same_afterwards(void **state)
{
	(void)state;
	add_tally(0);
	add_contexts(0, CONTEXTS - 1);
	require_round_trip();
}

static void the_file_becomes_smaller(void **state)
{
	struct stat plain, packed;

	(void)state;
	fixture_tally(&fixture, 0, 50000, 16);
	add_contexts(0, 49999);
	require_round_trip();
	assert_int_equal(stat(plain_path, &plain), 0);
	assert_int_equal(stat(packed_path, &packed), 0);
	assert_true(packed.st_blocks * 3 < plain.st_blocks);
}

static void several_tallies_may_share_ids(void **state)
{
	(void)state;
	add_tally(2);
	add_tally(0);
	add_contexts(0, 300);
	add_contexts(2, 300);
	for (uint32_t i = 0; i < 100; i++) {
		fixture_context(&fixture, 0, ID_ROOT, 1 + i, i);
		fixture_context(&fixture, 2, ID_ROOT, 1 + i, 2 * i);
	}
	/* in its own chunk only */
	fixture_tally(&fixture, 1, 0, 0);
	add_contexts(1, 100);
	require_round_trip();
}

static void tail_calls_keep_their_records(void **state)
{
	(void)state;
	add_tally(0);
	for (size_t i = 0; i < CONTEXTS / 2; i++) {
		add_contexts(0, 1);
		fixture_tail_calls(&fixture, 0, i);
	}
	require_round_trip();
}

static void counts_without_a_context_are_kept(void **state)
{
	(void)state;
	add_tally(0);
	add_contexts(0, 500);
	for (uint64_t i = 1; i < 200; i++)
		fixture_count(&fixture, 0, i << 32, i);
	require_round_trip();
}

static void contexts_may_be_twice_or_before_their_callers(void **state)
{
	uint64_t callee;

	(void)state;
	add_tally(0);
	add_contexts(0, 500);
	callee = id_push(id_push(ID_ROOT, id_key(490)), id_key(491));
	fixture_context(&fixture, 0, callee, 492, 5);
	fixture_context(&fixture, 0, id_push(ID_ROOT, id_key(490)), 491, 6);
	fixture_context(&fixture, 0, ID_ROOT, 490, 7);
	fixture_context(&fixture, 0, ID_ROOT, 490, 8);
	require_round_trip();
}

static void retired_tables_and_freed_records_are_kept(void **state)
{
	(void)state;
	add_tally(0);
	add_contexts(0, 500);
	fixture_retire(&fixture, 0);
	add_contexts(0, 200);
	fixture_last_context(&fixture, 0)->id = 0;
	add_contexts(0, 100);
	require_round_trip();
}

static void exact_times_are_kept(void **state)
{
	uint64_t id;

	(void)state;
	fixture_header(&fixture)->time = WIRE_TIME_EXACT;
	add_tally(0);
	fixture_timed_table(&fixture, 0);
	for (uint64_t i = 1; i < CONTEXTS; i++) {
		id = fixture_context(&fixture, 0, ID_ROOT, (uint32_t)i, i);
		*fixture_times(&fixture, 0, id) =
			(struct wire_times){ .ended = i,
					     .total = i * 1000,
					     .self = i,
					     .min = 1,
					     .max = i * 999,
					     .latest = 3 };
	}
	require_round_trip();
}

static void parts_without_such_counts_stay(void **state)
{
	(void)state;
	fixture_tally(&fixture, 0, 0, 0);
	add_contexts(0, 100);
	save_plain();
	assert_int_equal(save_packed(), -ENODATA);
}

static void packed_and_damaged_parts_stay(void **state)
{
	struct part_copy part;

	(void)state;
	add_tally(0);
	add_contexts(0, CONTEXTS);
	save_plain();
	assert_int_equal(save_packed(), 0);
	open_part(&part, packed_path);
	assert_int_equal(part_pack(&part, -1), -ENODATA);
	part_close(&part);
	fixture_save(&fixture, plain_path, fixture.size - 8);
	assert_int_equal(save_packed(), -ENODATA);
}

/*
 * Each step leaves a complete file: with the new chunk, the new end, the new
 * version, and some of the holes.
 */
static void interrupted_packing_loses_nothing(void **state)
{
	const size_t head = sizeof(struct wire_header);
	struct part_copy before, after;
	unsigned char *plain, *packed;
	size_t plain_bytes, packed_bytes;

	(void)state;
	add_tally(0);
	add_contexts(0, CONTEXTS);
	save_plain();
	assert_int_equal(save_packed(), 0);
	open_part(&before, plain_path);
	plain = bytes_of(plain_path, &plain_bytes);
	packed = bytes_of(packed_path, &packed_bytes);

	/* the chunk, the end and the version are written, and a hole */
	memcpy(packed + head, plain + head, plain_bytes - head);
	memset(packed + plain_bytes / 2, 0, 512);
	write_packed(packed, packed_bytes);
	open_part(&after, packed_path);
	assert_true(after.is_packed);
	require_same(&before, &after);
	part_close(&after);

	/* the chunk and the end are written: readers skip it */
	memcpy(packed + head, plain + head, plain_bytes - head);
	((struct wire_header *)packed)->version = WIRE_VERSION;
	write_packed(packed, packed_bytes);
	assert_int_equal(exercise_recording(packed_path, 0),
			 exercise_recording(plain_path, 0));

	/* the chunk is written */
	((struct wire_header *)packed)->end = plain_bytes;
	write_packed(packed, packed_bytes);
	assert_int_equal(exercise_recording(packed_path, 0),
			 exercise_recording(plain_path, 0));
	part_close(&before);
	free(plain);
	free(packed);
}

/* While copies are packed, another process reads them. */
static void a_reader_sees_no_mixture(void **state)
{
	enum { ROUNDS = 200 };
	struct part_copy before, after;
	pid_t packer;
	int status, readings = 0;

	(void)state;
	add_tally(0);
	add_contexts(0, CONTEXTS);
	save_plain();
	open_part(&before, plain_path);
	packer = fork();
	if (packer == 0) {
		for (int i = 0; i < ROUNDS; i++)
			if (save_packed() != 0)
				_exit(1);
		_exit(0);
	}
	while (waitpid(packer, &status, WNOHANG) == 0) {
		/* the file may be absent or short, as it is being copied */
		if (part_open(&after, packed_path, &why) != 0) {
			free(why);
			continue;
		}
		if (!after.damage) {
			if (part_has_chunk(&after, WIRE_PACKED))
				require_same_and_a_chunk(&before, &after);
			else
				require_same(&before, &after);
			readings++;
		}
		part_close(&after);
	}
	assert_int_equal(status, 0);
	assert_true(readings > 0);
	part_close(&before);
}

static void a_copy_of_another_file_is_not_written(void **state)
{
	struct part_copy part;
	int fd;

	(void)state;
	add_tally(0);
	add_contexts(0, CONTEXTS);
	save_plain();
	open_part(&part, plain_path);
	fixture_header(&fixture)->start_ns++;
	save_plain();
	fd = open(plain_path, O_RDWR | O_CLOEXEC);
	assert_int_equal(part_pack(&part, fd), -ESTALE);
	close(fd);
	part_close(&part);
}

static void a_saved_copy_of_damaged_counts_is_damaged(void **state)
{
	unsigned char *bytes;
	struct part_copy part;
	size_t count;

	(void)state;
	add_tally(0);
	add_contexts(0, CONTEXTS);
	save_plain();
	assert_int_equal(save_packed(), 0);
	bytes = bytes_of(packed_path, &count);
	((struct wire_packed *)(packed_chunk(bytes, count) + 1))
		->column_bytes[0]++;
	write_packed(bytes, count);
	assert_int_equal(part_open(&part, packed_path, &why), 0);
	assert_non_null(part.damage);
	unlink(packed_path);
	assert_int_equal(part_save(&part, packed_path, &why), 0);
	part_close(&part);
	require_damage("its packed counts are missing");
	free(bytes);
}

static void other_chunks_are_read_without_unpacking(void **state)
{
	struct part_copy part;
	struct part_chunk chunk;
	uint64_t cursor = 0;
	int modules = 0;

	(void)state;
	add_tally(0);
	add_contexts(0, CONTEXTS);
	save_plain();
	assert_int_equal(save_packed(), 0);
	assert_int_equal(part_open_some(&part, packed_path,
					PART_KIND(WIRE_MODULE), &why),
			 0);
	assert_null(part.damage);
	assert_int_equal(part.header->version, WIRE_VERSION);
	while (part_next_chunk(&part, &cursor, &chunk)) {
		const struct wire_module *module = (const void *)chunk.payload;

		if (chunk.kind != WIRE_MODULE)
			continue;
		assert_int_equal(module->function_count, 500);
		modules++;
	}
	assert_int_equal(modules, 1);
	part_close(&part);
}

static void damaged_columns_are_reported(void **state)
{
	unsigned char *bytes, *copy;
	struct wire_chunk *chunk;
	struct wire_packed *packed;
	size_t count;

	(void)state;
	add_tally(0);
	add_contexts(0, CONTEXTS);
	save_plain();
	assert_int_equal(save_packed(), 0);
	bytes = bytes_of(packed_path, &count);
	chunk = packed_chunk(bytes, count);
	packed = (void *)(chunk + 1);
	copy = memory_zeroed(count, 1);

	memcpy(copy, bytes, count);
	packed->column_bytes[WIRE_PACKED_CALLS] = UINT64_C(1) << 40;
	write_packed(bytes, count);
	require_damage("its packed counts are damaged");
	memcpy(bytes, copy, count);
	packed->column_bytes[WIRE_PACKED_SIZES]++;
	packed->column_bytes[WIRE_PACKED_CALLERS]--;
	write_packed(bytes, count);
	require_damage("its packed counts are damaged");
	memcpy(bytes, copy, count);
	chunk->used = sizeof(*packed) - 1;
	write_packed(bytes, count);
	require_damage("its packed counts are damaged");
	memcpy(bytes, copy, count);
	chunk->kind = WIRE_FREE;
	write_packed(bytes, count);
	require_damage("its packed counts are missing");
	memcpy(bytes, copy, count);
	write_packed(bytes, count - 8);
	require_damage("truncated");
	free(bytes);
	free(copy);
}

/* The reader's answer to any change is an answer, as the fuzzer checks too. */
static void any_byte_may_be_wrong(void **state)
{
	unsigned char *bytes;
	struct wire_chunk *chunk;
	size_t count, first;

	(void)state;
	add_tally(0);
	add_contexts(0, CONTEXTS);
	save_plain();
	assert_int_equal(save_packed(), 0);
	bytes = bytes_of(packed_path, &count);
	chunk = packed_chunk(bytes, count);
	first = (size_t)((unsigned char *)chunk - bytes);
	for (size_t at = first; at < count; at += 1 + draw(16)) {
		const unsigned char before = bytes[at];

		bytes[at] ^= (unsigned char)(1 + draw(255));
		write_packed(bytes, count);
		exercise_recording(packed_path, 0);
		bytes[at] = before;
	}
	free(bytes);
}

/* As above, but the frame is valid and its columns are wrong. */
static void any_byte_of_a_column_may_be_wrong(void **state)
{
	unsigned char *bytes, *changed, *columns;
	struct wire_chunk *chunk;
	struct wire_packed packed;
	const size_t before = sizeof(*chunk) + sizeof(packed);
	size_t count, first, total = 0;

	(void)state;
	add_tally(0);
	add_contexts(0, CONTEXTS / 2);
	fixture_tail_calls(&fixture, 0, 3);
	for (uint64_t i = 1; i < 20; i++)
		fixture_count(&fixture, 0, i << 32, i);
	save_plain();
	assert_int_equal(save_packed(), 0);
	bytes = bytes_of(packed_path, &count);
	chunk = packed_chunk(bytes, count);
	first = (size_t)((unsigned char *)chunk - bytes);
	memcpy(&packed, chunk + 1, sizeof(packed));
	for (int i = 0; i < WIRE_PACKED_COLUMNS; i++)
		total += packed.column_bytes[i];
	columns = memory_zeroed(total, 1);
	changed = memory_zeroed(first + before + ZSTD_compressBound(total) + 8,
				1);
	assert_int_equal(ZSTD_decompress(columns, total, bytes + first + before,
					 chunk->used - sizeof(packed)),
			 total);
	memcpy(changed, bytes, first + before);
	for (size_t at = 0; at < total; at += 1 + draw(8)) {
		struct wire_chunk *head = (void *)(changed + first);
		const unsigned char right = columns[at];

		columns[at] = (unsigned char)(draw(2) ? 0xff : draw(256));
		head->used = sizeof(packed) +
			     ZSTD_compress(changed + first + before,
					   ZSTD_compressBound(total), columns,
					   total, 1);
		head->bytes = (sizeof(*head) + head->used + 7) & ~UINT64_C(7);
		((struct wire_header *)changed)->end = first + head->bytes;
		write_packed(changed, first + head->bytes);
		exercise_recording(packed_path, 0);
		columns[at] = right;
	}
	free(bytes);
	free(changed);
	free(columns);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(counts_are_the_same_afterwards),
		TEST(the_file_becomes_smaller),
		TEST(several_tallies_may_share_ids),
		TEST(tail_calls_keep_their_records),
		TEST(counts_without_a_context_are_kept),
		TEST(contexts_may_be_twice_or_before_their_callers),
		TEST(retired_tables_and_freed_records_are_kept),
		TEST(exact_times_are_kept),
		TEST(parts_without_such_counts_stay),
		TEST(packed_and_damaged_parts_stay),
		TEST(interrupted_packing_loses_nothing),
		TEST(a_reader_sees_no_mixture),
		TEST(a_copy_of_another_file_is_not_written),
		TEST(a_saved_copy_of_damaged_counts_is_damaged),
		TEST(other_chunks_are_read_without_unpacking),
		TEST(damaged_columns_are_reported),
		TEST(any_byte_may_be_wrong),
		TEST(any_byte_of_a_column_may_be_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
