// Orbits: Kepler's equation, elements from state vectors, a Runge-Kutta propagator with J2, geodetic coordinates, visibility of satellites.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>
using std::vector;

constexpr double MU = 398600.4418, RE = 6378.137, J2 = 1.08262668e-3;
constexpr double FLATTENING = 1.0 / 298.257223563;
constexpr double PI = 3.14159265358979323846;

#define GPU(x)                                                    \
  if (cudaError_t e = (x)) {                                      \
    printf("%s at line %d\nFAILED\n", cudaGetErrorString(e), __LINE__); \
    exit(1);                                                      \
  }

template <class T> T *upload(const vector<T> &v)
{
  T *p;
  GPU(cudaMalloc((void **)&p, v.size() * sizeof(T)));
  GPU(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}

template <class T> void download(vector<T> &v, T *p)
{
  GPU(cudaMemcpy(v.data(), p, v.size() * sizeof(T), cudaMemcpyDeviceToHost));
  GPU(cudaFree(p));
}

static bool close(double a, double b, double tolerance) { return std::fabs(a - b) <= tolerance * (1.0 + std::fabs(b)); }

struct Vec {
  double x, y, z;
  __host__ __device__ Vec operator+(const Vec &o) const { return {x + o.x, y + o.y, z + o.z}; }
  __host__ __device__ Vec operator-(const Vec &o) const { return {x - o.x, y - o.y, z - o.z}; }
  __host__ __device__ Vec operator*(double s) const { return {x * s, y * s, z * s}; }
  __host__ __device__ double dot(const Vec &o) const { return x * o.x + y * o.y + z * o.z; }
  __host__ __device__ Vec cross(const Vec &o) const { return {y * o.z - z * o.y, z * o.x - x * o.z, x * o.y - y * o.x}; }
  __host__ __device__ double length() const { return sqrt(dot(*this)); }
};

struct State {
  Vec r, v;
};

struct Elements {
  double a, e, i, node, argument, mean;
};

// E - e sin E = M by Newton's method, as many steps as each thread needs.
__host__ __device__ double eccentricAnomaly(double mean, double e, int *steps)
{
  double E = e < 0.8 ? mean : PI;
  int n = 0;
  for (; n < 30; n++) {
    double s = sin(E), c = cos(E);
    double d = (E - e * s - mean) / (1.0 - e * c);
    E -= d;
    if (fabs(d) < 1e-12)
      break;
  }
  *steps = n;
  return E;
}

__global__ void solveKepler(const double2 *__restrict__ meanAndE, double *__restrict__ anomaly, int *slowest, int n)
{
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  double2 q = meanAndE[i];
  int steps;
  anomaly[i] = eccentricAnomaly(q.x, q.y, &steps);
  atomicMax(slowest, steps);
}

int checkKepler()
{
  const int n = 2345;
  vector<double2> q(n);
  vector<double> E(n);
  vector<int> slowest(1, 0);
  for (int i = 0; i < n; i++)
    q[i] = make_double2(2 * PI * i / n, 0.93 * (i * 31 % 101) / 100);
  double2 *dq = upload(q);
  double *dE = upload(E);
  int *ds = upload(slowest);
  solveKepler<<<(n + 127) / 128, 128>>>(dq, dE, ds, n);
  download(E, dE), download(slowest, ds), download(q, dq);
  int bad = slowest[0] < 2 || slowest[0] > 30;
  for (int i = 0; i < n; i++)
    if (!close(E[i] - q[i].y * std::sin(E[i]), q[i].x, 1e-10)) bad++;
  return bad;
}

__host__ __device__ State fromElements(const Elements &k)
{
  int ignored;
  double E = eccentricAnomaly(k.mean, k.e, &ignored);
  double root = sqrt(1 - k.e * k.e), rate = sqrt(MU / k.a) / (1 - k.e * cos(E));
  double px = k.a * (cos(E) - k.e), py = k.a * root * sin(E);
  double vx = -rate * sin(E), vy = rate * root * cos(E);
  double cn = cos(k.node), sn = sin(k.node), ci = cos(k.i), si = sin(k.i), cw = cos(k.argument), sw = sin(k.argument);
  Vec P = {cn * cw - sn * sw * ci, sn * cw + cn * sw * ci, sw * si};
  Vec Q = {-cn * sw - sn * cw * ci, -sn * sw + cn * cw * ci, cw * si};
  return {P * px + Q * py, P * vx + Q * vy};
}

static vector<Elements> constellation(int n)
{
  vector<Elements> k(n);
  for (int i = 0; i < n; i++)
    k[i] = {7000.0 + 13.0 * (i % 200), 0.01 + 0.0004 * (i % 97), 0.3 + 0.01 * (i % 120), 0.1 + 0.02 * (i % 300), 0.2 + 0.013 * (i % 431), 0.15 + 0.001 * i};
  return k;
}

__device__ double angleIn(double cosine, bool flip)
{
  double a = acos(fmin(1.0, fmax(-1.0, cosine)));
  return flip ? 2 * PI - a : a;
}

// States lie as an array of structures; the elements come back as six arrays.
__global__ void elementsOf(const State *states, int n, double *elements)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const State s = states[i];
  const double r = s.r.length();
  const Vec h = s.r.cross(s.v);
  const Vec ev = s.v.cross(h) * (1 / MU) - s.r * (1 / r);
  const double e = ev.length(), a = 1 / (2 / r - s.v.dot(s.v) / MU);
  const Vec line = {-h.y, h.x, 0};
  const double anomaly = angleIn(ev.dot(s.r) / (e * r), s.r.dot(s.v) < 0);
  const double E = 2 * atan2(sqrt(1 - e) * sin(anomaly / 2), sqrt(1 + e) * cos(anomaly / 2));
  double mean = E - e * sin(E);
  if (mean < 0) mean += 2 * PI;
  elements[0 * n + i] = a;
  elements[1 * n + i] = e;
  elements[2 * n + i] = acos(h.z / h.length());
  elements[3 * n + i] = angleIn(line.x / line.length(), line.y < 0);
  elements[4 * n + i] = angleIn(line.dot(ev) / (line.length() * e), ev.z < 0);
  elements[5 * n + i] = mean;
}

