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
    char _pad2[2];
    uint o0_;
    bool q0_;
    char _pad4[3];
};
struct type_10 {
    uint inner[128];
};

float single(
    uint a,
    constant type_2& args
) {
    uint _e4 = args.inner[3].x;
    return as_type<float>(a ^ _e4);
}

float second_single(
    uint a_1,
    constant type_2& args
) {
    uint _e4 = args.inner[3].y;
    return as_type<float>(a_1 ^ _e4);
}

uint add_f32_(
    uint a_2,
    uint b_1,
    constant type_2& args
) {
    float _e2 = single(a_2, args);
    float _e3 = second_single(b_1, args);
    return as_type<uint>(_e2 + _e3);
}

uint sub_f32_(
    uint a_3,
    uint b_2,
    constant type_2& args
) {
    float _e2 = single(a_3, args);
    float _e3 = second_single(b_2, args);
    return as_type<uint>(_e2 - _e3);
}

uint mul_f32_(
    uint a_4,
    uint b_3,
    constant type_2& args
) {
    float _e2 = single(a_4, args);
    float _e3 = second_single(b_3, args);
    return as_type<uint>(_e2 * _e3);
}

uint div_f32_(
    uint a_5,
    uint b_4,
    constant type_2& args
) {
    float _e2 = single(a_5, args);
    float _e3 = second_single(b_4, args);
    return as_type<uint>(_e2 / _e3);
}

uint rem_f32_(
    uint a_6,
    uint b_5
) {
    bool local = {};
    bool local_1 = {};
    int ex = {};
    uint r = {};
    uint x = a_6 & 2147483647u;
    uint y = b_5 & 2147483647u;
    if (!((x >= 2139095040u))) {
        local = y > 2139095040u;
    } else {
        local = true;
    }
    bool _e14 = local;
    if (!(_e14)) {
        local_1 = y == 0u;
    } else {
        local_1 = true;
    }
    bool _e21 = local_1;
    if (_e21) {
        return 2143289344u;
    }
    if (x < y) {
        return a_6;
    }
    ex = static_cast<int>(metal::max(x >> 23u, 1u));
    int ey = static_cast<int>(metal::max(y >> 23u, 1u));
    uint mx = (x & 8388607u) | (((x >> 23u) != 0u) ? 8388608u : 0u);
    uint my = (y & 8388607u) | (((y >> 23u) != 0u) ? 8388608u : 0u);
    r = mx % my;
    while(true) {
        int _e57 = ex;
        if (_e57 > ey) {
        } else {
            break;
        }
        {
            int _e59 = ex;
            uint by = static_cast<uint>(metal::min(as_type<int>(as_type<uint>(_e59) - as_type<uint>(ey)), 8));
            uint _e64 = r;
            r = (_e64 << by) % my;
            int _e67 = ex;
            ex = as_type<int>(as_type<uint>(_e67) - as_type<uint>(static_cast<int>(by)));
        }
    }
    uint _e70 = r;
    if (_e70 == 0u) {
        return a_6 & 2147483648u;
    }
    uint _e76 = r;
    int up = metal::min(as_type<int>(as_type<uint>(23) - as_type<uint>(static_cast<int>(metal::select(31 - metal::clz(_e76), uint(-1), _e76 == 0)))), as_type<int>(as_type<uint>(ey) - as_type<uint>(1)));
    uint _e83 = r;
    uint m = _e83 << static_cast<uint>(up);
    int e = as_type<int>(as_type<uint>(ey) - as_type<uint>(up));
    uint bits_1 = (m >= 8388608u) ? ((m & 8388607u) | (static_cast<uint>(e) << 23u)) : m;
    return bits_1 | (a_6 & 2147483648u);
}

float third_single(
    uint a_7,
    constant type_2& args
) {
    uint _e4 = args.inner[3].z;
    return as_type<float>(a_7 ^ _e4);
}

uint fma_f32_(
    uint a_8,
    uint b_6,
    uint c,
    constant type_2& args
) {
    float _e3 = single(a_8, args);
    float _e4 = second_single(b_6, args);
    float _e5 = third_single(c, args);
    return as_type<uint>(metal::fma(_e3, _e4, _e5));
}

uint neg_f32_(
    uint a_9
) {
    return a_9 ^ 2147483648u;
}

