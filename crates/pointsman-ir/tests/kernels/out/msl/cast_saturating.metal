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
typedef metal::uint4 type_8[1];
typedef metal::uint2 type_10[1];
struct Row {
    bool selected;
    bool bad;
    char _pad2[2];
    int o0_;
    bool q0_;
    char _pad4[3];
    int o1_;
    bool q1_;
    char _pad6[7];
    ulong o2_;
    bool q2_;
    char _pad8[3];
    uint o3_;
    bool q3_;
    char _pad10[3];
    int o4_;
    bool q4_;
    char _pad12[7];
};
struct type_15 {
    uint inner[128];
};

int nearest_i64_i32_(
    long v,
    thread bool& f
) {
    if (v < -2147483648L) {
        return (-2147483647 - 1);
    }
    if (v > 2147483647L) {
        return 2147483647;
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

int nearest_f32_i32_(
    uint v_1,
    thread bool& f_1
) {
    uint _e2 = trunc_f32_(v_1);
    bool _e3 = is_nan_f32_(_e2);
    if (_e3) {
        return 0;
    }
    uint _e5 = order_f32_(_e2);
    uint _e7 = order_f32_(3472883712u);
    if (_e5 < _e7) {
        return (-2147483647 - 1);
    }
    uint _e10 = order_f32_(_e2);
    uint _e12 = order_f32_(1325400064u);
    if (_e10 >= _e12) {
        return 2147483647;
    }
    uint _e15 = word_of_f32_(_e2);
    uint _e18 = word_of_f32_(_e2);
    bool _e21 = is_negative_f32_(_e2);
    return _e21 ? as_type<int>(as_type<uint>(0) - as_type<uint>(as_type<int>(_e18))) : as_type<int>(_e15);
}

ulong long_of_f32_(
    uint a_6
) {
    int e_2 = as_type<int>(as_type<uint>(static_cast<int>((a_6 >> 23u) & 255u)) - as_type<uint>(150));
    ulong m_1 = static_cast<ulong>((a_6 & 8388607u) | 8388608u);
    if (e_2 >= 0) {
        return m_1 << static_cast<uint>(metal::min(e_2, 63));
    }
    return (e_2 < -63) ? 0uL : (m_1 >> static_cast<uint>(naga_neg(metal::max(e_2, -63))));
}

ulong nearest_f32_u64_(
    uint v_2,
    thread bool& f_2
) {
    uint _e2 = trunc_f32_(v_2);
    bool _e3 = is_nan_f32_(_e2);
    if (_e3) {
        return 0uL;
    }
    uint _e5 = order_f32_(_e2);
    uint _e7 = order_f32_(0u);
    if (_e5 < _e7) {
        return 0uL;
    }
    uint _e10 = order_f32_(_e2);
    uint _e12 = order_f32_(1602224128u);
    if (_e10 >= _e12) {
        return 18446744073709551615uL;
    }
    ulong _e15 = long_of_f32_(_e2);
    return _e15;
}

uint nearest_i8_u16_(
    int v_3,
    thread bool& f_3
) {
    if (v_3 < 0) {
        return 0u;
    }
    return as_type<uint>(v_3);
}

int nearest_u32_i16_(
    uint v_4,
    thread bool& f_4
) {
    if (v_4 > 32767u) {
        return 32767;
    }
    return as_type<int>(v_4);
}

Row row(
    uint r,
    long c0_,
    bool d0_,
    uint c1_,
    int c2_,
    uint c3_
) {
    bool bad = false;
    long v0_ = {};
    bool n0_1 = {};
    uint v1_ = {};
    int v2_ = {};
    uint v3_ = {};
    int v4_ = {};
    bool n4_ = {};
    int v5_ = {};
    ulong v6_ = {};
    uint v7_ = {};
    int v8_ = {};
    v0_ = c0_;
    n0_1 = d0_;
    v1_ = c1_;
    v2_ = c2_;
    v3_ = c3_;
    long _e13 = v0_;
    int _e14 = nearest_i64_i32_(_e13, bad);
    v4_ = _e14;
    bool _e16 = n0_1;
    n4_ = _e16;
    uint _e18 = v1_;
    int _e19 = nearest_f32_i32_(_e18, bad);
    v5_ = _e19;
    uint _e21 = v1_;
    ulong _e22 = nearest_f32_u64_(_e21, bad);
    v6_ = _e22;
    int _e24 = v2_;
    uint _e25 = nearest_i8_u16_(_e24, bad);
    v7_ = _e25;
    uint _e27 = v3_;
    int _e28 = nearest_u32_i16_(_e27, bad);
    v8_ = _e28;
    bool _e31 = bad;
    int _e33 = v4_;
    bool _e34 = n4_;
    bool _e36 = n4_;
    int _e37 = v5_;
    ulong _e39 = v6_;
    uint _e41 = v7_;
    int _e43 = v8_;
    return Row {true, _e31, {}, _e34 ? _e33 : 0, _e36, {}, _e37, true, {}, _e39, true, {}, _e41, true, {}, _e43, true};
}

struct storeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_6 const& in0_ [[user(fake0)]]
, device type_7 const& inv0_ [[user(fake0)]]
, device type_8 const& in1_ [[user(fake0)]]
, device type_7 const& in2_ [[user(fake0)]]
, device type_8 const& in3_ [[user(fake0)]]
, device type_8& out0_ [[user(fake0)]]
, device type_7& outv0_ [[user(fake0)]]
, device type_8& out1_ [[user(fake0)]]
, device type_6& out2_ [[user(fake0)]]
, device type_10& out3_ [[user(fake0)]]
, device type_10& out4_ [[user(fake0)]]
, threadgroup type_15& shared_bits
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint n0_ = 0u;
    uint step = 0u;
    metal::uint4 t0_ = {};
    metal::uint4 t1_ = {};
    metal::uint2 t3_ = {};
    metal::uint2 t4_ = {};
    metal::uint4 t0_1 = {};
    metal::uint4 t1_1 = {};
    metal::uint2 t3_1 = {};
    metal::uint2 t4_1 = {};
    metal::uint4 t0_2 = {};
    metal::uint4 t1_2 = {};
    metal::uint2 t3_2 = {};
    metal::uint2 t4_2 = {};
    metal::uint4 t0_3 = {};
    metal::uint4 t1_3 = {};
    metal::uint2 t3_3 = {};
    metal::uint2 t4_3 = {};
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
            uint _e1550 = step;
            step = _e1550 + 4u;
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
            uint _e43 = inv0_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e50 = args.inner[4].x;
            uint valid0_0_ = ((_e50 & 1u) != 0u) ? (_e43 >> (first_0_ & 31u)) : 15u;
            metal::uint4 quad1_0_ = in1_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size4 - 0 - 16) / 16)];
            uint quad2_0_ = in2_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            metal::uint4 quad3_0_ = in3_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size6 - 0 - 16) / 16)];
            uint _e71 = step;
            uint base_1 = (start + ((_e71 + 1u) * 512u)) + (lane * 4u);
            uint first_1_ = metal::min(base_1, last & 4294967292u);
            uint _e88 = inv0_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e95 = args.inner[4].x;
            uint valid0_1_ = ((_e95 & 1u) != 0u) ? (_e88 >> (first_1_ & 31u)) : 15u;
            metal::uint4 quad1_1_ = in1_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size4 - 0 - 16) / 16)];
            uint quad2_1_ = in2_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            metal::uint4 quad3_1_ = in3_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size6 - 0 - 16) / 16)];
            uint _e116 = step;
            uint base_2 = (start + ((_e116 + 2u) * 512u)) + (lane * 4u);
            uint first_2_ = metal::min(base_2, last & 4294967292u);
            uint _e133 = inv0_[metal::min(unsigned(first_2_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e140 = args.inner[4].x;
            uint valid0_2_ = ((_e140 & 1u) != 0u) ? (_e133 >> (first_2_ & 31u)) : 15u;
            metal::uint4 quad1_2_ = in1_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size4 - 0 - 16) / 16)];
            uint quad2_2_ = in2_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            metal::uint4 quad3_2_ = in3_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size6 - 0 - 16) / 16)];
            uint _e161 = step;
            uint base_3 = (start + ((_e161 + 3u) * 512u)) + (lane * 4u);
            uint first_3_ = metal::min(base_3, last & 4294967292u);
            uint _e178 = inv0_[metal::min(unsigned(first_3_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e185 = args.inner[4].x;
            uint valid0_3_ = ((_e185 & 1u) != 0u) ? (_e178 >> (first_3_ & 31u)) : 15u;
            metal::uint4 quad1_3_ = in1_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size4 - 0 - 16) / 16)];
            uint quad2_3_ = in2_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            metal::uint4 quad3_3_ = in3_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size6 - 0 - 16) / 16)];
            {
                uint _e206 = step;
                uint k = _e206 + 0u;
                t0_ = metal::uint4 {};
                t1_ = metal::uint4 {};
                t3_ = metal::uint2 {};
                t4_ = metal::uint2 {};
                {
                    ulong _e224 = in0_[metal::min(unsigned(metal::min(base + 0u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    Row _e239 = row(base + 0u, as_type<long>(_e224), ((valid0_0_ >> 0u) & 1u) != 0u, quad1_0_.x, as_type<int>(quad2_0_ << 24u) >> 24u, quad3_0_.x);
                    bool live = (base + 0u) < rows;
                    t0_.x = live ? as_type<uint>(_e239.o0_) : 0u;
                    uint _e248 = n0_;
                    n0_ = _e248 | (((live & _e239.q0_) ? 1u : 0u) << ((4u * k) + 0u));
                    t1_.x = live ? as_type<uint>(_e239.o1_) : 0u;
                    if (live) {
                        out2_[metal::min(unsigned(base + 0u), (_buffer_sizes.size10 - 0 - 8) / 8)] = _e239.o2_;
                    }
                    uint _e272 = t3_.x;
                    t3_.x = _e272 | ((live ? (_e239.o3_ & 65535u) : 0u) << 0u);
                    uint _e283 = t4_.x;
                    t4_.x = _e283 | ((live ? (as_type<uint>(_e239.o4_) & 65535u) : 0u) << 0u);
                }
                {
                    ulong _e300 = in0_[metal::min(unsigned(metal::min(base + 1u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    Row _e315 = row(base + 1u, as_type<long>(_e300), ((valid0_0_ >> 1u) & 1u) != 0u, quad1_0_.y, as_type<int>(quad2_0_ << 16u) >> 24u, quad3_0_.y);
                    bool live_1 = (base + 1u) < rows;
                    t0_.y = live_1 ? as_type<uint>(_e315.o0_) : 0u;
                    uint _e324 = n0_;
                    n0_ = _e324 | (((live_1 & _e315.q0_) ? 1u : 0u) << ((4u * k) + 1u));
                    t1_.y = live_1 ? as_type<uint>(_e315.o1_) : 0u;
                    if (live_1) {
                        out2_[metal::min(unsigned(base + 1u), (_buffer_sizes.size10 - 0 - 8) / 8)] = _e315.o2_;
                    }
                    uint _e348 = t3_.x;
                    t3_.x = _e348 | ((live_1 ? (_e315.o3_ & 65535u) : 0u) << 16u);
                    uint _e359 = t4_.x;
                    t4_.x = _e359 | ((live_1 ? (as_type<uint>(_e315.o4_) & 65535u) : 0u) << 16u);
                }
                {
                    ulong _e376 = in0_[metal::min(unsigned(metal::min(base + 2u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    Row _e391 = row(base + 2u, as_type<long>(_e376), ((valid0_0_ >> 2u) & 1u) != 0u, quad1_0_.z, as_type<int>(quad2_0_ << 8u) >> 24u, quad3_0_.z);
                    bool live_2 = (base + 2u) < rows;
                    t0_.z = live_2 ? as_type<uint>(_e391.o0_) : 0u;
                    uint _e400 = n0_;
                    n0_ = _e400 | (((live_2 & _e391.q0_) ? 1u : 0u) << ((4u * k) + 2u));
                    t1_.z = live_2 ? as_type<uint>(_e391.o1_) : 0u;
                    if (live_2) {
                        out2_[metal::min(unsigned(base + 2u), (_buffer_sizes.size10 - 0 - 8) / 8)] = _e391.o2_;
                    }
                    uint _e424 = t3_.y;
                    t3_.y = _e424 | ((live_2 ? (_e391.o3_ & 65535u) : 0u) << 0u);
                    uint _e435 = t4_.y;
                    t4_.y = _e435 | ((live_2 ? (as_type<uint>(_e391.o4_) & 65535u) : 0u) << 0u);
                }
                {
                    ulong _e452 = in0_[metal::min(unsigned(metal::min(base + 3u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    Row _e467 = row(base + 3u, as_type<long>(_e452), ((valid0_0_ >> 3u) & 1u) != 0u, quad1_0_.w, as_type<int>(quad2_0_ << 0u) >> 24u, quad3_0_.w);
                    bool live_3 = (base + 3u) < rows;
                    t0_.w = live_3 ? as_type<uint>(_e467.o0_) : 0u;
                    uint _e476 = n0_;
                    n0_ = _e476 | (((live_3 & _e467.q0_) ? 1u : 0u) << ((4u * k) + 3u));
                    t1_.w = live_3 ? as_type<uint>(_e467.o1_) : 0u;
                    if (live_3) {
                        out2_[metal::min(unsigned(base + 3u), (_buffer_sizes.size10 - 0 - 8) / 8)] = _e467.o2_;
                    }
                    uint _e500 = t3_.y;
                    t3_.y = _e500 | ((live_3 ? (_e467.o3_ & 65535u) : 0u) << 16u);
                    uint _e511 = t4_.y;
                    t4_.y = _e511 | ((live_3 ? (as_type<uint>(_e467.o4_) & 65535u) : 0u) << 16u);
                }
                if (base < rows) {
                    metal::uint4 _e526 = t0_;
                    out0_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size7 - 0 - 16) / 16)] = _e526;
                    metal::uint4 _e531 = t1_;
                    out1_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size9 - 0 - 16) / 16)] = _e531;
                    metal::uint2 _e536 = t3_;
                    out3_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size11 - 0 - 8) / 8)] = _e536;
                    metal::uint2 _e541 = t4_;
                    out4_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size12 - 0 - 8) / 8)] = _e541;
                }
            }
            {
                uint _e542 = step;
                uint k_1 = _e542 + 1u;
                t0_1 = metal::uint4 {};
                t1_1 = metal::uint4 {};
                t3_1 = metal::uint2 {};
                t4_1 = metal::uint2 {};
                {
                    ulong _e560 = in0_[metal::min(unsigned(metal::min(base_1 + 0u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    Row _e575 = row(base_1 + 0u, as_type<long>(_e560), ((valid0_1_ >> 0u) & 1u) != 0u, quad1_1_.x, as_type<int>(quad2_1_ << 24u) >> 24u, quad3_1_.x);
                    bool live_4 = (base_1 + 0u) < rows;
                    t0_1.x = live_4 ? as_type<uint>(_e575.o0_) : 0u;
                    uint _e584 = n0_;
                    n0_ = _e584 | (((live_4 & _e575.q0_) ? 1u : 0u) << ((4u * k_1) + 0u));
                    t1_1.x = live_4 ? as_type<uint>(_e575.o1_) : 0u;
                    if (live_4) {
                        out2_[metal::min(unsigned(base_1 + 0u), (_buffer_sizes.size10 - 0 - 8) / 8)] = _e575.o2_;
                    }
                    uint _e608 = t3_1.x;
                    t3_1.x = _e608 | ((live_4 ? (_e575.o3_ & 65535u) : 0u) << 0u);
                    uint _e619 = t4_1.x;
                    t4_1.x = _e619 | ((live_4 ? (as_type<uint>(_e575.o4_) & 65535u) : 0u) << 0u);
                }
                {
                    ulong _e636 = in0_[metal::min(unsigned(metal::min(base_1 + 1u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    Row _e651 = row(base_1 + 1u, as_type<long>(_e636), ((valid0_1_ >> 1u) & 1u) != 0u, quad1_1_.y, as_type<int>(quad2_1_ << 16u) >> 24u, quad3_1_.y);
                    bool live_5 = (base_1 + 1u) < rows;
                    t0_1.y = live_5 ? as_type<uint>(_e651.o0_) : 0u;
                    uint _e660 = n0_;
                    n0_ = _e660 | (((live_5 & _e651.q0_) ? 1u : 0u) << ((4u * k_1) + 1u));
                    t1_1.y = live_5 ? as_type<uint>(_e651.o1_) : 0u;
                    if (live_5) {
                        out2_[metal::min(unsigned(base_1 + 1u), (_buffer_sizes.size10 - 0 - 8) / 8)] = _e651.o2_;
                    }
                    uint _e684 = t3_1.x;
                    t3_1.x = _e684 | ((live_5 ? (_e651.o3_ & 65535u) : 0u) << 16u);
                    uint _e695 = t4_1.x;
                    t4_1.x = _e695 | ((live_5 ? (as_type<uint>(_e651.o4_) & 65535u) : 0u) << 16u);
                }
                {
                    ulong _e712 = in0_[metal::min(unsigned(metal::min(base_1 + 2u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    Row _e727 = row(base_1 + 2u, as_type<long>(_e712), ((valid0_1_ >> 2u) & 1u) != 0u, quad1_1_.z, as_type<int>(quad2_1_ << 8u) >> 24u, quad3_1_.z);
                    bool live_6 = (base_1 + 2u) < rows;
                    t0_1.z = live_6 ? as_type<uint>(_e727.o0_) : 0u;
                    uint _e736 = n0_;
                    n0_ = _e736 | (((live_6 & _e727.q0_) ? 1u : 0u) << ((4u * k_1) + 2u));
                    t1_1.z = live_6 ? as_type<uint>(_e727.o1_) : 0u;
                    if (live_6) {
                        out2_[metal::min(unsigned(base_1 + 2u), (_buffer_sizes.size10 - 0 - 8) / 8)] = _e727.o2_;
                    }
                    uint _e760 = t3_1.y;
                    t3_1.y = _e760 | ((live_6 ? (_e727.o3_ & 65535u) : 0u) << 0u);
                    uint _e771 = t4_1.y;
// … 225 more lines with the checksum 9f69ec4e8d47c2a9
