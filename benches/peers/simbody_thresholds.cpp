// Slider-cranks A1 to A3 in Simbody: every error-controlled integrator from coarse to fine accuracy.
//
// The natural model for Simbody: two pin joints in a chain (two coordinates) and one constraint
// that keeps the rod's end on the x axis. The slider is a point mass there, part of the rod.
// Verlet and the Adams formulas of CPodes were tried too and failed on A1.
// Time: from initialize to the end with a report every 10 ms, which Simbody interpolates.
//
// Usage: simbody_thresholds <folder of the reference solutions>

#include "cases.hpp"

#include <Simbody.h>
#include <memory>

using namespace SimTK;

class Push : public Force::Custom::Implementation {
public:
    Push(const SliderCrank& c, const SimbodyMatterSubsystem& m, MobilizedBodyIndex rod) : c_(c), matter_(m), rod_(rod) {}
    void calcForce(const State& s, Vector_<SpatialVec>& bodies, Vector_<Vec3>&, Vector&) const override {
        matter_.addInStationForce(s, rod_, Vec3(c_.L2, 0, 0), Vec3(c_.push(s.getTime()), 0, 0), bodies);
    }
    Real calcPotentialEnergy(const State&) const override { return 0; }

private:
    const SliderCrank& c_;
    const SimbodyMatterSubsystem& matter_;
    MobilizedBodyIndex rod_;
};

struct Mechanism {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    MobilizedBodyIndex crank, rod;
    State start;

    explicit Mechanism(const SliderCrank& c) {
        Force::UniformGravity(forces, matter, Vec3(0, -kGravity, 0));
        // the moments about the long axis do not matter in the plane
        auto bar = [](double m, double L) { return MassProperties(m, Vec3(L / 2, 0, 0), Inertia(m * L * L * 1e-3, m * L * L / 3, m * L * L / 3)); };
        const double m = c.m2 + c.m3, L = c.L2, J = c.m2 * L * L / 3 + c.m3 * L * L;
        const Body::Rigid crankBody(bar(c.m1, c.L1));
        const Body::Rigid rodBody(MassProperties(m, Vec3((c.m2 / 2 + c.m3) * L / m, 0, 0), Inertia(m * L * L * 1e-3, J, J)));
        MobilizedBody::Pin first(matter.Ground(), Transform(), crankBody, Transform());
        MobilizedBody::Pin second(first, Transform(Vec3(c.L1, 0, 0)), rodBody, Transform());
        Constraint::PointInPlane(matter.Ground(), UnitVec3(0, 1, 0), 0, second, Vec3(L, 0, 0));
        crank = first.getMobilizedBodyIndex();
        rod = second.getMobilizedBodyIndex();
        if (c.force != 0) Force::Custom(forces, new Push(c, matter, rod));
        start = system.realizeTopology();
        system.realizeModel(start);
        const double psi = -std::asin(c.L1 * std::sin(c.theta) / c.L2);
        const double rate = -c.L1 * std::cos(c.theta) * c.omega / (c.L2 * std::cos(psi));
        first.setAngle(start, c.theta);
        second.setAngle(start, psi - c.theta);
        first.setRate(start, c.omega);
        second.setRate(start, rate - c.omega);
    }

    std::unique_ptr<Integrator> integrator(const std::string& name) const {
        if (name == "RungeKuttaMerson") return std::make_unique<RungeKuttaMersonIntegrator>(system);
        if (name == "RungeKuttaFeldberg") return std::make_unique<RungeKuttaFeldbergIntegrator>(system);
        if (name == "RungeKutta3") return std::make_unique<RungeKutta3Integrator>(system);
        return std::make_unique<CPodesIntegrator>(system, CPodes::BDF);
    }
};

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    for (const SliderCrank& c : sliderCranks()) {
        const auto ref = reference(argv[1], c.file);
        const Mechanism model(c);
        for (const char* name : {"RungeKuttaMerson", "RungeKuttaFeldberg", "RungeKutta3", "CPodes BDF"}) {
            ladder(c.name, "Simbody 3.7", name, c.high, c.low, [&](double accuracy) {
                auto method = model.integrator(name);
                method->setAccuracy(accuracy);
                method->setFinalTime(c.duration);
                std::vector<std::vector<double>> found;
                Run run;
                const double limit = threadSeconds() + environment("PEERS_LIMIT", 1);
                const double begin = threadSeconds();
                method->initialize(model.start);
                for (size_t i = 0; i < ref.size(); ++i) {
                    const double t = std::min(0.01 * double(i), c.duration);
                    while (i > 0 && method->stepTo(t) != Integrator::ReachedReportTime) {
                        if (method->isSimulationOver()) break;
                        if (threadSeconds() > limit) throw std::runtime_error("time limit");
                    }
                    const State& s = method->getState();
                    const double q = s.getQ()[0], total = q + s.getQ()[1];
                    found.push_back({q, c.L1 * std::cos(q) + c.L2 * std::cos(total)});
                    if (threadSeconds() > limit) throw std::runtime_error("time limit");
                }
                run.seconds = threadSeconds() - begin;
                run.steps = method->getNumStepsTaken();
                run.error = epsT(found, ref);
                return run;
            });
        }
    }
}
