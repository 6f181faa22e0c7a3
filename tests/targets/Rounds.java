// SPDX-License-Identifier: MIT
// Runs a third-party program once for each line of standard input, in one JVM, and prints an
// empty line and a line "done" after each. Libraries are called by reflection, so they are not
// needed to compile this class.
//
//	java -cp LIBRARIES:DIR com.acme.Rounds database SCRIPT
//	... interpreter FILE	in Python, by Jython
//	... json BENCHMARK_ROUNDS	by Jackson
//	... compiler FOLDER SOURCE...
//	... main CLASS ARGUMENT...	whose main() returns
package com.acme;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.tools.ToolProvider;

public class Rounds {
  static void main(String name, String... argv) throws Exception {
    Class.forName(name).getMethod("main", String[].class).invoke(null, (Object) argv);
  }

  static void interpreter(String file) throws Exception {
    final Class<?> type = Class.forName("org.python.util.PythonInterpreter");
    final Object it = type.getConstructor().newInstance();
    type.getMethod("setOut", java.io.OutputStream.class).invoke(it, System.out);
    type.getMethod("execfile", String.class).invoke(it, file);
    type.getMethod("close").invoke(it);
  }

  /**
   * Returns a document with this number of members, each of which has a list
   * and an object.
   */
  static String document(int members) {
    final StringBuilder text = new StringBuilder("{");
    for (int i = 0; i < members; i++)
      text.append(i > 0 ? "," : "").append("\"member").append(i).append("\":{\"numbers\":[")
          .append(i).append(',').append(i * 1.5).append(",null,true],\"text\":\"\\u00e4")
          .append(Integer.toHexString(i * 7919)).append("\",\"inner\":{\"a\":[[],{}]}}");
    return text.append('}').toString();
  }

  static void json(int rounds) throws Exception {
    final Class<?> type = Class.forName("com.fasterxml.jackson.databind.ObjectMapper");
    final Method read = type.getMethod("readTree", String.class);
    final Method write = type.getMethod("writeValueAsString", Object.class);
    final Method bind = type.getMethod("readValue", String.class, Class.class);
    final Object it = type.getConstructor().newInstance();
    long hash = 0;
    for (int i = 0; i < rounds; i++) {
      final Object tree = read.invoke(it, document(100 + i % 7));
      final String text = (String) write.invoke(it, tree);
      final Object map = bind.invoke(it, text, java.util.TreeMap.class);
      hash = 31 * hash + text.hashCode() + map.hashCode();
    }
    System.out.println(hash);
  }

  static void compiler(String folder, List<String> sources) {
    final List<String> argv = new ArrayList<>(List.of("-nowarn", "-proc:none", "-d", folder));
    argv.addAll(sources);
    System.out.println(ToolProvider.getSystemJavaCompiler().run(
        null, System.out, System.out, argv.toArray(new String[0])));
  }

  static void round(String... argv) throws Exception {
    final String[] rest = Arrays.copyOfRange(argv, 1, argv.length);
    switch (argv[0]) {
      case "database":
        main("org.h2.tools.RunScript", "-url", "jdbc:h2:mem:", "-script", argv[1],
            "-showResults");
        break;
      case "interpreter":
        interpreter(argv[1]);
        break;
      case "json":
        json(Integer.parseInt(argv[1]));
        break;
      case "compiler":
        compiler(argv[1], Arrays.asList(rest).subList(1, rest.length));
        break;
      default:
        main(argv[1], Arrays.copyOfRange(argv, 2, argv.length));
    }
  }

  public static void main(String[] argv) throws Exception {
    final BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    while (input.readLine() != null) {
      round(argv);
      System.out.println();
      System.out.println("done");
    }
  }
}
