// Queues: a single server by Lindley's recurrence, tellers, a slotted buffer that overflows, a pool of machines to a warp,
// the stationary state of a birth and death chain.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#define BOTH __host__ __device__ __forceinline__

struct XorShift {
  uint32_t s;
  BOTH explicit XorShift(uint32_t seed) : s(seed * 2654435769u + 1u) { s |= s == 0; }
  BOTH uint32_t next()
  {
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
  }
  BOTH float uniform() { return ((next() >> 9) + 0.5f) * 0x1p-23f; }
};

class Lcg {
  uint64_t state;

public:
  BOTH Lcg(uint64_t stream) : state(stream * 0x9e3779b97f4a7c15ull + 0x1234567ull) { next(); }
  BOTH uint32_t next()
  {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return uint32_t(state >> 33) ^ uint32_t(state >> 11);
  }
  BOTH uint32_t below(uint32_t n) { return uint32_t((uint64_t(next()) * n) >> 32); }
};

template <typename T>
std::shared_ptr<T> onDevice(const std::vector<T> &v)
{
  T *p = nullptr;
  if (cudaMalloc(&p, v.size() * sizeof(T)) != cudaSuccess)
    std::puts("no memory");
  cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
  return std::shared_ptr<T>(p, cudaFree);
}

template <typename T>
std::vector<T> fromDevice(const std::shared_ptr<T> &p, size_t n)
{
  std::vector<T> v(n);
  if (cudaMemcpy(v.data(), p.get(), n * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess)
    std::puts("no copy");
  return v;
}

static bool say(bool good, const char *name)
{
  if (!good)
    std::printf("%s differs\n", name);
  return good;
}

// Waiting times of customers one after another: W' = max(0, W + S - A), both exponential.
__global__ void lindley(int replications, int customers, float arrivalRate, float serviceRate, float2 *meanAndWorst)
{
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= replications)
    return;
  XorShift random(r + 1);
  float wait = 0.0f, sum = 0.0f, worst = 0.0f;
  for (int c = 0; c < customers; c++) {
    sum += wait;
    worst = wait > worst ? wait : worst;
    const float service = -logf(random.uniform()) / serviceRate;
    const float gap = -logf(random.uniform()) / arrivalRate;
    wait = fmaxf(0.0f, wait + service - gap);
  }
  meanAndWorst[r] = make_float2(sum / customers, worst);
}

static bool testLindley()
{
  const int n = 1500, customers = 60;
  const auto out = onDevice(std::vector<float2>(n));
  lindley<<<(n + 127) / 128, 128>>>(n, customers, 0.8f, 1.0f, out.get());
  const auto got = fromDevice(out, n);
  bool good = true;
  for (int r = 0; r < n; r++) {
    XorShift random(r + 1);
    double wait = 0, sum = 0, worst = 0;
    for (int c = 0; c < customers; c++) {
      sum += wait;
      worst = std::max(worst, wait);
      const double service = -std::log(double(random.uniform())), gap = -std::log(double(random.uniform())) / double(0.8f);
      wait = std::max(0.0, wait + service - gap);
    }
    good &= std::fabs(got[r].x - sum / customers) < 1e-3 && std::fabs(got[r].y - worst) < 1e-3;
  }
  return say(good, "lindley");
}

struct Day {
  unsigned served, waited, longest, end;
};

// Some tellers and one line; each keeps the time when he is free, in whole seconds.
template <int MOST>
BOTH Day openBank(int tellers, int closing, uint64_t stream)
{
  unsigned freeAt[MOST];
  for (int t = 0; t < tellers; t++)
    freeAt[t] = 0;
  Lcg random(stream);
  Day day = {0, 0, 0, 0};
  unsigned now = 0;
  while (true) {
    now += 1 + random.below(100);
    if (now > unsigned(closing))
      break;
    int first = 0;
    for (int t = 1; t < tellers; t++)
      if (freeAt[t] < freeAt[first])
        first = t;
    const unsigned begin = freeAt[first] > now ? freeAt[first] : now;
    const unsigned wait = begin - now;
    freeAt[first] = begin + 30 + random.below(random.next() % 8 == 0 ? 600 : 150);
    day.served++;
    day.waited += wait;
    day.longest = day.longest < wait ? wait : day.longest;
    day.end = day.end < freeAt[first] ? freeAt[first] : day.end;
  }
  return day;
}

