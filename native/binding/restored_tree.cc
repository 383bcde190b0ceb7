#include "restored_tree.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "../core/base/error.h"
#include "args.h"
#include "buffers.h"

namespace rolltape::binding {

std::string storedPartName(std::size_t part) {
  return "parts[" + std::to_string(part) + "]";
}

StoredParts storedPartsArg(const std::vector<Napi::Value>& parts, Napi::Value compactedFrom,
                           const std::vector<Napi::Value>& added) {
  StoredParts stored;
  if (!compactedFrom.IsUndefined()) {
    const std::span<const std::int32_t> values = int32ArrayArg(compactedFrom, "compactedFrom");
    if (!values.empty() && values.size() != parts.size()) throwInvalid("compactedFrom", "one per part");
    stored.compactedFrom.assign(values.begin(), values.end());
  }
  stored.bytes.reserve(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Napi::HandleScope scope(compactedFrom.Env());
    stored.bytes.push_back(bytesArg(parts[i], storedPartName(i)));
  }
  for (const Napi::Value& part : added) stored.added.push_back(bytesArg(part, "added"));
  return stored;
}

RestoredTree restoreParts(Session& session, const StoredParts& parts) {
  RestoredTree tree;
  tree.parents.reserve(parts.bytes.size());
  tree.tokenExact.reserve(parts.bytes.size());
  for (std::size_t i = 0; i < parts.bytes.size(); ++i) {
    try {
      const Interaction& made =
          session.restore(parts.bytes[i], parts.compactedFrom.empty() ? -1 : parts.compactedFrom[i]);
      tree.parents.push_back(made.parentIndex());
      tree.tokenExact.push_back(made.tokenExact ? 1 : 0);
    } catch (const Error& error) {
      throw Error(error.code(), storedPartName(i) + ": " + error.what());
    }
  }
  for (std::size_t i = 0; i < parts.added.size(); ++i) {
    try {
      session.restoreAdded(parts.added[i]);
    } catch (const Error& error) {
      throw Error(error.code(), "added[" + std::to_string(i) + "]: " + error.what());
    }
  }
  return tree;
}

Napi::Object RestoredTree::toJs(Napi::Env env) const {
  auto parentArray = newArray<std::int32_t>(env, parents.size());
  auto exactArray = newArray<std::uint8_t>(env, tokenExact.size());
  std::copy(parents.begin(), parents.end(), parentArray.Data());
  std::copy(tokenExact.begin(), tokenExact.end(), exactArray.Data());
  const Napi::Object result = Napi::Object::New(env);
  result.Set("parents", parentArray);
  result.Set("tokenExact", exactArray);
  return result;
}

}  // namespace rolltape::binding
