/* SPDX-License-Identifier: MIT */
/* See probe.h. The table of all kinds of probes. */
#include <stddef.h>

#include "preload/stack/landing.h"
#include "preload/stack/loans.h"
#include "preload/stubs/probe.h"
#include "wire/verdict.h"

static const struct probe_kind kinds[] = {
	{ VERDICT_IS_LEAP, PROBE_FIRST_IS_TARGET,
	  (probe_handler)landing_on_leap },
	{ VERDICT_IS_LANDS, PROBE_FIRST_IS_KEPT,
	  (probe_handler)landing_on_set_ip },
	{ VERDICT_IS_RAISES, PROBE_FIRST_IS_KEPT,
	  (probe_handler)loans_on_raise },
};

const struct probe_kind *probe_kind_of(unsigned int verdict)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kinds[i].verdict == verdict)
			return &kinds[i];
	return NULL;
}
