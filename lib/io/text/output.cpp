// Checked output.
// SPDX-License-Identifier: MIT
#include "io/text/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "topology/refuse.hpp"

namespace wormcast::io {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 17;

[[noreturn]] void fail(const std::string& what) { throw SystemError(what + ": " + std::strerror(errno)); }

/// Lets a pipe hold more, so that its writer and reader wait for each other less often. Where the system does
/// not, nothing changes.
void widen_pipe(int descriptor) {
#ifdef F_SETPIPE_SZ
  constexpr int bytes = 1 << 20;  // what Linux allows every user
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode)) ::fcntl(descriptor, F_SETPIPE_SZ, bytes);
#endif
}

bool is_regular_or_absent(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

bool is_standard_output(std::string_view path) { return path.empty() || path == "-"; }

bool is_device(const struct stat& status) { return S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode); }

/// Where a file of that name lies: what a chain of symbolic links leads to, as for the shell's `>`.
std::string behind_links(const std::string& path) {
  constexpr int most_links = 40;  // as many as Linux follows
  std::filesystem::path at = path;
  std::error_code fault;
  for (int i = 0; i < most_links && std::filesystem::is_symlink(at, fault); ++i) {
    const std::filesystem::path next = std::filesystem::read_symlink(at, fault);
    if (fault) break;
    at = at.parent_path() / next;  // an absolute path replaces what stands before it
  }
  return at.string();
}

/// True for another name of the file that standard output is, such as /dev/stdout: a rename would take it
/// away from whatever writes to standard output after this program.
bool is_file_of_standard_output(const std::string& path) {
  struct stat named {};
  struct stat standard {};
  return ::stat(path.c_str(), &named) == 0 && ::fstat(1, &standard) == 0 && named.st_dev == standard.st_dev &&
         named.st_ino == standard.st_ino;
}

/// True if what is written to both would be mixed, or one would replace the other.
bool same_place(const std::string& a, const std::string& b) {
  if (is_standard_output(a) && is_standard_output(b)) return true;
  struct stat of_a {};
  struct stat of_b {};
  const auto look = [](const std::string& path, struct stat& status) {
    return (is_standard_output(path) ? ::fstat(1, &status) : ::stat(path.c_str(), &status)) == 0;
  };
  const bool a_exists = look(a, of_a);
  const bool b_exists = look(b, of_b);
  if (a_exists != b_exists) return false;
  if (a_exists) return of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino && !is_device(of_a);
  if (is_standard_output(a) || is_standard_output(b)) return false;
  std::error_code fault;  // where a path cannot be followed, it cannot be written to either
  const std::filesystem::path whole_a =
      std::filesystem::weakly_canonical(std::filesystem::absolute(a), fault);
  if (fault) return false;
  return whole_a == std::filesystem::weakly_canonical(std::filesystem::absolute(b), fault) && !fault;
}

/// Paths of unfinished files, for the handler below; more than any tool writes.
std::array<std::atomic<const char*>, 16> unfinished_files;

void exchange_unfinished(const char* before, const char* after) {
  for (auto& file : unfinished_files)
    if (const char* expected = before; file.compare_exchange_strong(expected, after)) return;
}

/// What it raises comes when it returns, with the signal's own action: the program ends as if nothing had
/// caught it, and its status says so.
extern "C" void remove_unfinished_files(int signal) {
  for (const auto& file : unfinished_files)
    if (const char* path = file.load()) ::unlink(path);
  ::raise(signal);
}

/// All signals that end a program and can be caught; those that are ignored (nohup), or that a sanitizer has
/// caught, stay so.
void catch_fatal_signals() {
  constexpr int harmless[] = {SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH};
  struct sigaction action {};
  action.sa_handler = remove_unfinished_files;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigfillset(&action.sa_mask);
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    if (std::find(std::begin(harmless), std::end(harmless), signal) != std::end(harmless)) continue;
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
      ::sigaction(signal, &action, nullptr);
  }
}

using namespace std::string_view_literals;

/// The first bytes of each sort of compressed file, and the command that unpacks it.
struct Packer {
  std::string_view begin;
  std::string_view name;
  std::string_view command;
};

constexpr Packer packers[] = {
    {"\x1f\x8b"sv, "gzip", "gzip -dc"},
    {"\x1f\x9d"sv, "compress", "gzip -dc"},
    {"\xfd"
     "7zXZ\0"sv,
     "xz", "xz -dc"},
    {"\x5d\0\0"sv, "lzma", "xz -dc"},
    {"LZIP\x01"sv, "lzip", "lzip -dc"},
    {"\x28\xb5\x2f\xfd"sv, "zstd", "zstd -dc"},
    {"\x04\x22\x4d\x18"sv, "lz4", "lz4 -dc"},
    {"PK\x03\x04"sv, "zip", "unzip -p"},
    {"7z\xbc\xaf\x27\x1c"sv, "7-Zip", "7z x -so"},
};

/// What is written is never compressed: a name that says so would mislead whoever reads the file.
void refuse_packed_name(std::string_view path) {
  constexpr std::pair<std::string_view, std::string_view> endings[] = {
      {".gz", "gzip"}, {".xz", "xz"}, {".zst", "zstd"}, {".bz2", "bzip2"}};
  for (const auto& [ending, command] : endings)
    if (path.ends_with(ending))
      refuse(std::string(path), "output is not compressed; pipe it: ... | {} >FILE{}", command, ending);
}

