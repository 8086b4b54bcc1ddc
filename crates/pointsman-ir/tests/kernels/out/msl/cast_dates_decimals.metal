// language: metal2.4
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;

struct _mslBufferSizes {
    uint size1;
    uint size2;
    uint size3;
    uint size4;
    uint size5;
    uint size6;
    uint size7;
    uint size8;
    uint size9;
    uint size10;
    uint size11;
    uint size12;
};

struct type_2 {
    metal::uint4 inner[5];
};
typedef metal::atomic_uint type_4[1];
typedef metal::uint4 type_5[1];
typedef ulong type_7[1];
typedef uint type_8[1];
struct Row {
    bool selected;
    bool bad;
    char _pad2[6];
    long o0_;
    bool q0_;
    char _pad4[3];
    int o1_;
    bool q1_;
    char _pad6[7];
    long o2_;
    bool q2_;
    char _pad8[7];
    long o3_;
    bool q3_;
    char _pad10[7];
    long o4_;
    bool q4_;
    char _pad12[7];
};
struct type_13 {
    uint inner[128];
};

long wide_i32_(
    int v
) {
    return as_type<long>(static_cast<ulong>(as_type<uint>(v)) | (static_cast<ulong>(as_type<uint>(v >> 31u)) << 32u));
}

long cast_date32_timestamp(
    int v_1,
    thread bool& f
) {
    long _e2 = wide_i32_(v_1);
    if (_e2 < -106751991L) {
        f = true;
        return 0L;
    }
    if (_e2 > 106751991L) {
        f = true;
        return 0L;
    }
    return as_type<long>(as_type<ulong>(_e2) * as_type<ulong>(86400000000L));
}

int cast_timestamp_date32_(
    long v_2,
    thread bool& f_1
) {
    long x = as_type<long>(as_type<ulong>(v_2 / 86400000000L) - as_type<ulong>(((v_2 % 86400000000L) < 0L) ? 1L : 0L));
    return static_cast<int>(x);
}

long halves_away(
    long v_3,
    long unit
) {
    long q = v_3 / unit;
    long r_1 = v_3 % unit;
    long twice = (r_1 < 0L) ? as_type<long>(as_type<ulong>(0L) - as_type<ulong>(r_1)) : r_1;
    if (twice >= as_type<long>(as_type<ulong>(unit) - as_type<ulong>(twice))) {
        return as_type<long>(as_type<ulong>(q) + as_type<ulong>((v_3 < 0L) ? -1L : 1L));
    }
    return q;
}

long cast_decimal_12_2_decimal_6_0_(
    long v_4,
    thread bool& f_2
) {
    long _e3 = halves_away(v_4, 100L);
    if (_e3 < -999999L) {
        f_2 = true;
        return 0L;
    }
    if (_e3 > 999999L) {
        f_2 = true;
        return 0L;
    }
    return _e3;
}

long cast_i32_decimal_12_2_(
    int v_5,
    thread bool& f_3
) {
    long _e2 = wide_i32_(v_5);
    return as_type<long>(as_type<ulong>(_e2) * as_type<ulong>(100L));
}

long cast_decimal_12_2_i64_(
    long v_6,
    thread bool& f_4
) {
    long x_1 = v_6 / 100L;
    return x_1;
}

