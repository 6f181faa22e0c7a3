# SPDX-License-Identifier: MIT
"""Measures Java: JNI crossings in ns, and whole programs in CPU time.

The first table is for JNI. The second table is for calls of Java methods, for each
installed JDK: with --java=exact, --java=inplace, --java=standby while no method counts,
and an agent that counts by the JVM's own events. The third table has whole programs,
as ratios to native runs. The last table is for the calls of org.clew.Clew. In all
tables but the third, the program times many short loops itself, and each figure is the
median over all rounds of the fastest loop.
"""
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import zipfile

from measure import BENCH, BUILD, CLEW, ROOT, NATIVE, Tool, medians, run, table


def tool(name, *options):
    return Tool(name, lambda argv, scratch: [
        CLEW, "record", "-o", scratch / "clew.out", *options, "--", *argv])


PLAIN = tool("clew")
CALLS = tool("--time=none", "--time=none")
WITH_JNI = tool("--time=none --jni-env", "--time=none", "--jni-env")
OFF = tool("--java=off", "--java=off")
EXACT = tool("--java=exact", "--time=none", "--java=exact")
IN_PLACE = tool("--java=inplace", "--time=none", "--java=inplace")
STANDBY = tool("--java=standby", "--time=none", "--java=standby")
EVENTS = Tool("MethodEntry, MethodExit", lambda argv, scratch: [
    argv[0], f"-agentpath:{BENCH / 'method_events.so'}", *argv[1:],
    str(EVENT_ROUNDS)])
EVENT_ROUNDS = 5  # Each round takes a thousand times as long.
JAR = BUILD / "agent" / "clew.jar"
H2 = pathlib.Path("/usr/share/java/h2.jar")  # Debian package libh2-java
# Debian package openjdk-17-source
SOURCES = pathlib.Path("/usr/lib/jvm/openjdk-17/src.zip")
JAVAC = "jdk.compiler/com/sun/tools/javac/"
SQL = """
create table t(id int primary key, name varchar(40), v double);
insert into t select x, 'n' || mod(x, 97), x*1.5 from system_range(1, 300000);
create index i on t(name);
select name, count(*), sum(v) from t group by name order by name;
select count(*) from t a join t b on a.id = b.id + 1 where a.name < 'n5';
update t set v = v + 1 where mod(id, 3) = 0;
select sum(v) from t;
delete from t where id > 15000;
"""


def crossing(folder, rounds):
    argv = ["java", "-cp", folder, "Border", BENCH / "border.so"]
    found = {}
    for _ in range(rounds):
        for one in (NATIVE, CALLS, WITH_JNI):
            for line in run(one, argv).output.splitlines():
                what, ns = line.rsplit("=", 1)
                found.setdefault(what, {}).setdefault(one.name, []).append(
                    float(ns))
    rows = []
    for what, by_tool in found.items():
        native, *others = (statistics.median(by_tool[one.name])
                           for one in (NATIVE, CALLS, WITH_JNI))
        rows.append([what, f"{native:.1f}",
                     *(f"{ns - native:+.1f}" for ns in others)])
    return table(["ns", "native", CALLS.name, WITH_JNI.name], rows)


def least_of_lines(one, argv, rounds):
    """Returns {row name: ns} of a program that times itself, as medians over the rounds."""
    found = {}
    for _ in range(rounds):
        for line in run(one, argv).output.splitlines():
            what, ns = line.rsplit("=", 1)
            found.setdefault(what, []).append(float(ns))
    return {what: statistics.median(ns) for what, ns in found.items()}


def methods(folder, rounds):
    rows = []
    for home in sorted(pathlib.Path("/usr/lib/jvm").iterdir()):
        if home.is_symlink() or not (home / "bin" / "java").exists():
            continue
        argv = [home / "bin" / "java", "-cp", folder, "Fib"]
        tools = NATIVE, STANDBY, IN_PLACE, EXACT, EVENTS
        found = [least_of_lines(one, argv, rounds) for one in tools]
        rows += [[f"{what} ({home.name})", *(f"{ns[what]:.2f}" for ns in found)]
                 for what in found[0]]
    return table(["ns a call, its body included",
                  *(one.name for one in tools)], rows)


def javac_of_itself(folder):
    """Returns {name: argv} for javac on its own sources, or {} if these are not installed."""
    if not SOURCES.exists():
        return {}
    with zipfile.ZipFile(SOURCES) as sources:
        names = [name for name in sources.namelist()
                 if name.startswith(JAVAC) and name.endswith(".java")]
        sources.extractall(folder, names)
    (folder / "names").write_text(
        "".join(f"{folder / name}\n" for name in names))
    return {f"javac, {len(names)} files of its own": [
        "javac", "-nowarn", "-XDignore.symbol.file", "--patch-module",
        f"jdk.compiler={folder / 'jdk.compiler'}", "-d", folder / "javac",
        f"@{folder / 'names'}"]}


def programs(folder, rounds):
    sources = sorted(path for path in (ROOT / "tests" / "targets").glob("*.java")
                     # This file needs a later version of Java.
                     if path.name != "Prologues.java")
    jobs = {"java -version": ["java", "-version"],
            f"javac, {len(sources)} files": [
                "javac", "-cp", JAR, "-d", folder / "out", *sources],
            **javac_of_itself(folder)}
    if H2.exists():
        (folder / "load.sql").write_text(SQL)
        jobs["H2"] = ["java", "-cp", H2, "org.h2.tools.RunScript", "-url",
                      "jdbc:h2:mem:", "-script", folder / "load.sql"]
    tools = (NATIVE, PLAIN, CALLS, STANDBY, OFF, IN_PLACE, EXACT)
    found = medians({(name, one): (one, argv, None)
                     for name, argv in jobs.items() for one in tools}, rounds)
    return table(["CPU seconds", *(one.name for one in tools)], [
        [name, f"{found[name, NATIVE].cpu:.2f}",
         *(f"{found[name, one].cpu:.2f} "
           f"({found[name, one].cpu / found[name, NATIVE].cpu:.2f}x)"
           for one in tools[1:])] for name in jobs])


def queries(folder, rounds):
    """Returns the table of org.clew.Clew's calls, with clew and without."""
    argv = ["java", "-cp", f"{folder}:{JAR}", "Queries"]
    found = {}
    for one in NATIVE, CALLS:
        found |= least_of_lines(one, argv, rounds)
    return table(["org.clew.Clew", "ns"],
                 [[what, f"{ns:.2f}"] for what, ns in found.items()])


def bench(rounds):
    if not shutil.which("javac") or not (BENCH / "border.so").exists():
        return "no JDK here"
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
        folder = pathlib.Path(name)
        subprocess.run(["javac", "-d", folder, "-cp", JAR,
                        *(ROOT / "tests" / "bench").glob("*.java")],
                       check=True)
        return "\n\n".join(part(folder, rounds) for part in
                           (crossing, methods, programs, queries))
