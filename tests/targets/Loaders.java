// SPDX-License-Identifier: MIT
package com.acme;

import java.io.IOException;
import java.io.InputStream;
import java.util.Set;

/**
 * Loads a class by a loader that asks others, and by one that has a list of
 * what it returns.
 */
public class Loaders {
	static int asked;
	public static int worked;

	static class Own extends ClassLoader {
		private final String own;
		/* null: all classes that other loaders have */
		private final Set<String> list;

		Own(String own, Set<String> list) {
			super(Loaders.class.getClassLoader());
			this.own = own;
			this.list = list;
		}

		private Class<?> define() throws ClassNotFoundException {
			String file = own.substring(own.lastIndexOf('.') + 1) + ".class";

			try (InputStream in = Loaders.class.getResourceAsStream(file)) {
				byte[] bytes = in.readAllBytes();

				return defineClass(own, bytes, 0, bytes.length);
			} catch (IOException e) {
				throw new ClassNotFoundException(own, e);
			}
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			asked++;
			if (name.equals(own)) {
				Class<?> known = findLoadedClass(name);

				return known != null ? known : define();
			}
			if (list != null && !list.contains(name))
				throw new ClassNotFoundException(name);
			return super.loadClass(name, resolve);
		}
	}

	public static class Guest implements Runnable {
		private int work(int i) {
			int sum = 0;

			for (int k = 0; k < i; k++)
				sum += k;
			return sum;
		}

		@Override
		public void run() {
			for (int i = 0; i < 100; i++)
				work(i);
		}
	}

	public static class Stranger extends Guest {
		@Override
		public void run() {
			super.run();
			worked++;
		}
	}

	/** Loads the class by name; the default loader is not asked for it. */
	static void run(String name, Set<String> list) throws Exception {
		for (int i = 0; i < 3; i++)
			((Runnable) new Own(name, list).loadClass(name).getDeclaredConstructor().newInstance()).run();
	}

	public static void main(String[] argv) throws Exception {
		String own = Loaders.class.getName();

		run(own + "$Guest", null);
		run(own + "$Stranger", Set.of(own, own + "$Guest"));
		System.out.println("worked " + worked);
		System.out.println("asked " + asked);
	}
}
