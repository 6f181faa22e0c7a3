# SPDX-License-Identifier: MIT
"""Compressors, archivers, ciphers, sums."""
from inputs import mixture, words
from program import program


def both_ways(load, pack, unpack, *, damaged=1):
    """Packs and unpacks data; the archive's bytes are compared."""
    data = mixture(400_000)
    packed = load.run(*pack, stdin=data)
    load.run(*unpack, stdin=packed)
    load.run(*unpack, stdin=packed[:-20] + b"damaged", status=damaged)


@program("gzip", "packs, unpacks, refuses a damaged file", "gzip", ci=True)
def gzip(load):
    both_ways(load, ["gzip", "-9n"], ["gzip", "-d"])


@program("bzip2", "packs, unpacks, refuses a damaged file", "bzip2",
         least_calls=1_000)
def bzip2(load):
    data = mixture(400_000)
    load.run("bzip2", "-dt", stdin=load.run("bzip2", "-9", stdin=data))
    load.run("bzip2", "-d", stdin=b"damaged", status=2)


@program("xz", "packs with four threads, unpacks", "xz-utils")
def xz(load):
    both_ways(load, ["xz", "-6", "-T4", "--block-size=100000"], ["xz", "-d"])


@program("zstd", "packs with four threads, unpacks, trains", "zstd")
def zstd(load):
    both_ways(load, ["zstd", "-q", "-12", "-T4", "-c"], ["zstd", "-qdc"])
    for number in range(40):
        load.file(f"s{number}", words(100, number))
    load.run("zstd", "-q", "--train", "--maxdict=4000", "-o", "dictionary",
             *[f"s{n}" for n in range(40)])


@program("lz4", "packs, unpacks, refuses a damaged file", "lz4",
         least_calls=100)
def lz4(load):
    both_ways(load, ["lz4", "-9", "-c"], ["lz4", "-dc"],
              damaged=68)


@program("brotli", "packs and unpacks", "brotli", least_calls=1_000)
def brotli(load):
    both_ways(load, ["brotli", "-q", "9", "-c"], ["brotli", "-dc"])


@program("7z", "7z and zip archives, threads", "p7zip-full", "7z")
def seven_zip(load):
    load.file("text", words(20000))
    load.file("mix", mixture(200_000))
    load.run("7z", "a", "-mmt4", "-bd", "a.7z", "text", "mix",
             masks=[(r"(?m)^.*(CPU|Threads|bits).*$", "")])
    load.run("7z", "a", "-tzip", "-bd", "a.zip", "text", "mix",
             masks=[(r"(?m)^.*(CPU|Threads|bits).*$", "")])
    load.run("7z", "x", "-oout", "a.7z",
             masks=[(r"(?m)^.*(CPU|Threads|bits).*$", "")])


@program("tar", "packs through a child, lists, unpacks", "tar gzip",
         "tar gzip", least_calls=5_000)
def tar(load):
    for number in range(30):
        load.file(f"tree/{number % 3}/file{number}", words(50, number))
    load.run("tar", "-czf", "tree.tgz", "--sort=name", "--owner=0",
             "--group=0", "--mtime=@0", "tree", env={"GZIP": "-n"})
    load.run("tar", "-tvf", "tree.tgz")
    load.run("tar", "-xf", "tree.tgz", "--transform", "s/tree/out/")
    load.run("tar", "-xf", "nosuch.tar", status=2)


@program("cpio", "packs and unpacks a tree", "cpio")
def cpio(load):
    for number in range(30):
        load.file(f"tree/file{number}", words(50, number))
    names = "".join(f"tree/file{n}\n" for n in range(30))
    packed = load.run("cpio", "-o", "-H", "newc", "--reproducible",
                      "--renumber-inodes", stdin=names)
    load.run("cpio", "-itv", stdin=packed)


@program("openssl", "digests, ciphers, keys, signatures, certificates",
         "openssl")
def openssl(load):
    load.file("data", mixture(200_000))
    load.file("seed.pem", KEY)
    for name in "sha256", "sha3-512", "blake2b512", "md5":
        load.run("openssl", "dgst", "-" + name, "data")
    for name in "aes-256-cbc", "aes-128-ctr", "chacha20", "camellia-192-cbc":
        load.run("openssl", "enc", "-" + name, "-K", "0" * 32, "-iv",
                 "1" * 16, "-in", "data", "-out", name)
        load.run("openssl", "enc", "-d", "-" + name, "-K", "0" * 32, "-iv",
                 "1" * 16, "-in", name, "-out", name + ".plain")
    load.run("openssl", "dgst", "-sha256", "-sign", "seed.pem", "-out",
             "signature", "data")
    load.run("openssl", "pkey", "-in", "seed.pem", "-pubout", "-out",
             "public.pem")
    load.run("openssl", "dgst", "-sha256", "-verify", "public.pem",
             "-signature", "signature", "data")
    load.run("openssl", "prime", "-hex", "FFFFFFFFFFFFFFC5")
    load.run("openssl", "pkey", "-in", "data", status=1,
             # The number of an error begins with the thread's address.
             masks=[(r"(?m)^[0-9A-F]{16}:", "THREAD:")])
    # The new key is random, so the test only checks that it exists.
    load.run("openssl", "genpkey", "-algorithm", "RSA", "-out", "new.pem",
             masks=[(r"[.+*\n]+", "")])
    load.ignore("new.pem")