uint abs_f32_(
    uint a_10
) {
    return a_10 & 2147483647u;
}

bool is_nan_f32_(
    uint a_11
) {
    return (a_11 & 2147483647u) > 2139095040u;
}

uint sign_f32_(
    uint a_12
) {
    bool local_2 = {};
    if (!(((a_12 << 1u) == 0u))) {
        bool _e12 = is_nan_f32_(a_12);
        local_2 = _e12;
    } else {
        local_2 = true;
    }
    bool _e14 = local_2;
    return _e14 ? a_12 : (1065353216u | (a_12 & 2147483648u));
}

uint sqrt_f32_(
    uint a_13,
    constant type_2& args
) {
    float _e1 = single(a_13, args);
    return as_type<uint>(metal::sqrt(_e1));
}

uint total_f32_(
    uint a_14
) {
    uint key = ((a_14 >> 31u) != 0u) ? ~(a_14) : (a_14 | 2147483648u);
    bool _e10 = is_nan_f32_(a_14);
    return _e10 ? 4294967295u : key;
}

uint canonical_f32_(
    uint a_15
) {
    bool _e2 = is_nan_f32_(a_15);
    return _e2 ? 2143289344u : a_15;
}

Row row(
    uint r_1,
    uint c0_,
    uint c1_,
    bool d1_,
    constant type_2& args
) {
    bool bad = false;
    uint v0_ = {};
    uint v1_ = {};
    bool n1_ = {};
    uint v2_ = {};
    bool n2_ = {};
    uint v3_ = {};
    bool n3_ = {};
    uint v4_ = {};
    bool n4_ = {};
    uint v5_ = {};
    bool n5_ = {};
    uint v6_ = {};
    bool n6_ = {};
    uint v7_ = {};
    bool n7_ = {};
    uint v8_ = {};
    uint v9_ = {};
    uint v10_ = {};
    uint v11_ = {};
    uint v12_ = {};
    bool n12_ = {};
    uint v13_ = {};
    bool n13_ = {};
    uint v14_ = {};
    bool local_3 = {};
    bool n14_ = {};
    uint v15_ = {};
    bool local_4 = {};
    bool n15_ = {};
    uint v16_ = {};
    bool local_5 = {};
    bool n16_ = {};
    uint v17_ = {};
    bool local_6 = {};
    bool n17_ = {};
    uint v18_ = {};
    bool local_7 = {};
    bool n18_ = {};
    uint v19_ = {};
    bool local_8 = {};
    bool n19_ = {};
    uint v20_ = {};
    bool n20_ = {};
    uint v21_ = {};
    bool n21_ = {};
    uint v22_ = {};
    bool n22_ = {};
    uint v23_ = {};
    bool n23_ = {};
    uint v24_ = {};
    bool local_9 = {};
    bool n24_ = {};
    uint v25_ = {};
    bool local_10 = {};
    bool n25_ = {};
    uint v26_ = {};
    bool local_11 = {};
    bool n26_ = {};
    v0_ = c0_;
    v1_ = c1_;
    n1_ = d1_;
    uint _e9 = v0_;
    uint _e10 = v1_;
    uint _e11 = add_f32_(_e9, _e10, args);
    v2_ = _e11;
    bool _e13 = n1_;
    n2_ = _e13;
    uint _e15 = v0_;
    uint _e16 = v1_;
    uint _e17 = sub_f32_(_e15, _e16, args);
    v3_ = _e17;
    bool _e19 = n1_;
    n3_ = _e19;
    uint _e21 = v0_;
    uint _e22 = v1_;
    uint _e23 = mul_f32_(_e21, _e22, args);
    v4_ = _e23;
    bool _e25 = n1_;
    n4_ = _e25;
    uint _e27 = v0_;
    uint _e28 = v1_;
    uint _e29 = div_f32_(_e27, _e28, args);
    v5_ = _e29;
    bool _e31 = n1_;
    n5_ = _e31;
    uint _e33 = v0_;
    uint _e34 = v1_;
    uint _e35 = rem_f32_(_e33, _e34);
    v6_ = _e35;
    bool _e37 = n1_;
    n6_ = _e37;
    uint _e39 = v0_;
    uint _e40 = v1_;
    uint _e41 = v0_;
    uint _e42 = fma_f32_(_e39, _e40, _e41, args);
    v7_ = _e42;
    bool _e44 = n1_;
    n7_ = _e44;
    uint _e46 = v0_;
    uint _e47 = neg_f32_(_e46);
    v8_ = _e47;
    uint _e49 = v0_;
    uint _e50 = abs_f32_(_e49);
    v9_ = _e50;
    uint _e52 = v0_;
    uint _e53 = sign_f32_(_e52);
    v10_ = _e53;
    uint _e55 = v0_;
    uint _e56 = sqrt_f32_(_e55, args);
    v11_ = _e56;
    uint _e58 = v0_;
    uint _e59 = v1_;
    uint _e60 = v1_;
    uint _e61 = total_f32_(_e60);
    uint _e62 = v0_;
    uint _e63 = total_f32_(_e62);
    v12_ = (_e61 < _e63) ? _e59 : _e58;
    bool _e67 = n1_;
    n12_ = _e67;
    uint _e69 = v0_;
    uint _e70 = v1_;
    uint _e71 = v1_;
    uint _e72 = total_f32_(_e71);
    uint _e73 = v0_;
    uint _e74 = total_f32_(_e73);
    v13_ = (_e72 > _e74) ? _e70 : _e69;
    bool _e78 = n1_;
    n13_ = _e78;
    uint _e80 = v0_;
    uint _e81 = v1_;
    uint _e82 = v1_;
    uint _e83 = total_f32_(_e82);
    uint _e84 = v0_;
    uint _e85 = total_f32_(_e84);
    uint _e88 = v1_;
    uint _e89 = v1_;
    uint _e90 = total_f32_(_e89);
    uint _e91 = v0_;
    uint _e92 = v1_;
    uint _e93 = v1_;
    uint _e94 = total_f32_(_e93);
    uint _e95 = v0_;
    uint _e96 = total_f32_(_e95);
    uint _e99 = total_f32_((_e94 > _e96) ? _e92 : _e91);
    v14_ = (_e90 < _e99) ? _e88 : ((_e83 > _e85) ? _e81 : _e80);
    bool _e103 = n1_;
    if (_e103) {
        bool _e106 = n1_;
        local_3 = _e106;
    } else {
        local_3 = false;
    }
    bool _e108 = local_3;
    n14_ = _e108;
    uint _e110 = v2_;
    uint _e111 = v3_;
    uint _e112 = add_f32_(_e110, _e111, args);
    v15_ = _e112;
    bool _e114 = n2_;
    if (_e114) {
        bool _e117 = n3_;
        local_4 = _e117;
    } else {
        local_4 = false;
    }
    bool _e119 = local_4;
    n15_ = _e119;
    uint _e121 = v15_;
    uint _e122 = v4_;
    uint _e123 = add_f32_(_e121, _e122, args);
    v16_ = _e123;
    bool _e125 = n15_;
    if (_e125) {
        bool _e128 = n4_;
        local_5 = _e128;
    } else {
        local_5 = false;
    }
    bool _e130 = local_5;
    n16_ = _e130;
    uint _e132 = v16_;
    uint _e133 = v5_;
    uint _e134 = add_f32_(_e132, _e133, args);
    v17_ = _e134;
    bool _e136 = n16_;
    if (_e136) {
        bool _e139 = n5_;
        local_6 = _e139;
    } else {
        local_6 = false;
    }
    bool _e141 = local_6;
    n17_ = _e141;
    uint _e143 = v17_;
    uint _e144 = v6_;
    uint _e145 = add_f32_(_e143, _e144, args);
    v18_ = _e145;
    bool _e147 = n17_;
    if (_e147) {
        bool _e150 = n6_;
        local_7 = _e150;
    } else {
        local_7 = false;
    }
    bool _e152 = local_7;
    n18_ = _e152;
    uint _e154 = v18_;
    uint _e155 = v7_;
    uint _e156 = add_f32_(_e154, _e155, args);
    v19_ = _e156;
    bool _e158 = n18_;
    if (_e158) {
        bool _e161 = n7_;
        local_8 = _e161;
    } else {
        local_8 = false;
    }
    bool _e163 = local_8;
    n19_ = _e163;
    uint _e165 = v19_;
    uint _e166 = v8_;
    uint _e167 = add_f32_(_e165, _e166, args);
    v20_ = _e167;
    bool _e169 = n19_;
    n20_ = _e169;
    uint _e171 = v20_;
    uint _e172 = v9_;
    uint _e173 = add_f32_(_e171, _e172, args);
    v21_ = _e173;
    bool _e175 = n20_;
    n21_ = _e175;
    uint _e177 = v21_;
    uint _e178 = v10_;
    uint _e179 = add_f32_(_e177, _e178, args);
    v22_ = _e179;
    bool _e181 = n21_;
    n22_ = _e181;
    uint _e183 = v22_;
    uint _e184 = v11_;
    uint _e185 = add_f32_(_e183, _e184, args);
    v23_ = _e185;
    bool _e187 = n22_;
    n23_ = _e187;
    uint _e189 = v23_;
    uint _e190 = v12_;
    uint _e191 = add_f32_(_e189, _e190, args);
    v24_ = _e191;
    bool _e193 = n23_;
    if (_e193) {
        bool _e196 = n12_;
        local_9 = _e196;
    } else {
        local_9 = false;
    }
    bool _e198 = local_9;
    n24_ = _e198;
    uint _e200 = v24_;
    uint _e201 = v13_;
    uint _e202 = add_f32_(_e200, _e201, args);
    v25_ = _e202;
    bool _e204 = n24_;
    if (_e204) {
        bool _e207 = n13_;
        local_10 = _e207;
    } else {
        local_10 = false;
    }
    bool _e209 = local_10;
    n25_ = _e209;
    uint _e211 = v25_;
    uint _e212 = v14_;
    uint _e213 = add_f32_(_e211, _e212, args);
    v26_ = _e213;
    bool _e215 = n25_;
    if (_e215) {
        bool _e218 = n14_;
        local_11 = _e218;
    } else {
        local_11 = false;
    }
    bool _e220 = local_11;
    n26_ = _e220;
    bool _e223 = bad;
    uint _e225 = v26_;
    uint _e226 = canonical_f32_(_e225);
    bool _e227 = n26_;
    bool _e229 = n26_;
    return Row {true, _e223, {}, _e227 ? _e226 : 0u, _e229};
}

