#pragma once

#include "../core/batch/plan.h"
#include "napi_setup.h"

namespace rolltape::binding {

/// PlanOptions from JavaScript: every field is required.
PlanOptions planOptionsArg(Napi::Value value);

}  // namespace rolltape::binding
