/* SPDX-License-Identifier: MIT */
/*
 * Functions that need their own return address on the stack, or on which
 * hooking itself depends. A hooked function returns to its stub; that is
 * invisible unless the function reads its return address, returns more than
 * once, or never returns to its caller's frame.
 */
#include "image/symbol_names.h"

#include <stddef.h>
#include <string.h>

#include "image/machine_names.h"

struct family {
	const char *names; /* separated by spaces; a final * matches any rest */
	const char *why;   /* explains the entry to readers of this table */
};

#define LOADER_READERS                                                         \
	"dlopen __dlopen dlmopen __dlmopen dlsym __dlsym dlvsym __dlvsym"
#define LOADER_PRIVATE "__libc_dlopen* __libc_dlsym __libc_dlvsym"
#define PROFILERS      "mcount _mcount __fentry__ __mcount_internal"

static const struct family families[] = {
	{ "setjmp _setjmp __setjmp sigsetjmp __sigsetjmp __sigjmp_save",
	  "saves its return address to return there a second time" },
	{ "longjmp _longjmp siglongjmp __longjmp __longjmp_chk ____longjmp_chk "
	  "__libc_longjmp __libc_siglongjmp _longjmp_unwind __longjmp_cancel",
	  "leaves without returning, with registers of another frame" },
	{ "getcontext __getcontext setcontext __setcontext makecontext "
	  "__makecontext swapcontext __swapcontext __start_context",
	  "saves or installs its return address as a context" },
	{ "vfork __vfork __libc_vfork", "returns twice on one stack" },
	{ "clone __clone clone3 __clone3 __clone_internal",
	  "returns on two stacks, one of them empty" },
	{ "start_thread",
	  "bottom of a thread, before and after what hooks rely on" },
	{ "_start __libc_start_main __libc_start_main_impl "
	  "__libc_start_call_main _dl_start_user",
	  "bottom of the process; runs before anything is set up" },
	{ "_init _fini __libc_csu_init __libc_csu_fini __gmon_start__",
	  "made of pieces of several objects, or called before relocation" },
	{ LOADER_READERS " " LOADER_PRIVATE,
	  "looks at its return address to see which module asks" },
	{ "_dl_* __tls_get_addr* ___tls_get_addr __tls_get_addr_slow "
	  "_rtld_* __rtld_*",
	  "the loader's; called with registers that matter or before "
	  "relocation" },
	{ "_Unwind_* __gcc_personality_v0 __gxx_personality_v0 "
	  "__register_frame* __deregister_frame* __frame_state_for "
	  "_U_dyn_* unw_* __unw_* " MACHINE_UNWINDER,
	  "the unwinder starts at its own frame's return address" },
	{ "backtrace __backtrace", "starts unwinding at its own frame" },
	{ "__restore_rt __restore",
	  "signal trampoline: entered by a return, with no address above it" },
	{ PROFILERS " __sanitizer_cov_trace_*",
	  "instrumentation that reads its caller's and its own return "
	  "address" },
	{ "__cyg_profile_func_enter __cyg_profile_func_exit",
	  "instrumentation, called around what is hooked already" },
	{ "Builtins_*",
	  "V8's own code: its collector looks return addresses up in tables" },
	{ "__morestack __morestack_* __splitstack_*",
	  "moves its caller to another stack segment" },
	{ MACHINE_THUNKS, "plays with its return address by design" },
	{ "SafeFetch32_impl SafeFetchN_impl v8_internal_simulator_ProbeMemory",
	  "a signal handler knows a fault in it by the instruction's address" },
	{ "__stack_chk_fail* __fortify_fail*",
	  "the stack is known to be damaged" },
};

/* dl_iterate_phdr() visits the namespace of its caller. */
static const struct family readers = {
	LOADER_READERS " " LOADER_PRIVATE " dl_iterate_phdr __dl_iterate_phdr",
	"they use the module that their return address is in"
};

static const struct family readers_of_callers = {
	PROFILERS, "they record an arc from the caller's caller to the caller"
};

static int family_has(const struct family *family, const char *name)
{
	const char *pattern = family->names;

	while (*pattern) {
		const char *at = name;

		while (*pattern != ' ' && *pattern && *pattern == *at)
			pattern++, at++;
		if (*pattern == '*' || (!*at && (*pattern == ' ' || !*pattern)))
			return 1;
		while (*pattern != ' ' && *pattern)
			pattern++;
		pattern += *pattern == ' ';
	}
	return 0;
}

int name_is_never_hooked(const char *name)
{
	if (name[0] == '_' && name[1] == 'Z')
		/*
		 * C++ names are not in the list, and there are too many to
		 * search for
		 */
		return 0;
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (family_has(&families[i], name))
			return 1;
	return 0;
}

int name_reads_its_return(const char *name)
{
	return (*name == 'd' || *name == '_') && family_has(&readers, name);
}

int name_reads_its_callers_return(const char *name)
{
	return (*name == 'm' || *name == '_') &&
	       family_has(&readers_of_callers, name);
}

int name_is_cold_part(const char *name)
{
	const char *suffix = strstr(name, ".cold");

	return suffix && suffix != name &&
	       (suffix[5] == '\0' || suffix[5] == '.');
}
