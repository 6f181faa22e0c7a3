/* SPDX-License-Identifier: MIT */
/*
 * Computes error bounds of the share of wrong ids, and of times that are
 * estimated from samples.
 */
#ifndef CLEW_MODEL_CONFIDENCE_H
#define CLEW_MODEL_CONFIDENCE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the exact one-sided 95 % upper bound (Clopper and Pearson) of the
 * share of mismatches, given `mismatches` in `trials` independent trials. 1 if
 * there were no trials.
 */
double confidence_upper_bound(uint64_t trials, uint64_t mismatches);

/*
 * Returns the 95 % interval of a share that was estimated from `samples`
 * samples. The interval contains the estimate but is not symmetric: no sample
 * does not prove that the share is 0. [0, 1] without samples.
 */
struct share_interval {
	double low, high;
};

struct share_interval confidence_share(double share, double samples);

/*
 * A sum of weighted samples and the sum of their squares. Samples may stand for
 * different times.
 */
struct sampled {
	double ns, squares;
};

/* Returns `ns` of time as `samples` samples of equal weight. */
struct sampled sampled_alike(double ns, double samples);

/* Returns the interval of the share that `part` has in `all`. */
struct share_interval confidence_part(struct sampled part, struct sampled all);

/*
 * Returns the probability that two estimates of one time differ by chance at
 * least as much as these two do. An estimate of 0 has no samples. 1 if both
 * are 0.
 */
double confidence_chance(struct sampled a, struct sampled b);

/*
 * Return the probability that the second estimate is by chance at least as far
 * above, or below, the first one as it is, if the true times have this ratio
 * (second / first), or this difference in ns (second - first). 1 if neither
 * estimate has samples.
 */
double confidence_above_ratio(struct sampled first, struct sampled second,
			      double ratio);
double confidence_below_ratio(struct sampled first, struct sampled second,
			      double ratio);
double confidence_above(struct sampled first, struct sampled second, double ns);
double confidence_below(struct sampled first, struct sampled second, double ns);

/*
 * Given the probabilities of `count` differences to be due to chance, returns
 * the largest one that is significant when all of them are judged together, or
 * -1 if none is. All smaller ones are then also significant, and at most 5 % of
 * these are expected to be due to chance. Sorts the array.
 */
double confidence_limit(double *chances, size_t count);

#endif
