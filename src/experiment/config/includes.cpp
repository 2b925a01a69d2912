// SPDX-License-Identifier: MIT
#include "includes.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "../../core/error.h"
#include "../../core/message.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInclude = "include";

void set_file(YamlNode& node, const std::string& file) {
  node.origin.file = file;
  for (YamlNode& item : node.items) set_file(item, file);
  for (YamlNode::Entry& entry : node.entries) {
    entry.origin.file = file;
    set_file(entry.value, file);
  }
}

/// `over` on top of `under`.
YamlNode merged(YamlNode under, YamlNode over) {
  if (under.kind != YamlNode::Kind::map || over.kind != YamlNode::Kind::map) return over;
  for (YamlNode::Entry& entry : over.entries) {
    const auto same =
        std::find_if(under.entries.begin(), under.entries.end(),
                     [&](const YamlNode::Entry& one) { return one.key == entry.key; });
    if (same == under.entries.end()) {
      under.entries.push_back(std::move(entry));
    } else {
      same->origin = entry.origin;
      same->value = merged(std::move(same->value), std::move(entry.value));
    }
  }
  under.origin = over.origin;
  return under;
}

class Includer {
 public:
  Includer(Problems& problems, const ReadText& read) : problems_(problems), read_(read) {}

  /// `root` stands in `path`, whose tree of files includes `open_`.
  void resolve(YamlNode& root, const std::string& path) {
    if (root.kind != YamlNode::Kind::map) return;
    const auto found = std::find_if(root.entries.begin(), root.entries.end(),
                                    [](const YamlNode::Entry& e) { return e.key == kInclude; });
    if (found == root.entries.end()) return;
    const YamlNode named = std::move(found->value);
    root.entries.erase(found);
    const auto is_path = [](const YamlNode& node) {
      return node.kind == YamlNode::Kind::scalar && !node.text.empty();
    };
    const bool is_list = named.kind == YamlNode::Kind::list && !named.items.empty() &&
                         std::all_of(named.items.begin(), named.items.end(), is_path);
    if (!is_path(named) && !is_list) {
      return problems_.add(
          named.origin, kInclude,
          "expected the path of a YAML file, or a list of paths, got " + named.describe());
    }
    open_.push_back(identity_of(path));
    YamlNode under;
    under.kind = YamlNode::Kind::map;
    for (const YamlNode& one : is_list ? named.items : std::vector<YamlNode>{named}) {
      under = merged(std::move(under), load(one, path));
    }
    open_.pop_back();
    root = merged(std::move(under), std::move(root));
  }

 private:
  static std::string identity_of(const std::string& path) {
    std::error_code error;
    const fs::path found = fs::weakly_canonical(path, error);
    return error ? fs::path(path).lexically_normal().string() : found.string();
  }

  /// The tree of a file that is named in `from`; an empty map where there is a problem.
  YamlNode load(const YamlNode& named, const std::string& from) {
    YamlNode nothing;
    nothing.kind = YamlNode::Kind::map;
    const auto refuse = [&](const std::string& why) {
      problems_.add(named.origin, kInclude, why);
      return nothing;
    };
    const std::string path =
        (fs::path(from).parent_path() / named.text).lexically_normal().string();
    const std::string identity = identity_of(path);
    if (const auto begin = std::find(open_.begin(), open_.end(), identity); begin != open_.end()) {
      return refuse(message("{} includes itself{}", path,
                            begin + 1 == open_.end() ? "" : ", by way of the files it includes"));
    }
    if (std::ssize(open_) > kDeepestInclude) {
      return refuse(message("files include each other more than {} deep", kDeepestInclude));
    }
    if (++read_count_ > kMostIncludes) {
      return refuse(message("more than {} files are included", kMostIncludes));
    }
    std::string text;
    try {
      text = read_(path);
    } catch (const ConfigError& error) {
      return refuse(error.what());
    }
    problems_.add_included(path, text);
    Problems own(path, text);
    YamlNode root = parse_yaml(text, own);
    for (const Problem& problem : own.all()) {
      Origin origin = problem.origin;
      origin.file = path;
      problems_.add(origin, problem.key, problem.message);
    }
    set_file(root, path);
    if (!own.empty()) return nothing;
    if (root.kind == YamlNode::Kind::null) return nothing;  // comments alone
    if (root.kind != YamlNode::Kind::map) {
      problems_.add(root.origin, {}, "expected a map of keys, got " + root.describe());
      return nothing;
    }
    resolve(root, path);
    return root;
  }

  Problems& problems_;
  const ReadText& read_;
  std::vector<std::string> open_;  // files that are being read, the outermost first
  int read_count_ = 0;
};

}  // namespace

void resolve_includes(YamlNode& root, const std::string& path, Problems& problems,
                      const ReadText& read) {
  Includer(problems, read).resolve(root, path);
}

}  // namespace gaia
