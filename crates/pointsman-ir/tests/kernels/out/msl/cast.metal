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
    uint size13;
};

struct type_2 {
    metal::uint4 inner[5];
};
typedef metal::atomic_uint type_4[1];
typedef ulong type_6[1];
typedef uint type_7[1];
typedef metal::uint4 type_8[1];
typedef metal::uint2 type_10[1];
struct Row {
    bool selected;
    bool bad;
    char _pad2[2];
    int o0_;
    bool q0_;
    char _pad4[3];
    uint o1_;
    bool q1_;
    char _pad6[3];
    int o2_;
    bool q2_;
    char _pad8[7];
    long o3_;
    bool q3_;
    char _pad10[3];
    uint o4_;
    bool q4_;
    char _pad12[7];
};
struct type_15 {
    uint inner[128];
};

int cast_i64_i32_(
    long v,
    thread bool& f
) {
    if (v < -2147483648L) {
        f = true;
        return 0;
    }
    if (v > 2147483647L) {
        f = true;
        return 0;
    }
    return static_cast<int>(v);
}

uint trunc_f32_(
    uint a
) {
    uint e = (a >> 23u) & 255u;
    if (e >= 150u) {
        return a;
    }
    if (e < 127u) {
        return a & 2147483648u;
    }
    return a & ~((8388607u >> (e - 127u)));
}

bool is_nan_f32_(
    uint a_1
) {
    return (a_1 & 2147483647u) > 2139095040u;
}

uint total_f32_(
    uint a_2
) {
    uint key = ((a_2 >> 31u) != 0u) ? ~(a_2) : (a_2 | 2147483648u);
    bool _e10 = is_nan_f32_(a_2);
    return _e10 ? 4294967295u : key;
}

uint order_f32_(
    uint a_3
) {
    uint _e5 = total_f32_((a_3 == 2147483648u) ? 0u : a_3);
    return _e5;
}

int naga_neg(int val) {
    return as_type<int>(-as_type<uint>(val));
}

uint word_of_f32_(
    uint a_4
) {
    int e_1 = as_type<int>(as_type<uint>(static_cast<int>((a_4 >> 23u) & 255u)) - as_type<uint>(150));
    uint m = (a_4 & 8388607u) | 8388608u;
    if (e_1 >= 0) {
        return m << static_cast<uint>(metal::min(e_1, 31));
    }
    return (e_1 < -31) ? 0u : (m >> static_cast<uint>(naga_neg(metal::max(e_1, -31))));
}

bool is_negative_f32_(
    uint a_5
) {
    return (a_5 >> 31u) != 0u;
}

int cast_f32_i16_(
    uint v_1,
    thread bool& f_1
) {
    uint _e2 = trunc_f32_(v_1);
    bool _e3 = is_nan_f32_(_e2);
    if (_e3) {
        f_1 = true;
        return 0;
    }
    uint _e6 = order_f32_(_e2);
    uint _e8 = order_f32_(3338665984u);
    if (_e6 < _e8) {
        f_1 = true;
        return 0;
    }
    uint _e12 = order_f32_(_e2);
    uint _e14 = order_f32_(1191182336u);
    if (_e12 >= _e14) {
        f_1 = true;
        return 0;
    }
    uint _e18 = word_of_f32_(_e2);
    uint _e21 = word_of_f32_(_e2);
    bool _e24 = is_negative_f32_(_e2);
    return _e24 ? as_type<int>(as_type<uint>(0) - as_type<uint>(as_type<int>(_e21))) : as_type<int>(_e18);
}

long cast_u8_i64_(
    uint v_2,
    thread bool& f_2
) {
    return as_type<long>(static_cast<ulong>(v_2));
}

uint cast_bool_u32_(
    bool v_3,
    thread bool& f_3
) {
    return v_3 ? 1u : 0u;
}

uint canonical_f32_(
    uint a_6
) {
    bool _e2 = is_nan_f32_(a_6);
    return _e2 ? 2143289344u : a_6;
}

