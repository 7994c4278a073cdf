// Geometry: rays against triangles, points in polygons, the nearest neighbours, rotations by quaternions, boxes that overlap.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>

#define HD __host__ __device__

HD inline float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
HD inline float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
HD inline float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }
HD inline float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
HD inline float3 cross(float3 a, float3 b) { return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }

struct Ray {
  float3 origin, direction;
};

struct Triangle {
  float3 a, b, c;
};

struct Hit {
  int triangle;
  float distance, u, v;
};

HD inline bool intersect(const Ray &ray, const Triangle &t, float *distance, float *u, float *v)
{
  const float3 e1 = t.b - t.a, e2 = t.c - t.a;
  const float3 p = cross(ray.direction, e2);
  const float det = dot(e1, p);
  if (fabsf(det) < 1e-7f)
    return false;
  const float inv = 1.0f / det;
  const float3 s = ray.origin - t.a;
  *u = inv * dot(s, p);
  if (*u < 0.0f || *u > 1.0f)
    return false;
  const float3 q = cross(s, e1);
  *v = inv * dot(ray.direction, q);
  if (*v < 0.0f || *u + *v > 1.0f)
    return false;
  *distance = inv * dot(e2, q);
  return *distance > 1e-4f;
}

__global__ void castRays(const Ray *__restrict__ rays, int nrays, const Triangle *__restrict__ triangles, int ntriangles, Hit *__restrict__ hits)
{
  const int TILE = 32;
  __shared__ Triangle tile[TILE];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Ray ray = rays[min(i, nrays - 1)];
  Hit hit = {-1, 1e30f, 0.0f, 0.0f};
  for (int first = 0; first < ntriangles; first += TILE) {
    const int here = min(TILE, ntriangles - first);
    __syncthreads();
    if (threadIdx.x < here)
      tile[threadIdx.x] = triangles[first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < here; k++) {
      float t, u, v;
      if (intersect(ray, tile[k], &t, &u, &v) && t < hit.distance) {
        hit.triangle = first + k;
        hit.distance = t;
        hit.u = u;
        hit.v = v;
      }
    }
  }
  if (i < nrays)
    hits[i] = hit;
}

__constant__ float2 corners[256];

// The polygons' corners lie one after the other; a thread asks for its point which polygon is the first to hold it.
__global__ void locatePoints(const float2 *points, int n, const int *first, int polygons, int *owner)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float2 p = points[i];
  int found = -1;
  for (int k = 0; k < polygons; k++) {
    int begin = first[k], end = first[k + 1];
    bool inside = false;
    for (int b = begin, a = end - 1; b < end; a = b++) {
      float2 A = corners[a], B = corners[b];
      if ((A.y > p.y) != (B.y > p.y) && p.x < (B.x - A.x) * (p.y - A.y) / (B.y - A.y) + A.x)
        inside = !inside;
    }
    if (inside) {
      found = k;
      break;
    }
  }
  owner[i] = found;
}

// The K nearest of all points are kept in order, in registers; the point itself is left out.
template <int K>
__global__ void nearest(const float4 *__restrict__ points, int n, int *__restrict__ index, float *__restrict__ meanDistance)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float4 me = points[i];
  float bestD[K];
  int bestI[K];
#pragma unroll
  for (int k = 0; k < K; k++) {
    bestD[k] = INFINITY;
    bestI[k] = -1;
  }
#pragma unroll 1
  for (int j = 0; j < n; j++) {
    const float4 p = points[j];
    const float dx = p.x - me.x, dy = p.y - me.y, dz = p.z - me.z;
    float d = dx * dx + dy * dy + dz * dz;
    if (j == i || !(d < bestD[K - 1]))
      continue;
    int id = j;
#pragma unroll
    for (int k = 0; k < K; k++)
      if (d < bestD[k]) {
        float td = bestD[k];
        int ti = bestI[k];
        bestD[k] = d;
        bestI[k] = id;
        d = td;
        id = ti;
      }
  }
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < K; k++) {
    index[k * n + i] = bestI[k];
    sum += sqrtf(bestD[k]);
  }
  meanDistance[i] = sum / K;
}

