// Slider-cranks A1 to A3 and the car axis C1 with SUNDIALS IDA, without Python.
//
// The same equations as in ida_thresholds.py (stabilised index 2 of Gear, Gupta and Leimkuhler),
// with the smaller of its two sets of coordinates for the slider-crank: points P (x, y) and Q (x).
// Dense matrix, given Jacobian; multipliers do not take part in the error test.
//
// Usage: ida_thresholds <folder of the reference solutions>

#include "cases.hpp"

#include <array>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_version.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

// Equations of one problem: y = (q, v, lambda, mu).
struct Equations {
    int n, rows;
    virtual ~Equations() = default;
    int size() const { return 2 * (n + rows); }
    // mass matrix; forces; constraints, rates of constraints; G; d f/dq; d(G^T k)/dq; d(G v + g_t)/dq; row-major
    virtual void mass(double* m) const = 0;
    virtual void force(double t, const double* q, double* f) const = 0;
    virtual void constraints(double t, const double* q, double* g) const = 0;
    virtual void jacobian(double t, const double* q, double* G) const = 0;
    virtual void rateByTime(double t, const double* q, double* gt) const = 0;
    virtual void forceByQ(double t, const double* q, double* F) const = 0;
    virtual void curvature(const double* q, const double* k, double* C) const = 0;
    virtual void rateByQ(double t, const double* q, const double* v, double* R) const = 0;
    virtual void start(double* q, double* v) const = 0;
    Equations(int n, int rows) : n(n), rows(rows) {}
};

struct Points : Equations {
    const SliderCrank& c;
    explicit Points(const SliderCrank& c) : Equations(3, 2), c(c) {}
    void mass(double* m) const override {
        const double a = (c.m1 + c.m2) / 3, b = c.m2 / 3 + c.m3, ab = c.m2 / 6;
        const double all[9] = {a, 0, ab, 0, a, 0, ab, 0, b};
        std::copy(all, all + 9, m);
    }
    void force(double t, const double*, double* f) const override {
        f[0] = 0, f[1] = -(c.m1 + c.m2) / 2 * kGravity, f[2] = c.push(t);
    }
    void constraints(double, const double* q, double* g) const override {
        const double r = q[2] - q[0];
        g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - c.L1 * c.L1);
        g[1] = 0.5 * (r * r + q[1] * q[1] - c.L2 * c.L2);
    }
    void jacobian(double, const double* q, double* G) const override {
        const double r = q[2] - q[0], all[6] = {q[0], q[1], 0, -r, q[1], r};
        std::copy(all, all + 6, G);
    }
    void rateByTime(double, const double*, double* gt) const override { gt[0] = gt[1] = 0; }
    void forceByQ(double, const double*, double* F) const override { std::fill(F, F + 9, 0.0); }
    void curvature(const double*, const double* k, double* C) const override {
        const double s = k[0] + k[1], all[9] = {s, 0, -k[1], 0, s, 0, -k[1], 0, k[1]};
        std::copy(all, all + 9, C);
    }
    void rateByQ(double t, const double*, const double* v, double* R) const override { jacobian(t, v, R); }
    void start(double* q, double* v) const override {
        q[0] = c.L1 * std::cos(c.theta), q[1] = c.L1 * std::sin(c.theta);
        const double reach = std::sqrt(c.L2 * c.L2 - q[1] * q[1]);
        q[2] = q[0] + reach;
        v[0] = -q[1] * c.omega, v[1] = q[0] * c.omega;
        v[2] = v[0] - q[1] * v[1] / reach;
    }
};

