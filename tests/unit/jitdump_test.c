/* SPDX-License-Identifier: MIT */
/*
 * Tests of jitdump files in both byte orders, which the test writes byte by
 * byte.
 */
#include "tests/unit/unit.h"

#include <byteswap.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbolizer/a2n.h"

enum { LOAD, MOVE, DEBUG_INFO, CLOSE, UNWINDING_INFO };

enum { BIAS = 0x40 };

struct dump {
	uint8_t bytes[1 << 16];
	size_t count;
	size_t record; /* offset of the last record */
	int is_swapped;
};

static void put_u32(struct dump *dump, uint32_t number)
{
	number = dump->is_swapped ? bswap_32(number) : number;
	memcpy(dump->bytes + dump->count, &number, 4);
	dump->count += 4;
}

static void put_u64(struct dump *dump, uint64_t number)
{
	number = dump->is_swapped ? bswap_64(number) : number;
	memcpy(dump->bytes + dump->count, &number, 8);
	dump->count += 8;
}

static void put_bytes(struct dump *dump, const void *bytes, size_t count)
{
	memcpy(dump->bytes + dump->count, bytes, count);
	dump->count += count;
}

static void put_string(struct dump *dump, const char *text)
{
	put_bytes(dump, text, strlen(text) + 1);
}

static void begin(struct dump *dump, int is_swapped)
{
	dump->count = 0;
	dump->is_swapped = is_swapped;
	put_u32(dump, 0x4a695444);
	put_u32(dump, 1);
	put_u32(dump, 48); /* a header that is longer than the known one */
	put_u32(dump, 62);
	put_u32(dump, 0);
	put_u32(dump, 1234);
	put_u64(dump, 5);
	put_u64(dump, 0);
	put_u64(dump, ~UINT64_C(0));
}

static void begin_record(struct dump *dump, uint32_t kind, uint64_t time)
{
	dump->record = dump->count;
	put_u32(dump, kind);
	put_u32(dump, 0);
	put_u64(dump, time);
}

static void set_record_bytes(struct dump *dump, uint32_t bytes)
{
	size_t end = dump->count;

	dump->count = dump->record + 4;
	put_u32(dump, bytes);
	dump->count = end;
}

static void end_record(struct dump *dump)
{
	set_record_bytes(dump, (uint32_t)(dump->count - dump->record));
}

static void put_load(struct dump *dump, uint64_t time, uint64_t start,
		     uint32_t bytes, uint64_t index, const char *name)
{
	begin_record(dump, LOAD, time);
	put_u32(dump, 1234);
	put_u32(dump, 1235);
	put_u64(dump, start);
	put_u64(dump, start);
	put_u64(dump, bytes);
	put_u64(dump, index);
	put_string(dump, name);
	memset(dump->bytes + dump->count, 0xcc, bytes);
	dump->count += bytes;
	end_record(dump);
}

static void put_move(struct dump *dump, uint64_t time, uint64_t from,
		     uint64_t to, uint64_t index)
{
	begin_record(dump, MOVE, time);
	put_u32(dump, 1234);
	put_u32(dump, 1235);
	put_u64(dump, to);
	put_u64(dump, from);
	put_u64(dump, to);
	put_u64(dump, 16);
	put_u64(dump, index);
	end_record(dump);
}

static void begin_debug(struct dump *dump, uint64_t start, uint64_t count)
{
	begin_record(dump, DEBUG_INFO, 1);
	put_u64(dump, start);
	put_u64(dump, count);
}

static void put_line(struct dump *dump, uint64_t address, uint32_t line,
		     const char *file)
{
	put_u64(dump, address);
	put_u32(dump, line);
	put_u32(dump, 3);
	put_string(dump, file);
}

/* Code of 0x100 bytes with two lines, at 0 and at 0x10, and a bias. */
static void put_code_with_lines(struct dump *dump, uint64_t start,
				uint64_t bias)
{
	begin_debug(dump, start, 2);
	put_line(dump, start + bias, 11, "a.js");
	put_line(dump, start + 0x10 + bias, 12, "a.js");
	put_u32(dump, 0); /* the padding of some writers */
	end_record(dump);
	put_load(dump, 1, start, 0x100, start, "code");
}

