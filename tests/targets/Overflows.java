// SPDX-License-Identifier: MIT
package com.acme;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Overflows the stack repeatedly below methods with cleanup code. All cleanup
 * code must run, and stack traces must contain only the program's methods.
 */
public class Overflows {
	static final ReentrantLock LOCK = new ReentrantLock();
	static int depth;
	static int[] entered = new int[5];

	static int locked(int n) {
		entered[0]++;
		synchronized (LOCK) {
			return locked(n + 1) + 1;
		}
	}

	static int finallies(int n) {
		entered[1]++;
		depth++;
		try {
			return finallies(n + 1) + 1;
		} finally {
			depth--;
		}
	}

	static int catches(int n) {
		entered[2]++;
		depth++;
		try {
			return catches(n + 1) + 1;
		} catch (StackOverflowError e) {
			depth--;
			throw e;
		}
	}

	/** Nested calls: only the innermost one catches the error. */
	static int nested(int n) {
		entered[3]++;
		depth++;
		try {
			synchronized (Overflows.class) {
				try {
					return nested(n + 1) + 1;
				} catch (IllegalStateException e) {
					return 0;
				} finally {
					depth += 2;
				}
			}
		} catch (Error e) {
			depth -= 3;
			throw e;
		}
	}

	static synchronized int guarded(int n) {
		entered[4]++;
		return guarded(n + 1) + 1;
	}

	static void run(int what) {
		switch (what) {
		case 0:
			locked(0);
			break;
		case 1:
			finallies(0);
			break;
		case 2:
			catches(0);
			break;
		case 3:
			nested(0);
			break;
		default:
			guarded(0);
		}
	}

	static void overflows(int what) {
		try {
			run(what);
		} catch (StackOverflowError e) {
			for (StackTraceElement element : e.getStackTrace())
				if (element.getClassName().contains("Clew"))
					System.out.println(element);
		}
		System.out.println(what + ": " + depth + " " + Thread.holdsLock(LOCK) +
			Thread.holdsLock(Overflows.class));
		depth = 0;
	}

	public static void main(String[] argv) {
		for (int i = 0; i < 4 * entered.length; i++)
			overflows(i % entered.length);
		for (int calls : entered)
			System.out.println("entered " + calls);
	}
}