__global__ void tellers(const unsigned char *staff, int closing, Day *days, int n)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    days[i] = openBank<8>(staff[i], closing, i);
}

static bool testTellers()
{
  const int n = 700, closing = 1800;
  std::vector<unsigned char> staff(n);
  for (int i = 0; i < n; i++)
    staff[i] = 1 + i * 5 % 8;
  const auto ds = onDevice(staff);
  const auto dd = onDevice(std::vector<Day>(n));
  tellers<<<4, 96>>>(ds.get(), closing, dd.get(), n);
  const auto got = fromDevice(dd, n);
  bool good = true;
  for (int i = 0; i < n; i++) {
    const Day want = openBank<8>(staff[i], closing, i);
    good &= want.served == got[i].served && want.waited == got[i].waited && want.longest == got[i].longest && want.end == got[i].end;
  }
  return say(good, "tellers");
}

// A slotted buffer of CAPACITY packets; the times spent at each length are counted in shared memory.
const int CAPACITY = 15;

__global__ void slotted(int slots, unsigned arrive, unsigned depart, int n, unsigned long long *occupancy, unsigned *lost)
{
  __shared__ unsigned histogram[CAPACITY + 1];
  __shared__ unsigned dropped;
  if (threadIdx.x <= CAPACITY)
    histogram[threadIdx.x] = 0;
  if (threadIdx.x == CAPACITY + 1)
    dropped = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    XorShift random(1000 + i);
    int length = 0;
    for (int s = 0; s < slots; s++) {
      const uint32_t bits = random.next();
      const bool in = (bits & 0xffff) < arrive, out = (bits >> 16) < depart;
      length -= out && length > 0;
      if (in && length == CAPACITY)
        atomicInc(&dropped, ~0u);
      else
        length += in;
      atomicAdd(&histogram[length], 1u);
    }
  }
  __syncthreads();
  if (threadIdx.x <= CAPACITY)
    atomicAdd(&occupancy[threadIdx.x], (unsigned long long)histogram[threadIdx.x]);
  else if (threadIdx.x == CAPACITY + 1)
    atomicAdd(lost, dropped);
}

static bool testSlotted()
{
  const int n = 500, slots = 90;
  const unsigned arrive = 36000, depart = 30000;
  const auto dh = onDevice(std::vector<unsigned long long>(CAPACITY + 1, 0));
  const auto dl = onDevice(std::vector<unsigned>(1, 0));
  slotted<<<(n + 63) / 64, 64>>>(slots, arrive, depart, n, dh.get(), dl.get());
  const auto got = fromDevice(dh, CAPACITY + 1);
  std::vector<unsigned long long> want(CAPACITY + 1, 0);
  int lost = 0;
  for (int i = 0; i < n; i++) {
    XorShift random(1000 + i);
    for (int s = 0, length = 0; s < slots; s++) {
      const uint32_t bits = random.next();
      length -= (bits >> 16) < depart && length > 0;
      if ((bits & 0xffff) < arrive)
        ++(length < CAPACITY ? length : lost);
      want[length]++;
    }
  }
  return say(got == want && fromDevice(dl, 1)[0] == unsigned(lost) && lost > 0, "slotted");
}