int checkElements()
{
  const int n = 1999;
  vector<Elements> want = constellation(n);
  vector<State> states(n);
  for (int i = 0; i < n; i++) states[i] = fromElements(want[i]);
  vector<double> got(6 * n);
  State *ds = upload(states);
  double *dg = upload(got);
  elementsOf<<<(n + 95) / 96, 96>>>(ds, n, dg);
  download(got, dg), download(states, ds);
  int bad = 0;
  for (int i = 0; i < n; i++) {
    const double w[6] = {want[i].a, want[i].e, want[i].i, want[i].node, want[i].argument, want[i].mean};
    for (int k = 0; k < 6; k++)
      bad += !close(got[k * n + i], w[k], 1e-6);
  }
  return bad;
}

__host__ __device__ Vec gravity(const Vec &r)
{
  const double d2 = r.dot(r), d = sqrt(d2), z2 = 5 * r.z * r.z / d2;
  const double f = -MU / (d2 * d), j = 1.5 * J2 * RE * RE / d2;
  return {f * r.x * (1 + j * (1 - z2)), f * r.y * (1 + j * (1 - z2)), f * r.z * (1 + j * (3 - z2))};
}

__host__ __device__ State step(const State &s, double h)
{
  const Vec k1 = gravity(s.r), v2 = s.v + k1 * (h / 2);
  const Vec k2 = gravity(s.r + s.v * (h / 2)), v3 = s.v + k2 * (h / 2);
  const Vec k3 = gravity(s.r + v2 * (h / 2)), v4 = s.v + k3 * h;
  const Vec k4 = gravity(s.r + v3 * h);
  return {s.r + (s.v + (v2 + v3) * 2 + v4) * (h / 6), s.v + (k1 + (k2 + k3) * 2 + k4) * (h / 6)};
}

__global__ void propagate(State *states, int n, double h, const int *steps)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    State s = states[i];
    const int count = steps[i];
    for (int k = 0; k < count; k++)
      s = step(s, h);
    states[i] = s;
  }
}

int checkPropagation()
{
  const int n = 777;
  vector<State> s(n);
  vector<int> steps(n);
  const vector<Elements> k = constellation(n);
  for (int i = 0; i < n; i++) s[i] = fromElements(k[i]), steps[i] = 3 + i % 8;
  vector<State> want = s;
  State *ds = upload(s);
  int *dn = upload(steps);
  propagate<<<5, 96>>>(ds, n, 20.0, dn);
  download(s, ds), download(steps, dn);
  int bad = 0;
  for (int i = 0; i < n; i++) {
    for (int t = 0; t < steps[i]; t++) want[i] = step(want[i], 20.0);
    bad += (s[i].r - want[i].r).length() > 1e-6 || (s[i].v - want[i].v).length() > 1e-9;
  }
  return bad;
}

// Earth-centred to latitude, longitude and height after Bowring; the inertial frame is turned by the hour angle first.
__global__ void geodetic(const double *x, const double *y, const double *z, double hourAngle, double3 *out, int n)
{
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  double s, c;
  sincos(hourAngle, &s, &c);
  if (i < n) {
    const double X = c * x[i] + s * y[i], Y = c * y[i] - s * x[i], Z = z[i];
    const double b = RE * (1 - FLATTENING), e2 = FLATTENING * (2 - FLATTENING), ep2 = e2 / (1 - e2);
    const double p = hypot(X, Y), theta = atan2(Z * RE, p * b);
    double st, ct;
    sincos(theta, &st, &ct);
    const double latitude = atan2(Z + ep2 * b * st * st * st, p - e2 * RE * ct * ct * ct);
    const double N = RE * rsqrt(1 - e2 * sin(latitude) * sin(latitude));
    out[i] = make_double3(latitude, atan2(Y, X), p / cos(latitude) - N);
  }
}

