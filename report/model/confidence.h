/* SPDX-License-Identifier: MIT */
/*
 * Error bounds: of the share of wrong ids, and of times estimated from samples.
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
 * Returns the largest of these probabilities that is significant when all of
 * them are judged together, or -1 if none is. At most 5 % of the significant
 * ones are then expected to be due to chance. Sorts the array.
 */
double confidence_limit(double *chances, size_t count);

#endif