struct CarAxis : Equations {
    CarAxis() : Equations(4, 2) {}
    static constexpr double K = 5e-4, L0 = 0.5, r = 0.1, omega = 10;
    struct Road { double x, y, dx, dy; };
    static Road road(double t) {
        const double y = r * std::sin(omega * t), dy = r * omega * std::cos(omega * t), x = std::sqrt(1 - y * y);
        return {x, y, -y * dy / x, dy};
    }
    void mass(double* m) const override {
        std::fill(m, m + 16, 0.0);
        for (int i = 0; i < 4; ++i) m[5 * i] = K;
    }
    void force(double t, const double* q, double* f) const override {
        const Road b = road(t);
        const double l = std::hypot(q[0], q[1]), s = std::hypot(q[2] - b.x, q[3] - b.y);
        f[0] = (L0 - l) / l * q[0], f[1] = (L0 - l) / l * q[1] - K;
        f[2] = (L0 - s) / s * (q[2] - b.x), f[3] = (L0 - s) / s * (q[3] - b.y) - K;
    }
    void constraints(double t, const double* q, double* g) const override {
        const Road b = road(t);
        g[0] = q[0] * b.x + q[1] * b.y;
        g[1] = std::pow(q[0] - q[2], 2) + std::pow(q[1] - q[3], 2) - 1;
    }
    void jacobian(double t, const double* q, double* G) const override {
        const Road b = road(t);
        const double x = 2 * (q[0] - q[2]), y = 2 * (q[1] - q[3]), all[8] = {b.x, b.y, 0, 0, x, y, -x, -y};
        std::copy(all, all + 8, G);
    }
    void rateByTime(double t, const double* q, double* gt) const override {
        const Road b = road(t);
        gt[0] = b.dx * q[0] + b.dy * q[1], gt[1] = 0;
    }
    void forceByQ(double t, const double* q, double* F) const override {
        const Road b = road(t);
        std::fill(F, F + 16, 0.0);
        for (int i = 0; i < 4; i += 2) {
            const double x = q[i] - (i ? b.x : 0), y = q[i + 1] - (i ? b.y : 0), l = std::hypot(x, y), k = L0 / (l * l * l);
            F[4 * i + i] = L0 / l - 1 - k * x * x, F[4 * (i + 1) + i + 1] = L0 / l - 1 - k * y * y;
            F[4 * i + i + 1] = F[4 * (i + 1) + i] = -k * x * y;
        }
    }
    void curvature(const double*, const double* k, double* C) const override {
        std::fill(C, C + 16, 0.0);
        for (int i = 0; i < 4; ++i) C[5 * i] = 2 * k[1], C[4 * i + (i + 2) % 4] = -2 * k[1];
    }
    void rateByQ(double t, const double*, const double* v, double* R) const override {
        const Road b = road(t);
        const double x = 2 * (v[0] - v[2]), y = 2 * (v[1] - v[3]), all[8] = {b.dx, b.dy, 0, 0, x, y, -x, -y};
        std::copy(all, all + 8, R);
    }
    void start(double* q, double* v) const override {
        const double p[4] = {0, 0.5, 1, 0.5}, w[4] = {-0.5, 0, -0.5, 0};
        std::copy(p, p + 4, q);
        std::copy(w, w + 4, v);
    }
};

using Block = std::array<double, 16>;

int residual(realtype t, N_Vector yy, N_Vector yp, N_Vector rr, void* data) {
    const Equations& e = *static_cast<const Equations*>(data);
    const int n = e.n, m = e.rows;
    const double *y = N_VGetArrayPointer(yy), *p = N_VGetArrayPointer(yp);
    double* res = N_VGetArrayPointer(rr);
    Block M, G, f, gt;
    e.mass(M.data());
    e.jacobian(t, y, G.data());
    e.force(t, y, f.data());
    for (int i = 0; i < n; ++i) {
        res[i] = p[i] - y[n + i];
        res[n + i] = -f[i];
        for (int j = 0; j < n; ++j) res[n + i] += M[i * n + j] * p[n + j];
        for (int k = 0; k < m; ++k) {
            res[i] += G[k * n + i] * y[2 * n + m + k];
            res[n + i] -= G[k * n + i] * y[2 * n + k];
        }
    }
    e.constraints(t, y, res + 2 * n);
    e.rateByTime(t, y, gt.data());
    for (int k = 0; k < m; ++k) {
        res[2 * n + m + k] = gt[k];
        for (int j = 0; j < n; ++j) res[2 * n + m + k] += G[k * n + j] * y[n + j];
    }
    return 0;
}

