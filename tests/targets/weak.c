/* SPDX-License-Identifier: MIT */
/*
 * weak: looks by weak symbols whether there is an unwinder, and uses what it
 * finds. It is not linked with one.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#define WEAK __attribute__((weak))

extern int _Unwind_Backtrace(int (*)(void *, void *), void *) WEAK;
extern int _Unwind_RaiseException(void *) WEAK;
extern unsigned long _Unwind_GetCFA(void *) WEAK;
extern void _Unwind_SetIP(void *, unsigned long) WEAK;
extern int unw_backtrace(void **, int) WEAK;
extern int _ULx86_64_step(void *) WEAK;

#define FRAMES       10
#define CURSOR_BYTES 4096 /* more than libunwind's */

static int frames;

static int count(void *frame, void *unused)
{
	frames++;
	return 0;
}

int main(void)
{
	static char zeros[CURSOR_BYTES];
	void *found[FRAMES];

	COUNT(main);
	if (_Unwind_Backtrace)
		_Unwind_Backtrace(count, NULL);
	if (_Unwind_GetCFA)
		frames += _Unwind_GetCFA(zeros) != 0;
	if (_Unwind_SetIP)
		_Unwind_SetIP(zeros, 0);
	if (unw_backtrace)
		frames += unw_backtrace(found, FRAMES);
	if (_ULx86_64_step && _ULx86_64_step(zeros) > 0)
		frames++;
	if (_Unwind_RaiseException)
		_Unwind_RaiseException(zeros);
	printf("%d frames\n", frames);
	return 0;
}
