// SPDX-License-Identifier: MIT
// Queries its context from methods of many kinds, each of which passes its number, and
// checks: a stack of methods has one id, in each thread and in compiled or interpreted
// code, and no other stack has this id. Prints "N contexts, M errors", or "clew is absent".
//
//	java -cp DIR:clew.jar com.acme.Asks ROUNDS [SNAPSHOT]
package com.acme;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.Deflater;
import org.clew.Clew;

public class Asks implements Runnable {
  private static final Clew CLEW = Clew.get();
  private static final int ALL =
      Clew.IS_COUNTED | Clew.IS_RECORDED | Clew.HAS_JAVA;

  static final Map<String, Long> ids = new ConcurrentHashMap<>();
  static final Map<Long, String> paths = new ConcurrentHashMap<>();
  static final AtomicInteger errors = new AtomicInteger();

  final StringBuilder path = new StringBuilder();
  final int rounds;

  Asks(int rounds) { this.rounds = rounds; }

  static void wrong(String what) {
    if (errors.getAndIncrement() < 5) System.out.println(what);
  }

  void check(long id, int flags) {
    final String here = path.toString();
    final Long before = ids.putIfAbsent(here, id);
    final String other = paths.putIfAbsent(id, here);
    if (before != null && before != id) wrong(here + " has two ids");
    if (other != null && !other.equals(here))
      wrong(here + " has the id of " + other);
    if (flags != ALL || CLEW.depth(id) == 0)
      wrong(here + " has flags " + flags);
  }

  abstract static class Shape { abstract void draw(Asks asks, int left); }
  static class Circle extends Shape {
    @Override void draw(Asks asks, int left) {
      asks.enter("circle");
      asks.check(CLEW.context(), CLEW.flags());
      if (left > 0) asks.next(left - 1);
      asks.leave("circle");
    }
  }
  static class Square extends Shape {
    @Override void draw(Asks asks, int left) {
      asks.enter("square");
      if (left > 0) asks.next(left - 1);
      asks.check(CLEW.context(), CLEW.flags());
      asks.leave("square");
    }
  }

  void enter(String name) { path.append('/').append(name); }
  void leave(String name) { path.setLength(path.length() - name.length() - 1); }

  static final Shape[] SHAPES = {new Circle(), new Square()};

  void each(Shape shape, int left) {
    shape.draw(this, left);
  }
  void next(int left) {
    for (Shape shape : SHAPES) each(shape, left);
  }
  void leaf() {
    enter("leaf");
    CLEW.mark("leaf", 1);
    check(CLEW.context(), CLEW.flags());
    leave("leaf");
  }

  @Override public void run() {
    for (int i = 0; i < rounds; i++)
      try (Clew.Region region = CLEW.region("round", i)) {
        next(3);
        leaf();
      }
  }

  static void alone() throws Exception {
    CLEW.mark("nothing", 1);
    CLEW.region(null, 2).close();
    try {
      CLEW.snapshot(Path.of("nowhere"));
      wrong("a snapshot of nothing");
    } catch (java.io.IOException e) {
    }
    CLEW.pause();
    CLEW.resume();
    if (CLEW.context() != 0 || CLEW.flags() != 0 || CLEW.depth(1) != 0 ||
        CLEW.parent(1) != 0 || CLEW.verified() != 0 || CLEW.wrongAtMost() != 1)
      wrong("it is not");
    System.out.println("clew is absent, " + errors + " errors");
  }

  static void reset(Deflater deflater, int times) {
    for (int i = 0; i < times; i++) deflater.reset();
  }

  /** Makes 7 counted calls of a native method, and 50 uncounted ones. */
  static void pauses() throws Exception {
    final Deflater deflater = new Deflater();
    reset(deflater, 3);
    CLEW.pause();
    reset(deflater, 50);
    CLEW.resume();
    reset(deflater, 4);
    deflater.end();
  }

  public static void main(String[] args) throws Exception {
    if (!CLEW.isHere()) {
      alone();
      return;
    }
    pauses(); // everything below must be unaffected
    final int rounds = Integer.parseInt(args[0]);
    final Thread[] threads = new Thread[2];
    for (int i = 0; i < threads.length; i++) {
      threads[i] = new Thread(new Asks(rounds));
      threads[i].start();
    }
    for (Thread thread : threads) thread.join();
    CLEW.mark("a name that is so long that not all of it is k\u00e9pt, as it is", 1);
    if (args.length > 1) CLEW.snapshot(Path.of(args[1]));
    if (CLEW.verified() == 0 || CLEW.wrongAtMost() >= 1) wrong("unverified");
    System.out.println(ids.size() + " contexts, " + errors + " errors");
  }
}
