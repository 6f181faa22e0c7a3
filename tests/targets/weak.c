/* SPDX-License-Identifier: MIT */
/*
 * weak [LIBRARY...]: checks by weak symbols whether there is an unwinder, and
 * uses it. The program is not linked with one. With libraries, a thread
 * continues to use it while they are loaded and unloaded.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <dlfcn.h>
#include <pthread.h>

#define ROUNDS 500

#define WEAK   __attribute__((weak))

extern int _Unwind_Backtrace(int (*)(void *, void *), void *) WEAK;
extern int _Unwind_RaiseException(void *) WEAK;
extern unsigned long _Unwind_GetCFA(void *) WEAK;
extern void _Unwind_SetIP(void *, unsigned long) WEAK;
extern int unw_backtrace(void **, int) WEAK;
extern int _ULx86_64_step(void *) WEAK;

#define FRAMES       10
#define CURSOR_BYTES 4096 /* more than libunwind needs */

static int frames;
static volatile int is_over;

static int count(void *frame, void *unused)
{
	frames++;
	return 0;
}

static void *use(void *unused)
{
	void *found[FRAMES];

	while (!is_over)
		if (unw_backtrace)
			unw_backtrace(found, FRAMES);
	return unused;
}

static void load(int count, char **libraries)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, use, NULL))
		return;
	for (int i = 0; i < ROUNDS * count; i++) {
		void *library = dlopen(libraries[i % count], RTLD_NOW);

		if (library)
			dlclose(library);
	}
	is_over = 1;
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
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
	if (argc > 1)
		load(argc - 1, argv + 1);
	printf("%d frames\n", frames);
	return 0;
}
