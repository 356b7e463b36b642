#!/usr/bin/env bash
echo "coverage is not available with this Bazel: its coverage tools are fetched from the network" >&2
exit 1
