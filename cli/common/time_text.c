/* SPDX-License-Identifier: MIT */
/* See time_text.h. */
#include "cli/common/time_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Returns the nanoseconds of a unit, or 0 if the text is no unit. */
static double unit_of(const char *text)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "", 1e9 },
		      { "s", 1e9 },
		      { "ms", 1e6 },
		      { "us", 1e3 },
		      { "ns", 1e0 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(text, units[i].name) == 0)
			return units[i].ns;
	return 0;
}

int read_time(const char *text, uint64_t *ns)
{
	char *end;
	const double number = strtod(text, &end);
	const double unit = unit_of(end);

	if ((!isdigit((unsigned char)*text) && *text != '.') || end == text ||
	    unit == 0 || !(number * unit < 1e18))
		return -EINVAL;
	*ns = (uint64_t)(number * unit + 0.5);
	return 0;
}
