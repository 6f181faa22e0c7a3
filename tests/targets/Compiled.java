// SPDX-License-Identifier: MIT
// Methods that count their calls. A line of standard input selects an action; after each
// action a line has the calls of each method so far: "METHOD=CALLS ... wrong=N".
//
//	java -cp DIR com.acme.Compiled THREADS
//	go N		N rounds in each thread
//	storm N		the same, while assumptions of compiled code become wrong
//	unload N	N classes that are called, and unloaded
//	virtual N	N rounds in a virtual thread
//	end
package com.acme;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

public class Compiled {
  static final String[] NAMES = {
    "fib", "outer", "middle", "inner", "deep", "catches", "passes", "area", "locked", "wide",
    "large", "finds"
  };

  /** Calls of one thread. */
  static final class Calls {
    final long[] of = new long[NAMES.length];
    long wrong;
  }

  static class Thrown extends RuntimeException {
    Thrown() {
      super("", null, false, false);
    }
  }

  interface Shape {
    long area(Calls calls, int side);
  }

  static class Square implements Shape {
    public long area(Calls calls, int side) {
      calls.of[7]++;
      return (long) side * side;
    }
  }

  static class Half extends Square {
    public long area(Calls calls, int side) {
      calls.of[7]++;
      return (long) side * side / 2;
    }
  }

  static class Line implements Shape {
    public long area(Calls calls, int side) {
      calls.of[7]++;
      return side;
    }
  }

  /** A further subclass invalidates compiled code. */
  static class Mood {
    int value(int x) {
      return x + 1;
    }
  }

  public static class Other extends Mood {
    int value(int x) {
      return x + 2;
    }
  }

  static volatile Mood mood = new Mood();

  static int fib(Calls calls, int n) {
    calls.of[0]++;
    return n < 2 ? n : fib(calls, n - 1) + fib(calls, n - 2);
  }

  static int outer(Calls calls, int i) {
    calls.of[1]++;
    return middle(calls, i) + middle(calls, i + 1);
  }

  static int middle(Calls calls, int i) {
    calls.of[2]++;
    return inner(calls, i) + 1;
  }

  static int inner(Calls calls, int i) {
    calls.of[3]++;
    return i * 3;
  }

  static int deep(Calls calls, int depth) {
    calls.of[4]++;
    if (depth == 0) throw new Thrown();
    return deep(calls, depth - 1) + 1;
  }

  /** An exception passes through this method. */
  static int passes(Calls calls, int depth) {
    calls.of[6]++;
    try {
      return deep(calls, depth);
    } finally {
      inner(calls, depth);
    }
  }

  static int catches(Calls calls, int depth) {
    calls.of[5]++;
    int caught = 0;
    for (int i = 0; i < 3; i++)
      try {
        caught += passes(calls, depth);
      } catch (Thrown e) {
        caught += inner(calls, i);
      }
    return caught;
  }

  static synchronized int locked(Calls calls, int i) {
    calls.of[8]++;
    return inner(calls, i);
  }

  static double wide(Calls calls, int a, long b, double c, float d, int e, int f, int g, int h, long i,
      double j, double k, double l, double m, double n, double o, double p, double q, double r) {
    calls.of[9]++;
    return a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r;
  }

  /**
   * Has a frame that is about as large as one check of the stack's end covers,
   * or larger.
   */
  static long large(Calls calls, long a) {
    calls.of[10]++;
    long b = a * 3, c = b ^ a, d = c + b, e = d * c, f = e - d, g = f ^ e, h = g + f, i = h * g;
    long j = i - h, k = j ^ i, l = k + j, m = l * k, n = m - l, o = n ^ m, p = o + n, q = p * o;
    inner(calls, 1);
    long x = a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q;
    inner(calls, 2);
    return x ^ a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l ^ m ^ n ^ o ^ p ^ q;
  }

