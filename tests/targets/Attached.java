// SPDX-License-Identifier: MIT
// Threads that call natives (attached_java.c) from Java methods in a loop, until a word in
// a file that both share with a test tells them to stop. The file contains the numbers of
// calls. Some threads are short-lived, and there is garbage to collect. Virtual threads
// leave their carriers within a recursion.
//
//	java -cp DIR com.acme.Attached FILE LIBRARY THREADS [virtual]
package com.acme;

public class Attached {
  static native void share(String file);
  static native void ready();
  static native boolean pause(int thread); // false: endless
  static native int hit(int who);
  static native int registered(int who);
  static native int late(int who);
  static native int up(int who);
  static native boolean mayBindLate();

  static boolean isVirtual;

  static int hot(int i) { return hit(0) + i; }
  static int innermost(int i) { return hit(1) + i; }
  static int middle(int i) { return innermost(i) + 1; }
  static int outer(int i) { return middle(i) + 1; }
  static int recursion(int n) {
    if (n == 0 && isVirtual) Thread.yield();
    return n == 0 ? 0 : hit(2) + recursion(n - 1);
  }
  static int asRegistered(int i) { return registered(3); }
  static int upper(int i) { return up(4); }
  static int back(int i) { return hit(5); }
  static int latest(int i) { return late(6); }
  static boolean asks(Object o) { return hit(7) == 0 || Thread.holdsLock(o); }

  static boolean rests(int thread) { return hit(8) == 7 && pause(thread); }

  static void work(int thread) {
    byte[][] garbage = new byte[16][];
    for (int i = 0; rests(thread); i++) {
      for (int k = 0; k < 50; k++) {
        if (hot(k) != k + 7 || outer(k) != k + 9 || asRegistered(k) != 7 ||
            upper(k) != 7 || recursion(3) != 21 || asks(garbage))
          throw new AssertionError("a wrong answer");
      }
      if (mayBindLate() && latest(i) != 7) throw new AssertionError("late");
      garbage[i % 16] = new byte[50000];
      if (i % 64 == 0) {
        Thread other = new Thread(() -> { hot(1); });
        other.start();
        try { other.join(); } catch (InterruptedException e) { }
      }
      if (thread == 0 && i % 500 == 0) System.gc();
    }
  }

  static Thread start(Runnable body) throws Exception {
    if (isVirtual)
      return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
    Thread thread = new Thread(body);
    thread.start();
    return thread;
  }

  public static void main(String[] arguments) throws Exception {
    System.load(arguments[1]);
    share(arguments[0]);
    isVirtual = arguments.length > 3;
    Thread[] threads = new Thread[Integer.parseInt(arguments[2])];
    for (int t = 0; t < threads.length; t++) {
      final int number = t;
      threads[t] = start(() -> work(number));
    }
    ready();
    for (Thread thread : threads) thread.join();
  }
}
