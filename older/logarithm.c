/* SPDX-License-Identifier: MIT */
/*
 * log() and exp() for clew and the libraries that are linked statically into
 * it. glibc's functions need version GLIBC_2.29, and RHEL 8 has glibc 2.28.
 */
#include <math.h>

double log(double x)
{
	return (double)logl(x);
}

double exp(double x)
{
	return (double)expl(x);
}
