"""A binary built with sanitizers and libFuzzer's coverage, whatever the rest of the build uses."""

_SANITIZERS = "-fsanitize=address,undefined"
_COMPILE = [
    _SANITIZERS,
    "-fsanitize=fuzzer-no-link",
    "-fno-sanitize=vptr,function",  # as in .bazelrc
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
    "-O1",
    "-gline-tables-only",
]
_LINK = [
    _SANITIZERS,
    "-fsanitize=fuzzer",
    "-fno-sanitize=vptr,function",
]

def _sanitize_impl(settings, attr):
    return {
        "//command_line_option:copt": settings["//command_line_option:copt"] + _COMPILE,
        "//command_line_option:linkopt": settings["//command_line_option:linkopt"] + _LINK,
        "//command_line_option:platform_suffix": "fuzz",
    }

_sanitize = transition(
    implementation = _sanitize_impl,
    inputs = [
        "//command_line_option:copt",
        "//command_line_option:linkopt",
    ],
    outputs = [
        "//command_line_option:copt",
        "//command_line_option:linkopt",
        "//command_line_option:platform_suffix",
    ],
)

def _sanitized_binary_impl(ctx):
    binary = ctx.attr.binary[0][DefaultInfo]
    link = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = link, target_file = binary.files_to_run.executable, is_executable = True)
    return [DefaultInfo(executable = link, runfiles = binary.default_runfiles)]

sanitized_binary = rule(
    doc = "`binary`, and all it is made of, compiled once more: ASan, UBSan, libFuzzer.",
    implementation = _sanitized_binary_impl,
    executable = True,
    attrs = {
        "binary": attr.label(mandatory = True, cfg = _sanitize),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)
