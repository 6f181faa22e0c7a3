// SPDX-License-Identifier: MIT
// Methods that count their calls and are timed by the Flight Recorder. Some calls end by an
// exception of the method or of a callee. Prints "CALLS METHOD".
//
//	java -XX:StartFlightRecording:method-timing=Timed Timed ROUNDS
public class Timed {
  static long throwers, callers, recursions;

  static int thrower(int i) {
    throwers++;
    if (i % 3 == 0) throw new IllegalStateException();
    return i * 31 + 7;
  }

  static int caller(int i) {
    callers++;
    return thrower(i) + 1;
  }

  static int recursion(int n) {
    recursions++;
    return n == 0 ? 1 : recursion(n - 1) + 1;
  }

  public static void main(String[] arguments) {
    int rounds = Integer.parseInt(arguments[0]), sum = 0;
    for (int i = 0; i < rounds; i++) {
      try {
        sum += i % 2 == 0 ? thrower(i) : caller(i);
      } catch (IllegalStateException e) {
        sum++;
      }
      if (i % 1000 == 0) sum += recursion(100);
    }
    System.out.println(throwers + " thrower\n" + callers + " caller\n" +
                       recursions + " recursion");
  }
}
