/* SPDX-License-Identifier: MIT */
/* Values of probes as text: see mark_list.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/model/mark_list.h"
#include "wire/user_probe.h"

static char *string_text(const struct mark_value *value)
{
	char *string = text_printable(
		memory_string(value->string, strlen(value->string)));
	char *text =
		memory_printf("\"%s\"%s", string, value->is_cut ? "..." : "");

	free(string);
	return text;
}

char *mark_value_text(const struct mark_value *value)
{
	if (value->is_missing)
		return memory_printf("?");
	if (value->string)
		return string_text(value);
	if (value->format == WIRE_FIELD_HEX)
		return memory_printf("%#" PRIx64, value->number);
	if (value->format == WIRE_FIELD_UNSIGNED)
		return memory_printf("%" PRIu64, value->number);
	if (value->format == WIRE_FIELD_CHARACTER && value->number >= ' ' &&
	    value->number < 0x7f)
		return memory_printf("'%c'", (char)value->number);
	return memory_printf("%" PRId64, (int64_t)value->number);
}
