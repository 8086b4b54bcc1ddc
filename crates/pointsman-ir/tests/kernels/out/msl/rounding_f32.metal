// language: metal2.4
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;

struct _mslBufferSizes {
    uint size1;
    uint size2;
    uint size3;
};

struct type_2 {
    metal::uint4 inner[5];
};
typedef metal::atomic_uint type_4[1];
typedef metal::uint4 type_5[1];
struct Row {
    bool selected;
    bool bad;
    char _pad2[2];
    uint o0_;
    bool q0_;
    char _pad4[3];
};
struct type_8 {
    uint inner[128];
};

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

bool is_negative_f32_(
    uint a_1
) {
    return (a_1 >> 31u) != 0u;
}

float single(
    uint a_2,
    constant type_2& args
) {
    uint _e4 = args.inner[3].x;
    return as_type<float>(a_2 ^ _e4);
}

float second_single(
    uint a_3,
    constant type_2& args
) {
    uint _e4 = args.inner[3].y;
    return as_type<float>(a_3 ^ _e4);
}

uint sub_f32_(
    uint a_4,
    uint b,
    constant type_2& args
) {
    float _e2 = single(a_4, args);
    float _e3 = second_single(b, args);
    return as_type<uint>(_e2 - _e3);
}

uint floor_f32_(
    uint a_5,
    constant type_2& args
) {
    bool local = {};
    uint _e1 = trunc_f32_(a_5);
    bool _e2 = is_negative_f32_(a_5);
    if (_e2) {
        local = _e1 != a_5;
    } else {
        local = false;
    }
    bool _e7 = local;
    if (_e7) {
        uint _e9 = sub_f32_(_e1, 1065353216u, args);
        return _e9;
    }
    return _e1;
}

uint add_f32_(
    uint a_6,
    uint b_1,
    constant type_2& args
) {
    float _e2 = single(a_6, args);
    float _e3 = second_single(b_1, args);
    return as_type<uint>(_e2 + _e3);
}

uint ceil_f32_(
    uint a_7,
    constant type_2& args
) {
    bool local_1 = {};
    uint _e1 = trunc_f32_(a_7);
    bool _e2 = is_negative_f32_(a_7);
    if (!(_e2)) {
        local_1 = _e1 != a_7;
    } else {
        local_1 = false;
    }
    bool _e8 = local_1;
    if (_e8) {
        uint _e10 = add_f32_(_e1, 1065353216u, args);
        return _e10;
    }
    return _e1;
}

uint round_f32_(
    uint a_8
) {
    uint e_1 = (a_8 >> 23u) & 255u;
    if (e_1 >= 150u) {
        return a_8;
    }
    if (e_1 < 126u) {
        return a_8 & 2147483648u;
    }
    if (e_1 == 126u) {
        return 1065353216u | (a_8 & 2147483648u);
    }
    uint fraction = 8388607u >> (e_1 - 127u);
    return (a_8 + ((fraction + 1u) >> 1u)) & ~(fraction);
}

bool is_nan_f32_(
    uint a_9
) {
    return (a_9 & 2147483647u) > 2139095040u;
}

uint canonical_f32_(
    uint a_10
) {
    bool _e2 = is_nan_f32_(a_10);
    return _e2 ? 2143289344u : a_10;
}

Row row(
    uint r,
    uint c0_,
    constant type_2& args
) {
    bool bad = false;
    uint v0_ = {};
    uint v1_ = {};
    uint v2_ = {};
    uint v3_ = {};
    uint v4_ = {};
    uint v5_ = {};
    uint v6_ = {};
    uint v7_ = {};
    v0_ = c0_;
    uint _e5 = v0_;
    uint _e6 = floor_f32_(_e5, args);
    v1_ = _e6;
    uint _e8 = v0_;
    uint _e9 = ceil_f32_(_e8, args);
    v2_ = _e9;
    uint _e11 = v0_;
    uint _e12 = round_f32_(_e11);
    v3_ = _e12;
    uint _e14 = v0_;
    uint _e15 = trunc_f32_(_e14);
    v4_ = _e15;
    uint _e17 = v1_;
    uint _e18 = v2_;
    uint _e19 = add_f32_(_e17, _e18, args);
    v5_ = _e19;
    uint _e21 = v5_;
    uint _e22 = v3_;
    uint _e23 = add_f32_(_e21, _e22, args);
    v6_ = _e23;
    uint _e25 = v6_;
    uint _e26 = v4_;
    uint _e27 = add_f32_(_e25, _e26, args);
    v7_ = _e27;
    bool _e30 = bad;
    uint _e31 = v7_;
    uint _e32 = canonical_f32_(_e31);
    return Row {true, _e30, {}, _e32, true};
}

