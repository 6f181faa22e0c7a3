/* SPDX-License-Identifier: MIT */
/*
 * A hostile target of `clew attach`.
 *
 *	hostile LIBRARY	loads LIBRARY as its libclew.so
 *	hostile		waits for the genuine one, and changes what that reports
 *
 * Both wait below a deep stack with more frames than the library has room for.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "wire/attachment.h"

enum { DEPTH = 3000 };

static struct wire_attachment *volatile found;

static int see(struct dl_phdr_info *module, size_t size, void *context)
{
	void *library;

	(void)size;
	(void)context;
	if (!strstr(module->dlpi_name, "libclew.so"))
		return 0;
	library = dlopen(module->dlpi_name, RTLD_NOW | RTLD_NOLOAD);
	if (library)
		found = dlsym(library, WIRE_ATTACHMENT);
	return 0;
}

static void *change(void *unused)
{
	(void)unused;
	while (!found) {
		dl_iterate_phdr(see, NULL);
		usleep(200);
	}
	for (;;)
		if (found->frame_max)
			found->frame_max = UINT64_MAX;
	return NULL;
}

static __attribute__((noinline)) int wait_below(int depth)
{
	int result = 0;

	if (!depth) {
		puts("ready");
		fflush(stdout);
		for (;;)
			usleep(1000);
	}
	result = wait_below(depth - 1);
	__asm__ volatile("" ::: "memory");
	return result + 1;
}

int main(int argc, char **argv)
{
	pthread_t changes;

	if (argc > 1 && !dlopen(argv[1], RTLD_NOW)) {
		puts(dlerror());
		return 1;
	}
	if (argc == 1 && pthread_create(&changes, NULL, change, NULL) != 0)
		return 1;
	return wait_below(DEPTH);
}
