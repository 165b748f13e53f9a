// Parts of a computation in threads, and this thread beside them.
// SPDX-License-Identifier: MIT
#include "topology/in_parallel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <thread>

namespace wormcast {

void in_parallel(std::size_t items,
                 const std::function<void(std::size_t part, std::size_t first, std::size_t end)>& work) {
  constexpr std::size_t few = 16;  // a thread costs more
  const std::size_t parts = items < few ? std::min<std::size_t>(items, 1) : most_parts;
  std::array<std::exception_ptr, most_parts> thrown;
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t part = next++; part < parts; part = next++) try {
        work(part, items * part / parts, items * (part + 1) / parts);
      } catch (...) {
        thrown[part] = std::current_exception();
      }
  };
  std::array<std::thread, most_parts> others;
  try {
    for (std::size_t i = 1; i < parts && i < std::thread::hardware_concurrency(); ++i)
      others[i] = std::thread(take);
  } catch (const std::exception&) {  // no more threads are to be had: those that there are do it
  }
  take();
  for (std::thread& other : others)
    if (other.joinable()) other.join();
  for (const std::exception_ptr& one : thrown)
    if (one) std::rethrow_exception(one);
}

}  // namespace wormcast
