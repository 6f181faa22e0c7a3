// SPDX-License-Identifier: MIT
// 20 virtual threads that call a native (callers.c) each time after they were suspended,
// ROUNDS times each. With "often" they only yield.
//
//	java -cp DIR com.acme.Suspended LIBRARY ROUNDS [often]
package com.acme;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

public class Suspended {
  static int sum;

  static void work(int i) { sum += Callers.hit(1) + i; }

  static void suspend(boolean often) {
    if (often) {
      Thread.yield();
      return;
    }
    try {
      Thread.sleep(1);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  static void rounds(int rounds, boolean often) {
    for (int i = 0; i < rounds; i++) {
      suspend(often);
      work(i);
    }
  }

  static void outer(int rounds, boolean often) { rounds(rounds, often); }

  public static void main(String[] arguments) throws Exception {
    System.load(arguments[0]);
    int rounds = Integer.parseInt(arguments[1]);
    boolean often = arguments.length > 2;
    Method start =
        Thread.class.getMethod("startVirtualThread", Runnable.class);
    List<Thread> threads = new ArrayList<>();
    Runnable run = () -> outer(rounds, often);
    for (int i = 0; i < 20; i++) threads.add((Thread) start.invoke(null, run));
    for (Thread thread : threads) thread.join();
    System.out.println(Callers.count(1));
  }
}
