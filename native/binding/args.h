#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../core/session/message_digest.h"
#include "napi_setup.h"

/// Reads arguments. What has the wrong type or range throws Error kInvalidArg that names the argument.
namespace rolltape::binding {

[[noreturn]] void throwInvalid(const std::string& name, const std::string& expected);

Napi::Object objectArg(Napi::Value value, const std::string& name);
Napi::Array arrayArg(Napi::Value value, const std::string& name);
/// All items. Reading them may run JavaScript (getters, proxies), which may change what was read before: look at an
/// item's native side only after this.
std::vector<Napi::Value> itemsOf(Napi::Array array);
bool booleanArg(Napi::Value value, const std::string& name);
double numberArg(Napi::Value value, const std::string& name);
/// An integer in [lowest, highest].
std::int64_t integerArg(Napi::Value value, const std::string& name, std::int64_t lowest, std::int64_t highest);
std::int32_t int32Arg(Napi::Value value, const std::string& name);
/// The index of an interaction: an integer that is not negative.
std::uint32_t indexArg(Napi::Value value, const std::string& name);
std::string utf8Arg(Napi::Value value, const std::string& name);
/// The bytes of the string's UTF-16 code units: unlike UTF-8, these differ wherever two strings do.
std::string utf16Arg(Napi::Value value, const std::string& name);
std::vector<std::string> utf8ListArg(Napi::Value value, const std::string& name);
std::vector<std::string> utf16ListArg(Napi::Value value, const std::string& name);

/// These are views: valid until JavaScript runs again.
std::span<const std::int32_t> int32ArrayArg(Napi::Value value, const std::string& name);
std::span<const std::uint32_t> uint32ArrayArg(Napi::Value value, const std::string& name);
std::span<const std::uint64_t> bigUint64ArrayArg(Napi::Value value, const std::string& name);
std::span<const float> float32ArrayArg(Napi::Value value, const std::string& name);
std::span<const std::uint8_t> bytesArg(Napi::Value value, const std::string& name);
std::span<const MessageDigest> digestsArg(Napi::Value value, const std::string& name);
/// Returns a copy of a key of 16 bytes; `fallback` if the argument is undefined.
SipKey sipKeyArg(Napi::Value value, const std::string& name, const SipKey& fallback);

}  // namespace rolltape::binding
