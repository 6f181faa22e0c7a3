#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Packaged Java libraries produce unchanged results, and their natives count by
callers."""
import pathlib
import re
import shutil

from lib import clewtest
from lib.clewtest import needs, slow
from lib.java import HOMES, JavaCase

JARS = pathlib.Path("/usr/share/java")
LIBRARIES = "/usr/lib/x86_64-linux-gnu"  # library folder of Debian's JDK
MAIN = """
import java.util.*;
public class Main {
  static byte[] bytes(int count) {
    byte[] made = new byte[count];
    Random random = new Random(7);
    for (int i = 0; i < count; i++) made[i] = (byte) (97 + random.nextInt(6));
    return made;
  }
  static void check(byte[] a, byte[] b) {
    if (!Arrays.equals(a, b)) throw new AssertionError();
  }
  %s
  public static void main(String[] arguments) throws Exception {
    System.out.println(work(Integer.parseInt(arguments[0])));
  }
}
"""


class Libraries(JavaCase):
    def check(self, jars, work, wanted, counted=None, rounds=2000):
        """Returns the driver's result, {native <- caller: calls}, and {C
        function: native}."""
        path = [JARS / jar for jar in jars]
        missing = [str(jar) for jar in path if not jar.exists()]
        if missing or not HOMES[17]:
            self.skipTest(f"no {', '.join(missing) or 'JDK 17'} here")
        (self.work / "Main.java").write_text(MAIN % work)
        classes = ":".join(map(str, [self.work, *path]))
        done = self.run_program([HOMES[17] / "bin" / "javac", "-cp", classes,
                                 "--release", "17", "Main.java"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.environment["LD_PRELOAD"] = clewtest.target("counted_libraries.so")
        for version in HOMES:
            if not HOMES[version]:
                continue
            self.version = version
            options = (("--enable-native-access=ALL-UNNAMED",)
                       if version > 17 else ())
            with self.subTest(version=version):
                argv = self.java(
                    *options, "-Djava.library.path="
                    f"{self.work}:{LIBRARIES}/jni:{LIBRARIES}",
                    "-cp", classes, "Main", str(rounds))
                native = self.run_program(argv)
                self.assertEqual(native.returncode, 0, native.stderr)
                recorded = self.record(argv)
                self.assertEqual(recorded.returncode, 0)
                self.assertEqual(recorded.stdout, native.stdout)
                self.check_calls(recorded, wanted, counted or {})

    def check_calls(self, recorded, wanted, counted):
        shown = self.clew_json("report", "--json", "--jni", "--top=0",
                               self.recording_path)
        self.assertEqual(shown["problems"], [])
        calls = {}
        for row in shown["functions"]:
            name = re.sub(r"\([^()]*\)", "", row["name"])
            calls[name] = calls.get(name, 0) + row["calls"]
        self.assertEqual({name: calls.get(name) for name in wanted}, wanted)
        truth = {name: int(many) for many, name in
                 re.findall(r"(?m)^(\d+) (\w+)$", recorded.stdout.decode())}
        self.assertEqual(set(truth), set(counted))
        for function, native in counted.items():
            self.assertEqual(
                sum(many for name, many in calls.items()
                    if name.startswith(native + " <- ")), truth[function])
        stacks = shown["confidence"]["java_stacks"]
        self.assertEqual(stacks["diverged"], 0)

    @needs("javac")
    def test_sqlite_jdbc_works(self):
        self.check(["sqlite-jdbc.jar"], """
  static long work(int rounds) throws Exception {
    long sum = 0;
    try (var db = java.sql.DriverManager.getConnection("jdbc:sqlite::memory:");
         var all = db.createStatement()) {
      all.execute("create table t(a integer primary key, b text)");
      db.setAutoCommit(false);
      try (var put = db.prepareStatement("insert into t values(?, ?)")) {
        for (int i = 0; i < rounds; i++) {
          put.setInt(1, i);
          put.setString(2, "row " + i * 31 % 1000);
          put.executeUpdate();
        }
      }
      try (var found = all.executeQuery("select b, count(*) from t group by b")) {
        while (found.next())
          sum = sum * 31 + found.getString(1).hashCode() + found.getInt(2);
      }
    }
    return sum;
  }""", {"org.sqlite.core.NativeDB.bind_int <- org.sqlite.core.DB.sqlbind": 2000},
                   {"sqlite3_bind_int": "org.sqlite.core.NativeDB.bind_int",
                    "sqlite3_bind_parameter_count":
                    "org.sqlite.core.NativeDB.bind_parameter_count"})

    @needs("javac")
    def test_zstd_works(self):
        package = "com.github.luben.zstd.Zstd"
        compress = f"{package}CompressCtx.compressByteArray"
        decompress = f"{package}DecompressCtx.decompressByteArray"
        self.check(["zstd-jni.jar"], """
  static long work(int rounds) {
    byte[] in = bytes(1 << 14);
    long sum = 0;
    for (int i = 0; i < rounds; i++) {
      in[i]++;
      byte[] made = com.github.luben.zstd.Zstd.compress(in, 1);
      check(in, com.github.luben.zstd.Zstd.decompress(made, in.length));
      sum += made.length;
    }
    return sum;
  }""", {f"{compress}0 <- {compress}": 500, f"{decompress}0 <- {decompress}": 500},
                   {"ZSTD_compress2": f"{compress}0",
                    "ZSTD_decompressDCtx": f"{decompress}0"}, rounds=500)

    @needs("javac")
    def test_snappy_works(self):
        package = "org.xerial.snappy.Snappy"
        self.check(["snappy-java.jar"], """
  static long work(int rounds) throws Exception {
    byte[] in = bytes(1 << 12);
    long sum = 0;
    for (int i = 0; i < rounds; i++) {
      in[i]++;
      byte[] made = org.xerial.snappy.Snappy.compress(in);
      check(in, org.xerial.snappy.Snappy.uncompress(made));
      sum += made.length;
    }
    return sum;
  }""", {f"{package}Native.{native} <- {package}.{caller}": 2000
         for native, caller in (("rawCompress", "rawCompress"),
                                ("rawUncompress", "rawUncompress"),
                                ("uncompressedLength", "uncompressedLength"))})

    @needs("javac")
    def test_lz4_works(self):
        self.check(["lz4-java.jar"], """
  static long work(int rounds) {
    byte[] in = bytes(1 << 12);
    var factory = net.jpountz.lz4.LZ4Factory.nativeInstance();
    long sum = 0;
    for (int i = 0; i < rounds; i++) {
      in[i]++;
      byte[] made = factory.fastCompressor().compress(in);
      check(in, factory.fastDecompressor().decompress(made, in.length));
      sum += made.length;
    }
    return sum;
  }""", {}, {"LZ4_compress_default":
             "net.jpountz.lz4.LZ4JNI.LZ4_compress_limitedOutput",
             "LZ4_decompress_fast":
             "net.jpountz.lz4.LZ4JNI.LZ4_decompress_fast"})

    @needs("javac")
    def test_jna_works(self):
        self.check(["jna.jar"], """
  public interface C extends com.sun.jna.Library { int abs(int number); }
  static long work(int rounds) {
    C c = com.sun.jna.Native.load("c", C.class);
    long sum = 0;
    for (int i = 0; i < rounds; i++) sum += c.abs(-i);
    return sum;
  }""", {"com.sun.jna.Native.invokeInt <- com.sun.jna.Function.invoke": 2000})

    @needs("javac", "openssl")
    @slow
    def test_netty_works(self):
        """One thread runs both ends of a connection encrypted by OpenSSL."""
        library = pathlib.Path(LIBRARIES, "jni", "libnetty-tcnative.so")
        if not library.exists():
            self.skipTest(f"no {library} here")
        # The library derives from its file name the classes whose natives it
        # registers.
        shutil.copy(library, self.work / "libnetty_tcnative.so")
        self.run_program(["openssl", "req", "-x509", "-newkey", "rsa:2048",
                          "-nodes", "-keyout", "key.pem", "-out", "cert.pem",
                          "-subj", "/CN=localhost", "-days", "1"])
        ssl = "io.netty.internal.tcnative.SSL"
        engine = "io.netty.handler.ssl.ReferenceCountedOpenSslEngine"
        jars = ("buffer", "codec", "common", "handler", "resolver", "transport",
                "tcnative")
        self.check([f"netty-{jar}.jar" for jar in jars], """
  static io.netty.channel.embedded.EmbeddedChannel end(
    io.netty.handler.ssl.SslContextBuilder builder) throws Exception {
    return new io.netty.channel.embedded.EmbeddedChannel(
      builder.sslProvider(io.netty.handler.ssl.SslProvider.OPENSSL).build()
      .newHandler(io.netty.buffer.ByteBufAllocator.DEFAULT));
  }
  static boolean pass(io.netty.channel.embedded.EmbeddedChannel from,
                      io.netty.channel.embedded.EmbeddedChannel to) {
    boolean any = false;
    for (io.netty.buffer.ByteBuf some; (some = from.readOutbound()) != null;
         any = true)
      to.writeInbound(some);
    return any;
  }
  static long work(int rounds) throws Exception {
    var server = end(io.netty.handler.ssl.SslContextBuilder.forServer(
      new java.io.File("cert.pem"), new java.io.File("key.pem")));
    var client = end(io.netty.handler.ssl.SslContextBuilder.forClient()
      .trustManager(new java.io.File("cert.pem")));
    byte[] in = bytes(3000);
    long sum = 0;
    for (int i = 0; i < rounds; i++) {
      in[i]++;
      client.writeOutbound(io.netty.buffer.Unpooled.copiedBuffer(in));
      while (pass(client, server) | pass(server, client)) { }
      io.netty.buffer.ByteBuf got = server.readInbound();
      byte[] bytes = new byte[got.readableBytes()];
      got.readBytes(bytes).release();
      check(in, bytes);
      sum += bytes.length;
    }
    return sum;
  }""", {f"{ssl}.writeToSSL <- {engine}.writePlaintextData": 500},
                   {"SSL_write": f"{ssl}.writeToSSL",
                    "SSL_read": f"{ssl}.readFromSSL"}, rounds=500)

    @needs("javac")
    def test_http_server_works_under_load(self):
        self.check([], """
  static byte[] page = bytes(20000);
  static java.util.concurrent.atomic.AtomicInteger whole =
    new java.util.concurrent.atomic.AtomicInteger();
  static void get(int port, int times) {
    try {
      for (int i = 0; i < times; i++)
        try (var in = new java.net.URL("http://127.0.0.1:" + port + "/")
             .openStream()) {
          if (Arrays.equals(in.readAllBytes(), page)) whole.incrementAndGet();
        }
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }
  @SuppressWarnings("deprecation")
  static long work(int rounds) throws Exception {
    System.setProperty("sun.net.httpserver.nodelay", "true");
    var server = com.sun.net.httpserver.HttpServer.create(
      new java.net.InetSocketAddress("127.0.0.1", 0), 100);
    var pool = java.util.concurrent.Executors.newFixedThreadPool(4);
    server.createContext("/", call -> {
      call.sendResponseHeaders(200, page.length);
      try (var out = call.getResponseBody()) { out.write(page); }
    });
    server.setExecutor(pool);
    server.start();
    Thread[] clients = new Thread[8];
    for (int i = 0; i < clients.length; i++)
      (clients[i] = new Thread(() -> get(server.getAddress().getPort(),
                                         rounds / 8))).start();
    for (Thread client : clients) client.join();
    server.stop(0);
    pool.shutdown();
    if (whole.get() != rounds) throw new AssertionError(whole + " answers");
    return whole.get();
  }""", {}, rounds=2000)


if __name__ == "__main__":
    clewtest.main()
