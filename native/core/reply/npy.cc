#include "npy.h"

#include <algorithm>

namespace rolltape {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

/// The text between `name` with its colon and the end of its value, without spaces at its start. Empty if there is
/// none.
std::string_view headerValue(std::string_view header, std::string_view name, char end) {
  const std::size_t at = header.find(name);
  if (at == std::string_view::npos) return {};
  std::string_view value = header.substr(at + name.size());
  value.remove_prefix(std::min(value.size(), value.find_first_not_of(": ")));
  return value.substr(0, value.find(end));
}

/// Reads "(45, 3, 2".
std::vector<std::uint64_t> readShape(std::string_view text) {
  std::vector<std::uint64_t> shape;
  bool inNumber = false;
  for (const char c : text) {
    const bool isDigit = c >= '0' && c <= '9';
    if (isDigit && !inNumber) shape.push_back(0);
    if (isDigit)
      shape.back() = std::min<std::uint64_t>(shape.back() * 10 + static_cast<std::uint64_t>(c - '0'), 1u << 31);
    inNumber = isDigit;
  }
  return shape;
}

}  // namespace

std::size_t npyHeaderEnd(std::string_view start) {
  const auto byte = [&](std::size_t index) {
    return static_cast<std::size_t>(static_cast<unsigned char>(start[index]));
  };
  if (start.size() < NpyHeader::kStartBytes || !start.starts_with(kMagic) || byte(6) == 0) return 0;
  if (byte(6) == 1) return 10 + (byte(8) | byte(9) << 8);
  return 12 + (byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24);
}

NpyHeader readNpyHeader(std::string_view header) {
  return {.descr = std::string(headerValue(header, "'descr'", ',')),
          .isFortranOrder = headerValue(header, "'fortran_order'", ',') != "False",
          .shape = readShape(headerValue(header, "'shape'", ')')),
          .bytes = header.size()};
}

}  // namespace rolltape
