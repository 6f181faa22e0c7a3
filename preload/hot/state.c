/* SPDX-License-Identifier: MIT */
/*
 * The data of preload/hot: the state of the process and of the calling thread,
 * with its initial values.
 */
#include "preload/hot/count.h"
#include "preload/hot/large_table.h"
#include "preload/hot/native.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/sink.h"
#include "preload/hot/thread.h"
#include "preload/hot/timing.h"
#include "wire/id.h"

struct wire_count hot_empty_table[(1 << WIRE_TALLY_TABLE_LOG2) + 1] LARGE_TABLE;
uint64_t hot_shadow_low = SHADOW_STACK_LOW;
uint64_t hot_shadow_half = SHADOW_HALF;
uint64_t hot_time_third = TIME_THIRD;
_Atomic uint64_t hot_shadow_regions[SHADOW_REGION_COUNT] LARGE_TABLE;
struct runtime rt = { .sink = &sink_counting };
uint8_t hot_windows[WINDOW_COUNT] LARGE_TABLE;
struct native_range hot_native[NATIVE_MAX] LARGE_TABLE;
const struct native_range hot_native_nowhere;
_Atomic uint32_t hot_native_count;

_Thread_local struct hot_thread hot __attribute__((aligned(64))) = {
	.table = hot_empty_table,
	.multiplier = ID_MULTIPLIER,
	.step = WIRE_CALL_STEP,
	.entry_base = -(uint64_t)SHADOW_STACK_LOW,
	.exit_base = (uint64_t)SHADOW_HALF - SHADOW_STACK_LOW - 8,
	.shadow_half = SHADOW_HALF,
	.miss_call = hot_thunk_miss_call,
	.miss_tail = hot_thunk_miss_tail,
	.verify_call = hot_thunk_verify_call,
	.verify_tail = hot_thunk_verify_tail,
	.enter_elsewhere = hot_thunk_enter_elsewhere,
	.leave_elsewhere = hot_thunk_leave_elsewhere,
	.guard = hot_thunk_guard,
	.native = &hot_native_nowhere,
	.probe = hot_thunk_probe,
	.close = hot_thunk_close,
	.open_tail = hot_thunk_open_tail,
	.windows = hot_windows,
	.time_base = (uint64_t)TIME_THIRD - SHADOW_STACK_LOW - 8,
	.carried = hot_thunk_carried,
	.carried_reported = hot_thunk_carried_reported,
	.packet.moved = 1,
	.trace_call = hot_thunk_trace_call,
	.trace_tail = hot_thunk_trace_tail,
	.trace_return = hot_thunk_trace_return,
	.tail = hot_thunk_tail,
	.tail_count = hot_thunk_tail_count,
};