static int read_dump(const struct dump *dump, struct a2n_space **space,
		     struct a2n_read *read)
{
	char path[] = "/tmp/clew-test-XXXXXX";
	int fd = mkstemp(path), err;

	assert_int_equal(write(fd, dump->bytes, dump->count), dump->count);
	close(fd);
	assert_int_equal(a2n_space_create(NULL, space), 0);
	err = a2n_space_read_jitdump(*space, path, read);
	assert_int_equal(a2n_space_commit(*space), 0);
	unlink(path);
	return err;
}

static struct a2n_space *space_of(const struct dump *dump,
				  struct a2n_read *read)
{
	struct a2n_space *space;

	assert_int_equal(read_dump(dump, &space, read), 0);
	return space;
}

static struct a2n_frame frame_at(const struct a2n_space *space, uint64_t pc,
				 uint64_t time)
{
	struct a2n_frame frame = { 0 };

	a2n_space_lookup(space, pc, time, NULL, 0, NULL, &frame, 1);
	return frame;
}

static void assert_read(const struct a2n_read *read, uint64_t records,
			uint64_t malformed, uint64_t unknown)
{
	assert_int_equal(read->records, records);
	assert_int_equal(read->malformed, malformed);
	assert_int_equal(read->unknown, unknown);
}

#define assert_name(space, pc, time, expected)                                 \
	assert_string_equal(frame_at(space, pc, time).name, expected)

static void every_kind_of_record_is_read_in_both_byte_orders(void **state)
{
	static struct dump dump;

	(void)state;
	for (int is_swapped = 0; is_swapped < 2; is_swapped++) {
		struct a2n_space *space;
		struct a2n_read read;

		begin(&dump, is_swapped);
		put_load(&dump, 10, 0x1000, 16, 7, "first");
		put_load(&dump, 20, 0x1008, 16, 8, "second");
		put_move(&dump, 30, 0x1008, 0x2000, 8);
		begin_record(&dump, UNWINDING_INFO, 31);
		put_u64(&dump, 1);
		end_record(&dump);
		begin_record(&dump, 99, 32);
		put_u64(&dump, 1);
		end_record(&dump);
		begin_record(&dump, CLOSE, 33);
		end_record(&dump);
		space = space_of(&dump, &read);
		assert_read(&read, 5, 0, 1);
		assert_null(frame_at(space, 0x1000, 9).name);
		assert_name(space, 0x1008, 10, "first");
		assert_name(space, 0x1008, 29, "second");
		assert_null(frame_at(space, 0x1008, 30).name);
		assert_name(space, 0x2008, 30, "second");
		assert_name(space, 0x1007, A2N_LATEST, "first");
		a2n_space_destroy(space);
	}
}

static void assert_lines(const struct a2n_space *space, uint64_t start)
{
	struct a2n_frame first = frame_at(space, start, 1);
	struct a2n_frame second = frame_at(space, start + 0xff, 1);

	assert_string_equal(first.file, "a.js");
	assert_int_equal(first.line, 11);
	assert_int_equal(first.discriminator, 3);
	assert_int_equal(second.line, 12);
	assert_int_equal(frame_at(space, start + 15, 1).line, 11);
}

static void lines_have_their_recorded_addresses(void **state)
{
	static struct dump dump;
	struct a2n_space *space;
	struct a2n_read read;

	(void)state;
	begin(&dump, 1);
	put_code_with_lines(&dump, 0x1000, 0);
	space = space_of(&dump, &read);
	assert_read(&read, 2, 0, 0);
	assert_lines(space, 0x1000);
	a2n_space_destroy(space);
}

/*
 * Both interpretations fit this code, because its first line may be after its
 * start.
 */
static void lines_that_are_all_0x40_too_high_are_set_right(void **state)
{
	static struct dump dump;
	struct a2n_space *space;
	struct a2n_read read;

	(void)state;
	begin(&dump, 0);
	put_code_with_lines(&dump, 0x1000, BIAS);
	space = space_of(&dump, &read);
	assert_lines(space, 0x1000);
	a2n_space_destroy(space);
}

