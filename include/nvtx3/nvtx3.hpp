/* NVTX's C++ interface: ranges that end with their scope (NVTX C++ API reference). What is told of a range beside its message
 * (colour, category, payload) is accepted and forgotten, as in nvToolsExt.h, and all domains are one. */
#ifndef HEDDLE_NVTX3_HPP
#define HEDDLE_NVTX3_HPP

#include "nvToolsExt.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace nvtx3 {

/* ---- domains: a type with a static member `name` ---- */
class domain {
    nvtxDomainHandle_t handle_ = nullptr;
    domain() = default;

public:
    struct global {};
    template <class D = global> static const domain &get()
    {
        static const domain d;
        return d;
    }
    operator nvtxDomainHandle_t() const noexcept { return handle_; }
};

/* ---- what a range is told ---- */
struct rgb {
    std::uint8_t red, green, blue;
    constexpr rgb(std::uint8_t r, std::uint8_t g, std::uint8_t b) noexcept : red(r), green(g), blue(b) {}
};
struct argb : rgb {
    std::uint8_t alpha;
    constexpr argb(std::uint8_t a, std::uint8_t r, std::uint8_t g, std::uint8_t b) noexcept : rgb(r, g, b), alpha(a) {}
};
class color {
    std::uint32_t value_;

public:
    constexpr explicit color(std::uint32_t argb_value) noexcept : value_(argb_value) {}
    constexpr color(rgb c) noexcept : value_(0xff000000u | (std::uint32_t)c.red << 16 | (std::uint32_t)c.green << 8 | c.blue) {}
    constexpr color(argb c) noexcept
        : value_((std::uint32_t)c.alpha << 24 | (std::uint32_t)c.red << 16 | (std::uint32_t)c.green << 8 | c.blue) {}
    constexpr std::uint32_t get_value() const noexcept { return value_; }
    constexpr nvtxColorType_t get_type() const noexcept { return NVTX_COLOR_ARGB; }
};
class category {
    std::uint32_t id_;

public:
    typedef std::uint32_t id_type;
    constexpr explicit category(id_type id) noexcept : id_(id) {}
    constexpr id_type get_id() const noexcept { return id_; }
};
template <class D = domain::global> class named_category_in : public category {
public:
    named_category_in(id_type id, const char *name) noexcept : category(id) { nvtxDomainNameCategoryA(domain::get<D>(), id, name); }
};
typedef named_category_in<domain::global> named_category;

template <class D = domain::global> class registered_string_in {
    nvtxStringHandle_t handle_;

public:
    explicit registered_string_in(const char *s) noexcept : handle_(nvtxDomainRegisterStringA(domain::get<D>(), s)) {}
    explicit registered_string_in(const std::string &s) noexcept : registered_string_in(s.c_str()) {}
    nvtxStringHandle_t get_handle() const noexcept { return handle_; }
};
typedef registered_string_in<domain::global> registered_string;

class message {
    nvtxMessageType_t type_;
    nvtxMessageValue_t value_;

public:
    message(const char *s) noexcept : type_(NVTX_MESSAGE_TYPE_ASCII) { value_.ascii = s; }
    message(const std::string &s) noexcept : message(s.c_str()) {}
    message(std::string &&) = delete; /* would be gone before the range */
    message(const wchar_t *s) noexcept : type_(NVTX_MESSAGE_TYPE_UNICODE) { value_.unicode = s; }
    template <class D> message(const registered_string_in<D> &s) noexcept : type_(NVTX_MESSAGE_TYPE_REGISTERED) { value_.registered = s.get_handle(); }
    nvtxMessageType_t get_type() const noexcept { return type_; }
    nvtxMessageValue_t get_value() const noexcept { return value_; }
};