struct storeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_5 const& in0_ [[user(fake0)]]
, device type_5 const& in1_ [[user(fake0)]]
, device type_6 const& inv1_ [[user(fake0)]]
, device type_5& out0_ [[user(fake0)]]
, device type_6& outv0_ [[user(fake0)]]
, threadgroup type_10& shared_bits
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint n0_ = 0u;
    uint step = 0u;
    metal::uint4 t0_ = {};
    metal::uint4 t0_1 = {};
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
            uint _e368 = step;
            step = _e368 + 2u;
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
            metal::uint4 quad1_0_ = in1_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size3 - 0 - 16) / 16)];
            uint _e53 = inv1_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e60 = args.inner[4].y;
            uint valid1_0_ = ((_e60 & 1u) != 0u) ? (_e53 >> (first_0_ & 31u)) : 15u;
            uint _e66 = step;
            uint base_1 = (start + ((_e66 + 1u) * 512u)) + (lane * 4u);
            uint first_1_ = metal::min(base_1, last & 4294967292u);
            metal::uint4 quad0_1_ = in0_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            metal::uint4 quad1_1_ = in1_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size3 - 0 - 16) / 16)];
            uint _e93 = inv1_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e100 = args.inner[4].y;
            uint valid1_1_ = ((_e100 & 1u) != 0u) ? (_e93 >> (first_1_ & 31u)) : 15u;
            {
                uint _e106 = step;
                uint k = _e106 + 0u;
                t0_ = metal::uint4 {};
                {
                    Row _e121 = row(base + 0u, quad0_0_.x, quad1_0_.x, ((valid1_0_ >> 0u) & 1u) != 0u, args);
                    bool live = (base + 0u) < rows;
                    t0_.x = live ? _e121.o0_ : 0u;
                    uint _e129 = n0_;
                    n0_ = _e129 | (((live & _e121.q0_) ? 1u : 0u) << ((4u * k) + 0u));
                }
                {
                    Row _e151 = row(base + 1u, quad0_0_.y, quad1_0_.y, ((valid1_0_ >> 1u) & 1u) != 0u, args);
                    bool live_1 = (base + 1u) < rows;
                    t0_.y = live_1 ? _e151.o0_ : 0u;
                    uint _e159 = n0_;
                    n0_ = _e159 | (((live_1 & _e151.q0_) ? 1u : 0u) << ((4u * k) + 1u));
                }
                {
                    Row _e181 = row(base + 2u, quad0_0_.z, quad1_0_.z, ((valid1_0_ >> 2u) & 1u) != 0u, args);
                    bool live_2 = (base + 2u) < rows;
                    t0_.z = live_2 ? _e181.o0_ : 0u;
                    uint _e189 = n0_;
                    n0_ = _e189 | (((live_2 & _e181.q0_) ? 1u : 0u) << ((4u * k) + 2u));
                }
                {
                    Row _e211 = row(base + 3u, quad0_0_.w, quad1_0_.w, ((valid1_0_ >> 3u) & 1u) != 0u, args);
                    bool live_3 = (base + 3u) < rows;
                    t0_.w = live_3 ? _e211.o0_ : 0u;
                    uint _e219 = n0_;
                    n0_ = _e219 | (((live_3 & _e211.q0_) ? 1u : 0u) << ((4u * k) + 3u));
                }
                if (base < rows) {
                    metal::uint4 _e236 = t0_;
                    out0_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size5 - 0 - 16) / 16)] = _e236;
                }
            }
            {
                uint _e237 = step;
                uint k_1 = _e237 + 1u;
                t0_1 = metal::uint4 {};
                {
                    Row _e252 = row(base_1 + 0u, quad0_1_.x, quad1_1_.x, ((valid1_1_ >> 0u) & 1u) != 0u, args);
                    bool live_4 = (base_1 + 0u) < rows;
                    t0_1.x = live_4 ? _e252.o0_ : 0u;
                    uint _e260 = n0_;
                    n0_ = _e260 | (((live_4 & _e252.q0_) ? 1u : 0u) << ((4u * k_1) + 0u));
                }
                {
                    Row _e282 = row(base_1 + 1u, quad0_1_.y, quad1_1_.y, ((valid1_1_ >> 1u) & 1u) != 0u, args);
                    bool live_5 = (base_1 + 1u) < rows;
                    t0_1.y = live_5 ? _e282.o0_ : 0u;
                    uint _e290 = n0_;
                    n0_ = _e290 | (((live_5 & _e282.q0_) ? 1u : 0u) << ((4u * k_1) + 1u));
                }
                {
                    Row _e312 = row(base_1 + 2u, quad0_1_.z, quad1_1_.z, ((valid1_1_ >> 2u) & 1u) != 0u, args);
                    bool live_6 = (base_1 + 2u) < rows;
                    t0_1.z = live_6 ? _e312.o0_ : 0u;
                    uint _e320 = n0_;
                    n0_ = _e320 | (((live_6 & _e312.q0_) ? 1u : 0u) << ((4u * k_1) + 2u));
                }
                {
                    Row _e342 = row(base_1 + 3u, quad0_1_.w, quad1_1_.w, ((valid1_1_ >> 3u) & 1u) != 0u, args);
                    bool live_7 = (base_1 + 3u) < rows;
                    t0_1.w = live_7 ? _e342.o0_ : 0u;
                    uint _e350 = n0_;
                    n0_ = _e350 | (((live_7 & _e342.q0_) ? 1u : 0u) << ((4u * k_1) + 3u));
                }
                if (base_1 < rows) {
                    metal::uint4 _e367 = t0_1;
                    out0_[metal::min(unsigned(base_1 >> 2u), (_buffer_sizes.size5 - 0 - 16) / 16)] = _e367;
                }
            }
        }
    }
    uint _e373 = n0_;
    shared_bits.inner[metal::min(unsigned(lane), 127u)] = _e373;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if ((start + (lane * 32u)) < rows) {
        bool loop_init_1 = true;
        while(true) {
            if (!loop_init_1) {
                uint _e408 = b;
                b = _e408 + 1u;
            }
            loop_init_1 = false;
            uint _e382 = b;
            if (_e382 < 8u) {
            } else {
                break;
            }
            {
                uint _e385 = bits;
                uint _e391 = b;
                uint _e394 = shared_bits.inner[metal::min(unsigned(((lane & 15u) * 8u) + _e391), 127u)];
                uint _e403 = b;
                bits = _e385 | (((_e394 >> (4u * (lane >> 4u))) & 15u) << (4u * _e403));
            }
// … 7 more lines with the checksum eb12407aca3ba436