/* The bias that one function shows applies to all. */
static void one_function_gives_the_bias_of_the_others(void **state)
{
	static struct dump dump;
	uint64_t biases[] = { 0, BIAS };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct a2n_space *space;
		struct a2n_read read;

		begin(&dump, 0);
		begin_debug(&dump, 0x1000, 1); /* fits both interpretations */
		put_line(&dump, 0x1000 + 0x60, 1, "b.js");
		end_record(&dump);
		put_load(&dump, 1, 0x1000, 0x100, 1, "either");
		begin_debug(&dump, 0x2000, 2);
		put_line(&dump, 0x2000 + biases[i], 1, "b.js");
		put_line(&dump, 0x2000 + 0x10 + biases[i], 1, "b.js");
		end_record(&dump);
		put_load(&dump, 1, 0x2000, 0x20, 2, "one alone");
		space = space_of(&dump, &read);
		assert_read(&read, 4, 0, 0);
		assert_int_equal(
			frame_at(space, 0x1000 + 0x60 - biases[i], 1).line, 1);
		assert_int_equal(
			frame_at(space, 0x1000 + 0x5f - biases[i], 1).line, 0);
		a2n_space_destroy(space);
	}
}

static void lines_find_their_code_among_that_of_other_threads(void **state)
{
	static struct dump dump;
	struct a2n_space *space;
	struct a2n_read read;

	(void)state;
	begin(&dump, 0);
	begin_debug(&dump, 0x1000, 1);
	put_line(&dump, 0x1000, 1, "a");
	end_record(&dump);
	begin_debug(&dump, 0x2000, 1);
	put_line(&dump, 0x2000, 2, "b");
	end_record(&dump);
	put_load(&dump, 1, 0x1000, 16, 1, "first");
	put_load(&dump, 1, 0x2000, 16, 2, "second");
	put_load(&dump, 1, 0x3000, 16, 3, "without");
	space = space_of(&dump, &read);
	assert_int_equal(frame_at(space, 0x1000, 1).line, 1);
	assert_int_equal(frame_at(space, 0x2000, 1).line, 2);
	assert_int_equal(frame_at(space, 0x3000, 1).line, 0);
	a2n_space_destroy(space);
}

static void a_file_of_0xff_is_the_one_before(void **state)
{
	static struct dump dump;
	struct a2n_space *space;
	struct a2n_read read;

	(void)state;
	begin(&dump, 0);
	begin_debug(&dump, 0x1000, 2);
	put_line(&dump, 0x1000, 1, "same.js");
	put_line(&dump, 0x1004, 2, "\xff");
	end_record(&dump);
	put_load(&dump, 1, 0x1000, 16, 1, "f");
	space = space_of(&dump, &read);
	assert_string_equal(frame_at(space, 0x1005, 1).file, "same.js");
	assert_int_equal(frame_at(space, 0x1005, 1).line, 2);
	a2n_space_destroy(space);
}

static void a_name_ends_at_its_first_nul(void **state)
{
	static struct dump dump;
	struct a2n_space *space;
	struct a2n_read read;

	(void)state;
	begin(&dump, 0);
	begin_record(&dump, LOAD, 1);
	put_u64(&dump, 0);
	put_u64(&dump, 0x1000);
	put_u64(&dump, 0x1000);
	put_u64(&dump, 16);
	put_u64(&dump, 1);
	put_bytes(&dump, "name\0more", 10);
	put_bytes(&dump, "0123456789abcdef", 16);
	end_record(&dump);
	put_load(&dump, 1, 0x2000, 16, 2, "next");
	space = space_of(&dump, &read);
	assert_name(space, 0x1000, 1, "name");
	assert_name(space, 0x2000, 1, "next");
	a2n_space_destroy(space);
}

