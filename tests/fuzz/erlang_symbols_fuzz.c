/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is the table that Erlang's runtime registers.
 * Names must end inside it.
 */
#include <stdlib.h>
#include <string.h>

#include "preload/generated/erlang_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct erlang_symbols symbols;
	struct erlang_symbol symbol;
	uint64_t bytes = 0;

	if (!erlang_symbols_begin(&symbols, data, size))
		return 0;
	while (erlang_symbols_next(&symbols, &symbol)) {
		const uint64_t left =
			(uint64_t)((const char *)data + size - symbol.name);

		if (left > size || strnlen(symbol.name, left) == left ||
		    symbol.bytes > UINT32_MAX)
			abort();
		bytes += strlen(symbol.name) + 1;
	}
	if (bytes > size || symbols.at > symbols.end)
		abort();
	return 0;
}
