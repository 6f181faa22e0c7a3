/* SPDX-License-Identifier: MIT */
/* Expands X for two hundred numbers: X(100) to X(299). */
#ifndef CLEW_BENCH_TWO_HUNDRED_H
#define CLEW_BENCH_TWO_HUNDRED_H

#define TEN(X, n)                                                              \
	X(n##0)                                                                \
	X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define HUNDRED(X, n)                                                          \
	TEN(X, n##0)                                                           \
	TEN(X, n##1)                                                           \
	TEN(X, n##2)                                                           \
	TEN(X, n##3)                                                           \
	TEN(X, n##4)                                                           \
	TEN(X, n##5) TEN(X, n##6) TEN(X, n##7) TEN(X, n##8) TEN(X, n##9)
#define TWO_HUNDRED(X) HUNDRED(X, 1) HUNDRED(X, 2)

#endif