static void complete_records_of_a_truncated_file_are_kept(void **state)
{
	static struct dump dump;
	size_t whole;

	(void)state;
	begin(&dump, 0);
	put_load(&dump, 1, 0x1000, 16, 1, "whole");
	whole = dump.count;
	put_load(&dump, 1, 0x2000, 16, 2, "cut");
	for (dump.count--; dump.count > whole; dump.count--) {
		struct a2n_space *space;
		struct a2n_read read;

		space = space_of(&dump, &read);
		assert_read(&read, 1, 1, 0);
		assert_name(space, 0x1000, 1, "whole");
		assert_null(frame_at(space, 0x2000, 1).name);
		a2n_space_destroy(space);
	}
}

static void records_that_make_no_sense_are_skipped_by_length(void **state)
{
	static struct dump dump;
	struct a2n_space *space;
	struct a2n_read read;

	(void)state;
	begin(&dump, 0);
	put_load(&dump, 1, 0x1000, 0, 1, "empty");
	put_load(&dump, 1, UINT64_MAX - 8, 16, 2, "beyond the end");
	put_load(&dump, A2N_LATEST, 0x1000, 16, 3, "after all times");
	put_move(&dump, 1, 0x1000, 0x2000, 99);
	begin_record(&dump, LOAD, 1); /* has no room for a name */
	put_u64(&dump, 0);
	end_record(&dump);
	begin_record(&dump, DEBUG_INFO, 1);
	put_u64(&dump, 0x3000);
	end_record(&dump);
	begin_debug(&dump, 0x3000,
		    UINT64_MAX); /* more lines than the record has */
	put_line(&dump, 0x3000, 5, "f");
	end_record(&dump);
	put_load(&dump, 1, 0x3000, 16, 4, "good");
	space = space_of(&dump, &read);
	assert_read(&read, 2, 7, 0);
	assert_null(frame_at(space, 0x1000, 1).name);
	assert_name(space, 0x3000, 1, "good");
	assert_int_equal(frame_at(space, 0x3000, 1).line, 5);
	a2n_space_destroy(space);
}

static void an_impossible_length_ends_the_file(void **state)
{
	static const uint32_t lengths[] = { 0, 15, 0x7fffffff, UINT32_MAX };
	static struct dump dump;

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct a2n_space *space;
		struct a2n_read read;

		begin(&dump, 0);
		put_load(&dump, 1, 0x1000, 16, 1, "good");
		put_load(&dump, 1, 0x2000, 16, 2, "bad");
		set_record_bytes(&dump, lengths[i]);
		space = space_of(&dump, &read);
		assert_read(&read, 1, 1, 0);
		assert_name(space, 0x1000, 1, "good");
		a2n_space_destroy(space);
	}
}

static void damaged_headers_are_errors(void **state)
{
	static struct dump dump;
	struct a2n_read read = { .records = 77 };
	struct a2n_space *space;

	(void)state;
	for (int i = 0; i < 4; i++) {
		begin(&dump, 0);
		if (i == 0)
			dump.bytes[0] ^= 1; /* damages the magic number */
		else if (i == 1)
			dump.bytes[4] = 2; /* sets another version */
		else if (i == 2)
			dump.bytes[8] =
				39; /* sets a header that is too short */
		else
			dump.count = 39;
		assert_int_equal(read_dump(&dump, &space, &read), -EBADMSG);
		a2n_space_destroy(space);
	}
	assert_int_equal(read.records, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			every_kind_of_record_is_read_in_both_byte_orders),
		cmocka_unit_test(lines_have_their_recorded_addresses),
		cmocka_unit_test(
			lines_that_are_all_0x40_too_high_are_set_right),
		cmocka_unit_test(one_function_gives_the_bias_of_the_others),
		cmocka_unit_test(
			lines_find_their_code_among_that_of_other_threads),
		cmocka_unit_test(a_file_of_0xff_is_the_one_before),
		cmocka_unit_test(a_name_ends_at_its_first_nul),
		cmocka_unit_test(complete_records_of_a_truncated_file_are_kept),
		cmocka_unit_test(
			records_that_make_no_sense_are_skipped_by_length),
		cmocka_unit_test(an_impossible_length_ends_the_file),
		cmocka_unit_test(damaged_headers_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
