/* SPDX-License-Identifier: MIT */
/*
 * unwinder_test FILE: checks the verdicts for a stripped program that contains
 * an unwinder. Exactly the unwinder's entry functions, and the function that
 * fills in its first frame, read their own return address. The callees of these
 * functions belong to the unwinder, down to the function that compares
 * addresses in a table. _Unwind_RaiseException() and _Unwind_SetIP() are
 * watched.
 */
#include <stdio.h>

#include "image/analysis.h"
#include "wire/verdict.h"

/*
 * _Unwind_ForcedUnwind, _Resume, _Resume_or_Rethrow, _Backtrace and
 * uw_init_context_1.
 */
#define READERS 5

/*
 * Inlining, and with it the number of parts, depends on the compiler's version.
 */
#define PARTS_MIN 12

int main(int argc, char **argv)
{
	struct arena arena = { 0 };
	struct analysis analysis;
	int readers = 0, parts = 0, lands = 0, raises = 0, hooked = 0;

	if (argc != 2 || analysis_of_file(argv[1], NULL, &arena, &analysis))
		return 1;
	for (uint32_t i = 0; i < analysis.function_count; i++) {
		unsigned int verdict = analysis.functions[i].verdict;

		readers += verdict == VERDICT_IS_READS_RETURN_ADDRESS;
		parts += verdict == VERDICT_IS_UNWINDER;
		lands += verdict == VERDICT_IS_LANDS;
		raises += verdict == VERDICT_IS_RAISES;
		hooked += verdict_class(verdict) == VERDICT_HOOKED;
	}
	arena_fini(&arena);
	printf("%d readers, %d parts of the unwinder, %d hooked of %u\n",
	       readers, parts, hooked, analysis.function_count);
	return readers != READERS || parts < PARTS_MIN || lands != 1 ||
	       raises != 1 || hooked == 0;
}
