#include "tensors_arg.h"

#include "args.h"
#include "choice_arg.h"

namespace rolltape::binding {

namespace {

TensorSpec specArg(const Napi::Object& object, const std::string& name) {
  TensorSpec spec{utf8Arg(object.Get("name"), name + ".name"), Dtype::kU8, {}};
  spec.dtype = choiceArg<Dtype>(object.Get("dtype"), name + ".dtype",
                                {{"I64", Dtype::kI64},
                                 {"I32", Dtype::kI32},
                                 {"F32", Dtype::kF32},
                                 {"U16", Dtype::kU16},
                                 {"U8", Dtype::kU8},
                                 {"BOOL", Dtype::kBool}});
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  for (const Napi::Value extent : itemsOf(arrayArg(object.Get("shape"), name + ".shape"))) {
    spec.shape.push_back(static_cast<std::uint64_t>(integerArg(extent, name + ".shape", 0, kMost)));
  }
  return spec;
}

}  // namespace

TensorsArg::TensorsArg(Napi::Value value, const std::string& name) {
  if (value.IsUndefined()) return;
  for (const Napi::Value item : itemsOf(arrayArg(value, name))) {
    const std::string place = name + "[" + std::to_string(tensors_.size()) + "]";
    const Napi::Object object = objectArg(item, place);
    Held held{specArg(object, place), {}};
    for (const Napi::Value part : itemsOf(arrayArg(object.Get("parts"), place + ".parts"))) {
      held.parts.emplace_back(part, place + ".parts");
    }
    tensors_.push_back(std::move(held));
  }
}

std::vector<GivenTensor> TensorsArg::tensors() const {
  std::vector<GivenTensor> tensors;
  for (const Held& held : tensors_) {
    GivenTensor& tensor = tensors.emplace_back(GivenTensor{held.spec, {}});
    for (const HeldBytes& part : held.parts) tensor.parts.push_back(part.bytes());
  }
  return tensors;
}

void TensorsArg::requireUntouched() const {
  for (const Held& held : tensors_) {
    for (const HeldBytes& part : held.parts) part.requireUntouched();
  }
}

}  // namespace rolltape::binding
