// Tests 58 to 64 of docs/negative-tests.md: records, checkpoints and log proofs. Test 63, about cosignatures, is not
// here, because the verifier's caller checks them against its policy.
#include <gtest/gtest.h>

#include <algorithm>

#include "optiks/ozks/verify/rfc6962.h"
#include "scene.h"

namespace optiks::ozks::verify::test {
namespace {

constexpr std::string_view kOrigin = "optiks.example/log";

class NegativeBoard : public testing::Test {
 protected:
  // Returns the verdict on record 4 and a later record of the scene, which `change` has changed.
  template <typename Change>
  [[nodiscard]] std::string later_changed(Change change, std::uint64_t step = 1) const {
    RecordParts later = scene_.record(4 + step);
    change(later);
    return after(later, scene_.record(4));
  }

  [[nodiscard]] std::string after(const RecordParts& later, const RecordParts& earlier) const {
    const Bytes later_octets = later.encode();
    const Bytes earlier_octets = earlier.encode();
    return name_of(
        check_against_kept(read_record(later_octets), {read_record(earlier_octets), {}}, scene_.context().anchor));
  }

  // Returns the verdict on a record and an earlier, kept record. `period_start`: the record of the first epoch of the
  // earlier record's period.
  [[nodiscard]] std::string after(const RecordParts& later, const RecordParts& earlier,
                                  const RecordParts& period_start) const {
    const Bytes later_octets = later.encode();
    const Bytes earlier_octets = earlier.encode();
    const Bytes start_octets = period_start.encode();
    return name_of(check_against_kept(
        read_record(later_octets), {read_record(earlier_octets), read_record(start_octets)}, scene_.context().anchor));
  }

  [[nodiscard]] std::string alone(const RecordParts& record) const {
    const Bytes octets = record.encode();
    return name_of(check_record(read_record(octets), scene_.context().anchor));
  }

  [[nodiscard]] std::string checkpoint(const std::string& note) const {
    Checkpoint out;
    return name_of(
        verify_checkpoint(to_bytes(note), to_bytes(kOrigin), scene_.log_key.public_key(), ed25519_verify, out));
  }

  // Returns the verdict on a checkpoint with this text and the log's signature.
  [[nodiscard]] std::string signed_body(const std::string& body) const {
    return checkpoint(signed_note(body, kOrigin, scene_.log_key));
  }

  [[nodiscard]] std::string root64() const { return base64(scene_.checkpoint_of(10).root); }

  [[nodiscard]] std::string head(const HeadParts& head, const Context& context) const {
    return Scene::lookup_answer(encode_answer(head, {scene_.honest().encode()}), context);
  }
  [[nodiscard]] std::string head(const HeadParts& parts) const { return head(parts, scene_.context()); }