struct Quaternion {
  float w;
  float3 v;
  HD Quaternion operator*(const Quaternion &o) const
  {
    Quaternion r;
    r.w = w * o.w - dot(v, o.v);
    r.v = w * o.v + o.w * v + cross(v, o.v);
    return r;
  }
  HD float3 rotate(float3 p) const
  {
    const float3 t = 2.0f * cross(v, p);
    return p + w * t + cross(v, t);
  }
};

// The bones of a chain turn one after the other; a thread follows one chain.
__global__ void poseChains(const float3 *axes, const float *angles, int bones, int chains, float3 *tips, float4 *turns)
{
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= chains)
    return;
  Quaternion q = {1.0f, {0.0f, 0.0f, 0.0f}};
  float3 tip = make_float3(0.0f, 0.0f, 0.0f);
  for (int b = 0; b < bones; b++) {
    float3 axis = axes[c * bones + b];
    float length = dot(axis, axis);
    if (length < 1e-12f)
      continue;
    axis = rsqrtf(length) * axis;
    float s, co;
    sincosf(0.5f * angles[c * bones + b], &s, &co);
    Quaternion turn = {co, s * axis};
    q = q * turn;
    tip = tip + q.rotate(make_float3(0.0f, 0.0f, 1.0f / (b + 1)));
  }
  tips[c] = tip;
  turns[c] = make_float4(q.v.x, q.v.y, q.v.z, q.w);
}

struct Box {
  float lo[3], hi[3];
};

__global__ void countOverlaps(const Box *__restrict__ boxes, int n, int *__restrict__ overlaps, float *__restrict__ volume)
{
  const int lane = threadIdx.x & 31;
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  if (i >= n)
    return;
  const Box me = boxes[i];
  int count = 0;
  float shared = 0.0f;
  for (int j = lane; j < n; j += 32) {
    if (j == i)
      continue;
    float v = 1.0f;
    bool apart = false;
    for (int axis = 0; axis < 3; axis++) {
      float side = fminf(me.hi[axis], boxes[j].hi[axis]) - fmaxf(me.lo[axis], boxes[j].lo[axis]);
      if (side <= 0.0f) {
        apart = true;
        break;
      }
      v *= side;
    }
    if (!apart) {
      count++;
      shared += v;
    }
  }
  count = __reduce_add_sync(0xffffffff, count);
  for (int o = 16; o > 0; o /= 2)
    shared += __shfl_down_sync(0xffffffff, shared, o);
  if (lane == 0) {
    overlaps[i] = count;
    volume[i] = shared;
  }
}

static unsigned state = 12345;
static float uniform(float lo, float hi)
{
  state = state * 1664525u + 1013904223u;
  return lo + (hi - lo) * (state >> 8) / 16777216.0f;
}
static float3 uniform3(float lo, float hi)
{
  float x = uniform(lo, hi), y = uniform(lo, hi), z = uniform(lo, hi);
  return make_float3(x, y, z);
}

template <typename T>
static T *toDevice(const std::vector<T> &v)
{
  T *p = nullptr;
  if (cudaMalloc((void **)&p, v.size() * sizeof(T)) != cudaSuccess || cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice) != cudaSuccess) {
    puts("no memory\nFAILED");
    exit(1);
  }
  return p;
}
template <typename T>
static void toHost(std::vector<T> &v, const T *p)
{
  cudaError_t e = cudaMemcpy(v.data(), p, v.size() * sizeof(T), cudaMemcpyDeviceToHost);
  if (e != cudaSuccess) {
    printf("%s\nFAILED\n", cudaGetErrorString(e));
    exit(1);
  }
}
static bool near(float a, double b, double eps) { return std::fabs(a - b) <= eps * (1.0 + std::fabs(b)); }

