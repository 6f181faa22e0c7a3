// SPDX-License-Identifier: MIT
// Loads CLASSES classes, creates an object of each, and prints the memory of the process.
//
//	java -cp DIR com.acme.Many CLASSES
package com.acme;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

public class Many extends ClassLoader {
  // Named T00000; each class is a copy with other digits.
  public static class T00000 {
    int value;
    public T00000() {}
    public int hashCode() { return value + one(1); }
    int one(int a) { return two(a) * 3; }
    int two(int b) { return b + 1; }
    static String text(String of) { return of + "x"; }
    public String toString() { return text("a"); }
  }

  Class<?> define(byte[] bytes) {
    return defineClass(null, bytes, 0, bytes.length);
  }

  public static void main(String[] arguments) throws Exception {
    Object[] kept = new Object[Integer.parseInt(arguments[0])];
    Many loader = new Many();
    String bytes;
    try (var in = Many.class.getResourceAsStream("Many$T00000.class")) {
      bytes = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
    int sum = 0;
    for (int i = 0; i < kept.length; i++) {
      String name = "T" + (100000 + i);
      kept[i] = loader.define(bytes.replace("T00000", "T" + name.substring(2))
                              .getBytes(StandardCharsets.ISO_8859_1))
        .getDeclaredConstructor().newInstance();
      sum += kept[i].hashCode();
    }
    System.gc();
    System.out.println(sum);
    System.out.println(Files.readString(Path.of("/proc/self/status")));
  }
}
