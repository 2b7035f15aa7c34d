// Computes the labels of a key's versions from their VRF proofs, several proofs at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "optiks/ozks/verify/lookup.h"

namespace optiks::ozks::verify {

// A source that yields the VRF proofs of an answer in the order in which the verifier checks them.
class ProofSource {
 public:
  // Returns false at the end.
  virtual bool next(std::uint64_t& version, ByteSpan& proof) = 0;

 protected:
  ~ProofSource() = default;
};

// A source of one proof: the proof of an entry in an oZKS, whose version is 0, or of one version of a key.
class OneProof final : public ProofSource {
 public:
  OneProof(std::uint64_t version, ByteSpan proof) : version_(version), proof_(proof) {}

  bool next(std::uint64_t& version, ByteSpan& proof) override {
    version = version_;
    proof = proof_;
    const bool is_first = !used_;
    used_ = true;
    return is_first;
  }

 private:
  std::uint64_t version_;
  ByteSpan proof_;
  bool used_ = false;
};

// Verifies proofs before the checks need them, so that a batch shares work. next() returns each verdict only at its
// turn, so the order of reasons is the same as if each proof were verified alone.
class LabelStream {
 public:
  LabelStream(const StructureView& view, ByteSpan key, ProofSource& source) : view_(view), key_(key), source_(source) {}

  // Returns the next proof's verdict, and on kValid its label (valid until the next call). Aborts beyond the end of the
  // source.
  Reason next(ByteSpan& label);

 private:
  static constexpr std::size_t kBatch = 16;

  void fill();

  const StructureView& view_;
  ByteSpan key_;
  ProofSource& source_;
  std::size_t filled_ = 0;
  std::size_t used_ = 0;
  std::array<vrf::Reason, kBatch> reasons_{};
  std::array<std::uint8_t, kBatch * vrf::kLabelLen> labels_{};
};

}  // namespace optiks::ozks::verify
