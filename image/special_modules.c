/* SPDX-License-Identifier: MIT */
/* See special_modules.h. */
#include "image/special_modules.h"

#include <stddef.h>

#include "image/traits.h"
#include "match/glob.h"

/* Modules that are hooked never, or only if requested. */
static const struct {
	const char *glob;
	enum module_state state;
} special_modules[] = {
	{ "ld-linux*.so*", MODULE_IS_LOADER },
	{ "ld-2.*.so", MODULE_IS_LOADER },
	{ "linux-vdso.so*", MODULE_IS_VDSO },
	{ "linux-gate.so*", MODULE_IS_VDSO },
	{ "libclew.so*", MODULE_IS_SELF },
	{ "libclew-agent.so*", MODULE_IS_SELF },
	{ "libclew-alloc.so*", MODULE_IS_SELF },
	{ "libclew-locks.so*", MODULE_IS_SELF },
	{ "libclew-deputy.so*", MODULE_IS_SELF },
	{ "libgcc_s.so*", MODULE_IS_UNWINDER },
	{ "libunwind*.so*", MODULE_IS_UNWINDER },
	{ "libc.so*", MODULE_IS_LIBC },
	{ "libc-2.*.so", MODULE_IS_LIBC },
	{ "ld-musl-*.so*", MODULE_IS_LIBC },
	{ "libm.so*", MODULE_IS_LIBC },
	{ "libm-2.*.so", MODULE_IS_LIBC },
	{ "libmvec.so*", MODULE_IS_LIBC },
	{ "libmvec-2.*.so", MODULE_IS_LIBC },
	{ "libpthread.so*", MODULE_IS_LIBC },
	{ "libpthread-2.*.so", MODULE_IS_LIBC },
	{ "libdl.so*", MODULE_IS_LIBC },
	{ "libdl-2.*.so", MODULE_IS_LIBC },
	{ "librt.so*", MODULE_IS_LIBC },
	{ "librt-2.*.so", MODULE_IS_LIBC },
	{ "libutil.so*", MODULE_IS_LIBC },
	{ "libutil-2.*.so", MODULE_IS_LIBC },
	{ "libresolv.so*", MODULE_IS_LIBC },
	{ "libresolv-2.*.so", MODULE_IS_LIBC },
	{ "libanl.so*", MODULE_IS_LIBC },
	{ "libanl-2.*.so", MODULE_IS_LIBC },
	{ "libnsl.so*", MODULE_IS_LIBC },
	{ "libnsl-2.*.so", MODULE_IS_LIBC },
	{ "libnss_*.so*", MODULE_IS_LIBC },
	{ "libthread_db.so*", MODULE_IS_LIBC },
	{ "libBrokenLocale.so*", MODULE_IS_LIBC },
	{ "libjvm.so", MODULE_IS_JAVA_VM },
};

enum module_state special_module_state(const char *path)
{
	for (size_t i = 0;
	     i < sizeof(special_modules) / sizeof(*special_modules); i++)
		if (glob_matches_file(special_modules[i].glob, path))
			return special_modules[i].state;
	return MODULE_IS_HOOKED;
}

/* Excludes runtimes that cannot run with replaced return addresses. */
enum module_state module_state_of_traits(uint32_t traits, int is_late)
{
	if (traits & TRAIT_GO)
		return MODULE_IS_GO;
	if (traits & TRAIT_OCAML)
		return MODULE_IS_OCAML;
	if (traits & TRAIT_HASKELL)
		return MODULE_IS_HASKELL;
	if (traits & TRAIT_AOT)
		return MODULE_IS_AOT;
	if (traits & TRAIT_SPLIT_STACK)
		return MODULE_IS_SPLIT_STACK;
	if (traits & TRAIT_V8 && is_late)
		return MODULE_IS_LATE_V8; /* the reason is in runtimes.h */
	return MODULE_IS_HOOKED;
}
