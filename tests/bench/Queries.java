// SPDX-License-Identifier: MIT
import org.clew.Clew;

/**
 * Measures the cost of org.clew.Clew in a loop. Prints lines "WHAT=NS": the least of many
 * loops, less the same loop without a query.
 */
final class Queries {
  private static final Clew CLEW = Clew.get();
  private static final int CALLS = 100_000, LOOPS = 15;
  static long sum;

  interface Loop {
    void run();
  }

  static long step(long x) {
    x ^= x << 13;
    x ^= x >>> 7;
    return x ^ x << 17;
  }

  static void nothing() {
    long x = 1;
    for (int i = 0; i < CALLS; i++) x = step(x);
    sum += x;
  }
  static void context() {
    long x = 1;
    for (int i = 0; i < CALLS; i++) x = step(x) + CLEW.context();
    sum += x;
  }
  static void region() {
    long x = 1;
    for (int i = 0; i < CALLS; i++)
      try (Clew.Region region = CLEW.region("round", i)) {
        x = step(x);
      }
    sum += x;
  }

  static double least(Loop loop) {
    double best = 1e18;
    for (int i = 0; i < LOOPS; i++) {
      final long start = System.nanoTime();
      loop.run();
      best = Math.min(best, (double) (System.nanoTime() - start) / CALLS);
    }
    return best;
  }

  public static void main(String[] args) {
    final double nothing = least(Queries::nothing);
    final String where = CLEW.isHere() ? " with clew" : " without clew";
    System.out.printf("a round of the loop%s=%.2f%n", where, nothing);
    System.out.printf("context()%s=%.2f%n", where, least(Queries::context) - nothing);
    System.out.printf("region()%s=%.2f%n", where, least(Queries::region) - nothing);
  }
}
