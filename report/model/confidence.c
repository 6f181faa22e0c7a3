/* SPDX-License-Identifier: MIT */
/*
 * C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits
 * illustrated in the case of the binomial", Biometrika 26 (1934): the upper
 * bound is the p at which seeing k or fewer mismatches in n trials has
 * probability 0.05. At k = 0 that is 1 - 0.05^(1/n), about 2.996 / n; otherwise
 * it is found by bisection.
 *
 * L. D. Brown, T. T. Cai and A. DasGupta, "Interval estimation for a binomial
 * proportion", Statistical Science 16 (2001): Jeffreys' interval lies between
 * the quantiles of a beta distribution, and reaches 0 or 1 where all samples
 * are on one side. The coverage is nearest to 95 % over small and large shares
 * (tests/unit/confidence_test.c computes it); Wilson's, which is as good around
 * its own centre, has 84 % for some shares of 0.5 %.
 *
 * Samples have unequal weights. By the CPU clock, one stands for a millisecond
 * of time in the program, or for a tick of time in the kernel
 * (preload/time/events.h). By the wall clock, one stands for a stratum, which
 * lasts as long as a thread is quiet. L. Kish, "Survey Sampling" (1965): n such
 * samples are as precise as (sum w)^2 / (sum w^2) samples of equal weight. That
 * number differs for each part, because the weights of a part differ from those
 * of the rest. With n instead, the intervals of the kernel's share contain the
 * truth in 75 % of all cases and not in 95 %, if its samples have four times
 * the weight; those of long waits in 70 %.
 *
 * J. Przyborowski and H. Wilenski, "Homogeneity of results in testing samples
 * from Poisson series", Biometrika 31 (1940): of the n samples of two
 * recordings together, the first one has a binomial share if both times are
 * equal. The probability is the share that equal times have, which is not 1/2
 * where the samples of one recording have a larger weight.
 *
 * Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", Journal
 * of the Royal Statistical Society B 57 (1995): of m probabilities in ascending
 * order, all up to the last one with p(i) <= i / m * 0.05 are significant. With
 * a limit of 0.05 for each of them, 600 of 12,000 equal functions would be.
 */
#include "report/model/confidence.h"

#include <math.h>
#include <stdlib.h>

/*
 * probability of an error, for 95 %: on one side for upper bounds, otherwise
 * half of it on each side
 */
#define MISS 0.05

enum {
	/*
	 * number of bisections of [0, 1] that reach the precision of a double
	 */
	BISECTIONS = 60,
	/*
	 * number of bisections to 1e-9, which is finer than any printed value
	 */
	SHARE_BISECTIONS = 32,
	TERMS = 1000000, /* maximum number of terms, for implausible counts */
};

/*
 * Returns P(X <= k) for X with the binomial distribution (n, p), p > k / n.
 * Sums downwards from the term of k, which is the largest; each further term is
 * the previous one times a factor < 1.
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

/*
 * Returns the continued fraction of the incomplete beta function (M. Abramowitz
 * and I. Stegun, "Handbook of Mathematical Functions", 26.5.8), by Lentz's
 * method. The fraction converges in about sqrt(a + b) steps if x is below about
 * a / (a + b).
 */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;

	for (int m = 1; m < TERMS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x /
			     ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / (1 + even * d + tiny);
		c = 1 + even / c;
		h *= d * c;
		d = 1 / (1 + odd * d + tiny);
		c = 1 + odd / c;
		step = d * c;
		h *= step;
		if (fabs(step - 1) < 1e-12)
			break;
	}
	return h;
}

/* Returns P(X <= x) for X with the beta distribution (a, b), 0 < x < 1. */
static double beta_cdf(double a, double b, double x)
{
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
			   b * log1p(-x));

	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

static double beta_quantile(double a, double b, double q)
{
	double low = 0, high = 1;

	for (int i = 0; i < SHARE_BISECTIONS; i++) {
		double middle = low + (high - low) / 2;

		if (beta_cdf(a, b, middle) < q)
			low = middle;
		else
			high = middle;
	}
	return low + (high - low) / 2;
}

struct share_interval confidence_share(double share, double samples)
{
	struct share_interval interval = { 0, 1 };
	double hits = share * samples;

	if (!(samples > 0) || !(share >= 0))
		return interval;
	if (hits > samples)
		hits = samples;
	if (hits > 0)
		interval.low = beta_quantile(hits + 0.5, samples - hits + 0.5,
					     MISS / 2);
	if (hits < samples)
		interval.high = beta_quantile(hits + 0.5, samples - hits + 0.5,
					      1 - MISS / 2);
	return interval;
}

struct sampled sampled_alike(double ns, double samples)
{
	return (struct sampled){ ns, samples > 0 ? ns * ns / samples : 0 };
}

