/* SPDX-License-Identifier: MIT */
/*
 * Properties of a module's code that decide whether and how it is hooked.
 *
 * Only the module that contains such code has the trait: a C program that links
 * a library written in Go is a C program. Numbers are stored in the analysis
 * cache.
 */
#ifndef CLEW_IMAGE_TRAITS_H
#define CLEW_IMAGE_TRAITS_H

#include <stdint.h>

#include "image/image.h"

enum trait {
	TRAIT_GO = 1,      /* the Go runtime moves stacks and reads them */
	TRAIT_OCAML = 2,   /* OCaml's collector looks up return addresses */
	TRAIT_HASKELL = 4, /* Haskell's functions are entered by jumps */
	TRAIT_MAPPER = 8,  /* it may map memory by itself (mappers.h) */
	/* V8 looks up its own return addresses, but accepts clew's resolver. */
	TRAIT_V8 = 16,
	/*
	 * The code was compiled ahead of time for a runtime that looks up its
	 * own return addresses, and that treats this code like generated code.
	 */
	TRAIT_AOT = 32,
	TRAIT_SWITCHES = 64, /* it switches between stacks, as coroutines do */
	/* The code uses stacks of small segments (gcc -fsplit-stack). */
	TRAIT_SPLIT_STACK = 128,
	TRAITS_KNOWN = 255,
};

/*
 * Returns a set of enum trait, without those that follow from the code
 * (analysis.c).
 */
uint32_t traits_of(const struct image *image);

#endif
