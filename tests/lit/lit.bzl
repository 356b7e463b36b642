"""lit cases as Bazel tests."""

_TOOLS = [
    "//compiler/driver:ordo",
    "//compiler/driver:ordo-opt",
]

def lit_test(name, srcs, data = [], tools = _TOOLS, **kwargs):
    """Runs lit over this package's cases.

    A case runs in a temporary folder of its own with FileCheck and not on its PATH. The tool
    //a/b:some-tool is %some_tool, %root is the workspace (as far as `data` brings it along), %S the folder
    of the case.

    Args:
      name: name of the test.
      srcs: the cases, and the files they read. A case holds a RUN line; other files do not.
      data: what the cases read besides, such as contracts; found under %root.
      tools: binaries the cases run.
      **kwargs: what every test takes (size, tags and so on).
    """
    native.sh_test(
        name = name,
        srcs = ["//tests/lit:run_lit.sh"],
        args = [native.package_name()] + ["$(rootpath %s)" % tool for tool in tools],
        data = srcs + data + tools + [
            "//tests/lit:config",
            "@llvm//:filecheck",
            "@llvm//:lit",
            "@llvm//:not",
        ],
        **kwargs
    )
