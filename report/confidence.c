/* SPDX-License-Identifier: MIT */
/*
 * C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits
 * illustrated in the case of the binomial", Biometrika 26 (1934): the upper
 * bound is the p at which seeing k or fewer mismatches in n trials has
 * probability 0.05. At k = 0 that is 1 - 0.05^(1/n), about 2.996 / n;
 * otherwise it is found by bisection.
 */
#include "report/confidence.h"

#include <math.h>

#define MISS 0.05 /* one-sided, so 95 % */

enum {
	BISECTIONS = 60, /* halves [0, 1] below the precision of a double */
	TERMS = 1000000, /* bounds the work when the counts are nonsense */
};

/*
 * P(X <= k) for X binomial (n, p), p > k / n. Summed downwards from the term
 * of k, which is the largest: each is the one above it times a factor < 1.
 */
static double binomial_cdf(double n, double k, double p)
{
	double term = exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) +
			  k * log(p) + (n - k) * log1p(-p));
	double sum = 0;

	for (int i = 0; i < TERMS && k >= 0 && term > sum * 1e-17; i++) {
		sum += term;
		term *= k * (1 - p) / ((n - k + 1) * p);
		k--;
	}
	return sum;
}

double confidence_share_error(double share, uint64_t samples)
{
	const double z = 1.959964; /* of the normal distribution, two-sided */
	double n = (double)samples;

	if (samples == 0)
		return 0;
	return z / (1 + z * z / n) *
	       sqrt(share * (1 - share) / n + z * z / (4 * n * n));
}

double confidence_upper_bound(uint64_t trials, uint64_t mismatches)
{
	double n = (double)trials, k = (double)mismatches;
	double low = k / n, high = 1;

	if (mismatches >= trials)
		return 1;
	if (mismatches == 0)
		return -expm1(log(MISS) / n);
	for (int i = 0; i < BISECTIONS; i++) {
		double middle = low + (high - low) / 2;

		if (binomial_cdf(n, k, middle) > MISS)
			low = middle;
		else
			high = middle;
	}
	return high;
}
