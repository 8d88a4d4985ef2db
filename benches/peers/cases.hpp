// The C++ side of cases.py: data, references, errors and the ladder of settings.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

constexpr double kPi = 3.14159265358979323846;
constexpr double kGravity = 9.81;
constexpr double kNever = std::numeric_limits<double>::infinity();

struct SliderCrank {
    std::string name, file;
    double L1, L2, m1, m2, m3, theta, omega, force, duration, high, low;
    double push(double t) const { return force * std::sin(kPi * t); }
};

inline std::vector<SliderCrank> sliderCranks() {
    return {
        {"A1", "A1_slider_crank_case1.csv", 1, 1, 1, 1, 0, kPi / 4, 2 * std::sqrt(2.0), 0, 10, 2e-4, 2e-3},
        {"A2", "A2_slider_crank_case2.csv", 3, 6, 1.5, 3, 0.25, 0, 0, 100, 10, 5e-3, 5e-2},
        {"A3", "A3_slider_crank_case3.csv", 1, 1, 1, 1, 0, kPi / 4, 0, 100, 5, 1e-2, 1e-1},
    };
}

// A reference solution, row by row, without the time.
inline std::vector<std::vector<double>> reference(const std::string& folder, const std::string& file) {
    std::ifstream in(folder + "/" + file);
    if (!in) throw std::runtime_error("no reference " + file);
    std::vector<std::vector<double>> rows;
    std::string line, cell;
    std::getline(in, line);
    while (std::getline(in, line)) {
        std::stringstream cells(line);
        std::vector<double> row;
        while (std::getline(cells, cell, ',')) row.push_back(std::stod(cell));
        rows.emplace_back(row.begin() + 1, row.end());
    }
    return rows;
}

// Root mean square over samples of crank angle and slider position.
inline double epsT(const std::vector<std::vector<double>>& found, const std::vector<std::vector<double>>& ref) {
    if (found.size() != ref.size()) return kNever;
    double sum = 0;
    for (size_t i = 0; i < ref.size(); ++i)
        for (int j = 0; j < 2; ++j) sum += std::pow(found[i][j] - ref[i][j], 2);
    return std::sqrt(sum / (2.0 * ref.size()));
}

// An angle from its direction, on the turn nearest to the previous sample.
inline double unwrapped(double angle, double before) {
    return angle + 2 * kPi * std::round((before - angle) / (2 * kPi));
}

// CPU seconds of this thread.
inline double threadSeconds() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

inline double environment(const char* name, double otherwise) {
    const char* value = std::getenv(name);
    return value ? std::atof(value) : otherwise;
}

struct Run {
    double seconds = 0, error = kNever;
    long steps = 0;
};

// Runs a method from coarse to fine tolerances, four per decade; ends after two runs in a
// row below the high threshold or at the time limits. One JSON line per run.
inline void ladder(const std::string& name, const std::string& program, const std::string& method, double high,
                   double low, const std::function<Run(double)>& attempt) {
    const double limit = environment("PEERS_LIMIT", 1);
    const int repeats = int(environment("PEERS_REPEATS", 3));
    const double first = threadSeconds();
    int passed = 0;
    for (int k = 8; k <= 48 && passed < 2; ++k) {
        const double tol = std::pow(10.0, -k / 4.0);
        const double begin = threadSeconds();
        Run run;
        std::string problem;
        try {
            run = attempt(tol);
            if (run.error <= std::max(high, low))
                // short runs more often, against the noise of a busy machine
                for (int i = 1, n = std::max(repeats, int(std::min(30.0, 0.05 / run.seconds))); i < n; ++i)
                    run.seconds = std::min(run.seconds, attempt(tol).seconds);
        } catch (const std::exception& failure) {
            problem = failure.what();
            std::replace_if(problem.begin(), problem.end(), [](char c) { return c == '"' || c == '\\' || c < 32; }, ' ');
            problem = problem.substr(0, 120);
            run.seconds = threadSeconds() - begin;
        }
        std::printf("{\"case\": \"%s\", \"program\": \"%s\", \"method\": \"%s\", \"setting\": \"rtol = %.2g\", "
                    "\"cpu_s\": %.9f, \"steps\": %ld, \"eps\": ",
                    name.c_str(), program.c_str(), method.c_str(), tol, run.seconds, run.steps);
        if (std::isfinite(run.error)) std::printf("%.6e", run.error);
        else std::printf("null");
        std::printf(", \"problem\": \"%s\"}\n", problem.c_str());
        std::fflush(stdout);
        passed = run.error <= high ? passed + 1 : 0;
        if ((problem.empty() && run.seconds > limit) || threadSeconds() - first > 10 * limit) break;
    }
}
