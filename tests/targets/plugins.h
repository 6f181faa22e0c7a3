/* SPDX-License-Identifier: MIT */
/*
 * What plugins.c and the libraries that it loads know of each other.
 */
#ifndef CLEW_TESTS_PLUGINS_H
#define CLEW_TESTS_PLUGINS_H

#ifdef __clang__
#define COUNTED __attribute__((noinline))
#else
#define COUNTED __attribute__((noipa))
#endif

/* How often each function of a library was called, by the library itself. */
struct plugin_counts {
	long inner;
	long run;
	long constructed; /* calls of inner by the constructor: all of them */
};

/* The program's, called back by constructors where it can be found. */
long plugin_host_callback(long n);

#endif
