// The values that records are grouped by.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "report/collector.hpp"
#include "topology/error.hpp"
#include "topology/name_table.hpp"

namespace wormcast {

std::vector<ParameterOf> KeyReader::known_of(const std::vector<std::string>& parameters) {
  std::vector<ParameterOf> known;
  for (const std::string& name : parameters) known.push_back(known_parameter(name));
  return known;
}

const std::vector<std::string>& KeyReader::read(const Subject& subject) {
  if (subject.segment != segment_) {
    segment_ = subject.segment;
    std::fill(common_.begin(), common_.end(), std::nullopt);
    std::fill(of_segment_.begin(), of_segment_.end(), std::string());
  }
  key_.resize(parameters_.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    key_[i] = parameter(subject, parameters_[i], known_[i]);
    if (subject.plan != nullptr) {
      if (!common_[i])
        common_[i] = key_[i];
      else if (*common_[i] != key_[i])
        common_[i] = mixed_value;
    } else if (key_[i].empty()) {
      if (common_[i]) key_[i] = *common_[i];
    } else if (of_segment_[i].empty() || of_segment_[i] == key_[i]) {
      of_segment_[i] = key_[i];
    } else {
      of_segment_[i] = mixed_value;
    }
    if (!key_[i].empty()) seen_[i] = true;
  }
  return key_;
}

void learn_run(const std::vector<Attribute>& attributes, RunValues& run) {
  for (const Attribute& attribute : attributes) {
    if (attribute.of == Attribute::Of::record) continue;
    std::string& value = run.try_emplace(std::string(attribute.name), attribute.value).first->second;
    if (value != attribute.value) value = mixed_value;
  }
}

void KeyReader::check_all_seen(const std::string& field, std::span<const std::string_view> but) const {
  if (segment_ == 0) return;  // no record came
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (seen_[i] || std::find(but.begin(), but.end(), parameters_[i]) != but.end()) continue;
    std::vector<std::string_view> known;
    for (const ParameterText& text : known_parameters()) known.push_back(text.name);
    if (std::find(known.begin(), known.end(), parameters_[i]) != known.end()) continue;
    throw InputError(field, "no record has it: " + unknown_name_message("parameter", parameters_[i], known));
  }
}

}  // namespace wormcast
