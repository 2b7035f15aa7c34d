#include "labels.h"

#include <algorithm>

#include "optiks/base/check.h"
#include "optiks/ozks/verify/alpha.h"

namespace optiks::ozks::verify {
Reason LabelStream::next(ByteSpan& label) {
  if (used_ == filled_) {
    fill();
  }
  const std::size_t i = used_++;
  label = std::span(labels_).subspan(i * vrf::kLabelLen, vrf::kLabelLen);
  return reason_of(reasons_[i]);
}

void LabelStream::fill() {
  OPTIKS_CHECK(!key_.empty());
  std::array<std::uint8_t, kBatch * Alpha::kMaxLen> alphas;
  std::array<std::size_t, kBatch + 1> offsets{};
  std::array<std::uint8_t, kBatch * vrf::kProofLen> proofs;
  std::uint64_t version = 0;
  ByteSpan proof;
  std::size_t count = 0;
  while (count < kBatch && source_.next(version, proof)) {
    const Alpha alpha(view_.structure, key_, version);
    std::ranges::copy(alpha.get(), alphas.begin() + static_cast<std::ptrdiff_t>(offsets[count]));
    std::copy(proof.begin(), proof.end(), proofs.begin() + static_cast<std::ptrdiff_t>(count * vrf::kProofLen));
    ++count;
    offsets[count] = offsets[count - 1] + alpha.get().size();
  }
  OPTIKS_CHECK(count != 0);
  const vrf::Alphas batch{std::span(alphas).first(offsets[count]), std::span(offsets).first(count + 1)};
  vrf::verify_batch_vartime(*view_.vrf_public_key, batch, std::span(proofs).first(count * vrf::kProofLen),
                            std::span(labels_).first(count * vrf::kLabelLen), std::span(reasons_).first(count));
  filled_ = count;
  used_ = 0;
}

}  // namespace optiks::ozks::verify
