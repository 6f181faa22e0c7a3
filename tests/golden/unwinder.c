/* SPDX-License-Identifier: MIT */
/* Linked with -static-libgcc and stripped: an unwinder without names. */
#include <unwind.h>

static _Unwind_Reason_Code count(struct _Unwind_Context *context, void *frames)
{
	++*(int *)frames;
	return _URC_NO_REASON;
}

int main(void)
{
	int frames = 0;

	_Unwind_Backtrace(count, &frames);
	return frames == 0;
}
