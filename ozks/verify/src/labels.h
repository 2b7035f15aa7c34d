// Verifies the VRF proofs for versions of a key and computes their labels, several proofs at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "optiks/ozks/verify/lookup.h"

namespace optiks::ozks::verify {

// The interface of a source of VRF proofs. It returns the proofs of an answer in the order in which the verifier checks
// them.
class ProofSource {
 public:
  // Sets the next version and its proof. Returns false if there are no more proofs.
  virtual bool next(std::uint64_t& version, ByteSpan& proof) = 0;

 protected:
  ~ProofSource() = default;
};

// A source of only one proof. The proof is of one version of a key, or of an entry in an oZKS, whose version is 0.
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

// Verifies VRF proofs in batches, before the other checks need them, because proofs in a batch share work. next()
// returns each proof's verdict only when it is this proof's turn. So the verifier finds the same first reason as if it
// verified one proof after another.
class LabelStream {
 public:
  LabelStream(const StructureView& view, ByteSpan key, ProofSource& source) : view_(view), key_(key), source_(source) {}

  // Returns the verdict on the next proof. If it is kValid, sets `label`, which is valid until the next call. Aborts if
  // the source has no more proofs.
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