Row row(
    uint r,
    int c0_,
    long c1_,
    bool d1_,
    long c2_,
    int c3_
) {
    bool bad = false;
    int v0_ = {};
    long v1_ = {};
    bool n1_1 = {};
    long v2_ = {};
    int v3_ = {};
    bool e4_ = false;
    long v4_ = {};
    bool e5_ = false;
    int v5_ = {};
    bool n5_ = {};
    bool local_16 = {};
    bool e6_ = false;
    long v6_ = {};
    bool e7_ = false;
    long v7_ = {};
    bool e8_ = false;
    long v8_ = {};
    bool local_17 = {};
    bool local_18 = {};
    bool local_19 = {};
    bool local_20 = {};
    bool local_21 = {};
    v0_ = c0_;
    v1_ = c1_;
    n1_1 = d1_;
    v2_ = c2_;
    v3_ = c3_;
    int _e15 = v0_;
    long _e16 = cast_date32_timestamp(_e15, e4_);
    v4_ = _e16;
    long _e20 = v1_;
    int _e21 = cast_timestamp_date32_(_e20, e5_);
    v5_ = _e21;
    bool _e23 = n1_1;
    n5_ = _e23;
    bool _e25 = e5_;
    if (_e25) {
        bool _e28 = n1_1;
        local_16 = _e28;
    } else {
        local_16 = false;
    }
    bool _e30 = local_16;
    e5_ = _e30;
    long _e33 = v2_;
    long _e34 = cast_decimal_12_2_decimal_6_0_(_e33, e6_);
    v6_ = _e34;
    int _e38 = v3_;
    long _e39 = cast_i32_decimal_12_2_(_e38, e7_);
    v7_ = _e39;
    long _e43 = v2_;
    long _e44 = cast_decimal_12_2_i64_(_e43, e8_);
    v8_ = _e44;
    bool _e46 = bad;
    if (!(_e46)) {
        bool _e50 = e4_;
        local_17 = _e50;
    } else {
        local_17 = true;
    }
    bool _e52 = local_17;
    bad = _e52;
    bool _e53 = bad;
    if (!(_e53)) {
        bool _e57 = e5_;
        local_18 = _e57;
    } else {
        local_18 = true;
    }
    bool _e59 = local_18;
    bad = _e59;
    bool _e60 = bad;
    if (!(_e60)) {
        bool _e64 = e6_;
        local_19 = _e64;
    } else {
        local_19 = true;
    }
    bool _e66 = local_19;
    bad = _e66;
    bool _e67 = bad;
    if (!(_e67)) {
        bool _e71 = e7_;
        local_20 = _e71;
    } else {
        local_20 = true;
    }
    bool _e73 = local_20;
    bad = _e73;
    bool _e74 = bad;
    if (!(_e74)) {
        bool _e78 = e8_;
        local_21 = _e78;
    } else {
        local_21 = true;
    }
    bool _e80 = local_21;
    bad = _e80;
    bool _e82 = bad;
    long _e83 = v4_;
    int _e86 = v5_;
    bool _e87 = n5_;
    bool _e89 = n5_;
    long _e90 = v6_;
    long _e92 = v7_;
    long _e94 = v8_;
    return Row {true, _e82, {}, _e83, true, {}, _e87 ? _e86 : 0, _e89, {}, _e90, true, {}, _e92, true, {}, _e94, true};
}

