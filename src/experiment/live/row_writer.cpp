// SPDX-License-Identifier: MIT
#include "row_writer.h"

#include <charconv>
#include <cmath>

#include "../../core/message.h"
#include "../../core/text.h"
#include "../../io/csv_field.h"

namespace gaia {
namespace {

template <class T>
void write_number(T number, std::string& out) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  out.append(text, end);
}

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\t' ? ' ' : c;
  }
  return quoted + '"';
}

/// In one line.
std::string in_a_line(std::string_view text) {
  std::string line = printable(text);
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  return line;
}

}  // namespace

RowWriter::RowWriter(RowFormat format, const std::vector<StreamField>& fields) : format_(format) {
  for (const StreamField& field : fields) {
    if (field.name == "step" || field.name == "error") {
      throw ConfigError(message(
          "expected readouts with other names than 'step' and 'error', which every row has, got "
          "'{}'; --outputs leaves it out",
          field.name));
    }
    Field& made = fields_.emplace_back();
    made.name = quoted(field.name);
    for (const std::string& name : field.classes) made.classes.push_back(quoted(name));
  }
}

std::string RowWriter::quoted(std::string_view text) const {
  const std::string line = in_a_line(text);
  return format_ == RowFormat::csv ? csv_field(line, kAnyCsvMark) : json_text(line);
}

void RowWriter::begin(std::string& out) const {
  if (format_ != RowFormat::csv) return;
  out += "step";
  for (const Field& field : fields_) {
    out += ',';
    out += field.name;
  }
  out += ",error\n";
}

void RowWriter::row(const StreamAnswer& answer, std::string& out) const {
  write_step(answer.step, out);
  for (std::size_t i = 0; i < fields_.size(); ++i) write(fields_[i], answer.values[i], out);
  out += format_ == RowFormat::csv ? ",\n" : "}\n";
}

void RowWriter::bad_row(std::int64_t step, std::string_view why, std::string& out) const {
  constexpr double missing = std::numeric_limits<double>::quiet_NaN();
  write_step(step, out);
  for (const Field& field : fields_) write(field, missing, out);
  out += format_ == RowFormat::csv ? "," : ",\"error\":";
  out += quoted(why);
  out += format_ == RowFormat::csv ? "\n" : "}\n";
}

void RowWriter::write_step(std::int64_t step, std::string& out) const {
  if (format_ == RowFormat::ndjson) out += "{\"step\":";
  write_number(step, out);
}

void RowWriter::write(const Field& field, double value, std::string& out) const {
  out += ',';
  if (format_ == RowFormat::ndjson) {
    out += field.name;
    out += ':';
  }
  const bool is_class = !field.classes.empty();
  const bool is_there = is_class ? value >= 0 && value < static_cast<double>(field.classes.size())
                                 : !std::isnan(value);
  if (!is_there || (format_ == RowFormat::ndjson && std::isinf(value))) {
    if (format_ == RowFormat::ndjson) out += "null";
  } else if (is_class) {
    out += field.classes[static_cast<std::size_t>(value)];
  } else {
    write_number(value, out);
  }
}

}  // namespace gaia
