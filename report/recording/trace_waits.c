/* SPDX-License-Identifier: MIT */
/* See trace_waits.h. */
#include "report/recording/trace_waits.h"

#include "base/memory.h"

void trace_add_waits(const struct trace *trace, struct recording *recording,
		     const char *name)
{
	recording->waits.count += trace->waits;
	recording->waits.ns += trace->waited_ns;
	if (trace->given_up == WIRE_WORKERS_SHORT)
		recording_note(
			recording,
			memory_printf("%s: clew record had too little memory "
				      "to go on counting the calls of the "
				      "trace; the program's threads counted "
				      "them from then on",
				      name));
	if (trace->given_up == WIRE_WORKERS_LATE)
		recording_note(
			recording,
			memory_printf(
				"%s: threads waited too long for packets to be "
				"counted, so they counted the rest themselves",
				name));
}
