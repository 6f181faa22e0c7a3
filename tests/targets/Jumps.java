// SPDX-License-Identifier: MIT
// Calls natives (native_jumps.c) that end with a tail call, and one that does not.
//
//	java -cp DIR com.acme.Jumps LIBRARY ROUNDS
package com.acme;

public class Jumps {
  static native long jumps(long n);
  static native long twice(long n);
  static native long calls(long n);

  static long viaJumps(long n) { return jumps(n); }
  static long viaTwice(long n) { return twice(n); }
  static long viaCalls(long n) { return calls(n); }

  public static void main(String[] argv) {
    System.load(argv[0]);
    long sum = 0;
    for (int i = Integer.parseInt(argv[1]); i > 0; i--)
      sum += viaJumps(20000) + viaTwice(20000) + viaCalls(20000);
    System.out.println(sum != 0);
  }
}
