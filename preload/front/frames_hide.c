/* SPDX-License-Identifier: MIT */
/*
 * Fronts of the functions that report a program's own stack: frames of stubs
 * and of clew are removed. If a signal has interrupted displaced instructions,
 * that frame is the function's: backtrace() reports it at the program's
 * address, _Unwind_Backtrace() at the stub's.
 *
 *	backtrace		libc's, or libunwind's
 *	_Unwind_Backtrace	of any unwinder
 *	unw_backtrace		libunwind's; unw_step: libunwind_step.c
 *
 * A program may check by weak symbols whether there is an unwinder, and finds
 * these functions. Without an unwinder they find no frames.
 */
#include <execinfo.h>
#include <unwind.h>

#include "preload/host/next.h"
#include "preload/lookup/displaced.h"
#include "preload/stack/heal.h"
#include "preload/sys/own_code.h"
#include "preload/sys/sys.h"

/* room for this many frames is on the stack; more are allocated */
#define ON_STACK_MAX 512

/*
 * How many frames to request for this many frames of the program: each hooked
 * function also has a frame of its stub, and a few frames are clew's.
 */
#define ROOM_FOR(frames) (2 * (frames) + 16)

int unw_backtrace(void **frames, int room);

typedef int (*backtrace_function)(void **frames, int room);

/*
 * Returns whether a frame belongs to the program. If it does, sets *pc to the
 * address in the program that it stands for.
 */
static int is_program_frame(uint64_t *pc)
{
	if (!own_code_has(*pc))
		return 1;
	*pc = displaced_pc(*pc);
	return *pc != 0;
}

static int ask(backtrace_function function, void **frames, int room, void **all,
	       int all_room)
{
	int all_count = function(all, all_room);
	int count = 0;

	for (int i = 0; i < all_count && count < room; i++) {
		uint64_t pc = (uintptr_t)all[i];

		if (is_program_frame(&pc))
			frames[count++] = (void *)pc;
	}
	return count;
}

static int ask_on_stack(backtrace_function function, void **frames, int room)
{
	void *all[ROOM_FOR(ON_STACK_MAX)];
	const struct pc_range former = heal_pass_over((struct pc_range){
		(uintptr_t)all, (uintptr_t)all + sizeof(all) });
	const int count = ask(function, frames, room, all, ROOM_FOR(room));

	heal_pass_over(former);
	return count;
}

static int ask_in_memory(backtrace_function function, void **frames, int room)
{
	int all_room = room < INT32_MAX / 4 ? ROOM_FOR(room) : room;
	size_t bytes = (size_t)all_room * sizeof(void *);
	void **all = sys_map_private(bytes);
	int count;

	if (sys_failed(all))
		return 0;
	count = ask(function, frames, room, all, all_room);
	sys_munmap(all, bytes);
	return count;
}

/*
 * Calls a function of the backtrace family. The function looks up unwind
 * information, as an unwinder does for an exception. clew then searches for the
 * caller of each call that the function makes. This search must not take clew's
 * own list of return addresses for active calls.
 */
static int program_frames(backtrace_function function, void **frames, int room)
{
	const int may_land = heal_is_landing_expected();
	int count;

	if (!function || room <= 0)
		return 0;
	count = room > ON_STACK_MAX ? ask_in_memory(function, frames, room)
				    : ask_on_stack(function, frames, room);
	if (!may_land)
		heal_cancel();
	return count;
}

EXPORT int backtrace(void **frames, int room)
{
	return program_frames(NEXT(backtrace), frames, room);
}

EXPORT int unw_backtrace(void **frames, int room)
{
	return program_frames(NEXT(unw_backtrace), frames, room);
}

struct listener {
	_Unwind_Trace_Fn function;
	void *context;
};

static _Unwind_Reason_Code hear(struct _Unwind_Context *frame, void *context)
{
	const struct listener *listener = context;

	uint64_t pc = NEXT(_Unwind_GetIP)(frame);

	if (!is_program_frame(&pc))
		return _URC_NO_REASON;
	return listener->function(frame, listener->context);
}

EXPORT _Unwind_Reason_Code _Unwind_Backtrace(_Unwind_Trace_Fn function,
					     void *context)
{
	struct listener listener = { function, context };
	const int may_land = heal_is_landing_expected();
	_Unwind_Reason_Code reason;

	if (!NEXT(_Unwind_Backtrace))
		return _URC_END_OF_STACK;
	reason = NEXT(_Unwind_Backtrace)(hear, &listener);
	if (!may_land)
		heal_cancel();
	return reason;
}
