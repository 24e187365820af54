#include "engine/base/error.hpp"

#include <fmt/format.h>

#include <utility>

namespace lightrail {

namespace {

std::string joined(const std::vector<InputError>& errors) {
  std::string text;
  for (const InputError& error : errors) text += (text.empty() ? "" : "\n") + to_string(error);
  return text;
}

std::string place_and_text(SimTime time, const std::string& component, const std::string& what) {
  return component.empty() ? fmt::format("at {}: {}", format_time(time), what)
                           : fmt::format("{} at {}: {}", component, format_time(time), what);
}

}  // namespace

std::string to_string(const InputError& error) {
  if (error.file.empty()) return error.what;
  if (error.line <= 0) return error.file + ": " + error.what;
  return fmt::format("{}:{}: {}", error.file, error.line, error.what);
}

InputErrors::InputErrors(std::vector<InputError> errors)
    : std::runtime_error(joined(errors)), errors_(std::move(errors)) {}

SimulationError::SimulationError(SimTime when, std::string who, const std::string& what)
    : std::runtime_error(place_and_text(when, who, what)), time(when), component(std::move(who)) {}

void fail_contract(const char* expression, const char* file, int line) {
  throw ContractError(fmt::format("contract '{}' broken at {}:{}", expression, file, line));
}

}  // namespace lightrail
