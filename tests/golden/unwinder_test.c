/* SPDX-License-Identifier: MIT */
/*
 * unwinder_test FILE: of a stripped program with an unwinder in it, exactly
 * the unwinder's ways in, and the function that fills in its first frame, are
 * readers of their own return address.
 */
#include <stdio.h>

#include "image/analysis.h"
#include "wire/verdict.h"

/*
 * _Unwind_RaiseException, _ForcedUnwind, _Resume, _Resume_or_Rethrow,
 * _Backtrace and uw_init_context_1.
 */
#define READERS 6

int main(int argc, char **argv)
{
	struct arena arena = { 0 };
	struct analysis analysis;
	int readers = 0;

	if (argc != 2 || analysis_of_file(argv[1], NULL, &arena, &analysis))
		return 1;
	for (uint32_t i = 0; i < analysis.function_count; i++)
		readers += analysis.functions[i].verdict ==
			   VERDICT_IS_READS_RETURN_ADDRESS;
	arena_fini(&arena);
	printf("%d readers of %u functions\n", readers,
	       analysis.function_count);
	return readers != READERS;
}
