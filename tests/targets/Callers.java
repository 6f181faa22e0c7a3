// SPDX-License-Identifier: MIT
// Calls natives (callers.c) from Java methods of many kinds, each of which passes its
// number, and prints the calls of each: "CALLS CALLER".
//
//	java -cp DIR com.acme.Callers LIBRARY ROUNDS CLASSES
package com.acme;

import java.io.InputStream;

public class Callers {
  public static native int hit(int who);
  native int wide(int who, long a, double b, float c, String d, int[] e, byte f,
                  short g, char h, boolean i, double j, double k, double l,
                  double m, double n, double o, double p, double q);
  static native int up(int who);
  static native void fail(int who);
  static native long count(int who);

  // The calling methods, in the order of their numbers.
  static final String[] WHO = {
    "once()", "hot(int)", "innermost(int)", "recursion(int)", "back(int)",
    "wideCaller(int)", "catches(int)", "locked(int)", "<init>(int)",
    "com.acme.Callers$Circle.area()", "com.acme.Callers$Square.area()",
    "com.acme.Callers$Loaded.run()", "upper(int)", "deep(int)",
  };

  Callers() {}
  Callers(int who) { hit(8); }

  static void once() { hit(0); }
  static int hot(int i) { return hit(1) + i; }
  static int innermost(int i) { return hit(2) + i; }
  static int middle(int i) { return innermost(i) + 1; }
  static int outer(int i) { return middle(i) + 1; }
  static int recursion(int n) { return n == 0 ? 0 : hit(3) + recursion(n - 1); }
  static int back(int i) { return hit(4); }
  static int upper(int i) { return up(12); }
  static int deep(int n) { return n == 0 ? hit(13) : deep(n - 1) + 1; }
  static synchronized int locked(int i) { return hit(7); }

  static int catches(int i) {
    try {
      fail(6);
    } catch (IllegalStateException e) {
      return 1;
    }
    return 0;
  }

  int wideCaller(int i) {
    int sum = wide(5, 1L << 40, 1.5, 2.5f, "text", new int[3], (byte) -1,
                   (short) -2, 'c', true, 1, 2, 3, 4, 5, 6, 7, 8);
    if (sum != 1234) throw new AssertionError("arguments: " + sum);
    return sum;
  }

  interface Shape { int area(); }
  static class Circle implements Shape { public int area() { return hit(9); } }
  static class Square implements Shape { public int area() { return hit(10); } }
  public static class Loaded implements Runnable {
    public Loaded() {}
    public void run() { hit(11); }
  }

  // Loads Loaded again each time, so that the previous class can be unloaded.
  static class Loader extends ClassLoader {
    protected Class<?> loadClass(String name, boolean resolve)
        throws ClassNotFoundException {
      if (!name.endsWith("$Loaded")) return super.loadClass(name, resolve);
      try (InputStream in = Callers.class.getResourceAsStream(
               "Callers$Loaded.class")) {
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (java.io.IOException e) {
        throw new ClassNotFoundException(name);
      }
    }
  }

  static void work(int rounds, int classes) {
    Callers self = new Callers();
    Shape shape = new Circle();
    once();
    try {
      for (int i = 0; i < rounds; i++) {
        hot(i);
        outer(i);
        if (i % 10 == 0) recursion(5);
        if (i % 10 == 1) upper(i);
        if (i % 10 == 2) self.wideCaller(i);
        if (i % 100 == 3) catches(i);
        if (i % 10 == 4) locked(i);
        if (i % 10 == 5) new Callers(i);
        if (i % 10 == 6) deep(60);
        // invalidates assumptions of compiled code
        if (i == rounds / 2) shape = new Square();
        shape.area();
        if (i % (rounds / classes) == 0) {
          Runnable loaded = (Runnable) Class.forName(
            "com.acme.Callers$Loaded", true, new Loader())
            .getDeclaredConstructor().newInstance();
          for (int k = 0; k < 20; k++) loaded.run();
          byte[][] garbage = new byte[100][];
          for (int k = 0; k < 100; k++) garbage[k] = new byte[10000];
          if (i % (rounds / classes * 4) == 0) System.gc();
        }
      }
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  public static void main(String[] arguments) throws Exception {
    System.load(arguments[0]);
    int rounds = Integer.parseInt(arguments[1]);
    int classes = Integer.parseInt(arguments[2]);
    Thread[] threads = new Thread[8];
    for (int t = 0; t < threads.length; t++)
      (threads[t] = new Thread(() -> work(rounds, classes))).start();
    for (Thread thread : threads) thread.join();
    for (int i = 0; i < WHO.length; i++)
      System.out.println(count(i) + " " + (WHO[i].startsWith("com.") ? ""
                         : "com.acme.Callers.") + WHO[i]);
  }
}
