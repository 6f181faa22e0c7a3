// SPDX-License-Identifier: MIT
package com.acme;

/**
 * A constructor with much code before super(), as Java 25 allows: handlers,
 * loops and locks before the object is initialised. Prints results for some
 * arguments.
 */
class Prologues {
	static int cleaned;

	static class Base {
		final int value;

		Base(int value) {
			this.value = value;
			if (value < 0)
				throw new IllegalStateException("negative");
		}
	}

	static class Derived extends Base {
		final int early;

		Derived(String text) {
			int number;
			try {
				number = Integer.parseInt(text);
			} catch (NumberFormatException e) {
				number = 7;
			} finally {
				cleaned++;
			}
			for (int i = 0; i < 3; i++) {
				if (i == 2) {
					number += i;
					continue;
				}
				number++;
			}
			if (number > 100)
				throw new IllegalArgumentException("large");
			early = number;
			Runnable counts = () -> cleaned++;
			counts.run();
			synchronized (Prologues.class) {
				switch (number) {
				case 11 -> number = 12;
				case 12 -> number = 13;
				default -> number++;
				}
			}
			super(number % 2 == 0 ? number : number + 1);
			try {
				if (value == 0)
					throw new IllegalStateException("nothing");
			} finally {
				cleaned++;
			}
		}
	}

	public static void main(String[] argv) {
		for (String text : new String[] { "5", "x", "6", "1000", "-90", "-5" })
			try {
				Derived made = new Derived(text);
				System.out.println(made.early + " " + made.value);
			} catch (IllegalArgumentException | IllegalStateException e) {
				System.out.println(e.getMessage());
			}
		System.out.println(cleaned);
	}
}
