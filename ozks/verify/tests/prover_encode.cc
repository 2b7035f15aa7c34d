#include "prover.h"

namespace optiks::ozks::verify::test {
namespace {

template <typename T>
Bytes encode_all(const std::vector<T>& parts) {
  Writer out;
  for (const T& part : parts) {
    out.raw(part.encode());
  }
  return out.get();
}

Bytes concatenate(const std::vector<Hash>& hashes) {
  Writer out;
  for (const Hash& hash : hashes) {
    out.raw(hash);
  }
  return out.get();
}

}  // namespace

Bytes to_bytes(std::string_view text) { return {text.begin(), text.end()}; }

Bytes to_bytes(ByteSpan octets) { return {octets.begin(), octets.end()}; }

std::string numbered(std::string_view prefix, int number) { return std::string(prefix).append(std::to_string(number)); }

Writer& Writer::integer(std::uint64_t value, std::size_t octets) {
  for (std::size_t i = octets; i-- > 0;) {
    out_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  return *this;
}

Writer& Writer::raw(ByteSpan octets) {
  out_.insert(out_.end(), octets.begin(), octets.end());
  return *this;
}

Writer& Writer::vector(ByteSpan contents, std::size_t length_octets) {
  return integer(contents.size(), length_octets).raw(contents);
}

Bytes PathParts::encode() const { return Writer().raw(mask).vector(concatenate(siblings), 2).get(); }

Bytes MemberParts::encode() const {
  Writer out;
  out.raw(vrf_proof).integer(epoch, 8).integer(kind, 1);
  if (kind == 0) {
    out.raw(commitment);
  } else {
    out.raw(opening).vector(value, 3);
  }
  return out.raw(path.encode()).get();
}

Bytes NonMemberParts::encode() const {
  Writer out;
  out.raw(vrf_proof).integer(node, 1);
  if (node == 0) {
    return out.get();
  }
  if (node == 1) {
    out.integer(length, 1).raw(position).raw(left).raw(right);
  } else {
    out.raw(position).raw(commitment).integer(epoch, 8);
  }
  return out.raw(path.encode()).get();
}

Bytes LookupParts::encode() const {
  return Writer().integer(version, 8).vector(encode_all(members), 3).vector(encode_all(absent), 3).get();
}

Bytes VersionsParts::encode() const {
  Writer out;
  return out.integer(version, 8).integer(from, 8).vector(encode_all(members), 4).vector(encode_all(absent), 3).get();
}

Bytes AppendParts::encode() const {
  Writer listed;
  for (const AddedLeafParts& leaf : leaves) {
    listed.raw(leaf.label).raw(leaf.commitment).integer(leaf.offset, 1);
  }
  return Writer().vector(listed.get(), 4).vector(opened, 4).get();
}

Bytes RecordParts::encode() const {
  Writer out;
  out.integer(format, 2)
      .raw(log_id)
      .integer(epoch, 8)
      .integer(period, 8)
      .integer(period_first_epoch, 8)
      .integer(time_ms, 8);
  for (const StateParts& state : structures) {
    out.raw(state.root).integer(state.count, 8).raw(state.vrf_public_key);
  }
  return out.raw(previous).get();
}

Bytes HeadParts::encode() const {
  Writer out;
  return out.raw(record)
      .vector(concatenate(inclusion), 2)
      .vector(concatenate(consistency), 2)
      .vector(checkpoint, 2)
      .get();
}

Bytes encode_answer(const HeadParts& head, const std::vector<Bytes>& items) {
  Writer all;
  for (const Bytes& item : items) {
    all.raw(item);
  }
  return Writer().raw(head.encode()).vector(all.get(), 4).get();
}

Bytes ConfigurationParts::encode() const {
  Writer out;
  out.integer(format, 2).integer(suite, 2).vector(origin, 1).integer(period_length_ms, 8).integer(retained_periods, 1);
  out.integer(username_reuse, 1).integer(max_key_len, 1).integer(max_value_len, 4).integer(max_devices, 2);
  return out.integer(heartbeat_ms, 4).integer(max_ahead_ms, 4).integer(max_behind_ms, 4).get();
}

}  // namespace optiks::ozks::verify::test
