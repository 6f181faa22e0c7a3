/* SPDX-License-Identifier: MIT */
/* See budget_records.h. */
#include "preload/budget/budget_records.h"

#include <errno.h>

#include "preload/hot/runtime.h"
#include "preload/record/record_stream.h"
#include "preload/record/recorder.h"
#include "preload/sys/sys.h"

#define CHUNK_BYTES 16384

static struct record_stream records = { .kind = WIRE_LEFT_OUT,
					.chunk_bytes = CHUNK_BYTES };

void budget_records_forget(void)
{
	record_stream_forget(&records);
}

static int take_up(void *functions, const struct chunk *chunk)
{
	struct wire_left_out *items = chunk_payload(chunk);
	const uint64_t count = chunk->head->used / sizeof(*items);

	for (uint64_t i = 0; i < count; i++) {
		struct budget_function *slot =
			budget_functions_find(functions, items[i].function);

		if (!slot)
			continue;
		slot->record = &items[i];
		slot->missed =
			(struct budget_missed){ .before = items[i].missed };
	}
	return 0;
}

void budget_records_take_up(struct budget_functions *functions)
{
	part_each_chunk(&rt.recorder->part, WIRE_LEFT_OUT, take_up, functions);
}

static struct wire_left_out *record_of(struct budget_function *slot,
				       uint64_t wall_ns)
{
	void *at;

	if (slot->record || record_stream_room(&records, &rt.recorder->part,
					       sizeof(*slot->record), &at))
		return slot->record;
	slot->record = at;
	slot->missed = (struct budget_missed){ 0 };
	*slot->record = (struct wire_left_out){ .function = slot->function,
						.first_ns = wall_ns };
	record_stream_add(&records, sizeof(*slot->record));
	return slot->record;
}

int budget_records_out(struct budget_function *slot,
		       const struct budget_rate *rate, uint64_t wall_ns)
{
	struct wire_left_out *record = record_of(slot, wall_ns);

	if (!record)
		return -ENOSPC;
	budget_missed_begin(record, &slot->missed, rate, wall_ns);
	return 0;
}

void budget_records_in(const struct budget_functions *functions)
{
	const uint64_t wall_ns = sys_clock_ns(CLOCK_REALTIME);

	for (uint32_t i = 0; i < functions->room; i++) {
		const struct budget_function *slot = &functions->slots[i];

		if (slot->record && !slot->is_out)
			budget_missed_end(slot->record, wall_ns);
	}
}

void budget_records_go_on(const struct budget_functions *functions,
			  uint64_t program_ns)
{
	for (uint32_t i = 0; i < functions->room; i++) {
		struct budget_function *slot = &functions->slots[i];

		if (slot->record && slot->record->since_ns)
			budget_missed_go_on(slot->record, &slot->missed,
					    program_ns);
	}
}

void budget_records_correct(const struct budget_functions *functions,
			    uint64_t program_ns, int is_sure)
{
	for (uint32_t i = 0; i < functions->room; i++) {
		struct budget_function *slot = &functions->slots[i];
		const struct budget_rate after = { .calls = slot->new_calls,
						   .cpu_ns = program_ns,
						   .is_sure = is_sure };

		if (slot->record && !slot->record->since_ns)
			budget_missed_correct(slot->record, &slot->missed,
					      &after);
	}
}

void budget_records_settle(const struct budget_functions *functions,
			   double factor)
{
	for (uint32_t i = 0; i < functions->room; i++) {
		struct budget_function *slot = &functions->slots[i];

		if (slot->record)
			budget_missed_settle(slot->record, &slot->missed,
					     factor);
	}
}

static int end(void *rest_ns, const struct chunk *chunk)
{
	struct wire_left_out *items = chunk_payload(chunk);
	const uint64_t count = chunk->head->used / sizeof(*items);
	const uint64_t wall_ns = sys_clock_ns(CLOCK_REALTIME);

	for (uint64_t i = 0; i < count; i++) {
		items[i].missed =
			wire_missed(&items[i], *(const uint64_t *)rest_ns);
		budget_missed_end(&items[i], wall_ns);
	}
	return 0;
}

void budget_records_end(uint64_t rest_ns)
{
	part_each_chunk(&rt.recorder->part, WIRE_LEFT_OUT, end, &rest_ns);
}
