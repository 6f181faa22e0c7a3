/* SPDX-License-Identifier: MIT */
/*
 * Whether a symbol is that of a C++ function which its source calls so, without its
 * parameters: shop::Cart::add is _ZN4shop4Cart3addEi. Each overload, each instance of a
 * template and each variant of a constructor (shop::Cart::Cart) or destructor
 * (shop::Cart::~Cart) is. Unnamed namespaces and inline ones of the standard library
 * may be left out: they have no name that anybody would type.
 *
 * It follows the symbol as the Itanium C++ ABI has it (5.1, External Names), as far as
 * names of functions need it: no operators, no lambdas, no local functions. What it
 * does not follow it takes for another function's.
 */
#ifndef CLEW_MATCH_CXX_NAME_H
#define CLEW_MATCH_CXX_NAME_H

int cxx_name_means(const char *name, const char *symbol);

#endif
