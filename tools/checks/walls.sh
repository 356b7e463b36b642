#!/usr/bin/env bash
# The walls of the design, asked of the build graph: what a folder must not reach, it does not reach.
set -uo pipefail

# walled NAME FROM TO: no target in FROM depends on one in TO.
walled() {
  local found
  if ! found=$(bazel query --noshow_progress --color=no "deps($2) intersect ($3)" 2>/tmp/walls.$$); then
    cat /tmp/walls.$$
    found="the query failed"
  fi
  rm -f /tmp/walls.$$
  if [[ -z $found ]]; then
    echo "case: $1 ok"
  else
    echo "$2 reaches: $found"
    echo "case: $1 FAILED"
  fi
}

llvm='@llvm//:llvm + @llvm//:mlir + @llvm//:lld'
walled dsl_knows_no_mlir '//dsl/...' "$llvm"
walled dsl_knows_no_compiler '//dsl/...' '//compiler/... + //runtime/...'
walled runtime_links_no_llvm '//runtime/...' "$llvm"
walled runtime_knows_no_compiler '//runtime/...' '//compiler/... + //dsl/...'
walled bind_of_orders_knows_no_mlir '//compiler/bind:mapping' "$llvm"
passes='//compiler:compile + //compiler/bind/... + //compiler/dialect/... + //compiler/import/... + //compiler/lower/... + //compiler/target/...'
walled verify_knows_no_passes '//compiler/verify/...' "$passes + @llvm//:mlir + @llvm//:lld + //runtime/..."
walled verify_depends_on_dsl_and_readers_alone '//compiler/verify/...' '(//compiler/... - //compiler/verify/...) + //runtime/... + //tests/... + //contracts/...'
walled passes_know_no_verify "$passes" '//compiler/verify/...'
walled machine_and_ptx_know_no_llvm '//compiler/verify/machine/...' "$llvm"
walled oracles_share_no_lowering '//tests/oracle:bits_test + //tests/oracle:norm_test + //tests/oracle:softmax_test' '//compiler/...'
# A wall that nothing could cross proves nothing: the compiler does reach MLIR.
if [[ -n $(bazel query --noshow_progress "deps(//compiler:compile) intersect @llvm//:mlir" 2>/dev/null) ]]; then
  echo "case: the_query_sees_dependencies ok"
else
  echo "case: the_query_sees_dependencies FAILED"
fi
