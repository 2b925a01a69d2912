// SPDX-License-Identifier: MIT
/// \file
/// gaia-hdf5-reader FILE MEMORY SECONDS LANGUAGE: reads one HDF5 or MATLAB file for gaia, which
/// starts this program and talks to it through the socket that is its standard input
/// (src/io/foreign_hdf5/hdf5_messages.h).
///
/// libhdf5 may crash here, hang, or be taken over by what it reads.  So most of what the process
/// could do harm with is given up first: other files, memory, time, the right to start programs.
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <memory>
#include <new>
#include <string_view>

#include "../../src/core/error.h"
#include "../../src/core/platform.h"
#include "../../src/core/text.h"
#include "../../src/io/foreign_hdf5/foreign_file.h"
#include "../../src/io/foreign_hdf5/hdf5_messages.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GAIA_RESERVES_MEMORY
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GAIA_RESERVES_MEMORY
#endif
#endif

namespace {

using namespace gaia;
using namespace gaia::hdf5;

constexpr int kSocket = STDIN_FILENO;

/// The other end is gone: there is nobody to work for.
struct Gone {};

/// Resources have a type of their own in glibc, and are numbers elsewhere.
template <class Resource>
void set_limit(Resource resource, rlim_t value) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return;
  limit.rlim_cur = std::min(value, limit.rlim_max);
  setrlimit(resource, &limit);
}

/// For good.
template <class Resource>
void give_up(Resource resource) {
  const rlimit none{0, 0};
  setrlimit(resource, &none);
}

void give_up_rights([[maybe_unused]] rlim_t memory) {
  platform::close_from(STDERR_FILENO + 1);
  platform::give_up_new_rights();
  for (const auto resource : {RLIMIT_CORE, RLIMIT_FSIZE, RLIMIT_NPROC}) give_up(resource);
#ifndef GAIA_RESERVES_MEMORY
  set_limit(RLIMIT_AS, memory);
#endif
}

/// From now on `seconds` of processor time.
void allow_time(rlim_t seconds) {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto so_far = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
  set_limit(RLIMIT_CPU, so_far + seconds + 1);
}

void send_all(const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t sent = platform::send_silently(kSocket, {bytes, count}, 0);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw Gone{};
    bytes += sent;
    count -= static_cast<std::size_t>(sent);
  }
}

void send_message(MessageKind kind, const char* bytes, std::size_t count) {
  const std::string header = pack(MessageHeader{kind, count});
  send_all(header.data(), header.size());
  send_all(bytes, count);
}

void send_message(MessageKind kind, const std::string& text = {}) {
  send_message(kind, text.data(), text.size());
}

