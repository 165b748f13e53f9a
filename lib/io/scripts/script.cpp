// Running a script: its input is a socket, which can be written to when nothing reads any more, its output
// files in memory.
// SPDX-License-Identifier: MIT
#include "io/scripts/script.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <utility>

#include "io/text/output.hpp"
#include "topology/named_values.hpp"
#include "topology/refuse.hpp"

extern char** environ;

namespace wormcast::io {
namespace {

constexpr std::size_t most_waiting = std::size_t{1} << 16, most_written = std::size_t{1} << 28;

}  // namespace

Script::MemoryFile::MemoryFile() : descriptor(::memfd_create("script", MFD_CLOEXEC)) {
  if (descriptor < 0) throw cannot_read("memory");
}
Script::MemoryFile::~MemoryFile() { ::close(descriptor); }

std::string Script::MemoryFile::text() const {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw cannot_read("memory");
  if (status.st_size > static_cast<off_t>(most_written))
    refuse("FILE", "a script writes more than {} bytes", most_written);
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t got = ::pread(descriptor, text.data() + at, text.size() - at, static_cast<off_t>(at));
    if (got <= 0) throw cannot_read("memory");
    at += static_cast<std::size_t>(got);
  }
  return text;
}

Script::Script(std::string_view name, const std::vector<std::string>& arguments) : name_(name) {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::path tools = fs::read_symlink("/proc/self/exe", none).parent_path();
  const std::string path = tools.parent_path() / "share/wormcast/converters" / name_;
  // Without /proc it is not known where the tools are; the folder that they are run in does not say it.
  if (name_.empty() || tools.empty() || !fs::exists(path, none)) return;
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw cannot_read(name_);
  input_ = ends[0];
  ::signal(SIGCHLD, SIG_DFL);  // where it is ignored nothing says how a process ended
  std::vector<char*> words = {const_cast<char*>(path.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  // One locale: its bytes are UTF-8 whatever the user's is, and nothing warns of one that is not there.
  std::string locale = "LC_ALL=C";
  std::vector<char*> variables = {locale.data()};
  for (char** one = environ; *one != nullptr; ++one)
    if (!std::string_view(*one).starts_with("LC_ALL=")) variables.push_back(*one);
  std::string terminal = "WORMCAST_TERMINAL=";  // where it says how far it is
  if (const char* own = ::ttyname(STDERR_FILENO); own != nullptr)
    variables.push_back((terminal += own).data());
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
  ::posix_spawn_file_actions_adddup2(&actions, written_.descriptor, 1);
  ::posix_spawn_file_actions_adddup2(&actions, said_.descriptor, 2);
  if (::posix_spawn(&process_, path.c_str(), &actions, nullptr, words.data(), variables.data()) != 0)
    process_ = -1;
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
}

Script::~Script() {
  close_input();
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

void Script::close_input() {
  if (input_ >= 0) ::close(std::exchange(input_, -1));
}

void Script::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= most_waiting) send();
}

void Script::send() {
  std::string_view rest = buffer_;
  while (!rest.empty() && input_ >= 0) {
    const ssize_t sent = ::send(input_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) close_input();  // it has ended, and says why
    rest.remove_prefix(sent < 0 ? 0 : static_cast<std::size_t>(sent));
  }
  buffer_.clear();
}

std::optional<std::string> Script::finish(std::string_view tool) {
  send();
  close_input();
  if (process_ < 0) return std::nullopt;
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
  process_ = -1;
  if (WIFSIGNALED(status)) refuse("", "{} was ended by signal {}", name_, WTERMSIG(status));
  constexpr int refused = 2;
  const int exit = WEXITSTATUS(status);
  if (exit == 126 || exit == 127) return std::nullopt;  // no Python, or none that it can use
  std::string said = said_.text();
  if (said.ends_with('\n')) said.pop_back();
  std::vector<std::string_view> lines;
  if (!said.empty()) lines = parts_of(said, '\n');
  for (std::string_view& line : lines)  // its own name, in whose place the tool's stands
    if (line.starts_with(name_ + ": ")) line.remove_prefix(name_.size() + 2);
  std::string text = written_.text();
  if (exit != 0 && lines.empty()) refuse("", "{} ended without a word", name_);
  if (exit != 0) refuse("", "{}{}", exit == refused ? "" : name_ + ": ", lines.back());
  for (const std::string_view line : lines) diagnose(tool, line);
  return text;
}

std::string Script::needed(std::string_view tool, const std::string& field) {
  if (std::optional<std::string> text = finish(tool)) return std::move(*text);
  refuse(field, "needs Python 3 and the script {} (in share/wormcast/converters)", name_);
}

}  // namespace wormcast::io
