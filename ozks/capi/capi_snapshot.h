// The snapshot's handle.
#pragma once

#include <memory>
#include <utility>

#include "directory/data.h"
#include "optiks/optiks.h"

struct optiks_snapshot {
  explicit optiks_snapshot(std::shared_ptr<optiks::ozks::DirectoryData> data) : view(std::move(data)) {}
  optiks::ozks::View view;
};
