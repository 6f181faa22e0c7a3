/* SPDX-License-Identifier: MIT */
/*
 * Returns whether a symbol is that of a C++ function with this name in the
 * source, without parameters: shop::Cart::add is _ZN4shop4Cart3addEi. All
 * overloads, instances of a template and variants of a constructor
 * (shop::Cart::Cart) or destructor (shop::Cart::~Cart) match. Unnamed
 * namespaces and inline namespaces of the standard library may be omitted.
 *
 * Parses symbols of the Itanium C++ ABI (5.1, External Names), as far as names
 * of functions need it: no operators, no lambdas, no local functions. All other
 * symbols do not match.
 */
#ifndef CLEW_MATCH_CXX_NAME_H
#define CLEW_MATCH_CXX_NAME_H

int cxx_name_means(const char *name, const char *symbol);

#endif
