// SPDX-License-Identifier: MIT
package com.acme;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * Two classes with the same name, which are rewritten while they run. When the
 * loader of the second one is asked for clew's class, both call a class that is
 * loaded only then, and the loader answers afterwards. The methods of the
 * second class are not yet rewritten at that time.
 *
 *	java com.acme.Twins CALLS
 *
 * Prints "ready", and for each line of input "called" after CALLS more calls of
 * each.
 */
public class Twins {
	static final AtomicInteger asked = new AtomicInteger();
	static final CountDownLatch isAsked = new CountDownLatch(1), hasCalled = new CountDownLatch(1);
	static int calls;

	static class Own extends ClassLoader {
		static {
			// loaders must not block each other
			registerAsParallelCapable();
		}

		private final String own;

		Own(String own) {
			super(Twins.class.getClassLoader());
			this.own = own;
		}

		private Class<?> define() throws ClassNotFoundException {
			try (InputStream in = Twins.class.getResourceAsStream(
					own.substring(own.lastIndexOf('.') + 1) + ".class")) {
				byte[] bytes = in.readAllBytes();

				return defineClass(own, bytes, 0, bytes.length);
			} catch (IOException e) {
				throw new ClassNotFoundException(own, e);
			}
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (name.equals(own)) {
				Class<?> known = findLoadedClass(name);

				return known != null ? known : define();
			}
			if (name.startsWith("java.lang.Clew") && asked.incrementAndGet() == 2) {
				isAsked.countDown();
				try {
					hasCalled.await();
				} catch (InterruptedException e) {
					throw new ClassNotFoundException(name, e);
				}
			}
			return super.loadClass(name, resolve);
		}
	}

	public interface Caller {
		int call(IntSupplier callee);
	}

	public static class Twin implements Caller {
		@Override
		public int call(IntSupplier callee) {
			return callee.getAsInt() + 1;
		}
	}

	public static class Callee implements IntSupplier {
		private int calls;

		@Override
		public int getAsInt() {
			return ++calls;
		}
	}

	static Object make(String name) throws Exception {
		return new Own(Twins.class.getName() + "$" + name).loadClass(
				Twins.class.getName() + "$" + name).getDeclaredConstructor().newInstance();
	}

	static void call(Caller[] twins, IntSupplier callee) {
		for (int i = 0; i < calls; i++)
			for (Caller twin : twins)
				twin.call(callee);
	}

	public static void main(String[] argv) throws Exception {
		Caller[] twins = { (Caller) make("Twin"), (Caller) make("Twin") };
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		IntSupplier callee;

		calls = Integer.parseInt(argv[0]);
		System.out.println("ready");
		isAsked.await();
		callee = (IntSupplier) make("Callee");
		call(twins, callee);
		hasCalled.countDown();
		while (in.readLine() != null) {
			call(twins, callee);
			System.out.println("called");
		}
	}
}
