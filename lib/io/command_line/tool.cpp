// What every tool's main is made of.
// SPDX-License-Identifier: MIT
#include "io/command_line/tool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "topology/error.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace wormcast::io {

void add_inputs(CommandLine& line, CommonOptions& common) {
  line.add_option("FILE", common.inputs, "FILE",
                  "Record streams, one after the other; none or - is standard input");
}

void add_list(CommandLine& line, CommonOptions& common, const std::string& help, void (*list)(Output&)) {
  common.list = list;
  line.add_flag("--list", common.listed, help);
}

namespace {

/// A standard descriptor that is closed when the tool starts would be given to the next file that is opened,
/// and records would go into it or come out of it. Taken up by /dev/null, opened the wrong way round, it
/// gives an error when it is used and none when it is not.
void reserve_standard_descriptors() {
  for (const auto& [descriptor, wrong_way] :
       {std::pair{0, O_WRONLY}, std::pair{1, O_RDONLY}, std::pair{2, O_WRONLY}})
    if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", wrong_way);
}

/// Continues the heap in a huge page, where the system gives these on request: a tool touches some hundred
/// pages, and each costs a microsecond the first time, on some virtual machines ten. Elsewhere it does
/// nothing.
void allocate_in_huge_page() {
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
  constexpr std::size_t page = std::size_t{1} << 21;
  constexpr std::size_t header = 16;  // of a block
  constexpr std::size_t usual = 4096;
  ::mallopt(M_TOP_PAD, 2 * page);         // the heap grows by as much at once,
  ::mallopt(M_MMAP_THRESHOLD, 2 * page);  // and holds the buffers of records
  // An unused block takes what is before the boundary.
  std::unique_ptr<char[]> next(new (std::nothrow) char[usual]);
  const auto at = reinterpret_cast<std::uintptr_t>(next.get());
  const std::uintptr_t boundary = (at + page - 1) / page * page;
  if (boundary - at < usual) return;
  next.reset();
  static const std::unique_ptr<char[]> filler(new (std::nothrow) char[boundary - at - header]);
  if (filler) {
    ::mallopt(M_TRIM_THRESHOLD, 32 * page);                             // it does not shrink and grow again
    ::madvise(reinterpret_cast<void*>(boundary), page, MADV_HUGEPAGE);  // NOLINT(performance-no-int-to-ptr)
  } else {  // so little memory is allowed: as ever
    ::mallopt(M_TOP_PAD, 1 << 17);
    ::mallopt(M_MMAP_THRESHOLD, 1 << 17);
  }
#endif
}

/// Prints help or version on a checked output.
int answer(const std::string& text, const std::string& path = {}) {
  Output output(path);
  output.write(text);
  output.finish();
  return exit_yes;
}

int parse_and_work(CommandLine& line, std::vector<std::string> arguments, const ToolText& text,
                   CommonOptions& common, const std::function<int(Output&)>& work) {
  const auto usage = [&] { return line.usage(WORMCAST_VERSION, common.lists); };
  const Asked asked = line.parse(std::move(arguments));
  if (asked == Asked::short_help) return answer(short_help(usage()));
  if (asked == Asked::full_help) return answer(full_help(usage()));
  if (asked == Asked::version) return answer(fmt::format("{} (wormcast) {}\n", text.name, WORMCAST_VERSION));
  if (common.described) return answer(described(usage()), common.output_path);
  Output output(common.output_path);
  const int status = common.listed ? (common.list(output), exit_yes) : work(output);
  output.finish();
  if (common.verbose) diagnose(text.name, "wrote " + output.summary());
  return status;
}

/// Bytes of all inputs, or 0 where one of them is no regular file.
std::uint64_t bytes_of(std::vector<std::string> inputs) {
  if (inputs.empty()) inputs.emplace_back("-");
  std::uint64_t sum = 0;
  for (const std::string& input : inputs) {
    struct stat status {};
    const int failed = input == "-" ? fstat(STDIN_FILENO, &status) : stat(input.c_str(), &status);
    if (failed != 0 || !S_ISREG(status.st_mode)) return 0;
    sum += static_cast<std::uint64_t>(status.st_size);
  }
  return sum;
}

}  // namespace

int detail::run(int argc, char** argv, const ToolText& text, CommonOptions& common,
                const std::function<void(CommandLine&)>& declare, const std::function<int(Output&)>& work) {
  allocate_in_huge_page();
  reserve_standard_descriptors();
  try {
    CommandLine line(text);
    line.add_option("-o,--output", common.output_path, "FILE", "Write to this file, whole or not at all");
    line.add_flag("--describe", common.described, "");
    line.add_flag("-v,--verbose", common.verbose, "Say on stderr what is being done");
    declare(line);
    return parse_and_work(line, {argv + std::min(argc, 1), argv + argc}, text, common, work);
  } catch (const InputError& error) {
    std::string message = error.place;
    for (const std::string& part : {error.field, std::string(error.what())})
      if (!part.empty()) message += (message.empty() ? "" : ": ") + part;
    diagnose(text.name, message);
  } catch (const SystemError& error) {
    diagnose(text.name, error.what());
  } catch (const std::bad_alloc&) {
    diagnose(text.name, "out of memory");
  } catch (const std::exception& error) {  // an invariant that does not hold
    diagnose(text.name, fmt::format("internal error: {}; no answer: please report the command and its input",
                                    error.what()));
  }
  return exit_failure;
}

Progress::Progress(std::string_view tool, const std::vector<std::string>& inputs)
    : shown_(isatty(STDERR_FILENO) == 1), tool_(tool) {
  if (!shown_) return;
  total_bytes_ = bytes_of(inputs);
  try {
    watch_ = std::thread([this] { watch(); });
  } catch (const std::exception&) {  // no more threads are to be had
  }
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_one();
  if (watch_.joinable()) watch_.join();
  wipe();
}

void Progress::watch() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::milliseconds(500), [&] { return ends_; })) {
    const Clock::time_point now = Clock::now();
    if (now - last_ >= std::chrono::milliseconds(1500))
      write(fmt::format("at work for {:.0f} s", std::chrono::duration<double>(now - begin_).count()), false);
  }
}

void Progress::wipe() {
  const std::lock_guard lock(mutex_);
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
  last_ = Clock::now();
}

void Progress::show(std::uint64_t cycle) {
  if (!shown_) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  std::string text = fmt::format("cycle {}, {} records, {:.0f} records/s", cycle, records_,
                                 static_cast<double>(records_) / seconds);
  if (total_bytes_ > bytes_)
    text += fmt::format(", {:.0f} s left",
                        seconds * static_cast<double>(total_bytes_ - bytes_) / static_cast<double>(bytes_));
  say_at_times(text);
}

void Progress::say_at_times(std::string_view what) {
  if (!shown_) return;
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(200)) return;
  last_ = now;
  write(what, false);
}

void Progress::say(std::string_view what, bool stays) {
  if (!shown_) return;
  const std::lock_guard lock(mutex_);
  last_ = Clock::now();
  write(what, stays);
}

void Progress::write(std::string_view what, bool stays) {
  drawn_ = !stays;
  std::fputs(fmt::format("\r\033[K{}: {}{}", tool_, what, stays ? "\n" : "\r").c_str(), stderr);
}

}  // namespace wormcast::io