int jacobian(realtype t, realtype cj, N_Vector yy, N_Vector, N_Vector, SUNMatrix out, void* data, N_Vector, N_Vector, N_Vector) {
    const Equations& e = *static_cast<const Equations*>(data);
    const int n = e.n, m = e.rows;
    const double* y = N_VGetArrayPointer(yy);
    Block M, G, F, Cl, Cm, R;
    e.mass(M.data());
    e.jacobian(t, y, G.data());
    e.forceByQ(t, y, F.data());
    e.curvature(y, y + 2 * n, Cl.data());
    e.curvature(y, y + 2 * n + m, Cm.data());
    e.rateByQ(t, y, y + n, R.data());
    SUNMatZero(out);
    double** J = SUNDenseMatrix_Cols(out);  // J[column][row]
    for (int j = 0; j < n; ++j) {
        J[j][j] = cj;
        J[n + j][j] = -1;
        for (int i = 0; i < n; ++i) {
            J[j][i] += Cm[i * n + j];
            J[j][n + i] = -F[i * n + j] - Cl[i * n + j];
            J[n + j][n + i] = cj * M[i * n + j];
        }
        for (int k = 0; k < m; ++k) {
            J[2 * n + m + k][j] = G[k * n + j];
            J[2 * n + k][n + j] = -G[k * n + j];
            J[j][2 * n + k] = J[n + j][2 * n + m + k] = G[k * n + j];
            J[j][2 * n + m + k] = R[k * n + j];
        }
    }
    return 0;
}

// Gauss with row pivots; for the start only.
std::vector<double> solve(std::vector<std::vector<double>> a) {
    const size_t n = a.size();
    for (size_t c = 0; c < n; ++c) {
        size_t best = c;
        for (size_t i = c; i < n; ++i)
            if (std::abs(a[i][c]) > std::abs(a[best][c])) best = i;
        std::swap(a[c], a[best]);
        for (size_t i = 0; i < n; ++i) {
            if (i == c) continue;
            const double s = a[i][c] / a[c][c];
            for (size_t j = c; j <= n; ++j) a[i][j] -= s * a[c][j];
        }
    }
    std::vector<double> x(n);
    for (size_t i = 0; i < n; ++i) x[i] = a[i][n] / a[i][i];
    return x;
}

// Consistent positions, velocities, accelerations and multipliers at t = 0.
void consistent(const Equations& e, std::vector<double>& y, std::vector<double>& yp) {
    const int n = e.n, m = e.rows;
    y.assign(e.size(), 0.0);
    yp.assign(e.size(), 0.0);
    e.start(y.data(), y.data() + n);
    std::copy(y.begin() + n, y.begin() + 2 * n, yp.begin());
    Block M, G, f;
    e.mass(M.data());
    e.jacobian(0, y.data(), G.data());
    e.force(0, y.data(), f.data());
    auto rate = [&](double s) {  // G v + g_t a little later, at the same velocity
        std::vector<double> q(y.begin(), y.begin() + n), out(m);
        for (int i = 0; i < n; ++i) q[i] += s * y[n + i];
        Block H;
        e.jacobian(s, q.data(), H.data());
        e.rateByTime(s, q.data(), out.data());
        for (int k = 0; k < m; ++k)
            for (int j = 0; j < n; ++j) out[k] += H[k * n + j] * y[n + j];
        return out;
    };
    const double d = 1e-5;
    const auto late = rate(d), early = rate(-d);
    std::vector<std::vector<double>> a(n + m, std::vector<double>(n + m + 1, 0.0));
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) a[i][j] = M[i * n + j];
        for (int k = 0; k < m; ++k) a[i][n + k] = -G[k * n + i], a[n + k][i] = G[k * n + i];
        a[i][n + m] = f[i];
    }
    for (int k = 0; k < m; ++k) a[n + k][n + m] = -(late[k] - early[k]) / (2 * d);
    const auto x = solve(a);
    std::copy(x.begin(), x.begin() + n, yp.begin() + n);
    std::copy(x.begin() + n, x.end(), y.begin() + 2 * n);
}

