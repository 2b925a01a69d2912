// SPDX-License-Identifier: MIT
/// \file
/// What `gaia init` finds in recordings.
#include "../../../src/core/error.h"
#include "../../../src/io/formats/file_format.h"
#include "../../support/catch.h"
#include "../../support/temp_dir.h"
#include "recorded.h"

namespace gaia {
namespace {

using test::recorded;
using Use = SurveyedColumn::Use;

FileSurvey survey_of(const std::string& name) {
  const FileFormat* const format = format_of_file(recorded(name));
  REQUIRE(format != nullptr);
  return format->survey({recorded(name)});
}

FOLDER_TEST_CASE("recordings are known by their first bytes") {
  const auto ending = [](const std::string& path) {
    const FileFormat* const format = format_of_file(path);
    return format == nullptr ? std::string() : format->endings().front();
  };
  for (const auto& [name, expected] :
       std::vector<std::pair<std::string, std::string>>{{"plain.edf", ".edf"},
                                                        {"plain.bdf", ".edf"},
                                                        {"pcm16.wav", ".wav"},
                                                        {"long.wav", ".wav"},
                                                        {"plain.mat", ".mat"},
                                                        {"plain.nwb", ".h5"}}) {
    INFO(name);
    CHECK(ending(recorded(name)) == expected);
    CHECK(ending(folder.write("a.csv", test::bytes_of_recorded(name))) == expected);
  }
  CHECK(ending(folder.write("a.EDF", "")) == ".edf");
  CHECK(ending(folder.write("b.bdf", "")) == ".edf");
}

TEST_CASE("a survey of EDF reads the signals of the rate that most have, and tells the others") {
  const FileSurvey survey = survey_of("plus.edf");
  CHECK(survey.names_columns);
  CHECK(survey.options.side.labels == "annotations");
  CHECK(survey.options.columns.empty());
  const std::vector<SurveyedColumn>& columns = survey.table.columns;
  REQUIRE(columns.size() == 3);
  CHECK(columns[0].name == "C3");
  CHECK(columns[0].use == Use::channel);
  CHECK(columns[1].name == "Temp");
  CHECK(columns[1].use == Use::other_rate);
  CHECK(columns[1].note == "2 Hz");
  CHECK(columns[2].use == Use::channel);
  CHECK(survey.table.rows == 64);
  // Without labels where there are no annotations, or where they hold in few rows.
  CHECK(survey_of("plain.edf").options.side.labels.empty());
  CHECK(survey_of("gaps.edf").table.rows == 64);
  // Of two that have the same label the first is read.
  const test::TempDir folder;
  const std::string bytes = test::bytes_of_recorded("plus.edf");
  const std::string twice = folder.write("a.edf", test::with(bytes, 256 + 32, "C3              "));
  const FileSurvey of_twins = format_of_file(twice)->survey({twice});
  REQUIRE(of_twins.table.columns.size() == 3);
  CHECK(of_twins.table.columns[0].use == Use::channel);
  CHECK(of_twins.table.columns[1].use == Use::other_rate);
  CHECK(of_twins.table.columns[2].use == Use::twice);
}

TEST_CASE("a survey of WAV has a column for each channel") {
  const FileSurvey survey = survey_of("pcm24.wav");
  REQUIRE(survey.table.columns.size() == 3);
  CHECK(survey.table.columns[2].name == "2");
  CHECK(survey.table.rows == 60);
}

}  // namespace
}  // namespace gaia
