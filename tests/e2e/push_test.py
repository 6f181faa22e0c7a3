#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew push` sends a recording to OTLP, Pyroscope and Parca, and reports each
failure."""
import base64
import gzip
import json
import time
import unittest

from lib import clewtest, exports, otlp, stores
from lib.clewtest import needs
from lib.otlp import needs_otlp

OTLP_PATH = "/v1development/profiles"
KINDS = (("calls/count", "calls"), ("samples/count", "samples"),
         ("cpu/nanoseconds", "ns"))


@unittest.skipIf(b"without libcurl" in clewtest.CLEW.read_bytes(),
                 "clew was built without libcurl")
class Push(exports.Export):
    def setUp(self):
        super().setUp()
        self.environment.pop("CLEW_PUSH_HEADERS", None)
        self.made = self.synthetic()

    def serve(self, *answers, **options):
        server = stores.Server(*answers, **options)
        self.addCleanup(server.close)
        return server

    def push(self, server, *options, recording=None):
        return self.clew("push", *options, recording or self.made.path,
                         getattr(server, "url", server))

    def assert_pushed(self, done):
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def assert_failed(self, done, *words):
        """The push failed with one line that has the words."""
        self.assert_one_line_error(done, *words)


@needs_otlp
class Otlp(Push):
    def test_an_otlp_export_has_the_stacks_and_numbers(self):
        request = otlp.Request(self.export("otlp", self.made.path))
        self.assertEqual(request.problems(), [])
        self.assertEqual(request.types(), [kind for kind, _ in KINDS])
        for kind, measure in KINDS:
            self.assertEqual(request.stacks(kind), self.made.stacks(measure))
        self.assertEqual((request.scope, request.resource),
                         ("clew", {"service.name": "synthetic"}))

    def test_threads_are_attributes_of_otlp_samples(self):
        request = otlp.Request(self.export("otlp", self.made.path, "--group",
                                           "thread"))
        self.assertEqual(request.problems(), [])
        self.assertEqual(request.stacks("calls/count"),
                         self.made.stacks("calls", exports.THREAD_NAMES))

    def test_the_service_is_the_program_that_a_script_executes(self):
        script = self.work / "script"
        script.write_text("#!/bin/sh\nexec true\n")
        script.chmod(0o755)
        self.record([script])
        request = otlp.Request(self.export("otlp", self.recording_path))
        self.assertEqual(request.resource, {"service.name": "true"})

    def test_otlp_times_are_those_of_the_recording(self):
        self.record([clewtest.target("recursion")])
        before = time.time_ns()
        for profile in otlp.Request(
                self.export("otlp", self.recording_path)).profiles:
            self.assertLess(profile.time_unix_nano, before)
            self.assertGreater(profile.time_unix_nano, before - 600e9)
            self.assertGreater(profile.duration_nano, 0)

    def test_a_collector_receives_the_calls_of_the_report(self):
        self.record([clewtest.target("recursion")])
        server = self.serve()
        self.assert_pushed(self.push(server, "--label", "host.name=a",
                                     recording=self.recording_path))
        sent, = server.requests
        self.assertEqual(sent.path, OTLP_PATH)
        self.assertEqual(sent.headers["Content-Type"],
                         "application/x-protobuf")
        request = otlp.Request(sent.body)
        self.assertEqual(request.problems(), [])
        self.assertEqual(request.resource, {"service.name": "recursion",
                                            "host.name": "a"})
        report = self.clew_json("report", "--json", "--top=0",
                                self.recording_path)
        own = {}
        for path, calls in request.stacks("calls/count").items():
            own[path[-1]] = own.get(path[-1], 0) + calls
        self.assertEqual(own, {row["name"]: row["calls"]
                               for row in report["functions"]
                               if row["calls"]})

    def limited(self, *options):
        """Returns (what a collector receives, standard error)."""
        server = self.serve()
        done = self.push(server, *options)
        self.assertEqual(done.returncode, 0)
        request = otlp.Request(server.requests[0].body)
        self.assertEqual(request.problems(), [])
        return request, done.stderr

    def test_max_samples_merges_the_smallest_contexts(self):
        calls = self.made.stacks("calls")
        for limit in 1, 100, 1000:
            request, said = self.limited(f"--max-samples={limit}")
            self.assertIn("were sent as (small contexts)", said)
            samples = {(s.stack_index, *s.attribute_indices)
                       for p in request.profiles for s in p.samples}
            self.assertLessEqual(len(samples), limit)
            for kind, measure in KINDS:
                self.assertEqual(request.total(kind), self.made.total(measure))
            kept = {path: number
                    for path, number in request.stacks("calls/count").items()
                    if path[-1] != "(small contexts)"}
            self.assertEqual(kept, {path: calls[path] for path in kept})
            self.assertGreater(len(samples), limit // 4)
        # A limit that is not reached changes nothing.
        for limit in 0, 1000000:
            request, said = self.limited(f"--max-samples={limit}")
            self.assertEqual((request.stacks("calls/count"), said),
                             (calls, ""))

    def test_max_samples_retains_the_largest_contexts(self):
        self.record([clewtest.target("recursion")], ["--time=none"])
        self.made.path = self.recording_path
        everything, _ = self.limited("--max-samples=0")
        request, _ = self.limited("--max-samples=10")
        stacks = everything.stacks("calls/count")
        size = {path: sum(calls for other, calls in stacks.items()
                          if other[:len(path)] == path) for path in stacks}
        kept = set(request.stacks("calls/count"))
        kept = {path for path in kept if path[-1] != "(small contexts)"}
        self.assertTrue(kept)
        self.assertGreaterEqual(min(size[path] for path in kept), max(
            size[path] for path in stacks if path not in kept))

    def test_rejected_profiles_are_an_error(self):
        answer = otlp.messages().ExportProfilesServiceResponse()
        answer.partial_success.rejected_profiles = 2
        answer.partial_success.error_message = "too \x1bold"
        server = self.serve(stores.status(200, answer.SerializeToString()))
        self.assert_failed(self.push(server), "rejected 2 profiles",
                           "too ?old")
        answer.partial_success.rejected_profiles = 0
        server = self.serve(stores.status(200, answer.SerializeToString()))
        self.assert_pushed(self.push(server))


class PprofStores(exports.PprofExport, Push):
    def sent(self, store, *options):
        """Returns the body that the store receives."""
        server = self.serve(stores.status(200, b"{}"))
        self.assert_pushed(self.push(server, f"--to={store}", *options))
        request, = server.requests
        self.assertEqual(request.headers["Content-Type"], "application/json")
        return request.path, json.loads(request.body)

    def assert_profile(self, text):
        path = self.work / "sent.pb.gz"
        path.write_bytes(base64.b64decode(text, validate=True))
        raw = self.raw(path)
        for kind, measure in KINDS:
            self.assertEqual(self.stacks(raw, kind), self.made.stacks(measure))

    def test_pyroscope_receives_the_profile_with_its_labels(self):
        path, body = self.sent("pyroscope", "--label=host=a",
                               "--service=shop")
        self.assertEqual(path, "/push.v1.PusherService/Push")
        series, = body["series"]
        self.assertEqual(series["labels"], [
            {"name": "__name__", "value": "process_cpu"},
            {"name": "service_name", "value": "shop"},
            {"name": "host", "value": "a"}])
        sample, = series["samples"]
        self.assertRegex(sample["ID"], r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}"
                                       r"-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
        self.assert_profile(sample["rawProfile"])

    def test_parca_receives_the_profile_with_its_labels(self):
        path, body = self.sent("parca", "--label=host=a")
        self.assertEqual(path, "/api/profiles/writeraw")
        self.assertTrue(body["normalized"])
        series, = body["series"]
        self.assertEqual(series["labels"], {"labels": [
            {"name": "__name__", "value": "process_cpu"},
            {"name": "service_name", "value": "synthetic"},
            {"name": "host", "value": "a"}]})
        sample, = series["samples"]
        self.assert_profile(sample["rawProfile"])

    def test_arguments_of_the_program_are_not_sent(self):
        self.record([clewtest.target("recursion"), "s3cret"])
        self.made.path = self.recording_path
        self.assertIn(b"s3cret", gzip.decompress(self.export_file(
            "pprof", self.recording_path).read_bytes()))
        _, body = self.sent("parca", "--group=process")
        raw = gzip.decompress(base64.b64decode(
            body["series"][0]["samples"][0]["rawProfile"]))
        self.assertNotIn(b"s3cret", raw)
        self.assertIn(b"recursion", raw)

    def test_base64_is_valid_for_each_length(self):
        lengths = set()
        for label in "a", "ab", "abc", "abcd", "abcde", "abcdef":
            self.made = exports.Synthetic(self.work / label, 3, 0,
                                          module="/lib/" + label)
            _, body = self.sent("parca")
            raw = base64.b64decode(
                body["series"][0]["samples"][0]["rawProfile"], validate=True)
            lengths.add(len(raw) % 3)
            self.assertEqual(raw[:2], b"\x1f\x8b")
        self.assertGreater(len(lengths), 1)


class Addresses(Push):
    def test_the_path_of_the_api_is_added_once(self):
        server = self.serve()
        for path, wanted in (("", OTLP_PATH), ("/", OTLP_PATH),
                             ("/otlp/", "/otlp" + OTLP_PATH),
                             (OTLP_PATH, OTLP_PATH)):
            self.assert_pushed(self.push(server.url + path))
            self.assertEqual(server.requests[-1].path, wanted)

    def test_wrong_addresses_are_refused_before_anything_is_sent(self):
        for address, word in (("ftp://127.0.0.1", "ftp://"),
                              ("http://a:b@127.0.0.1", "--headers"),
                              ("http://127.0.0.1/?a=b", "?"),
                              ("http://", "https://HOST")):
            self.assert_failed(self.push(address), word)
        done = self.clew("push", self.made.path)
        self.assertEqual(done.returncode, 64)
        self.assertIn("the address of the store is missing", done.stderr)

    def test_a_selection_without_functions_sends_nothing(self):
        server = self.serve()
        done = self.push(server, "-f", "no such function")
        self.assertEqual((done.returncode, len(server.requests)), (1, 0))


class Headers(Push):
    def test_headers_of_all_sources_are_sent(self):
        server = self.serve()
        path = self.work / "headers"
        path.write_text("# for the store\n\nAuthorization: Bearer abc\r\n")
        self.environment["CLEW_PUSH_HEADERS"] = "X-Scope-OrgID: a\nX-B: c: d"
        self.assert_pushed(self.push(server, "--headers", path,
                                     "--header=X-C: e"))
        sent = server.requests[0].headers
        self.assertEqual(
            [sent[name] for name in ("Authorization", "X-Scope-OrgID", "X-B",
                                     "X-C")],
            ["Bearer abc", "a", "c: d", "e"])

    def test_headers_of_a_pipe_are_sent(self):
        server = self.serve()
        self.assert_pushed(self.clew(
            "push", "--headers=/dev/stdin", self.made.path, server.url,
            input="Authorization: Bearer abc"))
        self.assertEqual(server.requests[0].headers.get("Authorization"),
                         "Bearer abc")

    def test_headers_with_secrets_are_refused_as_arguments(self):
        server = self.serve()
        for header in ("Authorization: Basic abc", "cookie: abc",
                       "X-Auth-Token: abc"):
            done = self.push(server, "--header", header)
            self.assertEqual(done.returncode, 64)
            self.assertIn("--headers=FILE", done.stderr)
            self.assertNotIn("abc", done.stderr)
        self.assertEqual(server.requests, [])

    def test_secrets_are_not_sent_unencrypted_to_other_hosts(self):
        self.environment["CLEW_PUSH_HEADERS"] = "Authorization: abc"
        # The command refuses before it looks up or connects to a host.
        for host in "192.0.2.1", "127.0.0.1.invalid", "0.0.0.0":
            self.assert_failed(self.push(f"http://{host}"), "--insecure")
        # Connections to 0.0.0.0 reach this host, but clew cannot know that.
        server = self.serve()
        self.assert_pushed(self.push(
            server.url.replace("127.0.0.1", "0.0.0.0"), "--insecure"))
        self.assertEqual(server.requests[0].headers["Authorization"], "abc")

    def test_secrets_for_this_host_reach_no_proxy(self):
        server, proxy = self.serve(), self.serve()
        self.environment["http_proxy"] = proxy.url
        self.environment["CLEW_PUSH_HEADERS"] = "Authorization: abc"
        self.assert_pushed(self.push(server))
        self.assertEqual((len(server.requests), proxy.requests), (1, []))
        # Another host is reached through the proxy.
        self.assert_pushed(self.push("http://store.invalid", "--insecure"))
        self.assertEqual((len(server.requests), len(proxy.requests)), (1, 1))

    def test_malformed_header_lines_are_reported_without_their_text(self):
        server = self.serve()
        path = self.work / "headers"
        for text in ("X-A: b\nsecret\n", "X-A: b\nX-B:\n", "X-A: b\nX-B: \x01",
                     "X-A: b\nContent-Type: secret"):
            path.write_text(text)
            done = self.push(server, "--headers", path)
            self.assert_failed(done, "line 2")
            self.assertNotIn("secret", done.stderr)
        path.write_bytes(b"X-A: b\0c")
        self.assert_failed(self.push(server, "--headers", path), "not a text")
        path.write_text("X-A: b\n" * 100000)
        self.assert_failed(self.push(server, "--headers", path), "larger")
        self.assertEqual(server.requests, [])


class Failures(Push):
    def test_a_refusal_by_the_server_is_final_and_quoted(self):
        for number in 400, 401, 413, 500:
            server = self.serve(stores.status(number, b"because\n\x1b[31m it"))
            self.assert_failed(self.push(server), f"HTTP status {number}:",
                               "because ?[31m it")
            self.assertEqual(len(server.requests), 1)

    def test_a_refusal_with_a_long_answer_is_cut(self):
        body = b"no room\n" + 30000 * (100 * b"x" + b"\n")
        for number in 500, 400:
            server = self.serve(stores.status(number, body))
            done = self.push(server)
            self.assert_failed(done, f"HTTP status {number}: no room")
            self.assertLess(len(done.stderr), 400)
        self.assert_failed(self.push(self.serve(stores.status(200, body))),
                           "the answer is longer than 1024 KB")

    def test_an_overloaded_server_gets_the_profile_later(self):
        for number in 429, 502, 503, 504:
            server = self.serve(stores.status(number), stores.status(200))
            self.assert_pushed(self.push(server))
            self.assertEqual(len(server.requests), 2)
            self.assertEqual(*(one.body for one in server.requests))

    def test_retry_after_is_obeyed(self):
        server = self.serve(stores.status(429, Retry_After="1"),
                            stores.status(200))
        begin = time.monotonic()
        self.assert_pushed(self.push(server))
        self.assertGreaterEqual(time.monotonic() - begin, 1)

    def test_a_retry_after_beyond_the_timeout_is_not_awaited(self):
        server = self.serve(stores.status(503, Retry_After="100"))
        self.assert_failed(self.push(server), "HTTP status 503",
                           "asks to wait 100 s")
        self.assertEqual(len(server.requests), 1)

    def test_tries_of_a_push_are_bounded(self):
        server = self.serve(stores.status(503))
        self.assert_failed(self.push(server), "HTTP status 503 after 5 tries")
        self.assertEqual(len(server.requests), 5)

    def test_a_push_is_tried_again_after_a_closed_connection(self):
        server = self.serve(stores.close, stores.close, stores.status(200))
        self.assert_pushed(self.push(server))
        self.assertEqual(len(server.requests), 3)

    def test_a_push_to_a_silent_server_times_out(self):
        server = self.serve(stores.wait)
        begin = time.monotonic()
        self.assert_failed(self.push(server, "--timeout=300ms"), "timed out")
        self.assertLess(time.monotonic() - begin, 30)

    def test_a_push_without_a_server_fails(self):
        self.assert_failed(self.push(stores.unreachable_url(self),
                                     "--timeout=1"),
                           "Failed to connect")

    def test_an_endless_answer_of_a_server_is_cut_off(self):
        server = self.serve(stores.endless)
        self.assert_failed(self.push(server), OTLP_PATH)

    def test_redirects_are_reported_and_not_followed(self):
        other = self.serve()
        for number in 301, 302, 307, 308:
            server = self.serve(stores.status(
                number, Location=other.url + "/elsewhere"))
            self.environment["CLEW_PUSH_HEADERS"] = "Authorization: abc"
            self.assert_failed(self.push(server), f"HTTP status {number}",
                               other.url + "/elsewhere")
        self.assertEqual(other.requests, [])

    def test_nothing_is_sent_without_calls(self):
        server = self.serve()
        done = self.push(server, f"--since={self.made.path}")
        self.assertEqual(done.returncode, 0)
        self.assertIn("nothing was pushed", done.stderr)
        self.assertEqual(server.requests, [])

    def imported(self):
        self.recording_path = self.work / "imported.out"
        done = self.clew("import", "-o", self.recording_path, "-",
                         input="a;b 4\na 1\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.recording_path

    def test_an_unrelated_recording_is_no_earlier_snapshot(self):
        server, other = self.serve(), self.imported()
        self.assert_failed(
            self.push(server, f"--since={other}"),
            f"{other} is no earlier snapshot of {self.made.path}: they have no "
            "process in common")
        self.assertEqual(server.requests, [])

    def test_a_push_of_an_import_counts_samples(self):
        done = self.push(self.serve(), recording=self.imported())
        self.assert_pushed(done)
        self.assertRegex(done.stdout, r"\Apushed 5 samples in [\d,]+ bytes to ")


@needs("openssl")
class Certificates(Push):
    def setUp(self):
        super().setUp()
        self.certificate = self.work / "certificate.pem"
        done = self.run_program(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
             "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName="
             "IP:127.0.0.1", "-keyout", self.work / "key.pem", "-out",
             self.certificate], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.certificate.write_text((self.work / "key.pem").read_text() +
                                    self.certificate.read_text())

    def test_a_known_authority_is_trusted(self):
        server = self.serve(certificate=self.certificate)
        self.environment["CLEW_PUSH_HEADERS"] = "Authorization: abc"
        self.assert_pushed(self.push(server, "--ca", self.certificate))
        self.assertEqual(server.requests[0].headers["Authorization"], "abc")
        # An address without a scheme means https.
        self.assert_pushed(self.push(server.url.partition("://")[2], "--ca",
                                     self.certificate))

    def test_a_push_is_tried_again_after_a_broken_tls_connection(self):
        server = self.serve(stores.close, stores.status(200),
                            certificate=self.certificate)
        self.assert_pushed(self.push(server, "--ca", self.certificate))
        self.assertEqual(len(server.requests), 2)

    def test_an_unknown_certificate_is_refused(self):
        server = self.serve(certificate=self.certificate)
        self.assert_failed(self.push(server), "certificate")
        self.assertEqual(server.requests, [])

    def test_a_certificate_of_another_host_is_refused(self):
        server = self.serve(certificate=self.certificate)
        self.assert_failed(
            self.push(server.url.replace("127.0.0.1", "localhost"), "--ca",
                      self.certificate), "localhost")
        self.assertEqual(server.requests, [])


if __name__ == "__main__":
    clewtest.main()
