/* SPDX-License-Identifier: MIT */
/*
 * A library that is loaded and unloaded: its constructor calls its own
 * functions and one of the program before other code can. -DVARIANT=n creates
 * libraries of different content and equal layout.
 */
#include "tests/targets/plugins.h"

__attribute__((weak)) long plugin_host_callback(long n);

struct plugin_counts plugin_counts;

COUNTED long plugin_inner(long n)
{
	plugin_counts.inner++;
	return n * VARIANT + 1;
}

COUNTED long plugin_run(long n)
{
	long sum = 0;

	plugin_counts.run++;
	while (n-- > 0)
		sum += plugin_inner(n);
	return sum;
}

/* A tail call: the library may be unloaded before host() returns. */
COUNTED long plugin_leave(long (*host)(void *), void *handle)
{
	return host(handle);
}

__attribute__((constructor)) static void construct(void)
{
	plugin_inner(VARIANT);
	plugin_counts.constructed++;
	if (plugin_host_callback)
		plugin_host_callback(VARIANT);
}

/* The program has already read the counts and adds this call. */
__attribute__((destructor)) static void destruct(void)
{
	plugin_inner(VARIANT);
}
