// SPDX-License-Identifier: MIT
// Calls its native methods (natives.c) from interpreted and compiled code, in several
// threads, and prints the calls of each.
//
//	java -cp DIR com.acme.Natives LIBRARY ROUNDS [END [AGENT...]]
package com.acme;

import java.util.Map;

public class Natives {
  static native int plain(int a);
  static native long mixed(long a, double b, String text, int[][] rows,
                           Map.Entry<String, String> entry);
  native int instance(Object other);
  static native int over(int a);
  static native int over(String text);
  static native void fail();
  static native int up(int depth);
  static native int registered(int a, int b);
  static native int registered(long[] longs);
  static native void sharedOne();
  static native void sharedTwo();
  static native long[] counts();

  static class Inner {
    native boolean inner(byte a, char b, short c, boolean d, float e);
  }

  static final String[] NAMES = {
    "plain(int)",
    "mixed(long, double, String, int[][], Map$Entry)",
    "instance(Object)",
    "over(int)",
    "over(String)",
    "com.acme.Natives$Inner.inner(byte, char, short, boolean, float)",
    "fail()",
    "up(int)",
    "registered(int, int)",
    "registered(long[])",
    "sharedOne() / com.acme.Natives.sharedTwo()",
  };

  static int down(int depth) {
    return depth == 0 ? 0 : up(depth - 1) + 1;
  }

  static long work(int rounds) {
    Natives self = new Natives();
    Inner inner = new Inner();
    int[][] rows = new int[3][];
    long[] longs = new long[5];
    long sum = 0;
    for (int i = 0; i < rounds; i++) {
      sum += plain(i) + plain(i + 1);
      if (i % 2 == 0) sum += mixed(i, 0.5, "text", rows, null);
      if (i % 3 == 0) sum += self.instance(self);
      if (i % 4 == 0) sum += over(i);
      if (i % 5 == 0) sum += over("five!");
      if (i % 6 == 0) sum += inner.inner((byte) 1, '2', (short) 3, true, 5f) ? 1 : 0;
      if (i % 7 == 0) sum += registered(i, 2);
      if (i % 8 == 0) sum += registered(longs);
      if (i % 9 == 0) sharedOne();
      if (i % 10 == 0) sharedTwo();
      if (i % 100 == 0) {
        sum += up(5);
        try { fail(); } catch (IllegalStateException e) { sum++; }
      }
    }
    return sum;
  }

  static Thread start(int rounds) {
    Thread thread = new Thread(() -> work(rounds));
    thread.start();
    return thread;
  }

  // This exists since Java 21; the class is compiled for an older version.
  static Thread startVirtual(int rounds) throws Exception {
    return (Thread) Thread.class
        .getMethod("startVirtualThread", Runnable.class)
        .invoke(null, (Runnable) () -> {
          for (int i = 0; i < 10; i++) {
            work(rounds);
            Thread.yield();
          }
        });
  }

  public static void main(String[] arguments) throws Exception {
    System.load(arguments[0]);
    int rounds = Integer.parseInt(arguments[1]);
    String end = arguments.length > 2 ? arguments[2] : "";
    Thread[] threads = new Thread[end.equals("virtual") ? 40 : 4];
    for (int t = 0; t < threads.length; t++)
      threads[t] = end.equals("virtual") ? startVirtual(rounds) : start(rounds);
    for (Thread thread : threads) thread.join();
    System.out.println(work(rounds));
    long[] counts = counts();
    for (int i = 0; i < counts.length; i++)
      System.out.println(counts[i] + " " + (NAMES[i].startsWith("com.") ? ""
                         : "com.acme.Natives.") + NAMES[i]);
    System.out.flush();
    String pid = new java.io.File("/proc/self").getCanonicalFile().getName();
    if (end.equals("attach"))
      for (int i = 2; i + 1 < arguments.length; i++)
        System.out.println(new ProcessBuilder(
            System.getProperty("java.home") + "/bin/jcmd", pid,
            "JVMTI.agent_load", arguments[i + 1]).start().waitFor());
    if (end.equals("exit")) System.exit(7);
    if (end.equals("throw")) throw new IllegalStateException("from main");
    if (end.equals("halt")) Runtime.getRuntime().halt(9);
    if (end.equals("kill"))
      new ProcessBuilder("kill", "-9", pid).start().waitFor();
  }
}
