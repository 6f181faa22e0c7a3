// SPDX-License-Identifier: MIT
package com.acme;

/**
 * Methods that report to In.java when they begin, return, throw, catch and
 * construct.
 */
class Calls {
	static class Thrown extends RuntimeException {
		Thrown(String text) {
			super(text, null, false, false);
		}
	}

	static int leaf() {
		In in = In.of("leaf");

		in.out();
		return 1;
	}

	static int fib(int n) {
		In in = In.of("fib");
		int result = n < 2 ? leaf() : fib(n - 1) + fib(n - 2);

		in.out();
		return result;
	}

	/** Has no handler; the method that catches reports instead. */
	static int sinks(int depth) {
		In in = In.of("sinks");

		if (depth == 0)
			throw new Thrown("sinks");
		int result = sinks(depth - 1);

		in.out();
		return result;
	}

	static int deep(int depth) {
		In in = In.of("deep");

		try {
			return depth == 0 ? sinks(5) : deep(depth - 1);
		} finally {
			in.caught();
			leaf();
			in.out();
		}
	}

	/** Continues in its own context after a callee has thrown. */
	static int catches(int depth) {
		In in = In.of("catches");
		int caught = 0;

		for (int i = 0; i < 3; i++)
			try {
				deep(depth);
			} catch (Thrown e) {
				in.caught();
				caught += leaf();
			}
		in.out();
		return caught;
	}

	static class Base {
		Base(int value) {
			In in = In.of("Base.<init>");

			try {
				if (value < 0)
					throw new Thrown("base");
				leaf();
			} finally {
				in.caught();
				in.out();
			}
		}
	}

	/** Code after super() never runs if super() throws. */
	static class Doomed extends Base {
		Doomed(int value, In[] in) {
			super(In.begin("Doomed.<init>", in, value));
			leaf();
			in[0].out();
		}
	}

	static class Doubly extends Doomed {
		Doubly(int value, In[] in) {
			super(In.begin("Doubly.<init>", in, value), new In[1]);
			leaf();
			in[0].out();
		}
	}

	static int constructs() {
		In in = In.of("constructs");
		int made = 0;

		for (int value = -2; value < 3; value++)
			try {
				new Doubly(value, new In[1]);
				made += leaf();
			} catch (Thrown e) {
				in.caught();
				made += leaf();
			}
		in.out();
		return made;
	}

	interface Shape {
		int sides();

		default int twice() {
			In in = In.of("Shape.twice");
			int result = sides() + sides();

			in.out();
			return result;
		}
	}

	static class Square implements Shape {
		public int sides() {
			In in = In.of("Square.sides");

			leaf();
			in.out();
			return 4;
		}
	}
}
