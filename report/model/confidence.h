/* SPDX-License-Identifier: MIT */
/* What random verification of the ids lets us claim. */
#ifndef CLEW_MODEL_CONFIDENCE_H
#define CLEW_MODEL_CONFIDENCE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The exact one-sided 95 % upper bound (Clopper and Pearson) of the share of
 * mismatches, when `mismatches` of `trials` independent trials were such.
 * 1 if there were no trials.
 */
double confidence_upper_bound(uint64_t trials, uint64_t mismatches);

/*
 * The 95 % interval of a share that was estimated from so many samples, of
 * which it has this much. Around the estimate, but not symmetric: none seen is
 * no proof that there is none. [0, 1] without samples.
 */
struct share_interval {
	double low, high;
};

struct share_interval confidence_share(double share, double samples);

/*
 * What was estimated from samples, which need not stand for the same time each:
 * their sum, and that of their squares.
 */
struct sampled {
	double ns, squares;
};

/* So much time of so many samples that stand for about the same. */
struct sampled sampled_alike(double ns, double samples);

/* The interval of what a part is of all. */
struct share_interval confidence_part(struct sampled part, struct sampled all);

/*
 * Returns the probability that two estimates of one time differ by chance at
 * least as much as these two do. An estimate of 0 has no samples. 1 if both
 * are 0.
 */
double confidence_chance(struct sampled a, struct sampled b);

/*
 * Returns the largest of these probabilities that is significant when all of
 * them are judged together, or -1 if none is: at most 5 % of the significant
 * ones are expected to be due to chance. Sorts the array.
 */
double confidence_limit(double *chances, size_t count);

#endif
