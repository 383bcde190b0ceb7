#include "../../core/session/version_runs.h"

#include <gtest/gtest.h>

#include "../support.h"

namespace rolltape {
namespace {

TEST(VersionRuns, ExpandToWhatWasAppendedFromAnyPosition) {
  test::Random random(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int32_t> versions;
    std::vector<VersionRun> runs;
    const std::uint32_t length = 1 + random.below(30);
    for (std::uint32_t i = 0; i < length; ++i) {
      versions.push_back(static_cast<std::int32_t>(random.below(3)));
      appendVersion(runs, i, versions.back());
    }
    for (std::uint32_t from = 0; from < length; ++from) {
      std::vector<std::int32_t> expanded(random.below(length - from + 1));
      expandVersions(runs, from, expanded);
      EXPECT_EQ(std::vector<std::int32_t>(versions.begin() + from, versions.begin() + from + expanded.size()),
                expanded);
    }
  }
}

TEST(VersionRuns, OneVersionIsOneRun) {
  std::vector<VersionRun> runs;
  for (std::uint32_t i = 0; i < 1000; ++i) appendVersion(runs, i, 7);
  EXPECT_EQ((std::vector<VersionRun>{{0, 7}}), runs);
}

}  // namespace
}  // namespace rolltape
