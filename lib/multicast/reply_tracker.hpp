// Which multicasts of a stream nodes answer, and with which they do.
//
// A multicast whose workload says `answers` is answered by each of its destinations but its source. One whose
// workload says `answer` is the answer of its source to the only multicast that it depends on.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "multicast/plan.hpp"
#include "multicast/routes.hpp"
#include "router/router_model.hpp"

namespace wormcast {

inline constexpr std::string_view workload_answers = "answers";
inline constexpr std::string_view workload_answer = "answer";
/// Value of `answers` in witnesses, where a worm that began elsewhere is a multicast of its own: what answers
/// it need not go to its source.
inline constexpr std::string_view answers_anywhere = "anywhere";

bool is_answered(const Request& request);
bool is_answer(const Request& request);

/// What a worm of an answer has from the worm that it answers.
struct Answered {
  std::uint64_t multicast = 0;  ///< that is answered
  std::uint32_t worm = 0;       ///< of it: the one that comes to the answer's source
  std::uint32_t starter = 0;    ///< the answer's worm that its source sends
  AnswerPort port;
};

/// Memory: that of the multicasts yet to be answered.
class ReplyTracker {
 public:
  /// The multicasts of a segment one after the other. Says what this one answers; nothing if it is no answer.
  /// Throws InputError where it is one of nothing that awaits it.
  std::optional<Answered> add(const Request& request, const std::vector<WormRoute>& worms);
  /// One for routers whose nodes are busy until they have answered.
  static std::optional<ReplyTracker> of(const RouterModel& model) {
    return model.answered() ? std::optional<ReplyTracker>(std::in_place) : std::nullopt;
  }
  /// Throws InputError where an answer is yet to come.
  void refuse_unanswered() const;

 private:
  struct Awaited {
    std::uint32_t worm = 0;
    AnswerPort port;
  };
  struct Open {
    std::optional<HostId> source;  ///< if answers go there
    std::map<HostId, Awaited> by;  ///< hosts yet to answer
  };
  std::map<std::uint64_t, Open> open_;
};

/// Whether a stream is run with nodes that are busy until they have answered, and nothing in it is answered.
class LackOfAnswers {
 public:
  explicit LackOfAnswers(const RouterModel& model) : none_(model.answered()) {}
  void add(const Request& request) {
    came_ = true;
    none_ = none_ && !is_answered(request);
  }
  /// What to say of that at the end; empty: nothing.
  const char* in_words() const {
    return came_ && none_ ? "--consumption-release answered changes nothing: no workload says answers; "
                            "depends_on delays a start and keeps no node busy"
                          : "";
  }

 private:
  bool none_, came_ = false;
};

}  // namespace wormcast
