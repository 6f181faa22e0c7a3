# SPDX-License-Identifier: MIT
"""Databases, embedded and with servers, and version control systems."""
import load as soak
from program import program

SQL = """
create table t(id integer primary key, name text, v real);
with recursive n(i) as (select 1 union all select i+1 from n where i<8000)
insert into t select i, 'name' || (i * 7919 % 1000), i / 7.0 from n;
create index byname on t(name);
select count(*), round(sum(v), 3), min(name), max(name) from t;
select name, count(*) c, min(id) from t group by name
  order by c desc, name limit 3;
select a.id, b.id from t a join t b on a.name = b.name and a.id < b.id
  order by 1, 2 limit 5;
update t set v = v * 2 where id % 3 = 0;
delete from t where name like '%99';
select count(*), round(sum(v), 3) from t;
"""


@program("sqlite3", "tables, joins, indices, a virtual table", "sqlite3",
         ci=True)
def sqlite3(load):
    load.run("sqlite3", "test.db", stdin=SQL + """
create virtual table f using fts5(body);
insert into f select name from t;
select count(*) from f where f match 'name1*';
select json_group_array(name) from (select name from t limit 3);
pragma integrity_check;
select * from nosuch;
""", status=1)


@program("postgres", "initdb, then SQL in a single-user backend",
         "postgresql-15", "/usr/lib/postgresql/15/bin/postgres")
def postgres(load):
    path = "/usr/lib/postgresql/15/bin/"
    load.run(path + "initdb", "-D", "data", "--no-sync", "-A", "trust",
             "--no-instructions", "--locale=C.UTF-8", "-U", "postgres",
             user="postgres")
    load.run(path + "postgres", "--single", "-D", "data", "-F", "postgres",
             user="postgres", stdin="""\
create table t(id int primary key, name text, v numeric)
insert into t select i, 'name'||(i*7919%1000), i/7.0 from generate_series(1,5000) i
create index byname on t(name)
select count(*), sum(v), min(name) from t
select name, count(*) from t group by name order by 2 desc, 1 limit 3
select count(*) from t a join t b using (name) where a.id < b.id
do $$ begin raise exception 'deep'; exception when others then raise notice 'caught'; end $$
select regexp_replace('a1b2', '[0-9]', '<\\&>', 'g'), md5('x'), 2::numeric^200
select nosuch
vacuum full t
""", masks=[
    # Each line of the server's log begins with a time, a zone and a pid.
    (r"\d{4}-\d\d-\d\d [\d:.]+ \w+ \[\d+\]", "NOW"),
    # The log has the durations of checkpoints.
    (r"[\d.]+ s\b", "TIME")])
    load.ignore("data", "data/*")  # The files contain random keys and times.


@program("mariadb", "a server with a session of SQL",
         "mariadb-server mariadb-client", "mariadbd mariadb mariadb-install-db")
def mariadb(load):
    socket = load.home / "socket"
    load.ignore("*")  # The files contain times and random ids.
    load.client("mariadb-install-db", "--no-defaults",
                f"--datadir={load.home}/data", "--skip-test-db",
                "--auth-root-authentication-method=normal", user="mysql",
                keep=False)
    with load.server("mariadbd", "--no-defaults", "--skip-networking",
                     f"--datadir={load.home}/data", f"--socket={socket}",
                     f"--pid-file={load.home}/pid", "--skip-log-bin",
                     "--innodb-buffer-pool-size=16M", user="mysql",
                     ready=lambda: soak.answers(socket),
                     # The log is full of times and pids.
                     masks=[(r"(?s).*", "")]):
        load.client("mariadb", "--no-defaults", "-uroot", "-f",
                    f"--socket={socket}", "-t", stdin="""
create database d; use d;
create table t(id int primary key auto_increment, name varchar(20), v double,
  key(name)) engine=innodb;
insert into t(name, v) select concat('name', seq*7919 % 1000), seq/7
  from seq_1_to_3000;
select count(*), round(sum(v),3), min(name), max(name) from t;
select name, count(*) c from t group by name order by c desc, name limit 3;
select count(*) from t a join t b using(name) where a.id < b.id;
start transaction; delete from t where id % 2; rollback;
select count(*) from t; select sha2('x', 256), json_extract('{"a":1}', '$.a');
create function f(n int) returns int deterministic return n * 2;
select f(21); explain select * from t where name = 'name7'; select nosuch;
""")


