#pragma once

#include <memory>
#include <string>

#include "../core/batch/row_columns.h"
#include "napi_setup.h"

namespace rolltape::binding {

/// A list of the contract's RowColumn.
std::shared_ptr<const RowColumns> rowColumnsArg(Napi::Value value, const std::string& name);

}  // namespace rolltape::binding
