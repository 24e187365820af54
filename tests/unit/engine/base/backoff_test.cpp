#include "engine/base/backoff.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;
using Step = Backoff::Step;

TEST_CASE("on a core of its own a process looks again at once, then yields and never naps") {
  CHECK(Backoff::step_after(0, false) == Step::look_again);
  CHECK(Backoff::step_after(50e-6, false) == Step::look_again);
  CHECK(Backoff::step_after(200e-6, false) == Step::yield);
  CHECK(Backoff::step_after(10, false) == Step::yield);
}

TEST_CASE("on a shared core a process yields at once, then naps") {
  CHECK(Backoff::step_after(0, true) == Step::yield);
  CHECK(Backoff::step_after(50e-6, true) == Step::yield);
  CHECK(Backoff::step_after(200e-6, true) == Step::nap);
  CHECK(Backoff::step_after(10, true) == Step::nap);
}

TEST_CASE("naps are a quarter of the wait, from 20 us to 0.5 ms") {
  CHECK(Backoff::nap_after(0) == Approx(20e-6));
  CHECK(Backoff::nap_after(400e-6) == Approx(100e-6));
  CHECK(Backoff::nap_after(3600) == Approx(500e-6));
}

TEST_CASE("a core that others had is shared for a while, then it is found out anew") {
  CoreWatch core;
  CHECK_FALSE(core.is_shared(100));
  core.note_lost(4e-3, 100);
  CHECK(core.is_shared(100.2));
  CHECK_FALSE(core.is_shared(100.3));
}

TEST_CASE("an interrupt does not make a core shared") {
  CoreWatch core;
  core.note_lost(50e-6, 100);
  CHECK_FALSE(core.is_shared(100));
}

TEST_CASE("where ranks outnumber cores the core is shared for good") {
  CoreWatch core;
  core.set_crowded();
  CHECK(core.is_shared(0));
  CHECK(core.is_shared(1e9));
}
