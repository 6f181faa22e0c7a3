/* SPDX-License-Identifier: MIT */
/* Names of verdicts in JSON. */
#include "report/write/json.h"

/*
 * Names of verdicts in JSON never change, so that scripts which read them
 * continue to work. A verdict that is not listed here has the text of reports
 * as its name.
 */
const char *json_verdict(unsigned int verdict)
{
	static const char *const names[VERDICT_COUNT] = {
		[VERDICT_IS_JUMP_PADDED] = "5-byte jump completed by padding",
		[VERDICT_IS_BRANCH_INTO] =
			"a branch leads into its first bytes",
		[VERDICT_IS_UNDECODABLE] =
			"holds instructions that cannot be decoded",
		[VERDICT_IS_NAMED] = "on the list of functions never to hook",
		[VERDICT_IS_DESELECTED] = "left out by a function rule",
		[VERDICT_IS_COLD_PART] = "a part of another function",
		[VERDICT_IS_PLT] = "procedure linkage table",
		[VERDICT_IS_NO_RETURN_ADDRESS] = "process or thread start",
		[VERDICT_IS_JUMP_SHORT] = "2-byte jump to a 5-byte one near by",
		[VERDICT_IS_JUMP_PUNNED] =
			"jump that shares bytes with what follows",
		[VERDICT_IS_NO_TRAP] =
			"needs a breakpoint, which cannot be had here",
		[VERDICT_IS_UNWINDER] =
			"the unwinder's: hooking it would slow exceptions",
		[VERDICT_IS_LEAP] = "a jump to another frame, watched",
		[VERDICT_IS_LANDS] =
			"the unwinder's, watched: it says where it lands",
		[VERDICT_IS_RAISES] =
			"the unwinder's, watched: exceptions begin there",
		[VERDICT_IS_UNSIZED] =
			"its symbol has no size, nor its code unwind info",
		[VERDICT_IS_BARE] = "code of no function that is known",
		[VERDICT_IS_NO_MEMORY] =
			("too little memory, mappings or address space left "
			 "for its stub"),
		[VERDICT_IS_BLIND] =
			("without unwind info, and unclear in its use of the "
			 "stack"),
		[VERDICT_IS_DIVERTED] = "clew stands in for it",
		[VERDICT_IS_PROBED] = "a probe is inside of its first bytes",
	};

	return verdict < VERDICT_COUNT && names[verdict]
		       ? names[verdict]
		       : verdict_text(verdict);
}
