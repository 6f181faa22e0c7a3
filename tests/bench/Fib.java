// SPDX-License-Identifier: MIT
// Measures a call of a Java method, its body included: lines "WHAT=NS", with
// the least of many short rounds. The call is also measured in a virtual
// thread, where the JVM has those.
//
//	java -cp DIR Fib [ROUNDS]
public class Fib {
  static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

  static int rounds = 200;

  static void measure(String what) {
    final int n = 27;
    long calls = 0, least = Long.MAX_VALUE, next = 1;
    for (int i = 0; i <= n; i++) { // of fib(n): 2 fib(n + 1) - 1
      long sum = calls + next;
      calls = next;
      next = sum;
    }
    calls = 2 * calls - 1;
    // Compiled code that is changed in place is so some time after it was compiled.
    for (long end = System.nanoTime() + 1_000_000_000L; System.nanoTime() < end;) fib(20);
    for (int i = 0; i < rounds; i++) {
      long start = System.nanoTime();
      if (fib(n) != 196418) throw new AssertionError();
      least = Math.min(least, System.nanoTime() - start);
    }
    System.out.println(what + "=" + (double) least / calls);
  }

  public static void main(String[] argv) throws Exception {
    if (argv.length > 0) rounds = Integer.parseInt(argv[0]);
    measure("fib");
    try {
      ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class)
          .invoke(null, (Runnable) () -> measure("fib, in a virtual thread"))).join();
    } catch (NoSuchMethodException e) {
    }
  }
}
