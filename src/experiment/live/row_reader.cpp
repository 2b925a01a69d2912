// SPDX-License-Identifier: MIT
#include "row_reader.h"

#include <algorithm>
#include <utility>

#include "../../core/error.h"
#include "../../core/message.h"
#include "../../core/names.h"
#include "../../core/text.h"
#include "../../io/columns.h"
#include "../../io/csv_number.h"
#include "../../io/csv_records.h"

namespace gaia {
namespace {

/// ASCII but for NUL, which most lines are, is seen at a glance.
bool is_text(std::string_view line) {
  unsigned char all = 0;
  bool has_nul = false;
  for (const char c : line) {
    all = static_cast<unsigned char>(all | static_cast<unsigned char>(c));
    has_nul |= c == 0;
  }
  return all < 0x80 ? !has_nul : is_utf8(line);
}

constexpr std::string_view kNoText = "expected text in UTF-8 without bytes of 0";

}  // namespace

RowReader::RowReader(const RowNames& names, std::optional<RowFormat> format, std::string source)
    : names_(names),
      fields_(names),
      json_(fields_),
      format_(format),
      source_(std::move(source)),
      lines_(kMostBytes) {}

const RowLine* RowReader::next() {
  while (const std::optional<LineCutter::Line> line = lines_.next()) {
    std::string_view text = line->text;
    constexpr std::string_view kMark = "\xef\xbb\xbf";
    if (++line_.line == 1 && text.starts_with(kMark)) text.remove_prefix(kMark.size());
    if (line->is_too_long) {
      if (!is_begun_ && format_ != RowFormat::ndjson) {
        fail(message("expected a line of at most {} bytes", kMostBytes));
      }
      is_begun_ = true;
      fields_.begin(line_);
      line_.kind = RowLine::Kind::bad;
      line_.error = message("expected a line of at most {} bytes", kMostBytes);
      return &line_;
    }
    if (!is_begun_ && !begin(text)) continue;
    read_row(text);
    return &line_;
  }
  return nullptr;
}

std::vector<std::string> RowReader::take_warnings() { return std::exchange(warnings_, {}); }

/// What the first line says of the format; whether it is a row, too.
bool RowReader::begin(std::string_view text) {
  if (is_blank(text)) return false;
  const char first = text[text.find_first_not_of(" \t")];
  if (!format_) format_ = first == '{' ? RowFormat::ndjson : RowFormat::csv;
  if (format_ == RowFormat::csv) read_header(text);
  is_begun_ = true;
  return format_ == RowFormat::ndjson;
}

/// The header decides what separates: the first of tab, semicolon and, unless that is the decimal
/// mark, comma by which it has all columns, so that the others may stand in names.
void RowReader::read_header(std::string_view text) {
  if (!is_text(text)) fail(std::string(kNoText));
  std::string why_not;
  const bool may_be_comma = names_.decimal == '.';
  const std::string_view separators = may_be_comma ? "\t;," : "\t;";
  for (const char separator : separators) {
    if (separator != separators.back() && text.find(separator) == text.npos) continue;
    separator_ = separator;
    const std::string error = read_names(text);
    if (error.empty()) return;
    if (why_not.empty()) why_not = error;
  }
  if (!may_be_comma && text.find(',') != text.npos) {
    why_not += "; beside a decimal comma, semicolons or tabs separate fields";
  }
  fail(why_not);
}

/// Finds the field of each column of the header.  Returns why it cannot be used.
std::string RowReader::read_names(std::string_view text) {
  std::string error = split(text);
  if (!error.empty()) return error;
  places_.clear();
  bool is_of_numbers = true;
  std::vector<bool> is_there(fields_.size(), false);
  std::vector<std::string> others;
  for (const std::string_view name : cells_) {
    is_of_numbers = is_of_numbers && parse_cell(name).kind != CellKind::text;
    const std::size_t field = fields_.find(name);
    places_.push_back(field);
    if (field == RowFields::kNone) {
      if (!name.empty()) others.emplace_back(name);
      continue;
    }
    if (is_there[field])
      return message("expected every column once, got {} twice", in_quotes(name));
    is_there[field] = true;
  }
  std::vector<std::string> missing;
  for (const std::string& column : names_.columns) {
    if (!is_there[fields_.find(column)]) missing.push_back(column);
  }
  if (!missing.empty()) {
    const std::string got = is_of_numbers ? "a line of numbers; the first line has to be of names"
                            : text.front() == '[' ? "an array of JSON; NDJSON has an object a line"
                                                  : "no " + first_names(missing) +
                                                        did_you_mean(missing.front(), others);
    return message("expected a header with the columns {}, got {}", first_names(names_.columns),
                   got);
  }
  std::sort(others.begin(), others.end());
  const auto twice = std::adjacent_find(others.begin(), others.end());
  if (twice != others.end()) {
    return message("expected every column once, got {} twice", in_quotes(*twice));
  }
  for (const std::string& name : others) note_unknown(name);
  return {};
}

void RowReader::read_row(std::string_view text) {
  fields_.begin(line_);
  if (is_blank(text)) {
    line_.kind = RowLine::Kind::empty;
    return;
  }
  if (!is_text(text)) {
    line_.error = kNoText;
  } else if (format_ == RowFormat::ndjson) {
    line_.error = json_.read(text, line_);
    for (const std::string& name : json_.unknown()) note_unknown(name);
  } else {
    line_.error = read_cells(text);
  }
  fields_.end(line_);
  if (!line_.error.empty()) line_.kind = RowLine::Kind::bad;
}

std::string RowReader::read_cells(std::string_view text) {
  std::string error = split(text);
  if (!error.empty()) return error;
  if (cells_.size() != places_.size()) {
    return message("expected {} fields, as the header has, got {}", places_.size(), cells_.size());
  }
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (places_[i] == RowFields::kNone) continue;
    error = fields_.put_cell(places_[i], cells_[i], line_);
    if (!error.empty()) return error;
  }
  return {};
}

