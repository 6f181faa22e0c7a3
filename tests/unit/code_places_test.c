/* SPDX-License-Identifier: MIT */
/*
 * Tests which methods contain an offset of code, for correct and random
 * records.
 */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "report/merge/code_places.h"

#define NONE UINT32_MAX

struct record {
	struct wire_code_lines head;
	uint32_t methods[2];
	uint8_t bytes[64];
};

/*
 * Up to offset 4 method f is at bytecode 7. Up to 10, f has called g at
 * bytecode 300. Up to 20 only f is active.
 */
static const uint8_t example[] = {
	4,  1, 0, 8,    0, /* refers to the newest frame, the first one */
	6,  1, 1, 0xad, 0x02,
	1,                 /* bytecode 301, called by the previous frame */
	10, 0, 1,          /* refers to the frame before the newest */
	1,  1, 1, 0,    0, /* unknown bytecode */
};

static struct record record_of(const uint8_t *bytes, size_t count)
{
	struct record record = {
		.head = { .start = 0x1000,
			  .tsc = 5,
			  .bytes = (uint32_t)(8 + count),
			  .methods = 2 },
		.methods = { 100, 200 },
	};

	memcpy(record.bytes, bytes, count);
	return record;
}

/* Checks the innermost method and its caller, or NONE. */
static void assert_frames(const struct record *record, uint64_t offset,
			  uint32_t innermost, uint32_t bytecode,
			  uint32_t caller)
{
	struct placed_frame frames[2];
	const size_t count =
		code_places_frames(&record->head, offset, frames, 2);

	assert_int_equal(count, innermost == NONE ? 0 : caller == NONE ? 1 : 2);
	if (count > 0) {
		assert_int_equal(frames[0].method, innermost);
		assert_int_equal(frames[0].bytecode, bytecode);
	}
	if (count > 1)
		assert_int_equal(frames[1].method, caller);
}

static void a_location_extends_to_its_end(void **state)
{
	const struct record record = record_of(example, sizeof(example));

	(void)state;
	assert_frames(&record, 0, 100, 7, NONE);
	assert_frames(&record, 4, 100, 7, NONE);
	assert_frames(&record, 5, 200, 300, 100);
	assert_frames(&record, 10, 200, 300, 100);
	assert_frames(&record, 11, 100, 7, NONE);
	assert_frames(&record, 20, 100, 7, NONE);
	assert_frames(&record, 21, 200, WIRE_BYTECODE_NONE, NONE);
	assert_frames(&record, 22, NONE, 0, NONE);
	assert_frames(&record, UINT64_MAX, NONE, 0, NONE);
}

static void records_are_found_by_start_and_stamp(void **state)
{
	const struct record record = record_of(example, sizeof(example));
	const struct part_chunk chunk = {
		.kind = WIRE_CODE_LINES,
		.payload = (const void *)&record,
		.payload_bytes = sizeof(record),
		.used_bytes = 24 + ((8 + sizeof(example) + 7) & ~(size_t)7),
	};
	struct code_places places = { 0 };

	(void)state;
	code_places_add(&places, &chunk);
	assert_ptr_equal(code_places_of(&places, 0x1000, 5), &record);
	assert_null(code_places_of(&places, 0x1000, 6));
	assert_null(code_places_of(&places, 0x1008, 5));
	code_places_fini(&places);
}

static void malformed_places_are_rejected(void **state)
{
	static const struct {
		uint8_t count, bytes[8];
	} wrong[] = {
		{ 0, { 0 } },
		{ 1, { 4 } },             /* ends inside a location */
		{ 3, { 4, 1, 0 } },       /* ends inside a frame */
		{ 3, { 4, 0x80, 0x80 } }, /* ends inside a number */
		{ 5, { 4, 1, 2, 8, 0 } }, /* an unknown method */
		{ 5, { 4, 1, 0, 8, 1 } }, /* a caller before the first frame */
		{ 3, { 4, 0, 0 } }, /* a reference before the first frame */
		{ 8, { 4, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		const struct record record =
			record_of(wrong[i].bytes, wrong[i].count);

		assert_frames(&record, 2, NONE, 0, NONE);
	}
}

static void random_bytes_do_no_harm(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		struct placed_frame frames[2];
		struct record record = record_of(example, sizeof(example));

		for (int k = 0; k < 3; k++) {
			random = random * UINT64_C(6364136223846793005) + 1;
			record.bytes[(random >> 33) % sizeof(example)] =
				(uint8_t)(random >> 56);
		}
		code_places_frames(&record.head, (random >> 40) % 32, frames,
				   2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_location_extends_to_its_end),
		cmocka_unit_test(records_are_found_by_start_and_stamp),
		cmocka_unit_test(malformed_places_are_rejected),
		cmocka_unit_test(random_bytes_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