  /** Its compiled code is invalidated while it runs when a class is added. */
  static int finds(Calls calls, Mood mood, int x) {
    calls.of[11]++;
    int sum = 0;
    for (int i = 0; i < 4; i++) sum += mood.value(x + i) + inner(calls, i);
    return sum;
  }

  static void check(Calls calls, boolean is) {
    if (!is) calls.wrong++;
  }

  static final Shape[] SHAPES = {new Square(), new Half(), new Line(), new Square()};
  static final long LARGE = large(new Calls(), 7);

  static void round(Calls calls, int i) {
    check(calls, fib(calls, 10) == 55);
    check(calls, outer(calls, i) == 6 * i + 5);
    check(calls, catches(calls, 5) == 9);
    long area = 0;
    for (Shape shape : SHAPES) area += shape.area(calls, 4);
    check(calls, area == 44);
    check(calls, locked(calls, 2) == 6);
    check(calls, wide(calls, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18) == 171);
    check(calls, large(calls, 7) == LARGE);
    Mood now = mood;
    int each = now.getClass() == Mood.class ? 1 : 2;
    check(calls, finds(calls, now, i) == 4 * i + 6 + 4 * each + 18);
  }

  static void rounds(Calls calls, int count) {
    for (int i = 0; i < count; i++) round(calls, i);
  }

  static final List<Calls> ALL = new ArrayList<>();

  static void run(int threads, int count) throws Exception {
    Thread[] running = new Thread[threads];
    for (int t = 0; t < threads; t++) {
      final Calls calls = ALL.get(t);
      running[t] = new Thread(() -> rounds(calls, count));
      running[t].start();
    }
    for (Thread thread : running) thread.join();
  }

  /** Loads the classes of this program once more. */
  static final class Again extends ClassLoader {
    Again() {
      super(null);
    }

    protected Class<?> findClass(String name) throws ClassNotFoundException {
      try (InputStream in = Compiled.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (Exception e) {
        throw new ClassNotFoundException(name);
      }
    }
  }

  static void storm(int threads, int count) throws Exception {
    Thread[] running = new Thread[threads];
    for (int t = 0; t < threads; t++) {
      final Calls calls = ALL.get(t);
      running[t] = new Thread(() -> {
        for (int i = 0; i < count; i++) {
          if (i % 16 == 0) mood = mood.getClass() == Mood.class ? new Other() : new Mood();
          round(calls, i);
        }
      });
      running[t].start();
    }
    for (Thread thread : running) thread.join();
  }

  public static void again(int count) {
    rounds(new Calls(), count);
  }

  static void virtual(int count) throws Exception {
    Runnable body = () -> {
      for (int i = 0; i < count; i++) {
        round(ALL.get(0), i);
        Thread.yield();
      }
    };
    ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body)).join();
  }

  static void unload(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      new Again().loadClass("com.acme.Compiled").getMethod("again", int.class).invoke(null, 2000);
      if (i % 4 == 3) System.gc();
    }
    System.gc();
  }

  static void tell() {
    StringBuilder line = new StringBuilder();
    long wrong = 0;
    for (Calls calls : ALL) wrong += calls.wrong;
    for (int i = 0; i < NAMES.length; i++) {
      long sum = 0;
      for (Calls calls : ALL) sum += calls.of[i];
      line.append(NAMES[i]).append('=').append(sum).append(' ');
    }
    System.out.println(line + "wrong=" + wrong);
  }

  public static void main(String[] arguments) throws Exception {
    int threads = Integer.parseInt(arguments[0]);
    for (int t = 0; t < threads; t++) ALL.add(new Calls());
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    tell();
    for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
      int count = Integer.parseInt(line.replaceAll("\\D", ""));
      if (line.startsWith("go")) run(threads, count);
      else if (line.startsWith("storm")) storm(threads, count);
      else if (line.startsWith("virtual")) virtual(count);
      else unload(count);
      tell();
    }
  }
}
