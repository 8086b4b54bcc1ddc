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
typedef ulong type_6[1];
typedef uint type_7[1];
struct Row {
    bool selected;
    bool bad;
    char _pad2[6];
    long o0_;
    bool q0_;
    char _pad4[7];
    long o1_;
    bool q1_;
    char _pad6[7];
    long o2_;
    bool q2_;
    bool o3_;
    bool q3_;
    char _pad10[5];
};
struct type_11 {
    uint inner[128];
};

long decimal_mul_16_(
    long a,
    long b_5,
    thread bool& f
) {
    bool local_16 = {};
    long r_1 = as_type<long>(as_type<ulong>(a) * as_type<ulong>(b_5));
    if (!((r_1 >= 10000000000000000L))) {
        local_16 = r_1 <= -10000000000000000L;
    } else {
        local_16 = true;
    }
    bool _e12 = local_16;
    if (_e12) {
        f = true;
        return 0L;
    }
    return r_1;
}

long decimal_sub_9_(
    long a_1,
    long b_6,
    thread bool& f_1
) {
    bool local_17 = {};
    long r_2 = as_type<long>(as_type<ulong>(a_1) - as_type<ulong>(b_6));
    if (!((r_2 >= 1000000000L))) {
        local_17 = r_2 <= -1000000000L;
    } else {
        local_17 = true;
    }
    bool _e12 = local_17;
    if (_e12) {
        f_1 = true;
        return 0L;
    }
    return r_2;
}

long decimal_add_9_(
    long a_2,
    long b_7,
    thread bool& f_2
) {
    bool local_18 = {};
    long r_3 = as_type<long>(as_type<ulong>(a_2) + as_type<ulong>(b_7));
    if (!((r_3 >= 1000000000L))) {
        local_18 = r_3 <= -1000000000L;
    } else {
        local_18 = true;
    }
    bool _e12 = local_18;
    if (_e12) {
        f_2 = true;
        return 0L;
    }
    return r_3;
}

