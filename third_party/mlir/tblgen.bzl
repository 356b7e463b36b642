"""Runs mlir-tblgen."""

def ordo_tablegen(name, td, outs, deps = [], **kwargs):
    """Generates files from a TableGen source.

    `name` stands for all generated files: put it among a cc_library's hdrs and include the files by their
    path from the workspace's root.

    Args:
      name: name of the rule.
      td: the .td file.
      outs: pairs of mlir-tblgen's flags and the file they write, as in
        [("-gen-op-decls", "Ordo.h.inc"), ("-gen-op-defs", "Ordo.cpp.inc")].
      deps: other .td files that `td` includes, by their path from the workspace's root.
      **kwargs: what every rule takes (visibility and so on).
    """
    commands = [
        "$(execpath @llvm//:mlir_tblgen) {flags} -I external/llvm/include -I . $(execpath {td}) -o $(execpath {out})".format(
            flags = flags,
            td = td,
            out = out,
        )
        for flags, out in outs
    ]
    native.genrule(
        name = name,
        srcs = [td, "@llvm//:mlir_td"] + deps,
        outs = [out for _, out in outs],
        cmd = " && ".join(commands),
        tools = ["@llvm//:mlir_tblgen"],
        message = "Generating from " + td + " for",
        **kwargs
    )
