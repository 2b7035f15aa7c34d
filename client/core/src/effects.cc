#include "optiks/client/effects.h"

#include <utility>

#include "optiks/client/tls_writer.h"
#include "optiks/ozks/verify/codec.h"

namespace optiks::client {
namespace {

using ozks::verify::kMax16;
using ozks::verify::kMax24;
using ozks::verify::kMax32;
using ozks::verify::Reader;
using ozks::verify::Reason;
using ozks::verify::VectorBounds;

constexpr VectorBounds kShortBounds{0, 255};
constexpr VectorBounds kTargetBounds{1, kMax16};
constexpr VectorBounds kRecordKeyBounds{1, kMaxRecordKeyLen};
constexpr VectorBounds kKeysBounds{0, kMax24};
constexpr VectorBounds kLongBounds{0, kMax32};

Bytes read_octets(Reader& reader, const VectorBounds& bounds) {
  const ByteSpan octets = reader.vector(bounds);
  return {octets.begin(), octets.end()};
}

std::string read_text(Reader& reader, const VectorBounds& bounds) {
  return std::string(text_of(reader.vector(bounds)));
}

// Reads an enum or a bool whose least value is `least`.
template <typename T>
T read_enum(Reader& reader, std::uint8_t least, std::uint8_t count) {
  const auto value = static_cast<std::uint8_t>(reader.integer(1));
  if (value < least || value >= least + count) {
    reader.fail(Reason::kMalformedEnum);
    return static_cast<T>(least);
  }
  return static_cast<T>(value);
}

// Reads a vector whose elements `read` reads.
template <typename Read>
auto read_list(Reader& reader, const VectorBounds& bounds, const Read& read) {
  std::vector<decltype(read(reader))> list;
  Reader inner(reader.vector(bounds));
  while (inner.more()) {
    list.push_back(read(inner));
  }
  if (inner.failed()) {
    reader.fail(inner.reason());
  }
  return list;
}

Bytes read_record_key(Reader& reader) { return read_octets(reader, kRecordKeyBounds); }

void write(TlsWriter& out, const Http& http) {
  out.integer(http.server, 1);
  out.integer(static_cast<std::uint8_t>(http.method), 1);
  out.octets(kTargetBounds, octets_of(http.target));
  out.octets(kShortBounds, octets_of(http.accept));
  out.octets(kShortBounds, octets_of(http.content_type));
  out.octets(kLongBounds, http.body);
  out.integer(http.credential ? 1 : 0, 1);
  out.integer(http.max_len, 4);
  out.integer(http.within_ms, 4);
}

void write(TlsWriter& out, const Load& load) {
  out.vector(kKeysBounds, [&] {
    for (const Bytes& key : load.keys) {
      out.octets(kRecordKeyBounds, key);
    }
  });
}

void write(TlsWriter& out, const Commit& commit) {
  out.integer(commit.base, 8);
  out.vector(kLongBounds, [&] {
    for (const Put& put : commit.puts) {
      out.octets(kRecordKeyBounds, put.key);
      out.octets(kLongBounds, put.body);
    }
  });
  out.vector(kKeysBounds, [&] {
    for (const Bytes& key : commit.deletes) {
      out.octets(kRecordKeyBounds, key);
    }
  });
}

void write(TlsWriter& out, const Wait& wait) { out.integer(wait.until_steady_ms, 8); }
void write(TlsWriter& out, const Progress& progress) { out.integer(progress.pages, 4); }
void write(TlsWriter& out, const Done& done) { out.octets(kLongBounds, done.result); }

Http read_http(Reader& reader) {
  Http http;
  http.server = static_cast<std::uint8_t>(reader.integer(1));
  http.method = read_enum<HttpMethod>(reader, 1, 2);
  http.target = read_text(reader, kTargetBounds);
  http.accept = read_text(reader, kShortBounds);
  http.content_type = read_text(reader, kShortBounds);
  http.body = read_octets(reader, kLongBounds);
  http.credential = read_enum<bool>(reader, 0, 2);
  http.max_len = static_cast<std::uint32_t>(reader.integer(4));
  http.within_ms = static_cast<std::uint32_t>(reader.integer(4));
  return http;
}

Commit read_commit(Reader& reader) {
  Commit commit;
  commit.base = reader.integer(8);
  commit.puts = read_list(reader, kLongBounds, [](Reader& inner) {
    Bytes key = read_record_key(inner);
    return Put{.key = std::move(key), .body = read_octets(inner, kLongBounds)};
  });
  commit.deletes = read_list(reader, kKeysBounds, read_record_key);
  return commit;
}

// Returns the value if all octets were read and are valid.
template <typename T>
std::optional<T> finish(Reader& reader, T value) {
  return reader.finish() == Reason::kValid ? std::optional<T>(std::move(value)) : std::nullopt;
}

}  // namespace

Bytes Effect::encode() const {
  TlsWriter out;
  out.integer(id, 4);
  out.integer(what.index() + 1, 1);
  std::visit([&](const auto& effect) { write(out, effect); }, what);
  return out.take();
}

std::optional<Effect> Effect::decode(ByteSpan octets) {
  Reader reader(octets);
  Effect effect;
  effect.id = static_cast<std::uint32_t>(reader.integer(4));
  switch (reader.integer(1)) {
    case 1:
      effect.what = read_http(reader);
      break;
    case 2:
      effect.what = Load{read_list(reader, kKeysBounds, read_record_key)};
      break;
    case 3:
      effect.what = read_commit(reader);
      break;
    case 4:
      effect.what = Wait{reader.integer(8)};
      break;
    case 5:
      effect.what = Progress{static_cast<std::uint32_t>(reader.integer(4))};
      break;
    case 6:
      effect.what = Done{read_octets(reader, kLongBounds)};
      break;
    default:
      reader.fail(Reason::kMalformedEnum);
  }
  return finish(reader, std::move(effect));
}

Bytes HttpReply::encode() const {
  TlsWriter out;
  out.integer(static_cast<std::uint8_t>(outcome), 1);
  out.integer(status, 2);
  out.octets(kShortBounds, octets_of(content_type));
  out.integer(retry_after_ms, 4);
  return out.take();
}

std::optional<HttpReply> HttpReply::decode(ByteSpan octets) {
  Reader reader(octets);
  HttpReply reply;
  reply.outcome = read_enum<HttpOutcome>(reader, 0, 6);
  reply.status = static_cast<std::uint16_t>(reader.integer(2));
  reply.content_type = read_text(reader, kShortBounds);
  reply.retry_after_ms = static_cast<std::uint32_t>(reader.integer(4));
  return finish(reader, std::move(reply));
}

Bytes LoadReply::encode() const {
  TlsWriter out;
  out.integer(revision, 8);
  out.vector(kLongBounds, [&] {
    for (const std::optional<Bytes>& body : bodies) {
      out.integer(body ? 1 : 0, 1);
      if (body) {
        out.octets(kLongBounds, *body);
      }
    }
  });
  return out.take();
}

std::optional<LoadReply> LoadReply::decode(ByteSpan octets, std::size_t num_keys) {
  Reader reader(octets);
  LoadReply reply;
  reply.revision = reader.integer(8);
  // The number of records is compared before they are kept, because an absent one takes a single octet here.
  Reader inner(reader.vector(kLongBounds));
  while (inner.more() && reply.bodies.size() < num_keys) {
    const bool present = read_enum<bool>(inner, 0, 2);
    reply.bodies.push_back(present ? std::optional(read_octets(inner, kLongBounds)) : std::nullopt);
  }
  if (inner.finish() != Reason::kValid || reply.bodies.size() != num_keys) {
    return std::nullopt;
  }
  return finish(reader, std::move(reply));
}

Bytes CommitReply::encode() const { return {static_cast<std::uint8_t>(outcome)}; }

std::optional<CommitReply> CommitReply::decode(ByteSpan octets) {
  Reader reader(octets);
  const CommitReply reply{read_enum<CommitOutcome>(reader, 0, 3)};
  return finish(reader, reply);
}

std::optional<WaitReply> WaitReply::decode(ByteSpan octets) {
  return octets.empty() ? std::optional(WaitReply()) : std::nullopt;
}

}  // namespace optiks::client