std::string receive(std::size_t count) {
  std::string bytes(count, '\0');
  for (std::size_t done = 0; done < count;) {
    const ssize_t got = recv(kSocket, bytes.data() + done, count - done, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Gone{};
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

/// What may be used.
struct Allowance {
  rlim_t memory;
  rlim_t seconds;
};

/// Does `work`; reports what it fails of.
template <class Work>
void or_tell(const std::string& path, const Allowance& allowance, const Work& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    send_message(MessageKind::failure,
                 path + ": needs more than " + bytes_text(static_cast<double>(allowance.memory)) +
                     " of memory to be read, which only a file that is trusted may have");
  } catch (const std::exception& error) {
    send_message(MessageKind::failure, error.what());
  }
}

class Server {
 public:
  Server(const std::string& path, const Allowance& allowance)
      : allowance_(allowance), file_(open_foreign_file(path)) {
    // What is open is enough: no link leads anywhere any more.
    give_up(RLIMIT_NOFILE);
    // Listing is one piece: it tells that it goes on, and has no more processor time for that.
    contents_ = file_->contents({}, [] { send_message(MessageKind::progress); });
    const std::string packed = pack(contents_);
    if (packed.size() > kMostMessageBytes) {
      throw DataError(path + ": describes itself in " +
                      bytes_text(static_cast<double>(packed.size())) + "; expected at most " +
                      bytes_text(static_cast<double>(kMostMessageBytes)));
    }
    send_message(MessageKind::contents, packed);
  }

  void serve_one() {
    const MessageHeader header = unpack_header(receive(kHeaderBytes));
    const std::string request = receive(std::min(header.bytes, kMostMessageBytes));
    allow_time(allowance_.seconds);
    or_tell(file_->path(), allowance_, [&] {
      if (header.kind == MessageKind::read) {
        answer(unpack_read_request(request));
      } else {
        walk();
        send_message(MessageKind::done);
      }
    });
    read_ahead();
  }

 private:
  const DatasetDescription& dataset(const std::string& path) {
    if (last_ == nullptr || last_->path != path) last_ = contents_.dataset(path);
    if (last_ == nullptr) throw DataError(file_->path() + ": " + path + ": is not there");
    return *last_;
  }

  static std::int64_t row_bytes(const DatasetDescription& from, Type type) {
    std::int64_t bytes = size_of(type);
    for (std::size_t axis = 1; axis < from.shape.size(); ++axis) bytes *= from.shape[axis];
    return bytes;
  }

  /// Calls f() with one piece after the other in the buffer; each has the time that is allowed.
  template <class F>
  void for_each_piece(const ReadRequest& asked, const F& f) {
    const DatasetDescription& from = dataset(asked.path);
    const std::int64_t bytes = row_bytes(from, asked.type);
    if (bytes == 0) return;
    constexpr auto most = static_cast<std::int64_t>(kMostPieceBytes);
    const std::int64_t piece = std::max<std::int64_t>(1, most / bytes);
    for (std::int64_t done = 0; done < asked.rows; done += piece) {
      const std::int64_t rows = std::min(piece, asked.rows - done);
      const ReadRequest now{asked.path, asked.type, asked.first + done, rows};
      if (now != ahead_) {
        allow_time(allowance_.seconds);
        buffer_.resize(static_cast<std::size_t>(rows * bytes));
        file_->read_rows(from, asked.type, now.first, rows, buffer_.data());
      }
      ahead_ = {};
      f();
    }
  }

  void answer(const ReadRequest& asked) {
    for_each_piece(asked, [&] {
      for (std::size_t at = 0; at < buffer_.size(); at += kMostPieceBytes) {
        const std::size_t count = std::min<std::size_t>(kMostPieceBytes, buffer_.size() - at);
        send_message(MessageKind::numbers, buffer_.data() + at, count);
      }
    });
    const bool goes_on = asked.path == next_.path && asked.first == next_.first;
    next_ = {asked.path, asked.type, asked.first + asked.rows, goes_on ? asked.rows : 0};
  }

  /// While gaia works on what it got, the piece that it asks for next if it goes on as it did.
  void read_ahead() {
    const ReadRequest guess = next_;
    if (guess.rows == 0) return;
    try {
      const DatasetDescription& from = dataset(guess.path);
      const std::int64_t bytes = row_bytes(from, guess.type);
      if (bytes == 0) return;
      const std::int64_t piece =
          std::max<std::int64_t>(1, static_cast<std::int64_t>(kMostPieceBytes) / bytes);
      const std::int64_t rows = std::min({piece, guess.rows, from.shape.front() - guess.first});
      if (rows <= 0) return;
      allow_time(allowance_.seconds);
      buffer_.resize(static_cast<std::size_t>(rows * bytes));
      file_->read_rows(from, guess.type, guess.first, rows, buffer_.data());
      ahead_ = {guess.path, guess.type, guess.first, rows};
    } catch (const std::exception&) {
      // Nobody has asked for it yet; who does gets the error.
    }
  }

  /// Piece by piece, telling of each: a long file takes long.
  void walk() {
    check_storage();
    for (const DatasetDescription& description : contents_.datasets) {
      if (!description.refusal.empty()) continue;
      const std::int64_t rows = description.shape.empty() ? 1 : description.shape.front();
      for_each_piece({description.path, description.type, 0, rows},
                     [] { send_message(MessageKind::progress); });
    }
  }

  /// What a dataset may claim goes by what it has in the file; so the datasets of a file in which
  /// all have the same bytes could claim as much as would keep a walk going for days.
  void check_storage() const {
    std::int64_t left = file_->bytes();
    for (const DatasetDescription& dataset : contents_.datasets) {
      if (!dataset.refusal.empty()) continue;
      if (dataset.stored_bytes > left) {
        throw DataError(file_->path() +
                        ": its datasets claim more bytes of the file than it has; it is damaged");
      }
      left -= dataset.stored_bytes;
    }
  }

  Allowance allowance_;
  std::unique_ptr<ForeignFile> file_;
  Contents contents_;
  const DatasetDescription* last_ = nullptr;  // dataset that was read from
  std::vector<char> buffer_;
  ReadRequest next_;   // that follows on the last; without rows where that did not follow either
  ReadRequest ahead_;  // whose numbers are in the buffer already; without rows if there are none
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 || std::string_view(argv[4]) != kLanguage) return kOtherBuild;
  const auto memory = parse_integer(argv[2]);
  const auto seconds = parse_integer(argv[3]);
  if (!memory || !seconds || *memory < 0 || *seconds < 0) return kOtherBuild;
  const Allowance allowance{static_cast<rlim_t>(*memory), static_cast<rlim_t>(*seconds)};
  give_up_rights(allowance.memory);
  allow_time(allowance.seconds);
  try {
    or_tell(argv[1], allowance, [&] {
      Server server(argv[1], allowance);
      for (;;) server.serve_one();
    });
  } catch (const Gone&) {
  }
  // Nothing of HDF5 is closed: what a damaged file has left behind may not survive it.
  _exit(0);
}
