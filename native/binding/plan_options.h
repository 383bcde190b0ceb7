#pragma once

#include "../core/plan.h"
#include "napi_setup.h"

namespace rolltape::binding {

/// PlanOptions from JavaScript: every field is required.
PlanOptions planOptionsArg(Napi::Value value);

}  // namespace rolltape::binding
