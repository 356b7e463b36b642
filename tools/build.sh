# Sourced by ordo: how this project calls Bazel. Expects $root, the workspace.

state=$root/.ordo # ignored by git: links to the build's outputs, logs, the stamp

# A compiler process with MLIR's headers takes 1 to 1.5 GB: as many jobs as cores, unless memory is short.
job_count() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable/ { print int($2 / 1048576 / 1.5) }' /proc/meminfo)
  ((memory >= 1)) || memory=1
  echo $((cores < memory ? cores : memory))
}

# run_bazel COMMAND ARGUMENT...: on a terminal progress is shown; in a pipe only a failure speaks.
run_bazel() {
  local command=$1 log=$state/bazel.log status=0
  shift
  mkdir -p "$state"
  local flags=(--jobs="$(job_count)" --symlink_prefix=.ordo/ --show_result=0 --ui_event_filters=-info,-debug)
  if [[ -t 2 ]]; then
    (cd "$root" && bazel "$command" "${flags[@]}" "$@") </dev/null >/dev/null || status=$?
  else
    (cd "$root" && bazel "$command" "${flags[@]}" --noshow_progress --color=no "$@") </dev/null >"$log" 2>&1 || status=$?
    # Bazel answers 3 where all was built and a test failed; whoever ran the tests reports those.
    ((status == 0 || status == 3)) || cat "$log" >&2
  fi
  return $status
}

# What the CLI is made from. Folders are compared too, so a deleted file is noticed.
is_current() {
  local binary=$1 stamp=$state/stamp sources=() path
  [[ -x $binary && -e $stamp ]] || return 1
  for path in dsl compiler contracts runtime third_party tools/packages.txt WORKSPACE BUILD.bazel .bazelrc; do
    [[ -e $root/$path ]] && sources+=("$root/$path")
  done
  [[ -z $(find "${sources[@]}" -name __pycache__ -prune -o -newer "$stamp" -print -quit) ]]
}

# build_cli: sets $cli to a CLI that is up to date.
build_cli() {
  cli=$state/bin/compiler/driver/ordo
  is_current "$cli" && return
  "$root/tools/setup.sh" || return 1
  mkdir -p "$state"
  # Stamped with the time before the build: an edit made meanwhile is built next time.
  touch "$state/stamp.next"
  [[ -x $cli || ! -t 2 ]] || echo "ordo: building the compiler, once; this takes some minutes" >&2
  if ! run_bazel build //compiler/driver:ordo; then
    echo "ordo: the build failed" >&2
    return 1
  fi
  mv "$state/stamp.next" "$state/stamp"
}
