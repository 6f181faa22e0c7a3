// SPDX-License-Identifier: MIT
package com.acme;

import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * Links classes, which verifies them, without initialising them:
 *
 *	java com.acme.Verifies EVERY JAR...
 *
 * The program takes every EVERYth class of the JDK and of the jars. Prints
 * "refused CLASS ERROR" for each that the verifier rejects, and "linked COUNT"
 * and "missing COUNT", the number of classes whose dependencies are missing.
 */
public class Verifies {
	static int linked, missing;

	static void link(String name, ClassLoader loader) {
		try {
			Class<?> found = Class.forName(name, false, loader);

			found.getDeclaredConstructors();
			found.getDeclaredMethods();
			linked++;
		} catch (VerifyError | ClassFormatError e) {
			System.out.println("refused " + name + " " +
					e.toString().lines().limit(5).toList());
		} catch (ClassNotFoundException | LinkageError e) {
			missing++;
		}
	}

	static String nameOf(String file) {
		return file.substring(0, file.length() - ".class".length())
				.replace('/', '.');
	}

	static boolean isClass(String file) {
		return file.endsWith(".class") && !file.startsWith("META-INF") &&
				!file.endsWith("-info.class");
	}

	static List<String> own() throws Exception {
		Path modules = FileSystems.getFileSystem(URI.create("jrt:/"))
				.getPath("/modules");

		try (Stream<Path> files = Files.walk(modules)) {
			return files.filter(file -> isClass(file.toString()))
					.map(file -> nameOf(file.subpath(2, file.getNameCount())
							.toString()))
					.sorted().toList();
		}
	}

	static List<String> of(String jar) throws Exception {
		try (JarFile file = new JarFile(jar)) {
			return file.stream().map(entry -> entry.getName())
					.filter(Verifies::isClass).map(Verifies::nameOf)
					.sorted().toList();
		}
	}

	public static void main(String[] argv) throws Exception {
		int every = Integer.parseInt(argv[0]), at = 0;
		List<URL> jars = new ArrayList<>();
		ClassLoader loader = ClassLoader.getSystemClassLoader();

		for (String name : own())
			if (at++ % every == 0)
				link(name, loader);
		for (int i = 1; i < argv.length; i++)
			jars.add(Path.of(argv[i]).toUri().toURL());
		loader = new URLClassLoader(jars.toArray(new URL[0]));
		for (int i = 1; i < argv.length; i++)
			for (String name : of(argv[i]))
				if (at++ % every == 0)
					link(name, loader);
		System.out.println("linked " + linked);
		System.out.println("missing " + missing);
	}
}