class payload {
    nvtxPayloadType_t type_;
    nvtxEventAttributes_v2::payload_t value_;

public:
    explicit payload(std::int64_t v) noexcept : type_(NVTX_PAYLOAD_TYPE_INT64) { value_.llValue = v; }
    explicit payload(std::int32_t v) noexcept : type_(NVTX_PAYLOAD_TYPE_INT32) { value_.iValue = v; }
    explicit payload(std::uint64_t v) noexcept : type_(NVTX_PAYLOAD_TYPE_UNSIGNED_INT64) { value_.ullValue = v; }
    explicit payload(std::uint32_t v) noexcept : type_(NVTX_PAYLOAD_TYPE_UNSIGNED_INT32) { value_.uiValue = v; }
    explicit payload(float v) noexcept : type_(NVTX_PAYLOAD_TYPE_FLOAT) { value_.fValue = v; }
    explicit payload(double v) noexcept : type_(NVTX_PAYLOAD_TYPE_DOUBLE) { value_.dValue = v; }
    nvtxPayloadType_t get_type() const noexcept { return type_; }
    nvtxEventAttributes_v2::payload_t get_value() const noexcept { return value_; }
};

/* Of several of one kind the first counts. */
class event_attributes {
    nvtxEventAttributes_t a_;

    void set(const color &c) { a_.colorType = c.get_type(), a_.color = c.get_value(); }
    void set(const category &c) { a_.category = c.get_id(); }
    void set(const payload &p) { a_.payloadType = p.get_type(), a_.payload = p.get_value(); }
    void set(const message &m) { a_.messageType = m.get_type(), a_.message = m.get_value(); }

public:
    event_attributes() noexcept : a_() { a_.version = NVTX_VERSION, a_.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE; }
    template <class First, class... Rest, class = typename std::enable_if<!std::is_base_of<event_attributes, typename std::decay<First>::type>::value>::type>
    event_attributes(const First &first, const Rest &...rest) noexcept : event_attributes(rest...)
    {
        set(first);
    }
    const nvtxEventAttributes_t *get() const noexcept { return &a_; }
};

/* ---- ranges and marks ---- */
template <class D = domain::global> class scoped_range_in {
public:
    scoped_range_in() noexcept : scoped_range_in(event_attributes("")) {}
    explicit scoped_range_in(const event_attributes &a) noexcept { nvtxDomainRangePushEx(domain::get<D>(), a.get()); }
    template <class First, class... Rest, class = typename std::enable_if<!std::is_base_of<event_attributes, typename std::decay<First>::type>::value>::type>
    explicit scoped_range_in(const First &first, const Rest &...rest) noexcept : scoped_range_in(event_attributes(first, rest...)) {}
    scoped_range_in(const scoped_range_in &) = delete;
    scoped_range_in &operator=(const scoped_range_in &) = delete;
    ~scoped_range_in() noexcept { nvtxDomainRangePop(domain::get<D>()); }
};
typedef scoped_range_in<domain::global> scoped_range;

struct range_handle {
    nvtxRangeId_t id;
};
template <class D = domain::global, class... A> range_handle start_range_in(const A &...a) noexcept
{
    return range_handle{nvtxDomainRangeStartEx(domain::get<D>(), event_attributes(a...).get())};
}
template <class... A> range_handle start_range(const A &...a) noexcept { return start_range_in<domain::global>(a...); }
template <class D = domain::global> void end_range_in(range_handle r) noexcept { nvtxDomainRangeEnd(domain::get<D>(), r.id); }
inline void end_range(range_handle r) noexcept { end_range_in<domain::global>(r); }

template <class D = domain::global, class... A> void mark_in(const A &...a) noexcept { nvtxDomainMarkEx(domain::get<D>(), event_attributes(a...).get()); }
template <class... A> void mark(const A &...a) noexcept { mark_in<domain::global>(a...); }

}

/* a range named by the function, till its end */
#define NVTX3_FUNC_RANGE_IN(D) const ::nvtx3::scoped_range_in<D> heddle_nvtx3_range_(__func__)
#define NVTX3_FUNC_RANGE()     NVTX3_FUNC_RANGE_IN(::nvtx3::domain::global)

#endif
