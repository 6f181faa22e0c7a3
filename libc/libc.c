/* SPDX-License-Identifier: MIT */
/* See libc.h. */
#include "libc/libc.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

/*
 * Weak: each C library has only one of two names. The linker would also require
 * glibc's loader as a library because of _r_debug.
 */
#pragma weak _r_debug
extern struct r_debug *_dl_debug_addr __attribute__((weak)); /* musl's */

/* glibc's function below pthread_atfork(), and musl's pthread_atfork(). */
int __register_atfork(void (*before)(void), void (*in_parent)(void),
		      void (*in_child)(void), void *module)
	__attribute__((weak));
#pragma weak pthread_atfork

/* Identifies this module to glibc; the compiler's start files define it. */
extern void *__dso_handle __attribute__((visibility("hidden")));

/* The ELF header of the module with this code; the linker defines it. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

int libc_is_musl(void)
{
	return !&_r_debug && &_dl_debug_addr;
}

const struct r_debug *libc_debug(void)
{
	return libc_is_musl() ? _dl_debug_addr : &_r_debug;
}

int libc_watch_forks(void (*before)(void), void (*in_parent)(void),
		     void (*in_child)(void))
{
	if (__register_atfork)
		return __register_atfork(before, in_parent, in_child,
					 &__dso_handle);
	return pthread_atfork ? pthread_atfork(before, in_parent, in_child)
			      : ENOSYS;
}

/* ---- Modules ---- */

/* The first members of musl's struct dso, since musl 0.9.2 of 2012. */
struct musl_module {
	struct link_map map;
	const ElfW(Phdr) * segments;
	int segment_count;
	size_t segment_bytes;
};

static const struct musl_module *musl_modules(void)
{
	return (const void *)libc_debug()->r_map;
}

/* Checks what musl stores of the module with this code. */
int libc_modules_are_readable(void)
{
	const ElfW(Ehdr) *const own = &__ehdr_start;
	const struct musl_module *module;

	if (!libc_is_musl())
		return 1;
	for (module = musl_modules();
	     module && module->map.l_addr != (uintptr_t)own;
	     module = (const void *)module->map.l_next)
		;
	return module &&
	       (uintptr_t)module->segments == (uintptr_t)own + own->e_phoff &&
	       module->segment_count == own->e_phnum &&
	       module->segment_bytes == own->e_phentsize;
}

/*
 * musl's list has the path of execve() for the program, and an empty name for
 * the vDSO.
 */
static const char *name_of(const struct musl_module *module)
{
	if (module == musl_modules())
		return "";
	return *module->map.l_name ? module->map.l_name : "linux-vdso.so.1";
}

static int each_of_musl(libc_visit visit, void *context)
{
	int result = 0;

	for (const struct musl_module *module = musl_modules();
	     module && !result; module = (const void *)module->map.l_next) {
		struct dl_phdr_info info = {
			.dlpi_addr = module->map.l_addr,
			.dlpi_name = name_of(module),
			.dlpi_phdr = module->segments,
			.dlpi_phnum = (ElfW(Half))module->segment_count,
		};

		result = visit(&info, sizeof(info), context);
	}
	return result;
}

int libc_each_module(int (*iterate)(libc_visit visit, void *context),
		     libc_visit visit, void *context)
{
	return libc_is_musl() ? each_of_musl(visit, context)
			      : iterate(visit, context);
}