Row row(
    uint r,
    long c0_,
    bool d0_,
    uint c1_,
    uint c2_,
    bool c3_
) {
    bool bad = false;
    long v0_ = {};
    bool n0_1 = {};
    uint v1_ = {};
    uint v2_ = {};
    bool v3_ = {};
    bool e4_ = false;
    int v4_ = {};
    bool n4_ = {};
    bool local_16 = {};
    uint v5_ = {};
    bool n5_ = {};
    bool e6_ = false;
    int v6_ = {};
    long v7_ = {};
    uint v8_ = {};
    bool local_17 = {};
    bool local_18 = {};
    v0_ = c0_;
    n0_1 = d0_;
    v1_ = c1_;
    v2_ = c2_;
    v3_ = c3_;
    long _e15 = v0_;
    int _e16 = cast_i64_i32_(_e15, e4_);
    v4_ = _e16;
    bool _e18 = n0_1;
    n4_ = _e18;
    bool _e20 = e4_;
    if (_e20) {
        bool _e23 = n0_1;
        local_16 = _e23;
    } else {
        local_16 = false;
    }
    bool _e25 = local_16;
    e4_ = _e25;
    long _e26 = v0_;
    v5_ = as_type<uint>(static_cast<float>(_e26));
    bool _e30 = n0_1;
    n5_ = _e30;
    uint _e34 = v1_;
    int _e35 = cast_f32_i16_(_e34, e6_);
    v6_ = _e35;
    uint _e37 = v2_;
    long _e38 = cast_u8_i64_(_e37, bad);
    v7_ = _e38;
    bool _e40 = v3_;
    uint _e41 = cast_bool_u32_(_e40, bad);
    v8_ = _e41;
    bool _e43 = bad;
    if (!(_e43)) {
        bool _e47 = e4_;
        local_17 = _e47;
    } else {
        local_17 = true;
    }
    bool _e49 = local_17;
    bad = _e49;
    bool _e50 = bad;
    if (!(_e50)) {
        bool _e54 = e6_;
        local_18 = _e54;
    } else {
        local_18 = true;
    }
    bool _e56 = local_18;
    bad = _e56;
    bool _e58 = bad;
    int _e60 = v4_;
    bool _e61 = n4_;
    bool _e63 = n4_;
    uint _e65 = v5_;
    uint _e66 = canonical_f32_(_e65);
    bool _e67 = n5_;
    bool _e69 = n5_;
    int _e70 = v6_;
    long _e72 = v7_;
    uint _e74 = v8_;
    return Row {true, _e58, {}, _e61 ? _e60 : 0, _e63, {}, _e67 ? _e66 : 0u, _e69, {}, _e70, true, {}, _e72, true, {}, _e74, true};
}