Row row(
    uint r,
    long c0_,
    long c1_,
    bool d1_
) {
    bool bad = false;
    long v0_ = {};
    long v1_ = {};
    bool n1_1 = {};
    bool e2_ = false;
    long v2_ = {};
    bool n2_1 = {};
    bool local_19 = {};
    long v3_ = {};
    long v4_ = {};
    bool n4_ = {};
    long v5_ = {};
    long v6_ = {};
    bool n6_ = {};
    long v7_ = {};
    bool local_20 = {};
    bool n7_ = {};
    bool e8_ = false;
    long v8_ = {};
    bool local_21 = {};
    bool n8_ = {};
    bool local_22 = {};
    bool local_23 = {};
    bool e9_ = false;
    long v9_ = {};
    bool local_24 = {};
    bool n9_ = {};
    bool local_25 = {};
    bool local_26 = {};
    bool v10_ = {};
    bool n10_ = {};
    bool local_27 = {};
    bool local_28 = {};
    bool local_29 = {};
    v0_ = c0_;
    v1_ = c1_;
    n1_1 = d1_;
    long _e11 = v0_;
    long _e12 = v1_;
    long _e13 = decimal_mul_16_(_e11, _e12, e2_);
    v2_ = _e13;
    bool _e15 = n1_1;
    n2_1 = _e15;
    bool _e17 = e2_;
    if (_e17) {
        bool _e20 = n1_1;
        local_19 = _e20;
    } else {
        local_19 = false;
    }
    bool _e22 = local_19;
    e2_ = _e22;
    long _e24 = v0_;
    v3_ = as_type<long>(as_type<ulong>(0L) - as_type<ulong>(_e24));
    long _e27 = v1_;
    long _e29 = v1_;
    long _e31 = v1_;
    v4_ = (_e31 < 0L) ? as_type<long>(as_type<ulong>(0L) - as_type<ulong>(_e29)) : _e27;
    bool _e36 = n1_1;
    n4_ = _e36;
    long _e40 = v0_;
    long _e45 = v0_;
    v5_ = (_e45 < 0L) ? -100L : ((_e40 > 0L) ? 100L : 0L);
    long _e50 = v3_;
    long _e51 = v4_;
    long _e52 = v4_;
    long _e53 = v3_;
    v6_ = (_e52 < _e53) ? _e51 : _e50;
    bool _e57 = n4_;
    n6_ = _e57;
    long _e59 = v6_;
    long _e60 = v5_;
    long _e61 = v5_;
    long _e62 = v6_;
    long _e65 = v1_;
    long _e66 = v1_;
    long _e67 = v6_;
    long _e68 = v5_;
    long _e69 = v5_;
    long _e70 = v6_;
    v7_ = (_e66 < ((_e69 > _e70) ? _e68 : _e67)) ? _e65 : ((_e61 > _e62) ? _e60 : _e59);
    bool _e76 = n6_;
    if (_e76) {
        bool _e79 = n1_1;
        local_20 = _e79;
    } else {
        local_20 = false;
    }
    bool _e81 = local_20;
    n7_ = _e81;
    long _e85 = v7_;
    long _e86 = v1_;
    long _e87 = decimal_sub_9_(_e85, _e86, e8_);
    v8_ = _e87;
    bool _e89 = n7_;
    if (_e89) {
        bool _e92 = n1_1;
        local_21 = _e92;
    } else {
        local_21 = false;
    }
    bool _e94 = local_21;
    n8_ = _e94;
    bool _e96 = e8_;
    if (_e96) {
        bool _e99 = n7_;
        local_22 = _e99;
    } else {
        local_22 = false;
    }
    bool _e101 = local_22;
    if (_e101) {
        bool _e104 = n1_1;
        local_23 = _e104;
    } else {
        local_23 = false;
    }
    bool _e106 = local_23;
    e8_ = _e106;
    long _e109 = v7_;
    long _e110 = v1_;
    long _e111 = decimal_add_9_(_e109, _e110, e9_);
    v9_ = _e111;
    bool _e113 = n7_;
    if (_e113) {
        bool _e116 = n1_1;
        local_24 = _e116;
    } else {
        local_24 = false;
    }
    bool _e118 = local_24;
    n9_ = _e118;
    bool _e120 = e9_;
    if (_e120) {
        bool _e123 = n7_;
        local_25 = _e123;
    } else {
        local_25 = false;
    }
    bool _e125 = local_25;
    if (_e125) {
        bool _e128 = n1_1;
        local_26 = _e128;
    } else {
        local_26 = false;
    }
    bool _e130 = local_26;
    e9_ = _e130;
    long _e131 = v0_;
    long _e132 = v1_;
    v10_ = _e131 < _e132;
    bool _e135 = n1_1;
    n10_ = _e135;
    bool _e137 = bad;
    if (!(_e137)) {
        bool _e141 = e2_;
        local_27 = _e141;
    } else {
        local_27 = true;
    }
    bool _e143 = local_27;
    bad = _e143;
    bool _e144 = bad;
    if (!(_e144)) {
        bool _e148 = e8_;
        local_28 = _e148;
    } else {
        local_28 = true;
    }
    bool _e150 = local_28;
    bad = _e150;
    bool _e151 = bad;
    if (!(_e151)) {
        bool _e155 = e9_;
        local_29 = _e155;
    } else {
        local_29 = true;
    }
    bool _e157 = local_29;
    bad = _e157;
    bool _e159 = bad;
    long _e161 = v2_;
    bool _e162 = n2_1;
    bool _e164 = n2_1;
    long _e166 = v8_;
    bool _e167 = n8_;
    bool _e169 = n8_;
    long _e171 = v9_;
    bool _e172 = n9_;
    bool _e174 = n9_;
    bool _e176 = v10_;
    bool _e177 = n10_;
    bool _e179 = n10_;
    return Row {true, _e159, {}, _e162 ? _e161 : 0L, _e164, {}, _e167 ? _e166 : 0L, _e169, {}, _e172 ? _e171 : 0L, _e174, _e177 ? _e176 : false, _e179};
}