@program("gpg", "packets, digests, a passphrase, an armour", "gpg gpg-agent",
         "gpg gpg-agent")
def gpg(load):
    load.file("data", words(3000))
    load.file(".gnupg/gpg.conf", "batch\nno-tty\n", 0o600)
    (load.home / ".gnupg").chmod(0o700)
    load.run("gpg", "--print-mds", "data")
    load.run("gpg", "--enarmor", "-o", "armour", "data",
             masks=[(str(load.home), "HOME")])
    load.run("gpg", "--symmetric", "--passphrase", "x", "--pinentry-mode",
             "loopback", "-o", "data.gpg", "data")
    load.run("gpg", "--decrypt", "--passphrase", "x", "--pinentry-mode",
             "loopback", "data.gpg", masks=[
                 # gpg prints lines about its random session.
                 (r"(?m)^gpg: .*$", "")])
    load.ignore("data.gpg", ".gnupg", ".gnupg/*", "S.*")
    load.client("gpgconf", "--kill", "all", keep=False)


@program("ssh-keygen", "makes keys, signs and verifies", "openssh-client")
def ssh_keygen(load):
    load.file("data", words(100))
    random = [(r"SHA256:\S+", "HASH"), (r"(?s)\+-.*-\+\n", "ART"),
              (r"(ED25519|RSA|ECDSA) key .*", "KEY")]
    for kind in "ed25519", "ecdsa", "rsa":
        load.run("ssh-keygen", "-q", "-t", kind, "-N", "", "-C", "c", "-f",
                 kind, masks=random)
        load.run("ssh-keygen", "-lvf", kind, masks=random)
        load.run("ssh-keygen", "-Y", "sign", "-f", kind, "-n", "n", "data",
                 masks=random)
        load.run("ssh-keygen", "-Y", "check-novalidate", "-n", "n", "-s",
                 "data.sig", stdin=words(100), masks=random)
        (load.home / "data.sig").unlink()
    load.ignore("ed25519*", "ecdsa*", "rsa*")


@program("rsync", "copies a tree, then its changes, by delta", "rsync")
def rsync(load):
    for number in range(30):
        load.file(f"tree/{number % 3}/file{number}", mixture(20_000, number))
    load.run("rsync", "-a", "--no-whole-file", "tree/", "copy/")
    load.file("tree/0/file3", mixture(20_000, 3)[:-500] + b"changed")
    load.run("rsync", "-aci", "--no-whole-file", "--delete", "tree/", "copy/")
    load.run("rsync", "-a", "nosuch/", "copy/", status=23)


# A small RSA key that was generated for this test and protects nothing.
KEY = """\
-----BEGIN PRIVATE KEY-----
MIICdQIBADANBgkqhkiG9w0BAQEFAASCAl8wggJbAgEAAoGBAOLB9cc/xnnu2FKI
/RBaioEwgRVTzhCRlPTj/BKLwLGAv0OhL8zf6E7ruFAyDZ+0SMSEUR5n5e9Wcs8J
hgyFM0HctRk/zs6mhLoZiw0hJ+t9UO67c1xmuSCtCeb10zpZ0s8rrljyrgxOsMI7
1dffRNWaOMCDGmhZ4EWceim2JJWLAgMBAAECgYAIELQIOTl6/sbM8Lhni4DfpXUB
6DAtILB2oWFG25en+JdU9Xe4xsIBhJrSp2UaqBPqgXZNKY7hG2cL/B+7dEVlYiZy
hQmhOLyd9uddBa4UM6ZA4/Ehb3ID53YMOB12r1LHiOHw4E2EQIjF26owMyofIpWC
ygKwqLD3L+KHJOlhWQJBAPzlbjgPzwNP1tYFfG0+pqnuC3ZE1Wj5fND4sVLmwDH0
rGpAw1WXGDJJM0nl00W4yhcajjcxxj3mJQq0DAd/FvcCQQDlimfDv6EJ6OwaMR5f
AY2PIrDzB/AHlVHEyjA8tlsZUeftTjODkTyW2wzdgVSDU8g46m2ncwxEbv5SG3Iy
0S0NAkAWkf9hP3/xQrngxgKR2WqUdetN9dy6DrImEFv7Ex8KFlUg8oC8bcy6CDBs
ovdVHKXko/kXUfjoY1bg+qqsLJqHAkAR5OFD9Etkj2DghdW9SEy1zNmIiKTgonZW
ZgCuqvSdG7J94GvJpOfZRshQ+EUTW9OvBC96L1DUgOaYlgUoCwB9AkAnOGd5eQQx
l5UTEh+9/Q2gW06aByx/GsyZnqEOmMFtRumlKnhOnbvaLpwX9ST5qSYLgiMRZ74z
2kzbiRcLvJiC
-----END PRIVATE KEY-----
"""
