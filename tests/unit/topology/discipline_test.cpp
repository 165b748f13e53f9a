// Every discipline is found by what chooses it, and has what its facts need.
// SPDX-License-Identifier: MIT
#include "router/discipline.hpp"

#include <doctest/doctest.h>

#include "router/router_parameters.hpp"
#include "topology/error.hpp"

using namespace wormcast;

TEST_CASE("a router of a discipline has that one, whatever it had before") {
  for (const Discipline* before : disciplines())
    for (const Discipline* one : disciplines()) {
      CAPTURE(one->name);
      RouterModel model = with_discipline(with_discipline(RouterModel{}, *before), *one);
      CHECK(model.discipline().name == one->name);
      CHECK(one->routers_copy() == static_cast<bool>(one->branches_hold_up));
      CHECK((one->rule.empty() == (one->without == nullptr)));
      if (one->slots_differ()) CHECK(static_cast<bool>(one->slots));
    }
}

TEST_CASE(
    "two parameters that choose a discipline each exclude each other, but for copies of allocating routers") {
  for (const Discipline* one : disciplines())
    for (const Discipline* other : disciplines()) {
      if (one->choose == nullptr || other->choose == nullptr || one->parameter == other->parameter) continue;
      CAPTURE(one->name);
      CAPTURE(other->name);
      RouterModel model;
      model.vc_reuse = VcReuse::early;
      one->choose(model);
      other->choose(model);
      const bool allowed = one->chooses_vcs != other->chooses_vcs && one->copies == other->copies;
      if (allowed)
        CHECK_NOTHROW(check_router(model, true));
      else
        CHECK_THROWS_AS(check_router(model, true), InputError);
    }
}
