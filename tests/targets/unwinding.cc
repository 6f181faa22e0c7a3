/* SPDX-License-Identifier: MIT */
/*
 * Stacks that unwinders unwind: by exceptions through callbacks of the C and
 * C++ libraries and through hundreds of frames, by foreign exceptions, by
 * forced unwinding, and by threads that end so. Contexts must be exact after
 * each.
 */
#define TRUTH_MAIN
#define TRUTH_HAS_RUNTIME /* templates of the library, and stop() */
#include "tests/targets/scope.h"

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <unwind.h>

namespace
{

/* Hides from the compiler that code does not continue after a throw. */
volatile int always = 1;

COUNTED void after()
{
	SCOPE(after);
}

COUNTED int deep(int depth)
{
	SCOPE(deep);
	if (depth)
		return deep(depth - 1) + 1;
	after();
	if (always)
		throw std::length_error("deep");
	return 0;
}

COUNTED int catches_deep(int depth)
{
	SCOPE(catches_deep);
	try {
		return deep(depth);
	} catch (const std::length_error &) {
		after();
		return 1;
	}
}

/* Seven arguments: one of them is on the caller's stack. */
COUNTED int many(int a, int b, int c, int d, int e, int f, int g)
{
	SCOPE(many);
	return a + b + c + d + e + f + g;
}

/* Calls right after a landing functions that are also called elsewhere. */
COUNTED int lands_and_calls(int n)
{
	SCOPE(lands_and_calls);
	try {
		return deep(n % 3);
	} catch (const std::exception &) {
		return many(n, 1, 2, 3, 4, 5, 6) + catches_deep(n % 5);
	}
}

int left_to_compare;

COUNTED int compare(const void *left, const void *right)
{
	SCOPE(compare);
	after();
	if (!left_to_compare--)
		throw 1;
	return *(const int *)left - *(const int *)right;
}

COUNTED bool is_less(int left, int right)
{
	SCOPE(is_less);
	after();
	if (!left_to_compare--)
		throw 2;
	return left < right;
}

COUNTED int sorts(int n)
{
	SCOPE(sorts);
	int numbers[100];
	int caught = 0;

	for (int i = 0; i < 100; i++)
		numbers[i] = (i * 37 + n) % 101;
	left_to_compare = n;
	try {
		std::qsort(numbers, 100, sizeof(int), compare);
	} catch (int thrown) {
		after();
		caught += thrown;
	}
	left_to_compare = n;
	try {
		std::sort(numbers, numbers + 100, is_less);
	} catch (int thrown) {
		after();
		caught += thrown;
	}
	return caught;
}

/* ---- Foreign exceptions ---- */

_Unwind_Exception foreign;

COUNTED void raises_foreign(int depth)
{
	SCOPE(raises_foreign);
	if (depth)
		return raises_foreign(depth - 1);
	std::memset(&foreign, 0, sizeof(foreign));
	/* a class of no known runtime */
	foreign.exception_class = 0x434c455754455354;
	_Unwind_RaiseException(&foreign);
	after();
}

COUNTED int catches_foreign()
{
	SCOPE(catches_foreign);
	try {
		raises_foreign(4);
	} catch (...) {
		after();
		return 1;
	}
	return 0;
}

/* ---- Forced unwinding ---- */

std::jmp_buf target;
int frames_to_pass;

_Unwind_Reason_Code stop(int, _Unwind_Action, _Unwind_Exception_Class,
			 _Unwind_Exception *, _Unwind_Context *, void *)
{
	if (!frames_to_pass--)
		std::longjmp(target, 1);
	return _URC_NO_REASON;
}

struct cleanup {
	__attribute__((always_inline)) ~cleanup()
	{
		after();
	}
};

COUNTED void forces(int depth)
{
	SCOPE(forces);
	cleanup cleans;

	if (depth)
		return forces(depth - 1);
	std::memset(&foreign, 0, sizeof(foreign));
	_Unwind_ForcedUnwind(&foreign, stop, nullptr);
}

COUNTED int lands_forced()
{
	volatile uint32_t here;

	truth_enter((const char *)(uintptr_t)lands_forced, "lands_forced");
	here = TRUTH_HERE;
	frames_to_pass = 1; /* before the first counted frame is unwound */
	if (!setjmp(target))
		forces(5);
	TRUTH_HERE = here;
	after();
	truth_leave();
	return 1;
}

/* ---- Threads that end during calls ---- */

pthread_key_t key;

/* Calls of an ending thread have no counted caller. */
COUNTED void destroy(void *)
{
	TRUTH_HERE = 0;
	SCOPE(destroy);
	after();
}

COUNTED void ends(int depth, void *status)
{
	SCOPE(ends);
	cleanup cleans;

	if (depth)
		ends(depth - 1, status);
	else if (always)
		pthread_exit(status);
}

COUNTED void *thread_main(void *status)
{
	SCOPE(thread_main);
	pthread_setspecific(key, &key);
	ends(10, status);
	return nullptr;
}

COUNTED int threads(int count)
{
	SCOPE(threads);
	int sum = 0;

	for (int i = 0; i < count; i++) {
		pthread_t thread;
		void *status;

		if (pthread_create(&thread, nullptr, thread_main,
				   (void *)(uintptr_t)(i + 1)) ||
		    pthread_join(thread, &status))
			return -1;
		sum += (int)(uintptr_t)status;
	}
	return sum;
}

COUNTED int run()
{
	SCOPE(run);
	int sum = 0;

	sum += catches_deep(400);
	for (int i = 0; i < 60; i++) {
		sum += catches_deep(i);
		sum += lands_and_calls(i);
		sum += sorts(i * 3);
		sum += catches_foreign();
		sum += lands_forced();
	}
	return sum + threads(40);
}

} // namespace

int main(int argc, char **argv)
{
	if (pthread_key_create(&key, destroy))
		return 1;
	printf("sum %d\n", run());
	truth_write();
	return 0;
}