/// Cuts a line of CSV into cells, blanks around them left out.  Returns what is wrong with it.
std::string RowReader::split(std::string_view text) {
  cells_.clear();
  unquoted_.clear();
  unquoted_.reserve(text.size());  // cells in it stay where they are
  const auto skip_blanks = [&](std::size_t i) {
    while (i < text.size() && (text[i] == ' ' || (text[i] == '\t' && separator_ != '\t'))) ++i;
    return i;
  };
  for (std::size_t i = 0;;) {
    i = skip_blanks(i);
    if (i < text.size() && text[i] == '"') {
      const std::size_t begin = unquoted_.size();
      for (++i;; ++i) {
        if (i == text.size()) return message("field {}: quote without an end", cells_.size() + 1);
        if (text[i] == '"' && (++i == text.size() || text[i] != '"')) break;
        unquoted_ += text[i];
      }
      cells_.emplace_back(unquoted_.data() + begin, unquoted_.size() - begin);
      i = skip_blanks(i);
      if (i < text.size() && text[i] != separator_) {
        return message("field {}: text after the closing quote", cells_.size());
      }
    } else {
      const std::size_t end = std::min(text.find(separator_, i), text.size());
      std::string_view cell = text.substr(i, end - i);
      while (cell.ends_with(' ') || (cell.ends_with('\t') && separator_ != '\t')) {
        cell.remove_suffix(1);
      }
      cells_.push_back(cell);
      i = end;
    }
    if (i == text.size()) return {};
    ++i;
  }
}

bool RowReader::is_blank(std::string_view text) const {
  return text.find_first_not_of(is_begun_ && separator_ == '\t' ? " " : " \t") == text.npos;
}

void RowReader::note_unknown(const std::string& name) {
  // Who sends names without end is told of some.
  constexpr std::size_t most = 20;
  if (unknown_.size() > most ||
      std::find(unknown_.begin(), unknown_.end(), name) != unknown_.end()) {
    return;
  }
  unknown_.push_back(name);
  if (unknown_.size() > most) {
    warnings_.push_back(source_ + ": further columns are not read, and not told");
    return;
  }
  std::vector<std::string> known;
  for (std::size_t field = 0; field < fields_.size(); ++field) known.push_back(fields_.name(field));
  warnings_.push_back(message("{}:{}: {} is not read{}", source_, line_.line, in_quotes(name),
                              did_you_mean(name, known)));
}

void RowReader::fail(const std::string& text) const {
  throw DataError(message("{}:{}: {}", source_, line_.line, text));
}

}  // namespace gaia