int checkGeodetic()
{
  const int n = 1501;
  const double turn = 0.7, e2 = FLATTENING * (2 - FLATTENING);
  vector<double> x(n), y(n), z(n);
  vector<double3> want(n), got(n);
  for (int i = 0; i < n; i++) {
    const double lat = -1.4 + 2.8 * i / n, lon = -3 + 6.0 * (i * 17 % n) / n, h = 1.5 * (i % 400);
    const double N = RE / std::sqrt(1 - e2 * std::sin(lat) * std::sin(lat));
    x[i] = (N + h) * std::cos(lat) * std::cos(lon + turn);
    y[i] = (N + h) * std::cos(lat) * std::sin(lon + turn);
    z[i] = (N * (1 - e2) + h) * std::sin(lat);
    want[i] = make_double3(lat, lon, h);
  }
  double *dx = upload(x), *dy = upload(y), *dz = upload(z);
  double3 *dg = upload(got);
  geodetic<<<(n + 63) / 64, 64>>>(dx, dy, dz, turn, dg, n);
  download(got, dg), download(x, dx), download(y, dy), download(z, dz);
  int bad = 0;
  for (int i = 0; i < n; i++)
    bad += !close(got[i].x, want[i].x, 1e-7) || !close(got[i].y, want[i].y, 1e-9) || std::fabs(got[i].z - want[i].z) > 1e-3;
  return bad;
}

// Which of up to 32 ground stations see each satellite: a bit each; and by station how many it sees.
__global__ void visibility(const float4 *__restrict__ stations, int nstations, const float *__restrict__ xyz, unsigned *seen, int *counts, int n)
{
  __shared__ float4 station[32];
  __shared__ int local[32];
  if (threadIdx.x < 32) {
    if (threadIdx.x < nstations) station[threadIdx.x] = stations[threadIdx.x];
    local[threadIdx.x] = 0;
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float x = xyz[3 * i], y = xyz[3 * i + 1], z = xyz[3 * i + 2];
    unsigned mask = 0;
    for (int k = 0; k < nstations; k++) {
      const float4 g = station[k];
      const float dx = x - g.x, dy = y - g.y, dz = z - g.z;
      const float up = dx * g.x + dy * g.y + dz * g.z;
      if (up > 0 && up * up > g.w * (dx * dx + dy * dy + dz * dz) * (g.x * g.x + g.y * g.y + g.z * g.z)) {
        mask |= 1u << k;
        atomicAdd(&local[k], 1);
      }
    }
    seen[i] = mask;
  }
  __syncthreads();
  if (threadIdx.x < nstations && local[threadIdx.x]) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

int checkVisibility()
{
  const int n = 1333, m = 19;
  vector<float4> g(m);
  for (int k = 0; k < m; k++) {
    const double lat = -1.2 + 2.4 * k / m, lon = 2.399 * k;
    g[k] = make_float4(6371 * std::cos(lat) * std::cos(lon), 6371 * std::cos(lat) * std::sin(lon), 6371 * std::sin(lat), 0.01f);
  }
  vector<float> xyz(3 * n);
  for (int i = 0; i < n; i++) {
    const double lat = std::asin(-0.98 + 1.96 * i / n), lon = 2.39996 * i, r = 7000 + i;
    xyz[3 * i] = r * std::cos(lat) * std::cos(lon), xyz[3 * i + 1] = r * std::cos(lat) * std::sin(lon), xyz[3 * i + 2] = r * std::sin(lat);
  }
  vector<unsigned> seen(n);
  vector<int> counts(m, 0), want(m, 0);
  float4 *dg = upload(g);
  float *dx = upload(xyz);
  unsigned *ds = upload(seen);
  int *dc = upload(counts);
  visibility<<<(n + 159) / 160, 160>>>(dg, m, dx, ds, dc, n);
  download(seen, ds), download(counts, dc), download(g, dg), download(xyz, dx);
  int bad = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++) {
      const double d[3] = {xyz[3 * i] - g[k].x, xyz[3 * i + 1] - g[k].y, xyz[3 * i + 2] - g[k].z};
      const double up = d[0] * g[k].x + d[1] * g[k].y + d[2] * g[k].z, dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
      const double sine = up / std::sqrt(dd * (double(g[k].x) * g[k].x + double(g[k].y) * g[k].y + double(g[k].z) * g[k].z));
      const bool bit = seen[i] >> k & 1;
      bad += bit != (sine > 0.1) && std::fabs(sine - 0.1) > 1e-4;
      want[k] += bit;
    }
  for (int k = 0; k < m; k++) bad += counts[k] != want[k] || want[k] == 0;
  return bad;
}

int main()
{
  int (*const checks[])() = {checkKepler, checkElements, checkPropagation, checkGeodetic, checkVisibility};
  int bad = 0, index = 0;
  for (auto check : checks) {
    const int here = check();
    if (here) printf("check %d: %d bad\n", index, here);
    bad += here;
    index++;
  }
  puts(bad ? "FAILED" : "PASSED");
  return bad ? 1 : 0;
}
