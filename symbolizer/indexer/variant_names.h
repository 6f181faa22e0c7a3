/* SPDX-License-Identifier: MIT */
/*
 * Constructors and destructors of C++ that have equal names but are different
 * functions. The ABI defines several of each:
 *
 *	_ZN1AD1Ev	A::~A()			destroys a whole object
 *	_ZN1AD2Ev	A::~A() [base]		without virtual base classes
 *	_ZN1AD0Ev	A::~A() [deleting]	also frees its memory
 *	_ZN1AD4Ev	A::~A() [unified]	is called by the first two (GCC)
 *
 * Compilers give the first two one address unless the class has virtual base
 * classes or optimization is off. Only then one of them is marked.
 */
#ifndef CLEW_SYMBOLIZER_INDEXER_VARIANT_NAMES_H
#define CLEW_SYMBOLIZER_INDEXER_VARIANT_NAMES_H

#include "symbolizer/elf/gather.h"

/* Marks the demangled names. Call it after merged_names_settle(). */
void variant_names_mark(struct gather *gather);

#endif