struct storeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_4& status [[user(fake0)]]
, device type_5 const& in0_ [[user(fake0)]]
, device type_7 const& in1_ [[user(fake0)]]
, device type_8 const& inv1_ [[user(fake0)]]
, device type_7 const& in2_ [[user(fake0)]]
, device type_5 const& in3_ [[user(fake0)]]
, device type_7& out0_ [[user(fake0)]]
, device type_5& out1_ [[user(fake0)]]
, device type_8& outv1_ [[user(fake0)]]
, device type_7& out2_ [[user(fake0)]]
, device type_7& out3_ [[user(fake0)]]
, device type_7& out4_ [[user(fake0)]]
, threadgroup type_13& shared_bits
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint n1_ = 0u;
    uint step = 0u;
    metal::uint4 t1_ = {};
    bool local = {};
    bool local_1 = {};
    bool local_2 = {};
    bool local_3 = {};
    metal::uint4 t1_1 = {};
    bool local_4 = {};
    bool local_5 = {};
    bool local_6 = {};
    bool local_7 = {};
    metal::uint4 t1_2 = {};
    bool local_8 = {};
    bool local_9 = {};
    bool local_10 = {};
    bool local_11 = {};
    metal::uint4 t1_3 = {};
    bool local_12 = {};
    bool local_13 = {};
    bool local_14 = {};
    bool local_15 = {};
    uint bits = 0u;
    uint b = 0u;
    uint rows = args.inner[0].x;
    uint _e11 = args.inner[0].w;
    uint start = (group.x + (group.y * _e11)) * 4096u;
    if (start >= rows) {
        return;
    }
    uint last = rows - 1u;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e1606 = step;
            step = _e1606 + 4u;
        }
        loop_init = false;
        uint _e23 = step;
        if (_e23 < 8u) {
        } else {
            break;
        }
        {
            uint _e26 = step;
            uint base = (start + ((_e26 + 0u) * 512u)) + (lane * 4u);
            uint first_0_ = metal::min(base, last & 4294967292u);
            metal::uint4 quad0_0_ = in0_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            uint _e48 = inv1_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e55 = args.inner[4].y;
            uint valid1_0_ = ((_e55 & 1u) != 0u) ? (_e48 >> (first_0_ & 31u)) : 15u;
            metal::uint4 quad3_0_ = in3_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size6 - 0 - 16) / 16)];
            uint _e66 = step;
            uint base_1 = (start + ((_e66 + 1u) * 512u)) + (lane * 4u);
            uint first_1_ = metal::min(base_1, last & 4294967292u);
            metal::uint4 quad0_1_ = in0_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            uint _e88 = inv1_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e95 = args.inner[4].y;
            uint valid1_1_ = ((_e95 & 1u) != 0u) ? (_e88 >> (first_1_ & 31u)) : 15u;
            metal::uint4 quad3_1_ = in3_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size6 - 0 - 16) / 16)];
            uint _e106 = step;
            uint base_2 = (start + ((_e106 + 2u) * 512u)) + (lane * 4u);
            uint first_2_ = metal::min(base_2, last & 4294967292u);
            metal::uint4 quad0_2_ = in0_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            uint _e128 = inv1_[metal::min(unsigned(first_2_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e135 = args.inner[4].y;
            uint valid1_2_ = ((_e135 & 1u) != 0u) ? (_e128 >> (first_2_ & 31u)) : 15u;
            metal::uint4 quad3_2_ = in3_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size6 - 0 - 16) / 16)];
            uint _e146 = step;
            uint base_3 = (start + ((_e146 + 3u) * 512u)) + (lane * 4u);
            uint first_3_ = metal::min(base_3, last & 4294967292u);
            metal::uint4 quad0_3_ = in0_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            uint _e168 = inv1_[metal::min(unsigned(first_3_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e175 = args.inner[4].y;
            uint valid1_3_ = ((_e175 & 1u) != 0u) ? (_e168 >> (first_3_ & 31u)) : 15u;
            metal::uint4 quad3_3_ = in3_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size6 - 0 - 16) / 16)];
            {
                uint _e186 = step;
                uint k = _e186 + 0u;
                t1_ = metal::uint4 {};
                {
                    ulong _e200 = in1_[metal::min(unsigned(metal::min(base + 0u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    ulong _e213 = in2_[metal::min(unsigned(metal::min(base + 0u, last)), (_buffer_sizes.size5 - 0 - 8) / 8)];
                    Row _e217 = row(base + 0u, as_type<int>(quad0_0_.x), as_type<long>(_e200), ((valid1_0_ >> 0u) & 1u) != 0u, as_type<long>(_e213), as_type<int>(quad3_0_.x));
                    bool live = (base + 0u) < rows;
                    if (_e217.bad) {
                        local = live;
                    } else {
                        local = false;
                    }
                    bool _e225 = local;
                    if (_e225) {
                        uint _e230 = args.inner[1].y;
                        uint _e235 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e230), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 0u)), metal::memory_order_relaxed);
                    }
                    if (live) {
                        out0_[metal::min(unsigned(base + 0u), (_buffer_sizes.size7 - 0 - 8) / 8)] = as_type<ulong>(_e217.o0_);
                    }
                    t1_.x = live ? as_type<uint>(_e217.o1_) : 0u;
                    uint _e247 = n1_;
                    n1_ = _e247 | (((live & _e217.q1_) ? 1u : 0u) << ((4u * k) + 0u));
                    if (live) {
                        out2_[metal::min(unsigned(base + 0u), (_buffer_sizes.size10 - 0 - 8) / 8)] = as_type<ulong>(_e217.o2_);
                    }
                    if (live) {
                        out3_[metal::min(unsigned(base + 0u), (_buffer_sizes.size11 - 0 - 8) / 8)] = as_type<ulong>(_e217.o3_);
                    }
                    if (live) {
                        out4_[metal::min(unsigned(base + 0u), (_buffer_sizes.size12 - 0 - 8) / 8)] = as_type<ulong>(_e217.o4_);
                    }
                }
                {
                    ulong _e286 = in1_[metal::min(unsigned(metal::min(base + 1u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    ulong _e299 = in2_[metal::min(unsigned(metal::min(base + 1u, last)), (_buffer_sizes.size5 - 0 - 8) / 8)];
                    Row _e303 = row(base + 1u, as_type<int>(quad0_0_.y), as_type<long>(_e286), ((valid1_0_ >> 1u) & 1u) != 0u, as_type<long>(_e299), as_type<int>(quad3_0_.y));
                    bool live_1 = (base + 1u) < rows;
                    if (_e303.bad) {
                        local_1 = live_1;
                    } else {
                        local_1 = false;
                    }
                    bool _e311 = local_1;
                    if (_e311) {
                        uint _e316 = args.inner[1].y;
                        uint _e321 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e316), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 1u)), metal::memory_order_relaxed);
                    }
                    if (live_1) {
                        out0_[metal::min(unsigned(base + 1u), (_buffer_sizes.size7 - 0 - 8) / 8)] = as_type<ulong>(_e303.o0_);
                    }
                    t1_.y = live_1 ? as_type<uint>(_e303.o1_) : 0u;
                    uint _e333 = n1_;
                    n1_ = _e333 | (((live_1 & _e303.q1_) ? 1u : 0u) << ((4u * k) + 1u));
                    if (live_1) {
                        out2_[metal::min(unsigned(base + 1u), (_buffer_sizes.size10 - 0 - 8) / 8)] = as_type<ulong>(_e303.o2_);
                    }
                    if (live_1) {
                        out3_[metal::min(unsigned(base + 1u), (_buffer_sizes.size11 - 0 - 8) / 8)] = as_type<ulong>(_e303.o3_);
                    }
                    if (live_1) {
                        out4_[metal::min(unsigned(base + 1u), (_buffer_sizes.size12 - 0 - 8) / 8)] = as_type<ulong>(_e303.o4_);
                    }
                }
                {
                    ulong _e372 = in1_[metal::min(unsigned(metal::min(base + 2u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    ulong _e385 = in2_[metal::min(unsigned(metal::min(base + 2u, last)), (_buffer_sizes.size5 - 0 - 8) / 8)];
                    Row _e389 = row(base + 2u, as_type<int>(quad0_0_.z), as_type<long>(_e372), ((valid1_0_ >> 2u) & 1u) != 0u, as_type<long>(_e385), as_type<int>(quad3_0_.z));
                    bool live_2 = (base + 2u) < rows;
                    if (_e389.bad) {
                        local_2 = live_2;
                    } else {
                        local_2 = false;
                    }
                    bool _e397 = local_2;
                    if (_e397) {
                        uint _e402 = args.inner[1].y;
                        uint _e407 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e402), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 2u)), metal::memory_order_relaxed);
                    }
                    if (live_2) {
                        out0_[metal::min(unsigned(base + 2u), (_buffer_sizes.size7 - 0 - 8) / 8)] = as_type<ulong>(_e389.o0_);
                    }
                    t1_.z = live_2 ? as_type<uint>(_e389.o1_) : 0u;
                    uint _e419 = n1_;
                    n1_ = _e419 | (((live_2 & _e389.q1_) ? 1u : 0u) << ((4u * k) + 2u));
                    if (live_2) {
                        out2_[metal::min(unsigned(base + 2u), (_buffer_sizes.size10 - 0 - 8) / 8)] = as_type<ulong>(_e389.o2_);
                    }
                    if (live_2) {
                        out3_[metal::min(unsigned(base + 2u), (_buffer_sizes.size11 - 0 - 8) / 8)] = as_type<ulong>(_e389.o3_);
                    }
                    if (live_2) {
                        out4_[metal::min(unsigned(base + 2u), (_buffer_sizes.size12 - 0 - 8) / 8)] = as_type<ulong>(_e389.o4_);
                    }
                }
                {
                    ulong _e458 = in1_[metal::min(unsigned(metal::min(base + 3u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    ulong _e471 = in2_[metal::min(unsigned(metal::min(base + 3u, last)), (_buffer_sizes.size5 - 0 - 8) / 8)];
                    Row _e475 = row(base + 3u, as_type<int>(quad0_0_.w), as_type<long>(_e458), ((valid1_0_ >> 3u) & 1u) != 0u, as_type<long>(_e471), as_type<int>(quad3_0_.w));
                    bool live_3 = (base + 3u) < rows;
                    if (_e475.bad) {
                        local_3 = live_3;
                    } else {
                        local_3 = false;
                    }
                    bool _e483 = local_3;
                    if (_e483) {
                        uint _e488 = args.inner[1].y;
                        uint _e493 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e488), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 3u)), metal::memory_order_relaxed);
                    }
                    if (live_3) {
                        out0_[metal::min(unsigned(base + 3u), (_buffer_sizes.size7 - 0 - 8) / 8)] = as_type<ulong>(_e475.o0_);
                    }
                    t1_.w = live_3 ? as_type<uint>(_e475.o1_) : 0u;
                    uint _e505 = n1_;
                    n1_ = _e505 | (((live_3 & _e475.q1_) ? 1u : 0u) << ((4u * k) + 3u));
                    if (live_3) {
                        out2_[metal::min(unsigned(base + 3u), (_buffer_sizes.size10 - 0 - 8) / 8)] = as_type<ulong>(_e475.o2_);
                    }
                    if (live_3) {
                        out3_[metal::min(unsigned(base + 3u), (_buffer_sizes.size11 - 0 - 8) / 8)] = as_type<ulong>(_e475.o3_);
                    }
                    if (live_3) {
                        out4_[metal::min(unsigned(base + 3u), (_buffer_sizes.size12 - 0 - 8) / 8)] = as_type<ulong>(_e475.o4_);
                    }
                }
                if (base < rows) {
                    metal::uint4 _e540 = t1_;
                    out1_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size8 - 0 - 16) / 16)] = _e540;
                }
            }
            {
                uint _e541 = step;
                uint k_1 = _e541 + 1u;
                t1_1 = metal::uint4 {};
                {
                    ulong _e555 = in1_[metal::min(unsigned(metal::min(base_1 + 0u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    ulong _e568 = in2_[metal::min(unsigned(metal::min(base_1 + 0u, last)), (_buffer_sizes.size5 - 0 - 8) / 8)];
                    Row _e572 = row(base_1 + 0u, as_type<int>(quad0_1_.x), as_type<long>(_e555), ((valid1_1_ >> 0u) & 1u) != 0u, as_type<long>(_e568), as_type<int>(quad3_1_.x));
                    bool live_4 = (base_1 + 0u) < rows;
                    if (_e572.bad) {
                        local_4 = live_4;
                    } else {
                        local_4 = false;
                    }
                    bool _e580 = local_4;
                    if (_e580) {
                        uint _e585 = args.inner[1].y;
// … 414 more lines with the checksum ef7fe2783918dfed
