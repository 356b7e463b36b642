"""The repositories of the workspace. All of them lie on this machine: no build fetches anything."""

_SHIMS = [
    "rules_cc",
    "rules_java",
    "rules_proto",
    "remote_coverage_tools",
]

def ordo_repositories():
    """Declares LLVM and, where Bazel is Debian's 4.2.3, what that Bazel would fetch."""
    native.new_local_repository(
        name = "llvm",
        path = "/usr/lib/llvm-19",
        build_file = "//third_party:llvm.BUILD",
    )

    # Debian's Bazel reports no version at all. A newer Bazel brings its own rules (untested).
    version = native.bazel_version
    if version and not version.startswith("4."):
        return

    for shim in _SHIMS:
        native.local_repository(name = shim, path = "third_party/bazel/" + shim)
    native.local_repository(name = "platforms", path = "/usr/share/bazel/tools/platforms")
    native.local_repository(name = "bazel_skylib", path = "/usr/share/bazel/tools/skylib")
