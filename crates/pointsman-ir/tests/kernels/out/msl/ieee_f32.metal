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
};

struct type_2 {
    metal::uint4 inner[5];
};
typedef metal::atomic_uint type_4[1];
typedef metal::uint4 type_5[1];
typedef uint type_6[1];
struct Row {
    bool selected;
    bool bad;
    bool o0_;
    bool q0_;
    bool o1_;
    bool q1_;
    bool o2_;
    bool q2_;
    uint o3_;
    bool q3_;
    char _pad10[3];
    uint o4_;
    bool q4_;
    char _pad12[3];
};
struct type_10 {
    uint inner[128];
};

bool is_nan_f32_(
    uint a
) {
    return (a & 2147483647u) > 2139095040u;
}

uint total_f32_(
    uint a_1
) {
    uint key = ((a_1 >> 31u) != 0u) ? ~(a_1) : (a_1 | 2147483648u);
    bool _e10 = is_nan_f32_(a_1);
    return _e10 ? 4294967295u : key;
}

uint order_f32_(
    uint a_2
) {
    uint _e5 = total_f32_((a_2 == 2147483648u) ? 0u : a_2);
    return _e5;
}

int ordered_f32_(
    uint a_3
) {
    return as_type<int>(a_3 & 2147483647u) ^ (as_type<int>(a_3) >> 31u);
}

bool below_f32_(
    uint a_4,
    uint b_3
) {
    int _e8 = ordered_f32_(((b_3 << 1u) == 0u) ? 2147483648u : b_3);
    bool _e10 = is_nan_f32_(b_3);
    int right = _e10 ? 2147483647 : _e8;
    bool _e12 = is_nan_f32_(a_4);
    int _e14 = ordered_f32_(a_4);
    return !(_e12) & (_e14 < right);
}

uint abs_f32_(
    uint a_5
) {
    return a_5 & 2147483647u;
}

bool above_f32_(
    uint a_6,
    uint b_4
) {
    int _e8 = ordered_f32_(((b_4 << 1u) == 0u) ? 0u : b_4);
    bool _e10 = is_nan_f32_(b_4);
    int right_1 = _e10 ? 2147483647 : _e8;
    bool _e14 = is_nan_f32_(b_4);
    uint most = _e14 ? 4294967295u : 2139095040u;
    uint _e16 = abs_f32_(a_6);
    int _e18 = ordered_f32_(a_6);
    return (_e16 > most) | (_e18 > right_1);
}

uint canonical_f32_(
    uint a_7
) {
    bool _e2 = is_nan_f32_(a_7);
    return _e2 ? 2143289344u : a_7;
}

float single(
    uint a_8,
    constant type_2& args
) {
    uint _e4 = args.inner[3].x;
    return as_type<float>(a_8 ^ _e4);
}

float second_single(
    uint a_9,
    constant type_2& args
) {
    uint _e4 = args.inner[3].y;
    return as_type<float>(a_9 ^ _e4);
}

uint add_f32_(
    uint a_10,
    uint b_5,
    constant type_2& args
) {
    float _e2 = single(a_10, args);
    float _e3 = second_single(b_5, args);
    return as_type<uint>(_e2 + _e3);
}

uint mul_f32_(
    uint a_11,
    uint b_6,
    constant type_2& args
) {
    float _e2 = single(a_11, args);
    float _e3 = second_single(b_6, args);
    return as_type<uint>(_e2 * _e3);
}

