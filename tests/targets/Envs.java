// SPDX-License-Identifier: MIT
// Calls natives (envs.c) that use JNI in good and bad ways, and count their calls of
// JNI functions themselves. With "again", they do so once for each line of the input.
//
//	java -cp DIR com.acme.Envs LIBRARY ROUNDS [again]
package com.acme;

public class Envs {
  static native int lookups(int rounds);
  static native long copies(byte[] bytes, int[] ints, double[] doubles,
                            String text, int rounds);
  static native void sections(int[] ints, int rounds, int slow);
  static native int locals(int count, int how);
  static native void keep(Object object, int count, int deleted);
  static native double upcalls(Envs self, int rounds);
  static native double fields(Envs self, int rounds);
  static native int missing();
  static native int attached(int count);
  static native void print();

  boolean aBoolean = true;
  byte aByte = -3;
  char aChar = 'x';
  short aShort = -400;
  int anInt = 70000;
  long aLong = 1L << 40;
  float aFloat = 1.5f;
  double aDouble = Math.PI;
  Object anObject = "object";
  static double aStatic = 2.5;

  boolean getBoolean(boolean a, double b) { return !a && b > 0; }
  byte getByte(byte a, float b) { return (byte) (a + b); }
  char getChar(char a) { return (char) (a + 1); }
  short getShort(short a, long b, double c) { return (short) (a + b + c); }
  int getInt(int a, double b, float c, long d, int e, double f, int g, int h,
             int i, double j, double k, double l, double m, double n, double o) {
    return (int) (a + b + c + d + e + f + g + h + i + j + k + l + m + n + o);
  }
  long getLong(long a, Object b) { return a + b.hashCode() % 2; }
  float getFloat(float a, double b) { return (float) (a * b); }
  double getDouble(double a, float b, int c) { return a + b * c; }
  Object getObject(Object a, int b) { return b % 2 == 0 ? a : this; }
  void getVoid(int a, double b) { aDouble += a * b; }
  static double getStatic(double a, int b) { return a - b; }
  Envs() {}
  Envs(int anInt, double aDouble) {
    this.anInt = anInt;
    this.aDouble = aDouble;
  }

  static String work(int rounds) {
    byte[] bytes = new byte[1000];
    int[] ints = new int[2000];
    double[] doubles = {1, 2.5, 4};
    Envs self = new Envs();
    String all = "";
    all += lookups(rounds) + " ";
    all += copies(bytes, ints, doubles, "h\u00e9llo, text", rounds) + " ";
    sections(ints, rounds, 2);
    for (int how = 0; how < 4; how++) all += locals(40, how) + " ";
    all += locals(10, 0) + " ";
    keep(self, rounds, rounds / 4);
    all += upcalls(self, rounds) + " " + fields(self, rounds) + " ";
    return all + missing() + " " + attached(30) + " " + self.aDouble;
  }

  static void run(int rounds) throws Exception {
    Thread[] threads = new Thread[3];
    String[] results = new String[threads.length];
    for (int t = 0; t < threads.length; t++) {
      int which = t;
      threads[t] = new Thread(() -> results[which] = work(rounds));
      threads[t].start();
    }
    for (Thread thread : threads) thread.join();
    for (String result : results) System.out.println(result);
    System.out.flush();
    print();
  }

  static int await() throws Exception {
    System.out.println("ready");
    System.out.flush();
    return System.in.read();
  }

  public static void main(String[] arguments) throws Exception {
    System.load(arguments[0]);
    int rounds = Integer.parseInt(arguments[1]);
    if (arguments.length < 3)
      run(rounds);
    else
      while (await() == '\n') run(rounds);
  }
}
