// SPDX-License-Identifier: MIT
// Redefines the class Changed repeatedly, by an agent (this class), while threads are in
// its methods, and prints the calls of natives (callers.c) by each method: "CALLS CALLER".
//
//	java -javaagent:JAR=DIR -cp DIR com.acme.Redefines LIBRARY ROUNDS CHANGES
//
// DIR of the agent has the other version of Changed.
package com.acme;

import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;

public class Redefines implements ClassFileTransformer {
  static final String[] WHO = {
    "first(int)", "second(int)", "third(int)", "inner(int)",
    "held(int, Runnable)", "under(int)",
  };

  static Instrumentation tool;
  static byte[] other;
  static boolean isOther;
  static int left;

  public static void premain(String folder, Instrumentation its)
      throws Exception {
    tool = its;
    other = Files.readAllBytes(Path.of(folder, "com/acme/Changed.class"));
    its.addTransformer(new Redefines(), true);
  }

  public byte[] transform(ClassLoader loader, String name, Class<?> changed,
                          ProtectionDomain domain, byte[] bytes) {
    return changed == Changed.class && isOther ? other : null;
  }

  // Alternates between the other version and that of the class's file.
  static synchronized void change() {
    if (left-- <= 0) return;
    isOther = !isOther;
    try {
      if (left % 3 == 0 && isOther)
        tool.redefineClasses(new ClassDefinition(Changed.class, other));
      else
        tool.retransformClasses(Changed.class);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  static void work(int rounds) {
    for (int i = 0; i < rounds; i++) {
      Changed.first(i);
      Changed.second(i);
      Changed.third(i);
      Changed.outer(i);
      if (i % 100 == 0) Changed.held(100, Redefines::change);
    }
  }

  public static void main(String[] arguments) throws Exception {
    System.load(arguments[0]);
    int rounds = Integer.parseInt(arguments[1]);
    left = Integer.parseInt(arguments[2]);
    Thread[] threads = new Thread[4];
    for (int t = 0; t < threads.length; t++)
      (threads[t] = new Thread(() -> work(rounds))).start();
    for (Thread thread : threads) thread.join();
    if (left > 0) throw new AssertionError(left + " changes left");
    for (int i = 0; i < WHO.length; i++)
      System.out.println(Callers.count(i) + " com.acme.Changed." + WHO[i]);
  }
}
