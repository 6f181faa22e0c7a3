// SPDX-License-Identifier: MIT
// The class that Redefines.java changes. The other version contains the code in the
// marked comments, so that calls have other bytecode indices.
package com.acme;

public class Changed {
  static int kept = 1;

  static native int own(int who);

  static int first(int i) {
    /*+ if (kept == 0) Callers.hit(16); +*/
    return Callers.hit(0) + i;
  }
  static int second(int i) {
    int sum = Callers.hit(1);
    /*+ sum = sum * kept + kept; +*/
    return sum + i;
  }
  static int third(int i) { return own(2) /*+ + kept +*/ + i; }
  static int inner(int i) { return Callers.hit(3) /*+ * kept +*/ + i; }
  static int outer(int i) { return inner(i) /*+ - kept +*/; }

  // Is on the stack while it is changed, and continues with its old code.
  static int held(int times, Runnable between) {
    int sum = 0;
    for (int i = 0; i < times; i++) {
      sum += Callers.hit(4) /*+ - kept +*/;
      if (i % 50 == 25) between.run();
      sum += under(i);
    }
    return sum;
  }
  static int under(int i) { return /*+ kept + +*/ Callers.hit(5) + i; }
}
