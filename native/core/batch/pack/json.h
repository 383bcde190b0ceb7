#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "../plan.h"

namespace rolltape {

/// A batch as JSON text: parts[0], the tensor_dict of row 0, parts[1], …, the last part. A tensor_dict is a JSON object
/// of input_ids, loss_mask, logprobs, versions, attention_mask (shape [1, L]) and rewards ([1]), each
/// `{"type":"tensor","dtype":"torch.…","shape":[…],"data":"<base64, little endian>"}`.
/// Keeps references to the plan and the parts.
class JsonBatch {
 public:
  /// @throws kInvalidArg unless there is one part more than rows, or for a plan that cannot be packed; kTooLarge.
  JsonBatch(const Plan& plan, std::span<const std::string> parts);

  std::uint64_t byteLength() const { return byteLength_; }
  /// Writes byteLength() bytes. @throws std::bad_alloc; what was written is undefined then.
  void write(char* out) const;

 private:
  const Plan& plan_;
  std::span<const std::string> parts_;
  std::uint64_t byteLength_;
};

}  // namespace rolltape