struct storeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_4& status [[user(fake0)]]
, device type_6 const& in0_ [[user(fake0)]]
, device type_6 const& in1_ [[user(fake0)]]
, device type_7 const& inv1_ [[user(fake0)]]
, device type_6& out0_ [[user(fake0)]]
, device type_7& outv0_ [[user(fake0)]]
, device type_6& out1_ [[user(fake0)]]
, device type_7& outv1_ [[user(fake0)]]
, device type_6& out2_ [[user(fake0)]]
, device type_7& outv2_ [[user(fake0)]]
, device type_7& out3_ [[user(fake0)]]
, device type_7& outv3_ [[user(fake0)]]
, threadgroup type_11& shared_bits
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint n0_ = 0u;
    uint n1_ = 0u;
    uint n2_ = 0u;
    uint m3_ = 0u;
    uint n3_ = 0u;
    uint step = 0u;
    bool local = {};
    bool local_1 = {};
    bool local_2 = {};
    bool local_3 = {};
    bool local_4 = {};
    bool local_5 = {};
    bool local_6 = {};
    bool local_7 = {};
    bool local_8 = {};
    bool local_9 = {};
    bool local_10 = {};
    bool local_11 = {};
    bool local_12 = {};
    bool local_13 = {};
    bool local_14 = {};
    bool local_15 = {};
    uint bits = 0u;
    uint b = 0u;
    uint bits_1 = 0u;
    uint b_1 = 0u;
    uint bits_2 = 0u;
    uint b_2 = 0u;
    uint bits_3 = 0u;
    uint b_3 = 0u;
    uint bits_4 = 0u;
    uint b_4 = 0u;
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
            uint _e2074 = step;
            step = _e2074 + 4u;
        }
        loop_init = false;
        uint _e31 = step;
        if (_e31 < 8u) {
        } else {
            break;
        }
        {
            uint _e34 = step;
            uint base = (start + ((_e34 + 0u) * 512u)) + (lane * 4u);
            uint first_0_ = metal::min(base, last & 4294967292u);
            uint _e51 = inv1_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e58 = args.inner[4].y;
            uint valid1_0_ = ((_e58 & 1u) != 0u) ? (_e51 >> (first_0_ & 31u)) : 15u;
            uint _e64 = step;
            uint base_1 = (start + ((_e64 + 1u) * 512u)) + (lane * 4u);
            uint first_1_ = metal::min(base_1, last & 4294967292u);
            uint _e81 = inv1_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e88 = args.inner[4].y;
            uint valid1_1_ = ((_e88 & 1u) != 0u) ? (_e81 >> (first_1_ & 31u)) : 15u;
            uint _e94 = step;
            uint base_2 = (start + ((_e94 + 2u) * 512u)) + (lane * 4u);
            uint first_2_ = metal::min(base_2, last & 4294967292u);
            uint _e111 = inv1_[metal::min(unsigned(first_2_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e118 = args.inner[4].y;
            uint valid1_2_ = ((_e118 & 1u) != 0u) ? (_e111 >> (first_2_ & 31u)) : 15u;
            uint _e124 = step;
            uint base_3 = (start + ((_e124 + 3u) * 512u)) + (lane * 4u);
            uint first_3_ = metal::min(base_3, last & 4294967292u);
            uint _e141 = inv1_[metal::min(unsigned(first_3_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e148 = args.inner[4].y;
            uint valid1_3_ = ((_e148 & 1u) != 0u) ? (_e141 >> (first_3_ & 31u)) : 15u;
            {
                uint _e154 = step;
                uint k = _e154 + 0u;
                {
                    ulong _e164 = in0_[metal::min(unsigned(metal::min(base + 0u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e171 = in1_[metal::min(unsigned(metal::min(base + 0u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e179 = row(base + 0u, as_type<long>(_e164), as_type<long>(_e171), ((valid1_0_ >> 0u) & 1u) != 0u);
                    bool live = (base + 0u) < rows;
                    if (_e179.bad) {
                        local = live;
                    } else {
                        local = false;
                    }
                    bool _e187 = local;
                    if (_e187) {
                        uint _e192 = args.inner[1].y;
                        uint _e197 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e192), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 0u)), metal::memory_order_relaxed);
                    }
                    if (live) {
                        out0_[metal::min(unsigned(base + 0u), (_buffer_sizes.size5 - 0 - 8) / 8)] = as_type<ulong>(_e179.o0_);
                    }
                    uint _e204 = n0_;
                    n0_ = _e204 | (((live & _e179.q0_) ? 1u : 0u) << ((4u * k) + 0u));
                    if (live) {
                        out1_[metal::min(unsigned(base + 0u), (_buffer_sizes.size7 - 0 - 8) / 8)] = as_type<ulong>(_e179.o1_);
                    }
                    uint _e222 = n1_;
                    n1_ = _e222 | (((live & _e179.q1_) ? 1u : 0u) << ((4u * k) + 0u));
                    if (live) {
                        out2_[metal::min(unsigned(base + 0u), (_buffer_sizes.size9 - 0 - 8) / 8)] = as_type<ulong>(_e179.o2_);
                    }
                    uint _e240 = n2_;
                    n2_ = _e240 | (((live & _e179.q2_) ? 1u : 0u) << ((4u * k) + 0u));
                    uint _e252 = m3_;
                    m3_ = _e252 | (((live & _e179.o3_) ? 1u : 0u) << ((4u * k) + 0u));
                    uint _e264 = n3_;
                    n3_ = _e264 | (((live & _e179.q3_) ? 1u : 0u) << ((4u * k) + 0u));
                }
                {
                    ulong _e283 = in0_[metal::min(unsigned(metal::min(base + 1u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e290 = in1_[metal::min(unsigned(metal::min(base + 1u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e298 = row(base + 1u, as_type<long>(_e283), as_type<long>(_e290), ((valid1_0_ >> 1u) & 1u) != 0u);
                    bool live_1 = (base + 1u) < rows;
                    if (_e298.bad) {
                        local_1 = live_1;
                    } else {
                        local_1 = false;
                    }
                    bool _e306 = local_1;
                    if (_e306) {
                        uint _e311 = args.inner[1].y;
                        uint _e316 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e311), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 1u)), metal::memory_order_relaxed);
                    }
                    if (live_1) {
                        out0_[metal::min(unsigned(base + 1u), (_buffer_sizes.size5 - 0 - 8) / 8)] = as_type<ulong>(_e298.o0_);
                    }
                    uint _e323 = n0_;
                    n0_ = _e323 | (((live_1 & _e298.q0_) ? 1u : 0u) << ((4u * k) + 1u));
                    if (live_1) {
                        out1_[metal::min(unsigned(base + 1u), (_buffer_sizes.size7 - 0 - 8) / 8)] = as_type<ulong>(_e298.o1_);
                    }
                    uint _e341 = n1_;
                    n1_ = _e341 | (((live_1 & _e298.q1_) ? 1u : 0u) << ((4u * k) + 1u));
                    if (live_1) {
                        out2_[metal::min(unsigned(base + 1u), (_buffer_sizes.size9 - 0 - 8) / 8)] = as_type<ulong>(_e298.o2_);
                    }
                    uint _e359 = n2_;
                    n2_ = _e359 | (((live_1 & _e298.q2_) ? 1u : 0u) << ((4u * k) + 1u));
                    uint _e371 = m3_;
                    m3_ = _e371 | (((live_1 & _e298.o3_) ? 1u : 0u) << ((4u * k) + 1u));
                    uint _e383 = n3_;
                    n3_ = _e383 | (((live_1 & _e298.q3_) ? 1u : 0u) << ((4u * k) + 1u));
                }
                {
                    ulong _e402 = in0_[metal::min(unsigned(metal::min(base + 2u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e409 = in1_[metal::min(unsigned(metal::min(base + 2u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e417 = row(base + 2u, as_type<long>(_e402), as_type<long>(_e409), ((valid1_0_ >> 2u) & 1u) != 0u);
                    bool live_2 = (base + 2u) < rows;
                    if (_e417.bad) {
                        local_2 = live_2;
                    } else {
                        local_2 = false;
                    }
                    bool _e425 = local_2;
                    if (_e425) {
                        uint _e430 = args.inner[1].y;
                        uint _e435 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e430), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 2u)), metal::memory_order_relaxed);
                    }
                    if (live_2) {
                        out0_[metal::min(unsigned(base + 2u), (_buffer_sizes.size5 - 0 - 8) / 8)] = as_type<ulong>(_e417.o0_);
                    }
                    uint _e442 = n0_;
                    n0_ = _e442 | (((live_2 & _e417.q0_) ? 1u : 0u) << ((4u * k) + 2u));
                    if (live_2) {
                        out1_[metal::min(unsigned(base + 2u), (_buffer_sizes.size7 - 0 - 8) / 8)] = as_type<ulong>(_e417.o1_);
                    }
                    uint _e460 = n1_;
                    n1_ = _e460 | (((live_2 & _e417.q1_) ? 1u : 0u) << ((4u * k) + 2u));
                    if (live_2) {
                        out2_[metal::min(unsigned(base + 2u), (_buffer_sizes.size9 - 0 - 8) / 8)] = as_type<ulong>(_e417.o2_);
                    }
                    uint _e478 = n2_;
                    n2_ = _e478 | (((live_2 & _e417.q2_) ? 1u : 0u) << ((4u * k) + 2u));
                    uint _e490 = m3_;
                    m3_ = _e490 | (((live_2 & _e417.o3_) ? 1u : 0u) << ((4u * k) + 2u));
                    uint _e502 = n3_;
                    n3_ = _e502 | (((live_2 & _e417.q3_) ? 1u : 0u) << ((4u * k) + 2u));
                }
                {
                    ulong _e521 = in0_[metal::min(unsigned(metal::min(base + 3u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e528 = in1_[metal::min(unsigned(metal::min(base + 3u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e536 = row(base + 3u, as_type<long>(_e521), as_type<long>(_e528), ((valid1_0_ >> 3u) & 1u) != 0u);
                    bool live_3 = (base + 3u) < rows;
                    if (_e536.bad) {
                        local_3 = live_3;
                    } else {
                        local_3 = false;
                    }
                    bool _e544 = local_3;
                    if (_e544) {
                        uint _e549 = args.inner[1].y;
                        uint _e554 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e549), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 3u)), metal::memory_order_relaxed);
                    }
                    if (live_3) {
                        out0_[metal::min(unsigned(base + 3u), (_buffer_sizes.size5 - 0 - 8) / 8)] = as_type<ulong>(_e536.o0_);
                    }
                    uint _e561 = n0_;
                    n0_ = _e561 | (((live_3 & _e536.q0_) ? 1u : 0u) << ((4u * k) + 3u));
                    if (live_3) {
                        out1_[metal::min(unsigned(base + 3u), (_buffer_sizes.size7 - 0 - 8) / 8)] = as_type<ulong>(_e536.o1_);
                    }
                    uint _e579 = n1_;
                    n1_ = _e579 | (((live_3 & _e536.q1_) ? 1u : 0u) << ((4u * k) + 3u));
                    if (live_3) {
                        out2_[metal::min(unsigned(base + 3u), (_buffer_sizes.size9 - 0 - 8) / 8)] = as_type<ulong>(_e536.o2_);
                    }
                    uint _e597 = n2_;
                    n2_ = _e597 | (((live_3 & _e536.q2_) ? 1u : 0u) << ((4u * k) + 3u));
// … 590 more lines with the checksum b0a9810e3522bb3b
