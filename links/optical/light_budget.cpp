#include "links/optical/light_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "links/optical/bit_errors.hpp"

namespace lightrail {

Decibel LightBudget::margin() const {
  const double left = lines.empty() ? launch.value : lines.back().after.value;
  return Decibel{left - sensitivity.value};
}

double LightBudget::bit_error_rate() const {
  return pre_fec_bit_error_rate(margin());
}

double LightBudget::failure() const {
  return codeword_failure(bit_error_rate(), burst_bits);
}

std::string LightBudget::text() const {
  std::string out = fmt::format("light budget of {}\n", path);
  out += fmt::format("  {:<44} {:>9} {:>11}\n", "", "loss", "level");
  out += fmt::format("  {:<44} {:>9} {:>7.2f} dBm\n", "transmitter (OMA, least)", "", launch.value);
  for (const Line& line : lines)
    out += fmt::format("  {:<44} {:>6.2f} dB {:>7.2f} dBm\n", line.what, line.loss.value, line.after.value);
  out += fmt::format("  {:<44} {:>9} {:>7.2f} dBm\n", "receiver needs (OMA)", "", sensitivity.value);
  out += fmt::format("  {:<44} {:>6.2f} dB\n", "margin", margin().value);
  out += fmt::format("  {:<44} {:>9.2e}\n", "bit errors before FEC", bit_error_rate());
  out += fmt::format("  {:<44} {:>9.2e}\n", "codewords that RS(544,514) cannot correct", failure());
  return out;
}

LightBudget light_budget(std::string path, const std::vector<LightSpan>& spans) {
  LIGHTRAIL_EXPECT(!spans.empty());
  const TransceiverSpec& tx = spans.front().fibre->transceiver;
  const TransceiverSpec& rx = spans.back().fibre->transceiver;
  LightBudget budget{std::move(path), tx.launch,   {},
                     rx.sensitivity,  Metres{0.0}, std::min(tx.reach, rx.reach)};
  budget.min_margin = spans.front().fibre->min_margin;
  double level = tx.launch.value;
  auto lose = [&](std::string what, double loss) {
    level -= loss;
    budget.lines.push_back({std::move(what), Decibel{loss}, PowerDbm{level}});
  };
  // The receiver's sensitivity holds for a signal of eye closure `sensitivity_tdecq`; a worse one needs more
  // power.
  lose(fmt::format("eye closure {:g} dB over {:g} dB", tx.tdecq.value, rx.sensitivity_tdecq.value),
       std::max(0.0, tx.tdecq.value - rx.sensitivity_tdecq.value));
  lose("interference and dispersion allowance", std::max(tx.penalty.value, rx.penalty.value));
  for (const LightSpan& span : spans) {
    const OpticalSpec& fibre = *span.fibre;
    budget.length += fibre.length;
    budget.min_margin = std::min(budget.min_margin, fibre.min_margin);
    budget.burst_bits = std::max(budget.burst_bits, fibre.burst_bits);
    if (fibre.connectors > 0)
      lose(fmt::format("connectors, {} x {:g} dB", fibre.connectors, fibre.connector_loss.value),
           fibre.connectors * fibre.connector_loss.value);
    if (fibre.splices > 0)
      lose(fmt::format("splices, {} x {:g} dB", fibre.splices, fibre.splice_loss.value),
           fibre.splices * fibre.splice_loss.value);
    if (fibre.circulators > 0)
      lose(fmt::format("circulators, {} x {:g} dB", fibre.circulators, fibre.circulator_loss.value),
           fibre.circulators * fibre.circulator_loss.value);
    if (fibre.ageing.value > 0) lose("age and temperature allowance", fibre.ageing.value);
    lose(fmt::format("fibre, {:g} m x {:g} dB/km", fibre.length.value, fibre.fibre_loss.value),
         fibre.length.value / 1000 * fibre.fibre_loss.value);
    if (!span.passes.empty()) lose("optical switch " + span.passes, span.passing_loss.value);
  }
  return budget;
}

void check_budget(const LightBudget& budget, const InputError& place, ErrorList& errors) {
  if (budget.length > budget.reach)
    errors.add({place.file, place.line,
                fmt::format("{} of fibre on {} is beyond the reach of the transceivers ({})",
                            format_value(budget.length), budget.path, format_value(budget.reach))});
  // Sums of decibels: a budget that closes exactly may come out a rounding error below.
  const double least = budget.min_margin.value, margin = budget.margin().value;
  if (margin >= least - 1e-9) return;
  errors.add({place.file, place.line,
              least == 0 ? fmt::format("the light margin is negative, {:.2f} dB:\n{}", margin, budget.text())
                         : fmt::format("the light margin is {:.2f} dB, less than least-margin {:g} dB:\n{}",
                                       margin, least, budget.text())});
}

}  // namespace lightrail
