// Codec of program records.
// SPDX-License-Identifier: MIT
#include "io/records/program_record.hpp"

namespace wormcast::io {
namespace {

constexpr std::array<std::string_view, 1> forever_words = {"forever"}, tail_words = {"tail"};

/// How often a loop is run: a number, or "forever".
struct LoopRounds {
  static void read(const Value& value, ProgramStep& step, const Scope& scope) {
    if (value.raw().starts_with('"')) {
      word_index(value, forever_words);
      step.forever = true;
    } else {
      Number<1>::read(value, step.repeat, scope);
    }
  }
  static void write(const ProgramStep& step, RecordLine& line, const Scope& scope) {
    if (step.forever)
      line.string(forever_words[0]);
    else
      Number<1>::write(step.repeat, line, scope);
  }
  static bool any(const ProgramStep& step) { return step.forever || step.repeat; }
  static std::string form() {
    return R"({"oneOf":[)" + Number<1>::form() + "," + words_form(forever_words) + "]}";
  }
};
/// "tail" closes a window.
struct WindowEnd {
  static void read(const Value& value, bool& to, const Scope&) {
    word_index(value, tail_words);
    to = true;
  }
  static void write(bool, RecordLine& line, const Scope&) { line.string(tail_words[0]); }
  static std::string form() { return words_form(tail_words); }
};
/// ProgramSteps, which may hold steps.
struct ProgramSteps {
  static void read(const Value& array, std::vector<ProgramStep>& to, const Scope& scope);
  static void write(const std::vector<ProgramStep>& from, RecordLine& line, const Scope& scope);
  static std::string form();
};
/// The same within a step.
struct InnerProgramSteps : ProgramSteps {
  static std::string form() { return R"({"$ref":"#/properties/processes/items/properties/steps"})"; }
};

constexpr auto program_step_rows = table(
    where_stated<&ProgramStep::send, Number<>>(
        "send", "a packet, by the routes with this id, from the process's node"),
    where_stated<&ProgramStep::flits, Number<1>>("flits",
                                                 "of what is sent; omitted: `length_flits` of the routes"),
    where_stated<&ProgramStep::receive, Number<1>>("receive",
                                                   "flits: the window for what comes to the process's node"),
    where_stated<&ProgramStep::from, Number<>>("from", "the routes whose packets it takes; omitted: any"),
    where_stated<&ProgramStep::until_tail, WindowEnd>("until", "a packet's tail closes the window, too"),
    where_stated<&ProgramStep::take, Name>("take", "a counter: waits until it is `count`, and lowers it"),
    where_stated<&ProgramStep::give, Name>("give",
                                           "a counter: raises it, and waits where that passes its limit"),
    row<Part<&ProgramStep::count>, Number<1, UINT32_MAX>>("count", "of the counter; omitted: 1")
        .only_if([](const ProgramStep& step) { return step.count != 1; })
        .absent([](ProgramStep& step) { step.count = 1; }),
    where_stated<&ProgramStep::compute, Number<>>("compute", "cycles"),
    row<Self<ProgramStep>, LoopRounds>("repeat", "how often `steps` are made").only_if(LoopRounds::any),
    where_stated<&ProgramStep::steps, InnerProgramSteps>("steps", "of the loop"));

void ProgramSteps::read(const Value& array, std::vector<ProgramStep>& to, const Scope& scope) {
  List<Object<program_step_rows>>::read(array, to, scope);
}
void ProgramSteps::write(const std::vector<ProgramStep>& from, RecordLine& line, const Scope& scope) {
  List<Object<program_step_rows>>::write(from, line, scope);
}
std::string ProgramSteps::form() { return List<Object<program_step_rows>>::form(); }

constexpr auto program_counter_rows =
    table(always<&ProgramCounter::name, Name>("name", "a lock, semaphore or number of tokens"),
          where_stated<&ProgramCounter::start, Number<>>("start", "its value at first; omitted: 0"),
          where_stated<&ProgramCounter::limit, Number<1>>("limit", "its largest; omitted: none"));
constexpr auto program_process_rows = table(
    always<&ProgramProcess::name, Name>("name", "a DMA channel, core, rank or host"),
    where_stated<&ProgramProcess::host, Optional<Host>>("host", "the node it sends from and receives at"),
    always<&ProgramProcess::steps, ProgramSteps>("steps", "one after the other"));
constexpr char no_process[] = "an empty array; without a process there is no program";
constexpr auto program_rows =
    table(where_stated<&Program::counters, List<Object<program_counter_rows>>>(
              "counters", "what processes wait for beside packets"),
          always<&Program::processes, NotEmpty<SomeOf<Object<program_process_rows>>, no_process>>(
              "processes", "all at once"),
          where_stated<&Program::run, List<Object<program_event_rows>>>(
              "run", "of a verdict: the order in which a simulation grants"));

}  // namespace

void read_program_record(const Value& record, const Topology& topology, Program& program) {
  program = {};
  program.extras = read_record_rows<program_rows>(record, program, {&topology});
}

std::string_view write_program_record(const Program& program, RecordLine& line) {
  return write_record<program_rows>("program", program, line, program.extras);
}

RecordForm program_form() {
  return {"program", "What the nodes of a network do with packets", row_forms<program_rows>()};
}

}  // namespace wormcast::io