// Integrates to the given times; calls `report` with the state at each.
Run integrate(const Equations& e, double tol, const std::vector<double>& times,
              const std::function<void(const double*)>& report) {
    std::vector<double> y0, yp0;
    consistent(e, y0, yp0);
    Run run;
    const double begin = threadSeconds(), limit = begin + environment("PEERS_LIMIT", 1);
    SUNContext context;
    SUNContext_Create(nullptr, &context);
    const int size = e.size(), n = 2 * e.n;
    N_Vector y = N_VMake_Serial(size, y0.data(), context), yp = N_VMake_Serial(size, yp0.data(), context);
    N_Vector atol = N_VNew_Serial(size, context), id = N_VNew_Serial(size, context);
    for (int i = 0; i < size; ++i) {
        N_VGetArrayPointer(atol)[i] = i < n ? tol : 1e6;  // multipliers: out of the error test
        N_VGetArrayPointer(id)[i] = i < n ? 1 : 0;
    }
    void* ida = IDACreate(context);
    SUNMatrix matrix = SUNDenseMatrix(size, size, context);
    SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
    IDAInit(ida, residual, 0.0, y, yp);
    IDASetErrFile(ida, nullptr);
    IDASetUserData(ida, const_cast<Equations*>(&e));
    IDASVtolerances(ida, tol, atol);
    IDASetId(ida, id);
    IDASetSuppressAlg(ida, SUNTRUE);
    IDASetMaxNumSteps(ida, 1000000);
    IDASetLinearSolver(ida, solver, matrix);
    IDASetJacFn(ida, jacobian);
    int flag = 0;
    for (double t : times) {
        double reached = 0;
        if (t > 0) flag = IDASolve(ida, t, &reached, y, yp, IDA_NORMAL);
        if (flag < 0 || threadSeconds() > limit) break;
        report(N_VGetArrayPointer(y));
    }
    IDAGetNumSteps(ida, &run.steps);
    IDAFree(&ida);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    for (N_Vector v : {y, yp, atol, id}) N_VDestroy(v);
    SUNContext_Free(&context);
    run.seconds = threadSeconds() - begin;
    if (flag < 0) throw std::runtime_error("IDA returned " + std::to_string(flag));
    return run;
}

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    char version[32] = "";
    SUNDIALSGetVersion(version, sizeof version);
    const std::string program = std::string("SUNDIALS ") + version + " IDA, GGL, C";
    for (const SliderCrank& c : sliderCranks()) {
        const auto ref = reference(argv[1], c.file);
        const Points e(c);
        std::vector<double> times;
        for (size_t i = 0; i < ref.size(); ++i) times.push_back(std::min(0.01 * double(i), c.duration));
        ladder(c.name, program, "BDF, natural", c.high, c.low, [&](double tol) {
            std::vector<std::vector<double>> found;
            found.reserve(ref.size());
            double before = c.theta;
            Run run = integrate(e, tol, times, [&](const double* y) {
                before = unwrapped(std::atan2(y[1], y[0]), before);
                found.push_back({before, y[2]});
            });
            run.error = epsT(found, ref);
            return run;
        });
    }
    const CarAxis axis;
    const auto ref = reference(argv[1], "C1_car_axis.csv").back();
    ladder("C1", program, "BDF, published", 1e-6, 1e-6, [&](double tol) {
        double worst = 0;
        Run run = integrate(axis, tol, {0, 3}, [&](const double* y) {
            worst = 0;
            for (int i = 0; i < 8; ++i) worst = std::max(worst, std::abs(y[i] - ref[i]) / (1 + std::abs(ref[i])));
        });
        run.error = worst;
        return run;
    });
}
