#include "directory/labels.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace optiks::ozks {
namespace {

// Divides n labels into chunks for `threads` threads. Returns the index of the first label of each chunk, then n. The
// threads begin at both ends and meet in the middle. Chunks at the ends are the largest, and chunks in the middle the
// smallest, so that no thread waits long for the last chunk. The size of a chunk is a multiple of 64, which is fast for
// the VRF's batches, or a smaller power of two.
std::vector<std::size_t> chunks(std::size_t n, unsigned threads) {
  constexpr std::size_t kLeast = 8;
  constexpr std::size_t kGoodChunk = 64;
  std::vector<std::size_t> from_first{0};
  std::vector<std::size_t> from_last{n};
  for (std::size_t rest = n; rest != 0;) {
    const std::size_t share = std::max(kLeast, rest / (std::size_t{2} * threads));
    const std::size_t good = share < kGoodChunk ? std::bit_floor(share) : share / kGoodChunk * kGoodChunk;
    const std::size_t size = threads == 1 ? rest : std::min(rest, good);
    rest -= size;
    if (from_first.back() <= n - from_last.back()) {
      from_first.push_back(from_first.back() + size);
    } else {
      from_last.push_back(from_last.back() - size);
    }
  }
  // Both lists end at the same index, which must occur only once in the result.
  from_first.insert(from_first.end(), from_last.rbegin() + 1, from_last.rend());
  return from_first;
}

}  // namespace

void LabelBatch::add(std::uint8_t structure, ByteSpan key, std::uint64_t version, std::uint8_t* out) {
  Inputs& inputs = inputs_[structure_index(structure)];
  const verify::Alpha alpha(structure, key, version);
  inputs.alphas.insert(inputs.alphas.end(), alpha.get().begin(), alpha.get().end());
  inputs.ends.push_back(inputs.alphas.size());
  inputs.outs.push_back(out);
}

void LabelBatch::evaluate(const Secrets& secrets, Workers& workers) {
  for (std::size_t s = 0; s < kNumStructures; ++s) {
    const Inputs& inputs = inputs_[s];
    const std::vector<std::size_t> begins = chunks(inputs.outs.size(), workers.threads());
    workers.for_each_index(begins.size() - 1, [&](std::size_t chunk) {
      const std::size_t first = begins[chunk];
      const std::size_t size = begins[chunk + 1] - first;
      std::vector<std::uint8_t> labels(size * vrf::kLabelLen);
      vrf::evaluate_batch(secrets.vrf[s], {inputs.alphas, std::span(inputs.ends).subspan(first, size + 1)}, labels);
      for (std::size_t i = 0; i < size; ++i) {
        std::memcpy(inputs.outs[first + i], labels.data() + i * vrf::kLabelLen, vrf::kLabelLen);
      }
    });
  }
}

void PrecomputedLabels::put(const Map& labels) {
  const std::lock_guard lock(mutex_);
  for (const auto& [tag, label] : labels) {
    labels_.insert_or_assign(tag, label);
  }
}

PrecomputedLabels::Map PrecomputedLabels::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(labels_, {});
}

}  // namespace optiks::ozks
