/* SPDX-License-Identifier: MIT */
/* Declarations that plugins.c and its libraries share. */
#ifndef CLEW_TESTS_PLUGINS_H
#define CLEW_TESTS_PLUGINS_H

#ifdef __clang__
#define COUNTED __attribute__((noinline))
#else
#define COUNTED __attribute__((noipa))
#endif

/* Numbers of calls of a library's functions, counted by the library. */
struct plugin_counts {
	long inner;
	long run;
	long constructed; /* calls of inner() by the constructor, in total */
};

/* A function of the program that constructors call if it can be found. */
long plugin_host_callback(long n);

#endif
