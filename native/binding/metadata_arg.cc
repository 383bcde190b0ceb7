#include "metadata_arg.h"

#include <utility>

#include "args.h"

namespace rolltape::binding {

MetadataArg::MetadataArg(Napi::Value value, const std::string& name) {
  const Napi::Object object = objectArg(value, name);
  const Napi::Array keys = object.GetPropertyNames();
  for (std::uint32_t i = 0; i < keys.Length(); ++i) {
    const Napi::Value key = keys.Get(i);
    const std::string text = key.ToString().Utf8Value();
    const std::string place = name + "." + text;
    const Napi::Value entry = object.Get(key);
    if (!entry.IsArray()) {
      metadata_.emplace_back(text, utf8Arg(entry, place));
      continue;
    }
    Pieces& pieces = lists_.emplace_back(Pieces{metadata_.size(), {}});
    metadata_.emplace_back(text, std::string());
    for (const Napi::Value item : itemsOf(entry.As<Napi::Array>())) {
      pieces.parts.emplace_back(item, place);
    }
  }
}

Metadata MetadataArg::take() {
  for (const Pieces& pieces : lists_) {
    std::size_t size = 0;
    for (const HeldBytes& part : pieces.parts) size += part.bytes().size();
    std::string& value = metadata_[pieces.at].second;
    value.reserve(size);
    for (const HeldBytes& part : pieces.parts) {
      value.append(reinterpret_cast<const char*>(part.bytes().data()), part.bytes().size());
    }
  }
  return std::move(metadata_);
}

void MetadataArg::requireUntouched() const {
  for (const Pieces& pieces : lists_) {
    for (const HeldBytes& part : pieces.parts) part.requireUntouched();
  }
}

}  // namespace rolltape::binding
