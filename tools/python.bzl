"""Python tests without rules_python, which Bazel would have to fetch."""

def python_test(name, src, data = [], **kwargs):
    """Runs a file of unittest cases with the system's python3; every case is counted by name.

    Args:
      name: name of the test.
      src: the file.
      data: what it imports or reads. Modules beside it can be imported by their plain name.
      **kwargs: what every test takes (size, tags and so on).
    """
    native.sh_test(
        name = name,
        srcs = ["//tools:python_test.py"],
        args = ["$(rootpath %s)" % src],
        data = [src] + data,
        **kwargs
    )
