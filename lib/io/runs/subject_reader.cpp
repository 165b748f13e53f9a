// From records of any kind to what the report adds up.
// SPDX-License-Identifier: MIT
#include "io/runs/subject_reader.hpp"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <stdexcept>

#include "io/records/delivery_record.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/record_stream.hpp"
#include "io/records/topology_record.hpp"
#include "io/records/verdict_record.hpp"
#include "multicast/planner_choice.hpp"
#include "report/statistics.hpp"
#include "topology/name_table.hpp"

namespace wormcast::io {
namespace {

constexpr std::string_view interval_key = "latency_cycles_interval95";
constexpr unsigned mean_digits = 3;  ///< of latencies in summaries

/// Turns the records of one stream into subjects, in buffers that are kept between them.
class Reader {
 public:
  Reader(RecordStream& in, std::string stream, std::uint64_t& segment, Energy* energy)
      : in_(in), stream_(std::move(stream)), segment_(segment), energy_(energy) {}

  /// The record as a subject; nothing for topology, program and end.
  const Subject* read(const Record& record) {
    if (record.kind == Kind::topology) {
      ++segment_;
      order_.clear();
      network_.clear();
    }
    if (record.kind == Kind::topology || record.kind == Kind::program || record.kind == Kind::end)
      return nullptr;
    begin(record.kind);
    switch (record.kind) {
      case Kind::multicast:
      case Kind::reduction:
        plan_ = Plan{};
        read_request_record(record, *in_.topology(), plan_.request);
        subject_.plan = &plan_;
        add_request();
        break;
      case Kind::plan:
        read_plan_record(record.value, in_.route_check(), plan_);
        subject_.plan = &plan_;
        add_plan();
        break;
      case Kind::routes:
        read_routes_record(record.value, in_.route_check(), routes_);
        subject_.plan = &routes_.plan;
        subject_.routes = &routes_;
        add_plan();
        break;
      case Kind::delivery:
        read_delivery_record(record.value, *in_.topology(), delivery_);
        subject_.plan = &delivery_.plan;
        add_plan();
        numbers<arrival_rows>(delivery_);
        break;
      case Kind::steps:
        read_steps_record(record.value, *in_.topology(), steps_);
        subject_.plan = &steps_.plan;
        add_plan();
        add_steps();
        break;
      case Kind::channel_load:
        read_channel_load_record(record.value, *in_.topology(), load_);
        subject_.channel = load_.channel;
        loaded_.insert(load_.channel.value);
        add_channel_load();
        break;
      case Kind::summary:
        read_summary_record(record.value, *in_.topology(), summary_);
        add_planner(summary_.planned_by);
        add_members(record.value, subject_);
        add_usual(summary_.model, subject_);
        add_summary(summary_.summary);
        break;
      case Kind::verdict:
        read_verdict_record(record.value, *in_.topology(), verdict_);
        add_planner(verdict_.planned_by);
        add_members(record.value, subject_);
        add_usual(verdict_.model, subject_);
        break;
      case Kind::tables:
        read_tables_record(record.value, *in_.topology(), table_);
        subject_.attributes.push_back({"router", std::to_string(table_.router.value)});
        add_table();
        break;
      case Kind::topology:
      case Kind::program:
      case Kind::end:
        throw std::logic_error("topology and end records are no subjects");
    }
    // A record with a request of its own keeps its x_ members there: mostly there are none to look for.
    if (subject_.plan == nullptr || !subject_.plan->request.extras.empty())
      add_extras(record.value, subject_);
    return &subject_;
  }

  /// After a summary: the classes of its window, as subjects.
  void take_classes(const std::function<void(const Subject&)>& take) {
    if (subject_.kind != kind_name(Kind::summary) || !summary_.summary.window) return;
    const WindowSummary& window = *summary_.summary.window;
    subject_.kind = "traffic-class";
    std::erase_if(subject_.attributes, [&](const Attribute& attribute) {
      return attribute.name == "rate" || attribute.name == "pattern" ||
             !value_of(workload_.values(), attribute.name).empty();
    });
    const std::vector<Attribute> of_run = subject_.attributes;
    for (const WindowClass& one : window.classes) {
      subject_.attributes = of_run;
      subject_.metrics.clear();
      attributes({{"pattern", one.name},
                  {"destinations", one.destinations},
                  {"length_flits", std::to_string(one.length_flits)},
                  {"rate", one.rate},
                  {"seed", one.seed}});
      for (const auto& [name, text] : one.workload) attributes({{name, text}});
      metric("multicasts", one.multicasts);
      metric("delivered_multicasts", one.delivered_multicasts);
      for (const auto& [name, text] : class_figures(one, window, in_.topology()->host_count()))
        decimal_metric(subject_, name, text);
      if (one.delivered_multicasts > 0) metric("latency_cycles_max", one.latency_cycles_max);
      add_events(one.events, one.delivered_multicasts);
      take(subject_);
    }
  }

