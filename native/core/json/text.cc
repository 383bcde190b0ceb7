#include "text.h"

namespace rolltape {

namespace {

void appendEscaped(std::string& out, char c) {
  constexpr std::string_view hex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += hex[static_cast<unsigned char>(c) >> 4];
      out += hex[static_cast<unsigned char>(c) & 15];
  }
}

bool needsEscape(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
}

}  // namespace

void appendJsonString(std::string& out, std::string_view utf8) {
  out += '"';
  std::size_t done = 0;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    if (!needsEscape(utf8[i])) continue;
    out.append(utf8, done, i - done);
    appendEscaped(out, utf8[i]);
    done = i + 1;
  }
  out.append(utf8, done);
  out += '"';
}

}  // namespace rolltape
