#pragma once

#include <string>
#include <string_view>

namespace rolltape {

/// Appends `utf8` as a JSON string with its quotes (RFC 8259): what must be escaped is, everything else goes as it is.
void appendJsonString(std::string& out, std::string_view utf8);

}  // namespace rolltape
