// SPDX-License-Identifier: MIT
package com.acme;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Methods of many kinds, each of which counts its own calls (Counts.own). The
 * name in own("lambda$") stands for all lambdas.
 */
class Counted {
	static final int THREADS = 8;
	static int started = own("<clinit>");

	static int own(String name) {
		return Counts.own("Counted." + name);
	}

	// ---- Results and arguments ----

	static int fib(int n) {
		own("fib");
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	static long longs(long a, double b, int... more) {
		own("longs");
		return a + (long) b + more.length;
	}

	static double doubles(double a) {
		own("doubles");
		if (a > 10)
			return a;
		return a * 2;
	}

	static float floats(float a) {
		own("floats");
		return a / 2;
	}

	static String texts(int kind) {
		own("texts");
		switch (kind) {
		case 0:
			return "zero";
		case 1:
			return "one";
		case 2:
			return "two";
		case 1000:
			return "thousand";
		default:
			break;
		}
		switch ("k" + kind) {
		case "k3":
			return "three";
		case "k4":
			return "four";
		default:
			return "many";
		}
	}

	/** The loop begins at the method's first instruction. */
	static int loops(int n) {
		do
			n -= own("loops");
		while (n > 0);
		return n;
	}

	// ---- Exceptions ----

	static class Thrown extends RuntimeException {
		Thrown(String text) {
			super(text);
			own("Thrown.<init>");
		}
	}

	static void deep(int depth) {
		own("deep");
		if (depth == 0)
			throw new Thrown("deep");
		deep(depth - 1);
	}

	static int cleans(int depth) {
		own("cleans");
		try {
			deep(depth);
			return 1;
		} catch (IllegalStateException e) {
			return 2;
		} finally {
			texts(depth);
		}
	}

	@SuppressWarnings("finally")
	static int returnsAnyway() {
		own("returnsAnyway");
		try {
			deep(3);
		} finally {
			return 7;
		}
	}

	static int catches(int depth) {
		own("catches");
		for (int i = 0;; i++) {
			try {
				return cleans(depth);
			} catch (Thrown e) {
				if (i == 3)
					throw new IllegalStateException(e);
			}
		}
	}

	static synchronized void locks(int n) {
		own("locks");
		synchronized (Counts.class) {
			if (n > 0)
				locks(n - 1);
			else
				throw new Thrown("locked");
		}
	}

	// ---- Constructors ----

	static class Base {
		final int value;

		Base(int value) {
			this.value = value;
			own("Base.<init>");
			if (value < 0)
				throw new Thrown("base");
		}

		int get() {
			own("Base.get");
			return value;
		}
	}

	static int checked(int value) {
		own("checked");
		if (value == 99)
			throw new Thrown("checked");
		return value;
	}

	static class Derived extends Base {
		final Base other = new Base(1);

		Derived(int value) {
			super(own("Derived.<init>") + checked(value) > 5
					? new Base(value).value
					: value);
			if (value == 50)
				throw new Thrown("derived");
		}

		Derived() {
			this(3 * own("Derived.<init>"));
		}

		@Override
		int get() {
			own("Derived.get");
			return super.get() + other.get();
		}
	}

	/** If super() throws, no method can report this. */
	static class Doomed extends Base {
		Doomed(int value) {
			super(value + 0 * own("Doomed.<init>"));
		}
	}

	static class Doubly extends Doomed {
		Doubly(int value) {
			super(value + 0 * own("Doubly.<init>"));
		}
	}

	static class Fails {
		static final int VALUE = checked(own("Fails.<clinit>") + 98);
	}

	static int constructs(int value) {
		own("constructs");
		try {
			return new Derived(value).get() + new Derived().get();
		} catch (Thrown e) {
			return fib(3);
		}
	}

	static void dooms(int value) {
		own("dooms");
		new Doubly(value);
	}

	// ---- Interfaces, generics, enums, records ----

	interface Shape<T> {
		T area(T scale);

		default T twice(T scale) {
			own("Shape.twice");
			return area(scale);
		}

		static Shape<Integer> of(int side) {
			own("Shape.of");
			return new Square(side);
		}
	}

	record Square(int side) implements Shape<Integer> {
		/**
		 * There are two methods of this name, one of which takes an
		 * object.
		 */
		public Integer area(Integer scale) {
			return measured(scale);
		}

		private int measured(int scale) {
			own("Square.measured");
			return side * side * scale;
		}
	}

	enum Color {
		RED, GREEN {
			@Override
			int code() {
				own("Color.1.code");
				return 2;
			}
		};

		int code() {
			own("Color.code");
			return 1;
		}
	}

	// ---- Kinds of calls ----

	static int called(int n) {
		own("called");
		return n + 1;
	}

	static void calls() throws Throwable {
		own("calls");
		IntUnaryOperator plus = n -> n + own("lambda$");
		IntStream.range(0, 1000).map(plus).map(Counted::called).parallel()
				.filter(n -> own("lambda$") + n % 2 == 1).sum();
		for (int i = 0; i < 100; i++)
			Counted.class.getDeclaredMethod("called", int.class).invoke(null, i);
		MethodHandle handle = MethodHandles.lookup().findStatic(
				Counted.class, "called",
				MethodType.methodType(int.class, int.class));
		for (int i = 0; i < 100; i++)
			handle.invoke(i);
		Runnable inner = new Runnable() {
			public void run() {
				own("1.run");
			}
		};
		inner.run();
	}

	static void everything() {
		own("everything");
		fib(15);
		longs(1, 2, 3, 4);
		doubles(doubles(9));
		floats(3);
		for (int i = 0; i < 6; i++)
			texts(i * i * i * 8);
		loops(1);
		for (int depth = 0; depth < 40; depth += 13) {
			try {
				catches(depth);
			} catch (IllegalStateException e) {
				returnsAnyway();
			}
		}
		try {
			locks(5);
		} catch (Thrown e) {
			texts(1);
		}
		for (int value : new int[] { 1, 50, 99, 7, -1 })
			constructs(value);
		try {
			dooms(-5);
		} catch (Thrown e) {
			texts(2);
		}
		Shape.of(3).twice(2);
		for (Color color : Color.values())
			color.code();
	}

	static void run() throws Throwable {
		own("run");
		List<Thread> threads = new ArrayList<>();

		for (int i = 0; i < THREADS; i++)
			threads.add(new Thread(() -> {
				own("lambda$");
				for (int round = 0; round < 5; round++)
					everything();
			}));
		for (Thread thread : threads)
			thread.start();
		for (Thread thread : threads)
			thread.join();
		for (int i = 0; i < 2; i++)
			try {
				System.out.println(Fails.VALUE);
			} catch (ExceptionInInitializerError | NoClassDefFoundError e) {
				called(0);
			}
		calls();
	}
}