/*
 * Returns the number of equally weighted samples with which a share would have
 * the same variance, which is that of a quotient of two sums to first order.
 */
static double equal_samples(double share, struct sampled part,
			    struct sampled all)
{
	const double rest = 1 - share;
	double variance = part.squares * rest * rest;

	if (all.squares > part.squares)
		variance += (all.squares - part.squares) * share * share;
	if (!(variance > 0)) /* a share of 0 or 1 is as certain as the whole */
		return all.squares > 0 ? all.ns * all.ns / all.squares : 0;
	return share * rest * all.ns * all.ns / variance;
}

struct share_interval confidence_part(struct sampled part, struct sampled all)
{
	double share = part.ns / all.ns;

	if (share > 1)
		share = 1;
	return confidence_share(share, equal_samples(share, part, all));
}

/* Returns P(X >= k) for X with the binomial distribution (k + rest, p). */
static double binomial_tail(double k, double rest, double p)
{
	return k > 0 ? beta_cdf(k, rest + 1, p) : 1;
}

double confidence_chance(struct sampled a, struct sampled b)
{
	const double n_a = a.ns > 0 ? a.ns * a.ns / a.squares : 0;
	const double n_b = b.ns > 0 ? b.ns * b.ns / b.squares : 0;
	double weight_a, weight_b, p, tail, other;

	if (n_a <= 0 && n_b <= 0)
		return 1;
	weight_a = n_a > 0 ? a.ns / n_a : b.ns / n_b;
	weight_b = n_b > 0 ? b.ns / n_b : weight_a;
	p = weight_b / (weight_a + weight_b);
	tail = binomial_tail(n_a, n_b, p);
	other = binomial_tail(n_b, n_a, 1 - p);
	return fmin(1, 2 * fmin(tail, other));
}

/* Two sampled times that are compared, as numbers of equal samples. */
struct sampled_pair {
	double first, second;               /* numbers of samples */
	double first_weight, second_weight; /* time of one sample */
};

/*
 * Returns both times as numbers of equal samples. An estimate without samples
 * gets the weight of the other one.
 */
static struct sampled_pair pair_of(struct sampled first, struct sampled second)
{
	struct sampled_pair pair = { 0 };

	if (first.ns > 0)
		pair.first = first.ns * first.ns / first.squares;
	if (second.ns > 0)
		pair.second = second.ns * second.ns / second.squares;
	if (pair.first > 0)
		pair.first_weight = first.ns / pair.first;
	if (pair.second > 0)
		pair.second_weight = second.ns / pair.second;
	if (!(pair.first > 0))
		pair.first_weight = pair.second_weight;
	if (!(pair.second > 0))
		pair.second_weight = pair.first_weight;
	return pair;
}

/* Returns the share of the second time's samples in all samples of both. */
static double second_share(const struct sampled_pair *pair, double ratio)
{
	const double second = ratio * pair->first_weight;

	return second / (second + pair->second_weight);
}

double confidence_above_ratio(struct sampled first, struct sampled second,
			      double ratio)
{
	const struct sampled_pair pair = pair_of(first, second);

	if (!(pair.first + pair.second > 0))
		return 1;
	if (!(ratio > 0))
		return pair.second > 0 ? 0 : 1;
	return binomial_tail(pair.second, pair.first,
			     second_share(&pair, ratio));
}

double confidence_below_ratio(struct sampled first, struct sampled second,
			      double ratio)
{
	const struct sampled_pair pair = pair_of(first, second);

	if (!(ratio > 0) || !(pair.first + pair.second > 0))
		return 1;
	return binomial_tail(pair.first, pair.second,
			     1 - second_share(&pair, ratio));
}

/*
 * The sum of weighted samples is nearly normal, and its variance is the sum of
 * the squares. One more sample stands for what an estimate of 0 may hide.
 */
double confidence_above(struct sampled first, struct sampled second, double ns)
{
	const struct sampled_pair pair = pair_of(first, second);
	const double weight = pair.first_weight > pair.second_weight
				      ? pair.first_weight
				      : pair.second_weight;
	const double variance =
		first.squares + second.squares + weight * weight;

	if (!(variance > 0))
		return 1;
	return erfc((second.ns - first.ns - ns) / sqrt(2 * variance)) / 2;
}

double confidence_below(struct sampled first, struct sampled second, double ns)
{
	return confidence_above(second, first, -ns);
}

static int by_number(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

double confidence_limit(double *chances, size_t count)
{
	qsort(chances, count, sizeof(*chances), by_number);
	for (size_t i = count; i-- > 0;) {
		if (chances[i] <= MISS * (double)(i + 1) / (double)count)
			return chances[i];
	}
	return -1;
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