Row row(
    uint r,
    uint c0_,
    uint c1_,
    constant type_2& args
) {
    bool bad = false;
    uint v0_ = {};
    uint v1_ = {};
    bool v2_ = {};
    bool v3_ = {};
    bool v4_ = {};
    bool local = {};
    bool local_1 = {};
    bool local_2 = {};
    bool v5_ = {};
    bool v6_ = {};
    bool v7_ = {};
    bool v8_ = {};
    bool local_3 = {};
    bool local_4 = {};
    bool local_5 = {};
    bool v9_ = {};
    bool v10_ = {};
    bool local_6 = {};
    bool local_7 = {};
    bool local_8 = {};
    bool v11_ = {};
    uint v12_ = 1065353216u;
    int v13_ = {};
    int v14_ = (-2147483647 - 1);
    int v15_ = {};
    int v16_ = {};
    int v17_ = {};
    uint v18_ = {};
    uint v19_ = {};
    uint v20_ = {};
    uint v21_ = {};
    uint v22_ = 2139095040u;
    bool v23_ = {};
    uint v24_ = 1056964608u;
    uint v25_ = {};
    uint v26_ = {};
    uint v27_ = {};
    uint v28_ = {};
    uint v29_ = {};
    v0_ = c0_;
    v1_ = c1_;
    uint _e7 = v0_;
    uint _e8 = order_f32_(_e7);
    uint _e9 = v1_;
    uint _e10 = order_f32_(_e9);
    v2_ = _e8 == _e10;
    uint _e13 = v0_;
    bool _e14 = is_nan_f32_(_e13);
    v3_ = _e14;
    bool _e16 = v3_;
    v4_ = !(_e16);
    if (true) {
        bool _e22 = v2_;
        local = !(_e22);
    } else {
        local = false;
    }
    bool _e25 = local;
    if (!(_e25)) {
        if (true) {
            bool _e32 = v4_;
            local_2 = !(_e32);
        } else {
            local_2 = false;
        }
        bool _e35 = local_2;
        local_1 = _e35;
    } else {
        local_1 = true;
    }
    bool _e37 = local_1;
    v5_ = !(_e37);
    uint _e40 = v0_;
    uint _e41 = v1_;
    bool _e42 = below_f32_(_e40, _e41);
    v6_ = _e42;
    uint _e44 = v1_;
    bool _e45 = is_nan_f32_(_e44);
    v7_ = _e45;
    bool _e47 = v7_;
    v8_ = !(_e47);
    if (true) {
        bool _e53 = v6_;
        local_3 = !(_e53);
    } else {
        local_3 = false;
    }
    bool _e56 = local_3;
    if (!(_e56)) {
        if (true) {
            bool _e63 = v8_;
            local_5 = !(_e63);
        } else {
            local_5 = false;
        }
        bool _e66 = local_5;
        local_4 = _e66;
    } else {
        local_4 = true;
    }
    bool _e68 = local_4;
    v9_ = !(_e68);
    uint _e71 = v0_;
    uint _e72 = v1_;
    bool _e73 = above_f32_(_e71, _e72);
    v10_ = !(_e73);
    if (true) {
        bool _e79 = v10_;
        local_6 = !(_e79);
    } else {
        local_6 = false;
    }
    bool _e82 = local_6;
    if (!(_e82)) {
        if (true) {
            bool _e89 = v8_;
            local_8 = !(_e89);
        } else {
            local_8 = false;
        }
        bool _e92 = local_8;
        local_7 = _e92;
    } else {
        local_7 = true;
    }
    bool _e94 = local_7;
    v11_ = !(_e94);
    uint _e99 = v0_;
    uint _e100 = canonical_f32_(_e99);
    v13_ = as_type<int>(_e100);
    int _e105 = v13_;
    int _e106 = v14_;
    v15_ = _e105 & _e106;
    uint _e109 = v12_;
    uint _e110 = canonical_f32_(_e109);
    v16_ = as_type<int>(_e110);
    int _e113 = v16_;
    int _e114 = v15_;
    v17_ = _e113 | _e114;
    int _e117 = v17_;
    v18_ = as_type<uint>(_e117);
    uint _e120 = v18_;
    uint _e121 = v0_;
    bool _e122 = v3_;
    v19_ = _e122 ? _e121 : _e120;
    uint _e125 = v0_;
    uint _e126 = v1_;
    uint _e127 = add_f32_(_e125, _e126, args);
    v20_ = _e127;
    uint _e129 = v20_;
    uint _e130 = abs_f32_(_e129);
    v21_ = _e130;
    uint _e134 = v21_;
    uint _e135 = v22_;
    bool _e136 = below_f32_(_e134, _e135);
    v23_ = _e136;
    uint _e140 = v20_;
    uint _e141 = v24_;
    uint _e142 = mul_f32_(_e140, _e141, args);
    v25_ = _e142;
    uint _e144 = v0_;
    uint _e145 = v24_;
    uint _e146 = mul_f32_(_e144, _e145, args);
    v26_ = _e146;
    uint _e148 = v1_;
    uint _e149 = v24_;
    uint _e150 = mul_f32_(_e148, _e149, args);
    v27_ = _e150;
    uint _e152 = v26_;
    uint _e153 = v27_;
    uint _e154 = add_f32_(_e152, _e153, args);
    v28_ = _e154;
    uint _e156 = v28_;
    uint _e157 = v25_;
    bool _e158 = v23_;
    v29_ = _e158 ? _e157 : _e156;
    bool _e162 = bad;
    bool _e163 = v5_;
    bool _e165 = v9_;
    bool _e167 = v11_;
    uint _e169 = v19_;
    uint _e170 = canonical_f32_(_e169);
    uint _e172 = v29_;
    uint _e173 = canonical_f32_(_e172);
    return Row {true, _e162, _e163, true, _e165, true, _e167, true, _e170, true, {}, _e173, true};
}

