#include "compiler/driver/audit_html_uses.h"

#include "compiler/driver/audit_facts.h"
#include "dsl/syntax/parser.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace ordo::compiler::driver {

namespace {

using dsl::NodeKind;

class Closure {
public:
  explicit Closure(std::vector<UsedFile> &files) : files_(files) {}

  void markKernel(const std::string &kernel) {
    const dsl::Ast &root = files_.front().ast;
    for (const dsl::Node &node : root.nodes) // a profile's kernels stand within it
      if (node.kind == NodeKind::Kernel && node.text == kernel)
        mark(0, declarationAt(root, node.span.begin));
  }

  void markPlace(dsl::Span span) {
    if (span.end == 0)
      return;
    for (std::size_t file = 0; file < files_.size(); ++file)
      if (files_[file].ast.file == span.file)
        mark(file, declarationAt(files_[file].ast, span.begin));
  }

  /// Follows names from what was marked until nothing is new.
  void follow() {
    while (!todo_.empty()) {
      const auto [file, declaration] = todo_.back();
      todo_.pop_back();
      const dsl::Ast &ast = files_[file].ast;
      const dsl::Span whole = ast[ast.declarations[declaration]].span;
      for (const dsl::Node &node : ast.nodes)
        if (node.span.begin >= whole.begin && node.span.end <= whole.end && !node.text.empty() &&
            (node.kind == NodeKind::Name || node.kind == NodeKind::Call ||
             node.kind == NodeKind::OrderName))
          markNamed(file, node.text);
    }
  }

private:
  void mark(std::size_t file, std::size_t declaration) {
    if (declaration >= files_[file].isUsed.size() || files_[file].isUsed[declaration])
      return;
    files_[file].isUsed[declaration] = true;
    todo_.emplace_back(file, declaration);
  }

  /// The file's own declaration wins over those of other files, as in the language.
  void markNamed(std::size_t from, const std::string &name) {
    const std::string last = name.substr(name.rfind('.') + 1);
    if (markNamedIn(from, name))
      return;
    for (std::size_t file = 0; file < files_.size(); ++file)
      if (file != from)
        markNamedIn(file, last);
  }

  bool markNamedIn(std::size_t file, const std::string &name) {
    const dsl::Ast &ast = files_[file].ast;
    bool isFound = false;
    for (std::size_t i = 0; i < ast.declarations.size(); ++i) {
      const dsl::Node &node = ast[ast.declarations[i]];
      if (node.kind == NodeKind::Use || node.kind == NodeKind::Kernel || node.text != name)
        continue;
      mark(file, i);
      isFound = true;
    }
    return isFound;
  }

  std::vector<UsedFile> &files_;
  std::vector<std::pair<std::size_t, std::size_t>> todo_;
};

/// The contract's file first, then those it uses in the order in which they were read.
std::vector<UsedFile> allFiles(const Contract &contract) {
  std::vector<UsedFile> files;
  files.push_back({contract.root(), {}});
  for (std::uint32_t id = 0; id < contract.sources().size(); ++id)
    if (id != contract.root().file) {
      dsl::Ast ast;
      dsl::Diagnostics ignored(contract.sources()); // the contract has been checked
      dsl::parse(id, contract.sources(), ignored, ast);
      files.push_back({std::move(ast), {}});
    }
  for (UsedFile &file : files)
    file.isUsed.assign(file.ast.declarations.size(), false);
  return files;
}

} // namespace

std::vector<UsedFile> usedFiles(const Contract &contract, const dsl::Program &program) {
  std::vector<UsedFile> files = allFiles(contract);
  Closure closure(files);
  closure.markKernel(program.kernel);
  for (const dsl::Definition &definition : program.definitions)
    closure.markPlace(definition.span);
  for (const dsl::Reduction &reduction : program.reductions)
    closure.markPlace(reduction.span);
  const std::vector<bool> isReached = reachedExprs(program);
  for (dsl::ExprId id = 0; id < program.exprCount(); ++id)
    if (isReached[id])
      closure.markPlace(program.span(id));
  closure.follow();
  const auto isIdle = [](const UsedFile &file) {
    return std::find(file.isUsed.begin(), file.isUsed.end(), true) == file.isUsed.end();
  };
  files.erase(std::remove_if(files.begin() + 1, files.end(), isIdle), files.end());
  return files;
}

std::size_t declarationAt(const dsl::Ast &ast, std::uint32_t offset) {
  for (std::size_t i = 0; i < ast.declarations.size(); ++i) {
    const dsl::Span span = ast[ast.declarations[i]].span;
    if (span.begin <= offset && offset < span.end)
      return i;
  }
  return ast.declarations.size();
}

} // namespace ordo::compiler::driver
