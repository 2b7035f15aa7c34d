#include "optiks/client/journal.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "optiks/base/bytes.h"
#include "optiks/base/check.h"
#include "optiks/base/sha256.h"
#include "optiks/client/tls_writer.h"
#include "optiks/ozks/verify/codec.h"

namespace optiks::client {
namespace {

using ozks::verify::Hash;
using ozks::verify::kHashLen;
using ozks::verify::kMax24;
using ozks::verify::kMax32;
using ozks::verify::Reader;
using ozks::verify::Reason;
using ozks::verify::VectorBounds;

constexpr VectorBounds kJournalKeyBounds{1, kMaxRecordKeyLen};
constexpr VectorBounds kBodyBounds{1, kMax24};
constexpr VectorBounds kPutsBounds{0, kMax32};
constexpr VectorBounds kDeletesBounds{0, kMax24};

constexpr std::string_view kMagic = "OPTIKSST";
constexpr std::uint8_t kFormat = 1;
constexpr std::size_t kCheckLen = 16;
constexpr std::size_t kHeaderLen = kMagic.size() + 1 + kHashLen + kCheckLen;
constexpr std::size_t kLengthLen = 4;
constexpr std::size_t kLengthCheckLen = 8;
constexpr std::size_t kHeadLen = kLengthLen + kLengthCheckLen;
constexpr std::size_t kEndLen = 16;
constexpr std::size_t kTailLen = kCheckLen + kEndLen;
constexpr std::uint64_t kMaxChanges = std::uint64_t{1} << 27;
constexpr std::size_t kMinCompaction = std::size_t{1} << 16;

constexpr std::uint8_t kMetaForm = 1;
constexpr std::size_t kMetaLen = 1 + kHashLen + 8 + kHashLen;
constexpr std::uint8_t kMetaKey[] = {1};

// The tags of the hashes (section 4).
enum Tag : std::uint8_t { kRecordTag = 1, kHeaderTag = 2, kLengthTag = 3, kCommitTag = 4 };

Hash tagged_hash(Tag tag, std::initializer_list<ByteSpan> fields) {
  base::Sha256 hash;
  const std::uint8_t first[] = {tag};
  hash.update(first);
  for (const ByteSpan field : fields) {
    hash.update(field);
  }
  Hash out;
  hash.finish(out);
  return out;
}

bool is_meta(ByteSpan key) { return std::ranges::equal(key, kMetaKey); }

Bytes owned(ByteSpan octets) { return {octets.begin(), octets.end()}; }

bool begins_with(ByteSpan octets, ByteSpan prefix) {
  return octets.size() >= prefix.size() && std::ranges::equal(octets.first(prefix.size()), prefix);
}

bool are_zeros(ByteSpan octets) {
  return std::ranges::all_of(octets, [](std::uint8_t octet) { return octet == 0; });
}

Bytes encode_header(const Hash& log_id) {
  Bytes header = owned(octets_of(kMagic));
  header.push_back(kFormat);
  header.insert(header.end(), log_id.begin(), log_id.end());
  const Hash check = tagged_hash(kHeaderTag, {header});
  header.insert(header.end(), check.begin(), check.begin() + kCheckLen);
  return header;
}

// Returns the revision of a meta of the right length.
std::uint64_t revision_in(ByteSpan meta) { return base::load_be64(meta.data() + 1 + kHashLen); }

std::size_t put_len(ByteSpan key, ByteSpan body) {
  return kJournalKeyBounds.length_octets() + key.size() + kBodyBounds.length_octets() + body.size();
}

// Returns whether a frame that follows `before` has the right check. A crash may have left zeros in the place of the
// last octets of the end mark, which the check does not need.
bool is_whole(ByteSpan before, ByteSpan frame) {
  const ByteSpan changes = frame.subspan(kHeadLen, frame.size() - kHeadLen - kTailLen);
  const Hash check = tagged_hash(kCommitTag, {before, frame.first(kLengthLen), changes});
  const ByteSpan tail = frame.last(kTailLen);
  const ByteSpan end = tail.last(kEndLen);
  const auto unwritten = std::ranges::find_if(end, [](std::uint8_t octet) { return octet != 0xff; });
  return begins_with(check, tail.first(kCheckLen)) &&
         std::all_of(unwritten, end.end(), [](std::uint8_t octet) { return octet == 0; });
}

// Not inlined: GCC 12 would take the lengths of a literal key for those of every key, and warn.
[[gnu::noinline]] void write_put(TlsWriter& out, ByteSpan key, ByteSpan body) {
  out.octets(kJournalKeyBounds, key);
  out.octets(kBodyBounds, body);
}

}  // namespace

[[gnu::noinline]] bool KeyOrder::operator()(ByteSpan a, ByteSpan b) const {
  return std::ranges::lexicographical_compare(a, b);
}

Bytes Meta::encode() const {
  TlsWriter out;
  out.integer(kMetaForm, 1);
  out.raw(log_id);
  out.integer(revision, 8);
  out.raw(set_hash);
  return out.take();
}

void toggle_record(Hash& set_hash, ByteSpan key, ByteSpan body) {
  std::uint8_t length[2];
  base::store_be16(length, static_cast<std::uint16_t>(key.size()));
  const Hash hash = tagged_hash(kRecordTag, {length, key, body});
  for (std::size_t i = 0; i < set_hash.size(); ++i) {
    set_hash[i] ^= hash[i];
  }
}

const char* Journal::read(ByteSpan octets, Changes& changes, Digest& next) const {
  Reader reader(octets);
  Reader puts(reader.vector(kPutsBounds));
  Reader deletes(reader.vector(kDeletesBounds));
  while (puts.more()) {
    const ByteSpan key = puts.vector(kJournalKeyBounds);
    changes.puts.emplace_back(key, puts.vector(kBodyBounds));
  }
  while (deletes.more()) {
    changes.deletes.push_back(deletes.vector(kJournalKeyBounds));
  }
  if (reader.finish() != Reason::kValid || puts.failed() || deletes.failed()) {
    return "it does not decode";
  }
  next = set_hash_;
  for (std::size_t i = 0; i < changes.puts.size(); ++i) {
    const auto& [key, body] = changes.puts[i];
    if (i != 0 && !KeyOrder()(changes.puts[i - 1].first, key)) {
      return "its records are not in order";
    }
    // So meta, of kind 1, is the first record of every list that has it.
    if (key[0] == 0) {
      return "it has a record of no kind";
    }
    if (is_meta(key)) {
      continue;
    }
    if (const auto known = records_.find(key); known != records_.end()) {
      toggle_record(next, key, known->second);
    }
    toggle_record(next, key, body);
  }
  for (std::size_t i = 0; i < changes.deletes.size(); ++i) {
    const ByteSpan key = changes.deletes[i];
    const auto known = records_.find(key);
    const auto put = std::ranges::lower_bound(changes.puts, key, KeyOrder(), &std::pair<ByteSpan, ByteSpan>::first);
    if (i != 0 && !KeyOrder()(changes.deletes[i - 1], key)) {
      return "its deleted records are not in order";
    }
    if (is_meta(key) || known == records_.end() || (put != changes.puts.end() && std::ranges::equal(put->first, key))) {
      return "it deletes a record that it must not delete";
    }
    toggle_record(next, key, known->second);
  }
  return nullptr;
}

const char* Journal::check(const Changes& changes, const Digest& next) const {
  if (changes.puts.empty() || !is_meta(changes.puts[0].first)) {
    return revision_ == 0 ? nullptr : "it does not say which records there are";
  }
  const ByteSpan meta = changes.puts[0].second;
  if (meta.size() != kMetaLen || meta[0] != kMetaForm) {
    return "its meta does not decode";
  }
  if (!std::ranges::equal(meta.subspan(1, kHashLen), log_id_)) {
    return "its meta is of another log";
  }
  const std::uint64_t revision = revision_in(meta);
  if (revision == 0 || (revision_ != 0 && revision != revision_ + 1)) {
    return "its revision does not follow";
  }
  return std::ranges::equal(meta.last(kHashLen), next) ? nullptr
                                                       : "its set hash is another one than that of the records";
}

void Journal::apply(const Changes& changes, const Digest& next) {
  for (const auto& [key, body] : changes.puts) {
    const auto known = records_.find(key);
    live_len_ -= known == records_.end() ? 0 : put_len(key, known->second);
    live_len_ += put_len(key, body);
    records_.insert_or_assign(owned(key), owned(body));
  }
  for (const ByteSpan key : changes.deletes) {
    const auto known = records_.find(key);
    live_len_ -= put_len(key, known->second);
    records_.erase(known);
  }
  set_hash_ = next;
  if (!changes.puts.empty() && is_meta(changes.puts[0].first)) {
    revision_ = revision_in(changes.puts[0].second);
  }
}

Journal::Opened Journal::open(ByteSpan file) {
  OPTIKS_CHECK(len_ == 0);
  if (file.size() < kHeaderLen || !begins_with(file, octets_of(kMagic))) {
    return {.fault = JournalFault::kNotAJournal};
  }
  const ByteSpan header = file.first(kHeaderLen);
  const Hash header_check = tagged_hash(kHeaderTag, {header.first(kHeaderLen - kCheckLen)});
  if (!begins_with(header_check, header.last(kCheckLen))) {
    return {.fault = JournalFault::kDamaged, .what = "its header does not have the right check"};
  }
  if (header[kMagic.size()] != kFormat) {
    return {.fault = JournalFault::kLaterFormat};
  }
  if (!std::ranges::equal(header.subspan(kMagic.size() + 1, kHashLen), log_id_)) {
    return {.fault = JournalFault::kOtherLog};
  }
  std::ranges::copy(header.last(kCheckLen), check_.begin());
  len_ = kHeaderLen;
  const auto damaged = [&](const char* what) {
    return Opened{.fault = JournalFault::kDamaged, .what = what, .good_len = len_};
  };
  for (ByteSpan rest = file.subspan(len_); rest.size() >= kHeadLen; rest = file.subspan(len_)) {
    const Hash length_check = tagged_hash(kLengthTag, {check_, rest.first(kLengthLen)});
    if (!begins_with(length_check, rest.subspan(kLengthLen, kLengthCheckLen))) {
      if (are_zeros(rest.subspan(kHeadLen))) {
        break;
      }
      return damaged("the length of a commit does not have the right check");
    }
    const std::uint64_t changes_len = base::load_be32(rest.data());
    if (changes_len == 0 || changes_len > kMaxChanges) {
      return damaged("a commit is too long or empty");
    }
    const std::uint64_t whole = kHeadLen + changes_len + kTailLen;
    if (rest.size() < whole) {
      break;
    }
    const ByteSpan frame = rest.first(static_cast<std::size_t>(whole));
    if (!is_whole(check_, frame)) {
      if (rest.size() == whole && are_zeros(frame.last(kEndLen))) {
        break;
      }
      return damaged("a commit does not have the right check");
    }
    Changes changes;
    Digest next;
    const char* fault = read(frame.subspan(kHeadLen, frame.size() - kHeadLen - kTailLen), changes, next);
    fault = fault == nullptr ? check(changes, next) : fault;
    if (fault != nullptr) {
      return damaged(fault);
    }
    apply(changes, next);
    std::ranges::copy(frame.last(kTailLen).first(kCheckLen), check_.begin());
    len_ += frame.size();
  }
  return revision_ == 0 ? damaged("it does not end in a commit that says which records there are")
                        : Opened{.good_len = len_};
}

LoadReply Journal::load(const Load& load) const {
  LoadReply reply{.revision = revision_, .bodies = {}};
  for (const Bytes& key : load.keys) {
    const auto found = records_.find(key);
    reply.bodies.push_back(found == records_.end() ? std::nullopt : std::optional(found->second));
  }
  return reply;
}

CommitOutcome Journal::commit(const Commit& commit, Bytes& append) {
  if (commit.base != revision_) {
    return CommitOutcome::kConflict;
  }
  const auto fits = [](ByteSpan octets, const VectorBounds& bounds) {
    return octets.size() >= bounds.low && octets.size() <= bounds.high;
  };
  std::uint64_t len = kPutsBounds.length_octets() + kDeletesBounds.length_octets();
  std::uint64_t deletes_len = 0;
  bool is_valid = !commit.puts.empty() && is_meta(commit.puts[0].key);
  for (const Put& put : commit.puts) {
    is_valid = is_valid && fits(put.key, kJournalKeyBounds) && fits(put.body, kBodyBounds);
    len += put_len(put.key, put.body);
  }
  for (const Bytes& key : commit.deletes) {
    is_valid = is_valid && fits(key, kJournalKeyBounds);
    deletes_len += kJournalKeyBounds.length_octets() + key.size();
  }
  if (!is_valid || deletes_len > kDeletesBounds.high || len + deletes_len > kMaxChanges) {
    return CommitOutcome::kFailed;
  }
  TlsWriter out;
  out.vector(kPutsBounds, [&] {
    for (const Put& put : commit.puts) {
      write_put(out, put.key, put.body);
    }
  });
  out.vector(kDeletesBounds, [&] {
    for (const Bytes& key : commit.deletes) {
      out.octets(kJournalKeyBounds, key);
    }
  });
  Changes changes;
  Digest next;
  if (read(out.out(), changes, next) != nullptr || check(changes, next) != nullptr ||
      revision_in(changes.puts[0].second) != revision_ + 1) {
    return CommitOutcome::kFailed;
  }
  apply(changes, next);
  append.clear();
  if (len_ == 0) {
    append = encode_header(log_id_);
    std::ranges::copy(ByteSpan(append).last(kCheckLen), check_.begin());
    len_ = append.size();
  }
  add_frame(append, out.out());
  return CommitOutcome::kDone;
}

void Journal::add_frame(Bytes& file, ByteSpan changes) {
  std::uint8_t length[kLengthLen];
  base::store_be32(length, static_cast<std::uint32_t>(changes.size()));
  const Hash length_check = tagged_hash(kLengthTag, {check_, length});
  const Hash check = tagged_hash(kCommitTag, {check_, length, changes});
  file.insert(file.end(), std::begin(length), std::end(length));
  file.insert(file.end(), length_check.begin(), length_check.begin() + kLengthCheckLen);
  file.insert(file.end(), changes.begin(), changes.end());
  file.insert(file.end(), check.begin(), check.begin() + kCheckLen);
  file.insert(file.end(), kEndLen, 0xff);
  std::copy_n(check.begin(), kCheckLen, check_.begin());
  len_ += kHeadLen + changes.size() + kTailLen;
}

bool Journal::is_worth_compacting() const { return len_ >= kMinCompaction && len_ >= 2 * live_len_; }

Bytes Journal::compact() {
  Bytes file = encode_header(log_id_);
  std::ranges::copy(ByteSpan(file).last(kCheckLen), check_.begin());
  len_ = file.size();
  // Frames without meta come first. Each has at most kMaxChanges octets, because a record has at most 2^24.
  constexpr std::size_t kFrameLen = std::size_t{1} << 20;
  TlsWriter puts;
  const auto end_frame = [&] {
    TlsWriter changes;
    changes.octets(kPutsBounds, puts.out());
    changes.octets(kDeletesBounds, {});
    add_frame(file, changes.out());
    puts = TlsWriter();
  };
  auto record = records_.begin();
  OPTIKS_CHECK(record != records_.end() && is_meta(record->first));
  const Bytes& meta = record->second;
  for (++record; record != records_.end(); ++record) {
    write_put(puts, record->first, record->second);
    if (puts.out().size() >= kFrameLen) {
      end_frame();
    }
  }
  const Bytes last = puts.take();
  puts = TlsWriter();
  write_put(puts, kMetaKey, meta);
  puts.raw(last);
  end_frame();
  return file;
}

}  // namespace optiks::client
