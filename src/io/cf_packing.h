// SPDX-License-Identifier: MIT
/// \file
/// Numbers of an HDF5 dataset as its attributes say they are meant.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "foreign_hdf5/hdf5_contents.h"

namespace gaia {

/// What numbers mean by the attributes of the CF conventions and of netCDF, as xarray and netCDF
/// write them: scale_factor x + add_offset, without a sign where _Unsigned says so, but missing
/// where they are _FillValue or missing_value, or outside valid_range or valid_min and valid_max.
/// In a file of NWB: conversion x + offset, in place of scale_factor and add_offset.  In one of
/// netCDF without a _FillValue, numbers of two bytes or more are also missing where they are what
/// netCDF fills a variable with that nobody has written (its NC_FILL_SHORT to NC_FILL_INT64).
class CfPacking {
 public:
  /// `place` begins the messages; the root says which kind of file it is.
  CfPacking(const hdf5::DatasetDescription& dataset, const std::string& place,
            const hdf5::Description& root = {});

  /// Whether numbers are not meant as they are stored.
  bool is_packed() const { return is_packed_; }

  /// Whether every number means what is stored, so that there is nothing to compute.
  bool keeps_all() const;

  /// What a number that is stored means, NaN where it is missing.
  double operator()(double x) const;

  /// Whether integers mean what is stored, so that those beyond 2^53 can be told apart.
  bool keeps_integers() const { return !is_packed_ && values_ == 0.0; }
  /// Whether such an integer counts as missing, exactly.
  bool is_missing(std::int64_t x) const;

 private:
  struct Numbers {
    std::vector<double> values;
    bool are_integers = false;
    std::vector<std::int64_t> integers = {};  ///< The same, where they are.
    double front() const { return values.front(); }
  };

  /// So many numbers (0: any) of an attribute, nothing if there is none.
  std::optional<Numbers> numbers_of(const hdf5::DatasetDescription& dataset, const char* name,
                                    std::size_t count) const;
  void add_netcdf_fill(const hdf5::DatasetDescription& dataset);
  void read_range(const hdf5::DatasetDescription& dataset, bool is_integer);
  /// A number as the type that is stored holds it: with or without a sign, or of 32 bits.
  double stored(double x) const;
  void tell_of_range() const;

  std::string place_;
  bool is_float32_ = false;
  double least_stored_ = 0.0;  // of integers that _Unsigned tells of,
  double values_ = 0.0;        // and how many values they can have; 0 for others
  double scale_ = 1.0;
  double offset_ = 0.0;
  bool is_packed_ = false;
  std::vector<double> missing_;
  std::vector<std::int64_t> missing_integers_;  // the same of integers
  double least_ = -std::numeric_limits<double>::infinity();
  double most_ = std::numeric_limits<double>::infinity();
  bool range_is_unpacked_ = false;
  mutable bool has_told_ = false;
};

}  // namespace gaia
