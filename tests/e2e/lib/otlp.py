# SPDX-License-Identifier: MIT
"""Decodes OTLP profiles by the protocol's schema, and checks its rules."""
import collections
import functools
import importlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from lib import clewtest

SCHEMA = clewtest.ROOT / "tests" / "data" / "otlp"
OFFICIAL = os.environ.get("CLEW_OTLP_PROTO")
try:
    import google.protobuf  # pylint: disable=unused-import
    HAS_PROTOBUF = True
except ImportError:
    HAS_PROTOBUF = False


@functools.cache
def messages():
    """Compiles the schema with protoc and returns the module with its requests and
    answers."""
    folder = OFFICIAL or SCHEMA
    with tempfile.TemporaryDirectory() as out:
        subprocess.run(
            ["protoc", f"-I{folder}", f"--python_out={out}",
             *(str(path) for path in pathlib.Path(folder).rglob("*.proto")
               if not OFFICIAL or "profiles" in path.parts or
               {"common", "resource"} & set(path.parts))], check=True)
        sys.path.insert(0, out)
        return importlib.import_module(
            "opentelemetry.proto.collector.profiles.v1development."
            "profiles_service_pb2" if OFFICIAL else "profiles_pb2")


class Request:
    """A request, with the contents of its tables."""

    def __init__(self, data):
        self.request = messages().ExportProfilesServiceRequest.FromString(data)
        self.tables = self.request.dictionary
        self.strings = self.tables.string_table
        resource, = self.request.resource_profiles
        scope, = resource.scope_profiles
        self.scope = scope.scope.name
        self.profiles = list(scope.profiles)
        self.resource = {pair.key: pair.value.string_value
                         for pair in resource.resource.attributes}

    def problems(self):
        """Returns the rules of the protocol that the request breaks."""
        found = []
        for field in self.tables.DESCRIPTOR.fields:
            table = getattr(self.tables, field.name)
            keys = [entry if isinstance(entry, str)
                    else entry.SerializeToString() for entry in table]
            if field.name == "link_table":
                keys[0] = keys[0].replace(b"\x0a\x10" + bytes(16), b"") \
                                 .replace(b"\x12\x08" + bytes(8), b"")
            if not keys or keys[0]:
                found.append(f"{field.name}[0] is not empty")
            if len(keys) != len(set(keys)):
                found.append(f"{field.name} has an entry twice")
            used = self._used(field.name)
            if used - set(range(len(keys))):
                found.append(f"{field.name} is too short")
            if set(range(1, len(keys))) - used:
                found.append(f"{field.name} has entries that nothing uses")
        for profile in self.profiles:
            for sample in profile.samples:
                if len(sample.values) != 1:
                    found.append("a sample has several values")
            keys = [(s.stack_index, *s.attribute_indices)
                    for s in profile.samples]
            if len(keys) != len(set(keys)):
                found.append("two samples have the same stack")
        if self._unknown(self.request):
            found.append("the schema does not have all fields")
        return found

    def _used(self, table):
        """Returns the indices by which the message refers to a table."""
        word = {"string_table": "strindex", "link_table": "link_index"}.get(
            table, table.partition("_")[0] + "_ind")
        found = set()

        def visit(message):
            for field, value in message.ListFields():
                if word in field.name:
                    found.update(value if field.label == field.LABEL_REPEATED
                                 else [value])
                elif field.type == field.TYPE_MESSAGE:
                    for one in value if field.label == field.LABEL_REPEATED \
                            else [value]:
                        visit(one)
        visit(self.request)
        return found

    def _unknown(self, message):
        return len(message.UnknownFields()) > 0 or any(
            self._unknown(one)
            for field, value in message.ListFields()
            if field.type == field.TYPE_MESSAGE
            for one in (value if field.label == field.LABEL_REPEATED
                        else [value]))

    def types(self):
        return [f"{self.strings[p.sample_type.type_strindex]}/"
                f"{self.strings[p.sample_type.unit_strindex]}"
                for p in self.profiles]

    def attribute(self, index):
        pair = self.tables.attribute_table[index]
        return (self.strings[pair.key_strindex], pair.value.string_value)

    def name(self, place):
        """Returns the name of the innermost function of a location."""
        line = self.tables.location_table[place].lines[0]
        function = self.tables.function_table[line.function_index]
        return self.strings[function.name_strindex]

    def stacks(self, kind):
        """Returns {path: sum} of the profile with this type of value; attributes
        of samples are in front."""
        profile = self.profiles[self.types().index(kind)]
        sums = collections.Counter()
        for sample in profile.samples:
            stack = self.tables.stack_table[sample.stack_index]
            top = tuple(self.attribute(i)[1] for i in sample.attribute_indices)
            sums[top + tuple(self.name(place) for place in
                             reversed(stack.location_indices))] \
                += sample.values[0]
        return +sums

    def total(self, kind):
        return sum(self.stacks(kind).values())


needs_otlp = unittest.skipIf(
    not HAS_PROTOBUF or not shutil.which("protoc"),
    "no protoc or python3-protobuf here")
