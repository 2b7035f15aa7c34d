// Encodes the structures about users that users.h and user_monitor.h decode. The rules are those of encode.h.
#pragma once

#include <cstdint>

#include "optiks/ozks/verify/encode.h"
#include "optiks/ozks/verify/user_monitor.h"
#include "optiks/ozks/verify/users.h"

namespace optiks::ozks::verify {

// Writes an Entry. `proof` writes its Member if the key is present, otherwise its NonMember.
template <typename Out, typename Proof>
void encode_entry(Out& out, std::uint8_t record, bool present, const Proof& proof) {
  out.put_integer(record, 1);
  out.put_integer(present ? 1 : 0, 1);
  proof();
}

// Writes a VersionedEntry, whose Lookup `lookup` writes.
template <typename Out, typename WriteLookup>
void encode_versioned_entry(Out& out, std::uint8_t record, const WriteLookup& lookup) {
  out.put_integer(record, 1);
  lookup();
}

// Writes a Generations structure. `names` writes its Versions, and `left` the elements of its list.
template <typename Out, typename Names, typename Left>
void encode_generations(Out& out, std::uint8_t record, const Names& names, const Left& left) {
  out.put_integer(record, 1);
  names();
  encode_vector(out, Generations::kLeftBounds, left);
}

// Writes a UserLookup. Each function writes one of its parts: `name` the Generations or, in a log that does not
// reassign usernames, the optional entry; `keys` the elements of the list. Parts that the kind does not have are not
// written.
template <typename Out, typename Name, typename Decommissioned, typename Devices, typename Keys>
void encode_user_lookup(Out& out, UserKind kind, bool by_generations, const Name& name,
                        const Decommissioned& decommissioned, const Devices& devices, const Keys& keys) {
  out.put_integer(static_cast<std::uint8_t>(kind) + (by_generations ? kByGenerations : 0U), 1);
  name();
  if (kind != UserKind::kNone) {
    decommissioned();
  }
  if (kind == UserKind::kCurrent) {
    devices();
    encode_vector(out, UserLookup::kKeysBounds, keys);
  }
}

// Writes an optional structure. If it is present, `write` writes it.
template <typename Out, typename Write>
void encode_optional(Out& out, bool present, const Write& write) {
  out.put_integer(present ? 1 : 0, 1);
  if (present) {
    write();
  }
}

// Writes what follows the head in a UserLookupAnswer. `parts` and `users` write the elements of the two lists.
template <typename Out, typename Parts, typename Users>
void encode_user_lookups(Out& out, const Parts& parts, const Users& users) {
  encode_vector(out, UserLookupAnswer::kPartsBounds, parts);
  encode_vector(out, UserLookupAnswer::kUsersBounds, users);
}

// Writes what follows the head in a UserMonitorAnswer. `names` and `keys` write the elements of the two lists,
// `decommissioned` an Entry, and `devices` a Versions structure.
template <typename Out, typename Names, typename Decommissioned, typename Devices, typename Keys>
void encode_user_monitor(Out& out, bool has_left, const Names& names, const Decommissioned& decommissioned,
                         const Devices& devices, const Keys& keys) {
  encode_vector(out, UserMonitorAnswer::kNamesBounds, names);
  decommissioned();
  if (!has_left) {
    devices();
    encode_vector(out, UserMonitorAnswer::kKeysBounds, keys);
  }
}

}  // namespace optiks::ozks::verify