/// Beside the file; shells' `*` skips a name that begins with a dot, as what a killed program leaves must be.
std::string unfinished_name(const std::filesystem::path& target) {
  const std::string name = fmt::format(".{}.tmp.{}", target.filename().string(), ::getpid());
  return (target.parent_path() / name).string();
}

const Packer* packer_of(std::string_view begin) {
  static constexpr Packer bzip2 = {"BZh", "bzip2", "bzip2 -dc"};  // then the size of its blocks, a digit
  if (begin.starts_with(bzip2.begin) && begin.substr(4).starts_with("1AY&SY")) return &bzip2;
  for (const Packer& packer : packers)
    if (begin.starts_with(packer.begin)) return &packer;
  return nullptr;
}

}  // namespace

UnfinishedFile::UnfinishedFile(std::string path) : path_(std::move(path)) {
  [[maybe_unused]] static const bool caught = (catch_fatal_signals(), true);
  exchange_unfinished(nullptr, path_.c_str());
}

UnfinishedFile::~UnfinishedFile() {
  if (!kept_) ::unlink(path_.c_str());
  exchange_unfinished(path_.c_str(), nullptr);
}

bool UnfinishedFile::keep_as(const std::string& target) {
  return kept_ = std::rename(path_.c_str(), target.c_str()) == 0;
}

void diagnose(std::string_view tool, std::string_view message) {
  std::string line = fmt::format("{}: {}", tool, message);
  for (char& c : line)
    if (c == '\n')
      c = ' ';
    else if ((c >= 0 && c < ' ' && c != '\t') || c == '\x7f')  // a terminal would obey them
      c = '?';
  line += '\n';
  // Nothing can be done about a failing stderr.
  std::fwrite(line.data(), 1, line.size(), stderr);
}

SystemError cannot_read(const std::string& file) {
  return SystemError("cannot read " + (file.empty() ? "standard input" : file) + ": " + std::strerror(errno));
}

Output::Output(std::string path) : path_(std::move(path)) {
  if (is_standard_output(path_) || is_file_of_standard_output(path_)) {
    path_ = "standard output";
    widen_pipe(descriptor_);
    return;
  }
  // A device or a pipe cannot be replaced by rename; it is written to directly.
  const bool replace = is_regular_or_absent(path_);
  target_ = replace ? behind_links(path_) : path_;
  if (replace) {
    refuse_packed_name(target_);
    temporary_.emplace(unfinished_name(target_));
  }
  descriptor_ = ::open(replace ? temporary_->path().c_str() : path_.c_str(),
                       O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("cannot write " + path_);
  struct stat old {};
  if (!replace || ::stat(target_.c_str(), &old) != 0) return;
  // Some file systems keep no modes: then there is none to lose.
  [[maybe_unused]] const int kept = ::fchmod(descriptor_, old.st_mode & 07777);
}

Output::~Output() {
  if (descriptor_ > 1) ::close(descriptor_);
}

/// What does not fit behind the rest.
void Output::write_behind_flush(std::string_view bytes) {
  flush();
  if (bytes.size() >= buffer_bytes) return put(bytes);
  if (size_ == 0) {
    buffer_.reset(new char[buffer_bytes]);  // not cleared; libc++ 14 has no name for that
    size_ = buffer_bytes;
  }
  write(bytes);
}

void Output::flush() {
  const std::size_t filled = std::exchange(filled_, 0);
  put({buffer_.get(), filled});
}

void Output::put(std::string_view bytes) {
  flushed_ += bytes.size();
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write " + path_);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Output::finish() {
  flush();
  if (::close(descriptor_) != 0) fail("cannot close " + path_);
  descriptor_ = -1;
  if (temporary_ && !temporary_->keep_as(target_)) fail("cannot write " + path_);
}

std::string Output::summary() const { return std::to_string(flushed_ + filled_) + " bytes to " + path_; }

void require_separate_outputs(const std::string& records_path, const std::vector<NamedOutput>& others) {
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (others[i].path.empty()) continue;
    const std::string path(others[i].path);
    const std::string place = is_standard_output(path) ? "standard output" : path;
    if (same_place(path, records_path))
      refuse(std::string(others[i].option), "{} is where the records go{}", place,
             records_path.empty() ? "" : " (-o)");
    for (std::size_t k = 0; k < i; ++k)
      if (!others[k].path.empty() && same_place(path, std::string(others[k].path)))
        refuse(std::string(others[i].option), "{} is where {} goes", place, others[k].option);
  }
}

Spool::Spool() : file_(std::tmpfile(), std::fclose) {
  if (file_ == nullptr) fail("cannot open a temporary file");
}

void Spool::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
    fail("cannot write a temporary file");
}

void Spool::drain_to(Output& output) {
  std::FILE* file = file_.get();
  if (std::fflush(file) != 0) fail("cannot write a temporary file");
  std::rewind(file);
  std::string chunk(buffer_bytes, '\0');
  while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), file))
    output.write(std::string_view(chunk).substr(0, got));
  if (std::ferror(file) != 0) fail("cannot read a temporary file");
  std::rewind(file);
  if (::ftruncate(::fileno(file), 0) != 0) fail("cannot empty a temporary file");
}

std::string compressed(std::string_view begin, std::string_view name) {
  const Packer* packer = begin.size() < 4 ? nullptr : packer_of(begin);
  if (packer == nullptr) return "";
  return fmt::format("compressed by {}; unpack it in the pipe: {} {} | ...", packer->name, packer->command,
                     name.empty() ? "FILE" : name);
}

}  // namespace wormcast::io