struct storeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_5 const& in0_ [[user(fake0)]]
, device type_5& out0_ [[user(fake0)]]
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint step = 0u;
    metal::uint4 t0_ = {};
    metal::uint4 t0_1 = {};
    metal::uint4 t0_2 = {};
    metal::uint4 t0_3 = {};
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
            uint _e312 = step;
            step = _e312 + 4u;
        }
        loop_init = false;
        uint _e21 = step;
        if (_e21 < 8u) {
        } else {
            break;
        }
        {
            uint _e24 = step;
            uint base = (start + ((_e24 + 0u) * 512u)) + (lane * 4u);
            uint first_0_ = metal::min(base, last & 4294967292u);
            metal::uint4 quad0_0_ = in0_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            uint _e41 = step;
            uint base_1 = (start + ((_e41 + 1u) * 512u)) + (lane * 4u);
            uint first_1_ = metal::min(base_1, last & 4294967292u);
            metal::uint4 quad0_1_ = in0_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            uint _e58 = step;
            uint base_2 = (start + ((_e58 + 2u) * 512u)) + (lane * 4u);
            uint first_2_ = metal::min(base_2, last & 4294967292u);
            metal::uint4 quad0_2_ = in0_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            uint _e75 = step;
            uint base_3 = (start + ((_e75 + 3u) * 512u)) + (lane * 4u);
            uint first_3_ = metal::min(base_3, last & 4294967292u);
            metal::uint4 quad0_3_ = in0_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            {
                uint _e92 = step;
                uint k = _e92 + 0u;
                t0_ = metal::uint4 {};
                {
                    Row _e100 = row(base + 0u, quad0_0_.x, args);
                    bool live = (base + 0u) < rows;
                    t0_.x = live ? _e100.o0_ : 0u;
                }
                {
                    Row _e111 = row(base + 1u, quad0_0_.y, args);
                    bool live_1 = (base + 1u) < rows;
                    t0_.y = live_1 ? _e111.o0_ : 0u;
                }
                {
                    Row _e122 = row(base + 2u, quad0_0_.z, args);
                    bool live_2 = (base + 2u) < rows;
                    t0_.z = live_2 ? _e122.o0_ : 0u;
                }
                {
                    Row _e133 = row(base + 3u, quad0_0_.w, args);
                    bool live_3 = (base + 3u) < rows;
                    t0_.w = live_3 ? _e133.o0_ : 0u;
                }
                if (base < rows) {
                    metal::uint4 _e146 = t0_;
                    out0_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size3 - 0 - 16) / 16)] = _e146;
                }
            }
            {
                uint _e147 = step;
                uint k_1 = _e147 + 1u;
                t0_1 = metal::uint4 {};
                {
                    Row _e155 = row(base_1 + 0u, quad0_1_.x, args);
                    bool live_4 = (base_1 + 0u) < rows;
                    t0_1.x = live_4 ? _e155.o0_ : 0u;
                }
                {
                    Row _e166 = row(base_1 + 1u, quad0_1_.y, args);
                    bool live_5 = (base_1 + 1u) < rows;
                    t0_1.y = live_5 ? _e166.o0_ : 0u;
                }
                {
                    Row _e177 = row(base_1 + 2u, quad0_1_.z, args);
                    bool live_6 = (base_1 + 2u) < rows;
                    t0_1.z = live_6 ? _e177.o0_ : 0u;
                }
                {
                    Row _e188 = row(base_1 + 3u, quad0_1_.w, args);
                    bool live_7 = (base_1 + 3u) < rows;
                    t0_1.w = live_7 ? _e188.o0_ : 0u;
                }
                if (base_1 < rows) {
                    metal::uint4 _e201 = t0_1;
                    out0_[metal::min(unsigned(base_1 >> 2u), (_buffer_sizes.size3 - 0 - 16) / 16)] = _e201;
                }
            }
            {
                uint _e202 = step;
                uint k_2 = _e202 + 2u;
                t0_2 = metal::uint4 {};
                {
                    Row _e210 = row(base_2 + 0u, quad0_2_.x, args);
                    bool live_8 = (base_2 + 0u) < rows;
                    t0_2.x = live_8 ? _e210.o0_ : 0u;
                }
                {
                    Row _e221 = row(base_2 + 1u, quad0_2_.y, args);
                    bool live_9 = (base_2 + 1u) < rows;
                    t0_2.y = live_9 ? _e221.o0_ : 0u;
                }
                {
                    Row _e232 = row(base_2 + 2u, quad0_2_.z, args);
                    bool live_10 = (base_2 + 2u) < rows;
                    t0_2.z = live_10 ? _e232.o0_ : 0u;
                }
                {
                    Row _e243 = row(base_2 + 3u, quad0_2_.w, args);
                    bool live_11 = (base_2 + 3u) < rows;
                    t0_2.w = live_11 ? _e243.o0_ : 0u;
                }
                if (base_2 < rows) {
                    metal::uint4 _e256 = t0_2;
                    out0_[metal::min(unsigned(base_2 >> 2u), (_buffer_sizes.size3 - 0 - 16) / 16)] = _e256;
                }
            }
            {
                uint _e257 = step;
                uint k_3 = _e257 + 3u;
                t0_3 = metal::uint4 {};
                {
                    Row _e265 = row(base_3 + 0u, quad0_3_.x, args);
                    bool live_12 = (base_3 + 0u) < rows;
                    t0_3.x = live_12 ? _e265.o0_ : 0u;
                }
                {
                    Row _e276 = row(base_3 + 1u, quad0_3_.y, args);
                    bool live_13 = (base_3 + 1u) < rows;
                    t0_3.y = live_13 ? _e276.o0_ : 0u;
                }
                {
                    Row _e287 = row(base_3 + 2u, quad0_3_.z, args);
                    bool live_14 = (base_3 + 2u) < rows;
                    t0_3.z = live_14 ? _e287.o0_ : 0u;
                }
                {
                    Row _e298 = row(base_3 + 3u, quad0_3_.w, args);
                    bool live_15 = (base_3 + 3u) < rows;
                    t0_3.w = live_15 ? _e298.o0_ : 0u;
                }
                if (base_3 < rows) {
                    metal::uint4 _e311 = t0_3;
                    out0_[metal::min(unsigned(base_3 >> 2u), (_buffer_sizes.size3 - 0 - 16) / 16)] = _e311;
                }
            }
        }
    }
    return;
}
