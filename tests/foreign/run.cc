#include "tests/foreign/run.h"

#include "compiler/verify/ptx/read.h"

#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace ordo::foreign {

std::string textOf(const std::string &name) {
  const std::string path = "tests/foreign/" + name + ".ptx";
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

verify::Kernel kernelOf(const std::string &name) {
  verify::ptx::ReadFailure failure;
  const auto kernel = verify::ptx::read(textOf(name), "", failure);
  EXPECT_TRUE(kernel) << name << ".ptx:" << failure.line << ": " << failure.message;
  return kernel.value_or(verify::Kernel{});
}

Launch &Launch::out(const std::string &name, std::size_t bytes) {
  output_ = memory_.regions().size();
  return pointer(memory_.add(name, std::vector<std::byte>(bytes), true, 16));
}

std::string Launch::run(const verify::Kernel &kernel) {
  EXPECT_EQ(kernel.parameters.size(), arguments_.size());
  for (std::size_t k = 0; k < arguments_.size(); ++k) {
    const verify::Parameter &p = kernel.parameters[k];
    EXPECT_EQ(p.bytes, arguments_[k].size()) << p.name;
    launch_.parameters.resize(std::max<std::size_t>(launch_.parameters.size(), p.offset + p.bytes));
    std::memcpy(launch_.parameters.data() + p.offset, arguments_[k].data(), p.bytes);
  }
  const auto fault = emulate(kernel, launch_, memory_);
  return fault ? fmt::format("line {}: {}", kernel.lines.at(fault->line).number, fault->message)
               : "";
}

} // namespace ordo::foreign
