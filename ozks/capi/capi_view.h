// The view's handle.
#pragma once

#include <memory>
#include <utility>

#include "directory/data.h"
#include "optiks/optiks.h"

struct optiks_view {
  explicit optiks_view(std::shared_ptr<optiks::ozks::DirectoryData> data) : view(std::move(data)) {}
  optiks::ozks::View view;
};