REDIS = """\
SET a 1
INCR a
LPUSH l 1 2 3 4 5
LRANGE l 0 -1
ZADD z 1 one 2 two 3 three
ZRANGEBYSCORE z 1 2 WITHSCORES
HSET h f1 v1 f2 v2
HGETALL h
EVAL "local s = 0 for i = 1, 1000 do s = s + i end return s" 0
SORT l DESC
PFADD p a b c d
PFCOUNT p
XADD x 1-1 field value
XRANGE x - +
NOSUCHCOMMAND
BGSAVE
DBSIZE
"""


@program("redis", "commands, a script, a forked save, a benchmark",
         "redis-server redis-tools", "redis-server redis-cli", ci=True)
def redis(load):
    socket = load.home / "socket"
    load.ignore("dump.rdb")  # The file contains times.
    with load.server("redis-server", "--port", "0", "--unixsocket", socket,
                     "--save", "", "--io-threads", "2", "--appendonly", "no",
                     ready=lambda: soak.answers(socket),
                     # Each line of the log has a time and a pid.
                     masks=[(r"(?s).*", "")]):
        load.client("redis-cli", "-s", socket, stdin=REDIS)
        load.client("redis-benchmark", "-s", socket, "-q", "-n", "2000",
                    "-t", "set,get,lpush,lrange_100", keep=False)
        load.client("redis-cli", "-s", socket, "get", "key:__rand_int__")


@program("memcached", "sets, gets, increments over four threads",
         "memcached", least_calls=2_000)
def memcached(load):
    socket = load.home / "socket"
    talk = r"""
import socket, sys
for n in range(40):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(sys.argv[1])
        s.sendall(b"set k%d 0 0 5\r\nvalue\r\nget k%d\r\nset n 0 0 1\r\n1\r\n"
                  b"incr n %d\r\nget none\r\nquit\r\n" % (n, n, n))
        while data := s.recv(9999): sys.stdout.buffer.write(data)
"""
    with load.server("memcached", "-s", socket, "-t", "4", "-u", "root",
                     ready=lambda: soak.answers(socket)):
        load.client("python3", "-c", talk, socket)
    load.ignore("socket")


@program("git", "init, commits, branches, merge, log, fsck, repack", "git",
         ci=True)
def git(load):
    load.file(".gitconfig", "[user]\nname = A\nemail = a@b\n[init]\n"
              "defaultBranch = main\n[gc]\nauto = 0\n")
    dates = {"GIT_AUTHOR_DATE": "1000000000 +0000",
             "GIT_COMMITTER_DATE": "1000000000 +0000"}
    load.run("git", "init", "repository")
    for number in range(3):
        load.file(f"repository/file{number}", f"line {number}\n" * 50)
        load.run("git", "-C", "repository", "add", ".")
        load.run("git", "-C", "repository", "commit", "-qm", f"{number}",
                 env=dates)
    for command in ("checkout -qb other HEAD~1", "log --stat -p",
                    "merge main", "diff --word-diff HEAD~2",
                    "grep -n line.2", "blame file2", "repack -adq",
                    "fsck --strict", "rev-list --objects --all"):
        load.run("git", "-C", "repository", *command.split(), env=dates)
    load.run("git", "-C", "repository", "checkout", "nosuch", status=1)
    # The index contains the stat data of files; the pack's name is the same in
    # both runs.
    load.ignore("repository/.git/index")