  /// Before the first record after channel loads: the channels that have none, as subjects. They carried
  /// nothing and count in a mean over channels.
  void take_idle_channels(const std::function<void(const Subject&)>& take) {
    if (load_.vc) loaded_.clear();  // which virtual channels were idle is not known
    if (loaded_.empty()) return;
    const std::optional<Cycle> observed = load_.observed_cycles;
    const Topology& topology = *in_.topology();
    for (std::uint32_t id = 0; id < topology.channel_bound(); ++id) {
      if (!topology.ends(ChannelId{id}) || loaded_.contains(id)) continue;
      load_ = {.channel = ChannelId{id}, .observed_cycles = observed};
      begin(Kind::channel_load);
      subject_.channel = load_.channel;
      add_channel_load();
      take(subject_);
    }
    loaded_.clear();
  }

 private:
  void begin(Kind kind) {
    subject_.plan = nullptr;  // member by member, since the lists keep their buffers
    subject_.routes = nullptr;
    subject_.channel.reset();
    subject_.metrics.clear();
    subject_.attributes.clear();
    subject_.kind = kind_name(kind);
    subject_.stream = stream_;
    subject_.segment = segment_;
    subject_.topology = in_.topology().get();
    if (network_.empty()) network_ = network_digest(subject_.topology->spec());
    subject_.network = network_;
  }
  void metric(std::string_view name, std::uint64_t value) {
    subject_.metrics.push_back({name, static_cast<std::int64_t>(value), 0});
  }
  void attributes(std::initializer_list<Attribute> more) {
    subject_.attributes.insert(subject_.attributes.end(), more);
  }
  template <const auto& rows, class T>
  void numbers(const T& of) {
    each_number<rows>(of, [this](std::string_view name, std::uint64_t value) { metric(name, value); });
  }
  /// How far a plan is above a bound; negative where the bound was stated wrong.
  void gap(std::string_view name, std::uint64_t value, std::uint64_t bound) {
    subject_.metrics.push_back(
        {name, static_cast<std::int64_t>(value) - static_cast<std::int64_t>(bound), 0});
  }

  void add_request() {
    const Request& request = subject_.plan->request;
    order_[subject_.kind].check_id(request.id);
    metric("destination_count", request.destinations.size());
    metric("length_flits", request.length_flits);
    metric("start_cycle", request.start_cycle);
  }

  void add_plan() {
    const Plan& plan = *subject_.plan;
    add_request();
    if (!plan.worms.empty()) metric("worms", plan.worms.size());
    numbers<measure_rows>(plan);
    for (const auto& [name, count] : plan.facts) {
      metric(name, count);
      if (name == "traffic_bound_channels" && plan.traffic_channels)
        gap("traffic_gap_channels", *plan.traffic_channels, count);
      if (name == "chain_bound_hops" && plan.longest_chain_hops)
        gap("chain_gap_hops", *plan.longest_chain_hops, count);
    }
  }

  void add_steps() {
    numbers<step_measure_rows>(steps_);
    const auto name = [](const auto& names, auto value) {
      return std::string(names[static_cast<std::size_t>(value)]);
    };
    attributes({{"reading", name(step_reading_names, steps_.model.reading)},
                {"priority", name(step_priority_names, steps_.model.priority)}});
  }

  void add_table() {
    std::uint64_t destinations = 0;
    for (const RouterTable::Unicast& entry : table_.unicast) destinations += entry.destinations.size();
    metric("routed_destinations", destinations);
    metric("unicast_hops", table_.unicast.size());
    metric("groups", table_.multicast.size());
  }

  void add_channel_load() {
    const Topology& topology = *in_.topology();
    const ChannelEnds ends = topology.ends(load_.channel).value();
    // A comma separates what --where chooses.
    const auto shown = [&](NodeId router) {
      std::string name = called(topology, router);
      return name.find(',') == std::string::npos ? name : std::to_string(router.value);
    };
    attributes({{"channel", std::to_string(load_.channel.value)},
                {"from", shown(ends.from)},
                {"to", shown(ends.to)},
                {"port", std::to_string(ends.port.value)}});
    if (load_.vc) attributes({{"vc", std::to_string(*load_.vc)}});
    if (load_.worm)
      attributes({{"multicast", std::to_string(*load_.multicast)}, {"worm", std::to_string(*load_.worm)}});
    numbers<counted_rows>(load_);
    if (const std::string flits = flits_per_cycle(load_); !flits.empty())
      decimal_metric(subject_, "flits_per_cycle", flits);
  }