struct storeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_5 const& in0_ [[user(fake0)]]
, device type_5 const& in1_ [[user(fake0)]]
, device type_6& out0_ [[user(fake0)]]
, device type_6& out1_ [[user(fake0)]]
, device type_6& out2_ [[user(fake0)]]
, device type_5& out3_ [[user(fake0)]]
, device type_5& out4_ [[user(fake0)]]
, threadgroup type_10& shared_bits
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint m0_ = 0u;
    uint m1_ = 0u;
    uint m2_ = 0u;
    uint step = 0u;
    metal::uint4 t3_ = {};
    metal::uint4 t4_ = {};
    metal::uint4 t3_1 = {};
    metal::uint4 t4_1 = {};
    uint bits = 0u;
    uint b = 0u;
    uint bits_1 = 0u;
    uint b_1 = 0u;
    uint bits_2 = 0u;
    uint b_2 = 0u;
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
            uint _e526 = step;
            step = _e526 + 2u;
        }
        loop_init = false;
        uint _e27 = step;
        if (_e27 < 8u) {
        } else {
            break;
        }
        {
            uint _e30 = step;
            uint base = (start + ((_e30 + 0u) * 512u)) + (lane * 4u);
            uint first_0_ = metal::min(base, last & 4294967292u);
            metal::uint4 quad0_0_ = in0_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            metal::uint4 quad1_0_ = in1_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size3 - 0 - 16) / 16)];
            uint _e52 = step;
            uint base_1 = (start + ((_e52 + 1u) * 512u)) + (lane * 4u);
            uint first_1_ = metal::min(base_1, last & 4294967292u);
            metal::uint4 quad0_1_ = in0_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            metal::uint4 quad1_1_ = in1_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size3 - 0 - 16) / 16)];
            {
                uint _e74 = step;
                uint k = _e74 + 0u;
                t3_ = metal::uint4 {};
                t4_ = metal::uint4 {};
                {
                    Row _e85 = row(base + 0u, quad0_0_.x, quad1_0_.x, args);
                    bool live = (base + 0u) < rows;
                    uint _e89 = m0_;
                    m0_ = _e89 | (((live & _e85.o0_) ? 1u : 0u) << ((4u * k) + 0u));
                    uint _e101 = m1_;
                    m1_ = _e101 | (((live & _e85.o1_) ? 1u : 0u) << ((4u * k) + 0u));
                    uint _e113 = m2_;
                    m2_ = _e113 | (((live & _e85.o2_) ? 1u : 0u) << ((4u * k) + 0u));
                    t3_.x = live ? _e85.o3_ : 0u;
                    t4_.x = live ? _e85.o4_ : 0u;
                }
                {
                    Row _e137 = row(base + 1u, quad0_0_.y, quad1_0_.y, args);
                    bool live_1 = (base + 1u) < rows;
                    uint _e141 = m0_;
                    m0_ = _e141 | (((live_1 & _e137.o0_) ? 1u : 0u) << ((4u * k) + 1u));
                    uint _e153 = m1_;
                    m1_ = _e153 | (((live_1 & _e137.o1_) ? 1u : 0u) << ((4u * k) + 1u));
                    uint _e165 = m2_;
                    m2_ = _e165 | (((live_1 & _e137.o2_) ? 1u : 0u) << ((4u * k) + 1u));
                    t3_.y = live_1 ? _e137.o3_ : 0u;
                    t4_.y = live_1 ? _e137.o4_ : 0u;
                }
                {
                    Row _e189 = row(base + 2u, quad0_0_.z, quad1_0_.z, args);
                    bool live_2 = (base + 2u) < rows;
                    uint _e193 = m0_;
                    m0_ = _e193 | (((live_2 & _e189.o0_) ? 1u : 0u) << ((4u * k) + 2u));
                    uint _e205 = m1_;
                    m1_ = _e205 | (((live_2 & _e189.o1_) ? 1u : 0u) << ((4u * k) + 2u));
                    uint _e217 = m2_;
                    m2_ = _e217 | (((live_2 & _e189.o2_) ? 1u : 0u) << ((4u * k) + 2u));
                    t3_.z = live_2 ? _e189.o3_ : 0u;
                    t4_.z = live_2 ? _e189.o4_ : 0u;
                }
                {
                    Row _e241 = row(base + 3u, quad0_0_.w, quad1_0_.w, args);
                    bool live_3 = (base + 3u) < rows;
                    uint _e245 = m0_;
                    m0_ = _e245 | (((live_3 & _e241.o0_) ? 1u : 0u) << ((4u * k) + 3u));
                    uint _e257 = m1_;
                    m1_ = _e257 | (((live_3 & _e241.o1_) ? 1u : 0u) << ((4u * k) + 3u));
                    uint _e269 = m2_;
                    m2_ = _e269 | (((live_3 & _e241.o2_) ? 1u : 0u) << ((4u * k) + 3u));
                    t3_.w = live_3 ? _e241.o3_ : 0u;
                    t4_.w = live_3 ? _e241.o4_ : 0u;
                }
                if (base < rows) {
                    metal::uint4 _e294 = t3_;
                    out3_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size7 - 0 - 16) / 16)] = _e294;
                    metal::uint4 _e299 = t4_;
                    out4_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size8 - 0 - 16) / 16)] = _e299;
                }
            }
            {
                uint _e300 = step;
                uint k_1 = _e300 + 1u;
                t3_1 = metal::uint4 {};
                t4_1 = metal::uint4 {};
                {
                    Row _e311 = row(base_1 + 0u, quad0_1_.x, quad1_1_.x, args);
                    bool live_4 = (base_1 + 0u) < rows;
                    uint _e315 = m0_;
                    m0_ = _e315 | (((live_4 & _e311.o0_) ? 1u : 0u) << ((4u * k_1) + 0u));
                    uint _e327 = m1_;
                    m1_ = _e327 | (((live_4 & _e311.o1_) ? 1u : 0u) << ((4u * k_1) + 0u));
                    uint _e339 = m2_;
                    m2_ = _e339 | (((live_4 & _e311.o2_) ? 1u : 0u) << ((4u * k_1) + 0u));
                    t3_1.x = live_4 ? _e311.o3_ : 0u;
                    t4_1.x = live_4 ? _e311.o4_ : 0u;
                }
                {
                    Row _e363 = row(base_1 + 1u, quad0_1_.y, quad1_1_.y, args);
                    bool live_5 = (base_1 + 1u) < rows;
                    uint _e367 = m0_;
                    m0_ = _e367 | (((live_5 & _e363.o0_) ? 1u : 0u) << ((4u * k_1) + 1u));
                    uint _e379 = m1_;
                    m1_ = _e379 | (((live_5 & _e363.o1_) ? 1u : 0u) << ((4u * k_1) + 1u));
                    uint _e391 = m2_;
                    m2_ = _e391 | (((live_5 & _e363.o2_) ? 1u : 0u) << ((4u * k_1) + 1u));
                    t3_1.y = live_5 ? _e363.o3_ : 0u;
                    t4_1.y = live_5 ? _e363.o4_ : 0u;
                }
                {
                    Row _e415 = row(base_1 + 2u, quad0_1_.z, quad1_1_.z, args);
                    bool live_6 = (base_1 + 2u) < rows;
                    uint _e419 = m0_;
                    m0_ = _e419 | (((live_6 & _e415.o0_) ? 1u : 0u) << ((4u * k_1) + 2u));
                    uint _e431 = m1_;
                    m1_ = _e431 | (((live_6 & _e415.o1_) ? 1u : 0u) << ((4u * k_1) + 2u));
                    uint _e443 = m2_;
                    m2_ = _e443 | (((live_6 & _e415.o2_) ? 1u : 0u) << ((4u * k_1) + 2u));
                    t3_1.z = live_6 ? _e415.o3_ : 0u;
                    t4_1.z = live_6 ? _e415.o4_ : 0u;
                }
                {
                    Row _e467 = row(base_1 + 3u, quad0_1_.w, quad1_1_.w, args);
                    bool live_7 = (base_1 + 3u) < rows;
                    uint _e471 = m0_;
                    m0_ = _e471 | (((live_7 & _e467.o0_) ? 1u : 0u) << ((4u * k_1) + 3u));
                    uint _e483 = m1_;
                    m1_ = _e483 | (((live_7 & _e467.o1_) ? 1u : 0u) << ((4u * k_1) + 3u));
                    uint _e495 = m2_;
                    m2_ = _e495 | (((live_7 & _e467.o2_) ? 1u : 0u) << ((4u * k_1) + 3u));
                    t3_1.w = live_7 ? _e467.o3_ : 0u;
                    t4_1.w = live_7 ? _e467.o4_ : 0u;
                }
                if (base_1 < rows) {
                    metal::uint4 _e520 = t3_1;
                    out3_[metal::min(unsigned(base_1 >> 2u), (_buffer_sizes.size7 - 0 - 16) / 16)] = _e520;
                    metal::uint4 _e525 = t4_1;
                    out4_[metal::min(unsigned(base_1 >> 2u), (_buffer_sizes.size8 - 0 - 16) / 16)] = _e525;
                }
            }
        }
    }
    uint _e531 = m0_;
    shared_bits.inner[metal::min(unsigned(lane), 127u)] = _e531;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if ((start + (lane * 32u)) < rows) {
        bool loop_init_1 = true;
        while(true) {
            if (!loop_init_1) {
                uint _e566 = b;
                b = _e566 + 1u;
            }
            loop_init_1 = false;
            uint _e540 = b;
            if (_e540 < 8u) {
            } else {
                break;
            }
            {
                uint _e543 = bits;
                uint _e549 = b;
                uint _e552 = shared_bits.inner[metal::min(unsigned(((lane & 15u) * 8u) + _e549), 127u)];
                uint _e561 = b;
                bits = _e543 | (((_e552 >> (4u * (lane >> 4u))) & 15u) << (4u * _e561));
            }
        }
        uint _e573 = bits;
        out0_[metal::min(unsigned((start >> 5u) + lane), (_buffer_sizes.size4 - 0 - 4) / 4)] = _e573;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint _e576 = m1_;
    shared_bits.inner[metal::min(unsigned(lane), 127u)] = _e576;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if ((start + (lane * 32u)) < rows) {
        bool loop_init_2 = true;
        while(true) {
            if (!loop_init_2) {
                uint _e611 = b_1;
                b_1 = _e611 + 1u;
            }
            loop_init_2 = false;
            uint _e585 = b_1;
            if (_e585 < 8u) {
            } else {
                break;
            }
            {
                uint _e588 = bits_1;
                uint _e594 = b_1;
                uint _e597 = shared_bits.inner[metal::min(unsigned(((lane & 15u) * 8u) + _e594), 127u)];
                uint _e606 = b_1;
                bits_1 = _e588 | (((_e597 >> (4u * (lane >> 4u))) & 15u) << (4u * _e606));
            }
        }
        uint _e618 = bits_1;
        out1_[metal::min(unsigned((start >> 5u) + lane), (_buffer_sizes.size5 - 0 - 4) / 4)] = _e618;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint _e621 = m2_;
    shared_bits.inner[metal::min(unsigned(lane), 127u)] = _e621;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if ((start + (lane * 32u)) < rows) {
        bool loop_init_3 = true;
        while(true) {
            if (!loop_init_3) {
                uint _e656 = b_2;
                b_2 = _e656 + 1u;
            }
            loop_init_3 = false;
            uint _e630 = b_2;
            if (_e630 < 8u) {
            } else {
                break;
            }
            {
                uint _e633 = bits_2;
                uint _e639 = b_2;
// … 11 more lines with the checksum 0f91c8a4b573fdb2
