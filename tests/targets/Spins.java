// SPDX-License-Identifier: MIT
// Spends its time in one method, which is compiled, or interpreted if an option of the
// JVM says so.
//
//	java -cp DIR com.acme.Spins ROUNDS
package com.acme;

public class Spins {
  static long spin(long rounds) {
    long sum = 1;
    for (long i = 0; i < rounds; i++)
      sum = sum * 6364136223846793005L + (sum >>> 33 ^ i);
    return sum;
  }

  public static void main(String[] arguments) {
    long rounds = Long.parseLong(arguments[0]);
    long sum = 0;
    for (int i = 0; i < 100; i++) sum += spin(rounds / 100);
    System.out.println(sum);
  }
}
