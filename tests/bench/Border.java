// SPDX-License-Identifier: MIT
// Measures the cost of crossing JNI, in ns: calls of an empty native method,
// from compiled code below a given number of frames; and calls of JNI's
// functions, as border.c times them. Each result is the least of many short
// loops, so that other load on the machine has little effect.
//
//	java -cp DIR Border LIBRARY
public class Border {
  static native int empty(int a);
  static native void functions(int[] ints, String text);

  static final int CALLS = 2000, LOOPS = 3000;

  static int loop() {
    int sum = 0;
    for (int i = 0; i < CALLS; i++) sum += empty(i);
    return sum;
  }

  static long best(int depth) {
    if (depth > 0) return best(depth - 1) + 0;
    long best = Long.MAX_VALUE;
    for (int i = 0; i < LOOPS; i++) {
      long start = System.nanoTime();
      loop();
      best = Math.min(best, System.nanoTime() - start);
    }
    return best;
  }

  public static void main(String[] arguments) {
    System.load(arguments[0]);
    best(0);
    for (int depth : new int[] {0, 20, 60})
      System.out.printf("native, %d frames below=%.2f%n", depth,
                        best(depth) / (double) CALLS);
    System.out.flush();
    functions(new int[16], "hello");
  }
}