struct storeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_4& status [[user(fake0)]]
, device type_6 const& in0_ [[user(fake0)]]
, device type_7 const& inv0_ [[user(fake0)]]
, device type_8 const& in1_ [[user(fake0)]]
, device type_7 const& in2_ [[user(fake0)]]
, device type_7 const& in3_ [[user(fake0)]]
, device type_8& out0_ [[user(fake0)]]
, device type_7& outv0_ [[user(fake0)]]
, device type_8& out1_ [[user(fake0)]]
, device type_7& outv1_ [[user(fake0)]]
, device type_10& out2_ [[user(fake0)]]
, device type_6& out3_ [[user(fake0)]]
, device type_8& out4_ [[user(fake0)]]
, threadgroup type_15& shared_bits
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint n0_ = 0u;
    uint n1_ = 0u;
    uint step = 0u;
    metal::uint4 t0_ = {};
    metal::uint4 t1_ = {};
    metal::uint2 t2_ = {};
    metal::uint4 t4_ = {};
    bool local = {};
    bool local_1 = {};
    bool local_2 = {};
    bool local_3 = {};
    metal::uint4 t0_1 = {};
    metal::uint4 t1_1 = {};
    metal::uint2 t2_1 = {};
    metal::uint4 t4_1 = {};
    bool local_4 = {};
    bool local_5 = {};
    bool local_6 = {};
    bool local_7 = {};
    metal::uint4 t0_2 = {};
    metal::uint4 t1_2 = {};
    metal::uint2 t2_2 = {};
    metal::uint4 t4_2 = {};
    bool local_8 = {};
    bool local_9 = {};
    bool local_10 = {};
    bool local_11 = {};
    metal::uint4 t0_3 = {};
    metal::uint4 t1_3 = {};
    metal::uint2 t2_3 = {};
    metal::uint4 t4_3 = {};
    bool local_12 = {};
    bool local_13 = {};
    bool local_14 = {};
    bool local_15 = {};
    uint bits = 0u;
    uint b = 0u;
    uint bits_1 = 0u;
    uint b_1 = 0u;
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
            uint _e1948 = step;
            step = _e1948 + 4u;
        }
        loop_init = false;
        uint _e25 = step;
        if (_e25 < 8u) {
        } else {
            break;
        }
        {
            uint _e28 = step;
            uint base = (start + ((_e28 + 0u) * 512u)) + (lane * 4u);
            uint first_0_ = metal::min(base, last & 4294967292u);
            uint _e45 = inv0_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e52 = args.inner[4].x;
            uint valid0_0_ = ((_e52 & 1u) != 0u) ? (_e45 >> (first_0_ & 31u)) : 15u;
            metal::uint4 quad1_0_ = in1_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size4 - 0 - 16) / 16)];
            uint quad2_0_ = in2_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            uint _e72 = in3_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size6 - 0 - 4) / 4)];
            uint quad3_0_ = _e72 >> (first_0_ & 31u);
            uint _e76 = step;
            uint base_1 = (start + ((_e76 + 1u) * 512u)) + (lane * 4u);
            uint first_1_ = metal::min(base_1, last & 4294967292u);
            uint _e93 = inv0_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e100 = args.inner[4].x;
            uint valid0_1_ = ((_e100 & 1u) != 0u) ? (_e93 >> (first_1_ & 31u)) : 15u;
            metal::uint4 quad1_1_ = in1_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size4 - 0 - 16) / 16)];
            uint quad2_1_ = in2_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            uint _e120 = in3_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size6 - 0 - 4) / 4)];
            uint quad3_1_ = _e120 >> (first_1_ & 31u);
            uint _e124 = step;
            uint base_2 = (start + ((_e124 + 2u) * 512u)) + (lane * 4u);
            uint first_2_ = metal::min(base_2, last & 4294967292u);
            uint _e141 = inv0_[metal::min(unsigned(first_2_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e148 = args.inner[4].x;
            uint valid0_2_ = ((_e148 & 1u) != 0u) ? (_e141 >> (first_2_ & 31u)) : 15u;
            metal::uint4 quad1_2_ = in1_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size4 - 0 - 16) / 16)];
            uint quad2_2_ = in2_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            uint _e168 = in3_[metal::min(unsigned(first_2_ >> 5u), (_buffer_sizes.size6 - 0 - 4) / 4)];
            uint quad3_2_ = _e168 >> (first_2_ & 31u);
            uint _e172 = step;
            uint base_3 = (start + ((_e172 + 3u) * 512u)) + (lane * 4u);
            uint first_3_ = metal::min(base_3, last & 4294967292u);
            uint _e189 = inv0_[metal::min(unsigned(first_3_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e196 = args.inner[4].x;
            uint valid0_3_ = ((_e196 & 1u) != 0u) ? (_e189 >> (first_3_ & 31u)) : 15u;
            metal::uint4 quad1_3_ = in1_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size4 - 0 - 16) / 16)];
            uint quad2_3_ = in2_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            uint _e216 = in3_[metal::min(unsigned(first_3_ >> 5u), (_buffer_sizes.size6 - 0 - 4) / 4)];
            uint quad3_3_ = _e216 >> (first_3_ & 31u);
            {
                uint _e220 = step;
                uint k = _e220 + 0u;
                t0_ = metal::uint4 {};
                t1_ = metal::uint4 {};
                t2_ = metal::uint2 {};
                t4_ = metal::uint4 {};
                {
                    ulong _e238 = in0_[metal::min(unsigned(metal::min(base + 0u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    Row _e257 = row(base + 0u, as_type<long>(_e238), ((valid0_0_ >> 0u) & 1u) != 0u, quad1_0_.x, (quad2_0_ >> 0u) & 255u, ((quad3_0_ >> 0u) & 1u) != 0u);
                    bool live = (base + 0u) < rows;
                    if (_e257.bad) {
                        local = live;
                    } else {
                        local = false;
                    }
                    bool _e265 = local;
                    if (_e265) {
                        uint _e270 = args.inner[1].y;
                        uint _e275 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e270), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 0u)), metal::memory_order_relaxed);
                    }
                    t0_.x = live ? as_type<uint>(_e257.o0_) : 0u;
                    uint _e281 = n0_;
                    n0_ = _e281 | (((live & _e257.q0_) ? 1u : 0u) << ((4u * k) + 0u));
                    t1_.x = live ? _e257.o1_ : 0u;
                    uint _e297 = n1_;
                    n1_ = _e297 | (((live & _e257.q1_) ? 1u : 0u) << ((4u * k) + 0u));
                    uint _e311 = t2_.x;
                    t2_.x = _e311 | ((live ? (as_type<uint>(_e257.o2_) & 65535u) : 0u) << 0u);
                    if (live) {
                        out3_[metal::min(unsigned(base + 0u), (_buffer_sizes.size12 - 0 - 8) / 8)] = as_type<ulong>(_e257.o3_);
                    }
                    t4_.x = live ? _e257.o4_ : 0u;
                }
                {
                    ulong _e338 = in0_[metal::min(unsigned(metal::min(base + 1u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    Row _e357 = row(base + 1u, as_type<long>(_e338), ((valid0_0_ >> 1u) & 1u) != 0u, quad1_0_.y, (quad2_0_ >> 8u) & 255u, ((quad3_0_ >> 1u) & 1u) != 0u);
                    bool live_1 = (base + 1u) < rows;
                    if (_e357.bad) {
                        local_1 = live_1;
                    } else {
                        local_1 = false;
                    }
                    bool _e365 = local_1;
                    if (_e365) {
                        uint _e370 = args.inner[1].y;
                        uint _e375 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e370), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 1u)), metal::memory_order_relaxed);
                    }
                    t0_.y = live_1 ? as_type<uint>(_e357.o0_) : 0u;
                    uint _e381 = n0_;
                    n0_ = _e381 | (((live_1 & _e357.q0_) ? 1u : 0u) << ((4u * k) + 1u));
                    t1_.y = live_1 ? _e357.o1_ : 0u;
                    uint _e397 = n1_;
                    n1_ = _e397 | (((live_1 & _e357.q1_) ? 1u : 0u) << ((4u * k) + 1u));
                    uint _e411 = t2_.x;
                    t2_.x = _e411 | ((live_1 ? (as_type<uint>(_e357.o2_) & 65535u) : 0u) << 16u);
                    if (live_1) {
                        out3_[metal::min(unsigned(base + 1u), (_buffer_sizes.size12 - 0 - 8) / 8)] = as_type<ulong>(_e357.o3_);
                    }
                    t4_.y = live_1 ? _e357.o4_ : 0u;
                }
                {
                    ulong _e438 = in0_[metal::min(unsigned(metal::min(base + 2u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    Row _e457 = row(base + 2u, as_type<long>(_e438), ((valid0_0_ >> 2u) & 1u) != 0u, quad1_0_.z, (quad2_0_ >> 16u) & 255u, ((quad3_0_ >> 2u) & 1u) != 0u);
                    bool live_2 = (base + 2u) < rows;
                    if (_e457.bad) {
                        local_2 = live_2;
                    } else {
                        local_2 = false;
                    }
                    bool _e465 = local_2;
                    if (_e465) {
                        uint _e470 = args.inner[1].y;
                        uint _e475 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e470), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 2u)), metal::memory_order_relaxed);
                    }
                    t0_.z = live_2 ? as_type<uint>(_e457.o0_) : 0u;
                    uint _e481 = n0_;
                    n0_ = _e481 | (((live_2 & _e457.q0_) ? 1u : 0u) << ((4u * k) + 2u));
                    t1_.z = live_2 ? _e457.o1_ : 0u;
                    uint _e497 = n1_;
                    n1_ = _e497 | (((live_2 & _e457.q1_) ? 1u : 0u) << ((4u * k) + 2u));
                    uint _e511 = t2_.y;
                    t2_.y = _e511 | ((live_2 ? (as_type<uint>(_e457.o2_) & 65535u) : 0u) << 0u);
                    if (live_2) {
                        out3_[metal::min(unsigned(base + 2u), (_buffer_sizes.size12 - 0 - 8) / 8)] = as_type<ulong>(_e457.o3_);
                    }
                    t4_.z = live_2 ? _e457.o4_ : 0u;
                }
                {
                    ulong _e538 = in0_[metal::min(unsigned(metal::min(base + 3u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    Row _e557 = row(base + 3u, as_type<long>(_e538), ((valid0_0_ >> 3u) & 1u) != 0u, quad1_0_.w, (quad2_0_ >> 24u) & 255u, ((quad3_0_ >> 3u) & 1u) != 0u);
                    bool live_3 = (base + 3u) < rows;
                    if (_e557.bad) {
                        local_3 = live_3;
                    } else {
                        local_3 = false;
                    }
                    bool _e565 = local_3;
                    if (_e565) {
                        uint _e570 = args.inner[1].y;
                        uint _e575 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e570), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 3u)), metal::memory_order_relaxed);
                    }
                    t0_.w = live_3 ? as_type<uint>(_e557.o0_) : 0u;
                    uint _e581 = n0_;
                    n0_ = _e581 | (((live_3 & _e557.q0_) ? 1u : 0u) << ((4u * k) + 3u));
                    t1_.w = live_3 ? _e557.o1_ : 0u;
                    uint _e597 = n1_;
                    n1_ = _e597 | (((live_3 & _e557.q1_) ? 1u : 0u) << ((4u * k) + 3u));
                    uint _e611 = t2_.y;
                    t2_.y = _e611 | ((live_3 ? (as_type<uint>(_e557.o2_) & 65535u) : 0u) << 16u);
                    if (live_3) {
                        out3_[metal::min(unsigned(base + 3u), (_buffer_sizes.size12 - 0 - 8) / 8)] = as_type<ulong>(_e557.o3_);
                    }
                    t4_.w = live_3 ? _e557.o4_ : 0u;
                }
                if (base < rows) {
                    metal::uint4 _e636 = t0_;
                    out0_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size7 - 0 - 16) / 16)] = _e636;
                    metal::uint4 _e641 = t1_;
                    out1_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size9 - 0 - 16) / 16)] = _e641;
                    metal::uint2 _e646 = t2_;
                    out2_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size11 - 0 - 8) / 8)] = _e646;
                    metal::uint4 _e651 = t4_;
                    out4_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size13 - 0 - 16) / 16)] = _e651;
                }
            }
            {
                uint _e652 = step;
                uint k_1 = _e652 + 1u;
                t0_1 = metal::uint4 {};
                t1_1 = metal::uint4 {};
                t2_1 = metal::uint2 {};
                t4_1 = metal::uint4 {};
                {
                    ulong _e670 = in0_[metal::min(unsigned(metal::min(base_1 + 0u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
// … 429 more lines with the checksum 54a93aa9b1753f7e
