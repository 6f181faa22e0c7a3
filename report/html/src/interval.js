/* SPDX-License-Identifier: MIT */
/*
 * The 95 % interval of a share that was estimated from samples: Jeffreys'
 * interval, as in report/model/confidence.c, which gives the reasons.
 */

/* Lanczos' approximation (g = 7, n = 9), to 1e-13 for x > 0.5. */
const LANCZOS = [0.99999999999980993, 676.5203681218851, -1259.1392167224028,
                 771.32342877765313, -176.61502916214059, 12.507343278686905,
                 -0.13857109526572012, 9.9843695780195716e-6,
                 1.5056327351493116e-7];

function logGamma(x) {
  const t = x + 6.5;
  const sum = LANCZOS.reduce((all, each, i) =>
    i === 0 ? each : all + each / (x + i - 1));

  return Math.log(2 * Math.PI) / 2 + (x - 0.5) * Math.log(t) - t +
    Math.log(sum);
}

/* Abramowitz and Stegun, 26.5.8, by Lentz's method. */
function fraction(a, b, x) {
  let c = 1;
  let d = 1 / (1 - (a + b) * x / (a + 1));
  let h = d;

  for (let m = 1; m < 10000; m++) {
    const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

    d = 1 / (1 + even * d);
    c = 1 + even / c;
    h *= d * c;
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    h *= d * c;
    if (Math.abs(d * c - 1) < 1e-12)
      break;
  }
  return h;
}

export function betaCdf(a, b, x) {
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) +
                         a * Math.log(x) + b * Math.log1p(-x));

  return x < (a + 1) / (a + b + 2) ? front * fraction(a, b, x) / a
    : 1 - front * fraction(b, a, 1 - x) / b;
}

function betaQuantile(a, b, q) {
  let [low, high] = [0, 1];

  for (let i = 0; i < 32; i++) {
    const middle = (low + high) / 2;

    if (betaCdf(a, b, middle) < q)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

/* Returns [low, high]; [0, 1] without samples. */
export function interval(share, samples) {
  if (!(samples > 0))
    return [0, 1];
  const hits = Math.min(share, 1) * samples;
  const [a, b] = [hits + 0.5, samples - hits + 0.5];

  return [hits > 0 ? betaQuantile(a, b, 0.025) : 0,
          hits < samples ? betaQuantile(a, b, 0.975) : 1];
}

/* Returns "31.5–45.2" in percent, with only significant digits. */
export function range(share, samples) {
  const [low, high] = interval(share, samples);
  const digits = high - low < 0.002 ? 2 : high - low < 0.05 ? 1 : 0;

  return `${(low * 100).toFixed(digits)}–${(high * 100).toFixed(digits)}`;
}
