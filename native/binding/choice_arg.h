#pragma once

#include <initializer_list>
#include <string>

#include "args.h"

namespace rolltape::binding {

template <typename T>
struct Choice {
  const char* name;
  T value;
};

/// One of these strings.
template <typename T>
T choiceArg(Napi::Value value, const std::string& name, std::initializer_list<Choice<T>> choices) {
  std::string expected;
  const std::string given = value.IsString() ? value.As<Napi::String>().Utf8Value() : "";
  for (const Choice<T>& choice : choices) {
    if (value.IsString() && given == choice.name) return choice.value;
    expected += (expected.empty() ? "\"" : " or \"") + std::string(choice.name) + "\"";
  }
  throwInvalid(name, expected);
}

}  // namespace rolltape::binding
