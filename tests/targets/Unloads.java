// SPDX-License-Identifier: MIT
package com.acme;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.ref.WeakReference;
import java.util.function.IntSupplier;

/**
 * Classes that are loaded and unloaded with their loaders, and hidden classes.
 * Prints lines "METHOD CALLS" for methods with a known number of calls.
 *
 *	java com.acme.Unloads ROUNDS
 */
public class Unloads {
	static final int CALLS = 100;

	/** Loaded again and again. */
	public static class Passing implements IntSupplier {
		public int getAsInt() {
			return twice(3) + twice(4);
		}

		static int twice(int value) {
			return visible(value) + visible(value);
		}
	}

	/** Hidden: its methods are not counted, but their callees are. */
	public static class Unnamed implements IntSupplier {
		public int getAsInt() {
			return visible(1) + visible(2);
		}
	}

	static final class Loader extends ClassLoader {
		Class<?> define(String name) throws IOException {
			byte[] bytes = bytesOf(name);

			return defineClass("com.acme.Unloads$" + name, bytes, 0, bytes.length);
		}
	}

	static byte[] bytesOf(String name) throws IOException {
		try (InputStream file = Unloads.class.getResourceAsStream("Unloads$" + name + ".class")) {
			return file.readAllBytes();
		}
	}

	public static int visible(int value) {
		return value * value + (value >> 1);
	}

	static int calls(Class<?> type) throws ReflectiveOperationException {
		IntSupplier supplier = (IntSupplier) type.getDeclaredConstructor().newInstance();
		int sum = 0;

		for (int i = 0; i < CALLS; i++)
			sum += supplier.getAsInt();
		return sum;
	}

	static WeakReference<Class<?>> passes() throws Exception {
		Class<?> passing = new Loader().define("Passing");

		calls(passing);
		return new WeakReference<>(passing);
	}

	static WeakReference<Class<?>> hides() throws Exception {
		Class<?> hidden = MethodHandles.lookup().defineHiddenClass(bytesOf("Unnamed"), true).lookupClass();

		calls(hidden);
		return new WeakReference<>(hidden);
	}

	static void isGone(WeakReference<Class<?>> type) {
		while (type.get() != null)
			System.gc();
	}

	public static void main(String[] argv) throws Exception {
		int rounds = Integer.parseInt(argv[0]);

		for (int i = 0; i < rounds; i++) {
			isGone(passes());
			isGone(hides());
		}
		System.out.println("calls " + 2 * rounds);
		System.out.println("Passing.getAsInt " + rounds * CALLS);
		System.out.println("Passing.twice " + 2 * rounds * CALLS);
		System.out.println("visible " + 6 * rounds * CALLS);
		System.out.println("Unnamed.getAsInt 0");
	}
}
