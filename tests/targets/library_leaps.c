/* SPDX-License-Identifier: MIT */
/* leaps.c in a library. */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

int leaps_in_library(void);

int main(void)
{
	return leaps_in_library();
}
