// SPDX-License-Identifier: MIT
// Calls a native (callers.c) from stacks that are difficult to walk: deep ones, ones that
// overflow, ones below class initialisers and reflection, those of virtual threads that
// were suspended; or from very many stacks. Prints the number of calls.
//
//	java -cp DIR com.acme.Stacks LIBRARY [many]
package com.acme;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

public class Stacks {
  static int deep(int n) { return n == 0 ? Callers.hit(0) : deep(n - 1) + 1; }
  static int overflow(int n) {
    if (n % 50 == 0) Callers.hit(0);
    return overflow(n + 1) + 1;
  }
  static class Initialised {
    static int value;
    static { value = Callers.hit(0); }
  }
  static int outer(int i) { return inner(i); }
  static int inner(int i) { return Callers.hit(0); }

  static int even(int n, int bits) {
    return n == 0 ? Callers.hit(0) : either(n - 1, bits);
  }
  static int odd(int n, int bits) {
    return n == 0 ? Callers.hit(0) : either(n - 1, bits);
  }
  static int either(int n, int bits) {
    return (bits >> n & 1) == 0 ? even(n, bits) : odd(n, bits);
  }

  static void sleepy() {
    for (int i = 0; i < 20; i++) {
      outer(i);
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      outer(i);
    }
  }

  static Thread start(Runnable runnable) throws ReflectiveOperationException {
    try {
      Method method = Thread.class.getMethod("startVirtualThread",
                                             Runnable.class);
      return (Thread) method.invoke(null, runnable);
    } catch (NoSuchMethodException e) { // before Java 21
      Thread thread = new Thread(runnable);
      thread.start();
      return thread;
    }
  }

  public static void main(String[] arguments) throws Exception {
    System.load(arguments[0]);
    if (arguments.length > 1) {
      for (int bits = 0; bits < 100000; bits++) either(16, bits % 50000);
      System.out.println(Callers.count(0) + " calls");
      return;
    }
    for (int n : new int[] { 10, 100, 900, 1000, 1100, 1500, 1600, 3000 })
      for (int i = 0; i < 20; i++) deep(n);
    for (int i = 0; i < 3; i++)
      try {
        overflow(1);
      } catch (StackOverflowError e) {
        deep(5);
      }
    if (Initialised.value < 0) throw new AssertionError();
    Method method = Stacks.class.getDeclaredMethod("outer", int.class);
    for (int i = 0; i < 10000; i++) method.invoke(null, i);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 20; i++) threads.add(start(Stacks::sleepy));
    for (Thread thread : threads) thread.join();
    System.out.println(Callers.count(0) + " calls");
  }
}
