// Call: a call of the C ABI with arguments that the call accepts. A test replaces single arguments by bad ones.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>

#include "optiks/optiks.h"

namespace optiks::ozks::test {

template <typename... Params>
class Call {
  using Arguments = std::tuple<Params...>;

 public:
  // A row of a table: the position of an argument, the value that replaces it, and the status that the call must
  // return.
  class Row {
   public:
    template <std::size_t I>
    Row(std::integral_constant<std::size_t, I> at, std::tuple_element_t<I, Arguments> bad,
        std::int32_t status = OPTIKS_E_ARGUMENT)
        : position_(at), replace_([bad](Arguments& arguments) { std::get<I>(arguments) = bad; }), status_(status) {}

   private:
    friend class Call;
    std::size_t position_;
    std::function<void(Arguments&)> replace_;
    std::int32_t status_;
  };

  Call(const char* name, std::int32_t (*function)(Params...), std::type_identity_t<Params>... arguments)
      : name_(name), function_(function), arguments_(arguments...) {}

  std::int32_t operator()() const { return std::apply(function_, arguments_); }

  // Replaces an argument for all later calls.
  template <std::size_t I>
  void set(std::integral_constant<std::size_t, I>, std::tuple_element_t<I, Arguments> value) {
    std::get<I>(arguments_) = value;
  }

  // Makes one call for each row, and expects the row's status.
  void refuses(std::initializer_list<Row> rows) const {
    for (const Row& row : rows) {
      Arguments arguments = arguments_;
      row.replace_(arguments);
      EXPECT_EQ(std::apply(function_, arguments), row.status_)
          << name_ << " with another argument " << row.position_ << " (status of row " << &row - rows.begin() << ")";
    }
  }

  // Makes one call for each position, with a null pointer there, and expects that the call refuses this argument.
  template <std::size_t... I>
  void needs(std::integral_constant<std::size_t, I>... positions) const {
    refuses({Row(positions, nullptr)...});
  }

 private:
  const char* name_;
  std::int32_t (*function_)(Params...);
  Arguments arguments_;
};

// The position of an argument, from 0 on.
template <std::size_t I>
inline constexpr std::integral_constant<std::size_t, I> kArg{};

}  // namespace optiks::ozks::test
