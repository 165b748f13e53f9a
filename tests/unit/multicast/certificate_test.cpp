// Certificates of up*/down* stars and of many ports, and fronts: accepted as they are, refused when tampered.
// SPDX-License-Identifier: MIT
#include <functional>

#include "multicast/bounds/bounds.hpp"
#include "multicast/stars/star_search.hpp"
#include "multicast/verification/verify.hpp"
#include "topology/generator.hpp"
#include "unit/multicast/star_cases.hpp"
#include "unit/multicast/verdict.hpp"

namespace wormcast::certificate_test {

using namespace testing;

namespace {

Plan certified(const Topology& topology, std::string_view name, const Request& request,
               const PlanOptions& options = {}, std::string_view routing = {}) {
  const BoundPlanner bound(*find_planner(name), topology, options, routing);
  Plan plan = bound.plan(request);
  plan.certificate = certificate_of(bound, plan);
  return plan;
}

Plan with_front(const Topology& topology, std::string_view name, const Request& request,
                std::string_view rule) {
  const BoundPlanner bound(*find_planner(name), topology, {{"first-hop", std::string(rule)}});
  Plan plan = bound.plan(request);
  plan.front = front_of(bound, request);
  plan.certificate = certificate_of(bound, plan);
  return plan;
}

std::unique_ptr<const Topology> switches(std::uint64_t seed) {
  return build_topology(
      generate(*find_generator("irregular"), {{"switches", 6}, {"hosts", 2}, {"ports", 5}, {"seed", seed}}));
}

}  // namespace

TEST_CASE("up*/down* stars carry certificates that hold") {
  Dice dice(81);
  int several = 0;
  int longest = 0;
  for (int i = 0; i < rounds(60); ++i) {
    const auto network = switches(static_cast<std::uint64_t>(i));
    const Request request = random_request(*network, 1 + dice.below(9), dice);
    CAPTURE(i);
    for (const std::string rule : {"strict", "free"})
      for (const std::string same : {"apart", "together"}) {
        const PlanOptions options{{"first-hop", rule}, {"same-router", same}};
        const Plan ocms = certified(*network, "ocms-up-down", request, options);
        CHECK(verdict(*network, ocms) == "in order");
        CHECK(ocms.certificate.empty() == (ocms.traffic_channels == 0));
        for (const HalfCertificate& part : ocms.certificate) several += part.crowd.empty() ? 0 : 1;
        const Plan otms = certified(*network, "otms-up-down", request, options);
        CHECK(verdict(*network, otms) == "in order");
        longest += otms.certificate.empty() ? 0 : 1;
      }
  }
  CHECK(several > 20);
  CHECK(longest > 100);
}

TEST_CASE("tampered up*/down* plans and certificates: the first violation is named") {
  Dice dice(82);
  Plan plan;
  std::unique_ptr<const Topology> network;
  // One in which a port must send two worms.
  for (std::uint64_t seed = 1; plan.certificate.empty() || plan.certificate[0].crowd.empty(); ++seed) {
    network = switches(seed);
    plan = certified(*network, "ocms-up-down", random_request(*network, 7, dice));
  }
  const auto tampered = [&](const std::function<void(Plan&)>& change) {
    Plan copy = plan;
    change(copy);
    return verdict(*network, copy);
  };
  CHECK(tampered([](Plan&) {}) == "in order");
  CHECK(tampered([](Plan& p) {
          p.certificate[0].prices[0] += 1000;
        }).find("certificate[0].prices[0]: price") == 0);
  CHECK(tampered([](Plan& p) {
          p.certificate[0].rents.pop_back();
        }).find("certificate[0].rents: there are") == 0);
  CHECK(tampered([](Plan& p) {
          p.certificate[0].ports.pop_back();
        }).find("certificate[0].ports: these are not") == 0);
  CHECK(tampered([](Plan& p) {
          p.certificate[0].rents.back() += 1;
        }).find("certificate: it proves a least") == 0);
  CHECK(tampered([](Plan& p) { p.certificate[0].crowd.pop_back(); }).find("certificate[0].crowd: ") == 0);
  CHECK(tampered([](Plan& p) {
          p.certificate[0].crowd.assign(2, 0);
        }).find("certificate[0].crowd: these are not") == 0);
  CHECK(tampered([](Plan& p) {
          p.certificate[0].part = CertifiedPart::up;
        }).find("certificate: up*/down* stars") == 0);
  CHECK(tampered([](Plan& p) { p.facts.clear(); }).find("facts: worms_a_port") == 0);
  // Said to send one more than any port does, or one less.
  CHECK(tampered([](Plan& p) { ++p.facts[0].second; }).find("facts.worms_a_port: the plan says") == 0);
  CHECK(tampered([](Plan& p) { --p.facts[0].second; }) != "in order");
  CHECK(tampered([](Plan& p) { p.planner = "another"; }).find("certificate: only ocms") == 0);
}

TEST_CASE("a longer up*/down* star cannot keep the certificate of a shorter one") {
  Dice dice(83);
  int caught = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto network = switches(seed);
    const Request request = random_request(*network, 6, dice);
    const Plan otms = certified(*network, "otms-up-down", request, {{"first-hop", "free"}});
    Plan longer = certified(*network, "ocms-up-down", request, {{"first-hop", "free"}});
    if (otms.certificate.empty() || longer.longest_path_hops == otms.longest_path_hops) continue;
    longer.planner = "otms-up-down";
    CHECK(verdict(*network, longer) == "longest_path_hops: a star whose longest path is below " +
                                           std::to_string(*longer.longest_path_hops) + " exists");
    ++caught;
  }
  CHECK(caught > 3);
}

