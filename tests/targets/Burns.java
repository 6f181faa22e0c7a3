// SPDX-License-Identifier: MIT
// Uses CPU time in a loop of a method that compilers inline three levels deep, some
// milliseconds for each round.
//
//	java -cp DIR com.acme.Burns ROUNDS
package com.acme;

public class Burns {
  static int innermost(int x) {
    int sum = x;
    for (int i = 0; i < 2000; i++) // the loop
      sum = sum * 31 ^ sum >>> 7; // takes the time
    return sum;
  }

  static int middle(int x) {
    int sum = x + 1;
    return innermost(sum); // the call of innermost()
  }

  static int outer(int x) {
    return middle(x) + 1; // the call of middle()
  }

  static int thousand(int x) {
    for (int i = 0; i < 1000; i++)
      x += outer(x); // the call of outer()
    return x;
  }

  public static void main(String[] arguments) {
    int sum = 0;
    for (int i = Integer.parseInt(arguments[0]); i > 0; i--)
      sum += thousand(sum);
    System.out.println(sum);
  }
}