static int testRays()
{
  const int nrays = 3000, ntriangles = 75;
  std::vector<Ray> rays(nrays);
  std::vector<Triangle> triangles(ntriangles);
  for (auto &r : rays)
    r = {uniform3(-1, 1) + make_float3(0, 0, -6), uniform3(-0.4f, 0.4f) + make_float3(0, 0, 1)};
  for (auto &t : triangles) {
    float3 m = uniform3(-2, 2);
    t = {m + uniform3(-1, 1), m + uniform3(-1, 1), m + uniform3(-1, 1)};
  }
  std::vector<Hit> hits(nrays);
  Hit *dh = toDevice(hits);
  castRays<<<(nrays + 127) / 128, 128>>>(toDevice(rays), nrays, toDevice(triangles), ntriangles, dh);
  toHost(hits, dh);
  int bad = 0, hit = 0;
  for (int i = 0; i < nrays; i++) {
    int best = -1;
    float distance = 1e30f, t, u, v;
    for (int k = 0; k < ntriangles; k++)
      if (intersect(rays[i], triangles[k], &t, &u, &v) && t < distance) {
        distance = t;
        best = k;
      }
    hit += best >= 0;
    // a ray through an edge may hit on one side and miss on the other
    if (hits[i].triangle != best || (best >= 0 && !near(hits[i].distance, distance, 1e-3)))
      bad++;
  }
  printf("rays: %d hit, %d not as on the host\n", hit, bad);
  return bad > 5 || hit < 500;
}

static int testPolygons()
{
  const int polygons = 14, n = 4000;
  std::vector<float2> c;
  std::vector<int> first(1, 0);
  for (int k = 0; k < polygons; k++) {
    int sides = 3 + k;
    float x = uniform(-3, 3), y = uniform(-3, 3);
    for (int s = 0; s < sides; s++) {
      float r = uniform(0.3f, 1.5f), phi = 6.2831853f * s / sides;
      c.push_back(make_float2(x + r * cosf(phi), y + r * sinf(phi)));
    }
    first.push_back((int)c.size());
  }
  std::vector<float2> points(n);
  for (auto &p : points) {
    p.x = uniform(-4, 4);
    p.y = uniform(-4, 4);
  }
  cudaMemcpyToSymbol(corners, c.data(), c.size() * sizeof(float2));
  std::vector<int> owner(n);
  int *downer = toDevice(owner);
  locatePoints<<<(n + 95) / 96, 96>>>(toDevice(points), n, toDevice(first), polygons, downer);
  toHost(owner, downer);
  int bad = 0, inside = 0;
  for (int i = 0; i < n; i++) {
    int want = -1;
    for (int k = 0; k < polygons && want < 0; k++) {
      int crossings = 0;
      for (int b = first[k]; b < first[k + 1]; b++) {
        float2 B = c[b], A = c[b > first[k] ? b - 1 : first[k + 1] - 1];
        if ((A.y > points[i].y) != (B.y > points[i].y))
          crossings += points[i].x < (double)(B.x - A.x) * (points[i].y - A.y) / (B.y - A.y) + A.x;
      }
      if (crossings & 1)
        want = k;
    }
    inside += want >= 0;
    bad += want != owner[i];
  }
  printf("points: %d inside, %d not as on the host\n", inside, bad);
  return bad > 2;
}

static int testNearest()
{
  const int n = 900, K = 6;
  std::vector<float4> points(n);
  for (auto &p : points) {
    float3 q = uniform3(0, 1);
    p = make_float4(q.x, q.y, q.z, 0.0f);
  }
  std::vector<int> index(n * K);
  std::vector<float> mean(n);
  int *di = toDevice(index);
  float *dm = toDevice(mean);
  nearest<K><<<(n + 63) / 64, 64>>>(toDevice(points), n, di, dm);
  toHost(index, di);
  toHost(mean, dm);
  int bad = 0;
  for (int i = 0; i < n; i++) {
    std::vector<double> d;
    auto square = [&](int j) {
      double x = points[j].x - points[i].x, y = points[j].y - points[i].y, z = points[j].z - points[i].z;
      return x * x + y * y + z * z;
    };
    for (int j = 0; j < n; j++)
      if (j != i)
        d.push_back(square(j));
    std::partial_sort(d.begin(), d.begin() + K, d.end());
    double sum = 0;
    for (int k = 0; k < K; k++) {
      int j = index[k * n + i];
      bad += j < 0 || j >= n || j == i || std::fabs(square(j) - d[k]) > 1e-5;
      sum += std::sqrt(d[k]);
    }
    bad += !near(mean[i], sum / K, 1e-4);
  }
  printf("nearest: %d wrong\n", bad);
  return bad;
}

