#include "shape.h"

#include <string_view>

#include "../base/error.h"
#include "cursor.h"

namespace rolltape {

static_assert(JsonLimits::kMaxDepth < JsonCursor::kMaxDepth, "our limit is found before the cursor's own");

namespace {

/// Strings under this key are JSON: the arguments of a tool call.
constexpr std::string_view kNestedKey = "arguments";

constexpr std::string_view kPrototypeKey = "__proto__";
constexpr std::string_view kConstructorKey = "constructor";
constexpr std::string_view kConstructorPrototypeKey = "prototype";

class ShapeScan {
 public:
  ShapeScan(std::span<const std::uint8_t> json, const JsonLimits& limits) : json_(json), limits_(limits) {}

  void run() {
    value("");
    json_.finish();
  }

 private:
  /// @param key of the value; empty for an item of an array
  void value(std::string_view key) {
    count(JsonLimits::kValueParts);
    switch (json_.peek()) {
      case '{':
        return object(key == kConstructorKey);
      case '[':
        return array(isBody_ && depth_ == 1 ? findList(key) : nullptr);
      case '"':
        return key == kNestedKey ? nested(json_.string()) : json_.skip();
      case 't':
      case 'f':
      case 'n':
        return json_.skip();
      default:
        return limitWord(json_.numberText());
    }
  }

  /// @param parts kValueParts for a whole value
  void count(std::uint64_t parts) {
    parts_ += parts;
    if (parts_ <= limits_.values * JsonLimits::kValueParts) return;
    throw JsonExcess{JsonExcess::Limit::kValues, limits_.values, ""};
  }

  void item() {
    const char next = json_.peek();
    if (next != '-' && (next < '0' || next > '9')) return value("");
    const std::string_view number = json_.numberText();
    limitWord(number);
    const bool isShort = number.size() <= JsonLimits::kShortNumberBytes;
    count(isShort ? JsonLimits::kShortNumberParts : JsonLimits::kLongNumberParts);
  }

  void limitWord(std::string_view word) const {
    if (isBody_ && word.size() > JsonLimits::kMaxWordBytes) {
      throw JsonExcess{JsonExcess::Limit::kWord, JsonLimits::kMaxWordBytes, ""};
    }
  }

  /// Counts the values of a document that is written as a string, if it is one.
  void nested(const std::string& text) {
    ShapeScan scan({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, limits_);
    scan.parts_ = parts_;
    scan.isBody_ = false;
    try {
      scan.run();
    } catch (const Error&) {
      // Not JSON: nobody will parse it further than to this place.
    }
    parts_ = scan.parts_;
  }

  void object(bool isConstructor) {
    enter();
    std::uint64_t keys = 0;
    json_.object([&](std::string_view key) {
      if (++keys > limits_.keys) throw JsonExcess{JsonExcess::Limit::kKeys, limits_.keys, ""};
      limitWord(key);
      if (isBody_ && (key == kPrototypeKey || (isConstructor && key == kConstructorPrototypeKey))) {
        throw JsonExcess{JsonExcess::Limit::kPrototype, 0, ""};
      }
      value(key);
    });
    --depth_;
  }

  /// @param list null: its items count as values only
  void array(const JsonLimits::List* list) {
    enter();
    std::uint64_t items = 0;
    json_.array([&] {
      if (list != nullptr && ++items > list->items) {
        throw JsonExcess{JsonExcess::Limit::kItems, list->items, list->name};
      }
      item();
    });
    --depth_;
  }

  void enter() {
    if (++depth_ > limits_.depth) {
      throw JsonExcess{JsonExcess::Limit::kDepth, static_cast<std::uint64_t>(limits_.depth), ""};
    }
  }

  const JsonLimits::List* findList(std::string_view key) const {
    for (const JsonLimits::List& list : limits_.lists) {
      if (list.name == key) return &list;
    }
    return nullptr;
  }

  JsonCursor json_;
  const JsonLimits& limits_;
  std::int64_t depth_ = 0;
  /// Values so far, in parts; see JsonLimits::kValueParts.
  std::uint64_t parts_ = 0;
  /// True for the request body. False for a document in `arguments`: its lists have no limits and its keys are data.
  bool isBody_ = true;
};

}  // namespace

std::optional<JsonExcess> findJsonExcess(std::span<const std::uint8_t> json, const JsonLimits& limits) {
  try {
    ShapeScan(json, limits).run();
    return std::nullopt;
  } catch (const JsonExcess& excess) {
    return excess;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace rolltape
