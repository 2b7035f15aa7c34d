// Makes the records of a client's state for tests.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "optiks/client/records.h"

namespace optiks::client::state::test {

// Returns consecutive octets.
template <std::size_t Len = 32>
std::array<std::uint8_t, Len> record_run(std::uint8_t first) {
  std::array<std::uint8_t, Len> run;
  for (std::uint8_t& octet : run) {
    octet = first++;
  }
  return run;
}

// Makes random records that obey the rules of single records. Numbers and ids are often extreme ones.
class RecordMaker {
 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool flag() { return below(2) == 1; }

  template <typename Make>
  auto maybe(const Make& make) {
    return flag() ? std::optional(make()) : std::nullopt;
  }

  template <typename Make>
  auto many(const Make& make) {
    std::vector<decltype(make())> list;
    for (std::size_t left = below(4); left > 0; --left) {
      list.push_back(make());
    }
    return list;
  }

 public:
  Head head() { return {number(), hash(), octets(1, 300), octets(1, 390)}; }
  End end() { return {octets(1, 390)}; }

  Cosigners cosigners() {
    std::set<std::string> keys;
    for (std::size_t left = below(4) + 1; left > 0; --left) {
      const Bytes key = octets(1, 20);
      keys.emplace(key.begin(), key.end());
    }
    Cosigners all;
    for (const std::string& key : keys) {
      all.cosigners.push_back({key, number(), hash(), octets(1, 100)});
    }
    return all;
  }

  Unaudited unaudited() {
    Unaudited all{many([&] { return belief(); })};
    all.beliefs.push_back(belief());
    return all;
  }

  OwnIndex own_index() {
    std::set<ChainName> chains;
    std::set<Id> users{id()};
    for (std::size_t left = below(4); left > 0; --left) {
      chains.insert({static_cast<std::uint8_t>(2 + below(2)), id()});
      users.insert(id());
    }
    return {{chains.begin(), chains.end()}, {users.begin(), users.end()}};
  }

  Chain chain() {
    Chain chain;
    const std::size_t parts = below(3);
    if (parts != 0) {
      chain.seen = {number(), cursor(), number(), flag()};
    }
    if (parts != 1) {
      chain.own = own();
    }
    return chain;
  }

  Value value() { return {octets(0, 300)}; }
  List list() { return {octets(0, 300)}; }
  Leaf leaf() { return {octets(0, 300)}; }

  Name name() {
    Name name{.least = number()};
    if (flag()) {
      name.user = {id(), maybe([&] { return static_cast<std::uint32_t>(random_()); }), maybe([&] { return number(); })};
    }
    return name;
  }

  Person person() {
    Person person;
    const std::size_t parts = below(3);
    if (parts != 0) {
      person.left = number();
    }
    if (parts != 1) {
      person.own = {maybe([&] { return number(); }),
                    flag(),
                    many([&] { return id(); }),
                    many([&] { return id(); }),
                    many([&] { return uuid(); }),
                    many([&] {
                      PersonAlarm alarm{.epoch = number()};
                      if (flag()) {
                        alarm.what = NameElsewhere{id(), id()};
                      }
                      return alarm;
                    })};
    }
    return person;
  }

  Leaves leaves() {
    Leaves all{many([&] { return LeafName{number(), number(), true, number(), hash()}; })};
    all.leaves.push_back({number(), number(), flag(), number(), hash()});
    return all;
  }

  Note note() { return {uuid(), uuid(), octets(1, 100), hash()}; }

  Fork fork() {
    return {flag() ? Breach::kFork : Breach::kLeafContradicts, "/data/\u00e9/" + std::to_string(random_())};
  }

 private:
  Id id() { return octets(1, flag() ? 3 : 40); }
  std::uint64_t number() {
    switch (below(3)) {
      case 0:
        return below(3);
      case 1:
        return random_();
      default:
        return ~std::uint64_t{0} - below(3);
    }
  }

  Bytes octets(std::size_t least, std::size_t most) {
    Bytes octets(least + below(most - least + 1));
    std::ranges::generate(octets, [&] { return static_cast<std::uint8_t>(random_()); });
    return octets;
  }

  Hash hash() { return record_run(static_cast<std::uint8_t>(random_())); }
  Uuid uuid() { return record_run<16>(static_cast<std::uint8_t>(random_())); }

  Belief belief() {
    return {number(),
            hash(),
            static_cast<std::int64_t>(number()),
            number(),
            maybe([&] { return id(); }),
            number(),
            maybe([&] { return hash(); })};
  }

  Cursor cursor() {
    return {number(), number(), number(), maybe([&] { return number(); }), maybe([&] { return number(); }), maybe([&] {
              return hash();
            })};
  }

  Own own() {
    return {
        flag(), maybe([&] { return cursor(); }), many([&] {
          Expected expected{.request = uuid(), .overtaken = flag(), .change = ValueChange{hash()}};
          if (flag()) {
            expected.change = ListChange{many([&] { return id(); }), many([&] { return id(); })};
          }
          return expected;
        }),
        many([&] {
          return Alarm{static_cast<AlarmWhy>(below(4)), number(), number(), number(), maybe([&] { return hash(); })};
        }),
        many([&] {
          const auto [from, to] = std::minmax({number(), number()});
          return Missed{number(), from, to, flag()};
        })};
  }

  std::mt19937_64 random_{45};
};

}  // namespace optiks::client::state::test
