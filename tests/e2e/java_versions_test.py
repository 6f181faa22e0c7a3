#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""JDK 8, 11 and 21 count as JDK 17 and 25 do, with which the other tests run."""
from lib import clewtest
from lib.clewtest import needs
from lib.java import ExactAttached, JavaAttached, JavaCase

MODES = ([], ["--java=exact:com.acme.*"], ["--java=standby"],
         ["--time=exact"], ["--jni-env"])


class Recorded(JavaCase):
    """Natives have their own counts, and contexts agree with the stacks that the
    JVM reports."""

    def check_version(self, version):
        self.version = version
        for mode in MODES:
            with self.subTest(mode):
                self.check_natives(record=["--verify-period=500", *mode])
                report = self.clew_json("report", "--json",
                                        self.recording_path)
                self.assertEqual(report["problems"], [])
                confidence = report["confidence"]
                self.assertEqual(confidence["java_stacks"]["diverged"], 0)
                self.assertGreater(confidence["java_stacks"]["verified"], 0)
                asked = confidence.get("java_stacks_asked")
                self.assertEqual(asked is None, "exact:" in str(mode))
                if asked:
                    self.assertEqual(asked["mismatched"], 0)
        self.check_natives("-Xint", rounds="3000",
                           record=["--java=exact:com.acme.*"])
        report = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual(report["confidence"]["java_stacks"]["diverged"], 0)

    @needs("javac")
    def test_natives_and_methods_count_on_8(self):
        self.check_version(8)

    @needs("javac")
    def test_natives_and_methods_count_on_11(self):
        self.check_version(11)

    @needs("javac")
    def test_natives_and_methods_count_on_21(self):
        self.check_version(21)


class Natives(JavaAttached):
    def check_version(self, version):
        self.version = version
        self.start_java()
        for options in [], ["--time=none"], ["--time=exact"]:
            with self.subTest(options):
                self.is_recorded_exactly(*options)
        self.ends()

    @needs("javac")
    def test_natives_count_by_java_caller_while_attached_on_8(self):
        self.check_version(8)

    @needs("javac")
    def test_natives_count_by_java_caller_while_attached_on_11(self):
        self.check_version(11)

    @needs("javac")
    def test_natives_count_by_java_caller_while_attached_on_21(self):
        self.check_version(21)


class Methods(ExactAttached):
    def check_version(self, version):
        self.version = version
        self.start_java()
        for _ in range(2):
            self.is_counted_exactly()
        self.ends()

    @needs("javac")
    def test_methods_count_while_attached_on_8(self):
        self.check_version(8)

    @needs("javac")
    def test_methods_count_while_attached_on_11(self):
        self.check_version(11)

    @needs("javac")
    def test_methods_count_while_attached_on_21(self):
        self.check_version(21)


if __name__ == "__main__":
    clewtest.main()
