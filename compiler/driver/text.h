// Small pieces of text that several commands print.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::compiler::driver {

/// "a, b, c".
std::string joined(const std::vector<std::string> &items, std::string_view separator = ", ");

/// "1 kernel", "5 kernels".
std::string counted(std::size_t count, std::string_view noun);

/// "812 B", "4.1 kB", "2.3 MB", in powers of 1000.
std::string humanBytes(std::size_t bytes);

/// Rows of cells in columns of equal width, two blanks apart, each line indented and ended; the
/// last column is not padded. Widths count code points.
std::string table(const std::vector<std::vector<std::string>> &rows, std::string_view indent);

} // namespace ordo::compiler::driver
