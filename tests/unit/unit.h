/* SPDX-License-Identifier: MIT */
/* cmocka, and the headers that it needs. */
#ifndef CLEW_TESTS_UNIT_H
#define CLEW_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
