// SPDX-License-Identifier: MIT
// Calls natives whose code is not hooked: those of the JVM, and one that callers.c
// generates. Prints the calls of each: "CALLS NATIVE <- CALLER".
//
//	java -cp DIR com.acme.Unhooked LIBRARY ROUNDS
package com.acme;

import java.util.concurrent.locks.LockSupport;

public class Unhooked {
  static native void generate(); // binds generated()
  static native int generated(int i);
  static native long generatedCalls();
  static native int critical(int i); // may be called in another way
  static native long criticalCalls();

  static int first(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += Runtime.getRuntime().availableProcessors();
    return sum;
  }

  static int second(int n) { return n == 0 ? 0 : first(n) + second(n - 1); }

  static int made(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += generated(i);
    return sum;
  }

  static int calls(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += critical(i);
    return sum;
  }

  static int known(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) if (made(0) == 0 && "".getClass() != null) sum++;
    return sum;
  }

  // Unsafe.park() and unpark() have intrinsic numbers but are called.
  static void parks(int n) {
    for (int i = 0; i < n; i++) {
      LockSupport.unpark(Thread.currentThread());
      LockSupport.park();
    }
  }

  public static void main(String[] arguments) throws Exception {
    System.load(arguments[0]);
    int rounds = Integer.parseInt(arguments[1]);
    generate();
    if (made(rounds) != (int) ((long) rounds * (rounds - 1) / 2))
      throw new AssertionError("what generated() returned");
    for (int i = 0; i < 20; i++) calls(rounds);
    first(rounds);
    second(10);
    known(rounds);
    parks(rounds);
    for (int i = 0; i < 5; i++) Thread.sleep(2);
    String self = "com.acme.Unhooked.";
    String processors = "java.lang.Runtime.availableProcessors() <- " + self;
    System.out.println(generatedCalls() + " " + self + "generated(int) <- " + self +
                       "made(int)");
    System.out.println(criticalCalls() + " " + self + "critical(int) <- " + self +
                       "calls(int)");
    System.out.println(rounds + 55 + " " + processors + "first(int)");
    System.out.println(rounds + " java.lang.Object.getClass() <- " + self +
                       "known(int)");
  }
}
