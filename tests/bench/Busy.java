// SPDX-License-Identifier: MIT
// Runs All.applyAsInt() in threads until standard input ends. Another thread reads the clock all
// the time. For each line of input, prints the longest time in ns between two of its readings
// since the previous line. Prints "ready" and the pid first, when most code is compiled.
//
//	java -cp DIR Busy THREADS ROUNDS
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.function.IntUnaryOperator;

public class Busy {
  static volatile long longest;
  static volatile int left, sum;

  static void watch() {
    for (long last = System.nanoTime();;) {
      long now = System.nanoTime();
      if (now - last > longest) longest = now - last;
      last = now;
    }
  }

  static void work(IntUnaryOperator all) {
    for (;;) {
      sum += all.applyAsInt(left);
      left--;
    }
  }

  static void start(Runnable body) {
    Thread thread = new Thread(body);
    thread.setDaemon(true);
    thread.start();
  }

  public static void main(String[] argv) throws Exception {
    IntUnaryOperator all =
        (IntUnaryOperator) Class.forName("All").getDeclaredConstructor().newInstance();
    left = Integer.parseInt(argv[1]);
    for (int i = Integer.parseInt(argv[0]); i > 0; i--) start(() -> work(all));
    while (left > 0) Thread.sleep(10);
    start(Busy::watch);
    System.out.println("ready " + ProcessHandle.current().pid());
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    while (in.readLine() != null) {
      System.out.println(longest);
      longest = 0;
    }
  }
}
