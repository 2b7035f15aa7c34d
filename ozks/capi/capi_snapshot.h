// The snapshot's handle.
#pragma once

#include <memory>
#include <utility>

#include "directory/store.h"
#include "optiks/optiks.h"

struct optiks_snapshot {
  explicit optiks_snapshot(std::shared_ptr<optiks::ozks::Store> store) : snapshot(std::move(store)) {}
  optiks::ozks::Snapshot snapshot;
};
