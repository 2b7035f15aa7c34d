// Makes the VRF labels of many keys in batches, and keeps labels that were made before the epoch that needs them.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "directory/secrets.h"
#include "optiks/ozks/verify/alpha.h"
#include "util/parallel.h"

namespace optiks::ozks {

using Label = std::array<std::uint8_t, vrf::kLabelLen>;

// Collects VRF inputs and evaluates all inputs of one structure in one batch, because they share a VRF key. Only one
// thread may use an object.
class LabelBatch {
 public:
  // Adds a VRF input. evaluate() writes its label to the 32 octets at `out`.
  void add(std::uint8_t structure, ByteSpan key, std::uint64_t version, std::uint8_t* out);
  void evaluate(const Secrets& secrets, Workers& workers);

 private:
  struct Inputs {
    std::vector<std::uint8_t> alphas;
    std::vector<std::size_t> ends{0};
    std::vector<std::uint8_t*> outs;
  };
  std::array<Inputs, kNumStructures> inputs_;
};

// A cache of labels, indexed by the tags of their keys. A label is of the version that its key is expected to get next,
// and is used only for this version.
//
// Thread safety: any thread may call any function. The lock is held only while computed labels are moved in or out.
class PrecomputedLabels {
 public:
  struct Expected {
    std::uint64_t version = 0;
    Label label{};
  };
  using Map = std::unordered_map<Tag, Expected, HashOfTag>;

  void put(const Map& labels);
  // Returns all labels and removes them from this object.
  [[nodiscard]] Map take();

 private:
  std::mutex mutex_;
  Map labels_;
};

}  // namespace optiks::ozks
