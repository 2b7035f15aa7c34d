// Encodes the structures that codec.h decodes, with the same widths and in the same order. A caller passes the parts of
// a structure that it has not in memory as functions, which write them when it is their turn; so encoding copies and
// allocates nothing.
//
// `Out` is a type with the functions of Output (pahd/output.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "optiks/ozks/verify/codec.h"
#include "optiks/ozks/verify/hash.h"

namespace optiks::ozks::verify {

// Writes a vector whose contents `write` writes.
template <typename Out, typename Write>
void encode_vector(Out& out, const VectorBounds& bounds, const Write& write) {
  const std::size_t begin = out.begin_vector(bounds);
  write();
  out.end_vector(begin, bounds);
}

// Writes `opaque x<low..high>` whose contents are in memory.
template <typename Out>
void encode_octets(Out& out, const VectorBounds& bounds, ByteSpan contents) {
  out.put_integer(contents.size(), bounds.length_octets());
  out.put(contents);
}

// Writes a Path. `steps` are its interior nodes from the root down: `length` is the length of a node's prefix, and
// `sibling` points to the hash of its child that is not on the path.
template <typename Out, typename Steps>
void encode_path(Out& out, const Steps& steps) {
  Hash mask{};
  for (const auto& step : steps) {
    mask[step.length / 8] = static_cast<std::uint8_t>(mask[step.length / 8] | (0x80U >> (step.length % 8)));
  }
  out.put(mask);
  out.put_integer(steps.size() * kHashLen, Path::kSiblingsBounds.length_octets());
  for (std::size_t i = steps.size(); i-- > 0;) {
    out.put(*steps[i].sibling);
  }
}

// Writes a Member with these steps instead of `member.path`.
template <typename Out, typename Steps>
void encode_member(Out& out, const Member& member, const Steps& steps) {
  out.put(member.vrf_proof);
  out.put_integer(member.epoch, 8);
  out.put_integer(member.opened ? 1 : 0, 1);
  if (member.opened) {
    out.put(member.opening);
    encode_octets(out, Member::kValueBounds, member.value);
  } else {
    out.put(member.commitment);
  }
  encode_path(out, steps);
}

// Writes a NonMember with these steps instead of `proof.path`.
template <typename Out, typename Steps>
void encode_non_member(Out& out, const NonMember& proof, const Steps& steps) {
  out.put(proof.vrf_proof);
  out.put_integer(static_cast<std::uint8_t>(proof.node), 1);
  switch (proof.node) {
    case NodeKind::kEmpty:
      return;
    case NodeKind::kInterior:
      out.put_integer(proof.length, 1);
      out.put(proof.position);
      out.put(proof.left);
      out.put(proof.right);
      break;
    case NodeKind::kLeaf:
      out.put(proof.position);
      out.put(proof.commitment);
      out.put_integer(proof.epoch, 8);
      break;
  }
  encode_path(out, steps);
}

// Writes a Lookup. `members` and `absent` write the elements of the two lists.
template <typename Out, typename Members, typename Absent>
void encode_lookup(Out& out, std::uint64_t version, const Members& members, const Absent& absent) {
  out.put_integer(version, 8);
  encode_vector(out, Lookup::kMembersBounds, members);
  encode_vector(out, Lookup::kAbsentBounds, absent);
}

// Writes a Versions structure. `members` and `absent` write the elements of the two lists.
template <typename Out, typename Members, typename Absent>
void encode_versions(Out& out, std::uint64_t version, std::uint64_t from, const Members& members,
                     const Absent& absent) {
  out.put_integer(version, 8);
  out.put_integer(from, 8);
  encode_vector(out, Versions::kMembersBounds, members);
  encode_vector(out, Versions::kAbsentBounds, absent);
}

}  // namespace optiks::ozks::verify
