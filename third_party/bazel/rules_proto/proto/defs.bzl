"""Stands in for rules_proto: Bazel's own tools load it, this project has no protocol buffers."""

proto_lang_toolchain = native.proto_lang_toolchain
proto_library = native.proto_library
