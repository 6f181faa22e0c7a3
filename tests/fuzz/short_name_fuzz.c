/* SPDX-License-Identifier: MIT */
/* libFuzzer entry: the input is a name. Short names are not longer. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/a2n.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = strndup((const char *)data, size);
	char *text;

	for (int detail = A2N_BARE; detail <= A2N_PARAMETERS; detail++) {
		text = a2n_short_name(name, (enum a2n_detail)detail);
		if (!text || strlen(text) > strlen(name) || !*text != !*name)
			abort();
		free(text);
	}
	free(name);
	return 0;
}
