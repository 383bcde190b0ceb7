#include "interaction_channels.h"

namespace rolltape {

namespace {

std::atomic<std::uint64_t> lastMoment = 0;

}  // namespace

std::uint64_t nextChannelMoment() {
  return ++lastMoment;
}

std::uint64_t lastChannelMoment() {
  return lastMoment;
}

}  // namespace rolltape