static int testChains()
{
  const int chains = 1500, bones = 9;
  std::vector<float3> axes(chains * bones), tips(chains);
  std::vector<float> angles(chains * bones);
  std::vector<float4> turns(chains);
  for (int i = 0; i < chains * bones; i++) {
    axes[i] = i % 23 == 5 ? make_float3(0, 0, 0) : uniform3(-1, 1);
    angles[i] = uniform(-3, 3);
  }
  float3 *dt = toDevice(tips);
  float4 *dq = toDevice(turns);
  poseChains<<<(chains + 127) / 128, 128>>>(toDevice(axes), toDevice(angles), bones, chains, dt, dq);
  toHost(tips, dt);
  toHost(turns, dq);
  int bad = 0;
  for (int c = 0; c < chains; c++) {
    // the same with matrices
    double m[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, tip[3] = {0, 0, 0};
    for (int b = 0; b < bones; b++) {
      float3 a = axes[c * bones + b];
      double l = std::sqrt((double)a.x * a.x + (double)a.y * a.y + (double)a.z * a.z);
      if (l < 1e-6)
        continue;
      double x = a.x / l, y = a.y / l, z = a.z / l, s = std::sin((double)angles[c * bones + b]), k = std::cos((double)angles[c * bones + b]);
      double r[9] = {k + x * x * (1 - k), x * y * (1 - k) - z * s, x * z * (1 - k) + y * s,
                     y * x * (1 - k) + z * s, k + y * y * (1 - k), y * z * (1 - k) - x * s,
                     z * x * (1 - k) - y * s, z * y * (1 - k) + x * s, k + z * z * (1 - k)};
      double p[9];
      for (int i = 0; i < 9; i++)
        p[i] = m[i / 3 * 3] * r[i % 3] + m[i / 3 * 3 + 1] * r[3 + i % 3] + m[i / 3 * 3 + 2] * r[6 + i % 3];
      for (int i = 0; i < 9; i++)
        m[i] = p[i];
      for (int i = 0; i < 3; i++)
        tip[i] += m[i * 3 + 2] / (b + 1);
    }
    bad += !near(tips[c].x, tip[0], 1e-3) || !near(tips[c].y, tip[1], 1e-3) || !near(tips[c].z, tip[2], 1e-3);
    float4 q = turns[c];
    bad += !near(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 1.0, 1e-3);
  }
  printf("chains: %d wrong\n", bad);
  return bad;
}

static int testBoxes()
{
  const int n = 400;
  std::vector<Box> boxes(n);
  for (auto &b : boxes)
    for (int a = 0; a < 3; a++) {
      b.lo[a] = uniform(0, 5);
      b.hi[a] = b.lo[a] + uniform(0.1f, 1.5f);
    }
  std::vector<int> overlaps(n);
  std::vector<float> volume(n);
  int *d_o = toDevice(overlaps);
  float *d_v = toDevice(volume);
  countOverlaps<<<(n * 32 + 127) / 128, 128>>>(toDevice(boxes), n, d_o, d_v);
  toHost(overlaps, d_o);
  toHost(volume, d_v);
  int bad = 0;
  for (int i = 0; i < n; i++) {
    int count = 0;
    double sum = 0;
    for (int j = 0; j < n; j++) {
      double v = 1;
      for (int a = 0; a < 3; a++)
        v *= std::max(0.0f, std::min(boxes[i].hi[a], boxes[j].hi[a]) - std::max(boxes[i].lo[a], boxes[j].lo[a]));
      if (j != i && v > 0) {
        count++;
        sum += v;
      }
    }
    bad += count != overlaps[i] || !near(volume[i], sum, 1e-4);
  }
  printf("boxes: %d wrong\n", bad);
  return bad;
}

int main()
{
  int bad = testRays();
  bad += testPolygons();
  bad += testNearest();
  bad += testChains();
  bad += testBoxes();
  puts(bad ? "FAILED" : "PASSED");
  return bad != 0;
}