  Scene scene_;
};

TEST_F(NegativeBoard, N00PositiveControl) {
  for (std::uint64_t epoch = 0; epoch <= Scene::kLast; ++epoch) {
    EXPECT_EQ(alone(scene_.record(epoch)), "valid");
    for (std::uint64_t other = 0; other <= Scene::kLast; ++other) {
      EXPECT_EQ(after(scene_.record(epoch), scene_.record(other)), "valid");
    }
  }
  EXPECT_EQ(signed_body(checkpoint_body(kOrigin, 10, scene_.checkpoint_of(10).root)), "valid");
  for (std::uint64_t kept = 0; kept <= 10; ++kept) {
    Context context = scene_.context();
    if (kept > 0) {
      context.kept_checkpoint = scene_.checkpoint_of(kept);
    }
    EXPECT_EQ(head(scene_.head(9, 10, kept), context), "valid") << kept;
  }
}

TEST_F(NegativeBoard, N58ChainAndTime) {
  EXPECT_EQ(later_changed([](RecordParts& r) { r.previous[0] ^= 1; }), "record_previous");
  EXPECT_EQ(later_changed([](RecordParts& r) { r.previous[0] ^= 1; }, 2), "valid");
  EXPECT_EQ(later_changed([&](RecordParts& r) { r.time_ms = scene_.record(4).time_ms; }), "record_time");
  EXPECT_EQ(later_changed([&](RecordParts& r) { r.time_ms = scene_.record(4).time_ms + 1; }), "valid");
  EXPECT_EQ(later_changed([&](RecordParts& r) { r.time_ms = scene_.record(4).time_ms + 1; }, 2), "record_time");
  EXPECT_EQ(later_changed([](RecordParts& r) { r.time_ms = 0; }), "record_time");
  // The verdict must be the same if the arguments are exchanged.
  RecordParts later = scene_.record(5);
  later.time_ms = 0;
  EXPECT_EQ(after(scene_.record(4), later), "record_time");
}

TEST_F(NegativeBoard, N58Periods) {
  const RecordParts start = scene_.record(0);
  const auto switched = [&](RecordParts& r) {
    r.period = 1;
    r.period_first_epoch = r.epoch;
    r.time_ms = start.time_ms + scene_.configuration.period_length_ms;
    r.structures[structure_index(kDevices)].vrf_public_key[0] ^= 1;
    r.structures[structure_index(kKeys)].vrf_public_key[0] ^= 1;
    r.structures[structure_index(kKeys)].count = 1;
  };
  const auto with = [&](auto change) {
    RecordParts later = scene_.record(5);
    switched(later);
    change(later);
    return after(later, scene_.record(4), start);
  };
  EXPECT_EQ(with([](RecordParts&) {}), "valid");
  EXPECT_EQ(with([](RecordParts& r) { r.period = 2; }), "record_period");
  EXPECT_EQ(with([](RecordParts& r) { --r.period_first_epoch; }), "record_period");
  EXPECT_EQ(later_changed([](RecordParts& r) { r.period = 1; }), "record_period");
  EXPECT_EQ(later_changed([](RecordParts& r) { r.period_first_epoch = 1; }), "record_period");
  // The client can accept a switch only if it has the record of the period's first epoch. Here this is record 0.
  EXPECT_EQ(later_changed(switched), "record_period");
  RecordParts later = scene_.record(5);
  switched(later);
  EXPECT_EQ(after(later, start), "valid");
  // These switches come one millisecond too early.
  later.time_ms = start.time_ms + scene_.configuration.period_length_ms - 1;
  EXPECT_EQ(after(later, start), "record_period");
  EXPECT_EQ(after(later, scene_.record(4), start), "record_period");
  // A record that is two periods later must be later by at least twice the length of a period.
  later = scene_.record(6);
  switched(later);
  later.period = 2;
  EXPECT_EQ(after(later, scene_.record(4), start), "record_period");
  later.time_ms = start.time_ms + 2 * scene_.configuration.period_length_ms - 1;
  EXPECT_EQ(after(later, scene_.record(4), start), "record_period");
  ++later.time_ms;
  EXPECT_EQ(after(later, scene_.record(4), start), "valid");
  RecordParts back = scene_.record(6);
  RecordParts in_period = scene_.record(5);
  switched(in_period);
  back.previous = record_hash(in_period.encode());
  back.time_ms = in_period.time_ms + 1;
  EXPECT_EQ(after(back, in_period), "record_period");
}

// Tests that the verifier checks the record of the period's first epoch before it uses it, even if the period does not
// switch.
TEST_F(NegativeBoard, N58PeriodStart) {
  const auto with = [&](auto change) {
    RecordParts start = scene_.record(0);
    change(start);
    return after(scene_.record(5), scene_.record(4), start);
  };
  EXPECT_EQ(with([](RecordParts&) {}), "valid");
  EXPECT_EQ(with([](RecordParts& r) { r.format = 2; }), "record_format");
  EXPECT_EQ(with([](RecordParts& r) { r.log_id[0] ^= 1; }), "record_log_id");
  EXPECT_EQ(with([&](RecordParts& r) { r = scene_.record(1); }), "record_period");
  EXPECT_EQ(with([&](RecordParts& r) { r = scene_.record(4); }), "record_period");
  EXPECT_EQ(with([](RecordParts& r) { r.period = 1; }), "record_period");
  EXPECT_EQ(with([&](RecordParts& r) { r.time_ms = scene_.record(4).time_ms; }), "record_time");
  EXPECT_EQ(with([](RecordParts& r) { r.structures[structure_index(kKeys)].vrf_public_key[0] ^= 1; }),
            "record_vrf_key");
  // If the kept record is of the period's first epoch, the record of that epoch must be the kept record itself.
  RecordParts other = scene_.record(0);
  EXPECT_EQ(after(scene_.record(5), scene_.record(0), other), "valid");
  ++other.time_ms;
  EXPECT_EQ(after(scene_.record(5), scene_.record(0), other), "fork");
}

TEST_F(NegativeBoard, N58FutureAndPast) {
  Context context = scene_.context();
  const std::uint64_t time = scene_.record(9).time_ms;
  const auto at = [&](std::uint64_t now) {
    context.now_ms = now;
    return head(scene_.head(9, 10), context);
  };
  EXPECT_EQ(at(time - 60'000), "valid");
  EXPECT_EQ(at(time - 60'001), "record_from_future");
  EXPECT_EQ(at(0), "record_from_future");
  EXPECT_EQ(at(time + 300'000), "valid");
  EXPECT_EQ(at(time + 300'001), "record_too_old");
  EXPECT_EQ(at(UINT64_MAX), "record_too_old");
}

TEST_F(NegativeBoard, N59WhatNeverChanges) {
  for (const std::uint8_t id : kStructures) {
    EXPECT_EQ(later_changed([&](RecordParts& r) { r.structures[structure_index(id)].vrf_public_key[3] ^= 1; }),
              "record_vrf_key");
  }
  RecordParts record = scene_.record(4);
  record.format = 2;
  EXPECT_EQ(alone(record), "record_format");
  record = scene_.record(4);
  record.log_id[0] ^= 1;
  EXPECT_EQ(alone(record), "record_log_id");
  // A log with another configuration or log key is another log.
  Scene other;
  other.configuration.max_devices = 63;
  const Bytes answer = encode_answer(scene_.head(9, 10), {scene_.honest().encode()});
  EXPECT_EQ(Scene::lookup_answer(answer, other.context()), "record_log_id");
  EXPECT_EQ(Scene::lookup_answer(answer, scene_.context()), "valid");
}

TEST_F(NegativeBoard, N59Counts) {
  EXPECT_EQ(later_changed([&](RecordParts& r) { r.structures[2].count = scene_.record(4).structures[2].count - 1; }),
            "record_count");
  RecordParts record = scene_.record(4);
  record.structures[0].count = 1;
  EXPECT_EQ(alone(record), "record_count");
  record = scene_.record(4);
  record.structures[2].root = empty_root();
  EXPECT_EQ(alone(record), "record_count");
  record = scene_.record(0);
  record.previous[0] = 1;
  EXPECT_EQ(alone(record), "record_previous");
  record = scene_.record(0);
  record.structures[2] = scene_.record(4).structures[2];
  EXPECT_EQ(alone(record), "record_count");
}

TEST_F(NegativeBoard, N59Configuration) {
  const auto read = [](const ConfigurationParts& parts) {
    const Bytes octets = parts.encode();
    Configuration out;
    return name_of(read_configuration(octets, out));
  };
  EXPECT_EQ(read({}), "valid");
  const auto changed = [&](auto change) {
    ConfigurationParts parts;
    change(parts);
    return read(parts);
  };
  EXPECT_EQ(changed([](auto& c) { c.format = 3; }), "configuration");
  EXPECT_EQ(changed([](auto& c) { c.suite = 0; }), "configuration");
  EXPECT_EQ(changed([](auto& c) { c.period_length_ms = 0; }), "configuration");
  EXPECT_EQ(changed([](auto& c) { c.retained_periods = 1; }), "configuration");
  EXPECT_EQ(changed([](auto& c) { c.username_reuse = 2; }), "configuration");
  EXPECT_EQ(changed([](auto& c) { c.max_key_len = 0; }), "configuration");
  EXPECT_EQ(changed([](auto& c) { c.max_value_len = 0; }), "configuration");
  EXPECT_EQ(changed([](auto& c) { c.max_value_len = (1U << 20) + 1; }), "configuration");
  EXPECT_EQ(changed([](auto& c) { c.max_value_len = 1U << 20; }), "valid");
  EXPECT_EQ(changed([](auto& c) { c.max_devices = 0; }), "configuration");
  EXPECT_EQ(changed([](auto& c) { c.heartbeat_ms = 0; }), "configuration");
  for (const char* origin :
       {"a b", "a+b", "a/", "a\nb", "a\x7F", "a\xC2\xA0", "a\xE2\x80\x83z", "\xFF", "\xC0\x80", "\xED\xA0\x80"}) {
    EXPECT_EQ(changed([&](auto& c) { c.origin = to_bytes(origin); }), "configuration") << origin;
  }
  EXPECT_EQ(changed([](auto& c) {
              c.origin = to_bytes(
                  "gr\xC3\xB6\xC3\x9F"
                  "e.example/\xF0\x9F\x94\x91");
            }),
            "valid");
  EXPECT_EQ(changed([](auto& c) { c.origin = {}; }), "malformed_length");
  Bytes octets = ConfigurationParts().encode();
  octets.push_back(0);
  Configuration out;
  EXPECT_EQ(name_of(read_configuration(octets, out)), "malformed_trailing");
  octets.resize(octets.size() - 2);
  EXPECT_EQ(name_of(read_configuration(octets, out)), "malformed_truncated");
}

TEST_F(NegativeBoard, N60Signers) {
  const std::string body = checkpoint_body(kOrigin, 10, scene_.checkpoint_of(10).root);
  const SigningKey& log = scene_.log_key;
  const SigningKey rogue(2);
  const auto note = [&](const Bytes& key_id, const Bytes& signature, std::string_view name = kOrigin) {
    return body + "\n" + signature_line(name, key_id, signature);
  };
  const Bytes good = log.sign(to_bytes(body));
  EXPECT_EQ(checkpoint(note(log.key_id(kOrigin), good)), "valid");
  EXPECT_EQ(checkpoint(note(rogue.key_id(kOrigin), rogue.sign(to_bytes(body)))), "checkpoint_signature");
  EXPECT_EQ(checkpoint(note(log.key_id(kOrigin), rogue.sign(to_bytes(body)))), "checkpoint_signature");
  EXPECT_EQ(checkpoint(note(log.key_id(kOrigin, 4), good)), "checkpoint_signature");
  EXPECT_EQ(checkpoint(note(log.key_id(kOrigin), good, "other.example")), "checkpoint_signature");
  Bytes bad = good;
  bad[0] ^= 1;
  EXPECT_EQ(checkpoint(note(log.key_id(kOrigin), bad)), "checkpoint_signature");
  EXPECT_EQ(checkpoint(note(log.key_id(kOrigin), Bytes(good.begin(), good.end() - 1))), "checkpoint_signature");
  const std::string two = note(log.key_id(kOrigin), good) + signature_line(kOrigin, log.key_id(kOrigin), good);
  EXPECT_EQ(checkpoint(two), "checkpoint_signature");
}

TEST_F(NegativeBoard, N60Body) {
  const std::string origin(kOrigin);
  const auto body = [&](const std::string& size, const std::string& root) {
    std::string text = origin;
    for (const std::string& line : {size, root}) {
      text.append("\n").append(line);
    }
    return signed_body(text.append("\n"));
  };
  EXPECT_EQ(body("10", root64()), "valid");
  for (const char* size : {"010", "+10", "-10", " 10", "10 ", "", "0x0a", "1e1", "18446744073709551616"}) {
    EXPECT_EQ(body(size, root64()), "checkpoint_malformed") << size;
  }
  EXPECT_EQ(body("18446744073709551615", root64()), "valid");
  EXPECT_EQ(body("10", base64(Bytes(31))), "checkpoint_malformed");
  EXPECT_EQ(body("10", base64(Bytes(33))), "checkpoint_malformed");
  EXPECT_EQ(body("10", root64().substr(0, 43)), "checkpoint_malformed");
  EXPECT_EQ(body("10", root64() + "\nextension"), "checkpoint_malformed");
  EXPECT_EQ(body("10", root64() + "\n"), "checkpoint_malformed");
  EXPECT_EQ(body("10", root64() + "\r"), "checkpoint_malformed");
  EXPECT_EQ(body("10\t", root64()), "checkpoint_malformed");
  // The unused bits of a base64 text must be 0. The last digits A and B differ only in an unused bit.
  std::string root = base64(Bytes(32));
  EXPECT_EQ(body("10", root), "valid");
  root[42] = 'B';
  EXPECT_EQ(body("10", root), "checkpoint_malformed");
}

TEST_F(NegativeBoard, N60Size) {
  const std::string body = checkpoint_body(kOrigin, 10, scene_.checkpoint_of(10).root);
  const std::string own = signature_line(kOrigin, scene_.log_key.key_id(kOrigin), scene_.log_key.sign(to_bytes(body)));
  const auto with_others = [&](int count, std::size_t length) {
    std::string note = body + "\n" + own;
    for (int i = 0; i < count; ++i) {
      note += signature_line(numbered("w", i), Bytes(4, 1), Bytes(length, 2));
    }
    return note;
  };
  EXPECT_EQ(checkpoint(with_others(63, 72)), "valid");
  EXPECT_EQ(checkpoint(with_others(64, 72)), "checkpoint_malformed");
  const std::string almost = with_others(1, 48'000);
  ASSERT_LT(almost.size(), 65'536U);
  EXPECT_EQ(checkpoint(almost), "valid");
  EXPECT_EQ(checkpoint(with_others(1, 49'200)), "checkpoint_malformed");
}

TEST_F(NegativeBoard, N61AgainstTheKeptCheckpoint) {
  Context context = scene_.context();
  context.kept_checkpoint = scene_.checkpoint_of(10);
  EXPECT_EQ(head(scene_.head(8, 9), context), "stale");
  context.kept_checkpoint->root[0] ^= 1;
  EXPECT_EQ(head(scene_.head(9, 10), context), "fork");
  context.kept_checkpoint = scene_.checkpoint_of(7);
  EXPECT_EQ(head(scene_.head(9, 10), context), "checkpoint_consistency");
  EXPECT_EQ(head(scene_.head(9, 10, 6), context), "checkpoint_consistency");
  EXPECT_EQ(head(scene_.head(9, 10, 7), context), "valid");
  context.kept_checkpoint->root[0] ^= 1;
  EXPECT_EQ(head(scene_.head(9, 10, 7), context), "checkpoint_consistency");
  // Each of the refused heads has a consistency proof that it must not have. The client has no kept checkpoint, or a
  // kept checkpoint of the same size, or the head uses the kept checkpoint.
  EXPECT_EQ(head(scene_.head(9, 10, 7)), "checkpoint_consistency");
  context.kept_checkpoint = scene_.checkpoint_of(10);
  HeadParts extra = scene_.head(9, 10);
  extra.consistency.resize(1);
  EXPECT_EQ(head(extra, context), "checkpoint_consistency");
  extra = scene_.head(9, 10, 10);
  EXPECT_EQ(head(extra, context), "valid");
  extra.consistency.resize(1);
  EXPECT_EQ(head(extra, context), "checkpoint_consistency");
  extra.consistency.resize(64);
  EXPECT_EQ(head(extra, context), "malformed_length");
  // The answer has no checkpoint, and the client keeps no checkpoint.
  EXPECT_EQ(head(scene_.head(9, 10, 10)), "checkpoint_missing");
}

TEST_F(NegativeBoard, N61N66AgainstTheKeptRecord) {
  Context context = scene_.context();
  const Bytes kept = scene_.record(9).encode();
  context.kept_record = {read_record(kept), {}};
  EXPECT_EQ(head(scene_.head(9, 10), context), "valid");
  RecordParts changed = scene_.record(9);
  ++changed.time_ms;
  const Bytes other = changed.encode();
  context.kept_record = {read_record(other), {}};
  EXPECT_EQ(head(scene_.head(9, 10), context), "fork");
  changed = scene_.record(6);
  changed.structures[structure_index(kKeys)].vrf_public_key[0] ^= 1;
  const Bytes other_key = changed.encode();
  context.kept_record = {read_record(other_key), {}};
  EXPECT_EQ(head(scene_.head(9, 10), context), "record_vrf_key");
}

TEST_F(NegativeBoard, N62OriginOfAnotherLog) {
  const Hash root = scene_.checkpoint_of(10).root;
  const std::string other = "other.example/log";
  // The log's key signs a checkpoint with another log's origin, once under its own name and once under the other log's
  // name.
  EXPECT_EQ(checkpoint(signed_note(checkpoint_body(other, 10, root), kOrigin, scene_.log_key)), "checkpoint_origin");
  EXPECT_EQ(checkpoint(signed_note(checkpoint_body(other, 10, root), other, scene_.log_key)), "checkpoint_origin");
  EXPECT_EQ(checkpoint(signed_note(checkpoint_body(kOrigin, 10, root), kOrigin, scene_.log_key)), "valid");
}

TEST_F(NegativeBoard, N64Inclusion) {
  EXPECT_EQ(head(scene_.head(9, 10)), "valid");
  HeadParts parts = scene_.head(9, 10);
  const HeadParts smaller = scene_.head(8, 9);
  parts.checkpoint = smaller.checkpoint;
  parts.inclusion = smaller.inclusion;
  EXPECT_EQ(head(parts), "inclusion_index");
  parts = scene_.head(9, 10);
  parts.inclusion = scene_.head(8, 10).inclusion;
  EXPECT_EQ(head(parts), "inclusion_proof");
  parts = scene_.head(9, 10);
  parts.inclusion.pop_back();
  EXPECT_EQ(head(parts), "inclusion_proof");
  parts = scene_.head(9, 10);
  parts.inclusion.emplace_back();
  EXPECT_EQ(head(parts), "inclusion_proof");
  parts = scene_.head(9, 10);
  parts.inclusion[0][0] ^= 1;
  EXPECT_EQ(head(parts), "inclusion_proof");
  // The head has the record of epoch 9 with the inclusion proof of entry 8.
  parts = scene_.head(8, 10);
  parts.record = scene_.record(9).encode();
  EXPECT_EQ(head(parts), "inclusion_proof");
  // An interior node of the log cannot be presented as an entry, because the prefixes 0x00 and 0x01 of their hashes
  // differ.
  const auto leaves = scene_.log_leaves(2);
  Writer pair;
  pair.raw(leaves[0]).raw(leaves[1]);
  EXPECT_NE(log_leaf_hash(pair.get()), log_node_hash(leaves[0], leaves[1]));
}

TEST_F(NegativeBoard, N64EveryPairOfSizes) {
  const auto leaves = scene_.log_leaves(10);
  for (std::size_t size = 1; size <= leaves.size(); ++size) {
    const std::span<const Hash> all = std::span(leaves).first(size);
    const Hash root = log_root(all);
    for (std::size_t index = 0; index < size; ++index) {
      Writer proof;
      for (const Hash& hash : log_inclusion(all, index)) {
        proof.raw(hash);
      }
      for (std::size_t claimed = 0; claimed <= size; ++claimed) {
        EXPECT_EQ(verify_inclusion(claimed, size, leaves[index], root, proof.get()), claimed == index);
      }
    }
    for (std::size_t old_size = 1; old_size <= size; ++old_size) {
      Writer proof;
      for (const Hash& hash : log_consistency(all, old_size)) {
        proof.raw(hash);
      }
      for (std::size_t claimed = 1; claimed <= size; ++claimed) {
        const Hash old_root = log_root(std::span(leaves).first(old_size));
        EXPECT_EQ(verify_consistency(claimed, size, old_root, root, proof.get()), claimed == old_size);
      }
    }
  }
}

}  // namespace
}  // namespace optiks::ozks::verify::test
