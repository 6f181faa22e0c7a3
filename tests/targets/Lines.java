// SPDX-License-Identifier: MIT
// Calls a native (callers.c) from several lines of a method, each of which has a unique
// number, and prints the calls of each: "CALLS NUMBER".
//
//	java -cp DIR com.acme.Lines LIBRARY ROUNDS
package com.acme;

import java.util.function.IntUnaryOperator;

public class Lines {
  static int several(int i) {
    int sum = Callers.hit(0);
    if (i % 3 == 0)
      sum += Callers.hit(1);
    for (int k = 0; k < i % 4; k++)
      sum += Callers.hit(2);
    sum += Callers.hit(3) + Callers.hit(3);
    try {
      sum += i % 5 == 0 ? Callers.hit(4)
                        : Callers.hit(5);
      if (i % 7 == 0) throw new IllegalStateException();
    } catch (IllegalStateException e) {
      sum += Callers.hit(6);
    } finally { // the compiler copies this line three times
      sum += Callers.hit(7);
    }
    return sum;
  }

  static int innermost(int i) {
    int sum = Callers.hit(8);
    return i % 2 == 0 ? sum + Callers.hit(9) : sum;
  }

  static int middle(int i) {
    int sum = innermost(i); // the call of innermost()
    return sum + Callers.hit(10);
  }

  static int outer(int i) {
    return middle(i) // the call of middle()
        + Callers.hit(11);
  }

  static int recursion(int n) {
    if (n > 0)
      Callers.hit(12);
    return n == 0 ? Callers.hit(13) : recursion(n - 1);
  }

  static final IntUnaryOperator LAMBDA = i ->
      Callers.hit(14)
      + Callers.hit(15);

  static final int NUMBERS = 16;

  public static void main(String[] arguments) throws Exception {
    System.load(arguments[0]);
    int rounds = Integer.parseInt(arguments[1]);
    Callers.hit(NUMBERS); // its code is looked up here, in Java
    Thread[] threads = new Thread[2];
    for (int t = 0; t < threads.length; t++)
      (threads[t] = new Thread(() -> {
        for (int i = 0; i < rounds; i++) {
          several(i);
          outer(i);
          recursion(i % 4);
          LAMBDA.applyAsInt(i);
        }
      })).start();
    for (Thread thread : threads) thread.join();
    for (int i = 0; i < NUMBERS; i++)
      System.out.println(Callers.count(i) + " " + i);
  }
}