  /// A run with a window has its mean over that, a closed one over everything delivered.
  void add_summary(const Summary& summary) {
    if (!summary.window && summary.delivered_multicasts > 0)
      decimal_metric(subject_, "latency_cycles_mean",
                     decimal(summary.latency_cycles_sum, summary.delivered_multicasts, mean_digits));
    add_window(summary);
    add_events(summary.events,
               summary.window ? summary.window->delivered_multicasts : summary.delivered_multicasts);
  }

  /// The window of an open-loop run. Its counts have names of their own, since the whole run has some alike.
  void add_window(const Summary& summary) {
    if (!summary.window) return;
    const WindowSummary& window = *summary.window;
    for (Attribute one : {Attribute{"rate", window_stated(window, "rate")},
                          {"pattern", window_stated(window, "pattern")},
                          {"load", window_load(window)}})
      if (!one.value.empty()) subject_.attributes.push_back(std::move(one));
    workload_ = window_workload(window);
    // Seeds alone make no different runs of one setting.
    for (const auto& [name, text] : workload_)
      attributes({{name, text, name == "seed" ? Attribute::Of::record : Attribute::Of::run}});
    attributes({{"warmup_cycles", std::to_string(window.options.warmup_cycles), Attribute::Of::run},
                {"measure_cycles", std::to_string(window.options.measure_cycles), Attribute::Of::run}});
    metric("window_multicasts", window.multicasts);
    metric("window_delivered_multicasts", window.delivered_multicasts);
    metric("arrived_flits", window.arrived_flits);
    bool interval = false;
    for (const auto& [name, text] : window_figures(window, in_.topology()->host_count())) {
      decimal_metric(subject_, name, text);
      interval = interval || name == interval_key;
    }
    if (window.delivered_multicasts == 0) return;
    if (!interval) subject_.metrics.push_back({interval_key, 0, mean_digits, true});
    metric("latency_cycles_p50", window.latency_cycles_p50);
    metric("latency_cycles_p95", window.latency_cycles_p95);
    metric("latency_cycles_p99", window.latency_cycles_p99);
    metric("window_latency_cycles_max", window.latency_cycles_max);
    decimal_metric(subject_, "network_latency_cycles_mean",
                   decimal(window.network_latency_cycles_sum, window.delivered_multicasts, mean_digits));
  }

  /// Energies in picojoules, to the femtojoule.
  void add_events(const std::optional<EventCounts>& events, std::uint64_t delivered) {
    if (!events || delivered == 0) return;
    for (const auto& [name, count] : event_counts) metric(name, (*events).*count);
    if (energy_ == nullptr) return;
    energy_->used = true;
    Wide attojoules = 0;
    for (const auto& [name, count] : event_counts)
      attojoules += Wide{(*events).*count} * Wide{energy_->attojoules.*count};
    constexpr Wide in_pico = 1'000'000;
    const auto add = [&](const char* name, Wide by) {
      decimal_metric(subject_, name, decimal(attojoules, by * in_pico, mean_digits));
    };
    add("energy_picojoules", 1);
    add("multicast_energy_picojoules", delivered);
  }

  /// What planned the whole segment.
  void add_planner(const Plan& plan) {
    if (plan.planner.empty()) return;
    attributes({{"planner", planner_label(plan)}, {"routing", plan.routing}});
    for (const auto& [name, value] : plan.options) subject_.attributes.push_back({name, value});
  }

  RecordStream& in_;
  std::string stream_;
  std::uint64_t& segment_;
  Energy* energy_;
  std::map<std::string_view, MulticastOrder> order_;  ///< of the segment, by kind of record
  std::string network_;                               ///< network_digest() of the segment's topology
  Subject subject_;
  Plan plan_;
  Routes routes_;
  Delivery delivery_;
  StepsRecord steps_;
  ChannelLoad load_;
  SharedValues workload_;           ///< of its window, whose names attributes have
  std::set<std::uint32_t> loaded_;  ///< channels of the segment that have records
  SummaryRecord summary_;
  Verdict verdict_;
  RouterTable table_;
};

}  // namespace

void read_subjects(const std::vector<std::string>& files, const std::function<void(const Subject&)>& take,
                   const std::function<void()>& end_segment, Energy* energy) {
  std::vector<std::string> streams = files;
  if (streams.empty()) streams.emplace_back("-");
  std::uint64_t segment = 0;
  for (const std::string& stream : streams) {
    RecordStream in({stream});
    Reader reader(in, stream, segment, energy);
    in.for_each([&](const Record& record) {
      if (record.kind != Kind::channel_load) reader.take_idle_channels(take);
      if (const Subject* subject = reader.read(record)) {
        take(*subject);
        reader.take_classes(take);
      }
      if (record.kind == Kind::end) end_segment();
    });
  }
}

}  // namespace wormcast::io