// A machine to a lane: a job goes to the lowest idle one, or is turned away when the warp is full.
__global__ void machinePool(int ticks, int rounds, int2 *result)
{
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  if (warp >= rounds)
    return;
  XorShift random(77 + warp);
  int busyUntil = 0, busyTicks = 0, refused = 0;
  for (int t = 0; t < ticks; t++) {
    const uint32_t bits = random.next();
    const unsigned idle = __ballot_sync(~0u, busyUntil <= t);
    if (bits & 3) {
      if (!idle)
        refused++;
      else if (lane == __ffs(idle) - 1)
        busyUntil = t + 4 + (bits >> 8) % 80;
    }
    busyTicks += __popc(__ballot_sync(~0u, busyUntil > t));
  }
  if (lane == 0)
    result[warp] = make_int2(busyTicks, refused);
}

static bool testPool()
{
  const int rounds = 67, ticks = 150;
  const auto out = onDevice(std::vector<int2>(rounds));
  machinePool<<<(rounds * 32 + 191) / 192, 192>>>(ticks, rounds, out.get());
  const auto got = fromDevice(out, rounds);
  bool good = true;
  for (int w = 0; w < rounds; w++) {
    XorShift random(77 + w);
    int until[32] = {}, busy = 0, refused = 0;
    for (int t = 0; t < ticks; t++) {
      const uint32_t bits = random.next();
      int *idle = std::find_if(until, until + 32, [t](int u) { return u <= t; });
      if (bits & 3)
        idle == until + 32 ? refused++ : *idle = t + 4 + (bits >> 8) % 80;
      busy += std::count_if(until, until + 32, [t](int u) { return u > t; });
    }
    good &= got[w].x == busy && got[w].y == refused;
  }
  return say(good, "machinePool");
}

// A block to a chain: the distribution is stepped until it hardly moves.
__global__ void stationary(const double *load, int states, double tolerance, int most, double *distribution, int *steps)
{
  extern __shared__ double p[];
  const int i = threadIdx.x;
  const double birth = 0.4 * load[blockIdx.x], death = 0.4;
  if (i < states)
    p[i] = 1.0 / states;
  __syncthreads();
  int step = 0;
  while (step < most) {
    double next = 0.0;
    if (i < states) {
      next = p[i] * (1.0 - (i + 1 < states ? birth : 0.0) - (i > 0 ? death : 0.0));
      if (i > 0)
        next += p[i - 1] * birth;
      if (i + 1 < states)
        next += p[i + 1] * death;
    }
    const bool moving = i < states && fabs(next - p[i]) > tolerance;
    const int any = __syncthreads_or(moving);
    if (i < states)
      p[i] = next;
    __syncthreads();
    step++;
    if (!any)
      break;
  }
  if (i < states)
    distribution[blockIdx.x * states + i] = p[i];
  if (i == 0)
    steps[blockIdx.x] = step;
}

static bool testStationary()
{
  const int chains = 21, states = 13;
  std::vector<double> load(chains);
  for (int c = 0; c < chains; c++)
    load[c] = 0.2 + 0.03 * c;
  const auto dl = onDevice(load), dp = onDevice(std::vector<double>(chains * states));
  const auto ds = onDevice(std::vector<int>(chains));
  stationary<<<chains, 32, states * sizeof(double)>>>(dl.get(), states, 1e-9, 5000, dp.get(), ds.get());
  const auto p = fromDevice(dp, chains * states);
  const auto steps = fromDevice(ds, chains);
  bool good = true;
  for (int c = 0; c < chains; c++) {
    const double top = (1 - load[c]) / (1 - std::pow(load[c], states));
    for (int i = 0; i < states; i++)
      good &= std::fabs(p[c * states + i] - top * std::pow(load[c], i)) < 1e-6;
    good &= steps[c] > 10 && steps[c] < 5000;
  }
  return say(good, "stationary");
}

int main()
{
  bool good = testLindley();
  good &= testTellers();
  good &= testSlotted();
  good &= testPool();
  good &= testStationary();
  std::puts(good ? "PASSED" : "FAILED");
  return good ? 0 : 1;
}
