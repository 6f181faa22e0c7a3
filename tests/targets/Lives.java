// SPDX-License-Identifier: MIT
// Threads and programs that begin and end in unusual ways, with natives (lives.c).
//
//	java -cp DIR com.acme.Lives LIBRARY crash|attach|throw|exit|exits|daemon|wait
package com.acme;

public class Lives {
  static native int hit(int i);
  static native void crash();
  static native void exits();
  static native void attach(int threads, boolean daemons);
  static native void fail();
  static native void pending();

  static int up(int i) { return hit(i); } // called by native threads
  static void thrower() { throw new IllegalStateException("Java's"); }

  static int caught(Runnable runnable) {
    try {
      runnable.run();
    } catch (IllegalStateException e) {
      return 1;
    }
    return 0;
  }

  static void exceptions() {
    int caught = 0;
    for (int i = 0; i < 1000; i++)
      caught += caught(Lives::fail) + caught(Lives::pending);
    System.out.println(caught + " caught");
  }

  static void exit() {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> hit(2)));
    hit(1);
    System.exit(7);
  }

  static void daemon() throws InterruptedException {
    Thread thread = new Thread(() -> {
      synchronized (Lives.class) {
        hit(1);
        Lives.class.notify();
      }
      for (;;) hit(1);
    });
    thread.setDaemon(true);
    synchronized (Lives.class) {
      thread.start();
      Lives.class.wait();
    }
    System.out.println("main is over");
  }

  // Runs for inspection from outside until standard input ends.
  static void waits() throws java.io.IOException {
    Thread thread = new Thread(() -> { for (;;) up(1); }, "looked-at");
    thread.setDaemon(true);
    thread.start();
    System.out.println(ProcessHandle.current().pid());
    System.in.read();
  }

  public static void main(String[] arguments) throws Exception {
    System.load(arguments[0]);
    switch (arguments[1]) {
      case "crash": crash(); break;
      case "attach": attach(8, false); attach(4, true); break;
      case "throw": exceptions(); break;
      case "exit": exit(); break;
      case "exits": exits(); break;
      case "daemon": daemon(); break;
      case "wait": waits(); break;
    }
  }
}