TEST_CASE("otms with many ports a half carries certificates too") {
  Dice dice(84);
  int with = 0;
  for (int i = 0; i < rounds(20); ++i) {
    const auto cube = make("hypercube", {5});
    const Request request = random_request(*cube, 2 + dice.below(12), dice);
    const Plan otms = certified(*cube, "otms", request, {{"first-hop", "free"}}, "label-shortest");
    CHECK(verdict(*cube, otms) == "in order");
    with += otms.certificate.empty() ? 0 : 1;
    Plan longer = certified(*cube, "ocms", request, {{"first-hop", "free"}}, "label-shortest");
    if (longer.longest_path_hops == otms.longest_path_hops) continue;
    longer.planner = "otms";
    CHECK(verdict(*cube, longer).find("longest_path_hops: a star whose longest path is below") == 0);
  }
  CHECK(with >= 15);
}

TEST_CASE("fronts are in order, each point with its worms, and lack nothing") {
  Dice dice(85);
  int points = 0;
  for (int i = 0; i < rounds(20); ++i) {
    const auto network = i % 3 == 0 ? make("mesh", {2, 3, 3}) : make("mesh", {8, 7});
    const Request request = random_request(*network, 1 + dice.below(12), dice);
    for (const char* name : {"ocms", "otms"})
      for (const char* rule : {"strict", "free"}) {
        const Plan plan = with_front(*network, name, request, rule);
        PlanVerifier verifier(*network);
        CHECK_FALSE(verifier.check(plan));
        CHECK(verifier.unsettled_fronts() == (plan.certificate.empty() ? 1 : 0));
        points += static_cast<int>(plan.front.size());
        if (plan.certificate.empty()) continue;
        // Any point that is missing is found missing.
        for (std::size_t p = 0; p < plan.front.size() && plan.front.size() > 1; ++p) {
          Plan tampered = plan;
          tampered.front.erase(tampered.front.begin() + static_cast<std::ptrdiff_t>(p));
          const std::string found = verdict(*network, tampered);
          CHECK(found.find("front: ") == 0);
        }
      }
  }
  CHECK(points > 80);
}

TEST_CASE("tampered fronts: the first violation is named") {
  const auto mesh = make("mesh", {8, 8});
  Dice dice(86);
  Plan plan;
  while (plan.front.size() < 3) plan = with_front(*mesh, "otms", random_request(*mesh, 12, dice), "free");
  const auto tampered = [&](const std::function<void(Plan&)>& change) {
    Plan copy = plan;
    change(copy);
    return verdict(*mesh, copy);
  };
  CHECK(tampered([](Plan&) {}) == "in order");
  CHECK(tampered([](Plan& p) {
          --p.front[0].longest_path_hops;
        }).find("front[0].longest_path_hops: the plan says") == 0);
  CHECK(tampered([](Plan& p) {
          --p.front.back().traffic_channels;
        }).find("front[2].traffic_channels: the plan") == 0);
  CHECK(tampered([](Plan& p) { p.front[1].worms.clear(); }) ==
        "front[1]: it has no worms that could be checked");
  CHECK(tampered([](Plan& p) { p.front[1].worms.pop_back(); }).find("front[1].worms: destination") == 0);
  CHECK(tampered([](Plan& p) {
          std::swap(p.front[0], p.front[1]);
        }).find("front[1]: its longest path must be") == 0);
  CHECK(tampered([](Plan& p) {
          p.front[1] = p.front[0];
          ++p.front[1].longest_path_hops;
        }).find("is beaten by the point before it") != std::string::npos);
  CHECK(tampered([](Plan& p) { p.front.resize(1); }).find("front: a star of at most") == 0);
  CHECK(tampered([](Plan& p) { p.front.erase(p.front.begin()); }).find("front: the plan itself, [") == 0);
  CHECK(tampered([](Plan& p) {
          p.planner = "dual-path";
          p.options = {};
          p.certificate.clear();
        }).find("front: only ocms and otms") == 0);
}

TEST_CASE("a planner certifies and has fronts as it declares, whatever its name") {
  const auto mesh = make("mesh", {4, 4});
  const Request request = request_of(5, {1, 2, 11});
  Planner alike = *find_planner("dual-path");
  alike.name = "ocms-up-down";
  const BoundPlanner bound(alike, *mesh, {});
  CHECK_THROWS_WITH(certificate_of(bound, bound.plan(request)),
                    "ocms-up-down plans carry no certificate; those of ocms, otms, ocms-up-down and "
                    "otms-up-down do");
  alike.name = "ocms";
  CHECK_THROWS_WITH(front_of(BoundPlanner(alike, *mesh, {}), request), "is for ocms and otms, not for ocms");
  Planner renamed = *find_planner("otms");
  renamed.name = "shortest-star";
  CHECK(front_of(BoundPlanner(renamed, *mesh, {}), request).size() > 0);
}

}  // namespace wormcast::certificate_test
